//! Decapod: what its files say to us, and that they stay what they are.

use std::collections::BTreeSet;

use expect_test::expect;
use ken_core::belief::Side;
use ken_core::kinds::{Relation, Status};
use ken_core::schema::read_content;
use ken_core::{Citation, EvidenceType, Fields, Millis, Type, TypeName};
use ken_formats::{Document, Format, Item, Outgoing, Part, Place, Rewritten, Role, Standing, named};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::promises::{read, store_facts};

const NORM: &str = ".decapod/knowledge/procedural/v1/commit_norms/norm.commit.001.jsonl";
const ENTITY: &str = ".decapod/knowledge/semantic/v1/entities/entity.service.cart.jsonl";
const LESSON: &str = ".decapod/knowledge/semantic/v1/lessons/lesson.a.jsonl";
const FRICTION: &str = ".decapod/knowledge/episodic/v1/friction_ledger.jsonl";
const FEDERATION: &str = ".decapod/data/federation.events.jsonl";
const ROWS: &str = ".decapod/data/knowledge.db.jsonl";
const PATHS: &[&str] = &[
    NORM,
    ENTITY,
    LESSON,
    FRICTION,
    FEDERATION,
    ROWS,
    ".decapod/data/knowledge.promotions.jsonl",
    ".decapod/data/broker.events.jsonl",
    ".decapod/data/federation/_graph.json",
];

fn decapod() -> &'static dyn Format {
    named("decapod").unwrap()
}

fn sample(path: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples/decapod/");
    std::fs::read_to_string(format!("{folder}{path}")).unwrap()
}

pub(crate) fn fields(item: &Item) -> Fields {
    let mut content = item.content.clone();
    content.remove("id");
    match read_content(item.kind, content) {
        Ok(fields) => fields,
        Err(faults) => panic!("{}: {faults:?} in {:?}", item.name, item.content),
    }
}

/// An entry of these fields that goes out, with these changes.
pub(crate) fn outgoing<'a>(item: &'a Item, fields: &'a Fields, changed: &[&str]) -> Outgoing<'a> {
    let kind: &'static TypeName = match item.kind {
        Type::Lesson => &TypeName::Known(Type::Lesson),
        Type::Entity => &TypeName::Known(Type::Entity),
        Type::Skill => &TypeName::Known(Type::Skill),
        Type::Experience => &TypeName::Known(Type::Experience),
        Type::CommitNorm => &TypeName::Known(Type::CommitNorm),
        Type::Friction => &TypeName::Known(Type::Friction),
        Type::Relationship => &TypeName::Known(Type::Relationship),
        Type::Observation => &TypeName::Known(Type::Observation),
        _ => &TypeName::Known(Type::Signal),
    };
    Outgoing {
        id: &item.name,
        handle: "L-abcdef",
        kind,
        fields,
        citations: Vec::new(),
        status: Status::Active,
        reason: None,
        created: Millis(1_700_000_000_000),
        updated: Millis(1_800_000_000_000),
        created_by: "ada",
        last_confirmed: None,
        confirmation: None,
        belief: (6.0, 5.0),
        ties: item.ties.clone(),
        superseded_by: None,
        changed: changed.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// A file in which an item was rewritten.
pub(crate) fn rewritten(document: &Document, path: &str, name: &str, with: &Rewritten) -> String {
    let mut text: String = document
        .parts
        .iter()
        .map(|part| match part {
            Part::Item(item) if item.name == name => with.text.clone().unwrap_or_default(),
            part => part.text().to_owned(),
        })
        .collect();
    for more in &with.appended {
        assert_eq!(more.path, path);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&more.text);
    }
    text
}

