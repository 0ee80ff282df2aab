//! Memories of mem0.

use expect_test::expect;
use ken_core::kinds::Type;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::promises::{self, Entry, ODD};

const WORD: &str = "mem0";
const FILE: &str = include_str!("../samples/mem0/get_all.json");

#[test]
fn what_get_all_answers() {
    let document = promises::read(promises::format(WORD), "mem0.json", FILE);
    let said: String = document
        .items()
        .map(|item| {
            let stated = item.stated.map(|at| at.to_string()).unwrap_or_default();
            format!("{} {stated} {}\n", item.name, Value::Object(item.content.clone()))
        })
        .collect();
    expect![[r#"
        892db2ae-06d9-49e5-8b3e-585ef9b85b8e 2026-02-11T16:14:07.382Z {"attributes":{"hash":"4f3c1a52b0e94b7d8a6f0c2e9d1b7a35","metadata":{"source":"chat","weights":[1,2.5]},"score":null,"updated_at":null,"user_id":"ada"},"id":"892db2ae-06d9-49e5-8b3e-585ef9b85b8e","statement":"Prefers spaces over tabs in Python","subtype":"learning","tags":["code_style","preferences"]}
        0a14d8f0-e364-4f5c-b305-10da1f0d0878 2026-02-12T10:00:00.000Z {"anchors":["src/net/client.rs"],"attributes":{"agent_id":"reviewer","hash":"9be1c27f4d0b4f6a9d3e5a7c1b2d4e6f","metadata":null,"run_id":"run-7","updated_at":"2026-02-13T10:00:00+00:00","user_id":"ada"},"id":"0a14d8f0-e364-4f5c-b305-10da1f0d0878","statement":"The client in `src/net/client.rs` retries three times","subtype":"learning"}
    "#]].assert_eq(&said);
    assert!(document.notes.is_empty(), "{:?}", document.notes);
}

const BARE: &str = "[{\"id\":\"m1\",\"memory\":\"Likes tea\",\"user_id\":\"ada\",\"hash\":\"x\"},{\"memory\":\"Likes rain\"}]";

#[test]
fn lists_of_every_shape() {
    for text in [
        BARE.to_owned(),
        format!("{{\"memories\": {BARE}}}"),
        format!("\u{feff}{{\"count\":2,\"results\":\r\n{BARE} , \"relations\":[]}}\r\n"),
    ] {
        assert_eq!(promises::read(promises::format(WORD), "mem0.json", &text).items().count(), 2, "{text}");
    }
    let document = promises::read(promises::format(WORD), "mem0.json", "{\"results\": [");
    assert_eq!((document.items().count(), document.broken.len()), (0, 1));
    let document = promises::read(
        promises::format(WORD),
        "mem0.json",
        "{\"results\": [3, {\"id\": \"x\"}, {\"id\": \"x\", \"memory\": \"y\"}]}",
    );
    assert_eq!((document.items().count(), document.notes.len()), (1, 2));
}

#[test]
fn changes_are_written_where_they_belong() {
    let new = promises::change(WORD, "mem0.json", FILE, 0, "statement", json!("Prefers \"tabs\"."));
    assert_eq!(new, FILE.replace("Prefers spaces over tabs in Python", "Prefers \\\"tabs\\\"."));
    let new = promises::change(WORD, "mem0.json", FILE, 0, "tags", json!(["editors", "code_style"]));
    assert!(new.contains(r#""categories": ["code style","editors"]"#), "{new}");
    let new = promises::change(WORD, "mem0.json", BARE, 1, "detail", json!("More."));
    assert!(new.ends_with("{\"memory\":\"Likes rain\\n\\nMore.\"}]"), "{new}");
    let new = promises::change(
        WORD,
        "mem0.json",
        BARE,
        0,
        "attributes",
        json!({"user_id": "bob", "a": {"b": null}}),
    );
    assert!(
        new.starts_with("[{\"id\":\"m1\",\"memory\":\"Likes tea\",\"user_id\":\"bob\",\"a\":{\"b\":null}},"),
        "{new}"
    );
}

#[test]
fn new_entries_are_new_objects() {
    let lesson = Entry::new(
        Type::Lesson,
        json!({"title": "Retries", "statement": "Retry with jitter.", "tags": ["net"]}),
    );
    let new = promises::insert(WORD, "mem0.json", None, &lesson);
    expect![[r#"
        {
          "results": [
            {
              "id": "e-1",
              "memory": "Retry with jitter.",
              "metadata": {"type":"lesson"},
              "categories": ["net"],
              "created_at": "2026-03-02T00:00:00.000Z",
              "updated_at": "2026-03-03T00:00:00.000Z"
            }
          ]
        }
    "#]]
    .assert_eq(&new);
    assert_eq!(
        promises::read(promises::format(WORD), "mem0.json", &new).items().next().unwrap().kind,
        Type::Lesson
    );
    promises::insert(WORD, "mem0.json", Some(&new), &lesson);
    promises::insert(WORD, "mem0.json", Some(FILE), &lesson);
    promises::insert(WORD, "mem0.json", Some(BARE), &lesson);
    promises::insert(WORD, "mem0.json", Some("[]"), &lesson);
    assert_eq!(
        promises::path_for(promises::format(WORD), &lesson, &["x/memories.json"]).as_deref(),
        Some("x/memories.json")
    );
}

fn memory() -> impl Strategy<Value = Value> {
    (".{0,40}", prop::option::of("[a-z0-9-]{0,8}"), prop::collection::vec(".{0,8}", 0..3))
        .prop_map(|(memory, id, categories)| json!({"id": id, "memory": memory, "categories": categories, "metadata": {"deep": [null, {"x": categories}]}}))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_kept(text in r#"(?s)[\{\}\[\],:"a-z\x00\r\n ]{0,60}|.{0,200}"#) {
        promises::read(promises::format(WORD), "mem0.json", &text);
    }

    #[test]
    fn any_list_can_change(memories in prop::collection::vec(memory(), 0..5), pretty: bool, new in "[a-zA-Z\"é\\\\ ]{1,20}x") {
        let value = json!({"results": memories});
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let count = promises::read(promises::format(WORD), "mem0.json", &text).items().count();
        let new = new.trim();
        for which in 0..count {
            promises::change(WORD, "mem0.json", &text, which, "statement", json!(ken_core::words::one_line(new, 100)));
            promises::change(WORD, "mem0.json", &text, which, "tags", json!(["abc"]));
        }
        promises::insert(WORD, "mem0.json", Some(&text), &Entry::new(Type::Lesson, json!({"statement": new})));
    }
}

#[test]
fn odd_texts() {
    ODD.iter().for_each(|text| drop(promises::read(promises::format(WORD), "mem0.json", text)));
}
