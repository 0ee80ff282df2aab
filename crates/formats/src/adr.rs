//! Architecture decision records, a file for each: after Nygard (`# 1. Title`, `## Status`), and MADR with its front matter.

use std::ops::Range;
use std::sync::LazyLock;

use ken_core::Type;
use ken_core::kinds::{Relation, Status};
use regex::Regex;
use serde_json::{Map, Value};

use crate::content::{self, claim_of, is_heading, one_line};
use crate::front::{self, Front};
use crate::{Document, Format, Item, Outgoing, Place, Rewritten, Role, Standing, StoreFacts, plain, prose};

/// Architecture decision records.
pub(crate) struct Adr;

impl Format for Adr {
    fn word(&self) -> &'static str {
        "adr"
    }

    fn about(&self) -> &'static str {
        "architecture decision records, after Nygard or MADR (Markdown, a decision a file)"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        if !path.ends_with(".md") || !is_record(path) {
            return 0;
        }
        let record = Record::parse(head);
        // Spikes and signals of another system have decisions and statuses as well.
        let says = |key: &str| record.front.as_ref().is_some_and(|front| front.values.contains_key(key));
        let is_adr = record
            .front
            .as_ref()
            .and_then(|front| front.word("type"))
            .is_none_or(|word| word.eq_ignore_ascii_case("adr"));
        if !is_adr || says("permalink") {
            return 10;
        }
        let has_status = record.status.is_some();
        let has_decision = record.decision().is_some();
        let is_numbered = number(path).is_some();
        let is_foldered =
            path.to_lowercase().split('/').rev().skip(1).any(|folder| FOLDERS.contains(&folder));
        match (has_decision, has_status, is_numbered || is_foldered) {
            (true, true, true) => 95,
            (true, true, false) => 85,
            (true, false, true) => 85,
            (true, false, false) => 10,
            (false, true, true) if record.title.is_some() => 80,
            (false, _, _) if is_numbered && is_foldered && record.title.is_some() => 80,
            (false, _, _) => 0,
        }
    }

    fn read(&self, path: &str, text: &str) -> Document {
        if !is_record(path) {
            return Document::opaque(Role::Other, text, None);
        }
        let mut notes = Vec::new();
        match item(path, text, &mut notes) {
            Some(item) => Document::new(item, notes),
            None => {
                notes.push(format!(
                    "{path} is not a decision record: it has neither a title nor a decision; it is kept unchanged"
                ));
                Document { notes, ..Document::opaque(Role::Other, text, None) }
            }
        }
    }

    fn rewrite(&self, place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        let said = [content::CLAIMS, &["title", "detail", "status"]].concat();
        let mut unsaid = content::unsaid(now, &said);
        let mut text = place.text.to_owned();
        if now.has_changed("detail") {
            let detail = now.fields.detail.as_deref().unwrap_or_default();
            text = with_detail(&text, detail, &claim_of(now.fields));
        }
        if let Some(claim) = content::new_claim(now) {
            text = with_claim(&text, &claim);
        }
        if now.has_changed("title") {
            match with_title(&text, &prose::title(&now.fields.title())) {
                Some(new) => text = new,
                None => unsaid.push("title".to_owned()),
            }
        }
        if now.has_changed("status") {
            match with_status(&text, now) {
                Some(new) => text = new,
                None => unsaid.push("status".to_owned()),
            }
        }
        Rewritten { unsaid, ..Rewritten::in_place(text) }
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        let is_decision =
            now.kind.known() == Some(Type::Experience) && now.fields.subtype.as_deref() == Some("decision");
        if !is_decision || claim_of(now.fields).is_empty() {
            return None;
        }
        let records = known.paths.iter().filter_map(|path| Some((path, number(path)?)));
        let last = records.max_by_key(|(_, number)| *number);
        let (folder, next, width) = match last {
            Some((path, number)) => {
                let name = path.rsplit('/').next().unwrap_or(path);
                let width =
                    name.bytes().skip_while(|b| !b.is_ascii_digit()).take_while(u8::is_ascii_digit).count();
                (&path[..path.len() - name.len()], number + 1, width)
            }
            None => ("", 1, 4),
        };
        let slug = prose::slug(&now.fields.title(), 60);
        Some(format!("{folder}{next:0width$}-{slug}.md"))
    }

    fn insert(&self, path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        // A decision is a file: one that is there already is not written over.
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            return text.to_owned();
        }
        let title = prose::title(&now.fields.title());
        let heading = number(path).map_or_else(|| title.clone(), |number| format!("{number}. {title}"));
        let status = status_words(now);
        let claim = claim_of(now.fields);
        let date = now.created.date();
        let detail = now.fields.detail.as_deref().map(str::trim).unwrap_or_default().replace("\r\n", "\n");
        let head = format!("# {heading}\n\nDate: {date}\n\n## Status\n\n{status}\n\n");
        if Record::parse(&detail).decision().is_some() {
            return with_first(&format!("{head}{detail}\n"), &claim);
        }
        let context = if detail.is_empty() { String::new() } else { format!("{detail}\n\n") };
        format!("{head}## Context\n\n{context}## Decision\n\n{claim}\n\n## Consequences\n")
    }
}

