//! When two texts that look alike may not be one: what keeps them apart, in words that can be quoted (IN-6).
//!
//! A wrong merge loses a fact, a missed one only costs a line. So whatever cannot be explained away keeps two texts apart: hard
//! things (numbers, names, code, paths) must be the same on both sides, negations must fall on the same words, and of two near
//! copies every differing word must be a known synonym or filler.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ken_language::{Reading, Shape, Token, lexicon::opposites as opposite_groups};

use crate::fields::Anchor;
use crate::kinds::Polarity;
use crate::limits::similar::{SWAPPED_WORDS_MAX, TRADED_WORDS_MAX};

mod lexicon;

/// What is compared: the words of a claim, and what is recorded beside them.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    pub text: &'a str,
    /// Do, do not, or neither.
    pub polarity: Option<Polarity>,
    /// Where it can be seen.
    pub anchors: &'a [Anchor],
}

impl<'a> Claim<'a> {
    /// A text with nothing recorded beside it.
    pub fn plain(text: &'a str) -> Claim<'a> {
        Claim { text, polarity: None, anchors: &[] }
    }
}

/// In what two claims differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// The one says do, the other do not.
    Polarity,
    /// A negation on one side, or on other words.
    Negation,
    /// A quantity, with its unit.
    Number,
    /// A version or a date.
    Version,
    /// A name of code, of a product, of a setting.
    Identifier,
    /// A path, in the text or in the anchors.
    Path,
    /// Words that exclude each other.
    Opposite,
    /// Must against may.
    Modality,
    /// If, unless, only, and, or: when it holds.
    Condition,
    /// At least against at most.
    Comparison,
    /// The same words in other roles.
    Order,
    /// Near copies with a word that is not known to mean the same.
    Wording,
}

impl Aspect {
    /// The aspect in which two texts differ, if a word is on one side only.
    fn from_token(token: &Token) -> Option<Aspect> {
        match token.shape {
            Shape::Word | Shape::Small => None,
            Shape::Name | Shape::Code => Some(Aspect::Identifier),
            Shape::Path => Some(Aspect::Path),
            Shape::Number => Some(Aspect::Number),
            Shape::Version => Some(Aspect::Version),
        }
    }

    /// The word used in answers.
    pub fn word(self) -> &'static str {
        match self {
            Aspect::Polarity => "polarity",
            Aspect::Negation => "negation",
            Aspect::Number => "number",
            Aspect::Version => "version",
            Aspect::Identifier => "identifier",
            Aspect::Path => "path",
            Aspect::Opposite => "opposite",
            Aspect::Modality => "modality",
            Aspect::Condition => "condition",
            Aspect::Comparison => "comparison",
            Aspect::Order => "order",
            Aspect::Wording => "wording",
        }
    }
}

/// One reason to keep two claims apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// In what they differ.
    pub aspect: Aspect,
    /// What the first says; empty if it says nothing of the kind.
    pub first: String,
    /// What the second says; empty if it says nothing of the kind.
    pub second: String,
}

impl Difference {
    /// It in a clause, of two claims with these names.
    pub fn between(&self, one: &str, other: &str) -> String {
        let says = match self.aspect {
            Aspect::Polarity => "is recorded as",
            Aspect::Identifier | Aspect::Path | Aspect::Version => "names",
            Aspect::Negation
            | Aspect::Number
            | Aspect::Opposite
            | Aspect::Modality
            | Aspect::Condition
            | Aspect::Comparison
            | Aspect::Order
            | Aspect::Wording => "says",
        };
        match (self.first.is_empty(), self.second.is_empty()) {
            (false, false) => format!("{one} {says} `{}`, {other} {says} `{}`", self.first, self.second),
            (false, true) => format!("only {one} {says} `{}`", self.first),
            (true, false) => format!("only {other} {says} `{}`", self.second),
            (true, true) => format!("they differ in {}", self.aspect.word()),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.between("the first", "the second"))
    }
}

/// Whatever keeps two claims apart; empty when they may be one.
pub fn differences(a: &Claim<'_>, b: &Claim<'_>) -> Vec<Difference> {
    // Which comes first must not matter, however odd the texts are.
    let found = differences_from(a, b);
    if found.is_empty() { differences_from(b, a) } else { found }
}

