//! Bundles in the Open Knowledge Format v0.2: a folder of Markdown files, each a concept with a `type`.

mod written;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use ken_core::evidence::Reference;
use ken_core::kinds::{Confirmation, Relation};
use ken_core::limits::LIST_LEN_MAX;
use ken_core::{Anchor, Millis, Type};
use regex::Regex;
use serde_json::{Map, Value};

use crate::content::{self, Body, claim_field};
use crate::front::Front;
use crate::{
    Document, File, Format, Item, Outgoing, Place, Rewritten, Role, Source, Standing, StoreFacts, plain,
    prose,
};

/// The Open Knowledge Format.
pub(crate) struct Okf;

impl Format for Okf {
    fn word(&self) -> &'static str {
        "okf"
    }

    fn about(&self) -> &'static str {
        "bundles in the Open Knowledge Format v0.2 (Markdown, a concept a file)"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        if !path.ends_with(".md") || crate::decapod::is_home(path) {
            return 0;
        }
        let front = Front::parse(head);
        let has = |key: &str| front.as_ref().is_some_and(|front| front.values.contains_key(key));
        if has("okf_version") {
            return 95;
        }
        match reserved(path) {
            Some(Role::Derived) => return if listed(head).next().is_some() { 30 } else { 0 },
            Some(Role::Other | Role::Entries) => return 10,
            None => {}
        }
        let Some(front) = front.as_ref().filter(|front| front.word("type").is_some()) else { return 0 };
        // Systems of their own that have a `type` as well.
        let marks =
            ["permalink", "lastConfirmed", "lifecycle_state", "signal_type", "severity", "project", "phase"];
        let is_foreign = marks.iter().any(|key| has(key))
            || (has("id") && has("created"))
            || front.word("type").is_some_and(|word| word.eq_ignore_ascii_case("adr"));
        if is_foreign && !has("generated") {
            return 10;
        }
        let own = ["sources", "generated", "verified", "stale_after", "resource", "not", "usage_window"];
        let usual = ["title", "description", "tags", "timestamp"];
        match (own.iter().any(|key| has(key)), usual.iter().filter(|key| has(key)).count()) {
            (true, _) => 90,
            (false, 2..) => 80,
            (false, 0..=1) => 55,
        }
    }

    fn read(&self, path: &str, text: &str) -> Document {
        if let Some(role) = reserved(path) {
            return Document::opaque(role, text, None);
        }
        let Some(front) = Front::parse(text) else {
            let note = format!("{path} has no front matter; it is not a concept, and is kept unchanged");
            return Document::opaque(Role::Other, text, Some(note));
        };
        let mut notes: Vec<String> = front.faults.iter().map(|fault| format!("{path}: {fault}")).collect();
        match item(path, text, &front, &mut notes) {
            Some(item) => Document::new(item, notes),
            None => Document { notes, ..Document::opaque(Role::Other, text, None) },
        }
    }

    fn rewrite(&self, place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        written::again(place, now)
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        written::path(now, known)
    }

    fn insert(&self, _path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        // A concept is a file: one that is there already is not written over.
        match text.filter(|text| !text.trim().is_empty()) {
            Some(text) => text.to_owned(),
            None => written::anew(now),
        }
    }

    fn derived(&self, files: &[Source<'_>], known: &StoreFacts<'_>) -> Vec<File> {
        written::index(files, known)
    }
}

/// Keys of the format that have their place among our fields or in the item.
const KNOWN: &[&str] = &["title", "description", "tags", "related", "statement", "anchors"];

/// Fields of ours that a bundle has no word for: they are written as they are, and read again.
const OURS: &[&str] = &[
    "decay_class",
    "decision",
    "depends_on",
    "domains",
    "enforcement",
    "examples",
    "exceptions",
    "from",
    "merge_key",
    "outcome",
    "polarity",
    "relation",
    "reviewer",
    "role",
    "rounds",
    "scope",
    "severity",
    "severity_word",
    "subject",
    "subtype",
    "thread",
    "to",
    "verification",
];

/// What a reserved file is for.
fn reserved(path: &str) -> Option<Role> {
    match path.rsplit('/').next() {
        Some("index.md") => Some(Role::Derived),
        Some("log.md") => Some(Role::Other),
        _ => None,
    }
}

