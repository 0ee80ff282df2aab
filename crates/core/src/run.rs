//! What a run is: one review, task or session of agents, from its start to how it ended (REV-1).

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::event::{Body, Event, RunEvent};
use crate::finding::Finding;
use crate::ids::EntryKey;

/// What kind of work it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Agents look at something and report findings.
    Review,
    /// Somebody does something.
    Task,
    /// An agent's whole conversation.
    Session,
}

impl RunKind {
    pub fn word(self) -> &'static str {
        match self {
            RunKind::Review => "review",
            RunKind::Task => "task",
            RunKind::Session => "session",
        }
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// It did what it should.
    Succeeded,
    /// It did not.
    Failed,
    /// Somebody stopped it.
    Killed,
    /// Nobody came back to it.
    Abandoned,
}

impl RunOutcome {
    /// Every one, with the words people use for it.
    pub const WORDS: &'static [(&'static str, RunOutcome)] = &[
        ("success", RunOutcome::Succeeded),
        ("failure", RunOutcome::Failed),
        ("killed", RunOutcome::Killed),
        ("abandoned", RunOutcome::Abandoned),
        ("succeeded", RunOutcome::Succeeded),
        ("failed", RunOutcome::Failed),
    ];

    pub fn word(self) -> &'static str {
        match self {
            RunOutcome::Succeeded => "succeeded",
            RunOutcome::Failed => "failed",
            RunOutcome::Killed => "killed",
            RunOutcome::Abandoned => "abandoned",
        }
    }

    /// The outcome that a word means.
    pub fn from_word(word: &str) -> Option<RunOutcome> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, outcome)| *outcome)
    }
}

/// An agent that takes part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Agent {
    /// What it is called in this run.
    pub name: String,
    /// What it looks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The family of its model: agreement across families counts for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
}

/// How a run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Started {
    pub run: String,
    /// What kind of work it is.
    pub kind: RunKind,
    /// What it is about: a goal, the summary of a document, what a diff touches. Empty for a session, which says so by its kind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The project it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub project: String,
    /// The line of work it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Who takes part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<Agent>,
    /// How it is gone about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Files that the thing under review touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// What an agent found. Long reports come in several parts, in one write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reported {
    pub run: String,
    pub agent: String,
    /// Names the whole report: the same one twice is one.
    pub report: String,
    pub findings: Vec<Finding>,
    /// The reviewer itself failed (`Verdict: error`): its report counts for nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finished {
    pub run: String,
    /// How it ended.
    pub outcome: RunOutcome,
    /// How well, in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<u32>,
    /// Entries that it used; none where it did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Vec<EntryKey>>,
    /// What it cost, in thousandths of whatever the caller counts in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// How many rounds it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// How it was gone about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Entries that came out of it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub extracted: u32,
    /// Entries that were reported to be wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<EntryKey>,
    /// A conversation that its host ended (COR-15). Its outcome is `abandoned`, which is what readers that do not know this field take it for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

impl Started {
    /// What it is about, as people are told: `by` is who began it.
    pub fn told(&self, by: &str) -> String {
        match self.about.as_str() {
            "" => format!("a {} of {}", self.kind.word(), agent_of(by)),
            about => about.to_owned(),
        }
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// An entry was put before an agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exposure {
    pub agent: String,
    /// Who acted for it, by the name agents go by: one actor may give many names.
    pub actor: String,
    pub entry: EntryKey,
    /// `injected`, `pulled`, `upstream`, `standing`.
    pub how: String,
    pub clock: Clock,
}

/// How injected entries got before an agent.
pub const INJECTED: &str = "injected";
/// How entries that somebody asked for got there.
pub const PULLED: &str = "pulled";
/// How entries that another agent passed on got there.
pub const UPSTREAM: &str = "upstream";
/// How norms in force got there when a session began: they do not count against the cap of REV-5 (COR-26).
pub const STANDING: &str = "standing";

/// A run as it stands: the fold of its events.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// How it began.
    pub started: Started,
    pub at: Clock,
    /// Who started it.
    pub by: String,
    /// What came in.
    pub reports: Vec<Reported>,
    /// Agents that reported: when first, and on whose behalf.
    pub heard: std::collections::BTreeMap<String, Heard>,
    /// How it ended, and when.
    pub finished: Option<(Finished, Clock)>,
    /// When the context of an agent was last cleared, by its folded name.
    pub cleared: std::collections::BTreeMap<String, Clock>,
    /// When something last happened in it.
    pub latest: Clock,
}

