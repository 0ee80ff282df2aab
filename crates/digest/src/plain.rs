//! Words without markup as passages: paragraphs between empty lines, points that begin with a dash or a number.

use std::sync::LazyLock;

use regex::Regex;

use crate::document::{Passage, Shape};

static POINT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+").expect("a constant"));

/// The passages of a plain text.
pub(crate) fn passages(text: &str) -> Vec<Passage> {
    let mut done: Vec<Passage> = Vec::new();
    let mut open: Option<Passage> = None;
    let mut heading: Option<String> = None;
    let mut number = 0;
    for line in text.lines() {
        number += 1;
        let words = line.trim();
        if words.is_empty() {
            done.extend(open.take());
            continue;
        }
        if words.chars().all(|c| matches!(c, '=' | '-' | '~' | '*' | '#')) {
            // A ruled line makes a heading of the line above.
            if let Some(above) = open.take() {
                heading = Some(above.text.trim().to_owned());
            }
            continue;
        }
        if let Some(mark) = POINT.find(line) {
            done.extend(open.take());
            let mut item = begin(Shape::Item, heading.as_ref());
            item.push(line[mark.end()..].trim(), number);
            open = Some(item);
            continue;
        }
        let passage = open.get_or_insert_with(|| begin(Shape::Paragraph, heading.as_ref()));
        if !passage.text.is_empty() {
            passage.push(" ", number);
        }
        passage.push(words, number);
    }
    done.extend(open);
    done
}

fn begin(shape: Shape, heading: Option<&String>) -> Passage {
    Passage { shape, headings: heading.into_iter().cloned().collect(), ..Passage::default() }
}
