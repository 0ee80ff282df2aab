//! The suite `age`, also `cargo xtask age`: what a store costs after five years of a busy team.
//!
//! Twenty clones wrote: for each 1,000 entries 2,500 sessions of agents, with 50,000 exposures and ends of runs, and 2,000 commits that
//! moved code below an entry. See [`aged`] for how the store is made.

use std::fs::File;
use std::path::Path;

use serde_json::{Value, json};

use crate::context::{Context, Failure, Outcome, capture};
use crate::harness::arguments::{Flag, Takes};
use crate::harness::corpus::{self, Lesson};
use crate::harness::figure::{Figure, grouped};
use crate::harness::measure::{self, Series, progress};
use crate::harness::report::Report;
use crate::harness::session::{Session, text};
use crate::harness::{Suite, Tool, aged, memory, scratch};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/speed.md"),
    sizes: [&[2_000], &[100_000]],
    flags: &[Flag { name: "--to", takes: Takes::Value("FOLDER") }],
    needs: &[Tool::Ken],
    ..Suite::bench("age", run)
};

/// `cargo xtask age`.
pub(crate) fn chore(context: &Context, arguments: &[String]) -> Outcome {
    let mut words = vec!["age".to_owned()];
    words.extend_from_slice(arguments);
    super::run(context, &words)
}

/// Entries that somebody pushes before the others pull.
const PULLED_ENTRIES: usize = 20;

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let mut figures = vec![session_bytes(session)?];
    let mut report_notes = Vec::new();
    for size in &session.sizes {
        let (all, note) = of_size(session, *size)?;
        figures.extend(all.into_iter().map(|figure| figure.at(*size)));
        report_notes.push(note);
    }
    Ok(report_notes.into_iter().fold(Report::new(figures), Report::note))
}

fn of_size(session: &Session<'_>, entries: usize) -> Result<(Vec<Figure>, String), Failure> {
    progress(&format!("bulk add of {}", grouped(entries as u64)));
    let source = session.write(&format!("age-{entries}.jsonl"), corpus::lines(entries))?;
    let root = session.scratch.repository(&format!("age-{entries}"))?;
    capture(&mut session.ken(&root, &["init"]))?;
    session.add_lines(&root, &source, entries)?;
    progress("five years");
    let aged = aged::age(&root)?;
    session.commit(&root, "five years")?;
    let note = format!(
        "{} entries, {} sessions of {} clones with {} exposures, {} moves of code",
        grouped(entries as u64),
        grouped(aged.sessions as u64),
        aged::CLONES,
        grouped(aged.exposures as u64),
        grouped(aged.moves as u64)
    );
    if let Some(folder) = session.flags.value("--to") {
        capture(&mut session.scratch.git(&session.context.root, &["clone", "-q", &text(&root), folder]))?;
    }
    let mut figures = vec![
        Figure::new("age.tracked", bytes_below(&root.join(".kenning"))? as f64),
        Figure::new("age.objects", bytes_below(&root.join(".git/objects"))? as f64),
    ];
    let clone = session.scratch.folder.join(format!("age-clone-{entries}"));
    let words = ["clone", "-q", "--shared", &text(&root), &text(&clone)];
    capture(&mut session.scratch.git(&session.scratch.folder, &words))?;
    session.scratch.name_the_author(&clone)?;
    scratch::settle();
    progress("the first command in a fresh clone");
    let peak = memory::anonymous_peak(&mut session.ken(&clone, &["--no-model", "list"]))?;
    figures.extend(peak.map(|peak| Figure::new("age.fresh_clone_memory", peak as f64)));
    std::fs::remove_dir_all(clone.join(".git/kenning")).ok();
    scratch::settle();
    let mut first = Series::default();
    first.push(measure::command(&mut session.ken(&clone, &["--no-model", "list"]))?.0);
    figures.push(Figure::time("age.fresh_clone", &first));
    figures.extend(commands(session, &clone)?);
    figures.push(after_pull(session, &root, &clone, entries)?);
    Ok((figures, note))
}

