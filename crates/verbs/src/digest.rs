//! Digestion (DIG-1): `reduce` makes candidates of documents, commits and pull requests; `staging` is where they wait for somebody to
//! take or drop them; `reflect` looks at them beside the entries; `reweave` ties new evidence to an entry.
//!
//! Each phase begins from the files alone: a fresh clone in which the staging folder was committed can go on.

pub(crate) mod reflect;
pub mod reweave;
pub(crate) mod sources;
pub(crate) mod staging;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ken_core::words::normalise_statement;
use ken_core::{Code, Memory, Refusal, Scan, Scope, Tier, decide};
use ken_digest::{Candidate, Place};
use ken_engine::judge::Norms;
use ken_engine::{Caller, CloneState, Ledger, Overlaid, Query, Result, intake};
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use reflect::{ContradictingPair, Duplicate, GapLine, ReflectAnswer, RelatedPair};
pub use reweave::{ReweaveAnswer, ReweaveInput};
pub use staging::{AcceptAnswer, DropAnswer, DroppedLine, Staged, StagedLine, StagingAnswer};

use crate::judge::{JudgeSession, JudgeUse, Unanswered};
use crate::limits::digest::{ASKED_AT_ONCE, ASKED_MAX, CANDIDATES_MAX};
use crate::{AddInput, ModelsInUse, OnAbsent, Site};
use staging::Staging;

/// What `reduce` answers.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReduceAnswer {
    /// Nothing was written.
    pub dry_run: bool,
    /// What was read, and how many candidates each of them gave.
    pub sources: Vec<SourceLine>,
    /// What is in staging now and was not before.
    pub staged: Vec<StagedLine>,
    /// What was left out because it is known.
    pub known: AlreadyKnown,
    /// What the scan keeps out, by its place; its words are told nowhere.
    pub kept_out: Vec<KeptOut>,
    /// What may not be said here, or says nothing.
    pub left_out: Vec<LeftOut>,
    /// Sentences that may be rules, which rules of wording cannot tell and no judge was asked about.
    #[serde(skip_serializing_if = "is_zero")]
    pub undecided: usize,
    /// What was asked of a judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeUse>,
    /// What somebody should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One thing that was read.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceLine {
    /// A path, or `git:RANGE`.
    pub source: String,
    /// Candidates it gave that were looked at.
    pub candidates: usize,
    /// Candidates beyond the most that one source may give; nothing became of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub cut_off: usize,
}

/// How much was left out because it is known.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AlreadyKnown {
    /// In staging already.
    pub staged: usize,
    /// An entry says it.
    pub entries: usize,
    /// It was dropped.
    pub dropped: usize,
}

/// Something that the scan keeps out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeptOut {
    /// Where it stands.
    pub place: String,
    /// How bad it is.
    pub tier: Tier,
    /// The rules that found something.
    pub rules: Vec<String>,
}

/// Something that is not staged, and why.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// Where it stands.
    pub place: String,
    pub why: String,
}

/// Reads sources into staging: paths, patterns of paths, `git:RANGE`. Where a person chose a judge, it is asked about sentences whose words
/// do not tell whether they are rules. With `dry_run` nothing is written, and nobody is asked.
pub fn reduce(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    named: &[String],
    dry_run: bool,
) -> Result<ReduceAnswer> {
    if !dry_run {
        ledger.may_write()?;
    }
    let sources = crate::digest::sources::sources(site, named)?;
    let mut staging = Staging::read(site.state().clone())?;
    let said = said_already(ledger)?;
    let mut judge = judge_of_sentences(site, models, caller, dry_run);
    let (rules, around) =
        (crate::intake_rules::rules(ledger, site, models, caller)?, crate::repository::repository(site));
    let mut answer = ReduceAnswer { dry_run, ..ReduceAnswer::default() };
    for source in &sources {
        let mut found = source.reduce();
        let cut_off = found.len().saturating_sub(CANDIDATES_MAX);
        found.truncate(CANDIDATES_MAX);
        found.extend(judged(source, &mut judge, &mut answer.undecided));
        answer.sources.push(SourceLine {
            source: source.name().to_owned(),
            candidates: found.len(),
            cut_off,
        });
        for candidate in found {
            let place = candidate.place.to_string();
            let (candidate, mut scan) = cleaned(candidate);
            source.add_findings(&candidate.place, &mut scan);
            if scan.tier.is_rejected() {
                let rules: BTreeSet<String> = scan.findings.iter().map(|found| found.rule.clone()).collect();
                answer.kept_out.push(KeptOut {
                    place: intake::redacted_text(&place),
                    tier: scan.tier,
                    rules: rules.into_iter().collect(),
                });
                continue;
            }
            if let Some(why) = objection(&candidate, rules.intake().names, &around) {
                answer.left_out.push(LeftOut { place, why });
                continue;
            }
            let claim = normalise_statement(&candidate.statement);
            if said.contains(&claim) {
                answer.known.entries += 1;
            } else if staging.is_dropped(&candidate) {
                answer.known.dropped += 1;
            } else {
                match staging.take(candidate) {
                    Some(line) => answer.staged.push(line),
                    None => answer.known.staged += 1,
                }
            }
        }
    }
    if !dry_run {
        staging.write()?;
    }
    if let Some(judge) = &judge {
        answer.judge = JudgeUse::of(&judge.used());
        answer.notes.extend(judge.notes("rules of wording alone decided about the rest"));
    }
    Ok(answer)
}

