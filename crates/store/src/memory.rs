//! A log in memory, and handles on it: for tests, and for programs that embed Kenning and keep nothing.
//!
//! The log is as strict as the one on disk, and the projection above it is the same. What other ledgers must do is in
//! `docs/internals/another-ledger.md`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use ken_core::event::{Event, Line};
use ken_core::{Clock, Code, EntryKey, EventHash, Intent, Millis, OverlayEvent, Refusal, ReplicaId};
use ken_engine::log::{check, check_arrived, check_line, hash_of, line_bytes};
use ken_engine::open_store::Embedded;
use ken_engine::{
    Access, AppendError, Appended, Arrival, Arrived, Bytes, Care, CloneState, Cursor, Embedder, Embedding,
    Erasure, Error, EventLog, Finding, GitHistory, History, Judgements, Ledger, LogEnd, LoggedBatch,
    MemoryState, ModelCard, OpenStore, Placed, Projection, ReadSet, Received, RecordKind, Recorder, Report,
    Result, Sealer, Stored, Tail, Version, Writer,
};
use ken_index::vectors::VectorFile;
use ken_index::{Base, Caches, Extension, Index, Overlays, Projected, Source};
use ken_recall::vectors::Vectors;
use serde_json::Value;

use crate::appending::{Change, sealed};
use crate::judgements::{KeptJudgements, Spare};
use crate::latest::last_lines;
use crate::log::not_purged;
use crate::recorder::{Noted, only_observations};
use crate::snapshot::{Purpose, cut, snapshot, unpurged};
use crate::store::recall::{EMBEDDED_AT_ONCE, forget_vectors_of, vectors_for};
use crate::store::{index_error, locked, looks_with_wal, says};
use crate::verify::{Pins, check_entries, wrongly_dated};

/// A log that lives as long as the process, with what its clone keeps beside it.
pub struct MemoryLog {
    state: Mutex<State>,
    kept: Arc<Kept>,
}

struct State {
    replica: ReplicaId,
    seq: u64,
    clock: Clock,
    heads: Vec<EventHash>,
    /// What decisions are checked against.
    projection: Projected<MemoryBase>,
}

/// What all handles of a log share.
struct Kept {
    events: Mutex<Events>,
    held: Mutex<BTreeMap<EntryKey, Value>>,
    overlays: Mutex<Vec<OverlayEvent>>,
    made: Caches,
    locks: MemoryState,
    /// Vectors are files wherever they are, and so is what was found out about code.
    folder: tempfile::TempDir,
    judged: Spare,
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

/// What the log gives a projection: an index of its own, which follows the log.
pub struct MemoryBase {
    index: Index,
    kept: Arc<Kept>,
    replica: ReplicaId,
    /// How many batches the index was told, and after how many erasures it was made.
    told: usize,
    erased: u64,
    overlays: Overlays,
    vectors: Option<(String, VectorFile)>,
}

impl MemoryBase {
    fn new(kept: Arc<Kept>, replica: ReplicaId) -> Result<MemoryBase> {
        let index = empty(replica)?;
        let (overlays, vectors) = (Overlays::default(), None);
        Ok(MemoryBase { index, kept, replica, told: 0, erased: 0, overlays, vectors })
    }

    /// Makes the index anew from all that the log has.
    fn start_anew(&mut self) -> Result<()> {
        self.index = empty(self.replica)?;
        self.told = 0;
        self.follow()?;
        match &mut self.vectors {
            Some((model, vectors)) => self.index.use_vectors(model, vectors).map_err(index_error),
            None => Ok(()),
        }
    }

