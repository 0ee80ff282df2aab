//! The projection: one row of folded state per entry in SQLite, disposable and rebuilt from the ledger alone.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use ken_core::entry::fold;
use ken_core::event::{Line, Stub};
use ken_core::{Body, Entry, EntryEvent, EntryKey, Event, EventHash, ReplicaId};
use ken_engine::{Page, Placed, Query, Sort, Stored};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

mod documents;
mod ground;
mod intake;
mod list;
mod runs;
mod shelf;
mod upkeep;

pub use self::documents::Mirrored;
use self::intake::Intake;
pub use self::shelf::{IndexShelf, Unembedded};
use crate::journal::{Frame, Position};
use crate::lines::{FileLines, Problem};

/// Raised whenever the tables change: an index of another number is thrown away.
///
/// The version of the scanner belongs to it: rows hold what it said, so a newer one looks at everything again before anything is
/// handed out (IN-1).
const SCHEMA: i64 = 14 * 10_000 + ken_guard::SCANNER as i64;

const TABLES: &str = "
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE folders(path TEXT PRIMARY KEY, mtime INTEGER NOT NULL, fresh INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, size INTEGER NOT NULL,
  mtime INTEGER NOT NULL, inode INTEGER NOT NULL, entry BLOB);
CREATE TABLE frames(id INTEGER PRIMARY KEY, journal INTEGER NOT NULL, segment INTEGER NOT NULL, start INTEGER NOT NULL,
  length INTEGER NOT NULL, branch TEXT NOT NULL, tree TEXT NOT NULL, boot TEXT NOT NULL);
CREATE TABLE events(hash BLOB PRIMARY KEY, entry BLOB, file INTEGER, at INTEGER, length INTEGER, frame INTEGER,
  flags INTEGER NOT NULL, parents BLOB) WITHOUT ROWID;
CREATE INDEX events_by_entry ON events(entry);
CREATE TABLE doubles(hash BLOB NOT NULL, file INTEGER NOT NULL, at INTEGER, length INTEGER, PRIMARY KEY(hash, file)) WITHOUT ROWID;
CREATE TABLE purges(hash BLOB NOT NULL, replica BLOB NOT NULL, journal INTEGER NOT NULL, PRIMARY KEY(hash, replica)) WITHOUT ROWID;
CREATE TABLE problems(file INTEGER NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL, problem TEXT NOT NULL);
CREATE TABLE entries(n INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, id TEXT NOT NULL, given TEXT, handle TEXT, type TEXT NOT NULL,
  memory TEXT NOT NULL, status TEXT NOT NULL, scope TEXT NOT NULL, reviewer TEXT, created INTEGER NOT NULL, updated INTEGER NOT NULL,
  actor TEXT NOT NULL, here INTEGER NOT NULL, elsewhere INTEGER NOT NULL, asked INTEGER NOT NULL, state TEXT NOT NULL, state_here TEXT, digest INTEGER NOT NULL, merge_name TEXT, ground TEXT NOT NULL, thread TEXT, belief TEXT NOT NULL,
  confirmed INTEGER, gaps INTEGER NOT NULL);