/// Changes one field of each item in turn, and looks at what becomes of the file.
pub(crate) fn change_each(format: &dyn Format, path: &str, text: &str, field: &str, value: &str) {
    let document = format.read(path, text);
    for item in document.items() {
        let field = match (field, item.kind.memory()) {
            ("statement", ken_core::Memory::Procedural) if item.content.contains_key("rule") => "rule",
            ("statement", _) if item.kind == Type::Entity => "description",
            ("title", _) if item.kind == Type::Entity && item.content.contains_key("name") => "name",
            (field, _) => field,
        };
        let mut content = item.content.clone();
        let new = match (field, item.content.get("domains")) {
            ("domains", Some(Value::Array(known))) => known.iter().cloned().chain([json!(value)]).collect(),
            ("tags" | "domains", _) => json!([value]),
            _ => json!(value),
        };
        content.insert(field.to_owned(), new.clone());
        content.remove("id");
        let Ok(after) = read_content(item.kind, content) else { continue };
        let now = outgoing(item, &after, &[field]);
        let place = Place { path, text: &item.text, name: &item.name };
        let with = format.rewrite(place, &now);
        let again = format.read(path, &rewritten(&document, path, &item.name, &with));
        let found = again.items().find(|other| other.name == item.name).unwrap();
        // A new item may have taken its place; then that one says it.
        let says = match &found.standing {
            Standing::SupersededBy(new) if found.standing != item.standing => {
                again.items().find(|other| other.name == *new).unwrap()
            }
            _ => found,
        };
        if !with.unsaid.iter().any(|name| name == field) {
            assert_eq!(says.content.get(field), Some(&new), "{path} {} {field}", item.name);
        }
        let derived = ["anchors", "attributes", "detail", "source"];
        for other in says.content.keys().chain(item.content.keys()) {
            let is_let = other == field
                || other == "id"
                || with.unsaid.contains(other)
                // ENT-8: what is for everybody is of no thread.
                || (field == "scope" && other == "thread")
                || (derived.contains(&other.as_str()) && (field != "title" || !std::ptr::eq(says, found)));
            if !is_let {
                let (is, was) = (without_odd(says, other), without_odd(item, other));
                assert_eq!(is, was, "{path}: {field} changed {other}");
            }
        }
        for other in document.items().filter(|other| other.name != item.name) {
            let still = again.items().find(|still| still.name == other.name).unwrap();
            // A last line without a break gets one when another follows.
            let same = Item { text: other.text.clone(), ..still.clone() };
            assert_eq!(&same, other, "{path}: {field} of {} changed another", item.name);
            assert_eq!(still.text.trim_end(), other.text.trim_end());
        }
    }
}

/// A field; of attributes, not those that stood where a text belongs, as a text may take their place.
fn without_odd(item: &Item, field: &str) -> Option<Value> {
    let mut value = item.content.get(field)?.clone();
    if let ("attributes", Value::Object(map)) = (field, &mut value) {
        for text in ["name", "title", "statement", "description", "rule", "detail"] {
            map.remove(text);
        }
        if map.is_empty() {
            return None;
        }
    }
    Some(value)
}

/// Puts each item away in turn: it says what it said, and stands elsewhere.
pub(crate) fn archive_each(format: &dyn Format, path: &str, text: &str) {
    let document = format.read(path, text);
    for item in document.items() {
        let fields = fields(item);
        let mut now = outgoing(item, &fields, &["status"]);
        now.status = Status::Archived;
        now.reason = Some("nobody needs it");
        let with = format.rewrite(Place { path, text: &item.text, name: &item.name }, &now);
        let again = format.read(path, &rewritten(&document, path, &item.name, &with));
        let found = again.items().find(|other| other.name == item.name).unwrap();
        if with.unsaid.is_empty() {
            assert!(matches!(found.standing, Standing::Archived(_)), "{path}: {found:?}");
        }
        let own = |item: &Item| {
            let mut content = item.content.clone();
            // A word that was none is gone with the status.
            if let Some(Value::Object(attributes)) = content.get_mut("attributes") {
                attributes.remove("status");
            }
            content.retain(|_, value| value.as_object().is_none_or(|map| !map.is_empty()));
            content
        };
        assert_eq!(own(found), own(item), "{path}: {text}");
    }
}

