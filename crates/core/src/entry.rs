//! An entry as it stands: the fold of its events.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::admission::Admission;
use crate::belief::{self, Mark, Moved, Record, Side};
use crate::clock::{Clock, Millis};
use crate::event::{
    Added, BeliefEvent, Body, Confirmed, EntryEvent, Event, GateEvent, LinkEvent, Merged, PromotionEvent,
    Rejected, Revised, RunEvent,
};
use crate::fields::{Citation, Fields, Tag};
use crate::ids::{EntryKey, EventHash, GivenId, ReplicaId};
use crate::judged::{Release, Scan};
use crate::kinds::{Confirmation, Memory, Relation, Scope, Status, Type, TypeName};
use crate::limits::{IMPORT_CALL_MILLIS, OBSERVATION_WEIGHT_MAX, VERIFIED_ORIGINS};
use crate::merge::{MergedInto, Pool};
use crate::promotion::{self, Approval, Approved};

mod basis;
mod statement;
mod trust;

pub use basis::Bases;
use statement::Statements;
pub use statement::{KeyCheck, claimed_key, rekey};
pub use trust::{Cost, is_about_words, is_unpinned, words};

/// An entry, folded from its events. Whatever can be computed from these is not kept here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// Its name in events.
    pub key: EntryKey,
    /// The statement whose words it has (COR-18); none where nobody states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_in: Option<EventHash>,
    /// The id that this statement gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_id: Option<GivenId>,
    /// Ids that other clones gave it when they stated the same. It is found by them while no other entry has them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub aliases: BTreeSet<GivenId>,
    /// Its short citation; an older `ken` gave one to lessons and spikes only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    #[serde(rename = "type")]
    pub kind: TypeName,
    /// What it says.
    #[serde(deserialize_with = "read_fields")]
    pub fields: Fields,
    /// Where it stands.
    pub status: Status,
    /// The last status in which it was handed out: where `restore` leads back to.
    pub standing: Status,
    /// Why it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    /// What it rests on. Citations are only ever added (ENT-4), and marked where they were withdrawn.
    pub citations: BTreeSet<Citation>,
    /// How it relates to others.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub links: BTreeSet<Link>,
    /// The entry that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<EntryKey>,
    /// The entry that was said to stand for it (UPK-1). Whether it does is settled by [`crate::merge::settle`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<MergedInto>,
    /// What it has of the entries it stands for; settled likewise, and no part of the fold.
    #[serde(default, skip_serializing_if = "Pool::is_empty")]
    pub pool: Pool,
    /// Stages of the way in that did not run when it entered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
    /// What the scanner said of what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan: Option<Scan>,
    /// What spoke for it when it came in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admission: Option<Admission>,
    /// A person's word that let it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released: Option<Release>,
    /// Entries that seem to say the same, and how near they are, in thousandths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub similar_to: BTreeMap<EntryKey, u32>,
    /// Those of them that somebody looked at and that say something else.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unlike: BTreeSet<EntryKey>,
    /// The same in the words of others.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub wordings: BTreeSet<String>,
    /// The latest independent confirmation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_confirmed: Option<Clock>,
    /// The kind of the latest confirmation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// Who said that it counts, to which words (GAT-2). Whether that holds is judged by [`crate::promotion::authority`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
    /// Changes of which a person said that they keep to it (GAT-3).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub attested: BTreeSet<Attested>,
    /// Who confirmed it independently: runs, and people by the day (IN-8).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub confirmed_by: BTreeSet<String>,
    /// What happened when it was used (BEL-2).
    #[serde(default, skip_serializing_if = "is_empty")]
    pub record: Record,
    /// When what it says last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revised: Option<Clock>,
    /// When a verification step of it last passed (VAL-4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved: Option<Clock>,
    /// The hash of its words as the ledger has them, where it is shown in others because secrets were taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger_words: Option<String>,
    /// When it was first said where it comes from, if that was elsewhere and earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Millis>,
    /// When it was first stated, and by whom.
    pub created: Clock,
    /// Who stated it first.
    pub created_by: String,
    /// The replica that stated it first.
    pub origin: ReplicaId,
    /// When it last changed.
    pub updated: Clock,
    /// How many events made it. This and what follows is kept last: a digest of the rest leaves it out.
    pub events: u32,
    /// Questions to which it was the best answer and none (OUT-5), and words of feedback that it did not help (BEL-4).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missed: u32,
}

fn is_empty(record: &Record) -> bool {
    record.0.is_empty()
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A tie to another entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    pub relation: Relation,
    pub to: EntryKey,
}

