//! The ladder of trust, which entries climb by themselves (IN-8), and what is said of them on the way: observations, confirmations.

use std::collections::{BTreeMap, BTreeSet};

use super::{Context, about, readable};
use crate::admission::Admitted;
use crate::belief::{self, Mark, Moved, Side};
use crate::clock::Millis;
use crate::entry::{Entry, supporting};
use crate::event::{BeliefEvent, Body, Confirmed, EntryEvent, Event, Intent};
use crate::ids::{EventHash, ReplicaId};
use crate::kinds::{Confirmation, Memory, Scope, Status};
use crate::lifecycle::{self, Cause};
use crate::limits::{
    RESET_MEAN, RESET_OBSERVATIONS_MIN, RESTS_ON_MAX, VERIFIED_ALPHA, VERIFIED_CONFIRMATIONS,
    VERIFIED_ORIGINS,
};
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
    /// The hook of a session that knows the secret given at its start saw the outcome (COR-19).
    pub witnessed: bool,
}

/// What the ledger holds in favour of an entry, by where it comes from (COR-19).
///
/// An origin is a clone: names of agents, clients, connections and runs of one clone never make two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// The clones that stated it, confirmed it independently or used it with success. Which clone reads a date out of a file says
    /// nothing about who wrote it there.
    origins: BTreeSet<ReplicaId>,
    /// A step that still is one of its verification steps passed, and a person accepted it as a proof.
    is_proved: bool,
    /// The hook of a session that knows its secret saw a success.
    is_witnessed: bool,
    /// The events that say so.
    events: Vec<EventHash>,
}

impl Support {
    /// What the events of an entry say in favour of the words it has now.
    pub fn of<'a>(entry: &Entry, history: impl IntoIterator<Item = &'a Event>) -> Support {
        let mut support = Support::default();
        // The latest observation of a source is the one that counts (BEL-2).
        let mut observed: BTreeMap<&str, (&Event, bool)> = BTreeMap::new();
        for event in supporting(history) {
            match &event.body {
                Some(Body::Entry(EntryEvent::Added(_) | EntryEvent::Revised(_))) => support.take(event),
                Some(Body::Entry(EntryEvent::Confirmed(confirmed)))
                    if confirmed.kind == Confirmation::Independent && confirmed.at.is_none() =>
                {
                    support.take(event);
                }
                Some(Body::Entry(EntryEvent::Proved { steps, accepted: true })) => {
                    let stands = |step: &String| entry.fields.verification.contains(step);
                    if steps.iter().any(stands) {
                        support.is_proved = true;
                        support.events.push(event.hash);
                    }
                }
                Some(Body::Belief(BeliefEvent::Observed { source, side, weight, witnessed, .. })) => {
                    match side {
                        Side::For if *weight > 0 => drop(observed.insert(source, (event, *witnessed))),
                        Side::For | Side::Against => drop(observed.remove(source.as_str())),
                    }
                }
                _ => {}
            }
        }
        for (event, witnessed) in observed.into_values() {
            support.take(event);
            support.is_witnessed |= witnessed;
        }
        support
    }

    fn take(&mut self, event: &Event) {
        self.origins.insert(event.replica);
        self.events.push(event.hash);
    }

    /// The same with what is about to be written here.
    fn and(&self, replica: ReplicaId, is_witnessed: bool) -> Support {
        let mut support = self.clone();
        support.origins.insert(replica);
        support.is_witnessed |= is_witnessed;
        support
    }

    /// The same with something that is written in a clone.
    pub fn with(&self, replica: ReplicaId) -> Support {
        self.and(replica, false)
    }

    /// Whether it is enough to verify what was used or confirmed often enough.
    pub fn suffices(&self) -> bool {
        self.origins.len() >= VERIFIED_ORIGINS || self.is_proved || self.is_witnessed
    }
}

/// Records what was seen, and lets the entry rise if that is enough.
pub fn observe(entry: &Entry, seen: Observation, support: &Support, context: &Context) -> Vec<Intent> {
    observe_up_to(Status::Verified, entry, seen, support, context)
}

/// The same of a conversation (COR-15), whose word alone verifies nothing: the entry becomes active at most.
pub fn observe_in_session(
    entry: &Entry,
    seen: Observation,
    support: &Support,
    context: &Context,
) -> Vec<Intent> {
    observe_up_to(Status::Active, entry, seen, support, context)
}

