//! `outcomes`: what runs came to, derived from their events alone (UPK-7).

use std::collections::{BTreeMap, BTreeSet};

use ken_core::Millis;
use ken_core::answer::RunState;
use ken_core::run::{Run, RunKind, RunOutcome};
use serde::Serialize;

use super::run::RunLine;
use crate::error::Result;
use crate::projection::Projection;

/// How far back is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    All,
    /// Hours up to now.
    Hours(i64),
}

impl Period {
    /// Reads `7d`, `24h`, `4w` or `all`.
    pub fn parse(text: &str) -> std::result::Result<Period, String> {
        let text = text.trim().to_lowercase();
        if text == "all" {
            return Ok(Period::All);
        }
        let wrong = || format!("invalid period {text:?}; write 24h, 7d, 4w or all");
        let end = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (count, unit) = text.split_at(end);
        let count: i64 = count.parse().map_err(|_| wrong())?;
        let hours = match unit {
            "h" => 1,
            "d" => 24,
            "w" => 7 * 24,
            _ => return Err(wrong()),
        };
        match count.checked_mul(hours).filter(|hours| (1..=1_000_000).contains(hours)) {
            Some(hours) => Ok(Period::Hours(hours)),
            None => Err(wrong()),
        }
    }
}

/// What one run came to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcome {
    #[serde(flatten)]
    pub line: RunLine,
    /// How many rounds it took.
    pub rounds: Option<u32>,
    /// What it cost.
    pub cost: Option<f64>,
    /// How long it took, in seconds.
    pub duration: Option<f64>,
    /// Entries that it was shown.
    pub accessed: usize,
    /// Entries that it said it used.
    pub used: Option<usize>,
    /// Entries that came out of it.
    pub extracted: u32,
}

/// What several runs came to.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Totals {
    /// How many there were.
    pub runs: usize,
    /// Those that did what they should.
    pub succeeded: usize,
    /// Those that did not.
    pub failed: usize,
    /// Those that somebody stopped.
    pub killed: usize,
    /// Those that nobody came back to.
    pub abandoned: usize,
    /// Conversations that their host ended.
    pub ended: usize,
    /// Those that are not over.
    pub open: usize,
    /// Tasks and sessions that succeeded or failed; those killed, abandoned, ended or open are left out, and so are reviews.
    pub rated: usize,
    /// Successes, of those.
    pub success_rate: Option<f64>,
    /// The mean of what was said of quality.
    pub quality: Option<f64>,
    /// The mean of the rounds.
    pub rounds: Option<f64>,
    /// The sum of the costs.
    pub cost: Option<f64>,
}

/// What `outcomes` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomesAnswer {
    /// All of them together.
    pub totals: Totals,
    /// By how they were gone about.
    pub strategies: BTreeMap<String, Totals>,
    /// Each of them, newest first.
    pub runs: Vec<Outcome>,
}

/// What runs that ended, or began and are open, in some period came to.
pub fn outcomes(runs: &dyn Projection, period: Period, now: Millis) -> Result<OutcomesAnswer> {
    let (since, all) = match period {
        Period::All => (i64::MIN, runs.runs()?),
        Period::Hours(hours) => {
            let since = now.0 - hours * 3_600_000;
            (since, runs.runs_since(Millis(since.max(0)))?)
        }
    };
    let when = |run: &Run| run.finished.as_ref().map_or(run.at, |(_, at)| *at).millis().0;
    let mut found = Vec::new();
    for run in all.into_iter().filter(|run| when(run) >= since) {
        let shown: BTreeSet<_> =
            runs.exposures(&run.started.run)?.into_iter().map(|seen| seen.entry).collect();
        let end = run.finished.as_ref();
        found.push(Outcome {
            line: RunLine::new(&run, now),
            rounds: end.and_then(|(end, _)| end.rounds),
            cost: end.and_then(|(end, _)| end.cost).map(|cost| cost as f64 / 1000.0),
            duration: end.map(|(_, at)| (at.millis().0 - run.at.millis().0) as f64 / 1000.0),
            accessed: shown.len(),
            used: end.and_then(|(end, _)| end.used.as_ref()).map(Vec::len),
            extracted: end.map_or(0, |(end, _)| end.extracted),
        });
    }
    found.reverse();
    let mut strategies: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
    for outcome in &found {
        if let Some(strategy) = &outcome.line.strategy {
            strategies.entry(strategy.clone()).or_default().push(outcome);
        }
    }
    let strategies = strategies.into_iter().map(|(name, runs)| (name, totals(runs.into_iter()))).collect();
    Ok(OutcomesAnswer { totals: totals(found.iter()), strategies, runs: found })
}

fn totals<'a>(runs: impl Iterator<Item = &'a Outcome>) -> Totals {
    let runs: Vec<&Outcome> = runs.collect();
    let in_state = |state: RunState| runs.iter().filter(|run| run.line.state == state).count();
    let ended = |outcome: RunOutcome| in_state(outcome.into());
    let mean =
        |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let (succeeded, failed) = (ended(RunOutcome::Succeeded), ended(RunOutcome::Failed));
    let work = |outcome: RunOutcome| {
        let ended = |run: &&&Outcome| run.line.state == outcome.into() && run.line.kind != RunKind::Review;
        runs.iter().filter(ended).count()
    };
    let (worked, missed) = (work(RunOutcome::Succeeded), work(RunOutcome::Failed));
    let costs: Vec<f64> = runs.iter().filter_map(|run| run.cost).collect();
    Totals {
        runs: runs.len(),
        succeeded,
        failed,
        killed: ended(RunOutcome::Killed),
        abandoned: ended(RunOutcome::Abandoned),
        ended: in_state(RunState::Ended),
        open: in_state(RunState::Open),
        rated: worked + missed,
        success_rate: (worked + missed > 0).then(|| worked as f64 / (worked + missed) as f64),
        quality: mean(runs.iter().filter_map(|run| run.line.quality).collect()),
        rounds: mean(runs.iter().filter_map(|run| run.rounds.map(f64::from)).collect()),
        cost: (!costs.is_empty()).then(|| costs.iter().sum()),
    }
}
