//! What every format promises (DOO-6), asked of a file.

use std::collections::BTreeSet;

use ken_core::kinds::{Status, Type};
use ken_core::{Fields, Millis, TypeName};
use ken_formats::{Document, Format, Item, Known, Outgoing, Part, Place, Rewritten};
use serde_json::{Map, Value};

/// The format that goes by a word.
pub fn format(word: &str) -> &'static dyn Format {
    ken_formats::named(word).unwrap()
}

/// An entry to be written out.
pub struct Entry {
    pub kind: TypeName,
    pub fields: Fields,
    pub status: Status,
    pub superseded_by: Option<String>,
}

impl Entry {
    pub fn new(kind: Type, fields: Value) -> Entry {
        let fields = Fields::read_strictly(&fields).unwrap();
        Entry { kind: TypeName::Known(kind), fields, status: Status::Active, superseded_by: None }
    }

    /// The entry that an item would become.
    pub fn of(item: &Item) -> Entry {
        Entry::new(item.kind, Value::Object(content(item)))
    }

    pub fn out(&self, changed: &[&str]) -> Outgoing<'_> {
        Outgoing {
            id: "L-abc123",
            handle: "L-abc123",
            kind: &self.kind,
            fields: &self.fields,
            citations: Vec::new(),
            status: self.status,
            reason: None,
            created: time("2026-03-01"),
            updated: time("2026-03-02"),
            created_by: "ada",
            last_confirmed: None,
            confirmation: None,
            belief: (5.0, 5.0),
            ties: Vec::new(),
            superseded_by: self.superseded_by.clone(),
            changed: changed.iter().map(|name| (*name).to_owned()).collect(),
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
pub fn read(word: &str, path: &str, text: &str) -> Document {
    let format = format(word);
    let document = format.read(path, text);
    assert_eq!(document.text(), text, "{word} loses bytes of {path}");
    assert_eq!(document, format.read(path, text), "{word} reads {path} in two ways");
    let mut names = BTreeSet::new();
    for item in document.items() {
        assert!(names.insert(item.name.clone()), "{word}: two items of {path} are called {}", item.name);
        let faults = ken_core::schema::read_content(item.kind, content(item)).err();
        assert!(faults.is_none(), "{word}: {path} says {:?}, which is not allowed: {faults:?}", item.content);
        for cited in &item.evidence {
            ken_core::evidence::Reference::parse(cited).unwrap();
        }
        if let Some(id) = item.content.get("id") {
            ken_core::ids::GivenId::parse(id.as_str().unwrap()).unwrap();
        }
        let said = Value::Object(item.content.clone()).to_string();
        assert!(!said.contains("/home/ada") && !said.contains("C:\\\\Users"), "STO-9: {said}");
        let entry = Entry::of(item);
        let place = Place { path, text: &item.text, name: &item.name };
        let same = format.rewrite(place, &entry.out(&[]));
        assert_eq!(same, Rewritten::in_place(&item.text), "{word} changes {path} without a change");
    }
    document
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
    let document = read(word, path, text);
    let item = document.items().nth(which).unwrap();
    let place = Place { path, text: &item.text, name: &item.name };
    let new = format(word).rewrite(place, &entry.out(changed));
    let mut number = 0;
    let parts = document.parts.iter().map(|part| match part {
        Part::Item(_) => {
            number += 1;
            if number - 1 == which { new.text.clone().unwrap_or_default() } else { part.text().to_owned() }
        }
        Part::Text(text) => text.clone(),
    });
    (parts.collect(), new.unsaid)
}

/// Changes one field of an item, and holds the format to it: read again, that field is different and nothing else.
pub fn change(word: &str, path: &str, text: &str, which: usize, field: &str, value: Value) -> String {
    let before = read(word, path, text);
    let old: Vec<&Item> = before.items().collect();
    let mut wanted = content(old[which]);
    wanted.insert(field.to_owned(), value);
    if wanted[field].is_null() {
        wanted.remove(field);
    }
    let entry = Entry::new(old[which].kind, Value::Object(wanted.clone()));
    let (new, unsaid) = rewritten(word, path, text, which, &entry, &[field]);
    assert!(unsaid.is_empty(), "{word} cannot say {unsaid:?}");
    let after = read(word, path, &new);
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
    let before = text.map_or(0, |text| read(word, path, text).items().count());
    let after = read(word, path, &new);
    let claims: Vec<String> = after
        .items()
        .map(|item| ken_core::words::normalise_statement(&Entry::of(item).fields.statement()))
        .collect();
    assert_eq!(claims.len(), before + 1, "{word} {path}: {text:?}\n{new}");
    let claim = ken_core::words::normalise_statement(&entry.fields.statement());
    assert!(claims.contains(&claim), "{claim:?} is not among {claims:?}\n{new}");
    let text = text.unwrap_or_default();
    let kept = (0..=text.len())
        .rev()
        .filter(|at| text.is_char_boundary(*at))
        .any(|at| new.starts_with(&text[..at]) && new.ends_with(&text[at..]) && new.len() >= text.len());
    assert!(kept, "{text:?} became {new:?}");
    new
}

/// The file in which a new entry belongs.
pub fn path_for(word: &str, entry: &Entry, paths: &[&str]) -> Option<String> {
    let paths: BTreeSet<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let known = Known { paths: &paths, project: "shop", now: time("2026-03-03") };
    format(word).path_for(&entry.out(&[]), &known)
}

/// Holds a format to its claims: sure of its own files, and not of those of others.
pub fn claims(word: &str, own: &[(&str, &str)]) {
    for (path, text) in own {
        assert!(format(word).claims(path, text) >= 80, "{word} is not sure of {path}");
    }
    for (other, path, text) in OTHERS {
        if *other != word {
            let claim = format(word).claims(path, text);
            assert!(claim <= 10, "{word} claims {path} of {other} by {claim}");
        }
    }
}

/// A file of each format, as its own system would write it.
const OTHERS: &[(&str, &str, &str)] = &[
    (
        "flux-drive",
        "config/knowledge/retry.md",
        "---\nlastConfirmed: 2026-02-10\nprovenance: independent\n---\nRetry with jitter.\n\nEvidence: src/a.rs:4\nVerify: grep it\n",
    ),
    (
        "wfc",
        "reviewers/security/KNOWLEDGE.md",
        "# KNOWLEDGE.md -- security\n\n## Patterns Found\n\n- [2026-02-11] Retry with jitter. (Source: r1)\n",
    ),
    (
        "wfc-solutions",
        "docs/solutions/performance/slow.md",
        "---\ntitle: Slow start\ncomponent: core\ntags: [a]\ncategory: performance-issues\ndate: 2026-02-11\nseverity: high\n---\n\n# Slow start\n\n## Problem\n\nIt is slow.\n\n## Root Cause\n\nA loop.\n",
    ),
    (
        "gsd",
        "signals/shop/sig-2026-02-11-retry.md",
        "---\nid: sig-2026-02-11-retry\ntype: signal\nproject: shop\ntags: [a, b]\ncreated: 2026-02-11T09:00:00Z\nstatus: active\nseverity: notable\n---\n\n## What Happened\n\nIt retried.\n",
    ),
    (
        "gsd",
        "index.md",
        "# Knowledge Store Index\n\n**Generated:** 2026-02-11\n\n## Signals (1)\n\n| ID | Project |\n|---|---|\n| sig-1 | shop |\n",
    ),
    (
        "decapod",
        "knowledge/lesson.lesson.net.retry.jsonl",
        "{\"id\":\"lesson.net.retry\",\"provenance\":[],\"schema_version\":\"1.0.0\",\"type\":\"lesson\"}\n",
    ),
    (
        "formicos",
        "events.jsonl",
        "{\"seq\":1,\"type\":\"MemoryEntryCreated\",\"timestamp\":\"2026-02-11T09:00:00Z\",\"entry\":{\"id\":\"mem-1\",\"conf_alpha\":5.0}}\n",
    ),
    (
        "okf",
        "metrics/revenue.md",
        "---\ntype: Metric\ntitle: Revenue\ndescription: What came in.\ngenerated: {by: human:ada, at: 2026-02-11T09:00:00Z}\n---\n\nThe sum of all payments.\n",
    ),
    ("agents-md", "CLAUDE.md", "# Shop\n\n- Always run the tests.\n"),
    (
        "server-memory",
        "memory.jsonl",
        "{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"b\",\"observations\":[\"c\"]}\n",
    ),
    (
        "basic-memory",
        "notes/coffee.md",
        "---\ntitle: Coffee\ntype: note\npermalink: notes/coffee\n---\n\n# Coffee\n\n- [taste] It is good #warm\n- relates_to [[Tea]]\n",
    ),
    (
        "mem0",
        "mem0.json",
        "{\"results\": [{\"id\": \"1\", \"memory\": \"Likes tea\", \"user_id\": \"ada\", \"metadata\": null}]}",
    ),
    (
        "adr",
        "docs/adr/0001-retry.md",
        "# 1. Retry\n\nDate: 2026-02-11\n\n## Status\n\nAccepted\n\n## Context\n\nIt fails.\n\n## Decision\n\nWe retry.\n\n## Consequences\n\nMore calls.\n",
    ),
    ("none", "README.md", "# Shop\n\nA shop. See [the docs](docs/x.md).\n"),
    ("none", "package.json", "{\"name\": \"shop\", \"version\": \"1.0.0\"}\n"),
    ("none", ".claude/skills/x/SKILL.md", "---\nname: x\ndescription: y\n---\n\n# X\n"),
];

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
