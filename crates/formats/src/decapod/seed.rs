//! Entries of the seed layout: a file each, of which the last line counts, and what it rests on is only ever added to.

mod rewrite;

use std::collections::BTreeSet;

use ken_core::evidence::Reference;
use ken_core::kinds::{Confirmation, Relation};
use ken_core::{EvidenceType, Type, schema};
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::json_lines::{LineContent, Saying, lines, listed, push_text, text, time};
use crate::{Document, Item, Part, Role, Standing, prose};

pub(super) use rewrite::{insert, insert_friction, path_for, rewrite, rewrite_friction};

/// Members that are read one by one.
const READ: &[&str] = &[
    "id",
    "type",
    "schema_version",
    "provenance",
    "status",
    "status_reason",
    "superseded_by",
    "supersedes",
    "links",
    "created_at",
    "updated_at",
    "ts",
    "last_confirmed",
    "confirmation",
    "name",
    "title",
    "statement",
    "description",
    "rule",
    "detail",
    "attributes",
    "anchors",
];
/// Fields that are lists of texts.
const LISTS: &[&str] = &["verification", "depends_on", "examples", "exceptions"];

pub(super) fn read(path: &str, text: &str) -> Document {
    let mut notes = Vec::new();
    let mut broken = Vec::new();
    let mut versions = Vec::new();
    for line in lines(text) {
        match line.said {
            LineContent::Nothing => (),
            LineContent::Object(version) => versions.push(version),
            LineContent::Wrong(why) => broken.push(why),
        }
    }
    let read = match versions.last() {
        Some(last) => item(path, text, last, &versions),
        None => Err(vec![format!("no line of `{}` is an entry", file_name(path))]),
    };
    match read {
        Ok((item, more)) => {
            notes.extend(more);
            Document { broken, ..Document::new(item, notes) }
        }
        Err(more) => {
            notes.extend(more);
            Document { notes, broken, ..Document::opaque(Role::Other, text, None) }
        }
    }
}

/// A ledger of friction: an entry a line.
pub(super) fn friction(path: &str, text: &str) -> Document {
    let mut parts = Vec::new();
    let mut notes = Vec::new();
    let mut broken = Vec::new();
    let mut names = BTreeSet::new();
    for line in lines(text) {
        let read = match line.said {
            LineContent::Nothing => Err(Vec::new()),
            LineContent::Wrong(why) => {
                broken.push(why);
                Err(Vec::new())
            }
            LineContent::Object(record) => friction_item(path, &record, line.number, line.text, &names),
        };
        match read {
            Ok((item, more)) => {
                names.insert(item.name.clone());
                notes.extend(more);
                parts.push(Part::Item(Box::new(item)));
            }
            Err(more) => {
                notes.extend(more);
                push_text(&mut parts, line.text);
            }
        }
    }
    Document { role: Role::Entries, parts, notes, broken }
}

type Readable = Result<(Item, Vec<String>), Vec<String>>;

fn item(path: &str, whole: &str, last: &Map<String, Value>, versions: &[Map<String, Value>]) -> Readable {
    let kind = kind_of(path, last);
    let name = text(last, "id").unwrap_or_else(|| entry_name(path)).to_owned();
    let mut saying = said(kind, last, &name);
    if Type::from_word(text(last, "type").unwrap_or_default()) != Some(kind) {
        saying.attribute("type", last.get("type").unwrap_or(&Value::Null));
    }
    cite_all(&mut saying, versions);
    let (mut item, notes) = saying.item(&name, whole)?;
    item.standing = standing(path, last);
    item.stated = versions.iter().find_map(|version| {
        let cited = version.get("provenance").and_then(|list| list.get(0)?.get("cited_at"));
        let at = version.get("created_at").or_else(|| version.get("ts")).or(cited)?;
        time(at)
    });
    finish(&mut item, last);
    Ok((item, notes))
}

fn friction_item(
    path: &str,
    record: &Map<String, Value>,
    number: usize,
    line: &str,
    taken: &BTreeSet<String>,
) -> Readable {
    let word = text(record, "type").unwrap_or_default();
    let is_known = Type::Friction.subtypes().contains(&word);
    // What this system has no word for is still worth a line.
    let kind = if is_known { Type::Friction } else { Type::Signal };
    let id = text(record, "id").map(str::to_owned);
    let hash = || format!("friction-{}", &blake3::hash(line.trim().as_bytes()).to_hex()[..12]);
    let name = prose::free(&id.clone().unwrap_or_else(hash), |name| taken.contains(name));
    let mut record = record.clone();
    if id.as_ref() != Some(&name) {
        record.remove("id");
    }
    let mut saying = said(kind, &record, &format!("line {number}"));
    if !word.is_empty() {
        saying.put("subtype", &Value::from(word));
    }
    if !is_known {
        saying.note(format_args!("`{word}` is no kind of friction that Decapod has; it is kept as a signal"));
    }
    if !saying.has("statement") {
        let empty = Map::new();
        let context = record.get("context").and_then(Value::as_object).unwrap_or(&empty);
        let words: Vec<&str> = context.values().filter_map(Value::as_str).collect();
        let told = if words.is_empty() { name.clone() } else { words.join("; ") };
        saying.state("statement", &format!("{}: {told}", if word.is_empty() { "friction" } else { word }));
    }
    cite_all(&mut saying, std::slice::from_ref(&record));
    let (mut item, notes) = saying.item(&name, line)?;
    item.standing = standing(path, &record);
    item.stated = record.get("ts").and_then(time);
    finish(&mut item, &record);
    Ok((item, notes))
}

