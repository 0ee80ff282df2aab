//! The suite `ledger`: start, read, durable add, bulk add, rebuild, catch-up and room, at several sizes of store.
//!
//! Every command is a new process over a warm page cache. Floors run in the same loop as what they are held against. Nothing is deleted
//! before the end: ext4 without a journal takes many times longer to make a file for minutes after others were deleted.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::context::{Failure, Outcome, capture, failed};
use crate::harness::Suite;
use crate::harness::corpus::{self, Lesson};
use crate::harness::figure::{Figure, duration, grouped};
use crate::harness::measure::{self, Series, progress};
use crate::harness::report::Report;
use crate::harness::scratch::{self, Seen};
use crate::harness::session::Session;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/benchmarks.md"),
    sizes: [&[1_000, 10_000], &[1_000, 10_000, 100_000]],
    ..Suite::bench("ledger", run)
};

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let bytes = fs::metadata(session.ken_path()).map_or(0, |looks| looks.len());
    let mut figures = vec![Figure::new("ledger.binary", bytes as f64)];
    figures.extend(version(session)?);
    figures.extend(first_add(session)?);
    for size in &session.sizes {
        figures.extend(of_size(session, *size)?);
    }
    Ok(Report::new(figures))
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

fn version(session: &Session<'_>) -> Result<Vec<Figure>, Failure> {
    progress("ken --version");
    let root = session.scratch.folder.clone();
    let (mut ken, mut empty) = (Series::default(), Series::default());
    for _ in 0..session.effort.short_rounds() * 2 {
        ken.push(measure::command(&mut session.ken(&root, &["--version"]))?.0);
        empty.push(measure::command(&mut session.empty(&root)?)?.0);
    }
    let floor = "start of an empty program";
    let mut figures = vec![Figure::time("ledger.version", &ken).floor_time(floor, &empty)];
    if let (Some(cpu), Some(least)) = (ken.cpu(), empty.cpu()) {
        figures.push(Figure::new("ledger.version_cpu", cpu.as_secs_f64()).floor(floor, least.as_secs_f64()));
    }
    Ok(figures)
}

/// The first write of a store pays for the names of its folders too.
fn first_add(session: &Session<'_>) -> Result<Option<Figure>, Failure> {
    progress("first add of a new store");
    let root = session.scratch.repository("first")?;
    capture(&mut session.ken(&root, &["init"]))?;
    let lesson = Lesson::number(0);
    let syncs = scratch::count_syncs(&session.scratch, &session.ken(&root, &lesson.arguments()))?;
    Ok(syncs.map(|syncs| Figure::new("ledger.first_syncs", syncs as f64)))
}

fn of_size(session: &Session<'_>, entries: usize) -> Result<Vec<Figure>, Failure> {
    let (filled, bulk) = bulk_add(session, entries)?;
    let mut figures = vec![bulk];
    figures.extend(room(&filled)?);
    figures.extend(reads(session, &filled)?);
    figures.extend(durable_add(session, &filled)?);
    figures.push(rebuild(session, &filled)?);
    figures.extend(catch_up(session, &filled)?);
    Ok(figures.into_iter().map(|figure| figure.at(entries)).collect())
}

/// Fills several new stores and goes on with the last one.
fn bulk_add(session: &Session<'_>, entries: usize) -> Result<(Filled, Figure), Failure> {
    let source = session.write(&format!("{entries}.jsonl"), corpus::lines(entries))?;
    let (mut ken, mut bare) = (Series::default(), Series::default());
    let mut kept = None;
    for round in 1..=session.effort.long_rounds() {
        progress(&format!("bulk add of {}, round {round}", grouped(entries as u64)));
        let root = session.scratch.repository(&format!("store-{entries}-{round}"))?;
        capture(&mut session.ken(&root, &["init"]))?;
        scratch::settle();
        ken.push(session.add_lines(&root, &source, entries)?);
        let store = root.join(".kenning");
        let (_, (all, _)) = measure::work("walk the store", || scratch::walk(&store))?;
        let files: Vec<Seen> =
            all.into_iter().filter(|file| file.path.extension().is_some_and(|end| end == "jsonl")).collect();
        let bare_folder = session.scratch.folder.join(format!("bare-{entries}-{round}"));
        scratch::settle();
        let write = || scratch::write_bare(&bare_folder, &files);
        bare.push(measure::work("write the same files bare", write)?.0);
        kept = Some(Filled { root, entries, files });
    }
    let _ = fs::remove_file(&source);
    let figure = Figure::rate("ledger.bulk_add", entries, &ken).floor_rate(
        "the same files bare",
        entries,
        bare.wall(),
    );
    match kept {
        Some(filled) => Ok((filled, figure)),
        None => failed("no round of the bulk add was run"),
    }
}

