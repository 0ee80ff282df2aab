//! The suite `concurrent`: several processes and clients on one store. Whether `verify` and `doctor` stay right while others write, how many
//! searches a second a server gives to one client and to eight, and how many adds to one, four and eight.

use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::mcp::lesson;
use crate::context::{Failure, capture, failed};
use crate::harness::client::Listening;
use crate::harness::corpus::{self, Lesson};
use crate::harness::figure::Figure;
use crate::harness::measure::{Sample, Series, progress};
use crate::harness::probe::series;
use crate::harness::report::Report;
use crate::harness::session::{Session, text};
use crate::harness::store::{self, Filled};
use crate::harness::{Suite, Tool};

pub(crate) const SUITE: Suite = Suite {
    sizes: [&[2_000], &[10_000]],
    needs: &[Tool::Ken, Tool::Probe],
    ..Suite::bench("concurrent", run)
};

/// Writers, each a process after the other.
const WRITERS: u64 = 4;
/// How often `verify` and `doctor` are asked while they write, in a quick run and in a full one.
const TRIES: [usize; 2] = [20, 200];
/// Entries of the store that they write to.
const WRITTEN_TO: usize = 500;
/// How long clients search.
const SECONDS: [u64; 2] = [4, 10];
const CLIENTS: usize = 8;
/// Clients that add over HTTP at the same time, with the figure that each gives.
const WRITING: [(u64, &str); 3] =
    [(1, "concurrent.http_adds_1"), (WRITERS, "concurrent.http_adds_4"), (8, "concurrent.http_adds_8")];
/// Entries that are added in bulk while clients search.
const ADDED_MEANWHILE: [usize; 2] = [3_000, 10_000];

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let (mut figures, notes) = alarms(session)?;
    for size in &session.sizes {
        let filled = store::fill(session, *size)?;
        figures.extend(searches(session, &filled)?.into_iter().map(|figure| figure.at(*size)));
        figures.extend(writers(session, &filled)?.into_iter().map(|figure| figure.at(*size)));
    }
    // When the library has a workspace that threads can share, `concurrent.library_searches_1` and
    // `concurrent.library_scaling` are measured here, by a verb of the probe that opens one and searches in 1 and in 8 threads.
    Ok(Report { notes, ..Report::new(figures) })
}

/// What four writers did.
#[derive(Default)]
struct Written {
    added: AtomicUsize,
    failed: AtomicUsize,
    /// What the last one that failed said.
    said: Mutex<String>,
}

/// Does something while four writers add entries as fast as they can.
fn while_written<T>(
    session: &Session<'_>,
    root: &Path,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<(T, Written, Duration), Failure> {
    let (written, stop) = (Written::default(), AtomicBool::new(false));
    let (scratch, ken) = (&session.scratch, session.ken_path());
    let begun = Instant::now();
    let done = thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (written, stop) = (&written, &stop);
            scope.spawn(move || {
                let mut number = 1_000_000 * (writer + 1);
                while !stop.load(Ordering::Relaxed) {
                    number += 1;
                    let lesson = Lesson::number(number);
                    let output =
                        scratch.program(ken, root).args(lesson.arguments()).stdin(Stdio::null()).output();
                    match output {
                        Ok(output) if output.status.success() => {
                            written.added.fetch_add(1, Ordering::Relaxed);
                        }
                        other => {
                            written.failed.fetch_add(1, Ordering::Relaxed);
                            let said = other.map_or_else(
                                |error| error.to_string(),
                                |output| String::from_utf8_lossy(&output.stderr).trim().to_owned(),
                            );
                            *written.said.lock().expect("no writer panics while it holds this") = said;
                        }
                    }
                }
            });
        }
        let done = work();
        stop.store(true, Ordering::Relaxed);
        done
    });
    Ok((done?, written, begun.elapsed()))
}

/// Alarms of one command, with the first lines of the first one.
#[derive(Default)]
struct Alarms {
    count: usize,
    first: Option<String>,
}

