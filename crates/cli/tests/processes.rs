//! Many processes on one store, some of them killed: nothing acknowledged is lost, nothing is doubled, nothing is half (STO-5, STO-6).

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ken_log_git::GitSnapshot;
use kenning::{Rows, Snapshot};
use serde_json::Value;

use crate::world::{Answer, World};

/// A child that does not outlive its test, whatever becomes of it.
pub struct Kept(Child);

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Kept {
    /// Starts a command with everything it prints kept.
    pub fn start(command: &mut Command) -> Kept {
        Kept(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Waits for its end, or kills it (SIGKILL) when some time has passed; answers what it printed and whether it was killed.
    pub fn end_or_kill(mut self, after: Option<Duration>) -> (Answer, bool) {
        let begun = Instant::now();
        let mut killed = false;
        if let Some(after) = after {
            while self.0.try_wait().unwrap().is_none() {
                if begun.elapsed() >= after {
                    self.0.kill().unwrap();
                    killed = true;
                    break;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        (self.end(), killed)
    }

    fn end(&mut self) -> Answer {
        let (mut out, mut err) = (String::new(), String::new());
        self.0.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        self.0.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        Answer { code: self.0.wait().unwrap().code().unwrap_or(-1), out, err }
    }
}

/// Random numbers for when to kill; the schedule of processes is never the same anyway.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn ken(world: &World, args: &[&str]) -> Command {
    let mut command = world.command(&World::binary().display().to_string());
    command.args(args);
    command
}

fn add(world: &World, statement: &str) -> Command {
    let args = ["add", "lesson", statement, "--evidence", "pr:1", "--anchor", "src/net.rs"];
    ken(world, &[&args[..], &["--verify", "look", "--json"]].concat())
}

/// A line of a bulk file.
fn bulk_line(statement: &str) -> String {
    let entry = serde_json::json!({
        "type": "lesson", "statement": statement, "anchors": ["src/net.rs"], "verification": ["look"], "provenance": ["pr:1"],
    });
    format!("{entry}\n")
}

/// Every entry, whatever its status: statement and the parts it lacks.
fn listed(world: &World) -> Vec<(String, Value)> {
    let list = world.ken("list --all --limit 0 --json").ok().json();
    let entries = list["items"].as_array().unwrap().iter();
    entries.map(|entry| (entry["statement"].as_str().unwrap().to_owned(), entry["gaps"].clone())).collect()
}

/// Checks the whole store after everybody has ended.
pub fn in_order(world: &World) {
    let report = world.ken("verify --json");
    if report.code != 0 {
        // Which rows, for whoever has to find out why.
        let layout = ken_log_git::Layout::at(&world.path());
        let log = ken_log_git::GitLog::open(layout, ken_log_git::OpenOptions::default()).unwrap();
        let mut snapshot = log.snapshot().unwrap();
        let rows = |snapshot: &GitSnapshot| BTreeSet::from_iter(snapshot.dump(Rows::All).unwrap());
        let before = rows(&snapshot);
        snapshot.rebuild().unwrap();
        let after = rows(&snapshot);
        panic!("{}\nrows: {:#?}", report.out, before.symmetric_difference(&after).collect::<Vec<_>>());
    }
    let report = report.json();
    assert_eq!(report["notices"], serde_json::json!([]));
}

/// This clone's newest events by the ledger lines alone: those that no other line names as its parent.
fn heads(world: &World) -> BTreeSet<String> {
    let (mut all, mut named) = (BTreeSet::new(), BTreeSet::new());
    let mut pending = vec![world.path().join(".kenning")];
    while let Some(folder) = pending.pop() {
        for item in std::fs::read_dir(folder).unwrap() {
            let path = item.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                for line in std::fs::read_to_string(path).unwrap().lines() {
                    let line: Value = serde_json::from_str(line).unwrap();
                    all.insert(line["hash"].as_str().unwrap().to_owned());
                    let parents = line["parents"].as_array().into_iter().flatten();
                    named.extend(parents.map(|hash| hash.as_str().unwrap().to_owned()));
                }
            }
        }
    }
    all.difference(&named).cloned().collect()
}

const WRITERS: usize = 8;
const BULK_LINES: usize = 5;

// STO-8, IN-6: who is told that a name is theirs has it alone; the same words are added by one and confirmed by the other.
#[test]
fn of_two_who_add_at_once_one_gets_the_name() {
    let world = World::with_store();
    for round in 0..4 {
        let (id, key) = (format!("race.{round}"), format!("key-{round}"));
        let [first, second] = ["Retry", "Wait"].map(|word| format!("{word} in round {round}."));
        let cases = [
            [(&first, vec!["--id", &id]), (&second, vec!["--id", &id])],
            [
                (&first, vec!["--merge-key", &key, "--on-conflict", "reject"]),
                (&second, vec!["--merge-key", &key, "--on-conflict", "reject"]),
            ],
            [(&first, vec![]), (&first, vec![])],
        ];
        for (number, case) in cases.into_iter().enumerate() {
            let started = case.map(|(statement, more)| {
                let statement = format!("{statement} Case {number}.");
                Kept::start(add(&world, &statement).args(more))
            });
            let answers = started.map(|mut one| one.end());
            let added = answers.iter().filter(|answer| answer.out.contains(r#""outcome": "added""#));
            assert_eq!(added.count(), 1, "case {number}: {:?}", answers.map(|answer| answer.out));
        }
    }
    in_order(&world);
}

#[test]
fn eight_processes_that_write_at_once_lose_nothing_and_double_nothing() {
    eight_writers(30, 0);
}

/// Eight writers of single entries and of small batches in two worktrees, half of them killed now and then, beside two readers and a git
/// that commits. Answers how many were killed.
pub fn eight_writers(adds: usize, seed: u64) -> u64 {
    let world = World::with_store();
    world.git("worktree add -q -b side ../side");
    let side = world.path().with_file_name("side");
    let acknowledged = Mutex::new(BTreeSet::new());
    let maybe = Mutex::new(BTreeSet::new());
    let working = AtomicUsize::new(WRITERS);
    let kills = AtomicU64::new(0);
    // Whoever fails must not leave the others waiting for it.
    struct Done<'a>(&'a AtomicUsize);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (world, side, acknowledged, maybe, working, kills) =
                (&world, &side, &acknowledged, &maybe, &working, &kills);
            scope.spawn(move || {
                let _done = Done(working);
                let bulk = writer % 4 == 3;
                let rounds = if bulk { adds / BULK_LINES } else { adds };
                let mut dice = Dice(seed * WRITERS as u64 + writer as u64);
                for number in 0..rounds {
                    let (said, mut command) = if bulk {
                        bulk_of(world, writer, number)
                    } else {
                        let said = format!("Writer {writer} says number {number}.");
                        let command = add(world, &said);
                        (vec![said], command)
                    };
                    if writer >= WRITERS / 2 {
                        command.current_dir(side);
                    }
                    // Half of the writers are killed, one time in two, and begin again or give up.
                    let mut kill = (writer % 2 == 1 && dice.below(2) == 0)
                        .then(|| Duration::from_millis(dice.below(40)));
                    loop {
                        let (answer, killed) = Kept::start(&mut command).end_or_kill(kill.take());
                        kills.fetch_add(u64::from(killed), Ordering::SeqCst);
                        if answer.code == 0 || serde_json::from_str::<Value>(&answer.out).is_ok() {
                            acknowledged.lock().unwrap().extend(said);
                            break;
                        }
                        assert!(killed, "writer {writer}: {} {}", answer.out, answer.err);
                        if dice.below(2) == 0 {
                            maybe.lock().unwrap().extend(said);
                            break;
                        }
                    }
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                let mut before = 0;
                while working.load(Ordering::SeqCst) > 0 {
                    let all = listed(&world);
                    assert!(all.len() >= before, "entries vanished: {before}, then {}", all.len());
                    before = all.len();
                    nothing_half(&all);
                }
            });
        }
        scope.spawn(|| {
            while working.load(Ordering::SeqCst) > 0 {
                world.git("add -A");
                let commit = world.command("git").args(["commit", "-q", "-m", "meanwhile"]).output().unwrap();
                let said = String::from_utf8_lossy(&commit.stdout).into_owned();
                assert!(
                    commit.status.success() || said.contains("nothing") || said.contains("no changes added"),
                    "git commit: {said}"
                );
            }
        });
    });
    let all = listed(&world);
    nothing_half(&all);
    let statements: Vec<String> = all.into_iter().map(|(statement, _)| statement).collect();
    let set: BTreeSet<String> = statements.iter().cloned().collect();
    assert_eq!(set.len(), statements.len(), "an entry is there twice");
    let (acknowledged, maybe) = (acknowledged.into_inner().unwrap(), maybe.into_inner().unwrap());
    let lost: Vec<_> = acknowledged.difference(&set).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    assert!(set.iter().all(|said| acknowledged.contains(said) || maybe.contains(said)));
    in_order(&world);
    for words in
        ["add -A", "commit -q --allow-empty -m main", "-C ../side add -A", "-C ../side commit -q -m side"]
    {
        world.git(words);
    }
    // STO-7: what was written in the other worktree meanwhile merges without a conflict.
    world.git("merge -q --no-edit side");
    in_order(&world);
    // STO-4: the next write names every newest event as its parent, so that a later loss of any of them can be told.
    add(&world, "The last word.").output().unwrap();
    assert_eq!(heads(&world).len(), 1);
    in_order(&world);
    kills.into_inner()
}

/// A small bulk file and the command that adds it.
fn bulk_of(world: &World, writer: usize, number: usize) -> (Vec<String>, Command) {
    let said: Vec<String> =
        (0..BULK_LINES).map(|line| format!("Writer {writer} batch {number} line {line}.")).collect();
    let path = world.path().with_file_name(format!("bulk.{writer}.{number}.jsonl"));
    std::fs::write(&path, said.iter().map(|said| bulk_line(said)).collect::<String>()).unwrap();
    let command = ken(world, &["add", "--file", &path.display().to_string(), "--json"]);
    (said, command)
}

/// Readers never see half a batch, nor an entry without its citation.
fn nothing_half(all: &[(String, Value)]) {
    let mut batches: BTreeMap<&str, usize> = BTreeMap::new();
    for (statement, gaps) in all {
        assert_eq!(*gaps, serde_json::json!([]), "{statement} is half");
        if let Some((batch, _)) = statement.split_once(" line ") {
            *batches.entry(batch).or_default() += 1;
        }
    }
    for (batch, lines) in batches {
        assert_eq!(lines, BULK_LINES, "{batch} is half");
    }
}

/// A batch of a bulk add.
const BATCH: usize = 1_000;

/// A bulk add that is killed again and again, and resumed each time. Answers how often it was killed.
pub fn kill_loop(rounds: usize, seed: u64) -> u64 {
    let world = World::with_store();
    let mut dice = Dice(seed);
    let (mut files, mut kills) = (0, 0);
    let mut done = 0;
    let mut longest = Duration::from_millis(400);
    let mut file = String::new();
    let mut lines_left = 0;
    for round in 0..rounds {
        if lines_left == 0 {
            files += 1;
            file = format!("../bulk.{files}.jsonl");
            lines_left = 3 * BATCH;
            let text: String = (0..lines_left)
                .map(|line| bulk_line(&format!("File {files} teaches lesson {line}.")))
                .collect();
            std::fs::write(world.path().join(&file), text).unwrap();
        }
        let before = listed_count(&world);
        let begun = Instant::now();
        let mut command = ken(&world, &["add", "--file", &file, "--resume", "--json"]);
        let kill = Duration::from_millis(dice.below(longest.as_millis() as u64 + 1));
        let (answer, killed) = Kept::start(&mut command).end_or_kill(Some(kill));
        kills += u64::from(killed);
        let count = listed_count(&world);
        let acknowledged = acknowledged_lines(&world);
        // Whole batches or nothing of them, and at least what was acknowledged.
        assert_eq!(count % BATCH, 0, "round {round}: half a batch: {count}");
        assert!(count >= before && count >= done + acknowledged, "round {round}: {count} < {acknowledged}");
        if killed && answer.code != 0 {
            longest = longest.max(Duration::from_millis(1)).min(Duration::from_secs(5)) * 5 / 4;
            continue;
        }
        assert_eq!(answer.code, 0, "{} {}", answer.out, answer.err);
        longest = begun.elapsed().min(longest);
        done += lines_left;
        lines_left = 0;
        assert_eq!(count, done);
    }
    if lines_left > 0 {
        ken(&world, &["add", "--file", &file, "--resume", "--json"]).output().unwrap();
        done += lines_left;
    }
    let all = listed(&world);
    assert_eq!(all.len(), done);
    assert!(all.iter().all(|(_, gaps)| *gaps == serde_json::json!([])));
    assert_eq!(all.iter().map(|(statement, _)| statement).collect::<BTreeSet<_>>().len(), done);
    in_order(&world);
    kills
}

fn listed_count(world: &World) -> usize {
    let list = world.ken("list --all --limit 1 --json").ok().json();
    usize::try_from(list["total"].as_u64().unwrap()).unwrap()
}

/// What this clone remembers as acknowledged of the file that is being added; 0 when it is through or was never begun.
fn acknowledged_lines(world: &World) -> usize {
    let notes = std::fs::read_dir(world.path().join(".git/kenning/bulk")).into_iter().flatten();
    let lines = notes.filter_map(|note| {
        let text = std::fs::read_to_string(note.unwrap().path()).ok()?;
        let note: Value = serde_json::from_str(&text).ok()?;
        usize::try_from(note["lines"].as_u64()?).ok()
    });
    lines.max().unwrap_or(0)
}

// STO-5: a write survives `kill -9`, all of it or none.
#[test]
fn a_bulk_add_that_is_killed_keeps_what_was_acknowledged_and_nothing_half() {
    kill_loop(10, 7);
}

// STO-5: Ctrl-C ends between two batches, says how far it got, and `--resume` goes on from there.
#[test]
fn an_interrupted_bulk_add_says_how_far_it_got_and_can_be_resumed() {
    let world = World::with_store();
    let lines = 4 * BATCH;
    let text: String = (0..lines).map(|line| bulk_line(&format!("Lesson number {line}."))).collect();
    std::fs::write(world.path().join("../bulk.jsonl"), text).unwrap();
    let mut child = Kept::start(&mut ken(&world, &["add", "--file", "../bulk.jsonl"]));
    while acknowledged_lines(&world) == 0 {
        assert!(child.0.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(2));
    }
    let interrupted = Command::new("kill").args(["-INT", &child.0.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let answer = child.end().fails_with(130);
    let last = answer.out.lines().find_map(|line| line.strip_prefix("last line added: ")).unwrap();
    let last: usize = last.parse().unwrap();
    assert!(last.is_multiple_of(BATCH) && last > 0 && last < lines, "{last}");
    assert!(answer.out.contains("--resume"), "{}", answer.out);
    assert_eq!(listed_count(&world), last);
    let answer = world.ken("add --file ../bulk.jsonl --resume --json").ok().json();
    assert_eq!((&answer["added"], &answer["reinforced"]), (&(lines - last).into(), &0.into()));
    assert_eq!((&answer["acknowledged"], &answer["complete"]), (&lines.into(), &true.into()));
    assert_eq!(listed_count(&world), lines);
    in_order(&world);
}
