//! The verbs that change an entry: revise, tag, cite, supersede, archive, retract, restore, link, undo, purge.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::answer::ChangeOutcome;
use ken_core::decide::{self, Change, Context};
use ken_core::entry::{Cost, revise as revise_fields};
use ken_core::evidence::Reference;
use ken_core::words::nearest;
use ken_core::{
    BeliefEvent, Body, Code, Entry, EntryEvent, EntryHead, EntryKey, Event, Fault, ForageEvent, Intent,
    Millis, Refusal, Relation, RunEvent, Serviced, ServicedOutcome, Status, Type, schema,
};
use serde::Serialize;
use serde_json::Value;

use super::add::{
    AddInput, Commits, EvidencePresence, OnAbsent, absent_fault, cite, claims_distilled, decide_all, found,
    from_held, refuse_absent,
};
use super::authority::{refuse_reword, refuse_undo};
use super::grounds::{ReadEntries, decided};
use super::history::summary;
use super::{context, maintain};
use crate::caller::Attendance;
use crate::error::{Error, Part, Result};
use crate::flow;
use crate::intake::{self, Intake};
use crate::ledger::Ledger;
use crate::ports::{Repository, Stored, Writer};
use crate::projection::Projection;
use crate::query::{Overlaid, Query};
use crate::view;

/// What a change answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeAnswer {
    /// Whether anything changed.
    pub outcome: ChangeOutcome,
    /// The entry, as it stands now.
    #[serde(flatten)]
    pub head: EntryHead,
    /// What was done, in sentences.
    pub reasons: Vec<String>,
    /// The entry that takes its place, where it was replaced just now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// That entry was stated with the change.
    #[serde(skip)]
    pub is_successor_new: bool,
}

/// An answer is read like the entry that it is about.
impl std::ops::Deref for ChangeAnswer {
    type Target = EntryHead;

    fn deref(&self) -> &EntryHead {
        &self.head
    }
}

/// Writes what was decided about an entry and answers how it stands then.
pub(super) fn write(
    ledger: &mut Ledger,
    grounds: &ReadEntries,
    stored: &Stored,
    intents: Vec<Intent>,
    done: Vec<String>,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    let changed = !intents.is_empty();
    let revised = intents.iter().any(|intent| matches!(intent.body, Body::Entry(EntryEvent::Revised(_))));
    ledger.append_on(&grounds.read, intents, writer)?;
    let now = ledger.stored(stored.entry.key)?.unwrap_or_else(|| stored.clone());
    let mut reasons = if changed { done } else { vec!["nothing to change; nothing was written".to_owned()] };
    if revised {
        reasons.extend(trust_lost(&stored.entry, &now.entry));
    }
    Ok(ChangeAnswer {
        outcome: ChangeOutcome::from_changed(changed),
        head: view::head(&now),
        reasons,
        superseded_by: None,
        is_successor_new: false,
    })
}

/// What a revision cost: what others confirmed, used or proved was the words as they were (COR-18).
fn trust_lost(before: &Entry, now: &Entry) -> Option<String> {
    let cost = Cost::between(before, now);
    let count = |count: usize, noun: &str| match count {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ => Some(format!("{count} {noun}s")),
    };
    let lost = [
        count(cost.confirmations, "confirmation"),
        count(cost.observations, "observation"),
        cost.proof.then(|| "its proof".to_owned()),
    ];
    let lost: Vec<String> = lost.into_iter().flatten().collect();
    let fell = cost.status.map(|before| format!("it was {before} and is {} now", now.standing));
    let fell = fell.unwrap_or_else(|| "part of its trust is gone".to_owned());
    let why = match lost.is_empty() {
        true => "trust was earned for the earlier words".to_owned(),
        false => format!("{} counted for the earlier words", lost.join(", ")),
    };
    (!cost.is_none()).then(|| format!("{fell}: {why}; `ken undo` restores them"))
}

