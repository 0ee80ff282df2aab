//! Rules about work: what runs cost, how well they went and what they left behind.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::run::{Finished, Run, RunKind, RunOutcome};

use super::{BriefingFacts, Sign, Task, count, limits};
use crate::error::Result;

/// Runs that ended lately, and how.
fn ends<'a>(known: &'a BriefingFacts<'_>) -> impl Iterator<Item = (&'a Run, &'a Finished)> {
    let since = known.now.0 - limits::RUNS_DAYS * 86_400_000;
    let lately = known.runs.iter().filter_map(|run| run.finished.as_ref().map(|(end, at)| (run, end, at)));
    lately.filter(move |(_, _, at)| at.millis().0 >= since).map(|(run, end, _)| (run, end))
}

/// How well it went, where somebody said so; nothing counts as unsaid.
fn quality(end: &Finished) -> Option<f64> {
    end.quality.filter(|quality| *quality > 0).map(|quality| f64::from(quality) / 1000.0)
}

fn cost(end: &Finished) -> Option<f64> {
    end.cost.filter(|cost| *cost > 0).map(|cost| cost as f64 / 1000.0)
}

fn strategy<'a>(run: &'a Run, end: &'a Finished) -> Option<&'a str> {
    end.strategy.as_deref().or(run.started.strategy.as_deref())
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn said(text: String, action: &str, goal: String) -> Sign {
    let (action, task) = (action.to_owned(), Task::plan(goal));
    Sign { severity: None, text, entries: Vec::new(), action, task }
}

/// What follows from runs is looked up where they are listed.
const OUTCOMES: &str = "ken stats --outcomes --period 90d";

pub(super) fn strategy_efficiency(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let mut of: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (run, end) in ends(known) {
        if let (Some(name), Some(quality)) = (strategy(run, end), quality(end)) {
            of.entry(name).or_default().push(quality);
        }
    }
    of.retain(|_, qualities| qualities.len() >= limits::STRATEGY_RUNS_MIN);
    let mean = |qualities: &Vec<f64>| qualities.iter().sum::<f64>() / qualities.len() as f64;
    let means: Vec<(&str, f64, usize)> = of.iter().map(|(name, all)| (*name, mean(all), all.len())).collect();
    let Some(best) = means.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(a.0))) else {
        return Ok(Vec::new());
    };
    // A lag of exactly that much is none, whatever the last digit of a sum is.
    let lagging = means.iter().filter(|one| best.1 - one.1 > limits::STRATEGY_LAG + limits::QUALITY_STEP);
    let told = lagging.map(|(name, mean, runs)| {
        let text = format!(
            "Runs with the strategy {name:?} reach a quality of {} on average ({}), those with {:?} {}.",
            percent(*mean),
            count(*runs, "run", "runs"),
            best.0,
            percent(best.1)
        );
        let goal = format!("Use {:?} where {name:?} was used, or find out why that lags", best.0);
        said(text, OUTCOMES, goal)
    });
    Ok(told.collect())
}

pub(super) fn diminishing_rounds(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let long = ends(known).filter(|(_, end)| {
        end.rounds.is_some_and(|rounds| rounds >= limits::ROUNDS_MANY)
            && quality(end).is_some_and(|quality| quality < limits::ROUNDS_QUALITY)
    });
    let long = long.count();
    if long < limits::ROUNDS_RUNS_MIN {
        return Ok(Vec::new());
    }
    let text = format!(
        "{long} runs took {} rounds or more and reached a quality below {}: more rounds did not help.",
        limits::ROUNDS_MANY,
        percent(limits::ROUNDS_QUALITY)
    );
    let goal = format!("Stop such runs before round {}, or split their tasks", limits::ROUNDS_MANY);
    Ok(vec![said(text, OUTCOMES, goal)])
}

