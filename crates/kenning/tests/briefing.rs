//! A briefing that nobody asked for keeps to the cap of REV-5, and is remembered as injected.

use crate::verbs::Verbs as _;
use ken_core::decide::Authority;
use std::path::Path;
use std::sync::Arc;

use kenning::core::{Body, Intent, Millis, OverlayChange, ReplicaId, RunEvent, place};
use kenning::{AddInput, Caller, Channel, CloneState, Options, Purged, Reach, RecordKind, Writer};
use serde_json::json;

const NOW: Millis = Millis(1_767_323_045_000);

fn open(folder: &std::path::Path) -> Reach {
    open_in_run(folder, "session-1")
}

fn open_in_run(folder: &std::path::Path, run: &str) -> Reach {
    let mut options = Options::at(folder);
    options.no_model = true;
    let caller = Caller::new("agent:codex", NOW, Channel::Library);
    kenning::open_for(options, caller.in_run(Some(run.to_owned()), None).unwrap()).unwrap()
}

#[test]
fn rev_5_a_briefing_takes_its_part_of_the_cap_and_no_more() {
    let folder = project();
    let mut earlier = open_in_run(folder.path(), "session-0");
    for word in ["jitter", "pools", "sockets", "queues", "ports", "locks", "clocks"] {
        let id = add(&mut earlier, word);
        earlier.lay(&id, OverlayChange::Pinned { reason: String::new() }).unwrap();
    }
    drop(earlier);
    let mut ken = open(folder.path());
    let injected = |ken: &mut Reach| {
        let seen = kenning::ops::run::injected_into(ken.ledger.projection(), "session-1", "codex").unwrap();
        assert!(seen.len() <= 5, "the cap is five");
        seen.len()
    };
    let first = ken.brief_for_injection(500, 2, &[]).unwrap();
    assert_eq!((first.entries.len(), injected(&mut ken)), (2, 2));
    assert!(first.text.contains("Be careful with"), "{}", first.text);
    // The same again costs nothing, and a further two are two more at most.
    let again = ken.brief_for_injection(500, 0, &[]).unwrap();
    assert_eq!((again.entries.clone(), injected(&mut ken)), (first.entries.clone(), 2));
    ken.brief_for_injection(500, 9, &[]).unwrap();
    assert_eq!(injected(&mut ken), 5);
    let last = ken.brief_for_injection(500, 9, &[]).unwrap();
    assert_eq!((last.entries.len(), injected(&mut ken)), (5, 5));
    let seen = kenning::ops::run::injected_into(ken.ledger.projection(), "session-1", "codex").unwrap();
    assert!(last.entries.iter().all(|key| seen.contains(key)));
    // Who asks gets more: the cap is on what nobody asked for.
    assert_eq!(ken.brief_whole().unwrap().entries.len(), 7);
}

#[test]
fn cor_26_a_briefing_that_nobody_asked_for_quotes_nothing_its_own_session_wrote() {
    let folder = project();
    let mut earlier = open_in_run(folder.path(), "session-0");
    let ids = ["jitter", "pools"].map(|word| add(&mut earlier, word));
    for id in &ids {
        earlier.lay(id, OverlayChange::Pinned { reason: String::new() }).unwrap();
    }
    assert!(earlier.brief_for_injection(500, 5, &[]).unwrap().entries.is_empty());
    drop(earlier);
    let mut ken = open(folder.path());
    assert_eq!(ken.brief_for_injection(500, 5, &ids[..1]).unwrap().ids, ids[1..], "one was told already");
    assert_eq!(ken.brief_for_injection(500, 5, &[]).unwrap().entries.len(), 2);
}

