//! Runs and reviews: what agents did, what they were shown, what they found.

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{Run, Runs};
use crate::ask::ask;
use crate::layout::Layout;
use crate::limits::RUNS_SHOWN;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "runs.html")]
struct RunsPage<'a> {
    layout: Layout<'a>,
    runs: Vec<Run>,
    total: usize,
    reviews: bool,
}

#[derive(Template)]
#[template(path = "run.html")]
struct RunPage<'a> {
    layout: Layout<'a>,
    run: Run,
    is_review: bool,
}

pub(crate) fn tasks(visit: &Visit<'_>) -> Page {
    runs(visit, "task list", Layout::new(visit, "/runs", "Runs"), false)
}

pub(crate) fn reviews(visit: &Visit<'_>) -> Page {
    runs(visit, "review list", Layout::new(visit, "/reviews", "Reviews"), true)
}

fn runs(visit: &Visit<'_>, verb: &str, layout: Layout<'_>, reviews: bool) -> Page {
    let open = visit.asked("open").map(|_| true);
    let Runs { items: runs, total } = ask(visit, verb, json!({"open": open, "limit": RUNS_SHOWN}))?;
    render(&RunsPage { layout, runs, total, reviews })
}

pub(crate) fn task(visit: &Visit<'_>, name: &str) -> Page {
    let mut run: Run = ask(visit, "task show", json!({"name": name}))?;
    run.findings.sort_by(|one, other| other.severity.total_cmp(&one.severity));
    let is_review = run.kind == "review";
    let layout = Layout::new(visit, if is_review { "/reviews" } else { "/runs" }, run.run.clone());
    render(&RunPage { layout, run, is_review })
}

pub(crate) fn review(visit: &Visit<'_>, name: &str) -> Page {
    let mut run: Run = ask(visit, "review show", json!({"name": name}))?;
    run.findings.sort_by(|one, other| other.severity.total_cmp(&one.severity));
    let layout = Layout::new(visit, "/reviews", run.run.clone());
    render(&RunPage { layout, run, is_review: true })
}
