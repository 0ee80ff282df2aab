//! A fact that was looked up twice: the same file, for two questions, and the agent tells of the same values both times.

use std::collections::BTreeSet;

use ken_hosts::transcript::{Act, Look, Turn};
use ken_language::split;

use super::said::{Sentence, joined, looks_like_code, sentences};
use super::{Draft, DraftKind};
use crate::limits::harvest::{
    DETAIL_CHARS_MAX, EXPLANATION_WORDS_MIN, SHARED_NAMES_MIN, SHARED_TERMS_MIN, STATEMENT_CHARS_MAX,
};

/// Somebody looked something up.
struct Lookup<'a> {
    at: usize,
    /// The files that it was found in.
    files: BTreeSet<String>,
    output: &'a str,
    /// The person's turn that it was done for.
    question: usize,
}

/// One agent's turns in, drafts out.
pub(super) fn drafts(turns: &[&Turn]) -> Vec<Draft> {
    let mut question = 0;
    let mut looks: Vec<Lookup<'_>> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let (files, output) = match &turn.act {
            Act::Asked(_) => {
                question += 1;
                continue;
            }
            Act::Looked { how: Look::File, subject, output, .. } => {
                (BTreeSet::from([subject.clone()]), output)
            }
            Act::Looked { how: Look::Search, output, .. } => (files_in(output), output),
            Act::Looked { how: Look::Web, subject, output, .. } => {
                (BTreeSet::from([subject.clone()]), output)
            }
            Act::Ran { command, succeeded: Some(true), output } => {
                let shown = ken_hosts::hook::shown_by(command);
                let named = shown.iter().filter_map(|path| path.to_str()).map(str::to_owned);
                (named.chain(files_in(output)).collect(), output)
            }
            _ => continue,
        };
        if !files.is_empty() && !output.trim().is_empty() {
            looks.push(Lookup { at, files, output, question });
        }
    }
    let mut found: Vec<Draft> = Vec::new();
    for (number, second) in looks.iter().enumerate() {
        let before = looks[..number].iter().rev().filter(|first| first.question != second.question);
        let same = before.filter(|first| first.files.intersection(&second.files).next().is_some());
        for first in same {
            let files: BTreeSet<&String> = first.files.intersection(&second.files).collect();
            // Who changed it looks at what came of it.
            let edited = turns[first.at..second.at].iter().any(|turn| match &turn.act {
                Act::Edited { path, .. } | Act::Wrote { path, .. } => files.contains(path),
                _ => false,
            });
            let draft = if edited { None } else { draft(turns, first, second, &files) };
            if let Some(draft) = draft {
                if !found
                    .iter()
                    .any(|known| known.lines.0 == draft.lines.0 || known.statement == draft.statement)
                {
                    found.push(draft);
                }
                break;
            }
        }
    }
    found
}

/// The files in lines such as `path:12:text`.
fn files_in(output: &str) -> BTreeSet<String> {
    let file = |line: &str| {
        let (path, rest) = line.trim().split_once(':')?;
        let is_hit = rest.starts_with(|c: char| c.is_ascii_digit()) && path.contains(['.', '/']);
        (is_hit && !path.contains(char::is_whitespace)).then(|| path.trim_start_matches("./").to_owned())
    };
    output.lines().take(200).filter_map(file).collect()
}

fn draft(
    turns: &[&Turn],
    first: &Lookup<'_>,
    second: &Lookup<'_>,
    files: &BTreeSet<&String>,
) -> Option<Draft> {
    let source: BTreeSet<String> =
        terms(first.output).chain(terms(second.output)).map(|(term, _)| term).collect();
    let (once, at_once) = told(turns, first.at)?;
    let (again, at_again) = told(turns, second.at)?;
    if at_once == at_again {
        return None;
    }
    let of = |all: &[Sentence]| -> BTreeSet<(String, bool)> {
        all.iter().flat_map(|one| terms(&one.text).collect::<Vec<_>>()).collect()
    };
    let shared: Vec<(String, bool)> = of(&once).intersection(&of(&again)).cloned().collect();
    let values = shared.iter().filter(|(term, is_value)| *is_value && source.contains(term)).count();
    if values < SHARED_NAMES_MIN || shared.len() < SHARED_TERMS_MIN {
        return None;
    }
    Some(Draft {
        detail: Some(joined(&again, DETAIL_CHARS_MAX)),
        places: files.iter().map(|file| (*file).clone()).collect(),
        lines: (turns[first.at].lines.0, turns[at_again].lines.1),
        ..Draft::new(DraftKind::Fact, joined(&once, STATEMENT_CHARS_MAX))
    })
}

/// The words of a text that could be part of a fact, in small letters, and whether each is a value or a name in code.
fn terms(text: &str) -> impl Iterator<Item = (String, bool)> {
    text.split(|c: char| c.is_whitespace() || "`\"'(),;|=<>{}[]".contains(c)).filter_map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_value = bare.chars().any(|c| c.is_ascii_digit()) && bare.len() >= 2 || looks_like_code(bare);
        let is_word = split::words(bare, &[]).next().is_some() && bare.chars().count() >= 4;
        (is_value || is_word).then(|| (bare.to_lowercase(), is_value))
    })
}

/// What the agent says of it next, before it changes something, and where.
fn told(turns: &[&Turn], at: usize) -> Option<(Vec<Sentence>, usize)> {
    for (offset, turn) in turns[at + 1..].iter().enumerate() {
        match &turn.act {
            Act::Said(text) => {
                let is_told = |one: &Sentence| {
                    !one.is_question()
                        && !one.is_plan()
                        && !one.is_hedged()
                        && one.words().count() >= EXPLANATION_WORDS_MIN
                };
                let all: Vec<Sentence> = sentences(text).into_iter().filter(is_told).collect();
                if !all.is_empty() {
                    return Some((all, at + 1 + offset));
                }
            }
            Act::Asked(_) | Act::Edited { .. } | Act::Wrote { .. } => return None,
            _ => {}
        }
    }
    None
}
