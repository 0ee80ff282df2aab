//! The suite `ledger`: start, read, durable add, bulk add, rebuild, catch-up and room, at several sizes of store.
//!
//! Every command is a new process over a warm page cache. Floors run in the same loop as what they are held against. Nothing is deleted
//! before the end: ext4 without a journal takes many times longer to make a file for minutes after others were deleted.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::corpus::{self, Lesson};
use super::machine;
use super::measure::{self, Series, progress};
use super::report::{Row, Table, grouped, per_entry, per_second, ratio};
use super::scratch::{self, Scratch, Seen};
use super::{Effort, Request};
use crate::context::{Context, Failure, Outcome, capture, failed};
use crate::dist;

const VERSION_CPU_MAX: Duration = Duration::from_millis(3);
const SHOW_MAX: Duration = Duration::from_millis(10);
const SYNCS_MAX: usize = 2;
const SYNCS_FIRST_MAX: usize = 6;
const BULK_PER_SECOND_MIN: f64 = 8_000.0;
const BULK_RATIO_MAX: f64 = 2.5;
const REBUILD_PER_SECOND_MIN: f64 = 30_000.0;
const CATCH_UP_BEYOND_GIT_MAX: Duration = Duration::from_millis(50);
const BINARY_BYTES_MAX: u64 = 15_000_000;

/// The table, and the folder that the caller lets go of when the table is safe.
pub(super) fn run(context: &Context, request: &Request) -> Result<(Table, Scratch), Failure> {
    println!("building ken as `cargo xtask dist` does");
    let built = dist::build(context)?;
    let scratch = Scratch::below(&dist::target_folder(context)?)?;
    let empty = scratch.empty_program()?;
    let mut machine_lines = machine::describe(context, &scratch.folder)?;
    let bench = Bench { scratch, ken: built.path, empty, effort: request.effort };

    let kind = if built.is_static { "binary, static" } else { "binary" };
    let mut rows = vec![
        Row::new(kind, None)
            .measured(format!("{:.2} MB", built.bytes as f64 / 1e6))
            .target("≤ 15 MB", built.bytes <= BINARY_BYTES_MAX),
        bench.version()?,
    ];
    rows.push(bench.first_add()?);
    for size in &request.sizes {
        rows.extend(bench.size(*size)?);
    }
    if let Some(load) = machine::load() {
        machine_lines.push(format!("load average of the last minute at the end: {load}"));
    }
    let sizes: Vec<String> = request.sizes.iter().map(usize::to_string).collect();
    let quick = if request.effort == Effort::Quick { " --quick" } else { "" };
    let command = format!("cargo xtask bench ledger{quick} --sizes {} --write", sizes.join(","));
    Ok((Table { command, machine: machine_lines, rows }, bench.scratch))
}

struct Bench {
    scratch: Scratch,
    ken: PathBuf,
    empty: PathBuf,
    effort: Effort,
}

/// A repository with a store of some size, right after its bulk add.
struct Filled {
    root: PathBuf,
    entries: usize,
    files: Vec<Seen>,
}

impl Filled {
    fn store(&self) -> PathBuf {
        self.root.join(".kenning")
    }

    /// Ids spread over the whole store.
    fn ids(&self, count: usize) -> Vec<String> {
        let mut names: Vec<String> = self.files.iter().filter_map(|file| entry_id(&file.path)).collect();
        names.sort_unstable();
        let step = (names.len() / count.max(1)).max(1);
        // Neighbours in a row would share pages of the index.
        let mut chosen: Vec<String> = names.into_iter().step_by(step).take(count).collect();
        let half = chosen.len() / 2;
        chosen.rotate_left(half);
        chosen
    }
}

/// The id of the entry that has a ledger file to itself: its name.
fn entry_id(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(".jsonl")?;
    stem.starts_with("lesson.").then(|| stem.to_owned())
}

impl Bench {
    fn ken(&self, root: &Path, arguments: &[&str]) -> std::process::Command {
        let mut command = self.scratch.program(&self.ken, root);
        command.args(arguments);
        command
    }

    fn empty(&self, root: &Path) -> std::process::Command {
        self.scratch.program(&self.empty, root)
    }

    fn version(&self) -> Result<Row, Failure> {
        progress("ken --version");
        let root = self.scratch.folder.clone();
        let (mut ken, mut empty) = (Series::default(), Series::default());
        for _ in 0..self.effort.short_rounds() * 2 {
            ken.push(measure::command(&mut self.ken(&root, &["--version"]))?.0);
            empty.push(measure::command(&mut self.empty(&root))?.0);
        }
        let row = Row::new("`ken --version`", None).time(&ken).floor(
            "start of an empty program",
            empty.wall(),
            ken.wall(),
        );
        // Where the system does not tell, the wall is the nearest thing.
        let cpu = ken.cpu().unwrap_or_else(|| ken.wall());
        Ok(row.target("CPU ≤ 3 ms", cpu <= VERSION_CPU_MAX))
    }

