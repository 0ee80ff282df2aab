//! FormicOS: what its events say to us, and that they stay what they are.

use expect_test::expect;
use ken_core::kinds::Status;
use ken_core::{Fields, Type};
use ken_formats::{Format, Item, Place, Standing, named};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::decapod::{archive_each, change_each, fields, insert_one, object, outgoing, rewritten, shown};
use crate::promises::read;

const PATH: &str = "events.jsonl";

fn formicos() -> &'static dyn Format {
    named("formicos").unwrap()
}

fn sample(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples/formicos/");
    std::fs::read_to_string(format!("{folder}{name}")).unwrap()
}

#[test]
fn events_are_replayed() {
    let document = read(formicos(), PATH, &sample("events.jsonl"));
    expect![[r#"
        skill mem-colony-7-s-0 Current
          {"anchors":["src/net.rs"],"attributes":{"conf_alpha":5.0,"conf_beta":5.0,"confidence":0.5,"merged_from":["mem-forager-0a1b2c3d4e5f"],"playbook_generation":"","scan_status":"safe","source_artifact_ids":[],"source_round":2,"status":"candidate","tool_refs":[],"trajectory_data":[],"workspace_id":"shop"},"decay_class":"ephemeral","domains":["net","http"],"polarity":"positive","scope":"project","source":{"run":"colony-7"},"statement":"Retries without jitter stampede: double the delay, and add a random part in `src/net.rs`.","subtype":"technique","summary":"When a call fails.","title":"Retry with jitter"}
          rests on transcript:colony:colony-7
          colony-8 for 1200 (colony_outcome)
          colony-9 against 1500 (colony_outcome)
        experience mem-colony-7-e-0 Current
          {"attributes":{"conf_alpha":5.0,"conf_beta":5.0,"confidence":0.5,"playbook_generation":"","scan_status":"safe","source_artifact_ids":[],"source_round":2,"status":"candidate","tool_refs":[],"trajectory_data":[],"workspace_id":"shop"},"decay_class":"stable","polarity":"negative","scope":"global","source":{"run":"colony-7"},"statement":"A lock without a pid is never freed.","subtype":"bug","title":"Locks leak without a pid"}
          rests on transcript:colony:colony-7
          agent_feedback_negative:10 against 1000 (agent_feedback_negative)
        skill mem-forager-0a1b2c3d4e5f SupersededBy("mem-colony-7-s-0")
          {"attributes":{"conf_alpha":5.0,"conf_beta":5.0,"confidence":0.5,"forager_provenance":{"quality_score":0.7,"source_domain":"example.org","source_url":"https://example.org/backoff"},"playbook_generation":"","scan_status":"safe","source_artifact_ids":[],"source_round":2,"status":"candidate","tool_refs":[],"trajectory_data":[],"workspace_id":"shop"},"decay_class":"ephemeral","polarity":"positive","source":{"page":"https://example.org/backoff","run":"colony-7"},"statement":"Double the delay up to a cap.","subtype":"pattern","title":"Backoff"}
          rests on doc:https://example.org/backoff transcript:colony:colony-7
        skill traj-colony-7 Archived("stale_sweep: unused for 90 days")
          {"attributes":{"conf_alpha":5.0,"conf_beta":5.0,"confidence":0.5,"playbook_generation":"","scan_status":"safe","source_artifact_ids":["[path]"],"source_round":2,"status":"verified","tool_refs":[],"trajectory_data":[{"agent_id":"a","round_number":1,"tool":"read"}],"workspace_id":"shop"},"decay_class":"permanent","domains":["io"],"polarity":"positive","scope":"thread","source":{"run":"colony-7"},"statement":"Read, then write.","subtype":"trajectory","thread":"checkout","title":"How it went"}
          rests on transcript:colony:colony-7
        ! line 23: `nobody` was never created; the line is kept unchanged
        ! 2 events of type `AntWaved` that FormicOS does not have; kept unchanged
        broken: line 24 is truncated; it is kept unchanged
    "#]].assert_eq(&shown(&document));
}

#[test]
fn events_of_its_table_are_replayed() {
    let document = read(formicos(), PATH, &sample("rows.jsonl"));
    expect![[r#"
        skill mem-colony-7-s-0 Current
          {"anchors":["src/net.rs"],"attributes":{"conf_alpha":5.0,"conf_beta":5.0,"confidence":0.5,"playbook_generation":"","scan_status":"safe","source_artifact_ids":[],"source_round":2,"status":"candidate","tool_refs":[],"trajectory_data":[],"workspace_id":"shop"},"decay_class":"ephemeral","domains":["http_clients","net"],"polarity":"positive","scope":"thread","source":{"run":"colony-7"},"statement":"Retries without jitter stampede. Add a random delay in `src/net.rs`.","subtype":"technique","summary":"When a call fails.","thread":"checkout","title":"Retry with jitter"}
          rests on transcript:colony:colony-7
        experience mem-colony-7-e-0 Current
          {"attributes":{"conf_alpha":5.0,"conf_beta":5.0,"confidence":0.5,"playbook_generation":"","scan_status":"safe","source_artifact_ids":[],"source_round":2,"status":"candidate","tool_refs":[],"trajectory_data":[],"workspace_id":"shop"},"decay_class":"stable","detail":"A lock without a pid is never freed. It stays. It blocks. Nobody sees it.","polarity":"negative","source":{"run":"colony-7"},"statement":"A lock without a pid is never freed. It stays. It blocks.","subtype":"bug","title":"Locks leak"}
          rests on transcript:colony:colony-7
    "#]].assert_eq(&shown(&document));
}

// What changed is said in events of its own, in the shape of the others.
#[test]
fn a_change_is_an_event_more() {
    let mut out = String::new();
    for name in ["events.jsonl", "rows.jsonl"] {
        let document = formicos().read(PATH, &sample(name));
        let item = document.items().next().unwrap();
        let mut after = fields(item);
        after.statement = Some("Jitter every retry.".to_owned());
        after.detail = None;
        let mut now = outgoing(
            item,
            &after,
            &["statement", "detail", "status", "decay_class", "belief", "scope", "polarity"],
        );
        now.status = Status::Superseded;
        now.superseded_by = Some("mem-2".to_owned());
        let with = formicos().rewrite(Place { path: PATH, text: &item.text, name: &item.name }, &now);
        assert_eq!(with.text.as_deref(), Some(&*item.text));
        assert_eq!(with.unsaid, ["polarity"]);
        out.push_str(&with.appended[0].text);
        let again = read(formicos(), PATH, &rewritten(&document, PATH, &item.name, &with));
        let found = again.items().find(|other| other.name == item.name).unwrap();
        assert_eq!(found.standing, Standing::SupersededBy("mem-2".to_owned()));
        assert_eq!(found.content["statement"], "Jitter every retry.");
        // What we believe is no observation.
        assert_eq!(found.observed, item.observed);
    }
    expect![[r#"
        {"seq":0,"type":"MemoryEntryRefined","timestamp":"2027-01-15T08:00:00.000Z","address":"shop/checkout/colony-7","trace_id":null,"entry_id":"mem-colony-7-s-0","old_content":"Retries without jitter stampede. Add a random delay in `src/net.rs`.","new_content":"Jitter every retry.","new_title":"","refinement_source":"operator","source_colony_id":"","workspace_id":"shop"}
        {"seq":0,"type":"MemoryEntryScopeChanged","timestamp":"2027-01-15T08:00:00.000Z","address":"shop/checkout/colony-7","trace_id":null,"entry_id":"mem-colony-7-s-0","old_thread_id":"checkout","new_thread_id":"","new_workspace_id":"shop","workspace_id":"shop"}
        {"seq":0,"type":"CRDTRegisterAssigned","timestamp":"2027-01-15T08:00:00.000Z","address":"shop/checkout/colony-7","trace_id":null,"entry_id":"mem-colony-7-s-0","instance_id":"kenning","field":"decay_class","value":"ephemeral","lww_timestamp":1800000000.0,"workspace_id":"shop"}
        {"seq":0,"type":"MemoryEntryStatusChanged","timestamp":"2027-01-15T08:00:00.000Z","address":"shop/checkout/colony-7","trace_id":null,"entry_id":"mem-colony-7-s-0","old_status":"candidate","new_status":"rejected","reason":"superseded_by:mem-2","workspace_id":"shop"}
        {"seq":0,"type":"MemoryConfidenceUpdated","timestamp":"2027-01-15T08:00:00.000Z","address":"shop/checkout/colony-7","trace_id":null,"entry_id":"mem-colony-7-s-0","colony_id":"","colony_succeeded":true,"old_alpha":5.0,"old_beta":5.0,"new_alpha":6.0,"new_beta":5.0,"new_confidence":0.5454545454545454,"thread_id":"","reason":"kenning_belief","workspace_id":"shop"}
        {"seq":0,"type":"MemoryEntryRefined","timestamp":"2027-01-15T08:00:00.000Z","address":"shop/checkout/colony-7","trace_id":null,"payload":"{\"entry_id\":\"mem-colony-7-s-0\",\"new_content\":\"Jitter every retry.\",\"new_title\":\"\",\"old_content\":\"Retries without jitter stampede. Add a random delay in `src/net.rs`.\",\"refinement_source\":\"operator\",\"source_colony_id\":\"\",\"workspace_id\":\"shop\"}"}
        {"seq":0,"type":"MemoryEntryScopeChanged","timestamp":"2027-01-15T08:00:00.000Z","address":"shop/checkout/colony-7","trace_id":null,"payload":"{\"entry_id\":\"mem-colony-7-s-0\",\"new_thread_id\":\"checkout\",\"new_workspace_id\":\"shop\",\"old_thread_id\":\"checkout\",\"workspace_id\":\"shop\"}"}
        {"seq":0,"type":"CRDTRegisterAssigned","timestamp":"2027-01-15T08:00:00.000Z","address":"shop/checkout/colony-7","trace_id":null,"payload":"{\"entry_id\":\"mem-colony-7-s-0\",\"field\":\"decay_class\",\"instance_id\":\"kenning\",\"lww_timestamp\":1800000000.0,\"value\":\"ephemeral\",\"workspace_id\":\"shop\"}"}
        {"seq":0,"type":"MemoryEntryStatusChanged","timestamp":"2027-01-15T08:00:00.000Z","address":"shop/checkout/colony-7","trace_id":null,"payload":"{\"entry_id\":\"mem-colony-7-s-0\",\"new_status\":\"rejected\",\"old_status\":\"candidate\",\"reason\":\"superseded_by:mem-2\",\"workspace_id\":\"shop\"}"}
        {"seq":0,"type":"MemoryConfidenceUpdated","timestamp":"2027-01-15T08:00:00.000Z","address":"shop/checkout/colony-7","trace_id":null,"payload":"{\"colony_id\":\"\",\"colony_succeeded\":true,\"entry_id\":\"mem-colony-7-s-0\",\"new_alpha\":6.0,\"new_beta\":5.0,\"new_confidence\":0.5454545454545454,\"old_alpha\":5.0,\"old_beta\":5.0,\"reason\":\"kenning_belief\",\"thread_id\":\"\",\"workspace_id\":\"shop\"}"}
    "#]].assert_eq(&out);
}

const ENTRY: &[&str] = &[
    "entry_type",
    "status",
    "polarity",
    "title",
    "content",
    "statement",
    "detail",
    "summary",
    "source_colony_id",
    "domains",
    "tags",
    "created_at",
    "thread_id",
    "scope",
    "decay_class",
    "sub_type",
    "forager_provenance",
    "conf_alpha",
];
const SAYS: &[&str] = &[
    "new_status",
    "reason",
    "new_thread_id",
    "old_thread_id",
    "new_workspace_id",
    "colony_id",
    "new_alpha",
    "old_alpha",
    "field",
    "element",
    "value",
    "new_content",
    "new_title",
    "source_id",
    "target_id",
    "merged_content",
    "merged_from",
    "merged_domains",
    "source_entry_ids",
    "distilled_entry_id",
    "action",
];

fn event() -> impl Strategy<Value = Value> {
    let kinds = vec![
        "MemoryEntryCreated",
        "MemoryEntryCreated",
        "MemoryEntryCreated",
        "MemoryEntryStatusChanged",
        "MemoryEntryScopeChanged",
        "MemoryConfidenceUpdated",
        "CRDTSetElementAdded",
        "CRDTRegisterAssigned",
        "CRDTCounterIncremented",
        "MemoryEntryRefined",
        "MemoryEntryMerged",
        "KnowledgeDistilled",
        "KnowledgeEntryOperatorAction",
        "KnowledgeAccessRecorded",
        "Unheard",
    ];
    let id = prop::sample::select(vec!["e1", "e2", "mem/3"]);
    (prop::sample::select(kinds), id, object(ENTRY), object(SAYS), 0..3_u8).prop_map(
        |(kind, id, mut entry, mut says, shape)| {
            if kind == "MemoryEntryCreated" {
                entry.insert("id".to_owned(), json!(id));
                says.clear();
                says.insert("entry".to_owned(), Value::Object(entry));
            } else {
                says.insert("entry_id".to_owned(), json!(id));
                says.insert("target_id".to_owned(), json!(id));
            }
            let mut event =
                json!({"seq": 1, "type": kind, "timestamp": "2026-03-01T00:00:00Z", "address": "a"});
            match shape {
                0 => event.as_object_mut().unwrap().extend(says),
                1 => event["payload"] = Value::Object(says),
                _ => event["payload"] = Value::from(Value::Object(says).to_string()),
            }
            event
        },
    )
}

fn log() -> impl Strategy<Value = String> {
    (prop::collection::vec(event(), 0..10), any::<bool>()).prop_map(|(events, is_ended)| {
        let text = events.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        if is_ended && !text.is_empty() { text + "\n" } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_kept(text in any::<String>()) {
        read(formicos(), PATH, &text);
    }

    #[test]
    fn any_log_is_understood_or_kept(text in log()) {
        read(formicos(), PATH, &text);
    }

    #[test]
    fn a_change_changes_that_alone(
        text in log(),
        (field, value) in prop::sample::select(vec![
            ("title", "Another title"),
            ("statement", "Locks leak in `src/lock.rs`."),
            ("detail", "All of it, at length."),
            ("domains", "locks"),
            ("decay_class", "permanent"),
            ("scope", "global"),
            ("tags", "locks"),
        ]),
    ) {
        change_each(formicos(), PATH, &text, field, value);
    }

    #[test]
    fn what_is_put_away_says_what_it_said(text in log()) {
        archive_each(formicos(), PATH, &text);
    }

    #[test]
    fn an_entry_more(
        text in log(),
        statement in "[A-Za-z`. ]{0,20}[a-z]\\.( [A-Z][a-z\n]{2,9}\\.){0,5}",
        detail in prop::option::of("[A-Z][a-z ]{3,30}\\."),
    ) {
        let fields = Fields { statement: Some(statement), detail, ..Fields::default() };
        insert_one(formicos(), PATH, Some(&text), &fields, Type::Skill);
        insert_one(formicos(), PATH, None, &fields, Type::Lesson);
    }
}

// Two entries of one colony share an id in this system; the later one counts, and nothing panics over it.
#[test]
fn an_entry_that_is_created_again() {
    let line = |content: &str| {
        format!(
            "{}\n",
            json!({"type": "MemoryEntryCreated", "entry": {"id": "mem-c-s-0", "content": content}})
        )
    };
    let text = line("First.") + &line("Second.");
    let document = read(formicos(), PATH, &text);
    let items: Vec<&Item> = document.items().collect();
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].content["statement"], "Second.");
    assert_eq!(items[0].content["decay_class"], "ephemeral");
    assert_eq!(document.notes, ["line 2: `mem-c-s-0` is created again; what it says now counts"]);
}