/// An entry that is put into a file is one item more, and says what it says.
pub(crate) fn insert_one(format: &dyn Format, path: &str, text: Option<&str>, fields: &Fields, kind: Type) {
    let mut model = Item::new(kind, "new.entry.1", "");
    model.kind = kind;
    let now = outgoing(&model, fields, &[]);
    let before = format.read(path, text.unwrap_or_default());
    let whole = format.insert(path, text, &now);
    assert!(whole.starts_with(text.unwrap_or_default()), "{path}: the rest stays");
    let after = read(format, path, &whole);
    assert_eq!(after.items().count(), before.items().count() + 1, "{path}: {whole}");
    let new = after.items().last().unwrap();
    assert_eq!(self::fields(new).statement().trim(), fields.statement().trim(), "{whole}");
}

/// Items in a few lines each.
pub(crate) fn shown(document: &Document) -> String {
    let mut out = String::new();
    for item in document.items() {
        let content: Map<String, Value> = item
            .content
            .iter()
            .filter(|(key, _)| *key != "id")
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        out.push_str(&format!(
            "{} {} {:?}\n  {}\n",
            item.kind,
            item.name,
            item.standing,
            Value::Object(content)
        ));
        if !item.evidence.is_empty() {
            out.push_str(&format!("  rests on {}\n", item.evidence.join(" ")));
        }
        for (relation, to) in &item.ties {
            out.push_str(&format!("  {relation} {to}\n"));
        }
        for seen in &item.observed {
            let side = if seen.side == Side::For { "for" } else { "against" };
            out.push_str(&format!("  {} {side} {} ({})\n", seen.source, seen.weight, seen.reason));
        }
    }
    for note in &document.notes {
        out.push_str(&format!("! {note}\n"));
    }
    for why in &document.broken {
        out.push_str(&format!("broken: {why}\n"));
    }
    out
}

