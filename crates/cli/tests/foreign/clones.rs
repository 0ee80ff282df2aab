//! Two clones with the same mirror: both follow the same edits, and agree when they meet (DOO-6, STO-6).

use std::collections::BTreeMap;

use serde_json::Value;

use super::{At, Desk, KNOWLEDGE, finding, says};

fn mirror() -> Desk {
    let one = finding("One thing is so.");
    let two = finding("Another thing is not.");
    Desk::mirrored("flux-drive", "k", &[("one.md", &one), ("two.md", &two)])
}

/// What everybody should agree on.
fn state(at: &At<'_>) -> BTreeMap<String, Value> {
    let id = |entry: &Value| entry["id"].as_str().unwrap().to_owned();
    let all = at.entries();
    all.iter()
        .map(|entry| {
            let mut shown = at.show(&id(entry));
            for name in ["on_this_branch", "events_elsewhere", "file"] {
                shown.as_object_mut().unwrap().remove(name);
            }
            (id(entry), shown)
        })
        .collect()
}

fn agree(desk: &Desk, bob: &At<'_>) {
    assert_eq!(state(&desk.here()), state(bob));
    super::assert_same(&desk.tree("k"), &bob.tree("k"), "the files");
    for at in [&desk.here(), bob] {
        let before = at.events();
        says(&at.sync().ok(), &["in sync"]);
        assert_eq!(at.events(), before);
        at.ken(&["verify"]).ok();
    }
}

/// Bob takes what Ada has, and Ada what Bob has.
fn meet(desk: &Desk, bob: &At<'_>) {
    bob.git("pull -q --no-rebase --no-edit origin main");
    desk.git("pull -q --no-rebase --no-edit ../bob main");
    bob.git("pull -q --no-rebase --no-edit origin main");
}

#[test]
fn a_clone_is_in_step_from_the_start() {
    let desk = mirror();
    let bob = desk.cloned("bob");
    let before = bob.events();
    says(&bob.sync().ok(), &["in sync"]);
    assert_eq!(bob.events(), before);
    bob.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    bob.sync().ok();
    assert_eq!(bob.show("one")["statement"], "One thing is so on Mondays.");
    bob.commit("edited");
    desk.git("pull -q --no-rebase --no-edit ../bob main");
    says(&desk.sync().ok(), &["in sync"]);
    assert_eq!(desk.show("one")["statement"], "One thing is so on Mondays.");
    agree(&desk, &bob);
}

#[test]
fn the_same_edit_synced_in_two_clones_is_one_edit() {
    let desk = mirror();
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    desk.edit("k/two.md", "2025-12-01", "2026-01-02");
    desk.git("commit -q -a -m edit");
    let bob = desk.cloned("bob");
    desk.sync().ok();
    bob.sync().ok();
    desk.commit("synced");
    bob.commit("synced");
    meet(&desk, &bob);
    desk.sync().ok();
    bob.sync().ok();
    assert_eq!(desk.show("one")["statement"], "One thing is so on Mondays.");
    assert_eq!(desk.entries().len(), 2);
    agree(&desk, &bob);
}

#[test]
fn the_same_new_file_synced_in_two_clones_is_one_entry() {
    let desk = mirror();
    desk.write("k/three.md", finding("A third thing is so."));
    desk.commit("file");
    let bob = desk.cloned("bob");
    desk.sync().ok();
    bob.sync().ok();
    desk.commit("synced");
    bob.commit("synced");
    meet(&desk, &bob);
    desk.sync().ok();
    bob.sync().ok();
    let current: Vec<Value> =
        desk.entries().into_iter().filter(|entry| entry["status"] == "candidate").collect();
    assert_eq!(current.len(), 3, "{current:#?}");
    assert_eq!(state(&desk.here()), state(&bob));
    assert_eq!(desk.tree("k").len(), 3);
}

#[test]
fn different_edits_in_two_clones_both_arrive() {
    let desk = mirror();
    let bob = desk.cloned("bob");
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    desk.sync().ok();
    desk.commit("one");
    bob.edit("k/two.md", "Another thing is not.", "Another thing is not at all.");
    bob.sync().ok();
    bob.commit("two");
    meet(&desk, &bob);
    agree(&desk, &bob);
    assert_eq!(bob.show("one")["statement"], "One thing is so on Mondays.");
    assert_eq!(desk.show("two")["statement"], "Another thing is not at all.");
}

// One works in the ledger, the other in the file, of different parts of one file.
#[test]
fn two_lines_of_one_file_changed_in_two_clones_both_arrive() {
    let desk = Desk::mirrored("wfc", "k", &[("security/KNOWLEDGE.md", KNOWLEDGE)]);
    let bob = desk.cloned("bob");
    let file = "k/security/KNOWLEDGE.md";
    desk.edit(file, "jitter before it calls again", "jitter before it tries again");
    desk.sync().ok();
    desk.commit("one");
    let id = bob.saying("only part that talks")["id"].as_str().unwrap().to_owned();
    bob.ken(&["edit", &id, "--statement", "The gateway alone talks to the outside"]).ok();
    bob.sync().ok();
    bob.commit("two");
    meet(&desk, &bob);
    desk.sync().ok();
    bob.sync().ok();
    let text = desk.read(file);
    assert!(text.contains("before it tries again") && text.contains("The gateway alone"), "{text}");
    assert_eq!(desk.entries().len(), 5);
    agree(&desk, &bob);
}

// Bob's file was deleted by a commit of Ada's; both retract it once.
#[test]
fn a_deletion_synced_in_two_clones_is_one_retraction() {
    let desk = mirror();
    desk.remove("k/one.md");
    desk.commit("gone");
    let bob = desk.cloned("bob");
    desk.sync().ok();
    bob.sync().ok();
    desk.commit("synced");
    bob.commit("synced");
    meet(&desk, &bob);
    assert_eq!(desk.show("one")["status"], "retracted");
    agree(&desk, &bob);
}

#[test]
fn two_folders_that_were_imported_apart_are_told_apart() {
    let desk = Desk::new();
    desk.write("a/one.md", finding("One thing is so."));
    desk.write("b/one.md", finding("Another thing is not."));
    desk.ken(&["import", "flux-drive", "a"]).ok();
    desk.ken(&["import", "flux-drive", "b"]).ok();
    desk.ken(&["export", "flux-drive", "../out"]).ok();
    let out = super::tree(&desk.folder.join("../out"));
    assert_eq!(out.keys().collect::<Vec<_>>(), ["a/one.md", "b/one.md"]);
    desk.ken(&["export", "flux-drive", "../only", "--root", "b"]).ok();
    assert_eq!(super::tree(&desk.folder.join("../only"))["one.md"], desk.read("b/one.md").into_bytes());
}
