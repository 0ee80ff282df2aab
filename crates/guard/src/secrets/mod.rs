//! Secrets: values known by their shape, and values told by the words around them.
//!
//! One pass over the text finds beginnings of tokens, names of makers, words and commands; each place is then looked at by
//! hand-written comparisons over a bounded stretch. There is no regular expression here, so that nothing has to be compiled when
//! the program starts.

mod blocks;
mod commands;
pub mod formats;
pub(crate) mod literals;
pub mod named;
mod rules;
mod told;
mod value;

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::limits::secrets::ALONE_WORDS_MAX;
use crate::text::Text;
use crate::verdict::{Axis, Finding, Tier};

pub use rules::{RULES, SecretRule, rule_ids, why};

/// Every secret in a text. The spans hold the values only, so that what is left reads on when they are taken out.
pub fn find(text: &str) -> Vec<Finding> {
    let text = Text::new(text);
    joined(&text, in_raw(&text), in_plain(&text))
}

/// What is taken for a secret in the text as it was given.
pub(crate) fn in_raw(text: &Text<'_>) -> Vec<Candidate> {
    settled(candidates(text.raw))
}

/// What is taken for one in the text as it is read, where that is another.
pub(crate) fn in_plain(text: &Text<'_>) -> Vec<Candidate> {
    let Cow::Owned(plain) = &text.plain else { return Vec::new() };
    let placed = |candidate: Candidate| {
        let (start, end) = text.place(candidate.start, candidate.end);
        Candidate { start, end, ..candidate }
    };
    settled(candidates(plain)).into_iter().map(placed).collect()
}

/// What both together say.
pub(crate) fn joined(text: &Text<'_>, mut raw: Vec<Candidate>, plain: Vec<Candidate>) -> Vec<Finding> {
    if matches!(text.plain, Cow::Owned(_)) {
        raw.extend(plain);
        raw = settled(raw);
    }
    raw.into_iter().map(Candidate::into_finding).collect()
}

/// A value that a rule took for a secret, before the rules are weighed against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    start: usize,
    end: usize,
    rule: &'static str,
    sort: Sort,
}

/// How a rule knows a secret; the earlier one is believed where two found the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Format,
    Block,
    Named,
    Command,
    Told,
    Drawn,
}

impl Candidate {
    fn into_finding(self) -> Finding {
        let (axis, severity) = match self.sort {
            Sort::Format | Sort::Block | Sort::Named => (Axis::CredentialDetection, Tier::Critical),
            Sort::Command | Sort::Told => (Axis::CredentialLeakage, Tier::Critical),
            // Drawn letters that nothing calls a secret: worth a look, no more.
            Sort::Drawn => (Axis::CredentialDetection, Tier::Medium),
        };
        Finding { start: self.start, end: self.end, axis, rule: self.rule, severity }
    }
}

/// Of candidates that overlap, the one of the surer sort, and of those the longest.
fn settled(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by_key(|c| (c.start, c.end, c.sort, c.rule));
    let mut kept: Vec<Candidate> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        match kept.last_mut() {
            Some(last) if candidate.start < last.end => {
                let end = last.end.max(candidate.end);
                let start = last.start;
                let key = |c: &Candidate| (c.sort, std::cmp::Reverse(c.end - c.start));
                if key(&candidate) < key(last) {
                    *last = candidate;
                }
                (last.start, last.end) = (start, end);
            }
            _ => kept.push(candidate),
        }
    }
    kept
}

/// What a literal found by the pass over the text stands for.
#[derive(Clone, Copy)]
enum Sign {
    Start { format: usize, start: usize },
    Anchor(usize),
    Maker { named: usize },
    Word(usize),
    Command(usize),
    PrivateKey,
    WebToken,
    Address,
    Bearer,
    Basic,
    AccessSignature,
}

struct Signs {
    literals: literals::Literals,
    signs: Vec<Sign>,
}

/// The literals and what they stand for; put together once, when a text is first looked at.
fn signs() -> &'static Signs {
    static SIGNS: OnceLock<Signs> = OnceLock::new();
    SIGNS.get_or_init(|| {
        let mut literals: Vec<&'static str> = Vec::with_capacity(640);
        let mut signs = Vec::with_capacity(640);
        for (format, kind) in formats::FORMATS.iter().enumerate() {
            for (start, literal) in kind.starts.iter().enumerate() {
                literals.push(literal);
                signs.push(Sign::Start { format, start });
            }
        }
        for (index, kind) in formats::ANCHORED.iter().enumerate() {
            literals.push(kind.anchor);
            signs.push(Sign::Anchor(index));
        }
        for (named, kind) in named::NAMED.iter().enumerate() {
            for literal in kind.words {
                literals.push(literal);
                signs.push(Sign::Maker { named });
            }
        }
        for (index, (literal, _)) in told::WORDS.iter().enumerate() {
            literals.push(literal);
            signs.push(Sign::Word(index));
        }
        for (index, command) in commands::COMMANDS.iter().enumerate() {
            literals.push(command.word);
            signs.push(Sign::Command(index));
        }
        for (literal, sign) in [
            ("-----begin", Sign::PrivateKey),
            ("eyj", Sign::WebToken),
            ("://", Sign::Address),
            ("bearer", Sign::Bearer),
            ("basic", Sign::Basic),
            ("sig=", Sign::AccessSignature),
            ("sig%3d", Sign::AccessSignature),
        ] {
            literals.push(literal);
            signs.push(sign);
        }
        Signs { literals: literals::Literals::new(literals), signs }
    })
}