fn observe_up_to(
    most: Status,
    entry: &Entry,
    seen: Observation,
    support: &Support,
    context: &Context,
) -> Vec<Intent> {
    let Observation { source, side, weight, reason, at, witnessed } = seen;
    let mut after = entry.clone();
    let day = belief::day(at.map_or(context.now, |at| at.min(context.now)));
    after.record.0.push(Mark { day, what: Moved::Observed(side, weight) });
    let body =
        Body::Belief(BeliefEvent::Observed { source, side, weight, reason: reason.clone(), at, witnessed });
    let mut intents = vec![Intent { entry: Some(entry.key), body }];
    if side == Side::For {
        if entry.status == Status::Stale {
            after.status = entry.standing;
            let restored =
                EntryEvent::Restored { status: entry.standing, reason: format!("of use: {reason}") };
            intents.push(about(entry, Body::Entry(restored)));
        }
        let support = support.and(context.replica, witnessed);
        intents.extend(rise(&after, most, &reason, &support, context));
    }
    intents
}

/// What an entry that was used with success, or confirmed, rises to.
fn rise(after: &Entry, most: Status, reason: &str, support: &Support, context: &Context) -> Option<Intent> {
    let alpha = belief::own_belief_at(after, context.now).now.alpha;
    let confirmed = after.confirmed_by.len();
    let may_verify = most == Status::Verified && support.suffices();
    let (status, why) = if may_verify && alpha >= VERIFIED_ALPHA {
        (Status::Verified, format!("belief reached alpha {alpha:.1}: {reason}"))
    } else if may_verify && confirmed >= VERIFIED_CONFIRMATIONS {
        (Status::Verified, format!("{confirmed} confirmed it independently"))
    } else if after.record.0.iter().any(|mark| matches!(mark.what, Moved::Observed(Side::For, _))) {
        (Status::Active, format!("used with success: {reason}"))
    } else {
        return None;
    };
    promote(after, status, why, support)
}

/// IN-8: an entry whose source run succeeded is verified, if more than the word of that run speaks for it (COR-19). What its
/// admission demoted needs more than that (IN-5).
pub fn source_succeeded(entry: &Entry, run: &str, support: &Support) -> Option<Intent> {
    let demoted = entry.admission.as_ref().is_some_and(|admission| admission.outcome != Admitted::AsProposed);
    if demoted || !support.suffices() {
        return None;
    }
    promote(entry, Status::Verified, format!("its source, {run}, succeeded"), support)
}

/// Records that verification steps passed. Accepted by a person, that may be what an entry lacked to be verified.
pub fn prove(
    entry: &Entry,
    steps: Vec<String>,
    accepted: bool,
    support: &Support,
    context: &Context,
) -> Result<Vec<Intent>, Refusal> {
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let reason = format!("proved by {}", steps.join("; "));
    let mut intents = vec![about(entry, Body::Entry(EntryEvent::Proved { steps, accepted }))];
    if accepted {
        let support = Support { is_proved: true, ..support.and(context.replica, false) };
        let risen = rise(entry, Status::Verified, &reason, &support, context);
        intents.extend(risen.filter(verifies));
    }
    readable(intents)
}

fn verifies(intent: &Intent) -> bool {
    matches!(intent.body, Body::Entry(EntryEvent::Promoted { status: Status::Verified, .. }))
}

/// Whether an entry was used or confirmed often enough to be verified, and everything that speaks for it comes from one clone.
pub fn lacks_origin(entry: &Entry, support: &Support, now: Millis) -> bool {
    let is_enough = belief::own_belief_at(entry, now).now.alpha >= VERIFIED_ALPHA
        || entry.confirmed_by.len() >= VERIFIED_CONFIRMATIONS;
    is_enough && may_rise(entry, Cause::Prove) && !support.suffices()
}

/// Raises an entry, unless it stands as high already, has gaps (ENT-5), or is for a person to accept (GAT-2).
fn promote(entry: &Entry, status: Status, reason: String, support: &Support) -> Option<Intent> {
    let (cause, rests_on) = match status {
        Status::Verified => (Cause::Prove, support.events.iter().rev().take(RESTS_ON_MAX).copied().collect()),
        _ => (Cause::Use, Vec::new()),
    };
    may_rise(entry, cause)
        .then(|| about(entry, Body::Entry(EntryEvent::Promoted { status, reason, rests_on })))
}

fn may_rise(entry: &Entry, cause: Cause) -> bool {
    entry.memory() == Memory::Semantic
        && entry.gaps().is_empty()
        && !(matches!(cause, Cause::Prove) && entry.rests_on_source())
        && lifecycle::step(entry.status, cause).is_some()
}