    /// Tells the index what the log was told since, in one transaction.
    fn follow(&mut self) -> Result<()> {
        self.overlays = Overlays::new(&locked(&self.kept.overlays));
        let events = locked(&self.kept.events);
        if std::mem::replace(&mut self.erased, events.erased) != events.erased {
            drop(events);
            return self.start_anew();
        }
        let fresh = events.batches[self.told..].iter().flat_map(|batch| &batch.hashes);
        let fresh =
            fresh.filter_map(|hash| Some((events.lines.get(hash)?.clone(), events.appended.contains(hash))));
        let fresh: Vec<(Line, bool)> = fresh.collect();
        // Whatever is appended from here on is for the next time.
        let batches = events.batches.len();
        drop(events);
        if fresh.is_empty() {
            self.told = batches;
            return Ok(());
        }
        self.index.begin_write().map_err(index_error)?;
        let told = || -> rusqlite::Result<()> {
            let mut intake = self.index.intake(&*self.kept);
            for (line, is_own) in fresh {
                intake.line(line, is_own, is_own)?;
            }
            intake.finish().map(drop)
        };
        match told() {
            Ok(()) => {
                self.index.end_write().map_err(index_error)?;
                self.told = batches;
                Ok(())
            }
            Err(error) => {
                self.index.abandon_write();
                Err(index_error(error))
            }
        }
    }
}

fn empty(replica: ReplicaId) -> Result<Index> {
    let mut index = Index::in_memory(Extension::NONE).map_err(index_error)?;
    index.set_own(Some(replica)).map_err(index_error)?;
    Ok(index)
}

impl Kept {
    fn judgements(&self) -> PathBuf {
        self.folder.path().join("judgements")
    }
}

impl Source for Kept {
    fn event(&self, hash: &EventHash) -> rusqlite::Result<Option<Event>> {
        Ok(locked(&self.events).event(hash).cloned())
    }

    fn written_here(&self, key: EntryKey) -> rusqlite::Result<HashSet<EventHash>> {
        let events = locked(&self.events);
        let of_entry = events.by_entry.get(&key).into_iter().flatten();
        Ok(of_entry.filter(|hash| events.appended.contains(hash)).copied().collect())
    }
}

impl Base for MemoryBase {
    fn index(&self) -> &Index {
        &self.index
    }

    fn source(&self) -> Box<dyn Source + '_> {
        Box::new(&*self.kept)
    }

    fn overlays(&self) -> Option<&Overlays> {
        Some(&self.overlays)
    }

    fn vectors(&self) -> Option<&(String, VectorFile)> {
        self.vectors.as_ref()
    }

    fn stored(&self, key: EntryKey) -> rusqlite::Result<Option<Stored>> {
        Ok(self.index.stored(key)?.map(|stored| Stored { checkout: None, ..stored }))
    }

    fn history(&self, key: EntryKey) -> Result<Vec<Placed>> {
        let events = locked(&self.kept.events);
        let mut found = Vec::new();
        for event in events.by_entry.get(&key).into_iter().flatten().filter_map(|hash| events.event(hash)) {
            if !self.index.purge_counts(event).map_err(index_error)? {
                found.push(Placed { event: event.clone(), line: None });
            }
        }
        found.sort_by_key(|placed| placed.event.order());
        Ok(found)
    }

    fn latest_by(&self, actor: &str) -> Result<Vec<Event>> {
        let events = locked(&self.kept.events);
        let mut found: Vec<Vec<Event>> = Vec::new();
        let mut command = None;
        for batch in events.batches.iter().rev() {
            let own = batch.hashes.iter().filter(|hash| events.appended.contains(hash));
            let own: Vec<&Event> = own.filter_map(|hash| events.event(hash)).collect();
            let Some(first) = own.first().map(|event| event.seq) else { continue };
            let is_its = command.is_none_or(|begun| batch.continues == Some(begun) || first == begun);
            let said = own.into_iter().filter(|event| event.actor == actor && !event.is_record());
            let said: Vec<Event> = said.filter(|_| is_its).cloned().collect();
            if !said.is_empty() {
                found.push(said);
                command = command.or(batch.continues);
            }
            if !found.is_empty() && command.is_none_or(|begun| first <= begun) {
                break;
            }
        }
        Ok(found.into_iter().rev().flatten().collect())
    }

    fn log_end(&self) -> Result<Option<LogEnd>> {
        let entries = self.index.digest().map_err(index_error)?;
        Ok(Some(LogEnd { at: self.told as u64, generation: self.erased, entries }))
    }

    fn held(&self, key: EntryKey) -> Result<Option<Value>> {
        Ok(locked(&self.kept.held).get(&key).cloned())
    }

    fn shared(&self) -> Option<&Caches> {
        Some(&self.kept.made)
    }
}

impl MemoryLog {
    /// An empty log of some clone. Fails where there is no folder for temporary files.
    pub fn new(replica: ReplicaId) -> Result<MemoryLog> {
        let kept = Arc::new(Kept {
            events: Mutex::default(),
            held: Mutex::default(),
            overlays: Mutex::default(),
            made: Caches::default(),
            locks: MemoryState::default(),
            folder: tempfile::tempdir().map_err(Error::failed("making a folder for embeddings"))?,
            judged: Spare::default(),
        });
        let projection = Projected::new(MemoryBase::new(kept.clone(), replica)?);
        let state = State { replica, seq: 0, clock: Clock::ZERO, heads: Vec::new(), projection };
        Ok(MemoryLog { state: Mutex::new(state), kept })
    }

