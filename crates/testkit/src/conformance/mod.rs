//! What every log promises, told as stories over each of them: order, atomicity, conflicts, duplicates, lines from elsewhere, erasure,
//! and a log that moves while it is read. And histories that any two logs must have the same projection of.

#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

pub mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ken_core::decide::Authority;
use ken_core::entry::Bases;
use ken_core::event::{Added, Line, Revised};
use ken_core::{
    Body, Clock, EntryEvent, EntryKey, Event, EventHash, GivenId, Intent, LinkEvent, Millis, Relation,
    ReplicaId, RunEvent, Type, TypeName,
};
use ken_engine::log::{hash_of, line_bytes, seal};
use ken_engine::{
    AppendError, Arrival, Batch, Bytes, Conflict, Cursor, EventLog, Floors, LoggedBatch, Projection, ReadSet,
    Redacted, Result, Tail, Topic, Version, Writer,
};
use ken_log_memory::MemoryLog;
use proptest::prelude::*;
use serde_json::json;

pub use crate::limits::START;

/// A clone that is none of the logs under test.
pub const OTHER: ReplicaId = ReplicaId([9; 6]);

/// A log under test, as one of its users holds it.
pub trait Handle: Send + Sync {
    fn log(&self) -> &dyn EventLog;
    /// Another handle on the same log: of another thread, process or machine.
    fn another(&self) -> Log;
    fn read(&self, read: &mut dyn FnMut(&dyn Projection));
    /// The rows that events alone make.
    fn rows(&self) -> Vec<String>;
    fn replica(&self) -> ReplicaId;
}

/// The same, with short words for the stories.
pub struct Log(Box<dyn Handle>);

struct InMemory(Arc<MemoryLog>, ReplicaId);

impl Handle for InMemory {
    fn log(&self) -> &dyn EventLog {
        &*self.0
    }

    fn another(&self) -> Log {
        Log::new(InMemory(self.0.clone(), self.1))
    }

    fn read(&self, read: &mut dyn FnMut(&dyn Projection)) {
        self.0.reading(read);
    }

    fn rows(&self) -> Vec<String> {
        self.0.dump().unwrap()
    }

    fn replica(&self) -> ReplicaId {
        self.1
    }
}

impl Log {
    pub fn new(handle: impl Handle + 'static) -> Log {
        Log(Box::new(handle))
    }

    pub fn memory() -> Log {
        Log::of(ReplicaId([1; 6]))
    }

    /// A log in memory of some clone.
    pub fn of(replica: ReplicaId) -> Log {
        Log::new(InMemory(Arc::new(MemoryLog::new(replica).unwrap()), replica))
    }

    pub fn log(&self) -> &dyn EventLog {
        self.0.log()
    }

    pub fn another(&self) -> Log {
        self.0.another()
    }

    pub fn reading<T>(&self, read: impl FnOnce(&dyn Projection) -> T) -> T {
        let (mut read, mut answer) = (Some(read), None);
        self.0.read(&mut |projection| answer = read.take().map(|read| read(projection)));
        answer.expect("a handle reads")
    }

    pub fn rows(&self) -> Vec<String> {
        self.0.rows()
    }

    pub fn replica(&self) -> ReplicaId {
        self.0.replica()
    }

    pub fn appends(
        &self,
        read: &ReadSet,
        intents: &[Intent],
        moment: i64,
    ) -> std::result::Result<Vec<Event>, AppendError> {
        let redacted = redacted(intents.to_vec(), moment);
        self.seals(read, move |tail| Ok(seal(&redacted, &Floors::default(), &Bases::default(), tail)))
    }

    /// Appends what is made of the end of the log.
    pub fn seals(
        &self,
        read: &ReadSet,
        sealer: impl FnMut(&Tail) -> Result<Batch> + Send + 'static,
    ) -> std::result::Result<Vec<Event>, AppendError> {
        Ok(self.log().append(read, Box::new(sealer))?.events)
    }

    /// Says something at some second, as one batch.
    pub fn say_at(&self, moment: i64, intents: &[Intent]) -> Vec<Event> {
        self.appends(&ReadSet::default(), intents, moment).expect("nothing speaks against it")
    }

    pub fn say(&self, intents: &[Intent]) -> Vec<Event> {
        self.say_at(1, intents)
    }

    /// The same with a batch that was tampered with.
    pub fn tampers(
        &self,
        intents: &[Intent],
        tamper: impl Fn(&mut Batch, &Tail) + Send + 'static,
    ) -> Result<Vec<Event>> {
        let redacted = redacted(intents.to_vec(), 1);
        let tampered = self.seals(&ReadSet::default(), move |tail| {
            let mut batch = seal(&redacted, &Floors::default(), &Bases::default(), tail);
            tamper(&mut batch, tail);
            Ok(batch)
        });
        Ok(tampered?)
    }