pub(super) fn cost_outlier(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let paid: Vec<(&str, f64)> =
        ends(known).filter_map(|(run, end)| Some((run.started.run.as_str(), cost(end)?))).collect();
    if paid.len() < limits::COST_RUNS_MIN {
        return Ok(Vec::new());
    }
    let mut costs: Vec<f64> = paid.iter().map(|(_, cost)| *cost).collect();
    costs.sort_by(f64::total_cmp);
    let median = costs[costs.len() / 2];
    let far = paid.iter().filter(|(_, cost)| *cost > limits::COST_FACTOR * median);
    let told = far.map(|(run, cost)| {
        let text = format!(
            "Run {run} cost {cost}, {:.1} times the median of {}.",
            cost / median,
            count(paid.len(), "run", "runs")
        );
        said(text, &format!("ken task show {run}"), format!("Find out why run {run} cost so much"))
    });
    Ok(told.collect())
}

pub(super) fn knowledge_return(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let total: f64 = ends(known).filter_map(|(_, end)| cost(end)).sum();
    let barren: Vec<f64> = ends(known)
        .filter(|(_, end)| end.outcome == RunOutcome::Succeeded && end.extracted == 0)
        .filter_map(|(_, end)| cost(end))
        .collect();
    let spent: f64 = barren.iter().sum();
    if barren.len() < limits::RETURN_RUNS_MIN || spent / total <= limits::RETURN_SHARE {
        return Ok(Vec::new());
    }
    let text = format!(
        "{} of the cost of runs went to {} that succeeded but left no entry.",
        percent(spent / total),
        count(barren.len(), "run", "runs")
    );
    let goal =
        "Read the transcripts of these runs with `ken harvest`, and record what was learned".to_owned();
    Ok(vec![said(text, OUTCOMES, goal)])
}

/// Work goes in circles: one way of going about it, the same few entries, and many failures.
pub(super) fn stagnation(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let work: Vec<(&Run, &Finished)> =
        ends(known).filter(|(run, _)| run.started.kind != RunKind::Review).collect();
    let ended = |outcome| work.iter().filter(|(_, end)| end.outcome == outcome).count();
    let (succeeded, failed) = (ended(RunOutcome::Succeeded), ended(RunOutcome::Failed));
    let mut ways: BTreeMap<&str, usize> = BTreeMap::new();
    let mut used: BTreeMap<_, usize> = BTreeMap::new();
    for (run, end) in &work {
        if let Some(name) = strategy(run, end) {
            *ways.entry(name).or_default() += 1;
        }
        end.used.iter().flatten().for_each(|key| *used.entry(*key).or_default() += 1);
    }
    // Uses are counted, and not entries: the fewer entries there are, the narrower the circle.
    let often = |counts: &mut dyn Iterator<Item = &usize>| counts.sum::<usize>() >= limits::CIRCLES_MIN;
    let enough = often(&mut ways.values()) && often(&mut used.values());
    let (of_ways, of_entries) = (effective(ways.values()), effective(used.values()));
    let fails = failed as f64 >= limits::CIRCLES_FAILED * (succeeded + failed) as f64;
    if !enough || !fails || of_ways >= limits::CIRCLES_WAYS || of_entries >= limits::CIRCLES_ENTRIES {
        return Ok(Vec::new());
    }
    let text = format!(
        "{failed} of {} failed, nearly all with one strategy and the same few entries: try another strategy.",
        count(succeeded + failed, "run", "runs")
    );
    let goal = "Choose another strategy for the next runs, and other entries to rely on".to_owned();
    Ok(vec![said(text, OUTCOMES, goal)])
}

