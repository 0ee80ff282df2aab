//! What requests are made of beyond plain words: texts, words of a vocabulary, numbers.

use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, TypedValueParser, ValueParserFactory};
use clap::{Arg, Command};
use ken_core::words::nearest;
use ken_core::{Code, Refusal};
use ken_engine::Result;
use serde::{Serialize, Serializer};

use crate::limits::content::{LINE_BYTES_MAX, SECRET_BYTES_MAX, TEXT_BYTES_MAX};

/// A text: in a file or on standard input for the command line, the text itself through any other door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file of this machine; `-` is standard input. Only the command line makes it.
    File(PathBuf),
    /// The text itself.
    Text(String),
}

/// Reads all of it, or says that it is too much.
pub fn read_bounded(source: impl Read) -> io::Result<Vec<u8>> {
    read_at_most(source, TEXT_BYTES_MAX)
}

/// Reads a secret from standard input.
pub fn read_secret(source: impl Read) -> Result<String> {
    let read = read_at_most(source, SECRET_BYTES_MAX)
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text")));
    read.map_err(|error| match is_too_long(&error) {
        true => Refusal::new(Code::Invalid, format!("the secret on standard input: {error}"))
            .hint("give the secret alone, on one line; nothing was purged")
            .into(),
        false => ken_engine::Error::failed("reading standard input")(error),
    })
}

/// Reads a line with its end into `line`, which it empties first, and says how long that is; 0 is the end.
pub fn read_line_bounded(source: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    let read = source.take(LINE_BYTES_MAX + 1).read_until(b'\n', line)?;
    if line.len() as u64 > LINE_BYTES_MAX {
        line.clear();
        return Err(too_long("the line", LINE_BYTES_MAX));
    }
    Ok(read)
}

/// Whether a text was not read because it is too long.
pub fn is_too_long(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inside| inside.is::<TooLong>())
}

pub(crate) fn read_at_most(source: impl Read, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(too_long("it", bytes_max));
    }
    Ok(bytes)
}

/// There is more of it than is read.
#[derive(Debug)]
struct TooLong(String);

impl std::fmt::Display for TooLong {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for TooLong {}

fn too_long(what: &str, bytes_max: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        TooLong(format!("{what} is longer than {} MiB", bytes_max >> 20)),
    )
}

impl Content {
    pub fn standard_input() -> Content {
        Content::File("-".into())
    }

    /// What it is called: the path as it was given; `-` for what has no name.
    pub fn name(&self) -> String {
        match self {
            Content::File(path) => path.display().to_string(),
            Content::Text(_) => "-".to_owned(),
        }
    }

    /// Its bytes. A path is relative to `from`.
    pub fn bytes(&self, from: &Path) -> io::Result<Vec<u8>> {
        match self {
            Content::File(path) if path.as_os_str() == "-" => read_bounded(io::stdin()),
            Content::File(path) => read_bounded(std::fs::File::open(from.join(path))?),
            Content::Text(text) => Ok(text.clone().into_bytes()),
        }
    }

    /// Its first bytes, at most so many; the rest is left.
    pub fn beginning(&self, from: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Content::File(path) if path.as_os_str() == "-" => {
                io::stdin().take(bytes_max).read_to_end(&mut bytes)?
            }
            Content::File(path) => {
                std::fs::File::open(from.join(path))?.take(bytes_max).read_to_end(&mut bytes)?
            }
            Content::Text(text) => text.as_bytes().take(bytes_max).read_to_end(&mut bytes)?,
        };
        Ok(bytes)
    }

    /// Its text, for a field of a request.
    pub fn text(&self, field: &str, from: &Path) -> Result<String> {
        let read = self.bytes(from).and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
        read.map_err(|error| {
            let hint = "give a UTF-8 text file, or - for standard input";
            Refusal::new(Code::Invalid, format!("{}: {error}", self.name())).hint(hint).field(field).into()
        })
    }
}

/// Stands before a text that another door hands over: no file is opened for a client.
pub(crate) const TEXT_MARK: &str = "\u{2}text:";

impl ValueParserFactory for Content {
    type Parser = ContentParser;
    fn value_parser() -> ContentParser {
        ContentParser
    }
}

/// Reads a [`Content`].
#[derive(Clone)]
pub struct ContentParser;

impl TypedValueParser for ContentParser {
    type Value = Content;
    fn parse_ref(
        &self,
        _: &Command,
        _: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> std::result::Result<Content, clap::Error> {
        let text = value.to_str().and_then(|text| text.strip_prefix(TEXT_MARK));
        Ok(text.map_or_else(|| Content::File(value.into()), |text| Content::Text(text.to_owned())))
    }
}

/// A word of a closed vocabulary. It is read by whoever uses it, so that a wrong one gets the same answer through every door; schemas,
/// help and completions know the words.
#[derive(Clone)]
pub struct Words(pub &'static [&'static str]);

impl TypedValueParser for Words {
    type Value = String;
    fn parse_ref(
        &self,
        _: &Command,
        _: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> std::result::Result<String, clap::Error> {
        Ok(value.to_string_lossy().into_owned())
    }
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

/// Reads a word of a closed vocabulary, or says which words there are.
pub fn read_word<T>(
    field: &str,
    noun: &str,
    text: &str,
    words: &[&str],
    read: impl Fn(&str) -> Option<T>,
) -> Result<T> {
    let plain = text.trim().to_lowercase().replace('-', "_");
    read(&plain).ok_or_else(|| {
        let near = nearest(&plain, words.iter().copied())
            .map(|near| format!("did you mean `{near}`? "))
            .unwrap_or_default();
        Refusal::new(Code::Invalid, format!("unknown {noun} {text:?}; {near}allowed: {}", words.join(", ")))
            .field(field)
            .into()
    })
}

/// Writes a part of an answer with the keys of its objects in alphabetical order, which programs that compare answers rely on.
pub fn sorted<T: Serialize, S: Serializer>(part: &T, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serde_json::to_value(part).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

/// A number, with words for those who did not write the parser.
pub fn number(text: &str) -> std::result::Result<f64, String> {
    text.parse::<f64>().ok().filter(|n| n.is_finite()).ok_or_else(|| "expected a number".to_owned())
}

/// A whole number, with words for those who did not write the parser.
pub fn whole<T: std::str::FromStr>(text: &str) -> std::result::Result<T, String> {
    text.parse::<T>().map_err(|_| "expected a whole number".to_owned())
}
