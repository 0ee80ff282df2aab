//! What the log in PostgreSQL gives its projection: this node's copy of it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ken_core::event::{Event, Line};
use ken_core::{EntryKey, EventHash};
use ken_engine::log::last_lines;
use ken_engine::overlays::overlays;
use ken_engine::{CloneState, Cursor, LogEnd, LoggedBatch, Overlays, Placed, Result, Stored};
use ken_index::vectors::VectorFile;
use ken_index::{Base, Caches, Index, KeepsVectors, LogOrder, Source, index_error};

use crate::PostgresLog;
use crate::cache::{EXTENSION, Lines, OwnBatch, event_of};

/// A connection to the cache, for one call.
pub struct PostgresBase {
    pub(crate) log: Arc<PostgresLog>,
    index: Index,
    /// Which cache it is.
    generation: u64,
    overlays: Overlays,
    vectors: Option<(String, VectorFile)>,
}

impl PostgresBase {
    pub(crate) fn new(log: Arc<PostgresLog>) -> Result<PostgresBase> {
        let (index, generation) = open(&log)?;
        Ok(PostgresBase { log, index, generation, overlays: Overlays::default(), vectors: None })
    }

    pub(crate) fn lines(&self) -> Lines<'_> {
        Lines(self.index.connection())
    }

    /// Sees what the cache knows by now. Says whether it is another one.
    pub(crate) fn follow(&mut self) -> Result<bool> {
        (self.overlays, _) = overlays(&*self.log.state)?;
        let is_other = self.log.generation.load(Ordering::Acquire) != self.generation;
        if is_other {
            (self.index, self.generation) = open(&self.log)?;
        }
        self.index.read_own().map_err(index_error)?;
        Ok(is_other)
    }
}

/// Opens the cache, and says which one it is. Whoever throws one away does that and fills the next one within one turn, so that nobody opens files that are about
/// to go.
fn open(log: &PostgresLog) -> Result<(Index, u64)> {
    let _turn = log.turn();
    let generation = log.generation.load(Ordering::Acquire);
    let mut index = Index::open(&log.index_folder(generation), EXTENSION).map_err(index_error)?;
    index.read_own().map_err(index_error)?;
    Ok((index, generation))
}

impl Base for PostgresBase {
    fn index(&self) -> &Index {
        &self.index
    }

    fn source(&self) -> Box<dyn Source + '_> {
        Box::new(self.lines())
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
        let mut found = Vec::new();
        for event in self.lines().of_entry(key).map_err(index_error)? {
            if !self.index.purge_counts(&event).map_err(index_error)? {
                found.push(Placed { event, line: None });
            }
        }
        found.sort_by_key(|placed| placed.event.order());
        Ok(found)
    }

    fn order(&self) -> Option<&dyn LogOrder> {
        Some(self)
    }

    fn state(&self) -> Option<&dyn CloneState> {
        Some(&*self.log.state)
    }

    fn shared(&self) -> Option<&Caches> {
        Some(&self.log.caches)
    }
}

impl LogOrder for PostgresBase {
    fn end(&self) -> Result<Cursor> {
        let at = self.lines().end().map_err(index_error)?;
        Ok(Cursor { at: at.unsigned_abs(), noticed: 0 })
    }

    fn log_end(&self) -> Result<LogEnd> {
        let at = self.lines().end().map_err(index_error)?;
        let entries = self.index.digest().map_err(index_error)?;
        Ok(LogEnd { at: at.unsigned_abs(), generation: self.generation, entries })
    }

    fn latest_by(&self, actor: &str) -> Result<Vec<Event>> {
        let lines = self.lines();
        let mut found: Vec<Vec<Event>> = Vec::new();
        let mut command = None;
        let looked = lines.positions_backwards(|at| {
            let OwnBatch { events, continues } = lines.own_batch(at)?;
            let first = events.first().and_then(|event| i64::try_from(event.seq).ok());
            let Some(first) = first else { return Ok(true) };
            let is_its = command.is_none_or(|begun| continues == Some(begun) || first == begun);
            let said = events.into_iter().filter(|event| event.actor == actor && !event.is_record());
            let said: Vec<Event> = said.filter(|_| is_its).collect();
            if !said.is_empty() {
                found.push(said);
                command = command.or(continues);
            }
            Ok(found.is_empty() || command.is_some_and(|begun| first > begun))
        });
        looked.map_err(index_error)?;
        Ok(found.into_iter().rev().flatten().collect())
    }

    fn latest(&self, events: usize) -> Result<Vec<LoggedBatch>> {
        let lines = self.lines();
        let mut left = events;
        let mut told = Vec::new();
        let looked = lines.positions_backwards(|at| {
            let end = Cursor { at: at.unsigned_abs(), noticed: 0 };
            told.push(LoggedBatch { lines: last_lines(lines.batch(at)?.into_iter().rev(), &mut left), end });
            Ok(left > 0)
        });
        looked.map_err(index_error)?;
        told.reverse();
        Ok(told)
    }

    fn event_count(&self) -> Result<usize> {
        self.lines().count().map_err(index_error)
    }

    fn line(&self, hash: &EventHash) -> Result<Option<Line>> {
        self.lines().line(hash).map_err(index_error)
    }

    fn events(&self) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        self.lines().each(|line, _| events.extend(event_of(line))).map_err(index_error)?;
        Ok(events)
    }
}

impl KeepsVectors for PostgresBase {
    fn vectors_mut(&mut self) -> &mut Option<(String, VectorFile)> {
        &mut self.vectors
    }

    fn folder(&self) -> &Path {
        self.log.folder.path()
    }

    fn may_keep(&self) -> bool {
        true
    }

    fn write(&self, _: usize, write: &mut dyn FnMut(&Index) -> rusqlite::Result<()>) -> rusqlite::Result<()> {
        let _turn = self.log.turn();
        write(&self.index)
    }
}
