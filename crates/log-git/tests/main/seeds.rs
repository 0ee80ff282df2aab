//! Seeded lives of a store on a simulated disk: writers, other processes, faults and power losses, then a stop at any moment (STO-5, STO-6).

use std::io;

use ken_core::{EntryKey, Type};
use ken_log_git::journal::SEGMENT_BYTES_MAX;
use ken_testkit::{Dice, Fault, torture};

use crate::world::{World, survives_some};

/// A segment that a few writes fill, so that journals of several segments are met.
const SEGMENT_BYTES_SMALL: u64 = 2_000;

#[test]
fn whatever_a_seed_does_to_disks_nothing_acknowledged_is_lost() {
    torture("disks", 12, |seed| {
        let mut dice = Dice::new(seed);
        let git = dice.flip();
        let segment = if dice.below(3) == 0 { SEGMENT_BYTES_SMALL } else { SEGMENT_BYTES_MAX };
        survives_some(git, segment, &mut dice, live)
    });
}

/// Some steps in the life of a store.
fn live(world: &mut World, dice: &mut Dice) {
    let mut keys: Vec<EntryKey> = Vec::new();
    for step in 0..3 + dice.below(6) {
        match dice.below(12) {
            0 => drop(world.reopen()),
            1 => {
                let other = world.another();
                drop(world.exchange(other));
            }
            2 => world.lose_power(dice.roll()),
            3 => fail_once(world, dice, step),
            _ => write(world, dice, step, &mut keys),
        }
        // What a power loss took with it can no longer be changed.
        let store = world.store();
        keys.retain(|key| store.stored(*key).unwrap().is_some());
    }
}

fn write(world: &mut World, dice: &mut Dice, step: usize, keys: &mut Vec<EntryKey>) {
    let any = |dice: &mut Dice, keys: &[EntryKey]| keys.get(dice.below(keys.len())).copied();
    let (Some(one), Some(other)) = (any(dice, keys), any(dice, keys)) else {
        keys.push(world.add(&format!("Statement {step}.")));
        return;
    };
    match dice.below(10) {
        0..3 => {
            // Often the same statement again; records of episodes cannot be changed later.
            let (statement, evidence) = (format!("Statement {}.", dice.below(6)), format!("abc{step}"));
            match dice.flip() {
                true => keys.push(world.add_kind(Type::Lesson, &statement, &evidence)),
                false => drop(world.add_kind(Type::Friction, &statement, &evidence)),
            }
        }
        3 => {
            world.say(|says| says.tag(one, &format!("t{step}")));
        }
        4 => {
            world.say(|says| says.retitle(one, &format!("Title {step}")));
        }
        5 => {
            world.say(|says| says.link(one, other));
        }
        6 => {
            world.say(|says| says.archive(one));
        }
        7 => {
            world.say(|says| says.retract(one));
        }
        8 => {
            world.say(|says| says.expose(one));
        }
        _ => {
            world.say(|says| {
                let (_, mut intents) = says.add(Type::Lesson, &format!("Both of {step}."), "beef");
                intents.extend(says.tag(one, "both"));
                intents
            });
        }
    }
}

/// A write on a disk that fails once.
fn fail_once(world: &mut World, dice: &mut Dice, step: usize) {
    let fault = match dice.below(3) {
        0 => Fault::FullAfter { bytes: dice.below(2_000) },
        1 => Fault::Sync { number: dice.below(5) },
        _ => Fault::Operation { number: dice.below(20), kind: io::ErrorKind::Other },
    };
    world.store();
    world.disk.inject(fault);
    world.say(|says| says.add(Type::Lesson, &format!("Said on a failing disk, {step}."), "abcd").1);
    world.disk.mend();
    world.reopen();
}
