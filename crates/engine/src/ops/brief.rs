//! `brief`: what somebody who begins here should know of this store, by rules over what it holds (UPK-5).
//!
//! No model is asked, nothing is tuned and nothing is written: a briefing is advice. The same store on the same day gives the same
//! bytes.

mod knowledge;
mod peers;
mod policy;
mod told;
mod work;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use ken_core::Verdict;
use ken_core::belief::{self, Belief};
use ken_core::decide::Pair;
use ken_core::kinds::SpikeOutcome;
use ken_core::limits::brief as limits;
use ken_core::run::Run;
use ken_core::{EntryHead, EntryKey, Millis, Status};
use serde::{Deserialize, Serialize};

pub(crate) use self::knowledge::{NotedPair, noted_pairs};
pub use self::told::{BriefingText, Room, tell};
use crate::deliver;
use crate::error::Result;
use crate::glance::Glance;
use crate::limits::ops_brief::{
    BELIEVED_MAX, CLAIM_CHARS_MAX, FALLEN_MAX, NAMED_MAX, SIGNS_MAX, WHOLE_CLAIM_CHARS_MAX,
};
use crate::ops::maintain::Policy;
use crate::projection::Projection;

/// How much an insight matters, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Somebody has to decide.
    ActionRequired,
    /// Somebody should look.
    Attention,
    Info,
}

impl Severity {
    /// Every one, the gravest first.
    pub const ALL: [Severity; 3] = [Severity::ActionRequired, Severity::Attention, Severity::Info];

    /// The word used in answers.
    pub fn word(self) -> &'static str {
        match self {
            Severity::ActionRequired => "action_required",
            Severity::Attention => "attention",
            Severity::Info => "info",
        }
    }
}

/// A rule: what it is called, how grave what it finds is, and how it looks.
pub struct Rule {
    pub name: &'static str,
    /// What it is about.
    pub category: &'static str,
    /// How grave it is, unless a sign says otherwise.
    pub severity: Severity,
    look: fn(&BriefingFacts<'_>) -> Result<Vec<Sign>>,
}

/// Every rule, in the order of UPK-5.
pub const RULES: &[Rule] = &[
    Rule {
        name: "confidence_decline",
        category: "confidence",
        severity: Severity::Attention,
        look: knowledge::confidence_decline,
    },
    Rule {
        name: "contradiction",
        category: CONTRADICTION,
        severity: Severity::ActionRequired,
        look: knowledge::contradiction,
    },
    Rule {
        name: "trust_drop",
        category: "federation",
        severity: Severity::Attention,
        look: peers::trust_drop,
    },
    Rule {
        name: "coverage_gap",
        category: "coverage",
        severity: Severity::Attention,
        look: knowledge::coverage_gap,
    },
    Rule {
        name: "stale_cluster",
        category: "staleness",
        severity: Severity::Attention,
        look: knowledge::stale_cluster,
    },
    Rule {
        name: "merge_opportunity",
        category: "merge",
        severity: Severity::Info,
        look: knowledge::merge_opportunity,
    },
    Rule { name: "inbound", category: "inbound", severity: Severity::Info, look: peers::inbound },
    Rule {
        name: "strategy_efficiency",
        category: "performance",
        severity: Severity::Info,
        look: work::strategy_efficiency,
    },
    Rule {
        name: "diminishing_rounds",
        category: "performance",
        severity: Severity::Attention,
        look: work::diminishing_rounds,
    },
    Rule {
        name: "cost_outlier",
        category: "performance",
        severity: Severity::Info,
        look: work::cost_outlier,
    },
    Rule {
        name: "knowledge_return",
        category: "performance",
        severity: Severity::Attention,
        look: work::knowledge_return,
    },
    Rule {
        name: "evaporation",
        category: "evaporation",
        severity: Severity::Info,
        look: knowledge::evaporation,
    },
    Rule {
        name: "stagnation",
        category: "stagnation",
        severity: Severity::Attention,
        look: work::stagnation,
    },
    Rule {
        name: "earned_autonomy",
        category: "earned_autonomy",
        severity: Severity::Info,
        look: policy::earned_autonomy,
    },
    Rule {
        name: "maintained",
        category: "maintenance",
        severity: Severity::Attention,
        look: policy::maintained,
    },
    Rule {
        name: "configuration",
        category: "performance",
        severity: Severity::Info,
        look: work::configuration,
    },
    Rule { name: "escalation", category: "performance", severity: Severity::Info, look: work::escalation },
];

/// What the rules look at.
struct BriefingFacts<'a> {
    ledger: &'a dyn Projection,
    /// Every entry, whatever its status, without what this clone or this line of work does not see.
    all: Vec<&'a Glance>,
    /// Those that are handed out.
    entries: Vec<&'a Glance>,
    /// The belief in each of those.
    beliefs: Vec<Belief>,
    /// Every run, oldest first.
    runs: Vec<Run>,
    /// What services may do by themselves.
    policy: &'a Policy,
    now: Millis,
    /// The pairs of those that were noted as near each other, once a rule asked.
    noted: OnceCell<Vec<NotedPair>>,
}

