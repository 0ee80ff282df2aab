//! The stories of every log over the git log and the one in memory; what only the git log has; and the law that both have the same
//! projection.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ken_core::event::Line;
use ken_core::{Event, ReplicaId};
use ken_engine::{Access, Arrival, EventLog, Projection, Rows, Snapshot, Version};
use ken_log_git::disk::Disk;
use ken_log_git::{GitLog, Layout, OpenOptions, STORE_VERSION};
use ken_testkit::SimDisk;
use ken_testkit::conformance::{
    Handle, Log, OTHER, added, arrived, exposed, few_histories, key, live, purged, steps, tagged,
};
use proptest::prelude::*;

use crate::git_store::Store;

mod on_memory {
    ken_testkit::log_stories!(ken_testkit::conformance::Log::memory());
}

mod on_git {
    ken_testkit::log_stories!(super::git());
}

mod on_git_side_by_side {
    ken_testkit::log_stories!(super::git_side_by_side());
}

/// A git log under test.
struct Git(Arc<GitLog>, Arc<Place>);

/// Where a git log lies.
struct Place {
    folder: tempfile::TempDir,
    /// Its handles are one log, as in one process; else each is like a process of its own.
    is_shared: bool,
}

impl Place {
    fn open(&self) -> Arc<GitLog> {
        open_log(self.path(), OpenOptions::default())
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

pub fn open(root: &Path) -> Store {
    Store::of(open_log(root, OpenOptions::default())).expect("the store opens")
}

fn open_log(root: &Path, options: OpenOptions) -> Arc<GitLog> {
    let layout = Layout { store: root.join(".kenning"), root: root.to_owned(), git: None };
    GitLog::open(layout, options).expect("the log opens")
}

pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir_all(folder.path().join(".kenning")).unwrap();
    std::fs::write(folder.path().join(".kenning/VERSION"), STORE_VERSION).unwrap();
    folder
}

impl Handle for Git {
    fn log(&self) -> &dyn EventLog {
        &*self.0
    }

    fn another(&self) -> Log {
        let Git(log, place) = self;
        Log::new(Git(if place.is_shared { log.clone() } else { place.open() }, place.clone()))
    }

    fn read(&self, read: &mut dyn FnMut(&dyn Projection)) {
        read(self.0.snapshot().unwrap().projection());
    }

    fn rows(&self) -> Vec<String> {
        self.0.snapshot().unwrap().dump(Rows::OfEvents).unwrap()
    }