/// Everything that any rule takes for a secret.
fn candidates(text: &str) -> Vec<Candidate> {
    let known = signs();
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut words: Vec<(usize, usize, usize)> = Vec::new();
    let mut commands: Vec<(usize, usize, usize)> = Vec::new();
    let mut makers_done = vec![0usize; named::NAMED.len()];
    let marks = marks(text);
    let marked = |start: usize, end: usize| {
        let next = marks.partition_point(|mark| mark.1 <= start);
        marks.get(next).is_some_and(|mark| mark.0 < end)
    };
    let mut push = |rule: &'static str, sort: Sort, span: Option<(usize, usize)>| {
        if let Some((start, end)) = span
            && start < end
            && !marked(start, end)
        {
            found.push(Candidate { start, end, rule, sort });
        }
    };
    known.literals.each(&bytes.to_ascii_lowercase(), |literal, start, end| {
        if marked(start, end) {
            return;
        }
        match known.signs[literal] {
            Sign::Start { format, start: which } => {
                let format = &formats::FORMATS[format];
                let span = formats::end_of(format, text, start, format.starts[which]).map(|end| (start, end));
                push(format.id, Sort::Format, span);
            }
            Sign::Anchor(index) => {
                let kind = &formats::ANCHORED[index];
                push(kind.id, Sort::Format, formats::around(kind, text, start));
            }
            Sign::Maker { named: index } => {
                let kind = &named::NAMED[index];
                let mut spans = Vec::new();
                if let Some(seen) = named::around(kind, text, start, end, makers_done[index], &mut spans) {
                    makers_done[index] = seen;
                }
                for span in spans {
                    push(kind.id, Sort::Named, Some(span));
                }
            }
            Sign::Word(index) => words.push((start, end, index)),
            Sign::Command(index) if commands::stands_at(bytes, start, end) => {
                commands.push((start, end, index))
            }
            Sign::Command(_) => {}
            Sign::PrivateKey => push("private-key", Sort::Block, blocks::private_key(text, start)),
            Sign::WebToken => push("web-token", Sort::Block, blocks::web_token(text, start)),
            Sign::Address => push("address-password", Sort::Block, blocks::address_password(text, start)),
            Sign::Bearer => push("bearer-token", Sort::Block, blocks::bearer(text, end)),
            Sign::Basic => push("basic-credentials", Sort::Block, blocks::basic(text, end)),
            Sign::AccessSignature => {
                push("access-signature", Sort::Block, blocks::access_signature(text, start, end))
            }
        }
    });
    for (index, &(_, end, command)) in commands.iter().enumerate() {
        let until =
            commands[index + 1..].iter().find(|next| next.0 >= end).map_or(bytes.len(), |next| next.0);
        push(
            "command-password",
            Sort::Command,
            commands::password(&commands::COMMANDS[command], text, end, until),
        );
    }
    tell(text, &words, &mut push);
    for span in crate::known::spans(text) {
        push(crate::known::RULE, Sort::Format, Some(span));
    }
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'.' => push("discord-bot-token", Sort::Block, blocks::discord_bot(text, at)),
            b'"' | b'\'' | b'`' => push("drawn-literal", Sort::Drawn, blocks::drawn_literal(text, at)),
            _ => {}
        }
    }
    found
}

/// Looks at what words announce, each between its neighbours of the same family.
fn tell(
    text: &str,
    words: &[(usize, usize, usize)],
    push: &mut impl FnMut(&'static str, Sort, Option<(usize, usize)>),
) {
    let family = |index: usize| match told::WORDS[index].1 {
        told::Announces::Password | told::Announces::Pass => 0,
        told::Announces::Key | told::Announces::PlainKey | told::Announces::Auth => 1,
        told::Announces::Login => 2,
        told::Announces::Clause => 3,
        told::Announces::Pin => 4,
        told::Announces::Call => 5,
    };
    let told = |place: usize| {
        let (start, end, index) = words[place];
        let kin = family(index);
        let until = words[place + 1..]
            .iter()
            .take(16)
            .find(|next| next.0 >= end && family(next.2) == kin)
            .map_or(text.len(), |next| next.0);
        let after = words[..place]
            .iter()
            .rev()
            .take(16)
            .find(|last| last.1 <= start && family(last.2) == kin)
            .map_or(0, |last| last.1);
        told::value_of(text, &told::Word { announces: told::WORDS[index].1, start, end, after, until })
    };
    let all = |places: std::ops::Range<usize>| places.filter_map(told).collect::<Vec<_>>();
    let half = if words.len() < ALONE_WORDS_MAX { 0 } else { words.len() / 2 };
    let (first, second) = std::thread::scope(|scope| {
        // Where no thread is to be had, this one does it all.
        let other = (half > 0).then(|| std::thread::Builder::new().spawn_scoped(scope, || all(0..half)).ok());
        let second = all(half..words.len());
        let first = match other.flatten().map(|other| other.join()) {
            Some(Ok(first)) => first,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => all(0..half),
        };
        (first, second)
    });
    for (rule, span) in first.into_iter().chain(second) {
        push(rule, Sort::Told, Some(span));
    }
}

/// Where values were taken out before: `[REDACTED:rule]` with the name of a rule. Anything else between the brackets is no mark.
fn marks(text: &str) -> Vec<(usize, usize)> {
    const OPEN: &str = "[REDACTED:";
    text.match_indices(OPEN)
        .filter_map(|(at, _)| {
            let rest = &text[at + OPEN.len()..];
            let close = rest.bytes().take(64).position(|byte| byte == b']')?;
            rule_ids().any(|id| id == &rest[..close]).then_some((at, at + OPEN.len() + close + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests;