/// What an object says in our fields; the rest is in attributes.
fn said(kind: Type, object: &Map<String, Value>, place: &str) -> Saying {
    let mut saying = Saying::new(kind, place);
    if let Some(id) = text(object, "id") {
        saying.id(id);
    }
    if let Some(version) = object.get("schema_version").filter(|version| *version != schema::SCHEMA_VERSION) {
        saying.attribute("schema_version", version);
    }
    let mut detail = text(object, "detail").map(str::to_owned);
    let mut spare = |saying: &mut Saying, key: &str| {
        let Some(told) = text(object, key) else { return };
        match &detail {
            None => detail = Some(told.to_owned()),
            Some(_) => saying.attribute(key, &Value::from(told)),
        }
    };
    match kind {
        Type::Entity => {
            saying.verbatim("name", text(object, "name"));
            saying.verbatim("title", text(object, "title"));
            saying.verbatim("statement", text(object, "statement"));
            saying.verbatim("description", text(object, "description"));
            spare(&mut saying, "rule");
            if !saying.has("name") && !saying.has("title") {
                saying.title("name", place);
            }
        }
        Type::CommitNorm | Type::PrExpectation | Type::UserExpectation | Type::RiskTier => {
            titled(&mut saying, object);
            saying.verbatim("statement", text(object, "statement"));
            match text(object, "rule") {
                Some(rule) => {
                    saying.verbatim("rule", Some(rule));
                    spare(&mut saying, "description");
                }
                None => saying.verbatim("rule", text(object, "description")),
            }
            if !saying.has("rule") && !saying.has("statement") {
                saying.verbatim("rule", text(object, "title").or_else(|| text(object, "name")));
            }
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
            titled(&mut saying, object);
            let described = text(object, "description").or_else(|| text(object, "rule"));
            match (text(object, "statement"), described) {
                (Some(statement), told) => {
                    saying.verbatim("statement", Some(statement));
                    if told.is_some_and(|told| told != statement) {
                        spare(&mut saying, "description");
                        spare(&mut saying, "rule");
                    }
                }
                (None, Some(told)) => {
                    if let Some(detail) = &detail {
                        saying.put("detail", &Value::from(detail.as_str()));
                    }
                    saying.state("statement", told);
                }
                (None, None) if kind == Type::Relationship || kind == Type::Spike => (),
                (None, None) => {
                    if let Some(title) = text(object, "title").or_else(|| text(object, "name")) {
                        saying.state("statement", title);
                    }
                }
            }
        }
    }
    if let Some(detail) = detail {
        saying.put("detail", &Value::from(detail));
    }
    if let Some(anchors) = object.get("anchors") {
        saying.is_anchored = true;
        saying.put("anchors", anchors);
    }
    for key in ["name", "title", "statement", "description", "rule", "detail"] {
        if let Some(odd) = object.get(key).filter(|value| !value.is_null() && !value.is_string()) {
            saying.attribute(key, odd);
        }
    }
    let names = schema::field_names(kind);
    for (key, value) in object {
        let key = key.as_str();
        let is_subtype = key == "type" && matches!(kind, Type::Friction | Type::Signal);
        if READ.contains(&key) || is_subtype {
            continue;
        }
        match value {
            Value::Null if names.contains(&key) => (),
            value if key == "enforcement" && !is_enforcement(kind, value) => saying.attribute(key, value),
            Value::String(_) if LISTS.contains(&key) => saying.put(key, &json!([value])),
            value if key == "context" && !is_context(value) => saying.attribute(key, value),
            value if names.contains(&key) => saying.put(key, value),
            value => saying.attribute(key, value),
        }
    }
    match object.get("attributes") {
        Some(Value::Object(own)) => own.iter().for_each(|(key, value)| saying.attribute(key, value)),
        Some(other) => saying.attribute("attributes", other),
        None => (),
    }
    saying
}

fn titled(saying: &mut Saying, object: &Map<String, Value>) {
    match (text(object, "title"), text(object, "name")) {
        (Some(title), name) => {
            saying.verbatim("title", Some(title));
            if let Some(name) = name {
                saying.attribute("name", &Value::from(name));
            }
        }
        (None, name) => saying.verbatim("title", name),
    }
}

