//! The suite `learning`: what a review, a task and a word about an entry cost, and what is believed of every entry of a large store.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::corpus::Lesson;
use super::machine;
use super::measure::{self, Series, progress};
use super::report::{Row, Table, duration, grouped};
use super::scratch::{self, Scratch};
use super::{Effort, Request, corpus};
use crate::context::{Context, Failure, capture, failed};
use crate::dist;
use crate::probe::Probe;

/// Agents of a review.
const AGENTS: usize = 8;
/// Findings of one agent.
const FINDINGS: usize = 25;
/// Entries that speak of one file.
const ENTRIES_PER_FILE: usize = 10;
/// Findings in one report that is far too long.
const LONG: usize = 10_000;
/// Tasks before searching is measured once more.
const TASKS: usize = 2_000;
/// Entries of the store whose beliefs are asked, and observations of each.
const BELIEVED: [usize; 2] = [10_000, 100_000];
const OBSERVATIONS: &str = "10";
/// When the entries of that store were added, as people and as machines write it.
const ADDED: (&str, &str) = ("2024-01-01T00:00:00Z", "1704067200000");
/// The sizes that have targets.
const TOLD: usize = 10_000;
const TOLD_BELIEFS: usize = 100_000;

const COMPLETE_MAX: Duration = Duration::from_millis(300);
const FOLDED_MAX: Duration = Duration::from_millis(100);
const COLD_MAX: Duration = Duration::from_millis(500);

/// The table, and the folder that the caller lets go of when the table is safe.
pub(super) fn run(context: &Context, request: &Request) -> Result<(Table, Scratch), Failure> {
    println!("building ken as `cargo xtask dist` does, and the probe that measures inside a process");
    let built = dist::build(context)?;
    let probe = Probe::build(context)?;
    let scratch = Scratch::below(&dist::target_folder(context)?)?;
    let mut lines = machine::describe(context, &scratch.folder)?;
    lines.push(format!(
        "a review has {AGENTS} agents with {FINDINGS} findings each: half say what an entry says, every second of them in its words, a \
         quarter is found by two agents, a quarter is new"
    ));
    lines.push(
        "vectors of the stores point in no particular direction; those of findings are the model's"
            .to_owned(),
    );
    let bench = Bench { scratch, ken: built.path, probe, effort: request.effort };
    let mut rows = Vec::new();
    for size in &request.sizes {
        rows.extend(bench.size(*size)?);
    }
    rows.extend(bench.beliefs(BELIEVED[usize::from(request.effort == Effort::Whole)])?);
    lines.extend(machine::load().map(|load| format!("load average of the last minute at the end: {load}")));
    let sizes: Vec<String> = request.sizes.iter().map(usize::to_string).collect();
    let quick = if request.effort == Effort::Quick { " --quick" } else { "" };
    let command = format!("cargo xtask bench learning{quick} --sizes {} --write", sizes.join(","));
    Ok((Table { command, machine: lines, rows }, bench.scratch))
}

struct Bench {
    scratch: Scratch,
    ken: PathBuf,
    probe: Probe,
    effort: Effort,
}

/// Times in microseconds that the probe told under a name.
fn series(answer: &Value, name: &str) -> Series {
    let micros = answer[name].as_array().into_iter().flatten().filter_map(Value::as_f64);
    micros.map(|micros| Duration::from_secs_f64(micros / 1e6)).collect()
}

