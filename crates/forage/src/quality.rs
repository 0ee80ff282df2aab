//! How much a text looks like one worth reading (seed 8.4): five signals, none of which knows whether it is true.

use ken_language::{Style, WordList, in_backticks, sentence_ends};
use serde::Serialize;

use crate::limits::WORDS_MIN;

static SPAM: WordList = WordList::new(include_str!("../words/spam.txt"));

/// The quality of a text, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quality {
    /// From 0 to 1.
    pub score: f64,
    pub words: usize,
    pub flags: Vec<&'static str>,
}

impl Quality {
    /// The quality of a text with paragraphs, and how many letters of markup it was found in; none where it had no markup.
    pub fn of(text: &str, html_chars: Option<usize>) -> Quality {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Quality { score: 0.0, words: 0, flags: vec!["very_short"] };
        }
        let markup = match html_chars {
            None | Some(0) => 0.7,
            Some(html) => (1.0 - (-4.0 * text.chars().count() as f64 / html as f64).exp()).min(1.0),
        };
        let (density, readability) = (density(&words), readability(text));
        let (structure, spam) = (structure(text), spam(text, words.len()));
        let score = 0.15 * markup + 0.25 * density + 0.20 * readability + 0.15 * structure + 0.25 * spam;
        let flags = [
            ("very_short", words.len() < WORDS_MIN),
            ("spam_indicators", spam < 0.5),
            ("low_diversity", density < 0.3),
            ("poor_readability", readability < 0.4),
            ("low_structure", structure < 0.4),
        ];
        let flags = flags.into_iter().filter(|(_, is)| *is).map(|(flag, _)| flag).collect();
        Quality { score: (score * 1_000.0).round() / 1_000.0, words: words.len(), flags }
    }
}

/// How many of the words differ. A list of all different words is rather an index than a text.
fn density(words: &[String]) -> f64 {
    if words.len() < 10 {
        return 0.0;
    }
    let unique = words.iter().collect::<std::collections::HashSet<_>>().len();
    let ratio = unique as f64 / words.len() as f64;
    match ratio {
        ratio if ratio < 0.15 => 0.1,
        ratio if ratio > 0.8 => 0.7,
        ratio => (0.3 + (ratio - 0.15) * 0.7 / 0.55).min(1.0),
    }
}

/// How long sentences are, and how much their lengths differ.
fn readability(text: &str) -> f64 {
    let mut start = 0;
    let mut lengths: Vec<f64> = Vec::new();
    for end in sentence_ends(text, Style::Plain, &in_backticks(text)) {
        lengths.push(text[start..end].split_whitespace().count() as f64);
        start = end;
    }
    if lengths.len() < 3 {
        return 0.3;
    }
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    let variance = lengths.iter().map(|length| (length - mean).powi(2)).sum::<f64>() / lengths.len() as f64;
    let deviation = variance.sqrt();
    let average = match mean {
        mean if mean < 5.0 => 0.3,
        mean if mean < 8.0 => 0.6,
        mean if mean > 40.0 => 0.4,
        mean if mean > 30.0 => 0.6,
        _ => 1.0,
    };
    0.6 * average + 0.4 * if (2.0..=20.0).contains(&deviation) { 1.0 } else { 0.5 }
}

/// Headings, paragraphs and points.
fn structure(text: &str) -> f64 {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() < 3 {
        return 0.3;
    }
    let headings = lines.iter().filter(|line| line.starts_with('#')).count();
    let points = lines.iter().filter(|line| line.starts_with("- ") || line.starts_with("* ")).count();
    let paragraphs = text.split("\n\n").filter(|paragraph| paragraph.trim().chars().count() > 40).count();
    match (headings, paragraphs, points) {
        (1.., _, 2..) | (_, 3.., 2..) => 0.95,
        (1.., _, _) | (_, 3.., _) => 0.8,
        (_, 2, _) => 0.6,
        _ => 0.35,
    }
}

fn spam(text: &str, words: usize) -> f64 {
    let lower = text.to_lowercase();
    let hits: usize = SPAM.iter().map(|phrase| lower.matches(phrase).count()).sum();
    (1.0 - 0.33 * hits as f64 / (words as f64 / 100.0).max(1.0)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_the_seed() {
        let score = |text: &str| Quality::of(text, None).score;
        assert_eq!(score(""), 0.0);
        assert_eq!(score("three plain words"), 0.46);
        assert_eq!(
            Quality::of("three plain words", None).flags,
            ["very_short", "low_diversity", "poor_readability", "low_structure"]
        );
        // The same in much markup: 1 - e^(-4 * 17 / 1700) = .039.
        assert_eq!(Quality::of("three plain words", Some(1_700)).score, 0.361);
        let spam = "click here to buy now, limited time offer";
        assert_eq!(score(spam), 0.212);
        assert!(Quality::of(spam, None).flags.contains(&"spam_indicators"));
    }

    #[test]
    fn each_signal_at_its_bounds() {
        let words = |count: usize, unique: usize| -> Vec<String> {
            (0..count).map(|at| format!("w{}", at % unique)).collect()
        };
        assert_eq!(density(&words(9, 9)), 0.0);
        assert_eq!(density(&words(100, 10)), 0.1);
        assert_eq!(density(&words(100, 90)), 0.7);
        assert!(
            (density(&words(100, 70)) - 1.0).abs() < 1e-9 && (density(&words(100, 15)) - 0.3).abs() < 1e-9
        );
        assert_eq!(readability("One. Two."), 0.3);
        assert_eq!(readability("One. Two. Three."), 0.6 * 0.3 + 0.4 * 0.5);
        assert_eq!(structure("one\ntwo"), 0.3);
        assert_eq!(structure("# A\n- b\n- c"), 0.95);
        assert_eq!(structure("# A\nb\nc"), 0.8);
        let paragraph = "a paragraph of more than forty letters, plain";
        assert_eq!(structure(&format!("{paragraph}\n\n{paragraph}\n\nx")), 0.6);
        assert_eq!(structure("a\nb\nc"), 0.35);
    }
}
