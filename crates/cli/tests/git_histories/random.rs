//! Seeded random histories of branches and worktrees with the real git: whatever git does, nothing acknowledged is lost, nothing in
//! the store conflicts, and `verify` names exactly what a tree lacks (STO-4, STO-5, STO-7, STO-12).
//!
//! Each history keeps its own record of every line that was ever written, with the branch and the worktree it was written in, and
//! computes from that record what the product should say. `KEN_SEED=n` runs a single history again.

use crate::verbs::Verbs as _;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kenning::core::decide::Change;
use kenning::core::event::{Line, read_line};
use kenning::core::{Entry, EntryKey, Event, Millis};
use kenning::{AddInput, Caller, Channel, Options, Query, Reach, Report};

/// Enough in an everyday run to meet every pair of operations.
const HISTORIES: u64 = 200;

#[test]
fn whatever_git_does_nothing_acknowledged_is_lost_and_nothing_conflicts() {
    let template = template();
    let repository = template.path().join("repo");
    ken_testkit::torture("histories", HISTORIES, |seed| {
        history(seed, &repository);
        1
    });
}

// Our clone states again what it and a colleague stated: that waits in the journal, and both worktrees know it without a line in any tree.
#[test]
fn what_waits_in_the_journal_is_known_in_both_worktrees() {
    let template = template();
    history(1_000_072, &template.path().join("repo"));
}

/// One history from its seed: some rounds of writing and of git, then every promise is checked.
fn history(seed: u64, template: &Path) {
    let mut story = Story::new(seed, template);
    for _ in 0..story.dice.between(6, 10) {
        let tree = story.dice.below(2);
        if story.dice.one_in(4) {
            story.git_step(tree);
        } else {
            story.write(tree);
            story.git_step(tree);
        }
    }
    story.both_trees_know_everything();
    story.merge_order_does_not_matter();
    story.verify_names_what_is_absent_and_recover_brings_it_back();
}

/// A small generator of numbers (SplitMix64): the same everywhere, for one seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to - from + 1)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// A line that was written, and where.
struct Written {
    event: Event,
    branch: String,
    tree: usize,
}

/// The number of a colleague's clone; 0 and 1 are the two worktrees of ours.
const COLLEAGUE: usize = 2;

const FOLDERS: [&str; 3] = ["main", "side", "colleague"];

/// A clone with two worktrees, sometimes a colleague's clone, and the test's own record of what was written in them.
struct Story {
    seed: u64,
    dice: Dice,
    folder: tempfile::TempDir,
    /// What is checked out in each worktree.
    on: [String; 3],
    branches: Vec<String>,
    dirty: [bool; 3],
    /// Every line ever written, by its bytes.
    written: HashMap<String, Written>,
    /// What our clone's journal holds until it is flushed (STO-14): a claim that is stated again by who knows it. No tree has a line of it.
    deferred: HashMap<String, Event>,
    /// Entries that were ever added.
    entries: BTreeSet<EntryKey>,
    now: i64,
    commits: usize,
    /// A commit that takes lines away exists: git may then drop them in later merges, and stop where a file was deleted on one side.
    reverted: bool,
    /// What was done, for the story of a failure.
    told: Vec<String>,
}

impl Story {
    fn new(seed: u64, template: &Path) -> Story {
        let folder = scratch();
        copy(template, &folder.path().join("main"));
        let mut story = Story {
            seed,
            dice: Dice(seed),
            folder,
            on: FOLDERS.map(str::to_owned),
            branches: vec!["main".to_owned(), "side".to_owned()],
            dirty: [false; 3],
            written: HashMap::new(),
            deferred: HashMap::new(),
            entries: BTreeSet::new(),
            now: Millis::parse("2026-01-02T03:04:05Z").unwrap().0,
            commits: 0,
            reverted: false,
            told: Vec::new(),
        };
        // Something in common, so that branches change the same entries.
        story.write(0);
        story.commit(0);
        story.git(0, &["worktree", "add", "-q", "-b", "side", "../side"]);
        story
    }

    fn path(&self, tree: usize) -> PathBuf {
        self.folder.path().join(FOLDERS[tree])
    }

    fn try_git(&mut self, tree: usize, args: &[&str]) -> (bool, String) {
        self.told.push(format!("[{} on {}] git {}", FOLDERS[tree], self.on[tree], args.join(" ")));
        git_in(&self.path(tree), args)
    }

