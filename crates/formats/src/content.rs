//! What an item may say: texts cleaned and cut to what their fields hold, and the claim of a body with its place in it.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::evidence::Reference;
use ken_core::fields::Tag;
use ken_core::ids::GivenId;
use ken_core::limits::{
    DATA_LEVELS_MAX, DETAIL_CHARS_MAX, LIST_LEN_MAX, STATEMENT_CHARS_MAX, SUMMARY_CHARS_MAX, TITLE_CHARS_MAX,
    WORD_CHARS_MAX,
};
use ken_core::{Anchor, Fields, Type};
use serde_json::{Map, Value};

use crate::plain::{plain, plain_text, plain_value, restored, trimmed};
use crate::{Item, Outgoing, prose};

/// A claim is one to three sentences (ENT-2).
const SENTENCES_MAX: usize = 3;
/// Bytes of all attributes of an entry, as JSON: an event must have room for a long detail beside them.
const ATTRIBUTES_BYTES_MAX: usize = 256 * 1024;
/// Levels of one attribute: an event wraps it in some of its own.
const ATTRIBUTE_LEVELS_MAX: usize = DATA_LEVELS_MAX - 14;

/// Running text, taken apart: what comes before the claim, the claim, and what follows. Joined they are the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Body<'a> {
    /// Headings, blank lines, the mark of a list.
    pub head: &'a str,
    /// The first sentences; empty where the text begins with something that is no sentence.
    pub claim: &'a str,
    pub rest: &'a str,
}

impl<'a> Body<'a> {
    /// Takes a text apart.
    pub fn parse(text: &'a str) -> Body<'a> {
        let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut lines = text[at..].split_inclusive('\n').peekable();
        while let Some(line) = lines.next() {
            let underlined = lines.peek().is_some_and(|next| is_underline(next.trim()));
            if line.trim().is_empty() || is_heading(line.trim()) {
                at += line.len();
            } else if underlined && !begins_block(line.trim()) {
                at += line.len() + lines.next().map_or(0, str::len);
            } else {
                break;
            }
        }
        let block = &text[at..];
        let words = block.trim_start();
        let mark = mark_len(words);
        let first = words.lines().next().unwrap_or_default().trim();
        if mark == 0 && begins_block(first) {
            return Body { head: &text[..at], claim: "", rest: block };
        }
        let start = at + (block.len() - words.len()) + mark;
        let len = claim_len(&text[start..]);
        Body { head: &text[..start], claim: &text[start..start + len], rest: &text[start + len..] }
    }

    /// The claim on one line; none where there is none.
    pub fn statement(&self) -> Option<String> {
        let text = trimmed(&one_line(self.claim));
        Some(cut(&text, STATEMENT_CHARS_MAX)).filter(|text| !text.is_empty())
    }

    /// What follows the claim; none where nothing does.
    pub fn detail(&self) -> Option<String> {
        let text = trimmed(&self.rest.trim().replace("\r\n", "\n"));
        Some(cut(&text, DETAIL_CHARS_MAX)).filter(|text| !text.is_empty())
    }

    /// The text with another claim, another rest, or both.
    pub fn with(&self, statement: Option<&str>, detail: Option<&str>, end: &str) -> String {
        let head = match (self.head, self.claim) {
            (head, "") if !head.is_empty() && statement.is_some() => {
                let gap = if head.ends_with('\n') { end.to_owned() } else { end.repeat(2) };
                let has_gap = head.ends_with("\n\n") || head.ends_with("\n\r\n");
                if has_gap || head == "\u{feff}" { head.to_owned() } else { format!("{head}{gap}") }
            }
            (head, _) => head.to_owned(),
        };
        let claim = statement.map_or_else(|| self.claim.to_owned(), one_line);
        match detail {
            Some(detail) => {
                let tail = &self.rest[self.rest.trim_end().len()..];
                let tail = if tail.is_empty() { end } else { tail };
                let detail = detail.trim().replace("\r\n", "\n").replace('\n', end);
                let gap = if claim.is_empty() || detail.is_empty() { String::new() } else { end.repeat(2) };
                format!("{head}{claim}{gap}{detail}{tail}")
            }
            None => {
                if is_apart(self.rest) && !self.claim.is_empty() || self.rest.trim().is_empty() {
                    format!("{head}{claim}{}", self.rest)
                } else {
                    format!("{head}{claim}{end}{end}{}", self.rest.trim_start())
                }
            }
        }
    }
}

/// Whether what follows a claim is no part of its paragraph.
pub(crate) fn is_apart(rest: &str) -> bool {
    let below = rest.strip_prefix("\r\n").or(rest.strip_prefix('\n'));
    let next = below.and_then(|rest| rest.lines().next()).map(str::trim);
    next.is_some_and(|line| line.is_empty() || begins_block(line))
}

/// How many bytes of a text are its first sentences: at most one paragraph.
fn claim_len(text: &str) -> usize {
    let mut end = 0;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let words = line.trim();
        if words.is_empty() || (number > 0 && begins_block(words)) {
            break;
        }
        end = at + line.trim_end().len();
        at += line.len();
    }
    let mut ended = 0;
    let mut before = ' ';
    for (number, (at, c)) in text[..end].char_indices().enumerate() {
        if number == STATEMENT_CHARS_MAX {
            return at;
        }
        if c.is_whitespace() && matches!(before, '.' | '!' | '?') {
            ended += 1;
            if ended == SENTENCES_MAX {
                return at;
            }
        }
        before = c;
    }
    end
}

