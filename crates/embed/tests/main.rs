//! What the embedder promises: the vectors of the unpacked model, the same on every machine.
#![cfg(feature = "bundled")]

use ken_embed::{DIMENSIONS, Model, Simd, TOKENS_MAX};
use std::path::{Path, PathBuf};

mod parity;
mod weights_file;

fn model() -> Model {
    Model::bundled().expect("built with the model")
}

fn packed_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/all-MiniLM-L6-v2.ken")
}

fn dot(a: &[f32; DIMENSIONS], b: &[f32; DIMENSIONS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

#[test]
fn a_text_alone_and_among_others_has_the_same_vector() {
    let model = model();
    let texts = ["one", "two words", "", "three words, then a few more", "x"];
    let together = model.embed_all(&texts);
    for (text, vector) in texts.iter().zip(&together) {
        assert!(model.embed(text) == *vector, "{text:?}");
        assert!((dot(vector, vector) - 1.0).abs() < 1e-5, "{text:?}");
    }
    assert!(model.embed_all(&[]).is_empty());
}

#[test]
fn tokens_are_counted_without_a_limit_and_read_up_to_one() {
    let model = model();
    let long = "word ".repeat(1000);
    assert_eq!(model.token_count(&long), 1000);
    assert_eq!(model.tokenize(&long).len(), TOKENS_MAX);
    assert_eq!(model.token_count(""), 0);
    assert_eq!(model.tokenize(""), [101, 102]);
    // A text cannot spell the tokens that begin and end it.
    assert!(!model.tokenize("[SEP] [CLS]")[1..6].contains(&102));
}

#[test]
fn any_text_at_all_has_a_vector() {
    let model = model();
    let mut dice = 7u32;
    let mut roll = |below: u32| {
        dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(dice) * u64::from(below)) >> 32) as u32
    };
    for n in 0..300 {
        let length = roll(60);
        let text: String = (0..length)
            .filter_map(|_| {
                let below = [0x80, 0x800, 0x1_0000, 0x11_0000][roll(4) as usize];
                char::from_u32(roll(below))
            })
            .collect();
        let vector = model.embed(&text);
        assert!(vector.iter().all(|number| number.is_finite()), "text {n}: {text:?}");
    }
    let bytes: Vec<u8> = (0..5000).map(|_| roll(256) as u8).collect();
    assert!(model.embed(&String::from_utf8_lossy(&bytes)).iter().all(|number| number.is_finite()));
}

#[test]
fn a_model_says_what_it_is() {
    let model = model();
    assert_eq!(model.name(), "all-MiniLM-L6-v2-int8");
    let file = std::fs::read(packed_path()).unwrap();
    assert_eq!(model.digest(), blake3::hash(&file).to_hex().as_str());
    assert!(Simd::available().contains(&model.simd()));
    for simd in Simd::available() {
        assert_eq!(model.clone().with_simd(simd).simd(), simd);
    }
}
