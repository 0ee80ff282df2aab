//! Files of instructions for agents: `CLAUDE.md`, `AGENTS.md`, rules of editors. A point or a paragraph is an entry.

use std::ops::Range;
use std::sync::LazyLock;

use ken_core::kinds::{Memory, Status};
use ken_core::words::normalise_statement;
use ken_core::{Fields, Millis, Type};
use ken_digest::proposal::{self, Proposal, Stated};
use ken_digest::{Candidate, Form, Markup, Voice};
use regex::{Captures, Regex};
use serde_json::{Map, Value};

use crate::content::{self, Body, Names, claim_field, claim_of, mark_len};
use crate::front::{self, Front};
use crate::layout::OWN_BEGIN;
use crate::rules::{self, Claim, Kind, OWN_SECTION, Piece, Shape};
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
        let front = Front::parse(text);
        let start = front.as_ref().map_or(0, |front| front.body);
        let own = front.map(|front| front.values).unwrap_or_default();
        // The title of a file for the whole repository names the file; that of another one names what it is about.
        let is_titled =
            !folder(path).is_empty() || path.contains("rules/") || path.ends_with(".instructions.md");
        for piece in rules::pieces(text, start, is_titled) {
            let words = &text[piece.place];
            let item = match piece.kind {
                Kind::Claim(claim) => item(path, words, &claim, &own, &mut names, &mut notes),
                Kind::Heading(_) | Kind::Text => None,
            };
            parts.push(match item {
                Some(item) => Part::Item(Box::new(item)),
                None => Part::Text(words.to_owned()),
            });
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
        if is_composed(place.name) {
            // A row, a line of code or a list is made of more than its words: a person edits it in its file.
            let fields = content::CLAIMS.iter().chain(&["detail"]).filter(|field| now.has_changed(field));
            unsaid.extend(fields.map(|field| (*field).to_owned()));
            return Rewritten { unsaid, ..Rewritten::in_place(place.text) };
        }
        let said = ListPoint::parse(place.text);
        let claim = content::new_claim(now).map(|claim| without_front(now, claim));
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
            let is_point = |piece: &Piece| {
                let alone = matches!(&piece.kind, Kind::Claim(claim) if claim.front.is_empty());
                alone && piece.place == (from..from + point.len())
            };
            if rules::pieces(&new, body(&new), false).iter().any(is_point) {
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
const _: () = assert!(SECTION.len() == OWN_SECTION.len() + 3);
/// How the name of an item begins that is made of more than its own words.
const COMPOSED: &str = "made.";

fn is_composed(name: &str) -> bool {
    name.starts_with(COMPOSED)
}

/// Where a file begins, after its front matter.
fn body(text: &str) -> usize {
    Front::parse(text).map_or(0, |front| front.body)
}

fn item(
    path: &str,
    text: &str,
    claim: &Claim,
    own: &Map<String, Value>,
    names: &mut Names,
    notes: &mut Vec<String>,
) -> Option<Item> {
    let said = ListPoint::parse(text);
    let is_made = matches!(claim.shape, Shape::Composed(_));
    let (words, undated) = match &claim.shape {
        Shape::Composed(words) => (plain::trimmed(words), words.clone()),
        Shape::Words => (said.statement()?, said.undated()),
    };
    // Bold words that go on in the next sentence are not marked here.
    let words = if words.matches("**").count() % 2 == 1 { words.replace("**", "") } else { words };
    let front = plain::trimmed(&claim.front);
    let statement = if front.is_empty() { words.clone() } else { format!("{front}: {words}") };
    if words.is_empty() || statement.ends_with(':') {
        return None;
    }
    let norm = norm(path, &undated, claim);
    let proposed = proposal::propose(&Stated { words: &undated, front: &front, folder: folder(path) });
    // What can be held to is a rule, whatever else its sentence looks like.
    let other = proposed.as_ref().map(|_| Type::UserExpectation);
    let kind = norm.as_ref().map(|norm| norm.kind).or(other).unwrap_or(Type::Experience);
    let proposed = proposed.filter(|proposed| is_readable(kind, &proposed.enforcement()));
    let (hashed, mark) = if is_made { (words.as_str(), COMPOSED) } else { (said.words, "") };
    let hash = blake3::hash(normalise_statement(hashed).as_bytes()).to_hex();
    let mut item = Item::new(kind, format!("{mark}{}", &hash[..12]), text);
    content::put(&mut item.content, claim_field(kind), &statement);
    if !is_made {
        item.stated = said.date;
        content::put(&mut item.content, "detail", &said.detail());
    }
    if kind == Type::Experience {
        content::put(&mut item.content, "subtype", "convention");
    }
    let polarity = norm.as_ref().map(|norm| norm.polarity).or(proposed.as_ref().map(Proposal::polarity));
    if let Some(polarity) = polarity {
        item.content.insert("polarity".to_owned(), Value::from(polarity.word()));
    }
    // It is proposed: a norm is in force once a person approved it.
    let enforcement =
        proposed.map(|proposed| proposed.enforcement()).or(norm.and_then(|norm| norm.enforcement));
    if let Some(enforcement) = enforcement {
        item.content.insert("enforcement".to_owned(), enforcement);
    }
    let headings: Vec<String> =
        claim.headings.iter().map(|words| prose::title(&plain::trimmed(words))).collect();
    let mut attributes = Map::new();
    if let Some(last) = headings.last() {
        content::put(&mut item.content, "subject", last);
        attributes.insert("section".to_owned(), Value::from(headings.join(" > ")));
    }
    if !front.is_empty() {
        attributes.insert(LEAD.to_owned(), Value::from(front));
    }
    // Editors say in the head of a file for which others its rules are.
    attributes.extend(own.clone());
    content::keep(&mut item.content, attributes, notes);
    content::anchor(&mut item.content, prose::places(text).into_iter().chain(scopes(path, text, own)));
    let mut item = content::settled(item, notes)?;
    item.name = names.free(&item.name);
    Some(item)
}

/// The folders that a rule is about (COR-23): the one around its file, those that the head of the file names, and those that its words name.
fn scopes(path: &str, text: &str, own: &Map<String, Value>) -> Vec<String> {
    let mut scopes: Vec<String> = SCOPE.captures_iter(text).map(|found| found[1].to_owned()).collect();
    for value in ["globs", "applyTo", "paths"].into_iter().filter_map(|key| own.get(key)) {
        let texts: Vec<&str> = match value {
            Value::String(one) => one.split(',').collect(),
            Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
        };
        scopes.extend(texts.into_iter().filter_map(folder_of_glob));
    }
    let around = folder(path);
    if !around.is_empty() {
        scopes.push(format!("{around}/"));
    }
    scopes
}

/// A folder between backticks.
static SCOPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"`((?:[A-Za-z0-9_.@+-]*[A-Za-z0-9_@+-]/)+)(?:\*\*?(?:/\*)?)?`").expect("the pattern is right")
});

