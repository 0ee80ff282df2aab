//! Asking a server for the meaning of texts.

use std::time::Duration;

use ken_engine::{Calibration, Embedder, Error, ModelCard, Result};
use serde_json::json;

use crate::client::Client;
use crate::limits::{
    ANSWER_BYTES_AROUND_MAX, ANSWER_BYTES_PER_TEXT_MAX, BATCH_TEXTS_MAX, DIMENSIONS_MAX, TEXT_BYTES_MAX,
};
use crate::{Fault, Protocol, Server, answer};

/// A server that takes the meaning of texts. Nothing is cached: the store keeps the vectors.
pub struct HttpEmbedder {
    client: Client,
    card: ModelCard,
}

impl HttpEmbedder {
    /// A server whose vectors have so many dimensions, as far as is known. Where nothing is known, it is asked once, for the
    /// meaning of a word of ours.
    pub fn open(server: Server, known: Option<usize>) -> std::result::Result<HttpEmbedder, Fault> {
        let card = ModelCard {
            name: server.name(),
            dimensions: known.unwrap_or(0),
            calibration: Calibration::UNKNOWN,
        };
        let mut embedder = HttpEmbedder { client: Client::open(server), card };
        if !(1..=DIMENSIONS_MAX).contains(&embedder.card.dimensions) {
            // A cold model is given the time of a batch: a server that stops loading when nobody waits would never be ready.
            let vectors = embedder.ask(&["meaning"], embedder.client.server.patience.batch)?;
            embedder.card.dimensions = vectors[0].len();
        }
        Ok(embedder)
    }

    /// The meanings of a batch, checked against the card.
    fn meanings(&self, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, Fault> {
        let patience = &self.client.server.patience;
        let vectors = self.ask(texts, if texts.len() == 1 { patience.one } else { patience.batch })?;
        let (kept, answered) = (self.card.dimensions, vectors[0].len());
        if kept != answered {
            let folder = format!("{}.{kept}", self.card.name);
            let (place, model) = (self.client.place(), self.client.server.model.clone());
            return Err(Fault::Changed { place, model, kept, answered, folder });
        }
        Ok(vectors)
    }

    fn ask(&self, texts: &[&str], time: Duration) -> std::result::Result<Vec<Vec<f32>>, Fault> {
        let texts: Vec<&str> = texts.iter().map(|text| beginning(text)).collect();
        let Server { model, protocol, .. } = &self.client.server;
        let body = match protocol {
            Protocol::Ollama => json!({ "model": model, "input": texts }),
            Protocol::OpenAi | Protocol::Anthropic => {
                json!({ "model": model, "input": texts, "encoding_format": "float" })
            }
        };
        let size_max = ANSWER_BYTES_AROUND_MAX + ANSWER_BYTES_PER_TEXT_MAX * texts.len() as u64;
        let bytes = self.client.ask(&body.to_string(), size_max, time)?;
        answer::read(*protocol, &bytes, texts.len()).map_err(|why| self.client.unusable(&why))
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

/// As much of a text as is sent.
fn beginning(text: &str) -> &str {
    let end = (0..=TEXT_BYTES_MAX.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}
