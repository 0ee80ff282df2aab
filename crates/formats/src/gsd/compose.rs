//! An entry of ours in a new file of GSD.

use ken_core::Status;
use ken_core::kinds::{Relation, Scope};
use serde_json::{Value, json};

use super::read::{lines, severity};
use super::spelling::{confidence, durability, folder, is_plain_key, kebab, line, list, word_for};
use super::write::{FOLLOWING, item};
use super::{GLOBAL, Kind, category, is_native_id, located, moment};
use crate::{Outgoing, front, prose};

/// A new file.
pub(super) fn compose(path: &str, now: &Outgoing<'_>) -> String {
    let kind = now.kind.known().and_then(Kind::for_type).unwrap_or(Kind::Signal);
    let mut head = String::new();
    let mut written: Vec<String> = Vec::new();
    for (key, value) in keys(path, kind, now) {
        head += &line(key, &value);
        written.push(key.to_owned());
    }
    for (key, value) in &now.fields.attributes {
        if is_plain_key(key) && !FOLLOWING.contains(&key.as_str()) && !written.contains(key) {
            head += &line(key, value);
        }
    }
    let statement = now.fields.statement();
    let with = |body: &str| format!("---\n{head}---\n\n{}\n", lines(body).trim());
    let is_it = |text: &String| {
        item(path, text)
            .is_some_and(|item| item.content.get("statement").and_then(Value::as_str) == Some(&statement))
    };
    // A detail that came from a body of GSD is that body.
    let own = now.fields.detail.as_deref().filter(|detail| detail.contains("## ")).map(with).filter(is_it);
    let mut text = own.unwrap_or_else(|| with(&sections(kind, now)));
    let texts = [
        ("title", &now.fields.title),
        ("hypothesis", &now.fields.hypothesis),
        ("decision", &now.fields.decision),
    ];
    let texts = texts.into_iter().filter_map(|(field, text)| text.as_deref().map(|text| (field, text)));
    for (field, wanted) in texts.chain([("statement", &*statement)]) {
        let is = item(path, &text)
            .and_then(|item| item.content.get(field).and_then(Value::as_str).map(str::to_owned));
        let has_field = kind == Kind::Spike || matches!(field, "title" | "statement");
        if has_field && is.as_deref() != Some(wanted) {
            text = front::set(&text, field, &json!(wanted));
        }
    }
    text
}

