//! Characters that a person does not see and a machine reads.

use std::ops::Range;

use crate::limits::hidden::{SELECTORS_MIN, SPLIT_LETTERS_MIN};
use crate::text::{Text, is_unseen};

/// Letters written in tag characters or in rows of variation selectors. The flags of England, Scotland and Wales are spelled
/// so, and are left out.
pub fn smuggled(text: &Text<'_>) -> Vec<(usize, usize)> {
    if !text.has_unseen() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut run: Option<(Range<usize>, usize)> = None;
    let mut before = ' ';
    let mut is_flag = false;
    for (at, character) in unusual(text.raw) {
        let is_tag = matches!(character, '\u{e0000}'..='\u{e007f}');
        if is_tag && (is_flag || before == '\u{1f3f4}') {
            is_flag = character != '\u{e007f}';
        } else if is_tag || is_selector(character) {
            let weight = if is_tag { SELECTORS_MIN } else { 1 };
            let (span, count) = run.get_or_insert((at..at, 0));
            span.end = at + character.len_utf8();
            *count += weight;
            is_flag = false;
        } else {
            is_flag = false;
            close(text, run.take(), &mut found);
        }
        before = character;
    }
    close(text, run.take(), &mut found);
    found
}

/// The characters that are not ASCII, and of each row of others the first.
fn unusual(raw: &str) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let character = raw[at..].chars().next()?;
        let from = at;
        at += match character.is_ascii() {
            true => raw.as_bytes()[at..].iter().take_while(|byte| byte.is_ascii()).count(),
            false => character.len_utf8(),
        };
        Some((from, character))
    })
}

fn close(text: &Text<'_>, run: Option<(Range<usize>, usize)>, found: &mut Vec<(usize, usize)>) {
    if let Some((span, count)) = run
        && count >= SELECTORS_MIN
    {
        found.push(around(text, span));
    }
}

/// Characters that make a line be read in another order than it is written in. Marks that right-to-left scripts need are fine
/// where there is such a script.
pub fn reordered(text: &Text<'_>) -> Vec<(usize, usize)> {
    if !text.has_unseen() {
        return Vec::new();
    }
    if !text.raw.contains(['\u{202b}', '\u{202d}', '\u{202e}', '\u{2067}']) {
        return Vec::new();
    }
    let is_leftward = text.raw.chars().any(is_leftward);
    let turns = |c: char| match c {
        '\u{202d}' | '\u{202e}' => true,
        '\u{202b}' | '\u{2067}' => !is_leftward,
        _ => false,
    };
    text.raw
        .char_indices()
        .filter(|(_, c)| turns(*c))
        .map(|(at, c)| around(text, at..at + c.len_utf8()))
        .collect()
}

/// Words of Latin letters with characters of no width inside, more often than by accident.
pub fn split_words(text: &Text<'_>) -> Vec<(usize, usize)> {
    if !text.has_unseen() {
        return Vec::new();
    }
    if !text.raw.chars().any(is_widthless) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut splits = 0;
    let mut word: Option<Range<usize>> = None;
    let (mut unseen, mut is_split) = (false, false);
    for (at, character) in text.raw.char_indices().chain([(text.raw.len(), ' ')]) {
        if is_widthless(character) {
            unseen = true;
            continue;
        }
        if character.is_ascii_alphabetic() {
            if word.is_some() && unseen {
                splits += 1;
                is_split = true;
            }
            word.get_or_insert(at..at).end = at + 1;
        } else if let Some(word) = word.take().filter(|_| is_split) {
            found.push(around(text, word));
            is_split = false;
        }
        unseen = false;
    }
    if splits < SPLIT_LETTERS_MIN {
        found.clear();
    }
    found
}

