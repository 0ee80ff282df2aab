//! ENT-6: norms, decisions and spikes change only by supersession, whatever the verb; and what a superseded one leaves behind.

use super::team::Team;
use super::world::Answer;

/// Something of each kind, and a word of its claim.
fn kinds() -> [(&'static str, &'static [&'static str]); 6] {
    [
        ("commit_norm", &["add", "commit_norm", "Sign every tag with your key."]),
        ("pr_expectation", &["add", "pr_expectation", "Describe every pull request with a key sentence."]),
        ("user_expectation", &["add", "user_expectation", "Answer with the key point first."]),
        ("risk_tier", &["add", "risk_tier", "Handling of a key is a risk."]),
        (
            "decision",
            &[
                "add",
                "experience",
                "We keep one key per clone.",
                "--subtype",
                "decision",
                "--anchor",
                "src/net.rs",
                "--verify",
                "look",
            ],
        ),
        (
            "spike",
            &[
                "add",
                "spike",
                "A key in memory is fast enough.",
                "--hypothesis",
                "A key in memory is fast enough.",
                "--outcome",
                "confirmed",
                "--decision",
                "keep it in memory",
                "--anchor",
                "src/net.rs",
                "--verify",
                "measure",
            ],
        ),
    ]
}

fn add(team: &Team, words: &[&str]) -> String {
    let args = [words, &["--evidence", "pr:1", "--json"]].concat();
    team.ken(&args).ok().json()["id"].as_str().unwrap().to_owned()
}

fn refused(answer: Answer, what: &str) {
    assert_eq!(answer.code, 4, "{what}: {}{}", answer.out, answer.err);
    let said = format!("{}{}", answer.out, answer.err);
    assert!(said.contains("changes only by supersession"), "{what}: {said}");
    assert!(said.contains("ken supersede"), "{what}: {said}");
}

#[test]
fn no_verb_rewrites_a_norm_a_decision_or_a_spike() {
    for (kind, words) in kinds() {
        let team = Team::new();
        let id = add(&team, words);
        let before = team.ken(&["show", &id, "--json"]).ok().json();
        let claim = ["statement", "rule"].into_iter().find(|name| before[name].is_string());
        let claim = claim.unwrap_or_else(|| panic!("{before:#}"));
        for change in [
            &["edit", &id, "--statement", "Something else."][..],
            &["edit", &id, "--detail", "And more."],
            &["edit", &id, "--title", "Another title"],
            &["edit", &id, "--content", r#"{"title":"Another title"}"#],
        ] {
            refused(team.ken(change), &format!("{kind} {change:?}"));
        }
        // An editor that writes other words.
        let script = team.world.path().join("../editor.sh");
        std::fs::write(&script, "#!/bin/sh\nsed -i 's/key/lock/g' \"$1\"\n").unwrap();
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = team.world.command(&super::world::World::binary().display().to_string());
        let edited: Answer = command.env("EDITOR", &script).args(["edit", &id]).output().unwrap().into();
        refused(edited, &format!("{kind} edit"));
        // A hand edit of the ledger, adopted.
        let file = team.ledger(&id);
        let text = team.world.read(&file);
        team.edit(&file, |text| text.replacen("key", "lock", 1));
        let adopted = team.ken(&["recover", "--adopt", &file]);
        let said = format!("{}{}", adopted.out, adopted.err);
        assert!(said.contains("changes only by supersession"), "{kind} adopt: {said}");
        team.world.write(&file, &text);
        let after = team.ken(&["show", &id, "--json"]).ok().json();
        assert_eq!(before[claim], after[claim], "{kind}");
        assert_eq!(before["title"], after["title"], "{kind}");
        // Labels may change, and citations may be added: neither is what it says.
        team.ken(&["tag", &id, "safety"]).ok();
        team.ken(&["edit", &id, "--evidence", "pr:2"]).ok();
        let tagged = team.ken(&["show", &id, "--json"]).ok().json();
        assert_eq!(tagged["tags"][0], "safety", "{kind}");
        assert_eq!(tagged["provenance"].as_array().unwrap().len(), 2, "{kind}");
    }
}

#[test]
fn to_undo_a_statement_is_to_retract_it_and_leaves_a_tombstone() {
    for (kind, words) in kinds() {
        let team = Team::new();
        let id = add(&team, words);
        team.ken(&["undo"]).ok();
        let shown = team.ken(&["show", &id, "--json"]).ok().json();
        assert_eq!(shown["status"], "retracted", "{kind}");
        team.ken(&["restore", &id, "--reason", "it was right"]).ok();
        let shown = team.ken(&["show", &id, "--json"]).ok().json();
        assert_eq!(shown["status"], "candidate", "{kind}");
    }
}

#[test]
fn supersession_replaces_and_keeps_a_link_both_ways() {
    for (kind, words) in kinds() {
        let team = Team::new();
        let id = add(&team, words);
        let args = [
            "supersede",
            &id,
            "--statement",
            "Something new was found out.",
            "--evidence",
            "pr:3",
            "--reason",
            "measured",
            "--json",
        ];
        let said = team.ken(&args).ok().json();
        let text = said.to_string();
        let old = team.ken(&["show", &id, "--json"]).ok().json();
        assert_eq!(old["status"], "superseded", "{kind}");
        let new =
            old["superseded_by"].as_str().unwrap_or_else(|| panic!("{kind}: {old:#}\n{text}")).to_owned();
        let new = team.ken(&["show", &new, "--json"]).ok().json();
        assert_eq!(new["type"], old["type"], "{kind}");
        assert!(new["links"].to_string().contains("supersedes"), "{kind}: {new:#}");
    }
}

#[test]
fn a_superseded_spike_leaves_index_and_search_and_keeps_its_back_link() {
    let team = Team::new();
    let (_, words) = kinds()[5];
    let id = add(&team, words);
    let index = || {
        team.ken(&["list"]).ok();
        team.world.read(".kenning/INDEX.md")
    };
    let found = |id: &str| team.ken(&["search", "key", "memory", "fast", "--json"]).ok().out.contains(id);
    let handle = team.ken(&["show", &id, "--json"]).ok().json()["handle"].as_str().unwrap().to_owned();
    assert!(handle.starts_with("S-"), "{handle}");
    assert!(index().contains(&handle), "{}", index());
    assert!(found(&id));
    let args = [
        "supersede",
        &id,
        "--statement",
        "A key in memory is too slow beyond a thousand clients.",
        "--hypothesis",
        "A key in memory is fast enough.",
        "--outcome",
        "rejected",
        "--evidence",
        "pr:3",
        "--json",
    ];
    team.ken(&args).ok();
    // The one that replaced it names it, and it names the other.
    assert!(!index().lines().any(|line| line.contains(&handle)), "{}", index());
    let old = team.ken(&["show", &id, "--json"]).ok().json();
    let new = old["superseded_by"].as_str().unwrap().to_owned();
    let search = team.ken(&["search", "key", "memory", "fast", "--json"]).ok().json();
    let entries =
        search["results"].as_array().or(search["entries"].as_array()).unwrap_or_else(|| panic!("{search:#}"));
    assert!(entries.iter().all(|one| one["id"] != id.as_str()), "{search:#}");
    assert!(entries.iter().any(|one| one["id"] == new.as_str()), "{search:#}");
    let all = team.ken(&["search", "key", "memory", "fast", "--all", "--json"]).ok().out;
    assert!(all.contains(&id), "{all}");
    let shown = team.ken(&["show", &id]).ok().out;
    assert!(shown.contains("superseded"), "{shown}");
    // The way back.
    team.ken(&["restore", &id, "--reason", "the measurement was wrong"]).ok();
    assert!(index().contains(&handle));
}

/// A norm in force that an approver supersedes: the new one waits for a yes of its own.
#[test]
fn what_supersedes_a_norm_in_force_needs_an_approval_of_its_own() {
    let team = Team::new();
    team.norm("norm.one", "Sign every tag with your key.", &[]);
    let args = [
        "supersede",
        "norm.one",
        "--rule",
        "Sign every tag and every commit.",
        "--id",
        "norm.two",
        "--evidence",
        "pr:3",
    ];
    let answer = team.ken(&args).ok();
    assert!(answer.out.contains("norm.two blocks nothing until an approver accepts it"), "{}", answer.out);
    let old = team.ken(&["show", "norm.one"]).ok().out;
    assert!(old.contains("it is superseded, so it blocks nothing"), "{old}");
    assert!(!old.contains("in force"), "{old}");
    team.commit("chore: norms");
    let norms = || team.gate(&["--diff", "HEAD..HEAD"]).ok().json()["norms"].clone();
    assert_eq!(norms(), serde_json::json!([]));
    let proposal = team.proposal("norm.two", &[]);
    team.approve("Bo", &proposal).ok();
    team.commit("chore: approved");
    assert_eq!(norms()[0]["norm"], "norm.two");
}
