//! Workspaces in PostgreSQL through the real binary: two nodes at once, what a member of another workspace sees, and what is written down.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

#[allow(dead_code, reason = "what other tests need is in these files, too")]
mod mcp {
    pub mod client;
}
#[allow(dead_code, reason = "what other tests need is in these files, too")]
mod pty;
#[allow(dead_code, reason = "what other tests need is in these files, too")]
mod rest {
    pub mod client;
}
#[allow(dead_code, reason = "what other tests need is in these files, too")]
mod transcript;
#[allow(dead_code, reason = "what other tests need is in these files, too")]
mod world;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Mutex;

use ken_testkit::PostgresServer;
use serde_json::{Value, json};

use crate::mcp::client::Reply;
use crate::rest::client::{self, Api, encoded};
use crate::world::World;

/// A repository with a store, and a database with a workspace `team` that has what is in it. None, and said aloud, where there is no server.
fn team() -> Option<(PostgresServer, World)> {
    let server = PostgresServer::start()?;
    let mut world = World::with_store();
    let lesson =
        ["add", "lesson", "Retry network calls with jitter.", "--id", "retry-jitter", "--evidence", "pr:1"];
    let more = ["--anchor", "src/net.rs#retry", "--verify", "grep -n jitter src/net.rs"];
    world.ken_args(&[&lesson[..], &more].concat()).ok();
    world.ken("search network --run r1").ok();
    world.env.push(("KEN_POSTGRES_URL".to_owned(), server.address()));
    world.ken("admin migrate").ok();
    world.ken("admin workspace create team --from .").ok();
    world.env.push(("KEN_WORKSPACE".to_owned(), "team".to_owned()));
    Some((server, world))
}

fn added(node: &Api, id: &str, statement: &str) -> Reply {
    let lesson = json!({
        "type": "lesson", "id": id, "statement": statement, "evidence": ["pr:2"], "anchor": ["src/net.rs"], "verify": ["look"],
    });
    node.ask("POST", "/entries", Some(lesson))
}

fn ids(node: &Api) -> BTreeSet<String> {
    let items = node.ask("GET", "/entries?all=true", None).json()["items"].clone();
    items.as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

/// What a tool answers, without a conversation around it.
fn tool(node: &Api, name: &str, arguments: Value) -> Reply {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": meta}});
    let bearer = format!("Bearer {}", node.token);
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", name),
    ];
    node.send("POST", "/mcp", &headers, &body.to_string())
}

/// The lines of the ledger files of a store.
fn lines(store: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(store).unwrap() {
        let path = entry.unwrap().path();
        let is_private = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() && !is_private {
            found.extend(lines(&path));
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.extend(std::fs::read_to_string(&path).unwrap().lines().map(str::to_owned));
        }
    }
    found
}

#[test]
fn two_nodes_serve_one_workspace_and_either_can_go() {
    let Some((_server, world)) = team() else { return };
    let token = client::token(&world, "tester", "writer");
    let nodes = [Api::serve(&world, &token, &["--postgres"]), Api::serve(&world, &token, &["--postgres"])];
    assert_eq!(added(&nodes[0], "one", "Compare session tokens in constant time.").status, 200);
    // What one node acknowledged, the other one has in its next answer.
    assert_eq!(nodes[1].ask("GET", "/entries/one", None).status, 200);
    assert_eq!(added(&nodes[1], "two", "Rotate logs on the host, never in the service.").status, 200);
    let recalled = tool(&nodes[0], "recall", json!({"query": "rotate logs"}));
    assert!(recalled.body.contains("Rotate logs"), "{}", recalled.body);
    let remembered = tool(
        &nodes[1],
        "remember",
        json!({"type": "lesson", "statement": "Limits of the cache are even.", "evidence": ["pr:3"], "anchors": ["src/net.rs"], "verification": ["look"]}),
    );
    assert_eq!(remembered.status, 200, "{}", remembered.body);
    assert_eq!(ids(&nodes[0]), ids(&nodes[1]));
    assert_eq!(ids(&nodes[0]).len(), 4);
    let [first, second] = nodes;
    drop(first);
    assert_eq!(added(&second, "three", "A killed node loses nothing that it acknowledged.").status, 200);
    // A new one warms up by itself.
    let third = Api::serve(&world, &token, &["--postgres"]);
    assert_eq!(ids(&third), ids(&second));
    assert_eq!(ids(&third).len(), 5);
}

