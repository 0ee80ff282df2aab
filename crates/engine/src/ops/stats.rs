//! `stats`: which entries earn their place, and what was asked in vain (DOO-8).

use ken_core::belief::{Moved, Side};
use ken_core::limits::brief as limits;
use ken_core::words::one_line;
use ken_core::{Memory, Millis};
use serde::Serialize;

use crate::deliver::{self, Caveats};
use crate::error::Result;
use crate::glance::Glance;
use crate::limits::ops_stats::{LISTED_MAX, QUOTED_MAX, TITLE_CHARS_MAX};
use crate::ports::Questions;
use crate::projection::Projection;
use crate::tokens::Tokens;

/// What the store knows of how it is used.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Entries that are handed out.
    pub entries: usize,
    /// Those that nobody was ever shown.
    pub never_delivered: usize,
    /// Those that were shown again and again and were never of use: the longest first.
    pub unearned: Vec<Unearned>,
    /// How many of those there are.
    pub unearned_count: usize,
    /// What was asked in vain.
    pub questions: Questions,
}

/// An entry that has not earned its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unearned {
    pub id: String,
    /// Its short citation.
    pub handle: String,
    /// What it is called.
    pub title: String,
    /// How often it was delivered.
    pub delivered: usize,
    /// What that took at least: a line each time.
    pub tokens: usize,
}

/// Looks at every entry that is handed out, and at the questions since a time.
pub fn usage(ledger: &dyn Projection, since: Millis, now: Millis, tokens: &dyn Tokens) -> Result<Usage> {
    let times = ledger.times_shown()?;
    let glances = ledger.glances()?;
    let handed_out = glances.iter().filter(|glance| glance.status.is_retrieved() && !glance.hidden);
    let (mut entries, mut never_delivered) = (0, 0);
    let mut found: Vec<(&Glance, usize)> = Vec::new();
    for glance in handed_out {
        entries += 1;
        let delivered = times.get(&glance.key).copied().unwrap_or(0);
        never_delivered += usize::from(delivered == 0);
        let old = now.0 - glance.created.millis().0 > limits::UNEARNED_DAYS * 86_400_000;
        if old && delivered >= limits::UNEARNED_TIMES && !has_earned(glance) {
            found.push((glance, delivered));
        }
    }
    found.sort_by_key(|(glance, delivered)| (std::cmp::Reverse(*delivered), glance.key));
    let unearned_count = found.len();
    let mut unearned = Vec::new();
    for (glance, delivered) in found.into_iter().take(LISTED_MAX) {
        let line =
            ledger.stored(glance.key)?.map(|stored| deliver::summary(&stored, &Caveats::default(), now));
        unearned.push(Unearned {
            id: glance.id.clone(),
            handle: glance.handle.clone(),
            title: one_line(&deliver::safe(&glance.title), TITLE_CHARS_MAX),
            delivered,
            tokens: delivered * line.map_or(0, |line| tokens.count(&line)),
        });
    }
    let questions = ledger.questions(since, QUOTED_MAX)?;
    Ok(Usage { entries, never_delivered, unearned, unearned_count, questions })
}

/// Whether it was ever of use, or confirmed. What binds is there to be followed, whether or not a run says so.
fn has_earned(glance: &Glance) -> bool {
    let helped = |moved: &Moved| matches!(moved, Moved::Observed(Side::For, _));
    glance.confirmed
        || glance.pinned
        || glance.memory == Memory::Procedural
        || glance.record.0.iter().any(|mark| helped(&mark.what))
}