    fn git(&mut self, tree: usize, args: &[&str]) -> String {
        let (worked, said) = self.try_git(tree, args);
        assert!(worked, "{}git {args:?} said: {said}", self.tell());
        said
    }

    fn tell(&self) -> String {
        format!("KEN_SEED={}\n{}\n", self.seed, self.told.join("\n"))
    }

    fn open_at(&self, path: &Path) -> Reach {
        let options = Options::at(path);
        let actor = if path.ends_with("colleague") { "human:Bob" } else { "human:Ada" };
        let caller = Caller::new(actor, Millis(self.now), Channel::Library);
        let caller = caller.confirmed_by(ken_testkit::person(actor));
        kenning::open_for(options, caller).unwrap_or_else(|error| panic!("{}open: {error}", self.tell()))
    }

    /// Writes one to three things in a worktree and records the lines that appear.
    fn write(&mut self, tree: usize) {
        let mut ken = self.open_at(&self.path(tree));
        for _ in 0..self.dice.between(1, 3) {
            self.now += 1000;
            self.write_one(&mut ken);
        }
        if tree != COLLEAGUE {
            self.record_deferred(&mut ken);
        }
        drop(ken);
        self.dirty[tree] = true;
        for line in tree_lines(&self.path(tree)) {
            if !self.written.contains_key(&line) {
                let Ok(Line::Event(event)) = read_line(&line) else {
                    panic!("{}not an event: {line}", self.tell())
                };
                if event.type_name == "entry.added" {
                    self.entries.extend(event.entry);
                }
                let branch = self.on[tree].clone();
                self.written.insert(line, Written { event: *event, branch, tree });
            }
        }
    }

    /// Records what was written to the journal alone.
    fn record_deferred(&mut self, ken: &mut Reach) {
        for key in state(ken).into_keys() {
            let history = ken.ledger.history(key).unwrap().into_iter().map(|placed| placed.event);
            let deferred = history.filter(Event::is_deferred);
            self.deferred.extend(deferred.map(|event| (event.hash.to_string(), event)));
        }
    }

    fn write_one(&mut self, ken: &mut Reach) {
        let any = self.entries.iter().nth(self.dice.below(self.entries.len().max(1)));
        let other = self.entries.iter().nth(self.dice.below(self.entries.len().max(1)));
        let (Some(any), Some(other)) = (any.map(EntryKey::to_string), other.map(EntryKey::to_string)) else {
            return self.add(ken);
        };
        let number = self.dice.below(4);
        let set = |name: &str, value: String| Change {
            set: [(name.to_owned(), value.into())].into_iter().collect(),
            ..Change::default()
        };
        let (what, done) = match self.dice.below(12) {
            0..=3 => return self.add(ken),
            4 => ("revise", ken.revise(&any, set("detail", format!("In {} words.", self.now)), &[], false)),
            5 => ("revise title", ken.revise(&any, set("title", format!("Title {number}")), &[], false)),
            6 => {
                let change = Change {
                    tags_add: vec![format!("tag{number}")],
                    tags_remove: vec![format!("tag{}", (number + 1) % 4)],
                    ..Change::default()
                };
                ("tag", ken.revise(&any, change, &[format!("pr:{number}")], false))
            }
            7 => ("archive", ken.archive(&any, "old")),
            8 => ("retract", ken.retract(&any, "wrong")),
            9 | 10 => ("restore", ken.restore(&any, "right after all")),
            _ => ("supersede", ken.supersede(&any, &other, "better")),
        };
        match done {
            Ok(_) => self.told.push(format!("  ken {what} {any}")),
            // A rule may say no (an entry cannot replace itself); the disk may not.
            Err(kenning::Error::Refused(_)) => {}
            Err(error) => panic!("{}ken {what} {any}: {error}", self.tell()),
        }
    }

