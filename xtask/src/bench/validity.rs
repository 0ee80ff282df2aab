//! The suite `validity`: looking at every entry of a store, when nothing is known yet, when nothing changed, and after one file did.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::machine;
use super::measure::{self, Series, progress};
use super::report::{Row, Table, duration, grouped, per_second};
use super::scratch::{self, Scratch};
use super::{Effort, Request};
use crate::context::{Context, Failure, capture, failed};
use crate::dist;

/// Files of the code base for every entry of the store.
const FILES_PER_ENTRY: f64 = 0.5;
/// Places that each entry speaks of.
const ANCHORS: usize = 3;
/// Functions in each file.
const FUNCTIONS: usize = 12;
/// Conditions of each entry in the store of conditions.
const CONDITIONS: usize = 10;
/// The size that has targets.
const TOLD: usize = 10_000;

const COLD_MAX: Duration = Duration::from_secs(3);
const WARM_MAX: Duration = Duration::from_millis(100);
const ONE_FILE_MAX: Duration = Duration::from_millis(150);
const CONDITIONS_MAX: Duration = Duration::from_secs(1);

/// The table, and the folder that the caller lets go of when the table is safe.
pub(super) fn run(context: &Context, request: &Request) -> Result<(Table, Scratch), Failure> {
    println!("building ken as `cargo xtask dist` does");
    let built = dist::build(context)?;
    let scratch = Scratch::below(&dist::target_folder(context)?)?;
    let mut lines = machine::describe(context, &scratch.folder)?;
    lines.push(format!(
        "code is made up: Rust, Python and TypeScript, {FUNCTIONS} functions to a file; every entry speaks of {ANCHORS} places"
    ));
    let bench = Bench { scratch, ken: built.path, effort: request.effort };
    let mut rows = Vec::new();
    for size in &request.sizes {
        rows.extend(bench.places(*size)?);
        rows.push(bench.conditions(*size)?);
    }
    lines.extend(machine::load().map(|load| format!("load average of the last minute at the end: {load}")));
    let sizes: Vec<String> = request.sizes.iter().map(usize::to_string).collect();
    let quick = if request.effort == Effort::Quick { " --quick" } else { "" };
    let command = format!("cargo xtask bench validity{quick} --sizes {} --write", sizes.join(","));
    Ok((Table { command, machine: lines, rows }, bench.scratch))
}

struct Bench {
    scratch: Scratch,
    ken: PathBuf,
    effort: Effort,
}

impl Bench {
    fn ken(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = self.scratch.program(&self.ken, root);
        command.args(arguments);
        command
    }

    fn check(&self, root: &Path) -> Command {
        self.ken(root, &["check", "--fail-on", "never", "--no-model"])
    }

    fn commit(&self, root: &Path) -> Result<(), Failure> {
        capture(&mut self.scratch.git(root, &["add", "-A"]))?;
        capture(&mut self.scratch.git(root, &["commit", "-q", "-m", "code"]))?;
        Ok(())
    }

    /// A store whose entries speak of code, of which a tenth of the files changed since.
    fn places(&self, entries: usize) -> Result<Vec<Row>, Failure> {
        let files = (entries as f64 * FILES_PER_ENTRY) as usize;
        progress(&format!("{} files and {} entries", grouped(files as u64), grouped(entries as u64)));
        let root = self.scratch.repository(&format!("places-{entries}"))?;
        for at in 0..files {
            write(&root.join(path(at)), &code(at, &[]))?;
        }
        self.commit(&root)?;
        capture(&mut self.ken(&root, &["init"]))?;
        let source = self.scratch.folder.join(format!("places-{entries}.jsonl"));
        write(&source, &lessons(entries, files))?;
        let name = source.to_string_lossy().into_owned();
        let (added, output) =
            measure::command(&mut self.ken(&root, &["add", "--json", "--no-model", "--file", &name]))?;
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if answer["added"].as_u64() != Some(entries as u64) {
            return failed(format!("of {entries} entries `ken add` says it added {}", answer["added"]));
        }
        self.commit(&root)?;
        for at in (0..files).step_by(10) {
            change(&root, at, files)?;
        }
        let size = Some(entries);
        let mut once = Series::default();
        once.push(added);
        let mut rows = vec![
            Row::new("bulk `ken add --file` that takes the places down", size)
                .time(&once)
                .measured(per_second(entries, added.wall)),
        ];
        // Files that were written a moment ago could still change without looking different.
        std::thread::sleep(Duration::from_millis(2_500));
        let mut cold = Series::default();
        for _ in 0..self.effort.long_rounds() {
            forget(&root);
            scratch::settle();
            let (sample, output) = measure::command(&mut self.check(&root))?;
            cold.push(sample);
            progress(
                String::from_utf8_lossy(&output.stdout)
                    .lines()
                    .rev()
                    .find(|line| line.contains("entries:"))
                    .unwrap_or_default(),
            );
        }
        rows.push(told(
            Row::new("`ken check`, nothing known, a tenth of the files changed", size),
            &cold,
            entries,
            COLD_MAX,
        ));
        let mut warm = Series::default();
        for _ in 0..self.effort.short_rounds() {
            warm.push(measure::command(&mut self.check(&root))?.0);
        }
        rows.push(told(Row::new("`ken check`, nothing changed", size), &warm, entries, WARM_MAX));
        let mut one = Series::default();
        for round in 0..self.effort.short_rounds() {
            let at = round * 10 + 1;
            write(&root.join(path(at)), &code(at, &[(round % FUNCTIONS, Change::Rewritten)]))?;
            one.push(measure::command(&mut self.check(&root))?.0);
        }
        rows.push(told(Row::new("`ken check`, one file changed", size), &one, entries, ONE_FILE_MAX));
        Ok(rows)
    }

