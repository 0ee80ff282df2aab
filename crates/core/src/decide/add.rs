//! Adding an entry: a new one, or one more citation for one that says the same.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Bounds, Context, View, about, citing, readable};
use crate::admission::{self, Admission, Admitted, Arrival, Origin, Weights};
use crate::clock::{Clock, Millis};
use crate::entry::{Entry, Gap, fold, gaps};
use crate::event::{Added, Basis, Body, EntryEvent, Event, Intent, LinkEvent, Rejected, Seal};
use crate::fields::{Citation, Fields};
use crate::ids::{EntryKey, GivenId};
use crate::judged::Scan;
use crate::kinds::{Memory, Status, Type, TypeName, vocabulary};
use crate::limits::HANDLE_DIGITS_MIN;
use crate::limits::near::SUBJECT_SHARE;
use crate::refusal::{Code, Fault, Refusal};
use crate::similar::{self, Aspect, Claim, Difference};
use crate::words::with_article;

/// The stage of the intake that needs a vector, as `not_run` names it.
pub const SIMILARITY: &str = "similarity";

/// A well-formed wish to add an entry.
#[derive(Clone, Debug)]
pub struct AddRequest {
    pub kind: Type,
    /// The caller's own id.
    pub id: Option<GivenId>,
    /// What it says.
    pub fields: Fields,
    /// What it rests on.
    pub evidence: Vec<Citation>,
    /// Whether it may enter with gaps (ENT-5).
    pub draft: bool,
    /// What to do where another entry goes by the same merge key.
    pub on_conflict: OnConflict,
    /// When it was first said where it comes from.
    pub since: Option<Millis>,
    /// Whether it brings back an entry whose addition its author undid. What a machine took out of a transcript does not.
    pub restores: bool,
    /// What the intake found out about it.
    pub judged: Judged,
}

impl AddRequest {
    /// The key of the entry it would be: its words make it.
    pub fn key(&self) -> EntryKey {
        EntryKey::derive(self.kind.word(), &self.fields.scope_key(), &self.fields.claim(self.kind))
    }

    /// Whether it brings back an entry that says the same already.
    fn brings_back(&self, existing: &Entry) -> bool {
        self.restores && super::was_undone(existing)
    }

    /// A wish with gaps allowed, of which only its scan is known.
    pub fn scanned(kind: Type, fields: Fields, evidence: Vec<Citation>, scan: Scan) -> AddRequest {
        let judged = Judged::by_scan(kind, &fields, !evidence.is_empty(), scan);
        AddRequest {
            kind,
            id: None,
            fields,
            evidence,
            draft: true,
            on_conflict: OnConflict::default(),
            since: None,
            restores: true,
            judged,
        }
    }
}

/// What to do where another entry goes by the same merge key (IN-6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// The entry there takes the new words.
    #[default]
    Merge,
    /// The new entry takes its place.
    Supersede,
    /// Nothing is written.
    Reject,
}

impl OnConflict {
    /// Every value, in the order of the specification.
    pub const ALL: [OnConflict; 3] = [OnConflict::Merge, OnConflict::Supersede, OnConflict::Reject];
    /// Every word, in the same order.
    pub const WORDS: &'static [&'static str] = &["merge", "supersede", "reject"];

    /// The word people use.
    pub fn word(self) -> &'static str {
        match self {
            OnConflict::Merge => "merge",
            OnConflict::Supersede => "supersede",
            OnConflict::Reject => "reject",
        }
    }
}

/// What the intake found out about a wish before it is decided.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What the scanner said.
    pub scan: Scan,
    /// What its admission rests on.
    pub arrival: Arrival,
    /// How that is weighed.
    pub weights: Weights,
    /// The hash of what it says, after redaction.
    pub hash: String,
    /// Entries near in meaning, the nearest first; none when nobody looked.
    pub near: Option<Vec<Near>>,
    /// Where nobody looked: entries that share words with it. Of these only what may contradict it is told.
    pub sharing_words: Vec<EntryKey>,
    /// From this cosine on two texts say the same. Belongs to the model, and to where the text comes from.
    pub same_min: f64,
    /// From this cosine on they may say the same.
    pub ask_min: f64,
}