/// The keys of a new file, in the order of GSD's templates.
fn keys(path: &str, kind: Kind, now: &Outgoing<'_>) -> Vec<(&'static str, Value)> {
    let fields = now.fields;
    let own = |key: &str, default: Value| {
        fields.attributes.get(key).filter(|value| !value.is_null()).cloned().unwrap_or(default)
    };
    let stem = prose::stem(path);
    let date = now.created.date();
    let id = match kind {
        _ if is_native_id(now.id) => now.id.to_owned(),
        Kind::Reflection => stem.to_owned(),
        Kind::Signal => format!("sig-{stem}"),
        Kind::Spike | Kind::Lesson => format!("{}-{date}-{stem}", kind.prefix()),
    };
    let folder =
        located(path).and_then(|(root, kind)| folder(path, root, kind)).filter(|_| kind != Kind::Lesson);
    let project = match fields.scope() {
        Scope::Global => json!(GLOBAL),
        Scope::Project | Scope::Thread => own("project", folder.map_or(Value::Null, |folder| json!(folder))),
    };
    let is_current = match now.status {
        Status::Archived | Status::Retracted | Status::Superseded | Status::Rejected => false,
        Status::Candidate | Status::Active | Status::Verified | Status::Stale => true,
    };
    let tags: Vec<String> = fields.tags.iter().map(|tag| kebab(tag.as_str())).collect();
    let ties: Vec<&String> = now
        .ties
        .iter()
        .filter(|(relation, _)| *relation == Relation::RelatesTo)
        .map(|(_, name)| name)
        .collect();
    let mut keys = vec![
        ("id", json!(id)),
        ("type", json!(kind.word())),
        ("project", project),
        ("tags", json!(tags)),
        ("created", json!(moment(now.created))),
        ("updated", json!(moment(now.updated))),
        ("durability", json!(durability(fields.decay_class()))),
        ("status", json!(if is_current { "active" } else { "archived" })),
    ];
    let word = fields
        .severity_word
        .clone()
        .filter(|word| severity(word) == fields.severity || fields.severity.is_none());
    let severity = word.or(fields.severity.map(|number| word_for(number).to_owned()));
    match kind {
        Kind::Signal => {
            let cited: Vec<String> = now
                .citations
                .iter()
                .map(|citation| format!("{}:{}", citation.evidence_type.word(), citation.evidence_ref))
                .collect();
            let subtype = fields.subtype.as_deref().map_or_else(|| "custom".to_owned(), kebab);
            let polarity = fields.polarity.map_or("neutral", |polarity| polarity.word());
            let at = moment(now.created);
            keys.extend([
                ("severity", json!(severity.as_deref().unwrap_or("minor"))),
                ("signal_type", json!(subtype)),
                ("polarity", json!(polarity)),
                ("occurrence_count", own("occurrence_count", json!(1))),
                ("related_signals", json!(ties)),
                ("lifecycle_state", own("lifecycle_state", json!("detected"))),
                ("lifecycle_log", own("lifecycle_log", json!([format!("created->detected by ken at {at}")]))),
                ("evidence", own("evidence", json!({"supporting": cited, "counter": []}))),
                ("confidence", fields.confidence.map_or_else(|| json!("medium"), confidence)),
            ]);
        }
        Kind::Spike => {
            let hypothesis = fields.hypothesis.clone().unwrap_or_else(|| fields.statement().into_owned());
            keys.extend([
                ("hypothesis", json!(hypothesis)),
                ("outcome", json!(fields.outcome.map_or("inconclusive", |outcome| outcome.word()))),
                ("rounds", json!(fields.rounds.unwrap_or(1))),
                ("verification", list(&fields.verification)),
            ]);
        }
        Kind::Lesson => {
            keys.extend([
                ("category", json!(category(now))),
                ("evidence_count", own("evidence_count", json!(now.citations.len()))),
                ("evidence", own("evidence", json!(ties))),
                ("confidence", fields.confidence.map_or_else(|| json!("medium"), confidence)),
                ("severity", severity.map_or(Value::Null, Value::from)),
                ("verification", list(&fields.verification)),
            ]);
        }
        Kind::Reflection => keys.push(("scope", own("scope", json!("project")))),
    }
    if kind != Kind::Signal {
        keys.push(("polarity", fields.polarity.map_or(Value::Null, |polarity| json!(polarity.word()))));
    }
    keys.push(("depends_on", list(&fields.depends_on)));
    keys.push(("superseded_by", now.superseded_by.as_ref().map_or(Value::Null, |by| json!(by))));
    keys.retain(|(_, value)| !value.is_null());
    keys
}

/// The sections that GSD's templates have.
fn sections(kind: Kind, now: &Outgoing<'_>) -> String {
    let fields = now.fields;
    let statement = fields.statement();
    let detail = fields.detail.as_deref().unwrap_or_default().trim();
    let places: Vec<String> = fields.anchors.iter().map(|anchor| format!("`{}`", anchor.at)).collect();
    let seen = if places.is_empty() { String::new() } else { format!("Seen at {}.", places.join(", ")) };
    let cited: String = now
        .citations
        .iter()
        .map(|citation| format!("- {}:{}\n", citation.evidence_type.word(), citation.evidence_ref))
        .collect();
    let context =
        [detail, &seen].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    let decision = fields.decision.as_deref().unwrap_or_default();
    let parts: Vec<(&str, &str)> = match kind {
        Kind::Signal => vec![("What Happened", &statement), ("Context", &context), ("Potential Cause", "")],
        Kind::Spike => vec![
            ("Hypothesis", &statement),
            ("Experiment", ""),
            ("Results", &context),
            ("Decision", decision),
            ("Consequences", ""),
        ],
        Kind::Lesson => vec![
            ("Lesson", &statement),
            ("When This Applies", &context),
            ("Recommendation", ""),
            ("Evidence", &cited),
        ],
        Kind::Reflection => vec![("Summary", &statement), ("Details", &context)],
    };
    let one = |(title, text): &(&str, &str)| {
        let text = if text.trim().is_empty() { "Not recorded." } else { text.trim() };
        format!("## {title}\n\n{text}\n\n")
    };
    parts.iter().map(one).collect()
}
