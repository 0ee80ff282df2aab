//! Rules about other instances: how far they can be trusted, and what only they know.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::EntryHead;
use ken_core::trust::Trust;

use super::{BriefingFacts, Sign, Task, count, limits};
use crate::error::Result;
use crate::glance::Glance;

/// Instances whose entries failed here. One of which nothing was seen yet is not spoken of: its trust is low, and did not drop.
pub(super) fn trust_drop(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let mut of: BTreeMap<&str, Vec<&Glance>> = BTreeMap::new();
    for entry in &known.all {
        if let Some(peer) = entry.peer.as_deref() {
            of.entry(peer).or_default().push(entry);
        }
    }
    let mut signs = Vec::new();
    for (peer, entries) in of {
        let trust = Trust::on(known.today(), entries.iter().flat_map(|entry| &entry.record.0));
        if trust.failed == 0 || trust.score() >= limits::TRUST_LOW {
            continue;
        }
        let text = format!(
            "Trust in the instance {peer} is {:.0} %: {} for its entries, {} against.",
            trust.score() * 100.0,
            count(trust.succeeded, "observation", "observations"),
            trust.failed
        );
        let failed: Vec<EntryHead> =
            entries.iter().filter(|entry| failed(entry)).map(|entry| entry.head()).collect();
        let goal = format!("Check the entries from {peer} against this project; confirm or retract each");
        signs.push(Sign {
            severity: None,
            text,
            action: format!("ken why --belief {}", failed[0].handle),
            entries: failed,
            task: Task::research(goal),
        });
    }
    Ok(signs)
}

fn failed(entry: &Glance) -> bool {
    Trust::on(i32::MAX, &entry.record.0).failed > 0
}

/// Domains of which only other instances have said anything.
pub(super) fn inbound(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let mut signs = Vec::new();
    for (label, group) in known.by_label() {
        if !group.iter().all(|at| known.entries[*at].peer.is_some()) {
            continue;
        }
        let peers: BTreeSet<&str> =
            group.iter().filter_map(|at| known.entries[*at].peer.as_deref()).collect();
        let entries: Vec<EntryHead> = group.iter().map(|at| known.entries[*at].head()).collect();
        let from = peers.into_iter().collect::<Vec<_>>().join(", ");
        signs.push(Sign {
            severity: None,
            text: format!("All entries about {label} come from other instances: {from}."),
            action: format!("ken confirm {}", entries[0].handle),
            entries,
            task: Task::research(format!(
                "Check what is said about {label} against this project, and confirm what holds"
            )),
        });
    }
    Ok(signs)
}
