//! `maintain`: which services are due and allowed, and what they did (UPK-6, UPK-8).

use crate::config::maintain_policy;
use std::collections::BTreeSet;
use std::sync::Arc;

use ken_core::event::ServicedOutcome;
use ken_core::kinds::Relation as Tie;
use ken_core::{Body, EntryKey, Intent, LinkEvent, RunEvent, Serviced};
use ken_engine::judge::{Distil, Distilled, Question, Relate, Relation, Ruling};
use ken_engine::ops::maintain::{
    self, FORAGE, Facts, Level, MaintainJudge, NoJudge, Plan, Policy, SERVICES, Service, ServiceOutcome,
    ServiceReport,
};
use ken_engine::ops::{self, check};
use ken_engine::{Access, Caller, CloneState, Ledger, RecordKind};
use serde::{Deserialize, Serialize};

use crate::judge::{JudgeSession, JudgeUse, Used};
use crate::limits::maintain::EMBEDDED_AT_DRY_RUN_MAX;
use crate::{Config, ModelsInUse, Options, Result, Site, background};

/// A service, and what becomes of it.
type Chosen = (&'static Service, ServiceOutcome);

/// What is asked of `maintain`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Maintain<'a> {
    /// One service; none for all that are due and allowed.
    pub service: Option<&'a str>,
    /// Only say what would be done.
    pub dry_run: bool,
    /// Calls to the judge, at most; none for what the day has left.
    pub budget: Option<u32>,
}

/// What `maintain` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaintainAnswer {
    /// `maintain.level`: how much services do by themselves.
    pub level: String,
    pub services: Vec<ServiceReport>,
    /// Who decided what rules cannot: a judge by its name, or nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeUse>,
    /// How many events were written. `ken undo` takes them back at once.
    pub written: usize,
    /// What somebody should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl MaintainJudge for JudgeSession {
    fn relate(&mut self, first: &str, second: &str) -> Result<Option<Ruling<Relation>>> {
        Ok(self.ask(&Relate { first, second }))
    }

    fn left_unanswered(&self, first: &str, second: &str) -> bool {
        self.left_unanswered(&Relate { first, second })
    }

    fn distil(&mut self, statements: &[String]) -> Result<Option<Ruling<Distilled>>> {
        Ok(self.ask(&Distil { statements }))
    }
}

/// What the last run without a name looked at, and how many there were on its day.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
struct LastRun {
    /// Names the state of the store that it left.
    state: String,
    date: String,
    runs: usize,
    /// What was recorded last of proposals and refusals: the same is not said twice.
    #[serde(default)]
    recorded: String,
}

/// Whether a person allowed any service to run by itself, by the settings alone: no store is opened.
pub fn may_maintain(options: &Options) -> bool {
    let Some(layout) = options.find().filter(|_| options.background && !options.read_only) else {
        return false;
    };
    let own = layout.git.as_ref().map(|_| layout.clone_home());
    let level = Config::read(&layout.store, own.as_deref()).and_then(|config| config.get("maintain.level"));
    level.is_ok_and(|level| Level::from_word(&level) != Level::Suggest)
}

/// What becomes of what no judge decided: pairs wait in the queue, and a group that one entry could sum up waits nowhere.
fn left_over(services: &[Chosen]) -> &'static str {
    let ran = |kind: &str| {
        let asks = |(service, outcome): &Chosen| {
            *outcome == ServiceOutcome::Ran && service.asks.is_some_and(|asked| asked == kind)
        };
        services.iter().any(asks)
    };
    match (ran(Relate::KIND), ran(Distil::KIND)) {
        (true, true) => {
            "rules alone decided the rest; pairs that they cannot decide wait in `ken queue`, and groups that one entry could sum up \
             are listed here: read each with the command below it and add the entry"
        }
        (true, false) => "rules alone decided the rest, and what they cannot decide waits in `ken queue`",
        (false, _) => {
            "no entry was added; each group that one entry could sum up is listed here: read it with the command below it and add \
             the entry"
        }
    }
}

