//! Taking bytes out of journal, ledger files and what is left of killed writers (STO-13), and mending ledger files line by line.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use ken_core::event::Line;
use ken_core::{Body, Code, EntryEvent, EventHash, Refusal};
use ken_engine::log::hash_of;
use ken_engine::{Error, ProblemKind, Result};
use ken_index::index_error;

use crate::disk::Looks;
use crate::git::is_marker;
use crate::home::Home;
use crate::journal::Position;
use crate::lines::{FileLines, read_lines};
use crate::work::{Look, Work};
use crate::{follow, index_page, left_over, opening, timeline, write_out};

/// The file that stands in the clone's folder while bytes are being taken out.
const PURGING: &str = "purging";

/// Mends what can be mended without losing a word: conflict markers, duplicate lines, torn ends, purged bytes.
pub(crate) fn mend(work: &mut Work<'_>, files: Vec<(String, Looks)>) -> Result<Vec<String>> {
    let _held = write_out::lock_tree(&work.log.home)?;
    let mut fixed = Vec::new();
    for (path, looks) in files {
        let Ok(bytes) = work.log.home.disk.read(&work.log.home.layout.store.join(&path), 0) else { continue };
        let read = read_lines(&path, looks, &bytes);
        let mut purged = false;
        for (line, _, _) in &read.lines {
            if let Line::Event(event) = line {
                purged |= work.index.purge_counts(event).map_err(index_error)?;
            }
        }
        let mut seen = HashSet::new();
        let doubled = read.lines.iter().any(|(line, _, _)| !seen.insert(hash_of(line)));
        let mendable = read
            .problems
            .iter()
            .any(|problem| matches!(problem.kind, ProblemKind::Marker | ProblemKind::Torn));
        if !(mendable || doubled || purged) {
            continue;
        }
        let (text, what) = mended(work.look(), &read, &bytes)?;
        if text != bytes {
            work.log.home.tree.replace(&path, &text).map_err(Error::failed(format!("mending {path}")))?;
            fixed.push(format!("{path}: {}", what.join(", ")));
        }
    }
    Ok(fixed)
}

fn mended(look: Look<'_>, read: &FileLines, bytes: &[u8]) -> Result<(Vec<u8>, Vec<&'static str>)> {
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut what: BTreeSet<&'static str> = BTreeSet::new();
    let mut seen = HashSet::new();
    let problems: HashMap<usize, ProblemKind> =
        read.problems.iter().map(|problem| (problem.line, problem.kind)).collect();
    let ends_in_break = bytes.ends_with(b"\n");
    let count = bytes.split(|byte| *byte == b'\n').count();
    for (at, raw) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if raw.is_empty() && at + 1 == count && ends_in_break {
            continue;
        }
        if is_marker(raw) {
            what.insert("removed conflict markers");
            continue;
        }
        if problems.get(&(at + 1)) == Some(&ProblemKind::Torn) && is_torn_copy(look, raw)? {
            what.insert("removed a torn line that the journal has complete");
            continue;
        }
        let text = std::str::from_utf8(raw)
            .ok()
            .map(|text| text.trim_end_matches('\r').trim_start_matches('\u{feff}'));
        if let Some(line) = text.and_then(|text| ken_core::event::read_line(text).ok()) {
            if !seen.insert(hash_of(&line)) {
                what.insert("removed duplicate lines");
                continue;
            }
            if let Line::Event(event) = &line
                && look.index.purge_counts(event).map_err(index_error)?
            {
                what.insert("replaced purged lines by stubs");
                out.extend_from_slice(event.stub().line().as_bytes());
                out.push(b'\n');
                continue;
            }
        }
        out.extend_from_slice(raw);
        out.push(b'\n');
    }
    Ok((out, what.into_iter().collect()))
}

/// Whether the beginning of a line is the beginning of a line the journal has.
fn is_torn_copy(look: Look<'_>, raw: &[u8]) -> Result<bool> {
    for journal in &look.log.home.journals {
        let (frames, _) =
            journal.read(Position { segment: 1, offset: 0 }).map_err(Error::failed("reading the journal"))?;
        if frames
            .iter()
            .flat_map(|frame| &frame.records)
            .any(|record| record.text.as_bytes().starts_with(raw))
        {
            return Ok(true);
        }
    }
    Ok(raw.iter().all(|byte| *byte == 0))
}

