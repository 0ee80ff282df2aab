//! The git log's catalogue: where each event lies, in which file and in which frame of the journal, and how folders and files looked when
//! they were read. It lies beside the projection, in the same database, and is written in the same transactions.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use ken_core::event::Line;
use ken_core::{Entry, EntryKey, Event, EventHash, ReplicaId};
use ken_engine::{LedgerLine, Placed, Stored};
use ken_index::{ADDED, DEFERRED, Extension, Folded, Index, OWN, STUB, Source, Standing, hash};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

mod files;
mod intake;
mod mirrored;
mod places;

use self::files::Files;
use self::intake::CatalogueIntake;
use self::places::Places;
use crate::disk::{Disk, RealDisk};
use crate::journal::{Frame, Position};
use crate::lines::FileLines;
use ken_engine::Problem;

/// The tables of the catalogue.
const EXTENSION: Extension = Extension {
    schema: 3,
    tables: "
CREATE TABLE folders(path TEXT PRIMARY KEY, mtime INTEGER NOT NULL, fresh INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, size INTEGER NOT NULL,
  mtime INTEGER NOT NULL, inode INTEGER NOT NULL, entry BLOB, chain INTEGER);
CREATE TABLE frames(id INTEGER PRIMARY KEY, journal INTEGER NOT NULL, segment INTEGER NOT NULL, start INTEGER NOT NULL,
  length INTEGER NOT NULL, branch TEXT NOT NULL, tree TEXT NOT NULL, boot TEXT NOT NULL);
CREATE TABLE lines(hash BLOB PRIMARY KEY, file INTEGER, at INTEGER, length INTEGER, frame INTEGER, flags INTEGER NOT NULL,
  parents BLOB, noticed INTEGER) WITHOUT ROWID;
CREATE TABLE doubles(hash BLOB NOT NULL, file INTEGER NOT NULL, at INTEGER, length INTEGER, PRIMARY KEY(hash, file)) WITHOUT ROWID;
CREATE TABLE problems(file INTEGER NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL, problem TEXT NOT NULL);
CREATE TABLE mirrored(root TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL, inode INTEGER NOT NULL,
  content TEXT NOT NULL, PRIMARY KEY(root, path)) WITHOUT ROWID;
CREATE INDEX lines_absent ON lines(frame) WHERE file IS NULL AND flags & 3 = 0;
CREATE INDEX lines_deferred ON lines(frame) WHERE file IS NULL AND flags & 3 = 1;
",
    indexes: "
CREATE INDEX files_by_folder ON files(folder);
CREATE INDEX lines_noticed ON lines(noticed) WHERE frame IS NULL;
",
};

/// No system keeps written bytes in memory alone for this long, in nanoseconds: Linux begins to write them after half a minute.
const UNSYNCED_NANOS_MAX: i64 = 600_000_000_000;

type SqlResult<T> = rusqlite::Result<T>;

/// How a file looked when it was read: size, change time, inode.
pub type Seen = (i64, i64, i64);

/// The projection of one worktree, with the catalogue of where everything lies.
pub struct Catalogue {
    index: Index,
    /// Where it lies; nowhere if it is in memory.
    folder: Option<PathBuf>,
    /// Held while the index is being made: nobody may discard it, or open it, before it is whole.
    held: Option<Box<dyn Send>>,
    /// Which file it was opened from.
    file: Option<u64>,
    times_opened: u64,
    /// Frames of this clone's journal from here on may still be on their way to the ledger files; read before the files were.
    pub(crate) pending_from: Option<Position>,
}

/// Which file the index in a folder is.
fn inode(folder: &Path) -> Option<u64> {
    RealDisk.looks(&folder.join("knowledge.db")).ok().map(|looks| looks.inode)
}

/// Set on an exposure of the journal that stands in a summary.
const SUMMED_UP: i64 = 16;

/// The catalogue's rows that must be the same after a rebuild.
const DUMP: &[&str] = &[
    "SELECT 'line', hash, file IS NOT NULL, frame IS NOT NULL, flags & 15 FROM lines ORDER BY hash",
    "SELECT 'standing', key, here, elsewhere, state FROM standing ORDER BY key",
];

impl Deref for Catalogue {
    type Target = Index;

    fn deref(&self) -> &Index {
        &self.index
    }
}

impl DerefMut for Catalogue {
    fn deref_mut(&mut self) -> &mut Index {
        &mut self.index
    }
}

