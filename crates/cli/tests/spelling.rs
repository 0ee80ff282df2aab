//! One spelling: the same fields, flags and words wherever an entry, a run or a limit is named.

use serde_json::{Value, json};

use super::world::World;

/// The fields by which every answer names an entry.
const HEAD: [&str; 6] = ["id", "handle", "memory", "type", "status", "title"];

/// Checks that an answer names an entry by every common field.
#[track_caller]
fn has_head(entry: &Value, answer: &str) {
    for field in HEAD {
        assert!(entry[field].is_string(), "{answer} leaves out `{field}`: {entry}");
    }
}

fn entries<'a>(answer: &'a Value, path: &str) -> &'a Vec<Value> {
    answer.pointer(path).and_then(Value::as_array).unwrap_or_else(|| panic!("no list at {path}: {answer}"))
}

/// `check --json` left the title out after the hundredth entry, and type and status everywhere.
#[test]
fn every_answer_names_an_entry_by_the_same_fields() {
    let world = World::with_store();
    let count = 103;
    let code: String = (0..count).map(|n| format!("fn f{n}() -> u32 {{ {n} }}\n")).collect();
    world.write("src/many.rs", &code);
    let line = |n: usize| {
        json!({"type": "lesson", "title": format!("Function {n}"), "statement": format!("Function number {n} returns its own number {n}."),
            "evidence": ["pr:1"], "anchors": [format!("src/many.rs#f{n}")], "verify": ["look"]})
    };
    let lines: Vec<String> = (0..count).map(|n| line(n).to_string()).collect();
    world.write("in.jsonl", &lines.join("\n"));
    world.ken("add --file in.jsonl").ok();
    let code: String =
        (0..count).map(|n| format!("fn f{n}() -> u32 {{ {n} + other({n}) * 3 - 2 }}\n")).collect();
    world.write("src/many.rs", &code);

    let check = world.ken("check --json --fail-on never").ok().json();
    assert_eq!(entries(&check, "/entries").len(), count);
    assert_eq!(check["summary"]["drifted"], count);
    let list = world.ken("list -n 0 --json").ok().json();
    let drift = world.ken("drift --json").ok().json();
    let queue = world.ken("queue -n 0 --json").ok().json();
    let search = world.ken("search Function --json").ok().json();
    let retracted =
        world.ken_args(&["retract", list["items"][0]["id"].as_str().unwrap(), "--json"]).ok().json();
    for (answer, list) in [
        ("check", entries(&check, "/entries")),
        ("list", entries(&list, "/items")),
        ("drift", entries(&drift, "/store/signals/drifted")),
        ("search", entries(&search, "/results")),
    ] {
        assert!(!list.is_empty(), "{answer} names nothing");
        list.iter().for_each(|entry| has_head(entry, answer));
    }
    for item in entries(&queue, "/items") {
        item["entries"].as_array().unwrap().iter().for_each(|entry| has_head(entry, "queue"));
    }
    has_head(&retracted, "retract");
}

/// `drift` said "healthy" while `check` listed two drifted entries.
#[test]
fn what_check_calls_drifted_is_not_healthy_for_drift() {
    let world = World::with_store();
    world.write("src/a.rs", "fn a() -> u32 { 1 }\n");
    let claim = "The function a returns one and nothing else.";
    let anchored =
        ["add", "lesson", claim, "--evidence", "pr:1", "--verify", "look", "--anchor", "src/a.rs#a"];
    world.ken_args(&anchored).ok();
    assert_eq!(world.ken("drift --json").ok().json()["recommendation"], "healthy");
    world.write("src/a.rs", "fn a() -> u32 { let b = other(); b * 17 + third(b) }\n");
    let check = world.ken("check --fail-on never").ok().out;
    assert!(check.contains("1 entry: 1 drifted"), "{check}");
    let drift = world.ken("drift").ok().out;
    assert!(drift.contains("needs_review") && !drift.contains("healthy"), "{drift}");
    assert!(drift.contains("1 drifted"), "the counts of `check`: {drift}");
    let json = world.ken("drift --json").ok().json();
    assert_eq!(json["check"]["drifted"], 1);
    assert_eq!(json["store"]["signals"]["drifted"].as_array().unwrap().len(), 1);
}