/// Bytes per entry: the sum of the files' sizes, beside what the disk keeps for them.
fn room(filled: &Filled) -> Result<Vec<Figure>, Failure> {
    let private = filled.root.join(".git/kenning");
    let each = |bytes: u64| bytes as f64 / filled.entries as f64;
    let mut figures = Vec::new();
    let parts = [
        ("ledger.room_files", filled.store()),
        ("ledger.room_journal", private.join("journal")),
        ("ledger.room_index", private.join("index")),
    ];
    for (name, folder) in parts {
        let (_, (mut files, mut allocated)) = measure::work("walk the store", || scratch::walk(&folder))?;
        if name == "ledger.room_files" {
            files.retain(|file| file.path.extension().is_some_and(|end| end == "jsonl"));
        } else {
            allocated = 0;
        }
        let apparent: u64 = files.iter().map(|file| file.size).sum();
        allocated += files.iter().map(|file| file.allocated).sum::<u64>();
        let kept = format!("{} allocated", grouped(each(allocated).ceil() as u64));
        figures.push(Figure::new(name, each(apparent)).note(kept));
    }
    let page = fs::metadata(filled.store().join("INDEX.md")).map_or(0, |looks| looks.len());
    figures.push(Figure::new("ledger.room_page", each(page)));
    Ok(figures)
}

fn reads(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    progress("show and list");
    let root = &filled.root;
    let ids = filled.ids(session.effort.short_rounds());
    // The first look after a bulk add tidies up.
    measure::command(&mut session.ken(root, &["list"]))?;
    let mut series = [(); 4].map(|()| Series::default());
    for id in &ids {
        series[0].push(measure::command(&mut session.ken(root, &["show", id]))?.0);
        series[1].push(measure::command(&mut session.empty(root)?)?.0);
        series[2].push(measure::command(&mut session.ken(root, &["list"]))?.0);
        series[3].push(measure::command(&mut session.ken(root, &["list", "--tag", "network"]))?.0);
    }
    let [show, empty, list, tagged] = &series;
    let figure = |name: &str, series: &Series| {
        Figure::time(name, series).floor_time("start of an empty program", empty)
    };
    Ok(vec![figure("ledger.show", show), figure("ledger.list", list), figure("ledger.list_tag", tagged)])
}

fn durable_add(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    progress("durable add");
    let root = &filled.root;
    let line = fs::read(filled.store().join(&filled.files[0].path)).unwrap_or_default();
    let line: Vec<u8> = line.into_iter().take(4096).collect();
    let floor_path = session.scratch.folder.join("appended");
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
    let first = scratch::count_syncs(&session.scratch, &session.ken(root, &next().arguments()))?;
    for _ in 0..session.effort.short_rounds() {
        ken.push(measure::command(&mut session.ken(root, &next().arguments()))?.0);
        let append = || floor_file.write_all(&line).and_then(|()| floor_file.sync_data());
        bare.push(measure::work("append and sync", append)?.0);
    }
    let last = scratch::count_syncs(&session.scratch, &session.ken(root, &next().arguments()))?;
    let _ = fs::remove_file(&floor_path);
    let mut figures = vec![Figure::time("ledger.add", &ken).floor_time("append and fdatasync", &bare)];
    figures.extend(first.max(last).map(|syncs| Figure::new("ledger.syncs", syncs as f64)));
    Ok(figures)
}

fn rebuild(session: &Session<'_>, filled: &Filled) -> Result<Figure, Failure> {
    let store = filled.store();
    let (mut ken, mut bare) = (Series::default(), Series::default());
    for round in 1..=session.effort.long_rounds() {
        progress(&format!("rebuild, round {round}"));
        ken.push(measure::command(&mut session.ken(&filled.root, &["rebuild"]))?.0);
        let read = || scratch::walk(&store).and_then(|_| scratch::read_bare(&store, &filled.files));
        bare.push(measure::work("read the ledger files", read)?.0);
    }
    let floor = "sweep and read of the same files";
    Ok(Figure::rate("ledger.rebuild", filled.entries, &ken).floor_rate(floor, filled.entries, bare.wall()))
}

