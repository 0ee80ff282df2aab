//! JSON with comments, edited so that every other byte stays: parse for places, then splice.
//!
//! What is added says by its own look how it is taken away. Braces that were there and empty get a blank or two after the opening
//! one; braces that are made never do. So `cut` knows whether they go too, and no record has to be kept. Where somebody took the blank
//! away, empty braces go that could have stayed.

use std::ops::Range;

use serde_json::Value;

use super::Fault;

/// How deep a document may nest.
const DEPTH_MAX: usize = 128;

/// A value to be written, with its keys in the order they are to be read in.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Text(String),
    Number(u64),
    Bool(bool),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    pub(super) fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    /// The same without an order of keys, for comparing.
    pub(super) fn value(&self) -> Value {
        match self {
            Json::Text(text) => Value::from(text.as_str()),
            Json::Number(number) => Value::from(*number),
            Json::Bool(bool) => Value::from(*bool),
            Json::List(items) => items.iter().map(Json::value).collect(),
            Json::Object(members) => {
                members.iter().map(|(key, value)| ((*key).to_owned(), value.value())).collect()
            }
        }
    }

    /// Written out; `margin` is the indentation of the line it begins on.
    fn render(&self, style: &Style, margin: &str, on_lines: bool) -> String {
        let (open, close, parts) = match self {
            Json::Text(_) | Json::Number(_) | Json::Bool(_) => return self.value().to_string(),
            Json::List(items) => {
                // Words of a command are read as one line.
                let on_lines = on_lines && items.iter().any(|item| !matches!(item, Json::Text(_)));
                let inner = style.deeper(margin);
                let parts: Vec<String> =
                    items.iter().map(|item| item.render(style, &inner, on_lines)).collect();
                return style.enclose('[', ']', &parts, margin, on_lines);
            }
            Json::Object(members) => {
                let inner = style.deeper(margin);
                let colon = if style.spaced { ": " } else { ":" };
                let part = |(key, value): &(&str, Json)| {
                    format!("{}{colon}{}", Value::from(*key), value.render(style, &inner, on_lines))
                };
                ('{', '}', members.iter().map(part).collect::<Vec<_>>())
            }
        };
        style.enclose(open, close, &parts, margin, on_lines)
    }
}

/// How a document is written.
struct Style {
    newline: &'static str,
    indent: String,
    /// Whether a blank follows a colon.
    spaced: bool,
    /// Whether values go over several lines.
    on_lines: bool,
}

impl Style {
    fn detect(text: &str, root: Option<&Node>) -> Style {
        let newline = newline(text);
        let slots = root.map(Node::slots).unwrap_or_default();
        let Some(first) = slots.first() else {
            return Style { newline, indent: "  ".to_owned(), spaced: true, on_lines: true };
        };
        let start = root.map_or(0, |root| root.start);
        let indent = match begins_line(text, first.start) {
            true => {
                let (inner, outer) = (margin(text, first.start), margin(text, start));
                inner.strip_prefix(outer).filter(|indent| !indent.is_empty()).unwrap_or("  ").to_owned()
            }
            false => "  ".to_owned(),
        };
        let spaced = first.value.start > first.key_end + 1;
        let on_lines = text[start..root.map_or(0, |root| root.end)].contains('\n');
        Style { newline, indent, spaced, on_lines }
    }

    fn deeper(&self, margin: &str) -> String {
        format!("{margin}{}", self.indent)
    }

    fn enclose(&self, open: char, close: char, parts: &[String], margin: &str, on_lines: bool) -> String {
        if on_lines && !parts.is_empty() {
            let line = format!("{}{}", self.newline, self.deeper(margin));
            let parts = parts.join(&format!(",{line}"));
            format!("{open}{line}{parts}{}{margin}{close}", self.newline)
        } else {
            format!("{open}{}{close}", parts.join(if self.spaced { ", " } else { "," }))
        }
    }
}

/// A value with its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Object(Vec<Slot>),
    List(Vec<Slot>),
    Plain(Value),
}

/// A member of an object or an item of a list.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Empty in a list.
    pub(super) key: String,
    pub(super) start: usize,
    key_end: usize,
    pub(super) value: Node,
    comma: Option<usize>,
}

