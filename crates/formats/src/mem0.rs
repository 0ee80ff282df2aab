//! Memories as mem0 hands them out: a JSON list of objects, bare or under `results` or `memories`.

use std::ops::Range;

use ken_core::kinds::Status;
use ken_core::limits::STATEMENT_CHARS_MAX;
use ken_core::{Millis, Type};
use serde_json::{Map, Value};

use crate::content::{self, Body, Names, claim_of};
use crate::{
    Document, Format, Item, Outgoing, Part, Place, Rewritten, Role, StoreFacts, front, object, prose,
};

/// mem0.
pub(crate) struct Mem0;

impl Format for Mem0 {
    fn word(&self) -> &'static str {
        "mem0"
    }

    fn about(&self) -> &'static str {
        "memories of mem0, as `get_all` and its export hand them out (JSON)"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        let words = head.trim_start_matches('\u{feff}').trim_start();
        if !path.ends_with(".json") || !words.starts_with(['{', '[']) {
            return 0;
        }
        let has = |name: &str| words.contains(&format!("\"{name}\""));
        let signs = ["user_id", "agent_id", "run_id", "metadata", "hash", "created_at", "categories"];
        let count = signs.iter().filter(|name| has(name)).count();
        match (has("memory"), count) {
            (true, 2..) => 90,
            (true, 1) => 80,
            (true, 0) => 40,
            (false, _) if path.ends_with("mem0.json") => 60,
            (false, _) => 0,
        }
    }

    fn read(&self, _path: &str, text: &str) -> Document {
        let whole = text.trim_start_matches('\u{feff}');
        let start = text.len() - whole.len();
        let value: Value = match serde_json::from_str(whole) {
            Ok(value) => value,
            Err(why) => {
                return Document::unreadable(text, format!("is not JSON ({why})"));
            }
        };
        let Some(list) = list(&value, whole) else {
            let why = "has no list of memories, neither bare nor under `results` or `memories`";
            return Document::unreadable(text, why.to_owned());
        };
        let mut notes = Vec::new();
        let mut parts = Vec::new();
        let mut names = Names::default();
        let mut at = 0;
        for (number, place) in object::elements(&whole[list.clone()]).into_iter().enumerate() {
            let (from, to) = (start + list.start + place.start, start + list.start + place.end);
            if let Some(item) = item(&text[from..to], number + 1, &mut names, &mut notes) {
                if at < from {
                    parts.push(Part::Text(text[at..from].to_owned()));
                }
                parts.push(Part::Item(Box::new(item)));
                at = to;
            }
        }
        if at < text.len() {
            parts.push(Part::Text(text[at..].to_owned()));
        }
        Document { role: Role::Entries, parts, notes, broken: Vec::new() }
    }

    fn rewrite(&self, place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        let text = place.text;
        let Ok(Value::Object(map)) = serde_json::from_str(text) else {
            return Rewritten { unsaid: content::unsaid(now, &[]), ..Rewritten::in_place(text) };
        };
        let mut object = text.to_owned();
        let mut put = |name: &str, value: &Value| object = object::set(&object, name, value);
        let before = map.get(key(&map)).and_then(Value::as_str).unwrap_or_default();
        if content::new_claim(now).is_some() || now.has_changed("detail") {
            let (statement, detail) = said(before);
            let statement = content::new_claim(now).unwrap_or(statement);
            let detail = if now.has_changed("detail") { now.fields.detail.clone() } else { detail };
            put(key(&map), &Value::from(memory(&statement, detail.as_deref())));
        }
        if now.has_changed("tags") {
            put("categories", &content::respelt(&categories(&map), &now.fields.tags, ToString::to_string));
        }
        if now.has_changed("attributes") {
            let own = &now.fields.attributes;
            let before =
                own_keys(&map).filter_map(|name| Some((name.clone(), map.get(name)?.clone()))).collect();
            for (name, value) in content::changes(&before, own) {
                put(&name, &value.unwrap_or_default());
            }
        }
        let said = [content::CLAIMS, &["detail", "tags", "attributes"]].concat();
        // A list has no way to say that one of its members does not count, and an empty place in it would be no JSON.
        Rewritten { unsaid: content::unsaid(now, &said), ..Rewritten::in_place(object) }
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        if claim_of(now.fields).is_empty() || !is_current(now.status) {
            return None;
        }
        let is_ours = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.ends_with(".json") && (name.contains("mem0") || name.contains("memories"))
        };
        Some(known.paths.iter().find(is_ours).cloned().unwrap_or_else(|| "mem0.json".to_owned()))
    }

    fn insert(&self, _path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        let mut metadata = Map::new();
        metadata.insert("type".to_owned(), Value::from(now.kind.word()));
        if let Some(subtype) = &now.fields.subtype {
            metadata.insert("subtype".to_owned(), Value::from(subtype.as_str()));
        }
        let statement = claim_of(now.fields);
        let mut lines = vec![
            ("id", Value::from(now.id)),
            ("memory", Value::from(memory(&statement, now.fields.detail.as_deref()))),
            ("metadata", Value::Object(metadata)),
        ];
        if !now.fields.tags.is_empty() {
            lines.push(("categories", content::respelt(&[], &now.fields.tags, ToString::to_string)));
        }
        lines.push(("created_at", Value::from(now.created.to_string())));
        lines.push(("updated_at", Value::from(now.updated.to_string())));
        let text = text.filter(|text| !text.trim().is_empty()).unwrap_or("{\n  \"results\": [\n  ]\n}\n");
        let whole = text.trim_start_matches('\u{feff}');
        let start = text.len() - whole.len();
        let place = serde_json::from_str(whole).ok().and_then(|value| list(&value, whole));
        let Some(place) = place else { return text.to_owned() };
        let elements = object::elements(&whole[place.clone()]);
        let end = front::line_end(text);
        let is_spread = text.trim_end().contains('\n');
        let (from, gap) = match elements.last() {
            Some(last) => {
                let from = start + place.start + last.start;
                let line = &text[text[..from].rfind('\n').map_or(0, |at| at + 1)..from];
                let gap = if line.trim().is_empty() { line.to_owned() } else { String::new() };
                (start + place.start + last.end, gap)
            }
            None => (start + place.start + 1, "    ".to_owned()),
        };
        let object = if is_spread {
            let inner: Vec<String> =
                lines.iter().map(|(name, value)| format!("{gap}  \"{name}\": {value}")).collect();
            format!("{end}{gap}{{{end}{}{end}{gap}}}", inner.join(&format!(",{end}")))
        } else {
            let inner: Vec<String> =
                lines.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
            format!("{}{{{}}}", if elements.is_empty() { "" } else { " " }, inner.join(", "))
        };
        let comma = if elements.is_empty() { "" } else { "," };
        format!("{}{comma}{object}{}", &text[..from], &text[from..])
    }
}

