//! `maintain`: the services that keep a store in order (UPK-1 to UPK-4, UPK-8). Each looks at what there is and says what it would do;
//! everything that is done in one call is one write, so that one `undo` takes it back.

mod dedup;
mod groups;
mod policy;
mod sweep;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use ken_core::belief;
use ken_core::decide;
use ken_core::limits::{RESET_MEAN, RESET_OBSERVATIONS_MIN};
use ken_core::opposition::{Ahead, Ordered, Weighed, order};
use ken_core::{
    BeliefEvent, Body, Citation, Code, EntryEvent, EntryHead, EntryKey, Event, Intent, Memory, Millis,
    Refusal, Status, Tag,
};
use serde::Serialize;
use serde_json::json;

pub use self::policy::{Level, Policy};
use super::add::{AddInput, OnAbsent, SummaryStart};
use super::brief::{self, Severity, Task};
use super::{context, find};
use crate::error::Result;
use crate::glance::Glance;
use crate::judge::{Distil, Distilled, Question, Relate, Relation, Ruling};
use crate::ledger::Ledger;
use crate::limits::ops::NAMES_MAX;
use crate::ports::Writer;
use crate::projection::Projection;
use crate::upkeep::Delivered;

/// How every service is called where a host asks for it by its long name.
const LONG_NAME: &str = "service:consolidation:";

/// The service that reads the web (FOR-1). The verbs carry it out: nothing in the engine reaches a network.
pub const FORAGE: &str = "forage";

/// A service: what it is called, what it is about, and how it looks.
pub struct Service {
    pub name: &'static str,
    /// The word by which a policy allows it.
    pub category: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Whether `maintain` runs it without being told its name.
    pub by_itself: bool,
    /// The kind of question that it asks a judge.
    pub asks: Option<&'static str>,
    look: fn(&mut Facts<'_>) -> Result<Found>,
}

/// Every service, in the order in which they are told.
pub const SERVICES: &[Service] = &[
    Service {
        name: "dedup",
        category: "merge",
        about: "merges entries that say the same, and queues those that may",
        by_itself: true,
        asks: Some(Relate::KIND),
        look: dedup::look,
    },
    Service {
        name: "stale_sweep",
        category: "staleness",
        about: "marks entries as stale that nobody used for 90 days, and brings back what holds again",
        by_itself: true,
        asks: None,
        look: sweep::look,
    },
    Service {
        name: "contradiction",
        category: "contradiction",
        about: "lists entries that contradict each other",
        by_itself: true,
        asks: None,
        look: contradiction,
    },
    Service {
        name: "cooccurrence",
        category: "cooccurrence",
        about: "lists entries that are used together most",
        by_itself: true,
        asks: None,
        look: groups::cooccurrence,
    },
    Service {
        name: "distill",
        category: "distillation",
        about: "finds groups of entries that one higher entry could sum up",
        by_itself: true,
        asks: Some(Distil::KIND),
        look: groups::distill,
    },
    Service {
        name: FORAGE,
        category: "forage",
        about: "looks up what weak searches asked for, and gaps of the briefing, on the web; only where forage.on is true",
        by_itself: true,
        asks: None,
        look: |_| Ok(Found::default()),
    },
    Service {
        name: "confidence_reset",
        category: "confidence",
        about: "resets belief that much data left undecided; only by name",
        by_itself: false,
        asks: None,
        look: confidence_reset,
    },
];

/// The service of a name, short or long.
pub fn service(name: &str) -> Result<&'static Service> {
    let short = name.strip_prefix(LONG_NAME).unwrap_or(name).replace('-', "_");
    SERVICES.iter().find(|service| service.name == short).ok_or_else(|| {
        let names: Vec<&str> = SERVICES.iter().map(|service| service.name).collect();
        Refusal::new(Code::Invalid, format!("there is no service {name:?}"))
            .hint(format!("services: {}", names.join(", ")))
            .field("service")
            .into()
    })
}

/// The service that said something of an entry, by the reason it gave.
pub fn service_of(event: &Event) -> Option<&'static Service> {
    let reason = match event.body.as_ref()? {
        Body::Entry(EntryEvent::Merged(merged)) => &merged.reason,
        Body::Entry(EntryEvent::Staled { reason } | EntryEvent::Restored { reason, .. })
        | Body::Belief(BeliefEvent::Reset { reason }) => reason,
        _ => return None,
    };
    let name = reason.strip_prefix(LONG_NAME)?;
    SERVICES.iter().find(|service| {
        name.strip_prefix(service.name)
            .is_some_and(|rest| !rest.starts_with(|c: char| c == '_' || c.is_alphanumeric()))
    })
}

