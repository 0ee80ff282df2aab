//! STO-4, STO-5: a journal that was deleted, cut, or replaced by an older copy of itself.

use std::fs;
use std::path::Path;

use ken_core::decide::Authority;
use ken_core::{EntryKey, Type};
use ken_engine::Writer;
use ken_log_git::{Layout, OpenOptions, STORE_VERSION};

use crate::git_store::Store;
use crate::says::{START, Says};

fn open(root: &Path) -> Store {
    let layout = Layout { root: root.to_owned(), store: root.join(".kenning"), git: None };
    Store::open(layout, OpenOptions::default()).expect("the store opens")
}

fn add(store: &mut Store, statement: &str) -> EntryKey {
    let replica = store.replica().unwrap();
    let (key, intents) = Says::new(store, replica, "ada", START).add(Type::Lesson, statement, "abcd");
    store
        .append(
            intents,
            &Writer {
                actor: "ada".to_owned(),
                now: START,
                authority: Authority::attended("human:Ada", false),
            },
        )
        .unwrap();
    key
}

/// A store with two entries, of which `spoil` then spoils the journal; `kept` says whether the handle that wrote them goes on.
fn spoiled(spoil: fn(&Path), kept: bool) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join(".kenning")).unwrap();
    fs::write(root.join(".kenning/VERSION"), STORE_VERSION).unwrap();
    let journal = root.join(".kenning/.local/journal");
    let mut store = open(root);
    let first = add(&mut store, "Retry.");
    fs::create_dir(root.join("copy")).unwrap();
    for file in fs::read_dir(&journal).unwrap().map(Result::unwrap) {
        fs::copy(file.path(), root.join("copy").join(file.file_name())).unwrap();
    }
    let second = add(&mut store, "Wait before the next attempt.");
    let name = store.own();
    spoil(root);
    if !kept {
        drop(store);
        store = open(root);
    }
    store.refresh().unwrap();
    assert!(store.take_notices().join("\n").contains("a new replica id"));
    let third = add(&mut store, "Give up after the third attempt.");
    assert_ne!(store.own(), name);
    for key in [first, second, third] {
        let stored = store.stored(key).unwrap().expect("every entry is known");
        assert!(root.join(".kenning").join(stored.file().unwrap()).exists());
    }
    let report = store.verify(false).unwrap();
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    // It is told once.
    drop(store);
    assert!(!open(root).take_notices().join("\n").contains("a new replica id"));
}

fn delete(root: &Path) {
    fs::remove_dir_all(root.join(".kenning/.local/journal")).unwrap();
}

fn cut(root: &Path) {
    let segment = fs::File::options().write(true).open(root.join(".kenning/.local/journal/00000001.log"));
    segment.unwrap().set_len(200).unwrap();
}

fn put_copy_back(root: &Path) {
    for file in fs::read_dir(root.join("copy")).unwrap().map(Result::unwrap) {
        fs::copy(file.path(), root.join(".kenning/.local/journal").join(file.file_name())).unwrap();
    }
}

#[test]
fn what_is_written_after_the_journal_was_lost_is_in_the_ledger_files() {
    for spoil in [delete, cut, put_copy_back] {
        spoiled(spoil, false);
    }
}

#[test]
fn a_store_that_was_open_when_the_journal_was_lost_notices() {
    for spoil in [delete, cut, put_copy_back] {
        spoiled(spoil, true);
    }
}
