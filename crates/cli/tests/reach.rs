//! What the global store knows is an answer in every project (COR-2).

use serde_json::{Value, json};

use super::world::World;

/// A project, and a global store beside it that knows one thing.
fn world() -> (World, String) {
    let mut world = World::with_store();
    world.env.push(("KEN_NO_MODEL".to_owned(), "1".to_owned()));
    world.ken("--global init").ok();
    let args = [
        "--global",
        "add",
        "lesson",
        "Schema migrations are deployed before the code that needs them.",
        "--scope",
        "global",
        "--evidence",
        "pr:7",
        "--anchor",
        "docs/deploy.md",
        "--verify",
        "look",
        "--json",
    ];
    let handle = world.ken_args(&args).ok().json()["handle"].as_str().unwrap().to_owned();
    (world, handle)
}

fn found(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| result["handle"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_search_in_a_project_finds_what_the_global_store_knows() {
    let (world, handle) = world();
    let answer = world.ken("search schema migrations deployed --json").ok().json();
    assert_eq!(found(&answer), [handle.as_str()]);
    assert_eq!(answer["results"][0]["scope"], "global");
    let surfaced =
        world.ken_args(&["surface", "--role", "planner", "schema migrations deployed", "--json"]).ok().json();
    assert!(surfaced["text"].as_str().unwrap().contains("Schema migrations"), "{surfaced}");
    // What is stated here comes beside it, and is found once.
    world
        .ken_args(&[
            "add",
            "lesson",
            "Schema migrations run in a job of their own.",
            "--evidence",
            "pr:1",
            "--anchor",
            "src/net.rs",
            "--verify",
            "look",
        ])
        .ok();
    let answer = world.ken("search schema migrations --json").ok().json();
    assert_eq!(found(&answer).len(), 2, "{answer}");
    world.ken("config search.global false").ok();
    let answer = world.ken("search schema migrations deployed --json").ok().json();
    assert!(!found(&answer).contains(&handle), "{answer}");
}

#[test]
fn an_id_of_the_global_store_is_known_in_a_project() {
    let (world, handle) = world();
    for name in [handle.clone(), format!("global:{handle}")] {
        let shown = world.ken_args(&["show", &name, "--json"]).ok().json();
        assert!(shown["statement"].as_str().unwrap_or_default().contains("deployed before"), "{shown}");
    }
    world.ken_args(&["why", &handle]).ok();
    world.ken_args(&["log", &handle]).ok();
    world.ken_args(&["belief", &handle]).ok();
    world.ken_args(&["feedback", &handle, "--helpful"]).ok();
    let belief = world.ken_args(&["--global", "belief", &handle, "--json"]).ok().json();
    assert_eq!(belief["observations"].as_f64().map(|count| count > 0.0), Some(true), "{belief}");
    world.ken_args(&["check", &handle]).ok();
    world.ken_args(&["tag", &handle, "deploy"]).ok();
    world.ken_args(&["pin", &handle]).ok();
    world.ken_args(&["unpin", &handle]).ok();
    let applied = world.ken_args(&["applied", &handle]).ok();
    assert!(applied.out.contains("Schema migrations"), "{}", applied.out);
    let successor = ["supersede", &handle, "--statement", "Migrations go out a release earlier."];
    let replaced = world.ken_args(&[&successor[..], &["--evidence", "pr:8", "--json"]].concat()).ok().json();
    let new = replaced["superseded_by"].as_str().unwrap();
    world.ken_args(&["--global", "show", new]).ok();
    world.ken_args(&["link", new, "relates_to", &handle]).ok();
    let missing = world.ken("show L-000000").fails_with(3);
    assert!(missing.err.contains("L-000000"), "{}", missing.err);
}

#[test]
fn who_was_shown_it_is_recorded_where_it_lives_without_the_question() {
    let (world, handle) = world();
    let prompt = json!({
        "cwd": world.path(), "session_id": "s1", "hook_event_name": "UserPromptSubmit",
        "prompt": "How are schema migrations deployed before the code that needs them?",
    });
    let answer =
        world.ken_stdin(&["hook", "prompt", "--host", "claude-code", "--debug"], &prompt.to_string());
    assert!(answer.out.contains(&handle), "{} {}", answer.out, answer.err);
    world.ken("search schema migrations deployed").ok();
    world.ken("--global flush").ok();
    let runs = world.path().parent().unwrap().join("home/data/kenning/.kenning/episodic/v1/runs");
    let mut text = String::new();
    for file in std::fs::read_dir(runs).unwrap() {
        text.push_str(&std::fs::read_to_string(file.unwrap().path()).unwrap());
    }
    assert!(text.contains("project:repo"), "{text}");
    assert!(!text.contains("schema migrations deployed"), "no question reaches the global store: {text}");
}

#[test]
fn a_global_store_that_cannot_be_opened_is_a_notice() {
    let (world, _) = world();
    let store = world.path().parent().unwrap().join("home/data/kenning/.kenning");
    std::fs::write(store.join("VERSION"), "99.0.0\n").unwrap();
    let answer = world.ken("search schema migrations");
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.err.contains("global store"), "{}", answer.err);
}

#[test]
fn a_briefing_counts_both_stores() {
    let (world, _) = world();
    let brief = world.ken("brief").ok().out;
    assert!(brief.contains("the global one 1 entry"), "{brief}");
}

// A search waited for as long as somebody held the lock.
#[cfg(unix)]
#[test]
fn a_locked_global_store_is_a_notice_after_a_short_wait() {
    let (world, _) = world();
    let local = world.path().parent().unwrap().join("home/data/kenning/.kenning/.local");
    let held = std::fs::OpenOptions::new().write(true).open(local.join("journal/lock")).unwrap();
    held.lock().unwrap();
    let begun = std::time::Instant::now();
    let answer = world.ken("search schema migrations");
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.err.contains("the global store could not be asked"), "{}", answer.err);
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

// It was passed over in silence.
#[test]
fn a_global_store_that_lost_its_version_is_a_notice() {
    let (world, _) = world();
    let store = world.path().parent().unwrap().join("home/data/kenning/.kenning");
    std::fs::remove_file(store.join("VERSION")).unwrap();
    let answer = world.ken("search schema migrations");
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.err.contains("global store") && answer.err.contains("VERSION"), "{}", answer.err);
}

