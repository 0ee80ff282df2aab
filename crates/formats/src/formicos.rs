//! FormicOS: a log of events, replayed. An entry is the line that created it; later lines change what it says.

mod rewrite;

use std::collections::{BTreeMap, BTreeSet};

use ken_core::belief::Side;
use ken_core::kinds::{DecayClass, Polarity, Relation, Scope};
use ken_core::limits::OBSERVATION_WEIGHT_MAX;
use ken_core::{Millis, Type, canonical};
use serde_json::{Map, Value, json};

use crate::json_lines::{LineContent, Saying, lines, listed, push_text, text, time, words};
use crate::words::decay_class;
use crate::{Document, Format, Item, Observed, Outgoing, Part, Place, Rewritten, Role, Standing, StoreFacts};

pub(crate) struct FormicOs;

/// Events of this system that say nothing about an entry that we would read; they are kept.
const KEPT: &[&str] = &[
    "AddonLoaded",
    "AddonUnloaded",
    "AgentTurnCompleted",
    "AgentTurnStarted",
    "CRDTTimestampUpdated",
    "ColonyCompleted",
    "ColonyEscalated",
    "ColonyFailed",
    "ColonyKilled",
    "ColonySpawned",
    "ConfigSuggestionOverridden",
    "DeterministicServiceRegistered",
    "DomainStrategyUpdated",
    "ForageCycleCompleted",
    "ForageRequested",
    "ForagerDomainOverride",
    "KnowledgeAccessRecorded",
    "KnowledgeEdgeCreated",
    "KnowledgeEntityCreated",
    "KnowledgeEntityMerged",
    "KnowledgeEntryAnnotated",
    "MemoryExtractionCompleted",
    "ParallelPlanCreated",
    "QueenNoteSaved",
    "RoundCompleted",
    "RoundStarted",
    "ServiceQueryResolved",
    "ServiceQuerySent",
    "ServiceTriggerFired",
    "SkillConfidenceUpdated",
    "SkillMerged",
    "ThreadCreated",
    "ThreadStatusChanged",
    "TokensConsumed",
    "WorkflowStepCompleted",
    "WorkflowStepDefined",
    "WorkspaceConfigChanged",
    "WorkspaceCreated",
];
/// Reasons for which a confidence moves though nothing was observed.
const NOT_OBSERVED: &[&str] = &["archival_decay", "manual_reset", "operator_delete", rewrite::OWN_REASON];
/// Members of an entry that are read one by one.
const MEMBERS: &[&str] = &[
    "id",
    "entry_type",
    "polarity",
    "title",
    "content",
    "statement",
    "detail",
    "summary",
    "domains",
    "tags",
    "decay_class",
    "sub_type",
    "thread_id",
    "scope",
    "created_at",
    "source_colony_id",
    "source_agent",
    "source_peer",
];

impl Format for FormicOs {
    fn word(&self) -> &'static str {
        "formicos"
    }

    fn about(&self) -> &'static str {
        "FormicOS: an export of its events, a JSON line each"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        let names = ["MemoryEntryCreated", "MemoryEntryStatusChanged", "MemoryConfidenceUpdated"];
        let is_lines = path.ends_with(".jsonl") || path.ends_with(".ndjson");
        let is_event =
            |line: &str| ["\"type\"", "\"timestamp\"", "\"address\""].iter().all(|word| line.contains(word));
        let first = head.lines().next().unwrap_or_default();
        let is_named = names.iter().any(|name| head.contains(&format!("\"{name}\"")));
        match (is_lines, is_named, is_event(first)) {
            (true, true, _) => 96,
            (false, true, _) if first.trim_start().starts_with('{') => 82,
            (true, false, true) => 85,
            (true | false, _, _) => 0,
        }
    }

    fn read(&self, _path: &str, text: &str) -> Document {
        read(text)
    }

    fn rewrite(&self, item: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        if now.changed.is_empty() {
            return Rewritten::in_place(item.text);
        }
        rewrite::rewrite(item, now)
    }

    fn path_for(&self, _now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        let log = known.paths.iter().find(|path| path.ends_with(".jsonl"));
        Some(log.cloned().unwrap_or_else(|| "formicos.events.jsonl".to_owned()))
    }

    fn insert(&self, _path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        rewrite::insert(text, now)
    }
}

/// An event, whatever the shape in which it was exported.
struct Event {
    /// What stands around it.
    envelope: Map<String, Value>,
    /// What it says.
    says: Map<String, Value>,
    shape: Shape,
}

