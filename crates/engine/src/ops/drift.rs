//! `drift`: what nobody keeps up, and putting away what a person says may go (DRI-1).

use std::collections::{BTreeSet, HashMap};

use ken_core::drift::{self, CitedPath, Drift, Limits, Subject};
use ken_core::reviewers;
use ken_core::words::nearest;
use ken_core::{Code, EntryHead, EntryKey, Memory, Millis, Refusal, decide};
use serde::Serialize;

use super::check::{ByCode, Summary};
use super::context;
use crate::error::Result;
use crate::ledger::Ledger;
use crate::ports::{Presence, Repository, Writer};
use crate::projection::Projection;
use crate::query::{Query, Sort};

/// What `drift` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriftAnswer {
    /// What was found.
    #[serde(flatten)]
    pub drift: Drift,
    /// How the same entries stand by their code, in the verdicts of `check`.
    pub check: Summary,
    /// What a person may put away.
    #[serde(skip)]
    pub prunable: Vec<Prunable>,
    /// What is stale or orphaned and stays all the same.
    #[serde(skip)]
    pub kept: Vec<Kept>,
}

/// An entry that a person may put away.
#[derive(Clone, Debug)]
pub struct Prunable {
    /// Its name in events.
    pub key: EntryKey,
    /// The fields that every answer has.
    pub head: EntryHead,
    /// Why it may go.
    pub why: String,
}

/// An entry that stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kept {
    /// The fields that every answer has.
    #[serde(flatten)]
    pub head: EntryHead,
    /// Why it stays.
    pub why: String,
}

/// Looks at everything that is handed out here, or at one reviewer's. Without a repository around, no path can be gone.
///
/// `by_code` is what [`super::check::by_code`] says of the same entries: what it calls drifted or broken is never called healthy here.
pub fn drift(
    ledger: &dyn Projection,
    repository: Option<&dyn Repository>,
    by_code: &HashMap<EntryKey, ByCode>,
    reviewer: Option<&str>,
    limits: Limits,
    now: Millis,
) -> Result<DriftAnswer> {
    let mut places = repository.map(Places::new);
    let mut subjects = ledger.drifting(reviewer)?;
    let mut check = Summary::default();
    for subject in &mut subjects {
        let found = by_code.get(&subject.key);
        if let Some(places) = &mut places {
            subject.gone = places.gone(&subject.cited, found);
        }
        if let Some(found) = found {
            check.count(found.verdict, found.moved.len());
            subject.fallen = found.fallen.clone().map(|why| (found.verdict, why));
        }
    }
    subjects.sort_unstable_by(|one, other| (&one.head.id, one.key).cmp(&(&other.head.id, other.key)));
    let drift = drift::drift(&subjects, reviewer, limits, now);
    let (prunable, kept) = sorted_out(ledger, &subjects, &drift);
    Ok(DriftAnswer { drift, check, prunable, kept })
}

/// The paths of a repository that were asked for: many entries cite the same ones.
struct Places<'a> {
    repository: &'a dyn Repository,
    known: HashMap<String, Presence>,
}

