//! A log in PostgreSQL: any number of nodes write to one workspace, and each keeps a copy of it that can go at any time.
//!
//! The database holds the truth: lines, small state, and one row for each log that says where it ends. A node holds an index like any other
//! log's, in a temporary folder. Decision 54 has the reasons.

mod address;
mod admin;
mod append;
mod audit;
mod base;
mod cache;
mod database;
mod head;
mod limits;
mod snapshot;
mod state;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fs, path::PathBuf};

use ken_core::event::Line;
use ken_core::{EventHash, ReplicaId};
use ken_engine::intake::learn_purged;
use ken_engine::log::check_arrived;
use ken_engine::{
    Access, AppendError, Appended, Arrival, Bytes, CloneState, Cursor, Error, EventLog, JudgementStore,
    Ledger, LoggedBatch, ReadSet, Received, RecordKind, Result, Sealer,
};
use ken_guard::known::KnownValue;
use ken_index::judgements::JudgementFile;
use ken_index::{Caches, Index, index_error};
use postgres::Client;
use postgres::types::Type;

pub use crate::address::Address;
pub use crate::admin::{WorkspaceLine, create_workspace, migrate, new_replica, workspaces};
use crate::append::Queue;
pub use crate::audit::{AuditLine, AuditRecord, audit_lines};
use crate::database::{Trouble, Workspace};
use crate::head::{Batch, HEAD, Head, batches_behind};
use crate::limits::FOLLOWED_BYTES;
pub use crate::snapshot::PostgresSnapshot;
use crate::state::RecordRows;

/// The log of a workspace, for all calls of a node.
pub struct PostgresLog {
    workspace: Workspace,
    state: Arc<dyn CloneState>,
    queue: Queue,
    /// Who holds it has this node's turn to write, and alone writes the cache.
    turn: Mutex<Turn>,
    /// How far the cache is, for whoever only wants to know whether it is behind.
    known: (AtomicI64, AtomicI64),
    /// Counts the caches that were thrown away.
    generation: AtomicU64,
    caches: Caches,
    judgements: Arc<JudgementFile>,
    /// The cache, vectors and judgements: files wherever they are.
    folder: tempfile::TempDir,
}

/// A connection to the cache, with how far that is.
struct Turn {
    index: Index,
    position: i64,
    erasures: i64,
    /// The server and timeline that it was fed from.
    lineage: String,
}

