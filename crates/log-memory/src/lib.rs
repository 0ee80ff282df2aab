//! A log in memory: for tests, and for programs that embed Kenning and keep nothing.
//!
//! It is as strict as the one on disk, and the projection above it is the same. What other ledgers must do is in
//! `docs/internals/another-ledger.md`.

mod base;
mod snapshot;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ken_core::event::{Event, Line};
use ken_core::{Clock, Code, EntryKey, EventHash, Refusal, ReplicaId};
use ken_engine::log::{check, check_arrived, check_line, hash_of, line_bytes};
use ken_engine::{
    Access, AppendError, Appended, Arrival, Bytes, CloneState, Cursor, Error, EventLog, JudgementStore,
    Ledger, LoggedBatch, MemoryState, Projection, ReadSet, Received, Result, Sealer, Tail,
};
use ken_index::judgements::JudgementFile;
use ken_index::{Base, Caches, Projected, index_error};

use crate::base::MemoryBase;
pub use crate::snapshot::MemorySnapshot;

/// A log that lives as long as the process.
pub struct MemoryLog {
    end: Mutex<End>,
    kept: Arc<Kept>,
    judgements: Arc<JudgementFile>,
}

/// The end of the log, with what decisions are checked against.
struct End {
    tail: Tail,
    projection: Projected<MemoryBase>,
}

/// What all snapshots of a log share.
struct Kept {
    events: Mutex<Events>,
    caches: Caches,
    /// Vectors and judgements are files wherever they are.
    folder: tempfile::TempDir,
}

/// What is known, in the order it came.
#[derive(Default)]
struct Events {
    batches: Vec<Written>,
    lines: HashMap<EventHash, Line>,
    /// What was appended here, and not received.
    appended: HashSet<EventHash>,
    by_entry: HashMap<EntryKey, Vec<EventHash>>,
    /// How often lines were taken out.
    erased: u64,
}

/// A batch of them.
#[derive(Clone)]
struct Written {
    hashes: Vec<EventHash>,
    /// The first running number of the command that it goes on with.
    continues: Option<u64>,
}

/// What a thread that panicked left behind is whole: each of these is replaced at once.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A ledger on an empty log of some clone, with small state of its own. Fails where there is no folder for temporary files.
pub fn ledger(replica: ReplicaId) -> Result<Ledger> {
    let (log, state) = (Arc::new(MemoryLog::new(replica)?), Arc::new(MemoryState::default()));
    log.ledger(state, Access::Write)
}

impl Events {
    fn event(&self, hash: &EventHash) -> Option<&Event> {
        match self.lines.get(hash) {
            Some(Line::Event(event)) => Some(event),
            Some(Line::Stub(_)) | None => None,
        }
    }

    fn keep(&mut self, lines: Vec<Line>, appended: bool, continues: Option<u64>) {
        let hashes: Vec<EventHash> = lines.iter().map(hash_of).collect();
        if hashes.is_empty() {
            return;
        }
        if appended {
            self.appended.extend(&hashes);
        }
        for line in &lines {
            if let Line::Event(event) = line
                && let Some(key) = event.entry
            {
                self.by_entry.entry(key).or_default().push(event.hash);
            }
        }
        self.lines.extend(lines.into_iter().map(|line| (hash_of(&line), line)));
        self.batches.push(Written { hashes, continues });
    }

    /// A batch as it is told.
    fn told(&self, number: usize) -> LoggedBatch {
        let lines = self.batches[number].hashes.iter().filter_map(|hash| self.lines.get(hash).cloned());
        LoggedBatch { lines: lines.collect(), end: Cursor { at: number as u64 + 1, noticed: 0 } }
    }
}

impl MemoryLog {
    /// An empty log of some clone. Fails where there is no folder for temporary files.
    pub fn new(replica: ReplicaId) -> Result<MemoryLog> {
        let kept = Arc::new(Kept {
            events: Mutex::default(),
            caches: Caches::default(),
            folder: tempfile::tempdir().map_err(Error::failed("making a folder for embeddings"))?,
        });
        let projection = Projected::new(MemoryBase::new(kept.clone(), replica, None)?);
        let tail = Tail { replica, seq: 0, clock: Clock::ZERO, heads: Vec::new() };
        let judgements = JudgementFile::new(kept.folder.path().join("judgements"), Access::Write);
        Ok(MemoryLog { end: Mutex::new(End { tail, projection }), kept, judgements: Arc::new(judgements) })
    }

