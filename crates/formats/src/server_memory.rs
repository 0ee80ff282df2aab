//! The graph of the MCP server `server-memory`: a line of JSON for each entity and each relation.

use ken_core::Type;
use serde_json::{Map, Value};

use crate::content::{self, Names, claim_of, one_line};
use crate::{
    Document, Format, Item, Outgoing, Part, Place, Rewritten, Role, StoreFacts, front, object, plain, prose,
};

/// The MCP server `server-memory`.
pub(crate) struct ServerMemory;

impl Format for ServerMemory {
    fn word(&self) -> &'static str {
        "server-memory"
    }

    fn about(&self) -> &'static str {
        "the knowledge graph of the MCP server `server-memory` (memory.jsonl)"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        let first = head.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty());
        let Some(first) = first else {
            return if path.rsplit('/').next() == Some("memory.jsonl") { 60 } else { 0 };
        };
        match serde_json::from_str::<Value>(first).ok().as_ref().and_then(line_of) {
            Some(Line::Entity) => 95,
            Some(Line::Relation) => 95,
            // The beginning may end inside the first line.
            None if first.starts_with(r#"{"type":"entity","name":"#) => 90,
            None => 0,
        }
    }

    fn read(&self, _path: &str, text: &str) -> Document {
        let mut parts = Vec::new();
        let mut notes = Vec::new();
        let mut broken = Vec::new();
        let mut names = Names::default();
        for (number, line) in text.split_inclusive('\n').enumerate() {
            match item(line, number + 1, &mut names, &mut notes, &mut broken) {
                Some(item) => parts.push(Part::Item(Box::new(item))),
                None => parts.push(Part::Text(line.to_owned())),
            }
        }
        Document { role: Role::Entries, parts, notes, broken }
    }

    fn rewrite(&self, place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        let text = place.text;
        let (before, object) = text.split_at(text.find('{').unwrap_or_default());
        let (object, after) = object.split_at(object.trim_end().len());
        let Ok(Value::Object(map)) = serde_json::from_str(object) else {
            return Rewritten { unsaid: content::unsaid(now, &[]), ..Rewritten::in_place(text) };
        };
        if now.has_changed("status") && is_gone(now) {
            return Rewritten { unsaid: content::unsaid(now, &["status"]), ..Rewritten::default() };
        }
        let mut line = object.to_owned();
        let mut said = vec!["attributes"];
        let mut own = now.fields.attributes.clone();
        let put = |line: &mut String, name: &str, value: &Value| *line = object::set(line, name, value);
        if line_of(&Value::Object(map.clone())) == Some(Line::Relation) {
            said.extend(["from", "relation", "to"]);
            let ends = [
                ("from", "from", &now.fields.from),
                ("relation", "relationType", &now.fields.relation),
                ("to", "to", &now.fields.to),
            ];
            for (field, name, value) in ends {
                if let Some(value) = value.as_ref().filter(|_| now.has_changed(field)) {
                    put(&mut line, name, &Value::from(value.as_str()));
                }
            }
        } else {
            said.extend(["name", "title", "description", "statement", "rule", "hypothesis"]);
            if now.has_changed("name") || now.has_changed("title") {
                put(&mut line, "name", &Value::from(now.fields.title().as_ref()));
            }
            let mut observations = list(&map);
            let claim = content::new_claim(now);
            let kind = own.remove("entity_type");
            let others = own.remove("observations");
            if now.has_changed("attributes") {
                let kind = kind.map(|kind| plain::restored(map.get("entityType"), &kind));
                if let Some(kind) = kind.filter(|kind| map.get("entityType") != Some(kind)) {
                    put(&mut line, "entityType", &kind);
                }
                let before = Value::Array(observations.split_off(usize::from(says(&observations))));
                let others = others.map(|others| plain::restored(Some(&before), &others));
                observations.extend(others.as_ref().and_then(Value::as_array).cloned().unwrap_or_default());
            }
            if let Some(claim) = claim {
                let said = usize::from(says(&observations));
                observations.splice(..said, [Value::from(claim)]);
            }
            if observations != list(&map) {
                put(&mut line, "observations", &Value::Array(observations));
            }
        }
        if now.has_changed("attributes") {
            let before = map.iter().filter(|(name, _)| !KEYS.contains(&name.as_str()));
            let before = before.map(|(name, value)| (name.clone(), value.clone())).collect();
            for (name, value) in content::changes(&before, &own) {
                put(&mut line, &name, &value.unwrap_or_default());
            }
        }
        Rewritten {
            unsaid: content::unsaid(now, &said),
            ..Rewritten::in_place(format!("{before}{line}{after}"))
        }
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        if claim_of(now.fields).is_empty() {
            return None;
        }
        let there = known.paths.iter().find(|path| path.rsplit('/').next() == Some("memory.jsonl"));
        Some(there.cloned().unwrap_or_else(|| "memory.jsonl".to_owned()))
    }

    fn insert(&self, _path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        let text = text.unwrap_or_default();
        let fields = now.fields;
        let line = match (&fields.from, &fields.relation, &fields.to) {
            (Some(from), Some(relation), Some(to)) => {
                let word = |text: &str| Value::from(text);
                format!(
                    r#"{{"type":"relation","from":{},"to":{},"relationType":{}}}"#,
                    word(from),
                    word(to),
                    word(relation)
                )
            }
            _ => {
                let kind = fields.attributes.get("entity_type").and_then(Value::as_str);
                let mut observations = match now.kind.known() {
                    Some(Type::Entity) if fields.description.is_none() && fields.statement.is_none() => {
                        Vec::new()
                    }
                    _ => vec![Value::from(claim_of(fields))],
                };
                observations.extend(
                    fields
                        .attributes
                        .get("observations")
                        .and_then(Value::as_array)
                        .cloned()
                        .unwrap_or_default(),
                );
                format!(
                    r#"{{"type":"entity","name":{},"entityType":{},"observations":{}}}"#,
                    Value::from(prose::title(&fields.title())),
                    Value::from(kind.unwrap_or(now.kind.word())),
                    Value::Array(observations)
                )
            }
        };
        // The server ends its lines between them, and not after the last.
        let end = front::line_end(text);
        match text {
            "" => line,
            text if text.ends_with('\n') => format!("{text}{line}{end}"),
            text => format!("{text}{end}{line}"),
        }
    }
}

