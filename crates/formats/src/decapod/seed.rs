//! Entries of the seed layout: a file each, of which the last line counts, and what it rests on is only ever added to.

use std::collections::BTreeSet;

use ken_core::evidence::Reference;
use ken_core::kinds::{Confirmation, Relation, Status};
use ken_core::{EvidenceType, Memory, Millis, Type, canonical, schema};
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::front::line_end;
use crate::json_lines::{self, Said, Saying, ended, lines, listed, push_text, stamp, stated, text, time};
use crate::{Document, Item, Known, Outgoing, Part, Place, Rewritten, Role, Standing, prose};

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
    let mut versions = Vec::new();
    for line in lines(text) {
        match line.said {
            Said::Nothing => (),
            Said::Object(version) => versions.push(version),
            Said::Wrong(why) => notes.push(why),
        }
    }
    let read = match versions.last() {
        Some(last) => item(path, text, last, &versions),
        None => Err(vec![format!("no line of `{}` is an entry", file_name(path))]),
    };
    match read {
        Ok((item, more)) => {
            notes.extend(more);
            Document::of(item, notes)
        }
        Err(more) => {
            notes.extend(more);
            Document { notes, ..Document::opaque(Role::Other, text, None) }
        }
    }
}

/// A ledger of friction: an entry a line.
pub(super) fn friction(path: &str, text: &str) -> Document {
    let mut parts = Vec::new();
    let mut notes = Vec::new();
    let mut names = BTreeSet::new();
    for line in lines(text) {
        let read = match line.said {
            Said::Nothing => Err(Vec::new()),
            Said::Wrong(why) => Err(vec![why]),
            Said::Object(record) => friction_item(path, &record, line.number, line.text, &names),
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
    Document { role: Role::Entries, parts, notes }
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
                .and_then(|kind| Reference::of(kind, &reference).ok())
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

pub(super) fn path_for(now: &Outgoing<'_>, known: &Known<'_>) -> String {
    let root = known
        .paths
        .iter()
        .find_map(|path| {
            let layers = ["semantic/v1/", "procedural/v1/", "episodic/v1/"];
            let at = layers.iter().find_map(|layer| path.find(layer))?;
            (at == 0 || path[..at].ends_with('/')).then(|| path[..at].to_owned())
        })
        .or_else(|| {
            let home = known.paths.iter().find_map(|path| {
                let at = path.find(".decapod/")?;
                Some(format!("{}knowledge/", &path[..at + ".decapod/".len()]))
            });
            home
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

pub(super) fn insert(path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
    let line = new_line(path, now);
    let before = text.unwrap_or_default();
    format!("{}{line}{}", ended(before), line_end(before))
}

pub(super) fn insert_friction(text: Option<&str>, now: &Outgoing<'_>) -> String {
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

pub(super) fn rewrite(place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
    let versions: Vec<Map<String, Value>> = lines(place.text)
        .filter_map(|line| match line.said {
            Said::Object(version) => Some(version),
            Said::Nothing | Said::Wrong(_) => None,
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

pub(super) fn rewrite_friction(place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
    let fields = match serde_json::to_value(now.fields) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let record = lines(place.text).find_map(|line| match line.said {
        Said::Object(record) => Some(record),
        Said::Nothing | Said::Wrong(_) => None,
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
        let claim = fields.get("statement").filter(|_| !now.has_changed("statement"));
        if let Some(claim) = claim.filter(|_| text(&record, "statement").is_none()) {
            line = json_lines::set(&line, "statement", claim).unwrap_or(line);
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
                let key = match (object.contains_key("title"), object.contains_key("name")) {
                    (true, _) => "title",
                    (false, true) => "name",
                    (false, false) if is_norm => "title",
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
            let good = EvidenceType::from_word(&kind).and_then(|kind| Reference::of(kind, &reference).ok());
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
        if is_ours(key) {
            nested(object, key, Some(value.clone()));
        } else {
            nested(object, key, None);
            object.insert(key.clone(), value.clone());
        }
    }
}
