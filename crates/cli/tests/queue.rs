//! `ken queue` on a terminal: one key answers an item, and what it means is done at once.

use crate::pty::ken_on_terminal;
use crate::team::Team;
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

// Both said at a terminal that it was none, and the edit of an approved norm could not be applied at all.
#[test]
fn whoever_applies_the_edit_of_an_approved_norm_is_asked_at_the_terminal() {
    let team = Team::new();
    team.world.write("CLAUDE.md", "# Rules\n\n- Never edit files below `vendor/` by hand.\n");
    let import = ["import", "agents-md", "CLAUDE.md"];
    team.ken(&import).ok();
    let id = team.ken(&["list", "--json"]).ok().json()["items"][0]["id"].as_str().unwrap().to_owned();
    team.approve("Ada", &team.proposal_by("Bo", &id, &[])).ok();
    team.world.write("CLAUDE.md", "# Rules\n\n- Edit files below `vendor/` whenever you like.\n");
    let status = || team.ken(&["show", &id, "--json"]).ok().json()["status"].clone();
    let declined = team.terminal("Ada", &import, &[("Type `yes`", "no\n")]).fails_with(4);
    assert!(declined.out.contains("applying the edit of CLAUDE.md, which changes"), "{}", declined.out);
    assert_eq!(status(), "active");
    let talk = [("[q] stop", "a"), ("Why?", "it is so now\n"), ("Type `yes`", "yes\n")];
    let applied = team.terminal("Ada", &["queue"], &talk).ok();
    assert!(applied.out.contains("the edit of CLAUDE.md is applied"), "{}", applied.out);
    assert_eq!(status(), "superseded");
}

// `ken status` counted proposals that `ken queue` did not know of.
#[test]
fn proposals_that_wait_for_an_approver_are_told_of() {
    let team = Team::new();
    let norm = ["add", "commit_norm", "Sign every commit.", "--id", "norm.sign", "--evidence", "pr:1"];
    team.ken(&norm).ok();
    team.proposal_by("Bo", "norm.sign", &[]);
    let queue = team.ken(&["queue"]).ok().out;
    assert!(queue.contains("1 proposal waits for an approver: `ken promote list`"), "{queue}");
}
