//! The lines of a Markdown file, block by block: headings, points with what is below them, tables, code, paragraphs.

use std::ops::Range;

use crate::content::{is_heading, mark_len};

/// What Kenning itself has put into such a file begins and ends so.
pub(crate) const OWN_BEGIN: &str = "<!-- BEGIN KENNING";
const OWN_END: &str = "<!-- END KENNING -->";

/// What begins on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// A heading, with its level.
    Heading(usize),
    /// A point with its continuation and what is below it.
    Point,
    Paragraph,
    /// Code between fences.
    Fence,
    /// A table: its titles, the line below them, and its rows.
    Table,
    /// Blank lines, markup, comments.
    Text,
}

/// The lines of a file.
pub(crate) struct Lines<'a> {
    text: &'a str,
    places: Vec<Range<usize>>,
    /// How many lines a fence of code takes that begins on a line. One without an end is none: what is put after it has to be found again.
    fences: Vec<Option<usize>>,
    /// Where the last section of Kenning's own ends.
    own_end: Option<usize>,
    /// Where the last comment ends.
    comment_end: Option<usize>,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str, start: usize) -> Lines<'a> {
        let mut at = start;
        let mut places = Vec::new();
        for line in text[start..].split_inclusive('\n') {
            places.push(at..at + line.len());
            at += line.len();
        }
        let mut fences = vec![None; places.len()];
        // From the end on: for each mark the lines that close a fence, the nearest last, each longer than those after it.
        let mut closing: [Vec<(usize, usize)>; 2] = [Vec::new(), Vec::new()];
        for (number, place) in places.iter().enumerate().rev() {
            let words = bare(&text[place.clone()]);
            let Some((mark, length)) = fence_mark(words) else { continue };
            let closing = &mut closing[usize::from(mark == '~')];
            let close = closing.iter().rev().find(|(_, least)| *least >= length);
            fences[number] = close.map(|(last, _)| last - number + 1);
            if words.len() == length {
                while closing.last().is_some_and(|(_, least)| *least <= length) {
                    closing.pop();
                }
                closing.push((number, length));
            }
        }
        Lines { text, places, fences, own_end: text.rfind(OWN_END), comment_end: text.rfind("-->") }
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The bytes of a line.
    pub fn place(&self, number: usize) -> Range<usize> {
        self.places[number].clone()
    }

    /// Where a line ends.
    pub fn end(&self, number: usize) -> usize {
        self.places[number].end
    }

    /// Some lines on one.
    pub fn joined(&self, number: usize, count: usize) -> String {
        let words = (number..number + count).flat_map(|at| self.words(at).split_whitespace());
        words.collect::<Vec<_>>().join(" ")
    }

    pub fn line(&self, number: usize) -> &'a str {
        self.places.get(number).map_or("", |place| &self.text[place.clone()])
    }

    pub fn words(&self, number: usize) -> &'a str {
        bare(self.line(number))
    }

    /// What begins on a line, and how many lines it takes.
    pub fn block(&self, number: usize) -> (Block, usize) {
        let words = self.words(number);
        if words.starts_with(OWN_BEGIN) {
            return (Block::Text, self.until(number, OWN_END, self.own_end));
        }
        if words.starts_with("<!--") {
            return (Block::Text, self.until(number, "-->", self.comment_end));
        }
        if let Some(count) = self.fences[number] {
            return (Block::Fence, count);
        }
        if is_heading(words) {
            return (Block::Heading(words.bytes().take_while(|byte| *byte == b'#').count()), 1);
        }
        if words.starts_with('|') && is_delimiter(self.words(number + 1)) {
            let rows = (number + 2..self.places.len()).take_while(|at| self.words(*at).starts_with('|'));
            return (Block::Table, 2 + rows.count());
        }
        if is_text(words) || fence_mark(words).is_some() {
            return (Block::Text, 1);
        }
        if is_point(words) {
            return (Block::Point, self.point(number));
        }
        let mut count = 1;
        while number + count < self.places.len() {
            let next = self.words(number + count);
            if next.len() >= 3 && (next.bytes().all(|b| b == b'=') || next.bytes().all(|b| b == b'-')) {
                return (Block::Heading(if next.starts_with('=') { 1 } else { 2 }), count + 1);
            }
            let ends = is_heading(next) || is_text(next) || is_point(next) || next.starts_with("<!--");
            if ends || fence_mark(next).is_some() {
                break;
            }
            count += 1;
        }
        (Block::Paragraph, count)
    }

    /// How many lines there are to the end of a comment; one where it does not come.
    fn until(&self, number: usize, end: &str, last: Option<usize>) -> usize {
        let from = self.places[number].start;
        let found = last.filter(|last| *last >= from).and_then(|_| self.text[from..].find(end));
        let Some(at) = found else { return 1 };
        self.places[number..].iter().take_while(|place| place.start <= from + at).count()
    }

    /// How many lines a point takes: those that go on with it, and those below it that are indented.
    fn point(&self, number: usize) -> usize {
        let own = indent(self.line(number));
        let mut count = 1;
        while number + count < self.places.len() {
            let next = self.line(number + count);
            let words = bare(next);
            if words.is_empty() {
                // A gap belongs to the point where what follows is indented below it.
                let after =
                    (number + count..self.places.len()).find(|number| !self.words(*number).is_empty());
                match after {
                    Some(after) if indent(self.line(after)) > own => count = after - number,
                    Some(_) | None => break,
                }
                continue;
            }
            let is_below = indent(next) > own;
            if is_below && let Some(fence) = self.fences[number + count] {
                count += fence;
                continue;
            }
            let begins =
                is_point(words) || is_heading(words) || is_text(words) || fence_mark(words).is_some();
            let is_lazy = !begins && !self.words(number + count - 1).is_empty();
            if !is_below && !is_lazy {
                break;
            }
            count += 1;
        }
        count
    }
}

pub(crate) fn bare(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim()
}

/// Whether a trimmed line is neither a sentence nor a point: blank, a rule, a row of a table, markup, an import, a definition of a link.
fn is_text(words: &str) -> bool {
    let is_rule = words.len() >= 3
        && ["-", "*", "_", "="]
            .iter()
            .any(|mark| words.replace(' ', "").chars().all(|c| mark.starts_with(c)));
    let is_import = words.starts_with('@') && words.len() > 1 && !words.contains(char::is_whitespace);
    let is_markup = words
        .strip_prefix('<')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!'));
    let is_definition = words.starts_with('[') && words.contains("]: ");
    let is_silent = !words.chars().any(char::is_alphanumeric);
    is_silent || is_rule || is_import || is_markup || is_definition || words.starts_with('|')
}

fn is_point(words: &str) -> bool {
    !words.starts_with('>') && mark_len(words) > 0
}

/// The mark of a fence of code, and its length.
fn fence_mark(words: &str) -> Option<(char, usize)> {
    let mark = words.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = words.chars().take_while(|c| *c == mark).count();
    (length >= 3).then_some((mark, length))
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// Whether a line parts the titles of a table from its rows.
fn is_delimiter(words: &str) -> bool {
    words.starts_with('|') && words.contains('-') && words.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}
