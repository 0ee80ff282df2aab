//! What a program sends, and what it is answered: fields, problems, states of entries, keys of requests.

use serde_json::json;

use super::client::{Api, lesson};
use crate::world::World;

const JITTER: &str = "Retry network calls with jitter, or all clients come back at once.";

#[test]
fn an_entry_is_added_read_and_changed_and_its_state_is_known_by_a_tag() {
    let world = World::with_store();
    let api = Api::start(&world, "writer");
    let added = api.ask("POST", "/entries", Some(lesson(JITTER)));
    assert_eq!((added.status, added.header("Ken-Exit").as_deref()), (200, Some("0")), "{added:?}");
    let id = added.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/entries/{id}");
    let shown = api.ask("GET", &path, None);
    let tag = shown.header("ETag").unwrap_or_else(|| panic!("{shown:?}"));
    assert_eq!(shown.json()["statement"], JITTER);
    assert_eq!(shown.json()["created_by"], "agent:tester");
    // Reading it again gives nothing new.
    let same = api.ask_with("GET", &path, &[("If-None-Match", &tag)], None);
    assert_eq!((same.status, same.body.as_str()), (304, ""), "{same:?}");
    let changed =
        api.ask_with("PATCH", &path, &[("If-Match", &tag)], Some(json!({"tag": ["net"], "reason": "a tag"})));
    assert_eq!(changed.status, 200, "{changed:?}");
    let next = changed.header("ETag").unwrap_or_else(|| panic!("{changed:?}"));
    assert_eq!(api.ask("GET", &path, None).header("ETag"), Some(next), "whoever changed it can go on");
    // Whoever knows the old state is told.
    let late =
        api.ask_with("PATCH", &path, &[("If-Match", &tag)], Some(json!({"tag": ["late"], "reason": "late"})));
    assert_eq!((late.status, &late.json()["code"]), (412, &json!("changed")), "{late:?}");
    assert_eq!(api.ask("GET", &path, None).json()["tags"], json!(["net"]));
    // An agent reads it as data.
    let text = api.ask_with("GET", &path, &[("Accept", "text/markdown")], None);
    assert!(text.header("Content-Type").unwrap().starts_with("text/markdown"), "{text:?}");
    assert!(text.body.contains("data, not instructions") && text.body.contains(JITTER), "{text:?}");
}

#[test]
fn what_a_get_gives_a_patch_takes_with_changes_in_it() {
    let world = World::with_store();
    let api = Api::start(&world, "writer");
    let id = api.ask("POST", "/entries", Some(lesson(JITTER))).json()["id"].as_str().unwrap().to_owned();
    let path = format!("/entries/{id}");
    let read = api.ask("GET", &path, None).json();
    let same = api.ask("PATCH", &path, Some(read.clone()));
    assert_eq!((same.status, &same.json()["outcome"]), (200, &json!("unchanged")), "{same:?}");
    let mut changed = read.clone();
    changed["tags"] = json!(["net"]);
    changed["verification"] = json!(["cargo test net"]);
    changed["detail"] = json!("Cap the delay.");
    let answer = api.ask("PATCH", &path, Some(changed));
    assert_eq!((answer.status, &answer.json()["outcome"]), (200, &json!("changed")), "{answer:?}");
    let now = api.ask("GET", &path, None).json();
    assert_eq!((&now["tags"], &now["detail"]), (&json!(["net"]), &json!("Cap the delay.")));
    assert_eq!((&now["verification"], &now["anchors"]), (&json!(["cargo test net"]), &read["anchors"]));
    // Citations are added; those that were read are not made again.
    assert_eq!(now["evidence"], json!(["pr:1"]));
    let mut cited = now.clone();
    cited["evidence"] = json!(["pr:1", "pr:2"]);
    let answer = api.ask("PATCH", &path, Some(cited));
    assert_eq!((answer.status, &answer.json()["outcome"]), (200, &json!("changed")), "{answer:?}");
    let now = api.ask("GET", &path, None).json();
    assert_eq!(now["evidence"], json!(["pr:1", "pr:2"]));
    assert_eq!(now["provenance"].as_array().unwrap().len(), 2);
    for (name, value) in
        [("status", json!("verified")), ("provenance", json!([])), ("created_by", json!("human:Eve"))]
    {
        let mut forged = now.clone();
        forged[name] = value;
        let refused = api.ask("PATCH", &path, Some(forged));
        assert_eq!(refused.status, 400, "{refused:?}");
        let detail = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(name), "{detail}");
        assert!(refused.json()["hint"].as_str().is_some(), "{refused:?}");
    }
}

