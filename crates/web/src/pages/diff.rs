//! Memory CI of a diff: which entries a change adds, changes and removes, which it breaks, and what the gates say.

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{Change, Check, Diff, Gate, Listed};
use crate::ask::ask;
use crate::layout::Layout;
use crate::visit::{Problem, Visit};
use crate::words::{self, Stretch};

#[derive(Template)]
#[template(path = "diff.html")]
struct DiffPage<'a> {
    layout: Layout<'a>,
    range: String,
    groups: Vec<Group>,
    problem: Option<Problem>,
    check: Check,
    gate: Option<Gate>,
    gate_problem: Option<Problem>,
}

struct Group {
    name: &'static str,
    entries: Vec<Line>,
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
    let (diff, problem) = match ask::<Diff>(visit, "diff", json!({"range": range})) {
        Ok(diff) => (diff, None),
        Err(problem) if problem.status < 500 => (Diff::default(), Some(problem)),
        Err(problem) => return Err(problem),
    };
    let mut check: Check = match problem {
        None => ask(visit, "check", json!({"diff": range, "fail_on": "never"})).unwrap_or_default(),
        Some(_) => Check::default(),
    };
    check.entries.retain(|entry| !entry.effect.is_empty());
    let (gate, gate_problem) = match (&problem, ask::<Gate>(visit, "gate", json!({"diff": range}))) {
        (Some(_), _) => (None, None),
        (None, Ok(gate)) => (Some(gate), None),
        (None, Err(problem)) => (None, Some(problem)),
    };
    let difference = |change: &Change| {
        let (before, after) = words::compare(&change.before, &change.after);
        Difference { field: change.field.replace('_', " "), before, after }
    };
    let line = |entry: Listed| Line { changes: entry.changes.iter().map(difference).collect(), entry };
    let group = |name, entries: Vec<Listed>| Group { name, entries: entries.into_iter().map(line).collect() };
    let groups =
        vec![group("Added", diff.added), group("Changed", diff.changed), group("Removed", diff.removed)];
    render(&DiffPage { layout, range, groups, problem, check, gate, gate_problem })
}