impl Node {
    pub(super) fn slots(&self) -> &[Slot] {
        match &self.kind {
            Kind::Object(slots) | Kind::List(slots) => slots,
            Kind::Plain(_) => &[],
        }
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_))
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.kind, Kind::List(_))
    }

    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Object(slots) => slots.iter().find(|slot| slot.key == key).map(|slot| &slot.value),
            Kind::List(_) | Kind::Plain(_) => None,
        }
    }

    pub(super) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Object(slots) => slots.iter().map(|slot| (slot.key.clone(), slot.value.value())).collect(),
            Kind::List(slots) => slots.iter().map(|slot| slot.value.value()).collect(),
            Kind::Plain(value) => value.clone(),
        }
    }
}

/// What is put somewhere.
pub(super) enum Addition<'a> {
    Member(&'static str, &'a Json),
    Item(&'a Json),
}

/// The document's value; none where there are only blanks and comments.
pub(super) fn parse(text: &str) -> Result<Option<Node>, Fault> {
    let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
    reader.skip()?;
    if reader.at == text.len() {
        return Ok(None);
    }
    let node = reader.value(0)?;
    reader.skip()?;
    match reader.at == text.len() {
        true => Ok(Some(node)),
        false => Err(reader.fault("unexpected text after the end of the document")),
    }
}

