//! Answers that say no: what is wrong, what is allowed, and what to do next.

use std::fmt;

use serde::Serialize;

/// One thing wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fault {
    /// The field or argument it is about.
    pub field: String,
    /// What is wrong and what is allowed, as a sentence without a full stop.
    pub problem: String,
}

/// Why a request was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// A field or argument has a wrong shape or value.
    Invalid,
    /// ENT-4: no evidence.
    ProvenanceRequired,
    /// ENT-5: a part that a native entry needs is missing.
    Incomplete,
    /// No entry answers to that name.
    NotFound,
    /// Several entries answer to that name.
    Ambiguous,
    /// The id is taken.
    IdTaken,
    /// GAT-2: authority only flows through an approved promotion.
    DirectionalFlow,
    /// The entry's type or status does not allow that.
    NotAllowed,
    /// IN-1: the scanner keeps it out.
    Rejected,
    /// IN-4: it says more than its scope allows.
    OutOfScope,
    /// IN-7: it says nothing worth keeping.
    Noise,
    /// There is no store here.
    NoStore,
    /// Nothing may be written here.
    ReadOnly,
    /// The store is of another version.
    Version,
    /// An entry is no longer as the caller read it.
    Changed,
}

impl Code {
    /// The word used in JSON answers.
    pub fn word(self) -> &'static str {
        match self {
            Code::Invalid => "invalid",
            Code::ProvenanceRequired => "provenance_required",
            Code::Incomplete => "incomplete",
            Code::NotFound => "not_found",
            Code::Ambiguous => "ambiguous",
            Code::IdTaken => "id_taken",
            Code::DirectionalFlow => "directional_flow",
            Code::NotAllowed => "not_allowed",
            Code::Rejected => "rejected",
            Code::OutOfScope => "out_of_scope",
            Code::Noise => "noise",
            Code::NoStore => "no_store",
            Code::ReadOnly => "read_only",
            Code::Version => "version",
            Code::Changed => "changed",
        }
    }
}

/// A refusal: an answer of the domain, not a failure of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind, for programs.
    pub code: Code,
    /// One sentence for people.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// Every fault, when the request has several.
    pub faults: Vec<Fault>,
    /// What a person would confirm. The edge may ask one and make the same call again.
    pub confirm: Option<String>,
}

impl Refusal {
    /// A refusal with one sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Refusal { code, message: message.into(), hint: None, faults: Vec::new(), confirm: None }
    }

    /// The same, with what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, with what a person would have to confirm for it to be done.
    pub fn confirm(mut self, what: impl Into<String>) -> Self {
        self.confirm = Some(what.into());
        self
    }

    /// The same, about one field.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        let problem = self.message.clone();
        self.faults.push(Fault { field: field.into(), problem });
        self
    }

    /// One refusal for all faults of a request; `None` when there are none.
    pub fn from_faults(code: Code, faults: Vec<Fault>) -> Option<Self> {
        let message = match faults.as_slice() {
            [] => return None,
            [one] => format!("{}: {}", one.field, one.problem),
            many => {
                let lines: Vec<String> = many.iter().map(|f| format!("{}: {}", f.field, f.problem)).collect();
                format!("{} problems\n  - {}", many.len(), lines.join("\n  - "))
            }
        };
        Some(Refusal { code, message, hint: None, faults, confirm: None })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}