/// What an agent asks of an old store.
fn commands(session: &Session<'_>, clone: &Path) -> Result<Vec<Figure>, Failure> {
    let mut figures = Vec::new();
    let commands: [(&str, &[&str], bool); 4] = [
        ("age.search", &["--no-model", "search", "retry after a time limit"], true),
        ("age.brief", &["brief"], true),
        ("age.check", &["check"], false),
        ("age.verify", &["verify"], false),
    ];
    for (name, words, is_short) in commands {
        progress(&format!("`ken {}`", words.join(" ")));
        let rounds = if is_short { session.effort.short_rounds() } else { session.effort.long_rounds() };
        let mut times = Series::default();
        // The first one takes in what the one before it recorded.
        measure::command(&mut session.ken(clone, words))?;
        for _ in 0..rounds {
            times.push(measure::command(&mut session.ken(clone, words))?.0);
        }
        figures.push(Figure::time(name, &times));
    }
    let peak = memory::anonymous_peak(&mut session.ken(clone, &["verify"]))?;
    figures.extend(peak.map(|peak| Figure::new("age.verify_memory", peak as f64)));
    Ok(figures)
}

/// The first command after a pull of what a colleague did in a day.
fn after_pull(session: &Session<'_>, root: &Path, clone: &Path, entries: usize) -> Result<Figure, Failure> {
    let mut times = Series::default();
    let mut next = entries as u64;
    for round in 0..session.effort.long_rounds() {
        progress("the first command after a pull");
        let lines = corpus::lines_from(next, PULLED_ENTRIES);
        let source = session.write(&format!("age-pulled-{entries}-{round}.jsonl"), lines)?;
        session.add_lines(root, &source, PULLED_ENTRIES)?;
        talk(session, root, &format!("pulled-{round}"))?;
        capture(&mut session.ken(root, &["flush"]))?;
        session.commit(root, "a day")?;
        capture(&mut session.scratch.git(clone, &["pull", "-q", "--no-rebase"]))?;
        times.push(measure::command(&mut session.ken(clone, &["--no-model", "list"]))?.0);
        next += PULLED_ENTRIES as u64;
    }
    Ok(Figure::time("age.after_pull", &times))
}

/// Bytes in tracked files that one session of an agent leaves: briefed, asked a question, two files touched, ended.
fn session_bytes(session: &Session<'_>) -> Result<Figure, Failure> {
    progress("a session of an agent");
    let root = session.scratch.repository("age-session")?;
    capture(&mut session.ken(&root, &["init"]))?;
    let source = session.write("age-session.jsonl", corpus::lines(200))?;
    session.add_lines(&root, &source, 200)?;
    let before = bytes_below(&root.join(".kenning"))?;
    const SESSIONS: usize = 10;
    for number in 0..SESSIONS {
        talk(session, &root, &format!("0b5c7f3a-92b1-4a1e-9d7e-{number:012}"))?;
    }
    capture(&mut session.ken(&root, &["flush"]))?;
    let grown = bytes_below(&root.join(".kenning"))? - before;
    Ok(Figure::new("age.session", grown as f64 / SESSIONS as f64))
}

/// A session as Claude Code tells of it.
fn talk(session: &Session<'_>, root: &Path, id: &str) -> Result<(), Failure> {
    let lesson = Lesson::number(3);
    let path = lesson.anchor.split(':').next().unwrap_or_default();
    let touched = |path: &str| json!({"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": text(&root.join(path))}});
    let events: [(&str, Value); 5] = [
        ("session-start", json!({"hook_event_name": "SessionStart", "source": "startup"})),
        ("prompt", json!({"hook_event_name": "UserPromptSubmit", "prompt": lesson.title})),
        ("touch", touched(path)),
        ("touch", touched("src/auth.rs")),
        ("end", json!({"hook_event_name": "SessionEnd", "reason": "exit"})),
    ];
    for (event, mut said) in events {
        said["session_id"] = Value::from(id);
        said["cwd"] = Value::from(text(root));
        let path = session.write("age-said.json", said.to_string())?;
        let said = measure::work("open what a host says", || File::open(&path))?.1;
        let mut hook = session.ken(root, &["hook", event, "--host", "claude-code"]);
        measure::work("run a hook", || hook.stdin(said).output())?;
    }
    Ok(())
}

/// Bytes of all files below a folder, without what git ignores there.
fn bytes_below(folder: &Path) -> Result<u64, Failure> {
    let (files, _) = measure::work("look at files", || scratch::walk(folder))?.1;
    let is_local =
        |path: &Path| path.starts_with(".local") || path.starts_with(".index") || path.ends_with("INDEX.md");
    Ok(files.iter().filter(|file| !is_local(&file.path)).map(|file| file.size).sum())
}