/// How near pairs of entries are in meaning, where that is known.
pub type Alike<'a> = dyn FnMut(&[(EntryKey, EntryKey)]) -> Result<Vec<Option<f64>>> + 'a;

/// Answers what rules cannot; none where nobody can, or may, be asked.
pub trait MaintainJudge {
    /// How the first of two entries stands to the second.
    fn relate(&mut self, first: &str, second: &str) -> Result<Option<Ruling<Relation>>>;
    /// Whether there was no usable answer when it was last asked how one of two entries stands to the other: other pairs come first.
    fn left_unanswered(&self, first: &str, second: &str) -> bool;
    /// One entry for some that are used together.
    fn distil(&mut self, statements: &[String]) -> Result<Option<Ruling<Distilled>>>;
}

/// Nobody is asked: what rules cannot decide waits in the queue.
pub struct NoJudge;

impl MaintainJudge for NoJudge {
    fn relate(&mut self, _: &str, _: &str) -> Result<Option<Ruling<Relation>>> {
        Ok(None)
    }

    fn left_unanswered(&self, _: &str, _: &str) -> bool {
        false
    }

    fn distil(&mut self, _: &[String]) -> Result<Option<Ruling<Distilled>>> {
        Ok(None)
    }
}

/// What services look at.
pub struct Facts<'a> {
    pub ledger: &'a dyn Projection,
    /// How near pairs of entries are.
    pub alike: &'a mut Alike<'a>,
    /// Who is asked what rules cannot decide.
    pub judge: &'a mut dyn MaintainJudge,
    /// When each entry was last put before somebody, and how often.
    pub delivered: HashMap<EntryKey, Delivered>,
    /// Entries whose code is as they say.
    pub holds: BTreeSet<EntryKey>,
    /// Whether a person can be asked: only then is put away what is verified (COR-19).
    pub attended: bool,
    pub now: Millis,
    glances: Arc<Vec<Glance>>,
    /// Where each entry is among them.
    at: HashMap<EntryKey, usize>,
    /// Entries that a service of this plan puts away,
    put_away: BTreeSet<EntryKey>,
    /// and those that stand for others by it.
    stands_for: BTreeMap<EntryKey, Vec<EntryKey>>,
}

impl<'a> Facts<'a> {
    /// Reads what there is, once for all services.
    pub fn read(
        ledger: &'a dyn Projection,
        alike: &'a mut Alike<'a>,
        judge: &'a mut dyn MaintainJudge,
        delivered: Vec<(EntryKey, Delivered)>,
        holds: BTreeSet<EntryKey>,
        attended: bool,
        now: Millis,
    ) -> Result<Facts<'a>> {
        let delivered = delivered.into_iter().collect();
        let glances = ledger.glances()?;
        let at = glances.iter().enumerate().map(|(at, glance)| (glance.key, at)).collect();
        Ok(Facts {
            ledger,
            alike,
            judge,
            delivered,
            holds,
            attended,
            now,
            glances,
            at,
            put_away: BTreeSet::new(),
            stands_for: BTreeMap::new(),
        })
    }

    /// An entry in short.
    fn glance(&self, key: EntryKey) -> Option<&Glance> {
        self.at.get(&key).map(|at| &self.glances[*at])
    }

    /// Entries that a service may put away by itself, and which are seen here.
    fn tended(&self) -> impl Iterator<Item = &Glance> {
        self.glances.iter().filter(|glance| {
            glance.memory == Memory::Semantic && !glance.hidden && !self.put_away.contains(&glance.key)
        })
    }

    /// Looks at the store as if a step of the plan were done.
    fn assume(&mut self, step: &Step) {
        match step {
            Step::Merge { kept, absorbed, .. } => {
                self.put_away.insert(*absorbed);
                self.stands_for.entry(*kept).or_default().push(*absorbed);
            }
            Step::Stale { key, .. } => {
                self.put_away.insert(*key);
            }
            Step::Propose { .. }
            | Step::Dismiss { .. }
            | Step::Distil { .. }
            | Step::Restore { .. }
            | Step::Reset { .. } => {}
        }
    }

    /// The entries that an entry stands for, as things are and as they are planned.
    fn members(&self, key: EntryKey) -> Result<BTreeSet<EntryKey>> {
        let (mut members, mut open) = (BTreeSet::new(), vec![key]);
        while let Some(key) = open.pop() {
            let pooled = self.ledger.entry(key)?.map(|entry| entry.pool.from).unwrap_or_default();
            let planned = self.stands_for.get(&key).into_iter().flatten().copied();
            open.extend(pooled.into_iter().chain(planned).filter(|member| members.insert(*member)));
        }
        Ok(members)
    }

    /// Whether only a person puts an entry away.
    fn is_for_a_person(&self, status: Status) -> bool {
        status == Status::Verified && !self.attended
    }
}

