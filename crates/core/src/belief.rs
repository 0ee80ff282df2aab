//! How far an entry can be believed: a Beta distribution, folded from what happened when it was used (BEL-1 to BEL-8).
//!
//! The ledger holds observations and nothing that was computed from them. What follows is added up whenever somebody asks, so two clones
//! that hold the same observations believe the same, in whatever order those came.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::clock::Millis;
use crate::entry::Entry;
use crate::kinds::DecayClass;
use crate::limits::{
    EVIDENCE_MAX, FADING_DAYS_MAX, FORAGED_ALPHA, FORAGED_BETA, MASTERY_BONUS, MASTERY_SHARE, PRIOR_ALPHA,
    PRIOR_BETA, WIDENED_DAYS,
};

/// What an observation speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// It helped.
    For,
    /// It did not.
    Against,
}

/// One thing that moves a belief, as far as arithmetic is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The day it happened, counted from 1970: belief has one value a day.
    pub day: i32,
    /// What it was.
    pub what: Moved,
}

/// What moves a belief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// It was used, and this is how that went; the weight is in thousandths.
    Observed(Side, u32),
    /// BEL-7: everything before is forgotten.
    Reset,
    /// BEL-8: everything before fades by a month.
    Widened,
}

/// What is known of an entry's use, in the order in which it happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record(pub Vec<Mark>);

/// A Beta distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Beta {
    /// Weight of what speaks for it.
    pub alpha: f64,
    /// Weight of what speaks against it.
    pub beta: f64,
}

impl Beta {
    /// The expected rate of success.
    pub fn mean(self) -> f64 {
        self.alpha / (self.alpha + self.beta)
    }

    /// BEL-10: how much of the certainty bar is filled.
    pub fn certainty(self) -> f64 {
        ((self.alpha + self.beta) / 50.0).min(1.0)
    }
}

/// BEL-1: the belief in an entry that nobody has used yet.
pub fn prior(entry: &Entry) -> Beta {
    let foraged = entry.fields.source.as_ref().is_some_and(|source| source.page.is_some());
    match foraged {
        true => Beta { alpha: FORAGED_ALPHA, beta: FORAGED_BETA },
        false => Beta { alpha: PRIOR_ALPHA, beta: PRIOR_BETA },
    }
}

/// BEL-2: what is left of an observation after a day.
pub fn gamma(class: DecayClass) -> f64 {
    match class {
        DecayClass::Ephemeral => 0.98,
        DecayClass::Stable => 0.995,
        DecayClass::Permanent => 1.0,
    }
}

/// The day of a time.
pub fn day(time: Millis) -> i32 {
    i32::try_from(time.0.div_euclid(86_400_000)).unwrap_or(i32::MAX)
}

/// A belief with what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    /// The distribution, evidence cap included.
    pub now: Beta,
    /// The one it started from.
    pub prior: Beta,
    /// BEL-6: the highest alpha that it had after an observation.
    pub peak: f64,
}

impl Belief {
    /// BEL-1: observations that count now, beyond the prior.
    pub fn observations(&self) -> f64 {
        (self.now.alpha + self.now.beta - self.prior.alpha - self.prior.beta).max(0.0)
    }
}

/// The belief in an entry on some day.
pub fn of(entry: &Entry, now: Millis) -> Belief {
    fold(&entry.record, prior(entry), entry.fields.decay_class(), day(now))
}

/// BEL-2, BEL-5 to BEL-8: adds up a record.
///
/// Marks of days after `today` count as of today: clocks of other machines may be ahead.
pub fn fold(record: &Record, prior: Beta, class: DecayClass, today: i32) -> Belief {
    let mut sum = Sum::new(prior, class);
    for mark in &record.0 {
        sum.take(*mark);
    }
    let peak = sum.peak;
    Belief { now: sum.at(today), prior: sum.prior, peak }
}

/// A belief while its record is added up.
struct Sum {
    prior: Beta,
    gamma: f64,
    mastery: bool,
    terms: Vec<Term>,
    /// Sums of what is younger than the limit of fading, as of `today`, and of what is older.
    peak: f64,
}

/// What one observation adds.
#[derive(Clone, Copy)]
struct Term {
    day: i32,
    alpha: f64,
    beta: f64,
}

