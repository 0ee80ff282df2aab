//! What is offered: how much of it there is, that it is complete, and that no store is needed to tell.

use std::collections::BTreeMap;
use std::path::Path;

use expect_test::expect_file;
use serde_json::{Value, json};

use super::client::{Client, NEWEST, Site, Speech, USUAL, ken};
use crate::transcript::skip;
use crate::world::World;

/// What an agent pays for the list, at most: tokens of its JSON, and bytes of the result on the wire.
const LIST_TOKENS_MAX: usize = 2_500;
const LIST_BYTES_MAX: usize = 8_000;
/// Hosts cut what is longer.
const INSTRUCTIONS_BYTES_MAX: usize = 2_048;

const PROFILES: [&str; 3] = ["default", "full", "connectors"];

fn printed(world: &World, profile: &str) -> String {
    let output = ken(world, &["mcp", "--profile", profile, "--tools"]).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn tools(world: &World, profile: &str) -> Vec<Value> {
    let printed: Value = serde_json::from_str(&printed(world, profile)).unwrap();
    printed["tools"].as_array().unwrap().clone()
}

// COR-17: at most eight tools and 2,500 tokens.
#[test]
fn the_list_of_every_day_is_short() {
    let world = World::repository();
    let text = printed(&world, "default");
    expect_file!["../tools.json"].assert_eq(&text);
    let names: Vec<Value> = tools(&world, "default").iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(
        json!(names),
        json!(["recall", "show_entry", "brief", "remember", "correct_entry", "finish", "check", "queue"])
    );
    for revision in [USUAL, NEWEST] {
        let mut client = Client::start(&world, &[], revision);
        let list = client.request("tools/list", json!({}))["result"].clone();
        let result = list.to_string();
        assert!(
            result.len() <= LIST_BYTES_MAX,
            "tools/list is {} bytes in {revision}; at most {LIST_BYTES_MAX} are allowed. Shorten descriptions",
            result.len()
        );
        let Some(model) = ken_embed::Model::bundled() else {
            return skip("no model is part of this build, so no tokenizer is at hand");
        };
        let tokens = model.token_count(&list["tools"].to_string());
        assert!(
            tokens <= LIST_TOKENS_MAX,
            "the tools are {tokens} tokens by WordPiece, the tokenizer of the BERT family (bert-base-uncased); \
             at most {LIST_TOKENS_MAX} are allowed. Shorten descriptions"
        );
        println!("tools/list in {revision}: {} bytes, {tokens} WordPiece tokens", result.len());
    }
}

// What is said to read only starts no program, whatever is asked for.
#[test]
fn the_gate_of_another_door_runs_nothing() {
    let world = World::with_store();
    let gate = tools(&world, "full").into_iter().find(|tool| tool["name"] == "gate").unwrap();
    assert_eq!(gate["annotations"]["readOnlyHint"], true);
    assert!(gate["inputSchema"]["properties"].get("run").is_none(), "{gate:#}");
    let mut client = Client::start(&world, &["--profile", "full"], USUAL);
    let asked = json!({"name": "gate", "arguments": {"run": true}});
    let refused = client.request("tools/call", asked)["result"].to_string();
    assert!(refused.contains("gate has no field `run`"), "{refused}");
    let asked = json!({"name": "init", "arguments": {"with_norms": true}});
    let refused = client.request("tools/call", asked)["result"].to_string();
    assert!(refused.contains("hint: it takes no arguments"), "{refused}");
}

// DOO-3: all four annotations; an output schema beside each answer; the same order every time.
#[test]
fn every_tool_of_every_profile_is_complete() {
    let world = World::repository();
    for profile in PROFILES {
        let listed = tools(&world, profile);
        let mut seen = Vec::new();
        for tool in &listed {
            let name = tool["name"].as_str().unwrap();
            let is_plain = name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-'));
            assert!(is_plain && (1..=64).contains(&name.len()), "{name}");
            assert!(!seen.contains(&name), "{name} is listed twice");
            seen.push(name);
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(tool["annotations"][hint].is_boolean(), "{name} has no {hint}");
            }
            let hints = &tool["annotations"];
            assert!(!(hints["readOnlyHint"] == true && hints["destructiveHint"] == true), "{name}");
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(tool[schema]["type"], "object", "{name} {schema}");
            }
            let about = tool["description"].as_str().unwrap_or_default();
            assert!(!about.is_empty() && about.len() <= 2_048, "{name}: {about:?}");
        }
        let mut client = Client::start(&world, &["--profile", profile], NEWEST);
        for _ in 0..2 {
            let sent = client.request("tools/list", json!({}));
            assert_eq!(sent["result"]["tools"], json!(listed), "{profile}: the wire and --tools differ");
        }
    }
    let connectors = tools(&world, "connectors");
    let names: Vec<&Value> = connectors.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(json!(names), json!(["search", "fetch"]));
    let refused = ken(&world, &["mcp", "--profile", "ful", "--tools"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("full"));
}

