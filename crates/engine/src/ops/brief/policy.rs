//! UPK-6: what services have earned. A person who runs a service again and again may let it run by itself; one whose work is undone
//! should not.

use std::collections::BTreeMap;

use ken_core::belief::{Moved, Side};
use ken_core::{EntryHead, Millis, ServicedOutcome};

use super::{BriefingFacts, Severity, Sign, Task, count, limits};
use crate::error::Result;
use crate::glance::Glance;
use crate::ops::maintain::{Level, SERVICES};

/// How often a service was followed, and how often what it did was taken back.
#[derive(Default)]
struct Earned {
    followed: usize,
    undone: usize,
}

pub(super) fn earned_autonomy(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let since = Millis(known.now.0 - limits::RUNS_DAYS * 86_400_000);
    let mut of: BTreeMap<String, Earned> = BTreeMap::new();
    for said in known.ledger.serviced(since)? {
        let earned = of.entry(said.service).or_default();
        match said.outcome {
            ServicedOutcome::Ran if said.changes > 0 => earned.followed += 1,
            ServicedOutcome::Undone => earned.undone += 1,
            ServicedOutcome::Ran | ServicedOutcome::Proposed | ServicedOutcome::Refused => {}
        }
    }
    let mut signs = Vec::new();
    for service in SERVICES.iter().filter(|service| service.by_itself) {
        let Some(earned) = of.get(service.name) else { continue };
        let may = known.policy.allows(service);
        if may && earned.undone >= limits::UNDONE_MIN {
            let text = format!(
                "What {} did was undone {} times in {} days: let a person decide again.",
                service.name,
                earned.undone,
                limits::RUNS_DAYS
            );
            signs.push(said(Severity::Attention, text, less(known.policy.level), Vec::new()));
        } else if !may && earned.followed.saturating_sub(earned.undone) >= limits::FOLLOWED_MIN {
            let text = format!(
                "{} was run by hand {} times in {} days and undone {}: it could run by itself.",
                service.name,
                earned.followed,
                limits::RUNS_DAYS,
                count(earned.undone, "time", "times")
            );
            let mut allowed = known.policy.allowed.clone();
            allowed.insert(service.category.to_owned());
            let allowed: Vec<String> = allowed.into_iter().collect();
            let action = match known.policy.level {
                Level::Suggest => format!(
                    "ken config maintain.auto {} && ken config maintain.level auto_notify",
                    allowed.join(",")
                ),
                Level::AutoNotify | Level::Autonomous => {
                    format!("ken config maintain.auto {}", allowed.join(","))
                }
            };
            signs.push(said(Severity::Info, text, action, Vec::new()));
        }
    }
    if known.policy.level != Level::Suggest {
        signs.extend(doubted(known, since));
    }
    Ok(signs)
}

/// UPK-6: what services did by themselves of late is told.
pub(super) fn maintained(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    if known.policy.level == Level::Suggest {
        return Ok(Vec::new());
    }
    let since = Millis(known.now.0 - limits::NOTICE_DAYS * 86_400_000);
    let mut changes: BTreeMap<String, i64> = BTreeMap::new();
    for said in known.ledger.serviced(since)? {
        let sum = changes.entry(said.service).or_default();
        match said.outcome {
            ServicedOutcome::Ran => *sum += i64::from(said.changes),
            ServicedOutcome::Undone => *sum -= i64::from(said.changes),
            ServicedOutcome::Proposed | ServicedOutcome::Refused => {}
        }
    }
    let told: Vec<String> = changes
        .iter()
        .filter(|(_, changes)| **changes > 0)
        .map(|(service, changes)| format!("{service} {}", count(*changes as usize, "change", "changes")))
        .collect();
    if told.is_empty() {
        return Ok(Vec::new());
    }
    let text =
        format!("Services changed entries in the last {} days: {}.", limits::NOTICE_DAYS, told.join(", "));
    let action = "ken events".to_owned();
    let goal = "Look at what services changed, and take back what is wrong: `ken undo --by agent:maintain`"
        .to_owned();
    let task = Task { role: "person".to_owned(), goal };
    Ok(vec![Sign { severity: None, text, entries: Vec::new(), action, task }])
}

/// Domains in which most of what was observed lately speaks against the entries.
fn doubted(known: &BriefingFacts<'_>, since: Millis) -> Vec<Sign> {
    let since = ken_core::belief::day(since);
    let lately = |entry: &Glance, side: Side| {
        let marks = entry.record.0.iter().filter(|mark| mark.day >= since);
        marks.filter(|mark| matches!(mark.what, Moved::Observed(of, _) if of == side)).count()
    };
    let mut signs = Vec::new();
    for (label, group) in known.by_label() {
        let all = |side| group.iter().map(|at| lately(known.entries[*at], side)).sum::<usize>();
        let (good, bad) = (all(Side::For), all(Side::Against));
        if good + bad < limits::FEEDBACK_MIN || bad as f64 <= limits::FEEDBACK_AGAINST * (good + bad) as f64 {
            continue;
        }
        let against =
            group.iter().map(|at| known.entries[*at]).filter(|entry| lately(entry, Side::Against) > 0);
        let entries: Vec<EntryHead> = against.map(Glance::head).collect();
        let text = format!(
            "{bad} of {} about {label} speak against its entries: services should not work there alone.",
            count(good + bad, "observation", "observations")
        );
        signs.push(said(Severity::Attention, text, less(known.policy.level), entries));
    }
    signs
}

/// The command that leaves less to services.
fn less(level: Level) -> String {
    let word = match level {
        Level::Autonomous => Level::AutoNotify.word(),
        Level::AutoNotify | Level::Suggest => Level::Suggest.word(),
    };
    format!("ken config maintain.level {word}")
}

fn said(severity: Severity, text: String, action: String, entries: Vec<EntryHead>) -> Sign {
    let task =
        Task { role: "person".to_owned(), goal: format!("Decide whether to change the policy: `{action}`") };
    Sign { severity: Some(severity), text, entries, action, task }
}
