//! Adding an entry: a new one, or one more citation for one that says the same.

use std::collections::BTreeSet;

use super::{Context, View, citing, readable};
use crate::entry::{Entry, Gap, gaps};
use crate::event::{Added, Body, EntryEvent, Intent};
use crate::fields::{Citation, Fields};
use crate::ids::{EntryKey, GivenId};
use crate::kinds::{Status, Type, TypeName};
use crate::limits::HANDLE_DIGITS_MIN;
use crate::place;
use crate::refusal::{Code, Fault, Refusal};
use crate::words::with_article;

/// The stages of the way in that this version does not have yet. Every new entry says so.
pub const NOT_RUN: &[&str] = &["scan", "sanitize", "admission", "similarity"];

/// A well-formed wish to add an entry.
#[derive(Clone, Debug)]
pub struct AddRequest {
    /// Its type.
    pub kind: Type,
    /// The caller's own id.
    pub id: Option<GivenId>,
    /// What it says.
    pub fields: Fields,
    /// What it rests on.
    pub evidence: Vec<Citation>,
    /// Whether it may enter with gaps (ENT-5).
    pub draft: bool,
}

/// How an addition ended. Every door renders all of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A new entry.
    Added,
    /// An entry said the same already; it was cited.
    Reinforced,
    /// A new entry that is held back until its gaps are filled.
    Held,
}

impl Outcome {
    /// The word used in answers.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Added => "added",
            Outcome::Reinforced => "reinforced",
            Outcome::Held => "held",
        }
    }
}

/// What an addition says and to whom it applies.
#[derive(Clone, Debug)]
pub struct Addition {
    /// How it ended.
    pub outcome: Outcome,
    /// The entry.
    pub key: EntryKey,
    /// Its id.
    pub id: String,
    /// Its short citation.
    pub handle: String,
    /// Why it ended so, in sentences.
    pub reasons: Vec<String>,
    /// What is to be written; may be nothing.
    pub intents: Vec<Intent>,
}

/// Decides an addition (ENT-4, ENT-5, IN-6 step 1).
pub fn add(view: &dyn View, request: AddRequest, context: &Context) -> Result<Addition, Refusal> {
    let AddRequest { kind, id, fields, evidence, draft } = request;
    let type_name = TypeName::Known(kind);
    let missing = gaps(&type_name, &fields, !evidence.is_empty());
    if missing.contains(&Gap::Provenance) && !draft {
        return Err(provenance_required(kind, &missing));
    }
    if !missing.is_empty() && !draft {
        return Err(incomplete(kind, &missing));
    }
    let key = EntryKey::of(kind.word(), &fields.scope_key(), &fields.claim(kind));
    if let Some(existing) = view.entry(key) {
        return Ok(reinforce(&existing, id.as_ref(), evidence, context));
    }
    if let Some(id) = &id
        && let Some(holder) = view.holder(id)
    {
        let says = view.entry(holder).map(|e| e.fields.title().into_owned()).unwrap_or_default();
        return Err(Refusal::new(Code::IdTaken, format!("the id {id} belongs to another entry: {says:?}"))
            .hint(format!("choose another id, or replace it: ken supersede {id} ..."))
            .field("id"));
    }
    let handle = handle(view, kind, key);
    let shown = id.as_ref().map_or_else(|| format!("{kind}.{key}"), GivenId::to_string);
    let file = place::entry_file(&type_name, &shown, context.replica, context.now);
    let fields = serde_json::to_value(&fields).expect("fields have string keys and finite numbers");
    let added = Added {
        kind: type_name,
        id,
        handle: handle.clone(),
        fields,
        evidence: evidence.clone(),
        not_run: NOT_RUN.iter().map(|stage| (*stage).to_owned()).collect(),
    };
    let mut intents = vec![Intent { entry: Some(key), body: Body::Entry(EntryEvent::Added(added)), file }];
    intents.extend(evidence.into_iter().map(|citation| citing(key, kind.memory(), citation, context)));
    let intents = readable(intents)?;
    let reasons: Vec<String> = missing
        .iter()
        .map(|gap| format!("gap: {}; fill it and the entry can be verified", gap.word()))
        .collect();
    let outcome = if missing.is_empty() { Outcome::Added } else { Outcome::Held };
    Ok(Addition {
        outcome,
        key,
        handle: handle.unwrap_or_else(|| shown.clone()),
        id: shown,
        reasons,
        intents,
    })
}

