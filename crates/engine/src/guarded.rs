//! What stands between a batch and entries that not everybody may hide, reword or move (COR-21): every append passes here, whatever verb,
//! file or answer brought it about.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ken_core::decide::{Authority, Deed, Effect, effects, is_approved, may};
use ken_core::entry::{fold, verifies};
use ken_core::event::LinkEvent;
use ken_core::{Body, EntryEvent, EntryKey, Event, EventHash, Intent};

use crate::error::Result;
use crate::projection::Projection;

/// Entries that a batch is about and that are guarded, with what is known of each before it.
pub(crate) struct Guarded {
    entries: BTreeMap<EntryKey, Known>,
    authority: Authority,
}

struct Known {
    events: Vec<Event>,
    purged: HashSet<EventHash>,
    /// It is verified, or was before somebody changed its words.
    was_verified: bool,
}

impl Guarded {
    /// Reads what is known of the entries that a batch may change. Most batches change none that is guarded.
    pub(crate) fn load(reads: &dyn Projection, intents: &[Intent], authority: &Authority) -> Result<Guarded> {
        let mut guarded = Guarded { entries: BTreeMap::new(), authority: authority.clone() };
        let changed = intents.iter().filter(|intent| deed(&intent.body).is_some());
        for key in changed.filter_map(|intent| intent.entry).collect::<BTreeSet<_>>() {
            let Some(entry) = reads.entry(key)? else { continue };
            let mut events: Vec<Event> = Vec::new();
            events.extend(reads.history(key)?.into_iter().map(|placed| placed.event));
            let was_verified = events.iter().any(verifies);
            if was_verified || is_approved(&entry) {
                let purged = reads.purged()?.into_iter().collect();
                guarded.entries.insert(key, Known { events, purged, was_verified });
            }
        }
        Ok(guarded)
    }

    /// Refuses what the events of a batch come to, where the caller may not do that.
    pub(crate) fn check(&self, batch: &[Event]) -> Result<()> {
        for (key, known) in &self.entries {
            let new: Vec<&Event> = batch.iter().filter(|event| event.entry == Some(*key)).collect();
            let gone = |hash: &EventHash| known.purged.contains(hash);
            let Some(before) = fold(&known.events, &gone) else { continue };
            let all: Vec<Event> = known.events.iter().chain(new.iter().copied()).cloned().collect();
            let after = fold(&all, &gone);
            let deed = new.iter().find_map(|event| deed(event.body.as_ref()?)).unwrap_or(Deed::CHANGE);
            // Whoever found it again on their own brings it back by that (REV-3).
            let is_found =
                new.iter().any(|event| matches!(event.body, Some(Body::Entry(EntryEvent::Confirmed(_)))));
            let found = effects(&before, after.as_ref());
            for effect in found.into_iter().filter(|effect| !(is_found && *effect == Effect::Returns)) {
                may(effect, &before, known.was_verified, deed, &self.authority)?;
            }
        }
        Ok(())
    }
}

/// What somebody does who says something of an entry that may hide, reword or move it; none where it does nothing of the kind.
fn deed(body: &Body) -> Option<Deed> {
    Some(match body {
        Body::Entry(EntryEvent::Archived { .. }) => Deed::ARCHIVE,
        Body::Entry(EntryEvent::Retracted { .. }) => Deed::RETRACT,
        Body::Entry(EntryEvent::Superseded { .. }) => Deed::SUPERSEDE,
        Body::Entry(EntryEvent::Merged(_)) => Deed::MERGE,
        Body::Entry(EntryEvent::Staled { .. }) => Deed::CALL_STALE,
        Body::Entry(EntryEvent::Restored { .. }) => Deed::RESTORE,
        Body::Entry(EntryEvent::Purged { .. }) => Deed::PURGE,
        Body::Entry(EntryEvent::Revised(_)) => Deed::EDIT,
        Body::Entry(EntryEvent::Reanchored { .. }) => Deed::ANCHOR,
        Body::Entry(EntryEvent::Added(_) | EntryEvent::Rejected(_)) => Deed::ADD,
        Body::Link(LinkEvent::Unlinked { .. }) => Deed::UNLINK,
        _ => return None,
    })
}
