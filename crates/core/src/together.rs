//! How much two entries belong together: weights from runs that used both and succeeded (OUT-6).
//!
//! Like a belief it is added up when somebody asks, from what the ledger holds: replaying gives the same weights.

use serde::{Deserialize, Serialize};

use crate::limits::{
    TOGETHER_DAY, TOGETHER_FIRST, TOGETHER_MAX, TOGETHER_MIN, TOGETHER_RETRIEVED, TOGETHER_USED,
};

/// A successful run used both of two entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Together {
    /// The day it ended, counted from 1970.
    pub day: i32,
    /// Whether one answer had handed both to it.
    pub retrieved: bool,
}

/// What the uses of two entries together weigh today, from 0 to 10.
///
/// Uses of days after `today` count as of today, and the order in which they are given does not matter.
pub fn weight(uses: &[Together], today: i32) -> f64 {
    let mut uses = uses.to_vec();
    uses.sort_by_key(|used| (used.day, used.retrieved));
    let (mut weight, mut day) = (0.0, today);
    for used in uses {
        let before = faded(weight, day, used.day.min(today));
        let more = if used.retrieved { TOGETHER_USED * TOGETHER_RETRIEVED } else { TOGETHER_USED };
        weight = if before == 0.0 { TOGETHER_FIRST } else { (before * more).min(TOGETHER_MAX) };
        day = used.day.min(today);
    }
    faded(weight, day, today)
}

/// What is left of a weight; of one that is too small to count, nothing.
fn faded(weight: f64, from: i32, to: i32) -> f64 {
    let left = weight * TOGETHER_DAY.powi(to.saturating_sub(from).max(0));
    if left < TOGETHER_MIN { 0.0 } else { left }
}

/// What a weight counts as a signal of a score, from 0 to 1.
pub fn signal(weight: f64) -> f64 {
    1.0 - (-0.6 * weight).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses as text: the day, with `*` where both were handed out by one answer.
    fn uses(text: &str) -> Vec<Together> {
        let used = |word: &str| Together {
            day: word.trim_end_matches('*').parse().unwrap(),
            retrieved: word.ends_with('*'),
        };
        text.split_whitespace().map(used).collect()
    }

    #[test]
    fn out_6_what_is_used_together_belongs_together() {
        let often = |word: &str, times| vec![word; times].join(" ");
        let (often_25, often_26) = (often("0", 25), often("0", 26));
        let (answer_16, answer_17) = (often("0*", 16), often("0*", 17));
        // Worked out by hand: 1, times 1.1 or 1.155 each further time, times .995 a day.
        let table = [
            ("", 0, 0.0),
            ("0", 0, 1.0),
            ("0*", 0, 1.0),
            ("0", 1, 0.995),
            ("0", 459, 0.100183007),
            ("0", 460, 0.0),
            ("0 0", 0, 1.1),
            ("0 0*", 0, 1.155),
            ("0* 0", 0, 1.155),
            ("0 10* 40", 100, 0.769631340),
            ("40 0 10*", 100, 0.769631340),
            ("0 459", 459, 0.110201308),
            ("0 460*", 470, 0.951110130),
            ("0 50", 20, 0.995071528),
            (&often_25, 0, 9.849732676),
            (&often_26, 0, 10.0),
            (&answer_16, 0, 8.684198932),
            (&answer_17, 0, 10.0),
            ("-2147483648 2147483647", 2147483647, 1.0),
        ];
        for (text, today, right) in table {
            let found = weight(&uses(text), today);
            assert!((found - right).abs() < 1e-6, "{text:?} on day {today}: {found}, not {right}");
        }
    }

    #[test]
    fn out_6_the_first_uses_count_most() {
        let table =
            [(0.0, 0.0), (0.1, 0.058235466), (1.0, 0.451188364), (5.0, 0.950212932), (10.0, 0.997521248)];
        for (weight, right) in table {
            assert!((signal(weight) - right).abs() < 1e-6, "{weight}");
        }
    }
}