impl Judged {
    pub(super) fn bounds(&self) -> Bounds {
        Bounds { ask_min: self.ask_min, same_min: self.same_min }
    }

    /// Entries that share words, as near as two that are only about one subject.
    fn near_by_words(&self) -> Vec<Near> {
        let cosine = self.ask_min * SUBJECT_SHARE;
        self.sharing_words.iter().map(|key| Near { key: *key, cosine }).collect()
    }

    /// Of a text of which only its scan is known.
    pub fn by_scan(kind: Type, fields: &Fields, cited: bool, scan: Scan) -> Judged {
        Judged::from(Origin::Local, kind, fields, cited, scan)
    }

    /// The same of one that was brought from somewhere.
    pub fn from(brought: Origin, kind: Type, fields: &Fields, cited: bool, scan: Scan) -> Judged {
        let from = Origin::of_source(brought, fields.source.as_ref());
        Judged {
            arrival: Arrival::new(kind, fields, cited, scan.tier, from),
            scan,
            weights: Weights::default(),
            hash: String::new(),
            near: None,
            sharing_words: Vec::new(),
            same_min: 1.0,
            ask_min: 1.0,
        }
    }
}

/// An entry near in meaning.
#[derive(Clone, Debug)]
pub struct Near {
    pub key: EntryKey,
    /// How near: the cosine.
    pub cosine: f64,
}

vocabulary!(
    /// How an addition ended. Every door renders all of these.
    Outcome {
        /// A new entry.
        Added = "added",
        /// An entry said the same already; it was cited.
        Reinforced = "reinforced",
        /// A new entry that is held back until its gaps are filled.
        Held = "held",
        /// It was kept out; its text is in this clone's quarantine.
        Rejected = "rejected" labelled "quarantined",
        /// The entry of its merge key took its words.
        Merged = "merged",
        /// Its author had undone the addition of the same entry: it is back.
        Restored = "restored",
    }
);

/// What an addition says and to whom it applies.
#[derive(Clone, Debug)]
pub struct Addition {
    /// How it ended.
    pub outcome: Outcome,
    pub key: EntryKey,
    pub id: String,
    /// Its short citation.
    pub handle: String,
    /// Why it ended so, in sentences.
    pub reasons: Vec<String>,
    /// What it lacks.
    pub gaps: Vec<Gap>,
    /// What is to be written; may be nothing.
    pub intents: Vec<Intent>,
    /// What spoke for it, where that was asked.
    pub admission: Option<Admission>,
    /// It was added to an entry that is not handed out, and stays so.
    pub is_retired: bool,
}

/// What has to be known to decide an addition.
#[derive(Clone, Debug, Default)]
pub struct AddFacts {
    /// The entry that says the same in the same words.
    pub existing: Option<Entry>,
    /// The entry that goes by the same merge key.
    pub by_merge_key: Option<Entry>,
    /// The entry that holds the wished id.
    pub holder: Option<Entry>,
    /// Whether the wished id is the handle of another entry.
    pub is_handle: bool,
    /// Entries near in meaning, the nearest first.
    pub near: Vec<NearEntry>,
    /// A short citation that is free.
    pub handle: Option<String>,
}

/// An entry near in meaning, as it stands.
#[derive(Clone, Debug)]
pub struct NearEntry {
    pub entry: Entry,
    /// How near: the cosine.
    pub cosine: f64,
}