fn item(path: &str, text: &str, front: &Front<'_>, notes: &mut Vec<String>) -> Option<Item> {
    let Some(word) = front.word("type") else {
        notes.push(format!("{path} has no `type`; it is not a concept, and is kept unchanged"));
        return None;
    };
    let (kind, subtype) = kind(&word, front);
    let id = concept(path);
    let mut item = Item::new(kind, id, text);
    content::identify(&mut item.content, id);
    let title = front.word("title").unwrap_or_else(|| prose::title_of(path));
    content::put(&mut item.content, if kind == Type::Entity { "name" } else { "title" }, &title);
    content::put(&mut item.content, "summary", &front.word("description").unwrap_or_default());
    if let Some(subtype) = subtype {
        content::put(&mut item.content, "subtype", subtype);
    }
    say(&mut item.content, kind, front, &title);
    content::tag(&mut item.content, &front.words("tags"), notes);

    let mut own = front.others(KNOWN);
    for name in OURS {
        let is_field = ken_core::schema::field_names(kind).contains(name);
        if let Some(value) = own.get(*name).filter(|value| is_field && fits(name, value)) {
            item.content.insert((*name).to_owned(), value.clone());
            own.remove(*name);
        }
    }
    for name in KNOWN.iter().filter(|name| is_odd(front, name)) {
        own.insert((*name).to_owned(), front.values[*name].clone());
    }
    content::keep(&mut item.content, own, notes);

    let sources = resources(front);
    item.evidence = evidence(&sources);
    let places = match front.values.get("anchors") {
        Some(_) if !is_odd(front, "anchors") => front.words("anchors"),
        Some(_) | None => {
            let mut places: Vec<String> = sources.iter().filter(|source| is_place(source)).cloned().collect();
            places.extend(prose::places(front.body()));
            places
        }
    };
    content::anchor(&mut item.content, places);
    item.stated = at(front.values.get("generated")).or_else(|| front.str("timestamp").and_then(prose::time));
    item.confirmed = confirmed(front.values.get("verified"));
    item.standing = standing(front);
    item.ties = ties(path, front);
    let item = content::settled(item, notes);
    if item.is_none() {
        notes.push(format!("{path} says nothing that an entry could; it is kept unchanged"));
    }
    item
}

/// Whether a known key has a value that is not of the shape we know: it is kept unchanged, and never written over.
fn is_odd(front: &Front<'_>, name: &str) -> bool {
    let Some(value) = front.values.get(name) else { return false };
    match (name, value) {
        (_, Value::Null | Value::String(_)) => false,
        ("tags" | "related" | "anchors", Value::Array(words)) => !words.iter().all(Value::is_string),
        ("tags" | "related" | "anchors", Value::Bool(_) | Value::Number(_) | Value::Object(_)) => true,
        (_, Value::Bool(_) | Value::Number(_)) => false,
        (_, Value::Array(_) | Value::Object(_)) => true,
    }
}

/// The claim and what follows it. Words that the body cannot hold are in a key of their own, and then all of the body follows.
fn say(content: &mut Map<String, Value>, kind: Type, front: &Front<'_>, title: &str) {
    let body = Body::parse(front.body());
    let field = claim_field(kind);
    let (statement, detail) = match front.values.get("statement").and_then(Value::as_str) {
        Some(statement) => {
            (Some(statement.to_owned()).filter(|said| !plain::trimmed(said).is_empty()), whole(front.body()))
        }
        None => (body.statement(), body.detail()),
    };
    content::put(content, "detail", &detail.unwrap_or_default());
    match statement {
        Some(statement) => content::put(content, field, &statement),
        None if kind == Type::Entity => {}
        None => {
            let summary = front.word("description").unwrap_or_default();
            let words = if plain::trimmed(&summary).is_empty() { title } else { &summary };
            content::put(content, field, &content::one_line(words));
        }
    }
}

fn whole(body: &str) -> Option<String> {
    Some(body.trim().replace("\r\n", "\n")).filter(|body| !body.is_empty())
}

/// What a concept is to us: a type of ours by its word; a thing where it has a resource; else something that was learned.
fn kind(word: &str, front: &Front<'_>) -> (Type, Option<&'static str>) {
    let has = |key: &str| front.str(key).is_some();
    let is_relationship = word.trim().eq_ignore_ascii_case("relationship");
    match content::kind_of(word) {
        Some(kind) => kind,
        None if is_relationship && has("from") && has("relation") && has("to") => (Type::Relationship, None),
        None if has("resource") => (Type::Entity, None),
        None => (Type::Experience, Some("learning")),
    }
}

/// Whether a value has the shape of a field.
fn fits(name: &str, value: &Value) -> bool {
    let single: Map<String, Value> = [(name.to_owned(), value.clone())].into_iter().collect();
    !value.is_null() && ken_core::Fields::read_strictly(&Value::Object(single)).is_ok()
}

