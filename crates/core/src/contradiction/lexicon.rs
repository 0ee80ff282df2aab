//! The words by which rules oblige, allow and forbid, and those of which only one can be meant.

use std::collections::HashMap;
use std::sync::LazyLock;

use ken_language::{WordList, compared_form};

/// Words that make the rest of a sentence a condition.
pub(super) static CONDITIONS: WordList =
    WordList::new(include_str!("../../words/contradiction/conditions.txt"));

/// Words after which a reason follows, which is no part of the rule.
pub(super) static REASONS: WordList = WordList::new(include_str!("../../words/contradiction/reasons.txt"));

/// Words of duty.
pub(super) static MUST: WordList = WordList::new(include_str!("../../words/contradiction/must.txt"));

/// Words of need: their negation leaves open, it does not forbid.
pub(super) static NEED: WordList = WordList::new(include_str!("../../words/contradiction/need.txt"));

/// Words of permission.
pub(super) static MAY: WordList = WordList::new(include_str!("../../words/contradiction/may.txt"));

/// Words that forbid.
pub(super) static BAN: WordList = WordList::new(include_str!("../../words/contradiction/ban.txt"));

/// Adjectives that oblige, allow or forbid where something is said to be so; before a noun they are words like others.
pub(super) const PREDICATES: &[(&str, Modal)] = &[
    ("required", Modal::Need),
    ("mandatory", Modal::Need),
    ("necessary", Modal::Need),
    ("obligatory", Modal::Need),
    ("compulsory", Modal::Need),
    ("optional", Modal::Optional),
    ("unnecessary", Modal::Optional),
    ("allowed", Modal::May),
    ("permitted", Modal::May),
    ("acceptable", Modal::May),
    ("permissible", Modal::May),
    ("ok", Modal::May),
    ("okay", Modal::May),
    ("fine", Modal::May),
    ("welcome", Modal::May),
    ("forbidden", Modal::Ban),
    ("prohibited", Modal::Ban),
    ("banned", Modal::Ban),
    ("disallowed", Modal::Ban),
    ("unacceptable", Modal::Ban),
];

/// What a word does to the rest of its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modal {
    Must,
    Need,
    May,
    Ban,
    Optional,
}

/// Rules with one of these hold now and then; nothing excludes them.
pub(super) static UNCERTAIN: WordList =
    WordList::new(include_str!("../../words/contradiction/uncertain.txt"));

/// After a negation these make it one of extent: `not all`, `not only`.
pub(super) static EXTENT: WordList = WordList::new(include_str!("../../words/contradiction/extent.txt"));

/// Small words that are compared like others, since another one makes another rule.
pub(super) static TELLING: WordList = WordList::new(include_str!("../../words/contradiction/telling.txt"));

/// Words that name nothing by themselves: whose default it is has to be said.
pub(super) static GENERIC: WordList = WordList::new(include_str!("../../words/contradiction/generic.txt"));

/// Verbs that take several things at once: two rules with two values go together.
pub(super) static GATHERING: WordList =
    WordList::new(include_str!("../../words/contradiction/gathering.txt"));

/// Verbs that say little: one side may have one that the other leaves out.
pub(super) static SAYING_LITTLE: WordList =
    WordList::new(include_str!("../../words/contradiction/saying_little.txt"));

/// Words of which one is the other's opposite where it is what is to be done: the first as it is, the others turned round.
const TURNED: &[(&str, &[&str])] = &[
    ("enable", &["disable", "deactivate"]),
    ("keep", &["remove", "delete", "drop", "discard", "erase"]),
    ("include", &["exclude", "omit"]),
    ("accept", &["reject", "refuse", "decline"]),
    ("show", &["hide"]),
    ("lock", &["unlock"]),
    ("", &["skip", "neglect", "forget", "bypass"]),
];

/// The opposite of a word, by its compared form; empty where it turns whatever is done.
pub(super) fn turned(key: &str) -> Option<&'static str> {
    static TABLE: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
        let pairs = TURNED.iter().flat_map(|(head, others)| {
            let head = if head.is_empty() { String::new() } else { compared_form(head) };
            others.iter().map(move |other| (compared_form(other), head.clone()))
        });
        pairs.collect()
    });
    TABLE.get(key).map(String::as_str)
}

/// `Include`, in its compared form.
pub(super) fn include() -> &'static str {
    static KEY: LazyLock<String> = LazyLock::new(|| compared_form("include"));
    &KEY
}

/// Values of one choice, a choice a line: whoever takes one of them for something does not take another for it.
static CHOICES: WordList = WordList::new(include_str!("../../words/contradiction/choices.txt"));

static VALUES: WordList = WordList::new(include_str!("../../words/contradiction/values.txt"));

/// Values that are written as several words, the words of each and how they are compared.
pub(super) fn values() -> &'static [(Vec<&'static str>, &'static str)] {
    static TABLE: LazyLock<Vec<(Vec<&'static str>, &'static str)>> =
        LazyLock::new(|| VALUES.pairs().map(|(words, key)| (words.split(' ').collect(), key)).collect());
    &TABLE
}

/// The choice that a value belongs to, by its compared form.
pub(super) fn choice(key: &str) -> Option<usize> {
    static TABLE: LazyLock<HashMap<String, usize>> = LazyLock::new(|| {
        let mut table = HashMap::new();
        for (number, line) in CHOICES.iter().enumerate() {
            for word in line.split_whitespace() {
                table.insert(word.to_owned(), number);
                table.insert(compared_form(word), number);
            }
        }
        table
    });
    TABLE.get(key).copied()
}

/// How things are brought together; of these only one can be the way in which something else is done.
pub(super) static LANDING: WordList = WordList::new(include_str!("../../words/contradiction/landing.txt"));
