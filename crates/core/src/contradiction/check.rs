//! Mechanical checks that no change can pass together (GAT-3).

use std::collections::BTreeSet;

use serde_json::Value;

/// What a check asks of a change, as far as another check can stand against it.
#[derive(Debug)]
pub(super) struct Check {
    asks: Asks,
    /// Merge, release, or both where nothing is said.
    on: Option<String>,
    tiers: BTreeSet<String>,
}

#[derive(Debug)]
enum Asks {
    /// Files that no change may touch.
    Forbid(Vec<String>),
    /// If one of the first is touched, one of the second is, too.
    Need { when: Vec<String>, need: Vec<String> },
    /// Every message matches the one, and does not match the other.
    Message { require: Option<String>, forbid: Option<String> },
    /// The same of lines in files.
    Content { files: Vec<String>, require: Option<String>, forbid: Option<String> },
}

impl Check {
    /// Reads an enforcement; nothing if it is not mechanical, is of another kind, or has exceptions of its own.
    pub fn parse(value: &Value) -> Option<Check> {
        let object = value.as_object()?;
        let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        let texts = |name: &str| -> Vec<String> {
            match object.get(name) {
                Some(Value::String(one)) => vec![one.clone()],
                Some(Value::Array(many)) => {
                    many.iter().filter_map(Value::as_str).map(str::to_owned).collect()
                }
                Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
            }
        };
        if text("kind").is_some_and(|kind| kind != "mechanical") || object.contains_key("except") {
            return None;
        }
        let asks = match text("check").or_else(|| text("rule"))?.as_str() {
            "paths" | "protected_paths" | "forbidden_paths" => Asks::Forbid(globs(texts("forbid"))),
            // What only has to exist need not be touched.
            "required_file" | "required_files" | "tests_required"
                if object.get("exists") != Some(&Value::Bool(true)) =>
            {
                Asks::Need { when: globs(texts("when")), need: globs(texts("need")) }
            }
            "commit_message" => Asks::Message { require: text("pattern"), forbid: text("forbid") },
            "signed_off" => Asks::Message { require: Some("Signed-off-by: ".to_owned()), forbid: None },
            "content" => Asks::Content {
                files: globs(texts("files")),
                require: text("require"),
                forbid: text("forbid"),
            },
            _ => return None,
        };
        Some(Check {
            asks,
            on: text("on").filter(|on| on != "both"),
            tiers: texts("tiers").into_iter().collect(),
        })
    }

    /// Two checks that stand against each other share one of these, unless the one forbids paths anywhere.
    pub fn keys(&self) -> Vec<String> {
        match &self.asks {
            Asks::Forbid(paths) | Asks::Need { need: paths, .. } => paths
                .iter()
                .filter_map(|path| first_segment(path))
                .map(|first| format!("path {first}"))
                .collect(),
            Asks::Message { require, forbid } => {
                let patterns = require.iter().chain(forbid).map(|pattern| format!("message {pattern}"));
                let begins = require.as_deref().and_then(beginning).map(|_| "message begins".to_owned());
                patterns.chain(begins).collect()
            }
            Asks::Content { require, forbid, .. } => {
                require.iter().chain(forbid).map(|pattern| format!("content {pattern}")).collect()
            }
        }
    }

    /// Whether a path is forbidden whose beginning is open.
    pub fn forbids_anywhere(&self) -> bool {
        match &self.asks {
            Asks::Forbid(paths) => paths.iter().any(|path| first_segment(path).is_none()),
            Asks::Need { .. } | Asks::Message { .. } | Asks::Content { .. } => false,
        }
    }

    /// Whether some file is needed.
    pub fn needs(&self) -> bool {
        match &self.asks {
            Asks::Need { .. } => true,
            Asks::Forbid(_) | Asks::Message { .. } | Asks::Content { .. } => false,
        }
    }
}

/// What each of two checks asks, if no change can pass both.
pub(super) fn conflict(a: &Check, b: &Check) -> Option<(String, String)> {
    let apart = matches!((&a.on, &b.on), (Some(one), Some(other)) if one != other)
        || (!a.tiers.is_empty() && !b.tiers.is_empty() && a.tiers.is_disjoint(&b.tiers));
    if apart {
        return None;
    }
    let turned = |found: Option<(String, String)>| found.map(|(one, other)| (other, one));
    match (&a.asks, &b.asks) {
        (Asks::Forbid(forbid), Asks::Need { when, need }) => paths(forbid, when, need),
        (Asks::Need { when, need }, Asks::Forbid(forbid)) => turned(paths(forbid, when, need)),
        (
            Asks::Message { require, forbid },
            Asks::Message { require: other_require, forbid: other_forbid },
        ) => pattern("messages", require.as_deref(), other_forbid.as_deref())
            .or_else(|| turned(pattern("messages", other_require.as_deref(), forbid.as_deref())))
            .or_else(|| beginnings(require.as_deref()?, other_require.as_deref()?)),
        (
            Asks::Content { files, require, forbid },
            Asks::Content { files: other_files, require: other_require, forbid: other_forbid },
        ) => {
            let meet =
                files.iter().any(|one| other_files.iter().any(|two| covers(one, two) || covers(two, one)));
            let found = pattern("files", require.as_deref(), other_forbid.as_deref())
                .or_else(|| turned(pattern("files", other_require.as_deref(), forbid.as_deref())));
            found.filter(|_| meet)
        }
        (
            Asks::Forbid(_) | Asks::Need { .. } | Asks::Message { .. } | Asks::Content { .. },
            Asks::Forbid(_) | Asks::Need { .. } | Asks::Message { .. } | Asks::Content { .. },
        ) => None,
    }
}

