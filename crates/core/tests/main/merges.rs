//! UPK-1 and COR-20 as laws over random histories of several clones: merges in any order, both ways, in circles, taken back, purged.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use ken_core::belief::{Moved, Record, belief_at, own_belief_at};
use ken_core::decide::{self, Authority, Context};
use ken_core::entry::{Entry, fold};
use ken_core::event::{Added, Basis, BeliefEvent, Body, EntryEvent, Event, Merged, Revised};
use ken_core::kinds::{Status, Type, TypeName};
use ken_core::merge::{self, Others};
use ken_core::{EntryKey, EventHash};
use proptest::prelude::*;
use serde_json::json;

use crate::stage::{Writer, clock, lesson_key, replica};

const ENTRIES: u8 = 5;

fn statement(entry: u8) -> String {
    format!("Retry the call {entry} times with jitter.")
}

fn key(entry: u8) -> EntryKey {
    lesson_key(&statement(entry))
}

/// One thing that some clone says.
#[derive(Clone, Debug)]
enum Said {
    Observed { for_it: bool, weight: u32 },
    Promoted,
    Retitled,
    Merged { into: u8 },
    Unmerged { from: u8 },
    Archived,
    Staled,
    Restored,
}

#[derive(Clone, Debug)]
struct Step {
    replica: u8,
    entry: u8,
    second: i64,
    said: Said,
}

fn any_step() -> impl Strategy<Value = Step> {
    let said = prop_oneof![
        4 => (any::<bool>(), 500..1500_u32).prop_map(|(for_it, weight)| Said::Observed { for_it, weight }),
        2 => Just(Said::Promoted),
        1 => Just(Said::Retitled),
        6 => (0..ENTRIES).prop_map(|into| Said::Merged { into }),
        2 => (0..ENTRIES).prop_map(|from| Said::Unmerged { from }),
        1 => Just(Said::Archived),
        1 => Just(Said::Staled),
        1 => Just(Said::Restored),
    ];
    (0..3_u8, 0..ENTRIES, 20..40_i64, said).prop_map(|(replica, entry, second, said)| Step {
        replica,
        entry,
        second,
        said,
    })
}

fn added(entry: u8) -> Body {
    Body::Entry(EntryEvent::Added(Added {
        kind: TypeName::Known(Type::Lesson),
        id: None,
        handle: None,
        fields: json!({"statement": statement(entry), "scope": "project", "domains": [format!("d{entry}")]}),
        evidence: Vec::new(),
        not_run: Vec::new(),
        scan: None,
        admission: None,
        since: None,
    }))
}

/// The events of a history: every entry is stated first, then whatever was said, each upon the words that its writer saw.
fn history(steps: &[Step]) -> Vec<Event> {
    let mut writer = Writer::default();
    let mut events: Vec<Event> = (0..ENTRIES)
        .map(|entry| writer.seal(replica(entry % 3), clock(i64::from(entry)), Some(key(entry)), added(entry)))
        .collect();
    let mut ordered = steps.to_vec();
    ordered.sort_by_key(|step| step.second);
    for (at, step) in ordered.iter().enumerate() {
        let words = |entry: u8| {
            let own = events.iter().filter(|event| event.entry == Some(key(entry)));
            fold(own, &|_| false).unwrap().trusted_words()
        };
        let basis = Basis { upon: None, words: Some(words(step.entry)) };
        let reason = String::new();
        let (body, basis) = match &step.said {
            Said::Observed { for_it, weight } => {
                let side =
                    if *for_it { ken_core::belief::Side::For } else { ken_core::belief::Side::Against };
                let source = format!("run:{at}");
                let body = BeliefEvent::Observed {
                    source,
                    side,
                    weight: *weight,
                    reason,
                    at: None,
                    witnessed: true,
                };
                (Body::Belief(body), basis)
            }
            Said::Promoted => {
                let status = Status::Verified;
                (Body::Entry(EntryEvent::Promoted { status, reason, rests_on: Vec::new() }), basis)
            }
            Said::Retitled => {
                let set = json!({"title": format!("Retry, {at}")}).as_object().cloned().unwrap();
                (Body::Entry(EntryEvent::Revised(Revised { set, ..Revised::default() })), Basis::default())
            }
            Said::Merged { into } => {
                let merged = Merged { into: key(*into), into_words: words(*into), similarity: None, reason };
                (Body::Entry(EntryEvent::Merged(merged)), basis)
            }
            Said::Unmerged { from } => {
                (Body::Entry(EntryEvent::Unmerged { from: key(*from), reason }), Basis::default())
            }
            Said::Archived => (Body::Entry(EntryEvent::Archived { reason }), Basis::default()),
            Said::Staled => (Body::Entry(EntryEvent::Staled { reason }), Basis::default()),
            Said::Restored => {
                let status = Status::Verified;
                (Body::Entry(EntryEvent::Restored { status, reason }), Basis::default())
            }
        };
        let event =
            writer.seal_upon(replica(step.replica), clock(step.second), Some(key(step.entry)), body, basis);
        events.push(event);
    }
    events
}