    /// Adds one of a few statements, so that branches often say the same.
    fn add(&mut self, ken: &mut Reach) {
        let number = self.dice.below(10);
        let kind = if number < 7 { "lesson" } else { "pattern" };
        let mut input = AddInput { kind: Some(kind.to_owned()), ..AddInput::default() };
        let mut say = |name: &str, value: serde_json::Value| input.content.insert(name.to_owned(), value);
        say("statement", format!("Heed warning number {number} of the build.").into());
        say("anchors", serde_json::json!(["src/net.rs"]));
        say("verification", serde_json::json!(["look at it"]));
        input.evidence.push(format!("pr:{}", self.dice.below(3)));
        let answer = ken.add(input).unwrap_or_else(|error| panic!("{}add: {error}", self.tell()));
        self.told.push(format!("  ken add {} -> {} {}", number, answer.outcome, answer.id));
    }

    fn commit(&mut self, tree: usize) {
        self.git(tree, &["add", "-A"]);
        self.commits += 1;
        let (worked, said) = self.try_git(tree, &["commit", "-q", "-m", &format!("c{}", self.commits)]);
        let nothing = said.contains("nothing to commit") || said.contains("nothing added");
        assert!(worked || nothing, "{}commit: {said}", self.tell());
        self.dirty[tree] = false;
    }

    fn commit_if_dirty(&mut self, tree: usize) {
        if self.dirty[tree] {
            self.commit(tree);
        }
    }

    /// A branch that is not checked out here; with `free`, in neither worktree.
    fn other_branch(&mut self, tree: usize, free: bool) -> Option<String> {
        let fit: Vec<String> = self
            .branches
            .iter()
            .filter(|name| **name != self.on[tree] && !(free && **name == self.on[1 - tree]))
            .cloned()
            .collect();
        if fit.is_empty() { None } else { Some(fit[self.dice.below(fit.len())].clone()) }
    }

    fn git_step(&mut self, tree: usize) {
        if self.seed.is_multiple_of(4) && self.dice.one_in(4) {
            return self.exchange(tree);
        }
        match self.dice.below(20) {
            0..=3 => self.commit_if_dirty(tree),
            4..=7 => self.merge(tree),
            8 => self.rebase(tree),
            9 | 10 => self.cherry_pick(tree),
            11 => self.revert_a_merge(tree),
            12 => self.squash(tree),
            13 | 14 => self.stash(tree),
            15 => {
                let to = if self.dice.one_in(2) { "HEAD" } else { "HEAD~1" };
                // The very first commit has nothing before it.
                self.try_git(tree, &["reset", "-q", "--hard", to]);
                // New files stay.
                self.dirty[tree] = true;
            }
            16 => {
                self.git(tree, &["clean", "-qfdx"]);
            }
            _ => self.switch(tree),
        }
    }

    /// A colleague takes over what was committed here, adds to it, and we pull that.
    fn exchange(&mut self, tree: usize) {
        self.commit_if_dirty(tree);
        let (path, theirs) = (self.path(COLLEAGUE), format!("origin/{}", self.on[tree]));
        if path.exists() {
            self.git(COLLEAGUE, &["fetch", "-q", "origin"]);
            let (worked, said) = self.try_git(COLLEAGUE, &["merge", "-q", "--no-edit", &theirs]);
            if !worked {
                self.resolve(COLLEAGUE, &said, &["commit", "-q", "--no-edit"]);
            }
        } else {
            self.git(tree, &["clone", "-q", "--shared", "--no-checkout", "../main", "../colleague"]);
            self.git(COLLEAGUE, &["checkout", "-q", "-b", "colleague", &theirs]);
        }
        self.write(COLLEAGUE);
        self.commit(COLLEAGUE);
        let pull = ["pull", "-q", "--no-rebase", "--no-edit", "../colleague", "colleague"];
        let (worked, said) = self.try_git(tree, &pull);
        if !worked {
            self.resolve(tree, &said, &["commit", "-q", "--no-edit"]);
        }
    }

    fn merge(&mut self, tree: usize) {
        let Some(other) = self.other_branch(tree, false) else { return };
        self.commit_if_dirty(tree);
        let (worked, said) = self.try_git(tree, &["merge", "-q", "--no-edit", &other]);
        if !worked {
            self.resolve(tree, &said, &["commit", "-q", "--no-edit"]);
        }
    }

    fn squash(&mut self, tree: usize) {
        let Some(other) = self.other_branch(tree, false) else { return };
        self.commit_if_dirty(tree);
        let (worked, said) = self.try_git(tree, &["merge", "-q", "--squash", &other]);
        if worked {
            self.commit(tree);
        } else {
            self.resolve(tree, &said, &["commit", "-q", "-m", "squash"]);
        }
    }

