//! A store that stays open: vectors for it that no model made, and questions put to it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use ken_engine::{Embedder, ModelCard};
use kenning::{Kenning, Options, SearchInput};
use serde_json::json;

use crate::Outcome;
use crate::speed::Dice;

fn open(root: &str) -> kenning::Result<Kenning> {
    Kenning::open(Options { actor: Some("agent:probe".to_owned()), ..Options::at(root) })
}

/// Gives every entry a vector in no particular direction, kept the way the model's are.
pub fn synthetic_vectors(root: &str) -> Outcome {
    struct Directions(ModelCard);
    impl Embedder for Directions {
        fn card(&self) -> &ModelCard {
            &self.0
        }
        fn embed(&self, texts: &[&str]) -> kenning::Result<Vec<Vec<f32>>> {
            let direction = |text: &&str| {
                let mut hasher = DefaultHasher::new();
                text.hash(&mut hasher);
                Dice(hasher.finish() | 1).vector()
            };
            Ok(texts.iter().map(direction).collect())
        }
    }
    let mut ken = open(root)?;
    let card = ken.embedder()?.card().clone();
    let begun = Instant::now();
    ken.store().embed(&Directions(card), usize::MAX, &mut |_| true)?;
    let backlog = ken.backlog()?;
    if backlog > 0 {
        return Err(format!("{backlog} entries still wait for a vector").into());
    }
    Ok(json!({"seconds": begun.elapsed().as_secs_f64()}))
}

/// How long each question of a file takes an open store, its meaning taken anew each time.
pub fn ask(root: &str, queries: &str, rounds: usize) -> Outcome {
    let queries = std::fs::read_to_string(queries)?;
    let mut ken = open(root)?;
    let mut micros = Vec::new();
    let asked = queries.lines().cycle().take(rounds + 1);
    for (round, query) in asked.enumerate() {
        let input = SearchInput { query: query.to_owned(), ..SearchInput::default() };
        let begun = Instant::now();
        let answer = ken.search(&input)?;
        let took = begun.elapsed().as_secs_f64() * 1e6;
        if answer.fallback.is_some() || answer.results.is_empty() {
            return Err(format!("{query:?} was not answered: {:?}", answer.fallback).into());
        }
        // The first one warms what stays open.
        if round > 0 {
            micros.push(took);
        }
    }
    Ok(json!({"micros": micros, "notices": ken.take_notices()}))
}
