//! `forage`: looking things up on the web (FOR-1 to FOR-4).

use clap::Args;
use ken_core::forage::{DomainAction, ForageCycle, ForageEvent, ForageMode, WaitingRequest};
use ken_core::{Code, Refusal};
use ken_engine::ops::brief::Insight;
use ken_engine::{Overlaid, Query, Result};
use ken_forage::{Address, Line, Reading, Trigger};
use serde::Serialize;

use super::NoFields;
use crate::Reach;
use crate::forage::{
    Bench, ForageAnswer, ForagePolicy, Task, What, add_claims, check_query, finish, foraging, plan,
    run_cycle, said, shown, wait, year,
};
use crate::limits::forage::{CYCLES_SHOWN, RECHECKED_MAX};
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb, Words, read_word, whole};

/// Look something up on the web.
pub struct ForageFind;

/// What `forage find` takes.
#[derive(Clone, Debug, Args)]
pub struct FindRequest {
    /// Query, in general words: it leaves this machine
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Dry run: show what would be sent; nothing is
    #[arg(long)]
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
        let ken = call.reach()?;
        let query =
            ken_forage::query(Trigger::Operator, &request.query.join(" "), "", &[], year(ken.caller.now()));
        let task = Task {
            mode: ForageMode::Operator,
            trigger: Trigger::Operator,
            what: What::Query(query),
            answers: None,
        };
        asked(ken, &task, request.dry_run)
    }

    fn only_reads(request: &FindRequest) -> bool {
        request.dry_run
    }
}

/// Read one page.
pub struct ForageRead;

/// What `forage read` takes.
#[derive(Clone, Debug, Args)]
pub struct ReadRequest {
    /// Address of the page
    #[arg(value_name = "URL")]
    pub url: String,
    /// Dry run: say whether it may be read; nothing is sent
    #[arg(long)]
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
        asked(call.reach()?, &task, request.dry_run)
    }

    fn only_reads(request: &ReadRequest) -> bool {
        request.dry_run
    }
}

/// Look up what the briefing misses.
pub struct ForageGap;

/// What `forage gap` takes.
#[derive(Clone, Debug, Args)]
pub struct GapRequest {
    /// Finding of `ken brief`: coverage_gap, stale_cluster, confidence_decline or knowledge_roi; `coverage_gap/2` is the second one
    #[arg(value_name = "FINDING")]
    pub finding: String,
    /// Dry run: show what would be sent; nothing is
    #[arg(long)]
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
        let ken = call.reach()?;
        if !request.dry_run {
            ForagePolicy::read(&ken.site.config)?.require_on()?;
        }
        let (rule, number) = match request.finding.split_once('/') {
            Some((rule, number)) => (rule, number.parse::<usize>().ok().filter(|number| *number > 0)),
            None => (request.finding.as_str(), Some(1)),
        };
        let gaps = gaps(ken)?;
        let mut found = gaps.into_iter().filter(|task| task.trigger.word() == rule);
        let task = number.and_then(|number| found.nth(number - 1)).ok_or_else(|| {
            Refusal::new(
                Code::NotFound,
                format!("the briefing has no finding {:?} that a page could answer", request.finding),
            )
            .hint("`ken brief` lists what it finds")
            .field("finding")
        })?;
        asked(ken, &Task { mode: ForageMode::Operator, ..task }, request.dry_run)
    }

    fn only_reads(request: &GapRequest) -> bool {
        request.dry_run
    }
}

/// Serve what waits.
pub struct ForageRun;

/// What `forage run` takes.
#[derive(Clone, Debug, Args)]
pub struct RunRequest {
    /// Requests to serve, at most
    #[arg(long, value_name = "N", default_value = "3", value_parser = whole::<usize>)]
    pub requests: usize,
    /// Dry run: show what would be sent; nothing is
    #[arg(long)]
    pub dry_run: bool,
}

