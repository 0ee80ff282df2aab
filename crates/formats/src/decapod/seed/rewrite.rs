//! Entries of the seed layout as they are written: where they go, and how a change becomes a line.

use std::collections::BTreeSet;

use ken_core::evidence::Reference;
use ken_core::kinds::Status;
use ken_core::{EvidenceType, Memory, Millis, Type, canonical, schema};
use serde_json::{Map, Value, json};

use super::{READ, folder_of, kind_of, read, word};
use crate::front::line_end;
use crate::json_lines::{self, LineContent, ended, lines, stamp, stated, text};
use crate::plain::restored;
use crate::{Outgoing, Place, Rewritten, StoreFacts, prose};

pub(in crate::decapod) fn path_for(now: &Outgoing<'_>, known: &StoreFacts<'_>) -> String {
    let root = known
        .paths
        .iter()
        .find_map(|path| {
            let layers = ["semantic/v1/", "procedural/v1/", "episodic/v1/"];
            let at = layers.iter().find_map(|layer| path.find(layer))?;
            (at == 0 || path[..at].ends_with('/')).then(|| path[..at].to_owned())
        })
        .or_else(|| {
            known.paths.iter().find_map(|path| {
                let at = path.find(".decapod/")?;
                Some(format!("{}knowledge/", &path[..at + ".decapod/".len()]))
            })
        })
        .unwrap_or_else(|| ".decapod/knowledge/".to_owned());
    let memory = now.kind.memory();
    if now.kind.known() == Some(Type::Friction) {
        return format!("{root}episodic/v1/friction_ledger.jsonl");
    }
    let id: String = now
        .id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' })
        .collect();
    let id = if id.is_empty() { now.handle.to_owned() } else { id };
    let (folder, is_told) = match now.kind.known() {
        Some(kind) => {
            let first = id.split('.').next().unwrap_or_default();
            (folder_of(kind), id.contains('.') && kind.id_kinds().contains(&first))
        }
        None => (format!("{}s", now.kind), false),
    };
    let stem = if is_told { id } else { format!("{}.{id}", now.kind) };
    let below = format!("{root}{memory}/v1/{folder}/");
    let stem = prose::free(&stem, |stem| known.paths.contains(&format!("{below}{stem}.jsonl")));
    format!("{below}{stem}.jsonl")
}

pub(in crate::decapod) fn insert(path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
    let line = new_line(path, now);
    let before = text.unwrap_or_default();
    format!("{}{line}{}", ended(before), line_end(before))
}

pub(in crate::decapod) fn insert_friction(text: Option<&str>, now: &Outgoing<'_>) -> String {
    let before = text.unwrap_or_default();
    let mut object = everything("friction_ledger.jsonl", now);
    object.remove("schema_version");
    object.remove("created_at");
    object.insert("ts".to_owned(), Value::from(stamp(now.created)));
    object.insert("actor".to_owned(), Value::from(now.created_by));
    object.insert("type".to_owned(), Value::from(now.fields.subtype.as_deref().unwrap_or("redo")));
    object.remove("subtype");
    format!("{}{}{}", ended(before), canonical::to_string(&object), line_end(before))
}

fn new_line(path: &str, now: &Outgoing<'_>) -> String {
    canonical::to_string(&everything(path, now))
}

/// An entry that has no text yet, with all it says.
fn everything(path: &str, now: &Outgoing<'_>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("id".to_owned(), Value::from(now.id));
    object.insert("type".to_owned(), Value::from(now.kind.word()));
    object.insert("schema_version".to_owned(), Value::from(schema::SCHEMA_VERSION));
    object.insert("created_at".to_owned(), Value::from(now.created.seconds()));
    let kind = now.kind.known().unwrap_or_else(|| kind_of(path, &object));
    let mut changes: BTreeSet<String> = match serde_json::to_value(now.fields) {
        Ok(Value::Object(fields)) => fields.keys().cloned().collect(),
        _ => BTreeSet::new(),
    };
    changes.extend(["statement", "citations", "links"].map(str::to_owned));
    if !now.status.is_retrieved() {
        changes.insert("status".to_owned());
    }
    if now.last_confirmed.is_some() {
        changes.insert("last_confirmed".to_owned());
    }
    say(&mut object, kind, now, &changes, &[], &Map::new());
    object
}

