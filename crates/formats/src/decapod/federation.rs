//! The memory graph: its events, replayed. An entry is the line that made a node; later lines change what it says.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::kinds::{Relation, Scope, Status};
use ken_core::{Millis, Type};
use serde_json::{Map, Value, json};

use super::{cite, ordered, rest_on, severity};
use crate::json_lines::{self, LineContent, Saying, ended, lines, push_text, stamp, text, time, ulid};
use crate::{Appended, Document, Item, Outgoing, Part, Place, Rewritten, Role, Standing};

/// Members of a node that mean something to us.
const MEMBERS: &[&str] =
    &["title", "node_type", "priority", "confidence", "body", "sources", "tags", "scope"];

/// A node as far as it was replayed.
struct Node {
    payload: Map<String, Value>,
    actor: Option<String>,
    made: Option<Millis>,
    sources: Vec<String>,
    standing: Standing,
    dispute: Option<String>,
}

pub(super) fn read(text: &str) -> Document {
    let mut notes = Vec::new();
    let mut broken = Vec::new();
    let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
    let mut edges: Vec<(String, Relation, String, String)> = Vec::new();
    let mut pieces: Vec<(&str, usize, Option<String>)> = Vec::new();
    for line in lines(text) {
        let event = match line.said {
            LineContent::Object(event) => event,
            LineContent::Nothing => {
                pieces.push((line.text, line.number, None));
                continue;
            }
            LineContent::Wrong(why) => {
                broken.push(why);
                pieces.push((line.text, line.number, None));
                continue;
            }
        };
        let made = replay(&event, line.number, &mut nodes, &mut edges, &mut notes);
        pieces.push((line.text, line.number, made));
    }
    let mut parts = Vec::new();
    for (piece, number, made) in pieces {
        let node = made.as_ref().and_then(|id| Some((id, nodes.get(id)?)));
        match node.map(|(id, node)| item(id, node, number, piece)) {
            None => push_text(&mut parts, piece),
            Some(Err(more)) => {
                notes.extend(more);
                push_text(&mut parts, piece);
            }
            Some(Ok((mut item, more))) => {
                notes.extend(more);
                for (_, relation, from, to) in edges.iter().filter(|(_, _, from, _)| *from == item.name) {
                    let tie = (*relation, to.clone());
                    if from != to && !item.ties.contains(&tie) {
                        item.ties.push(tie);
                    }
                }
                parts.push(Part::Item(Box::new(item)));
            }
        }
    }
    Document { role: Role::Entries, parts, notes, broken }
}

/// Takes up an event, and gives back the id of the node it made.
fn replay(
    event: &Map<String, Value>,
    number: usize,
    nodes: &mut BTreeMap<String, Node>,
    edges: &mut Vec<(String, Relation, String, String)>,
    notes: &mut Vec<String>,
) -> Option<String> {
    if text(event, "status").is_some_and(|status| status != "success") {
        return None;
    }
    let empty = Map::new();
    let payload = event.get("payload").and_then(Value::as_object).unwrap_or(&empty);
    let kind = text(event, "event_type").unwrap_or_default();
    let own = text(event, "node_id").or_else(|| text(payload, "old_id")).unwrap_or_default().to_owned();
    if kind == "node.create" {
        if own.is_empty() || nodes.contains_key(&own) {
            notes.push(format!(
                "line {number}: `{own}` is made a second time, or has no id; it is kept unchanged"
            ));
            return None;
        }
        let sources = payload.get("sources").map(json_lines::words).unwrap_or_default();
        let node = Node {
            payload: payload.clone(),
            actor: text(event, "actor").map(str::to_owned),
            made: event.get("ts").and_then(time),
            sources,
            standing: Standing::Current,
            dispute: None,
        };
        nodes.insert(own.clone(), node);
        return Some(own);
    }
    if kind == "edge.remove" {
        let gone = text(payload, "edge_id");
        edges.retain(|(id, ..)| Some(id.as_str()) != gone);
        return None;
    }
    let Some(node) = nodes.get_mut(&own) else {
        notes.push(format!("line {number}: `{own}` was never made; the line is kept unchanged"));
        return None;
    };
    let reason = |word: &str| text(payload, "reason").unwrap_or(word).to_owned();
    match kind {
        "node.edit" => {
            for key in ["title", "body", "tags", "priority"] {
                if let Some(value @ Value::String(_)) = payload.get(key) {
                    node.payload.insert(key.to_owned(), value.clone());
                }
            }
        }
        "node.supersede" => {
            node.standing = match text(payload, "new_id") {
                Some(new) => Standing::SupersededBy(new.to_owned()),
                None => Standing::Archived(reason("superseded")),
            };
        }
        "node.deprecate" => node.standing = Standing::Archived(reason("deprecated")),
        "node.dispute" => node.dispute = Some(reason("disputed")),
        "edge.add" => {
            let relation = match text(payload, "edge_type").unwrap_or_default() {
                "depends_on" => Relation::DependsOn,
                "supersedes" => Relation::Supersedes,
                "invalidated_by" => Relation::Contradicts,
                "relates_to" => Relation::RelatesTo,
                other => {
                    notes.push(format!(
                        "line {number}: `{other}` is no kind of edge that Decapod has; it is read as `relates_to`"
                    ));
                    Relation::RelatesTo
                }
            };
            let end = |key: &str| text(payload, key).unwrap_or_default().to_owned();
            let (from, to) = (end("source_id"), end("target_id"));
            if !to.is_empty() {
                let from = if from.is_empty() { own } else { from };
                edges.push((end("edge_id"), relation, from, to));
            }
        }
        "source.add" => {
            if let Some(source) = text(payload, "source")
                && !node.sources.iter().any(|known| known == source)
            {
                node.sources.push(source.to_owned());
            }
        }
        other => notes.push(format!(
            "line {number}: `{other}` is no kind of event that Decapod has; it is kept unchanged"
        )),
    }
    None
}

