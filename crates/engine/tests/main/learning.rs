//! Laws of learning: what holds whatever agents read, find and finish, in whatever order (REV-2 to REV-4, BEL-3).

use std::collections::{BTreeMap, BTreeSet};

use ken_core::decide::Authority;
use ken_core::finding::Finding;
use ken_core::finding::read::Report;
use ken_core::run::{Agent, INJECTED, PULLED, RunKind, RunOutcome, UPSTREAM};
use ken_core::{Body, EntryKey, Intent, Millis, ReplicaId, RunEvent};
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddInput, add};
use ken_engine::ops::confirm::{self, Speaker, Voice};
use ken_engine::ops::review::{self, CompleteAnswer, Completing, Profile, ReviewInput};
use ken_engine::ops::run::{self, FinishInput, StartInput};
use ken_engine::ops::search::Means;
use ken_engine::ops::{change, find};
use ken_engine::{Ledger, RuleOfThumb, Writer, view};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, json};

const DAY: i64 = 86_400_000;
const BEGIN: i64 = 1_772_366_400_000;
const REPLICA: ReplicaId = ReplicaId([1; 6]);
/// The agents of every review; the first two have entries of their own.
const AGENTS: [&str; 3] = ["security", "correctness", "carol"];
/// Each entry: what it says, and whose it is.
const ENTRIES: [(&str, Option<&str>); 4] = [
    ("Retry network calls with jitter", Some("security")),
    ("Check the empty list", Some("correctness")),
    ("Bound every queue", None),
    ("Commits name their issue", None),
];
/// The entry that is a norm.
const NORM: usize = 3;
/// REV-4, small enough to be reached.
const LIMIT: u32 = 3;

/// One thing that happens. Reviews and tasks are numbered as they begin; what happens in one happens in the latest.
#[derive(Clone, Debug, PartialEq)]
enum Act {
    /// Days pass.
    Days(i64),
    /// A review of the files of some entries begins.
    Review(Vec<usize>),
    /// An entry is put before somebody: in the latest review, the latest task, or in no run.
    Shown { place: Place, agent: Option<usize>, entry: usize, how: &'static str },
    /// An agent of the latest review reports that it found an entry, and may say that it had been told.
    Found { agent: usize, entry: usize, primed: bool },
    /// The latest review ends.
    Complete,
    /// A task begins.
    Task,
    /// The latest task ends.
    Finish { outcome: RunOutcome, quality: f64, used: Vec<usize> },
    /// Somebody says whether an entry helped.
    Feedback { entry: usize, helpful: bool, who: usize },
    /// A person confirms.
    Confirmed { entry: usize },
    /// Somebody puts an entry away, or brings it back.
    Stand { entry: usize, archived: bool },
}

/// Where somebody was shown something.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Review,
    Task,
    Nowhere,
}

fn any_entries() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::btree_set(0..ENTRIES.len(), 0..=ENTRIES.len()).prop_map(|set| set.into_iter().collect())
}

fn any_act() -> impl Strategy<Value = Act> {
    let entry = || 0..ENTRIES.len();
    let outcomes = vec![RunOutcome::Succeeded, RunOutcome::Failed, RunOutcome::Killed, RunOutcome::Abandoned];
    prop_oneof![
        2 => (0..20_i64).prop_map(Act::Days),
        4 => any_entries().prop_map(Act::Review),
        3 => (
            select(vec![Place::Review, Place::Task, Place::Nowhere]),
            prop::option::of(0..AGENTS.len()),
            entry(),
            select(vec![PULLED, UPSTREAM, INJECTED]),
        )
            .prop_map(|(place, agent, entry, how)| Act::Shown { place, agent, entry, how }),
        5 => (0..AGENTS.len(), entry(), prop::bool::weighted(0.2))
            .prop_map(|(agent, entry, primed)| Act::Found { agent, entry, primed }),
        4 => Just(Act::Complete),
        1 => Just(Act::Task),
        2 => (select(outcomes), select(vec![0.0, 0.5, 1.0]), any_entries())
            .prop_map(|(outcome, quality, used)| Act::Finish { outcome, quality, used }),
        1 => (entry(), any::<bool>(), 0..2_usize)
            .prop_map(|(entry, helpful, who)| Act::Feedback { entry, helpful, who }),
        1 => entry().prop_map(|entry| Act::Confirmed { entry }),
        1 => (entry(), any::<bool>()).prop_map(|(entry, archived)| Act::Stand { entry, archived }),
    ]
}

fn any_history() -> impl Strategy<Value = Vec<Act>> {
    prop::collection::vec(any_act(), 0..30)
}

