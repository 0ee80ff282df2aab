//! Bundles in the Open Knowledge Format.

use std::collections::BTreeSet;

use expect_test::expect;
use ken_core::kinds::{Confirmation, Relation, Status, Type};
use ken_formats::{Document, Role, Source, Standing};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::promises::{self, Entry, ODD};

const WORD: &str = "okf";
const METRIC: &str = include_str!("../samples/okf/metrics/revenue.md");
const LESSON: &str = include_str!("../samples/okf/lessons/retry.md");
const INDEX: &str = include_str!("../samples/okf/index.md");

fn read(path: &str, text: &str) -> Document {
    promises::read(promises::format(WORD), path, text)
}

#[test]
fn a_concept_of_a_thing() {
    let document = read("metrics/revenue.md", METRIC);
    assert!(document.notes.is_empty(), "{:?}", document.notes);
    let item = document.items().next().unwrap();
    assert_eq!((item.kind, item.name.as_str()), (Type::Entity, "metrics/revenue"));
    assert_eq!(item.content["id"], "metrics.revenue");
    assert_eq!(item.content["name"], "Monthly revenue");
    assert_eq!(item.content["summary"], "What came in within a month.");
    assert_eq!(item.content["description"], "The sum of all payments of a month, refunds taken off.");
    assert_eq!(item.content["tags"], json!(["finance", "monthly_close"]));
    assert_eq!(item.content["anchors"], json!(["src/report/revenue.sql"]));
    let own = &item.content["attributes"];
    assert_eq!(own["type"], "Metric");
    assert_eq!(own["not"][0]["term"], "bookings");
    assert_eq!(own["stale_after"], "2026-12-31T00:00:00Z");
    assert_eq!(own["cost_center"], json!({"id": 7, "note": null}));
    assert_eq!(item.evidence, ["doc:src/report/revenue.sql", "pr:https://example.org/shop/shop/pull/12"]);
    assert_eq!(item.stated, Some(promises::time("2026-02-11T09:00:00Z")));
    assert_eq!(item.confirmed, Some((Confirmation::Independent, promises::time("2026-02-12T08:00:00Z"))));
    assert_eq!(
        item.ties,
        [
            (Relation::RelatesTo, "tables/payments".to_owned()),
            (Relation::RelatesTo, "metrics/refunds".to_owned())
        ]
    );
}

#[test]
fn a_word_of_ours_is_a_type_of_ours() {
    let table = [
        ("Lesson", "", "lesson None"),
        ("False Positive", "", "false_positive None"),
        ("decision", "", "experience Some(\"decision\")"),
        ("anti-pattern", "", "skill Some(\"anti_pattern\")"),
        ("commit norm", "", "commit_norm None"),
        ("Playbook", "", "experience Some(\"learning\")"),
        ("BigQuery Table", "resource: https://example.org/t\n", "entity None"),
        ("relationship", "from: a\nrelation: b\nto: c\n", "relationship None"),
    ];
    for (word, keys, kind) in table {
        let text = format!("---\ntype: {word}\n{keys}---\n\nWords.\n");
        let document = read("a.md", &text);
        let item = document.items().next().unwrap();
        let subtype = item.content.get("subtype").and_then(Value::as_str);
        assert_eq!(format!("{} {subtype:?}", item.kind), kind, "{word}");
        assert_eq!(item.content["attributes"]["type"], word);
    }
}

#[test]
fn where_concepts_stand() {
    let standing = |keys: &str| {
        let text = format!("---\ntype: Lesson\n{keys}---\n\nWords.\n");
        read("a.md", &text).items().next().unwrap().standing.clone()
    };
    assert_eq!(standing("status: draft\n"), Standing::Current);
    assert_eq!(
        standing("status: deprecated\nsuperseded_by: /b/c.md\n"),
        Standing::SupersededBy("b/c".to_owned())
    );
    assert!(matches!(standing("status: Deprecated\n"), Standing::Retracted(_)));
    let confirmed = |keys: &str| {
        let text = format!("---\ntype: Lesson\nverified: {keys}\n---\n\nWords.\n");
        read("a.md", &text).items().next().unwrap().confirmed
    };
    let at = promises::time("2026-01-02T00:00:00Z");
    assert_eq!(confirmed("{by: bot/1, at: 2026-01-02}"), Some((Confirmation::Primed, at)));
    assert_eq!(
        confirmed("[{by: human:a, at: 2026-01-02}, {by: bot/1, at: 2026-03-02}, {by: x}]"),
        Some((Confirmation::Independent, at))
    );
    assert_eq!(confirmed("soon"), None);
}

