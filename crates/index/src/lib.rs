//! The projection: one row of folded state per entry in SQLite, disposable and rebuilt from the events of a log alone.
//!
//! It knows neither files nor branches. What a log keeps besides, such as where each event lies, is in tables of that log's own in
//! the same database ([`Extension`]); single events are asked of it ([`Source`]).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use ken_core::entry::fold;
use ken_core::event::{Line, Stub};
use ken_core::{Body, Entry, EntryEvent, EntryKey, Event, EventHash, ReplicaId, Type};
use ken_engine::intake::redacted_text;
use ken_engine::{Checkout, Page, Query, Sort, Stored, Topic};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, params};

pub mod checking;
mod documents;
mod error;
mod glance;
mod ground;
mod intake;
pub mod judgements;
mod limits;
mod list;
mod merges;
pub mod past;
mod projection;
mod refold;
mod rows;
mod runs;
mod shelf;
mod standing;
mod upkeep;
pub mod vectors;

pub use self::error::{classified, index_error};
use self::intake::Anywhere;
pub use self::intake::{Folded, Intake, Source, Standing, flags_of};
pub use self::limits::ROWS_WAITING_MAX;
use self::limits::{
    CACHE_KIB, HASHED_BYTES, LARGE_WRITE_EVENTS_MIN, PREFIX_MATCHES_MAX, SORTERS, SPILL_PAGES,
    UNNAMED_CACHE_KIB, WAL_BYTES_MAX, WAL_BYTES_SMALL_WRITE_MAX,
};
pub use self::projection::{Base, Caches, KeepsVectors, LogOrder, Projected, says};
pub use self::rows::insert_many;
pub use self::shelf::{SqlTextIndex, Unembedded};
pub use self::standing::{Author, Statement};

/// Raised whenever the tables change: an index of another number is thrown away.
///
/// The version of the scanner belongs to it: rows hold what it said, so a newer one looks at everything again before anything is
/// handed out (IN-1).
const SCHEMA: i64 = 31;

