//! How an entry is shown: the same facts at every door.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use ken_core::admission::{Admission, Admitted};
use ken_core::entry::Gap;
use ken_core::judged::Release;
use ken_core::{
    Citation, Clock, Confirmation as Kind, Entry, EntryHead, EntryKey, Fields, Link, Millis, Overlay,
    Relation, Scan, Scope, Status, Tier as CoreTier, Type,
};
use serde::Serialize;
use serde_json::{Map, Value};

use ken_core::promotion::Authority;
use ken_core::signal::{SignalState, state_of};
use ken_core::words::one_line;

use crate::deliver::{self, Failures};
use crate::error::Result;
use crate::limits::view::{LINKED_FROM_MAX, SOURCES_MAX};
use crate::ports::Stored;
use crate::projection::Projection;
use crate::validity::Validity;

/// An entry with everything that is known of it: the answer of `show`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntryView {
    /// The id it answers to.
    pub id: String,
    /// Its short citation; the id where its type has none.
    pub handle: String,
    /// Its name in events.
    pub key: String,
    /// The memory it belongs to.
    pub memory: &'static str,
    #[serde(rename = "type")]
    pub kind: String,
    /// The schema its fields follow.
    pub schema_version: &'static str,
    /// What this clone lays over it; left out where that is nothing.
    #[serde(skip_serializing_if = "Overlay::is_empty")]
    pub overlay: Overlay,
    /// Where it stands.
    pub status: Status,
    /// Why it stands there, if anybody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    /// What it says, field by field.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(with = "ShownFields"))]
    pub fields: Map<String, Value>,
    /// Of a norm, and of what came from records: whether a person gave it authority here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<Authority>,
    /// What it rests on, as a request names it: `pr:1`. What was withdrawn is left out.
    pub evidence: Vec<String>,
    /// The same with who cited it and when; what was withdrawn is listed too.
    pub provenance: Vec<Citation>,
    /// Whether it still holds.
    pub validity: Validity,
    /// How it did when it was used.
    pub belief: Belief,
    /// The latest independent confirmation.
    pub last_confirmed: Option<String>,
    /// When a verification step of it last passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved: Option<String>,
    /// The kind of the latest confirmation.
    pub confirmation: Option<Kind>,
    /// Reviews since then in which it was shown and not found again.
    pub review_debt: u32,
    /// Questions to which it was the best answer and none, and words of feedback that it did not help.
    pub prediction_errors: u32,
    /// Parts it lacks.
    pub gaps: Vec<Gap>,
    /// None of its evidence could be found here.
    pub unverified: bool,
    #[serde(flatten)]
    pub failures: Failures,
    /// How far somebody got with it, where it is a signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<SignalState>,
    /// Ties to other entries.
    pub links: Vec<LinkView>,
    /// Ties that other entries have to it; `to` is the other one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub linked_from: Vec<LinkView>,
    /// The entry that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The entry that stands for it, because both say the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// The entries that it stands for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
    /// Stages of the intake that did not run.
    pub not_run: Vec<String>,
    /// What the scanner said of what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan: Option<Scan>,
    /// What spoke for it when it came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admission: Option<AdmissionView>,
    /// Who let it in after it was kept out, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released: Option<Release>,
    /// Entries it was made from that the scanner had something to say about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taint: Vec<Taint>,
    /// Entries that seem to say the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar_to: Vec<Similar>,
    /// The same in the words of others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wordings: Vec<String>,
    /// Whether it is in this branch's ledger files.
    pub on_this_branch: bool,
    /// How many of its events are not.
    #[serde(skip_serializing_if = "is_zero")]
    pub events_elsewhere: u32,
    /// Its ledger file.
    pub file: Option<String>,
    /// When it was first stated where it comes from; never later than now.
    pub created: String,
    /// When it came here, if it was stated elsewhere and earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
    pub created_by: String,
    /// When it last changed; never later than now.
    pub updated: String,
    /// Which year a wrong clock dated its latest change (COR-4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_clock: Option<String>,
    /// The code at its anchors, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<AnchorCode>,
    /// Who was shown it, oldest first, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exposures: Vec<ExposureView>,
    /// Entries that successful runs used together with it, the strongest first, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_with: Vec<UsedWith>,
}

