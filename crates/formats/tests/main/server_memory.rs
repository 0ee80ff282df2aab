//! The graph of the MCP server `server-memory`.

use expect_test::expect;
use ken_core::kinds::{Status, Type};
use proptest::prelude::*;
use serde_json::json;

use crate::promises::{self, Entry, ODD};

const WORD: &str = "server-memory";
const FILE: &str = include_str!("../samples/server_memory/memory.jsonl");

#[test]
fn a_graph_of_the_server_itself() {
    let document = promises::read(promises::format(WORD), "memory.jsonl", FILE);
    let said: String = document
        .items()
        .map(|item| {
            format!("{} {} {}\n", item.kind, item.name, serde_json::Value::Object(item.content.clone()))
        })
        .collect();
    expect![[r#"
        entity payments-api {"anchors":["src/net/client.rs"],"attributes":{"entity_type":"service","observations":["Its client is in `src/net/client.rs`"]},"description":"Retries idempotent calls three times, with jitter","name":"payments-api"}
        entity Ada Kowalski {"attributes":{"entity_type":"person","observations":["Reviews every change of the \"schema\" folder"]},"description":"Owns the release checklist","name":"Ada Kowalski"}
        entity café queue {"attributes":{"entity_type":"component"},"name":"café queue"}
        relationship Ada Kowalski -maintains-> payments-api {"from":"Ada Kowalski","relation":"maintains","to":"payments-api"}
        relationship payments-api -writes to-> café queue {"from":"payments-api","relation":"writes to","to":"café queue"}
    "#]]
    .assert_eq(&said);
    assert!(document.notes.is_empty());
}

#[test]
fn a_line_that_is_not_understood_is_kept_and_named() {
    let text = "{\"type\":\"entity\"}\nnot json\n\n{\"type\":\"relation\",\"from\":\"a\",\"to\":\"b\",\"relationType\":\"c\",\"weight\":{\"x\":1}}\r\n";
    let document = promises::read(promises::format(WORD), "memory.jsonl", text);
    assert_eq!(document.items().count(), 1);
    assert_eq!(document.items().next().unwrap().content["attributes"]["weight"], json!({"x": 1}));
    assert_eq!((document.notes.len(), document.broken.len()), (1, 1), "{:?}", document.notes);
    assert!(document.broken[0].starts_with("line 2: this is not JSON"), "{:?}", document.broken);
}

#[test]
fn changes_are_written_where_they_belong() {
    let new = promises::change(WORD, "memory.jsonl", FILE, 0, "description", json!("Never retries"));
    assert_eq!(new, FILE.replace("Retries idempotent calls three times, with jitter", "Never retries"));
    let new = promises::change(WORD, "memory.jsonl", FILE, 2, "description", json!("Holds \"orders\""));
    assert_eq!(new, FILE.replace("\"observations\":[]", "\"observations\":[\"Holds \\\"orders\\\"\"]"));
    let own = json!({"entity_type": "tool", "observations": ["x"], "extra": [1]});
    let new = promises::change(WORD, "memory.jsonl", FILE, 0, "attributes", own);
    assert!(new.starts_with(r#"{"type":"entity","name":"payments-api","entityType":"tool","observations":["Retries idempotent calls three times, with jitter","x"],"extra":[1]}"#), "{new}");
    let new = promises::change(WORD, "memory.jsonl", FILE, 3, "relation", json!("owns"));
    assert_eq!(new, FILE.replace("maintains", "owns"));

    let mut gone =
        Entry::of(promises::read(promises::format(WORD), "memory.jsonl", FILE).items().nth(1).unwrap());
    gone.status = Status::Retracted;
    let (new, _) = promises::rewritten(WORD, "memory.jsonl", FILE, 1, &gone, &["status"]);
    assert_eq!(promises::read(promises::format(WORD), "memory.jsonl", &new).items().count(), 4);
}

#[test]
fn new_entries_are_new_lines() {
    let lesson = Entry::new(Type::Lesson, json!({"title": "Retries", "statement": "Retry with jitter."}));
    assert_eq!(promises::path_for(promises::format(WORD), &lesson, &[]).as_deref(), Some("memory.jsonl"));
    assert_eq!(
        promises::path_for(promises::format(WORD), &lesson, &["x/memory.jsonl"]).as_deref(),
        Some("x/memory.jsonl")
    );
    let line =
        r#"{"type":"entity","name":"Retries","entityType":"lesson","observations":["Retry with jitter."]}"#;
    assert_eq!(promises::insert(WORD, "memory.jsonl", None, &lesson), line);
    assert_eq!(promises::insert(WORD, "memory.jsonl", Some(FILE), &lesson), format!("{FILE}\n{line}"));
    let tie = Entry::new(Type::Relationship, json!({"from": "a", "relation": "uses", "to": "b"}));
    promises::insert(WORD, "memory.jsonl", Some(&format!("{FILE}\r\n")), &tie);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_kept(text in r"(?s)[\{\}\[\],:a-z\x00\r\n ]{0,60}|.{0,200}") {
        promises::read(promises::format(WORD), "memory.jsonl", &text);
    }

    #[test]
    fn any_graph_can_change(names in prop::collection::vec(".{0,12}", 1..5), said in prop::collection::vec(".{0,30}", 0..4), crlf: bool, new in "[a-z\"é\\\\]{1,20}") {
        let end = if crlf { "\r\n" } else { "\n" };
        let text: String = names.iter().map(|name| format!("{}{end}", json!({"type": "entity", "name": name, "entityType": "x", "observations": said}))).collect();
        let count = promises::read(promises::format(WORD), "memory.jsonl", &text).items().count();
        for which in 0..count {
            promises::change(WORD, "memory.jsonl", &text, which, "description", json!(new));
        }
    }
}

#[test]
fn odd_texts() {
    ODD.iter().for_each(|text| drop(promises::read(promises::format(WORD), "memory.jsonl", text)));
}