fn item(id: &str, node: &Node, number: usize, line: &str) -> Result<(Item, Vec<String>), Vec<String>> {
    let payload = &node.payload;
    let word = text(payload, "node_type").unwrap_or_default();
    let (kind, subtype) = match word {
        "decision" | "commitment" => (Type::Experience, Some("decision")),
        "preference" => (Type::Experience, Some("convention")),
        "lesson" => (Type::Lesson, None),
        "person" | "project" => (Type::Entity, None),
        "handoff" => (Type::Observation, Some("handoff")),
        "observation" => (Type::Observation, Some("observation")),
        _ => (Type::Lesson, None),
    };
    let mut saying = Saying::new(kind, format!("line {number}"));
    saying.id(id);
    if let Some(subtype) = subtype {
        saying.put("subtype", &Value::from(subtype));
    }
    let (title, body) = (text(payload, "title"), text(payload, "body"));
    if kind == Type::Entity {
        saying.verbatim("name", title.or(Some(id)));
        saying.verbatim("description", body);
    } else {
        saying.verbatim("title", title);
        if let Some(said) = body.or(title) {
            saying.state("statement", said);
        }
    }
    // The word tells more than our type does.
    if !matches!(word, "decision" | "lesson" | "handoff" | "observation") {
        saying.attribute("node_type", payload.get("node_type").unwrap_or(&Value::Null));
    }
    if let Some(tags) = payload.get("tags") {
        saying.put("tags", tags);
    }
    match text(payload, "priority") {
        Some(word) if kind != Type::Entity => {
            saying.put("severity_word", &Value::from(word));
            if let Some(number) = severity(word) {
                saying.put("severity", &Value::from(number));
            }
        }
        Some(word) => saying.attribute("priority", &Value::from(word)),
        None => (),
    }
    match text(payload, "scope") {
        Some("user") => saying.put("scope", &Value::from(Scope::Global.word())),
        Some("repo") | None => (),
        Some(other) => saying.attribute("scope", &Value::from(other)),
    }
    if let Some(confidence) = text(payload, "confidence") {
        saying.attribute("confidence", &Value::from(confidence));
    }
    for (key, value) in payload.iter().filter(|(key, _)| !MEMBERS.contains(&key.as_str())) {
        let is_known = matches!(key.as_str(), "effective_from" | "dir_path");
        if is_known && value.as_str().is_none_or(str::is_empty) {
            continue;
        }
        if !is_known {
            saying.note(format_args!("`{key}` is a member that Decapod does not have; it is kept"));
        }
        saying.attribute(key, value);
    }
    if let Some(dispute) = &node.dispute {
        saying.attribute("disputed", &Value::from(dispute.as_str()));
    }
    if let Some(actor) = &node.actor {
        saying.put("source", &json!({"agent": actor}));
    }
    let mut odd = Vec::new();
    for source in &node.sources {
        rest_on(&mut saying, source, &mut odd);
    }
    if !odd.is_empty() {
        saying.attribute("sources", &Value::from(odd));
    }
    let (mut item, notes) = saying.item(id, line)?;
    item.standing = node.standing.clone();
    item.stated = node.made;
    Ok((item, notes))
}