/// What a service would write about an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// One entry stands for another; how near they are, in thousandths, and what a judge said.
    Merge {
        kept: EntryKey,
        absorbed: EntryKey,
        similarity: u32,
        said: Option<String>,
    },
    /// Two entries say different things, and nobody is asked about them again.
    Dismiss {
        newer: EntryKey,
        older: EntryKey,
        said: String,
    },
    /// One entry is added that sums up others.
    Distil(Distillation),
    /// Somebody should look whether the newer says what the older says.
    Propose {
        newer: EntryKey,
        older: EntryKey,
        similarity: u32,
    },
    Stale {
        key: EntryKey,
        reason: String,
    },
    Restore {
        key: EntryKey,
        reason: String,
    },
    Reset {
        key: EntryKey,
    },
}

/// UPK-4: an entry that sums up others, with what it has from them.
#[derive(Clone, Debug, PartialEq)]
pub struct Distillation {
    /// What a judge made of their statements.
    pub distilled: Distilled,
    /// The entries it sums up.
    pub sources: Vec<EntryKey>,
    pub start: SummaryStart,
    /// What they are about.
    pub domains: BTreeSet<Tag>,
    /// What they cite, each piece of evidence once.
    pub evidence: Vec<Citation>,
}

impl Distillation {
    /// It as a wish to add it: the words come from the judge, so they go the whole way in.
    pub fn wish(&self, judge: &str) -> AddInput {
        let evidence: Vec<&Citation> = self.evidence.iter().take(NAMES_MAX).collect();
        let domains: Vec<&Tag> = self.domains.iter().take(NAMES_MAX).collect();
        let content = json!({
            "source": { "agent": judge },
            "title": self.distilled.title,
            "statement": self.distilled.statement,
            "decay_class": "stable",
            "tags": ["distilled"],
            "domains": domains,
            "provenance": evidence,
        });
        AddInput {
            kind: Some("lesson".to_owned()),
            content: content.as_object().cloned().unwrap_or_default(),
            draft: true,
            extracted: true,
            distilled: Some(self.start),
            // It was looked for when the entries were stated.
            on_absent: OnAbsent::Gap,
            ..AddInput::default()
        }
    }
}

/// What a service found.
#[derive(Default)]
struct Found {
    /// What it would write, with what that means.
    steps: Vec<(Step, Deed)>,
    /// What waits for a person, or is only worth knowing.
    left: Vec<Deed>,
}

/// Something that was done, would be done, or was left to somebody.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Deed {
    /// What, in a sentence.
    pub text: String,
    /// The entries it is about.
    pub entries: Vec<EntryHead>,
    /// A command that goes on from here, or takes it back.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// A task that is ready to be given to somebody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// The entry that was made of others.
    #[serde(skip)]
    distilled: Option<Distilled>,
}

impl Deed {
    pub fn new(text: String, entries: Vec<EntryHead>, action: String) -> Deed {
        Deed { text, entries, action, task: None, distilled: None }
    }
}

/// Whether a service ran, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ServiceOutcome {
    /// It ran. What it changed is written.
    Ran,
    /// It would do this: somebody asked for no more.
    DryRun,
    /// It would do this, and the policy leaves it to a person.
    Proposed,
    /// It would do this, and the runs of the day are used up.
    Refused,
    /// Nothing that it looks at changed since it last ran.
    NotDue,
}

