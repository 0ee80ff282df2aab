//! A read that fails is an error, whatever it was for: nothing is written after it, and nothing is answered as if there were nothing.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};

use ken_core::answer::ChangeOutcome;
use ken_core::decide::{Change, View};
use ken_core::promotion::{Approver, Policy, Promotion};
use ken_core::run::{Exposure, Run};
use ken_core::{
    DocumentName, Entry, EntryKey, Event, GivenId, Intent, Kept, Millis, Overlay, OverlayEvent, Relation,
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
    Asked, Attendance, Counts, Deliveries, DocumentLine, Documents, Entries, Error, Injected, Ledger, Links,
    Page, Placed, Projection, Query, Questions, ReadSet, Relevant, Result, Runs, Search, Settings, Stored,
    Upkeep, Use, Version, Writer,
};
use ken_store::MemoryStore;
use serde_json::{Value, json};

const FAILED: &str = "the disk does not answer";

/// A ledger in memory of which one read fails.
struct Failing {
    inner: MemoryStore,
    /// Reads that still work.
    left: Cell<usize>,
    failed: Cell<bool>,
    /// What somebody else does just before something is written.
    meanwhile: Vec<Meanwhile>,
}

type Meanwhile = fn(&mut MemoryStore);

impl Failing {
    fn read(&self) -> Result<()> {
        match self.left.get() {
            0 => {
                self.failed.set(true);
                Err(Error::failed("reading")(FAILED))
            }
            left => {
                self.left.set(left - 1);
                Ok(())
            }
        }
    }

    fn write(&self) {
        assert!(!self.failed.get(), "something is written after a read failed");
    }
}

/// Methods that read, one line each.
macro_rules! reads {
    ($(fn $name:ident(&self $(, $argument:ident: $kind:ty)*) -> $answer:ty;)*) => {
        $(fn $name(&self $(, $argument: $kind)*) -> Result<$answer> {
            self.read()?;
            self.inner.$name($($argument),*)
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
        fn latest_by(&self, actor: &str) -> Vec<Event>;
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

impl Settings for Failing {
    fn overlay(&self, key: EntryKey) -> Overlay {
        self.inner.overlay(key)
    }

    reads! {
        fn digest(&self) -> String;
        fn setting(&self, name: &str) -> Option<Value>;
        fn held(&self, key: EntryKey) -> Option<Value>;
    }
}

impl Ledger for Failing {
    fn projection(&self) -> &(dyn Projection + 'static) {
        self
    }

    fn replica(&mut self) -> Result<ReplicaId> {
        self.read()?;
        self.inner.replica()
    }

    fn append_on(&mut self, read: &ReadSet, intents: Vec<Intent>, writer: &Writer) -> Result<Vec<Event>> {
        self.write();
        if let Some(meddle) = self.meanwhile.pop() {
            meddle(&mut self.inner);
        }
        self.inner.append_on(read, intents, writer)
    }

    fn hold(&mut self, key: EntryKey, held: &Value) -> Result<()> {
        self.write();
        self.inner.hold(key, held)
    }

    fn let_go(&mut self, key: EntryKey) -> Result<()> {
        self.write();
        self.inner.let_go(key)
    }

    fn lay(&mut self, event: OverlayEvent) -> Result<bool> {
        self.write();
        self.inner.lay(event)
    }
}

fn writer(name: &str) -> Writer {
    Writer { actor: format!("human:{name}"), now: crate::NOW, approver: name == "Ada" }
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
fn ledger() -> MemoryStore {
    let mut ledger = MemoryStore::new(ReplicaId([1; 6]));
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
    ledger
}

/// Does something again and again, with each of its reads failing in turn, and says how many there are.
fn check(act: impl Fn(&mut Failing) -> Result<()>) -> usize {
    for reads in 0..10_000 {
        let inner = ledger();
        let mut failing =
            Failing { inner, left: Cell::new(reads), failed: Cell::new(false), meanwhile: Vec::new() };
        let answer = act(&mut failing);
        if !failing.failed.get() {
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
        move |ledger: &mut Failing| {
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
    let beside = |meanwhile: Vec<Meanwhile>, act: fn(&mut Failing) -> Result<change::ChangeAnswer>| {
        let (left, failed) = (Cell::new(usize::MAX), Cell::new(false));
        let mut ledger = Failing { inner: ledger(), left, failed, meanwhile };
        let answer = act(&mut ledger);
        let events = ledger.inner.events().len();
        (answer, events)
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
    let archive: fn(&mut Failing) -> Result<change::ChangeAnswer> =
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
        let tag = format!("tag-{}", store.events().len());
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
        let name = ledger.inner.promotions()?[0].proposed.promotion.clone();
        let (policy, mut sign) = (policy(), |_: &str| Ok(None));
        let verify = |_: &str, _: &str, _: &str| false;
        let mut yes =
            Yes { policy: &policy, channel: "terminal", sign: &mut sign, verify: &verify, shown: None };
        promote::approve(ledger, &repository(), &name, &mut yes, &Intake::default(), &writer("Ada")).map(drop)
    });
}

#[test]
fn a_gate() {
    let reads = check(|ledger| gate(ledger, &crate::look(&policy(), crate::NOW)).map(drop));
    assert_eq!(reads, 4, "entries are read twice, their origins and promotions once");
}
