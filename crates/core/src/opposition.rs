//! UPK-3: which of two entries of different instances that say the opposite has more behind it. It orders them and decides nothing: both
//! are shown, and a person or a recorded resolution ends the contradiction.

use serde::Serialize;

use crate::belief::belief_at;
use crate::clock::Millis;
use crate::entry::Entry;
use crate::limits::opposition::{
    AHEAD_EVIDENCE, AHEAD_POINTS, AHEAD_PROVENANCE, AHEAD_RECENCY, HALF_LIFE_DAYS, PROVENANCE_HALF,
    THRESHOLD_BASE, THRESHOLD_SHARE, WEIGHT_EVIDENCE, WEIGHT_PROVENANCE, WEIGHT_RECENCY,
};

/// What is compared of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighed {
    /// The mean of its belief.
    pub mean: f64,
    /// How much evidence that is: alpha and beta together.
    pub evidence: f64,
    /// 1 today, half of it after 90 days.
    pub recency: f64,
    /// How many entries it stands for, and how much evidence it cites.
    pub provenance: usize,
}

impl Weighed {
    /// An entry as it stands at some time.
    pub fn new(entry: &Entry, now: Millis) -> Weighed {
        let belief = belief_at(entry, now).now;
        let days = (now.0 - entry.known_right_at().millis().0).max(0) as f64 / 86_400_000.0;
        Weighed {
            mean: belief.mean(),
            evidence: belief.alpha + belief.beta,
            recency: (-days / HALF_LIFE_DAYS).exp2(),
            provenance: entry.pool.from.len() + entry.evidence().count(),
        }
    }

    /// `0.5 m + 0.3 r + 0.2 p/(p+10)`.
    pub fn score(&self) -> f64 {
        let provenance = self.provenance as f64;
        WEIGHT_EVIDENCE * self.mean
            + WEIGHT_RECENCY * self.recency
            + WEIGHT_PROVENANCE * provenance / (provenance + PROVENANCE_HALF)
    }

    /// In how many of evidence, recency and provenance it is ahead of another.
    fn points(&self, other: &Weighed) -> usize {
        [
            self.mean - other.mean > AHEAD_EVIDENCE,
            self.recency - other.recency > AHEAD_RECENCY,
            self.provenance >= other.provenance + AHEAD_PROVENANCE,
        ]
        .into_iter()
        .filter(|is_ahead| *is_ahead)
        .count()
    }
}

/// How two entries were ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ordered {
    /// One is ahead in two of evidence, recency and provenance.
    Pareto,
    /// One is ahead by more than chance explains.
    Threshold,
    /// Neither is: they compete.
    Competing,
}

/// Which of two entries is ahead, if one is, and why. Which comes first does not matter.
pub fn order(one: &Weighed, other: &Weighed) -> (Ordered, Option<Ahead>) {
    if one.points(other) >= AHEAD_POINTS {
        return (Ordered::Pareto, Some(Ahead::One));
    }
    if other.points(one) >= AHEAD_POINTS {
        return (Ordered::Pareto, Some(Ahead::Other));
    }
    let evidence = ((one.evidence + other.evidence) / 2.0).max(1.0);
    let threshold = THRESHOLD_BASE + THRESHOLD_SHARE / evidence;
    let lead = one.score() - other.score();
    match lead {
        lead if lead > threshold => (Ordered::Threshold, Some(Ahead::One)),
        lead if -lead > threshold => (Ordered::Threshold, Some(Ahead::Other)),
        _ => (Ordered::Competing, None),
    }
}

/// Which of two is ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    One,
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighed(mean: f64, evidence: f64, recency: f64, provenance: usize) -> Weighed {
        Weighed { mean, evidence, recency, provenance }
    }

    // By hand: 0.5 * 0.8 + 0.3 * 0.5 + 0.2 * 10 / 20 = 0.65.
    #[test]
    fn upk_3_the_score_is_evidence_recency_and_provenance() {
        for (one, right) in [
            (weighed(0.8, 10.0, 0.5, 10), 0.65),
            (weighed(0.5, 10.0, 1.0, 0), 0.55),
            (weighed(1.0, 10.0, 1.0, 30), 0.95),
        ] {
            assert!((one.score() - right).abs() < 1e-6, "{one:?}: {}", one.score());
        }
    }

    #[test]
    fn upk_3_one_is_ahead_by_two_points_or_by_more_than_chance() {
        let table = [
            // Ahead in mean by more than .15 and in recency by more than .2.
            (weighed(0.8, 20.0, 0.9, 0), weighed(0.6, 20.0, 0.5, 0), Ordered::Pareto, Some(Ahead::One)),
            // Exactly .25 and two citations more.
            (weighed(0.5, 20.0, 0.5, 0), weighed(0.75, 20.0, 0.5, 2), Ordered::Pareto, Some(Ahead::Other)),
            // One citation more is no point, and one point is not enough: 0.375 + 0.15 against 0.25 + 0.15, lead 0.125 < 0.05 + 2/20.
            (weighed(0.75, 20.0, 0.5, 0), weighed(0.5, 20.0, 0.5, 0), Ordered::Competing, None),
            // The same lead with much evidence: 0.125 > 0.05 + 2/100.
            (weighed(0.75, 100.0, 0.5, 0), weighed(0.5, 100.0, 0.5, 0), Ordered::Threshold, Some(Ahead::One)),
            (weighed(0.5, 10.0, 1.0, 1), weighed(0.5, 10.0, 1.0, 1), Ordered::Competing, None),
        ];
        for (one, other, how, ahead) in table {
            assert_eq!(order(&one, &other), (how, ahead), "{one:?} {other:?}");
            let turned = ahead.map(|ahead| if ahead == Ahead::One { Ahead::Other } else { Ahead::One });
            assert_eq!(order(&other, &one), (how, turned), "the other way round");
        }
    }
}
