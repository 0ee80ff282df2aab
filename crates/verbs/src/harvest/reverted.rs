//! An approach that was edited in and taken out again: a dead end, where somebody says why.
//!
//! What was put in and out by taste, for a moment, or to look at something is none. Nor is a change that the person took back.

use std::collections::BTreeSet;

use ken_hosts::transcript::{Act, Turn};
use ken_language::WordList;

use super::said::{Sentence, joined, sentences};
use super::signature::signature;
use super::{Draft, DraftKind};
use crate::limits::harvest::{
    DETAIL_CHARS_MAX, EXPLANATION_WORDS_MIN, PLACES_MAX, REASON_WORDS_MIN, REVERTED_LINES_SHARE,
    STATEMENT_CHARS_MAX,
};

static UNDOING: WordList = WordList::new(include_str!("../../words/harvest/undoing.txt"));
static OWN_SLIP: WordList = WordList::new(include_str!("../../words/harvest/own_slip.txt"));
static WITHDRAWN: WordList = WordList::new(include_str!("../../words/harvest/withdrawn.txt"));
static ONE_OFF: WordList = WordList::new(include_str!("../../words/harvest/one_off.txt"));

/// An edit that put something in.
struct Put<'a> {
    at: usize,
    path: &'a str,
    old: &'a str,
    new: &'a str,
}

/// One agent's turns in, drafts out.
pub(super) fn drafts(turns: &[&Turn]) -> Vec<Draft> {
    let puts: Vec<Put<'_>> = turns
        .iter()
        .enumerate()
        .filter_map(|(at, turn)| match &turn.act {
            Act::Edited { path, old, new, done: true } => Some(Put { at, path, old, new }),
            Act::Wrote { path, content, done: true } => Some(Put { at, path, old: "", new: content }),
            _ => None,
        })
        .collect();
    let mut found: Vec<(usize, Draft)> = Vec::new();
    let mut used: BTreeSet<usize> = BTreeSet::new();
    for at in 0..turns.len() {
        let gone: Vec<&Put<'_>> = puts
            .iter()
            .filter(|put| put.at < at && !used.contains(&put.at) && is_taken_out(put, &puts, turns, at))
            .collect();
        let Some(first) = gone.iter().map(|put| put.at).min() else { continue };
        used.extend(gone.iter().map(|put| put.at));
        // What is taken out right after is part of the same approach.
        if let Some((last, known)) = found.last_mut()
            && !turns[*last + 1..at].iter().any(|turn| matches!(turn.act, Act::Ran { .. } | Act::Asked(_)))
        {
            *last = at;
            extend(known, turns[first].lines.0, turns[at].lines.1, &gone);
            continue;
        }
        if gone.iter().all(|put| is_trial(put)) || comes_back(&gone, &puts, at) {
            continue;
        }
        found.extend(draft(turns, first, at, &gone).map(|draft| (at, draft)));
    }
    found.into_iter().map(|(_, draft)| draft).collect()
}

/// Adds what else was taken out.
fn extend(draft: &mut Draft, first: u32, last: u32, gone: &[&Put<'_>]) {
    draft.lines = (draft.lines.0.min(first), draft.lines.1.max(last));
    for put in gone {
        if draft.places.len() < PLACES_MAX && !draft.places.iter().any(|known| known == put.path) {
            draft.places.push(put.path.to_owned());
        }
    }
}

/// Whether a turn takes out what an edit put in: an edit that restores what was there, or git.
fn is_taken_out(put: &Put<'_>, puts: &[Put<'_>], turns: &[&Turn], at: usize) -> bool {
    match &turns[at].act {
        Act::Ran { command, succeeded, .. } if *succeeded != Some(false) => restores(command, put.path),
        Act::Edited { path, old, new, done: true } if path == put.path => {
            let added = added_lines(put.old, put.new);
            if added.is_empty() || !tests_between(turns, put.at, at) {
                return false;
            }
            // What later edits made of the lines counts as the lines.
            let later =
                puts.iter().filter(|other| other.at > put.at && other.at < at && other.path == put.path);
            let mut forms: BTreeSet<&str> = added.clone();
            for other in later {
                if lines(other.old).iter().any(|line| forms.contains(line)) {
                    forms.extend(added_lines(other.old, other.new));
                }
            }
            let removed: BTreeSet<&str> = lines(old).difference(&lines(new)).copied().collect();
            let out = forms.iter().filter(|line| removed.contains(*line)).count();
            let kept = added.iter().filter(|line| lines(new).contains(*line)).count();
            let comes_new = added_lines(old, new).difference(&lines(put.old)).count();
            let share = out as f64 / added.len().max(1) as f64;
            share >= REVERTED_LINES_SHARE && kept == 0 && comes_new == 0
        }
        _ => false,
    }
}

/// Whether something was tried between two turns.
fn tests_between(turns: &[&Turn], from: usize, to: usize) -> bool {
    turns[from..to].iter().any(|turn| matches!(turn.act, Act::Ran { .. } | Act::Used { .. }))
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric)).collect()
}

fn added_lines<'a>(old: &'a str, new: &'a str) -> BTreeSet<&'a str> {
    lines(new).difference(&lines(old)).copied().collect()
}

