//! 500 texts, with the tokens and the vectors that the unpacked model gives them. `models/parity.py` wrote them.

use crate::{dot, model};
use ken_embed::{DIMENSIONS, Simd};

const COSINE_MEAN_MIN: f64 = 0.998;
const COSINE_WORST_MIN: f64 = 0.99;

struct Case {
    text: String,
    tokens: Vec<u32>,
    vector: [f32; DIMENSIONS],
}

fn cases() -> Vec<Case> {
    let number = |bytes: &[u8; 2]| u16::from_le_bytes(*bytes);
    let mut tokens = include_bytes!("tokens.u16").as_chunks().0.iter().map(number);
    let vectors = include_bytes!("vectors.i16").as_chunks::<{ DIMENSIONS * 2 }>().0;
    let texts = include_str!("texts.jsonl").lines();
    let cases: Vec<Case> = texts
        .zip(vectors)
        .map(|(line, vector)| {
            let count = usize::from(tokens.next().expect("a count for each text"));
            let steps = vector.as_chunks().0;
            Case {
                text: serde_json::from_str(line).expect("a string on each line"),
                tokens: tokens.by_ref().take(count).map(u32::from).collect(),
                vector: std::array::from_fn(|i| f32::from(number(&steps[i]) as i16) / 32767.0),
            }
        })
        .collect();
    assert_eq!(cases.len(), 500);
    cases
}

#[test]
fn texts_have_exactly_the_tokens_of_the_original() {
    let model = model();
    for case in cases() {
        assert_eq!(model.tokenize(&case.text), case.tokens, "{:?}", case.text);
        if case.tokens.len() < ken_embed::TOKENS_MAX {
            assert_eq!(model.token_count(&case.text), case.tokens.len() - 2, "{:?}", case.text);
        }
    }
}

#[test]
fn vectors_are_those_of_the_unpacked_model() {
    let model = model();
    let cases = cases();
    let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
    let vectors = model.embed_all(&texts);
    let mut cosines: Vec<(f64, &str)> = cases
        .iter()
        .zip(&vectors)
        .map(|(case, vector)| {
            (dot(vector, &case.vector) / dot(&case.vector, &case.vector).sqrt(), case.text.as_str())
        })
        .collect();
    cosines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mean = cosines.iter().map(|(cosine, _)| cosine).sum::<f64>() / cosines.len() as f64;
    println!("cosine {mean:.5} in the mean; worst: {:#?}", &cosines[..10]);
    assert!(mean >= COSINE_MEAN_MIN, "{mean}");
    assert!(cosines[0].0 >= COSINE_WORST_MIN, "{:?}", cosines[0]);
}

/// Stricter than the same ten nearest: the same bits, so that the order of any texts is the same too.
fn check_every_path_gives_the_same_vectors(scalar_each: usize) {
    let cases = cases();
    let each = |n| cases.iter().step_by(n).map(|case| case.text.as_str()).collect::<Vec<&str>>();
    let best = model().embed_all(&each(1));
    for simd in Simd::available() {
        let n = if simd == Simd::Scalar { scalar_each } else { 1 };
        let (texts, vectors) = (each(n), model().with_simd(simd).embed_all(&each(n)));
        for ((text, expected), found) in texts.iter().zip(best.iter().step_by(n)).zip(&vectors) {
            assert!(expected == found, "{simd:?}: {text:?}");
        }
    }
}

#[test]
fn every_path_gives_the_same_vectors() {
    // The plainest path is slow: it does some.
    check_every_path_gives_the_same_vectors(25);
}

#[test]
#[ignore = "takes a minute"]
fn every_path_gives_the_same_vectors_for_all_texts() {
    check_every_path_gives_the_same_vectors(1);
}
