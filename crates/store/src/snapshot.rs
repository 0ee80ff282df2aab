//! The store as it was: at a time, or in a commit (STO-11). Answers and records nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use ken_core::decide::View;
use ken_core::event::{Line, read_line};
use ken_core::promotion::Promotion;
use ken_core::run::{Exposure, Run};
use ken_core::{
    Code, DocumentName, Entry, EntryKey, Event, EventHash, GivenId, Intent, Kept, Millis, Overlay,
    OverlayEvent, Refusal, Relation, ReplicaId, Serviced,
};
use ken_engine::{
    Asked, DocumentLine, Documents, Error, Glance, Injected, Ledger, Overlays, Page, Placed, Promotions,
    Quarantine, Query, Questions, ReadSet, Recall, Relevant, Result, Runs, Stored, Subject, Use, Version,
    Writer,
};
use serde_json::Value;

use crate::catalogue::{Catalogue, IndexUpdate, Lines};
use crate::disk::Looks;
use crate::journal::Position;
use crate::lines::FileLines;
use crate::store::recall::{self, Asking};
use crate::store::{Store, index_error};
use ken_index::vectors::VectorFile;

/// A read-only answer from some set of events.
pub struct Snapshot {
    index: Catalogue,
    lines: Memory,
    vectors: Option<(String, VectorFile)>,
}

#[derive(Default)]
struct Memory {
    bytes: Vec<u8>,
}

impl Lines for Memory {
    fn line_of_file(&self, _path: &str, at: u64, length: u64) -> Option<Line> {
        let at = usize::try_from(at).ok()?;
        let bytes = self.bytes.get(at..at + usize::try_from(length).ok()?)?;
        read_line(std::str::from_utf8(bytes).ok()?).ok()
    }

    fn lines_of_frame(&self, _journal: i64, _start: Position, _length: u64) -> Vec<Line> {
        Vec::new()
    }
}

/// What a snapshot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It is asked questions, too.
    Search,
    /// It is listed and compared only.
    Comparison,
}

/// Lines in memory, with the index that knows most of what they come to.
struct Building<'a> {
    memory: &'a Memory,
    known: &'a Catalogue,
}

impl Lines for Building<'_> {
    fn line_of_file(&self, path: &str, at: u64, length: u64) -> Option<Line> {
        self.memory.line_of_file(path, at, length)
    }

    fn lines_of_frame(&self, journal: i64, start: Position, length: u64) -> Vec<Line> {
        self.memory.lines_of_frame(journal, start, length)
    }

    fn folded(&self, key: EntryKey, events: &[EventHash]) -> rusqlite::Result<Option<Entry>> {
        self.known.folded_from(key, events)
    }
}

impl Snapshot {
    /// The fold of some lines, as seen by a clone.
    ///
    /// `released` are the releases that a person gave in this clone: only those count. What the clone's own index folded from the same
    /// events is taken from there: scanning it once more would say the same.
    pub(crate) fn new(
        lines: impl IntoIterator<Item = Line>,
        known: &Catalogue,
        purpose: Purpose,
        own: Option<ReplicaId>,
        released: HashSet<EventHash>,
    ) -> Result<Snapshot> {
        let mut index = Catalogue::in_memory().map_err(index_error)?;
        match purpose {
            Purpose::Search => {}
            Purpose::Comparison => index.leave_unsearched(),
        }
        index.set_own(own).map_err(index_error)?;
        let mut memory = Memory::default();
        let mut file = FileLines {
            path: "ledger".into(),
            looks: NOTHING,
            lines: Vec::new(),
            stubs: 0,
            problems: Vec::new(),
        };
        for line in lines {
            let text = match &line {
                Line::Event(event) => event.line().to_owned(),
                Line::Stub(stub) => {
                    file.stubs += 1;
                    stub.line()
                }
            };
            let at = memory.bytes.len() as u64;
            memory.bytes.extend_from_slice(text.as_bytes());
            file.lines.push((line, at, text.len() as u64));
        }
        let files: Option<Box<dyn Iterator<Item = FileLines>>> = Some(Box::new(std::iter::once(file)));
        let news = IndexUpdate { files, own: released, ..IndexUpdate::default() };
        let building = Building { memory: &memory, known };
        index.take(news, &building).map_err(index_error)?;
        Ok(Snapshot { index, lines: memory, vectors: None })
    }

    pub(crate) fn use_vectors(&mut self, model: &str, mut vectors: VectorFile) -> Result<()> {
        self.index.use_vectors(model, &mut vectors).map_err(index_error)?;
        self.vectors = Some((model.to_owned(), vectors));
        Ok(())
    }

    /// How many entries of each memory, type and status there are.
    pub fn counts(&self) -> Result<Vec<(String, String, String, i64)>> {
        self.index.counts().map_err(index_error)
    }
}