struct Store(BTreeMap<EntryKey, Entry>);

impl Others for Store {
    type Error = Infallible;

    fn entry(&self, key: EntryKey) -> Result<Option<Entry>, Infallible> {
        Ok(self.0.get(&key).cloned())
    }

    fn merged_into(&self, key: EntryKey) -> Result<Vec<EntryKey>, Infallible> {
        let into = |entry: &&Entry| entry.merged_into.as_ref().is_some_and(|merged| merged.key == key);
        Ok(self.0.values().filter(into).map(|entry| entry.key).collect())
    }
}

/// Every entry as its own events have it.
fn folded<'a>(
    events: impl IntoIterator<Item = &'a Event> + Clone,
    purged: &BTreeSet<EventHash>,
) -> BTreeMap<EntryKey, Entry> {
    let entries = (0..ENTRIES).filter_map(|entry| {
        let own = events.clone().into_iter().filter(|event| event.entry == Some(key(entry)));
        fold(own, &|hash| purged.contains(hash))
    });
    entries.map(|entry| (entry.key, entry)).collect()
}

fn settled(own: BTreeMap<EntryKey, Entry>) -> BTreeMap<EntryKey, Entry> {
    let store = Store(own);
    let each = store.0.values().map(|entry| {
        let mut entry = entry.clone();
        merge::settle(&mut entry, &store).unwrap();
        (entry.key, entry)
    });
    each.collect()
}

fn counts(entry: &Entry) -> Option<EntryKey> {
    entry.merged_into.as_ref().filter(|merged| merged.counts).map(|merged| merged.key)
}

/// The entry that stands for another in the end.
fn root(all: &BTreeMap<EntryKey, Entry>, key: EntryKey) -> EntryKey {
    let (mut at, mut steps) = (key, 0);
    while let Some(next) = counts(&all[&at]) {
        at = next;
        steps += 1;
        assert!(steps <= usize::from(ENTRIES), "merges go in a circle from {key}");
    }
    at
}

fn rank(status: Status) -> usize {
    [Status::Candidate, Status::Active, Status::Verified].iter().position(|known| *known == status).unwrap()
}

fn observations(record: &Record) -> usize {
    record.0.iter().filter(|mark| matches!(mark.what, Moved::Observed(..))).count()
}

/// What must hold of every store, whatever was said.
fn check(own: &BTreeMap<EntryKey, Entry>, all: &BTreeMap<EntryKey, Entry>) {
    for (key, entry) in all {
        let before = &own[key];
        let kept = root(all, *key);
        // Nothing is lost: what is put away by a merge has an entry that stands for it, and one that is trusted no less.
        if kept == *key {
            assert_eq!((entry.status, &entry.superseded_by), (before.status, &before.superseded_by));
        } else {
            assert!(before.status.is_retrieved(), "only what is handed out is merged");
            assert_eq!((entry.status, entry.superseded_by), (Status::Superseded, counts(entry)));
            assert!(all[&kept].pool.from.contains(key), "{kept} knows that it stands for {key}");
            assert!(rank(all[&kept].standing) >= rank(entry.standing), "trust is not taken away");
        }
        // What was said of an entry stays its own.
        assert_eq!(
            (&entry.record, &entry.fields, entry.standing),
            (&before.record, &before.fields, before.standing)
        );
        assert_eq!(own_belief_at(entry, clock(100).millis()), own_belief_at(before, clock(100).millis()));
        for domain in &entry.pool.domains {
            let theirs = |from: &EntryKey| all[from].fields.domains.contains(domain);
            assert!(entry.pool.from.iter().any(theirs), "{domain} is nobody's");
        }
        let most: usize = entry.pool.from.iter().map(|from| observations(&own[from].record)).sum();
        assert!(observations(&entry.pool.record) <= most, "an observation was counted twice");
    }
    // Each entry belongs to one that stands on its own.
    let roots = all.values().filter(|entry| counts(entry).is_none());
    let mut seen = BTreeSet::new();
    for entry in roots {
        assert!(seen.insert(entry.key), "{} stands on its own and for itself", entry.key);
        for from in &entry.pool.from {
            assert!(seen.insert(*from), "{from} is in two pools");
        }
    }
    assert_eq!(seen.len(), all.len(), "every entry is in one");
}

