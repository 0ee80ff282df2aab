//! What goes wrong again and again is left alone for a while, longer each time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ken_core::Millis;
use ken_engine::{CloneState, RecordKind};
use serde::{Deserialize, Serialize};

use crate::limits::session_breaker::{FAILURES_MAX, SLACK_MAX};

/// How long is waited then, and after each further try that fails, in minutes.
const MINUTES: [i64; 3] = [1, 5, 30];

/// How each event of each host went lately, in a clone. Events that went well are not in it.
pub(super) struct Breaker {
    state: Arc<dyn CloneState>,
    events: Events,
}

type Events = BTreeMap<String, Trouble>;

/// A try of an event, as it was let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// It is the one try after a pause, which is let through until then.
    again: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Trouble {
    /// Failures in a row.
    failures: u32,
    /// Nothing is tried before this time.
    #[serde(default)]
    until: i64,
    /// How often its time limit was doubled.
    #[serde(default)]
    slack: u32,
}

/// How an event failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// It took too long: next time it may take longer.
    Late,
    /// Something went wrong, and more time would not help.
    Wrong,
}

impl Breaker {
    /// What is known in a clone.
    pub(super) fn open(state: &Arc<dyn CloneState>) -> Breaker {
        Breaker { state: state.clone(), events: read(&**state) }
    }

    /// Whether an event may be tried; else until when it is left alone. Whoever is the first after that time tries for all: until
    /// it is known how that went, the others wait.
    pub(super) fn tries(&mut self, event: &str, now: Millis) -> Result<Attempt, Millis> {
        match self.events.get(event).and_then(|trouble| trouble.pause(now)) {
            None => Ok(Attempt { again: None }),
            Some(until) if now.0 < until => Err(Millis(until)),
            // Others may see the same: one of them is the first.
            Some(_) => self.change(|events| match events.get_mut(event) {
                None => Ok(Attempt { again: None }),
                Some(trouble) => match trouble.pause(now) {
                    None => Ok(Attempt { again: None }),
                    Some(until) if now.0 < until => Err(Millis(until)),
                    Some(_) => {
                        trouble.until = now.0.saturating_add(MINUTES[0] * 60_000);
                        Ok(Attempt { again: Some(trouble.until) })
                    }
                },
            }),
        }
    }

    /// How long an event may take: longer than usual on a machine where it was late, up to a bound.
    pub(super) fn limit(&self, event: &str, usual: Duration) -> Duration {
        let slack = self.events.get(event).map_or(0, |trouble| trouble.slack.min(SLACK_MAX));
        usual * 2_u32.pow(slack)
    }

    /// It went well, in some time. Where that is within the usual limit, half of what the limit grew is taken back.
    pub(super) fn went_well(&mut self, event: &str, took: Duration, usual: Duration) {
        if !self.events.contains_key(event) {
            return;
        }
        self.change(|events| {
            let Some(trouble) = events.get_mut(event) else { return };
            (trouble.failures, trouble.until) = (0, 0);
            if took <= usual {
                trouble.slack = trouble.slack.min(SLACK_MAX).saturating_sub(1);
            }
            if trouble.slack == 0 {
                events.remove(event);
            }
        });
    }

    /// What was tried went wrong, or took too long. During a pause that is known already: only the try that follows a pause makes the
    /// next one longer, and what was begun beside it or before it does not.
    pub(super) fn went_wrong(&mut self, event: &str, attempt: Attempt, how: Failed, now: Millis) {
        self.change(|events| {
            let trouble = events.entry(event.to_owned()).or_default();
            if trouble.failures >= FAILURES_MAX && attempt.again != Some(trouble.until) {
                return;
            }
            trouble.failures = trouble.failures.saturating_add(1);
            if how == Failed::Late {
                trouble.slack = (trouble.slack + 1).min(SLACK_MAX);
            }
            if let Some(beyond) = trouble.failures.checked_sub(FAILURES_MAX) {
                let at = usize::try_from(beyond).unwrap_or(usize::MAX).min(MINUTES.len() - 1);
                trouble.until = now.0.saturating_add(MINUTES[at] * 60_000);
            }
        });
    }

    /// Changes what is known by now. Where nobody can be kept out, nothing could be written either.
    fn change<T>(&mut self, change: impl FnOnce(&mut Events) -> T) -> T {
        // Hooks run at the same time.
        let alone = self.state.lock(&RecordKind::HookTroubles.record());
        self.events = read(&*self.state);
        let before = self.events.clone();
        let said = change(&mut self.events);
        if self.events != before {
            drop(self.state.set_value(&RecordKind::HookTroubles.record(), &self.events));
        }
        drop(alone);
        said
    }
}

impl Trouble {
    /// Until when it is left alone, or was; none where it is simply tried.
    fn pause(&self, now: Millis) -> Option<i64> {
        // A clock that was set back must not keep it open for long.
        let longest = MINUTES[MINUTES.len() - 1] * 60_000;
        (self.failures >= FAILURES_MAX).then(|| self.until.min(now.0.saturating_add(longest)))
    }
}

