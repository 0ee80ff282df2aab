//! The suite `mcp`: what an agent host waits for, from the start of the server to what is found and kept through it.
//!
//! The client is one thread that writes a line and reads a line.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::context::{Failure, failed};
use crate::harness::client::Talk;
use crate::harness::corpus::{self, Lesson};
use crate::harness::figure::Figure;
use crate::harness::measure::{self, Sample, Series, progress};
use crate::harness::probe::series;
use crate::harness::report::Report;
use crate::harness::scratch;
use crate::harness::session::{Session, text};
use crate::harness::store::{self, Filled};
use crate::harness::{Suite, Tool};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/mcp-quality.md"),
    sizes: [&[10_000], &[10_000]],
    needs: &[Tool::Ken, Tool::Probe],
    ..Suite::bench("mcp", run)
};

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let mut figures = Vec::new();
    for size in &session.sizes {
        let filled = store::fill(session, *size)?;
        let mut all = cold(session, &filled)?;
        all.extend(memory(session, &filled)?);
        all.extend(recall(session, &filled)?);
        all.push(list(session, &filled)?);
        all.extend(remember(session, &filled)?);
        all.extend(hooks(session, &filled)?);
        figures.extend(all.into_iter().map(|figure| figure.at(*size)));
    }
    Ok(Report::new(figures))
}

/// So often is done what takes milliseconds.
fn rounds(session: &Session<'_>) -> usize {
    session.effort.pick(60, 300)
}

fn server(session: &Session<'_>, filled: &Filled, arguments: &[&str]) -> Result<Talk, Failure> {
    Talk::start(session.ken(&filled.root, &["mcp"]).args(arguments))
}

/// From the start of the process to the list of tools, in both ways of greeting.
fn cold(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    progress("greeting and list of tools, cold");
    let mut series = [(); 3].map(|()| Series::default());
    for _ in 0..rounds(session) {
        let begun = Instant::now();
        let mut talk = server(session, filled, &[])?;
        talk.greet()?;
        talk.ask("tools/list", json!({}))?;
        series[0].push(Sample { wall: begun.elapsed(), cpu: None });
        talk.end()?;

        let begun = Instant::now();
        let mut talk = server(session, filled, &[])?;
        talk.ask("server/discover", json!({ "_meta": meta() }))?;
        talk.ask("tools/list", json!({ "_meta": meta() }))?;
        series[1].push(Sample { wall: begun.elapsed(), cpu: None });
        talk.end()?;

        series[2].push(measure::command(&mut session.empty(&filled.root)?)?.0);
    }
    let [greeted, discovered, empty] = &series;
    let floor = "start of an empty program";
    Ok(vec![
        Figure::time("mcp.cold", greeted).floor_time(floor, empty),
        Figure::time("mcp.cold_discover", discovered).floor_time(floor, empty),
    ])
}

/// What a server holds while nobody asks.
fn memory(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    progress("memory of a server");
    let mut talk = server(session, filled, &[])?;
    talk.greet()?;
    talk.ask("tools/list", json!({}))?;
    let mut figures = Vec::new();
    let mut push = |name: &str, talk: &Talk| {
        if let Some(memory) = Memory::of_process(talk.process()) {
            figures.push(Figure::new(name, memory.all as f64).note(memory.parts()));
        }
    };
    push("mcp.idle_memory", &talk);
    talk.call("fetch", json!({"id": first_id(&filled.root)?}))?;
    push("mcp.read_memory", &talk);
    for question in corpus::questions(101, filled.entries) {
        talk.call("recall", json!({ "query": question }))?;
    }
    push("mcp.recall_memory", &talk);
    talk.end()?;
    Ok(figures)
}

fn recall(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    progress("recall");
    let mut talk = server(session, filled, &[])?;
    talk.greet()?;
    let questions = corpus::questions(rounds(session) + 1, filled.entries);
    let first = talk.call("recall", json!({"query": questions[0]}))?;
    let mut times = Series::default();
    for question in &questions[1..] {
        times.push(talk.call("recall", json!({ "query": question }))?);
    }
    talk.end()?;
    let asked = session.write("questions", questions.join("\n"))?;
    let rounds = rounds(session).to_string();
    let library = session.probe().ask(&["warm", &text(&filled.root), &text(&asked), &rounds])?;
    Ok(vec![
        Figure::new("mcp.first_recall", first.wall.as_secs_f64()),
        Figure::time("mcp.recall", &times).floor_time("the library call", &series(&library, "micros")),
        Figure::new("mcp.recall_p99", times.within(0.99).as_secs_f64()),
    ])
}

