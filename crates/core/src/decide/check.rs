//! What a check leaves behind: places that were found again (VAL-3).

use super::{about, readable};
use crate::entry::Entry;
use crate::event::{Body, EntryEvent, Intent, Reanchored};
use crate::refusal::Refusal;

/// Puts anchors where the code is now. A place that is as it was, or that the entry does not have, changes nothing.
///
/// Every entry may be told so, those that change by supersession included: where a thing stands is not what it says.
pub fn reanchor(entry: &Entry, changes: Vec<Reanchored>) -> Result<Vec<Intent>, Refusal> {
    let changes = changes.into_iter().filter(|change| {
        entry.fields.anchors.iter().any(|anchor| anchor.at == change.from && *anchor != change.to)
    });
    let anchors: Vec<Reanchored> = changes.collect();
    if anchors.is_empty() {
        return Ok(Vec::new());
    }
    readable(vec![about(entry, Body::Entry(EntryEvent::Reanchored { anchors }))])
}
