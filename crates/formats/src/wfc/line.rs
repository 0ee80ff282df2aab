//! One line of a KNOWLEDGE.md: a day, a fact, its source.

use std::ops::Range;
use std::sync::LazyLock;

use ken_core::kinds::Type;
use ken_core::limits::{DETAIL_CHARS_MAX, STATEMENT_CHARS_MAX};
use regex::Regex;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::Section;
use crate::plain::plain;
use crate::{Item, Outgoing, content as fitting, prose};

/// What WFC's own writer puts on one line, in characters.
const FACT_CHARS_MAX: usize = 500;
/// How far back from there a cut looks for the end of a word.
const CUT_CHARS: usize = 80;

/// Where on a line its words are.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    date: Option<Range<usize>>,
    fact: Range<usize>,
    source: Option<Range<usize>>,
    /// Where the line ends, but for blanks.
    end: usize,
}

impl Entry {
    /// Finds them; none where the line is no entry.
    pub(super) fn parse(line: &str) -> Option<Entry> {
        let trimmed = line.trim();
        let start = line.len() - line.trim_start().len();
        let found = ENTRY.captures(trimmed)?;
        let range = |group: usize| found.get(group).map(|text| text.start() + start..text.end() + start);
        let entry = Entry { date: range(1), fact: range(2)?, source: range(3), end: start + trimmed.len() };
        let fact = &line[entry.fact.clone()];
        // Without a date, a line that is set in belongs to the one above it.
        let is_entry = entry.date.is_some()
            || (start == 0 && !DATE.is_match(fact) && fact.contains(char::is_alphanumeric));
        is_entry.then_some(entry)
    }

    /// What the line is to us, and what is odd about it.
    pub(super) fn item(&self, line: &str, section: Option<Section>, reviewer: &str) -> (Item, Vec<String>) {
        let (kind, subtype) = section.map_or((Type::Experience, Some("learning")), Section::kind);
        let date = self.date.clone().map(|date| &line[date]);
        let raw = &line[self.fact.clone()];
        let fact = plain(revealed(raw, date.is_some())).into_owned();
        let source = self.source.clone().map(|source| &line[source]);
        let mut notes = Vec::new();
        let mut item = Item::new(kind, chunk_id(reviewer, section, date, source, raw), line);
        item.stated = date.and_then(prose::time);
        match date {
            None => notes.push("has no date; WFC itself does not read it".to_owned()),
            Some(date) if item.stated.is_none() => notes.push(format!("{date} is not a date")),
            Some(_) => {}
        }
        let content = &mut item.content;
        if fact.chars().count() > STATEMENT_CHARS_MAX {
            let cut = |chars: usize| fact.chars().take(chars).collect::<String>();
            content.insert("statement".to_owned(), json!(cut(STATEMENT_CHARS_MAX)));
            content.insert("detail".to_owned(), json!(cut(DETAIL_CHARS_MAX)));
            notes.push("is longer than a claim; all of it is in `detail`".to_owned());
        } else {
            content.insert("statement".to_owned(), json!(fact));
        }
        if !reviewer.is_empty() {
            content.insert("reviewer".to_owned(), json!(reviewer));
        }
        if let Some(subtype) = subtype {
            content.insert("subtype".to_owned(), json!(subtype));
        }
        if section == Some(Section::FalsePositives) {
            content.insert("polarity".to_owned(), json!("negative"));
        }
        fitting::anchor(content, prose::places(&fact));
        if let Some(source) = source {
            let (source, dev) = parted(source);
            if let Some(reference) = reference(source) {
                fitting::cite(&mut item.evidence, &reference);
            }
            let dev = dev.map(|dev| ("dev".to_owned(), json!(dev)));
            let attributes = [("source".to_owned(), json!(source))].into_iter().chain(dev).collect();
            fitting::keep(content, attributes, &mut notes);
        }
        (item, notes)
    }

    /// The line with an entry's changes in it.
    pub(super) fn rewritten(&self, line: &str, now: &Outgoing<'_>, unsaid: &mut Vec<String>) -> String {
        let mut fact = line[self.fact.clone()].to_owned();
        if now.has_changed("statement") {
            let (new, is_cut) = hidden(&now.fields.statement(), self.date.is_some());
            if is_cut {
                unsaid.push("statement".to_owned());
            }
            fact = new;
        }
        let mut source = line[self.fact.end..self.end].to_owned();
        if now.has_changed("attributes") {
            let said = self.source.clone().map(|source| parted(&line[source]));
            let told = |text: &str| plain(text).into_owned();
            let was = said.map_or((None, None), |(source, dev)| (Some(told(source)), dev.map(told)));
            let (new, is_all) = sources(&now.fields.attributes);
            if was != new {
                source = match new {
                    (None, None) => String::new(),
                    (source, dev) => suffix(source.as_deref().unwrap_or("unknown"), dev.as_deref()),
                };
            }
            if !is_all {
                unsaid.push("attributes".to_owned());
            }
        }
        format!("{}{fact}{source}{}", &line[..self.fact.start], &line[self.end..])
    }
}

