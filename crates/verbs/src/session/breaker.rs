//! What goes wrong again and again is left alone for a while, longer each time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ken_core::Millis;
use serde::{Deserialize, Serialize};

use super::notes::write;

/// The file, in the clone's folder.
const FILE: &str = "hooks.json";
/// So many failures in a row are no accident.
const FAILURES_MAX: u32 = 3;
/// How long is waited then, and after each further failure, in minutes.
const MINUTES: [i64; 3] = [1, 5, 30];
/// How often the time limit of an event doubles while it is late: four times as long is the most that a host is made to wait.
const SLACK_MAX: u32 = 2;
/// A longer file is not ours.
const BYTES_MAX: u64 = 64 * 1024;

/// How each event of each host went lately, in a clone. Events that went well are not in it.
pub(super) struct Breaker {
    path: PathBuf,
    events: BTreeMap<String, Trouble>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
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
    /// What is known in a clone's folder.
    pub(super) fn of(home: &Path) -> Breaker {
        let path = home.join(FILE);
        let known = fs::metadata(&path).is_ok_and(|looks| looks.is_file() && looks.len() <= BYTES_MAX);
        let text = if known { fs::read(&path).ok() } else { None };
        Breaker { path, events: text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default() }
    }

    /// Whether an event may be tried; else until when it is left alone. Whoever is the first after that time tries for all: until
    /// it is known how that went, the others wait.
    pub(super) fn tries(&mut self, event: &str, now: Millis) -> Result<(), Millis> {
        let Some(trouble) = self.events.get_mut(event) else { return Ok(()) };
        if trouble.failures < FAILURES_MAX {
            return Ok(());
        }
        // A clock that was set back must not keep it open for long.
        let longest = MINUTES[MINUTES.len() - 1] * 60_000;
        let until = trouble.until.min(now.0.saturating_add(longest));
        if now.0 < until {
            return Err(Millis(until));
        }
        trouble.until = now.0.saturating_add(MINUTES[0] * 60_000);
        drop(write(&self.path, &self.events));
        Ok(())
    }

    /// How long an event may take: longer than usual on a machine where it was late, up to a bound.
    pub(super) fn limit(&self, event: &str, usual: Duration) -> Duration {
        let slack = self.events.get(event).map_or(0, |trouble| trouble.slack.min(SLACK_MAX));
        usual * 2_u32.pow(slack)
    }

    /// It went well, in some time. Where that is within the usual limit, half of what the limit grew is taken back.
    pub(super) fn went_well(&mut self, event: &str, took: Duration, usual: Duration) {
        let Some(trouble) = self.events.get_mut(event) else { return };
        let before = *trouble;
        (trouble.failures, trouble.until) = (0, 0);
        if took <= usual {
            trouble.slack = trouble.slack.min(SLACK_MAX).saturating_sub(1);
        }
        let now = *trouble;
        if now.slack == 0 {
            self.events.remove(event);
        }
        if now != before || now.slack == 0 {
            drop(write(&self.path, &self.events));
        }
    }

    /// What was tried went wrong, or took too long.
    pub(super) fn went_wrong(&mut self, event: &str, how: Failed, now: Millis) {
        let trouble = self.events.entry(event.to_owned()).or_default();
        trouble.failures = trouble.failures.saturating_add(1);
        if how == Failed::Late {
            trouble.slack = (trouble.slack + 1).min(SLACK_MAX);
        }
        if let Some(beyond) = trouble.failures.checked_sub(FAILURES_MAX) {
            let at = usize::try_from(beyond).unwrap_or(usize::MAX).min(MINUTES.len() - 1);
            trouble.until = now.0.saturating_add(MINUTES[at] * 60_000);
        }
        drop(write(&self.path, &self.events));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Duration = Duration::from_millis(150);

    // Under load three of twenty prompts were late and dropped, and the next ones were no better off.
    #[test]
    fn what_was_late_gets_more_time_up_to_a_bound_and_gives_it_back() {
        let home = tempfile::tempdir().unwrap();
        let breaker = || Breaker::of(home.path());
        let limit = || breaker().limit("prompt", USUAL).as_millis();
        let late = || breaker().went_wrong("prompt", Failed::Late, Millis(0));
        let well = |millis| breaker().went_well("prompt", Duration::from_millis(millis), USUAL);
        assert_eq!(limit(), 150);
        let grown: Vec<u128> = (0..3).map(|_| (late(), limit()).1).collect();
        assert_eq!(grown, [300, 600, 600]);
        well(400);
        assert_eq!(limit(), 600, "it still takes longer than usual");
        well(100);
        well(100);
        assert_eq!(limit(), 150);
        breaker().went_wrong("prompt", Failed::Wrong, Millis(0));
        assert_eq!(limit(), 150, "more time does not mend what is wrong");
    }

    #[test]
    fn it_waits_longer_each_time_and_forgets_when_it_goes_well() {
        let home = tempfile::tempdir().unwrap();
        let breaker = || Breaker::of(home.path());
        let at = |minute: i64| Millis(minute * 60_000);
        let open = |event: &str, minute: i64| breaker().tries(event, at(minute)).is_err();
        for _ in 0..2 {
            breaker().went_wrong("prompt", Failed::Wrong, Millis(0));
        }
        assert!(!open("prompt", 0), "two are an accident");
        // Minute of the third and each further failure, and the first minute in which it is tried again.
        for (minute, again) in [(0, 1), (1, 6), (6, 36), (36, 66)] {
            breaker().went_wrong("prompt", Failed::Wrong, at(minute));
            assert!(open("prompt", again - 1) && !open("prompt", again), "{minute}");
            assert!(open("prompt", again), "{minute}: one tries for all");
        }
        assert!(!open("touch", 0), "each event for itself");
        assert!(open("prompt", -1_000_000), "a clock that was set back");
        assert!(
            !open("prompt", 1_000_000) && !open("prompt", 1_000_001),
            "who tried and was killed holds up nobody"
        );
        breaker().went_well("prompt", USUAL, USUAL);
        breaker().went_wrong("prompt", Failed::Wrong, Millis(0));
        assert!(!open("prompt", 0));
        std::fs::write(home.path().join(FILE), "[").unwrap();
        assert!(!open("prompt", 0), "what cannot be read is as nothing");
    }
}