fn alarms(session: &Session<'_>) -> Result<(Vec<Figure>, Vec<String>), Failure> {
    let tries = session.effort.pick(TRIES[0], TRIES[1]);
    progress(&format!("{tries} times `verify` and `doctor` with {WRITERS} writers at work"));
    let root = session.scratch.repository("written")?;
    capture(&mut session.ken(&root, &["init"]))?;
    let source = session.write("written.jsonl", corpus::lines(WRITTEN_TO))?;
    session.add_lines(&root, &source, WRITTEN_TO)?;
    // A store that nobody writes to gives no alarm; else what is counted below would say nothing.
    let quiet = || {
        ["verify", "doctor"].iter().try_for_each(|word| capture(&mut session.ken(&root, &[word])).map(drop))
    };
    quiet()?;
    let mut alarms = [Alarms::default(), Alarms::default()];
    let ((), written, took) = while_written(session, &root, || {
        for _ in 0..tries {
            for (word, alarms) in ["verify", "doctor"].iter().zip(&mut alarms) {
                let output = session
                    .ken(&root, &[word])
                    .stdin(Stdio::null())
                    .output()
                    .map_err(|error| Failure::Failed(format!("cannot start `ken {word}`: {error}")))?;
                if !output.status.success() {
                    alarms.count += 1;
                    alarms.first.get_or_insert_with(|| said(&output));
                }
            }
        }
        Ok(())
    })?;
    // What they said is a false alarm only if nothing is wrong now.
    quiet().map_err(|failure| Failure::Failed(format!("four writers damaged the store: {failure}")))?;
    let (added, refused) = (written.added.into_inner(), written.failed.into_inner());
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let mut notes = Vec::new();
    for (word, alarms) in ["verify", "doctor"].iter().zip(&alarms) {
        notes.push(match &alarms.first {
            None => format!("`ken {word}`: no false alarm in {tries} tries"),
            Some(said) => {
                format!("`ken {word}`: {} false alarms in {tries} tries; the first one: {said}", alarms.count)
            }
        });
    }
    let said = written.said.into_inner().unwrap_or_default();
    if refused > 0 {
        notes.push(format!("{refused} of {} adds failed; the last one: {said}", added + refused));
    }
    let figures = vec![
        Figure::new("concurrent.verify_alarms", share(alarms[0].count, tries))
            .at(tries)
            .floor("nobody writes", 0.0),
        Figure::new("concurrent.doctor_alarms", share(alarms[1].count, tries))
            .at(tries)
            .floor("nobody writes", 0.0),
        Figure::new("concurrent.refused_adds", share(refused, added + refused)).at(WRITTEN_TO),
        Figure::new("concurrent.adds", added as f64 / took.as_secs_f64())
            .at(WRITTEN_TO)
            .note("while the two commands run"),
    ];
    Ok((figures, notes))
}

/// The first line that tells of something wrong.
fn said(output: &std::process::Output) -> String {
    let text =
        format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let wrong = |line: &&str| ["error", "fail", "wrong", "differ"].iter().any(|word| line.contains(word));
    let line = text.lines().find(wrong).or_else(|| text.lines().find(|line| !line.trim().is_empty()));
    line.unwrap_or("nothing").trim().chars().take(160).collect()
}