impl AddFacts {
    /// Looks up what a wish needs, and no more.
    pub fn load<V: View + ?Sized>(view: &V, request: &AddRequest) -> Result<AddFacts, V::Error> {
        let key = request.key();
        let existing = view.entry(key)?;
        let entry = |key: Option<EntryKey>| match key {
            Some(key) => view.entry(key),
            None => Ok(None),
        };
        let by_merge_key = |fields: &Fields| match super::merge_name(&TypeName::Known(request.kind), fields) {
            Some(name) => entry(view.merged(&name)?),
            None => Ok(None),
        };
        if let Some(existing) = existing {
            // What comes back may find another entry under its merge key.
            let by_merge_key = match request.brings_back(&existing) {
                true => by_merge_key(&existing.fields)?,
                false => None,
            };
            return Ok(AddFacts { existing: Some(existing), by_merge_key, ..AddFacts::default() });
        }
        let by_merge_key = by_merge_key(&request.fields)?;
        let holder = match &request.id {
            Some(id) => entry(view.holder(id)?)?,
            None => None,
        };
        let is_handle = match &request.id {
            Some(id) => view.handle_taken(id.as_str())?,
            None => false,
        };
        let by_words = request.judged.near_by_words();
        let near = request.judged.near.as_deref().unwrap_or(&by_words);
        let near = near_entries(view, request.kind.memory(), near)?;
        let handle = free_handle(view, request.kind, key)?;
        Ok(AddFacts { existing: None, by_merge_key, holder, is_handle, near, handle })
    }
}

/// Looks up the entries near in meaning. Episodic records are never the same.
pub fn near_entries<V: View + ?Sized>(
    view: &V,
    memory: Memory,
    near: &[Near],
) -> Result<Vec<NearEntry>, V::Error> {
    let near = if memory == Memory::Episodic { &[] } else { near };
    let mut found = Vec::new();
    for Near { key, cosine } in near {
        found.extend(view.entry(*key)?.map(|entry| NearEntry { entry, cosine: *cosine }));
    }
    Ok(found)
}

/// The short citation: six digits of the key, more only on a clash (STO-8).
fn free_handle<V: View + ?Sized>(view: &V, kind: Type, key: EntryKey) -> Result<Option<String>, V::Error> {
    let letter = kind.handle_letter();
    let digits = key.to_string();
    for n in HANDLE_DIGITS_MIN..=digits.len() {
        let handle = format!("{letter}-{}", &digits[..n]);
        if !view.handle_taken(&handle)? {
            return Ok(Some(handle));
        }
    }
    Ok(Some(format!("{letter}-{digits}")))
}

/// Decides an addition (ENT-4, ENT-5, IN-1, IN-5, IN-6).
pub fn add(facts: AddFacts, request: AddRequest, context: &Context) -> Result<Addition, Refusal> {
    let kind = request.kind;
    let type_name = TypeName::Known(kind);
    let missing = gaps(&type_name, &request.fields, !request.evidence.is_empty());
    if missing.contains(&Gap::Provenance) && !request.draft {
        return Err(provenance_required(kind, &missing));
    }
    if !missing.is_empty() && !request.draft {
        return Err(incomplete(kind, &missing));
    }
    let key = request.key();
    let AddFacts { existing, by_merge_key, holder, is_handle, near, handle } = facts;
    let admission = admission::judge(&request.judged.arrival, &request.judged.weights);
    if admission.outcome == Admitted::Rejected {
        return keep_out(handle, key, existing, request, admission);
    }
    if let Some(existing) = existing {
        return match existing.status {
            Status::Rejected => Ok(kept_out_before(&existing)),
            _ => same_words(&existing, by_merge_key, request, context),
        };
    }
    let mut replaced = None;
    if let Some(other) = by_merge_key.filter(|other| other.status != Status::Rejected) {
        match request.on_conflict {
            OnConflict::Merge => return merge(&other, request),
            OnConflict::Supersede => replaced = Some(other),
            OnConflict::Reject => return Err(merge_key_taken(&other)),
        }
    }
    if let Some(id) = &request.id
        && let Some(holder) = holder
    {
        let says = holder.fields.title();
        return Err(Refusal::new(Code::IdTaken, format!("the id {id} belongs to another entry: {says:?}"))
            .hint(format!("choose another id, or replace it: ken supersede {id} ..."))
            .field("id"));
    }
    // Whoever names that entry would get this one.
    if let Some(id) = request.id.as_ref().filter(|_| is_handle) {
        return Err(Refusal::new(Code::IdTaken, format!("the id {id} is the handle of another entry"))
            .hint("choose another id, or leave it out")
            .field("id"));
    }
    let mut remarks = Vec::new();
    if replaced.is_none() {
        if let Some(NearEntry { entry, cosine }) = same_in_other_words(&near, &request) {
            return Ok(reinforce_in_other_words(entry, *cosine, request));
        }
        remarks = super::near::remarks(&near, &request, handle.as_deref().unwrap_or("NEW"));
    }
    let stated = state(handle, key, request, Some(admission.clone()));
    let mut intents = stated.intents;
    intents.extend(remarks.iter().filter_map(|remark| {
        let body = LinkEvent::Proposed { to: remark.to, similarity: thousandths(remark.is_noted?) };
        Some(Intent { entry: Some(key), body: Body::Link(body) })
    }));
    let mut reasons: Vec<String> = remarks.into_iter().map(|remark| remark.text).collect();
    if let Some(old) = replaced {
        let new = Seen(&intents, context).entry(key).expect("it was just stated");
        reasons.push(format!("it supersedes {}, which had the same merge key", old.id()));
        intents.extend(super::supersede(&old, &new, "same merge key".to_owned(), context)?);
    }
    let intents = readable(intents)?;
    reasons.extend(
        missing.iter().map(|gap| format!("missing: {}; without it the entry cannot be verified", gap.word())),
    );
    reasons.extend(admission.flags.iter().map(|flag| format!("demoted to candidate: {flag}")));
    let outcome = if missing.is_empty() { Outcome::Added } else { Outcome::Held };
    Ok(Addition {
        outcome,
        key,
        handle: stated.handle.unwrap_or_else(|| stated.id.clone()),
        id: stated.id,
        reasons,
        gaps: missing,
        intents,
        admission: Some(admission),
        is_retired: false,
    })
}