impl Sum {
    fn new(prior: Beta, class: DecayClass) -> Sum {
        let mastery = match class {
            DecayClass::Stable | DecayClass::Permanent => true,
            DecayClass::Ephemeral => false,
        };
        Sum { prior, gamma: gamma(class), mastery, terms: Vec::new(), peak: prior.alpha }
    }

    fn take(&mut self, mark: Mark) {
        match mark.what {
            Moved::Reset => {
                self.prior = Beta { alpha: PRIOR_ALPHA, beta: PRIOR_BETA };
                self.terms.clear();
                self.peak = self.prior.alpha;
            }
            Moved::Widened => {
                let left = self.gamma.powi(WIDENED_DAYS);
                for term in &mut self.terms {
                    term.alpha *= left;
                    term.beta *= left;
                }
            }
            Moved::Observed(side, thousandths) => {
                let weight = f64::from(thousandths) / 1000.0;
                let term = match side {
                    Side::For => {
                        let bonus = self.mastered(mark.day);
                        Term { day: mark.day, alpha: weight + bonus, beta: 0.0 }
                    }
                    Side::Against => Term { day: mark.day, alpha: 0.0, beta: weight },
                };
                self.terms.push(term);
                self.peak = self.peak.max(self.at(mark.day).alpha);
            }
        }
    }

    /// BEL-6: what was known well and faded comes back faster.
    fn mastered(&self, today: i32) -> f64 {
        let alpha = self.at(today).alpha;
        if self.mastery && alpha < MASTERY_SHARE * self.peak {
            MASTERY_BONUS * (self.peak - alpha)
        } else {
            0.0
        }
    }

    fn at(&self, today: i32) -> Beta {
        let (mut alpha, mut beta) = (self.prior.alpha, self.prior.beta);
        for term in &self.terms {
            let days = (today - term.day).clamp(0, FADING_DAYS_MAX);
            let left = self.gamma.powi(days);
            alpha += left * term.alpha;
            beta += left * term.beta;
        }
        let all = alpha + beta;
        if all > EVIDENCE_MAX {
            (alpha, beta) = (alpha * EVIDENCE_MAX / all, beta * EVIDENCE_MAX / all);
        }
        Beta { alpha, beta }
    }
}

/// A record as one line: the day, then `+` or `-` with the weight, `!` for a reset, `~` for a widening.
impl fmt::Display for Record {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, mark) in self.0.iter().enumerate() {
            if at > 0 {
                out.write_str(" ")?;
            }
            match mark.what {
                Moved::Observed(Side::For, weight) => write!(out, "{}+{weight}", mark.day)?,
                Moved::Observed(Side::Against, weight) => write!(out, "{}-{weight}", mark.day)?,
                Moved::Reset => write!(out, "{}!", mark.day)?,
                Moved::Widened => write!(out, "{}~", mark.day)?,
            }
        }
        Ok(())
    }
}

impl FromStr for Record {
    type Err = String;

    fn from_str(text: &str) -> Result<Record, String> {
        let mark = |word: &str| -> Option<Mark> {
            let end = word[1..].find(|c: char| !c.is_ascii_digit())? + 1;
            let (day, rest) = word.split_at(end);
            let what = match (rest.get(..1)?, rest.get(1..)?) {
                ("+", weight) => Moved::Observed(Side::For, weight.parse().ok()?),
                ("-", weight) => Moved::Observed(Side::Against, weight.parse().ok()?),
                ("!", "") => Moved::Reset,
                ("~", "") => Moved::Widened,
                _ => return None,
            };
            Some(Mark { day: day.parse().ok()?, what })
        };
        let marks = text.split_ascii_whitespace().map(|word| {
            word.is_ascii()
                .then(|| mark(word))
                .flatten()
                .ok_or_else(|| format!("{word:?} is no mark of a record"))
        });
        marks.collect::<Result<_, _>>().map(Record)
    }
}

impl Serialize for Record {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// BEL-3: what a finished run adds, in thousandths.
pub fn outcome_weight(side: Side, quality: f64) -> u32 {
    let told = match side {
        Side::For => quality,
        Side::Against => 1.0 - quality,
    };
    ((0.5 + told).clamp(0.5, 1.5) * 1000.0).round() as u32
}

/// BEL-4: what a word of feedback adds, in thousandths.
pub const FEEDBACK_WEIGHT: u32 = 1000;
