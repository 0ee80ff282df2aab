//! `health`: how a whole store stands, and which of its figures are over their limits (HEA-1).
//!
//! Everything is read off columns, and no code is judged: what is said of validity is what is remembered. The same state gives the same
//! figures.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::drift::{Limits, Recommendation};
use ken_core::friction::{self, Record, Span, Thousandths, Trend};
use ken_core::limits::NORM_STALE_DAYS;
use ken_core::score::days_between;
use ken_core::words::one_line;
use ken_core::{Entry, EntryKey, Memory, Millis, Scope, Type, Verdict, gate};
use serde::{Deserialize, Serialize};

use super::friction::recorded;
use crate::deliver;
use crate::error::Result;
pub use crate::limits::ops_health::{DEBT_NEAR, FRICTION_DAYS, NAMED_MAX};
use crate::ports::{Presence, Repository};
use crate::projection::Projection;
use crate::upkeep::UpkeepEntry;

const DAY: i64 = 86_400_000;
const WEEK_DAYS: i64 = 7;

/// What the world around a store says of it.
pub struct Surroundings<'a> {
    /// The repository that entries cite; none where they speak of no one repository.
    pub repository: Option<&'a dyn Repository>,
    /// What is remembered of the code; none where nobody looked at it yet.
    pub judged: Option<BTreeMap<EntryKey, Verdict>>,
    /// Which norms contradicted each other when somebody last looked.
    pub clashes: Option<Clashes>,
    /// How the ledger and the index stand.
    pub index: IndexState,
    /// From where on drift is a signal.
    pub drift: Limits,
    /// REV-4: the debt at which an entry is archived.
    pub debt_limit: u32,
    /// The line of work; records of other ones are not counted.
    pub thread: Option<&'a str>,
    /// The time it is.
    pub now: Millis,
}

/// How the ledger and its index stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IndexState {
    /// Entries that wait for a vector; none where no model is in use.
    pub backlog: Option<usize>,
    /// Lines of ledger files that cannot be read.
    pub problems: usize,
    /// Events of the journal that are not written out yet.
    pub waiting: usize,
}

/// How a store stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HealthReport {
    /// When it was made: the one thing that differs where nothing else does.
    pub made_at: Millis,
    /// What there is.
    pub counts: Counts,
    /// Norms that nobody confirmed for long.
    pub staleness: Staleness,
    /// Norms that contradict each other.
    pub contradictions: Contradictions,
    /// What nobody keeps up (DRI-1), as far as columns tell.
    pub drift: DriftCounts,
    /// What no longer holds, as far as is remembered; none where nobody looked yet.
    pub validity: Option<ValidityCounts>,
    /// What got in the way.
    pub friction: FrictionCounts,
    /// What reviews were told again and again, and nobody found.
    pub debt: Debt,
    /// What lacks a part that its type needs (ENT-5).
    pub gaps: Gaps,
    /// How the ledger and its index stand.
    pub index: IndexState,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Semantic and procedural entries, whatever their status.
    pub entries: usize,
    /// Those that are handed out here.
    pub handed_out: usize,
    /// All of them, and the records, by memory, type and status.
    pub by: Vec<Count>,
}

/// Entries of one memory, type and status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Count {
    pub memory: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub status: String,
    pub count: usize,
}

/// Norms that nobody confirmed for long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Staleness {
    /// Norms that are handed out.
    pub norms: usize,
    /// Those that nobody confirmed for so many days.
    pub stale: usize,
    pub days: i64,
    /// Some of them, the longest first.
    pub entries: Vec<String>,
}

/// Norms that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contradictions {
    /// How many pairs.
    pub count: usize,
    /// Some of them.
    pub pairs: Vec<Clash>,
    /// The same for remembering: names, and nothing of what they say.
    #[serde(skip)]
    pub clashes: Clashes,
}

/// Which norms contradict each other, without a word of what they say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Clashes {
    /// Names the norms that were compared, with what they say; empty where nobody can tell whether they changed.
    pub norms: String,
    /// How many pairs.
    pub count: usize,
    /// The first of them.
    pub first: Vec<(EntryKey, EntryKey)>,
}

/// Two norms of which one contradicts the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Clash {
    /// The two, by their ids.
    pub entries: [String; 2],
    pub why: String,
}

