//! The suite `commands`: whether actions that a norm forbids are stopped, and those that only mention or resemble them are not.
//!
//! It fails on either side: a guard that lets things through is no guard, and one that stops ordinary work is switched off.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ken_core::action::{Action, Branch, Decision, Place, Rule, decide};
use serde_json::Value;

use super::pairs::{need, percent, read_file};
use crate::context::{Failure, failed};
use crate::harness::Suite;
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::{Figure, duration};
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/commands-quality.md"),
    flags: &[
        Flag { name: "--misses", takes: Takes::Nothing },
        Flag { name: "--split", takes: Takes::Value("dev|held_out|fresh|last") },
    ],
    optimised: false,
    ..Suite::evaluation("commands", run)
};

const NORMS: &str = "evals/commands/norms.jsonl";
const CASES: &str = "evals/commands/cases.jsonl";
/// Where the cases happen, unless they say otherwise.
const ROOT: &str = "/repo";
const BRANCH: &str = "feature/login";
/// How often each case is decided for the time it takes.
const TRIES: usize = 20;
/// Misses of each kind that the page lists.
const LISTED_MAX: usize = 40;
/// Characters of a case in a list.
const SHOWN_CHARS_MAX: usize = 110;

/// A norm with its rules.
struct Norm {
    id: String,
    split: String,
    rules: Vec<Rule>,
}

/// An action, and whether its norm stops it.
struct Case {
    norm: String,
    /// Where it differs from that of its norm.
    split: Option<String>,
    is_stopped: bool,
    folder: String,
    branch: Branch,
    action: Given,
}

/// An action as the file has it.
enum Given {
    Command(String),
    Edit { path: String, old: String, new: String },
    Write { path: String, content: String, before: Option<String> },
}

impl Case {
    fn decide(&self, rules: &[Rule]) -> Option<Decision> {
        let place = Place { root: ROOT, folder: &self.folder, branch: self.branch.clone() };
        let action = match &self.action {
            Given::Command(line) => Action::Command { line },
            Given::Edit { path, old, new } => Action::Edit { path, old: Some(old), new: Some(new) },
            Given::Write { path, content, before } => {
                Action::Write { path, content, before: before.as_deref() }
            }
        };
        decide(rules, &action, &place)
    }

    fn shown(&self) -> String {
        let text = match &self.action {
            Given::Command(line) => line.replace('\n', " ⏎ "),
            Given::Edit { path, new, .. } => format!("edit {path}: {}", new.replace('\n', " ⏎ ")),
            Given::Write { path, content, .. } => format!("write {path}: {}", content.replace('\n', " ⏎ ")),
        };
        let short: String = text.chars().take(SHOWN_CHARS_MAX).collect();
        if short.len() < text.len() { format!("{short}…") } else { short }
    }
}

/// A case with what was said of it.
struct Judged<'a> {
    case: &'a Case,
    split: &'a str,
    decision: Option<Decision>,
}