#[test]
fn reserved_files_and_files_without_a_type() {
    assert_eq!(read("index.md", INDEX).role, Role::Derived);
    assert_eq!(read("a/b/log.md", "# Log\n").role, Role::Other);
    let document = read("a.md", "# Only words\n");
    assert_eq!((document.role, document.notes.len()), (Role::Other, 1));
    assert_eq!(read("a.md", "---\ntitle: x\n---\n").items().count(), 0);
}

#[test]
fn changes_are_written_where_they_belong() {
    let path = "lessons/retry.md";
    let new = promises::change(WORD, path, LESSON, 0, "statement", json!("Retry twice."));
    assert_eq!(new, LESSON.replace("Calls that may be repeated are retried with jitter.", "Retry twice."));
    let new = promises::change(WORD, path, LESSON, 0, "title", json!("Twice: always"));
    assert_eq!(new, LESSON.replace("title: 'Retry, with jitter'", "title: 'Twice: always'"));
    let new = promises::change(WORD, path, LESSON, 0, "summary", json!("Twice."));
    assert_eq!(
        new,
        LESSON
            .replace("tags:\n", "description: Twice.\ntags:\n")
            .replacen("description: Twice.\ntags:", "tags:", 1)
            .replace("status: stable\n", "status: stable\ndescription: Twice.\n")
    );
    let new = promises::change(WORD, path, LESSON, 0, "tags", json!(["net", "new_one"]));
    assert_eq!(
        new,
        LESSON.replace("  - Error Handling\n", "").replace("  - net\n", "  - net\n  - new_one\n")
    );
    promises::change(WORD, path, LESSON, 0, "detail", json!("Only this.\n\n- a\n- b"));
    promises::change(WORD, path, LESSON, 0, "detail", Value::Null);
    promises::change(WORD, path, LESSON, 0, "verification", json!(["run the tests"]));
    promises::change(WORD, path, LESSON, 0, "anchors", json!(["src/a.rs:4", "src/b.rs"]));
    promises::change(
        WORD,
        path,
        LESSON,
        0,
        "attributes",
        json!({"type": "Lesson", "status": "stable", "mood": {"x": [1, null]}}),
    );
    promises::change(WORD, path, LESSON, 0, "decay_class", json!("permanent"));
    promises::change(WORD, "metrics/revenue.md", METRIC, 0, "description", json!("Something else."));
    promises::change(WORD, "metrics/revenue.md", METRIC, 0, "name", json!("Revenue"));
    // Words that a body cannot hold have a key of their own.
    let new = promises::change(WORD, path, LESSON, 0, "statement", json!("# No. heading. at. all."));
    promises::change(WORD, path, &new, 0, "statement", json!("Calm again."));
    promises::change(WORD, path, &new, 0, "detail", json!("Calm."));
}

#[test]
fn a_status_is_a_word_of_the_bundle() {
    let mut entry = Entry::of(read("lessons/retry.md", LESSON).items().next().unwrap());
    let mut word = |status: Status, by: Option<&str>| {
        entry.status = status;
        entry.superseded_by = by.map(str::to_owned);
        promises::rewritten(WORD, "lessons/retry.md", LESSON, 0, &entry, &["status"]).0
    };
    assert_eq!(word(Status::Verified, None), LESSON);
    assert_eq!(word(Status::Candidate, None), LESSON.replace("status: stable", "status: draft"));
    let new = word(Status::Superseded, Some("lessons/twice"));
    assert_eq!(new, LESSON.replace("status: stable\n", "status: deprecated\nsuperseded_by: lessons/twice\n"));
}

