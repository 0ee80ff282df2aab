//! What a grammar makes of a file: its symbols and its tokens.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tree_sitter::{ParseOptions, Parser};

use crate::Language;
use crate::grammar::{self, Grammar};

pub(crate) mod walk;

/// A file, read by its grammar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// The print of a token that is a name.
pub(crate) fn name_print(name: &str) -> u32 {
    walk::print(walk::Class::Code, name.as_bytes())
}

impl Token {
    /// Whether it stands for where a block or a statement begins or ends, and for no text.
    pub(crate) fn is_layout(&self) -> bool {
        ["begin", "end", ";"]
            .iter()
            .any(|word| self.print == walk::print(walk::Class::Layout, word.as_bytes()))
    }
}

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// How much is spent on one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest text that is read. Sources above two megabytes are made by machines; nobody anchors to them.
    pub bytes: usize,
    /// The most nodes that are followed: about one for each byte of the largest text.
    pub nodes: usize,
    /// The longest that parsing may take. Two megabytes take half a second; what takes longer is a grammar gone astray.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 2 << 20, nodes: 2_000_000, time: Duration::from_secs(2) }
    }
}

/// Reads a text by the grammar of its language.
///
/// The same text has the same outline on every machine. A text with faults has one too, as far as the grammar could
/// follow. A parser that aborts takes the process with it: where that must not be, ask a [`crate::Worker`].
pub fn read(language: Language, text: &str, limits: &Limits) -> Result<Outline, Unread> {
    let Some(grammar) = grammar::for_language(language) else { return Err(Unread::NoGrammar) };
    if text.len() > limits.bytes {
        return Err(Unread::TooLarge);
    }
    catch_unwind(AssertUnwindSafe(|| parse(grammar, text, limits)))
        .unwrap_or_else(|panic| Err(Unread::Crashed(said(panic.as_ref()))))
}

fn parse(grammar: &Grammar, text: &str, limits: &Limits) -> Result<Outline, Unread> {
    let began = Instant::now();
    let mut parser = Parser::new();
    if parser.set_language(&grammar.language).is_err() {
        return Err(Unread::NoGrammar);
    }
    let mut in_time = |_: &_| match began.elapsed() > limits.time {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let bytes = text.as_bytes();
    let tree = parser
        .parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
        .ok_or(Unread::TooSlow)?;
    if tree.root_node().descendant_count() > limits.nodes {
        return Err(Unread::TooMany);
    }
    walk::walk(grammar, &tree, text, || began.elapsed() <= limits.time).ok_or(Unread::TooSlow)
}

fn said(panic: &(dyn Any + Send)) -> String {
    let words =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the parser stopped: {}", words.unwrap_or("it did not say why"))
}

impl Outline {
    /// The symbols that someone may mean by `retry`, `Client.retry`, `Client::retry`, `Client#retry` or `retry()`.
    ///
    /// Those with exactly this name; if there are none, those whose name ends with it, by whole parts.
    pub fn find(&self, name: &str) -> Vec<usize> {
        let name = name.trim();
        let asked = parts(name).join(".");
        let exact = self.numbers(|symbol| symbol.name == name || symbol.name == asked);
        if !exact.is_empty() || asked.is_empty() {
            return exact;
        }
        self.numbers(|symbol| symbol.name.strip_suffix(&asked).is_some_and(|before| before.ends_with('.')))
    }

    /// Of several symbols that a name may mean, those that it is taken for: all of one qualified name.
    ///
    /// The outermost wins, then the one that says the most, so that a method goes before a field, then the first. A name that stands for
    /// something of each would change with whatever else gets that name.
    pub fn taken_for(&self, found: &[usize]) -> Vec<usize> {
        let mut names: Vec<&str> = Vec::new();
        for at in found {
            let name = self.symbols[*at].name.as_str();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let size = |at: &usize| self.symbols[*at].tokens.1 - self.symbols[*at].tokens.0;
        let sizes = |name: &str| {
            let own = found.iter().filter(|at| self.symbols[**at].name == name);
            own.map(size).sum::<u32>()
        };
        // The first of equals is the one that is found first.
        let best = names
            .iter()
            .enumerate()
            .min_by_key(|(place, name)| (name.matches('.').count(), std::cmp::Reverse(sizes(name)), *place));
        let Some((_, best)) = best else { return Vec::new() };
        found.iter().copied().filter(|at| self.symbols[*at].name == **best).collect()
    }

    /// The innermost symbol that covers these lines, counted from one.
    pub fn enclosing(&self, first_line: u32, last_line: u32) -> Option<usize> {
        self.numbers(|symbol| symbol.lines.0 <= first_line && last_line <= symbol.lines.1)
            .into_iter()
            .rev()
            .min_by_key(|number| self.symbols[*number].lines.1 - self.symbols[*number].lines.0)
    }

    fn numbers(&self, is_meant: impl Fn(&Symbol) -> bool) -> Vec<usize> {
        (0..self.symbols.len()).filter(|number| is_meant(&self.symbols[*number])).collect()
    }
}

/// The parts of a name, however they are joined, without what it is called with.
fn parts(name: &str) -> Vec<&str> {
    let name = name.split_once('(').map_or(name, |(before, _)| before);
    name.split(['.', ':', '#', '/']).map(str::trim).filter(|part| !part.is_empty()).collect()
}