/// Records that somebody found the same again (REV-3). Found independently, an archived entry comes back.
pub fn confirm(
    entry: &Entry,
    confirmed: Confirmed,
    support: &Support,
    context: &Context,
) -> Result<Vec<Intent>, Refusal> {
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
    let support = if confirmed.at.is_none() { support.with(context.replica) } else { support.clone() };
    let (by, reason) = (confirmed.run.clone(), confirmed.reason.clone());
    let mut intents = vec![about(entry, Body::Entry(EntryEvent::Confirmed(confirmed)))];
    if independent {
        let mut after = entry.clone();
        after.confirmed_by.insert(by.unwrap_or_else(|| format!("{} {}", context.actor, context.now.date())));
        if !entry.status.is_retrieved() {
            after.status = entry.standing;
            let reason = format!("found again: {reason}");
            let restored = EntryEvent::Restored { status: entry.standing, reason };
            intents.push(about(entry, Body::Entry(restored)));
        }
        if after.confirmed_by.len() >= VERIFIED_CONFIRMATIONS {
            intents.extend(rise(&after, Status::Verified, &reason, &support, context));
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
    Ok(vec![about(entry, Body::Belief(BeliefEvent::Reset { reason }))])
}

/// BEL-8: what is known of an entry counts for less when its thread is put away.
pub fn widen(entry: &Entry, thread: &str) -> Vec<Intent> {
    let of_thread = entry.fields.scope() == Scope::Thread && entry.fields.thread.as_deref() == Some(thread);
    if !of_thread {
        return Vec::new();
    }
    let thread = thread.to_owned();
    vec![about(entry, Body::Belief(BeliefEvent::Widened { thread }))]
}

/// ENT-8: lets an entry reach beyond its thread. Everything else stays as it is.
pub fn rescope(entry: &Entry, scope: Scope, reason: String) -> Result<Vec<Intent>, Refusal> {
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
    Ok(vec![about(entry, Body::Entry(EntryEvent::Rescoped { scope, reason }))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::event::{Added, Revised, Seal};
    use crate::ids::EntryKey;

    const A: ReplicaId = ReplicaId([1; 6]);
    const B: ReplicaId = ReplicaId([2; 6]);

    fn added() -> EntryEvent {
        let fields = serde_json::json!({
            "statement": "Retry with jitter.", "anchors": [{"at": "src/net.rs"}], "verification": ["grep jitter src/net.rs"]
        });
        let evidence = serde_json::json!([
            {"evidence_type": "pr", "evidence_ref": "1", "cited_by": "agent:bot", "cited_at": 0}
        ]);
        serde_json::from_value::<Added>(serde_json::json!({
            "type": "lesson", "fields": fields, "evidence": evidence
        }))
        .map(EntryEvent::Added)
        .unwrap()
    }

    fn confirmed(run: &str) -> EntryEvent {
        EntryEvent::Confirmed(Confirmed {
            kind: Confirmation::Independent,
            run: Some(run.to_owned()),
            agents: Vec::new(),
            reason: String::new(),
            at: None,
            uncounted: None,
            withdraws: None,
        })
    }

    fn used(source: &str, side: Side, witnessed: bool) -> BeliefEvent {
        BeliefEvent::Observed {
            source: source.to_owned(),
            side,
            weight: 1_500,
            reason: String::new(),
            at: None,
            witnessed,
        }
    }

    /// What becomes of an entry that all of this happened to, when a run of clone A confirms it as well.
    fn status(told: &[(ReplicaId, Body)]) -> (Status, usize) {
        let key = EntryKey::derive("lesson", "project", "Retry with jitter.");
        let mut events = Vec::new();
        for (at, (replica, body)) in told.iter().enumerate() {
            let at = Millis(1_000 * (at as i64 + 1));
            let seal = Seal {
                replica: *replica,
                seq: at.0 as u64,
                parents: Vec::new(),
                clock: Clock::at(at),
                actor: "agent:bot".to_owned(),
                basis: Default::default(),
            };
            let intent = Intent { entry: Some(key), body: body.clone() };
            events.push(Event::seal(&intent, seal));
        }
        let entry = crate::entry::fold(&events, &|_| false).unwrap();
        let context = Context {
            now: Millis(100_000),
            replica: A,
            actor: "agent:bot".to_owned(),
            authority: crate::decide::Authority::default(),
        };
        let support = Support::of(&entry, &events);
        let EntryEvent::Confirmed(said) = confirmed("r9") else { unreachable!() };
        let intents = confirm(&entry, said, &support, &context).unwrap();
        let risen = intents.iter().find_map(|intent| match &intent.body {
            Body::Entry(EntryEvent::Promoted { status, rests_on, .. }) => Some((*status, rests_on.len())),
            _ => None,
        });
        risen.unwrap_or((entry.status, 0))
    }

    // COR-19: alpha, beta and gamma of one client verified what alpha had stated.
    #[test]
    fn one_clone_does_not_verify_whatever_its_agents_are_called() {
        let stated = (A, Body::Entry(added()));
        let by = |replica, run| (replica, Body::Entry(confirmed(run)));
        assert_eq!(status(&[stated.clone(), by(A, "r1"), by(A, "r2")]).0, Status::Candidate);
        // What it rests on is named: the statement and the confirmation from elsewhere.
        assert_eq!(status(&[stated, by(B, "r1")]), (Status::Verified, 2));
    }

    // COR-18: what another clone confirmed were other words.
    #[test]
    fn a_voice_for_other_words_is_none() {
        let by = |replica, run| (replica, Body::Entry(confirmed(run)));
        let revised = |field: &str, words: &str| {
            let set = [(field.to_owned(), serde_json::Value::from(words))].into_iter().collect();
            (A, Body::Entry(EntryEvent::Revised(Revised { set, ..Revised::default() })))
        };
        let told = |reworded| status(&[(A, Body::Entry(added())), by(B, "r1"), reworded, by(A, "r2")]).0;
        assert_eq!(told(revised("statement", "Never retry.")), Status::Candidate);
        assert_eq!(told(revised("title", "Jitter")), Status::Candidate);
        let after = [(A, Body::Entry(added())), revised("statement", "Never retry."), by(B, "r1")];
        assert_eq!(status(&after).0, Status::Verified, "both speak for the new words");
    }

    // COR-19: a line that says "verified" and nothing more verified any words.
    #[test]
    fn a_promotion_is_worth_what_it_rests_on() {
        let stands = |told: &[(ReplicaId, Body)], named: bool| {
            let key = EntryKey::derive("lesson", "project", "Retry with jitter.");
            let mut events: Vec<Event> = Vec::new();
            for (at, (replica, body)) in told.iter().enumerate() {
                let at = Millis(1_000 * (at as i64 + 1));
                let mut body = body.clone();
                if let Body::Entry(EntryEvent::Promoted { rests_on, .. }) = &mut body {
                    rests_on.extend(events.iter().map(|event| event.hash));
                }
                let words = crate::entry::fold(&events, &|_| false).map(|entry| entry.trusted_words());
                let words = words.filter(|_| named && crate::entry::is_about_words(&body));
                let seal = Seal {
                    replica: *replica,
                    seq: at.0 as u64,
                    parents: Vec::new(),
                    clock: Clock::at(at),
                    actor: "agent:bot".to_owned(),
                    basis: crate::event::Basis { upon: None, words },
                };
                let intent = Intent { entry: Some(key), body };
                events.push(Event::seal(&intent, seal));
            }
            crate::entry::fold(&events, &|_| false).unwrap().status
        };
        let stated = (A, Body::Entry(added()));
        let (reason, rests_on) = ("x".to_owned(), Vec::new());
        let verified = (B, Body::Entry(EntryEvent::Promoted { status: Status::Verified, reason, rests_on }));
        let by = |replica, run| (replica, Body::Entry(confirmed(run)));
        assert_eq!(stands(&[stated.clone(), verified.clone()], true), Status::Candidate);
        assert_eq!(stands(&[stated.clone(), by(B, "r1"), verified.clone()], true), Status::Verified);
        assert_eq!(stands(&[stated.clone(), verified.clone()], false), Status::Verified, "an older version");
        let set = [("title".to_owned(), serde_json::Value::from("Evil"))].into_iter().collect();
        let reworded = (B, Body::Entry(EntryEvent::Revised(Revised { set, ..Revised::default() })));
        let told = [stated, by(B, "r1"), verified.clone(), reworded, verified];
        assert_eq!(stands(&told, true), Status::Candidate, "what it rests on was said of other words");
    }

    #[test]
    fn a_witnessed_success_or_an_accepted_proof_stands_for_the_second_clone() {
        let stated = (A, Body::Entry(added()));
        let confirmed = (A, Body::Entry(confirmed("r1")));
        let step = "grep jitter src/net.rs".to_owned();
        let proved = |accepted| (A, Body::Entry(EntryEvent::Proved { steps: vec![step.clone()], accepted }));
        let seen = |side, witnessed| (A, Body::Belief(used("run:s1", side, witnessed)));
        for (more, wanted) in [
            (vec![proved(false)], Status::Candidate),
            (vec![proved(true)], Status::Verified),
            (vec![seen(Side::For, false)], Status::Active),
            (vec![seen(Side::For, true)], Status::Verified),
            // The same session said otherwise later.
            (vec![seen(Side::For, true), seen(Side::Against, false)], Status::Candidate),
        ] {
            let told: Vec<_> = [stated.clone(), confirmed.clone()].into_iter().chain(more.clone()).collect();
            assert_eq!(status(&told).0, wanted, "{more:?}");
        }
        // A proof of a step that the entry no longer has proves nothing.
        let old = (A, Body::Entry(EntryEvent::Proved { steps: vec!["exists x".to_owned()], accepted: true }));
        assert_eq!(status(&[stated, confirmed, old]).0, Status::Candidate);
    }
}