/// Every character that is not seen and that the writing around it does not ask for, and every sequence that steers a terminal.
pub fn unseen(text: &Text<'_>) -> Vec<(usize, usize)> {
    if !text.has_unseen() && !text.raw.contains(['\u{1b}', '\u{9b}']) {
        return Vec::new();
    }
    // Said already, and worse.
    if [smuggled, reordered, split_words].iter().any(|look| !look(text).is_empty()) {
        return Vec::new();
    }
    let is_leftward = text.raw.chars().any(is_leftward);
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut before = None;
    for (at, character) in text.raw.char_indices() {
        let is_found = match character {
            // A mark of the encoding, not of the text.
            '\u{feff}' => at > 0,
            '\u{200c}' | '\u{200d}' => before.is_none_or(|before: char| before.is_ascii()),
            // Scripts without blanks mark with it where a line may break.
            '\u{200b}' => !before.is_some_and(|before| {
                matches!(before, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
            }),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => !is_leftward,
            '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{2060}'..='\u{2064}' | '\u{1b}' | '\u{9b}' => true,
            _ => false,
        };
        if is_found {
            let (start, end) = around(text, at..at + character.len_utf8());
            match found.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => found.push((start, end)),
            }
        }
        before = Some(character);
    }
    found
}

fn is_leftward(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}')
        && !is_unseen(character)
}

/// A soft hyphen is not among them: typesetters use many.
fn is_widthless(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180e}' | '\u{34f}')
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// The characters of `plain` on both sides of what is not in it.
fn around(text: &Text<'_>, raw: Range<usize>) -> (usize, usize) {
    let start = text.plain_place(raw.start);
    let end = text.plain_place(raw.end);
    let before = text.plain[..start].char_indices().next_back().map_or(start, |(at, _)| at);
    let after = text.plain[end..].chars().next().map_or(end, |c| end + c.len_utf8());
    (before, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(look: fn(&Text<'_>) -> Vec<(usize, usize)>, raw: &str) -> usize {
        let text = Text::new(raw);
        let spans = look(&text);
        for (start, end) in &spans {
            let (from, to) = text.place(*start, *end);
            assert!(raw.get(from..to).is_some() && text.plain.get(*start..*end).is_some());
        }
        spans.len()
    }

    #[test]
    fn tags_spell_words() {
        assert_eq!(found(smuggled, "notes\u{e0041}\u{e0042} end"), 1);
        assert_eq!(found(smuggled, "\u{e0041}"), 1);
        assert_eq!(found(smuggled, "a\u{fe01}\u{fe02}\u{e0101}\u{e0102}"), 1);
    }

    #[test]
    fn flags_and_emoji_are_fine() {
        let scotland = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
        assert_eq!(found(smuggled, &format!("{scotland} and ❤\u{fe0f}")), 0);
        assert_eq!(found(smuggled, &format!("{scotland}\u{e0041}")), 1);
        assert_eq!(found(split_words, "👩\u{200d}🚀 می\u{200c}خواهم क्\u{200d}ष"), 0);
    }

    #[test]
    fn what_is_not_seen_is_told_once_and_scripts_keep_theirs() {
        assert_eq!(found(unseen, "ab\u{200b}cd, soft\u{ad}hyphen, in\u{feff}side, \u{1b}[31mred"), 4);
        assert_eq!(found(unseen, "ab\u{200b}\u{200b}\u{2060}cd"), 1);
        assert_eq!(found(unseen, "i\u{200b}g\u{200b}n\u{200b}ore"), 0);
        assert_eq!(
            found(unseen, "\u{feff}👩\u{200d}🚀 می\u{200c}خواهم क्\u{200d}ष ไทย\u{200b}ไทย ❤\u{fe0f}"),
            0
        );
    }

    #[test]
    fn order_is_not_turned() {
        assert_eq!(found(reordered, "if (admin\u{202e} ) {"), 1);
        assert_eq!(found(reordered, "שלום \u{2067}abc\u{2069}"), 0);
        assert_eq!(found(reordered, "abc \u{2067}abc\u{2069}"), 1);
    }

    #[test]
    fn letters_are_split_on_purpose_only() {
        assert_eq!(found(split_words, "i\u{200b}g\u{200b}n\u{200b}ore"), 1);
        assert_eq!(found(split_words, "a\u{200b}b and c\u{ad}d\u{ad}e\u{ad}f\u{ad}g"), 0);
    }
}
