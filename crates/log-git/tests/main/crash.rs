//! STO-5: power loss and sudden death at every moment of some short stories. Nothing acknowledged is lost, nothing is half there, and the
//! store opens by itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ken_core::Type;
use ken_log_git::journal::Journal;
use ken_testkit::Fault;

use crate::world::{survives, survives_with};

// STO-5
#[test]
fn an_addition_survives_a_stop_at_any_moment() {
    survives(|world| {
        world.add("Retry with backoff.");
    });
}

// STO-5
#[test]
fn two_additions_survive_one_by_one() {
    survives(|world| {
        world.add("Retry with backoff.");
        world.add("Cache what is slow.");
    });
}

// STO-5
#[test]
fn a_revision_survives() {
    survives(|world| {
        let key = world.add("Retry with backoff.");
        world.say(|says| says.retitle(key, "Retries"));
        world.reopen();
        world.say(|says| says.tag(key, "network"));
    });
}

// STO-5: all of a batch or none of it.
#[test]
fn five_additions_in_one_write_survive_together() {
    survives(|world| {
        world.say(|says| {
            let statements = ["One.", "Two.", "Three.", "Four.", "Five."];
            statements.iter().flat_map(|statement| says.add(Type::Lesson, statement, "abcd").1).collect()
        });
    });
}

// STO-5, STO-3: status is an event.
#[test]
fn archiving_and_restoring_survive() {
    survives(|world| {
        let key = world.add("Retry with backoff.");
        world.say(|says| says.archive(key));
        world.say(|says| says.restore(key));
    });
}

// STO-5
#[test]
fn links_survive() {
    survives(|world| {
        let one = world.add("One.");
        let two = world.add("Two.");
        world.say(|says| says.link(one, two));
        world.say(|says| says.unlink(one, two));
    });
}

// STO-5
#[test]
fn a_retraction_survives() {
    survives(|world| {
        let key = world.add("Retry with backoff.");
        world.reopen();
        world.say(|says| says.retract(key));
    });
}

// STO-5, ENT-6: both ends of a supersession, or neither.
#[test]
fn a_supersession_survives_on_both_ends() {
    survives(|world| {
        let old = world.add("One.");
        let new = world.add("Two.");
        world.say(|says| says.supersede(old, new));
    });
}

// STO-14: what waits in the journal is as durable as what does not.
#[test]
fn exposures_survive_before_and_while_they_are_flushed() {
    survives(|world| {
        let key = world.add("Retry with backoff.");
        world.say(|says| says.expose(key));
        world.say(|says| says.expose(key));
        world.store().flush(crate::says::START).unwrap();
        world.say(|says| says.expose(key));
    });
}

// STO-5
#[test]
fn a_journal_survives_the_beginning_of_new_segments() {
    survives_with(false, 1_500, |world| {
        world.add("One.");
        world.add("Two.");
        world.reopen();
        world.add("Three.");
    });
}

// STO-13: taking bytes out of the journal takes nothing else out.
#[test]
fn other_events_survive_a_purge_of_the_journal() {
    survives_with(false, 2_500, |world| {
        let secret = world.add("The door opens at the word hunter2.");
        let other = world.add("Retry with backoff.");
        world.say(|says| says.purge(secret));
        let purged = world.mark_purged(secret);
        world.stub_out(&purged);
        let journal = Journal::new(Arc::new(world.disk.clone()), world.path(".local/journal"));
        assert!(journal.purge(&|hash| purged.contains(hash)).unwrap());
        assert!(!journal.purge(&|hash| purged.contains(hash)).unwrap(), "once is enough");
        let raw = |path: &str, bytes: &[u8]| {
            path.contains("/journal/") && String::from_utf8_lossy(bytes).contains("hunter2")
        };
        let after = world.disk.image().after_power_loss(0);
        assert!(!after.files().iter().any(|(path, bytes)| raw(path, bytes)));
        world.reopen();
        world.say(|says| says.retitle(other, "Retries"));
    });
}

// STO-3: citations of many entries share a file.
#[test]
fn lines_in_a_shared_file_survive() {
    survives(|world| {
        for statement in ["One.", "Two."] {
            world.add_kind(Type::CommitNorm, statement, "abcd");
        }
        world.add_kind(Type::Friction, "The build is slow.", "abcd");
        world.add_kind(Type::Friction, "The tests are slow.", "abcd");
    });
}

// STO-8: saying a thing twice is one entry with both citations.
#[test]
fn the_same_entry_added_twice_survives_with_both_citations() {
    survives(|world| {
        let one = world.add_kind(Type::Lesson, "Retry with backoff.", "abcd");
        let two = world.add_kind(Type::Lesson, "retry  with backoff", "beef");
        assert_eq!(one, two);
    });
}