fn differences_from(a: &Claim<'_>, b: &Claim<'_>) -> Vec<Difference> {
    let mut found = beside(a, b);
    let (one, two) = (Reading::new(a.text), Reading::new(b.text));
    if one.normal == two.normal && one.exact == two.exact {
        return found;
    }
    hard(&one, &two, &mut found);
    negation(&one, &two, &mut found);
    opposites(&one, &two, &mut found);
    markers(&one, &two, &mut found);
    scope(&one, &two, &mut found);
    if found.is_empty() {
        wording(&one, &two, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

/// What is recorded beside the text: polarity and places.
fn beside(a: &Claim<'_>, b: &Claim<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    let word = |polarity: Option<Polarity>| polarity.map_or("none given", Polarity::word).to_owned();
    // Not having said which is no contradiction, unless the other side is a warning.
    let apart = match (a.polarity, b.polarity) {
        (Some(x), Some(y)) => x != y,
        (Some(x), None) | (None, Some(x)) => x == Polarity::Negative,
        (None, None) => false,
    };
    if apart {
        found.push(Difference {
            aspect: Aspect::Polarity,
            first: word(a.polarity),
            second: word(b.polarity),
        });
    }
    let places = |anchors: &[Anchor]| -> BTreeSet<String> {
        anchors
            .iter()
            .map(|anchor| if anchor.path().is_empty() { anchor.at.clone() } else { anchor.path().to_owned() })
            .collect()
    };
    let (ours, theirs) = (places(a.anchors), places(b.anchors));
    // Naming more of the places is fine; naming another one is not.
    if !ours.is_subset(&theirs) && !theirs.is_subset(&ours) {
        let only = |x: &BTreeSet<String>, y: &BTreeSet<String>| {
            x.difference(y).cloned().collect::<Vec<_>>().join(", ")
        };
        found.push(Difference {
            aspect: Aspect::Path,
            first: only(&ours, &theirs),
            second: only(&theirs, &ours),
        });
    }
    found
}

/// Numbers, versions, names, code and paths: each must be on both sides.
fn hard(a: &Reading, b: &Reading, found: &mut Vec<Difference>) {
    let mut lacking: BTreeMap<Aspect, (Vec<&Token>, Vec<&Token>)> = BTreeMap::new();
    for said in a.tokens.iter().filter(|said| !b.has(said)) {
        if let Some(aspect) = Aspect::from_token(said) {
            lacking.entry(aspect).or_default().0.push(said);
        }
    }
    for said in b.tokens.iter().filter(|said| !a.has(said)) {
        if let Some(aspect) = Aspect::from_token(said) {
            lacking.entry(aspect).or_default().1.push(said);
        }
    }
    // `one` is a number only where the other side counts differently.
    let counted = |said: &&Token| !said.vague;
    let any_number = lacking
        .iter()
        .filter(|(aspect, _)| matches!(aspect, Aspect::Number | Aspect::Version))
        .map(|(_, (x, y))| (x.len(), y.len()))
        .fold((0, 0), |sum, (x, y)| (sum.0 + x, sum.1 + y));
    for (aspect, (mut ours, mut theirs)) in lacking {
        if aspect == Aspect::Number && (any_number.0 == 0 || any_number.1 == 0) {
            ours.retain(counted);
            theirs.retain(counted);
        }
        if aspect == Aspect::Identifier && (ours.is_empty() || theirs.is_empty()) {
            ours.retain(counted);
            theirs.retain(counted);
        }
        if ours.is_empty() && theirs.is_empty() {
            continue;
        }
        found.push(Difference { aspect, first: quote(&ours), second: quote(&theirs) });
    }
    // The same words of a command in another order.
    let others: BTreeMap<&Vec<String>, &String> = b.spans.iter().map(|(span, words)| (words, span)).collect();
    for (span, words) in a.spans.iter().filter(|(span, _)| !b.spans.contains_key(*span)) {
        if let Some(other) = others.get(words) {
            found.push(Difference {
                aspect: Aspect::Identifier,
                first: span.clone(),
                second: (*other).clone(),
            });
        }
    }
}

/// Negations must be as many, and fall on the same words.
fn negation(a: &Reading, b: &Reading, found: &mut Vec<Difference>) {
    let negators = |reading: &Reading| -> Vec<String> {
        reading.tokens.iter().filter(|said| said.negates).map(|said| said.text.clone()).collect()
    };
    let (ours, theirs) = (negators(a), negators(b));
    if ours.len() != theirs.len() {
        found.push(Difference {
            aspect: Aspect::Negation,
            first: ours.join(", "),
            second: theirs.join(", "),
        });
        return;
    }
    // The word right behind the negation is the one denied; the rest of the clause only sets the scene.
    let moved = |x: &Reading, y: &Reading| -> Option<String> {
        x.first_denied.iter().find(|key| y.keys.contains(*key) && !y.first_denied.contains(*key)).cloned()
    };
    if let (Some(first), Some(second)) = (moved(a, b), moved(b, a)) {
        found.push(Difference {
            aspect: Aspect::Negation,
            first: format!("not {}", a.written(&first)),
            second: format!("not {}", b.written(&second)),
        });
    }
}

/// Words of which only one can be meant: enable and disable, staging and production.
fn opposites(a: &Reading, b: &Reading, found: &mut Vec<Difference>) {
    for group in opposite_groups() {
        let sides = |reading: &Reading| -> BTreeSet<usize> {
            (0..group.len())
                .filter(|side| group[*side].iter().any(|key| reading.keys.contains(key)))
                .collect()
        };
        let (ours, theirs) = (sides(a), sides(b));
        if !ours.is_empty() && !theirs.is_empty() && ours.is_disjoint(&theirs) {
            let name = |reading: &Reading, sides: &BTreeSet<usize>| -> String {
                let keys: Vec<&String> = sides.iter().flat_map(|side| &group[*side]).collect();
                reading
                    .tokens
                    .iter()
                    .find(|said| keys.contains(&&said.key))
                    .map_or_else(String::new, |said| said.text.clone())
            };
            found.push(Difference {
                aspect: Aspect::Opposite,
                first: name(a, &ours),
                second: name(b, &theirs),
            });
        }
    }
    // `committed` against `uncommitted`, `sync` against `async`: made by a prefix.
    for (x, y, turned) in [(a, b, false), (b, a, true)] {
        for said in x.content().filter(|said| said.key.len() >= 3 && !y.keys.contains(&said.key)) {
            for prefix in lexicon::TURNING_PREFIXES {
                let other = format!("{prefix}{}", said.key);
                if y.keys.contains(&other) && !x.keys.contains(&other) {
                    let (own, other) = (said.text.clone(), y.written(&other).to_owned());
                    let (first, second) = if turned { (other, own) } else { (own, other) };
                    found.push(Difference { aspect: Aspect::Opposite, first, second });
                }
            }
        }
    }
}

/// Small words that change when and how strictly a claim holds.
fn markers(a: &Reading, b: &Reading, found: &mut Vec<Difference>) {
    let mut report = |aspect: Aspect, ours: Option<&Token>, theirs: Option<&Token>| {
        let text = |said: Option<&Token>| said.map_or_else(String::new, |said| said.text.clone());
        found.push(Difference { aspect, first: text(ours), second: text(theirs) });
    };
    let find = |reading: &'_ Reading, words: &[&str]| -> Option<usize> {
        reading.tokens.iter().position(|said| words.contains(&said.key.as_str()))
    };
    let at = |reading: &'static [&'static str]| reading;
    for (aspect, words) in [
        (Aspect::Condition, at(&["only"])),
        (Aspect::Condition, at(&["except"])),
        (Aspect::Condition, at(&["until"])),
        (Aspect::Modality, at(&["sometimes"])),
        (Aspect::Modality, at(&["optional"])),
        (Aspect::Comparison, at(&[">="])),
        (Aspect::Comparison, at(&["<="])),
        (Aspect::Comparison, at(&[">"])),
        (Aspect::Comparison, at(&["<"])),
        (Aspect::Comparison, at(&["exactly"])),
    ] {
        let (ours, theirs) = (find(a, words), find(b, words));
        if ours.is_some() != theirs.is_some() {
            report(aspect, ours.map(|i| &a.tokens[i]), theirs.map(|i| &b.tokens[i]));
        }
    }
    let (strong, weak) =
        (at(&["must", "always"]), at(&["may", "can", "could", "might", "sometimes", "optional", "usually"]));
    for (x, y, turned) in [(a, b, false), (b, a, true)] {
        let (must, may) = (find(x, strong), find(y, weak));
        if let (Some(must), Some(may)) = (must, may)
            && find(x, weak).is_none()
            && find(y, strong).is_none()
        {
            let (must, may) = (Some(&x.tokens[must]), Some(&y.tokens[may]));
            let (ours, theirs) = if turned { (may, must) } else { (must, may) };
            report(Aspect::Modality, ours, theirs);
        }
    }
}

/// `Only`, `all` and `that` must be said of the same words, and be denied on both sides or on none.
fn scope(a: &Reading, b: &Reading, found: &mut Vec<Difference>) {
    for (aspect, words) in lexicon::FOCUSING {
        let (ours, theirs) = (a.focus(words), b.focus(words));
        let moved = |x: &[(usize, usize)], from: &Reading, y: &[(usize, usize)], to: &Reading| {
            let there: BTreeSet<&str> = y.iter().map(|(_, at)| to.tokens[*at].key.as_str()).collect();
            x.iter().copied().find(|(_, at)| {
                let key = from.tokens[*at].key.as_str();
                to.keys.contains(key) && !there.contains(key)
            })
        };
        if let (Some(first), Some(second)) = (moved(&ours, a, &theirs, b), moved(&theirs, b, &ours, a)) {
            let text = |reading: &Reading, (word, at): (usize, usize)| {
                format!("{} {}", reading.tokens[word].text, reading.tokens[at].text)
            };
            found.push(Difference { aspect: *aspect, first: text(a, first), second: text(b, second) });
        }
    }
    let (ours, theirs) = (a.denied_scopes(), b.denied_scopes());
    // Only where both have such a word: `not all` against `none` is told by the negations.
    if ours.len() != theirs.len() && a.scoped() && b.scoped() {
        found.push(Difference {
            aspect: Aspect::Negation,
            first: ours.join(", "),
            second: theirs.join(", "),
        });
    }
}

/// Near copies: every word that is only on one side is a reason, and so are the same words in another order.
fn wording(a: &Reading, b: &Reading, found: &mut Vec<Difference>) {
    let only = |x: &Reading, y: &Reading| -> Vec<usize> {
        let mut seen = BTreeSet::new();
        (0..x.tokens.len())
            .filter(|i| {
                let said = &x.tokens[*i];
                said.is_content() && !said.light && !y.has(said) && seen.insert(said.key.clone())
            })
            .collect()
    };
    let (ours, theirs) = (only(a, b), only(b, a));
    let shared = a.content().filter(|said| b.has(said)).map(|said| &said.key).collect::<BTreeSet<_>>().len();
    if ours.is_empty() && theirs.is_empty() {
        return order(a, b, found);
    }
    let report = |found: &mut Vec<Difference>, aspect| {
        let text = |reading: &Reading, list: &[usize]| -> String {
            list.iter().map(|i| reading.tokens[*i].text.as_str()).collect::<Vec<_>>().join(" ")
        };
        found.push(Difference { aspect, first: text(a, &ours), second: text(b, &theirs) });
    };
    // Text of a script whose words are not known here is compared as it is.
    if a.foreign || b.foreign {
        return report(found, Aspect::Wording);
    }
    if ours.is_empty() || theirs.is_empty() {
        let (reading, extra) = if ours.is_empty() { (b, &theirs) } else { (a, &ours) };
        if reading.narrows(extra) {
            report(found, Aspect::Condition);
        }
        return;
    }
    let most = ours.len().max(theirs.len());
    if most <= SWAPPED_WORDS_MAX && shared >= most {
        report(found, Aspect::Wording);
    }
}

/// The same words: are they said of the same things?
fn order(a: &Reading, b: &Reading, found: &mut Vec<Difference>) {
    let count = |reading: &Reading, word: &str| reading.small.get(word).copied().unwrap_or(0);
    for (first, second) in lexicon::SWAPPED_SMALL_WORDS {
        let more = |word: &str| count(a, word).cmp(&count(b, word));
        if more(first).is_ne() && more(first) == more(second).reverse() {
            let (first, second) = if more(first).is_gt() { (first, second) } else { (second, first) };
            let aspect =
                if *first == "from" || *second == "from" { Aspect::Order } else { Aspect::Condition };
            found.push(Difference {
                aspect,
                first: a.written(first).to_owned(),
                second: b.written(second).to_owned(),
            });
            return;
        }
    }
    let only = |x: &Reading, y: &Reading| {
        lexicon::PLACING.iter().find(|word| count(x, word) > 0 && count(y, word) == 0).copied()
    };
    if let (Some(first), Some(second)) = (only(a, b), only(b, a)) {
        found.push(Difference {
            aspect: Aspect::Wording,
            first: first.to_owned(),
            second: second.to_owned(),
        });
        return;
    }
    for word in lexicon::BINDING {
        let (ours, theirs) = (a.bound(word), b.bound(word));
        if !ours.is_empty() && !theirs.is_empty() && ours.is_disjoint(&theirs) {
            let text = |reading: &Reading, keys: BTreeSet<&str>| {
                let words: Vec<&str> = keys.into_iter().map(|key| reading.written(key)).collect();
                format!("{} {}", reading.written(word), words.join(" "))
            };
            found.push(Difference { aspect: Aspect::Order, first: text(a, ours), second: text(b, theirs) });
            return;
        }
    }
    let (ours, theirs) = (a.sequence(), b.sequence());
    let mut count: BTreeMap<&str, i64> = BTreeMap::new();
    ours.iter().for_each(|key| *count.entry(key).or_default() += 1);
    theirs.iter().for_each(|key| *count.entry(key).or_default() -= 1);
    let more = count.iter().find(|(_, count)| **count > 0);
    let less = count.iter().find(|(_, count)| **count < 0);
    if let (Some((first, _)), Some((second, _))) = (more, less) {
        // Each word is on both sides, but one stands where the other did.
        found.push(Difference {
            aspect: Aspect::Wording,
            first: a.written(first).to_owned(),
            second: b.written(second).to_owned(),
        });
        return;
    }
    let by = |reading: &Reading| reading.small.get("by").copied().unwrap_or(0);
    let apart = if a.passive() == b.passive() {
        traded(&ours, &theirs) || traded_in_a_clause(a, b) || turned(a, b)
    } else {
        // `x calls y` and `x is called by y` have their words in one order.
        ours == theirs && by(a) != by(b)
    };
    if apart {
        let text = |reading: &Reading| {
            reading.content().map(|said| said.text.as_str()).collect::<Vec<_>>().join(" ")
        };
        found.push(Difference { aspect: Aspect::Order, first: text(a), second: text(b) });
    }
}

/// Whether words have changed places within one of several clauses: `x calls y, y calls z`, `y calls x, z calls y`.
fn traded_in_a_clause(a: &Reading, b: &Reading) -> bool {
    let (ours, theirs) = (a.clauses(), b.clauses());
    ours.len() == theirs.len() && ours.iter().zip(&theirs).any(|(x, y)| traded(x, y))
}

/// Whether neighbours have changed places within a clause, and not as a phrase of time or place that was moved: `that calls
/// billing`, `that billing calls`.
fn turned(a: &Reading, b: &Reading) -> bool {
    let places = |reading: &Reading| -> Vec<usize> {
        (0..reading.tokens.len()).filter(|at| reading.tokens[*at].is_content()).collect()
    };
    let (at_a, at_b) = (places(a), places(b));
    if at_a.len() != at_b.len() {
        return false;
    }
    let same = |(x, y): &(&usize, &usize)| a.tokens[**x].key == b.tokens[**y].key;
    let front = at_a.iter().zip(&at_b).take_while(same).count();
    let back = at_a[front..].iter().rev().zip(at_b[front..].iter().rev()).take_while(same).count();
    let (one, two) = (&at_a[front..at_a.len() - back], &at_b[front..at_b.len() - back]);
    if one.len() < 2 || one.len() > 2 * TRADED_WORDS_MAX {
        return false;
    }
    let key = |reading: &Reading, at: &[usize]| -> Vec<String> {
        at.iter().map(|at| reading.tokens[*at].key.clone()).collect()
    };
    let (keys_a, keys_b) = (key(a, one), key(b, two));
    (1..one.len()).any(|cut| {
        let rotated =
            keys_a[..cut] == keys_b[one.len() - cut..] && keys_a[cut..] == keys_b[..one.len() - cut];
        rotated
            && ![(a, one[0]), (a, one[cut]), (b, two[0]), (b, two[one.len() - cut])]
                .iter()
                .any(|(reading, at)| reading.is_movable(*at))
    })
}

/// Whether two words or groups of words have changed places around something that stayed: `x calls y`, `y calls x`. A clause
/// that only moved to the front changes places with its neighbour, and nothing stays between them.
fn traded(a: &[&str], b: &[&str]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let front = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[front..], &b[front..]);
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - back], &b[..b.len() - back]);
    if a.is_empty() {
        return false;
    }
    // Two words that stand for each other wherever they differ.
    let (x, y) = (a[0], b[0]);
    let exchanged = a.iter().zip(b).all(|(p, q)| p == q || (*p == x && *q == y) || (*p == y && *q == x));
    if exchanged && a.iter().zip(b).any(|(p, q)| p == q) {
        return true;
    }
    // Groups of words are short; so is this search.
    (1..=TRADED_WORDS_MAX).any(|group| {
        let Some(middle) = a.len().checked_sub(2 * group).filter(|middle| *middle > 0) else { return false };
        b[..group] == a[group + middle..]
            && b[group + middle..] == a[..group]
            && b[group..group + middle] == a[group..group + middle]
    })
}

fn quote(list: &[&Token]) -> String {
    let texts: BTreeSet<&str> = list.iter().map(|said| said.text.as_str()).collect();
    texts.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