const FOLDERS: &[&str] =
    &["adr", "adrs", "decision", "decisions", "architecture-decisions", "decision-records"];
const DECISION: &[&str] = &["decision", "decision outcome", "decisions"];
const STATUS: &[&str] = &["status"];

/// Whether a file can be a record: indexes and templates are none.
fn is_record(path: &str) -> bool {
    let stem = prose::stem(path).to_lowercase();
    path.ends_with(".md")
        && !matches!(stem.as_str(), "readme" | "index" | "template" | "log" | "summary")
        && !stem.ends_with("template")
        && !stem.starts_with("template")
        && !stem.starts_with("adr-template")
}

static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:adr[-_ ]?)?(\d{1,6})(?:[-_. ]|$)").expect("the pattern is right"));

/// The number of a record, from the name of its file.
fn number(path: &str) -> Option<u32> {
    let stem = prose::stem(path);
    let is_dated = DATED.is_match(&stem.replacen('-', " ", 3).replacen(' ', "-", 2));
    NUMBERED
        .captures(stem)
        .filter(|_| path.ends_with(".md") && !is_dated)
        .and_then(|found| found[1].parse().ok())
}

/// How records are called among each other.
fn name_of(number: u32) -> String {
    format!("{number:04}")
}

/// A record, by its places.
struct Record<'a> {
    text: &'a str,
    front: Option<Front<'a>>,
    /// The words of its title, without number.
    title: Option<Range<usize>>,
    sections: Vec<Section<'a>>,
    /// The words of the status, where they are in the text.
    status: Option<Range<usize>>,
    /// The words of the date.
    date: Option<Range<usize>>,
    /// Where what is said begins: after title, date and status.
    said: usize,
}

/// A section: its heading begins at `from` and ends at `body`, and the next one begins at `to`.
struct Section<'a> {
    name: &'a str,
    from: usize,
    body: usize,
    to: usize,
}

static TITLE_NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:(?:adr|decision)[-_ #]*\d*\s*[:.–—-]+\s+|adr[-_ #]*\d+\s+|\d+[.:)]?\s+(?:[-–—]\s+)?)",
    )
    .expect("the pattern is right")
});
static STATUS_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[ \t]*(?:[*-][ \t]+)?(?:\*\*)?status(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*")
        .expect("the pattern is right")
});
static DATE_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[ \t]*(?:[*-][ \t]+)?(?:\*\*)?date(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*")
        .expect("the pattern is right")
});

/// A decision that has no heading of its own.
static MARKED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?im)^[ \t]*\*\*decision(?: outcome)?[.:]?\*\*[.:]?").expect("the pattern is right")
});

