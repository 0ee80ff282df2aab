//! Ties between entries.

use super::{Context, about};
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
    Ok(vec![about(from, Body::Link(LinkEvent::Linked { relation, to: to.key }), context)])
}

/// Takes a tie away. A tie that is not there is not an error.
pub fn unlink(from: &Entry, relation: Relation, to: &Entry, context: &Context) -> Vec<Intent> {
    if !from.links.contains(&Link { relation, to: to.key }) {
        return Vec::new();
    }
    vec![about(from, Body::Link(LinkEvent::Unlinked { relation, to: to.key }), context)]
}