/// Runs what is due, or one service by its name.
pub fn maintain(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    asked: Maintain<'_>,
) -> Result<MaintainAnswer> {
    let policy = maintain_policy(&site.config)?;
    let level = policy.level.word().to_owned();
    let last = last_run(site.state());
    let today = caller.now().date();
    let runs_today = if last.date == today { last.runs } else { 0 };
    let mut notes = Vec::new();
    let services = match asked.service {
        Some(name) => {
            let service = maintain::service(name)?;
            if !service.by_itself && !asked.dry_run {
                caller.require_person(&format!("`ken maintain {}`", service.name))?;
            }
            if service.name == FORAGE && !asked.dry_run {
                crate::forage::serve::may_serve(&site.config, caller)?;
            }
            vec![(service, ServiceOutcome::Ran)]
        }
        None => {
            let is_due = last.state != maintained_state(ledger, &site.config, caller)?;
            due(&site.config, &policy, is_due, runs_today, &mut notes)
        }
    };
    let as_asked = |outcome| match outcome {
        ServiceOutcome::Ran if asked.dry_run => ServiceOutcome::DryRun,
        outcome => outcome,
    };
    let services: Vec<Chosen> =
        services.into_iter().map(|(service, outcome)| (service, as_asked(outcome))).collect();
    let runs = services.iter().any(|(_, outcome)| *outcome == ServiceOutcome::Ran);
    if runs {
        ledger.may_write()?;
    }
    if services.iter().all(|(_, outcome)| *outcome == ServiceOutcome::NotDue) {
        let services = services.iter().map(|(service, _)| ServiceReport::not_due(service)).collect();
        return Ok(MaintainAnswer { level, services, judge: None, written: 0, notes });
    }
    let is_named = |name: &str| services.iter().any(|(service, _)| service.name == name);
    if is_named("dedup") {
        // What came by git has no vectors yet, and two entries are compared by theirs.
        let is_looking = services.iter().all(|(_, outcome)| *outcome == ServiceOutcome::DryRun);
        match (crate::embedding::embedder(ledger, models).is_ok(), ledger.access()) {
            (true, Access::Write) => match ledger.backlog()? {
                waiting if is_looking && waiting > EMBEDDED_AT_DRY_RUN_MAX => notes.push(format!(
                    "{waiting} entries have no embedding yet and are not compared; `ken rebuild --embeddings` computes them"
                )),
                _ => drop(crate::embedding::embed(ledger, &site.config, models, caller, &mut |_| true)?),
            },
            (true, Access::Read) => {}
            (false, _) => notes
                .push("no embedding model: only pairs that were noted before are compared".to_owned()),
        }
    }
    let holds = if is_named("stale_sweep") { holding(ledger, site)? } else { BTreeSet::new() };
    let delivered = ledger.delivered()?;
    let (attended, now) = (!caller.is_unattended(), caller.now());
    // Who only looks sends nothing anywhere.
    let asks = |(service, outcome): &Chosen| service.asks.is_some() && *outcome == ServiceOutcome::Ran;
    let mut session = services.iter().any(asks).then(|| {
        JudgeSession::new(
            crate::judge::judge_within_budget(site, models, caller).map(|judge| judge.at_most(asked.budget)),
        )
    });
    let mut plan = {
        let store = &**ledger;
        let mut alike = |pairs: &[(EntryKey, EntryKey)]| store.alike(pairs);
        let mut no_judge = NoJudge;
        let judge: &mut dyn MaintainJudge = match &mut session {
            Some(session) => session,
            None => &mut no_judge,
        };
        let mut facts = Facts::read(store, &mut alike, judge, delivered, holds, attended, now)?;
        maintain::plan(&mut facts, &services)?
    };
    let used = session.as_ref().map(JudgeSession::used).unwrap_or_default();
    notes.extend(session.iter().flat_map(|session| session.notes(left_over(&services))));
    let mut also = distilled(ledger, site, models, caller, &mut plan, &mut notes)?;
    let (serviced, recorded) = serviced(ledger, &plan.reports, &used, &notes, &last)?;
    let records = serviced.len();
    also.extend(serviced);
    let writer = crate::writer::writer(&site.config, caller);
    let (mut services, written) = match plan.writes() || !also.is_empty() {
        true => plan.carry_out(ledger, also, &writer)?,
        false => (plan.reports, 0),
    };
    let is_due = |report: &&mut ServiceReport| report.outcome != ServiceOutcome::NotDue;
    if let Some(report) = services.iter_mut().filter(is_due).find(|report| report.service == FORAGE) {
        crate::forage::serve::maintain(ledger, site, models, caller, report, &mut notes)?;
    }
    // What was only proposed still waits the next time.
    let waits = |one: &ServiceReport| one.outcome == ServiceOutcome::Proposed && !one.changes.is_empty();
    let is_noted = runs || !services.iter().any(waits);
    if asked.service.is_none() && !asked.dry_run && ledger.access() == Access::Write {
        let state = if is_noted { maintained_state(ledger, &site.config, caller)? } else { last.state };
        keep_run(
            site.state(),
            &LastRun { state, date: today, runs: runs_today + usize::from(runs), recorded },
        );
    }
    let (judge, written) = (JudgeUse::of(&used), written.saturating_sub(records));
    crate::archive_pages::finish_standing(
        ledger,
        site,
        models,
        caller,
        MaintainAnswer { level, services, judge, written, notes },
    )
}

