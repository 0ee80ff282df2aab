//! Architecture decision records.

use ken_core::kinds::{Relation, Status, Type};
use ken_formats::{Role, Standing};
use proptest::prelude::*;
use serde_json::json;

use crate::promises::{self, Entry, ODD};

const WORD: &str = "adr";
const TOOL: &str = include_str!("../samples/adr/0001-retry-idempotent-calls-with-jitter.md");
const NYGARD: &str = include_str!("../samples/adr/0003-keep-events.md");
const MADR: &str = include_str!("../samples/adr/0004-choose-sqlite.md");

#[test]
fn a_record_after_nygard() {
    let path = "docs/adr/0003-keep-events.md";
    let document = promises::read(promises::format(WORD), path, NYGARD);
    assert!(document.notes.is_empty(), "{:?}", document.notes);
    let item = document.items().next().unwrap();
    assert_eq!((item.kind, item.name.as_str()), (Type::Experience, "0003"));
    assert_eq!(item.content["id"], "0003-keep-events");
    assert_eq!(item.content["title"], "Keep events, not rows");
    assert_eq!(item.content["subtype"], "decision");
    assert_eq!(
        item.content["statement"],
        "We will keep every event. Rows are derived from them in `src/fold.rs`."
    );
    assert_eq!(item.content["anchors"], json!(["src/fold.rs"]));
    assert_eq!(item.stated, Some(promises::time("2026-02-11")));
    assert_eq!(item.standing, Standing::SupersededBy("0007".to_owned()));
    assert_eq!(
        item.ties,
        [(Relation::Supersedes, "0002".to_owned()), (Relation::RelatesTo, "0001".to_owned())]
    );
    let detail = item.content["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("## Context\n\nRows forget.")
            && detail.contains("## Decision\n\nA second paragraph."),
        "{detail}"
    );
}

#[test]
fn a_record_after_madr() {
    let document = promises::read(promises::format(WORD), "docs/decisions/0004-choose-sqlite.md", MADR);
    let item = document.items().next().unwrap();
    assert_eq!(item.content["title"], "Choose SQLite for the index");
    assert_eq!(item.content["statement"], "Chosen option: \"SQLite\", because it is one file.");
    assert_eq!(item.content["attributes"]["decision-makers"], json!(["Ada", "Bob"]));
    assert_eq!(item.content["attributes"]["status"], "accepted");
    assert_eq!(item.stated, Some(promises::time("2026-02-12")));
    assert_eq!(item.standing, Standing::Current);
}

#[test]
fn a_history_of_statuses() {
    let path = "docs/adr/0001-x.md";
    let document = promises::read(promises::format(WORD), path, TOOL);
    let mut entry = Entry::of(document.items().next().unwrap());
    assert_eq!(document.items().next().unwrap().content["attributes"]["status"], "proposed");
    let (new, unsaid) = promises::rewritten(WORD, path, TOOL, 0, &entry, &["status"]);
    assert_eq!(new, TOOL.replace("2026-11-16 proposed\n", "2026-11-16 proposed\n\n2026-03-03 accepted\n"));
    assert!(unsaid.is_empty());
    entry.status = Status::Archived;
    let (new, _) = promises::rewritten(WORD, path, &new, 0, &entry, &["status"]);
    let document = promises::read(promises::format(WORD), path, &new);
    assert_eq!(
        document.items().next().unwrap().standing,
        Standing::Archived("its status is deprecated".to_owned())
    );
}

#[test]
fn statuses() {
    let table = [
        ("Accepted", "Current"),
        ("**Rejected** for now", "Archived(\"its status is rejected\")"),
        ("Deprecated.", "Archived(\"its status is deprecated\")"),
        ("Superseded by ADR-12", "SupersededBy(\"0012\")"),
        ("Superseded by [5. X](0005-x.md)", "SupersededBy(\"0005\")"),
        ("superseded", "Archived(\"its status is superseded\")"),
        ("Proposed", "Current"),
    ];
    for (status, standing) in table {
        let text = format!("# 3. T\n\n## Status\n\n{status}\n\n## Decision\n\nWe do.\n");
        let document = promises::read(promises::format(WORD), "0003-t.md", &text);
        assert_eq!(format!("{:?}", document.items().next().unwrap().standing), standing, "{status}");
        let text =
            format!("# T\n\n* Status: {status}\n* Date: 2026-01-02\n\n## Decision Outcome\n\nWe do.\n");
        let document = promises::read(promises::format(WORD), "0003-t.md", &text);
        let item = document.items().next().unwrap();
        assert_eq!(format!("{:?}", item.standing), standing, "{status}");
        assert_eq!(item.stated, Some(promises::time("2026-01-02")));
    }
    for path in ["README.md", "docs/adr/index.md", "template.md", "adr-template-bare.md", "0000-template.md"]
    {
        assert_eq!(promises::read(promises::format(WORD), path, NYGARD).role, Role::Other, "{path}");
    }
}

