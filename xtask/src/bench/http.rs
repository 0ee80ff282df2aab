//! The suite `http`: what a page, a search as one types and a read of the API cost, alone and while somebody adds entries in bulk.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::context::{Failure, capture, failed};
use crate::harness::client::Listening;
use crate::harness::corpus;
use crate::harness::figure::Figure;
use crate::harness::measure::{Sample, Series, progress};
use crate::harness::memory;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::harness::store::{self, Filled};
use crate::harness::{Suite, Tool};

pub(crate) const SUITE: Suite =
    Suite { sizes: [&[2_000], &[10_000]], needs: &[Tool::Ken, Tool::Probe], ..Suite::bench("http", run) };

/// How often each page is asked for.
const ROUNDS: [usize; 2] = [10, 40];
/// How long clients read.
const SECONDS: [u64; 2] = [3, 8];
const CLIENTS: usize = 8;
/// Entries that are added in bulk while clients read.
const ADDED_MEANWHILE: [usize; 2] = [3_000, 10_000];
/// Clients that listen to what changes.
const LISTENERS: usize = 200;
/// The pages, and what of each is asked for.
const PAGES: [&str; 6] = ["/", "/search?q=retry", "/queue", "/runs", "/graph", "/health"];

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let mut figures = Vec::new();
    let mut tables = String::new();
    for size in &session.sizes {
        let filled = store::fill(session, *size)?;
        let site = Site::start(session, &filled)?;
        let (found, table) = pages(session, &site)?;
        figures.extend(found.into_iter().map(|figure| figure.at(*size)));
        tables.push_str(&table);
        figures.extend(whole(session, &site, &filled)?.into_iter().map(|figure| figure.at(*size)));
        figures.extend(reads(session, &site, &filled)?.into_iter().map(|figure| figure.at(*size)));
        figures.extend(listeners(session, &site, &filled)?.into_iter().map(|figure| figure.at(*size)));
    }
    Ok(Report { tables, ..Report::new(figures) })
}

/// A server with a session of the browser and a token.
struct Site {
    server: Listening,
    cookie: String,
    token: String,
    /// An entry that is there.
    entry: String,
}

impl Site {
    fn start(session: &Session<'_>, filled: &Filled) -> Result<Site, Failure> {
        let token =
            capture(session.ken(&filled.root, &["token", "add", "bench", "--role", "reader"]).arg("--json"))?;
        let token = read(&token)?["token"].as_str().unwrap_or_default().to_owned();
        let listed = capture(session.ken(&filled.root, &["list", "-n", "1"]).arg("--json"))?;
        let entry = read(&listed)?["items"][0]["id"].as_str().unwrap_or_default().to_owned();
        let mut command = session.ken(&filled.root, &["serve", "--listen", "127.0.0.1:0"]);
        let mut server = Listening::start(command.stderr(Stdio::null()))?;
        // It prints a link: the address, and the path that begins a session.
        let link = std::mem::take(&mut server.address);
        let Some((address, path)) = link.split_once('/') else {
            return failed(format!("no link is printed: {link}"));
        };
        server.address = address.to_owned();
        let mut site = Site { server, cookie: String::new(), token, entry };
        let reply = site.get(&format!("/{path}"), "")?;
        let cookie = reply.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.and_then(|line| line.split(';').next()).unwrap_or_default();
        if cookie.is_empty() {
            return failed(format!("the link begins no session: {}", reply.head));
        }
        site.cookie = format!("Cookie: {cookie}\r\nAccept: text/html\r\n");
        Ok(site)
    }

    fn bearer(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.token)
    }

    fn get(&self, path: &str, headers: &str) -> Result<crate::harness::client::Reply, Failure> {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\r\n",
            self.server.address
        );
        let reply = self.server.exchange(request.as_bytes(), true)?;
        reply.ok_or_else(|| Failure::Failed(format!("no answer to {path}")))
    }

    /// Asks once, and says how long it took; anything but 200 is a failure.
    fn timed(&self, path: &str, headers: &str) -> Result<(Sample, usize), Failure> {
        let begun = Instant::now();
        let reply = self.get(path, headers)?;
        let sample = Sample { wall: begun.elapsed(), cpu: None };
        match reply.status {
            200 => Ok((sample, reply.head.len() + reply.body.len())),
            other => failed(format!("{path} is answered with {other}: {}", reply.body)),
        }
    }
}

fn read(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::Failed(format!("no JSON: {error}")))
}