/// Puts something into the object or list at `path`, and makes what is missing on the way. No text is an absent file.
pub(super) fn add(text: Option<&str>, path: &[&'static str], addition: &Addition) -> Result<String, Fault> {
    let root = text.map(parse).transpose()?.flatten();
    let source = text.unwrap_or_default();
    let style = Style::detect(source, root.as_ref());
    let Some(root) = root else {
        let made = nest(path, addition).render(&style, "", true);
        return Ok(match text {
            None => format!("{made}\n"),
            Some(blank) if blank.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() => {
                format!("{blank}{made}")
            }
            Some(comments) => {
                let (bom, comments) = comments.split_at(if comments.starts_with('\u{feff}') { 3 } else { 0 });
                format!("{bom}{made} {comments}")
            }
        });
    };
    let mut node = &root;
    let mut rest = path;
    while let Some((key, after)) = rest.split_first() {
        if !node.is_object() {
            return Err(Fault::at(source, node.start, "expected an object"));
        }
        match node.get(key) {
            Some(inner) => (node, rest) = (inner, after),
            None => break,
        }
    }
    let (key, value) = match rest.split_first() {
        Some((key, after)) => (Some(*key), nest(after, addition)),
        None => match addition {
            Addition::Member(key, value) => (Some(*key), (*value).clone()),
            Addition::Item(value) => (None, (*value).clone()),
        },
    };
    match (key, &node.kind) {
        (Some(_), Kind::Object(_)) | (None, Kind::List(_)) => {}
        (Some(_), Kind::List(_) | Kind::Plain(_)) => {
            return Err(Fault::at(source, node.start, "expected an object"));
        }
        (None, Kind::Object(_) | Kind::Plain(_)) => {
            return Err(Fault::at(source, node.start, "expected a list"));
        }
    }
    let write = |margin: &str, on_lines: bool| {
        let value = value.render(&style, margin, on_lines);
        match key {
            Some(key) => format!("{}{}{value}", Value::from(key), if style.spaced { ": " } else { ":" }),
            None => value,
        }
    };
    let Some(last) = node.slots().last() else {
        let outer = margin(source, node.start);
        let inner = style.deeper(outer);
        let (head, tail) = source.split_at(node.start + 1);
        let blanks = &tail[..node.end - node.start - 2];
        let newline = style.newline;
        return Ok(match style.on_lines {
            true if blanks.is_empty() => {
                format!("{head} {newline}{inner}{}{newline}{outer}{tail}", write(&inner, true))
            }
            true if blanks.trim().is_empty() && blanks.contains('\n') => {
                format!("{head}  {newline}{inner}{}{tail}", write(&inner, true))
            }
            on_lines => format!("{head} {}{tail}", write(&inner, on_lines)),
        });
    };
    // After the last comment, so that none changes what it speaks of.
    let (end, after_line_comment) =
        last_mark(source, last.comma.map_or(last.value.end, |comma| comma + 1), node.end - 1);
    let own_line = begins_line(source, last.start);
    let indent = if own_line {
        margin(source, last.start).to_owned()
    } else {
        style.deeper(margin(source, node.start))
    };
    let below = own_line || after_line_comment;
    let entry = write(&indent, below && style.on_lines);
    let gap = match below {
        true => format!("{}{indent}", style.newline),
        false if style.spaced => " ".to_owned(),
        false => String::new(),
    };
    Ok(match last.comma {
        Some(_) => format!("{}{gap}{entry},{}", &source[..end], &source[end..]),
        None => {
            let cut = last.value.end;
            format!("{},{}{gap}{entry}{}", &source[..cut], &source[cut..end], &source[end..])
        }
    })
}

/// Writes another value where one is.
pub(super) fn replace(text: &str, place: Range<usize>, value: &Json) -> Result<String, Fault> {
    let root = parse(text)?;
    let style = Style::detect(text, root.as_ref());
    let on_lines = style.on_lines && text[place.clone()].contains('\n');
    let value = value.render(&style, margin(text, place.start), on_lines);
    Ok(format!("{}{value}{}", &text[..place.start], &text[place.end..]))
}

/// Takes a slot out of the object or list at `path`, and what was made for it. None when the file itself was made for it.
pub(super) fn cut(text: &str, path: &[Step], index: usize) -> Result<Option<String>, Fault> {
    let Some(root) = parse(text)? else { return Ok(Some(text.to_owned())) };
    let mut nodes = vec![(&root, 0)];
    for step in path {
        let (node, _) = nodes[nodes.len() - 1];
        let index = match step {
            Step::Key(key) => node.slots().iter().position(|slot| &slot.key == key),
            Step::Index(index) => (*index < node.slots().len()).then_some(*index),
        };
        let Some(index) = index else { return Ok(Some(text.to_owned())) };
        nodes.push((&node.slots()[index].value, index));
    }
    let mut index = index;
    while let Some((node, place)) = nodes.pop() {
        let slots = node.slots();
        let Some(slot) = slots.get(index) else { return Ok(Some(text.to_owned())) };
        if slots.len() > 1 {
            return Ok(Some(without(text, slots, index)));
        }
        let before = &text[node.start + 1..slot.start];
        let after = &text[slot.comma.map_or(slot.value.end, |comma| comma + 1)..node.end - 1];
        let comments = !before.trim().is_empty() || !after.trim().is_empty();
        let (blanks, line) = before.split_at(before.len() - before.trim_start_matches(' ').len());
        let on_line = line.starts_with('\n') || line.starts_with("\r\n");
        let kept = match (blanks.len(), on_line) {
            (1, false) if line.is_empty() => Some(after.to_owned()),
            (1, true) if !comments => Some(String::new()),
            (2, true) if !comments => Some(after.to_owned()),
            (_, _) if comments => Some(format!("{}{after}", before.trim_end())),
            (_, _) => None,
        };
        if let Some(kept) = kept {
            return Ok(Some(format!("{}{kept}{}", &text[..node.start + 1], &text[node.end - 1..])));
        }
        index = place;
    }
    let (before, after) = (&text[..root.start], &text[root.end..]);
    if before.is_empty() && matches!(after, "\n" | "\r\n") {
        return Ok(None);
    }
    let after = if after.trim().is_empty() { after } else { after.strip_prefix(' ').unwrap_or(after) };
    Ok(Some(format!("{before}{after}")))
}

/// A step into a document.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

fn without(text: &str, slots: &[Slot], index: usize) -> String {
    let slot = &slots[index];
    let start = text[..slot.start].trim_end_matches([' ', '\t', '\r', '\n']).len();
    if let (0, Some(comma), Some(next)) = (index, slot.comma, slots.get(1)) {
        // What is before the first one says whose the braces are.
        let end = if text[comma + 1..next.start].trim().is_empty() { next.start } else { comma + 1 };
        return format!("{}{}", &text[..slot.start], &text[end..]);
    }
    match (slot.comma, index.checked_sub(1).and_then(|before| slots[before].comma)) {
        (Some(comma), _) => format!("{}{}", &text[..start], &text[comma + 1..]),
        (None, Some(comma)) => {
            format!("{}{}{}", &text[..comma], &text[comma + 1..start.max(comma + 1)], &text[slot.value.end..])
        }
        (None, None) => format!("{}{}", &text[..start], &text[slot.value.end..]),
    }
}

fn nest(path: &[&'static str], addition: &Addition) -> Json {
    let innermost = match addition {
        Addition::Member(key, value) => Json::Object(vec![(*key, (*value).clone())]),
        Addition::Item(value) => Json::List(vec![(*value).clone()]),
    };
    path.iter().rev().fold(innermost, |inner, key| Json::Object(vec![(*key, inner)]))
}

/// The end of the last thing between two places that is no blank, and whether that is a comment up to the end of its line.
fn last_mark(text: &str, from: usize, to: usize) -> (usize, bool) {
    let mut reader = Reader { text: &text[..to], at: from };
    let (mut end, mut line) = (from, false);
    while reader.at < to {
        let rest = &text[reader.at..to];
        match rest.find(|c| !matches!(c, ' ' | '\t' | '\r' | '\n')) {
            None => break,
            Some(blanks) => reader.at += blanks,
        }
        line = text[reader.at..].starts_with("//");
        if reader.comment().is_err() {
            break;
        }
        end = reader.at;
    }
    (end, line)
}

/// The line ends of a text: those of its first line.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        Some(_) | None => "\n",
    }
}

