//! The suite `mcp`: what an agent host waits for, from the start of the server to what is found and kept through it.
//!
//! The client is the simplest there can be: it writes a line and reads a line, in one thread.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::corpus::{self, Lesson};
use super::filled::{self, Filled};
use super::machine;
use super::measure::{self, Sample, Series, progress};
use super::report::{Row, Table, duration, ratio};
use super::scratch::{self, Scratch};
use super::{Effort, Request};
use crate::context::{Context, Failure, failed};
use crate::dist;
use crate::probe::Probe;

const COLD_MAX: Duration = Duration::from_millis(5);
const RECALL_MAX: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(30)];
const REMEMBER_RATIO_MAX: f64 = 1.3;
const HOOK_MAX: Duration = Duration::from_millis(50);
const IDLE_BYTES_MAX: u64 = 12_000_000;

/// The table, and the folder that the caller lets go of when the table is safe.
pub(super) fn run(context: &Context, request: &Request) -> Result<(Table, Scratch), Failure> {
    let ken = match &request.ken {
        Some(ken) => ken.clone(),
        None => {
            println!("building ken as `cargo xtask dist` does, and the probe that makes vectors");
            dist::build(context)?.path
        }
    };
    let probe = Probe::build(context)?;
    let scratch = Scratch::below(&dist::target_folder(context)?)?;
    let empty = scratch.empty_program()?;
    let mut lines = machine::describe(context, &scratch.folder)?;
    let bench = Bench { scratch, ken, empty, probe, effort: request.effort };
    let mut rows = Vec::new();
    for size in &request.sizes {
        let filled = filled::fill(&bench.scratch, &bench.ken, &bench.probe, *size)?;
        rows.extend(bench.cold(&filled, *size)?);
        rows.extend(bench.idle(&filled, *size)?);
        rows.extend(bench.recall(&filled, *size)?);
        rows.extend(bench.remember(&filled, *size)?);
        rows.extend(bench.hooks(&filled, *size)?);
    }
    lines.extend(machine::load().map(|load| format!("load average of the last minute at the end: {load}")));
    let sizes: Vec<String> = request.sizes.iter().map(usize::to_string).collect();
    let quick = if request.effort == Effort::Quick { " --quick" } else { "" };
    let own = if request.ken.is_some() { " --ken target/release/ken" } else { "" };
    let command = format!("cargo xtask bench mcp{quick}{own} --sizes {} --write", sizes.join(","));
    Ok((Table { command, machine: lines, rows }, bench.scratch))
}

struct Bench {
    scratch: Scratch,
    ken: PathBuf,
    empty: PathBuf,
    probe: Probe,
    effort: Effort,
}

impl Bench {
    fn ken(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = self.scratch.program(&self.ken, root);
        // Whoever measures may be an agent; the client here is not.
        command.env_remove("CLAUDECODE").env_remove("CLAUDE_CODE_SESSION_ID");
        command.args(arguments);
        command
    }

    /// So often is done what takes milliseconds.
    fn rounds(&self) -> usize {
        match self.effort {
            Effort::Quick => 60,
            Effort::Whole => 300,
        }
    }

    /// From the start of the process to the list of tools, in both ways of greeting.
    fn cold(&self, filled: &Filled, entries: usize) -> Result<Vec<Row>, Failure> {
        progress("greeting and list of tools, cold");
        let mut series = [(); 4].map(|()| Series::default());
        for _ in 0..self.rounds() {
            let begun = Instant::now();
            let mut talk = Talk::start(&mut self.ken(&filled.root, &["mcp"]))?;
            talk.greet()?;
            talk.ask("tools/list", json!({}))?;
            series[0].push(Sample { wall: begun.elapsed(), cpu: None });
            talk.end()?;

            let begun = Instant::now();
            let mut talk = Talk::start(&mut self.ken(&filled.root, &["mcp"]))?;
            talk.ask("server/discover", json!({ "_meta": meta() }))?;
            talk.ask("tools/list", json!({ "_meta": meta() }))?;
            series[1].push(Sample { wall: begun.elapsed(), cpu: None });
            talk.end()?;

            series[2].push(measure::command(&mut self.ken(&filled.root, &["--version"]))?.0);
            series[3].push(measure::command(&mut self.scratch.program(&self.empty, &filled.root))?.0);
        }
        let [greeted, discovered, version, empty] = &series;
        let row = |what: &str, series: &Series| {
            spread(Row::new(what, Some(entries)), series).floor(
                "start of an empty program",
                empty.wall(),
                series.wall(),
            )
        };
        Ok(vec![
            row("cold `initialize` and `tools/list`", greeted)
                .target("p50 ≤ 5 ms", greeted.wall() <= COLD_MAX),
            row("cold `server/discover` and `tools/list`", discovered)
                .target("p50 ≤ 5 ms", discovered.wall() <= COLD_MAX),
            row("`ken --version`", version),
        ])
    }

