//! What is said already makes no second entry, and what only looks like it does (IN-6).

use ken_core::decide::{Authority, Outcome};
use ken_core::{Millis, ReplicaId};
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddAnswer, AddInput, add, add_all};
use ken_engine::ops::queue::{Act, Verdict, resolve, rule, worksheet};
use ken_engine::ops::similar::Compared;
use ken_engine::ops::{change, read, similar};
use ken_engine::view::EntryView;
use ken_engine::{Attendance, Calibration, Embedder, Ledger, ModelCard, Query, Result, Writer};
use serde_json::{Map, Value, json};

/// A model to which everything means the same, but for what is said roughly: that is a little off. So nothing but the checks of
/// the intake keeps two texts apart.
struct Alike(ModelCard);

/// How near what is said roughly is to the rest: between the two thresholds.
const ROUGHLY: f32 = 0.88;

impl Alike {
    fn new() -> Alike {
        Alike(ModelCard { name: "alike".into(), dimensions: 8, calibration: Calibration::MINILM })
    }
}

impl Embedder for Alike {
    fn card(&self) -> &ModelCard {
        &self.0
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let meaning = |text: &&str| {
            let mut vector = vec![0.0; 8];
            vector[0] = if text.to_lowercase().contains("roughly") { ROUGHLY } else { 1.0 };
            vector[1] = (1.0 - vector[0] * vector[0]).sqrt();
            vector
        };
        Ok(texts.iter().map(meaning).collect())
    }
}

/// A ledger, a model, and somebody who writes.
struct Store {
    ledger: Ledger,
    model: Alike,
    writer: Writer,
}

impl Store {
    fn new() -> Store {
        let model = Alike::new();
        let mut ledger = ken_log_memory::ledger(ReplicaId([1; 6])).unwrap();
        ledger.vectors().use_model(model.card()).unwrap();
        Store {
            ledger,
            model,
            writer: Writer {
                actor: "human:Ada".into(),
                now: Millis(1_772_366_400_000),
                authority: Authority::attended("human:Ada", false),
            },
        }
    }

    /// A store with one entry: what every later one is held against.
    fn with(input: AddInput) -> Store {
        let mut store = Store::new();
        assert_eq!(store.add(input).outcome, Outcome::Added);
        store
    }

    fn tries(&mut self, input: AddInput) -> Result<AddAnswer> {
        self.writer.now.0 += 1000;
        let intake = Intake { embedder: Some(&self.model), ..Intake::default() };
        let added = add(&mut self.ledger, &MemoryRepository::default(), input, &intake, &self.writer);
        self.take_meanings();
        added
    }

    /// Makes the vectors of what was written, as verbs do after a write.
    fn take_meanings(&mut self) {
        self.ledger.embed(&self.model, usize::MAX, &mut |_, _| Ok(true)).unwrap();
    }

    fn add(&mut self, input: AddInput) -> AddAnswer {
        self.tries(input).unwrap()
    }

    /// Adds many at once: whether they are said already is left for later.
    fn queue(&mut self, inputs: Vec<AddInput>) -> Result<Vec<AddAnswer>> {
        self.writer.now.0 += 1000;
        let intake = Intake { embedder: Some(&self.model), ..Intake::default() };
        let added = add_all(&mut self.ledger, &MemoryRepository::default(), inputs, &intake, &self.writer);
        self.take_meanings();
        added
    }

    /// The vectors of everything arrive.
    fn embed(&mut self) -> usize {
        self.compare(Compared::Queued)
    }

    fn compare(&mut self, compared: Compared) -> usize {
        let all = Query { all: true, ..Query::default() };
        let keys: Vec<_> =
            self.ledger.list(&all).unwrap().entries.iter().map(|stored| stored.entry.key).collect();
        similar::propose(&mut self.ledger, &keys, compared, &self.model, &self.writer).unwrap()
    }

    fn show(&self, id: &str) -> EntryView {
        read::show(self.ledger.projection(), id, crate::NOW).unwrap()
    }

    fn events(&self) -> usize {
        self.ledger.event_count().unwrap()
    }

    fn entries(&self) -> usize {
        read::list(self.ledger.projection(), &Query { all: true, ..Query::default() }, crate::NOW)
            .unwrap()
            .total
    }

