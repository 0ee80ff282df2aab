//! SARIF 2.1.0, which code hosts show beside the lines of a change.

use serde_json::{Value, json};

/// A rule: its name, what it means, and how loud it is.
pub(super) type Rule = (&'static str, &'static str, &'static str);

/// One finding: by which rule, in which words, at which path and lines, about which entry.
pub(super) fn result(
    rules: &[Rule],
    rule: &str,
    text: &str,
    place: (&str, Option<(u32, u32)>),
    about: &str,
) -> Value {
    let level = rules.iter().find(|(name, ..)| *name == rule).map_or("note", |(.., level)| level);
    json!({
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [location(place.0, place.1)],
        "partialFingerprints": {"kenningEntry/v1": format!("{rule}:{about}")},
    })
}

fn location(path: &str, lines: Option<(u32, u32)>) -> Value {
    // Code hosts show nothing without a line.
    let (from, to) = lines.unwrap_or((1, 1));
    json!({"physicalLocation": {
        "artifactLocation": {"uri": encoded(path), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": from, "endLine": to},
    }})
}

/// A path as a relative address.
fn encoded(path: &str) -> String {
    let mut address = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => {
                address.push(char::from(byte))
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

/// The document that holds findings.
pub(super) fn document(rules: &[Rule], results: Vec<Value>) -> Value {
    let rules: Vec<Value> = rules
        .iter()
        .map(|(name, about, level)| {
            json!({
                "id": name,
                "shortDescription": {"text": about},
                "defaultConfiguration": {"level": level},
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "Kenning", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}