/// `migrate`: names the words of every entry whose trust is of a version that did not (COR-18), and says of how many.
pub fn pin_all(ledger: &mut Ledger, writer: &Writer) -> Result<usize> {
    let every = Query { all: true, overlaid: Overlaid::Any, ..Query::default() };
    let mut intents = Vec::new();
    for stored in ledger.list(&every)?.entries {
        let entry = &stored.entry;
        let is_trusted = entry.standing != Status::Candidate
            || entry.confirmation.is_some()
            || entry.proved.is_some()
            || !entry.record.0.is_empty();
        if is_trusted && entry.status != Status::Rejected {
            let history: Vec<Event> =
                ledger.history(entry.key)?.into_iter().map(|placed| placed.event).collect();
            intents.extend(decide::pin(entry, &history));
        }
    }
    let pinned = intents.len();
    ledger.append(intents, writer)?;
    Ok(pinned)
}

/// `revise` and `tag`: new values for fields, labels that come or go, evidence that is added.
pub fn revise(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    name: &str,
    change: Change,
    citing: Citing<'_>,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    let Citing { evidence, on_absent } = citing;
    let accepts_absent = !repository.proves_absence() || on_absent.accepts(intake.attendance);
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find(ledger.projection(), name)?;
        let context = context(ledger, writer)?;
        let mut change = change.clone();
        super::pinned::pin_fields(&mut change.set, repository);
        let (mut change, evidence) = clean_change(change, evidence)?;
        if stored.entry.status == Status::Rejected {
            return Err(withheld(&stored).into());
        }
        ken_core::signal::moved(&stored.entry, &mut change)?;
        let (mut unseen, mut remarks) = (Vec::new(), Vec::new());
        let mut refused = Vec::new();
        if let Some(anchors) = change.set.get_mut("anchors")
            && let Ok(mut seen) = serde_json::from_value::<Vec<ken_core::Anchor>>(anchors.clone())
        {
            let (mut faults, mut absent) = (Vec::new(), Vec::new());
            let capturing = super::add::capture(&mut seen, intake);
            remarks = capturing.remarks;
            for anchor in capturing.unseen {
                // What the entry was anchored at before was looked for then.
                let had = stored.entry.fields.anchors.iter().any(|before| before.at == anchor.at);
                match anchor.is_absent() && !had && !accepts_absent {
                    true => {
                        faults.push(anchor.fault(intake.attendance));
                        absent.push(format!("anchor {:?}", anchor.at));
                    }
                    false => unseen.push(anchor.note()),
                }
            }
            refused.extend(refuse_absent(faults, &absent, intake.attendance));
            *anchors = serde_json::to_value(seen).unwrap_or_default();
        }
        if let Some(conditions) = change.set.get("depends_on")
            && let Ok(conditions) = serde_json::from_value::<Vec<String>>(conditions.clone())
        {
            unseen.extend(super::add::unmet(&conditions, ledger.projection(), intake)?);
        }
        let said = decide::revise(&stored.entry, change).map_err(Error::Refused);
        let cited = cite_all(&stored, repository, &evidence, accepts_absent, intake, &context);
        let mut intents = unless_refused(said, &mut refused)?;
        let citations = unless_refused(cited, &mut refused)?;
        if let Some(refusal) = together(refused) {
            return Err(refusal.into());
        }
        for intent in &mut intents {
            if let Body::Entry(EntryEvent::Revised(revised)) = &mut intent.body {
                let mut after = stored.entry.clone();
                after.fields = revise_fields(after.fields, revised);
                intake::check_scope(&after.fields, intake.names, repository)?;
                flow::check_words(ledger.projection(), &stored.entry, &after.fields)?;
                let (asked, who) = (intake.attendance, &writer.actor);
                if let Some(refusal) =
                    refuse_reword(ledger.projection(), &stored.entry, &after.fields, asked, who)?
                {
                    return Err(refusal.into());
                }
                // Of all that it says then: words that were taken out no longer count, and parts that are harmless alone may not be together.
                let scan = intake::scan_entry(&after);
                if scan.tier.is_rejected() && stored.entry.released.is_none() {
                    return Err(intake::kept_out("the entry with this change", &scan));
                }
                revised.scan = Some(scan);
            }
        }
        intents.extend(citations);
        let mut done: Vec<String> = intents.iter().map(|intent| summary(Some(&intent.body), "")).collect();
        done.extend(unseen.into_iter().chain(remarks));
        write(ledger, grounds, &stored, intents, done, writer)
    })
}