impl Judged<'_> {
    fn is_right(&self) -> bool {
        self.case.is_stopped == self.decision.is_some()
    }
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let norms = read_file(&session.context.root, NORMS, norm)?;
    let cases = read_file(&session.context.root, CASES, case)?;
    let by_id: BTreeMap<&str, &Norm> = norms.iter().map(|norm| (norm.id.as_str(), norm)).collect();
    let mut judged = Vec::new();
    for case in &cases {
        let Some(norm) = by_id.get(case.norm.as_str()) else {
            return failed(format!("{CASES}: there is no norm `{}`", case.norm));
        };
        judged.push(Judged {
            case,
            split: case.split.as_deref().unwrap_or(&norm.split),
            decision: case.decide(&norm.rules),
        });
    }
    let only = session.flags.value("--split");
    if session.flags.has("--misses") {
        for judged in judged.iter().filter(|judged| only.is_none_or(|split| split == judged.split)) {
            if !judged.is_right() {
                println!("{}", line(judged));
            }
        }
    }
    let splits = ["dev", "held_out", "fresh", "last", "all"];
    let rows: Vec<[String; 7]> = splits.iter().map(|split| split_row(split, &judged)).collect();
    let by_norm: Vec<[String; 6]> = norms.iter().map(|norm| norm_row(norm, &judged)).collect();
    let (times, slowest) = times(&cases, &norms);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let figures = [
        ("commands.stopped", "all", true),
        ("commands.stopped_held_out", "held_out", true),
        ("commands.wrong", "all", false),
        ("commands.wrong_held_out", "held_out", false),
    ];
    let mut figures: Vec<Figure> = figures
        .into_iter()
        .map(|(name, split, is_stopped)| {
            let (stopped, all) = count(split, is_stopped, &judged);
            Figure::new(name, percent(stopped, all)).at(all)
        })
        .collect();
    if !cfg!(debug_assertions) {
        figures.push(Figure::new("commands.decision", at(0.5).as_secs_f64()).at(cases.len()));
        figures.push(Figure::new("commands.decision_p99", at(0.99).as_secs_f64()).at(cases.len()));
    }
    let build = if cfg!(debug_assertions) { "not optimised" } else { "optimised" };
    let all_rules: usize = norms.iter().map(|norm| norm.rules.len()).sum();
    let tables = format!(
        "{}\n{}\n{}",
        page::table(["Split", "Forbidden", "Stopped", "Share", "Allowed", "Wrongly stopped", "Share"], &rows),
        page::table(["Norm", "Split", "Forbidden", "Stopped", "Allowed", "Wrongly stopped"], &by_norm),
        misses(&judged),
    );
    Ok(Report { tables, ..Report::new(figures) }.note(format!(
        "the median of {TRIES} decisions of each case against all {all_rules} rules ({build}): p50 {}, p99 {}, the slowest case {}: `{}`",
        duration(at(0.5)),
        duration(at(0.99)),
        duration(slowest.0),
        slowest.1.shown().replace('`', "'")
    )))
}