/// How an entry stands, as far as learning is concerned.
#[derive(Clone, Debug, PartialEq)]
struct Standing {
    status: &'static str,
    last_confirmed: Option<String>,
    debt: u32,
    /// Alpha and beta, in thousandths.
    belief: (i64, i64),
    errors: u32,
}

/// A ledger in which a history happens.
struct World {
    ledger: Ledger,
    now: Millis,
    keys: Vec<EntryKey>,
    reviews: usize,
    tasks: usize,
    /// Findings of the latest review, each reported once.
    found: BTreeSet<(usize, usize)>,
    /// Findings that repeated what their agent had been told: review, agent, entry.
    primed: BTreeSet<(usize, usize, usize)>,
}

impl World {
    fn new() -> World {
        let mut world = World {
            ledger: ken_log_memory::ledger(REPLICA).unwrap(),
            now: Millis(BEGIN),
            keys: Vec::new(),
            reviews: 0,
            tasks: 0,
            found: BTreeSet::new(),
            primed: BTreeSet::new(),
        };
        for (at, (statement, reviewer)) in ENTRIES.iter().enumerate() {
            let mut content = Map::new();
            content.insert("id".into(), json!(format!("e{at}")));
            content.insert("anchors".into(), json!([path(at)]));
            if at == NORM {
                content.insert("rule".into(), json!(statement));
                content.insert("examples".into(), json!(["as here"]));
                content.insert("enforcement".into(), json!({"kind": "advisory"}));
            } else {
                content.insert("statement".into(), json!(statement));
                content.insert("verification".into(), json!(["look"]));
            }
            if let Some(reviewer) = reviewer {
                content.insert("reviewer".into(), json!(reviewer));
            }
            let kind = if at == NORM { "commit_norm" } else { "lesson" };
            let input = AddInput {
                kind: Some(kind.into()),
                content,
                evidence: vec!["pr:1".into()],
                ..AddInput::default()
            };
            let writer = world.writer();
            let added =
                add(&mut world.ledger, &MemoryRepository::default(), input, &Intake::default(), &writer);
            let id = added.unwrap().id;
            world.keys.push(find(world.ledger.projection(), &id).unwrap().entry.key);
        }
        world
    }

    fn of(history: &[Act]) -> World {
        let mut world = World::new();
        history.iter().for_each(|act| drop(world.act(act)));
        world
    }

    fn writer(&self) -> Writer {
        Writer {
            actor: "agent:host".into(),
            now: self.now,
            authority: Authority::attended("human:Ada", false),
        }
    }

    fn review_name(&self) -> String {
        format!("review-{}", self.reviews)
    }

    fn task_name(&self) -> String {
        format!("task-{}", self.tasks)
    }

