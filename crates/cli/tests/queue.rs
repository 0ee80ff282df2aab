//! `ken queue` on a terminal: one key answers an item, and what it means is done at once.

use crate::pty::ken_on_terminal;
use crate::world::World;

#[test]
fn a_key_answers_an_item_and_a_reason_is_recorded() {
    let world = World::with_store();
    world.write("src/net.rs", "fn retry() { once(); }\n");
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    world.write("src/net.rs", "fn other() { one(); two(); three(); }\n");
    let talk = [("[q] stop", "n"), ("Why?", "the retry is gone\n")];
    let answer = ken_on_terminal(&world, &[], &["queue"], &talk).ok();
    assert!(answer.out.contains("1 of 1 judged"), "{}", answer.out);
    let log = world.ken(&format!("log {id}")).ok().out;
    assert!(log.contains("retracted: the retry is gone"), "{log}");
}

#[test]
fn keys_that_mean_nothing_and_an_escape_change_nothing() {
    let world = World::with_store();
    world.write("src/net.rs", "fn retry() { once(); }\n");
    world.lesson("Retry network calls with jitter, or all clients come back at once.");
    world.write("src/net.rs", "fn other() { one(); two(); three(); }\n");
    let answer = ken_on_terminal(&world, &[], &["queue"], &[("[q] stop", "xzq")]).ok();
    assert!(answer.out.contains("0 of 1 judged"), "{}", answer.out);
    // An agent's host is not asked: it gets the list.
    let listed = ken_on_terminal(&world, &[("CLAUDECODE", "1")], &["queue"], &[]).ok();
    assert!(listed.out.contains("--answer still_true|no_longer_true"), "{}", listed.out);
}
