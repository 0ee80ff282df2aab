//! What waits in the journal gets into ledger files (STO-14): exposures in summaries, everything else as it is.

use std::collections::{BTreeMap, HashSet};

use ken_core::event::Line;
use ken_core::exposed::{self, Summary, is_summable};
use ken_core::run::folded;
use ken_core::{Body, Clock, Event, EventHash, Intent, Millis, RunEvent, place};
use ken_engine::{Ledger, OpenStore, Redacted, Result, Writer};
use ken_index::Base;

use super::{Store, index_error};
use crate::recorder;

/// Events that wait in the journal.
struct Waiting {
    /// Exposures, one answer each: of this clone, or said in a summary.
    exposures: Vec<Event>,
    /// Those of them that a summary says.
    summed_up: HashSet<EventHash>,
    others: Vec<EventHash>,
}

impl Store {
    /// Puts what waits into this tree's ledger files, and says how many events that were.
    pub(super) fn flush_at(&mut self, now: Millis) -> Result<usize> {
        self.may_write()?;
        let mut waiting = self.waiting_events()?;
        waiting.exposures.retain(|event| !waiting.summed_up.contains(&event.hash));
        if !waiting.exposures.is_empty() {
            waiting.others.extend(self.sum_up(&waiting.exposures, now)?);
            waiting.summed_up.extend(waiting.exposures.iter().map(|event| event.hash));
        }
        let written = self.put_back(&waiting.others)?;
        // Who flushes next need not look at these again.
        self.projection.index.set_summed_up(&waiting.summed_up).map_err(index_error)?;
        if let Err(error) = self.trim_journal(now) {
            self.notices.push(format!("{error}; nothing was lost"));
        }
        Ok(written)
    }

    /// How many events wait.
    pub(super) fn waiting_count(&self) -> Result<usize> {
        let waiting = self.waiting_events()?;
        Ok(waiting.others.len() + waiting.exposures.len() - waiting.summed_up.len())
    }

    fn waiting_events(&self) -> Result<Waiting> {
        let reader = self.reader();
        let (mut exposures, mut others) = (Vec::new(), Vec::new());
        for hash in self.projection.index.deferred().map_err(index_error)? {
            match self.projection.index.line(&hash, &reader).map_err(index_error)? {
                Some(Line::Event(event)) if is_summable(&event) => exposures.push(*event),
                _ => others.push(hash),
            }
        }
        let summed_up = self.projection.index.summed_up(&exposures).map_err(index_error)?;
        // What another clone wrote, of which this one may be a copy, is its own to sum up.
        let is_foreign =
            |event: &mut Event| self.replica != Some(event.replica) && !summed_up.contains(&event.hash);
        others.extend(exposures.extract_if(.., is_foreign).map(|event| event.hash));
        Ok(Waiting { exposures, summed_up, others })
    }

    /// Writes the summaries of exposures to the journal.
    fn sum_up(&mut self, exposures: &[Event], now: Millis) -> Result<Vec<EventHash>> {
        let mut cleared: BTreeMap<(String, String), Vec<Clock>> = BTreeMap::new();
        let runs: HashSet<&str> = exposures.iter().filter_map(run_of).collect();
        let source = Base::source(&*self.projection);
        for run in runs {
            for event in self.projection.index.clears(run, &*source).map_err(index_error)? {
                if let Some(Body::Run(RunEvent::Cleared { agent, .. })) = &event.body {
                    cleared.entry((run.to_owned(), folded(agent))).or_default().push(event.clock);
                }
            }
        }
        drop(source);
        cleared.values_mut().for_each(|clocks| clocks.sort_unstable());
        let of = |run: &str, agent: &str| {
            cleared.get(&(run.to_owned(), agent.to_owned())).cloned().unwrap_or_default()
        };
        let replica = self.replica()?;
        let mut groups = Vec::new();
        for Summary { actor, latest, body } in exposed::summaries(exposures, &of) {
            let file = place::runs_file(replica, latest);
            let intent = Intent { entry: None, body: Body::Run(body), file };
            groups.push(Redacted::new(vec![intent], &Writer { actor, now, approver: false })?);
        }
        let events = recorder::append(self, groups)?;
        Ok(events.into_iter().map(|event| event.hash).collect())
    }
}

fn run_of(event: &Event) -> Option<&str> {
    match &event.body {
        Some(Body::Run(said)) => said.run(),
        _ => None,
    }
}