/// A person's word that a change keeps to a norm.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attested {
    pub change: String,
    pub by: String,
    pub at: Clock,
    /// What they had to say about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// ENT-5: a part that a native entry needs and this one lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Gap {
    Provenance,
    /// No place to look at.
    Anchor,
    /// No way to tell whether it holds.
    Verification,
}

impl Gap {
    /// The word used in answers.
    pub fn word(self) -> &'static str {
        match self {
            Gap::Provenance => "provenance",
            Gap::Anchor => "anchor",
            Gap::Verification => "verification",
        }
    }

    /// The flag that fills it.
    pub fn flag(self) -> &'static str {
        match self {
            Gap::Provenance => "--evidence",
            Gap::Anchor => "--anchor",
            Gap::Verification => "--verify",
        }
    }

    /// What is wanted, in a few words.
    pub fn needed(self) -> &'static str {
        match self {
            Gap::Provenance => "evidence (--evidence)",
            Gap::Anchor => "an anchor in the code (--anchor)",
            Gap::Verification => "a verification step (--verify)",
        }
    }
}

impl Entry {
    /// The id people use: the given one, else type and key (STO-8).
    pub fn id(&self) -> String {
        match &self.given_id {
            Some(id) => id.to_string(),
            None => format!("{}.{}", self.kind, self.key),
        }
    }

    /// The short citation, or the id where it has none.
    pub fn handle(&self) -> String {
        self.handle.clone().unwrap_or_else(|| self.id())
    }

    /// The memory it belongs to.
    pub fn memory(&self) -> Memory {
        self.kind.memory()
    }

    /// When it was first stated where it comes from, which may be long before it came here (COR-1).
    pub fn stated_at(&self) -> Clock {
        stated_at(self.created, self.since)
    }

    /// When it last changed. Being imported is no change: until something else happens, that is when it was stated (COR-1).
    pub fn changed_at(&self) -> Clock {
        if self.updated > self.created { self.updated } else { self.stated_at() }
    }

    /// When it was last known to be right: confirmed independently, or else stated.
    pub fn known_right_at(&self) -> Clock {
        self.last_confirmed.unwrap_or_else(|| self.stated_at())
    }

    /// What happened when it was used, and when those were that it stands for.
    pub fn whole_record(&self) -> Cow<'_, Record> {
        if self.pool.record.0.is_empty() {
            return Cow::Borrowed(&self.record);
        }
        let mut marks = self.record.0.clone();
        marks.extend(self.pool.record.0.iter().copied());
        // Stable: of one day its own come first.
        marks.sort_by_key(|mark| mark.day);
        Cow::Owned(Record(marks))
    }

    /// What it is about, with what those are about that it stands for.
    pub fn whole_domains(&self) -> Cow<'_, BTreeSet<Tag>> {
        if self.pool.domains.is_empty() {
            return Cow::Borrowed(&self.fields.domains);
        }
        Cow::Owned(self.fields.domains.union(&self.pool.domains).cloned().collect())
    }

    /// From when its age is counted (VAL-2): said, said anew, found out anew or proved; never from being read.
    pub fn age_from(&self) -> Clock {
        let first = self.stated_at();
        [self.revised, self.last_confirmed, self.proved].into_iter().flatten().fold(first, Clock::max)
    }

    /// What it cites, without what was withdrawn.
    pub fn evidence(&self) -> impl Iterator<Item = &Citation> + Clone {
        self.citations.iter().filter(|citation| !citation.withdrawn)
    }

    /// Whether none of its evidence could be looked up. One reference that nobody can look up takes nothing from the others.
    pub fn is_unverified(&self) -> bool {
        let mut evidence = self.evidence().peekable();
        evidence.peek().is_some() && evidence.all(|citation| citation.unverified)
    }

    /// What it cites as readers see it: what was withdrawn is listed too, unless the same person cited the same thing again.
    pub fn shown_citations(&self) -> impl Iterator<Item = &Citation> + Clone {
        self.citations.iter().filter(move |citation| {
            let again = |other: &Citation| {
                other.is_of_same(citation)
                    && (!other.withdrawn || (other.cited_at, other) > (citation.cited_at, *citation))
            };
            !citation.withdrawn || !self.citations.iter().any(again)
        })
    }

    /// The parts it lacks.
    pub fn gaps(&self) -> Vec<Gap> {
        // What was kept out says nothing, so it lacks nothing.
        if self.status == Status::Rejected {
            return Vec::new();
        }
        gaps(&self.kind, &self.fields, self.evidence().next().is_some())
    }

    /// COR-25: whether nothing but its source speaks for it. Reading that again proves nothing.
    pub fn rests_on_source(&self) -> bool {
        let lacks = self.fields.anchors.is_empty() || self.fields.verification.is_empty();
        lacks && is_of_source(&self.fields)
    }

    /// ENT-6: whether it changes by supersession only. A draft may be revised whatever its type (COR-28).
    pub fn is_immutable(&self) -> bool {
        (self.is_binding() || self.kind.known() == Some(Type::Spike)) && !self.is_draft()
    }

    /// COR-28: a candidate with gaps that nobody confirmed or approved.
    pub fn is_draft(&self) -> bool {
        self.status == Status::Candidate
            && self.confirmed_by.is_empty()
            && self.approvals.is_empty()
            && !self.gaps().is_empty()
    }

    /// Whether it is a decision or a norm: it holds until it is superseded, and its age says nothing against it (COR-33).
    pub fn is_binding(&self) -> bool {
        self.memory() == Memory::Procedural
            || (self.kind.known() == Some(Type::Experience)
                && self.fields.subtype.as_deref() == Some("decision"))
    }
}

