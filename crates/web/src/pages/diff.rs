//! Memory CI of a diff: which entries a change adds, changes and removes, which it breaks, and what the gates say.

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{Change, Check, Diff, Gate, Listed};
use crate::ask::ask;
use crate::layout::Layout;
use crate::limits::ROWS_MAX;
use crate::visit::{Problem, Visit};
use crate::words::{self, Stretch};

#[derive(Template)]
#[template(path = "diff.html")]
struct DiffPage<'a> {
    layout: Layout<'a>,
    range: String,
    groups: Vec<Group>,
    problem: Option<Problem>,
    /// None while it was not asked for: it takes long in a large store, and is loaded after the page.
    check: Option<Check>,
    check_problem: Option<Problem>,
    gate: Option<Gate>,
    gate_problem: Option<Problem>,
}

struct Group {
    name: &'static str,
    /// The first of them.
    entries: Vec<Line>,
    total: usize,
}

struct Line {
    entry: Listed,
    changes: Vec<Difference>,
}

/// A field of an entry before and after, with the words marked that differ.
struct Difference {
    field: String,
    before: Vec<Stretch>,
    after: Vec<Stretch>,
}

pub(crate) fn page(visit: &Visit<'_>) -> Page {
    let layout = Layout::new(visit, "/diff", "Memory diff");
    let range = visit.asked("range").unwrap_or("HEAD").to_owned();
    // A range is typed by hand: what is wrong with it is said beside it.
    let diff = match visit.wants_only_a_part() {
        true => Ok(Diff::default()),
        false => ask::<Diff>(visit, "diff", json!({"range": range, "limit": ROWS_MAX})),
    };
    let (diff, problem) = match diff {
        Ok(diff) => (diff, None),
        Err(problem) if problem.status < 500 => (Diff::default(), Some(problem)),
        Err(problem) => return Err(problem),
    };
    let asked = |part: &str| problem.is_none() && visit.wants(part);
    let check =
        asked("check").then(|| ask::<Check>(visit, "check", json!({"diff": range, "fail_on": "never"})));
    let (check, check_problem) = told(check);
    let check = check.map(|mut check| {
        check.entries.retain(|entry| !entry.effect.is_empty());
        check
    });
    let (gate, gate_problem) =
        told(asked("gate").then(|| ask::<Gate>(visit, "gate", json!({"diff": range}))));
    let difference = |change: &Change| {
        let (before, after) = words::compare(&change.before, &change.after);
        Difference { field: change.field.replace('_', " "), before, after }
    };
    let line = |entry: Listed| Line { changes: entry.changes.iter().map(difference).collect(), entry };
    let group = |name, entries: Vec<Listed>, total| Group {
        name,
        total,
        entries: entries.into_iter().map(line).collect(),
    };
    let groups = vec![
        group("Added", diff.added, diff.totals.added),
        group("Changed", diff.changed, diff.totals.changed),
        group("Removed", diff.removed, diff.totals.removed),
    ];
    render(&DiffPage { layout, range, groups, problem, check, check_problem, gate, gate_problem })
}

/// An answer, or why there is none, where it was asked for.
fn told<T>(asked: Option<Result<T, Problem>>) -> (Option<T>, Option<Problem>) {
    match asked {
        None => (None, None),
        Some(Ok(answer)) => (Some(answer), None),
        Some(Err(problem)) => (None, Some(problem)),
    }
}
