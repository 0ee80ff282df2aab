//! Where there is no store: nothing is known, there is a way to begin, and the global store answers if there is one.

use serde_json::json;

use super::client::{Client, NEWEST, USUAL};
use crate::world::World;

const LESSON: &str = "Retry network calls with jitter, or all clients come back at once.";

fn lesson() -> serde_json::Value {
    json!({"statement": LESSON, "evidence": "pr:1", "anchors": "src/net.rs", "verify": "look"})
}

#[test]
fn nothing_is_known_and_a_store_can_be_made_in_the_same_conversation() {
    for revision in [USUAL, NEWEST] {
        let world = World::repository();
        let mut client = Client::start(&world, &[], revision);
        let empty = client.call("recall", json!({"query": "retry"})).ok();
        assert_eq!((&empty.value["status"], &empty.value["results"]), (&json!("empty"), &json!([])));
        assert!(empty.text.contains("`init`"), "{}", empty.text);
        let found = client.call("search", json!({"query": "retry"})).ok();
        assert_eq!(found.value["results"], json!([]));
        for (tool, arguments) in [
            ("remember", lesson()),
            ("finish", json!({"outcome": "success"})),
            ("check", json!({})),
            ("queue", json!({})),
            ("fetch", json!({"id": "L-123456"})),
            ("list", json!({})),
        ] {
            let error = client.call(tool, arguments).error();
            assert_eq!(error["code"], "no_store", "{tool}: {error}");
            let hint = error["hint"].as_str().unwrap_or_default();
            assert!(hint.contains("init"), "{tool}: {error}");
        }
        assert!(!world.path().join(".kenning").exists(), "asking makes no store");
        assert!(!world.path().join(".git/kenning").exists(), "asking makes no store");

        assert_eq!(client.call("init", json!({})).ok().value["changed"], true);
        assert_eq!(client.call("init", json!({})).ok().value["changed"], false);
        assert_eq!(client.call("remember", lesson()).ok().value["outcome"], "added");
        let found = client.call("recall", json!({"query": "retry jitter"})).ok();
        assert_eq!(found.value["results"][0]["title"], LESSON);
        world.ken("verify").ok();
    }
}

#[test]
fn the_global_store_is_read_where_there_is_none_and_never_written() {
    let world = World::repository();
    world.ken("init --global").ok();
    let args = ["add", "lesson", LESSON, "--evidence", "pr:1", "--draft", "--scope", "global", "--global"];
    world.ken_args(&args).ok();
    let mut client = Client::start(&world, &[], NEWEST);
    let found = client.call("recall", json!({"query": "retry jitter"})).ok();
    assert_eq!(found.value["results"][0]["title"], LESSON, "{found:?}");
    assert!(found.text.starts_with("(there is no store in this project"), "{}", found.text);
    assert_eq!(client.call("remember", lesson()).error()["code"], "no_store");
    // As soon as there is one here, it answers.
    client.call("init", json!({})).ok();
    let found = client.call("recall", json!({"query": "retry jitter"})).ok();
    assert!(!found.text.starts_with("(there is no store"), "{}", found.text);
    client.call("remember", lesson()).ok();
}

// Without git there is no journal elsewhere that would remember it (STO-12).
#[test]
fn a_store_that_goes_away_is_gone() {
    let world = World::bare();
    world.ken("init").ok();
    let mut client = Client::start(&world, &[], NEWEST);
    client.call("remember", json!({"statement": LESSON, "draft": true})).ok();
    std::fs::rename(world.path().join(".kenning"), world.path().join("elsewhere")).unwrap();
    let empty = client.call("recall", json!({"query": "retry"})).ok();
    assert_eq!(empty.value["status"], "empty");
    std::fs::rename(world.path().join("elsewhere"), world.path().join(".kenning")).unwrap();
    let found = client.call("recall", json!({"query": "retry jitter"})).ok();
    assert_eq!(found.value["results"][0]["title"], LESSON);
}
