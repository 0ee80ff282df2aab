//! Files of instructions for agents: `CLAUDE.md`, `AGENTS.md`, rules of editors. A point or a paragraph is an entry.

use std::ops::Range;
use std::sync::LazyLock;

use ken_core::kinds::{Memory, Status};
use ken_core::words::normalise_statement;
use ken_core::{Fields, Millis, Type};
use ken_digest::{Candidate, Form, Markup, Voice};
use regex::{Captures, Regex};
use serde_json::{Map, Value};

use crate::content::{self, Body, Names, claim_field, claim_of, is_heading, mark_len};
use crate::front::{self, Front};
use crate::{Document, Format, Item, Outgoing, Part, Place, Rewritten, Role, StoreFacts, plain, prose};

/// Files of instructions.
pub(crate) struct AgentsMd;

impl Format for AgentsMd {
    fn word(&self) -> &'static str {
        "agents-md"
    }

    fn about(&self) -> &'static str {
        "instructions for agents: CLAUDE.md, AGENTS.md, GEMINI.md and rules of editors"
    }

    fn claims(&self, path: &str, _head: &str) -> u8 {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let is_rule = [".cursor/rules/", ".clinerules/", ".windsurf/rules/", ".claude/rules/"]
            .iter()
            .any(|folder| lower.starts_with(folder) || lower.contains(&format!("/{folder}")));
        match name {
            "claude.md" | "claude.local.md" | "agents.md" | "agents.override.md" | "gemini.md" => 95,
            ".cursorrules" | ".windsurfrules" | ".clinerules" | "copilot-instructions.md" => 95,
            name if name.ends_with(".mdc") || name.ends_with(".instructions.md") => 90,
            name if is_rule && name.ends_with(".md") => 85,
            _ => 0,
        }
    }

    fn read(&self, path: &str, text: &str) -> Document {
        let mut parts = Vec::new();
        let mut notes = Vec::new();
        let mut names = Names::default();
        let own = Front::parse(text).map(|front| front.values).unwrap_or_default();
        let mut headings: Vec<(usize, String)> = Vec::new();
        for block in blocks(text) {
            let words = &text[block.place.clone()];
            match block.kind {
                Kind::Heading(level) => {
                    headings.retain(|(above, _)| *above < level);
                    headings.push((level, heading_words(words)));
                    parts.push(Part::Text(words.to_owned()));
                }
                Kind::Text => parts.push(Part::Text(words.to_owned())),
                Kind::Item => {
                    let headings: Vec<&str> = headings.iter().map(|(_, words)| words.as_str()).collect();
                    match item(path, words, &headings, &own, &mut names, &mut notes) {
                        Some(item) => parts.push(Part::Item(Box::new(item))),
                        None => parts.push(Part::Text(words.to_owned())),
                    }
                }
            }
        }
        Document { role: Role::Entries, parts, notes, broken: Vec::new() }
    }

    fn rewrite(&self, place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        let said = [content::CLAIMS, &["detail", "status"]].concat();
        let mut unsaid = content::unsaid(now, &said);
        if now.has_changed("status") {
            match now.status {
                // Instructions are followed by whoever reads them: what does not count any more cannot stay.
                Status::Archived | Status::Retracted | Status::Superseded => {
                    return Rewritten { unsaid, ..Rewritten::default() };
                }
                Status::Candidate | Status::Active | Status::Verified => {}
                Status::Rejected | Status::Stale => unsaid.push("status".to_owned()),
            }
        }
        let said = ListPoint::parse(place.text);
        let claim = content::new_claim(now);
        let mut detail = now.has_changed("detail").then(|| now.fields.detail.clone().unwrap_or_default());
        if detail.is_some() && said.indent.is_none() {
            // What follows a paragraph is another one.
            unsaid.push("detail".to_owned());
            detail = None;
        }
        let text = match (&claim, &detail) {
            (None, None) => place.text.to_owned(),
            _ => said.with(claim.as_deref(), detail.as_deref(), front::line_end(place.text)),
        };
        Rewritten { unsaid, ..Rewritten::in_place(text) }
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        let kind = now.kind.known()?;
        let is_convention = kind == Type::Experience && now.fields.subtype.as_deref() == Some("convention");
        let holds = kind.memory() == Memory::Procedural || is_convention;
        if !holds || claim_of(now.fields).is_empty() {
            return None;
        }
        let there = ["AGENTS.md", "CLAUDE.md"].into_iter().find(|path| known.paths.contains(*path));
        Some(there.unwrap_or("AGENTS.md").to_owned())
    }

    fn insert(&self, _path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        let text = text.unwrap_or_default();
        let end = front::line_end(text);
        let point = point(now.fields, end);
        if let Some(place) = section_end(text) {
            let before = &text[..place];
            let gap = if before.ends_with('\n') { "" } else { end };
            let is_first = before.trim_end().ends_with(SECTION);
            let gap = if is_first { format!("{gap}{end}") } else { gap.to_owned() };
            let new = format!("{before}{gap}{point}{}", &text[place..]);
            // Lines that follow can go on with a point that is put before them.
            let from = before.len() + gap.len();
            if blocks(&new).iter().any(|block| block.place == (from..from + point.len())) {
                return new;
            }
        }
        let gap = match text {
            "" => String::new(),
            text if text.ends_with("\n\n") || text.ends_with("\n\r\n") => String::new(),
            text if text.ends_with('\n') => end.to_owned(),
            _ => end.repeat(2),
        };
        format!("{text}{gap}{SECTION}{end}{end}{point}")
    }
}