impl BriefingFacts<'_> {
    fn today(&self) -> i32 {
        belief::day(self.now)
    }

    /// Entries that are handed out by what they are about; those that are about nothing are left out.
    fn by_label(&self) -> BTreeMap<&str, Vec<usize>> {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            for label in entry.labels() {
                groups.entry(label.as_str()).or_default().push(at);
            }
        }
        groups
    }
}

/// What a rule found.
struct Sign {
    /// How grave, where it is not as grave as the rule.
    severity: Option<Severity>,
    /// A sentence that names no entry.
    text: String,
    entries: Vec<EntryHead>,
    action: String,
    task: Task,
}

/// A task that is ready to be given to somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task {
    pub role: String,
    /// What to do.
    pub goal: String,
}

impl Task {
    fn research(goal: String) -> Task {
        Task { role: "researcher".to_owned(), goal }
    }

    /// For who decides how work is done.
    fn plan(goal: String) -> Task {
        Task { role: "planner".to_owned(), goal }
    }
}

/// What a rule has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Insight {
    pub rule: String,
    /// What it is about.
    pub category: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was found, in a sentence.
    pub text: String,
    /// The entries it is about, as far as they are named.
    pub entries: Vec<EntryHead>,
    /// How many it is about.
    pub affected: usize,
    /// A command that goes on from here.
    pub action: String,
    /// A task that is ready to be given to somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
}

/// What a store holds, as far as it is handed out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Holds {
    pub entries: usize,
    /// Those that are proven.
    pub verified: usize,
    /// Those that were of use.
    pub active: usize,
    /// Those that nobody has used yet.
    pub candidate: usize,
    /// Those that are not in use: stale, archived, superseded, retracted or hidden here.
    #[serde(default)]
    pub not_in_use: usize,
    /// Entries of the global store, which answers here as well (COR-2).
    #[serde(default)]
    pub global: usize,
}

impl Holds {
    /// `2 verified, 1 candidate`: how many there are of each status.
    pub fn by_status(&self) -> String {
        let counts = [(self.verified, "verified"), (self.active, "active"), (self.candidate, "candidate")];
        let counts = counts.iter().filter(|(number, _)| *number > 0);
        counts.map(|(number, status)| format!("{number} {status}")).collect::<Vec<_>>().join(", ")
    }
}

/// What waits for a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waiting {
    /// Entries that were kept out.
    pub rejected: usize,
    /// Drafts that lack parts.
    pub drafts: usize,
    /// Pairs of entries that seem to say the same.
    pub duplicates: usize,
}

/// An entry that stopped holding, as far as is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fallen {
    #[serde(flatten)]
    pub entry: EntryHead,
    /// `broken` or `drifted`.
    pub verdict: Verdict,
}

/// A line of what can be relied on most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Believed {
    #[serde(flatten)]
    pub entry: EntryHead,
    /// What it says, with its citation.
    pub line: String,
    /// The same with all that it claims.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub claim: String,
}

