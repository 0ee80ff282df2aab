//! `note` and `friction record`: episodic records, no questions asked.

use ken_core::{Code, Refusal, Type};
use serde_json::{Map, Value};

use super::add::{AddAnswer, AddInput, add};
use crate::error::Result;
use crate::ports::{Recall, Repository, Writer};
use crate::way_in::WayIn;

/// Records an observation worth a line.
pub fn note(
    ledger: &mut dyn Recall,
    repository: &dyn Repository,
    text: &str,
    tags: &[String],
    way_in: &WayIn<'_>,
    writer: &Writer,
) -> Result<AddAnswer> {
    let mut content = Map::new();
    content.insert("statement".into(), Value::from(text));
    if !tags.is_empty() {
        content.insert("tags".into(), tags.iter().map(|tag| Value::from(tag.as_str())).collect());
    }
    let input = AddInput { kind: Some(Type::Signal.word().to_owned()), content, ..AddInput::default() };
    add(ledger, repository, input, way_in, writer)
}

/// Records something in the way. The same friction met twice is two records: what sets them apart is when.
pub fn friction(
    ledger: &mut dyn Recall,
    repository: &dyn Repository,
    kind: &str,
    context: Value,
    way_in: &WayIn<'_>,
    writer: &Writer,
) -> Result<AddAnswer> {
    let Value::Object(context) = context else {
        return Err(Refusal::new(Code::Invalid, "the context of a friction is a JSON object")
            .field("context")
            .into());
    };
    let mut content = Map::new();
    let kind = kind.replace('-', "_");
    content.insert(
        "statement".into(),
        Value::from(format!("{kind} at {}: {}", writer.now, Value::Object(context.clone()))),
    );
    content.insert("title".into(), Value::from(kind.replace('_', " ")));
    content.insert("subtype".into(), Value::from(kind));
    content.insert("context".into(), Value::Object(context));
    let input = AddInput { kind: Some(Type::Friction.word().to_owned()), content, ..AddInput::default() };
    add(ledger, repository, input, way_in, writer)
}
