//! How much is enough to say that code was found again: each number with its unit and its reason.

/// Files over this many bytes are not read.
pub const FILE_BYTES_MAX: usize = 16 << 20;
/// A file with a NUL in its first bytes is no text; git looks at as many.
pub const BINARY_BYTES: usize = 8 << 10;

/// Below this many tokens a line proves nothing outside of its symbol: `return None` is everywhere.
pub const FRAGMENT_TOKENS_MIN: usize = 8;
/// From this many tokens on, besides its own name, a symbol is known by its content alone.
pub const SUBSTANTIAL_TOKENS_MIN: usize = 12;
/// From this many tokens on, a symbol is known in another file, and under another name, by its content.
pub const SYMBOL_ELSEWHERE_TOKENS_MIN: usize = 20;
/// From this many tokens on, lines are known in another file with only one of their neighbours.
pub const LINES_ELSEWHERE_TOKENS_MIN: usize = 30;
/// Tokens before and after a range of lines that help to tell it from its twins.
pub const CONTEXT_TOKENS: usize = 8;

/// Parts of a file or a type that are remembered.
pub const PARTS_MAX: usize = 400;
/// Runs of one function or range that are remembered, to say later how much of it is left.
pub const RUNS_MAX: usize = 32;
/// A run shorter than this is no sign of anything.
pub const RUN_TOKENS_MIN: usize = 3;
/// The share of a vanished file that has to be in another one for it to be its successor.
pub const FILE_SHARE_MIN: f64 = 0.6;
/// The share of a body that has to be left for a namesake elsewhere to be its successor.
pub const BODY_SHARE_MIN: f64 = 0.5;

/// Needles that are remembered.
pub const NEEDLES_MAX: usize = 3;
/// Shortest and longest word that is a needle.
pub const NEEDLE_CHARS: std::ops::RangeInclusive<usize> = 5..=40;
/// An excerpt is kept when it has at most this many lines.
pub const TEXT_LINES_MAX: usize = 5;
/// An excerpt is kept when it has at most this many characters.
pub const TEXT_CHARS_MAX: usize = 300;
/// Parsers that a process keeps for whoever needs one next. A server seldom reads more files at once.
pub const IDLE_PARSERS_MAX: usize = 2;
/// Texts that a parser is sent before anybody waits for them: it works on them while a batch is written.
pub const PREFETCHED_MAX: usize = 256;
/// Tokens of outlines that are kept until somebody reads their texts, 12 bytes each.
pub const READY_TOKENS_MAX: usize = 4 * 1024 * 1024;

/// Names around a definition that are part of its name, where no grammar gives it one. Deeper nesting is rare, and names would grow with it.
pub const DEFINITIONS_AROUND_MAX: usize = 4;
/// Tokens that the name of such a definition may have: `schema.table`, `Client::retry`.
pub const NAME_TOKENS_MAX: usize = 12;
/// Words that are looked at for each word of a text until its definitions are known. Code needs fewer than ten.
pub const DEFINITION_STEPS_PER_WORD: usize = 64;
/// Texts over this many bytes are not read for such definitions; the grammars have the same limit.
pub const DEFINITIONS_BYTES_MAX: usize = 2 << 20;