impl Entry {
    /// The hash of the words that trust is earned for (COR-18).
    pub fn trusted_words(&self) -> String {
        self.ledger_words.clone().unwrap_or_else(|| words(&self.kind, &self.fields))
    }

    /// Names what it says: everything but labels of its standing.
    pub fn words_hash(&self) -> String {
        let mut fields = self.fields.clone();
        // What was seen at a place is not said by anybody.
        fields.anchors.iter_mut().for_each(|anchor| anchor.captured = None);
        let said = serde_json::to_value(&fields).unwrap_or_default();
        let said = crate::canonical::value_to_string(&said);
        blake3::hash(said.as_bytes()).to_hex()[..40].to_owned()
    }

    /// Names what it binds people to: what an approval is about. Labels may change without asking anybody again.
    pub fn binding_hash(&self) -> String {
        let mut fields = self.fields.clone();
        fields.tags.clear();
        fields.domains.clear();
        fields.anchors.clear();
        fields.thread = None;
        let said = serde_json::json!([self.kind, fields]);
        let said = crate::canonical::value_to_string(&said);
        blake3::hash(said.as_bytes()).to_hex()[..40].to_owned()
    }

    /// Keeps it out: nothing of what it says is left here.
    pub fn keep_out(&mut self, reason: String) {
        self.fields =
            Fields { scope: self.fields.scope, thread: self.fields.thread.take(), ..Fields::default() };
        self.wordings.clear();
        self.status = Status::Rejected;
        self.status_reason = Some(reason);
        self.superseded_by = None;
    }

    /// Takes a scan of some of its texts into what is known of all of them.
    fn scanned(&mut self, scan: Option<&Scan>) {
        if let Some(scan) = scan {
            let known = self.scan.as_ref() == Some(scan);
            if !known {
                self.scan = Some(self.scan.take().map_or_else(|| scan.clone(), |before| before.and(scan)));
            }
        }
    }
}

/// When something was said that arrived at some time and may be older where it comes from. Nothing is said after it arrived.
pub fn stated_at(arrived: Clock, since: Option<Millis>) -> Clock {
    since.map_or(arrived, |since| arrived.min(Clock::at(since)))
}

/// The attribute of a global entry that says which projects it comes from.
pub const ORIGINS: &str = "origins";

/// The field of the source of an entry that names the text of its page,
pub const PAGE_HASH: &str = "hash";
/// and the one that quotes it.
pub const PAGE_SENTENCE: &str = "sentence";

/// The parts that an entry of some type lacks.
pub fn gaps(kind: &TypeName, fields: &Fields, cited: bool) -> Vec<Gap> {
    let Some(kind) = kind.known() else { return Vec::new() };
    let mut gaps = Vec::new();
    if kind.needs_provenance() && !cited {
        gaps.push(Gap::Provenance);
    }
    // What came from several projects is anchored and checked there: its origins say where (DRI-2).
    let has_origins = fields.scope() == Scope::Global && fields.attributes.contains_key(ORIGINS);
    let is_held = has_origins || is_of_source(fields);
    if kind.needs_anchor() && fields.anchors.is_empty() && !is_held {
        gaps.push(Gap::Anchor);
    }
    if kind.needs_anchor() && fields.verification.is_empty() && !is_held {
        gaps.push(Gap::Verification);
    }
    gaps
}

/// Whether what an entry was taken from is its place, and reading that again its step.
fn is_of_source(fields: &Fields) -> bool {
    is_of_instructions(fields) || is_of_page(fields)
}

