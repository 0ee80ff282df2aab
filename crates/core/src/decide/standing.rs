//! Where an entry stands: archiving, retracting, superseding, and the way back from each.

use super::authority::{Effect, EntryAction, is_approved, may};
use super::{Context, about};
use crate::entry::{self, Entry};
use crate::event::{Body, EntryEvent, Event, Intent, LinkEvent};
use crate::flow;
use crate::kinds::{Memory, Relation, Status};
use crate::lifecycle::{self, Cause};
use crate::refusal::{Code, Refusal};

/// GAT-2: a norm that people agreed on is not moved by anybody else, in either direction.
pub fn may_move(entry: &Entry, deed: EntryAction, context: &Context) -> Result<(), Refusal> {
    if is_approved(entry) { may(Effect::Moves, entry, false, deed, &context.authority) } else { Ok(()) }
}

/// Puts an entry away, whole. Saying it twice is not an error.
pub fn archive(entry: &Entry, reason: String, context: &Context) -> Result<Vec<Intent>, Refusal> {
    if entry.status == Status::Archived {
        return Ok(Vec::new());
    }
    lifecycle::check(entry, Cause::Archive)?;
    may_move(entry, EntryAction::ARCHIVE, context)?;
    Ok(vec![about(entry, Body::Entry(EntryEvent::Archived { reason }))])
}

/// Takes an entry back. The tombstone stays, and `restore` leads back.
pub fn retract(entry: &Entry, reason: String, context: &Context) -> Result<Vec<Intent>, Refusal> {
    if entry.status == Status::Retracted {
        return Ok(Vec::new());
    }
    lifecycle::check(entry, Cause::Retract)?;
    may_move(entry, EntryAction::RETRACT, context)?;
    Ok(vec![about(entry, Body::Entry(EntryEvent::Retracted { reason }))])
}

/// Brings an entry back to where it stood.
pub fn restore(entry: &Entry, reason: String, context: &Context) -> Result<Vec<Intent>, Refusal> {
    if entry.status.is_retrieved() {
        return Ok(Vec::new());
    }
    if entry.merged_into.as_ref().is_some_and(|merged| merged.counts) {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("{} was merged into another entry, which stands for both", entry.id()),
        )
        .hint(format!("ken merge --undo {}", entry.id())));
    }
    lifecycle::check(entry, Cause::Restore)?;
    may_move(entry, EntryAction::RESTORE, context)?;
    let status = entry.standing;
    Ok(vec![about(entry, Body::Entry(EntryEvent::Restored { status, reason }))])
}

/// A person lets in what was kept out (IN-1). `statement` is how it is stated now, where its words were not in the ledger.
pub fn release(
    entry: &Entry,
    reason: String,
    words: String,
    statement: Vec<Intent>,
) -> Result<Vec<Intent>, Refusal> {
    lifecycle::check(entry, Cause::Release)?;
    let mut intents = statement;
    let words = Some(words);
    intents.push(about(entry, Body::Entry(EntryEvent::Released { reason, words })));
    Ok(intents)
}

/// Says which words the trust of older versions was about: those it has now (COR-18). Nothing where every event names them, or one did so before.
pub fn pin(entry: &Entry, events: &[Event]) -> Vec<Intent> {
    if entry.stated_in.is_none() || !entry::is_unpinned(events) {
        return Vec::new();
    }
    vec![about(entry, Body::Entry(EntryEvent::Pinned { words: entry.trusted_words() }))]
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
            .hint("change the statement: it identifies the entry"));
    }
    if new.superseded_by == Some(old.key) {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("{} is already superseded by {}", new.id(), old.id()),
        )
        .hint(format!("ken restore {} first", new.id())));
    }
    if old.status != Status::Superseded {
        lifecycle::check(old, Cause::Supersede)?;
        may_move(old, EntryAction::SUPERSEDE, context)?;
    }
    if new.memory() == Memory::Episodic && old.memory() != Memory::Episodic {
        return Err(flow::violation(format!("{} is episodic and cannot supersede {}", new.id(), old.id())));
    }
    if new.status == Status::Rejected {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("{} is quarantined, so it cannot supersede another entry", new.id()),
        )
        .hint(format!("ken quarantine release {} first, or reword it", new.id())));
    }
    let mut intents = Vec::new();
    if old.superseded_by != Some(new.key) {
        intents.push(about(old, Body::Entry(EntryEvent::Superseded { by: new.key, reason })));
    }
    let tied = new.links.iter().any(|link| link.relation == Relation::Supersedes && link.to == old.key);
    if !tied {
        intents
            .push(about(new, Body::Link(LinkEvent::Linked { relation: Relation::Supersedes, to: old.key })));
    }
    Ok(intents)
}