    /// Every row of the projection in a stable order.
    pub fn dump(&self) -> Result<Vec<String>> {
        locked(&self.state).projection.index().dump().map_err(index_error)
    }

    /// Every event that was appended or received, in the order it came.
    pub fn events(&self) -> Vec<Event> {
        let events = locked(&self.kept.events);
        events
            .batches
            .iter()
            .flat_map(|batch| &batch.hashes)
            .filter_map(|hash| events.event(hash).cloned())
            .collect()
    }

    /// Reads at the end of the log.
    pub fn reading<T>(&self, read: impl FnOnce(&dyn Projection) -> T) -> T {
        read(&locked(&self.state).projection)
    }

    fn append_continuing(
        &self,
        read: &ReadSet,
        mut seal: Sealer,
        continues: Option<u64>,
    ) -> std::result::Result<Appended, AppendError> {
        let mut state: MutexGuard<'_, State> = locked(&self.state);
        if let Some(conflict) = read.conflict(&state.projection)? {
            return Err(AppendError::Conflict(conflict));
        }
        let tail =
            Tail { replica: state.replica, seq: state.seq, clock: state.clock, heads: state.heads.clone() };
        let batch = seal(&tail)?;
        check(&batch, &tail)?;
        let events: Vec<Event> = batch.records.into_iter().map(|(_, event)| event).collect();
        for event in &events {
            check_line(&Line::Event(Box::new(event.clone())))?;
        }
        if let Some(last) = events.last() {
            state.seq = last.seq;
            state.clock = batch.clock;
        }
        for event in events.iter().filter(|event| !event.is_deferred()) {
            state.heads.retain(|head| !event.parents.contains(head));
            state.heads.push(event.hash);
        }
        let lines = events.iter().map(|event| Line::Event(Box::new(event.clone()))).collect();
        locked(&self.kept.events).keep(lines, true, continues);
        state.projection.follow()?;
        Ok(Appended { events })
    }
}

