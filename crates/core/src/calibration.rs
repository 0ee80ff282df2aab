//! Whether "80 %" means 80 %: predictions beside what came of them (BEL-11).

use serde::Serialize;

use crate::limits::calibration::BINS;

/// How predictions did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reliability {
    /// The mean square of the error: 0 is a seer, 0.25 one who always says 50 %.
    pub brier: f64,
    /// How many predictions there were.
    pub count: usize,
    /// The share of them that came true.
    pub base_rate: f64,
    /// The predictions by how sure they were. Those that nobody made are left out.
    pub bins: Vec<Bin>,
}

/// The predictions from some percentage to some other.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bin {
    /// The lowest prediction that belongs here.
    pub from: f64,
    /// Where the next bin begins. The last one holds 1 as well.
    pub to: f64,
    /// How many there were.
    pub count: usize,
    pub predicted: f64,
    /// The share of them that came true.
    pub observed: f64,
}

impl Reliability {
    /// How far what was said lies from what came, over all bins, each by what is in it.
    pub fn calibration_error(&self) -> f64 {
        let gaps = self.bins.iter().map(|bin| (bin.predicted - bin.observed).abs() * bin.count as f64);
        share(gaps.sum(), self.count)
    }
}

/// Sets predictions beside outcomes. A prediction outside of 0 to 1 counts as the nearer of the two, and one that is no number as none.
pub fn reliability(predictions: &[(f64, bool)]) -> Reliability {
    #[derive(Clone, Copy, Default)]
    struct Tally {
        count: usize,
        predicted: f64,
        came_true: usize,
    }
    let mut tallies = [Tally::default(); BINS];
    let mut errors = 0.0;
    for (predicted, came_true) in predictions.iter().filter(|(predicted, _)| !predicted.is_nan()) {
        let predicted = predicted.clamp(0.0, 1.0);
        errors += (predicted - f64::from(u8::from(*came_true))).powi(2);
        let tally = &mut tallies[((predicted * BINS as f64) as usize).min(BINS - 1)];
        tally.count += 1;
        tally.predicted += predicted;
        tally.came_true += usize::from(*came_true);
    }
    let count = tallies.iter().map(|tally| tally.count).sum();
    let came_true: usize = tallies.iter().map(|tally| tally.came_true).sum();
    let bins = tallies.iter().enumerate().filter(|(_, tally)| tally.count > 0);
    let bins = bins.map(|(at, tally)| Bin {
        from: at as f64 / BINS as f64,
        to: (at + 1) as f64 / BINS as f64,
        count: tally.count,
        predicted: tally.predicted / tally.count as f64,
        observed: tally.came_true as f64 / tally.count as f64,
    });
    Reliability {
        brier: share(errors, count),
        count,
        base_rate: share(came_true as f64, count),
        bins: bins.collect(),
    }
}

/// A mean, of nothing: nothing.
fn share(sum: f64, count: usize) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bel_11_predictions_are_held_against_what_came() {
        let said =
            [(0.8, true), (0.8, true), (0.8, true), (0.8, false), (0.25, false), (0.25, true), (1.0, true)];
        let found = reliability(&said);
        // (3 * .04 + .64 + .0625 + .5625 + 0) / 7.
        assert!((found.brier - 1.385 / 7.0).abs() < 1e-12);
        assert_eq!((found.count, found.base_rate), (7, 5.0 / 7.0));
        let bin = |from, to, count, predicted, observed| Bin { from, to, count, predicted, observed };
        assert_eq!(
            found.bins,
            [bin(0.2, 0.3, 2, 0.25, 0.5), bin(0.8, 0.9, 4, 0.8, 0.75), bin(0.9, 1.0, 1, 1.0, 1.0)]
        );
        // (2 * .25 + 4 * .05 + 0) / 7.
        assert!((found.calibration_error() - 0.1).abs() < 1e-12);
    }

    #[test]
    fn bel_11_bins_begin_with_their_tenth_and_the_last_holds_one() {
        let said: Vec<(f64, bool)> = (0..=10).map(|tenth| (f64::from(tenth) / 10.0, false)).collect();
        let counts: Vec<usize> = reliability(&said).bins.iter().map(|bin| bin.count).collect();
        assert_eq!(counts, [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
    }

    #[test]
    fn bel_11_nothing_said_is_nothing_wrong() {
        for said in [&[][..], &[(f64::NAN, true)]] {
            let found = reliability(said);
            assert_eq!((found.count, found.brier, found.base_rate, found.bins.len()), (0, 0.0, 0.0, 0));
            assert_eq!(found.calibration_error(), 0.0);
        }
        let found = reliability(&[(7.0, true), (-1.0, false)]);
        assert_eq!((found.brier, found.calibration_error()), (0.0, 0.0));
    }
}
