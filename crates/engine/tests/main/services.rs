//! The services of `maintain` over random histories (UPK-1 to UPK-4, UPK-8): nothing is lost and nothing doubled, twice is once, their
//! order does not matter, and what was done can be taken back.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ken_core::belief::Side;
use ken_core::decide::Authority;
use ken_core::run::{RunKind, RunOutcome};
use ken_core::{
    BeliefEvent, Body, Clock, EntryEvent, EntryKey, Intent, LinkEvent, Millis, Relation, ReplicaId, RunEvent,
    ServicedOutcome, Status, place,
};
use ken_engine::intake::Intake;
use ken_engine::judge::{Distilled, Relation as Ruled, Ruling};
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddInput, add};
use ken_engine::ops::change;
use ken_engine::ops::maintain::{
    Facts, MaintainJudge, NoJudge, Plan, SERVICES, ServiceOutcome, ServiceReport, plan, service,
};
use ken_engine::ops::run::{self, FinishInput, StartInput};
use ken_engine::upkeep::Delivered;
use ken_engine::{Attendance, Ledger, Query, Writer};
use proptest::prelude::*;
use serde_json::json;

const DAY: i64 = 86_400_000;

/// Something that happens to one of the entries.
#[derive(Clone, Debug)]
enum Happens {
    /// An entry is stated, of one of a few subjects: entries of one subject say the same, more or less.
    Stated(u8),
    Observed(usize, bool),
    Missed(usize),
    Delivered(usize),
    /// Some entries are used together by a run that succeeds.
    Used(Vec<usize>),
    Verified(usize),
    Days(u8),
}

fn happens() -> impl Strategy<Value = Happens> {
    let any_entry = || 0usize..64;
    prop_oneof![
        4 => (0u8..5).prop_map(Happens::Stated),
        2 => (any_entry(), any::<bool>()).prop_map(|(at, good)| Happens::Observed(at, good)),
        2 => any_entry().prop_map(Happens::Missed),
        2 => any_entry().prop_map(Happens::Delivered),
        1 => prop::collection::vec(any_entry(), 2..6).prop_map(Happens::Used),
        1 => any_entry().prop_map(Happens::Verified),
        1 => (1u8..120).prop_map(Happens::Days),
    ]
}

struct Store {
    ledger: Ledger,
    now: Millis,
    runs: usize,
    /// Every entry that was stated, with its subject.
    stated: Vec<(EntryKey, u8)>,
    delivered: BTreeMap<EntryKey, Delivered>,
    /// Entries whose code is as they say.
    holds: BTreeSet<EntryKey>,
    /// Whether two entries of one subject say the same, by their numbers.
    same: fn(usize, usize) -> bool,
}

/// Neighbours say the same: of three in a row, the outer two are the same only by the one between them.
fn in_chains(a: usize, b: usize) -> bool {
    a.abs_diff(b) == 1
}

/// Every three say the same, each as the others.
fn in_threes(a: usize, b: usize) -> bool {
    a / 3 == b / 3
}

impl Store {
    fn lived(history: &[Happens]) -> Store {
        let mut store = Store {
            ledger: ken_log_memory::ledger(ReplicaId([1; 6])).unwrap(),
            now: crate::NOW,
            runs: 0,
            stated: Vec::new(),
            delivered: BTreeMap::new(),
            holds: BTreeSet::new(),
            same: in_chains,
        };
        history.iter().for_each(|one| store.happen(one));
        store
    }

    fn writer(&self) -> Writer {
        Writer {
            actor: "human:Ada".into(),
            now: self.now,
            authority: Authority::attended("human:Ada", false),
        }
    }

    fn some(&self, at: usize) -> Option<EntryKey> {
        (!self.stated.is_empty()).then(|| self.stated[at % self.stated.len()].0)
    }

    fn say(&mut self, entry: Option<EntryKey>, body: Body) {
        let _file = place::runs_file(ReplicaId([1; 6]), self.now);
        let writer = self.writer();
        self.ledger.append(vec![Intent { entry, body }], &writer).unwrap();
    }

