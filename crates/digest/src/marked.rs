//! Lines that their author marked as knowledge: `Lesson: retry with jitter`, plain, in bold, as a point, or below a heading of that name
//! (COR-15).

use std::sync::LazyLock;

use ken_core::Type;
use ken_core::kinds::Polarity;
use ken_core::words::one_line;
use regex::Regex;

use crate::cue::LESSON;
use crate::document::{Passage, Shape};
use crate::limits::{QUOTE_CHARS_MAX, SENTENCE_CHARS_MAX, SENTENCE_WORDS_MIN};
use crate::norms::denies;
use crate::{Candidate, Place};

/// A marked line; its group is what it says.
pub(crate) static MARKED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)^(?:{MARKS})\s*:\s*(.+)$")).expect("a constant"));
static HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)^(?:{MARKS})\s*:?$")).expect("a constant"));
const MARKS: &str =
    "lessons?(?: learn(?:ed|t))?|learn(?:ed|t)|note to self|takeaways?|gotcha|root cause|dead end";

/// The marked lines of a passage, each a lesson. The rest of the sentence that such a line begins belongs to it.
pub(crate) fn lessons(passage: &Passage, at: &dyn Fn(u32, u32) -> Place) -> Vec<Candidate> {
    let text = &passage.text;
    if matches!(passage.shape, Shape::Row(_)) {
        return Vec::new();
    }
    let starts: Vec<usize> = passage.lines.iter().map(|(start, _)| *start).collect();
    let line = |number: usize| {
        let (from, to) = (starts[number], starts.get(number + 1).copied().unwrap_or(text.len()));
        (from, to, text[from..to].trim())
    };
    let is_marked = |number: usize| {
        let (from, _, words) = line(number);
        !passage.is_code(from) && MARKED.is_match(words)
    };
    let mut found = Vec::new();
    for number in (0..starts.len()).filter(|number| is_marked(*number)) {
        let (from, mut to, mut words) = line(number);
        let mut next = number + 1;
        while next < starts.len() && !words.ends_with(['.', '!', '?', ':']) && !is_marked(next) {
            (_, to, words) = line(next);
            next += 1;
        }
        let Some(said) = MARKED.captures(text[from..to].trim()).and_then(|marked| marked.get(1)) else {
            continue;
        };
        found.extend(lesson(passage, from, to, said.as_str(), at));
    }
    let is_below = passage.headings.last().is_some_and(|heading| HEADING.is_match(heading.trim()));
    if found.is_empty() && is_below {
        found.extend(lesson(passage, 0, text.len(), text, at));
    }
    found
}

/// A lesson in some bytes of a passage. A question, and a sentence that says nothing yet, is none.
fn lesson(
    passage: &Passage,
    from: usize,
    to: usize,
    said: &str,
    at: &dyn Fn(u32, u32) -> Place,
) -> Option<Candidate> {
    let said = said.trim();
    let is_fit = said.split_whitespace().count() > SENTENCE_WORDS_MIN && !said.ends_with(['?', ':']);
    let (first, last) = passage.lines(from, to);
    is_fit.then(|| Candidate {
        kind: Type::Lesson,
        statement: one_line(said, SENTENCE_CHARS_MAX),
        polarity: if denies(&said.to_lowercase()) { Polarity::Negative } else { Polarity::Positive },
        place: at(first, last),
        quote: one_line(&passage.text[from..to], QUOTE_CHARS_MAX),
        cue: LESSON.to_owned(),
        tags: Vec::new(),
        confidence: 85,
        enforcement: None,
    })
}