    /// Who seems to say what whom says, as `newer>older`.
    fn proposals(&self) -> String {
        let all = read::list(self.ledger.projection(), &Query { all: true, ..Query::default() }, crate::NOW)
            .unwrap();
        let mut pairs: Vec<String> = Vec::new();
        for line in all.items {
            let view = self.show(&line.id);
            pairs.extend(view.similar_to.iter().map(|similar| format!("{}>{}", view.id, similar.id)));
        }
        pairs.sort();
        pairs.join(" ")
    }
}

fn said(view: &EntryView) -> &str {
    view.fields["statement"].as_str().unwrap()
}

const CLAIM: &str = "Retry idempotent requests with `send_again`.";
const PARAPHRASE: &str = "With `send_again`, retry idempotent requests.";

fn lesson(statement: &str) -> AddInput {
    of("lesson", json!({"statement": statement, "anchors": ["src/net.rs"], "verification": ["look"]}))
}

fn of(kind: &str, content: Value) -> AddInput {
    AddInput {
        kind: Some(kind.into()),
        content: content.as_object().unwrap().clone(),
        evidence: vec!["pr:1".into()],
        ..AddInput::default()
    }
}

fn with(input: AddInput, more: Value) -> AddInput {
    let mut content: Map<String, Value> = input.content.clone();
    content.extend(more.as_object().unwrap().clone());
    AddInput { content, ..input }
}

fn cited(input: AddInput, evidence: &str) -> AddInput {
    AddInput { evidence: vec![evidence.into()], ..input }
}

fn named(id: &str, statement: &str) -> AddInput {
    with(lesson(statement), json!({"id": id}))
}

#[test]
fn saying_it_again_writes_nothing() {
    let mut store = Store::with(lesson(CLAIM));
    let before = store.events();
    for again in [
        CLAIM,
        "RETRY  idempotent\trequests with `send_again`",
        "Ｒetry idempotent requests with `send_again`!",
    ] {
        let answer = store.add(lesson(again));
        assert_eq!(
            (answer.outcome, store.events(), store.entries()),
            (Outcome::Reinforced, before, 1),
            "{again}"
        );
    }
    let more = store.add(cited(lesson(CLAIM), "pr:2"));
    assert_eq!((more.outcome, store.events()), (Outcome::Reinforced, before + 1), "one more citation");
    assert_eq!(store.show(&more.id).provenance.len(), 2);
    assert!(store.show(&more.id).wordings.is_empty(), "it was said in the same words");
}

#[test]
fn other_words_for_it_are_kept_with_the_entry_that_is_there() {
    let mut store = Store::with(lesson(CLAIM));
    let answer = store.add(cited(lesson(PARAPHRASE), "pr:2"));
    assert_eq!((answer.outcome, store.entries()), (Outcome::Reinforced, 1));
    let why = answer.reasons.join("; ");
    assert!(why.contains("says the same in other words (1.00)") && why.contains("and 1 citation"), "{why}");
    let view = store.show(&answer.id);
    assert_eq!(said(&view), CLAIM, "its own words stand");
    assert_eq!(
        (view.wordings.iter().map(String::as_str).collect::<Vec<_>>(), view.provenance.len()),
        (vec![PARAPHRASE], 2)
    );
    let before = store.events();
    let again = store.add(cited(lesson(PARAPHRASE), "pr:2"));
    assert_eq!(
        (again.outcome, again.id, store.events()),
        (Outcome::Reinforced, answer.id, before),
        "nothing new was said"
    );
}

/// What keeps `other` apart from a store that has `first`, by the outcome and the entries after it.
fn apart(why: &str, first: AddInput, other: AddInput) {
    let mut store = Store::with(first.clone());
    let answer = store.add(other.clone());
    assert_eq!((answer.outcome, store.entries()), (Outcome::Added, 2), "{why}: {:?}", answer.reasons);
    // The same when both were queued: nothing is merged, and noted is what the writer would have been told of (COR-27).
    let noted = store.proposals().split_whitespace().count();
    let mut store = Store::new();
    store.queue(vec![first, other]).unwrap();
    assert_eq!((store.embed(), store.entries()), (noted, 2), "{why}");
}