/// What a note is called that a node acknowledged; none where the node was gone.
fn noted(address: &str, token: &str, text: &str) -> Option<String> {
    let body = json!({ "text": [text] }).to_string();
    let head = format!(
        "POST /api/v1/note HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all((head + &body).as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let body: Value = serde_json::from_str(body).ok()?;
    head.starts_with("HTTP/1.1 200").then(|| body["id"].as_str().unwrap().to_owned())
}

#[test]
fn a_node_that_is_killed_while_others_write_takes_nothing_with_it_that_it_acknowledged() {
    let Some((_server, world)) = team() else { return };
    let token = client::token(&world, "tester", "writer");
    let nodes = [Api::serve(&world, &token, &["--postgres"]), Api::serve(&world, &token, &["--postgres"])];
    let acknowledged = Mutex::new(BTreeSet::new());
    let victim = nodes[0].process().to_string();
    std::thread::scope(|scope| {
        for node in &nodes {
            for writer in 0..3 {
                let (acknowledged, token, victim) = (&acknowledged, &token, &victim);
                scope.spawn(move || {
                    for turn in 0..15 {
                        let text = format!("{} {writer} {turn}", node.address);
                        let Some(id) = noted(&node.address, token, &text) else { continue };
                        let count = {
                            let mut acknowledged = acknowledged.lock().unwrap();
                            acknowledged.insert(id);
                            acknowledged.len()
                        };
                        if count == 30 {
                            let _ = std::process::Command::new("kill").args(["-9", victim]).status();
                        }
                    }
                });
            }
        }
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    // The other node wrote all of its own, and the killed one did not.
    assert!((45..90).contains(&acknowledged.len()), "{}", acknowledged.len());
    let known: BTreeSet<String> =
        world.ken("list --all --type signal --limit 1000 --json").ok().json()["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["id"].as_str().unwrap().to_owned())
            .collect();
    let lost: Vec<&String> = acknowledged.difference(&known).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn an_export_gives_the_lines_back_byte_for_byte() {
    let Some((_server, mut world)) = team() else { return };
    world.env.retain(|(name, _)| name != "KEN_WORKSPACE");
    world.ken("commit -m store").ok();
    let before = lines(&world.path().join(".kenning"));
    world.env.push(("KEN_WORKSPACE".to_owned(), "again".to_owned()));
    world.ken("admin workspace create again --from .").ok();
    assert!(world.ken("export store out --dry-run").ok().out.contains("would be written"));
    assert!(!world.path().join("out").exists());
    world.ken("export store out").ok();
    assert_eq!(lines(&world.path().join("out/.kenning")), before);
    // Twice is once, and what the workspace got since follows.
    world.ken_args(&["note", "The build was red for an hour."]).ok();
    assert!(world.ken("export store out").ok().out.starts_with("1 line"));
    assert!(world.ken("export store out").ok().out.starts_with("0 lines"));
    // A store of something else is left alone.
    world.env.retain(|(name, _)| name != "KEN_WORKSPACE");
    world.env.push(("KEN_WORKSPACE".to_owned(), "team".to_owned()));
    let refused = world.ken("export store out").fails_with(4);
    assert!(refused.err.contains("lines that this one lacks"), "{}", refused.err);
    // Nor is a workspace that somebody wrote to filled from a store.
    world.ken_args(&["note", "Somebody wrote here."]).ok();
    let refused = world.ken("admin workspace create team --from .").fails_with(4);
    assert!(refused.err.contains("somebody has written to it"), "{}", refused.err);
}

#[test]
fn a_member_of_another_workspace_sees_nothing() {
    let Some((_server, mut world)) = team() else { return };
    let ours = client::token(&world, "tester", "admin");
    let node = Api::serve(&world, &ours, &["--postgres"]);
    world.ken("admin workspace create other").ok();
    world.env.push(("KEN_WORKSPACE".to_owned(), "other".to_owned()));
    let theirs = client::token(&world, "tester", "admin");
    // With their token, every route of our node is closed in the same words, and so is MCP.
    let bearer = format!("Bearer {theirs}");
    let mut told = BTreeSet::new();
    let paths = node.document()["paths"].as_object().unwrap().clone();
    for (path, methods) in &paths {
        for method in methods.as_object().unwrap().keys() {
            let path = path.replace("{id}", "retry-jitter").replace(['{', '}'], "");
            let reply = node.send(&method.to_uppercase(), &path, &[("Authorization", &bearer)], "");
            assert!(matches!(reply.status, 401 | 429), "{method} {path}: {}", reply.body);
            told.insert(reply.status);
        }
    }
    assert!(told.contains(&401));
    drop(node);
    // At their own node what is ours is as unknown as what nobody has.
    let node = Api::serve(&world, &theirs, &["--postgres", "--workspace", "other"]);
    assert!(ids(&node).is_empty());
    let answers = ["retry-jitter", "nobody-has-it"].map(|id| {
        let reply = node.ask("GET", &format!("/entries/{}", encoded(id)), None);
        (reply.status, reply.body.replace(id, "ID"))
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0].0, 404);
    assert!(!tool(&node, "recall", json!({"query": "retry network jitter"})).body.contains("Retry network"));
    // Nor does a workspace that nobody created say which ones there are.
    world.env.push(("KEN_WORKSPACE".to_owned(), "nobodys".to_owned()));
    let refused = world.ken("list").fails_with(3);
    assert!(!refused.err.contains("team") && !refused.err.contains("other"), "{}", refused.err);
}

#[test]
fn writes_and_denied_calls_are_written_down_and_requests_counted() {
    let Some((_server, world)) = team() else { return };
    let (reader, writer) =
        (client::token(&world, "looks", "reader"), client::token(&world, "writes", "writer"));
    let mut node = Api::serve(&world, &writer, &["--postgres"]);
    assert_eq!(added(&node, "one", "Compare session tokens in constant time.").status, 200);
    tool(
        &node,
        "remember",
        json!({"type": "lesson", "statement": "Limits of the cache are even.", "evidence": ["pr:3"], "anchors": ["src/net.rs"], "verification": ["look"]}),
    );
    assert_eq!(node.ask("GET", "/entries/one", None).status, 200);
    node.token = reader;
    assert_eq!(added(&node, "two", "Not allowed.").status, 403);
    node.token = "ken_wrong".to_owned();
    assert_eq!(node.ask("GET", "/entries", None).status, 401);
    let told = world.ken("admin audit team --json").ok().out;
    let told: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let short: Vec<String> = told
        .iter()
        .map(|record| {
            let text = |field: &str| record[field].as_str().unwrap_or("-").to_owned();
            assert!(record["address"] == "127.0.0.1" || record["door"] == "cli", "{record}");
            ["who", "token", "door", "verb", "outcome"].map(text).join(" ")
        })
        .collect();
    let wanted = [
        "human:Ada - cli token add done",
        "human:Ada - cli token add done",
        "agent:writes writes api add done",
        "agent:writes writes mcp remember done",
        "agent:looks looks api add forbidden",
        "- - api sign in unauthorized",
    ];
    assert_eq!(short, wanted);
    assert!(told[2]["entry"].is_string(), "{}", told[2]);
    let last = told[4]["number"].to_string();
    assert_eq!(world.ken(&format!("admin audit team --json --cursor {last}")).ok().out.lines().count(), 1);
    assert!(world.ken("admin audit team").ok().out.contains("agent:writes  api  add  one"));
    world.ken("admin audit nobodys").fails_with(3);
    // Health needs no token, and what was counted does.
    for path in ["/healthz", "/readyz"] {
        let reply = node.send("GET", path, &[], "");
        assert_eq!((reply.status, reply.body.as_str()), (200, "ok\n"), "{path}");
    }
    assert_eq!(node.send("GET", "/metrics", &[], "").status, 401);
    let metrics = node.send("GET", "/metrics", &[("Authorization", &format!("Bearer {writer}"))], "").body;
    assert!(metrics.contains("ken_request_seconds_count{door=\"api\",status=\"403\"} 1"), "{metrics}");
    assert!(metrics.contains("\nken_log_position ") && metrics.contains("\nken_node_position "), "{metrics}");
}

#[test]
fn a_node_says_when_the_database_is_gone_and_goes_on_when_it_is_back() {
    let Some((server, world)) = team() else { return };
    let token = client::token(&world, "tester", "writer");
    let node = Api::serve(&world, &token, &["--postgres"]);
    assert_eq!(node.send("GET", "/readyz", &[], "").status, 200);
    server.kill();
    let reply = node.send("GET", "/readyz", &[], "");
    assert!(reply.status == 503 && reply.body.contains("does not answer"), "{}", reply.body);
    assert_eq!(node.send("GET", "/healthz", &[], "").status, 200);
    server.start_again();
    // Connections that broke meanwhile are nobody's trouble.
    assert_eq!(added(&node, "one", "A restarted database is the same database.").status, 200);
    assert_eq!(node.send("GET", "/readyz", &[], "").status, 200);
}

#[test]
fn what_is_wrong_about_an_address_is_told_without_its_password() {
    let world = World::repository();
    for typed in ["postgres://ken:hunter2@127.0.0.1:1/ken", "host=127.0.0.1 user=ken password=hunter2"] {
        for words in [["admin", "migrate", "--postgres", typed], ["serve", "--postgres", typed, "--mcp"]] {
            let refused = world.ken_args(&words).fails_with(4);
            assert!(
                refused.err.contains("command line") && !refused.err.contains("hunter2"),
                "{}",
                refused.err
            );
        }
    }
    let refused = world.ken("admin migrate").fails_with(2);
    assert!(refused.err.contains("KEN_POSTGRES_URL"), "{}", refused.err);
    let refused = world.ken("admin migrate --postgres postgres://ken@127.0.0.1:1/ken").fails_with(6);
    assert!(refused.err.contains("127.0.0.1") || refused.err.contains("refused"), "{}", refused.err);
}