    fn happen(&mut self, what: &Happens) {
        self.now = Millis(self.now.0 + 1000);
        match what {
            Happens::Stated(subject) => self.state(*subject),
            Happens::Observed(at, good) => {
                let Some(key) = self.some(*at) else { return };
                self.runs += 1;
                let (source, side) =
                    (format!("seen-{}", self.runs), if *good { Side::For } else { Side::Against });
                let (weight, reason) = (1000, "as it went".into());
                let observed =
                    BeliefEvent::Observed { source, side, weight, reason, at: None, witnessed: false };
                self.say(Some(key), Body::Belief(observed));
            }
            Happens::Missed(at) => {
                let Some(key) = self.some(*at) else { return };
                let missed = RunEvent::Missed { run: None, query: "what of it?".into(), similarity: 200 };
                self.say(Some(key), Body::Run(missed));
            }
            Happens::Delivered(at) => {
                let Some(key) = self.some(*at) else { return };
                let last = Clock::at(self.now);
                let seen = self.delivered.entry(key).or_insert(Delivered { last, times: 0 });
                (seen.last, seen.times) = (last, seen.times + 1);
                if seen.times.is_multiple_of(2) {
                    self.holds.insert(key);
                }
            }
            Happens::Used(at) => self.used(&at.iter().filter_map(|at| self.some(*at)).collect()),
            Happens::Verified(at) => {
                let Some(key) = self.some(*at) else { return };
                if self.status(key) == Status::Candidate {
                    let reason = "proven".into();
                    let status = Status::Verified;
                    let promoted = EntryEvent::Promoted { status, reason, rests_on: Vec::new() };
                    self.say(Some(key), Body::Entry(promoted));
                }
            }
            Happens::Days(days) => self.now = Millis(self.now.0 + i64::from(*days) * DAY),
        }
    }

    fn state(&mut self, subject: u8) {
        let number = self.stated.len();
        let subjects = ["retries", "sockets", "queues", "buttons", "archives"];
        // Words that tell nothing apart: numbers and names would.
        let adverbs = ["surely", "mostly", "simply", "really", "clearly", "plainly", "usually"];
        let (often, how) = (adverbs[number % 7], adverbs[number / 7 % 7]);
        let subject_word = subjects[usize::from(subject)];
        let statement = format!("Treat {subject_word} {often} and {how} with great care whatever happens.");
        let title = format!("Treat {} with great care always", subjects[usize::from(subject)]);
        let content = json!({
            "title": title, "statement": statement, "domains": [subjects[usize::from(subject)]],
            "anchors": ["src/a.rs"], "verification": ["look"],
        });
        let input = AddInput {
            kind: Some("lesson".to_owned()),
            content: content.as_object().unwrap().clone(),
            evidence: vec!["pr:1".to_owned()],
            ..AddInput::default()
        };
        let writer = self.writer();
        let added =
            add(&mut self.ledger, &MemoryRepository::default(), input, &Intake::default(), &writer).unwrap();
        let key = self.ledger.resolve(&added.id).unwrap()[0];
        self.stated.push((key, subject));
    }

    fn used(&mut self, keys: &BTreeSet<EntryKey>) {
        self.runs += 1;
        let name = format!("run-{}", self.runs);
        let start = StartInput {
            kind: RunKind::Task,
            run: Some(name.clone()),
            about: "work".into(),
            project: String::new(),
            thread: None,
            agents: Vec::new(),
            strategy: None,
            paths: Vec::new(),
        };
        let writer = self.writer();
        run::start(&mut self.ledger, start, &writer).unwrap();
        let used = keys.iter().map(|key| self.ledger.stored(*key).unwrap().unwrap().id).collect();
        let end = FinishInput {
            run: name,
            outcome: RunOutcome::Succeeded,
            quality: None,
            used: Some(used),
            wrong: Vec::new(),
            cost: None,
            rounds: None,
            strategy: None,
        };
        run::finish(&mut self.ledger, end, &writer).unwrap();
    }

    fn status(&self, key: EntryKey) -> Status {
        self.ledger.stored(key).unwrap().unwrap().entry.status
    }

