//! Entries on their way out, and what must be true of every file on its way in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ken_core::evidence::Reference;
use ken_core::kinds::{Confirmation, EvidenceType, Status, Type};
use ken_core::schema::read_content;
use ken_core::{Citation, Fields, Millis, TypeName};
use ken_formats::{Document, Format, Item, Known, Outgoing, Place, Rewritten};
use serde_json::{Map, Value};

/// An entry as a store would hold it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub kind: TypeName,
    pub fields: Fields,
    pub citations: Vec<Citation>,
    pub status: Status,
    pub last_confirmed: Option<Millis>,
    pub confirmation: Option<Confirmation>,
}

impl Entry {
    pub fn new(kind: Type, content: Value) -> Entry {
        let content = content.as_object().cloned().unwrap();
        Entry {
            kind: TypeName::Known(kind),
            fields: fields(kind, content),
            citations: Vec::new(),
            status: Status::Active,
            last_confirmed: None,
            confirmation: None,
        }
    }

    /// What an import would make of an item.
    pub fn of(item: &Item) -> Entry {
        let mut entry = Entry::new(item.kind, Value::Object(item.content.clone()));
        if let Some((how, when)) = item.confirmed {
            entry.confirmation = Some(how);
            entry.last_confirmed = (how == Confirmation::Independent).then_some(when);
        }
        entry
    }

    pub fn citing(mut self, text: &str) -> Entry {
        let read = Reference::parse(text).unwrap();
        self.citations.push(Citation {
            evidence_type: read.evidence_type,
            evidence_ref: read.evidence_ref,
            cited_by: "mira".to_owned(),
            cited_at: 1_770_000_000,
            unverified: read.evidence_type == EvidenceType::Commit,
        });
        self
    }

    pub fn out(&self, changed: &[&str]) -> Outgoing<'_> {
        Outgoing {
            id: "e-1",
            handle: "L-00e001",
            kind: &self.kind,
            fields: &self.fields,
            citations: self.citations.iter().collect(),
            status: self.status,
            reason: None,
            created: day("2026-03-02"),
            updated: day("2026-03-03"),
            created_by: "mira",
            last_confirmed: self.last_confirmed,
            confirmation: self.confirmation,
            belief: (5.0, 5.0),
            ties: Vec::new(),
            superseded_by: None,
            changed: changed.iter().map(|&name| name.to_owned()).collect(),
        }
    }
}

fn fields(kind: Type, mut content: Map<String, Value>) -> Fields {
    content.remove("id");
    read_content(kind, content.clone()).unwrap_or_else(|faults| panic!("{faults:?} in {content:?}"))
}

pub fn day(text: &str) -> Millis {
    Millis::parse(text).unwrap()
}

/// Reads a file, and checks what is promised of every file (DOO-6).
pub fn read(format: &dyn Format, path: &str, text: &str) -> Document {
    let document = format.read(path, text);
    assert_eq!(document.text(), text, "the parts are the file");
    assert_eq!(document, format.read(path, text), "twice the same");
    let mut names = BTreeSet::new();
    for item in document.items() {
        assert!(names.insert(&item.name), "{} comes twice", item.name);
        for evidence in &item.evidence {
            Reference::parse(evidence).unwrap();
        }
        let said = Value::Object(item.content.clone()).to_string();
        assert!(!said.contains("/home/mira"), "STO-9: {said}");
        let rewritten = rewrite(format, path, item, &Entry::of(item).out(&[]));
        assert_eq!(rewritten, Rewritten::in_place(&item.text), "nothing changed");
    }
    document
}

pub fn rewrite(format: &dyn Format, path: &str, item: &Item, now: &Outgoing<'_>) -> Rewritten {
    format.rewrite(Place { path, text: &item.text, name: &item.name }, now)
}

/// A file in which one item's text is another.
pub fn replaced(document: &Document, item: &Item, text: &str) -> String {
    let parts = document.parts.iter().map(|part| match part {
        ken_formats::Part::Item(one) if one.name == item.name => text,
        part => part.text(),
    });
    parts.collect()
}

/// Checks that two contents differ in these fields alone.
pub fn differ_in(before: &Item, after: &Item, fields: &[&str]) {
    let without = |item: &Item| {
        let kept = item.content.iter().filter(|(name, _)| !fields.contains(&name.as_str()));
        kept.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>()
    };
    assert_eq!(without(before), without(after));
    assert_eq!(before.kind, after.kind);
}

pub fn path_for(format: &dyn Format, entry: &Entry, paths: &[&str]) -> Option<String> {
    let paths: BTreeSet<String> = paths.iter().map(|&path| path.to_owned()).collect();
    let known = Known { paths: &paths, project: "shop", now: day("2026-03-04T05:06:07Z") };
    format.path_for(&entry.out(&[]), &known)
}

/// The files of a folder below `$KEN_CORPORA/corpora`, by their paths in it; none where there are no corpora.
pub fn corpus(folder: &str) -> Vec<(String, String)> {
    let Some(root) = std::env::var_os("KEN_CORPORA") else {
        eprintln!("SKIPPED: set KEN_CORPORA to the folder that holds corpora/{folder}");
        return Vec::new();
    };
    let root = PathBuf::from(root).join("corpora").join(folder);
    let mut files = Vec::new();
    walk(&root, &root, &mut files);
    assert!(!files.is_empty(), "{} holds no files", root.display());
    files.sort();
    files
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(root, &path, files);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            files.push((name, text));
        }
    }
}