/// The heading under which new points go.
const SECTION: &str = "## Knowledge";
/// What Kenning itself has put into such a file begins and ends so.
const OWN_BEGIN: &str = "<!-- BEGIN KENNING";
const OWN_END: &str = "<!-- END KENNING -->";

/// A run of lines.
struct Block {
    kind: Kind,
    place: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A heading, with its level.
    Heading(usize),
    /// A point with its continuation, or a paragraph.
    Item,
    Text,
}

/// A file, block by block. Joined, the blocks are the file.
fn blocks(text: &str) -> Vec<Block> {
    let start = Front::parse(text).map_or(0, |front| front.body);
    let lines = Lines::new(text, start);
    let mut blocks = Vec::new();
    if start > 0 {
        blocks.push(Block { kind: Kind::Text, place: 0..start });
    }
    let mut number = 0;
    while number < lines.places.len() {
        let (kind, count) = lines.block(number);
        let place = lines.places[number].start..lines.places[number + count - 1].end;
        blocks.push(Block { kind, place });
        number += count;
    }
    blocks
}

/// The lines of a file.
struct Lines<'a> {
    text: &'a str,
    places: Vec<Range<usize>>,
    /// How many lines a fence of code takes that begins on a line. One without an end is none: what is put after it has to be found again.
    fences: Vec<Option<usize>>,
    /// Where the last section of Kenning's own ends.
    own_end: Option<usize>,
    /// Where the last comment ends.
    comment_end: Option<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str, start: usize) -> Lines<'a> {
        let mut at = start;
        let mut places = Vec::new();
        for line in text[start..].split_inclusive('\n') {
            places.push(at..at + line.len());
            at += line.len();
        }
        let mut fences = vec![None; places.len()];
        // From the end on: for each mark the lines that close a fence, the nearest last, each longer than those after it.
        let mut closing: [Vec<(usize, usize)>; 2] = [Vec::new(), Vec::new()];
        for (number, place) in places.iter().enumerate().rev() {
            let words = bare(&text[place.clone()]);
            let Some((mark, length)) = fence_mark(words) else { continue };
            let closing = &mut closing[usize::from(mark == '~')];
            let close = closing.iter().rev().find(|(_, least)| *least >= length);
            fences[number] = close.map(|(last, _)| last - number + 1);
            if words.len() == length {
                while closing.last().is_some_and(|(_, least)| *least <= length) {
                    closing.pop();
                }
                closing.push((number, length));
            }
        }
        Lines { text, places, fences, own_end: text.rfind(OWN_END), comment_end: text.rfind("-->") }
    }

    fn line(&self, number: usize) -> &'a str {
        self.places.get(number).map_or("", |place| &self.text[place.clone()])
    }

    fn words(&self, number: usize) -> &'a str {
        bare(self.line(number))
    }

    /// What begins on a line, and how many lines it takes.
    fn block(&self, number: usize) -> (Kind, usize) {
        let words = self.words(number);
        if words.starts_with(OWN_BEGIN) {
            return (Kind::Text, self.until(number, OWN_END, self.own_end));
        }
        if words.starts_with("<!--") {
            return (Kind::Text, self.until(number, "-->", self.comment_end));
        }
        if let Some(count) = self.fences[number] {
            return (Kind::Text, count);
        }
        if is_heading(words) {
            return (Kind::Heading(words.bytes().take_while(|byte| *byte == b'#').count()), 1);
        }
        if is_text(words) || fence_mark(words).is_some() {
            return (Kind::Text, 1);
        }
        if is_point(words) {
            return (Kind::Item, self.point(number));
        }
        let mut count = 1;
        while number + count < self.places.len() {
            let next = self.words(number + count);
            if next.len() >= 3 && (next.bytes().all(|b| b == b'=') || next.bytes().all(|b| b == b'-')) {
                return (Kind::Heading(if next.starts_with('=') { 1 } else { 2 }), count + 1);
            }
            let ends = is_heading(next) || is_text(next) || is_point(next) || next.starts_with("<!--");
            if ends || fence_mark(next).is_some() {
                break;
            }
            count += 1;
        }
        // Words that lead up to what follows say nothing alone.
        let leads = self.words(number + count - 1).ends_with(':');
        (if leads { Kind::Text } else { Kind::Item }, count)
    }

    /// How many lines there are to the end of a comment; one where it does not come.
    fn until(&self, number: usize, end: &str, last: Option<usize>) -> usize {
        let from = self.places[number].start;
        let found = last.filter(|last| *last >= from).and_then(|_| self.text[from..].find(end));
        let Some(at) = found else { return 1 };
        self.places[number..].iter().take_while(|place| place.start <= from + at).count()
    }

    /// How many lines a point takes: those that go on with it, and those below it that are indented.
    fn point(&self, number: usize) -> usize {
        let own = indent(self.line(number));
        let mut count = 1;
        while number + count < self.places.len() {
            let next = self.line(number + count);
            let words = bare(next);
            if words.is_empty() {
                // A gap belongs to the point where what follows is indented below it.
                let after =
                    (number + count..self.places.len()).find(|number| !self.words(*number).is_empty());
                match after {
                    Some(after) if indent(self.line(after)) > own => count = after - number,
                    Some(_) | None => break,
                }
                continue;
            }
            let is_below = indent(next) > own;
            if is_below && let Some(fence) = self.fences[number + count] {
                count += fence;
                continue;
            }
            let begins =
                is_point(words) || is_heading(words) || is_text(words) || fence_mark(words).is_some();
            let is_lazy = !begins && !self.words(number + count - 1).is_empty();
            if !is_below && !is_lazy {
                break;
            }
            count += 1;
        }
        count
    }
}

