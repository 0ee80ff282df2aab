//! Which type of entry a norm would be, by its own words and else by the headings above it.

use std::sync::LazyLock;

use ken_core::Type;
use regex::Regex;

use crate::cue::{Cue, DONE, LESSON, RISK};

static TIER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:high|medium|low|critical)[- ]risk\b|\brisk tier\b|\bis (?:critical|risky)\b|\bare (?:critical|risky)\b").expect("a constant")
});
static RISKY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bmigrations?\b|\bauth(?:entication|orization|orisation)?\b|\bpayments?\b|\bbilling\b|\bproduction\b|\bsecurity\b|\bpersonal data\b|\brollback\b")
        .expect("a constant")
});
static COMMIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bcommits?\b|\bcommit messages?\b|\bsubject lines?\b|\bbranch(?:es)?\b|\bforce[- ]push|\bsquash\b|\bsigned-off-by\b|\bgit history\b|\bconventional\b")
        .expect("a constant")
});
static PULL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bpull requests?\b|\bprs?\b|\bmerge requests?\b|\breview(?:s|er|ers|ed|ing)?\b|\bapprov(?:al|als|ed|er|ers)\b|\bmerg(?:e|ed|ing)\b|\bchangelog\b|\bdescription\b")
        .expect("a constant")
});
static RISK_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\brisk|\bhurt\b|\bdanger|\bmigrations?\b|\bsensitive\b|\bcritical\b").expect("a constant")
});
static COMMIT_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bcommits?\b|\bcommit messages?\b|\bbranch|\bversion control\b|\bgit\b").expect("a constant")
});
static PULL_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bpull requests?\b|\bprs?\b|\bmerge requests?\b|\breview|\bdefinition of done\b|\bchecklist\b|\bmerging\b|\bbefore you\b|\bsubmitting\b|\btalk about changes\b")
        .expect("a constant")
});

/// The type of a norm. Both texts are in lower case.
pub(crate) fn entry_type(said: &str, headings: &[String], cue: &Cue) -> Type {
    let above = headings.iter().rev().map(|heading| heading.to_lowercase());
    if cue.word == LESSON {
        return Type::Lesson;
    }
    let heading = above.clone().next().unwrap_or_default();
    if cue.word == RISK
        || TIER.is_match(said)
        || RISKY.is_match(said) && (RISK_HEADING.is_match(&heading) || said.contains("migration"))
    {
        return Type::RiskTier;
    }
    if cue.word == DONE {
        return Type::PrExpectation;
    }
    // Its own words count most, then the nearest heading that says anything.
    let by = |commit: bool, pull: bool| match (commit, pull) {
        (true, false) => Some(Type::CommitNorm),
        (false, true) => Some(Type::PrExpectation),
        (true, true) | (false, false) => None,
    };
    let own = by(COMMIT.is_match(said), PULL.is_match(said));
    let from_heading = || {
        above
            .take(2)
            .find_map(|heading| by(COMMIT_HEADING.is_match(&heading), PULL_HEADING.is_match(&heading)))
    };
    own.or_else(from_heading).unwrap_or(Type::UserExpectation)
}
