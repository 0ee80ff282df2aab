//! What every place for small state promises.

#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

use ken_core::Millis;
use ken_engine::state::{OnPurge, Purged, purge};
use ken_engine::{CloneState, RecordKind};

/// Each story is a function, and a test wherever a place is named to [`state_stories`](crate::state_stories).
macro_rules! stories {
    ($dollar:tt $($(#[doc = $doc:literal])* fn $name:ident($state:ident) $body:block)*) => {
        $($(#[doc = $doc])* pub fn $name($state: &dyn CloneState) $body)*

        /// Tells every story over the place that an expression opens, each as a test.
        #[macro_export]
        macro_rules! state_stories {
            ($dollar open:expr) => { $(#[test] fn $name() { $crate::conformance::state::$name(&*$dollar open); })* };
        }
    };
}

stories! { $
fn what_was_written_is_read_listed_and_removed_once(state) {
    let record = RecordKind::Sessions.named("one");
    assert_eq!(state.read(&record).unwrap(), None);
    assert!(!state.remove(&record).unwrap());
    state.write(&record, b"first, and longer").unwrap();
    state.write(&record, b"second").unwrap();
    assert_eq!(state.read(&record).unwrap().as_deref(), Some(&b"second"[..]));
    state.write(&RecordKind::Sessions.named("two"), b"").unwrap();
    let names: Vec<String> =
        state.names(RecordKind::Sessions).unwrap().into_iter().map(|named| named.name).collect();
    assert_eq!(names, ["one", "two"]);
    assert!(state.remove(&record).unwrap());
    assert!(!state.remove(&record).unwrap(), "whoever is second hears it");
    assert_eq!(state.read(&record).unwrap(), None);
    assert!(state.names(RecordKind::Harvests).unwrap().is_empty(), "another kind");
}

fn several_who_add_to_a_list_lose_nothing(state) {
    let record = RecordKind::JudgeSpent.named("2026-11-18");
    std::thread::scope(|scope| {
        for who in 0..4 {
            let (state, record) = (&state, &record);
            scope.spawn(move || (0..25).for_each(|turn| state.add_item(record, &(who, turn)).unwrap()));
        }
    });
    let mut items: Vec<(i32, i32)> = state.items(&record).unwrap();
    items.sort_unstable();
    let wanted: Vec<(i32, i32)> = (0..4).flat_map(|who| (0..25).map(move |turn| (who, turn))).collect();
    assert_eq!(items, wanted);
}

fn no_record_grows_beyond_what_its_kind_allows(state) {
    let long = vec![b'x'; usize::try_from(RecordKind::Overrides.rules().bytes_max).unwrap() + 1];
    let record = RecordKind::Overrides.named("norm");
    let refused = state.write(&record, &long).unwrap_err().to_string();
    assert!(refused.contains("overrides/norm would have 65537 bytes"), "{refused}");
    assert_eq!(state.read(&record).unwrap(), None);

    // A list that rolls lets its oldest lines go and keeps what came last.
    let log = RecordKind::HookLog.record();
    let lines = 2_000;
    (0..lines).for_each(|number| state.append(&log, format!("{number:0>200}").as_bytes()).unwrap());
    let kept = String::from_utf8(state.read(&log).unwrap().unwrap()).unwrap();
    assert!(kept.len() < 3 * 65_536 && kept.len() > 65_536, "{}", kept.len());
    assert!(kept.lines().next().unwrap().len() == 200 && !kept.starts_with(&format!("{:0>200}", 0)));
    assert!(kept.trim_end().ends_with("1999"));
}

fn a_lock_keeps_others_out_until_it_is_dropped(state) {
    let (record, count) = (RecordKind::HookTroubles.record(), RecordKind::HookTroubles.record());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let held = state.lock(&record).unwrap();
                    let before: u32 = state.value(&count).unwrap_or(0);
                    state.set_value(&count, &(before + 1)).unwrap();
                    drop(held);
                }
            });
        }
    });
    assert_eq!(state.value::<u32>(&count), Some(100));
}

fn a_sweep_removes_what_is_old_and_what_is_too_many(state) {
    state.write(&RecordKind::Sessions.named("one"), b"{}").unwrap();
    state.write(&RecordKind::Harvests.named("one"), b"{}").unwrap();
    let now = state.names(RecordKind::Sessions).unwrap()[0].written;
    let days = |days: i64| Millis(now.0 + days * 24 * 3_600_000);
    for kind in [RecordKind::Sessions, RecordKind::Harvests] {
        state.sweep(kind, days(6)).unwrap();
    }
    assert_eq!(state.names(RecordKind::Sessions).unwrap().len(), 1);
    for kind in [RecordKind::Sessions, RecordKind::Harvests] {
        state.sweep(kind, days(8)).unwrap();
    }
    assert!(state.names(RecordKind::Sessions).unwrap().is_empty());
    assert_eq!(state.names(RecordKind::Harvests).unwrap().len(), 1, "these are kept");

    let most = RecordKind::JudgeUnanswered.rules().records_max.unwrap();
    (0..most + 7).for_each(|number| {
        state.write(&RecordKind::JudgeUnanswered.named(&number.to_string()), b"").unwrap();
    });
    state.sweep(RecordKind::JudgeUnanswered, now).unwrap();
    assert_eq!(state.names(RecordKind::JudgeUnanswered).unwrap().len(), most);
}

/// Every kind is asked: one that holds texts and were forgotten here would keep what was purged.
fn a_purge_takes_its_text_out_of_every_kind_of_record(state) {
    let text = "say \"hollyhock\"";
    let line = serde_json::to_vec(&serde_json::json!({
        "at": 1, "fingerprint": "f", "status": 200, "exit": 0, "body": text
    }));
    let line = line.unwrap();
    for kind in RecordKind::ALL {
        state.append(&kind.named(""), b"{\"harmless\":1}").unwrap_or_default();
        state.append(&kind.named("x"), &line).unwrap_or_default();
    }
    let counts = purge(state, Purged::Texts(&[text.to_owned()])).unwrap();
    for kind in RecordKind::ALL {
        let holds_no_text = matches!(kind.rules().on_purge, OnPurge::Stays);
        let count = counts.iter().find(|(other, _)| other == kind).unwrap().1;
        assert_eq!(count > 0, !holds_no_text, "{kind:?}");
        for named in state.names(*kind).unwrap() {
            let bytes = state.read(&kind.named(&named.name)).unwrap().unwrap_or_default();
            let kept = String::from_utf8(bytes).unwrap();
            assert!(holds_no_text || !kept.contains("hollyhock"), "{kind:?} keeps {kept}");
        }
    }
    let answer: ken_engine::replays::KeptAnswer = state.value(&RecordKind::Replays.named("x")).unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (ken_engine::replays::PURGED, ""));
    assert_eq!(answer.fingerprint, "f", "the request is known, and not carried out again");
}
}