/// Evidence that comes with a change.
#[derive(Clone, Copy, Debug, Default)]
pub struct Citing<'a> {
    /// As people write it.
    pub evidence: &'a [String],
    /// What becomes of evidence that is not in this repository.
    pub on_absent: OnAbsent,
}

/// Scans and redacts what a change says. The entry is fine as it is, so a change that is kept out changes nothing.
fn clean_change(mut change: Change, evidence: &[String]) -> Result<(Change, Vec<String>)> {
    if let Some(refusal) =
        Refusal::from_faults(Code::Invalid, claims_distilled(&change.set).into_iter().collect())
    {
        return Err(refusal.into());
    }
    let mut scan = intake::unsullied();
    intake::clean(&mut change.set, &mut scan);
    let mut evidence = evidence.to_vec();
    let labels = change.tags_add.iter_mut().chain(&mut change.domains_add);
    let labels = labels.chain(&mut change.tags_remove).chain(&mut change.domains_remove);
    for text in labels.chain(&mut evidence).chain(&mut change.reason) {
        intake::clean_text("the change", text, &mut scan);
    }
    if scan.tier.is_rejected() {
        return Err(intake::kept_out("the change", &scan));
    }
    change.scan = (!change.set.is_empty()).then_some(scan);
    Ok((change, evidence))
}

fn withheld(stored: &Stored) -> Refusal {
    Refusal::new(
        Code::NotAllowed,
        format!(
            "{} is quarantined: {}",
            stored.id,
            stored.entry.status_reason.as_deref().unwrap_or_default()
        ),
    )
    .hint(format!("a person may release it: ken quarantine release {} --reason '...'", stored.id))
}

/// `release`: a person lets in what was kept out. Its words come from the quarantine, where the ledger does not have them.
pub fn release(ledger: &mut Ledger, name: &str, mut reason: String, writer: &Writer) -> Result<ChangeAnswer> {
    if !writer.actor.starts_with("human:") {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("only a person can release a quarantined entry, and you are {}", writer.actor),
        )
        .hint(format!(
            "ask a person to read `ken show {name} --quarantined` and run `ken quarantine release {name} --reason '...'`"
        ))
        .into());
    }
    if reason.trim().is_empty() {
        return Err(Refusal::new(Code::Invalid, "a release needs a reason")
            .hint("--reason 'why it is harmless'")
            .field("reason")
            .into());
    }
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find(ledger.projection(), name)?;
        let context = context(ledger, writer)?;
        if stored.entry.status != Status::Rejected {
            let mut answer = write(ledger, grounds, &stored, Vec::new(), Vec::new(), writer)?;
            answer.reasons =
                vec![format!("it is {}, not quarantined; nothing was written", stored.entry.status)];
            return Ok(answer);
        }
        let key = stored.entry.key;
        let history: Vec<Event> = ledger.history(key)?.into_iter().map(|placed| placed.event).collect();
        let in_ledger = history.iter().any(|event| event.type_name == "entry.added");
        let statement = match (in_ledger, ledger.held(key)?) {
            (true, _) => Vec::new(),
            (false, Some(held)) => match from_held(&held) {
                Some(request) => decide::restate(&stored.entry, request),
                None => {
                    return Err(Error::damaged(Part::Quarantine, "reading the quarantine")(format!(
                        "its copy of {} is damaged",
                        stored.id
                    )));
                }
            },
            (false, None) if stored.entry.status == Status::Rejected => {
                return Err(Refusal::new(
                    Code::NotAllowed,
                    format!(
                        "the text of {} is in the quarantine of the clone where it was added, not in this one",
                        stored.id
                    ),
                )
                .hint("release it there, or add it again")
                .into());
            }
            (false, None) => Vec::new(),
        };
        // Only these words are let in: what somebody puts in their place later is judged anew.
        let said = match statement.is_empty() {
            true => ken_core::entry::fold(&history, &|_| false),
            false => decide::foreseen(&statement, key, &context),
        };
        let words = said.map(|entry| intake::cleaned(entry).words_hash()).unwrap_or_default();
        let secret = stored
            .entry
            .scan
            .iter()
            .flat_map(|scan| &scan.findings)
            .any(|found| found.axis.starts_with("credential"));
        let released = if secret { "released; its secrets stay redacted" } else { "released" }.to_owned();
        let intents = decide::release(&stored.entry, reason.clone(), words, statement)?;
        let answer = write(ledger, grounds, &stored, intents, vec![released], writer)?;
        ledger.let_go(key)?;
        Ok(answer)
    })
}

