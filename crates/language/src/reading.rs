//! A text taken apart for comparison: its words in one form each, its numbers in one unit each, its names and code as they are.

use std::collections::{BTreeMap, BTreeSet};

use crate::normal::{normalise, one_spelling};
use crate::reader::Reader;
use crate::token::{Shape, Token};
use crate::word_list::WordList;

static BEING: WordList = WordList::new(include_str!("../words/being.txt"));
static COUNTED_SMALL_WORDS: WordList = WordList::new(include_str!("../words/counted_small_words.txt"));
static EXPLAINING: WordList = WordList::new(include_str!("../words/explaining.txt"));
static LEADING: WordList = WordList::new(include_str!("../words/leading.txt"));
static NARROWING: WordList = WordList::new(include_str!("../words/narrowing.txt"));
static PARTING: WordList = WordList::new(include_str!("../words/parting.txt"));

/// A text, taken apart.
#[derive(Debug, Default)]
pub struct Reading {
    /// The form in which equal texts are equal.
    pub normal: String,
    /// Its words in their order.
    pub tokens: Vec<Token>,
    /// All keys, of small words too.
    pub keys: BTreeSet<String>,
    /// Code as it was written, letter case and all.
    pub exact: BTreeSet<String>,
    exact_lower: BTreeSet<String>,
    /// Commands of several words, with their words sorted.
    pub spans: BTreeMap<String, Vec<String>>,
    /// The words that stand under a negation.
    pub denied: BTreeSet<String>,
    /// The first word under each negation.
    pub first_denied: BTreeSet<String>,
    /// How often the small words of direction and connection occur.
    pub small: BTreeMap<String, usize>,
    /// Mostly in a script whose words are not known here.
    pub foreign: bool,
}

impl Reading {
    /// Takes a text apart.
    pub fn new(text: &str) -> Reading {
        let text = one_spelling(text);
        let reader = Reader::new(&text);
        let mut reading = Reading {
            normal: normalise(&text.replace('`', "")),
            tokens: reader.tokens,
            spans: reader.spans,
            exact_lower: reader.exact.iter().map(|word| word.to_lowercase()).collect(),
            exact: reader.exact,
            ..Reading::default()
        };
        reading.keys = reading.tokens.iter().map(|said| said.key.clone()).collect();
        for said in &reading.tokens {
            if COUNTED_SMALL_WORDS.contains(&said.key) {
                *reading.small.entry(said.key.clone()).or_default() += 1;
            }
        }
        reading.deny();
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let known = text.chars().filter(|c| c.is_alphabetic() && (*c as u32) < 0x250).count();
        reading.foreign = known * 2 < letters;
        reading
    }

    /// The words that carry meaning.
    pub fn content(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(|said| said.is_content())
    }

    /// Whether this text says the same somewhere.
    pub fn has(&self, said: &Token) -> bool {
        if said.shape == Shape::Code && said.text.chars().any(char::is_alphabetic) {
            // Letter case counts between two pieces of code, not between code and prose.
            if self.exact.contains(&said.text) {
                return true;
            }
            let lower = said.text.to_lowercase();
            if self.exact_lower.contains(&lower) {
                return false;
            }
        }
        self.keys.contains(&said.key)
    }