    /// The first write of a store pays for the names of its folders too.
    fn first_add(&self) -> Result<Row, Failure> {
        progress("first add of a new store");
        let root = self.scratch.repository("first")?;
        capture(&mut self.ken(&root, &["init"]))?;
        let lesson = Lesson::number(0);
        let syncs = scratch::count_syncs(&self.scratch, &self.ken(&root, &lesson.arguments()))?;
        Ok(sync_row("syncs of the first `ken add` in a new store", None, syncs, SYNCS_FIRST_MAX))
    }

    fn size(&self, entries: usize) -> Result<Vec<Row>, Failure> {
        let (filled, bulk) = self.bulk_add(entries)?;
        let mut rows = vec![bulk];
        rows.extend(self.room(&filled)?);
        rows.extend(self.reads(&filled)?);
        rows.extend(self.durable_add(&filled)?);
        rows.push(self.rebuild(&filled)?);
        rows.extend(self.catch_up(&filled)?);
        Ok(rows)
    }

    /// Fills several new stores and goes on with the last one.
    fn bulk_add(&self, entries: usize) -> Result<(Filled, Row), Failure> {
        let source = self.scratch.folder.join(format!("{entries}.jsonl"));
        measure::work("write the entries to add", || fs::write(&source, corpus::lines(entries)))?;
        let (mut ken, mut bare) = (Series::default(), Series::default());
        let mut kept = None;
        for round in 1..=self.effort.long_rounds() {
            progress(&format!("bulk add of {}, round {round}", grouped(entries as u64)));
            let root = self.scratch.repository(&format!("store-{entries}-{round}"))?;
            capture(&mut self.ken(&root, &["init"]))?;
            scratch::settle();
            let mut add = self.ken(&root, &["add", "--json", "--file"]);
            let (sample, output) = measure::command(add.arg(&source))?;
            ken.push(sample);
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            if answer["added"].as_u64() != Some(entries as u64) {
                return failed(format!("of {entries} entries `ken add` says it added {}", answer["added"]));
            }
            let store = root.join(".kenning");
            let (_, (all, _)) = measure::work("walk the store", || scratch::walk(&store))?;
            let files: Vec<Seen> = all
                .into_iter()
                .filter(|file| file.path.extension().is_some_and(|end| end == "jsonl"))
                .collect();
            let bare_folder = self.scratch.folder.join(format!("bare-{entries}-{round}"));
            scratch::settle();
            let write = || scratch::write_bare(&bare_folder, &files);
            bare.push(measure::work("write the same files bare", write)?.0);
            kept = Some(Filled { root, entries, files });
        }
        let _ = fs::remove_file(&source);
        let rate = entries as f64 / ken.wall().as_secs_f64();
        let times = ratio(ken.wall(), bare.wall());
        let row = Row::new("bulk `ken add --file`", Some(entries))
            .time(&ken)
            .measured(per_second(entries, ken.wall()))
            .best(per_second(entries, ken.best()))
            .floor("the same files bare", bare.wall(), ken.wall())
            .target("≥ 8,000/s, ratio ≤ 2.5", rate >= BULK_PER_SECOND_MIN && times <= BULK_RATIO_MAX);
        match kept {
            Some(filled) => Ok((filled, row)),
            None => failed("no round of the bulk add was run"),
        }
    }

    /// Bytes per entry, as `ls` sees them and as the disk does.
    fn room(&self, filled: &Filled) -> Result<Vec<Row>, Failure> {
        let private = filled.root.join(".git/kenning");
        let mut rows = Vec::new();
        let parts = [
            ("ledger files", filled.store()),
            ("journal", private.join("journal")),
            ("index", private.join("index")),
        ];
        for (name, folder) in parts {
            let (_, (mut files, mut allocated)) = measure::work("walk the store", || scratch::walk(&folder))?;
            if name == "ledger files" {
                files.retain(|file| file.path.extension().is_some_and(|end| end == "jsonl"));
            } else {
                allocated = 0;
            }
            let apparent: u64 = files.iter().map(|file| file.size).sum();
            allocated += files.iter().map(|file| file.allocated).sum::<u64>();
            rows.push(Row::new(&format!("bytes per entry, {name}"), Some(filled.entries)).measured(format!(
                "{} apparent, {} allocated",
                per_entry(apparent, filled.entries),
                per_entry(allocated, filled.entries)
            )));
        }
        let page = fs::metadata(filled.store().join("INDEX.md")).map_or(0, |looks| looks.len());
        rows.push(
            Row::new("bytes per entry, INDEX.md", Some(filled.entries))
                .measured(format!("{} apparent", per_entry(page, filled.entries))),
        );
        Ok(rows)
    }