impl<'a> Places<'a> {
    fn new(repository: &'a dyn Repository) -> Places<'a> {
        Places { repository, known: HashMap::new() }
    }

    fn presence(&mut self, path: &str) -> Presence {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let presence = self.repository.path(path);
        self.known.insert(path.to_owned(), presence);
        presence
    }

    /// The paths that an entry cites and that are gone. Code that was found again elsewhere is not gone (VAL-3).
    fn gone(&mut self, cited: &[CitedPath], found: Option<&ByCode>) -> Vec<String> {
        let mut gone = Vec::new();
        for cited in cited {
            let first_part = cited.path.split('/').next().unwrap_or(&cited.path);
            let is_gone = self.presence(&cited.path) == Presence::Absent
                && (cited.sure || self.presence(first_part) == Presence::Present);
            let went_elsewhere =
                |at: &String| found.is_some_and(|found| found.moved.iter().any(|moved| moved == at));
            if is_gone && !cited.anchor.as_ref().is_some_and(went_elsewhere) {
                gone.push(cited.path.clone());
            }
        }
        gone
    }
}

/// What may be put away and what stays: stale and orphaned entries, told apart.
fn sorted_out(ledger: &dyn Projection, subjects: &[Subject], drift: &Drift) -> (Vec<Prunable>, Vec<Kept>) {
    let reports = drift.reviewers.iter().map(|one| &one.report).chain(&drift.store);
    let mut whys: HashMap<EntryKey, Vec<&str>> = HashMap::new();
    let mut disputed: BTreeSet<EntryKey> = BTreeSet::new();
    for report in reports {
        for sign in report.signals.stale.iter().chain(&report.signals.orphaned) {
            let whys = whys.entry(sign.key).or_default();
            if !whys.contains(&sign.why.as_str()) {
                whys.push(&sign.why);
            }
        }
        disputed.extend(report.signals.contradictory.iter().map(|sign| sign.key));
    }
    let (mut prunable, mut kept) = (Vec::new(), Vec::new());
    for subject in subjects {
        let (key, head) = (subject.key, &subject.head);
        let Some(whys) = whys.get(&key) else { continue };
        let stays = if head.memory == Memory::Procedural {
            Some("it is procedural: reported, never archived by drift")
        } else if ledger.overlay(key).pinned.is_some() {
            Some("it is pinned in this clone")
        } else if disputed.contains(&key) {
            Some("it is contradictory: first find out which side is right")
        } else {
            None
        };
        match stays {
            Some(why) => kept.push(Kept { head: head.clone(), why: why.to_owned() }),
            None => prunable.push(Prunable { key, head: head.clone(), why: whys.join("; ") }),
        }
    }
    (prunable, kept)
}

/// Puts away what a person chose, in one atomic write. `ken restore` brings each back.
pub fn prune(ledger: &mut Ledger, chosen: &[Prunable], writer: &Writer) -> Result<Vec<String>> {
    let context = context(ledger, writer)?;
    let (mut intents, mut ids) = (Vec::new(), Vec::new());
    for one in chosen {
        if let Some(stored) = ledger.stored(one.key)? {
            let reason = format!("pruned: {}", one.why);
            intents.extend(decide::archive(&stored.entry, reason, &context)?);
            ids.push(stored.id);
        }
    }
    ledger.append(intents, writer)?;
    Ok(ids)
}

/// How many entries each reviewer has here.
pub fn reviewers(ledger: &dyn Projection) -> Result<Vec<(String, usize)>> {
    let mut counts: std::collections::BTreeMap<String, usize> = Default::default();
    ledger.each(&Query { sort: Sort::Any, ..Query::default() }, &mut |stored| {
        if let Some(reviewer) = stored.entry.fields.reviewer {
            *counts.entry(reviewer).or_default() += 1;
        }
        Ok(())
    })?;
    Ok(counts.into_iter().collect())
}

/// What to say of a reviewer that nobody knows: it has no entry, does not ship, and is in no setting. `named` are those of the settings.
pub fn unknown_reviewer(ledger: &dyn Projection, name: &str, named: &[String]) -> Result<Option<Refusal>> {
    let counts = reviewers(ledger)?;
    let is_known = counts.iter().any(|(known, _)| known == name)
        || reviewers::keywords(name).is_some()
        || named.iter().any(|known| known == name);
    if is_known {
        return Ok(None);
    }
    let known = counts.iter().map(|(known, _)| known.as_str()).chain(named.iter().map(String::as_str));
    let known = known.chain(reviewers::SHIPPED.iter().map(|reviewer| reviewer.name));
    let near = nearest(name, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let there: Vec<String> = counts.iter().map(|(known, count)| format!("{known} ({count})")).collect();
    let there = match there.is_empty() {
        true => "no entry has a reviewer yet".to_owned(),
        false => format!("there are {}", there.join(", ")),
    };
    Ok(Some(
        Refusal::new(Code::NotFound, format!("unknown reviewer {name:?}{near}"))
            .hint(format!("{there}; set one with `ken add ... --reviewer NAME`"))
            .field("reviewer"),
    ))
}
