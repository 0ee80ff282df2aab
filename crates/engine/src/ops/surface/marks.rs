//! What a reader must know of an entry that is handed over: how it ended, what it does not cover, where it came from (SUR-4, SUR-8).

use std::collections::BTreeSet;

use ken_core::Type;
use ken_core::kinds::{Polarity, SpikeOutcome};
use ken_recall::terms;

use crate::ports::Hit;
use crate::view;

/// What every task says and no experiment is about, stemmed.
const FILLERS: &[&str] = &[
    "add",
    "build",
    "chang",
    "creat",
    "fix",
    "get",
    "handl",
    "implement",
    "improv",
    "let",
    "make",
    "need",
    "put",
    "set",
    "use",
    "want",
    "work",
    "write",
];

/// The words of a task that carry it: form and how it was written.
pub(super) fn asked_for(task: &str) -> Vec<(String, String)> {
    let mut wanted: Vec<(String, String)> = Vec::new();
    for written in task.split_whitespace() {
        for word in terms::words(written).into_iter().take(1) {
            if word.form.chars().count() > 2
                && !FILLERS.contains(&word.form.as_str())
                && wanted.iter().all(|(form, _)| *form != word.form)
            {
                wanted.push((word.form, written.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()));
            }
        }
    }
    wanted
}

fn forms(text: &str) -> BTreeSet<String> {
    terms::words(text).into_iter().map(|word| word.form).collect()
}

/// What a reader must know of each entry.
pub(super) fn marks(hits: &[Hit], wanted: &[(String, String)]) -> Vec<Vec<String>> {
    let spikes: Vec<&Hit> =
        hits.iter().filter(|hit| hit.stored.entry.kind.known() == Some(Type::Spike)).take(3).collect();
    let covers = |hit: &Hit| -> BTreeSet<String> {
        let all = forms(&crate::text::words_of(&hit.stored.entry));
        wanted.iter().filter(|(form, _)| all.contains(form)).map(|(form, _)| form.clone()).collect()
    };
    let composite = composite_of(&spikes, wanted.len(), &covers);
    hits.iter()
        .map(|hit| {
            let fields = &hit.stored.entry.fields;
            let mut marks = Vec::new();
            let is_spike = hit.stored.entry.kind.known() == Some(Type::Spike);
            if is_spike {
                marks.push(match fields.outcome {
                    Some(SpikeOutcome::Confirmed) => "confirmed by experiment: high confidence".to_owned(),
                    Some(SpikeOutcome::Rejected) => "rejected by experiment: do not repeat it, high confidence".to_owned(),
                    Some(SpikeOutcome::Partial) => "partly confirmed: medium confidence".to_owned(),
                    Some(SpikeOutcome::Inconclusive) => "inconclusive: low confidence".to_owned(),
                    None => "no outcome recorded: low confidence".to_owned(),
                });
                marks.push(
                    "adopt if technology, constraints and scale are the same and nothing significant changed since; cite it and say why".to_owned(),
                );
                let claim = forms(&format!("{} {}", fields.title(), fields.statement()));
                let covered = covers(hit);
                let in_claim = covered.iter().filter(|form| claim.contains(*form)).count();
                if !covered.is_empty() && in_claim * 2 < covered.len() {
                    marks.push("incidental: not the question of the experiment, lower confidence".to_owned());
                }
                if let Some(ids) = &composite {
                    marks.push(format!("composite from {ids}, not directly tested as a unit"));
                }
                let gap: Vec<&str> = wanted
                    .iter()
                    .filter(|(form, _)| !covered.contains(form))
                    .map(|(_, written)| written.as_str())
                    .collect();
                if !gap.is_empty() && gap.len() < wanted.len() && wanted.len() >= 2 {
                    marks.push(format!("partial match: says nothing of {}", gap.join(", ")));
                }
            }
            let failed = fields.outcome == Some(SpikeOutcome::Rejected)
                || fields.subtype.as_deref() == Some("anti_pattern")
                || (fields.polarity == Some(Polarity::Negative) && fields.subtype.as_deref() == Some("trajectory"));
            if failed {
                marks.push("from failed work".to_owned());
            }
            if hit.stored.entry.kind.known() == Some(Type::FalsePositive) {
                marks.push("known false positive".to_owned());
            }
            marks
        })
        .collect()
}

/// The spikes that answer together what none of them answers alone (SUR-8).
fn composite_of(spikes: &[&Hit], wanted: usize, covers: &dyn Fn(&Hit) -> BTreeSet<String>) -> Option<String> {
    if spikes.len() < 2 || wanted < 2 {
        return None;
    }
    let each: Vec<BTreeSet<String>> = spikes.iter().map(|hit| covers(hit)).collect();
    let best = each.iter().map(BTreeSet::len).max().unwrap_or(0);
    let together: BTreeSet<&String> = each.iter().flatten().collect();
    let adds = each.iter().filter(|own| !own.is_empty()).count() >= 2;
    (adds && together.len() > best).then(|| {
        let ids: Vec<String> = spikes.iter().map(|hit| view::handle(&hit.stored)).collect();
        ids.join(", ")
    })
}
