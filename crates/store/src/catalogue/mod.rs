//! The git log's catalogue: where each event lies, in which file and in which frame of the journal, and how folders and files looked when
//! they were read. It lies beside the projection, in the same database, and is written in the same transactions.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::{Deref, DerefMut};
use std::path::Path;

use ken_core::event::Line;
use ken_core::{Entry, EntryKey, Event, EventHash, ReplicaId};
use ken_engine::{LedgerLine, Placed, Stored};
use ken_index::{ADDED, DEFERRED, Extension, Folded, Index, OWN, STUB, Source, Standing, hash};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

mod intake;
mod mirrored;

use self::intake::CatalogueIntake;
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
    /// Opens the index in a folder, making it anew when it is missing, damaged or of another version.
    pub fn open(folder: &Path) -> SqlResult<Catalogue> {
        Ok(Catalogue { index: Index::open(folder, EXTENSION)? })
    }

    /// A copy of the index in a folder, for who may not write there.
    pub fn copied(folder: &Path) -> SqlResult<Catalogue> {
        Ok(Catalogue { index: Index::copied(folder, EXTENSION)? })
    }

    /// An index that lives as long as the process.
    pub fn in_memory() -> SqlResult<Catalogue> {
        Ok(Catalogue { index: Index::in_memory(EXTENSION)? })
    }

    /// The same in a file without a name: little of it is in memory.
    pub fn unnamed() -> SqlResult<Catalogue> {
        Ok(Catalogue { index: Index::unnamed(EXTENSION)? })
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
            checkout.file = self.file_of(key)?;
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

    /// The folders as they were listed last.
    pub fn folders(&self) -> SqlResult<BTreeMap<String, (i64, bool)>> {
        let mut statement = self.connection().prepare_cached("SELECT path, mtime, fresh FROM folders")?;
        statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?.collect()
    }

    /// Every file as it looked when it was read.
    pub fn files(&self) -> SqlResult<Vec<(String, Seen)>> {
        let mut statement = self.connection().prepare_cached("SELECT path, size, mtime, inode FROM files")?;
        statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?.collect()
    }

    /// The files of a folder as they looked when they were read: size, change time, inode.
    pub fn files_in(&self, folder: &str) -> SqlResult<BTreeMap<String, Seen>> {
        let mut statement = self
            .connection()
            .prepare_cached("SELECT path, size, mtime, inode FROM files WHERE folder = ?")?;
        statement
            .query_map([folder], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?
            .collect()
    }

    /// Whether there are more ledger files than some number: cheap enough for every command.
    pub fn has_more_files_than(&self, count: i64) -> SqlResult<bool> {
        self.connection().prepare_cached("SELECT 1 FROM files LIMIT 1 OFFSET ?")?.exists([count])
    }

    /// Whether a folder has folders in it.
    pub fn has_folders_in(&self, folder: &str) -> SqlResult<bool> {
        let sql = "SELECT 1 FROM folders WHERE path > ? AND path < ?";
        self.connection().prepare_cached(sql)?.exists([format!("{folder}/"), format!("{folder}0")])
    }

    /// How many files a folder holds itself.
    pub fn files_in_count(&self, folder: &str) -> SqlResult<i64> {
        self.connection()
            .prepare_cached("SELECT count(*) FROM files WHERE folder = ?")?
            .query_row([folder], |row| row.get(0))
    }

    /// Whether a file is known.
    pub fn has_file(&self, path: &str) -> SqlResult<bool> {
        self.connection().prepare_cached("SELECT 1 FROM files WHERE path = ?")?.exists([path])
    }

    /// How a file looked when it was read.
    pub fn file_looks(&self, path: &str) -> SqlResult<Option<Seen>> {
        let sql = "SELECT size, mtime, inode FROM files WHERE path = ?";
        self.connection()
            .prepare_cached(sql)?
            .query_row([path], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()
    }

    /// The files that hold lines of an entry.
    pub fn files_of(&self, key: EntryKey) -> SqlResult<Vec<(String, Seen)>> {
        let sql = "SELECT DISTINCT f.path, f.size, f.mtime, f.inode FROM events e JOIN lines l ON l.hash = e.hash JOIN files f ON f.id = l.file WHERE e.entry = ?";
        let mut statement = self.connection().prepare_cached(sql)?;
        statement
            .query_map([&key.0[..]], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?
            .collect()
    }

    /// Forgets how the latest files and all folders looked: when a machine stops, a file can keep its looks and lose its bytes.
    pub fn distrust_latest_files(&self) -> SqlResult<()> {
        let sql = "UPDATE files SET mtime = -1 WHERE mtime >= (SELECT max(mtime) FROM files) - ?";
        self.connection().execute(sql, [UNSYNCED_NANOS_MAX])?;
        self.connection().execute("UPDATE folders SET mtime = -1", []).map(drop)
    }

    /// This clone's newest events in this tree: the parents of its next one.
    pub fn heads(&self) -> SqlResult<Vec<EventHash>> {
        if let Some(text) = self.meta("heads")? {
            return Ok(text.split_whitespace().filter_map(|word| word.parse().ok()).collect());
        }
        // Nobody may add an event between counting and remembering.
        let held = Transaction::new_unchecked(self.connection(), rusqlite::TransactionBehavior::Immediate)?;
        let (all, named) = own_lines(&held, "flags & 9 = 8")?;
        let heads: BTreeSet<EventHash> = all.into_iter().filter(|hash| !named.contains(hash)).collect();
        self.set_meta("heads", &heads_text(&heads))?;
        held.commit()?;
        Ok(heads.into_iter().collect())
    }

    /// How many ledger files there are, and how many events they hold.
    pub fn files_and_lines(&self) -> SqlResult<(usize, usize)> {
        let sql = "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM lines WHERE file IS NOT NULL)";
        self.connection().query_row(sql, [], |row| {
            let (files, lines): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok((files as usize, lines as usize))
        })
    }

    /// Events of ledger files of which nothing but a stub is left, without a purge that says why.
    pub fn unexplained_stubs(&self) -> SqlResult<Vec<EventHash>> {
        self.hashes(
            "SELECT hash FROM lines l WHERE flags & 2 AND file IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM purges p WHERE p.hash = l.hash)",
        )
    }

    /// Events of ledger files that are whole although some purge names them.
    pub fn purged_in_files(&self) -> SqlResult<Vec<EventHash>> {
        self.hashes(
            "SELECT DISTINCT p.hash FROM purges p JOIN lines l ON l.hash = p.hash
             WHERE l.flags & 2 = 0 AND l.file IS NOT NULL",
        )
    }

    /// What events that this clone wrote build on, as far as no ledger file holds it.
    pub fn missing_parents(&self) -> SqlResult<BTreeSet<EventHash>> {
        let (held, named) = own_lines(self.connection(), "flags & 8")?;
        let mut elsewhere =
            self.connection().prepare_cached("SELECT 1 FROM lines WHERE hash = ? AND file IS NOT NULL")?;
        let mut missing = BTreeSet::new();
        for parent in named.iter().filter(|parent| !held.contains(parent)) {
            if !elsewhere.exists([&parent.0[..]])? {
                missing.insert(*parent);
            }
        }
        Ok(missing)
    }

    fn hashes(&self, sql: &str) -> SqlResult<Vec<EventHash>> {
        let mut statement = self.connection().prepare_cached(sql)?;
        statement.query_map([], |row| Ok(hash(row.get_ref(0)?.as_blob()?)))?.collect()
    }

    /// The ledger file that states an entry.
    pub fn file_of(&self, key: EntryKey) -> SqlResult<Option<String>> {
        let sql = "SELECT f.path FROM events e JOIN lines l ON l.hash = e.hash JOIN files f ON f.id = l.file WHERE e.entry = ? AND e.flags & 4 ORDER BY f.path LIMIT 1";
        self.connection().prepare_cached(sql)?.query_row([&key.0[..]], |row| row.get(0)).optional()
    }

    /// An entry's events with the ledger file and the branch of each.
    pub fn history(&self, key: EntryKey, lines: &dyn Lines) -> SqlResult<Vec<Placed>> {
        let mut found = Vec::new();
        for row in rows_of(self.connection(), key)? {
            if row.flags & STUB != 0 {
                continue;
            }
            let Some(event) = load(self.connection(), lines, &row)? else { continue };
            if self.purge_counts(&event)? {
                continue;
            }
            let file = row.file.map(|id| path_of(self.connection(), id)).transpose()?.flatten();
            let sql = "SELECT branch FROM frames WHERE id = ?";
            let written_on = match row.frame {
                Some(frame) => {
                    self.connection().prepare_cached(sql)?.query_row([frame], |row| row.get(0)).optional()?
                }
                None => None,
            };
            found.push(Placed { event, line: Some(LedgerLine { file, written_on }) });
        }
        found.sort_by_key(|placed| placed.event.order());
        Ok(found)
    }

    /// Events of the journal that are not in this tree, oldest first. Deferred ones are not meant to be there.
    pub fn absent(&self) -> SqlResult<Vec<Absent>> {
        let sql = "SELECT e.hash, f.branch, f.tree, f.segment, f.start, f.journal FROM lines e INDEXED BY lines_absent JOIN frames f ON f.id = e.frame
                   WHERE e.file IS NULL AND e.flags & 3 = 0 ORDER BY e.frame";
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Absent {
                hash: hash(row.get_ref(0)?.as_blob()?),
                branch: row.get(1)?,
                tree: row.get(2)?,
                journal: row.get(5)?,
                at: Position { segment: row.get::<_, i64>(3)? as u64, offset: row.get::<_, i64>(4)? as u64 },
            })
        })?;
        let absent: Vec<Absent> = rows.collect::<SqlResult<_>>()?;
        let purged = self.purged()?;
        Ok(absent.into_iter().filter(|absent| !purged.contains(&absent.hash)).collect())
    }

    /// Events that wait in the journal to be flushed. What was found to stand in a summary is left out.
    pub fn deferred(&self) -> SqlResult<Vec<EventHash>> {
        let sql = "SELECT hash FROM lines INDEXED BY lines_deferred
                   WHERE file IS NULL AND flags & 3 = 1 AND flags & 16 = 0 AND frame IS NOT NULL ORDER BY frame";
        let mut statement = self.connection().prepare_cached(sql)?;
        statement.query_map([], |row| Ok(hash(row.get_ref(0)?.as_blob()?)))?.collect()
    }

    /// The entries about which something waits in the journal alone that changes how they stand: all but what was shown.
    pub fn keys_of_deferred(&self) -> SqlResult<Vec<EntryKey>> {
        let sql = "SELECT DISTINCT e.entry FROM lines l INDEXED BY lines_deferred JOIN events e ON e.hash = l.hash
                   WHERE l.file IS NULL AND l.flags & 3 = 1 AND e.entry IS NOT NULL AND l.hash NOT IN (SELECT hash FROM exposures)";
        let mut statement = self.connection().prepare_cached(sql)?;
        statement.query_map([], |row| ken_index::key_column(row, 0))?.collect()
    }

    /// Remembers that exposures stand in a summary, and no longer wait. An index that is made anew finds that out again.
    pub fn set_summed_up(&self, events: &HashSet<EventHash>) -> SqlResult<()> {
        let sql = "UPDATE lines SET flags = flags | ?2 WHERE hash = ?1 AND flags & ?2 = 0";
        let mut statement = self.connection().prepare_cached(sql)?;
        for hash in events {
            statement.execute(params![&hash.0[..], SUMMED_UP])?;
        }
        Ok(())
    }

    /// The journal record of an event: its ledger file and its line.
    pub fn frame_of(&self, event: &EventHash) -> SqlResult<Option<(i64, Position, u64)>> {
        let sql = "SELECT f.journal, f.segment, f.start, f.length FROM lines e JOIN frames f ON f.id = e.frame WHERE e.hash = ?";
        self.connection()
            .prepare_cached(sql)?
            .query_row([&event.0[..]], |row| {
                let start =
                    Position { segment: row.get::<_, i64>(1)? as u64, offset: row.get::<_, i64>(2)? as u64 };
                Ok((row.get(0)?, start, row.get::<_, i64>(3)? as u64))
            })
            .optional()
    }

    /// The branch an event was written on, where the journal has it.
    pub fn branch_of(&self, event: &EventHash) -> SqlResult<Option<String>> {
        let sql = "SELECT f.branch FROM lines e JOIN frames f ON f.id = e.frame WHERE e.hash = ?";
        self.connection().prepare_cached(sql)?.query_row([&event.0[..]], |row| row.get(0)).optional()
    }

    /// Lines that were found in ledger files and are in no journal, as they were noticed, behind a number.
    pub fn noticed_since(&self, number: u64) -> SqlResult<Vec<(u64, EventHash)>> {
        let sql = "SELECT noticed, hash FROM lines INDEXED BY lines_noticed
                   WHERE frame IS NULL AND noticed > ? ORDER BY noticed, hash";
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows = statement.query_map([number as i64], |row| {
            Ok((row.get::<_, i64>(0)? as u64, hash(row.get_ref(1)?.as_blob()?)))
        })?;
        rows.collect()
    }

    /// Hands over the same lines from the last one on, until `each` answers no.
    pub fn each_noticed_backwards(
        &self,
        each: &mut dyn FnMut(u64, EventHash) -> SqlResult<bool>,
    ) -> SqlResult<()> {
        let sql = "SELECT noticed, hash FROM lines INDEXED BY lines_noticed
                   WHERE frame IS NULL AND noticed > 0 ORDER BY noticed DESC, hash DESC";
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()?
            && each(row.get::<_, i64>(0)? as u64, hash(row.get_ref(1)?.as_blob()?))?
        {}
        Ok(())
    }

    /// The number of the last batch of lines that was noticed; 0 where none was.
    pub fn last_noticed(&self) -> SqlResult<u64> {
        let sql = "SELECT noticed FROM lines INDEXED BY lines_noticed
                   WHERE frame IS NULL AND noticed > 0 ORDER BY noticed DESC LIMIT 1";
        let last =
            self.connection().prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0)).optional()?;
        Ok(last.map_or(0, |last| last as u64))
    }

    /// A line by its hash: from its file, else from the journal.
    pub fn line(&self, wanted: &EventHash, lines: &dyn Lines) -> SqlResult<Option<Line>> {
        let sql = "SELECT hash, file, at, length, frame, flags FROM lines WHERE hash = ?";
        let row = self.connection().prepare_cached(sql)?.query_row([&wanted.0[..]], row_of).optional()?;
        let Some(row) = row else { return Ok(None) };
        if let Some(event) = load(self.connection(), lines, &row)? {
            return Ok(Some(Line::Event(Box::new(event))));
        }
        if let Some(file) = row.file
            && let Some(path) = path_of(self.connection(), file)?
            && let Some(line @ Line::Stub(_)) = lines.line_of_file(&path, row.at as u64, row.length as u64)
        {
            return Ok(Some(line));
        }
        let Some((journal, start, length)) = self.frame_of(wanted)? else { return Ok(None) };
        let all = lines.lines_of_frame(journal, start, length);
        Ok(all.into_iter().find(|line| ken_engine::log::hash_of(line) == *wanted))
    }

    /// The latest frames of this clone's journal, newest first.
    pub fn latest_frames(&self, limit: usize) -> SqlResult<Vec<(i64, Position, u64)>> {
        let mut statement = self
            .connection()
            .prepare_cached("SELECT journal, segment, start, length FROM frames ORDER BY id DESC LIMIT ?")?;
        let rows = statement.query_map([limit as i64], |row| {
            let start =
                Position { segment: row.get::<_, i64>(1)? as u64, offset: row.get::<_, i64>(2)? as u64 };
            Ok((row.get(0)?, start, row.get::<_, i64>(3)? as u64))
        })?;
        rows.collect()
    }

    /// Whether an event is in this tree, or known at all.
    pub fn knows(&self, event: &EventHash) -> SqlResult<Option<bool>> {
        let sql = "SELECT file IS NOT NULL FROM lines WHERE hash = ?";
        self.connection().prepare_cached(sql)?.query_row([&event.0[..]], |row| row.get(0)).optional()
    }

    /// Every event of this tree's ledger files, with its entry. What a purge left is none.
    pub fn each_event_here(&self, each: &mut dyn FnMut(EventHash, Option<EntryKey>)) -> SqlResult<()> {
        let sql = "SELECT l.hash, e.entry FROM lines l LEFT JOIN events e ON e.hash = l.hash
                   WHERE l.file IS NOT NULL AND l.flags & ? = 0";
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query([STUB])?;
        while let Some(row) = rows.next()? {
            let entry = row.get_ref(1)?.as_blob_or_null()?.and_then(|key| key.try_into().ok());
            each(hash(row.get_ref(0)?.as_blob()?), entry.map(EntryKey));
        }
        Ok(())
    }

    /// Whether several ledger files hold an event.
    pub fn is_doubled(&self, event: &EventHash) -> SqlResult<bool> {
        let sql = "SELECT 1 FROM doubles WHERE hash = ?";
        self.connection().prepare_cached(sql)?.exists([&event.0[..]])
    }

    /// What could not be read in the ledger files.
    pub fn problems(&self) -> SqlResult<Vec<(String, Problem)>> {
        let sql = "SELECT f.path, p.line, p.kind, p.problem FROM problems p JOIN files f ON f.id = p.file ORDER BY f.path, p.line";
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            let kind: String = row.get(2)?;
            Ok((
                row.get(0)?,
                Problem {
                    line: row.get::<_, i64>(1)? as usize,
                    kind: ken_engine::ProblemKind::from_word(&kind),
                    problem: row.get(3)?,
                },
            ))
        })?;
        rows.collect()
    }

    /// How many lines could not be read: cheap enough for every command.
    pub fn problem_count(&self) -> SqlResult<i64> {
        self.connection().prepare_cached("SELECT count(*) FROM problems")?.query_row([], |row| row.get(0))
    }

    /// Ledger files that may hold the bytes of events that some purge names: git can bring them back.
    pub fn files_with_purged(&self) -> SqlResult<Vec<String>> {
        let sql = "SELECT f.path FROM purges p JOIN lines e ON e.hash = p.hash JOIN files f ON f.id = e.file WHERE e.flags & 2 = 0
                   UNION SELECT f.path FROM purges p JOIN doubles d ON d.hash = p.hash JOIN files f ON f.id = d.file";
        let mut statement = self.connection().prepare_cached(sql)?;
        statement.query_map([], |row| row.get(0))?.collect()
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
