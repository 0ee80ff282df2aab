//! Many handles on one store: readers that wait for nobody, and observations that are recorded in groups.

use ken_engine::Access;
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ken_core::decide::{Authority, Outcome};
use ken_core::{EntryKey, Intent, Millis, Type};
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddInput, Decision, ScannedBatch, add_all};
use ken_engine::{Asked, GroupRecorder, Query, Writer};
use ken_log_git::{Layout, OpenOptions};
use ken_recall::{Mode, Question};

use crate::conformance::{folder, open};
use crate::git_store::Store;
use crate::says::{START, Says};

fn writer(actor: &str, moment: i64) -> Writer {
    Writer {
        actor: actor.to_owned(),
        now: Millis(START.0 + 1_000 * moment),
        authority: Authority::attended("human:Ada", false),
    }
}

fn say<T>(store: &mut Store, intents: impl FnOnce(&Says<'_>) -> (T, Vec<Intent>)) -> T {
    let replica = store.replica().unwrap();
    let (answer, intents) = intents(&Says::new(store, replica, "ada", START));
    store.append(intents, &writer("ada", 0)).unwrap();
    answer
}

fn add_many(root: &Path, count: usize) -> Vec<EntryKey> {
    let words =
        ["retry", "cache", "socket", "index", "parser", "queue", "branch", "lock", "thread", "schema"];
    say(&mut open(root), |says| {
        let mut keys = Vec::new();
        let intents = (0..count).flat_map(|number| {
            let (a, b) = (words[number % 10], words[(number / 10) % 10]);
            let statement = format!("The {a} of the {b} waits {number} times before it gives up.");
            let (key, intents) = says.add(Type::Lesson, &statement, "abcd");
            keys.push(key);
            intents
        });
        let intents = intents.collect();
        (keys, intents)
    })
}

fn search(store: &mut Store, words: &str) -> usize {
    store.refresh().unwrap();
    let question = Question::plain(words);
    let among = Query { memories: vec![ken_core::Memory::Semantic], ..Query::default() };
    let asked = Asked {
        question: &question,
        among: &among,
        mode: Mode::Lexical,
        wanted: 10,
        thread: None,
        embedder: None,
        by_standing: false,
        debug: false,
        unasked_in: None,
    };
    store.relevant(&asked).unwrap().hits.len()
}

fn exposed(store: &Store, key: EntryKey) -> Vec<Intent> {
    let replica = store.own().expect("somebody has written");
    Says::new(store, replica, "bob", START).expose(key)
}

/// Two commands add the same file: what the other has written while one was deciding is not written twice.
#[test]
fn what_another_handle_adds_meanwhile_is_added_once() {
    let folder = folder();
    let (mut store, other) = (open(folder.path()), RefCell::new(open(folder.path())));
    let repository = MemoryRepository::default();
    let intake = Intake::default();
    let inputs: Vec<AddInput> =
        (0..20).map(|number| lesson(&format!("The parser waits {number} times."))).collect();
    let batch = ScannedBatch::now(inputs.clone(), intake.names, &repository);
    let tries = Cell::new(0);
    let meanwhile = |_: &[Decision]| {
        tries.set(tries.get() + 1);
        if tries.get() == 1 {
            let theirs = inputs[5..].to_vec();
            add_all(&mut other.borrow_mut(), &repository, theirs, &intake, &writer("bob", 1))?;
        }
        Ok(())
    };
    let answers = batch.add(&mut store, &repository, &intake, &writer("ada", 2), meanwhile).unwrap();
    // They lack an anchor.
    let held = answers.iter().filter(|answer| answer.as_ref().is_ok_and(|it| it.outcome == Outcome::Held));
    assert_eq!((tries.get(), held.count()), (2, 5));
    assert_eq!(store.events_holding("The parser waits").unwrap().len(), 20);
}

fn lesson(statement: &str) -> AddInput {
    AddInput {
        kind: Some("lesson".to_owned()),
        content: serde_json::json!({ "statement": statement }).as_object().unwrap().clone(),
        evidence: vec!["pr:1".to_owned()],
        draft: true,
        ..AddInput::default()
    }
}

#[test]
fn a_handle_and_a_recorder_may_go_to_another_thread() {
    fn moves<T: Send>() {}
    fn is_shared<T: Send + Sync>() {}
    moves::<Store>();
    is_shared::<GroupRecorder>();
    is_shared::<ken_log_git::GitLog>();
    is_shared::<ken_log_memory::MemoryLog>();
}

/// Lists of a store that somebody adds to show the newest entries, whose files were written a moment ago: each list waited for the writer, and
/// looked at every file. One that is edited while the index is written is looked at again by the next read.
#[test]
fn an_edited_entry_is_not_waited_for_while_somebody_writes_the_index() {
    let folder = folder();
    let keys = add_many(folder.path(), 3);
    let mut reader = open(folder.path());
    for one in std::fs::read_dir(folder.path().join(".kenning/semantic/v1/entities")).unwrap() {
        let path = one.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}\n")).unwrap();
    }
    let busy =
        rusqlite::Connection::open(reader.log().layout().tree_home().join("index/knowledge.db")).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(!reader.snapshot_mut().look_again(&keys).unwrap());
    busy.execute_batch("ROLLBACK").unwrap();
    assert!(reader.snapshot_mut().look_again(&keys).unwrap());
}