    /// What there is to know of every entry: its status, its words, its belief and what stands for it.
    fn state_of_all(&self) -> BTreeMap<String, String> {
        let each = self.stated.iter().map(|(key, _)| {
            let stored = self.ledger.stored(*key).unwrap().unwrap();
            let entry = &stored.entry;
            let belief = ken_core::belief::belief_at(entry, self.now);
            let said = format!(
                "{:?} {} {:.6} {:.6}",
                entry.status,
                entry.fields.statement(),
                belief.now.alpha,
                belief.now.beta
            );
            (stored.id, said)
        });
        each.collect()
    }

    /// Runs services in an order, all in one write.
    fn maintain(&mut self, names: &[&str]) -> Vec<ServiceReport> {
        let plan = self.plan(names, &mut NoJudge);
        let writer = Writer { actor: "agent:maintain".into(), ..self.writer() };
        plan.carry_out(&mut self.ledger, Vec::new(), &writer).unwrap().0
    }

    fn plan(&self, names: &[&str], judge: &mut dyn MaintainJudge) -> Plan {
        let subjects: HashMap<EntryKey, u8> = self.stated.iter().copied().collect();
        // Entries of one subject are the same as their numbers say, and alike else.
        let numbers: HashMap<EntryKey, usize> =
            self.stated.iter().enumerate().map(|(at, (key, _))| (*key, at)).collect();
        let mut alike = |pairs: &[(EntryKey, EntryKey)]| {
            let near = pairs.iter().map(|(a, b)| {
                let same = subjects.get(a)? == subjects.get(b)?;
                Some(if !same {
                    0.1
                } else if (self.same)(numbers[a], numbers[b]) {
                    0.99
                } else {
                    0.9
                })
            });
            Ok(near.collect())
        };
        let delivered = self.delivered.iter().map(|(key, seen)| (*key, *seen)).collect();
        let mut facts = Facts::read(
            self.ledger.projection(),
            &mut alike,
            judge,
            delivered,
            self.holds.clone(),
            false,
            self.now,
        )
        .unwrap();
        let services: Vec<_> =
            names.iter().map(|name| (service(name).unwrap(), ServiceOutcome::Ran)).collect();
        plan(&mut facts, &services).unwrap()
    }
}

fn changes(reports: &[ServiceReport]) -> usize {
    reports.iter().map(|report| report.changes.len()).sum()
}

