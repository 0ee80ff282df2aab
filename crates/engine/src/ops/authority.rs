//! What an agent, a hook or a script may not do to a verified entry: change what it says, or hide it (COR-21).

pub use ken_core::decide::for_a_person;
use ken_core::decide::{Attendance, Authority, Effect, EntryAction, effects, may, rewords};
use ken_core::entry::revise as revise_fields;
use ken_core::{Body, Entry, EntryEvent, Fields, Intent, Refusal, Status};

use crate::error::Result;
use crate::projection::Projection;

/// Whether an entry is verified, or was before somebody changed its words.
pub fn is_or_was_verified(ledger: &dyn Projection, entry: &Entry) -> Result<bool> {
    if entry.status == Status::Verified {
        return Ok(true);
    }
    Ok(ledger.history(entry.key)?.iter().any(|placed| ken_core::entry::verifies(&placed.event)))
}

/// Why a caller may not give an entry these fields; none where they may. An append would refuse it, too: who decides about many at once asks
/// before.
pub(super) fn refuse_reword(
    ledger: &dyn Projection,
    entry: &Entry,
    after: &Fields,
    attendance: Attendance,
    who: &str,
) -> Result<Option<Refusal>> {
    let after = Entry { fields: after.clone(), ..entry.clone() };
    let authority = Authority { attendance, who: who.to_owned(), ..Authority::default() };
    let found = effects(entry, Some(&after)).into_iter();
    let mut found =
        found.filter(|effect| matches!(effect, Effect::Rewords | Effect::TakesAnchors)).peekable();
    if found.peek().is_none() || !is_or_was_verified(ledger, entry)? {
        return Ok(None);
    }
    Ok(found.find_map(|effect| may(effect, entry, true, EntryAction::EDIT, &authority).err()))
}

/// The same of what an undo would say about a verified entry: it neither rewords nor hides it, and does not take its status away.
pub(super) fn refuse_undo(
    entry: &Entry,
    intents: &[Intent],
    attendance: Attendance,
    who: &str,
) -> Option<Refusal> {
    let takes_away = |intent: &Intent| {
        if let Body::Entry(EntryEvent::Revised(revised)) = &intent.body {
            return rewords(&entry.fields, &revise_fields(entry.fields.clone(), revised));
        }
        matches!(
            &intent.body,
            Body::Entry(
                EntryEvent::Archived { .. }
                    | EntryEvent::Retracted { .. }
                    | EntryEvent::Superseded { .. }
                    | EntryEvent::Staled { .. }
                    | EntryEvent::Merged(_)
                    | EntryEvent::Restored { .. }
            )
        )
    };
    let is_asked = attendance != Attendance::Unattended || entry.status != Status::Verified;
    if is_asked || !intents.iter().any(takes_away) {
        return None;
    }
    let what = format!("undoing a change of {}, which is verified,", entry.handle());
    Some(for_a_person(&what, who))
}