/// The blanks at the beginning of the line of a place.
fn margin(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn begins_line(text: &str, at: usize) -> bool {
    text[..at].trim_end_matches([' ', '\t']).ends_with('\n')
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn fault(&self, what: &str) -> Fault {
        Fault::at(self.text, self.at, what)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self) -> Result<(), Fault> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => self.comment()?,
                Some(_) | None => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Fault> {
        let rest = &self.text[self.at..];
        if rest.starts_with("//") {
            let line = rest.find('\n').unwrap_or(rest.len());
            self.at += rest[..line].trim_end_matches('\r').len();
            Ok(())
        } else if let Some(inside) = rest.strip_prefix("/*") {
            let end = inside.find("*/").ok_or_else(|| self.fault("unterminated comment"))?;
            self.at += end + 4;
            Ok(())
        } else {
            Err(self.fault("unexpected `/`"))
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        if depth > DEPTH_MAX {
            return Err(self.fault("this is nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.slots(b'}', depth)?),
            Some(b'[') => Kind::List(self.slots(b']', depth)?),
            Some(b'"') => Kind::Plain(Value::from(self.string()?)),
            Some(_) => {
                let rest = &self.text[self.at..];
                let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
                let word = &rest[..word.unwrap_or(rest.len())];
                let value = serde_json::from_str(word).map_err(|_| self.fault("invalid JSON value"))?;
                self.at += word.len();
                Kind::Plain(value)
            }
            None => return Err(self.fault("unexpected end of the document")),
        };
        Ok(Node { start, end: self.at, kind })
    }

    fn string(&mut self) -> Result<String, Fault> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => return Err(self.fault("unterminated string")),
            }
        }
        let text = self.text.get(self.at..=end).ok_or_else(|| self.fault("unterminated string"))?;
        let read = serde_json::from_str(text).map_err(|_| self.fault("invalid JSON string"))?;
        self.at = end + 1;
        Ok(read)
    }

    fn slots(&mut self, close: u8, depth: usize) -> Result<Vec<Slot>, Fault> {
        let mut slots: Vec<Slot> = Vec::new();
        let mut keys = std::collections::HashSet::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(slots);
            }
            if self.peek().is_none() {
                return Err(self.fault("unexpected end of the document"));
            }
            if slots.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.fault("missing comma before this"));
            }
            let start = self.at;
            let mut key = String::new();
            if close == b'}' {
                if self.peek() != Some(b'"') {
                    return Err(self.fault("expected a name in double quotes"));
                }
                key = self.string()?;
                if !keys.insert(key.clone()) {
                    self.at = start;
                    return Err(self.fault(&format!("duplicate key {key:?}")));
                }
                self.skip()?;
                if self.peek() != Some(b':') {
                    return Err(self.fault("missing colon before this"));
                }
                self.at += 1;
            }
            let key_end = self.at.saturating_sub(1);
            self.skip()?;
            let value = self.value(depth + 1)?;
            self.skip()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            if comma.is_some() {
                self.at += 1;
            }
            slots.push(Slot { key, start, key_end, value, comma });
        }
    }
}
