//! UPK-6: how much services do by themselves.

use std::collections::BTreeSet;

use super::Service;

/// How much services may do without being told their name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing runs: what they would do is proposed.
    #[default]
    Suggest,
    /// Categories that a person allowed.
    AutoNotify,
    /// Everything that is due.
    Autonomous,
}

impl Level {
    /// Every word, from the least to the most.
    pub const WORDS: &[&str] = &["suggest", "auto_notify", "autonomous"];

    pub fn word(self) -> &'static str {
        match self {
            Level::Suggest => "suggest",
            Level::AutoNotify => "auto_notify",
            Level::Autonomous => "autonomous",
        }
    }

    /// The level of a word; what is unknown allows nothing.
    pub fn from_word(word: &str) -> Level {
        match word {
            "auto_notify" => Level::AutoNotify,
            "autonomous" => Level::Autonomous,
            _ => Level::Suggest,
        }
    }
}

/// What a person allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    pub level: Level,
    /// Categories, or names, of services that may run under `auto_notify`.
    pub allowed: BTreeSet<String>,
}

impl Policy {
    /// A policy by the words of its settings: a level, and categories with commas between them.
    pub fn parse(level: &str, categories: &str) -> Policy {
        let words = categories.split(',').map(str::trim).filter(|word| !word.is_empty());
        Policy { level: Level::from_word(level), allowed: words.map(str::to_owned).collect() }
    }

    /// Whether a service may run without being told its name.
    pub fn allows(&self, service: &Service) -> bool {
        let is_named = || self.allowed.contains(service.category) || self.allowed.contains(service.name);
        match self.level {
            Level::Suggest => false,
            Level::AutoNotify => is_named(),
            Level::Autonomous => true,
        }
    }
}