/// Whether an entry was taken from a page of the web, with the hash of its text and the sentence that it rests on (ENT-5).
fn is_of_page(fields: &Fields) -> bool {
    let Some(source) = fields.source.as_ref().filter(|source| source.page.is_some()) else { return false };
    let has =
        |name: &str| source.extra.get(name).and_then(Value::as_str).is_some_and(|said| !said.is_empty());
    has(PAGE_HASH) && has(PAGE_SENTENCE)
}

/// Whether an entry was imported from a file of instructions: the file is its place, and reading it again its step (COR-25).
fn is_of_instructions(fields: &Fields) -> bool {
    let path = fields.document.as_ref().and_then(|document| document.path.as_deref());
    let is_file = path.is_some_and(|path| !path.contains("://"));
    is_file && fields.subtype.as_deref() == Some("convention")
}

fn read_fields<'de, D: Deserializer<'de>>(from: D) -> Result<Fields, D::Error> {
    Box::<RawValue>::deserialize(from).map(|raw| Fields::read_text(raw.get()))
}

/// Set-like fields that change by member.
const SETS: &[&str] = &["tags", "domains"];

/// Folds the events of one entry, in whatever order and however often they come, into how it stands.
///
/// `None` when nothing states it: its first statement is missing or purged. An `entry.added` that claims something else than its key
/// says is not applied. Later statements of the same claim by other clones add their citations and nothing else. What earned trust
/// counts only for the words that it was about (COR-18). Purged hashes are left out.
pub fn fold<'a>(
    events: impl IntoIterator<Item = &'a Event>,
    purged: &dyn Fn(&EventHash) -> bool,
) -> Option<Entry> {
    let mut ordered: BTreeMap<_, &Event> =
        events.into_iter().filter(|e| !purged(&e.hash)).map(|event| (event.order(), event)).collect();
    let Statements { first, refused, others } = Statements::read(ordered.values().copied());
    if !refused.is_empty() {
        ordered.retain(|_, event| !refused.contains(&event.hash));
    }
    // Of what was kept out, only that it was is known.
    let first = first.or_else(|| {
        ordered.values().find_map(|event| match &event.body {
            Some(Body::Entry(EntryEvent::Rejected(rejected))) => Some((*event, First::rejected(rejected))),
            _ => None,
        })
    });
    let (first, stated) = first?;
    // Who gave an id was told that it holds; that an equal statement turns out to be the first must not take it away.
    let aliases = match others {
        0 => BTreeSet::new(),
        _ => {
            let added = ordered.values().filter_map(|event| match &event.body {
                Some(Body::Entry(EntryEvent::Added(added))) => added.id.clone(),
                _ => None,
            });
            added.filter(|id| Some(id) != stated.id.as_ref()).collect()
        }
    };
    let mut uncounted = trust::about_other_words(stated.kind, &stated.fields, ordered.values().copied());
    uncounted.extend(unfounded(ordered.values().copied()));
    uncounted.extend(trust::withdrawn(ordered.values().copied()));
    let mut entry = Entry {
        key: first.entry?,
        stated_in: stated.kept_out.is_none().then_some(first.hash),
        given_id: stated.id.clone(),
        aliases,
        handle: stated.handle.clone(),
        kind: stated.kind.clone(),
        fields: stated.fields,
        status: Status::Candidate,
        standing: Status::Candidate,
        status_reason: None,
        citations: BTreeSet::new(),
        links: BTreeSet::new(),
        superseded_by: None,
        merged_into: None,
        pool: Pool::default(),
        not_run: stated.not_run.to_vec(),
        scan: None,
        admission: None,
        released: None,
        similar_to: BTreeMap::new(),
        unlike: BTreeSet::new(),
        wordings: BTreeSet::new(),
        last_confirmed: None,
        confirmation: None,
        approvals: Vec::new(),
        attested: BTreeSet::new(),
        confirmed_by: BTreeSet::new(),
        record: Record::default(),
        revised: None,
        proved: None,
        ledger_words: None,
        since: stated.since,
        created: first.clock,
        created_by: first.actor.clone(),
        origin: first.replica,
        updated: first.clock,
        events: 0,
        missed: 0,
    };
    let mut earned = Status::Candidate;
    for event in ordered.values() {
        if uncounted.contains(&event.hash) {
            entry.events += 1;
        } else {
            apply(&mut entry, event, &mut earned);
        }
    }
    let counted = || ordered.values().copied().filter(|event| !uncounted.contains(&event.hash));
    entry.record = record(counted());
    entry.missed += unhelpful(counted());
    // Where nobody states it there is nothing that could be let in. Where somebody does, what was kept out elsewhere is judged
    // here, by what it says: a stranger's word does not hide what others wrote.
    if let Some(reason) = stated.kept_out {
        entry.keep_out(reason.clone());
    }
    Some(entry)
}