fn bare(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim()
}

/// Whether a trimmed line is neither a sentence nor a point: blank, a rule, a row of a table, markup, an import, a definition of a link.
fn is_text(words: &str) -> bool {
    let is_rule = words.len() >= 3
        && ["-", "*", "_", "="]
            .iter()
            .any(|mark| words.replace(' ', "").chars().all(|c| mark.starts_with(c)));
    let is_import = words.starts_with('@') && words.len() > 1 && !words.contains(char::is_whitespace);
    let is_markup = words
        .strip_prefix('<')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!'));
    let is_definition = words.starts_with('[') && words.contains("]: ");
    let is_silent = !words.chars().any(char::is_alphanumeric);
    is_silent || is_rule || is_import || is_markup || is_definition || words.starts_with('|')
}

fn is_point(words: &str) -> bool {
    !words.starts_with('>') && mark_len(words) > 0
}

/// The mark of a fence of code, and its length.
fn fence_mark(words: &str) -> Option<(char, usize)> {
    let mark = words.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = words.chars().take_while(|c| *c == mark).count();
    (length >= 3).then_some((mark, length))
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

fn heading_words(block: &str) -> String {
    let first = block.lines().next().map(bare).unwrap_or_default();
    prose::title(&plain::trimmed(first.trim_matches(['#', ' ', '*', '\t'])))
}

fn item(
    path: &str,
    text: &str,
    headings: &[&str],
    own: &Map<String, Value>,
    names: &mut Names,
    notes: &mut Vec<String>,
) -> Option<Item> {
    let said = ListPoint::parse(text);
    let statement = said.statement()?;
    let norm = norm(path, &said.undated(), headings);
    let kind = norm.as_ref().map_or(Type::Experience, |norm| norm.kind);
    let hash = blake3::hash(normalise_statement(said.words).as_bytes()).to_hex();
    let mut item = Item::new(kind, &hash[..12], text);
    item.stated = said.date;
    content::put(&mut item.content, claim_field(kind), &statement);
    content::put(&mut item.content, "detail", &said.detail());
    match norm {
        Some(norm) => {
            item.content.insert("polarity".to_owned(), Value::from(norm.polarity.word()));
            if let Some(enforcement) = norm.enforcement {
                item.content.insert("enforcement".to_owned(), enforcement);
            }
        }
        None => content::put(&mut item.content, "subtype", "convention"),
    }
    let mut attributes = Map::new();
    if let Some(last) = headings.last() {
        content::put(&mut item.content, "subject", last);
        attributes.insert("section".to_owned(), Value::from(headings.join(" > ")));
    }
    // Editors say in the head of a file for which others its rules are.
    attributes.extend(own.clone());
    content::keep(&mut item.content, attributes, notes);
    content::anchor(&mut item.content, prose::places(text));
    let mut item = content::settled(item, notes)?;
    item.name = names.free(&item.name);
    Some(item)
}

/// What a norm in a piece of text would be, as digestion sees it.
fn norm(path: &str, words: &str, headings: &[&str]) -> Option<Candidate> {
    let above: String = headings
        .iter()
        .enumerate()
        .map(|(level, words)| format!("{} {words}\n\n", "#".repeat((level + 1).min(6))))
        .collect();
    let text = format!("{above}- {}\n", words.replace('\n', "\n  "));
    let form = Form { markup: Markup::Markdown, voice: Voice::Instructions };
    let source = ken_digest::Source::Document { path, text: &text, form };
    ken_digest::reduce(&source).into_iter().find(|candidate| candidate.kind.memory() == Memory::Procedural)
}

/// A point or a paragraph, taken apart.
struct ListPoint<'a> {
    /// The mark of a point and what comes before it.
    lead: &'a str,
    /// All its words.
    words: &'a str,
    /// What makes the claim: the first sentences of a point, all of a paragraph, without a date before or after them.
    claim: Range<usize>,
    /// The full stop of the claim, where it comes after the date.
    stop: &'a str,
    /// Where the claim begins, with a date before it.
    start: usize,
    /// Where the claim ends, with a date after it.
    end: usize,
    /// The day that a date before or after the claim says.
    date: Option<Millis>,
    /// The blanks and line breaks after the words.
    tail: &'a str,
    /// How lines below the first are indented; none for a paragraph, which has none.
    indent: Option<String>,
}

