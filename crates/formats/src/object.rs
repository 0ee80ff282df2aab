//! JSON in its own bytes: where the members of an object and of a list stand, and an object in which one member says something else.

use std::ops::Range;

use serde_json::Value;

/// A member of an object, by its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub name: String,
    /// From the quote before its name to the end of its value.
    pub whole: Range<usize>,
    pub value: Range<usize>,
}

/// The members of an object. The text is known to be valid JSON.
pub(crate) fn members(text: &str) -> Vec<Member> {
    let mut members = Vec::new();
    let mut scan = Scan { text, at: 0 };
    if scan.next() != Some(b'{') {
        return members;
    }
    scan.at += 1;
    while scan.next() == Some(b'"') {
        let name = scan.value();
        if scan.next() != Some(b':') {
            break;
        }
        scan.at += 1;
        let value = scan.value();
        let word = serde_json::from_str(&text[name.clone()]).unwrap_or_default();
        members.push(Member { name: word, whole: name.start..value.end, value });
        if scan.next() == Some(b',') {
            scan.at += 1;
        }
    }
    members
}

/// The members of a list. The text is known to be valid JSON.
pub(crate) fn elements(text: &str) -> Vec<Range<usize>> {
    let mut elements = Vec::new();
    let mut scan = Scan { text, at: 0 };
    if scan.next() != Some(b'[') {
        return elements;
    }
    scan.at += 1;
    while scan.next().is_some_and(|byte| byte != b']') {
        let value = scan.value();
        if value.is_empty() {
            break;
        }
        elements.push(value);
        if scan.next() == Some(b',') {
            scan.at += 1;
        }
    }
    elements
}

/// An object in which one member says something else; null takes it out.
pub(crate) fn set(text: &str, name: &str, value: &Value) -> String {
    if value.is_null() { without(text, name) } else { put(text, name, value) }
}

/// An object in which one member says something else, where it stands. A new member goes last, and no other byte changes.
pub(crate) fn put(text: &str, name: &str, value: &Value) -> String {
    let members = members(text);
    // Of two members with one name the last counts.
    if let Some(member) = members.iter().rfind(|member| member.name == name) {
        let place = &member.value;
        return format!("{}{value}{}", &text[..place.start], &text[place.end..]);
    }
    let name = Value::from(name);
    match (members.first(), members.last()) {
        (Some(first), Some(last)) => {
            let before = &text[..first.whole.start];
            let gap = &before[before.rfind('{').map_or(0, |at| at + 1)..];
            let colon = &text[first.whole.start..first.value.start];
            let blank = if colon.ends_with(' ') { " " } else { "" };
            let gap = if gap.is_empty() { blank } else { gap };
            let (head, tail) = text.split_at(last.whole.end);
            format!("{head},{gap}{name}:{blank}{value}{tail}")
        }
        _ => match text.find('{') {
            Some(at) => format!("{}{name}:{value}{}", &text[..=at], &text[at + 1..]),
            None => text.to_owned(),
        },
    }
}

/// An object without a member, and without the comma beside it.
fn without(text: &str, name: &str) -> String {
    let members = members(text);
    let Some(at) = members.iter().rposition(|member| member.name == name) else { return text.to_owned() };
    let gone = match (at.checked_sub(1).map(|at| &members[at]), members.get(at + 1)) {
        (_, Some(next)) => members[at].whole.start..next.whole.start,
        (Some(before), None) => before.whole.end..members[at].whole.end,
        (None, None) => members[at].whole.clone(),
    };
    format!("{}{}", &text[..gone.start], &text[gone.end..])
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    /// The next byte that is no blank.
    fn next(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over one value.
    fn value(&mut self) -> Range<usize> {
        self.next();
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'"' => self.string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth == 0 => break,
                b'}' | b']' => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b':' if depth == 0 => break,
                byte if byte.is_ascii_whitespace() && depth == 0 => break,
                _ => self.at += 1,
            }
            if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
                break;
            }
        }
        start..self.at
    }

    fn string(&mut self) {
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(byte) = bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at = (self.at + 1).min(bytes.len()),
                b'"' => break,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_member_changes_and_no_other_byte() {
        let text = r#"{"a": "x\"}", "b" :[1,{"c":2}],"d":null}"#;
        let names: Vec<_> =
            members(text).into_iter().map(|member| (member.name, text[member.value].to_owned())).collect();
        assert_eq!(
            names,
            [
                ("a".to_owned(), r#""x\"}""#.to_owned()),
                ("b".to_owned(), r#"[1,{"c":2}]"#.to_owned()),
                ("d".to_owned(), "null".to_owned())
            ]
        );
        assert_eq!(set(text, "b", &json!("y")), r#"{"a": "x\"}", "b" :"y","d":null}"#);
        assert_eq!(set(text, "d", &Value::Null), r#"{"a": "x\"}", "b" :[1,{"c":2}]}"#);
        assert_eq!(set(text, "a", &Value::Null), r#"{"b" :[1,{"c":2}],"d":null}"#);
        assert_eq!(set(text, "e", &json!(true)), r#"{"a": "x\"}", "b" :[1,{"c":2}],"d":null, "e": true}"#);
        assert_eq!(set("{\n  \"a\": 1\n}", "b", &json!(2)), "{\n  \"a\": 1,\n  \"b\": 2\n}");
        assert_eq!(set("{}", "b", &json!(2)), r#"{"b":2}"#);
        let list = r#"[ {"a":1} , [2], "x,y" ]"#;
        let parts: Vec<_> = elements(list).into_iter().map(|range| &list[range]).collect();
        assert_eq!(parts, [r#"{"a":1}"#, "[2]", "\"x,y\""]);
    }
}