    fn rebase(&mut self, tree: usize) {
        let Some(onto) = self.other_branch(tree, false) else { return };
        self.commit_if_dirty(tree);
        let (mut worked, mut said) = self.try_git(tree, &["rebase", "-q", &onto]);
        for _ in 0..50 {
            if worked {
                return;
            }
            if self.unmerged(tree, &said) {
                self.git(tree, &["add", "-A"]);
                (worked, said) = self.try_git(tree, &["rebase", "--continue"]);
            } else {
                (worked, said) = self.try_git(tree, &["rebase", "--skip"]);
            }
        }
        panic!("{}the rebase did not end: {said}", self.tell());
    }

    fn cherry_pick(&mut self, tree: usize) {
        let Some(other) = self.other_branch(tree, false) else { return };
        self.commit_if_dirty(tree);
        let commits = self.git(tree, &["rev-list", "--no-merges", "--max-count=5", &other]);
        let commits: Vec<&str> = commits.lines().collect();
        let Some(commit) = commits.get(self.dice.below(commits.len().max(1))) else { return };
        let (worked, said) = self.try_git(tree, &["cherry-pick", commit]);
        if !worked {
            // A commit whose lines are all here already is empty; git asks what to do with it.
            self.resolve(tree, &said, &["cherry-pick", "--continue"]);
        }
    }

    fn revert_a_merge(&mut self, tree: usize) {
        self.merge(tree);
        let merge = self.git(tree, &["rev-list", "--merges", "--max-count=1", "HEAD"]);
        if merge.is_empty() {
            return;
        }
        self.reverted = true;
        let (worked, said) = self.try_git(tree, &["revert", "--no-edit", "-m", "1", merge.trim()]);
        if !worked {
            self.resolve(tree, &said, &["revert", "--continue"]);
        }
        if self.dice.one_in(2) {
            self.write(tree);
        }
        if self.dice.one_in(2) {
            let again = format!("{}^2", merge.trim());
            self.commit_if_dirty(tree);
            let (worked, said) = self.try_git(tree, &["merge", "-q", "--no-edit", &again]);
            if !worked {
                self.resolve(tree, &said, &["commit", "-q", "--no-edit"]);
            }
        }
    }

    /// Whether git stopped at files. Lines never conflict; git only asks about a whole file that one side does not have, because a revert
    /// deleted it or because a picked commit goes on with one that was begun in a commit that stayed behind.
    fn unmerged(&mut self, tree: usize, said: &str) -> bool {
        let picking = self.told.iter().rev().take(2).any(|told| told.contains("git cherry-pick"));
        let status = self.git(tree, &["status", "--porcelain"]);
        let conflicts: Vec<&str> = status
            .lines()
            .filter(|line| {
                line.get(..2).is_some_and(|code| code.contains('U') || matches!(code, "AA" | "DD"))
            })
            .collect();
        for line in &conflicts {
            let deleted = line.starts_with("DU") || line.starts_with("UD");
            assert!(deleted && (self.reverted || picking), "{}a conflict: {line}\n{said}", self.tell());
        }
        !conflicts.is_empty()
    }

    fn resolve(&mut self, tree: usize, said: &str, go_on: &[&str]) {
        if self.unmerged(tree, said) {
            self.git(tree, &["add", "-A"]);
        }
        let (worked, more) = self.try_git(tree, go_on);
        if !worked {
            let nothing = ["nothing to commit", "is now empty", "nothing added", "allow-empty"];
            let fine = nothing.iter().any(|words| more.contains(words) || said.contains(words));
            assert!(fine, "{}git stopped: {said}\n{more}", self.tell());
            if go_on[0] != "commit" {
                // Git may have ended it already.
                self.try_git(tree, &[go_on[0], "--skip"]);
            }
        }
    }

    fn stash(&mut self, tree: usize) {
        self.write(tree);
        let untracked = self.dice.one_in(2);
        let args: &[&str] = if untracked { &["stash", "-q", "-u"] } else { &["stash", "-q"] };
        self.git(tree, args);
        let (_, list) = self.try_git(tree, &["stash", "list"]);
        if list.is_empty() {
            return;
        }
        if self.dice.one_in(4) {
            self.git(tree, &["stash", "pop", "-q"]);
        } else {
            // Without -u new files stay.
            self.git(tree, &["stash", "drop", "-q"]);
        }
    }