impl<'a> ListPoint<'a> {
    fn parse(text: &'a str) -> ListPoint<'a> {
        let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let blanks = text[bom..].len() - text[bom..].trim_start().len();
        let start = &text[bom + blanks..];
        let mark = if start.starts_with('>') { 0 } else { mark_len(start) };
        let tick =
            ["[ ] ", "[x] ", "[X] "].into_iter().find(|tick| mark > 0 && start[mark..].starts_with(tick));
        let (lead, rest) = text.split_at(bom + blanks + mark + tick.map_or(0, str::len));
        let (words, tail) = rest.split_at(rest.trim_end().len());
        if mark == 0 {
            let said = ListPoint::undivided(lead, words, 0..words.len(), tail, None);
            return said.without_date();
        }
        let body = Body::parse(words);
        let below = body.rest.lines().skip(1).find(|line| !line.trim().is_empty());
        let below = below.map(|line| &line[..line.len() - line.trim_start().len()]);
        let own = " ".repeat(blanks + mark.min(4));
        let indent = below.filter(|below| below.len() > blanks).map_or(own, str::to_owned);
        let claim = body.head.len()..body.head.len() + body.claim.len();
        ListPoint::undivided(lead, words, claim, tail, Some(indent)).without_date()
    }

    fn undivided(
        lead: &'a str,
        words: &'a str,
        claim: Range<usize>,
        tail: &'a str,
        indent: Option<String>,
    ) -> ListPoint<'a> {
        ListPoint {
            lead,
            words,
            start: claim.start,
            end: claim.end,
            claim,
            stop: "",
            date: None,
            tail,
            indent,
        }
    }

