//! The index is disposable: kept up to date through any history, or made anew, it says the same (STO-5, STO-7).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use ken_core::decide::Authority;
use ken_core::{EntryKey, Intent, Millis, Type};
use ken_engine::{Report, Writer};
use ken_log_git::{Layout, OpenOptions, STORE_VERSION};
use ken_testkit::Dice;
use proptest::prelude::*;

use crate::git_store::Store;
use crate::says::{START, Says};

/// One thing that happens. The numbers choose among what is there.
#[derive(Clone, Debug)]
enum Step {
    Add(u8),
    Retitle(u8, u8),
    Tag(u8, u8),
    Untag(u8, u8),
    Archive(u8),
    Restore(u8),
    Retract(u8),
    Link(u8, u8),
    Unlink(u8, u8),
    Supersede(u8, u8),
    Purge(u8),
    Expose(u8),
    Flush,
    Reopen,
    /// A line is written to another file as well.
    Copy(u8, u8),
    /// Lines leave their file.
    Drop(u8),
    /// The lines of a file come in another order, some of them twice.
    Shuffle(u8),
    /// A file goes away.
    Remove(u8),
    /// Files become one.
    Merge(u8, u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let n = || any::<u8>();
    let step = prop_oneof![
        4 => n().prop_map(Step::Add),
        2 => (n(), n()).prop_map(|(a, b)| Step::Retitle(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Step::Tag(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Step::Untag(a, b)),
        1 => n().prop_map(Step::Archive),
        1 => n().prop_map(Step::Restore),
        1 => n().prop_map(Step::Retract),
        1 => (n(), n()).prop_map(|(a, b)| Step::Link(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Step::Unlink(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Step::Supersede(a, b)),
        1 => n().prop_map(Step::Purge),
        1 => n().prop_map(Step::Expose),
        1 => Just(Step::Flush),
        2 => Just(Step::Reopen),
        2 => (n(), n()).prop_map(|(a, b)| Step::Copy(a, b)),
        1 => n().prop_map(Step::Drop),
        1 => n().prop_map(Step::Shuffle),
        1 => n().prop_map(Step::Remove),
        1 => (n(), n()).prop_map(|(a, b)| Step::Merge(a, b)),
    ];
    prop::collection::vec(step, 1..14)
}

struct Life {
    folder: tempfile::TempDir,
    store: Option<Store>,
    keys: Vec<EntryKey>,
    time: u64,
}

impl Life {
    fn new() -> Life {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(folder.path().join(".kenning")).unwrap();
        fs::write(folder.path().join(".kenning/VERSION"), STORE_VERSION).unwrap();
        Life { folder, store: None, keys: Vec::new(), time: 0 }
    }

    fn open(&self) -> Store {
        let root = self.folder.path().to_owned();
        let layout = Layout { store: root.join(".kenning"), root, git: None };
        Store::open(layout, OpenOptions::default()).expect("the store opens")
    }

    fn store(&mut self) -> &mut Store {
        if self.store.is_none() {
            self.store = Some(self.open());
        }
        self.store.as_mut().expect("opened above")
    }

    fn say(&mut self, intents: impl FnOnce(&Says<'_>) -> Vec<Intent>) {
        self.time += 1;
        let now = Millis(START.0 + 1_000 * self.time as i64);
        let replica = self.store().replica().expect("a replica");
        let intents = intents(&Says::new(self.store(), replica, "ada", now));
        let writer =
            Writer { actor: "ada".to_owned(), now, authority: Authority::attended("human:Ada", false) };
        self.store().append(intents, &writer).expect("the disk is sound");
    }

    /// An entry that is known now.
    fn key(&mut self, number: u8) -> Option<EntryKey> {
        let keys = self.keys.clone();
        let known: Vec<EntryKey> =
            keys.into_iter().filter(|key| self.store().stored(*key).unwrap().is_some()).collect();
        known.get(usize::from(number) % known.len().max(1)).copied()
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut next = vec![self.folder.path().join(".kenning")];
        while let Some(folder) = next.pop() {
            for item in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = item.path();
                if path.is_dir() {
                    next.push(path);
                } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// Edits a ledger file behind the store's back; the time of the edit is its own.
    fn edit(&mut self, path: &Path, lines: &[String]) {
        self.time += 1;
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::create_dir_all(path.parent().expect("files have folders")).unwrap();
        fs::write(path, text).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000 + self.time)).unwrap();
    }

    fn step(&mut self, step: &Step) {
        let statements = ["One.", "Two.", "Three.", "Four.", "Five.", "Six."];
        let kinds = [Type::Lesson, Type::Pattern, Type::CommitNorm, Type::Friction];
        let pick = |number: u8, count: usize| usize::from(number) % count;
        let file = |life: &Life, number: u8| -> Option<(PathBuf, Vec<String>)> {
            let files = life.files();
            let path = files.get(usize::from(number) % files.len().max(1))?.clone();
            let text = fs::read_to_string(&path).ok()?;
            Some((path, text.lines().map(str::to_owned).collect()))
        };
        match *step {
            Step::Add(a) => {
                let (kind, statement) = (kinds[pick(a, 4)], statements[pick(a / 4, 6)]);
                let evidence = format!("abcd{}", a % 3);
                let mut key = None;
                self.say(|says| {
                    let (added, intents) = says.add(kind, statement, &evidence);
                    key = Some(added);
                    intents
                });
                self.keys.extend(key.filter(|key| !self.keys.contains(key)));
            }
            Step::Reopen => self.store = None,
            Step::Flush => {
                self.store().flush(START).expect("the disk is sound");
            }
            Step::Copy(from, to) => {
                if let (Some((_, lines)), Some((path, mut other))) = (file(self, from), file(self, to))
                    && !lines.is_empty()
                {
                    other.push(lines[pick(from / 7, lines.len())].clone());
                    self.edit(&path, &other);
                    self.store = None;
                }
            }
            Step::Drop(a) => {
                if let Some((path, mut lines)) = file(self, a) {
                    lines.truncate(lines.len() / 2);
                    self.edit(&path, &lines);
                    self.store = None;
                }
            }
            Step::Shuffle(a) => {
                if let Some((path, lines)) = file(self, a) {
                    self.edit(&path, &shuffled(lines, u64::from(a)));
                    self.store = None;
                }
            }
            Step::Remove(a) => {
                if let Some((path, _)) = file(self, a) {
                    fs::remove_file(path).unwrap();
                    self.store = None;
                }
            }
            Step::Merge(a, b) => {
                if let (Some((one, lines)), Some((two, other))) = (file(self, a), file(self, b))
                    && one != two
                {
                    self.edit(&two, &[other, lines].concat());
                    fs::remove_file(one).unwrap();
                    self.store = None;
                }
            }
            Step::Retitle(a, b) => self.about(a, |says, key| {
                if says.is_immutable(key) { Vec::new() } else { says.retitle(key, statements[pick(b, 6)]) }
            }),
            Step::Tag(a, b) => self.about(a, |says, key| says.tag(key, ["net", "db", "ui"][pick(b, 3)])),
            Step::Untag(a, b) => self.about(a, |says, key| says.untag(key, ["net", "db", "ui"][pick(b, 3)])),
            Step::Archive(a) => self.about(a, |says, key| says.archive(key)),
            Step::Restore(a) => self.about(a, |says, key| says.restore(key)),
            Step::Retract(a) => self.about(a, |says, key| says.retract(key)),
            Step::Purge(a) => self.about(a, |says, key| says.purge(key)),
            Step::Expose(a) => self.about(a, |says, key| says.expose(key)),
            Step::Link(a, b) => self.about_two(a, b, |says, one, two| says.link(one, two)),
            Step::Unlink(a, b) => self.about_two(a, b, |says, one, two| says.unlink(one, two)),
            Step::Supersede(a, b) => self.about_two(a, b, |says, one, two| says.supersede(one, two)),
        }
    }

    fn about(&mut self, number: u8, say: impl FnOnce(&Says<'_>, EntryKey) -> Vec<Intent>) {
        if let Some(key) = self.key(number) {
            self.say(|says| say(says, key));
        }
    }

    fn about_two(&mut self, a: u8, b: u8, say: impl FnOnce(&Says<'_>, EntryKey, EntryKey) -> Vec<Intent>) {
        if let (Some(one), Some(two)) = (self.key(a), self.key(b)) {
            self.say(|says| say(says, one, two));
        }
    }
}

/// The lines in another order, some of them twice.
fn shuffled(mut lines: Vec<String>, seed: u64) -> Vec<String> {
    let mut dice = Dice::new(seed);
    for at in (1..lines.len()).rev() {
        lines.swap(at, dice.below(at + 1));
    }
    let again: Vec<String> = lines.iter().filter(|_| dice.below(4) == 0).cloned().collect();
    lines.extend(again);
    lines
}

/// What a store says of its entries, without where it found it.
fn said(store: &Store) -> Vec<String> {
    let page = store.list(&ken_engine::Query { all: true, ..Default::default() }).expect("the index answers");
    let mut said: Vec<String> =
        page.entries.iter().map(|stored| format!("{} {:?}", stored.id, stored.entry)).collect();
    said.sort();
    said
}

/// Few cases by default, since each of them writes real files; more with `PROPTEST_CASES`.
fn config() -> ProptestConfig {
    let given = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { given } else { ProptestConfig { cases: 24, ..given } }
}

proptest! {
    #![proptest_config(config())]

    // STO-5, STO-7: incremental equals rebuilt, whatever was done to the files in between.
    #[test]
    fn an_index_that_was_kept_says_what_one_made_anew_says(steps in steps()) {
        let mut life = Life::new();
        for step in &steps {
            life.step(step);
        }
        // What was written last is in the index before the next command, too.
        let kept_in_process = life.store().dump().unwrap();
        life.store = None;
        let kept = life.store().dump().unwrap();
        prop_assert_eq!(&kept_in_process, &kept);
        life.store().rebuild().unwrap();
        let made = life.store().dump().unwrap();
        prop_assert_eq!(kept, made);
    }

    // STO-7: the same lines in any files, in any order and however often make the same entries.
    #[test]
    fn lines_make_the_same_entries_wherever_they_stand(steps in steps(), seed in any::<u64>()) {
        let mut life = Life::new();
        let speech = steps.iter().filter(|step| {
            !matches!(step, Step::Drop(_) | Step::Remove(_) | Step::Copy(..) | Step::Merge(..) | Step::Purge(_))
        });
        for step in speech {
            life.step(step);
        }
        life.store().flush(START).unwrap();
        let said_here = said(life.store());
        let lines = life.files().into_iter().flat_map(|path| {
            fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
        });
        let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut dice = Dice::new(seed);
        for line in shuffled(lines.collect(), seed) {
            let places = [
                "semantic/v1/entities/a.jsonl",
                "semantic/v1/entities/7f/b.jsonl",
                "procedural/provenance/c.jsonl",
                "episodic/v1/friction_ledger.jsonl",
            ];
            files.entry(places[dice.below(4)]).or_default().push(line);
        }
        let mut other = Life::new();
        // Some of it is read at once, the rest is news.
        for (at, (path, lines)) in files.iter().enumerate() {
            other.edit(&other.folder.path().join(".kenning").join(path), lines);
            if at % 2 == 0 {
                other.store = None;
                other.store();
            }
        }
        other.store = None;
        prop_assert_eq!(said(other.store()), said_here);
    }
}

// STO-5: many entries are folded side by side, some hundred at a time, and some of their files are read a second time.
#[test]
fn many_entries_made_anew_say_what_they_said() {
    let mut life = Life::new();
    let statement = |number: usize| format!("Retry number {number} with care.");
    life.say(|says| {
        (0..700).flat_map(|number| says.add(Type::Lesson, &statement(number), "abcd").1).collect()
    });
    // One entry is told by two files, and another has a file of its own beside the one it shares.
    let files = life.files();
    let lines = |path: &PathBuf| fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect();
    let (one, other): (Vec<String>, Vec<String>) = (lines(&files[0]), lines(&files[1]));
    let both: Vec<String> = one.iter().chain(&other).cloned().collect();
    life.edit(&files[0], &both);
    life.store = None;
    let kept = life.store().dump().unwrap();
    life.store().rebuild().unwrap();
    assert_eq!(life.store().dump().unwrap(), kept);
    let report = life.store().verify(false).unwrap();
    assert!(report.pass, "{:?}", report.errors.first());
    assert_eq!(report.entries, 700);
}

// VAL: what a look at the index calls an error is what reading every line calls one.
#[test]
fn damage_is_known_without_reading_every_line_again() {
    let mut life = Life::new();
    life.say(|says| {
        (0..6).flat_map(|number| says.add(Type::Lesson, &number.to_string(), "abcd").1).collect()
    });
    let codes = |report: &Report| {
        let found = report.errors.iter().chain(&report.notices);
        let known = found.filter(|finding| !matches!(finding.code, "gap" | "provenance" | "words_unnamed"));
        known.map(|finding| (finding.code, finding.file.clone(), finding.line)).collect::<BTreeSet<_>>()
    };
    let both = |life: &mut Life| {
        life.store = None;
        let quick = life.store().quick_check().unwrap();
        let whole = life.store().verify(false).unwrap();
        assert_eq!(codes(&quick), codes(&whole));
        assert_eq!((quick.events, quick.entries, quick.pass), (whole.events, whole.entries, whole.pass));
        quick
    };
    assert!(both(&mut life).pass);
    let files = life.files();
    let lines = |path: &PathBuf| -> Vec<String> {
        fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
    };
    let changed = |path: &PathBuf| lines(path).iter().map(|line| line.replace("lesson", "lessen")).collect();
    let changed: Vec<String> = changed(&files[0]);
    life.edit(&files[0], &changed);
    assert!(!both(&mut life).pass);
    let torn: Vec<String> = lines(&files[1]).iter().map(|line| line[..line.len() / 2].to_owned()).collect();
    life.edit(&files[1], &torn);
    let marked: Vec<String> = ["<<<<<<< HEAD".to_owned()].into_iter().chain(lines(&files[2])).collect();
    life.edit(&files[2], &marked);
    fs::remove_file(&files[3]).unwrap();
    let found = both(&mut life);
    assert!(found.unreadable_lines() >= 2, "{found:?}");
    assert!(found.notices.iter().any(|finding| finding.code == "not_in_tree"), "{found:?}");
}
