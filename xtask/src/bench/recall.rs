//! The suite `recall`: cold and warm searches, embedding, room and memory, at several sizes of store.
//!
//! The model embeds every question; the vectors of the entries are not the model's.

use std::fs;
use std::time::Duration;

use crate::context::{Failure, Outcome, capture, failed};
use crate::harness::corpus;
use crate::harness::figure::{Figure, grouped};
use crate::harness::measure::{self, Sample, Series, progress};
use crate::harness::memory;
use crate::harness::probe::series;
use crate::harness::report::Report;
use crate::harness::scratch;
use crate::harness::session::{Session, text};
use crate::harness::store::{self, Filled};
use crate::harness::{Effort, Suite, Tool};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/benchmarks.md"),
    sizes: [&[10_000], &[10_000, 100_000]],
    needs: &[Tool::Ken, Tool::Probe],
    ..Suite::bench("recall", run)
};

/// Texts that are ranked in memory, and how many different ones they are made of.
const LARGE_TEXTS: usize = 1_000_000;
const LARGE_SOURCE: usize = 100_000;
/// Entries that the real command embeds.
const EMBEDDED: usize = 300;

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let (mut figures, paths) = embedding(session)?;
    figures.push(embed_command(session)?);
    for size in &session.sizes {
        figures.extend(of_size(session, *size)?);
    }
    if session.effort == Effort::Full {
        figures.push(large(session)?);
    }
    Ok(Report::new(figures)
        .note("vectors of the stores point in no particular direction; those of questions are the model's")
        .note(format!("texts of 50 tokens embedded on one core: {paths}")))
}

/// Questions about a store, and the same texts in a plain full-text index.
struct Asked {
    fts: std::path::PathBuf,
    questions: Vec<String>,
    /// All questions in one file, a line each.
    file: std::path::PathBuf,
}

/// Texts a second on every path that the machine has, beside the one that every machine has.
fn embedding(session: &Session<'_>) -> Result<(Vec<Figure>, String), Failure> {
    progress("embedding on every path");
    let answer = session.probe().ask(&["embed", session.effort.pick("1", "3")])?;
    let paths: Vec<(&str, f64)> = answer["paths"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|path| {
            let rate = |name: &str| path[name].as_f64().unwrap_or(0.0);
            (path["path"].as_str().unwrap_or_default(), rate("many").max(rate("single")))
        })
        .collect();
    let scalar = paths.iter().find(|(path, _)| *path == "scalar").map(|(_, rate)| *rate);
    let known = [
        ("avx512", "recall.embed_avx512"),
        ("avx512bw", "recall.embed_avx512bw"),
        ("avx2", "recall.embed_avx2"),
    ];
    let mut figures = Vec::new();
    for (path, rate) in &paths {
        if let Some((_, name)) = known.iter().find(|(known, _)| known == path) {
            let figure = Figure::new(name, *rate);
            figures.push(match scalar {
                Some(scalar) => figure.floor("without vector instructions", scalar),
                None => figure,
            });
        }
    }
    let all: Vec<String> = paths.iter().map(|(path, rate)| format!("{path} {rate:.0}/s")).collect();
    Ok((figures, all.join(", ")))
}

/// The real command with the real model, over a small store.
fn embed_command(session: &Session<'_>) -> Result<Figure, Failure> {
    progress("ken rebuild --embeddings");
    let source = session.write("embed.jsonl", corpus::lines(EMBEDDED))?;
    let root = session.scratch.repository("embed")?;
    capture(&mut session.ken(&root, &["init"]))?;
    session.add_lines(&root, &source, EMBEDDED)?;
    let (sample, answer) = session.json(&root, &["embed"])?;
    if answer["made"].as_u64() != Some(EMBEDDED as u64) {
        return failed(format!(
            "of {EMBEDDED} entries `ken rebuild --embeddings` made {} vectors",
            answer["made"]
        ));
    }
    Ok(Figure::rate("recall.embed_command", EMBEDDED, &sample.into()).at(EMBEDDED))
}

fn of_size(session: &Session<'_>, entries: usize) -> Result<Vec<Figure>, Failure> {
    let filled = store::fill(session, entries)?;
    let fts = session.scratch.folder.join(format!("{entries}.fts"));
    let made = session.probe().ask(&["fts-fill", &text(&filled.source), &text(&fts)])?;
    let fts_took = Duration::from_secs_f64(made["seconds"].as_f64().unwrap_or(0.0));
    let questions = corpus::questions(240, entries);
    let file = session.write(&format!("{entries}.questions"), questions.join("\n"))?;
    let asked = Asked { fts, questions, file };
    let mut figures = vec![Figure::rate("recall.bulk_add", entries, &filled.added.into()).floor_rate(
        "the texts into plain FTS5",
        entries,
        fts_took,
    )];
    figures.extend(cold(session, &filled, &asked)?);
    figures.extend(private_memory(session, &filled, &asked)?);
    figures.extend(warm(session, &filled, &asked)?);
    figures.extend(room(session, &filled)?);
    Ok(figures.into_iter().map(|figure| figure.at(entries)).collect())
}

