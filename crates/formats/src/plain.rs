//! Text as an entry may keep it: no path of one machine (STO-9), no character that a terminal trips over.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

/// What stands for a path of one machine.
pub(crate) const PATH: &str = "[path]";

/// Folders below which a machine, or somebody on it, keeps things of its own. What lies below `/usr`, `/etc` or `/dev` is the same for
/// many, and `/api/orders` is no path at all.
const ROOTS: &str =
    "home|Users|root|tmp|var|opt|mnt|media|srv|private|Volumes|workspaces?|export/home|[a-zA-Z]/Users";

// The first group is what comes before a path; a URL or a relative path has a letter or a slash there.
static ABSOLUTE: LazyLock<Regex> = LazyLock::new(|| {
    let rest = r#"[^\s"'`<>|()\[\]{},;]"#;
    let unix = format!(r"/(?:{ROOTS})/{rest}+");
    let drive = format!(r#"[A-Za-z]:(?:\\{rest}*|/[^\s"'`<>|()\[\]{{}},;/]{rest}*)"#);
    let share = format!(r"\\\\[A-Za-z0-9][A-Za-z0-9._-]+\\{rest}+");
    Regex::new(&format!(r"(^|[^\p{{L}}\p{{N}}_./~\\-])(?:file:/{rest}*|{unix}|{drive}|{share})"))
        .expect("the pattern is right")
});

// Most texts have none of these, and looking for fixed words is quick.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    let roots =
        "/home/|/Users/|/root/|/tmp/|/var/|/opt/|/mnt/|/media/|/srv/|/private/|/Volumes/|/workspaces?/";
    Regex::new(&format!(r"{roots}|:\\|:/|\\\\")).expect("the pattern is right")
});

/// A text without paths of one machine and without control characters.
pub fn plain(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
    // Bytes are quicker to look at than characters; 0xC2 begins those from U+0080 on.
    let may = |byte: u8| byte < b' ' && !matches!(byte, b'\n' | b'\t' | b'\r') || matches!(byte, 0x7f | 0xc2);
    if text.bytes().any(may) && text.contains(is_odd) {
        return Cow::from(plain(&text.replace(is_odd, "")).into_owned());
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

/// The same for every text in a value, names included. What is plain already is not copied.
pub(crate) fn plain_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(plain_text(text)),
        Value::Array(items) => items.into_iter().map(plain_value).collect(),
        Value::Object(map) => {
            let one = |(key, value): (String, Value)| (plain_text(key), plain_value(value));
            Value::Object(map.into_iter().map(one).collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// The same for a text that nobody else needs.
pub(crate) fn plain_text(text: String) -> String {
    match plain(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plainer) => plainer,
    }
}

/// A value as a file should say it: what an entry was not told is as the file had it, and the rest is as it is now.
pub(crate) fn restored(before: Option<&Value>, now: &Value) -> Value {
    match (before, now) {
        (Some(before), now) if plain_value(before.clone()) == *now => before.clone(),
        (Some(Value::Array(before)), Value::Array(now)) => {
            let one = |(at, now): (usize, &Value)| {
                let same = before.iter().find(|before| plain_value((*before).clone()) == *now);
                same.cloned().unwrap_or_else(|| restored(before.get(at), now))
            };
            now.iter().enumerate().map(one).collect()
        }
        (Some(Value::Object(before)), Value::Object(now)) => {
            now.iter().map(|(name, now)| (name.clone(), restored(before.get(name), now))).collect()
        }
        (Some(_) | None, now) => now.clone(),
    }
}

/// A text in which lines that nobody changed are as they were before, with the paths that an entry is not told.
pub(crate) fn restored_lines(before: &str, now: &str) -> String {
    let told: Vec<(String, &str)> = before
        .lines()
        .filter_map(|line| {
            let told = plain(line);
            (told != line).then(|| (told.into_owned(), line))
        })
        .collect();
    let line = |line: &str| {
        told.iter().find(|(known, _)| known == line).map_or(line.to_owned(), |(_, raw)| (*raw).to_owned())
    };
    now.replace("\r\n", "\n").split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The same without blanks around it.
pub(crate) fn trimmed(text: &str) -> String {
    plain(text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sto_9_a_path_of_one_machine_is_named_and_not_told() {
        let table = [
            ("see /home/ann/x/y.md, then", "see [path], then"),
            ("see /home/ann/x. Then", "see [path]. Then"),
            ("`/Users/ann/a b`", "`[path] b`"),
            ("C:\\Users\\ann\\x.rs failed", "[path] failed"),
            ("D:/shop/x.rs", "[path]"),
            ("file:///data/ann/x", "[path]"),
            ("\\\\host\\share\\x", "[path]"),
            ("/srv/decapod/data", "[path]"),
            ("/c/Users/ann/x and /mnt/c/x", "[path] and [path]"),
            ("--at=/tmp/x (/var/lib/y) {/workspace/z}", "--at=[path] ([path]) {[path]}"),
            ("https://example.org/home/x", "https://example.org/home/x"),
            ("run /gsd:signal or src/home/x.rs > /dev/null", "run /gsd:signal or src/home/x.rs > /dev/null"),
            ("~/.claude/x and/or y, /usr/bin/env", "~/.claude/x and/or y, /usr/bin/env"),
            ("GET /api/v1/users, /home and /tmp/", "GET /api/v1/users, /home and /tmp/"),
            ("file:src/a.rs#L3, 1:/x, \\d+\\s", "file:src/a.rs#L3, 1:/x, \\d+\\s"),
            ("/tables/orders.md", "/tables/orders.md"),
            ("a\u{0}b\u{1b}c\n", "abc\n"),
            ("/ho\u{0}me/ann/x", "[path]"),
        ];
        for (text, expected) in table {
            assert_eq!(plain(text), expected);
            assert_eq!(plain(expected), expected, "twice is once");
        }
    }

    #[test]
    fn what_was_not_told_comes_back() {
        let before = json!({"at": "/home/ann/x", "all": ["a", "/tmp/b", {"c": "/tmp/d", "e": 1}], "f": null});
        let mut now = plain_value(before.clone());
        assert_eq!(restored(Some(&before), &now), before);
        now["all"] = json!(["[path]", {"c": "[path]", "e": 2}]);
        now["g"] = json!("[path]");
        let expected = json!({"at": "/home/ann/x", "all": ["/tmp/b", {"c": "[path]", "e": 2}], "f": null, "g": "[path]"});
        assert_eq!(restored(Some(&before), &now), expected);
        let before = "in /tmp/x\r\nfor `/tmp/y`\r\n";
        assert_eq!(restored_lines(before, "new\nin [path]\nfor [path]"), "new\nin /tmp/x\nfor [path]");
    }
}
