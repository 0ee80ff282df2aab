//! What requests are made of beyond plain words: texts, words of a vocabulary, numbers.

use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use ken_core::words::nearest;
use ken_core::{Code, Refusal};
use ken_engine::Result;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

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

/// A text is itself; a file is an object that names it. Other doors send texts alone: an object of theirs is the text of that object.
impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Content, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Content::Text(text)),
            other => match other.get("file").and_then(Value::as_str) {
                Some(path) => Ok(Content::File(path.into())),
                None => Err(serde::de::Error::custom("expected a text")),
            },
        }
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
