//! What people and agents say to each other, cut into passages of one to three sentences, and how likely each is worth keeping.
//!
//! A passage stands alone: plans, questions and answers such as `Done.` are left out of it, and one that points back (`This breaks ...`) takes
//! the sentence before with it. Which passages are worth keeping is told by two small linear models, one for each speaker, over
//! words of general English, shapes and what happened around the message; the weights are data (`words/worth`), learned by `cargo xtask train harvest`.

mod passage;
mod worth;

pub use passage::{Passage, passages};
pub use worth::{Example, Weights, fit};

use crate::limits::conversation::{
    CHOSEN_MAX, MERGED_SHARE_MIN, WORD_CHARS_MIN, WORTH_AGENT_MIN, WORTH_PERSON_MIN,
};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Speaker {
    Person,
    Agent,
}

/// Something that was said in one go.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    pub speaker: Speaker,
    pub text: &'a str,
    pub around: Around,
}

/// What happened around a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// Nobody but the person says or does something after it.
    pub closes: bool,
    /// It is the first that the person says.
    pub opens: bool,
    /// Calls of tools among the last ones before it that failed, edited a file, or read one.
    pub failures: usize,
    pub edits: usize,
    pub lookups: usize,
}

/// A passage with what it is worth, and where it was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    pub passage: Passage,
    /// The logarithm of the odds that it is worth keeping.
    pub worth: f64,
    /// The number of the message.
    pub at: usize,
}

impl Weighed {
    /// How far it is above what its speaker needs.
    fn margin(&self) -> f64 {
        self.worth
            - match self.passage.speaker {
                Speaker::Person => WORTH_PERSON_MIN,
                Speaker::Agent => WORTH_AGENT_MIN,
            }
    }
}

/// The passages of a session that are worth keeping, the best first: of those that say the same the best one.
pub fn choose(passages: Vec<Weighed>) -> Vec<Weighed> {
    let mut order: Vec<Weighed> = passages.into_iter().filter(|one| one.margin() >= 0.0).collect();
    order.sort_by(|a, b| b.margin().total_cmp(&a.margin()));
    let mut chosen: Vec<Weighed> = Vec::new();
    for one in order {
        if chosen.len() >= CHOSEN_MAX {
            break;
        }
        if !chosen.iter().any(|other| says_the_same(&other.passage.text, &one.passage.text)) {
            chosen.push(one);
        }
    }
    chosen
}

/// Whether two passages share most of the words of the shorter one.
pub fn says_the_same(one: &str, other: &str) -> bool {
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| word.chars().count() >= WORD_CHARS_MIN)
            .map(str::to_lowercase)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).count() as f64;
    shared >= MERGED_SHARE_MIN * one.len().min(other.len()).max(1) as f64
}
