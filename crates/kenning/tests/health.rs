//! What an index tells of a whole store is what its entries say (HEA-1, FRI-1, DIG-2).

use crate::verbs::Verbs as _;
use ken_engine::upkeep::slowly;
use ken_engine::{Episode, UpkeepEntry};
use kenning::core::drift::Subject;
use kenning::core::run::Agent;
use kenning::core::{Millis, OverlayChange, Type};
use kenning::{AddInput, Caller, Channel, OnAbsent, Options, Reach, ReviewSubject, SignalInput};
use serde_json::{Value, json};

const NOW: i64 = 1_767_323_045_000;
const DAY: i64 = 86_400_000;

fn open(folder: &std::path::Path, day: i64) -> Reach {
    let mut options = Options::at(folder);
    options.no_model = true;
    let now = Millis(NOW + day * DAY);
    kenning::open_for(options, Caller::new("human:Ada", now, Channel::Library)).unwrap()
}

fn add(ken: &mut Reach, kind: &str, content: Value, draft: bool) -> String {
    let Value::Object(content) = content else { panic!("an object") };
    let mut input = AddInput {
        kind: Some(kind.to_owned()),
        content,
        draft,
        on_absent: OnAbsent::Gap,
        ..AddInput::default()
    };
    if !draft {
        input.evidence.push("pr:1".to_owned());
    }
    ken.add(input).unwrap().id
}

fn lesson(ken: &mut Reach, kind: &str, word: &str, reviewer: &str) -> String {
    let content = json!({
        "statement": format!("Be careful with {word}."),
        "anchors": [format!("src/{word}.rs")],
        "verification": ["look"],
        "reviewer": reviewer,
    });
    add(ken, kind, content, false)
}

#[test]
fn hea_1_the_columns_of_the_index_say_what_the_entries_say() {
    let folder = tempfile::tempdir().unwrap();
    kenning::init(folder.path(), Default::default()).unwrap();
    let mut ken = open(folder.path(), 0);
    let pools = lesson(&mut ken, "lesson", "pools", "security");
    let locks = lesson(&mut ken, "pattern", "locks", "security");
    let ports = lesson(&mut ken, "false_positive", "ports", "reliability");
    add(&mut ken, "lesson", json!({"statement": "Nobody knows where this comes from."}), true);
    let one = add(&mut ken, "commit_norm", json!({"rule": "Commits say why."}), false);
    let two = add(&mut ken, "commit_norm", json!({"rule": "Commits never say why."}), false);
    ken.link(&one, "contradicts", &two, false).unwrap();
    ken.lay(&locks, OverlayChange::Muted { reason: String::new() }).unwrap();
    ken.retract(&ports, "wrong").unwrap();
    let agent = |name: &str| Agent { name: name.to_owned(), role: None, family: None };
    let subject = ReviewSubject::Summary("Be careful with pools.".to_owned());
    let run = ken.review_start(vec![agent("a"), agent("b")], &subject, None, None).unwrap().run;
    ken.review_complete(&run).unwrap();
    ken.friction("redo", json!({"cause": "merge", "minutes": 3})).unwrap();
    ken.friction("redo", json!({"cause": "merge", "minutes": 3})).unwrap();
    let said = SignalInput {
        kind: Some("Struggle".into()),
        tags: vec!["ci".into(), "cache".into()],
        ..SignalInput::default()
    };
    ken.note_signal("The cache was cold.", &said).unwrap();
    ken.confirm(&one, "read again").unwrap();
    drop(ken);
    // Once as it was written, and once as it is read from the files.
    for again in [false, true] {
        let mut ken = open(folder.path(), 100);
        if again {
            ken.ledger.snapshot_mut().rebuild().unwrap();
        }
        let store = &mut ken.ledger;
        let tended: Vec<UpkeepEntry> = store.tended().unwrap();
        assert_eq!(tended, slowly::tended(store.projection()).unwrap());
        assert_eq!(tended.iter().filter(|one| one.has_gaps).count(), 1);
        assert_eq!(tended.iter().filter(|one| one.hidden).count(), 1);
        let injections = store.injections().unwrap();
        assert_eq!(injections, slowly::injections(store.projection()).unwrap());
        assert_eq!(injections.len(), 1, "{injections:?}");
        assert_eq!(store.delivered().unwrap(), slowly::delivered(store.projection()).unwrap());
        assert_eq!(store.places().unwrap(), slowly::places(store.projection()).unwrap());
        for reviewer in [None, Some("security"), Some("nobody")] {
            let sorted = |mut all: Vec<Subject>| {
                all.sort_by_key(|subject| subject.key);
                all
            };
            let drifting = sorted(store.drifting(reviewer).unwrap());
            assert_eq!(
                drifting,
                sorted(slowly::drifting(store.projection(), reviewer).unwrap()),
                "{reviewer:?}"
            );
        }
        for since in [Millis(0), Millis::parse("2026-01-02").unwrap(), Millis(i64::MAX / 2_000_000)] {
            assert_eq!(store.changes(since).unwrap(), slowly::changes(store.projection(), since).unwrap());
        }
        for (kind, count) in [(Type::Friction, 2), (Type::Signal, 1)] {
            for since in [None, Some(Millis(NOW)), Some(Millis(NOW + DAY))] {
                let episodes: Vec<Episode> = store.episodes(kind, since, None).unwrap();
                assert_eq!(episodes, slowly::episodes(store.projection(), kind, since, None).unwrap());
                assert_eq!(episodes.len(), if since == Some(Millis(NOW + DAY)) { 0 } else { count });
            }
        }
        let report = ken.health_report().unwrap();
        assert_eq!((report.counts.entries, report.counts.handed_out), (6, 4));
        assert_eq!((report.gaps.count, report.gaps.percent), (1, 25));
        assert_eq!(report.contradictions.count, 1);
        assert_eq!(report.staleness.stale, 2, "{report:?}");
        assert_eq!(report.debt.near + report.debt.over, 0);
        let drift = ken.drift(None).unwrap().drift.store.unwrap();
        assert_eq!(report.drift.stale, drift.signals.stale.len());
        assert_eq!(report.drift.orphaned, Some(drift.signals.orphaned.len()));
        assert_eq!(report.drift.recommendation, drift.recommendation);
    }
    assert!(!pools.is_empty());
}

#[test]
fn fri_1_a_megabyte_of_context_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    kenning::init(folder.path(), Default::default()).unwrap();
    let mut ken = open(folder.path(), 0);
    let refused = ken.friction("redo", json!({"log": "x ".repeat(500_000)})).unwrap_err().to_string();
    assert!(refused.contains("at most 65536"), "{refused}");
    assert!(ken.ledger.episodes(Type::Friction, None, None).unwrap().is_empty());
}