    /// What a server holds while nobody asks.
    fn idle(&self, filled: &Filled, entries: usize) -> Result<Vec<Row>, Failure> {
        progress("memory of a server");
        let mut talk = Talk::start(&mut self.ken(&filled.root, &["mcp"]))?;
        talk.greet()?;
        talk.ask("tools/list", json!({}))?;
        let mut rows = Vec::new();
        let mut push = |what: &str, memory: Option<Memory>, counts: bool| {
            let row = Row::new(&format!("memory of a server {what}"), Some(entries));
            rows.push(match memory {
                None => row.measured("not told by the system"),
                Some(memory) if counts => {
                    row.measured(memory.told()).target("≤ 12 MB", memory.all <= IDLE_BYTES_MAX)
                }
                Some(memory) => row.measured(memory.told()),
            });
        };
        push("after the list of tools", talk.memory(), true);
        talk.call("fetch", json!({"id": first_id(&filled.root)?}))?;
        push("after one entry was read", talk.memory(), true);
        talk.call("recall", json!({"query": corpus::questions(1, entries)[0]}))?;
        push("after the first recall, with the model", talk.memory(), false);
        for question in corpus::questions(100, entries) {
            talk.call("recall", json!({ "query": question }))?;
        }
        push("after a hundred more", talk.memory(), false);
        talk.end()?;
        Ok(rows)
    }

    fn recall(&self, filled: &Filled, entries: usize) -> Result<Vec<Row>, Failure> {
        progress("recall");
        let mut talk = Talk::start(&mut self.ken(&filled.root, &["mcp"]))?;
        talk.greet()?;
        let questions = corpus::questions(self.rounds() + 1, entries);
        let first = talk.call("recall", json!({"query": questions[0]}))?;
        let mut series = Series::default();
        for question in &questions[1..] {
            series.push(talk.call("recall", json!({ "query": question }))?);
        }
        talk.end()?;
        let (half, most) = (series.wall(), series.within(0.99));
        Ok(vec![
            spread(Row::new("`recall` over pipes", Some(entries)), &series)
                .target("p50 ≤ 10 ms, p99 ≤ 30 ms", half <= RECALL_MAX[0] && most <= RECALL_MAX[1]),
            Row::new("the first `recall`, which opens the store and the model", Some(entries))
                .measured(duration(first.wall)),
        ])
    }

    /// A durable add, beside the same bytes appended and synced.
    fn remember(&self, filled: &Filled, entries: usize) -> Result<Vec<Row>, Failure> {
        progress("remember");
        let mut number = entries as u64 * 10;
        let mut next = || {
            number += 1;
            lesson(number)
        };
        let mut talk = Talk::start(&mut self.ken(&filled.root, &["mcp"]))?;
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
        for _ in 0..self.rounds() {
            kept.push(talk.call("remember", next())?);
            let append = || bare_file.write_all(&bytes).and_then(|()| bare_file.sync_data());
            bare.push(measure::work("append and sync", append)?.0);
        }
        talk.end()?;
        let syncs = self.syncs(filled, &mut next)?;
        let times = ratio(kept.wall(), bare.wall());
        Ok(vec![
            spread(Row::new("`remember` over pipes", Some(entries)), &kept)
                .floor(&format!("append of {} bytes and fdatasync", bytes.len()), bare.wall(), kept.wall())
                .target("ratio ≤ 1.3", times <= REMEMBER_RATIO_MAX),
            Row::new("syncs of a `remember`", Some(entries))
                .measured(syncs.map_or("not counted: no strace".to_owned(), |syncs| format!("{syncs:.1}"))),
        ])
    }

