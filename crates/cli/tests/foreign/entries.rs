//! What imported files become: entries with gaps, places, severities, standings (DOO-6, ENT-5, ENT-7).

use serde_json::json;

use super::{Desk, KNOWLEDGE, SIGNAL, SOLUTION, SPIKE, finding};

#[test]
fn what_a_file_lacks_is_a_gap_of_its_entry() {
    let desk = Desk::new();
    desk.write("k/whole.md", finding("The retry loop waits with jitter."));
    desk.write(
        "k/bare.md",
        "---\nlastConfirmed: 2025-12-01\nprovenance: primed\n---\nA claim with nothing to show for it.\n",
    );
    let report = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    assert_eq!(
        (report["without_place"].as_u64(), report["without_step"].as_u64()),
        (Some(1), Some(1)),
        "{report}"
    );
    let whole = desk.show("whole");
    assert_eq!(whole["gaps"], json!([]), "{whole}");
    let bare = desk.show("bare");
    assert_eq!(bare["gaps"], json!(["anchor", "verification"]), "{bare}");
    assert_eq!((whole["status"].as_str(), bare["status"].as_str()), (Some("candidate"), Some("candidate")));
    // Where it was read is what it rests on.
    assert_eq!(bare["provenance"][0]["evidence_ref"], "k/bare.md", "{bare}");
}

