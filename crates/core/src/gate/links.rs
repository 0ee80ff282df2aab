//! `knowledge.links`: what an entry points to is there.

use super::{GateFacts, Level, Sight};
use crate::kinds::{Relation, Status};

pub(super) fn look(known: &GateFacts<'_>) -> Vec<Sight> {
    let mut seen = Vec::new();
    for entry in known.judged() {
        for link in &entry.links {
            let why = match known.standing.get(&link.to) {
                None => format!("{} {} {}, which does not exist", entry.id(), link.relation, link.to),
                // To say what it replaced, or what it was made from, is still right when that is gone.
                Some(_) if matches!(link.relation, Relation::Supersedes | Relation::DerivedFrom) => continue,
                Some((other, Status::Retracted)) => {
                    format!("{} {} {other}, which was retracted", entry.id(), link.relation)
                }
                Some((other, Status::Rejected)) => {
                    format!("{} {} {other}, which is quarantined", entry.id(), link.relation)
                }
                Some(_) => continue,
            };
            let hint = format!("ken link {} {} {} --remove", entry.id(), link.relation, link.to);
            seen.push(Sight::new(entry, Level::Warns, why, hint));
        }
    }
    seen
}
