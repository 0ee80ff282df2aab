//! `ken mirror sync`: a folder of another system and the ledger, kept in step in both directions (DOO-6).

use serde_json::{Value, json};

use super::{Desk, KNOWLEDGE, SIGNAL, SPIKE, finding, says};
use crate::world::Answer;

fn findings() -> Desk {
    Desk::mirrored(
        "flux-drive",
        "k",
        &[
            ("one.md", &finding("One thing is so.")),
            ("two.md", &finding("Another thing is not.")),
            ("README.md", "# About\n"),
        ],
    )
}

fn reviewers() -> Desk {
    Desk::mirrored("wfc", "r", &[("security/KNOWLEDGE.md", KNOWLEDGE)])
}

fn knowledge() -> Desk {
    let files = [
        ("signals/demo/2026-01-01-plan-without-research.md", SIGNAL),
        ("spikes/demo/which-queue.md", SPIKE),
        ("index.md", "# Knowledge Store Index\n\nold\n"),
    ];
    Desk::mirrored("gsd", "g", &files)
}

/// Gives an entry what it lacks: what is incomplete is a draft, and may be revised whatever its type (COR-28).
fn complete(desk: &Desk, id: &str) {
    desk.ken(&["edit", id, "--evidence", "pr:1", "--anchor", "src/net.rs", "--verify", "look"]).ok();
    desk.sync().ok();
}

/// Who did the latest thing to an entry.
fn latest_actor(desk: &Desk, id: &str) -> String {
    let log = desk.ken(&["log", id, "--json"]).ok().json();
    let events = log["items"].as_array().unwrap_or_else(|| panic!("{log}"));
    let newest = events
        .iter()
        .max_by_key(|event| event["clock"].as_str().or(event["time"].as_str()).map(str::to_owned));
    newest.unwrap()["actor"].as_str().unwrap().to_owned()
}

/// Insists that a second sync does nothing.
fn settled(desk: &Desk) {
    let (ledger, files) = (desk.ledger(), [desk.tree("k"), desk.tree("r"), desk.tree("g")]);
    says(&desk.sync().ok(), &["in sync: "]);
    assert_eq!(desk.ledger(), ledger, "a sync with nothing to do writes nothing");
    assert_eq!([desk.tree("k"), desk.tree("r"), desk.tree("g")], files);
    desk.ken(&["mirror", "sync", "--check"]).ok();
    desk.ken(&["verify"]).ok();
}

#[test]
fn a_mirror_is_a_format_and_a_folder_of_this_repository() {
    let desk = Desk::new();
    says(&desk.sync().fails_with(3), &["no mirror is configured", "ken config mirrors.NAME FORMAT:FOLDER"]);
    for (value, pieces) in [
        ("k", &["expected FORMAT:FOLDER"][..]),
        ("flux:k", &["unknown format \"flux\"", "flux-drive"]),
        ("auto:k", &["unknown format"]),
        ("flux-drive:~/../k", &["must be inside the repository"]),
        ("flux-drive:../k", &["must be inside the repository"]),
        ("flux-drive:a/../../k", &["must be inside the repository"]),
        ("flux-drive:.kenning", &["cannot be mirrors"]),
        ("flux-drive:.kenning/v1", &["cannot be mirrors"]),
        ("flux-drive:.git/hooks", &["cannot be mirrors"]),
    ] {
        says(&desk.ken(&["config", "mirrors.own", value]).fails_with(2), pieces);
    }
    // A hand may write anything into the file; it is said where.
    let config = desk.read(".kenning/config.toml");
    desk.write(".kenning/config.toml", format!("{config}\n[mirrors]\nown = \"flux-drive:../../etc\"\n"));
    says(&desk.sync().fails_with(2), &["mirrors.own", "must be inside the repository"]);
    desk.write(".kenning/config.toml", &config);
    desk.ken(&["config", "mirrors.own", "flux-drive:k"]).ok();
    says(&desk.ken(&["mirror", "sync", "other"]).fails_with(3), &["unknown mirror \"other\"", "own"]);
    // A folder that is not there yet is an empty one.
    says(&desk.sync().ok(), &["in sync"]);
}

#[test]
fn a_mirror_begins_by_bringing_its_files_in() {
    let desk = findings();
    assert_eq!(desk.entries().len(), 2);
    assert_eq!(desk.show("one")["created_by"], "human:Ada");
    assert_eq!(desk.show("one")["gaps"], json!([]));
    settled(&desk);
    // What an import brought in before is known to a mirror.
    let desk = Desk::new();
    desk.write("k/one.md", finding("One thing is so."));
    desk.ken(&["import", "flux-drive", "k"]).ok();
    desk.ken(&["config", "mirrors.own", "flux-drive:k"]).ok();
    settled(&desk);
}

#[test]
fn a_hand_edit_is_a_revision_by_the_git_user() {
    let desk = findings();
    let before = desk.show("one");
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    says(&desk.ken(&["mirror", "sync", "--check"]).fails_with(1), &["one.md", "statement"]);
    assert_eq!(desk.show("one")["statement"], "One thing is so.", "--check changes nothing");
    says(&desk.sync().ok(), &["one.md", "revised", "statement"]);
    let after = desk.show("one");
    assert_eq!((&after["key"], &after["statement"]), (&before["key"], &json!("One thing is so on Mondays.")));
    assert_eq!((&after["detail"], &after["verification"]), (&before["detail"], &before["verification"]));
    assert_eq!(latest_actor(&desk, "one"), "human:Ada");
    settled(&desk);
}