/// What was decided; a refusal waits for those of the other parts.
fn unless_refused(decided: Result<Vec<Intent>>, refused: &mut Vec<Refusal>) -> Result<Vec<Intent>> {
    match decided {
        Err(Error::Refused(refusal)) => {
            refused.push(refusal);
            Ok(Vec::new())
        }
        other => other,
    }
}

/// ENT-3: every fault of a request in one refusal. What is refused whatever its fields say is told alone.
fn together(refused: Vec<Refusal>) -> Option<Refusal> {
    let is_of_fields = |refusal: &Refusal| refusal.code == Code::Invalid && !refusal.faults.is_empty();
    if let Some(alone) = refused.iter().find(|refusal| !is_of_fields(refusal)) {
        return Some(alone.clone());
    }
    match refused.len() {
        0 | 1 => refused.into_iter().next(),
        _ => Refusal::from_faults(Code::Invalid, refused.into_iter().flat_map(|one| one.faults).collect()),
    }
}

fn cite_all(
    stored: &Stored,
    repository: &dyn Repository,
    evidence: &[String],
    accepts_absent: bool,
    intake: &Intake<'_>,
    context: &Context,
) -> Result<Vec<Intent>> {
    let mut evidence = evidence.to_vec();
    super::pinned::pin_evidence(&mut evidence, repository);
    let commits = Commits::resolve(repository, &evidence);
    let mut intents = Vec::new();
    let (mut faults, mut absent) = (Vec::new(), Vec::new());
    for text in &evidence {
        let mut citation = match Reference::parse(text) {
            Ok(reference) => cite(reference, context),
            Err(problem) => {
                faults.push(Fault { field: "evidence".to_owned(), problem });
                continue;
            }
        };
        match found(&citation, repository, &commits) {
            EvidencePresence::Yes => {}
            EvidencePresence::Unknown => citation.unverified = true,
            EvidencePresence::No if accepts_absent => citation.unverified = true,
            EvidencePresence::No => {
                let what = format!("{:?}", text);
                faults.push(absent_fault(&what, intake.attendance));
                absent.push(what);
                continue;
            }
        }
        intents.extend(decide::cite(&stored.entry, citation));
    }
    match refuse_absent(faults, &absent, intake.attendance) {
        Some(refusal) => Err(refusal.into()),
        None => Ok(intents),
    }
}

/// `archive`: puts an entry away, whole.
pub fn archive(ledger: &mut Ledger, name: &str, mut reason: String, writer: &Writer) -> Result<ChangeAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find(ledger.projection(), name)?;
        let context = context(ledger, writer)?;
        let intents = decide::archive(&stored.entry, reason.clone(), &context)?;
        let done = format!("archived; `ken restore {}` restores it", stored.id);
        write(ledger, grounds, &stored, intents, vec![done], writer)
    })
}

/// What is left alone although it is old, beside norms and what is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spared {
    Nothing,
    /// Whoever sweeps may not hide verified entries.
    Verified,
}

/// What became of old entries, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Swept {
    pub archived: Vec<String>,
    /// Verified entries, which only a person archives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// A dry run: nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// Which old entries are to be put away, and whether they are.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Those that did not change since.
    pub before: Millis,
    pub spared: Spared,
    pub reason: String,
    /// Says what would be archived, and writes nothing.
    pub dry_run: bool,
}

