//! A log in memory, and a store over it: for tests, and for programs that embed the engine and keep nothing.
//!
//! The log is as strict as the one on disk, and the projection above it is the same.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ken_core::decide::View;
use ken_core::event::Line;
use ken_core::promotion::Promotion;
use ken_core::run::{Exposure, Run};
use ken_core::{
    Clock, DocumentName, Entry, EntryKey, Event, EventHash, GivenId, Intent, Kept, Millis, Overlay,
    OverlayEvent, Relation, ReplicaId, Serviced,
};
use ken_engine::log::{check, check_arrived, check_line, hash_of, line_bytes, seal};
use ken_engine::{
    AppendError, Appended, Arrival, Arrived, Asked, Bytes, Cursor, DocumentLine, Documents, Error, EventLog,
    Glance, Injected, Ledger, LoggedBatch, Overlays, Page, Placed, Promotions, Quarantine, Query, Questions,
    ReadSet, Reading, Recall, Received, Redacted, Relevant, Result, Runs, Sealer, Stored, Subject, Tail,
    Upkeep, Use, Version, Writer,
};
use ken_index::vectors::VectorFile;
use ken_index::{Extension, Index, Source};
use ken_recall::Mode;
use serde_json::Value;

use crate::disk::RealDisk;
use crate::log::{IndexReading, bases, floors, not_purged};
use crate::overlays::OverlayLog;
use crate::store::recall::{self, Asking, vectors_for};
use crate::store::{index_error, list};

/// A log that lives as long as the process.
pub struct MemoryLog {
    state: Mutex<State>,
}

struct State {
    events: Events,
    replica: ReplicaId,
    seq: u64,
    clock: Clock,
    heads: Vec<EventHash>,
    index: Index,
}

/// What is known, in the order it came.
#[derive(Default)]
struct Events {
    batches: Vec<Vec<EventHash>>,
    lines: HashMap<EventHash, Line>,
    /// What was appended here, and not received.
    appended: HashSet<EventHash>,
    by_entry: HashMap<EntryKey, Vec<EventHash>>,
}

impl Source for Events {
    fn event(&self, hash: &EventHash) -> rusqlite::Result<Option<Event>> {
        Ok(match self.lines.get(hash) {
            Some(Line::Event(event)) => Some((**event).clone()),
            Some(Line::Stub(_)) | None => None,
        })
    }

    fn written_here(&self, key: EntryKey) -> rusqlite::Result<HashSet<EventHash>> {
        let of_entry = self.by_entry.get(&key).into_iter().flatten();
        Ok(of_entry.filter(|hash| self.appended.contains(hash)).copied().collect())
    }
}

impl State {
    /// Tells the projection of some known lines, in one transaction.
    fn tell(&mut self, hashes: &[EventHash]) -> Result<()> {
        let State { events, index, .. } = self;
        index.begin_write().map_err(index_error)?;
        let told = || -> rusqlite::Result<()> {
            let mut intake = index.intake(events);
            for hash in hashes {
                if let Some(line) = events.lines.get(hash) {
                    let is_own = events.appended.contains(hash);
                    intake.line(line.clone(), is_own, is_own)?;
                }
            }
            intake.finish().map(drop)
        };
        match told() {
            Ok(()) => index.end_write().map_err(index_error),
            Err(error) => {
                index.abandon_write();
                Err(index_error(error))
            }
        }
    }

    /// Makes the projection anew.
    fn rebuild(&mut self) -> Result<()> {
        self.index = Index::in_memory(Extension::NONE).map_err(index_error)?;
        self.index.set_own(Some(self.replica)).map_err(index_error)?;
        let all: Vec<EventHash> = self.events.batches.concat();
        self.tell(&all)
    }

