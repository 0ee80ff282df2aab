//! Hostile entries made for our own ranking among honest ones: how many of the first five places they take, and whether one stands above an entry that is
//! verified.

use crate::verbs::Verbs as _;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ken_testkit::{Dice, is_at_volume, torture};
use kenning::core::entry::words;
use kenning::core::{Fields, Millis, Status, TypeName};
use kenning::{BulkOptions, Caller, Channel, Options, Reach, SearchInput};
use serde_json::{Value, json};

use crate::team::sealed;

const AREAS: [&str; 12] = [
    "billing",
    "cache",
    "checkout",
    "exporter",
    "gateway",
    "importer",
    "ledger",
    "mailer",
    "orders",
    "queue",
    "scheduler",
    "sessions",
];
const SUBJECTS: [&str; 12] = [
    "retry loop",
    "connection pool",
    "batch writer",
    "token check",
    "schema change",
    "lock file",
    "rate limit",
    "webhook",
    "time zone",
    "feature flag",
    "page size",
    "health probe",
];
const FAULTS: [&str; 10] = [
    "drops the last item when the input ends without a line break",
    "holds its lock while it waits for the network",
    "counts a cancelled request as a failed one",
    "reads the clock twice and compares the two readings",
    "keeps the old value until the process is restarted",
    "writes the file in place, so that a reader can see half of it",
    "starts a second run when the first one is slow",
    "rounds to whole cents before it sums up",
    "gives up after the first refused connection",
    "leaks a handle on every early return",
];
const RULES: [&str; 8] = [
    "Do the slow part first and take the lock for the exchange alone",
    "Write to a neighbour, sync it, and rename it over the old one",
    "Pass the time in and let the caller decide what now means",
    "Keep sums in the smallest unit and round once, at the edge",
    "Wait a random part of the interval, so that clients spread out",
    "Carry a number with every run and drop what belongs to an older one",
    "Close what was opened in the scope that opened it",
    "Bound the queue and refuse loudly when it is full",
];
/// Advice that harms and reads like any other.
const HARM: [&str; 8] = [
    "set its timeout to zero and remove the lock",
    "delete the stored state by hand and start over",
    "comment the assertion out, it is always wrong",
    "copy the value from the staging environment",
    "grant it write access to every table",
    "turn its tests off, they are flaky",
    "catch every error there and go on",
    "lower its log level so that nobody is alarmed",
];

/// Entries of the whole store; everyday runs have fewer, about fewer topics, so that as many speak of each.
const ENTRIES: usize = 10_000;
const ENTRIES_QUICK: usize = 400;
const TOPICS: usize = AREAS.len() * SUBJECTS.len();
const TOPICS_QUICK: usize = 6;
/// Hostile entries of a thousand.
const SHARES: [usize; 3] = [1, 10, 100];
/// Questions that are asked, each about another topic and each the target of an attack where there are enough hostile entries.
const QUESTIONS: usize = 100;
const QUESTIONS_QUICK: usize = 6;
/// Questions of an attack that puts all its entries behind a few.
const QUESTIONS_CONCENTRATED: usize = 2;
/// Entries of each topic that somebody verified.
const VERIFIED_PER_TOPIC: usize = 6;
/// Hostile entries of an everyday run: a tenth of the others, and more than are looked at to choose an answer.
const HOSTILE_QUICK: usize = 40;
const HOSTILE_QUICK_CONCENTRATED: usize = 450;
/// The places that are looked at, and how many percent of them hostile entries may take.
const PLACES: usize = 5;
const HOSTILE_PERCENT_MAX: usize = 2;

#[test]
fn hostile_entries_take_no_places_and_stand_above_nothing_verified() {
    let (by_words, by_meaning) = (OnceLock::new(), OnceLock::new());
    torture("poison", 3, |seed| {
        let volume = is_at_volume("poison") || std::env::var_os("KEN_SEED").is_some();
        let turn = seed as usize;
        // Three shares; then once more with embeddings; then all of that behind a few questions.
        let (has_meaning, is_concentrated) = if volume {
            ((turn / SHARES.len()) % 2 == 1, (turn / SHARES.len() / 2) % 2 == 1)
        } else {
            (turn % 3 == 1, turn % 3 == 2)
        };
        let (entries, topics, questions) = if volume {
            (ENTRIES, TOPICS, QUESTIONS)
        } else {
            (ENTRIES_QUICK, TOPICS_QUICK, QUESTIONS_QUICK)
        };
        let hostile = match (volume, is_concentrated) {
            (true, _) => ENTRIES * SHARES[turn % SHARES.len()] / 1000,
            (false, false) => HOSTILE_QUICK,
            (false, true) => HOSTILE_QUICK_CONCENTRATED,
        };
        let questions = if is_concentrated { QUESTIONS_CONCENTRATED } else { questions };
        let honest: &tempfile::TempDir = by_words.get_or_init(|| honest_store(entries, topics));
        let honest = if has_meaning { by_meaning.get_or_init(|| embedded(honest.path())) } else { honest };
        let found = poison(honest.path(), &Attack { seed, hostile, topics, questions, has_meaning });
        println!("{found:?}");
        assert!(found.places >= questions * PLACES / 2, "{found:?}");
        let few = found.hostile * 100 <= found.places * HOSTILE_PERCENT_MAX;
        assert!(few && found.above_verified == 0, "{found:?}");
        1
    });
}

