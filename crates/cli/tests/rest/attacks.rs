//! What an attacker sends: other names, other sites, escapes, floods, silence.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::client::Api;
use crate::world::World;

#[test]
fn a_page_of_another_site_gets_nothing() {
    let world = World::with_store();
    let api = Api::start(&world, "reader");
    let bearer = format!("Bearer {}", api.token);
    let origin = format!("http://{}", api.address);
    let table: &[(&[(&str, &str)], u16)] = &[
        (&[], 200),
        // DNS rebinding: the name is the attacker's, the address ours.
        (&[("Host", "evil.example")], 403),
        (&[("Host", "evil.example:4100")], 403),
        (&[("Host", "127.0.0.1.evil.example")], 403),
        (&[("Origin", "https://evil.example")], 403),
        (&[("Origin", "null")], 403),
        (&[("Origin", "http://127.0.0.1:9")], 403),
        (&[("Origin", &origin)], 200),
        (&[("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")], 403),
        (&[("Sec-Fetch-Site", "same-origin")], 200),
    ];
    for (headers, status) in table {
        let mut all = vec![("Authorization", bearer.as_str())];
        all.extend_from_slice(headers);
        for path in ["/api/v1/entries", "/api/v1/search?q=x"] {
            assert_eq!(api.send("GET", path, &all, "").status, *status, "{headers:?}");
        }
    }
}

#[test]
fn no_path_leads_out() {
    let world = World::with_store();
    let api = Api::start(&world, "reader");
    for path in [
        "/assets/../../Cargo.toml",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%2f..%2fetc%2fpasswd",
        "/assets//etc/passwd",
        "/assets/%00",
        "/../etc/passwd",
        "/%2e%2e/etc/passwd",
    ] {
        let reply = api.send("GET", path, &[], "");
        assert!(matches!(reply.status, 400 | 401 | 404), "{path}: {reply:?}");
        assert!(!reply.body.contains("root:"), "{path}: {reply:?}");
    }
    for path in [
        "/entries/..%2f..%2fetc%2fpasswd",
        "/entries/%00",
        "/entries/%ff%fe",
        "/runs/..%2f..%2f",
        "/staging/%2e%2e",
    ] {
        let reply = api.ask("GET", path, None);
        assert!((400..500).contains(&reply.status), "{path}: {reply:?}");
    }
}

#[test]
fn a_flood_of_headers_is_refused() {
    let world = World::with_store();
    let api = Api::start(&world, "reader");
    let many: Vec<(String, String)> =
        (0..500).map(|number| (format!("X-{number}"), "x".to_owned())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(api.send("GET", "/api/v1/entries", &many, "").status, 431);
    let long = "x".repeat(200_000);
    assert_eq!(api.send("GET", "/api/v1/entries", &[("X-Long", &long)], "").status, 431);
    let body = format!("{{\"text\": \"{}\"}}", "x".repeat(5 << 20));
    let bearer = format!("Bearer {}", api.token);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    assert_eq!(api.send("POST", "/api/v1/note", &headers, &body).status, 413);
}

// Each of them was held for half a minute, and nobody else came in meanwhile.
#[test]
fn a_thousand_connections_that_say_nothing_keep_nobody_out() {
    let world = World::with_store();
    let api = Api::start(&world, "reader");
    let mut silent: Vec<TcpStream> = Vec::new();
    for number in 0..1_000 {
        let Ok(mut stream) = TcpStream::connect(&api.address) else { break };
        if number % 2 == 0 {
            let _ = stream.write_all(b"GET /api/v1/entries HTTP/1.1\r\nHost: loc");
        }
        silent.push(stream);
    }
    assert!(silent.len() > 600, "{}", silent.len());
    let began = Instant::now();
    let reply = api.ask("GET", "/entries", None);
    assert_eq!(reply.status, 200, "{reply:?}");
    // Far below the time after which a silent connection is let go.
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn a_stopping_server_ends_what_it_began() {
    let world = World::with_store();
    let api = Api::start(&world, "reader");
    let mut stream = api.connect();
    let head = format!(
        "GET /api/v1/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nAccept: text/event-stream\r\n\r\n",
        api.address, api.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut some = [0; 1024];
    assert!(stream.read(&mut some).unwrap() > 0);
    world.command("kill").args(["-TERM", &api.process().to_string()]).status().unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    // The note of where it runs goes with it.
    let note = world.path().join(".git/kenning/serve.json");
    let gone = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        !note.exists()
    });
    assert!(gone, "{} stayed", note.display());
}
