//! Every route with every role: who may not is told so, and nothing happens.

use serde_json::{Value, json};

use super::client::{Api, token};
use crate::mcp::client::Reply;
use crate::world::World;

const ROLES: [&str; 4] = ["reader", "writer", "approver", "admin"];

#[test]
fn every_route_is_closed_to_those_below_its_role() {
    let world = World::with_store();
    let mut api = Api::start(&world, "reader");
    let tokens: Vec<(&str, String)> =
        ROLES.iter().map(|role| (*role, token(&world, &format!("a-{role}"), role))).collect();
    let before = world.ken("events --json").ok().json()["position"].clone();
    let mut tried = 0;
    for (path, methods) in api.document().clone()["paths"].as_object().unwrap() {
        let path = path.strip_prefix("/api/v1").unwrap().replace(['{', '}'], "");
        for (method, operation) in methods.as_object().unwrap() {
            let Some(needed) = operation["x-ken-role"].as_str() else { continue };
            let needed = ROLES.iter().position(|role| *role == needed).unwrap();
            let method = method.to_uppercase();
            let body = (method != "GET").then(|| json!({}));
            let headers: &[(&str, &str)] =
                if body.is_some() { &[("Content-Type", "application/json")] } else { &[] };
            let text = body.as_ref().map(Value::to_string).unwrap_or_default();
            let stranger = api.send(&method, &format!("/api/v1{path}"), headers, &text);
            assert_eq!(stranger.status, 401, "{method} {path}: {stranger:?}");
            for (place, (role, token)) in tokens.iter().enumerate() {
                let is_closed = place < needed || (operation["x-ken-person"] == true);
                if !is_closed {
                    continue;
                }
                api.token.clone_from(token);
                let reply = api.ask(&method, &path, body.clone());
                let code = reply.json()["code"].clone();
                // What a person decides is refused by the role, by the door, or by the verb that wants a confirmation; a request that is
                // not well-formed is told that.
                let is_refused = match place < needed {
                    true => reply.status == 403 && (code == "forbidden" || code == "needs_person"),
                    false => [400, 403, 404, 422].contains(&reply.status),
                };
                assert!(is_refused, "{method} {path} as {role}: {reply:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
    let after = world.ken("events --json").ok().json()["position"].clone();
    assert_eq!(before, after, "nothing was written");
}

#[test]
fn a_token_that_is_revoked_or_wrong_opens_nothing_and_guessing_is_slowed_down() {
    let world = World::with_store();
    let mut api = Api::start(&world, "reader");
    assert_eq!(api.ask("GET", "/entries", None).status, 200);
    world.ken_args(&["token", "revoke", "tester"]).ok();
    let revoked = api.ask("GET", "/entries", None);
    assert_eq!((revoked.status, &revoked.json()["code"]), (401, &json!("unauthorized")), "{revoked:?}");
    api.token = "ken_guess".to_owned();
    let statuses: Vec<u16> = (0..15).map(|_| api.ask("GET", "/entries", None).status).collect();
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
    let listed = world.ken_args(&["token", "list", "--json"]).ok().json();
    assert_eq!(listed["items"][0]["state"], "revoked", "{listed}");
}

/// Calls a tool with this header beside the usual ones.
fn call(api: &Api, shown: (&str, &str), tool: &str, arguments: &Value) -> Reply {
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }},
    });
    let headers = [
        shown,
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
    ];
    api.send("POST", "/mcp", &headers, &request.to_string())
}

// On the loopback `/mcp` asked for no token, so that any user of the machine wrote; and a writer's token changed settings there, which the
// API refuses.
#[test]
fn mcp_has_the_roles_of_the_api_and_lets_no_stranger_in() {
    let world = World::with_store();
    let api = Api::start_with(&world, "reader", &["--profile", "full"]);
    let begun = api.send("GET", api.link.split_once(&api.address).unwrap().1, &[], "");
    let cookie = begun.header("Set-Cookie").unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let nothing = json!({});
    for shown in [("X-Nothing", ""), ("Cookie", cookie)] {
        let stranger = call(&api, shown, "recall", &nothing);
        assert_eq!(stranger.status, 401, "{shown:?}: {stranger:?}");
        assert!(stranger.body.contains("ken token add"), "{stranger:?}");
    }
    let lesson = json!({"statement": "Retry with jitter.", "evidence": "pr:1", "anchors": ["src/net.rs"], "verify": "look"});
    let setting = json!({"key": "list.limit", "value": ["5"]});
    let calls = [
        ("recall", json!({"query": "jitter"}), "reader"),
        ("queue", json!({}), "reader"),
        ("config", json!({"key": "list.limit"}), "reader"),
        ("remember", lesson, "writer"),
        ("quarantine_release", json!({"id": "L-1a2b3c", "reason": "x"}), "approver"),
        ("config", setting, "admin"),
        ("purge", json!({"id": "L-1a2b3c", "yes": true}), "admin"),
    ];
    let place = |role: &str| ROLES.iter().position(|known| *known == role).unwrap();
    for (at, role) in ROLES.iter().enumerate() {
        let bearer = format!("Bearer {}", token(&world, &format!("a-{role}"), role));
        for (tool, arguments, needed) in &calls {
            let reply = call(&api, ("Authorization", &bearer), tool, arguments).json();
            let says = reply.to_string();
            let is_closed =
                says.contains(&format!("`{tool}` needs the role {needed}, and a-{role} is a {role}"));
            assert_eq!(is_closed, at < place(needed), "{tool} as {role}: {says}");
        }
    }
    assert_eq!(world.ken_args(&["config", "list.limit", "--json"]).ok().json()["value"], "5");
}
