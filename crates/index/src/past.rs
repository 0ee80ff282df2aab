//! The projection of some set of events: a log as it was at a time, or in a commit (STO-11). It answers and records nothing.

use std::collections::{HashMap, HashSet};

use ken_core::event::{Line, read_line};
use ken_core::exposed::cut_off;
use ken_core::{Clock, Entry, EntryKey, Event, EventHash, Millis, ReplicaId};
use ken_engine::log::hash_of;
use ken_engine::{CloneState, Overlays, Placed, Result, Stored};

use crate::error::index_error;
use crate::projection::{Base, LogOrder, Projected};
use crate::vectors::VectorFile;
use crate::{Extension, Index, Source, SqlResult};

/// The reads of some set of events.
pub type Past = Projected<PastBase>;

/// What such a set gives its projection.
pub struct PastBase {
    index: Index,
    lines: Lines,
    vectors: Option<(String, VectorFile)>,
}

impl PastBase {
    /// Uses the vectors of a model: texts that have none are found by their words.
    pub fn use_vectors(&mut self, model: &str, mut vectors: VectorFile) -> Result<()> {
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
        Box::new(&self.lines)
    }

    /// About the past nothing is laid over anything.
    fn overlays(&self) -> Option<&Overlays> {
        None
    }

    fn vectors(&self) -> Option<&(String, VectorFile)> {
        self.vectors.as_ref()
    }

    fn stored(&self, key: EntryKey) -> SqlResult<Option<Stored>> {
        Ok(self.index.stored(key)?.map(|stored| Stored { checkout: None, ..stored }))
    }

    fn history(&self, key: EntryKey) -> Result<Vec<Placed>> {
        let hashes = self.index.events_of(key).map_err(index_error)?;
        let mut found = Vec::with_capacity(hashes.len());
        for event in hashes.iter().filter_map(|hash| self.lines.event(hash)) {
            if !self.index.purge_counts(&event).map_err(index_error)? {
                found.push(Placed { event, line: None });
            }
        }
        found.sort_by_key(|placed| placed.event.order());
        Ok(found)
    }

    fn order(&self) -> Option<&dyn LogOrder> {
        None
    }

    fn state(&self) -> Option<&dyn CloneState> {
        None
    }
}

/// The texts of events, one after the other: parsed they would take several times as much.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    places: HashMap<EventHash, (usize, usize)>,
    /// Events that this clone wrote itself.
    own: HashMap<EntryKey, HashSet<EventHash>>,
}

impl Lines {
    fn event(&self, hash: &EventHash) -> Option<Event> {
        let (at, length) = self.places.get(hash)?;
        let text = std::str::from_utf8(self.bytes.get(*at..at + length)?).ok()?;
        match read_line(text).ok()? {
            Line::Event(event) => Some(*event),
            Line::Stub(_) => None,
        }
    }

    fn keep(&mut self, event: &Event) {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(event.line().as_bytes());
        self.places.insert(event.hash, (at, event.line().len()));
    }
}

impl Source for Lines {
    fn event(&self, hash: &EventHash) -> SqlResult<Option<Event>> {
        Ok(Lines::event(self, hash))
    }

    fn written_here(&self, key: EntryKey) -> SqlResult<HashSet<EventHash>> {
        Ok(self.own.get(&key).cloned().unwrap_or_default())
    }
}

/// Lines in memory, with an index that knows most of what they come to.
struct Building<'a> {
    lines: &'a Lines,
    known: &'a Index,
}

impl Source for Building<'_> {
    fn event(&self, hash: &EventHash) -> SqlResult<Option<Event>> {
        Ok(self.lines.event(hash))
    }

    fn written_here(&self, key: EntryKey) -> SqlResult<HashSet<EventHash>> {
        Source::written_here(self.lines, key)
    }

    fn folded(&self, key: EntryKey, events: &[EventHash]) -> SqlResult<Option<Entry>> {
        self.known.folded_from(key, events)
    }
}

/// What such a projection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is asked questions, too.
    Search,
    /// It is listed and compared only.
    Comparison,
}

/// Lines as they were at a time. Purges count whenever they were made.
pub fn cut(lines: &mut Vec<Line>, time: Millis) {
    let end = Clock::end_of(time);
    lines.retain_mut(|line| match line {
        Line::Event(event) => event.clock <= end || event.type_name == "entry.purged" || cut_off(event, end),
        Line::Stub(_) => true,
    });
}

/// Lines without those that a purge names which counts for an index.
pub fn unpurged(index: &Index, lines: Vec<Line>) -> Result<Vec<Line>> {
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

/// The projection of some lines, as seen by a clone.
///
/// `released` are the releases that a person gave in this clone: only those count. What the clone's own index folded from the same
/// events is taken from there: scanning it once more would say the same.
pub fn past(
    lines: impl IntoIterator<Item = Line>,
    known: &Index,
    purpose: Purpose,
    own: Option<ReplicaId>,
    released: &HashSet<EventHash>,
) -> Result<Past> {
    let mut index = Index::in_memory(Extension::NONE).map_err(index_error)?;
    match purpose {
        Purpose::Search => {}
        Purpose::Comparison => index.leave_unsearched(),
    }
    index.set_own(own).map_err(index_error)?;
    let mut kept = Lines::default();
    let mut told: Vec<Line> = Vec::new();
    let mut at: HashMap<EventHash, usize> = HashMap::new();
    for line in lines {
        // What is still there somewhere counts, whatever another place has left of it.
        match at.get(&hash_of(&line)) {
            None => {
                at.insert(hash_of(&line), told.len());
                told.push(line);
            }
            Some(known) if matches!(told[*known], Line::Stub(_)) => told[*known] = line,
            Some(_) => {}
        }
    }
    for line in &told {
        let Line::Event(event) = line else { continue };
        kept.keep(event);
        if let Some(key) = event.entry.filter(|_| released.contains(&event.hash)) {
            kept.own.entry(key).or_default().insert(event.hash);
        }
    }
    index.begin_write().map_err(index_error)?;
    let building = Building { lines: &kept, known };
    let mut intake = index.intake(&building);
    for line in told {
        let is_own = released.contains(&hash_of(&line));
        intake.line(line, false, is_own).map_err(index_error)?;
    }
    intake.finish().map_err(index_error)?;
    index.end_write().map_err(index_error)?;
    Ok(Projected::new(PastBase { index, lines: kept, vectors: None }))
}