/// Does something while exposures are not recorded.
fn without_exposures<T>(filled: &Filled, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let settings = filled.root.join(".kenning/config.toml");
    let before = fs::read_to_string(&settings).unwrap_or_default();
    let put =
        |text: &str| -> Outcome { measure::work("write settings", || fs::write(&settings, text)).map(drop) };
    put("[search]\nexposures = false\n")?;
    let done = work();
    put(&before)?;
    done
}

/// From the start of the process to the printed answer.
fn cold(session: &Session<'_>, filled: &Filled, asked: &Asked) -> Result<Vec<Figure>, Failure> {
    progress("cold searches");
    let root = &filled.root;
    // The first look after a bulk add tidies up.
    measure::command(&mut session.ken(root, &["search", &asked.questions[0]]))?;
    let mut found = [(); 4].map(|()| Series::default());
    let questions = || asked.questions.iter().take(session.effort.short_rounds());
    for (round, question) in questions().enumerate() {
        found[0].push(measure::command(&mut session.ken(root, &["search", question]))?.0);
        found[1].push(measure::command(&mut session.ken(root, &["--no-model", "search", question]))?.0);
        let one = session.write(&format!("question-{round}"), question)?;
        let answer = session.probe().ask(&["fts-ask", &text(&asked.fts), &text(&one)])?;
        found[3].push(Sample { wall: series(&answer, "micros").wall(), cpu: None });
    }
    without_exposures(filled, || {
        for question in questions() {
            let mut search = session.ken(root, &["search", "--mode", "hybrid", question]);
            found[2].push(measure::command(&mut search)?.0);
        }
        Ok(())
    })?;
    let [recorded, keyword, unrecorded, fts] = &found;
    let figure = |name: &str, series: &Series| {
        Figure::time(name, series).floor_time("plain FTS5, in a process that runs", fts)
    };
    Ok(vec![
        figure("recall.cold", recorded),
        figure("recall.cold_unrecorded", unrecorded),
        figure("recall.cold_keyword", keyword),
    ])
}

fn private_memory(session: &Session<'_>, filled: &Filled, asked: &Asked) -> Result<Option<Figure>, Failure> {
    progress("private memory");
    let mut peak = None;
    for question in asked.questions.iter().take(session.effort.short_rounds()) {
        peak = peak.max(memory::anonymous_peak(&mut session.ken(&filled.root, &["search", question]))?);
    }
    Ok(peak.map(|bytes| Figure::new("recall.memory", bytes as f64)))
}

/// A store that stays open, through the library.
fn warm(session: &Session<'_>, filled: &Filled, asked: &Asked) -> Result<Vec<Figure>, Failure> {
    progress("warm searches through the library");
    let rounds = session.effort.pick("100", "400");
    let ask = || session.probe().ask(&["warm", &text(&filled.root), &text(&asked.file), rounds]);
    let silent = series(&without_exposures(filled, ask)?, "micros");
    let recorded = series(&ask()?, "micros");
    let scan = session.probe().ask(&["scan", &filled.entries.to_string()])?;
    let floor = "scan of as many vectors, a byte a dimension";
    let scan = series(&scan, "micros");
    Ok(vec![
        Figure::time("recall.warm", &recorded).floor_time(floor, &scan),
        Figure::new("recall.warm_p99", recorded.within(0.99).as_secs_f64()),
        Figure::time("recall.warm_unrecorded", &silent).floor_time(floor, &scan),
    ])
}

/// Bytes per entry of what searching needs, and of the whole index.
fn room(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    let private = filled.root.join(".git/kenning");
    let walk = |name: &str| measure::work("walk the index", || scratch::walk(&private.join(name)));
    let (index, vectors) = (walk("index")?.1.0, walk("vectors")?.1.0);
    let total = |files: &[scratch::Seen]| files.iter().map(|file| file.size).sum::<u64>();
    let Some(largest) = index.iter().max_by_key(|file| file.size) else {
        return failed("the index has no file");
    };
    let tables = session.probe().ask(&["room", &text(&private.join("index").join(&largest.path))])?;
    let table = |name: &str| tables["tables"][name].as_u64().unwrap_or(0);
    let names = ["docs", "segments", "postings"];
    let recall: u64 = names.iter().map(|name| table(name)).sum();
    let each = |bytes: u64| bytes as f64 / filled.entries as f64;
    let part = |name: &str, bytes: u64| format!("{name} {}", grouped(each(bytes).ceil() as u64));
    let mut parts: Vec<String> = names.iter().map(|name| part(name, table(name))).collect();
    parts.push(part("vectors", total(&vectors)));
    Ok(vec![
        Figure::new("recall.room", each(recall + total(&vectors))).note(parts.join(", ")),
        Figure::new("recall.room_all", each(total(&index) + total(&vectors))),
    ])
}

/// The index alone, in memory, with more texts than anybody has.
fn large(session: &Session<'_>) -> Result<Figure, Failure> {
    progress(&format!("{} texts in memory", grouped(LARGE_TEXTS as u64)));
    let source = session.write("large.jsonl", corpus::lines(LARGE_SOURCE))?;
    let questions = session.write("large.questions", corpus::questions(100, LARGE_SOURCE).join("\n"))?;
    let answer =
        session.probe().ask(&["large", &LARGE_TEXTS.to_string(), &text(&source), &text(&questions)])?;
    Ok(Figure::time("recall.rank_in_memory", &series(&answer, "micros")).at(LARGE_TEXTS))
}
