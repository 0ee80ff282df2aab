//! The store as it was: at a time, or in a commit (STO-11). Answers and records nothing.

use std::collections::{HashMap, HashSet};

use ken_core::event::{Line, read_line};
use ken_core::exposed::cut_off;
use ken_core::{Clock, Entry, EntryKey, Event, EventHash, Millis, ReplicaId};
use ken_engine::{Error, LogEnd, Placed, Result, Stored};
use ken_index::vectors::VectorFile;
use ken_index::{Base, Index, Overlays, Projected, Source};
use serde_json::Value;

use crate::catalogue::{Catalogue, IndexUpdate, Lines};
use crate::disk::Looks;
use crate::journal::Position;
use crate::lines::FileLines;
use crate::store::{Store, index_error};

/// The reads of some set of events.
pub type Snapshot = Projected<PastBase>;

/// What such a set gives its projection.
pub struct PastBase {
    index: Catalogue,
    lines: Memory,
    vectors: Option<(String, VectorFile)>,
}

impl PastBase {
    /// Uses the vectors of a model: texts that have none are found by their words.
    pub(crate) fn use_vectors(&mut self, model: &str, mut vectors: VectorFile) -> Result<()> {
        self.index.use_vectors(model, &mut vectors).map_err(index_error)?;
        self.vectors = Some((model.to_owned(), vectors));
        Ok(())
    }
}

impl Base for PastBase {
    fn index(&self) -> &Index {
        &self.index
    }

    fn source(&self) -> Box<dyn Source + '_> {
        Box::new(self.index.source(&self.lines))
    }

    /// About the past nothing is laid over anything.
    fn overlays(&self) -> Option<&Overlays> {
        None
    }

    fn vectors(&self) -> Option<&(String, VectorFile)> {
        self.vectors.as_ref()
    }

    fn stored(&self, key: EntryKey) -> rusqlite::Result<Option<Stored>> {
        Ok(Index::stored(&self.index, key)?.map(|stored| Stored { checkout: None, ..stored }))
    }

    fn file_of(&self, key: EntryKey) -> rusqlite::Result<Option<String>> {
        self.index.file_of(key)
    }

    fn history(&self, key: EntryKey) -> Result<Vec<Placed>> {
        let found = self.index.history(key, &self.lines).map_err(index_error)?;
        Ok(found.into_iter().map(|placed| Placed { line: None, ..placed }).collect())
    }

    fn latest_by(&self, _actor: &str) -> Result<Vec<Event>> {
        Ok(Vec::new())
    }

    fn log_end(&self) -> Result<Option<LogEnd>> {
        Ok(None)
    }

    fn held(&self, _key: EntryKey) -> Result<Option<Value>> {
        Ok(None)
    }
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
    known: &'a Index,
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

/// Lines as they were at a time. Purges count whenever they were made.
pub(crate) fn cut(lines: &mut Vec<Line>, time: Millis) {
    let end = Clock::end_of(time);
    lines.retain_mut(|line| match line {
        Line::Event(event) => event.clock <= end || event.type_name == "entry.purged" || cut_off(event, end),
        Line::Stub(_) => true,
    });
}

/// Lines without those that a purge names which counts for an index.
pub(crate) fn unpurged(index: &Index, lines: Vec<Line>) -> Result<Vec<Line>> {
    if !index.has_purges().map_err(index_error)? {
        return Ok(lines);
    }
    let mut kept = Vec::with_capacity(lines.len());
    for line in lines {
        let purged = match &line {
            Line::Event(event) => index.purge_counts(event).map_err(index_error)?,
            Line::Stub(_) => false,
        };
        kept.extend((!purged).then_some(line));
    }
    Ok(kept)
}

/// The fold of some lines, as seen by a clone.
///
/// `released` are the releases that a person gave in this clone: only those count. What the clone's own index folded from the same
/// events is taken from there: scanning it once more would say the same.
pub(crate) fn snapshot(
    lines: impl IntoIterator<Item = Line>,
    known: &Index,
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
    Ok(Projected::new(PastBase { index, lines: memory, vectors: None }))
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
        unpurged(self.index(), lines)
    }
}
