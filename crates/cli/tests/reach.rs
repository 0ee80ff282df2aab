//! What the global store knows is an answer in every project (COR-2).

use serde_json::{Value, json};

use super::mcp::client::{Client, NEWEST};
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
    world.ken_args(&["why", "--belief", &handle]).ok();
    world.ken_args(&["feedback", &handle, "--helpful"]).ok();
    let belief = world.ken_args(&["--global", "belief", &handle, "--json"]).ok().json();
    assert_eq!(belief["observations"].as_f64().map(|count| count > 0.0), Some(true), "{belief}");
    world.ken_args(&["check", &handle]).ok();
    world.ken_args(&["tag", &handle, "deploy"]).ok();
    world.ken_args(&["view", "pin", &handle]).ok();
    world.ken_args(&["view", "pin", "--undo", &handle]).ok();
    let applied = world.ken_args(&["surface", "--applied", &handle]).ok();
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
    world.ken("--global commit --no-commit").ok();
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
    assert!(answer.err.contains("the global store could not be searched"), "{}", answer.err);
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

/// The lines of every file in a folder of a store.
fn lines(folder: &std::path::Path) -> Vec<Value> {
    let files = std::fs::read_dir(folder).into_iter().flatten();
    let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    texts
        .flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>())
        .collect()
}

/// The sources of what the global store has seen of its entry, one for each event.
fn seen(world: &World) -> Vec<String> {
    world.ken("--global commit --no-commit").ok();
    let store = world.path().parent().unwrap().join("home/data/kenning/.kenning");
    let events = lines(&store.join("episodic/v1/calibration"));
    let observed = events.iter().filter(|event| event["type"] == "belief.observed");
    observed.map(|event| event["data"]["source"].as_str().unwrap().to_owned()).collect()
}

// `used` of a global entry was refused as unknown, and a session counted none.
#[test]
fn what_a_run_says_of_a_global_entry_is_seen_where_it_lives() {
    let (world, handle) = world();
    let here = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    let finish = |run: &str, more: &[&str]| {
        let args = ["task", "finish", "--run", run, "--outcome", "success", "--json"];
        world.ken_args(&[&args[..], more].concat())
    };
    world.ken("task start --goal deploy --run T1").ok();
    // An unknown one is named, and nothing is written anywhere.
    let refused = finish("T1", &["--used", &handle, "--used", "L-000000"]).fails_with(2);
    assert!(refused.err.contains("L-000000") && !refused.err.contains(&handle), "{}", refused.err);
    assert_eq!(seen(&world), Vec::<String>::new());
    // What helped most is the global one; the project's comes second and counts for less.
    let ended = finish("T1", &["--used", &handle, "--used", &here]).ok().json();
    let earned: Vec<(&Value, f64)> = ended["observed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|earned| (&earned["handle"], earned["weight"].as_f64().unwrap()))
        .collect();
    assert_eq!((earned[0].0, earned[1].0), (&json!(handle), &json!(here)), "{ended}");
    assert!(earned[0].1 > earned[1].1, "{ended}");
    assert_eq!(seen(&world), ["run:T1@repo"]);
    world.ken("task start --goal deploy --run T2").ok();
    let both = finish("T2", &["--used", &handle, "--wrong", &format!("global:{handle}")]).fails_with(2);
    assert!(both.err.contains("given both as used and as wrong"), "{}", both.err);
    let ended = finish("T2", &["--wrong", &format!("global:{handle}"), "--used", &here]).ok().json();
    let side = |earned: &Value| (earned["handle"].clone(), earned["side"].clone());
    let sides: Vec<_> = ended["observed"].as_array().unwrap().iter().map(side).collect();
    assert!(sides.contains(&(json!(handle), json!("against"))), "{ended}");
    assert_eq!(seen(&world), ["run:T1@repo", "run:T2@repo"]);
    // The project's own record names the project's entries alone.
    world.ken("commit --no-commit").ok();
    let runs = lines(&world.path().join(".kenning/episodic/v1/runs"));
    let used: Vec<_> = runs.iter().filter(|event| event["type"] == "run.finished").collect();
    let key = world.ken_args(&["show", &here, "--json"]).ok().json()["key"].clone();
    assert_eq!(used.len(), 2, "{runs:?}");
    assert!(used.iter().all(|event| event["data"]["used"] == json!([key])), "{used:?}");
    assert!(used.iter().all(|event| event["data"]["wrong"].is_null()), "{used:?}");
}

#[test]
fn a_session_that_used_a_global_entry_says_so_where_it_lives() {
    let (mut world, handle) = world();
    // A machine that is busy is no matter here.
    world.env.push(("KEN_HOOK_TIMEOUT_MS".to_owned(), "60000".to_owned()));
    let hook = |event: &str, mut said: Value| {
        said["cwd"] = json!(world.path());
        said["session_id"] = json!("s1");
        world.ken_stdin(&["hook", event, "--host", "claude-code", "--debug"], &said.to_string()).ok()
    };
    let asked = "How are schema migrations deployed before the code that needs them?";
    let shown = hook("prompt", json!({"hook_event_name": "UserPromptSubmit", "prompt": asked}));
    assert!(shown.out.contains(&handle), "{} {}", shown.out, shown.err);
    let words = format!("used [{handle}]");
    hook("stop", json!({"hook_event_name": "Stop", "last_assistant_message": words}));
    let ended = hook("end", json!({"hook_event_name": "SessionEnd"}));
    assert!(ended.err.contains("ended: used 1"), "{}", ended.err);
    // It goes on, says the same and ends again: that counts once.
    hook("stop", json!({"hook_event_name": "Stop", "last_assistant_message": words}));
    hook("end", json!({"hook_event_name": "SessionEnd"}));
    let seen = seen(&world);
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].starts_with("feedback:") && seen[0].contains("-s1@repo"), "{seen:?}");
}