const TABLES: &str = "
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE events(hash BLOB PRIMARY KEY, entry BLOB, flags INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE purges(hash BLOB NOT NULL, replica BLOB NOT NULL, journal INTEGER NOT NULL, said_in BLOB NOT NULL, PRIMARY KEY(hash, said_in)) WITHOUT ROWID;
CREATE TABLE entries(n INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, id TEXT NOT NULL, given TEXT, handle TEXT, type TEXT NOT NULL,
  memory TEXT NOT NULL, status TEXT NOT NULL, scope TEXT NOT NULL, reviewer TEXT, created INTEGER NOT NULL, stated INTEGER NOT NULL, updated INTEGER NOT NULL, changed INTEGER NOT NULL, latest INTEGER NOT NULL,
  actor TEXT NOT NULL, origin BLOB NOT NULL, asked INTEGER NOT NULL, digest INTEGER NOT NULL, merge_name TEXT, ground TEXT NOT NULL, thread TEXT, belief TEXT NOT NULL,
  confirmed INTEGER, gaps INTEGER NOT NULL, title TEXT NOT NULL, glance TEXT NOT NULL);
CREATE TABLE states(n INTEGER PRIMARY KEY, state TEXT NOT NULL);
CREATE TABLE standing(key BLOB PRIMARY KEY, here INTEGER NOT NULL, elsewhere INTEGER NOT NULL, state TEXT) WITHOUT ROWID;
CREATE INDEX entries_by_given ON entries(given) WHERE given IS NOT NULL;
CREATE INDEX entries_by_merge_name ON entries(merge_name) WHERE merge_name IS NOT NULL;
CREATE TABLE settings(hash BLOB PRIMARY KEY, name TEXT NOT NULL, clock INTEGER NOT NULL, replica BLOB NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE ties(source BLOB NOT NULL, relation TEXT NOT NULL, target BLOB NOT NULL, PRIMARY KEY(target, relation, source)) WITHOUT ROWID;
CREATE TABLE promotions(promotion TEXT NOT NULL, hash BLOB NOT NULL, clock INTEGER NOT NULL, PRIMARY KEY(promotion, hash)) WITHOUT ROWID;
CREATE TABLE merges(absorbed BLOB PRIMARY KEY, kept BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX merges_by_kept ON merges(kept);
CREATE TABLE labels(label TEXT NOT NULL, kind INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY(label, kind, key)) WITHOUT ROWID;
";

/// Caches last when an index is made anew: it is faster to sort once than to insert in order.
const INDEXES: &str = "
CREATE INDEX IF NOT EXISTS events_by_entry ON events(entry);
CREATE INDEX entries_by_id ON entries(id);
CREATE INDEX entries_by_handle ON entries(handle) WHERE handle IS NOT NULL;
CREATE INDEX entries_by_changed ON entries(changed);
CREATE INDEX entries_by_status ON entries(status, asked, memory, type, scope, thread);
CREATE INDEX entries_asked ON entries(asked) WHERE asked > 0;
CREATE INDEX entries_by_author ON entries(actor, origin, status);
CREATE INDEX labels_by_key ON labels(key);
CREATE INDEX ties_by_source ON ties(source);
CREATE INDEX runs_by_clock ON runs(what, clock, kind);
CREATE INDEX exposures_by_clock ON exposures(clock);
";

/// How long somebody waits for another writer before it is an error.
const BUSY_WAIT: std::time::Duration = std::time::Duration::from_secs(60);

/// More statements than this file has: preparing one costs more than running it.
const STATEMENTS_MAX: usize = 192;

/// Set on an event that waits in the journal until it is flushed.
pub const DEFERRED: i64 = 1;
/// Set on what a purge left.
pub const STUB: i64 = 2;
/// Set on the first statement of an entry.
pub const ADDED: i64 = 4;
/// Set on an event of this clone.
pub const OWN: i64 = 8;

/// What a log keeps beside the projection, in the same database and the same transactions.
#[derive(Clone, Copy)]
pub struct Extension {
    /// Raised whenever its tables change: an index of another number is thrown away.
    pub schema: i64,
    pub tables: &'static str,
    /// Its indexes, made last when an index is made anew.
    pub indexes: &'static str,
}

impl Extension {
    /// For a log that keeps nothing there.
    pub const NONE: Extension = Extension { schema: 0, tables: "", indexes: "" };

    /// The version of scanner, projection and extension: an index of another one is thrown away.
    fn version(&self) -> i64 {
        (SCHEMA * 100 + self.schema) * 10_000 + i64::from(ken_guard::SCANNER)
    }

    fn make_tables(&self, connection: &Connection) -> SqlResult<()> {
        let all = [TABLES, shelf::TABLES, runs::TABLES, documents::TABLES, self.tables];
        all.iter().try_for_each(|tables| connection.execute_batch(tables))
    }

    fn make_indexes(&self, connection: &Connection) -> SqlResult<()> {
        [INDEXES, self.indexes].iter().try_for_each(|indexes| connection.execute_batch(indexes))
    }
}

/// The projection of one log.
pub struct Index {
    connection: Connection,
    extension: Extension,
    /// The replicas whose events are this log's own: that of a clone, or those of all nodes of a workspace.
    own: Vec<ReplicaId>,
    /// Being made: everything so far is one open transaction that nobody else can see.
    fresh: bool,
    /// Has no name, and is only compared with another: nothing is looked up in it.
    is_unnamed: bool,
    /// It takes the place of one that could not be read.
    was_damaged: bool,
    /// The folder of a copy, which goes with it.
    copy: Option<tempfile::TempDir>,
    /// Whether its texts can be searched.
    is_searched: bool,
}

type SqlResult<T> = rusqlite::Result<T>;

impl Index {
    /// An index over a connection, before anything is known about its contents.
    fn over(connection: Connection, extension: Extension) -> Index {
        Index {
            connection,
            extension,
            own: Vec::new(),
            fresh: false,
            is_unnamed: false,
            was_damaged: false,
            copy: None,
            is_searched: true,
        }
    }

    /// Opens the index in a folder, and rebuilds it when it is missing, damaged or of another version.
    pub fn open(folder: &Path, extension: Extension) -> SqlResult<Index> {
        std::fs::create_dir_all(folder)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        let path = folder.join("knowledge.db");
        match Index::try_open(&path, extension) {
            Ok(index) => Ok(index),
            Err(error) if is_busy(&error) => Err(error),
            Err(error) => {
                Index::discard(folder);
                let mut index = Index::try_open(&path, extension)?;
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

    fn try_open(path: &Path, extension: Extension) -> SqlResult<Index> {
        let connection = Connection::open(path)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        connection.busy_timeout(BUSY_WAIT)?;
        connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        plan_once(&connection)?;
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version != 0 && version != extension.version() {
            return Err(rusqlite::Error::InvalidQuery);
        }
        // A transaction may hold more in memory than is kept after it.
        connection.execute_batch(&format!(
            "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-{CACHE_KIB}; PRAGMA cache_spill={SPILL_PAGES}; PRAGMA secure_delete=ON"
        ))?;
        let mut index = Index::over(connection, extension);
        if version == 0 {
            // Making an index costs no sync and no journal: a half-made one is thrown away like any other damage.
            index.connection.execute_batch(&format!(
                "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF; PRAGMA threads={SORTERS}; PRAGMA secure_delete=OFF; BEGIN EXCLUSIVE"
            ))?;
            let made: i64 = index.connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            if made == 0 {
                extension.make_tables(&index.connection)?;
                index.fresh = true;
                return Ok(index);
            }
            // Somebody else made it while we waited.
            index.connection.execute_batch("COMMIT; PRAGMA secure_delete=ON")?;
        }
        index.set_modes()?;
        // A file that is no database, or a database without our tables, shows itself here.
        index.connection.query_row("SELECT count(*) FROM meta", [], |_| Ok(()))?;
        Ok(index)
    }

    fn set_modes(&self) -> SqlResult<()> {
        self.patiently(&format!(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit={WAL_BYTES_MAX}"
        ))
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

    /// Leaves out what only a search needs, for an index that is compared and listed and never searched.
    pub fn leave_unsearched(&mut self) {
        self.is_searched = false;
    }

    /// The entry that this index folded from exactly these events; none where it knows more of them, fewer, or other ones.
    pub fn folded_from(&self, key: EntryKey, events: &[EventHash]) -> SqlResult<Option<Entry>> {
        let known: HashSet<EventHash> = self.events_of(key)?.into_iter().collect();
        if known.len() != events.len() || !events.iter().all(|hash| known.contains(hash)) {
            return Ok(None);
        }
        let state: Option<String> = self
            .connection
            .prepare_cached(
                "SELECT s.state FROM entries e JOIN states s ON s.n = e.n WHERE e.key = ? AND NOT e.asked",
            )?
            .query_row([&key.0[..]], |row| row.get(0))
            .optional()?;
        // What depends on other entries is settled anew.
        let is_alone = |entry: &Entry| entry.merged_into.is_none() && entry.pool.is_empty();
        Ok(state.and_then(|state| serde_json::from_str(&state).ok()).filter(is_alone))
    }

    /// Holds still what this connection sees: one moment of the index, until [`Index::end_read`], whatever others write meanwhile.
    pub fn begin_read(&self) -> SqlResult<()> {
        self.connection.execute_batch("BEGIN")?;
        let begun = self.connection.execute_batch("SELECT count(*) FROM meta");
        if begun.is_err() {
            self.end_read();
        }
        begun
    }

    /// Goes on with the newest state.
    pub fn end_read(&self) {
        // It read only: there is nothing that could fail to be kept.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    /// The clone this index was made for.
    pub fn own(&self) -> SqlResult<Option<ReplicaId>> {
        Ok(self.all_own()?.first().copied())
    }

    /// Looks again which replicas are this log's own: another connection may have added one.
    pub fn read_own(&mut self) -> SqlResult<()> {
        self.own = self.all_own()?;
        Ok(())
    }

    fn all_own(&self) -> SqlResult<Vec<ReplicaId>> {
        let text = self.meta("own")?.unwrap_or_default();
        Ok(text.split_whitespace().filter_map(|replica| replica.parse().ok()).collect())
    }

    /// Finishes making an index, so that others can use it. Does nothing to a finished one.
    pub fn settle(&mut self) -> SqlResult<()> {
        if self.fresh && self.is_unnamed {
            self.connection.execute_batch("COMMIT")?;
            self.fresh = false;
        } else if self.fresh {
            self.extension.make_indexes(&self.connection)?;
            let version = self.extension.version();
            // Last of all: who is killed while pages are written leaves an index of no version, which nobody takes for a whole one.
            self.connection.execute_batch(&format!("COMMIT; PRAGMA user_version={version}"))?;
            self.fresh = false;
            // The write-ahead file begins with this word, so that the first real write need not sync its beginning.
            self.patiently("PRAGMA secure_delete=ON; PRAGMA synchronous=OFF; PRAGMA journal_mode=WAL")?;
            self.set_meta("made", "whole")?;
            self.set_modes()?;
        }
        Ok(())
    }

    /// The connection, for what a log keeps beside the projection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Whether it takes the place of one that could not be read.
    pub fn was_damaged(&self) -> bool {
        self.was_damaged
    }

    /// Does some writes, all of them or none: in a transaction of their own, or as a part of one that is under way.
    fn at_once<T>(&self, write: impl FnOnce() -> SqlResult<T>) -> SqlResult<T> {
        let (begin, keep, undo) = match self.connection.is_autocommit() {
            true => ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"),
            false => ("SAVEPOINT part", "RELEASE part", "ROLLBACK TO part; RELEASE part"),
        };
        self.connection.execute_batch(begin)?;
        let done = write().and_then(|done| self.connection.execute_batch(keep).map(|()| done));
        if done.is_err() {
            // SQLite may have ended the transaction itself.
            let _ = self.connection.execute_batch(undo);
        }
        done
    }

    /// Begins the one transaction of an update. Waits for whoever writes.
    pub fn begin_write(&mut self) -> SqlResult<()> {
        if !self.fresh {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
        }
        // Another process may have named the clone since this one opened the index.
        let read = self.read_own();
        if read.is_err() {
            self.abandon_write();
        }
        read
    }

    /// The same, unless somebody else is writing: then it says so at once, and nothing has begun.
    pub fn begin_write_if_free(&mut self) -> SqlResult<bool> {
        self.connection.busy_timeout(std::time::Duration::ZERO)?;
        let begun = self.begin_write();
        self.connection.busy_timeout(BUSY_WAIT)?;
        match begun {
            Ok(()) => Ok(true),
            Err(error) if is_busy(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Keeps what was written since [`Index::begin_write`].
    pub fn end_write(&mut self) -> SqlResult<()> {
        let kept = if self.fresh { self.settle() } else { self.connection.execute_batch("COMMIT") };
        if kept.is_err() {
            self.abandon_write();
        }
        kept
    }

    /// Leaves everything as it was before [`Index::begin_write`].
    pub fn abandon_write(&mut self) {
        // SQLite may have ended the transaction itself.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    /// A copy of the index in a folder, for who may not write there: it lies in the machine's folder for such things, catches up
    /// like any other, and goes when it is no longer needed.
    pub fn copied(folder: &Path, extension: Extension) -> SqlResult<Index> {
        let failed = |error: std::io::Error| rusqlite::Error::ToSqlConversionFailure(error.into());
        let names = ["knowledge.db", "knowledge.db-wal"];
        let looks = || {
            names.map(|name| std::fs::metadata(folder.join(name)).map(|l| (l.len(), l.modified().ok())).ok())
        };
        let copy = tempfile::tempdir().map_err(failed)?;
        let before = looks();
        for (name, _) in names.iter().zip(before).filter(|(_, looks)| looks.is_some()) {
            // Not as it may be written there: the copy is this process's own.
            let mut from = std::fs::File::open(folder.join(name)).map_err(failed)?;
            let mut to = std::fs::File::create(copy.path().join(name)).map_err(failed)?;
            std::io::copy(&mut from, &mut to).map_err(failed)?;
        }
        // Somebody wrote meanwhile: the two files may not belong together.
        if before != looks() {
            return Err(rusqlite::Error::InvalidQuery);
        }
        let mut index = Index::try_open(&copy.path().join(names[0]), extension)?;
        index.copy = Some(copy);
        Ok(index)
    }

    /// An index that lives as long as the process.
    pub fn in_memory(extension: Extension) -> SqlResult<Index> {
        Index::with_tables(Connection::open_in_memory()?, extension)
    }

    /// An index that is only compared with another, in a file without a name: however large it is, little of it is in memory.
    pub fn unnamed(extension: Extension) -> SqlResult<Index> {
        // SQLite's word for such a file.
        let connection = Connection::open("")?;
        connection.execute_batch(&format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -{UNNAMED_CACHE_KIB}; BEGIN EXCLUSIVE"
        ))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        plan_once(&connection)?;
        extension.make_tables(&connection)?;
        Ok(Index { fresh: true, is_unnamed: true, ..Index::over(connection, extension) })
    }

    fn with_tables(connection: Connection, extension: Extension) -> SqlResult<Index> {
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        plan_once(&connection)?;
        extension.make_tables(&connection)?;
        extension.make_indexes(&connection)?;
        Ok(Index::over(connection, extension))
    }

    /// Moves what commits left in the write-ahead file into the database when it has grown, and empties it: who opens the index next
    /// reads that file from end to end. A write of a few events leaves it to larger ones for a while.
    pub fn tidy(&self, wal: &Path, written: usize) {
        let most = if written < LARGE_WRITE_EVENTS_MIN { WAL_BYTES_SMALL_WRITE_MAX } else { WAL_BYTES_MAX };
        if std::fs::metadata(wal).is_ok_and(|looks| looks.len() > most) {
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
        if known != text {
            self.set_meta("own", &text)?;
        }
        self.own = own.into_iter().collect();
        Ok(true)
    }

    /// Adds a replica whose events are this log's own, for a log that several write as one. Called before its first event is told.
    pub fn add_own(&mut self, replica: ReplicaId) -> SqlResult<()> {
        if self.own.contains(&replica) {
            return Ok(());
        }
        self.own.push(replica);
        let all: Vec<String> = self.own.iter().map(ReplicaId::to_string).collect();
        self.set_meta("own", &all.join(" "))
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

    /// How many entries stand otherwise than their events say, and how many of them are in the subset: it changes with that.
    pub fn standing_otherwise(&self) -> SqlResult<(i64, i64)> {
        let sql = "SELECT count(*), coalesce(sum(here), 0) FROM standing";
        self.connection.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
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

    /// The latest clock of what was said about something.
    pub fn latest_clock(&self, topic: &Topic) -> SqlResult<Option<ken_core::Clock>> {
        let one = |sql: &str, name: &dyn rusqlite::ToSql| -> SqlResult<Option<i64>> {
            self.connection
                .prepare_cached(sql)?
                .query_row([name], |row| row.get(0))
                .optional()
                .map(Option::flatten)
        };
        let packed = match topic {
            Topic::Document(name) => return self.document_clock(name),
            Topic::Entry(key) => one("SELECT latest FROM entries WHERE key = ?", &&key.0[..])?,
            Topic::Setting(name) => {
                one("SELECT max(clock) FROM settings WHERE name = ?", &redacted_text(name))?
            }
            Topic::Promotion(name) => {
                one("SELECT max(clock) FROM promotions WHERE promotion = ?", &redacted_text(name))?
            }
            Topic::Run(run) => {
                let run = redacted_text(run);
                let said = one("SELECT max(clock) FROM runs WHERE run = ?", &run)?;
                // Its rows lie together; SQLite would rather walk all exposures from the latest on.
                let shown = one("SELECT max(+clock) FROM exposures WHERE run = ?", &run)?;
                said.max(shown)
            }
        };
        Ok(packed.map(ken_core::Clock::unpacked))
    }

    /// Events that are dated after a clock, by hash, and the entries that have some.
    pub fn dated_after(&self, clock: ken_core::Clock) -> SqlResult<(Vec<EntryKey>, Vec<EventHash>)> {
        let after = clock.packed();
        let mut statement =
            self.connection.prepare_cached("SELECT key FROM entries WHERE latest > ? ORDER BY key")?;
        let keys = statement.query_map([after], |row| key_column(row, 0))?.collect::<SqlResult<_>>()?;
        let sql = "SELECT hash FROM settings WHERE clock > ?1 UNION SELECT hash FROM promotions WHERE clock > ?1
                   UNION SELECT hash FROM runs WHERE clock > ?1 UNION SELECT hash FROM exposures WHERE clock > ?1
                   UNION SELECT hash FROM documents WHERE clock > ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let hashes = statement.query_map([after], |row| hash_column(row, 0))?.collect::<SqlResult<_>>()?;
        Ok((keys, hashes))
    }

    /// The events of an entry, without what was merely noticed.
    pub fn stated_of(&self, key: EntryKey) -> SqlResult<Vec<EventHash>> {
        let sql = "SELECT hash FROM events WHERE entry = ? AND flags & 1 = 0";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map([&key.0[..]], |row| hash_column(row, 0))?.collect()
    }

    /// The events of an entry of which more than a stub is left.
    pub fn events_of(&self, key: EntryKey) -> SqlResult<Vec<EventHash>> {
        let sql = "SELECT hash FROM events WHERE entry = ? AND flags & 2 = 0";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map([&key.0[..]], |row| hash_column(row, 0))?.collect()
    }

    /// Whether there is an entry that nobody asked to purge.
    pub fn has_entry(&self, key: EntryKey) -> SqlResult<bool> {
        let sql = "SELECT 1 FROM entries WHERE key = ? AND NOT asked";
        self.connection.prepare_cached(sql)?.exists([&key.0[..]])
    }

    /// An entry's row.
    pub fn stored(&self, key: EntryKey) -> SqlResult<Option<Stored>> {
        let sql = format!("SELECT {COLUMNS} FROM entries WHERE key = ?");
        let found = self
            .connection
            .prepare_cached(&sql)?
            .query_row([&key.0[..]], |row| stored(row, false))
            .optional()?;
        Ok(found)
    }

    /// An entry's row as it stands in the subset that the log keeps.
    pub fn stored_here(&self, key: EntryKey) -> SqlResult<Option<Stored>> {
        let sql = format!("SELECT {COLUMNS} FROM entries WHERE key = ?");
        self.connection.prepare_cached(&sql)?.query_row([&key.0[..]], |row| stored(row, true)).optional()
    }

    /// The entry with a given id, the earliest if there are several.
    pub fn holder(&self, id: &str) -> SqlResult<Option<EntryKey>> {
        let sql = "SELECT key FROM entries WHERE given = ? OR id = ? ORDER BY created LIMIT 1";
        let given =
            self.connection.prepare_cached(sql)?.query_row([id, id], |row| key_column(row, 0)).optional()?;
        match given {
            Some(key) => Ok(Some(key)),
            None => Ok(self.called(id)?.into_iter().next()),
        }
    }

    /// Entries that another clone gave this id when it stated the same, or that had none and were called by type and key (COR-18).
    fn called(&self, alias: &str) -> SqlResult<Vec<EntryKey>> {
        if let Some((kind, key)) = alias.rsplit_once('.')
            && let Ok(key) = key.parse::<EntryKey>()
        {
            let sql = "SELECT 1 FROM entries WHERE key = ? AND type = ?";
            if self.connection.prepare_cached(sql)?.exists(params![&key.0[..], kind])? {
                return Ok(vec![key]);
            }
        }
        let sql = "SELECT key FROM labels WHERE label = ? AND kind = ? ORDER BY key";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map(rusqlite::params![alias, intake::ALIAS], |row| key_column(row, 0))?.collect()
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

    /// The entries that answer to a name; see [`ken_engine::Entries::resolve`].
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
        let aliased = self.called(name)?;
        if !aliased.is_empty() {
            return Ok(aliased);
        }
        if name.chars().count() < ken_core::limits::PREFIX_CHARS_MIN {
            return Ok(Vec::new());
        }
        let end = format!("{name}\u{10ffff}");
        let mut found = BTreeSet::new();
        for column in ["id", "handle"] {
            found.extend(keys(
                &format!(
                    "SELECT key FROM entries WHERE {column} >= ? AND {column} < ? LIMIT {PREFIX_MATCHES_MAX}"
                ),
                &[name, &end],
            )?);
        }
        let digits = name.split_once('-').map_or(name, |(_, digits)| digits);
        found.extend(self.keys_with_prefix(digits, name)?);
        Ok(found.into_iter().collect())
    }

    /// Reads the whole table for a name that [`resolve`](Self::resolve) did not find: a damaged page of an SQL index may have lost it.
    pub fn confirm_absent(&self, name: &str) -> SqlResult<()> {
        let sql = "SELECT 1 FROM entries NOT INDEXED WHERE id = ?1 OR handle = ?1";
        if self.connection.prepare_cached(sql)?.exists([name])? { Err(damaged(0)) } else { Ok(()) }
    }

    /// Entries whose key begins with some digits; with a letter such as `L-` in front, of that type only.
    fn keys_with_prefix(&self, digits: &str, name: &str) -> SqlResult<Vec<EntryKey>> {
        let letter = name.split_once('-').map(|(letter, _)| letter);
        if !digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            || digits.len() < 4
            || digits.len() > 16
        {
            return Ok(Vec::new());
        }
        let is_of = |kind: &Type, letter: &str| letter.chars().eq([kind.handle_letter()]);
        let kinds: Vec<&str> = match letter {
            None => Vec::new(),
            Some(letter) => {
                Type::ALL.iter().filter(|kind| is_of(kind, letter)).map(|kind| kind.word()).collect()
            }
        };
        if letter.is_some() && kinds.is_empty() {
            return Ok(Vec::new());
        }
        let bound = |fill: char| -> Vec<u8> {
            let text: String = digits.chars().chain(std::iter::repeat(fill)).take(16).collect();
            text.parse::<EntryKey>().map(|key| key.0.to_vec()).unwrap_or_default()
        };
        let sql = "SELECT key, type FROM entries WHERE key BETWEEN ? AND ?";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![bound('0'), bound('f')], |row| {
            Ok((key_column(row, 0)?, kinds.is_empty() || kinds.contains(&row.get_ref(1)?.as_str()?)))
        })?;
        let meant = rows.filter_map(|row| row.map(|(key, is_meant)| is_meant.then_some(key)).transpose());
        meant.take(PREFIX_MATCHES_MAX).collect()
    }

    /// Every hash that some purge named, whether or not it counts here.
    pub fn purged(&self) -> SqlResult<HashSet<EventHash>> {
        let mut statement = self.connection.prepare_cached("SELECT DISTINCT hash FROM purges")?;
        statement.query_map([], |row| Ok(hash(row.get_ref(0)?.as_blob()?)))?.collect()
    }

    /// Whether anything was purged, here or by a peer.
    pub fn has_purges(&self) -> SqlResult<bool> {
        self.connection.prepare_cached("SELECT 1 FROM purges LIMIT 1")?.exists([])
    }

    /// Whether some purge names this event.
    pub fn has_purge_of(&self, hash: &EventHash) -> SqlResult<bool> {
        self.connection.prepare_cached("SELECT 1 FROM purges WHERE hash = ?")?.exists([&hash.0[..]])
    }

    /// Whether a purge of this event counts here.
    pub fn purge_counts(&self, event: &Event) -> SqlResult<bool> {
        purge_counts(&self.connection, &self.own, event)
    }

    /// One line per entry for the index page: id, then the row.
    pub fn entries_here(&self) -> SqlResult<Vec<Stored>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM entries WHERE NOT EXISTS (SELECT 1 FROM standing s WHERE s.key = entries.key AND NOT s.here) ORDER BY id, key"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_map([], |row| stored(row, true))?.collect()
    }

    /// Every row in a stable order, to compare two indexes. What a log keeps besides is left out.
    pub fn dump(&self) -> SqlResult<Vec<String>> {
        self.rows(DUMP)
    }

    /// A hash of those rows: two indexes with the same one have the same rows.
    pub fn rows_hash(&self) -> SqlResult<[u8; 32]> {
        self.hash_of_rows(DUMP)
    }

    /// A hash of the rows that some queries give.
    pub fn hash_of_rows(&self, queries: &[&str]) -> SqlResult<[u8; 32]> {
        use rusqlite::types::ValueRef;
        let mut all = blake3::Hasher::new();
        // BLAKE3 is fast only on long inputs.
        let mut piece = Vec::with_capacity(HASHED_BYTES * 2);
        for sql in queries {
            let mut statement = self.connection.prepare(sql)?;
            let columns = statement.column_count();
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                for at in 0..columns {
                    let (kind, number, bytes): (u8, [u8; 8], &[u8]) = match row.get_ref(at)? {
                        ValueRef::Null => (0, [0; 8], &[]),
                        ValueRef::Integer(number) => (1, number.to_le_bytes(), &[]),
                        ValueRef::Real(number) => (2, number.to_le_bytes(), &[]),
                        ValueRef::Text(text) => (3, (text.len() as u64).to_le_bytes(), text),
                        ValueRef::Blob(bytes) => (4, (bytes.len() as u64).to_le_bytes(), bytes),
                    };
                    piece.push(kind);
                    piece.extend_from_slice(&number);
                    piece.extend_from_slice(bytes);
                }
                if piece.len() >= HASHED_BYTES {
                    all.update(&piece);
                    piece.clear();
                }
            }
            // Where one query ends and the next begins.
            piece.push(5);
        }
        all.update(&piece);
        Ok(*all.finalize().as_bytes())
    }

    /// In how many of those rows another index differs.
    pub fn apart_from(&self, other: &Index) -> SqlResult<usize> {
        self.rows_apart(other, DUMP)
    }

    /// The rows that some queries give, as text.
    pub fn rows(&self, queries: &[&str]) -> SqlResult<Vec<String>> {
        let mut rows = Vec::new();
        for sql in queries {
            let mut statement = self.connection.prepare(sql)?;
            let columns = statement.column_count();
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                rows.push(shown(row, columns)?);
            }
        }
        Ok(rows)
    }

    /// In how many rows two indexes differ, as some queries give them: both are read side by side, and neither is held.
    pub fn rows_apart(&self, other: &Index, queries: &[&str]) -> SqlResult<usize> {
        let mut apart = 0;
        for sql in queries {
            let mut statements = [self.connection.prepare(sql)?, other.connection.prepare(sql)?];
            let columns = statements[0].column_count();
            let [one, two] = &mut statements;
            let (mut one, mut two) = (one.query([])?, two.query([])?);
            loop {
                match (one.next()?, two.next()?) {
                    (None, None) => break,
                    (Some(one), Some(two)) => {
                        let mut is_same = true;
                        for at in 0..columns {
                            is_same &= one.get_ref(at)? == two.get_ref(at)?;
                        }
                        apart += usize::from(!is_same);
                    }
                    (Some(_), None) | (None, Some(_)) => apart += 1,
                }
            }
        }
        Ok(apart)
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
            self.connection.prepare_cached("SELECT id FROM entries WHERE asked > 0 ORDER BY id")?;
        statement.query_map([], |row| row.get(0))?.collect()
    }

    /// Entries that stand otherwise in the subset than their events say.
    pub fn standing_keys(&self) -> SqlResult<Vec<EntryKey>> {
        let mut statement = self.connection.prepare_cached("SELECT key FROM standing")?;
        statement.query_map([], |row| key_column(row, 0))?.collect()
    }

    /// Entries that stand for others, and those that others stand for.
    pub fn merged_keys(&self) -> SqlResult<Vec<EntryKey>> {
        let sql = "SELECT absorbed FROM merges UNION SELECT kept FROM merges";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map([], |row| key_column(row, 0))?.collect()
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

/// Most entries have no row in `standing`: they are here, with all their events.
const COLUMNS: &str = "id, ifnull((SELECT here FROM standing s WHERE s.key = entries.key), 1), \
    ifnull((SELECT elsewhere FROM standing s WHERE s.key = entries.key), 0), asked, \
    (SELECT t.state FROM states t WHERE t.n = entries.n), (SELECT s.state FROM standing s WHERE s.key = entries.key), digest, status, key, type, memory, actor, origin";

/// A statement that is kept is planned once, and not anew for every value.
fn plan_once(connection: &Connection) -> SqlResult<()> {
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

/// The hash in a column.
pub fn hash(bytes: &[u8]) -> EventHash {
    let mut hash = [0; 20];
    hash.copy_from_slice(&bytes[..20]);
    EventHash(hash)
}

fn hash_column(row: &rusqlite::Row<'_>, at: usize) -> SqlResult<EventHash> {
    Ok(hash(row.get_ref(at)?.as_blob()?))
}

/// The key of an entry in a column.
pub fn key_column(row: &rusqlite::Row<'_>, at: usize) -> SqlResult<EntryKey> {
    let mut key = [0; 8];
    key.copy_from_slice(&row.get_ref(at)?.as_blob()?[..8]);
    Ok(EntryKey(key))
}

/// Every row that events alone make, in a stable order.
const DUMP: &[&str] = &[
    "SELECT 'entry', key, id, given, handle, type, memory, status, scope, reviewer, created, stated, updated, changed, actor, origin, asked, (SELECT t.state FROM states t WHERE t.n = entries.n) FROM entries ORDER BY key",
    "SELECT 'shown', key, title, ground, glance, merge_name, latest, digest FROM entries ORDER BY key",
    "SELECT 'merge', absorbed, kept FROM merges ORDER BY absorbed",
    "SELECT 'label', label, kind, key FROM labels ORDER BY 1, 2, 3, 4",
    "SELECT 'event', hash, entry, flags FROM events ORDER BY hash",
    "SELECT 'setting', s.hash, s.name, s.value FROM settings s JOIN events e ON e.hash = s.hash ORDER BY s.hash",
    "SELECT 'tie', source, relation, target FROM ties ORDER BY 2, 3, 4",
    "SELECT 'digest', value FROM meta WHERE name = 'digest'",
    "SELECT 'words', e.key, d.words, d.text, d.length FROM docs d JOIN entries e ON e.n = d.n ORDER BY e.key",
    "SELECT DISTINCT 'purge', hash, replica FROM purges ORDER BY 2, 3",
    "SELECT 'run', r.run, r.what, r.hash, r.kind, r.project FROM runs r JOIN events e ON e.hash = r.hash ORDER BY 2, 3, 4",
    "SELECT 'exposure', x.run, x.hash, x.agent, x.how, x.actor, x.shown, x.summary FROM exposures x JOIN events e ON e.hash = x.hash ORDER BY 2, 3",
    "SELECT 'use', u.entry, u.run, u.hash FROM uses u JOIN events e ON e.hash = u.hash ORDER BY 2, 3, 4",
    "SELECT 'document', d.format, d.root, d.path, d.hash, d.content, d.gone FROM documents d JOIN events e ON e.hash = d.hash ORDER BY 2, 3, 4, 5",
    "SELECT 'home', h.key, h.hash FROM homes h JOIN events e ON e.hash = h.hash ORDER BY 2, 3",
    "SELECT 'place', path, key FROM places ORDER BY 2, 3",
    "SELECT 'belief', key, thread, belief FROM entries ORDER BY key",
    "SELECT 'upkeep', key, confirmed, gaps FROM entries ORDER BY key",
];

/// A row as text.
fn shown(row: &rusqlite::Row<'_>, columns: usize) -> SqlResult<String> {
    let cells: Vec<String> = (0..columns)
        .map(|at| {
            row.get::<_, Sql>(at).map(|cell| match cell {
                Sql::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
                Sql::Null | Sql::Integer(_) | Sql::Real(_) | Sql::Text(_) => format!("{cell:?}"),
            })
        })
        .collect::<SqlResult<_>>()?;
    Ok(cells.join(" "))
}

/// What a row's state is known by: everything but the count of events, which comes last in the text. It grows when an entry is read, and
/// reading changes nothing.
fn digest_of(state: &str) -> u64 {
    let said = state.rfind("\"events\":").map_or(state, |end| &state[..end]);
    let mut digest = [0; 8];
    digest.copy_from_slice(&blake3::hash(said.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(digest)
}

/// What to say of a row that does not hold what was written to it.
fn damaged(column: usize) -> rusqlite::Error {
    let why = "the row is not as it was written";
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, why.into())
}

/// Reads an entry from its row.
fn stored(row: &rusqlite::Row<'_>, in_subset: bool) -> SqlResult<Stored> {
    EntryRow::of(row, in_subset)?.read()
}

/// The columns of an entry, not taken apart yet.
struct EntryRow {
    id: String,
    present: bool,
    events_elsewhere: u32,
    purge_asked: bool,
    state: String,
    /// Whether that is how it reads in the subset alone.
    is_here: bool,
    digest: i64,
    status: String,
    key: Vec<u8>,
    kind: String,
    memory: String,
    actor: String,
    origin: Vec<u8>,
}

impl EntryRow {
    fn of(row: &rusqlite::Row<'_>, in_subset: bool) -> SqlResult<EntryRow> {
        let here_state: Option<String> = if in_subset { row.get(5)? } else { None };
        let text = |at: usize| row.get(at).map_err(|_| damaged(at));
        let bytes = |at: usize| row.get(at).map_err(|_| damaged(at));
        Ok(EntryRow {
            id: text(0)?,
            present: row.get(1)?,
            events_elsewhere: row.get(2)?,
            purge_asked: row.get(3)?,
            is_here: here_state.is_some(),
            state: here_state.map_or_else(|| row.get(4), Ok)?,
            digest: row.get(6)?,
            status: text(7)?,
            key: bytes(8)?,
            kind: text(9)?,
            memory: text(10)?,
            actor: text(11)?,
            origin: bytes(12)?,
        })
    }

    /// Reads the entry, and whether it is as it was written: a bit that fell over on the disk is in no other way different from an edit.
    fn read(self) -> SqlResult<Stored> {
        let is_here = self.is_here;
        if !is_here && digest_of(&self.state) != self.digest as u64 {
            return Err(damaged(4));
        }
        let entry: Entry = serde_json::from_str(&self.state).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(4, rusqlite::types::Type::Text, error.into())
        })?;
        // What entries are chosen by stands beside the text.
        let is_as_said = (is_here || self.status == entry.status.word())
            && self.key == entry.key.0
            && self.kind == entry.kind.word()
            && self.memory == entry.memory().word()
            && (is_here || self.actor == entry.created_by)
            && (is_here || self.origin == entry.origin.0)
            && self.id.starts_with(entry.id().as_str());
        if !is_as_said {
            return Err(damaged(7));
        }
        Ok(Stored {
            entry,
            id: self.id,
            checkout: Some(Checkout {
                present: self.present,
                events_elsewhere: self.events_elsewhere,
                file: None,
            }),
            purge_asked: self.purge_asked,
            validity: Default::default(),
            overlay: Default::default(),
        })
    }
}

/// Whether a purge of an event counts here: one by its own writer, or by this clone (STO-13).
fn purge_counts(connection: &Connection, own: &[ReplicaId], event: &Event) -> SqlResult<bool> {
    let mut statement = connection.prepare_cached("SELECT replica, journal FROM purges WHERE hash = ?")?;
    let mut rows = statement.query([&event.hash.0[..]])?;
    while let Some(row) = rows.next()? {
        let purger = row.get_ref(0)?.as_blob()?;
        // What claims to be this clone's own must be in its journal: anybody can write our name into a file.
        let counts = match own.iter().any(|own| purger == own.0) {
            true => row.get(1)?,
            false => purger == event.replica.0,
        };
        if counts {
            return Ok(true);
        }
    }
    Ok(false)
}
