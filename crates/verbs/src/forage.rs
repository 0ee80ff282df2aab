//! The forager over a store (FOR-1 to FOR-4, COR-30): whether it may read, what leaves, what a cycle costs, and what becomes of claims.
//!
//! Reading itself is `ken-forage`, which knows no store. A page is a stranger: each claim goes through the whole intake, as a candidate
//! that fades, with the page as its source.

pub(crate) mod recheck;
pub(crate) mod serve;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Instant;

use ken_core::admission::Origin;
use ken_core::belief::day;
use ken_core::condition::Condition;
use ken_core::entry::{PAGE_HASH, PAGE_SENTENCE};
use ken_core::forage::{Completed, DomainAction, ForageEvent, ForageMode, Foraging, Requested};
use ken_core::validity::Answer;
use ken_core::words::one_line;
use ken_core::{Body, Code, Intent, Millis, Refusal, Scope};
use ken_engine::intake::objections;
use ken_engine::ports::CodeTree;
use ken_engine::{Caller, Error, Ledger, Repository};
use ken_forage::cycle::join_same;
use ken_forage::{
    Address, AddressPolicy, Claim, Cycle, Domains, Fetcher, Key, Learned, Line, NamedVersion, Provider,
    Reading, Trigger,
};
use serde::Serialize;
use serde_json::{Map, json};

use crate::intake_rules::scope_names;
use crate::limits::forage::{QUERY_SHOWN_CHARS, TITLE_CHARS_MAX};
use crate::writer::writer;
use crate::{AddAnswer, AddInput, Config, OnAbsent, Result};

pub use self::recheck::{RecheckAnswer, RecheckLine};
pub use self::serve::{RunAnswer, ask_the_web};

/// The variable that holds the key of the search provider.
pub const KEY_VARIABLE: &str = "KEN_FORAGE_KEY";

/// What a person allowed in this clone.
pub(crate) struct ForagePolicy {
    pub is_on: bool,
    /// Whether agents may start a cycle; else what they ask for waits.
    pub agents_may: bool,
    /// Pages of a day, and those of them that gaps of the briefing may cost.
    pub pages_max: u32,
    pub proactive_max: u32,
    /// Private addresses that pages may be read from.
    pub addresses: AddressPolicy,
    provider: std::result::Result<Provider, String>,
}

impl ForagePolicy {
    pub(crate) fn read(config: &Config) -> Result<ForagePolicy> {
        let allowed: Vec<SocketAddr> =
            listed(config, "forage.private")?.iter().filter_map(|text| text.parse().ok()).collect();
        Ok(ForagePolicy {
            is_on: config.switch("forage.on"),
            agents_may: config.switch("forage.agents"),
            pages_max: u32::try_from(config.number("forage.pages_max")).unwrap_or(0),
            proactive_max: u32::try_from(config.number("forage.proactive")).unwrap_or(0),
            addresses: AddressPolicy { allowed: allowed.into_iter().collect(), only: None },
            provider: provider(config),
        })
    }

    /// Refuses to read anything where nobody turned it on.
    pub(crate) fn require_on(&self) -> Result<()> {
        if self.is_on {
            return Ok(());
        }
        Err(Refusal::new(Code::NotAllowed, "the forager is off: nothing is read from the web")
            .hint("a person turns it on for this clone: `ken config forage.on true`")
            .into())
    }

    pub(crate) fn provider(&self) -> Result<&Provider> {
        self.provider.as_ref().map_err(|why| {
            Refusal::new(Code::NotAllowed, format!("nothing can be searched: {why}"))
                .hint("set forage.provider to searxng, brave or sites; `ken forage read URL` needs none")
                .into()
        })
    }

    /// The provider in a word, or why there is none.
    pub(crate) fn provider_word(&self) -> String {
        match &self.provider {
            Ok(provider) => provider.word().to_owned(),
            Err(why) => format!("none ({why})"),
        }
    }
}

fn listed(config: &Config, key: &str) -> Result<Vec<String>> {
    let value = config.get(key)?;
    Ok(value.split([',', ' ']).map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect())
}