const NOTHING: Looks = Looks { size: 0, mtime: 0, inode: 0, is_folder: false, is_file: true };

impl Store {
    /// Every line of journal and tree, once each.
    pub(crate) fn all_lines(&self) -> Result<Vec<Line>> {
        let mut seen: HashMap<EventHash, Line> = HashMap::new();
        let mut keep = |line: Line| {
            let hash = match &line {
                Line::Event(event) => event.hash,
                Line::Stub(stub) => stub.hash,
            };
            // What is still there somewhere counts, whatever another place has left of it.
            let is_event = matches!(line, Line::Event(_));
            let known = seen.entry(hash).or_insert_with(|| line.clone());
            if is_event && matches!(known, Line::Stub(_)) {
                *known = line;
            }
        };
        for file in self.tree().read_all(self.tree().all_files()) {
            file.lines.into_iter().for_each(|(line, _, _)| keep(line));
        }
        for journal in self.journals() {
            let (frames, _) = journal
                .read(Position { segment: 1, offset: 0 })
                .map_err(Error::failed("reading the journal"))?;
            frames
                .iter()
                .flat_map(|frame| &frame.records)
                .filter_map(|record| record.line().ok())
                .for_each(&mut keep);
        }
        Ok(seen.into_values().collect())
    }

    /// The releases among some lines that this clone's journal has: a person gave them here.
    pub(crate) fn released_here(&self, lines: &[Line]) -> Result<HashSet<EventHash>> {
        let events = lines.iter().filter_map(|line| match line {
            Line::Event(event) if event.type_name == "entry.released" => Some(event),
            Line::Event(_) | Line::Stub(_) => None,
        });
        let own = events.filter(|event| Some(event.replica) == self.own());
        let mut released = HashSet::new();
        for event in own {
            if self.index().frame_of(&event.hash).map_err(index_error)?.is_some() {
                released.insert(event.hash);
            }
        }
        Ok(released)
    }

    /// Lines without those that were purged here.
    pub(crate) fn unpurged(&self, lines: Vec<Line>) -> Result<Vec<Line>> {
        if !self.index().has_purges().map_err(index_error)? {
            return Ok(lines);
        }
        let mut kept = Vec::with_capacity(lines.len());
        for line in lines {
            let purged = match &line {
                Line::Event(event) => self.index().purge_counts(event).map_err(index_error)?,
                Line::Stub(_) => false,
            };
            kept.extend((!purged).then_some(line));
        }
        Ok(kept)
    }
}

impl View for Snapshot {
    type Error = Error;

    fn entry(&self, key: EntryKey) -> Result<Option<Entry>> {
        Ok(self.index.stored(key).map_err(index_error)?.map(|stored| stored.entry))
    }

    fn holder(&self, id: &GivenId) -> Result<Option<EntryKey>> {
        self.index.holder(id.as_str()).map_err(index_error)
    }

    fn handle_taken(&self, handle: &str) -> Result<bool> {
        self.index.handle_taken(handle).map_err(index_error)
    }

    fn merged(&self, name: &str) -> Result<Option<EntryKey>> {
        self.index.merged(name).map_err(index_error)
    }
}

pub(crate) fn past() -> Error {
    Refusal::new(Code::ReadOnly, "a past state cannot be changed").hint("omit --as-of").into()
}

/// About the past nothing is laid over anything.
impl Overlays for Snapshot {
    fn overlay(&self, _: EntryKey) -> Overlay {
        Overlay::default()
    }

    fn lay(&mut self, _: OverlayEvent) -> Result<bool> {
        Err(past())
    }
}

impl Quarantine for Snapshot {
    fn hold(&mut self, _: EntryKey, _: &Value) -> Result<()> {
        Err(past())
    }

    fn held(&self, _: EntryKey) -> Result<Option<Value>> {
        Ok(None)
    }

    fn let_go(&mut self, _: EntryKey) -> Result<()> {
        Err(past())
    }
}

/// Searching the past: by its words, and by the meaning of texts whose vectors this clone has.
impl Recall for Snapshot {
    fn relevant(&mut self, asked: &Asked<'_>) -> Result<Relevant> {
        let asking = Asking {
            index: &self.index,
            files: Some(&self.index),
            vectors: self.vectors.as_ref(),
            overlays: None,
        };
        let mut answer = asking.ask(asked)?;
        if self.vectors.as_ref().is_some_and(|(_, vectors)| vectors.take_damage()) {
            let damaged = || "some embeddings are damaged; `ken embed` recomputes them".to_owned();
            answer.fallback.get_or_insert_with(damaged);
        }
        Ok(answer)
    }

    fn digest(&self) -> Result<String> {
        recall::digest(&self.index)
    }

    fn setting(&self, name: &str) -> Result<Option<Value>> {
        recall::setting(&self.index, name)
    }

    fn backlog(&self) -> Result<usize> {
        self.index.unembedded_count().map_err(index_error)
    }
}

