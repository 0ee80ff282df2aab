//! `drift`: what nobody keeps up, and putting away what a person says may go (DRI-1).

use std::collections::{BTreeSet, HashMap};

use ken_core::drift::{self, Drift, Limits, Sign, Subject};
use ken_core::reviewers;
use ken_core::words::nearest;
use ken_core::{Code, EntryHead, EntryKey, Memory, Millis, Refusal, Verdict, decide};
use serde::Serialize;

use super::check::{Checked, Summary};
use super::context;
use crate::error::Result;
use crate::ports::{Effort, Ground, Ledger, Presence, Repository, Stored, Writer};
use crate::query::{Query, Sort};
use crate::validity::judge_stored;
use crate::view;

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
/// `checked` is what `check` says of the same entries: what it calls drifted or broken is never called healthy here.
pub fn drift(
    ledger: &dyn Ledger,
    repository: Option<&dyn Repository>,
    ground: &mut dyn Ground,
    checked: &[Checked],
    reviewer: Option<&str>,
    limits: Limits,
    now: Millis,
) -> Result<DriftAnswer> {
    let query = Query {
        memories: vec![Memory::Semantic, Memory::Procedural],
        reviewer: reviewer.map(str::to_owned),
        sort: Sort::Id,
        ..Query::default()
    };
    let mut entries = ledger.list(&query)?.entries;
    let mut gone = Vec::with_capacity(entries.len());
    for stored in &mut entries {
        gone.push(match repository {
            Some(repository) => gone_paths(ledger, repository, ground, stored)?,
            None => Vec::new(),
        });
    }
    let by_key: HashMap<EntryKey, &Checked> = checked.iter().map(|one| (one.key, one)).collect();
    let subjects: Vec<Subject<'_>> = entries
        .iter()
        .zip(gone)
        .map(|(stored, gone)| Subject {
            head: view::head(stored),
            entry: &stored.entry,
            gone,
            fallen: by_key.get(&stored.entry.key).and_then(|checked| checked.fallen()),
        })
        .collect();
    let drift = drift::drift(&subjects, reviewer, limits, now);
    let (prunable, kept) = sorted_out(&entries, &drift);
    let check = Summary::new(entries.iter().filter_map(|stored| by_key.get(&stored.entry.key).copied()));
    Ok(DriftAnswer { drift, check, prunable, kept })
}

/// The paths that an entry cites and that are gone. Code that was found again elsewhere is not gone (VAL-3).
fn gone_paths(
    ledger: &dyn Ledger,
    repository: &dyn Repository,
    ground: &mut dyn Ground,
    stored: &mut Stored,
) -> Result<Vec<String>> {
    let first_part = |path: &str| path.split('/').next().unwrap_or(path).to_owned();
    let mut gone = drift::cited_paths(&stored.entry);
    gone.retain(|cited| {
        repository.path(&cited.path) == Presence::Absent
            && (cited.sure || repository.path(&first_part(&cited.path)) == Presence::Present)
    });
    if gone.iter().any(|cited| cited.anchor.is_some()) {
        judge_stored(ledger, ground, &mut [stored], Effort::Thorough)?;
        let went_elsewhere = |at: &String| {
            let judged = stored.validity.anchors.iter();
            judged.filter(|anchor| anchor.at == *at).any(|anchor| anchor.found.verdict == Verdict::Moved)
        };
        gone.retain(|cited| !cited.anchor.as_ref().is_some_and(went_elsewhere));
    }
    Ok(gone.into_iter().map(|cited| cited.path).collect())
}

/// What may be put away and what stays: stale and orphaned entries, told apart.
fn sorted_out(entries: &[Stored], drift: &Drift) -> (Vec<Prunable>, Vec<Kept>) {
    let reports = drift.reviewers.iter().map(|one| &one.report).chain(&drift.store);
    let (mut signs, mut disputed): (Vec<&Sign>, BTreeSet<EntryKey>) = Default::default();
    for report in reports {
        signs.extend(report.signals.stale.iter().chain(&report.signals.orphaned));
        disputed.extend(report.signals.contradictory.iter().map(|sign| sign.key));
    }
    let (mut prunable, mut kept) = (Vec::new(), Vec::new());
    for stored in entries {
        let key = stored.entry.key;
        let mut whys: Vec<&str> = Vec::new();
        for sign in signs.iter().filter(|sign| sign.key == key) {
            if !whys.contains(&sign.why.as_str()) {
                whys.push(&sign.why);
            }
        }
        if whys.is_empty() {
            continue;
        }
        let stays = if stored.entry.memory() == Memory::Procedural {
            Some("it is procedural: reported, never archived by drift")
        } else if stored.overlay.pinned.is_some() {
            Some("it is pinned in this clone")
        } else if disputed.contains(&key) {
            Some("it is contradictory: first find out which side is right")
        } else {
            None
        };
        match stays {
            Some(why) => kept.push(Kept { head: view::head(stored), why: why.to_owned() }),
            None => prunable.push(Prunable { key, head: view::head(stored), why: whys.join("; ") }),
        }
    }
    (prunable, kept)
}

/// Puts away what a person chose, in one atomic write. `ken restore` brings each back.
pub fn prune(ledger: &mut dyn Ledger, chosen: &[Prunable], writer: &Writer) -> Result<Vec<String>> {
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
pub fn reviewers(ledger: &dyn Ledger) -> Result<Vec<(String, usize)>> {
    let mut counts: std::collections::BTreeMap<String, usize> = Default::default();
    for stored in ledger.list(&Query::default())?.entries {
        if let Some(reviewer) = stored.entry.fields.reviewer {
            *counts.entry(reviewer).or_default() += 1;
        }
    }
    Ok(counts.into_iter().collect())
}

/// What to say of a reviewer that nobody knows: it has no entry, does not ship, and is in no setting. `named` are those of the settings.
pub fn unknown_reviewer(ledger: &dyn Ledger, name: &str, named: &[String]) -> Result<Option<Refusal>> {
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
