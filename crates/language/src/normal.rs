//! Texts in one form: blanks, letter case and signs that look alike.

use unicode_normalization::UnicodeNormalization;

/// The form in which two statements are the same one: NFKC, case-folded, blanks collapsed, final punctuation dropped.
pub fn normalise(text: &str) -> String {
    let folded: String = if text.is_ascii() {
        // Plain text is its own normal form.
        text.to_ascii_lowercase()
    } else {
        text.nfkc().collect::<String>().to_lowercase().nfkc().collect()
    };
    let mut out = String::with_capacity(folded.len());
    for word in folded.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    let kept = out.trim_end_matches(|c: char| {
        matches!(c, '.' | '!' | '?' | ';' | ',' | ':' | '…' | '。') || c.is_whitespace()
    });
    // A statement of punctuation alone is still itself.
    if kept.is_empty() { out } else { out[..kept.len()].to_owned() }
}

/// A text on one line, with single blanks.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One spelling for signs that look alike.
pub(crate) fn one_spelling(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfkc().collect::<String>().replace(['\u{2019}', '\u{2018}', '\u{2bc}'], "'")
}
