//! What the records of a session say: its texts and commands, read the same by hooks and by harvest.

pub(crate) mod commands;
pub(crate) mod markdown;
pub(crate) mod report;
pub(crate) mod summary;
pub(crate) mod words;

use std::path::{Component, Path, PathBuf};

use ken_core::run::folded;

/// The run that a conversation of some host is.
///
/// Every door that hears of the conversation comes to the same name.
pub fn session_run(host: &str, session: &str) -> String {
    let name = format!("{host}-{}", folded(session));
    // A secret in small letters is no longer known for one, and still is one.
    let forms = [session.to_owned(), session.to_uppercase(), folded(session), name.clone()];
    let is_fit = !session.trim().is_empty()
        && crate::check_name(&name).is_ok()
        && !forms.iter().any(|form| ken_guard::contains_secret(form))
        && name.is_ascii();
    if is_fit {
        return name;
    }
    format!("{host}-{}", &blake3::hash(folded(session).as_bytes()).to_hex()[..16])
}

/// A path without `.` and `..`; none where it would leave the root.
pub(crate) fn plain(path: &Path) -> Option<PathBuf> {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if !whole.pop() => return None,
            Component::ParentDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => whole.push(part),
        }
    }
    Some(whole)
}
