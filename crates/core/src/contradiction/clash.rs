//! Whether two sentences exclude each other.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use ken_language::{are_opposites, compared_form};

use super::How;
use super::lexicon;
use super::statement::{Force, Quantity, Statement, Word, is_predicate};

/// In what two sentences clash.
#[derive(Debug)]
pub(super) struct Clash {
    pub how: How,
    first: String,
    second: String,
    about: String,
}

impl Clash {
    /// The sentence that explains it.
    pub fn sentence(&self, left: &str, right: &str) -> String {
        let Clash { how, first, second, about } = self;
        match how {
            How::Modality => {
                format!("one says {first} (`{left}`), the other {second} (`{right}`), about `{about}`")
            }
            How::Value | How::Enforcement => {
                format!("one says `{first}` (`{left}`), the other `{second}` (`{right}`), about `{about}`")
            }
        }
    }
}

pub(super) fn clash(a: &Statement, b: &Statement, same_key: bool) -> Option<Clash> {
    if let Some(found) = preference(a, b) {
        return Some(found);
    }
    let (ours, theirs) = (only(a, b), only(b, a));
    if alike(&ours, &theirs) && in_order(a, b) {
        return modality(a, b).or_else(|| number(a, b, same_key));
    }
    with_and_without(a, b, &ours, &theirs)
        .or_else(|| value(a, b, &ours, &theirs))
        .or_else(|| under_one_key(a, b, &ours, &theirs).filter(|_| same_key))
}

/// The words that the other does not have.
fn only<'a>(a: &'a Statement, b: &Statement) -> Vec<&'a Word> {
    a.words.iter().filter(|word| !b.has(&word.key)).collect()
}

/// Nothing is left, but for a verb that says little on one side.
fn alike(ours: &[&Word], theirs: &[&Word]) -> bool {
    let light = |words: &[&Word]| words.len() <= 1 && words.iter().all(|word| word.light);
    (ours.is_empty() && light(theirs)) || (theirs.is_empty() && light(ours))
}

/// Whether the shared words come in an order in which they can mean the same: `authors review tests` is not `tests review authors`.
fn in_order(a: &Statement, b: &Statement) -> bool {
    fn sequence<'a>(x: &'a Statement, y: &Statement) -> Vec<&'a str> {
        let mut shared: Vec<&str> = Vec::with_capacity(x.words.len());
        for key in x.words.iter().map(|word| word.key.as_str()).filter(|key| y.has(key)) {
            if !shared.contains(&key) {
                shared.push(key);
            }
        }
        shared
    }
    let (one, two) = (sequence(a, b), sequence(b, a));
    // Something in front may also stand behind; a verb goes before its object, or after it in the passive.
    let turned = (0..one.len()).any(|at| one[at..].iter().chain(&one[..at]).eq(&two));
    let moved = |x: &[&str], y: &[&str]| {
        x.split_first().is_some_and(|(first, rest)| rest.iter().eq(y.iter().filter(|key| *key != first)))
    };
    if a.active && b.active {
        return one == two;
    }
    one == two || turned || moved(&one, &two) || moved(&two, &one)
}

/// One demands or allows what the other forbids.
fn modality(a: &Statement, b: &Statement) -> Option<Clash> {
    let same_numbers = a.numbers.len() == b.numbers.len()
        && a.numbers.iter().zip(&b.numbers).all(|(one, two)| one.same(two));
    (same_numbers && a.force.excludes(b.force)).then(|| Clash {
        how: How::Modality,
        first: a.force.words().to_owned(),
        second: b.force.words().to_owned(),
        about: about(a, b),
    })
}

/// One thing, two numbers.
fn number(a: &Statement, b: &Statement, same_key: bool) -> Option<Clash> {
    if !binding(a, b) || a.numbers.len() != b.numbers.len() || ((a.gathers || b.gathers) && !same_key) {
        return None;
    }
    let apart: Vec<(&Quantity, &Quantity)> =
        a.numbers.iter().zip(&b.numbers).filter(|(one, two)| !one.same(two)).collect();
    let [(one, two)] = apart.as_slice() else { return None };
    let settled = |quantity: &Quantity| !quantity.condition && (quantity.set || same_key);
    (settled(one) && settled(two) && one.excludes(two)).then(|| Clash {
        how: How::Value,
        first: one.text.clone(),
        second: two.text.clone(),
        about: about(a, b),
    })
}

/// `Ship with symbols`, `ship without symbols`.
fn with_and_without(a: &Statement, b: &Statement, ours: &[&Word], theirs: &[&Word]) -> Option<Clash> {
    let (has, lacks, left_over) = match (ours, theirs) {
        ([word], []) if word.key == "without" => (b, a, true),
        ([], [word]) if word.key == "without" => (a, b, false),
        _ => return None,
    };
    let excluded = matches!(
        (has.force, lacks.force),
        (Force::Must, Force::Must | Force::May) | (Force::May, Force::Must)
    );
    if !has.has_with || !excluded || !has.numbers.is_empty() || !lacks.numbers.is_empty() {
        return None;
    }
    let words = if left_over { ["without", "with"] } else { ["with", "without"] };
    Some(Clash {
        how: How::Modality,
        first: words[0].to_owned(),
        second: words[1].to_owned(),
        about: about(a, b),
    })
}

static SET: LazyLock<String> = LazyLock::new(|| compared_form("set"));

