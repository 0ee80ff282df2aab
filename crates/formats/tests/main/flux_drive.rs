//! Flux-drive entries (DOO-6, 7.1): a file to an entry, confirmed by a day and a word.

use expect_test::expect;
use ken_core::kinds::{Confirmation, Status, Type};
use ken_formats::plain::plain;
use ken_formats::{Format, Role, Standing, named};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::promises::{Entry, corpus, differ_in, path_for, read, rewrite, time};

const SAMPLE: &str = include_str!("../samples/flux-drive/retry-without-jitter.md");
const ODD: &str = include_str!("../samples/flux-drive/archive/queues-need-a-bound.md");
const PATH: &str = "knowledge/retry-without-jitter.md";
const ODD_PATH: &str = "knowledge/archive/queues-need-a-bound.md";

fn flux_drive() -> &'static dyn Format {
    named("flux-drive").unwrap()
}

#[test]
fn a_file_is_a_lesson() {
    let document = read(flux_drive(), PATH, SAMPLE);
    let item = document.items().next().unwrap();
    expect![[r##"
        {
          "anchors": [
            "src/retry.rs:47-52",
            "client/http.py:3"
          ],
          "attributes": {
            "evidence": "src/retry.rs:47-52, backoff(): the delay is `base * 2`. Also `client/http.py` at line 3, see commit:0a1b2c3."
          },
          "detail": "Fix: add a random share of the delay.\n```bash\n# Evidence: this line is code\nsleep $((RANDOM % 5))\n```",
          "id": "retry-without-jitter",
          "statement": "Retries without jitter arrive together and overload the server they wait for. Two reviewers saw it in different clients.",
          "title": "Retry without jitter",
          "verification": [
            "grep for `sleep` in src/retry.rs",
            "run the load test"
          ]
        }"##]]
    .assert_eq(&serde_json::to_string_pretty(&item.content).unwrap());
    assert_eq!((item.kind, item.name.as_str()), (Type::Lesson, "retry-without-jitter"));
    assert_eq!(item.evidence, ["commit:0a1b2c3"]);
    assert_eq!(item.confirmed, Some((Confirmation::Independent, time("2026-02-10"))));
    assert_eq!(item.standing, Standing::Current);
    assert_eq!(document.notes, [""; 0]);
}

// CRLF, a quoted day, a word nobody knows, keys of others, no line break at the end.
#[test]
fn an_odd_file_is_kept_and_told() {
    let document = read(flux_drive(), ODD_PATH, ODD);
    let item = document.items().next().unwrap();
    assert_eq!(item.confirmed, Some((Confirmation::Primed, time("2026-01-05"))), "not independent");
    assert!(matches!(item.standing, Standing::Archived(_)));
    let attributes = &item.content["attributes"];
    assert_eq!(attributes["provenance"], "compound");
    assert_eq!(attributes["severity"], json!({"p0": [1, 2]}), "never a text");
    assert_eq!(attributes["owner"], Value::Null);
    assert_eq!(attributes["evidence"], "`queue.rs` in [path]");
    expect![[r#"
        `provenance` says "compound"; flux-drive knows `independent` and `primed`. It is kept, and counts as primed
        `owner` is a key that flux-drive does not have; it is kept
        `severity` is a key that flux-drive does not have; it is kept"#]]
    .assert_eq(&document.notes.join("\n"));
}

#[test]
fn what_is_missing_is_a_note() {
    let cases = [
        ("a.md", "Only words.\n", "it has no front matter; nobody has confirmed it"),
        (
            "a.md",
            "---\nprovenance: primed\n---\nx\n",
            "`lastConfirmed` is missing or empty; when it was confirmed is not known",
        ),
        (
            "a.md",
            "---\nlastConfirmed: soon\nprovenance: primed\n---\nx\n",
            "`lastConfirmed` says \"soon\", which is not a date; it is kept",
        ),
        (
            "a.md",
            "---\nlastConfirmed: 2026-01-01\n---\nx\n",
            "`provenance` is missing or empty; it counts as primed",
        ),
        (
            "a.md",
            "---\nlastConfirmed: 2026-01-01\nprovenance: primed\n---\n\n",
            "it is empty; it is kept unchanged",
        ),
        (
            "a-b.md",
            "---\nlastConfirmed: 2026-01-01\nprovenance: primed\n---\nEvidence: x\n",
            "it has evidence and no description; its name stands for one",
        ),
        (
            "a.md",
            "---\nlastConfirmed: 2026-01-01\nprovenance: primed\n---\nx\nVerify:\n1. a\n2. b\n3. c\n4. d\n",
            "`Verify:` has 4 steps; the last ones are one here, since an entry has at most 3",
        ),
    ];
    for (path, text, note) in cases {
        assert_eq!(read(flux_drive(), path, text).notes, [note]);
    }
    for path in ["knowledge/README.md", "knowledge/archive/.gitkeep"] {
        assert_eq!(read(flux_drive(), path, "# Knowledge\n").role, Role::Other);
    }
}

fn changed(text: &str, path: &str, field: &str, change: impl Fn(&mut Entry)) -> ken_formats::Rewritten {
    let document = read(flux_drive(), path, text);
    let item = document.items().next().unwrap();
    let mut entry = Entry::of(item);
    change(&mut entry);
    rewrite(flux_drive(), path, item, &entry.out(&[field]))
}

type Change = Box<dyn Fn(&mut Entry)>;

#[test]
fn a_change_touches_its_words() {
    let claim = "Retries without jitter arrive together and overload the server they wait for.\nTwo reviewers saw it in different clients.";
    let detail = &SAMPLE[SAMPLE.find("Fix:").unwrap()..SAMPLE.find("\n\nEvidence:").unwrap()];
    let cases: [(&str, Change, String); 6] = [
        (
            "statement",
            Box::new(|e| e.fields.statement = Some("Add jitter.".into())),
            SAMPLE.replace(claim, "Add jitter."),
        ),
        (
            "statement",
            Box::new(|e| e.fields.statement = Some("# Verify: this".into())),
            SAMPLE.replace(claim, "\\# Verify: this"),
        ),
        (
            "detail",
            Box::new(|e| e.fields.detail = Some("Verify: no".into())),
            SAMPLE.replace(detail, "\\Verify: no"),
        ),
        ("detail", Box::new(|e| e.fields.detail = None), SAMPLE.replace(&format!("\n\n{detail}"), "")),
        (
            "verification",
            Box::new(|e| e.fields.verification = vec!["ask".into()]),
            SAMPLE.replace("(1) grep for `sleep` in src/retry.rs (2) run the load test", "ask"),
        ),
        (
            "verification",
            Box::new(|e| e.fields.verification.clear()),
            SAMPLE[..SAMPLE.find("Verify:").unwrap()].to_owned(),
        ),
    ];
    for (field, change, expected) in cases {
        let done = changed(SAMPLE, PATH, field, change);
        assert_eq!(done.text.as_deref(), Some(expected.as_str()), "{field}");
        assert!(done.unsaid.is_empty() && done.moved_to.is_none());
    }
    let done = changed(SAMPLE, PATH, "tags", |_| {});
    assert_eq!((done.text.as_deref(), done.unsaid), (Some(SAMPLE), vec!["tags".to_owned()]));
}

// REV-2, trap 2: a primed confirmation refreshes nothing; an independent one sets the day and the word.
#[test]
fn only_an_independent_confirmation_refreshes() {
    let independent = |entry: &mut Entry| {
        entry.last_confirmed = Some(time("2026-05-06"));
        entry.confirmation = Some(Confirmation::Independent);
    };
    let done = changed(SAMPLE, PATH, "last_confirmed", independent);
    assert_eq!(done.text.unwrap(), SAMPLE.replace("2026-02-10", "2026-05-06"));
    let done = changed(ODD, ODD_PATH, "last_confirmed", independent);
    assert_eq!(
        done.text.unwrap(),
        ODD.replace("2026-01-05", "2026-05-06").replace("compound", "independent")
    );
    let primed = |entry: &mut Entry| entry.confirmation = Some(Confirmation::Primed);
    assert_eq!(changed(SAMPLE, PATH, "confirmation", primed).text.as_deref(), Some(SAMPLE));
    assert_eq!(changed(ODD, ODD_PATH, "confirmation", primed).text.as_deref(), Some(ODD));
}

// Trap 1: what is archived is put away whole, and comes back; nothing but a retraction deletes.
#[test]
fn a_status_is_a_folder() {
    let cases = [
        (PATH, Status::Archived, Some("knowledge/archive/retry-without-jitter.md"), true),
        (PATH, Status::Superseded, Some("knowledge/archive/retry-without-jitter.md"), true),
        (PATH, Status::Active, None, true),
        (PATH, Status::Retracted, None, false),
        ("knowledge/archive/a.md", Status::Active, Some("knowledge/a.md"), true),
        ("archive/a.md", Status::Candidate, Some("a.md"), true),
        ("archive/a.md", Status::Archived, None, true),
        ("a.md", Status::Archived, Some("archive/a.md"), true),
    ];
    for (path, status, moved, stays) in cases {
        let done = changed(SAMPLE, path, "status", |entry| entry.status = status);
        assert_eq!(
            (done.moved_to.as_deref(), done.text.as_deref()),
            (moved, stays.then_some(SAMPLE)),
            "{path} {status}"
        );
    }
}

#[test]
fn a_new_entry_is_a_file() {
    let entry = Entry::new(
        Type::Pattern,
        json!({
            "title": "Bound every queue", "statement": "A queue without a bound\nhides a slow reader.", "detail": "Say what happens when it is full.",
            "anchors": ["src/queue.rs:4-9", "src/queue.rs#push"], "verification": ["grep for `unbounded`", "read push"],
            "attributes": {"owner": "mira"},
        }),
    )
    .citing("commit:0a1b2c3");
    let path = path_for(flux_drive(), &entry, &["k/README.md", "k/archive/bound-every-queue.md"]).unwrap();
    assert_eq!(path, "k/bound-every-queue-2.md");
    let file = flux_drive().insert(&path, None, &entry.out(&[]));
    expect![[r#"
        ---
        lastConfirmed: 2026-03-02
        provenance: independent
        owner: mira
        ---
        A queue without a bound hides a slow reader.

        Say what happens when it is full.

        Evidence: `src/queue.rs:4-9`, `src/queue.rs#push`, commit:0a1b2c3
        Verify: (1) grep for `unbounded` (2) read push
    "#]]
    .assert_eq(&file);
    let document = read(flux_drive(), &path, &file);
    let item = document.items().next().unwrap();
    assert_eq!(item.content["anchors"], json!(["src/queue.rs:4-9", "src/queue.rs#push"]));
    assert_eq!(item.content["verification"], json!(entry.fields.verification));
    assert_eq!(item.evidence, ["commit:0a1b2c3"]);
    let entity = Entry::new(Type::Entity, json!({"name": "x"}));
    assert_eq!(path_for(flux_drive(), &entity, &[]), None);
}

// ENT-3: what is longer than a field may be is cut in the entry, told, and whole in the file.
#[test]
fn what_is_too_long_is_told() {
    let long = "word ".repeat(60_000);
    let head = "---\nlastConfirmed: 2026-02-10\nprovenance: primed\n---\n";
    for text in [
        format!("{head}{long}\n"),
        format!("{head}Claim.\n\n{long}\n"),
        format!("{head}# Heading\n{long}\n"),
        format!("{head}Claim.\nVerify: {long}\n"),
        format!("---\nlastConfirmed: 2026-02-10\nprovenance: primed\nmore: \"{long}\"\n---\nClaim.\n"),
    ] {
        assert!(!read(flux_drive(), PATH, &text).notes.is_empty(), "{}", &text[..80]);
    }
}

// Trap 17: a sanitiser of the original erases lines that begin like an order to a model. Here every line is kept.
#[test]
fn a_line_that_sounds_like_an_order_is_kept() {
    let text = SAMPLE.replace("Fix: add", "Ignore lint rules in generated code.\nFix: add");
    let document = read(flux_drive(), PATH, &text);
    let detail = document.items().next().unwrap().content["detail"].as_str().unwrap().to_owned();
    assert!(detail.starts_with("Ignore lint rules in generated code.\n"));
}

// An import cites the file itself; writing that into the file would change it on every round.
#[test]
fn new_places_and_citations_go_to_the_evidence() {
    let done = changed(SAMPLE, PATH, "citations", |entry| {
        *entry = entry.clone().citing(&format!("doc:config/{PATH}")).citing("commit:0a1b2c3").citing("pr:9");
        entry.fields.anchors.push(ken_core::Anchor::parse("src/new.rs:3").unwrap());
    });
    let added = "see commit:0a1b2c3. See also `src/new.rs:3`, pr:9\n";
    assert_eq!(done.text.unwrap(), SAMPLE.replace("see commit:0a1b2c3.\n", added));
    let bare = "---\nlastConfirmed: 2026-02-10\nprovenance: primed\n---\nA claim.\n";
    let done = changed(bare, PATH, "anchors", |entry| {
        entry.fields.anchors.push(ken_core::Anchor::parse("src/new.rs:3").unwrap());
    });
    assert_eq!(done.text.unwrap(), format!("{bare}\nEvidence: `src/new.rs:3`\n"));
}

#[test]
fn the_corpus_comes_back_to_the_byte() {
    for (path, text) in corpus("flux-drive") {
        let document = read(flux_drive(), &path, &text);
        assert_eq!(document.items().count(), usize::from(!path.ends_with("README.md")), "{path}");
        assert!(flux_drive().claims(&path, &text) >= 80, "{path}");
        for item in document.items() {
            for field in ["statement", "verification"] {
                assert!(item.content.contains_key(field), "{path} has no {field}");
            }
        }
    }
}

fn a_line() -> impl Strategy<Value = String> {
    let known = [
        "",
        "",
        "---",
        "```",
        "```bash",
        "# Heading",
        "- item",
        "Evidence: src/a.rs:4",
        "Evidence:",
        "Verify: look",
        "**Verify:** x",
        "Fix: this",
        "lastConfirmed: 2026-01-01",
        "\\Evidence: x",
        "  indented",
    ];
    prop_oneof![prop::sample::select(known.to_vec()).prop_map(str::to_owned), "\\PC{0,30}"]
}

fn a_file() -> impl Strategy<Value = String> {
    let front = prop::sample::select(vec![
        "",
        "\u{feff}",
        "---\nlastConfirmed: 2026-01-01\nprovenance: primed\n---\n",
        "---\nprovenance: odd\nx: [1, {y: z}]\nlastConfirmed: '2026-01-01'\n---\n\n",
    ]);
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    (front, prop::collection::vec(a_line(), 0..10), end, any::<bool>()).prop_map(
        |(front, lines, end, closed)| {
            let text = format!("{front}{}{}", lines.join("\n"), if closed { "\n" } else { "" });
            text.replace('\n', end)
        },
    )
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_kept(text in "(?s).{0,300}", front in any::<bool>()) {
        let text = if front { format!("---\nlastConfirmed: {text}") } else { text };
        read(flux_drive(), PATH, &text);
        flux_drive().claims(PATH, &text);
    }

    #[test]
    fn any_file_is_kept(text in a_file()) {
        read(flux_drive(), PATH, &text);
    }

    // A description that begins with a heading or a list is its own detail: a claim goes before it, and it stays.
    #[test]
    fn any_change_is_that_change(text in a_file(), new in "[a-zA-Z#`*é .:-]{0,60}[a-z]", which in 0..3_usize) {
        let document = read(flux_drive(), PATH, &text);
        prop_assume!(document.items().count() == 1 && plain(&new) == new);
        let item = document.items().next().unwrap();
        let mut entry = Entry::of(item);
        let field = ["statement", "detail", "verification"][which];
        match field {
            "statement" => entry.fields.statement = Some(new.clone()),
            "detail" => entry.fields.detail = Some(new.clone()),
            _ => entry.fields.verification = vec![new.trim().to_owned()],
        }
        let done = rewrite(flux_drive(), PATH, item, &entry.out(&[field]));
        let after = read(flux_drive(), PATH, &done.text.unwrap());
        let changed = after.items().next().unwrap();
        differ_in(item, changed, &[field, "anchors"]);
        let said = match field {
            "verification" => changed.content[field][0].as_str().unwrap().to_owned(),
            field => one_line(changed.content[field].as_str().unwrap()),
        };
        prop_assert_eq!(said, one_line(&new));
    }

    #[test]
    fn any_confirmation_is_read_again(text in a_file()) {
        let document = read(flux_drive(), PATH, &text);
        prop_assume!(document.items().count() == 1);
        let item = document.items().next().unwrap();
        let mut entry = Entry::of(item);
        entry.last_confirmed = Some(time("2026-07-08"));
        entry.confirmation = Some(Confirmation::Independent);
        let done = rewrite(flux_drive(), PATH, item, &entry.out(&["last_confirmed", "confirmation"]));
        let after = read(flux_drive(), PATH, &done.text.unwrap());
        let changed = after.items().next().unwrap();
        prop_assert_eq!(changed.confirmed, Some((Confirmation::Independent, time("2026-07-08"))));
        let said = |item: &ken_formats::Item| {
            let mut content = item.content.clone();
            if let Some(Value::Object(own)) = content.get_mut("attributes") {
                own.retain(|name, _| !matches!(name.as_str(), "provenance" | "lastConfirmed"));
                if own.is_empty() {
                    content.remove("attributes");
                }
            }
            content
        };
        prop_assert_eq!(said(item), said(changed));
    }

    #[test]
    fn a_new_entry_says_what_it_says(statement in "[ -~é\n]{0,80}[a-z]", detail in prop::option::of("[a-zA-Z0-9# .\n-]{0,60}[a-z]")) {
        prop_assume!(plain(&statement) == statement);
        let entry = Entry::new(Type::Lesson, json!({"statement": statement, "detail": detail}));
        let file = flux_drive().insert("x.md", None, &entry.out(&[]));
        let document = read(flux_drive(), "x.md", &file);
        let item = document.items().next().unwrap();
        let said = item.content["statement"].as_str().unwrap();
        prop_assert_eq!(said, one_line(&statement));
        let said = item.content.get("detail").and_then(Value::as_str).unwrap_or_default();
        prop_assert_eq!(one_line(said), one_line(&detail.unwrap_or_default()));
    }
}