/// Runs what is due and allowed in a process of its own (UPK-8): who begins to work waits for none of it.
pub fn maintain_in_background(ledger: &Ledger, site: &Site, caller: &Caller) {
    if !site.options.global && maintenance_is_due(ledger, site, caller) {
        background::maintain(&site.options);
    }
}

/// Whether something changed that services look at, and a person allowed any of them to run by itself. Where that cannot be told,
/// they are not.
fn maintenance_is_due(ledger: &Ledger, site: &Site, caller: &Caller) -> bool {
    let look = || -> Result<bool> {
        let policy = maintain_policy(&site.config)?;
        let reads_the_web = site.config.switch("forage.on");
        let may = SERVICES.iter().any(|service| {
            service.by_itself && policy.allows(service) && (service.name != FORAGE || reads_the_web)
        });
        if !may || ledger.access() != Access::Write {
            return Ok(false);
        }
        let last = last_run(site.state());
        let spent = last.date == caller.now().date() && last.runs >= site.config.number("maintain.runs_max");
        Ok(!spent && last.state != maintained_state(ledger, &site.config, caller)?)
    };
    look().unwrap_or(false)
}

/// What is said to add the entries that a judge wrote: through the intake, as candidates, tied to what they were made of (UPK-4).
fn distilled(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    plan: &mut Plan,
    notes: &mut Vec<String>,
) -> Result<Vec<Intent>> {
    if plan.distilled().next().is_none() {
        return Ok(Vec::new());
    }
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    let context = ops::context(ledger, &writer)?;
    let mut intents = Vec::new();
    let judge = site.config.get("judge.model").unwrap_or_default();
    let mut kept_out = Vec::new();
    for made in plan.distilled() {
        let (distilled, input) = (&made.distilled, made.wish(&judge));
        let intake = rules.intake();
        let mut decided = ops::add::decide_all(ledger, &around, vec![input], &intake, &context)?;
        match decided.answers.remove(0) {
            // What was put away, by an undo for instance, does not come back by itself.
            Ok(answer) if answer.is_retired => {
                notes.push(format!("a distilled entry was not added: {}", answer.reasons.join("; ")));
                kept_out.push(distilled.clone());
                continue;
            }
            Ok(answer) if !answer.is_rejected() => {}
            Ok(answer) => {
                notes.push(format!("a distilled entry was kept out: {}", answer.reasons.join("; ")));
                kept_out.push(distilled.clone());
                continue;
            }
            Err(refusal) => {
                notes.push(format!("a distilled entry was refused: {}", refusal.message));
                kept_out.push(distilled.clone());
                continue;
            }
        }
        let first = decided.intents.first().and_then(|intent| intent.entry);
        intents.append(&mut decided.intents);
        let Some(key) = first else { continue };
        intents.extend(made.sources.iter().map(|source| {
            let body = Body::Link(LinkEvent::Linked { relation: Tie::DerivedFrom, to: *source });
            Intent { entry: Some(key), body }
        }));
    }
    plan.leave_out(&kept_out);
    Ok(intents)
}

/// Entries that are as their code says.
fn holding(ledger: &Ledger, site: &Site) -> Result<BTreeSet<EntryKey>> {
    let mut ground = crate::ground::ground(ledger, site);
    ground.load_all();
    let holds = check::holding(&**ledger, &mut ground)?;
    ground.save();
    Ok(holds)
}

fn last_run(state: &Arc<dyn CloneState>) -> LastRun {
    state.value(&RecordKind::LastMaintained.record()).unwrap_or_default()
}

/// A note for the next time: where it is lost, services look again and find nothing new to do.
fn keep_run(state: &Arc<dyn CloneState>, run: &LastRun) {
    drop(state.set_value(&RecordKind::LastMaintained.record(), run));
}

