//! Norms that say something about actions (GAT-5).

use ken_core::Entry;
use ken_core::norm;
use serde::Deserialize;
use serde::Serialize;

/// A norm that says something about actions.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ActionNorm {
    pub(crate) key: String,
    pub(crate) handle: String,
    pub(crate) title: String,
    pub(crate) rules: Vec<String>,
    pub(crate) instead: Option<String>,
    /// What it asks of the messages of commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) messages: Option<AskedOfMessages>,
}

/// The type and the enforcement of a norm that judges the messages of commits.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AskedOfMessages {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) enforcement: serde_json::Value,
}

/// What a norm says about actions; none where it says nothing.
pub(crate) fn bound(entry: &Entry, handle: String) -> Option<ActionNorm> {
    let kind = entry.kind.known()?;
    let (enforcement, _) = norm::read(kind, entry.fields.enforcement.as_ref()).ok()?;
    let rules: Vec<String> = enforcement.action_rules().iter().map(|rule| rule.as_str().to_owned()).collect();
    let said = entry.fields.enforcement.clone().filter(|_| enforcement.judges_messages());
    let messages = said.map(|enforcement| AskedOfMessages { kind: kind.word().to_owned(), enforcement });
    (!rules.is_empty() || messages.is_some()).then(|| ActionNorm {
        key: entry.key.to_string(),
        handle,
        title: entry.fields.title().into_owned(),
        rules,
        instead: enforcement.instead().map(str::to_owned),
        messages,
    })
}
