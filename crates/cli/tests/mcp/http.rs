//! The door over HTTP: who may ask, told by status codes before anything is done.

use std::io::Write;
use std::process::Stdio;

use serde_json::json;

use super::client::{NEWEST, Reply, Site, Speech, TOKEN, USUAL, ken, read_reply};
use crate::world::World;

/// A token in a file, which counts before the one of the environment.
const IN_A_FILE: &str = "another-token-of-sixteen-letters";

fn with_file(world: &World) -> Site {
    let file = world.path().parent().unwrap().join("token");
    std::fs::write(&file, format!("{IN_A_FILE}\nwhat follows is no token\n")).unwrap();
    let mut site = Site::start(world, &["--token-file", &file.display().to_string()]);
    site.token = None;
    site
}

type Headers<'a> = &'a [(&'a str, &'a str)];

fn discover(site: &Site, headers: Headers<'_>) -> Reply {
    let request = Speech::new(NEWEST).request("server/discover", json!({})).to_string();
    let mut all = vec![("MCP-Protocol-Version", NEWEST), ("Mcp-Method", "server/discover")];
    all.extend_from_slice(headers);
    site.post(&all, &request)
}

#[test]
fn who_may_not_ask_is_told_by_a_status_code() {
    let world = World::with_store();
    let (open, closed) = (Site::start(&world, &[]), with_file(&world));
    let bearer = format!("Bearer {IN_A_FILE}");
    let wrong = format!("Bearer {IN_A_FILE}x");
    let environment = format!("Bearer {TOKEN}");
    let table: &[(&Site, Headers<'_>, u16)] = &[
        (&open, &[], 200),
        (&open, &[("Host", "evil.example")], 403),
        (&open, &[("Host", "localhost.evil.example")], 403),
        (&open, &[("Host", "")], 403),
        (&open, &[("Origin", "https://evil.example")], 403),
        (&open, &[("Origin", "null")], 403),
        (&open, &[("Origin", "http://localhost:3000")], 403),
        (&open, &[("Authorization", "Bearer whatever")], 401),
        (&closed, &[], 401),
        (&closed, &[("Authorization", &wrong)], 401),
        (&closed, &[("Authorization", IN_A_FILE)], 401),
        (&closed, &[("Authorization", &environment)], 401),
        // A session of the browser is for its pages.
        (&closed, &[("Cookie", "ken_session_4100=0000")], 401),
        (&closed, &[("Authorization", &bearer), ("Host", "evil.example")], 403),
        (&closed, &[("Authorization", &bearer)], 200),
    ];
    for (site, headers, wanted) in table {
        let reply = discover(site, headers);
        assert_eq!(reply.status, *wanted, "{headers:?}: {reply:?}");
        if *wanted == 401 {
            assert_eq!(reply.header("WWW-Authenticate").as_deref(), Some("Bearer"));
        }
        if *wanted != 200 {
            assert!(!reply.body.contains(IN_A_FILE) && reply.body.len() > 10, "{reply:?}");
        }
    }
    let get = |path: &str| {
        let mut stream = open.connect();
        let host = &open.address;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        read_reply(stream).status
    };
    assert_eq!(get("/"), 404);
    assert_eq!(get("/mcp/more"), 404);
}

// Auth before any work: the answer is there while the body is not.
#[test]
fn a_huge_body_with_a_bad_token_is_refused_unread() {
    let world = World::with_store();
    let site = with_file(&world);
    let mut stream = site.connect();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer no\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{{",
        site.address,
        1_u64 << 40
    )
    .unwrap();
    assert_eq!(read_reply(stream).status, 401);
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let world = World::with_store();
    let site = Site::start(&world, &[]);
    let body = format!("{{\"jsonrpc\":\"2.0\",\"x\":\"{}\"}}", "x".repeat(4 << 20));
    assert_eq!(site.post(&[], &body).status, 413);
    // What just fits is read.
    let mut speech = Speech::new(NEWEST);
    let params = json!({"name": "recall", "arguments": {"query": "x ".repeat(1 << 20)}});
    let answer = site.ask(&mut speech, "tools/call", params);
    assert!(answer["result"].is_object(), "{answer}");
}

#[test]
fn without_a_token_no_server_begins_that_nobody_could_use() {
    let world = World::with_store();
    let refused = |args: &[&str], token: Option<&str>| {
        let mut command = ken(&world, &[&["serve", "--mcp", "--json"], args].concat());
        if let Some(token) = token {
            command.env("KEN_TOKEN", token);
        }
        let output = command.stdin(Stdio::null()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, notes) = refused(&["--listen", "0.0.0.0:0"], None);
    assert_eq!(code, Some(4), "{notes}");
    assert!(notes.contains("--token-file") && notes.contains("KEN_TOKEN"), "{notes}");
    // Not even for the programs of this machine: any of its users could write.
    let (code, notes) = refused(&["--listen", "127.0.0.1:0"], None);
    assert_eq!(code, Some(4), "{notes}");
    assert!(notes.contains("ken token add NAME --role writer") && notes.contains("`ken mcp`"), "{notes}");
    let (code, notes) = refused(&["--listen", "0.0.0.0:0"], Some("short"));
    assert_eq!(code, Some(2), "{notes}");
    assert!(!notes.contains("\"short\""), "{notes}");
    let (code, notes) = refused(&["--listen", "127.0.0.1:0", "--token-file", "nowhere"], None);
    assert_eq!(code, Some(6), "{notes}");
    let (code, _) = refused(&["--listen", "127.0.0.1"], None);
    assert_eq!(code, Some(2));
}

#[test]
fn an_older_client_has_a_session_and_the_newest_needs_none() {
    let world = World::with_store();
    let mut site = with_file(&world);
    site.token = Some(IN_A_FILE.to_owned());
    let lesson = json!({
        "statement": "Retry network calls with jitter, or all clients come back at once.",
        "evidence": "pr:1", "anchors": "src/net.rs", "verify": "look",
    });
    site.call("remember", lesson).ok();

    let mut speech = Speech::new(USUAL);
    let greeted = site.post(&[], &speech.greeting().to_string());
    assert_eq!(greeted.json()["result"]["protocolVersion"], USUAL, "{greeted:?}");
    let session = greeted.header("Mcp-Session-Id").unwrap_or_else(|| panic!("{greeted:?}"));
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", USUAL)];
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(site.post(&headers, &told).status, 202);
    let params = json!({"name": "recall", "arguments": {"query": "retry jitter"}});
    let asked = speech.request("tools/call", params).to_string();
    let found = site.post(&headers, &asked).json();
    let title = &found["result"]["structuredContent"]["results"][0]["title"];
    assert!(title.as_str().is_some_and(|title| title.starts_with("Retry")), "{found}");
    // A session that nobody began, and none at all.
    assert_eq!(site.post(&[("Mcp-Session-Id", "made-up"), headers[1]], &asked).status, 404);
    let without = site.post(&headers[1..], &asked).status;
    assert!((400..500).contains(&without), "{without}");
}
