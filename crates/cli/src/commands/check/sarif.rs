//! The answers of `check` as SARIF 2.1.0, which code hosts show beside the lines of a change.

use kenning::core::{Spot, Verdict};
use kenning::{CheckAnswer, Checked, DiffAnswer, Effect};
use serde_json::{Value, json};

/// Every rule: its name, what it means, and how loud it is.
const RULES: &[(&str, &str, &str)] = &[
    ("entry-broken", "An entry no longer holds.", "error"),
    ("entry-contradicted", "A condition that an entry states does not hold any more.", "error"),
    ("entry-orphaned", "Everything that an entry speaks of is gone.", "error"),
    ("entry-drifted", "Code that an entry speaks of was rewritten.", "warning"),
    ("entry-unverifiable", "It can no longer be told whether an entry holds.", "note"),
    ("entry-moved", "Code that an entry speaks of is elsewhere now.", "note"),
    ("norm-touched", "A norm speaks of a changed file.", "note"),
];

pub(super) fn of_check(answer: &CheckAnswer) -> Value {
    let results = answer.entries.iter().filter_map(|entry| {
        let rule = match entry.verdict {
            Verdict::Broken => "entry-broken",
            Verdict::Drifted => "entry-drifted",
            Verdict::Moved => "entry-moved",
            Verdict::Fresh | Verdict::Unverifiable => return None,
        };
        Some(result(rule, entry))
    });
    document(results.collect())
}

pub(super) fn of_diff(answer: &DiffAnswer) -> Value {
    let entries = answer.entries.iter().filter_map(|affected| {
        let rule = match affected.effect {
            Effect::Breaks => "entry-broken",
            Effect::Contradicts => "entry-contradicted",
            Effect::Orphans => "entry-orphaned",
            Effect::Drifts => "entry-drifted",
            Effect::Obscures => "entry-unverifiable",
            Effect::Reanchors => "entry-moved",
            Effect::Mends => return None,
        };
        Some(result(rule, &affected.entry))
    });
    let norms = answer.norms.iter().map(|norm| {
        let text = format!("{}: {}", norm.id, norm.rule);
        let file = norm.files.first().map(String::as_str).unwrap_or_default();
        one("norm-touched", &text, location(&Spot { path: Some(file.to_owned()), ..Spot::default() }), &norm.id)
    });
    document(entries.chain(norms).collect())
}

fn result(rule: &str, entry: &Checked) -> Value {
    let title = entry.title.as_deref().unwrap_or(&entry.id);
    let mut said = vec![format!("{} ({title}) is {}.", entry.handle, entry.verdict)];
    said.extend(
        entry
            .conditions
            .iter()
            .filter(|condition| condition.verdict != "holds")
            .map(|condition| format!("{} {}: {}.", condition.text, condition.verdict, condition.why)),
    );
    said.extend(entry.anchors.iter().filter(|anchor| anchor.verdict != Verdict::Fresh).map(|anchor| {
        let now = anchor.now.as_ref().map(|now| format!(", now {now}")).unwrap_or_default();
        format!("{} {}{now}: {}.", anchor.at, anchor.verdict, anchor.why)
    }));
    if !entry.chain.is_empty() {
        said.push(format!("Because of {}.", entry.chain.join(", which rests on ")));
    }
    // The place that has most to do with it; where that is gone, its file as it was called.
    let worst = entry.anchors.iter().max_by_key(|anchor| anchor.verdict);
    let spot = worst.map(|anchor| Spot::of(anchor.now.as_deref().unwrap_or(&anchor.at)));
    let spot = spot.filter(|spot| spot.path.is_some());
    let spot = spot.unwrap_or_else(|| Spot { path: Some(".kenning/INDEX.md".to_owned()), ..Spot::default() });
    one(rule, &said.join(" "), location(&spot), &entry.id)
}

fn one(rule: &str, text: &str, location: Value, entry: &str) -> Value {
    let level = RULES.iter().find(|(name, ..)| *name == rule).map_or("note", |(.., level)| level);
    json!({
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [location],
        "partialFingerprints": {"kenningEntry/v1": format!("{rule}:{entry}")},
    })
}

fn location(spot: &Spot) -> Value {
    let path = spot.path.as_deref().unwrap_or_default();
    // Code hosts show nothing without a line.
    let (from, to) = spot.lines.unwrap_or((1, 1));
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
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => address.push(char::from(byte)),
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

fn document(results: Vec<Value>) -> Value {
    let rules: Vec<Value> = RULES
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