/// What `forage run` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunAnswer {
    /// Each cycle, in the order in which they were served.
    pub cycles: Vec<ForageAnswer>,
    /// Why no more were served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Requests that still wait.
    pub waiting: usize,
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
        let ken = call.reach()?;
        let policy = ForagePolicy::read(&ken.site.config)?;
        policy.require_on()?;
        may_start(ken, &policy)?;
        let (known, now) = (foraging(&ken.ledger)?, ken.caller.now());
        let mut tasks: Vec<Task> = known.open(now).into_iter().map(task_of).collect();
        let waiting = tasks.len();
        if policy.proactive_max > 0 {
            let since_new = |task: &Task| match &task.what {
                What::Query(query) => known.may_wait(query, now),
                What::Page(_) => false,
            };
            let gaps: Vec<Task> = gaps(ken)?;
            tasks.extend(gaps.into_iter().filter(since_new));
        }
        let (mut cycles, mut stopped) = (Vec::new(), None);
        for task in tasks.into_iter().take(request.requests) {
            let done = match request.dry_run {
                true => planned(ken, &policy, &task),
                false => carry_out(ken, &policy, &task).map(|(answer, _)| answer),
            };
            match done {
                Ok(answer) => cycles.push(answer),
                Err(error) => {
                    stopped = Some(error.to_string());
                    break;
                }
            }
        }
        let taken =
            if request.dry_run { 0 } else { cycles.iter().filter(|one| one.mode != "proactive").count() };
        Ok(RunAnswer { waiting: waiting.saturating_sub(taken), cycles, stopped })
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
    /// Requests that wait, in the order in which they are served.
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
        let ken = call.reach()?;
        let policy = ForagePolicy::read(&ken.site.config)?;
        let known = foraging(&ken.ledger)?;
        let waiting = known.open(ken.caller.now()).into_iter().map(waiting_line).collect();
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
            pages: known.pages_on(&ken.caller.now().date()),
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
        let known = foraging(&call.reach()?.store)?;
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
#[derive(Clone, Debug, Args)]
pub struct RecheckRequest {
    /// Entry that came from a page (default: all of them, as far as today's pages go)
    #[arg(value_name = "ID")]
    pub id: Vec<String>,
}

/// What `forage recheck` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecheckAnswer {
    pub entries: Vec<RecheckLine>,
    /// Entries that were not looked at.
    pub left: usize,
    /// Why no more pages were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// An entry, and whether its page still says so.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecheckLine {
    pub handle: String,
    pub page: String,
    /// `says so`, `says so no longer`, or why the page could not be read.
    pub found: String,
    /// Whether the page still has the sentence; none where it could not be read.
    pub holds: Option<bool>,
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
        let ken = call.reach()?;
        let policy = ForagePolicy::read(&ken.site.config)?;
        policy.require_on()?;
        may_start(ken, &policy)?;
        let asked = rechecked(ken, &request.id)?;
        let (mut entries, mut stopped) = (Vec::new(), None);
        let mut pages: std::collections::BTreeMap<String, std::result::Result<Reading, String>> =
            Default::default();
        let total = asked.len();
        for (handle, page, sentence) in asked.into_iter().take(RECHECKED_MAX) {
            if !pages.contains_key(&page) {
                let found = Address::parse(&page).map(|address| Task {
                    mode: ForageMode::Operator,
                    trigger: Trigger::Operator,
                    what: What::Page(address),
                    answers: None,
                });
                let read = match found {
                    Ok(task) => match look(ken, &policy, &task) {
                        Ok((readings, log)) => readings.into_iter().next().ok_or_else(|| why_not(&log)),
                        Err(error) => {
                            stopped = Some(error.to_string());
                            break;
                        }
                    },
                    Err(why) => Err(why),
                };
                pages.insert(page.clone(), read);
            }
            let (found, holds) = match &pages[&page] {
                Ok(reading) => match has(&reading.text, &sentence) {
                    true => ("says so".to_owned(), Some(true)),
                    false => ("says so no longer".to_owned(), Some(false)),
                },
                Err(why) => (why.clone(), None),
            };
            entries.push(RecheckLine { handle, page, found, holds });
        }
        Ok(RecheckAnswer { left: total - entries.len(), entries, stopped })
    }

    fn finds(answer: &RecheckAnswer) -> bool {
        answer.entries.iter().any(|entry| entry.holds == Some(false))
    }
}

