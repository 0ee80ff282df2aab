//! Which of some entries were used together: read from what runs said they used (OUT-6).

use std::collections::{BTreeMap, BTreeSet};

use ken_core::belief::day;
use ken_core::run::RunOutcome;
use ken_core::together::{Together, weight};
use ken_core::{Clock, EntryKey, Millis};

use crate::error::Result;
use crate::limits::together::USED_TOGETHER_MAX;
use crate::projection::Projection;

/// The strongest tie of each entry to another one of them; what has none is left out.
pub fn strongest(
    runs: &dyn Projection,
    keys: &[EntryKey],
    now: Millis,
) -> Result<BTreeMap<EntryKey, (f64, EntryKey)>> {
    let mut used = Used::new();
    for key in keys {
        for each in runs.uses(*key)? {
            let run = used.entry(each.run).or_insert((each.clock, BTreeSet::new()));
            run.0 = run.0.max(each.clock);
            run.1.insert(*key);
        }
    }
    let mut found: BTreeMap<EntryKey, (f64, EntryKey)> = BTreeMap::new();
    for ((a, b), tie) in ties(runs, &used, now)? {
        for (one, other) in [(a, b), (b, a)] {
            if tie > found.get(&one).map_or(0.0, |(known, _)| *known) {
                found.insert(one, (tie, other));
            }
        }
    }
    Ok(found)
}

/// What successful runs used: by their name, when they ended and what.
pub type Used = BTreeMap<String, (Clock, BTreeSet<EntryKey>)>;

/// How much each two entries that some runs used together weigh now.
pub fn ties(runs: &dyn Projection, used: &Used, now: Millis) -> Result<BTreeMap<(EntryKey, EntryKey), f64>> {
    let mut pairs: BTreeMap<(EntryKey, EntryKey), Vec<Together>> = BTreeMap::new();
    for (run, (clock, keys)) in used.iter().filter(|(_, (_, keys))| keys.len() > 1) {
        let mut answers: BTreeMap<EntryKey, BTreeSet<Clock>> = BTreeMap::new();
        for seen in runs.exposures(run)? {
            answers.entry(seen.entry).or_default().insert(seen.clock);
        }
        for (a, b) in keys.iter().flat_map(|a| keys.range(a..).skip(1).map(move |b| (*a, *b))) {
            let of = |key| answers.get(key).into_iter().flatten();
            // What one answer handed over was written down at one moment.
            let retrieved = of(&a).any(|moment| answers.get(&b).is_some_and(|of_b| of_b.contains(moment)));
            pairs.entry((a, b)).or_default().push(Together { day: day(clock.millis()), retrieved });
        }
    }
    let weighed = pairs.into_iter().map(|(pair, mut uses)| {
        uses.sort_by_key(|each| each.day);
        (pair, weight(&uses, day(now)))
    });
    Ok(weighed.collect())
}

/// What finished runs used together, of entries that count: a run that failed ties nothing.
pub fn used_together(runs: &dyn Projection, counts: impl Fn(&EntryKey) -> bool) -> Result<Used> {
    let mut used = Used::new();
    for name in runs.runs_with_uses()? {
        let Some((end, clock)) = runs.run(&name)?.and_then(|run| run.finished) else { continue };
        let keys = end.used.iter().flatten().filter(|key| counts(key));
        let keys: BTreeSet<EntryKey> = keys.take(USED_TOGETHER_MAX).copied().collect();
        if (end.ended || end.outcome == RunOutcome::Succeeded) && keys.len() > 1 {
            used.insert(end.run, (clock, keys));
        }
    }
    Ok(used)
}

/// Groups of entries that are tied to each other, directly or through others.
pub fn groups<'a>(ties: impl IntoIterator<Item = &'a (EntryKey, EntryKey)>) -> Vec<BTreeSet<EntryKey>> {
    let mut near: BTreeMap<EntryKey, Vec<EntryKey>> = BTreeMap::new();
    for (a, b) in ties {
        near.entry(*a).or_default().push(*b);
        near.entry(*b).or_default().push(*a);
    }
    let (mut groups, mut seen) = (Vec::new(), BTreeSet::new());
    for start in near.keys() {
        let (mut open, mut group) = (vec![*start], BTreeSet::new());
        while let Some(key) = open.pop() {
            if seen.insert(key) {
                group.insert(key);
                open.extend(near.get(&key).into_iter().flatten());
            }
        }
        if !group.is_empty() {
            groups.push(group);
        }
    }
    groups
}