    /// The same with a date before the claim, or else after it, taken out of the claim (COR-1). One in a sentence is a part of it.
    fn without_date(mut self) -> ListPoint<'a> {
        let claim = &self.words[self.claim.clone()];
        let day = |found: &Captures<'_>| prose::time(found.name("day").or(found.name("bare"))?.as_str());
        if let Some(found) = DATE_BEFORE.captures(claim)
            && let Some(date) = day(&found)
        {
            let len = found.get(0).map_or(0, |all| all.len());
            let next = claim[len..].split_whitespace().next().unwrap_or_default();
            if says_something(&claim[len..]) && !VERBS.contains(&next) {
                self.claim.start += len;
                self.date = Some(date);
                return self;
            }
        }
        // What is longer than a claim goes on after it on the same line.
        let rest = &self.words[self.claim.end..];
        let end = self.claim.end + rest.split('\n').next().unwrap_or_default().trim_end().len();
        let line = &self.words[self.claim.start..end];
        if let Some(found) = DATE_AFTER.captures(line)
            && let Some(date) = day(&found)
            && let Some(all) = found.get(0)
            && says_something(&line[..all.start()])
        {
            self.date = Some(date);
            if all.start() <= claim.len() {
                self.stop = found.name("stop").map_or("", |stop| stop.as_str());
                self.claim.end = self.claim.start + all.start();
                self.end = end;
            }
        }
        self
    }

    /// All its words but for the date before or after the claim.
    fn undated(&self) -> String {
        let (head, rest) = (&self.words[..self.start], &self.words[self.end..]);
        format!("{head}{}{}{rest}", &self.words[self.claim.clone()], self.stop)
    }

    fn statement(&self) -> Option<String> {
        let claim = content::one_line(&self.words[self.claim.clone()]);
        let text = plain::trimmed(&format!("{claim}{}", self.stop));
        Some(text).filter(|text| !text.is_empty())
    }

    /// What is longer, without the indentation below the point.
    fn detail(&self) -> String {
        let rest = self.words[self.end..].replace("\r\n", "\n");
        let (first, below) = rest.split_once('\n').unwrap_or((&rest, ""));
        let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let least =
            below.lines().filter(|line| !line.trim().is_empty()).map(blanks).min().unwrap_or_default();
        let below: Vec<&str> = below.lines().map(|line| line.get(least..).unwrap_or_default()).collect();
        plain::trimmed(&format!("{}\n{}", first.trim(), below.join("\n")))
    }

    /// The block with another claim, another detail, or both.
    fn with(&self, claim: Option<&str>, detail: Option<&str>, end: &str) -> String {
        let rest = &self.words[self.end..];
        let claim = match claim {
            None => self.words[..self.end].to_owned(),
            Some(claim) => self.dated(&content::one_line(claim)),
        };
        let indent = self.indent.clone().unwrap_or_default();
        let rest = match detail.map(str::trim) {
            Some("") => String::new(),
            Some(detail) => {
                let detail = detail.replace("\r\n", "\n");
                format!("{end}{end}{indent}{}", indented(&detail, &indent, end))
            }
            None if rest.is_empty() || content::is_apart(rest) => rest.to_owned(),
            None => format!("{end}{end}{indent}{}", rest.trim_start()),
        };
        format!("{}{claim}{rest}{}", self.lead, self.tail)
    }

    /// Another claim with the date of this one where it stands, unless the claim itself says it there.
    fn dated(&self, claim: &str) -> String {
        let (head, before) = self.words[..self.claim.start].split_at(self.start);
        let after = &self.words[self.claim.end..self.end];
        let bare = &after[..after.len() - self.stop.len()];
        let is_before = !before.is_empty() && claim.starts_with(before.trim());
        let is_after = !bare.is_empty() && claim.trim_end_matches(['.', '!', '?']).ends_with(bare.trim());
        if is_before || is_after {
            return format!("{head}{claim}");
        }
        match claim.strip_suffix(self.stop).filter(|_| !self.stop.is_empty()) {
            Some(start) => format!("{head}{before}{start}{after}"),
            None => format!("{head}{before}{claim}{bare}"),
        }
    }
}

