//! `forage`: looking things up on the web (FOR-1 to FOR-4).

use crate::request::Request;
use ken_core::forage::{DomainAction, ForageCycle, ForageEvent, ForageMode, WaitingRequest};
use ken_core::{Code, Refusal};
use ken_engine::Result;
use ken_forage::{Address, Trigger};
use serde::Serialize;

use crate::requests::NoFields;
use crate::Reach;
use crate::forage::serve::{asked, gaps, may_start, own, serve};
use crate::forage::{
    ForageAnswer, ForagePolicy, RecheckAnswer, RunAnswer, Task, What, foraging, said, shown, year,
};
use crate::limits::forage::CYCLES_SHOWN;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb, read_word};
use crate::writer::writer;

/// Look something up on the web.
pub struct ForageFind;

/// What `forage find` takes.
#[derive(Clone, Debug, Request)]
pub struct FindRequest {
    /// Query, in general words: it leaves this machine
    #[field(required, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Dry run: show what would be sent; nothing is
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for ForageFind {
    const NAME: &'static str = "forage find";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Look something up on the web and add what pages claim, as candidates";
    const EXAMPLE: &'static str = "ken forage find 'tokio graceful shutdown' --dry-run";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/find")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = FindRequest;
    type Answer = ForageAnswer;

    fn run(call: &mut Call, request: FindRequest) -> Result<ForageAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        let query =
            ken_forage::query(Trigger::Operator, &request.query.join(" "), "", &[], year(caller.now()));
        let task = Task {
            mode: ForageMode::Operator,
            trigger: Trigger::Operator,
            what: What::Query(query),
            answers: None,
        };
        asked(ledger, site, models, caller, &task, request.dry_run)
    }

    fn only_reads(request: &FindRequest) -> bool {
        request.dry_run
    }
}

/// Read one page.
pub struct ForageRead;

/// What `forage read` takes.
#[derive(Clone, Debug, Request)]
pub struct ReadRequest {
    /// Address of the page
    #[field(value_name = "URL")]
    pub url: String,
    /// Dry run: say whether it may be read; nothing is sent
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for ForageRead {
    const NAME: &'static str = "forage read";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Read one page of the web and add what it claims, as candidates";
    const EXAMPLE: &'static str = "ken forage read https://docs.rs/tokio/latest/tokio/signal/";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/read")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReadRequest;
    type Answer = ForageAnswer;

    fn run(call: &mut Call, request: ReadRequest) -> Result<ForageAnswer> {
        let address = Address::parse(&request.url).map_err(|why| {
            Refusal::new(Code::Invalid, format!("this address cannot be used: {why}")).field("url")
        })?;
        let task = Task {
            mode: ForageMode::Operator,
            trigger: Trigger::Operator,
            what: What::Page(address),
            answers: None,
        };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        asked(ledger, site, models, caller, &task, request.dry_run)
    }

    fn only_reads(request: &ReadRequest) -> bool {
        request.dry_run
    }
}

/// Look up what the briefing misses.
pub struct ForageGap;

/// What `forage gap` takes.
#[derive(Clone, Debug, Request)]
pub struct GapRequest {
    /// Finding of `ken brief`: coverage_gap, stale_cluster, confidence_decline or knowledge_roi; `coverage_gap/2` is the second one
    #[field(value_name = "FINDING")]
    pub finding: String,
    /// Dry run: show what would be sent; nothing is
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for ForageGap {
    const NAME: &'static str = "forage gap";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Look up a gap that the briefing found";
    const EXAMPLE: &'static str = "ken forage gap coverage_gap --dry-run";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/gap")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = GapRequest;
    type Answer = ForageAnswer;

    fn run(call: &mut Call, request: GapRequest) -> Result<ForageAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        if !request.dry_run {
            ForagePolicy::read(&site.config)?.require_on()?;
        }
        let (rule, number) = match request.finding.split_once('/') {
            Some((rule, number)) => (rule, number.parse::<usize>().ok().filter(|number| *number > 0)),
            None => (request.finding.as_str(), Some(1)),
        };
        let gaps = gaps(ledger, site, caller)?;
        let mut found = gaps.into_iter().filter(|task| task.trigger.word() == rule);
        let task = number.and_then(|number| found.nth(number - 1)).ok_or_else(|| {
            Refusal::new(
                Code::NotFound,
                format!("the briefing has no finding {:?} that a page could answer", request.finding),
            )
            .hint("`ken brief` lists what it finds")
            .field("finding")
        })?;
        let task = Task { mode: ForageMode::Operator, ..task };
        asked(ledger, site, models, caller, &task, request.dry_run)
    }