/// The code at an anchor, as it was captured and as it is now.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnchorCode {
    /// The anchor, as it was written.
    pub at: String,
    /// None where nothing was captured, or git does not have the file as it was.
    pub captured: Option<Excerpt>,
    /// None where it is not there any more, or cannot be read.
    pub now: Option<Excerpt>,
    /// Why one of them is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Excerpt {
    pub path: String,
    /// The number of the first line.
    pub line: u32,
    /// The lines, without secrets.
    pub text: String,
    /// There are more lines than these.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// That somebody was shown an entry.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExposureView {
    /// The run, or `@` with the day outside of any.
    pub run: String,
    pub agent: String,
    /// `injected`, `pulled` ...
    pub how: String,
    pub at: String,
}

/// An entry that successful runs used together with another.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UsedWith {
    pub id: String,
    pub handle: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How much that counts now (OUT-6).
    pub weight: f64,
}

/// What spoke for an entry when it came in (IN-5).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AdmissionView {
    /// What became of it.
    pub outcome: Admitted,
    pub score: f64,
    /// Each signal's value.
    pub signals: BTreeMap<&'static str, f64>,
    /// Why it was demoted or kept out.
    pub flags: Vec<String>,
}

impl From<&Admission> for AdmissionView {
    fn from(admission: &Admission) -> Self {
        AdmissionView {
            outcome: admission.outcome,
            score: f64::from(admission.score) / 1000.0,
            signals: admission.values().collect(),
            flags: admission.flags.clone(),
        }
    }
}

/// Something that an entry was made from and that is not clean.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Taint {
    pub from: String,
    /// What the scanner said of it.
    pub tier: CoreTier,
}

/// An entry that seems to say the same.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Similar {
    pub id: String,
    /// How near in meaning.
    pub similarity: f64,
}

/// What an entry was made from (derived, merged, superseded) and the scanner had something to say about. A clean text made from a
/// tainted one stays marked until a person released the source.
pub fn taint(ledger: &dyn Projection, entry: &Entry) -> Result<Vec<Taint>> {
    let sources = |entry: &Entry| -> Vec<EntryKey> {
        let made_from = |link: &&Link| matches!(link.relation, Relation::DerivedFrom | Relation::Supersedes);
        entry.links.iter().filter(made_from).map(|link| link.to).collect()
    };
    let mut ahead = sources(entry);
    let mut seen: BTreeSet<EntryKey> = BTreeSet::from([entry.key]);
    let mut found = Vec::new();
    while let Some(key) = ahead.pop() {
        if !seen.insert(key) || seen.len() > SOURCES_MAX {
            continue;
        }
        let Some(source) = ledger.stored(key)? else { continue };
        let tier = source.entry.scan.as_ref().map_or(CoreTier::Safe, |scan| scan.tier);
        if tier >= CoreTier::Medium && source.entry.released.is_none() {
            found.push(Taint { from: source.id.clone(), tier });
        }
        ahead.extend(sources(&source.entry));
    }
    Ok(found)
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// How far an entry can be believed (BEL-10).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Belief {
    /// Weight of what spoke for it.
    pub alpha: f64,
    /// Weight of what spoke against it.
    pub beta: f64,
    /// The expected rate of success.
    pub mean: f64,
    /// How much of the certainty bar is filled, 0 to 1.
    pub certainty: f64,
    /// How many observations count now, beyond the prior.
    pub observations: f64,
}

/// The belief in an entry on the day of some time.
pub fn belief(entry: &Entry, now: Millis) -> Belief {
    let folded = ken_core::belief::belief_at(entry, now);
    Belief {
        alpha: folded.now.alpha,
        beta: folded.now.beta,
        mean: folded.now.mean(),
        certainty: folded.now.certainty(),
        observations: folded.observations(),
    }
}

/// REV-4: reviews since its latest independent confirmation in which an entry was injected. One that reaches beyond a project has a
/// debt in each. False positives carry none, and what is not retrieved has nothing to prove.
pub fn review_debt(ledger: &dyn Projection, entry: &Entry) -> Result<u32> {
    let counts = debts(ledger, entry)?.into_values();
    Ok(match entry.fields.scope() {
        Scope::Global => counts.max().unwrap_or(0),
        Scope::Thread | Scope::Project => counts.sum(),
    })
}