#[test]
fn never_across_kind_scope_thread_or_what_counts_in_a_claim() {
    let thread = |name: &str| json!({"scope": "thread", "thread": name});
    let skill = |subtype: &str, statement: &str| {
        with(
            of("skill", json!({"statement": statement, "anchors": ["src/net.rs"], "verification": ["look"]})),
            json!({"subtype": subtype}),
        )
    };
    apart("kind", lesson(CLAIM), of("pattern", lesson(PARAPHRASE).content.into()));
    apart("sub-type", skill("technique", CLAIM), skill("anti_pattern", PARAPHRASE));
    apart("scope", lesson(CLAIM), with(lesson(PARAPHRASE), json!({"scope": "global"})));
    apart("a thread and its project", lesson(CLAIM), with(lesson(PARAPHRASE), thread("T1")));
    apart("two threads", with(lesson(CLAIM), thread("T1")), with(lesson(PARAPHRASE), thread("T2")));
    apart("polarity", lesson(CLAIM), with(lesson(PARAPHRASE), json!({"polarity": "negative"})));
    apart("anchor", lesson(CLAIM), with(lesson(PARAPHRASE), json!({"anchors": ["src/disk.rs"]})));
    for (why, one, other) in [
        ("negation", "Retry failed uploads at night.", "Do not retry failed uploads at night."),
        ("number", "The queue holds 500 jobs.", "The queue holds 5000 jobs."),
        ("version", "Build with Python 3.11.", "Build with Python 3.12."),
        ("identifier", "Call `flush_all` before closing.", "Call `flush_one` before closing."),
        ("path in the text", "Keep fixtures in tests/data.", "Keep fixtures in tests/golden."),
    ] {
        apart(why, lesson(one), lesson(other));
    }
}

#[test]
fn the_same_thread_is_one_scope() {
    let thread = json!({"scope": "thread", "thread": "T1"});
    let mut store = Store::with(with(lesson(CLAIM), thread.clone()));
    assert_eq!(store.add(with(lesson(PARAPHRASE), thread)).outcome, Outcome::Reinforced);
}

#[test]
fn what_is_not_handed_out_is_not_reinforced_in_other_words() {
    let mut store = Store::with(named("first", CLAIM));
    change::archive(&mut store.ledger, "first", "old".into(), &store.writer).unwrap();
    assert_eq!(store.add(lesson(PARAPHRASE)).outcome, Outcome::Added);
    let same = store.add(lesson(CLAIM));
    assert_eq!(same.outcome, Outcome::Reinforced, "the same words are the same entry, wherever it stands");
    assert!(same.reasons.join("; ").contains("ken restore first"), "{:?}", same.reasons);
}

#[test]
fn evidence_for_a_claim_is_none_for_its_opposite() {
    let mut store = Store::with(with(named("first", CLAIM), json!({"polarity": "positive"})));
    let before = store.events();
    let refused = store.tries(with(lesson(CLAIM), json!({"polarity": "negative"}))).unwrap_err().to_string();
    assert!(refused.contains("first has the same wording but a different meaning"), "{refused}");
    assert!(refused.contains("the new one is recorded as `negative`, first is recorded as"), "{refused}");
    assert_eq!(store.events(), before);
    store.add(lesson("Ask with `curl -X POST`."));
    let refused = store.tries(lesson("Ask with `curl -x POST`.")).unwrap_err().to_string();
    assert!(refused.contains("the new one names `-x`") && refused.contains("names `-X`"), "{refused}");
    let elsewhere = store.add(with(lesson(CLAIM), json!({"anchors": ["src/disk.rs"]})));
    assert_eq!(elsewhere.outcome, Outcome::Reinforced);
    assert!(elsewhere.reasons.join("; ").contains("it keeps its own anchors"), "{:?}", elsewhere.reasons);
}

#[test]
fn what_a_machine_took_out_of_a_transcript_is_compared_less_strictly() {
    let rough = || with(lesson(PARAPHRASE), json!({"title": "Roughly"}));
    let mut store = Store::with(lesson(CLAIM));
    let taken = store.add(AddInput { extracted: true, ..rough() });
    assert_eq!(taken.outcome, Outcome::Reinforced, "{:?}", taken.reasons);
    assert!(taken.reasons[0].contains("(0.88)"), "{:?}", taken.reasons);
    let mut store = Store::with(lesson(CLAIM));
    assert_eq!(store.add(rough()).outcome, Outcome::Added, "a person may have meant it");
}

