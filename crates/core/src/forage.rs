//! What the forager was asked, did and learned (FOR-4, COR-30): four events, and what follows from them.
//!
//! The budget of a day is nowhere stored. It is folded from what was reserved and what was given back, so that it survives a restart, a
//! rebuild and a merge, and counts what this clone knows of others.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::clock::{Clock, Millis};
use crate::event::{Body, Event};
use crate::ids::ReplicaId;
use crate::limits::{FORAGE_CYCLE_PAGES_MAX, FORAGE_WAITING_DAYS_MAX, FORAGE_WAITING_MAX};

/// What the forager was asked, did and learned. Single searches, pages and rejections are lines of a log, and no events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", content = "data")]
pub enum ForageEvent {
    /// Something should be looked up, or a cycle that does so begins.
    #[serde(rename = "forage.requested")]
    Requested(Box<Requested>),
    /// A cycle ended.
    #[serde(rename = "forage.completed")]
    Completed(Box<Completed>),
    /// How reading a domain went in one cycle.
    #[serde(rename = "forage.strategy")]
    Strategy {
        domain: String,
        /// The level that worked last: 0 plain text, 1 the article, 2 whatever is no navigation.
        level: u8,
        #[serde(default, skip_serializing_if = "is_zero")]
        successes: u32,
        #[serde(default, skip_serializing_if = "is_zero")]
        failures: u32,
    },
    /// A person decided what a domain is worth.
    #[serde(rename = "forage.override")]
    Override {
        domain: String,
        action: DomainAction,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What a person decided of a domain and all below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DomainAction {
    /// It is credible. No other domain is the less so.
    Trust,
    /// Nothing of it is read.
    Distrust,
    /// Whatever was decided before no longer counts.
    Reset,
}

impl DomainAction {
    pub const WORDS: &'static [&'static str] = &["trust", "distrust", "reset"];

    pub fn word(self) -> &'static str {
        match self {
            DomainAction::Trust => "trust",
            DomainAction::Distrust => "distrust",
            DomainAction::Reset => "reset",
        }
    }

    pub fn from_word(word: &str) -> Option<DomainAction> {
        [DomainAction::Trust, DomainAction::Distrust, DomainAction::Reset]
            .into_iter()
            .find(|one| one.word() == word)
    }
}

/// Who wants something looked up, in the order in which they are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ForageMode {
    /// Somebody asks for it.
    Operator,
    /// A search found too little.
    Reactive,
    /// The briefing found a gap.
    Proactive,
}

impl ForageMode {
    pub fn word(self) -> &'static str {
        match self {
            ForageMode::Operator => "operator",
            ForageMode::Reactive => "reactive",
            ForageMode::Proactive => "proactive",
        }
    }
}

/// Something to look up. Without pages it waits; with pages it is a cycle, which reserves them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Requested {
    /// Its name.
    pub request: String,
    pub mode: ForageMode,
    /// Why: `operator`, `reactive`, `coverage_gap` and so on.
    pub trigger: String,
    /// What is asked, or the address that is read.
    pub query: String,
    /// Pages that are reserved for it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pages: u32,
    /// The request that this cycle takes up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
}

/// How a cycle ended. It gives back the pages that it did not use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Completed {
    pub request: String,
    pub mode: ForageMode,
    /// How it ended, in a few words.
    pub reason: String,
    /// Pages that were asked for.
    pub pages: u32,
    /// Pages whose claims were looked at.
    pub read: u32,
    /// Claims that became entries, or joined one.
    pub entries: u32,
    /// Claims and pages that were kept out.
    pub rejected: u32,
    pub bytes: u64,
    pub duration_ms: u64,
}

/// A request that nobody took up yet.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingRequest {
    pub at: Clock,
    pub by: String,
    pub replica: ReplicaId,
    pub requested: Requested,
}

/// A cycle, and how it ended if it did.
#[derive(Clone, Debug, PartialEq)]
pub struct ForageCycle {
    pub at: Clock,
    pub by: String,
    pub replica: ReplicaId,
    pub requested: Requested,
    pub completed: Option<Completed>,
}

/// What is known of reading a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainStrategy {
    pub level: u8,
    pub successes: u32,
    pub failures: u32,
    /// When its level changed or failed last.
    pub at: Clock,
}

/// What a person decided of a domain last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainOverride {
    pub action: DomainAction,
    pub reason: String,
    pub by: String,
    pub at: Clock,
}

/// All of it as it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Foraging {
    /// Oldest first.
    pub waiting: Vec<WaitingRequest>,
    /// Oldest first.
    pub cycles: Vec<ForageCycle>,
    pub strategies: BTreeMap<String, DomainStrategy>,
    /// Without those that were reset.
    pub overrides: BTreeMap<String, DomainOverride>,
}