/// An agent's voice in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// When it first reported.
    pub first: Clock,
    /// Who wrote its reports.
    pub actors: std::collections::BTreeSet<String>,
}

/// The name that an actor goes by among the agents of a run.
pub fn agent_of(actor: &str) -> &str {
    actor.strip_prefix("agent:").unwrap_or(actor)
}

/// A name as it is compared: case and blanks make no other agent.
pub fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

impl Run {
    /// Folds the events of a run, in whatever order and however often they come; none where nothing started it.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Run> {
        let ordered: std::collections::BTreeMap<_, &Event> =
            events.into_iter().map(|event| (event.order(), event)).collect();
        let (first, started) = ordered.values().find_map(|event| match &event.body {
            Some(Body::Run(RunEvent::Started(started))) => Some((*event, started)),
            _ => None,
        })?;
        let mut run = Run {
            started: (**started).clone(),
            at: first.clock,
            by: first.actor.clone(),
            reports: Vec::new(),
            heard: Default::default(),
            finished: None,
            cleared: Default::default(),
            latest: first.clock,
        };
        for event in ordered.values() {
            run.latest = run.latest.max(event.clock);
            match &event.body {
                Some(Body::Run(RunEvent::Reported(reported))) => {
                    let heard = run
                        .heard
                        .entry(reported.agent.clone())
                        .or_insert_with(|| Heard { first: event.clock, actors: Default::default() });
                    heard.actors.insert(event.actor.clone());
                    if !run.reports.contains(reported) {
                        run.reports.push((**reported).clone());
                    }
                }
                Some(Body::Run(RunEvent::Finished(finished))) => {
                    // Another clone may give up a run that ended here: how it ended counts. A conversation that goes on after
                    // its end ends again.
                    let given_up = finished.outcome == RunOutcome::Abandoned;
                    let ends_again = finished.ended
                        && run.finished.as_ref().is_some_and(|(end, _)| end.outcome == RunOutcome::Abandoned);
                    if !given_up || run.finished.is_none() || ends_again {
                        run.finished = Some(((**finished).clone(), event.clock));
                    }
                }
                Some(Body::Run(RunEvent::Cleared { agent, .. })) => {
                    run.cleared.insert(folded(agent), event.clock);
                }
                _ => {}
            }
        }
        Some(run)
    }

    /// Folds the events of many runs, oldest first.
    pub fn fold_all(events: &[Event]) -> Vec<Run> {
        let mut of: std::collections::BTreeMap<&str, Vec<&Event>> = Default::default();
        for event in events {
            if let Some(run) = event.body.as_ref().and_then(Body::run) {
                of.entry(run).or_default().push(event);
            }
        }
        let mut runs: Vec<Run> = of.into_values().filter_map(Run::fold).collect();
        runs.sort_by(|a, b| (a.at, &a.started.run).cmp(&(b.at, &b.started.run)));
        runs
    }

    /// The agent of some name that takes part.
    pub fn agent(&self, name: &str) -> Option<&Agent> {
        self.started.agents.iter().find(|agent| folded(&agent.name) == folded(name))
    }

    /// Whether something that was put before an agent is still in its context, as far as anybody can tell.
    pub fn is_in_context(&self, seen: &Exposure) -> bool {
        self.cleared.get(&folded(&seen.agent)).is_none_or(|cleared| seen.clock > *cleared)
    }

    /// Whether some agent was shown an entry before it reported. What nobody in particular was shown, everybody may have heard of.
    pub fn was_exposed(&self, exposures: &[Exposure], agent: &str, entry: EntryKey) -> bool {
        let until = self.heard.get(agent).map(|heard| heard.first);
        exposures.iter().filter(|seen| seen.entry == entry).any(|seen| {
            let reached = folded(&seen.agent) == folded(agent) || self.agent(&seen.agent).is_none();
            reached && until.is_none_or(|until| seen.clock < until)
        })
    }
}
