//! `knowledge.staleness`: somebody still stands behind each norm.

use super::{GateFacts, Level, Sight};
use crate::clock::Clock;
use crate::kinds::Memory;
use crate::limits::NORM_STALE_DAYS;

pub(super) fn look(known: &GateFacts<'_>) -> Vec<Sight> {
    let norms = known.judged().filter(|entry| entry.memory() == Memory::Procedural);
    let stale = norms.filter_map(|entry| {
        let approved = entry.approvals.iter().map(|approval| approval.at).max();
        // Only the labels of a norm are ever revised, and nobody stands behind it by that.
        let since = [entry.last_confirmed, entry.proved, approved].into_iter().flatten();
        let since = since.fold(entry.stated_at(), Clock::max);
        let days = (known.now.0 - since.millis().0).div_euclid(86_400_000);
        (days > NORM_STALE_DAYS).then(|| {
            let id = entry.id();
            let message = format!("{id} was not confirmed for {days} days and needs a review");
            Sight::new(entry, Level::Warns, message, format!("ken confirm {id}, or supersede or retract it"))
        })
    });
    stale.collect()
}
