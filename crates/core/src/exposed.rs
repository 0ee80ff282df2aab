//! Exposures in ledger files: many `run.exposed` events of the journal become one that says when each entry was shown.
//!
//! Nothing is lost: a summary lists every entry with the clock of the event that showed it, so the exposures that follow from it are those
//! that follow from these events, with or without them.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::clock::{Clock, Millis};
use crate::event::{Body, Event, RunEvent};
use crate::ids::EntryKey;
use crate::limits::exposed::SHOWN_MAX;
use crate::run::{agent_of, folded};

/// When each entry of a summary was shown, in the order of its entries.
///
/// Written in milliseconds: the first time since the epoch, the others after the first, with the counter of the clock where there is one
/// and how many entries it holds for: `1794937207386*3 +1523*2 +9000.1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times(Vec<Clock>);

impl Times {
    /// The times of some entries, earliest first; none where they are in no order.
    pub fn new(clocks: Vec<Clock>) -> Option<Times> {
        (!clocks.is_empty() && clocks.is_sorted()).then_some(Times(clocks))
    }

    /// Reads a text as it is written; what would be written otherwise is refused, since one summary has one spelling.
    fn parse(text: &str) -> Option<Times> {
        let mut clocks: Vec<Clock> = Vec::new();
        for word in text.split(' ') {
            let (moment, count) = word.split_once('*').unwrap_or((word, "1"));
            let count: NonZeroUsize = count.parse().ok()?;
            let (first, after) = match (clocks.first(), moment.strip_prefix('+')) {
                (None, None) => (0, moment),
                (Some(first), Some(after)) => (first.millis().0, after),
                _ => return None,
            };
            let (millis, counter) = after.split_once('.').unwrap_or((after, "0"));
            let clock = Clock::of(Millis(first.checked_add(millis.parse().ok()?)?), counter.parse().ok()?)?;
            if clocks.len() + count.get() > SHOWN_MAX {
                return None;
            }
            clocks.extend(std::iter::repeat_n(clock, count.get()));
        }
        Times::new(clocks).filter(|times| times.to_string() == text)
    }
}

impl fmt::Display for Times {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, same) in self.0.chunk_by(|one, other| one == other).enumerate() {
            let (first, clock) = (self.0[0].millis().0, same[0]);
            match number {
                0 => write!(out, "{first}")?,
                _ => write!(out, " +{}", clock.millis().0 - first)?,
            }
            if clock.counter() > 0 {
                write!(out, ".{}", clock.counter())?;
            }
            if same.len() > 1 {
                write!(out, "*{}", same.len())?;
            }
        }
        Ok(())
    }
}

impl FromStr for Times {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Times::parse(text).ok_or_else(|| "these are no times of a summary of exposures".to_owned())
    }
}

/// Running numbers of a replica, as ranges: `3-9 12`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(Vec<RangeInclusive<u64>>);

impl Numbers {
    /// The ranges that some numbers make.
    pub fn of(numbers: impl IntoIterator<Item = u64>) -> Numbers {
        let mut sorted: Vec<u64> = numbers.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let runs = sorted.chunk_by(|one, next| one.checked_add(1) == Some(*next));
        Numbers(runs.map(|run| run[0]..=run[run.len() - 1]).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, number: u64) -> bool {
        self.0.iter().any(|range| range.contains(&number))
    }

    fn parse(text: &str) -> Option<Numbers> {
        let mut ranges: Vec<RangeInclusive<u64>> = Vec::new();
        for word in text.split(' ') {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            ranges.push(first.parse().ok()?..=last.parse().ok()?);
        }
        Some(Numbers(ranges)).filter(|numbers| numbers.is_ordered() && numbers.to_string() == text)
    }

    fn is_ordered(&self) -> bool {
        let apart = |pair: &[RangeInclusive<u64>]| pair[0].end().checked_add(1) < Some(*pair[1].start());
        self.0.iter().all(|range| range.start() <= range.end()) && self.0.windows(2).all(apart)
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, range) in self.0.iter().enumerate() {
            let blank = if number > 0 { " " } else { "" };
            match range.start() == range.end() {
                true => write!(out, "{blank}{}", range.start())?,
                false => write!(out, "{blank}{}-{}", range.start(), range.end())?,
            }
        }
        Ok(())
    }
}

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Numbers::parse(text).ok_or_else(|| format!("{text:?} are no ranges of numbers like \"3-9 12\""))
    }
}