#[test]
fn a_new_concept() {
    let entry = Entry::new(
        Type::Experience,
        json!({"title": "Use git: always", "statement": "The ledger is in git.", "detail": "Because.\n\n# More\n\nIt merges.", "summary": "Git it is.",
            "subtype": "decision", "tags": ["storage"], "anchors": ["src/store.rs"], "verification": ["look"], "attributes": {"cost": {"a": 1}}}),
    );
    assert_eq!(
        promises::path_for(promises::format(WORD), &entry, &[]).as_deref(),
        Some("decisions/use-git-always.md")
    );
    assert_eq!(
        promises::path_for(promises::format(WORD), &entry, &["decisions/use-git-always.md"]).as_deref(),
        Some("decisions/use-git-always-2.md")
    );
    let new = promises::insert(WORD, "decisions/use-git-always.md", None, &entry);
    expect![[r#"
        ---
        type: Decision
        title: "Use git: always"
        description: Git it is.
        tags: [storage]
        anchors: [src/store.rs]
        verification: [look]
        cost: {"a":1}
        generated: {"at":"2026-03-03T00:00:00.000Z","by":"process:kenning"}
        status: stable
        ---

        # Use git: always

        The ledger is in git.

        Because.

        # More

        It merges.
    "#]]
    .assert_eq(&new);
    let document = read("decisions/use-git-always.md", &new);
    let said = Entry::of(document.items().next().unwrap()).fields;
    assert_eq!(
        (said.detail, said.summary, said.subtype),
        (entry.fields.detail.clone(), entry.fields.summary.clone(), entry.fields.subtype.clone())
    );
    assert_eq!(said.attributes["cost"], json!({"a": 1}));
}

#[test]
fn the_index_is_touched_only_for_what_we_wrote() {
    let entry = Entry::new(
        Type::Lesson,
        json!({"title": "Jitter", "statement": "Retry with jitter.", "summary": "Jitter helps."}),
    );
    let ours = promises::insert(WORD, "lessons/jitter.md", None, &entry);
    let index = |files: &[(&str, &str)]| {
        let paths: BTreeSet<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let known = promises::store_facts(&paths, "shop", promises::time("2026-03-03"));
        let files: Vec<Source<'_>> = files.iter().map(|(path, text)| Source { path, text }).collect();
        promises::format(WORD).derived(&files, &known).into_iter().next().map(|file| file.text)
    };
    assert_eq!(index(&[("index.md", INDEX), ("metrics/revenue.md", METRIC)]), None);
    let first = index(&[("lessons/jitter.md", &ours)]).unwrap();
    assert_eq!(first, "# Lessons\n\n* [Jitter](/lessons/jitter.md) - Jitter helps.\n");
    let next = index(&[("index.md", INDEX), ("lessons/jitter.md", &ours)]).unwrap();
    assert_eq!(
        next,
        INDEX.replace(
            "(lessons/retry.md)\n",
            "(lessons/retry.md)\n* [Jitter](/lessons/jitter.md) - Jitter helps.\n"
        )
    );
    assert_eq!(index(&[("index.md", &next), ("lessons/jitter.md", &ours)]), None);
}

fn bundle() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        "[a-zA-Z ]{1,12}",
        "\"[a-z: ]{0,9}\"",
        Just(String::new()),
        Just("[a, B c]".to_owned()),
        Just("{x: [1, null]}".to_owned())
    ];
    let keys = prop::collection::vec(
        ("(title|description|tags|status|sources|generated|verified|mood|scope|related|outcome)", value),
        0..5,
    );
    let body = prop::collection::vec(
        "(# H|Some words here\\.|- point|```|\\| a \\| b \\||One\\. Two\\. Three\\. Four\\.|see \\[x\\]\\(y\\.md\\)||wrapped)",
        0..8,
    );
    (keys, body, any::<bool>(), "(Lesson|Metric|spike|Entity|decision)").prop_map(
        |(keys, body, crlf, kind)| {
            let keys: String = keys.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
            let text = format!("---\ntype: {kind}\n{keys}---\n{}", body.join("\n"));
            if crlf { text.replace('\n', "\r\n") } else { text }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_kept(text in r"(?s)(---\n)?[a-z:\[\]\{\}#\x00\r\n -]{0,80}|.{0,200}") {
        promises::read(promises::format(WORD), "a/b.md", &text);
    }

    #[test]
    fn any_concept_can_change(text in bundle(), new in "[A-Z][a-z]{1,9}( [a-z]{1,9}){0,4}\\.?") {
        let document = promises::read(promises::format(WORD), "a/b.md", &text);
        if let Some(item) = document.items().next() {
            let claim = match item.kind { Type::Entity => "description", Type::Spike => "hypothesis", _ => "statement" };
            promises::change(WORD, "a/b.md", &text, 0, claim, json!(new));
            promises::change(WORD, "a/b.md", &text, 0, "detail", json!(format!("{new}\n\nMore.")));
            // A value of another shape is not written over.
            if item.content["attributes"].get("tags").is_none() {
                promises::change(WORD, "a/b.md", &text, 0, "tags", json!(["abc"]));
            }
        }
    }

    #[test]
    fn any_entry_can_be_written(statement in "[A-Za-z#*`-]{1,9}( [a-z.:]{1,9}){0,9}", detail in prop::option::of("[A-Za-z#-]{1,9}(\n\n?[a-z#-]{1,9}){0,3}")) {
        let entry = Entry::new(Type::Lesson, json!({"statement": statement, "detail": detail}));
        promises::insert(WORD, "lessons/x.md", None, &entry);
    }
}

#[test]
fn odd_texts() {
    ODD.iter().for_each(|text| drop(read("a/b.md", text)));
}
