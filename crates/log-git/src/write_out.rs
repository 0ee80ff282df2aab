//! From the journal to the ledger files: what was acknowledged gets there, whatever stopped in between (STO-5).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use ken_core::event::Line;
use ken_core::{EntryKey, Event, EventHash};
use ken_engine::{Error, Problem, ProblemKind, Result};
use ken_index::index_error;
use serde::{Deserialize, Serialize};

use crate::catalogue::{Catalogue, IndexUpdate, Seen};
use crate::disk::Disk;
use crate::follow;
use crate::home::Home;
use crate::journal::{Moves, Position};
use crate::work::{Look, Work, events_word};

/// What is in the tree of what the journal holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Mark {
    /// Everything before this was written out.
    done: Position,
    /// What was written out from here on may not have been synced since.
    since: Position,
    /// The run of the machine in which it was.
    boot: String,
    /// A later run, in which something of this was written again.
    healing: String,
}

impl Mark {
    /// Follows frames of the journal to where they are now.
    pub(crate) fn shift(disk: &dyn Disk, tree_home: &Path, moves: &Moves) -> io::Result<()> {
        let path = tree_home.join("mark");
        let Ok(mut mark) = serde_json::from_slice::<Mark>(&disk.read(&path, 0)?) else { return Ok(()) };
        mark.done = moves.of(mark.done);
        mark.since = moves.of(mark.since);
        disk.replace(&path, ken_core::canonical::to_string(&mark).as_bytes())
    }
}

/// Lines to be added to one ledger file.
#[derive(Default)]
struct Group<'a> {
    lines: Vec<(EventHash, EntryKey, &'a str)>,
    /// Some of them may be there already, or half of one.
    careful: bool,
}

/// Lines to be added, by ledger file.
type Groups<'a> = BTreeMap<String, Group<'a>>;

pub(crate) fn mark_path(home: &Home) -> PathBuf {
    home.tree_home.join("mark")
}

