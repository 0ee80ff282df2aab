//! Every bound of reducing a text, with its unit and its reason.

/// A sentence longer than this is no norm but a paragraph without full stops.
pub const SENTENCE_CHARS_MAX: usize = 600;
/// Shorter ones say nothing that could be followed.
pub const SENTENCE_WORDS_MIN: usize = 2;
/// The longest subject that is carried from one half of a sentence to the other, in words.
pub const SUBJECT_WORDS_MAX: usize = 9;
/// The longest heading that is put in front of what lacks a subject, in words.
pub const HEADING_WORDS_MAX: usize = 7;
/// Commits of a range, of which this many tell what is usual.
pub const USUAL_COMMITS_MIN: usize = 10;
/// The share of them that has to follow a convention for it to be one, in percent.
pub const USUAL_PERCENT_MIN: usize = 80;
/// The longest quote of a source, in characters.
pub const QUOTE_CHARS_MAX: usize = 1_000;
/// A heading or a lead longer than this names nothing: every passage below would carry it, in bytes.
pub const HEADING_BYTES_MAX: usize = 300;
/// Cells of one row of a table. More are data.
pub const CELLS_MAX: usize = 24;
