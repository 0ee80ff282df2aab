//! What a server asks of a store that several servers share, beside its verbs: the audit log, and whether it is there.

use std::net::IpAddr;

use kenning::Result;

use crate::http::Principal;

/// A call as the audit log has it (COR-31).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deed {
    /// Who is credited; none where nobody is known.
    pub who: Option<String>,
    /// The name of the token that it came with.
    pub token: Option<String>,
    /// `api`, `mcp` or `page`.
    pub door: &'static str,
    pub verb: String,
    pub entry: Option<String>,
    /// `done`, or the code of what went wrong.
    pub outcome: String,
    /// The other end of the connection.
    pub address: Option<IpAddr>,
}

/// A store that several servers share.
pub trait SharedStore: Send + Sync {
    /// Writes a call down. What cannot be written is told to whoever runs the server: the call is done already.
    fn record(&self, deed: &Deed);
    /// How many batches the log has, and how many of them this server has taken in. Fails where the store does not answer.
    fn progress(&self) -> Result<(i64, i64)>;
}

impl Deed {
    /// A call by somebody who was let in.
    pub(crate) fn by(principal: &Principal, door: &'static str, verb: &str, outcome: &str) -> Deed {
        let person = principal.person.as_ref().map(|person| person.name().to_owned());
        Deed {
            who: Some(person.unwrap_or_else(|| format!("agent:{}", principal.name))),
            token: principal.token.clone(),
            door,
            verb: verb.to_owned(),
            entry: None,
            outcome: outcome.to_owned(),
            address: principal.peer,
        }
    }

    pub(crate) fn on(self, entry: Option<&str>) -> Deed {
        Deed { entry: entry.map(str::to_owned), ..self }
    }
}