#[test]
fn who_writes_is_told_of_an_entry_that_may_say_the_opposite() {
    for (first, other) in [
        ("Use sqlx for database access.", "Do not use sqlx; write SQL with the driver."),
        ("Never commit the lock file.", "Commit the lock file so that builds are reproducible."),
        ("Prefer pnpm over npm.", "Use npm, not pnpm."),
        ("Lines must be at most 100 characters.", "Lines must be more than 120 characters."),
    ] {
        let mut store = Store::with(named("first", first));
        // Of another kind, and with nothing recorded of do or do not.
        let other = of("pattern", named("second", other).content.into());
        let answer = store.add(other);
        assert_eq!((answer.outcome, store.entries()), (Outcome::Added, 2), "it is kept: {answer:?}");
        let why = answer.reasons.join("; ");
        let handle = store.show("first").handle;
        assert!(why.contains(&format!("may contradict {handle}: {first:?}")), "{first}: {why}");
        assert!(why.contains(&format!("ken supersede {handle} {}", answer.handle)), "{why}");
    }
    let mut store = Store::with(with(named("first", CLAIM), json!({"polarity": "positive"})));
    let turned = store.add(with(lesson("Sending requests again fails."), json!({"polarity": "negative"})));
    assert!(turned.reasons.join("; ").contains("may contradict"), "{:?}", turned.reasons);
    let mut store = Store::with(named("first", "Retry the upload when the gateway answers 503."));
    let beside = store.add(lesson("Do not retry the upload when the gateway answers 401."));
    assert!(!beside.reasons.join("; ").contains("may contradict"), "{:?}", beside.reasons);
}

#[test]
fn who_writes_is_told_of_an_entry_that_may_say_the_same_and_the_pair_waits() {
    let mut store = Store::with(named("first", CLAIM));
    let rough = store.add(with(named("second", PARAPHRASE), json!({"title": "Roughly"})));
    let why = rough.reasons.join("; ");
    assert!(why.contains("may say the same as") && why.contains("(0.88)"), "{why}");
    assert_eq!(store.proposals(), "second>first");
    // One more condition: only somebody who knows can tell.
    let mut store = Store::with(named("first", CLAIM));
    let more = store.add(named("second", "Retry idempotent requests with `send_again`, regardless of size."));
    assert!(more.reasons.join("; ").contains("may say the same as"), "{:?}", more.reasons);
    assert_eq!(store.proposals(), "second>first");
    let mut store = Store::with(named("first", CLAIM));
    change::archive(&mut store.ledger, "first", "old".into(), &store.writer).unwrap();
    let alone = store.add(lesson("Do not retry idempotent requests with `send_again`."));
    assert!(alone.reasons.is_empty(), "what is put away is nobody's concern: {:?}", alone.reasons);
}

/// The names of the items that wait, and what is asked.
fn waiting(store: &Store) -> Vec<(String, String)> {
    let sheet = worksheet(store.ledger.projection(), &[], &[], usize::MAX).unwrap();
    sheet.items.into_iter().map(|item| (item.item, item.question)).collect()
}

