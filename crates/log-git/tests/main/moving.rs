//! A ledger that moves while it is looked at: four writers at work, and somebody who checks it (STO-6, STO-7).

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ken_core::decide::Authority;
use ken_core::{EntryKey, Intent, Millis, Type};
use ken_engine::Report;
use ken_engine::Writer;
use ken_log_git::{Layout, OpenOptions, STORE_VERSION};

use crate::git_store::Store;
use crate::says::{START, Says};

const WRITERS: usize = 4;

/// Tries on one store before the next one begins: a check reads everything, and a store that grows makes it slow.
const TRIES_PER_STORE: usize = 20;

/// Entries that are there before anybody writes: reading them takes a check long enough to be overtaken.
const ENTRIES_BEFORE: usize = 300;

/// Entries of a writer after which it changes those that are there.
const ENTRIES_MAX: usize = 60;

fn open(root: &Path) -> Store {
    let layout = Layout { store: root.join(".kenning"), root: root.to_owned(), git: None };
    Store::open(layout, OpenOptions::default()).expect("the store opens")
}

fn say(store: &mut Store, actor: &str, moment: usize, intents: impl FnOnce(&Says<'_>) -> Vec<Intent>) {
    let now = Millis(START.0 + 1_000 * moment as i64);
    let replica = store.replica().expect("a replica");
    let intents = intents(&Says::new(store, replica, actor, now));
    let writer = Writer { actor: actor.to_owned(), now, authority: Authority::attended("human:Ada", false) };
    store.append(intents, &writer).expect("the disk is sound");
}

/// Writes until it is told to stop: new entries, changes of them, and what was only noticed; by a new handle now and then.
fn write(root: &Path, number: usize, stop: &AtomicBool, acknowledged: &AtomicUsize) {
    let actor = format!("writer-{number}");
    let mut keys: Vec<EntryKey> = Vec::new();
    let mut store = open(root);
    for moment in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        if moment % 7 == 6 {
            store = open(root);
        }
        if keys.len() < ENTRIES_MAX && moment % 3 == 0 {
            let mut added = None;
            say(&mut store, &actor, moment, |says| {
                let statement = format!("Statement {moment} of {actor}.");
                let (key, intents) = says.add(Type::Lesson, &statement, "abcd");
                added = Some(key);
                intents
            });
            keys.extend(added);
            acknowledged.fetch_add(1, Ordering::SeqCst);
        } else {
            let key = keys[moment % keys.len()];
            match moment % 3 {
                1 => say(&mut store, &actor, moment, |says| says.expose(key)),
                _ => say(&mut store, &actor, moment, |says| says.tag(key, &format!("tag-{moment}"))),
            }
        }
    }
}

/// What a check says is wrong. That drafts lack something is not.
fn alarms(report: &Report) -> Vec<String> {
    let notices = report.notices.iter().filter(|found| !matches!(found.code, "gap" | "provenance"));
    report.errors.iter().chain(notices).map(|found| format!("{}: {}", found.code, found.message)).collect()
}

/// Checks a store so many times while it is written, each time in one of three ways; the tries in which something was wrong.
fn false_alarms(tries: usize) -> Vec<String> {
    let wrong = Mutex::new(Vec::new());
    for first in (0..tries).step_by(TRIES_PER_STORE) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path();
        std::fs::create_dir_all(root.join(".kenning")).unwrap();
        std::fs::write(root.join(".kenning/VERSION"), STORE_VERSION).unwrap();
        say(&mut open(root), "before", 0, |says| {
            let statements = (0..ENTRIES_BEFORE).map(|number| format!("Statement {number} from before."));
            statements.flat_map(|statement| says.add(Type::Lesson, &statement, "abcd").1).collect()
        });
        let (stop, acknowledged) = (AtomicBool::new(false), AtomicUsize::new(ENTRIES_BEFORE));
        std::thread::scope(|scope| {
            for number in 0..WRITERS {
                let (stop, acknowledged) = (&stop, &acknowledged);
                scope.spawn(move || write(root, number, stop, acknowledged));
            }
            let stopped = StopAtEnd(&stop);
            let mut kept = open(root);
            for number in first..tries.min(first + TRIES_PER_STORE) {
                let least = acknowledged.load(Ordering::SeqCst);
                let mut found = Vec::new();
                let entries = match number % 3 {
                    0 => {
                        let mut store = open(root);
                        let report = store.verify(false).expect("it can be read");
                        found.extend(alarms(&report));
                        found.extend(store.take_notices());
                        report.entries
                    }
                    1 => {
                        let report = kept.verify(false).expect("it can be read");
                        found.extend(alarms(&report));
                        report.entries
                    }
                    _ => open(root).rebuild().expect("it can be read"),
                };
                found.extend(kept.take_notices());
                if entries < least {
                    found.push(format!("{entries} entries of at least {least}"));
                }
                if !found.is_empty() {
                    found.truncate(5);
                    wrong.lock().unwrap().push(format!("try {number}: {}", found.join(" | ")));
                }
            }
            drop(stopped);
        });
        let mut store = open(root);
        let report = store.verify(false).expect("it can be read");
        assert!(alarms(&report).is_empty(), "at rest: {:#?}", alarms(&report));
    }
    wrong.into_inner().unwrap()
}

/// Writers stop however the checks end.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_check_raises_no_alarm_while_others_write() {
    ken_testkit::torture("checks", 1, |_| {
        let wrong = false_alarms(9);
        assert!(wrong.is_empty(), "{} of 9 tries: {wrong:#?}", wrong.len());
        9
    });
}