/// Whether a trimmed line is a heading.
pub(crate) fn is_heading(line: &str) -> bool {
    let marks = line.chars().take_while(|c| *c == '#').count();
    (1..=6).contains(&marks) && line[marks..].chars().next().is_none_or(char::is_whitespace)
}

fn is_underline(line: &str) -> bool {
    line.len() >= 3 && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}

/// Whether a trimmed line begins something that is no running text, or an item of a list.
fn begins_block(line: &str) -> bool {
    is_heading(line)
        || ["```", "~~~", "|", "<", "---", "***", "___", "==="].iter().any(|mark| line.starts_with(mark))
        || mark_len(line) > 0
}

/// How many bytes the mark of a list or a quotation takes at the beginning of a text.
pub(crate) fn mark_len(text: &str) -> usize {
    let after = |rest: &str, mark: usize| {
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if blanks > 0 { mark + blanks } else { 0 }
    };
    match text.as_bytes().first() {
        Some(b'-' | b'*' | b'+' | b'>') => after(&text[1..], 1),
        Some(b'0'..=b'9') => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            match text.as_bytes().get(digits) {
                Some(b'.' | b')') if digits <= 4 => after(&text[digits + 1..], digits + 1),
                _ => 0,
            }
        }
        _ => 0,
    }
}

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => text[..end].trim().to_owned(),
        None => text.to_owned(),
    }
}

/// Puts a text into a field, cut to what that holds; an empty one is left out.
pub(crate) fn put(content: &mut Map<String, Value>, field: &str, text: &str) {
    let (text, chars_max) = match field {
        "title" | "name" => (one_line(text), TITLE_CHARS_MAX),
        "summary" => (one_line(text), SUMMARY_CHARS_MAX),
        "statement" | "rule" | "description" | "hypothesis" | "decision" => {
            (text.to_owned(), STATEMENT_CHARS_MAX)
        }
        "detail" => (text.to_owned(), DETAIL_CHARS_MAX),
        _ => (one_line(text), WORD_CHARS_MAX),
    };
    let text = cut(&trimmed(&text), chars_max);
    if !text.is_empty() {
        content.insert(field.to_owned(), Value::from(text));
    }
}