/// Both are texts in a line.
macro_rules! written_as_text {
    ($($name:ident),*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    )*};
}

written_as_text!(Times, Numbers);

/// Where what was shown outside of any run is kept: a day stands for a run (REV-1).
pub fn day_of(clock: Clock) -> String {
    format!("@{}", clock.millis().date())
}

/// What an event says was shown to whom: every entry, with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposed<'a> {
    /// The run, or the day where there was none.
    pub place: String,
    /// The agent, by the name it gave or the one it acts under.
    pub agent: &'a str,
    /// Who acted for it, by the name agents go by.
    pub actor: &'a str,
    pub how: &'a str,
    pub shown: Vec<(EntryKey, Clock)>,
    /// Whether it stands for several events of the journal.
    pub is_summary: bool,
}

impl<'a> Exposed<'a> {
    /// What an event says; none where it is about something else.
    pub fn read(event: &'a Event) -> Option<Exposed<'a>> {
        let Some(Body::Run(RunEvent::Exposed { run, agent, how, entries, times, .. })) = &event.body else {
            return None;
        };
        let keys = entries.iter().chain(&event.entry).copied();
        let count = entries.len() + usize::from(event.entry.is_some());
        // Nobody is shown something after it was written down.
        let shown: Vec<(EntryKey, Clock)> = match times.as_ref().filter(|times| times.0.len() == count) {
            Some(times) => keys.zip(times.0.iter().map(|clock| (*clock).min(event.clock))).collect(),
            None => keys.map(|key| (key, event.clock)).collect(),
        };
        let first = shown.first().map_or(event.clock, |(_, clock)| *clock);
        let actor = agent_of(&event.actor);
        Some(Exposed {
            place: run.clone().unwrap_or_else(|| day_of(first)),
            agent: agent.as_deref().unwrap_or(actor),
            actor,
            how,
            shown,
            is_summary: times.is_some(),
        })
    }
}

/// A summary that is to be written, and who says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Who acted, as the events say it.
    pub actor: String,
    /// When the last of it was shown.
    pub latest: Millis,
    pub body: RunEvent,
}

/// Whether an event is an exposure that a summary can take the place of.
pub fn is_summable(event: &Event) -> bool {
    let is_single = matches!(event.body, Some(Body::Run(RunEvent::Exposed { times: None, .. })));
    is_single && event.entry.is_none()
}

