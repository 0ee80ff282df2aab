//! The suite `recall`: cold and warm searches, taking meanings, room and memory, at several sizes of store.
//!
//! The questions' own meanings are taken by the model every time; the vectors of the entries are not the model's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::corpus;
use super::filled;
use super::machine;
use super::measure::{self, Series, progress};
use super::memory;
use super::report::{Row, Table, duration, grouped, per_entry, per_second};
use super::scratch::{self, Scratch};
use super::{Effort, Request};
use crate::context::{Context, Failure, Outcome, capture, failed};
use crate::dist;
use crate::probe::Probe;

const BINARY_BYTES_MAX: u64 = 60_000_000;
const PRIVATE_BYTES_MAX: u64 = 40_000_000;
const INDEX_BYTES_PER_ENTRY_MAX: u64 = 1_000;
const WARM_MAX: [Duration; 2] = [Duration::from_millis(12), Duration::from_millis(25)];
const LARGE_MAX: Duration = Duration::from_millis(60);
const LARGE_TEXTS: usize = 1_000_000;
/// Sizes of store that have targets.
const SMALL: usize = 10_000;
const BIG: usize = 100_000;
/// Texts of about 50 tokens a second that one core should manage.
const EMBED_MIN: [(&str, f64); 2] = [("avx512", 100.0), ("avx2", 50.0)];

fn cold_max(entries: usize) -> Option<Duration> {
    match entries {
        SMALL => Some(Duration::from_millis(25)),
        BIG => Some(Duration::from_millis(50)),
        _ => None,
    }
}

/// The table, and the folder that the caller lets go of when the table is safe.
pub(super) fn run(context: &Context, request: &Request) -> Result<(Table, Scratch), Failure> {
    println!("building ken as `cargo xtask dist` does, and the probe that measures inside a process");
    let built = dist::build(context)?;
    let probe = Probe::build(context)?;
    let scratch = Scratch::below(&dist::target_folder(context)?)?;
    let empty = scratch.empty_program()?;
    let mut lines = machine::describe(context, &scratch.folder)?;
    lines.push(
        "vectors of the stores point in no particular direction; those of questions are the model's"
            .to_owned(),
    );
    let bench = Bench { scratch, ken: built.path, empty, probe, effort: request.effort };
    let mut rows = vec![
        Row::new("binary with the model", None)
            .measured(format!("{:.2} MB", built.bytes as f64 / 1e6))
            .target("≤ 60 MB", built.bytes <= BINARY_BYTES_MAX),
    ];
    rows.extend(bench.embedding()?);
    rows.push(bench.embed_command()?);
    for size in &request.sizes {
        rows.extend(bench.size(*size)?);
    }
    if request.effort == Effort::Whole {
        rows.push(bench.large()?);
    }
    lines.extend(machine::load().map(|load| format!("load average of the last minute at the end: {load}")));
    let sizes: Vec<String> = request.sizes.iter().map(usize::to_string).collect();
    let quick = if request.effort == Effort::Quick { " --quick" } else { "" };
    let command = format!("cargo xtask bench recall{quick} --sizes {} --write", sizes.join(","));
    Ok((Table { command, machine: lines, rows }, bench.scratch))
}

struct Bench {
    scratch: Scratch,
    ken: PathBuf,
    empty: PathBuf,
    probe: Probe,
    effort: Effort,
}

/// A repository with a store, and the same texts in other forms.
struct Filled {
    root: PathBuf,
    entries: usize,
    fts: PathBuf,
    questions: Vec<String>,
    /// All questions in one file, a line each.
    asked: PathBuf,
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What the probe timed.
fn series(answer: &Value) -> Series {
    let micros = answer["micros"].as_array().into_iter().flatten().filter_map(Value::as_f64);
    micros.map(|micros| Duration::from_secs_f64(micros / 1e6)).collect()
}

impl Bench {
    fn ken(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = self.scratch.program(&self.ken, root);
        command.args(arguments);
        command
    }

    fn write(&self, name: &str, content: String) -> Result<PathBuf, Failure> {
        let path = self.scratch.folder.join(name);
        measure::work("write a scratch file", || fs::write(&path, content))?;
        Ok(path)
    }

    /// Texts a second on every path that the machine has.
    fn embedding(&self) -> Result<Vec<Row>, Failure> {
        progress("taking meanings on every path");
        let answer = self.probe.ask(&["embed", "3"])?;
        let rows = answer["paths"].as_array().into_iter().flatten().map(|path| {
            let name = path["path"].as_str().unwrap_or_default();
            let (many, single) =
                (path["many"].as_f64().unwrap_or(0.0), path["single"].as_f64().unwrap_or(0.0));
            let what = format!("texts of {} tokens embedded on one core, {name}", path["tokens"]);
            let row = Row::new(&what, None)
                .measured(format!("{single:.0}/s one by one"))
                .best(format!("{many:.0}/s in batches"));
            match EMBED_MIN.iter().find(|(path, _)| *path == name) {
                Some((_, least)) => row.target(&format!("≥ {least:.0}/s"), many.max(single) >= *least),
                None => row,
            }
        });
        Ok(rows.collect())
    }