fn texts(answer: &Value, name: &str) -> Vec<String> {
    let words = answer[name].as_array().into_iter().flatten().filter_map(Value::as_str);
    words.map(str::to_owned).collect()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn once(sample: measure::Sample) -> Series {
    let mut series = Series::default();
    series.push(sample);
    series
}

fn held_against(row: Row, series: &Series, most: Option<Duration>) -> Row {
    let row = row.time(series);
    match most {
        Some(most) => row.target(&format!("≤ {}", duration(most)), series.wall() <= most),
        None => row,
    }
}

impl Bench {
    fn ken(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = self.scratch.program(&self.ken, root);
        command.args(arguments);
        command
    }

    fn write(&self, name: &str, content: String) -> Result<PathBuf, Failure> {
        let path = self.scratch.folder.join(name);
        measure::work("write a scratch file", || fs::write(&path, content))?;
        Ok(path)
    }

    /// Rounds of what takes a good part of a second.
    fn rounds(&self) -> usize {
        match self.effort {
            Effort::Quick => 5,
            Effort::Whole => 11,
        }
    }

    /// A store of lessons that speak of so many files as there are, with a vector for each.
    fn fill(
        &self,
        name: &str,
        entries: usize,
        files: usize,
        added: Option<&str>,
    ) -> Result<PathBuf, Failure> {
        progress(&format!("a store of {} entries about {files} files", grouped(entries as u64)));
        let root = self.scratch.repository(name)?;
        let made = (0..files).try_for_each(|at| {
            let code: String = (1..=40).map(|line| format!("pub fn step_{line}() {{}} // {at}\n")).collect();
            fs::write(root.join(path(at)), code)
        });
        made.map_err(|error| Failure::Failed(format!("cannot write scratch code: {error}")))?;
        capture(&mut self.scratch.git(&root, &["add", "-A"]))?;
        capture(&mut self.scratch.git(&root, &["commit", "-q", "-m", "code"]))?;
        capture(&mut self.ken(&root, &["init"]))?;
        let source = self.write(&format!("{name}.jsonl"), lessons(entries, files))?;
        let mut add = self.ken(&root, &["add", "--json", "--file", &text(&source)]);
        add.envs(added.map(|when| ("KEN_NOW", when)));
        let (_, output) = measure::command(&mut add)?;
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if answer["added"].as_u64() != Some(entries as u64) {
            return failed(format!("of {entries} entries `ken add` says it added {}", answer["added"]));
        }
        Ok(root)
    }

    fn size(&self, entries: usize) -> Result<Vec<Row>, Failure> {
        let files = (entries / ENTRIES_PER_FILE).max(1);
        let root = self.fill(&format!("learning-{entries}"), entries, files, None)?;
        self.probe.ask(&["synthetic-vectors", &text(&root)])?;
        let mut rows = self.searches(&root, entries, "no run yet")?;
        rows.extend(self.reviews(&root, entries, files)?);
        rows.extend(self.tasks(&root, entries)?);
        rows.extend(self.long_report(&root, entries, files)?);
        progress(&format!("{} tasks", grouped(TASKS as u64)));
        self.probe.ask(&["used", &text(&root), &TASKS.to_string()])?;
        rows.extend(self.searches(&root, entries, &format!("after {} tasks", grouped(TASKS as u64)))?);
        Ok(rows)
    }

    /// What searching costs: beliefs and what is used together are read with every answer.
    fn searches(&self, root: &Path, entries: usize, when: &str) -> Result<Vec<Row>, Failure> {
        progress(&format!("searches, {when}"));
        let questions = corpus::questions(120, entries);
        let asked = self.write("questions", questions.join("\n"))?;
        measure::command(&mut self.ken(root, &["search", &questions[0]]))?;
        let mut cold = Series::default();
        for question in questions.iter().take(self.effort.short_rounds()) {
            cold.push(measure::command(self.ken(root, &["search"]).arg(question))?.0);
        }
        let warm = self.probe.ask(&["warm", &text(root), &text(&asked), "100"])?;
        Ok(vec![
            Row::new(&format!("cold `ken search`, {when}"), Some(entries)).time(&cold),
            Row::new(&format!("warm search in the library, {when}"), Some(entries))
                .time(&series(&warm, "micros")),
        ])
    }

    fn reviews(&self, root: &Path, entries: usize, files: usize) -> Result<Vec<Row>, Failure> {
        let rounds = self.rounds();
        progress(&format!("{} reviews", 2 * rounds));
        let reports: Vec<_> = (0..2 * rounds).map(|round| review(round, entries, files)).collect();
        let found = self.write("reviews.json", json!(reports).to_string())?;
        let begun = self.probe.ask(&["reviews", &text(root), &text(&found)])?;
        let runs = texts(&begun, "runs");
        let (inside, outside) = runs.split_at(rounds.min(runs.len()));
        let mut arguments = vec!["complete".to_owned(), text(root)];
        arguments.extend(inside.iter().cloned());
        scratch::settle();
        let answer = self.probe.ask(&arguments.iter().map(String::as_str).collect::<Vec<_>>())?;
        progress(&format!("the first of them came to {}", answer["came"][0]));
        let mut whole = Series::default();
        for run in outside {
            let (sample, output) =
                measure::command(&mut self.ken(root, &["review", "complete", "--run", run, "--json"]))?;
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            if answer["confirmed"].as_array().is_none_or(Vec::is_empty) {
                return failed(format!("nothing was confirmed: {}", answer["warnings"]));
            }
            whole.push(sample);
        }
        let most = (entries == TOLD).then_some(COMPLETE_MAX);
        let row = |what: &str| Row::new(what, Some(entries));
        let many = AGENTS * FINDINGS;
        Ok(vec![
            row(&format!("`review start` for {AGENTS} agents, in the library"))
                .time(&series(&begun, "start")),
            row(&format!("`review report` of {FINDINGS} findings, in the library"))
                .time(&series(&begun, "report")),
            held_against(
                row(&format!("completing a review of {many} findings, in the library")),
                &series(&answer, "micros"),
                most,
            ),
            held_against(row(&format!("`ken review complete` of {many} findings")), &whole, most),
        ])
    }

    fn tasks(&self, root: &Path, entries: usize) -> Result<Vec<Row>, Failure> {
        progress("tasks and words about entries");
        let rounds = self.effort.short_rounds().to_string();
        let answer = self.probe.ask(&["tasks", &text(root), &rounds])?;
        let row = |what: &str, name: &str| {
            Row::new(&format!("{what}, in the library"), Some(entries)).time(&series(&answer, name))
        };
        Ok(vec![
            row("`task start`", "start"),
            row("`task finish` with 5 used entries", "finish"),
            row("`confirm`", "confirm"),
            row("`feedback`", "feedback"),
        ])
    }

    /// More findings than anybody reads.
    fn long_report(&self, root: &Path, entries: usize, files: usize) -> Result<Vec<Row>, Failure> {
        progress(&format!("a report of {} findings", grouped(LONG as u64)));
        let findings: Vec<Value> = (0..LONG).map(|at| new_finding(1_000_000 + at, files)).collect();
        let report = BTreeMap::from([("everything", findings)]);
        let found = self.write("long.json", json!([report]).to_string())?;
        let begun = self.probe.ask(&["reviews", &text(root), &text(&found)])?;
        let runs = texts(&begun, "runs");
        let Some(run) = runs.first() else { return failed("no review was begun") };
        let (whole, _) =
            measure::command(&mut self.ken(root, &["review", "complete", "--run", run, "--json"]))?;
        let many = grouped(LONG as u64);
        let row = |what: String| Row::new(&what, Some(entries));
        Ok(vec![
            row(format!("`review report` of {many} findings, in the library"))
                .time(&series(&begun, "report")),
            row(format!("`ken review complete` of {many} findings")).time(&once(whole)),
        ])
    }

    fn beliefs(&self, entries: usize) -> Result<Vec<Row>, Failure> {
        let files = (entries / ENTRIES_PER_FILE).max(1);
        let root = self.fill(&format!("beliefs-{entries}"), entries, files, Some(ADDED.0))?;
        progress(&format!("{OBSERVATIONS} observations of each"));
        let written = self.probe.ask(&["observe", &text(&root), OBSERVATIONS, ADDED.1])?;
        let took = Duration::from_secs_f64(written["seconds"].as_f64().unwrap_or(0.0));
        scratch::settle();
        let rounds = self.rounds().to_string();
        let answer = self.probe.ask(&["beliefs", &text(&root), &rounds, OBSERVATIONS])?;
        if answer["entries"].as_u64() != Some(entries as u64) {
            return failed(format!("of {entries} entries {} are believed", answer["entries"]));
        }
        let told = entries == TOLD_BELIEFS;
        let row = |what: &str, name: &str, most: Option<Duration>| {
            held_against(Row::new(what, Some(entries)), &series(&answer, name), most.filter(|_| told))
        };
        Ok(vec![
            row("belief in every entry, from records in memory", "folded", Some(FOLDED_MAX)),
            row("belief in every entry, from a store that is open", "warm", None),
            row("belief in every entry, store opened anew", "cold", Some(COLD_MAX)),
            Row::new(
                &format!("taking in {OBSERVATIONS} observations of each from another clone"),
                Some(entries),
            )
            .measured(duration(took)),
        ])
    }
}

fn path(file: usize) -> String {
    format!("src/part_{file}.rs")
}

/// The file that the lesson of some number speaks of.
fn file_of(number: usize, files: usize) -> String {
    path(number.wrapping_mul(7_919) % files)
}

/// What one entry says. Its names are made up, so that it resembles no other: claims that do are few where people write them.
struct Claim {
    lesson: Lesson,
    title: String,
    /// Where and what, in a sentence without its full stop.
    claim: String,
    /// What follows from it.
    rest: String,
    lines: String,
}

impl Claim {
    fn number(number: usize) -> Claim {
        let lesson = Lesson::number(number as u64);
        let word = |at: usize| made_up(number.wrapping_mul(6) + at);
        let lines = lesson.anchor.split_once(':').map_or("1-6", |(_, lines)| lines).to_owned();
        let verb = VERBS[number.wrapping_mul(7) % VERBS.len()];
        Claim {
            title: format!("{} {verb} the {} of {}", word(0), word(1), word(2)),
            claim: format!(
                "`{}_{number}` {verb} the {} that {} left for {}",
                word(0),
                word(1),
                word(3),
                word(2)
            ),
            rest: format!("Ask {} first, or the {} stays behind.", word(4), word(5)),
            lines,
            lesson,
        }
    }
}

const VERBS: [&str; 12] = [
    "drops",
    "repeats",
    "delays",
    "truncates",
    "reorders",
    "hides",
    "duplicates",
    "mixes",
    "rounds",
    "blocks",
    "swaps",
    "forgets",
];

/// A word that nobody uses, the same for the same number.
fn made_up(number: usize) -> String {
    const FIRST: [&str; 20] = [
        "b", "c", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "dr", "gr", "pl",
        "st",
    ];
    const MIDDLE: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "or", "en"];
    const LAST: [&str; 8] = ["l", "n", "r", "x", "t", "k", "m", "p"];
    // A multiplier without a factor in common with the lengths spreads neighbours.
    let mut rest = number.wrapping_mul(2_654_435_761) >> 3;
    let mut take = |list: &[&'static str]| {
        let word = list[rest % list.len()];
        rest /= list.len();
        word
    };
    [take(&FIRST), take(&MIDDLE), take(&FIRST), take(&MIDDLE), take(&LAST)].concat()
}