#[test]
fn a_committed_edit_is_by_the_author_of_its_commit() {
    let desk = findings();
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    desk.git("add -A");
    desk.git("-c user.name=Grace commit -q -m edit");
    desk.sync().ok();
    assert_eq!(latest_actor(&desk, "one"), "human:Grace");
    desk.commit("synced");
    desk.edit("k/two.md", "is not.", "is not at all.");
    desk.git("add -A");
    desk.git("-c user.name=dependabot[bot] commit -q -m edit");
    desk.sync().ok();
    assert_eq!(latest_actor(&desk, "two"), "agent:dependabot[bot]");
}

#[test]
fn an_agent_that_syncs_its_own_edit_stays_an_agent() {
    let desk = findings();
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    desk.with("KEN_ACTOR", "agent:coder").sync().ok();
    assert_eq!(latest_actor(&desk, "one"), "agent:coder");
}

// REV-3: whoever dates an entry anew in its file found it again.
#[test]
fn a_new_day_in_the_file_is_a_confirmation() {
    let desk = findings();
    desk.edit("k/one.md", "2025-12-01", "2026-01-02");
    desk.sync().ok();
    let shown = desk.show("one");
    assert!(shown["last_confirmed"].as_str().unwrap().starts_with("2026-01-02"), "{shown}");
    assert_eq!(shown["confirmation"], "independent");
    settled(&desk);
    // Nobody confirms for the future, and the file keeps what it says.
    desk.edit("k/two.md", "2025-12-01", "2027-01-01");
    desk.sync().ok();
    assert!(desk.show("two")["last_confirmed"].as_str().unwrap().starts_with("2025-12-01"));
    assert!(desk.read("k/two.md").contains("2027-01-01"));
    settled(&desk);
}

// DOO-6, ENT-6: what may not change is superseded instead.
#[test]
fn an_edited_spike_is_superseded() {
    let desk = knowledge();
    let (id, file) = ("spk-2026-01-01-which-queue", "g/spikes/demo/which-queue.md");
    complete(&desk, id);
    let key = desk.show(id)["key"].clone();
    desk.edit(file, "A table is queue enough.", "A table is queue enough up to a million jobs.");
    desk.edit(file, "Use a table for the queue.", "Use a table for the queue until then.");
    says(&desk.sync().ok(), &["which-queue.md", "superseded"]);
    let old = desk.show(key.as_str().unwrap());
    assert_eq!((&old["status"], &old["id"]), (&json!("superseded"), &json!(id)), "{old}");
    let new = desk.show(old["superseded_by"].as_str().unwrap());
    assert!(new["statement"].as_str().unwrap().contains("a million jobs"), "{new}");
    assert!(new["decision"].as_str().unwrap().contains("until then"), "{new}");
    assert!(desk.read(file).contains("until then"));
    settled(&desk);
    desk.edit(file, "a million jobs", "two million jobs");
    desk.sync().ok();
    assert_eq!(desk.show(new["id"].as_str().unwrap())["status"], "superseded");
    settled(&desk);
}

// Who claims the same is the same entry (ENT-4): the one that takes its place says that it was restated.
#[test]
fn a_spike_whose_claim_stays_is_superseded_all_the_same() {
    let desk = knowledge();
    let file = "g/spikes/demo/which-queue.md";
    complete(&desk, "spk-2026-01-01-which-queue");
    for (was, is) in [("Use a table", "Use a broker"), ("Use a broker", "Use two brokers")] {
        desk.edit(file, &format!("{was} for the queue."), &format!("{is} for the queue."));
        says(&desk.sync().ok(), &["which-queue.md", "is superseded", "decision"]);
        settled(&desk);
        assert!(desk.read(file).contains(is), "nobody's words are lost");
    }
}

#[test]
fn lines_of_a_reviewer_are_entries_of_their_own() {
    let desk = reviewers();
    let file = "r/security/KNOWLEDGE.md";
    let jitter = desk.here().saying("waits with jitter");
    let other = desk.here().saying("constant time");
    desk.edit(
        file,
        "waits with jitter before it calls again",
        "waits with jitter and gives up after five calls",
    );
    desk.sync().ok();
    let after = desk.show(jitter["id"].as_str().unwrap());
    assert_eq!(
        (&after["key"], &after["status"]),
        (&jitter["key"], &json!("candidate")),
        "an edited line is the same entry"
    );
    assert!(after["statement"].as_str().unwrap().contains("gives up"));
    settled(&desk);
    // Two more lines, one of them between others.
    desk.edit(
        file,
        "- [2026-01-01] Tokens",
        "- [2026-01-02] Uploads are scanned before they are stored (Source: pr-20)\n- [2026-01-01] Tokens",
    );
    desk.edit(
        file,
        "## Incidents Prevented\n",
        "## Incidents Prevented\n\n- [2026-01-02] An open redirect was found in time (Source: pr-21)\n",
    );
    desk.sync().ok();
    assert_eq!(desk.here().saying("open redirect")["type"], "incident");
    assert_eq!(desk.here().saying("Uploads")["type"], "pattern");
    assert_eq!(desk.show(other["id"].as_str().unwrap())["key"], other["key"]);
    assert_eq!(desk.entries().len(), 7);
    settled(&desk);
    // A line that is gone is taken back; the file is there, so nobody needs to ask history.
    desk.edit(file, "- [2026-01-02] Uploads are scanned before they are stored (Source: pr-20)\n", "");
    desk.sync().ok();
    assert_eq!(desk.entries().iter().filter(|entry| entry["status"] == "retracted").count(), 1);
    settled(&desk);
}

