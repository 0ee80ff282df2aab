//! Words that deny, and in which readings they do.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::word_list::WordList;

static WORDS: WordList = WordList::new(include_str!("../words/negation.txt"));

/// What is read when a word is asked whether it denies. One list serves all (`words/negation.txt` says why they differ).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negation {
    /// What a lesson or a rule says.
    Claim,
    /// A text that may forbid the verb that comes next.
    Order,
    /// What a thing is said to be: `is not dangerous`.
    Verdict,
    /// What an agent says of an entry it was shown.
    Report,
    /// What stands where an entry is named, and means none: `nothing in it`.
    Subject,
    /// What waves a finding away: `not harmless`.
    Dismissal,
    /// A norm or the heading above it, in a document.
    Heading,
}

impl Negation {
    /// All of them.
    pub const ALL: [Negation; 7] = [
        Negation::Claim,
        Negation::Order,
        Negation::Verdict,
        Negation::Report,
        Negation::Subject,
        Negation::Dismissal,
        Negation::Heading,
    ];

    /// Whether a word in small letters denies in this reading.
    pub fn contains(self, lower: &str) -> bool {
        TABLE.get(lower).is_some_and(|readings| readings & self.bit() != 0)
    }

    /// The name by which the list calls it.
    fn as_str(self) -> &'static str {
        match self {
            Negation::Claim => "claim",
            Negation::Order => "order",
            Negation::Verdict => "verdict",
            Negation::Report => "report",
            Negation::Subject => "subject",
            Negation::Dismissal => "dismissal",
            Negation::Heading => "heading",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

static TABLE: LazyLock<HashMap<&'static str, u8>> = LazyLock::new(|| {
    let bits = |names: &str| {
        let known =
            Negation::ALL.into_iter().filter(|reading| names.split(' ').any(|name| name == reading.as_str()));
        known.fold(0, |bits, reading| bits | reading.bit())
    };
    WORDS.pairs().map(|(word, names)| (word, bits(names))).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_denies_somewhere() {
        for (word, names) in WORDS.pairs() {
            for name in names.split(' ') {
                assert!(Negation::ALL.iter().any(|reading| reading.as_str() == name), "{word}: {name:?}");
            }
        }
        assert!(Negation::ALL.iter().all(|reading| WORDS.pairs().any(|(word, _)| reading.contains(word))));
    }

    #[test]
    fn readings_differ_where_it_matters() {
        assert!(Negation::Claim.contains("without") && !Negation::Order.contains("without"));
        assert!(Negation::Order.contains("never") && !Negation::Order.contains("not"));
        assert!(Negation::Report.contains("hadn't") && !Negation::Claim.contains("hadn't"));
    }
}
