//! The reviewers that ship: what each looks for, as the words that its knowledge is asked with (REV-5).
//!
//! A store may change these and name more (`reviewers.NAME` in its settings).

pub use crate::limits::reviewers::NAME_CHARS_MAX;

/// A reviewer and the words of its domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reviewer {
    /// What it is called.
    pub name: &'static str,
    /// What its knowledge is asked with, beside what is reviewed.
    pub keywords: &'static str,
}

/// The five reviewers of a consensus review, then the seven roles of a flux-drive review.
pub const SHIPPED: &[Reviewer] = &[
    Reviewer {
        name: "security",
        keywords: "security injection authentication authorization secrets credentials input validation",
    },
    Reviewer {
        name: "correctness",
        keywords: "correctness logic edge cases invariants error handling races data integrity",
    },
    Reviewer {
        name: "performance",
        keywords: "performance latency memory allocation complexity queries caching hot path",
    },
    Reviewer {
        name: "maintainability",
        keywords: "maintainability naming duplication coupling readability complexity dead code tests",
    },
    Reviewer {
        name: "reliability",
        keywords: "reliability timeouts retries idempotency recovery observability resource leaks",
    },
    Reviewer { name: "fd-architecture", keywords: "architecture boundaries coupling patterns complexity" },
    Reviewer { name: "fd-safety", keywords: "security threats credentials deployment rollback trust" },
    Reviewer { name: "fd-correctness", keywords: "data integrity transactions races concurrency async" },
    Reviewer { name: "fd-quality", keywords: "naming conventions testing code quality style idioms" },
    Reviewer { name: "fd-user-product", keywords: "user experience flows UX value proposition scope" },
    Reviewer { name: "fd-performance", keywords: "performance bottlenecks rendering memory scaling" },
    Reviewer {
        name: "fd-game-design",
        keywords: "game balance pacing player psychology feedback loops emergent behavior",
    },
];

/// The words of a reviewer that ships; none for a name that does not.
pub fn keywords(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|reviewer| reviewer.name == name).map(|reviewer| reviewer.keywords)
}

/// Whether a word can name a reviewer in a setting: letters, digits, `-` and `_`.
pub fn is_name(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    !word.is_empty() && word.len() <= NAME_CHARS_MAX && word.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_reviewer_is_asked_with_words_of_its_own() {
        assert_eq!(SHIPPED.len(), 12);
        for reviewer in SHIPPED {
            assert!(is_name(reviewer.name), "{}", reviewer.name);
            assert!(reviewer.keywords.split_whitespace().count() >= 5, "{}", reviewer.name);
            assert_eq!(keywords(reviewer.name), Some(reviewer.keywords));
        }
        let mut names: Vec<&str> = SHIPPED.iter().map(|reviewer| reviewer.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SHIPPED.len());
        assert_eq!(keywords("nobody"), None);
        assert!(!is_name("Über mich") && !is_name("") && !is_name("a.b"));
    }
}