    pub fn told(&self) -> Vec<LoggedBatch> {
        self.since(Cursor::default())
    }

    /// What happened since, however much that is.
    pub fn since(&self, at: Cursor) -> Vec<LoggedBatch> {
        self.log().since(at, Bytes(u64::MAX)).unwrap()
    }

    /// Every hash that is told, in order.
    pub fn hashes(&self) -> Vec<EventHash> {
        self.told().iter().flat_map(|told| &told.lines).map(hash_of).collect()
    }

    pub fn receive(&self, events: &[Event]) -> (usize, usize) {
        let received = self.log().receive(events.iter().map(arrived).collect(), Arrival::Peer).unwrap();
        (received.new, received.known)
    }

    pub fn version(&self, key: EntryKey) -> Version {
        self.reading(|reading| reading.version(key).unwrap())
    }

    pub fn reads_entry(&self, key: EntryKey) -> ReadSet {
        let mut read = ReadSet::default();
        self.reading(|reading| read.read_entry(key, reading).unwrap());
        read
    }
}

pub fn writer(moment: i64) -> Writer {
    Writer {
        actor: "ada".to_owned(),
        now: Millis(START.0 + 1_000 * moment),
        authority: Authority::attended("human:Ada", false),
    }
}

pub fn redacted(intents: Vec<Intent>, moment: i64) -> Redacted {
    Redacted::new(intents, &writer(moment)).unwrap()
}

pub fn arrived(event: &Event) -> Line {
    Line::Event(Box::new(event.clone()))
}

pub fn key(statement: &str) -> EntryKey {
    EntryKey::derive("lesson", "project", statement)
}

pub fn about(statement: &str, body: Body) -> Intent {
    Intent { entry: Some(key(statement)), body }
}

pub fn added_with(statement: &str, change: impl FnOnce(&mut Added)) -> Intent {
    let mut added = Added {
        kind: TypeName::Known(Type::Lesson),
        id: None,
        handle: None,
        fields: json!({ "statement": statement }),
        evidence: Vec::new(),
        not_run: Vec::new(),
        scan: None,
        admission: None,
        since: None,
    };
    change(&mut added);
    about(statement, Body::Entry(EntryEvent::Added(added)))
}

pub fn added(statement: &str) -> Intent {
    added_with(statement, |_| {})
}

pub fn tagged(statement: &str, tag: &str) -> Intent {
    let add = BTreeMap::from([("tags".to_owned(), vec![tag.to_owned()])]);
    about(statement, Body::Entry(EntryEvent::Revised(Revised { add, ..Revised::default() })))
}

pub fn archived(statement: &str) -> Intent {
    about(statement, Body::Entry(EntryEvent::Archived { reason: "old".to_owned() }))
}

pub fn linked(from: &str, to: &str) -> Intent {
    about(from, Body::Link(LinkEvent::Linked { relation: Relation::Supports, to: key(to) }))
}

pub fn exposed(statement: &str) -> Intent {
    let body = RunEvent::exposed(None, None, "pulled", Vec::new());
    about(statement, Body::Run(body))
}

pub fn purged(statement: &str, events: &[Event]) -> Intent {
    let hashes = events.iter().map(|event| event.hash).collect();
    about(statement, Body::Entry(EntryEvent::Purged { hashes, reason: "secret".to_owned() }))
}

pub fn id(text: &str) -> GivenId {
    GivenId::parse(text).expect("a sound id")
}