/// `archive --older-than`: puts away every entry that did not change since, procedural ones excepted (REV-4). One atomic write.
pub fn archive_older(ledger: &mut Ledger, sweep: Sweep, writer: &Writer) -> Result<Swept> {
    let Sweep { before, spared, reason, dry_run } = sweep;
    let context = context(ledger, writer)?;
    // BEL-9: what is muted here is swept like everything else; what is pinned is not.
    let page = ledger.list(&Query { overlaid: Overlaid::Any, ..Query::default() })?;
    let mut intents = Vec::new();
    let mut swept = Swept { dry_run, ..Swept::default() };
    for stored in page.entries {
        let old = stored.entry.changed_at().millis() < before;
        let exempt = stored.entry.memory() == ken_core::Memory::Procedural || stored.overlay.pinned.is_some();
        if !old || exempt {
            continue;
        }
        if spared == Spared::Verified && stored.entry.status == Status::Verified {
            swept.kept.push(stored.id);
            continue;
        }
        intents.extend(decide::archive(&stored.entry, reason.clone(), &context)?);
        swept.archived.push(stored.id);
    }
    if !dry_run {
        ledger.append(intents, writer)?;
    }
    Ok(swept)
}

/// `retract`: takes an entry back; the tombstone stays.
pub fn retract(ledger: &mut Ledger, name: &str, mut reason: String, writer: &Writer) -> Result<ChangeAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find(ledger.projection(), name)?;
        let context = context(ledger, writer)?;
        let intents = decide::retract(&stored.entry, reason.clone(), &context)?;
        let done = format!("retracted; `ken restore {}` restores it", stored.id);
        write(ledger, grounds, &stored, intents, vec![done], writer)
    })
}

/// `restore`: brings an entry back to where it stood.
pub fn restore(ledger: &mut Ledger, name: &str, mut reason: String, writer: &Writer) -> Result<ChangeAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find(ledger.projection(), name)?;
        let context = context(ledger, writer)?;
        let mut intents = decide::restore(&stored.entry, reason.clone(), &context)?;
        let mut done = vec![format!("restored to {}", stored.entry.standing)];
        // What took its place has it no longer.
        if let (false, Some(by)) = (intents.is_empty(), stored.entry.superseded_by)
            && let Some(successor) = ledger.stored(by)?
        {
            intents.extend(decide::unlink(&successor.entry, Relation::Supersedes, &stored.entry));
            done.push(format!("{} no longer supersedes it", successor.id));
        }
        write(ledger, grounds, &stored, intents, done, writer)
    })
}

/// `supersede OLD NEW`: replaces one entry by another that is there.
pub fn supersede(
    ledger: &mut Ledger,
    old: &str,
    new: &str,
    mut reason: String,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let old = grounds.find(ledger.projection(), old)?;
        let new = grounds.find(ledger.projection(), new)?;
        let context = context(ledger, writer)?;
        let intents = decide::supersede(&old.entry, &new.entry, reason.clone(), &context)?;
        check_ring(ledger.projection(), &old.entry, &new.entry, &BTreeMap::new())?;
        let mut answer =
            write(ledger, grounds, &old, intents, vec![format!("superseded by {}", new.id)], writer)?;
        answer.superseded_by = Some(new.id);
        Ok(answer)
    })
}

/// `supersede OLD --statement ..`: replaces an entry by one that is stated now. One atomic write.
pub fn supersede_by_new(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    old: &str,
    input: AddInput,
    mut reason: String,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let old = grounds.find(ledger.projection(), old)?;
        let context = context(ledger, writer)?;
        let mut input = input.clone();
        inherit(&old, &mut input);
        // What says nearly what its predecessor says is meant to take its place, not to strengthen it.
        let intake = Intake { embedder: None, weights: intake.weights.clone(), ..*intake };
        let mut decided = decide_all(ledger, repository, vec![input], &intake, &context)?;
        let answer = decided.answers.remove(0).map_err(Error::Refused)?;
        if answer.is_rejected() {
            decided.write(ledger, writer)?;
            return Err(Refusal::new(
                Code::Rejected,
                format!("the replacement for {} was quarantined: {}", old.id, answer.reasons.join("; ")),
            )
            .hint(format!("{} is unchanged", old.id))
            .into());
        }
        let key = decided.intents.first().and_then(|intent| intent.entry);
        let stated = key.and_then(|key| decide::foreseen(&decided.intents, key, &context));
        let is_new = stated.is_some();
        let new = match stated {
            Some(new) => new,
            // It says what an entry already says: that one takes its place.
            None => {
                let said = grounds.find(ledger.projection(), &answer.id)?.entry;
                let (new, more) = revive(ledger.projection(), said, &reason, &context)?;
                decided.intents.extend(more);
                new
            }
        };
        let more = decide::supersede(&old.entry, &new, reason.clone(), &context)?;
        check_ring(ledger.projection(), &old.entry, &new, &BTreeMap::new())?;
        decided.intents.extend(more);
        let intents = std::mem::take(&mut decided.intents);
        let mut changed =
            write(ledger, grounds, &old, intents, vec![format!("superseded by {}", answer.id)], writer)?;
        (changed.superseded_by, changed.is_successor_new) = (Some(answer.id), is_new);
        Ok(changed)
    })
}

