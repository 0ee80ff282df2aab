//! FED-5: how far another instance can be trusted, by what became of its entries here.

use crate::belief::{Beta, Mark, Moved, Side};
use crate::limits::trust::{DAILY, FAILURE, PERCENTILE, PRIOR, SUCCESS};

/// What is known of another instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trust {
    /// Decayed toward the prior.
    pub belief: Beta,
    /// Observations that spoke for its entries.
    pub succeeded: usize,
    /// Observations that spoke against them.
    pub failed: usize,
}

impl Trust {
    /// Trust as of a day, by what was observed of all entries of an instance.
    pub fn on<'a>(today: i32, marks: impl IntoIterator<Item = &'a Mark>) -> Trust {
        let mut trust = Trust { belief: Beta { alpha: PRIOR, beta: PRIOR }, succeeded: 0, failed: 0 };
        for mark in marks {
            let Moved::Observed(side, _) = mark.what else { continue };
            let left = DAILY.powi(today.saturating_sub(mark.day).max(0));
            match side {
                Side::For => {
                    trust.belief.alpha += SUCCESS * left;
                    trust.succeeded += 1;
                }
                Side::Against => {
                    trust.belief.beta += FAILURE * left;
                    trust.failed += 1;
                }
            }
        }
        trust
    }

    /// The 10th percentile: an instance that nobody has seen much of is trusted little.
    pub fn score(&self) -> f64 {
        self.belief.percentile(PERCENTILE)
    }
}

#[cfg(test)]
mod tests {
    use super::Trust;
    use crate::belief::{Mark, Moved, Side};

    fn marks(succeeded: usize, failed: usize, day: i32) -> Vec<Mark> {
        let of = |side, times| std::iter::repeat_n(Mark { day, what: Moved::Observed(side, 1000) }, times);
        of(Side::For, succeeded).chain(of(Side::Against, failed)).collect()
    }

    /// The 10th percentile of Beta(n, 1) is the n-th root of 0.1, that of Beta(1, n) is 1 - the n-th root of 0.9.
    #[test]
    fn fed_5_trust_is_the_tenth_percentile() {
        let table =
            [(0, 0, 0.1), (1, 0, 0.1_f64.sqrt()), (9, 0, 0.1_f64.powf(0.1)), (0, 1, 1.0 - 0.9_f64.cbrt())];
        for (succeeded, failed, right) in table {
            let score = Trust::on(7, &marks(succeeded, failed, 7)).score();
            assert!((score - right).abs() < 1e-6, "{succeeded} {failed}: {score}, not {right}");
        }
    }

    #[test]
    fn fed_5_what_was_observed_fades_toward_the_prior() {
        let trust = Trust::on(1000, &marks(4, 3, 0));
        let left = 0.9995_f64.powi(1000);
        assert!((trust.belief.alpha - (1.0 + 4.0 * left)).abs() < 1e-6);
        assert!((trust.belief.beta - (1.0 + 6.0 * left)).abs() < 1e-6);
        assert_eq!((trust.succeeded, trust.failed), (4, 3));
        // A clock that runs ahead adds nothing.
        assert_eq!(Trust::on(0, &marks(4, 3, 50)), Trust::on(0, &marks(4, 3, 0)));
    }
}