/// Remembers that a purge has begun, so that the next command can finish it.
pub(crate) fn purging(home: &Home) -> Result<()> {
    home.disk
        .replace_synced(&home.own.join(PURGING), b"")
        .map_err(Error::failed("beginning a purge; nothing was written"))
}

fn purged(home: &Home) -> Result<()> {
    match home.disk.remove(&home.own.join(PURGING)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::failed("ending a purge")(error))
        }
        _ => Ok(()),
    }
}

/// Finishes a purge that was stopped in the middle (STO-13).
pub(crate) fn finish_purge(work: &mut Work<'_>) -> Result<()> {
    if work.log.home.disk.looks(&work.log.home.own.join(PURGING)).is_ok() {
        erase_purged(work)?;
        work.log.notice("an interrupted purge was completed".to_owned());
    }
    Ok(())
}

/// STO-13: a write replaces purged lines that git brought back by stubs.
pub(crate) fn stub_what_came_back(work: &mut Work<'_>) -> Result<()> {
    let paths = work.index.files().files_with_purged().map_err(index_error)?;
    let looks = |path: &String| work.log.home.disk.looks(&work.log.home.layout.store.join(path)).ok();
    let files: Vec<(String, Looks)> =
        paths.into_iter().filter_map(|path| looks(&path).map(|looks| (path, looks))).collect();
    if !files.is_empty() && !mend(work, files)?.is_empty() {
        opening::rebuild(work)?;
    }
    Ok(())
}

/// Takes the bytes of purged events out, wherever they still are.
pub(crate) fn erase_purged(work: &mut Work<'_>) -> Result<Vec<String>> {
    work.log.home.may_write()?;
    let mut gone: HashSet<EventHash> = HashSet::new();
    for line in timeline::all_lines(work.look())? {
        if let Line::Event(event) = line
            && work.index.purge_counts(&event).map_err(index_error)?
            && !matches!(event.body, Some(Body::Entry(EntryEvent::Purged { .. })))
        {
            gone.insert(event.hash);
        }
    }
    if gone.is_empty() {
        purged(&work.log.home)?;
        return Ok(Vec::new());
    }
    for journal in &work.log.home.journals {
        journal
            .purge(&|hash| gone.contains(hash))
            .map_err(Error::failed("removing purged bytes from the journal"))?;
    }
    let fixed = mend(work, work.log.home.tree.all_files())?;
    let texts: Vec<String> = gone.iter().map(ToString::to_string).collect();
    sweep_temporaries(&work.log.home, &|bytes| {
        let said = String::from_utf8_lossy(bytes);
        texts.iter().any(|hash| said.contains(hash))
    });
    write_out::forget_mark_after_purge(work)?;
    opening::rebuild(work)?;
    // What was on it may be gone; whoever reads next makes it anew.
    match work.log.home.disk.remove(&work.log.home.layout.store.join(index_page::NAME)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::failed("removing INDEX.md after a purge")(error));
        }
        _ => {}
    }
    purged(&work.log.home)?;
    Ok(fixed)
}

/// See [`EventLog::erase`].
pub(crate) fn erase(work: &mut Work<'_>, hashes: &[EventHash]) -> Result<Vec<String>> {
    work.log.home.may_write()?;
    follow::catch_up(work, false)?;
    for hash in hashes {
        match timeline::line(work.look(), hash)? {
            None | Some(Line::Stub(_)) => {}
            Some(Line::Event(event)) => {
                if !work.index.purge_counts(&event).map_err(index_error)? {
                    return Err(Refusal::new(
                        Code::NotAllowed,
                        format!("no valid purge names event {hash}; it is kept"),
                    )
                    .into());
                }
            }
        }
    }
    erase_purged(work)
}

/// Removes temporary files everywhere in the store: those that were left, and those that hold bytes which must go.
pub(crate) fn sweep_temporaries(home: &Home, must_go: &dyn Fn(&[u8]) -> bool) -> usize {
    let (clone, sandbox) = (home.layout.clone_home(), home.layout.sandbox_home());
    let folders: [&Path; 4] = [&home.layout.store, &clone, &sandbox, &home.tree_home];
    left_over::sweep_all(&*home.disk, &folders, must_go)
}