fn provider(config: &Config) -> std::result::Result<Provider, String> {
    let setting = |key: &str| config.get(key).unwrap_or_default();
    let key = std::env::var(KEY_VARIABLE).ok().as_deref().and_then(Key::new);
    let url = setting("forage.url");
    let address = |usual: &str| match (url.as_str(), usual) {
        ("", "") => Err("forage.url is not set".to_owned()),
        ("", usual) => Address::parse(usual),
        (url, _) => Address::parse(url),
    };
    let in_the_clear = |address: &Address| {
        let is_here = address.host.ip().is_some_and(|ip| ip.is_loopback());
        key.is_some() && address.scheme == ken_forage::address::Scheme::Http && !is_here
    };
    let checked = |address: Address| match in_the_clear(&address) {
        true => Err(format!("the key in {KEY_VARIABLE} is not sent over plain http; use https, or unset it")),
        false => Ok(address),
    };
    match setting("forage.provider").as_str() {
        "searxng" => Ok(Provider::SearXng { address: checked(address("")?)?, key: key.clone() }),
        "brave" if key.is_none() && url.is_empty() => Err(format!("{KEY_VARIABLE} is not set")),
        "brave" => Ok(Provider::Brave {
            address: checked(address(ken_forage::search::BRAVE_URL)?)?,
            key: key.clone(),
        }),
        "sites" => {
            let sites: Vec<Address> = listed(config, "forage.sites")
                .unwrap_or_default()
                .iter()
                .filter_map(|site| Address::parse(site).ok())
                .collect();
            if sites.is_empty() {
                Err("forage.sites is empty".to_owned())
            } else {
                Ok(Provider::Sites(sites))
            }
        }
        _ => Err("forage.provider is none".to_owned()),
    }
}

/// What people decided of domains: overrides, and what the settings deny.
pub(crate) fn domains(config: &Config, foraging: &Foraging) -> Result<Domains> {
    let mut domains =
        Domains { denied: listed(config, "forage.deny")?.into_iter().collect(), ..Domains::default() };
    for (domain, decided) in &foraging.overrides {
        match decided.action {
            DomainAction::Trust => domains.trusted.insert(domain.clone()),
            DomainAction::Distrust => domains.denied.insert(domain.clone()),
            DomainAction::Reset => false,
        };
    }
    Ok(domains)
}

/// Everything that is known of the forager here.
pub(crate) fn foraging(ledger: &Ledger) -> Result<Foraging> {
    Ok(Foraging::fold(&ledger.foraged()?))
}

/// Refuses a query that would tell the world of this project: a secret, a customer, a path, a host. IN-4 at global scope.
pub(crate) fn check_query(config: &Config, repository: &dyn Repository, query: &str) -> Result<()> {
    let refused = |why: String| -> Result<()> {
        Err(Refusal::new(Code::NotAllowed, format!("this query is not sent: {why}"))
            .hint("say it in general words")
            .field("query")
            .into())
    };
    if query.trim().is_empty() {
        return Err(Refusal::new(Code::Invalid, "the query has no word of at most 200 characters")
            .field("query")
            .into());
    }
    if ken_guard::contains_secret(query) {
        return refused("it contains a secret".to_owned());
    }
    match objections("query", query, Scope::Global, &scope_names(config), repository).first() {
        Some(objection) => refused(objection.why.clone()),
        None => Ok(()),
    }
}

/// What a cycle is for.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub mode: ForageMode,
    pub trigger: Trigger,
    pub what: What,
    /// The request that it takes up.
    pub answers: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    Query(String),
    Page(Address),
}

impl Task {
    fn text(&self) -> String {
        match &self.what {
            What::Query(query) => query.clone(),
            What::Page(address) => address.to_string(),
        }
    }
}

/// What `forage find`, `forage read` and `forage gap` answer.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForageAnswer {
    /// The name of the request; none of a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// `done`, `waiting` for a person or `ken forage run`, or `dry_run`.
    pub state: &'static str,
    pub mode: &'static str,
    /// What is asked, or the page that is read.
    pub query: String,
    /// What leaves this machine first, as it leaves.
    pub sends: Vec<String>,
    /// Pages that were asked for.
    pub pages: u32,
    /// Claims, and what became of each.
    pub entries: Vec<ForagedEntry>,
    /// What became of each page.
    pub log: Vec<Line>,
    /// Pages that this day still has.
    pub pages_left: u32,
}