/// The services that run without being named, and whether each is due and allowed (UPK-6, UPK-8).
fn due(
    config: &Config,
    policy: &Policy,
    is_due: bool,
    runs_today: usize,
    notes: &mut Vec<String>,
) -> Vec<Chosen> {
    let most = config.number("maintain.runs_max");
    let spent = runs_today >= most;
    if spent && is_due && policy.level != Level::Suggest {
        notes.push(format!("{runs_today} runs today; maintain.runs_max allows {most}"));
    }
    let reads_the_web = config.switch("forage.on");
    let each =
        SERVICES.iter().filter(|service| service.by_itself && (service.name != FORAGE || reads_the_web));
    let chosen = each.map(|service| {
        let outcome = match (is_due, policy.allows(service)) {
            (false, _) => ServiceOutcome::NotDue,
            (true, true) if spent => ServiceOutcome::Refused,
            (true, true) => ServiceOutcome::Ran,
            (true, false) => ServiceOutcome::Proposed,
        };
        (service, outcome)
    });
    chosen.collect()
}

/// What is recorded of each service: runs, and proposals and refusals that were not recorded before (UPK-6).
fn serviced(
    store: &Ledger,
    reports: &[ServiceReport],
    used: &Used,
    notes: &[String],
    last: &LastRun,
) -> Result<(Vec<Intent>, String)> {
    if store.access() != Access::Write {
        return Ok((Vec::new(), last.recorded.clone()));
    }
    let mut said = Vec::new();
    let mut told = Vec::new();
    for report in reports {
        let outcome = match report.outcome {
            ServiceOutcome::Ran => ServicedOutcome::Ran,
            ServiceOutcome::Proposed => ServicedOutcome::Proposed,
            ServiceOutcome::Refused => ServicedOutcome::Refused,
            ServiceOutcome::DryRun | ServiceOutcome::NotDue => continue,
        };
        let own = maintain::service(report.service)?.asks.and_then(|kind| used.get(kind).cloned());
        if report.changes.is_empty() && own.is_none() {
            continue;
        }
        if outcome != ServicedOutcome::Ran {
            let texts: Vec<&str> = report.changes.iter().map(|deed| deed.text.as_str()).collect();
            told.push(format!("{} {} {}", report.service, outcome.word(), texts.join("\n")));
        }
        let reason = (outcome == ServicedOutcome::Refused).then(|| notes.join("; "));
        let changes = u32::try_from(report.changes.len()).unwrap_or(u32::MAX);
        let service = report.service.to_owned();
        said.push(Serviced { service, outcome, changes, reason, judged: own });
    }
    let recorded = match told.is_empty() {
        true => String::new(),
        false => blake3::hash(told.join("\n").as_bytes()).to_hex().to_string(),
    };
    if !recorded.is_empty() && recorded == last.recorded {
        said.retain(|serviced| serviced.outcome == ServicedOutcome::Ran);
    }
    let intents = said.into_iter().map(|serviced| {
        let body = Body::Run(RunEvent::Serviced(Box::new(serviced)));
        Intent { entry: None, body }
    });
    Ok((intents.collect(), recorded))
}

/// Names everything that services look at. A day is part of it: time makes entries stale, and belief fades.
fn maintained_state(store: &Ledger, config: &Config, caller: &Caller) -> Result<String> {
    let (level, auto) = (config.get("maintain.level")?, config.get("maintain.auto")?);
    let (version, position, date) = (env!("CARGO_PKG_VERSION"), store.position()?, caller.now().date());
    // A request to the forager moves no entry, and so not the position.
    let requested = crate::forage::serve::last_waiting(store, config)?.unwrap_or_default();
    Ok(format!("{version} {position} {date} {level} {auto} {requested}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Regression: a run of `distill` sent its reader to a queue that had nothing of it.
    #[test]
    fn only_pairs_are_said_to_wait_in_the_queue() {
        let ran = |names: &[&str]| -> Vec<Chosen> {
            names.iter().map(|name| (maintain::service(name).unwrap(), ServiceOutcome::Ran)).collect()
        };
        assert!(left_over(&ran(&["dedup"])).contains("waits in `ken queue`"));
        assert!(!left_over(&ran(&["distill"])).contains("ken queue"));
        let both = left_over(&ran(&["dedup", "distill"]));
        assert!(both.contains("pairs that they cannot decide wait in `ken queue`"), "{both}");
        assert!(both.contains("are listed here"), "{both}");
    }
}
