//! The part `rules` of the suite `world`: what `ken import` makes of the instruction files of strangers, beside the rules that two readers found in
//! them. The labels are in `evals/world`, the files where `KEN_CORPORA` says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::pairs::{need, percent, read_file};
use crate::context::{Failure, capture, failed};
use crate::harness::figure::Figure;
use crate::harness::session::Session;
use crate::page;

const LABELS: &str = "evals/world/rules.jsonl";
const FILES: &str = "corpora/rules/dev-rules.tar.xz";
const READERS: [&str; 2] = ["a", "b"];

/// A rule that a reader found.
struct Labelled {
    file: String,
    lines: (u64, u64),
    enforce: Option<String>,
    reader: String,
}

/// An entry that came in, with the lines of its file.
struct Imported {
    file: String,
    lines: (u64, u64),
    statement: String,
    enforce: Option<&'static str>,
    steps: usize,
}

/// What came of the files of a repository.
#[derive(Clone, Copy, Default)]
struct Count {
    entries: usize,
    labelled: usize,
    rules: usize,
    found: usize,
    /// Rules of each reader, and those of them that the other reader has as well.
    read: usize,
    agreed: usize,
    fragments: usize,
    incomplete: usize,
    steps: usize,
    proposed: usize,
    accepted: usize,
    enforceable: usize,
    covered: usize,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.entries += other.entries;
        self.labelled += other.labelled;
        self.rules += other.rules;
        self.found += other.found;
        self.read += other.read;
        self.agreed += other.agreed;
        self.fragments += other.fragments;
        self.incomplete += other.incomplete;
        self.steps += other.steps;
        self.proposed += other.proposed;
        self.accepted += other.accepted;
        self.enforceable += other.enforceable;
        self.covered += other.covered;
    }

    fn row(&self, name: &str) -> [String; 10] {
        let share = |part: usize, all: usize| format!("{part} of {all} ({:.0} %)", percent(part, all));
        [
            name.to_owned(),
            self.entries.to_string(),
            share(self.labelled, self.entries),
            share(self.found, self.rules),
            share(self.agreed, self.read),
            self.fragments.to_string(),
            self.incomplete.to_string(),
            self.steps.to_string(),
            share(self.accepted, self.proposed),
            share(self.covered, self.enforceable),
        ]
    }
}

/// Imports the files of each labelled repository. The answers are figures and a table.
pub(super) fn report(session: &Session<'_>, corpora: &Path) -> Result<(Vec<Figure>, String), Failure> {
    let archive = corpora.join(FILES);
    if !archive.is_file() {
        return failed(format!("{} is not there", archive.display()));
    }
    let folder = session.scratch.folder.join("instructions");
    make(&folder)?;
    let mut unpack = Command::new("tar");
    unpack.arg("xJf").arg(&archive).arg("-C").arg(&folder);
    capture(&mut unpack)?;
    let rows = read_file(&session.context.root, LABELS, |row| {
        let line = |name: &str| row[name].as_u64().ok_or_else(|| format!("`{name}` is missing"));
        let label = Labelled {
            file: need(row, "file")?,
            lines: (line("line")?, line("end")?),
            enforce: row["enforce"].as_str().map(str::to_owned),
            reader: need(row, "reader")?,
        };
        Ok((need(row, "repo")?, label))
    })?;
    let mut repositories: BTreeMap<String, Vec<Labelled>> = BTreeMap::new();
    for (repository, label) in rows {
        repositories.entry(repository).or_default().push(label);
    }
    let mut all = Count::default();
    let mut parts = Vec::new();
    for (name, labels) in &repositories {
        let (imported, incomplete) = import(session, &folder.join("dev-rules").join(name), labels)?;
        let count = Count { incomplete, ..count(session, name, labels, &imported) };
        all.add(count);
        parts.push(count.row(name));
    }
    parts.push(all.row("all"));
    let size = repositories.len();
    let figures = vec![
        Figure::new("world.rules_labelled", percent(all.labelled, all.entries)).at(size),
        Figure::new("world.rules_found", percent(all.found, all.rules)).at(size),
        Figure::new("world.rules_fragments", percent(all.fragments, all.entries)).at(size),
        Figure::new("world.rules_proposed", percent(all.accepted, all.proposed)).at(size),
        Figure::new("world.rules_enforceable", percent(all.covered, all.enforceable)).at(size),
    ];
    let head = [
        "Instruction files of",
        "Entries",
        "On the lines of a rule",
        "Rules found",
        "Readers agree",
        "Fragments",
        "Incomplete",
        "Steps invented",
        "Proposals that a reader has",
        "Enforceable rules proposed",
    ];
    Ok((figures, page::table(head, &parts)))
}