/// A claim of a page, and what became of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForagedEntry {
    /// Its short citation; empty where it was refused.
    pub handle: String,
    /// `added`, `reinforced`, `merged`, `held`, `rejected` or `refused`.
    pub outcome: String,
    pub text: String,
    pub page: String,
    /// Pages of other owners that claim the same.
    pub also: Vec<String>,
    /// Why it was refused or kept out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Adds one entry, as any door does.
pub(crate) type AddOne<'a> = dyn FnMut(AddInput) -> Result<AddAnswer> + 'a;

/// What a cycle may use of the store, besides the ledger.
pub(crate) struct Bench<'a> {
    pub config: &'a Config,
    pub caller: &'a Caller,
    pub repository: &'a dyn Repository,
}

/// What a task would cost and send; nothing is read or written.
pub(crate) fn plan(
    ledger: &Ledger,
    bench: &Bench<'_>,
    policy: &ForagePolicy,
    task: &Task,
) -> Result<(ForageAnswer, u32)> {
    let known = foraging(ledger)?;
    let sends = match &task.what {
        What::Query(query) => {
            let provider = policy.provider()?;
            check_query(bench.config, bench.repository, query)?;
            provider.request(query)
        }
        What::Page(address) => {
            if domains(bench.config, &known)?.is_denied(&address.host_name()) {
                let message = format!("{} is distrusted here, so nothing of it is read", address.host_name());
                return Err(Refusal::new(Code::NotAllowed, message)
                    .hint(format!(
                        "a person can take that back: `ken forage override {} reset`",
                        address.host_name()
                    ))
                    .into());
            }
            // Its name is resolved when it is read; what can be told before costs no page.
            policy.addresses.check_host(&address.host, address.port()).map_err(|why| {
                Refusal::new(Code::NotAllowed, format!("{address} is not read: {why}"))
                    .hint("forage.private lists private addresses that a person allows")
                    .field("url")
            })?;
            vec![address.to_string()]
        }
    };
    let today = bench.caller.now().date();
    let wanted = match task.what {
        What::Query(_) => ken_forage::limits::PAGES_A_CYCLE_MAX,
        What::Page(_) => 1,
    };
    let mut pages = known.may_reserve(&today, policy.pages_max, wanted);
    if task.mode == ForageMode::Proactive {
        let spent = known.pages_of_mode_on(ForageMode::Proactive, &today);
        pages = pages.min(policy.proactive_max.saturating_sub(spent));
    }
    let pages_left = policy.pages_max.saturating_sub(known.pages_on(&today));
    let answer = ForageAnswer {
        state: "dry_run",
        mode: task.mode.word(),
        query: task.text(),
        sends,
        pages: 0,
        pages_left,
        ..ForageAnswer::default()
    };
    Ok((answer, pages))
}

/// Runs one cycle: reserves its pages, reads them, adds what they claim, and gives back the rest.
pub(crate) fn run_cycle(
    ledger: &mut Ledger,
    bench: &Bench<'_>,
    policy: &ForagePolicy,
    task: &Task,
) -> Result<(Requested, Vec<Reading>, ForageAnswer, Ended)> {
    ledger.may_write()?;
    policy.require_on()?;
    let (mut answer, pages) = plan(ledger, bench, policy, task)?;
    let spent = || -> Error {
        let message = format!("the {} pages of today are used up", policy.pages_max);
        Refusal::new(Code::NotAllowed, message)
            .hint("it starts anew at midnight UTC; `ken forage status` shows what was read, and forage.pages_max is the limit")
            .into()
    };
    if pages == 0 {
        return Err(spent());
    }
    let requested = Requested {
        request: name_of(bench.caller.now(), &answer.query)?,
        mode: task.mode,
        trigger: task.trigger.word().to_owned(),
        query: answer.query.clone(),
        pages,
        answers: task.answers.clone(),
    };
    let writer = writer(bench.config, bench.caller);
    ledger.append(vec![said(ForageEvent::Requested(Box::new(requested.clone())))], &writer)?;
    // Two that reserved at the same time both see it now: who is over the day's pages gives them back before anything is read.
    let known = foraging(ledger)?;
    if known.pages_on(&bench.caller.now().date()) > policy.pages_max {
        let end = completed(&requested, "gave way to another cycle", 0);
        ledger.append(vec![said(ForageEvent::Completed(Box::new(end)))], &writer)?;
        return Err(spent());
    }
    let began = Instant::now();
    let fetcher = Fetcher::new(policy.addresses.clone());
    let mut cycle =
        Cycle::new(fetcher, domains(bench.config, &known)?, learned(&known, bench.caller.now()), pages);
    match &task.what {
        What::Query(query) => cycle.find(policy.provider()?, query),
        What::Page(address) => cycle.read(address),
    }
    join_same(&mut cycle.readings);
    answer.request = Some(requested.request.clone());
    (answer.state, answer.pages, answer.log) = ("done", cycle.pages, std::mem::take(&mut cycle.lines));
    let strategies = strategies(&cycle);
    let ended = Ended { bytes: cycle.bytes(), read: cycle.readings.len(), began, strategies, adds: true };
    Ok((requested, cycle.readings, answer, ended))
}