    fn switch(&mut self, tree: usize) {
        if self.branches.len() < 4 && self.dice.one_in(2) {
            let name = format!("b{}", self.branches.len());
            self.git(tree, &["checkout", "-q", "-b", &name]);
            self.branches.push(name.clone());
            self.on[tree] = name;
        } else if let Some(other) = self.other_branch(tree, true) {
            if self.dice.one_in(2) {
                self.commit_if_dirty(tree);
            }
            self.git(tree, &["checkout", "-q", "-f", &other]);
            self.on[tree] = other;
        }
    }

    /// STO-5, STO-12: the truth is the union of journal and ledger files: what we wrote anywhere, and what came from others to this tree.
    fn both_trees_know_everything(&self) {
        for tree in 0..2 {
            let here = self.present(tree);
            let known = self
                .written
                .iter()
                .filter(|(line, written)| written.tree != COLLEAGUE || here.contains_key(line.as_str()));
            let known = known.map(|(_, written)| &written.event).chain(self.deferred.values());
            let all: BTreeMap<EntryKey, Entry> = fold_all(known);
            let mut ken = self.open_at(&self.path(tree));
            assert_eq!(state(&mut ken), all, "{}the state in worktree {tree}", self.tell());
            let added = here.values().filter(|written| written.event.type_name == "entry.added");
            let on_branch: BTreeSet<EntryKey> = added.filter_map(|written| written.event.entry).collect();
            let page = ken.ledger.list(&Query { all: true, ..Query::default() }).unwrap();
            let marked =
                page.entries.iter().filter(|stored| stored.is_on_branch()).map(|stored| stored.entry.key);
            assert_eq!(marked.collect::<BTreeSet<_>>(), on_branch, "{}marks in worktree {tree}", self.tell());
            for key in all.keys() {
                ken.show(&key.to_string()).unwrap_or_else(|error| panic!("{}show: {error}", self.tell()));
            }
            let ours = self.written.values().filter(|written| written.tree != COLLEAGUE);
            let mut added = ours.filter(|written| written.event.type_name == "entry.added");
            assert!(added.all(|written| all.contains_key(&written.event.entry.unwrap())), "{}", self.tell());
        }
    }

    /// The recorded lines that a worktree's files hold.
    fn present(&self, tree: usize) -> HashMap<String, &Written> {
        tree_lines(&self.path(tree))
            .into_iter()
            .map(|line| {
                let written = self.written.get(&line);
                let written = written.unwrap_or_else(|| panic!("{}nobody wrote {line}", self.tell()));
                (line, written)
            })
            .collect()
    }

    /// STO-4, STO-5, STO-7: exactly the absent events are named, and `recover` brings them back.
    fn verify_names_what_is_absent_and_recover_brings_it_back(&self) {
        for tree in 0..2 {
            let (absent, lost) = self.expected(tree);
            let mut ken = self.open_at(&self.path(tree));
            let report = self.verify(&mut ken);
            let missing: BTreeSet<String> = absent.difference(&lost).cloned().collect();
            assert_eq!(named(&report, "missing_parent"), missing, "{}missing in {tree}", self.tell());
            assert_eq!(named(&report, "not_in_tree"), lost, "{}lost in {tree}", self.tell());
            // What is there to bring back differs from worktree to worktree; the one way is tried in the one, both in the other.
            if tree == 0 {
                let recovered = ken.ledger.snapshot_mut().git_mut().unwrap().recover(false).unwrap();
                assert_eq!(recovered.still_missing, Vec::<String>::new(), "{}", self.tell());
                let wanted: BTreeSet<&String> = absent.union(&lost).collect();
                assert!(recovered.put_back >= wanted.len(), "{}{recovered:?}", self.tell());
                let (absent, lost) = self.expected(tree);
                assert!(absent.is_empty() && lost.is_empty(), "{}{absent:?} {lost:?}", self.tell());
                let report = self.verify(&mut ken);
                assert_eq!(named(&report, "missing_parent"), BTreeSet::new(), "{}", self.tell());
                assert_eq!(named(&report, "not_in_tree"), BTreeSet::new(), "{}", self.tell());
            }
            ken.ledger.snapshot_mut().git_mut().unwrap().recover(true).unwrap();
            let present = self.present(tree);
            let back = |(line, written): (&String, &Written)| {
                written.tree == COLLEAGUE || present.contains_key(line.as_str())
            };
            assert!(self.written.iter().all(back), "{}recover --all in {tree}", self.tell());
            drop(ken);
            let mut ken = self.open_at(&self.path(tree));
            let report = self.verify(&mut ken);
            assert_eq!(named(&report, "missing_parent"), BTreeSet::new(), "{}", self.tell());
            assert_eq!(named(&report, "not_in_tree"), BTreeSet::new(), "{}", self.tell());
            assert!(ken.ledger.take_notices().is_empty(), "{}", self.tell());
        }
    }