struct Stated {
    id: String,
    handle: Option<String>,
    intents: Vec<Intent>,
}

/// The first statement of an entry, with its citations.
fn state(handle: Option<String>, key: EntryKey, request: AddRequest, admission: Option<Admission>) -> Stated {
    let AddRequest { kind, id, fields, evidence, judged, since, .. } = request;
    let shown = id.as_ref().map_or_else(|| format!("{kind}.{key}"), GivenId::to_string);
    let type_name = TypeName::Known(kind);
    let fields = serde_json::to_value(&fields).expect("fields have string keys and finite numbers");
    let not_run = if judged.near.is_none() { vec![SIMILARITY.to_owned()] } else { Vec::new() };
    let added = Added {
        kind: type_name,
        id,
        handle: handle.clone(),
        fields,
        evidence: evidence.clone(),
        not_run,
        scan: Some(judged.scan),
        admission,
        since,
    };
    let body = Body::Entry(EntryEvent::Added(added));
    let mut intents = vec![Intent { entry: Some(key), body }];
    intents.extend(evidence.into_iter().map(|citation| citing(key, citation)));
    Stated { id: shown, handle, intents }
}

/// States again what was kept out, as a person released it: the words of the quarantine, under the key that is known.
pub fn restate(rejected: &Entry, request: AddRequest) -> Vec<Intent> {
    state(rejected.handle.clone(), rejected.key, request, None).intents
}

/// What a few intents amount to before they are sealed.
struct Seen<'a>(&'a [Intent], &'a Context);

impl Seen<'_> {
    fn entry(&self, key: EntryKey) -> Option<Entry> {
        let events: Vec<Event> = self
            .0
            .iter()
            .filter(|intent| intent.entry == Some(key))
            .enumerate()
            .map(|(at, intent)| {
                let seal = Seal {
                    replica: self.1.replica,
                    seq: at as u64,
                    parents: Vec::new(),
                    clock: Clock::at(self.1.now),
                    actor: self.1.actor.clone(),
                    basis: Basis::default(),
                };
                Event::seal(intent, seal)
            })
            .collect();
        fold(&events, &|_| false)
    }
}

/// An entry as some intents make it that are not written yet.
pub fn foreseen(intents: &[Intent], key: EntryKey, context: &Context) -> Option<Entry> {
    Seen(intents, context).entry(key)
}