/// Brings a superseded entry back whose words are said again, and undoes its supersession. Any other stays as it is.
pub fn revive(
    ledger: &dyn Projection,
    entry: Entry,
    reason: &str,
    context: &Context,
) -> Result<(Entry, Vec<Intent>)> {
    // Another entry stands for a merged one.
    let is_merged = entry.merged_into.as_ref().is_some_and(|merged| merged.counts);
    let Some(by) = entry.superseded_by.filter(|_| entry.status == Status::Superseded && !is_merged) else {
        return Ok((entry, Vec::new()));
    };
    if !entry.approvals.is_empty() {
        // Restoring it is asked about in a terminal, and here nobody is asked.
        let id = entry.id();
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("{id} says the same; it was approved, and it is superseded"),
        )
        .hint(format!("a person restores it first: ken restore {id} --reason '...'"))
        .into());
    }
    let mut intents = decide::restore(&entry, reason.to_owned(), context)?;
    if let Some(successor) = ledger.stored(by)? {
        intents.extend(decide::unlink(&successor.entry, Relation::Supersedes, &entry));
    }
    let revived = Entry { status: entry.standing, superseded_by: None, ..entry };
    Ok((revived, intents))
}

/// Refuses a ring of successors: in one, every entry is superseded and none is in use. `decided` are successors that are not written yet.
pub fn check_ring(
    ledger: &dyn Projection,
    old: &Entry,
    new: &Entry,
    decided: &BTreeMap<EntryKey, EntryKey>,
) -> Result<()> {
    let mut passed = BTreeSet::new();
    let mut next = decided.get(&new.key).copied().or(new.superseded_by);
    while let Some(key) = next.filter(|key| passed.insert(*key)) {
        if key == old.key {
            return Err(Refusal::new(
                Code::NotAllowed,
                format!("{} is already superseded, in the end by {}", new.id(), old.id()),
            )
            .hint(format!("ken restore {} first", new.id()))
            .into());
        }
        let stored = ledger.stored(key)?;
        next = decided.get(&key).copied().or(stored.and_then(|stored| stored.entry.superseded_by));
    }
    Ok(())
}

/// Fields whose words mean something in their own type only.
const OF_ITS_TYPE: [&str; 3] = ["subtype", "enforcement", "exceptions"];

/// A successor is of the same type unless it says another, and where it says nothing it keeps what its predecessor said.
fn inherit(old: &Stored, input: &mut AddInput) {
    if input.kind.is_none() && !input.content.contains_key("type") {
        input.kind = Some(old.entry.kind.word().to_owned());
    }
    let Ok(Value::Object(fields)) = serde_json::to_value(&old.entry.fields) else { return };
    let word = input.kind.as_deref().or(input.content.get("type").and_then(Value::as_str));
    let kind = word.and_then(Type::from_word);
    // One of another type may not have a field, or not these words in it.
    let fits = |name: &str| {
        kind == old.entry.kind.known()
            || !OF_ITS_TYPE.contains(&name)
                && kind.is_some_and(|kind| schema::field_names(kind).contains(&name))
    };
    for name in [
        "tags",
        "domains",
        "scope",
        "thread",
        "anchors",
        "verification",
        "decay_class",
        "reviewer",
        "subtype",
        "enforcement",
        "exceptions",
    ]
    .into_iter()
    .filter(|name| fits(name))
    {
        if let (false, Some(value)) = (input.content.contains_key(name), fields.get(name)) {
            if name == "anchors" {
                input.inherited_anchors =
                    old.entry.fields.anchors.iter().map(|anchor| anchor.at.clone()).collect();
            }
            input.content.insert(name.to_owned(), value.clone());
        }
    }
}

