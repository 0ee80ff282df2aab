//! Outcomes: how tasks and reviews went.

use std::collections::BTreeMap;

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{Outcomes, Totals};
use crate::ask::ask;
use crate::layout::Layout;
use crate::limits::{ASKED_MAX, CHARTED_MAX, OUTCOMES_SHOWN};
use crate::parts::day;
use crate::visit::Visit;

const PERIODS: &[(&str, &str)] =
    &[("7d", "week"), ("4w", "four weeks"), ("13w", "quarter"), ("all", "always")];

#[derive(Template)]
#[template(path = "outcomes.html")]
struct OutcomesPage<'a> {
    layout: Layout<'a>,
    periods: &'static [(&'static str, &'static str)],
    period: String,
    outcomes: Outcomes,
    days: Vec<Outcome>,
}

/// How the runs that started on a day went.
#[derive(Default)]
struct Outcome {
    date: String,
    succeeded: u64,
    failed: u64,
    other: u64,
}

pub(crate) fn page(visit: &Visit<'_>) -> Page {
    let layout = Layout::new(visit, "/outcomes", "Outcomes").with_charts();
    let period = visit.asked("period").unwrap_or("4w").to_owned();
    let asked = |cursor: Option<&str>| {
        ask::<Outcomes>(visit, "outcomes", json!({"period": period, "limit": ASKED_MAX, "cursor": cursor}))
    };
    let mut outcomes = asked(None)?;
    while !outcomes.cursor.is_empty() && outcomes.runs.len() < CHARTED_MAX {
        let more = asked(Some(&outcomes.cursor))?;
        outcomes.runs.extend(more.runs);
        outcomes.cursor = more.cursor;
    }
    let mut days: BTreeMap<String, Outcome> = BTreeMap::new();
    for run in &outcomes.runs {
        let one = days.entry(day(&run.started).to_owned()).or_default();
        match run.state.as_str() {
            "succeeded" => one.succeeded += 1,
            "failed" => one.failed += 1,
            _ => one.other += 1,
        }
    }
    let days = days.into_iter().map(|(date, one)| Outcome { date, ..one }).collect();
    outcomes.runs.truncate(OUTCOMES_SHOWN);
    render(&OutcomesPage { layout, periods: PERIODS, period, outcomes, days })
}

/// A share of a hundred, for people.
fn percent(part: &Option<f64>) -> String {
    part.map(|part| format!("{:.0} %", part * 100.0)).unwrap_or_else(|| "–".to_owned())
}

impl Totals {
    fn rate(&self) -> String {
        percent(&self.success_rate)
    }

    fn mean_quality(&self) -> String {
        self.quality.map(|quality| format!("{quality:.2}")).unwrap_or_else(|| "–".to_owned())
    }
}