/// The same field was `evidence` for a flag and `provenance` in a file, and each door refused the name of the other.
#[test]
fn evidence_and_verification_go_by_both_names() {
    let world = World::with_store();
    let flags = [
        "add",
        "lesson",
        "Flags may be spelled like fields.",
        "--provenance",
        "pr:1",
        "--verification",
        "look",
        "--anchor",
        "src/net.rs",
    ];
    world.ken_args(&flags).ok();
    let line = json!({"type": "lesson", "statement": "Fields may be spelled like flags.", "evidence": ["pr:2"],
        "verify": ["look"], "anchors": ["src/net.rs"]});
    world.ken_stdin(&["add", "--file", "-"], &format!("{line}\n")).ok();
    let shown = world.ken("list --json").ok().json();
    for entry in entries(&shown, "/items") {
        assert_eq!(entry["gaps"], json!([]), "{entry}");
    }
    let id = shown["items"][0]["id"].as_str().unwrap();
    world.ken_args(&["edit", id, "--content", r#"{"evidence": "pr:3", "verify": ["look twice"]}"#]).ok();
    let entry = world.ken_args(&["show", id, "--json"]).ok().json();
    assert_eq!(entry["verification"], json!(["look twice"]));
    assert_eq!(entries(&entry, "/provenance").len(), 2);
    // Both names at once could say two things.
    let both = json!({"type": "lesson", "statement": "Both names at once are refused.", "evidence": ["pr:2"],
        "provenance": ["pr:3"], "verify": ["look"], "anchors": ["src/net.rs"]});
    world.ken_stdin(&["add", "--file", "-"], &format!("{both}\n")).fails_with(2);
}

/// People have a CLAUDE.md; the format is called after AGENTS.md. A dry run said how many, and not which.
#[test]
fn a_dry_run_lists_what_it_would_make() {
    let world = World::with_store();
    world.write("CLAUDE.md", "# Rules\n\n- Always run the tests before pushing.\n- Never commit secrets.\n");
    let dry = world.ken("import claude-md CLAUDE.md --dry-run").ok().out;
    assert!(dry.contains("Always run the tests before pushing."), "{dry}");
    assert!(dry.contains("Never commit secrets."), "{dry}");
    let dry = world.ken("import claude-md CLAUDE.md --dry-run --json").ok().json();
    assert_eq!(entries(&dry, "/items").len(), 2);
    assert_eq!(dry["items"][0]["path"], "CLAUDE.md");
    assert_eq!(dry["formats"], json!({"agents-md": 1}));
    world.lesson("Files that an export would write are listed.");
    let dry = world.ken("export okf out --dry-run").ok().out;
    assert!(dry.contains(".md"), "{dry}");
    assert!(!world.path().join("out").exists());
}

/// `--run` is the name of a run. What executes steps is `--execute`; the old spelling still works.
#[test]
fn run_names_a_run_and_execute_executes() {
    let world = World::with_store();
    for verb in ["check", "gate"] {
        let help = world.ken(&format!("{verb} --help")).ok().out;
        assert!(help.contains("--execute") && !help.contains("--run"), "{help}");
        world.ken(&format!("{verb} --execute")).ok();
        world.ken(&format!("{verb} --run")).ok();
    }
    for (verb, flag) in
        [("queue", "-n 3"), ("list", "-n 3"), ("search x", "-n 3"), ("log", "-n 3"), ("log", "--limit 0")]
    {
        let answer = world.ken(&format!("{verb} {flag}"));
        assert_ne!(answer.code, 2, "{verb} {flag}: {}", answer.err);
    }
    for verb in ["surface --role planner x", "menu x", "brief"] {
        world.ken(&format!("{verb} --tokens 300")).ok();
    }
    world.ken("surface --menu x --budget 300").ok();
}

/// One open task is the one that is meant; of several, none is guessed.
#[test]
fn the_only_open_task_needs_no_name() {
    let world = World::with_store();
    let none = world.ken("task finish --outcome success").fails_with(2);
    assert!(none.err.contains("no task is open"), "{}", none.err);
    world.ken_args(&["task", "start", "--goal", "mend the retry", "--run", "first"]).ok();
    world.ken("task finish --outcome success").ok();
    assert_eq!(world.ken("task list --open --json").ok().json()["items"], json!([]));
    for run in ["second", "third"] {
        world.ken_args(&["task", "start", "--goal", &format!("the {run} thing"), "--run", run]).ok();
    }
    let several = world.ken("task finish --outcome success").fails_with(2);
    assert!(
        several.err.contains("second (the second thing)") && several.err.contains("third"),
        "{}",
        several.err
    );
}

/// `undo` named a handle and nothing else: whether the right thing was undone had to be looked up.
#[test]
fn undo_says_what_it_undid_and_how_to_redo_it() {
    let world = World::with_store();
    let id = world.lesson("Retries stop after five attempts.");
    let undone = world.ken("undo").ok().out;
    assert!(undone.contains("Retries stop after five attempts."), "{undone}");
    assert!(undone.contains("undid the addition; now retracted"), "{undone}");
    assert!(undone.contains("`ken undo` again reverses this; it never goes further back"), "{undone}");
    world.ken("undo").ok();
    let entry = world.ken_args(&["show", &id, "--json"]).ok().json();
    assert_eq!(entry["status"], "candidate");
}

/// Another reason made a second proposal of the same promotion, and a person was asked twice.
#[test]
fn an_open_promotion_is_not_proposed_again() {
    let world = World::with_store();
    world.ken_args(&["note", "the retry loop hung"]).ok();
    let list = world.ken("list --memory episodic --json").ok().json();
    let note = list["items"][0]["id"].as_str().unwrap();
    let propose = |reason: &str| {
        let args = ["promote", "propose", note, "--to", "semantic", "--type", "lesson", "--evidence", "pr:1"];
        let more = ["--anchor", "src/net.rs", "--verify", "look", "--reason", reason, "--json"];
        world.ken_args(&[&args[..], &more[..]].concat()).ok().json()
    };
    let first = propose("seen twice");
    let second = propose("seen three times");
    assert_eq!(first["promotion"], second["promotion"]);
    assert!(second["notes"].to_string().contains("already proposed"), "{second}");
    assert_eq!(world.ken("promote list --json").ok().json()["items"].as_array().unwrap().len(), 1);
}