    fn reads(&self, filled: &Filled) -> Result<Vec<Row>, Failure> {
        progress("show and list");
        let root = &filled.root;
        let ids = filled.ids(self.effort.short_rounds());
        // The first look after a bulk add tidies up.
        measure::command(&mut self.ken(root, &["list"]))?;
        let mut series = [(); 4].map(|()| Series::default());
        for id in &ids {
            series[0].push(measure::command(&mut self.ken(root, &["show", id]))?.0);
            series[1].push(measure::command(&mut self.empty(root))?.0);
            series[2].push(measure::command(&mut self.ken(root, &["list"]))?.0);
            series[3].push(measure::command(&mut self.ken(root, &["list", "--tag", "network"]))?.0);
        }
        let [show, empty, list, tagged] = &series;
        let row = |name: &str, series: &Series| {
            let row = Row::new(name, Some(filled.entries)).time(series);
            row.floor("start of an empty program", empty.wall(), series.wall())
        };
        Ok(vec![
            row("`ken show ID`", show).target("≤ 10 ms", show.wall() <= SHOW_MAX),
            row("`ken list`", list),
            row("`ken list --tag T`", tagged),
        ])
    }

    fn durable_add(&self, filled: &Filled) -> Result<Vec<Row>, Failure> {
        progress("durable add");
        let root = &filled.root;
        let line = fs::read(filled.store().join(&filled.files[0].path)).unwrap_or_default();
        let line: Vec<u8> = line.into_iter().take(4096).collect();
        let floor_path = self.scratch.folder.join("appended");
        let mut floor_file = fs::File::create(&floor_path)
            .map_err(|error| Failure::Failed(format!("cannot make a file to append to: {error}")))?;
        let (mut ken, mut bare) = (Series::default(), Series::default());
        let mut number = filled.entries as u64;
        let mut next = || {
            number += 1;
            Lesson::number(number)
        };
        scratch::settle();
        // The first write after the index was tidied may pay for more than the others: the worst one counts.
        let first = scratch::count_syncs(&self.scratch, &self.ken(root, &next().arguments()))?;
        for _ in 0..self.effort.short_rounds() {
            ken.push(measure::command(&mut self.ken(root, &next().arguments()))?.0);
            let append = || floor_file.write_all(&line).and_then(|()| floor_file.sync_data());
            bare.push(measure::work("append and sync", append)?.0);
        }
        let last = scratch::count_syncs(&self.scratch, &self.ken(root, &next().arguments()))?;
        let _ = fs::remove_file(&floor_path);
        let mut rows = vec![Row::new("durable `ken add`", Some(filled.entries)).time(&ken).floor(
            "append and fdatasync",
            bare.wall(),
            ken.wall(),
        )];
        let what = "most syncs of a `ken add`";
        rows.push(sync_row(what, Some(filled.entries), first.max(last), SYNCS_MAX));
        Ok(rows)
    }

    fn rebuild(&self, filled: &Filled) -> Result<Row, Failure> {
        let store = filled.store();
        let (mut ken, mut bare) = (Series::default(), Series::default());
        for round in 1..=self.effort.long_rounds() {
            progress(&format!("rebuild, round {round}"));
            ken.push(measure::command(&mut self.ken(&filled.root, &["rebuild"]))?.0);
            let read = || scratch::walk(&store).and_then(|_| scratch::read_bare(&store, &filled.files));
            bare.push(measure::work("read the ledger files", read)?.0);
        }
        let rate = filled.entries as f64 / ken.wall().as_secs_f64();
        Ok(Row::new("`ken rebuild`", Some(filled.entries))
            .time(&ken)
            .measured(per_second(filled.entries, ken.wall()))
            .best(per_second(filled.entries, ken.best()))
            .floor("sweep and read of the same files", bare.wall(), ken.wall())
            .target("≥ 30,000/s", rate >= REBUILD_PER_SECOND_MIN))
    }