#[test]
fn a_file_that_moves_keeps_its_entry() {
    let desk = findings();
    let key = desk.show("one")["key"].clone();
    desk.rename("k/one.md", "k/renamed.md");
    says(&desk.sync().ok(), &["moved", "renamed.md", "from one.md"]);
    let shown = desk.show("one");
    assert_eq!((&shown["key"], &shown["status"]), (&key, &json!("candidate")), "{shown}");
    assert_eq!(desk.entries().len(), 2);
    settled(&desk);
}

#[test]
fn a_file_that_moves_into_the_archive_is_archived_and_back() {
    let desk = findings();
    let key = desk.show("one")["key"].clone();
    desk.rename("k/one.md", "k/archive/one.md");
    desk.sync().ok();
    assert_eq!((&desk.show("one")["status"], &desk.show("one")["key"]), (&json!("archived"), &key));
    settled(&desk);
    desk.rename("k/archive/one.md", "k/one.md");
    desk.sync().ok();
    assert_eq!((&desk.show("one")["status"], &desk.show("one")["key"]), (&json!("candidate"), &key));
    settled(&desk);
}

#[test]
fn a_new_file_is_a_new_entry_with_what_it_lacks() {
    let desk = findings();
    desk.write("k/three.md", "A third thing, and nothing to show for it.\n");
    says(&desk.ken(&["mirror", "sync", "--check"]).fails_with(1), &["new file", "three.md"]);
    says(&desk.sync().ok(), &["added", "three.md"]);
    assert_eq!(desk.show("three")["gaps"], json!(["anchor", "verification"]));
    assert_eq!(desk.read("k/three.md"), "A third thing, and nothing to show for it.\n");
    settled(&desk);
}

#[test]
fn a_change_here_is_written_in_its_place_only() {
    let desk = findings();
    let (one, two) = (desk.read("k/one.md"), desk.read("k/two.md"));
    desk.ken(&["edit", "one", "--statement", "One thing is so on Mondays."]).ok();
    says(&desk.ken(&["mirror", "sync", "--check"]).fails_with(1), &["to write", "one.md"]);
    assert_eq!(desk.read("k/one.md"), one);
    says(&desk.sync().ok(), &["written", "one.md"]);
    assert_eq!(desk.read("k/one.md"), one.replace("One thing is so.", "One thing is so on Mondays."));
    assert_eq!(desk.read("k/two.md"), two);
    settled(&desk);
    let desk = reviewers();
    let id = desk.here().saying("constant time")["id"].as_str().unwrap().to_owned();
    desk.ken(&["edit", &id, "--statement", "Tokens are compared in constant time in the gateway"]).ok();
    desk.sync().ok();
    let after = KNOWLEDGE.replace("in constant time everywhere", "in constant time in the gateway");
    assert_eq!(desk.read("r/security/KNOWLEDGE.md"), after);
    settled(&desk);
}

#[test]
fn windows_line_ends_survive_a_change_here() {
    let crlf = finding("One thing is so.").replace('\n', "\r\n");
    let desk = Desk::mirrored("flux-drive", "k", &[("one.md", &crlf)]);
    desk.ken(&["edit", "one", "--statement", "One thing is so on Mondays."]).ok();
    desk.sync().ok();
    assert_eq!(desk.read("k/one.md"), crlf.replace("One thing is so.", "One thing is so on Mondays."));
    settled(&desk);
}

#[test]
fn a_confirmation_here_is_a_new_day_in_the_file() {
    let desk = findings();
    let one = desk.read("k/one.md");
    let mut agent = desk.with("KEN_NOW", "2026-01-10T00:00:00Z");
    agent.env.push(("KEN_ACTOR".to_owned(), "agent:codex".to_owned()));
    agent.ken(&["confirm", "one", "--reason", "seen again"]).ok();
    desk.sync().ok();
    assert_eq!(desk.read("k/one.md"), one.replace("2025-12-01", "2026-01-10"));
    settled(&desk);
}

#[test]
fn putting_away_and_taking_back_here_moves_and_removes_files() {
    let desk = findings();
    let (one, two) = (desk.read("k/one.md"), desk.read("k/two.md"));
    desk.ken(&["archive", "one", "--reason", "no longer needed"]).ok();
    desk.sync().ok();
    assert!(!desk.exists("k/one.md"));
    assert_eq!(desk.read("k/archive/one.md"), one);
    settled(&desk);
    desk.ken(&["restore", "one", "--reason", "needed after all"]).ok();
    desk.sync().ok();
    assert!(!desk.exists("k/archive/one.md"));
    assert_eq!(desk.read("k/one.md"), one);
    settled(&desk);
    desk.ken(&["retract", "one", "--reason", "it was wrong"]).ok();
    says(&desk.sync().ok(), &["removed", "one.md"]);
    assert!(!desk.exists("k/one.md"));
    assert_eq!(desk.read("k/two.md"), two);
    settled(&desk);
}

