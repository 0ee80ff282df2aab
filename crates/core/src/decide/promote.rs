//! The ladder of authority (GAT-2): asking for it, and a person's answer; and their word about a change (GAT-3).

use super::{Context, about};
use crate::entry::Entry;
use crate::event::{Body, GateEvent, Intent, PromotionEvent};
use crate::kinds::{Memory, Status};
use crate::promotion::{self, Answer, Approved, Own, Policy, Promotion, Proposed};
use crate::refusal::{Code, Fault, Refusal};

/// Asks that something gains authority. The name is made from what is asked for, so asking twice is asking once.
pub fn ask(mut proposed: Proposed, sources: &[&Entry], context: &Context) -> Result<Vec<Intent>, Refusal> {
    let mut faults = Vec::new();
    let mut wrong = |field: &str, problem: String| faults.push(Fault { field: field.to_owned(), problem });
    if sources.is_empty() {
        wrong("sources", "a promotion needs at least one source entry".to_owned());
    }
    if proposed.evidence.is_empty() {
        wrong("evidence", "provenance required: at least one citation, --evidence KIND:REF".to_owned());
    }
    if proposed.reason.trim().is_empty() {
        wrong("reason", "is empty; give a reason: --reason '...'".to_owned());
    }
    if proposed.to == Memory::Episodic {
        wrong("to", "entries cannot be promoted to episodic; allowed: semantic, procedural".to_owned());
    }
    for source in sources {
        if matches!(source.status, Status::Rejected | Status::Retracted) {
            wrong("sources", format!("{} is {} and cannot be a source", source.id(), source.status));
        }
        if proposed.draft.is_none() && source.memory() != proposed.to {
            wrong("to", format!("{} is {}, and not {}", source.id(), source.memory(), proposed.to));
        }
    }
    if let Some(refusal) = Refusal::from_faults(Code::Invalid, faults) {
        return Err(refusal);
    }
    proposed.promotion = proposed.name_of(&context.actor);
    let body = Body::Promotion(PromotionEvent::Proposed(Box::new(proposed)));
    // What is asked for an entry that is there is part of its history.
    let entry = sources.first().filter(|_| sources.len() == 1).map(|source| source.key);
    Ok(vec![Intent { entry, body }])
}

/// A person's yes: the entry counts, in the words it has now.
pub fn approve(
    promotion: &Promotion,
    entry: &Entry,
    policy: &Policy,
    mut said: Approved,
    context: &Context,
) -> Result<Vec<Intent>, Refusal> {
    answered(promotion)?;
    let own = promotion::may_approve(policy, &context.actor, promotion, entry)
        .map_err(|why| Refusal::new(Code::NotAllowed, why).hint(who_can(policy, promotion)))?;
    said.solo = own == Own::Solo;
    Ok(vec![about(entry, Body::Promotion(PromotionEvent::Approved(Box::new(said))))])
}

/// Who can answer instead: approvers who did not ask for it.
fn who_can(policy: &Policy, promotion: &Promotion) -> String {
    let asked = promotion::name_of(&promotion.by).to_lowercase();
    let others = policy.approvers.iter().filter(|approver| approver.name.trim().to_lowercase() != asked);
    let names: Vec<&str> = others.map(|approver| approver.name.as_str()).collect();
    match names.is_empty() {
        true => "a person adds approvers: ken config approvers.NAME yes".to_owned(),
        false => format!("{} can, in their own terminal", names.join(" or ")),
    }
}

/// A person's no.
pub fn turn_down(promotion: &Promotion, reason: String) -> Result<Vec<Intent>, Refusal> {
    answered(promotion)?;
    let promotion = promotion.proposed.promotion.clone();
    let body = Body::Promotion(PromotionEvent::Rejected { promotion, reason });
    Ok(vec![Intent { entry: None, body }])
}

fn answered(promotion: &Promotion) -> Result<(), Refusal> {
    let name = &promotion.proposed.promotion;
    let (word, by) = match &promotion.answer {
        Answer::Open => return Ok(()),
        Answer::Approved { by, .. } => ("approved", by),
        Answer::Rejected { by, .. } => ("rejected", by),
    };
    Err(Refusal::new(Code::NotAllowed, format!("{name} was already {word} by {}", promotion::name_of(by)))
        .hint("propose it again with new evidence to have it reconsidered"))
}

/// A person vouches for a change. Saying it twice is not an error.
pub fn attest(
    norm: &Entry,
    change: String,
    note: String,
    signature: Option<String>,
    context: &Context,
) -> Vec<Intent> {
    if norm.attested.iter().any(|have| have.change == change && have.by == context.actor) {
        return Vec::new();
    }
    vec![about(norm, Body::Gate(GateEvent::Attested { change, note, signature }))]
}
