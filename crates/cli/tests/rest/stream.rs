//! What changes, as it changes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use super::client::Api;
use crate::sent::read_body;
use crate::world::World;

/// A stream of events that is being listened to.
struct Listener(BufReader<TcpStream>);

impl Listener {
    fn start(api: &Api, last: Option<&str>) -> Listener {
        let mut stream = api.connect();
        let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
        let head = format!(
            "GET /api/v1/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nAccept: text/event-stream\r\n{last}\r\n",
            api.address, api.token
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut listener = Listener(BufReader::new(stream));
        let head = listener.until(|line| line.is_empty());
        assert!(
            head[0].contains("200") && head.iter().any(|line| line.contains("text/event-stream")),
            "{head:?}"
        );
        listener
    }

    fn until(&mut self, ends: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "it ended: {lines:?}");
            let line = line.trim_end().to_owned();
            let is_end = ends(&line);
            lines.push(line);
            if is_end {
                return lines;
            }
        }
    }

    /// The name, data and id of the next event.
    fn next(&mut self) -> (String, Value, String) {
        let lines = self.until(|line| line.starts_with("id: "));
        let part = |name: &str| {
            lines.iter().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned()
        };
        let data = serde_json::from_str(&part("data:")).unwrap_or(Value::Null);
        (part("event:"), data, part("id:"))
    }

    /// The next event that is one.
    fn next_event(&mut self) -> (String, Value, String) {
        loop {
            let next = self.next();
            if !next.0.is_empty() {
                return next;
            }
        }
    }
}

#[test]
fn what_others_write_is_heard_and_whoever_comes_back_misses_nothing() {
    let world = World::with_store();
    let api = Api::start(&world, "writer");
    let mut listener = Listener::start(&api, None);
    let (_, _, begin) = listener.next();
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    let key = world.ken_args(&["show", &id, "--json"]).ok().json()["key"].as_str().unwrap().to_owned();
    let (name, data, cursor) = listener.next_event();
    assert_eq!((name.as_str(), &data["entry"]), ("entry.added", &json!(key)), "{data}");
    drop(listener);
    let confirmed = api.ask("POST", &format!("/entries/{id}/feedback"), Some(json!({"helpful": true})));
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    // From where it stopped, and from the beginning.
    let mut again = Listener::start(&api, Some(&cursor));
    let (name, data, _) = again.next_event();
    assert_ne!(name, "entry.added", "{data}");
    assert_eq!(data["entry"], json!(key), "{data}");
    let mut all = Listener::start(&api, Some(&begin));
    assert_eq!(all.next_event().0, "entry.added");
    let wrong =
        api.ask_with("GET", "/events", &[("Accept", "text/event-stream"), ("Last-Event-ID", "x")], None);
    assert_eq!(wrong.status, 400, "{wrong:?}");
}

#[test]
fn a_stream_ends_when_its_token_is_revoked() {
    let world = World::with_store();
    let api = Api::start(&world, "reader");
    let mut listener = Listener::start(&api, None);
    listener.next();
    world.lesson("Retry network calls with jitter, or all clients come back at once.");
    assert_eq!(listener.next_event().0, "entry.added");
    world.ken_args(&["token", "revoke", "tester"]).ok();
    world.lesson("Close sockets before the pool is dropped, or the port stays taken.");
    let mut rest = String::new();
    listener.0.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("event: entry.added"), "{rest}");
}

#[test]
fn what_waits_for_a_person_is_posted_to_a_webhook_and_no_word_of_it() {
    let world = World::with_store();
    world.ken_args(&["add", "lesson", "--statement", "Jitter keeps clients apart.", "--draft"]);
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/services/T0", socket.local_addr().unwrap());
    let api = Api::start_with(&world, "reader", &["--webhook", &url]);
    let (stream, _) = socket.accept().unwrap();
    let mut reader = BufReader::new(stream);
    let body = read_body(&mut reader);
    assert_eq!(body["drafts"], json!(1), "{body}");
    assert!(body["text"].as_str().unwrap().starts_with("Kenning: 1 draft to decide."), "{body}");
    assert!(!body.to_string().to_lowercase().contains("jitter"), "{body}");
    drop(api);
    let refused = world.ken_args(&["serve", "--webhook", "http://hooks.example/x"]).fails_with(2);
    assert!(refused.err.contains("plain http"), "{}", refused.err);
}