impl Foraging {
    /// Folds events, in whatever order and however often they come.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Foraging {
        let mut events: Vec<&Event> = events.into_iter().collect();
        events.sort_by_key(|event| event.order());
        events.dedup_by_key(|event| event.hash);
        let mut all = Foraging::default();
        let mut taken_up = BTreeSet::new();
        for event in &events {
            let Some(Body::Forage(said)) = &event.body else { continue };
            let (at, by) = (event.clock, event.actor.clone());
            match said {
                ForageEvent::Requested(requested) if requested.pages == 0 => {
                    let (requested, replica) = ((**requested).clone(), event.replica);
                    all.waiting.push(WaitingRequest { at, by, replica, requested });
                }
                ForageEvent::Requested(requested) => {
                    taken_up.extend(requested.answers.clone());
                    let (requested, replica) = ((**requested).clone(), event.replica);
                    all.cycles.push(ForageCycle { at, by, replica, requested, completed: None });
                }
                ForageEvent::Completed(_) => {}
                ForageEvent::Strategy { domain, level, successes, failures } => {
                    let new = DomainStrategy { level: 0, successes: 0, failures: 0, at };
                    let (level, known) =
                        ((*level).min(2), all.strategies.entry(domain.clone()).or_insert(new));
                    known.successes = known.successes.saturating_add(*successes);
                    known.failures = known.failures.saturating_add(*failures);
                    // A lower level that was tried again in vain counts as a change: it is tried again a week later.
                    if known.level != level || *failures > 0 {
                        known.at = at;
                    }
                    known.level = level;
                }
                ForageEvent::Override { domain, action, reason } => {
                    let decided = DomainOverride { action: *action, reason: reason.clone(), by, at };
                    all.overrides.insert(domain.clone(), decided);
                }
            }
        }
        for event in &events {
            let Some(Body::Forage(ForageEvent::Completed(completed))) = &event.body else { continue };
            // Nobody gives back what another clone reserved; and of two endings the costlier one counts.
            let cycle = all
                .cycles
                .iter_mut()
                .find(|cycle| cycle.requested.request == completed.request && cycle.replica == event.replica);
            if let Some(cycle) = cycle
                && cycle.completed.as_ref().is_none_or(|known| known.pages < completed.pages)
            {
                cycle.completed = Some((**completed).clone());
            }
        }
        all.waiting.retain(|waiting| !taken_up.contains(&waiting.requested.request));
        all.overrides.retain(|_, decided| decided.action != DomainAction::Reset);
        all
    }

    /// How many pages a day has cost so far: what cycles read, and what those reserved that have not ended.
    pub fn pages_on(&self, date: &str) -> u32 {
        let cycles = self.cycles.iter().filter(|cycle| cycle.at.millis().date() == date);
        cycles
            .map(|cycle| cycle.completed.as_ref().map_or(cycle.requested.pages, |end| end.pages))
            .fold(0, u32::saturating_add)
    }

    /// The same of one mode alone.
    pub fn pages_of_mode_on(&self, mode: ForageMode, date: &str) -> u32 {
        let cycles = self.cycles.iter().filter(|cycle| cycle.requested.mode == mode).cloned().collect();
        Foraging { cycles, ..Foraging::default() }.pages_on(date)
    }

    /// How many pages a cycle may reserve now, of those that it wants; none where the day has none left.
    pub fn may_reserve(&self, date: &str, day_max: u32, wanted: u32) -> u32 {
        wanted.min(FORAGE_CYCLE_PAGES_MAX).min(day_max.saturating_sub(self.pages_on(date)))
    }

    /// Requests that a clone should still take up, in their order: operator, reactive, proactive, and of each the oldest first. What
    /// another clone asked for is not its to read: a line that comes by git starts nothing here. Without a clone, those of all.
    pub fn open(&self, replica: Option<ReplicaId>, now: Millis) -> Vec<&WaitingRequest> {
        let since = Millis(now.0 - i64::from(FORAGE_WAITING_DAYS_MAX) * 86_400_000);
        let is_own = |waiting: &WaitingRequest| replica.is_none_or(|replica| replica == waiting.replica);
        let is_open = |waiting: &&WaitingRequest| is_own(waiting) && waiting.at.millis() >= since;
        let mut open: Vec<&WaitingRequest> = self.waiting.iter().filter(is_open).collect();
        open.sort_by_key(|waiting| (waiting.requested.mode, waiting.at));
        open
    }

    /// Whether a request that nobody made yet may wait: not if it waits or was answered lately, nor if too many do.
    pub fn may_wait(&self, query: &str, replica: Option<ReplicaId>, now: Millis) -> bool {
        let open = self.open(replica, now);
        let since = Millis(now.0 - i64::from(FORAGE_WAITING_DAYS_MAX) * 86_400_000);
        let was_asked =
            self.cycles.iter().any(|cycle| cycle.requested.query == query && cycle.at.millis() >= since);
        open.len() < FORAGE_WAITING_MAX
            && !was_asked
            && open.iter().all(|waiting| waiting.requested.query != query)
    }
}
