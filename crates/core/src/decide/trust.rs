//! The ladder of trust, which entries climb by themselves (IN-8), and what is said of them on the way: observations, confirmations.

use super::{Context, about};
use crate::admission::Admitted;
use crate::belief::{self, Mark, Moved, Side};
use crate::clock::Millis;
use crate::entry::Entry;
use crate::event::{BeliefEvent, Body, Confirmed, EntryEvent, Intent};
use crate::kinds::{Confirmation, Memory, Scope, Status};
use crate::lifecycle::{self, Cause};
use crate::limits::{RESET_MEAN, RESET_OBSERVATIONS_MIN, VERIFIED_ALPHA, VERIFIED_CONFIRMATIONS};
use crate::place;
use crate::refusal::{Code, Refusal};

/// One thing that was seen when an entry was used.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The run or the word of feedback.
    pub source: String,
    /// What it speaks for.
    pub side: Side,
    /// How much, in thousandths.
    pub weight: u32,
    pub reason: String,
    /// When, if that was elsewhere and earlier (COR-1).
    pub at: Option<Millis>,
}

/// Records what was seen, and lets the entry rise if that is enough.
pub fn observe(entry: &Entry, seen: Observation, context: &Context) -> Vec<Intent> {
    observe_up_to(Status::Verified, entry, seen, context)
}

/// The same of a conversation (COR-15), whose word alone verifies nothing: the entry becomes active at most.
pub fn observe_in_session(entry: &Entry, seen: Observation, context: &Context) -> Vec<Intent> {
    observe_up_to(Status::Active, entry, seen, context)
}

fn observe_up_to(most: Status, entry: &Entry, seen: Observation, context: &Context) -> Vec<Intent> {
    let Observation { source, side, weight, reason, at } = seen;
    let mut after = entry.clone();
    let day = belief::day(at.map_or(context.now, |at| at.min(context.now)));
    after.record.0.push(Mark { day, what: Moved::Observed(side, weight) });
    let file = place::calibration_file(context.replica, context.now);
    let body = Body::Belief(BeliefEvent::Observed { source, side, weight, reason: reason.clone(), at });
    let mut intents = vec![Intent { entry: Some(entry.key), body, file }];
    if side == Side::For {
        intents.extend(rise(&after, most, &reason, context));
    }
    intents
}

/// What an entry that was used with success, or confirmed, rises to.
fn rise(after: &Entry, most: Status, reason: &str, context: &Context) -> Option<Intent> {
    let alpha = belief::belief_at(after, context.now).now.alpha;
    let confirmed = after.confirmed_by.len();
    let may_verify = most == Status::Verified;
    let (status, why) = if may_verify && alpha >= VERIFIED_ALPHA {
        (Status::Verified, format!("belief reached alpha {alpha:.1}: {reason}"))
    } else if may_verify && confirmed >= VERIFIED_CONFIRMATIONS {
        (Status::Verified, format!("{confirmed} confirmed it independently"))
    } else if after.record.0.iter().any(|mark| matches!(mark.what, Moved::Observed(Side::For, _))) {
        (Status::Active, format!("used with success: {reason}"))
    } else {
        return None;
    };
    promote(after, status, why, context)
}

/// IN-8: an entry whose source run succeeded is verified. What its admission demoted needs more than that (IN-5).
pub fn source_succeeded(entry: &Entry, run: &str, context: &Context) -> Option<Intent> {
    let demoted = entry.admission.as_ref().is_some_and(|admission| admission.outcome != Admitted::AsProposed);
    if demoted {
        return None;
    }
    promote(entry, Status::Verified, format!("its source, {run}, succeeded"), context)
}

/// Raises an entry, unless it stands as high already, has gaps (ENT-5), or is for a person to accept (GAT-2).
fn promote(entry: &Entry, status: Status, reason: String, context: &Context) -> Option<Intent> {
    let cause = match status {
        Status::Verified => Cause::Prove,
        _ => Cause::Use,
    };
    let may = entry.memory() == Memory::Semantic
        && entry.gaps().is_empty()
        && lifecycle::step(entry.status, cause).is_some();
    may.then(|| about(entry, Body::Entry(EntryEvent::Promoted { status, reason }), context))
}