    fn verify(&self, ken: &mut Reach) -> Report {
        let report = ken.ledger.snapshot_mut().verify(false).unwrap();
        assert!(report.pass && report.errors.is_empty(), "{}{:#?}", self.tell(), report.errors);
        let quick = ken.ledger.snapshot_mut().quick_check().unwrap();
        assert!(quick.pass && quick.errors.is_empty(), "{}{:#?}", self.tell(), quick.errors);
        assert_eq!((quick.events, quick.entries), (report.events, report.entries), "{}", self.tell());
        assert_eq!(named(&quick, "not_in_tree"), named(&report, "not_in_tree"), "{}", self.tell());
        let missing = named(&report, "missing_parent");
        assert!(named(&quick, "missing_parent").is_subset(&missing), "{}", self.tell());
        report
    }

    /// What a worktree lacks by the test's own record: what its lines build on, and what was written on its branch in it.
    fn expected(&self, tree: usize) -> (BTreeSet<String>, BTreeSet<String>) {
        let present = self.present(tree);
        let have: BTreeSet<String> = present.values().map(|written| written.event.hash.to_string()).collect();
        let by_hash: HashMap<String, &Written> =
            self.written.values().map(|written| (written.event.hash.to_string(), written)).collect();
        let mut absent = BTreeSet::new();
        let mut wanted: Vec<String> = present.values().flat_map(|written| parents(written)).collect();
        while let Some(hash) = wanted.pop() {
            if !have.contains(&hash) && absent.insert(hash.clone()) {
                wanted.extend(parents(by_hash[&hash]));
            }
        }
        let lost = self
            .written
            .values()
            .filter(|written| written.tree == tree && written.branch == self.on[tree])
            .map(|written| written.event.hash.to_string())
            .filter(|hash| !have.contains(hash))
            .collect();
        (absent, lost)
    }

    /// STO-7: a fresh clone that merges all branches knows the same, in whatever order it merges them.
    fn merge_order_does_not_matter(&mut self) {
        let clone = self.folder.path().join("clone");
        let (from, to) = (self.path(0).display().to_string(), clone.display().to_string());
        self.git(0, &["clone", "-q", "--shared", "--no-checkout", &from, &to]);
        let mut orders: Vec<Vec<String>> = vec![self.branches.clone(), self.branches.clone()];
        orders[1].reverse();
        if self.branches.len() > 2 {
            let turn = self.dice.between(1, self.branches.len() - 1);
            orders[1].rotate_left(turn);
        }
        let mut results = Vec::new();
        for order in orders {
            self.told.push(format!("fresh clone merges {order:?}"));
            let first = format!("origin/{}", order[0]);
            self.git_at(&clone, &["checkout", "-q", "-f", "--detach", &first]);
            for name in &order[1..] {
                let (worked, said) = git_in(&clone, &["merge", "-q", "--no-edit", &format!("origin/{name}")]);
                if !worked {
                    let status = self.git_at(&clone, &["status", "--porcelain"]);
                    let deleted = |line: &str| line.starts_with("DU ") || line.starts_with("UD ");
                    let fine =
                        self.reverted && status.lines().filter(|line| line[..2].contains('U')).all(deleted);
                    assert!(fine, "{}a conflict in the clone: {said}\n{status}", self.tell());
                    self.git_at(&clone, &["add", "-A"]);
                    self.git_at(&clone, &["commit", "-q", "--no-edit"]);
                }
            }
            let lines: BTreeSet<String> = tree_lines(&clone).into_iter().collect();
            let mut ken = self.open_at(&clone);
            let known = state(&mut ken);
            let events: Vec<&Event> = lines.iter().map(|line| &self.written[line].event).collect();
            assert_eq!(known, fold_all(events), "{}the state of a clone", self.tell());
            if self.seed.is_multiple_of(8) {
                self.verify(&mut ken);
            }
            results.push((lines, known));
        }
        // Only a revert takes lines out of a branch, and then git decides by the order of merges what becomes of them.
        assert!(self.reverted || results[0].0 == results[1].0, "{}lines differ by merge order", self.tell());
        if results[0].0 == results[1].0 {
            assert_eq!(results[0].1, results[1].1, "{}state differs by merge order", self.tell());
        }
    }