CREATE INDEX entries_by_given ON entries(given) WHERE given IS NOT NULL;
CREATE INDEX entries_by_merge_name ON entries(merge_name) WHERE merge_name IS NOT NULL;
CREATE TABLE settings(hash BLOB PRIMARY KEY, name TEXT NOT NULL, clock INTEGER NOT NULL, replica BLOB NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE ties(source BLOB NOT NULL, relation TEXT NOT NULL, target BLOB NOT NULL, PRIMARY KEY(target, relation, source)) WITHOUT ROWID;
CREATE TABLE promotions(promotion TEXT NOT NULL, hash BLOB NOT NULL, clock INTEGER NOT NULL, PRIMARY KEY(promotion, hash)) WITHOUT ROWID;
CREATE TABLE labels(label TEXT NOT NULL, kind INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY(label, kind, key)) WITHOUT ROWID;
";

/// Made last when an index is made anew: it is faster to sort once than to insert in order.
const INDEXES: &str = "
CREATE INDEX files_by_folder ON files(folder);
CREATE INDEX events_absent ON events(frame) WHERE file IS NULL AND flags & 3 = 0;
CREATE INDEX events_deferred ON events(frame) WHERE file IS NULL AND flags & 3 = 1;
CREATE INDEX entries_by_id ON entries(id);
CREATE INDEX entries_by_handle ON entries(handle) WHERE handle IS NOT NULL;
CREATE INDEX entries_by_updated ON entries(updated);
CREATE INDEX entries_by_status ON entries(status, asked, memory, type);
CREATE INDEX entries_by_ground ON entries(asked, memory, status, key, handle, id, ground);
CREATE INDEX entries_by_belief ON entries(key, belief);
CREATE INDEX entries_by_upkeep ON entries(asked, memory, key, type, status, scope, reviewer, created, confirmed, gaps);
CREATE INDEX labels_by_key ON labels(key);
CREATE INDEX ties_by_source ON ties(source);
";

/// No system keeps written bytes in memory alone for this long, in nanoseconds: Linux begins to write them after half a minute.
const UNSYNCED_NANOS_MAX: i64 = 600_000_000_000;

/// How long somebody waits for another writer before it is an error.
const BUSY_WAIT: std::time::Duration = std::time::Duration::from_secs(60);

/// More statements than this file has: preparing one costs more than running it.
const STATEMENTS_MAX: usize = 128;

/// Set on an event that waits in the journal until it is flushed.
const DEFERRED: i64 = 1;
/// Set on what a purge left.
const STUB: i64 = 2;
/// Set on the first statement of an entry.
const ADDED: i64 = 4;
/// Set on an event of this clone.
const OWN: i64 = 8;

/// The projection of one worktree.
pub struct Index {
    connection: Connection,
    own: Option<ReplicaId>,
    /// Being made: everything so far is one open transaction that nobody else can see.
    fresh: bool,
    /// It takes the place of one that could not be read.
    pub(crate) was_damaged: bool,
    /// The folder of a copy, which goes with it.
    copy: Option<tempfile::TempDir>,
}

/// What one look at the outside found: fed to the index in one transaction.
#[derive(Default)]
pub struct News {
    /// Whole journal frames, with the number of the journal they come from.
    pub frames: Vec<(i64, Frame)>,
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
}

/// Lines that were added to a ledger file whose other lines the index knows.
pub struct Written {
    /// The file.
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

/// An event that is in the journal and not in this tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Its hash.
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

type SqlResult<T> = rusqlite::Result<T>;

/// How a file looked when it was read: size, change time, inode.
pub type Seen = (i64, i64, i64);

impl Index {
    /// Opens the index in a folder, making it anew when it is missing, damaged or of another version.
    pub fn open(folder: &Path) -> SqlResult<Index> {
        std::fs::create_dir_all(folder)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        let path = folder.join("knowledge.db");
        match Index::try_open(&path) {
            Ok(index) => Ok(index),
            Err(error) if is_busy(&error) => Err(error),
            Err(error) => {
                Index::discard(folder);
                let mut index = Index::try_open(&path)?;
                // One of another version is no damage, only old.
                index.was_damaged = !matches!(error, rusqlite::Error::InvalidQuery);
                Ok(index)
            }
        }
    }

    /// Throws the index in a folder away.
    pub fn discard(folder: &Path) {
        for name in ["knowledge.db", "knowledge.db-wal", "knowledge.db-shm"] {
            let _ = std::fs::remove_file(folder.join(name));
        }
    }

    fn try_open(path: &Path) -> SqlResult<Index> {
        let connection = Connection::open(path)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        connection.busy_timeout(BUSY_WAIT)?;
        connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        // A statement that is kept is planned once, and not anew for every value.
        connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version != 0 && version != SCHEMA {
            return Err(rusqlite::Error::InvalidQuery);
        }
        connection
            .execute_batch("PRAGMA temp_store=MEMORY; PRAGMA cache_size=-65536; PRAGMA secure_delete=ON")?;
        let mut index = Index { connection, own: None, fresh: false, was_damaged: false, copy: None };
        if version == 0 {
            // Making an index costs no sync and no journal: a half-made one is thrown away like any other damage.
            index
                .connection
                .execute_batch("PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF; BEGIN EXCLUSIVE")?;
            let made: i64 = index.connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            if made == 0 {
                index.connection.execute_batch(TABLES)?;
                index.connection.execute_batch(shelf::TABLES)?;
                index.connection.execute_batch(runs::TABLES)?;
                index.connection.execute_batch(documents::TABLES)?;
                index.fresh = true;
                return Ok(index);
            }
            // Somebody else made it while we waited.
            index.connection.execute_batch("COMMIT")?;
        }
        index.set_modes()?;
        // A file that is no database, or a database without our tables, shows itself here.
        index.connection.query_row("SELECT count(*) FROM meta", [], |_| Ok(()))?;
        Ok(index)
    }

    fn set_modes(&self) -> SqlResult<()> {
        self.patiently("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=4194304")
    }

    /// Runs what SQLite does not wait for: two that change the journal's mode at once hold each other up, and both are told at once.
    fn patiently(&self, sql: &str) -> SqlResult<()> {
        let until = std::time::Instant::now() + BUSY_WAIT;
        loop {
            match self.connection.execute_batch(sql) {
                Err(error)
                    if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
                        && std::time::Instant::now() < until =>
                {
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
                done => return done,
            }
        }
    }

    /// Whether it is being made, and nobody else can see it.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Holds still what this connection sees: one moment of the index, until [`Index::end_read`], whatever others write meanwhile.
    pub fn begin_read(&self) -> SqlResult<()> {
        self.connection.execute_batch("BEGIN; SELECT count(*) FROM meta")
    }

    /// Goes on with the newest state.
    pub fn end_read(&self) {
        // It read only: there is nothing that could fail to be kept.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    /// The clone this index was made for.
    pub fn own(&self) -> SqlResult<Option<ReplicaId>> {
        Ok(self.meta("own")?.and_then(|text| text.parse().ok()))
    }

    /// Every file as it looked when it was read.
    pub fn files(&self) -> SqlResult<Vec<(String, Seen)>> {
        let mut statement = self.connection.prepare_cached("SELECT path, size, mtime, inode FROM files")?;
        statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?.collect()
    }

    /// Finishes making an index, so that others can use it. Does nothing to a finished one.
    pub fn settle(&mut self) -> SqlResult<()> {
        if self.fresh {
            self.connection.execute_batch(INDEXES)?;
            self.connection.execute_batch(&format!("PRAGMA user_version={SCHEMA}; COMMIT"))?;
            self.fresh = false;
            // The write-ahead file begins with this word, so that the first real write need not sync its beginning.
            self.patiently("PRAGMA synchronous=OFF; PRAGMA journal_mode=WAL")?;
            self.set_meta("made", "whole")?;
            self.set_modes()?;
        }
        Ok(())
    }

    /// A copy of the index in a folder, for who may not write there: it lies in the machine's folder for such things, catches up
    /// like any other, and goes when it is no longer needed.
    pub fn copied(folder: &Path) -> SqlResult<Index> {
        let failed = |error: std::io::Error| rusqlite::Error::ToSqlConversionFailure(error.into());
        let names = ["knowledge.db", "knowledge.db-wal"];
        let looks = || {
            names.map(|name| std::fs::metadata(folder.join(name)).map(|l| (l.len(), l.modified().ok())).ok())
        };
        let copy = tempfile::tempdir().map_err(failed)?;
        let before = looks();
        for (name, _) in names.iter().zip(before).filter(|(_, looks)| looks.is_some()) {
            std::fs::copy(folder.join(name), copy.path().join(name)).map_err(failed)?;
        }
        // Somebody wrote meanwhile: the two files may not belong together.
        if before != looks() {
            return Err(rusqlite::Error::InvalidQuery);
        }
        let mut index = Index::try_open(&copy.path().join(names[0]))?;
        index.copy = Some(copy);
        Ok(index)
    }

    /// An index that lives as long as the process.
    pub fn in_memory() -> SqlResult<Index> {
        let connection = Connection::open_in_memory()?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        connection.execute_batch(TABLES)?;
        connection.execute_batch(shelf::TABLES)?;
        connection.execute_batch(runs::TABLES)?;
        connection.execute_batch(documents::TABLES)?;
        connection.execute_batch(INDEXES)?;
        Ok(Index { connection, own: None, fresh: false, was_damaged: false, copy: None })
    }

    /// Moves what commits left in the write-ahead file into the database when it has grown, and empties it: who opens the index next
    /// reads that file from end to end.
    pub fn tidy(&self, wal: &Path) {
        const WAL_BYTES_MAX: u64 = 4 * 1024 * 1024;
        if std::fs::metadata(wal).is_ok_and(|looks| looks.len() > WAL_BYTES_MAX) {
            // Whoever is reading right now may hold it back; nobody waits for that, the next writer tries again.
            let _ = self.connection.busy_timeout(std::time::Duration::ZERO);
            let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            let _ = self.connection.busy_timeout(BUSY_WAIT);
        }
    }

    /// Says which clone this is. An index made for another one is of no use: the answer is then `false`.
    pub fn set_own(&mut self, own: Option<ReplicaId>) -> SqlResult<bool> {
        let text = own.map(|own| own.to_string()).unwrap_or_default();
        let known = self.meta("own")?.unwrap_or_default();
        if !known.is_empty() && known != text {
            return Ok(false);
        }
        // Frames that were taken in before the clone had its name may be its own: they were not marked so.
        if known != text && self.connection.prepare_cached("SELECT 1 FROM frames LIMIT 1")?.exists([])? {
            return Ok(false);
        }
        if known != text {
            self.set_meta("own", &text)?;
        }
        self.own = own;
        Ok(true)
    }

    /// A remembered word.
    pub fn meta(&self, name: &str) -> SqlResult<Option<String>> {
        self.connection
            .prepare_cached("SELECT value FROM meta WHERE name = ?")?
            .query_row([name], |row| row.get(0))
            .optional()
    }

    /// A digest of all entries as they stand: the same entries give the same one, whatever the order they came in.
    pub fn digest(&self) -> SqlResult<u64> {
        let sql = "SELECT value FROM meta WHERE name = 'digest'";
        let sum: Option<i64> =
            self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
        Ok(sum.unwrap_or(0) as u64)
    }

    /// The latest value of a setting that everybody shares.
    pub fn setting(&self, name: &str) -> SqlResult<Option<String>> {
        let sql = "SELECT s.value FROM settings s JOIN events e ON e.hash = s.hash WHERE s.name = ?
                   ORDER BY s.clock DESC, s.replica DESC, s.hash DESC LIMIT 1";
        self.connection.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()
    }

    /// Entries that are tied to this one from their side: how, and which.
    pub fn tied_to(&self, key: EntryKey) -> SqlResult<Vec<(String, EntryKey)>> {
        let sql = "SELECT relation, source FROM ties WHERE target = ? ORDER BY 1, 2";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map([&key.0[..]], |row| Ok((row.get(0)?, key_column(row, 1)?)))?.collect()
    }

    /// Remembers a word.
    pub fn set_meta(&self, name: &str, value: &str) -> SqlResult<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO meta VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value",
            )?
            .execute(params![name, value])
            .map(drop)
    }

    /// Where a journal was read to, and the generation it had.
    pub fn journal_end(&self, journal: i64) -> SqlResult<(Position, u64)> {
        let text = self.meta(&format!("journal.{journal}"))?;
        let read = text.and_then(|text| serde_json::from_str(&text).ok());
        Ok(read.unwrap_or((Position { segment: 1, offset: 0 }, 0)))
    }

    /// The folders as they were listed last.
    pub fn folders(&self) -> SqlResult<BTreeMap<String, (i64, bool)>> {
        let mut statement = self.connection.prepare_cached("SELECT path, mtime, fresh FROM folders")?;
        statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?.collect()
    }

    /// The files of a folder as they looked when they were read: size, change time, inode.
    pub fn files_in(&self, folder: &str) -> SqlResult<BTreeMap<String, Seen>> {
        let mut statement =
            self.connection.prepare_cached("SELECT path, size, mtime, inode FROM files WHERE folder = ?")?;
        statement
            .query_map([folder], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?
            .collect()
    }

    /// Whether there are more ledger files than some number: cheap enough for every command.
    pub fn has_more_files_than(&self, count: i64) -> SqlResult<bool> {
        self.connection.prepare_cached("SELECT 1 FROM files LIMIT 1 OFFSET ?")?.exists([count])
    }

    /// Whether a folder has folders in it.
    pub fn has_folders_in(&self, folder: &str) -> SqlResult<bool> {
        let sql = "SELECT 1 FROM folders WHERE path > ? AND path < ?";
        self.connection.prepare_cached(sql)?.exists([format!("{folder}/"), format!("{folder}0")])
    }

    /// How many files a folder holds itself.
    pub fn files_in_count(&self, folder: &str) -> SqlResult<i64> {
        self.connection
            .prepare_cached("SELECT count(*) FROM files WHERE folder = ?")?
            .query_row([folder], |row| row.get(0))
    }

    /// Whether a file is known.
    pub fn has_file(&self, path: &str) -> SqlResult<bool> {
        self.connection.prepare_cached("SELECT 1 FROM files WHERE path = ?")?.exists([path])
    }

    /// How a file looked when it was read.
    pub fn file_looks(&self, path: &str) -> SqlResult<Option<Seen>> {
        let sql = "SELECT size, mtime, inode FROM files WHERE path = ?";
        self.connection
            .prepare_cached(sql)?
            .query_row([path], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()
    }

    /// The clock of an entry's latest change.
    pub fn updated(&self, key: EntryKey) -> SqlResult<Option<ken_core::Clock>> {
        let sql = "SELECT updated FROM entries WHERE key = ?";
        let packed: Option<i64> =
            self.connection.prepare_cached(sql)?.query_row([&key.0[..]], |row| row.get(0)).optional()?;
        Ok(packed.map(ken_core::Clock::unpacked))
    }

    /// The files that hold lines of an entry.
    pub fn files_of(&self, key: EntryKey) -> SqlResult<Vec<(String, Seen)>> {
        let sql = "SELECT DISTINCT f.path, f.size, f.mtime, f.inode FROM events e JOIN files f ON f.id = e.file WHERE e.entry = ?";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement
            .query_map([&key.0[..]], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?
            .collect()
    }

    /// Takes in news, refolds what they touch, and says which entries changed. One transaction.
    pub fn take(&mut self, news: News, lines: &dyn Lines) -> SqlResult<Vec<EntryKey>> {
        if !self.fresh {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
        }
        match self.take_inside(news, lines) {
            Ok(changed) => {
                if self.fresh {
                    self.settle()?;
                } else {
                    self.connection.execute_batch("COMMIT")?;
                }
                Ok(changed)
            }
            Err(error) => {
                let _ = self.connection.execute_batch("ROLLBACK");
                Err(error)
            }
        }
    }

    fn take_inside(&mut self, news: News, lines: &dyn Lines) -> SqlResult<Vec<EntryKey>> {
        // Another process may have named the clone since this one opened the index.
        self.own = self.meta("own")?.and_then(|text| text.parse().ok());
        let connection = &self.connection;
        let mut intake = Intake {
            tx: connection,
            own: self.own,
            lines,
            dirty: BTreeSet::new(),
            seen: HashMap::new(),
            heads_moved: false,
            new_heads: Vec::new(),
            sealed: news.sealed.into_iter().map(|event| (event.hash, event)).collect(),
            placed: HashMap::new(),
            framed: HashMap::new(),
            all_expected: self.fresh,
            folded: Vec::new(),
            shelved: BTreeMap::new(),
            digest_moved: 0,
            own_events: news.own,
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
        for path in &news.gone {
            intake.forget_file(path)?;
        }
        for file in news.files.into_iter().flatten() {
            intake.file(file)?;
        }
        for written in news.written {
            intake.written(written)?;
        }
        // When every file told of its events, no frame has more to say.
        let purged = connection.prepare_cached("SELECT 1 FROM purges LIMIT 1")?.exists([])?;
        let all_told = self.fresh && intake.framed.is_empty() && !purged;
        for (id, frame) in frames.into_iter().filter(|_| !all_told) {
            intake.frame(id, frame)?;
        }
        let mut changed = intake.refold()?;
        changed.append(&mut intake.folded);
        intake.settle_shelf()?;
        intake.settle_digest()?;
        let new_heads = std::mem::take(&mut intake.new_heads);
        if intake.heads_moved {
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
        Ok(changed)
    }

    /// Marks every folder as possibly changed: used when git has been at work.
    pub fn distrust_fresh_folders(&self) -> SqlResult<()> {
        self.connection.execute("UPDATE folders SET mtime = -1 WHERE fresh", []).map(drop)
    }

    /// Forgets how the latest files and all folders looked: when a machine stops, a file can keep its looks and lose its bytes.
    pub fn distrust_latest_files(&self) -> SqlResult<()> {
        let sql = "UPDATE files SET mtime = -1 WHERE mtime >= (SELECT max(mtime) FROM files) - ?";
        self.connection.execute(sql, [UNSYNCED_NANOS_MAX])?;
        self.connection.execute("UPDATE folders SET mtime = -1", []).map(drop)
    }

    /// This clone's newest events in this tree: the parents of its next one.
    pub fn heads(&self) -> SqlResult<Vec<EventHash>> {
        if let Some(text) = self.meta("heads")? {
            return Ok(text.split_whitespace().filter_map(|word| word.parse().ok()).collect());
        }
        // Nobody may add an event between counting and remembering.
        let held = Transaction::new_unchecked(&self.connection, rusqlite::TransactionBehavior::Immediate)?;
        let mut all = BTreeSet::new();
        let mut named = HashSet::new();
        {
            let sql = "SELECT hash, parents FROM events WHERE flags & 9 = 8 AND file IS NOT NULL";
            let mut statement = held.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                all.insert(hash(row.get_ref(0)?.as_blob()?));
                if let Some(parents) = row.get_ref(1)?.as_blob_or_null()? {
                    named.extend(parents.chunks_exact(20).map(hash));
                }
            }
        }
        let heads: BTreeSet<EventHash> = all.into_iter().filter(|hash| !named.contains(hash)).collect();
        self.set_meta("heads", &heads_text(&heads))?;
        held.commit()?;
        Ok(heads.into_iter().collect())
    }

    /// An entry's row.
    pub fn stored(&self, key: EntryKey) -> SqlResult<Option<Stored>> {
        let sql = format!("SELECT {COLUMNS} FROM entries WHERE key = ?");
        let found = self
            .connection
            .prepare_cached(&sql)?
            .query_row([&key.0[..]], |row| stored(row, false))
            .optional()?;
        let Some(mut found) = found else { return Ok(None) };
        found.file = self.file_of(key)?;
        Ok(Some(found))
    }

    /// The ledger file that states an entry.
    pub fn file_of(&self, key: EntryKey) -> SqlResult<Option<String>> {
        let sql = "SELECT f.path FROM events e JOIN files f ON f.id = e.file WHERE e.entry = ? AND e.flags & 4 ORDER BY f.path LIMIT 1";
        self.connection.prepare_cached(sql)?.query_row([&key.0[..]], |row| row.get(0)).optional()
    }

    /// An entry's row as it stands in this branch's ledger files.
    pub fn stored_here(&self, key: EntryKey) -> SqlResult<Option<Stored>> {
        let sql = format!("SELECT {COLUMNS} FROM entries WHERE key = ?");
        self.connection.prepare_cached(&sql)?.query_row([&key.0[..]], |row| stored(row, true)).optional()
    }

    /// The entry with a given id, the earliest if there are several.
    pub fn holder(&self, id: &str) -> SqlResult<Option<EntryKey>> {
        let sql = "SELECT key FROM entries WHERE given = ? OR id = ? ORDER BY created LIMIT 1";
        self.connection.prepare_cached(sql)?.query_row([id, id], |row| key_column(row, 0)).optional()
    }

    /// The entry that goes by a merge key, the earliest if there are several.
    pub fn merged(&self, name: &str) -> SqlResult<Option<EntryKey>> {
        let sql = "SELECT key FROM entries WHERE merge_name = ? AND status IN ('candidate', 'active', 'verified') ORDER BY created, key LIMIT 1";
        self.connection.prepare_cached(sql)?.query_row([name], |row| key_column(row, 0)).optional()
    }

    /// Whether some entry has this short citation.
    pub fn handle_taken(&self, handle: &str) -> SqlResult<bool> {
        self.connection.prepare_cached("SELECT 1 FROM entries WHERE handle = ?")?.exists([handle])
    }

    /// The entries that answer to a name; see [`ken_engine::Ledger::resolve`].
    pub fn resolve(&self, name: &str) -> SqlResult<Vec<EntryKey>> {
        let keys = |sql: &str, values: &[&str]| -> SqlResult<Vec<EntryKey>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map(rusqlite::params_from_iter(values), |row| key_column(row, 0))?.collect()
        };
        for column in ["id", "handle"] {
            let exact = keys(&format!("SELECT key FROM entries WHERE {column} = ?"), &[name])?;
            if !exact.is_empty() {
                return Ok(exact);
            }
        }
        if name.chars().count() < ken_core::limits::PREFIX_CHARS_MIN {
            return Ok(Vec::new());
        }
        let end = format!("{name}\u{10ffff}");
        let mut found = BTreeSet::new();
        for column in ["id", "handle"] {
            found.extend(keys(
                &format!("SELECT key FROM entries WHERE {column} >= ? AND {column} < ? LIMIT 20"),
                &[name, &end],
            )?);
        }
        let digits = name.split_once('-').map_or(name, |(_, digits)| digits);
        found.extend(self.keys_with_prefix(digits, name)?);
        Ok(found.into_iter().collect())
    }

    /// Entries whose key begins with some digits; with `L-` or `S-` in front, of that type only.
    fn keys_with_prefix(&self, digits: &str, name: &str) -> SqlResult<Vec<EntryKey>> {
        let letter = name.split_once('-').map(|(letter, _)| letter);
        if !digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            || digits.len() < 4
            || digits.len() > 16
        {
            return Ok(Vec::new());
        }
        let kind = match letter {
            None => None,
            Some("L") => Some("lesson"),
            Some("S") => Some("spike"),
            Some(_) => return Ok(Vec::new()),
        };
        let bound = |fill: char| -> Vec<u8> {
            let text: String = digits.chars().chain(std::iter::repeat(fill)).take(16).collect();
            text.parse::<EntryKey>().map(|key| key.0.to_vec()).unwrap_or_default()
        };
        let sql = "SELECT key FROM entries WHERE key BETWEEN ? AND ? AND (?3 IS NULL OR type = ?3) LIMIT 20";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map(params![bound('0'), bound('f'), kind], |row| key_column(row, 0))?.collect()
    }

    /// The places of an entry's events.
    fn rows_of(&self, key: EntryKey) -> SqlResult<Vec<Row>> {
        rows_of(&self.connection, key)
    }

    /// An entry's events with the ledger file and the branch of each.
    pub fn history(&self, key: EntryKey, lines: &dyn Lines) -> SqlResult<Vec<Placed>> {
        let mut found = Vec::new();
        for row in self.rows_of(key)? {
            if row.flags & STUB != 0 {
                continue;
            }
            let Some(event) = load(&self.connection, lines, &row)? else { continue };
            if purge_counts(&self.connection, self.own, &event)? {
                continue;
            }
            let file = row.file.map(|id| path_of(&self.connection, id)).transpose()?.flatten();
            let sql = "SELECT branch FROM frames WHERE id = ?";
            let branch = match row.frame {
                Some(frame) => {
                    self.connection.prepare_cached(sql)?.query_row([frame], |row| row.get(0)).optional()?
                }
                None => None,
            };
            found.push(Placed { event, file, branch });
        }
        found.sort_by_key(|placed| placed.event.order());
        Ok(found)
    }

    /// Events of the journal that are not in this tree, oldest first. Deferred ones are not meant to be there.
    pub fn absent(&self) -> SqlResult<Vec<Absent>> {
        let sql = "SELECT e.hash, f.branch, f.tree, f.segment, f.start, f.journal FROM events e INDEXED BY events_absent JOIN frames f ON f.id = e.frame
                   WHERE e.file IS NULL AND e.flags & 3 = 0 ORDER BY e.frame";
        let mut statement = self.connection.prepare_cached(sql)?;
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

    /// Events that wait in the journal to be flushed.
    pub fn deferred(&self) -> SqlResult<Vec<EventHash>> {
        let sql = "SELECT hash FROM events INDEXED BY events_deferred
                   WHERE file IS NULL AND flags & 3 = 1 AND frame IS NOT NULL ORDER BY frame";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map([], |row| Ok(hash(row.get_ref(0)?.as_blob()?)))?.collect()
    }

    /// The journal record of an event: its ledger file and its line.
    pub fn frame_of(&self, event: &EventHash) -> SqlResult<Option<(i64, Position, u64)>> {
        let sql = "SELECT f.journal, f.segment, f.start, f.length FROM events e JOIN frames f ON f.id = e.frame WHERE e.hash = ?";
        self.connection
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
        let sql = "SELECT f.branch FROM events e JOIN frames f ON f.id = e.frame WHERE e.hash = ?";
        self.connection.prepare_cached(sql)?.query_row([&event.0[..]], |row| row.get(0)).optional()
    }

    /// The latest frames of this clone's journal, newest first.
    pub fn latest_frames(&self, limit: usize) -> SqlResult<Vec<(i64, Position, u64)>> {
        let mut statement = self
            .connection
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
        let sql = "SELECT file IS NOT NULL FROM events WHERE hash = ?";
        self.connection.prepare_cached(sql)?.query_row([&event.0[..]], |row| row.get(0)).optional()
    }

    /// What could not be read in the ledger files.
    pub fn problems(&self) -> SqlResult<Vec<(String, Problem)>> {
        let sql = "SELECT f.path, p.line, p.kind, p.problem FROM problems p JOIN files f ON f.id = p.file ORDER BY f.path, p.line";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            let kind: String = row.get(2)?;
            Ok((
                row.get(0)?,
                Problem {
                    line: row.get::<_, i64>(1)? as usize,
                    kind: crate::lines::ProblemKind::from_word(&kind),
                    problem: row.get(3)?,
                },
            ))
        })?;
        rows.collect()
    }

    /// How many lines could not be read: cheap enough for every command.
    pub fn problem_count(&self) -> SqlResult<i64> {
        self.connection.prepare_cached("SELECT count(*) FROM problems")?.query_row([], |row| row.get(0))
    }

    /// Every hash that some purge named, whether or not it counts here.
    pub fn purged(&self) -> SqlResult<HashSet<EventHash>> {
        let mut statement = self.connection.prepare_cached("SELECT DISTINCT hash FROM purges")?;
        statement.query_map([], |row| Ok(hash(row.get_ref(0)?.as_blob()?)))?.collect()
    }

    /// Ledger files that may hold the bytes of events that some purge names: git can bring them back.
    pub fn files_with_purged(&self) -> SqlResult<Vec<String>> {
        let sql = "SELECT f.path FROM purges p JOIN events e ON e.hash = p.hash JOIN files f ON f.id = e.file WHERE e.flags & 2 = 0
                   UNION SELECT f.path FROM purges p JOIN doubles d ON d.hash = p.hash JOIN files f ON f.id = d.file";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map([], |row| row.get(0))?.collect()
    }

    /// Whether a purge of this event counts here.
    pub fn purge_counts(&self, event: &Event) -> SqlResult<bool> {
        purge_counts(&self.connection, self.own, event)
    }

    /// One line per entry for the index page: id, then the row.
    pub fn entries_here(&self) -> SqlResult<Vec<Stored>> {
        let sql = format!("SELECT {COLUMNS} FROM entries WHERE here ORDER BY id, key");
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_map([], |row| stored(row, true))?.collect()
    }

    /// Every row in a stable order, to compare two indexes.
    pub fn dump(&self) -> SqlResult<Vec<String>> {
        let mut rows = Vec::new();
        let queries = [
            "SELECT 'entry', hex(key), id, given, handle, type, memory, status, scope, reviewer, created, updated, actor, here, elsewhere, asked, state, state_here FROM entries ORDER BY key",
            "SELECT 'label', label, kind, hex(key) FROM labels ORDER BY 1, 2, 3, 4",
            "SELECT 'event', hex(hash), hex(entry), file IS NOT NULL, frame IS NOT NULL, flags FROM events ORDER BY hash",
            "SELECT 'setting', hex(s.hash), s.name, s.value FROM settings s JOIN events e ON e.hash = s.hash ORDER BY s.hash",
            "SELECT 'tie', hex(source), relation, hex(target) FROM ties ORDER BY 2, 3, 4",
            "SELECT 'digest', value FROM meta WHERE name = 'digest'",
            "SELECT 'words', hex(e.key), hex(d.words), hex(d.text), d.length FROM docs d JOIN entries e ON e.n = d.n ORDER BY e.key",
            "SELECT 'purge', hex(hash), hex(replica) FROM purges ORDER BY 2, 3",
            "SELECT 'run', r.run, r.what, hex(r.hash), r.kind, r.project FROM runs r JOIN events e ON e.hash = r.hash ORDER BY 2, 3, 4",
            "SELECT 'exposure', hex(x.entry), x.run, x.agent, x.how, hex(x.hash) FROM exposures x JOIN events e ON e.hash = x.hash ORDER BY 2, 3, 4, 5, 6",
            "SELECT 'use', hex(u.entry), u.run, hex(u.hash) FROM uses u JOIN events e ON e.hash = u.hash ORDER BY 2, 3, 4",
            "SELECT 'document', d.format, d.root, d.path, hex(d.hash), d.content, d.gone FROM documents d JOIN events e ON e.hash = d.hash ORDER BY 2, 3, 4, 5",
            "SELECT 'home', hex(h.key), hex(h.hash) FROM homes h JOIN events e ON e.hash = h.hash ORDER BY 2, 3",
            "SELECT 'place', path, hex(key) FROM places ORDER BY 2, 3",
            "SELECT 'belief', hex(key), thread, belief FROM entries ORDER BY key",
            "SELECT 'upkeep', hex(key), confirmed, gaps FROM entries ORDER BY key",
        ];
        for sql in queries {
            let mut statement = self.connection.prepare(sql)?;
            let columns = statement.column_count();
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                let cells: Vec<String> = (0..columns)
                    .map(|at| row.get::<_, Sql>(at).map(|cell| format!("{cell:?}")))
                    .collect::<SqlResult<_>>()?;
                rows.push(cells.join(" "));
            }
        }
        Ok(rows)
    }

    /// How many entries of each memory, type and status there are.
    pub fn counts(&self) -> SqlResult<Vec<(String, String, String, i64)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT memory, type, status, count(*) FROM entries GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
        )?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?.collect()
    }

    /// Entries whose purge somebody else asked for.
    pub fn purges_asked(&self) -> SqlResult<Vec<String>> {
        let mut statement =
            self.connection.prepare_cached("SELECT id FROM entries WHERE asked ORDER BY id")?;
        statement.query_map([], |row| row.get(0))?.collect()
    }

    /// Entries that share a given id, by that id.
    pub fn clashes(&self) -> SqlResult<Vec<(String, Vec<String>)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT given, group_concat(id, ' ') FROM (SELECT given, id FROM entries WHERE given IS NOT NULL ORDER BY created, key) GROUP BY given HAVING count(*) > 1",
        )?;
        let rows = statement.query_map([], |row| {
            let ids: String = row.get(1)?;
            Ok((row.get(0)?, ids.split(' ').map(str::to_owned).collect()))
        })?;
        rows.collect()
    }
}

