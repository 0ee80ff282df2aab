//! The same frames over HTTP, and requests that are no HTTP at all.

use std::time::Instant;

use serde_json::Value;

use super::frame::{Expected, Frame, Writer};
use super::server::{anonymous, is_panic};
use super::{CodeTree, Figures};
use crate::context::{Failure, Outcome, failed};
use crate::harness::client::{Listening, Reply};

pub(super) fn torture(
    ground: &CodeTree<'_>,
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
            send(&server, &frame, odd).map_err(|failure| {
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

fn listen(ground: &CodeTree<'_>, notes: &std::path::Path) -> Result<Listening, Failure> {
    let notes = std::fs::File::create(notes)
        .map_err(|error| Failure::Failed(format!("cannot make a file for what `ken serve` says: {error}")))?;
    let mut command = ground.ken(&["serve", "--mcp", "--profile", "full", "--listen", "127.0.0.1:0"]);
    Listening::start(command.stderr(notes))
}

fn send(server: &Listening, frame: &Frame, odd: usize) -> Outcome {
    let session = format!("Mcp-Session-Id: {}\r\nMcp-Protocol-Version: 2025-06-18\r\n", server.session);
    let body = &frame.bytes;
    match odd {
        // What is no HTTP, or not all of it, is not answered at all or with a refusal.
        0 => server.exchange(body, false).and_then(|reply| refused(reply.as_ref())),
        1 => {
            let head =
                format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 100000\r\n\r\n", server.address);
            server.exchange(head.as_bytes(), false).and_then(|reply| refused(reply.as_ref()))
        }
        2 => {
            let head = "POST /mcp HTTP/1.1\r\nHost: elsewhere.example\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
            server.exchange(head.as_bytes(), true).and_then(|reply| refused(reply.as_ref()))
        }
        3 => {
            let head = format!("GET /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
            server.exchange(head.as_bytes(), true).and_then(|reply| refused(reply.as_ref()))
        }
        4 | 5 => server.post(body, "").and_then(|reply| judged(frame, &reply)),
        _ => server.post(body, &session).and_then(|reply| judged(frame, &reply)),
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