#[test]
fn places_in_backticks_become_anchors_where_they_exist() {
    let desk = Desk::new();
    desk.write("src/cache.rs", "fn get() {}\n");
    desk.write("k/one.md", "---\nlastConfirmed: 2025-12-01\nprovenance: primed\n---\nThe loop in `src/net.rs` and the one in `src/cache.rs:1` differ; `src/gone.rs` had a third.\n");
    let report = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    assert_eq!(report["places_left_out"], 1, "{report}");
    let shown = desk.show("one");
    let anchors: Vec<&str> = shown["anchors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|at| at["at"].as_str().or(at.as_str()).unwrap())
        .collect();
    assert_eq!(anchors, ["src/net.rs", "src/cache.rs:1"], "{shown}");
}

#[test]
fn words_of_severity_and_durability_are_mapped_and_kept() {
    let desk = Desk::new();
    desk.write("g/signals/demo/2026-01-01-plan-without-research.md", SIGNAL);
    desk.write("g/spikes/demo/which-queue.md", SPIKE);
    desk.write("docs/solutions/runtime-errors/session.md", SOLUTION);
    desk.ken(&["import", "gsd", "g"]).ok();
    desk.ken(&["import", "wfc-solutions", "docs/solutions"]).ok();
    let signal = desk.show("sig-2026-01-01-plan-without-research");
    assert_eq!((&signal["type"], &signal["memory"]), (&json!("signal"), &json!("episodic")));
    assert_eq!(
        (&signal["severity"], &signal["severity_word"]),
        (&json!(9.5), &json!("critical")),
        "{signal}"
    );
    assert_eq!(signal["decay_class"], "stable", "{signal}");
    assert_eq!(signal["attributes"]["durability"], "convention", "{signal}");
    let spike = desk.show("spk-2026-01-01-which-queue");
    assert_eq!((&spike["type"], &spike["decay_class"]), (&json!("spike"), &json!("permanent")), "{spike}");
    let solution = desk.here().saying("session key");
    assert_eq!(solution["severity_word"], "high", "{solution}");
    assert_eq!((&solution["type"], &solution["subtype"]), (&json!("experience"), &json!("bug")));
}

#[test]
fn what_is_archived_there_is_archived_here() {
    let desk = Desk::new();
    desk.write("k/archive/old.md", finding("What was true once."));
    desk.write(
        "r/security/KNOWLEDGE-ARCHIVE.md",
        "# KNOWLEDGE-ARCHIVE.md\n\n- [2025-01-01] An old thing about the cache (Source: pr-1)\n",
    );
    desk.write(
        "g/signals/demo/2026-01-01-plan-without-research.md",
        SIGNAL.replace("status: active", "status: archived"),
    );
    desk.ken(&["import", "flux-drive", "k"]).ok();
    desk.ken(&["import", "wfc", "r"]).ok();
    desk.ken(&["import", "gsd", "g"]).ok();
    let all = desk.entries();
    assert_eq!(all.len(), 3, "{all:#?}");
    assert!(all.iter().all(|entry| entry["status"] == "archived"), "{all:#?}");
}

#[test]
fn the_day_of_a_confirmation_comes_with_the_file() {
    let desk = Desk::new();
    desk.write("k/seen.md", finding("One thing is so."));
    desk.write("k/told.md", finding("Another thing is not.").replace("independent", "primed"));
    desk.ken(&["import", "flux-drive", "k"]).ok();
    let seen = desk.show("seen");
    assert!(seen["last_confirmed"].as_str().unwrap().starts_with("2025-12-01"), "{seen}");
    assert_eq!(seen["confirmation"], "independent");
    let told = desk.show("told");
    assert_eq!((&told["last_confirmed"], &told["confirmation"]), (&json!(null), &json!("primed")), "{told}");
}

// Sections say what a line is (C7); rules are no norms until somebody promotes them.
#[test]
fn sections_of_a_reviewer_say_what_its_lines_are() {
    let desk = Desk::new();
    desk.write("wfc/reviewers/security/KNOWLEDGE.md", KNOWLEDGE);
    desk.ken(&["import", "wfc", "wfc/reviewers"]).ok();
    for (words, kind, subtype) in [
        ("waits with jitter", "pattern", json!(null)),
        ("pattern table", "false_positive", json!(null)),
        ("routing table", "experience", json!("convention")),
        ("gateway", "experience", json!("learning")),
    ] {
        let shown = desk.here().saying(words);
        assert_eq!((&shown["type"], &shown["subtype"]), (&json!(kind), &subtype), "{shown}");
        assert_eq!((&shown["reviewer"], &shown["memory"]), (&json!("security"), &json!("semantic")));
    }
    let token = desk.here().saying("constant time");
    assert_eq!(token["attributes"], json!({ "source": "pr-13", "dev": "ada" }), "{token}");
}

// Keys that nobody knows are values still, never texts of values.
#[test]
fn unknown_keys_are_kept_as_they_are() {
    let desk = Desk::new();
    desk.write("k/one.md", "---\nlastConfirmed: 2025-12-01\nprovenance: independent\nteam: {name: net, size: 3}\nbare:\nlabels:\n  - one\n  - 2\n---\nOne thing is so.\n");
    let report = desk.ken(&["import", "flux-drive", "k", "--json"]).ok().json();
    assert!(report["notes"].to_string().contains("`team` is a key"), "{report}");
    let shown = desk.show("one");
    assert_eq!(
        shown["attributes"],
        json!({ "team": { "name": "net", "size": 3 }, "bare": null, "labels": ["one", 2] }),
        "{shown}"
    );
}

// STO-13: a purge takes the words out of what is kept of the file as well.
#[test]
fn a_purge_takes_an_imported_entry_out_of_its_document_too() {
    let desk = Desk::new();
    desk.write("k/one.md", finding("The word is xyzzyplugh."));
    desk.write("k/two.md", finding("Another thing is not."));
    desk.ken(&["import", "flux-drive", "k"]).ok();
    assert!(!desk.holding("xyzzyplugh").is_empty());
    desk.commit("imported");
    desk.ken(&["purge", "one", "--yes", "--reason", "leaked"]).ok();
    assert_eq!(desk.holding("xyzzyplugh"), Vec::<String>::new());
    let answer = desk.ken(&["export", "flux-drive", "../out"]);
    let out = super::tree(&desk.folder.join("../out"));
    assert_eq!(out["two.md"], desk.read("k/two.md").into_bytes());
    assert!(
        !out.values().any(|bytes| String::from_utf8_lossy(bytes).contains("xyzzyplugh")),
        "{}",
        answer.out
    );
    desk.ken(&["verify"]).ok();
}