const COLUMNS: &str = "id, here, elsewhere, asked, state, state_here";

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

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

fn hash(bytes: &[u8]) -> EventHash {
    let mut hash = [0; 20];
    hash.copy_from_slice(&bytes[..20]);
    EventHash(hash)
}

fn key_column(row: &rusqlite::Row<'_>, at: usize) -> SqlResult<EntryKey> {
    let mut key = [0; 8];
    key.copy_from_slice(&row.get_ref(at)?.as_blob()?[..8]);
    Ok(EntryKey(key))
}

fn stored(row: &rusqlite::Row<'_>, this_branch: bool) -> SqlResult<Stored> {
    let here_state: Option<String> = if this_branch { row.get(5)? } else { None };
    let state = match here_state {
        Some(text) => text,
        None => row.get(4)?,
    };
    let entry: Entry = serde_json::from_str(&state).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(4, rusqlite::types::Type::Text, error.into())
    })?;
    Ok(Stored {
        entry,
        id: row.get(0)?,
        here: row.get(1)?,
        elsewhere: row.get(2)?,
        purge_asked: row.get(3)?,
        file: None,
        validity: Default::default(),
        overlay: Default::default(),
    })
}

/// Whether a purge of an event counts here: one by its own writer, or by this clone (STO-13).
fn purge_counts(connection: &Connection, own: Option<ReplicaId>, event: &Event) -> SqlResult<bool> {
    let mut statement = connection.prepare_cached("SELECT replica, journal FROM purges WHERE hash = ?")?;
    let mut rows = statement.query([&event.hash.0[..]])?;
    while let Some(row) = rows.next()? {
        let purger = row.get_ref(0)?.as_blob()?;
        // What claims to be this clone's own must be in its journal: anybody can write our name into a file.
        let counts = match own {
            Some(own) if purger == own.0 => row.get(1)?,
            _ => purger == event.replica.0,
        };
        if counts {
            return Ok(true);
        }
    }
    Ok(false)
}

fn path_of(connection: &Connection, file: i64) -> SqlResult<Option<String>> {
    connection
        .prepare_cached("SELECT path FROM files WHERE id = ?")?
        .query_row([file], |row| row.get(0))
        .optional()
}

fn rows_of(connection: &Connection, key: EntryKey) -> SqlResult<Vec<Row>> {
    let mut statement = connection
        .prepare_cached("SELECT hash, file, at, length, frame, flags FROM events WHERE entry = ?")?;
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
