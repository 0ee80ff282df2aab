//! Ties between entries.

use super::add::{different, is_comparable, thousandths};
use super::authority::EntryAction;
use super::pair::{is_settled, pairs};
use super::standing::may_move;
use super::{Bounds, Context, NearEntry, about};
use crate::entry::{Entry, Link};
use crate::event::{Body, Intent, LinkEvent};
use crate::kinds::Relation;
use crate::refusal::{Code, Refusal};

/// Ties one entry to another. Saying it twice is not an error.
pub fn link(from: &Entry, relation: Relation, to: &Entry, context: &Context) -> Result<Vec<Intent>, Refusal> {
    if from.key == to.key {
        return Err(Refusal::new(Code::NotAllowed, format!("{} cannot be linked to itself", from.id())));
    }
    if from.links.contains(&Link { relation, to: to.key }) {
        return Ok(Vec::new());
    }
    // An entry that supersedes its own successor is in use again, and that is what `restore` asks about.
    if relation == Relation::Supersedes && from.superseded_by == Some(to.key) {
        let (from, to) = (from.id(), to.id());
        return Err(Refusal::new(Code::NotAllowed, format!("{from} is superseded by {to}"))
            .hint(format!("ken restore {from} first")));
    }
    // Two norms in force that are said to contradict each other block everybody (GAT-1).
    if relation == Relation::Contradicts {
        may_move(from, EntryAction::LINK, context)?;
        may_move(to, EntryAction::LINK, context)?;
    }
    Ok(vec![about(from, Body::Link(LinkEvent::Linked { relation, to: to.key }))])
}

/// Takes a tie away. A tie that is not there is not an error.
pub fn unlink(from: &Entry, relation: Relation, to: &Entry) -> Vec<Intent> {
    if !from.links.contains(&Link { relation, to: to.key }) {
        return Vec::new();
    }
    vec![about(from, Body::Link(LinkEvent::Unlinked { relation, to: to.key }))]
}

/// Notes the entries that seem to say what this one says, or the opposite: of two the newer points to the older, once, and nothing else changes
/// (IN-6, COR-27).
///
/// For an entry whose meaning was not known when it came in. Its writer would have been told of what is noted here.
pub fn propose(entry: &Entry, mut near: Vec<NearEntry>, bounds: Bounds) -> Vec<Intent> {
    let Some(kind) = entry.kind.known().filter(|_| entry.status.is_retrieved()) else { return Vec::new() };
    near.retain(|near| near.entry.key != entry.key && !know_each_other(entry, &near.entry));
    let open = pairs(kind, &entry.fields, &near, bounds).into_iter().filter(|(_, pair)| pair.is_open());
    open.map(|(NearEntry { entry: other, cosine }, _)| {
        let age = |entry: &Entry| (entry.created, entry.key);
        let (newer, older) = if age(entry) < age(other) { (other, entry) } else { (entry, other) };
        let body = LinkEvent::Proposed { to: older.key, similarity: thousandths(*cosine) };
        about(newer, Body::Link(body))
    })
    .collect()
}

/// Notes that the newer of two entries seems to say what the older says, once.
pub fn propose_pair(newer: &Entry, older: &Entry, similarity: u32) -> Vec<Intent> {
    if know_each_other(newer, older) {
        return Vec::new();
    }
    vec![about(newer, Body::Link(LinkEvent::Proposed { to: older.key, similarity }))]
}

/// Whether two entries could be one: of one kind and reach, with nothing that keeps their claims apart, and nobody said that they are not.
pub fn may_be_one(one: &Entry, other: &Entry) -> bool {
    one.kind.known().is_some_and(|kind| is_comparable(kind, &one.fields, other))
        && !is_settled(one, other)
        && different(&one.fields, &other.fields).is_empty()
}

/// Says that two entries which seemed to be one are not. Saying it twice is not an error.
pub fn dismiss(entry: &Entry, other: &Entry, reason: &str) -> Vec<Intent> {
    if entry.unlike.contains(&other.key) {
        return Vec::new();
    }
    vec![about(entry, Body::Link(LinkEvent::Dismissed { to: other.key, reason: reason.to_owned() }))]
}

/// Whether it was said before how two entries relate, by whichever of them.
fn know_each_other(one: &Entry, other: &Entry) -> bool {
    let knows = |from: &Entry, to: &Entry| {
        from.similar_to.contains_key(&to.key) || from.links.iter().any(|link| link.to == to.key)
    };
    knows(one, other) || knows(other, one)
}
