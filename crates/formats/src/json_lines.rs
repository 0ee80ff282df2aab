//! What formats of JSON lines share: lines that keep their bytes, members changed one at a time, and content that fits our fields.

use std::fmt;

use ken_core::limits::{DETAIL_CHARS_MAX, LIST_LEN_MAX, STATEMENT_CHARS_MAX};
use ken_core::schema::{field_names, read_content};
use ken_core::{Anchor, Fields, GivenId, Millis, Type};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::plain::{plain, plain_value};
use crate::{Item, Part, content, object, prose};

/// A line of a file.
pub(crate) struct Line<'a> {
    /// Counted from one.
    pub number: usize,
    /// All of it, line break included.
    pub text: &'a str,
    /// What it says.
    pub said: LineContent,
}

/// What a line says.
pub(crate) enum LineContent {
    Nothing,
    Object(Map<String, Value>),
    /// Something that is not a JSON object, and why.
    Wrong(String),
}

/// The lines of a file.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.split_inclusive('\n').enumerate().map(|(at, text)| {
        let number = at + 1;
        let said = match body(text) {
            "" => LineContent::Nothing,
            body => match serde_json::from_str::<Value>(body) {
                Ok(Value::Object(map)) => LineContent::Object(map),
                Ok(_) => {
                    LineContent::Wrong(format!("line {number} is not a JSON object; it is kept unchanged"))
                }
                Err(error) if error.is_eof() => {
                    LineContent::Wrong(format!("line {number} is truncated; it is kept unchanged"))
                }
                Err(_) => LineContent::Wrong(format!("line {number} is not JSON; it is kept unchanged")),
            },
        };
        Line { number, text, said }
    })
}

/// A line without what surrounds its JSON.
fn body(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim()
}

/// A text to whose end a line can be added: where its last line has no break, it gets one.
pub(crate) fn ended(text: &str) -> String {
    let mut ended = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        ended.push_str(crate::front::line_end(text));
    }
    ended
}

/// Adds text to the parts, joined with text before it.
pub(crate) fn push_text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        Some(Part::Text(before)) => before.push_str(text),
        Some(Part::Item(_)) | None => parts.push(Part::Text(text.to_owned())),
    }
}

/// A line in which one member says something else, where it stood; a new one comes last. None where the line is no object.
pub(crate) fn set(line: &str, key: &str, value: &Value) -> Option<String> {
    let body = body(line);
    let is_object = body.starts_with('{') && serde_json::from_str::<IgnoredAny>(body).is_ok();
    let start = body.as_ptr() as usize - line.as_ptr() as usize;
    let (before, after) = (&line[..start], &line[start + body.len()..]);
    is_object.then(|| format!("{before}{}{after}", object::put(body, key, value)))
}

/// The content of an entry in the making. Whatever is put here fits its field, or becomes an attribute, or a note.
pub(crate) struct Saying {
    kind: Type,
    /// Where it stands, for notes: `line 12`, `norm.commit.001`.
    place: String,
    content: Map<String, Value>,
    attributes: Map<String, Value>,
    evidence: Vec<String>,
    /// Whether the places it names are said, and not to be told from its words.
    pub is_anchored: bool,
    /// What did not fit.
    pub notes: Vec<String>,
}

impl Saying {
    /// An entry that says nothing yet.
    pub(crate) fn new(kind: Type, place: impl Into<String>) -> Saying {
        Saying {
            kind,
            place: place.into(),
            content: Map::new(),
            attributes: Map::new(),
            evidence: Vec::new(),
            is_anchored: false,
            notes: Vec::new(),
        }
    }

    /// Notes something about it.
    pub(crate) fn note(&mut self, what: impl fmt::Display) {
        self.notes.push(format!("{}: {what}", self.place));
    }

