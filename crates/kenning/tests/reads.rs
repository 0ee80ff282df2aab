//! What is read of a part of a store says what reading all of it says.

use crate::verbs::Verbs as _;
use std::fs;
use std::path::Path;

use ken_engine::log::{Bytes, Cursor, LoggedBatch};
use ken_engine::validity::Footing;
use ken_engine::{Glance, Overlaid, Query, Sort, Subject};
use kenning::core::event::Line;
use kenning::core::{Memory, Millis, OverlayChange};
use kenning::{AddInput, Caller, Channel, OnAbsent, Options, Reach};
use serde_json::{Value, json};

const NOW: i64 = 1_767_323_045_000;

fn open(folder: &Path) -> Reach {
    let mut options = Options::at(folder);
    options.no_model = true;
    kenning::open_for(options, Caller::new("human:Ada", Millis(NOW), Channel::Library)).unwrap()
}

fn add(ken: &mut Reach, kind: &str, content: Value, draft: bool) -> String {
    let Value::Object(content) = content else { panic!("an object") };
    let evidence = if draft { Vec::new() } else { vec!["pr:1".to_owned()] };
    let kind = Some(kind.to_owned());
    ken.add(AddInput { kind, content, evidence, draft, on_absent: OnAbsent::Gap, ..AddInput::default() })
        .unwrap()
        .id
}

fn lesson(ken: &mut Reach, word: &str) -> String {
    let content = json!({
        "statement": format!("Be careful with {word}."),
        "anchors": [format!("src/{word}.rs")],
        "verification": ["look"],
    });
    add(ken, "lesson", content, false)
}

#[test]
fn columns_say_what_entries_say() {
    let folder = tempfile::tempdir().unwrap();
    kenning::init(folder.path(), Default::default()).unwrap();
    let mut ken = open(folder.path());
    let pools = lesson(&mut ken, "pools");
    let locks = lesson(&mut ken, "locks");
    let ports = lesson(&mut ken, "ports");
    add(&mut ken, "lesson", json!({"statement": "Nobody knows where this comes from."}), true);
    let labelled = json!({
        "title": "Retry \"twice\"\nand no more",
        "statement": "Retry twice and no more.",
        "tags": ["network", "retry"],
        "domains": ["net/http"],
        "polarity": "negative",
        "decay_class": "ephemeral",
        "anchors": ["src/a \"quoted\" name.rs:1-2"],
        "depends_on": [pools.as_str()],
        "verification": ["look"],
        "thread": "migration",
    });
    add(&mut ken, "lesson", labelled, false);
    let one = add(&mut ken, "commit_norm", json!({"rule": "Commits say why."}), false);
    let two = add(&mut ken, "commit_norm", json!({"rule": "Commits never say why."}), false);
    ken.link(&one, "contradicts", &two, false).unwrap();
    ken.lay(&locks, OverlayChange::Muted { reason: String::new() }).unwrap();
    ken.retract(&ports, "wrong").unwrap();
    ken.confirm(&one, "read again").unwrap();
    ken.note("The cache was cold.", &["ci".to_owned()]).unwrap();
    drop(ken);
    for again in [false, true] {
        let mut ken = open(folder.path());
        if again {
            ken.ledger.snapshot_mut().rebuild().unwrap();
        }
        let store = &mut ken.ledger;
        let memories = vec![Memory::Semantic, Memory::Procedural];
        let every = Query { memories, all: true, overlaid: Overlaid::Any, ..Query::default() };
        let mut glances: Vec<Glance> = store.list(&every).unwrap().entries.iter().map(Glance::new).collect();
        glances.sort_by_key(|glance| glance.key);
        assert_eq!(*store.glances().unwrap(), glances);
        assert!(glances.iter().any(|one| one.polarity.is_some() && one.thread.is_some()));
        assert!(glances.iter().any(|one| !one.contradicts.is_empty()));
        let footing = store.footing().unwrap();
        assert_eq!(*footing, Footing::new(&store.subjects().unwrap()));
        assert_eq!((footing.conditional.len(), footing.unseen.is_empty()), (1, false));
        for subject in store.subjects().unwrap() {
            let stored = store.stored(subject.key).unwrap().unwrap();
            assert_eq!(format!("{subject:?}"), format!("{:?}", Subject::new(&stored)));
        }
        for query in [every, Query::default(), Query { sort: Sort::Id, all: true, ..Query::default() }] {
            let listed = store.list(&query).unwrap().entries;
            let keys: Vec<_> = listed.iter().map(|stored| stored.entry.key).collect();
            assert_eq!(store.keys(&query).unwrap(), keys);
        }
    }
}

/// Copies the ledger of a store, and nothing that its clone alone has.
fn copy_ledger(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (name, path) = (entry.file_name(), entry.path());
        match path.is_dir() {
            true if name == ".local" => {}
            true => copy_ledger(&path, &to.join(name)),
            false => drop(fs::copy(&path, to.join(name)).unwrap()),
        }
    }
}

/// Every event with the place behind its batch.
fn events(batches: &[LoggedBatch]) -> Vec<(String, Cursor)> {
    let lines = batches.iter().flat_map(|batch| batch.lines.iter().map(|line| (line, batch.end)));
    let events = lines.filter_map(|(line, end)| match line {
        Line::Event(event) => Some((event.hash.to_string(), end)),
        Line::Stub(_) => None,
    });
    events.collect()
}

#[test]
fn the_latest_events_are_the_end_of_all_events() {
    let [theirs, ours] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for folder in [&theirs, &ours] {
        kenning::init(folder.path(), Default::default()).unwrap();
    }
    for word in ["pools", "locks", "ports"] {
        lesson(&mut open(theirs.path()), word);
    }
    lesson(&mut open(ours.path()), "queues");
    for behind in [false, true] {
        // What came in files stands behind what this clone wrote.
        if behind {
            copy_ledger(&theirs.path().join(".kenning"), &ours.path().join(".kenning"));
        }
        let mut ken = open(ours.path());
        lesson(&mut ken, if behind { "files" } else { "frames" });
        let store = &mut ken.ledger;
        let all = store.log().since(Cursor::default(), Bytes(u64::MAX)).unwrap();
        assert_eq!(all.iter().any(|batch| batch.end.noticed > 0), behind);
        let whole = events(&all);
        for count in 1..=whole.len() + 1 {
            let latest = store.latest(count).unwrap();
            let told = events(&latest);
            assert!(told.len() >= count.min(whole.len()), "{count}: {told:?}");
            assert!(whole.ends_with(&told), "{count}: {told:?} of {whole:?}");
            assert_eq!(latest.last().map(|batch| batch.end), all.last().map(|batch| batch.end));
        }
    }
}
