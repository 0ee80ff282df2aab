//! `ken forage status`.

use ken_core::forage::{ForageCycle, WaitingRequest};
use ken_engine::Result;
use serde::Serialize;

use crate::Reach;
use crate::forage::serve::own;
use crate::forage::{ForagePolicy, foraging, shown};
use crate::limits::forage::CYCLES_SHOWN;
use crate::requests::NoFields;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Where the forager stands.
pub struct ForageStatus;

/// What `forage status` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusAnswer {
    /// Whether a person turned it on in this clone.
    pub on: bool,
    /// Who is asked where pages are, or why nobody.
    pub provider: String,
    /// Whether agents may start a cycle.
    pub agents: bool,
    /// Pages of today: read or reserved, and allowed.
    pub pages: u32,
    pub pages_max: u32,
    /// Requests of this clone that wait, in the order in which they are served.
    pub waiting: Vec<WaitingLine>,
    /// The last cycles, newest first.
    pub cycles: Vec<CycleLine>,
    /// What people decided of domains.
    pub overrides: Vec<OverrideLine>,
}

/// A request that waits.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitingLine {
    pub request: String,
    pub at: String,
    pub by: String,
    pub mode: &'static str,
    pub trigger: String,
    pub query: String,
}

/// A cycle, and what came of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CycleLine {
    pub request: String,
    pub at: String,
    pub by: String,
    pub mode: &'static str,
    pub trigger: String,
    pub query: String,
    /// How it ended; none while it runs, or where it was killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    pub pages: u32,
    pub entries: u32,
    pub rejected: u32,
}

/// What a person decided of a domain.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverrideLine {
    pub domain: String,
    pub action: &'static str,
    pub by: String,
    pub at: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Verb for ForageStatus {
    const NAME: &'static str = "forage status";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show whether the forager is on, what it read, and what waits";
    const EXAMPLE: &'static str = "ken forage status";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/forage")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::READS;
    type Request = NoFields;
    type Answer = StatusAnswer;

    fn run(call: &mut Call, _: NoFields) -> Result<StatusAnswer> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        let policy = ForagePolicy::read(&site.config)?;
        let known = foraging(ledger)?;
        let waiting = known.open(own(ledger, &known)?, caller.now()).into_iter().map(waiting_line).collect();
        let cycles = known.cycles.iter().rev().take(CYCLES_SHOWN).map(cycle_line).collect();
        let overrides = known.overrides.iter().map(|(domain, decided)| OverrideLine {
            domain: domain.clone(),
            action: decided.action.word(),
            by: decided.by.clone(),
            at: decided.at.millis().to_string(),
            reason: decided.reason.clone(),
        });
        Ok(StatusAnswer {
            on: policy.is_on,
            provider: policy.provider_word(),
            agents: policy.agents_may,
            pages: known.pages_on(&caller.now().date()),
            pages_max: policy.pages_max,
            waiting,
            cycles,
            overrides: overrides.collect(),
        })
    }
}

fn waiting_line(waiting: &WaitingRequest) -> WaitingLine {
    let requested = &waiting.requested;
    WaitingLine {
        request: requested.request.clone(),
        at: waiting.at.millis().to_string(),
        by: waiting.by.clone(),
        mode: requested.mode.word(),
        trigger: requested.trigger.clone(),
        query: shown(&requested.query),
    }
}

fn cycle_line(cycle: &ForageCycle) -> CycleLine {
    let (requested, end) = (&cycle.requested, cycle.completed.as_ref());
    CycleLine {
        request: requested.request.clone(),
        at: cycle.at.millis().to_string(),
        by: cycle.by.clone(),
        mode: requested.mode.word(),
        trigger: requested.trigger.clone(),
        query: shown(&requested.query),
        ended: end.map(|end| end.reason.clone()),
        pages: end.map_or(requested.pages, |end| end.pages),
        entries: end.map_or(0, |end| end.entries),
        rejected: end.map_or(0, |end| end.rejected),
    }
}
