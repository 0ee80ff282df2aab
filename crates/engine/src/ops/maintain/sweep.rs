//! UPK-2: entries that nobody needed, or that misled, and those that hold again.

use ken_core::kinds::DecayClass;
use ken_core::{Clock, Millis, Status};

use super::{Deed, Facts, Found, Step};
use crate::error::Result;
use crate::glance::Glance;
use crate::limits::ops_maintain::{ACCESSES_FEW, DAY_MILLIS, ERRORS_MIN, UNUSED_DAYS};

/// Why an entry is stale, if it is. One that stands for others is as young as the youngest of them.
fn why(glance: &Glance, facts: &Facts<'_>) -> Result<Option<String>> {
    let Some(reason) = why_alone(glance, facts) else { return Ok(None) };
    let members = facts.members(glance.key)?;
    let mut members = members.iter().filter_map(|key| facts.glance(*key));
    let is_needed = members.any(|member| why_alone(member, facts).is_none());
    Ok((!is_needed).then_some(reason))
}

/// The same of an entry by itself.
fn why_alone(glance: &Glance, facts: &Facts<'_>) -> Option<String> {
    let delivered = facts.delivered.get(&glance.key);
    let times = delivered.map_or(0, |delivered| delivered.times);
    let observed = glance.record.0.iter().map(|mark| i64::from(mark.day) * DAY_MILLIS).max();
    let last = delivered.map(|delivered| delivered.last.millis().0);
    // Whoever stated, changed, confirmed or restored it gives it as long as one who used it.
    let said = [Some(glance.created), Some(glance.updated), glance.confirmed_at];
    let said = said.into_iter().flatten().map(Clock::millis).map(|at| at.0);
    let needed = said.chain(observed).chain(last).max().unwrap_or(0).min(facts.now.0);
    let days = (facts.now.0 - needed) / DAY_MILLIS;
    let changed_lately = glance.updated > glance.created && within(glance.updated, facts.now);
    if misled(glance, facts) && !changed_lately {
        return Some(format!("{} prediction errors, and {times} accesses", glance.missed));
    }
    (days > UNUSED_DAYS && !facts.holds.contains(&glance.key))
        .then(|| format!("not used or delivered for {days} days, and nothing shows that it holds"))
}

/// Whether an entry was found where it did not help, more often than it was read.
fn misled(glance: &Glance, facts: &Facts<'_>) -> bool {
    let times = facts.delivered.get(&glance.key).map_or(0, |delivered| delivered.times);
    glance.missed >= ERRORS_MIN && times < ACCESSES_FEW
}

fn within(at: Clock, now: Millis) -> bool {
    now.0 - at.millis().0 <= UNUSED_DAYS * DAY_MILLIS
}

fn is_exempt(glance: &Glance) -> bool {
    glance.pinned || glance.decay_class == DecayClass::Permanent
}

pub(super) fn look(facts: &mut Facts<'_>) -> Result<Found> {
    let mut found = Found::default();
    for glance in facts.tended() {
        match glance.status {
            Status::Candidate | Status::Active | Status::Verified => {
                if is_exempt(glance) {
                    continue;
                }
                let Some(reason) = why(glance, facts)? else { continue };
                let text = format!("{}: {reason}", glance.handle);
                match facts.is_for_a_person(glance.status) {
                    true => {
                        let action = format!("ken confirm {}", glance.handle);
                        found.left.push(Deed::new(
                            format!("{text}; it is verified"),
                            vec![glance.head()],
                            action,
                        ));
                    }
                    false => {
                        let back = format!("ken restore {}", glance.handle);
                        let step = Step::Stale { key: glance.key, reason };
                        found.steps.push((step, Deed::new(text, vec![glance.head()], back)));
                    }
                }
            }
            // What holds again, and would not be swept again, comes back. What misled held all the while.
            Status::Stale
                if facts.holds.contains(&glance.key)
                    && !misled(glance, facts)
                    && why(glance, facts)?.is_none() =>
            {
                let reason = "its code is as it says".to_owned();
                let text = format!("{}: {reason}", glance.handle);
                let step = Step::Restore { key: glance.key, reason };
                found.steps.push((step, Deed::new(text, vec![glance.head()], String::new())));
            }
            Status::Stale | Status::Rejected | Status::Archived | Status::Retracted | Status::Superseded => {}
        }
    }
    Ok(found)
}