/// The same, as far as one project is concerned.
pub fn review_debt_in(ledger: &dyn Projection, entry: &Entry, project: &str) -> Result<u32> {
    match entry.fields.scope() {
        Scope::Global => Ok(debts(ledger, entry)?.get(project).copied().unwrap_or(0)),
        Scope::Thread | Scope::Project => review_debt(ledger, entry),
    }
}

/// What is owed in each project.
fn debts(ledger: &dyn Projection, entry: &Entry) -> Result<BTreeMap<String, u32>> {
    let mut by_project: BTreeMap<String, u32> = BTreeMap::new();
    if entry.kind.known() == Some(Type::FalsePositive) {
        return Ok(by_project);
    }
    let since = entry.last_confirmed.unwrap_or(Clock::ZERO);
    for injected in ledger.injected(entry.key)?.into_iter().filter(|injected| injected.clock > since) {
        *by_project.entry(injected.project).or_default() += 1;
    }
    Ok(by_project)
}

/// A tie, with what is at its other end.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkView {
    pub relation: Relation,
    /// The other entry's id, or its key when it is not here.
    pub to: String,
    /// The other entry's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// An entry in one line: the answer of `list`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntryLine {
    /// The fields that every answer has.
    #[serde(flatten)]
    pub head: EntryHead,
    /// What this clone lays over it; left out where that is nothing.
    #[serde(skip_serializing_if = "Overlay::is_empty")]
    pub overlay: Overlay,
    pub statement: String,
    pub tags: Vec<String>,
    pub domains: Vec<String>,
    /// How far it reaches.
    pub scope: &'static str,
    /// The reviewer whose knowledge it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// How far it can be believed.
    pub belief: Belief,
    /// Parts it lacks.
    pub gaps: Vec<Gap>,
    /// None of its evidence could be found here.
    pub unverified: bool,
    #[serde(flatten)]
    pub failures: Failures,
    /// Of a norm: who said that it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<String>,
    /// Whether it is in this branch's ledger files.
    pub on_this_branch: bool,
    /// When it was first stated where it comes from; never later than now.
    pub created: String,
    /// When it came here, if it was stated elsewhere and earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
    pub created_by: String,
    /// When it last changed; never later than now.
    pub updated: String,
    /// Which year a wrong clock dated its latest change (COR-4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_clock: Option<String>,
    /// Its ties to other entries, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkView>,
    /// Entries of the same answer that successful runs used together with it, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_with: Vec<UsedWith>,
}

/// A line is read like the head that it begins with.
impl std::ops::Deref for EntryLine {
    type Target = EntryHead;

    fn deref(&self) -> &EntryHead {
        &self.head
    }
}

/// The fields by which every answer names an entry.
pub fn head(stored: &Stored) -> EntryHead {
    EntryHead {
        title: shown_title(&title(&stored.entry)),
        ..EntryHead::new(&stored.entry, stored.id.clone())
    }
}

/// A title on one line, as it may stand before an agent.
pub fn shown_title(title: &str) -> String {
    one_line(&deliver::safe(title), usize::MAX)
}

/// The lines of entries, with the runs that failed.
pub fn lines(ledger: &dyn Projection, entries: &[Stored], now: Millis) -> Result<Vec<EntryLine>> {
    let failures = deliver::failures(ledger, &entries.iter().collect::<Vec<_>>())?;
    let lines = entries.iter().zip(failures);
    Ok(lines.map(|(stored, failures)| EntryLine { failures, ..line(stored, now) }).collect())
}