#[test]
fn an_agent_finishes_with_a_global_entry_that_it_recalled() {
    let (world, handle) = world();
    let mut client = Client::start(&world, &[], NEWEST);
    let recalled = client.call("recall", json!({"query": "schema migrations deployed"})).ok();
    assert!(recalled.text.contains(&handle), "{}", recalled.text);
    let unknown = json!({"outcome": "success", "used": [handle, "L-000000"]});
    assert!(client.call("finish", unknown).error().to_string().contains("L-000000"));
    let finished = client.call("finish", json!({"outcome": "success", "used": [handle]})).ok();
    assert!(finished.text.contains(&format!("for {handle}")), "{}", finished.text);
    let again = client.call("finish", json!({"outcome": "success", "used": [handle]})).ok();
    assert!(again.text.contains("was already counted for you today"), "{}", again.text);
    let seen = seen(&world);
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].contains("@repo"), "{seen:?}");
}

// It took back the project's last change instead, an entry that had nothing to do with it.
#[test]
fn undo_takes_the_latest_change_of_both_stores() {
    let (mut world, handle) = world();
    let status = |world: &World, handle: &str| {
        world.ken_args(&["show", handle, "--json"]).ok().json()["status"].as_str().unwrap().to_owned()
    };
    let at = |world: &mut World, time: &str| {
        world.env.push(("KEN_NOW".to_owned(), format!("2026-01-02T{time}:00Z")));
    };
    let before = status(&world, &handle);
    at(&mut world, "04:00");
    let here = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    let stood = status(&world, &here);
    at(&mut world, "05:00");
    world.ken_args(&["archive", &handle, "--reason", "not now"]).ok();
    assert_eq!(status(&world, &handle), "archived");
    let undone = world.ken("undo").ok();
    assert!(undone.out.contains(&format!("global:{handle}")), "{}", undone.out);
    assert_eq!((status(&world, &handle), status(&world, &here)), (before.clone(), stood));
    at(&mut world, "06:00");
    world.ken_args(&["tag", &here, "network"]).ok();
    let undone = world.ken("undo").ok();
    assert!(undone.out.contains(&here) && !undone.out.contains("global:"), "{}", undone.out);
    assert_eq!(status(&world, &handle), before);
}