const ALL: &[&str] = &["dedup", "stale_sweep", "contradiction", "cooccurrence", "distill"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn upk_8_nothing_is_lost_twice_is_once_and_an_undo_is_the_way_back(
        history in prop::collection::vec(happens(), 1..40),
    ) {
        let mut store = Store::lived(&history);
        let before = store.state_of_all();
        let did = changes(&store.maintain(ALL));
        let after = store.state_of_all();
        // Nothing is lost: every entry is there, with the words that somebody stated.
        prop_assert_eq!(before.len(), after.len());
        prop_assert_eq!(store.ledger.list(&Query { all: true, ..Query::default() }).unwrap().total, after.len());
        for (key, _) in &store.stated {
            let entry = store.ledger.stored(*key).unwrap().unwrap().entry;
            if entry.merged_into.is_some() {
                prop_assert_eq!(entry.status, Status::Superseded);
                // One that stands for others may be merged itself: at the end of the chain is one that is handed out, or that became
                // stale with all of them.
                let mut stands = *key;
                while let Some(into) = store.ledger.stored(stands).unwrap().unwrap().entry.merged_into {
                    stands = into.key;
                }
                let end = store.status(stands);
                prop_assert!(end.is_retrieved() || end == Status::Stale, "{} ended as {:?}", key, end);
                prop_assert!(store.ledger.stored(stands).unwrap().unwrap().entry.pool.from.contains(key));
            }
        }
        // What is verified is nobody's to put away but a person's (COR-19).
        for (id, said) in before.iter().filter(|(_, said)| said.starts_with("Verified")) {
            prop_assert!(after[id].starts_with("Verified"), "{} was {}", said, after[id]);
        }
        // Twice is once, as far as anything is changed.
        prop_assert_eq!(changes(&store.maintain(ALL)), 0);
        prop_assert_eq!(&store.state_of_all(), &after);
        // One undo is the way back from all of it. What was only proposed stays proposed.
        if before != after {
            prop_assert!(did > 0);
            let writer = store.writer();
            change::undo(&mut store.ledger, "agent:maintain", Attendance::Attended, &writer).unwrap();
            let statuses = |state: &BTreeMap<String, String>| -> Vec<String> {
                state.values().map(|said| said.split(' ').next().unwrap().to_owned()).collect()
            };
            prop_assert_eq!(statuses(&store.state_of_all()), statuses(&before));
            let undone = store.ledger.serviced(Millis(0)).unwrap();
            prop_assert!(undone.iter().all(|said| said.outcome == ServicedOutcome::Undone && said.changes > 0));
            prop_assert!(!undone.is_empty());
        }
    }

    #[test]
    fn upk_8_services_that_do_not_meet_may_run_in_any_order(
        history in prop::collection::vec(happens(), 1..40),
        order in Just(ALL.to_vec()).prop_shuffle(),
    ) {
        // What dedup and the sweep both would put away is put away once, whoever comes first; all else is the same. Chains are
        // left out: an entry that the sweep takes first no longer shows that its two neighbours are the same.
        let (mut one, mut other) = (Store::lived(&history), Store::lived(&history));
        (one.same, other.same) = (in_threes, in_threes);
        one.maintain(ALL);
        other.maintain(&order);
        let gone = |store: &Store| -> Vec<(EntryKey, bool)> {
            store.stated.iter().map(|(key, _)| (*key, store.status(*key).is_retrieved())).collect()
        };
        let kept = gone(&one).iter().filter(|(_, live)| *live).count();
        let kept_other = gone(&other).iter().filter(|(_, live)| *live).count();
        prop_assert_eq!(kept, kept_other);
        // Once nothing is left to do, nothing is left to do in any order.
        prop_assert_eq!(changes(&one.maintain(&order)), 0);
        prop_assert_eq!(changes(&other.maintain(ALL)), 0);
    }

    #[test]
    fn cor_20_unmerge_after_merge_is_identity(history in prop::collection::vec(happens(), 2..40)) {
        let mut store = Store::lived(&history);
        let before = store.state_of_all();
        store.maintain(&["dedup"]);
        let merged: Vec<EntryKey> = store
            .stated
            .iter()
            .map(|(key, _)| *key)
            .filter(|key| store.ledger.stored(*key).unwrap().unwrap().entry.merged_into.is_some())
            .collect();
        for key in merged {
            let id = store.ledger.stored(key).unwrap().unwrap().id;
            let writer = store.writer();
            ken_engine::ops::merge::unmerge(&mut store.ledger, &id, "they differ".into(), &writer).unwrap();
        }
        prop_assert_eq!(store.state_of_all(), before);
    }

    #[test]
    fn sto_1_replay_of_what_services_did_gives_the_same(history in prop::collection::vec(happens(), 1..30)) {
        let mut store = Store::lived(&history);
        store.maintain(ALL);
        let events: Vec<_> = store
            .stated
            .iter()
            .flat_map(|(key, _)| store.ledger.history(*key).unwrap())
            .map(|placed| placed.event)
            .collect();
        for (key, _) in &store.stated {
            let own: Vec<_> = events.iter().filter(|event| event.entry == Some(*key)).cloned().collect();
            let mut reversed = own.clone();
            reversed.reverse();
            let folded = |events: &[ken_core::Event]| ken_core::entry::fold(events, &|_| false).map(|entry| format!("{entry:?}"));
            prop_assert_eq!(folded(&own), folded(&reversed));
        }
    }
}

#[test]
fn upk_2_an_entry_that_misled_five_times_and_was_hardly_read_is_stale() {
    let mut store = Store::lived(&[Happens::Stated(0), Happens::Stated(1), Happens::Stated(2)]);
    let errors = |store: &mut Store, at: usize, times: usize| {
        (0..times).for_each(|_| store.happen(&Happens::Missed(at)));
    };
    errors(&mut store, 0, 5);
    errors(&mut store, 1, 4);
    errors(&mut store, 2, 5);
    (0..3).for_each(|_| store.happen(&Happens::Delivered(2)));
    store.maintain(&["stale_sweep"]);
    let statuses: Vec<Status> = store.stated.iter().map(|(key, _)| store.status(*key)).collect();
    assert_eq!(statuses, [Status::Stale, Status::Candidate, Status::Candidate]);
}