/// One page of entries through the profile that has every verb, beside the same page in the library.
fn list(session: &Session<'_>, filled: &Filled) -> Result<Figure, Failure> {
    progress("list through the full profile");
    let mut talk = server(session, filled, &["--profile", "full"])?;
    talk.greet()?;
    talk.call("list", json!({}))?;
    let mut times = Series::default();
    for _ in 0..rounds(session) {
        times.push(talk.call("list", json!({}))?);
    }
    talk.end()?;
    let library = session.probe().ask(&["list", &text(&filled.root), &rounds(session).to_string()])?;
    let figure = Figure::time("mcp.list_full", &times);
    Ok(figure
        .floor_time("the library call", &series(&library, "micros"))
        .note(format!("{} entries to the page", library["entries"])))
}

/// A durable add, beside the same bytes appended and synced, and one text embedded.
fn remember(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    progress("remember");
    let mut number = filled.entries as u64 * 10;
    let mut next = || {
        number += 1;
        lesson(number)
    };
    let mut talk = server(session, filled, &[])?;
    talk.greet()?;
    // The first one opens the store and the model.
    talk.call("remember", next())?;
    let journal = filled.root.join(".git/kenning/journal");
    let before = size_of(&journal);
    talk.call("remember", next())?;
    let bytes = vec![b'x'; usize::try_from(size_of(&journal) - before).unwrap_or(2_000).max(500)];
    let path = filled.root.join(".git/bare");
    let mut bare_file = fs::File::create(&path)
        .map_err(|error| Failure::Failed(format!("cannot make a file to append to: {error}")))?;
    let (mut kept, mut bare) = (Series::default(), Series::default());
    scratch::settle();
    for _ in 0..rounds(session) {
        kept.push(talk.call("remember", next())?);
        let append = || bare_file.write_all(&bytes).and_then(|()| bare_file.sync_data());
        bare.push(measure::work("append and sync", append)?.0);
    }
    talk.end()?;
    let embedding = one_embedding(session)?;
    let floor = format!("append of {} bytes, fdatasync and one embedding", bytes.len());
    let least = bare.wall() + embedding;
    let mut figures = vec![Figure::time("mcp.remember", &kept).floor(floor, least.as_secs_f64())];
    figures.extend(syncs(session, filled, &mut next)?.map(|syncs| Figure::new("mcp.remember_syncs", syncs)));
    Ok(figures)
}

/// What the fastest path of this machine takes to embed one text of 50 tokens.
fn one_embedding(session: &Session<'_>) -> Result<Duration, Failure> {
    let answer = session.probe().ask(&["embed", "1"])?;
    let rates = answer["paths"].as_array().into_iter().flatten().filter_map(|path| path["single"].as_f64());
    match rates.fold(0.0, f64::max) {
        rate if rate > 0.0 => Ok(Duration::from_secs_f64(1.0 / rate)),
        _ => failed("the probe embeds nothing"),
    }
}

/// How often the disk is asked to make one entry durable; none where there is no strace.
fn syncs(
    session: &Session<'_>,
    filled: &Filled,
    next: &mut impl FnMut() -> Value,
) -> Result<Option<f64>, Failure> {
    const ROUNDS: usize = 10;
    let log = session.scratch.folder.join("mcp-syncs");
    let mut traced = session.scratch.program(Path::new("strace"), &filled.root);
    traced.args(["-f", "-qq", "-e", "trace=fsync,fdatasync,sync_file_range,syncfs", "-o"]).arg(&log);
    traced.arg(session.ken_path()).arg("mcp");
    let Ok(mut talk) = Talk::start(&mut traced) else { return Ok(None) };
    talk.greet()?;
    talk.call("remember", next())?;
    let counted = || fs::read_to_string(&log).map_or(0, |text| scratch::syncs_in(&text));
    let before = counted();
    for _ in 0..ROUNDS {
        talk.call("remember", next())?;
    }
    let after = counted();
    talk.end()?;
    Ok(Some((after - before) as f64 / ROUNDS as f64))
}