pub(in crate::decapod) fn rewrite(place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
    let versions: Vec<Map<String, Value>> = lines(place.text)
        .filter_map(|line| match line.said {
            LineContent::Object(version) => Some(version),
            LineContent::Nothing | LineContent::Wrong(_) => None,
        })
        .collect();
    let before = read(place.path, place.text);
    let (Some(last), Some(old)) = (versions.last(), before.items().next()) else {
        let unsaid = now.changed.iter().cloned().collect();
        return Rewritten { unsaid, ..Rewritten::in_place(place.text) };
    };
    let empty = Map::new();
    let attributes = old.content.get("attributes").and_then(Value::as_object).unwrap_or(&empty);
    let mut object = last.clone();
    let unsaid = say(&mut object, old.kind, now, &now.changed, &versions, attributes);
    let whole = |object: &Map<String, Value>| {
        format!("{}{}{}", ended(place.text), canonical::to_string(object), line_end(place.text))
    };
    // What is told from other words must not change with them.
    let after = read(place.path, &whole(&object));
    if let Some(new) = after.items().next() {
        let fields: BTreeSet<&String> = old.content.keys().chain(new.content.keys()).collect();
        for field in fields {
            let (was, is) = (old.content.get(field), new.content.get(field));
            let is_meant = now.changed.contains(field) || matches!(field.as_str(), "id" | "attributes");
            match was {
                Some(was) if !is_meant && Some(was) != is => {
                    object.insert(field.clone(), was.clone());
                }
                None if !is_meant && field == "anchors" => {
                    object.insert(field.clone(), json!([]));
                }
                Some(_) | None => (),
            }
        }
    }
    Rewritten { unsaid, ..Rewritten::in_place(whole(&object)) }
}

pub(in crate::decapod) fn rewrite_friction(place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
    let fields = match serde_json::to_value(now.fields) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let record = lines(place.text).find_map(|line| match line.said {
        LineContent::Object(record) => Some(record),
        LineContent::Nothing | LineContent::Wrong(_) => None,
    });
    let is_named = record
        .as_ref()
        .is_some_and(|record| text(record, "title").is_none() && text(record, "name").is_some());
    let mut line = place.text.to_owned();
    let mut unsaid = Vec::new();
    for field in &now.changed {
        let key = match field.as_str() {
            "subtype" => Some("type"),
            "title" if is_named => Some("name"),
            "attributes" | "anchors" => None,
            other => schema::field_names(Type::Friction).into_iter().find(|name| *name == other),
        };
        let new = key.and_then(|key| json_lines::set(&line, key, fields.get(field)?));
        match new {
            Some(new) => line = new,
            None => unsaid.push(field.clone()),
        }
    }
    if let Some(record) = record.filter(|_| line != place.text) {
        // A record without a name, or without a claim, goes by its other words; those change now.
        if text(&record, "id") != Some(place.name) {
            line = json_lines::set(&line, "id", &Value::from(place.name)).unwrap_or(line);
        }
        for key in ["statement", "detail"] {
            let read = super::friction(place.path, &line);
            let is = read.items().next().and_then(|item| item.content.get(key));
            let told = fields.get(key).filter(|_| !now.has_changed(key));
            if let Some(told) = told.filter(|told| Some(*told) != is) {
                line = json_lines::set(&line, key, told).unwrap_or(line);
            }
        }
    }
    Rewritten { unsaid, ..Rewritten::in_place(line) }
}

/// Says changes in an object, and gives back those it has no words for.
fn say(
    object: &mut Map<String, Value>,
    kind: Type,
    now: &Outgoing<'_>,
    changes: &BTreeSet<String>,
    versions: &[Map<String, Value>],
    attributes: &Map<String, Value>,
) -> Vec<String> {
    let fields = match serde_json::to_value(now.fields) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let mut unsaid = Vec::new();
    let set = |object: &mut Map<String, Value>, key: &str, value: Option<Value>| {
        match value {
            Some(value) => object.insert(key.to_owned(), value),
            None => object.remove(key),
        };
    };
    for change in changes {
        let change = change.as_str();
        match change {
            "statement" | "detail" | "rule" | "description" => texts(object, kind, now),
            "title" if kind != Type::Entity => {
                let is_norm = kind.memory() == Memory::Procedural;
                let key = match (text(object, "title").is_some(), text(object, "name").is_some()) {
                    (true, _) => "title",
                    (false, true) => "name",
                    (false, false) if is_norm && !object.contains_key("title") => "title",
                    (false, false) => "name",
                };
                set(object, key, now.fields.title.clone().map(Value::from));
            }
            "status" => {
                set(object, "status", Some(Value::from(now.status.word())));
                set(object, "status_reason", now.reason.map(Value::from));
                let new = now.superseded_by.clone().filter(|_| now.status == Status::Superseded);
                set(object, "superseded_by", new.map(Value::from));
            }
            "superseded_by" => (),
            "last_confirmed" | "confirmation" => {
                set(object, "last_confirmed", now.last_confirmed.map(|at: Millis| Value::from(at.seconds())));
                set(object, "confirmation", now.confirmation.map(|how| Value::from(how.word())));
            }
            "citations" => cite_new(object, now, versions),
            "links" => {
                let links: Vec<Value> = now
                    .ties
                    .iter()
                    .map(|(relation, to)| json!({"relation": relation.word(), "to": to}))
                    .collect();
                object.remove("supersedes");
                set(object, "links", (!links.is_empty()).then(|| Value::from(links)));
            }
            "anchors" => {
                let places: Vec<&str> = now.fields.anchors.iter().map(|anchor| anchor.at.as_str()).collect();
                set(object, "anchors", Some(json!(places)));
            }
            "attributes" => set_attributes(object, kind, attributes, &now.fields.attributes),
            field if schema::field_names(kind).contains(&field) => {
                set(object, field, fields.get(field).cloned());
            }
            other => match fields.get(other) {
                // A field of the caller's own, or of a newer version.
                Some(value) if !READ.contains(&other) => set(object, other, Some(value.clone())),
                Some(_) | None => unsaid.push(other.to_owned()),
            },
        }
    }
    unsaid
}

