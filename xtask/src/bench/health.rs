//! The suite `health`: what it takes to say how a large store stands (HEA-1).

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::context::{Failure, capture, failed};
use crate::harness::corpus;
use crate::harness::figure::{Figure, grouped};
use crate::harness::measure::{self, Sample, Series, progress};
use crate::harness::probe::series;
use crate::harness::report::Report;
use crate::harness::scratch;
use crate::harness::session::{Session, text};
use crate::harness::{Suite, Tool};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/health-quality.md"),
    sizes: [&[10_000], &[10_000]],
    needs: &[Tool::Ken, Tool::Probe],
    ..Suite::bench("health", run)
};

/// Frictions of the last two months, and signals, beside the entries.
const FRICTIONS: usize = 300;
const SIGNALS: usize = 500;
/// Completed reviews, so that there is debt to count.
const REVIEWS: usize = 20;
/// Signals that are put together by themselves.
const MANY_SIGNALS: usize = 10_000;

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let mut figures = Vec::new();
    for size in &session.sizes {
        figures.extend(of_size(session, *size)?.into_iter().map(|figure| figure.at(*size)));
    }
    figures.push(many_signals(session)?);
    Ok(Report::new(figures).note(format!(
        "of ten entries one is a norm and one a finding of a reviewer; {FRICTIONS} frictions of two months, {SIGNALS} signals and \
         {REVIEWS} completed reviews beside them; vectors point in no particular direction"
    )))
}

/// A store with what some lines of JSON say.
fn fill(session: &Session<'_>, name: &str, lines: &str) -> Result<PathBuf, Failure> {
    let root = session.scratch.repository(name)?;
    capture(&mut session.ken(&root, &["init"]))?;
    let source = session.write(&format!("{name}.jsonl"), lines)?;
    session.add_lines(&root, &source, lines.lines().count())?;
    Ok(root)
}

fn of_size(session: &Session<'_>, entries: usize) -> Result<Vec<Figure>, Failure> {
    progress(&format!("a store of {} entries", grouped(entries as u64)));
    let root = fill(session, &format!("health-{entries}"), &mixed(entries))?;
    session.probe().ask(&["synthetic-vectors", &text(&root)])?;
    progress(&format!("{REVIEWS} reviews"));
    let questions = corpus::questions(REVIEWS, entries);
    for (at, question) in questions.iter().enumerate() {
        let run = format!("r{at}");
        let start = ["review", "start", "--run", &run, "--agents", "a,b,c", "--summary", question];
        capture(&mut session.ken(&root, &start))?;
        capture(&mut session.ken(&root, &["review", "complete", "--run", &run]))?;
    }
    scratch::settle();
    let mut figures = vec![
        cold(session, "health.report", &root, &["health", "report"])?,
        cold(session, "health.review", &root, &["health", "review"])?,
        cold(session, "health.signals", &root, &["signals"])?,
        cold(session, "health.friction", &root, &["friction", "report"])?,
    ];
    progress("the library");
    let rounds = session.effort.short_rounds().to_string();
    let answer = session.probe().ask(&["health", &text(&root), &rounds])?;
    for (name, word) in [
        ("health.report_library", "report"),
        ("health.review_library", "review"),
        ("health.signals_library", "signals"),
    ] {
        figures.push(Figure::time(name, &series(&answer, word)));
    }
    progress("after a check that found something");
    let gone = fs::remove_file(root.join("src/auth.rs")).or_else(|_| remove_one(&root.join("src")));
    gone.map_err(|error| Failure::Failed(format!("cannot delete a scratch file: {error}")))?;
    // It exits with 1: entries about that file are broken.
    let _ = session.ken(&root, &["check", "--quiet"]).output();
    figures.push(cold(session, "health.report_broken", &root, &["health", "report"])?);
    Ok(figures)
}

/// A command that is started anew each time, beside the start of a program that does nothing.
pub(super) fn cold(
    session: &Session<'_>,
    name: &str,
    root: &Path,
    words: &[&str],
) -> Result<Figure, Failure> {
    let shown = words.join(" ");
    progress(&format!("`ken {shown}`"));
    let (mut times, mut empty) = (Series::default(), Series::default());
    for round in 0..=session.effort.short_rounds() {
        let begun = std::time::Instant::now();
        let output = session.ken(root, words).output();
        let wall = begun.elapsed();
        // A review that finds something exits with 1.
        match output.map(|output| output.status.code()) {
            Ok(Some(0 | 1)) => {}
            other => return failed(format!("`ken {shown}` ended with {other:?}")),
        }
        let least = measure::command(&mut session.empty(root)?)?.0;
        if round > 0 {
            times.push(Sample { wall, cpu: None });
            empty.push(least);
        }
    }
    Ok(Figure::time(name, &times).floor_time("start of an empty program", &empty))
}

/// DIG-2: ten thousand signals are put together in about as many steps.
fn many_signals(session: &Session<'_>) -> Result<Figure, Failure> {
    progress(&format!("{} signals", grouped(MANY_SIGNALS as u64)));
    let root = fill(session, "signals", &signals(MANY_SIGNALS))?;
    Ok(cold(session, "health.many_signals", &root, &["signals", "--json"])?.at(MANY_SIGNALS))
}

fn remove_one(folder: &Path) -> std::io::Result<()> {
    let first = fs::read_dir(folder)?.flatten().find(|item| item.path().is_file());
    first.map_or(Ok(()), |item| fs::remove_file(item.path()))
}

/// Entries of several types, then frictions and signals.
fn mixed(entries: usize) -> String {
    let mut lines = String::new();
    for (at, line) in corpus::lines(entries).lines().enumerate() {
        let mut entry: Value = serde_json::from_str(line).unwrap_or_default();
        match at % 10 {
            3 => {
                let rule = format!("Changes of part {at} are told to whoever owns it, number {at}.");
                entry = json!({"type": "commit_norm", "rule": rule, "provenance": entry["provenance"]});
            }
            7 => {
                entry["type"] = json!(if at % 50 == 7 { "false_positive" } else { "pattern" });
                entry["reviewer"] = json!(["security", "performance", "reliability"][at % 3]);
            }
            _ => {}
        }
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{entry}");
    }
    for at in 0..FRICTIONS {
        let subtype = ["tool_error", "redo", "validation_fail"][at % 3];
        let cause = ["flaky network", "cold cache", "merge conflict", "missing tool"][at % 4];
        let context = json!({"cause": cause, "minutes": at % 30, "command": format!("step {at}")});
        let statement = format!("{subtype} number {at}");
        let friction =
            json!({"type": "friction", "subtype": subtype, "statement": statement, "context": context});
        let _ = writeln!(lines, "{friction}");
    }
    lines + &signals(SIGNALS)
}

fn signals(count: usize) -> String {
    let mut lines = String::new();
    for at in 0..count {
        let tags: Vec<String> = (0..4).map(|n| format!("area_{}", (at * (n + 3) + n) % 41)).collect();
        let kind = ["struggle", "deviation", "config_mismatch"][at % 3];
        let signal = json!({"type": "signal", "subtype": kind, "tags": tags, "severity": at % 10, "confidence": at % 9,
                            "statement": format!("Observation number {at} about the work on part {}.", at % 97)});
        let _ = writeln!(lines, "{signal}");
    }
    lines
}
