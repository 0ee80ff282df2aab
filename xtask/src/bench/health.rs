//! The suite `health`: what it takes to say how a large store stands (HEA-1).

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::measure::{self, Series, progress};
use super::report::{Row, Table, duration, grouped};
use super::scratch::{self, Scratch};
use super::{Effort, Request, corpus, machine};
use crate::context::{Context, Failure, capture, failed};
use crate::dist;
use crate::probe::Probe;

/// HEA-1: cheap enough for every session start.
const HEALTH_MAX: Duration = Duration::from_millis(50);
/// The size that has a target.
const TOLD: usize = 10_000;
/// Frictions of the last two months, and signals, beside the entries.
const FRICTIONS: usize = 300;
const SIGNALS: usize = 500;
/// Completed reviews, so that there is debt to count.
const REVIEWS: usize = 20;
/// Signals that are put together by themselves.
const MANY_SIGNALS: usize = 10_000;

/// The table, and the folder that the caller lets go of when the table is safe.
pub(super) fn run(context: &Context, request: &Request) -> Result<(Table, Scratch), Failure> {
    println!("building ken as `cargo xtask dist` does, and the probe that measures inside a process");
    let ken = match &request.ken {
        Some(path) => match path.canonicalize() {
            Ok(path) => path,
            Err(error) => return failed(format!("cannot find {}: {error}", path.display())),
        },
        None => dist::build(context)?.path,
    };
    let probe = Probe::build(context)?;
    let scratch = Scratch::below(&dist::target_folder(context)?)?;
    let mut lines = machine::describe(context, &scratch.folder)?;
    lines.push(format!(
        "of ten entries one is a norm and one a finding of a reviewer; {FRICTIONS} frictions of two months, {SIGNALS} signals and \
         {REVIEWS} completed reviews beside them; vectors point in no particular direction"
    ));
    let bench = Bench { scratch, ken, probe, effort: request.effort };
    let mut rows = Vec::new();
    for size in &request.sizes {
        rows.extend(bench.size(*size)?);
    }
    rows.extend(bench.many_signals()?);
    lines.extend(machine::load().map(|load| format!("load average of the last minute at the end: {load}")));
    let sizes: Vec<String> = request.sizes.iter().map(usize::to_string).collect();
    let quick = if request.effort == Effort::Quick { " --quick" } else { "" };
    let command = format!("cargo xtask bench health{quick} --sizes {} --write", sizes.join(","));
    Ok((Table { command, machine: lines, rows }, bench.scratch))
}

struct Bench {
    scratch: Scratch,
    ken: PathBuf,
    probe: Probe,
    effort: Effort,
}

impl Bench {
    fn ken(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = self.scratch.program(&self.ken, root);
        command.args(arguments);
        command
    }

    /// A store with what some lines of JSON say.
    fn fill(&self, name: &str, lines: &str) -> Result<PathBuf, Failure> {
        let root = self.scratch.repository(name)?;
        capture(&mut self.ken(&root, &["init"]))?;
        let source = self.scratch.folder.join(format!("{name}.jsonl"));
        measure::work("write a scratch file", || fs::write(&source, lines))?;
        let source = source.to_string_lossy().into_owned();
        let (_, output) = measure::command(&mut self.ken(&root, &["add", "--json", "--file", &source]))?;
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let wanted = lines.lines().count() as u64;
        if answer["added"].as_u64() != Some(wanted) {
            return failed(format!("of {wanted} lines `ken add` says it added {}", answer["added"]));
        }
        Ok(root)
    }

    fn size(&self, entries: usize) -> Result<Vec<Row>, Failure> {
        progress(&format!("a store of {} entries", grouped(entries as u64)));
        let root = self.fill(&format!("health-{entries}"), &mixed(entries))?;
        self.probe.ask(&["synthetic-vectors", &root.to_string_lossy()])?;
        progress(&format!("{REVIEWS} reviews"));
        let questions = corpus::questions(REVIEWS, entries);
        for (at, question) in questions.iter().enumerate() {
            let run = format!("r{at}");
            let start = ["review", "start", "--run", &run, "--agents", "a,b,c", "--summary", question];
            capture(&mut self.ken(&root, &start))?;
            capture(&mut self.ken(&root, &["review", "complete", "--run", &run]))?;
        }
        scratch::settle();
        let most = (entries == TOLD).then_some(HEALTH_MAX);
        let mut rows = vec![
            self.cold(&root, entries, &["health", "report"], most)?,
            self.cold(&root, entries, &["health", "review"], most)?,
            self.cold(&root, entries, &["signals"], None)?,
            self.cold(&root, entries, &["friction", "report"], None)?,
        ];
        progress("the library");
        let rounds = self.effort.short_rounds().to_string();
        let answer = self.probe.ask(&["health", &root.to_string_lossy(), &rounds])?;
        for (what, name, most) in [
            ("`health report`", "report", most),
            ("`health review`", "review", most),
            ("`signals`", "signals", None),
        ] {
            let row = Row::new(&format!("{what}, in a library that stays open"), Some(entries));
            rows.push(held_against(row, &series(&answer, name), most));
        }
        progress("after a check that found something");
        let gone = fs::remove_file(root.join("src/auth.rs")).or_else(|_| remove_one(&root.join("src")));
        gone.map_err(|error| Failure::Failed(format!("cannot delete a scratch file: {error}")))?;
        // It exits with 1: entries about that file are broken.
        let _ = self.ken(&root, &["check", "--quiet"]).output();
        rows.push(
            self.cold(&root, entries, &["health", "report"], most)?
                .named("`ken health report`, a process of its own, entries about one file broken"),
        );
        Ok(rows)
    }

    fn cold(
        &self,
        root: &Path,
        entries: usize,
        words: &[&str],
        most: Option<Duration>,
    ) -> Result<Row, Failure> {
        let told = words.join(" ");
        progress(&format!("`ken {told}`"));
        let mut times = Series::default();
        for round in 0..=self.effort.short_rounds() {
            let begun = std::time::Instant::now();
            let output = self.ken(root, words).output();
            let wall = begun.elapsed();
            // A review that finds something exits with 1.
            match output.map(|output| output.status.code()) {
                Ok(Some(0 | 1)) => {}
                other => return failed(format!("`ken {told}` ended with {other:?}")),
            }
            if round > 0 {
                times.push(measure::Sample { wall, cpu: None });
            }
        }
        let row = Row::new(&format!("`ken {told}`, a process of its own"), Some(entries));
        Ok(held_against(row, &times, most))
    }

    /// DIG-2: ten thousand signals are put together in about as many steps.
    fn many_signals(&self) -> Result<Vec<Row>, Failure> {
        progress(&format!("{} signals", grouped(MANY_SIGNALS as u64)));
        let root = self.fill("signals", &signals(MANY_SIGNALS))?;
        Ok(vec![self.cold(&root, MANY_SIGNALS, &["signals", "--json"], None)?])
    }
}

fn remove_one(folder: &Path) -> std::io::Result<()> {
    let first = fs::read_dir(folder)?.flatten().find(|item| item.path().is_file());
    first.map_or(Ok(()), |item| fs::remove_file(item.path()))
}

fn series(answer: &Value, name: &str) -> Series {
    let micros = answer[name].as_array().into_iter().flatten().filter_map(Value::as_f64);
    micros.map(|micros| Duration::from_secs_f64(micros / 1e6)).collect()
}

fn held_against(row: Row, series: &Series, most: Option<Duration>) -> Row {
    let row = row.time(series);
    match most {
        Some(most) => row.target(&format!("≤ {}", duration(most)), series.wall() <= most),
        None => row,
    }
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
