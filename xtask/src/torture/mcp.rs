//! `cargo xtask torture mcp`: frames that no client should send, against the real server over pipes and over HTTP.
//!
//! What is sent follows from the seed alone. What must come back is worked out from each frame by the rules of JSON-RPC: one answer
//! under its id for a request, an error without an id for what is no request, nothing for a notification. Between bursts stands a
//! `ping`, so that an answer too many or too few is noticed where it happens.

mod frame;
mod http;
mod server;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use self::frame::{Tool, Writer};
use self::server::{Ending, Server};
use super::parts::Part;
use super::{Bench, Budget, FailedTry, Run};
use crate::context::{Context, Failure, Outcome, capture, failed};
use crate::dist;
use crate::harness::client::ANSWER_WITHIN;
use crate::harness::corpus;
use crate::harness::scratch::{self, Scratch};

/// Frames of a whole run.
const FRAMES: usize = 100_000;
/// Frames to one process; every tenth gets ten times as many.
const SESSION_FRAMES: usize = 400;
/// Of so many frames one goes over HTTP.
const HTTP_SHARE: usize = 20;
/// And for so many frames there is a request more, of a client that does not read.
const UNREAD_SHARE: usize = 2;
/// A server that nobody talks to any more has gone by then.
pub(super) const END_WITHIN: Duration = Duration::from_secs(15);
/// Memory that a server may take for itself, whatever it is sent.
const ANONYMOUS_BYTES_MAX: u64 = 200_000_000;
/// Entries that are there before the first frame.
const ENTRIES: usize = 60;

pub(super) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    let ken = match &request.ken {
        Some(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
        None => dist::build(context)?.path,
    };
    let scratch = Scratch::below(&dist::target_folder(context)?)?;
    let figures = torture(&scratch, &ken, &request, None)?;
    println!("{}", figures.told());
    Ok(())
}

/// Frames as a part of the programme.
pub(super) struct Frames;

impl Run for Frames {
    fn run(&self, bench: &Bench<'_>, _part: &Part, budget: &Budget) -> Result<super::Figures, Failure> {
        let scratch = Scratch::below(&dist::target_folder(bench.context)?)?;
        let request = Request {
            frames: usize::try_from(budget.tries_max).unwrap_or(FRAMES),
            seed: budget.first_seed,
            ken: None,
        };
        // The frames of the other two kinds and the check of the store take about as long as half of the rest.
        let end = Instant::now() + budget.time * 2 / 3;
        let mut figures = super::Figures { next_seed: budget.first_seed + 1, ..super::Figures::default() };
        match torture(&scratch, &bench.ken, &request, Some(end)) {
            Ok(sent) => {
                println!("{}", sent.told());
                figures.tries = (sent.frames + sent.unread) as u64;
            }
            Err(failure) => {
                figures.tries = 1;
                let name = budget.first_seed.to_string();
                figures.failures.push(FailedTry { name, message: failure.to_string() });
            }
        }
        Ok(figures)
    }

    fn repeat(&self, failed: &str) -> String {
        format!("cargo xtask torture mcp --frames {FRAMES} --seed {failed}")
    }
}

/// What was asked for.
#[derive(Debug, PartialEq)]
struct Request {
    frames: usize,
    seed: u64,
    /// Another binary than the one that would be built.
    ken: Option<PathBuf>,
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let usage = |problem: String| {
        let usage = "usage: cargo xtask torture mcp [--frames N] [--seed N] [--ken FILE]";
        Err(Failure::Usage(format!("{problem}\n{usage}")))
    };
    let mut request = Request { frames: FRAMES, seed: 1, ken: None };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (argument.as_str(), rest.next().cloned().unwrap_or_default()),
        };
        match (name, value.parse::<u64>()) {
            ("--frames", Ok(frames)) if frames > 0 => request.frames = frames as usize,
            ("--seed", Ok(seed)) => request.seed = seed,
            ("--ken", _) if !value.is_empty() => request.ken = Some(value.into()),
            ("--frames" | "--seed" | "--ken", _) => {
                return usage(format!("`{name}` does not take `{value}`"));
            }
            _ => return usage(format!("`torture mcp` does not know `{name}`")),
        }
    }
    Ok(request)
}