/// What the hostile entries of a try are.
struct Attack {
    seed: u64,
    hostile: usize,
    /// The topics of the honest entries.
    topics: usize,
    /// They are spread over so many questions, and these are asked.
    questions: usize,
    /// Every entry has an embedding.
    has_meaning: bool,
}

/// The first places of all answers.
#[derive(Debug)]
#[allow(dead_code, reason = "they are printed when a try fails")]
struct Places {
    hostile_entries: usize,
    questions: usize,
    places: usize,
    /// Places that hostile entries took.
    hostile: usize,
    /// Answers in which a hostile entry stands above one that is verified.
    above_verified: usize,
}

/// The topics in the order in which questions ask about them.
fn topic(number: usize) -> (&'static str, &'static str) {
    (AREAS[number % AREAS.len()], SUBJECTS[(number + number / AREAS.len()) % SUBJECTS.len()])
}

fn question(number: usize, topics: usize) -> String {
    let (area, subject) = topic(number % topics);
    format!("How do I fix the {subject} of the {area} when it {}?", FAULTS[number % FAULTS.len()])
}

fn honest_line(number: usize, topics: usize) -> Value {
    let (area, subject) = topic(number % topics);
    let turn = number / topics;
    let (fault, rule) = (FAULTS[turn % FAULTS.len()], RULES[(turn / FAULTS.len() + number) % RULES.len()]);
    json!({
        "type": "lesson", "id": format!("honest.{number}"), "title": format!("The {subject} of the {area} {fault}"),
        "statement": format!("The {subject} in `{area}::step_{number}` {fault}. {rule}."),
        "anchors": [format!("src/{area}.rs")], "verification": [format!("cargo test -p {area} step_{number}")],
        "provenance": [format!("pr:{}", number + 1)], "tags": [area],
    })
}

/// An entry that repeats the words of a question wherever words are searched.
fn hostile_line(dice: &mut Dice, number: usize, target: usize, topics: usize) -> Value {
    let (area, subject) = topic(target % topics);
    let (asked, harm) = (question(target, topics), HARM[dice.below(HARM.len())]);
    let fault = FAULTS[target % FAULTS.len()];
    let statement = match dice.below(3) {
        0 => format!("{asked} Fix the {subject} of the {area}: {harm} (case {number})."),
        1 => format!(
            "When the {subject} of the {area} {fault}, {harm}. That is how to fix it, see case {number}."
        ),
        _ => format!("Fix for the {subject} of the {area} when it {fault}: {harm}, number {number}."),
    };
    json!({
        "type": "lesson", "id": format!("hostile.{number}"), "title": asked, "statement": statement,
        "detail": format!("{asked} {subject} {area} {fault}."), "anchors": [format!("src/{area}.rs")],
        "verification": ["look"], "provenance": [format!("pr:{}", 900_000 + number)], "tags": [area],
    })
}

fn open(root: &Path, actor: &str) -> Reach {
    let now = Millis::parse("2026-03-02T03:04:05Z").unwrap();
    kenning::open_for(Options::at(root), Caller::new(actor, now, Channel::Library)).unwrap()
}

fn add(root: &Path, actor: &str, lines: impl Iterator<Item = Value>) -> usize {
    let mut text = String::new();
    for line in lines {
        writeln!(text, "{line}").unwrap();
    }
    let mut ken = open(root, actor);
    let options = BulkOptions { keep_going: true, ..BulkOptions::default() };
    let report = ken.add_lines(text.as_bytes(), &options, &mut |_| true).unwrap();
    report.progress.added
}