/// Which choices did best among runs that succeeded: strategy, role of the agent, family of its model, and rounds.
pub(super) fn configuration(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let mut of: BTreeMap<(usize, String), Vec<f64>> = BTreeMap::new();
    let mut runs = 0;
    for (run, end) in ends(known).filter(|(_, end)| end.outcome == RunOutcome::Succeeded) {
        let Some(quality) = quality(end) else { continue };
        runs += 1;
        let agents = &run.started.agents;
        let roles: BTreeSet<&str> = agents.iter().filter_map(|agent| agent.role.as_deref()).collect();
        let families: BTreeSet<&str> = agents.iter().filter_map(|agent| agent.family.as_deref()).collect();
        let strategies = strategy(run, end).into_iter();
        let choices = strategies.map(|name| (0, format!("strategy {name:?}")));
        let choices = choices.chain(roles.into_iter().map(|role| (1, format!("role {role:?}"))));
        let choices =
            choices.chain(families.into_iter().map(|family| (2, format!("model family {family:?}"))));
        let choices = choices.chain(end.rounds.map(|rounds| (3, bucket(rounds).to_owned())));
        for choice in choices {
            of.entry(choice).or_default().push(quality);
        }
    }
    if runs < limits::CONFIGURED_RUNS_MIN {
        return Ok(Vec::new());
    }
    of.retain(|_, qualities| qualities.len() >= limits::CHOICE_RUNS_MIN);
    let mut parts = Vec::new();
    for kind in 0..4 {
        let mean = |qualities: &[f64]| qualities.iter().sum::<f64>() / qualities.len() as f64;
        let mut choices: Vec<(&str, f64, usize)> = of
            .iter()
            .filter(|((of_kind, _), _)| *of_kind == kind)
            .map(|((_, choice), qualities)| (choice.as_str(), mean(qualities), qualities.len()))
            .collect();
        choices.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        // Where there was no choice, nothing was found out.
        let [best, next, ..] = choices.as_slice() else { continue };
        if best.1 - next.1 <= limits::QUALITY_STEP {
            continue;
        }
        let sure = match best.2 {
            runs if runs >= limits::CHOICE_RUNS_MANY => "high",
            runs if runs >= limits::CONFIGURED_RUNS_MIN => "moderate",
            _ => "low",
        };
        parts.push(format!(
            "{} ({}, quality {} against {}, confidence {sure})",
            best.0,
            count(best.2, "run", "runs"),
            percent(best.1),
            percent(next.1)
        ));
    }
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    let text = format!("Of runs that succeeded, these choices did best: {}.", parts.join("; "));
    let goal = "Start the next runs with these choices".to_owned();
    Ok(vec![said(text, OUTCOMES, goal)])
}

/// Rounds as a choice.
fn bucket(rounds: u32) -> &'static str {
    match rounds {
        0..=5 => "1 to 5 rounds",
        6..=10 => "6 to 10 rounds",
        11..=15 => "11 to 15 rounds",
        _ => "16 rounds or more",
    }
}

/// Runs that began with one strategy and ended with another: whether to begin with the second.
pub(super) fn escalation(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let mut of: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for (run, end) in ends(known) {
        if let (Some(from), Some(to)) = (run.started.strategy.as_deref(), end.strategy.as_deref())
            && from != to
        {
            let (succeeded, all) = of.entry((from, to)).or_default();
            *succeeded += usize::from(end.outcome == RunOutcome::Succeeded);
            *all += 1;
        }
    }
    let often = of.into_iter().filter(|(_, (_, all))| *all >= limits::ESCALATED_RUNS_MIN);
    let told = often.map(|((from, to), (succeeded, all))| {
        let (advice, goal) = match 2 * succeeded > all {
            true => {
                (format!("begin with {to:?}"), format!("Begin such runs with {to:?} instead of {from:?}"))
            }
            false => (
                "the change did not help".to_owned(),
                format!("Find out why runs that begin with {from:?} fail"),
            ),
        };
        let text = format!(
            "{} began with the strategy {from:?} and ended with {to:?}; {succeeded} succeeded: {advice}.",
            count(all, "run", "runs")
        );
        said(text, OUTCOMES, goal)
    });
    Ok(told.collect())
}

/// How many different things there are in effect: the exponential of the entropy of their counts.
fn effective<'a>(counts: impl Iterator<Item = &'a usize> + Clone) -> f64 {
    let total = counts.clone().sum::<usize>() as f64;
    let entropy: f64 = counts
        .map(|count| {
            let share = *count as f64 / total;
            -share * share.ln()
        })
        .sum();
    entropy.exp()
}

#[cfg(test)]
mod tests {
    use super::effective;

    #[test]
    fn upk_5_what_is_used_evenly_counts_fully() {
        // By hand: four used evenly are four; nine tenths of one and a tenth of another are 1.38 in effect.
        for (counts, right) in [(vec![2, 2, 2, 2], 4.0), (vec![9, 1], 1.384145), (vec![5], 1.0)] {
            assert!((effective(counts.iter()) - right).abs() < 1e-6, "{counts:?}");
        }
    }
}