/// Decide what a domain is worth.
pub struct ForageOverride;

/// What `forage override` takes.
#[derive(Clone, Debug, Args)]
pub struct OverrideRequest {
    /// Domain; all names below it are covered
    #[arg(value_name = "DOMAIN")]
    pub domain: String,
    /// trust, distrust or reset
    #[arg(value_name = "ACTION", value_parser = Words(DomainAction::WORDS), hide_possible_values = true)]
    pub action: String,
    /// Reason, recorded in the ledger
    #[arg(long, default_value = "")]
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
        let ken = call.reach()?;
        ken.ledger.may_write()?;
        let action =
            read_word("action", "action", &request.action, DomainAction::WORDS, DomainAction::from_word)?;
        let domain = Address::parse(&format!("https://{}/", request.domain.trim()))
            .map(|address| address.host_name())
            .map_err(|why| {
                Refusal::new(Code::Invalid, format!("{:?} is not a domain: {why}", request.domain))
                    .field("domain")
            })?;
        let known = foraging(&ken.ledger)?.overrides.get(&domain).map(|decided| decided.action);
        let unchanged = known == Some(action) || (known.is_none() && action == DomainAction::Reset);
        if !unchanged {
            ken.caller.require_person(&format!("`ken forage override {domain} {}`", action.word()))?;
            let event = ForageEvent::Override { domain: domain.clone(), action, reason: request.reason };
            let writer = crate::writer(&ken.site.config, &ken.caller);
            ken.ledger.append(vec![said(event)], &writer)?;
        }
        Ok(OverrideAnswer { domain, action: action.word(), unchanged })
    }
}

/// Does what somebody asks for now, leaves it to a person where only people may, or only shows it.
fn asked(ken: &mut Reach, task: &Task, dry_run: bool) -> Result<ForageAnswer> {
    let policy = ForagePolicy::read(&ken.site.config)?;
    if dry_run {
        return planned(ken, &policy, task);
    }
    policy.require_on()?;
    if may_start(ken, &policy).is_ok() {
        return carry_out(ken, &policy, task).map(|(answer, _)| answer);
    }
    // An agent asks; a person, or `ken forage run`, decides.
    let mut answer = planned(ken, &policy, task)?;
    let waits = wait(&mut ken.ledger, &ken.site.config, &ken.caller, task.mode, task.trigger, &answer.query)?;
    answer.state = "waiting";
    answer.request = waits.map(|waiting| waiting.requested.request);
    Ok(answer)
}

/// Refuses agents a cycle where a person did not allow it.
fn may_start(ken: &Reach, policy: &ForagePolicy) -> Result<()> {
    if policy.agents_may || !ken.caller.is_agent() {
        return Ok(());
    }
    Err(Refusal::new(Code::NotAllowed, "agents may ask for pages here, and not read any")
        .hint("a person runs `ken forage run`, or allows it with `ken config forage.agents true`")
        .into())
}

fn planned(ken: &mut Reach, policy: &ForagePolicy, task: &Task) -> Result<ForageAnswer> {
    let repository = crate::repository(&ken.site);
    let bench = Bench { config: &ken.site.config, caller: &ken.caller, repository: &repository };
    plan(&ken.ledger, &bench, policy, task).map(|(answer, _)| answer)
}

/// A cycle, from its reservation to its end.
fn carry_out(ken: &mut Reach, policy: &ForagePolicy, task: &Task) -> Result<(ForageAnswer, Vec<Reading>)> {
    cycle(ken, policy, task, true)
}