/// Everything a briefing could say, before it is cut to a budget.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Briefing {
    /// What there is.
    pub holds: Holds,
    /// How many entries no longer hold, as of the last look at the code.
    pub broken: usize,
    /// How many entries may no longer hold: their code changed.
    pub drifted: usize,
    /// Some of them, the broken ones first.
    pub fallen: Vec<Fallen>,
    /// What waits for a person.
    pub waiting: Waiting,
    /// What can be relied on most: pinned entries, then verified ones, then the rest, by belief.
    pub believed: Vec<Believed>,
    /// What the rules say, the gravest first.
    pub insights: Vec<Insight>,
}

/// Who asks, and what is known of the code.
pub struct Asking<'a> {
    /// The line of work; entries of other ones are not spoken of (ENT-8).
    pub thread: Option<&'a str>,
    /// What services may do by themselves.
    pub policy: &'a Policy,
    /// Entries that are known not to hold, with their verdicts; nobody looks for more.
    pub fallen: &'a BTreeMap<EntryKey, Verdict>,
    /// The time it is.
    pub now: Millis,
}

/// Looks at everything once.
pub fn brief(ledger: &dyn Projection, asking: &Asking<'_>) -> Result<Briefing> {
    let glances = ledger.glances()?;
    let seen = |glance: &&Glance| {
        !glance.hidden && glance.thread.as_deref().is_none_or(|thread| Some(thread) == asking.thread)
    };
    let all: Vec<&Glance> = glances.iter().filter(seen).collect();
    let entries: Vec<&Glance> = all.iter().copied().filter(|glance| glance.status.is_retrieved()).collect();
    let today = belief::day(asking.now);
    let beliefs = entries.iter().map(|glance| glance.belief(today)).collect();
    let runs = ledger.runs_since(Millis(asking.now.0 - limits::RUNS_DAYS * 86_400_000))?;
    let (policy, now) = (asking.policy, asking.now);
    let known = BriefingFacts { ledger, all, entries, beliefs, runs, policy, now, noted: OnceCell::new() };
    let mut insights = Vec::new();
    for rule in RULES {
        let signs = (rule.look)(&known)?;
        insights.extend(signs.into_iter().take(SIGNS_MAX).map(|sign| insight(rule, sign)));
    }
    // Stable: within a severity rules stay in their order.
    insights.sort_by_key(|insight| insight.severity);
    let with = |verdict: Verdict| asking.fallen.values().filter(|found| **found == verdict).count();
    Ok(Briefing {
        holds: holds(&glances),
        broken: with(Verdict::Broken),
        drifted: with(Verdict::Drifted),
        fallen: fallen(&known, asking.fallen),
        waiting: waiting(&known)?,
        believed: believed(&known, asking.fallen)?,
        insights,
    })
}

/// UPK-3: what contradicts what, as far as nobody resolved it: all of it, where a briefing tells of the first few.
pub fn contradictions(ledger: &dyn Projection, now: Millis) -> Result<Vec<Insight>> {
    contradictions_among(ledger, now, OnceCell::new())
}

