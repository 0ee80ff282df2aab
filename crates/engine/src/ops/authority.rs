//! What an agent, a hook or a script may not do to a verified entry: change what it says, or hide it (COR-21).

use ken_core::decide::rewords;
use ken_core::entry::revise as revise_fields;
use ken_core::{Anchor, Body, Code, Entry, EntryEvent, Fields, Intent, Refusal, Status};

use crate::caller::Attendance;
use crate::error::Result;
use crate::projection::Projection;

/// Whether an entry is verified, or was before somebody changed its words.
pub fn is_or_was_verified(ledger: &dyn Projection, entry: &Entry) -> Result<bool> {
    if entry.status == Status::Verified {
        return Ok(true);
    }
    Ok(ledger.history(entry.key)?.iter().any(|placed| ken_core::entry::verifies(&placed.event)))
}

/// Why a caller may not give an entry these fields; none where they may. Every way to reword an entry passes here.
pub(super) fn refuse_reword(
    ledger: &dyn Projection,
    entry: &Entry,
    after: &Fields,
    attendance: Attendance,
    who: &str,
) -> Result<Option<Refusal>> {
    let (rewords, loses_anchors) = (rewords(&entry.fields, after), loses_anchors(&entry.fields, after));
    let is_asked = attendance != Attendance::Unattended || !(rewords || loses_anchors);
    if is_asked || !is_or_was_verified(ledger, entry)? {
        return Ok(None);
    }
    let id = entry.handle();
    if !rewords {
        let refusal =
            for_a_person(&format!("taking all anchors away from {id}, which is or was verified,"), who);
        let hint =
            "you may add anchors, and replace them one by one; all of them are for a person to take away";
        return Ok(Some(if who.starts_with("human:") { refusal } else { refusal.hint(hint) }));
    }
    let refusal = for_a_person(&format!("rewording {id}, which is or was verified,"), who);
    Ok(Some(match who.starts_with("human:") {
        true => refusal,
        false => refusal.hint(format!(
            "add what you found as an entry of its own and `ken link NEW contradicts {id}`; a person decides"
        )),
    }))
}

/// Whether nothing is left of the places that an entry is held against. Of a single one it may be another.
fn loses_anchors(before: &Fields, after: &Fields) -> bool {
    let is_kept = |anchor: &Anchor| after.anchors.iter().any(|other| other.at == anchor.at);
    match before.anchors.as_slice() {
        [] => false,
        [_] => after.anchors.is_empty(),
        several => !several.iter().any(is_kept),
    }
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

/// What somebody is told who asks for what only a person does, and is none or cannot be asked.
pub fn for_a_person(what: &str, who: &str) -> Refusal {
    let (message, hint) = match who.starts_with("human:") {
        true => (
            format!("{what} requires confirmation by a person in a terminal, and this is not a terminal"),
            "run it in your own terminal",
        ),
        false => (
            format!("{what} requires a person, and you are {who}"),
            "ask a person to run it in their terminal",
        ),
    };
    Refusal::new(Code::NotAllowed, message).hint(hint).confirm(what)
}