/// Where an event says what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Beside the envelope, as the events themselves are written.
    Flat,
    /// In an object `payload`.
    Payload,
    /// In a text `payload`, as the table of events has it.
    Text,
}

impl Event {
    fn parse(mut line: Map<String, Value>) -> Event {
        match line.get("payload") {
            Some(Value::Object(says)) => {
                let says = says.clone();
                line.remove("payload");
                Event { envelope: line, says, shape: Shape::Payload }
            }
            Some(Value::String(told)) => match serde_json::from_str(told) {
                Ok(Value::Object(says)) => {
                    line.remove("payload");
                    Event { envelope: line, says, shape: Shape::Text }
                }
                Ok(_) | Err(_) => Event { envelope: line.clone(), says: line, shape: Shape::Flat },
            },
            Some(_) | None => Event { envelope: line.clone(), says: line, shape: Shape::Flat },
        }
    }

    fn kind(&self) -> &str {
        text(&self.envelope, "type").or_else(|| text(&self.says, "type")).unwrap_or_default()
    }

    fn text(&self, key: &str) -> Option<&str> {
        text(&self.says, key)
    }

    /// When it happened.
    fn time(&self) -> Option<Millis> {
        self.envelope.get("timestamp").or_else(|| self.says.get("timestamp")).and_then(time)
    }

    fn number(&self, key: &str) -> f64 {
        self.says.get(key).and_then(Value::as_f64).unwrap_or_default()
    }
}

/// An entry as far as it was replayed.
struct Replayed {
    entry: Map<String, Value>,
    scope: Option<Scope>,
    standing: Standing,
    observed: Vec<Observed>,
    ties: Vec<(Relation, String)>,
    merged_from: Vec<Value>,
    assigned: BTreeMap<String, f64>,
    archived_by: BTreeSet<String>,
}

fn read(text: &str) -> Document {
    let mut notes = Vec::new();
    let mut broken = Vec::new();
    let mut entries: BTreeMap<String, Replayed> = BTreeMap::new();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    let mut pieces: Vec<(&str, usize, Option<String>)> = Vec::new();
    for line in lines(text) {
        let made = match line.said {
            LineContent::Nothing => None,
            LineContent::Wrong(why) => {
                broken.push(why);
                None
            }
            LineContent::Object(event) => {
                let event = Event::parse(event);
                replay(&event, line.number, &mut entries, &mut unknown, &mut notes)
            }
        };
        pieces.push((line.text, line.number, made));
    }
    for (kind, count) in unknown {
        let events = if count == 1 { "event" } else { "events" };
        notes.push(format!("{count} {events} of type `{kind}` that FormicOS does not have; kept unchanged"));
    }
    let mut parts = Vec::new();
    for (piece, number, made) in pieces {
        let known = made.as_ref().and_then(|id| Some((id, entries.get(id)?)));
        match known.map(|(id, known)| item(id, known, number, piece)) {
            None => push_text(&mut parts, piece),
            Some(Ok((item, more))) => {
                notes.extend(more);
                parts.push(Part::Item(Box::new(item)));
            }
            Some(Err(more)) => {
                notes.extend(more);
                push_text(&mut parts, piece);
            }
        }
    }
    Document { role: Role::Entries, parts, notes, broken }
}

