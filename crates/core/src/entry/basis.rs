//! What the writer of a batch saw of the entries that it speaks of: each event names it (COR-18).

use std::collections::{BTreeMap, BTreeSet};

use super::trust::names_words;
use super::{Entry, revise, words};
use crate::event::{Basis, Body, EntryEvent, Intent};
use crate::fields::Fields;
use crate::ids::{EntryKey, EventHash};
use crate::kinds::TypeName;

/// The entries that a batch is about, as its writer saw them, and as the batch leaves them behind while it is sealed.
#[derive(Clone, Debug, Default)]
pub struct Bases(BTreeMap<EntryKey, Known>);

#[derive(Clone, Debug)]
struct Known {
    stated_in: Option<EventHash>,
    kind: TypeName,
    fields: Fields,
    /// The hash of its words, as far as it was needed.
    words: Option<String>,
}

impl Bases {
    /// The entries whose state is needed to seal a batch. What the batch itself states first is not among them.
    pub fn needed(intents: &[Intent]) -> BTreeSet<EntryKey> {
        let (mut stated, mut needed) = (BTreeSet::new(), BTreeSet::new());
        for intent in intents {
            let Some(key) = intent.entry else { continue };
            if matches!(intent.body, Body::Entry(EntryEvent::Added(_))) {
                stated.insert(key);
            } else if names_basis(&intent.body) && !stated.contains(&key) {
                needed.insert(key);
            }
        }
        needed
    }

    /// Takes in an entry as its writer saw it.
    pub fn insert(&mut self, entry: &Entry) {
        let known = Known {
            stated_in: entry.stated_in,
            kind: entry.kind.clone(),
            fields: entry.fields.clone(),
            words: entry.ledger_words.clone(),
        };
        self.0.insert(entry.key, known);
    }

    /// What an event that says this names.
    pub fn of(&mut self, intent: &Intent) -> Basis {
        if !names_basis(&intent.body) {
            return Basis::default();
        }
        let Some(known) = intent.entry.and_then(|key| self.0.get_mut(&key)) else { return Basis::default() };
        let words = names_words(&intent.body)
            .then(|| known.words.get_or_insert_with(|| words(&known.kind, &known.fields)).clone());
        Basis { upon: known.stated_in, words }
    }

    /// From now on the batch has said this, in an event with this hash.
    pub fn follow(&mut self, intent: &Intent, hash: EventHash) {
        let Some(key) = intent.entry else { return };
        match &intent.body {
            Body::Entry(EntryEvent::Added(added))
                if self.0.get(&key).is_none_or(|known| known.stated_in.is_none()) =>
            {
                let (fields, kind) = (Fields::read(&added.fields), added.kind.clone());
                self.0.insert(key, Known { stated_in: Some(hash), kind, fields, words: None });
            }
            Body::Entry(EntryEvent::Revised(revised)) => {
                if let Some(known) = self.0.get_mut(&key) {
                    known.fields = revise(std::mem::take(&mut known.fields), revised);
                    known.words = None;
                }
            }
            _ => {}
        }
    }
}

/// Whether an event says which statement its writer saw: everything that is said of an entry does. A statement is one itself, and that an
/// entry was shown to somebody says nothing of it.
fn names_basis(body: &Body) -> bool {
    !matches!(body, Body::Entry(EntryEvent::Added(_) | EntryEvent::Rejected(_)) | Body::Run(_))
}