#[test]
fn an_entry_stated_here_becomes_a_file() {
    let desk = findings();
    let before = desk.tree("k");
    let handle = desk.world.lesson("A new thing is so.");
    says(&desk.ken(&["mirror", "sync", "--check"]).fails_with(1), &["to write"]);
    desk.sync().ok();
    let mut after = desk.tree("k");
    after.retain(|path, _| !before.contains_key(path));
    let (path, text) = after.pop_first().unwrap();
    assert!(path.ends_with(".md") && after.is_empty(), "{path}");
    let text = String::from_utf8(text).unwrap();
    for piece in [
        "---\nlastConfirmed: 2026-01-02\nprovenance: ",
        "A new thing is so.",
        "Evidence: ",
        "src/net.rs",
        "Verify: look",
    ] {
        assert!(text.contains(piece), "{piece}: {text}");
    }
    settled(&desk);
    desk.edit(&format!("k/{path}"), "A new thing", "A newer thing");
    desk.sync().ok();
    assert_eq!(desk.show(&handle)["statement"], "A newer thing is so.");
    settled(&desk);
}

#[test]
fn a_new_entry_of_a_reviewer_goes_after_the_last_line_of_its_section() {
    let desk = reviewers();
    let args = [
        "add",
        "pattern",
        "Uploads are scanned before they are stored",
        "--evidence",
        "pr:20",
        "--anchor",
        "src/net.rs",
        "--verify",
        "look",
        "--reviewer",
        "security",
    ];
    desk.ken(&args).ok();
    desk.sync().ok();
    let text = desk.read("r/security/KNOWLEDGE.md");
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.contains("Uploads")).unwrap();
    assert!(lines[at - 1].contains("Tokens are compared") && lines[at + 1].is_empty(), "{text}");
    assert!(
        lines[at].starts_with("- [2026-01-02] Uploads are scanned before they are stored (Source: "),
        "{text}"
    );
    assert_eq!(text.replace(&format!("{}\n", lines[at]), ""), KNOWLEDGE);
    settled(&desk);
}

#[test]
fn a_line_that_is_put_away_goes_into_the_archive_file() {
    let desk = reviewers();
    let id = desk.here().saying("constant time")["id"].as_str().unwrap().to_owned();
    let line = "- [2026-01-01] Tokens are compared in constant time everywhere (Source: pr-13, Dev: ada)\n";
    desk.ken(&["archive", &id, "--reason", "old"]).ok();
    desk.sync().ok();
    assert_eq!(desk.read("r/security/KNOWLEDGE.md"), KNOWLEDGE.replace(line, ""));
    assert_eq!(desk.read("r/security/KNOWLEDGE-ARCHIVE.md"), format!("# KNOWLEDGE-ARCHIVE.md\n\n{line}"));
    settled(&desk);
    assert_eq!(desk.show(&id)["status"], "archived");
    assert_eq!(desk.entries().len(), 5, "the line in the archive is the same entry");
    let id = desk.here().saying("waits with jitter")["id"].as_str().unwrap().to_owned();
    desk.ken(&["retract", &id, "--reason", "wrong"]).ok();
    desk.sync().ok();
    assert!(!desk.read("r/security/KNOWLEDGE.md").contains("jitter"));
    settled(&desk);
}

#[test]
fn the_index_is_made_anew_when_its_files_change() {
    let desk = knowledge();
    desk.ken(&["edit", "sig-2026-01-01-plan-without-research", "--untag", "research", "--tag", "hurry"]).ok();
    desk.sync().ok();
    assert!(desk.read("g/signals/demo/2026-01-01-plan-without-research.md").contains("hurry"));
    let index = desk.read("g/index.md");
    for piece in [
        "# Knowledge Store Index",
        "**Total entries:** 2",
        "## Signals (1)",
        "| sig-2026-01-01-plan-without-research | demo | critical | detected | planning,hurry | 2026-01-01 | active |",
        "## Spikes (1)",
    ] {
        assert!(index.contains(piece), "{piece}: {index}");
    }
    settled(&desk);
    // A hand that writes into it is overwritten at the next occasion, and makes no entry.
    desk.write("g/index.md", "# Knowledge Store Index\n\nby hand\n");
    desk.sync().ok();
    assert_eq!(desk.entries().len(), 2);
}

#[test]
fn changes_of_different_things_on_both_sides_are_merged() {
    let desk = findings();
    let one = desk.read("k/one.md");
    desk.ken(&["edit", "one", "--statement", "One thing is so on Mondays."]).ok();
    desk.edit("k/one.md", "grep -n jitter src/net.rs", "grep -c jitter src/net.rs");
    says(&desk.sync().ok(), &["one.md"]);
    let shown = desk.show("one");
    assert_eq!(shown["statement"], "One thing is so on Mondays.");
    assert!(shown["verification"].to_string().contains("grep -c"), "{shown}");
    let both = one.replace("One thing is so.", "One thing is so on Mondays.").replace("grep -n", "grep -c");
    assert_eq!(desk.read("k/one.md"), both);
    settled(&desk);
}

