//! Which way knowledge flows, asked of a ledger (GAT-2).

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use ken_core::decide::AddRequest;
use ken_core::flow::{Origins, Stated, backflow, backflow_by_link, violation};
use ken_core::promotion::Promotion;
use ken_core::{Clock, Entry, EntryKey, Fields, Memory, Relation, ReplicaId, Type};

use crate::error::{Error, Result};
use crate::ports::Ledger;

/// Where things come from, as far as a ledger knows.
pub struct LedgerOrigins<'a>(pub &'a dyn Ledger);

impl Origins for LedgerOrigins<'_> {
    type Error = Error;

    fn episodic(&self, key: EntryKey) -> Result<Option<(Clock, ReplicaId)>> {
        let entry = self.0.entry(key)?.filter(|entry| entry.memory() == Memory::Episodic);
        Ok(entry.map(|entry| (entry.created, entry.origin)))
    }

    fn named(&self, reference: &str) -> Result<Option<EntryKey>> {
        Ok(match self.0.resolve(reference)?.as_slice() {
            [one] => Some(*one),
            [] | [_, ..] => None,
        })
    }

    fn is_run(&self, reference: &str) -> Result<bool> {
        Ok(self.0.run(reference)?.is_some())
    }
}

/// The same where every entry was read already: only names are still asked of the ledger, each once.
pub struct LoadedOrigins<'a> {
    ledger: &'a dyn Ledger,
    records: HashMap<EntryKey, (Clock, ReplicaId)>,
    kinds: BTreeSet<Type>,
    named: RefCell<HashMap<String, Option<EntryKey>>>,
}

impl<'a> LoadedOrigins<'a> {
    /// What the entries of a ledger, all of them, say of where things come from.
    pub fn new<'e>(ledger: &'a dyn Ledger, entries: impl Iterator<Item = &'e Entry>) -> LoadedOrigins<'a> {
        let mut origins = LoadedOrigins {
            ledger,
            records: HashMap::new(),
            kinds: BTreeSet::new(),
            named: RefCell::default(),
        };
        entries.for_each(|entry| origins.learn(entry));
        origins
    }

    /// What one more of them says.
    pub fn learn(&mut self, entry: &Entry) {
        if entry.memory() == Memory::Episodic {
            self.records.insert(entry.key, (entry.created, entry.origin));
            self.kinds.extend(entry.kind.known());
        }
    }
}

impl Origins for LoadedOrigins<'_> {
    type Error = Error;

    fn episodic(&self, key: EntryKey) -> Result<Option<(Clock, ReplicaId)>> {
        Ok(self.records.get(&key).copied())
    }

    fn named(&self, reference: &str) -> Result<Option<EntryKey>> {
        if let Some(known) = self.named.borrow().get(reference) {
            return Ok(*known);
        }
        let key = LedgerOrigins(self.ledger).named(reference)?;
        self.named.borrow_mut().insert(reference.to_owned(), key);
        Ok(key)
    }

    fn is_run(&self, reference: &str) -> Result<bool> {
        LedgerOrigins(self.ledger).is_run(reference)
    }

    fn may_have(&self, kind: Type) -> bool {
        self.kinds.contains(&kind)
    }
}

/// Refuses a new entry that is something episodic under another name.
pub fn check_wish(ledger: &dyn Ledger, request: &AddRequest) -> Result<()> {
    let stated = Stated {
        kind: request.kind,
        at: None,
        fields: &request.fields,
        citations: request.evidence.iter().collect(),
        links: Vec::new(),
    };
    refuse(&stated, ledger)
}

/// Refuses to turn an entry into something episodic by changing what it says.
pub fn check_words(ledger: &dyn Ledger, entry: &Entry, fields: &Fields) -> Result<()> {
    let Some(kind) = checked(entry) else { return Ok(()) };
    let citations = entry.citations.iter().collect();
    refuse(&Stated { kind, at: None, fields, citations, links: Vec::new() }, ledger)
}

/// Refuses to make something episodic the origin of an entry.
pub fn check_link(ledger: &dyn Ledger, entry: &Entry, relation: Relation, to: EntryKey) -> Result<()> {
    let Some(kind) = entry.kind.known() else { return Ok(()) };
    // What came in by a promotion may say so, and nothing more.
    let from_it = |one: &Promotion| {
        one.proposed.sources.contains(&to)
            && entry.approvals.iter().any(|approval| approval.promotion == one.proposed.promotion)
    };
    if ledger.promotions()?.iter().any(from_it) {
        return Ok(());
    }
    let stated =
        Stated { kind, at: None, fields: &entry.fields, citations: Vec::new(), links: vec![(relation, to)] };
    match backflow_by_link(&stated, &LedgerOrigins(ledger))? {
        None => Ok(()),
        Some(why) => Err(violation(format!("without an approved promotion, {why}")).into()),
    }
}

/// What came in by an approved promotion may say where it came from.
fn checked(entry: &Entry) -> Option<Type> {
    entry.kind.known().filter(|_| entry.approvals.is_empty())
}

fn refuse(stated: &Stated<'_>, ledger: &dyn Ledger) -> Result<()> {
    match backflow(stated, &LedgerOrigins(ledger))? {
        None => Ok(()),
        Some(why) => Err(violation(format!("without an approved promotion, {why}")).into()),
    }
}
