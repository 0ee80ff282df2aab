//! The Findings Index: a heading, a line for each finding, a verdict, and any prose around them.

use super::{Reader, place_in};
use crate::finding::{Finding, scale};
use crate::limits::{TITLE_CHARS_MAX, WORD_CHARS_MAX};
use crate::words::one_line;

/// How a line has to look, for messages.
const FORM: &str = "write `- P1 | SA-001 | \"Section\" | Title`";

pub(super) fn read(text: &str, reader: &mut Reader) {
    reader.report.format = "findings-index";
    let has_heading = text.lines().any(is_heading);
    // Without a heading every line that is whole counts; prose has no such lines.
    let mut inside = !has_heading;
    let (mut rows, mut outside) = (0, 0);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if is_heading(line) {
            inside = true;
        } else if line.starts_with('#') {
            inside = !has_heading;
        } else if let Some(verdict) = verdict(line).filter(|_| inside || !has_heading) {
            reader.verdict(verdict);
            inside = !has_heading;
        } else if has_heading && inside {
            // In the index a bullet is a finding: one that cannot be read must not vanish.
            if let Some(row) = bullet(line).filter(|row| !says_nothing(row)) {
                rows += 1;
                take(row, at + 1, reader);
            }
        } else if let Some(row) = bullet(line).filter(|row| looks_like_finding(row)) {
            if inside {
                rows += 1;
                take(row, at + 1, reader);
            } else {
                outside += 1;
            }
        }
    }
    if outside > 0 {
        let lines = if outside == 1 { "1 line looks" } else { &format!("{outside} lines look") };
        reader.note(format!("{lines} like a finding but are outside the Findings Index; ignored"));
    }
    if !has_heading && rows == 0 && reader.report.verdict.is_none() {
        reader.fault(
            "report",
            "is in an unknown format; a report is a JSON list of findings, an object with `findings`, an object on each \
             line, or a text with the heading `### Findings Index` and lines such as `- P1 | SA-001 | \"Section\" | Title`",
        );
    } else if !has_heading && rows > 0 {
        reader.note("the heading `### Findings Index` is missing; the lines were read anyway");
    }
}

fn is_heading(line: &str) -> bool {
    let line = line.trim();
    let words = line.trim_start_matches('#');
    let hashes = line.len() - words.len();
    let words = words.trim_matches([' ', '\t', '*', ':', '_']);
    let bold = line.starts_with("**");
    ((1..=6).contains(&hashes) || bold) && words.eq_ignore_ascii_case("findings index")
}

fn verdict(line: &str) -> Option<&str> {
    let line = bullet(line).unwrap_or(line).trim_matches(['*', '_', ' ']);
    let (head, rest) = line.split_once(':')?;
    let named = head.trim_matches(['*', '_', ' ']).eq_ignore_ascii_case("verdict");
    named.then(|| rest.trim_matches(['*', '_', '`', ' ', '.'])).filter(|word| !word.is_empty())
}

/// The part of a line behind its bullet. A rule, `---` or `* * *`, has none, nor has `*a word* with stress`.
fn bullet(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '•', '+'])?;
    let is_rule = rest.chars().all(|c| matches!(c, '-' | '*' | '_') || c.is_whitespace());
    // `-P1 | …` lacks a blank and is meant as a bullet all the same.
    let is_pressed = || !rest.starts_with(['-', '*']) && (rest.contains('|') || is_ranked(head(rest)));
    let is_apart = rest.starts_with(char::is_whitespace) || is_pressed();
    (is_apart && !is_rule).then(|| rest.trim())
}

/// Whether a row begins with a severity and goes on like a finding.
fn looks_like_finding(row: &str) -> bool {
    let head = head(row);
    let goes_on = row[head.len()..].trim_start().starts_with(['|', ':', '-', '\u{2013}', '\u{2014}']);
    (is_ranked(head) && goes_on) || (row.contains('|') && (is_ranked(head) || scale::severity(head).is_ok()))
}

fn head(row: &str) -> &str {
    let end = row.find(|c: char| !c.is_alphanumeric()).unwrap_or(row.len());
    &row[..end]
}

fn is_ranked(head: &str) -> bool {
    matches!(head.as_bytes(), [b'P' | b'p', digit] if digit.is_ascii_digit())
}

/// Whether a row only says that there are no findings.
fn says_nothing(row: &str) -> bool {
    let words = row.trim_matches(['(', ')', '*', '_', '`', '.', ' ']).to_lowercase();
    matches!(words.as_str(), "none" | "no findings" | "nothing")
}

fn take(row: &str, line: usize, reader: &mut Reader) {
    let cells: Vec<&str> = row.splitn(4, '|').map(str::trim).collect();
    let name = format!("line {line} ({})", one_line(row, 60));
    let [severity, id, section, title] = cells.as_slice() else {
        let problem = format!("has {} of the 4 parts of a finding; {FORM}", cells.len());
        return reader.fault(name, problem);
    };
    let before = reader.faults.len();
    let (severity, word) = match scale::severity(severity.trim_matches(['*', '`', '[', ']', ' '])) {
        Ok(read) => read,
        Err(problem) => {
            reader.fault(&name, format!("the severity {problem}; allowed are {}", scale::SEVERITIES));
            (0.0, None)
        }
    };
    let id = id.trim_matches(['*', '`', '[', ']', ' ']);
    if id.is_empty() || id.contains(char::is_whitespace) {
        reader.fault(&name, format!("{id:?} is not an id; {FORM}"));
    }
    let section = section.trim_matches(['"', '\u{201c}', '\u{201d}', ' ']);
    let title = title.trim_matches(['*', ' ']);
    if title.is_empty() {
        reader.fault(&name, format!("has no title; {FORM}"));
    }
    for (what, text, most) in
        [("title", title, TITLE_CHARS_MAX), ("section", section, WORD_CHARS_MAX), ("id", id, WORD_CHARS_MAX)]
    {
        let chars = text.chars().count();
        if chars > most {
            reader.fault(&name, format!("the {what} has {chars} characters; at most {most} are allowed"));
        }
    }
    if reader.faults.len() > before {
        return;
    }
    let places = [section, title].into_iter().filter_map(place_in).collect();
    reader.report.findings.push(Finding {
        id: Some(id.to_owned()),
        title: title.to_owned(),
        section: Some(section.to_owned()).filter(|section| !section.is_empty()),
        places,
        severity,
        severity_word: word,
        ..Finding::default()
    });
}