fn lessons(count: usize, files: usize) -> String {
    let mut all = String::with_capacity(count * 700);
    for number in 0..count {
        let Claim { lesson, title, claim, rest, lines } = Claim::number(number);
        let line = json!({
            "type": "lesson",
            "title": title,
            "statement": format!("{claim}. {rest}"),
            "provenance": [lesson.evidence],
            "anchors": [format!("{}:{lines}", file_of(number, files))],
            "verification": [lesson.verification],
            "tags": lesson.tags,
        });
        let _ = writeln!(all, "{line}");
    }
    all
}

/// What the agents of a review report, no two reviews the same.
fn review(round: usize, entries: usize, files: usize) -> BTreeMap<String, Vec<Value>> {
    let mut findings = Vec::new();
    let all = AGENTS * FINDINGS;
    for at in 0..all / 2 {
        findings.push(known_finding((round * 1_009 + at * 97) % entries, at % 2 == 0, files));
    }
    for at in 0..all / 8 {
        let finding = new_finding(10_000 * (round + 1) + at, files);
        findings.extend([finding.clone(), finding]);
    }
    for at in 0..all / 4 {
        findings.push(new_finding(10_000 * (round + 1) + 5_000 + at, files));
    }
    // Neighbours have different reporters, so two agents find what stands there twice.
    let mut reports: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (at, finding) in findings.into_iter().enumerate() {
        reports.entry(format!("agent-{}", at % AGENTS)).or_default().push(finding);
    }
    reports
}

