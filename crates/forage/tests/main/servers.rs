//! Servers that mean no good: nothing is fetched that may not be, and nothing without a bound.

use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use ken_forage::{Address, AddressPolicy, Domains, Fetcher};

use crate::server::{Reply, Server, answer, html, not_found, redirect};

/// Reads a page of a server whose `robots.txt` is not there, and says how that went.
fn told(server: &Server, path: &str) -> String {
    let mut fetcher = Fetcher::new(server.policy());
    match fetcher.page(&server.page(path), &Domains::default()) {
        Ok(answer) => format!("read {} bytes{}", answer.text.len(), if answer.is_cut { ", cut" } else { "" }),
        Err(fault) => fault.word().to_owned(),
    }
}

fn without_robots(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |path| if path == "/robots.txt" { not_found() } else { answer(path) })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_request_says_nothing_about_us() {
    let server = without_robots(|path| match path {
        "/a" => answer("302 Found", "Location: /b\r\nSet-Cookie: id=1\r\nContent-Length: 0\r\n", b""),
        _ => html("<p>x</p>"),
    });
    assert!(told(&server, "/a").starts_with("read"));
    assert_eq!(server.requests(), ["/robots.txt", "/a", "/b"]);
    for head in server.heads() {
        for header in ["cookie", "referer", "authorization", "origin", "x-forwarded", "from:"] {
            assert!(!head.contains(header), "{header} in {head}");
        }
    }
}

#[test]
fn redirects_are_counted_and_every_hop_is_checked() {
    let secret = Server::start(|_| html("<p>secret</p>"));
    let elsewhere = secret.page("/").to_string();
    let server = without_robots(move |path| match path {
        "/loop" => redirect("/loop"),
        "/long/9" => html("<p>end</p>"),
        path if path.starts_with("/long/") => {
            redirect(&format!("/long/{}", path[6..].parse::<u32>().unwrap() + 1))
        }
        "/secret" => redirect(&elsewhere),
        "/local" => redirect("http://localhost:8080/"),
        "/short" => redirect("http://127.1/"),
        "/number" => redirect("//2130706433/"),
        "/mapped" => redirect("http://[::ffff:127.0.0.1]/"),
        "/metadata" => redirect("http://169.254.169.254/latest/"),
        "/user" => redirect("http://a:b@example.com/"),
        "/file" => redirect("file:///etc/passwd"),
        "/script" => redirect("javascript:alert(1)"),
        "/nowhere" => answer("302 Found", "Content-Length: 0\r\n", b""),
        "/denied" => redirect("http://sub.denied.example.com/"),
        "/crlf" => redirect("/a%0d%0aX: y"),
        _ => html("<p>fine</p>"),
    });
    for (path, outcome) in [
        ("/long/5", "read 10 bytes"),
        ("/long/0", "redirects"),
        ("/loop", "redirects"),
        ("/secret", "blocked"),
        ("/local", "blocked"),
        ("/short", "redirects"),
        ("/number", "redirects"),
        ("/mapped", "blocked"),
        ("/metadata", "blocked"),
        ("/user", "redirects"),
        ("/file", "redirects"),
        ("/script", "redirects"),
        ("/nowhere", "redirects"),
    ] {
        assert_eq!(told(&server, path), outcome, "{path}");
    }
    let denied = Domains { denied: ["example.com".to_owned()].into(), ..Domains::default() };
    let mut fetcher = Fetcher::new(server.policy());
    assert_eq!(fetcher.page(&server.page("/denied"), &denied).unwrap_err().word(), "denied");
    assert_eq!(secret.requests(), Vec::<String>::new());
}

#[test]
fn a_name_that_turns_to_this_machine_is_not_followed() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let server = without_robots(|_| html("<p>secret</p>"));
    let (port, asked) = (server.at.port(), std::sync::Arc::new(AtomicUsize::new(0)));
    let count = std::sync::Arc::clone(&asked);
    // The first answer is allowed, all others are this machine at another place.
    let names = move |_: &str| match count.fetch_add(1, Ordering::Relaxed) {
        0 => vec!["127.0.0.1".parse().unwrap()],
        _ => vec!["127.0.0.2".parse().unwrap()],
    };
    let mut fetcher = Fetcher::with_names(server.policy(), names);
    let address = Address::parse(&format!("http://rebind.example.com:{port}/")).unwrap();
    assert_eq!(fetcher.page(&address, &Domains::default()).unwrap_err().word(), "blocked");
    // Each connection was resolved once, and checked by that answer.
    assert_eq!((asked.load(Ordering::Relaxed), server.requests().len()), (2, 1));
}