    /// How often the disk is asked to make one entry durable.
    fn syncs(&self, filled: &Filled, next: &mut impl FnMut() -> Value) -> Result<Option<f64>, Failure> {
        const ROUNDS: usize = 10;
        let log = self.scratch.folder.join("mcp-syncs");
        let mut traced = self.scratch.program(Path::new("strace"), &filled.root);
        traced.args(["-f", "-qq", "-e", "trace=fsync,fdatasync,sync_file_range,syncfs", "-o"]).arg(&log);
        traced.arg(&self.ken).arg("mcp");
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
    fn hooks(&self, filled: &Filled, entries: usize) -> Result<Vec<Row>, Failure> {
        progress("hooks, cold");
        let questions = corpus::questions(self.rounds(), entries);
        let mut series = [(); 3].map(|()| Series::default());
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
                said["session_id"] = json!(format!("bench-{entries}-{round}"));
                said["cwd"] = json!(filled.root);
                series.push(self.hook(&filled.root, event, &said)?);
            }
        }
        let [started, prompted, touched] = &series;
        let row = |what: &str, series: &Series| {
            spread(Row::new(&format!("`ken hook {what}`, cold"), Some(entries)), series)
                .target("p50 ≤ 50 ms", series.wall() <= HOOK_MAX)
        };
        Ok(vec![row("session-start", started), row("prompt", prompted), row("touch", touched)])
    }

    fn hook(&self, root: &Path, event: &str, said: &Value) -> Result<Sample, Failure> {
        let mut command = self.ken(root, &["hook", event, "--host", "claude-code"]);
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
}

fn spread(row: Row, series: &Series) -> Row {
    row.measured(format!("p50 {}, p99 {}", duration(series.wall()), duration(series.within(0.99))))
        .best(duration(series.best()))
}

fn lesson(number: u64) -> Value {
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
    fn told(&self) -> String {
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        format!(
            "{:.1} MB ({:.1} its own, {:.1} of files)",
            megabytes(self.all),
            megabytes(self.own),
            megabytes(self.files)
        )
    }

    fn read(status: &str) -> Option<Memory> {
        let bytes = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
        };
        Some(Memory { all: bytes("VmRSS:")?, own: bytes("RssAnon:")?, files: bytes("RssFile:")? })
    }
}

/// A conversation with a server.
struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Talk {
    fn start(command: &mut Command) -> Result<Talk, Failure> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child =
            command.spawn().map_err(|error| Failure::Failed(format!("cannot start `ken mcp`: {error}")))?;
        match (child.stdin.take(), child.stdout.take()) {
            (input @ Some(_), Some(output)) => {
                Ok(Talk { child, input, output: BufReader::new(output), next_id: 0 })
            }
            _ => failed("`ken mcp` has no pipes"),
        }
    }

    fn greet(&mut self) -> Result<(), Failure> {
        let client = json!({"name": "bench", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        self.ask("initialize", hello)?;
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    }

    fn say(&mut self, message: &Value) -> Result<(), Failure> {
        let line = format!("{message}\n");
        let written = self.input.as_mut().map_or(Ok(()), |input| input.write_all(line.as_bytes()));
        written.map_err(|error| Failure::Failed(format!("the server takes no more: {error}")))
    }

    /// Asks and waits for the answer.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        self.next_id += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}))?;
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        let mut answer: Value = match read {
            Ok(1..) => serde_json::from_str(&line).unwrap_or_default(),
            Ok(0) => return failed(format!("the server ended at `{method}`")),
            Err(error) => return failed(format!("cannot read the answer to `{method}`: {error}")),
        };
        if answer["id"] != self.next_id || answer.get("result").is_none() {
            return failed(format!("`{method}` is answered with {}", line.trim()));
        }
        Ok(answer["result"].take())
    }

    /// Calls a tool, with the time it took.
    fn call(&mut self, tool: &str, arguments: Value) -> Result<Sample, Failure> {
        let begun = Instant::now();
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let wall = begun.elapsed();
        if answer["isError"] == true {
            return failed(format!("`{tool}` did not work: {}", answer["content"][0]["text"]));
        }
        Ok(Sample { wall, cpu: None })
    }

    fn memory(&self) -> Option<Memory> {
        Memory::read(&fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?)
    }

    /// Closes the pipe and waits for the server to go.
    fn end(mut self) -> Result<(), Failure> {
        self.input = None;
        match self.child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => failed(format!("`ken mcp` ended with {status}")),
            Err(error) => failed(format!("cannot wait for `ken mcp`: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_off_the_status_of_a_process() {
        let status = "Name:\tken\nVmRSS:\t    9000 kB\nRssAnon:\t    2000 kB\nRssFile:\t    7000 kB\n";
        let memory = Memory::read(status).expect("three lines");
        assert_eq!(memory.told(), "9.2 MB (2.0 its own, 7.2 of files)");
        assert!(Memory::read("").is_none());
    }
}
