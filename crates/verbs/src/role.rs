//! What the holder of a token, or of a session in the browser, may do.

/// A role. Each may do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads.
    Reader,
    /// Adds and changes entries, as an agent may.
    Writer,
    /// Decides what only a person decides, once the session is confirmed as a person's.
    Approver,
    /// Changes settings, files and tokens.
    Admin,
}

impl Role {
    pub const ALL: [Role; 4] = [Role::Reader, Role::Writer, Role::Approver, Role::Admin];

    pub fn word(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Writer => "writer",
            Role::Approver => "approver",
            Role::Admin => "admin",
        }
    }

    pub fn from_word(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.word() == word)
    }
}
