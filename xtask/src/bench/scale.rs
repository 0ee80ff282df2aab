//! The suite `scale`: what a command costs the processor, and what looks at everything costs, in a large store.
//!
//! Commands that an agent runs many times are measured in processor time, each a process of its own: what else the machine does counts less
//! that way. Whoever looks at a whole store waits, so that is measured on the wall, with the memory it takes.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::context::{Failure, capture};
use crate::harness::client::Talk;
use crate::harness::corpus::{Lesson, REASONS, RULES};
use crate::harness::figure::{Figure, grouped};
use crate::harness::measure::{self, Series, progress};
use crate::harness::memory;
use crate::harness::report::Report;
use crate::harness::scratch;
use crate::harness::session::{Session, text};
use crate::harness::store::{self, Filled};
use crate::harness::{Suite, Tool};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/speed.md"),
    sizes: [&[10_000], &[10_000, 100_000]],
    needs: &[Tool::Ken, Tool::Probe],
    ..Suite::bench("scale", run)
};

/// The text that is scanned: lessons until there is a mebibyte of them.
const SCANNED_BYTES: usize = 1 << 20;

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let mut figures = vec![scan(session)?];
    for size in &session.sizes {
        let filled = store::fill(session, *size)?;
        let mut all = processor(session, &filled, Beside::Nothing)?;
        all.extend(whole(session, &filled)?);
        all.push(health(session, &filled)?);
        all.push(fresh_clone(session, &filled)?);
        all.extend(processor(session, &filled, Beside::GlobalStore)?);
        figures.extend(all.into_iter().map(|figure| figure.at(*size)));
    }
    Ok(Report::new(figures)
        .note(
            "an add is measured without a model: what one embedding costs is a figure of the suite `recall`",
        )
        .note("vectors point in no particular direction"))
}

/// What there is beside the store that is asked.
#[derive(Clone, Copy)]
enum Beside {
    Nothing,
    /// The store of the person, with what all projects share (COR-2).
    GlobalStore,
}

/// Entries of that one.
const BESIDE: usize = 1_000;

/// Commands that an agent runs many times.
fn processor(session: &Session<'_>, filled: &Filled, beside: Beside) -> Result<Vec<Figure>, Failure> {
    let root = &filled.root;
    let rounds = session.effort.short_rounds();
    let global = match beside {
        Beside::Nothing => None,
        Beside::GlobalStore => Some(global_store(session)?),
    };
    let ken = |words: &[&str]| {
        let mut command = session.ken(root, words);
        command.envs(global.iter().map(|global| ("KEN_GLOBAL", global)));
        command
    };
    // The first look after a bulk add tidies up.
    measure::command(&mut ken(&["list"]))?;
    let mut number = filled.entries as u64 * 2 * (1 + u64::from(global.is_some()));
    let mut figures = Vec::new();
    let (mut list, mut search, mut add, mut empty) =
        (Series::default(), Series::default(), Series::default(), Series::default());
    progress("list, search and add, processor time");
    for _ in 0..rounds {
        list.push(measure::command(&mut ken(&["list"]))?.0);
        let question = ["search", "--mode", "hybrid", "retry after a time limit"];
        search.push(measure::command(&mut ken(&question))?.0);
        empty.push(measure::command(&mut session.empty(root)?)?.0);
    }
    // A list after an add writes INDEX.md, which is not what is measured here.
    for _ in 0..rounds {
        number += 1;
        let lesson = Lesson::number(number);
        let mut words = vec!["--no-model"];
        words.extend(lesson.arguments());
        add.push(measure::command(&mut ken(&words))?.0);
    }
    let names = match beside {
        Beside::Nothing => ["scale.list_cpu", "scale.search_cpu", "scale.add_cpu"],
        Beside::GlobalStore => ["scale.list_cpu_beside", "scale.search_cpu_beside", "scale.add_cpu_beside"],
    };
    for (name, series) in names.into_iter().zip([&list, &search, &add]) {
        if let (Some(cpu), Some(least)) = (series.cpu(), empty.cpu()) {
            let figure = Figure::new(name, cpu.as_secs_f64());
            figures.push(figure.floor("start of an empty program", least.as_secs_f64()));
        }
    }
    Ok(figures)
}

/// A store of the person, filled. What holds for every project names no place of one.
fn global_store(session: &Session<'_>) -> Result<PathBuf, Failure> {
    let home = session.scratch.folder.join("global");
    if !home.exists() {
        let global = |words: &[&str]| {
            let mut command = session.ken(&session.scratch.folder, words);
            command.env("KEN_GLOBAL", &home);
            command
        };
        capture(&mut global(&["--global", "init"]))?;
        let lesson = |number: usize| {
            let rule = RULES[number % RULES.len()];
            let reason = REASONS[number / RULES.len() % REASONS.len()];
            let statement = format!("{rule}: case {number} showed why. {reason}");
            let (evidence, anchors, steps) = ([format!("pr:{number}")], ["README.md"], ["look"]);
            json!({ "type": "lesson", "statement": statement, "provenance": evidence, "anchors": anchors, "verification": steps })
                .to_string()
        };
        let lessons: Vec<String> = (0..BESIDE).map(lesson).collect();
        let lessons = session.write("global.jsonl", lessons.join("\n"))?;
        session.add_lines_by(global(&["--global", "--no-model", "add"]), &lessons, BESIDE)?;
    }
    Ok(home)
}