pub(super) fn rewrite(place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
    let node = place.name;
    let made = lines(place.text).find_map(|line| match line.said {
        LineContent::Object(event) => Some(event),
        LineContent::Nothing | LineContent::Wrong(_) => None,
    });
    let empty = Map::new();
    let payload = made.as_ref().and_then(|event| event.get("payload")?.as_object()).unwrap_or(&empty);
    let is_entity = matches!(text(payload, "node_type"), Some("person" | "project"));
    let is_critical = matches!(text(payload, "node_type"), Some("decision" | "commitment"))
        || text(payload, "priority") == Some("critical");
    let mut unsaid: BTreeSet<String> = BTreeSet::new();
    let mut events = String::new();
    let mut edit = Map::new();
    let mut ended_by = None;
    for change in &now.changed {
        match change.as_str() {
            "title" if !is_entity => {
                edit.insert("title".to_owned(), json!(now.fields.title));
                // A node without a body is read by its title.
                if text(payload, "body").is_none() {
                    edit.insert("body".to_owned(), Value::from(json_lines::composed(now.fields).0));
                }
            }
            "name" if is_entity => {
                edit.insert("title".to_owned(), json!(now.fields.name));
            }
            "description" if is_entity => {
                edit.insert("body".to_owned(), json!(now.fields.description.as_deref().unwrap_or_default()));
            }
            "statement" | "detail" if !is_entity => {
                let (body, lost) = json_lines::composed(now.fields);
                unsaid.extend(lost.iter().map(|name| (*name).to_owned()));
                edit.insert("body".to_owned(), Value::from(body));
            }
            "tags" => {
                let tags: Vec<&str> = now.fields.tags.iter().map(|tag| tag.as_str()).collect();
                edit.insert("tags".to_owned(), Value::from(tags.join(",")));
            }
            "severity" | "severity_word" if !is_entity => match &now.fields.severity_word {
                Some(word) if severity(word).is_some() => {
                    edit.insert("priority".to_owned(), Value::from(word.as_str()));
                }
                Some(_) | None => {
                    unsaid.insert(change.clone());
                }
            },
            "status" => match (now.status, &now.superseded_by) {
                (Status::Superseded, Some(new)) => ended_by = Some(new.clone()),
                (Status::Candidate | Status::Active | Status::Verified, _) => {
                    // There is no way back in this system.
                    unsaid.insert(change.clone());
                }
                (
                    Status::Superseded
                    | Status::Stale
                    | Status::Rejected
                    | Status::Archived
                    | Status::Retracted,
                    _,
                ) => {
                    let reason = now.reason.unwrap_or(now.status.word());
                    let payload = json!({"new_status": "deprecated", "reason": reason});
                    events.push_str(&event(now, "node.deprecate", node, payload));
                }
            },
            "citations" => {
                let known = payload.get("sources").map(json_lines::words).unwrap_or_default();
                for citation in &now.citations {
                    let Some(source) = cite(citation) else {
                        unsaid.insert(change.clone());
                        continue;
                    };
                    if !known.contains(&source) {
                        // Its name comes from what it says, so that saying it twice adds nothing.
                        let id = format!("FS_{}", ulid(now.created, &["source", node, &source]));
                        let payload = json!({"source_id": id, "source": source});
                        events.push_str(&event(now, "source.add", node, payload));
                    }
                }
            }
            "links" => {
                for (relation, to) in &now.ties {
                    let word = match relation {
                        Relation::RelatesTo => "relates_to",
                        Relation::DependsOn => "depends_on",
                        Relation::Contradicts => "invalidated_by",
                        Relation::Supersedes => "supersedes",
                        Relation::Supports
                        | Relation::DerivedFrom
                        | Relation::ExampleOf
                        | Relation::PartOf => "",
                    };
                    if word.is_empty() || !to.starts_with("F_") {
                        unsaid.insert(change.clone());
                        continue;
                    }
                    let id = format!("FE_{}", ulid(now.created, &["edge", node, word, to]));
                    let payload =
                        json!({"edge_id": id, "source_id": node, "target_id": to, "edge_type": word});
                    events.push_str(&event(now, "edge.add", node, payload));
                }
            }
            other => {
                unsaid.insert(other.to_owned());
            }
        }
    }
    if !edit.is_empty() && is_critical && ended_by.is_none() {
        // What is critical is never edited: a new node takes its place.
        let mut after = payload.clone();
        after.extend(whole(now, is_entity));
        after.extend(edit.clone());
        let words = canonical_words(&after);
        let new = format!("F_{}", ulid(now.updated, &["node", node, &words]));
        events.push_str(&event(now, "node.create", &new, Value::Object(after)));
        ended_by = Some(new);
        edit.clear();
    }
    if !edit.is_empty() && !is_critical {
        for key in ["title", "body", "tags", "priority"] {
            edit.entry(key).or_insert(Value::Null);
        }
        events.push_str(&event(now, "node.edit", node, Value::Object(edit)));
    }
    if let Some(new) = ended_by {
        let edge = format!("FE_{}", ulid(now.updated, &["edge", &new, "supersedes", node]));
        let reason = now.reason.unwrap_or("it was said anew");
        let payload = json!({"old_id": node, "new_id": new, "reason": reason, "edge_id": edge});
        events.push_str(&event(now, "node.supersede", node, payload));
    }
    let appended = if events.is_empty() {
        Vec::new()
    } else {
        vec![Appended { path: place.path.to_owned(), header: String::new(), text: events }]
    };
    Rewritten { appended, unsaid: unsaid.into_iter().collect(), ..Rewritten::in_place(place.text) }
}