/// Decides one more citation for an entry. Saying it twice is not an error.
pub fn cite(entry: &Entry, citation: Citation, context: &Context) -> Vec<Intent> {
    if entry.citations.iter().any(|have| same_evidence(have, &citation)) {
        return Vec::new();
    }
    vec![citing(entry.key, entry.memory(), citation, context)]
}

fn reinforce(existing: &Entry, id: Option<&GivenId>, evidence: Vec<Citation>, context: &Context) -> Addition {
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let mut intents = Vec::new();
    for citation in evidence {
        if seen.insert((citation.evidence_type.word().to_owned(), citation.evidence_ref.clone())) {
            intents.extend(cite(existing, citation, context));
        }
    }
    let shown = existing.id();
    let mut reasons = vec![match intents.len() {
        0 if seen.is_empty() => format!("{shown} already says this; nothing was written"),
        0 => format!("{shown} already says this, with the same evidence; nothing was written"),
        n => format!("{shown} already says this; {n} citation{} added to it", if n == 1 { "" } else { "s" }),
    }];
    if id.is_some_and(|id| existing.given_id.as_ref() != Some(id)) {
        reasons.push(format!("it keeps its own id {shown}"));
    }
    if !existing.status.is_retrieved() {
        reasons.push(format!("it is {}; `ken restore {shown}` brings it back", existing.status));
    } else if existing.status != Status::Candidate {
        reasons.push(format!("it is {}", existing.status));
    }
    Addition {
        outcome: Outcome::Reinforced,
        key: existing.key,
        handle: existing.handle(),
        id: shown,
        reasons,
        intents,
    }
}

/// Two citations of one thing by one person, whenever they were made.
fn same_evidence(a: &Citation, b: &Citation) -> bool {
    a.evidence_type == b.evidence_type && a.evidence_ref == b.evidence_ref && a.cited_by == b.cited_by
}

/// The short citation: six digits of the key, more only on a clash (STO-8).
fn handle(view: &dyn View, kind: Type, key: EntryKey) -> Option<String> {
    let letter = kind.handle_letter()?;
    let digits = key.to_string();
    let handle = (HANDLE_DIGITS_MIN..=digits.len())
        .map(|n| format!("{letter}-{}", &digits[..n]))
        .find(|h| !view.handle_taken(h));
    Some(handle.unwrap_or_else(|| format!("{letter}-{digits}")))
}

fn provenance_required(kind: Type, missing: &[Gap]) -> Refusal {
    let others: Vec<&Gap> = missing.iter().filter(|gap| **gap != Gap::Provenance).collect();
    let also = match others.is_empty() {
        true => String::new(),
        false => format!(
            "; it also needs {}",
            others.iter().map(|gap| gap.needed()).collect::<Vec<_>>().join(" and ")
        ),
    };
    let mut refusal = Refusal::new(
        Code::ProvenanceRequired,
        format!("provenance required: {} must say where it comes from{also}", with_article(kind)),
    )
    .field("provenance")
    .hint(would_pass(kind, missing));
    refusal.faults.extend(others.into_iter().map(fault));
    refusal
}

fn incomplete(kind: Type, missing: &[Gap]) -> Refusal {
    let faults: Vec<Fault> = missing.iter().map(fault).collect();
    Refusal::from_faults(Code::Incomplete, faults)
        .expect("something is missing")
        .hint(would_pass(kind, missing))
}

fn fault(gap: &Gap) -> Fault {
    let problem = match gap {
        Gap::Provenance => "provenance required: at least one citation, --evidence KIND:REF",
        Gap::Anchor => "at least one place where it can be seen, --anchor PATH[:A-B|#SYMBOL]",
        Gap::Verification => "one to three steps that show whether it holds, --verify TEXT",
    };
    let field = match gap {
        Gap::Provenance => "provenance",
        Gap::Anchor => "anchors",
        Gap::Verification => "verification",
    };
    Fault { field: field.to_owned(), problem: problem.to_owned() }
}

/// The command that would pass (ENT-4).
fn would_pass(kind: Type, missing: &[Gap]) -> String {
    let mut command = format!("add what is missing: ken add {kind} ...");
    for gap in missing {
        command.push_str(match gap {
            Gap::Provenance => " --evidence commit:HASH",
            Gap::Anchor => " --anchor src/FILE:10-20",
            Gap::Verification => " --verify 'how to check it'",
        });
    }
    command + "; or enter it with gaps: --draft"
}
