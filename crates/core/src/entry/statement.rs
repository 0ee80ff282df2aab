//! Which `entry.added` states an entry (COR-18). A line counts only if its key is the key of what it claims.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::First;
use crate::event::{Added, Body, EntryEvent, Event, Intent};
use crate::fields::Fields;
use crate::ids::{EntryKey, EventHash, ReplicaId};
use crate::kinds::{Confirmation, Scope};

/// The fields that enter the key of some type. One that cannot be read makes the key uncheckable.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Claim {
    description: Option<String>,
    from: Option<String>,
    hypothesis: Option<String>,
    name: Option<String>,
    relation: Option<String>,
    rule: Option<String>,
    scope: Option<Scope>,
    statement: Option<String>,
    summary: Option<String>,
    thread: Option<String>,
    title: Option<String>,
    to: Option<String>,
}

/// Whether an `entry.added` is about the entry whose key it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyCheck {
    Matches,
    /// Its type, or the shape of a field that enters the key, is of a newer version: nothing can be said.
    Exempt,
    /// It claims something else, which has this key.
    Differs(EntryKey),
}

impl KeyCheck {
    /// Checks the key that an `entry.added` names.
    pub(crate) fn new(added: &Added, key: Option<EntryKey>) -> KeyCheck {
        match claimed_key(added) {
            None => KeyCheck::Exempt,
            Some(claimed) if Some(claimed) == key => KeyCheck::Matches,
            Some(claimed) => KeyCheck::Differs(claimed),
        }
    }
}

/// The key of what an `entry.added` claims, as [`Fields::claim`] and [`Fields::scope_key`] of its line say; none where this version cannot tell.
pub fn claimed_key(added: &Added) -> Option<EntryKey> {
    let kind = added.kind.known().filter(|_| added.fields.is_object())?;
    let claim = Claim::deserialize(&added.fields).ok()?;
    let fields = Fields {
        description: claim.description,
        from: claim.from,
        hypothesis: claim.hypothesis,
        name: claim.name,
        relation: claim.relation,
        rule: claim.rule,
        scope: claim.scope,
        statement: claim.statement,
        summary: claim.summary,
        thread: claim.thread,
        title: claim.title,
        to: claim.to,
        ..Fields::default()
    };
    Some(EntryKey::derive(kind.word(), &fields.scope_key(), &fields.claim(kind)))
}

/// Gives every statement of a batch the key of what it says, and what is said of the same entry along with it: a text that was changed after
/// its key was made, by a redaction for example, must not be refused when it is read.
pub fn rekey(intents: &mut [Intent]) {
    let mut renamed: BTreeMap<EntryKey, EntryKey> = BTreeMap::new();
    for intent in intents.iter() {
        if let (Some(key), Body::Entry(EntryEvent::Added(added))) = (intent.entry, &intent.body)
            && let Some(claimed) = claimed_key(added).filter(|claimed| *claimed != key)
        {
            renamed.insert(key, claimed);
        }
    }
    if renamed.is_empty() {
        return;
    }
    for intent in intents {
        if let Some(claimed) = intent.entry.and_then(|key| renamed.get(&key)) {
            intent.entry = Some(*claimed);
        }
    }
}

/// The statements of one entry.
pub(super) struct Statements<'a> {
    /// The one whose words are shown; none where nobody states it.
    pub first: Option<(&'a Event, First<'a>)>,
    /// Lines that claim something else than their key says. They are not applied.
    pub refused: BTreeSet<EventHash>,
    /// How many more there are that may be shown.
    pub others: usize,
}

impl<'a> Statements<'a> {
    /// Reads the statements among the events of one entry, which come in order.
    pub fn read(events: impl Iterator<Item = &'a Event> + Clone) -> Statements<'a> {
        let mut refused = BTreeSet::new();
        let mut checked: Vec<(&Event, &Added)> = Vec::new();
        let mut exempt: Vec<(&Event, &Added)> = Vec::new();
        for event in events.clone() {
            let Some(Body::Entry(EntryEvent::Added(added))) = &event.body else { continue };
            match event.key_check() {
                Some(KeyCheck::Matches) => checked.push((event, added)),
                Some(KeyCheck::Exempt) | None => exempt.push((event, added)),
                Some(KeyCheck::Differs(_)) => drop(refused.insert(event.hash)),
            }
        }
        let others = (checked.len() + exempt.len()).saturating_sub(1);
        // What cannot be checked is never shown in place of what was.
        let mut candidates = if checked.is_empty() { exempt } else { checked };
        let first = match candidates.len() {
            0 => None,
            1 => candidates.pop(),
            _ => {
                let named = named_by(events);
                let voices = |event: &Event| named.get(&event.hash).map_or(0, BTreeSet::len);
                // The earliest of those that most clones name: candidates are in order, and the first of equals is taken.
                let most = candidates.iter().map(|(event, _)| voices(event)).max();
                let at = candidates.iter().position(|(event, _)| Some(voices(event)) == most);
                at.map(|at| candidates.swap_remove(at))
            }
        };
        let first = first.map(|(event, added)| (event, First::added(added)));
        Statements { first, refused, others }
    }
}

/// The clones whose events name each statement. Who repeats what they were shown has no voice in it (REV-3).
fn named_by<'a>(events: impl Iterator<Item = &'a Event>) -> BTreeMap<EventHash, BTreeSet<ReplicaId>> {
    let mut named: BTreeMap<EventHash, BTreeSet<ReplicaId>> = BTreeMap::new();
    for event in events {
        let is_primed = matches!(
            &event.body,
            Some(Body::Entry(EntryEvent::Confirmed(confirmed))) if confirmed.kind == Confirmation::Primed
        );
        if let Some(upon) = event.upon.filter(|_| !is_primed) {
            named.entry(upon).or_default().insert(event.replica);
        }
    }
    named
}