/// The folder below which all files of a glob lie, or the one file it names; none where it means files anywhere.
fn folder_of_glob(glob: &str) -> Option<String> {
    let glob = glob.trim().trim_matches(['"', '\'']).trim_start_matches("./");
    let Some(at) = glob.find(['*', '?', '[', '{']) else {
        return Some(glob.to_owned()).filter(|path| path.contains('/'));
    };
    let end = glob[..at].rfind('/')?;
    Some(glob[..=end].to_owned())
}

/// Whether an enforcement can be held against anything.
fn is_readable(kind: Type, enforcement: &Value) -> bool {
    ken_core::norm::read(kind, Some(enforcement)).is_ok()
}

/// The folder that a file of rules is for: that around it, but not one that editors look in.
fn folder(path: &str) -> &str {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let own = folder.split('/').position(|part| part.starts_with('.'));
    match own {
        Some(0) => "",
        Some(_) => folder.split("/.").next().unwrap_or_default(),
        None => folder,
    }
}

/// The attribute with the words that introduce a claim in its file, and begin its statement here.
const LEAD: &str = "lead";

/// A claim without what introduces it: that stands in the file already.
fn without_front(now: &Outgoing<'_>, claim: String) -> String {
    let front = now.fields.attributes.get(LEAD).and_then(Value::as_str);
    let own = front.and_then(|front| claim.strip_prefix(front)?.strip_prefix(": ")).map(str::to_owned);
    own.filter(|own| !own.trim().is_empty()).unwrap_or(claim)
}

/// What a norm in a piece of text would be, as digestion sees it.
fn norm(path: &str, words: &str, claim: &Claim) -> Option<Candidate> {
    let above: String = claim
        .headings
        .iter()
        .enumerate()
        .map(|(level, words)| format!("{} {words}\n\n", "#".repeat((level + 1).min(6))))
        .collect();
    let lead = claim.leads.last().map(|lead| format!("{lead}:\n\n")).unwrap_or_default();
    let text = format!("{above}{lead}- {}\n", words.replace('\n', "\n  "));
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
        let mark = mark_len(start);
        let tick =
            ["[ ] ", "[x] ", "[X] "].into_iter().find(|tick| mark > 0 && start[mark..].starts_with(tick));
        let (lead, rest) = text.split_at(bom + blanks + mark + tick.map_or(0, str::len));
        let (words, tail) = rest.split_at(rest.trim_end().len());
        // Code belongs to the words that lead to it.
        let has_code = ["\n```", "\n~~~"].iter().any(|fence| words.contains(fence));
        let is_running = mark == 0 || start.starts_with('>');
        if is_running && !has_code {
            let said = ListPoint::undivided(lead, words, 0..words.len(), tail, None);
            return said.without_colon().without_date();
        }
        let body = Body::parse(words);
        let below = body.rest.lines().skip(1).find(|line| !line.trim().is_empty());
        let below = below.map(|line| &line[..line.len() - line.trim_start().len()]);
        let own = " ".repeat(blanks + mark.min(4));
        let indent = below.filter(|below| below.len() > blanks).map_or(own, str::to_owned);
        let claim = body.head.len()..body.head.len() + body.claim.len();
        let indent = (!is_running).then_some(indent);
        ListPoint::undivided(lead, words, claim, tail, indent).without_colon().without_date()
    }

    /// The same with the colon after its claim taken out of it: what it leads to is below.
    fn without_colon(mut self) -> ListPoint<'a> {
        let claim = &self.words[self.claim.clone()];
        if let Some(bare) = claim.strip_suffix(':').filter(|bare| says_something(bare)) {
            self.claim.end = self.claim.start + bare.len();
        }
        self
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
        // Each line of a quotation has its mark.
        let quoted = self.words[self.claim.clone()].replace("\n> ", "\n").replace("\n>", "\n");
        let claim = content::one_line(if self.lead.contains('>') {
            &quoted
        } else {
            &self.words[self.claim.clone()]
        });
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
    for piece in rules::pieces(text, body(text), false) {
        let words = &text[piece.place.clone()];
        match piece.kind {
            Kind::Heading(_) if words.trim() == SECTION => place = Some(piece.place.end),
            Kind::Heading(level) if level <= 2 && place.is_some() => break,
            Kind::Text if place.is_some() && words.trim_start().starts_with(OWN_BEGIN) => break,
            Kind::Heading(_) | Kind::Claim(_) | Kind::Text => {
                if let Some(end) = place.as_mut().filter(|_| !words.trim().is_empty()) {
                    *end = piece.place.end;
                }
            }
        }
    }
    place
}