    /// A store whose entries have conditions alone.
    fn conditions(&self, entries: usize) -> Result<Row, Failure> {
        progress(&format!("{} conditions", grouped((entries * CONDITIONS) as u64)));
        let root = self.scratch.repository(&format!("conditions-{entries}"))?;
        let files = 500;
        for at in 0..files {
            write(&root.join(path(at)), &code(at, &[]))?;
        }
        write(
            &root.join("Cargo.toml"),
            "[package]\nname = \"bench\"\nversion = \"1.0.0\"\n\n[dependencies]\ntokio = \"1.38\"\n",
        )?;
        write(&root.join("app.toml"), "[net]\nretries = 3\n")?;
        self.commit(&root)?;
        capture(&mut self.ken(&root, &["init"]))?;
        let source = self.scratch.folder.join(format!("conditions-{entries}.jsonl"));
        write(&source, &conditioned(entries, files))?;
        let name = source.to_string_lossy().into_owned();
        capture(&mut self.ken(&root, &["add", "--json", "--no-model", "--file", &name]))?;
        self.commit(&root)?;
        std::thread::sleep(Duration::from_millis(2_500));
        capture(&mut self.check(&root))?;
        let mut warm = Series::default();
        for _ in 0..self.effort.short_rounds() {
            warm.push(measure::command(&mut self.check(&root))?.0);
        }
        let what =
            format!("`ken check` of {} conditions, nothing changed", grouped((entries * CONDITIONS) as u64));
        Ok(told(Row::new(&what, Some(entries)), &warm, entries, CONDITIONS_MAX))
    }
}

fn told(row: Row, series: &Series, entries: usize, most: Duration) -> Row {
    let row = row.time(series);
    match entries {
        TOLD => row.target(&format!("≤ {}", duration(most)), series.wall() <= most),
        _ => row,
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    made.map_err(|error| Failure::Failed(format!("cannot write scratch code: {error}")))
}

/// Throws away what was found out before.
fn forget(root: &Path) {
    for name in ["judgements", "judgements-wal", "judgements-shm"] {
        let _ = fs::remove_file(root.join(".git/kenning").join(name));
    }
}

fn path(at: usize) -> String {
    let end = ["rs", "py", "ts"][at % 3];
    format!("src/part{:02}/module{at}.{end}", at % 50)
}

/// What happened to a function.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Rewritten,
    Gone,
    Commented,
}

/// A file of functions, some of them changed.
fn code(at: usize, changes: &[(usize, Change)]) -> String {
    let mut text = String::new();
    for number in 0..FUNCTIONS {
        let change = changes.iter().find(|(which, _)| *which == number).map(|(_, change)| *change);
        if change != Some(Change::Gone) {
            text.push_str(&function(at, number, change));
        }
    }
    text
}

fn name(at: usize, number: usize) -> String {
    format!("settle_{at}_{number}")
}