/// The summaries of some exposures of one replica: one for each run (else day), actor, agent, way and context (REV-5).
///
/// `cleared` says when the context of an agent in a run was cleared, earliest first. What is a summary already is left out, and so is
/// what an older version wrote about one entry: that is part of its history.
pub fn summaries(exposures: &[Event], cleared: &dyn Fn(&str, &str) -> Vec<Clock>) -> Vec<Summary> {
    type Group<'a> = (&'a str, Option<&'a str>, &'a str, Option<&'a str>, String, usize);
    let mut groups: BTreeMap<Group<'_>, Vec<&Event>> = BTreeMap::new();
    let mut clears: BTreeMap<(&str, String), Vec<Clock>> = BTreeMap::new();
    for event in exposures {
        let Some(exposed) = Exposed::read(event).filter(|_| is_summable(event)) else { continue };
        let Some(Body::Run(RunEvent::Exposed { run, how, .. })) = &event.body else { continue };
        let contexts = run.as_deref().map_or(0, |run| {
            let agent = folded(exposed.agent);
            let known = clears.entry((run, agent.clone())).or_insert_with(|| cleared(run, &agent));
            known.partition_point(|clock| *clock < event.clock)
        });
        let day = if run.is_none() { exposed.place } else { String::new() };
        // A name that says no more than who acted is left out: it reads the same.
        let agent = Some(exposed.agent).filter(|agent| *agent != exposed.actor);
        let group = (event.actor.as_str(), run.as_deref(), how.as_str(), agent, day, contexts);
        groups.entry(group).or_default().push(event);
    }
    let mut made = Vec::new();
    for ((actor, run, how, agent, _, _), events) in groups {
        let of = |event: &&Event| Exposed::read(event).map_or_else(Vec::new, |exposed| exposed.shown);
        let mut shown: Vec<(Clock, EntryKey, u64)> = events
            .iter()
            .flat_map(|event| of(event).into_iter().map(|(key, at)| (at, key, event.seq)))
            .collect();
        shown.sort_unstable();
        shown.dedup();
        for part in shown.chunks(SHOWN_MAX) {
            let Some(times) = Times::new(part.iter().map(|(clock, _, _)| *clock).collect()) else { continue };
            made.push(Summary {
                actor: actor.to_owned(),
                latest: part[part.len() - 1].0.millis(),
                body: RunEvent::Exposed {
                    run: run.map(str::to_owned),
                    agent: agent.map(str::to_owned),
                    how: how.to_owned(),
                    entries: part.iter().map(|(_, key, _)| *key).collect(),
                    times: Some(times),
                    covers: Numbers::of(part.iter().map(|(_, _, seq)| *seq)),
                },
            });
        }
    }
    made
}

/// Takes out of a summary what was shown after a time. False where nothing of it is left, or it is none.
pub fn cut_off(event: &mut Event, end: Clock) -> bool {
    let Some(Exposed { shown, is_summary: true, .. }) = Exposed::read(event) else { return false };
    let before: Vec<(EntryKey, Clock)> = shown.into_iter().filter(|(_, clock)| *clock <= end).collect();
    let Some(Body::Run(RunEvent::Exposed { entries, times, .. })) = &mut event.body else { return false };
    *entries = before.iter().map(|(key, _)| *key).collect();
    *times = Times::new(before.iter().map(|(_, clock)| *clock).collect());
    times.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(text: &str) -> Clock {
        text.parse().expect("a clock")
    }

    #[test]
    fn times_have_one_spelling_which_reads_back() {
        let first = clock("2026-11-15T02:04:26.123Z-0000");
        let at = |millis: i64, counter: u16| {
            Clock::of(Millis(first.millis().0 + millis), counter).expect("a clock")
        };
        let times =
            Times::new(vec![first, first, first, at(1523, 0), at(1523, 0), at(9000, 1)]).expect("in order");
        assert_eq!(times.to_string(), "1794708266123*3 +1523*2 +9000.1");
        assert_eq!(times.to_string().parse(), Ok(times));
        assert_eq!(Times::new(vec![at(1, 0), first]), None, "times are in order");
        for odd in [
            "",
            "+5",
            "2026-11-15T02:04:26.123Z-0000*0",
            "2026-11-15T02:04:26.123Z-0000 +0",
            "2026-11-15T02:04:26.123Z-0000*9999999999",
        ] {
            assert!(odd.parse::<Times>().is_err(), "{odd:?} is no spelling of times");
        }
    }

    #[test]
    fn numbers_are_ranges_with_one_spelling() {
        let numbers = Numbers::of([12, 3, 4, 5, 4]);
        assert_eq!(numbers.to_string(), "3-5 12");
        assert_eq!("3-5 12".parse(), Ok(numbers.clone()));
        assert!(numbers.contains(4) && !numbers.contains(6));
        for odd in ["", "5-3", "3-4 5", "12 3", "03"] {
            assert!(odd.parse::<Numbers>().is_err(), "{odd:?} is no spelling of numbers");
        }
    }
}
