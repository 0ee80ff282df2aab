//! A text about a fault in code, taken apart for comparison with another: what it names, what it says is there, and what it says is missing.
//!
//! Two reviewers put one fault in different words, and one says more than the other. So other than between two wordings of a lesson
//! ([`crate::similar`]), naming more is no difference here. Naming something else is.

use std::collections::{BTreeMap, BTreeSet};

use ken_language::{Reading, Shape, Token, WordList, clauses, compared_form};

use super::stance::{Clause, dismisses};

use crate::limits::finding_issue::NEGATED_WORDS_MAX;

/// How often a text says that a thing is there, that it is missing, and that it is to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Votes {
    /// It is there, and that is the fault: `logs the token`, `do not log the token`.
    pub there: u32,
    /// It is missing, and that is the fault: `has no timeout`.
    pub missing: u32,
    /// It should be there: `add a timeout`.
    pub wanted: u32,
}

impl Votes {
    pub fn lacks(self) -> bool {
        self.missing + self.wanted > 0
    }
}

/// A text, taken apart.
#[derive(Debug, Default)]
pub(super) struct Issue {
    /// Content words by the form in which they are compared, as they were written.
    pub words: BTreeMap<String, String>,
    /// The words that names of code among them are made of.
    pub parts: BTreeSet<String>,
    /// Quantities, with their units.
    pub quantities: BTreeSet<String>,
    /// Versions and dates.
    pub versions: BTreeSet<String>,
    /// What it says of things.
    pub votes: BTreeMap<String, Votes>,
    /// It says that something is there that need not be.
    pub needless: bool,
    /// It says that there is nothing to do, or that a claim does not hold.
    pub dismisses: bool,
    /// What it asks for and warns of.
    pub clauses: Vec<Clause>,
}

impl Issue {
    /// Takes a text apart. `wanted` says that it tells how things should be, not what is wrong.
    pub fn parse(text: &str, wanted: bool) -> Issue {
        let reading = Reading::new(text);
        let mut issue = Issue::default();
        for said in reading.tokens.iter().filter(|said| counts(said)) {
            match said.shape {
                Shape::Number => {
                    issue.quantities.insert(said.key.clone());
                    continue;
                }
                Shape::Version => {
                    issue.versions.insert(said.key.clone());
                    continue;
                }
                Shape::Code | Shape::Path => {
                    issue.parts.extend(parts(&said.text));
                }
                Shape::Name | Shape::Word | Shape::Small => {}
            }
            if said.key.chars().any(char::is_alphanumeric) {
                issue.words.entry(said.key.clone()).or_insert_with(|| said.text.clone());
            }
        }
        issue.parts.retain(|part| !issue.words.contains_key(part));
        issue.judge(&reading, wanted);
        let lower = text.to_lowercase();
        issue.dismisses = dismisses(text);
        issue.clauses = Clause::all(&reading);
        issue.needless = NEEDLESS.iter().any(|words| lower.contains(words));
        issue
    }

    fn judge(&mut self, reading: &Reading, wanted: bool) {
        for clause in clauses(&reading.tokens) {
            // `Raise the limit` speaks of a limit that is there.
            let changed = clause.iter().any(|said| CHANGING.contains(&said.text.to_lowercase().as_str()));
            let ordered = (is_order(clause) || wanted) && !changed;
            let mut denied = vec![false; clause.len()];
            for (at, said) in clause.iter().enumerate() {
                let lower = said.text.to_lowercase();
                // What must not be is the fault where it is: `tokens must not be logged`.
                let forbids = FORBIDDING.contains(lower.as_str());
                // `except` is a word of Python, `NOT NULL` one of SQL.
                let spoken = said.negates
                    && !forbids
                    && !["except", "unless", "non"].contains(&lower.as_str())
                    && !clause.get(at + 1).is_some_and(|next| {
                        ["null", "in", "exists"].contains(&next.text.to_lowercase().as_str())
                    });
                if !(spoken || LACKING.contains(lower.as_str()) || LACKING.contains(said.key.as_str())) {
                    continue;
                }
                // What follows is denied, up to the next phrase; what went before where it is said of that: `the check is missing`.
                let after: Vec<usize> = (at + 1..clause.len())
                    .take_while(|next| !PARTING.contains(clause[*next].key.as_str()))
                    .filter(|next| counts(&clause[*next]))
                    .take(NEGATED_WORDS_MAX)
                    .collect();
                let being = ["is", "are", "was", "were", "be", "been", "being"];
                let is_being = |said: Option<&Token>| {
                    said.is_some_and(|said| being.contains(&said.text.to_lowercase().as_str()))
                };
                // `Is not logged`, `must not be logged`.
                let passive = is_being(clause[..at].last()) || is_being(clause.get(at + 1));
                // `Quantity not validated` leaves the verb out.
                let participle =
                    after.len() == 1 && clause.get(at + 1).is_some_and(|next| next.text.ends_with("ed"));
                if after.is_empty() || ((passive || participle) && after.len() == 1) {
                    let before = (0..at).rev().filter(|next| counts(&clause[*next])).take(NEGATED_WORDS_MAX);
                    before.for_each(|next| denied[next] = true);
                }
                after.iter().for_each(|next| denied[*next] = true);
            }
            for (said, denied) in clause.iter().zip(denied).filter(|(said, _)| counts(said)) {
                let votes = self.votes.entry(said.key.clone()).or_default();
                match (denied, ordered) {
                    (false, false) | (true, true) => votes.there += 1,
                    (true, false) => votes.missing += 1,
                    (false, true) => votes.wanted += 1,
                }
            }
        }
    }

