//! What must hold for any text as a file of another system (DOO-6): nothing of it is lost, and what is made of it can be added.

use std::collections::BTreeSet;

use ken_core::evidence::Reference;
use ken_core::{Fields, Millis, Status, TypeName, schema};
use ken_formats::front::{self, Front};
use ken_formats::{Format, Item, Outgoing, Place, Rewritten};
use serde_json::{Value, json};

/// Any text as a file of flux-drive.
pub fn flux_drive(bytes: &[u8]) {
    holds("flux-drive", &["config/flux-drive/knowledge/a-b.md", "archive/c.md", "README.md"], bytes);
}

/// Any text as what reviewers of WFC know.
pub fn wfc(bytes: &[u8]) {
    holds("wfc", &["reviewers/security/KNOWLEDGE.md", "KNOWLEDGE-ARCHIVE.md", "global/KNOWLEDGE.md"], bytes);
}

/// Any text as a solution of WFC.
pub fn wfc_solutions(bytes: &[u8]) {
    holds("wfc-solutions", &["docs/solutions/build-errors/a-b.md", "README.md"], bytes);
}

/// Any text as a file in a knowledge folder of GSD.
pub fn gsd(bytes: &[u8]) {
    let paths = ["signals/shop/2026-03-02-a.md", "spikes/shop/b.md", "lessons/testing/c.md", "index.md"];
    holds("gsd", &paths, bytes);
    holds("gsd", &["knowledge/reflections/shop/reflect-2026-03-02.md"], bytes);
}

/// Any text as a file of Decapod.
pub fn decapod(bytes: &[u8]) {
    let paths = [
        ".decapod/data/knowledge.db",
        ".decapod/data/knowledge.promotions.jsonl",
        ".decapod/data/federation.events.jsonl",
        ".decapod/knowledge/a.md",
    ];
    holds("decapod", &paths, bytes);
}

/// Any text as an export of FormicOS.
pub fn formicos(bytes: &[u8]) {
    holds("formicos", &["events.jsonl", "export/a.json"], bytes);
}

/// Any text as a file of the Open Knowledge Format.
pub fn okf(bytes: &[u8]) {
    holds("okf", &["knowledge/a.md", "index.md", "log.md"], bytes);
}

/// Any text as rules for agents.
pub fn agents_md(bytes: &[u8]) {
    holds(
        "agents-md",
        &["AGENTS.md", "CLAUDE.md", ".cursor/rules/a.mdc", ".github/a.instructions.md"],
        bytes,
    );
}

/// Any text as a memory of the MCP server.
pub fn server_memory(bytes: &[u8]) {
    holds("server-memory", &["memory.jsonl", "memory.json"], bytes);
}

/// Any text as a note of Basic Memory.
pub fn basic_memory(bytes: &[u8]) {
    holds("basic-memory", &["notes/a.md", "b.md"], bytes);
}

/// Any text as an export of mem0.
pub fn mem0(bytes: &[u8]) {
    holds("mem0", &["mem0.json", "export/memories.json"], bytes);
}

/// Any text as a record of a decision.
pub fn adr(bytes: &[u8]) {
    holds("adr", &["docs/adr/0001-a-b.md", "doc/decisions/README.md", "adr/template.md"], bytes);
}

/// Any text as a file with a block at its head: what is set is read again, what is not set stays as it is.
pub fn front_matter(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let before = Front::parse(&text);
    if let Some(front) = &before {
        let joined: String = front.keys.iter().map(|key| &text[key.from..key.to]).collect();
        assert!(text.contains(&joined), "keys follow one another");
        assert!(front.close <= front.body && text.is_char_boundary(front.body), "the block ends in the text");
        assert!(text.ends_with(front.body()), "what follows the block is the end of the file");
    }
    // What is written: the text itself in part, and what YAML takes for something else.
    let said: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
    for value in [json!(said.trim()), json!("yes"), json!("- a: [b"), json!(7), json!([said.trim(), "x, y"])]
    {
        let set = front::set(&text, "ken_fuzz", &value);
        let after = Front::parse(&set).expect("a file with a key has a block");
        if let Some(before) = &before {
            assert_eq!(after.body(), before.body(), "the text after the block stays");
            assert_eq!(front::set(&set, "ken_fuzz", &Value::Null), *text, "what is set can be taken out");
        } else {
            assert!(set.ends_with(text.trim_start_matches('\u{feff}')), "a new block stands before the text");
        }
        let is_sound = before.as_ref().is_none_or(|front| front.faults.is_empty());
        if is_sound {
            assert_eq!(after.values.get("ken_fuzz"), Some(&value), "what is set is read");
        }
    }
    assert_eq!(front::set(&text, "ken_fuzz_none", &Value::Null), *text, "what is not there needs no change");
}

fn holds(word: &str, paths: &[&str], bytes: &[u8]) {
    let format = ken_formats::named(word).expect("the format is known");
    let text = String::from_utf8_lossy(bytes);
    for path in paths {
        assert!(format.claims(path, &text) <= 100, "nothing is surer than sure");
        let document = format.read(path, &text);
        assert_eq!(document.text(), text, "the parts are the file");
        assert_eq!(document, format.read(path, &text), "reading twice is reading once");
        let mut names = BTreeSet::new();
        for item in document.items() {
            assert!(names.insert(&item.name), "{} comes twice", item.name);
            unchanged(format, path, item);
        }
    }
}

/// An item is an entry that could be added, and its text stays to the byte where nothing changed.
fn unchanged(format: &dyn Format, path: &str, item: &Item) {
    for evidence in &item.evidence {
        assert!(Reference::parse(evidence).is_ok(), "{evidence} is no evidence");
    }
    let mut content = item.content.clone();
    content.remove("id");
    let fields = match schema::read_content(item.kind, content) {
        Ok(fields) => fields,
        Err(faults) => panic!("{} does not fit its type: {faults:?}", item.name),
    };
    let place = Place { path, text: &item.text, name: &item.name };
    let kind = TypeName::Known(item.kind);
    let rewritten = format.rewrite(place, &outgoing(&kind, &fields, item));
    assert_eq!(rewritten, Rewritten::in_place(&item.text), "nothing changed, so nothing is written");
}

fn outgoing<'a>(kind: &'a TypeName, fields: &'a Fields, item: &Item) -> Outgoing<'a> {
    let day = Millis(1_794_708_240_000);
    Outgoing {
        id: "e-1",
        handle: "L-00e001",
        kind,
        fields,
        citations: Vec::new(),
        status: Status::Active,
        reason: None,
        created: item.stated.unwrap_or(day),
        updated: day,
        created_by: "ada",
        last_confirmed: item.confirmed.map(|(_, at)| at),
        confirmation: item.confirmed.map(|(how, _)| how),
        belief: (5.0, 5.0),
        ties: item.ties.clone(),
        superseded_by: None,
        changed: BTreeSet::new(),
    }
}