// STO-6
#[test]
fn what_two_processes_write_in_turn_survives() {
    survives(|world| {
        world.add("One.");
        let other = world.another();
        let first = world.exchange(other);
        world.add("Two.");
        let second = world.exchange(first);
        world.add("Three.");
        world.exchange(second);
        world.add("Four.");
    });
}

// STO-5: `ken recover` after somebody took lines out of the tree.
#[test]
fn lines_that_were_taken_away_survive_in_the_journal() {
    survives(|world| {
        let key = world.add("Retry with backoff.");
        world.add("Cache what is slow.");
        let file = world.file_of(key);
        world.remove(&file);
        world.reopen();
        let lost = world.store().lost_here().unwrap();
        assert_eq!(lost.len(), 1);
        assert_eq!(world.store().put_back(&lost).unwrap(), 1);
        world.say(|says| says.retitle(key, "Retries"));
    });
}

// STO-2: the journal of a sandbox moves home with the next command that can write there.
#[test]
fn a_sandboxs_journal_survives_its_move() {
    survives_with(true, u64::MAX, |world| {
        world.add("One.");
        world.disk.protect(Path::new("/repo/.git"));
        world.reopen();
        world.add("Two.");
        world.disk.unprotect();
        world.reopen();
        world.add("Three.");
        world.disk.protect(Path::new("/repo/.git"));
        world.reopen();
        world.add("Four.");
    });
}

// STO-5: `cargo xtask torture disks` found it. A branch from before the store has no VERSION; the first write brings it, and a power loss left half of it.
#[test]
fn a_store_that_the_first_write_completes_survives() {
    survives_with(true, u64::MAX, |world| {
        world.add("One.");
        ken_log_git::disk::Disk::remove(&world.disk, &world.path("VERSION")).unwrap();
        world.reopen();
        world.add("Two.");
    });
}

// STO-5: the index is disposable.
#[test]
fn everything_survives_a_rebuild_of_the_index() {
    survives(|world| {
        let key = world.add("Retry with backoff.");
        assert_eq!(world.store().rebuild().unwrap(), 1);
        world.say(|says| says.tag(key, "network"));
        world.store().rebuild().unwrap();
        world.add("Cache what is slow.");
    });
}

// STO-5: the marks that spare work are only hints.
#[test]
fn everything_survives_the_loss_of_hints() {
    survives(|world| {
        let files =
            |world: &crate::world::World| [world.path(".index/mark"), world.path(".local/journal/tail")];
        let key = world.add("Retry with backoff.");
        for file in files(world) {
            ken_log_git::disk::Disk::remove(&world.disk, &file).unwrap();
        }
        world.say(|says| says.retitle(key, "Retries"));
        for file in files(world) {
            ken_log_git::disk::Disk::remove(&world.disk, &file).unwrap();
        }
        world.reopen();
        world.add("Cache what is slow.");
    });
}

// STO-5: a refused write leaves nothing, and the next one works.
#[test]
fn a_full_disk_in_the_middle_loses_nothing() {
    survives(|world| {
        let key = world.add("Retry with backoff.");
        // Once the journal has no room, and once it is the ledger file.
        for (bytes, acknowledged) in [(100, false), (700, true)] {
            world.disk.inject(Fault::FullAfter { bytes });
            assert_eq!(world.say(|says| says.tag(key, &format!("tag-{bytes}"))), acknowledged);
            world.disk.mend();
        }
        world.say(|says| says.retitle(key, "Retries"));
    });
}

// STO-5: a write that could not be synced is not acknowledged.
#[test]
fn a_failing_sync_loses_nothing() {
    survives(|world| {
        world.store();
        world.disk.inject(Fault::Sync { number: 4 });
        assert!(!world.say(|says| says.add(Type::Lesson, "One.", "abcd").1));
        world.add("Two.");
        world.disk.inject(Fault::Sync { number: 0 });
        assert!(!world.say(|says| says.add(Type::Lesson, "Three.", "abcd").1));
        world.add("Four.");
    });
}

// STO-5: a second power loss finds what the first one left half healed.
#[test]
fn everything_survives_power_loss_after_power_loss() {
    survives(|world| {
        let key = world.add("Retry with backoff.");
        world.say(|says| says.tag(key, "network"));
        world.lose_power(7);
        world.say(|says| says.retitle(key, "Retries"));
        world.lose_power(0);
        world.reopen();
    });
}

// STO-5: a journal that was damaged in the middle keeps what lies behind the damage.
#[test]
fn frames_behind_a_damaged_one_survive() {
    survives(|world| {
        world.add("One.");
        world.add("Two.");
        let segment: PathBuf = world.path(".local/journal/00000001.log");
        world.spoil(&segment, b"\"check\"");
        world.reopen();
        world.add("Three.");
    });
}
