//! What changed in an entry, as events of FormicOS.

use std::collections::BTreeSet;

use ken_core::kinds::{Scope, Status};
use ken_core::{Millis, Type};
use serde_json::{Map, Value, json};

use super::{Event, Shape, line};
use crate::json_lines::{self, LineContent, ended, lines, listed, text};
use crate::{Appended, Outgoing, Place, Rewritten};

/// The reason under which we state a confidence, so that we do not read it as an observation.
pub(super) const OWN_REASON: &str = "kenning_belief";

pub(super) fn rewrite(place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
    let Some(made) = first(place.text) else {
        let unsaid = now.changed.iter().cloned().collect();
        return Rewritten { unsaid, ..Rewritten::in_place(place.text) };
    };
    let empty = Map::new();
    let entry = made.says.get("entry").and_then(Value::as_object).unwrap_or(&empty);
    let mut unsaid: BTreeSet<String> = BTreeSet::new();
    let mut events: Vec<String> = Vec::new();
    let id = Value::from(place.name);
    let mut say = |kind: &str, says: Vec<(&str, Value)>| events.push(event(&made, kind, now.updated, says));
    let changed = |names: &[&str]| names.iter().any(|name| now.has_changed(name));

    if changed(&["title", "statement", "detail"]) {
        let (content, lost) = json_lines::composed(now.fields);
        let title = now.fields.title.as_deref().filter(|_| now.has_changed("title"));
        if now.has_changed("title") && title.is_none() {
            unsaid.insert("title".to_owned());
        }
        if lost.is_empty() || changed(&["statement", "detail"]) {
            unsaid.extend(lost.iter().map(|name| (*name).to_owned()));
            let old = text(entry, "content").unwrap_or_default();
            say(
                "MemoryEntryRefined",
                vec![
                    ("entry_id", id.clone()),
                    ("old_content", Value::from(old)),
                    ("new_content", Value::from(content)),
                    ("new_title", Value::from(title.unwrap_or_default())),
                    ("refinement_source", Value::from("operator")),
                    ("source_colony_id", Value::from("")),
                ],
            );
        } else {
            // A title comes with all of the content, and that cannot be said.
            unsaid.insert("title".to_owned());
        }
    }
    if changed(&["scope", "thread"]) {
        let thread = now.fields.thread.as_deref().filter(|_| now.fields.scope() == Scope::Thread);
        let old = text(entry, "thread_id").unwrap_or_default();
        let workspace = workspace(&made);
        say(
            "MemoryEntryScopeChanged",
            vec![
                ("entry_id", id.clone()),
                ("old_thread_id", Value::from(if now.fields.scope() == Scope::Global { "" } else { old })),
                ("new_thread_id", Value::from(thread.unwrap_or_default())),
                (
                    "new_workspace_id",
                    match now.fields.scope() {
                        Scope::Global => Value::from(""),
                        Scope::Thread | Scope::Project => workspace,
                    },
                ),
            ],
        );
    }
    if changed(&["decay_class"]) {
        say(
            "CRDTRegisterAssigned",
            vec![
                ("entry_id", id.clone()),
                ("instance_id", Value::from("kenning")),
                ("field", Value::from("decay_class")),
                ("value", Value::from(now.fields.decay_class().word())),
                ("lww_timestamp", json!(now.updated.0 as f64 / 1000.0)),
            ],
        );
    }
    if changed(&["domains"]) {
        let old: BTreeSet<String> = known_domains(place);
        let new: BTreeSet<String> = now.fields.domains.iter().map(|domain| domain.to_string()).collect();
        for domain in new.difference(&old) {
            say(
                "CRDTSetElementAdded",
                vec![
                    ("entry_id", id.clone()),
                    ("field", Value::from("domains")),
                    ("element", Value::from(domain.as_str())),
                ],
            );
        }
        // The set only grows.
        if old.difference(&new).next().is_some() {
            unsaid.insert("domains".to_owned());
        }
    }
    if changed(&["status"]) {
        let word = match now.status {
            Status::Candidate => "candidate",
            Status::Active | Status::Verified => "verified",
            Status::Stale | Status::Archived => "stale",
            Status::Rejected | Status::Retracted | Status::Superseded => "rejected",
        };
        let reason = match (now.status, &now.superseded_by) {
            (Status::Superseded, Some(new)) => format!("superseded_by:{new}"),
            _ => now.reason.unwrap_or(now.status.word()).to_owned(),
        };
        say(
            "MemoryEntryStatusChanged",
            vec![
                ("entry_id", id.clone()),
                ("old_status", Value::from(text(entry, "status").unwrap_or("candidate"))),
                ("new_status", Value::from(word)),
                ("reason", Value::from(reason)),
            ],
        );
    }
    if changed(&["belief", "last_confirmed", "confirmation"]) {
        let (alpha, beta) = now.belief;
        let old = |key: &str| entry.get(key).and_then(Value::as_f64).unwrap_or(5.0);
        let sum = alpha + beta;
        say(
            "MemoryConfidenceUpdated",
            vec![
                ("entry_id", id),
                ("colony_id", Value::from("")),
                ("colony_succeeded", Value::from(true)),
                ("old_alpha", json!(old("conf_alpha"))),
                ("old_beta", json!(old("conf_beta"))),
                ("new_alpha", json!(alpha)),
                ("new_beta", json!(beta)),
                ("new_confidence", json!(if sum > 0.0 { alpha / sum } else { 0.5 })),
                ("thread_id", Value::from("")),
                ("reason", Value::from(OWN_REASON)),
            ],
        );
    }
    const SAID: &[&str] = &[
        "title",
        "statement",
        "detail",
        "scope",
        "thread",
        "decay_class",
        "domains",
        "status",
        "belief",
        "last_confirmed",
        "confirmation",
        "superseded_by",
    ];
    unsaid.extend(now.changed.iter().filter(|name| !SAID.contains(&name.as_str())).cloned());
    let appended = match events.concat() {
        text if text.is_empty() => Vec::new(),
        text => vec![Appended { path: place.path.to_owned(), header: String::new(), text }],
    };
    Rewritten { appended, unsaid: unsaid.into_iter().collect(), ..Rewritten::in_place(place.text) }
}

