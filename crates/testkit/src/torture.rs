//! Seeded tries of a part of the torture programme: a few in an everyday test run, as many as fit into the time when `cargo xtask torture` asks.
//!
//! A part is an ordinary test that calls [`torture`] with a function of a seed. What a try does follows from its seed, so that `KEN_SEED=n`
//! repeats a single one.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::limits::torture::{EVERYDAY_SEED, FAILURES_MAX, MESSAGE_CHARS_MAX};

/// Tries seeds of a part and panics if one of them fails. `quick` is the number of seeds of an everyday run; `try_seed` panics where a promise
/// is broken, and answers how many tries the seed stands for: a story with twenty kills counts twenty.
pub fn torture(part: &str, quick: u64, try_seed: impl Fn(u64) -> u64 + Sync) {
    if let Some(seed) = number("KEN_SEED") {
        let tries = try_seed(seed);
        println!("{part}: seed {seed} passed, {tries} tries");
        return;
    }
    let volume = Volume::asked_for(part);
    let budget = volume.as_ref().map_or(Budget::everyday(quick), |volume| volume.budget.clone());
    let begun = Instant::now();
    let outcome = run(&budget, &try_seed);
    if let Some(volume) = &volume {
        volume.report(&outcome, begun.elapsed());
    }
    let Some((seed, message)) = outcome.failures.first() else { return };
    let seeds: Vec<u64> = outcome.failures.iter().map(|(seed, _)| *seed).collect();
    panic!("{part}: seeds {seeds:?} failed; repeat the first with KEN_SEED={seed}\n{message}");
}

/// Whether `cargo xtask torture` asks for a part at full volume: tests whose scale is not a number of seeds look here.
pub fn is_at_volume(part: &str) -> bool {
    std::env::var("KEN_TORTURE").is_ok_and(|asked| asked == part)
}

/// How far a part goes.
#[derive(Clone)]
struct Budget {
    first_seed: u64,
    seeds_max: u64,
    tries_max: u64,
    /// Tried before all others: seeds that failed in an earlier run.
    again: Vec<u64>,
    time_max: Option<Duration>,
}

impl Budget {
    fn everyday(quick: u64) -> Budget {
        Budget {
            first_seed: EVERYDAY_SEED,
            seeds_max: quick,
            tries_max: u64::MAX,
            again: Vec::new(),
            time_max: None,
        }
    }
}

/// What the driver asked for, and where it reads the outcome.
struct Volume {
    part: String,
    budget: Budget,
    report: PathBuf,
}

impl Volume {
    fn asked_for(part: &str) -> Option<Volume> {
        if !is_at_volume(part) {
            return None;
        }
        let again = std::env::var("KEN_TORTURE_AGAIN").unwrap_or_default();
        Some(Volume {
            part: part.to_owned(),
            budget: Budget {
                first_seed: number("KEN_TORTURE_SEED").unwrap_or(EVERYDAY_SEED),
                seeds_max: u64::MAX,
                tries_max: number("KEN_TORTURE_TRIES").unwrap_or(u64::MAX),
                again: again.split(',').filter_map(|seed| seed.parse().ok()).collect(),
                time_max: number("KEN_TORTURE_SECONDS").map(Duration::from_secs),
            },
            report: std::env::var_os("KEN_TORTURE_REPORT").expect("the driver names a report").into(),
        })
    }

    fn report(&self, outcome: &Outcome, taken: Duration) {
        let failures: Vec<_> = outcome
            .failures
            .iter()
            .map(|(seed, message)| json!({"seed": seed, "message": message}))
            .collect();
        let report = json!({
            "part": self.part, "tries": outcome.tries, "seconds": taken.as_secs_f64(),
            "next_seed": outcome.next_seed, "failures": failures,
        });
        std::fs::write(&self.report, report.to_string()).expect("the report can be written");
    }
}

struct Outcome {
    tries: u64,
    next_seed: u64,
    /// Seeds that failed, with what they said.
    failures: Vec<(u64, String)>,
}

fn run(budget: &Budget, try_seed: &(impl Fn(u64) -> u64 + Sync)) -> Outcome {
    let begun = Instant::now();
    let again: BTreeSet<u64> = budget.again.iter().copied().collect();
    let again: Vec<u64> = again.into_iter().collect();
    let (taken, tries) = (AtomicU64::new(0), AtomicU64::new(0));
    let failures: Mutex<Vec<(u64, String)>> = Mutex::new(Vec::new());
    let next = || {
        let late = budget.time_max.is_some_and(|max| begun.elapsed() >= max);
        let failed = failures.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).len();
        if late || failed >= FAILURES_MAX || tries.load(Ordering::SeqCst) >= budget.tries_max {
            return None;
        }
        let number = taken.fetch_add(1, Ordering::SeqCst);
        let fresh = number.checked_sub(again.len() as u64);
        match fresh {
            None => Some(again[number as usize]),
            Some(fresh) if fresh < budget.seeds_max => Some(budget.first_seed + fresh),
            Some(_) => {
                taken.fetch_sub(1, Ordering::SeqCst);
                None
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(seed) = next() {
                    match catch_unwind(AssertUnwindSafe(|| try_seed(seed))) {
                        Ok(count) => drop(tries.fetch_add(count, Ordering::SeqCst)),
                        Err(panic) => {
                            tries.fetch_add(1, Ordering::SeqCst);
                            let message = message_of(panic.as_ref());
                            let mut failures =
                                failures.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                            failures.push((seed, message));
                        }
                    }
                }
            });
        }
    });
    let fresh = taken.into_inner().saturating_sub(again.len() as u64);
    let mut failures = failures.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    failures.sort();
    Outcome { tries: tries.into_inner(), next_seed: budget.first_seed + fresh, failures }
}

fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked");
    message.chars().take(MESSAGE_CHARS_MAX).collect()
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget() -> Budget {
        Budget { again: vec![3], ..Budget::everyday(40) }
    }

    #[test]
    fn every_seed_is_tried_once_and_those_of_before_come_first() {
        let seen = Mutex::new(Vec::new());
        let outcome = run(&Budget { first_seed: 100, ..budget() }, &|seed| {
            seen.lock().unwrap().push(seed);
            2
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, [3].into_iter().chain(100..140).collect::<Vec<_>>());
        assert_eq!((outcome.tries, outcome.next_seed), (82, 140));
    }

    #[test]
    fn a_try_that_panics_is_named_by_its_seed() {
        let outcome = run(&Budget { again: Vec::new(), ..budget() }, &|seed| {
            assert_ne!(seed, 7, "seven");
            1
        });
        assert_eq!(outcome.failures.len(), 1);
        assert_eq!(outcome.failures[0].0, 7);
        assert!(outcome.failures[0].1.contains("seven"));
    }

    #[test]
    fn a_part_ends_with_its_time_or_its_tries() {
        let quick = Budget { time_max: Some(Duration::ZERO), ..budget() };
        assert_eq!(run(&quick, &|_| 1).tries, 0);
        let few = Budget { tries_max: 10, seeds_max: u64::MAX, ..budget() };
        assert!(run(&few, &|_| 5).tries < 40);
        let all_fail = run(&budget(), &|_| panic!("never"));
        assert!((FAILURES_MAX..FAILURES_MAX + 64).contains(&all_fail.failures.len()));
    }
}
