//! The log in memory as one call sees it: every verb that is not git's runs on it.

use std::collections::HashSet;

use ken_core::event::Line;
use ken_core::{Code, EventHash, Millis, Refusal, ReplicaId};
use ken_engine::log::check_line;
use ken_engine::{
    Access, Finding, GitHistory, ModelCard, Projection, Report, Result, Rows, Snapshot, Timeline, Vectors,
};
use ken_index::checking::{Pins, check_entries};
use ken_index::past::{Purpose, cut, past, unpurged};
use ken_index::vectors::VectorFile;
use ken_index::{Base, Projected, index_error};

use crate::base::MemoryBase;
use crate::locked;

/// A projection that follows the log in memory.
pub struct MemorySnapshot {
    projection: Projected<MemoryBase>,
    access: Access,
}

impl MemorySnapshot {
    pub(crate) fn new(base: MemoryBase, access: Access) -> Result<MemorySnapshot> {
        let mut projection = Projected::new(base);
        projection.follow()?;
        Ok(MemorySnapshot { projection, access })
    }
}

impl Snapshot for MemorySnapshot {
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
        Ok(self.projection.replica)
    }

    fn refresh(&mut self) -> Result<()> {
        self.projection.follow()
    }

    fn follow(&mut self) -> Result<()> {
        self.projection.follow()
    }

    fn as_of_time(&self, time: Millis, model: Option<&ModelCard>) -> Result<Box<dyn Projection>> {
        let (mut lines, own): (Vec<Line>, HashSet<EventHash>) = {
            let events = locked(&self.projection.kept.events);
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
        let mut then = past(kept, index, Purpose::Search, Some(self.projection.replica), &released)?;
        if let Some(card) = model {
            let folder = self.projection.kept.folder.path();
            then.use_vectors(&card.name, VectorFile::open(folder, &card.name, card.dimensions))?;
        }
        Ok(Box::new(then))
    }

    fn vectors(&mut self) -> &mut dyn Vectors {
        &mut self.projection
    }

    fn rebuild(&mut self) -> Result<usize> {
        self.projection.start_anew()?;
        self.projection.entry_count()
    }

    fn verify(&mut self, _fix: bool) -> Result<Report> {
        self.refresh()?;
        let events = self.projection.event_count()?;
        let mut report = Report { lines: events, events, ..Report::default() };
        let mut pins = Pins::default();
        locked(&self.projection.kept.events).lines.values().for_each(|line| pins.take(line));
        report.notices.extend(pins.finding());
        check_entries(&self.projection, &mut report)?;
        for event in self.projection.events_holding("")? {
            let hash = event.hash;
            if check_line(&Line::Event(Box::new(event))).is_err() {
                report.errors.push(finding("hash_mismatch", format!("event {hash} was changed")));
            }
        }
        let MemoryBase { kept, replica, state, .. } = &*self.projection;
        let again =
            MemorySnapshot::new(MemoryBase::new(kept.clone(), *replica, state.clone())?, Access::Read)?;
        if self.dump(Rows::All)? != again.dump(Rows::All)? {
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
