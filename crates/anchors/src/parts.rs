//! What a file, a type or a function consists of: whole symbols, and runs of tokens between them.

use std::collections::{HashMap, HashSet};

use crate::code::View;
use crate::limits::{PARTS_MAX, RUN_TOKENS_MIN, RUNS_MAX};
use crate::prints::{Part, RUN_TOKENS_MAX};

/// The parts of several stretches of tokens, and how many they are before some are left out.
pub(crate) struct Parts {
    pub(crate) kept: Vec<Part>,
    pub(crate) total: usize,
}

impl Parts {
    pub(crate) fn text(&self) -> String {
        self.kept.iter().map(|part| part.text()).collect()
    }
}

/// Each leaf symbol as a whole, and what is between them as runs: something added beside them changes none of them.
pub(crate) fn units(view: View<'_>, ranges: &[(usize, usize)]) -> Parts {
    let mut parts = Vec::new();
    let mut runs = Vec::new();
    for range in ranges {
        let leaves = leaves(view, *range);
        let mut free = range.0;
        for leaf in &leaves {
            runs.extend(runs_of(view, (free, leaf.0), Cut::Lines));
            parts.push(Part::whole(view.index.sums.window(leaf.0, leaf.1)));
            free = leaf.1;
        }
        runs.extend(runs_of(view, (free, range.1), Cut::Lines));
    }
    sampled(parts, runs, PARTS_MAX)
}

/// A long text by its paragraphs, of which there are fewer than lines.
pub(crate) fn paragraphs(view: View<'_>) -> Parts {
    sampled(Vec::new(), runs_of(view, view.whole(), Cut::Paragraphs), PARTS_MAX)
}

/// A stretch as runs only: how much of it is left can be said later, but not that nothing was added.
pub(crate) fn runs(view: View<'_>, range: (usize, usize)) -> Parts {
    sampled(Vec::new(), runs_of(view, range, Cut::Lines), RUNS_MAX)
}

/// How many of the parts are in these stretches.
pub(crate) fn present(view: View<'_>, ranges: &[(usize, usize)], parts: &[Part]) -> usize {
    // Of two that look the same both have to be left.
    let mut wholes: HashMap<Part, usize> = HashMap::new();
    if parts.iter().any(|part| part.run == 0) {
        for range in ranges {
            let leaves = leaves(view, *range);
            for leaf in leaves {
                *wholes.entry(Part::whole(view.index.sums.window(leaf.0, leaf.1))).or_default() += 1;
            }
        }
    }
    let mut lengths: HashMap<u8, HashSet<u32>> = HashMap::new();
    for part in parts.iter().filter(|part| part.run > 0) {
        lengths.entry(part.run).or_default().insert(part.print);
    }
    let mut runs: HashSet<Part> = HashSet::new();
    for (length, wanted) in lengths {
        for range in ranges {
            let is_wanted = |print: u64| wanted.contains(&Part::run(print, length as usize).print);
            for from in view.index.sums.windows(*range, length as usize, is_wanted) {
                let print = view.index.sums.window(from, from + length as usize);
                runs.insert(Part::run(print, length as usize));
            }
        }
    }
    let is_left = |part: &&Part| match part.run {
        0 => wholes.get_mut(part).is_some_and(|left| {
            let is_left = *left > 0;
            *left = left.saturating_sub(1);
            is_left
        }),
        _ => runs.contains(part),
    };
    parts.iter().filter(is_left).count()
}

/// Symbols that hold no others, in order and apart from each other.
fn leaves(view: View<'_>, within: (usize, usize)) -> Vec<(usize, usize)> {
    let mut leaves: Vec<(usize, usize)> = Vec::new();
    for (at, symbol) in view.outline.symbols.iter().enumerate() {
        let range = view.range(at);
        let inside = within.0 <= range.0 && range.1 <= within.1 && range.0 < range.1;
        let free = leaves.last().is_none_or(|last| last.1 <= range.0);
        if inside && free && !symbol.holds_others {
            leaves.push(range);
        }
    }
    leaves
}

/// Where a run ends.
#[derive(Clone, Copy)]
enum Cut {
    Lines,
    Paragraphs,
}

/// One run for each line or paragraph; a run is looked for among tokens, so that lines may be broken elsewhere later.
fn runs_of(view: View<'_>, range: (usize, usize), cut: Cut) -> Vec<Part> {
    let tokens = &view.outline.tokens;
    let mut runs = Vec::new();
    let mut from = range.0;
    while from < range.1 {
        let mut to = from + 1;
        let goes_on = |to: usize| match cut {
            Cut::Lines => tokens[to].line == tokens[from].line,
            Cut::Paragraphs => tokens[to].line <= tokens[to - 1].line + 1,
        };
        while to < range.1 && goes_on(to) && to - from < RUN_TOKENS_MAX {
            to += 1;
        }
        if to - from >= RUN_TOKENS_MIN {
            runs.push(Part::run(view.index.sums.window(from, to), to - from));
        }
        from = to;
    }
    runs
}

/// Symbols go first when there are too many; among likes the prints decide, and so no place is favoured.
fn sampled(mut parts: Vec<Part>, mut runs: Vec<Part>, most: usize) -> Parts {
    let mut known = HashSet::new();
    runs.retain(|part| known.insert(*part));
    let total = parts.len() + runs.len();
    if total > most {
        for list in [&mut parts, &mut runs] {
            list.sort_unstable_by_key(|part| part.print);
        }
    }
    parts.extend(runs);
    parts.truncate(most);
    Parts { kept: parts, total }
}