// With one pair in the queue, which contradict each other, `status` said that nothing waits.
#[test]
fn status_counts_what_waits_as_the_queue_does() {
    let folder = project();
    let mut ken = open(folder.path());
    for statement in ["Use yarn to install packages.", "Do not use yarn to install packages."] {
        let content = json!({"statement": statement, "anchors": ["src/net.rs"], "verification": ["look"]});
        let input = AddInput {
            kind: Some("lesson".to_owned()),
            content: content.as_object().unwrap().clone(),
            evidence: vec!["pr:1".to_owned()],
            ..AddInput::default()
        };
        ken.add(input).unwrap();
    }
    let waiting = ken.status().unwrap().standing.unwrap().waiting;
    let queue = ken.queue(9).unwrap();
    assert_eq!((queue.total, queue.counts().contradictions), (1, 1), "{queue:?}");
    assert_eq!((waiting.open, waiting.contradictions), (1, 1), "{waiting:?}");
    assert_eq!(ken.status().unwrap().next, "ken queue");
}

// A store whose one entry was stale was said to have no entries yet.
#[test]
fn a_briefing_tells_a_store_without_entries_in_use_from_an_empty_one() {
    let folder = project();
    let mut ken = open(folder.path());
    assert!(ken.brief_whole().unwrap().text.starts_with("This store has no entries yet."));
    let id = add(&mut ken, "jitter");
    ken.retract(&id, "it is wrong").unwrap();
    let text = ken.brief_whole().unwrap().text;
    assert!(text.starts_with("This store has no entries in use. 1 entry is stale"), "{text}");
}

#[test]
fn upk_5_a_briefing_is_kept_while_entries_are_read_and_made_anew_when_questions_fail() {
    let folder = project();
    let mut ken = open(folder.path());
    let id = add(&mut ken, "jitter");
    let mut brief = || {
        let answer = ken.brief_whole().unwrap();
        let rules: Vec<String> = answer.insights.into_iter().map(|insight| insight.rule).collect();
        (rules.join(" "), kept_brief(folder.path()))
    };
    let (nothing, first) = brief();
    assert_eq!(nothing, "");
    let mut other = open(folder.path());
    other.log(&id).unwrap();
    assert_eq!(brief().1, first, "reading changes nothing");
    let key = other.ledger.resolve(&id).unwrap()[0];
    for at in 0..3 {
        let missed = RunEvent::Missed { run: None, query: format!("what of {at}?"), similarity: 200 };
        let _file = place::runs_file(ReplicaId([1; 6]), NOW);
        let intent = Intent { entry: Some(key), body: Body::Run(missed) };
        let writer = Writer {
            actor: "agent:codex".to_owned(),
            now: NOW,
            authority: Authority::attended("human:Ada", false),
        };
        other.ledger.append(vec![intent], &writer).unwrap();
    }
    // A process that was open meanwhile learns of it when it is opened again.
    let mut ken = open(folder.path());
    assert_eq!(ken.brief_whole().unwrap().insights[0].rule, "coverage_gap");
    assert!(kept_brief(folder.path()).unwrap().contains(&id));
    // One that is damaged is made again.
    state_of(folder.path()).write(&RecordKind::Brief.record(), b"{").unwrap();
    assert_eq!(ken.brief_whole().unwrap().insights.len(), 1);
    let texts = [ken.headline(&id).unwrap().split('"').nth(1).unwrap().to_owned()];
    kenning::purge_state(&*state_of(folder.path()), Purged::Texts(&texts)).unwrap();
    assert_eq!(kept_brief(folder.path()), None, "what quotes an entry goes when the entry does");
}

fn state_of(folder: &Path) -> Arc<dyn CloneState> {
    kenning::state(&Options::at(folder)).unwrap()
}

fn kept_brief(folder: &Path) -> Option<String> {
    state_of(folder).text(&RecordKind::Brief.record())
}

/// A project with a store and the file that entries are anchored in.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/net.rs"), "fn retry() {}\n").unwrap();
    kenning::init(folder.path(), Default::default()).unwrap();
    folder
}

fn add(ken: &mut Reach, word: &str) -> String {
    let mut lesson = AddInput { kind: Some("lesson".into()), ..Default::default() };
    lesson.content.insert("statement".into(), format!("Be careful with {word}.").into());
    lesson.content.insert("anchors".into(), json!(["src/net.rs"]));
    lesson.content.insert("verification".into(), json!(["look"]));
    lesson.content.insert("domains".into(), json!([word]));
    lesson.evidence.push("pr:1".into());
    ken.add(lesson).unwrap().id
}