    /// Whether it says something in a field.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.content.contains_key(field)
    }

    /// The id it has in its own system, where it can be ours.
    pub(crate) fn id(&mut self, id: &str) {
        match GivenId::parse(id) {
            Ok(_) => {
                self.content.insert("id".to_owned(), Value::from(id));
            }
            Err(_) => self.attribute("id", &Value::from(id)),
        }
    }

    /// Puts a value into a field. What does not fit becomes an attribute of the same name; nothing stays nothing.
    pub(crate) fn put(&mut self, field: &str, value: &Value) {
        let value = match plain_value(value.clone()) {
            Value::Null => return,
            Value::String(text) if text.trim().is_empty() => return,
            Value::Array(list) if list.is_empty() => return,
            Value::Object(map) if map.is_empty() && field != "enforcement" => return,
            other => other,
        };
        match field {
            "tags" | "domains" => return self.labels(field, &value),
            "anchors" => return self.anchors(&value),
            _ => (),
        }
        if self.fits(field, &value) {
            self.content.insert(field.to_owned(), value);
        } else {
            self.note(format_args!("`{field}` cannot be converted; it is kept in attributes"));
            self.attribute(field, &value);
        }
    }

    fn fits(&self, field: &str, value: &Value) -> bool {
        if !field_names(self.kind).contains(&field) {
            return false;
        }
        let single = [(field.to_owned(), value.clone())].into_iter().collect();
        let fits = match read_content(self.kind, single) {
            Ok(_) => true,
            Err(faults) => faults.iter().all(|fault| fault.field != field),
        };
        fits && content::is_shallow(value)
    }

    /// Labels of a list, or of a text with commas between them.
    fn labels(&mut self, field: &str, value: &Value) {
        let mut left_out = Vec::new();
        let kept = content::tags(&words(value), &mut left_out);
        left_out.into_iter().for_each(|note| self.note(note));
        if !kept.is_empty() {
            self.content.insert(field.to_owned(), Value::from(kept));
        }
    }

    fn anchors(&mut self, value: &Value) {
        let mut kept: Vec<Value> = Vec::new();
        for place in listed(value) {
            match Anchor::parse(&place) {
                Ok(anchor) if kept.len() < LIST_LEN_MAX => {
                    let place = Value::from(anchor.at);
                    if !kept.contains(&place) && self.fits("anchors", &Value::from(vec![place.clone()])) {
                        kept.push(place);
                    }
                }
                Ok(_) => break,
                Err(why) => self.note(format_args!("an anchor is left out: {why}")),
            }
        }
        if !kept.is_empty() {
            self.content.insert("anchors".to_owned(), Value::from(kept));
        }
    }

    /// Says a text in a field of one claim; what is longer than a claim goes to `detail` as well, unless that is taken.
    pub(crate) fn state(&mut self, field: &str, text: &str) {
        let (statement, detail) = stated(&plain(text));
        if statement.is_empty() {
            return;
        }
        self.content.insert(field.to_owned(), Value::from(statement));
        if let Some(detail) = detail
            && !self.has("detail")
        {
            self.content.insert("detail".to_owned(), Value::from(detail));
        }
    }

    /// Says a text as it is where it fits its field, and else its claim.
    pub(crate) fn verbatim(&mut self, field: &str, text: Option<&str>) {
        let Some(text) = text else { return };
        let whole = plain(text);
        let value = Value::from(whole.trim());
        if self.fits(field, &value) {
            self.content.insert(field.to_owned(), value);
        } else if matches!(field, "title" | "name") {
            self.title(field, text);
        } else {
            self.state(field, text);
        }
    }

    /// A title, cut where it does not fit a line.
    pub(crate) fn title(&mut self, field: &str, text: &str) {
        let title = prose::title(&plain(text));
        if !title.trim().is_empty() {
            self.content.insert(field.to_owned(), Value::from(title));
        }
    }

    /// A summary, on one line.
    pub(crate) fn summary(&mut self, text: &str) {
        content::put(&mut self.content, "summary", text);
    }

    /// Keeps what has no field of ours, as it is.
    pub(crate) fn attribute(&mut self, name: &str, value: &Value) {
        self.attributes.insert(name.to_owned(), value.clone());
    }

    /// Something it rests on; false where that has a form that we cannot cite.
    pub(crate) fn rests_on(&mut self, reference: &str) -> bool {
        content::cite(&mut self.evidence, reference)
    }

    /// The entry. None where it does not say what its type must: then there is a note.
    pub(crate) fn item(mut self, name: &str, text: &str) -> Result<(Item, Vec<String>), Vec<String>> {
        if !self.is_anchored && !self.has("anchors") {
            let said: Vec<&str> = ["statement", "detail", "rule", "description"]
                .iter()
                .filter_map(|field| self.content.get(*field)?.as_str())
                .collect();
            let places = prose::places(&said.join("\n"));
            content::anchor(&mut self.content, places);
        }
        if self.content.get("scope").and_then(Value::as_str) == Some("thread") && !self.has("thread") {
            self.content.remove("scope");
        }
        let mut left_out = Vec::new();
        content::keep(&mut self.content, std::mem::take(&mut self.attributes), &mut left_out);
        left_out.into_iter().for_each(|note| self.note(note));
        let mut content = self.content.clone();
        content.remove("id");
        if let Err(faults) = read_content(self.kind, content) {
            let what: Vec<String> =
                faults.iter().map(|fault| format!("`{}` {}", fault.field, fault.problem)).collect();
            self.note(format_args!("{}; it is kept unchanged", what.join("; ")));
            return Err(self.notes);
        }
        let mut item = Item::new(self.kind, name, text);
        item.content = self.content;
        item.evidence = self.evidence;
        Ok((item, self.notes))
    }
}

