//! Notes of Basic Memory.

use expect_test::expect;
use ken_core::kinds::{Relation, Type};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::promises::{self, Entry, ODD};

const WORD: &str = "basic-memory";
const PATH: &str = "services/Payments API.md";
const FILE: &str = include_str!("../samples/basic_memory/payments-api.md");
const NOTE: &str = include_str!("../samples/basic_memory/coffee.md");

#[test]
fn a_note_of_basic_memory_itself() {
    let document = promises::read(promises::format(WORD), PATH, FILE);
    let item = document.items().next().unwrap();
    assert_eq!((item.kind, item.name.as_str()), (Type::Entity, "services/payments-api"));
    expect![[r#"
        {
          "anchors": [
            "src/net/client.rs"
          ],
          "attributes": {
            "observations": [
              {
                "category": "technique",
                "context": "measured in March",
                "tags": [
                  "retries"
                ],
                "text": "Idempotent calls are retried three times #retries"
              },
              {
                "category": "decision",
                "text": "No call waits longer than two seconds"
              }
            ],
            "relations": [
              {
                "target": "Ledger",
                "type": "depends_on"
              },
              {
                "context": "since v2",
                "target": "services/Café Queue",
                "type": "writes to"
              }
            ],
            "type": "note"
          },
          "description": "The service that takes payments. Its client is in `src/net/client.rs`.",
          "id": "services.payments-api",
          "name": "Payments API",
          "tags": [
            "network",
            "retries"
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&item.content).unwrap());
    assert_eq!(
        item.ties,
        [
            (Relation::DependsOn, "ledger".to_owned()),
            (Relation::DependsOn, "services/ledger".to_owned()),
            (Relation::RelatesTo, "services/cafe-queue".to_owned())
        ]
    );
}

#[test]
fn tasks_and_links_are_no_observations() {
    let text = "---\ntitle: T\ntype: note\n---\n\nSee [[Other Note]].\n\n- [ ] open\n- [x] done\n- [site](https://example.org)\n- [c] kept (a) (b)\n\n```\n- [c] in code\n- uses [[Code]]\n```\n";
    let document = promises::read(promises::format(WORD), "t.md", text);
    let item = document.items().next().unwrap();
    assert_eq!(
        item.content["attributes"]["observations"],
        json!([{"category": "c", "text": "kept (a)", "context": "b"}])
    );
    assert_eq!(item.ties, [(Relation::RelatesTo, "other-note".to_owned())]);
    assert!(item.content["detail"].as_str().unwrap().contains("- [x] done"));
}

#[test]
fn changes_are_written_where_they_belong() {
    let new = promises::change(WORD, PATH, FILE, 0, "description", json!("It takes payments."));
    let old = "The service that takes payments. Its client is in `src/net/client.rs`.";
    assert_eq!(new, FILE.replace(old, "It takes payments."));
    let new = promises::change(WORD, PATH, FILE, 0, "name", json!("Payments"));
    assert_eq!(new, FILE.replace("title: Payments API", "title: Payments"));
    let new = promises::change(WORD, PATH, FILE, 0, "tags", json!(["retries", "x"]));
    assert_eq!(new, FILE.replace("- network\n- retries\n", "- retries\n- x\n"));
    let mut own =
        promises::read(promises::format(WORD), PATH, FILE).items().next().unwrap().content["attributes"]
            .clone();
    own["observations"][1]["text"] = json!("No call waits longer than three seconds");
    own["observations"].as_array_mut().unwrap().push(json!({"category": "new", "text": "one"}));
    own["relations"].as_array_mut().unwrap().remove(0);
    own["owner"] = json!("ada");
    let new = promises::change(WORD, PATH, FILE, 0, "attributes", own);
    let wanted = FILE
        .replace("two seconds\n", "three seconds\n- [new] one\n")
        .replace("- depends_on [[Ledger]]\n", "")
        .replace("- retries\n---", "- retries\nowner: ada\n---");
    assert_eq!(new, wanted);
    promises::change(WORD, PATH, FILE, 0, "detail", json!("More.\n\nEven more."));
    promises::change(WORD, "coffee.md", NOTE, 0, "detail", json!("More."));
    promises::change(WORD, "coffee.md", NOTE, 0, "detail", Value::Null);
    promises::change(WORD, "coffee.md", NOTE, 0, "description", json!("Drink it."));
}

#[test]
fn a_new_note() {
    let entry = Entry::new(
        Type::Lesson,
        json!({"title": "Retry: always", "statement": "Retry with jitter.", "detail": "Because.", "tags": ["net"],
            "attributes": {"observations": [{"category": "why", "text": "Herds", "context": "seen"}]}}),
    );
    let path = promises::path_for(promises::format(WORD), &entry, &["retry-always.md"]).unwrap();
    assert_eq!(path, "retry-always-2.md");
    let new = promises::insert(WORD, &path, None, &entry);
    expect![[r#"
        ---
        title: "Retry: always"
        type: lesson
        permalink: retry-always-2
        tags: [net]
        ---

        # Retry: always

        Retry with jitter.

        Because.

        ## Observations
        - [why] Herds (seen)
    "#]]
    .assert_eq(&new);
    assert_eq!(
        promises::read(promises::format(WORD), &path, &new).items().next().unwrap().kind,
        Type::Lesson
    );
}

fn note() -> impl Strategy<Value = String> {
    let line = "(# Head|## Observations|## Relations|- \\[cat\\] text #tag \\(why\\)|- uses \\[\\[Thing\\]\\]|Plain words here\\.|- point|```||One\\. Two\\. Three\\. Four\\.)";
    (prop::collection::vec(line, 0..10), any::<bool>(), any::<bool>(), "(note|Lesson|person|decision)")
        .prop_map(|(lines, crlf, front, kind)| {
            let head = if front {
                format!("---\ntitle: A b\ntype: {kind}\ntags: [x, Y z]\n---\n")
            } else {
                String::new()
            };
            let text = format!("{head}{}", lines.join("\n"));
            if crlf { text.replace('\n', "\r\n") } else { text }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_kept(text in r"(?s)(---\n)?[a-z:\[\]\(\)#\x00\r\n -]{0,80}|.{0,200}") {
        promises::read(promises::format(WORD), "a/b.md", &text);
    }

    #[test]
    fn any_note_can_change(text in note(), new in "[A-Z][a-z]{1,9}( [a-z]{1,9}){0,4}\\.?") {
        let document = promises::read(promises::format(WORD), "a/b.md", &text);
        if let Some(item) = document.items().next() {
            let claim = if item.kind == Type::Entity { "description" } else { "statement" };
            promises::change(WORD, "a/b.md", &text, 0, claim, json!(new));
            promises::change(WORD, "a/b.md", &text, 0, "detail", json!(format!("{new}\n\nMore.")));
            promises::change(WORD, "a/b.md", &text, 0, "tags", json!(["abc"]));
        }
    }

    #[test]
    fn any_entry_can_be_written(statement in "[A-Za-z#*`-]{1,9}( [a-z.:]{1,9}){0,9}", detail in prop::option::of("[A-Za-z#-]{1,9}(\n\n?[a-z#-]{1,9}){0,3}")) {
        let entry = Entry::new(Type::Lesson, json!({"statement": statement, "detail": detail}));
        promises::insert(WORD, "x.md", None, &entry);
    }
}

#[test]
fn odd_texts() {
    ODD.iter().for_each(|text| drop(promises::read(promises::format(WORD), "a/b.md", text)));
}