/// The line of an entry by what it says itself.
pub fn line(stored: &Stored, now: Millis) -> EntryLine {
    let entry = &stored.entry;
    EntryLine {
        head: head(stored),
        overlay: stored.overlay.clone(),
        statement: entry.fields.statement().into_owned(),
        tags: entry.fields.tags.iter().map(|tag| tag.to_string()).collect(),
        domains: entry.fields.domains.iter().map(|tag| tag.to_string()).collect(),
        scope: entry.fields.scope().word(),
        reviewer: entry.fields.reviewer.clone(),
        belief: belief(entry, now),
        gaps: entry.gaps(),
        unverified: entry.is_unverified(),
        failures: Failures::default(),
        approved: entry.approvals.last().map(|approval| approval.told()),
        on_this_branch: stored.is_on_branch(),
        created: entry.stated_at().shown(now).to_string(),
        imported: imported(entry, now),
        created_by: entry.created_by.clone(),
        updated: entry.changed_at().shown(now).to_string(),
        wrong_clock: wrong_clock(entry, now),
        links: Vec::new(),
        used_with: Vec::new(),
    }
}

/// When an entry came here that was stated elsewhere and earlier.
fn imported(entry: &Entry, now: Millis) -> Option<String> {
    (entry.stated_at() < entry.created).then(|| entry.created.shown(now).to_string())
}

/// What is said of an entry whose latest change a wrong clock dated.
fn wrong_clock(entry: &Entry, now: Millis) -> Option<String> {
    entry.updated.is_wrong_at(now).then(|| entry.updated.told_wrong())
}

/// What an entry is called in a list. Of one that was kept out nothing is shown but why.
pub fn title(entry: &Entry) -> String {
    match (entry.status, entry.status_reason.as_deref()) {
        (Status::Rejected, Some(reason)) => format!("(quarantined) {reason}"),
        (Status::Rejected, None) => "(quarantined)".to_owned(),
        _ => entry.fields.title().into_owned(),
    }
}

/// The short citation, or the id as it is shown.
pub fn handle(stored: &Stored) -> String {
    stored.entry.handle.clone().unwrap_or_else(|| stored.id.clone())
}

/// The whole view of an entry.
pub fn view(ledger: &dyn Projection, stored: &Stored, now: Millis) -> Result<EntryView> {
    let entry = &stored.entry;
    let tie = |relation: Relation, key: EntryKey| -> Result<LinkView> {
        let other = ledger.stored(key)?;
        let to = other.as_ref().map_or_else(|| key.to_string(), |other| other.id.clone());
        let shown = other.filter(|other| !other.overlay.hides());
        let title = shown.map(|other| other.entry.fields.title().into_owned());
        Ok(LinkView { relation, to, title })
    };
    let links = entry.links.iter().map(|link| tie(link.relation, link.to)).collect::<Result<Vec<_>>>()?;
    let mut linked_from = Vec::new();
    for (relation, key) in ledger.tied_to(entry.key)? {
        // What replaced it is named already.
        if !(relation == Relation::Supersedes && entry.superseded_by == Some(key)) {
            linked_from.push(tie(relation, key)?);
        }
    }
    linked_from.sort_by(|one, other| (one.relation.word(), &one.to).cmp(&(other.relation.word(), &other.to)));
    linked_from.truncate(LINKED_FROM_MAX);
    let superseded_by = match entry.superseded_by {
        Some(key) => Some(ledger.stored(key)?.map_or_else(|| key.to_string(), |other| other.id)),
        None => None,
    };
    let merged_into = crate::ops::merge::merged_into(stored).and_then(|_| superseded_by.clone());
    let mut merged_from = Vec::new();
    for key in &entry.pool.from {
        merged_from.extend(ledger.stored(*key)?.map(|other| other.id));
    }
    merged_from.sort();
    let mut similar_to = Vec::new();
    for (key, similarity) in entry.similar_to.iter().filter(|(key, _)| !entry.unlike.contains(key)) {
        let is_shown = |other: &Stored| other.entry.status.is_retrieved() && !other.overlay.hides();
        if let Some(other) = ledger.stored(*key)?.filter(is_shown) {
            similar_to.push(Similar { id: other.id, similarity: f64::from(*similarity) / 1000.0 });
        }
    }
    Ok(EntryView {
        id: stored.id.clone(),
        handle: handle(stored),
        key: entry.key.to_string(),
        memory: entry.memory().word(),
        kind: entry.kind.word().to_owned(),
        schema_version: ken_core::schema::SCHEMA_VERSION,
        overlay: stored.overlay.clone(),
        status: entry.status,
        status_reason: entry.status_reason.clone().filter(|reason| !reason.is_empty()),
        fields: shown_fields(&with_domains(entry)),
        authority: None,
        evidence: references(entry),
        provenance: entry.shown_citations().cloned().collect(),
        validity: stored.validity.clone(),
        belief: belief(entry, now),
        last_confirmed: entry.last_confirmed.map(|clock| clock.shown_date(now)),
        proved: entry.proved.map(|clock| clock.shown_date(now)),
        confirmation: entry.confirmation,
        review_debt: review_debt(ledger, entry)?,
        prediction_errors: entry.missed,
        gaps: entry.gaps(),
        unverified: entry.is_unverified(),
        failures: deliver::failures(ledger, &[stored])?.pop().unwrap_or_default(),
        state: state_of(entry),
        links,
        linked_from,
        superseded_by,
        merged_into,
        merged_from,
        not_run: entry.not_run.clone(),
        scan: entry.scan.clone(),
        admission: entry.admission.as_ref().map(AdmissionView::from),
        released: entry.released.clone(),
        taint: taint(ledger, entry)?,
        similar_to,
        wordings: entry.wordings.iter().cloned().collect(),
        on_this_branch: stored.is_on_branch(),
        events_elsewhere: stored.events_elsewhere(),
        file: stored.file().map(|file| ken_guard::redact(file).into_owned()),
        created: entry.stated_at().shown(now).to_string(),
        imported: imported(entry, now),
        created_by: entry.created_by.clone(),
        updated: entry.changed_at().shown(now).to_string(),
        wrong_clock: wrong_clock(entry, now),
        code: Vec::new(),
        exposures: Vec::new(),
        used_with: Vec::new(),
    })
}