/// What one look at the outside found: fed to the index in one transaction.
#[derive(Default)]
pub struct IndexUpdate {
    /// Whole journal frames, with the number of the journal they come from.
    pub frames: Vec<(i64, Frame)>,
    /// Journals that are taken in from their beginning, each up to somewhere, after those frames: they are read as they are needed, and
    /// never held.
    pub journals: Vec<(i64, crate::journal::Journal, Position)>,
    /// The end of each journal after those frames.
    pub journal_ends: Vec<(i64, Position, u64)>,
    /// Events of those frames that need not be read again.
    pub sealed: Vec<Event>,
    /// What this process itself has just added to ledger files.
    pub written: Vec<Written>,
    /// Ledger files that are new or changed, as they are read; those shared by many entries first.
    pub files: Option<Box<dyn Iterator<Item = FileLines>>>,
    /// Ledger files that are gone.
    pub gone: Vec<String>,
    /// Folders with the change times they were listed at; fresh ones may have changed again within the clock's grain.
    pub folders: Vec<(String, i64, bool)>,
    /// Folders that are gone.
    pub folders_gone: Vec<String>,
    /// Events that this clone wrote itself, where no frame says so.
    pub own: HashSet<EventHash>,
    /// How git looked before all of this was looked at.
    pub git: Option<String>,
}

/// Reads journals from their beginning, each up to where it is wanted.
fn each_frame(
    journals: &[(i64, crate::journal::Journal, Position)],
    mut each: impl FnMut(i64, Frame) -> SqlResult<()>,
) -> SqlResult<()> {
    for (number, journal, end) in journals {
        let mut failed = Ok(());
        let read = journal.each(&mut |frame| {
            if frame.start < *end && failed.is_ok() {
                failed = each(*number, frame);
            }
        });
        read.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        failed?;
    }
    Ok(())
}

/// Lines that were added to a ledger file whose other lines the index knows.
pub struct Written {
    pub path: String,
    /// How it looks now.
    pub looks: crate::disk::Looks,
    /// The new lines: hash, offset, length.
    pub lines: Vec<(EventHash, u64, u64)>,
    /// The entry, when the file is new and of this entry alone.
    pub entry: Option<EntryKey>,
}

/// Reads single events where the index only knows their place.
pub trait Lines {
    /// The line at some place of a ledger file.
    fn line_of_file(&self, path: &str, at: u64, length: u64) -> Option<Line>;
    /// The lines of a journal frame.
    fn lines_of_frame(&self, journal: i64, start: Position, length: u64) -> Vec<Line>;
    /// The entry that another index of this clone folded from exactly these events.
    fn folded(&self, _key: EntryKey, _events: &[EventHash]) -> SqlResult<Option<Entry>> {
        Ok(None)
    }
    /// One of them.
    fn event_of_frame(
        &self,
        journal: i64,
        start: Position,
        length: u64,
        wanted: &EventHash,
    ) -> Option<Event> {
        self.lines_of_frame(journal, start, length).into_iter().find_map(|line| match line {
            Line::Event(event) if event.hash == *wanted => Some(*event),
            _ => None,
        })
    }
}

impl<L: Lines + ?Sized> Lines for &L {
    fn line_of_file(&self, path: &str, at: u64, length: u64) -> Option<Line> {
        (**self).line_of_file(path, at, length)
    }

    fn lines_of_frame(&self, journal: i64, start: Position, length: u64) -> Vec<Line> {
        (**self).lines_of_frame(journal, start, length)
    }

    fn folded(&self, key: EntryKey, events: &[EventHash]) -> SqlResult<Option<Entry>> {
        (**self).folded(key, events)
    }

    fn event_of_frame(
        &self,
        journal: i64,
        start: Position,
        length: u64,
        wanted: &EventHash,
    ) -> Option<Event> {
        (**self).event_of_frame(journal, start, length, wanted)
    }
}

/// An event that is in the journal and not in this tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    pub hash: EventHash,
    /// The branch it was written on.
    pub branch: String,
    /// The worktree it was written in.
    pub tree: String,
    /// The number of the journal that has it.
    pub journal: i64,
    /// Where its frame begins there.
    pub at: Position,
}

struct Row {
    hash: EventHash,
    file: Option<i64>,
    at: i64,
    length: i64,
    frame: Option<i64>,
    flags: i64,
}

