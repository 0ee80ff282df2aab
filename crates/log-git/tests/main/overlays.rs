//! BEL-9: what was laid over an entry is durable once that is said, and not there at all when it is not.

use std::io;

use ken_core::{EntryKey, Millis, Overlay, OverlayChange, OverlayEvent};
use ken_engine::Overlaid;
use ken_testkit::Fault;

use crate::world::{World, lives};

fn change(number: usize) -> OverlayChange {
    let reason = format!("reason {number}");
    match number % 6 {
        0 => OverlayChange::Pinned { reason },
        1 => OverlayChange::Annotated { text: reason },
        2 => OverlayChange::Muted { reason },
        3 => OverlayChange::Unpinned { reason },
        4 => OverlayChange::Unmuted { reason },
        _ => OverlayChange::Cleared,
    }
}

fn event(key: EntryKey, number: usize) -> OverlayEvent {
    let at = Millis(1_700_000_000_000 + number as i64);
    OverlayEvent { entry: key, at, actor: "human:Ada".to_owned(), change: change(number) }
}

fn laid(world: &mut World, key: EntryKey) -> Overlay {
    world.store().overlay(key)
}

#[test]
fn what_was_laid_survives_a_power_loss() {
    for seed in 0..12 {
        lives(|world| {
            let key = world.add("Retry with backoff.");
            for number in 0..6 {
                assert!(world.store().lay(&event(key, number)).unwrap());
                let before = laid(world, key);
                world.lose_power(seed * 10 + number as u64);
                assert_eq!(laid(world, key), before, "seed {seed}, change {number}");
            }
        });
    }
}

#[test]
fn what_was_not_acknowledged_is_not_there() {
    let mut faults: Vec<Fault> = (0..200).step_by(20).map(|bytes| Fault::FullAfter { bytes }).collect();
    faults.extend((0..3).map(|number| Fault::Sync { number }));
    faults.extend((0..6).map(|number| Fault::Operation { number, kind: io::ErrorKind::Other }));
    for fault in faults {
        lives(|world| {
            let key = world.add("Retry with backoff.");
            world.store().lay(&event(key, 0)).unwrap();
            let before = laid(world, key);
            world.disk.inject(fault);
            let answer = world.store().lay(&event(key, 2));
            world.disk.mend();
            world.reopen();
            let after = laid(world, key);
            match answer {
                Ok(changed) => assert!(changed && after.muted.is_some(), "{fault:?}"),
                Err(_) => assert_eq!(after, before, "{fault:?}"),
            }
            // And it goes on.
            world.store().lay(&event(key, 1)).unwrap();
            assert_eq!(laid(world, key).notes.len(), 1, "{fault:?}");
        });
    }
}

#[test]
fn another_process_is_seen_by_the_next_change() {
    lives(|world| {
        let key = world.add("Retry with backoff.");
        let mut other = world.another();
        world.store().lay(&event(key, 2)).unwrap();
        // It decides by what is in the log, not by what it read when it began.
        assert!(!other.lay(&event(key, 2)).unwrap());
        assert!(other.overlay(key).muted.is_some());
        assert!(!Overlaid::Visible.admits(&other.overlay(key)));
    });
}