#[test]
fn changes_are_written_where_they_belong() {
    let path = "0003-keep-events.md";
    let new = promises::change(WORD, path, NYGARD, 0, "title", json!("Keep all events"));
    assert_eq!(new, NYGARD.replace("Keep events, not rows", "Keep all events"));
    let new = promises::change(WORD, path, NYGARD, 0, "statement", json!("We keep some."));
    assert_eq!(
        new,
        NYGARD.replace(
            "We will keep every event. Rows are derived\nfrom them in `src/fold.rs`.",
            "We keep some."
        )
    );
    promises::change(
        WORD,
        path,
        NYGARD,
        0,
        "detail",
        json!("## Context\n\nNone.\n\n## Decision\n\n## After\n\nx"),
    );
    promises::change(WORD, "0004-choose-sqlite.md", MADR, 0, "statement", json!("We use files."));
    let mut entry = Entry::of(promises::read(promises::format(WORD), path, NYGARD).items().next().unwrap());
    entry.status = Status::Active;
    let (new, _) = promises::rewritten(WORD, path, NYGARD, 0, &entry, &["status"]);
    assert_eq!(new, NYGARD.replace("Superseded by [7. Keep fewer](0007-keep-fewer.md)", "Accepted"));
    entry.status = Status::Superseded;
    entry.superseded_by = Some("0009".to_owned());
    let (new, _) = promises::rewritten(WORD, "0004-choose-sqlite.md", MADR, 0, &entry, &["status"]);
    assert_eq!(new, MADR.replace("status: accepted", "status: superseded by ADR-0009"));
}

#[test]
fn a_new_record_has_the_next_number() {
    let entry = Entry::new(
        Type::Experience,
        json!({"title": "Use git", "subtype": "decision", "statement": "The ledger is in git.", "detail": "It merges."}),
    );
    let lesson = Entry::new(Type::Lesson, json!({"statement": "x"}));
    assert_eq!(promises::path_for(promises::format(WORD), &lesson, &[]), None);
    assert_eq!(promises::path_for(promises::format(WORD), &entry, &[]).as_deref(), Some("0001-use-git.md"));
    assert_eq!(
        promises::path_for(
            promises::format(WORD),
            &entry,
            &["docs/adr/README.md", "docs/adr/009-x.md", "docs/adr/002-y.md"]
        )
        .as_deref(),
        Some("docs/adr/010-use-git.md")
    );
    let new = promises::insert(WORD, "docs/adr/0010-use-git.md", None, &entry);
    assert_eq!(
        new,
        "# 10. Use git\n\nDate: 2026-03-02\n\n## Status\n\nAccepted\n\n## Context\n\nIt merges.\n\n## Decision\n\nThe ledger is in git.\n\n## Consequences\n"
    );
    // What was read as a record is written as one again.
    let item = promises::read(promises::format(WORD), "0003-keep-events.md", NYGARD);
    let again = Entry::of(item.items().next().unwrap());
    let new = promises::insert(WORD, "0011-again.md", None, &again);
    assert_eq!(
        Entry::of(promises::read(promises::format(WORD), "0011-again.md", &new).items().next().unwrap())
            .fields
            .detail,
        again.fields.detail
    );
}

#[test]
fn our_own_records_are_records() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/decisions");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        let path = format!("docs/decisions/{name}");
        let text = std::fs::read_to_string(file.path()).unwrap();
        let document = promises::read(promises::format(WORD), &path, &text);
        if name != "README.md" {
            assert!(promises::format(WORD).claims(&path, &text) >= 80, "{path}");
            let item = document.items().next().unwrap();
            assert_ne!(item.content["statement"], item.content["title"], "{path}");
            promises::change(WORD, &path, &text, 0, "statement", json!("We do something else."));
            count += 1;
        }
    }
    assert!(count > 0);
}

fn record() -> impl Strategy<Value = String> {
    let line = "(# 1\\. Title|# Other|## Status|## Decision|## Context|Accepted|Superseded by ADR-4|Date: 2026-01-01|Plain words here\\.|- point|```||Status: proposed)";
    (prop::collection::vec(line, 0..12), any::<bool>(), any::<bool>()).prop_map(|(lines, crlf, front)| {
        let head = if front { "---\nstatus: accepted\ndate: 2026-01-01\n---\n" } else { "" };
        let text = format!("{head}{}", lines.join("\n"));
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_kept(text in r"(?s)(---\n)?[a-z:#\x00\r\n -]{0,80}|.{0,200}") {
        promises::read(promises::format(WORD), "docs/adr/0001-x.md", &text);
    }

    #[test]
    fn any_record_can_change(text in record(), new in "[A-Z][a-z]{1,9}( [a-z]{1,9}){0,4}\\.?") {
        let path = "docs/adr/0001-x.md";
        let document = promises::read(promises::format(WORD), path, &text);
        if document.items().next().is_some_and(|item| item.content["statement"] != item.content["title"]) {
            promises::change(WORD, path, &text, 0, "statement", json!(new));
        }
        if text.contains("# 1. Title") && document.items().next().is_some_and(|item| item.content["title"] == "Title" && item.content["statement"] != "Title") {
            promises::change(WORD, path, &text, 0, "title", json!(new));
        }
    }
}

#[test]
fn odd_texts() {
    ODD.iter().for_each(|text| drop(promises::read(promises::format(WORD), "0001-x.md", text)));
}
