//! `knowledge.staleness`: somebody still stands behind each norm.

use super::{Known, Level, Sight};
use crate::kinds::Memory;
use crate::limits::NORM_STALE_DAYS;

pub(super) fn look(known: &Known<'_>) -> Vec<Sight> {
    let norms = known.judged().filter(|entry| entry.memory() == Memory::Procedural);
    let stale = norms.filter_map(|entry| {
        let approved = entry.approvals.iter().map(|approval| approval.at).max();
        let since = approved.map_or(entry.age_from(), |at| at.max(entry.age_from()));
        let days = (known.now.0 - since.millis().0).div_euclid(86_400_000);
        (days > NORM_STALE_DAYS).then(|| {
            let id = entry.id();
            let message = format!("nobody has confirmed {id} for {days} days; it is flagged for review");
            Sight::of(entry, Level::Warns, message, format!("ken confirm {id}, or supersede or retract it"))
        })
    });
    stale.collect()
}