// COR-27. Regression: the writer was told of these, and nobody ever again.
#[test]
fn what_the_writer_was_told_of_waits_in_the_queue() {
    let titled = |id: &str, title: &str, statement: &str| with(named(id, statement), json!({"title": title}));
    let mut store = Store::with(titled("first", "Database", "Use sqlx for database access."));
    // Of another kind, and below a title that says nothing of it.
    let says = "Do not use sqlx; write SQL with the driver.";
    let told = store.add(of("pattern", titled("second", "How rows are read", says).content.into()));
    assert!(told.reasons.join("; ").contains("may contradict"), "{:?}", told.reasons);
    let items = waiting(&store);
    assert_eq!(items.len(), 1, "{items:?}");
    assert!(items[0].0.starts_with("opposed ") && items[0].1.contains("contradict"), "{items:?}");
    let verdict =
        Verdict { item: items[0].0.clone(), answer: "both_hold".into(), reason: "two services".into() };
    let Act::Resolve(one, other, reason) = rule(&mut store.ledger, &verdict, &store.writer).unwrap() else {
        panic!("it is an answer to an item")
    };
    resolve(&mut store.ledger, &one, &other, &reason, &store.writer).unwrap();
    assert_eq!(waiting(&store), [], "a recorded resolution ends it");

    // One more condition.
    let mut store = Store::with(named("first", CLAIM));
    store.add(named("second", "Retry idempotent requests with `send_again`, regardless of size."));
    let items = waiting(&store);
    assert_eq!((items.len(), items[0].0.as_str()), (1, "same second first"), "{items:?}");
    assert!(items[0].1.contains("only second says"), "{items:?}");

    // What a rule keeps apart: somebody who knows decides, and the reason is a clause of plain words.
    let mut store = Store::with(named("first", CLAIM));
    let told = store.add(named("second", "With `send_again` of `net`, retry idempotent requests."));
    let why = told.reasons.join("; ");
    assert!(
        why.contains("similar to") && why.contains("not taken for the same: only the new one names `net`"),
        "{why}"
    );
    assert_eq!(waiting(&store)[0].0, "same second first");

    // Two names are two things, and a list of them is no list of duplicates.
    let mut store = Store::with(named("first", "Call `flush_all` before closing."));
    let told = store.add(named("second", "Call `flush_one` before closing."));
    assert!(told.reasons.join("; ").contains("the new one names `flush_one`"), "{:?}", told.reasons);
    assert_eq!(waiting(&store), []);
}

#[test]
fn a_norm_that_may_say_the_same_is_replaced_and_not_merged() {
    let norm = |id: &str, statement: &str| of("user_expectation", named(id, statement).content.into());
    let mut store = Store::with(norm("first", CLAIM));
    let told = store.add(norm("second", "Retry idempotent requests with `send_again`, regardless of size."));
    let handle = store.show("first").handle;
    assert!(
        told.reasons.join("; ").contains(&format!("if so: ken supersede {handle}")),
        "{:?}",
        told.reasons
    );
    let sheet = worksheet(store.ledger.projection(), &[], &[], usize::MAX).unwrap();
    assert_eq!(sheet.items[0].answers, ["different"], "{sheet:?}");
    assert!(sheet.items[0].fixes.iter().any(|fix| fix.command == "ken supersede first second"), "{sheet:?}");
}

#[test]
fn a_contradiction_is_noted_when_the_meanings_of_many_arrive() {
    let mut store = Store::new();
    let titled = |id: &str, title: &str, statement: &str| with(named(id, statement), json!({"title": title}));
    store
        .queue(vec![
            titled("a", "Sessions", "Use Redis for session storage."),
            titled("b", "Where a login is kept", "Do not use Redis for sessions."),
        ])
        .unwrap();
    assert_eq!((store.embed(), store.proposals().as_str()), (1, "b>a"));
    assert!(waiting(&store)[0].0.starts_with("opposed "));
}

fn keyed(id: &str, statement: &str, on_conflict: &str) -> AddInput {
    with(named(id, statement), json!({"merge_key": "retry-policy", "on_conflict": on_conflict}))
}

#[test]
fn a_merge_key_merges() {
    let mut store = Store::with(keyed("first", "Retry twice.", "merge"));
    let answer = store
        .add(with(cited(keyed("second", "Retry three times.", "merge"), "pr:2"), json!({"tags": ["net"]})));
    assert_eq!((answer.outcome, answer.id.as_str(), store.entries()), (Outcome::Merged, "first", 1));
    let view = store.show("first");
    assert_eq!(said(&view), "Retry three times.");
    assert_eq!((view.provenance.len(), view.fields["tags"].as_array().unwrap().len()), (2, 1));
    let before = store.events();
    let again = store.add(cited(keyed("second", "Retry three times.", "merge"), "pr:2"));
    assert_eq!((again.outcome, store.events()), (Outcome::Merged, before), "{:?}", again.reasons);
}

#[test]
fn a_merge_key_supersedes() {
    let mut store = Store::with(keyed("first", "Retry twice.", "merge"));
    let answer = store.add(keyed("second", "Retry three times.", "supersede"));
    assert_eq!((answer.outcome, answer.id.as_str(), store.entries()), (Outcome::Added, "second", 2));
    let (old, new) = (store.show("first"), store.show("second"));
    assert_eq!((old.status.word(), old.superseded_by.as_deref()), ("superseded", Some("second")));
    assert_eq!(new.links[0].to, "first");
    let third = store.add(keyed("third", "Retry four times.", "merge"));
    assert_eq!(third.id, "second", "the key belongs to who took the place");
}