// An entry that was born in a thread keeps its key, which no other project has.
#[test]
fn what_was_born_in_a_thread_can_reach_the_project_and_every_project() {
    let mut world = World::with_store();
    world.env.push(("KEN_NO_MODEL".to_owned(), "1".to_owned()));
    let said = "Drain connections before a restart, or requests fail.";
    let whole = ["--evidence", "pr:1", "--anchor", "src/net.rs", "--verify", "look", "--json"];
    let args = [&["add", "lesson", said, "--thread", "T1"], &whole[..]].concat();
    let handle = world.ken_args(&args).ok().json()["handle"].as_str().unwrap().to_owned();
    let other = world.path().parent().unwrap().join("other");
    std::fs::create_dir_all(other.join("src")).unwrap();
    std::fs::write(other.join("src/net.rs"), "fn drain() {}\n").unwrap();
    let there = |args: &[&str]| {
        let mut command = world.command(&World::binary().display().to_string());
        let output = command.current_dir(&other).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    there(&["init"]);
    there(&[&["add", "lesson", said], &whole[..]].concat());
    world.ken_args(&["promote", &handle, "--to", "project", "--reason", "it outlives the thread"]).ok();
    let seen_in = other.display().to_string();
    let args = ["promote", &handle, "--to", "global", "--seen-in", &seen_in, "--reason", "both learned it"];
    let promoted = world.ken_args(&args).ok();
    assert!(promoted.out.contains("in the global store now"), "{}", promoted.out);
}