impl Catalogue {
    /// Opens the index in a folder, making it anew when it is missing, damaged or of another version, or when that is wanted. Under a
    /// lock: between two deleted files of an old index nobody may begin a new one.
    ///
    /// One that is being made keeps the lock until it is whole: SQLite finds its write-ahead file by name, and two indexes under one name
    /// would share it.
    pub fn open(disk: &dyn Disk, folder: &Path, anew: bool) -> SqlResult<Catalogue> {
        // Without the lock it is as good as it can be: an index is disposable.
        let held = disk.lock(&folder.with_file_name("index.lock")).ok();
        if anew {
            Index::discard(folder);
        }
        let index = Index::open(folder, EXTENSION)?;
        let held = held.filter(|_| index.is_fresh());
        let (folder, file) = (Some(folder.to_owned()), inode(folder));
        Ok(Catalogue { folder, held, file, ..Catalogue::over(index) })
    }

    /// A copy of the index in a folder, for who may not write there.
    pub fn copied(folder: &Path) -> SqlResult<Catalogue> {
        Ok(Catalogue::over(Index::copied(folder, EXTENSION)?))
    }

    /// An index that lives as long as the process.
    pub fn in_memory() -> SqlResult<Catalogue> {
        Ok(Catalogue::over(Index::in_memory(EXTENSION)?))
    }

    /// The same in a file without a name: little of it is in memory.
    pub fn unnamed() -> SqlResult<Catalogue> {
        Ok(Catalogue::over(Index::unnamed(EXTENSION)?))
    }

    fn over(index: Index) -> Catalogue {
        Catalogue { index, folder: None, held: None, file: None, pending_from: None, times_opened: 0 }
    }

    /// Whether it lies in a folder.
    pub fn is_on_disk(&self) -> bool {
        self.folder.is_some()
    }

    /// Whether its file is no longer the one in the folder: somebody made the index anew.
    pub fn is_detached(&self) -> bool {
        self.folder.as_deref().is_some_and(|folder| inode(folder) != self.file)
    }

    /// Opens the index that is in the folder now.
    pub fn open_again(&mut self, disk: &dyn Disk) -> SqlResult<()> {
        self.replace(disk, false)
    }

    /// Throws the index away and starts an empty one.
    pub fn reset(&mut self, disk: &dyn Disk) -> SqlResult<()> {
        self.replace(disk, true)
    }

    fn replace(&mut self, disk: &dyn Disk, anew: bool) -> SqlResult<()> {
        let (folder, times_opened) = (self.folder.take(), self.times_opened + 1);
        // Let go of the old one first: somebody may hold the lock and wait for it.
        *self = Catalogue { folder, times_opened, ..Catalogue::in_memory()? };
        if let Some(folder) = &self.folder {
            let opened = Catalogue::open(disk, folder, anew)?;
            *self = Catalogue { times_opened, ..opened };
        }
        Ok(())
    }

    /// How often another index took the place of the one that was opened first: what was told to that one is unknown to this one.
    pub fn times_opened(&self) -> u64 {
        self.times_opened
    }

    /// Finishes making the index, and lets others open it.
    pub fn settle(&mut self) -> SqlResult<()> {
        self.index.settle()?;
        self.held = None;
        Ok(())
    }

    /// Keeps the index's write-ahead file small, after so many events or vectors were written.
    pub fn tidy(&self, written: usize) {
        if let Some(folder) = &self.folder {
            self.index.tidy(&folder.join("knowledge.db-wal"), written);
        }
    }