    /// Which words stand under a negation: the rest of the clause, or what is before when nothing follows.
    fn deny(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            if !self.tokens[at].negates {
                at += 1;
                continue;
            }
            let clause = self.tokens[at].clause;
            let mut first = true;
            let mut next = at + 1;
            // `x must not be used for y` denies x.
            let behind =
                self.tokens[next..].iter().take_while(|said| said.clause == clause && !said.is_content());
            if behind.into_iter().any(|said| said.key == "used")
                && let Some(said) = self.tokens[..at].iter().rev().find(|said| said.is_content())
                && said.clause == clause
            {
                self.first_denied.insert(said.key.clone());
                first = false;
            }
            while next < self.tokens.len() && self.tokens[next].clause == clause && !self.tokens[next].negates
            {
                if self.tokens[next].is_content() {
                    let key = self.tokens[next].key.clone();
                    if first {
                        self.first_denied.insert(key.clone());
                    }
                    self.denied.insert(key);
                    first = false;
                }
                next += 1;
            }
            if first {
                let before = self.tokens[..at].iter().rev().take_while(|said| said.clause == clause);
                if let Some(said) = before.into_iter().find(|said| said.is_content()) {
                    self.first_denied.insert(said.key.clone());
                    self.denied.insert(said.key.clone());
                }
            }
            at = next.max(at + 1);
        }
    }

    /// Whether additional words make the claim narrower, rather than explain it or say something else beside it.
    pub fn narrows(&self, extra: &[usize]) -> bool {
        let mut runs: Vec<Vec<usize>> = Vec::new();
        for index in extra {
            let joined = runs.last().and_then(|run| run.last()).is_some_and(|last| {
                self.tokens[*last + 1..*index].iter().all(|said| !said.is_content())
                    && self.tokens[*last].sentence == self.tokens[*index].sentence
            });
            match runs.last_mut() {
                Some(run) if joined => run.push(*index),
                _ => runs.push(vec![*index]),
            }
        }
        runs.iter().any(|run| {
            let first = run[0];
            let sentence = self.tokens[first].sentence;
            let own =
                self.tokens.iter().filter(|said| said.sentence == sentence && said.is_content()).count();
            if own == run.len() {
                return false;
            }
            let before: Vec<&str> = self.tokens[..first]
                .iter()
                .rev()
                .take_while(|said| said.sentence == sentence && !said.is_content())
                .map(|said| said.key.as_str())
                .collect();
            if before.iter().any(|key| EXPLAINING.contains(key)) {
                return false;
            }
            run.len() <= 2 || before.iter().any(|key| NARROWING.contains(key))
        })
    }

    /// A compared form as it was first written here.
    pub fn written<'a>(&'a self, key: &'a str) -> &'a str {
        self.tokens.iter().find(|said| said.key == key).map_or(key, |said| said.text.as_str())
    }

    /// Where one of the words stands, and the word that it is said of: the next that carries meaning, or the last before it.
    pub fn focus(&self, words: &[&str]) -> Vec<(usize, usize)> {
        let said_here = |said: &&Token| words.contains(&said.key.as_str());
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = self.tokens[from..].iter().position(|said| said_here(&said)).map(|at| at + from)
        {
            let clause = self.tokens[at].clause;
            let near = |next: &usize| self.tokens[*next].clause == clause;
            let mut after = (at + 1..self.tokens.len()).take_while(near);
            let mut before = (from..at).rev().take_while(near);
            let counts = |next: &usize| self.tokens[*next].is_content();
            if let Some(next) = after.find(counts).or_else(|| before.find(counts)) {
                found.push((at, next));
            }
            from = at + 1;
        }
        found
    }

    /// Words of extent that stand right behind a negation: `not all`, `not only`.
    pub fn denied_scopes(&self) -> Vec<String> {
        let pairs = self.tokens.windows(2).filter(|pair| pair[0].negates && pair[1].is_scope());
        pairs.map(|pair| format!("{} {}", pair[0].text, pair[1].text)).collect()
    }

    /// Whether there is a word of extent.
    pub fn scoped(&self) -> bool {
        self.tokens.iter().any(Token::is_scope)
    }

    /// Whether the phrase that begins with this word can stand in front or behind without another meaning.
    pub fn is_movable(&self, at: usize) -> bool {
        let said = &self.tokens[at];
        let opens = at == 0 || self.tokens[at - 1].clause != said.clause;
        let led = self.tokens[..at]
            .iter()
            .rev()
            .take_while(|before| before.clause == said.clause && !before.is_content())
            .any(|before| LEADING.contains(&before.key));
        led || said.text.ends_with("ly") || (opens && at > 0)
    }

    /// The content words in their order.
    pub fn sequence(&self) -> Vec<&str> {
        self.content().map(|said| said.key.as_str()).collect()
    }

    /// The content words of each clause, in their order.
    pub fn clauses(&self) -> Vec<Vec<&str>> {
        let content: Vec<&Token> = self.content().collect();
        let clauses = content.chunk_by(|one, next| one.clause == next.clause);
        clauses.map(|clause| clause.iter().map(|said| said.key.as_str()).collect()).collect()
    }

    /// Whether something is done to somebody here: `are skipped`, `was written`.
    pub fn passive(&self) -> bool {
        self.tokens.windows(2).any(|pair| {
            BEING.contains(&pair[0].key)
                && (pair[1].text.ends_with("ed")
                    || pair[1].text.ends_with("en")
                    || pair[1].text.ends_with("ght"))
        })
    }

    /// The things that a small word such as `from` is said of.
    pub fn bound(&self, word: &str) -> BTreeSet<&str> {
        let mut things = BTreeSet::new();
        for (at, said) in self.tokens.iter().enumerate().filter(|(_, said)| said.key == word) {
            let phrase = self.tokens[at + 1..]
                .iter()
                .take_while(|next| next.clause == said.clause && !PARTING.contains(&next.key));
            things.extend(phrase.filter(|next| next.is_content()).map(|next| next.key.as_str()));
        }
        things
    }
}
