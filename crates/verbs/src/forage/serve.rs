//! Who starts a cycle of the forager, and when (COR-30): at once, from a request that waits, or from a gap of the briefing.

use std::collections::BTreeSet;

use ken_core::forage::{ForageEvent, ForageMode, Foraging, Requested, WaitingRequest};
use ken_core::{Code, Refusal, ReplicaId};
use ken_engine::ops::brief::Insight;
use ken_engine::ops::maintain::{Deed, ServiceOutcome, ServiceReport};
use ken_engine::ports::Repository;
use ken_engine::{Access, Caller, Error, Ledger, Result};
use ken_forage::{Address, Line, Reading, Trigger};
use serde::Serialize;

use super::{
    Bench, ForageAnswer, ForagePolicy, Task, What, add_claims, check_query, finish, foraging, name_of, plan,
    run_cycle, said, shown, year,
};
use crate::limits::forage::{MAINTAINED_REQUESTS_MAX, WEAK_RESULTS_MIN, WEAK_SIMILARITY_MAX};
use crate::repository::repository;
use crate::writer::writer;
use crate::{Config, ModelsInUse, SearchAnswer, Site};

/// What `forage run` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunAnswer {
    /// Each cycle, in the order in which they were served.
    pub cycles: Vec<ForageAnswer>,
    /// Requests that nothing can be sent for, and why. They wait until they lapse.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// Why no more were served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Requests that still wait.
    pub waiting: usize,
}

/// Does what somebody asks for now, leaves it to a person where only people may, or only shows it.
pub(crate) fn asked(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    task: &Task,
    dry_run: bool,
) -> Result<ForageAnswer> {
    let policy = ForagePolicy::read(&site.config)?;
    if dry_run {
        return Ok(planned(ledger, site, caller, &policy, task)?.0);
    }
    policy.require_on()?;
    if may_start(caller, &policy).is_ok() {
        return cycle(ledger, site, models, caller, &policy, task);
    }
    // An agent asks; a person, or `ken forage run`, decides.
    ledger.may_write()?;
    let mut answer = planned(ledger, site, caller, &policy, task)?.0;
    let waits = wait(ledger, &site.config, caller, task.mode, task.trigger, &answer.query)?;
    answer.state = "waiting";
    answer.request = waits.map(|waiting| waiting.requested.request);
    Ok(answer)
}

/// Refuses agents a cycle where a person did not allow it.
pub(crate) fn may_start(caller: &Caller, policy: &ForagePolicy) -> Result<()> {
    if policy.agents_may || !caller.is_agent() {
        return Ok(());
    }
    Err(Refusal::new(Code::NotAllowed, "agents may request pages here, but not read them")
        .hint("a person runs `ken forage run`, or allows it with `ken config forage.agents true`")
        .into())
}

/// Serves requests that wait, in their order, and then gaps of the briefing as far as their own budget goes.
pub(crate) fn serve(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    policy: &ForagePolicy,
    requests_max: usize,
    dry_run: bool,
) -> Result<RunAnswer> {
    let (known, now) = (foraging(ledger)?, caller.now());
    let replica = own(ledger, &known)?;
    let mut tasks: Vec<Task> = known.open(replica, now).into_iter().map(task_of).collect();
    let mut answer =
        RunAnswer { cycles: Vec::new(), skipped: Vec::new(), stopped: None, waiting: tasks.len() };
    if policy.proactive_max > 0 {
        let was_not_asked = |task: &Task| match &task.what {
            What::Query(query) => known.may_wait(query, replica, now),
            What::Page(_) => false,
        };
        tasks.extend(gaps(ledger, site, caller)?.into_iter().filter(was_not_asked));
    }
    for task in tasks {
        if answer.cycles.len() >= requests_max {
            break;
        }
        let is_proactive = task.mode == ForageMode::Proactive;
        match planned(ledger, site, caller, policy, &task) {
            Ok((_, 0)) if is_proactive => {
                answer.stopped = Some("the pages of today for gaps of the briefing are used up".to_owned());
                break;
            }
            Ok((_, 0)) => {
                answer.stopped = Some(format!("the {} pages of today are used up", policy.pages_max));
                break;
            }
            Ok((planned, _)) if dry_run => answer.cycles.push(planned),
            Ok(_) => match cycle(ledger, site, models, caller, policy, &task) {
                Ok(done) => {
                    answer.cycles.push(done);
                    answer.waiting -= usize::from(task.answers.is_some());
                }
                // Another cycle took the last pages meanwhile.
                Err(Error::Refused(refusal)) => {
                    answer.stopped = Some(refusal.message);
                    break;
                }
                Err(error) => return Err(error),
            },
            // One that can never be sent does not stand in the way of others.
            Err(error) => answer.skipped.push(error.to_string()),
        }
    }
    Ok(answer)
}

