//! Briefings and figures through the binary (UPK-5, DOO-8).

use serde_json::{Value, json};

use super::world::World;

fn brief(world: &World) -> Value {
    world.ken("brief --json").ok().json()
}

fn stats(world: &World, flags: &str) -> Value {
    world.ken(&format!("stats --json {flags}")).ok().json()
}

fn lesson(world: &World, statement: &str, more: &[&str]) -> String {
    let args =
        ["add", "lesson", statement, "--evidence", "pr:1", "--verify", "look", "--json", "--domain", "net"];
    world.ken_args(&[&args[..], more].concat()).ok().json()["handle"].as_str().unwrap().to_owned()
}

const NET: [&str; 2] = ["--anchor", "src/net.rs#retry"];

#[test]
fn an_empty_store_says_how_to_begin() {
    let world = World::with_store();
    let out = world.ken("brief").ok().out;
    assert_eq!(
        out,
        "This store has no entries yet. `ken add` adds one, `ken note` records an observation.\n"
    );
    let answer = brief(&world);
    assert_eq!(
        (&answer["entries"], &answer["insights"], &answer["more"]),
        (&json!([]), &json!([]), &json!(0))
    );
}

#[test]
fn upk_5_what_is_pinned_comes_first_and_a_change_is_seen_at_once() {
    let world = World::with_store();
    let handle = lesson(&world, "Retry network calls with jitter.", &NET);
    assert_eq!(brief(&world)["believed"], json!([]), "nobody has used it yet");
    world.ken(&format!("view pin {handle}")).ok();
    let pinned = world.ken("brief").ok().out;
    assert!(
        pinned.contains(&format!("- [{handle}] Retry network calls with jitter. · pinned, ")),
        "{pinned}"
    );
    assert_eq!(world.ken("brief").ok().out, pinned, "the same store gives the same bytes");
    world.ken(&format!("view pin --undo {handle}")).ok();
    assert!(!world.ken("brief").ok().out.contains(&handle));
    world.ken_args(&["add", "lesson", "A draft that lacks everything", "--draft"]).ok();
    assert_eq!(brief(&world)["waiting"]["drafts"], 1);
}

#[test]
fn what_was_found_broken_is_told_until_it_holds_again() {
    let world = World::with_store();
    let handle = lesson(&world, "Retry network calls with jitter.", &NET);
    let code = world.read("src/net.rs");
    world.ken("check").ok();
    assert_eq!(brief(&world)["fallen"], json!([]));
    world.write("src/net.rs", "fn other() {}\n");
    assert_eq!(brief(&world)["fallen"], json!([]), "never checked");
    world.ken("check").fails_with(1);
    let answer = brief(&world);
    assert_eq!(
        (&answer["fallen"][0]["handle"], &answer["fallen"][0]["verdict"]),
        (&json!(handle), &json!("broken"))
    );
    assert!(world.ken("brief").ok().out.starts_with(
        "This store has 1 entry (1 candidate). Search it with `ken search`.\nAt the last check: 1 broken"
    ));
    world.write("src/net.rs", &code);
    world.ken("check").ok();
    assert_eq!(brief(&world)["fallen"], json!([]));
}

#[test]
fn rev_1_what_a_run_is_briefed_on_counts_as_read() {
    let world = World::with_store();
    let handle = lesson(&world, "Retry network calls with jitter.", &NET);
    world.ken(&format!("view pin {handle}")).ok();
    world.ken("task start --goal work --run T1").ok();
    world.ken("brief --run T1 --agent codex").ok();
    let seen = world.ken("task show T1 --json").ok().json()["exposures"]["codex"][0].clone();
    assert_eq!((&seen["handle"], &seen["how"]), (&json!(handle), &json!("pulled")));
    assert_eq!(stats(&world, "")["never_delivered"], 0);
}

#[test]
fn a_budget_is_kept_unless_everything_is_asked_for() {
    let world = World::with_store();
    let answer = world.ken("brief --tokens 5 --json").ok().json();
    assert_eq!((&answer["text"], &answer["tokens"]["count"]), (&json!(""), &json!(0)));
    world.ken("brief --all").ok();
    world.ken("brief --all --tokens 5").fails_with(2);
    world.ken("brief --tokens many").fails_with(2);
}

#[test]
fn doo_8_without_deliveries_stats_says_what_would_record_them() {
    let world = World::with_store();
    let out = world.ken("stats").ok().out;
    assert!(out.contains("Nothing was delivered by hooks") && out.contains("`ken setup HOST`"), "{out}");
    // `0 never delivered` stood below it.
    assert!(out.contains("0 entries are in use\n") && !out.contains("never"), "{out}");
    assert_eq!(stats(&world, "")["total"], Value::Null);
    let refused = world.ken("stats --period soon").fails_with(2);
    assert!(refused.err.contains("write 24h, 7d, 4w or all"), "{}", refused.err);
}

#[test]
fn doo_8_deliveries_are_counted_by_door_host_and_hook() {
    let world = World::with_store();
    let now = 1_767_323_045_000_i64;
    let line = |days: i64, host: &str, what: &str, how: &str, tokens: u64, millis: u64| {
        let at = now - days * 86_400_000;
        json!({"at": at, "door": "hook", "host": host, "what": what, "how": how, "tokens": tokens, "millis": millis})
            .to_string()
    };
    let lines = [
        line(40, "codex", "prompt", "hit", 1000, 900),
        line(3, "codex", "prompt", "hit", 100, 10),
        line(2, "codex", "prompt", "empty", 0, 20),
        line(1, "codex", "prompt", "late", 0, 50),
        line(1, "codex", "start", "hit", 400, 30),
        "not JSON at all".to_owned(),
        line(0, "cursor", "prompt", "skipped", 0, 0),
    ];
    let home = world.path().join(".git/kenning");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("deliveries.jsonl"), lines.join("\n")).unwrap();
    let answer = stats(&world, "");
    assert_eq!(
        answer["total"],
        json!({"calls": 5, "hits": 2, "empties": 1, "done": 0, "errors": 0, "late": 1, "skipped": 1, "tokens": 500, "entries": 0,
               "median_ms": 20, "p95_ms": 50})
    );
    let named: Vec<String> = answer["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|calls| format!("{} {} {} {}", calls["door"], calls["host"], calls["what"], calls["calls"]))
        .collect();
    assert_eq!(
        named,
        [r#""hook" "codex" "prompt" 3"#, r#""hook" "codex" "start" 1"#, r#""hook" "cursor" "prompt" 1"#]
    );
    assert_eq!(stats(&world, "--period all")["total"]["tokens"], 1500);
    let out = world.ken("stats").ok().out;
    assert!(
        out.contains("hook codex prompt: 3 calls, 1 hit, 1 empty, 1 too late, 100 tokens, median 20 ms"),
        "{out}"
    );
}

#[test]
fn doo_8_questions_without_an_answer_are_quoted() {
    let world = World::with_store();
    world.ken_args(&["search", "how are zebras painted"]).ok();
    let questions = &stats(&world, "")["questions"];
    assert_eq!(questions["unanswered"], 1);
    assert_eq!(questions["latest"], json!(["how are zebras painted"]));
    world.ken("commit --no-commit").ok();
    assert_eq!(stats(&world, "")["questions"]["unanswered"], 1);
    world.ken("rebuild").ok();
    assert_eq!(stats(&world, "")["questions"]["unanswered"], 1);
    assert_eq!(world.ken("stats --outcomes --json").ok().json()["totals"]["runs"], 0, "a question is no run");
}
