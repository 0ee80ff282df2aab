//! Which way knowledge flows (GAT-2): what is episodic becomes knowledge only by a promotion that a person approved.

use crate::clock::Clock;
use crate::fields::{Citation, Fields};
use crate::ids::{EntryKey, ReplicaId};
use crate::kinds::{EvidenceType, Memory, Relation, Scope, Type};
use crate::refusal::{Code, Refusal};

/// Where it is looked up where things come from. A lookup that fails ends the question: it is not "from nowhere".
pub trait Origins {
    /// Why something could not be looked up.
    type Error;
    /// Of an episodic record: when it was made, and by which clone. None of anything else.
    fn episodic(&self, key: EntryKey) -> Result<Option<(Clock, ReplicaId)>, Self::Error>;
    /// The entry that a reference names, if it names one.
    fn named(&self, reference: &str) -> Result<Option<EntryKey>, Self::Error>;
    /// Whether a reference names a run.
    fn is_run(&self, reference: &str) -> Result<bool, Self::Error>;
    /// Whether there may be an episodic record of a type; who cannot tell says yes.
    fn may_have(&self, _kind: Type) -> bool {
        true
    }
}

/// What an entry is made of, as far as its origin is concerned.
pub struct Stated<'a> {
    pub kind: Type,
    /// When it was stated, and by which clone; now and here where it is not there yet.
    pub at: Option<(Clock, ReplicaId)>,
    /// What it says.
    pub fields: &'a Fields,
    /// What it cites.
    pub citations: Vec<&'a Citation>,
    /// What it is made from, by its links.
    pub links: Vec<(Relation, EntryKey)>,
}

/// Says how something episodic got into an entry: turned into it, copied into it, or its only source. None where nothing did.
pub fn backflow<O: Origins>(stated: &Stated<'_>, origins: &O) -> Result<Option<String>, O::Error> {
    if stated.kind.memory() == Memory::Episodic {
        return Ok(None);
    }
    if let Some(copied) = copied(stated, origins)? {
        return Ok(Some(format!("it repeats the episodic record {copied} word for word")));
    }
    if let Some(why) = backflow_by_link(stated, origins)? {
        return Ok(Some(why));
    }
    for citation in &stated.citations {
        if !is_episodic_source(citation, stated.kind, origins)? {
            return Ok(None);
        }
    }
    Ok(match stated.citations.as_slice() {
        [] => None,
        [one] => Some(format!("its only source, {}, is an episodic record", one.evidence_ref)),
        many => Some(format!("all {} of its sources are episodic records", many.len())),
    })
}

/// The same by its links alone.
pub fn backflow_by_link<O: Origins>(stated: &Stated<'_>, origins: &O) -> Result<Option<String>, O::Error> {
    if stated.kind.memory() == Memory::Episodic {
        return Ok(None);
    }
    for (_, from) in stated.links.iter().filter(|(relation, _)| *relation == Relation::DerivedFrom) {
        if origins.episodic(*from)?.is_some() {
            return Ok(Some(format!("it is derived from the episodic record {from}")));
        }
    }
    Ok(None)
}

/// The episodic record whose words these are: an entry's key is made from its words, so that the question is a lookup.
///
/// Who stated it first, or in another clone without knowing of the record, copied nothing.
fn copied<O: Origins>(stated: &Stated<'_>, origins: &O) -> Result<Option<EntryKey>, O::Error> {
    let fields = stated.fields;
    let is_there = |kind: &&Type| kind.memory() == Memory::Episodic && origins.may_have(**kind);
    let episodic = Type::ALL.iter().filter(is_there);
    let statement = fields.statement();
    let mut scopes = vec![fields.scope_key(), Scope::Project.word().to_owned()];
    scopes.dedup();
    let keys =
        episodic.flat_map(|kind| scopes.iter().map(|scope| EntryKey::derive(kind.word(), scope, &statement)));
    for key in keys {
        let is_copied = match (origins.episodic(key)?, stated.at) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some((made, by)), Some((at, here))) => made < at && by == here,
        };
        if is_copied {
            return Ok(Some(key));
        }
    }
    Ok(None)
}

fn is_episodic_source<O: Origins>(citation: &Citation, kind: Type, origins: &O) -> Result<bool, O::Error> {
    let reference = citation.evidence_ref.as_str();
    let in_ledger = reference.trim_start_matches("./").starts_with(".kenning/episodic/");
    let record = || match origins.named(reference)? {
        Some(key) => Ok(origins.episodic(key)?.is_some()),
        None => Ok(false),
    };
    match citation.evidence_type {
        EvidenceType::Commit | EvidenceType::Pr => Ok(false),
        EvidenceType::Doc | EvidenceType::Test => Ok(in_ledger || record()?),
        // What was said in a run is source material for a lesson; a norm needs more than that somebody was there.
        EvidenceType::Transcript => {
            Ok(record()? || (kind.memory() == Memory::Procedural && origins.is_run(reference)?))
        }
    }
}

/// The refusal of what flows the wrong way.
pub fn violation(why: impl std::fmt::Display) -> Refusal {
    Refusal::new(Code::DirectionalFlow, format!("directional flow violation: {why}")).hint(
        "propose it, so that a person can approve it: ken promote propose ID --to semantic --evidence REF --reason '...'",
    )
}
