//! Drift: what nobody keeps up, by reviewer, and how all entries stand by the code.

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{Drift, DriftSignals, Named};
use crate::ask::ask;
use crate::layout::{Layout, Notice};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "drift.html")]
struct DriftPage<'a> {
    layout: Layout<'a>,
    drift: Drift,
    groups: Vec<Group>,
    prunable: usize,
}

/// A reviewer, or the whole store, with what was found there.
struct Group {
    name: String,
    entries: u64,
    recommendation: String,
    signals: Vec<(&'static str, Vec<Named>)>,
}

pub(crate) fn page(visit: &Visit<'_>, notice: Option<Notice>) -> Page {
    let layout = Layout::new(visit, "/drift", "Drift").noting(notice).with_charts();
    let drift: Drift = ask(visit, "drift", json!({"reviewer": visit.asked("reviewer")}))?;
    let mut prunable = 0;
    let mut groups = Vec::new();
    if let Some(store) = &drift.store {
        prunable = store.signals.stale.len() + store.signals.orphaned.len();
        groups.push(Group {
            name: "The whole store".to_owned(),
            entries: store.entries,
            recommendation: store.recommendation.clone(),
            signals: signals(&store.signals),
        });
    }
    groups.extend(drift.reviewers.iter().map(|reviewer| Group {
        name: reviewer.reviewer.clone(),
        entries: reviewer.entries,
        recommendation: reviewer.recommendation.clone(),
        signals: signals(&reviewer.signals),
    }));
    render(&DriftPage { layout, drift, groups, prunable })
}

fn signals(found: &DriftSignals) -> Vec<(&'static str, Vec<Named>)> {
    let all = [
        ("broken", &found.broken),
        ("drifted", &found.drifted),
        ("contradictory", &found.contradictory),
        ("orphaned", &found.orphaned),
        ("stale", &found.stale),
        ("bloated", &found.bloated),
    ];
    all.into_iter()
        .filter(|(_, entries)| !entries.is_empty())
        .map(|(name, entries)| (name, entries.clone()))
        .collect()
}