/// Whatever is needed is forbidden, and what it is needed for is not.
fn paths(forbid: &[String], when: &[String], need: &[String]) -> Option<(String, String)> {
    let forbidden = |path: &String| forbid.iter().any(|glob| covers(glob, path));
    let idle = !when.is_empty() && when.iter().all(forbidden);
    if need.is_empty() || idle || !need.iter().all(forbidden) {
        return None;
    }
    let needed = match when {
        [] => format!("needs {}", quoted(need)),
        when => format!("needs {} with a change of {}", quoted(need), quoted(when)),
    };
    Some((format!("forbids {}", quoted(forbid)), needed))
}

fn pattern(what: &str, require: Option<&str>, forbid: Option<&str>) -> Option<(String, String)> {
    let pattern = require.filter(|pattern| Some(*pattern) == forbid && !pattern.is_empty())?;
    Some((
        format!("asks of {what} that they match `{pattern}`"),
        format!("asks of {what} that they do not match `{pattern}`"),
    ))
}

/// Two ways to begin a message, of which no message has both.
fn beginnings(one: &str, other: &str) -> Option<(String, String)> {
    let (first, second) = (beginning(one)?, beginning(other)?);
    let differ = first.chars().zip(second.chars()).any(|(one, other)| one != other);
    differ.then(|| {
        (
            format!("asks of messages that they match `{one}`"),
            format!("asks of messages that they match `{other}`"),
        )
    })
}

/// The letters with which everything begins that a pattern matches.
fn beginning(pattern: &str) -> Option<String> {
    let rest = pattern.strip_prefix('^').filter(|rest| !rest.contains('|'))?;
    let mut found: Vec<char> = Vec::new();
    for sign in rest.chars() {
        match sign {
            '?' | '*' | '{' => {
                found.pop();
                break;
            }
            sign if sign.is_alphanumeric() || matches!(sign, ' ' | ':' | '#' | '-' | '_' | '/') => {
                found.push(sign)
            }
            _ => break,
        }
    }
    (!found.is_empty()).then(|| found.into_iter().collect())
}

fn quoted(paths: &[String]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" or ")
}

/// A folder stands for what is in it.
fn globs(paths: Vec<String>) -> Vec<String> {
    let whole = |path: String| {
        let path = path.trim_start_matches("./").to_owned();
        if path.ends_with('/') { format!("{path}**") } else { path }
    };
    paths.into_iter().map(whole).filter(|path| !path.is_empty()).collect()
}

/// The folder or file that a path begins with, where it is named.
fn first_segment(path: &str) -> Option<&str> {
    path.split('/').next().filter(|first| !first.contains(['*', '?', '[', '{']))
}

/// Whether a glob covers all that another one does; no, where that cannot be told.
fn covers(glob: &str, other: &str) -> bool {
    let parts: Vec<&str> = glob.split('/').collect();
    let others: Vec<&str> = other.split('/').collect();
    let (mut part, mut at) = (0, 0);
    // Where the last `**` stands, and how much it has taken: only that one has to be tried again, so no glob takes long.
    let mut star: Option<(usize, usize)> = None;
    while at < others.len() {
        match parts.get(part) {
            Some(&"**") => {
                star = Some((part, at));
                part += 1;
            }
            Some(segment) if segment_covers(segment, others[at]) => {
                part += 1;
                at += 1;
            }
            Some(_) | None => {
                let Some((stands, taken)) = star else { return false };
                star = Some((stands, taken + 1));
                (part, at) = (stands + 1, taken + 1);
            }
        }
    }
    parts[part..].iter().all(|rest| *rest == "**")
}

fn segment_covers(part: &str, other: &str) -> bool {
    let wild = |text: &str| text.contains(['*', '?', '[', '{']);
    if part == other {
        return true;
    }
    if other == "**" {
        return false;
    }
    match part.split_once('*') {
        None => false,
        Some(("", "")) => true,
        // One star and letters: enough for `*.md`.
        Some((head, tail)) if !wild(head) && !wild(tail) && !wild(other) => {
            other.len() >= head.len() + tail.len() && other.starts_with(head) && other.ends_with(tail)
        }
        Some(_) => false,
    }
}
