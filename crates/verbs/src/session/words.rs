//! What is looked for in texts: lines that are marked as knowledge, and entries that are named.

use ken_core::event::{Line, read_line};
use ken_core::{Body, EntryEvent, EntryKey};

/// A line that its author wants to be kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Marked {
    /// The type it is stated as.
    pub(super) kind: &'static str,
    /// The finer kind.
    pub(super) subtype: Option<&'static str>,
    /// A label.
    pub(super) tag: Option<&'static str>,
    /// What it says.
    pub(super) statement: String,
}

/// What such lines begin with, and what becomes of them.
const MARKS: &[(&str, &str, Option<&str>, Option<&str>)] = &[
    ("Lesson:", "lesson", None, None),
    ("Decision:", "experience", Some("decision"), None),
    ("Gotcha:", "lesson", None, Some("gotcha")),
    ("[ken]", "lesson", None, None),
];

/// So many blanks in front of a line make it code.
const CODE_BLANKS: usize = 4;

/// Lines that begin with one of the marks, and nothing else. What stands in a block of code is an example of something.
pub(super) fn marked(text: &str) -> Vec<Marked> {
    let mut found: Vec<Marked> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut hidden: Option<&'static str> = None;
    for line in text.lines() {
        let is_hidden = hidden.is_some();
        if fence.is_none() {
            hidden = hidden_after(line, hidden);
        }
        if is_hidden {
            continue;
        }
        let bare = line.trim_start_matches(' ');
        let indented = line.len() - bare.len() >= CODE_BLANKS || line.starts_with('\t');
        let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~')).unwrap_or(' ');
        let ticks = bare.chars().take_while(|c| *c == mark).count();
        if mark != ' ' && ticks >= 3 && !indented {
            fence = match fence {
                None => Some((mark, ticks)),
                Some((open, count)) if open == mark && ticks >= count && bare[ticks..].trim().is_empty() => {
                    None
                }
                Some(fence) => Some(fence),
            };
            continue;
        }
        if fence.is_some() || indented {
            continue;
        }
        let of = MARKS.iter().find_map(|(mark, kind, subtype, tag)| {
            Some((bare.strip_prefix(mark)?.trim(), *kind, *subtype, *tag))
        });
        if let Some((statement, kind, subtype, tag)) = of.filter(|(statement, ..)| !statement.is_empty())
            && !found.iter().any(|known| known.statement == statement)
        {
            found.push(Marked { kind, subtype, tag, statement: statement.to_owned() });
        }
    }
    found
}

/// What HTML holds back: code as it is, and what its author wants nobody to see.
const HIDDEN: &[(&str, &str)] = &[("<pre", "</pre>"), ("<!--", "-->")];

/// The word that ends what is hidden after a line; none where nothing is.
fn hidden_after(line: &str, before: Option<&'static str>) -> Option<&'static str> {
    let line = line.to_ascii_lowercase();
    let (mut at, mut hidden) = (0, before);
    loop {
        let rest = &line[at..];
        match hidden {
            Some(end) => match rest.find(end) {
                Some(found) => {
                    at += found + end.len();
                    hidden = None;
                }
                None => return hidden,
            },
            None => {
                let next =
                    HIDDEN.iter().filter_map(|(open, end)| Some((rest.find(open)?, *open, *end))).min();
                let (found, open, end) = next?;
                // Between backticks it is merely spoken of.
                let spoken_of = line[..at + found].matches('`').count() % 2 == 1;
                at += found + open.len();
                hidden = (!spoken_of).then_some(end);
            }
        }
    }
}

/// Citations, as in `[L-1a2b3c]`.
pub(super) fn cited(text: &str) -> impl Iterator<Item = &str> {
    text.split('[')
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .map(|(name, _)| name)
        .filter(|name| is_name(name))
}

/// Names between backticks, as the index page has them.
pub(super) fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("- `")?.split_once('`'))
        .map(|(name, _)| name)
        .filter(|name| is_name(name))
}

fn is_name(word: &str) -> bool {
    word.contains(['-', '.']) && (4..=200).contains(&word.len()) && !word.contains(char::is_whitespace)
}

/// The entry whose words a line of a ledger holds.
pub(super) fn stated(line: &str) -> Option<EntryKey> {
    let Ok(Line::Event(event)) = read_line(line) else { return None };
    match &event.body {
        Some(Body::Entry(EntryEvent::Added(_) | EntryEvent::Revised(_) | EntryEvent::Reinforced { .. })) => {
            event.entry
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_lines_count_and_none_in_code() {
        let text = "Done.\nLesson: retry with jitter\n  Gotcha: the clock is in UTC\nDecision:  use SQLite \n[ken] keep it\n\
            Lesson: retry with jitter\nlesson: lower case\nA Lesson: in the middle\n- Lesson: in a list\n> Lesson: quoted\n\
            ```md\nLesson: an example\n```\n~~~~\nLesson: one more\n~~~\nLesson: still code\n~~~~\n    Lesson: indented\n\
            Lesson:\n```\nLesson: never closed";
        let found: Vec<String> = marked(text)
            .into_iter()
            .map(|line| {
                format!(
                    "{} {}{}{}",
                    line.kind,
                    line.statement,
                    line.subtype.unwrap_or(""),
                    line.tag.unwrap_or("")
                )
            })
            .collect();
        let wanted = [
            "lesson retry with jitter",
            "lesson the clock is in UTCgotcha",
            "experience use SQLitedecision",
            "lesson keep it",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn what_html_hides_does_not_count() {
        let text = "<pre>\nLesson: in pre\n</pre>\nLesson: after pre\n<!-- one line -->\nLesson: after one\n\
            text <!--\nLesson: in a comment\n--> \nLesson: after a comment\nwrite `<pre>` then\nLesson: spoken of\n\
            <PRE class=x>\nGotcha: capitals\n</PRE> <!-- a --> <pre>\nLesson: again\n";
        let found: Vec<String> = marked(text).into_iter().map(|line| line.statement).collect();
        assert_eq!(found, ["after pre", "after one", "after a comment", "spoken of"]);
    }

    #[test]
    fn names_are_told_from_other_brackets() {
        let text = "As [L-1a2b3c] and [norm.commit.001] say; [x], [a link](there.md), [not a-name]\n- `L-9f` lesson\n`L-00`";
        assert_eq!(cited(text).collect::<Vec<_>>(), ["L-1a2b3c", "norm.commit.001"]);
        assert_eq!(quoted(text).collect::<Vec<_>>(), ["L-9f"]);
    }
}