/// An entry as a line, without its line break.
pub(super) fn written(now: &Outgoing<'_>) -> String {
    let (fact, _) = hidden(&now.fields.statement(), true);
    let (source, dev) = sources(&now.fields.attributes).0;
    let cited =
        || now.citations.first().map(|cited| format!("{}:{}", cited.evidence_type, cited.evidence_ref));
    let source = source.or_else(cited).unwrap_or_else(|| format!("ken {}", now.id));
    format!("- [{}] {fact}{}", now.created.date(), suffix(&source, dev.as_deref()))
}

fn suffix(source: &str, dev: Option<&str>) -> String {
    let source = one_line(source).replace(", Dev: ", ", dev: ");
    let dev = dev.map(|dev| format!(", Dev: {}", one_line(dev).replace(", Dev: ", ", dev: ")));
    format!(" (Source: {source}{})", dev.unwrap_or_default())
}

/// Source and developer among an entry's own fields, and whether those are all there are.
fn sources(attributes: &Map<String, Value>) -> ((Option<String>, Option<String>), bool) {
    let text = |name: &str| {
        let text = attributes.get(name).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let found = (text("source"), text("dev"));
    let count = usize::from(found.0.is_some()) + usize::from(found.1.is_some());
    (found, attributes.len() == count)
}

/// `initial-seed, Dev: mira` as its two words.
fn parted(source: &str) -> (&str, Option<&str>) {
    match source.rsplit_once(", Dev: ") {
        Some((source, dev)) if !source.trim().is_empty() && !dev.trim().is_empty() => {
            (source.trim(), Some(dev.trim()))
        }
        _ => (source.trim(), None),
    }
}

/// What a source is evidence of, where it is any: a commit, a pull request, a file.
fn reference(source: &str) -> Option<String> {
    let lower = source.to_lowercase();
    let number = lower.strip_prefix("pr ").or_else(|| lower.strip_prefix("pr")).unwrap_or(&lower);
    let is_pull =
        number.strip_prefix('#').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let hash = lower.strip_prefix("commit ").unwrap_or(&lower);
    let is_commit = (7..=40).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
    Some(if is_pull {
        format!("pr:{}", number.trim_start_matches('#'))
    } else if is_commit {
        format!("commit:{hash}")
    } else if ["commit:", "pr:", "doc:", "test:", "transcript:"].iter().any(|kind| source.starts_with(kind)) {
        source.to_owned()
    } else {
        format!("doc:{}", prose::anchors(&format!("`{source}`")).pop()?)
    })
}

/// The name WFC's index gives a line.
fn chunk_id(
    reviewer: &str,
    section: Option<Section>,
    date: Option<&str>,
    source: Option<&str>,
    fact: &str,
) -> String {
    let section = section.map_or("", Section::key);
    let collapsed = fact.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = format!(
        "{reviewer}:{section}:{}:{}:{collapsed}",
        date.unwrap_or_default(),
        source.unwrap_or("unknown")
    );
    Sha256::digest(whole.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A statement as it may stand on a line, and whether some of it was cut off: WFC's writer stops at 500 characters, and its budget for an
/// answer ends at the first line that does not fit.
fn hidden(statement: &str, is_dated: bool) -> (String, bool) {
    // Its reader would take the word for the end of the fact.
    let fact = one_line(statement).replace("(Source:", "(source:");
    let chars = fact.chars().count();
    let is_cut = chars > FACT_CHARS_MAX;
    let fact = if is_cut {
        let start: String = fact.chars().take(FACT_CHARS_MAX - 1).collect();
        let word = start.rfind(' ').filter(|at| start[*at..].chars().count() <= CUT_CHARS);
        format!("{}…", start[..word.unwrap_or(start.len())].trim_end())
    } else {
        fact
    };
    (if is_escaped(&fact, is_dated) { format!("\\{fact}") } else { fact }, is_cut)
}

/// A fact without the backslash that keeps it from being something else.
fn revealed(fact: &str, is_dated: bool) -> &str {
    fact.strip_prefix('\\').filter(|rest| is_escaped(rest, is_dated)).unwrap_or(fact)
}

fn is_escaped(fact: &str, is_dated: bool) -> bool {
    // On a line without a date, what begins like one would become it.
    ESCAPED
        .find(fact)
        .is_some_and(|found| !is_dated || !matches!(found.as_str().trim_start_matches('\\'), "["))
}

fn one_line(text: &str) -> String {
    let parts = text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']);
    parts.map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^-\s+(?:\[([0-9]{4}-[0-9]{2}-[0-9]{2})\]\s+)?(.+?)(?:\s+\(Source:\s+(.+?)\))?$")
        .expect("the pattern is right")
});
static DATE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\[[0-9]{4}-[0-9]{2}-[0-9]{2}\]$").expect("the pattern is right"));
static ESCAPED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\\*(?:## |- \[|\[)").expect("the pattern is right"));
