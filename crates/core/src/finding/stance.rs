//! What a text asks for and what it warns of, clause by clause, so that a claim is not taken for its opposite (IN-6).
//!
//! Advice is for or against something. What a reviewer says is so, is said against it: `tokens are logged`, like `never log tokens`. Every
//! word that turns a clause round turns it once more, so `do not swap it without the lock` asks for the lock.

use std::collections::BTreeSet;

use ken_language::{Negation, Reading, Shape, Token, WordList, split};

use super::issue::{counts, is_order, is_order_verb};

use crate::limits::finding_stance::{COVERED_SHARE_MIN, SHARED_WORDS_MIN};

#[derive(Debug)]
pub(super) struct Clause {
    words: BTreeSet<String>,
    numbers: BTreeSet<String>,
    /// Whether it says what to do, and not what is.
    ordered: bool,
    /// For what it names, or against it.
    wanted: bool,
    /// Whether it sets an upper bound, or a lower one.
    at_most: Option<bool>,
    /// What comes first, and what then, where it says so.
    sequence: Option<(BTreeSet<String>, BTreeSet<String>)>,
}

/// How a clause of a finding stands to one of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    /// Both ask for the same.
    Agrees,
    /// The one asks for what the other warns of.
    Opposes,
    /// The same with another number.
    OtherNumber,
    /// They speak of different things.
    Unrelated,
}

impl Clause {
    /// The clauses of a text that say something of things.
    pub fn all(reading: &Reading) -> Vec<Clause> {
        let mut clauses = Vec::new();
        for clause in ken_language::clauses(&reading.tokens) {
            clauses.extend(clause.split(|said| REASONING.contains(&said.key.as_str())).map(Clause::parse));
        }
        clauses.retain(|clause| !clause.words.is_empty());
        clauses
    }

    fn parse(said: &[Token]) -> Clause {
        let text = |said: &Token| said.text.to_lowercase();
        let turns = |said: &&Token| said.negates || TURNING.contains(text(said).as_str());
        let turned = said.iter().filter(turns).count() % 2 == 1;
        let first = said.iter().position(|said| !turns(&said) && said.key != "do" && said.key != "always");
        let second = first.and_then(|at| said.get(at + 1)).map(text).unwrap_or_default();
        // `Log contains tokens` begins with a thing.
        let states = |said: &Token| {
            let word = text(said);
            STATING.contains(word.as_str()) || word.strip_suffix('s').is_some_and(is_order_verb)
        };
        let told = first.is_some_and(|at| said.iter().skip(at + 1).take(2).any(states));
        let begun = said.first().is_some_and(|said| BEGINNING.contains(&text(said).as_str()));
        // `Retrying a charge bills twice` says what is; `retry a charge` says what to do.
        let shown = first == Some(0)
            && said[0].shape != Shape::Small
            && SHOWING.contains(second.as_str())
            && !is_gerund(&text(&said[0]));
        // `Has to` is read as `must`.
        let obliged = said.iter().any(|said| said.key == "must" || text(said) == "should");
        let ordered = obliged || begun || (!told && (shown || is_order(said)));
        let content = |said: &&Token| {
            counts(said) && !TURNING.contains(text(said).as_str()) && !KEEPING.contains(text(said).as_str())
        };
        let is_number = |said: &&Token| matches!(said.shape, Shape::Number | Shape::Version);
        let words = |said: &[Token]| -> BTreeSet<String> {
            said.iter().filter(content).filter(|said| !is_number(said)).map(|said| said.key.clone()).collect()
        };
        let wanted = ordered != turned;
        let bound = said.iter().find_map(|said| match said.key.as_str() {
            "<=" | "<" => Some(true),
            ">=" | ">" => Some(false),
            _ => None,
        });
        let sequence = said.iter().enumerate().find_map(|(at, word)| {
            let (before, after) = (words(&said[..at]), words(&said[at + 1..]));
            let in_time = match text(word).as_str() {
                "before" => true,
                "after" => false,
                _ => return None,
            };
            if before.is_empty() || after.is_empty() {
                return None;
            }
            Some(if in_time == wanted { (before, after) } else { (after, before) })
        });
        Clause {
            words: words(said),
            numbers: said
                .iter()
                .filter(|said| counts(said))
                .filter(is_number)
                .map(|said| said.key.clone())
                .collect(),
            ordered,
            wanted,
            at_most: bound.map(|bound| bound == wanted),
            sequence,
        }
    }

