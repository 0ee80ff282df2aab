//! A store on a disk that is full, or that cannot be written: nothing that was acknowledged is lost.

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect;

use crate::transcript::{play, shell, skip};
use crate::world::World;

/// What every lesson here rests on.
const REST: &str = "--evidence pr:1 --anchor src/net.rs --verify look";

fn one() -> World {
    let world = World::with_store();
    assert_eq!(shell(&world, &format!("ken add lesson 'Retry with jitter.' --id one {REST}")).code, 0);
    world
}

#[test]
fn a_store_that_cannot_be_written_is_read() {
    let world = one();
    let store = world.path().join(".kenning");
    let clone = world.path().join(".git/kenning");
    let frozen = |path: &Path, on: &str| {
        Command::new("chattr").args(["-R", on]).arg(path).output().is_ok_and(|output| output.status.success())
    };
    if !frozen(&store, "+i") {
        return skip(
            "a store on a read-only disk: chattr +i does not work here (not root, or another file system)",
        );
    }
    // Whatever happens below, the folder must be deletable afterwards.
    struct Thaw(Vec<PathBuf>);
    impl Drop for Thaw {
        fn drop(&mut self) {
            for path in &self.0 {
                let _ = Command::new("chattr").args(["-R", "-i"]).arg(path).output();
            }
        }
    }
    let _thaw = Thaw(vec![store.clone(), clone.clone()]);
    let ledger = play(&world, "ken tag one kept\nken list\nken show one --json | grep -A1 '\"tags\"'");
    frozen(&clone, "+i");
    let both = play(&world, "ken list\nken tag one lost\nken doctor | head -2");
    frozen(&clone, "-i");
    frozen(&store, "-i");
    let after = play(&world, "ken list\nken verify");
    frozen(&clone, "+i");
    let sandbox = play(&world, "ken note 'From a sandbox.'\nken list --memory episodic");
    frozen(&clone, "-i");
    let home = play(&world, "ken list --memory episodic\nken verify");
    expect![[r#"
        $ ken tag one kept
        changed L-7b9baa: added tags kept
        ! note: written, but writing ledger files: semantic/v1/entities/lesson.one.jsonl: Operation not permitted (os error 1); the next command completes it
        $ ken list
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	kept	2026-01-02	50 %
        ! note: writing ledger files: semantic/v1/entities/lesson.one.jsonl: Operation not permitted (os error 1); nothing was lost, the next command retries
        $ ken show one --json | grep -A1 '"tags"'
          "tags": [
            "kept"
        ! note: writing ledger files: semantic/v1/entities/lesson.one.jsonl: Operation not permitted (os error 1); nothing was lost, the next command retries
        $ ken list
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	kept	2026-01-02	50 %
        ! note: the store is not writable; opened read-only
        $ ken tag one lost
        ! note: the store is not writable; opened read-only
        ! error: the store is read-only; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ ken doctor | head -2
        warn  writing    the store can only be read
                         check KEN_READONLY and the folder's permissions
        ! note: the store is not writable; opened read-only
        $ ken list
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	kept	2026-01-02	50 %
        $ ken verify
        pass: 2 files, 3 lines, 3 events, 1 entry; 0 errors, 0 notices
        $ ken note 'From a sandbox.'
        added G-203e00  signal.203e0021ab0fa1c8
        $ ken list --memory episodic
        G-203e00	signal	candidate	From a sandbox.		2026-01-02	50 %
        $ ken list --memory episodic
        G-203e00	signal	candidate	From a sandbox.		2026-01-02	50 %
        ! note: moved 1 event that a sandbox had kept in .kenning/.local
        $ ken verify
        pass: 3 files, 4 lines, 4 events, 2 entries and notes (1 entry in use); 0 errors, 0 notices
    "#]].assert_eq(&[ledger, both, after, sandbox, home].concat());
}

// `ulimit -f` ended `ken` without a word (SIGXFSZ), in the middle of whatever it was writing.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_is_told_and_loses_nothing() {
    let world = one();
    let long = "x".repeat(3_000);
    let mut refused = 0;
    // The limit is in blocks of 512 or 1024 bytes, by the shell; somewhere below the journal is in the way, or the index, or a file.
    for blocks in [0, 1, 2, 4, 8, 16, 32, 64] {
        let line = format!(
            "ulimit -f {blocks}; ken add lesson 'During {blocks}. {long}' --id during.{blocks} {REST}"
        );
        let answer = shell(&world, &line);
        match answer.code {
            0 => {}
            6 => {
                refused += 1;
                assert!(answer.err.contains("nothing was lost"), "{blocks}: {}", answer.err);
            }
            code => panic!("exit {code} at {blocks}: {} {}", answer.out, answer.err),
        }
        // Whoever only reads is not in the way of the limit.
        let read = shell(&world, &format!("ulimit -f {blocks}; ken show one"));
        assert_eq!(read.code, 0, "{blocks}: {}", read.err);
        let acknowledged = answer.code == 0;
        let there = shell(&world, &format!("ken show during.{blocks} --json")).code == 0;
        assert_eq!(there, acknowledged, "{blocks}");
    }
    assert!(refused > 0, "no limit was in the way");
    assert_eq!(shell(&world, "ken verify").code, 0);
}

// One bit of 150 that were tried changed what `list` said in 10 cases, and made reads fail in 43.
#[test]
fn a_bit_that_fell_over_in_the_index_changes_no_answer() {
    let world = one();
    for n in 0..12 {
        let status = if n % 3 == 0 { "retract" } else { "tag" };
        let words = ["caching", "retries", "clocks", "threads"][n % 4];
        let text = format!("Lesson {n} is about {words} and what became of them in release {n}.");
        shell(&world, &format!("ken add lesson '{text}' --id n.{n} {REST} --tag t{n}")).ok();
        match status {
            "retract" => shell(&world, &format!("ken retract n.{n} --reason 'It was wrong.'")).ok(),
            _ => shell(&world, &format!("ken tag n.{n} more")).ok(),
        };
    }
    // What was kept in the write-ahead file comes into the file itself when an index is made anew.
    shell(&world, "ken rebuild").ok();
    let questions = [
        "ken list --limit 0 --all --json",
        "ken list",
        "ken show n.5 --json",
        "ken search 'clocks threads' --json",
    ];
    let ask = || -> Vec<String> {
        questions
            .iter()
            .map(|line| {
                let answer = shell(&world, line);
                assert_eq!(answer.code, 0, "{line}: {}", answer.err);
                answer.out
            })
            .collect()
    };
    let before = ask();
    let folder = world.path().join(".git/kenning/index");
    let names = ["knowledge.db", "knowledge.db-wal"];
    let kept: Vec<(PathBuf, Vec<u8>)> = names
        .iter()
        .map(|name| folder.join(name))
        .filter_map(|path| {
            std::fs::read(&path).ok().filter(|bytes| !bytes.is_empty()).map(|bytes| (path, bytes))
        })
        .collect();
    let mut told = 0;
    for (path, bytes) in &kept {
        // The head of a page, what follows it, its middle and its end: page by page, a bit further each time.
        let pages = bytes.len().div_ceil(4096);
        let tries = 40.min(pages);
        for at in 0..tries {
            let page = at * pages / tries;
            let within = [3, 40, 700, 1_900, 2_800, 3_500, 4_000, 4_094][at % 8];
            let place = page * 4096 + within;
            if place >= bytes.len() {
                continue;
            }
            for (path, bytes) in &kept {
                std::fs::write(path, bytes).unwrap();
            }
            drop(std::fs::remove_file(folder.join("knowledge.db-shm")));
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (at % 8);
            std::fs::write(path, damaged).unwrap();
            for (line, before) in questions.iter().zip(&before) {
                let answer = shell(&world, line);
                let name = path.file_name().unwrap();
                assert_eq!(answer.code, 0, "{line} with byte {place} of {name:?}: {}", answer.err);
                assert_eq!(answer.out, *before, "{line} with byte {place} of {name:?}: {}", answer.err);
                told += usize::from(answer.err.contains("the index was damaged"));
            }
        }
    }
    assert!(told > 0, "nothing was noticed");
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mounted =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(folder.path()).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return skip("a full disk: no tmpfs can be mounted here (not root)");
    }
    struct Unmount(PathBuf);
    impl Drop for Unmount {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("-l").arg(&self.0).output();
        }
    }
    let _unmount = Unmount(folder.path().to_owned());
    let world = World::bare();
    let there = folder.path().display().to_string();
    let at = |line: &str| {
        let answer = shell(&world, &format!("cd {there} && {line}"));
        assert!(!answer.err.contains("panicked"), "{}", answer.err);
        answer
    };
    at("mkdir src && echo x > src/net.rs && ken init").ok();
    at(&format!("ken add lesson 'Before.' --id before {REST}")).ok();
    at("dd if=/dev/zero of=fill bs=1k 2>/dev/null; true").ok();
    let mut acknowledged = vec!["before".to_owned()];
    let mut refused = 0;
    for n in 0..20 {
        let answer = at(&format!("ken add lesson 'During {n}.' --id during.{n} {REST} --json"));
        match answer.code {
            0 => acknowledged.push(format!("during.{n}")),
            6 => {
                refused += 1;
                assert!(answer.err.contains("the disk is full; free some space"), "{}", answer.err);
            }
            code => panic!("exit {code}: {}", answer.err),
        }
        at("ken show before").ok();
    }
    assert!(refused > 0, "2 MiB took 20 entries");
    at("rm fill").ok();
    let kept = at("ken list --limit 0 --json").ok().json();
    let mut ids: Vec<String> =
        kept["items"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    acknowledged.sort();
    assert_eq!(ids, acknowledged);
    at("ken verify").ok();
    at(&format!("ken add lesson 'After.' {REST}")).ok();
}

// Eleven temporary files were left after 800 kills, and a purge did not look at them.
#[test]
fn temporary_files_of_a_killed_process_are_swept() {
    let world = one();
    let folders = [".kenning", ".kenning/semantic/v1/entities", ".git/kenning", ".git/kenning/journal"];
    let place =
        |folder: &str, number: &str| world.path().join(folder).join(format!(".left.jsonl.{number}.tmp"));
    let leave = |number: &str, age: u64| {
        for folder in folders {
            let path = place(folder, number);
            std::fs::write(&path, "the word is xyzzyplugh\n").unwrap();
            let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        }
    };
    let left = |number: &str| folders.into_iter().filter(|folder| place(folder, number).exists()).count();
    leave("0011aaff", 3600);
    leave("0011aaf0", 0);
    // Who may not write removes nothing.
    assert_eq!(shell(&world, "KEN_READONLY=1 ken list").code, 0);
    assert_eq!(left("0011aaff"), folders.len());
    world.ken("list").ok();
    assert_eq!(
        (left("0011aaff"), left("0011aaf0")),
        (0, folders.len()),
        "another process may be writing those"
    );
    // A purge takes what holds the secret, however new it is.
    world.ken_stdin(&["purge", "--secret", "--yes"], "xyzzyplugh").ok();
    assert_eq!(left("0011aaf0"), 0);
    // What looks alike is nobody's temporary file.
    world.write(".kenning/notes.tmp", "mine");
    world.ken("list").ok();
    assert!(world.path().join(".kenning/notes.tmp").exists());
}