    fn only_reads(request: &GapRequest) -> bool {
        request.dry_run
    }
}

/// Serve what waits.
pub struct ForageRun;

/// What `forage run` takes.
#[derive(Clone, Debug, Request)]
pub struct RunRequest {
    /// Requests to serve, at most
    #[field(long, value_name = "N", default = 3)]
    pub requests: usize,
    /// Dry run: show what would be sent; nothing is
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for ForageRun {
    const NAME: &'static str = "forage run";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Look up what weak searches, agents and the briefing asked for";
    const EXAMPLE: &'static str = "ken forage run --requests 1";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/run")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = RunRequest;
    type Answer = RunAnswer;

    fn run(call: &mut Call, request: RunRequest) -> Result<RunAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        let policy = ForagePolicy::read(&site.config)?;
        if !request.dry_run {
            policy.require_on()?;
            may_start(caller, &policy)?;
        }
        serve(ledger, site, models, caller, &policy, request.requests, request.dry_run)
    }

    fn only_reads(request: &RunRequest) -> bool {
        request.dry_run
    }
}

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

/// How domains are read.
pub struct ForageStrategies;

/// What `forage strategies` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StrategiesAnswer {
    pub domains: Vec<StrategyLine>,
}

/// How a domain is read.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StrategyLine {
    pub domain: String,
    /// 0 plain text, 1 the article, 2 whatever is no navigation.
    pub level: u8,
    pub successes: u32,
    pub failures: u32,
    /// When its level last changed.
    pub at: String,
}

impl Verb for ForageStrategies {
    const NAME: &'static str = "forage strategies";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show how the pages of each domain are read";
    const EXAMPLE: &'static str = "ken forage strategies";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/forage/strategies")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::READS;
    type Request = NoFields;
    type Answer = StrategiesAnswer;

    fn run(call: &mut Call, _: NoFields) -> Result<StrategiesAnswer> {
        let known = foraging(&call.reach()?.ledger)?;
        let domains = known.strategies.into_iter().map(|(domain, strategy)| StrategyLine {
            domain,
            level: strategy.level,
            successes: strategy.successes,
            failures: strategy.failures,
            at: strategy.at.millis().to_string(),
        });
        Ok(StrategiesAnswer { domains: domains.collect() })
    }
}

/// Look at pages again.
pub struct ForageRecheck;

/// What `forage recheck` takes.
#[derive(Clone, Debug, Request)]
pub struct RecheckRequest {
    /// Entry that came from a page (default: all of them, as far as today's pages go)
    #[field(value_name = "ID")]
    pub id: Vec<String>,
}

impl Verb for ForageRecheck {
    const NAME: &'static str = "forage recheck";
    const ABOUT: &'static str = "Read the pages of entries again and tell which no longer say so";
    const EXAMPLE: &'static str = "ken forage recheck X-e71631";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/recheck")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = RecheckRequest;
    type Answer = RecheckAnswer;

    fn run(call: &mut Call, request: RecheckRequest) -> Result<RecheckAnswer> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::forage::recheck::recheck(ledger, site, caller, &request.id)
    }

    fn finds(answer: &RecheckAnswer) -> bool {
        answer.entries.iter().any(|entry| entry.holds == Some(false))
    }
}

/// Decide what a domain is worth.
pub struct ForageOverride;

/// What `forage override` takes.
#[derive(Clone, Debug, Request)]
pub struct OverrideRequest {
    /// Domain; all names below it are covered
    #[field(value_name = "DOMAIN")]
    pub domain: String,
    /// trust, distrust or reset
    #[field(value_name = "ACTION", words = DomainAction::WORDS)]
    pub action: String,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
}

/// What `forage override` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverrideAnswer {
    pub domain: String,
    pub action: &'static str,
    /// Nothing was written, since it was so before.
    pub unchanged: bool,
}

impl Verb for ForageOverride {
    const NAME: &'static str = "forage override";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Trust a domain, distrust it, or take that back; a person confirms";
    const EXAMPLE: &'static str = "ken forage override example.com distrust --reason 'copies other sites'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/override")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES.for_a_person();
    type Request = OverrideRequest;
    type Answer = OverrideAnswer;

    fn run(call: &mut Call, request: OverrideRequest) -> Result<OverrideAnswer> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        ledger.may_write()?;
        let action =
            read_word("action", "action", &request.action, DomainAction::WORDS, DomainAction::from_word)?;
        let domain = Address::parse(&format!("https://{}/", request.domain.trim()))
            .map(|address| address.host_name())
            .map_err(|why| {
                Refusal::new(Code::Invalid, format!("{:?} is not a domain: {why}", request.domain))
                    .field("domain")
            })?;
        let known = foraging(ledger)?.overrides.get(&domain).map(|decided| decided.action);
        let unchanged = known == Some(action) || (known.is_none() && action == DomainAction::Reset);
        if !unchanged {
            caller.require_person(&format!("`ken forage override {domain} {}`", action.word()))?;
            let event = ForageEvent::Override { domain: domain.clone(), action, reason: request.reason };
            ledger.append(vec![said(event)], &writer(&site.config, caller))?;
        }
        Ok(OverrideAnswer { domain, action: action.word(), unchanged })
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
