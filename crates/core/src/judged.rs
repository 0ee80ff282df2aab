//! What the intake found out about a text: the scanner's findings, and the seven signals of its admission.

use serde::{Deserialize, Serialize};

use crate::clock::Clock;

/// How bad what a scan found is (IN-1).
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
    /// Every value, from harmless to worst.
    pub const ALL: [Tier; 5] = [Tier::Safe, Tier::Low, Tier::Medium, Tier::High, Tier::Critical];

    /// The word people and files use.
    pub fn word(self) -> &'static str {
        match self {
            Tier::Safe => "safe",
            Tier::Low => "low",
            Tier::Medium => "medium",
            Tier::High => "high",
            Tier::Critical => "critical",
        }
    }

    /// The value for a word.
    pub fn from_word(word: &str) -> Option<Tier> {
        Tier::ALL.into_iter().find(|tier| tier.word() == word)
    }

    /// Whether a text of this tier is kept out (IN-1).
    pub fn is_rejected(self) -> bool {
        self >= Tier::High
    }
}

/// What a scan of an entry's texts said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scan {
    /// The version of the rules.
    pub scanner: u32,
    /// The worst finding's severity.
    pub tier: Tier,
    /// What was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ScanHit>,
}

/// One thing a scan found, without the text it was found in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScanHit {
    /// The kind of harm.
    pub axis: String,
    pub rule: String,
    pub severity: Tier,
    /// The field it was found in.
    pub field: String,
    /// Where it begins there, in characters.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

impl Scan {
    /// This scan and another one of the same entry.
    pub fn and(mut self, other: &Scan) -> Scan {
        self.scanner = self.scanner.min(other.scanner);
        self.tier = self.tier.max(other.tier);
        self.findings.extend(other.findings.iter().cloned());
        self
    }

    /// The findings that decided the tier, in a few words: `prompt_injection in statement (override-orders and 1 more)`.
    pub fn worst(&self) -> String {
        let mut places: Vec<((&str, &str), Vec<&str>)> = Vec::new();
        for found in self.findings.iter().filter(|found| found.severity == self.tier) {
            let place = (found.axis.as_str(), found.field.as_str());
            let at = places.iter().position(|(known, _)| *known == place).unwrap_or_else(|| {
                places.push((place, Vec::new()));
                places.len() - 1
            });
            if !places[at].1.contains(&found.rule.as_str()) {
                places[at].1.push(&found.rule);
            }
        }
        let told = places.iter().take(3).map(|((axis, field), rules)| {
            let named = rules.iter().take(2).copied().collect::<Vec<_>>().join(", ");
            let more = rules.len().saturating_sub(2);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{axis} in {field} ({named}{more})")
        });
        let told = told.collect::<Vec<_>>().join(", ");
        let more = places.len().saturating_sub(3);
        if more > 0 { format!("{told} and {more} more places") } else { told }
    }
}

/// A person's word that something may come in after all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Release {
    /// Who said it.
    pub by: String,
    pub reason: String,
    pub at: Clock,
}
