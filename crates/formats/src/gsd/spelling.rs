//! How GSD spells keys, labels and words on a scale.

use ken_core::Tag;
use ken_core::kinds::DecayClass;
use serde_json::{Value, json};

use super::Kind;
use crate::front;
use crate::words::severity_word;

/// The folder of a file below that of its kind: its project, or its category.
pub(super) fn folder<'a>(path: &'a str, root: &str, kind: Kind) -> Option<&'a str> {
    path.get(root.len() + kind.folder().len() + 1..)?.split_once('/').map(|(folder, _)| folder)
}

/// A key of a new file. GSD reads nested ones, and texts with commas in them, a line each.
pub(super) fn line(key: &str, value: &Value) -> String {
    match value {
        Value::Null => format!("{key}:\n"),
        Value::Array(items) if key == "lifecycle_log" && !items.is_empty() => {
            let lines: String = items.iter().map(|item| format!("  - {item}\n")).collect();
            format!("{key}:\n{lines}")
        }
        Value::Object(map) if !map.is_empty() && map.keys().all(|key| is_plain_key(key)) => {
            let inner: String = map
                .iter()
                .map(|(key, value)| format!("  {}", line(key, value).replace("\n  ", "\n    ")))
                .collect();
            format!("{key}:\n{inner}")
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            let file = front::set("---\n---\n", key, value);
            file.strip_prefix("---\n")
                .and_then(|rest| rest.strip_suffix("---\n"))
                .unwrap_or_default()
                .to_owned()
        }
    }
}

pub(super) fn list(texts: &[String]) -> Value {
    if texts.is_empty() { Value::Null } else { json!(texts) }
}

/// A label as GSD spells it, where that is the same label.
pub(super) fn kebab(word: &str) -> String {
    let kebab = word.replace('_', "-");
    let same = |text: &str| Tag::parse(text).is_ok_and(|tag| tag.as_str() == word);
    if same(&kebab) { kebab } else { word.to_owned() }
}

pub(super) fn durability(class: DecayClass) -> &'static str {
    match class {
        DecayClass::Ephemeral => "workaround",
        DecayClass::Stable => "convention",
        DecayClass::Permanent => "principle",
    }
}

/// The word of GSD that is nearest to a number (C22).
pub(super) fn word_for(number: f64) -> &'static str {
    severity_word(number, &["critical", "notable", "minor", "trace"]).unwrap_or("notable")
}

/// A word where one says it exactly, else a share.
pub(super) fn confidence(number: f64) -> Value {
    let words = ken_core::finding::scale::CONFIDENCE_WORDS;
    let word = words.iter().find(|(_, known)| (known - number).abs() < 1e-9).map(|(word, _)| json!(word));
    word.unwrap_or_else(|| json!((number * 1e6).round() / 1e7))
}

pub(super) fn is_plain_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}
