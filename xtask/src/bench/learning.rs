//! The suite `learning`: what a review, a task and a word about an entry cost, and what is believed of every entry of a large store.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::context::{Failure, capture, failed};
use crate::harness::corpus::Lesson;
use crate::harness::figure::{Figure, grouped};
use crate::harness::measure::{self, Series, progress};
use crate::harness::probe::{series, texts};
use crate::harness::report::Report;
use crate::harness::scratch;
use crate::harness::session::{Session, text};
use crate::harness::{Suite, Tool};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/benchmarks.md"),
    sizes: [&[10_000], &[10_000]],
    needs: &[Tool::Ken, Tool::Probe],
    ..Suite::bench("learning", run)
};

/// Agents of a review.
const AGENTS: usize = 8;
/// Findings of one agent.
const FINDINGS: usize = 25;
/// Entries that speak of one file.
const ENTRIES_PER_FILE: usize = 10;
/// Findings in one report that is far too long, in a quick run and in a full one: the model embeds each.
const LONG: [usize; 2] = [500, 10_000];
/// Tasks before searching is measured once more.
const TASKS: [usize; 2] = [500, 2_000];
/// Entries of the store whose beliefs are asked, and observations of each.
const BELIEVED: [usize; 2] = [10_000, 100_000];
const OBSERVATIONS: usize = 10;
/// When the entries of that store were added, as people and as machines write it.
const ADDED: (&str, &str) = ("2024-01-01T00:00:00Z", "1704067200000");

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let mut figures = Vec::new();
    for size in &session.sizes {
        figures.extend(of_size(session, *size)?);
    }
    figures.extend(beliefs(session, session.effort.pick(BELIEVED[0], BELIEVED[1]))?);
    Ok(Report::new(figures)
        .note(format!(
            "a review has {AGENTS} agents with {FINDINGS} findings each: half say what an entry says, every second of them in its words, a \
             quarter is found by two agents, a quarter is new"
        ))
        .note("vectors of the stores point in no particular direction; those of findings are the model's"))
}

/// A store of lessons about so many files.
fn fill(
    session: &Session<'_>,
    name: &str,
    entries: usize,
    files: usize,
    added: Option<&str>,
) -> Result<PathBuf, Failure> {
    progress(&format!("a store of {} entries about {files} files", grouped(entries as u64)));
    let root = session.scratch.repository(name)?;
    let made = (0..files).try_for_each(|at| {
        let code: String = (1..=40).map(|line| format!("pub fn step_{line}() {{}} // {at}\n")).collect();
        fs::write(root.join(path(at)), code)
    });
    made.map_err(|error| Failure::Failed(format!("cannot write scratch code: {error}")))?;
    session.commit(&root, "code")?;
    capture(&mut session.ken(&root, &["init"]))?;
    let source = session.write(&format!("{name}.jsonl"), lessons(entries, files))?;
    let mut add = session.ken(&root, &["add"]);
    add.envs(added.map(|when| ("KEN_NOW", when)));
    session.add_lines_by(add, &source, entries)?;
    Ok(root)
}

fn of_size(session: &Session<'_>, entries: usize) -> Result<Vec<Figure>, Failure> {
    let files = (entries / ENTRIES_PER_FILE).max(1);
    let root = fill(session, &format!("learning-{entries}"), entries, files, None)?;
    session.probe().ask(&["synthetic-vectors", &text(&root)])?;
    let mut figures = searches(session, &root, entries, ["learning.cold_search", "learning.warm_search"])?;
    figures.extend(reviews(session, &root, entries, files)?);
    figures.extend(tasks(session, &root)?);
    let long = session.effort.pick(LONG[0], LONG[1]);
    let long_figures = long_report(session, &root, files, long)?;
    let many = session.effort.pick(TASKS[0], TASKS[1]);
    progress(&format!("{} tasks", grouped(many as u64)));
    session.probe().ask(&["used", &text(&root), &many.to_string()])?;
    let names = ["learning.cold_search_used", "learning.warm_search_used"];
    figures.extend(
        searches(session, &root, entries, names)?
            .into_iter()
            .map(|figure| figure.note(format!("{} tasks", grouped(many as u64)))),
    );
    let sized = figures.into_iter().map(|figure| figure.at(entries));
    Ok(sized.chain(long_figures.into_iter().map(|figure| figure.at(long))).collect())
}

/// What searching costs: beliefs and what is used together are read with every answer.
fn searches(
    session: &Session<'_>,
    root: &Path,
    entries: usize,
    names: [&str; 2],
) -> Result<Vec<Figure>, Failure> {
    progress("searches");
    let questions: Vec<String> = (0..120).map(|at| question(at, entries)).collect();
    let asked = session.write("questions", questions.join("\n"))?;
    measure::command(&mut session.ken(root, &["search", &questions[0]]))?;
    let (mut cold, mut empty) = (Series::default(), Series::default());
    for question in questions.iter().take(session.effort.short_rounds()) {
        cold.push(measure::command(&mut session.ken(root, &["search", question]))?.0);
        empty.push(measure::command(&mut session.empty(root)?)?.0);
    }
    let warm = session.probe().ask(&["warm", &text(root), &text(&asked), "100"])?;
    Ok(vec![
        Figure::time(names[0], &cold).floor_time("start of an empty program", &empty),
        Figure::time(names[1], &series(&warm, "micros")),
    ])
}