/// An entry without what counts events, and what an unmerge leaves: that nobody asks again.
fn without_counts(entry: &Entry) -> Entry {
    Entry { events: 0, unlike: BTreeSet::new(), ..entry.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn merges_of_several_clones_lose_nothing_and_double_nothing(steps in prop::collection::vec(any_step(), 0..40)) {
        let events = history(&steps);
        let own = folded(&events, &BTreeSet::new());
        check(&own, &settled(own.clone()));
    }

    #[test]
    fn the_order_of_events_and_duplicates_do_not_matter(
        steps in prop::collection::vec(any_step(), 0..30),
        turn in 0..30_usize,
    ) {
        let events = history(&steps);
        let mut turned: Vec<Event> = events.iter().rev().cloned().collect();
        let by = turn % turned.len();
        turned.rotate_left(by);
        turned.extend(events.iter().take(turn).cloned());
        let none = BTreeSet::new();
        prop_assert_eq!(settled(folded(&events, &none)), settled(folded(&turned, &none)));
    }

    #[test]
    fn what_was_settled_before_plays_no_part(steps in prop::collection::vec(any_step(), 0..40)) {
        let once = settled(folded(&history(&steps), &BTreeSet::new()));
        prop_assert_eq!(&settled(once.clone()), &once);
    }

    #[test]
    fn an_unmerge_after_a_merge_is_the_identity(
        steps in prop::collection::vec(any_step(), 0..25),
        pair in (0..ENTRIES, 0..ENTRIES),
    ) {
        let mut events = history(&steps);
        let none = BTreeSet::new();
        let before = settled(folded(&events, &none));
        let (one, other) = (&before[&key(pair.0)], &before[&key(pair.1)]);
        // What is merged already, or cannot be, is no case of this law.
        let Ok(choice) = decide::choose(one, other) else { return Ok(()) };
        prop_assume!(one.merged_into.is_none() && other.merged_into.is_none());
        let _context = Context { now: clock(50).millis(), replica: replica(1), actor: "agent:a".into(), authority: Authority::default() };
        let mut writer = Writer::default();
        let absorbed = choice.absorbed.clone();
        let intents = decide::merge(choice, None, "same".into()).unwrap();
        for intent in intents {
            let basis = Basis { upon: None, words: Some(absorbed.trusted_words()) };
            events.push(writer.seal_upon(replica(9), clock(50), intent.entry, intent.body, basis));
        }
        let merged = settled(folded(&events, &none));
        prop_assert_eq!(merged[&absorbed.key].status, Status::Superseded);
        let kept = merged[&merged[&absorbed.key].superseded_by.unwrap()].clone();
        for intent in decide::unmerge(&merged[&absorbed.key], Some(&kept), "different") {
            events.push(writer.seal(replica(9), clock(60), intent.entry, intent.body));
        }
        let after = settled(folded(&events, &none));
        for (key, entry) in &before {
            prop_assert_eq!(without_counts(&after[key]), without_counts(entry));
        }
        prop_assert!(after[&absorbed.key].unlike.contains(&kept.key), "nobody asks again");
    }

    #[test]
    fn a_purge_of_the_kept_entry_brings_the_others_back(
        steps in prop::collection::vec(any_step(), 0..40),
        gone in 0..ENTRIES,
    ) {
        let events = history(&steps);
        let purged: BTreeSet<EventHash> =
            events.iter().filter(|event| event.entry == Some(key(gone))).map(|event| event.hash).collect();
        let own = folded(&events, &purged);
        prop_assert!(!own.contains_key(&key(gone)));
        let all = settled(own.clone());
        check(&own, &all);
        prop_assert!(all.values().all(|entry| counts(entry) != Some(key(gone))));
    }
}

fn step(replica: u8, entry: u8, second: i64, said: Said) -> Step {
    Step { replica, entry, second, said }
}

#[test]
fn two_clones_that_merge_both_ways_keep_the_entry_that_was_stated_first() {
    let steps = [step(0, 1, 30, Said::Merged { into: 2 }), step(1, 2, 30, Said::Merged { into: 1 })];
    let all = settled(folded(&history(&steps), &BTreeSet::new()));
    assert_eq!((counts(&all[&key(1)]), counts(&all[&key(2)])), (None, Some(key(1))));
}

#[test]
fn three_clones_that_merge_in_a_circle_keep_one_entry_for_all() {
    let steps = [
        step(0, 1, 30, Said::Merged { into: 2 }),
        step(1, 2, 30, Said::Merged { into: 3 }),
        step(2, 3, 30, Said::Merged { into: 1 }),
    ];
    let all = settled(folded(&history(&steps), &BTreeSet::new()));
    assert_eq!(counts(&all[&key(1)]), None);
    assert_eq!(all[&key(1)].pool.from, BTreeSet::from([key(2), key(3)]));
}

#[test]
fn what_is_trusted_less_never_stands_for_what_is_trusted_more() {
    let verified = [
        step(0, 1, 20, Said::Observed { for_it: true, weight: 1000 }),
        step(0, 1, 21, Said::Promoted),
        step(2, 1, 30, Said::Merged { into: 2 }),
    ];
    let all = settled(folded(&history(&verified), &BTreeSet::new()));
    assert_eq!((all[&key(1)].status, counts(&all[&key(1)])), (Status::Verified, None));
    assert!(all[&key(2)].pool.is_empty(), "a line gives it nothing");
}

// UPK-1: belief is pooled: the observations of both, and the prior once.
#[test]
fn pooled_belief_is_what_was_seen_of_both() {
    let steps = [
        step(0, 1, 20, Said::Observed { for_it: true, weight: 1000 }),
        step(0, 1, 21, Said::Observed { for_it: false, weight: 500 }),
        step(1, 2, 22, Said::Observed { for_it: true, weight: 1500 }),
        step(0, 2, 30, Said::Merged { into: 1 }),
    ];
    let all = settled(folded(&history(&steps), &BTreeSet::new()));
    let belief = belief_at(&all[&key(1)], clock(40).millis()).now;
    assert!((belief.alpha - 7.5).abs() < 1e-6 && (belief.beta - 5.5).abs() < 1e-6, "{belief:?}");
    let own = own_belief_at(&all[&key(1)], clock(40).millis()).now;
    assert!((own.alpha - 6.0).abs() < 1e-6 && (own.beta - 5.5).abs() < 1e-6, "{own:?}");
    // Other words earn their own belief.
    let mut revised = steps.to_vec();
    revised.push(step(0, 1, 35, Said::Retitled));
    let all = settled(folded(&history(&revised), &BTreeSet::new()));
    assert_eq!(observations(&all[&key(1)].pool.record), 0);
    assert_eq!(counts(&all[&key(2)]), Some(key(1)), "it still stands for both");
}

// COR-20: the higher status; the longer text only between equals of one clone.
#[test]
fn the_text_that_is_kept_is_the_more_trusted_one_then_the_longer_one_of_one_clone() {
    let own = folded(&history(&[]), &BTreeSet::new());
    let entry = |number: u8, standing, origin, detail: &str| {
        let mut entry = own[&key(number)].clone();
        (entry.standing, entry.status, entry.origin) = (standing, standing, replica(origin));
        entry.fields.detail = (!detail.is_empty()).then(|| detail.to_owned());
        entry
    };
    let long = "It must wait longer each time, up to a minute, and give up in the end.";
    for (one, other, kept) in [
        (entry(1, Status::Active, 0, ""), entry(2, Status::Verified, 0, ""), 2),
        (entry(1, Status::Active, 0, ""), entry(2, Status::Candidate, 0, long), 1),
        (entry(1, Status::Active, 0, ""), entry(2, Status::Active, 0, long), 2),
        (entry(1, Status::Active, 0, ""), entry(2, Status::Active, 1, long), 1),
        (entry(1, Status::Active, 0, ""), entry(2, Status::Active, 0, "Yes."), 1),
    ] {
        for (one, other) in [(&one, &other), (&other, &one)] {
            assert_eq!(decide::choose(one, other).unwrap().kept.key, key(kept));
        }
    }
}
