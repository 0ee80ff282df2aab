//! Sentences of a passage, and the halves of one that are whole sentences themselves.

use std::sync::LazyLock;

use ken_language::{Style, sentence_ends};
use regex::Regex;

use crate::document::Passage;

/// The words of a level with a colon, as policies write them.
static LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:(?:MUST|SHALL|SHOULD|MAY|DO)(?: NOT)?|REQUIRED|RECOMMENDED|OPTIONAL|FORBIDDEN|NEVER|ALWAYS|DON['’]T): ?\S")
        .expect("a constant")
});

/// The sentences of a text, as bytes from and to, without the blanks around them. A line that begins with a level, such as `MUST NOT:`,
/// begins a sentence, whether or not the one before it was ended.
pub(crate) fn sentences(passage: &Passage, from: usize, to: usize) -> Vec<(usize, usize)> {
    let begins = |at: usize| {
        from < at && at < to && !passage.is_code(at) && LEVEL.is_match(passage.text[at..to].trim_start())
    };
    let mut starts: Vec<usize> = vec![from];
    starts.extend(passage.lines.iter().map(|(at, _)| *at).filter(|at| begins(*at)));
    starts.push(to);
    starts.windows(2).flat_map(|ends| ended(passage, ends[0], ends[1])).collect()
}

/// The sentences that full stops end.
fn ended(passage: &Passage, from: usize, to: usize) -> Vec<(usize, usize)> {
    let text = &passage.text;
    let ends = sentence_ends(&text[from..to], Style::Document, &|at| passage.is_code(from + at));
    let mut found = Vec::new();
    let mut start = from;
    for end in ends.into_iter().map(|end| from + end).chain([to]) {
        push(&mut found, text, start, end);
        start = end;
    }
    found
}

fn push(found: &mut Vec<(usize, usize)>, text: &str, from: usize, to: usize) {
    let words = &text[from..to];
    let trimmed = words.trim();
    if !trimmed.is_empty() {
        let start = from + (words.len() - words.trim_start().len());
        found.push((start, start + trimmed.len()));
    }
}

/// The places where a sentence may be taken apart: the byte where the first half ends, and that where the second begins.
pub(crate) fn joints(passage: &Passage, from: usize, to: usize) -> Vec<(usize, usize)> {
    const JOINTS: &[&str] = &["; ", ", and ", ", but ", " and "];
    let text = &passage.text[from..to];
    let mut found = Vec::new();
    for joint in JOINTS {
        for (at, _) in text.match_indices(joint) {
            let (end, start) = (from + at, from + at + joint.len());
            if !passage.is_code(end) && !found.iter().any(|(e, s)| *e <= end && start <= *s) {
                found.push((end, start));
            }
        }
    }
    found.sort_unstable();
    found
}
