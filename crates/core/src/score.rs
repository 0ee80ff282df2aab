//! The score of an answer: six signals, their weights, and a sum that can be checked by hand (OUT-2).
//!
//! Everything is counted in ten-thousandths, so that the parts that are shown add up to the score that is shown, to the digit.

use rand_core::{Infallible, TryRng};
use rand_distr::{Beta, Distribution};
use serde::Serialize;

use crate::anchor::Verdict;
use crate::clock::Millis;
use crate::kinds::Status;
use crate::limits::{AGE_CAVEAT_DAYS, AGE_NOTE_DAYS, FRESHNESS_HALF_LIFE_DAYS};
use crate::weights::{self, Signals};

/// What is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// How well it answers the question, calibrated.
    Semantic,
    /// A draw from the belief in it, or the mean of that belief.
    Thompson,
    /// Whether it still holds, or how old it is where that cannot be told.
    Freshness,
    /// Where it stands.
    Status,
    /// Whether it belongs to the thread that asks.
    Thread,
    /// Whether it was used together with the other answers.
    Cooccurrence,
}

impl Signals for Signal {
    /// OUT-2.
    const ALL: &'static [(Signal, f64)] = &[
        (Signal::Semantic, 0.38),
        (Signal::Thompson, 0.25),
        (Signal::Freshness, 0.15),
        (Signal::Status, 0.10),
        (Signal::Thread, 0.07),
        (Signal::Cooccurrence, 0.05),
    ];

    fn word(self) -> &'static str {
        match self {
            Signal::Semantic => "semantic",
            Signal::Thompson => "thompson",
            Signal::Freshness => "freshness",
            Signal::Status => "status",
            Signal::Thread => "thread",
            Signal::Cooccurrence => "cooccurrence",
        }
    }
}

/// How much each signal of a score counts.
pub type Weights = weights::Weights<Signal>;

/// One signal of one answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    pub signal: Signal,
    /// Its value, 0 to 1.
    pub value: f64,
    pub weight: f64,
    /// Value times weight, in whole ten-thousandths.
    pub part: f64,
    /// How the value came about; `not yet measured` where it is a neutral one.
    pub why: String,
}

/// A score with everything it is made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Score {
    /// The sum of the parts.
    pub total: f64,
    /// The parts, in the order of the signals.
    pub parts: Vec<Part>,
}

/// The value of a signal with how it came about.
#[derive(Clone, Debug)]
pub struct Measured {
    /// 0 to 1.
    pub value: f64,
    /// How it came about.
    pub why: String,
}

impl Measured {
    /// A value and where it is from.
    pub fn new(value: f64, why: impl Into<String>) -> Measured {
        Measured { value, why: why.into() }
    }
}

const UNITS: f64 = 10_000.0;

/// Weighs signals, given in the order of the signals.
pub fn score(weights: &Weights, measured: [Measured; 6]) -> Score {
    let mut units = 0;
    let parts = Signal::ALL.iter().zip(measured).map(|((signal, _), measured)| {
        let signal = *signal;
        let value = (measured.value.clamp(0.0, 1.0) * UNITS).round() / UNITS;
        let part = (value * weights.weight(signal) * UNITS).round() as i64;
        units += part;
        Part { signal, value, weight: weights.weight(signal), part: part as f64 / UNITS, why: measured.why }
    });
    let parts = parts.collect();
    Score { total: units as f64 / UNITS, parts }
}

/// How much where it stands counts: only what is handed out has a value.
pub fn status_value(status: Status) -> f64 {
    match status {
        Status::Verified => 1.0,
        Status::Active => 0.8,
        Status::Candidate => 0.5,
        Status::Rejected | Status::Stale | Status::Archived | Status::Retracted | Status::Superseded => 0.0,
    }
}

/// VAL-2: how much what became of it counts. Code changes invalidate, not the calendar: what holds is as good as new, whatever its age.
///
/// `from` is when its age begins; for what drifted, when that happened.
pub fn freshness(verdict: Verdict, from: Millis, now: Millis) -> f64 {
    let faded = (-(days_between(from, now) as f64) / FRESHNESS_HALF_LIFE_DAYS).exp2();
    match verdict {
        Verdict::Fresh | Verdict::Moved => 1.0,
        Verdict::Unverifiable => faded,
        Verdict::Drifted => 0.5 * faded,
        Verdict::Broken => 0.0,
    }
}

/// Whole days by the calendar: a question has one answer a day.
pub fn days_between(from: Millis, now: Millis) -> i64 {
    let day = |time: Millis| time.0.div_euclid(86_400_000);
    (day(now) - day(from)).max(0)
}

/// VAL-2: what is said of the age of something that cannot be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AgeBand {
    None,
    /// That it is some weeks old.
    Note,
    /// That it is old enough to look twice.
    Caveat,
}

/// The band of an age.
pub fn age_band(days: i64) -> AgeBand {
    match days {
        ..AGE_NOTE_DAYS => AgeBand::None,
        AGE_NOTE_DAYS..=AGE_CAVEAT_DAYS => AgeBand::Note,
        _ => AgeBand::Caveat,
    }
}

/// A draw from Beta(alpha, beta). The same seed gives the same draw, on every machine.
pub fn draw(alpha: f64, beta: f64, seed: &[u8]) -> f64 {
    let mut dice = HashDice(blake3::Hasher::new().update(seed).finalize_xof());
    match Beta::new(alpha, beta) {
        Ok(belief) => belief.sample(&mut dice),
        // Only a belief that is no belief gets here.
        Err(_) => 0.5,
    }
}

/// Random numbers that are the digits of a hash.
struct HashDice(blake3::OutputReader);

impl TryRng for HashDice {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up_to_the_score() {
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..1000 {
            let made = score(&Weights::default(), std::array::from_fn(|_| Measured::new(next(), "")));
            let units: i64 = made.parts.iter().map(|part| (part.part * UNITS).round() as i64).sum();
            assert_eq!(units, (made.total * UNITS).round() as i64);
            assert!((0.0..=1.0).contains(&made.total));
        }
    }

    #[test]
    fn a_draw_is_a_matter_of_its_seed_and_follows_the_belief() {
        assert_eq!(draw(5.0, 5.0, b"one"), draw(5.0, 5.0, b"one"));
        let draws: Vec<f64> = (0..4000_u32).map(|at| draw(8.0, 2.0, &at.to_le_bytes())).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean - 0.8).abs() < 0.01, "{mean}");
        let spread = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        assert!((spread - 16.0 / (100.0 * 11.0)).abs() < 0.002, "{spread}");
    }

    #[test]
    fn val_2_code_changes_count_not_the_calendar() {
        let day = 86_400_000;
        let at = |verdict, days: i64| freshness(verdict, Millis(0), Millis(days * day));
        use Verdict::*;
        assert_eq!([at(Fresh, 0), at(Fresh, 5000), at(Moved, 5000)], [1.0, 1.0, 1.0]);
        assert_eq!(
            [at(Unverifiable, 0), at(Unverifiable, 90), at(Unverifiable, 180), at(Unverifiable, -5)],
            [1.0, 0.5, 0.25, 1.0]
        );
        assert_eq!([at(Drifted, 0), at(Drifted, 90), at(Broken, 0)], [0.5, 0.25, 0.0]);
        let bands = [0, 29, 30, 90, 91].map(age_band);
        assert_eq!(bands, [AgeBand::None, AgeBand::None, AgeBand::Note, AgeBand::Note, AgeBand::Caveat]);
    }
}
