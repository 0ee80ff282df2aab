//! The lines of a ledger file, read: events, what purges left, and what cannot be read.

use ken_core::entry::KeyCheck;
use ken_core::event::{Line, LineFault, read_line};
use ken_engine::intake::redacted_text;
use ken_engine::{Problem, ProblemKind};

use crate::disk::Looks;
use crate::git::is_marker;

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

/// Reads the bytes of a ledger file. Never fails: what cannot be read is a problem with a line number.
pub fn read_lines(path: &str, looks: Looks, bytes: &[u8]) -> FileLines {
    let mut file =
        FileLines { path: path.to_owned(), looks, lines: Vec::new(), stubs: 0, problems: Vec::new() };
    let mut at = 0;
    let mut number = 0;
    while at < bytes.len() {
        let end =
            bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length);
        let mut line = &bytes[at..end];
        let mut offset = at;
        number += 1;
        if number == 1
            && let Some(rest) = line.strip_prefix("\u{feff}".as_bytes())
        {
            offset += line.len() - rest.len();
            line = rest;
        }
        // Editors and checkouts with other line ends leave a carriage return; the event is the same.
        line = line.strip_suffix(b"\r").unwrap_or(line);
        if is_marker(line) {
            let problem = "is a conflict marker; both sides are read".to_owned();
            file.problems.push(Problem { line: number, kind: ProblemKind::Marker, problem });
        } else if !line.iter().all(u8::is_ascii_whitespace) {
            let read = std::str::from_utf8(line)
                .map_err(|_| LineFault::NotJson("not UTF-8".to_owned()))
                .and_then(read_line);
            match read {
                Ok(line_read) => {
                    if let Line::Event(event) = &line_read
                        && let Some(KeyCheck::Differs(claimed)) = event.key_check()
                    {
                        let key = event.entry.map(|key| key.to_string()).unwrap_or_default();
                        let problem = format!(
                            "states something else than its entry {key} (what it says has the key {claimed}); it is not applied"
                        );
                        file.problems.push(Problem { line: number, kind: ProblemKind::Key, problem });
                    }
                    file.stubs += usize::from(matches!(line_read, Line::Stub(_)));
                    file.lines.push((line_read, offset as u64, line.len() as u64));
                }
                Err(fault) => {
                    let torn = end == bytes.len() && matches!(fault, LineFault::NotJson(_));
                    let kind = match fault {
                        LineFault::HashMismatch { .. } => ProblemKind::Changed,
                        _ if torn => ProblemKind::Torn,
                        _ => ProblemKind::Damaged,
                    };
                    let problem = redacted_text(&fault.to_string());
                    file.problems.push(Problem { line: number, kind, problem });
                }
            }
        }
        at = end + 1;
    }
    file
}