/// Commands that look at everything.
fn whole(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    let root = &filled.root;
    let commands: [(&str, &str, &[&str]); 6] = [
        ("scale.verify", "scale.verify_memory", &["verify"]),
        ("scale.gate", "scale.gate_memory", &["gate"]),
        ("scale.drift", "scale.drift_memory", &["drift"]),
        ("scale.list_all", "scale.list_all_memory", &["list", "--all", "--limit", "0"]),
        ("scale.doctor", "scale.doctor_memory", &["doctor"]),
        ("scale.brief", "scale.brief_memory", &["brief"]),
    ];
    let mut figures = Vec::new();
    for (name, memory_name, words) in commands {
        progress(&format!("`ken {}`", words.join(" ")));
        let (mut times, mut bare) = (Series::default(), Series::default());
        for _ in 0..session.effort.long_rounds() {
            times.push(measure::command(&mut session.ken(root, words))?.0);
            let store = root.join(".kenning");
            let read = || {
                let (files, _) = scratch::walk(&store)?;
                scratch::read_bare(&store, &files)
            };
            bare.push(measure::work("read the ledger files", read)?.0);
        }
        figures.push(Figure::time(name, &times).floor_time("sweep and read of the same files", &bare));
        if let Some(peak) = memory::anonymous_peak(&mut session.ken(root, words))? {
            figures.push(Figure::new(memory_name, peak as f64));
        }
    }
    Ok(figures)
}

/// The resource that a host reads, from a server that runs.
fn health(session: &Session<'_>, filled: &Filled) -> Result<Figure, Failure> {
    progress("ken://health");
    let mut times = Series::default();
    for _ in 0..session.effort.long_rounds() {
        let mut talk = Talk::start(&mut session.ken(&filled.root, &["mcp"]))?;
        talk.greet()?;
        let began = std::time::Instant::now();
        talk.ask("resources/read", json!({ "uri": "ken://health" }))?;
        times.push(measure::Sample { wall: began.elapsed(), cpu: None });
        talk.end()?;
    }
    Ok(Figure::time("scale.health", &times))
}

/// The first command in a clone that somebody just made.
fn fresh_clone(session: &Session<'_>, filled: &Filled) -> Result<Figure, Failure> {
    progress(&format!("a fresh clone of {} entries", grouped(filled.entries as u64)));
    session.commit(&filled.root, "knowledge")?;
    let mut times = Series::default();
    for round in 0..session.effort.long_rounds() {
        let clone = session.scratch.folder.join(format!("fresh-{}-{round}", filled.entries));
        let (here, there) = (text(&filled.root), text(&clone));
        let words = ["clone", "-q", "--shared", &here, &there];
        capture(&mut session.scratch.git(&session.scratch.folder, &words))?;
        scratch::settle();
        times.push(measure::command(&mut session.ken(&clone, &["--no-model", "list"]))?.0);
    }
    Ok(Figure::time("scale.fresh_clone", &times))
}

/// A mebibyte of plain text.
fn scan(session: &Session<'_>) -> Result<Figure, Failure> {
    progress("a scan of 1 MiB");
    let path = session.write("plain.txt", plain_text())?;
    let root = session.scratch.repository("scan")?;
    capture(&mut session.ken(&root, &["init"]))?;
    let small = session.write("small.txt", "The cache lies next to the sources.\n")?;
    let (mut times, mut least) = (Series::default(), Series::default());
    for _ in 0..session.effort.short_rounds() {
        times.push(scanned(session, &root, &path)?);
        least.push(scanned(session, &root, &small)?);
    }
    Ok(Figure::time("scale.scan", &times).floor_time("a scan of one sentence", &least))
}

fn scanned(session: &Session<'_>, root: &Path, path: &Path) -> Result<measure::Sample, Failure> {
    Ok(measure::command(&mut session.ken(root, &["scan", "--fail-on", "critical", &text(path)]))?.0)
}

fn plain_text() -> String {
    let mut plain = String::with_capacity(SCANNED_BYTES);
    let mut number = 0;
    while plain.len() < SCANNED_BYTES {
        let lesson = Lesson::number(number);
        plain.push_str(lesson.arguments().join(" ").as_str());
        plain.push_str("\n\n");
        number += 1;
    }
    let end = (0..=SCANNED_BYTES).rev().find(|at| plain.is_char_boundary(*at)).unwrap_or(0);
    plain.truncate(end);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_scanned_is_a_mebibyte() {
        assert_eq!(plain_text().len(), SCANNED_BYTES);
    }
}