/// Searches a second over HTTP.
fn searches(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    let mut command = session.ken(&filled.root, &["serve", "--mcp", "--listen", "127.0.0.1:0"]);
    let server = Listening::start(command.stderr(Stdio::null()))?;
    let questions = corpus::questions(400, filled.entries);
    let seconds = session.effort.pick(SECONDS[0], SECONDS[1]);
    // The first search opens the store and the model.
    client(&server, &questions[..1], &|done| done < 1)?;
    let limit = Duration::from_secs(seconds);
    progress(&format!("searches of one client for {seconds} s"));
    let one = rate(&server, 1, &questions, &|begun: Instant| begun.elapsed() < limit)?;
    progress(&format!("searches of {CLIENTS} clients for {seconds} s"));
    let many = rate(&server, CLIENTS, &questions, &|begun: Instant| begun.elapsed() < limit)?;
    progress("the same while a bulk add runs");
    let count = session.effort.pick(ADDED_MEANWHILE[0], ADDED_MEANWHILE[1]);
    let source = session.write("meanwhile.jsonl", corpus::lines_from(500_000, count))?;
    let mut add = session.ken(&filled.root, &["add", "--file"]);
    add.arg(&source).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let adding = Mutex::new(
        add.spawn().map_err(|error| Failure::Failed(format!("cannot start `ken add --file`: {error}")))?,
    );
    let running = |_: Instant| {
        let mut child = adding.lock().expect("no client panics while it holds this");
        matches!(child.try_wait(), Ok(None))
    };
    let meanwhile = rate(&server, CLIENTS, &questions, &running)?;
    let ended = adding.into_inner().map(|mut child| child.wait());
    if !matches!(ended, Ok(Ok(status)) if status.success()) {
        return failed("the bulk add beside the searches did not work");
    }
    let asked = session.write("questions", questions.join("\n"))?;
    let library = session.probe().ask(&["warm", &text(&filled.root), &text(&asked), "60"])?;
    let alone = 1.0 / series(&library, "micros").wall().as_secs_f64().max(1e-9);
    Ok(vec![
        Figure::new("concurrent.searches_1", one).floor("one thread in the library", alone),
        Figure::new("concurrent.searches_8", many).floor("one client", one),
        Figure::new("concurrent.searches_scaling", many / one.max(1e-9)),
        Figure::new("concurrent.searches_during_add", meanwhile).floor("nobody adds", many),
    ])
}

/// Adds a second over HTTP of one, four and eight clients, how long one of them takes, and what that costs somebody who searches.
fn writers(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    let mut command = session.ken(&filled.root, &["serve", "--mcp", "--listen", "127.0.0.1:0"]);
    let server = Listening::start(command.stderr(Stdio::null()))?;
    let questions = corpus::questions(400, filled.entries);
    client(&server, &questions[..1], &|done| done < 1)?;
    let limit = Duration::from_secs(session.effort.pick(SECONDS[0], SECONDS[1]));
    progress("searches of one client, twenty a second");
    let alone = paced(&server, &questions, &|begun| begun.elapsed() < limit)?;
    let mut figures = Vec::new();
    let mut one = None;
    for (at, (count, name)) in WRITING.into_iter().enumerate() {
        progress(&format!("adds of {count} clients"));
        let (times, reader) = thread::scope(|scope| {
            let (server, questions) = (&server, &questions);
            let beside = (count == WRITERS)
                .then(|| scope.spawn(move || paced(server, questions, &|begun| begun.elapsed() < limit)));
            let first = 10_000_000 * (at as u64 + 1);
            let writing: Vec<_> = (0..count)
                .map(|writer| scope.spawn(move || adds(server, first + 1_000_000 * writer, limit)))
                .collect();
            let mut all = Vec::new();
            for thread in writing {
                all.extend(thread.join().map_err(|_| Failure::Failed("a client panicked".to_owned()))??);
            }
            let beside = beside.map(|thread| thread.join());
            let beside = match beside {
                None => None,
                Some(Ok(times)) => Some(times?),
                Some(Err(_)) => return failed("a client panicked"),
            };
            Ok((all, beside))
        })?;
        let rate = times.len() as f64 / limit.as_secs_f64();
        let figure = Figure::new(name, rate);
        figures.push(match one {
            None => figure,
            Some(one) => figure.floor("one client", one),
        });
        one.get_or_insert(rate);
        if let Some(reader) = reader {
            let mut series = Series::default();
            times.into_iter().for_each(|sample| series.push(sample));
            figures.push(Figure::new("concurrent.http_add_p99", series.within(0.99).as_secs_f64()));
            figures.push(
                Figure::new("concurrent.search_p95_beside", reader.within(0.95).as_secs_f64())
                    .floor("nobody writes", alone.within(0.95).as_secs_f64()),
            );
        }
    }
    Ok(figures)
}

