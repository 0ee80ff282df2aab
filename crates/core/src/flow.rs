//! Which way knowledge flows (GAT-2): what is episodic becomes knowledge only by a promotion that a person approved.

use crate::clock::Clock;
use crate::fields::{Citation, Fields};
use crate::ids::{EntryKey, ReplicaId};
use crate::kinds::{EvidenceType, Memory, Relation, Scope, Type};
use crate::refusal::{Code, Refusal};

/// What is known about where things come from.
pub trait Origins {
    /// Of an episodic record: when it was made, and by which clone. None of anything else.
    fn episodic(&self, key: EntryKey) -> Option<(Clock, ReplicaId)>;
    /// The entry that a reference names, if it names one.
    fn named(&self, reference: &str) -> Option<EntryKey>;
    /// Whether a reference names a run.
    fn is_run(&self, reference: &str) -> bool;
}

/// What an entry is made of, as far as its origin is concerned.
pub struct Stated<'a> {
    /// Its type.
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
pub fn backflow(stated: &Stated<'_>, origins: &dyn Origins) -> Option<String> {
    if stated.kind.memory() == Memory::Episodic {
        return None;
    }
    if let Some(copied) = copied(stated, origins) {
        return Some(format!("it says word for word what the episodic record {copied} says"));
    }
    if let Some(why) = backflow_by_link(stated, origins) {
        return Some(why);
    }
    let mut cited = stated.citations.iter().peekable();
    cited.peek()?;
    let sole = cited.all(|citation| is_episodic_source(citation, stated.kind, origins));
    sole.then(|| match stated.citations.as_slice() {
        [one] => format!("its only source, {}, is an episodic record", one.evidence_ref),
        many => format!("all {} of its sources are episodic records", many.len()),
    })
}

/// The same by its links alone.
pub fn backflow_by_link(stated: &Stated<'_>, origins: &dyn Origins) -> Option<String> {
    if stated.kind.memory() == Memory::Episodic {
        return None;
    }
    let mut origin = stated.links.iter().filter(|(relation, _)| *relation == Relation::DerivedFrom);
    let (_, from) = origin.find(|(_, to)| origins.episodic(*to).is_some())?;
    Some(format!("it is derived from the episodic record {from}"))
}

/// The episodic record whose words these are: an entry's key is made from its words, so that the question is a lookup.
///
/// Who stated it first, or in another clone without knowing of the record, copied nothing.
fn copied(stated: &Stated<'_>, origins: &dyn Origins) -> Option<EntryKey> {
    let fields = stated.fields;
    let episodic = Type::ALL.iter().filter(|kind| kind.memory() == Memory::Episodic);
    let statement = fields.statement();
    let mut scopes = vec![fields.scope_key(), Scope::Project.word().to_owned()];
    scopes.dedup();
    let mut keys =
        episodic.flat_map(|kind| scopes.iter().map(|scope| EntryKey::of(kind.word(), scope, &statement)));
    keys.find(|key| match (origins.episodic(*key), stated.at) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some((made, by)), Some((at, here))) => made < at && by == here,
    })
}

fn is_episodic_source(citation: &Citation, kind: Type, origins: &dyn Origins) -> bool {
    let reference = citation.evidence_ref.as_str();
    let in_ledger = reference.trim_start_matches("./").starts_with(".kenning/episodic/");
    let record = || origins.named(reference).is_some_and(|key| origins.episodic(key).is_some());
    match citation.evidence_type {
        EvidenceType::Commit | EvidenceType::Pr => false,
        EvidenceType::Doc | EvidenceType::Test => in_ledger || record(),
        // What was said in a run is source material for a lesson; a norm needs more than that somebody was there.
        EvidenceType::Transcript => {
            record() || (kind.memory() == Memory::Procedural && origins.is_run(reference))
        }
    }
}

/// The refusal of what flows the wrong way.
pub fn violation(why: impl std::fmt::Display) -> Refusal {
    Refusal::new(Code::DirectionalFlow, format!("directional flow violation: {why}")).hint(
        "propose it, and a person may approve: ken promote propose ID --to semantic --evidence REF --reason '...'",
    )
}
