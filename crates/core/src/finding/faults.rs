//! The faults that reviewers find again and again, and the words they use for each.
//!
//! Two people call one fault by different words (`deadline`, `timeout`), and two faults at one line share most of the others. A text is
//! looked through for these; what it has in its title is what it is about.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use ken_language::WordList;

/// The faults that a text speaks of, by their number in [`FAULTS`].
pub(super) fn faults_in(text: &str) -> BTreeSet<usize> {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\'' | '\u{2019}' => {}
            c if c.is_alphanumeric() || matches!(c, '%' | '.' | '_' | '+' | '/' | '^' | '=') => {
                plain.extend(c.to_lowercase())
            }
            _ => plain.push(' '),
        }
    }
    let words: Vec<&str> =
        plain.split(' ').map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty()).collect();
    let mut found = BTreeSet::new();
    for at in 0..words.len() {
        let Some(phrases) = phrases().get(&beginning(words[at])) else { continue };
        found.extend(
            phrases.iter().filter(|phrase| phrase.stands_in(&words[at..])).map(|phrase| phrase.fault),
        );
    }
    found
}

/// Words that tell a fault.
struct Phrase {
    words: Vec<&'static str>,
    /// Whether the last word may have any ending.
    open: bool,
    fault: usize,
}

impl Phrase {
    fn stands_in(&self, words: &[&str]) -> bool {
        let last = self.words.len() - 1;
        words.len() > last
            && self.words.iter().zip(words).enumerate().all(|(at, (own, word))| {
                if at == last && self.open { word.starts_with(own) } else { word == own }
            })
    }
}

/// Phrases by the beginning of their first word.
fn phrases() -> &'static HashMap<[u8; 2], Vec<Phrase>> {
    static PHRASES: LazyLock<HashMap<[u8; 2], Vec<Phrase>>> = LazyLock::new(|| {
        let mut phrases: HashMap<[u8; 2], Vec<Phrase>> = HashMap::new();
        for (fault, (_, list)) in FAULTS.pairs().enumerate() {
            for phrase in list.split(", ") {
                let words: Vec<&str> = phrase.trim_end_matches('*').split(' ').collect();
                let phrase = Phrase { open: phrase.ends_with('*'), fault, words };
                phrases.entry(beginning(phrase.words[0])).or_default().push(phrase);
            }
        }
        phrases
    });
    &PHRASES
}

fn beginning(word: &str) -> [u8; 2] {
    let bytes = word.as_bytes();
    [bytes.first().copied().unwrap_or_default(), bytes.get(1).copied().unwrap_or_default()]
}

/// What a fault is called.
pub(super) fn name(fault: usize) -> &'static str {
    FAULTS[fault].split(" =").next().unwrap_or_default()
}

static FAULTS: WordList = WordList::new(include_str!("../../words/finding/faults.txt"));