/// IN-1: the ledger learns that something was kept out, and nothing of what it said.
fn keep_out(
    handle: Option<String>,
    key: EntryKey,
    existing: Option<Entry>,
    request: AddRequest,
    admission: Admission,
) -> Result<Addition, Refusal> {
    if let Some(existing) = existing {
        if existing.status == Status::Rejected {
            return Ok(kept_out_before(&existing));
        }
        // The entry is fine; what was to be added to it is not.
        return Err(Refusal::new(
            Code::Rejected,
            format!(
                "{} already says this, and the additional content was quarantined: {}",
                existing.id(),
                why(&request, &admission)
            ),
        )
        .hint("say it without that part"));
    }
    let kind = TypeName::Known(request.kind);
    let id = format!("{kind}.{key}");
    let reason = why(&request, &admission);
    let rejected = Rejected {
        kind: kind.clone(),
        handle: handle.clone(),
        hash: request.judged.hash,
        scan: request.judged.scan,
        admission: Some(admission.clone()),
        reason: reason.clone(),
    };
    let body = Body::Entry(EntryEvent::Rejected(Box::new(rejected)));
    Ok(Addition {
        outcome: Outcome::Rejected,
        key,
        handle: handle.unwrap_or_else(|| id.clone()),
        reasons: vec![reason, ways_on(&id)],
        id,
        gaps: Vec::new(),
        intents: readable(vec![Intent { entry: Some(key), body }])?,
        admission: Some(admission),
        is_retired: false,
    })
}

fn kept_out_before(existing: &Entry) -> Addition {
    let id = existing.id();
    let why = existing.status_reason.clone().unwrap_or_default();
    Addition {
        outcome: Outcome::Rejected,
        key: existing.key,
        handle: existing.handle(),
        reasons: vec![format!("it was quarantined before: {why}"), ways_on(&id)],
        id,
        gaps: Vec::new(),
        intents: Vec::new(),
        admission: existing.admission.clone(),
        is_retired: false,
    }
}

fn ways_on(id: &str) -> String {
    format!("reword it, or have a person release it: ken quarantine release {id} --reason '...'")
}

fn why(request: &AddRequest, admission: &Admission) -> String {
    let scan = &request.judged.scan;
    match scan.tier.is_rejected() {
        true => format!("rejected by the scan, risk {}: {}", scan.tier.word(), scan.worst()),
        false => admission.flags.join("; "),
    }
}

/// IN-6, step 3: the entry of a merge key takes the new words; its citations and labels grow.
fn merge(existing: &Entry, request: AddRequest) -> Result<Addition, Refusal> {
    let shown = existing.id();
    let Ok(Value::Object(mut set)) = serde_json::to_value(&request.fields) else {
        return Err(Refusal::new(Code::Invalid, "the content is not an object"));
    };
    for fixed in ["tags", "domains", "scope", "thread", "merge_key"] {
        set.remove(fixed);
    }
    let labels = |tags: &BTreeSet<crate::fields::Tag>| tags.iter().map(ToString::to_string).collect();
    let change = super::Change {
        set,
        tags_add: labels(&request.fields.tags),
        domains_add: labels(&request.fields.domains),
        reason: Some("same merge key".to_owned()),
        scan: Some(request.judged.scan),
        ..super::Change::default()
    };
    let mut intents = super::revise(existing, change)?;
    for citation in request.evidence {
        intents.extend(cite(existing, citation));
    }
    let said = match intents.is_empty() {
        true => format!("{shown} has this merge key and the same content; nothing was written"),
        false => format!("{shown} has this merge key and was updated"),
    };
    Ok(Addition {
        outcome: Outcome::Merged,
        key: existing.key,
        handle: existing.handle(),
        id: shown,
        reasons: vec![said],
        gaps: Vec::new(),
        intents,
        admission: None,
        is_retired: !existing.status.is_retrieved(),
    })
}

fn merge_key_taken(existing: &Entry) -> Refusal {
    let key = existing.fields.merge_key.as_deref().unwrap_or_default();
    Refusal::new(
        Code::IdTaken,
        format!("the merge key {key:?} belongs to {}: {:?}", existing.id(), existing.fields.title()),
    )
    .hint("choose another merge key, or pass --on-conflict merge or supersede")
    .field("merge_key")
}

