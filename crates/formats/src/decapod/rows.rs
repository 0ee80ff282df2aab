//! Rows of `knowledge.db`, a line each.

use std::collections::BTreeSet;

use ken_core::kinds::{DecayClass, Relation, Status};
use ken_core::{Memory, Type};
use serde_json::{Map, Value};

use super::rest_on;
use crate::json_lines::{self, LineContent, Saying, lines, push_text, stamp, text, time};
use crate::words::decay_class;
use crate::{Document, Item, Outgoing, Part, Place, Rewritten, Role, Standing};

/// Columns that mean something to us, and that are no attributes.
const COLUMNS: &[&str] = &[
    "id",
    "title",
    "content",
    "provenance",
    "tags",
    "created_at",
    "updated_at",
    "status",
    "supersedes_id",
    "ttl_policy",
];
/// Columns of the table that are attributes where they say something.
const SAYING: &[&str] = &["claim_id", "dir_path", "scope", "merge_key", "expires_ts"];

pub(super) fn read(text: &str) -> Document {
    let mut parts = Vec::new();
    let mut notes = Vec::new();
    let mut broken = Vec::new();
    let mut names = BTreeSet::new();
    for line in lines(text) {
        let row = match line.said {
            LineContent::Object(row) => row,
            LineContent::Nothing => {
                push_text(&mut parts, line.text);
                continue;
            }
            LineContent::Wrong(why) => {
                broken.push(why);
                push_text(&mut parts, line.text);
                continue;
            }
        };
        match item(&row, line.number, line.text) {
            Ok((item, more)) if names.insert(item.name.clone()) => {
                notes.extend(more);
                parts.push(Part::Item(Box::new(item)));
            }
            Ok((item, _)) => {
                notes.push(format!("line {}: `{}` occurs twice; the first counts", line.number, item.name));
                push_text(&mut parts, line.text);
            }
            Err(more) => {
                notes.extend(more);
                push_text(&mut parts, line.text);
            }
        }
    }
    // Who was superseded is said by the one that came after.
    let after: Vec<(String, String)> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Item(item) => Some(item),
            Part::Text(_) => None,
        })
        .flat_map(|item| item.ties.iter().map(|(_, old)| (old.clone(), item.name.clone())))
        .collect();
    for part in &mut parts {
        if let Part::Item(item) = part
            && item.standing == Standing::Archived("superseded".to_owned())
            && let Some((_, new)) = after.iter().find(|(old, _)| *old == item.name)
        {
            item.standing = Standing::SupersededBy(new.clone());
        }
    }
    Document { role: Role::Entries, parts, notes, broken }
}

fn item(row: &Map<String, Value>, number: usize, line: &str) -> Result<(Item, Vec<String>), Vec<String>> {
    let Some(name) = text(row, "id") else {
        return Err(vec![format!("line {number} has no `id`; it is kept unchanged")]);
    };
    if let Some(why) = text(row, "left_out") {
        return Err(vec![format!("line {number}: `{name}` is left out: {why}")]);
    }
    let tags = row.get("tags").map(json_lines::words).unwrap_or_default();
    let (kind, subtype) = kind_of(name, &tags);
    let mut saying = Saying::new(kind, format!("line {number}"));
    saying.id(name);
    if let Some(subtype) = subtype {
        saying.put("subtype", &Value::from(subtype));
    }
    if let Some(title) = text(row, "title") {
        saying.title("title", title);
    }
    let claim = if kind.memory() == Memory::Procedural { "rule" } else { "statement" };
    if let Some(said) = text(row, "content").or_else(|| text(row, "title")) {
        saying.state(claim, said);
    }
    saying.put("tags", &Value::from(tags));
    let mut odd = Vec::new();
    if let Some(provenance) = text(row, "provenance") {
        rest_on(&mut saying, provenance, &mut odd);
    }
    if let [odd] = &odd[..] {
        saying.attribute("provenance", odd);
    }
    match text(row, "ttl_policy") {
        Some(word) => {
            match decay_class(word) {
                Some(class) => saying.put("decay_class", &Value::from(class.word())),
                None => saying.note(format_args!("`{word}` is no ttl_policy that Decapod has; it is kept")),
            }
            saying.attribute("ttl_policy", &Value::from(word));
        }
        None => saying.put("decay_class", &Value::from(DecayClass::Permanent.word())),
    }
    for (column, value) in row {
        let is_empty = value.is_null() || value.as_str().is_some_and(str::is_empty);
        if COLUMNS.contains(&column.as_str()) || (SAYING.contains(&column.as_str()) && is_empty) {
            continue;
        }
        if !SAYING.contains(&column.as_str()) {
            saying.note(format_args!("`{column}` is a column that Decapod does not have; it is kept"));
        }
        saying.attribute(column, value);
    }
    let standing = match text(row, "status").unwrap_or("active") {
        "active" => Standing::Current,
        word @ ("superseded" | "deprecated" | "stale") => Standing::Archived(word.to_owned()),
        word => {
            saying.note(format_args!("`{word}` is no status that Decapod has; it is kept"));
            saying.attribute("status", &Value::from(word));
            Standing::Current
        }
    };
    let (mut item, notes) = saying.item(name, line)?;
    item.standing = standing;
    item.stated = row.get("created_at").and_then(time);
    if let Some(old) = text(row, "supersedes_id") {
        item.ties.push((Relation::Supersedes, old.to_owned()));
    }
    Ok((item, notes))
}

