//! Sentences of a passage, and the halves of one that are whole sentences themselves.

use std::sync::LazyLock;

use regex::Regex;

use crate::document::Passage;

/// The words of a level with a colon, as policies write them.
static LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:(?:MUST|SHALL|SHOULD|MAY|DO)(?: NOT)?|REQUIRED|RECOMMENDED|OPTIONAL|FORBIDDEN|NEVER|ALWAYS|DON['’]T): ?\S")
        .expect("a constant")
});

/// Words after which a full stop ends nothing.
const SHORT: &[&str] = &[
    "e.g", "i.e", "etc", "cf", "vs", "approx", "no", "nr", "fig", "sec", "min", "max", "incl", "resp", "dr",
    "mr", "mrs", "ms", "st",
];

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
    let mut found = Vec::new();
    let mut start = from;
    let mut rest = text[from..to].char_indices().peekable();
    while let Some((at, letter)) = rest.next() {
        let at = from + at;
        if !matches!(letter, '.' | '!' | '?') || passage.is_code(at) {
            continue;
        }
        let mut end = at + letter.len_utf8();
        while let Some((_, closing)) =
            rest.next_if(|(_, c)| matches!(c, '"' | '\'' | ')' | '”' | '’' | '.' | '!' | '?'))
        {
            end += closing.len_utf8();
        }
        let Some((_, next)) = rest.peek() else { continue };
        if !next.is_whitespace() {
            continue;
        }
        let before = text[start..at]
            .rsplit(|c: char| c.is_whitespace() || c == '(')
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let follows = text[end..to].trim_start().chars().next();
        // A number before the stop is a list's; a lower case word after it goes on with the sentence.
        let goes_on = follows.is_some_and(char::is_lowercase) && !passage.is_code(end + 1) && letter == '.';
        if letter == '.'
            && (SHORT.contains(&before.as_str())
                || goes_on
                || before.chars().all(|c| c.is_ascii_digit()) && start + before.len() >= at)
        {
            continue;
        }
        push(&mut found, text, start, end);
        start = end;
    }
    push(&mut found, text, start, to);
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