/// Signals of DRI-1, counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriftCounts {
    /// Not confirmed for long.
    pub stale: usize,
    /// More than anybody reads.
    pub bloated: usize,
    /// Found to be a fault here and none there, at the same place.
    pub contradictory: usize,
    /// Citing a file that is gone; none where there is no repository around.
    pub orphaned: Option<usize>,
    /// Some of those, by their ids.
    pub orphans: Vec<String>,
    pub recommendation: Recommendation,
}

/// What no longer holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ValidityCounts {
    /// Entries that rest on something that is gone.
    pub broken: usize,
    /// In a hundred of those that are handed out, rounded up.
    pub broken_percent: usize,
    /// Entries whose code changed.
    pub drifted: usize,
    /// Some of the broken ones.
    pub entries: Vec<String>,
}

/// What got in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrictionCounts {
    /// Over so many days.
    pub days: i64,
    /// How many records.
    pub records: usize,
    /// How many in as long a time before.
    pub before: usize,
    /// What that means.
    pub trend: Option<Trend>,
    /// In the last seven days.
    pub week: usize,
    /// What those took that say so, in minutes.
    pub minutes: Thousandths,
    /// How many say so.
    pub timed: usize,
    /// The costliest cause, and by what it is that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costliest: Option<String>,
    /// Some records of the last seven days, the latest first.
    pub entries: Vec<String>,
}

/// What reviews were told again and again, and nobody found (REV-4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Debt {
    /// The debt at which an entry is archived, or flagged if it is a norm.
    pub limit: u32,
    /// Entries that are close to it.
    pub near: usize,
    /// Entries that are there.
    pub over: usize,
    /// Some of both, those that owe most first.
    pub entries: Vec<Owing>,
}

/// An entry that owes a confirmation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Owing {
    pub id: String,
    /// In how many reviews it was told since anybody found it.
    pub debt: u32,
}

/// What lacks a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gaps {
    pub count: usize,
    /// In a hundred of those that are handed out, rounded up.
    pub percent: usize,
    /// Some of them.
    pub entries: Vec<String>,
}

/// Looks at everything once. `counted` are the entries by memory, type and status.
pub fn report(
    ledger: &dyn Projection,
    counted: Vec<Count>,
    around: &Surroundings<'_>,
) -> Result<HealthReport> {
    let tended = ledger.tended()?;
    let all: Vec<&UpkeepEntry> = tended.iter().filter(|one| one.counts()).collect();
    let places = ledger.places()?;
    let mut notes = Vec::new();
    if around.judged.is_none() {
        notes.push("the code was not checked yet, so broken entries are unknown: run `ken check`".to_owned());
    }
    if around.repository.is_none() {
        notes.push("this store belongs to no single repository, so missing files are not counted".to_owned());
    }
    if around.index.backlog.is_none() {
        notes.push("no embedding model is configured, so no entry lacks an embedding".to_owned());
    }
    if all.iter().any(|one| one.kind.known() == Some(Type::FalsePositive)) {
        notes.push(
            "findings and false positives are compared by location only; `ken drift` compares their text"
                .to_owned(),
        );
    }
    Ok(HealthReport {
        made_at: around.now,
        counts: Counts { entries: tended.len(), handed_out: all.len(), by: counted },
        staleness: staleness(ledger, &all, around.now)?,
        contradictions: contradictions(ledger, &all, around.clashes.as_ref())?,
        drift: drift(ledger, &all, &places, around)?,
        validity: match &around.judged {
            Some(judged) => Some(validity(ledger, &all, judged)?),
            None => None,
        },
        friction: friction_counts(ledger, around)?,
        debt: debt(ledger, &all, around.debt_limit)?,
        gaps: gaps(ledger, &all)?,
        index: around.index.clone(),
        notes,
    })
}

/// So many in a hundred, rounded up: a limit of 20 is over from the first entry above a fifth.
fn percent(part: usize, whole: usize) -> usize {
    if whole == 0 { 0 } else { (part * 100).div_ceil(whole) }
}

/// The ids of the first of some entries.
fn named(ledger: &dyn Projection, keys: impl IntoIterator<Item = EntryKey>) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for key in keys.into_iter().take(NAMED_MAX) {
        ids.extend(ledger.stored(key)?.map(|stored| stored.id));
    }
    Ok(ids)
}

fn staleness(ledger: &dyn Projection, all: &[&UpkeepEntry], now: Millis) -> Result<Staleness> {
    let norms = all.iter().filter(|one| one.memory == Memory::Procedural);
    let mut stale: Vec<&&UpkeepEntry> =
        norms.clone().filter(|one| days_between(one.dated(), now) > NORM_STALE_DAYS).collect();
    stale.sort_by_key(|one| (one.dated(), one.key));
    Ok(Staleness {
        norms: norms.count(),
        stale: stale.len(),
        days: NORM_STALE_DAYS,
        entries: named(ledger, stale.iter().map(|one| one.key))?,
    })
}