    /// How this clause of a finding stands to one of an entry.
    pub fn stance(&self, entry: &Clause) -> Stance {
        // `Unescaped` speaks of escaping, and turns it round.
        let undone = |one: &Clause, two: &Clause| {
            one.words
                .iter()
                .filter_map(|word| word.strip_prefix("un"))
                .filter(|word| two.words.contains(*word))
                .count()
        };
        let undone = undone(self, entry) + undone(entry, self);
        let shared = self.words.intersection(&entry.words).count() + undone;
        let covered = shared as f64 >= COVERED_SHARE_MIN * entry.words.len() as f64;
        let within = shared == self.words.len();
        if !entry.ordered || shared < SHARED_WORDS_MIN || !(covered || within) {
            return Stance::Unrelated;
        }
        let numbered = !self.numbers.is_empty() && !entry.numbers.is_empty();
        if numbered && self.numbers.is_disjoint(&entry.numbers) {
            return Stance::OtherNumber;
        }
        let same = match (&self.sequence, &entry.sequence, self.at_most.zip(entry.at_most)) {
            (_, _, Some((ours, theirs))) => ours == theirs,
            (Some(ours), Some(theirs), None) => {
                let common = |one: &BTreeSet<String>, two: &BTreeSet<String>| one.intersection(two).count();
                common(&ours.0, &theirs.0) + common(&ours.1, &theirs.1)
                    >= common(&ours.0, &theirs.1) + common(&ours.1, &theirs.0)
            }
            (_, _, None) => (self.wanted == entry.wanted) == (undone % 2 == 0),
        };
        match same {
            true => Stance::Agrees,
            // What is merely said to be so may be the place of the fault; it has to be all of it.
            false if self.ordered || (covered && within) => Stance::Opposes,
            false => Stance::Unrelated,
        }
    }
}

/// Whether a word only turns round what is said.
pub(super) fn is_turning(word: &str) -> bool {
    TURNING.contains(word.to_lowercase().as_str())
}

/// Whether a word in small letters is a verb made a noun: `retrying`, and not `bring`.
fn is_gerund(word: &str) -> bool {
    word.strip_suffix("ing")
        .is_some_and(|stem| stem.contains(['a', 'e', 'i', 'o', 'u', 'y']) && word != "string")
}

/// Words that bring in a reason, or what is not meant.
const REASONING: &[&str] = &["because", "since", "so", "otherwise", "although", "instead_of"];

/// Words that turn a clause round and are no negations.
static TURNING: WordList = WordList::new(include_str!("../../words/finding/turning.txt"));

/// Their opposites, which say no more than that it is so.
static KEEPING: WordList = WordList::new(include_str!("../../words/finding/keeping.txt"));

/// Words that begin nothing but advice.
const BEGINNING: &[&str] = &["never", "always", "avoid", "stop", "don't", "do", "please"];

/// What follows a verb at the beginning, and no thing.
static SHOWING: WordList = WordList::new(include_str!("../../words/finding/showing.txt"));

/// What follows a thing at the beginning, and no verb.
static STATING: WordList = WordList::new(include_str!("../../words/finding/stating.txt"));

/// Whether a text says that there is nothing to do, or that a claim does not hold.
pub(super) fn dismisses(text: &str) -> bool {
    let lower = text.to_lowercase();
    let plain: Vec<String> = split::words(&lower, &['\'']).map(|word| word.replace('\'', "")).collect();
    let plain = split::spaced(plain.iter().map(String::as_str));
    DISMISSING.iter().any(|words| {
        split::phrases_at(&plain, words).any(|at| {
            let before = plain[..at].rsplit(' ').next().unwrap_or_default();
            !Negation::Dismissal.contains(before)
        })
    })
}

/// Words that wave a finding or a rule away.
static DISMISSING: WordList = WordList::new(include_str!("../../words/finding/dismissing.txt"));