/// Words as tags, each once; what cannot be one is left out, and a note says so.
pub(crate) fn tags(words: &[String], notes: &mut Vec<String>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for word in words {
        match Tag::parse(&plain(word)) {
            Ok(tag) if tags.iter().any(|known| known == tag.as_str()) => {}
            Ok(tag) if tag.as_str().chars().count() <= WORD_CHARS_MAX && tags.len() < LIST_LEN_MAX => {
                tags.push(tag.as_str().to_owned());
            }
            Ok(_) => notes.push(format!(
                "the tag {:?} is one too many or too long; the file keeps it",
                prose::short(&plain(word))
            )),
            Err(why) => notes
                .push(format!("a tag is left out, and the file keeps it: {}", prose::short(&plain(&why)))),
        }
    }
    tags
}

/// Puts words into `tags`.
pub(crate) fn tag(content: &mut Map<String, Value>, words: &[String], notes: &mut Vec<String>) {
    let tags = tags(words, notes);
    if !tags.is_empty() {
        content.insert("tags".to_owned(), tags.into_iter().map(Value::from).collect());
    }
}

/// Tags as a file spells them: those it has in its own words and order, and the new ones after them.
pub(crate) fn respelt(before: &[String], now: &BTreeSet<Tag>, spelt: impl Fn(&Tag) -> String) -> Value {
    let read = |word: &String| Tag::parse(&plain(word)).ok();
    let stays = |word: &&String| read(word).is_none_or(|tag| now.contains(&tag));
    let mut words: Vec<String> = before.iter().filter(stays).cloned().collect();
    let known: BTreeSet<Tag> = before.iter().filter_map(read).collect();
    words.extend(now.difference(&known).map(spelt));
    words.into_iter().map(Value::from).collect()
}

/// Puts places into `anchors`.
pub(crate) fn anchor(content: &mut Map<String, Value>, places: impl IntoIterator<Item = String>) {
    let mut anchors: Vec<String> = Vec::new();
    for place in places {
        let known = Anchor::parse(&place).ok().filter(|_| place.chars().count() <= WORD_CHARS_MAX);
        if known.is_some() && !anchors.contains(&place) && anchors.len() < LIST_LEN_MAX {
            anchors.push(place);
        }
    }
    if !anchors.is_empty() {
        content.insert("anchors".to_owned(), anchors.into_iter().map(Value::from).collect());
    }
}

/// Cites something, once; false where that has a form that we cannot cite, or names a place on one machine.
pub(crate) fn cite(evidence: &mut Vec<String>, reference: &str) -> bool {
    let is_good = Reference::parse(reference).is_ok() && plain(reference) == reference;
    let is_new = !evidence.iter().any(|known| known == reference);
    if is_good && is_new && evidence.len() < LIST_LEN_MAX {
        evidence.push(reference.to_owned());
    }
    is_good
}

/// Keeps what a file says that has no field, as it is.
pub(crate) fn keep(content: &mut Map<String, Value>, own: Map<String, Value>, notes: &mut Vec<String>) {
    let mut all = match content.remove("attributes") {
        Some(Value::Object(kept)) => kept,
        _ => Map::new(),
    };
    all.extend(own);
    let kept = kept(all, notes);
    if !kept.is_empty() {
        content.insert("attributes".to_owned(), Value::Object(kept));
    }
}

/// Values as an entry may keep them, each as it is; what is too much for one is left out, and a note says so.
pub(crate) fn kept(own: Map<String, Value>, notes: &mut Vec<String>) -> Map<String, Value> {
    let mut kept = Map::new();
    let mut bytes = 0;
    for (name, value) in own {
        let (name, value) = (plain_text(name), plain_value(value));
        let size = name.len() + 4 + size(&value);
        if levels(&value) > ATTRIBUTE_LEVELS_MAX || bytes + size > ATTRIBUTES_BYTES_MAX {
            let name = prose::short(&name);
            notes.push(format!(
                "`{name}` is too large or too deep to be kept in the entry; the file keeps it"
            ));
        } else {
            bytes += size;
            kept.insert(name, value);
        }
    }
    kept
}