/// Norms that contradict each other: by what they say, or because somebody tied them so.
fn contradictions(
    ledger: &dyn Projection,
    all: &[&UpkeepEntry],
    remembered: Option<&Clashes>,
) -> Result<Contradictions> {
    let among: Vec<EntryKey> =
        all.iter().filter(|one| one.memory == Memory::Procedural).map(|one| one.key).collect();
    let name = ledger.norms_print()?.map(|print| {
        let keys: String = among.iter().map(EntryKey::to_string).collect();
        format!("{print:016x}{}", &blake3::hash(keys.as_bytes()).to_hex()[..16])
    });
    let name = name.unwrap_or_default();
    let clashes = match remembered.filter(|remembered| !name.is_empty() && remembered.norms == name) {
        Some(remembered) => remembered.clone(),
        None => {
            let mut norms = Vec::new();
            for key in &among {
                norms.extend(ledger.stored(*key)?.map(|stored| stored.entry));
            }
            let norms: Vec<&Entry> = norms.iter().collect();
            let found = gate::contradictions(&norms);
            let first = found.iter().take(NAMED_MAX).map(|(one, other, _)| (one.key, other.key)).collect();
            Clashes { norms: name, count: found.len(), first }
        }
    };
    let mut pairs = Vec::new();
    for (one, other) in &clashes.first {
        let (Some(one), Some(other)) = (ledger.stored(*one)?, ledger.stored(*other)?) else { continue };
        let (one, other) = (one.entry, other.entry);
        let why = gate::contradictions(&[&one, &other]).into_iter().next().map(|(_, _, why)| why);
        pairs.push(Clash { entries: [one.id(), other.id()], why: why.unwrap_or_default() });
    }
    Ok(Contradictions { count: clashes.count, pairs, clashes })
}

fn drift(
    ledger: &dyn Projection,
    all: &[&UpkeepEntry],
    places: &[(String, EntryKey)],
    around: &Surroundings<'_>,
) -> Result<DriftCounts> {
    let limits = around.drift;
    let stale = all.iter().filter(|one| days_between(one.dated(), around.now) > limits.stale_days).count();
    let mut reviewers: BTreeMap<&str, usize> = BTreeMap::new();
    for one in all {
        if let Some(reviewer) = one.reviewer.as_deref() {
            *reviewers.entry(reviewer).or_default() += 1;
        }
    }
    let bloated = reviewers.values().map(|count| count.saturating_sub(limits.entries_max)).sum();
    let contradictory = disputed(all, places);
    let orphans =
        around.repository.map(|repository| orphans(all, places, repository, around.judged.as_ref()));
    let recommendation = match (contradictory, stale + bloated + orphans.as_ref().map_or(0, BTreeSet::len)) {
        (0, 0) => Recommendation::Healthy,
        (0, _) => Recommendation::NeedsPruning,
        (_, _) => Recommendation::NeedsReview,
    };
    Ok(DriftCounts {
        stale,
        bloated,
        contradictory,
        orphaned: orphans.as_ref().map(BTreeSet::len),
        orphans: named(ledger, orphans.into_iter().flatten())?,
        recommendation,
    })
}

/// How many entries find a fault at a place that others say has none, and those others.
fn disputed(all: &[&UpkeepEntry], places: &[(String, EntryKey)]) -> usize {
    let side = |one: &UpkeepEntry| match one.kind.known() {
        Some(Type::Pattern | Type::Incident | Type::Lesson) => Some(0),
        Some(Type::FalsePositive) => Some(1),
        Some(_) | None => None,
    };
    let sides: Vec<(EntryKey, usize)> =
        all.iter().filter_map(|one| side(one).map(|side| (one.key, side))).collect();
    if !sides.iter().any(|(_, side)| *side == 1) {
        return 0;
    }
    // They are by key, as everything that is tended is.
    let side_of =
        |key: &EntryKey| sides.binary_search_by_key(key, |(key, _)| *key).ok().map(|at| sides[at].1);
    let (side_of, mut disputed) = (&side_of, BTreeSet::new());
    for at_one in places.chunk_by(|one, other| one.0 == other.0) {
        let of = |wanted: usize| at_one.iter().filter(move |(_, key)| side_of(key) == Some(wanted));
        if of(0).next().is_some() && of(1).next().is_some() {
            disputed.extend(of(0).chain(of(1)).map(|(_, key)| *key));
        }
    }
    disputed.len()
}

