//! Norms that nobody can keep together, each with a sentence that says why (gate `knowledge.contradictions`).
//!
//! The gate blocks on what is found here, so a wrong answer costs more than a missed one. Two rules contradict each other only if they speak of the
//! same thing in the same words, but for known synonyms, and nothing narrows the one that does not narrow the other: a narrower rule is read as an
//! exception, and is left to people. Links that say `contradicts` are the caller's.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use crate::kinds::Type;
use crate::limits::contradiction::{QUOTE_CHARS_MAX, TOGETHER_MAX};
use crate::words::one_line;

mod advice;
mod check;
mod clash;
mod lexicon;
mod statement;
#[cfg(test)]
mod tests;

pub use advice::Advice;
use check::Check;
use statement::{Statement, content_words};

/// A norm, as far as it is compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Norm<'a> {
    /// Its id, for the caller.
    pub id: &'a str,
    /// Its type, where this version knows it.
    pub kind: Option<Type>,
    /// What it says.
    pub rule: &'a str,
    /// What it is about, where that is recorded.
    pub subject: Option<&'a str>,
    /// The key under which there is one norm only.
    pub merge_key: Option<&'a str>,
    /// How it is enforced.
    pub enforcement: Option<&'a Value>,
    /// When it does not hold.
    pub exceptions: &'a [String],
    /// Where it holds: the scope key.
    pub scope: &'a str,
}

/// In what two norms contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    /// One demands or allows what the other forbids, or demands what the other leaves open.
    Modality,
    /// One thing is given two values that exclude each other.
    Value,
    /// No change can pass both checks.
    Enforcement,
}

impl How {
    /// All of them.
    pub const ALL: [How; 3] = [How::Modality, How::Value, How::Enforcement];

    /// The word used in answers.
    pub fn word(self) -> &'static str {
        match self {
            How::Modality => "modality",
            How::Value => "value",
            How::Enforcement => "enforcement",
        }
    }
}

/// Why two norms cannot both be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    pub how: How,
    /// A sentence that quotes both.
    pub why: String,
    /// What the first of the two says.
    pub left: String,
    /// What the second of the two says.
    pub right: String,
}

/// Whether two norms contradict each other.
pub fn between(a: &Norm<'_>, b: &Norm<'_>) -> Option<Contradiction> {
    compare(&Read::parse(a), &Read::parse(b))
}

/// Whether two statements of any kind seem to contradict each other: enough to make somebody look, and not to block anything.
pub fn may_contradict(one: &str, other: &str) -> bool {
    Claim::parse(one).may_contradict(&Claim::parse(other))
}

/// A statement of any kind, taken apart once to be compared with many.
pub struct Claim<'a> {
    advice: Advice,
    read: Read<'a>,
}

