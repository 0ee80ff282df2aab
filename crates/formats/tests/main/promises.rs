//! What every format promises (DOO-6), asked of a file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ken_core::evidence::Reference;
use ken_core::kinds::{Confirmation, EvidenceType, Status, Type};
use ken_core::{Citation, Fields, Millis, TypeName};
use ken_formats::plain::plain;
use ken_formats::{Document, Format, Item, Outgoing, Part, Place, Rewritten, StoreFacts};
use serde_json::{Map, Value};

/// The format that goes by a word.
pub fn format(word: &str) -> &'static dyn Format {
    ken_formats::named(word).unwrap()
}

/// An entry as a store would hold it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub kind: TypeName,
    pub fields: Fields,
    pub citations: Vec<Citation>,
    pub status: Status,
    pub superseded_by: Option<String>,
    pub last_confirmed: Option<Millis>,
    pub confirmation: Option<Confirmation>,
}

impl Entry {
    pub fn new(kind: Type, mut fields: Value) -> Entry {
        fields.as_object_mut().unwrap().remove("id");
        Entry {
            kind: TypeName::Known(kind),
            fields: Fields::read_strictly(&fields).unwrap(),
            citations: Vec::new(),
            status: Status::Active,
            superseded_by: None,
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
            withdrawn: false,
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
            created: time("2026-03-02"),
            updated: time("2026-03-03"),
            created_by: "mira",
            last_confirmed: self.last_confirmed,
            confirmation: self.confirmation,
            belief: (5.0, 5.0),
            ties: Vec::new(),
            superseded_by: self.superseded_by.clone(),
            changed: changed.iter().map(|&name| name.to_owned()).collect(),
        }
    }
}

pub fn time(text: &str) -> Millis {
    ken_formats::prose::time(text).unwrap()
}

/// What an item says, without the id that the caller takes out first.
pub fn content(item: &Item) -> Map<String, Value> {
    let mut content = item.content.clone();
    content.remove("id");
    content
}

/// Reads a file, and holds the format to what it promises of every file.
pub fn read(format: &dyn Format, path: &str, text: &str) -> Document {
    let word = format.word();
    let document = format.read(path, text);
    assert_eq!(document.text(), text, "{word} loses bytes of {path}");
    assert_eq!(document, format.read(path, text), "{word} reads {path} in two ways");
    let mut names = BTreeSet::new();
    for item in document.items() {
        assert!(names.insert(&item.name), "{word}: two items of {path} are called {}", item.name);
        let faults = ken_core::schema::read_content(item.kind, content(item)).err();
        assert!(faults.is_none(), "{word}: {path} says {:?}, which is not allowed: {faults:?}", item.content);
        for cited in &item.evidence {
            Reference::parse(cited).unwrap();
            assert_eq!(plain(cited), *cited, "STO-9");
        }
        if let Some(id) = item.content.get("id") {
            ken_core::ids::GivenId::parse(id.as_str().unwrap()).unwrap();
        }
        texts(&Value::Object(content(item)), &mut |said| {
            assert_eq!(plain(said), said, "{word}: {path} tells a place on a machine (STO-9)");
            assert!(!said.contains("[object Object]"), "{word}: {path} makes a text of an object: {said}");
        });
        let same = rewrite(format, path, item, &Entry::of(item).out(&[]));
        assert_eq!(same, Rewritten::in_place(&item.text), "{word} changes {path} without a change");
    }
    document
}

