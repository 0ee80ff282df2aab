//! The same frames over HTTP, and requests that are no HTTP at all.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::frame::{Expected, Frame, Writer};
use super::server::{anonymous, is_panic};
use super::{ANSWER_WITHIN, Figures, Ground};
use crate::context::{Failure, Outcome, failed};

/// A server that listens.
struct Listening {
    child: Child,
    address: String,
    /// The conversation of an older revision.
    session: String,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came back.
struct Reply {
    status: u16,
    head: String,
    body: String,
}

pub(super) fn torture(
    ground: &Ground<'_>,
    writer: &mut Writer,
    frames: usize,
    figures: &mut Figures,
) -> Outcome {
    if frames == 0 {
        return Ok(());
    }
    let notes_file = ground.root.join(".git/serve-notes");
    let mut server = listen(ground, &notes_file)?;
    server.greet()?;
    let mut sent = 0;
    while sent < frames {
        for frame in writer.burst(frames - sent) {
            let begun = Instant::now();
            let odd = writer.below(12);
            server.send(&frame, odd).map_err(|failure| {
                let notes = std::fs::read_to_string(&notes_file).unwrap_or_default();
                Failure::Failed(format!(
                    "over HTTP, way {odd}: {failure}\n{}\n{}",
                    frame.shown(),
                    notes.trim()
                ))
            })?;
            figures.slowest = figures.slowest.max(begun.elapsed());
            sent += 1;
        }
        figures.anonymous_max = figures.anonymous_max.max(anonymous(server.child.id()));
    }
    server.greet()?;
    if !matches!(server.child.try_wait(), Ok(None)) {
        return failed("`ken serve` ended by itself");
    }
    drop(server);
    let notes = std::fs::read_to_string(&notes_file).unwrap_or_default();
    if is_panic(&notes) {
        return failed(format!("`ken serve` said: {notes}"));
    }
    figures.frames += sent;
    figures.over_http += sent;
    figures.servers += 1;
    Ok(())
}

fn listen(ground: &Ground<'_>, notes: &std::path::Path) -> Result<Listening, Failure> {
    let notes = std::fs::File::create(notes)
        .map_err(|error| Failure::Failed(format!("cannot make a file for what `ken serve` says: {error}")))?;
    let mut command = ground.ken(&["serve", "--mcp", "--profile", "full", "--listen", "127.0.0.1:0"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(notes);
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
    if server.address.is_empty() { failed("`ken serve` does not say where it listens") } else { Ok(server) }
}

impl Listening {
    /// Begins a conversation, which must work at any time.
    fn greet(&mut self) -> Outcome {
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
        self.session = session.unwrap_or_default();
        Ok(())
    }

    fn post(&self, body: &[u8], more: &str) -> Result<Reply, Failure> {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Connection: close\r\n{more}Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        self.exchange(&[head.as_bytes(), body].concat(), true)?
            .ok_or_else(|| Failure::Failed("no answer came".to_owned()))
    }

    /// Sends bytes and reads until the other side is done. None where it said nothing.
    fn exchange(&self, bytes: &[u8], keeps_open: bool) -> Result<Option<Reply>, Failure> {
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

    fn send(&self, frame: &Frame, odd: usize) -> Outcome {
        let session = format!("Mcp-Session-Id: {}\r\nMcp-Protocol-Version: 2025-06-18\r\n", self.session);
        let body = &frame.bytes;
        match odd {
            // What is no HTTP, or not all of it, is not answered at all or with a refusal.
            0 => self.exchange(body, false).and_then(|reply| refused(reply.as_ref())),
            1 => {
                let head =
                    format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 100000\r\n\r\n", self.address);
                self.exchange(head.as_bytes(), false).and_then(|reply| refused(reply.as_ref()))
            }
            2 => {
                let head = "POST /mcp HTTP/1.1\r\nHost: elsewhere.example\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
                self.exchange(head.as_bytes(), true).and_then(|reply| refused(reply.as_ref()))
            }
            3 => {
                let head =
                    format!("GET /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
                self.exchange(head.as_bytes(), true).and_then(|reply| refused(reply.as_ref()))
            }
            4 | 5 => self.post(body, "").and_then(|reply| judged(frame, &reply)),
            _ => self.post(body, &session).and_then(|reply| judged(frame, &reply)),
        }
    }
}

impl Reply {
    /// The answer under an id, from a body that is JSON or a stream of events.
    fn answer(&self, id: &Value) -> Option<Value> {
        let lines = self.body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let messages = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        messages.into_iter().find(|message| message.get("id") == Some(id))
    }
}

fn refused(reply: Option<&Reply>) -> Outcome {
    match reply {
        Some(reply) if !(400..500).contains(&reply.status) => {
            failed(format!("it answers {} to what it should refuse", reply.status))
        }
        Some(_) | None => Ok(()),
    }
}

fn judged(frame: &Frame, reply: &Reply) -> Outcome {
    if is_panic(&reply.body) {
        return failed(format!("a call broke off: {}", reply.body));
    }
    match &frame.expected {
        _ if (400..500).contains(&reply.status) => Ok(()),
        Expected::Answer(id) if reply.status == 200 => {
            let id: Value = serde_json::from_str(id).unwrap_or_default();
            match reply.answer(&id) {
                Some(_) => Ok(()),
                None => failed(format!("no answer under {id}: {}", reply.body)),
            }
        }
        Expected::Perhaps(_) | Expected::ErrorWithoutId | Expected::Nothing if reply.status < 300 => Ok(()),
        _ => failed(format!("it answers {}: {}", reply.status, reply.body)),
    }
}
