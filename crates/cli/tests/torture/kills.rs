//! Kills of the binary at random moments while it writes: nothing acknowledged is lost, nothing is half, and no temporary file stays.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime};

use ken_testkit::{Dice, torture};
use serde_json::Value;

use super::{files_below, set_changed};
use crate::processes::{self, Kept};
use crate::world::World;

/// Kills in the life of one store.
const KILLS: u64 = 20;
/// Longer than any process may take to write a file: a temporary file of this age is nobody's.
const ABANDONED: Duration = Duration::from_secs(7200);

#[test]
fn a_killed_writer_loses_nothing_acknowledged_and_leaves_nothing_behind() {
    torture("kills", 2, |seed| match seed % 8 {
        // Many writers and long writes have stories of their own.
        0 => processes::eight_writers(30, seed),
        4 => processes::kill_loop(20, seed),
        _ => one_writer(seed),
    });
}

/// What a store may say of one entry: a write that was killed counts whole or not at all.
#[derive(Default)]
struct Expected {
    tags: BTreeSet<String>,
    details: BTreeSet<Option<String>>,
    statuses: BTreeSet<String>,
}

/// A command that writes, and what it does to what is expected.
struct Write {
    args: Vec<String>,
    effect: Effect,
}

enum Effect {
    Add(Vec<String>),
    Tag(String, String),
    Detail(String, String),
    Status(String, &'static str),
    Nothing,
}

/// One writer after the other on one store, most of them killed; answers how many were.
fn one_writer(seed: u64) -> u64 {
    let world = World::with_store();
    let mut dice = Dice::new(seed);
    let mut expected: BTreeMap<String, Expected> = BTreeMap::new();
    // What was not acknowledged, by the batch it came in.
    let mut uncertain: Vec<Vec<String>> = Vec::new();
    let mut longest = Duration::from_millis(1);
    let (mut kills, mut number) = (0, 0);
    while kills < KILLS {
        number += 1;
        let write = choose(&world, &mut dice, number, &expected);
        let begun = Instant::now();
        // The first writes tell how long a write takes.
        let after =
            (number > 3).then(|| Duration::from_micros(dice.below(longest.as_micros() as usize) as u64));
        let mut command = world.command(&World::binary().display().to_string());
        let (answer, killed) = Kept::start(command.args(&write.args)).end_or_kill(after);
        let acknowledged = answer.code == 0 || serde_json::from_str::<Value>(&answer.out).is_ok();
        assert!(acknowledged || killed, "{:?}: {} {}", write.args, answer.out, answer.err);
        kills += u64::from(killed);
        if !killed {
            longest = longest.max(begun.elapsed());
        }
        match write.effect {
            Effect::Add(ids) if acknowledged => {
                for id in ids {
                    let fresh = expected.entry(id).or_default();
                    fresh.details.insert(None);
                    fresh.statuses.insert("candidate".to_owned());
                }
            }
            Effect::Add(ids) => uncertain.push(ids),
            Effect::Tag(id, tag) if acknowledged => {
                expected.entry(id).or_default().tags.insert(tag);
            }
            Effect::Detail(id, detail) => {
                let details = &mut expected.entry(id).or_default().details;
                if acknowledged {
                    details.clear();
                }
                details.insert(Some(detail));
            }
            Effect::Status(id, status) => {
                let statuses = &mut expected.entry(id).or_default().statuses;
                if acknowledged {
                    statuses.clear();
                }
                statuses.insert(status.to_owned());
            }
            Effect::Tag(..) | Effect::Nothing => {}
        }
    }
    check(&world, &expected, &uncertain);
    no_temporary_files(&world);
    processes::in_order(&world);
    kills
}

fn choose(world: &World, dice: &mut Dice, number: usize, expected: &BTreeMap<String, Expected>) -> Write {
    let known = expected.keys().nth(dice.below(expected.len())).cloned();
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let rest = "--evidence pr:1 --anchor src/net.rs --verify look --json";
    let Some(id) = known.filter(|_| number > 3) else {
        let args = words(&format!("add lesson Lesson{number} --id k.{number} {rest}"));
        return Write { args, effect: Effect::Add(vec![format!("k.{number}")]) };
    };
    let retracted = expected[&id].statuses.contains("retracted");
    match dice.below(10) {
        0..3 => {
            let args = words(&format!("add lesson Lesson{number} --id k.{number} {rest}"));
            Write { args, effect: Effect::Add(vec![format!("k.{number}")]) }
        }
        3 => {
            let ids: Vec<String> = (0..3).map(|line| format!("b.{number}.{line}")).collect();
            let line = |id: &String| {
                let entry = serde_json::json!({
                    "type": "lesson", "id": id, "statement": format!("Batch {id}."), "anchors": ["src/net.rs"],
                    "verification": ["look"], "provenance": ["pr:1"],
                });
                format!("{entry}\n")
            };
            world.write(&format!("../bulk.{number}.jsonl"), &ids.iter().map(line).collect::<String>());
            Write {
                args: words(&format!("add --file ../bulk.{number}.jsonl --json")),
                effect: Effect::Add(ids),
            }
        }
        4..7 => {
            let tag = format!("t{number}");
            Write { args: words(&format!("tag {id} {tag} --json")), effect: Effect::Tag(id, tag) }
        }
        7 => {
            let detail = format!("Detail{number}.");
            let args = words(&format!("revise {id} --detail {detail} --json"));
            Write { args, effect: Effect::Detail(id, detail) }
        }
        8 if !retracted => {
            let args = words(&format!("retract {id} --reason wrong --json"));
            Write { args, effect: Effect::Status(id, "retracted") }
        }
        8 if expected[&id].statuses.len() == 1 => {
            let args = words(&format!("restore {id} --reason right --json"));
            Write { args, effect: Effect::Status(id, "candidate") }
        }
        _ => Write { args: words("rebuild"), effect: Effect::Nothing },
    }
}

/// Holds what the store says against what was acknowledged.
fn check(world: &World, expected: &BTreeMap<String, Expected>, uncertain: &[Vec<String>]) {
    let list = world.ken("list --all --limit 0 --json").ok().json();
    let ids: BTreeSet<&str> =
        list["items"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    let lost: Vec<_> = expected.keys().filter(|id| !ids.contains(id.as_str())).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    for batch in uncertain {
        let there = batch.iter().filter(|id| ids.contains(id.as_str())).count();
        assert!(there == 0 || there == batch.len(), "half of {batch:?} is there");
    }
    for (id, expected) in expected {
        let shown = world.ken(&format!("show {id} --json")).ok().json();
        let tags: BTreeSet<String> = shown["tags"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|tag| tag.as_str().unwrap().to_owned())
            .collect();
        assert!(expected.tags.is_subset(&tags), "{id} lacks tags: {:?} of {:?}", tags, expected.tags);
        let detail = shown["detail"].as_str().map(str::to_owned);
        assert!(expected.details.contains(&detail), "{id}: {detail:?} of {:?}", expected.details);
        let status = shown["status"].as_str().unwrap();
        assert!(expected.statuses.contains(status), "{id}: {status} of {:?}", expected.statuses);
    }
}

/// Once the temporary files of the killed are old, the next command removes them.
fn no_temporary_files(world: &World) {
    let temporary = || -> Vec<_> {
        let folders = [world.path().join(".kenning"), world.path().join(".git/kenning")];
        let files = folders.iter().flat_map(|folder| files_below(folder));
        files.filter(|path| path.extension().is_some_and(|ending| ending == "tmp")).collect()
    };
    for path in temporary() {
        set_changed(&path, SystemTime::now() - ABANDONED);
    }
    world.ken("list").ok();
    let left = temporary();
    assert!(left.is_empty(), "temporary files stay: {left:?}");
}