impl<'a> Record<'a> {
    fn parse(text: &'a str) -> Record<'a> {
        let front = Front::parse(text);
        let start = front.as_ref().map_or(0, |front| front.body);
        let mut record =
            Record { text, front, title: None, sections: Vec::new(), status: None, date: None, said: start };
        let mut at = start;
        let mut fence: Option<&str> = None;
        for line in text[start..].split_inclusive('\n') {
            let from = at;
            at += line.len();
            let words = line.trim_start_matches('\u{feff}').trim();
            let mark = ["```", "~~~"].into_iter().find(|mark| words.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                (None | Some(_), _) => {}
            }
            if fence.is_some() || mark.is_some() {
                continue;
            }
            if is_heading(words) {
                record.heading(from, line, words);
            } else if record.sections.is_empty() {
                record.line(from, line);
            }
        }
        if let Some(last) = record.sections.last_mut() {
            last.to = text.len();
        }
        let section = record.section(STATUS).map(|section| (section.from, section.body..section.to));
        if let Some((from, body)) = section.filter(|_| record.status.is_none()) {
            record.status = status_line(text, body.clone());
            if record.status.is_some() && from <= record.said {
                record.said = body.end;
            }
        }
        record
    }

    fn heading(&mut self, from: usize, line: &'a str, words: &'a str) {
        let level = words.bytes().take_while(|byte| *byte == b'#').count();
        let name = words[level..].trim().trim_end_matches(['#', ' ', ':']);
        if level == 1 && self.title.is_none() && self.sections.is_empty() {
            let number = TITLE_NUMBER.find(name).map_or(0, |found| found.end());
            let title = name[number..].trim();
            let at =
                from + line.find(name).unwrap_or_default() + name.len() - name[number..].trim_start().len();
            self.title = (!title.is_empty()).then_some(at..at + title.len());
            self.said = from + line.len();
            return;
        }
        if let Some(before) = self.sections.last_mut() {
            before.to = from;
        }
        let end = from + line.len();
        self.sections.push(Section { name, from, body: end, to: end });
        // Status comes before what is said, whatever its order with the title.
        if name.eq_ignore_ascii_case("status") && self.sections.len() == 1 {
            self.said = self.said.max(from);
        }
    }

    fn line(&mut self, from: usize, line: &'a str) {
        for (pattern, place) in [(&STATUS_LINE, &mut self.status), (&DATE_LINE, &mut self.date)] {
            if let Some(found) = pattern.find(line).filter(|_| place.is_none()) {
                let value = line[found.end()..].trim();
                let at =
                    from + found.end() + (line[found.end()..].len() - line[found.end()..].trim_start().len());
                *place = (!value.is_empty()).then_some(at..at + value.len());
                self.said = from + line.len();
            }
        }
    }

    fn section(&self, names: &[&str]) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| names.contains(&section.name.to_lowercase().as_str()))
    }

    /// Where the words of the decision begin and may end: below its heading, or after `**Decision.**`.
    fn decision(&self) -> Option<Range<usize>> {
        if let Some(section) = self.section(DECISION) {
            return Some(section.body..section.to);
        }
        let text = self.text.get(self.said..)?;
        MARKED.find(text).map(|found| self.said + found.end()..self.text.len())
    }

    /// Where a record begins to speak that does not say which of its words are the decision.
    fn opening(&self) -> Option<Range<usize>> {
        let text = self.text.get(self.said..)?.trim_start();
        let speaks = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '`' | '['))
            || text.starts_with("**");
        let speaks = speaks && !text.starts_with("```");
        (speaks && self.title.is_some()).then_some(self.said..self.text.len())
    }

    /// The first paragraph of the decision: where it is, or where it would be.
    fn claim(&self) -> Option<Range<usize>> {
        let decision = self.decision().or_else(|| self.opening())?;
        let text = &self.text[decision.clone()];
        // Code says nothing alone, and what is put in its place would open what it closes.
        if text.trim().is_empty() || is_fence(text.trim_start()) {
            return Some(decision.start..decision.start);
        }
        let from = decision.start + (text.len() - text.trim_start().len());
        let mut to = from;
        let mut at = from;
        for line in self.text[from..decision.end].split_inclusive('\n') {
            let words = line.trim();
            if words.is_empty() || (at > from && (is_heading(words) || is_fence(words))) {
                break;
            }
            to = at + line.trim_end().len();
            at += line.len();
        }
        Some(from..to)
    }

    /// What is said beside the claim.
    fn detail(&self) -> String {
        let said = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        let text = match self.claim() {
            Some(claim) if claim.start >= self.said => {
                let before = said(self.said..claim.start).trim();
                let after = said(claim.end..self.text.len()).trim();
                if after.is_empty() { before.to_owned() } else { format!("{before}\n\n{after}") }
            }
            Some(_) | None => said(self.said..self.text.len()).trim().to_owned(),
        };
        text.replace("\r\n", "\n")
    }

    /// The status as it is written.
    fn status(&self) -> Option<String> {
        let front = self.front.as_ref().and_then(|front| front.word("status"));
        front.or_else(|| self.status.clone().map(|place| self.text[place].to_owned()))
    }

    /// All that is said about the status.
    fn status_text(&self) -> String {
        let section = self.section(STATUS).map(|section| &self.text[section.body..section.to]);
        format!("{}\n{}", self.status().unwrap_or_default(), section.unwrap_or_default())
    }
}

fn is_fence(words: &str) -> bool {
    words.starts_with("```") || words.starts_with("~~~")
}

static DATED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\d{4}-\d{2}-\d{2}[ \t]+").expect("the pattern is right"));