/// The keys that hold something we have a field for.
const KEYS: &[&str] = &["id", "memory", "text", "categories", "created_at"];

/// Where the list of memories is.
fn list(value: &Value, text: &str) -> Option<Range<usize>> {
    if value.is_array() {
        let from = text.len() - text.trim_start().len();
        return Some(from..text.trim_end().len());
    }
    value.as_object()?;
    let mut found = object::members(text).into_iter().filter(|member| {
        matches!(member.name.as_str(), "results" | "memories") && text[member.value.clone()].starts_with('[')
    });
    found.next().map(|member| member.value)
}

fn item(text: &str, number: usize, names: &mut Names, notes: &mut Vec<String>) -> Option<Item> {
    let map = match serde_json::from_str(text) {
        Ok(Value::Object(map)) => map,
        Ok(_) | Err(_) => {
            notes.push(format!("memory {number}: this is no object; it is kept unchanged"));
            return None;
        }
    };
    let Some(memory) = map.get(key(&map)).and_then(Value::as_str) else {
        notes.push(format!("memory {number}: this has no text under `memory`; it is kept unchanged"));
        return None;
    };
    let id = map.get("id").and_then(Value::as_str).map(str::trim).filter(|id| !id.is_empty());
    let name = id.map_or_else(|| blake3::hash(memory.as_bytes()).to_hex()[..16].to_owned(), str::to_owned);
    let (kind, subtype) = kind(&map);
    let mut item = Item::new(kind, name, text);
    if let Some(subtype) = subtype {
        content::put(&mut item.content, "subtype", subtype);
    }
    let (statement, detail) = said(memory);
    content::put(&mut item.content, "statement", &statement);
    content::put(&mut item.content, "detail", &detail.unwrap_or_default());
    content::tag(&mut item.content, &categories(&map), notes);
    content::anchor(&mut item.content, prose::places(memory));
    item.stated = map.get("created_at").and_then(time);
    let own = own_keys(&map).map(|name| (name.clone(), map[name].clone())).collect();
    content::keep(&mut item.content, own, notes);
    let Some(mut item) = content::settled(item, notes) else {
        notes.push(format!("memory {number}: this is empty; it is kept unchanged"));
        return None;
    };
    item.name = names.free(&item.name);
    if id.is_some() {
        content::identify(&mut item.content, &item.name);
    }
    Some(item)
}

