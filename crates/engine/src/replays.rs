//! The answers that a server keeps for idempotency keys, each a record of the clone. A purge takes its text out of them, too (STO-13).

use ken_core::{Entry, canonical};
use serde::{Deserialize, Serialize};

pub use crate::limits::replays::{BEGUN, PURGED};

/// An answer that was given to a request with an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// When it was given, in milliseconds.
    pub at: i64,
    pub fingerprint: String,
    pub status: u16,
    pub exit: u8,
    pub body: String,
}

/// An answer without its words. It stays: the same request is not carried out again, which would bring the text back.
pub(crate) fn emptied(answer: &[u8]) -> Vec<u8> {
    let Ok(answer) = serde_json::from_slice::<KeptAnswer>(answer) else { return Vec::new() };
    let answer = KeptAnswer { status: PURGED, body: String::new(), ..answer };
    serde_json::to_vec(&answer).unwrap_or_default()
}

/// What an answer about an entry holds: its names, and what it says.
pub fn texts_of(entry: &Entry, id: &str) -> Vec<String> {
    let fields = &entry.fields;
    let said = [Some(fields.statement().into_owned()), fields.title.clone(), fields.detail.clone()];
    let said = said.into_iter().flatten().filter(|text| !text.trim().is_empty());
    // An id may be a common word: only as a whole value it is the entry's.
    [entry.key.to_string(), canonical::to_string(&id)].into_iter().chain(said).collect()
}