/// What a host waits for when it starts `ken hook`: a new process for each event, with the host's JSON on standard input. Each round
/// is a conversation of its own.
fn hooks(session: &Session<'_>, filled: &Filled) -> Result<Vec<Figure>, Failure> {
    progress("hooks, cold");
    let questions = corpus::questions(session.effort.pick(20, 300), filled.entries);
    let mut series = [(); 4].map(|()| Series::default());
    for (round, question) in questions.iter().enumerate() {
        let file = Lesson::number(round as u64).anchor;
        let file = file.split(['#', ':']).next().unwrap_or_default().to_owned();
        let touching = json!({"tool_name": "Read", "tool_input": {"file_path": filled.root.join(file)}});
        let events = [
            ("session-start", json!({"hook_event_name": "SessionStart", "source": "startup"})),
            ("prompt", json!({"hook_event_name": "UserPromptSubmit", "prompt": question})),
            ("touch", touching),
        ];
        for ((event, mut said), series) in events.into_iter().zip(&mut series) {
            said["session_id"] = json!(format!("bench-{}-{round}", filled.entries));
            said["cwd"] = json!(filled.root);
            series.push(hook(session, &filled.root, event, &said)?);
        }
        series[3].push(measure::command(&mut session.empty(&filled.root)?)?.0);
    }
    let names = ["mcp.hook_session_start", "mcp.hook_prompt", "mcp.hook_touch"];
    let [.., empty] = &series;
    let figure = |(name, times): (&str, &Series)| {
        Figure::time(name, times).floor_time("start of an empty program", empty)
    };
    Ok(names.into_iter().zip(&series).map(figure).collect())
}

fn hook(session: &Session<'_>, root: &Path, event: &str, said: &Value) -> Result<Sample, Failure> {
    let mut command = session.ken(root, &["hook", event, "--host", "claude-code"]);
    let begun = Instant::now();
    let answered = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().and_then(|mut child| {
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(said.to_string().as_bytes())?;
        }
        child.wait_with_output()
    });
    let wall = begun.elapsed();
    match answered {
        Ok(output) if output.status.success() => Ok(Sample { wall, cpu: None }),
        Ok(output) => failed(format!("`ken hook {event}` ended with {}", output.status)),
        Err(error) => failed(format!("`ken hook {event}` could not be run: {error}")),
    }
}

pub(crate) fn lesson(number: u64) -> Value {
    let lesson = Lesson::number(number);
    json!({
        "statement": lesson.statement,
        "title": lesson.title,
        "evidence": [lesson.evidence],
        "anchors": [lesson.anchor],
        "verify": [lesson.verification],
        "tags": lesson.tags,
    })
}

fn first_id(root: &Path) -> Result<String, Failure> {
    let (files, _) = scratch::walk(&root.join(".kenning"))
        .map_err(|error| Failure::Failed(format!("cannot walk the store: {error}")))?;
    let mut names = files.iter().filter_map(|file| file.path.file_stem()?.to_str());
    match names.find(|name| name.starts_with("lesson.")) {
        Some(name) => Ok(name.to_owned()),
        None => failed("the store has no entry"),
    }
}

fn size_of(folder: &Path) -> u64 {
    scratch::walk(folder).map_or(0, |(files, _)| files.iter().map(|file| file.size).sum())
}

/// What a request of the newest revision says about its client.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// Memory of a process, in bytes.
struct Memory {
    all: u64,
    own: u64,
    files: u64,
}

impl Memory {
    fn of_process(process: u32) -> Option<Memory> {
        Memory::read(&fs::read_to_string(format!("/proc/{process}/status")).ok()?)
    }

    fn parts(&self) -> String {
        format!("{:.1} MB its own, {:.1} MB of files", self.own as f64 / 1e6, self.files as f64 / 1e6)
    }

    fn read(status: &str) -> Option<Memory> {
        let bytes = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
        };
        Some(Memory { all: bytes("VmRSS:")?, own: bytes("RssAnon:")?, files: bytes("RssFile:")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_off_the_status_of_a_process() {
        let status = "Name:\tken\nVmRSS:\t    9000 kB\nRssAnon:\t    2000 kB\nRssFile:\t    7000 kB\n";
        let memory = Memory::read(status).expect("three lines");
        assert_eq!((memory.all, memory.parts().as_str()), (9_216_000, "2.0 MB its own, 7.2 MB of files"));
        assert!(Memory::read("").is_none());
    }
}