/// Whether a caller may have requests served by name (`ken maintain forage`).
pub(crate) fn may_serve(config: &Config, caller: &Caller) -> Result<()> {
    let policy = ForagePolicy::read(config)?;
    policy.require_on()?;
    may_start(caller, &policy)
}

/// What `maintain` does for the forager, or would do: where the policy of maintenance lets it run, nobody else is asked.
pub(crate) fn maintain(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    report: &mut ServiceReport,
    notes: &mut Vec<String>,
) -> Result<()> {
    let policy = ForagePolicy::read(&site.config)?;
    let runs = report.outcome == ServiceOutcome::Ran;
    let done = serve(ledger, site, models, caller, &policy, MAINTAINED_REQUESTS_MAX, !runs)?;
    let deed = |cycle: &ForageAnswer| {
        let (query, mode) = (shown(&cycle.query), cycle.mode);
        if !runs {
            let text = format!("would look up {query:?} on the web ({mode})");
            return Deed::new(text, Vec::new(), "ken maintain forage".to_owned());
        }
        let added = cycle.entries.iter().filter(|entry| entry.reason.is_none()).count();
        let text =
            format!("looked up {query:?} on the web ({mode}): pages: {}, entries: {added}", cycle.pages);
        Deed::new(text, Vec::new(), "ken forage status".to_owned())
    };
    report.changes = done.cycles.iter().map(deed).collect();
    notes.extend(done.skipped.iter().chain(&done.stopped).map(|why| format!("forage: {why}")));
    Ok(())
}

/// What a task would send, and how many pages it may read now.
fn planned(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    policy: &ForagePolicy,
    task: &Task,
) -> Result<(ForageAnswer, u32)> {
    let repository = repository(site);
    plan(ledger, &Bench { config: &site.config, caller, repository: &repository }, policy, task)
}

/// A cycle from its reservation to its end; what pages claim is added. One `undo` takes back all of it.
fn cycle(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    policy: &ForagePolicy,
    task: &Task,
) -> Result<ForageAnswer> {
    ledger.as_one_command(|ledger| cycle_in_command(ledger, site, models, caller, policy, task))
}

fn cycle_in_command(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    policy: &ForagePolicy,
    task: &Task,
) -> Result<ForageAnswer> {
    let repository = repository(site);
    let bench = Bench { config: &site.config, caller, repository: &repository };
    let (requested, readings, mut answer, ended) = run_cycle(ledger, &bench, policy, task)?;
    let (mut code, now) = (crate::ground::bare_ground(ledger, site), caller.now());
    let mut add = |input| crate::add::add(ledger, site, models, caller, input);
    add_claims(&readings, &requested, now, &mut code, &mut add, &mut answer);
    finish(ledger, &site.config, caller, &requested, &mut answer, ended, policy.pages_max)?;
    Ok(answer)
}

/// The same, adding nothing: who looks at a page again wants to know what it says now.
pub(super) fn look(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    policy: &ForagePolicy,
    task: &Task,
) -> Result<(Vec<Reading>, Vec<Line>)> {
    let repository = repository(site);
    let bench = Bench { config: &site.config, caller, repository: &repository };
    let (requested, readings, mut answer, ended) = run_cycle(ledger, &bench, policy, task)?;
    finish(ledger, &site.config, caller, &requested, &mut answer, ended.without_adding(), policy.pages_max)?;
    Ok((readings, answer.log))
}