/// `link FROM RELATION TO`, and with `remove` its opposite.
pub fn link(
    ledger: &mut Ledger,
    from: &str,
    relation: &str,
    to: &str,
    remove: bool,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    let relation = read_relation(relation)?;
    decided(ledger, |ledger, grounds| {
        let from = grounds.find(ledger.projection(), from)?;
        let to = grounds.find(ledger.projection(), to)?;
        let context = context(ledger, writer)?;
        let (intents, done) = if remove {
            (decide::unlink(&from.entry, relation, &to.entry), format!("no longer {relation} {}", to.id))
        } else {
            flow::check_link(ledger.projection(), &from.entry, relation, to.entry.key)?;
            (decide::link(&from.entry, relation, &to.entry, &context)?, format!("{relation} {}", to.id))
        };
        write(ledger, grounds, &from, intents, vec![done], writer)
    })
}

fn read_relation(word: &str) -> Result<Relation> {
    let plain = word.to_lowercase().replace(['-', ' '], "_");
    Relation::from_word(&plain).ok_or_else(|| {
        let near = nearest(&plain, Relation::WORDS.iter().copied())
            .map(|near| format!("did you mean `{near}`? "))
            .unwrap_or_default();
        Refusal::new(
            Code::Invalid,
            format!("unknown relation {word:?}; {near}allowed: {}", Relation::WORDS.join(", ")),
        )
        .field("relation")
        .into()
    })
}

/// `undo`: says the opposite of an actor's last write here.
pub fn undo(
    ledger: &mut Ledger,
    actor: &str,
    attendance: Attendance,
    writer: &Writer,
) -> Result<Vec<ChangeAnswer>> {
    let mut last: Vec<Event> = ledger.latest_by(actor)?;
    if last.is_empty() {
        return Err(Refusal::new(Code::NotFound, format!("there is no change by {actor} to undo")).into());
    }
    // What came before is not undone in its place.
    last.retain(|event| !event.is_only_noted());
    if last.is_empty() {
        let message = format!(
            "the last command of {actor} was a confirmation that does not count: there is nothing to undo"
        );
        return Err(Refusal::new(Code::NotFound, message).into());
    }
    let decided = last.iter().find_map(|event| match &event.body {
        Some(Body::Forage(ForageEvent::Override { domain, .. })) => Some(domain),
        _ => None,
    });
    if let Some(domain) = decided {
        let message = format!("the last change cannot be undone: it is a decision about {domain}");
        let hint = format!("decide again: `ken forage override {domain} reset`");
        return Err(Refusal::new(Code::NotAllowed, message).hint(hint).into());
    }
    let context = context(ledger, writer)?;
    let added: Vec<_> = last
        .iter()
        .filter(|event| event.type_name == "entry.added")
        .filter_map(|event| event.entry)
        .collect();
    // An undo is a write like any other, and the last one: it is what comes back, and nothing further back is undone. The ledger has no
    // word for what an undo was about, so a chain of them could undo the same change twice.
    let is_redo = last.iter().any(decide::is_undo);
    let mut answers: Vec<ChangeAnswer> = Vec::new();
    let mut intents = Vec::new();
    let mut touched: Vec<(EntryKey, String)> = Vec::new();
    for event in last.iter().rev() {
        let Some(key) = event.entry else { continue };
        // What came with an addition goes along with it: its citations, and how it did in the system it was imported from.
        let goes_along = matches!(
            event.body,
            Some(Body::Entry(EntryEvent::Cited { .. } | EntryEvent::Confirmed(_)) | Body::Belief(_))
        );
        if goes_along && added.contains(&key) {
            continue;
        }
        // What was said in the same breath is undone too, so it is no later change.
        let history: Vec<Event> = ledger
            .history(key)?
            .into_iter()
            .map(|placed| placed.event)
            .filter(|other| {
                other.order() <= event.order() || !last.iter().any(|same| same.hash == other.hash)
            })
            .collect();
        let opposite = decide::undo(&history, event, &context)?;
        if let Some(stored) = ledger.stored(key)?
            && let Some(refusal) = refuse_undo(&stored.entry, &opposite, attendance, &writer.actor)
        {
            return Err(refusal.into());
        }
        intents.extend(opposite);
        touched.push((key, undone(event, &history, is_redo)));
    }
    intents.extend(undone_services(&last));
    ledger.append(intents, writer)?;
    for (key, done) in touched {
        let Some(stored) = ledger.stored(key)? else { continue };
        if let Some(answer) = answers.iter_mut().find(|answer| answer.id == stored.id) {
            answer.reasons.push(done);
            continue;
        }
        answers.push(ChangeAnswer {
            outcome: ChangeOutcome::Changed,
            head: view::head(&stored),
            superseded_by: None,
            is_successor_new: false,
            reasons: vec![done],
        });
    }
    for answer in &mut answers {
        answer.reasons.push(format!("now {}", answer.status));
    }
    Ok(answers)
}