/// Each story is a function, and a test wherever a log is named to [`log_stories`](crate::log_stories).
macro_rules! stories {
    ($dollar:tt $($(#[doc = $doc:literal])* fn $name:ident($log:ident) $body:block)*) => {
        $($(#[doc = $doc])* pub fn $name($log: &Log) $body)*

        /// A suite that lost some would be none.
        const _: () = assert!([$(stringify!($name)),*].len() >= 40);

        /// Tells every story over the log that an expression opens, each as a test.
        #[macro_export]
        macro_rules! log_stories {
            ($dollar open:expr) => { $(#[test] fn $name() { $crate::conformance::$name(&$dollar open); })* };
        }
    };
}

stories! { $
    // Order.

    fn a_batch_keeps_its_order(log) {
        let said = log.say(&[added("One."), tagged("One.", "b"), tagged("One.", "a"), added("Two.")]);
        let told: Vec<EventHash> = log.told()[0].lines.iter().map(hash_of).collect();
        assert_eq!(told, said.iter().map(|event| event.hash).collect::<Vec<_>>());
    }

    fn batches_are_told_in_the_order_they_were_appended(log) {
        let said: Vec<EventHash> =
            (0..9).flat_map(|number| log.say(&[added(&format!("Number {number}."))])).map(|event| event.hash).collect();
        assert_eq!(log.hashes(), said);
        assert_eq!(log.hashes(), said, "and the next time again");
    }

    fn running_numbers_have_no_gaps(log) {
        let one = log.say(&[added("One."), added("Two.")]);
        let two = log.say(&[exposed("One."), added("Three.")]);
        let numbers: Vec<u64> = one.iter().chain(&two).map(|event| event.seq).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
    }

    fn clocks_only_grow(log) {
        let said: Vec<Event> = [5, 5, 3, 9, 1].iter().flat_map(|moment| {
            log.say_at(*moment, &[added(&format!("At {moment}.")), exposed("x")])
        }).collect();
        assert!(said.windows(2).all(|pair| pair[0].clock < pair[1].clock));
    }

    fn a_wall_clock_that_went_back_is_told(log) {
        log.say_at(1_000_000, &[added("Late.")]);
        let (told, notices) = std::sync::mpsc::channel();
        log.seals(&ReadSet::default(), move |tail| {
            let batch = seal(&redacted(vec![added("Early.")], 1), &Floors::default(), &Bases::default(), tail);
            told.send(batch.notices.clone()).unwrap();
            Ok(batch)
        }).unwrap();
        let notices = notices.recv().unwrap();
        assert!(notices.iter().any(|notice| notice.contains("clock was set back")), "{notices:?}");
    }

    // COR-4: the clock of a machine was wrong once, and was set right.
    fn a_wrong_clock_is_left_behind(log) {
        let ahead = log.say_at(400_000_000, &[added("Late.")]);
        let early = log.say_at(2, &[added("Early.")]);
        let later = log.say_at(2, &[added("Next.")]);
        assert!(early[0].clock < ahead[0].clock, "{} dated what it is not about", ahead[0].clock);
        assert_eq!(early[0].clock.millis(), Millis(START.0 + 2_000));
        assert!(later[0].clock > early[0].clock, "what follows goes on from the right clock");
    }

    fn what_is_said_of_a_thing_comes_after_what_was_said_of_it(log) {
        let ahead = Clock::at(Millis(START.0 + 90_000_000));
        let setting = || Intent {
            entry: None,
            body: Body::Setting(ken_core::SettingEvent::Changed { name: "scoring".into(), value: json!({}) }),
        };
        let floors = Floors([(Topic::Setting("scoring".into()), ahead)].into());
        let said = log.seals(&ReadSet::default(), move |tail| {
            Ok(seal(&redacted(vec![setting(), added("Two.")], 2), &floors, &Bases::default(), tail))
        }).unwrap();
        assert!(said[0].clock > ahead);
        assert!(said[1].clock < ahead);
    }

    fn an_event_names_the_one_before_it_as_its_parent(log) {
        let one = log.say(&[added("One."), added("Two.")]);
        let two = log.say(&[added("Three.")]);
        assert_eq!(one[0].parents, []);
        assert_eq!(one[1].parents, [one[0].hash]);
        assert_eq!(two[0].parents, [one[1].hash]);
    }

    fn observations_have_no_parents_and_are_nobodys_parent(log) {
        let one = log.say(&[added("One.")]);
        let seen = log.say(&[exposed("One.")]);
        let two = log.say(&[added("Two.")]);
        assert_eq!(seen[0].parents, []);
        assert_eq!(two[0].parents, [one[0].hash]);
    }

    fn a_change_comes_after_what_it_changes_whatever_the_clocks_say(log) {
        let said = log.say(&[added("One.")]);
        let ahead = Clock::at(Millis(START.0 + 86_400_000));
        let floors = Floors([(Topic::Entry(key("One.")), ahead)].into());
        let changed = log.seals(&ReadSet::default(), move |tail| {
            Ok(seal(&redacted(vec![tagged("One.", "a"), added("Two.")], 2), &floors, &Bases::default(), tail))
        }).unwrap();
        assert!(changed[0].clock > ahead);
        assert!(changed[1].clock < ahead, "another machine's clock orders that entry alone");
        assert!(changed[1].clock > said[0].clock);
    }

    // Cursors.

    fn since_a_cursor_tells_what_is_behind_it(log) {
        log.say(&[added("One.")]);
        let at = log.told().last().unwrap().end;
        let two = log.say(&[added("Two.")]);
        let told = log.since(at);
        assert_eq!(told.len(), 1);
        assert_eq!(hash_of(&told[0].lines[0]), two[0].hash);
    }

    fn since_tells_no_more_than_was_asked_for_and_goes_on_from_there(log) {
        (0..5).for_each(|number| drop(log.say(&[added(&format!("Number {number}.")), exposed("x")])));
        let all = log.told();
        for limit in [0, 1, 2_000, u64::MAX] {
            let (mut told, mut at) = (Vec::new(), Cursor::default());
            loop {
                let some = log.log().since(at, Bytes(limit)).unwrap();
                let Some(last) = some.last() else { break };
                let bytes: u64 = some.iter().flat_map(|batch| &batch.lines).map(line_bytes).sum();
                assert!(some.len() == 1 || bytes <= limit, "{} batches, {bytes} bytes of {limit}", some.len());
                at = last.end;
                told.extend(some);
            }
            assert_eq!(told, all, "{limit}");
        }
    }

    fn since_the_end_tells_nothing(log) {
        assert_eq!(log.told(), []);
        log.say(&[added("One.")]);
        let at = log.told().last().unwrap().end;
        assert_eq!(log.since(at), []);
    }

    fn every_cursor_is_a_place_to_go_on_from(log) {
        (0..5).for_each(|number| drop(log.say(&[added(&format!("Number {number}.")), exposed("x")])));
        let all = log.told();
        for (number, told) in all.iter().enumerate() {
            assert_eq!(log.since(told.end), all[number + 1..]);
        }
        assert!(all.windows(2).all(|pair| pair[0].end < pair[1].end));
    }

    fn an_event_is_found_by_its_hash(log) {
        let said = log.say(&[added("One."), exposed("One.")]);
        for event in said {
            assert_eq!(log.log().event(&event.hash).unwrap(), Some(Line::Event(Box::new(event))));
        }
        assert_eq!(log.log().event(&EventHash([7; 20])).unwrap(), None);
    }

    // Atomicity.

    fn an_empty_batch_writes_nothing(log) {
        assert_eq!(log.say(&[]), []);
        assert_eq!(log.told(), []);
        assert_eq!(log.say(&[added("One.")])[0].seq, 1);
    }

    fn what_cannot_be_sealed_is_not_there(log) {
        let refused = log.seals(&ReadSet::default(), |_| {
            Err(ken_core::Refusal::new(ken_core::Code::Invalid, "changed my mind").into())
        });
        assert!(matches!(refused, Err(AppendError::Failed(_))));
        assert_eq!(log.told(), []);
        assert_eq!(log.say(&[added("One.")])[0].seq, 1);
    }

    fn a_batch_is_told_whole(log) {
        let many: Vec<Intent> = (0..50).map(|number| added(&format!("Number {number}."))).collect();
        log.say(&many);
        assert_eq!(log.told().iter().map(|told| told.lines.len()).collect::<Vec<_>>(), [50]);
    }

    fn a_running_number_that_is_not_next_is_refused(log) {
        log.say(&[added("One.")]);
        for wrong in [0, 1, 3, 900] {
            let refused = log.tampers(&[added("Two.")], move |batch, tail| {
                let tail = Tail { seq: wrong, ..tail.clone() };
                batch.events = seal(&redacted(vec![added("Two.")], 1), &Floors::default(), &Bases::default(), &tail).events;
            });
            assert_eq!(refused.is_err(), wrong != 1, "{wrong}");
        }
        assert_eq!(log.hashes().len(), 2);
    }

    // IN-2: what was made past the gate that takes secrets out reaches no log.
    fn an_event_that_nobody_looked_through_is_refused(log) {
        let refused = log.tampers(&[added("One.")], |batch, tail| {
            let seal = ken_core::event::Seal {
                replica: tail.replica,
                seq: tail.seq + 1,
                parents: Vec::new(),
                clock: batch.clock,
                actor: "human:Mallory".into(),
                basis: Default::default(),
            };
            batch.events[0] = Event::seal(&added("Two."), seal);
        });
        assert!(refused.unwrap_err().to_string().contains("was not scanned for secrets"));
        assert_eq!(log.told(), []);
    }

    fn another_clones_event_is_refused(log) {
        let refused = log.tampers(&[added("One.")], |batch, tail| {
            let tail = Tail { replica: OTHER, ..tail.clone() };
            batch.events = seal(&redacted(vec![added("One.")], 1), &Floors::default(), &Bases::default(), &tail).events;
        });
        assert!(refused.unwrap_err().to_string().contains("another clone"));
        assert_eq!(log.told(), []);
    }

    fn a_clock_that_is_moved_back_is_refused(log) {
        log.say_at(100, &[added("One.")]);
        assert!(log.tampers(&[added("Two.")], |batch, _| batch.clock = Clock::ZERO).is_err());
        assert_eq!(log.hashes().len(), 1);
    }

    fn a_line_that_nobody_could_read_back_is_refused(log) {
        let long = "x".repeat(ken_core::limits::LINE_BYTES_MAX);
        let refused = log.appends(&ReadSet::default(), &[added("One."), tagged("One.", &long)], 1);
        assert!(refused.is_err());
        assert_eq!(log.told(), []);
    }

    fn after_a_refusal_everything_goes_on(log) {
        assert!(log.tampers(&[added("One.")], |batch, _| batch.events[0].seq = 7).is_err());
        let said = log.say(&[added("One.")]);
        assert_eq!((said[0].seq, log.hashes().len()), (1, 1));
    }

    // Conflicts.

    fn a_change_of_an_entry_that_was_read_is_a_conflict(log) {
        log.say(&[added("One.")]);
        let read = log.reads_entry(key("One."));
        log.say(&[tagged("One.", "a")]);
        let refused = log.appends(&read, &[archived("One.")], 2).unwrap_err();
        assert!(matches!(refused, AppendError::Conflict(Conflict::Entry(found)) if found == key("One.")));
    }

    fn an_entry_that_came_into_being_is_a_conflict(log) {
        let read = log.reads_entry(key("One."));
        log.say(&[added("One.")]);
        assert!(matches!(log.appends(&read, &[added("One.")], 2), Err(AppendError::Conflict(_))));
    }

    fn what_was_merely_noticed_is_no_conflict(log) {
        log.say(&[added("One.")]);
        let read = log.reads_entry(key("One."));
        log.say(&[exposed("One."), exposed("One.")]);
        assert_eq!(log.appends(&read, &[archived("One.")], 2).unwrap().len(), 1);
    }

    fn another_entry_is_no_conflict(log) {
        log.say(&[added("One."), added("Two.")]);
        let read = log.reads_entry(key("One."));
        log.say(&[archived("Two."), added("Three.")]);
        assert!(log.appends(&read, &[archived("One.")], 2).is_ok());
    }

    fn an_id_that_was_taken_meanwhile_is_a_conflict(log) {
        let mut read = ReadSet::default();
        log.reading(|reading| assert_eq!(read.read_id(&id("norm.one"), reading).unwrap(), None));
        log.say(&[added_with("One.", |added| added.id = Some(id("norm.one")))]);
        let two = added_with("Two.", |added| added.id = Some(id("norm.one")));
        assert!(matches!(log.appends(&read, &[two], 2), Err(AppendError::Conflict(Conflict::Id(_)))));
    }

    fn a_handle_that_was_taken_meanwhile_is_a_conflict(log) {
        let mut read = ReadSet::default();
        log.reading(|reading| assert!(!read.read_handle("L-1", reading).unwrap()));
        log.say(&[added_with("One.", |added| added.handle = Some("L-1".to_owned()))]);
        assert!(matches!(log.appends(&read, &[added("Two.")], 2), Err(AppendError::Conflict(Conflict::Handle(_)))));
    }

    fn a_merge_key_that_was_taken_meanwhile_is_a_conflict(log) {
        let name = "lesson\u{1f}project\u{1f}retries";
        let mut read = ReadSet::default();
        log.reading(|reading| assert_eq!(read.read_merge(name, reading).unwrap(), None));
        log.say(&[added_with("One.", |added| added.fields = json!({"statement": "One.", "merge_key": "retries"}))]);
        let holder = log.reading(|reading| reading.merged(name).unwrap());
        assert_eq!(holder, Some(key("One.")));
        assert!(matches!(log.appends(&read, &[added("Two.")], 2), Err(AppendError::Conflict(Conflict::Merge(_)))));
    }

    fn a_conflict_writes_nothing_and_deciding_again_helps(log) {
        log.say(&[added("One.")]);
        let read = log.reads_entry(key("One."));
        log.say(&[tagged("One.", "a")]);
        assert!(log.appends(&read, &[archived("One.")], 2).is_err());
        assert_eq!(log.hashes().len(), 2);
        let read = log.reads_entry(key("One."));
        assert_eq!(log.appends(&read, &[archived("One.")], 2).unwrap()[0].seq, 3);
    }

    fn who_read_nothing_never_conflicts(log) {
        log.say(&[added("One.")]);
        let two = log.another();
        for number in 0..5 {
            log.say(&[tagged("One.", &format!("a{number}"))]);
            two.say(&[exposed("One.")]);
        }
        assert_eq!(log.hashes().len(), 11);
    }

    fn a_conflict_is_seen_through_another_handle(log) {
        log.say(&[added("One.")]);
        let read = log.reads_entry(key("One."));
        log.another().say(&[tagged("One.", "theirs")]);
        assert!(matches!(log.appends(&read, &[archived("One.")], 2), Err(AppendError::Conflict(_))));
    }

    fn of_many_who_decide_on_one_ground_one_wins(log) {
        log.say(&[added("One.")]);
        let read = log.reads_entry(key("One."));
        let winners: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|number| {
                let (log, read) = (log.another(), read.clone());
                scope.spawn(move || match log.appends(&read, &[tagged("One.", &format!("t{number}"))], 2) {
                    Ok(_) => 1,
                    Err(AppendError::Conflict(_)) => 0,
                    Err(AppendError::Failed(error)) => panic!("{error}"),
                })
            }).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!((winners, log.hashes().len()), (1, 2));
    }

    // Duplicates.

    fn receiving_twice_is_as_receiving_once(log) {
        let other = Log::of(OTHER);
        let theirs = other.say(&[added("One."), tagged("One.", "a")]);
        assert_eq!(log.receive(&theirs), (2, 0));
        let rows = log.rows();
        assert_eq!(log.receive(&theirs), (0, 2));
        assert_eq!((log.rows(), log.hashes().len()), (rows, 2));
    }

    fn the_same_line_twice_in_one_receipt_counts_once(log) {
        let theirs = Log::of(OTHER).say(&[added("One.")]);
        assert_eq!(log.receive(&[theirs[0].clone(), theirs[0].clone()]), (1, 1));
        assert_eq!(log.hashes().len(), 1);
    }

    fn what_was_said_here_is_known_when_it_comes_back(log) {
        let said = log.say(&[added("One."), exposed("One.")]);
        assert_eq!(log.receive(&said), (0, 2));
        assert_eq!(log.told().len(), 1);
    }

    fn the_same_claim_of_two_clones_is_one_entry(log) {
        log.say(&[added("One.")]);
        let before = log.version(key("One."));
        log.receive(&Log::of(OTHER).say(&[added("One.")]));
        assert_ne!(log.version(key("One.")), before);
        assert_eq!(log.rows().iter().filter(|row| row.starts_with("Text(\"entry\")")).count(), 1);
    }

    // Lines from elsewhere.

    fn what_was_received_is_told_and_found(log) {
        log.say(&[added("Ours.")]);
        let at = log.told().last().unwrap().end;
        let theirs = Log::of(OTHER).say(&[added("One."), added("Two.")]);
        log.receive(&theirs);
        let told: BTreeSet<EventHash> =
            log.since(at).iter().flat_map(|told| &told.lines).map(hash_of).collect();
        assert_eq!(told, theirs.iter().map(|event| event.hash).collect());
        assert_eq!(log.log().event(&theirs[1].hash).unwrap().map(|line| hash_of(&line)), Some(theirs[1].hash));
    }

    fn anothers_clock_and_numbers_are_not_ours(log) {
        let one = log.say_at(5, &[added("One.")]);
        let other = Log::of(OTHER);
        (0..4).for_each(|_| drop(other.say_at(900_000, &[exposed("x")])));
        log.receive(&other.say_at(900_000, &[added("Ahead.")]));
        let two = log.say_at(6, &[added("Two.")]);
        assert_eq!(two[0].seq, one[0].seq + 1);
        assert!(two[0].clock < Clock::at(Millis(START.0 + 900_000_000)));
        assert_eq!(two[0].parents, [one[0].hash], "nor are their events our parents");
    }

    fn a_line_that_is_not_what_its_hash_says_is_refused_with_all_that_came(log) {
        let theirs = Log::of(OTHER).say(&[added("One."), added("Two.")]);
        let mut forged = theirs.clone();
        forged[1].hash = EventHash([5; 20]);
        let refused = log.log().receive(forged.iter().map(arrived).collect(), Arrival::Peer);
        assert!(refused.unwrap_err().to_string().contains("does not match its hash"));
        assert_eq!(log.told(), []);
        assert_eq!(log.receive(&theirs), (2, 0));
    }

    fn lines_in_any_order_make_the_same_rows(log) {
        let other = Log::of(OTHER);
        let mut theirs = other.say(&[added("One."), tagged("One.", "a"), archived("One."), added("Two.")]);
        theirs.extend(other.say(&[linked("One.", "Two."), exposed("Two.")]));
        theirs.reverse();
        log.receive(&theirs[..2]);
        log.receive(&theirs[2..]);
        let straight = Log::memory();
        theirs.reverse();
        straight.receive(&theirs);
        assert_eq!(log.rows(), straight.rows());
    }

    fn a_line_that_claims_to_be_ours_is_kept_and_not_trusted(log) {
        let said = log.say(&[added("One.")]);
        // A clone that took our name purges what we said.
        let forger = Log::of(log.replica());
        (0..3).for_each(|_| drop(forger.say(&[exposed("x")])));
        let forged = forger.say(&[purged("One.", &said)]);
        assert_eq!(log.receive(&forged), (1, 0));
        assert!(log.log().event(&forged[0].hash).unwrap().is_some());
        assert!(log.log().erase(&[said[0].hash]).is_err(), "their purge does not count here");
        assert!(matches!(log.log().event(&said[0].hash).unwrap(), Some(Line::Event(_))));
    }

    fn a_stub_may_come_before_its_event_or_after(log) {
        let other = Log::of(OTHER);
        let theirs = other.say(&[added("One."), added("Two.")]);
        let stub = |event: &Event| Line::Stub(event.stub());
        log.log().receive(vec![stub(&theirs[0]), arrived(&theirs[1])], Arrival::Peer).unwrap();
        log.log().receive(vec![stub(&theirs[1])], Arrival::Peer).unwrap();
        assert!(matches!(log.log().event(&theirs[0].hash).unwrap(), Some(Line::Stub(_))));
        assert!(matches!(log.log().event(&theirs[1].hash).unwrap(), Some(Line::Event(_))));
        assert_eq!(log.hashes().len(), 2);
    }

    // .

    fn bytes_that_no_purge_names_stay(log) {
        let said = log.say(&[added("One.")]);
        assert!(log.log().erase(&[said[0].hash]).is_err());
        assert!(matches!(log.log().event(&said[0].hash).unwrap(), Some(Line::Event(_))));
    }

    fn an_erased_event_leaves_its_stub(log) {
        let said = log.say(&[added("One."), added("Two.")]);
        log.say(&[purged("One.", &said[..1])]);
        log.log().erase(&[said[0].hash]).unwrap();
        let Some(Line::Stub(stub)) = log.log().event(&said[0].hash).unwrap() else { panic!("its stub is there") };
        assert_eq!((stub.hash, stub.seq, stub.replica), (said[0].hash, 1, said[0].replica));
        assert!(matches!(log.log().event(&said[1].hash).unwrap(), Some(Line::Event(_))));
    }

    fn erasing_twice_is_as_erasing_once(log) {
        let said = log.say(&[added("One.")]);
        log.say(&[purged("One.", &said)]);
        log.log().erase(&[said[0].hash]).unwrap();
        let rows = log.rows();
        log.log().erase(&[said[0].hash]).unwrap();
        assert_eq!(log.rows(), rows);
    }

    fn an_erased_event_does_not_come_back(log) {
        let said = log.say(&[added("One.")]);
        log.say(&[purged("One.", &said)]);
        log.log().erase(&[said[0].hash]).unwrap();
        assert_eq!(log.receive(&said), (0, 1));
        assert!(matches!(log.log().event(&said[0].hash).unwrap(), Some(Line::Stub(_))));
        assert!(!log.rows().iter().any(|row| row.starts_with("Text(\"entry\")")));
    }

    fn an_erasure_keeps_order_numbers_and_everything_else(log) {
        let said = log.say(&[added("One."), added("Two.")]);
        let two = log.version(key("Two."));
        log.say(&[purged("One.", &said[..1])]);
        let before = log.hashes();
        log.log().erase(&[said[0].hash]).unwrap();
        assert_eq!(log.hashes(), before);
        assert_eq!(log.version(key("Two.")), two);
        assert_eq!(log.say(&[added("Three.")])[0].seq, 4);
    }

    fn a_peers_purge_of_our_event_is_only_asked_for(log) {
        let said = log.say(&[added("One.")]);
        let theirs = Log::of(OTHER).say(&[purged("One.", &said)]);
        log.receive(&theirs);
        assert!(log.log().erase(&[said[0].hash]).is_err());
    }

    fn a_peers_purge_of_its_own_event_counts(log) {
        let other = Log::of(OTHER);
        let theirs = other.say(&[added("One.")]);
        log.receive(&theirs);
        log.receive(&other.say(&[purged("One.", &theirs)]));
        log.log().erase(&[theirs[0].hash]).unwrap();
        assert!(matches!(log.log().event(&theirs[0].hash).unwrap(), Some(Line::Stub(_))));
    }

    // A log that moves while it is read.

    fn handles_see_what_others_acknowledged(log) {
        let two = log.another();
        let one = log.say(&[added("One.")]);
        assert_eq!(two.hashes(), [one[0].hash]);
        let back = two.say(&[added("Two.")]);
        assert_eq!(log.hashes(), [one[0].hash, back[0].hash]);
        assert_eq!(log.version(key("Two.")), two.version(key("Two.")));
    }

    fn handles_that_append_at_once_lose_nothing_and_double_nothing(log) {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let log = log.another();
                scope.spawn(move || (0..8).for_each(|number| {
                    log.say(&[added(&format!("Thread {thread}, number {number}.")), exposed("x")]);
                }));
            }
        });
        let told = log.told();
        let numbers: BTreeSet<u64> = told.iter().flat_map(|told| &told.lines).map(|line| match line {
            Line::Event(event) => event.seq,
            Line::Stub(stub) => stub.seq,
        }).collect();
        assert_eq!(numbers, (1..=64).collect());
        assert!(told.iter().all(|told| told.lines.len() == 2), "batches are whole");
    }

    fn a_reader_that_follows_is_told_every_batch_once(log) {
        let seen = std::thread::scope(|scope| {
            for thread in 0..2 {
                let log = log.another();
                scope.spawn(move || (0..10).for_each(|number| {
                    log.say(&[added(&format!("Thread {thread}, number {number}.")), exposed("x")]);
                }));
            }
            let follower = log.another();
            let (mut at, mut seen) = (Cursor::default(), Vec::new());
            while seen.len() < 40 {
                for told in follower.since(at) {
                    assert_eq!(told.lines.len(), 2, "batches are whole");
                    assert!(told.end > at);
                    at = told.end;
                    seen.extend(told.lines.iter().map(hash_of));
                }
            }
            seen
        });
        assert_eq!(seen, log.hashes());
    }

    fn what_is_acknowledged_is_in_the_projection(log) {
        let before = log.version(key("One."));
        let said = log.say(&[added("One.")]);
        assert_eq!(log.version(key("One.")), before.with(&said[0].hash));
    }
}

// The law: the same history gives the same rows on every log.

#[derive(Clone, Debug)]
pub enum Step {
    Add(u8),
    Tag(u8, u8),
    Archive(u8),
    Link(u8, u8),
    Expose(u8),
    /// Several things at once.
    Batch(u8, u8),
    /// Another clone says something, and it comes here; in whatever order, some of it twice.
    Receive(u8, u8),
    /// A purge of everything that was said of an entry, and the erasure.
    Purge(u8),
}

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let n = || any::<u8>();
    let step = prop_oneof![
        4 => n().prop_map(Step::Add),
        2 => (n(), n()).prop_map(|(a, b)| Step::Tag(a, b)),
        1 => n().prop_map(Step::Archive),
        1 => (n(), n()).prop_map(|(a, b)| Step::Link(a, b)),
        2 => n().prop_map(Step::Expose),
        1 => (n(), n()).prop_map(|(a, b)| Step::Batch(a, b)),
        2 => (n(), n()).prop_map(|(a, b)| Step::Receive(a, b)),
        1 => n().prop_map(Step::Purge),
    ];
    prop::collection::vec(step, 1..16)
}

fn statement(number: u8) -> String {
    format!("Statement {}.", number % 6)
}

/// Lives through a history.
pub fn live(log: &Log, steps: &[Step]) {
    let other = Log::of(OTHER);
    for (moment, step) in (1..).zip(steps) {
        let say = |intents: &[Intent]| drop(log.say_at(moment, intents));
        match *step {
            Step::Add(a) => say(&[added(&statement(a))]),
            Step::Tag(a, b) => say(&[tagged(&statement(a), &format!("t{}", b % 4))]),
            Step::Archive(a) => say(&[archived(&statement(a))]),
            Step::Link(a, b) => say(&[linked(&statement(a), &statement(b))]),
            Step::Expose(a) => say(&[exposed(&statement(a))]),
            Step::Batch(a, b) => {
                say(&[added(&statement(a)), tagged(&statement(a), "batch"), exposed(&statement(b))]);
            }
            Step::Receive(a, b) => {
                let mut theirs = other.say_at(moment, &[added(&statement(a)), exposed(&statement(b))]);
                theirs.extend(other.say_at(moment, &[tagged(&statement(b), "theirs")]));
                let at = usize::from(b) % theirs.len();
                theirs.rotate_left(at);
                theirs.push(theirs[0].clone());
                log.receive(&theirs);
            }
            Step::Purge(a) => {
                let told = log.told();
                let of_entry: Vec<Event> = told
                    .iter()
                    .flat_map(|told| &told.lines)
                    .filter_map(|line| match line {
                        Line::Event(event)
                            if event.entry == Some(key(&statement(a)))
                                && event.type_name != "entry.purged"
                                && event.replica != OTHER =>
                        {
                            Some((**event).clone())
                        }
                        _ => None,
                    })
                    .collect();
                if !of_entry.is_empty() {
                    log.say_at(moment, &[purged(&statement(a), &of_entry)]);
                    let hashes: Vec<EventHash> = of_entry.iter().map(|event| event.hash).collect();
                    log.log().erase(&hashes).unwrap();
                }
            }
        }
    }
}

/// How many histories are tried where nobody asks for more.
pub fn few_histories(cases: u32) -> ProptestConfig {
    let given = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { given } else { ProptestConfig { cases, ..given } }
}
