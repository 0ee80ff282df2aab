//! A server over pipes, and whether it answers what it must.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::frame::{Expected, Frame, Writer};
use super::{ANSWER_WITHIN, CodeTree, END_WITHIN, Figures};
use crate::context::{Failure, Outcome, failed};

/// A server and both ends of its pipes.
pub(super) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Its output is read no further.
    deaf: Arc<AtomicBool>,
    notes: Option<JoinHandle<String>>,
    fences: usize,
    /// Answers that may still come, to what was called off.
    late: HashMap<String, usize>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a client goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ending {
    /// It closes its end.
    Plain,
    /// It closes its end in the middle of a line.
    MidLine,
    /// It closes its end while calls are worked on.
    MidCall,
    /// It stops listening first.
    Deaf,
}

/// A line on standard error that is no note.
pub(super) fn is_panic(text: &str) -> bool {
    text.contains("panicked at") || text.contains("stack overflow") || text.contains("the call broke off")
}

impl Server {
    pub(super) fn start(ground: &CodeTree<'_>) -> Result<Server, Failure> {
        let mut command = ground.ken(&["mcp", "--profile", "full"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return failed(format!("cannot start `ken mcp`: {error}")),
        };
        let (sender, lines) = channel();
        let deaf = Arc::new(AtomicBool::new(false));
        let (output, told) = (child.stdout.take(), deaf.clone());
        std::thread::spawn(move || {
            let Some(output) = output else { return };
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8(line).unwrap_or_else(|_| "not UTF-8".to_owned());
                if told.load(Ordering::SeqCst) || sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut said = child.stderr.take();
        let notes = std::thread::spawn(move || {
            let mut text = String::new();
            if let Some(said) = &mut said {
                let _ = said.read_to_string(&mut text);
            }
            text
        });
        let input = child.stdin.take();
        Ok(Server { child, input, lines, deaf, notes: Some(notes), fences: 0, late: HashMap::new() })
    }

    fn write(&mut self, frame: &Frame) -> std::io::Result<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        if frame.slow {
            for piece in frame.bytes.chunks(40) {
                input.write_all(piece)?;
                input.flush()?;
                std::thread::sleep(Duration::from_millis(1));
            }
            return input.write_all(b"\n");
        }
        let mut line = frame.bytes.clone();
        line.push(b'\n');
        input.write_all(&line)
    }

    /// Sends frames and a `ping`, and hears what must be heard. Answers whether anything was refused.
    pub(super) fn burst(&mut self, frames: &[Frame], figures: &mut Figures) -> Result<bool, Failure> {
        let begun = Instant::now();
        self.fences += 1;
        let fence = format!("fence-{}", self.fences);
        let mut wanted: HashMap<String, usize> = HashMap::from([(json!(fence).to_string(), 1)]);
        let (mut errors, mut spare) = (0, 0);
        for frame in frames {
            match &frame.expected {
                Expected::Answer(id) => *wanted.entry(id.clone()).or_default() += 1,
                Expected::Perhaps(id) => {
                    *self.late.entry(id.clone()).or_default() += 1;
                    spare += 1;
                }
                Expected::ErrorWithoutId => errors += 1,
                Expected::Nothing => {}
            }
            if let Err(error) = self.write(frame) {
                return self.broken(frames, &format!("it took no more ({error})"));
            }
        }
        let ping = json!({"jsonrpc": "2.0", "id": fence, "method": "ping"}).to_string();
        let ping =
            Frame { bytes: ping.into_bytes(), expected: Expected::Nothing, writes: false, slow: false };
        if let Err(error) = self.write(&ping) {
            return self.broken(frames, &format!("it took no more ({error})"));
        }
        let (mut refused, mut told) = (false, 0);
        while !wanted.is_empty() {
            let line = match self.lines.recv_timeout(ANSWER_WITHIN.saturating_sub(begun.elapsed())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    let ids: Vec<&String> = wanted.keys().collect();
                    return self.broken(frames, &format!("no answer to {ids:?} within {ANSWER_WITHIN:?}"));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return self.broken(frames, "it ended in the middle of a conversation");
                }
            };
            if is_panic(&line) {
                return self.broken(frames, &format!("a call broke off: {line}"));
            }
            let Ok(answer) = serde_json::from_str::<Value>(&line) else {
                return self.broken(frames, &format!("it wrote a line that is not JSON: {line}"));
            };
            if answer.get("method").is_some() {
                continue;
            }
            // The fence may be refused for reasons of its own.
            let failed = answer.get("error").is_some() || answer["result"]["isError"] == true;
            refused |= failed && answer["id"] != fence.as_str();
            let Some(id) = answer.get("id").filter(|id| !id.is_null()) else {
                told += 1;
                continue;
            };
            figures.answers += 1;
            if !take(&mut wanted, &id.to_string()) && !take(&mut self.late, &id.to_string()) {
                return self.broken(frames, &format!("nobody asked for {}", shortened(&line)));
            }
        }
        figures.called_off += spare;
        if told < errors || told > errors + spare {
            return self.broken(frames, &format!("{errors} errors without an id are due, and {told} came"));
        }
        figures.errors_without_id += told;
        figures.slowest = figures.slowest.max(begun.elapsed());
        figures.anonymous_max = figures.anonymous_max.max(anonymous(self.child.id()));
        Ok(refused)
    }

    fn broken<T>(&mut self, frames: &[Frame], how: &str) -> Result<T, Failure> {
        let _ = self.child.kill();
        let status = self.child.wait().map(|status| status.to_string()).unwrap_or_default();
        let notes = self.notes.take().and_then(|notes| notes.join().ok()).unwrap_or_default();
        let frames: Vec<String> = frames.iter().map(Frame::shown).collect();
        failed(format!("{how}\n{status}\nstandard error: {}\n{}", notes.trim(), frames.join("\n")))
    }

    /// Goes, and sees the server go.
    pub(super) fn end(mut self, ending: Ending, writer: &mut Writer, figures: &mut Figures) -> Outcome {
        let calls: Vec<Frame> = (0..3).map(|_| writer.call()).collect();
        match ending {
            Ending::Plain => {}
            Ending::MidLine => {
                if let Some(input) = &mut self.input {
                    let _ = input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"pi");
                }
            }
            Ending::MidCall => calls.iter().for_each(|call| drop(self.write(call))),
            Ending::Deaf => {
                self.deaf.store(true, Ordering::SeqCst);
                for _ in 0..20 {
                    // The server may have noticed by now.
                    if self.burst_unheard(&calls).is_err() {
                        break;
                    }
                }
            }
        }
        self.input = None;
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if begun.elapsed() > END_WITHIN => {
                    return self
                        .broken(&calls, &format!("it did not end within {END_WITHIN:?} ({ending:?})"));
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                Err(error) => return failed(format!("cannot wait for `ken mcp`: {error}")),
            }
        };
        figures.slowest = figures.slowest.max(begun.elapsed());
        let notes = self.notes.take().and_then(|notes| notes.join().ok()).unwrap_or_default();
        let well = match ending {
            Ending::Plain | Ending::MidLine | Ending::MidCall => status.success(),
            Ending::Deaf => status.code().is_some(),
        };
        if !well || is_panic(&notes) {
            return failed(format!("it ended with {status} ({ending:?}); standard error: {}", notes.trim()));
        }
        Ok(())
    }

    fn burst_unheard(&mut self, calls: &[Frame]) -> std::io::Result<()> {
        let ping = json!({"jsonrpc": "2.0", "id": "unheard", "method": "ping"}).to_string();
        self.write(&Frame { bytes: ping.into_bytes(), ..calls[0].clone() })?;
        std::thread::sleep(Duration::from_millis(2));
        Ok(())
    }
}

