//! The simplest clients of the MCP server that there can be: one over pipes, which writes a line and reads a line, and one over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::measure::Sample;
use crate::context::{Failure, Outcome, failed};

/// An answer takes no longer, on a machine that has other things to do as well.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// The token of servers that listen.
const TOKEN: &str = "a-token-of-sixteen-letters-or-more";

/// A conversation with a server.
pub(crate) struct Talk {
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
    pub(crate) fn start(command: &mut Command) -> Result<Talk, Failure> {
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

    pub(crate) fn greet(&mut self) -> Outcome {
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
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
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
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Result<Sample, Failure> {
        let begun = Instant::now();
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let wall = begun.elapsed();
        if answer["isError"] == true {
            return failed(format!("`{tool}` did not work: {}", answer["content"][0]["text"]));
        }
        Ok(Sample { wall, cpu: None })
    }

    /// The number of the server's process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Closes the pipe and waits for the server to go.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        self.input = None;
        match self.child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => failed(format!("`ken mcp` ended with {status}")),
            Err(error) => failed(format!("cannot wait for `ken mcp`: {error}")),
        }
    }
}

/// A server that listens.
pub(crate) struct Listening {
    pub(crate) child: Child,
    pub(crate) address: String,
    /// The conversation of an older revision.
    pub(crate) session: String,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came back.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Listening {
    /// Starts `ken serve --mcp --listen 127.0.0.1:0` and waits for it to say where it listens.
    pub(crate) fn start(command: &mut Command) -> Result<Listening, Failure> {
        command.env("KEN_TOKEN", TOKEN).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return failed(format!("cannot start `ken serve`: {error}")),
        };
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            let _ = BufReader::new(output).read_line(&mut line);
        }
        let address = line.trim().trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        let server = Listening { child, address, session: String::new() };
        if server.address.is_empty() {
            failed("`ken serve` does not say where it listens")
        } else {
            Ok(server)
        }
    }

    /// Begins a conversation, which must work at any time, and keeps it.
    pub(crate) fn greet(&mut self) -> Outcome {
        self.session = self.begin()?;
        Ok(())
    }

    /// Begins a conversation, with the name that the server gives it.
    pub(crate) fn begin(&self) -> Result<String, Failure> {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello});
        let reply = self.post(hello.to_string().as_bytes(), "")?;
        let session = reply.head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        if reply.status != 200 || reply.answer(&json!(0)).is_none() {
            return failed(format!("a greeting is answered with {}: {}", reply.status, reply.body));
        }
        Ok(session.unwrap_or_default())
    }

    pub(crate) fn post(&self, body: &[u8], more: &str) -> Result<Reply, Failure> {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Authorization: Bearer {TOKEN}\r\nConnection: close\r\n{more}Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        self.exchange(&[head.as_bytes(), body].concat(), true)?
            .ok_or_else(|| Failure::Failed("no answer came".to_owned()))
    }

    /// Sends bytes and reads until the other side is done. None where it said nothing.
    pub(crate) fn exchange(&self, bytes: &[u8], keeps_open: bool) -> Result<Option<Reply>, Failure> {
        let broken = |what: &str| {
            let what = what.to_owned();
            move |error: std::io::Error| Failure::Failed(format!("{what}: {error}"))
        };
        let mut stream = TcpStream::connect(&self.address).map_err(broken("it takes no connection"))?;
        stream.set_read_timeout(Some(ANSWER_WITHIN)).map_err(broken("cannot set a time limit"))?;
        stream.set_write_timeout(Some(ANSWER_WITHIN)).map_err(broken("cannot set a time limit"))?;
        // A server may refuse before it has read everything.
        let _ = stream.write_all(bytes);
        if !keeps_open {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let mut heard = Vec::new();
        match stream.read_to_end(&mut heard) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
            Err(error) => return failed(format!("no end of the answer came: {error}")),
        }
        let text = String::from_utf8_lossy(&heard);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { return Ok(None) };
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Ok(Some(Reply { status, head: head.to_owned(), body: body.to_owned() }))
    }
}

impl Reply {
    /// The answer under an id, from a body that is JSON or a stream of events.
    pub(crate) fn answer(&self, id: &Value) -> Option<Value> {
        let lines = self.body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let messages = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        messages.into_iter().find(|message| message.get("id") == Some(id))
    }
}
