//! A server of a few lines: it plays its replies, one for each connection, and then closes its door.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use ken_providers::Protocol;
use serde_json::{Value, json};

/// What is done with a request.
pub enum Reply {
    /// Vectors of so many dimensions for the texts that came, and in the wrong order where the protocol allows it.
    Meanings(usize),
    /// A status and a body.
    Text(u16, String),
    /// A status and another place.
    Redirect(u16, String),
    /// These bytes.
    Raw(&'static str),
    /// More than anybody wants to read.
    Flood,
    /// An answer without an end, a few bytes at a time.
    Drip,
    /// The connection is closed without a word.
    HangUp,
    /// Nothing, until the other side gives up.
    Silence,
}

/// What was asked.
pub struct Request {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A server that is running.
pub struct Stub {
    pub url: String,
    requests: Receiver<Request>,
}

impl Stub {
    pub fn start(protocol: Protocol, replies: Vec<Reply>) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let path = match protocol {
            Protocol::OpenAi => "/v1",
            Protocol::Ollama | Protocol::Anthropic => "",
        };
        let url = format!("http://{}{path}", listener.local_addr().unwrap());
        let (told, requests) = channel();
        if !replies.is_empty() {
            std::thread::spawn(move || {
                for reply in replies {
                    let Ok((stream, _)) = listener.accept() else { return };
                    // The other side may give up at any point; that is its business.
                    let _ = answer(protocol, reply, stream, &told);
                }
            });
        }
        Stub { url, requests }
    }

    pub fn place(&self) -> String {
        self.url.trim_start_matches("http://").trim_end_matches("/v1").to_owned()
    }

    /// The next request that came.
    pub fn request(&self) -> Request {
        self.requests.recv().expect("a request came")
    }
}

/// The meaning of a text of so many bytes.
pub fn numbers(length: usize, dimensions: usize) -> Vec<f32> {
    (0..dimensions).map(|at| length as f32 + at as f32 / 4.0).collect()
}

fn answer(
    protocol: Protocol,
    reply: Reply,
    stream: TcpStream,
    told: &Sender<Request>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let line = lines.remove(0);
    let headers: Vec<(String, String)> = lines
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body).unwrap();
    let (status, more, text) = match reply {
        Reply::Meanings(dimensions) => (200, String::new(), meanings(protocol, &body, dimensions)),
        Reply::Text(status, text) => (status, String::new(), text),
        Reply::Redirect(status, to) => (status, format!("location: {to}\r\n"), String::new()),
        Reply::Raw(bytes) => return writer.write_all(bytes.as_bytes()),
        Reply::Drip => {
            writer.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
            // Nobody writes any more: to read is to wait a little.
            reader.get_ref().set_read_timeout(Some(Duration::from_millis(20)))?;
            loop {
                writer.write_all(b" ")?;
                let _ = reader.read(&mut [0]);
            }
        }
        Reply::HangUp => return Ok(()),
        Reply::Silence => return reader.read_to_end(&mut Vec::new()).map(|_| ()),
        Reply::Flood => {
            writer.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
            loop {
                writer.write_all(&[b' '; 65536])?;
            }
        }
    };
    let _ = told.send(Request { line, headers, body });
    let length = text.len();
    write!(writer, "HTTP/1.1 {status} X\r\nconnection: close\r\n{more}content-length: {length}\r\n\r\n{text}")
}

fn meanings(protocol: Protocol, body: &Value, dimensions: usize) -> String {
    let texts = body["input"].as_array().unwrap().iter();
    let vectors: Vec<Vec<f32>> =
        texts.map(|text| numbers(text.as_str().unwrap().len(), dimensions)).collect();
    match protocol {
        Protocol::OpenAi | Protocol::Anthropic => {
            let items = vectors.iter().enumerate().rev();
            let items: Vec<Value> =
                items.map(|(at, vector)| json!({"index": at, "embedding": vector})).collect();
            json!({"object": "list", "data": items, "model": "some-model"}).to_string()
        }
        Protocol::Ollama => {
            json!({"model": "some-model", "embeddings": vectors, "total_duration": 1}).to_string()
        }
    }
}