/// Says claim and detail, so that reading gives both back.
fn texts(object: &mut Map<String, Value>, kind: Type, now: &Outgoing<'_>) {
    let mut set = |key: &str, value: Option<&str>| match value {
        Some(value) => {
            object.insert(key.to_owned(), Value::from(value));
        }
        None => {
            object.remove(key);
        }
    };
    let fields = now.fields;
    set("detail", fields.detail.as_deref());
    match kind {
        Type::Entity => {
            set("description", fields.description.as_deref());
            set("statement", fields.statement.as_deref());
        }
        Type::CommitNorm | Type::PrExpectation | Type::UserExpectation | Type::RiskTier => {
            set("rule", fields.rule.as_deref());
            set("statement", fields.statement.as_deref());
            set("description", None);
        }
        Type::Relationship
        | Type::Skill
        | Type::Experience
        | Type::Lesson
        | Type::Spike
        | Type::Pattern
        | Type::Incident
        | Type::FalsePositive
        | Type::Friction
        | Type::Signal
        | Type::Run
        | Type::Observation => {
            let Some(statement) = fields.statement.as_deref() else {
                set("statement", None);
                return;
            };
            let (read, more) = stated(statement);
            let is_whole = read == statement && (more.is_none() || fields.detail.is_some());
            set("description", Some(statement));
            set("rule", None);
            set("statement", (!is_whole).then_some(statement));
        }
    }
}

/// Adds citations that no version has (trap 3).
fn cite_new(object: &mut Map<String, Value>, now: &Outgoing<'_>, versions: &[Map<String, Value>]) {
    let known: BTreeSet<(String, String)> = versions
        .iter()
        .filter_map(|version| version.get("provenance")?.as_array())
        .flatten()
        .map(|cite| {
            let kind = word(cite, "evidence_type");
            let reference = word(cite, "evidence_ref");
            let good =
                EvidenceType::from_word(&kind).and_then(|kind| Reference::with_type(kind, &reference).ok());
            (kind, good.map_or(reference, |good| good.evidence_ref))
        })
        .collect();
    let mut list = match object.remove("provenance") {
        Some(Value::Array(list)) => list,
        Some(Value::Null) | None => Vec::new(),
        Some(other) => vec![other],
    };
    for citation in &now.citations {
        let pair = (citation.evidence_type.word().to_owned(), citation.evidence_ref.clone());
        if !known.contains(&pair) {
            list.push(json!({
                "evidence_type": pair.0,
                "evidence_ref": pair.1,
                "cited_by": citation.cited_by,
                "cited_at": citation.cited_at,
            }));
        }
    }
    object.insert("provenance".to_owned(), Value::from(list));
}

/// Says what changed among the attributes, where each was read from.
fn set_attributes(
    object: &mut Map<String, Value>,
    kind: Type,
    before: &Map<String, Value>,
    now: &Map<String, Value>,
) {
    let is_ours = |key: &str| READ.contains(&key) || schema::field_names(kind).contains(&key);
    let nested = |object: &mut Map<String, Value>, key: &str, value: Option<Value>| {
        let mut own = match object.remove("attributes") {
            Some(Value::Object(own)) => own,
            _ => Map::new(),
        };
        match value {
            Some(value) => own.insert(key.to_owned(), value),
            None => own.remove(key),
        };
        if !own.is_empty() {
            object.insert("attributes".to_owned(), Value::Object(own));
        }
    };
    for key in before.keys().filter(|key| !now.contains_key(*key)) {
        nested(object, key, None);
        object.remove(key);
    }
    for (key, value) in now.iter().filter(|(key, value)| before.get(*key) != Some(*value)) {
        let was = object.get("attributes").and_then(|own| own.get(key)).or_else(|| object.get(key));
        let value = restored(was, value);
        if is_ours(key) {
            nested(object, key, Some(value));
        } else {
            nested(object, key, None);
            object.insert(key.clone(), value);
        }
    }
}
