//! The lines of a ledger file, read: events, what purges left, and what cannot be read.

use std::collections::HashMap;

use ken_core::entry::KeyCheck;
use ken_core::event::{Line, LineFault, read_line};
use ken_engine::intake::redacted_text;
use ken_engine::{Problem, ProblemKind, cores};

use crate::disk::Looks;
use crate::git::is_marker;
use crate::limits::lines::ALONE_BYTES_MAX;

/// A ledger file as it was read.
pub struct FileLines {
    /// Its path below the store's folder.
    pub path: String,
    /// How it looked when it was read.
    pub looks: Looks,
    /// Its lines with their offset and length.
    pub lines: Vec<(Line, u64, u64)>,
    /// How many of them are stubs.
    pub stubs: usize,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// A line before it is read.
struct RawLine<'b> {
    /// From 1.
    number: usize,
    offset: usize,
    bytes: &'b [u8],
    /// Whether the file ends with it, without a line break.
    is_open: bool,
}

/// What a line is.
enum ReadLine {
    Blank,
    /// A line, and what is wrong with what it states.
    Line(Line, Option<Problem>),
    Unreadable(Problem),
}

impl RawLine<'_> {
    fn read(&self) -> ReadLine {
        let problem = |kind, problem| Problem { line: self.number, kind, problem };
        if is_marker(self.bytes) {
            let told = "is a conflict marker; both sides are read".to_owned();
            return ReadLine::Unreadable(problem(ProblemKind::Marker, told));
        }
        if self.bytes.iter().all(u8::is_ascii_whitespace) {
            return ReadLine::Blank;
        }
        let read = std::str::from_utf8(self.bytes)
            .map_err(|_| LineFault::NotJson("not UTF-8".to_owned()))
            .and_then(read_line);
        match read {
            Ok(line) => {
                let key_problem = match &line {
                    Line::Event(event) => match event.key_check() {
                        Some(KeyCheck::Differs(claimed)) => {
                            let key = event.entry.map(|key| key.to_string()).unwrap_or_default();
                            let told = format!(
                                "states something else than its entry {key} (what it says has the key {claimed}); it is not applied"
                            );
                            Some(problem(ProblemKind::Key, told))
                        }
                        _ => None,
                    },
                    Line::Stub(_) => None,
                };
                ReadLine::Line(line, key_problem)
            }
            Err(fault) => {
                let is_torn = self.is_open && matches!(fault, LineFault::NotJson(_));
                let kind = match fault {
                    LineFault::HashMismatch { .. } => ProblemKind::Changed,
                    _ if is_torn => ProblemKind::Torn,
                    _ => ProblemKind::Damaged,
                };
                ReadLine::Unreadable(problem(kind, redacted_text(&fault.to_string())))
            }
        }
    }
}

/// The lines of a file, with their offsets.
fn raw_lines(bytes: &[u8]) -> Vec<RawLine<'_>> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end =
            bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length);
        let (mut line, mut offset) = (&bytes[at..end], at);
        if lines.is_empty()
            && let Some(rest) = line.strip_prefix("\u{feff}".as_bytes())
        {
            offset += line.len() - rest.len();
            line = rest;
        }
        // Editors and checkouts with other line ends leave a carriage return; the event is the same.
        line = line.strip_suffix(b"\r").unwrap_or(line);
        lines.push(RawLine { number: lines.len() + 1, offset, bytes: line, is_open: end == bytes.len() });
        at = end + 1;
    }
    lines
}

impl FileLines {
    fn new(path: &str, looks: Looks) -> FileLines {
        FileLines { path: path.to_owned(), looks, lines: Vec::new(), stubs: 0, problems: Vec::new() }
    }

    fn take(&mut self, raw: &RawLine<'_>, read: ReadLine) {
        match read {
            ReadLine::Blank => {}
            ReadLine::Line(line, problem) => {
                self.problems.extend(problem);
                self.stubs += usize::from(matches!(line, Line::Stub(_)));
                self.lines.push((line, raw.offset as u64, raw.bytes.len() as u64));
            }
            ReadLine::Unreadable(problem) => self.problems.push(problem),
        }
    }
}

/// Reads the bytes of a ledger file, a large one on every core. Never fails: what cannot be read is a problem with a line number.
pub fn read_lines(path: &str, looks: Looks, bytes: &[u8]) -> FileLines {
    let mut file = FileLines::new(path, looks);
    let mut raw = raw_lines(bytes);
    if bytes.len() < ALONE_BYTES_MAX {
        raw.iter().for_each(|raw| file.take(raw, raw.read()));
    } else {
        let read = cores::each(&mut raw, |raw| raw.read());
        raw.iter().zip(read).for_each(|(raw, read)| file.take(raw, read));
    }
    file
}

