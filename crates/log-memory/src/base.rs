//! What the log in memory gives its projection: an index of its own, which follows the log.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use ken_core::event::{Event, Line};
use ken_core::{EntryKey, EventHash, ReplicaId};
use ken_engine::log::last_lines;
use ken_engine::overlays::overlays;
use ken_engine::{CloneState, Cursor, LogEnd, LoggedBatch, Overlays, Placed, Result, Stored};
use ken_index::vectors::VectorFile;
use ken_index::{Base, Caches, Extension, Index, KeepsVectors, LogOrder, Source, index_error};

use crate::{Kept, locked};

/// An index that follows the log, with what a clone keeps beside it.
pub struct MemoryBase {
    index: Index,
    pub(crate) kept: Arc<Kept>,
    pub(crate) replica: ReplicaId,
    /// None where only events count.
    pub(crate) state: Option<Arc<dyn CloneState>>,
    /// How many batches the index was told, and after how many erasures it was made.
    told: usize,
    erased: u64,
    overlays: Overlays,
    vectors: Option<(String, VectorFile)>,
}

impl MemoryBase {
    pub(crate) fn new(
        kept: Arc<Kept>,
        replica: ReplicaId,
        state: Option<Arc<dyn CloneState>>,
    ) -> Result<MemoryBase> {
        let index = empty(replica)?;
        let (overlays, vectors) = (Overlays::default(), None);
        Ok(MemoryBase { index, kept, replica, state, told: 0, erased: 0, overlays, vectors })
    }

    /// Makes the index anew from all that the log has.
    pub(crate) fn start_anew(&mut self) -> Result<()> {
        self.index = empty(self.replica)?;
        self.told = 0;
        self.follow()?;
        match &mut self.vectors {
            Some((model, vectors)) => self.index.use_vectors(model, vectors).map_err(index_error),
            None => Ok(()),
        }
    }

    /// Tells the index what the log was told since, in one transaction.
    pub(crate) fn follow(&mut self) -> Result<()> {
        if let Some(state) = &self.state {
            (self.overlays, _) = overlays(&**state)?;
        }
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

    fn order(&self) -> Option<&dyn LogOrder> {
        Some(self)
    }

    fn state(&self) -> Option<&dyn CloneState> {
        self.state.as_deref()
    }

    fn shared(&self) -> Option<&Caches> {
        Some(&self.kept.caches)
    }
}

impl LogOrder for MemoryBase {
    fn end(&self) -> Result<Cursor> {
        Ok(Cursor { at: self.told as u64, noticed: 0 })
    }

    fn log_end(&self) -> Result<LogEnd> {
        let entries = self.index.digest().map_err(index_error)?;
        Ok(LogEnd { at: self.told as u64, generation: self.erased, entries })
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

    fn latest(&self, events: usize) -> Result<Vec<LoggedBatch>> {
        let log = locked(&self.kept.events);
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

    fn event_count(&self) -> Result<usize> {
        Ok(locked(&self.kept.events).lines.len())
    }

    fn line(&self, hash: &EventHash) -> Result<Option<Line>> {
        Ok(locked(&self.kept.events).lines.get(hash).cloned())
    }

    fn events(&self) -> Result<Vec<Event>> {
        let events = locked(&self.kept.events);
        let hashes = events.batches.iter().flat_map(|batch| &batch.hashes);
        Ok(hashes.filter_map(|hash| events.event(hash).cloned()).collect())
    }
}

impl KeepsVectors for MemoryBase {
    fn vectors_mut(&mut self) -> &mut Option<(String, VectorFile)> {
        &mut self.vectors
    }

    fn folder(&self) -> &Path {
        self.kept.folder.path()
    }

    fn may_keep(&self) -> bool {
        true
    }
}