/// Entries with an anchor in a file that is gone, unless it is remembered that their code was found elsewhere.
fn orphans(
    all: &[&UpkeepEntry],
    places: &[(String, EntryKey)],
    repository: &dyn Repository,
    judged: Option<&BTreeMap<EntryKey, Verdict>>,
) -> BTreeSet<EntryKey> {
    let counted = |key: &EntryKey| all.binary_search_by_key(key, |one| one.key).is_ok();
    let mut orphans = BTreeSet::new();
    for at_one in places.chunk_by(|one, other| one.0 == other.0) {
        let (path, _) = &at_one[0];
        let leads_out = ken_core::fields::relative_path(path).is_err();
        if !leads_out && repository.path(path) == Presence::Absent {
            let here = at_one.iter().map(|(_, key)| *key).filter(counted);
            let is_moved =
                |key: &EntryKey| judged.and_then(|judged| judged.get(key)) == Some(&Verdict::Moved);
            orphans.extend(here.filter(|key| !is_moved(key)));
        }
    }
    orphans
}

fn validity(
    ledger: &dyn Projection,
    all: &[&UpkeepEntry],
    judged: &BTreeMap<EntryKey, Verdict>,
) -> Result<ValidityCounts> {
    let with =
        |verdict: Verdict| all.iter().map(|one| one.key).filter(move |key| judged.get(key) == Some(&verdict));
    let broken: Vec<EntryKey> = with(Verdict::Broken).collect();
    let drifted = with(Verdict::Drifted).count();
    Ok(ValidityCounts {
        broken: broken.len(),
        broken_percent: percent(broken.len(), all.len()),
        drifted,
        entries: named(ledger, broken)?,
    })
}

fn friction_counts(ledger: &dyn Projection, around: &Surroundings<'_>) -> Result<FrictionCounts> {
    let now = around.now;
    let span = Span { since: Some(Millis(now.0 - FRICTION_DAYS * DAY)), now };
    let earliest = span.earliest().map(|earliest| Millis(earliest.0.max(0)));
    let episodes = ledger.episodes(Type::Friction, earliest, around.thread)?;
    let records: Vec<Record> = episodes.into_iter().map(recorded).collect();
    let week = |record: &&Record| record.at.0 >= now.0 - WEEK_DAYS * DAY;
    let latest = records.iter().rev().filter(week).map(|record| record.id.clone());
    let report = friction::report(&records, span);
    let costliest = report.costliest.as_ref().and_then(|costliest| {
        let first = one_line(&deliver::safe(costliest.causes.first()?), 80);
        Some(format!("{first} (by {})", costliest.by))
    });
    Ok(FrictionCounts {
        days: FRICTION_DAYS,
        records: report.total.records,
        before: report.total.before.unwrap_or(0),
        trend: report.total.trend,
        week: records.iter().filter(week).count(),
        minutes: report.total.minutes,
        timed: report.total.timed,
        costliest,
        entries: latest.take(NAMED_MAX).collect(),
    })
}

fn debt(ledger: &dyn Projection, all: &[&UpkeepEntry], limit: u32) -> Result<Debt> {
    let of = |key: &EntryKey| all.binary_search_by_key(key, |one| one.key).ok().map(|at| all[at]);
    let mut owed: BTreeMap<EntryKey, BTreeMap<String, u32>> = BTreeMap::new();
    for (key, injected) in ledger.injections()? {
        let counts = of(&key).is_some_and(|one| {
            let since = one.confirmed.is_none_or(|confirmed| injected.clock > confirmed);
            since && one.kind.known() != Some(Type::FalsePositive)
        });
        if counts {
            *owed.entry(key).or_default().entry(injected.project).or_default() += 1;
        }
    }
    let near = limit.saturating_sub(DEBT_NEAR).max(1);
    let mut owing: Vec<(u32, EntryKey)> = Vec::new();
    for (key, by_project) in owed {
        // A global entry has a debt in each project (REV-4).
        let debt = match of(&key).map(|one| one.scope) {
            Some(Scope::Global) => by_project.into_values().max().unwrap_or(0),
            Some(Scope::Thread | Scope::Project) | None => by_project.into_values().sum(),
        };
        if debt >= near {
            owing.push((debt, key));
        }
    }
    owing.sort_by_key(|(debt, key)| (std::cmp::Reverse(*debt), *key));
    let over = owing.iter().filter(|(debt, _)| *debt >= limit).count();
    let mut entries = Vec::new();
    for (debt, key) in owing.iter().take(NAMED_MAX) {
        entries.extend(named(ledger, [*key])?.pop().map(|id| Owing { id, debt: *debt }));
    }
    Ok(Debt { limit, near: owing.len() - over, over, entries })
}

