//! How far an entry can be believed: a Beta distribution, folded from what happened when it was used (BEL-1 to BEL-8).
//!
//! The ledger holds observations and nothing that was computed from them. What follows is added up whenever somebody asks, so two clones
//! that hold the same observations believe the same, in whatever order those came.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use statrs::distribution::ContinuousCDF;

use crate::clock::Millis;
use crate::entry::Entry;
use crate::kinds::DecayClass;
pub use crate::limits::belief::FEEDBACK_WEIGHT;
use crate::limits::{
    DISTILLED_ALPHA_MAX, EVIDENCE_MAX, FADING_DAYS_MAX, FORAGED_ALPHA, FORAGED_BETA, MASTERY_BONUS,
    MASTERY_SHARE, PRIOR_ALPHA, PRIOR_BETA, RANK_SHARE, WIDENED_DAYS,
};

/// What an observation speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Side {
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

impl Moved {
    /// A total order of like things, for records that are put together.
    pub(crate) fn order(self) -> (u8, u32) {
        match self {
            Moved::Observed(Side::For, weight) => (0, weight),
            Moved::Observed(Side::Against, weight) => (1, weight),
            Moved::Reset => (2, 0),
            Moved::Widened => (3, 0),
        }
    }
}

/// What is known of an entry's use, in the order in which it happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record(pub Vec<Mark>);

/// A Beta distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    /// BEL-10: between which rates the true one lies with 95 %, as far below as above.
    pub fn interval(self) -> (f64, f64) {
        (self.percentile(0.025), self.percentile(0.975))
    }

    /// The rate that the true one is below with this probability.
    pub fn percentile(self, probability: f64) -> f64 {
        match statrs::distribution::Beta::new(self.alpha, self.beta) {
            Ok(belief) => belief.inverse_cdf(probability),
            // Only a belief that is no belief gets here: nothing is known.
            Err(_) => probability.round(),
        }
    }
}

/// BEL-1: the belief in an entry that nobody has used yet.
pub fn prior(entry: &Entry) -> Beta {
    let source = entry.fields.source.as_ref();
    prior_of(source.is_some_and(|source| source.page.is_some()), source.and_then(|source| source.distilled))
}

/// The same by where an entry comes from: a page, or other entries with this alpha, in thousandths.
pub fn prior_of(foraged: bool, distilled: Option<u32>) -> Beta {
    match (foraged, distilled) {
        (true, _) => Beta { alpha: FORAGED_ALPHA, beta: FORAGED_BETA },
        (false, Some(alpha)) => {
            let alpha = (f64::from(alpha) / 1000.0).clamp(PRIOR_ALPHA, DISTILLED_ALPHA_MAX);
            Beta { alpha, beta: PRIOR_BETA }
        }
        (false, None) => Beta { alpha: PRIOR_ALPHA, beta: PRIOR_BETA },
    }
}

/// UPK-4: the alpha, in thousandths, of an entry that sums up others with these.
pub fn distilled_alpha(alphas: impl Iterator<Item = f64>) -> u32 {
    let half = alphas.sum::<f64>() / 2.0;
    (half.clamp(PRIOR_ALPHA, DISTILLED_ALPHA_MAX) * 1000.0).round() as u32
}

/// BEL-2: what is left of an observation after a day.
pub const fn gamma(class: DecayClass) -> f64 {
    match class {
        DecayClass::Ephemeral => 0.98,
        DecayClass::Stable => 0.995,
        DecayClass::Permanent => 1.0,
    }
}

