//! Home: how the store stands, what waits, what broke.

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{Brief, Check, Day, Log, Status};
use crate::ask::ask;
use crate::layout::{Layout, Notice};
use crate::limits::{DAYS, DAYS_PER_BAR};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    layout: Layout<'a>,
    status: Status,
    brief: Brief,
    changed: Check,
    /// The code that differs from the last commit was compared.
    compared: bool,
    /// What waits elsewhere: approvals and the quarantine.
    others: u64,
    /// Entries that differ from the last commit.
    uncommitted: u64,
    activity: Vec<Day>,
}

pub(crate) fn page(visit: &Visit<'_>, notice: Option<Notice>) -> Page {
    let layout = Layout::new(visit, "/", "Home").noting(notice).with_charts();
    let status: Status = ask(visit, "status", json!({}))?;
    let (mut brief, mut changed, mut log) = (Brief::default(), Check::default(), Log::default());
    if status.holds.is_some() {
        brief = ask(visit, "brief", json!({}))?;
        if visit.wants("changed") {
            changed = ask(visit, "check", json!({"changed": true, "fail_on": "never"})).unwrap_or_default();
            changed.entries.retain(|entry| entry.verdict != "fresh" && entry.verdict != "unverifiable");
        }
        log = ask(visit, "log", json!({"daily": DAYS}))?;
    }
    let waiting = &status.waiting;
    let others = waiting.approvals + waiting.rejected;
    let uncommitted = status.uncommitted.iter().map(|one| one.added + one.changed + one.removed).sum();
    render(&Home {
        layout,
        others,
        uncommitted,
        activity: weeks(&log.days),
        compared: visit.wants("changed"),
        brief,
        changed,
        status,
    })
}

/// Days in sums of a week, named by their first day.
fn weeks(days: &[Day]) -> Vec<Day> {
    let weeks = days.chunks(DAYS_PER_BAR).map(|week| Day {
        date: week[0].date.clone(),
        added: week.iter().map(|day| day.added).sum(),
        changed: week.iter().map(|day| day.changed).sum(),
        runs: week.iter().map(|day| day.runs).sum(),
    });
    let weeks: Vec<Day> = weeks.collect();
    match weeks.iter().any(|week| week.added + week.changed + week.runs > 0) {
        true => weeks,
        false => Vec::new(),
    }
}
