//! The suite `upkeep`: a year of a store that is used and maintained every day. Recall must not fall, and nothing may grow without bound
//! (UPK-8).
//!
//! The entries and questions are those of `evals/recall`. Every day some questions are asked, now and then an entry is added that is new or
//! says what another says, a task ends well with what it found, and `ken maintain` runs with everything allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use ken_core::Millis;
use serde_json::{Value, json};

use super::pairs::read_file;
use crate::context::{Failure, capture, failed};
use crate::harness::figure::Figure;
use crate::harness::measure::{self, Series, progress};
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::harness::{Suite, Tool};
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/upkeep-quality.md"),
    needs: &[Tool::Ken],
    optimised: false,
    ..Suite::evaluation("upkeep", run)
};

const ENTRIES: &str = "evals/recall/entries.jsonl";
const QUESTIONS: &str = "evals/recall/queries.jsonl";
/// Days in a quick run, and in a full one.
const DAYS: [usize; 2] = [120, 365];
/// Questions that are asked on a day.
const ASKED_A_DAY: usize = 6;
/// Days from one look at everything to the next, and from one commit to the next.
const LOOK_DAYS: usize = 30;
/// Days from one added entry, and from one finished task, to the next.
const ADD_DAYS: usize = 2;
const TASK_DAYS: usize = 7;
/// An entry is found if it is among the first so many.
const FIRST: usize = 5;
/// When the year begins.
const BEGUN: Millis = Millis(1_767_225_600_000);
const DAY_MILLIS: i64 = 86_400_000;

struct Question {
    text: String,
    /// Ids of entries that answer it.
    relevant: BTreeSet<String>,
}

/// How a store stands on some day.
struct Look {
    day: usize,
    /// Questions with an answer among the first, in hundredths.
    found: f64,
    tracked: u64,
    clone: u64,
    /// Questions without one.
    missed: Vec<String>,
    statuses: BTreeMap<String, u64>,
}

/// What became of a store in a year.
struct Year {
    looks: Vec<Look>,
    /// `ken maintain` in the first quarter, and in the last.
    early: Series,
    late: Series,
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    progress("a year with maintenance");
    let with = year(session, "upkeep", true)?;
    progress("the same year without");
    let without = year(session, "neglect", false)?;
    Ok(report(&with, &without))
}

fn year(session: &Session<'_>, name: &str, is_maintained: bool) -> Result<Year, Failure> {
    let days = session.effort.pick(DAYS[0], DAYS[1]);
    let entries = read_file(&session.context.root, ENTRIES, |line| Ok(line.clone()))?;
    let questions = questions(&session.context.root)?;
    let root = session.scratch.repository(name)?;
    let store = Store { session, root: &root };
    capture(&mut store.on(0, &["init"]))?;
    let config = root.join(".kenning/config.toml");
    let settings = fs::read_to_string(&config).unwrap_or_default() + "\n[maintain]\nlevel = \"autonomous\"\n";
    measure::work("write the settings", || fs::write(&config, settings))?;
    let source: String = entries.iter().map(|entry| stated(entry, "") + "\n").collect();
    store.add(0, &source)?;
    capture(&mut store.on(0, &["embed"]))?;
    session.commit(&root, "entries")?;
    let mut looks = vec![store.look(0, &questions)?];
    let (mut early, mut late) = (Series::default(), Series::default());
    for day in 1..=days {
        for at in 0..ASKED_A_DAY {
            let question = &questions[(day * ASKED_A_DAY + at) * 7 % questions.len()];
            let found = store.search(&mut store.on(day, &[]), &question.text)?;
            if at == 0 && day % TASK_DAYS == 0 {
                store.task(day, &question.text, found.first())?;
            }
        }
        if day % ADD_DAYS == 0 {
            let entry = &entries[day * 13 % entries.len()];
            // Every second of them says what another says.
            let line = if day % (2 * ADD_DAYS) == 0 { stated(entry, " Remember this.") } else { news(day) };
            store.add(day, &(line + "\n"))?;
        }
        if is_maintained {
            let (sample, _) = measure::command(&mut store.on(day, &["maintain", "--json"]))?;
            if day <= days / 4 {
                early.push(sample);
            } else if day > days - days / 4 {
                late.push(sample);
            }
        }
        if is_maintained && day % LOOK_DAYS == 0 || day == days {
            session.commit(&root, &format!("day {day}"))?;
            looks.push(store.look(day, &questions)?);
            progress(&format!("day {day}: {:.1} % found", looks[looks.len() - 1].found));
        }
    }
    Ok(Year { looks, early, late })
}

