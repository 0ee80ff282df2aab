//! What stands around an entry: the code at its anchors, who was shown it, what was used with it, and what happened day by day.

use serde_json::json;

use crate::world::World;

#[test]
fn show_has_the_code_as_captured_and_as_it_is_now() {
    let world = World::with_store();
    let words = [
        "add",
        "lesson",
        "Wait with jitter.",
        "--id",
        "jitter",
        "--evidence",
        "pr:1",
        "--anchor",
        "src/net.rs#retry",
        "--verify",
        "look",
    ];
    world.ken_args(&words).ok();
    world.write("src/net.rs", "use rand;\n\nfn retry() {\n    sleep(1);\n}\n");
    let shown = world.ken("show jitter --code --json").ok().json();
    let code = &shown["code"][0];
    assert_eq!(
        code["captured"],
        json!({"path": "src/net.rs", "line": 1, "text": "fn retry() {\n    jitter();\n}"})
    );
    assert_eq!(
        code["now"],
        json!({"path": "src/net.rs", "line": 3, "text": "fn retry() {\n    sleep(1);\n}"})
    );
    let text = world.ken("show jitter --code").ok().out;
    assert!(text.contains("as captured, src/net.rs:1\n  | fn retry() {\n  |     jitter();"), "{text}");
    assert!(world.ken("show jitter --json").ok().json().get("code").is_none(), "nobody asked for it");

    std::fs::remove_file(world.path().join("src/net.rs")).unwrap();
    let code = world.ken("show jitter --code --json").ok().json()["code"][0].clone();
    assert_eq!(code["now"], json!(null));
    assert!(code["why"].as_str().unwrap().contains("src/net.rs"), "{code}");
}

/// A ledger line can name any object of git, and a file can hold a key: neither an option nor a secret comes out.
#[test]
fn code_is_shown_without_secrets_and_names_of_objects_are_names() {
    let world = World::with_store();
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    world.write("src/keys.rs", &format!("fn key() -> &'static str {{\n    \"{key}\"\n}}\n"));
    world.git("add -A");
    world.git("commit -q -m keys");
    let words = [
        "add",
        "lesson",
        "The key is in the code.",
        "--id",
        "key",
        "--evidence",
        "pr:1",
        "--anchor",
        "src/keys.rs#key",
        "--verify",
        "look",
    ];
    world.ken_args(&words).ok();
    let shown = world.ken("show key --code --json").ok().out;
    assert!(shown.contains("fn key()") && !shown.contains(&key), "{shown}");
}

#[test]
fn show_and_list_say_who_was_shown_an_entry_and_what_was_used_with_it() {
    let world = World::with_store();
    let add = |id: &str, text: &str| {
        let words = [
            "add",
            "lesson",
            text,
            "--id",
            id,
            "--evidence",
            "pr:1",
            "--anchor",
            "src/net.rs",
            "--verify",
            "look",
        ];
        world.ken_args(&words).ok();
    };
    add("jitter", "Retry with full jitter after an outage.");
    add("deadline", "Every request has one deadline for all of its tries.");
    world.ken("link jitter supports deadline").ok();
    world.ken("task start --goal retry --run one").ok();
    world.ken_args(&["search", "retry deadline jitter tries", "--run", "one", "--agent", "bob"]).ok();
    world.ken("task finish --run one --outcome success --used jitter --used deadline").ok();
    let shown = world.ken("show jitter --exposures --json").ok().json();
    assert_eq!(shown["exposures"][0]["run"], "one");
    assert_eq!(shown["exposures"][0]["agent"], "bob");
    assert_eq!(shown["used_with"][0]["id"], "deadline");
    assert!(shown["used_with"][0]["weight"].as_f64().unwrap() > 0.0);
    let text = world.ken("show jitter --exposures").ok().out;
    assert!(
        text.contains("used with     deadline") && text.contains("shown to      bob on 2026-01-02 in one"),
        "{text}"
    );

    let list = world.ken("list --links --json").ok().json();
    let line =
        |id: &str| list["items"].as_array().unwrap().iter().find(|entry| entry["id"] == id).unwrap().clone();
    assert_eq!(line("jitter")["links"][0]["to"], "deadline");
    assert_eq!(line("deadline")["used_with"][0]["id"], "jitter");
    assert!(line("deadline").get("links").is_none());
    let text = world.ken("list --links").ok().out;
    assert!(
        text.contains("jitter supports deadline") && text.contains("deadline used_with jitter"),
        "{text}"
    );
    assert!(!world.ken("list").ok().out.contains("used_with"));
}

#[test]
fn log_counts_what_happened_on_each_day() {
    let mut world = World::with_store();
    world.lesson("Retry with full jitter after an outage.");
    world.ken("task start --goal retry --run one").ok();
    for (name, value) in &mut world.env {
        if name == "KEN_NOW" {
            *value = "2026-01-04T00:00:00Z".to_owned();
        }
    }
    world.lesson("Every request has one deadline for all of its tries.");
    let days = world.ken("log --daily 3 --json").ok().json()["days"].clone();
    let day =
        |date: &str, added: u64, runs: u64| json!({"date": date, "added": added, "changed": 0, "runs": runs});
    assert_eq!(days, json!([day("2026-01-02", 1, 1), day("2026-01-03", 0, 0), day("2026-01-04", 1, 0)]));
    let text = world.ken("log --daily 1").ok().out;
    assert_eq!(text.trim(), "2026-01-04    1 added    0 changed    0 runs");
}