    /// The real command with the real model, over a small store.
    fn embed_command(&self) -> Result<Row, Failure> {
        progress("ken embed");
        let entries = 500;
        let source = self.write("embed.jsonl", corpus::lines(entries))?;
        let root = self.scratch.repository("embed")?;
        capture(&mut self.ken(&root, &["init"]))?;
        capture(&mut self.ken(&root, &["add", "--file", &text(&source)]))?;
        let (sample, output) = measure::command(&mut self.ken(&root, &["--json", "embed"]))?;
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if answer["made"].as_u64() != Some(entries as u64) {
            return failed(format!("of {entries} entries `ken embed` made {} vectors", answer["made"]));
        }
        let mut once = Series::default();
        once.push(sample);
        Ok(Row::new("`ken embed`, about 90 tokens a text", Some(entries))
            .time(&once)
            .measured(per_second(entries, sample.wall))
            .best(""))
    }

    fn size(&self, entries: usize) -> Result<Vec<Row>, Failure> {
        let (filled, bulk) = self.fill(entries)?;
        let mut rows = vec![bulk];
        rows.extend(self.cold(&filled)?);
        rows.push(self.private_memory(&filled)?);
        rows.extend(self.warm(&filled)?);
        rows.extend(self.room(&filled)?);
        Ok(rows)
    }

    fn fill(&self, entries: usize) -> Result<(Filled, Row), Failure> {
        let filled::Filled { root, source, added } =
            filled::fill(&self.scratch, &self.ken, &self.probe, entries)?;
        let fts = self.scratch.folder.join(format!("{entries}.fts"));
        let made = self.probe.ask(&["fts-fill", &text(&source), &text(&fts)])?;
        let fts_took = Duration::from_secs_f64(made["seconds"].as_f64().unwrap_or(0.0));
        let questions = corpus::questions(240, entries);
        let asked = self.write(&format!("{entries}.questions"), questions.join("\n"))?;
        let mut once = Series::default();
        once.push(added);
        let row = Row::new("bulk `ken add --file` with the search index", Some(entries))
            .time(&once)
            .measured(per_second(entries, added.wall))
            .best("")
            .floor("the texts into plain FTS5", fts_took, added.wall);
        Ok((Filled { root, entries, fts, questions, asked }, row))
    }

    /// Does something while nothing that is shown is recorded.
    fn without_exposures<T>(
        &self,
        filled: &Filled,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let settings = filled.root.join(".kenning/config.toml");
        let before = fs::read_to_string(&settings).unwrap_or_default();
        let put = |text: &str| -> Outcome {
            measure::work("write settings", || fs::write(&settings, text)).map(drop)
        };
        put("[search]\nexposures = false\n")?;
        let done = work();
        put(&before)?;
        done
    }

    /// From the start of the process to the printed answer.
    fn cold(&self, filled: &Filled) -> Result<Vec<Row>, Failure> {
        progress("cold searches");
        let root = &filled.root;
        // The first look after a bulk add tidies up.
        measure::command(&mut self.ken(root, &["search", &filled.questions[0]]))?;
        let ways: [&[&str]; 3] = [&["search"], &["--no-model", "search"], &["search", "--mode", "hybrid"]];
        let mut found = [(); 5].map(|()| Series::default());
        let questions = || filled.questions.iter().take(self.effort.short_rounds());
        for (round, question) in questions().enumerate() {
            for (way, series) in ways[..2].iter().zip(&mut found) {
                series.push(measure::command(self.ken(root, way).arg(question))?.0);
            }
            found[3].push(measure::command(&mut self.scratch.program(&self.empty, root))?.0);
            let one = self.write(&format!("question-{round}"), question.clone())?;
            let answer = self.probe.ask(&["fts-ask", &text(&filled.fts), &text(&one)])?;
            found[4].push(measure::Sample { wall: series(&answer).wall(), cpu: None });
        }
        self.without_exposures(filled, || {
            for question in questions() {
                found[2].push(measure::command(self.ken(root, ways[2]).arg(question))?.0);
            }
            Ok(())
        })?;
        let scan = series(&self.probe.ask(&["scan", &filled.entries.to_string()])?);
        let [search, wordly, hybrid, empty, fts] = &found;
        let row = |name: &str, series: &Series| {
            let row = Row::new(name, Some(filled.entries)).time(series);
            match cold_max(filled.entries) {
                Some(most) => row.target(&format!("≤ {}", duration(most)), series.wall() <= most),
                None => row,
            }
        };
        let plain = |name: &str, series: &Series| Row::new(name, Some(filled.entries)).time(series);
        Ok(vec![
            row("cold `ken search`, what was shown is recorded", search).floor(
                "plain FTS5",
                fts.wall(),
                search.wall(),
            ),
            row("cold `ken search --mode hybrid`, nothing recorded", hybrid).floor(
                "plain FTS5",
                fts.wall(),
                hybrid.wall(),
            ),
            row("cold `ken --no-model search`, recorded", wordly).floor(
                "plain FTS5",
                fts.wall(),
                wordly.wall(),
            ),
            plain("start of an empty program", empty),
            plain("plain FTS5, opened and asked in process", fts),
            plain("scan of as many vectors, a byte a dimension", &scan),
        ])
    }

