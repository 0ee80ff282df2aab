//! Takes the values of secrets out of a text (IN-2).

use std::borrow::Cow;

use crate::secrets;

/// How often a text is looked at again: what is left after the values were taken out may read differently.
const ROUNDS_MAX: usize = 8;

/// The text with every secret's value replaced by `[REDACTED:rule]`. Doing it twice is doing it once, and nothing is found in what
/// comes back.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut current = Cow::Borrowed(text);
    for _ in 0..ROUNDS_MAX {
        match redact_once(&current) {
            None => return current,
            Some(next) => current = Cow::Owned(next),
        }
    }
    // A text that yields a secret however often it is cleaned was made to do so.
    if contains_secret(&current) { Cow::Borrowed("[REDACTED:whole-text]") } else { current }
}

/// Whether a text has a secret's value in it.
pub fn contains_secret(text: &str) -> bool {
    !secrets::find(text).is_empty()
}

fn redact_once(text: &str) -> Option<String> {
    let found = secrets::find(text);
    if found.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for finding in found {
        // Findings come in order and do not overlap.
        out.push_str(&text[at..finding.start]);
        out.push_str("[REDACTED:");
        out.push_str(finding.rule);
        out.push(']');
        at = finding.end;
    }
    out.push_str(&text[at..]);
    Some(out)
}