/// The same beside another version of the file: a line that both have is taken from there, and only the others are read.
pub(crate) fn read_lines_beside(bytes: &[u8], known: &FileLines, known_bytes: &[u8]) -> FileLines {
    if !known.problems.is_empty() {
        return read_lines(&known.path, known.looks, bytes);
    }
    let text = |at: u64, length: u64| {
        let at = usize::try_from(at).ok()?;
        known_bytes.get(at..at + usize::try_from(length).ok()?)
    };
    let known_lines: HashMap<&[u8], &Line> =
        known.lines.iter().filter_map(|(line, at, length)| Some((text(*at, *length)?, line))).collect();
    let mut file = FileLines::new(&known.path, known.looks);
    for raw in raw_lines(bytes) {
        let read = match known_lines.get(raw.bytes) {
            Some(line) => ReadLine::Line((*line).clone(), None),
            None => raw.read(),
        };
        file.take(&raw, read);
    }
    file
}

/// The lines of the bytes of a ledger file, as they stand there.
pub(crate) fn texts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    raw_lines(bytes).into_iter().map(|raw| raw.bytes)
}

#[cfg(test)]
mod tests {
    use ken_core::event::{Basis, Seal};
    use ken_core::{Body, Clock, Event, Intent, Millis, ReplicaId, SettingEvent};

    use super::*;

    fn line(number: u64) -> String {
        let body = Body::Setting(SettingEvent::Changed { name: "a".to_owned(), value: number.into() });
        let seal = Seal {
            actor: "human:ada".to_owned(),
            clock: Clock::at(Millis(1_700_000_000_000)),
            replica: ReplicaId([1; 6]),
            seq: number,
            parents: Vec::new(),
            basis: Basis::default(),
        };
        Event::seal(&Intent { entry: None, body }, seal).line().to_owned()
    }

    #[test]
    fn a_file_is_read_beside_another_version_as_it_is_read_alone() {
        let looks = Looks { size: 0, mtime: 0, inode: 0, is_folder: false, is_file: true };
        let lines: Vec<String> = (1..9).map(line).collect();
        let versions = [
            lines[..4].join("\n"),
            format!("{}\n", lines.join("\n")),
            format!("\u{feff}{}\r\n{}\n\n{}", lines[3], lines[1], lines[1]),
            format!("{}\n<<<<<<< HEAD\n{}\n{{\"v\":", lines[0], lines[2]),
            String::new(),
        ];
        let told = |file: &FileLines| {
            let lines = file.lines.iter();
            let lines = lines.map(|(line, at, length)| (ken_engine::log::hash_of(line), *at, *length));
            (lines.collect::<Vec<_>>(), file.stubs, file.problems.clone())
        };
        for known in &versions {
            let read = read_lines("a.jsonl", looks, known.as_bytes());
            for other in &versions {
                let alone = read_lines("a.jsonl", looks, other.as_bytes());
                let beside = read_lines_beside(other.as_bytes(), &read, known.as_bytes());
                assert_eq!(told(&beside), told(&alone), "{other}\nbeside\n{known}");
            }
        }
    }

    #[test]
    fn a_large_file_is_read_as_its_lines_are() {
        let faulty = ["<<<<<<< HEAD", "", "{\"v\":1", "  ", "{}\r"];
        let mut text = "\u{feff}".to_owned();
        let mut number = 0;
        while text.len() < 2 * ALONE_BYTES_MAX {
            number += 1;
            text += &line(number);
            text += if number % 7 == 0 { "\r\n" } else { "\n" };
            if number % 100 == 0 {
                text += faulty[(number / 100) as usize % faulty.len()];
                text.push('\n');
            }
        }
        text += "{\"actor\":\"hum";
        let looks = Looks { size: 0, mtime: 0, inode: 0, is_folder: false, is_file: true };
        let file = read_lines("a.jsonl", looks, text.as_bytes());
        assert_eq!(file.lines.len() as u64, number);
        let (mut at, mut found) = (0, 0);
        for (count, raw) in text.split_inclusive('\n').enumerate() {
            let alone = read_lines("a.jsonl", looks, raw.as_bytes());
            for (line, offset, length) in &alone.lines {
                let (read, read_at, read_length) = &file.lines[found];
                assert_eq!(ken_engine::log::hash_of(read), ken_engine::log::hash_of(line));
                assert_eq!((*read_at, *read_length), (at as u64 + offset, *length));
                found += 1;
            }
            let kinds = |problems: &[Problem], line: usize| {
                let of_line = problems.iter().filter(move |problem| problem.line == line);
                of_line.map(|problem| (problem.kind.word(), problem.problem.clone())).collect::<Vec<_>>()
            };
            assert_eq!(kinds(&file.problems, count + 1), kinds(&alone.problems, 1), "line {}", count + 1);
            at += raw.len();
        }
        assert_eq!(found, file.lines.len());
        assert_eq!(file.problems.last().map(|problem| problem.kind), Some(ProblemKind::Torn));
    }
}
