//! One call to a server: its time, its size, its retries, and what is said when it fails.

use std::time::{Duration, Instant};

use ureq::{Agent, Proxy};

use crate::limits::{COMPLAINT_BYTES_MAX, QUOTED_CHARS_MAX};
use crate::{Fault, Protocol, Server};

/// The version of the messages that Anthropic's servers are asked for.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// A server, and the connection to it.
pub(crate) struct Client {
    pub(crate) server: Server,
    agent: Agent,
}

impl Client {
    pub(crate) fn open(server: Server) -> Client {
        Client { agent: agent(&server), server }
    }

    /// Posts JSON and returns what was answered. A call that failed in passing is made again, after a pause that doubles; all of them
    /// fit into the time.
    pub(crate) fn ask(&self, body: &str, size_max: u64, time: Duration) -> Result<Vec<u8>, Fault> {
        let began = Instant::now();
        let mut pause = self.server.patience.pause;
        let mut left = time;
        for _ in 0..self.server.patience.retries {
            match self.call(body, size_max, left) {
                Err(fault) if fault.is_passing() => {
                    left = time.saturating_sub(began.elapsed()).saturating_sub(pause);
                    if left.is_zero() {
                        return Err(fault);
                    }
                    std::thread::sleep(pause);
                    pause *= 2;
                }
                answered => return answered,
            }
        }
        self.call(body, size_max, left)
    }

    fn call(&self, body: &str, size_max: u64, time: Duration) -> Result<Vec<u8>, Fault> {
        let mut request = self.agent.post(self.server.url()).content_type("application/json");
        if let Some(key) = &self.server.key {
            let (name, value) = key.header(self.server.protocol);
            request = request.header(name, value);
        }
        if self.server.protocol == Protocol::Anthropic {
            request = request.header("anthropic-version", ANTHROPIC_VERSION);
        }
        let request = request.config().timeout_global(Some(time)).build();
        let mut response = request.send(body).map_err(|error| self.failed(error, time))?;
        let status = response.status().as_u16();
        if (200..300).contains(&status) {
            let read = response.body_mut().with_config().limit(size_max).read_to_vec();
            return read.map_err(|error| self.failed(error, time));
        }
        let place = self.place();
        if status == 401 || status == 403 {
            // What it said is not looked at: some servers repeat the key.
            let (variable, sent) = (self.server.key_variable(), self.server.key.is_some());
            return Err(Fault::KeyWanted { place, status, variable, sent });
        }
        let said =
            response.body_mut().with_config().limit(COMPLAINT_BYTES_MAX).read_to_vec().unwrap_or_default();
        Err(Fault::Status {
            place,
            setting: self.setting(),
            status,
            said: self.quoted(&complaint(&said)),
            model: self.server.model.clone(),
        })
    }

    fn failed(&self, error: ureq::Error, waited: Duration) -> Fault {
        let place = self.place();
        match error {
            ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
                Fault::Late { place, waited: self.server.patience.connect }
            }
            ureq::Error::Timeout(_) => Fault::Late { place, waited },
            ureq::Error::BodyExceedsLimit(most) => self.unusable(&format!("it is larger than {most} bytes")),
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
                self.unusable(&format!("it is not valid HTTP ({error})"))
            }
            ureq::Error::Rustls(error) => Fault::Untrusted { place, why: self.quoted(&error.to_string()) },
            // The same, when it comes up while bytes are read.
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                Fault::Untrusted { place, why: self.quoted(&error.to_string()) }
            }
            ureq::Error::Io(error) if was_dropped(&error) => {
                Fault::Dropped { place, why: self.quoted(&error.to_string()) }
            }
            ureq::Error::Io(error) => {
                Fault::Unreachable { place, setting: self.setting(), why: self.quoted(&error.to_string()) }
            }
            other => {
                Fault::Unreachable { place, setting: self.setting(), why: self.quoted(&other.to_string()) }
            }
        }
    }

    pub(crate) fn unusable(&self, why: &str) -> Fault {
        Fault::Unusable { place: self.place(), setting: self.setting(), why: self.quoted(why) }
    }

    pub(crate) fn place(&self) -> String {
        self.server.address.place()
    }

    fn setting(&self) -> &'static str {
        self.server.purpose.setting()
    }

    /// What somebody else said, fit to be shown: one line, not long, and without the key.
    fn quoted(&self, text: &str) -> String {
        let text = match &self.server.key {
            Some(key) => key.struck_from(text),
            None => text.to_owned(),
        };
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|word| !word.is_empty())
            .collect();
        let line = words.join(" ");
        match line.char_indices().nth(QUOTED_CHARS_MAX) {
            Some((at, _)) => format!("{}...", &line[..at]),
            None => line,
        }
    }
}

/// Whether there was a connection, and the other side ended it. To be refused, or to find no way, is something else.
fn was_dropped(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

fn agent(server: &Server) -> Agent {
    // Left alone, ureq takes the first of ALL_PROXY, HTTPS_PROXY and HTTP_PROXY for every host that NO_PROXY does not name,
    // this machine included. What is meant for this machine stays on it.
    let proxy = if server.address.is_loopback() { None } else { Proxy::try_from_env() };
    Agent::config_builder()
        .proxy(proxy)
        // A redirect comes back as it is and is reported: neither texts nor key go where nobody agreed to.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .timeout_resolve(Some(server.patience.connect))
        .timeout_connect(Some(server.patience.connect))
        .user_agent(concat!("ken/", env!("CARGO_PKG_VERSION")))
        .accept("application/json")
        .build()
        .into()
}

/// What a server complains of: `error.message` at OpenAI, `error` at Ollama, else whatever it said.
fn complaint(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else { return text };
    let said = value["error"]["message"].as_str().or_else(|| value["error"].as_str());
    said.map_or(text, str::to_owned)
}
