//! Text as it may be kept: no path of one machine (STO-9), no character that a terminal trips over.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

/// What stands for a path of one machine.
pub(super) const PATH: &str = "[path]";

// The first group is what comes before a path; a URL or a relative path has a letter or a slash there.
static ABSOLUTE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(^|[^A-Za-z0-9_./~\\-])(?:file://)?(?:/(?:home|Users|root|tmp|var|private|Volumes|mnt|media|opt|srv|workspaces?)/[^\s"'`<>|)\],;]*|[A-Za-z]:(?:\\[^\s"'`<>|)\],;]*|/[^\s"'`<>|)\],;/][^\s"'`<>|)\],;]*)|\\\\[A-Za-z0-9._-]+\\[^\s"'`<>|)\],;]*)"#,
    )
    .expect("the pattern is right")
});

// Most texts have none of these, and looking for fixed words is quick.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"/home/|/Users/|/root/|/tmp/|/var/|/private/|/Volumes/|/mnt/|/media/|/opt/|/srv/|/workspaces?/|:\\|:/|\\\\")
        .expect("the pattern is right")
});

/// A text without paths of one machine and without control characters.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
    // Bytes are quicker to look at than characters; 0xC2 begins those from U+0080 on.
    let may = |byte: u8| byte < b' ' && !matches!(byte, b'\n' | b'\t' | b'\r') || matches!(byte, 0x7f | 0xc2);
    if text.bytes().any(may) && text.contains(is_odd) {
        return Cow::from(plain(&text.replace(is_odd, "")).into_owned());
    }
    // A value that is nothing but a path is one wherever it begins.
    if text.starts_with('/') && text[1..].contains('/') && !text.contains(char::is_whitespace) {
        return Cow::from(PATH);
    }
    if !HINT.is_match(text) {
        return Cow::from(text);
    }
    ABSOLUTE.replace_all(text, |found: &Captures<'_>| {
        // The full stop after it ends a sentence.
        let stop = &found[0][found[0].trim_end_matches(['.', ':', '!', '?']).len()..];
        format!("{}{PATH}{stop}", &found[1])
    })
}

/// The same for every text in a value.
pub(super) fn plain_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(plain(text)),
        Value::Array(items) => items.iter().map(plain_value).collect(),
        Value::Object(map) => {
            let one = |(key, value): (&String, &Value)| (plain(key).into_owned(), plain_value(value));
            Value::Object(map.iter().map(one).collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sto_9_a_path_of_one_machine_is_named_and_not_told() {
        let table = [
            ("see /home/ann/x/y.md, then", "see [path], then"),
            ("see /home/ann/x. Then", "see [path]. Then"),
            ("`/Users/ann/a b`", "`[path] b`"),
            ("C:\\Users\\ann\\x.rs failed", "[path] failed"),
            ("D:/work/x.rs", "[path]"),
            ("file:///home/ann/x", "[path]"),
            ("/anything/else.md", "[path]"),
            ("\\\\host\\share\\x", "[path]"),
            ("https://example.org/home/x", "https://example.org/home/x"),
            ("run /gsd:signal or src/home/x.rs > /dev/null", "run /gsd:signal or src/home/x.rs > /dev/null"),
            ("~/.claude/x and/or y", "~/.claude/x and/or y"),
            ("a\u{0}b\u{1b}c\n", "abc\n"),
        ];
        for (text, expected) in table {
            assert_eq!(plain(text), expected);
        }
    }
}