fn disputed() -> (Desk, String) {
    let desk = findings();
    let one = desk.read("k/one.md");
    desk.ken(&["edit", "one", "--statement", "One thing is so on Mondays."]).ok();
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Fridays.");
    (desk, one)
}

#[test]
fn a_change_of_the_same_thing_on_both_sides_is_a_conflict() {
    let (desk, one) = disputed();
    let (ledger, file) = (desk.ledger(), desk.read("k/one.md"));
    for args in [&["mirror", "sync", "--check"][..], &["mirror", "sync"]] {
        let answer = desk.ken(args).fails_with(1);
        says(&answer, &["conflict", "one.md", "statement", "on Fridays.", "on Mondays.", "--take file"]);
        assert_eq!((desk.ledger(), desk.read("k/one.md")), (ledger.clone(), file.clone()), "nothing changed");
    }
    let report = desk.ken(&["mirror", "sync", "--json"]).fails_with(1).json();
    let conflict = json!({ "mirror": "own", "path": "one.md", "id": "one", "field": "statement", "file": "One thing is so on Fridays.", "ledger": "One thing is so on Mondays." });
    assert_eq!(report["conflicts"], Value::Array(vec![conflict]));
    desk.ken(&["mirror", "sync", "--take", "ledger"]).ok();
    assert_eq!(desk.read("k/one.md"), one.replace("One thing is so.", "One thing is so on Mondays."));
    settled(&desk);
    let (desk, one) = disputed();
    desk.ken(&["mirror", "sync", "--take", "file"]).ok();
    assert_eq!(desk.show("one")["statement"], "One thing is so on Fridays.");
    assert_eq!(desk.read("k/one.md"), one.replace("One thing is so.", "One thing is so on Fridays."));
    settled(&desk);
}

// Both said the same: there is nothing to choose.
#[test]
fn the_same_change_on_both_sides_is_no_conflict() {
    let desk = findings();
    desk.ken(&["edit", "one", "--statement", "One thing is so on Mondays."]).ok();
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    desk.sync().ok();
    assert_eq!(desk.show("one")["statement"], "One thing is so on Mondays.");
    settled(&desk);
}

// One conflict does not hold up the other files.
#[test]
fn other_files_go_on_beside_a_conflict() {
    let (desk, _) = disputed();
    desk.edit("k/two.md", "Another thing is not.", "Another thing is not at all.");
    desk.write("k/three.md", finding("A third thing is so."));
    desk.sync().fails_with(1);
    assert_eq!(desk.show("two")["statement"], "Another thing is not at all.");
    assert_eq!(desk.show("three")["statement"], "A third thing is so.");
    assert_eq!(desk.show("one")["statement"], "One thing is so on Mondays.");
}

// A sync that died after it wrote a file and before it said so is finished by the next one.
#[test]
fn a_sync_that_died_between_file_and_ledger_is_finished() {
    let desk = findings();
    let (id, one) = ("one", desk.read("k/one.md"));
    desk.ken(&["edit", id, "--statement", "One thing is so on Mondays."]).ok();
    desk.write("k/one.md", one.replace("One thing is so.", "One thing is so on Mondays."));
    // What a killed writer leaves beside it is nobody's file.
    desk.write("k/.one.md.123.tmp", "half a");
    desk.sync().ok();
    assert_eq!(desk.show(id)["statement"], "One thing is so on Mondays.");
    settled(&desk);
    // The same for a file that was moved, ...
    desk.ken(&["archive", "two", "--reason", "old"]).ok();
    desk.rename("k/two.md", "k/archive/two.md");
    desk.sync().ok();
    assert_eq!(desk.show("two")["status"], "archived");
    settled(&desk);
    // ... written at its new place and not yet removed from the old one, ...
    desk.ken(&["restore", "two", "--reason", "new"]).ok();
    desk.write("k/two.md", desk.read("k/archive/two.md"));
    desk.sync().ok();
    assert!(!desk.exists("k/archive/two.md"), "it is in one place");
    assert_eq!((desk.show("two")["status"].as_str(), desk.entries().len()), (Some("candidate"), 2));
    settled(&desk);
    // ... and removed.
    desk.ken(&["retract", "one", "--reason", "wrong"]).ok();
    desk.remove("k/one.md");
    desk.sync().ok();
    assert_eq!(desk.show("one")["status"], "retracted");
    settled(&desk);
}

// A new file that was written and not yet said.
#[test]
fn a_new_file_that_a_dead_sync_wrote_is_not_a_second_entry() {
    let desk = findings();
    desk.world.lesson("A new thing is so.");
    // What would be written is what an export writes.
    desk.ken(&["export", "flux-drive", "../out"]).ok();
    let out = super::tree(&desk.folder.join("../out"));
    let (path, text) = out.iter().find(|(path, _)| !desk.exists(&format!("k/{path}"))).unwrap();
    desk.write(&format!("k/{path}"), text);
    desk.sync().ok();
    let entries = desk.entries();
    assert_eq!(entries.len(), 3, "{entries:#?}");
    assert_eq!(desk.tree("k").len(), 4);
    settled(&desk);
}