pub(super) fn insert(text: Option<&str>, now: &Outgoing<'_>) -> String {
    let node_type = match (now.kind.known(), now.fields.subtype.as_deref()) {
        (Some(Type::Experience), Some("decision")) => "decision",
        (Some(Type::Experience), Some("convention")) => "preference",
        (Some(Type::Entity), _) => "project",
        (Some(Type::Observation), Some("handoff")) => "handoff",
        (Some(Type::Observation | Type::Signal | Type::Friction | Type::Run), _) => "observation",
        _ => "lesson",
    };
    let (body, _) = if node_type == "project" {
        (now.fields.description.clone().unwrap_or_default(), Vec::new())
    } else {
        json_lines::composed(now.fields)
    };
    let tags: Vec<&str> = now.fields.tags.iter().map(|tag| tag.as_str()).collect();
    let sources: Vec<String> = now.citations.iter().filter_map(|citation| cite(citation)).collect();
    let priority = now.fields.severity_word.as_deref().filter(|word| severity(word).is_some());
    let payload = json!({
        "title": now.fields.title(),
        "node_type": node_type,
        "priority": priority.unwrap_or("notable"),
        "confidence": "imported",
        "body": body,
        "sources": sources,
        "tags": tags.join(","),
        "scope": if now.fields.scope() == Scope::Global { "user" } else { "repo" },
        "effective_from": null,
        "dir_path": "",
    });
    let id = if now.id.starts_with("F_") {
        now.id.to_owned()
    } else {
        format!("F_{}", ulid(now.created, &["node", now.id]))
    };
    format!("{}{}", ended(text.unwrap_or_default()), event(now, "node.create", &id, payload))
}

/// Everything that an edit can say, as it is now: the line that made the node may be long out of date.
fn whole(now: &Outgoing<'_>, is_entity: bool) -> Map<String, Value> {
    let fields = now.fields;
    let mut whole = Map::new();
    let body = if is_entity {
        fields.description.clone().unwrap_or_default()
    } else {
        json_lines::composed(fields).0
    };
    whole.insert("title".to_owned(), Value::from(fields.name.as_deref().or(fields.title.as_deref())));
    whole.insert("body".to_owned(), Value::from(body));
    let tags: Vec<&str> = fields.tags.iter().map(|tag| tag.as_str()).collect();
    whole.insert("tags".to_owned(), Value::from(tags.join(",")));
    if let Some(word) = &fields.severity_word {
        whole.insert("priority".to_owned(), Value::from(word.as_str()));
    }
    whole
}

/// A line in the envelope of this system.
fn event(now: &Outgoing<'_>, kind: &str, node: &str, payload: Value) -> String {
    let words = payload.to_string();
    ordered(&[
        ("event_id", json!(ulid(now.updated, &["event", kind, node, &words]))),
        ("ts", json!(stamp(now.updated))),
        ("event_type", json!(kind)),
        ("status", json!("success")),
        ("node_id", json!(node)),
        ("payload", payload),
        ("actor", json!("kenning")),
    ])
}

fn canonical_words(payload: &Map<String, Value>) -> String {
    ken_core::canonical::to_string(payload)
}