/// One function of about ten lines, in the language of its file.
fn function(at: usize, number: usize, change: Option<Change>) -> String {
    let (name, step) = (name(at, number), at % 7 + number);
    let step = if change == Some(Change::Rewritten) { step + 100 } else { step };
    let mut text = String::new();
    let said = change == Some(Change::Commented);
    let _ = match at % 3 {
        0 => {
            let note = if said { "// Looked at by hand.\n" } else { "" };
            write!(
                text,
                "{note}pub fn {name}(accounts: &[u64], limit: u64) -> Option<u64> {{\n    let mut total = {step};\n    for account in accounts {{\n        if *account > limit {{\n            return None;\n        }}\n        total += account * {step};\n    }}\n    Some(total.min(limit))\n}}\n\n"
            )
        }
        1 => {
            let note = if said { "# Looked at by hand.\n" } else { "" };
            write!(
                text,
                "{note}def {name}(accounts, limit):\n    total = {step}\n    for account in accounts:\n        if account > limit:\n            return None\n        total += account * {step}\n    return min(total, limit)\n\n\n"
            )
        }
        _ => {
            let note = if said { "// Looked at by hand.\n" } else { "" };
            write!(
                text,
                "{note}export function {name}(accounts: number[], limit: number): number | undefined {{\n  let total = {step};\n  for (const account of accounts) {{\n    if (account > limit) {{\n      return undefined;\n    }}\n    total += account * {step};\n  }}\n  return Math.min(total, limit);\n}}\n\n"
            )
        }
    };
    text
}

/// Changes a file: comments, a body, a function that is gone, a new name, a function that went elsewhere.
fn change(root: &Path, at: usize, files: usize) -> Result<(), Failure> {
    let here = root.join(path(at));
    let which = at / 10 % FUNCTIONS;
    match at / 10 % 5 {
        0 => write(&here, &code(at, &[(0, Change::Commented), (which, Change::Commented)])),
        1 => write(&here, &code(at, &[(which, Change::Rewritten)])),
        2 => write(&here, &code(at, &[(which, Change::Gone)])),
        3 => {
            let there = root.join(path(at).replace("module", "renamed"));
            fs::rename(&here, there)
                .map_err(|error| Failure::Failed(format!("cannot rename scratch code: {error}")))
        }
        _ => {
            write(&here, &code(at, &[(which, Change::Gone)]))?;
            // Three files on is the next one in the same language.
            let there = (at + 3) % files;
            write(&root.join(path(there)), &(code(there, &[]) + &function(at, which, None)))
        }
    }
}

fn lessons(entries: usize, files: usize) -> String {
    let mut text = String::new();
    for entry in 0..entries {
        let anchors: Vec<String> = (0..ANCHORS)
            .map(|place| {
                let at = (entry * ANCHORS + place) % files;
                let number = (entry + place) % FUNCTIONS;
                match (entry + place) % 10 {
                    0 => path(at),
                    1..=5 => format!("{}#{}", path(at), name(at, number)),
                    _ => format!("{}:{}-{}", path(at), number * 9 + 2, number * 9 + 4),
                }
            })
            .collect();
        let lesson = json!({
            "type": "lesson",
            "statement": format!("Accounts of group {entry} are settled in one pass, and never above the limit of their module."),
            "anchors": anchors,
            "verification": ["read the function"],
            "provenance": ["pr:1"],
        });
        let _ = writeln!(text, "{lesson}");
    }
    text
}

fn conditioned(entries: usize, files: usize) -> String {
    let mut text = String::new();
    for entry in 0..entries {
        let conditions: Vec<String> = (0..CONDITIONS)
            .map(|number| {
                let at = (entry * CONDITIONS + number) % files;
                match number {
                    0 if entry > 0 => format!("fact.{}", entry - 1),
                    1 => format!("tokio >= 1.{}", entry % 38),
                    2 => format!("app.toml:net.retries < {}", entry + 4),
                    3 => format!("{} =~ /settle_{at}_{}/", path(at), entry % FUNCTIONS),
                    4 | 5 => format!("{}#{}", path(at), name(at, entry % FUNCTIONS)),
                    6 => format!("NOT missing/{entry}.rs exists"),
                    _ => format!("{} exists", path(at)),
                }
            })
            .collect();
        let fact = json!({
            "type": "entity",
            "id": format!("fact.{entry}"),
            "name": format!("group {entry}"),
            "description": format!("Group {entry} is settled by the module of its own number."),
            "depends_on": conditions,
            "provenance": ["pr:1"],
        });
        let _ = writeln!(text, "{fact}");
    }
    text
}
