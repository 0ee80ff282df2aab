//! Small ways to say things to a store: intents from the domain's own decisions.

use ken_core::decide::{self, AddFacts, AddRequest, Authority, Change, Context};
use ken_core::{
    Body, Citation, Entry, EntryKey, EvidenceType, Fields, Intent, Millis, Relation, ReplicaId, RunEvent,
    Type,
};

use crate::git_store::Store;

/// The first moment of every test.
pub const START: Millis = Millis(1_700_000_000_000);

/// Says things to a store on somebody's behalf, at some time.
pub struct Says<'a> {
    pub store: &'a Store,
    pub context: Context,
}

impl Says<'_> {
    pub fn new<'a>(store: &'a Store, replica: ReplicaId, actor: &str, now: Millis) -> Says<'a> {
        Says {
            store,
            context: Context { now, replica, actor: actor.to_owned(), authority: Authority::default() },
        }
    }

    fn entry(&self, key: EntryKey) -> Entry {
        let stored = self.store.stored(key).expect("the index answers");
        stored.unwrap_or_else(|| panic!("{key} is not known")).entry
    }

    /// An addition with one citation; the same statement again is one more citation.
    pub fn add(&self, kind: Type, statement: &str, evidence: &str) -> (EntryKey, Vec<Intent>) {
        let citation = Citation {
            evidence_type: EvidenceType::Commit,
            evidence_ref: evidence.to_owned(),
            cited_by: self.context.actor.clone(),
            cited_at: self.context.now.seconds(),
            unverified: false,
            withdrawn: false,
        };
        let fields = Fields { statement: Some(statement.to_owned()), ..Fields::default() };
        let request = AddRequest::scanned(kind, fields, vec![citation], ken_core::Scan::default());
        let facts = AddFacts::load(self.store.projection(), &request).unwrap();
        let addition = decide::add(facts, request, &self.context).expect("drafts may enter");
        (addition.key, addition.intents)
    }

    pub fn is_immutable(&self, key: EntryKey) -> bool {
        self.entry(key).is_immutable()
    }

    pub fn retitle(&self, key: EntryKey, title: &str) -> Vec<Intent> {
        let mut change = Change::default();
        change.set.insert("title".to_owned(), title.into());
        decide::revise(&self.entry(key), change).expect("a title may change")
    }

    pub fn tag(&self, key: EntryKey, tag: &str) -> Vec<Intent> {
        let change = Change { tags_add: vec![tag.to_owned()], ..Change::default() };
        decide::revise(&self.entry(key), change).expect("tags may be added")
    }

    pub fn untag(&self, key: EntryKey, tag: &str) -> Vec<Intent> {
        let change = Change { tags_remove: vec![tag.to_owned()], ..Change::default() };
        decide::revise(&self.entry(key), change).expect("tags may be removed")
    }

    pub fn archive(&self, key: EntryKey) -> Vec<Intent> {
        decide::archive(&self.entry(key), "old".to_owned(), &self.context).unwrap()
    }

    pub fn retract(&self, key: EntryKey) -> Vec<Intent> {
        decide::retract(&self.entry(key), "wrong".to_owned(), &self.context).unwrap()
    }

    pub fn restore(&self, key: EntryKey) -> Vec<Intent> {
        decide::restore(&self.entry(key), "right after all".to_owned(), &self.context).expect("it can return")
    }

    pub fn link(&self, from: EntryKey, to: EntryKey) -> Vec<Intent> {
        decide::link(&self.entry(from), Relation::Supports, &self.entry(to), &self.context)
            .unwrap_or_default()
    }

    pub fn unlink(&self, from: EntryKey, to: EntryKey) -> Vec<Intent> {
        decide::unlink(&self.entry(from), Relation::Supports, &self.entry(to))
    }

    pub fn supersede(&self, old: EntryKey, new: EntryKey) -> Vec<Intent> {
        decide::supersede(&self.entry(old), &self.entry(new), "better".to_owned(), &self.context)
            .unwrap_or_default()
    }

    pub fn purge(&self, key: EntryKey) -> Vec<Intent> {
        let events: Vec<_> = self
            .store
            .history(key)
            .expect("the index answers")
            .into_iter()
            .map(|placed| placed.event)
            .collect();
        decide::purge(&self.entry(key), &events, "secret".to_owned())
    }

    pub fn expose(&self, key: EntryKey) -> Vec<Intent> {
        vec![Intent {
            entry: Some(key),
            body: Body::Run(RunEvent::exposed(None, None, "pulled", Vec::new())),
        }]
    }
}
