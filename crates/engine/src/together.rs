//! Which of some entries were used together: read from what runs said they used (OUT-6).

use std::collections::{BTreeMap, BTreeSet};

use ken_core::belief::day;
use ken_core::together::{Together, weight};
use ken_core::{Clock, EntryKey, Millis};

use crate::error::Result;
use crate::ports::Runs;

/// The strongest tie of each entry to another one of them; what has none is left out.
pub fn strongest(
    runs: &dyn Runs,
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
pub fn ties(runs: &dyn Runs, used: &Used, now: Millis) -> Result<BTreeMap<(EntryKey, EntryKey), f64>> {
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