/// Takes up an event, and gives back the id of the entry it created.
fn replay(
    event: &Event,
    number: usize,
    entries: &mut BTreeMap<String, Replayed>,
    unknown: &mut BTreeMap<String, usize>,
    notes: &mut Vec<String>,
) -> Option<String> {
    let kind = event.kind();
    if kind == "MemoryEntryCreated" {
        return created(event, number, entries, notes);
    }
    if KEPT.contains(&kind) {
        return None;
    }
    let own = match kind {
        "MemoryEntryMerged" => "target_id",
        "KnowledgeDistilled" => "distilled_entry_id",
        _ => "entry_id",
    };
    let id = event.text(own).unwrap_or_default().to_owned();
    if kind == "MemoryEntryMerged"
        && let Some(source) = event.text("source_id").and_then(|source| entries.get_mut(source))
    {
        source.standing = Standing::SupersededBy(id.clone());
    }
    if !is_read(kind) {
        *unknown.entry(kind.to_owned()).or_default() += 1;
        return None;
    }
    let Some(known) = entries.get_mut(&id) else {
        notes.push(format!("line {number}: `{id}` was never created; the line is kept unchanged"));
        return None;
    };
    let reason = |word: &str| event.text("reason").unwrap_or(word).to_owned();
    match kind {
        "MemoryEntryStatusChanged" => {
            let word = event.text("new_status").unwrap_or_default();
            let is_merged = event.text("reason").is_some_and(|why| why.starts_with("merged_into:"));
            match word {
                "rejected" if is_merged && matches!(known.standing, Standing::SupersededBy(_)) => (),
                "rejected" if event.text("reason").is_some_and(|why| why.starts_with("superseded_by:")) => {
                    let new = reason("").trim_start_matches("superseded_by:").trim().to_owned();
                    known.standing = Standing::SupersededBy(new);
                }
                "rejected" | "stale" | "deprecated" | "archived" => {
                    known.standing = Standing::Archived(reason(word));
                }
                _ => known.standing = Standing::Current,
            }
        }
        "MemoryEntryScopeChanged" => {
            let thread = event.text("new_thread_id").unwrap_or_default();
            known.entry.insert("thread_id".to_owned(), Value::from(thread));
            // An empty workspace stands for global, and is also what is written when a thread's entry becomes everybody's.
            let was_thread = event.text("old_thread_id").is_some();
            known.scope = match (thread.is_empty(), event.says.get("new_workspace_id")) {
                (false, _) => Some(Scope::Thread),
                (true, Some(Value::String(workspace))) if workspace.is_empty() && !was_thread => {
                    Some(Scope::Global)
                }
                (true, _) => Some(Scope::Project),
            };
        }
        "MemoryConfidenceUpdated" => known.observed.extend(observed(event, number)),
        "CRDTCounterIncremented" => {
            let side = match event.text("field") {
                Some("failures") => Side::Against,
                _ => Side::For,
            };
            let source = event.text("instance_id").unwrap_or("instance").to_owned();
            let weight = weight(event.number("delta"));
            known.observed.extend(weight.map(|weight| Observed {
                source,
                side,
                weight,
                reason: "counted".to_owned(),
                at: event.time(),
            }));
        }
        "CRDTSetElementAdded" => {
            let element = event.text("element").unwrap_or_default();
            match event.text("field") {
                Some("archived_by") => {
                    known.archived_by.insert(element.to_owned());
                    known.standing = Standing::Archived(format!("archived by {element}"));
                }
                Some("domains") => {
                    let mut domains = known.entry.get("domains").map(words).unwrap_or_default();
                    domains.push(element.to_owned());
                    known.entry.insert("domains".to_owned(), Value::from(domains));
                }
                Some(_) | None => (),
            }
        }
        "CRDTRegisterAssigned" => {
            let field = event.text("field").unwrap_or_default();
            let at = event.number("lww_timestamp");
            let is_late = known.assigned.get(field).is_none_or(|before| at >= *before);
            // What an entry is does not change with its words.
            if is_late && matches!(field, "content" | "decay_class") {
                known.assigned.insert(field.to_owned(), at);
                let value = event.says.get("value").cloned().unwrap_or_default();
                known.entry.insert(field.to_owned(), value);
            }
        }
        "MemoryEntryRefined" => {
            if let Some(content) = event.text("new_content") {
                known.entry.insert("content".to_owned(), Value::from(content));
                known.entry.remove("statement");
                known.entry.remove("detail");
            }
            if let Some(title) = event.text("new_title") {
                known.entry.insert("title".to_owned(), Value::from(title));
            }
        }
        "MemoryEntryMerged" => {
            if let Some(content) = event.text("merged_content") {
                known.entry.insert("content".to_owned(), Value::from(content));
                known.entry.remove("statement");
                known.entry.remove("detail");
            }
            if let Some(domains @ Value::Array(_)) = event.says.get("merged_domains") {
                known.entry.insert("domains".to_owned(), domains.clone());
            }
            let from = event.says.get("merged_from").and_then(Value::as_array).cloned().unwrap_or_default();
            for from in from {
                if !known.merged_from.contains(&from) {
                    known.merged_from.push(from);
                }
            }
        }
        "KnowledgeDistilled" => {
            known.entry.insert("decay_class".to_owned(), Value::from(DecayClass::Stable.word()));
            for source in event.says.get("source_entry_ids").map(listed).unwrap_or_default() {
                let tie = (Relation::DerivedFrom, source);
                if !known.ties.contains(&tie) {
                    known.ties.push(tie);
                }
            }
        }
        "KnowledgeEntryOperatorAction" => match event.text("action") {
            Some("invalidate") => known.standing = Standing::Retracted(reason("invalidated")),
            Some("reinstate") => known.standing = Standing::Current,
            Some(_) | None => (),
        },
        _ => (),
    }
    None
}

