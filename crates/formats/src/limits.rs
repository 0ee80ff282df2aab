//! Bounds of this crate, with their reasons, by the file that keeps them.

/// Limits of `rules`.
pub mod rules {
    /// Words of which a list of short points may have this many each, on average, to be one claim with its lead.
    pub const SHORT_POINT_WORDS_MAX: usize = 7;
    /// The same for steps: they belong together.
    pub const SHORT_STEP_WORDS_MAX: usize = 10;
    /// Characters of such a claim.
    pub const LISTED_CHARS_MAX: usize = 700;
    /// Characters of a lead that is repeated with each of its points.
    pub const LEAD_CHARS_MAX: usize = 260;
    /// A lead of fewer words has its heading before it.
    pub const LEAD_WORDS_MIN: usize = 4;
    /// A sentence with code in it says what it is about if it has so many words.
    pub const NAMING_WORDS_MIN: usize = 7;
    /// A claim is one to three sentences (ENT-2).
    pub const SENTENCES_MAX: usize = 3;
    /// The level of a paragraph that is nothing but bold words: it heads what follows.
    pub const BOLD_LEVEL: usize = 7;
}