/// The day of a time; what is further away than can be counted is as far as can be.
pub fn day(time: Millis) -> i32 {
    let day = time.0.div_euclid(86_400_000);
    i32::try_from(day).unwrap_or(if day < 0 { i32::MIN } else { i32::MAX })
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
pub fn belief_at(entry: &Entry, now: Millis) -> Belief {
    fold(&entry.whole_record(), prior(entry), entry.fields.decay_class(), day(now))
}

/// The belief in an entry by what was seen of it alone: what others earned raises no status (COR-18).
pub fn own_belief_at(entry: &Entry, now: Millis) -> Belief {
    fold(&entry.record, prior(entry), entry.fields.decay_class(), day(now))
}

/// BEL-2, BEL-5 to BEL-8: adds up a record.
///
/// Marks of days after `today` count as of today: clocks of other machines may be ahead.
pub fn fold(record: &Record, prior: Beta, class: DecayClass, today: i32) -> Belief {
    let mut sum = Sum::new(prior, class, record.0.len());
    for mark in in_order(&record.0).iter() {
        sum.take(Mark { day: mark.day.min(today), ..*mark });
    }
    Belief { now: sum.at(today), prior: sum.prior, peak: sum.peak }
}

/// The belief in an entry at some time in the past, or now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The day, counted from 1970.
    pub day: i32,
    /// The belief then, evidence cap included.
    pub now: Beta,
    /// What had just moved it; nothing did in the last point, which is that of today.
    pub what: Option<Moved>,
}

/// How a belief came about: what it was right after each mark, and last what it is today.
pub fn history(record: &Record, prior: Beta, class: DecayClass, today: i32) -> Vec<Point> {
    let mut sum = Sum::new(prior, class, record.0.len());
    let mut points = Vec::with_capacity(record.0.len() + 1);
    for mark in in_order(&record.0).iter() {
        let day = mark.day.min(today);
        sum.take(Mark { day, ..*mark });
        points.push(Point { day, now: sum.at(day), what: Some(mark.what) });
    }
    points.push(Point { day: today, now: sum.at(today), what: None });
    points
}

/// The marks by their day. They are in order as they come from a ledger, and rarely not where records were put together.
fn in_order(marks: &[Mark]) -> Cow<'_, [Mark]> {
    if marks.is_sorted_by_key(|mark| mark.day) {
        return Cow::Borrowed(marks);
    }
    let mut sorted = marks.to_vec();
    sorted.sort_by_key(|mark| mark.day);
    Cow::Owned(sorted)
}

/// What is left of an observation after each number of days, up to the last that counts.
type Fading = [f64; FADING_DAYS_MAX as usize + 1];

static EPHEMERAL: Fading = fading(DecayClass::Ephemeral);
static STABLE: Fading = fading(DecayClass::Stable);
static PERMANENT: Fading = fading(DecayClass::Permanent);

const fn fading(class: DecayClass) -> Fading {
    let mut left = [1.0; FADING_DAYS_MAX as usize + 1];
    let mut days = 1;
    while days < left.len() {
        left[days] = left[days - 1] * gamma(class);
        days += 1;
    }
    left
}

/// A belief while its record is added up, mark by mark and day by day.
struct Sum {
    prior: Beta,
    fading: &'static Fading,
    mastery: bool,
    /// What has faded as far as anything does.
    settled: Beta,
    /// What still fades, a row for each day: so there are never more rows than days that count, however much was observed.
    days: VecDeque<Observed>,
    peak: f64,
}

/// What the observations of one day add, before any fading.
#[derive(Clone, Copy)]
struct Observed {
    day: i32,
    alpha: f64,
    beta: f64,
}

impl Sum {
    fn new(prior: Beta, class: DecayClass, marks: usize) -> Sum {
        let (fading, mastery) = match class {
            DecayClass::Ephemeral => (&EPHEMERAL, false),
            DecayClass::Stable => (&STABLE, true),
            DecayClass::Permanent => (&PERMANENT, true),
        };
        let days = VecDeque::with_capacity(marks.min(fading.len()));
        Sum { prior, fading, mastery, settled: Beta { alpha: 0.0, beta: 0.0 }, days, peak: prior.alpha }
    }