/// What became of one service.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServiceReport {
    pub service: &'static str,
    pub outcome: ServiceOutcome,
    /// What it changed, or would change.
    pub changes: Vec<Deed>,
    /// What waits for a person, or is only worth knowing.
    pub left: Vec<Deed>,
}

impl ServiceReport {
    /// A service that had nothing to look at.
    pub fn not_due(service: &'static Service) -> ServiceReport {
        let (changes, left) = (Vec::new(), Vec::new());
        ServiceReport { service: service.name, outcome: ServiceOutcome::NotDue, changes, left }
    }
}

/// What services would do, and the steps of those that may.
pub struct Plan {
    pub reports: Vec<ServiceReport>,
    steps: Vec<Step>,
}

/// Asks services what they would do. `outcome` says of each whether it may do it.
pub fn plan(facts: &mut Facts<'_>, services: &[(&'static Service, ServiceOutcome)]) -> Result<Plan> {
    let mut plan = Plan { reports: Vec::new(), steps: Vec::new() };
    for (service, outcome) in services {
        if *outcome == ServiceOutcome::NotDue {
            plan.reports.push(ServiceReport::not_due(service));
            continue;
        }
        let found = (service.look)(facts)?;
        let mut changes = Vec::new();
        for (step, mut deed) in found.steps {
            // What was not done can be done, and there is nothing to take back.
            if *outcome != ServiceOutcome::Ran {
                deed.action = format!("ken maintain {}", service.name);
            }
            // What is done by one service is so for the next: then their order is nobody's.
            if matches!(outcome, ServiceOutcome::Ran | ServiceOutcome::DryRun) {
                facts.assume(&step);
            }
            changes.push(deed);
            if *outcome == ServiceOutcome::Ran {
                plan.steps.push(step);
            }
        }
        plan.reports.push(ServiceReport {
            service: service.name,
            outcome: *outcome,
            changes,
            left: found.left,
        });
    }
    Ok(plan)
}

impl Plan {
    /// Whether anything would be written.
    pub fn writes(&self) -> bool {
        !self.steps.is_empty()
    }

    /// The entries to be added that sum up others.
    pub fn distilled(&self) -> impl Iterator<Item = &Distillation> {
        self.steps.iter().filter_map(|step| match step {
            Step::Distil(distillation) => Some(distillation),
            _ => None,
        })
    }

    /// Takes entries out again that the intake did not let in: no word of theirs is told.
    pub fn leave_out(&mut self, kept_out: &[Distilled]) {
        for gone in kept_out {
            self.steps.retain(|step| !matches!(step, Step::Distil(made) if made.distilled == *gone));
            for report in &mut self.reports {
                report.changes.retain(|deed| deed.distilled.as_ref() != Some(gone));
            }
        }
    }

    /// Writes everything at once, with what else is said in the same breath, and says how many events that were.
    pub fn carry_out(
        self,
        ledger: &mut Ledger,
        also: Vec<Intent>,
        writer: &Writer,
    ) -> Result<(Vec<ServiceReport>, usize)> {
        let context = context(ledger, writer)?;
        let mut intents: Vec<Intent> = Vec::new();
        let mut known: BTreeMap<EntryKey, ken_core::Entry> = BTreeMap::new();
        for step in &self.steps {
            let keys = match step {
                Step::Merge { kept, absorbed, .. } => vec![*kept, *absorbed],
                Step::Propose { newer, older, .. } | Step::Dismiss { newer, older, .. } => {
                    vec![*newer, *older]
                }
                // Words that a judge wrote come in through the intake; see [`Plan::distilled`].
                Step::Distil(_) => continue,
                Step::Stale { key, .. } | Step::Restore { key, .. } | Step::Reset { key } => vec![*key],
            };
            for key in keys {
                if let std::collections::btree_map::Entry::Vacant(vacant) = known.entry(key)
                    && let Some(entry) = ledger.entry(key)?
                {
                    vacant.insert(entry);
                }
            }
            let said = match step {
                Step::Merge { kept, absorbed, similarity, said } => {
                    let (Some(kept), Some(absorbed)) = (known.get(kept), known.get(absorbed)) else {
                        continue;
                    };
                    let mut reason =
                        format!("{LONG_NAME}dedup, similarity {:.3}", f64::from(*similarity) / 1000.0);
                    if let Some(said) = said {
                        reason += &format!("; {said}");
                    }
                    decide::merge(decide::Choice { kept, absorbed }, Some(*similarity), reason)?
                }
                Step::Propose { newer, older, similarity } => {
                    let (Some(newer), Some(older)) = (known.get(newer), known.get(older)) else { continue };
                    decide::propose_pair(newer, older, *similarity)
                }
                Step::Dismiss { newer, older, said } => {
                    let (Some(newer), Some(older)) = (known.get(newer), known.get(older)) else { continue };
                    decide::dismiss(newer, older, &format!("{LONG_NAME}dedup: {said}"))
                }
                Step::Distil(_) => continue,
                Step::Stale { key, reason } => {
                    let Some(entry) = known.get(key) else { continue };
                    decide::stale(entry, format!("{LONG_NAME}stale_sweep: {reason}"))?
                }
                Step::Restore { key, reason } => {
                    let Some(entry) = known.get(key) else { continue };
                    decide::restore(entry, format!("{LONG_NAME}stale_sweep: {reason}"), &context)?
                }
                Step::Reset { key } => {
                    let Some(entry) = known.get(key) else { continue };
                    decide::reset(entry, format!("{LONG_NAME}confidence_reset"), &context)?
                }
            };
            intents.extend(said);
        }
        intents.extend(also);
        let written = intents.len();
        if written > 0 {
            ledger.append(intents, writer)?;
        }
        Ok((self.reports, written))
    }
}