/// What is left to say when the claims of a cycle were added.
pub(crate) struct Ended {
    bytes: u64,
    read: usize,
    began: Instant,
    strategies: Vec<Intent>,
    /// Whether its claims were to be added.
    adds: bool,
}

impl Ended {
    /// Where a page was only read again.
    pub(crate) fn without_adding(self) -> Ended {
        Ended { adds: false, ..self }
    }
}

/// Adds the claims of pages, each through the whole intake.
pub(crate) fn add_claims(
    readings: &[Reading],
    requested: &Requested,
    now: Millis,
    code: &mut dyn CodeTree,
    add: &mut AddOne<'_>,
    answer: &mut ForageAnswer,
) {
    for reading in readings {
        for claim in &reading.claims {
            let input = wish(reading, claim, requested, now, code);
            let mut entry = ForagedEntry {
                handle: String::new(),
                outcome: "refused".to_owned(),
                text: claim.text.clone(),
                page: reading.address.clone(),
                also: claim.also.clone(),
                reason: None,
            };
            match add(input) {
                Ok(added) => {
                    entry.outcome = serde_json::to_value(added.outcome)
                        .ok()
                        .and_then(|word| word.as_str().map(str::to_owned))
                        .unwrap_or_default();
                    if added.is_rejected() {
                        // What was kept out is not repeated: it may be what nobody should read.
                        entry.text = String::new();
                        entry.reason = Some(added.reasons.join("; "));
                    }
                    entry.handle = added.handle;
                }
                Err(error) => {
                    entry.text = String::new();
                    entry.reason = Some(error.to_string());
                }
            }
            answer.entries.push(entry);
        }
    }
}