/// The same, where the noted pairs are known already.
pub(crate) fn contradictions_among(
    ledger: &dyn Projection,
    now: Millis,
    noted: OnceCell<Vec<NotedPair>>,
) -> Result<Vec<Insight>> {
    let glances = ledger.glances()?;
    let all: Vec<&Glance> =
        glances.iter().filter(|glance| !glance.hidden && glance.thread.is_none()).collect();
    let entries: Vec<&Glance> = all.iter().copied().filter(|glance| glance.status.is_retrieved()).collect();
    let policy = &Policy::default();
    let known =
        BriefingFacts { ledger, all, entries, beliefs: Vec::new(), runs: Vec::new(), policy, now, noted };
    let found = RULES.iter().filter(|rule| rule.category == CONTRADICTION).map(|rule| {
        let signs = (rule.look)(&known)?;
        Ok(signs.into_iter().map(|sign| insight(rule, sign)).collect::<Vec<_>>())
    });
    Ok(found.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The category of what says the opposite.
const CONTRADICTION: &str = "contradiction";

fn insight(rule: &Rule, sign: Sign) -> Insight {
    let affected = sign.entries.len();
    let mut entries = sign.entries;
    entries.truncate(NAMED_MAX);
    Insight {
        rule: rule.name.to_owned(),
        category: rule.category.to_owned(),
        severity: sign.severity.unwrap_or(rule.severity),
        // Labels and strategies are the words of others.
        text: deliver::safe(&sign.text),
        entries,
        affected,
        action: sign.action,
        task: Some(Task { goal: format!("[maintenance:{}] {}", rule.category, sign.task.goal), ..sign.task }),
    }
}

/// Entries in use, those of every thread: as `list` counts them.
fn holds(glances: &[Glance]) -> Holds {
    let in_use: Vec<&Glance> =
        glances.iter().filter(|glance| !glance.hidden && glance.status.is_retrieved()).collect();
    let kept_out = glances.iter().filter(|glance| glance.status == Status::Rejected).count();
    let with = |status| in_use.iter().filter(|entry| entry.status == status).count();
    Holds {
        entries: in_use.len(),
        verified: with(Status::Verified),
        active: with(Status::Active),
        candidate: with(Status::Candidate),
        not_in_use: glances.len().saturating_sub(in_use.len() + kept_out),
        global: 0,
    }
}

fn fallen(known: &BriefingFacts<'_>, fallen: &BTreeMap<EntryKey, Verdict>) -> Vec<Fallen> {
    let told = known.entries.iter().filter_map(|entry| {
        let verdict = *fallen.get(&entry.key)?;
        Some(Fallen { entry: entry.head(), verdict })
    });
    let mut all: Vec<Fallen> = told.collect();
    all.sort_by_key(|one| one.verdict.word());
    all.truncate(FALLEN_MAX);
    all
}

fn waiting(known: &BriefingFacts<'_>) -> Result<Waiting> {
    let noted = knowledge::noted(known)?;
    let at_odds = noted.iter().filter(|pair| pair.how == Some(Pair::MayContradict)).count();
    Ok(Waiting {
        rejected: known.all.iter().filter(|entry| entry.status == Status::Rejected).count(),
        drafts: known.entries.iter().filter(|entry| entry.has_gaps).count(),
        duplicates: noted.len() - at_odds,
    })
}

/// The entries that can be relied on most. What was never of use, nor confirmed by anybody, is not among them unless it is pinned.
fn believed(known: &BriefingFacts<'_>, fallen: &BTreeMap<EntryKey, Verdict>) -> Result<Vec<Believed>> {
    let mut order: Vec<usize> = (0..known.entries.len())
        .filter(|at| {
            let entry = known.entries[*at];
            let proven = entry.status == Status::Verified || entry.status == Status::Active;
            (entry.pinned || proven) && !entry.has_gaps && !fallen.contains_key(&entry.key)
        })
        .collect();
    order.sort_by(|a, b| {
        let place = |at: usize| (!known.entries[at].pinned, known.entries[at].status != Status::Verified);
        let means = known.beliefs[*b].now.mean().total_cmp(&known.beliefs[*a].now.mean());
        let seen = known.beliefs[*b].observations().total_cmp(&known.beliefs[*a].observations());
        let keys = || known.entries[*a].key.cmp(&known.entries[*b].key);
        place(*a).cmp(&place(*b)).then(means).then(seen).then_with(keys)
    });
    let mut lines = Vec::new();
    for at in order.into_iter().take(BELIEVED_MAX) {
        let Some(stored) = known.ledger.stored(known.entries[at].key)? else { continue };
        let mut marks = vec![stored.entry.status.label(), deliver::confidence(&stored, known.now)];
        if stored.overlay.pinned.is_some() {
            marks.insert(0, "pinned");
        }
        // SUR-8: what was tried and did not work is no advice.
        if stored.entry.fields.outcome == Some(SpikeOutcome::Rejected) {
            marks.push("quarantined");
        }
        let failures = deliver::failures(known.ledger, &[&stored])?.pop().unwrap_or_default();
        marks.extend(failures.lines());
        let [line, claim] = [CLAIM_CHARS_MAX, WHOLE_CLAIM_CHARS_MAX]
            .map(|chars| format!("{} · {}", deliver::headline(&stored, chars), marks.join(", ")));
        let claim = if claim == line { String::new() } else { claim };
        lines.push(Believed { entry: known.entries[at].head(), line, claim });
    }
    Ok(lines)
}

/// `1 entry`, `3 entries`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
