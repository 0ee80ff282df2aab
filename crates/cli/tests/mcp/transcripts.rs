//! One conversation, recorded in the words of every revision that is spoken (DOO-3). `UPDATE_EXPECT=1` records anew.

use expect_test::{ExpectFile, expect_file};
use serde_json::{Value, json};

use super::client::{Client, NEWEST};
use crate::world::World;

/// The conversation: greeting, lists, a way in and out, and everything that can be asked wrongly.
fn conversation(revision: &str) -> String {
    let world = World::with_store();
    let mut client = Client::silent(&world, &[], revision);
    client.greet();
    if revision < NEWEST {
        client.request("ping", json!({}));
    }
    client.request("tools/list", json!({}));
    let lesson = json!({
        "statement": "Retry network calls with jitter, or all clients come back at once.",
        "evidence": ["pr:1"],
        "anchors": ["src/net.rs#retry"],
        "verify": ["look for jitter"],
    });
    let added = client.call("remember", lesson).ok();
    client.call("recall", json!({"query": "retry jitter"})).ok();
    client.call("recall", json!({"query": "retry", "limt": 1})).error();
    client.call("remember", json!({"statement": "Nothing speaks for this."})).error();
    client.request("tools/call", json!({"name": "recal", "arguments": {}}));
    client.request("resources/list", json!({}));
    client.request("resources/templates/list", json!({}));
    let uri = format!("ken://entry/{}", added.value["id"].as_str().unwrap());
    client.request("resources/read", json!({"uri": uri}));
    client.request("resources/read", json!({"uri": "ken://nothing"}));
    client.request("prompts/list", json!({}));
    client.request("prompts/get", json!({"name": "recall-first", "arguments": {"task": "retry"}}));
    client.request("prompts/get", json!({"name": "recall-last"}));
    client.request("tools/forget", json!({}));
    let said: Vec<String> =
        client.said.iter().map(|(who, message)| format!("{}\n", json!({*who: plain(message)}))).collect();
    assert_eq!(client.end(), Some(0));
    said.concat()
}

/// A message without what differs between machines and releases. Tools are named: `tools.json` has them whole.
fn plain(message: &Value) -> Value {
    let mut message = message.clone();
    blank(&mut message);
    if let Some(Value::Array(tools)) = message.pointer_mut("/result/tools") {
        tools.iter_mut().for_each(|tool| *tool = tool["name"].take());
    }
    message
}

fn blank(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (name, value) in object.iter_mut() {
                match name.as_str() {
                    "version" | "digest" => *value = json!("-"),
                    // Vectors differ in their last digits from one processor to another.
                    "score" | "similarity" => *value = json!(0),
                    _ => blank(value),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(blank),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check(revision: &str, recorded: &ExpectFile) {
    recorded.assert_eq(&conversation(revision));
}

#[test]
fn revision_2024_11_05() {
    check("2024-11-05", &expect_file!["../transcripts/2024-11-05.jsonl"]);
}

#[test]
fn revision_2025_03_26() {
    check("2025-03-26", &expect_file!["../transcripts/2025-03-26.jsonl"]);
}

#[test]
fn revision_2025_06_18() {
    check("2025-06-18", &expect_file!["../transcripts/2025-06-18.jsonl"]);
}

#[test]
fn revision_2025_11_25() {
    check("2025-11-25", &expect_file!["../transcripts/2025-11-25.jsonl"]);
}

#[test]
fn revision_2026_07_28() {
    check("2026-07-28", &expect_file!["../transcripts/2026-07-28.jsonl"]);
}

#[test]
fn a_revision_of_the_future_is_answered_with_one_that_is_known() {
    let world = World::with_store();
    let mut client = Client::silent(&world, &[], "2025-12-31");
    let greeted = client.greet();
    assert_eq!(greeted["result"]["protocolVersion"], "2025-11-25", "{greeted}");
    client.request("tools/list", json!({}));

    // Without a handshake the revision is refused, and those that are known are named.
    let mut client = Client::silent(&world, &[], "2031-01-01");
    let refused = client.greet();
    let supported = refused["error"]["data"]["supported"].as_array().unwrap_or_else(|| panic!("{refused}"));
    assert!(supported.contains(&json!(NEWEST)), "{refused}");
}