/// The id of a concept: its path in the bundle without the ending.
fn concept(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

/// The resources among the sources, as they are written.
fn resources(front: &Front<'_>) -> Vec<String> {
    let sources = front.values.get("sources").and_then(Value::as_array);
    let resource = |source: &Value| match source {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Object(map) => map.get("resource").and_then(Value::as_str).map(|text| text.trim().to_owned()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    };
    sources.into_iter().flatten().filter_map(resource).take(LIST_LEN_MAX).collect()
}

fn is_place(resource: &str) -> bool {
    let is_path = resource.contains(['/', '.']) && !resource.contains("://") && !resource.contains(' ');
    is_path
        && !resource.starts_with('.')
        && Reference::parse(resource).is_ok()
        && Anchor::parse(resource).is_ok()
}

fn evidence(resources: &[String]) -> Vec<String> {
    static PULL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^https?://[^/]+/[^/]+/[^/]+/pull/\d+").expect("the pattern is right"));
    let mut evidence: Vec<String> = Vec::new();
    for resource in resources {
        let is_typed = resource
            .split_once(':')
            .is_some_and(|(word, _)| ken_core::EvidenceType::from_word(word).is_some());
        let cited = match resource {
            resource if PULL.is_match(resource) => format!("pr:{resource}"),
            resource if is_typed => resource.clone(),
            resource if resource.contains("://") || is_place(resource) => format!("doc:{resource}"),
            _ => continue,
        };
        content::cite(&mut evidence, &cited);
    }
    evidence
}

fn at(event: Option<&Value>) -> Option<Millis> {
    prose::time(event?.get("at")?.as_str()?)
}

/// The confirmation that counts: the latest by a person, else the latest.
fn confirmed(verified: Option<&Value>) -> Option<(Confirmation, Millis)> {
    let events: Vec<&Value> = match verified? {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    };
    let told = events.into_iter().filter_map(|event| {
        let by = event.get("by").and_then(Value::as_str).unwrap_or_default();
        let said = event.get("confirmation").and_then(Value::as_str).and_then(Confirmation::from_word);
        let told = if by.starts_with("human:") { Confirmation::Independent } else { Confirmation::Primed };
        Some((said.unwrap_or(told), at(Some(event))?))
    });
    told.max_by_key(|(kind, at)| (*kind == Confirmation::Independent, *at))
}

fn standing(front: &Front<'_>) -> Standing {
    let status = front.str("status").map(str::to_lowercase).unwrap_or_default();
    match (status.as_str(), front.str("superseded_by")) {
        ("deprecated" | "superseded", Some(other)) => {
            Standing::SupersededBy(concept(other.trim_start_matches('/')).to_owned())
        }
        ("deprecated" | "superseded", None) => {
            Standing::Retracted("its bundle calls it deprecated".to_owned())
        }
        ("archived", _) => Standing::Archived("its bundle calls it archived".to_owned()),
        _ => Standing::Current,
    }
}

static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\]\(<?([^()\s<>#]+)(?:#[^()\s<>]*)?>?[^()]*\)").expect("the pattern is right")
});

/// The targets of the Markdown links of a text.
fn listed(text: &str) -> impl Iterator<Item = &str> {
    LINK.captures_iter(text).filter_map(|found| found.get(1).map(|target| target.as_str()))
}

fn ties(path: &str, front: &Front<'_>) -> Vec<(Relation, String)> {
    let mut seen = BTreeSet::new();
    let mut ties = Vec::new();
    let named = front.words("related").into_iter();
    let linked = listed(front.body()).filter_map(|target| resolved(path, target));
    for name in named.chain(linked) {
        let is_new = name != concept(path) && seen.insert(name.clone());
        if is_new && ties.len() < LIST_LEN_MAX {
            ties.push((Relation::RelatesTo, name));
        }
    }
    ties
}

/// The concept that a link in a file leads to; none where it leads out of the bundle.
fn resolved(path: &str, target: &str) -> Option<String> {
    let target = target.strip_suffix(".md")?;
    if target.contains("://") {
        return None;
    }
    let (from, target) = match target.strip_prefix('/') {
        Some(target) => ("", target),
        None => (path.rsplit_once('/').map_or("", |(folder, _)| folder), target),
    };
    let mut parts: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let name = parts.join("/");
    let is_concept = !matches!(parts.last(), None | Some(&"index" | &"log"));
    is_concept.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_concepts() {
        let table = [
            ("a/b.md", "c.md", Some("a/c")),
            ("a/b.md", "../c.md", Some("c")),
            ("a/b.md", "/x/y.md", Some("x/y")),
            ("a/b.md", "../../c.md", None),
            ("a/b.md", "https://x.io/c.md", None),
            ("a/b.md", "index.md", None),
            ("a/b.md", "pic.png", None),
        ];
        for (path, target, concept) in table {
            assert_eq!(resolved(path, target).as_deref(), concept, "{path} {target}");
        }
    }
}
