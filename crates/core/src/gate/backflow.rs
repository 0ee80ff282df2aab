//! `episodic.no_backflow`: norms and promoted records have an approved promotion.

use std::collections::BTreeMap;

use super::{GateFacts, Level, Moved, Sight};
use crate::flow::{self, Origins, Stated};
use crate::ids::EntryKey;
use crate::kinds::Memory;
use crate::promotion::Standing;

pub(super) fn look(known: &GateFacts<'_>) -> Vec<Sight> {
    let mut seen: Vec<Sight> = known.moved.iter().map(moved).collect();
    for entry in known.judged().filter(|entry| entry.memory() != Memory::Episodic) {
        if entry.kind.known().is_none() || known.is_in_force(entry) {
            continue;
        }
        let authority = known.authority.get(&entry.key);
        let id = entry.id();
        if let Some(why) = known.backflow.get(&entry.key) {
            let message = format!("directional flow violation: {id} has no approved promotion, and {why}");
            let hint = format!(
                "retract {id} and propose it with ken promote propose, so that a person can approve it"
            );
            seen.push(Sight::new(entry, Level::Blocks, message, hint));
            continue;
        }
        let void = authority.filter(|authority| authority.state == Standing::Void);
        if let Some(void) = void {
            // Where nobody may approve yet, people look at the first change that says who may.
            let (level, message) = match known.unjudged {
                true => (
                    Level::Warns,
                    format!("{id} was approved before there were approvers; review it yourself"),
                ),
                false => {
                    (Level::Blocks, format!("directional flow violation: {id} is not in force: {}", void.why))
                }
            };
            let hint = format!(
                "a current approver must approve it again: ken promote {id} --to procedural --reason '...'"
            );
            seen.push(Sight::new(entry, level, message, hint));
        }
    }
    seen
}

/// What flowed the wrong way, of the entries that this gate looks at: each with why. It is looked up before the gates look.
pub fn backflow<O: Origins>(
    known: &GateFacts<'_>,
    origins: &O,
) -> Result<BTreeMap<EntryKey, String>, O::Error> {
    let mut found = BTreeMap::new();
    for entry in known.judged().filter(|entry| entry.memory() != Memory::Episodic) {
        let Some(kind) = entry.kind.known().filter(|_| !known.is_in_force(entry)) else { continue };
        let stated = Stated {
            kind,
            at: Some((entry.created, entry.origin)),
            fields: &entry.fields,
            citations: entry.evidence().collect(),
            links: entry.links.iter().map(|link| (link.relation, link.to)).collect(),
        };
        if let Some(why) = flow::backflow(&stated, origins)? {
            found.insert(entry.key, why);
        }
    }
    Ok(found)
}

fn moved(moved: &Moved) -> Sight {
    let Moved { entry, id, how, by_right } = moved;
    let (level, message) = match by_right {
        true => (
            Level::Warns,
            format!("{id}, a norm in force, is {how}; this change is still checked against it"),
        ),
        false => (Level::Blocks, format!("directional flow violation: {id}, an approved norm, is {how}")),
    };
    let hint = "an approver must do that in a change of their own: ken retract, ken restore, ken supersede"
        .to_owned();
    Sight { level, entry: Some(*entry), at: None, message, hint }
}