/// The judge of undecided sentences; none where nobody chose one, or nothing is to be written.
fn judge_of_sentences(
    site: &Site,
    models: &ModelsInUse,
    caller: &Caller,
    dry_run: bool,
) -> Option<JudgeSession> {
    match crate::judge::judge_within_budget(site, models, caller) {
        Err(Unanswered::NoJudge(_)) => None,
        _ if dry_run => None,
        judge => Some(JudgeSession::new(judge)),
    }
}

/// What waits in staging, and what was dropped from it.
pub fn staging(ledger: &mut Ledger, state: &Arc<dyn CloneState>) -> Result<StagingAnswer> {
    let staging = Staging::read(state.clone())?;
    staging.odd.iter().for_each(|notice| ledger.notice(notice.clone()));
    Ok(staging.answer())
}

/// One candidate that waits, whole.
pub fn staged(state: &Arc<dyn CloneState>, name: &str) -> Result<Staged> {
    let staging = Staging::read(state.clone())?;
    let id = staging.find(name)?;
    Ok(staging.waiting[&id].clone())
}

/// Makes entries of candidates: each goes through the whole intake, and leaves staging when it is there. One `undo` takes all of them
/// back.
pub fn accept_staged(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    names: &[String],
) -> Result<Vec<AcceptAnswer>> {
    ledger.as_one_command(|ledger| accept_all_staged(ledger, site, models, caller, names))
}

fn accept_all_staged(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    names: &[String],
) -> Result<Vec<AcceptAnswer>> {
    ledger.may_write()?;
    let mut staging = Staging::read(site.state().clone())?;
    let ids = staging.find_all(names)?;
    let mut answers = Vec::new();
    for id in ids {
        let mut staged = staging.waiting[&id].clone();
        look_up_lines(site, &mut staged);
        let added = crate::add::add(ledger, site, models, caller, staged.entry())?;
        if !added.is_rejected() {
            staging.remove(&id)?;
        }
        answers.push(AcceptAnswer { staged: id, added });
    }
    Ok(answers)
}

/// Takes candidates out of staging, so that `reduce` does not bring them back.
pub fn drop_staged(
    ledger: &Ledger,
    state: &Arc<dyn CloneState>,
    caller: &Caller,
    names: &[String],
    reason: &str,
) -> Result<Vec<DropAnswer>> {
    ledger.may_write()?;
    let mut reason = reason.trim().to_owned();
    intake::clean_word("reason", &mut reason)?;
    if reason.is_empty() {
        return Err(Refusal::new(Code::Invalid, "dropping a candidate needs a reason")
            .hint("--reason 'why it is not a norm'")
            .field("reason")
            .into());
    }
    let mut staging = Staging::read(state.clone())?;
    let ids = staging.find_all(names)?;
    let (by, at) = (caller.actor().to_owned(), caller.now().seconds());
    ids.iter().map(|id| staging.drop(id, &reason, &by, at)).collect()
}

/// Brings back a candidate that was dropped.
pub fn restore_staged(
    ledger: &Ledger,
    state: &Arc<dyn CloneState>,
    caller: &Caller,
    name: &str,
) -> Result<Staged> {
    ledger.may_write()?;
    let mut staging = Staging::read(state.clone())?;
    let (by, at) = (caller.actor().to_owned(), caller.now().seconds());
    staging.restore(name, &by, at)
}

/// Finds out where the documents of a candidate say it now: lines were added above since.
fn look_up_lines(site: &Site, staged: &mut Staged) {
    for place in &mut staged.places {
        let Place::Lines { path, .. } = place else { continue };
        let Ok(read) = crate::digest::sources::sources(site, std::slice::from_ref(path)) else { continue };
        let says = |found: &Candidate| {
            same_source(&found.place, place)
                && found.kind == staged.candidate.kind
                && normalise_statement(&found.statement) == normalise_statement(&staged.candidate.statement)
        };
        let all = |read: &sources::Read| read.reduce().into_iter().chain(read.undecided());
        if let Some(found) = read.iter().flat_map(all).find(says) {
            *place = found.place;
        }
    }
}

