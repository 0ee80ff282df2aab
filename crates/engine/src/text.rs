//! What an entry is found by: the words it is looked up with, the text its meaning is taken from, and where it came from.

use ken_core::{Entry, Fields};
use serde_json::Value;

use crate::limits::text::{DETAIL_CHARS_MAX, MEANING_CHARS_MAX};

/// The text whose words an entry is found by: everything it says, what it is called, and where it points.
pub fn words_of(entry: &Entry) -> String {
    let fields = &entry.fields;
    let mut text = String::with_capacity(512);
    let mut say = |part: &str| {
        if !part.is_empty() {
            text.push_str(part);
            text.push('\n');
        }
    };
    let single = [
        &fields.title,
        &fields.name,
        &fields.statement,
        &fields.rule,
        &fields.description,
        &fields.hypothesis,
        &fields.summary,
        &fields.decision,
        &fields.subject,
        &fields.from,
        &fields.relation,
        &fields.to,
    ];
    single.into_iter().flatten().for_each(|part| say(part));
    if let Some(detail) = &fields.detail {
        say(detail.char_indices().nth(DETAIL_CHARS_MAX).map_or(detail, |(end, _)| &detail[..end]));
    }
    fields.tags.iter().chain(&fields.domains).for_each(|label| say(label.as_str()));
    fields.anchors.iter().for_each(|anchor| say(&anchor.at));
    fields.examples.iter().chain(&fields.exceptions).for_each(|part| say(part));
    let mut own = Vec::new();
    fields.attributes.values().chain(fields.context.values()).for_each(|value| gather(value, &mut own));
    own.iter().for_each(|part| say(part));
    if let Some(id) = &entry.given_id {
        say(id.as_str());
    }
    text
}

/// Names by which an entry is found whole and never in parts: its short citation, the day and the month it was stated.
pub fn names_of(entry: &Entry) -> Vec<String> {
    let date = entry.stated_at().millis().date();
    let month = date[..7].to_owned();
    entry.handle.iter().map(|handle| handle.to_lowercase()).chain([date, month]).collect()
}

/// The text whose meaning an entry is found by: what it is called, and its claim. What it is about is left out: a name that many
/// entries share would make them all alike.
pub fn meaning_of(fields: &Fields) -> String {
    let (title, statement) = (fields.title(), fields.statement());
    let repeats = title == statement || statement.starts_with(title.trim_end_matches('…'));
    let text = if repeats { statement.into_owned() } else { format!("{title}. {statement}") };
    text.char_indices().nth(MEANING_CHARS_MAX).map_or(text.as_str(), |(end, _)| &text[..end]).to_owned()
}

/// The document an entry was taken from and its place there, where that place is a number.
pub fn place_of(fields: &Fields) -> Option<(&str, u32)> {
    let document = fields.document.as_ref()?;
    Some((document.path.as_deref()?, document.position.as_deref()?.trim().parse().ok()?))
}

/// Everything a phrase may be looked for in, lower case, blanks collapsed.
pub fn phrases_of(entry: &Entry) -> String {
    let said = format!("{} {}", words_of(entry), names_of(entry).join(" "));
    said.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn gather(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Number(number) => into.push(number.to_string()),
        Value::Array(list) => list.iter().for_each(|item| gather(item, into)),
        Value::Object(map) => map.values().for_each(|item| gather(item, into)),
        Value::Null | Value::Bool(_) => {}
    }
}
