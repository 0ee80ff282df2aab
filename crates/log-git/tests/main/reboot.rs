//! STO-5 on the real disk with the real index: files that kept their looks and lost their bytes when the machine stopped.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use ken_core::Type;
use ken_core::decide::Authority;
use ken_engine::Writer;
use ken_log_git::disk::{Disk, Looks, RealDisk};
use ken_log_git::{Layout, OpenOptions, STORE_VERSION};

use crate::git_store::Store;
use crate::says::{START, Says};

/// The real disk in some run of the machine.
struct Run(&'static str);

impl Disk for Run {
    fn read(&self, path: &Path, offset: u64) -> io::Result<Vec<u8>> {
        RealDisk.read(path, offset)
    }
    fn read_exact(&self, path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        RealDisk.read_exact(path, offset, length)
    }
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.append(path, bytes)
    }
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.replace(path, bytes)
    }
    fn replace_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.replace_synced(path, bytes)
    }
    fn truncate(&self, path: &Path, length: u64) -> io::Result<()> {
        RealDisk.truncate(path, length)
    }
    fn sync(&self, path: &Path) -> io::Result<()> {
        RealDisk.sync(path)
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        RealDisk.sync_folder(path)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }
    fn looks(&self, path: &Path) -> io::Result<Looks> {
        RealDisk.looks(path)
    }
    fn names(&self, path: &Path) -> io::Result<Vec<(String, Looks)>> {
        RealDisk.names(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>> {
        RealDisk.lock(path)
    }
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Send>>> {
        RealDisk.try_lock(path)
    }
    fn boot(&self) -> String {
        self.0.to_owned()
    }
}

fn layout(root: &Path) -> Layout {
    Layout { root: root.to_owned(), store: root.join(".kenning"), git: None }
}

fn open(root: &Path, run: &'static str) -> Store {
    let options = OpenOptions { disk: Arc::new(Run(run)), ..OpenOptions::default() };
    Store::open(layout(root), options).expect("the store opens")
}

/// A store with one entry, and the ledger file of that entry.
fn with_an_entry(root: &Path) -> std::path::PathBuf {
    fs::create_dir_all(root.join(".kenning")).unwrap();
    fs::write(root.join(".kenning/VERSION"), STORE_VERSION).unwrap();
    let mut store = open(root, "first");
    let replica = store.replica().unwrap();
    let (key, intents) = Says::new(&store, replica, "ada", START).add(Type::Lesson, "Retry.", "abcd");
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
    root.join(".kenning").join(store.stored(key).unwrap().unwrap().file().unwrap())
}

// STO-5
#[test]
fn a_file_that_looks_as_before_and_is_empty_is_healed() {
    let folder = tempfile::tempdir().unwrap();
    let path = with_an_entry(folder.path());
    let (before, looks) = (fs::read(&path).unwrap(), fs::metadata(&path).unwrap());
    let file = fs::File::options().write(true).open(&path).unwrap();
    io::Write::write_all(&mut &file, &vec![0; before.len()]).unwrap();
    file.set_modified(looks.modified().unwrap()).unwrap();
    let mut store = open(folder.path(), "second");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(store.snapshot().problems().unwrap(), Vec::new());
    assert_eq!(store.lost_here().unwrap(), Vec::new());
    let notices = store.take_notices().join("\n");
    assert!(notices.contains("restored 1 event that the working tree lost"), "{notices}");
    let kept = store.dump().unwrap();
    store.rebuild().unwrap();
    assert_eq!(store.dump().unwrap(), kept);
}

// STO-5: what somebody took away while the machine ran is told, not put back, also after it was started again.
#[test]
fn a_file_that_was_taken_away_stays_away_until_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = with_an_entry(folder.path());
    fs::remove_file(&path).unwrap();
    let mut store = open(folder.path(), "first");
    assert!(store.take_notices().join("\n").contains("ken recover"));
    drop(store);
    let mut store = open(folder.path(), "second");
    assert!(!path.exists());
    let lost = store.lost_here().unwrap();
    assert_eq!(store.put_back(&lost).unwrap(), 1);
    assert!(path.exists());
}

// STO-4: only what the journal holds is taken out of a file; whatever somebody typed stays for `verify` to tell.
#[test]
fn what_somebody_typed_into_a_ledger_is_not_mended_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = with_an_entry(folder.path());
    let line = fs::read_to_string(&path).unwrap();
    let pages = format!("{}\0\0{}", &line[..40], &line[60..90]);
    let text =
        format!("{}\n{line}Retry\n=======\n{pages}\n{{\"actor\":\"bob\"}}\n{}", &line[..90], &line[..70]);
    fs::write(&path, text).unwrap();
    let store = open(folder.path(), "first");
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{line}Retry\n=======\n{{\"actor\":\"bob\"}}\n"));
    assert_eq!(store.snapshot().problems().unwrap().len(), 3);
    drop(store);
    assert_eq!(open(folder.path(), "first").snapshot().problems().unwrap().len(), 3);
}

// STO-5: an index is made from the ledger again, whoever finds it damaged: also who is about to write.
#[test]
fn an_index_that_lost_pages_is_made_again_by_whoever_opens_the_store() {
    let folder = tempfile::tempdir().unwrap();
    with_an_entry(folder.path());
    let index = layout(folder.path()).tree_home().join("index");
    let database = rusqlite::Connection::open(index.join("knowledge.db")).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(database);
    let whole = fs::read(index.join("knowledge.db")).unwrap();
    for pages in 1..whole.len() / 4096 {
        for name in ["knowledge.db-wal", "knowledge.db-shm"] {
            let _ = fs::remove_file(index.join(name));
        }
        let mut torn = whole.clone();
        torn[pages * 4096..].fill(0);
        fs::write(index.join("knowledge.db"), torn).unwrap();
        let mut store = open(folder.path(), "first");
        assert_eq!(store.rebuild().unwrap(), 1, "zeros after page {pages}");
    }
}