fn reviews(session: &Session<'_>, root: &Path, entries: usize, files: usize) -> Result<Vec<Figure>, Failure> {
    let rounds = session.effort.pick(5, 11);
    progress(&format!("{} reviews", 2 * rounds));
    let reports: Vec<_> = (0..2 * rounds).map(|round| review(round, entries, files)).collect();
    let found = session.write("reviews.json", json!(reports).to_string())?;
    let begun = session.probe().ask(&["reviews", &text(root), &text(&found)])?;
    let runs = texts(&begun, "runs");
    let (inside, outside) = runs.split_at(rounds.min(runs.len()));
    let mut arguments = vec!["complete".to_owned(), text(root)];
    arguments.extend(inside.iter().cloned());
    scratch::settle();
    let answer = session.probe().ask(&arguments.iter().map(String::as_str).collect::<Vec<_>>())?;
    progress(&format!("the first of them came to {}", answer["came"][0]));
    let mut whole = Series::default();
    for run in outside {
        let (sample, answer) = session.json(root, &["review", "complete", "--run", run])?;
        if answer["confirmed"].as_array().is_none_or(Vec::is_empty) {
            return failed(format!("nothing was confirmed: {}", answer["warnings"]));
        }
        whole.push(sample);
    }
    let library = series(&answer, "micros");
    Ok(vec![
        Figure::time("learning.review_start", &series(&begun, "start")),
        Figure::time("learning.review_report", &series(&begun, "report")),
        Figure::time("learning.review_complete_library", &library),
        Figure::time("learning.review_complete", &whole).floor_time("in the library", &library),
    ])
}

fn tasks(session: &Session<'_>, root: &Path) -> Result<Vec<Figure>, Failure> {
    progress("tasks and words about entries");
    let rounds = session.effort.short_rounds().to_string();
    let answer = session.probe().ask(&["tasks", &text(root), &rounds])?;
    let names = [
        ("learning.task_start", "start"),
        ("learning.task_finish", "finish"),
        ("learning.confirm", "confirm"),
        ("learning.feedback", "feedback"),
    ];
    Ok(names.map(|(name, word)| Figure::time(name, &series(&answer, word))).into())
}

/// More findings than anybody reads.
fn long_report(
    session: &Session<'_>,
    root: &Path,
    files: usize,
    long: usize,
) -> Result<Vec<Figure>, Failure> {
    progress(&format!("a report of {} findings", grouped(long as u64)));
    let findings: Vec<Value> = (0..long).map(|at| new_finding(1_000_000 + at, files)).collect();
    let report = BTreeMap::from([("everything", findings)]);
    let found = session.write("long.json", json!([report]).to_string())?;
    let begun = session.probe().ask(&["reviews", &text(root), &text(&found)])?;
    let runs = texts(&begun, "runs");
    let Some(run) = runs.first() else { return failed("no review was begun") };
    let (whole, _) = session.json(root, &["review", "complete", "--run", run])?;
    Ok(vec![
        Figure::rate("learning.long_report", long, &series(&begun, "report")),
        Figure::rate("learning.long_complete", long, &whole.into()),
    ])
}

fn beliefs(session: &Session<'_>, entries: usize) -> Result<Vec<Figure>, Failure> {
    let files = (entries / ENTRIES_PER_FILE).max(1);
    let root = fill(session, &format!("beliefs-{entries}"), entries, files, Some(ADDED.0))?;
    progress(&format!("{OBSERVATIONS} observations of each"));
    let times = OBSERVATIONS.to_string();
    let written = session.probe().ask(&["observe", &text(&root), &times, ADDED.1])?;
    let took: Series =
        [Duration::from_secs_f64(written["seconds"].as_f64().unwrap_or(0.0))].into_iter().collect();
    scratch::settle();
    let rounds = session.effort.pick("5", "11");
    let answer = session.probe().ask(&["beliefs", &text(&root), rounds, &times])?;
    if answer["entries"].as_u64() != Some(entries as u64) {
        return failed(format!("of {entries} entries {} are believed", answer["entries"]));
    }
    let folded = series(&answer, "folded");
    let floor = "from records in memory";
    let figures = [
        Figure::time("learning.beliefs_folded", &folded),
        Figure::time("learning.beliefs_open", &series(&answer, "warm")).floor_time(floor, &folded),
        Figure::time("learning.beliefs_cold", &series(&answer, "cold")).floor_time(floor, &folded),
        Figure::rate("learning.observe", entries * OBSERVATIONS, &took),
    ];
    Ok(figures.into_iter().map(|figure| figure.at(entries)).collect())
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

/// A question that one of the entries answers, no two alike: its title, its claim, or a name in it. What nobody wrote about gets no
/// answer, and would be no measure of answering.
fn question(at: usize, entries: usize) -> String {
    let number = at.wrapping_mul(7_919) % entries.max(1);
    let claim = Claim::number(number);
    match at % 3 {
        0 => claim.title,
        1 => claim.claim,
        _ => format!("`{}_{number}`", made_up(number.wrapping_mul(6))),
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