/// What the first statement of an entry tells, or the record that there was one.
struct First<'a> {
    kept_out: Option<&'a String>,
    kind: &'a TypeName,
    id: &'a Option<GivenId>,
    handle: &'a Option<String>,
    fields: Fields,
    not_run: &'a [String],
    since: Option<Millis>,
}

impl<'a> First<'a> {
    fn added(added: &'a Added) -> Self {
        First {
            kept_out: None,
            kind: &added.kind,
            id: &added.id,
            handle: &added.handle,
            fields: Fields::read(&added.fields),
            not_run: &added.not_run,
            since: added.since,
        }
    }

    fn rejected(rejected: &'a Rejected) -> Self {
        First {
            kept_out: Some(&rejected.reason),
            kind: &rejected.kind,
            id: &None,
            handle: &rejected.handle,
            fields: Fields::default(),
            not_run: &[],
            since: None,
        }
    }
}

/// One event onto an entry. Total: what it does not know it leaves alone.
///
/// `earned` is the highest status that it was promoted to so far.
fn apply(entry: &mut Entry, event: &Event, earned: &mut Status) {
    entry.events += 1;
    match &event.body {
        Some(Body::Entry(EntryEvent::Released { reason, .. })) => {
            let release = Release { by: event.actor.clone(), reason: reason.clone(), at: event.clock };
            entry.released = Some(release);
            entry.status_reason = Some(format!("released by {}: {reason}", event.actor));
            changed(entry, event);
        }
        Some(Body::Entry(change)) => {
            apply_change(entry, change, event.hash, earned);
            match change {
                EntryEvent::Revised(_) => entry.revised = entry.revised.max(Some(event.clock)),
                EntryEvent::Proved { .. } => entry.proved = entry.proved.max(Some(event.clock)),
                EntryEvent::Confirmed(confirmed) => confirm(entry, confirmed, event),
                EntryEvent::Merged(merged) => merge(entry, merged, event),
                _ => {}
            }
            // Finding a thing where it went, proving it or stating it once more is no change of what is said.
            let is_restated = matches!(change, EntryEvent::Added(_)) && entry.stated_in != Some(event.hash);
            if !is_restated
                && !matches!(
                    change,
                    EntryEvent::Cited { .. }
                        | EntryEvent::Reinforced { .. }
                        | EntryEvent::Reanchored { .. }
                        | EntryEvent::Proved { .. }
                        | EntryEvent::Confirmed(_)
                        | EntryEvent::Pinned { .. }
                        | EntryEvent::Merged(_)
                        | EntryEvent::Unmerged { .. }
                )
            {
                changed(entry, event);
            }
        }
        Some(Body::Link(LinkEvent::Linked { relation, to })) => {
            entry.links.insert(Link { relation: *relation, to: *to });
            // Of two entries that supersede each other the later word counts, and one of them is in use.
            let takes_back = *relation == Relation::Supersedes && entry.superseded_by == Some(*to);
            if takes_back && entry.status == Status::Superseded {
                (entry.status, entry.superseded_by) = (entry.standing, None);
                entry.status_reason = Some(format!("it supersedes {to}, which superseded it before"));
            }
            changed(entry, event);
        }
        Some(Body::Link(LinkEvent::Unlinked { relation, to })) => {
            entry.links.remove(&Link { relation: *relation, to: *to });
            changed(entry, event);
        }
        // A guess of a machine changes nothing until somebody acts on it.
        Some(Body::Link(LinkEvent::Proposed { to, similarity })) => {
            entry.similar_to.insert(*to, *similarity);
        }
        Some(Body::Link(LinkEvent::Dismissed { to, .. })) => {
            entry.unlike.insert(*to);
        }
        Some(Body::Run(RunEvent::Missed { .. })) => entry.missed += 1,
        // Reading an entry does not change it, and what a newer version says is kept in the ledger, not judged here. How it did when
        // it was used is added up apart.
        Some(Body::Run(_) | Body::Setting(_) | Body::Belief(_) | Body::Document(_) | Body::Forage(_))
        | None => {}
        Some(Body::Promotion(PromotionEvent::Approved(approved))) => {
            approve(entry, approved, event, earned);
        }
        Some(Body::Promotion(PromotionEvent::Proposed(_) | PromotionEvent::Rejected { .. })) => {}
        Some(Body::Gate(GateEvent::Attested { change, note, signature })) => {
            let (by, change, note) = (event.actor.clone(), change.clone(), note.clone());
            let signature = signature.clone();
            entry.attested.insert(Attested { change, by, at: event.clock, note, signature });
        }
    }
}