fn report(with: &Year, without: &Year) -> Report {
    let looks = &with.looks;
    let (last, neglected) = (&looks[looks.len() - 1], &without.looks[without.looks.len() - 1]);
    // Growth of the last third beside that of the third before it.
    let third = looks.len() / 3;
    let grown = |from: usize, to: usize| {
        (looks[to].tracked as f64 - looks[from].tracked as f64)
            / (looks[to].day - looks[from].day).max(1) as f64
    };
    let (middle, end) = (grown(third, 2 * third), grown(2 * third, looks.len() - 1));
    let rows: Vec<[String; 6]> = looks
        .iter()
        .map(|look| {
            let of = |word: &str| look.statuses.get(word).copied().unwrap_or(0);
            [
                look.day.to_string(),
                format!("{:.1} %", look.found),
                (of("candidate") + of("active") + of("verified")).to_string(),
                format!("{} / {}", of("stale"), of("superseded")),
                format!("{} kB", look.tracked / 1000),
                format!("{} kB", look.clone / 1000),
            ]
        })
        .collect();
    let figures = vec![
        Figure::new("upkeep.recall_lost", neglected.found - last.found).at(last.day),
        Figure::new("upkeep.growth", end / middle.max(1.0)).at(last.day),
        Figure::time("upkeep.maintain", &with.late)
            .floor_time("the same in the first quarter", &with.early)
            .at(last.day),
    ];
    let lost: Vec<&str> =
        last.missed.iter().filter(|text| !neglected.missed.contains(text)).map(String::as_str).collect();
    let header = ["Day", "Found", "Handed out", "Stale / merged", "Tracked", "Of the clone"];
    Report { tables: page::table(header, &rows), ..Report::new(figures) }
        .note(format!(
            "{ASKED_A_DAY} questions a day, an entry every {ADD_DAYS} days of which every second says what another says, a task every {TASK_DAYS} \
             days, `ken maintain` daily with `maintain.level = autonomous`; found: an entry that answers is among the first {FIRST}"
        ))
        .note(format!(
            "the same year without maintenance ends with {:.1} % found; what is answered only then: {}",
            neglected.found,
            if lost.is_empty() { "nothing".to_owned() } else { format!("{lost:?}") }
        ))
}

struct Store<'a> {
    session: &'a Session<'a>,
    root: &'a Path,
}