    fn replica(&self) -> ReplicaId {
        self.0.ledger().unwrap().replica().unwrap()
    }
}

fn at(place: Place) -> (Log, Arc<Place>) {
    let place = Arc::new(place);
    (Log::new(Git(place.open(), place.clone())), place)
}

/// A git log; its handles are like processes.
fn git() -> Log {
    git_in_folder().0
}

fn git_in_folder() -> (Log, Arc<Place>) {
    at(Place { folder: folder(), is_shared: false })
}

/// A git log whose handles are in one process.
fn git_side_by_side() -> Log {
    at(Place { folder: folder(), is_shared: true }).0
}

/// The ledger file of what is said of an entry.
fn file(event: &Event) -> String {
    format!(".kenning/semantic/v1/entities/lesson.{}.jsonl", event.entry.expect("it is about an entry"))
}

// What only the git log has: lines that lie in the tree.

fn write_lines(path: &Path, events: &[Event]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text: String = events.iter().map(|event| format!("{}\n", event.line())).collect();
    std::fs::write(path, text).unwrap();
}

#[test]
fn lines_that_a_merge_brought_are_noticed_and_not_copied() {
    let (log, folder) = git_in_folder();
    log.say(&[added("Ours.")]);
    let at = log.told().last().unwrap().end;
    let theirs = Log::of(OTHER).say(&[added("One."), tagged("One.", "a")]);
    let path: PathBuf = folder.path().join(file(&theirs[0]));
    write_lines(&path, &theirs);
    let told = log.since(at);
    assert_eq!(told.len(), 1, "one look is one batch");
    assert_eq!(told[0].lines.len(), 2);
    assert_eq!(log.since(told[0].end), []);
    assert_eq!(log.receive(&theirs), (0, 2));
    assert_eq!(std::fs::read_to_string(path).unwrap().lines().count(), 2);
}

#[test]
fn lines_of_a_branch_are_received_into_the_tree() {
    let (log, folder) = git_in_folder();
    let theirs = Log::of(OTHER).say(&[added("One.")]);
    let lines: Vec<Line> = theirs.iter().map(arrived).collect();
    let file = folder.path().join(file(&theirs[0]));
    assert_eq!(log.log().receive(lines, Arrival::Merge).unwrap().new, 1);
    assert!(std::fs::read_to_string(file).unwrap().contains(theirs[0].line()));
    assert_eq!(log.hashes(), [theirs[0].hash]);
}

// A log that stops at any disk operation, with or without a power loss after it.

fn on_disk(disk: &SimDisk) -> Log {
    let root = PathBuf::from("/repo");
    let layout = Layout { store: root.join(".kenning"), root, git: None };
    let options = OpenOptions {
        access: Access::Write,
        disk: Arc::new(disk.clone()),
        index_in_memory: true,
        ..OpenOptions::default()
    };
    let log = GitLog::open(layout, options).expect("the log opens by itself");
    Log::new(Git(log, Arc::new(Place { folder: folder(), is_shared: true })))
}

/// Lives through a story on a simulated disk, and hands every end it could have had to `examine`, with whether it had returned.
fn stops(before: impl Fn(&Log), story: impl Fn(&Log), examine: impl Fn(&Log, bool)) {
    let disk = SimDisk::default();
    let version = PathBuf::from("/repo/.kenning/VERSION");
    disk.append(&version, STORE_VERSION.as_bytes()).unwrap();
    disk.sync_everything();
    let log = on_disk(&disk);
    before(&log);
    disk.sync_everything();
    disk.record();
    story(&log);
    drop(log);
    let moments = disk.take_moments();
    assert!(moments.len() > 5, "the story did something");
    let last = moments.len() - 1;
    for (number, moment) in moments.iter().enumerate() {
        let returned = number == last;
        examine(&on_disk(&SimDisk::from_image(moment.image.clone())), returned);
        for seed in [0, 1, 7 + number as u64] {
            examine(&on_disk(&SimDisk::from_image(moment.image.after_power_loss(seed))), returned);
        }
    }
}

#[test]
fn a_receipt_that_is_stopped_anywhere_is_there_whole_or_not_at_all() {
    let theirs = Log::of(OTHER).say(&[added("One."), tagged("One.", "a"), added("Two.")]);
    stops(
        |log| drop(log.say(&[added("Ours.")])),
        |log| assert_eq!(log.receive(&theirs), (3, 0)),
        |log, returned| {
            let there = theirs.iter().filter(|event| log.log().event(&event.hash).unwrap().is_some()).count();
            assert!(there == 3 || there == 0 && !returned, "{there} of 3, returned: {returned}");
            assert_eq!(log.receive(&theirs), (3 - there, there), "and it can be made up for");
            assert_eq!(log.hashes().len(), 4);
        },
    );
}

#[test]
fn a_batch_that_is_stopped_anywhere_is_there_whole_or_not_at_all() {
    stops(
        |log| drop(log.say(&[added("Before.")])),
        |log| drop(log.say(&[added("One."), tagged("One.", "a"), exposed("One.")])),
        |log, returned| {
            let there = log.hashes().len();
            assert!(there == 4 || there == 1 && !returned, "{there} of 4, returned: {returned}");
            let next = log.say(&[added("Next.")]);
            assert_eq!(next[0].seq as usize, there + 1);
        },
    );
}

#[test]
fn an_erasure_that_is_stopped_anywhere_takes_nothing_else_and_is_finished() {
    let (one, two) = (key("One."), key("Two."));
    stops(
        |log| {
            let said = log.say(&[added("One."), added("Two.")]);
            log.say(&[purged("One.", &said[..1])]);
        },
        |log| drop(log.log().erase(&[log.hashes()[0]]).unwrap()),
        |log, returned| {
            let hashes = log.hashes();
            assert_eq!(hashes.len(), 3);
            let gone = matches!(log.log().event(&hashes[0]).unwrap(), Some(Line::Stub(_)));
            assert!(gone || !returned);
            // The next write finishes what was begun.
            log.say(&[added("Later.")]);
            assert!(matches!(log.log().event(&hashes[0]).unwrap(), Some(Line::Stub(_))));
            assert_ne!(log.version(two), Version::default());
            assert!(
                !log.rows().iter().any(|row| row.starts_with("Text(\"entry\")")
                    && row.contains(&format!("{one}").to_uppercase()))
            );
        },
    );
}

// The law: the same history gives the same rows on every log.

proptest! {
    #![proptest_config(few_histories(24))]

    #[test]
    fn the_same_history_gives_the_same_rows_on_every_log(steps in steps()) {
        let git = git();
        let memory = Log::of(git.replica());
        live(&git, &steps);
        live(&memory, &steps);
        prop_assert_eq!(git.hashes(), memory.hashes());
        prop_assert_eq!(git.rows(), memory.rows());
        // And through another handle, which has seen nothing of it.
        prop_assert_eq!(git.another().rows(), memory.rows());
    }
}