/// The clone whose requests are served here. One that may not write serves none, and is shown all of them.
pub(crate) fn own(ledger: &mut Ledger, known: &Foraging) -> Result<Option<ReplicaId>> {
    // A clone gets its name when it first writes; where nothing waits, none is needed.
    match ledger.access() {
        Access::Write if !known.waiting.is_empty() => ledger.replica().map(Some),
        Access::Write | Access::Read => Ok(None),
    }
}

/// The newest request that waits, where the forager is on: `maintain` is due when there is another one.
pub(crate) fn last_waiting(ledger: &Ledger, config: &Config) -> Result<Option<String>> {
    if !config.switch("forage.on") {
        return Ok(None);
    }
    Ok(foraging(ledger)?.waiting.pop().map(|waiting| waiting.requested.request))
}

/// The task of a request that waits.
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
pub(crate) fn gaps(ledger: &Ledger, site: &Site, caller: &Caller) -> Result<Vec<Task>> {
    let (repository, year) = (repository(site), year(caller.now()));
    let insights = crate::brief::briefing(ledger, site, caller, None)?.insights;
    let task = |insight: &Insight| {
        let trigger = Trigger::from_word(&insight.rule)
            .filter(|trigger| !matches!(trigger, Trigger::Operator | Trigger::Reactive))?;
        let topic = insight.entries.first()?.title.trim_end_matches(['.', '!', '?']);
        let query = ken_forage::query(trigger, topic, "", &[], year);
        check_query(&site.config, &repository, &query).ok()?;
        Some(Task { mode: ForageMode::Proactive, trigger, what: What::Query(query), answers: None })
    };
    Ok(insights.iter().filter_map(task).collect())
}

/// Leaves a request for the forager, where it is on and recall was weak (COR-30). A search never waits for the web, and never fails by it.
pub fn ask_the_web(ledger: &mut Ledger, site: &Site, caller: &Caller, answer: &SearchAnswer) {
    let best = answer.results.iter().map(|result| result.similarity).fold(0.0, f64::max);
    let sources: BTreeSet<&str> =
        answer.hits.iter().map(|hit| hit.stored.entry.created_by.as_str()).collect();
    let is_few = answer.results.len() < WEAK_RESULTS_MIN && sources.len() <= 1;
    if answer.results.is_empty() || best < WEAK_SIMILARITY_MAX || is_few {
        let repository = repository(site);
        let query = answer.understood.text.clone();
        drop(note_weak(ledger, &site.config, caller, &repository, &query));
    }
}

fn note_weak(
    ledger: &mut Ledger,
    config: &Config,
    caller: &Caller,
    repository: &dyn Repository,
    query: &str,
) -> Result<Option<WaitingRequest>> {
    let policy = ForagePolicy::read(config)?;
    if !policy.is_on || policy.provider.is_err() || ledger.may_write().is_err() {
        return Ok(None);
    }
    let query = ken_forage::query(Trigger::Reactive, query, "", &[], year(caller.now()));
    if check_query(config, repository, &query).is_err() {
        return Ok(None);
    }
    wait(ledger, config, caller, ForageMode::Reactive, Trigger::Reactive, &query)
}

/// Leaves a request that waits; none where the same waits or was looked up lately.
pub(crate) fn wait(
    ledger: &mut Ledger,
    config: &Config,
    caller: &Caller,
    mode: ForageMode,
    trigger: Trigger,
    query: &str,
) -> Result<Option<WaitingRequest>> {
    let known = foraging(ledger)?;
    if !known.may_wait(query, own(ledger, &known)?, caller.now()) {
        return Ok(None);
    }
    let requested = Requested {
        request: name_of(caller.now(), query)?,
        mode,
        trigger: trigger.word().to_owned(),
        query: query.to_owned(),
        pages: 0,
        answers: None,
    };
    let events = ledger
        .append(vec![said(ForageEvent::Requested(Box::new(requested.clone())))], &writer(config, caller))?;
    let by = caller.actor().to_owned();
    Ok(events.first().map(|event| WaitingRequest { at: event.clock, by, replica: event.replica, requested }))
}