/// The fields, with the domains of the entries that it stands for.
fn with_domains(entry: &Entry) -> Cow<'_, Fields> {
    if entry.pool.domains.is_empty() {
        return Cow::Borrowed(&entry.fields);
    }
    Cow::Owned(Fields { domains: entry.whole_domains().into_owned(), ..entry.fields.clone() })
}

/// What it cites; what several people cite is named once.
fn references(entry: &Entry) -> Vec<String> {
    let mut references: Vec<String> = Vec::new();
    for reference in entry.evidence().map(Citation::reference) {
        if !references.contains(&reference) {
            references.push(reference);
        }
    }
    references
}

/// The fields that every answer has, even where they say nothing: lists, then texts.
const LISTS_SHOWN: &[&str] = &["tags", "domains", "anchors", "verification", "depends_on"];
#[cfg(feature = "schema")]
const TEXTS_SHOWN: &[&str] = &["title", "statement", "scope", "decay_class"];

/// The schema of the fields as they are shown.
#[cfg(feature = "schema")]
struct ShownFields;

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ShownFields {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("ShownFields")
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let whole = Fields::json_schema(generator).to_value();
        let mut properties = whole.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            // What is not said is left out, never null.
            property.remove("default");
            if let Some(Value::Array(kinds)) = property.get("type")
                && let [kind, _] = kinds.as_slice()
            {
                let kind = kind.clone();
                property.insert("type".to_owned(), kind);
            }
            if let Some(one) = property.remove("anyOf").and_then(|arms| arms.get(0).cloned())
                && let Value::Object(one) = one
            {
                property.extend(one);
            }
        }
        let required: Vec<&str> = TEXTS_SHOWN.iter().chain(LISTS_SHOWN).copied().collect();
        schemars::json_schema!({"type": "object", "properties": properties, "required": required})
    }
}

/// The fields as they are, with those that every answer has.
fn shown_fields(fields: &Fields) -> Map<String, Value> {
    let Ok(Value::Object(mut map)) = serde_json::to_value(fields) else { return Map::new() };
    map.entry("title").or_insert_with(|| Value::from(fields.title()));
    map.entry("statement").or_insert_with(|| Value::from(fields.statement()));
    map.entry("scope").or_insert_with(|| Value::from(fields.scope().word()));
    map.entry("decay_class").or_insert_with(|| Value::from(fields.decay_class().word()));
    for name in LISTS_SHOWN.iter().copied() {
        map.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    }
    map
}