/// Whether a command line takes a file back to what git has, or removes it.
fn restores(line: &str, path: &str) -> bool {
    // Who puts it back in the same breath only compares.
    if line.contains("stash pop") || line.contains("stash apply") {
        return false;
    }
    line.split("&&").flat_map(|part| part.split(';')).any(|part| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let rest = match words.as_slice() {
            ["git", "checkout" | "restore", rest @ ..] => rest,
            ["git", "reset", rest @ ..] if rest.contains(&"--hard") => return true,
            ["git", "stash", rest @ ..] => {
                return rest.first().is_none_or(|word| ["push", "save", "-u"].contains(word));
            }
            ["git", "revert", ..] => return true,
            ["rm" | "trash", rest @ ..] => rest,
            _ => return false,
        };
        let named: Vec<&&str> = rest.iter().filter(|word| !word.starts_with('-')).collect();
        // A branch is no path.
        let is_it = |word: &str| {
            let word = word.trim_matches(['"', '\'']).trim_start_matches("./").trim_end_matches('/');
            word == "." || word == path || path.starts_with(&format!("{word}/"))
        };
        named.iter().any(|word| is_it(word))
    })
}

/// Whether an edit only looks at something: prints, traces, skipped tests.
fn is_trial(put: &Put<'_>) -> bool {
    const LOOKING: &[&str] = &[
        "print(",
        "println",
        "console.",
        "dbg!",
        "debugger",
        "log.",
        "logger",
        "logging",
        "breakpoint",
        "pdb",
        "puts ",
        "var_dump",
        "eprintln",
        "printf",
        "fmt.print",
        "trace!",
        "debug!",
        "system.out",
        "nslog",
        "echo ",
        "skip",
        "todo",
        "fixme",
        ".only(",
    ];
    let added = added_lines(put.old, put.new);
    added.iter().all(|line| {
        let lower = line.to_lowercase();
        LOOKING.iter().any(|word| lower.contains(word))
    })
}

/// Whether what was taken out is put in again later.
fn comes_back(gone: &[&Put<'_>], puts: &[Put<'_>], at: usize) -> bool {
    gone.iter().any(|put| {
        let added = added_lines(put.old, put.new);
        let later = puts.iter().filter(|other| other.at > at && other.path == put.path);
        !added.is_empty()
            && later
                .flat_map(|other| added_lines(other.old, other.new))
                .filter(|line| added.contains(line))
                .count()
                * 2
                > added.len()
    })
}

fn draft(turns: &[&Turn], first: usize, out: usize, gone: &[&Put<'_>]) -> Option<Draft> {
    // The reason stands between the last thing that was tried and the one that takes it out, or right behind it.
    let tried =
        turns[first..out].iter().rposition(|turn| matches!(turn.act, Act::Ran { .. } | Act::Used { .. }));
    let from = tried.map_or(first, |tried| first + tried);
    let until = turns[out + 1..]
        .iter()
        .position(|turn| !matches!(turn.act, Act::Said(_)))
        .map_or(turns.len(), |next| out + 1 + next);
    let before = reasons(&turns[from..out])?;
    let reasons = if before.is_empty() { reasons(&turns[out..until])? } else { before };
    let words: usize = reasons.iter().map(|one| one.words().count()).sum();
    let causal = reasons.iter().any(|one| one.is_causal() || one.has(&UNDOING));
    if words < REASON_WORDS_MIN {
        return None;
    }
    // A person who asks for it to be taken out has changed their mind; who tells what went wrong with it has not.
    let asked = turns[first..out].iter().filter_map(|turn| match &turn.act {
        Act::Asked(text) => Some(text.as_str()),
        _ => None,
    });
    if asked.clone().any(takes_back) || asked.clone().next().is_some() && !causal {
        return None;
    }
    // What the agent said when it began is what was tried.
    let idea = turns[..first].iter().rev().take(4).find_map(|turn| match &turn.act {
        Act::Said(text) => Some(text.as_str()),
        _ => None,
    });
    let idea = idea.map(|text| joined(&sentences(text), STATEMENT_CHARS_MAX)).unwrap_or_default();
    let failure = turns[first..out].iter().rev().find_map(|turn| match &turn.act {
        Act::Ran { succeeded: Some(false), output, .. } => signature(output),
        _ => None,
    });
    let mut places: Vec<String> = Vec::new();
    for put in gone {
        if !places.iter().any(|known| known == put.path) {
            places.push(put.path.to_owned());
        }
    }
    places.truncate(PLACES_MAX);
    // The names that were put in say what was tried where nobody does.
    let added: Vec<&str> = gone.iter().flat_map(|put| added_lines(put.old, put.new)).take(2).collect();
    let tried = format!("Tried: {idea} `{}`", added.join(" "));
    Some(Draft {
        detail: Some(tried.chars().take(DETAIL_CHARS_MAX).collect()),
        signature: failure,
        places,
        lines: (turns[first].lines.0, turns[out].lines.1),
        ..Draft::new(DraftKind::DeadEnd, joined(&reasons, STATEMENT_CHARS_MAX))
    })
}

/// The sentences of some turns that tell something of what was tried; none where the agent says that it is for now, or its own slip.
fn reasons(turns: &[&Turn]) -> Option<Vec<Sentence>> {
    let mut found = Vec::new();
    for turn in turns {
        let Act::Said(text) = &turn.act else { continue };
        let all = sentences(text);
        if all.iter().any(|one| one.has(&ONE_OFF) || one.has(&OWN_SLIP)) {
            return None;
        }
        found.extend(all.into_iter().filter(is_reason));
    }
    Some(found)
}

/// A sentence that tells something: no question, guess or plan.
fn is_reason(one: &Sentence) -> bool {
    !one.is_question() && !one.is_plan() && !one.is_hedged() && one.words().count() >= EXPLANATION_WORDS_MIN
}

/// Whether the person wants back what was there before.
fn takes_back(text: &str) -> bool {
    const BACK: &[&str] =
        &["back to", "nicer", "put it back", "as it was", "undo", "revert", "remove it", "take it out"];
    sentences(text).iter().any(|one| one.has(&WITHDRAWN) || one.has(BACK))
}