#[test]
fn a_merge_key_rejects() {
    let mut store = Store::with(keyed("first", "Retry twice.", "merge"));
    let before = store.events();
    let refused = store.tries(keyed("second", "Retry three times.", "reject")).unwrap_err().to_string();
    assert!(refused.contains("belongs to first"), "{refused}");
    assert_eq!(store.events(), before);
    let elsewhere = of("pattern", keyed("other", "Retry three times.", "reject").content.into());
    assert_eq!(store.add(elsewhere).outcome, Outcome::Added, "a key belongs to a type");
}

#[test]
fn a_merge_key_holds_within_a_batch() {
    let batch = |on_conflict: &str| {
        vec![
            keyed("first", "Retry twice.", on_conflict),
            named("other", "Close what was opened."),
            cited(keyed("second", "Retry three times.", on_conflict), "pr:2"),
        ]
    };
    let mut store = Store::new();
    let outcomes: Vec<Outcome> =
        store.queue(batch("merge")).unwrap().iter().map(|answer| answer.outcome).collect();
    assert_eq!((outcomes, store.entries()), (vec![Outcome::Added, Outcome::Added, Outcome::Merged], 2));
    assert_eq!(said(&store.show("first")), "Retry three times.");
    assert_eq!(store.show("first").provenance.len(), 2);

    let mut store = Store::new();
    let outcomes: Vec<Outcome> =
        store.queue(batch("supersede")).unwrap().iter().map(|answer| answer.outcome).collect();
    assert_eq!((outcomes, store.entries()), (vec![Outcome::Added, Outcome::Added, Outcome::Added], 3));
    assert_eq!(store.show("first").superseded_by.as_deref(), Some("second"));

    let mut store = Store::new();
    let refused = store.queue(batch("reject")).unwrap_err().to_string();
    assert!(refused.contains("belongs to first"), "{refused}");
    assert_eq!((store.events(), store.entries()), (0, 0), "all or none");
}

#[test]
fn what_was_queued_is_compared_when_its_vector_arrives() {
    let mut store = Store::new();
    let answers = store
        .queue(vec![named("a", CLAIM), named("b", PARAPHRASE), named("c", "Close `handle` when done.")])
        .unwrap();
    assert!(answers.iter().all(|answer| answer.outcome == Outcome::Added));
    let before = (store.show("a"), store.show("b"));
    assert_eq!(before.0.not_run, ["similarity"]);
    assert_eq!((store.embed(), store.proposals().as_str()), (1, "b>a"));
    let after = store.show("b");
    assert_eq!(after.similar_to[0].similarity, 1.0);
    // Nothing acknowledged is withdrawn, nor does a guess count as a change.
    let standing =
        |view: &EntryView| (view.status, said(view).to_owned(), view.updated.clone(), view.provenance.len());
    assert_eq!([&before.0, &before.1].map(standing), [&store.show("a"), &after].map(standing));
    let events = store.events();
    assert_eq!((store.embed(), store.events()), (0, events), "a pair is noted once");
}

#[test]
fn the_newer_points_to_the_older_whichever_vector_came_last() {
    let mut store = Store::new();
    store.queue(vec![named("old", CLAIM), named("other", "Close `handle` when done.")]).unwrap();
    store.queue(vec![named("new", PARAPHRASE), named("more", "Sort the `imports`.")]).unwrap();
    let key = |store: &Store, id: &str| store.ledger.resolve(id).unwrap()[0];
    let old = key(&store, "old");
    similar::propose(&mut store.ledger, &[old], Compared::Queued, &store.model, &store.writer).unwrap();
    assert_eq!(store.proposals(), "new>old");
    let new = key(&store, "new");
    assert_eq!(
        similar::propose(&mut store.ledger, &[new], Compared::Queued, &store.model, &store.writer).unwrap(),
        0
    );
}

