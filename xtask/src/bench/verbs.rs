//! The suite `verbs`: how long the common verbs take, each in a process of its own, in an empty, a small and a large store.

use serde_json::Value;

use super::health::cold;
use crate::context::{Failure, capture};
use crate::harness::corpus;
use crate::harness::figure::{Figure, grouped};
use crate::harness::measure::progress;
use crate::harness::report::Report;
use crate::harness::scratch;
use crate::harness::session::Session;
use crate::harness::{Suite, Tool};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/verbs-quality.md"),
    sizes: [&[0, 100, 3_000], &[0, 100, 3_000]],
    needs: &[Tool::Ken],
    ..Suite::bench("verbs", run)
};

/// The verbs with their figures. `ID` is an entry of the store.
const VERBS: &[(&str, &[&str])] = &[
    ("verbs.list", &["list"]),
    ("verbs.show", &["show", "ID"]),
    ("verbs.why", &["why", "ID"]),
    ("verbs.log", &["log", "ID"]),
    ("verbs.search", &["search", "retry", "loop"]),
    ("verbs.menu", &["menu", "retry loop"]),
    ("verbs.surface", &["surface", "--role", "planner", "retry loop"]),
    ("verbs.brief", &["brief"]),
    ("verbs.stats", &["stats"]),
    ("verbs.queue", &["queue"]),
    ("verbs.drift", &["drift"]),
    ("verbs.check", &["check"]),
    ("verbs.gate", &["gate"]),
    ("verbs.diff", &["diff"]),
    ("verbs.diff_commit", &["diff", "HEAD~1..HEAD"]),
    ("verbs.gate_diff", &["gate", "--diff", "HEAD~1..HEAD"]),
    ("verbs.check_diff", &["check", "--diff", "HEAD~1..HEAD"]),
    ("verbs.events", &["events"]),
    ("verbs.commit", &["commit", "-m", "knowledge"]),
    ("verbs.task_list", &["task", "list"]),
    ("verbs.promote_list", &["promote", "list"]),
    ("verbs.where", &["where"]),
    ("verbs.verify", &["verify"]),
];

/// Entries of the latest commit, beside those that were there before.
const LATEST: usize = 3;

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let mut figures = Vec::new();
    for size in &session.sizes {
        figures.extend(of_size(session, *size)?.into_iter().map(|figure| figure.at(*size)));
    }
    Ok(Report::new(figures).note(format!(
        "each verb is a process of its own; the store is committed, and its latest commit adds {LATEST} entries to those counted; no vectors"
    )))
}

fn of_size(session: &Session<'_>, entries: usize) -> Result<Vec<Figure>, Failure> {
    progress(&format!("a store of {} entries", grouped(entries as u64)));
    let root = session.scratch.repository(&format!("verbs-{entries}"))?;
    capture(&mut session.ken(&root, &["init"]))?;
    let lines = corpus::lines(entries + LATEST);
    let lines: Vec<&str> = lines.lines().collect();
    let (first, latest) = lines.split_at(entries);
    for (name, part) in [("first", first), ("latest", latest)] {
        if !part.is_empty() {
            let source = session.write(&format!("verbs-{entries}-{name}.jsonl"), part.join("\n") + "\n")?;
            session.add_lines(&root, &source, part.len())?;
        }
        session.commit(&root, name)?;
    }
    scratch::settle();
    let (_, list) = session.json(&root, &["list", "--limit", "1", "--json"])?;
    let id = list.pointer("/entries/0/id").and_then(Value::as_str).unwrap_or_default();
    let mut figures = Vec::new();
    for (name, words) in VERBS {
        let words: Vec<&str> = words.iter().map(|word| if *word == "ID" { id } else { *word }).collect();
        figures.push(cold(session, name, &root, &words)?);
    }
    Ok(figures)
}
