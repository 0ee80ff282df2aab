//! Asking a server for the meaning of texts.

use std::time::{Duration, Instant};

use ken_engine::{Calibration, Embedder, Error, ModelCard, Result};
use serde_json::json;
use ureq::{Agent, Proxy};

use crate::limits::{
    ANSWER_BYTES_AROUND_MAX, ANSWER_BYTES_PER_TEXT_MAX, BATCH_TEXTS_MAX, COMPLAINT_BYTES_MAX, DIMENSIONS_MAX,
    QUOTED_CHARS_MAX, TEXT_BYTES_MAX,
};
use crate::{Fault, Protocol, Server, answer};

/// A server that takes the meaning of texts. Nothing is cached: the store keeps the vectors.
pub struct HttpEmbedder {
    server: Server,
    agent: Agent,
    card: ModelCard,
}

impl HttpEmbedder {
    /// A server whose vectors have so many dimensions, as far as is known. Where nothing is known, it is asked once, for the
    /// meaning of a word of ours.
    pub fn open(server: Server, known: Option<usize>) -> std::result::Result<HttpEmbedder, Fault> {
        let agent = agent(&server);
        let card = ModelCard {
            name: server.name(),
            dimensions: known.unwrap_or(0),
            calibration: Calibration::UNKNOWN,
        };
        let mut embedder = HttpEmbedder { server, agent, card };
        if !(1..=DIMENSIONS_MAX).contains(&embedder.card.dimensions) {
            // A cold model is given the time of a batch: a server that stops loading when nobody waits would never be ready.
            let vectors = embedder.ask(&["meaning"], embedder.server.patience.batch)?;
            embedder.card.dimensions = vectors[0].len();
        }
        Ok(embedder)
    }

    /// The meanings of a batch, checked against the card.
    fn meanings(&self, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, Fault> {
        let patience = &self.server.patience;
        let vectors = self.ask(texts, if texts.len() == 1 { patience.one } else { patience.batch })?;
        let (kept, answered) = (self.card.dimensions, vectors[0].len());
        if kept != answered {
            let folder = format!("{}.{kept}", self.card.name);
            let (place, model) = (self.place(), self.server.model.clone());
            return Err(Fault::Changed { place, model, kept, answered, folder });
        }
        Ok(vectors)
    }

    /// One call, and one more where the first failed in passing. Both fit into the time.
    fn ask(&self, texts: &[&str], time: Duration) -> std::result::Result<Vec<Vec<f32>>, Fault> {
        let texts: Vec<&str> = texts.iter().map(|text| beginning(text)).collect();
        let body = match self.server.protocol {
            Protocol::OpenAi => {
                json!({ "model": self.server.model, "input": texts, "encoding_format": "float" })
            }
            Protocol::Ollama => json!({ "model": self.server.model, "input": texts }),
        }
        .to_string();
        let size_max = ANSWER_BYTES_AROUND_MAX + ANSWER_BYTES_PER_TEXT_MAX * texts.len() as u64;
        let began = Instant::now();
        let bytes = match self.call(&body, size_max, time) {
            Err(fault) if fault.is_passing() => {
                let left = time.saturating_sub(began.elapsed()).saturating_sub(self.server.patience.pause);
                if left.is_zero() {
                    return Err(fault);
                }
                std::thread::sleep(self.server.patience.pause);
                self.call(&body, size_max, left)
            }
            first => first,
        }?;
        answer::read(self.server.protocol, &bytes, texts.len()).map_err(|why| self.unusable(&why))
    }

    fn call(&self, body: &str, size_max: u64, time: Duration) -> std::result::Result<Vec<u8>, Fault> {
        let mut request = self.agent.post(self.server.url()).content_type("application/json");
        if let Some(key) = &self.server.key {
            request = request.header("authorization", key.header());
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
            ureq::Error::Io(error) => Fault::Unreachable { place, why: self.quoted(&error.to_string()) },
            other => Fault::Unreachable { place, why: self.quoted(&other.to_string()) },
        }
    }

    fn unusable(&self, why: &str) -> Fault {
        Fault::Unusable { place: self.place(), why: self.quoted(why) }
    }

    fn place(&self) -> String {
        self.server.address.place()
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

impl Embedder for HttpEmbedder {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut all = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH_TEXTS_MAX) {
            all.extend(self.meanings(batch).map_err(Error::failed("computing embeddings"))?);
        }
        Ok(all)
    }
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

/// As much of a text as is sent.
fn beginning(text: &str) -> &str {
    let end = (0..=TEXT_BYTES_MAX.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// What a server complains of: `error.message` at OpenAI, `error` at Ollama, else whatever it said.
fn complaint(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else { return text };
    let said = value["error"]["message"].as_str().or_else(|| value["error"].as_str());
    said.map_or(text, str::to_owned)
}