/// How many cases that should or should not be stopped are, and how many there are.
fn count(split: &str, is_stopped: bool, judged: &[Judged<'_>]) -> (usize, usize) {
    let of = judged.iter().filter(|judged| split == "all" || judged.split == split);
    let of: Vec<&Judged<'_>> = of.filter(|judged| judged.case.is_stopped == is_stopped).collect();
    (of.iter().filter(|judged| judged.decision.is_some()).count(), of.len())
}

fn split_row(split: &str, judged: &[Judged<'_>]) -> [String; 7] {
    let (stopped, forbidden) = count(split, true, judged);
    let (wrong, allowed) = count(split, false, judged);
    [
        split.to_owned(),
        forbidden.to_string(),
        stopped.to_string(),
        format!("{:.1} %", percent(stopped, forbidden)),
        allowed.to_string(),
        wrong.to_string(),
        format!("{:.2} %", percent(wrong, allowed)),
    ]
}

fn norm_row(norm: &Norm, judged: &[Judged<'_>]) -> [String; 6] {
    let of = |is_stopped: bool| {
        let of = judged.iter().filter(|judged| judged.case.norm == norm.id);
        let of: Vec<&Judged<'_>> = of.filter(|judged| judged.case.is_stopped == is_stopped).collect();
        (of.iter().filter(|judged| judged.decision.is_some()).count(), of.len())
    };
    let ((stopped, forbidden), (wrong, allowed)) = (of(true), of(false));
    [
        norm.id.clone(),
        norm.split.clone(),
        forbidden.to_string(),
        stopped.to_string(),
        allowed.to_string(),
        wrong.to_string(),
    ]
}

/// What was decided wrongly. Cases that are held out are counted only: who reads them fits the code to them.
fn misses(judged: &[Judged<'_>]) -> String {
    let lines: Vec<String> = judged
        .iter()
        .filter(|judged| !judged.is_right() && matches!(judged.split, "dev" | "fresh"))
        .take(LISTED_MAX)
        .map(|judged| format!("- {}\n", line(judged)))
        .collect();
    match lines.is_empty() {
        true => "No case of `dev` and `fresh` is decided wrongly.\n".to_owned(),
        false => format!("Decided wrongly in `dev` and `fresh`:\n\n{}", lines.concat()),
    }
}

fn line(judged: &Judged<'_>) -> String {
    let what = if judged.case.is_stopped { "missed" } else { "wrongly stopped" };
    let why = judged.decision.as_ref().map(|decision| format!(" ({})", decision.why)).unwrap_or_default();
    format!("{what}, {}: `{}`{why}", judged.case.norm, judged.case.shown().replace('`', "'"))
}

/// The time of each case against every rule there is, the shortest first, and the slowest case.
fn times<'a>(cases: &'a [Case], norms: &[Norm]) -> (Vec<Duration>, (Duration, &'a Case)) {
    let rules: Vec<Rule> = norms.iter().flat_map(|norm| norm.rules.iter().cloned()).collect();
    let mut times = Vec::new();
    let mut slowest = (Duration::ZERO, &cases[0]);
    for case in cases {
        let mut own = Vec::new();
        for _ in 0..TRIES {
            let start = Instant::now();
            std::hint::black_box(case.decide(&rules));
            own.push(start.elapsed());
        }
        own.sort_unstable();
        if own[TRIES / 2] > slowest.0 {
            slowest = (own[TRIES / 2], case);
        }
        // The median of a case: other programs on the machine are not measured.
        times.push(own[TRIES / 2]);
    }
    times.sort_unstable();
    (times, slowest)
}

fn norm(row: &Value) -> Result<Norm, String> {
    let rules = row["rules"].as_array().ok_or("`rules` is missing")?;
    let rules = rules.iter().map(|rule| {
        let text = rule.as_str().ok_or("a rule is a text")?;
        Rule::parse(text).map_err(|fault| format!("`{text}`: {fault}"))
    });
    let split = need(row, "split")?;
    if !["dev", "held_out", "fresh", "last"].contains(&split.as_str()) {
        return Err(format!("there is no split `{split}`"));
    }
    Ok(Norm { id: need(row, "id")?, split, rules: rules.collect::<Result<_, String>>()? })
}

fn case(row: &Value) -> Result<Case, String> {
    let action = match (&row["command"], &row["edit"], &row["write"]) {
        (Value::String(line), Value::Null, Value::Null) => Given::Command(line.clone()),
        (Value::Null, edit @ Value::Object(_), Value::Null) => {
            Given::Edit { path: need(edit, "path")?, old: need(edit, "old")?, new: need(edit, "new")? }
        }
        (Value::Null, Value::Null, write @ Value::Object(_)) => Given::Write {
            path: need(write, "path")?,
            content: need(write, "content")?,
            before: write["before"].as_str().map(str::to_owned),
        },
        _ => return Err("one of `command`, `edit` and `write` is wanted".to_owned()),
    };
    Ok(Case {
        norm: need(row, "norm")?,
        split: row["split"].as_str().map(str::to_owned),
        is_stopped: row["stop"].as_bool().ok_or("`stop` is missing")?,
        folder: row["cwd"].as_str().unwrap_or_default().to_owned(),
        branch: Branch::Known(row["branch"].as_str().unwrap_or(BRANCH).to_owned()),
        action,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pairs::read;

    #[test]
    fn every_case_can_be_read_and_a_third_is_held_out() {
        let norms = read(NORMS, include_str!("../../../evals/commands/norms.jsonl"), norm).unwrap();
        let cases = read(CASES, include_str!("../../../evals/commands/cases.jsonl"), case).unwrap();
        let stopped = cases.iter().filter(|case| case.is_stopped).count();
        assert!(norms.len() >= 10 && stopped >= 150 && cases.len() - stopped >= 300);
        // Those of the later splits were written for norms of either.
        let split = |case: &Case| match &case.split {
            Some(split) => split.clone(),
            None => norms.iter().find(|norm| norm.id == case.norm).unwrap().split.clone(),
        };
        let of = |name: &str| cases.iter().filter(|case| split(case) == name).count();
        let (dev, held_out) = (of("dev"), of("held_out"));
        assert!(held_out * 100 >= (dev + held_out) * 30, "{held_out} of {}", dev + held_out);
    }
}
