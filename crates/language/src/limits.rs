//! Bounds of the language crate, with their unit and their reason.

/// Bits of the filter of a word list for each of its words: at most one in eight is set, so a word that is on no list is seldom looked for.
pub(crate) const BITS_PER_ITEM: usize = 8;