/// What a row is to us: norms by the first part of their id, others by their tags.
fn kind_of(id: &str, tags: &[String]) -> (Type, Option<&'static str>) {
    if let Some(rest) = id.strip_prefix("procedural/") {
        let words: Vec<String> =
            rest.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_lowercase).collect();
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        let kind = if has(&["commit", "commits"]) {
            Type::CommitNorm
        } else if has(&["pr", "review", "pull"]) {
            Type::PrExpectation
        } else if has(&["risk", "tier", "tiers"]) {
            Type::RiskTier
        } else {
            Type::UserExpectation
        };
        return (kind, None);
    }
    let known = |kind: Type| {
        let word = |tag: &String| tag.trim().to_lowercase().replace('-', "_");
        let found = tags.iter().find_map(|tag| kind.subtypes().iter().find(|known| **known == word(tag)));
        found.map(|subtype| (kind, Some(*subtype)))
    };
    known(Type::Experience).or_else(|| known(Type::Skill)).unwrap_or((
        if id.starts_with("decision/") { Type::Experience } else { Type::Lesson },
        id.starts_with("decision/").then_some("decision"),
    ))
}

pub(super) fn rewrite(place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
    let row = lines(place.text).find_map(|line| match line.said {
        LineContent::Object(row) => Some(row),
        LineContent::Nothing | LineContent::Wrong(_) => None,
    });
    let row = row.unwrap_or_default();
    let has_content = text(&row, "content").is_some();
    let old_tags = row.get("tags").map(json_lines::words).unwrap_or_default();
    let mut line = place.text.to_owned();
    let mut unsaid: BTreeSet<String> = BTreeSet::new();
    let mut put = |column: &str, value: Value| {
        if let Some(new) = json_lines::set(&line, column, &value) {
            line = new;
        }
    };
    let mut is_changed = false;
    for field in &now.changed {
        match field.as_str() {
            "title" => {
                put("title", Value::from(now.fields.title.as_deref().unwrap_or_default()));
                // A row without content is read by its title.
                if !has_content {
                    put("content", Value::from(json_lines::composed(now.fields).0));
                }
            }
            "statement" | "rule" | "detail" => {
                let (content, lost) = json_lines::composed(now.fields);
                unsaid.extend(lost.iter().map(|name| (*name).to_owned()));
                put("content", Value::from(content));
            }
            "tags" => {
                let tags: Vec<String> = now.fields.tags.iter().map(|tag| tag.to_string()).collect();
                // Tags tell what a row is; a change that would make it something else cannot be said.
                if kind_of(place.name, &tags) != kind_of(place.name, &old_tags) {
                    unsaid.insert(field.clone());
                    continue;
                }
                put("tags", Value::from(tags.join(",")));
            }
            "decay_class" => {
                put(
                    "ttl_policy",
                    Value::from(match now.fields.decay_class() {
                        DecayClass::Permanent => "persistent",
                        DecayClass::Stable => "decay",
                        DecayClass::Ephemeral => "ephemeral",
                    }),
                );
            }
            "status" => put(
                "status",
                Value::from(match now.status {
                    Status::Candidate | Status::Active | Status::Verified => "active",
                    Status::Superseded => "superseded",
                    Status::Stale => "stale",
                    Status::Rejected | Status::Archived | Status::Retracted => "deprecated",
                }),
            ),
            // The one text a row has for its provenance is taken, and citations are only ever added.
            other => {
                unsaid.insert(other.to_owned());
                continue;
            }
        }
        is_changed = true;
    }
    if is_changed {
        put("updated_at", Value::from(stamp(now.updated)));
    }
    Rewritten { unsaid: unsaid.into_iter().collect(), ..Rewritten::in_place(line) }
}
