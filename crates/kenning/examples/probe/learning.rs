//! Reviews, tasks and beliefs through the library: what each step takes a store that stays open.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use ken_core::belief::{self, Beta, Mark, Moved, Record, Side};
use ken_core::event::{BeliefEvent, Seal};
use ken_core::kinds::DecayClass;
use ken_core::run::{Agent, RunKind, RunOutcome};
use ken_core::{Body, Clock, Event, Intent, Millis, ReplicaId, place};
use ken_log_git::{GitLog, GitSnapshot};
use kenning::{FinishInput, Options, Query, ReviewSubject};
use serde_json::{Value, json};

use crate::Outcome;
use crate::warm::open;

/// What something takes, in microseconds, and what came of it.
fn timed<T>(micros: &mut Vec<f64>, work: impl FnOnce() -> kenning::Result<T>) -> kenning::Result<T> {
    let begun = Instant::now();
    let done = work();
    micros.push(begun.elapsed().as_secs_f64() * 1e6);
    done
}

/// Begins reviews and takes in what their agents found: a file of lists, one for each review, of what each agent reports.
pub fn reviews(root: &str, found: &str) -> Outcome {
    let rounds: Vec<BTreeMap<String, Value>> = serde_json::from_str(&std::fs::read_to_string(found)?)?;
    let mut ken = open(root)?;
    let (mut start, mut report, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    for (round, agents) in rounds.iter().enumerate() {
        let named = agents.keys().map(|name| Agent { name: name.clone(), role: None, family: None });
        let subject = ReviewSubject::Summary(format!(
            "change {round} of how the importer and the scheduler wait for the network, hold their locks and write their files"
        ));
        let named: Vec<Agent> = named.collect();
        let begun = timed(&mut start, || {
            kenning::learn::review_start(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                named,
                &subject,
                None,
                None,
            )
        })?;
        for (agent, findings) in agents {
            let text = findings.to_string();
            timed(&mut report, || {
                kenning::learn::review_report(
                    &mut ken.ledger,
                    &ken.site.config,
                    &ken.caller,
                    &begun.run,
                    Some(agent),
                    &text,
                )
            })?;
        }
        runs.push(begun.run);
    }
    Ok(json!({"start": start, "report": report, "runs": runs}))
}

/// Completes reviews.
pub fn complete(root: &str, runs: &[&str]) -> Outcome {
    let mut ken = open(root)?;
    // What stays open is kenning::embedding::embedder(&mut warm.ken.ledger, &mut warm.ken.models)?.embed(&["warm"])?;
    let mut micros = Vec::new();
    let mut came = Vec::new();
    for run in runs {
        let answer = timed(&mut micros, || {
            kenning::learn::review_complete(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, run)
        })?;
        came.push(json!({
            "created": answer.created.len(), "confirmed": answer.confirmed.len(), "skipped": answer.skipped.len(),
            "findings": answer.findings.len(), "warnings": answer.warnings,
        }));
    }
    Ok(json!({"micros": micros, "came": came}))
}

/// Tasks that use five entries each, and words about entries.
pub fn tasks(root: &str, rounds: usize) -> Outcome {
    let mut ken = open(root)?;
    let page = ken.ledger.list(&Query { limit: rounds * 5, ..Query::default() })?;
    let ids: Vec<String> = page.entries.into_iter().map(|stored| stored.id).collect();
    let (mut start, mut finish, mut confirm, mut feedback) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (round, used) in ids.chunks(5).enumerate() {
        let goal = format!("task {round}: make the nightly export restartable");
        let begun = timed(&mut start, || {
            kenning::learn::task_start(
                &mut ken.ledger,
                &ken.site,
                &ken.caller,
                &goal,
                RunKind::Task,
                None,
                None,
            )
        })?;
        let input = FinishInput {
            run: begun.run,
            outcome: if round % 3 == 0 { RunOutcome::Failed } else { RunOutcome::Succeeded },
            quality: Some(0.8),
            used: Some(used.to_vec()),
            wrong: Vec::new(),
            cost: None,
            rounds: None,
            strategy: None,
        };
        timed(&mut finish, || {
            kenning::learn::task_finish(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, input)
        })?;
        timed(&mut confirm, || {
            kenning::learn::confirm(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                &used[0],
                "seen again",
            )
        })?;
        timed(&mut feedback, || {
            kenning::learn::feedback(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                &used[1],
                round % 2 == 0,
                "it was about this",
            )
        })?;
    }
    Ok(json!({"start": start, "finish": finish, "confirm": confirm, "feedback": feedback}))
}

/// The store of the product, without the verbs.
fn open_store(root: &str) -> kenning::Result<GitSnapshot> {
    let layout = ken_log_git::Layout::at(root.as_ref());
    GitLog::open(layout, ken_log_git::OpenOptions::default())?.snapshot()
}

/// A day, in milliseconds.
const DAY: i64 = 86_400_000;
/// Observes every entry so many times, on days that lie some weeks apart, the first a week after `from`: as ledger files of another
/// clone, so that each entry is folded once and not once for each day.
pub fn observe(root: &str, times: usize, from: i64) -> Outcome {
    let opened = open_store(root)?;
    let keys: Vec<_> = opened.beliefs(Millis(from))?.into_iter().map(|(key, _)| key).collect();
    let replica: ReplicaId = "0bea7c0ffee0".parse()?;
    let store = ken_log_git::Layout::at(root.as_ref()).store;
    let mut seq = 0;
    for time in 0..times {
        let now = Millis(from + (7 + 50 * time as i64) * DAY);
        let file = place::calibration_file(replica, now);
        let mut clock = Clock::at(now);
        let mut lines = String::new();
        for (at, key) in keys.iter().enumerate() {
            let body = Body::Belief(BeliefEvent::Observed {
                source: format!("run-{time}"),
                side: if (at + time).is_multiple_of(3) { Side::Against } else { Side::For },
                weight: 500 + ((at * 37 + time * 101) % 1001) as u32,
                reason: format!("used in run-{time}"),
                at: None,
                witnessed: false,
            });
            seq += 1;
            clock = clock.next(now);
            let seal = Seal {
                replica,
                seq,
                parents: Vec::new(),
                clock,
                actor: "agent:probe".to_owned(),
                basis: Default::default(),
            };
            let event = Event::seal(&Intent { entry: Some(*key), body }, seal);
            lines.push_str(event.line());
            lines.push('\n');
        }
        let path = store.join(file);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, lines)?;
    }
    drop(opened);
    let begun = Instant::now();
    let opened = open_store(root)?;
    let now = Millis(TODAY_DAYS * DAY);
    let observed = opened.beliefs(now)?.iter().filter(|(_, belief)| belief.observations() > 0.0).count();
    let seconds = begun.elapsed().as_secs_f64();
    match observed == keys.len() {
        true => Ok(json!({"entries": observed, "seconds": seconds})),
        false => Err(format!("of {} entries {observed} are known to have been observed", keys.len()).into()),
    }
}