/// An event changed what an entry says or how it stands. What an import says beside the entry is no change of it (COR-1).
fn changed(entry: &mut Entry, event: &Event) {
    let after = event.clock.millis().0 - entry.created.millis().0;
    let is_imported = entry.since.is_some() && event.replica == entry.origin && after < IMPORT_CALL_MILLIS;
    if !is_imported {
        entry.updated = entry.updated.max(event.clock);
    }
}

/// A person said that it counts. A candidate among the norms is active from then on.
fn approve(entry: &mut Entry, approved: &Approved, event: &Event, earned: &mut Status) {
    entry.approvals.push(Approval {
        at: event.clock,
        by: event.actor.clone(),
        promotion: approved.promotion.clone(),
        words: approved.words.clone(),
        channel: approved.channel.clone(),
        solo: approved.solo,
        signature: approved.signature.clone(),
    });
    changed(entry, event);
    if entry.memory() == Memory::Procedural && entry.standing == Status::Candidate {
        entry.standing = Status::Active;
        *earned = higher(*earned, Status::Active);
        if entry.status == Status::Candidate {
            entry.status = Status::Active;
            entry.status_reason = Some(format!("approved by {}", promotion::name_of(&event.actor)));
        }
    }
}

/// How the source of an observation begins that is a word of feedback, and no run.
pub const FEEDBACK: &str = "feedback:";

/// What happened when it was used: one observation for each run and word of feedback, the latest (BEL-2, FED-2).
fn record<'a>(events: impl Iterator<Item = &'a Event>) -> Record {
    let mut ordered: Vec<&Event> =
        events.filter(|event| matches!(event.body, Some(Body::Belief(_)))).collect();
    ordered.sort_by_key(|event| (event.clock, event.replica, event.seq, event.hash));
    let mut marks: Vec<Option<Mark>> = Vec::new();
    let mut of_source: BTreeMap<&str, usize> = BTreeMap::new();
    for event in ordered {
        let Some(Body::Belief(moved)) = &event.body else { continue };
        let mut at = event.clock;
        let what = match moved {
            BeliefEvent::Observed { source, side, weight, at: since, .. } => {
                at = stated_at(at, *since);
                if let Some(before) = of_source.remove(source.as_str()) {
                    marks[before] = None;
                }
                // A word of no weight takes back what its source said before.
                if *weight == 0 {
                    continue;
                }
                of_source.insert(source, marks.len());
                // Nobody's word counts for more than the best outcome, whatever a line says.
                Moved::Observed(*side, (*weight).min(OBSERVATION_WEIGHT_MAX))
            }
            BeliefEvent::Reset { .. } => Moved::Reset,
            BeliefEvent::Widened { .. } => Moved::Widened,
        };
        marks.push(Some(Mark { day: belief::day(at.millis()), what }));
    }
    Record(marks.into_iter().flatten().collect())
}

/// BEL-4: voices whose latest word is that it did not help.
fn unhelpful<'a>(ordered: impl Iterator<Item = &'a Event>) -> u32 {
    let mut latest: BTreeMap<&str, Side> = BTreeMap::new();
    for event in ordered {
        if let Some(Body::Belief(BeliefEvent::Observed { source, side, weight, .. })) = &event.body
            && source.starts_with(FEEDBACK)
        {
            match weight {
                0 => latest.remove(source.as_str()),
                _ => latest.insert(source, *side),
            };
        }
    }
    u32::try_from(latest.values().filter(|side| **side == Side::Against).count()).unwrap_or(u32::MAX)
}

/// UPK-1: another entry is said to stand for it. What names no words speaks of none.
fn merge(entry: &mut Entry, merged: &Merged, event: &Event) {
    if event.words.is_none() {
        return;
    }
    entry.unlike.remove(&merged.into);
    entry.merged_into = Some(MergedInto {
        key: merged.into,
        words: merged.into_words.clone(),
        at: event.clock,
        by: event.actor.clone(),
        reason: merged.reason.clone(),
        counts: false,
    });
}

/// REV-3: found out anew, it is as good as new; repeated, it is what it was.
fn confirm(entry: &mut Entry, confirmed: &Confirmed, event: &Event) {
    entry.confirmation = Some(confirmed.kind);
    if confirmed.kind == Confirmation::Independent {
        // What happened elsewhere did not happen later than it was told here.
        let at = stated_at(event.clock, confirmed.at);
        entry.last_confirmed = entry.last_confirmed.max(Some(at));
        let by = confirmed.run.clone();
        let by = by.unwrap_or_else(|| format!("{} {}", event.actor, event.clock.millis().date()));
        entry.confirmed_by.insert(by);
    }
}

