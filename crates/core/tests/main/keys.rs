//! COR-18: which key a statement has, for ever. The vectors are frozen for the major version: a line of an old ledger is checked against its key
//! when it is read, so a changed rule would refuse what honest clones wrote.

use expect_test::expect_file;
use ken_core::entry::{KeyCheck, claimed_key};
use ken_core::event::{Added, Body, EntryEvent};
use serde_json::{Value, json};

use crate::stage::{Writer, clock, lesson_key, replica};

fn added(kind: &str, fields: Value) -> Added {
    serde_json::from_value(json!({"type": kind, "fields": fields})).unwrap()
}

fn checked(kind: &str, fields: Value) -> Option<KeyCheck> {
    let body = Body::Entry(EntryEvent::Added(added(kind, fields)));
    Writer::default().seal(replica(1), clock(1), Some(lesson_key("Wait.")), body).key_check()
}

/// `key`, type and fields of each line are parted by tabs.
const VECTORS: &str = include_str!("key_vectors.tsv");

#[test]
fn a_claim_has_the_key_that_it_always_had() {
    let mut computed = String::new();
    for line in VECTORS.lines() {
        let mut parts = line.splitn(3, '\t');
        let (_, kind, fields) = (parts.next(), parts.next().unwrap(), parts.next().unwrap());
        let fields_read: Value = serde_json::from_str(fields).unwrap();
        let key = claimed_key(&added(kind, fields_read)).map_or("-".to_owned(), |key| key.to_string());
        computed.push_str(&format!("{key}\t{kind}\t{fields}\n"));
    }
    assert!(VECTORS.lines().count() >= 30);
    // A change here makes ledgers of this major version lose entries.
    expect_file!["./key_vectors.tsv"].assert_eq(&computed);
}

#[test]
fn a_line_is_checked_against_the_key_that_it_names() {
    assert_eq!(checked("lesson", json!({"statement": "Wait."})), Some(KeyCheck::Matches));
    // Case, blanks and the final stop are no part of a claim, and nor is anything beside it.
    let same = json!({"statement": " wait ", "title": "Any", "detail": "thing", "tags": 7});
    assert_eq!(checked("lesson", same), Some(KeyCheck::Matches));
    for (kind, fields) in [
        ("lesson", json!({"statement": "Do not wait."})),
        ("pattern", json!({"statement": "Wait."})),
        ("lesson", json!({"statement": "Wait.", "scope": "global"})),
        ("lesson", json!({"statement": "Wait.", "thread": "t"})),
        ("lesson", json!({})),
    ] {
        let found = checked(kind, fields.clone());
        assert!(matches!(found, Some(KeyCheck::Differs(_))), "{kind} {fields}: {found:?}");
    }
    // What this version cannot read it cannot check.
    for (kind, fields) in [
        ("omen", json!({"statement": "Wait."})),
        ("lesson", json!({"statement": {"en": "Wait."}})),
        ("lesson", json!({"statement": "Wait.", "title": 7})),
        ("lesson", json!({"statement": "Wait.", "scope": "galaxy"})),
        ("lesson", json!("Wait.")),
    ] {
        assert_eq!(checked(kind, fields.clone()), Some(KeyCheck::Exempt), "{kind} {fields}");
    }
}