/// A bulk add writes the index for seconds. Who reads meanwhile is given the last whole state, at once.
#[test]
fn a_reader_does_not_wait_for_who_writes_the_index() {
    let folder = folder();
    add_many(folder.path(), 30);
    let mut reader = open(folder.path());
    // News that the reader would like to tell the index of.
    let one = std::fs::read_dir(folder.path().join(".kenning/semantic/v1/entities")).unwrap().next().unwrap();
    let text = std::fs::read_to_string(one.unwrap().path()).unwrap();
    std::fs::write(folder.path().join(".kenning/semantic/v1/entities/copied.jsonl"), text).unwrap();
    let database = reader.log().layout().tree_home().join("index/knowledge.db");
    assert!(database.exists(), "the index is where this test looks for it");
    let busy = rusqlite::Connection::open(database).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    assert!(search(&mut reader, "retry") > 0);
    assert!(begun.elapsed() < Duration::from_secs(20), "it waited {:?}", begun.elapsed());
    assert_eq!(reader.list(&Query { all: true, ..Query::default() }).unwrap().total, 30);
    busy.execute_batch("ROLLBACK").unwrap();
    drop(busy);
    reader.refresh().unwrap();
    let copies = reader.dump().unwrap();
    assert_eq!(copies, open(folder.path()).dump().unwrap(), "and catches up the next time");
}

/// Commands that write at the same time find a shared file longer than the index knows: they take its new lines in, and nothing else anew.
#[test]
fn an_index_knows_the_lines_of_shared_files_that_were_added_here() {
    let folder = folder();
    add_many(folder.path(), 3);
    let mut store = open(folder.path());
    say(&mut store, |says| says.add(Type::Lesson, "Retry with jitter.", "abcd"));
    let database = store.log().layout().tree_home().join("index/knowledge.db");
    let chains = || -> Vec<(String, Option<i64>)> {
        let index = rusqlite::Connection::open(&database).unwrap();
        let sql = "SELECT path, chain FROM files WHERE entry IS NULL ORDER BY path";
        let mut statement = index.prepare(sql).unwrap();
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
    };
    let written = chains();
    assert!(!written.is_empty(), "nothing shared was written");
    assert!(written.iter().all(|(_, chain)| chain.is_some()), "{written:?}");
    store.rebuild().unwrap();
    assert_eq!(chains(), written, "as somebody finds them who reads the files");
}

#[test]
fn a_handle_that_was_idle_sees_what_was_acknowledged() {
    let folder = folder();
    add_many(folder.path(), 5);
    let mut idle = open(folder.path());
    assert_eq!(search(&mut idle, "jitter"), 0);
    let mut other = open(folder.path());
    let key = say(&mut other, |says| says.add(Type::Lesson, "Retry with jitter.", "abcd"));
    assert!(search(&mut idle, "jitter") > 0);
    assert!(idle.stored(key).unwrap().is_some_and(|stored| stored.is_on_branch()));
}

#[test]
fn what_many_threads_showed_is_one_frame_and_nothing_is_lost() {
    let folder = folder();
    let keys = add_many(folder.path(), 8);
    let recorder = GroupRecorder::new(open(folder.path()).into_ledger());
    let reader = open(folder.path());
    let intents: Vec<Vec<Intent>> = keys.iter().map(|key| exposed(&reader, *key)).collect();
    let frames =
        || std::fs::read_to_string(folder.path().join(".kenning/.local/journal/00000001.log")).unwrap();
    let before = frames().matches("#ken1 ").count();
    std::thread::scope(|scope| {
        for intents in &intents {
            let recorder = &recorder;
            scope.spawn(move || {
                for moment in 0..10 {
                    recorder.record(intents.clone(), writer("agent:bob", moment)).unwrap();
                }
            });
        }
    });
    let written = frames().matches("#ken1 ").count() - before;
    assert!(written < 80, "{written} frames for 80 observations");
    let mut reader = reader;
    reader.refresh().unwrap();
    for key in keys {
        assert_eq!(reader.shown(key, Millis(0)).unwrap().len(), 10);
    }
    let report = open(folder.path()).verify(false).unwrap();
    assert_eq!(report.errors, []);
}

