//! A read that fails is an error, whatever it was for: nothing is written after it, and nothing is answered as if there were nothing.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ken_core::answer::ChangeOutcome;
use ken_core::decide::{Authority, Change, View};
use ken_core::event::Line;
use ken_core::promotion::{Approver, Policy, Promotion};
use ken_core::run::{Exposure, Run};
use ken_core::{
    Clock, DocumentName, Entry, EntryKey, Event, EventHash, GivenId, Kept, Millis, Overlay, Relation,
    ReplicaId, Serviced,
};
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddInput, add, add_all};
use ken_engine::ops::change::{self, Citing};
use ken_engine::ops::confirm::{self, Speaker, Voice};
use ken_engine::ops::gate::gate;
use ken_engine::ops::note;
use ken_engine::ops::promote::{self, ProposeInput, Yes};
use ken_engine::validity::Subject;
use ken_engine::{
    Access, AppendError, Appended, Arrival, Asked, Attendance, Bytes, CloneState, Counts, Cursor, Deliveries,
    DocumentLine, Documents, Entries, Error, EventLog, GitHistory, Injected, Ledger, Links, LogEnd,
    LoggedBatch, MemoryState, ModelCard, Named, Page, Placed, Projection, Query, Questions, ReadSet,
    Received, Record, RecordKind, Relevant, Report, Result, Rows, Runs, Sealer, Search, Settings, Snapshot,
    Stored, Timeline, Topic, Upkeep, Use, Vectors, Version, Writer,
};
use ken_log_memory::{MemoryLog, MemorySnapshot};
use serde_json::{Value, json};

const FAILED: &str = "the disk does not answer";

/// What is asked of a ledger, until a read fails.
struct Reads {
    /// Reads that still work.
    left: AtomicUsize,
    failed: AtomicBool,
}

