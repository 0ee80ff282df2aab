//! `belief`: how far an entry can be believed, and how that came about (BEL-10); and whether belief means what it says (BEL-11).

use ken_core::belief::{self, Moved, Record, Side};
use ken_core::calibration::{Reliability, reliability};
use ken_core::kinds::DecayClass;
use ken_core::{BeliefEvent, Body, Millis};
use serde::Serialize;

use super::find;
use crate::error::Result;
use crate::projection::Projection;
use crate::query::Query;
use crate::view::{self, Belief};

/// What `belief` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BeliefAnswer {
    pub id: String,
    /// Its short citation.
    pub handle: String,
    pub title: String,
    /// The belief in it today.
    #[serde(flatten)]
    pub belief: Belief,
    /// Where the rate of success lies with 95 % probability.
    pub interval: [f64; 2],
    /// Where it started.
    pub prior: [f64; 2],
    /// How fast observations fade.
    pub decay_class: DecayClass,
    /// The highest alpha it ever had.
    pub peak: f64,
    /// Questions to which it was the best answer and none, and words of feedback that it did not help.
    pub prediction_errors: u32,
    /// The belief after each thing that moved it, oldest first, and today.
    pub history: Vec<Step>,
}

/// The belief at one moment.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    pub date: String,
    /// Weight of what spoke for it.
    pub alpha: f64,
    /// Weight of what spoke against it.
    pub beta: f64,
    /// The expected rate of success.
    pub mean: f64,
    /// Where that lies with 95 % probability.
    pub interval: [f64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// How much that counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

/// How far an entry can be believed, and how that came about.
pub fn belief(ledger: &dyn Projection, name: &str, now: Millis) -> Result<BeliefAnswer> {
    let stored = find(ledger, name)?;
    let entry = &stored.entry;
    let (prior, class) = (belief::prior(entry), entry.fields.decay_class());
    let folded = belief::belief_at(entry, now);
    let mut reasons = reasons(ledger, entry.key)?.into_iter();
    let points = belief::history(&entry.whole_record(), prior, class, belief::day(now));
    // Of one day its own come first, as in the whole record.
    let mut is_own: Vec<(i32, bool)> = entry.record.0.iter().map(|mark| (mark.day, true)).collect();
    is_own.extend(entry.pool.record.0.iter().map(|mark| (mark.day, false)));
    is_own.sort_by_key(|(day, _)| *day);
    let mut is_own = is_own.into_iter().map(|(_, own)| own);
    let history = points.into_iter().map(|point| {
        let (low, high) = point.now.interval();
        Step {
            date: Millis(i64::from(point.day) * 86_400_000).date(),
            alpha: point.now.alpha,
            beta: point.now.beta,
            mean: point.now.mean(),
            interval: [low, high],
            what: point.what.and_then(|_| match is_own.next() {
                Some(false) => Some("of an entry that was merged into it".to_owned()),
                Some(true) | None => reasons.next(),
            }),
            weight: match point.what {
                Some(Moved::Observed(Side::For, weight)) => Some(f64::from(weight) / 1000.0),
                Some(Moved::Observed(Side::Against, weight)) => Some(-f64::from(weight) / 1000.0),
                Some(Moved::Reset | Moved::Widened) | None => None,
            },
        }
    });
    let (low, high) = folded.now.interval();
    Ok(BeliefAnswer {
        id: stored.id.clone(),
        handle: view::handle(&stored),
        title: view::title(entry),
        belief: view::belief(entry, now),
        interval: [low, high],
        prior: [prior.alpha, prior.beta],
        decay_class: class,
        peak: folded.peak,
        prediction_errors: entry.missed,
        history: history.collect(),
    })
}

/// Why each mark of a record is there, in its order: of several words of one source, the latest.
fn reasons(ledger: &dyn Projection, key: ken_core::EntryKey) -> Result<Vec<String>> {
    let mut told: Vec<(Option<String>, String)> = Vec::new();
    for placed in ledger.history(key)? {
        let Some(Body::Belief(moved)) = &placed.event.body else { continue };
        let (source, why) = match moved {
            BeliefEvent::Observed { source, reason, .. } => (Some(source.clone()), reason.clone()),
            BeliefEvent::Reset { reason } if reason.is_empty() => (None, "reset".to_owned()),
            BeliefEvent::Reset { reason } => (None, format!("reset: {reason}")),
            BeliefEvent::Widened { thread } => (None, format!("thread {thread} was put away")),
        };
        if source.is_some() {
            told.retain(|(known, _)| *known != source);
        }
        told.push((source, crate::intake::redacted_text(&why)));
    }
    Ok(told.into_iter().map(|(_, why)| why).collect())
}

/// What `eval calibration` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CalibrationAnswer {
    /// Entries that anything is known of.
    pub entries: usize,
    /// What was believed before each use, against how that use went.
    #[serde(flatten)]
    pub reliability: Reliability,
}

/// BEL-11: what was believed before each use, against how that use went.
pub fn calibration(ledger: &dyn Projection) -> Result<CalibrationAnswer> {
    let mut predictions = Vec::new();
    let mut entries = 0;
    for stored in ledger.list(&Query { all: true, ..Query::default() })?.entries {
        let entry = &stored.entry;
        let (prior, class) = (belief::prior(entry), entry.fields.decay_class());
        let before = predictions.len();
        for (at, mark) in entry.record.0.iter().enumerate() {
            if let Moved::Observed(side, _) = mark.what {
                let known = Record(entry.record.0[..at].to_vec());
                let mean = belief::fold(&known, prior, class, mark.day).now.mean();
                predictions.push((mean, side == Side::For));
            }
        }
        entries += usize::from(predictions.len() > before);
    }
    Ok(CalibrationAnswer { entries, reliability: reliability(&predictions) })
}