/// The belief in every entry of a store: opened anew each time, from a store that is open, and from records in memory.
pub fn beliefs(root: &str, rounds: usize, times: usize) -> Outcome {
    let (mut cold, mut warm, mut folded) = (Vec::new(), Vec::new(), Vec::new());
    let now = Millis(TODAY_DAYS * DAY);
    let mut entries = 0;
    for _ in 0..rounds {
        let mut opened = None;
        let all = timed(&mut cold, || opened.insert(open_store(root)?).beliefs(now))?;
        entries = all.len();
        let store = opened.ok_or("a store that was opened is open")?;
        timed(&mut warm, || store.beliefs(now))?;
    }
    let record = |number: usize| {
        let mark = |at: usize| {
            let day = TODAY_DAYS as i32 - 700 + (at * 60 + number % 50) as i32;
            let side = if (number + at).is_multiple_of(3) { Side::Against } else { Side::For };
            Mark { day, what: Moved::Observed(side, 500 + ((number + at) * 37 % 1001) as u32) }
        };
        Record((0..times).map(mark).collect())
    };
    let records: Vec<Record> = (0..entries).map(record).collect();
    let prior = Beta { alpha: 5.0, beta: 5.0 };
    for _ in 0..rounds {
        timed(&mut folded, || {
            let all: Vec<_> = records
                .iter()
                .map(|record| belief::fold(record, prior, DecayClass::Stable, TODAY_DAYS as i32))
                .collect();
            black_box(all);
            Ok(())
        })?;
    }
    Ok(json!({"entries": entries, "cold": cold, "warm": warm, "folded": folded}))
}

/// The day of which beliefs are asked, counted from 1970.
const TODAY_DAYS: i64 = 20_500;

/// Everything that was said about a store's entries being used, in some thousand tasks: for what searching costs with it and without.
pub fn used(root: &str, rounds: usize) -> Outcome {
    let mut ken = kenning::open_for(Options::at(root), kenning::caller("agent:probe"))?;
    let page = ken.ledger.list(&Query { ..Query::default() })?;
    let ids: Vec<String> = page.entries.into_iter().map(|stored| stored.id).collect();
    let begun = Instant::now();
    for round in 0..rounds {
        let goal = format!("task {round} of many");
        let run = kenning::learn::task_start(
            &mut ken.ledger,
            &ken.site,
            &ken.caller,
            &goal,
            RunKind::Task,
            None,
            None,
        )?
        .run;
        let used = (0..5).map(|at| ids[(round * 13 + at * 7) % ids.len()].clone()).collect();
        let input = FinishInput {
            run,
            outcome: RunOutcome::Succeeded,
            quality: Some(0.9),
            used: Some(used),
            wrong: Vec::new(),
            cost: None,
            rounds: None,
            strategy: None,
        };
        kenning::learn::task_finish(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, input)?;
    }
    Ok(json!({"seconds": begun.elapsed().as_secs_f64()}))
}