/// A judge that sums up whatever it is asked to.
struct SumsUp(Vec<usize>);

impl MaintainJudge for SumsUp {
    fn relate(&mut self, _: &str, _: &str) -> ken_engine::Result<Option<Ruling<Ruled>>> {
        Ok(None)
    }

    fn left_unanswered(&self, _: &str, _: &str) -> bool {
        false
    }

    fn distil(&mut self, statements: &[String]) -> ken_engine::Result<Option<Ruling<Distilled>>> {
        self.0.push(statements.len());
        let answer =
            Distilled { title: "Care".into(), statement: "Close sockets and queues before archives.".into() };
        Ok(Some(Ruling { answer, reason: "they all ask for care".into() }))
    }
}

/// A judge that gives one answer to every pair.
struct Says(Ruled, Vec<String>);

impl MaintainJudge for Says {
    fn relate(&mut self, first: &str, second: &str) -> ken_engine::Result<Option<Ruling<Ruled>>> {
        self.1.push(format!("{first} | {second}"));
        Ok(Some(Ruling { answer: self.0, reason: "as it is".into() }))
    }

    fn left_unanswered(&self, _: &str, _: &str) -> bool {
        false
    }

    fn distil(&mut self, _: &[String]) -> ken_engine::Result<Option<Ruling<Distilled>>> {
        Ok(None)
    }
}

// COR-27. Regression: a pair that a rule keeps apart was dropped, whatever the writer had been told of it.
#[test]
fn cor_27_what_a_rule_vetoes_goes_to_the_judge_and_then_to_the_queue() {
    let mut store = Store::lived(&[]);
    for (id, statement) in [
        ("short", "The importer reads all rows of the file."),
        ("long", "The importer reads all rows of the file with `serde`."),
        ("yes", "Use Redis for session storage."),
        ("no", "Do not use Redis for sessions."),
    ] {
        let content = json!({"id": id, "title": id, "statement": statement, "provenance": ["pr:1"],
            "anchors": ["src/a.rs"], "verification": ["look"]});
        let input = AddInput {
            kind: Some("lesson".into()),
            content: content.as_object().unwrap().clone(),
            on_absent: ken_engine::ops::add::OnAbsent::Gap,
            ..AddInput::default()
        };
        let writer = store.writer();
        add(&mut store.ledger, &MemoryRepository::default(), input, &Intake::default(), &writer).unwrap();
    }
    let key = |store: &Store, id: &str| store.ledger.resolve(id).unwrap()[0];
    let note = |store: &mut Store, newer: &str, older: &str, similarity: u32| {
        let (newer, older) = (key(store, newer), key(store, older));
        store.say(Some(newer), Body::Link(LinkEvent::Proposed { to: older, similarity }));
    };
    note(&mut store, "long", "short", 950);
    note(&mut store, "no", "yes", 640);
    for (ruled, asked, steps) in [(Ruled::Same, 2, 0), (Ruled::Contradicts, 2, 0), (Ruled::Unrelated, 2, 2)] {
        let mut judge = Says(ruled, Vec::new());
        let plan = store.plan(&["dedup"], &mut judge);
        assert_eq!(judge.1.len(), asked, "{ruled:?}: {:?}", judge.1);
        let report = &plan.reports[0];
        // It is not merged by itself, and the word of the judge stands beside it.
        assert_eq!((report.changes.len(), report.left.len()), (steps, 2 - steps), "{ruled:?}: {report:?}");
        assert!(report.left.iter().all(|deed| deed.text.contains("as it is") && deed.action == "ken queue"));
    }
    let waits = ken_engine::ops::queue::worksheet(store.ledger.projection(), &[], &[], usize::MAX).unwrap();
    let mut names: Vec<&str> = waits.items.iter().map(|item| item.item.split(' ').next().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["opposed", "same"], "{waits:?}");
    let left = store.maintain(&["dedup", "contradiction"]);
    let texts: Vec<&str> =
        left.iter().flat_map(|report| &report.left).map(|deed| deed.text.as_str()).collect();
    assert_eq!(texts.len(), 2, "each pair is listed once: {texts:?}");
    // Line after line said that two entries contradict each other, and not which.
    let handles =
        ["yes", "no"].map(|id| ken_engine::ops::find(store.ledger.projection(), id).unwrap().entry.handle());
    assert!(handles.iter().all(|handle| texts[1].contains(handle)), "{handles:?}: {texts:?}");
}