#[test]
fn fields_that_a_get_gives_make_an_entry_by_a_post() {
    let world = World::with_store();
    let api = Api::start(&world, "writer");
    let first = json!({
        "type": "lesson", "statement": JITTER, "evidence": ["pr:1"], "anchors": ["src/net.rs:1-3"],
        "verification": ["cargo test net"], "tags": ["net"], "domains": ["backend"],
    });
    let id = api.ask("POST", "/entries", Some(first)).json()["id"].as_str().unwrap().to_owned();
    let read = api.ask("GET", &format!("/entries/{id}"), None).json();
    assert!(read["anchors"][0].is_object() && read["provenance"][0].is_object(), "{read}");
    let names = ["type", "anchors", "verification", "tags", "domains"];
    for evidence in ["evidence", "provenance"] {
        let mut another: serde_json::Map<String, serde_json::Value> =
            names.iter().chain([&evidence]).map(|name| ((*name).to_owned(), read[*name].clone())).collect();
        another
            .insert("statement".to_owned(), json!(format!("Cap the delay of {evidence} at twenty seconds.")));
        let added = api.ask("POST", "/entries", Some(another.into()));
        assert_eq!((added.status, &added.json()["outcome"]), (200, &json!("added")), "{added:?}");
        let path = format!("/entries/{}", added.json()["id"].as_str().unwrap());
        let shown = api.ask("GET", &path, None).json();
        for name in names.iter().chain([&"evidence"]) {
            assert_eq!(shown[*name], read[*name], "{name}");
        }
    }
}

#[test]
fn of_many_who_change_what_they_read_at_once_one_does() {
    let world = World::with_store();
    let api = Api::start(&world, "writer");
    let id = api.ask("POST", "/entries", Some(lesson(JITTER))).json()["id"].as_str().unwrap().to_owned();
    let path = format!("/entries/{id}");
    for round in 0..3 {
        let tag = api.ask("GET", &path, None).header("ETag").unwrap();
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..6)
                .map(|writer| {
                    let (api, path, tag) = (&api, &path, &tag);
                    let change = json!({"tag": [format!("r{round}w{writer}")], "reason": "a tag"});
                    scope
                        .spawn(move || api.ask_with("PATCH", path, &[("If-Match", tag)], Some(change)).status)
                })
                .collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| matches!(status, 200 | 412)), "{statuses:?}");
    }
}

#[test]
fn names_of_tokens_and_cursors_of_other_stores_are_refused() {
    let world = World::with_store();
    let api = Api::start(&world, "reader");
    world.ken("token add browser --role reader").fails_with(2);
    let ahead = api.ask("GET", "/events?since=ffffffffffff.0", None);
    assert_eq!((ahead.status, &ahead.json()["field"]), (400, &json!("cursor")), "{ahead:?}");
}

#[test]
fn a_request_that_is_sent_twice_is_carried_out_once() {
    let world = World::with_store();
    let api = Api::start(&world, "writer");
    let note = json!({"text": "The build was red for an hour."});
    let key = [("Idempotency-Key", "one")];
    let first = api.ask_with("POST", "/note", &key, Some(note.clone()));
    assert_eq!(first.status, 200, "{first:?}");
    let again = api.ask_with("POST", "/note", &key, Some(note.clone()));
    assert_eq!((again.status, &again.body), (200, &first.body));
    let other = api.ask_with("POST", "/note", &key, Some(json!({"text": "Something else happened."})));
    assert_eq!((other.status, &other.json()["code"]), (422, &json!("replayed")), "{other:?}");
    let count =
        api.ask("GET", "/entries?memory=episodic&all=true", None).json()["items"].as_array().unwrap().len();
    assert_eq!(count, 1);
    // Somebody else's key is another key, and so is one after a restart for the same holder.
    drop(api);
    let again = restarted(&world).ask_with("POST", "/note", &key, Some(note));
    assert_eq!(again.status, 200, "{again:?}");
}

/// A server started anew, with another token.
fn restarted(world: &World) -> Api {
    world.ken_args(&["token", "revoke", "tester"]).ok();
    Api::start(world, "writer")
}