    fn private_memory(&self, filled: &Filled) -> Result<Row, Failure> {
        progress("private memory");
        let mut peak = None;
        for question in filled.questions.iter().take(self.effort.short_rounds()) {
            peak = peak.max(memory::anonymous_peak(self.ken(&filled.root, &["search"]).arg(question))?);
        }
        let row = Row::new("anonymous memory of a cold `ken search`, highest sample", Some(filled.entries));
        let Some(bytes) = peak else { return Ok(row.measured("not told by the system")) };
        let row = row.measured(format!("{:.1} MB", bytes as f64 / 1e6));
        Ok(match filled.entries {
            BIG => row.target("≤ 40 MB", bytes <= PRIVATE_BYTES_MAX),
            _ => row,
        })
    }

    /// A store that stays open, through the library.
    fn warm(&self, filled: &Filled) -> Result<Vec<Row>, Failure> {
        progress("warm searches through the library");
        let rounds = match self.effort {
            Effort::Quick => "100",
            Effort::Whole => "400",
        };
        let ask = || self.probe.ask(&["warm", &text(&filled.root), &text(&filled.asked), rounds]);
        let silent = series(&self.without_exposures(filled, ask)?);
        let recorded = series(&ask()?);
        let row = |what: &str, series: &Series, counts: bool| {
            let (half, most) = (series.wall(), series.within(0.99));
            let row = Row::new(&format!("warm search in the library, {what}"), Some(filled.entries))
                .measured(format!("p50 {}, p99 {}", duration(half), duration(most)))
                .best(duration(series.best()));
            if counts && filled.entries == BIG {
                row.target("p50 ≤ 12 ms, p99 ≤ 25 ms", half <= WARM_MAX[0] && most <= WARM_MAX[1])
            } else {
                row
            }
        };
        Ok(vec![row("nothing recorded", &silent, true), row("what was shown is recorded", &recorded, true)])
    }

    /// Bytes per entry of what searching needs, and of the whole index.
    fn room(&self, filled: &Filled) -> Result<Vec<Row>, Failure> {
        let private = filled.root.join(".git/kenning");
        let walk = |name: &str| measure::work("walk the index", || scratch::walk(&private.join(name)));
        let (index, vectors) = (walk("index")?.1.0, walk("vectors")?.1.0);
        let total = |files: &[scratch::Seen]| files.iter().map(|file| file.size).sum::<u64>();
        let Some(largest) = index.iter().max_by_key(|file| file.size) else {
            return failed("the index has no file");
        };
        let tables = self.probe.ask(&["room", &text(&private.join("index").join(&largest.path))])?;
        let table = |name: &str| tables["tables"][name].as_u64().unwrap_or(0);
        let names = ["docs", "segments", "postings"];
        let recall: u64 = names.iter().map(|name| table(name)).sum();
        let parts: Vec<String> =
            names.iter().map(|name| format!("{name} {}", per_entry(table(name), filled.entries))).collect();
        let both = recall + total(&vectors);
        let row = |what: &str| Row::new(what, Some(filled.entries));
        Ok(vec![
            row("bytes per entry, search tables and vectors")
                .measured(per_entry(both, filled.entries))
                .best(format!("{}, vectors {}", parts.join(", "), per_entry(total(&vectors), filled.entries)))
                .target("≤ 1,000", both <= INDEX_BYTES_PER_ENTRY_MAX * filled.entries as u64),
            row("bytes per entry, whole index and vectors")
                .measured(per_entry(total(&index) + total(&vectors), filled.entries)),
        ])
    }

    /// The index alone, in memory, with more texts than anybody has.
    fn large(&self) -> Result<Row, Failure> {
        progress(&format!("{} texts in memory", grouped(LARGE_TEXTS as u64)));
        let source = self.write("large.jsonl", corpus::lines(BIG))?;
        let questions = self.write("large.questions", corpus::questions(100, BIG).join("\n"))?;
        let answer =
            self.probe.ask(&["large", &LARGE_TEXTS.to_string(), &text(&source), &text(&questions)])?;
        let ranked = series(&answer);
        let (half, most) = (ranked.wall(), ranked.within(0.99));
        Ok(Row::new("ranking in memory (`MemoryShelf`, no store), meaning taken", Some(LARGE_TEXTS))
            .measured(format!("p50 {}, p99 {}", duration(half), duration(most)))
            .best(duration(ranked.best()))
            .target("p50 ≤ 60 ms", half <= LARGE_MAX))
    }
}