fn read(state: &dyn CloneState) -> Events {
    state.value(&RecordKind::HookTroubles.record()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> Arc<dyn CloneState> {
        Arc::new(ken_engine::MemoryState::default())
    }

    const USUAL: Duration = Duration::from_millis(150);
    /// A try while nothing is known to go wrong.
    const PLAIN: Attempt = Attempt { again: None };

    // Under load three of twenty prompts were late and dropped, and the next ones were no better off.
    #[test]
    fn what_was_late_gets_more_time_up_to_a_bound_and_gives_it_back() {
        let state = state();
        let breaker = || Breaker::open(&state);
        let limit = || breaker().limit("prompt", USUAL).as_millis();
        let late = || breaker().went_wrong("prompt", PLAIN, Failed::Late, Millis(0));
        let well = |millis| breaker().went_well("prompt", Duration::from_millis(millis), USUAL);
        assert_eq!(limit(), 150);
        let grown: Vec<u128> = (0..4).map(|_| (late(), limit()).1).collect();
        assert_eq!(grown, [300, 600, 600, 600]);
        well(400);
        assert_eq!(limit(), 600, "it still takes longer than usual");
        well(100);
        well(100);
        assert_eq!(limit(), 150);
        breaker().went_wrong("prompt", PLAIN, Failed::Wrong, Millis(0));
        assert_eq!(limit(), 150, "more time does not mend what is wrong");
    }

    #[test]
    fn it_waits_longer_each_time_and_forgets_when_it_goes_well() {
        let state = state();
        let breaker = || Breaker::open(&state);
        let at = |minute: i64| Millis(minute * 60_000);
        let open = |event: &str, minute: i64| breaker().tries(event, at(minute)).is_err();
        for _ in 0..2 {
            breaker().went_wrong("prompt", PLAIN, Failed::Wrong, Millis(0));
        }
        assert!(!open("prompt", 0), "two are an accident");
        let mut attempt = PLAIN;
        // Minute of the third and each further failure, and the first minute in which it is tried again.
        for (minute, again) in [(0, 1), (1, 6), (6, 36), (36, 66)] {
            breaker().went_wrong("prompt", attempt, Failed::Wrong, at(minute));
            assert!(open("prompt", again - 1), "{minute}");
            attempt = breaker().tries("prompt", at(again)).unwrap();
            assert!(open("prompt", again), "{minute}: one tries for all");
        }
        assert!(!open("touch", 0), "each event for itself");
        assert!(open("prompt", -1_000_000), "a clock that was set back");
        assert!(
            !open("prompt", 1_000_000) && !open("prompt", 1_000_001),
            "who tried and was killed holds up nobody"
        );
        breaker().went_well("prompt", USUAL, USUAL);
        breaker().went_wrong("prompt", PLAIN, Failed::Wrong, Millis(0));
        assert!(!open("prompt", 0));
        state.write(&RecordKind::HookTroubles.record(), b"[").unwrap();
        assert!(!open("prompt", 0), "what cannot be read is as nothing");
    }

    // Twenty prompts at once were late, and hooks were left alone for half an hour.
    #[test]
    fn what_is_late_at_the_same_time_is_one_reason_to_wait() {
        let state = state();
        let minute = |minute: i64| Millis(minute * 60_000);
        let tries = |at| Breaker::open(&state).tries("prompt", at);
        let late = |attempt, at| {
            Breaker::open(&state).went_wrong("prompt", attempt, Failed::Late, at);
        };
        let all_late = |attempt: Attempt, at: Millis| {
            std::thread::scope(|scope| {
                (0..20).for_each(|_| drop(scope.spawn(|| late(attempt, at))));
            });
        };
        all_late(tries(minute(0)).unwrap(), minute(0));
        assert_eq!(tries(minute(0)), Err(minute(1)), "one minute, not thirty");
        // After the pause all of them come at once: one tries, and is late, and so is what was begun before the pause.
        let tried: Vec<_> = std::thread::scope(|scope| {
            let tried: Vec<_> = (0..20).map(|_| scope.spawn(|| tries(minute(1)))).collect();
            tried.into_iter().filter_map(|tried| tried.join().unwrap().ok()).collect()
        });
        assert_eq!(tried.len(), 1, "one tries for all");
        all_late(PLAIN, minute(1));
        assert_eq!(tries(minute(1)), Err(minute(2)), "that is not the one which tries");
        late(tried[0], minute(1));
        assert_eq!(tries(minute(5)), Err(minute(6)), "five minutes");
        all_late(tried[0], minute(5));
        all_late(PLAIN, minute(5));
        assert_eq!(tries(minute(5)), Err(minute(6)), "a pause is not made longer while it lasts");
        late(tries(minute(6)).unwrap(), minute(6));
        assert_eq!(tries(minute(6)), Err(minute(36)));
        Breaker::open(&state).went_well("prompt", USUAL, USUAL);
        assert_eq!(tries(minute(6)), Ok(PLAIN), "one in time, and nothing is held against it");
        (0..3).for_each(|_| late(PLAIN, minute(6)));
        assert_eq!(tries(minute(6)), Err(minute(7)), "it begins with one minute again");
    }

    #[test]
    fn failures_at_the_same_time_are_each_counted_once() {
        let state = state();
        for round in 0..20 {
            let event = round.to_string();
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        Breaker::open(&state).went_wrong(&event, PLAIN, Failed::Wrong, Millis(0));
                    });
                }
            });
            let known = Breaker::open(&state).events[&event];
            assert_eq!(known, Trouble { failures: 3, until: 60_000, slack: 0 }, "{round}");
        }
    }
}