fn gaps(ledger: &dyn Projection, all: &[&UpkeepEntry]) -> Result<Gaps> {
    let lacking: Vec<EntryKey> = all.iter().filter(|one| one.has_gaps).map(|one| one.key).collect();
    Ok(Gaps {
        count: lacking.len(),
        percent: percent(lacking.len(), all.len()),
        entries: named(ledger, lacking)?,
    })
}

/// A figure that has a limit.
pub struct Threshold {
    /// Its name, which is also that of its setting: `health.NAME`.
    pub name: &'static str,
    pub setting: &'static str,
    /// Its limit where nobody set another one.
    pub default: &'static str,
    /// The highest limit that can be set.
    pub most: i64,
    /// What it is about, with the unit.
    pub about: &'static str,
    look: fn(&HealthReport) -> Option<Figure>,
    /// What to do when it is over. `ID` stands for an entry.
    pub actions: &'static [&'static str],
}

/// A figure, and whom it concerns.
struct Figure {
    value: usize,
    entries: Vec<String>,
    concerned: usize,
}

impl Figure {
    fn new(value: usize, concerned: usize, entries: &[String]) -> Option<Figure> {
        Some(Figure { value, concerned, entries: entries.to_vec() })
    }

    /// One that is about no entry.
    fn bare(value: usize) -> Option<Figure> {
        Figure::new(value, 0, &[])
    }
}

/// Every figure that has a limit, in the order in which they are told.
pub const THRESHOLDS: &[Threshold] = &[
    Threshold {
        name: "contradictions",
        setting: "health.contradictions",
        default: "0",
        most: 1_000_000,
        about: "pairs of contradictory norms",
        look: |report| {
            let ids: Vec<String> =
                report.contradictions.pairs.iter().flat_map(|pair| pair.entries.clone()).collect();
            Figure::new(report.contradictions.count, 2 * report.contradictions.count, &ids)
        },
        actions: &["ken show ID", "ken supersede ID NEW --reason '...'", "ken retract ID --reason '...'"],
    },
    Threshold {
        name: "stale_norms",
        setting: "health.stale_norms",
        default: "0",
        most: 1_000_000,
        about: "norms not confirmed for 90 days",
        look: |report| Figure::new(report.staleness.stale, report.staleness.stale, &report.staleness.entries),
        actions: &["ken confirm ID", "ken supersede ID NEW --reason '...'", "ken retract ID --reason '...'"],
    },
    Threshold {
        name: "gaps_percent",
        setting: "health.gaps_percent",
        default: "20",
        most: 100,
        about: "percent of entries without evidence, anchor or step",
        look: |report| Figure::new(report.gaps.percent, report.gaps.count, &report.gaps.entries),
        actions: &["ken queue", "ken edit ID --evidence KIND:REF --anchor PATH --verify TEXT"],
    },
    Threshold {
        name: "broken_percent",
        setting: "health.broken_percent",
        default: "10",
        most: 100,
        about: "percent of entries broken in the last check",
        look: |report| {
            let validity = report.validity.as_ref()?;
            Figure::new(validity.broken_percent, validity.broken, &validity.entries)
        },
        actions: &["ken check", "ken check ID --accept", "ken retract ID --reason '...'"],
    },
    Threshold {
        name: "orphaned_percent",
        setting: "health.orphaned_percent",
        default: "10",
        most: 100,
        about: "percent of entries that cite a deleted file",
        look: |report| {
            let orphaned = report.drift.orphaned?;
            Figure::new(percent(orphaned, report.counts.handed_out), orphaned, &report.drift.orphans)
        },
        actions: &["ken drift", "ken drift --prune"],
    },
    Threshold {
        name: "debt_over",
        setting: "health.debt_over",
        default: "10",
        most: 1_000_000,
        about: "entries at or near the review debt limit",
        look: |report| {
            let ids: Vec<String> = report.debt.entries.iter().map(|one| one.id.clone()).collect();
            Figure::new(report.debt.near + report.debt.over, report.debt.near + report.debt.over, &ids)
        },
        actions: &["ken why ID", "ken confirm ID"],
    },
    Threshold {
        name: "friction_week",
        setting: "health.friction_week",
        default: "10",
        most: 1_000_000,
        about: "friction events in the last seven days",
        look: |report| Figure::new(report.friction.week, report.friction.week, &report.friction.entries),
        actions: &["ken friction report --since 7d"],
    },
    Threshold {
        name: "backlog",
        setting: "health.backlog",
        default: "500",
        most: 1_000_000,
        about: "entries without an embedding",
        look: |report| Figure::bare(report.index.backlog?),
        actions: &["ken rebuild --embeddings"],
    },
    Threshold {
        name: "problems",
        setting: "health.problems",
        default: "0",
        most: 1_000_000,
        about: "unreadable lines in ledger files",
        look: |report| Figure::bare(report.index.problems),
        actions: &["ken verify", "ken verify --fix"],
    },
    Threshold {
        name: "waiting",
        setting: "health.waiting",
        default: "5000",
        most: 1_000_000,
        about: "journal events not yet in ledger files",
        look: |report| Figure::bare(report.index.waiting),
        actions: &["ken commit --no-commit", "ken commit"],
    },
];

