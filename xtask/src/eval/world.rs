//! The suite `world`: what `ken harvest` makes of conversations that strangers had, beside what two readers would keep of them; and how its
//! weights would do on repositories that they were not learned on. The labels are in `evals/world`, the conversations where `KEN_CORPORA` says.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::pairs::{need, percent, read_file};
use super::sets::VARIABLE;
use super::world_rules;
use crate::context::{Failure, capture, failed};
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::harness::{Suite, Tool};
use crate::page;
use crate::train_harvest::{self, RECORDS_APART_MAX, together};

pub(crate) const SUITE: Suite = Suite {
    flags: &[Flag { name: "--told", takes: Takes::Nothing }, Flag { name: "--rules", takes: Takes::Nothing }],
    needs: &[Tool::Ken],
    optimised: false,
    corpora: true,
    ..Suite::evaluation("world", run)
};

const LABELS: &str = "evals/world/harvest.jsonl";
const SESSIONS: &str = "corpora/transcripts/dev.tar.xz";

/// What the readers would keep of a conversation.
#[derive(Default)]
struct Labelled {
    /// The record of each thing, by reader.
    by_reader: BTreeMap<String, Vec<u64>>,
}

impl Labelled {
    /// The records of things, those of both readers as one where they mean the same.
    fn things(&self) -> Vec<Vec<u64>> {
        together(&self.by_reader.values().flatten().copied().collect::<Vec<u64>>())
    }
}

/// What came of some conversations.
#[derive(Clone, Copy, Default)]
struct Count {
    sessions: usize,
    drafts: usize,
    worth_keeping: usize,
    things: usize,
    found: usize,
    /// Conversations of which nobody keeps anything, and those of them from which nothing was drafted.
    silent: (usize, usize),
}

impl Count {
    fn add(&mut self, other: Count) {
        self.sessions += other.sessions;
        self.drafts += other.drafts;
        self.worth_keeping += other.worth_keeping;
        self.things += other.things;
        self.found += other.found;
        self.silent = (self.silent.0 + other.silent.0, self.silent.1 + other.silent.1);
    }

    fn row(&self, name: &str) -> [String; 7] {
        [
            name.to_owned(),
            self.sessions.to_string(),
            self.drafts.to_string(),
            format!("{} ({:.0} %)", self.worth_keeping, percent(self.worth_keeping, self.drafts)),
            self.things.to_string(),
            format!("{} ({:.0} %)", self.found, percent(self.found, self.things)),
            format!("{} of {}", self.silent.1, self.silent.0),
        ]
    }
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let Some(corpora) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) else {
        let skipped = format!("the conversations were SKIPPED: {VARIABLE} is not set");
        return Ok(Report { skipped: vec![skipped], ..Report::default() });
    };
    let corpora = PathBuf::from(corpora);
    // `--rules` measures the instruction files alone.
    if session.flags.has("--rules") {
        let (figures, tables) = world_rules::report(session, &corpora)?;
        return Ok(Report { tables, ..Report::new(figures) });
    }
    let archive = corpora.join(SESSIONS);
    if !archive.is_file() {
        return failed(format!("{} is not there", archive.display()));
    }
    let folder = session.scratch.folder.join("conversations");
    fs::create_dir_all(&folder).map_err(|error| Failure::Failed(format!("a scratch folder: {error}")))?;
    let mut unpack = Command::new("tar");
    unpack.arg("xJf").arg(&archive).arg("-C").arg(&folder);
    capture(&mut unpack)?;
    let rows = read_file(&session.context.root, LABELS, |row| {
        let name = need(row, "session")?.to_owned();
        let lines = row["keep"].as_array().into_iter().flatten().filter_map(|kept| kept["line"].as_u64());
        Ok((name, need(row, "reader")?.to_owned(), lines.collect::<Vec<u64>>()))
    })?;
    let mut labelled: BTreeMap<String, Labelled> = BTreeMap::new();
    for (name, reader, lines) in rows {
        labelled.entry(name).or_default().by_reader.insert(reader, lines);
    }
    let mut parts: BTreeMap<String, Count> = BTreeMap::new();
    let mut all = Count::default();
    for (name, labels) in &labelled {
        let count = count(session, &folder.join("dev").join(name), name, labels)?;
        let (repository, rest) = name.split_once('/').unwrap_or((name, ""));
        let host = rest.split('/').next().unwrap_or_default();
        parts.entry(format!("{repository}, {host}")).or_default().add(count);
        all.add(count);
    }
    let mut report = Report::new(vec![
        Figure::new("world.harvest_kept", percent(all.worth_keeping, all.drafts)).at(all.sessions),
        Figure::new("world.harvest_found", percent(all.found, all.things)).at(all.sessions),
        Figure::new("world.harvest_quiet", percent(all.silent.1, all.silent.0)).at(all.sessions),
    ]);
    let rows: Vec<[String; 7]> =
        parts.iter().map(|(name, count)| count.row(name)).chain([all.row("all")]).collect();
    let head = [
        "Conversations of",
        "Number",
        "Drafts",
        "Worth keeping",
        "To keep",
        "Found",
        "Quiet where nothing is",
    ];
    let (figures, rules) = world_rules::report(session, &corpora)?;
    report.figures.extend(figures);
    report.tables = page::table(head, &rows);
    if let Some(conversations) = train_harvest::gather(&session.context.root)? {
        report.tables.push_str("\nThe weights of `ken harvest` were learned on these conversations. Each repository with weights that were learned on the others alone, words only:\n\n");
        report.tables.push_str(&train_harvest::left_out(&conversations));
    }
    report.tables.push('\n');
    report.tables.push_str(&rules);
    Ok(report)
}

/// Harvests a conversation into a repository of its own.
fn count(session: &Session<'_>, file: &Path, name: &str, labels: &Labelled) -> Result<Count, Failure> {
    let root = session.scratch.folder.join("repository");
    if root.exists() {
        fs::remove_dir_all(&root).map_err(|error| Failure::Failed(format!("a scratch folder: {error}")))?;
    }
    fs::create_dir_all(&root).map_err(|error| Failure::Failed(format!("a scratch folder: {error}")))?;
    let mut git = Command::new("git");
    git.args(["init", "-q"]).current_dir(&root);
    capture(&mut git)?;
    session.json(&root, &["init"])?;
    let path = file.display().to_string();
    let (_, answer) = session.json(&root, &["harvest", &path, "--all", "--dry-run"])?;
    let drafts: Vec<&Value> = answer["drafts"].as_array().into_iter().flatten().collect();
    let things = labels.things();
    let lies_at = |draft: &Value, thing: &[u64]| {
        let last = draft["lines"][1].as_u64().unwrap_or_default();
        thing.iter().any(|line| line.abs_diff(last) <= RECORDS_APART_MAX)
    };
    let is_worth_keeping = |draft: &&&Value| things.iter().any(|thing| lies_at(draft, thing));
    if session.flags.has("--told") {
        for draft in &drafts {
            let mark = if is_worth_keeping(&draft) { "kept " } else { "noise" };
            println!("{mark} {name}:{} {}", draft["lines"][1], draft["statement"]);
        }
    }
    Ok(Count {
        sessions: 1,
        drafts: drafts.len(),
        worth_keeping: drafts.iter().filter(is_worth_keeping).count(),
        things: things.len(),
        found: things.iter().filter(|thing| drafts.iter().any(|draft| lies_at(draft, thing))).count(),
        silent: (usize::from(things.is_empty()), usize::from(things.is_empty() && drafts.is_empty())),
    })
}