    /// The ledger files.
    pub fn files(&self) -> Files<'_> {
        Files(&self.index)
    }

    /// Where each event lies.
    pub fn places(&self) -> Places<'_> {
        Places(&self.index)
    }

    /// Says which clone this is. An index made for another one is of no use: the answer is then `false`.
    pub fn set_own(&mut self, own: Option<ReplicaId>) -> SqlResult<bool> {
        // Frames that were taken in before the clone had its name may be its own: they were not marked so.
        if self.index.own()? != own
            && self.connection().prepare_cached("SELECT 1 FROM frames LIMIT 1")?.exists([])?
        {
            return Ok(false);
        }
        self.index.set_own(own)
    }

    /// Every row of projection and catalogue in a stable order, to compare two indexes.
    pub fn dump(&self) -> SqlResult<Vec<String>> {
        let mut rows = self.index.dump()?;
        rows.extend(self.rows(DUMP)?);
        Ok(rows)
    }

    /// A hash of those rows.
    pub fn hashes_of_rows(&self) -> SqlResult<[[u8; 32]; 2]> {
        Ok([self.index.rows_hash()?, self.hash_of_rows(DUMP)?])
    }

    /// In how many of those rows another one differs.
    pub fn apart_from(&self, other: &Catalogue) -> SqlResult<usize> {
        Ok(self.index.apart_from(&other.index)? + self.rows_apart(&other.index, DUMP)?)
    }

    /// An entry's row, with the ledger file that states it.
    pub fn stored(&self, key: EntryKey) -> SqlResult<Option<Stored>> {
        let Some(mut found) = self.index.stored(key)? else { return Ok(None) };
        if let Some(checkout) = &mut found.checkout {
            checkout.file = self.files().file_of(key)?;
        }
        Ok(Some(found))
    }

    /// The log, as far as the projection asks it.
    pub(crate) fn source<L: Lines>(&self, lines: L) -> GitSource<'_, L> {
        GitSource {
            connection: self.connection(),
            lines,
            own_events: HashSet::new(),
            rows: RefCell::default(),
        }
    }

    /// Takes in news, refolds what they touch, and says which entries changed. One transaction.
    pub fn take(&mut self, news: IndexUpdate, lines: &dyn Lines) -> SqlResult<Vec<EntryKey>> {
        self.index.begin_write()?;
        self.take_begun(news, lines)
    }

    /// Whether nobody writes the index right now.
    pub fn is_free(&mut self) -> SqlResult<bool> {
        let is_free = self.index.begin_write_if_free()?;
        if is_free {
            self.index.abandon_write();
        }
        Ok(is_free)
    }

    /// The same as [`Catalogue::take`], unless somebody else is writing: then nothing is taken in.
    pub fn take_if_free(&mut self, news: IndexUpdate, lines: &dyn Lines) -> SqlResult<Option<Vec<EntryKey>>> {
        if !self.index.begin_write_if_free()? {
            return Ok(None);
        }
        self.take_begun(news, lines).map(Some)
    }

    fn take_begun(&mut self, news: IndexUpdate, lines: &dyn Lines) -> SqlResult<Vec<EntryKey>> {
        match self.take_inside(news, lines) {
            Ok(changed) => {
                self.index.end_write()?;
                // It is whole after its first news.
                self.held = None;
                Ok(changed)
            }
            Err(error) => {
                self.index.abandon_write();
                Err(error)
            }
        }
    }

    fn take_inside(&self, news: IndexUpdate, lines: &dyn Lines) -> SqlResult<Vec<EntryKey>> {
        let connection = self.connection();
        let source = GitSource { own_events: news.own, ..self.source(lines) };
        let projection = self.index.intake(&source);
        let mut intake = CatalogueIntake {
            tx: connection,
            own: projection.own(),
            projection,
            lines,
            heads_moved: false,
            new_heads: Vec::new(),
            sealed: news.sealed.into_iter().map(|event| (event.hash, event)).collect(),
            placed: HashMap::new(),
            framed: HashMap::new(),
            all_expected: self.is_fresh(),
            noticed: None,
            own_events: &source.own_events,
            waiting: Vec::new(),
        };
        // What another process told the index since these frames were read is not told twice, and nobody moves its cursor back.
        let mut ends = news.journal_ends;
        let mut told_to = BTreeMap::new();
        for (journal, end, generation) in &mut ends {
            let (told, known) = self.journal_end(*journal)?;
            if known == *generation {
                told_to.insert(*journal, told);
                *end = told.max(*end);
            }
        }
        let is_told = |journal: i64, frame: &Frame| told_to.get(&journal).is_some_and(|to| frame.start < *to);
        let mut frames = Vec::with_capacity(news.frames.len());
        for (journal, frame) in news.frames.into_iter().filter(|(journal, frame)| !is_told(*journal, frame)) {
            let id = intake.frame_row(journal, &frame)?;
            intake.expect_frame(id, &frame);
            frames.push((id, frame));
        }
        let mut read_again: Vec<i64> = Vec::new();
        each_frame(&news.journals, |journal, frame| {
            let id = intake.frame_row(journal, &frame)?;
            intake.expect_frame(id, &frame);
            read_again.push(id);
            Ok(())
        })?;
        for path in &news.gone {
            intake.forget_file(path)?;
        }
        for file in news.files.into_iter().flatten() {
            intake.file(file)?;
        }
        intake.write_waiting()?;
        intake.projection.fold_ready()?;
        for written in news.written {
            intake.written(written)?;
        }
        // When every file told of its events, no frame has more to say.
        let purged = connection.prepare_cached("SELECT 1 FROM purges LIMIT 1")?.exists([])?;
        let all_told = self.is_fresh() && intake.framed.is_empty() && !purged;
        for (id, frame) in frames.into_iter().filter(|_| !all_told) {
            intake.frame(id, frame)?;
        }
        if !all_told {
            let mut ids = read_again.into_iter();
            each_frame(&news.journals, |_, frame| match ids.next() {
                Some(id) => intake.frame(id, frame),
                // Somebody wrote on, behind what is wanted.
                None => Ok(()),
            })?;
        }
        intake.write_waiting()?;
        let CatalogueIntake { projection, heads_moved, new_heads, .. } = intake;
        let changed = projection.finish()?;
        if heads_moved {
            connection.execute("DELETE FROM meta WHERE name = 'heads'", [])?;
        } else if !new_heads.is_empty() {
            move_heads(connection, new_heads)?;
        }
        for (path, mtime, fresh) in &news.folders {
            connection
                .prepare_cached("INSERT INTO folders VALUES(?, ?, ?) ON CONFLICT(path) DO UPDATE SET mtime = excluded.mtime, fresh = excluded.fresh")?
                .execute(params![path, mtime, fresh])?;
        }
        for path in &news.folders_gone {
            connection.execute("DELETE FROM folders WHERE path = ?", [path])?;
        }
        for (journal, end, generation) in ends {
            let value = serde_json::to_string(&(end, generation)).expect("numbers can be written");
            self.set_meta(&format!("journal.{journal}"), &value)?;
        }
        if let Some(git) = &news.git {
            self.set_meta("git", git)?;
        }
        Ok(changed)
    }

    /// Where a journal was read to, and the generation it had.
    pub fn journal_end(&self, journal: i64) -> SqlResult<(Position, u64)> {
        let text = self.meta(&format!("journal.{journal}"))?;
        let read = text.and_then(|text| serde_json::from_str(&text).ok());
        Ok(read.unwrap_or((Position { segment: 1, offset: 0 }, 0)))
    }
}

