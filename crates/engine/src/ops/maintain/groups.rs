//! OUT-6 and UPK-4: entries that are used together, and groups of them that one entry could sum up.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ken_core::{EntryHead, EntryKey, Relation, belief};

use super::{Deed, Distillation, Facts, Found, Step};
use crate::error::Result;
use crate::glance::Glance;
use crate::limits::ops_maintain::{DISTILLED_EDGE, DISTILLED_ENTRIES_MIN, DISTILLED_MEAN, PAIRS_TOLD_MAX};
use crate::ops::add::SummaryStart;
use crate::ops::brief::Task;
use crate::together::{groups, ties, used_together};

/// How much each two entries weigh that successful runs used together.
fn weighed(facts: &Facts<'_>) -> Result<BTreeMap<(EntryKey, EntryKey), f64>> {
    let live: BTreeSet<EntryKey> =
        facts.tended().filter(|glance| glance.status.is_retrieved()).map(|glance| glance.key).collect();
    let used = used_together(facts.ledger, |key| live.contains(key))?;
    ties(facts.ledger, &used, facts.now)
}

pub(super) fn cooccurrence(facts: &mut Facts<'_>) -> Result<Found> {
    let mut pairs: Vec<((EntryKey, EntryKey), f64)> = weighed(facts)?.into_iter().collect();
    pairs.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    pairs.truncate(PAIRS_TOLD_MAX);
    let left = pairs.into_iter().filter_map(|((one, other), weight)| {
        let (one, other) = (facts.glance(one)?, facts.glance(other)?);
        let text = format!("{} and {} are used together (weight {weight:.2})", one.handle, other.handle);
        Some(Deed::new(text, vec![one.head(), other.head()], format!("ken show {} --exposures", one.handle)))
    });
    Ok(Found { steps: Vec::new(), left: left.collect() })
}

/// Groups whose entries are tied by more than an edge's weight, and by more than that on average.
pub(super) fn distill(facts: &mut Facts<'_>) -> Result<Found> {
    let mut edges = weighed(facts)?;
    edges.retain(|_, weight| *weight > DISTILLED_EDGE);
    let groups = groups(edges.keys());
    let of: HashMap<EntryKey, usize> =
        groups.iter().enumerate().flat_map(|(at, group)| group.iter().map(move |key| (*key, at))).collect();
    let mut sums = vec![(0.0, 0usize); groups.len()];
    for ((a, _), weight) in &edges {
        let (sum, number) = &mut sums[of[a]];
        *sum += weight;
        *number += 1;
    }
    let (mut steps, mut left) = (Vec::new(), Vec::new());
    for (group, (sum, number)) in groups.into_iter().zip(sums) {
        let mean = sum / number as f64;
        if group.len() < DISTILLED_ENTRIES_MIN || mean <= DISTILLED_MEAN {
            continue;
        }
        if is_distilled(facts, &group)? {
            continue;
        }
        let glances: Vec<&Glance> = group.iter().filter_map(|key| facts.glance(*key)).collect();
        let entries: Vec<EntryHead> = glances.iter().map(|glance| glance.head()).collect();
        let names: Vec<&str> = entries.iter().map(|entry| entry.handle.as_str()).collect();
        let text = format!(
            "{} entries are used together (mean weight {mean:.2}): one entry could sum them up",
            entries.len()
        );
        let today = belief::day(facts.now);
        let alpha = belief::distilled_alpha(glances.iter().map(|glance| glance.belief(today).now.alpha));
        let mut statements = Vec::new();
        let (mut domains, mut evidence) = (BTreeSet::new(), BTreeMap::new());
        for key in &group {
            let Some(entry) = facts.ledger.entry(*key)? else { continue };
            statements.push(entry.fields.statement().into_owned());
            domains.extend(entry.whole_domains().iter().cloned());
            for citation in entry.evidence() {
                let named = (citation.evidence_type, citation.evidence_ref.clone());
                evidence.entry(named).or_insert_with(|| citation.clone());
            }
        }
        if let Some(ruling) = facts.judge.distil(&statements)? {
            let text = format!("{text}: {:?} ({})", ruling.answer.title, ruling.reason);
            let sources = group.iter().copied().collect();
            let start = SummaryStart { alpha, cluster_weight: (mean * 1000.0).round() as u32 };
            let distilled = Some(ruling.answer.clone());
            let deed = Deed::new(text, entries.clone(), format!("ken show {}", names.join(" ")));
            let evidence = evidence.into_values().collect();
            let made = Distillation { distilled: ruling.answer, sources, start, domains, evidence };
            steps.push((Step::Distil(made), Deed { distilled, ..deed }));
            continue;
        }
        let goal = format!(
            "Read {} and add one entry that says what they have in common; link it with derived_from to each",
            names.join(", ")
        );
        let task = Some(Task { role: "archivist".to_owned(), goal });
        let action = format!("ken show {}", names.join(" "));
        left.push(Deed { task, ..Deed::new(text, entries, action) });
    }
    Ok(Found { steps, left })
}

/// Whether one entry was made of all of a group already.
fn is_distilled(facts: &Facts<'_>, group: &BTreeSet<EntryKey>) -> Result<bool> {
    let mut made: Option<BTreeSet<EntryKey>> = None;
    for key in group {
        let tied = facts.ledger.tied_to(*key)?.into_iter();
        let from = tied.filter(|(relation, _)| *relation == Relation::DerivedFrom).map(|(_, by)| by);
        let from: BTreeSet<EntryKey> = match made {
            None => from.collect(),
            Some(made) => from.filter(|by| made.contains(by)).collect(),
        };
        if from.is_empty() {
            return Ok(false);
        }
        made = Some(from);
    }
    Ok(made.is_some())
}