/// UPK-6: that what services did was taken back is recorded as well.
fn undone_services(last: &[Event]) -> Vec<Intent> {
    let mut changes: BTreeMap<&str, u32> = BTreeMap::new();
    for service in last.iter().filter_map(maintain::service_of) {
        *changes.entry(service.name).or_default() += 1;
    }
    let said = changes.into_iter().map(|(service, changes)| {
        let (service, outcome) = (service.to_owned(), ServicedOutcome::Undone);
        let serviced = Serviced { service, outcome, changes, reason: None, judged: None };
        Intent { entry: None, body: Body::Run(RunEvent::Serviced(Box::new(serviced))) }
    });
    said.collect()
}

/// What undoing an event did, in a sentence.
fn undone(event: &Event, history: &[Event], is_redo: bool) -> String {
    match &event.body {
        Some(Body::Entry(EntryEvent::Cited { citation })) => {
            let cited = format!("{}:{}", citation.evidence_type, citation.evidence_ref);
            match citation.withdrawn {
                true => format!("{cited} counts as evidence again"),
                false => format!("withdrew {cited}: it stays listed, marked as withdrawn"),
            }
        }
        Some(Body::Entry(EntryEvent::Reinforced { withdrawn, .. })) => match withdrawn {
            true => "your wording is back".to_owned(),
            false => "took your wording back".to_owned(),
        },
        Some(Body::Entry(EntryEvent::Confirmed(_))) => match withdraws_confirmation(event, history) {
            true => "the confirmation counts again".to_owned(),
            false => "withdrew the confirmation: it stays in the log and does not count".to_owned(),
        },
        Some(Body::Belief(BeliefEvent::Observed { weight, .. })) => match weight {
            0 => "the feedback counts again".to_owned(),
            _ => "took the feedback back".to_owned(),
        },
        _ => {
            let of_undo = if is_redo { " of your last undo" } else { "" };
            format!("undid {}{of_undo}", decide::deed(&event.type_name))
        }
    }
}

/// Whether a confirmation does not count after an event: it withdraws it, and not its withdrawal.
fn withdraws_confirmation(event: &Event, history: &[Event]) -> bool {
    let withdrawn = |event: &Event| match &event.body {
        Some(Body::Entry(EntryEvent::Confirmed(confirmed))) => confirmed.withdraws,
        _ => None,
    };
    let mut is_withdrawn = false;
    let mut about = withdrawn(event);
    while let Some(hash) = about {
        is_withdrawn = !is_withdrawn;
        about = history.iter().find(|other| other.hash == hash).and_then(withdrawn);
    }
    is_withdrawn
}

/// The part of `purge` that says it: names every event of an entry as purged. Taking the bytes out is the store's.
pub fn purge(ledger: &mut Ledger, stored: &Stored, mut reason: String, writer: &Writer) -> Result<usize> {
    intake::clean_word("reason", &mut reason)?;
    let history: Vec<Event> =
        ledger.history(stored.entry.key)?.into_iter().map(|placed| placed.event).collect();
    let mut purged = history.clone();
    // Files of other systems quote it (DOO-6).
    purged.extend(ledger.quoting(stored.entry.key)?);
    let intents = decide::purge(&stored.entry, &purged, reason);
    ledger.append(intents, writer)?;
    Ok(history.len())
}