/// Events of this clone in ledger files that meet a condition, and what they build on.
fn own_lines(tx: &Connection, condition: &str) -> SqlResult<(BTreeSet<EventHash>, HashSet<EventHash>)> {
    let (mut all, mut named) = (BTreeSet::new(), HashSet::new());
    let sql = format!("SELECT hash, parents FROM lines WHERE {condition} AND file IS NOT NULL");
    let mut statement = tx.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        all.insert(hash(row.get_ref(0)?.as_blob()?));
        if let Some(parents) = row.get_ref(1)?.as_blob_or_null()? {
            named.extend(parents.chunks_exact(20).map(hash));
        }
    }
    Ok((all, named))
}

fn heads_text(heads: &BTreeSet<EventHash>) -> String {
    heads.iter().map(EventHash::to_string).collect::<Vec<_>>().join(" ")
}

/// New events take the place of their parents among the newest ones, and stand beside those that other processes wrote meanwhile.
fn move_heads(tx: &Connection, new: Vec<(EventHash, Vec<EventHash>)>) -> SqlResult<()> {
    let sql = "SELECT value FROM meta WHERE name = 'heads'";
    let known: Option<String> = tx.query_row(sql, [], |row| row.get(0)).optional()?;
    let Some(known) = known else { return Ok(()) };
    let mut heads: BTreeSet<EventHash> =
        known.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    for (hash, parents) in new {
        for parent in &parents {
            heads.remove(parent);
        }
        heads.insert(hash);
    }
    tx.execute("UPDATE meta SET value = ? WHERE name = 'heads'", [heads_text(&heads)]).map(drop)
}

fn path_of(connection: &Connection, file: i64) -> SqlResult<Option<String>> {
    connection
        .prepare_cached("SELECT path FROM files WHERE id = ?")?
        .query_row([file], |row| row.get(0))
        .optional()
}

fn rows_of(connection: &Connection, key: EntryKey) -> SqlResult<Vec<Row>> {
    let mut statement = connection
        .prepare_cached("SELECT l.hash, l.file, l.at, l.length, l.frame, l.flags FROM events e JOIN lines l ON l.hash = e.hash WHERE e.entry = ?")?;
    statement.query_map([&key.0[..]], row_of)?.collect()
}

