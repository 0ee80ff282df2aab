//! Reading what a server answered: the right number of vectors, of one length, in order, of numbers that are numbers.

use serde::Deserialize;

use crate::Protocol;
use crate::limits::DIMENSIONS_MAX;

#[derive(Deserialize)]
struct OpenAi {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    /// Some servers leave it out and mean the order.
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct Ollama {
    embeddings: Vec<Vec<f32>>,
}

/// The meanings of so many texts, in their order. The problem is a clause.
pub(crate) fn read(protocol: Protocol, bytes: &[u8], wanted: usize) -> Result<Vec<Vec<f32>>, String> {
    let not_that = |error: serde_json::Error| format!("it is not the JSON that was expected ({error})");
    let vectors = match protocol {
        Protocol::OpenAi | Protocol::Anthropic => {
            in_order(serde_json::from_slice::<OpenAi>(bytes).map_err(not_that)?.data)?
        }
        Protocol::Ollama => serde_json::from_slice::<Ollama>(bytes).map_err(not_that)?.embeddings,
    };
    if vectors.len() != wanted {
        return Err(format!("it returned {} embeddings for {wanted} texts", vectors.len()));
    }
    let dimensions = vectors.first().map_or(0, Vec::len);
    if !(1..=DIMENSIONS_MAX).contains(&dimensions) {
        return Err(format!("an embedding has {dimensions} dimensions; expected 1 to {DIMENSIONS_MAX}"));
    }
    if let Some(odd) = vectors.iter().find(|vector| vector.len() != dimensions) {
        return Err(format!("one embedding has {dimensions} dimensions and another {}", odd.len()));
    }
    // A number that is too large for us arrives as infinity.
    if vectors.iter().flatten().any(|value| !value.is_finite()) {
        return Err("an embedding contains a value that is not a finite number".to_owned());
    }
    Ok(vectors)
}

fn in_order(items: Vec<Item>) -> Result<Vec<Vec<f32>>, String> {
    let mut placed: Vec<(usize, Vec<f32>)> =
        items.into_iter().enumerate().map(|(at, item)| (item.index.unwrap_or(at), item.embedding)).collect();
    placed.sort_by_key(|(index, _)| *index);
    if placed.iter().enumerate().any(|(at, (index, _))| at != *index) {
        return Err("its embeddings are not numbered from 0 without gaps".to_owned());
    }
    Ok(placed.into_iter().map(|(_, vector)| vector).collect())
}