    /// What happens; what is refused (a run is over, nothing began) does not happen.
    fn act(&mut self, act: &Act) -> Option<CompleteAnswer> {
        self.now.0 += 1;
        let writer = self.writer();
        let means =
            Means { embedder: Err("no model".into()), tokens: &RuleOfThumb, now: self.now, ground: None };
        match act {
            Act::Days(days) => self.now.0 += days * DAY,
            Act::Review(entries) => {
                self.reviews += 1;
                self.found.clear();
                let agent = |name: &&str| Agent { name: (*name).to_owned(), role: None, family: None };
                let profile = |name: &&str| Profile {
                    keywords: String::new(),
                    reviewer: (*name != "carol").then(|| (*name).to_owned()),
                    global: Vec::new(),
                };
                let start = StartInput {
                    agents: AGENTS.iter().map(agent).collect(),
                    paths: entries.iter().map(|at| path(*at)).collect(),
                    ..self.start(RunKind::Review, self.review_name())
                };
                let profiles = AGENTS.iter().map(profile).collect();
                let input = ReviewInput { start, profiles, words: "zebras".into(), cap: 5, limit: 10 };
                review::start(&mut self.ledger, input, &means, &writer).unwrap();
            }
            Act::Shown { place, agent, entry, how } => {
                let run = match place {
                    Place::Review => Some(self.review_name()),
                    Place::Task => Some(self.task_name()),
                    Place::Nowhere => None,
                };
                let body = Body::Run(RunEvent::exposed(
                    run,
                    agent.map(|agent| AGENTS[agent].to_owned()),
                    how,
                    vec![self.keys[*entry]],
                ));
                self.ledger.append(vec![Intent { entry: None, body }], &writer).unwrap();
            }
            Act::Found { agent, entry, primed } => {
                let finding = Finding {
                    title: ENTRIES[*entry].0.to_owned(),
                    places: vec![path(*entry)],
                    severity: 3.0,
                    primed: *primed,
                    ..Finding::default()
                };
                if self.found.insert((*agent, *entry)) {
                    let report =
                        Report { findings: vec![finding], verdict: None, format: "JSON", notes: Vec::new() };
                    let name = self.review_name();
                    let _ = review::report(&mut self.ledger, &name, Some(AGENTS[*agent]), report, &writer);
                }
            }
            Act::Complete => {
                let by = Completing {
                    intake: &Intake::default(),
                    repository: &MemoryRepository::default(),
                    limit: LIMIT,
                    means: &means,
                    global: None,
                    cited: None,
                };
                let name = self.review_name();
                let answer = review::complete(&mut self.ledger, &name, &by, &writer).ok()?;
                for confirmed in &answer.confirmed {
                    let entry = number_of(&confirmed.id);
                    let agents = confirmed.primed.iter().map(|name| agent_number(name));
                    self.primed.extend(agents.map(|agent| (self.reviews, agent, entry)));
                }
                return Some(answer);
            }
            Act::Task => {
                self.tasks += 1;
                let start = self.start(RunKind::Task, self.task_name());
                run::start(&mut self.ledger, start, &writer).unwrap();
            }
            Act::Finish { outcome, quality, used } => {
                let input = FinishInput {
                    run: self.task_name(),
                    outcome: *outcome,
                    quality: Some(*quality),
                    used: Some(used.iter().map(|at| format!("e{at}")).collect()),
                    wrong: Vec::new(),
                    cost: None,
                    rounds: None,
                    strategy: None,
                };
                let _ = run::finish(&mut self.ledger, input, &writer);
            }
            Act::Feedback { entry, helpful, who } => {
                let writer = Writer {
                    actor: format!("human:{who}"),
                    now: self.now,
                    authority: Authority::attended("human:Ada", false),
                };
                let speaker = Speaker { run: None, agent: "nobody", voice: Voice::Person, at: None };
                let id = format!("e{entry}");
                confirm::feedback(&mut self.ledger, &id, *helpful, speaker, String::new(), &writer).unwrap();
            }
            Act::Confirmed { entry } => {
                let writer = Writer {
                    actor: "human:Ada".into(),
                    now: self.now,
                    authority: Authority::attended("human:Ada", false),
                };
                let speaker = Speaker { run: None, agent: "nobody", voice: Voice::Person, at: None };
                let id = format!("e{entry}");
                confirm::confirm(&mut self.ledger, &id, speaker, String::new(), &writer).unwrap();
            }
            Act::Stand { entry, archived } => {
                let id = format!("e{entry}");
                match archived {
                    true => change::archive(&mut self.ledger, &id, "old".into(), &writer).unwrap(),
                    false => change::restore(&mut self.ledger, &id, "new".into(), &writer).unwrap(),
                };
            }
        }
        None
    }

    fn start(&self, kind: RunKind, run: String) -> StartInput {
        StartInput {
            kind,
            run: Some(run),
            about: "what it is for".into(),
            project: "shop".into(),
            thread: None,
            agents: Vec::new(),
            strategy: None,
            paths: Vec::new(),
        }
    }

    fn standing(&self) -> Vec<Standing> {
        let of = |key: &EntryKey| {
            let entry = self.ledger.stored(*key).unwrap().unwrap().entry;
            let belief = view::belief(&entry, self.now);
            let thousandths = |value: f64| (value * 1000.0).round() as i64;
            Standing {
                status: entry.status.word(),
                last_confirmed: entry.last_confirmed.map(|clock| clock.millis().date()),
                debt: view::review_debt(self.ledger.projection(), &entry).unwrap(),
                belief: (thousandths(belief.alpha), thousandths(belief.beta)),
                errors: entry.missed,
            }
        };
        self.keys.iter().map(of).collect()
    }

    /// The same with a belief in it: what fades with the days is left out.
    fn without_belief(&self) -> Vec<Standing> {
        self.standing().into_iter().map(|standing| Standing { belief: (0, 0), ..standing }).collect()
    }
}

fn path(entry: usize) -> String {
    format!("src/e{entry}.rs")
}

fn number_of(id: &str) -> usize {
    id.trim_start_matches('e').parse().unwrap()
}

fn agent_number(name: &str) -> usize {
    AGENTS.iter().position(|agent| *agent == name).unwrap()
}