fn apply_change(entry: &mut Entry, change: &EntryEvent, hash: EventHash, earned: &mut Status) {
    if let EntryEvent::Promoted { status, .. } = change {
        *earned = higher(*earned, *status);
    }
    let (status, reason) = match change {
        EntryEvent::Added(added) => {
            entry.citations.extend(added.evidence.iter().cloned());
            if entry.stated_in == Some(hash) {
                entry.scanned(added.scan.as_ref());
                entry.admission = added.admission.clone().or_else(|| entry.admission.take());
            }
            return;
        }
        EntryEvent::Rejected(rejected) => {
            entry.scanned(Some(&rejected.scan));
            entry.admission = entry.admission.take().or_else(|| rejected.admission.clone());
            return;
        }
        EntryEvent::Reinforced { statement, withdrawn: false, .. } => {
            entry.wordings.insert(statement.clone());
            return;
        }
        EntryEvent::Reinforced { statement, withdrawn: true, .. } => {
            entry.wordings.remove(statement);
            return;
        }
        EntryEvent::Released { .. } => return,
        EntryEvent::Cited { citation } => {
            // The latest word on a citation counts: whoever made it can withdraw it, and make it again.
            let before = Citation { withdrawn: !citation.withdrawn, ..citation.clone() };
            entry.citations.remove(&before);
            entry.citations.insert(citation.clone());
            return;
        }
        EntryEvent::Revised(revised) => {
            entry.fields = revise(std::mem::take(&mut entry.fields), revised);
            // It is of everything the entry says then.
            entry.scan = revised.scan.clone().or(entry.scan.take());
            return;
        }
        EntryEvent::Reanchored { anchors } => {
            for change in anchors {
                if let Some(anchor) = entry.fields.anchors.iter_mut().find(|anchor| anchor.at == change.from)
                {
                    *anchor = change.to.clone();
                }
            }
            return;
        }
        EntryEvent::Purged { .. }
        | EntryEvent::Proved { .. }
        | EntryEvent::Confirmed(_)
        | EntryEvent::Merged(_)
        | EntryEvent::Pinned { .. } => return,
        EntryEvent::Unmerged { from, .. } => {
            entry.merged_into.take_if(|merged| merged.key == *from);
            entry.unlike.insert(*from);
            return;
        }
        // Norms are never put away by a machine (REV-4), and what somebody put away stays where they put it.
        EntryEvent::Staled { .. } if entry.memory() != Memory::Semantic || !entry.status.is_retrieved() => {
            return;
        }
        EntryEvent::Staled { reason } => (Status::Stale, reason),
        EntryEvent::Rescoped { scope, .. } => {
            entry.fields.scope = Some(*scope);
            entry.fields.thread = None;
            return;
        }
        // Two clones may find out on their own; nobody falls by rising.
        EntryEvent::Promoted { status, .. } if trust(*status) <= trust(entry.standing) => return,
        // What was put away meanwhile stays where it is; it comes back higher.
        EntryEvent::Promoted { status, .. } if !entry.status.is_retrieved() => {
            entry.standing = *status;
            return;
        }
        EntryEvent::Promoted { status, reason, .. } => (*status, reason),
        EntryEvent::Archived { reason } => (Status::Archived, reason),
        EntryEvent::Retracted { reason } => (Status::Retracted, reason),
        // Coming back is no promotion: nothing stands higher than it earned in these words.
        EntryEvent::Restored { status, reason } if trust(*status) > trust(*earned) => (*earned, reason),
        EntryEvent::Restored { status, reason } => (*status, reason),
        EntryEvent::Superseded { by, reason } => {
            entry.superseded_by = Some(*by);
            (Status::Superseded, reason)
        }
    };
    if status != Status::Superseded {
        entry.superseded_by = None;
    }
    if status.is_retrieved() {
        entry.standing = status;
    }
    entry.status = status;
    entry.status_reason = Some(reason.clone());
}

/// How high a status is on the ladder of trust.
pub(crate) fn trust(status: Status) -> u8 {
    match status {
        Status::Candidate => 1,
        Status::Active => 2,
        Status::Verified => 3,
        Status::Rejected | Status::Stale | Status::Archived | Status::Retracted | Status::Superseded => 0,
    }
}

fn higher(one: Status, other: Status) -> Status {
    if trust(other) > trust(one) { other } else { one }
}

/// Whether an event says that an entry is verified.
pub fn verifies(event: &Event) -> bool {
    matches!(&event.body, Some(Body::Entry(EntryEvent::Promoted { status: Status::Verified, .. })))
}