impl EventLog for MemoryLog {
    fn append(&self, read: &ReadSet, seal: Sealer) -> std::result::Result<Appended, AppendError> {
        self.append_continuing(read, seal, None)
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

    fn receive(&self, lines: Vec<Arrived>, _: Arrival) -> Result<Received> {
        check_arrived(&lines)?;
        let mut state = locked(&self.state);
        let mut received = Received::default();
        let mut fresh: Vec<Line> = Vec::new();
        let mut seen = HashSet::new();
        {
            let events = locked(&self.kept.events);
            for Arrived { line, .. } in lines {
                let hash = hash_of(&line);
                let erased = match &line {
                    Line::Event(event) => {
                        state.projection.index().purge_counts(event).map_err(index_error)?
                    }
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
        state.projection.follow()?;
        Ok(received)
    }

    fn erase(&self, hashes: &[EventHash]) -> Result<()> {
        let mut state = locked(&self.state);
        {
            let mut events = locked(&self.kept.events);
            for event in hashes.iter().filter_map(|hash| events.event(hash)) {
                if !state.projection.index().purge_counts(event).map_err(index_error)? {
                    return Err(not_purged(&event.hash));
                }
            }
            for hash in hashes {
                if let Some(stub) = events.event(hash).map(Event::stub) {
                    events.lines.insert(*hash, Line::Stub(stub));
                }
            }
            events.erased += 1;
        }
        state.projection.follow()
    }
}

/// A handle on a log in memory: every verb that is not git's runs on it.
pub struct MemoryStore {
    log: Arc<MemoryLog>,
    projection: Projected<MemoryBase>,
    access: Access,
    change: Change,
    notices: Vec<String>,
    written: BTreeSet<EntryKey>,
}

impl MemoryStore {
    /// A handle on an empty log of some clone. Panics where there is no folder for temporary files.
    pub fn new(replica: ReplicaId) -> MemoryStore {
        let log = MemoryLog::new(replica).expect("there is a folder for temporary files");
        MemoryStore::open(Arc::new(log), Access::Write).expect("SQLite opens in memory")
    }

    /// A handle on a log.
    pub fn open(log: Arc<MemoryLog>, access: Access) -> Result<MemoryStore> {
        let replica = locked(&log.state).replica;
        let mut projection = Projected::new(MemoryBase::new(log.kept.clone(), replica)?);
        projection.follow()?;
        let (notices, written) = (Vec::new(), BTreeSet::new());
        Ok(MemoryStore { log, projection, access, change: Change::default(), notices, written })
    }

    pub fn log(&self) -> &MemoryLog {
        &self.log
    }

    /// Everything that was said, in the order it was said.
    pub fn events(&self) -> Vec<Event> {
        self.log.events()
    }
}

/// A store is read through its projection.
impl Deref for MemoryStore {
    type Target = Projected<MemoryBase>;

    fn deref(&self) -> &Self::Target {
        &self.projection
    }
}

impl Ledger for MemoryStore {
    fn projection(&self) -> &(dyn Projection + 'static) {
        &self.projection
    }

    fn replica(&mut self) -> Result<ReplicaId> {
        self.may_write()?;
        Ok(self.projection.replica)
    }

    fn append_on(&mut self, read: &ReadSet, intents: Vec<Intent>, writer: &Writer) -> Result<Vec<Event>> {
        self.may_write()?;
        if intents.is_empty() {
            return Ok(Vec::new());
        }
        let (read, seal) = sealed(self.projection.index(), read, intents, writer, &self.change)?;
        let appended = self.log.append_continuing(&read, seal, self.change.continued());
        let events = self.change.finished(appended)?.events;
        self.written
            .extend(events.iter().filter(|event| !event.is_deferred()).filter_map(|event| event.entry));
        self.projection.follow()?;
        Ok(events)
    }

    fn hold(&mut self, key: EntryKey, held: &Value) -> Result<()> {
        self.may_write()?;
        locked(&self.log.kept.held).insert(key, held.clone());
        Ok(())
    }

    fn let_go(&mut self, key: EntryKey) -> Result<()> {
        locked(&self.log.kept.held).remove(&key);
        Ok(())
    }

    fn lay(&mut self, event: OverlayEvent) -> Result<bool> {
        self.may_write()?;
        {
            let mut overlays = locked(&self.log.kept.overlays);
            if !Overlays::new(&overlays).overlay(event.entry).apply(&event) {
                return Ok(false);
            }
            overlays.push(event);
        }
        self.projection.follow()?;
        Ok(true)
    }
}

impl OpenStore for MemoryStore {
    fn access(&self) -> Access {
        self.access
    }

    fn may_write(&self) -> Result<()> {
        match self.access {
            Access::Write => Ok(()),
            Access::Read => {
                Err(Refusal::new(Code::ReadOnly, "the store is read-only; nothing was written").into())
            }
        }
    }

    fn expect(&mut self, entry: Option<(EntryKey, Version)>) {
        self.change.expected = entry;
    }

    fn refresh(&mut self) -> Result<()> {
        self.projection.follow()
    }

    fn begin_command(&mut self) {
        self.change.begin_command();
    }

    fn end_command(&mut self) {
        self.change.end_command();
    }

    fn take_written(&mut self) -> Vec<EntryKey> {
        std::mem::take(&mut self.written).into_iter().collect()
    }

    fn alone(&mut self, doing: &str) -> Result<Box<dyn Send>> {
        let held = self.log.kept.locks.lock(&RecordKind::Overrides.named(doing))?;
        self.refresh()?;
        Ok(held)
    }

    fn notice(&mut self, text: String) {
        if !self.notices.contains(&text) {
            self.notices.push(text);
        }
    }

    fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn judgements(&self) -> Option<Box<dyn Judgements>> {
        let path = self.log.kept.judgements();
        let kept = match self.access {
            Access::Read => KeptJudgements::read_only(&path),
            Access::Write => KeptJudgements::with_spare(&path, &self.log.kept.judged),
        };
        Some(Box::new(kept?))
    }

    fn judged(&self) -> Option<String> {
        let path = self.log.kept.judgements();
        path.is_file().then(|| looks_with_wal(&path))
    }

    fn git_history(&self) -> Option<&dyn GitHistory> {
        None
    }

    fn git_history_mut(&mut self) -> Option<&mut dyn GitHistory> {
        None
    }
}

impl History for MemoryStore {
    fn end(&mut self) -> Result<Cursor> {
        self.refresh()?;
        Ok(Cursor { at: self.projection.told as u64, noticed: 0 })
    }

    fn since(&mut self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>> {
        self.log.since(at, limit)
    }

    fn latest(&mut self, events: usize) -> Result<Vec<LoggedBatch>> {
        let log = locked(&self.log.kept.events);
        let mut left = events;
        let mut told = Vec::new();
        for number in (0..log.batches.len()).rev() {
            let LoggedBatch { lines, end } = log.told(number);
            told.push(LoggedBatch { lines: last_lines(lines.into_iter().rev(), &mut left), end });
            if left == 0 {
                break;
            }
        }
        told.reverse();
        Ok(told)
    }

    fn as_of_time(&self, time: Millis, model: Option<&ModelCard>) -> Result<Box<dyn Projection>> {
        let (mut lines, own): (Vec<Line>, HashSet<EventHash>) = {
            let events = locked(&self.log.kept.events);
            (events.lines.values().cloned().collect(), events.appended.clone())
        };
        cut(&mut lines, time);
        let index = self.projection.index();
        let kept = unpurged(index, lines)?;
        let released = kept.iter().filter_map(|line| match line {
            Line::Event(event) if event.type_name == "entry.released" && own.contains(&event.hash) => {
                Some(event.hash)
            }
            Line::Event(_) | Line::Stub(_) => None,
        });
        let released = released.collect();
        let mut then = snapshot(kept, index, Purpose::Search, Some(self.projection.replica), released)?;
        if let Some(card) = model {
            let vectors = VectorFile::open(self.log.kept.folder.path(), &card.name, card.dimensions);
            then.use_vectors(&card.name, vectors)?;
        }
        Ok(Box::new(then))
    }

    fn position(&self) -> Result<String> {
        self.projection.position()
    }
}

impl Embedding for MemoryStore {
    fn use_model(&mut self, card: &ModelCard) -> Result<()> {
        let mut vectors = VectorFile::open(self.log.kept.folder.path(), &card.name, card.dimensions);
        self.projection.index.use_vectors(&card.name, &mut vectors).map_err(index_error)?;
        self.projection.vectors = Some((card.name.clone(), vectors));
        Ok(())
    }

    fn catch_up_vectors(&mut self) {
        if let Some((_, vectors)) = &mut self.projection.vectors
            && vectors.len_on_disk() > vectors.len()
        {
            vectors.refresh();
        }
    }

    fn known_dimensions(&self, model: &str) -> Option<usize> {
        VectorFile::known_dimensions(self.log.kept.folder.path(), model)
    }

    fn embed(&mut self, embedder: &dyn Embedder, at_most: usize, made: &mut Embedded<'_>) -> Result<usize> {
        self.may_write()?;
        let card = embedder.card();
        if self.projection.vectors.as_ref().is_none_or(|(model, _)| *model != card.name) {
            self.use_model(card)?;
        }
        let mut left = at_most;
        loop {
            let base = &mut *self.projection;
            let texts = base.index.unembedded(left.min(EMBEDDED_AT_ONCE)).map_err(index_error)?;
            if texts.is_empty() {
                break;
            }
            let Some((_, vectors)) = &mut base.vectors else { break };
            let slots = vectors_for(vectors, embedder, &texts)?;
            base.index.embedded(&texts, &slots).map_err(index_error)?;
            left -= texts.len();
            let keys: Vec<EntryKey> = texts.iter().map(|text| text.key).collect();
            if !made(self, &keys)? || left == 0 {
                break;
            }
        }
        self.projection.index.unembedded_count().map_err(index_error)
    }

    fn check_vectors(&mut self) -> Result<usize> {
        Ok(0)
    }

    fn forget_vectors(&mut self, key: EntryKey) -> Result<()> {
        let history = Base::history(&*self.projection, key)?;
        let base = &mut *self.projection;
        forget_vectors_of(&base.index, &mut base.vectors, key, history, base.kept.folder.path())
    }
}

impl Erasure for MemoryStore {
    fn take_out_purged(&mut self) -> Result<Vec<String>> {
        let purged: Vec<EventHash> = {
            let events = locked(&self.log.kept.events);
            let index = self.projection.index();
            let mut purged = Vec::new();
            for hash in index.purged().map_err(index_error)? {
                if let Some(event) = events.event(&hash)
                    && index.purge_counts(event).map_err(index_error)?
                {
                    purged.push(hash);
                }
            }
            purged
        };
        if !purged.is_empty() {
            self.log.erase(&purged)?;
            self.refresh()?;
        }
        Ok(Vec::new())
    }

    fn events_holding(&self, text: &str) -> Result<Vec<Event>> {
        let holds = holding(text);
        Ok(self.log.events().into_iter().filter(holds).collect())
    }

    fn remember_purged(&mut self, text: &str) -> Result<()> {
        let value = crate::purged::value_of(text).map_err(Error::failed("remembering what was purged"))?;
        ken_engine::intake::learn_purged(vec![value]);
        Ok(())
    }

    fn remove_temporaries_holding(&mut self, _: &str) -> Result<usize> {
        Ok(0)
    }

    fn forget_overlays(&mut self, key: EntryKey) -> Result<()> {
        locked(&self.log.kept.overlays).retain(|event| event.entry != key);
        self.refresh()
    }

    fn forget_overlays_holding(&mut self, text: &str) -> Result<usize> {
        let count = {
            let mut overlays = locked(&self.log.kept.overlays);
            let before = overlays.len();
            overlays.retain(|event| !serde_json::to_string(event).is_ok_and(|line| holds_text(&line, text)));
            before - overlays.len()
        };
        self.refresh()?;
        Ok(count)
    }

    fn let_go_of(&mut self, text: &str) -> Result<usize> {
        let mut held = locked(&self.log.kept.held);
        let before = held.len();
        held.retain(|_, said| !holds_text(&said.to_string(), text));
        Ok(before - held.len())
    }
}

/// Whether a line holds a text, as it is or as JSON writes it.
pub(crate) fn holds_text(line: &str, text: &str) -> bool {
    let written = ken_core::canonical::to_string(&text);
    line.contains(text) || line.contains(written.trim_matches('"'))
}

/// Whether an event holds a text. Words of the format are looked for only in what somebody said.
pub(crate) fn holding(text: &str) -> impl Fn(&Event) -> bool + '_ {
    let is_word = ken_core::schema::is_word_of_the_format(text);
    move |event: &Event| match is_word {
        true => says(&event.data(), text),
        false => holds_text(event.line(), text),
    }
}

impl Care for MemoryStore {
    fn rebuild(&mut self) -> Result<usize> {
        self.projection.start_anew()?;
        let counts = self.projection.index().counts().map_err(index_error)?;
        Ok(counts.iter().map(|(.., count)| usize::try_from(*count).unwrap_or(0)).sum())
    }

    fn verify(&mut self, _fix: bool) -> Result<Report> {
        self.refresh()?;
        let events = self.event_count()?;
        let mut report = Report { lines: events, events, ..Report::default() };
        let mut pins = Pins::default();
        locked(&self.log.kept.events).lines.values().for_each(|line| pins.take(line));
        report.notices.extend(pins.finding());
        check_entries(&self.projection, &mut report)?;
        for event in self.log.events() {
            if check_line(&Line::Event(Box::new(event.clone()))).is_err() {
                report.errors.push(finding("hash_mismatch", format!("event {} was changed", event.hash)));
            }
        }
        let again = MemoryStore::open(self.log.clone(), Access::Read)?;
        let (here, anew) = (self.projection.index().dump(), again.projection.index().dump());
        if here.map_err(index_error)? != anew.map_err(index_error)? {
            report.errors.push(finding("index_differs", "the index is not what a rebuild gives".to_owned()));
        }
        report.pass = report.errors.is_empty();
        Ok(report)
    }

    fn quick_check(&mut self) -> Result<Report> {
        let events = self.event_count()?;
        let counts = self.projection.index().counts().map_err(index_error)?;
        let entries = counts.iter().map(|(.., count)| usize::try_from(*count).unwrap_or(0)).sum();
        Ok(Report { pass: true, lines: events, events, entries, ..Report::default() })
    }

    fn event_count(&self) -> Result<usize> {
        Ok(locked(&self.log.kept.events).lines.len())
    }

    fn wrong_clocks(&self, now: Millis) -> Result<Vec<Finding>> {
        wrongly_dated(&self.projection, &|hash| self.log.event(hash), now)
    }
}

fn finding(code: &'static str, message: String) -> Finding {
    Finding { code, file: None, line: None, message, hint: None }
}

/// Records what callers are shown, at once.
pub struct MemoryRecorder {
    store: Mutex<MemoryStore>,
    noted: Mutex<Noted>,
}

impl MemoryRecorder {
    pub fn new(store: MemoryStore) -> MemoryRecorder {
        MemoryRecorder { store: Mutex::new(store), noted: Mutex::default() }
    }
}

impl Recorder for MemoryRecorder {
    fn record(&self, intents: Vec<Intent>, writer: Writer) -> Result<()> {
        only_observations(&intents)?;
        locked(&self.store).append(intents, &writer).map(drop)
    }

    fn note(&self, intents: Vec<Intent>, writer: Writer) -> Result<()> {
        let intents = locked(&self.noted).not_yet(intents, &writer);
        self.record(intents, writer)
    }

    fn settle(&self) {}
}