    /// The words that both have, names of code and their parts among them.
    pub fn shared<'a>(&'a self, other: &'a Issue) -> Vec<&'a str> {
        let own = self.words.keys().chain(&self.parts);
        own.filter(|key| other.words.contains_key(*key) || other.parts.contains(*key))
            .map(String::as_str)
            .collect()
    }

    /// Words that only this one has, as it wrote them.
    pub fn only<'a>(&'a self, other: &Issue) -> Vec<&'a str> {
        let own = self.words.iter().filter(|(key, written)| {
            let said = other.words.contains_key(*key) || other.parts.contains(*key);
            // `http.Get` is no other thing than HTTP.
            let part_said = || parts(written).iter().any(|part| other.words.contains_key(part));
            !said && (!is_code(written) || !part_said())
        });
        own.map(|(_, written)| written.as_str()).collect()
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.words.len() + self.parts.len()
    }

    /// A compared form as it was written here.
    pub fn written<'a>(&'a self, key: &'a str) -> &'a str {
        self.words.get(key).map_or(key, String::as_str)
    }

    /// Whether it says of anything that it is missing or should be there.
    pub fn lacking(&self) -> bool {
        self.votes.values().any(|votes| votes.lacks())
    }

    /// Quantities and versions.
    pub fn numbers(&self) -> BTreeSet<String> {
        self.quantities.union(&self.versions).cloned().collect()
    }

    /// What it says is missing.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.votes.iter().filter(|(_, votes)| votes.missing > 0).map(|(key, _)| key.as_str())
    }

    /// Whether it says of a thing that it is there, and nowhere that it is not.
    pub fn has(&self, key: &str) -> bool {
        self.votes.get(key).is_some_and(|votes| votes.there > 0 && !votes.lacks())
    }

    /// Whether it says of a thing that it is missing.
    pub fn misses(&self, key: &str) -> bool {
        self.votes.get(key).is_some_and(|votes| votes.missing > 0)
    }

    /// Whether it says of a thing that it is missing or should be there.
    pub fn lacks(&self, key: &str) -> bool {
        self.votes.get(key).is_some_and(|votes| votes.lacks())
    }
}

/// Whether a word was written to be copied.
pub(super) fn is_code(word: &str) -> bool {
    word.contains(['_', '.', ':', '(', '/']) || word.chars().skip(1).any(char::is_uppercase)
}

/// The words that a name of code is made of: `resources.limits.memory`, `fetchAll`.
fn parts(code: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut small = false;
    for c in code.chars() {
        if !c.is_alphabetic() || (c.is_uppercase() && small) {
            words.push(String::new());
        }
        small = c.is_lowercase();
        if c.is_alphabetic() {
            words.last_mut().expect("there is one").extend(c.to_lowercase());
        }
    }
    words.into_iter().filter(|word| word.len() > 3).map(|word| compared_form(&word)).collect()
}

/// Whether a word carries a claim.
pub(super) fn counts(said: &Token) -> bool {
    said.is_content()
        && !said.light
        && !["after", "befor", "before", "longer", "long"].contains(&said.key.as_str())
}

/// Words that say that something is superfluous.
static NEEDLESS: WordList = WordList::new(include_str!("../../words/finding/needless.txt"));

/// Small words that begin another phrase, which a negation does not reach.
static PARTING: WordList = WordList::new(include_str!("../../words/finding/parting.txt"));

/// Words that say what may not be.
static FORBIDDING: WordList = WordList::new(include_str!("../../words/finding/forbidding.txt"));

/// Words that say that something is not there.
static LACKING: WordList = WordList::new(include_str!("../../words/finding/lacking.txt"));

/// Whether a clause says what to do, and not what is.
pub(super) fn is_order(clause: &[Token]) -> bool {
    let first = clause
        .iter()
        .find(|said| said.key != "not" && said.key != "do" && said.key != "never" && said.key != "always");
    // `Retry loop has no bound` begins with a thing.
    let names = clause.get(2).is_some_and(|said| {
        ["has", "have", "is", "are", "was", "were"].contains(&said.text.to_lowercase().as_str())
    });
    let begins = !names && first.is_some_and(|said| ORDERS.contains(said.text.to_lowercase().as_str()));
    begins
        || clause.iter().any(|said| {
            ["must", "should", "needs", "need", "belongs", "belong"]
                .contains(&said.text.to_lowercase().as_str())
        })
}

/// Whether a word in small letters is a verb that begins an order.
pub(super) fn is_order_verb(word: &str) -> bool {
    ORDERS.contains(word)
}

/// Words about something that is there.
const CHANGING: &[&str] = &["raise", "lower", "increase", "reduce", "shorten", "relax", "too"];

/// Verbs that begin an order.
static ORDERS: WordList = WordList::new(include_str!("../../words/finding/orders.txt"));