/// Events that say that an entry is verified although what they rest on does not bear it out (COR-19). Versions that did not name the
/// words did not name what they rest on either; theirs stand, unless a later version had spoken of the entry before.
pub fn unfounded<'a>(events: impl Iterator<Item = &'a Event> + Clone) -> Vec<EventHash> {
    let promotions: Vec<&Event> = events.clone().filter(|event| verifies(event)).collect();
    if promotions.is_empty() {
        return Vec::new();
    }
    let named_since = events.clone().find(|event| event.words.is_some() || event.upon.is_some());
    let is_of_older_version = |promotion: &Event| {
        promotion.words.is_none() && named_since.is_none_or(|since| promotion.order() < since.order())
    };
    let supporting = supporting(events);
    let is_founded = |promotion: &&Event| {
        let Some(Body::Entry(EntryEvent::Promoted { rests_on, .. })) = &promotion.body else { return true };
        if is_of_older_version(promotion) {
            return true;
        }
        let own = |event: &&&Event| rests_on.contains(&event.hash) || event.replica == promotion.replica;
        let mut origins = BTreeSet::new();
        supporting.iter().filter(own).any(|event| {
            match &event.body {
                Some(Body::Entry(EntryEvent::Promoted { .. })) => {}
                Some(Body::Entry(EntryEvent::Proved { accepted: true, .. })) => return true,
                Some(Body::Belief(BeliefEvent::Observed { witnessed: true, .. })) => return true,
                _ => drop(origins.insert(event.replica)),
            }
            origins.len() >= VERIFIED_ORIGINS
        })
    };
    promotions.iter().filter(|promotion| !is_founded(promotion)).map(|event| event.hash).collect()
}

/// The events that speak for the words an entry has now, in order: statements of its claim, and what was said of these very words
/// (COR-18). A change of the claim makes whoever changed it the only one who states it.
pub fn supporting<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<&'a Event> {
    let ordered: BTreeMap<_, &Event> = events.into_iter().map(|event| (event.order(), event)).collect();
    let Statements { first, refused, .. } = Statements::read(ordered.values().copied());
    let Some((_, stated)) = first else { return Vec::new() };
    let kept = ordered.values().copied().filter(|event| !refused.contains(&event.hash));
    let mut uncounted = trust::about_other_words(stated.kind, &stated.fields, kept.clone());
    uncounted.extend(trust::withdrawn(kept.clone()));
    let claim = |fields: &Fields| match stated.kind.known() {
        Some(known) => fields.claim(known),
        None => fields.statement().into_owned(),
    };
    let mut fields = stated.fields.clone();
    let mut supporting = Vec::new();
    for event in kept {
        match &event.body {
            Some(Body::Entry(EntryEvent::Added(_))) => supporting.push(event),
            Some(Body::Entry(EntryEvent::Revised(revised))) => {
                let before = claim(&fields);
                fields = revise(fields, revised);
                if claim(&fields) != before {
                    let states = |event: &&Event| !event.body.as_ref().is_some_and(is_about_words);
                    supporting.retain(|event| !states(event));
                    supporting.push(event);
                }
            }
            Some(body) if is_about_words(body) && !uncounted.contains(&event.hash) => supporting.push(event),
            _ => {}
        }
    }
    supporting
}

/// Fields after a revision.
pub fn revise(fields: Fields, revised: &Revised) -> Fields {
    let Ok(Value::Object(mut map)) = serde_json::to_value(&fields) else { return fields };
    for (name, value) in &revised.set {
        if value.is_null() {
            map.remove(name);
        } else {
            map.insert(name.clone(), value.clone());
        }
    }
    for name in SETS {
        let (add, remove) = (revised.add.get(*name), revised.remove.get(*name));
        if add.is_none() && remove.is_none() {
            continue;
        }
        // A newer version may hold these in a shape of its own: what is no text is left as it is, and so is what is no list.
        let mut members = match map.remove(*name) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(members)) => members,
            Some(other) => {
                map.insert((*name).to_owned(), other);
                continue;
            }
        };
        members.extend(add.into_iter().flatten().map(|member| Value::from(member.as_str())));
        let gone: BTreeSet<&str> = remove.into_iter().flatten().map(String::as_str).collect();
        let mut seen = BTreeSet::new();
        members.retain(|member| match member.as_str() {
            Some(text) => !gone.contains(text) && seen.insert(text.to_owned()),
            None => true,
        });
        if !members.is_empty() {
            map.insert((*name).to_owned(), Value::from(members));
        }
    }
    Fields::read(&Value::Object(map))
}
