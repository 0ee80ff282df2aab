//! Where sentences end.

use crate::word_list::WordList;

static ABBREVIATIONS: WordList = WordList::new(include_str!("../words/abbreviations.txt"));

/// What is cut into sentences. The differences are kept because figures or stored texts depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A text on one line of which the beginning is shown. Wide stops end a sentence, and a small letter after any stop goes on with it: half a sentence
    /// shown is worse than one too many.
    Preview,
    /// A passage of a document in which norms are looked for. Signs such as `?!` end one sentence, a number in front is that of a list, and more
    /// abbreviations are known: documents are full of tables and figures.
    Document,
    /// Any stop before a blank, whatever stands around it. What was imported or scanned with this rule must be read the same way again.
    Plain,
}

impl Style {
    /// Whether a sign after a stop belongs to the sentence that it ends.
    fn closes(self, sign: char) -> bool {
        match self {
            Style::Preview => matches!(sign, '"' | '\'' | ')' | ']' | '”' | '’' | '»'),
            Style::Document => matches!(sign, '"' | '\'' | ')' | '”' | '’' | '.' | '!' | '?'),
            Style::Plain => false,
        }
    }

    /// Whether a sign stands between sentences.
    fn parts(self, sign: char) -> bool {
        match self {
            Style::Preview | Style::Document => sign.is_whitespace(),
            Style::Plain => sign == ' ',
        }
    }

    /// Whether a full stop after a word, in small letters, ends nothing.
    fn abbreviates(self, word: &str) -> bool {
        let name = match self {
            Style::Preview => "preview",
            Style::Document => "document",
            Style::Plain => return false,
        };
        ABBREVIATIONS.value(word).is_some_and(|names| names.split(' ').any(|known| known == name))
    }
}

/// Where sentences end: the bytes after their last sign. The end of the text is one only where a stop stands there. `is_code` says of a byte whether it
/// stands in code, where no stop counts.
pub fn sentence_ends(text: &str, style: Style, is_code: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, stop)) = chars.next() {
        let is_wide = style == Style::Preview && matches!(stop, '。' | '！' | '？');
        if !(is_wide || matches!(stop, '.' | '!' | '?')) || is_code(at) {
            continue;
        }
        let mut end = at + stop.len_utf8();
        while let Some((_, closing)) = chars.next_if(|(_, sign)| style.closes(*sign)) {
            end += closing.len_utf8();
        }
        let rest = &text[end..];
        if !(is_wide || rest.is_empty() || rest.starts_with(|sign: char| style.parts(sign))) {
            continue;
        }
        let is_small =
            rest.trim_start().starts_with(char::is_lowercase) && rest.starts_with(char::is_whitespace);
        let goes_on = match style {
            Style::Preview => is_small,
            Style::Document => is_small && stop == '.' && !is_code(end + 1),
            Style::Plain => false,
        };
        let before =
            text[start..at].rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        let is_number = style == Style::Document
            && before.chars().all(|c| c.is_ascii_digit())
            && start + before.len() >= at;
        let is_part =
            stop == '.' && (is_number || style.abbreviates(&before.trim_start_matches('"').to_lowercase()));
        if !goes_on && !is_part {
            ends.push(end);
            start = end;
        }
    }
    ends
}

/// For `is_code`: what stands between backticks.
pub fn in_backticks(text: &str) -> impl Fn(usize) -> bool {
    let ticks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    move |at| ticks.partition_point(|tick| *tick < at) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, style: Style) -> Vec<&str> {
        let mut start = 0;
        let mut found = Vec::new();
        for end in sentence_ends(text, style, &in_backticks(text)) {
            found.push(text[start..end].trim());
            start = end;
        }
        found
    }

    #[test]
    fn a_stop_ends_a_sentence_where_one_begins_after_it() {
        for style in [Style::Preview, Style::Document] {
            assert_eq!(cut("Retry, e.g. twice. Then stop.", style), ["Retry, e.g. twice.", "Then stop."]);
            assert_eq!(cut("Call `a. B` now. (See v1.2.) End", style), ["Call `a. B` now.", "(See v1.2.)"]);
        }
        assert_eq!(cut("Retry, e.g. Twice.", Style::Plain), ["Retry, e.g.", "Twice."]);
    }

    #[test]
    fn documents_and_previews_differ() {
        assert_eq!(cut("Wait 10 ms. Then go.", Style::Preview).len(), 2);
        assert_eq!(cut("Wait 10 ms. Then go.", Style::Document).len(), 1);
        assert_eq!(cut("接続。再試行。", Style::Preview).len(), 2);
        assert_eq!(cut("Really?! yes.", Style::Document).len(), 2);
        assert_eq!(cut("1. Begin.", Style::Document).len(), 1);
    }
}
