//! A store that stays open: vectors for it that no model made, and questions put to it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use ken_engine::{Embedder, ModelCard};
use kenning::ops::search::AnswerStatus;
use kenning::{Options, Query, Reach, SearchInput};
use serde_json::json;

use crate::Outcome;
use crate::speed::Dice;

pub(crate) fn open(root: &str) -> kenning::Result<Reach> {
    kenning::open_for(Options::at(root), kenning::caller("agent:probe"))
}

/// Texts whose real vectors the made-up ones lean to, so that questions come near some of them.
const LEANED_TO: usize = 64;

/// Gives every entry a vector that leans to one of the model's and else goes in no particular direction, kept the way the
/// model's are.
pub fn synthetic_vectors(root: &str) -> Outcome {
    struct Directions {
        card: ModelCard,
        model: Arc<dyn Embedder>,
        real: Mutex<Vec<Vec<f32>>>,
    }
    impl Embedder for Directions {
        fn card(&self) -> &ModelCard {
            &self.card
        }
        fn embed(&self, texts: &[&str]) -> kenning::Result<Vec<Vec<f32>>> {
            let mut real = self.real.lock().expect("nobody else holds it");
            if real.len() < LEANED_TO {
                real.extend(self.model.embed(texts)?);
            }
            let direction = |text: &&str| {
                let mut hasher = DefaultHasher::new();
                text.hash(&mut hasher);
                let number = hasher.finish();
                let lean = &real[(number >> 8) as usize % real.len()];
                Dice(number | 1).vector().iter().zip(lean).map(|(made, real)| made + real).collect()
            };
            Ok(texts.iter().map(direction).collect())
        }
    }
    let mut ken = open(root)?;
    let model = kenning::embedding::embedder(&mut ken.ledger, &mut ken.models)?;
    let directions = Directions { card: model.card().clone(), model, real: Mutex::new(Vec::new()) };
    let begun = Instant::now();
    ken.ledger.embed(&directions, usize::MAX, &mut |_, _| Ok(true))?;
    let backlog = kenning::embedding::backlog(&mut ken.ledger, &mut ken.models)?;
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
        let answer =
            kenning::recall::search(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, &input)?;
        let took = begun.elapsed().as_secs_f64() * 1e6;
        if answer.status != AnswerStatus::Ok {
            return Err(format!("{query:?} was not answered: {:?}", answer.fallback).into());
        }
        // The first one warms what stays open.
        if round > 0 {
            micros.push(took);
        }
    }
    Ok(json!({"micros": micros, "notices": ken.ledger.take_notices()}))
}

/// How long an open store takes for one page of entries, as the JSON that a client gets.
pub fn list(root: &str, rounds: usize) -> Outcome {
    let mut ken = open(root)?;
    let query = Query { limit: ken.site.config.number("list.limit"), pinned_first: true, ..Query::default() };
    let (mut micros, mut entries) = (Vec::new(), 0);
    for round in 0..=rounds {
        let begun = Instant::now();
        let answer = kenning::list::list(&mut ken.ledger, &ken.site, &ken.caller, &query)?;
        let bytes = serde_json::to_vec(&answer)?;
        let took = begun.elapsed().as_secs_f64() * 1e6;
        std::hint::black_box(bytes);
        entries = answer.items.len();
        // The first round warms what stays open.
        if round > 0 {
            micros.push(took);
        }
    }
    Ok(json!({"micros": micros, "entries": entries}))
}