/// What a file has to say otherwise so that its own keys say what an entry's attributes say: new values by name, none for those that
/// are gone. `before` is as the file has it: what the entry was not told stays.
pub(crate) fn changes(before: &Map<String, Value>, now: &Map<String, Value>) -> Vec<(String, Option<Value>)> {
    let told = kept(before.clone(), &mut Vec::new());
    let is_gone = |name: &&String| told.contains_key(&*plain(name)) && !now.contains_key(&*plain(name));
    let gone = before.keys().filter(is_gone).map(|name| (name.clone(), None));
    let said = now.iter().filter(|(name, value)| told.get(*name) != Some(value));
    gone.chain(said.map(|(name, value)| (name.clone(), Some(restored(before.get(name), value))))).collect()
}

/// How many bytes a value takes as JSON, or a few more.
fn size(value: &Value) -> usize {
    let text = |text: &str| text.len() + 2 + text.bytes().filter(|byte| b"\"\\\n\t\r".contains(byte)).count();
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 24,
        Value::String(said) => text(said),
        Value::Array(list) => list.iter().map(|value| size(value) + 1).sum::<usize>() + 2,
        Value::Object(map) => map.iter().map(|(name, value)| text(name) + size(value) + 2).sum::<usize>() + 2,
    }
}

/// How deep a value is nested.
fn levels(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(levels).max().unwrap_or_default(),
        Value::Object(map) => map.values().map(levels).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Whether a value has a depth that an entry can have.
pub(crate) fn is_shallow(value: &Value) -> bool {
    levels(value) <= ATTRIBUTE_LEVELS_MAX
}

/// Gives an item the id people use, where its native name can be one: `tables/orders` is `tables.orders`.
pub(crate) fn identify(content: &mut Map<String, Value>, name: &str) {
    if let Ok(id) = GivenId::parse(&name.replace('/', ".")) {
        content.insert("id".to_owned(), Value::from(id.as_str()));
    }
}

/// The item as the schema of its type takes it. What a field does not take is kept among the attributes; none where a field is missing
/// that its type must have.
pub(crate) fn settled(mut item: Item, notes: &mut Vec<String>) -> Option<Item> {
    loop {
        let mut content = item.content.clone();
        content.remove("id");
        let Err(faults) = ken_core::schema::read_content(item.kind, content) else { return Some(item) };
        let mut misfits = Map::new();
        for fault in &faults {
            if let Some(value) = item.content.remove(&fault.field) {
                notes.push(format!("`{}` {}; it is kept among the attributes", fault.field, fault.problem));
                misfits.insert(fault.field.clone(), value);
            }
        }
        if misfits.is_empty() {
            return None;
        }
        // Attributes that do not fit cannot be kept among themselves.
        misfits.remove("attributes");
        keep(&mut item.content, misfits, notes);
    }
}

/// Names that are given once each: the second of its kind gets a number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    last: BTreeMap<String, usize>,
}

impl Names {
    /// A name that no other has.
    pub fn free(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        while !self.taken.insert(free.clone()) {
            let number = self.last.entry(name.to_owned()).or_insert(1);
            *number += 1;
            free = format!("{name}-{number}");
        }
        free
    }
}

/// The type and sub-type that a word of another system means, where it is one of ours.
pub(crate) fn kind_of(word: &str) -> Option<(Type, Option<&'static str>)> {
    let word = one_line(word).to_lowercase().replace([' ', '-'], "_");
    let of = |kind: Type| kind.subtypes().iter().find(|subtype| **subtype == word).map(|s| (kind, Some(*s)));
    match Type::from_word(&word) {
        Some(Type::Friction | Type::Relationship) => None,
        Some(kind) => Some((kind, None)),
        None => of(Type::Experience).or_else(|| of(Type::Skill)),
    }
}