#[test]
fn what_was_recorded_is_there_when_it_returns() {
    let folder = folder();
    let keys = add_many(folder.path(), 1);
    let recorder = GroupRecorder::new(open(folder.path()).into_ledger());
    let reader = open(folder.path());
    recorder.record(exposed(&reader, keys[0]), writer("agent:bob", 1)).unwrap();
    assert_eq!(open(folder.path()).shown(keys[0], Millis(0)).unwrap().len(), 1);
}

/// Nobody is told that something was recorded which was not, whoever wrote for them.
#[test]
fn everybody_of_a_group_that_could_not_be_written_hears_of_it() {
    let folder = folder();
    let keys = add_many(folder.path(), 1);
    let reader = open(folder.path());
    let intents = exposed(&reader, keys[0]);
    let options = OpenOptions { access: Access::Read, ..OpenOptions::default() };
    let recorder = GroupRecorder::new(Store::open(Layout::at(folder.path()), options).unwrap().into_ledger());
    let failed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let result = recorder.record(intents.clone(), writer("agent:bob", 1));
                failed.fetch_add(usize::from(result.is_err()), Ordering::Relaxed);
            });
        }
    });
    assert_eq!(failed.load(Ordering::Relaxed), 8);
}

#[test]
fn a_recorder_takes_observations_and_nothing_else() {
    let folder = folder();
    let keys = add_many(folder.path(), 1);
    let recorder = GroupRecorder::new(open(folder.path()).into_ledger());
    let reader = open(folder.path());
    let replica = reader.own().unwrap();
    let change = Says::new(&reader, replica, "bob", START).tag(keys[0], "a");
    assert!(recorder.record(change, writer("bob", 1)).is_err());
}

/// Searches per second of some threads, each with a handle, for some time; what was shown is recorded.
fn searches_per_second(root: &Path, threads: usize, during: Duration) -> f64 {
    let words = ["retry", "cache", "socket", "index parser", "queue branch", "lock", "thread schema"];
    let (done, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let recorder = GroupRecorder::new(open(root).into_ledger());
    let key = open(root).list(&Query { limit: 1, ..Query::default() }).unwrap().entries[0].entry.key;
    let mut handles: Vec<Store> = (0..threads).map(|_| open(root)).collect();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for (thread, store) in handles.iter_mut().enumerate() {
            let (done, stop, recorder) = (&done, &stop, &recorder);
            scope.spawn(move || {
                for number in thread.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    assert!(search(store, words[number % words.len()]) > 0);
                    recorder.record(exposed(store, key), writer("agent:bob", 1)).unwrap();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        while begun.elapsed() < during {
            std::thread::park_timeout(during.saturating_sub(begun.elapsed()));
        }
        stop.store(true, Ordering::Relaxed);
    });
    done.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64()
}

#[test]
#[ignore = "a measurement: run it alone, in a release build, with --nocapture"]
fn searches_per_second_of_one_thread_and_of_eight() {
    let folder = folder();
    for _ in 0..4 {
        add_many(folder.path(), 1_000);
    }
    let count: usize = std::env::var("KEN_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let during = Duration::from_secs(count as u64);
    let one = searches_per_second(folder.path(), 1, during);
    let eight = searches_per_second(folder.path(), 8, during);
    println!("searches per second: 1 thread {one:.0}, 8 threads {eight:.0}, {:.2} times", eight / one);
    let (stop, root) = (AtomicBool::new(false), folder.path());
    let busy = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut store = open(root);
            for number in 0.. {
                if stop.load(Ordering::Relaxed) {
                    println!("a bulk add wrote {number} batches of 200 meanwhile");
                    return;
                }
                say(&mut store, |says| {
                    let statements = (0..200).map(|at| format!("Bulk {number}, line {at} about a queue."));
                    ((), statements.flat_map(|text| says.add(Type::Lesson, &text, "abcd").1).collect())
                });
            }
        });
        let busy = searches_per_second(root, 8, during);
        stop.store(true, Ordering::Relaxed);
        busy
    });
    println!("while a bulk add runs: 8 threads {busy:.0} searches per second");
    assert!(busy > 0.0);
}
