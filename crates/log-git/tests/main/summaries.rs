//! Exposures in ledger files: summaries that say what the single events say (REV-1, STO-14).

use std::collections::BTreeSet;
use std::path::Path;

use ken_core::decide::Authority;
use ken_core::run::Exposure;
use ken_core::{Body, EntryKey, Intent, Millis, RunEvent, Type, place};
use ken_engine::Writer;
use ken_log_git::{Layout, OpenOptions};
use proptest::prelude::*;
use proptest::sample::select;

use crate::conformance::{folder, open};
use crate::git_store::Store;
use crate::says::{START, Says};

/// Somebody is shown entries, or forgets what was shown.
#[derive(Clone, Debug)]
enum Step {
    Shown {
        run: Option<&'static str>,
        agent: Option<&'static str>,
        actor: &'static str,
        how: &'static str,
        entries: Vec<u8>,
    },
    Cleared {
        run: &'static str,
        agent: &'static str,
    },
    Flush,
    NextDay,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let run = select(vec!["r1", "r2"]);
    let agent = select(vec!["ann", "bob"]);
    let shown = (
        prop::option::of(run.clone()),
        prop::option::of(agent.clone()),
        select(vec!["agent:carol", "agent:bob", "human:dan"]),
        select(vec!["pulled", "injected", "upstream"]),
        prop::collection::vec(0..4_u8, 1..4),
    )
        .prop_map(|(run, agent, actor, how, entries)| Step::Shown { run, agent, actor, how, entries });
    let cleared = (run, agent).prop_map(|(run, agent)| Step::Cleared { run, agent });
    let one = prop_oneof![8 => shown, 1 => cleared, 2 => Just(Step::Flush), 1 => Just(Step::NextDay)];
    prop::collection::vec(one, 1..24)
}

/// A story told to a store: who was shown what when.
struct Story {
    store: Store,
    keys: Vec<EntryKey>,
    now: Millis,
    /// The last running number.
    last: u64,
}

const DAY: i64 = 24 * 3_600_000;

impl Story {
    fn new(root: &Path) -> Story {
        Story::with(open(root))
    }

    fn with(mut store: Store) -> Story {
        let replica = store.replica().unwrap();
        let mut keys = Vec::new();
        for number in 0..4 {
            let says = Says::new(&store, replica, "ada", START);
            let (key, intents) = says.add(Type::Lesson, &format!("Lesson {number}."), "abcd");
            store
                .append(
                    intents,
                    &Writer {
                        actor: "ada".into(),
                        now: START,
                        authority: Authority::attended("human:Ada", false),
                    },
                )
                .unwrap();
            keys.push(key);
        }
        Story { store, keys, now: START, last: 0 }
    }

    fn say(&mut self, actor: &str, body: RunEvent) {
        let _file = place::runs_file(self.store.replica().unwrap(), self.now);
        let intent = Intent { entry: None, body: Body::Run(body) };
        let writer = Writer {
            actor: actor.to_owned(),
            now: self.now,
            authority: Authority::attended("human:Ada", false),
        };
        let events = self.store.append(vec![intent], &writer).unwrap();
        self.last = events[0].seq;
    }

    fn step(&mut self, step: &Step) {
        self.now = Millis(self.now.0 + 700);
        match step {
            Step::Shown { run, agent, actor, how, entries } => {
                let entries = entries.iter().map(|n| self.keys[usize::from(*n)]).collect();
                let (run, agent) = (run.map(str::to_owned), agent.map(str::to_owned));
                self.say(actor, RunEvent::exposed(run, agent, how, entries));
            }
            Step::Cleared { run, agent } => {
                let (run, agent) = ((*run).to_owned(), (*agent).to_owned());
                self.say("agent:carol", RunEvent::Cleared { run, agent });
            }
            Step::Flush => drop(self.store.flush(self.now).unwrap()),
            Step::NextDay => self.now = Millis(self.now.0 + DAY),
        }
    }
}

/// Everything that is asked of exposures.
fn told(store: &Store, keys: &[EntryKey], days: i64) -> Vec<String> {
    let mut told = Vec::new();
    let mut places = vec!["r1".to_owned(), "r2".to_owned()];
    places.extend((0..=days).map(|day| format!("@{}", Millis(START.0 + day * DAY).date())));
    for place in &places {
        let mut seen: Vec<Exposure> = store.exposures(place).unwrap();
        seen.sort();
        told.push(format!("{place}: {seen:?}"));
        for agent in ["ann", "bob", "carol"] {
            let shown: BTreeSet<EntryKey> = store.shown_to(place, agent).unwrap().into_iter().collect();
            told.push(format!("{place} {agent}: {shown:?}"));
        }
    }
    for key in keys {
        told.push(format!("{key}: {:?}", store.shown(*key, Millis(0)).unwrap()));
        told.push(format!("{key} later: {:?}", store.shown(*key, Millis(START.0 + DAY)).unwrap()));
        told.push(format!("{key} in reviews: {:?}", store.injected(*key).unwrap()));
    }
    for actor in ["carol", "bob", "human:dan"] {
        told.push(format!("by {actor}: {:?}", store.injected_by(actor, START).unwrap()));
    }
    told.push(format!("{:?} {:?}", store.times_shown().unwrap(), store.delivered().unwrap()));
    told
}