/// Every text in a value.
fn texts(value: &Value, each: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(list) => list.iter().for_each(|value| texts(value, each)),
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            each(name);
            texts(value, each);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

pub fn rewrite(format: &dyn Format, path: &str, item: &Item, now: &Outgoing<'_>) -> Rewritten {
    format.rewrite(Place { path, text: &item.text, name: &item.name }, now)
}

/// A file in which one item's text is another.
pub fn replaced(document: &Document, item: &Item, text: &str) -> String {
    let parts = document.parts.iter().map(|part| match part {
        Part::Item(one) if one.name == item.name => text,
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

/// A file in which one item changed, and what could not be said.
pub fn rewritten(
    word: &str,
    path: &str,
    text: &str,
    which: usize,
    entry: &Entry,
    changed: &[&str],
) -> (String, Vec<String>) {
    let document = read(format(word), path, text);
    let item = document.items().nth(which).unwrap();
    let new = rewrite(format(word), path, item, &entry.out(changed));
    (replaced(&document, item, new.text.as_deref().unwrap_or_default()), new.unsaid)
}

/// Changes one field of an item, and holds the format to it: read again, that field is different and nothing else.
pub fn change(word: &str, path: &str, text: &str, which: usize, field: &str, value: Value) -> String {
    let before = read(format(word), path, text);
    let old: Vec<&Item> = before.items().collect();
    // An entry has no place on a machine to say.
    let value = match value {
        Value::String(text) => Value::from(plain(&text)),
        value => value,
    };
    let mut wanted = content(old[which]);
    wanted.insert(field.to_owned(), value);
    if wanted[field].is_null() {
        wanted.remove(field);
    }
    let entry = Entry::new(old[which].kind, Value::Object(wanted.clone()));
    let (new, unsaid) = rewritten(word, path, text, which, &entry, &[field]);
    assert!(unsaid.is_empty(), "{word} cannot say {unsaid:?}");
    let after = read(format(word), path, &new);
    let now: Vec<&Item> = after.items().collect();
    assert_eq!(now.len(), old.len(), "{new}");
    for (number, (now, old)) in now.iter().zip(&old).enumerate() {
        assert_eq!(now.kind, old.kind, "{new}");
        if number == which {
            assert_eq!(
                compared(content(now), field),
                compared(wanted.clone(), field),
                "{word} {path}:\n{text}\nbecame\n{new}"
            );
        } else {
            assert_eq!(content(now), content(old));
        }
    }
    new
}

/// What is compared: places follow from the words around them, and tags have no order.
fn compared(mut content: Map<String, Value>, field: &str) -> Map<String, Value> {
    if field != "anchors" {
        content.remove("anchors");
    }
    if let Some(Value::Array(tags)) = content.get_mut("tags") {
        tags.sort_by_key(Value::to_string);
    }
    content
}

/// Puts an entry into a file (a new one where there is none), and holds the format to it: read again, there is one item more, it says
/// what the entry says, and every other byte is where it was.
pub fn insert(word: &str, path: &str, text: Option<&str>, entry: &Entry) -> String {
    let new = format(word).insert(path, text, &entry.out(&[]));
    let before = text.map_or(0, |text| read(format(word), path, text).items().count());
    let after = read(format(word), path, &new);
    let claims: Vec<String> = after
        .items()
        .map(|item| ken_core::words::normalise_statement(&Entry::of(item).fields.statement()))
        .collect();
    assert_eq!(claims.len(), before + 1, "{word} {path}: {text:?}\n{new}");
    let claim = ken_core::words::normalise_statement(&plain(&entry.fields.statement()));
    assert!(claims.contains(&claim), "{claim:?} is not among {claims:?}\n{new}");
    let text = text.unwrap_or_default();
    let kept = (0..=text.len())
        .rev()
        .filter(|at| text.is_char_boundary(*at))
        .any(|at| new.starts_with(&text[..at]) && new.ends_with(&text[at..]) && new.len() >= text.len());
    assert!(kept, "{text:?} became {new:?}");
    new
}

/// What is known of a project's store whose mirror has no name.
pub fn store_facts<'a>(paths: &'a BTreeSet<String>, project: &'a str, now: Millis) -> StoreFacts<'a> {
    StoreFacts { paths, folder: "", is_global: false, project, now }
}

/// The file in which a new entry belongs.
pub fn path_for(format: &dyn Format, entry: &Entry, paths: &[&str]) -> Option<String> {
    let paths: BTreeSet<String> = paths.iter().map(|&path| path.to_owned()).collect();
    let known = store_facts(&paths, "shop", time("2026-03-04T05:06:07Z"));
    format.path_for(&entry.out(&[]), &known)
}

/// The files of a folder below `$KEN_CORPORA/corpora`, by their paths in it; none where there are no corpora.
pub fn corpus(folder: &str) -> Vec<(String, String)> {
    let Some(root) = std::env::var_os("KEN_CORPORA") else {
        eprintln!("SKIPPED: set KEN_CORPORA to the folder that holds corpora/{folder}");
        return Vec::new();
    };
    let files = files(&PathBuf::from(root).join("corpora").join(folder));
    assert!(!files.is_empty(), "corpora/{folder} holds no files");
    files
}

/// Our own files of a format, by their paths below its folder.
pub fn samples(folder: &str) -> Vec<(String, String)> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(folder))
}

/// The texts below a folder, by their paths in it.
fn files(root: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                files.push((name, text));
            }
        }
    }
    files.sort();
    files
}

/// Texts that have broken a parser before.
pub const ODD: &[&str] = &[
    "",
    "\n",
    "\u{feff}",
    "\u{0}\u{0}",
    "---\n",
    "---\n---\n",
    "---\r\ntype: x\r\n---\r\n\r\nWords\r\n",
    "---\ntype:\ntitle:\n---\n",
    "---\ntype: [a]\ntitle: {b: c}\ntags: [[x]]\n---\nBody",
    "---\ntype: Lesson\ntitle: \"\\0\"\n---\n\u{1}\u{2}",
    "---\ntype: spike\nscope: thread\noutcome: purple\nverification: [a, b, c, d]\n---\nWords in /home/ada/x and C:\\Users\\ada.\n",
    "---\ntype: relationship\nfrom: a\nrelation: b\nto: c\n---\n",
    "# \n## Decision\n",
    "# 1.\n\n## Status\n\n## Decision\n\n",
    "```\nnever closed\n- point\n",
    "- \n-\n  -\n- a\n\n\n    b\n",
    "<!-- BEGIN KENNING x -->\n- no end\n",
    "{\"results\": [1, {}, {\"memory\": \"\"}, {\"memory\": \"a\"}, {\"memory\": \"a\"}]}",
    "[{\"text\": \"x\"}]",
    "{\"type\":\"entity\",\"name\":\"\\u0000\",\"observations\":[]}\n{\"type\":\"entity\",\"name\":\"a\",\"observations\":[null, 1]}\nbad\n",
    "- [x] done\n- [ ] not\n- [[T]]\n- a [[]]\n- [c] t (x) (y)\n",
];