/// What a thread that panicked left behind is whole: each of these is replaced at once.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PostgresLog {
    /// Opens a workspace, and takes in all that it has.
    pub fn open(address: Address, workspace: &str) -> Result<Arc<PostgresLog>> {
        let workspace = admin::database(address)?.workspace(workspace)?;
        let folder = tempfile::tempdir().map_err(Error::failed("making a folder for the cache"))?;
        let state = Arc::new(RecordRows::new(workspace.clone()));
        let judgements = JudgementFile::new(folder.path().join("judgements"), Access::Write);
        let index = Index::open(&folder.path().join("0"), cache::EXTENSION).map_err(index_error)?;
        let log = PostgresLog {
            workspace,
            state,
            queue: Queue::default(),
            turn: Mutex::new(Turn { index, position: 0, erasures: 0, lineage: String::new() }),
            known: (AtomicI64::new(0), AtomicI64::new(0)),
            generation: AtomicU64::new(0),
            caches: Caches::default(),
            judgements: Arc::new(judgements),
            folder,
        };
        // What was purged here is a secret for this process, too.
        let purged: Vec<KnownValue> = log.state.items(&RecordKind::PurgedTexts.record()).unwrap_or_default();
        learn_purged(purged);
        log.follow(&mut log.turn())?;
        Ok(Arc::new(log))
    }

    /// The log as one call sees it.
    pub fn snapshot(self: &Arc<Self>, access: Access) -> Result<PostgresSnapshot> {
        PostgresSnapshot::open(self.clone(), access)
    }

    /// The same with the way to write to it.
    pub fn ledger(self: &Arc<Self>, access: Access) -> Result<Ledger> {
        Ok(Ledger::new(self.clone(), Box::new(self.snapshot(access)?), self.state.clone()))
    }

    /// The small state of the workspace.
    pub fn state(&self) -> Arc<dyn CloneState> {
        self.state.clone()
    }

    /// What this node found out about code.
    pub fn judgements(&self) -> Arc<dyn JudgementStore> {
        self.judgements.clone()
    }

    /// The name that the workspace writes under.
    pub fn replica(&self) -> Result<ReplicaId> {
        Ok(self.head()?.tail.replica)
    }

    /// Whether anybody ever wrote to this workspace: what was only received is not counted.
    pub fn has_appended(&self) -> Result<bool> {
        Ok(self.head()?.tail.seq > 0)
    }

    fn head(&self) -> Result<Head> {
        Head::read(&self.workspace.ask("looking where the log ends", HEAD)?)
    }

    /// Takes in what others wrote, if there is any: what was acknowledged before this was called is then known.
    fn catch_up(&self) -> Result<()> {
        let head = self.head()?;
        let known = (self.known.0.load(Ordering::Acquire), self.known.1.load(Ordering::Acquire));
        if known == (head.position, head.erasures) {
            return Ok(());
        }
        self.follow(&mut self.turn())
    }

    /// The same for whoever has the turn.
    fn follow(&self, turn: &mut Turn) -> Result<()> {
        let doing = "reading the log";
        // Each part is read in a transaction of its own: the server ends one that waits while the cache is written.
        let followed = self.follow_to(&self.head()?, turn, |position| {
            let behind = |client: &mut Client| batches_behind(client, position, Bytes(FOLLOWED_BYTES));
            Ok(self.workspace.patiently(doing, behind)?)
        });
        followed.map_err(|trouble| trouble.failure(doing))
    }

    /// Takes in what lies before an end of the log, as it is read behind a position.
    fn follow_to(
        &self,
        head: &Head,
        turn: &mut Turn,
        mut behind: impl FnMut(i64) -> std::result::Result<Vec<Batch>, Trouble>,
    ) -> std::result::Result<(), Trouble> {
        let Head { position, erasures, .. } = *head;
        let is_elsewhere = turn.lineage != head.lineage_now || position < turn.position;
        if turn.position > 0 && (is_elsewhere || erasures != turn.erasures) {
            // Another server goes on with a copy of the log, or an earlier state of it; or bytes were taken out, which must go here, too.
            self.start_anew(turn)?;
        }
        turn.erasures = erasures;
        turn.lineage.clone_from(&head.lineage_now);
        let mut written = 0;
        while turn.position < position || turn.index.is_fresh() {
            let batches = behind(turn.position)?;
            if batches.is_empty() && !turn.index.is_fresh() {
                // Another server took over with fewer of them. The next call finds that it is elsewhere.
                break;
            }
            let end = batches.last().map_or(turn.position, |batch| batch.position);
            turn.write(|index| {
                cache::own(index, &batches)?;
                cache::tell(index, &batches)
            })?;
            turn.position = end;
            written += batches.iter().map(|batch| batch.lines.len()).sum::<usize>();
        }
        self.note(turn, written);
        Ok(())
    }

    /// This node's turn to write.
    fn turn(&self) -> MutexGuard<'_, Turn> {
        let mut turn = locked(&self.turn);
        if !turn.index.is_fresh() && !turn.index.connection().is_autocommit() {
            // Whoever had it stopped in the middle.
            turn.index.abandon_write();
        }
        turn
    }

    /// Remembers how far the cache is, now that so many events were written to it.
    fn note(&self, turn: &Turn, written: usize) {
        self.known.0.store(turn.position, Ordering::Release);
        self.known.1.store(turn.erasures, Ordering::Release);
        let folder = self.index_folder(self.generation.load(Ordering::Acquire));
        turn.index.tidy(&folder.join("knowledge.db-wal"), written);
    }

    /// Throws the cache away. Whoever reads the old one goes on with it until the end of the call.
    fn start_anew(&self, turn: &mut Turn) -> Result<()> {
        // Until the next one is filled, every call takes in what it lacks first.
        self.known.0.store(-1, Ordering::Release);
        let old = self.generation.fetch_add(1, Ordering::AcqRel);
        turn.index = Index::open(&self.index_folder(old + 1), cache::EXTENSION).map_err(index_error)?;
        turn.position = 0;
        // Its bytes are gone when the last reader is.
        let _ = fs::remove_dir_all(self.index_folder(old));
        Ok(())
    }

    fn index_folder(&self, generation: u64) -> PathBuf {
        self.folder.path().join(generation.to_string())
    }
}

impl Turn {
    /// Writes the cache, all of it or nothing.
    fn write(&mut self, write: impl FnOnce(&mut Index) -> rusqlite::Result<()>) -> Result<()> {
        self.index.begin_write().map_err(index_error)?;
        match write(&mut self.index) {
            Ok(()) => self.index.end_write().map_err(index_error),
            Err(error) => {
                self.index.abandon_write();
                Err(index_error(error))
            }
        }
    }
}

impl EventLog for PostgresLog {
    fn append(&self, read: &ReadSet, seal: Sealer) -> std::result::Result<Appended, AppendError> {
        append::append(self, read, seal)
    }

    fn since(&self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>> {
        let from = i64::try_from(at.at).unwrap_or(i64::MAX);
        let batches =
            self.workspace.patiently("reading the log", |client| batches_behind(client, from, limit))?;
        let told = batches.into_iter().map(|batch| LoggedBatch {
            lines: batch.lines,
            end: Cursor { at: batch.position.unsigned_abs(), noticed: at.noticed },
        });
        Ok(told.collect())
    }

    fn event(&self, hash: &EventHash) -> Result<Option<Line>> {
        self.workspace.patiently("reading an event", |client| {
            let bytes = &hash.0[..];
            let row = client.query_typed_opt(include_str!("../sql/line.sql"), &[(&bytes, Type::BYTEA)])?;
            row.map(|row| row.try_get(0).map_err(Trouble::from).and_then(|text| Ok(head::read(text)?)))
                .transpose()
        })
    }

    fn receive(&self, lines: Vec<Line>, _: Arrival) -> Result<Received> {
        check_arrived(&lines)?;
        append::receive(self, &lines)
    }

    fn erase(&self, hashes: &[EventHash]) -> Result<Vec<String>> {
        append::erase(self, hashes)
    }
}

/// Servers hand one log to all their threads.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<PostgresLog>();
};