/// One client that adds lessons from a number on, with how long each took.
fn adds(server: &Listening, first: u64, limit: Duration) -> Result<Vec<Sample>, Failure> {
    let header = conversation(server)?;
    let begun = Instant::now();
    let mut times = Vec::new();
    for number in first.. {
        if begun.elapsed() > limit {
            break;
        }
        times.push(called(server, &header, "remember", lesson(number))?);
    }
    Ok(times)
}

/// One client that searches twenty times a second, with how long each took.
fn paced(
    server: &Listening,
    questions: &[String],
    goes_on: &dyn Fn(Instant) -> bool,
) -> Result<Series, Failure> {
    let header = conversation(server)?;
    let (begun, pause) = (Instant::now(), Duration::from_millis(50));
    let mut times = Series::default();
    for question in questions.iter().cycle() {
        if !goes_on(begun) {
            break;
        }
        let sample = called(server, &header, "recall", json!({"query": question}))?;
        thread::sleep(pause.saturating_sub(sample.wall));
        times.push(sample);
    }
    Ok(times)
}

/// Begins a conversation, and gives the headers of its requests.
fn conversation(server: &Listening) -> Result<String, Failure> {
    let header = format!("Mcp-Session-Id: {}\r\nMcp-Protocol-Version: 2025-06-18\r\n", server.begin()?);
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    server.post(initialized.to_string().as_bytes(), &header)?;
    Ok(header)
}

/// Calls a tool, with the time it took.
fn called(
    server: &Listening,
    header: &str,
    tool: &str,
    arguments: serde_json::Value,
) -> Result<Sample, Failure> {
    let call = json!({"name": tool, "arguments": arguments});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
    let begun = Instant::now();
    let reply = server.post(request.to_string().as_bytes(), header)?;
    let wall = begun.elapsed();
    match reply.answer(&json!(1)) {
        Some(answer) if answer.get("result").is_some_and(|result| result["isError"] != true) => {
            Ok(Sample { wall, cpu: None })
        }
        _ => failed(format!("`{tool}` over HTTP is answered with {}: {}", reply.status, reply.body)),
    }
}

/// Searches a second of so many clients, as long as `goes_on` says so.
fn rate(
    server: &Listening,
    clients: usize,
    questions: &[String],
    goes_on: &(dyn Fn(Instant) -> bool + Sync),
) -> Result<f64, Failure> {
    let begun = Instant::now();
    let counts: Vec<Result<usize, Failure>> = thread::scope(|scope| {
        let each = questions.len() / clients;
        let started: Vec<_> = (0..clients)
            .map(|at| {
                let own = &questions[at * each..(at + 1) * each];
                scope.spawn(move || client(server, own, &|_| goes_on(begun)))
            })
            .collect();
        let joined = started.into_iter().map(|thread| match thread.join() {
            Ok(count) => count,
            Err(_) => failed("a client panicked"),
        });
        joined.collect()
    });
    let took = begun.elapsed();
    let count: usize = counts.into_iter().sum::<Result<usize, Failure>>()?;
    Ok(count as f64 / took.as_secs_f64())
}

/// One client: searches after one another. Tells how many were answered.
fn client(
    server: &Listening,
    questions: &[String],
    goes_on: &dyn Fn(usize) -> bool,
) -> Result<usize, Failure> {
    let header = conversation(server)?;
    let mut done = 0;
    for question in questions.iter().cycle() {
        if !goes_on(done) {
            break;
        }
        called(server, &header, "recall", json!({"query": question}))?;
        done += 1;
    }
    Ok(done)
}