/// The same without adding what pages claim.
fn look(ken: &mut Reach, policy: &ForagePolicy, task: &Task) -> Result<(Vec<Reading>, Vec<Line>)> {
    cycle(ken, policy, task, false).map(|(answer, readings)| (readings, answer.log))
}

fn cycle(
    ken: &mut Reach,
    policy: &ForagePolicy,
    task: &Task,
    adds: bool,
) -> Result<(ForageAnswer, Vec<Reading>)> {
    let repository = crate::repository(&ken.site);
    let bench = Bench { config: &ken.site.config, caller: &ken.caller, repository: &repository };
    let (requested, readings, mut answer, ended) = run_cycle(&mut ken.ledger, &bench, policy, task)?;
    if adds {
        let (mut ground, now) = (crate::check::bare_ground(&ken.ledger, &ken.site), ken.caller.now());
        add_claims(
            &readings,
            &requested,
            now,
            &mut ground,
            &mut |input| crate::add(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, input),
            &mut answer,
        );
    }
    finish(&mut ken.ledger, &ken.site.config, &ken.caller, &requested, &mut answer, ended, policy.pages_max)?;
    Ok((answer, readings))
}

/// What somebody asked for that waits.
fn task_of(waiting: &WaitingRequest) -> Task {
    let requested = &waiting.requested;
    let what = match Address::parse(&requested.query) {
        Ok(address) => What::Page(address),
        Err(_) => What::Query(requested.query.clone()),
    };
    let trigger = Trigger::from_word(&requested.trigger).unwrap_or(Trigger::Operator);
    Task { mode: requested.mode, trigger, what, answers: Some(requested.request.clone()) }
}

/// What the briefing finds that a page could answer, as queries that may leave.
fn gaps(ken: &mut Reach) -> Result<Vec<Task>> {
    let (repository, year) = (crate::repository(&ken.site), year(ken.caller.now()));
    let insights = crate::brief::briefing(&ken.ledger, &ken.site, &ken.caller, None)?.insights;
    let task = |insight: &Insight| {
        let trigger = Trigger::from_word(&insight.rule)
            .filter(|trigger| !matches!(trigger, Trigger::Operator | Trigger::Reactive))?;
        let topic = insight.entries.first()?.title.clone();
        let query = ken_forage::query(trigger, &topic, "", &[], year);
        check_query(&ken.site.config, &repository, &query).ok()?;
        Some(Task { mode: ForageMode::Proactive, trigger, what: What::Query(query), answers: None })
    };
    Ok(insights.iter().filter_map(task).collect())
}

/// Entries that came from a page, with the sentence that each rests on, the oldest first.
fn rechecked(ken: &mut Reach, names: &[String]) -> Result<Vec<(String, String, String)>> {
    let stored = match names {
        [] => ken.ledger.list(&Query { overlaid: Overlaid::Any, ..Query::default() })?.entries,
        names => {
            names.iter().map(|name| ken_engine::ops::find(&*ken.ledger, name)).collect::<Result<Vec<_>>>()?
        }
    };
    let mut all = Vec::new();
    for one in stored {
        let Some(source) = one.entry.fields.source.as_ref().filter(|source| source.page.is_some()) else {
            if names.is_empty() {
                continue;
            }
            return Err(Refusal::new(Code::Invalid, format!("{} did not come from a page", one.id))
                .field("id")
                .into());
        };
        let page = source.page.clone().unwrap_or_default();
        let sentence = source.extra.get("sentence").and_then(|said| said.as_str()).map(str::to_owned);
        let sentence = sentence.unwrap_or_else(|| one.entry.fields.statement().into_owned());
        all.push((ken_engine::view::handle(&one), page, sentence));
    }
    Ok(all)
}

/// Whether a text has a sentence, whatever its blanks and capitals.
fn has(text: &str, sentence: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    plain(text).contains(&plain(sentence))
}

fn why_not(log: &[Line]) -> String {
    log.last().map_or_else(|| "it could not be read".to_owned(), |line| line.detail.clone())
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