/// Events that change what is known of an entry.
fn is_read(kind: &str) -> bool {
    matches!(
        kind,
        "MemoryEntryStatusChanged"
            | "MemoryEntryScopeChanged"
            | "MemoryConfidenceUpdated"
            | "CRDTCounterIncremented"
            | "CRDTSetElementAdded"
            | "CRDTRegisterAssigned"
            | "MemoryEntryRefined"
            | "MemoryEntryMerged"
            | "KnowledgeDistilled"
            | "KnowledgeEntryOperatorAction"
    )
}

fn created(
    event: &Event,
    number: usize,
    entries: &mut BTreeMap<String, Replayed>,
    notes: &mut Vec<String>,
) -> Option<String> {
    let entry = match event.says.get("entry") {
        Some(Value::Object(entry)) => entry.clone(),
        _ => {
            notes.push(format!(
                "line {number}: it creates an entry and does not say which; it is kept unchanged"
            ));
            return None;
        }
    };
    let Some(id) = text(&entry, "id").map(str::to_owned) else {
        notes.push(format!("line {number}: its entry has no id; it is kept unchanged"));
        return None;
    };
    if let Some(known) = entries.get_mut(&id) {
        // In this system a later one takes the place of an earlier one without a word.
        notes.push(format!("line {number}: `{id}` is created again; what it says now counts"));
        known.standing = first_standing(&entry);
        known.entry = entry;
        return None;
    }
    let standing = first_standing(&entry);
    let known = Replayed {
        entry,
        scope: None,
        standing,
        observed: Vec::new(),
        ties: Vec::new(),
        merged_from: Vec::new(),
        assigned: BTreeMap::new(),
        archived_by: BTreeSet::new(),
    };
    entries.insert(id.clone(), known);
    Some(id)
}

fn first_standing(entry: &Map<String, Value>) -> Standing {
    match text(entry, "status") {
        Some(word @ ("rejected" | "stale" | "deprecated")) => {
            let reason = text(entry, "rejection_reason").or_else(|| text(entry, "last_status_reason"));
            Standing::Archived(reason.unwrap_or(word).to_owned())
        }
        Some(_) | None => Standing::Current,
    }
}

/// How an entry did, where a confidence moved because of it.
fn observed(event: &Event, number: usize) -> Option<Observed> {
    let reason = event.text("reason").unwrap_or("colony_outcome").to_owned();
    if NOT_OBSERVED.contains(&reason.as_str()) {
        return None;
    }
    let moved = |side: &str| event.number(&format!("new_{side}")) - event.number(&format!("old_{side}"));
    let (alpha, beta) = (moved("alpha"), moved("beta"));
    let colony = event.text("colony_id");
    let side = match (colony, event.says.get("colony_succeeded").and_then(Value::as_bool)) {
        (Some(_), Some(true)) => Side::For,
        (Some(_), Some(false)) => Side::Against,
        (Some(_) | None, _) if alpha >= beta => Side::For,
        (Some(_) | None, _) => Side::Against,
    };
    let by = match side {
        Side::For => alpha,
        Side::Against => beta,
    };
    let source = match colony {
        Some(colony) => colony.to_owned(),
        None => format!("{reason}:{number}"),
    };
    Some(Observed { source, side, weight: weight(by)?, reason, at: event.time() })
}

/// What an observation counts, in thousandths; none where nothing moved.
fn weight(by: f64) -> Option<u32> {
    let thousandths = (by.abs() * 1000.0).round();
    (thousandths >= 1.0).then(|| thousandths.min(f64::from(OBSERVATION_WEIGHT_MAX)) as u32)
}

/// What an entry of this system is to us.
fn kind_of(entry: &Map<String, Value>) -> Type {
    match text(entry, "entry_type") {
        Some("skill") => Type::Skill,
        Some("experience") => Type::Experience,
        Some(_) | None => match text(entry, "sub_type") {
            Some(word) if Type::Skill.subtypes().contains(&word) => Type::Skill,
            Some(_) | None => Type::Experience,
        },
    }
}

