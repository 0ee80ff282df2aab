//! Decisions: from what is known and what is asked to what will be said, or a refusal. Pure, one file per intention.

mod add;
mod authority;
mod check;
mod link;
mod merge;
mod near;
mod pair;
mod promote;
mod purge;
mod revise;
mod standing;
mod trust;
mod undo;

pub use add::{
    AddFacts, AddRequest, Addition, Judged, Near, NearEntry, OnConflict, Outcome, SIMILARITY, add, cite,
    foreseen, near_entries, restate,
};
pub use authority::{
    Approver, Attendance, Authority, Effect, EntryAction, Likeness, MergeDoubt, Merging, effects,
    for_a_person, is_approved, is_said, may, rewords,
};
pub use check::reanchor;
pub use link::{dismiss, link, may_be_one, propose, propose_pair, unlink};
pub use merge::{Choice, choose, merge, stale, unmerge};
pub use near::{remarks_on_noted, remarks_on_revised};
pub use pair::{Bounds, Pair, compare, noted};
pub use promote::{approve, ask, attest, turn_down};
pub use purge::{purge, purge_events};
pub use revise::{Change, revise};
pub use standing::{archive, may_move, pin, release, restore, retract, supersede};
pub use trust::{
    Observation, Support, confirm, lacks_origin, observe, observe_in_session, prove, rescope, reset,
    source_succeeded, widen,
};
pub use undo::{deed, is_back_by_undo, is_superseded_by_undo, is_undo, moves, undo, was_undone};

use serde_json::Value;

use crate::clock::Millis;
use crate::entry::Entry;
use crate::event::{Body, EntryEvent, Intent};
use crate::fields::{Citation, Fields};
use crate::ids::{EntryKey, GivenId, ReplicaId};
use crate::kinds::TypeName;
use crate::limits::{DATA_BYTES_MAX, DATA_LEVELS_MAX};
use crate::refusal::{Code, Refusal};

/// Where the facts of a decision are looked up. Decisions themselves get facts and cannot fail on the way.
///
/// A lookup that fails says so: "there is none" is an answer of its own.
pub trait View {
    /// Why something could not be looked up.
    type Error;
    /// An entry as it stands.
    fn entry(&self, key: EntryKey) -> Result<Option<Entry>, Self::Error>;
    /// The entry that holds a given id.
    fn holder(&self, id: &GivenId) -> Result<Option<EntryKey>, Self::Error>;
    /// Whether another entry has this short citation.
    fn handle_taken(&self, handle: &str) -> Result<bool, Self::Error>;
    /// The entry that goes by a merge key; see [`merge_name`].
    fn merged(&self, name: &str) -> Result<Option<EntryKey>, Self::Error>;
}

/// What makes a merge key one of its kind: type and scope belong to it.
pub fn merge_name(kind: &TypeName, fields: &Fields) -> Option<String> {
    let key = fields.merge_key.as_deref()?.trim();
    (!key.is_empty()).then(|| format!("{kind}\u{1f}{}\u{1f}{}", fields.scope_key(), key.to_lowercase()))
}

/// The circumstances of a decision.
#[derive(Clone, Debug)]
pub struct Context {
    /// The time it is.
    pub now: Millis,
    /// The clone that writes.
    pub replica: ReplicaId,
    /// On whose behalf.
    pub actor: String,
    /// What whoever calls may do beyond what anybody may (COR-21).
    pub authority: Authority,
}

/// Refuses what could be written but not be read again: a line that is too long, or nested deeper than parsers follow.
fn readable(intents: Vec<Intent>) -> Result<Vec<Intent>, Refusal> {
    for intent in &intents {
        let data = intent.body.data();
        let levels = levels(&data);
        if levels > DATA_LEVELS_MAX {
            return Err(Refusal::new(
                Code::Invalid,
                format!("the content is nested {levels} levels deep; at most {DATA_LEVELS_MAX} are allowed"),
            )
            .field("content"));
        }
        let bytes = crate::canonical::value_to_string(&data).len();
        if bytes > DATA_BYTES_MAX {
            return Err(Refusal::new(
                Code::Invalid,
                format!("the content has {bytes} bytes as JSON; at most {DATA_BYTES_MAX} are allowed"),
            )
            .hint("put the long part in a document and cite it")
            .field("content"));
        }
    }
    Ok(intents)
}

fn levels(value: &Value) -> usize {
    match value {
        Value::Array(members) => 1 + members.iter().map(levels).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Something said about an existing entry.
fn about(entry: &Entry, body: Body) -> Intent {
    Intent { entry: Some(entry.key), body }
}

fn citing(key: EntryKey, citation: Citation) -> Intent {
    Intent { entry: Some(key), body: Body::Entry(EntryEvent::Cited { citation }) }
}