#[test]
fn several_mirrors_are_kept_in_step_together_or_one_by_one() {
    let desk = findings();
    desk.write("r/security/KNOWLEDGE.md", KNOWLEDGE);
    desk.ken(&["config", "mirrors.reviews", "wfc:r"]).ok();
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    desk.ken(&["mirror", "sync", "reviews"]).ok();
    assert_eq!(desk.entries().len(), 7);
    assert_eq!(desk.show("one")["statement"], "One thing is so.");
    desk.sync().ok();
    assert_eq!(desk.show("one")["statement"], "One thing is so on Mondays.");
    settled(&desk);
}

// A mirror of another name for the same words: an agent reads its own files, and nothing is written twice.
#[test]
fn the_ledger_of_a_reader_is_not_written() {
    let desk = findings();
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    let at = desk.with("KEN_READONLY", "1");
    at.sync().fails_with(5);
    at.ken(&["import", "flux-drive", "k"]).fails_with(5);
    at.ken(&["mirror", "sync", "--check"]).fails_with(1);
    assert_eq!(desk.show("one")["statement"], "One thing is so.");
}

/// A mirror whose files follow each change.
fn following() -> Desk {
    let desk = findings();
    desk.ken(&["config", "mirrors_auto.own", "default"]).ok();
    desk.commit("follow");
    desk
}

// COR-10: what a verb changes is in the file when the verb is done, and nothing else of the file is touched.
#[test]
fn a_mirror_follows_what_a_verb_changes() {
    let desk = following();
    let before = desk.read("k/one.md");
    desk.ken(&["edit", "one", "--statement", "One thing is so on Mondays."]).ok();
    assert_eq!(desk.read("k/one.md"), before.replace("One thing is so.", "One thing is so on Mondays."));
    settled(&desk);
    desk.ken(&["retract", "two", "--reason", "it is wrong"]).ok();
    assert!(!desk.exists("k/two.md"), "a retracted finding has no file");
    settled(&desk);
    // A new entry is in a file as well; an incomplete draft waits for `ken mirror sync`.
    let files = desk.tree("k");
    desk.ken(&["add", "pattern", "A third thing.", "--evidence", "pr:1", "--draft"]).ok();
    assert_eq!(desk.tree("k"), files);
    desk.world.lesson("A new thing is so.");
    let after = desk.tree("k");
    let new: Vec<_> = after.iter().filter(|(path, _)| !files.contains_key(*path)).collect();
    let [(_, text)] = new.as_slice() else { panic!("{:?}", after.keys()) };
    assert!(String::from_utf8_lossy(text).contains("A new thing is so."));
}

// COR-10: what a review found stood in KNOWLEDGE.md only after the next sync.
#[test]
fn a_mirror_follows_what_a_review_finds() {
    let desk = reviewers();
    desk.ken(&["config", "mirrors_auto.own", "default"]).ok();
    let start =
        ["review", "start", "--run", "r1", "--agents", "security,performance", "--summary", "uploads"];
    desk.ken(&start).ok();
    let found = json!([{"title": "Uploads are scanned before they are stored", "places": ["src/net.rs"], "severity": "P1", "verification": ["look"]}]);
    for agent in ["security", "performance"] {
        let args = ["review", "report", "--run", "r1", "--agent", agent, "--findings", "-"];
        desk.world.ken_stdin(&args, &found.to_string()).ok();
    }
    let done = desk.ken(&["review", "complete", "--run", "r1", "--json"]).ok().json();
    assert_eq!(done["created"].as_array().map(Vec::len), Some(1), "{done}");
    let written =
        desk.tree("r").values().any(|text| String::from_utf8_lossy(text).contains("Uploads are scanned"));
    assert!(written, "{:?}", desk.tree("r").keys());
    settled(&desk);
}

// Readers take a decision record for what was decided.
#[cfg(unix)]
#[test]
fn an_unverified_draft_of_an_agent_does_not_become_a_decision_record() {
    let record = "# 1. Postgres\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use Postgres.\n";
    let desk = Desk::mirrored("adr", "k", &[("0001-postgres.md", record)]);
    let decision =
        |statement| ["add", "experience", statement, "--subtype", "decision", "--evidence", "pr:1"];
    let agent = desk.with("KEN_ACTOR", "agent:coder");
    let draft = [&decision("We move to Kafka.")[..], &["--draft"]].concat();
    agent.ken(&draft).ok();
    desk.sync().ok();
    agent.sync().ok();
    assert_eq!(desk.tree("k").len(), 1, "{:?}", desk.tree("k").keys());
    let id = id_saying(&desk, "Kafka");
    // A person agrees to it.
    let args = ["confirm", &id, "--reason", "we agreed on it"];
    crate::pty::ken_on_terminal(&desk.world, &[], &args, &[("Type `yes`", "yes\n")]).ok();
    desk.sync().ok();
    assert!(desk.exists("k/0002-we-move-to-kafka.md"), "{:?}", desk.tree("k").keys());
    // What a person states whole is decided.
    let whole = [&decision("We keep Rust.")[..], &["--anchor", "src/net.rs", "--verify", "look"]].concat();
    desk.ken(&whole).ok();
    desk.sync().ok();
    assert!(desk.exists("k/0003-we-keep-rust.md"), "{:?}", desk.tree("k").keys());
    settled(&desk);
}