/// Git exchanges one ledger file under a committed store, back and forth.
fn catch_up(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    progress("commit of the store");
    let root = &filled.root;
    let git = |arguments: &[&str]| capture(&mut session.scratch.git(root, arguments));
    git(&["add", "-A"])?;
    git(&["commit", "-q", "-m", "knowledge"])?;
    let id = filled.ids(3).remove(0);
    let words = "Caught up with what another clone said";
    revise_in_second_clone(session, filled, &id, words)?;
    git(&["status", "--porcelain"])?;
    measure::command(&mut session.ken(root, &["list"]))?;

    progress("catch-up after git changed one file");
    let mut series = [(); 4].map(|()| Series::default());
    let mut stale = 0_usize;
    let commands: [&[&str]; 2] = [&["show", &id], &["list"]];
    let store = filled.store();
    for round in 0..session.effort.short_rounds() {
        for (at, arguments) in commands.iter().enumerate() {
            let theirs = (round + at) % 2 == 0;
            git(&["checkout", "-q", if theirs { "theirs" } else { "main" }])?;
            // Whoever comes first finds the colder caches: they take turns.
            let git_first = round / 2 % 2 == 1;
            let mut status = session.scratch.git(root, &["status", "--porcelain"]);
            if git_first {
                series[2].push(measure::command(&mut status)?.0);
            }
            let (sample, output) = measure::command(&mut session.ken(root, arguments))?;
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
    let swept = duration(sweep.wall());
    let changed = |name: &str, series: &Series| Figure::time(name, series).floor_time("git status", status);
    git(&["checkout", "-q", "main"])?;
    Ok(vec![
        changed("ledger.show_changed", show).note(format!("a bare stat sweep takes {swept}")),
        changed("ledger.list_changed", list),
        Figure::new("ledger.stale", stale as f64),
        packed(session, filled)?,
    ])
}

/// A second clone that revises one entry and offers that as the branch `theirs`.
fn revise_in_second_clone(session: &Session<'_>, filled: &Filled, id: &str, title: &str) -> Outcome {
    progress("a second clone");
    let second = session.scratch.folder.join(format!("second-{}", filled.entries));
    let (here, there) = (filled.root.to_string_lossy(), second.to_string_lossy());
    capture(&mut session.scratch.git(&session.scratch.folder, &["clone", "-q", "--shared", &here, &there]))?;
    session.scratch.name_the_author(&second)?;
    let git = |arguments: &[&str]| capture(&mut session.scratch.git(&second, arguments));
    capture(&mut session.ken(&second, &["revise", id, "--title", title]))?;
    // The index page is left out: git is to exchange one ledger file and nothing else.
    git(&["add", "--", ".kenning/semantic"])?;
    git(&["commit", "-q", "-m", "revise one entry"])?;
    let changed = git(&["diff", "--name-only", "HEAD~1"])?;
    if changed.lines().filter(|line| line.ends_with(".jsonl")).count() != 1 {
        return failed(format!("a revision of one entry changed other ledger files too: {changed}"));
    }
    capture(&mut session.scratch.git(&filled.root, &["fetch", "-q", &there, "main:theirs"]))?;
    Ok(())
}

/// What a clone of the committed store takes to send and to keep.
fn packed(session: &Session<'_>, filled: &Filled) -> Result<Figure, Failure> {
    progress("pack");
    let bare = session.scratch.folder.join(format!("packed-{}.git", filled.entries));
    let (here, there) = (filled.root.to_string_lossy(), bare.to_string_lossy());
    let clone = ["clone", "-q", "--bare", "--no-local", "--single-branch", &here, &there];
    capture(&mut session.scratch.git(&session.scratch.folder, &clone))?;
    capture(&mut session.scratch.git(&bare, &["gc", "-q"]))?;
    let (_, (files, _)) = measure::work("measure a pack", || scratch::walk(&bare.join("objects/pack")))?;
    let bytes: u64 = files.iter().map(|file| file.size).sum();
    Ok(Figure::new("ledger.room_packed", bytes as f64 / filled.entries as f64))
}