    fn git_at(&self, path: &Path, args: &[&str]) -> String {
        let (worked, said) = git_in(path, args);
        assert!(worked, "{}git {args:?} said: {said}", self.tell());
        said
    }
}

fn parents(written: &Written) -> Vec<String> {
    written.event.parents.iter().map(|hash| hash.to_string()).collect()
}

/// The events that a report names under a code.
fn named(report: &Report, code: &str) -> BTreeSet<String> {
    let found = report.notices.iter().filter(|finding| finding.code == code);
    found.map(|finding| finding.message.split(' ').nth(1).unwrap().to_owned()).collect()
}

/// What every entry says, folded by core alone.
fn fold_all<'a>(events: impl IntoIterator<Item = &'a Event>) -> BTreeMap<EntryKey, Entry> {
    let mut by_entry: BTreeMap<EntryKey, Vec<&Event>> = BTreeMap::new();
    for event in events {
        if let Some(key) = event.entry {
            by_entry.entry(key).or_default().push(event);
        }
    }
    let folded = by_entry
        .into_iter()
        .filter_map(|(key, events)| kenning::core::entry::fold(events, &|_| false).map(|entry| (key, entry)));
    folded.collect()
}

/// What every entry says, as the store answers.
fn state(ken: &mut Reach) -> BTreeMap<EntryKey, Entry> {
    let page = ken.ledger.list(&Query { all: true, ..Query::default() }).unwrap();
    page.entries.into_iter().map(|stored| (stored.entry.key, stored.entry)).collect()
}

/// Every distinct ledger line of a tree.
fn tree_lines(root: &Path) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let mut pending = vec![root.join(".kenning")];
    while let Some(folder) = pending.pop() {
        for item in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = item.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                lines.extend(std::fs::read_to_string(&path).unwrap().lines().map(str::to_owned));
            }
        }
    }
    lines
}

/// A folder in memory where there is one: these histories are about git, not about the disk.
fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.or_else(|_| tempfile::tempdir()).unwrap()
}

/// A repository with an empty store in its one commit, made once and copied for every history.
fn template() -> tempfile::TempDir {
    let folder = scratch();
    let path = folder.path().join("repo");
    std::fs::create_dir_all(path.join("src")).unwrap();
    std::fs::write(path.join("src/net.rs"), "fn retry() {}\n").unwrap();
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let git = |args: &[&str]| {
        let (worked, said) = git_in(&path, args);
        assert!(worked, "git {args:?}: {said}");
    };
    git(&["init", "-q", "-b", "main", "--template", &empty.display().to_string()]);
    for (name, value) in [("user.name", "Ada"), ("user.email", "ada@example.org"), ("gc.auto", "0")] {
        git(&["config", name, value]);
    }
    kenning::init(&path, Default::default()).unwrap();
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    folder
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for item in std::fs::read_dir(from).unwrap() {
        let item = item.unwrap();
        let target = to.join(item.file_name());
        if item.file_type().unwrap().is_dir() {
            copy(&item.path(), &target);
        } else {
            std::fs::copy(item.path(), target).unwrap();
        }
    }
}

/// Runs git without the settings of this machine; what it printed, both ways.
fn git_in(path: &Path, args: &[&str]) -> (bool, String) {
    let output = Command::new("git")
        .args(args)
        .current_dir(path)
        .stdin(Stdio::null())
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs([
            ("HOME", "/nonexistent"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_EDITOR", "true"),
            ("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z"),
            ("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.org"),
            ("GIT_COMMITTER_NAME", "Ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.org"),
        ])
        .output()
        .unwrap();
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        said.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    (output.status.success(), said)
}
