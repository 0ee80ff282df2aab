//! How much a tool says.

/// Characters of a title in a line.
pub(crate) const TITLE_CHARS_MAX: usize = 100;