/// Whether our norms know how to read it; its patterns must be patterns, too.
fn is_enforcement(kind: Type, value: &Value) -> bool {
    fn patterns(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    match value {
                        Value::String(text)
                            if matches!(key.as_str(), "pattern" | "forbid" | "require" | "commits") =>
                        {
                            found.push(text.clone());
                        }
                        other => patterns(other, found),
                    }
                }
            }
            Value::Array(list) => list.iter().for_each(|value| patterns(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (),
        }
    }
    let mut found = Vec::new();
    patterns(value, &mut found);
    ken_core::norm::read(kind, Some(value)).is_ok() && found.iter().all(|pattern| Regex::new(pattern).is_ok())
}

fn is_context(value: &Value) -> bool {
    value.as_object().is_some_and(|context| ken_core::friction::faults(context).is_empty())
}

/// Everything that any version rests on, in order (trap 3: a later line takes nothing away).
fn cite_all(saying: &mut Saying, versions: &[Map<String, Value>]) {
    let mut odd: Vec<Value> = Vec::new();
    for version in versions {
        let list = match version.get("provenance") {
            Some(Value::Array(list)) => list.as_slice(),
            Some(Value::Null) | None => continue,
            Some(other) => std::slice::from_ref(other),
        };
        for cite in list {
            let (kind, reference) = (word(cite, "evidence_type"), word(cite, "evidence_ref"));
            let is_cited = EvidenceType::from_word(&kind)
                .and_then(|kind| Reference::with_type(kind, &reference).ok())
                .is_some_and(|good| {
                    saying.rests_on(&format!("{}:{}", good.evidence_type, good.evidence_ref))
                });
            if !is_cited && !odd.contains(cite) {
                saying.note(format_args!(
                    "`{reference}` is no {} that we can cite; it is kept in attributes",
                    if kind.is_empty() { "evidence" } else { &kind }
                ));
                odd.push(cite.clone());
            }
        }
    }
    if !odd.is_empty() {
        saying.attribute("provenance", &Value::from(odd));
    }
}

fn word(cite: &Value, key: &str) -> String {
    match cite.get(key) {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn standing(path: &str, object: &Map<String, Value>) -> Standing {
    let reason = text(object, "status_reason");
    match text(object, "status") {
        Some("superseded") => match text(object, "superseded_by") {
            Some(new) => Standing::SupersededBy(new.to_owned()),
            None => Standing::Archived(reason.unwrap_or("superseded").to_owned()),
        },
        Some("retracted") => Standing::Retracted(reason.unwrap_or("retracted").to_owned()),
        Some(word @ ("archived" | "deprecated" | "stale" | "rejected")) => {
            Standing::Archived(reason.unwrap_or(word).to_owned())
        }
        Some(_) | None if path.split('/').any(|folder| folder == "archive") => {
            Standing::Archived("it lies in `archive`".to_owned())
        }
        Some(_) | None => Standing::Current,
    }
}

/// Confirmation and ties.
fn finish(item: &mut Item, object: &Map<String, Value>) {
    if let Some(at) = object.get("last_confirmed").and_then(time) {
        let how = text(object, "confirmation").and_then(Confirmation::from_word);
        item.confirmed = Some((how.unwrap_or(Confirmation::Independent), at));
    }
    for old in object.get("supersedes").map(listed).unwrap_or_default() {
        item.ties.push((Relation::Supersedes, old));
    }
    let Some(Value::Array(links)) = object.get("links") else { return };
    for link in links {
        let tie = match link {
            Value::String(to) => Some((Relation::RelatesTo, to.clone())),
            link => Relation::from_word(&word(link, "relation")).map(|relation| (relation, word(link, "to"))),
        };
        if let Some(tie) = tie.filter(|(_, to)| !to.is_empty())
            && !item.ties.contains(&tie)
        {
            item.ties.push(tie);
        }
    }
}

/// What an entry is: by its type, else by its folder, else by its memory.
fn kind_of(path: &str, object: &Map<String, Value>) -> Type {
    if let Some(kind) = text(object, "type").and_then(Type::from_word) {
        return kind;
    }
    let folders: Vec<&str> = path.split('/').collect();
    let of_folder = folders
        .iter()
        .rev()
        .skip(1)
        .find_map(|folder| Type::ALL.iter().copied().find(|kind| folder_of(*kind) == *folder));
    let of_name = Type::from_word(file_name(path).split('.').next().unwrap_or_default());
    of_folder.or(of_name).unwrap_or_else(|| {
        if folders.contains(&"procedural") || file_name(path).starts_with("norm.") {
            Type::UserExpectation
        } else if folders.contains(&"episodic") {
            Type::Signal
        } else {
            Type::Lesson
        }
    })
}

/// The folder of a type, below its memory.
fn folder_of(kind: Type) -> String {
    match kind {
        Type::Entity => "entities".to_owned(),
        other => format!("{other}s"),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn entry_name(path: &str) -> &str {
    let name = file_name(path);
    name.strip_suffix(".jsonl").unwrap_or(name)
}