/// Says how a cycle ended, and what was learned of the domains.
pub(crate) fn finish(
    ledger: &mut Ledger,
    config: &Config,
    caller: &Caller,
    requested: &Requested,
    answer: &mut ForageAnswer,
    ended: Ended,
    pages_max: u32,
) -> Result<()> {
    let is_kept = |entry: &&ForagedEntry| entry.reason.is_none();
    let entries = answer.entries.iter().filter(is_kept).count();
    let not_read = usize::try_from(answer.pages).unwrap_or(0).saturating_sub(ended.read);
    let reason = match (entries, ended.read) {
        (0, 0) => "found nothing that could be read",
        (0, _) if !ended.adds => "read again",
        (0, _) => "found no claim",
        _ => "done",
    };
    let end = Completed {
        read: count(ended.read),
        entries: count(entries),
        rejected: count(answer.entries.len() - entries + not_read),
        bytes: ended.bytes,
        duration_ms: u64::try_from(ended.began.elapsed().as_millis()).unwrap_or(u64::MAX),
        ..completed(requested, reason, answer.pages)
    };
    let mut intents = vec![said(ForageEvent::Completed(Box::new(end)))];
    intents.extend(ended.strategies);
    ledger.append(intents, &writer(config, caller))?;
    let known = foraging(ledger)?;
    answer.pages_left = pages_max.saturating_sub(known.pages_on(&caller.now().date()));
    Ok(())
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn completed(requested: &Requested, reason: &str, pages: u32) -> Completed {
    Completed {
        request: requested.request.clone(),
        mode: requested.mode,
        reason: reason.to_owned(),
        pages,
        read: 0,
        entries: 0,
        rejected: 0,
        bytes: 0,
        duration_ms: 0,
    }
}

pub(crate) fn said(event: ForageEvent) -> Intent {
    Intent { entry: None, body: Body::Forage(event) }
}

/// A name for a request.
pub(crate) fn name_of(now: Millis, query: &str) -> Result<String> {
    let mut salt = [0_u8; 8];
    getrandom::fill(&mut salt).map_err(|error| Error::failed("naming a request")(error.to_string()))?;
    let text = format!("{} {query} {salt:?}", now.0);
    Ok(format!("F-{}", &blake3::hash(text.as_bytes()).to_hex()[..10]))
}

fn learned(known: &Foraging, now: Millis) -> BTreeMap<String, Learned> {
    let each = known.strategies.iter().map(|(domain, strategy)| {
        let days_ago = i64::from(day(now)) - i64::from(day(strategy.at.millis()));
        let (level, successes, failures) = (strategy.level, strategy.successes, strategy.failures);
        (domain.clone(), Learned { level, successes, failures, days_ago })
    });
    each.collect()
}

/// How this cycle did on each domain that it read.
fn strategies(cycle: &Cycle) -> Vec<Intent> {
    let each = cycle.tried.iter().map(|(domain, tried)| {
        said(ForageEvent::Strategy {
            domain: domain.clone(),
            level: tried.level,
            successes: tried.successes,
            failures: tried.failures,
        })
    });
    each.collect()
}

/// A claim as somebody would add it: an experience that was learned from a page.
fn wish(
    reading: &Reading,
    claim: &Claim,
    requested: &Requested,
    now: Millis,
    code: &mut dyn CodeTree,
) -> AddInput {
    let title = match (&claim.section, reading.title.as_str()) {
        (Some(section), "") => section.clone(),
        (Some(section), title) => format!("{section} ({title})"),
        (None, title) => title.to_owned(),
    };
    let mut content = Map::new();
    content.insert("type".to_owned(), json!("experience"));
    content.insert("subtype".to_owned(), json!("learning"));
    content.insert("statement".to_owned(), json!(claim.text));
    if !title.trim().is_empty() {
        content.insert("title".to_owned(), json!(one_line(&title, TITLE_CHARS_MAX)));
    }
    let mut source = json!({
        "page": reading.address,
        "credibility": reading.credibility,
        "fetched_at": now.to_string(),
        "level": reading.level,
        "trigger": requested.trigger,
        "query": requested.query,
        "quality": reading.quality.score,
        "request": requested.request,
        PAGE_HASH: reading.hash,
        PAGE_SENTENCE: claim.sentence,
    });
    if !claim.also.is_empty() {
        source["also"] = json!(claim.also);
    }
    content.insert("source".to_owned(), source);
    let conditions = conditions(&claim.versions, code);
    if !conditions.is_empty() {
        content.insert("depends_on".to_owned(), json!(conditions));
    }
    let pages = std::iter::once(&reading.address).chain(&claim.also);
    AddInput {
        content,
        evidence: pages.map(|page| format!("url:{page}")).collect(),
        on_absent: OnAbsent::Gap,
        origin: Origin::Page(reading.credibility),
        ..AddInput::default()
    }
}

/// Conditions for the versions that a claim names, of what this project depends on: a claim about a version goes stale when the project
/// leaves it. A version of something that is not used here says nothing about this project.
fn conditions(versions: &[NamedVersion], code: &mut dyn CodeTree) -> Vec<String> {
    let mut all = BTreeSet::new();
    for NamedVersion { name, version } in versions {
        let text = format!("{name} ^{version}");
        let Ok(condition) = text.parse::<Condition>() else { continue };
        match code.condition(&condition) {
            Answer::Holds(_) => drop(all.insert(text)),
            // It is used in another version: that holds, or does not, when somebody checks.
            Answer::Broken(_) => drop(all.insert(text)),
            Answer::Unverifiable(_) => {}
        }
    }
    all.into_iter().collect()
}

pub(crate) fn year(now: Millis) -> i16 {
    now.date()[..4].parse().unwrap_or(2_000)
}

/// A query as it is shown in a list.
pub(crate) fn shown(query: &str) -> String {
    one_line(query, QUERY_SHOWN_CHARS)
}