fn item(id: &str, known: &Replayed, number: usize, line: &str) -> Result<(Item, Vec<String>), Vec<String>> {
    let entry = &known.entry;
    let kind = kind_of(entry);
    let mut saying = Saying::new(kind, format!("line {number}"));
    saying.id(id);
    match text(entry, "entry_type") {
        Some("skill" | "experience") | None => (),
        Some(other) => {
            saying.note(format_args!("`{other}` is no entry_type that FormicOS has; it is kept"));
            saying.attribute("entry_type", &Value::from(other));
        }
    }
    saying.verbatim("title", text(entry, "title"));
    if let Some(detail) = text(entry, "detail") {
        saying.put("detail", &Value::from(detail));
    }
    match (text(entry, "statement"), text(entry, "content")) {
        (Some(statement), _) => saying.verbatim("statement", Some(statement)),
        (None, Some(content)) => saying.state("statement", content),
        (None, None) => {
            if let Some(said) = text(entry, "summary").or_else(|| text(entry, "title")) {
                saying.state("statement", said);
            }
        }
    }
    if let Some(summary) = text(entry, "summary") {
        saying.summary(summary);
    }
    for labels in ["domains", "tags"] {
        if let Some(list) = entry.get(labels) {
            saying.put(labels, list);
        }
    }
    if let Some(word) = text(entry, "sub_type") {
        match kind.subtypes().contains(&word) {
            true => saying.put("subtype", &Value::from(word)),
            false => saying.attribute("sub_type", &Value::from(word)),
        }
    }
    if let Some(word) = text(entry, "polarity") {
        match Polarity::from_word(word) {
            Some(_) => saying.put("polarity", &Value::from(word)),
            None => saying.attribute("polarity", &Value::from(word)),
        }
    }
    let class = text(entry, "decay_class");
    match class.map(|word| (word, decay_class(word))) {
        Some((_, Some(class))) => saying.put("decay_class", &Value::from(class.word())),
        Some((word, None)) => saying.attribute("decay_class", &Value::from(word)),
        // What this system says nothing of fades fast there (C21).
        None => saying.put("decay_class", &Value::from(DecayClass::Ephemeral.word())),
    }
    let thread = text(entry, "thread_id");
    let said_scope = match text(entry, "scope") {
        Some("global") => Some(Scope::Global),
        Some("workspace") => Some(Scope::Project),
        Some(_) | None => None,
    };
    match (known.scope.or(said_scope), thread) {
        (Some(Scope::Global), _) => saying.put("scope", &Value::from(Scope::Global.word())),
        (Some(Scope::Project), _) => saying.put("scope", &Value::from(Scope::Project.word())),
        (Some(Scope::Thread) | None, Some(thread)) => {
            saying.put("thread", &Value::from(thread));
            saying.put("scope", &Value::from(Scope::Thread.word()));
        }
        (Some(Scope::Thread) | None, None) => (),
    }
    let page = entry.get("forager_provenance").and_then(|page| page.get("source_url")?.as_str());
    let mut source = Map::new();
    for (ours, theirs) in [("run", "source_colony_id"), ("agent", "source_agent"), ("peer", "source_peer")] {
        if let Some(word) = text(entry, theirs) {
            source.insert(ours.to_owned(), Value::from(word));
        }
    }
    if let Some(page) = page {
        source.insert("page".to_owned(), Value::from(page));
        let credibility =
            entry.get("forager_provenance").and_then(|page| page.get("source_credibility")?.as_f64());
        source.extend(credibility.map(|credibility| ("credibility".to_owned(), Value::from(credibility))));
        saying.rests_on(&format!("doc:{page}"));
    }
    if let Some(colony) = text(entry, "source_colony_id") {
        saying.rests_on(&format!("transcript:colony:{colony}"));
    }
    saying.put("source", &Value::Object(source));
    for (key, value) in entry.iter().filter(|(key, _)| !MEMBERS.contains(&key.as_str())) {
        saying.attribute(key, value);
    }
    if !known.merged_from.is_empty() {
        saying.attribute("merged_from", &Value::from(known.merged_from.clone()));
    }
    if !known.archived_by.is_empty() {
        saying.attribute("archived_by", &json!(known.archived_by));
    }
    let (mut item, notes) = saying.item(id, line)?;
    item.stated = entry.get("created_at").and_then(time);
    item.standing = known.standing.clone();
    item.observed = known.observed.clone();
    item.ties = known.ties.clone();
    Ok((item, notes))
}

/// A line of JSON.
fn line(members: &[(&str, Value)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(key, value)| format!("{}:{}", Value::from(*key), canonical::value_to_string(value)))
        .collect();
    format!("{{{}}}\n", members.join(","))
}
