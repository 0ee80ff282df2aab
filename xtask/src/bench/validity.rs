//! The suite `validity`: looking at every entry of a store, when nothing is known yet, when nothing changed, and after one file did.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::context::{Failure, capture};
use crate::harness::Suite;
use crate::harness::figure::{Figure, grouped};
use crate::harness::measure::{self, Series, progress};
use crate::harness::report::Report;
use crate::harness::scratch;
use crate::harness::session::Session;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/benchmarks.md"),
    sizes: [&[10_000], &[10_000]],
    ..Suite::bench("validity", run)
};

/// Files of the code base for every entry of the store.
const FILES_PER_ENTRY: f64 = 0.5;
/// Places that each entry speaks of.
const ANCHORS: usize = 3;
/// Functions in each file.
const FUNCTIONS: usize = 12;
/// Conditions of each entry in the store of conditions.
const CONDITIONS: usize = 10;

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let mut figures = Vec::new();
    for size in &session.sizes {
        figures.extend(places(session, *size)?);
        figures.push(conditions(session, *size)?.at(*size));
    }
    Ok(Report::new(figures).note(format!(
        "code is generated: Rust, Python and TypeScript, {FUNCTIONS} functions to a file; every entry has {ANCHORS} anchors"
    )))
}

fn check(session: &Session<'_>, root: &Path) -> Command {
    session.ken(root, &["check", "--fail-on", "never", "--no-model"])
}

/// A store whose entries describe code, of which a tenth of the files changed since.
fn places(session: &Session<'_>, entries: usize) -> Result<Vec<Figure>, Failure> {
    let files = (entries as f64 * FILES_PER_ENTRY) as usize;
    progress(&format!("{} files and {} entries", grouped(files as u64), grouped(entries as u64)));
    let root = session.scratch.repository(&format!("places-{entries}"))?;
    for at in 0..files {
        write(&root.join(path(at)), &code(at, &[]))?;
    }
    session.commit(&root, "code")?;
    capture(&mut session.ken(&root, &["init"]))?;
    let source = session.write(&format!("places-{entries}.jsonl"), lessons(entries, files))?;
    let added = session.add_lines_by(session.ken(&root, &["add", "--no-model"]), &source, entries)?;
    session.commit(&root, "knowledge")?;
    for at in (0..files).step_by(10) {
        change(&root, at, files)?;
    }
    // Files that were written a moment ago could still change without looking different.
    std::thread::sleep(Duration::from_millis(2_500));
    let mut cold = Series::default();
    for _ in 0..session.effort.long_rounds() {
        forget(&root);
        scratch::settle();
        cold.push(measure::command(&mut check(session, &root))?.0);
    }
    let tree = || {
        (0..files).try_fold(0, |sum, at| match fs::read(root.join(path(at))) {
            Ok(bytes) => Ok(sum + bytes.len()),
            // Some were renamed.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(sum),
            Err(error) => Err(error),
        })
    };
    let (read, _) = measure::work("read scratch code", tree)?;
    let (mut warm, mut status) = (Series::default(), Series::default());
    for _ in 0..session.effort.short_rounds() {
        warm.push(measure::command(&mut check(session, &root))?.0);
        status.push(measure::command(&mut session.scratch.git(&root, &["status", "--porcelain"]))?.0);
    }
    let mut one = Series::default();
    for round in 0..session.effort.short_rounds() {
        let at = round * 10 + 1;
        write(&root.join(path(at)), &code(at, &[(round % FUNCTIONS, Change::Rewritten)]))?;
        one.push(measure::command(&mut check(session, &root))?.0);
    }
    let figures = [
        Figure::rate("validity.add", entries, &added.into()),
        Figure::time("validity.cold", &cold).floor_time("reading the code", &read.into()),
        Figure::time("validity.warm", &warm).floor_time("git status", &status),
        Figure::time("validity.one_file", &one).floor_time("git status", &status),
    ];
    Ok(figures.into_iter().map(|figure| figure.at(entries)).collect())
}

/// A store whose entries have conditions alone.
fn conditions(session: &Session<'_>, entries: usize) -> Result<Figure, Failure> {
    progress(&format!("{} conditions", grouped((entries * CONDITIONS) as u64)));
    let root = session.scratch.repository(&format!("conditions-{entries}"))?;
    let files = 500;
    for at in 0..files {
        write(&root.join(path(at)), &code(at, &[]))?;
    }
    write(
        &root.join("Cargo.toml"),
        "[package]\nname = \"bench\"\nversion = \"1.0.0\"\n\n[dependencies]\ntokio = \"1.38\"\n",
    )?;
    write(&root.join("app.toml"), "[net]\nretries = 3\n")?;
    session.commit(&root, "code")?;
    capture(&mut session.ken(&root, &["init"]))?;
    let source = session.write(&format!("conditions-{entries}.jsonl"), conditioned(entries, files))?;
    session.add_lines_by(session.ken(&root, &["add", "--no-model"]), &source, entries)?;
    session.commit(&root, "knowledge")?;
    std::thread::sleep(Duration::from_millis(2_500));
    capture(&mut check(session, &root))?;
    let (mut warm, mut status) = (Series::default(), Series::default());
    for _ in 0..session.effort.short_rounds() {
        warm.push(measure::command(&mut check(session, &root))?.0);
        status.push(measure::command(&mut session.scratch.git(&root, &["status", "--porcelain"]))?.0);
    }
    Ok(Figure::time("validity.conditions", &warm).floor_time("git status", &status))
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
