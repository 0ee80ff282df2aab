//! Norms that say something about actions.

use ken_core::norm::{self, Check, Enforcement};
use ken_core::{Entry, Type};
use ken_engine::norms::{self, Norm};
use serde::{Deserialize, Serialize};

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
    pub(crate) messages: Option<Asked>,
    /// What has to have succeeded before a commit (COR-26).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Asked>,
}

/// The type and the enforcement of a norm that is read again where it is needed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Asked {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) enforcement: serde_json::Value,
}

/// What a norm says about actions; none where it says nothing.
pub(crate) fn bound(entry: &Entry, handle: String) -> Option<ActionNorm> {
    let kind = entry.kind.known()?;
    let (enforcement, _) = norm::read(kind, entry.fields.enforcement.as_ref()).ok()?;
    let rules: Vec<String> = enforcement.action_rules().iter().map(|rule| rule.as_str().to_owned()).collect();
    let asked = |is_so: bool| {
        let said = entry.fields.enforcement.clone().filter(|_| is_so);
        said.map(|enforcement| Asked { kind: kind.word().to_owned(), enforcement })
    };
    let messages = asked(enforcement.judges_messages());
    let before = asked(matches!(&enforcement, Enforcement::Mechanical(Check::BeforeCommit { .. })));
    (!rules.is_empty() || messages.is_some() || before.is_some()).then(|| ActionNorm {
        key: entry.key.to_string(),
        handle,
        title: entry.fields.title().into_owned(),
        rules,
        instead: enforcement.instead().map(str::to_owned),
        messages,
        before,
    })
}

impl ActionNorm {
    /// The norm as it is checked, where it asks for a command before a commit.
    pub(crate) fn before_commit(&self) -> Option<Norm> {
        self.before.as_ref()?.read(&self.handle)
    }

    /// The norm as it is checked, where it judges the messages of commits.
    pub(crate) fn of_messages(&self) -> Option<Norm> {
        self.messages.as_ref()?.read(&self.handle)
    }
}

impl Asked {
    fn read(&self, handle: &str) -> Option<Norm> {
        norms::Norm::read(handle, Type::from_word(&self.kind)?, Some(&self.enforcement)).ok()
    }
}