/// What was sent and what came of it.
#[derive(Default)]
struct Figures {
    frames: usize,
    over_http: usize,
    /// Requests of a client that did not read.
    unread: usize,
    servers: usize,
    answers: usize,
    errors_without_id: usize,
    refusals: usize,
    called_off: usize,
    slowest: Duration,
    anonymous_max: u64,
    seconds: f64,
    entries: (usize, usize),
}

impl Figures {
    fn told(&self) -> String {
        format!(
            "mcp: {} frames ({} over HTTP) and {} requests of a client that did not read, to {} servers in {:.0} s: {} answers, {} errors without an id, {} refused calls, \
             {} called off\nmcp: slowest burst {:.0} ms, most anonymous memory {:.1} MB, entries {} -> {}; no crash, no hang, \
             none unanswered, store verified",
            self.frames,
            self.over_http,
            self.unread,
            self.servers,
            self.seconds,
            self.answers,
            self.errors_without_id,
            self.refusals,
            self.called_off,
            self.slowest.as_secs_f64() * 1e3,
            self.anonymous_max as f64 / 1e6,
            self.entries.0,
            self.entries.1,
        )
    }
}

/// With an end it sends as many frames as fit before it.
fn torture(
    scratch: &Scratch,
    ken: &Path,
    request: &Request,
    end: Option<Instant>,
) -> Result<Figures, Failure> {
    println!("torture mcp: {} frames, seed {}", request.frames, request.seed);
    let begun = Instant::now();
    let root = scratch.repository("mcp")?;
    let run = |arguments: &[&str]| capture(scratch.program(ken, &root).args(arguments));
    run(&["init"])?;
    let source = scratch.folder.join("entries.jsonl");
    std::fs::write(&source, corpus::lines(ENTRIES))
        .map_err(|error| Failure::Failed(format!("cannot write entries to add: {error}")))?;
    run(&["add", "--file", &source.to_string_lossy()])?;
    let ground = CodeTree { scratch, ken, root: &root, outside: outside(scratch)? };
    let tools = tools(&run(&["mcp", "--profile", "full", "--tools"])?)?;

    let mut figures = Figures { entries: (ground.entries().len(), 0), ..Figures::default() };
    let over_http = request.frames / HTTP_SHARE;
    let mut writer = Writer::new(request.seed, tools);
    writer.knows(
        ground.entries().iter().filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect(),
    );
    let mut session = 0;
    let is_over = || end.is_some_and(|end| Instant::now() >= end);
    while figures.frames < request.frames - over_http && !is_over() {
        let long = if session % 10 == 9 { 10 } else { 1 };
        let left = request.frames - over_http - figures.frames;
        let frames = (SESSION_FRAMES * long).min(left);
        converse(&ground, &mut writer, session, frames, &mut figures).map_err(|failure| {
            Failure::Failed(format!("seed {}, server {session}: {failure}", request.seed))
        })?;
        session += 1;
        if session % 25 == 0 {
            println!("torture mcp: {} frames, {:.0} s", figures.frames, begun.elapsed().as_secs_f64());
        }
    }
    // Where the time was over before, the other two take part as they would have in so many frames.
    let (over_http, unread) = match is_over() {
        true => (figures.frames / HTTP_SHARE, figures.frames / UNREAD_SHARE),
        false => (over_http, request.frames / UNREAD_SHARE),
    };
    server::unread(&ground, unread, &mut figures)?;
    http::torture(&ground, &mut writer, over_http, &mut figures)?;

    let verdict = run(&["verify", "--json"])?;
    let verdict: Value = serde_json::from_str(&verdict).unwrap_or_default();
    if verdict["pass"] != true {
        return failed(format!("the store does not verify: {verdict}"));
    }
    if outside(scratch)? != ground.outside {
        return failed(format!("something was written outside of the repository: {:?}", outside(scratch)?));
    }
    if figures.anonymous_max > ANONYMOUS_BYTES_MAX {
        return failed(format!("a server took {} bytes for itself", figures.anonymous_max));
    }
    figures.entries.1 = ground.entries().len();
    figures.seconds = begun.elapsed().as_secs_f64();
    Ok(figures)
}