/// The ledger files of runs, as text.
fn runs_text(root: &Path) -> String {
    let folder = root.join(".kenning/episodic/v1/runs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    // Single events, single events with their summaries, and summaries alone say the same.
    #[test]
    fn a_summary_says_what_its_events_say(steps in steps()) {
        let here = folder();
        let mut story = Story::new(here.path());
        let mut days = 0;
        for step in &steps {
            story.step(step);
            days += i64::from(matches!(step, Step::NextDay));
        }
        let singles = told(&story.store, &story.keys, days);
        story.store.flush(story.now).unwrap();
        let both = told(&story.store, &story.keys, days);
        prop_assert_eq!(&singles, &both);
        prop_assert_eq!(story.store.snapshot().waiting().unwrap(), 0);
        prop_assert_eq!(story.store.flush(story.now).unwrap(), 0, "what was flushed does not wait");
        story.store.rebuild().unwrap();
        prop_assert_eq!(story.store.snapshot().waiting().unwrap(), 0);
        prop_assert_eq!(story.store.flush(story.now).unwrap(), 0, "also in an index that was made anew");
        let report = story.store.verify(false).unwrap();
        prop_assert_eq!(report.errors, []);
        // Another clone has the ledger files alone.
        let there = folder();
        let copied = std::process::Command::new("cp").arg("-r").arg(here.path().join(".kenning")).arg(there.path()).status();
        prop_assert!(copied.is_ok_and(|status| status.success()));
        std::fs::remove_dir_all(there.path().join(".kenning/.local")).unwrap();
        let _ = std::fs::remove_dir_all(there.path().join(".kenning/.index"));
        prop_assert_eq!(both, told(&open(there.path()), &story.keys, days));
    }
}

// STO-14: one line for each run, actor, agent, way and context, however often something was shown.
#[test]
fn a_context_of_an_agent_in_a_run_is_one_line() {
    let here = folder();
    let mut story = Story::new(here.path());
    let shown = |entries: Vec<u8>, how| Step::Shown {
        run: Some("r1"),
        agent: None,
        actor: "agent:carol",
        how,
        entries,
    };
    for number in 0..20 {
        story.step(&shown(vec![number % 4, (number + 1) % 4], "pulled"));
    }
    story.step(&shown(vec![1], "injected"));
    story.step(&Step::Flush);
    assert_eq!(runs_text(here.path()).lines().count(), 2, "{}", runs_text(here.path()));
    story.step(&Step::Cleared { run: "r1", agent: "carol" });
    story.step(&shown(vec![1], "injected"));
    story.step(&Step::Flush);
    let text = runs_text(here.path());
    assert_eq!(text.matches("run.exposed").count(), 3, "{text}");
    let numbers: Vec<&str> =
        text.split("\"covers\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(numbers, ["29", "9-28", "33"], "running numbers that stay in this clone: {text}");
    // What is flushed between two answers is told once.
    story.step(&shown(vec![1], "injected"));
    story.step(&Step::Flush);
    assert_eq!(story.store.exposures("r1").unwrap().len(), 43);
}

// STO-11: what is asked of an earlier time counts what was shown until then, also where it was written down later.
#[test]
fn an_earlier_time_is_told_from_a_summary_of_later() {
    let here = folder();
    let mut story = Story::new(here.path());
    let shown = Step::Shown {
        run: Some("r1"),
        agent: None,
        actor: "agent:carol",
        how: "pulled",
        entries: vec![0, 1],
    };
    story.step(&shown);
    let then = story.now;
    story.step(&shown);
    story.step(&Step::Flush);
    std::fs::remove_dir_all(here.path().join(".kenning/.local/journal")).unwrap();
    let _ = std::fs::remove_dir_all(here.path().join(".kenning/.index"));
    drop(story.store);
    let store = open(here.path());
    assert_eq!(store.exposures("r1").unwrap().len(), 4);
    assert_eq!(store.snapshot().as_of_time(then, None).unwrap().exposures("r1").unwrap().len(), 2);
}

/// A git repository with a store whose journal has small segments, and a commit of everything.
fn commit(root: &Path) {
    for args in [&["add", "-A"][..], &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]] {
        let status = std::process::Command::new("git").args(args).current_dir(root).status();
        assert!(status.is_ok_and(|status| status.success()), "git {args:?}");
    }
}

fn journal_bytes(root: &Path) -> u64 {
    let folder = root.join(".git/kenning/journal");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    files
        .filter(|file| file.path().extension().is_some_and(|end| end == "log"))
        .map(|file| file.metadata().unwrap().len())
        .sum()
}

// STO-5: what a commit holds about runs leaves the journal, and nobody is told otherwise; what is recent, or in no commit, stays.
#[test]
fn what_a_commit_holds_about_old_runs_leaves_the_journal() {
    let here = folder();
    let status = std::process::Command::new("git").args(["init", "-q"]).current_dir(here.path()).status();
    assert!(status.is_ok_and(|status| status.success()));
    let small = |root: &Path| {
        let options = OpenOptions { segment_bytes_max: 4_000, ..OpenOptions::default() };
        Store::open(Layout::at(root), options).unwrap()
    };
    let mut story = Story::with(small(here.path()));
    let shown = |run, number: u8| Step::Shown {
        run: Some(run),
        agent: None,
        actor: "agent:carol",
        how: "pulled",
        entries: vec![number % 4, (number + 1) % 4],
    };
    for number in 0..60 {
        story.step(&shown("r1", number));
    }
    let before = journal_bytes(here.path());
    story.step(&Step::Flush);
    assert!(journal_bytes(here.path()) > before, "nothing leaves before a commit has it");
    for _ in 0..40 {
        story.step(&Step::NextDay);
    }
    for number in 0..21 {
        story.step(&shown("r2", number));
    }
    let singles = told(&story.store, &story.keys, 41);
    commit(here.path());
    let before = journal_bytes(here.path());
    story.step(&Step::Flush);
    let after = journal_bytes(here.path());
    assert!(after * 2 < before, "{before} bytes of the journal became {after}");
    assert_eq!(told(&story.store, &story.keys, 41), singles);
    assert_eq!(story.store.snapshot().waiting().unwrap(), 0);
    let report = story.store.verify(false).unwrap();
    assert_eq!(report.errors, []);
    // Numbers go on, entries are all there, and what comes next is durable.
    let last = story.last;
    drop(story.store);
    let mut store = small(here.path());
    assert_eq!(store.exposures("r1").unwrap().len(), 120);
    let says = Says::new(&store, store.own().unwrap(), "ada", story.now);
    let (_, intents) = says.add(Type::Lesson, "One more.", "abcd");
    let events = store
        .append(
            intents,
            &Writer {
                actor: "ada".into(),
                now: story.now,
                authority: Authority::attended("human:Ada", false),
            },
        )
        .unwrap();
    assert!(events[0].seq > last);
    let report = store.verify(false).unwrap();
    assert_eq!(report.errors, []);
}

// A runs file with one line that names an entry is no file of that entry: lines that git takes out of it are forgotten.
#[test]
fn what_git_takes_out_of_a_runs_file_waits_again() {
    let here = folder();
    let mut story = Story::new(here.path());
    let shown = |run| Step::Shown {
        run: Some(run),
        agent: None,
        actor: "agent:carol",
        how: "pulled",
        entries: vec![0, 1],
    };
    let missed = RunEvent::Missed { run: Some("r1".to_owned()), query: "what".to_owned(), similarity: 100 };
    let file = place::runs_file(story.store.replica().unwrap(), story.now);
    let intent = Intent { entry: Some(story.keys[0]), body: Body::Run(missed) };
    let writer = Writer {
        actor: "agent:carol".to_owned(),
        now: story.now,
        authority: Authority::attended("human:Ada", false),
    };
    story.store.append(vec![intent], &writer).unwrap();
    story.step(&shown("r1"));
    story.step(&Step::Flush);
    let path = here.path().join(".kenning").join(&file);
    let before = std::fs::read(&path).unwrap();
    story.step(&shown("r2"));
    story.step(&Step::Flush);
    story.store.rebuild().unwrap();
    std::fs::write(&path, before).unwrap();
    story.store.refresh().unwrap();
    assert_eq!(story.store.snapshot().waiting().unwrap(), 1);
    let report = story.store.verify(false).unwrap();
    assert_eq!(report.errors, []);
    assert_eq!(story.store.flush(story.now).unwrap(), 1);
}

// STO-6: a copy of a clone is another clone. What the first one summed up does not wait in it.
#[test]
fn a_copied_clone_does_not_write_out_what_summaries_say() {
    let here = folder();
    let mut story = Story::new(here.path());
    for number in 0..5 {
        let entries = vec![number % 4];
        story.step(&Step::Shown {
            run: Some("r1"),
            agent: None,
            actor: "agent:carol",
            how: "pulled",
            entries,
        });
    }
    story.step(&Step::Flush);
    let there = folder();
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .arg(here.path().join(".kenning"))
        .arg(there.path())
        .status();
    assert!(copied.is_ok_and(|status| status.success()));
    let mut copy = open(there.path());
    assert_ne!(copy.replica().unwrap(), story.store.replica().unwrap());
    assert_eq!(copy.snapshot().waiting().unwrap(), 0);
    assert_eq!(copy.flush(story.now).unwrap(), 0);
}