/// A date before what it dates: bold or in brackets, or before a colon or a dash.
static DATE_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    let marked = r"(?:\*\*|__|\[|\()(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2}):?(?:\*\*|__|\]|\))(?::|\s+[-–—])?";
    let bare = r"(?P<bare>[0-9]{4}-[0-9]{2}-[0-9]{2})(?::|\s+[-–—])";
    Regex::new(&format!(r"^(?:{marked}|{bare})\s+")).expect("the pattern is right")
});
/// A date after what it dates, in parentheses.
static DATE_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s+\((?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})\)(?P<stop>[.!?]?)$").expect("the pattern is right")
});
/// Words before which a date is what a sentence is about.
const VERBS: &[&str] = &["is", "was", "are", "were", "will", "has", "had"];

fn says_something(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// A text whose lines after the first are indented.
fn indented(text: &str, indent: &str, end: &str) -> String {
    let mut lines = text.lines();
    let mut new = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        new.push_str(end);
        if !line.trim().is_empty() {
            new.push_str(indent);
            new.push_str(line);
        }
    }
    new
}

/// An entry as a point.
fn point(fields: &Fields, end: &str) -> String {
    let claim = claim_of(fields);
    let words = match fields.detail.as_deref().map(str::trim).filter(|detail| !detail.is_empty()) {
        Some(detail) => format!("{claim}\n\n{}", detail.replace("\r\n", "\n")),
        None => claim,
    };
    format!("- {}{end}", indented(&words, "  ", end))
}

/// Where the section for new points ends; none where there is none.
fn section_end(text: &str) -> Option<usize> {
    let mut place = None;
    for block in blocks(text) {
        let words = &text[block.place.clone()];
        match block.kind {
            Kind::Heading(_) if words.trim() == SECTION => place = Some(block.place.end),
            Kind::Heading(level) if level <= 2 && place.is_some() => break,
            Kind::Text if place.is_some() && words.trim_start().starts_with(OWN_BEGIN) => break,
            Kind::Heading(_) | Kind::Item | Kind::Text => {
                if let Some(end) = place.as_mut().filter(|_| !words.trim().is_empty()) {
                    *end = block.place.end;
                }
            }
        }
    }
    place
}
