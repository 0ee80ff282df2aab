//! What a grammar makes of a file: its symbols and its tokens.

use serde::{Deserialize, Serialize};

/// A file, read by its grammar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// Everything but comments and layout, in order.
    pub tokens: Vec<Token>,
    /// What is defined, in order; what is inside another comes after it.
    pub symbols: Vec<Symbol>,
    /// The first line that the grammar could not make sense of.
    pub fault: Option<u32>,
}

/// One token, normalised: what formatters add, drop or exchange makes no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// The hash of its kind and text.
    pub print: u32,
    /// Its line, counted from one.
    pub line: u32,
    /// Its last line: texts may have several.
    pub last: u32,
}

/// Something with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name and the names around it: `Client.retry`.
    pub name: String,
    /// Whether others are defined in it: a type, an implementation, a module.
    pub holds_others: bool,
    /// First and last line, with what belongs to it (attributes, decorators), without comments before it.
    pub lines: (u32, u32),
    /// Its tokens, as a range of the outline's.
    pub tokens: (u32, u32),
    /// The grammar could not make sense of something in it.
    pub faulty: bool,
}

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unread {
    /// This build has no grammar for it.
    NoGrammar,
    /// It is larger than what is read.
    TooLarge,
    /// It took too long.
    TooSlow,
    /// It has more nodes than what is followed.
    TooMany,
    /// The grammar stopped on it.
    Crashed(String),
}
