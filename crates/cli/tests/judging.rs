//! A judge that tests play.

use std::io::{BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::sent::read_body;
use crate::world::World;

/// A server in the manner of OpenAI that gives one answer to everything, and tells what it was asked.
pub(crate) fn judging(said: Value) -> (String, Receiver<Value>) {
    judging_in_turn(vec![said.to_string()])
}

/// The same, with an answer for each question; the last one is given from then on. In place of an empty one, the connection is closed.
pub(crate) fn judging_in_turn(answers: Vec<String>) -> (String, Receiver<Value>) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", socket.local_addr().unwrap());
    let (told, asked) = channel();
    std::thread::spawn(move || {
        let mut answers = answers.into_iter();
        let mut said = String::new();
        while let Ok((stream, _)) = socket.accept() {
            said = answers.next().unwrap_or(said);
            let mut reader = BufReader::new(stream);
            told.send(read_body(&mut reader)).unwrap();
            if said.is_empty() {
                continue;
            }
            let answer = json!({
                "choices": [{ "finish_reason": "stop", "message": { "role": "assistant", "content": said } }],
                "usage": { "prompt_tokens": 1_000, "completion_tokens": 100 }
            })
            .to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", answer.len());
            reader.get_mut().write_all((head + &answer).as_bytes()).unwrap();
        }
    });
    (url, asked)
}

/// A person chooses a judge in this clone, with some limits.
pub(crate) fn allow(world: &World, url: &str, limits: &[(&str, &str)]) {
    let chosen = [
        ("kind", "openai"),
        ("model", "small"),
        ("url", url),
        ("price_read", "100"),
        ("price_written", "400"),
    ];
    for (name, value) in chosen.iter().chain(limits) {
        world.ken_args(&["config", &format!("judge.{name}"), value]).ok();
    }
}