/// Records that somebody found the same again (REV-3). Found independently, an archived entry comes back.
pub fn confirm(entry: &Entry, confirmed: Confirmed, context: &Context) -> Result<Vec<Intent>, Refusal> {
    match entry.status {
        Status::Candidate | Status::Active | Status::Verified | Status::Archived | Status::Stale => {}
        Status::Rejected | Status::Retracted | Status::Superseded => {
            return Err(Refusal::new(
                Code::NotAllowed,
                format!("{} is {} and cannot be confirmed", entry.id(), entry.status),
            )
            .hint(format!("if it holds after all: ken restore {} --reason '...'", entry.id())));
        }
    }
    let independent = confirmed.kind == Confirmation::Independent;
    let (by, reason) = (confirmed.run.clone(), confirmed.reason.clone());
    let mut intents = vec![about(entry, Body::Entry(EntryEvent::Confirmed(confirmed)), context)];
    if independent {
        let mut after = entry.clone();
        after.confirmed_by.insert(by.unwrap_or_else(|| format!("{} {}", context.actor, context.now.date())));
        if !entry.status.is_retrieved() {
            after.status = entry.standing;
            let reason = format!("found again: {reason}");
            let restored = EntryEvent::Restored { status: entry.standing, reason };
            intents.push(about(entry, Body::Entry(restored), context));
        }
        if after.confirmed_by.len() >= VERIFIED_CONFIRMATIONS {
            intents.extend(rise(&after, Status::Verified, &reason, context));
        }
    }
    Ok(intents)
}

/// BEL-7: wipes the slate of an entry that much was seen of and that is neither believed nor doubted.
pub fn reset(entry: &Entry, reason: String, context: &Context) -> Result<Vec<Intent>, Refusal> {
    let belief = belief::belief_at(entry, context.now);
    let (seen, mean) = (belief.observations(), belief.now.mean());
    let fit = seen >= RESET_OBSERVATIONS_MIN && RESET_MEAN.contains(&mean);
    if !fit {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!(
                "belief in {} cannot be reset: it has {seen:.1} observations with a mean of {:.0} %",
                entry.id(),
                mean * 100.0
            ),
        )
        .hint(format!(
            "a reset needs at least {RESET_OBSERVATIONS_MIN:.0} observations and a mean of {:.0} to {:.0} %: much data \
             without a clear result",
            RESET_MEAN.start() * 100.0,
            RESET_MEAN.end() * 100.0
        )));
    }
    Ok(vec![about(entry, Body::Belief(BeliefEvent::Reset { reason }), context)])
}

/// BEL-8: what is known of an entry counts for less when its thread is put away.
pub fn widen(entry: &Entry, thread: &str, context: &Context) -> Vec<Intent> {
    let of_thread = entry.fields.scope() == Scope::Thread && entry.fields.thread.as_deref() == Some(thread);
    if !of_thread {
        return Vec::new();
    }
    let thread = thread.to_owned();
    vec![about(entry, Body::Belief(BeliefEvent::Widened { thread }), context)]
}

/// ENT-8: lets an entry reach beyond its thread. Everything else stays as it is.
pub fn rescope(
    entry: &Entry,
    scope: Scope,
    reason: String,
    context: &Context,
) -> Result<Vec<Intent>, Refusal> {
    if entry.fields.scope() == scope {
        return Ok(Vec::new());
    }
    if !entry.status.is_retrieved() {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!(
                "{} is {}; only candidate, active and verified entries can be promoted",
                entry.id(),
                entry.status
            ),
        )
        .hint(format!("ken restore {} first", entry.id())));
    }
    if entry.fields.scope() == Scope::Global && scope == Scope::Project {
        return Err(Refusal::new(Code::NotAllowed, format!("{} is already global", entry.id())));
    }
    Ok(vec![about(entry, Body::Entry(EntryEvent::Rescoped { scope, reason }), context)])
}