// What decapod 0.47.10 wrote itself.
#[test]
fn the_events_of_the_graph_are_replayed() {
    let document = read(decapod(), FEDERATION, &sample("data/federation.events.jsonl"));
    expect![[r#"
        experience F_01M7GVEA4XZMKZMRK5ZJB4N989 Current
          {"attributes":{"confidence":"agent_inferred","dir_path":"[path]"},"severity":7.0,"severity_word":"notable","source":{"agent":"decapod"},"statement":"Every line carries a signature.","subtype":"decision","title":"Log lines are signed"}
          rests on commit:b4418d6c6996aab620777b1a2e0db98318b043f3
        lesson F_01M7GVED64D5PDEFTDBMT0605M Current
          {"attributes":{"confidence":"agent_inferred","dir_path":"[path]"},"severity":2.0,"severity_word":"background","source":{"agent":"decapod"},"statement":"A lock file without a pid and a time is never freed.","tags":["locks","files"],"title":"Locks leak"}
          rests on test:tests/locks.rs:4
          relates_to F_01M7GVEA4XZMKZMRK5ZJB4N989
        experience F_01M7GVEG6SFESSE2ZXS7E2NZZS Current
          {"attributes":{"confidence":"agent_inferred","dir_path":"[path]","disputed":"only in chat","node_type":"preference"},"scope":"global","severity":7.0,"severity_word":"notable","source":{"agent":"decapod"},"statement":"Prefers short messages","subtype":"convention","title":"Prefers short messages"}
          rests on transcript:event:chat-12
        entity F_01M7GVEK7TDXT7RDZWQPWSHX2H Current
          {"attributes":{"confidence":"agent_inferred","dir_path":"[path]","node_type":"person","priority":"notable"},"description":"Owns the parser.","name":"Grace","source":{"agent":"decapod"}}
        observation F_01M7GVEP8AGS4109YZ4FCJ1FE6 Archived("it is done")
          {"attributes":{"confidence":"agent_inferred","dir_path":"[path]"},"severity":7.0,"severity_word":"notable","source":{"agent":"decapod"},"statement":"The migration stops at step 3.","subtype":"handoff","title":"Half done"}
          rests on test:make
          depends_on F_01M7GVED64D5PDEFTDBMT0605M
        experience F_01M7GVFQXH607MWFJ4H24PH5CV SupersededBy("F_01M7GVEA4XZMKZMRK5ZJB4N989")
          {"attributes":{"confidence":"agent_inferred","dir_path":"[path]","node_type":"commitment"},"severity":7.0,"severity_word":"notable","source":{"agent":"decapod"},"statement":"For two years.","subtype":"decision","title":"The log stays"}
          rests on commit:b4418d6c6996aab620777b1a2e0db98318b043f3
    "#]].assert_eq(&shown(&document));
}

#[test]
fn the_seed_layout_is_read() {
    let mut out = String::new();
    for path in [
        "semantic/v1/entities/entity.service.cart.jsonl",
        "semantic/v1/relationships/relationship.cart.stock.jsonl",
        "procedural/v1/commit_norms/norm.commit.001.jsonl",
        "procedural/v1/risk_tiers/norm.risk.high.jsonl",
        "episodic/v1/friction_ledger.jsonl",
    ] {
        let document = read(decapod(), path, &sample(&format!("seed/{path}")));
        out.push_str(&shown(&document));
    }
    expect![[r#"
        entity entity.service.cart Current
          {"anchors":["src/cart.rs"],"attributes":{"owner":{"team":"checkout"}},"description":"Holds the carts of all shops; `src/cart.rs`.","name":"Cart service"}
          rests on doc:docs/cart.md commit:abc123def
        relationship relationship.cart.stock Current
          {"from":"cart","relation":"asks","to":"stock"}
          rests on pr:12
        commit_norm norm.commit.001 Current
          {"attributes":{"enforcement":{"gate":"ci","level":3},"examples":{"bad":"wip","good":"feat: add login"},"provenance":[{"cited_at":1700000001,"cited_by":"ada","evidence_ref":"xyz789","evidence_type":"commit"}],"types":["feat","fix"]},"exceptions":["docs-only"],"rule":"Use Conventional Commits.","title":"Conventional commits"}
          rests on test:tests/lint.rs
        ! norm.commit.001: `examples` cannot be converted; it is kept in attributes
        ! norm.commit.001: `xyz789` is no commit that we can cite; it is kept in attributes
        risk_tier norm.risk.high Current
          {"attributes":{"schema_version":"1.2.0","tiers":{"high":{"reviewers":3}}},"enforcement":"PR blocked if no tier is assigned","rule":"Changes of the login are high risk.","title":"Login"}
          rests on doc:docs/risk.md
        friction friction.001 Current
          {"attributes":{"actor":"ada"},"context":{"command":"cargo test","error":"linker failed","minutes":12},"statement":"tool_error: cargo test; linker failed","subtype":"tool_error"}
        friction friction.002 Current
          {"attributes":{"actor":"ada"},"context":{"why":"the rule changed"},"statement":"redo: the rule changed","subtype":"redo"}
        signal friction.003 Current
          {"attributes":{"actor":"grace"},"context":{"why":"tired"},"statement":"yawn: tired","subtype":"yawn"}
        ! line 4: `yawn` is no kind of friction that Decapod has; it is kept as a signal
        broken: line 3 is not JSON; it is kept unchanged
        broken: line 5 is truncated; it is kept unchanged
    "#]].assert_eq(&out);
}

// Traps 3 and 5: a row's provenance is cited, and its folder is no business of ours.
#[test]
fn rows_of_the_database_are_read() {
    let rows = [
        json!({"id": "retry-jitter", "title": "Retry", "content": "Retries stampede; `src/net.rs`.", "provenance": "commit:b4418d6c", "claim_id": null, "tags": "net, a b!c", "created_at": "1700000000Z", "updated_at": "1700000000Z", "dir_path": "/home/ada/project/.decapod/data", "scope": "root", "status": "active", "merge_key": "retry", "supersedes_id": "old", "ttl_policy": "decay", "expires_ts": "1800000000Z"}),
        json!({"id": "old", "title": "Retry at once", "content": "Retry at once.", "provenance": "file:tests/net.rs#L3-L9", "tags": "decision", "status": "superseded", "ttl_policy": "persistent", "mood": {"a": [1]}}),
        json!({"id": "procedural/commit-atomic", "title": "Atomic", "content": "One change each.", "provenance": "event:01M7GVE149TWNHHMWD61KFABEV", "status": "stale"}),
        json!({"id": "odd", "content": "Seen.", "provenance": "url:https://example.org/pull/12", "status": "asleep"}),
        json!({"id": "odder", "content": "Seen as well.", "provenance": "a hunch"}),
        json!({"id": "old", "content": "Again."}),
        json!({"id": "long", "left_out": "the row has 9 bytes; at most 8 are read"}),
    ];
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let document = read(decapod(), ROWS, &text);
    expect![[r#"
        lesson retry-jitter Current
          {"anchors":["src/net.rs"],"attributes":{"dir_path":"[path]","expires_ts":"1800000000Z","merge_key":"retry","scope":"root","ttl_policy":"decay"},"decay_class":"stable","statement":"Retries stampede; `src/net.rs`.","tags":["net"],"title":"Retry"}
          rests on commit:b4418d6c
          supersedes old
        experience old SupersededBy("retry-jitter")
          {"attributes":{"mood":{"a":[1]},"ttl_policy":"persistent"},"decay_class":"permanent","statement":"Retry at once.","subtype":"decision","tags":["decision"],"title":"Retry at once"}
          rests on test:tests/net.rs:3-9
        commit_norm procedural/commit-atomic Archived("stale")
          {"attributes":{"id":"procedural/commit-atomic"},"decay_class":"permanent","rule":"One change each.","title":"Atomic"}
          rests on transcript:event:01M7GVE149TWNHHMWD61KFABEV
        lesson odd Current
          {"attributes":{"status":"asleep"},"decay_class":"permanent","statement":"Seen."}
          rests on pr:https://example.org/pull/12
        lesson odder Current
          {"attributes":{"provenance":"a hunch"},"decay_class":"permanent","statement":"Seen as well."}
        ! line 1: a tag is left out, and the file keeps it: "a b!c" contains '!'; a tag has letters, digits, `_ . + # @ :` and `/` to nest
        ! line 2: `mood` is a column that Decapod does not have; it is kept
        ! line 4: `asleep` is no status that Decapod has; it is kept
        ! line 5: its provenance has no form that we can cite; it is kept in attributes
        ! line 6: `old` occurs twice; the first counts
        ! line 7: `long` is left out: the row has 9 bytes; at most 8 are read
    "#]].assert_eq(&shown(&document));
}

#[test]
fn rows_that_the_program_wrote() {
    let document = read(decapod(), ROWS, &sample("data/knowledge.db.jsonl"));
    expect![[r#"
        experience decision/sqlite Current
          {"attributes":{"dir_path":"[path]","id":"decision/sqlite","scope":"root","ttl_policy":"persistent"},"decay_class":"permanent","detail":"One file, no server. It holds a million rows. It can be rebuilt. We measured it twice.","statement":"One file, no server. It holds a million rows. It can be rebuilt.","subtype":"decision","title":"SQLite for the index"}
          rests on doc:docs/adr/7.md:3-9
        lesson odd-one Current
          {"attributes":{"dir_path":"[path]","scope":"root","ttl_policy":"persistent"},"decay_class":"permanent","statement":"Seen on the web.","title":"Where it was seen"}
          rests on pr:https://example.org/pull/12
        commit_norm procedural/commit-atomic Current
          {"attributes":{"dir_path":"[path]","id":"procedural/commit-atomic","scope":"root","ttl_policy":"persistent"},"decay_class":"permanent","rule":"Each commit is one complete change.","title":"Atomic commits"}
          rests on transcript:event:01M7GVE149TWNHHMWD61KFABEV
        lesson retry-jitter Current
          {"anchors":["src/net.rs"],"attributes":{"dir_path":"[path]","scope":"root","ttl_policy":"persistent"},"decay_class":"permanent","statement":"Retries without jitter stampede; `src/net.rs` adds a random delay.","title":"Retry with jitter"}
          rests on commit:b4418d6c6996aab620777b1a2e0db98318b043f3
    "#]].assert_eq(&shown(&document));
}

#[test]
fn a_byte_order_mark_is_kept() {
    let text = format!("\u{feff}{}", sample("data/federation.events.jsonl").replace('\n', "\r\n"));
    assert_eq!(read(decapod(), FEDERATION, &text).items().count(), 6);
    change_each(decapod(), FEDERATION, &text, "title", "Another title");
}

#[test]
fn ledgers_and_what_is_derived_are_kept_whole() {
    let promotions = sample("data/knowledge.promotions.jsonl") + "{\"event_id\":\"01";
    let cases = [
        ("data/knowledge.promotions.jsonl", promotions, Role::Other, 1),
        ("data/broker.events.jsonl", sample("data/broker.events.jsonl"), Role::Other, 1),
        ("data/federation/_index.md", sample("data/federation/_index.md"), Role::Derived, 0),
        ("data/federation/_graph.json", sample("data/federation/_graph.json"), Role::Derived, 0),
    ];
    for (path, text, role, notes) in cases {
        let document = read(decapod(), path, &text);
        assert_eq!((document.role, document.notes.len()), (role, notes), "{path}: {:?}", document.notes);
        assert_eq!(document.broken.len(), usize::from(text.ends_with("01")), "{path}");
        assert_eq!(document.items().count(), 0);
    }
}

// The program itself wrote the sample; we write the same.
#[test]
fn a_line_of_the_promotion_ledger() {
    let sample = sample("data/knowledge.promotions.jsonl");
    let wanted: Value = serde_json::from_str(sample.trim()).unwrap();
    let word = |key: &str| wanted[key].as_str().unwrap();
    let commit = wanted["evidence_refs"][0].as_str().unwrap();
    let evidence = [" file:docs/adr/7.md ", commit, " ", commit].map(str::to_owned);
    let ts = Millis(word("ts").trim_end_matches('Z').parse::<i64>().unwrap() * 1000);
    let line = ken_formats::promotion_line(
        word("event_id"),
        ts,
        word("source_entry_id"),
        &evidence,
        word("approved_by"),
        word("actor"),
        word("reason"),
    );
    assert_eq!(line, sample);
}

// Trap 3: a change adds a line; nothing that was cited is lost.
#[test]
fn a_seed_entry_grows_by_a_line() {
    let text = sample("seed/procedural/v1/commit_norms/norm.commit.001.jsonl");
    let document = decapod().read(NORM, &text);
    let item = document.items().next().unwrap();
    let mut after = fields(item);
    after.rule = Some("Use Conventional Commits, always.".to_owned());
    let citation = Citation {
        evidence_type: EvidenceType::Commit,
        evidence_ref: "beef1234".to_owned(),
        cited_by: "grace".to_owned(),
        cited_at: 1_750_000_000,
        unverified: false,
        withdrawn: false,
    };
    let mut now = outgoing(item, &after, &["rule", "citations", "status"]);
    now.citations = vec![&citation];
    now.status = Status::Superseded;
    now.superseded_by = Some("norm.commit.002".to_owned());
    let with = decapod().rewrite(Place { path: NORM, text: &text, name: &item.name }, &now);
    let new = with.text.unwrap();
    assert!(new.starts_with(&text));
    assert_eq!(new.lines().count(), 2);
    expect![[r#"{"enforcement":{"gate":"ci","level":3},"examples":{"bad":"wip","good":"feat: add login"},"exceptions":["docs-only"],"id":"norm.commit.001","provenance":[{"cited_at":1700000001,"cited_by":"ada","evidence_ref":"xyz789","evidence_type":"commit"},{"cited_at":1700000002,"cited_by":"ada","evidence_ref":"tests/lint.rs","evidence_type":"test"},{"cited_at":1750000000,"cited_by":"grace","evidence_ref":"beef1234","evidence_type":"commit"}],"rule":"Use Conventional Commits, always.","schema_version":"1.0.0","status":"superseded","superseded_by":"norm.commit.002","title":"Conventional commits","type":"commit_norm","types":["feat","fix"]}"#]].assert_eq(new.lines().last().unwrap());
    let again = read(decapod(), NORM, &new);
    let found = again.items().next().unwrap();
    assert_eq!(found.evidence, ["test:tests/lint.rs", "commit:beef1234"]);
    assert_eq!(found.standing, Standing::SupersededBy("norm.commit.002".to_owned()));
    assert_eq!(found.content["attributes"], item.content["attributes"]);
}

// A critical node is never edited.
#[test]
fn a_decision_of_the_graph_is_superseded() {
    let text = sample("data/federation.events.jsonl");
    let document = decapod().read(FEDERATION, &text);
    let item = document.items().find(|item| item.content["subtype"] == "decision").unwrap();
    let mut after = fields(item);
    after.statement = Some("Every line carries a signature and a time.".to_owned());
    let now = outgoing(item, &after, &["statement"]);
    let with = decapod().rewrite(Place { path: FEDERATION, text: &item.text, name: &item.name }, &now);
    let events: Vec<Value> =
        with.appended[0].text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["node.create", "node.supersede"]);
    assert_eq!(events[1]["payload"]["new_id"], events[0]["node_id"]);
    assert_eq!(events[0]["ts"], "1800000000Z");
}

#[test]
fn where_a_new_entry_goes() {
    let fields = Fields { statement: Some("Locks leak.".to_owned()), ..Fields::default() };
    let lesson = Item::new(Type::Lesson, "les-locks", "");
    let norm = Item::new(Type::CommitNorm, "norm.commit.7", "");
    let friction = Item::new(Type::Friction, "f1", "");
    let paths = |list: &[&str]| list.iter().map(|path| (*path).to_owned()).collect::<BTreeSet<_>>();
    let cases = [
        (&lesson, paths(&[]), ".decapod/knowledge/semantic/v1/lessons/lesson.les-locks.jsonl"),
        (&norm, paths(&["procedural/v1/x.jsonl"]), "procedural/v1/commit_norms/norm.commit.7.jsonl"),
        (
            &norm,
            paths(&["a/.decapod/data/x.db"]),
            "a/.decapod/knowledge/procedural/v1/commit_norms/norm.commit.7.jsonl",
        ),
        (
            &lesson,
            paths(&["semantic/v1/lessons/lesson.les-locks.jsonl"]),
            "semantic/v1/lessons/lesson.les-locks-2.jsonl",
        ),
        (&friction, paths(&[]), ".decapod/knowledge/episodic/v1/friction_ledger.jsonl"),
    ];
    for (item, paths, expected) in cases {
        let known = store_facts(&paths, "shop", Millis(0));
        assert_eq!(decapod().path_for(&outgoing(item, &fields, &[]), &known).as_deref(), Some(expected));
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Texts as they come: good ones, odd ones, places on a machine.
pub(crate) fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "lesson", "entity", "commit_norm", "active", "superseded", "critical", "notable", "F_1", "F_2", "e1", "e2",
            "One. Two. Three. Four.", "See `src/a.rs:9-4` and `src/b.rs`.", "/home/ada/x/y.rs", "in /Users/ada/x it is",
            "commit:abc123", "file:tests/a.rs#L3", "1700000000Z", "2026-02-11T09:00:00Z", "thread", "global", "", " ",
            "stable", "skill", "positive", "decision", "tool_error", "mechanical", "\u{0}nul", "a\r\nb", "# Title\n\nBody.",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

/// An object with some of these keys, and others.
pub(crate) fn object(keys: &'static [&'static str]) -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![3 => word().prop_map(Value::from), 1 => json_value()];
    let key =
        prop_oneof![9 => prop::sample::select(keys.to_vec()).prop_map(str::to_owned), 1 => "[a-z_]{1,9}"];
    prop::collection::btree_map(key, value, 0..14).prop_map(|map| map.into_iter().collect())
}

const SEED: &[&str] = &[
    "id",
    "type",
    "schema_version",
    "name",
    "title",
    "description",
    "statement",
    "rule",
    "detail",
    "provenance",
    "tags",
    "domains",
    "scope",
    "thread",
    "status",
    "superseded_by",
    "enforcement",
    "examples",
    "verification",
    "anchors",
    "attributes",
    "links",
    "from",
    "relation",
    "to",
    "severity",
    "subtype",
    "context",
    "ts",
    "depends_on",
];
const EVENT: &[&str] = &[
    "title",
    "node_type",
    "priority",
    "confidence",
    "body",
    "sources",
    "tags",
    "scope",
    "dir_path",
    "new_id",
    "old_id",
    "source_id",
    "target_id",
    "edge_type",
    "edge_id",
    "source",
    "reason",
];
const ROW: &[&str] = &[
    "id",
    "title",
    "content",
    "provenance",
    "claim_id",
    "tags",
    "created_at",
    "updated_at",
    "dir_path",
    "scope",
    "status",
    "merge_key",
    "supersedes_id",
    "ttl_policy",
    "expires_ts",
];

fn federation_line() -> impl Strategy<Value = Value> {
    let kinds = vec![
        "node.create",
        "node.create",
        "node.create",
        "node.edit",
        "node.supersede",
        "node.deprecate",
        "node.dispute",
        "edge.add",
        "edge.remove",
        "source.add",
        "node.sing",
    ];
    (prop::sample::select(kinds), prop::sample::select(vec!["F_1", "F_2", "F_3"]), object(EVENT)).prop_map(
        |(kind, node, payload)| json!({"event_type": kind, "node_id": node, "payload": payload, "ts": "1700000000Z"}),
    )
}

fn file() -> impl Strategy<Value = (&'static str, String)> {
    let lines = |line: BoxedStrategy<String>| {
        (prop::collection::vec(line, 0..8), prop::sample::select(vec!["\n", "\r\n"]), any::<bool>()).prop_map(
            |(lines, end, is_ended)| {
                let text = lines.join(end);
                if is_ended && !text.is_empty() { text + end } else { text }
            },
        )
    };
    let seed = object(SEED).prop_map(|map| Value::Object(map).to_string()).boxed();
    let row = object(ROW).prop_map(|map| Value::Object(map).to_string()).boxed();
    let event = federation_line().prop_map(|event| event.to_string()).boxed();
    prop_oneof![
        (prop::sample::select(vec![NORM, ENTITY, LESSON, FRICTION]), lines(seed)),
        (Just(ROWS), lines(row)),
        (Just(FEDERATION), lines(event)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_kept(path in prop::sample::select(PATHS.to_vec()), text in any::<String>()) {
        read(decapod(), path, &text);
    }

    #[test]
    fn any_file_is_understood_or_kept((path, text) in file()) {
        read(decapod(), path, &text);
    }

    #[test]
    fn a_change_changes_that_alone(
        (path, text) in file(),
        (field, value) in prop::sample::select(vec![
            ("title", "Another title"),
            ("statement", "Locks leak in `src/lock.rs`."),
            ("statement", "One. Two. Three. Four."),
            ("detail", "All of it, at length."),
            ("tags", "locks"),
        ]),
    ) {
        change_each(decapod(), path, &text, field, value);
    }

    #[test]
    fn what_is_put_away_says_what_it_said((path, text) in file()) {
        archive_each(decapod(), path, &text);
    }

    #[test]
    fn an_entry_more(
        (path, text) in file().prop_filter("rows live in a database", |(path, _)| *path != ROWS),
        statement in "[A-Za-z`. ]{0,20}[a-z]\\.( [A-Z][a-z\n]{2,9}\\.){0,5}",
        detail in prop::option::of("[A-Z][a-z ]{3,30}\\."),
    ) {
        let fields = Fields { statement: Some(statement), detail, title: Some("New".to_owned()), ..Fields::default() };
        match path {
            FRICTION => {
                let fields = Fields { subtype: Some("redo".to_owned()), ..fields };
                insert_one(decapod(), path, Some(&text), &fields, Type::Friction);
            }
            FEDERATION => {
                let fields = Fields { detail: None, ..fields };
                let (short, _) = ken_formats::prose::claim(fields.statement.as_deref().unwrap());
                let fields = Fields { statement: Some(short), ..fields };
                insert_one(decapod(), path, Some(&text), &fields, Type::Lesson);
            }
            _ => insert_one(decapod(), path, None, &fields, Type::Lesson),
        }
    }
}

#[test]
fn relations_of_the_graph_are_ties() {
    let document = decapod().read(FEDERATION, &sample("data/federation.events.jsonl"));
    let ties: BTreeSet<Relation> =
        document.items().flat_map(|item| item.ties.iter().map(|(r, _)| *r)).collect();
    assert_eq!(ties, BTreeSet::from([Relation::RelatesTo, Relation::DependsOn]));
}
