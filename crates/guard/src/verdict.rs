//! What a scan says: findings on five axes, and the tier that follows from the worst of them.

use serde::{Deserialize, Serialize};

/// A kind of harm. A verdict is the worst axis, never a sum (IN-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Text that gives orders to whoever reads it.
    PromptInjection,
    /// Text that has secrets or files sent away.
    DataExfiltration,
    /// A secret's value, told by the words around it.
    CredentialLeakage,
    /// Commands and code that destroy, open or weaken.
    UnsafeCode,
    /// A secret's value, told by its own shape.
    CredentialDetection,
}

impl Axis {
    /// All of them.
    pub const ALL: [Axis; 5] = [
        Axis::PromptInjection,
        Axis::DataExfiltration,
        Axis::CredentialLeakage,
        Axis::UnsafeCode,
        Axis::CredentialDetection,
    ];

    /// The word used in answers and in the ledger.
    pub fn word(self) -> &'static str {
        match self {
            Axis::PromptInjection => "prompt_injection",
            Axis::DataExfiltration => "data_exfiltration",
            Axis::CredentialLeakage => "credential_leakage",
            Axis::UnsafeCode => "unsafe_code",
            Axis::CredentialDetection => "credential_detection",
        }
    }

    /// Whether what it finds is a value that nobody may keep (IN-2).
    pub fn is_secret(self) -> bool {
        matches!(self, Axis::CredentialLeakage | Axis::CredentialDetection)
    }
}

/// How bad a finding is, and a text with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Nothing was found.
    #[default]
    Safe,
    Low,
    /// Worth a look before it is trusted.
    Medium,
    /// Not let in.
    High,
    /// Not let in; a live-looking credential is always this.
    Critical,
}

impl Tier {
    /// The word used in answers and in the ledger.
    pub fn word(self) -> &'static str {
        match self {
            Tier::Safe => "safe",
            Tier::Low => "low",
            Tier::Medium => "medium",
            Tier::High => "high",
            Tier::Critical => "critical",
        }
    }

    /// Whether a text of this tier is kept out (IN-1).
    pub fn is_rejected(self) -> bool {
        self >= Tier::High
    }
}

/// Something that a rule found, in bytes of the text that was given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The kind of harm.
    pub axis: Axis,
    /// The rule, by its id. For secrets this is also the type in `[REDACTED:type]`.
    pub rule: &'static str,
    pub severity: Tier,
}

/// What a scan of one text says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The severity of the worst finding.
    pub tier: Tier,
    /// What was found, in the order of the text.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// The verdict that follows from some findings, in whatever order they came.
    pub fn from_findings(mut findings: Vec<Finding>) -> Verdict {
        findings.sort();
        findings.dedup();
        let tier = findings.iter().map(|finding| finding.severity).max().unwrap_or_default();
        Verdict { tier, findings }
    }

    /// The worst tier on one axis.
    pub fn on(&self, axis: Axis) -> Tier {
        self.findings.iter().filter(|f| f.axis == axis).map(|f| f.severity).max().unwrap_or_default()
    }
}
