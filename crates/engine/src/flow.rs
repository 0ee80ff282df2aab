//! Which way knowledge flows, asked of a ledger (GAT-2).

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use ken_core::decide::AddRequest;
use ken_core::flow::{Origins, Stated, backflow, backflow_by_link, violation};
use ken_core::promotion::Promotion;
use ken_core::{Clock, Entry, EntryKey, Fields, Memory, Relation, ReplicaId, Type};

use crate::error::{Error, Result};
use crate::projection::Projection;

/// Where things come from, as far as a ledger knows. Names are cached: it is of use until somebody writes to the ledger.
pub struct LedgerOrigins<'a> {
    ledger: &'a dyn Projection,
    named: RefCell<HashMap<String, Option<EntryKey>>>,
}

impl<'a> LedgerOrigins<'a> {
    pub fn new(ledger: &'a dyn Projection) -> LedgerOrigins<'a> {
        LedgerOrigins { ledger, named: RefCell::default() }
    }
}

impl Origins for LedgerOrigins<'_> {
    type Error = Error;

    fn episodic(&self, key: EntryKey) -> Result<Option<(Clock, ReplicaId)>> {
        let entry = self.ledger.entry(key)?.filter(|entry| entry.memory() == Memory::Episodic);
        Ok(entry.map(|entry| (entry.created, entry.origin)))
    }

    fn named(&self, reference: &str) -> Result<Option<EntryKey>> {
        if let Some(known) = self.named.borrow().get(reference) {
            return Ok(*known);
        }
        let key = match self.ledger.resolve(reference)?.as_slice() {
            [one] => Some(*one),
            [] | [_, ..] => None,
        };
        self.named.borrow_mut().insert(reference.to_owned(), key);
        Ok(key)
    }

    fn is_run(&self, reference: &str) -> Result<bool> {
        Ok(self.ledger.run(reference)?.is_some())
    }
}

/// The same where every entry was read already: only names are still asked of the ledger.
pub struct LoadedOrigins<'a> {
    asked: LedgerOrigins<'a>,
    records: HashMap<EntryKey, (Clock, ReplicaId)>,
    kinds: BTreeSet<Type>,
}

impl<'a> LoadedOrigins<'a> {
    /// What the entries of a ledger, all of them, say of where things come from.
    pub fn new<'e>(
        ledger: &'a dyn Projection,
        entries: impl Iterator<Item = &'e Entry>,
    ) -> LoadedOrigins<'a> {
        let asked = LedgerOrigins::new(ledger);
        let mut origins = LoadedOrigins { asked, records: HashMap::new(), kinds: BTreeSet::new() };
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
        self.asked.named(reference)
    }

    fn is_run(&self, reference: &str) -> Result<bool> {
        self.asked.is_run(reference)
    }

    fn may_have(&self, kind: Type) -> bool {
        self.kinds.contains(&kind)
    }
}

/// Refuses a new entry that is something episodic under another name.
pub fn check_wish(origins: &LedgerOrigins<'_>, request: &AddRequest) -> Result<()> {
    let stated = Stated {
        kind: request.kind,
        at: None,
        fields: &request.fields,
        citations: request.evidence.iter().collect(),
        links: Vec::new(),
    };
    refuse(&stated, origins)
}

/// Refuses to turn an entry into something episodic by changing what it says.
pub fn check_words(ledger: &dyn Projection, entry: &Entry, fields: &Fields) -> Result<()> {
    let Some(kind) = checked(entry) else { return Ok(()) };
    let citations = entry.evidence().collect();
    let stated = Stated { kind, at: None, fields, citations, links: Vec::new() };
    refuse(&stated, &LedgerOrigins::new(ledger))
}

/// Refuses to make something episodic the origin of an entry.
pub fn check_link(ledger: &dyn Projection, entry: &Entry, relation: Relation, to: EntryKey) -> Result<()> {
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
    match backflow_by_link(&stated, &LedgerOrigins::new(ledger))? {
        None => Ok(()),
        Some(why) => Err(violation(format!("without an approved promotion, {why}")).into()),
    }
}

/// What came in by an approved promotion may say where it came from.
fn checked(entry: &Entry) -> Option<Type> {
    entry.kind.known().filter(|_| entry.approvals.is_empty())
}

fn refuse(stated: &Stated<'_>, origins: &LedgerOrigins<'_>) -> Result<()> {
    match backflow(stated, origins)? {
        None => Ok(()),
        Some(why) => Err(violation(format!("without an approved promotion, {why}")).into()),
    }
}