/// Each page, the bytes to the first paint, and a search as one types.
fn pages(session: &Session<'_>, site: &Site) -> Result<(Vec<Figure>, String), Failure> {
    let rounds = session.effort.pick(ROUNDS[0], ROUNDS[1]);
    progress(&format!("{rounds} times each page"));
    let entry = format!("/entries/{}", site.entry);
    let mut all = Series::default();
    let mut table = String::from("\n| page | median | p95 | bytes |\n|---|---|---|---|\n");
    let mut slowest = Duration::ZERO;
    for path in PAGES.iter().copied().chain([entry.as_str()]) {
        site.timed(path, &site.cookie)?;
        let mut own = Series::default();
        let mut bytes = 0;
        for _ in 0..rounds {
            let (sample, count) = site.timed(path, &site.cookie)?;
            own.push(sample);
            all.push(sample);
            bytes = count;
        }
        slowest = slowest.max(own.wall());
        let shown = if path == entry { "/entries/{id}" } else { path };
        table.push_str(&format!(
            "| `{shown}` | {:.1} ms | {:.1} ms | {bytes} |\n",
            own.wall().as_secs_f64() * 1e3,
            own.within(0.95).as_secs_f64() * 1e3
        ));
    }
    // What a browser fetches before it paints: the page, the style and the scripts that the page names.
    let home = site.get("/", &site.cookie)?;
    let mut paint = home.head.len() + home.body.len();
    for part in home.body.split("/assets/").skip(1) {
        let name = part.split(['"', '\'']).next().unwrap_or_default();
        let reply = site.get(&format!("/assets/{name}"), "")?;
        paint += reply.head.len() + reply.body.len();
    }
    progress("a search for each letter of twenty questions");
    let mut keys = Series::default();
    for question in corpus::questions(20, 1_000) {
        let typed: String = question.chars().take(24).collect();
        for end in (3..typed.chars().count()).step_by(2) {
            let part: String = typed.chars().take(end).collect();
            let path =
                format!("/search?q={}", part.replace(' ', "+").replace(['?', '\'', '`', '&', '#', '%'], ""));
            keys.push(site.timed(&path, &format!("{}HX-Target: results\r\n", site.cookie))?.0);
        }
    }
    Ok((
        vec![
            Figure::new("http.slowest_page", slowest.as_secs_f64()),
            Figure::time("http.page", &all),
            Figure::new("http.first_paint", paint as f64),
            Figure::time("http.keystroke", &keys),
            Figure::new("http.keystroke_p95", keys.within(0.95).as_secs_f64()),
        ],
        table,
    ))
}

/// What looks at every entry: the first page after a change, the pages of drift and of a diff, and the queue over the API. Nothing of the
/// store is committed, so that the diff adds all of it.
fn whole(session: &Session<'_>, site: &Site, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    let rounds = session.effort.short_rounds();
    progress("the first page after an entry changed");
    let mut home = Series::default();
    for round in 0..rounds {
        let said = format!("Note {round} changes what a briefing is made of.");
        capture(session.ken(&filled.root, &["note", &said]).stdin(Stdio::null()))?;
        home.push(site.timed("/", &site.cookie)?.0);
    }
    let mut figures = vec![Figure::time("http.home_changed", &home)];
    for (name, path) in [("http.drift", "/drift"), ("http.diff", "/diff")] {
        progress(&format!("`{path}`"));
        let mut series = Series::default();
        site.timed(path, &site.cookie)?;
        for _ in 0..rounds {
            series.push(site.timed(path, &site.cookie)?.0);
        }
        figures.push(Figure::time(name, &series));
    }
    progress("the queue over the API");
    let seconds = Duration::from_secs(session.effort.pick(SECONDS[0], SECONDS[1]));
    let paths = vec!["/api/v1/queue".to_owned(); CLIENTS];
    let (queues, _) = rate(site, &paths, &site.bearer(), &|begun| begun.elapsed() < seconds)?;
    figures.push(Figure::new("http.queues", queues));
    Ok(figures)
}