/// The words of the status: the first line that says something, or the last of a history whose lines begin with a date.
fn status_line(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let mut at = range.start;
    let mut found: Option<Range<usize>> = None;
    for line in text[range].split_inclusive('\n') {
        let words = line.trim();
        let from = at + line.len() - line.trim_start().len();
        let dated = DATED.find(words).map(|date| date.end());
        if dated.is_some() || (found.is_none() && !words.is_empty()) {
            let mark = dated.unwrap_or_else(|| content::mark_len(words));
            found = Some(from + mark..from + words.len());
        }
        at += line.len();
    }
    found.filter(|place| !place.is_empty())
}

fn item(path: &str, text: &str, notes: &mut Vec<String>) -> Option<Item> {
    let record = Record::parse(text);
    if let Some(front) = &record.front {
        notes.extend(front.faults.iter().map(|fault| format!("{path}: {fault}")));
    }
    let titled = record.front.as_ref().and_then(|front| front.word("title"));
    let title = record.title.clone().map(|place| text[place].to_owned()).or(titled);
    let claim =
        record.claim().map(|place| plain::trimmed(&one_line(&text[place]))).filter(|claim| !claim.is_empty());
    if title.is_none() && claim.is_none() {
        return None;
    }
    let title = title.unwrap_or_else(|| prose::title_of(path));
    let name = number(path).map_or_else(|| prose::stem(path).to_owned(), name_of);
    let mut item = Item::new(Type::Experience, name, text);
    content::identify(&mut item.content, prose::stem(path));
    content::put(&mut item.content, "subtype", "decision");
    content::put(&mut item.content, "title", &title);
    content::put(&mut item.content, "statement", &claim.unwrap_or_else(|| one_line(&title)));
    content::put(&mut item.content, "detail", &record.detail());
    content::anchor(&mut item.content, prose::places(text));

    let mut own = match &record.front {
        Some(front) => front.others(&["title", "tags"]),
        None => Map::new(),
    };
    if let Some(front) = &record.front {
        content::tag(&mut item.content, &front.words("tags"), notes);
    }
    let dated = record.front.as_ref().and_then(|front| front.word("date"));
    let date = dated.or_else(|| record.date.clone().map(|place| text[place].to_owned()));
    if let Some(date) = date {
        item.stated = prose::time(&date);
        own.insert("date".to_owned(), Value::from(date));
    }
    if let Some(status) = record.status() {
        own.insert("status".to_owned(), Value::from(status));
    }
    content::keep(&mut item.content, own, notes);
    (item.standing, item.ties) = standing(path, &record);
    item.ties.retain(|(_, name)| *name != item.name);
    content::settled(item, notes)
}

static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\]\((?:\./)?(?:adr[-_]?)?(\d{1,6})[-_.][^)\s]*\)|\badr[-_ #]*(\d{1,6})\b|(?:by|supersedes|amends|amended by|clarifies)\s+#?(\d{1,6})\b")
        .expect("the pattern is right")
});