    /// The log as one call sees it.
    pub fn snapshot(&self, state: Arc<dyn CloneState>, access: Access) -> Result<MemorySnapshot> {
        let replica = locked(&self.end).tail.replica;
        MemorySnapshot::new(MemoryBase::new(self.kept.clone(), replica, Some(state))?, access)
    }

    /// The same with the way to write to it.
    pub fn ledger(self: &Arc<Self>, state: Arc<dyn CloneState>, access: Access) -> Result<Ledger> {
        let snapshot = self.snapshot(state.clone(), access)?;
        Ok(Ledger::new(self.clone(), Box::new(snapshot), state))
    }

    /// What was found out about code.
    pub fn judgements(&self) -> Arc<dyn JudgementStore> {
        self.judgements.clone()
    }

    /// Every row of the projection in a stable order.
    pub fn dump(&self) -> Result<Vec<String>> {
        locked(&self.end).projection.index().dump().map_err(index_error)
    }

    /// Reads at the end of the log.
    pub fn reading<T>(&self, read: impl FnOnce(&dyn Projection) -> T) -> T {
        read(&locked(&self.end).projection)
    }
}

impl EventLog for MemoryLog {
    fn append(&self, read: &ReadSet, mut seal: Sealer) -> std::result::Result<Appended, AppendError> {
        let mut end = locked(&self.end);
        if let Some(conflict) = read.conflict(end.projection.index())? {
            return Err(AppendError::Conflict(conflict));
        }
        let batch = seal(&end.tail)?;
        check(&batch, &end.tail)?;
        for event in &batch.events {
            check_line(&Line::Event(Box::new(event.clone())))?;
        }
        if let Some(last) = batch.events.last() {
            end.tail.seq = last.seq;
            end.tail.clock = batch.clock;
        }
        for event in batch.events.iter().filter(|event| !event.is_deferred()) {
            end.tail.heads.retain(|head| !event.parents.contains(head));
            end.tail.heads.push(event.hash);
        }
        let lines = batch.events.iter().map(|event| Line::Event(Box::new(event.clone()))).collect();
        locked(&self.kept.events).keep(lines, true, batch.continues);
        end.projection.follow()?;
        Ok(Appended { events: batch.events, notices: batch.notices })
    }

    fn since(&self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>> {
        let events = locked(&self.kept.events);
        let from = usize::try_from(at.at).unwrap_or(usize::MAX);
        let mut told: Vec<LoggedBatch> = Vec::new();
        let mut bytes = 0;
        for number in from..events.batches.len() {
            let batch = events.told(number);
            bytes += batch.lines.iter().map(line_bytes).sum::<u64>();
            if bytes > limit.0 && !told.is_empty() {
                break;
            }
            told.push(LoggedBatch { end: Cursor { noticed: at.noticed, ..batch.end }, ..batch });
        }
        Ok(told)
    }

    fn event(&self, hash: &EventHash) -> Result<Option<Line>> {
        Ok(locked(&self.kept.events).lines.get(hash).cloned())
    }

    fn receive(&self, lines: Vec<Line>, _: Arrival) -> Result<Received> {
        check_arrived(&lines)?;
        let mut end = locked(&self.end);
        let mut received = Received::default();
        let mut fresh: Vec<Line> = Vec::new();
        let mut seen = HashSet::new();
        {
            let events = locked(&self.kept.events);
            for line in lines {
                let hash = hash_of(&line);
                let erased = match &line {
                    Line::Event(event) => end.projection.index().purge_counts(event).map_err(index_error)?,
                    Line::Stub(_) => false,
                };
                if erased || events.lines.contains_key(&hash) || !seen.insert(hash) {
                    received.known += 1;
                } else {
                    fresh.push(line);
                }
            }
        }
        received.new = fresh.len();
        locked(&self.kept.events).keep(fresh, false, None);
        end.projection.follow()?;
        Ok(received)
    }

    fn erase(&self, hashes: &[EventHash]) -> Result<Vec<String>> {
        let mut end = locked(&self.end);
        {
            let mut events = locked(&self.kept.events);
            for event in hashes.iter().filter_map(|hash| events.event(hash)) {
                if !end.projection.index().purge_counts(event).map_err(index_error)? {
                    let message = format!("no valid purge names event {}; it is kept", event.hash);
                    return Err(Refusal::new(Code::NotAllowed, message).into());
                }
            }
            for hash in hashes {
                if let Some(stub) = events.event(hash).map(Event::stub) {
                    events.lines.insert(*hash, Line::Stub(stub));
                }
            }
            events.erased += 1;
        }
        end.projection.follow()?;
        Ok(Vec::new())
    }
}
