//! `maintain`: which services are due and allowed, and what they did (UPK-6, UPK-8).

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use ken_core::EntryKey;
use ken_engine::Access;
use ken_engine::ops::check;
use ken_engine::ops::maintain::{self, Facts, SERVICES, Service, ServiceOutcome, ServiceReport};
use serde::{Deserialize, Serialize};

use crate::{Kenning, Result};

/// How much the services may do by themselves.
pub(crate) const LEVELS: &[&str] = &["suggest", "auto_notify", "autonomous"];

/// What is asked of `maintain`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Maintain<'a> {
    /// One service; none for all that are due and allowed.
    pub service: Option<&'a str>,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What `maintain` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaintainAnswer {
    /// `maintain.level`: how much services do by themselves.
    pub level: String,
    pub services: Vec<ServiceReport>,
    /// How many events were written. `ken undo` takes them back at once.
    pub written: usize,
    /// What somebody should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What the last run without a name looked at, and how many there were on its day.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
struct LastRun {
    /// Names the state of the store that it left.
    state: String,
    date: String,
    runs: usize,
}

const LAST_RUN: &str = "maintained.json";

impl Kenning {
    /// Runs what is due, or one service by its name.
    pub fn maintain(&mut self, asked: Maintain<'_>) -> Result<MaintainAnswer> {
        let level = self.config.get("maintain.level")?;
        let last = self.last_run();
        let today = self.now().date();
        let mut notes = Vec::new();
        let services: Vec<(&'static Service, ServiceOutcome)> = match asked.service {
            Some(name) => {
                let service = maintain::service(name)?;
                if !service.by_itself && !asked.dry_run {
                    self.person(&format!("`ken maintain {}`", service.name))?;
                }
                vec![(service, ServiceOutcome::Ran)]
            }
            None => {
                let state = self.maintained_state()?;
                let is_due = last.state != state;
                let runs = if last.date == today { last.runs } else { 0 };
                let most = self.config.number("maintain.runs_max");
                let spent = runs >= most;
                if spent && is_due && level != LEVELS[0] {
                    notes.push(format!("{runs} runs today; maintain.runs_max allows {most}"));
                }
                let categories = self.config.get("maintain.auto")?;
                let allowed: BTreeSet<&str> = categories.split(',').map(str::trim).collect();
                let may = |service: &Service| match level.as_str() {
                    "autonomous" => true,
                    "auto_notify" => allowed.contains(service.category) || allowed.contains(service.name),
                    _ => false,
                };
                let each = SERVICES.iter().filter(|service| service.by_itself);
                each.map(|service| {
                    let outcome = match (is_due, may(service) && !spent) {
                        (false, _) => ServiceOutcome::NotDue,
                        (true, true) => ServiceOutcome::Ran,
                        (true, false) => ServiceOutcome::Proposed,
                    };
                    (service, outcome)
                })
                .collect()
            }
        };
        let services: Vec<(&'static Service, ServiceOutcome)> = services
            .into_iter()
            .map(|(service, outcome)| match outcome {
                ServiceOutcome::Ran if asked.dry_run => (service, ServiceOutcome::DryRun),
                outcome => (service, outcome),
            })
            .collect();
        if services.iter().any(|(_, outcome)| *outcome == ServiceOutcome::Ran) {
            self.store.may_write()?;
        }
        if services.iter().all(|(_, outcome)| *outcome == ServiceOutcome::NotDue) {
            let services = services.iter().map(|(service, _)| ServiceReport::not_due(service)).collect();
            return Ok(MaintainAnswer { level, services, written: 0, notes });
        }
        let is_named = |name: &str| services.iter().any(|(service, _)| service.name == name);
        if is_named("dedup") && self.embedder().is_err() {
            notes.push("no embedding model: only pairs that were noted before are compared".to_owned());
        }
        let holds = if is_named("stale_sweep") { self.holding()? } else { BTreeSet::new() };
        let delivered = self.store.delivered()?;
        let (attended, now) = (!self.is_unattended(), self.now());
        let plan = {
            let store = &*self.store;
            let mut alike = |pairs: &[(EntryKey, EntryKey)]| store.alike(pairs);
            let mut facts = Facts::read(store, &mut alike, delivered, holds, attended, now)?;
            maintain::plan(&mut facts, &services)?
        };
        let writer = self.writer();
        let (services, written) = match plan.writes() {
            true => plan.carry_out(&mut *self.store, &writer)?,
            false => (plan.reports, 0),
        };
        let ran = services.iter().any(|report| report.outcome == ServiceOutcome::Ran);
        // What was only proposed still waits the next time.
        let waits = |one: &ServiceReport| one.outcome == ServiceOutcome::Proposed && !one.changes.is_empty();
        let is_noted = ran || !services.iter().any(waits);
        if asked.service.is_none() && !asked.dry_run && is_noted && self.store.access() == Access::Write {
            let before = if last.date == today { last.runs } else { 0 };
            let state = self.maintained_state()?;
            self.keep_run(&LastRun { state, date: today, runs: before + usize::from(ran) });
        }
        self.finish_standing(MaintainAnswer { level, services, written, notes })
    }

    /// Entries that are as their code says.
    fn holding(&mut self) -> Result<BTreeSet<EntryKey>> {
        let mut ground = self.ground();
        ground.load_all();
        let holds = check::holding(&*self.store, &mut ground)?;
        ground.save();
        Ok(holds)
    }

    /// Names everything that services look at. A day is part of it: time makes entries stale, and belief fades.
    fn maintained_state(&self) -> Result<String> {
        let (level, auto) = (self.config.get("maintain.level")?, self.config.get("maintain.auto")?);
        let (version, position, date) =
            (env!("CARGO_PKG_VERSION"), self.store.position()?, self.now().date());
        Ok(format!("{version} {position} {date} {level} {auto}"))
    }

    fn last_run_file(&self) -> PathBuf {
        self.store.tree_home().join(LAST_RUN)
    }

    fn last_run(&self) -> LastRun {
        let text = fs::read_to_string(self.last_run_file()).ok();
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// A note for the next time: where it is lost, services look again and find nothing new to do.
    fn keep_run(&self, run: &LastRun) {
        if let Ok(text) = serde_json::to_string(run) {
            let _ = fs::write(self.last_run_file(), text);
        }
    }
}
