//! What commit messages teach: lessons that somebody wrote down, reverts with their reasons, breaking changes, and how commits are usually named.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use ken_core::Type;
use ken_core::kinds::Polarity;
use ken_core::words::one_line;
use regex::Regex;
use serde_json::json;

use crate::cue::{self, CONVENTIONAL, LESSON, Manner, blotted};
use crate::document::Passage;
use crate::limits::{QUOTE_CHARS_MAX, SENTENCE_CHARS_MAX, USUAL_COMMITS_MIN, USUAL_PERCENT_MIN};
use crate::marked::MARKED;
use crate::{Candidate, Place, sentence};

/// A commit, as much of it as is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its full hash.
    pub hash: String,
    /// Its whole message.
    pub message: String,
}

static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([^)]{1,60}\))?(!?): \S")
        .expect("a constant")
});
static BREAKING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^BREAKING[ -]CHANGE\s*:\s*(.+)$").expect("a constant"));
static TRAILER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[A-Z][A-Za-z]+(?:-[A-Za-z]+)+: ").expect("a constant"));
static FROM_NOW_ON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bfrom now on\b|\bwe agreed\b|\bpolicy:|\bconvention:|\bin future,").expect("a constant")
});

/// The candidates of a range of commits.
pub(crate) fn reduce(commits: &[Commit]) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = usual(commits).into_iter().collect();
    found.extend(commits.iter().flat_map(of_commit));
    found
}

/// How commits are named here, if nearly all of them are named so.
fn usual(commits: &[Commit]) -> Option<Candidate> {
    let subject = |commit: &Commit| commit.message.lines().next().unwrap_or_default().trim().to_owned();
    let made_by_git = |subject: &str| {
        subject.starts_with("Merge ") || subject.starts_with("Revert \"") || subject.starts_with("fixup!")
    };
    let subjects: Vec<(&Commit, String)> = commits
        .iter()
        .map(|commit| (commit, subject(commit)))
        .filter(|(_, subject)| !made_by_git(subject))
        .collect();
    let named: Vec<&(&Commit, String)> =
        subjects.iter().filter(|(_, subject)| PREFIX.is_match(subject)).collect();
    if subjects.len() < USUAL_COMMITS_MIN || named.len() * 100 < subjects.len() * USUAL_PERCENT_MIN {
        return None;
    }
    let types: BTreeSet<String> =
        named.iter().filter_map(|(_, subject)| Some(PREFIX.captures(subject)?[1].to_owned())).collect();
    let types: Vec<String> = types.into_iter().collect();
    Some(Candidate {
        kind: Type::CommitNorm,
        statement: "Commit messages follow Conventional Commits.".to_owned(),
        polarity: Polarity::Positive,
        place: Place::Commit { hash: named.first()?.0.hash.clone() },
        quote: format!(
            "{} of {} commits begin with one of: {}",
            named.len(),
            subjects.len(),
            types.join(", ")
        ),
        cue: CONVENTIONAL.to_owned(),
        tags: vec!["commits".to_owned()],
        confidence: u8::try_from(named.len() * 100 / subjects.len()).unwrap_or(100).min(95),
        enforcement: Some(json!({"kind": "mechanical", "rule": "conventional_commits"})),
    })
}

fn of_commit(commit: &Commit) -> Vec<Candidate> {
    let mut lines = commit.message.lines();
    let subject = lines.next().unwrap_or_default().trim();
    let paragraphs = paragraphs(lines);
    let made = |kind, statement: String, quote: &str, negative, word: &str, confidence| Candidate {
        kind,
        statement: one_line(&statement, SENTENCE_CHARS_MAX),
        polarity: if negative { Polarity::Negative } else { Polarity::Positive },
        place: Place::Commit { hash: commit.hash.clone() },
        quote: one_line(quote, QUOTE_CHARS_MAX),
        cue: word.to_owned(),
        tags: vec!["commits".to_owned()],
        confidence,
        enforcement: None,
    };
    if let Some(reverted) = subject.strip_prefix("Revert \"").and_then(|rest| rest.strip_suffix('"')) {
        let is_reason =
            |text: &&String| !text.starts_with("This reverts commit") && text.split_whitespace().count() >= 4;
        let reason = paragraphs.iter().find(is_reason);
        return reason
            .map(|reason| {
                made(
                    Type::Lesson,
                    format!("\"{reverted}\" was reverted: {reason}"),
                    reason,
                    true,
                    "revert",
                    75,
                )
            })
            .into_iter()
            .collect();
    }
    let mut found = Vec::new();
    for paragraph in &paragraphs {
        if let Some(marked) = MARKED.captures(paragraph) {
            found.push(made(Type::Lesson, marked[1].to_owned(), paragraph, false, LESSON, 85));
        } else if let Some(breaking) = BREAKING.captures(paragraph) {
            found.push(made(
                Type::Lesson,
                format!("Breaking change: {}", &breaking[1]),
                paragraph,
                false,
                "breaking change",
                80,
            ));
        } else {
            let mut passage = Passage::default();
            passage.push(paragraph, 1);
            let manner = Manner { orders: false, guide: false, point: false, people: false };
            for (from, to) in sentence::sentences(&passage, 0, paragraph.len()) {
                let words = &paragraph[from..to];
                // In a message most duties are those of the code it describes.
                let lasting = cue::cue(&blotted(words, &|_| false), manner).filter(|cue| {
                    matches!(cue.word, "never" | "always" | "must not" | "do not" | LESSON)
                        && (cue.at == 0 || cue.word == LESSON)
                });
                if FROM_NOW_ON.is_match(words) {
                    found.push(made(
                        Type::UserExpectation,
                        words.to_owned(),
                        words,
                        false,
                        "from now on",
                        75,
                    ));
                } else if let Some(cue) = lasting {
                    found.push(made(Type::Lesson, words.to_owned(), words, cue.negative, cue.word, 65));
                }
            }
        }
    }
    if let Some(breaking) = PREFIX.captures(subject).filter(|prefix| &prefix[2] == "!")
        && !found.iter().any(|candidate| candidate.cue == "breaking change")
    {
        let change = subject[breaking.get(0).map_or(0, |whole| whole.end() - 1)..].trim();
        found.push(made(
            Type::Lesson,
            format!("Breaking change: {change}"),
            subject,
            false,
            "breaking change",
            70,
        ));
    }
    found
}

/// The paragraphs of a message's body, without its trailers; each point and each marked line is one of its own.
fn paragraphs<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        let words = line.trim();
        if words.is_empty() || TRAILER.is_match(words) {
            open = false;
            continue;
        }
        let point = words.strip_prefix("- ").or_else(|| words.strip_prefix("* "));
        let begins = point.is_some() || MARKED.is_match(words) || BREAKING.is_match(words);
        let words = point.unwrap_or(words);
        match found.last_mut().filter(|_| open && !begins) {
            Some(paragraph) => {
                paragraph.push(' ');
                paragraph.push_str(words);
            }
            None => found.push(words.to_owned()),
        }
        open = true;
    }
    found
}