/// What an entry says, at its place: in its words, or shorter.
fn known_finding(number: usize, in_its_words: bool, files: usize) -> Value {
    let Claim { title, claim, rest, lines, .. } = Claim::number(number);
    json!({
        "title": title,
        "text": if in_its_words { format!("{claim}. {rest}") } else { format!("{claim}, as the change shows again.") },
        "places": [format!("{}:{lines}", file_of(number, files))],
        "severity": 6.0,
        "confidence": 7.0,
    })
}

/// What no entry says.
fn new_finding(number: usize, files: usize) -> Value {
    let Claim { lesson, title, claim, .. } = Claim::number(5_000_000 + number);
    json!({
        "title": title,
        "text": format!("{claim}. {} and {} never hear of it.", made_up(number), made_up(number + 1)),
        "places": [format!("{}:{}", file_of(number, files), 1 + number % 30)],
        "severity": 6.0,
        "confidence": 7.0,
        "durable": true,
        "verification": [lesson.verification],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_is_as_large_as_it_is_said_to_be() {
        let (one, other) = (review(0, 10_000, 1_000), review(1, 10_000, 1_000));
        assert_eq!(one.len(), AGENTS);
        assert!(one.values().all(|findings| findings.len() == FINDINGS), "{:?}", one.values().map(Vec::len));
        assert_ne!(one, other);
    }
}
