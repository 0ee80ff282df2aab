//! One flipped bit in any file of a store: the answers are the same, or an error or a notice tells; never silently another answer.

use std::path::PathBuf;

use ken_testkit::{Dice, torture};

use super::{Pool, Snapshot, set_changed};
use crate::transcript::shell;
use crate::world::World;

const QUESTIONS: [&str; 4] = [
    "ken list --limit 0 --all --json",
    "ken show n.5 --json",
    "ken search 'clocks threads' --json",
    "ken log n.3 --json",
];

/// A store with everything in it that a file can hold, and what it answers while it is sound.
struct Sound {
    world: World,
    snapshot: Snapshot,
    /// Files that can be damaged: not empty, and not remade at every start.
    files: Vec<PathBuf>,
    answers: Vec<String>,
}

impl Sound {
    fn new() -> Sound {
        let world = World::with_store();
        let run = |line: &str| drop(shell(&world, line).ok());
        let rest = "--evidence pr:1 --anchor src/net.rs --verify look";
        for n in 0..8 {
            let topic = ["caching", "retries", "clocks", "threads"][n % 4];
            let text = format!("Lesson {n} is about {topic} and what became of them in release {n}.");
            run(&format!("ken add lesson '{text}' --id n.{n} {rest} --tag t{n}"));
        }
        run("ken retract n.2 --reason 'It was wrong.'");
        run("ken edit n.3 --detail 'In other words.'");
        run("ken note 'The build is slow on Mondays.'");
        run("ken config list.limit 20");
        run("git add -A");
        run("git commit -q -m entries");
        run("ken rebuild");
        // The index holds something in its write-ahead file, too.
        run("ken tag n.5 newest");
        let answers = QUESTIONS.map(|line| shell(&world, line).ok().out).to_vec();
        let again = QUESTIONS.map(|line| shell(&world, line).ok().out).to_vec();
        assert_eq!(answers, again, "a sound store answers the same twice");
        let snapshot = Snapshot::take(vec![world.path().join(".kenning"), world.path().join(".git/kenning")]);
        let can_be_damaged = |(path, (bytes, _)): (&PathBuf, &(Vec<u8>, _))| {
            (!bytes.is_empty() && !path.to_string_lossy().ends_with("-shm")).then(|| path.clone())
        };
        let files = snapshot.files.iter().filter_map(can_be_damaged).collect();
        Sound { world, snapshot, files, answers }
    }

    /// Flips one bit and asks everything.
    fn damage(&self, seed: u64) {
        self.snapshot.restore();
        let mut dice = Dice::new(seed);
        let path = &self.files[dice.below(self.files.len())];
        let (bytes, changed) = &self.snapshot.files[path];
        let (at, bit) = (dice.below(bytes.len()), dice.below(8));
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << bit;
        std::fs::write(path, &damaged).unwrap();
        // A disk that forgets a bit changes no time; a program that writes nonsense does.
        if dice.flip() {
            set_changed(path, *changed);
        }
        let name = path.strip_prefix(self.world.path()).unwrap().display().to_string();
        let place = format!("bit {bit} of byte {at} of {name}");
        // Damage is told once, by the first command that meets it.
        let mut told = String::new();
        for (line, sound) in QUESTIONS.iter().zip(&self.answers) {
            let answer = shell(&self.world, line);
            told.push_str(&answer.err);
            assert!(answer.code >= 0 && !answer.err.contains("panicked"), "{place}, {line}: {}", answer.err);
            let same = answer.code == 0 && answer.out == *sound;
            assert!(
                same || !told.trim().is_empty(),
                "{place}: `{line}` silently answers something else: {}",
                difference(sound, &answer.out)
            );
        }
        let still_damaged = || std::fs::read(path).is_ok_and(|bytes| bytes == damaged);
        if name.ends_with(".jsonl") && still_damaged() {
            let verified = shell(&self.world, "ken verify");
            let told = verified.code != 0 || !verified.err.is_empty() || !verified.out.contains("0 notices");
            assert!(told, "{place}: verify does not tell: {}", verified.out);
        }
    }
}

/// The first line in which two texts differ.
fn difference(sound: &str, other: &str) -> String {
    let lines = sound.lines().zip(other.lines()).find(|(a, b)| a != b);
    lines.map_or("one is shorter".to_owned(), |(a, b)| format!("`{}` became `{}`", a.trim(), b.trim()))
}

#[test]
fn a_flipped_bit_is_noticed_or_changes_no_answer() {
    let stores = Pool::new(Sound::new);
    torture("bits", 24, |seed| {
        stores.with(|sound| sound.damage(seed));
        1
    });
}