#[test]
fn instructions_fit_where_hosts_cut_them() {
    let world = World::repository();
    for revision in [USUAL, NEWEST] {
        let mut client = Client::silent(&world, &[], revision);
        let greeted = client.greet();
        let said = greeted["result"]["instructions"].as_str().unwrap();
        assert!(said.len() <= INSTRUCTIONS_BYTES_MAX, "{} bytes", said.len());
        for tool in ["brief", "recall", "remember", "finish"] {
            assert!(said.contains(&format!("`{tool}`")), "the instructions do not speak of {tool}");
        }
    }
}

/// Every file and folder below some place, with its bytes and when it was last written.
type Seen = BTreeMap<String, (Option<Vec<u8>>, std::time::SystemTime)>;

fn seen(at: &Path, found: &mut Seen) {
    let Ok(meta) = std::fs::symlink_metadata(at) else { return };
    let bytes = if meta.is_file() { std::fs::read(at).ok() } else { None };
    found.insert(at.display().to_string(), (bytes, meta.modified().unwrap()));
    for entry in std::fs::read_dir(at).into_iter().flatten() {
        seen(&entry.unwrap().path(), found);
    }
}

fn around(world: &World) -> Seen {
    let mut found = Seen::new();
    seen(&world.path(), &mut found);
    seen(&world.path().parent().unwrap().join("home"), &mut found);
    found
}

/// Everything that hosts ask before a person said a word.
fn look_around(mut ask: impl FnMut(&str) -> Value) {
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        let answer = ask(method);
        assert!(answer["result"].is_object(), "{method}: {answer}");
    }
}

// DOO-3: discovery and lists before the store is opened, so they work where it could not be.
#[test]
fn discovery_and_lists_open_no_store() {
    let future = World::with_store();
    future.write(".kenning/VERSION", "9999\n");
    let broken = World::with_store();
    let _ = std::fs::remove_dir_all(broken.path().join(".git/kenning"));
    std::fs::write(broken.path().join(".git/kenning"), "no folder").unwrap();
    for world in [World::repository(), World::bare(), future, broken] {
        let before = around(&world);
        for revision in ["2025-03-26", USUAL, "2025-11-25", NEWEST] {
            let mut client = Client::silent(&world, &[], revision);
            let greeted = client.greet();
            assert!(greeted["result"]["capabilities"]["tools"].is_object(), "{greeted}");
            look_around(|method| client.request(method, json!({})));
            assert_eq!(client.end(), Some(0));
        }
        let site = Site::start(&world, &[]);
        let mut speech = Speech::new(NEWEST);
        assert!(site.ask(&mut speech, "server/discover", json!({}))["result"].is_object());
        look_around(|method| site.ask(&mut speech, method, json!({})));
        drop(site);
        assert!(around(&world) == before, "something was written");
    }
}

#[test]
fn a_store_of_the_future_is_an_error_of_the_tool_and_the_server_goes_on() {
    let world = World::with_store();
    world.write(".kenning/VERSION", "9999\n");
    let mut client = Client::start(&world, &[], NEWEST);
    let error = client.call("recall", json!({"query": "retry"})).error();
    assert_eq!(error["code"], "version", "{error}");
    world.git("checkout -q .kenning/VERSION");
    client.call("recall", json!({"query": "retry"})).ok();
}