/// The field that holds the claim of a type.
pub(crate) fn claim_field(kind: Type) -> &'static str {
    match kind {
        Type::Entity => "description",
        Type::CommitNorm | Type::PrExpectation | Type::UserExpectation | Type::RiskTier => "rule",
        Type::Spike => "hypothesis",
        Type::Relationship
        | Type::Skill
        | Type::Experience
        | Type::Lesson
        | Type::Pattern
        | Type::Incident
        | Type::FalsePositive
        | Type::Friction
        | Type::Signal
        | Type::Run
        | Type::Observation => "statement",
    }
}

/// The names that a claim has among the fields of an entry.
pub(crate) const CLAIMS: &[&str] = &["statement", "rule", "description", "hypothesis"];

/// The claim of an entry on one line.
pub(crate) fn claim_of(fields: &Fields) -> String {
    one_line(&fields.statement())
}

/// The claim of an entry where it changed.
pub(crate) fn new_claim(now: &Outgoing<'_>) -> Option<String> {
    CLAIMS.iter().any(|name| now.has_changed(name)).then(|| claim_of(now.fields))
}

/// What changed of an entry, and was not said.
pub(crate) fn unsaid(now: &Outgoing<'_>, said: &[&str]) -> Vec<String> {
    now.changed.iter().filter(|name| !said.contains(&name.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_taken_apart() {
        let table = [
            ("# T\n\nOne. Two.\n\nMore.\n", "# T\n\n", "One. Two.", "\n\nMore.\n"),
            ("A. B. C. D.\nE.\n", "", "A. B. C.", " D.\nE.\n"),
            ("T\n===\n\n- first\n- second\n", "T\n===\n\n- ", "first", "\n- second\n"),
            ("```\ncode\n```\n", "", "", "```\ncode\n```\n"),
            ("wrapped\nover\n# H\n", "", "wrapped\nover", "\n# H\n"),
            ("", "", "", ""),
        ];
        for (text, head, claim, rest) in table {
            assert_eq!(Body::parse(text), Body { head, claim, rest }, "{text:?}");
        }
    }

    #[test]
    fn a_body_says_something_else() {
        let table = [
            ("# T\n\nOld.\n\nMore.\n", Some("New."), None, "# T\n\nNew.\n\nMore.\n"),
            ("A. B. C. D.\n", Some("N."), None, "N.\n\nD.\n"),
            ("# T\n```\nx\n```\n", Some("N."), None, "# T\n\nN.\n\n```\nx\n```\n"),
            ("Old.\n\nMore.\n", None, Some("Less.\n\nLeast."), "Old.\n\nLess.\n\nLeast.\n"),
            ("Old.\r\n\r\nMore.\r\n", None, Some(""), "Old.\r\n"),
            ("- a\n- b\n", Some("c"), None, "- c\n- b\n"),
        ];
        for (text, statement, detail, now) in table {
            let end = crate::front::line_end(text);
            assert_eq!(Body::parse(text).with(statement, detail, end), now, "{text:?}");
        }
    }

    #[test]
    fn what_is_too_much_for_an_entry_is_told() {
        let deep = (0..60).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        let long = Value::from("x".repeat(ATTRIBUTES_BYTES_MAX));
        let own =
            [("bare", Value::Null), ("deep", deep), ("long", long), ("last", Value::from("/home/ada/x"))];
        let own = own.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let mut notes = Vec::new();
        let mut content = Map::new();
        keep(&mut content, own, &mut notes);
        assert_eq!(content["attributes"], serde_json::json!({"bare": null, "last": "[path]"}));
        assert_eq!(notes.len(), 2, "{notes:?}");
    }

    // STO-9: what rests on a file of one machine rests on nothing that others could look at.
    #[test]
    fn evidence_is_what_others_can_look_at() {
        let mut evidence = Vec::new();
        let table = [
            ("doc:src/a.rs", true),
            ("doc:src/a.rs", true),
            ("doc:/home/ada/a.rs", false),
            ("gut:feeling", false),
        ];
        for (reference, is_good) in table {
            assert_eq!(cite(&mut evidence, reference), is_good, "{reference}");
        }
        assert_eq!(evidence, ["doc:src/a.rs"]);
    }
}