impl Reads {
    fn one(&self) -> Result<()> {
        match self.left.load(Ordering::Relaxed) {
            0 => {
                self.failed.store(true, Ordering::Relaxed);
                Err(Error::failed("reading")(FAILED))
            }
            left => {
                self.left.store(left - 1, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    fn write(&self) {
        assert!(!self.failed.load(Ordering::Relaxed), "something is written after a read failed");
    }
}

/// What somebody else does just before something is written.
type Meanwhile = fn(&mut Ledger);

/// A log in memory with its small state.
#[derive(Clone)]
struct Store {
    log: Arc<MemoryLog>,
    state: Arc<MemoryState>,
}

impl Store {
    fn ledger(&self) -> Ledger {
        self.log.ledger(self.state.clone(), Access::Write).unwrap()
    }

    fn event_count(&self) -> usize {
        self.log.reading(|reads| reads.event_count().unwrap())
    }

    /// A ledger of which the read after so many fails.
    fn failing(&self, left: usize, meanwhile: Vec<Meanwhile>) -> (Ledger, Arc<Reads>) {
        let reads = Arc::new(Reads { left: AtomicUsize::new(left), failed: AtomicBool::new(false) });
        let inner = self.log.snapshot(self.state.clone(), Access::Write).unwrap();
        let watched =
            Arc::new(Watched { store: self.clone(), reads: reads.clone(), meanwhile: Mutex::new(meanwhile) });
        let snapshot = Failing { inner, reads: reads.clone() };
        (Ledger::new(watched.clone(), Box::new(snapshot), watched), reads)
    }
}

/// Writes, none of which may follow a read that failed.
struct Watched {
    store: Store,
    reads: Arc<Reads>,
    meanwhile: Mutex<Vec<Meanwhile>>,
}

impl EventLog for Watched {
    fn append(&self, read: &ReadSet, seal: Sealer) -> std::result::Result<Appended, AppendError> {
        self.reads.write();
        if let Some(meddle) = self.meanwhile.lock().unwrap().pop() {
            meddle(&mut self.store.ledger());
        }
        self.store.log.append(read, seal)
    }

    fn since(&self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>> {
        self.store.log.since(at, limit)
    }

    fn event(&self, hash: &EventHash) -> Result<Option<Line>> {
        self.store.log.event(hash)
    }

    fn receive(&self, lines: Vec<Line>, from: Arrival) -> Result<Received> {
        self.store.log.receive(lines, from)
    }

    fn erase(&self, hashes: &[EventHash]) -> Result<Vec<String>> {
        self.store.log.erase(hashes)
    }
}

impl CloneState for Watched {
    fn read(&self, record: &Record) -> Result<Option<Vec<u8>>> {
        self.store.state.read(record)
    }

    fn write(&self, record: &Record, bytes: &[u8]) -> Result<()> {
        self.reads.write();
        self.store.state.write(record, bytes)
    }

    fn append(&self, record: &Record, line: &[u8]) -> Result<()> {
        self.reads.write();
        self.store.state.append(record, line)
    }

    fn remove(&self, record: &Record) -> Result<bool> {
        self.reads.write();
        self.store.state.remove(record)
    }

    fn names(&self, kind: RecordKind) -> Result<Vec<Named>> {
        self.store.state.names(kind)
    }

    fn lock(&self, record: &Record) -> Result<Box<dyn Send>> {
        self.store.state.lock(record)
    }

    fn try_lock(&self, record: &Record) -> Result<Option<Box<dyn Send>>> {
        self.store.state.try_lock(record)
    }
}

/// What can be read, until a read fails.
struct Failing {
    inner: MemorySnapshot,
    reads: Arc<Reads>,
}

impl Snapshot for Failing {
    fn projection(&self) -> &(dyn Projection + 'static) {
        self
    }

    fn access(&self) -> Access {
        self.inner.access()
    }

    fn may_write(&self) -> Result<()> {
        self.inner.may_write()
    }

    fn replica(&mut self) -> Result<ReplicaId> {
        self.reads.one()?;
        self.inner.replica()
    }

    fn refresh(&mut self) -> Result<()> {
        self.inner.refresh()
    }

    fn follow(&mut self) -> Result<()> {
        self.inner.follow()
    }

    fn as_of_time(&self, time: Millis, model: Option<&ModelCard>) -> Result<Box<dyn Projection>> {
        self.reads.one()?;
        self.inner.as_of_time(time, model)
    }

    fn vectors(&mut self) -> &mut dyn Vectors {
        self.inner.vectors()
    }

    fn rebuild(&mut self) -> Result<usize> {
        self.inner.rebuild()
    }

    fn verify(&mut self, fix: bool) -> Result<Report> {
        self.inner.verify(fix)
    }

    fn quick_check(&mut self) -> Result<Report> {
        self.inner.quick_check()
    }

    fn git_history(&self) -> Option<&dyn GitHistory> {
        None
    }

    fn git_history_mut(&mut self) -> Option<&mut dyn GitHistory> {
        None
    }

    fn dump(&self, rows: Rows) -> Result<Vec<String>> {
        self.inner.dump(rows)
    }

    fn take_notices(&mut self) -> Vec<String> {
        self.inner.take_notices()
    }
}

/// Methods that read, one line each.
macro_rules! reads {
    ($(fn $name:ident(&self $(, $argument:ident: $kind:ty)*) -> $answer:ty;)*) => {
        $(fn $name(&self $(, $argument: $kind)*) -> Result<$answer> {
            self.reads.one()?;
            self.inner.projection().$name($($argument),*)
        })*
    };
}

impl View for Failing {
    type Error = Error;
    reads! {
        fn entry(&self, key: EntryKey) -> Option<Entry>;
        fn holder(&self, id: &GivenId) -> Option<EntryKey>;
        fn handle_taken(&self, handle: &str) -> bool;
        fn merged(&self, name: &str) -> Option<EntryKey>;
    }
}

impl Entries for Failing {
    reads! {
        fn resolve(&self, name: &str) -> Vec<EntryKey>;
        fn stored(&self, key: EntryKey) -> Option<Stored>;
        fn list(&self, query: &Query) -> Page;
        fn history(&self, key: EntryKey) -> Vec<Placed>;
        fn version(&self, key: EntryKey) -> Version;
    }
}

impl Links for Failing {
    reads! {
        fn tied_to(&self, key: EntryKey) -> Vec<(Relation, EntryKey)>;
        fn subjects(&self) -> Vec<Subject>;
        fn made_in(&self, run: &str) -> Vec<EntryKey>;
        fn at_path(&self, path: &str) -> Vec<EntryKey>;
    }
}

impl Documents for Failing {
    reads! {
        fn documents(&self, format: Option<&str>, root: Option<&str>) -> Vec<DocumentLine>;
        fn document(&self, name: &DocumentName) -> Option<Kept>;
        fn quoting(&self, key: EntryKey) -> Vec<Event>;
        fn was_purged(&self, key: EntryKey) -> bool;
        fn homes(&self) -> BTreeMap<EntryKey, Vec<DocumentName>>;
        fn former_homes(&self) -> BTreeMap<EntryKey, Vec<DocumentName>>;
    }
}

impl Runs for Failing {
    reads! {
        fn run(&self, name: &str) -> Option<Run>;
        fn runs(&self) -> Vec<Run>;
        fn serviced(&self, since: Millis) -> Vec<Serviced>;
        fn foraged(&self) -> Vec<Event>;
        fn promotions(&self) -> Vec<Promotion>;
    }
}

impl Deliveries for Failing {
    reads! {
        fn exposures(&self, run: &str) -> Vec<Exposure>;
        fn shown_to(&self, run: &str, agent: &str) -> HashSet<EntryKey>;
        fn shown(&self, key: EntryKey, since: Millis) -> Vec<(String, Exposure)>;
        fn injected_by(&self, actor: &str, since: Millis) -> Vec<(String, Exposure)>;
        fn injected(&self, key: EntryKey) -> Vec<Injected>;
        fn uses(&self, key: EntryKey) -> Vec<Use>;
        fn times_shown(&self) -> BTreeMap<EntryKey, usize>;
        fn questions(&self, since: Millis, latest: usize) -> Questions;
    }
}

impl Upkeep for Failing {
    reads! { fn counts(&self) -> Counts; }
}

impl Search for Failing {
    reads! {
        fn relevant(&self, asked: &Asked<'_>) -> Relevant;
        fn backlog(&self) -> usize;
    }
}

impl Timeline for Failing {
    reads! {
        fn end(&self) -> Cursor;
        fn log_end(&self) -> Option<LogEnd>;
        fn latest_clock(&self, topic: &Topic) -> Option<Clock>;
        fn latest_by(&self, actor: &str) -> Vec<Event>;
        fn latest(&self, events: usize) -> Vec<LoggedBatch>;
        fn event_count(&self) -> usize;
        fn dated_after(&self, clock: Clock) -> Vec<Placed>;
        fn events_holding(&self, text: &str) -> Vec<Event>;
        fn purged(&self) -> Vec<EventHash>;
        fn position(&self) -> String;
    }
}

impl Settings for Failing {
    fn overlay(&self, key: EntryKey) -> Overlay {
        self.inner.projection().overlay(key)
    }

    reads! {
        fn digest(&self) -> String;
        fn setting(&self, name: &str) -> Option<Value>;
        fn held(&self, key: EntryKey) -> Option<Value>;
    }
}

fn writer(name: &str) -> Writer {
    Writer {
        actor: format!("human:{name}"),
        now: crate::NOW,
        authority: Authority::attended("human:Ada", name == "Ada"),
    }
}

fn repository() -> MemoryRepository {
    MemoryRepository { paths: vec!["docs/a.md".into()], ..MemoryRepository::default() }
}

fn wish(kind: &str, content: Value) -> AddInput {
    AddInput {
        kind: Some(kind.to_owned()),
        content: content.as_object().unwrap().clone(),
        evidence: vec!["doc:docs/a.md".to_owned()],
        ..AddInput::default()
    }
}

fn lesson(id: &str, statement: &str) -> AddInput {
    wish(
        "lesson",
        json!({"id": id, "statement": statement, "anchors": ["docs/a.md"], "verification": ["look"], "merge_key": id}),
    )
}

fn proposal() -> ProposeInput {
    ProposeInput {
        sources: vec!["rule".to_owned()],
        to: "procedural".to_owned(),
        evidence: vec!["doc:docs/a.md".into()],
        reason: "seen often".into(),
        ..ProposeInput::default()
    }
}

fn policy() -> Policy {
    Policy { approvers: vec![Approver { name: "Ada".to_owned(), key: None }], solo: false, signed: false }
}

/// A ledger with two lessons, a note, a norm and what was asked for it.
fn store() -> Store {
    let store = Store { log: Arc::new(MemoryLog::new(ReplicaId([1; 6])).unwrap()), state: Arc::default() };
    let mut ledger = store.ledger();
    let (intake, bob) = (Intake::default(), writer("Bob"));
    for input in [
        lesson("one", "Retry network calls with jitter."),
        lesson("two", "Close what was opened."),
        wish("commit_norm", json!({"id": "rule", "rule": "Name the ticket in every commit."})),
    ] {
        add(&mut ledger, &repository(), input, &intake, &bob).unwrap();
    }
    note::note(&mut ledger, &repository(), "The build was red.", &[], &intake, &writer("Eve")).unwrap();
    promote::propose(&mut ledger, &repository(), proposal(), &intake, &bob).unwrap();
    store
}

/// Does something again and again, with each of its reads failing in turn, and says how many there are.
fn check(act: impl Fn(&mut Ledger) -> Result<()>) -> usize {
    for reads in 0..10_000 {
        let (mut ledger, asked) = store().failing(reads, Vec::new());
        let answer = act(&mut ledger);
        if !asked.failed.load(Ordering::Relaxed) {
            answer.unwrap();
            return reads;
        }
        let error = answer.expect_err("a read failed, and it is answered all the same");
        assert!(
            matches!(&error, Error::Failed(failure) if failure.source.to_string() == FAILED),
            "read {reads} failed, and it says: {error}"
        );
    }
    panic!("it reads without end");
}

#[test]
fn an_addition() {
    let add_one = |input: AddInput| {
        move |ledger: &mut Ledger| {
            add(ledger, &repository(), input.clone(), &Intake::default(), &writer("Ada")).map(drop)
        }
    };
    assert!(check(add_one(lesson("three", "Name the unit of every number."))) > 3);
    // The same words, the same merge key, a condition on another entry, a record's words cited.
    check(add_one(lesson("four", "Retry network calls with jitter.")));
    let mut merged = lesson("five", "Retry network calls with jitter and a limit.");
    merged.content.insert("merge_key".into(), json!("one"));
    merged.content.remove("id");
    check(add_one(merged));
    let mut depends = lesson("six", "Log in UTC.");
    depends.content.insert("depends_on".into(), json!(["two"]));
    depends.evidence.push("transcript:one".to_owned());
    check(add_one(depends));
}

#[test]
fn many_at_once() {
    let inputs = || vec![lesson("three", "Log in UTC."), lesson("four", "Close what was opened.")];
    check(|ledger| add_all(ledger, &repository(), inputs(), &Intake::default(), &writer("Ada")).map(drop));
}

#[test]
fn a_change() {
    let ada = || writer("Ada");
    let set = || Change { set: json!({"title": "Jitter"}).as_object().unwrap().clone(), ..Change::default() };
    check(|ledger| {
        let citing = Citing::default();
        change::revise(ledger, &repository(), "one", set(), citing, &Intake::default(), &ada()).map(drop)
    });
    check(|ledger| change::supersede(ledger, "one", "two", "newer".into(), &ada()).map(drop));
    check(|ledger| {
        let input = lesson("three", "Retry network calls with jitter, three times.");
        let intake = Intake::default();
        change::supersede_by_new(ledger, &repository(), "one", input, "newer".into(), &intake, &ada())
            .map(drop)
    });
    let relation = Relation::DerivedFrom.word();
    check(|ledger| change::link(ledger, "one", relation, "two", false, &ada()).map(drop));
    check(|ledger| change::retract(ledger, "one", "wrong".into(), &ada()).map(drop));
    check(|ledger| change::undo(ledger, "human:Eve", Attendance::Attended, &writer("Eve")).map(drop));
}

/// Somebody else is quicker: the decision is made anew, on what is there now.
#[test]
fn a_change_beside_another() {
    let beside = |meanwhile: Vec<Meanwhile>, act: fn(&mut Ledger) -> Result<change::ChangeAnswer>| {
        let store = store();
        let (mut ledger, _) = store.failing(usize::MAX, meanwhile);
        (act(&mut ledger), store.event_count())
    };
    let archived: Meanwhile =
        |store| drop(change::archive(store, "one", "not used".into(), &writer("Eve")).unwrap());
    let tagged: Meanwhile = |store| {
        let add = Change { tags_add: vec!["net".into()], ..Change::default() };
        let intake = Intake::default();
        drop(
            change::revise(store, &repository(), "one", add, Citing::default(), &intake, &writer("Eve"))
                .unwrap(),
        );
    };
    let archive: fn(&mut Ledger) -> Result<change::ChangeAnswer> =
        |ledger| change::archive(ledger, "one", "old".into(), &writer("Ada"));
    let (alone, before) = beside(Vec::new(), archive);
    assert_eq!(alone.unwrap().head.status, ken_core::Status::Archived);
    // What the other one did is kept, and counts for the decision.
    let (second, events) = beside(vec![archived], archive);
    assert_eq!(
        (second.unwrap().outcome, events),
        (ChangeOutcome::from_changed(false), before),
        "it is so already"
    );
    let (both, events) = beside(vec![tagged], archive);
    assert_eq!((both.unwrap().head.status, events), (ken_core::Status::Archived, before + 1));
    // Whoever is never left alone is told so, and nothing is written.
    let again: Meanwhile = |store| {
        let tag = format!("tag-{}", store.event_count().unwrap());
        let add = Change { tags_add: vec![tag], ..Change::default() };
        let intake = Intake::default();
        change::revise(store, &repository(), "one", add, Citing::default(), &intake, &writer("Eve")).unwrap();
    };
    let (never, _) = beside(vec![again; 9], archive);
    let error = never.expect_err("somebody was always quicker");
    assert!(error.is_conflict(), "{error}");
}

#[test]
fn a_confirmation() {
    check(|ledger| {
        let speaker = Speaker { run: None, agent: "ada", voice: Voice::Person, at: None };
        confirm::confirm(ledger, "one", speaker, "seen".into(), &writer("Ada")).map(drop)
    });
}

#[test]
fn a_promotion() {
    let source = || ProposeInput { sources: vec!["two".to_owned()], ..proposal() };
    check(|ledger| {
        promote::propose(ledger, &repository(), source(), &Intake::default(), &writer("Eve")).map(drop)
    });
    check(|ledger| {
        let name = ledger.promotions()?[0].proposed.promotion.clone();
        let (policy, mut sign) = (policy(), |_: &str| Ok(None));
        let verify = |_: &str, _: &str, _: &str| false;
        let mut yes =
            Yes { policy: &policy, channel: "terminal", sign: &mut sign, verify: &verify, shown: None };
        promote::approve(ledger, &repository(), &name, &mut yes, &Intake::default(), &writer("Ada")).map(drop)
    });
}

#[test]
fn a_gate() {
    let reads = check(|ledger| gate(ledger.projection(), &crate::look(&policy(), crate::NOW)).map(drop));
    assert_eq!(reads, 5, "promotions, then entries by memory, then everything but norms once");
}