// WFC's global folder was refused as a mirror of the global store, and nested once more as one of a project.
#[test]
fn the_global_folder_of_wfc_is_mirrored_where_it_is() {
    let desk = Desk::new();
    let folder = desk.folder.with_file_name("home").join(".wfc/knowledge/global/reviewers");
    super::write(&folder.join("security/KNOWLEDGE.md"), KNOWLEDGE.as_bytes());
    let paths = || super::tree(&folder).into_keys().collect::<Vec<_>>();
    let text = || std::fs::read_to_string(folder.join("security/KNOWLEDGE.md")).unwrap();
    desk.ken(&["config", "mirrors.home", "wfc:~/.wfc/knowledge/global/reviewers"]).ok();
    desk.sync().ok();
    let add = |statement, scope| {
        let content = format!("{{\"reviewer\":\"security\",\"scope\":\"{scope}\"}}");
        desk.ken(&[
            "add",
            "pattern",
            statement,
            "--content",
            &content,
            "--evidence",
            "pr:1",
            "--anchor",
            "src/net.rs",
            "--verify",
            "look",
        ])
        .ok();
    };
    add("Uploads are scanned first", "global");
    add("The gateway of this project is slow", "project");
    desk.sync().ok();
    assert_eq!(paths(), ["security/KNOWLEDGE.md"]);
    assert!(
        text().contains("Uploads are scanned first") && !text().contains("of this project"),
        "{}",
        text()
    );

    desk.ken(&["--global", "init"]).ok();
    desk.ken(&["--global", "config", "mirrors.home", "wfc:~/.wfc"]).ok();
    says(&desk.ken(&["--global", "sync"]).ok(), &["knowledge/global/reviewers/security/KNOWLEDGE.md"]);
    desk.ken(&[
        "--global",
        "add",
        "pattern",
        "Logs hold no tokens",
        "--reviewer",
        "security",
        "--evidence",
        "pr:2",
        "--draft",
    ])
    .ok();
    desk.ken(&[
        "--global",
        "add",
        "pattern",
        "Time is measured",
        "--reviewer",
        "performance",
        "--evidence",
        "pr:3",
        "--draft",
    ])
    .ok();
    desk.ken(&["--global", "sync"]).ok();
    assert_eq!(paths(), ["performance/KNOWLEDGE.md", "security/KNOWLEDGE.md"]);
    assert!(text().contains("Logs hold no tokens"), "{}", text());
}

// COR-10: what is brought back, and what takes the place of another, is in the file when the verb is done.
#[test]
fn a_mirror_follows_what_comes_back() {
    let desk = following();
    let files = desk.tree("k");
    desk.ken(&["retract", "two", "--reason", "it is wrong"]).ok();
    assert!(!desk.exists("k/two.md"));
    desk.ken(&["undo"]).ok();
    assert_eq!(desk.tree("k"), files, "the file is back as it was");
    settled(&desk);

    let desk = reviewers();
    desk.ken(&["config", "mirrors_auto.own", "default"]).ok();
    let (path, line) = ("r/security/KNOWLEDGE.md", "Tokens are compared in constant time everywhere");
    let (before, id) = (desk.read(path), id_saying(&desk, line));
    desk.ken(&["archive", &id, "--reason", "old"]).ok();
    assert!(!desk.read(path).contains(line));
    desk.ken(&["restore", &id, "--reason", "not so old"]).ok();
    assert_eq!(desk.read(path), before);
    settled(&desk);
    // A file that somebody edited meanwhile is left alone, and that is said.
    desk.ken(&["archive", &id, "--reason", "old"]).ok();
    desk.edit(path, "Every retry waits", "Each retry waits");
    let edited = desk.read(path);
    let told = desk.ken(&["restore", &id, "--reason", "not so old"]).ok();
    says_aside(&told, &["KNOWLEDGE.md of the mirror own waits", &id, "ken mirror sync"]);
    assert_eq!(desk.read(path), edited);
    desk.sync().ok();
    assert_eq!(desk.read(path), before.replace("Every retry waits", "Each retry waits"));
    settled(&desk);
    let by =
        ["--statement", "Tokens are hashed first", "--reviewer", "security", "--evidence", "pr:1", "--draft"];
    desk.ken(&[&["supersede", &id, "--reason", "a new way"], &by[..]].concat()).ok();
    let text = desk.read(path);
    assert!(text.contains("Tokens are hashed first") && !text.contains(line), "{text}");
    settled(&desk);
}

