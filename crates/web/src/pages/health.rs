//! Health: the thresholds of a store, and what it is made of.

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{Health, HealthReview};
use crate::ask::ask;
use crate::layout::{Layout, Notice};
use crate::parts::shown;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "health.html")]
struct HealthPage<'a> {
    layout: Layout<'a>,
    health: Health,
    review: HealthReview,
    thresholds: Vec<Line>,
    types: Vec<Kind>,
}

struct Line {
    about: String,
    setting: String,
    value: f64,
    limit: f64,
    tripped: bool,
    entries: Vec<String>,
    more: u64,
    actions: Vec<String>,
}

/// How many entries of a type there are, in use and not.
struct Kind {
    memory: String,
    kind: String,
    in_use: u64,
    other: u64,
}

pub(crate) fn page(visit: &Visit<'_>, notice: Option<Notice>) -> Page {
    let layout = Layout::new(visit, "/health", "Health").noting(notice).with_charts();
    let health: Health = ask(visit, "health report", json!({}))?;
    let mut review: HealthReview = ask(visit, "health review", json!({}))?;
    let name = |value: &serde_json::Value| match value.get("id") {
        Some(id) => shown(id),
        None => shown(value),
    };
    let line = |threshold: crate::answers::Threshold| Line {
        entries: threshold.entries.iter().map(name).collect(),
        actions: threshold.actions.iter().map(shown).collect(),
        about: threshold.about,
        setting: threshold.setting,
        value: threshold.value,
        limit: threshold.limit,
        tripped: threshold.tripped,
        more: threshold.more,
    };
    let thresholds = std::mem::take(&mut review.thresholds).into_iter().map(line).collect();
    let mut types: Vec<Kind> = Vec::new();
    for counted in &health.counts.by {
        let in_use = matches!(counted.status.as_str(), "candidate" | "active" | "verified");
        if !types.last().is_some_and(|last| last.kind == counted.kind && last.memory == counted.memory) {
            let (memory, kind) = (counted.memory.clone(), counted.kind.clone());
            types.push(Kind { memory, kind, in_use: 0, other: 0 });
        }
        if let Some(last) = types.last_mut() {
            match in_use {
                true => last.in_use += counted.count,
                false => last.other += counted.count,
            }
        }
    }
    render(&HealthPage { layout, health, review, thresholds, types })
}