#[test]
fn upk_4_five_entries_with_strong_ties_are_summed_up_with_half_of_their_alpha() {
    let history: Vec<Happens> = (0..5).map(Happens::Stated).collect();
    let mut store = Store::lived(&history);
    let mut judge = SumsUp(Vec::new());
    // A run adds a tie of 1, and a tenth more with each: after 13 they weigh 1.1^12 = 3.14.
    for runs in 1..=13 {
        store.happen(&Happens::Used(vec![0, 1, 2, 3, 4]));
        let plan = store.plan(&["distill"], &mut judge);
        assert_eq!(plan.distilled().count(), usize::from(runs == 13), "after {runs} runs");
    }
    assert_eq!(judge.0, [5]);
    let plan = store.plan(&["distill"], &mut judge);
    let made = plan.distilled().next().unwrap();
    let sources = &made.sources;
    assert_eq!(sources.len(), 5);
    let today =
        ken_core::belief::belief_at(&store.ledger.stored(sources[0]).unwrap().unwrap().entry, store.now);
    assert!(today.now.alpha > 12.0, "half the sum of five is more than 30: {made:?}");
    assert_eq!(made.start.alpha, 30_000);
    // Regression: it was a claim without evidence, domains and the weight of its cluster.
    let wish = made.wish("judge-1");
    let writer = store.writer();
    let mut taken_in = ken_log_memory::ledger(ReplicaId([2; 6])).unwrap();
    let added = add(&mut taken_in, &MemoryRepository::default(), wish, &Intake::default(), &writer).unwrap();
    let summary = taken_in.stored(taken_in.resolve(&added.id).unwrap()[0]).unwrap().unwrap().entry;
    let domains: Vec<String> = summary.fields.domains.iter().map(ToString::to_string).collect();
    let cited: Vec<&str> = summary.evidence().map(|citation| citation.evidence_ref.as_str()).collect();
    assert_eq!(domains, ["archives", "buttons", "queues", "retries", "sockets"]);
    assert_eq!(cited, ["1"]);
    assert_eq!(summary.since, None, "it is said now, whatever it cites");
    let source = summary.fields.source.unwrap();
    assert_eq!((source.distilled, source.agent.as_deref()), (Some(30_000), Some("judge-1")));
    assert!(source.cluster_weight.is_some_and(|weight| (3_000..4_000).contains(&weight)), "{source:?}");
    // Once there is an entry that was made of all of them, nobody is asked again.
    store.happen(&Happens::Stated(0));
    let (made, _) = store.stated[5];
    for key in sources.iter().copied() {
        let linked = ken_core::LinkEvent::Linked { relation: Relation::DerivedFrom, to: key };
        store.say(Some(made), Body::Link(linked));
    }
    assert_eq!(store.plan(&["distill"], &mut judge).distilled().count(), 0);
}

#[test]
fn upk_8_every_service_is_known_by_both_names() {
    for one in SERVICES {
        assert_eq!(service(one.name).unwrap().name, one.name);
        assert_eq!(service(&format!("service:consolidation:{}", one.name)).unwrap().name, one.name);
    }
}

/// The laws above say nothing of histories in which nothing happens: here both kinds of change do.
#[test]
fn upk_8_histories_like_these_have_something_to_do() {
    let mut history: Vec<Happens> = [0, 0, 1, 2].map(Happens::Stated).into();
    history.push(Happens::Days(119));
    history.push(Happens::Stated(3));
    let mut store = Store::lived(&history);
    let reports = store.maintain(ALL);
    let did = |name: &str| reports.iter().find(|report| report.service == name).unwrap().changes.len();
    assert_eq!((did("dedup"), did("stale_sweep")), (1, 3), "{reports:#?}");
    let retrieved = store.stated.iter().filter(|(key, _)| store.status(*key).is_retrieved()).count();
    assert_eq!(retrieved, 1, "only the newest is left");
}
