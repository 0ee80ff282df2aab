//! What waits in the journal gets into ledger files (STO-14): exposures in summaries, everything else as it is.

use std::collections::{BTreeMap, HashSet};

use ken_core::decide::Authority;
use ken_core::entry::Bases;
use ken_core::event::Line;
use ken_core::exposed::{self, Summary, is_summable};
use ken_core::run::folded;
use ken_core::{Body, Clock, Event, EventHash, Intent, Millis, RunEvent};
use ken_engine::log::seal_all;
use ken_engine::{Floors, ReadSet, Redacted, Result, Sealer, Writer};
use ken_index::index_error;

use crate::work::{Look, Work};
use crate::{append, trim, write_out};

/// Events that wait in the journal.
struct Waiting {
    /// Exposures, one answer each: of this clone, or said in a summary.
    exposures: Vec<Event>,
    /// Those of them that a summary says.
    summed_up: HashSet<EventHash>,
    others: Vec<EventHash>,
}

/// Puts what waits into this tree's ledger files, and says how many events that were.
pub(crate) fn flush_at(work: &mut Work<'_>, now: Millis) -> Result<usize> {
    work.log.home.may_write()?;
    let mut waiting = waiting_events(work.look())?;
    waiting.exposures.retain(|event| !waiting.summed_up.contains(&event.hash));
    if !waiting.exposures.is_empty() {
        waiting.others.extend(sum_up(work, &waiting.exposures, now)?);
        waiting.summed_up.extend(waiting.exposures.iter().map(|event| event.hash));
    }
    let written = write_out::put_back(work, &waiting.others)?;
    // Who flushes next need not look at these again.
    work.index.places().set_summed_up(&waiting.summed_up).map_err(index_error)?;
    if let Err(error) = trim::trim_journal(work, now) {
        work.log.notice(format!("{error}; nothing was lost"));
    }
    Ok(written)
}

/// How many events wait.
pub(crate) fn waiting_count(look: Look<'_>) -> Result<usize> {
    let waiting = waiting_events(look)?;
    Ok(waiting.others.len() + waiting.exposures.len() - waiting.summed_up.len())
}

fn waiting_events(look: Look<'_>) -> Result<Waiting> {
    let reader = look.log.home.reader();
    let (mut exposures, mut others) = (Vec::new(), Vec::new());
    for hash in look.index.places().deferred().map_err(index_error)? {
        match look.index.places().line(&hash, &reader).map_err(index_error)? {
            Some(Line::Event(event)) if is_summable(&event) => exposures.push(*event),
            _ => others.push(hash),
        }
    }
    let summed_up = look.index.summed_up(&exposures).map_err(index_error)?;
    // What another clone wrote, of which this one may be a copy, is its own to sum up.
    let is_foreign =
        |event: &mut Event| look.log.replica() != Some(event.replica) && !summed_up.contains(&event.hash);
    others.extend(exposures.extract_if(.., is_foreign).map(|event| event.hash));
    Ok(Waiting { exposures, summed_up, others })
}

/// Writes the summaries of exposures to the journal.
fn sum_up(work: &mut Work<'_>, exposures: &[Event], now: Millis) -> Result<Vec<EventHash>> {
    let mut cleared: BTreeMap<(String, String), Vec<Clock>> = BTreeMap::new();
    let runs: HashSet<&str> = exposures.iter().filter_map(run_of).collect();
    let source = work.index.source(work.log.home.reader());
    for run in runs {
        for event in work.index.clears(run, &source).map_err(index_error)? {
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
    let mut groups = Vec::new();
    for Summary { actor, body, .. } in exposed::summaries(exposures, &of) {
        let intent = Intent { entry: None, body: Body::Run(body) };
        groups.push(Redacted::new(vec![intent], &Writer { actor, now, authority: Authority::default() })?);
    }
    // What was shown rests on nothing, and nothing rests on it.
    let seal: Sealer =
        Box::new(move |tail| Ok(seal_all(&groups, &Floors::default(), &Bases::default(), tail)));
    let slot = work.log.queue.wait(ReadSet::default(), seal);
    let _turn = work.log.turn();
    let (appended, notices) = loop {
        match slot.outcome() {
            Some(outcome) => break outcome,
            None => append::append_waiting(work),
        }
    };
    notices.into_iter().for_each(|notice| work.log.notice(notice));
    Ok(appended?.into_iter().map(|event| event.hash).collect())
}

fn run_of(event: &Event) -> Option<&str> {
    match &event.body {
        Some(Body::Run(said)) => said.run(),
        _ => None,
    }
}