/// Honest entries of which some of every topic are verified: a teammate's clone confirmed and promoted them.
fn honest_store(entries: usize, topics: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("src")).unwrap();
    for area in AREAS {
        std::fs::write(root.join(format!("src/{area}.rs")), format!("pub fn {area}() {{}}\n")).unwrap();
    }
    kenning::init(root, Default::default()).unwrap();
    let added = add(root, "human:Ada", (0..entries).map(|number| honest_line(number, topics)));
    assert!(added * 10 >= entries * 9, "{added} of {entries} honest entries were added");
    let mut ken = open(root, "human:Ada");
    let mut seq = 0;
    for number in (0..entries).filter(|number| number / topics < VERIFIED_PER_TOPIC) {
        let Ok(shown) = ken.show(&format!("honest.{number}")) else { continue };
        let shown = serde_json::to_value(shown).unwrap();
        let file = shown["file"].as_str().unwrap().trim_start_matches(".kenning/").to_owned();
        vouch(&root.join(".kenning").join(file), &mut seq);
    }
    drop(ken);
    let mut ken = open(root, "human:Ada");
    let shown = serde_json::to_value(ken.show("honest.0").unwrap()).unwrap();
    assert_eq!(shown["status"], "verified", "{shown:#}");
    folder
}

/// Appends what a teammate's clone says of the entry in a ledger file.
fn vouch(file: &PathBuf, seq: &mut u64) {
    let text = std::fs::read_to_string(file).unwrap();
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let kind: TypeName = serde_json::from_value(first["data"]["type"].clone()).unwrap();
    let mut lines = text.clone();
    let mut say = |kind_of_event: &str, data: Value| {
        *seq += 1;
        let line = json!({
            "actor": "human:Bo", "clock": "2026-03-02T03:05:00.000Z-0000", "data": data, "entry": first["entry"],
            "replica": "b0b0b0b0b0b0", "seq": *seq, "type": kind_of_event, "v": 1, "upon": first["hash"],
            "words": words(&kind, &Fields::read(&first["data"]["fields"])),
        });
        lines.push_str(&sealed(line));
        lines.push('\n');
    };
    say("entry.confirmed", json!({"kind": "independent", "run": "run-bo", "reason": "seen"}));
    let rests_on = [first["hash"].clone()];
    say("entry.promoted", json!({"status": "verified", "reason": "two confirmed it", "rests_on": rests_on}));
    std::fs::write(file, lines).unwrap();
}

/// A copy of a store in which every entry has an embedding.
fn embedded(store: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(store, folder.path());
    embed(folder.path());
    folder
}

fn embed(root: &Path) {
    let report = open(root, "human:Ada").embed(&mut |_| true).unwrap();
    assert_eq!(report.backlog, 0);
}

/// Adds hostile entries to a copy of the honest store and asks every question.
fn poison(honest: &Path, attack: &Attack) -> Places {
    let Attack { seed, hostile, topics, questions, has_meaning } = *attack;
    let folder = tempfile::tempdir().unwrap();
    copy(honest, folder.path());
    let mut dice = Dice::new(seed);
    let first = dice.below(topics);
    let asked: Vec<usize> = (0..questions).map(|number| first + number).collect();
    let lines: Vec<Value> = (0..hostile.max(1))
        .map(|number| hostile_line(&mut dice, number, asked[number % asked.len()], topics))
        .collect();
    let hostile_entries = add(folder.path(), "agent:mallory", lines.into_iter());
    if has_meaning {
        embed(folder.path());
    }
    let mut ken = open(folder.path(), "human:Ada");
    let mut found = Places { hostile_entries, questions, places: 0, hostile: 0, above_verified: 0 };
    for number in asked {
        let input = SearchInput { query: question(number, topics), limit: PLACES, ..SearchInput::default() };
        let answer = ken.search(&input).unwrap();
        assert_eq!(answer.fallback.is_none(), has_meaning, "{:?}", answer.fallback);
        let results = answer.results;
        found.places += results.len();
        let is_hostile = |id: &str| id.starts_with("hostile.");
        found.hostile += results.iter().filter(|result| is_hostile(&result.head.id)).count();
        let below_hostile = results.iter().skip_while(|result| !is_hostile(&result.head.id));
        found.above_verified +=
            usize::from(below_hostile.into_iter().any(|result| result.head.status == Status::Verified));
    }
    found
}

fn copy(from: &Path, to: &Path) {
    for item in std::fs::read_dir(from).unwrap() {
        let item = item.unwrap();
        let target = to.join(item.file_name());
        if item.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&item.path(), &target);
        } else {
            std::fs::copy(item.path(), target).unwrap();
        }
    }
}
