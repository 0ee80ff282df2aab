//! What a reviewer found, as every scale and format comes out (REV-6).

use serde::{Deserialize, Serialize};

mod faults;
mod issue;
pub mod matching;
pub mod merge;
pub mod read;
pub mod scale;
mod stance;

pub use matching::{KnownEntry, Match, Sought, matching};
pub use merge::{Group, ReportedFinding, convergence, is_durable, kind_of, merge};

pub use read::{Report, read};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Finding {
    /// The reporter's own name for it: `SA-001`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it is, in a line.
    pub title: String,
    /// What it is, at length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where it is: `path`, `path:47`, `path:47-52`, `path#symbol`. The first is the place, the others are evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// The part of a document it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// How bad, 0 to 10.
    pub severity: f64,
    /// The word of the original scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity_word: Option<String>,
    /// How sure, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// What sort of thing it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Somebody decided that it is none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dismissed: bool,
    /// The agent itself says that it had been told. Its word can only downgrade (REV-2).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub primed: bool,
    /// Whether it is more than a single case; left out where nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable: Option<bool>,
    /// One to three steps that show whether it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<String>,
    /// What it rests on, in words: a quotation, the output of a command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// The agent, where the report itself says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The family of the agent's model, where the report itself says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The project it belongs to, where the report itself says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

impl Finding {
    /// The claim: the text where there is one, else the title.
    pub fn statement(&self) -> &str {
        self.text.as_deref().filter(|text| !text.trim().is_empty()).unwrap_or(&self.title)
    }

    /// The text whose meaning is compared with entries: the title, and the claim where it is more than that.
    pub fn meaning(&self) -> String {
        let (title, statement) = (self.title.trim(), self.statement().trim());
        let repeats = statement.starts_with(title.trim_end_matches('…'));
        if repeats { statement.to_owned() } else { format!("{}. {statement}", title.trim_end_matches('.')) }
    }

    /// Where it is.
    pub fn place(&self) -> Option<&str> {
        self.places.first().map(String::as_str)
    }
}