    /// Adds a mark that is not before any of those that were added.
    fn take(&mut self, mark: Mark) {
        match mark.what {
            Moved::Reset => {
                self.prior = Beta { alpha: PRIOR_ALPHA, beta: PRIOR_BETA };
                self.settled = Beta { alpha: 0.0, beta: 0.0 };
                self.days.clear();
                self.peak = self.prior.alpha;
            }
            Moved::Widened => {
                let left = self.fading[WIDENED_DAYS as usize];
                self.settled.alpha *= left;
                self.settled.beta *= left;
                for row in &mut self.days {
                    row.alpha *= left;
                    row.beta *= left;
                }
            }
            Moved::Observed(side, thousandths) => {
                self.settle(mark.day);
                let before = self.uncapped(mark.day);
                let weight = f64::from(thousandths) / 1000.0;
                let (alpha, beta) = match side {
                    Side::For => (weight + self.mastered(capped(before).alpha), 0.0),
                    Side::Against => (0.0, weight),
                };
                match self.days.back_mut() {
                    Some(row) if row.day == mark.day => {
                        row.alpha += alpha;
                        row.beta += beta;
                    }
                    Some(_) | None => self.days.push_back(Observed { day: mark.day, alpha, beta }),
                }
                let after = Beta { alpha: before.alpha + alpha, beta: before.beta + beta };
                self.peak = self.peak.max(capped(after).alpha);
            }
        }
    }

    /// BEL-6: what was known well and faded comes back faster.
    fn mastered(&self, alpha: f64) -> f64 {
        if self.mastery && alpha < MASTERY_SHARE * self.peak {
            MASTERY_BONUS * (self.peak - alpha)
        } else {
            0.0
        }
    }

    /// Puts away what fades no further from some day on.
    fn settle(&mut self, today: i32) {
        let least = self.fading[self.fading.len() - 1];
        while let Some(row) = self.days.front().filter(|row| today.saturating_sub(row.day) >= FADING_DAYS_MAX)
        {
            self.settled.alpha += least * row.alpha;
            self.settled.beta += least * row.beta;
            self.days.pop_front();
        }
    }

    fn at(&self, today: i32) -> Beta {
        capped(self.uncapped(today))
    }

    fn uncapped(&self, today: i32) -> Beta {
        let mut sum =
            Beta { alpha: self.prior.alpha + self.settled.alpha, beta: self.prior.beta + self.settled.beta };
        for row in &self.days {
            let left = self.fading[today.saturating_sub(row.day).clamp(0, FADING_DAYS_MAX) as usize];
            sum.alpha += left * row.alpha;
            sum.beta += left * row.beta;
        }
        sum
    }
}

/// BEL-5: no more evidence than one can unlearn; the mean is kept.
fn capped(sum: Beta) -> Beta {
    let all = sum.alpha + sum.beta;
    if all > EVIDENCE_MAX {
        Beta { alpha: sum.alpha * EVIDENCE_MAX / all, beta: sum.beta * EVIDENCE_MAX / all }
    } else {
        sum
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
        // A mark of this century takes about ten letters.
        let mut marks = Vec::with_capacity(text.len() / 10 + 1);
        for word in text.split_ascii_whitespace() {
            marks.push(mark(word.as_bytes()).ok_or_else(|| format!("{word:?} is no mark of a record"))?);
        }
        Ok(Record(marks))
    }
}

/// Reads `19000+1500`. By the byte, since a store has a million of them.
fn mark(word: &[u8]) -> Option<Mark> {
    let (day, rest) = match word {
        [b'-', rest @ ..] => number(rest).map(|(day, rest)| (-day, rest))?,
        _ => number(word)?,
    };
    let weight = |digits| match number(digits)? {
        (weight, []) => u32::try_from(weight).ok(),
        (_, [_, ..]) => None,
    };
    let what = match rest {
        [b'+', digits @ ..] => Moved::Observed(Side::For, weight(digits)?),
        [b'-', digits @ ..] => Moved::Observed(Side::Against, weight(digits)?),
        [b'!'] => Moved::Reset,
        [b'~'] => Moved::Widened,
        _ => return None,
    };
    Some(Mark { day: i32::try_from(day).ok()?, what })
}

/// The digits that a text begins with, at least one and no more than can be counted, and what follows them.
fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(digits);
    let number = digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    (1..=10).contains(&digits.len()).then_some((number, rest))
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

/// COR-3: what is left of the weight of a success for the entry of some rank, in a report that says in which order entries helped; 0 is the
/// first. Failures are not discounted.
pub fn ranked_weight(weight: u32, rank: usize) -> u32 {
    let rank = i32::try_from(rank).unwrap_or(i32::MAX);
    // However long a list is, who is on it was used.
    ((f64::from(weight) * RANK_SHARE.powi(rank)).round() as u32).max(1)
}