/// IN-6, step 1: an entry says the same but for letter case, blanks and a full stop. Evidence for a claim is none for its opposite,
/// nor for another command: such a one is refused, because two entries cannot have the same words.
fn same_words(
    existing: &Entry,
    by_merge_key: Option<Entry>,
    request: AddRequest,
    context: &Context,
) -> Result<Addition, Refusal> {
    let (new, old) = (&request.fields, &existing.fields);
    let (said, text) = (new.statement(), old.statement());
    // Between two texts that are equal to a reader, code can differ by its letter case: `-x` is not `-X`.
    let by_code = similar::differences(&Claim::plain(&said), &Claim::plain(&text));
    // With the same text on both sides, only what is recorded beside it can differ.
    let mut new_beside = beside(new);
    // Whoever says nothing of do or do not says nothing against it.
    if new.polarity.is_none() {
        new_beside.polarity = old.polarity;
    }
    let claim = |beside| Claim { text: &text, ..beside };
    let (by_polarity, by_place): (Vec<_>, Vec<_>) =
        similar::differences(&claim(new_beside), &claim(beside(old)))
            .into_iter()
            .partition(|found| found.aspect == Aspect::Polarity);
    if let Some(clash) = by_code.into_iter().chain(by_polarity).next() {
        let old = existing.id();
        let message = format!(
            "{old} has the same wording but a different meaning: {}",
            clash.between("the new one", &old)
        );
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("state the difference; or, if that entry is wrong, revise or supersede it")
            .field(if clash.aspect == Aspect::Polarity { "polarity" } else { "statement" }));
    }
    let brings_back = request.brings_back(existing);
    if let Some(other) = by_merge_key.as_ref().filter(|_| brings_back) {
        let named = super::merge_name(&existing.kind, &request.fields);
        match request.on_conflict {
            // Nobody said what becomes of the other one.
            _ if named != super::merge_name(&existing.kind, &existing.fields) => {
                return Err(merge_key_taken(other));
            }
            OnConflict::Merge => return merge(other, request),
            OnConflict::Supersede => {}
            OnConflict::Reject => return Err(merge_key_taken(other)),
        }
    }
    let more = said_more(existing, &request);
    let mut addition = reinforce(existing, request.id.as_ref(), request.evidence);
    addition.take(more);
    if brings_back {
        addition.intents.extend(super::restore(existing, "stated again".to_owned(), context)?);
        addition.outcome = Outcome::Restored;
        addition.is_retired = false;
        // What it says of the entry as it was is no longer so.
        addition.reasons = vec![format!("its addition was undone; it is restored to {}", existing.standing)];
        if let Some(other) = by_merge_key {
            let back = Entry { status: existing.standing, ..existing.clone() };
            addition.intents.extend(super::supersede(&other, &back, "same merge key".to_owned(), context)?);
            addition.reasons.push(format!("it supersedes {}, which had the same merge key", other.id()));
        }
    }
    if let Some(other) = by_place.first() {
        let anchors = other.between("the new one", "it");
        addition.reasons.push(format!("it keeps its own anchors ({anchors}); change them with `ken edit`"));
    }
    Ok(addition)
}

/// IN-6, step 2: an entry of the same kind and reach that says the same in other words, and differs in nothing that counts.
fn same_in_other_words<'a>(near: &'a [NearEntry], request: &AddRequest) -> Option<&'a NearEntry> {
    near.iter().take_while(|near| near.cosine > request.judged.same_min).find(|near| {
        is_comparable(request.kind, &request.fields, &near.entry)
            && different(&request.fields, &near.entry.fields).is_empty()
    })
}

/// Whether an entry could be the same one as some content: it is handed out, of its kind, and reaches as far.
pub(super) fn is_comparable(kind: Type, fields: &Fields, entry: &Entry) -> bool {
    entry.kind.known() == Some(kind)
        && entry.fields.subtype == fields.subtype
        && entry.status.is_retrieved()
        && entry.fields.scope_key() == fields.scope_key()
}