/// The store under attack.
struct CodeTree<'a> {
    scratch: &'a Scratch,
    ken: &'a Path,
    root: &'a Path,
    outside: BTreeSet<String>,
}

impl CodeTree<'_> {
    fn ken(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.program(self.ken, self.root);
        // The caller may itself be an agent; whoever calls here is not.
        for name in ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_SANDBOX", "CURSOR_AGENT", "GEMINI_CLI"] {
            command.env_remove(name);
        }
        command.args(arguments);
        command
    }

    /// The ledger files of entries: one each.
    fn entries(&self) -> BTreeSet<PathBuf> {
        let (files, _) = scratch::walk(&self.root.join(".kenning")).unwrap_or_default();
        let is_entry = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "entities");
        files.into_iter().map(|file| file.path).filter(is_entry).collect()
    }
}

/// What lies beside the repository.
fn outside(scratch: &Scratch) -> Result<BTreeSet<String>, Failure> {
    let listed = std::fs::read_dir(&scratch.folder)
        .map_err(|error| Failure::Failed(format!("cannot list the scratch folder: {error}")))?;
    Ok(listed.flatten().map(|item| item.file_name().to_string_lossy().into_owned()).collect())
}

fn tools(listing: &str) -> Result<Vec<Tool>, Failure> {
    let listing: Value = serde_json::from_str(listing)
        .map_err(|error| Failure::Failed(format!("the list of tools is not JSON: {error}")))?;
    let tools: Vec<Tool> = listing["tools"].as_array().into_iter().flatten().map(Tool::listed).collect();
    if tools.len() < 20 { failed("the full profile lists hardly any tool") } else { Ok(tools) }
}

/// One server, from its start to its end.
fn converse(
    ground: &CodeTree<'_>,
    writer: &mut Writer,
    session: usize,
    frames: usize,
    figures: &mut Figures,
) -> Outcome {
    let mut server = Server::start(ground)?;
    let mut sent = 0;
    let greeting = writer.greeting();
    server.burst(&greeting, figures)?;
    sent += greeting.len();
    while sent < frames {
        let burst = writer.burst(frames - sent);
        sent += burst.len();
        match burst.as_slice() {
            // A call that may write goes alone, so that a refusal can be held against what is in the store.
            [call] if call.writes => {
                let before = ground.entries();
                let refused = server.burst(&burst, figures)?;
                if refused && ground.entries() != before {
                    return failed(format!("a refused call changed the entries: {}", call.shown()));
                }
                figures.refusals += usize::from(refused);
            }
            _ => drop(server.burst(&burst, figures)?),
        }
    }
    let ending = [Ending::Plain, Ending::MidLine, Ending::MidCall, Ending::Deaf][session % 4];
    server.end(ending, writer, figures)?;
    figures.frames += sent;
    figures.servers += 1;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::frame::Frame;
    use super::*;

    fn asked(line: &str) -> Result<Request, Failure> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn frames_and_seed_are_read() {
        let request = asked("--frames 2000 --seed=7").unwrap();
        assert_eq!(request, Request { frames: 2000, seed: 7, ken: None });
        assert_eq!(asked("").unwrap().frames, FRAMES);
        for line in ["--frames 0", "--frames x", "--seed", "--rounds 3"] {
            assert_eq!(asked(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn the_same_seed_writes_the_same_frames() {
        let tools = || vec![Tool::listed(&serde_json::json!({"name": "recall"}))];
        let frames = |seed| -> Vec<Frame> {
            let mut writer = Writer::new(seed, tools());
            (0..50).flat_map(|_| writer.burst(100)).collect()
        };
        assert!(frames(3) == frames(3));
        assert!(frames(3) != frames(4));
    }
}