/// Everything that entries say already, whatever became of them: what was archived or taken back does not come in again. An entry
/// whose author undid its addition says nothing.
fn said_already(store: &Ledger) -> Result<BTreeSet<String>> {
    let memories = vec![Memory::Semantic, Memory::Procedural];
    let query = Query { all: true, memories, overlaid: Overlaid::Any, ..Query::default() };
    let page = store.list(&query)?;
    let stated = page.entries.iter().filter(|stored| !decide::was_undone(&stored.entry));
    let said = stated.flat_map(|stored| {
        let entry = &stored.entry;
        std::iter::once(entry.fields.statement().into_owned()).chain(entry.wordings.iter().cloned())
    });
    Ok(said.map(|text| normalise_statement(&text)).collect())
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The undecided sentences of a source that a judge takes for rules. What the scan keeps out is not sent. The questions follow from the source
/// alone, so that a second reading asks nothing anew.
fn judged(source: &sources::Read, judge: &mut Option<JudgeSession>, left: &mut usize) -> Vec<Candidate> {
    let mut open: Vec<Candidate> = Vec::new();
    for candidate in source.undecided() {
        let (candidate, mut scan) = cleaned(candidate);
        source.add_findings(&candidate.place, &mut scan);
        if !scan.tier.is_rejected() && ken_guard::noise::noise(&candidate.statement).is_none() {
            open.push(candidate);
        }
    }
    let asked = open.len().min(ASKED_MAX);
    *left += open.len() - asked;
    open.truncate(asked);
    let mut found = Vec::new();
    for some in open.chunks(ASKED_AT_ONCE) {
        let sentences: Vec<String> = some.iter().map(|one| one.statement.clone()).collect();
        match judge.as_mut().and_then(|judge| judge.ask(&Norms { sentences: &sentences })) {
            Some(ruling) => found.extend(ruling.answer.into_iter().map(|at| some[at].clone())),
            None => *left += some.len(),
        }
    }
    found
}

/// A candidate without the values of secrets, and what the scan says of all its words (IN-1, IN-2).
fn cleaned(candidate: Candidate) -> (Candidate, Scan) {
    let mut scan = intake::unsullied();
    let Ok(Value::Object(mut content)) = serde_json::to_value(&candidate) else { return (candidate, scan) };
    intake::clean(&mut content, &mut scan);
    match serde_json::from_value(Value::Object(content)) {
        Ok(clean) => (clean, scan),
        // A word that had to be taken out was not one of its texts: nothing of it can be kept.
        Err(_) => {
            scan.tier = Tier::Critical;
            (candidate, scan)
        }
    }
}

/// What speaks against staging a candidate: what its scope forbids (IN-4), or that it says nothing (IN-7).
fn objection(candidate: &Candidate, names: &intake::Names, around: &dyn crate::Repository) -> Option<String> {
    if let Some((code, why)) = ken_guard::noise::noise(&candidate.statement) {
        return Some(format!("it is noise ({code}): {why}"));
    }
    let objections = intake::objections("statement", &candidate.statement, Scope::Project, names, around);
    objections.first().map(|objection| format!("{} ({})", objection.why, objection.rule))
}

/// A candidate as the wish to add it: its type's own fields, its places as evidence.
fn entry_of(candidate: &Candidate, places: &[Place]) -> AddInput {
    let mut content = Map::new();
    let procedural = candidate.kind.memory() == Memory::Procedural;
    let claim = if procedural { "rule" } else { "statement" };
    content.insert(claim.to_owned(), json!(candidate.statement));
    content.insert("polarity".to_owned(), json!(candidate.polarity));
    content.insert("tags".to_owned(), json!(candidate.tags));
    if normalise_statement(&candidate.quote) != normalise_statement(&candidate.statement) {
        content.insert("detail".to_owned(), json!(candidate.quote));
    }
    if let Some(enforcement) = candidate.enforcement.as_ref().filter(|_| procedural) {
        content.insert("enforcement".to_owned(), enforcement.clone());
    }
    let spots: Vec<String> = places
        .iter()
        .filter_map(|place| match place {
            Place::Lines { .. } => Some(place.to_string()),
            Place::Commit { .. } | Place::Pull { .. } => None,
        })
        .collect();
    if !procedural && !spots.is_empty() {
        content.insert("anchors".to_owned(), json!(spots));
        content.insert("verification".to_owned(), json!([format!("re-read {} and compare", spots[0])]));
    }
    AddInput {
        kind: Some(candidate.kind.word().to_owned()),
        content,
        evidence: places.iter().map(Place::evidence).collect(),
        // A lesson of a commit message stands at no place in the tree: it enters with that gap (ENT-5).
        draft: !procedural && spots.is_empty(),
        // Documents may speak of what is gone since.
        on_absent: OnAbsent::Gap,
        ..AddInput::default()
    }
}

/// The places of a candidate, one for each document, commit or pull request.
fn with_place(places: &[Place], new: &Place) -> Vec<Place> {
    let mut all: BTreeMap<String, Place> =
        places.iter().map(|place| (source_of(place), place.clone())).collect();
    all.insert(source_of(new), new.clone());
    all.into_values().collect()
}

fn same_source(a: &Place, b: &Place) -> bool {
    source_of(a) == source_of(b)
}

fn source_of(place: &Place) -> String {
    match place {
        Place::Lines { path, .. } => format!("doc {path}"),
        Place::Commit { hash } => format!("commit {hash}"),
        Place::Pull { number, .. } => format!("pr {number}"),
    }
}
