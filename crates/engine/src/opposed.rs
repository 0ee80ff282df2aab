//! Whether two entries say the opposite about one subject (UPK-3, COR-27).

use std::cell::OnceCell;
use std::collections::BTreeSet;

use ken_core::Tag;
use ken_core::contradiction::Claim;
use ken_core::decide::{self, Pair};
use ken_core::limits::brief as limits;
use ken_language::split;
use ken_recall::terms::is_stop_word;

use crate::limits::opposed::{SHARE_OF_SHORTER_MIN, TITLE_WORDS_MAX};
use crate::ports::Stored;

/// Words that say whether to do a thing, and not which.
pub(crate) const ADVISING: &[&str] = &[
    "add", "allow", "always", "avoid", "do", "don", "dont", "ensure", "keep", "make", "must", "never", "no",
    "not", "prefer", "should", "use", "using", "without",
];

/// Words by which a title advises against something. Of two titles that say the opposite, one has such a word.
const DENYING: &[&str] = &[
    "avoid", "ban", "cannot", "disallow", "don", "forbid", "instead", "never", "no", "not", "over",
    "prohibit", "rather",
];

/// Whether a title advises against something.
pub(crate) fn denies(title: &str) -> bool {
    // Of ASCII, small letters need no copy of the text.
    if title.is_ascii() {
        return split::words(title, &[])
            .any(|word| DENYING.iter().any(|denying| denying.eq_ignore_ascii_case(word)));
    }
    split::words(&title.to_lowercase(), &[]).any(|word| DENYING.contains(&word))
}

/// An entry that is compared with others. Its title and its statement are taken apart when a comparison first asks.
pub(crate) struct Compared<'a> {
    pub(crate) stored: &'a Stored,
    statement: &'a str,
    title: OnceCell<Title>,
    claim: OnceCell<Claim<'a>>,
}

impl<'a> Compared<'a> {
    /// An entry with its statement.
    pub(crate) fn new(stored: &'a Stored, statement: &'a str) -> Compared<'a> {
        Compared { stored, statement, title: OnceCell::new(), claim: OnceCell::new() }
    }

    fn title(&self) -> &Title {
        self.title.get_or_init(|| Title::without(&self.stored.entry.fields.title(), ADVISING))
    }

    fn claim(&self) -> &Claim<'a> {
        self.claim.get_or_init(|| Claim::parse(self.statement))
    }
}

/// Whether two entries in use are at odds about one subject: one do, the other do not, of one domain; or one says to do what the other says
/// not to do.
pub(crate) fn are_opposed(one: &Compared<'_>, other: &Compared<'_>) -> bool {
    let (ours, theirs) = (one.stored, other.stored);
    if ours.entry.key == theirs.entry.key
        || ![ours, theirs].iter().all(|stored| stored.entry.status.is_retrieved())
    {
        return false;
    }
    if decide::noted(&ours.entry, &theirs.entry) == Some(Pair::MayContradict) {
        return true;
    }
    (ours.entry.fields.has_opposite_polarity(&theirs.entry.fields)
        && one.title().overlap(other.title()) >= limits::SUBJECT_OVERLAP
        && shared(labels(ours), labels(theirs)) > limits::CONTRADICTION_OVERLAP)
        || (one.title().share_of_shorter(other.title()) >= SHARE_OF_SHORTER_MIN
            && one.claim().may_contradict(other.claim()))
}

/// What an entry is about: its domains, or its tags where it has none.
fn labels(stored: &Stored) -> &BTreeSet<Tag> {
    let fields = &stored.entry.fields;
    if fields.domains.is_empty() { &fields.tags } else { &fields.domains }
}

/// The words of a title, as far as they tell it from others.
pub(crate) struct Title {
    /// Sorted.
    pub(crate) words: Vec<u32>,
    /// Those with a digit, sorted: where they differ, two titles are about different things (IN-6).
    numbers: Vec<u32>,
}

impl Title {
    pub(crate) fn parse(text: &str) -> Title {
        Title::without(text, &[])
    }

    pub(crate) fn without(text: &str, left_out: &[&str]) -> Title {
        let lower = text.to_lowercase();
        let all: Vec<&str> = split::words(&lower, &[])
            .filter(|word| !is_stop_word(word) && !left_out.contains(word))
            .take(TITLE_WORDS_MAX)
            .collect();
        let terms = |words: &mut dyn Iterator<Item = &&str>| -> Vec<u32> {
            let mut terms: Vec<u32> = words.map(|word| ken_recall::Term::from_form(word).0).collect();
            terms.sort_unstable();
            terms.dedup();
            terms
        };
        let has_digit = |word: &&&str| word.chars().any(|c| c.is_numeric());
        let numbers = match lower.contains(char::is_numeric) {
            true => terms(&mut all.iter().filter(has_digit)),
            false => Vec::new(),
        };
        Title { words: terms(&mut all.iter()), numbers }
    }

    /// The share of words that two titles have in common; none where their numbers differ.
    pub(crate) fn overlap(&self, other: &Title) -> f64 {
        if self.numbers != other.numbers || self.words.is_empty() || other.words.is_empty() {
            return 0.0;
        }
        let both = self.common(other);
        both as f64 / (self.words.len() + other.words.len() - both) as f64
    }

    /// The share of the words of the shorter of two titles that the other has, too; none where their numbers differ.
    pub(crate) fn share_of_shorter(&self, other: &Title) -> f64 {
        let shorter = self.words.len().min(other.words.len());
        if self.numbers != other.numbers || shorter == 0 {
            return 0.0;
        }
        self.common(other) as f64 / shorter as f64
    }

    fn common(&self, other: &Title) -> usize {
        self.words.iter().filter(|word| other.words.binary_search(word).is_ok()).count()
    }
}

/// The share of labels that two entries have in common.
pub(crate) fn shared(one: &BTreeSet<Tag>, other: &BTreeSet<Tag>) -> f64 {
    let both = one.intersection(other).count();
    let either = one.len() + other.len() - both;
    if either == 0 { 0.0 } else { both as f64 / either as f64 }
}