/// What keeps two claims apart, if anything does.
pub(super) fn different(one: &Fields, two: &Fields) -> Vec<Difference> {
    let (said, other) = (one.statement(), two.statement());
    let (one, two) = (Claim { text: &said, ..beside(one) }, Claim { text: &other, ..beside(two) });
    similar::differences(&one, &two)
}

/// What is recorded beside a claim.
fn beside(fields: &Fields) -> Claim<'_> {
    Claim { text: "", polarity: fields.polarity, anchors: &fields.anchors }
}

fn reinforce_in_other_words(existing: &Entry, cosine: f64, request: AddRequest) -> Addition {
    let statement = request.fields.statement().into_owned();
    let more = said_more(existing, &request);
    let mut addition = reinforce(existing, request.id.as_ref(), request.evidence);
    let said = format!("{} says the same in other words ({cosine:.2})", existing.handle());
    if existing.wordings.contains(&statement) {
        addition.reasons.insert(0, said);
    } else {
        let cited = addition.intents.len();
        let cited = match cited {
            0 => String::new(),
            1 => ", and 1 citation".to_owned(),
            n => format!(", and {n} citations"),
        };
        addition.reasons[0] = format!("{said}; your wording{cited} was added to it");
        let similarity = thousandths(cosine);
        let body = Body::Entry(EntryEvent::Reinforced { statement, similarity, withdrawn: false });
        addition.intents.push(about(existing, body));
    }
    addition.take(more);
    addition
}

/// What becomes of what a repeat says beside the claim of an entry.
#[derive(Default)]
struct SaidMore {
    intents: Vec<Intent>,
    told: Vec<String>,
}

impl Addition {
    fn take(&mut self, more: SaidMore) {
        if self.intents.is_empty() && !more.intents.is_empty() {
            self.reasons[0] = format!("{} already says this", self.id);
        }
        self.intents.extend(more.intents);
        self.reasons.extend(more.told);
    }
}

/// What a repeat says beside the claim: a draft takes the parts that it lacks, and labels. Of any other entry the writer is told what it did not
/// take. What is brought from elsewhere says the rest in its own file.
fn said_more(existing: &Entry, request: &AddRequest) -> SaidMore {
    if !matches!(request.judged.arrival.from, Origin::Local) {
        return SaidMore::default();
    }
    let (new, old) = (&request.fields, &existing.fields);
    let labels = |new: &BTreeSet<crate::fields::Tag>, old: &BTreeSet<crate::fields::Tag>| -> Vec<String> {
        new.difference(old).map(ToString::to_string).collect()
    };
    let mut change = super::Change {
        tags_add: labels(&new.tags, &old.tags),
        domains_add: labels(&new.domains, &old.domains),
        reason: Some("stated again".to_owned()),
        scan: Some(request.judged.scan.clone()),
        ..super::Change::default()
    };
    let (mut lacking, mut own) = (Vec::new(), Vec::new());
    if !new.anchors.is_empty() && old.anchors.is_empty() {
        lacking.push("anchors");
        change.set.insert("anchors".to_owned(), serde_json::to_value(&new.anchors).unwrap_or_default());
    }
    if !new.verification.is_empty() && old.verification.is_empty() {
        lacking.push("verification");
        change.set.insert("verification".to_owned(), Value::from(new.verification.clone()));
    } else if !new.verification.is_empty() && old.verification != new.verification {
        own.push("verification");
    }
    lacking.extend((!change.tags_add.is_empty()).then_some("tags"));
    lacking.extend((!change.domains_add.is_empty()).then_some("domains"));
    let stands = Entry { status: existing.standing, ..existing.clone() };
    let revised = match stands.is_draft() && !lacking.is_empty() {
        true => super::revise(existing, change).unwrap_or_default(),
        false => Vec::new(),
    };
    let mut told = Vec::new();
    match revised.is_empty() {
        true => own.extend(lacking),
        false => told.push(format!("your {} were added to it", lacking.join(", "))),
    }
    if !own.is_empty() {
        told.push(format!("it did not take your {}; change it with `ken edit`", own.join(", ")));
    }
    SaidMore { intents: revised, told }
}