impl Store<'_> {
    /// `ken` on some day, as an agent.
    fn on(&self, day: usize, words: &[&str]) -> Command {
        let now = Millis(BEGUN.0 + day as i64 * DAY_MILLIS).date();
        let mut command = self.session.ken(self.root, words);
        command.env("KEN_NOW", now).env("KEN_ACTOR", "agent:dev").env("KEN_BACKGROUND", "0");
        command
    }

    fn add(&self, day: usize, lines: &str) -> Result<(), Failure> {
        let source = self.session.write("upkeep.jsonl", lines)?;
        let mut add = self.on(day, &["add", "--draft", "--json", "--file"]);
        let answer = capture(add.arg(&source))?;
        match serde_json::from_str::<Value>(&answer) {
            Ok(_) => Ok(()),
            Err(error) => failed(format!("`ken add` did not answer in JSON: {error}")),
        }
    }

    /// The ids of what is found.
    fn search(&self, command: &mut Command, question: &str) -> Result<Vec<String>, Failure> {
        let limit = FIRST.to_string();
        let text = capture(command.args(["search", "--json", "--limit", &limit, "--", question]))?;
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        let results = answer["results"].as_array().into_iter().flatten();
        Ok(results.filter_map(|one| one["id"].as_str()).map(str::to_owned).collect())
    }

    fn task(&self, day: usize, goal: &str, used: Option<&String>) -> Result<(), Failure> {
        let run = format!("task-{day}");
        capture(&mut self.on(day, &["task", "start", "--goal", goal, "--run", &run]))?;
        let mut finish = self.on(day, &["task", "finish", "--run", &run, "--outcome", "success"]);
        if let Some(used) = used {
            finish.args(["--used", used]);
        }
        capture(&mut finish).map(drop)
    }

    /// Asks every question, and nothing is recorded of it.
    fn look(&self, day: usize, questions: &[Question]) -> Result<Look, Failure> {
        let mut found = 0;
        let mut missed = Vec::new();
        for question in questions {
            let mut quiet = self.on(day, &[]);
            quiet.env("KEN_READONLY", "1");
            let first = self.search(&mut quiet, &question.text)?;
            let is_found = first.iter().any(|id| question.relevant.contains(&named(id)));
            found += usize::from(is_found);
            if !is_found {
                missed.push(question.text.clone());
            }
        }
        let mut list = self.on(day, &["list", "--all", "--limit", "100000", "--json"]);
        let list = capture(list.env("KEN_READONLY", "1"))?;
        let list: Value = serde_json::from_str(&list).unwrap_or_default();
        let mut statuses = BTreeMap::new();
        for entry in list["items"].as_array().into_iter().flatten() {
            *statuses.entry(entry["status"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
        Ok(Look {
            day,
            found: 100.0 * found as f64 / questions.len() as f64,
            tracked: bytes_below(&self.root.join(".kenning")),
            clone: bytes_below(&self.root.join(".git/kenning")),
            missed,
            statuses,
        })
    }
}

/// The name that a fixture has for an entry: what says the same answers the same.
fn named(id: &str) -> String {
    id.split("-again").next().unwrap_or(id).to_owned()
}

fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => bytes_below(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// An entry of the fixture as a line of `ken add`; with a suffix it is another that says the same.
fn stated(entry: &Value, suffix: &str) -> String {
    let text = |name: &str| entry[name].as_str().unwrap_or_default();
    let id = if suffix.is_empty() { text("id").to_owned() } else { format!("{}-again", text("id")) };
    let line = json!({
        "type": "lesson",
        "id": id,
        "title": text("title"),
        "statement": format!("{}{suffix}", text("text")),
        "tags": entry["tags"],
        "provenance": ["pr:1"],
    });
    line.to_string()
}

/// An entry about something that no question asks for.
fn news(day: usize) -> String {
    let (subjects, verbs) = (
        ["invoice", "banner", "brochure", "voucher", "newsletter", "avatar", "locale"],
        ["renders", "expires", "rotates", "prints", "aligns"],
    );
    let (subject, verb) = (subjects[day % subjects.len()], verbs[day / 7 % verbs.len()]);
    let statement =
        format!("The {subject} of campaign {day} {verb} before the {subject} of the week after it.");
    json!({ "type": "lesson", "title": format!("The {subject} of campaign {day}"), "statement": statement, "provenance": ["pr:2"] })
        .to_string()
}

/// Questions that something answers.
fn questions(root: &Path) -> Result<Vec<Question>, Failure> {
    let read = read_file(root, QUESTIONS, |line| {
        let relevant = line["relevant"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(Question {
            text: line["query"].as_str().ok_or("it has no query")?.to_owned(),
            relevant: relevant.map(str::to_owned).collect(),
        })
    })?;
    Ok(read.into_iter().filter(|question| !question.relevant.is_empty()).collect())
}