pub(super) fn insert(before: Option<&str>, now: &Outgoing<'_>) -> String {
    let before = before.unwrap_or_default();
    let model = first(before);
    let fields = now.fields;
    let (content, lost) = json_lines::composed(fields);
    let kind = match now.kind.known() {
        Some(Type::Skill) => "skill",
        Some(_) | None => "experience",
    };
    let subtypes = if kind == "skill" { Type::Skill.subtypes() } else { Type::Experience.subtypes() };
    let subtype = fields.subtype.as_deref().filter(|word| subtypes.contains(word));
    let workspace = model.as_ref().map_or_else(|| Value::from("default"), workspace);
    let source = fields.source.clone().unwrap_or_default();
    let mut entry = json!({
        "id": now.id,
        "entry_type": kind,
        "status": match now.status {
            Status::Candidate => "candidate",
            Status::Active | Status::Verified => "verified",
            Status::Stale | Status::Archived => "stale",
            Status::Rejected | Status::Retracted | Status::Superseded => "rejected",
        },
        "polarity": fields.polarity.map_or("positive", |polarity| polarity.word()),
        "title": fields.title(),
        "content": content,
        "summary": fields.summary.as_deref().unwrap_or_default(),
        "source_colony_id": source.run.as_deref().unwrap_or_default(),
        "source_artifact_ids": [],
        "source_round": 0,
        "domains": fields.domains,
        "tool_refs": [],
        "confidence": 0.5,
        "scan_status": "pending",
        "created_at": now.created.to_string(),
        "workspace_id": workspace,
        "thread_id": fields.thread.as_deref().filter(|_| fields.scope() == Scope::Thread).unwrap_or_default(),
        "conf_alpha": now.belief.0,
        "conf_beta": now.belief.1,
        "decay_class": fields.decay_class().word(),
        "sub_type": subtype,
    });
    if let Value::Object(entry) = &mut entry {
        if !lost.is_empty() {
            entry.insert("statement".to_owned(), Value::from(fields.statement().trim()));
            entry.insert("detail".to_owned(), json!(fields.detail));
        }
        if fields.scope() == Scope::Global {
            entry.insert("scope".to_owned(), Value::from("global"));
        }
        if !fields.tags.is_empty() {
            entry.insert("tags".to_owned(), json!(fields.tags));
        }
    }
    let empty = Event { envelope: Map::new(), says: Map::new(), shape: Shape::Flat };
    let model = model.unwrap_or(empty);
    let new = event(&model, "MemoryEntryCreated", now.created, vec![("entry", entry)]);
    format!("{}{new}", ended(before))
}

/// The first entry that a text creates.
fn first(whole: &str) -> Option<Event> {
    lines(whole).find_map(|line| match line.said {
        LineContent::Object(line) => {
            Some(Event::parse(line)).filter(|event| event.kind() == "MemoryEntryCreated")
        }
        LineContent::Nothing | LineContent::Wrong(_) => None,
    })
}

fn workspace(event: &Event) -> Value {
    let entry = event.says.get("entry").and_then(|entry| entry.get("workspace_id"));
    let own = event.says.get("workspace_id").filter(|id| id.is_string());
    own.or(entry).filter(|id| id.is_string()).cloned().unwrap_or_else(|| Value::from("default"))
}

fn known_domains(place: Place<'_>) -> BTreeSet<String> {
    let document = super::read(place.text);
    let domains = document.items().next().and_then(|item| item.content.get("domains").map(listed));
    domains.unwrap_or_default().into_iter().collect()
}

/// An event in the envelope, and the shape, of another one.
fn event(model: &Event, kind: &str, at: Millis, mut says: Vec<(&str, Value)>) -> String {
    if !says.iter().any(|(key, _)| *key == "workspace_id") {
        says.push(("workspace_id", workspace(model)));
    }
    let address = model.envelope.get("address").cloned().unwrap_or_else(|| Value::from("kenning"));
    let mut members = vec![
        // The store gives out numbers when it takes the event up.
        ("seq", Value::from(0)),
        ("type", Value::from(kind)),
        ("timestamp", Value::from(at.to_string())),
        ("address", address),
        ("trace_id", Value::Null),
    ];
    match model.shape {
        Shape::Flat => members.extend(says),
        Shape::Payload => members.push(("payload", object(says))),
        Shape::Text => members.push(("payload", Value::from(object(says).to_string()))),
    }
    line(&members)
}

fn object(says: Vec<(&str, Value)>) -> Value {
    says.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