    /// Git exchanges one ledger file under a committed store, back and forth.
    fn catch_up(&self, filled: &Filled) -> Result<Vec<Row>, Failure> {
        progress("commit of the store");
        let root = &filled.root;
        let git = |arguments: &[&str]| capture(&mut self.scratch.git(root, arguments));
        git(&["add", "-A"])?;
        git(&["commit", "-q", "-m", "knowledge"])?;
        let id = filled.ids(3).remove(0);
        let words = "Caught up with what another clone said";
        self.revise_in_second_clone(filled, &id, words)?;
        git(&["status", "--porcelain"])?;
        measure::command(&mut self.ken(root, &["list"]))?;

        progress("catch-up after git changed one file");
        let mut series = [(); 4].map(|()| Series::default());
        let mut stale = 0;
        let commands: [&[&str]; 2] = [&["show", &id], &["list"]];
        let store = filled.store();
        for round in 0..self.effort.short_rounds() {
            for (at, arguments) in commands.iter().enumerate() {
                let theirs = (round + at) % 2 == 0;
                git(&["checkout", "-q", if theirs { "theirs" } else { "main" }])?;
                // Whoever comes first finds the colder caches: they take turns.
                let git_first = round / 2 % 2 == 1;
                let mut status = self.scratch.git(root, &["status", "--porcelain"]);
                if git_first {
                    series[2].push(measure::command(&mut status)?.0);
                }
                let (sample, output) = measure::command(&mut self.ken(root, arguments))?;
                series[at].push(sample);
                if !git_first {
                    series[2].push(measure::command(&mut status)?.0);
                }
                let told = String::from_utf8_lossy(&output.stdout).contains(words);
                stale += usize::from(at == 0 && told != theirs);
                series[3].push(measure::work("sweep the store", || scratch::walk(&store))?.0);
            }
        }
        let [show, list, status, sweep] = &series;
        let row = |name: &str, series: &Series| {
            let beyond = series.wall().saturating_sub(status.wall());
            let met = beyond <= CATCH_UP_BEYOND_GIT_MAX && stale == 0;
            let name = if stale == 0 { name.to_owned() } else { format!("{name} ({stale} times not seen)") };
            Row::new(&name, Some(filled.entries))
                .time(series)
                .floor("git status", status.wall(), series.wall())
                .target("≤ 50 ms beyond the floor", met)
        };
        let mut rows = vec![
            row("`ken show` after git changed that file", show),
            row("`ken list` after git changed one file", list),
            Row::new("`git status`", Some(filled.entries)).time(status).floor(
                "bare stat sweep",
                sweep.wall(),
                status.wall(),
            ),
        ];
        git(&["checkout", "-q", "main"])?;
        rows.push(self.packed(filled)?);
        Ok(rows)
    }

    /// A second clone that revises one entry and offers that as the branch `theirs`.
    fn revise_in_second_clone(&self, filled: &Filled, id: &str, title: &str) -> Outcome {
        progress("a second clone");
        let second = self.scratch.folder.join(format!("second-{}", filled.entries));
        let (here, there) = (filled.root.to_string_lossy(), second.to_string_lossy());
        capture(&mut self.scratch.git(&self.scratch.folder, &["clone", "-q", "--shared", &here, &there]))?;
        self.scratch.name_the_author(&second)?;
        let git = |arguments: &[&str]| capture(&mut self.scratch.git(&second, arguments));
        capture(&mut self.ken(&second, &["revise", id, "--title", title]))?;
        // The index page is left out: git is to exchange one ledger file and nothing else.
        git(&["add", "--", ".kenning/semantic"])?;
        git(&["commit", "-q", "-m", "revise one entry"])?;
        let changed = git(&["diff", "--name-only", "HEAD~1"])?;
        if changed.lines().filter(|line| line.ends_with(".jsonl")).count() != 1 {
            return failed(format!("a revision of one entry changed other ledger files too: {changed}"));
        }
        capture(&mut self.scratch.git(&filled.root, &["fetch", "-q", &there, "main:theirs"]))?;
        Ok(())
    }

    /// What a clone of the committed store takes to send and to keep.
    fn packed(&self, filled: &Filled) -> Result<Row, Failure> {
        progress("pack");
        let bare = self.scratch.folder.join(format!("packed-{}.git", filled.entries));
        let (here, there) = (filled.root.to_string_lossy(), bare.to_string_lossy());
        let clone = ["clone", "-q", "--bare", "--no-local", "--single-branch", &here, &there];
        capture(&mut self.scratch.git(&self.scratch.folder, &clone))?;
        capture(&mut self.scratch.git(&bare, &["gc", "-q"]))?;
        let (_, (files, _)) = measure::work("measure a pack", || scratch::walk(&bare.join("objects/pack")))?;
        let bytes = files.iter().map(|file| file.size).sum();
        Ok(Row::new("bytes per entry, packed by git", Some(filled.entries))
            .measured(format!("{} apparent", per_entry(bytes, filled.entries))))
    }
}

fn sync_row(what: &str, entries: Option<usize>, syncs: Option<usize>, most: usize) -> Row {
    let row = Row::new(what, entries);
    match syncs {
        Some(count) => row.measured(count.to_string()).target(&format!("≤ {most}"), count <= most),
        None => row.measured("not counted: no strace"),
    }
}
