//! `reweave`: new evidence for an entry, and new words where the evidence asks for them (DIG-1). What may not change is replaced (ENT-6).

use ken_core::answer::{ChangeOutcome, ReweaveOutcome};
use ken_core::decide::Change;
use ken_core::words::normalise_statement;
use ken_core::{Code, Memory, Refusal, Status};
use ken_engine::view::handle;
use ken_engine::{Caller, Ledger, Result};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{AddInput, ChangeAnswer, ModelsInUse, OnAbsent, Site, Stored, ops};

/// What is to be woven in.
#[derive(Clone, Debug, Default)]
pub struct ReweaveInput {
    pub entry: String,
    /// Evidence as people write it.
    pub evidence: Vec<String>,
    /// What it should say now.
    pub statement: Option<String>,
    pub reason: String,
    /// A file that is not there may be cited.
    pub unverified: bool,
}

/// What was done.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReweaveAnswer {
    /// What it came to.
    pub did: ReweaveOutcome,
    /// The entry that says it now.
    pub entry: String,
    /// Its short id.
    pub handle: String,
    /// The entry that was named, where another took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// The short id of that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_handle: Option<String>,
    /// What was done, in sentences.
    pub reasons: Vec<String>,
}

/// Ties evidence to an entry; with new words it is revised, or replaced if it may not change. Doing it twice is doing it once.
pub fn reweave(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: ReweaveInput,
) -> Result<ReweaveAnswer> {
    ledger.may_write()?;
    if input.evidence.is_empty() {
        return Err(Refusal::new(
            Code::ProvenanceRequired,
            "provenance required: reweave adds new evidence to an entry",
        )
        .hint("--evidence commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF")
        .field("evidence")
        .into());
    }
    let named = ops::find(&**ledger, &input.entry)?;
    let stored = self::latest(ledger, named.clone())?;
    let replaced = (stored.entry.key != named.entry.key).then_some(&named);
    let says = |stored: &Stored| normalise_statement(&stored.entry.fields.statement());
    let new = input.statement.as_deref().filter(|text| normalise_statement(text) != says(&stored));
    let told = |did, entry: &Stored, replaced: Option<&Stored>, answer: ChangeAnswer| ReweaveAnswer {
        did: if answer.outcome == ChangeOutcome::Unchanged { ReweaveOutcome::Unchanged } else { did },
        entry: entry.id.clone(),
        handle: handle(entry),
        replaced: replaced.map(|stored| stored.id.clone()),
        replaced_handle: replaced.map(handle),
        reasons: answer.reasons,
    };
    let Some(text) = new else {
        let answer = crate::edit::revise(
            ledger,
            site,
            models,
            caller,
            &stored.id,
            Change::default(),
            &input.evidence,
            input.unverified,
        )?;
        return Ok(told(ReweaveOutcome::Cited, &stored, replaced, answer));
    };
    let field = claim_field(&stored);
    if !stored.entry.is_immutable() {
        let set = Map::from_iter([(field.to_owned(), json!(text))]);
        let reason = Some(input.reason.clone()).filter(|reason| !reason.trim().is_empty());
        let change = Change { set, reason, ..Change::default() };
        let answer = crate::edit::revise(
            ledger,
            site,
            models,
            caller,
            &stored.id,
            change,
            &input.evidence,
            input.unverified,
        )?;
        return Ok(told(ReweaveOutcome::Revised, &stored, replaced, answer));
    }
    let reason = match input.reason.trim() {
        "" => format!("reworded after {}", input.evidence.join(", ")),
        reason => reason.to_owned(),
    };
    let successor = AddInput {
        content: successor(&stored, field, text),
        evidence: input.evidence.clone(),
        on_absent: OnAbsent::for_flag(input.unverified),
        ..AddInput::default()
    };
    let mut answer =
        crate::supersede::supersede_by_new(ledger, site, models, caller, &stored.id, successor, &reason)?;
    let latest = self::latest(ledger, stored.clone())?;
    answer.reasons = vec![format!("{} replaces {}", handle(&latest), handle(&stored))];
    let procedural = latest.entry.memory() == Memory::Procedural;
    if procedural && latest.entry.status == Status::Candidate {
        answer.reasons.push(format!(
            "it is a candidate and blocks nothing until an approver accepts it: \
             `ken promote {} --to procedural --reason '...'`",
            handle(&latest)
        ));
    }
    Ok(told(ReweaveOutcome::Superseded, &latest, Some(&stored), answer))
}

/// The entry that took an entry's place, or itself.
fn latest(ledger: &Ledger, mut stored: Stored) -> Result<Stored> {
    const STEPS_MAX: usize = 100;
    for _ in 0..STEPS_MAX {
        let now = ledger.stored(stored.entry.key)?.unwrap_or_else(|| stored.clone());
        let Some(next) = now.entry.superseded_by.filter(|_| now.entry.status == Status::Superseded) else {
            return Ok(now);
        };
        match ledger.stored(next)? {
            Some(next) => stored = next,
            None => return Ok(now),
        }
    }
    Ok(stored)
}

/// The field that holds what an entry claims.
fn claim_field(stored: &Stored) -> &'static str {
    let fields = &stored.entry.fields;
    match (&fields.statement, &fields.rule, &fields.description, &fields.hypothesis) {
        (Some(_), ..) => "statement",
        (None, Some(_), ..) => "rule",
        (None, None, Some(_), _) => "description",
        (None, None, None, Some(_)) => "hypothesis",
        (None, None, None, None) => "statement",
    }
}

/// What a successor takes over beyond what every successor does: how a norm is checked, a spike's outcome.
fn successor(stored: &Stored, field: &str, text: &str) -> Map<String, Value> {
    const KEPT: [&str; 9] = [
        "enforcement",
        "examples",
        "exceptions",
        "polarity",
        "subject",
        "depends_on",
        "outcome",
        "decision",
        "rounds",
    ];
    let mut content = Map::new();
    if let Ok(Value::Object(fields)) = serde_json::to_value(&stored.entry.fields) {
        content.extend(fields.into_iter().filter(|(name, _)| KEPT.contains(&name.as_str())));
    }
    content.insert(field.to_owned(), json!(text));
    content
}