/// Imports the files that were labelled into a repository that holds nothing else, and reads from its ledger which lines became which entry. The second
/// answer is how many of them lack something.
fn import(
    session: &Session<'_>,
    from: &Path,
    labels: &[Labelled],
) -> Result<(Vec<Imported>, usize), Failure> {
    let root = session.scratch.folder.join("rules");
    if root.exists() {
        fs::remove_dir_all(&root).map_err(|error| Failure::Failed(format!("a scratch folder: {error}")))?;
    }
    make(&root)?;
    let files: BTreeSet<&str> = labels.iter().map(|label| label.file.as_str()).collect();
    for file in &files {
        let to = root.join(file);
        make(to.parent().unwrap_or(&root))?;
        fs::copy(from.join(file), &to)
            .map_err(|error| Failure::Failed(format!("copying {file}: {error}")))?;
    }
    let mut git = Command::new("git");
    git.args(["init", "-q"]).current_dir(&root);
    capture(&mut git)?;
    session.json(&root, &["init"])?;
    let (_, answer) = session.json(&root, &["import", "agents-md", "."])?;
    let incomplete = answer["held"].as_u64().unwrap_or_default() as usize;
    let mut ledgers = Vec::new();
    ledger_files(&root.join(".kenning"), &mut ledgers)?;
    let (mut said, mut kept): (BTreeMap<String, Value>, Vec<Value>) = (BTreeMap::new(), Vec::new());
    for ledger in ledgers {
        let text = fs::read_to_string(&ledger)
            .map_err(|error| Failure::Failed(format!("{}: {error}", ledger.display())))?;
        for event in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            if event["type"] == "entry.added" {
                said.insert(
                    event["entry"].as_str().unwrap_or_default().to_owned(),
                    event["data"]["fields"].clone(),
                );
            } else if event["data"]["parts"].is_array() {
                kept.push(event["data"].clone());
            }
        }
    }
    kept.sort_by_key(|kept| (kept["document"]["path"].to_string(), kept["piece"].as_u64()));
    let mut imported = Vec::new();
    let mut last = (String::new(), 1);
    for kept in &kept {
        let file = kept["document"]["path"].as_str().unwrap_or_default().to_owned();
        let mut line = if last.0 == file { last.1 } else { 1 };
        for part in kept["parts"].as_array().into_iter().flatten() {
            let text = part["text"].as_str().unwrap_or_default();
            let before = text.len() - text.trim_start().len();
            let first = line + breaks(&text[..before]);
            let end = line + breaks(text.trim_end());
            line += breaks(text);
            let Some(fields) = part["entry"].as_str().and_then(|entry| said.get(entry)) else { continue };
            let words = fields["rule"].as_str().or(fields["statement"].as_str()).unwrap_or_default();
            imported.push(Imported {
                file: file.clone(),
                lines: (first, end),
                statement: words.to_owned(),
                enforce: enforced(&fields["enforcement"]),
                steps: fields["verification"].as_array().map_or(0, Vec::len),
            });
        }
        last = (file, line);
    }
    Ok((imported, incomplete))
}