/// A cosine as the ledger holds it.
pub(super) fn thousandths(cosine: f64) -> u32 {
    (cosine.clamp(0.0, 1.0) * 1000.0).round() as u32
}

/// Decides one more citation for an entry. Saying it twice is not an error.
pub fn cite(entry: &Entry, citation: Citation) -> Vec<Intent> {
    if entry.evidence().any(|have| have.is_of_same(&citation)) {
        return Vec::new();
    }
    vec![citing(entry.key, citation)]
}

fn reinforce(existing: &Entry, id: Option<&GivenId>, evidence: Vec<Citation>) -> Addition {
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let mut intents = Vec::new();
    for citation in evidence {
        if seen.insert((citation.evidence_type.word().to_owned(), citation.evidence_ref.clone())) {
            intents.extend(cite(existing, citation));
        }
    }
    let shown = existing.id();
    let mut reasons = vec![match intents.len() {
        0 if seen.is_empty() => format!("{shown} already says this; nothing was written"),
        0 => format!("{shown} already says this, with the same evidence; nothing was written"),
        n => format!("{shown} already says this; {n} citation{} added to it", if n == 1 { "" } else { "s" }),
    }];
    if id.is_some_and(|id| existing.given_id.as_ref() != Some(id)) {
        reasons.push(format!("it keeps its own id {shown}"));
    }
    if !existing.status.is_retrieved() {
        reasons.push(format!("it is {}; `ken restore {shown}` restores it", existing.status));
    } else if existing.status != Status::Candidate {
        reasons.push(format!("it is {}", existing.status));
    }
    Addition {
        outcome: Outcome::Reinforced,
        key: existing.key,
        handle: existing.handle(),
        id: shown,
        reasons,
        gaps: Vec::new(),
        intents,
        admission: None,
        is_retired: !existing.status.is_retrieved(),
    }
}

fn provenance_required(kind: Type, missing: &[Gap]) -> Refusal {
    let others: Vec<&Gap> = missing.iter().filter(|gap| **gap != Gap::Provenance).collect();
    let also = match others.is_empty() {
        true => String::new(),
        false => format!(
            "; it also needs {}",
            others.iter().map(|gap| gap.needed()).collect::<Vec<_>>().join(" and ")
        ),
    };
    let mut refusal = Refusal::new(
        Code::ProvenanceRequired,
        format!("provenance required: {} needs evidence{also}", with_article(kind)),
    )
    .field("provenance")
    .hint(would_pass(kind, missing));
    refusal.faults.extend(others.into_iter().map(fault));
    refusal
}

fn incomplete(kind: Type, missing: &[Gap]) -> Refusal {
    let faults: Vec<Fault> = missing.iter().map(fault).collect();
    Refusal::from_faults(Code::Incomplete, faults)
        .expect("something is missing")
        .hint(would_pass(kind, missing))
}

fn fault(gap: &Gap) -> Fault {
    let problem = match gap {
        Gap::Provenance => "provenance required: at least one citation, --evidence KIND:REF",
        Gap::Anchor => "at least one anchor in the code, --anchor PATH[:A-B|#SYMBOL]",
        Gap::Verification => "one to three verification steps, --verify TEXT",
    };
    let field = match gap {
        Gap::Provenance => "provenance",
        Gap::Anchor => "anchors",
        Gap::Verification => "verification",
    };
    Fault { field: field.to_owned(), problem: problem.to_owned() }
}

/// The command that would pass (ENT-4).
fn would_pass(kind: Type, missing: &[Gap]) -> String {
    let mut command = format!("add what is missing: ken add {kind} ...");
    for gap in missing {
        command.push_str(match gap {
            Gap::Provenance => " --evidence commit:HASH",
            Gap::Anchor => " --anchor src/FILE:10-20",
            Gap::Verification => " --verify 'how to check it'",
        });
    }
    command + "; or add it incomplete: --draft"
}
