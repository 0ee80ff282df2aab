//! `cargo xtask score`: every bench and evaluation with its floor in the same run, on one page, and what got worse since the last one.
//!
//! The page is made from `scoreboard.json` alone, which holds the last figure of everything. A run replaces what it measured and leaves the
//! rest as it is, so a part can be measured again without the others.

mod board;
mod build;
mod page;

use std::fs;
use std::time::Instant;

use self::board::{Board, Change, SuiteRun};
use crate::context::{Context, Failure, Outcome, capture, failed};
use crate::harness::arguments::{Flag, Flags, Takes};
use crate::harness::session::Tools;
use crate::harness::{Effort, SUITES, Suite, again_in_release, machine};

const PAGE: &str = "docs/internals/scoreboard.md";
const DATA: &str = "docs/internals/scoreboard.json";

const FLAGS: &[Flag] = &[
    Flag { name: "--quick", takes: Takes::Nothing },
    Flag { name: "--full", takes: Takes::Nothing },
    Flag { name: "--build", takes: Takes::Nothing },
    Flag { name: "--only", takes: Takes::Value("NAME,...") },
    Flag { name: "--ken", takes: Takes::Value("PATH") },
    Flag { name: "--probe", takes: Takes::Value("PATH") },
    Flag { name: "--commit", takes: Takes::Value("COMMIT") },
    Flag { name: "--check", takes: Takes::Nothing },
    Flag { name: "--write", takes: Takes::Nothing },
];

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let flags = Flags::read("score", FLAGS, arguments)?;
    if flags.has("--quick") && flags.has("--full") {
        return Err(Failure::Usage("a run is either `--quick` or `--full`".to_owned()));
    }
    let chosen = if flags.has("--build") { Vec::new() } else { choose(flags.value("--only"))? };
    if cfg!(debug_assertions) {
        return again_in_release(context, &["score"], arguments);
    }
    let last = read(context)?;
    let mut board = last.clone();
    board.commit = commit(context, &flags)?;
    board.effort = if flags.has("--full") { Effort::Full } else { Effort::Quick };
    let mut runs = Vec::new();
    // What was measured is on the page even when the run is cut short.
    let mut take = |board: &mut Board, run: SuiteRun| {
        board.take(&run);
        runs.push(run);
        if flags.has("--write") { write(context, board, &board.changes(&last, &runs)) } else { Ok(()) }
    };
    if flags.has("--build") {
        let run = build::run(context, &board)?;
        take(&mut board, run)?;
    } else {
        let tools = Tools::new(context, flags.value("--ken"), flags.value("--probe"))?;
        board.machine = machine::describe(context, &context.root)?;
        for suite in chosen {
            let run = measure(&tools, suite, &board);
            take(&mut board, run)?;
        }
    }
    let changes = board.changes(&last, &runs);
    println!("\n{}", page::summary(&board, &changes));
    if flags.has("--write") {
        println!("wrote {PAGE} and {DATA}");
    }
    let broken: Vec<&str> =
        runs.iter().filter(|run| run.failed.is_some()).map(|run| run.suite.as_str()).collect();
    if !broken.is_empty() {
        return failed(format!("these could not be measured: {}", broken.join(", ")));
    }
    match changes.iter().filter(|change| change.is_worse()).count() {
        worse @ 1.. if flags.has("--check") => failed(format!("{worse} figures got worse")),
        _ => Ok(()),
    }
}

fn write(context: &Context, board: &Board, changes: &[Change]) -> Outcome {
    for (name, text) in [(DATA, board.to_json()), (PAGE, page::text(board, changes))] {
        fs::write(context.root.join(name), text)
            .map_err(|error| Failure::Failed(format!("cannot write {name}: {error}")))?;
    }
    Ok(())
}

/// Runs one suite. A suite that fails does not keep the others from being measured.
fn measure(tools: &Tools<'_>, suite: &'static Suite, board: &Board) -> SuiteRun {
    println!("\n== {} ==", suite.words());
    let begun = Instant::now();
    let load_before = machine::load().unwrap_or_default();
    let sizes = board.effort.pick(suite.sizes[0], suite.sizes[1]).to_vec();
    let report =
        tools.session(suite, board.effort, sizes, Flags::default()).and_then(|session| (suite.run)(&session));
    let mut run = SuiteRun {
        suite: suite.words(),
        command: suite.command(&format!(
            "score {} --only {}",
            word(board.effort),
            suite.words().replace(' ', ":")
        )),
        commit: board.commit.clone(),
        effort: board.effort,
        seconds: begun.elapsed().as_secs_f64(),
        load: (load_before, machine::load().unwrap_or_default()),
        ..SuiteRun::default()
    };
    match report {
        Ok(report) => {
            for sentence in &report.skipped {
                println!("{sentence}");
            }
            run.notes = report.notes;
            run.skipped = report.skipped;
            run.figures = report.figures;
        }
        Err(failure) => {
            println!("FAILED: {failure}");
            run.failed = Some(failure.to_string());
        }
    }
    println!("{}: {} figures in {:.0} s", run.suite, run.figures.len(), run.seconds);
    run
}

/// The flag of an effort.
fn word(effort: Effort) -> &'static str {
    effort.pick("--quick", "--full")
}

/// The suites of a list of names: `recall` is both of that name, `bench:recall` one of them.
fn choose(names: Option<&str>) -> Result<Vec<&'static Suite>, Failure> {
    let Some(names) = names else { return Ok(SUITES.iter().collect()) };
    let mut chosen: Vec<&'static Suite> = Vec::new();
    for name in names.split(',').map(str::trim) {
        let words = name.replace(':', " ");
        let found: Vec<&'static Suite> =
            SUITES.iter().filter(|suite| suite.name == name || suite.words() == words).collect();
        if found.is_empty() {
            let known: Vec<String> = SUITES.iter().map(|suite| suite.words().replace(' ', ":")).collect();
            return Err(Failure::Usage(format!(
                "there is no suite `{name}`; there are {}",
                known.join(", ")
            )));
        }
        chosen.extend(found);
    }
    Ok(chosen)
}

fn read(context: &Context) -> Result<Board, Failure> {
    match fs::read_to_string(context.root.join(DATA)) {
        Ok(text) => Board::from_json(&text),
        // Nothing was measured before.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Board::default()),
        Err(error) => failed(format!("cannot read {DATA}: {error}")),
    }
}

/// What is measured: the commit that was named, or the one that is checked out, with a plus if there are changes.
fn commit(context: &Context, flags: &Flags) -> Result<String, Failure> {
    if let Some(name) = flags.value("--commit") {
        return Ok(name.to_owned());
    }
    let head = capture(&mut context.program("git", ["rev-parse", "--short=9", "HEAD"]))?;
    let changed =
        capture(&mut context.program("git", ["status", "--porcelain", "--", "crates", "Cargo.lock"]))?;
    let mark = if changed.trim().is_empty() { "" } else { "+" };
    Ok(format!("{}{mark}", head.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_chooses_every_suite_that_has_it() {
        let words =
            |names| choose(Some(names)).unwrap().iter().map(|suite| suite.words()).collect::<Vec<_>>();
        assert_eq!(words("recall"), ["bench recall", "eval recall"]);
        assert_eq!(words("bench:recall,norms"), ["bench recall", "eval norms"]);
        assert_eq!(choose(Some("recal")).map(drop).unwrap_err().exit_code(), 2);
        assert_eq!(choose(None).unwrap().len(), SUITES.len());
    }
}