pub(crate) fn read_mark(home: &Home) -> Mark {
    let bytes = home.disk.read(&mark_path(home), 0).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

pub(crate) fn write_mark(home: &Home, mark: &Mark) -> io::Result<()> {
    home.disk.replace(&mark_path(home), ken_core::canonical::to_string(mark).as_bytes())
}

/// Writes out to the tree what was acknowledged and did not get there (STO-5). The same way serves every write.
pub(crate) fn heal(work: &mut Work<'_>) -> Result<()> {
    let mark = read_mark(&work.log.home);
    if mark.done.segment > 0 && !work.log.home.journals[0].has_more(mark.done) {
        return Ok(());
    }
    if work.log.home.journals[0].segments().map_err(Error::failed("reading the journal"))?.is_empty() {
        return Ok(());
    }
    write_out(work, Vec::new())
}

/// Writes the journal's new frames to ledger files and tells the index. `sealed` spares reading this process's own events again.
pub(crate) fn write_out(work: &mut Work<'_>, sealed: Vec<Event>) -> Result<()> {
    let _held = lock_tree(&work.log.home)?;
    write_out_held(work, sealed)
}

/// The same, for who holds the tree already.
pub(crate) fn write_out_held(work: &mut Work<'_>, sealed: Vec<Event>) -> Result<()> {
    let doing = "writing ledger files";
    work.log.home.journals[0].settle().map_err(Error::failed("syncing the journal"))?;
    let mut mark = read_mark(&work.log.home);
    let from = Position { segment: mark.done.segment.max(1), ..mark.done };
    let (frames, _) = work.log.home.journals[0].read(from).map_err(Error::failed("reading the journal"))?;
    let Some(end) = frames.last().map(|frame| frame.end) else { return Ok(()) };
    let origin = work.log.home.origin();
    let mut groups = Groups::new();
    let by_hash: HashMap<EventHash, &Event> = sealed.iter().map(|event| (event.hash, event)).collect();
    for frame in
        frames.iter().filter(|frame| frame.origin.tree == origin.tree && frame.origin.branch == origin.branch)
    {
        for record in &frame.records {
            let Some(hash) = record.stated_hash().filter(|_| !record.file.is_empty()) else { continue };
            let own = by_hash.get(&hash);
            let (entry, deferred) = match own {
                Some(event) => (event.entry, event.is_deferred()),
                None => match record.line() {
                    Ok(Line::Event(event)) => (event.entry, event.is_deferred()),
                    Ok(Line::Stub(_)) | Err(_) => continue,
                },
            };
            if !deferred {
                let group = groups.entry(record.file.clone()).or_default();
                // Whoever wrote it may have died in the middle of what we are about to do.
                group.careful |= own.is_none();
                group.lines.push((hash, entry.unwrap_or(EntryKey([0; 8])), &record.text));
            }
        }
    }
    begin_healing(work.look(), &mut mark)?;
    let (told, generation) = work.index.journal_end(0).map_err(index_error)?;
    let in_step = (from..=end).contains(&told) && generation == work.log.home.journals[0].generation();
    let mut news = write_groups(work.look(), &groups, in_step)?;
    mark.done = end;
    if work.log.is_mended() {
        mark.boot = origin.boot;
    }
    write_mark(&work.log.home, &mark).map_err(Error::failed(doing))?;
    if in_step {
        drop(groups);
        // What lies before `told` another process has told the index already.
        let untold = frames.into_iter().filter(|frame| frame.start >= told);
        news.frames = untold.map(|frame| (0, frame)).collect();
        news.journal_ends = vec![(0, end, generation)];
        news.sealed = sealed;
    }
    follow::take(work, news)
}

/// Whoever changes ledger files of this worktree holds this.
pub(crate) fn lock_tree(home: &Home) -> Result<Box<dyn Send>> {
    home.disk.lock(&home.tree_home.join("tree.lock")).map_err(Error::failed("writing ledger files"))
}

/// Adds lines to ledger files, on both cores when there are many, and gathers what the index must know.
///
/// An index that does not know the lines' events yet reads the files instead: their places alone would tell it nothing.
fn write_groups(look: Look<'_>, groups: &Groups<'_>, events_known: bool) -> Result<IndexUpdate> {
    let doing = "writing ledger files";
    let mut grown = BTreeMap::new();
    let mut jobs = Vec::with_capacity(groups.len());
    let mut folders: BTreeMap<String, bool> = BTreeMap::new();
    let known_folders = look.index.files().folders().map_err(index_error)?;
    for (logical, group) in groups {
        let path = look.log.home.tree.place(logical, look.index, &mut grown).map_err(index_error)?;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        folders.entry(folder.clone()).or_insert_with(|| {
            let now = look.log.home.tree.folder_mtime(&folder);
            now.is_none() || now == known_folders.get(&folder).map(|(mtime, _)| *mtime)
        });
        let known = look.index.files().file_looks(&path).map_err(index_error)?;
        jobs.push((path, group, known));
    }
    let half = if jobs.len() >= 64 { jobs.len() / 2 } else { jobs.len() };
    let (first, second) = jobs.split_at(half);
    let tree = &look.log.home.tree;
    type Job<'a> = (String, &'a Group<'a>, Option<Seen>);
    let run = |part: &[Job<'_>]| -> io::Result<(Vec<_>, Vec<_>)> {
        let (mut written, mut unsure) = (Vec::new(), Vec::new());
        for (path, group, known) in part {
            let named = |error: io::Error| io::Error::new(error.kind(), format!("{path}: {error}"));
            match tree.add_lines(path, &group.lines, *known, group.careful).map_err(named)? {
                Some(done) if events_known => written.push(done),
                Some(_) | None => unsure.push(path.clone()),
            }
        }
        Ok((written, unsure))
    };
    let (one, two) = std::thread::scope(|scope| {
        let other = (!second.is_empty()).then(|| scope.spawn(|| run(second)));
        let one = run(first);
        let two = other.map(|handle| {
            handle.join().unwrap_or_else(|_| Err(io::Error::other("a writer thread panicked")))
        });
        (one, two.unwrap_or_else(|| Ok((Vec::new(), Vec::new()))))
    });
    let (mut written, mut unsure) = one.map_err(Error::failed(doing))?;
    let (more, others) = two.map_err(Error::failed(doing))?;
    written.extend(more);
    unsure.extend(others);
    let mut news = IndexUpdate { written, ..IndexUpdate::default() };
    let unsure: Vec<_> = unsure
        .into_iter()
        .filter_map(|path| {
            look.log.home.disk.looks(&look.log.home.layout.store.join(&path)).ok().map(|looks| (path, looks))
        })
        .collect();
    news.files = Some(look.log.home.tree.read_all(unsure));
    for (folder, clean) in folders {
        // Only a folder that held no surprise before may be called known after.
        if let Some(mtime) = look.log.home.tree.folder_mtime(&folder).filter(|_| clean) {
            news.folders.push((folder, mtime, true));
        }
    }
    Ok(news)
}

/// How far this clone's journal is written out to the tree; nothing where nobody has begun.
pub(crate) fn written_out(home: &Home) -> Option<Position> {
    Some(read_mark(home).done).filter(|done| done.segment > 0)
}

/// Whether a frame of a journal may still be on its way to the ledger files: its writer, or whoever heals, has yet to bring it there.
pub(crate) fn is_pending(look: Look<'_>, journal: i64, at: Position) -> bool {
    journal == 0 && look.index.pending_from.is_some_and(|from| at >= from)
}

/// Events written on this branch, in this worktree, that its ledger files no longer hold. What is on its way there is not lost.
pub(crate) fn lost_here(look: Look<'_>) -> Result<Vec<EventHash>> {
    let origin = look.log.home.origin();
    let absent = look.index.places().absent().map_err(index_error)?;
    Ok(absent
        .into_iter()
        .filter(|a| a.branch == origin.branch && a.tree == origin.tree)
        .filter(|a| !is_pending(look, a.journal, a.at))
        .map(|a| a.hash)
        .collect())
}

/// Whether the machine stopped since this tree was last written: what was not synced then may be lost or torn.
pub(crate) fn has_stopped(home: &Home) -> bool {
    let boot = home.disk.boot();
    !boot.is_empty()
        && read_mark(home).boot != boot
        && home.journals[0].segments().is_ok_and(|segments| !segments.is_empty())
}

/// Takes pieces of lines out of ledger files that a process or a machine left when it stopped in the middle. The journal has the
/// whole lines, and every piece is looked for there first.
pub(crate) fn mend_torn(work: &mut Work<'_>) -> Result<()> {
    let problems = |index: &Catalogue| -> Result<Vec<(String, Problem)>> {
        let mut found = index.files().problems().map_err(index_error)?;
        found.retain(|(_, problem)| matches!(problem.kind, ProblemKind::Torn | ProblemKind::Damaged));
        Ok(found)
    };
    let found = problems(work.index)?;
    if found.is_empty() || work.index.meta("not_mended").map_err(index_error)? == Some(format!("{found:?}")) {
        return Ok(());
    }
    let doing = "repairing ledger files";
    let held = lock_tree(&work.log.home)?;
    let mut pieces: BTreeMap<String, Vec<String>> =
        found.into_iter().map(|(path, _)| (path, Vec::new())).collect();
    for journal in &work.log.home.journals {
        let (frames, _) =
            journal.read(Position { segment: 1, offset: 0 }).map_err(Error::failed("reading the journal"))?;
        for record in frames.into_iter().flat_map(|frame| frame.records) {
            // Its folder may be full, and the file in a subfolder of it.
            let name = record.file.rsplit('/').next().unwrap_or_default();
            for (_, lines) in pieces.iter_mut().filter(|(path, _)| path.rsplit('/').next() == Some(name)) {
                lines.push(record.text.clone());
            }
        }
    }
    for (path, lines) in &pieces {
        work.log.home.tree.mend(path, lines).map_err(Error::failed(doing))?;
    }
    drop(held);
    follow::catch_up(work, true)?;
    let left = problems(work.index)?;
    work.index.set_meta("not_mended", &format!("{left:?}")).map_err(index_error)
}

/// After a power loss, ledger lines that were never synced are put back without being asked for.
pub(crate) fn heal_after_power_loss(work: &mut Work<'_>) -> Result<()> {
    if work.log.is_mended() {
        return Ok(());
    }
    let mut mark = read_mark(&work.log.home);
    let told = told_absent(work.look())?;
    let origin = work.log.home.origin();
    let absent = work.index.places().absent().map_err(index_error)?;
    let lost: Vec<EventHash> = absent
        .into_iter()
        .filter(|a| a.at >= mark.since && a.branch == origin.branch && a.tree == origin.tree)
        .filter(|a| !told.contains(&a.hash))
        .map(|a| a.hash)
        .collect();
    if !lost.is_empty() {
        begin_healing(work.look(), &mut mark)?;
        put_back(work, &lost)?;
        work.log
            .notice(format!("restored {} that the working tree lost in a crash", events_word(lost.len())));
    }
    let mark = read_mark(&work.log.home);
    // What is written anew is not synced either, so that the next power loss may take it again.
    let since = if mark.healing == origin.boot { mark.since } else { mark.done };
    let mark = Mark { since, boot: origin.boot, healing: String::new(), ..mark };
    write_mark(&work.log.home, &mark).map_err(Error::failed("writing ledger files"))?;
    work.log.set_mended(true);
    Ok(())
}

/// Says that lines are about to be written again after a power loss, so that nobody takes them for safe.
fn begin_healing(look: Look<'_>, mark: &mut Mark) -> Result<()> {
    if look.log.is_mended() || mark.healing == look.log.home.disk.boot() {
        return Ok(());
    }
    mark.healing = look.log.home.disk.boot();
    write_mark(&look.log.home, mark).map_err(Error::failed("writing ledger files"))
}

/// Writes journal events into this tree's ledger files.
pub(crate) fn put_back(work: &mut Work<'_>, hashes: &[EventHash]) -> Result<usize> {
    let _held = lock_tree(&work.log.home)?;
    let mut groups: BTreeMap<String, Vec<(EventHash, EntryKey, String)>> = BTreeMap::new();
    let mut mark = read_mark(&work.log.home);
    let since = mark.since;
    // A frame may hold thousands of them.
    let mut frames: BTreeMap<(i64, Position, u64), HashSet<EventHash>> = BTreeMap::new();
    for hash in hashes {
        if let Some(frame) = work.index.places().frame_of(hash).map_err(index_error)? {
            frames.entry(frame).or_default().insert(*hash);
        }
    }
    for ((journal, start, length), wanted) in frames {
        if journal == 0 {
            mark.since = mark.since.min(start);
        }
        let records = work.log.home.journals[journal as usize]
            .read_frame(start, length)
            .map_err(Error::failed("reading the journal"))?;
        for record in records.into_iter().filter(|record| !record.file.is_empty()) {
            let Some(hash) = record.stated_hash().filter(|hash| wanted.contains(hash)) else { continue };
            let Ok(Line::Event(event)) = record.line() else { continue };
            groups.entry(record.file.clone()).or_default().push((
                hash,
                event.entry.unwrap_or(EntryKey([0; 8])),
                record.text,
            ));
        }
    }
    if mark.since < since {
        write_mark(&work.log.home, &mark).map_err(Error::failed("writing ledger files"))?;
    }
    let count = groups.values().map(Vec::len).sum();
    let borrowed: Groups<'_> = groups
        .iter()
        .map(|(file, lines)| {
            let lines = lines.iter().map(|(hash, key, line)| (*hash, *key, line.as_str())).collect();
            (file.clone(), Group { lines, careful: true })
        })
        .collect();
    let news = write_groups(work.look(), &borrowed, true)?;
    follow::take(work, news)?;
    Ok(count)
}

/// Adds events that came from elsewhere to a ledger file of this tree.
pub(crate) fn add_events(work: &mut Work<'_>, file: &str, events: &[&Event]) -> Result<()> {
    let _held = lock_tree(&work.log.home)?;
    let lines = events
        .iter()
        .map(|event| (event.hash, event.entry.unwrap_or(EntryKey([0; 8])), event.line()))
        .collect();
    let groups: Groups<'_> = [(file.to_owned(), Group { lines, careful: true })].into();
    // The index does not know these events yet: it reads the file.
    let news = write_groups(work.look(), &groups, false)?;
    follow::take(work, news)
}

/// After a purge the journal's bytes are others: everything in it was written out before.
pub(crate) fn forget_mark_after_purge(work: &mut Work<'_>) -> Result<()> {
    let end = work.log.home.journals[0].end().map_err(Error::failed("reading the journal"))?;
    let since = Position { segment: 1, offset: 0 };
    let mark = Mark { done: end, since, boot: work.log.home.disk.boot(), healing: String::new() };
    write_mark(&work.log.home, &mark).map_err(Error::failed("writing ledger files"))
}

/// Events whose absence was already told.
pub(crate) fn told_absent(look: Look<'_>) -> Result<HashSet<EventHash>> {
    let text = look.index.meta("told_absent").map_err(index_error)?.unwrap_or_default();
    Ok(text.split_whitespace().filter_map(|word| word.parse().ok()).collect())
}

/// Says once when the tree lost events that were written on this branch (STO-5).
pub(crate) fn tell_absent(work: &mut Work<'_>) -> Result<()> {
    let lost: HashSet<EventHash> = lost_here(work.look())?.into_iter().collect();
    let before = told_absent(work.look())?;
    if before == lost {
        return Ok(());
    }
    if !lost.is_subset(&before) {
        let what = events_word(lost.len());
        let (verb, them) = if lost.len() == 1 { ("is", "it") } else { ("are", "them") };
        work.log.notice(format!("{what} written on this branch {verb} missing from its ledger files; the journal has {them}: run `ken recover`"));
    }
    let text: Vec<String> = lost.iter().map(EventHash::to_string).collect();
    work.index.set_meta("told_absent", &text.join(" ")).map_err(index_error)
}

/// A branch from before the store, or a reset to there, lacks the files that make a folder a store: the first write brings them.
pub(crate) fn complete_the_store(home: &Home) -> Result<()> {
    if home.layout.git.is_none() || home.disk.looks(&home.layout.store.join("VERSION")).is_ok() {
        return Ok(());
    }
    for (name, text) in crate::set_up::files() {
        let path = home.layout.store.join(name);
        if home.disk.looks(&path).is_err() {
            home.disk
                .replace_synced(&path, text.as_bytes())
                .map_err(Error::failed(format!("making .kenning/{name}")))?;
        }
    }
    Ok(())
}