impl<'a> Claim<'a> {
    pub fn parse(text: &'a str) -> Claim<'a> {
        Claim { advice: Advice::parse(text), read: Read::parse(&Norm { rule: text, ..Norm::default() }) }
    }

    /// See [`may_contradict`]. Which comes first does not matter.
    pub fn may_contradict(&self, other: &Claim<'_>) -> bool {
        self.advice.opposes(&other.advice) || compare(&self.read, &other.read).is_some()
    }
}

/// The norms that contradict each other, two by two, by their places, the smaller first.
///
/// Only norms that share their words, their merge key or a path are compared. Where very many share them, each is compared with the first of these that
/// differ, so that the time grows with the number of norms and nothing else: whoever wants some compared in any case puts them in front.
pub fn among(norms: &[Norm<'_>]) -> Vec<(usize, usize, Contradiction)> {
    let read: Vec<Read<'_>> = norms.iter().map(Read::parse).collect();
    let mut buckets: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    let keys: Vec<BTreeSet<String>> = read.iter().map(Read::keys).collect();
    for (at, keys) in keys.iter().enumerate() {
        for key in keys {
            buckets.entry((norms[at].scope, key)).or_default().push(at);
        }
    }
    let mut met: HashSet<(usize, usize)> = HashSet::new();
    let mut meet = |one: usize, other: usize| {
        if one != other && norms[one].scope == norms[other].scope {
            met.insert((one.min(other), one.max(other)));
        }
    };
    for together in buckets.values() {
        for one in first_of(&read, together) {
            together.iter().for_each(|other| meet(one, *other));
        }
    }
    // A forbidden path that begins with a star may lie anywhere.
    let all = |asks: fn(&Check) -> bool| -> Vec<usize> {
        (0..norms.len()).filter(|at| read[*at].check.as_ref().is_some_and(asks)).collect()
    };
    let (forbidding, needing) = (all(Check::forbids_anywhere), all(Check::needs));
    for (some, others) in [(&forbidding, &needing), (&needing, &forbidding)] {
        for one in first_of(&read, some) {
            others.iter().for_each(|other| meet(one, *other));
        }
    }
    let mut met: Vec<(usize, usize)> = met.into_iter().collect();
    met.sort_unstable();
    met.into_iter()
        .filter_map(|(one, other)| Some((one, other, compare(&read[one], &read[other])?)))
        .collect()
}

/// Those that the others are compared with: all, or of too many the first that say different things.
fn first_of(read: &[Read<'_>], together: &[usize]) -> Vec<usize> {
    if together.len() <= TOGETHER_MAX {
        return together.to_vec();
    }
    let mut first: Vec<usize> = Vec::with_capacity(TOGETHER_MAX);
    for at in together {
        if first.iter().all(|other| order(&read[*at], &read[*other]).is_ne()) {
            first.push(*at);
        }
        if first.len() == TOGETHER_MAX {
            break;
        }
    }
    first
}

/// A norm, taken apart once.
struct Read<'a> {
    norm: Norm<'a>,
    /// Equal for texts that differ in letter case and punctuation alone.
    plain: String,
    statements: Vec<Statement>,
    setting: Option<(String, String)>,
    subject: BTreeSet<String>,
    merge_key: Option<String>,
    exceptions: Vec<BTreeSet<String>>,
    check: Option<Check>,
}

impl<'a> Read<'a> {
    fn parse(norm: &Norm<'a>) -> Read<'a> {
        Read {
            norm: *norm,
            plain: plain(norm.rule),
            statements: statement::read(norm.rule),
            setting: statement::setting(norm.rule),
            subject: norm.subject.map(content_words).unwrap_or_default(),
            merge_key: norm.merge_key.map(|key| key.trim().to_lowercase()).filter(|key| !key.is_empty()),
            exceptions: norm.exceptions.iter().map(|text| content_words(text)).collect(),
            check: norm.enforcement.and_then(Check::parse),
        }
    }

    /// Two norms that contradict each other share one of these.
    fn keys(&self) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        for statement in &self.statements {
            keys.extend(statement.keys(&BTreeSet::new()));
            if !self.subject.is_empty() {
                keys.extend(statement.keys(&self.subject));
            }
        }
        keys.extend(self.setting.iter().map(|(key, _)| format!("setting {key}")));
        keys.extend(self.merge_key.iter().map(|key| format!("merge key {key}")));
        keys.extend(self.check.iter().flat_map(Check::keys));
        keys
    }
}

fn compare(a: &Read<'_>, b: &Read<'_>) -> Option<Contradiction> {
    if a.norm.scope != b.norm.scope {
        return None;
    }
    // Which comes first must not matter, so one order is made of both.
    match order(a, b) {
        Ordering::Less => ordered(a, b),
        Ordering::Equal => None,
        Ordering::Greater => {
            ordered(b, a).map(|found| Contradiction { left: found.right, right: found.left, ..found })
        }
    }
}

/// An order of norms by what they say; equal if they say the same.
fn order(a: &Read<'_>, b: &Read<'_>) -> Ordering {
    let text = |read: &Read<'_>| read.norm.enforcement.map(Value::to_string);
    (&a.plain, a.norm.rule, a.norm.subject, a.norm.merge_key, a.norm.exceptions)
        .cmp(&(&b.plain, b.norm.rule, b.norm.subject, b.norm.merge_key, b.norm.exceptions))
        .then_with(|| text(a).cmp(&text(b)))
}

fn ordered(a: &Read<'_>, b: &Read<'_>) -> Option<Contradiction> {
    in_words(a, b).or_else(|| in_checks(a, b))
}

fn in_words(a: &Read<'_>, b: &Read<'_>) -> Option<Contradiction> {
    if a.plain == b.plain || excepted(a, b) || excepted(b, a) {
        return None;
    }
    let kinds_agree = match (a.norm.kind, b.norm.kind) {
        (Some(one), Some(other)) => one == other,
        (None, _) | (_, None) => true,
    };
    let same_key = kinds_agree && a.merge_key.is_some() && a.merge_key == b.merge_key;
    // Two keys, two things.
    if kinds_agree && !same_key && a.merge_key.is_some() && b.merge_key.is_some() {
        return None;
    }
    if !a.subject.is_empty()
        && !b.subject.is_empty()
        && !a.subject.is_subset(&b.subject)
        && !b.subject.is_subset(&a.subject)
    {
        return None;
    }
    let quote = |read: &Read<'_>| one_line(read.norm.rule, QUOTE_CHARS_MAX);
    if let (Some((key, one)), Some((other_key, other))) = (&a.setting, &b.setting)
        && key == other_key
        && one != other
    {
        return Some(Contradiction {
            how: How::Value,
            why: format!("one sets `{key}` to `{one}`, the other to `{other}`"),
            left: quote(a),
            right: quote(b),
        });
    }
    for one in &a.statements {
        for other in &b.statements {
            // What the subject says, the rule need not repeat.
            let (ours, theirs) = match (a.subject.is_empty(), b.subject.is_empty()) {
                (false, true) if !same_key => (Some(one.with(&a.subject)), None),
                (true, false) if !same_key => (None, Some(other.with(&b.subject))),
                (true, true) | (false, false) | (false, true) | (true, false) => (None, None),
            };
            let (one, other) = (ours.as_ref().unwrap_or(one), theirs.as_ref().unwrap_or(other));
            if !statement::comparable(one, other) {
                continue;
            }
            if let Some(clash) = clash::clash(one, other, same_key) {
                return Some(Contradiction {
                    how: clash.how,
                    why: clash.sentence(&quote(a), &quote(b)),
                    left: quote(a),
                    right: quote(b),
                });
            }
        }
    }
    None
}

fn in_checks(a: &Read<'_>, b: &Read<'_>) -> Option<Contradiction> {
    let (ours, theirs) = (a.check.as_ref()?, b.check.as_ref()?);
    let (left, right) = check::conflict(ours, theirs)?;
    Some(Contradiction {
        how: How::Enforcement,
        why: format!("no change can pass both: one {left}, the other {right}"),
        left,
        right,
    })
}

/// Whether the first lists what the second says as an exception.
fn excepted(norm: &Read<'_>, other: &Read<'_>) -> bool {
    if norm.exceptions.is_empty() {
        return false;
    }
    let words: BTreeSet<&String> = other.statements.iter().flat_map(Statement::word_keys).collect();
    let own: BTreeSet<&String> = norm.statements.iter().flat_map(Statement::word_keys).collect();
    norm.exceptions.iter().any(|exception| {
        let named = exception.iter().any(|word| words.contains(word) && !own.contains(word));
        named || (!words.is_empty() && words.iter().all(|word| exception.contains(*word)))
    })
}

/// Letters, digits and the signs that change a value.
fn plain(text: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || "<>=+#%≤≥≠".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        let next_is_digit = signs.peek().is_some_and(char::is_ascii_digit);
        if kept(sign) || (sign == '.' && before.is_ascii_digit() && next_is_digit) {
            out.extend(sign.to_lowercase());
        }
        before = sign;
    }
    out
}