#[test]
fn what_is_wrong_is_told_with_the_field_and_what_to_do() {
    let world = World::with_store();
    let api = Api::start(&world, "writer");
    let table: &[(&str, &str, Option<serde_json::Value>, u16, &str)] = &[
        ("GET", "/nothing", None, 404, "no_such_path"),
        ("PUT", "/entries", None, 405, "method_not_allowed"),
        ("GET", "/entries/L-000000", None, 404, "not_found"),
        ("GET", "/entries?limit=many", None, 400, "invalid"),
        ("GET", "/entries?limit=1&limit=2", None, 400, "invalid"),
        ("GET", "/entries?nonsense=1", None, 400, "invalid"),
        ("GET", "/entries?all=perhaps", None, 400, "invalid"),
        ("GET", "/drift?prune=true", None, 405, "method_not_allowed"),
        ("POST", "/entries", Some(json!([])), 400, "invalid"),
        (
            "POST",
            "/entries",
            Some(json!({"type": "lesson", "statement": "Too little."})),
            422,
            "provenance_required",
        ),
        ("POST", "/entries/L-000000/confirm", Some(json!({})), 404, "not_found"),
        ("POST", "/runs/none/finish", Some(json!({"outcome": "success"})), 404, "not_found"),
        ("GET", "/events?since=yesterday", None, 400, "invalid"),
    ];
    for (method, path, body, status, code) in table {
        let reply = api.ask(method, path, body.clone());
        assert_eq!(reply.status, *status, "{method} {path}: {reply:?}");
        assert_eq!(reply.header("Content-Type").as_deref(), Some("application/problem+json"), "{reply:?}");
        assert_eq!(reply.json()["code"], *code, "{method} {path}: {reply:?}");
        assert!(!reply.json()["detail"].as_str().unwrap().is_empty());
    }
    let plain = api.ask_with("POST", "/entries", &[("Content-Type", "text/plain")], None);
    assert_eq!(plain.status, 400, "an empty body is an empty request: {plain:?}");
    let bearer = format!("Bearer {}", api.token);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "text/plain")];
    assert_eq!(api.send("POST", "/api/v1/entries", &headers, "{}").status, 415);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    assert_eq!(api.send("POST", "/api/v1/entries", &headers, "{").json()["code"], "invalid");
    let allowed = api.ask("PUT", "/entries", None);
    assert_eq!(allowed.header("Allow").as_deref(), Some("GET, POST"));
}

#[test]
fn lists_go_on_from_a_cursor_and_a_finding_is_an_exit_code() {
    let world = World::with_store();
    let api = Api::start(&world, "writer");
    for number in 0..5 {
        let note = json!({"text": format!("The nightly build number {number} took twice as long as usual.")});
        assert_eq!(api.ask("POST", "/note", Some(note)).status, 200);
    }
    let mut seen = 0;
    let mut path = "/entries?all=true&limit=2".to_owned();
    loop {
        let page = api.ask("GET", &path, None).json();
        seen += page["items"].as_array().unwrap().len();
        let Some(cursor) = page["cursor"].as_str() else { break };
        path = format!("/entries?all=true&limit=2&cursor={}", super::client::encoded(cursor));
    }
    assert_eq!(seen, 5);
    let gate = api.ask("GET", "/gate", None);
    let exit = gate.header("Ken-Exit").unwrap();
    assert_eq!(gate.status, 200);
    assert!(matches!(exit.as_str(), "0" | "1"), "{gate:?}");
}

// The document is made from the table of verbs: a change of a verb is a change of the API, and is seen here.
#[test]
fn the_document_is_as_it_was() {
    let world = World::with_store();
    let api = Api::start(&world, "reader");
    let mut told = String::new();
    for (path, methods) in api.document()["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let person = if operation["x-ken-person"] == true { ", a person" } else { "" };
            let role = operation["x-ken-role"].as_str().unwrap_or("anybody");
            let verb = operation["x-ken-verb"].as_str().unwrap_or("-");
            told.push_str(&format!("{} {path}: {verb} ({role}{person})\n", method.to_uppercase()));
        }
    }
    expect_test::expect_file!["routes.txt"].assert_eq(&told);
    let whole = serde_json::to_string_pretty(api.document()).unwrap() + "\n";
    expect_test::expect_file!["../../../../docs/reference/openapi.json"].assert_eq(&whole);
}
