//! Arithmetic alone: scanning vectors, taking meanings, and a very large shelf in memory.

use std::time::{Duration, Instant};

use ken_embed::{DIMENSIONS, Model, Simd};
use ken_recall::shelf::{MemoryShelf, Text};
use ken_recall::{Among, Calibration, Mode, Question, Wish, rank};
use serde_json::json;

use crate::{Outcome, fts};

/// Numbers that look random and are the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A vector of length one in no particular direction.
    pub fn vector(&mut self) -> Vec<f32> {
        // The sum of a few even draws is near enough to a normal one.
        let mut number = || (0..4).map(|_| (self.roll() >> 40) as f32 / (1 << 24) as f32 - 0.5).sum::<f32>();
        let vector: Vec<f32> = (0..DIMENSIONS).map(|_| number()).collect();
        let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.into_iter().map(|value| value / norm).collect()
    }
}

/// How long comparing one vector with so many takes, a byte a dimension.
pub fn scan(count: usize) -> Outcome {
    let mut dice = Dice(7);
    let rows: Vec<i8> =
        (0..count * DIMENSIONS / 8).flat_map(|_| dice.roll().to_le_bytes().map(|byte| byte as i8)).collect();
    let query: [i8; DIMENSIONS] = std::array::from_fn(|at| rows[at]);
    let mut out = Vec::with_capacity(count);
    let mut micros = Vec::new();
    for _ in 0..21 {
        let begun = Instant::now();
        ken_embed::scan_i8(&query, &rows, &mut out);
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
        std::hint::black_box(&out);
    }
    Ok(json!({ "micros": micros }))
}

/// Texts of 50 tokens a second, one thread, on each path that this machine has.
pub fn embed(seconds: f64) -> Outcome {
    let words = "the retry loop of billing holds its lock while it waits for the network so do the slow part first and \
        take the lock for the exchange alone or keep it as it is and say why in a comment since two callers rely on it now";
    let mut paths = Vec::new();
    for simd in Simd::available() {
        let model = Model::bundled().ok_or("built without a model")?.with_simd(simd);
        let mut text = String::new();
        let mut tokens = 0;
        for word in words.split(' ') {
            // Begin and end are tokens too.
            let longer = format!("{text} {word}");
            let count = model.tokenize(&longer).len();
            if count > 50 {
                break;
            }
            (text, tokens) = (longer, count);
        }
        let rate = |texts: &[&str]| {
            let mut best = 0.0_f64;
            let until = Instant::now() + Duration::from_secs_f64(seconds);
            while Instant::now() < until {
                let begun = Instant::now();
                std::hint::black_box(model.embed_all(texts));
                best = best.max(texts.len() as f64 / begun.elapsed().as_secs_f64());
            }
            best
        };
        let many = vec![text.as_str(); 32];
        paths.push(
            json!({"path": simd.name(), "tokens": tokens, "many": rate(&many), "single": rate(&many[..1])}),
        );
    }
    Ok(json!({ "paths": paths }))
}

/// A shelf in memory with so many texts and vectors, and how long it takes to rank them for each question.
pub fn large(count: usize, entries: &str, queries: &str) -> Outcome {
    let lines = std::fs::read_to_string(entries)?;
    let texts: Vec<String> = lines.lines().map(fts::text_of).collect::<Result<_, _>>()?;
    let mut dice = Dice(11);
    let mut shelf = MemoryShelf::default();
    let begun = Instant::now();
    for number in 0..count {
        let text = format!("{} round_{}", texts[number % texts.len()], number / texts.len());
        shelf.push(Text { text: &text, vector: Some(&dice.vector()), ..Text::default() });
    }
    let filled = begun.elapsed();
    let model = Model::bundled().ok_or("built without a model")?;
    let mut micros = Vec::new();
    for query in std::fs::read_to_string(queries)?.lines() {
        let begun = Instant::now();
        let question = Question::plain(query);
        let (among, calibration) = (Among::All, Calibration::MINILM);
        let wish =
            Wish { question: &question, mode: Mode::Hybrid, wanted: 10, among, reserved: None, calibration };
        let mut embed = |text: &str| Some(model.embed(text).to_vec());
        let Ok(ranked) = rank(&shelf, &wish, Some(&mut embed));
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
        if ranked.found.is_empty() {
            return Err(format!("nothing was found for {query:?}").into());
        }
    }
    Ok(json!({"micros": micros, "fill_seconds": filled.as_secs_f64()}))
}