fn count(session: &Session<'_>, name: &str, labels: &[Labelled], imported: &[Imported]) -> Count {
    let meets = |one: (u64, u64), other: (u64, u64)| one.0 <= other.1 && other.0 <= one.1;
    let lies_at =
        |entry: &Imported, label: &Labelled| entry.file == label.file && meets(entry.lines, label.lines);
    let is_labelled = |entry: &Imported| labels.iter().any(|label| lies_at(entry, label));
    let mut count = Count { entries: imported.len(), ..Count::default() };
    for entry in imported {
        let is_fragment = is_fragment(&entry.statement);
        count.labelled += usize::from(is_labelled(entry));
        count.fragments += usize::from(is_fragment);
        count.steps += entry.steps;
        let kind_at = |label: &Labelled| lies_at(entry, label) && label.enforce.as_deref() == entry.enforce;
        let is_accepted = entry.enforce.is_some() && labels.iter().any(kind_at);
        count.proposed += usize::from(entry.enforce.is_some());
        count.accepted += usize::from(is_accepted);
        if session.flags.has("--told") {
            let mark = if is_labelled(entry) { "rule " } else { "other" };
            let enforce = match (entry.enforce, is_accepted) {
                (Some(kind), true) => format!(" [{kind}]"),
                (Some(kind), false) => format!(" [{kind}, of no reader]"),
                (None, _) => String::new(),
            };
            println!("{mark} {name} {}:{} {}{enforce}", entry.file, entry.lines.0, entry.statement);
        }
    }
    for label in labels {
        count.rules += 1;
        count.found += usize::from(imported.iter().any(|entry| lies_at(entry, label)));
    }
    for reader in READERS {
        let (own, other): (Vec<_>, Vec<_>) = labels.iter().partition(|label| label.reader == reader);
        let agrees = |label: &&&Labelled| {
            other.iter().any(|other| label.file == other.file && meets(label.lines, other.lines))
        };
        count.read += own.len();
        count.agreed += own.iter().filter(agrees).count();
    }
    // What both readers say of a line is one rule.
    let enforceable: BTreeSet<(&str, u64, &str)> = labels
        .iter()
        .filter_map(|label| Some((label.file.as_str(), label.lines.0, label.enforce.as_deref()?)))
        .collect();
    count.enforceable = enforceable.len();
    let is_covered = |(file, line, kind): &&(&str, u64, &str)| {
        imported.iter().any(|entry| {
            entry.file == *file && meets(entry.lines, (*line, *line)) && entry.enforce == Some(*kind)
        })
    };
    count.covered = enforceable.iter().filter(is_covered).count();
    count
}

/// The kind of an enforcement, as the readers name them; none for others.
fn enforced(enforcement: &Value) -> Option<&'static str> {
    match enforcement["check"].as_str()? {
        "before_commit" => Some("before_commit"),
        "instead_of" => Some("instead_of"),
        "paths" | "protected_paths" => Some("protected_paths"),
        "actions" => {
            let rules = enforcement["rules"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let is_edit = rules.clone().all(|rule| rule.starts_with("edit:"));
            Some(if is_edit { "protected_paths" } else { "instead_of" })
        }
        _ => None,
    }
}

/// Whether words are no entry by the letter of COR-25.
fn is_fragment(words: &str) -> bool {
    let words = words.trim().trim_end_matches(['*', '_', ' ']);
    let said: Vec<&str> =
        words.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).collect();
    let has_verb = said.iter().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let stems = ["", "s", "es", "ed", "d", "ing"].iter().filter_map(|ending| word.strip_suffix(ending));
        matches!(word.as_str(), "is" | "are" | "must" | "should" | "can" | "may" | "will" | "has")
            || stems.into_iter().any(ken_digest::is_verb)
    });
    words.ends_with(':') || said.len() <= 3 && !words.contains('`') && !has_verb
}

fn breaks(text: &str) -> u64 {
    text.matches('\n').count() as u64
}

fn make(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::Failed(format!("a scratch folder: {error}")))
}

/// The files of a ledger, in whatever folder they lie.
fn ledger_files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let entries =
        fs::read_dir(folder).map_err(|error| Failure::Failed(format!("{}: {error}", folder.display())))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            ledger_files(&path, found)?;
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            found.push(path);
        }
    }
    Ok(())
}
