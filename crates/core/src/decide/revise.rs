//! Revising an entry: new values for some of its fields.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{about, readable};
use crate::entry::{self, Entry};
use crate::event::{Body, EntryEvent, Intent, Revised};
use crate::fields::Tag;
use crate::judged::Scan;
use crate::kinds::{Memory, Type};
use crate::refusal::{Code, Fault, Refusal};
use crate::schema;
use crate::words::with_article;

/// What is to change.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Fields with their new values; null takes one away.
    pub set: Map<String, Value>,
    /// Tags to add.
    pub tags_add: Vec<String>,
    /// Tags to take away.
    pub tags_remove: Vec<String>,
    /// Domains to add.
    pub domains_add: Vec<String>,
    /// Domains to take away.
    pub domains_remove: Vec<String>,
    pub reason: Option<String>,
    /// What the scanner said of the new values.
    pub scan: Option<Scan>,
}

impl Change {
    /// What somebody changed who had the fields before them and left others behind: new values, and null for what is gone.
    pub fn between(before: &Map<String, Value>, after: &Map<String, Value>) -> Change {
        let changed = after.iter().filter(|(name, value)| before.get(*name) != Some(*value));
        let gone = before.keys().filter(|name| !after.contains_key(*name));
        let set = changed
            .map(|(name, value)| (name.clone(), value.clone()))
            .chain(gone.map(|name| (name.clone(), Value::Null)));
        Change { set: set.collect(), ..Change::default() }
    }
}

/// Fields that make an entry the one it is: changing them would make another entry.
const FIXED: &[&str] = &["type", "id", "scope", "thread", "schema_version", "provenance"];

/// Labels never change what an entry claims, so they may change on any entry (ENT-6 is about content).
const LABELS: &[&str] = &["tags", "domains"];

/// Decides a revision. Nothing to change is not an error.
pub fn revise(entry: &Entry, change: Change) -> Result<Vec<Intent>, Refusal> {
    let id = entry.id();
    // What a decision rests on may be found out later; what a norm does is for those who keep it.
    let is_told =
        |name: &str| LABELS.contains(&name) || (name == "depends_on" && entry.memory() != Memory::Procedural);
    let content: Vec<&String> = change.set.keys().filter(|name| !is_told(name)).collect();
    if entry.is_immutable() && !content.is_empty() {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("{id} is {}, which changes only by supersession", with_article(&entry.kind)),
        )
        .hint(format!("ken supersede {id} --{} '...' --evidence ...", claim_word(entry))));
    }
    let mut faults = Vec::new();
    for name in change.set.keys().filter(|name| FIXED.contains(&name.as_str())) {
        faults.push(Fault {
            field: name.clone(),
            problem: "is fixed when an entry is added; supersede the entry instead".into(),
        });
    }
    let mut revised = Revised { reason: change.reason, scan: change.scan, ..Revised::default() };
    let current = serde_json::to_value(&entry.fields).unwrap_or_default();
    for (name, value) in change.set {
        if !faults.iter().any(|f| f.field == name) && current.get(&name).unwrap_or(&Value::Null) != &value {
            revised.set.insert(name, value);
        }
    }
    let lists = [
        ("tags", change.tags_add, change.tags_remove, &entry.fields.tags),
        ("domains", change.domains_add, change.domains_remove, &entry.fields.domains),
    ];
    for (name, add, remove, have) in lists {
        let (add, wrong_add) = labels(name, add);
        let (remove, wrong_remove) = labels(name, remove);
        faults.extend(wrong_add.into_iter().chain(wrong_remove));
        let add: Vec<String> = add.into_iter().filter(|t| !have.contains(t)).map(|t| t.to_string()).collect();
        let remove: Vec<String> =
            remove.into_iter().filter(|t| have.contains(t)).map(|t| t.to_string()).collect();
        insert(&mut revised.add, name, add);
        insert(&mut revised.remove, name, remove);
    }
    if let Some(kind) = entry.kind.known() {
        faults.extend(faults_after(entry, kind, &revised));
    }
    if let Some(refusal) = Refusal::from_faults(Code::Invalid, faults) {
        return Err(refusal);
    }
    if revised.set.is_empty() && revised.add.is_empty() && revised.remove.is_empty() {
        return Ok(Vec::new());
    }
    readable(vec![about(entry, Body::Entry(EntryEvent::Revised(revised)))])
}

/// The field that an entry of this type makes its claim with.
fn claim_word(entry: &Entry) -> &'static str {
    match entry.kind.known() {
        Some(kind) if kind.memory() == Memory::Procedural => "rule",
        Some(Type::Spike) => "hypothesis",
        Some(_) | None => "statement",
    }
}

/// What would be wrong with the entry after the change.
fn faults_after(entry: &Entry, kind: crate::kinds::Type, revised: &Revised) -> Vec<Fault> {
    let names = schema::field_names(kind);
    let changed: Map<String, Value> = revised
        .set
        .iter()
        .filter(|(name, value)| {
            !value.is_null() && !entry.fields.extra.contains_key(*name) && names.contains(&name.as_str())
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let mut faults: Vec<Fault> = Vec::new();
    for name in
        revised.set.keys().filter(|n| !names.contains(&n.as_str()) && !entry.fields.extra.contains_key(*n))
    {
        let near = crate::words::nearest(name, names.iter().copied())
            .map(|n| format!("did you mean `{n}`? "))
            .unwrap_or_default();
        faults.push(Fault {
            field: name.clone(),
            problem: format!("{} has no such field; {near}see `ken schema {kind}`", with_article(kind)),
        });
    }
    // Only the shape of what changes is judged strictly; an old entry with an old fault can still be mended field by field.
    let shape = schema::read_content(kind, changed).err().unwrap_or_default();
    faults.extend(shape.into_iter().filter(|fault| revised.set.contains_key(&fault.field)));
    if faults.is_empty() {
        let before = schema::check(kind, &entry.fields);
        let after = schema::check(kind, &entry::revise(entry.fields.clone(), revised));
        faults.extend(after.into_iter().filter(|fault| !before.contains(fault)));
    }
    faults
}

fn labels(name: &str, texts: Vec<String>) -> (Vec<Tag>, Vec<Fault>) {
    let mut good = Vec::new();
    let mut faults = Vec::new();
    for text in texts {
        match Tag::parse(&text) {
            Ok(tag) => good.push(tag),
            Err(problem) => faults.push(Fault { field: name.to_owned(), problem }),
        }
    }
    (good, faults)
}

fn insert(map: &mut BTreeMap<String, Vec<String>>, name: &str, mut members: Vec<String>) {
    members.sort();
    members.dedup();
    if !members.is_empty() {
        map.insert(name.to_owned(), members);
    }
}
