//! The fields by which every answer names an entry.

use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::kinds::{Memory, Status};

/// What every answer says of an entry it names, whatever the verb: the same fields under the same names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntryHead {
    /// The id it answers to.
    pub id: String,
    /// Its short citation; the id where its type has none.
    pub handle: String,
    /// The memory it belongs to.
    pub memory: Memory,
    #[serde(rename = "type")]
    pub kind: String,
    /// Its status in the lifecycle.
    pub status: Status,
    /// Its title, or the text that stands for one.
    pub title: String,
}

impl EntryHead {
    /// The head of an entry that answers to an id. The title is as it was stated; who shows it makes it safe to show.
    pub fn new(entry: &Entry, id: String) -> EntryHead {
        EntryHead {
            handle: entry.handle.clone().unwrap_or_else(|| id.clone()),
            id,
            memory: entry.memory(),
            kind: entry.kind.word().to_owned(),
            status: entry.status,
            title: entry.fields.title().into_owned(),
        }
    }
}
