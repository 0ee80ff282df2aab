//! Where an entry stands: archiving, retracting, superseding, and the way back from each.

use super::{Context, about};
use crate::entry::Entry;
use crate::event::{Body, EntryEvent, Intent, LinkEvent};
use crate::kinds::{Relation, Status};
use crate::refusal::{Code, Refusal};

/// Puts an entry away, whole. Saying it twice is not an error.
pub fn archive(entry: &Entry, reason: String, context: &Context) -> Vec<Intent> {
    if entry.status == Status::Archived {
        return Vec::new();
    }
    vec![about(entry, Body::Entry(EntryEvent::Archived { reason }), context)]
}

/// Takes an entry back. The tombstone stays, and `restore` leads back.
pub fn retract(entry: &Entry, reason: String, context: &Context) -> Vec<Intent> {
    if entry.status == Status::Retracted {
        return Vec::new();
    }
    vec![about(entry, Body::Entry(EntryEvent::Retracted { reason }), context)]
}

/// Brings an entry back to where it stood.
pub fn restore(entry: &Entry, reason: String, context: &Context) -> Result<Vec<Intent>, Refusal> {
    match entry.status {
        Status::Candidate | Status::Active | Status::Verified => Ok(Vec::new()),
        Status::Archived | Status::Retracted | Status::Superseded | Status::Stale => {
            let status = entry.standing;
            Ok(vec![about(entry, Body::Entry(EntryEvent::Restored { status, reason }), context)])
        }
        Status::Rejected => Err(Refusal::new(
            Code::NotAllowed,
            format!("{} was rejected on its way in; only a person's release brings it back", entry.id()),
        )),
    }
}

/// Replaces one entry by another, with a link both ways (ENT-6).
pub fn supersede(
    old: &Entry,
    new: &Entry,
    reason: String,
    context: &Context,
) -> Result<Vec<Intent>, Refusal> {
    if old.key == new.key {
        return Err(Refusal::new(Code::NotAllowed, format!("{} cannot supersede itself", old.id()))
            .hint("say something else: the statement decides which entry it is"));
    }
    if new.superseded_by == Some(old.key) {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("{} is already superseded by {}", new.id(), old.id()),
        )
        .hint(format!("ken restore {} first", new.id())));
    }
    let mut intents = Vec::new();
    if old.superseded_by != Some(new.key) {
        intents.push(about(old, Body::Entry(EntryEvent::Superseded { by: new.key, reason }), context));
    }
    let tied = new.links.iter().any(|link| link.relation == Relation::Supersedes && link.to == old.key);
    if !tied {
        intents.push(about(
            new,
            Body::Link(LinkEvent::Linked { relation: Relation::Supersedes, to: old.key }),
            context,
        ));
    }
    Ok(intents)
}