/// The acts without those findings that repeat what their agent was told.
fn without_primed(history: &[Act], primed: &BTreeSet<(usize, usize, usize)>) -> Vec<Act> {
    let mut reviews = 0;
    let mut kept = Vec::new();
    for act in history {
        match act {
            Act::Review(_) => reviews += 1,
            Act::Found { agent, entry, .. } if primed.contains(&(reviews, *agent, *entry)) => continue,
            _ => {}
        }
        kept.push(act.clone());
    }
    kept
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    // BEL-3, REV-4: being shown something, in whatever way, moves nothing at that moment.
    #[test]
    fn reading_changes_no_belief_status_date_or_debt(history in any_history()) {
        let mut world = World::new();
        for act in &history {
            let before = world.standing();
            world.act(act);
            if matches!(act, Act::Shown { .. }) {
                prop_assert_eq!(before, world.standing(), "{:?}", act);
            }
        }
    }

    // BEL-3: a run that says what it used learns of that alone, whatever was read.
    #[test]
    fn without_all_that_was_read_every_belief_is_the_same(history in any_history()) {
        let read = |act: &Act| matches!(act, Act::Shown { .. });
        let rest: Vec<Act> = history.iter().filter(|act| !read(act)).cloned().collect();
        // The days count, and the milliseconds do not.
        let beliefs = |acts: &[Act]| World::of(acts).standing().into_iter().map(|one| one.belief).collect::<Vec<_>>();
        prop_assert_eq!(beliefs(&history), beliefs(&rest));
    }

    // REV-3: the same history with and without what was only repeated.
    #[test]
    fn no_sequence_of_primed_confirmations_changes_a_date_a_debt_or_a_status(history in any_history()) {
        let with = World::of(&history);
        let without = World::of(&without_primed(&history, &with.primed));
        prop_assert!(without.primed.is_empty());
        prop_assert_eq!(with.standing(), without.standing());
    }

    // REV-4: only a completed review adds to a debt, one at most, and only where it injected.
    #[test]
    fn debts_grow_by_completed_reviews_that_injected_and_by_nothing_else(history in any_history()) {
        let mut world = World::new();
        for act in &history {
            let before = world.without_belief();
            let injected = world.ledger.exposures(&world.review_name()).unwrap();
            let injected: BTreeMap<EntryKey, usize> =
                injected.into_iter().filter(|seen| seen.how == INJECTED).map(|seen| (seen.entry, 1)).collect();
            world.act(act);
            for (at, (before, after)) in before.iter().zip(world.without_belief()).enumerate() {
                let may = matches!(act, Act::Complete) && injected.contains_key(&world.keys[at]);
                let most = before.debt + u32::from(may);
                prop_assert!(after.debt <= most, "{:?}: e{at} owes {} after {}", act, after.debt, before.debt);
                if at == NORM && !matches!(act, Act::Stand { .. }) {
                    let put_away = before.status != "archived" && after.status == "archived";
                    prop_assert!(!put_away, "{:?}: a norm is put away by nobody but a person", act);
                }
            }
        }
    }

    // REV-7: completing again does nothing and writes nothing.
    #[test]
    fn a_completion_is_idempotent(history in any_history()) {
        let mut world = World::of(&history);
        world.act(&Act::Complete);
        let (before, events) = (world.standing(), world.ledger.event_count().unwrap());
        if let Some(again) = world.act(&Act::Complete) {
            prop_assert!(again.created.is_empty() && again.confirmed.is_empty());
            prop_assert!(again.archived.is_empty() && again.restored.is_empty() && again.skipped.is_empty());
        }
        prop_assert_eq!(world.ledger.event_count().unwrap(), events);
        prop_assert_eq!(world.standing(), before);
    }

    // REV-4: what was injected as often as the limit says is put away, and nothing else is.
    #[test]
    fn nothing_that_is_handed_out_owes_more_than_the_limit(history in any_history()) {
        let brought_back = |act: &Act| matches!(act, Act::Stand { archived: false, .. });
        let history: Vec<Act> = history.into_iter().filter(|act| !brought_back(act)).collect();
        let world = World::of(&history);
        for (at, standing) in world.standing().iter().enumerate().filter(|(at, _)| *at != NORM) {
            prop_assert!(standing.status == "archived" || standing.debt < LIMIT, "e{at}: {standing:?}");
        }
    }
}