    fn keep(&mut self, lines: Vec<Line>, appended: bool) -> Result<()> {
        let hashes: Vec<EventHash> = lines.iter().map(hash_of).collect();
        if hashes.is_empty() {
            return Ok(());
        }
        if appended {
            self.events.appended.extend(&hashes);
        }
        for line in &lines {
            if let Line::Event(event) = line
                && let Some(key) = event.entry
            {
                self.events.by_entry.entry(key).or_default().push(event.hash);
            }
        }
        self.events.lines.extend(lines.into_iter().map(|line| (hash_of(&line), line)));
        self.events.batches.push(hashes.clone());
        self.tell(&hashes)
    }
}

impl MemoryLog {
    /// An empty log of some clone.
    pub fn new(replica: ReplicaId) -> Result<MemoryLog> {
        let mut index = Index::in_memory(Extension::NONE).map_err(index_error)?;
        index.set_own(Some(replica)).map_err(index_error)?;
        let (events, heads) = (Events::default(), Vec::new());
        let state = State { events, replica, seq: 0, clock: Clock::ZERO, heads, index };
        Ok(MemoryLog { state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked left at most a projection that is behind, and the next batch tells it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every row of the projection in a stable order.
    pub fn dump(&self) -> Result<Vec<String>> {
        self.state().index.dump().map_err(index_error)
    }

    /// Every event that was appended or received, in the order it came.
    pub fn events(&self) -> Vec<Event> {
        let state = self.state();
        let lines = state.events.batches.iter().flatten().filter_map(|hash| state.events.lines.get(hash));
        lines
            .filter_map(|line| match line {
                Line::Event(event) => Some((**event).clone()),
                Line::Stub(_) => None,
            })
            .collect()
    }
}

impl EventLog for MemoryLog {
    fn append(&self, read: &ReadSet, mut seal: Sealer) -> std::result::Result<Appended, AppendError> {
        let mut state = self.state();
        if let Some(conflict) = read.conflict(&IndexReading(&state.index))? {
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
        state.keep(events.iter().map(|event| Line::Event(Box::new(event.clone()))).collect(), true)?;
        Ok(Appended { events })
    }

    fn since(&self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>> {
        let state = self.state();
        let from = usize::try_from(at.at).unwrap_or(usize::MAX);
        let mut told = Vec::new();
        let mut bytes = 0;
        for (number, hashes) in state.events.batches.iter().enumerate().skip(from) {
            let lines: Vec<Line> =
                hashes.iter().filter_map(|hash| state.events.lines.get(hash).cloned()).collect();
            bytes += lines.iter().map(line_bytes).sum::<u64>();
            if bytes > limit.0 && !told.is_empty() {
                break;
            }
            told.push(LoggedBatch { lines, end: Cursor { at: number as u64 + 1, ..at } });
        }
        Ok(told)
    }

    fn event(&self, hash: &EventHash) -> Result<Option<Line>> {
        Ok(self.state().events.lines.get(hash).cloned())
    }

    fn receive(&self, lines: Vec<Arrived>, _: Arrival) -> Result<Received> {
        check_arrived(&lines)?;
        let mut state = self.state();
        let mut received = Received::default();
        let mut fresh: Vec<Line> = Vec::new();
        let mut seen = HashSet::new();
        for Arrived { line, .. } in lines {
            let hash = hash_of(&line);
            let erased = match &line {
                Line::Event(event) => state.index.purge_counts(event).map_err(index_error)?,
                Line::Stub(_) => false,
            };
            if erased || state.events.lines.contains_key(&hash) || !seen.insert(hash) {
                received.known += 1;
            } else {
                fresh.push(line);
            }
        }
        received.new = fresh.len();
        state.keep(fresh, false)?;
        Ok(received)
    }

    fn erase(&self, hashes: &[EventHash]) -> Result<()> {
        let mut state = self.state();
        for hash in hashes {
            if let Some(Line::Event(event)) = state.events.lines.get(hash)
                && !state.index.purge_counts(event).map_err(index_error)?
            {
                return Err(not_purged(hash));
            }
        }
        for hash in hashes {
            if let Some(Line::Event(event)) = state.events.lines.get(hash) {
                let stub = Line::Stub(event.stub());
                state.events.lines.insert(*hash, stub);
            }
        }
        state.rebuild()
    }
}

impl Reading for MemoryLog {
    fn version(&self, key: EntryKey) -> Result<Version> {
        IndexReading(&self.state().index).version(key)
    }

    fn id_holder(&self, id: &GivenId) -> Result<Option<EntryKey>> {
        IndexReading(&self.state().index).id_holder(id)
    }

    fn has_handle(&self, handle: &str) -> Result<bool> {
        IndexReading(&self.state().index).has_handle(handle)
    }

    fn merge_holder(&self, name: &str) -> Result<Option<EntryKey>> {
        IndexReading(&self.state().index).merge_holder(name)
    }
}

/// A store over a log in memory: the engine's ports with the projection that the store on disk has.
pub struct MemoryStore {
    log: MemoryLog,
    held: BTreeMap<EntryKey, Value>,
    overlays: OverlayLog,
    vectors: Option<(String, VectorFile)>,
    /// Vectors and overlays are files wherever they are.
    folder: tempfile::TempDir,
}

impl MemoryStore {
    /// An empty store of some clone. Panics where there is no folder for temporary files.
    pub fn new(replica: ReplicaId) -> MemoryStore {
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let home = folder.path().to_owned();
        MemoryStore {
            log: MemoryLog::new(replica).expect("SQLite opens in memory"),
            held: BTreeMap::new(),
            overlays: OverlayLog::open(Arc::new(RealDisk), &home, &[&home]),
            vectors: None,
            folder,
        }
    }

    pub fn log(&self) -> &MemoryLog {
        &self.log
    }

    /// Everything that was said, in the order it was said.
    pub fn events(&self) -> Vec<Event> {
        self.log.events()
    }

    fn with<T>(&self, ask: impl FnOnce(&Index, &Events) -> rusqlite::Result<T>) -> Result<T> {
        let state = self.log.state();
        ask(&state.index, &state.events).map_err(index_error)
    }

    /// Makes the vectors that are missing: nothing waits here.
    fn embed(&mut self, embedder: &dyn ken_engine::Embedder) -> Result<()> {
        let card = embedder.card();
        let state = self.log.state();
        if self.vectors.as_ref().is_none_or(|(model, _)| *model != card.name) {
            let mut vectors = VectorFile::open(self.folder.path(), &card.name, card.dimensions);
            state.index.use_vectors(&card.name, &mut vectors).map_err(index_error)?;
            self.vectors = Some((card.name.clone(), vectors));
        }
        let Some((_, vectors)) = &mut self.vectors else { return Ok(()) };
        loop {
            let texts = state.index.unembedded(64).map_err(index_error)?;
            if texts.is_empty() {
                return Ok(());
            }
            let slots = vectors_for(vectors, embedder, &texts)?;
            if slots.len() != texts.len() {
                let problem = format!("{} returned embeddings that differ from its model card", card.name);
                return Err(Error::failed("computing embeddings")(problem));
            }
            state.index.embedded(&texts, &slots).map_err(index_error)?;
        }
    }
}

impl View for MemoryStore {
    type Error = Error;

    fn entry(&self, key: EntryKey) -> Result<Option<Entry>> {
        Ok(self.with(|index, _| index.stored(key))?.map(|stored| stored.entry))
    }

    fn holder(&self, id: &GivenId) -> Result<Option<EntryKey>> {
        self.with(|index, _| index.holder(id.as_str()))
    }

    fn handle_taken(&self, handle: &str) -> Result<bool> {
        self.with(|index, _| index.handle_taken(handle))
    }

    fn merged(&self, name: &str) -> Result<Option<EntryKey>> {
        self.with(|index, _| index.merged(name))
    }
}

impl Quarantine for MemoryStore {
    fn hold(&mut self, key: EntryKey, held: &Value) -> Result<()> {
        self.held.insert(key, held.clone());
        Ok(())
    }

    fn held(&self, key: EntryKey) -> Result<Option<Value>> {
        Ok(self.held.get(&key).cloned())
    }

    fn let_go(&mut self, key: EntryKey) -> Result<()> {
        self.held.remove(&key);
        Ok(())
    }
}

impl Promotions for MemoryStore {
    fn promotions(&self) -> Result<Vec<Promotion>> {
        Ok(Promotion::fold_all(&self.with(|index, events| index.promotions(events))?))
    }
}

impl Documents for MemoryStore {
    fn documents(&self, format: Option<&str>, root: Option<&str>) -> Result<Vec<DocumentLine>> {
        self.with(|index, events| index.documents(format, root, events))
    }

    fn document(&self, name: &DocumentName) -> Result<Option<Kept>> {
        self.with(|index, events| index.document(name, events))
    }

    fn quoting(&self, key: EntryKey) -> Result<Vec<Event>> {
        self.with(|index, events| index.quoting(key, events))
    }

    fn was_purged(&self, key: EntryKey) -> Result<bool> {
        self.with(|index, _| index.was_purged(key))
    }

    fn homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>> {
        self.with(|index, _| index.homes())
    }

    fn former_homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>> {
        self.with(|index, _| index.former_homes())
    }
}

impl Runs for MemoryStore {
    fn run(&self, name: &str) -> Result<Option<Run>> {
        Ok(Run::fold(&self.with(|index, events| index.run_events(name, events))?))
    }

    fn runs(&self) -> Result<Vec<Run>> {
        Ok(Run::fold_all(&self.with(|index, events| index.runs(events))?))
    }

    fn serviced(&self, since: Millis) -> Result<Vec<Serviced>> {
        self.with(|index, events| index.serviced(since, events))
    }

    fn exposures(&self, run: &str) -> Result<Vec<Exposure>> {
        self.with(|index, _| index.exposures(run))
    }

    fn shown_to(&self, run: &str, agent: &str) -> Result<HashSet<EntryKey>> {
        self.with(|index, _| index.shown_to(run, agent))
    }

    fn shown(&self, key: EntryKey, since: Millis) -> Result<Vec<(String, Exposure)>> {
        self.with(|index, _| index.shown(key, since))
    }

    fn injected_by(&self, actor: &str, since: Millis) -> Result<Vec<(String, Exposure)>> {
        self.with(|index, _| index.injected_by(actor, since))
    }

    fn injected(&self, key: EntryKey) -> Result<Vec<Injected>> {
        self.with(|index, _| index.injected(key))
    }

    fn uses(&self, key: EntryKey) -> Result<Vec<Use>> {
        self.with(|index, _| index.uses(key))
    }

    fn made_in(&self, run: &str) -> Result<Vec<EntryKey>> {
        self.with(|index, _| index.made_in(run))
    }

    fn at_path(&self, path: &str) -> Result<Vec<EntryKey>> {
        self.with(|index, _| index.at_path(path))
    }

    fn times_shown(&self) -> Result<BTreeMap<EntryKey, usize>> {
        self.with(|index, _| index.times_shown())
    }

    fn questions(&self, since: Millis, latest: usize) -> Result<Questions> {
        self.with(|index, events| index.questions(since, latest, events))
    }
}

impl Overlays for MemoryStore {
    fn overlay(&self, key: EntryKey) -> Overlay {
        self.overlays.overlay(key)
    }

    fn lay(&mut self, event: OverlayEvent) -> Result<bool> {
        self.overlays.lay(&event).map_err(Error::failed("writing overlays; nothing was changed"))
    }
}

impl Ledger for MemoryStore {
    fn tied_to(&self, key: EntryKey) -> Result<Vec<(Relation, EntryKey)>> {
        recall::tied_to(&self.log.state().index, key)
    }

    fn replica(&mut self) -> Result<ReplicaId> {
        Ok(self.log.state().replica)
    }

    fn append_on(&mut self, read: &ReadSet, intents: Vec<Intent>, writer: &Writer) -> Result<Vec<Event>> {
        if intents.is_empty() {
            return Ok(Vec::new());
        }
        let redacted = Redacted::new(intents, writer)?;
        let floors = floors(&self.log.state().index, redacted.intents())?;
        let bases = bases(&self.log.state().index, redacted.intents())?;
        let sealer: Sealer = Box::new(move |tail| Ok(seal(&redacted, &floors, &bases, tail)));
        Ok(self.log.append(read, sealer)?.events)
    }

    fn version(&self, key: EntryKey) -> Result<Version> {
        Reading::version(&self.log, key)
    }

    fn resolve(&self, name: &str) -> Result<Vec<EntryKey>> {
        self.with(|index, _| index.resolve(name))
    }

    fn stored(&self, key: EntryKey) -> Result<Option<Stored>> {
        let stored = self.with(|index, _| index.stored(key))?;
        Ok(stored.map(|stored| Stored { checkout: None, overlay: self.overlays.overlay(key), ..stored }))
    }

    fn list(&self, query: &Query) -> Result<Page> {
        list(&self.log.state().index, &self.overlays, query)
    }

    fn glances(&self) -> Result<Arc<Vec<Glance>>> {
        let mut all = self.with(|index, _| index.glances())?;
        for glance in &mut all {
            let overlay = self.overlays.overlay(glance.key);
            (glance.pinned, glance.hidden) = (overlay.pinned.is_some(), overlay.hides());
        }
        Ok(Arc::new(all))
    }

    fn history(&self, key: EntryKey) -> Result<Vec<Placed>> {
        let state = self.log.state();
        let mut found = Vec::new();
        for hash in state.events.by_entry.get(&key).into_iter().flatten() {
            if let Some(Line::Event(event)) = state.events.lines.get(hash)
                && !state.index.purge_counts(event).map_err(index_error)?
            {
                found.push(Placed { event: (**event).clone(), line: None });
            }
        }
        found.sort_by_key(|placed| placed.event.order());
        Ok(found)
    }

    fn subjects(&self) -> Result<Vec<Subject>> {
        self.with(|index, _| index.subjects())
    }

    fn latest_by(&self, actor: &str) -> Result<Vec<Event>> {
        let state = self.log.state();
        for hashes in state.events.batches.iter().rev() {
            let appended = hashes.iter().filter(|hash| state.events.appended.contains(hash));
            let events: Vec<Event> = appended
                .filter_map(|hash| match state.events.lines.get(hash) {
                    Some(Line::Event(event)) if event.actor == actor && !event.is_record() => {
                        Some((**event).clone())
                    }
                    _ => None,
                })
                .collect();
            if !events.is_empty() {
                return Ok(events);
            }
        }
        Ok(Vec::new())
    }
}

/// The slow ways that every ledger has: a test compares them with the ones that read columns.
impl Upkeep for MemoryStore {}

impl Recall for MemoryStore {
    fn relevant(&mut self, asked: &Asked<'_>) -> Result<Relevant> {
        let embedder = asked.embedder.filter(|_| asked.mode != Mode::Lexical);
        let problem = embedder.and_then(|embedder| self.embed(embedder).err());
        let state = self.log.state();
        let (vectors, overlays) = (self.vectors.as_ref(), Some(&self.overlays));
        let mut answer = Asking { index: &state.index, files: None, vectors, overlays }.ask(asked)?;
        if let Some(problem) = problem {
            answer.fallback = Some(problem.to_string());
        }
        Ok(answer)
    }

    fn digest(&self) -> Result<String> {
        recall::digest(&self.log.state().index)
    }

    fn setting(&self, name: &str) -> Result<Option<Value>> {
        recall::setting(&self.log.state().index, name)
    }

    fn backlog(&self) -> Result<usize> {
        Ok(0)
    }
}
