//! The words that the comparison of texts knows: which mean the same, which exclude each other, and which do not matter.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::negation::Negation;
use crate::stem::stem;
use crate::word_list::WordList;

/// Words too common to carry a claim.
pub static SMALL_WORDS: WordList = WordList::new(include_str!("../words/small_words.txt"));

static OPPOSITES: WordList = WordList::new(include_str!("../words/opposites.txt"));
static PHRASES: WordList = WordList::new(include_str!("../words/phrases.txt"));
static PRODUCTS: WordList = WordList::new(include_str!("../words/products.txt"));
static SYNONYMS: WordList = WordList::new(include_str!("../words/synonyms.txt"));

/// Words that are said as one, and what they are compared as.
pub(crate) type Phrase = (Vec<&'static str>, &'static str);

/// The lists above, with every word in its compared form.
struct Lexicon {
    /// Groups of words that exclude each other; each member is a list of keys.
    opposites: Vec<Vec<Vec<String>>>,
    /// Every key of these groups: most words are in none, and are asked for often.
    opposite_keys: HashSet<String>,
    /// Every word of these groups as it is written.
    opposed: HashSet<&'static str>,
    products: HashMap<&'static str, &'static str>,
    /// Words that are said as one, by the first of them.
    phrases: HashMap<&'static str, Vec<Phrase>>,
    synonyms: HashMap<String, String>,
    /// What they are compared as.
    heads: HashSet<String>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);

impl Lexicon {
    fn new() -> Lexicon {
        let mut lexicon = Lexicon {
            opposites: Vec::new(),
            opposite_keys: HashSet::new(),
            opposed: HashSet::new(),
            products: HashMap::new(),
            phrases: HashMap::new(),
            synonyms: HashMap::new(),
            heads: HashSet::new(),
        };
        for (phrase, key) in PHRASES.pairs() {
            let words: Vec<&str> = phrase.split(' ').collect();
            lexicon.phrases.entry(words[0]).or_default().push((words, key));
        }
        for line in PRODUCTS.iter() {
            let mut names = line.split_whitespace();
            if let Some(first) = names.next() {
                lexicon.products.insert(first, first);
                lexicon.products.extend(names.map(|name| (name, first)));
            }
        }
        for line in SYNONYMS.iter() {
            let mut words = line.split_whitespace().map(stem);
            if let Some(first) = words.next() {
                lexicon.synonyms.extend(words.map(|word| (word, first.clone())));
            }
        }
        lexicon.heads = lexicon.synonyms.values().cloned().collect();
        for line in OPPOSITES.iter() {
            let group: Vec<Vec<String>> = line
                .split_whitespace()
                .map(|side| side.split('/').map(|word| lexicon.key(word)).collect())
                .collect();
            lexicon.opposed.extend(line.split_whitespace().flat_map(|side| side.split('/')));
            lexicon.opposite_keys.extend(group.iter().flatten().cloned());
            lexicon.opposites.push(group);
        }
        lexicon
    }

    fn key(&self, lower: &str) -> String {
        if let Some(product) = self.products.get(lower) {
            return (*product).to_owned();
        }
        if SMALL_WORDS.contains(lower) {
            return lower.to_owned();
        }
        let stem = stem(lower);
        self.synonyms.get(&stem).cloned().unwrap_or(stem)
    }
}

/// The form in which a lower-case word of the language is compared: its stem, or that of the synonym that stands for all of its meaning.
pub fn compared_form(lower: &str) -> String {
    LEXICON.key(lower)
}

/// Whether two words, in their compared form, exclude each other.
pub fn are_opposites(one: &str, other: &str) -> bool {
    let side = |group: &[Vec<String>], key: &str| {
        group.iter().position(|words| words.iter().any(|word| word == key))
    };
    if ![one, other].into_iter().all(|key| LEXICON.opposite_keys.contains(key)) {
        return false;
    }
    LEXICON.opposites.iter().any(|group| match (side(group, one), side(group, other)) {
        (Some(one), Some(other)) => one != other,
        (None, _) | (_, None) => false,
    })
}

/// Groups of words that exclude each other: each has sides, and each side words in their compared form.
pub fn opposites() -> &'static [Vec<Vec<String>>] {
    &LEXICON.opposites
}

/// The name of a product, in the one spelling in which it is compared.
pub(crate) fn product(lower: &str) -> Option<&'static str> {
    LEXICON.products.get(lower).copied()
}

/// The phrases that begin with a lower-case word.
pub(crate) fn phrases_from(lower: &str) -> &'static [Phrase] {
    LEXICON.phrases.get(lower).map_or(&[], Vec::as_slice)
}

/// Whether a word is one of the language that the lists know; a capital then does not make it a name.
pub(crate) fn is_known(lower: &str) -> bool {
    let stem = stem(lower);
    SMALL_WORDS.contains(lower)
        || Negation::Claim.contains(lower)
        || LEXICON.opposed.contains(lower)
        || LEXICON.synonyms.contains_key(&stem)
        || LEXICON.heads.contains(&stem)
}

/// Whether some word excludes this one.
pub(crate) fn has_opposite(lower: &str) -> bool {
    LEXICON.opposed.contains(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synonym_has_one_meaning() {
        let mut known: HashMap<String, &str> = HashMap::new();
        for line in SYNONYMS.iter() {
            for word in line.split_whitespace().skip(1) {
                let head = line.split(' ').next().unwrap_or_default();
                let other = known.insert(stem(word), head);
                assert!(
                    other.is_none_or(|other| other == head),
                    "{word} is compared as {head} and {other:?}"
                );
            }
        }
    }

    #[test]
    fn words_are_compared_by_meaning() {
        assert_eq!(compared_form("halts"), compared_form("stopped"));
        assert_eq!(compared_form("postgresql"), "postgres");
        assert!(are_opposites(&compared_form("enable"), &compared_form("disabled")));
        assert!(!are_opposites(&compared_form("enable"), &compared_form("enabled")));
    }
}