impl Promotions for Snapshot {
    fn promotions(&self) -> Result<Vec<Promotion>> {
        let events = self.index.promotions(&self.lines).map_err(index_error)?;
        Ok(Promotion::fold_all(&events))
    }
}

impl Documents for Snapshot {
    fn documents(&self, format: Option<&str>, root: Option<&str>) -> Result<Vec<DocumentLine>> {
        self.index.documents(format, root, &self.lines).map_err(index_error)
    }

    fn document(&self, name: &DocumentName) -> Result<Option<Kept>> {
        self.index.document(name, &self.lines).map_err(index_error)
    }

    fn quoting(&self, key: EntryKey) -> Result<Vec<Event>> {
        self.index.quoting(key, &self.lines).map_err(index_error)
    }

    fn was_purged(&self, key: EntryKey) -> Result<bool> {
        self.index.was_purged(key).map_err(index_error)
    }

    fn homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>> {
        self.index.homes().map_err(index_error)
    }

    fn former_homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>> {
        self.index.former_homes().map_err(index_error)
    }
}

impl Runs for Snapshot {
    fn run(&self, name: &str) -> Result<Option<Run>> {
        let events = self.index.run_events(name, &self.lines).map_err(index_error)?;
        Ok(Run::fold(&events))
    }

    fn runs(&self) -> Result<Vec<Run>> {
        let events = self.index.runs(&self.lines).map_err(index_error)?;
        Ok(Run::fold_all(&events))
    }

    fn serviced(&self, since: Millis) -> Result<Vec<Serviced>> {
        self.index.serviced(since, &self.lines).map_err(index_error)
    }

    fn exposures(&self, run: &str) -> Result<Vec<Exposure>> {
        self.index.exposures(run).map_err(index_error)
    }

    fn shown_to(&self, run: &str, agent: &str) -> Result<HashSet<EntryKey>> {
        self.index.shown_to(run, agent).map_err(index_error)
    }

    fn shown(&self, key: EntryKey, since: Millis) -> Result<Vec<(String, Exposure)>> {
        self.index.shown(key, since).map_err(index_error)
    }

    fn injected_by(&self, actor: &str, since: Millis) -> Result<Vec<(String, Exposure)>> {
        self.index.injected_by(actor, since).map_err(index_error)
    }

    fn injected(&self, key: EntryKey) -> Result<Vec<Injected>> {
        self.index.injected(key).map_err(index_error)
    }

    fn uses(&self, key: EntryKey) -> Result<Vec<Use>> {
        self.index.uses(key).map_err(index_error)
    }

    fn made_in(&self, run: &str) -> Result<Vec<EntryKey>> {
        self.index.made_in(run).map_err(index_error)
    }

    fn at_path(&self, path: &str) -> Result<Vec<EntryKey>> {
        self.index.at_path(path).map_err(index_error)
    }

    fn times_shown(&self) -> Result<BTreeMap<EntryKey, usize>> {
        self.index.times_shown().map_err(index_error)
    }

    fn questions(&self, since: Millis, latest: usize) -> Result<Questions> {
        self.index.questions(since, latest, &self.lines).map_err(index_error)
    }
}

impl Ledger for Snapshot {
    fn tied_to(&self, key: EntryKey) -> Result<Vec<(Relation, EntryKey)>> {
        recall::tied_to(&self.index, key)
    }

    fn replica(&mut self) -> Result<ReplicaId> {
        Err(past())
    }

    fn append_on(&mut self, _read: &ReadSet, _intents: Vec<Intent>, _writer: &Writer) -> Result<Vec<Event>> {
        Err(past())
    }

    fn version(&self, _key: EntryKey) -> Result<Version> {
        Err(past())
    }

    fn resolve(&self, name: &str) -> Result<Vec<EntryKey>> {
        self.index.resolve(name).map_err(index_error)
    }

    fn stored(&self, key: EntryKey) -> Result<Option<Stored>> {
        let stored = self.index.stored(key).map_err(index_error)?;
        Ok(stored.map(|stored| Stored { checkout: None, ..stored }))
    }

    fn list(&self, query: &Query) -> Result<Page> {
        self.index.list(query).map_err(index_error)
    }

    fn glances(&self) -> Result<Arc<Vec<Glance>>> {
        self.index.glances().map(Arc::new).map_err(index_error)
    }

    fn history(&self, key: EntryKey) -> Result<Vec<Placed>> {
        let found = self.index.history(key, &self.lines).map_err(index_error)?;
        Ok(found.into_iter().map(|placed| Placed { line: None, ..placed }).collect())
    }

    fn subjects(&self) -> Result<Vec<Subject>> {
        self.index.subjects().map_err(index_error)
    }

    fn latest_by(&self, _actor: &str) -> Result<Vec<Event>> {
        Ok(Vec::new())
    }
}
