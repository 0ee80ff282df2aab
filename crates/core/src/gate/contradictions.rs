//! `knowledge.contradictions`: nobody is told to do what somebody else is told never to do.

use super::{Known, Level, Sight};
use crate::entry::Entry;
use crate::ids::EntryKey;
use crate::kinds::{Memory, Relation};
use crate::promotion::Standing;

pub(super) fn look(known: &Known<'_>) -> Vec<Sight> {
    let norms: Vec<&Entry> = known
        .entries
        .iter()
        .filter(|entry| entry.status.is_retrieved() && entry.memory() == Memory::Procedural)
        .collect();
    let in_force = |key: EntryKey| {
        known.authority.get(&key).is_some_and(|authority| authority.state == Standing::InForce)
    };
    let clashes = among(&norms)
        .into_iter()
        .filter(|(left, right, _)| known.is_changed(left) || known.is_changed(right));
    let seen = clashes.map(|(left, right, why)| {
        // What nobody has accepted binds nobody; it is told, and cannot be promoted.
        let level = match in_force(left.key) && in_force(right.key) {
            true => Level::Blocks,
            false => Level::Warns,
        };
        let message = format!("{} and {} contradict each other: {why}", left.id(), right.id());
        let hint = format!("retract or supersede one of them, or say when it does not apply: ken supersede {} ... --exception", right.id());
        Sight::of(right, level, message, hint)
    });
    seen.collect()
}

/// Every two norms that contradict each other, and why: by what they say, or because somebody tied them so.
pub fn among<'a>(norms: &[&'a Entry]) -> Vec<(&'a Entry, &'a Entry, String)> {
    let mut found = Vec::new();
    for (at, left) in norms.iter().enumerate() {
        for right in &norms[at + 1..] {
            let tied = |from: &Entry, to: &Entry| {
                from.links.iter().any(|link| link.relation == Relation::Contradicts && link.to == to.key)
            };
            if tied(left, right) || tied(right, left) {
                found.push((*left, *right, "a `contradicts` link says so".to_owned()));
            }
        }
    }
    found
}
