//! STO-5: disks that are full, or fail to sync: an error is told, nothing of that write is there, and the store goes on.

use std::io;

use ken_core::Type;
use ken_testkit::Fault;

use crate::world::{goes_on_after, lives};

// STO-5
#[test]
fn nothing_of_a_write_is_there_when_the_disk_is_full() {
    for bytes in (0..2_600).step_by(200) {
        goes_on_after(Fault::FullAfter { bytes }, |says| {
            says.add(Type::Lesson, "Cache what is slow.", "abcd").1
        });
    }
}

// STO-5
#[test]
fn nothing_of_a_write_is_there_when_a_sync_fails() {
    for number in 0..4 {
        goes_on_after(Fault::Sync { number }, |says| says.add(Type::Lesson, "Cache what is slow.", "abcd").1);
    }
}

// STO-5
#[test]
fn nothing_of_a_write_is_there_when_any_operation_fails() {
    for number in 0..24 {
        goes_on_after(Fault::Operation { number, kind: io::ErrorKind::Other }, |says| {
            says.add(Type::Lesson, "Cache what is slow.", "abcd").1
        });
    }
}

// STO-5: a write syncs once.
#[test]
fn a_write_costs_one_sync() {
    lives(|world| {
        let key = world.add("Retry with backoff.");
        for number in 0..3 {
            let before = world.disk.syncs();
            world.say(|says| says.tag(key, &format!("tag-{number}")));
            assert_eq!(world.disk.syncs() - before, 1);
        }
        let before = world.disk.syncs();
        world.reopen();
        assert_eq!(world.disk.syncs(), before, "opening costs none");
    });
}