/// Reads and searches of eight clients while a bulk add runs.
fn reads(session: &Session<'_>, site: &Site, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    let bearer = site.bearer();
    let questions = corpus::questions(200, filled.entries);
    let encoded = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '+' }).collect()
    };
    let plain: Vec<String> = questions
        .iter()
        .enumerate()
        .map(|(number, question)| match number % 3 {
            0 => format!("/api/v1/entries/{}", site.entry),
            1 => "/api/v1/entries?limit=20".to_owned(),
            _ => format!("/api/v1/search?mode=lexical&query={}", encoded(question)),
        })
        .collect();
    let hybrid: Vec<String> =
        questions.iter().map(|question| format!("/api/v1/search?query={}", encoded(question))).collect();
    let seconds = Duration::from_secs(session.effort.pick(SECONDS[0], SECONDS[1]));
    progress("reads and searches while nobody adds");
    let (quiet_reads, _) = rate(site, &plain, &bearer, &|begun| begun.elapsed() < seconds)?;
    let (quiet_searches, _) = rate(site, &hybrid, &bearer, &|begun| begun.elapsed() < seconds)?;
    let mut figures = Vec::new();
    let kinds = [
        ("http.reads_during_add", "http.reads_p99", &plain, quiet_reads, 600_000),
        ("http.searches_during_add", "http.searches_p99", &hybrid, quiet_searches, 700_000),
    ];
    for (name, slowest, paths, quiet, first) in kinds {
        progress(&format!("{name}: the same while a bulk add runs"));
        let count = session.effort.pick(ADDED_MEANWHILE[0], ADDED_MEANWHILE[1]);
        let source = session.write(&format!("{first}.jsonl"), corpus::lines_from(first, count))?;
        let mut add = session.ken(&filled.root, &["add", "--file"]);
        add.arg(&source).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = add
            .spawn()
            .map_err(|error| Failure::Failed(format!("cannot start `ken add --file`: {error}")))?;
        let adding = Mutex::new(started);
        let running = |_: Instant| {
            let mut child = adding.lock().expect("no client panics while it holds this");
            matches!(child.try_wait(), Ok(None))
        };
        let (meanwhile, series) = rate(site, paths, &bearer, &running)?;
        if !matches!(adding.into_inner().map(|mut child| child.wait()), Ok(Ok(status)) if status.success()) {
            return failed("the bulk add beside the reads did not work");
        }
        figures.push(Figure::new(name, meanwhile).floor("nobody adds", quiet));
        figures.push(Figure::new(slowest, series.within(0.99).as_secs_f64()));
    }
    Ok(figures)
}

/// Requests a second of eight clients, as long as `goes_on` says so, and how long each took.
fn rate(
    site: &Site,
    paths: &[String],
    headers: &str,
    goes_on: &(dyn Fn(Instant) -> bool + Sync),
) -> Result<(f64, Series), Failure> {
    let begun = Instant::now();
    let each = paths.len() / CLIENTS;
    let taken: Vec<Result<Vec<Sample>, Failure>> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|at| {
                let own = &paths[at * each..(at + 1) * each];
                scope.spawn(move || {
                    let mut samples = Vec::new();
                    for path in own.iter().cycle() {
                        if !goes_on(begun) {
                            break;
                        }
                        samples.push(site.timed(path, headers)?.0);
                    }
                    Ok(samples)
                })
            })
            .collect();
        let joined =
            clients.into_iter().map(|client| client.join().unwrap_or_else(|_| failed("a client panicked")));
        joined.collect()
    });
    let took = begun.elapsed();
    let mut series = Series::default();
    let mut count = 0;
    for samples in taken {
        for sample in samples? {
            series.push(sample);
            count += 1;
        }
    }
    Ok((count as f64 / took.as_secs_f64(), series))
}

/// How long it takes until two hundred clients have heard of an entry, and what the server holds then.
fn listeners(session: &Session<'_>, site: &Site, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    progress(&format!("{LISTENERS} clients listen"));
    let broken = |error: std::io::Error| Failure::Failed(format!("a listener failed: {error}"));
    let mut streams = Vec::new();
    for _ in 0..LISTENERS {
        let mut stream = TcpStream::connect(&site.server.address).map_err(broken)?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).map_err(broken)?;
        let head = format!(
            "GET /api/v1/events HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n{}\r\n",
            site.server.address,
            site.bearer()
        );
        stream.write_all(head.as_bytes()).map_err(broken)?;
        let mut reader = BufReader::new(stream);
        until(&mut reader, "id: ").map_err(broken)?;
        streams.push(reader);
    }
    let begun = Instant::now();
    capture(session.ken(&filled.root, &["note", "Two hundred clients hear of this."]).stdin(Stdio::null()))?;
    for reader in &mut streams {
        until(reader, "event: ").map_err(broken)?;
    }
    let heard = begun.elapsed();
    let held = memory::anonymous_of(site.server.child.id());
    let mut figures = vec![Figure::new("http.heard_by_200", heard.as_secs_f64())];
    figures.extend(held.map(|held| Figure::new("http.memory", held as f64)));
    Ok(figures)
}

fn until(reader: &mut BufReader<TcpStream>, begins: &str) -> std::io::Result<()> {
    loop {
        let mut line = String::new();
        if reader.by_ref().take(1 << 16).read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line.starts_with(begins) {
            return Ok(());
        }
    }
}