/// UPK-3: what contradicts what. Nothing is changed: a person, or who is asked, ends one. Between instances it says which has more
/// behind it.
fn contradiction(facts: &mut Facts<'_>) -> Result<Found> {
    let peers: HashMap<&str, Option<&str>> =
        facts.glances.iter().map(|glance| (glance.id.as_str(), glance.peer.as_deref())).collect();
    let mut left = Vec::new();
    for insight in brief::contradictions(facts.ledger, facts.now)? {
        let mut text = insight.text;
        // Lines that name no entry look all the same.
        if let [one, other] = insight.entries.as_slice() {
            text = format!("{} and {}: {text}", one.handle, other.handle);
        }
        if let [one, other] = insight.entries.as_slice()
            && insight.severity != Severity::Info
            && peers.get(one.id.as_str()) != peers.get(other.id.as_str())
        {
            text += &ordered(facts, one, other)?;
        }
        let action = if insight.severity != Severity::Info { "ken queue" } else { &insight.action };
        left.push(Deed { task: insight.task, ..Deed::new(text, insight.entries, action.to_owned()) });
    }
    Ok(Found { steps: Vec::new(), left })
}

/// Which of two entries of different instances has more behind it, in a sentence.
fn ordered(facts: &Facts<'_>, one: &EntryHead, other: &EntryHead) -> Result<String> {
    let weighed = |head: &EntryHead| -> Result<Weighed> {
        Ok(Weighed::new(&find(facts.ledger, &head.id)?.entry, facts.now))
    };
    let (how, ahead) = order(&weighed(one)?, &weighed(other)?);
    let by = match how {
        Ordered::Pareto => "in two of evidence, recency and provenance",
        Ordered::Threshold => "by more than chance explains",
        Ordered::Competing => return Ok(" Neither has more behind it.".to_owned()),
    };
    let first = if ahead == Some(Ahead::One) { one } else { other };
    Ok(format!(" {} is ahead {by}.", first.handle))
}

/// BEL-7: belief that much data left undecided goes back to the prior. Only by name, and only by a person.
fn confidence_reset(facts: &mut Facts<'_>) -> Result<Found> {
    let today = belief::day(facts.now);
    let mut found = Found::default();
    for glance in facts.tended().filter(|glance| glance.status.is_retrieved()) {
        let belief = glance.belief(today);
        let (seen, mean) = (belief.observations(), belief.now.mean());
        if seen < RESET_OBSERVATIONS_MIN || !RESET_MEAN.contains(&mean) {
            continue;
        }
        let text = format!("{seen:.1} observations left {} at {:.0} %", glance.handle, mean * 100.0);
        let deed = Deed::new(text, vec![glance.head()], format!("ken why --belief {}", glance.handle));
        match facts.attended {
            true => found.steps.push((Step::Reset { key: glance.key }, deed)),
            false => found.left.push(deed),
        }
    }
    Ok(found)
}