// Two callers say the same at the same time: when each was looked at, the other had no vector yet.
#[test]
fn what_was_added_side_by_side_is_compared_when_its_vector_arrives() {
    let mut store = Store::with(named("a", CLAIM));
    change::archive(&mut store.ledger, "a", "not there yet".into(), &store.writer).unwrap();
    store.add(named("b", PARAPHRASE));
    change::restore(&mut store.ledger, "a", "there".into(), &store.writer).unwrap();
    assert_eq!((store.compare(Compared::Every), store.proposals().as_str()), (1, "b>a"));
    assert_eq!(store.compare(Compared::Every), 0, "a pair is noted once");
}

#[test]
fn only_what_came_in_without_a_look_is_looked_at() {
    let mut store = Store::with(named("a", CLAIM));
    change::archive(&mut store.ledger, "a", "for now".into(), &store.writer).unwrap();
    store.add(named("b", PARAPHRASE));
    change::restore(&mut store.ledger, "a", "after all".into(), &store.writer).unwrap();
    assert_eq!(store.embed(), 0, "both were looked at when they were added");
}

#[test]
fn what_is_gone_or_tied_already_is_left_alone() {
    let queued = || {
        let mut store = Store::new();
        store.queue(vec![named("a", CLAIM), named("b", PARAPHRASE)]).unwrap();
        store
    };
    let mut store = queued();
    change::archive(&mut store.ledger, "a", "old".into(), &store.writer).unwrap();
    assert_eq!(store.embed(), 0);
    let mut store = queued();
    change::link(&mut store.ledger, "a", "contradicts", "b", false, &store.writer).unwrap();
    assert_eq!(store.embed(), 0, "somebody has said how they relate");
}

#[test]
fn undo_passes_over_what_was_noticed() {
    let mut store = Store::new();
    store.queue(vec![named("a", CLAIM), named("b", PARAPHRASE)]).unwrap();
    assert_eq!(store.embed(), 1);
    change::undo(&mut store.ledger, &store.writer.actor, Attendance::Attended, &store.writer).unwrap();
    assert_eq!([store.show("a"), store.show("b")].map(|view| view.status.word()), ["retracted", "retracted"]);
}

// A revision by which an entry said the opposite of another one was answered with `changed` alone.
#[test]
fn who_rewords_an_entry_is_told_of_others_as_who_adds_one() {
    let mut store = Store::with(lesson("Use gzip for all backups."));
    let id = store.add(lesson("Roughly half of the restores fail.")).id;
    let set = Map::from_iter([("statement".to_owned(), json!("Do not use gzip for all backups."))]);
    let change = ken_core::decide::Change { set, ..Default::default() };
    let (repository, intake) = (MemoryRepository::default(), Intake::default());
    let citing = change::Citing::default();
    change::revise(&mut store.ledger, &repository, &id, change, citing, &intake, &store.writer).unwrap();
    let key = ken_engine::ops::find(store.ledger.projection(), &id).unwrap().entry.key;
    let told = similar::remarks_on_revised(&mut store.ledger, key, &store.model, &store.writer).unwrap();
    assert!(told[0].starts_with("may contradict L-"), "{told:?}");
    assert!(told[0].contains("Use gzip for all backups."), "{told:?}");
}

// Without a model nobody compared anything, and two rules of which one forbids the other stood side by side.
#[test]
fn without_a_model_the_writer_is_told_of_the_opposite_by_its_words() {
    let mut store = Store::new();
    let mut add = |input: AddInput| {
        store.writer.now.0 += 1000;
        let (repository, intake) = (MemoryRepository::default(), Intake::default());
        ken_engine::ops::add::add(&mut store.ledger, &repository, input, &intake, &store.writer).unwrap()
    };
    add(lesson("Close the socket after each batch."));
    let stands = add(named("first", "Store money as floats.")).handle;
    let told = add(lesson("Do not store money as floats."));
    let why = told.reasons.join("; ");
    assert!(why.contains(&format!("may contradict {stands}: \"Store money as floats.\"")), "{why}");
    // Of a paraphrase, words tell nothing.
    let beside = add(lesson("Store money as floats with two digits."));
    assert!(!beside.reasons.join("; ").contains(&stands), "{:?}", beside.reasons);
    let items = waiting(&store);
    assert!(items.iter().any(|(item, _)| item.starts_with("opposed ")), "{items:?}");
}
