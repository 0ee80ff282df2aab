//! What files of strangers, agents and unfinished merges may not do (DOO-6, IN-1, IN-2, GAT-2, STO-13).

use super::{Desk, finding, says};

/// Looks like a live token, and is none.
fn token() -> String {
    format!("ghp_{}", "Zt8wQ2mLx7VbN4rKd9sYc3HfJp6GaE1uTo5R")
}

// IN-2: what is no UTF-8 is looked at as well, and its name is.
#[test]
fn bytes_and_names_hide_no_secret() {
    let desk = Desk::new();
    desk.write("k/one.md", finding("Locks leak when a worker dies."));
    let mut bytes = b"caf\xe9 ".to_vec();
    bytes.extend(token().into_bytes());
    desk.write("k/latin.txt", &bytes);
    let wide: Vec<u8> = format!("key {}", token()).encode_utf16().flat_map(u16::to_le_bytes).collect();
    desk.write("k/wide.txt", &wide);
    desk.write(&format!("k/{}.txt", token()), "nothing");
    let answer = desk.ken(&["import", "flux-drive", "k"]);
    says(&answer, &["its content was rejected", "its name was rejected"]);
    assert!(!answer.out.contains(&token()), "{}", answer.out);
    assert_eq!(desk.holding(&token()), Vec::<String>::new());
    let base64 = desk.ledger().values().any(|bytes| String::from_utf8_lossy(bytes).contains("\"bytes\""));
    assert!(!base64, "nothing of the two files is kept");
}

// An unfinished merge is nobody's knowledge.
#[test]
fn a_file_with_marks_of_a_merge_waits() {
    let desk = Desk::mirrored("flux-drive", "k", &[("one.md", &finding("Locks leak when a worker dies."))]);
    let before = desk.read("k/one.md");
    let torn = before.replace(
        "Locks leak when a worker dies.",
        "<<<<<<< HEAD\nLocks leak.\n=======\nLocks never leak.\n>>>>>>> other",
    );
    desk.write("k/one.md", &torn);
    let ledger = desk.ledger();
    says(&desk.sync().fails_with(1), &["one.md", "merge conflict markers"]);
    assert_eq!(desk.ledger(), ledger);
    desk.write("k/one.md", &before);
    desk.sync().ok();
}

// The side that is chosen stays: a file that counts is not removed because its entry was taken back.
#[test]
fn a_file_that_counts_brings_its_entry_back() {
    let desk = Desk::mirrored("flux-drive", "k", &[("one.md", &finding("Locks leak when a worker dies."))]);
    desk.ken(&["retract", "one", "--reason", "wrong"]).ok();
    desk.edit("k/one.md", "when a worker dies", "when a worker is killed");
    says(&desk.sync().fails_with(1), &["conflict"]);
    desk.ken(&["mirror", "sync", "--take", "file"]).ok();
    assert!(desk.read("k/one.md").contains("is killed"));
    assert_eq!(desk.show("one")["status"], "candidate");
    desk.ken(&["mirror", "sync", "--check"]).ok();
}

// GAT-2: agents obey AGENTS.md to the letter; what nobody accepted is not written there.
#[test]
fn a_norm_that_nobody_accepted_is_no_order() {
    let desk =
        Desk::mirrored("agents-md", ".", &[("AGENTS.md", "# Rules\n\n- Run the tests before a commit.\n")]);
    let agent = desk.with("KEN_ACTOR", "agent:x");
    agent.ken(&["add", "commit_norm", "Always push straight to main.", "--evidence", "doc:AGENTS.md"]).ok();
    desk.sync().ok();
    assert!(!desk.read("AGENTS.md").contains("straight to main"), "{}", desk.read("AGENTS.md"));
}

// An event log is edited by its later lines.
#[test]
fn a_log_that_grows_is_heard() {
    let created = r#"{"seq":1,"type":"MemoryEntryCreated","timestamp":"2026-01-01T00:00:00Z","entry":{"id":"mem-1","entry_type":"skill","title":"Retry","content":"Retry with jitter.","status":"candidate","domains":["net"]}}"#;
    let desk = Desk::mirrored("formicos", "m", &[("events.jsonl", &format!("{created}\n"))]);
    let before = desk.entries().len();
    assert_eq!(before, 1, "{:?}", desk.entries());
    let status = r#"{"seq":2,"type":"MemoryEntryStatusChanged","timestamp":"2026-01-02T00:00:00Z","entry_id":"mem-1","old_status":"candidate","new_status":"rejected","reason":"wrong"}"#;
    desk.write("m/events.jsonl", format!("{created}\n{status}\n"));
    desk.sync().ok();
    let entry = desk.show("mem-1");
    assert_eq!(entry["status"], "archived", "{entry}");
}

// STO-13: a purged entry does not come back with a file, whatever that is called.
#[test]
fn what_was_purged_does_not_come_back() {
    let desk = Desk::new();
    desk.write("k/one.md", finding("The word is xyzzyplugh."));
    desk.ken(&["import", "flux-drive", "k"]).ok();
    desk.ken(&["purge", "one", "--yes", "--reason", "leaked"]).ok();
    desk.ken(&["import", "auto", "."]);
    desk.ken(&["import", "flux-drive", "k", "--name", "again"]);
    assert_eq!(desk.holding("xyzzyplugh"), Vec::<String>::new());
}