/// One thing, two values of one choice.
fn value(a: &Statement, b: &Statement, ours: &[&Word], theirs: &[&Word]) -> Option<Clash> {
    let ([one], [two]) = (ours, theirs) else { return None };
    if !binding(a, b) || a.gathers || b.gathers || a.indefinite || b.indefinite {
        return None;
    }
    let choice = lexicon::choice(&one.key);
    if choice.is_none() && !(is_predicate(one) && is_predicate(two)) {
        return None;
    }
    let indents = choice.is_some() && choice == lexicon::choice("tab");
    let rest = a.words.iter().any(|word| {
        b.has(&word.key) && !word.light && !lexicon::GENERIC.contains(word.text.to_lowercase().as_str())
    });
    let counted = |statement: &Statement| statement.numbers.iter().any(|number| number.condition);
    let same_numbers = a.numbers.len() == b.numbers.len()
        && a.numbers.iter().zip(&b.numbers).all(|(one, two)| one.same(two));
    if !(same_numbers || indents) || counted(a) || counted(b) || !in_order(a, b) {
        return None;
    }
    let chosen = choice.is_some()
        && choice == lexicon::choice(&two.key)
        && (rest || indents)
        && [(a, one), (b, two)].into_iter().all(|(statement, word)| is_manner(statement, word));
    // `To` leads to a value where something is set.
    let sets = |statement: &Statement| statement.words.first().is_some_and(|word| word.key == *SET);
    let given = |statement: &Statement, word: &Word| {
        is_predicate(word)
            && (word.before != "to" || sets(statement))
            && statement.words.last().is_some_and(|last| last.key == word.key)
    };
    let said_to_be = given(a, one) && given(b, two) && rest;
    let opposite = said_to_be && (are_opposites(&one.key, &two.key) || prefixed(&one.key, &two.key));
    // A name that is given twice: `the default branch is x`.
    let named = said_to_be
        && one.hard
        && two.hard
        && [one, two].into_iter().all(|word| matches!(word.before.as_str(), "is" | "="));
    // Of a setting any two values exclude each other.
    let owner = a.words.iter().find(|word| word.key != *SET);
    let set =
        said_to_be && owner.is_some_and(|word| word.hard && b.has(&word.key)) && one.before == two.before;
    (chosen || opposite || named || set).then(|| Clash {
        how: How::Value,
        first: one.text.clone(),
        second: two.text.clone(),
        about: about(a, b),
    })
}

/// The same key was given to both: other hard things under it are other values.
fn under_one_key(a: &Statement, b: &Statement, ours: &[&Word], theirs: &[&Word]) -> Option<Clash> {
    const SLOT_WORDS_MAX: usize = 2;
    let slot =
        |words: &[&Word]| (1..=SLOT_WORDS_MAX).contains(&words.len()) && words.iter().any(|word| word.hard);
    let shared = a.words.iter().filter(|word| b.has(&word.key) && !word.light).count();
    if !binding(a, b) || !slot(ours) || !slot(theirs) || shared == 0 {
        return None;
    }
    let text = |words: &[&Word]| words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    Some(Clash { how: How::Value, first: text(ours), second: text(theirs), about: about(a, b) })
}

/// `x instead of y`, `y instead of x`.
fn preference(a: &Statement, b: &Statement) -> Option<Clash> {
    let sides = |statement: &Statement| -> Option<(BTreeSet<String>, BTreeSet<String>)> {
        let at = statement.words.iter().position(|word| word.key == "instead_of")?;
        let keys = |words: &[Word]| words.iter().map(|word| word.key.clone()).collect::<BTreeSet<_>>();
        Some((keys(&statement.words[..at]), keys(&statement.words[at + 1..])))
    };
    let ((wanted, left), (other_wanted, other_left)) = (sides(a)?, sides(b)?);
    let text = |words: &BTreeSet<String>| words.iter().cloned().collect::<Vec<_>>().join(" ");
    let swapped = binding(a, b) && wanted == other_left && left == other_wanted && wanted != left;
    (swapped && !wanted.is_empty() && !left.is_empty()).then(|| Clash {
        how: How::Value,
        first: text(&wanted),
        second: text(&other_wanted),
        about: format!("{} or {}", text(&wanted), text(&left)),
    })
}

/// Both say what is to be done.
fn binding(a: &Statement, b: &Statement) -> bool {
    a.force == Force::Must && b.force == Force::Must
}

/// Whether a value is the way in which something is done, not what it is done to.
fn is_manner(statement: &Statement, word: &Word) -> bool {
    let before = word.before.as_str();
    let used = matches!(
        before,
        "with" | "by" | "via" | "as" | "use" | "uses" | "using" | "be" | "are" | "is" | "prefer" | "="
    );
    let key =
        |words: &[&str]| words.iter().any(|other| compared_form(other) == word.key || *other == word.key);
    if key(&lexicon::LANDING) {
        let landed = ["merge", "integrate", "land"].into_iter().map(compared_form);
        return used || landed.into_iter().any(|key| key != word.key && statement.has(&key));
    }
    // `In JSON` may be where and not how.
    used || (before == "in" && !key(&["json", "yaml", "xml", "toml"]))
}

/// `Committed`, `uncommitted`.
fn prefixed(one: &str, two: &str) -> bool {
    const PREFIXES: [&str; 6] = ["un", "ir", "in", "im", "non", "dis"];
    let made = |short: &str, long: &str| {
        short.len() >= 4 && PREFIXES.into_iter().any(|prefix| long.strip_prefix(prefix) == Some(short))
    };
    made(one, two) || made(two, one)
}

/// What both speak of, as the first one writes it.
fn about(a: &Statement, b: &Statement) -> String {
    let telling = |word: &&Word| b.has(&word.key) && !lexicon::TELLING.contains(word.key.as_str());
    a.words.iter().filter(telling).map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}