/// A figure beside its limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    pub threshold: &'static str,
    /// The setting that holds its limit.
    pub setting: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// What it is; none where nobody can tell.
    pub value: Option<usize>,
    /// What it may be at most.
    pub limit: usize,
    /// Whether it is more.
    pub tripped: bool,
    /// Some of the entries it concerns.
    pub entries: Vec<String>,
    /// How many more it concerns.
    pub more: usize,
    /// What to do.
    pub actions: Vec<String>,
}

/// What `health review` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HealthReview {
    /// When it was made.
    pub made_at: Millis,
    /// How many figures are over their limits.
    pub tripped: usize,
    /// Every figure that has a limit.
    pub thresholds: Vec<Compared>,
    /// What was left out of the figures, and why.
    pub notes: Vec<String>,
}

impl HealthReview {
    /// Figures that are over their limits.
    pub fn over(&self) -> impl Iterator<Item = &Compared> {
        self.thresholds.iter().filter(|one| one.tripped)
    }
}

/// Compares figures with their limits.
pub fn review(report: &HealthReport, limit: &dyn Fn(&'static str) -> usize) -> HealthReview {
    let thresholds: Vec<Compared> =
        THRESHOLDS.iter().map(|one| compare(one, report, limit(one.setting))).collect();
    HealthReview {
        made_at: report.made_at,
        tripped: thresholds.iter().filter(|one| one.tripped).count(),
        thresholds,
        notes: report.notes.clone(),
    }
}

fn compare(threshold: &Threshold, report: &HealthReport, limit: usize) -> Compared {
    let figure = (threshold.look)(report);
    let tripped = figure.as_ref().is_some_and(|figure| figure.value > limit);
    let value = figure.as_ref().map(|figure| figure.value);
    let figure = figure.filter(|_| tripped);
    let entries = figure.as_ref().map(|figure| figure.entries.clone()).unwrap_or_default();
    let first = entries.first().map_or("ID", String::as_str);
    let actions = threshold.actions.iter().filter(|_| tripped).map(|action| action.replace("ID", first));
    Compared {
        threshold: threshold.name,
        setting: threshold.setting,
        about: threshold.about,
        value,
        limit,
        tripped,
        more: figure.map_or(0, |figure| figure.concerned.saturating_sub(entries.len())),
        actions: actions.collect(),
        entries,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundredth_is_rounded_up_so_that_a_limit_means_what_it_says() {
        let table = [
            (0, 0, 0),
            (0, 7, 0),
            (1, 5, 20),
            (21, 100, 21),
            (201, 1_000, 21),
            (200, 1_000, 20),
            (3, 3, 100),
        ];
        for (part, whole, hundredths) in table {
            assert_eq!(percent(part, whole), hundredths, "{part} of {whole}");
        }
    }

    #[test]
    fn every_threshold_has_a_setting_of_its_name_and_says_what_to_do() {
        for one in THRESHOLDS {
            assert_eq!(one.setting, format!("health.{}", one.name));
            assert!(one.default.parse::<i64>().is_ok_and(|limit| limit <= one.most), "{}", one.name);
            assert!(one.actions.iter().all(|action| action.starts_with("ken ")), "{}", one.name);
        }
    }
}