#[test]
fn sizes_and_compression_are_bounded() {
    let server = without_robots(|path| {
        let typed = "Content-Type: text/plain\r\n";
        let zipped = "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n";
        match path {
            "/long" => answer("200 OK", typed, &vec![b'a'; 900_000]),
            "/gzip" => answer("200 OK", zipped, &gzip("The quick brown fox. ".repeat(20).as_bytes())),
            "/bomb" => answer("200 OK", zipped, &gzip(&vec![b'a'; 50_000_000])),
            "/double" => {
                answer("200 OK", "Content-Type: text/plain\r\nContent-Encoding: gzip, gzip\r\n", b"")
            }
            "/brotli" => answer("200 OK", "Content-Type: text/plain\r\nContent-Encoding: br\r\n", b"x"),
            "/broken" => answer("200 OK", zipped, b"not gzip at all"),
            "/short" => answer("200 OK", "Content-Type: text/plain\r\nContent-Length: 100\r\n", b"abc"),
            "/endless" => Reply::Does(Box::new(|stream| {
                drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"));
                while stream.write_all(&[b'a'; 4096]).is_ok() {}
            })),
            "/chunks" => Reply::Does(Box::new(|stream| {
                drop(stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n",
                ));
                while stream.write_all(b"4\r\nabcd\r\n").is_ok() {}
            })),
            "/headers" => Reply::Does(Box::new(|stream| {
                drop(stream.write_all(b"HTTP/1.1 200 OK\r\n"));
                while stream.write_all(b"X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n").is_ok() {}
            })),
            "/status" => answer("500 Oops", "", b""),
            "/image" => answer("200 OK", "Content-Type: image/png\r\n", b"x"),
            "/untyped" => answer("200 OK", "", b"x"),
            "/binary" => answer("200 OK", typed, b"\0\x01\x02\0\0\0\xff"),
            _ => Reply::Bytes(b"nonsense\r\n\r\n".to_vec()),
        }
    });
    for (path, outcome) in [
        ("/long", "read 500000 bytes, cut"),
        ("/gzip", "read 420 bytes"),
        ("/bomb", "compression"),
        ("/double", "compression"),
        ("/brotli", "compression"),
        ("/broken", "compression"),
        ("/endless", "read 500000 bytes, cut"),
        ("/chunks", "read 500000 bytes, cut"),
        ("/headers", "unreachable"),
        ("/status", "status"),
        ("/image", "type"),
        ("/untyped", "type"),
        ("/binary", "type"),
        ("/nonsense", "unreachable"),
    ] {
        assert_eq!(told(&server, path), outcome, "{path}");
    }
    // What a server promised and did not send is no page.
    assert!(["unreachable", "compression"].contains(&told(&server, "/short").as_str()));
}

#[test]
fn robots_are_asked_first_and_their_traps_are_bounded() {
    let wants = |robots: &'static str| {
        Server::start(move |path| match path {
            "/robots.txt" => match robots {
                "500" => answer("503 Busy", "", b""),
                "404" => not_found(),
                "away" => redirect("http://127.0.0.1:1/robots.txt"),
                "loop" => redirect("/robots.txt"),
                "endless" => Reply::Does(Box::new(|stream| {
                    drop(stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private\n"));
                    while stream.write_all(b"Disallow: /a*b*c*d*e*f\n").is_ok() {}
                })),
                text => answer("200 OK", "Content-Type: text/plain\r\n", text.as_bytes()),
            },
            _ => html("<p>x</p>"),
        })
    };
    for (robots, path, outcome) in [
        ("404", "/a", "read 8 bytes"),
        ("500", "/a", "robots"),
        ("loop", "/a", "read 8 bytes"),
        ("away", "/a", "blocked"),
        ("endless", "/a", "read 8 bytes"),
        ("endless", "/private", "robots"),
        ("User-agent: *\nDisallow: /", "/a", "robots"),
        ("User-agent: ken\nAllow: /a\nDisallow: /\n", "/a", "read 8 bytes"),
        ("User-agent: ken\nAllow: /a\nDisallow: /\n", "/b", "robots"),
    ] {
        let server = wants(robots);
        assert_eq!(told(&server, path), outcome, "{robots} {path}");
        assert_eq!(server.requests()[0], "/robots.txt");
        assert!(outcome == "read 8 bytes" || !server.requests().contains(&path.to_owned()));
    }
}

#[test]
fn slow_servers_are_left() {
    let server = Server::start(|path| match path {
        "/robots.txt" => not_found(),
        _ => Reply::Does(Box::new(|stream| {
            drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"));
            while stream.write_all(b"a").is_ok() {
                std::thread::sleep(Duration::from_millis(200));
            }
        })),
    });
    let began = Instant::now();
    assert_eq!(told(&server, "/drip"), "late");
    assert!(began.elapsed() < Duration::from_secs(18));
}

#[test]
fn a_host_is_asked_five_times_at_once_and_then_waits() {
    let server = without_robots(|_| html("<p>x</p>"));
    let mut fetcher = Fetcher::new(server.policy());
    let began = Instant::now();
    for at in 0..6 {
        assert!(fetcher.page(&server.page(&format!("/{at}")), &Domains::default()).is_ok());
    }
    // robots.txt and four pages at once; two more wait for half a second each.
    assert!(began.elapsed() >= Duration::from_millis(800), "{:?}", began.elapsed());
}

#[test]
fn a_provider_is_the_only_server_of_its_fetcher() {
    let service = Server::start(|_| redirect("/elsewhere"));
    let mut fetcher = Fetcher::new(AddressPolicy::of_provider(&service.page("/")));
    assert_eq!(fetcher.ask(&service.page("/search"), None, 1_000).unwrap_err().word(), "status");
    let other = Server::start(|_| html("x"));
    assert_eq!(fetcher.ask(&other.page("/"), None, 1_000).unwrap_err().word(), "blocked");
    assert_eq!((service.requests().len(), other.requests().len()), (1, 0));
}