/// Counts one off.
fn take(counts: &mut HashMap<String, usize>, id: &str) -> bool {
    match counts.get_mut(id) {
        None => false,
        Some(1) => counts.remove(id).is_some(),
        Some(count) => {
            *count -= 1;
            true
        }
    }
}

fn shortened(line: &str) -> String {
    line.chars().take(600).collect()
}

/// Memory that a process has for itself, in bytes; 0 where the system does not tell.
pub(super) fn anonymous(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// A client that asks and asks and does not read: the server stops reading, keeps its memory, and answers everything in the end.
pub(super) fn unread(ground: &CodeTree<'_>, requests: usize, figures: &mut Figures) -> Outcome {
    let requests = requests.clamp(400, 5_000);
    let mut command = ground.ken(&["mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return failed(format!("cannot start `ken mcp`: {error}")),
    };
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return failed("`ken mcp` has no pipes");
    };
    let asking = std::thread::spawn(move || {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello});
        let _ = writeln!(input, "{hello}");
        for id in 1..requests {
            let _ = writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}));
        }
        input
    });
    std::thread::sleep(Duration::from_millis(1_500));
    figures.anonymous_max = figures.anonymous_max.max(anonymous(child.id()));
    let mut seen = vec![0_usize; requests];
    let mut left = requests;
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let id = serde_json::from_str::<Value>(&line).ok().and_then(|answer| answer["id"].as_u64());
        match id.and_then(|id| seen.get_mut(usize::try_from(id).unwrap_or(usize::MAX))) {
            Some(count) => *count += 1,
            None => return failed(format!("nobody asked for {}", shortened(&line))),
        }
        left -= 1;
        if left == 0 {
            break;
        }
    }
    drop(asking.join());
    let _ = child.wait();
    if seen.iter().any(|count| *count != 1) {
        let odd = seen.iter().filter(|count| **count != 1).count();
        return failed(format!(
            "of {requests} requests of a client that does not read, {odd} were not answered once"
        ));
    }
    figures.unread += requests;
    figures.servers += 1;
    figures.answers += requests;
    Ok(())
}
