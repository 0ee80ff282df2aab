//! WFC solution documents (DOO-6, 7.3): a solved problem to a file.

use expect_test::expect;
use ken_core::kinds::{Status, Type};
use ken_formats::plain::plain;
use ken_formats::{Format, named, prose};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::promises::{Entry, corpus, differ_in, path_for, read, rewrite};

const SAMPLE: &str = include_str!("../samples/wfc-solutions/runtime-errors/worker-dies-on-empty-queue.md");
const PATH: &str = "docs/solutions/runtime-errors/worker-dies-on-empty-queue.md";

fn solutions() -> &'static dyn Format {
    named("wfc-solutions").unwrap()
}

// C22: the word of the original scale is kept beside the number.
#[test]
fn a_file_is_a_bug_that_was_lived_through() {
    let document = read(solutions(), PATH, SAMPLE);
    let item = document.items().next().unwrap();
    expect![[r###"
        {
          "anchors": [
            "src/worker.rs:12"
          ],
          "attributes": {
            "category": "runtime-errors",
            "component": "queue / worker",
            "module": "worker",
            "reviewed-by": [
              "mira",
              {
                "name": "jo"
              }
            ],
            "status": "resolved"
          },
          "detail": "## Problem\n\n**Symptoms:**\n\n- `src/worker.rs:12` panics\n\n## Root Cause\n\n`take()` is called on nothing, in [path].\n\n## Solution\n\nAsk first.\n\n## Prevention\n\n- A test with an empty queue.\n\n## Related\n\n- none",
          "id": "worker-dies-on-empty-queue",
          "severity": 8.0,
          "severity_word": "high",
          "statement": "The worker takes the first job without asking whether there is one.",
          "subtype": "bug",
          "tags": [
            "queue",
            "dead_letter"
          ],
          "title": "Worker dies on an empty queue"
        }"###]]
    .assert_eq(&serde_json::to_string_pretty(&item.content).unwrap());
    assert_eq!(item.stated.unwrap().date(), "2026-03-02");
    expect![[r#"
        `reviewed-by` is a key that solutions do not have; it is kept
        a tag is left out, and the file keeps it: "Über!" contains '!'; a tag has letters, digits, `_ . + # @ :` and `/` to nest"#]]
    .assert_eq(&document.notes.join("\n"));
}

#[test]
fn a_file_without_a_cause_is_read_by_its_problem() {
    let cases = [
        (
            "---\ntitle: x\n---\n## Problem\n\n**Symptoms:**\n\n- It panics. Always.\n\n## Solution\n\nNo.\n",
            "It panics. Always.",
        ),
        ("# The worker dies\n", "The worker dies"),
        ("---\nroot_cause: [a, b]\ntitle: The list\n---\n", "The list"),
        ("Just text.\n", "Just text."),
    ];
    for (text, statement) in cases {
        let document = read(solutions(), "a/b.md", text);
        assert_eq!(document.items().next().unwrap().content["statement"], statement);
        assert!(!document.notes.is_empty());
    }
}

// ENT-3: what is longer than a field may be is cut in the entry, told, and whole in the file.
#[test]
fn what_is_too_long_is_told() {
    let long = "word ".repeat(30_000);
    let tags: Vec<String> = (0..300).map(|number| format!("t{number}")).collect();
    for text in [
        format!("---\ntitle: {long}\nroot_cause: {long}\nseverity: {long}\n---\n{long}\n"),
        format!("---\ntags: [{}]\n---\nx\n", tags.join(", ")),
        format!("---\ntags: [{}]\n---\nx\n", "t".repeat(2_000)),
    ] {
        assert!(!read(solutions(), PATH, &text).notes.is_empty(), "{}", &text[..40]);
    }
}

#[test]
fn a_change_touches_its_words() {
    let document = read(solutions(), PATH, SAMPLE);
    let item = document.items().next().unwrap();
    let cases = [
        ("title", json!("Worker: dies"), ("\"Worker dies on an empty queue\"", "\"Worker: dies\"")),
        (
            "statement",
            json!("Nobody asks\nfirst."),
            ("The worker takes the first job without asking whether there is one.", "Nobody asks first."),
        ),
        ("tags", json!(["queue", "new_one"]), ("queue, dead-letter, Über!", "queue, Über!, new-one")),
        ("severity_word", json!("low"), ("high", "low")),
        (
            "attributes",
            json!({
                "category": "runtime-errors", "component": "queue", "module": "worker", "status": "resolved",
                "reviewed-by": ["mira", {"name": "jo"}],
            }),
            ("queue / worker", "queue"),
        ),
        (
            "detail",
            json!("## Problem\n\nNone."),
            (&SAMPLE[SAMPLE.find("## Problem").unwrap()..SAMPLE.len() - 1], "## Problem\n\nNone."),
        ),
    ];
    for (field, value, (old, new)) in cases {
        let mut content = item.content.clone();
        content.insert(field.to_owned(), value);
        if field == "severity_word" {
            content.insert("severity".to_owned(), json!(2.0));
        }
        let entry = Entry::new(item.kind, content.into());
        let done = rewrite(solutions(), PATH, item, &entry.out(&[field]));
        assert_eq!(done.text.unwrap(), SAMPLE.replace(old, new), "{field}");
        assert!(done.unsaid.is_empty(), "{field}");
    }
    let mut entry = Entry::of(item);
    entry.fields.severity = Some(4.0);
    let done = rewrite(solutions(), PATH, item, &entry.out(&["severity", "verification"]));
    assert_eq!(done.text.unwrap(), SAMPLE.replace("high", "medium"));
    assert_eq!(done.unsaid, ["verification", "severity"], "three words cannot say four");
    for (status, stays, unsaid) in
        [(Status::Retracted, false, ""), (Status::Archived, true, "status"), (Status::Verified, true, "")]
    {
        entry.status = status;
        let done = rewrite(solutions(), PATH, item, &entry.out(&["status"]));
        assert_eq!((done.text.is_some(), done.unsaid.join(" ")), (stays, unsaid.to_owned()), "{status}");
    }
}

#[test]
fn a_new_entry_is_a_file_in_its_folder() {
    let entry = Entry::new(
        Type::Experience,
        json!({
            "subtype": "bug", "title": "Migration: drops rows", "statement": "The migration runs outside a transaction.",
            "tags": ["data_loss"], "severity": 9.0, "anchors": ["db/migrate.sql"], "verification": ["run it twice"],
        }),
    )
    .citing("pr:7");
    assert_eq!(
        path_for(solutions(), &entry, &[]).as_deref(),
        Some("database-issues/migration-drops-rows.md")
    );
    let taken = ["docs/solutions/database-issues/Migration-drops-rows.md"];
    let path = path_for(solutions(), &entry, &taken).unwrap();
    assert_eq!(path, "docs/solutions/database-issues/migration-drops-rows-20260304-050607.md");
    let file = solutions().insert(&path, None, &entry.out(&[]));
    expect![[r##"
        ---
        title: "Migration: drops rows"
        component: db/migrate.sql
        tags: [data-loss]
        category: database-issues
        date: 2026-03-02
        severity: high
        status: resolved
        root_cause: The migration runs outside a transaction.
        ---

        ## Problem

        The migration runs outside a transaction.

        ## Root Cause

        The migration runs outside a transaction.

        ## Solution

        None recorded.

        ## Prevention

        - run it twice

        ## Related

        - `db/migrate.sql`
        - pr:7
    "##]]
    .assert_eq(&file);
    let document = read(solutions(), &path, &file);
    assert_eq!(document.notes, [""; 0]);
    assert_eq!(document.items().next().unwrap().content["tags"], json!(["data_loss"]));
    let learning = Entry::new(Type::Experience, json!({"subtype": "learning", "statement": "x"}));
    assert_eq!(path_for(solutions(), &learning, &[]), None);
}

#[test]
fn the_corpus_comes_back_to_the_byte() {
    for (path, text) in corpus("wfc/docs") {
        let document = read(solutions(), &path, &text);
        assert!(solutions().claims(&path, &text) >= 80, "{path}");
        for item in document.items() {
            for field in ["title", "statement", "detail", "tags", "severity", "severity_word"] {
                assert!(item.content.contains_key(field), "{path} has no {field}");
            }
            assert!(!item.content["detail"].as_str().unwrap().contains("/Users/"), "STO-9");
        }
    }
}

fn a_file() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "title: A \"quoted\" thing",
        "title: [no, title]",
        "root_cause: It was so.",
        "root_cause: {a: b}",
        "tags: a-b, c",
        "tags: [a, 'x y']",
        "tags:\n  - a\n  - b!",
        "severity: high",
        "severity: 7",
        "severity: purple",
        "date: 2026-01-01",
        "date: \"soon\"",
        "extra:\n  deep: [1, {x: y}]",
        "status: open",
        "bare:",
        "broken: [1,",
    ]);
    let line = prop_oneof![
        prop::sample::select(vec!["", "## Problem", "## Root Cause", "```", "- a `src/a.rs:4`", "# One"])
            .prop_map(str::to_owned),
        "\\PC{0,30}",
    ];
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    (prop::option::of(prop::collection::vec(key, 0..6)), prop::collection::vec(line, 0..8), end).prop_map(
        |(keys, lines, end)| {
            let front = keys.map(|keys| format!("---\n{}\n---\n", keys.join("\n"))).unwrap_or_default();
            format!("{front}{}", lines.join("\n")).replace('\n', end)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_kept(text in "(?s).{0,300}", front in any::<bool>()) {
        let text = if front { format!("---\ntitle: {text}") } else { text };
        read(solutions(), PATH, &text);
        solutions().claims(PATH, &text);
    }

    #[test]
    fn any_change_is_that_change(text in a_file(), new in "[ -~é]{0,60}[a-z]", which in 0..3_usize) {
        let document = read(solutions(), PATH, &text);
        prop_assume!(document.items().count() == 1 && plain(&new) == new);
        // A key that comes twice, or is no YAML, has no one place to be changed in.
        prop_assume!(!document.notes.iter().any(|note| note.contains("twice") || note.contains("not YAML")));
        let item = document.items().next().unwrap();
        let mut entry = Entry::of(item);
        let field = ["title", "statement", "detail"][which];
        match field {
            "title" => entry.fields.title = Some(new.clone()),
            "statement" => entry.fields.statement = Some(new.clone()),
            _ => entry.fields.detail = Some(new.clone()),
        }
        let done = rewrite(solutions(), PATH, item, &entry.out(&[field]));
        let after = read(solutions(), PATH, &done.text.unwrap());
        let changed = after.items().next().unwrap();
        // A title has single blanks.
        let title = prose::title(&new);
        let wanted = if field == "title" { title.as_str() } else { new.trim() };
        prop_assert_eq!(changed.content[field].as_str().unwrap(), wanted);
        // A value that is no claim, or no title, gives way to one.
        let is_odd = text.contains("root_cause: {") || text.contains("title: [");
        let fields: &[&str] = if is_odd { &[field, "anchors", "attributes", "statement", "title"] } else { &[field, "anchors"] };
        differ_in(item, changed, fields);
    }

    #[test]
    fn any_tags_and_severity_are_read_again(text in a_file(), tags in prop::collection::btree_set("[a-z]{1,4}(_[a-z]{1,3})?", 0..4), word in 0..3_usize) {
        let document = read(solutions(), PATH, &text);
        prop_assume!(document.items().count() == 1);
        prop_assume!(!document.notes.iter().any(|note| note.contains("twice") || note.contains("not YAML")));
        let item = document.items().next().unwrap();
        let mut entry = Entry::of(item);
        entry.fields.tags = tags.iter().map(|tag| ken_core::Tag::parse(tag).unwrap()).collect();
        let (word, number) = [("low", 2.0), ("medium", 5.0), ("high", 8.0)][word];
        entry.fields.severity = Some(number);
        entry.fields.severity_word = Some(word.to_owned());
        let done = rewrite(solutions(), PATH, item, &entry.out(&["tags", "severity", "severity_word"]));
        prop_assert!(done.unsaid.is_empty());
        let after = read(solutions(), PATH, &done.text.unwrap());
        let changed = after.items().next().unwrap();
        differ_in(item, changed, &["tags", "severity", "severity_word"]);
        let said: Vec<&str> = changed.content.get("tags").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        prop_assert_eq!(said, tags.iter().map(String::as_str).collect::<Vec<_>>());
        prop_assert_eq!(&changed.content["severity_word"], word);
        prop_assert_eq!(changed.content["severity"].as_f64(), Some(number));
    }

    #[test]
    fn a_new_entry_says_what_it_says(statement in "[ -~é\n]{0,80}[a-z]", title in "[ -~é]{0,40}[a-z]") {
        prop_assume!(plain(&statement) == statement && plain(&title) == title);
        let entry = Entry::new(Type::Experience, json!({"statement": statement, "title": title, "subtype": "bug"}));
        let file = solutions().insert("configuration/x.md", None, &entry.out(&[]));
        let document = read(solutions(), "configuration/x.md", &file);
        let said = |field: &str| document.items().next().unwrap().content.get(field).and_then(Value::as_str).map(str::to_owned);
        let line = statement.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(said("statement"), Some(line));
        prop_assert_eq!(said("title").unwrap(), title.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}
