//! What stands between a batch and entries that not everybody may hide, reword or move (COR-21): every append passes here, whatever verb,
//! file or answer brought it about.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ken_core::decide::{Attendance, Authority, Effect, EntryAction, effects, is_approved, may};
use ken_core::entry::{fold, verifies};
use ken_core::event::LinkEvent;
use ken_core::{Body, EntryEvent, EntryKey, Event, EventHash, Intent};

use crate::error::Result;
use crate::projection::Projection;

/// Entries that a batch is about and that are guarded, with what is known of each before it.
pub(crate) struct Guarded {
    entries: BTreeMap<EntryKey, Known>,
    purged: HashSet<EventHash>,
    authority: Authority,
}

struct Known {
    events: Vec<Event>,
    /// It is verified, or was before somebody changed its words.
    was_verified: bool,
}

impl Guarded {
    /// Reads what is known of the entries that a batch may change. Most batches change none that is guarded.
    pub(crate) fn load(reads: &dyn Projection, intents: &[Intent], authority: &Authority) -> Result<Guarded> {
        let mut guarded =
            Guarded { entries: BTreeMap::new(), purged: HashSet::new(), authority: authority.clone() };
        let changed = intents.iter().filter(|intent| action(&intent.body).is_some());
        for key in changed.filter_map(|intent| intent.entry).collect::<BTreeSet<_>>() {
            let Some(entry) = reads.entry(key)? else { continue };
            // Whoever can be asked may do anything but move an approved norm.
            if authority.attendance != Attendance::Unattended && !is_approved(&entry) {
                continue;
            }
            let mut events: Vec<Event> = Vec::new();
            events.extend(reads.history(key)?.into_iter().map(|placed| placed.event));
            let was_verified = events.iter().any(verifies);
            if was_verified || is_approved(&entry) {
                guarded.entries.insert(key, Known { events, was_verified });
            }
        }
        if !guarded.entries.is_empty() {
            guarded.purged = reads.purged()?.into_iter().collect();
        }
        Ok(guarded)
    }

    /// Refuses what the events of a batch come to, where the caller may not do that.
    pub(crate) fn check(&self, batch: &[Event]) -> Result<()> {
        for (key, known) in &self.entries {
            let new: Vec<&Event> = batch.iter().filter(|event| event.entry == Some(*key)).collect();
            let gone = |hash: &EventHash| self.purged.contains(hash);
            let Some(before) = fold(&known.events, &gone) else { continue };
            let all: Vec<Event> = known.events.iter().chain(new.iter().copied()).cloned().collect();
            let after = fold(&all, &gone);
            let action =
                new.iter().find_map(|event| action(event.body.as_ref()?)).unwrap_or(EntryAction::CHANGE);
            // Whoever found it again on their own brings it back by that (REV-3).
            let is_found =
                new.iter().any(|event| matches!(event.body, Some(Body::Entry(EntryEvent::Confirmed(_)))));
            let found = effects(&before, after.as_ref());
            for effect in found.into_iter().filter(|effect| !(is_found && *effect == Effect::Returns)) {
                may(effect, &before, known.was_verified, action, &self.authority)?;
            }
        }
        Ok(())
    }
}

/// What somebody does who says something of an entry that may hide, reword or move it; none where it does nothing of the kind.
fn action(body: &Body) -> Option<EntryAction> {
    Some(match body {
        Body::Entry(EntryEvent::Archived { .. }) => EntryAction::ARCHIVE,
        Body::Entry(EntryEvent::Retracted { .. }) => EntryAction::RETRACT,
        Body::Entry(EntryEvent::Superseded { .. }) => EntryAction::SUPERSEDE,
        Body::Entry(EntryEvent::Merged(_)) => EntryAction::MERGE,
        Body::Entry(EntryEvent::Staled { .. }) => EntryAction::CALL_STALE,
        Body::Entry(EntryEvent::Restored { .. }) => EntryAction::RESTORE,
        Body::Entry(EntryEvent::Purged { .. }) => EntryAction::PURGE,
        Body::Entry(EntryEvent::Revised(_)) => EntryAction::EDIT,
        Body::Entry(EntryEvent::Reanchored { .. }) => EntryAction::ANCHOR,
        Body::Entry(EntryEvent::Added(_) | EntryEvent::Rejected(_)) => EntryAction::ADD,
        Body::Link(LinkEvent::Unlinked { .. }) => EntryAction::UNLINK,
        _ => return None,
    })
}
