//! Purging an entry: the one way to take bytes out (STO-13).

use super::about;
use crate::entry::Entry;
use crate::event::{Body, EntryEvent, Event, Intent};
use crate::ids::EventHash;

/// Names every event of an entry as purged. Earlier purges stay as they are.
pub fn purge(entry: &Entry, events: &[Event], reason: String) -> Vec<Intent> {
    let mut hashes: Vec<EventHash> = events
        .iter()
        .filter(|event| !matches!(event.body, Some(Body::Entry(EntryEvent::Purged { .. }))))
        .map(|event| event.hash)
        .collect();
    hashes.sort();
    hashes.dedup();
    if hashes.is_empty() {
        return Vec::new();
    }
    vec![about(entry, Body::Entry(EntryEvent::Purged { hashes, reason }))]
}

/// Names single events as purged: those that hold a secret, of whatever entry.
pub fn purge_events(events: &[Event], reason: String) -> Vec<Intent> {
    let mut hashes: Vec<EventHash> = events.iter().map(|event| event.hash).collect();
    hashes.sort();
    hashes.dedup();
    vec![Intent { entry: None, body: Body::Entry(EntryEvent::Purged { hashes, reason }) }]
}
