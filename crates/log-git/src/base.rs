//! What the git log gives its projection: its catalogue, single events from journal and ledger files, and what this clone keeps beside.

use std::path::Path;
use std::sync::Arc;

use ken_core::event::Line;
use ken_core::{EntryKey, Event, EventHash};
use ken_engine::{Access, CloneState, Cursor, LogEnd, LoggedBatch, Overlays, Placed, Result, Stored};
use ken_index::vectors::VectorFile;
use ken_index::{Base, Caches, Index, KeepsVectors, LogOrder, Source, index_error};

use crate::catalogue::{Catalogue, GitSource};
use crate::home::Reader;
use crate::log::GitLog;
use crate::timeline;
use crate::work::{Look, Work};

/// The parts of a store that reads need.
pub struct GitBase {
    pub(crate) log: Arc<GitLog>,
    /// None only while an append of this call has it.
    index: Option<Catalogue>,
    pub(crate) overlays: Overlays,
    /// The vectors of the model in use, and its name.
    vectors: Option<(String, VectorFile)>,
    own: std::path::PathBuf,
    clone_home: std::path::PathBuf,
}

impl GitBase {
    pub(crate) fn new(log: Arc<GitLog>, index: Catalogue) -> GitBase {
        let (own, clone_home) = (log.home.own.clone(), log.home.layout.clone_home());
        GitBase { log, index: Some(index), overlays: Overlays::default(), vectors: None, own, clone_home }
    }

    pub(crate) fn catalogue(&self) -> &Catalogue {
        self.index.as_ref().expect("nothing is read while an append has the index")
    }

    pub(crate) fn look(&self) -> Look<'_> {
        Look { log: &self.log, index: self.catalogue() }
    }

    pub(crate) fn work(&mut self) -> Work<'_> {
        let index = self.index.as_mut().expect("nothing is done while an append has the index");
        Work { log: &self.log, index }
    }

    /// Puts another index in the place of the one there is.
    pub(crate) fn replace_index(&mut self, index: Catalogue) {
        self.index = Some(index);
    }

    /// Gives the index to whoever writes next, unless somebody is writing: then that one has its own.
    pub(crate) fn lend_index(&mut self) {
        if let Some(mut turn) = self.log.turn_if_free()
            && turn.is_none()
        {
            *turn = self.index.take();
        }
    }

    /// Takes the index back that was given, or another one to the same file.
    pub(crate) fn take_index_back(&mut self) -> Result<()> {
        if self.index.is_none() {
            let given = self.log.turn().take();
            self.index = Some(match given {
                Some(index) => index,
                None => self.log.open_index()?,
            });
        }
        Ok(())
    }
}

impl Base for GitBase {
    fn index(&self) -> &Index {
        self.catalogue()
    }

    fn source(&self) -> Box<dyn Source + '_> {
        let source: GitSource<'_, Reader> = self.catalogue().source(self.log.home.reader());
        Box::new(source)
    }

    fn overlays(&self) -> Option<&Overlays> {
        Some(&self.overlays)
    }

    fn vectors(&self) -> Option<&(String, VectorFile)> {
        self.vectors.as_ref()
    }

    fn stored(&self, key: EntryKey) -> rusqlite::Result<Option<Stored>> {
        self.catalogue().stored(key)
    }

    fn file_of(&self, key: EntryKey) -> rusqlite::Result<Option<String>> {
        self.catalogue().files().file_of(key)
    }

    fn history(&self, key: EntryKey) -> Result<Vec<Placed>> {
        self.catalogue().places().history(key, &self.log.home.reader()).map_err(index_error)
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

impl LogOrder for GitBase {
    fn end(&self) -> Result<Cursor> {
        timeline::end(self.look())
    }

    fn log_end(&self) -> Result<LogEnd> {
        timeline::log_end(self.look())
    }

    fn latest_by(&self, actor: &str) -> Result<Vec<Event>> {
        timeline::latest_by(self.look(), actor)
    }

    fn latest(&self, events: usize) -> Result<Vec<LoggedBatch>> {
        timeline::latest_batches(self.look(), events)
    }

    fn event_count(&self) -> Result<usize> {
        self.catalogue().files().files_and_lines().map(|(_, lines)| lines).map_err(index_error)
    }

    fn line(&self, hash: &EventHash) -> Result<Option<Line>> {
        timeline::line(self.look(), hash)
    }

    fn events(&self) -> Result<Vec<Event>> {
        let events = timeline::all_lines(self.look())?.into_iter().filter_map(|line| match line {
            Line::Event(event) => Some(*event),
            Line::Stub(_) => None,
        });
        Ok(events.collect())
    }
}

impl KeepsVectors for GitBase {
    fn vectors_mut(&mut self) -> &mut Option<(String, VectorFile)> {
        &mut self.vectors
    }

    fn folder(&self) -> &Path {
        &self.own
    }

    /// A sandbox may not write to the clone's vectors; it begins with a copy of them.
    fn other_folder(&self) -> Option<&Path> {
        (self.own != self.clone_home).then_some(&self.clone_home)
    }

    fn may_keep(&self) -> bool {
        self.log.home.access == Access::Write
    }

    fn write(
        &self,
        made: usize,
        write: &mut dyn FnMut(&Index) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let _turn = self.log.turn();
        write(self.catalogue())?;
        self.catalogue().tidy(made);
        Ok(())
    }
}
