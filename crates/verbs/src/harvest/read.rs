//! Transcripts on disk: found in folders without following links, read line by line within bounds.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use ken_engine::{Error, Result};
use ken_hosts::transcript::{Reader, Source, Transcript, read_document};
use serde_json::Value;

use crate::limits::harvest::{
    DEPTH_MAX, DOCUMENT_BYTES_MAX, FILES_MAX, LINE_BYTES_MAX, TRANSCRIPT_BYTES_MAX,
};

/// A transcript, and the hash of the bytes it was read from.
pub(crate) struct Read {
    pub(crate) transcript: Transcript,
    pub(crate) print: String,
}

/// Reads a transcript; none where the file is none.
pub(crate) fn read(path: &Path, source: Option<Source>) -> Result<Option<Read>> {
    let doing = "reading a transcript";
    // Whoever opens a pipe waits for somebody at its other end.
    let looks = fs::metadata(path).map_err(Error::failed(doing))?;
    if !looks.is_file() {
        return Ok(None);
    }
    let print = print(path).map_err(Error::failed(doing))?;
    let found = match is_document(path).map_err(Error::failed(doing))? {
        true => document(path, source).map_err(Error::failed(doing))?,
        false => lines(path, source).map_err(Error::failed(doing))?,
    };
    Ok(found.map(|transcript| Read { transcript, print }))
}

fn print(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut File::open(path)?.take(TRANSCRIPT_BYTES_MAX), &mut hasher)?;
    Ok(hasher.finalize().to_hex()[..32].to_owned())
}

/// Whether a file is one JSON value and not a value to a line: its first line is no whole object, or one that holds the messages.
fn is_document(path: &Path) -> io::Result<bool> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut first = Vec::new();
    loop {
        first.clear();
        let read = (&mut reader).take(LINE_BYTES_MAX).read_until(b'\n', &mut first)?;
        if read == 0 {
            return Ok(false);
        }
        if !first.trim_ascii().is_empty() {
            break;
        }
    }
    let begins = first.trim_ascii_start();
    let begins = begins.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begins);
    match serde_json::from_slice::<Value>(begins) {
        Ok(Value::Array(_)) => Ok(true),
        Ok(value) => Ok(value.get("messages").is_some_and(Value::is_array)),
        // A line that was cut is one bad line; a document begins with a brace alone.
        Err(_) => Ok(begins.trim_ascii() == b"{" || begins.trim_ascii() == b"["),
    }
}

fn document(path: &Path, source: Option<Source>) -> io::Result<Option<Transcript>> {
    if fs::metadata(path)?.len() > DOCUMENT_BYTES_MAX {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(DOCUMENT_BYTES_MAX).read_to_end(&mut bytes)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    Ok(serde_json::from_slice(bytes).ok().and_then(|value| read_document(source, &value)))
}

fn lines(path: &Path, source: Option<Source>) -> io::Result<Option<Transcript>> {
    let mut file = BufReader::new(File::open(path)?.take(TRANSCRIPT_BYTES_MAX));
    let mut reader = Reader::new(source);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut file).take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if read as u64 == LINE_BYTES_MAX && line.last() != Some(&b'\n') {
            skip_line(&mut file)?;
            reader.skip();
            continue;
        }
        let goes_on = match std::str::from_utf8(&line) {
            Ok(text) => reader.push(text),
            Err(_) => {
                reader.skip();
                true
            }
        };
        if !goes_on {
            break;
        }
    }
    Ok(reader.finish())
}

fn skip_line(file: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |at| at + 1);
        file.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// The files of a folder that could be transcripts, by name. Links are not followed.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() && depth < DEPTH_MAX {
                folders.push((entry.path(), depth + 1));
            } else if kind.is_file()
                && (name.ends_with(".jsonl") || name.ends_with(".json"))
                && found.len() < FILES_MAX
            {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}
