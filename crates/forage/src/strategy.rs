//! At which level a domain is read, by what worked there before (seed 8.2).

use crate::article::Level;
use crate::domains::is_below;
use crate::limits::{REPROBE_DAYS, REPROBE_SUCCESSES_MIN};

/// What is known of a domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// The level that worked last.
    pub level: u8,
    pub successes: u32,
    pub failures: u32,
    /// How long ago that was.
    pub days_ago: i64,
}

/// Sites whose article is seldom found by its place.
const START_AT_FALLBACK: [&str; 3] = ["dev.to", "medium.com", "substack.com"];

/// The level to begin with. A lower one is tried again after a week where a domain often worked.
pub fn first_level(domain: &str, learned: Option<Learned>) -> Level {
    let Some(learned) = learned else {
        let is_known = START_AT_FALLBACK.iter().any(|known| is_below(domain, known));
        return if is_known { Level::Fallback } else { Level::Article };
    };
    let is_old = learned.days_ago > REPROBE_DAYS && learned.successes >= REPROBE_SUCCESSES_MIN;
    Level::from_number(learned.level.saturating_sub(u8::from(is_old)).max(1))
}

/// The level to prefer after one was tried.
pub fn next_level(tried: Level, worked: bool) -> Level {
    if worked { tried } else { Level::from_number((tried.number() + 1).min(2)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_level_is_tried_again_after_a_week() {
        let learned = |days_ago, successes| Some(Learned { level: 2, successes, failures: 0, days_ago });
        assert_eq!(first_level("example.com", None), Level::Article);
        assert_eq!(first_level("someone.medium.com", None), Level::Fallback);
        assert_eq!(first_level("example.com", learned(7, 3)), Level::Fallback);
        assert_eq!(first_level("example.com", learned(8, 2)), Level::Fallback);
        assert_eq!(first_level("example.com", learned(8, 3)), Level::Article);
        assert_eq!(next_level(Level::Article, false), Level::Fallback);
        assert_eq!(next_level(Level::Fallback, false), Level::Fallback);
        assert_eq!(next_level(Level::Article, true), Level::Article);
    }
}