// REV-5 begins anew with the context; REV-2 does not.
#[test]
fn a_cleared_context_is_counted_anew_and_unsays_nothing() {
    let mut ledger = ken_log_memory::ledger(REPLICA).unwrap();
    let writer = |now: i64| Writer {
        actor: "agent:carol".into(),
        now: Millis(BEGIN + now),
        authority: Authority::attended("human:Ada", false),
    };
    let keys: Vec<EntryKey> = (1..=3).map(|n| EntryKey([n; 8])).collect();
    let expose = |ledger: &mut Ledger, agent: &str, entry: EntryKey, now: i64| {
        let (run, agent) = (Some("s".to_owned()), Some(agent.to_owned()));
        let body = Body::Run(RunEvent::exposed(run, agent, INJECTED, vec![entry]));
        ledger.append(vec![Intent { entry: None, body }], &writer(now)).unwrap();
    };
    let given =
        |ledger: &Ledger, agent: &str| run::injected_into(ledger.projection(), "s", agent).unwrap().len();
    let start = StartInput {
        kind: RunKind::Session,
        run: Some("s".to_owned()),
        about: "a session".to_owned(),
        project: String::new(),
        thread: None,
        agents: Vec::new(),
        strategy: None,
        paths: Vec::new(),
    };
    run::start(&mut ledger, start, &writer(0)).unwrap();
    assert!(!run::clear(&mut ledger, "s", "carol", &writer(1)).unwrap(), "nothing is there to be forgotten");
    expose(&mut ledger, "carol", keys[0], 2);
    expose(&mut ledger, "bob", keys[1], 2);
    // Case makes no other agent.
    assert!(run::clear(&mut ledger, "s", "Carol", &writer(3)).unwrap());
    assert_eq!((given(&ledger, "carol"), given(&ledger, "bob")), (0, 1), "each has a context of its own");
    expose(&mut ledger, "carol", keys[2], 4);
    assert_eq!(given(&ledger, "carol"), 1);
    for key in [keys[0], keys[2]] {
        let later = Millis(BEGIN + 9 * DAY);
        assert!(
            run::is_primed(ledger.projection(), Some("s"), &["carol"], key, later).unwrap(),
            "who was told stays told"
        );
    }
}

// REV-5: what counts is the context, and outside of one the actor, not the name that is given.
#[test]
fn made_up_names_share_one_cap() {
    let mut ledger = ken_log_memory::ledger(REPLICA).unwrap();
    let writer = |actor: &str, now: i64| Writer {
        actor: actor.into(),
        now: Millis(BEGIN + now),
        authority: Authority::attended("human:Ada", false),
    };
    let mut count = 0;
    let mut expose = |ledger: &mut Ledger, actor: &str, run: Option<&str>, agent: Option<&str>, now: i64| {
        count += 1;
        let (run, agent) = (run.map(str::to_owned), agent.map(str::to_owned));
        let entries = vec![EntryKey([count; 8])];
        let body = Body::Run(RunEvent::exposed(run, agent, INJECTED, entries));
        ledger.append(vec![Intent { entry: None, body }], &writer(actor, now)).unwrap();
    };
    let agent = |name: &str| Agent { name: name.to_owned(), role: None, family: None };
    let start = |run: &str, agents: Vec<Agent>| StartInput {
        kind: RunKind::Task,
        run: Some(run.to_owned()),
        about: "work".to_owned(),
        project: String::new(),
        thread: None,
        agents,
        strategy: None,
        paths: Vec::new(),
    };
    run::start(&mut ledger, start("open", Vec::new()), &writer("human:ann", 0)).unwrap();
    run::start(&mut ledger, start("listed", vec![agent("bob")]), &writer("human:ann", 0)).unwrap();
    for (run, agent) in [
        (Some("made-up-1"), None),
        (Some("made-up-2"), Some("x")),
        (None, Some("y")),
        (None, None),
        (Some("open"), Some("x")),
        (Some("listed"), Some("bob")),
        (Some("listed"), Some("nobody")),
    ] {
        expose(&mut ledger, "agent:carol", run, agent, 1);
    }
    expose(&mut ledger, "human:ann", None, None, 1);
    for (actor, run, agent, days, wanted) in [
        ("agent:carol", Some("made-up-3"), "z", 0, 4),
        ("agent:carol", None, "carol", 0, 4),
        ("agent:carol", Some("made-up-3"), "z", 2, 0),
        ("agent:dave", Some("made-up-1"), "carol", 0, 0),
        ("agent:carol", Some("open"), "x", 0, 1),
        ("agent:carol", Some("open"), "z", 0, 0),
        ("agent:carol", Some("listed"), "bob", 0, 1),
        ("agent:carol", Some("listed"), "z", 0, 2),
        ("human:ann", Some("made-up-3"), "z", 0, 0),
    ] {
        let receiver = run::Receiver { run, agent, actor };
        let now = Millis(BEGIN + 2 + days * DAY);
        let before = run::injected_before(ledger.projection(), &receiver, now).unwrap();
        assert_eq!(before.len(), wanted, "{actor} {run:?} {agent} after {days} days");
    }
}