/// The keys that the server knows.
const KEYS: &[&str] = &["type", "name", "entityType", "observations", "from", "to", "relationType"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Entity,
    Relation,
}

fn line_of(value: &Value) -> Option<Line> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    match text("type")? {
        "entity" => text("name").and(value.get("observations")?.as_array()).map(|_| Line::Entity),
        "relation" => text("from").and(text("to")).and(text("relationType")).map(|_| Line::Relation),
        _ => None,
    }
}

fn list(map: &Map<String, Value>) -> Vec<Value> {
    map.get("observations").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Whether the first of the observations says something.
fn says(observations: &[Value]) -> bool {
    observations.first().and_then(Value::as_str).is_some_and(|said| !plain::trimmed(said).is_empty())
}

fn is_gone(now: &Outgoing<'_>) -> bool {
    use ken_core::kinds::Status;
    match now.status {
        Status::Archived | Status::Retracted | Status::Superseded => true,
        Status::Candidate | Status::Active | Status::Verified | Status::Rejected | Status::Stale => false,
    }
}

fn item(
    line: &str,
    number: usize,
    names: &mut Names,
    notes: &mut Vec<String>,
    broken: &mut Vec<String>,
) -> Option<Item> {
    let words = line.trim_start_matches('\u{feff}').trim();
    if words.is_empty() {
        return None;
    }
    let value: Value = match serde_json::from_str(words) {
        Ok(value) => value,
        Err(why) => {
            broken.push(format!("line {number}: this is not JSON ({why}); it is kept unchanged"));
            return None;
        }
    };
    let (Some(kind), Value::Object(map)) = (line_of(&value), &value) else {
        notes.push(format!(
            "line {number}: this is neither an entity with `name` and `observations` nor a relation with `from`, `relationType` and `to`; it is kept unchanged"
        ));
        return None;
    };
    let text = |name: &str| map.get(name).and_then(Value::as_str).unwrap_or_default();
    let others = |known: &[&str]| -> Map<String, Value> {
        let others = map.iter().filter(|(name, _)| !known.contains(&name.as_str()));
        others.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let item = match kind {
        Line::Entity => {
            let mut item = Item::new(Type::Entity, one_line(text("name")), line);
            content::put(&mut item.content, "name", text("name"));
            let observations = list(map);
            // The first says what it is; the others are kept unchanged.
            let is_said = says(&observations);
            if is_said {
                content::put(&mut item.content, "description", observations[0].as_str().unwrap_or_default());
            }
            let rest: Vec<Value> = observations.iter().skip(usize::from(is_said)).cloned().collect();
            let mut own = others(&["type", "name", "entityType", "observations"]);
            if let Some(kind) = map.get("entityType") {
                own.insert("entity_type".to_owned(), kind.clone());
            }
            if !rest.is_empty() {
                own.insert("observations".to_owned(), Value::Array(rest));
            }
            content::keep(&mut item.content, own, notes);
            let said = observations.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
            content::anchor(&mut item.content, prose::places(&said));
            item
        }
        Line::Relation => {
            let name = format!("{} -{}-> {}", text("from"), text("relationType"), text("to"));
            let mut item = Item::new(Type::Relationship, one_line(&name), line);
            content::put(&mut item.content, "from", text("from"));
            content::put(&mut item.content, "relation", text("relationType"));
            content::put(&mut item.content, "to", text("to"));
            content::keep(&mut item.content, others(&["type", "from", "to", "relationType"]), notes);
            item
        }
    };
    let Some(mut item) = content::settled(item, notes) else {
        notes.push(format!("line {number}: this says nothing that can be kept; it is left as it is"));
        return None;
    };
    item.name = names.free(&item.name);
    Some(item)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(line_of(&json!({"type": "entity", "name": "a", "observations": []})), Some(Line::Entity));
        assert_eq!(line_of(&json!({"type": "entity", "name": "a"})), None);
        assert_eq!(
            line_of(&json!({"type": "relation", "from": "a", "to": "b", "relationType": "c"})),
            Some(Line::Relation)
        );
        assert_eq!(line_of(&json!([1])), None);
    }
}