/// A text as a claim, and all of it where it is longer than one.
pub(crate) fn stated(text: &str) -> (String, Option<String>) {
    let text = plain(text);
    let text = text.trim();
    let (claim, more) = prose::claim(text);
    let is_short = text.chars().count() <= STATEMENT_CHARS_MAX;
    if is_short && (!more || claim.is_empty()) {
        return (text.to_owned(), None);
    }
    let cut = |chars_max: usize| text.chars().take(chars_max).collect::<String>();
    let claim = if claim.is_empty() { cut(STATEMENT_CHARS_MAX) } else { claim };
    (claim.trim().to_owned(), Some(cut(DETAIL_CHARS_MAX).trim().to_owned()))
}

/// One text that says a statement and a detail, and which of the two it will not give back.
pub(crate) fn composed(fields: &Fields) -> (String, Vec<&'static str>) {
    let statement = fields.statement().trim().to_owned();
    let detail = fields.detail.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let tries = match detail {
        None => vec![statement.clone()],
        Some(detail) => vec![detail.to_owned(), format!("{statement}\n\n{detail}")],
    };
    let unsaid = |text: &String| {
        let (read, more) = stated(text);
        let mut unsaid = Vec::new();
        if read != statement {
            unsaid.push("statement");
        }
        if more.as_deref() != detail {
            unsaid.push("detail");
        }
        unsaid
    };
    let best = tries.into_iter().map(|text| (unsaid(&text), text)).min_by_key(|(unsaid, _)| {
        // The claim matters more than what explains it.
        usize::from(unsaid.contains(&"statement")) * 2 + usize::from(unsaid.contains(&"detail"))
    });
    best.map_or_else(|| (statement.clone(), Vec::new()), |(unsaid, text)| (text, unsaid))
}

/// The words of a list, or of a text with commas between them.
pub(crate) fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => {
            text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        }
        other => listed(other),
    }
}

/// The texts of a list, or one.
pub(crate) fn listed(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list
            .iter()
            .filter_map(|item| match item {
                Value::String(text) => Some(text.trim().to_owned()),
                Value::Number(number) => Some(number.to_string()),
                Value::Object(map) => map.get("at").and_then(Value::as_str).map(str::to_owned),
                Value::Null | Value::Bool(_) | Value::Array(_) => None,
            })
            .filter(|text| !text.is_empty())
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

/// A text of an object, trimmed; none where it is missing, empty or something else.
pub(crate) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// A time as a number of seconds, as `1700000000Z`, or as people write it.
pub(crate) fn time(value: &Value) -> Option<Millis> {
    let seconds = match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|seconds| seconds as i64)),
        Value::String(text) => match text.trim().strip_suffix('Z').and_then(|digits| digits.parse().ok()) {
            Some(seconds) => Some(seconds),
            None => return prose::time(text),
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }?;
    let millis = seconds.checked_mul(1000)?;
    (0..=Millis::MAX.0).contains(&millis).then_some(Millis(millis))
}

/// A time as these systems write it: `1700000000Z`.
pub(crate) fn stamp(at: Millis) -> String {
    format!("{}Z", at.seconds())
}

/// A name of 26 digits that begins with a time: the same for the same words.
pub fn ulid(at: Millis, words: &[&str]) -> String {
    const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let mut hasher = blake3::Hasher::new();
    for word in words {
        hasher.update(&(word.len() as u64).to_le_bytes());
        hasher.update(word.as_bytes());
    }
    let mut chance = [0_u8; 16];
    chance[6..].copy_from_slice(&hasher.finalize().as_bytes()[..10]);
    let mut number = (at.0.clamp(0, Millis::MAX.0) as u128) << 80 | u128::from_be_bytes(chance);
    let mut digits = [b'0'; 26];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(number & 31) as usize];
        number >>= 5;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_member_changes_where_it_stands() {
        let line = "{\"b\": 1, \"a\" : {\"b\": 2}, \"b\": \"x\"}\r\n";
        assert_eq!(set(line, "b", &json!("y")).unwrap(), line.replace("\"x\"", "\"y\""));
        assert_eq!(set(line, "c", &json!(null)).unwrap(), line.replace("\"x\"}", "\"x\", \"c\": null}"));
        assert_eq!(set("{}", "c", &json!(1)).unwrap(), "{\"c\":1}");
        assert_eq!(set("[1]", "c", &json!(1)), None);
    }

    #[test]
    fn names_begin_with_their_time() {
        let name = ulid(Millis(1_700_000_000_000), &["a", "b"]);
        assert_eq!(name.len(), 26);
        assert!(name.starts_with("01HF7YAT00"), "{name}");
        assert_eq!(name, ulid(Millis(1_700_000_000_000), &["a", "b"]));
        assert_ne!(name, ulid(Millis(1_700_000_000_000), &["ab", ""]));
    }

    #[test]
    fn times_of_all_kinds() {
        for value in [json!(1_700_000_000), json!("1700000000Z"), json!("2023-11-14T22:13:20+00:00")] {
            assert_eq!(time(&value), Some(Millis(1_700_000_000_000)), "{value}");
        }
        assert_eq!(time(&json!("99999999999999999999Z")), None);
        assert_eq!(stamp(Millis(1_700_000_000_999)), "1700000000Z");
    }
}
