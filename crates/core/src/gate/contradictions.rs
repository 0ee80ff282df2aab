//! `knowledge.contradictions`: nobody is told to do what somebody else is told never to do.

use std::collections::BTreeMap;

use super::{GateFacts, Level, Sight};
use crate::contradiction::{self, Norm};
use crate::entry::Entry;
use crate::ids::EntryKey;
use crate::kinds::{Memory, Relation};
use crate::promotion::Standing;

pub(super) fn look(known: &GateFacts<'_>) -> Vec<Sight> {
    let in_force = |key: EntryKey| {
        known.authority.get(&key).is_some_and(|authority| authority.state == Standing::InForce)
    };
    let mut norms: Vec<&Entry> = known
        .entries
        .iter()
        .filter(|entry| entry.status.is_retrieved() && entry.memory() == Memory::Procedural)
        .collect();
    // Of very many with the same words only the first are compared: what binds comes first.
    norms.sort_by_key(|norm| !in_force(norm.key));
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
        let hint = format!(
            "retract or supersede one of them, or add an exception: ken supersede {} ... --exception",
            right.id()
        );
        Sight::new(right, level, message, hint)
    });
    seen.collect()
}

/// Every two norms that contradict each other, and why: by what they say, or because somebody tied them so.
pub fn among<'a>(norms: &[&'a Entry]) -> Vec<(&'a Entry, &'a Entry, String)> {
    let at: BTreeMap<EntryKey, usize> = norms.iter().enumerate().map(|(at, norm)| (norm.key, at)).collect();
    let mut found: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (one, norm) in norms.iter().enumerate() {
        let tied = norm.links.iter().filter(|link| link.relation == Relation::Contradicts);
        for other in tied.filter_map(|link| at.get(&link.to)).filter(|other| **other != one) {
            found.insert((one.min(*other), one.max(*other)), "a `contradicts` link says so".to_owned());
        }
    }
    let texts: Vec<(String, String, String)> = norms
        .iter()
        .map(|norm| (norm.id(), norm.fields.statement().into_owned(), norm.fields.scope_key()))
        .collect();
    let compared: Vec<Norm<'_>> = norms
        .iter()
        .zip(&texts)
        .map(|(norm, (id, rule, scope))| Norm {
            id,
            kind: norm.kind.known(),
            rule,
            subject: norm.fields.subject.as_deref(),
            merge_key: norm.fields.merge_key.as_deref(),
            enforcement: norm.fields.enforcement.as_ref(),
            exceptions: &norm.fields.exceptions,
            scope,
        })
        .collect();
    for (one, other, contradiction) in contradiction::among(&compared) {
        found.insert((one, other), contradiction.why);
    }
    found.into_iter().map(|((one, other), why)| (norms[one], norms[other], why)).collect()
}
