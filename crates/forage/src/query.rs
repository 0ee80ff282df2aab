//! What is asked (seed 8.1): a template for each reason, and which results are worth a look.

use serde::{Deserialize, Serialize};

use crate::limits::QUERY_CHARS_MAX;

/// Why something is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A person or agent asked for it.
    Operator,
    /// A search found too little.
    Reactive,
    /// Belief in an entry declines.
    ConfidenceDecline,
    /// A search came back to an entry again and again, and it was no answer.
    PredictionError,
    StaleCluster,
    CoverageGap,
    KnowledgeRoi,
}

impl Trigger {
    pub const ALL: [Trigger; 7] = [
        Trigger::Operator,
        Trigger::Reactive,
        Trigger::ConfidenceDecline,
        Trigger::PredictionError,
        Trigger::StaleCluster,
        Trigger::CoverageGap,
        Trigger::KnowledgeRoi,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Trigger::Operator => "operator",
            Trigger::Reactive => "reactive",
            Trigger::ConfidenceDecline => "confidence_decline",
            Trigger::PredictionError => "prediction_error",
            Trigger::StaleCluster => "stale_cluster",
            Trigger::CoverageGap => "coverage_gap",
            Trigger::KnowledgeRoi => "knowledge_roi",
        }
    }

    pub fn from_word(word: &str) -> Option<Trigger> {
        Trigger::ALL.into_iter().find(|trigger| trigger.word() == word)
    }

    fn template(self) -> &'static str {
        match self {
            Trigger::Operator | Trigger::Reactive => "{topic} {context}",
            Trigger::ConfidenceDecline => "{topic} latest {year}",
            Trigger::PredictionError => "{topic} {context} correct approach",
            Trigger::StaleCluster => "{topic} reference guide {year}",
            Trigger::CoverageGap => "{topic} how to {context}",
            Trigger::KnowledgeRoi => "{topic} best practices tutorial",
        }
    }
}

/// The query for a topic, on one line and cut at a word. Where there is no topic, the first three domains are one.
pub fn query(trigger: Trigger, topic: &str, context: &str, domains: &[&str], year: i16) -> String {
    let domains = domains[..domains.len().min(3)].join(" ");
    let topic = if topic.trim().is_empty() { &domains } else { topic };
    let filled = trigger.template().split(' ').map(|part| match part {
        "{topic}" => topic.to_owned(),
        "{context}" => context.to_owned(),
        "{year}" => year.to_string(),
        word => word.to_owned(),
    });
    cut(&filled.collect::<Vec<_>>().join(" "))
}

fn cut(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        let length = out.chars().count() + word.chars().count() + usize::from(!out.is_empty());
        if length > QUERY_CHARS_MAX {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// How many words of a query, those of more than two letters, a text has.
pub fn overlap(query: &str, text: &str) -> usize {
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 2);
        parts.map(|word| ken_language::stem(&word.to_lowercase())).collect()
    };
    words(query).intersection(&words(text)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_of_the_seed() {
        let of = |trigger| query(trigger, "tokio runtime", "shutdown  order", &["net"], 2026);
        assert_eq!(of(Trigger::Reactive), "tokio runtime shutdown order");
        assert_eq!(of(Trigger::ConfidenceDecline), "tokio runtime latest 2026");
        assert_eq!(of(Trigger::PredictionError), "tokio runtime shutdown order correct approach");
        assert_eq!(of(Trigger::StaleCluster), "tokio runtime reference guide 2026");
        assert_eq!(of(Trigger::CoverageGap), "tokio runtime how to shutdown order");
        assert_eq!(of(Trigger::KnowledgeRoi), "tokio runtime best practices tutorial");
        assert_eq!(query(Trigger::Operator, " ", "", &["a", "b", "c", "d"], 2026), "a b c");
        let long = query(Trigger::Operator, &"seven77 ".repeat(60), "", &[], 2026);
        assert!(long.len() <= 200 && long.ends_with("seven77") && long.len() > 190);
        // A text without blanks is nothing that can be asked.
        assert_eq!(query(Trigger::Operator, &"x".repeat(500), "", &[], 2026), "");
    }
}