/// The key under which a memory has its words: old exports have `text`.
fn key(map: &Map<String, Value>) -> &'static str {
    if map.contains_key("memory") || !map.contains_key("text") { "memory" } else { "text" }
}

/// What has no field of ours. A time that was not understood is kept as it is.
fn own_keys(map: &Map<String, Value>) -> impl Iterator<Item = &String> {
    map.iter()
        .filter(|(name, value)| {
            let is_known = match name.as_str() {
                "created_at" => time(value).is_some(),
                "categories" => value.is_array(),
                "id" => value.is_string(),
                name => name == key(map),
            };
            !(is_known && KEYS.contains(&name.as_str()))
        })
        .map(|(name, _)| name)
}

/// The type that our own export has left in the metadata; a learning otherwise.
fn kind(map: &Map<String, Value>) -> (Type, Option<&str>) {
    let metadata = map.get("metadata");
    let word = |name: &str| metadata.and_then(|metadata| metadata.get(name)).and_then(Value::as_str);
    let kind = word("type").and_then(Type::from_word);
    match kind {
        Some(kind @ (Type::Skill | Type::Experience)) => {
            let known = word("subtype").filter(|word| kind.subtypes().contains(word));
            (kind, known.or((kind == Type::Experience).then_some("learning")))
        }
        Some(kind @ (Type::Lesson | Type::Pattern | Type::Incident | Type::FalsePositive)) => (kind, None),
        _ => (Type::Experience, Some("learning")),
    }
}

fn categories(map: &Map<String, Value>) -> Vec<String> {
    let list = map.get("categories").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn time(value: &Value) -> Option<Millis> {
    prose::time(value.as_str()?)
}

/// The claim of a memory, and what follows it after a blank line.
fn said(memory: &str) -> (String, Option<String>) {
    let memory = memory.trim();
    let (claim, rest) = match memory.split_once("\n\n") {
        Some((claim, rest)) => (claim, Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty())),
        None => (memory, None),
    };
    if claim.chars().count() > STATEMENT_CHARS_MAX {
        let body = Body::parse(memory);
        return (body.statement().unwrap_or_default(), body.detail());
    }
    (claim.to_owned(), rest)
}

fn memory(statement: &str, detail: Option<&str>) -> String {
    match detail.map(str::trim).filter(|detail| !detail.is_empty()) {
        Some(detail) => format!("{statement}\n\n{detail}"),
        None => statement.to_owned(),
    }
}

fn is_current(status: Status) -> bool {
    match status {
        Status::Candidate | Status::Active | Status::Verified | Status::Stale => true,
        Status::Rejected | Status::Archived | Status::Retracted | Status::Superseded => false,
    }
}