/// The other records that a line names.
fn others(line: &str) -> Vec<String> {
    let mut names = Vec::new();
    for found in OTHER.captures_iter(line) {
        let digits = [1, 2, 3].into_iter().find_map(|group| found.get(group));
        if let Some(number) = digits.and_then(|digits| digits.as_str().parse().ok()) {
            let name = name_of(number);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn standing(path: &str, record: &Record<'_>) -> (Standing, Vec<(Relation, String)>) {
    let mut standing = Standing::Current;
    let mut ties: Vec<(Relation, String)> = Vec::new();
    for line in record.status_text().lines() {
        let words = line.trim().trim_start_matches(['*', '-', '_', ' ', '~']).to_lowercase();
        let words = DATED.replace(&words, "");
        let named = others(line);
        let starts = |word: &str| words.starts_with(word);
        if starts("superseded") || starts("superceded") || starts("replaced by") {
            standing = match named.first() {
                Some(name) if number(path).map(name_of).as_ref() != Some(name) => {
                    Standing::SupersededBy(name.clone())
                }
                _ => Standing::Archived("its status is superseded".to_owned()),
            };
        } else if starts("deprecated") || starts("rejected") || starts("obsolete") {
            let word: String = words.chars().take_while(|c| c.is_alphabetic()).collect();
            standing = Standing::Archived(format!("its status is {word}"));
        } else if starts("supersedes") || starts("supercedes") || starts("replaces") {
            ties.extend(named.into_iter().map(|name| (Relation::Supersedes, name)));
        } else {
            ties.extend(named.into_iter().map(|name| (Relation::RelatesTo, name)));
        }
    }
    for name in others(&record.text[record.said..]) {
        if !ties.iter().any(|(_, known)| *known == name) && standing != Standing::SupersededBy(name.clone()) {
            ties.push((Relation::RelatesTo, name));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    ties.retain(|(_, name)| seen.insert(name.clone()));
    (standing, ties)
}

fn status_words(now: &Outgoing<'_>) -> String {
    match (now.status, now.superseded_by.as_deref()) {
        (Status::Candidate, _) => "Proposed".to_owned(),
        (Status::Active | Status::Verified, _) => "Accepted".to_owned(),
        (Status::Rejected, _) => "Rejected".to_owned(),
        (Status::Superseded, Some(other)) if other.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("Superseded by ADR-{other}")
        }
        (Status::Superseded, Some(other)) => format!("Superseded by {other}"),
        (Status::Superseded, None) => "Superseded".to_owned(),
        (Status::Stale | Status::Archived | Status::Retracted, _) => "Deprecated".to_owned(),
    }
}

/// The record with another status, in the case that the old one was written in; none where it says none.
fn with_status(text: &str, now: &Outgoing<'_>) -> Option<String> {
    let record = Record::parse(text);
    let before = record.status()?;
    let is_small = before.trim().starts_with(char::is_lowercase);
    let words = status_words(now);
    let words = if is_small { words.replacen(&words[..1], &words[..1].to_lowercase(), 1) } else { words };
    if before.trim().to_lowercase().starts_with(&words.to_lowercase()) {
        return Some(text.to_owned());
    }
    if record.front.as_ref().is_some_and(|front| front.word("status").is_some()) {
        return Some(front::set(text, "status", &Value::from(words)));
    }
    let place = record.status?;
    let line = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    if DATED.is_match(text[line..].trim_start()) {
        // A history goes on.
        let (end, date) = (front::line_end(text), now.updated.date());
        return Some(format!("{}{end}{end}{date} {words}{}", &text[..place.end], &text[place.end..]));
    }
    Some(format!("{}{words}{}", &text[..place.start], &text[place.end..]))
}

fn with_title(text: &str, title: &str) -> Option<String> {
    let record = Record::parse(text);
    match record.title {
        Some(place) => Some(format!("{}{title}{}", &text[..place.start], &text[place.end..])),
        None => {
            record.front.as_ref()?.word("title")?;
            Some(front::set(text, "title", &Value::from(title)))
        }
    }
}

/// The record with another first paragraph of its decision.
fn with_claim(text: &str, claim: &str) -> String {
    match Record::parse(text).claim() {
        Some(place) if !place.is_empty() => {
            format!("{}{}{}", &text[..place.start], one_line(claim), &text[place.end..])
        }
        Some(_) | None => with_first(text, claim),
    }
}

/// The record with a paragraph more, before all others of its decision.
fn with_first(text: &str, claim: &str) -> String {
    let record = Record::parse(text);
    let end = front::line_end(text);
    let claim = one_line(claim);
    let is_marked = record.section(DECISION).is_none();
    match record.decision() {
        Some(decision) => {
            let (before, after) = text.split_at(decision.start);
            let gap = match before {
                _ if is_marked => " ".to_owned(),
                before if before.ends_with('\n') => end.to_owned(),
                _ => end.repeat(2),
            };
            let after = after.trim_start();
            let tail = if after.is_empty() { end.to_owned() } else { end.repeat(2) };
            format!("{before}{gap}{claim}{tail}{after}")
        }
        None => {
            let (before, after) = text.split_at(record.said);
            let gap = match before {
                "" => String::new(),
                before if before.ends_with('\n') => end.to_owned(),
                _ => end.repeat(2),
            };
            let after = after.trim_start();
            let tail = if after.is_empty() { end.to_owned() } else { end.repeat(2) };
            format!("{before}{gap}{claim}{tail}{after}")
        }
    }
}

/// The record with everything else that it says, and the claim as it was; `now` where it made none.
fn with_detail(text: &str, detail: &str, now: &str) -> String {
    let record = Record::parse(text);
    let end = front::line_end(text);
    let claim = record.claim().map(|place| one_line(&text[place])).filter(|claim| !claim.is_empty());
    let head = text[..record.said].trim_end();
    let detail = detail.trim().replace("\r\n", "\n").replace('\n', end);
    let new =
        if detail.is_empty() { format!("{head}{end}") } else { format!("{head}{end}{end}{detail}{end}") };
    match claim {
        Some(claim) => with_first(&new, &claim),
        // What was only a title stays one, unless the new words would take its place.
        None if Record::parse(&new).claim().is_some_and(|place| !place.is_empty()) => with_first(&new, now),
        None => new,
    }
}