// GAT-2: agents obey such a file. What nobody used yet does not come back into it by itself, and that is said.
#[test]
fn what_nobody_used_yet_does_not_come_back_into_instructions() {
    let desk = Desk::mirrored("agents-md", "k", &[("AGENTS.md", POINTS)]);
    desk.ken(&["config", "mirrors_auto.own", "default"]).ok();
    let id = id_saying(&desk, "The disk is slow.");
    desk.ken(&["archive", &id, "--reason", "old"]).ok();
    assert_eq!(desk.read("k/AGENTS.md"), POINTS.replace("- The disk is slow.\n", ""));
    let told = desk.ken(&["restore", &id, "--reason", "not so old"]).ok();
    says_aside(&told, &[&id, "is not written to the mirror own"]);
    assert!(!desk.read("k/AGENTS.md").contains("slow"));
}

fn says_aside(answer: &Answer, pieces: &[&str]) {
    pieces.iter().for_each(|piece| assert!(answer.err.contains(piece), "{piece:?} is not in {}", answer.err));
}

fn id_saying(desk: &Desk, words: &str) -> String {
    desk.here().saying(words)["id"].as_str().unwrap().to_owned()
}

const POINTS: &str = "# Shop\n\n- The cache is cold.\n- The disk is slow.\n- The network is lossy.\n";

#[test]
fn a_mirror_that_does_not_follow_waits_for_sync() {
    let desk = findings();
    let before = desk.read("k/one.md");
    desk.ken(&["edit", "one", "--statement", "One thing is so on Mondays."]).ok();
    assert_eq!(desk.read("k/one.md"), before);
    desk.sync().ok();
    assert!(desk.read("k/one.md").contains("on Mondays"));
}

#[test]
fn a_file_that_somebody_edited_is_not_written_over() {
    let desk = following();
    desk.edit("k/one.md", "One thing is so.", "One thing is so, says Bob.");
    let told = desk.ken(&["edit", "one", "--statement", "One thing is so, says Ada."]).ok();
    assert!(told.err.contains("conflict: one.md") && told.err.contains("ken mirror sync"), "{}", told.err);
    assert!(desk.read("k/one.md").contains("says Bob"));
    says(&desk.sync().fails_with(1), &["one.md", "says Ada", "says Bob"]);
    // Other files follow all the same.
    desk.ken(&["edit", "two", "--statement", "Another thing is not so."]).ok();
    assert!(desk.read("k/two.md").contains("Another thing is not so."));
}

#[test]
fn a_mirror_that_cannot_be_written_is_a_notice() {
    let desk = following();
    std::fs::remove_dir_all(desk.folder.join("k")).unwrap();
    desk.write("elsewhere/one.md", "x");
    std::os::unix::fs::symlink(desk.folder.join("elsewhere"), desk.folder.join("k")).unwrap();
    let told = desk.ken(&["edit", "one", "--statement", "One thing is so on Mondays."]).ok();
    assert!(told.err.contains("the mirror own was not written"), "{}", told.err);
    assert_eq!(desk.show("one")["statement"], "One thing is so on Mondays.");
    assert_eq!(desk.read("elsewhere/one.md"), "x");
}

#[test]
fn the_hook_brings_mirrors_in_step_both_ways() {
    let desk = following();
    desk.ken(&["config", "mirrors_auto.own", "false"]).ok();
    desk.ken(&["edit", "two", "--statement", "Another thing is not so."]).ok();
    desk.ken(&["config", "mirrors_auto.own", "default"]).ok();
    desk.edit("k/one.md", "One thing is so.", "One thing is so on Mondays.");
    desk.git("add k/one.md");
    desk.ken(&["commit", "--no-commit", "--stage"]).ok();
    assert_eq!(desk.show("one")["statement"], "One thing is so on Mondays.");
    assert!(desk.read("k/two.md").contains("Another thing is not so."));
    let unstaged = desk.git("diff --name-only");
    assert!(!unstaged.contains("k/") && !unstaged.contains(".kenning/"), "{unstaged}");
    settled(&desk);
}

// COR-10: where a folder of this machine lies is this clone's own business.
#[test]
fn a_mirror_outside_the_repository_is_known_by_its_name_alone() {
    let desk = Desk::new();
    let outside = desk.folder.with_file_name("wfc-home");
    let file = outside.join("security/KNOWLEDGE.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, KNOWLEDGE).unwrap();
    desk.ken(&["config", "mirrors.home", &format!("wfc:{}", outside.display())]).ok();
    assert!(!desk.read(".kenning/config.toml").contains("wfc-home"), "it is not shared");
    desk.sync().ok();
    let entries = desk.entries();
    assert_eq!(entries.len(), 5);
    let jitter = entries.iter().find(|one| one["statement"].as_str().unwrap().contains("jitter")).unwrap();
    let id = jitter["id"].as_str().unwrap();
    desk.ken(&["edit", id, "--statement", "Every retry waits with jitter, always"]).ok();
    assert!(std::fs::read_to_string(&file).unwrap().contains("with jitter, always"));
    for (path, bytes) in desk.ledger() {
        assert!(!String::from_utf8_lossy(&bytes).contains("wfc-home"), "{path} names a path of this machine");
    }
    says(&desk.sync().ok(), &["in sync"]);
    // A file that is shared cannot say so.
    let config = desk.read(".kenning/config.toml");
    desk.write(".kenning/config.toml", format!("{config}\n[mirrors]\nown = \"wfc:~/.wfc\"\n"));
    says(&desk.sync().fails_with(2), &["mirrors.own", "cannot be shared"]);
}
