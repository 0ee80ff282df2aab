//! The log in PostgreSQL as one call sees it.

use std::collections::HashSet;
use std::sync::Arc;

use ken_core::event::Line;
use ken_core::{Code, EventHash, Millis, Refusal, ReplicaId};
use ken_engine::log::check_line;
use ken_engine::{
    Access, Bytes, EventLog, Finding, GitHistory, ModelCard, Projection, Report, Result, Rows, Snapshot,
    Timeline, Vectors,
};
use ken_index::checking::{Pins, check_entries};
use ken_index::past::{Purpose, cut, past, unpurged};
use ken_index::vectors::VectorFile;
use ken_index::{Base, Index, KeepsVectors, Projected, index_error};

use crate::PostgresLog;
use crate::base::PostgresBase;
use crate::cache;
use crate::head::batches_behind;
use crate::limits::FOLLOWED_BYTES;

/// A projection that follows the log in PostgreSQL.
pub struct PostgresSnapshot {
    projection: Projected<PostgresBase>,
    access: Access,
}

impl PostgresSnapshot {
    pub(crate) fn open(log: Arc<PostgresLog>, access: Access) -> Result<PostgresSnapshot> {
        let mut snapshot = PostgresSnapshot { projection: Projected::new(PostgresBase::new(log)?), access };
        snapshot.refresh()?;
        Ok(snapshot)
    }

    /// The index that the lines of the database make, without this node's copy of them.
    fn made_again(&self) -> Result<Index> {
        let mut index = Index::in_memory(cache::EXTENSION).map_err(index_error)?;
        let mut at = 0;
        loop {
            let batches =
                self.projection.log.workspace.patiently("reading the log", |client| {
                    batches_behind(client, at, Bytes(FOLLOWED_BYTES))
                })?;
            let Some(last) = batches.last() else { return Ok(index) };
            at = last.position;
            index.begin_write().map_err(index_error)?;
            cache::own(&mut index, &batches).map_err(index_error)?;
            cache::tell(&index, &batches).map_err(index_error)?;
            index.end_write().map_err(index_error)?;
        }
    }
}

impl Snapshot for PostgresSnapshot {
    fn projection(&self) -> &(dyn Projection + 'static) {
        &self.projection
    }

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

    fn replica(&mut self) -> Result<ReplicaId> {
        self.may_write()?;
        self.projection.log.replica()
    }

    fn refresh(&mut self) -> Result<()> {
        self.projection.log.catch_up()?;
        self.follow()
    }

    fn follow(&mut self) -> Result<()> {
        if self.projection.follow()? {
            self.projection.use_vectors_again()?;
        }
        Ok(())
    }

    fn as_of_time(&self, time: Millis, model: Option<&ModelCard>) -> Result<Box<dyn Projection>> {
        let mut lines: Vec<Line> = Vec::new();
        let mut released: HashSet<EventHash> = HashSet::new();
        let each = self.projection.lines().each(|line, is_own| {
            if let Line::Event(event) = &line
                && is_own
                && event.type_name == "entry.released"
            {
                released.insert(event.hash);
            }
            lines.push(line);
        });
        each.map_err(index_error)?;
        cut(&mut lines, time);
        let index = self.projection.index();
        let kept = unpurged(index, lines)?;
        let own = index.own().map_err(index_error)?;
        let mut then = past(kept, index, Purpose::Search, own, &released)?;
        if let Some(card) = model {
            let folder = self.projection.folder();
            then.use_vectors(&card.name, VectorFile::open(folder, &card.name, card.dimensions))?;
        }
        Ok(Box::new(then))
    }

    fn vectors(&mut self) -> &mut dyn Vectors {
        &mut self.projection
    }

    fn rebuild(&mut self) -> Result<usize> {
        let log = self.projection.log.clone();
        let mut turn = log.turn();
        log.start_anew(&mut turn)?;
        log.follow(&mut turn)?;
        drop(turn);
        self.follow()?;
        self.projection.entry_count()
    }

    fn verify(&mut self, _fix: bool) -> Result<Report> {
        self.refresh()?;
        let events = self.projection.event_count()?;
        let mut report = Report { lines: events, events, ..Report::default() };
        let mut pins = Pins::default();
        let mut changed = Vec::new();
        let each = self.projection.lines().each(|line, _| {
            pins.take(&line);
            if check_line(&line).is_err() {
                changed.push(ken_engine::log::hash_of(&line));
            }
        });
        each.map_err(index_error)?;
        report.notices.extend(pins.finding());
        check_entries(&self.projection, &mut report)?;
        for hash in changed {
            report.errors.push(finding("hash_mismatch", format!("event {hash} was changed")));
        }
        let end = self.projection.end()?;
        let again = self.made_again()?.dump().map_err(index_error)?;
        // What others wrote meanwhile is in one of the two.
        let is_still = self.projection.log.since(end, Bytes(0))?.is_empty();
        if is_still && self.dump(Rows::All)? != again {
            report.errors.push(finding("index_differs", "the index is not what a rebuild gives".to_owned()));
        }
        report.pass = report.errors.is_empty();
        Ok(report)
    }

    fn quick_check(&mut self) -> Result<Report> {
        let events = self.projection.event_count()?;
        let entries = self.projection.entry_count()?;
        Ok(Report { pass: true, lines: events, events, entries, ..Report::default() })
    }

    fn git_history(&self) -> Option<&dyn GitHistory> {
        None
    }

    fn git_history_mut(&mut self) -> Option<&mut dyn GitHistory> {
        None
    }

    fn dump(&self, _: Rows) -> Result<Vec<String>> {
        self.projection.index().dump().map_err(index_error)
    }

    fn take_notices(&mut self) -> Vec<String> {
        Vec::new()
    }
}

fn finding(code: &'static str, message: String) -> Finding {
    Finding { code, file: None, line: None, message, hint: None }
}