/// The place of an event: hash, file, offset, length, frame, flags.
fn row_of(row: &rusqlite::Row<'_>) -> SqlResult<Row> {
    Ok(Row {
        hash: hash(row.get_ref(0)?.as_blob()?),
        file: row.get(1)?,
        at: row.get::<_, Option<i64>>(2)?.unwrap_or(0),
        length: row.get::<_, Option<i64>>(3)?.unwrap_or(0),
        frame: row.get(4)?,
        flags: row.get(5)?,
    })
}

/// Reads one event from the journal, else from its file.
fn load(connection: &Connection, lines: &dyn Lines, row: &Row) -> SqlResult<Option<Event>> {
    let wanted = |line: Line| match line {
        Line::Event(event) if event.hash == row.hash => Some(*event),
        _ => None,
    };
    if let Some(file) = row.file
        && let Some(path) = path_of(connection, file)?
        && let Some(event) = lines.line_of_file(&path, row.at as u64, row.length as u64).and_then(wanted)
    {
        return Ok(Some(event));
    }
    let Some(frame) = row.frame else { return Ok(None) };
    let sql = "SELECT journal, segment, start, length FROM frames WHERE id = ?";
    let place: (i64, i64, i64, i64) = connection
        .prepare_cached(sql)?
        .query_row([frame], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let start = Position { segment: place.1 as u64, offset: place.2 as u64 };
    Ok(lines.event_of_frame(place.0, start, place.3 as u64, &row.hash))
}

/// Journal and ledger files, as far as the projection asks for single events and where they are.
pub(crate) struct GitSource<'a, L> {
    connection: &'a Connection,
    lines: L,
    /// Events that this clone wrote itself, where no frame says so.
    own_events: HashSet<EventHash>,
    /// The places of events by their entry, from when it is asked which were written here until it is asked where it stands.
    rows: RefCell<HashMap<EntryKey, Vec<Row>>>,
}

impl<L: Lines> Source for GitSource<'_, L> {
    fn event(&self, hash: &EventHash) -> SqlResult<Option<Event>> {
        let sql = "SELECT hash, file, at, length, frame, flags FROM lines WHERE hash = ?";
        let row = self.connection.prepare_cached(sql)?.query_row([&hash.0[..]], row_of).optional()?;
        row.map_or(Ok(None), |row| load(self.connection, &self.lines, &row))
    }

    fn written_here(&self, key: EntryKey) -> SqlResult<HashSet<EventHash>> {
        let rows = rows_of(self.connection, key)?;
        let own =
            |row: &&Row| row.frame.is_some() && row.flags & OWN != 0 || self.own_events.contains(&row.hash);
        let hashes =
            rows.iter().filter(|row| row.flags & STUB == 0).filter(own).map(|row| row.hash).collect();
        self.rows.borrow_mut().insert(key, rows);
        Ok(hashes)
    }

    fn folded(&self, key: EntryKey, events: &[EventHash]) -> SqlResult<Option<Entry>> {
        self.lines.folded(key, events)
    }

    fn is_here(&self, hash: &EventHash) -> SqlResult<bool> {
        let sql = "SELECT 1 FROM lines WHERE hash = ? AND file IS NOT NULL";
        self.connection.prepare_cached(sql)?.exists([&hash.0[..]])
    }

    fn standing(&self, folded: &Folded<'_>) -> SqlResult<Option<Standing>> {
        let known = self.rows.borrow_mut().remove(&folded.key);
        let rows = known.map_or_else(|| rows_of(self.connection, folded.key), Ok)?;
        let counts = |row: &&Row| row.flags & STUB == 0 && !folded.gone.contains(&row.hash);
        let elsewhere =
            rows.iter().filter(counts).filter(|row| row.file.is_none() && row.flags & DEFERRED == 0).count();
        let here = rows.iter().filter(counts).any(|row| row.flags & ADDED != 0 && row.file.is_some());
        if here && elsewhere == 0 {
            return Ok(None);
        }
        let in_tree: HashSet<EventHash> =
            rows.iter().filter(|row| row.file.is_some()).map(|row| row.hash).collect();
        let entry = if here { folded.without(&|hash| !in_tree.contains(hash)) } else { None };
        Ok(Some(Standing { here, elsewhere, entry }))
    }
}
