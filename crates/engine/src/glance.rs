//! An entry in short: what briefings and figures look at, for all entries at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use ken_core::belief::{self, Belief, Beta, Record};
use ken_core::kinds::{DecayClass, Polarity};
use ken_core::{Clock, Entry, EntryHead, EntryKey, Memory, Relation, Scope, Status, Tag, TypeName};

use crate::ports::Stored;
use crate::view;

/// What a rule may look at. Reading ten thousand of these takes less time than reading a thousand entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Glance {
    /// Its name in events.
    pub key: EntryKey,
    /// The id it answers to.
    pub id: String,
    /// Its short citation; the id where its type has none.
    pub handle: String,
    /// The memory it belongs to.
    pub memory: Memory,
    pub kind: TypeName,
    /// Where it stands.
    pub status: Status,
    /// The title or what stands for it.
    pub title: String,
    /// A store has few sets of labels, and many entries with each.
    pub domains: Arc<BTreeSet<Tag>>,
    pub tags: Arc<BTreeSet<Tag>>,
    /// Do, do not, or neither.
    pub polarity: Option<Polarity>,
    /// How fast belief in it fades.
    pub decay_class: DecayClass,
    /// The line of work it is kept to, if it is.
    pub thread: Option<String>,
    /// The belief it started from.
    pub prior: Beta,
    /// The other instance that it comes from.
    pub peer: Option<String>,
    /// What happened when it was used.
    pub record: Record,
    /// Questions to which it was the best answer and none.
    pub missed: u32,
    /// Entries that a machine thinks say the same.
    pub similar_to: Vec<EntryKey>,
    /// Entries that somebody said it is not to be held against: neither the same, nor the opposite.
    pub unlike: Vec<EntryKey>,
    /// Entries that somebody said it contradicts.
    pub contradicts: Vec<EntryKey>,
    /// Somebody confirmed it independently.
    pub confirmed: bool,
    /// When that was last.
    pub confirmed_at: Option<Clock>,
    /// It lacks parts that its type needs.
    pub has_gaps: bool,
    /// When it was first stated here: what was imported is counted from its import, not from its source.
    pub created: Clock,
    /// When it last changed.
    pub updated: Clock,
    /// It is pinned in this clone.
    pub pinned: bool,
    /// It is muted or invalidated in this clone.
    pub hidden: bool,
}

impl Glance {
    /// What matters of an entry that was read whole.
    pub fn new(stored: &Stored) -> Glance {
        let entry = &stored.entry;
        let fields = &entry.fields;
        Glance {
            key: entry.key,
            id: stored.id.clone(),
            handle: view::handle(stored),
            memory: entry.memory(),
            kind: entry.kind.clone(),
            status: entry.status,
            title: fields.title().into_owned(),
            domains: Arc::new(entry.whole_domains().into_owned()),
            tags: Arc::new(fields.tags.clone()),
            polarity: fields.polarity,
            decay_class: fields.decay_class(),
            thread: fields.thread.clone().filter(|_| fields.scope() == Scope::Thread),
            prior: belief::prior(entry),
            peer: peer(entry).map(str::to_owned),
            record: entry.whole_record().into_owned(),
            missed: entry.missed,
            similar_to: similar_to(entry),
            unlike: entry.unlike.iter().copied().collect(),
            contradicts: contradicts(entry),
            confirmed: entry.last_confirmed.is_some(),
            confirmed_at: entry.last_confirmed,
            has_gaps: !entry.gaps().is_empty(),
            created: entry.created,
            updated: entry.changed_at(),
            pinned: stored.overlay.pinned.is_some(),
            hidden: stored.overlay.hides(),
        }
    }

    /// The fields by which every answer names it.
    pub fn head(&self) -> EntryHead {
        EntryHead {
            id: self.id.clone(),
            handle: self.handle.clone(),
            memory: self.memory,
            kind: self.kind.word().to_owned(),
            status: self.status,
            title: view::shown_title(&self.title),
        }
    }

    /// How far it can be believed on some day.
    pub fn belief(&self, today: i32) -> Belief {
        belief::fold(&self.record, self.prior, self.decay_class, today)
    }

    /// What it is about: its domains, or its tags where it has none.
    pub fn labels(&self) -> &BTreeSet<Tag> {
        if self.domains.is_empty() { &self.tags } else { &self.domains }
    }
}

/// See [`Glance::peer`].
pub fn peer(entry: &Entry) -> Option<&str> {
    entry.fields.source.as_ref()?.peer.as_deref()
}

/// See [`Glance::similar_to`].
pub fn similar_to(entry: &Entry) -> Vec<EntryKey> {
    entry.similar_to.keys().filter(|key| !entry.unlike.contains(key)).copied().collect()
}

/// See [`Glance::contradicts`].
pub fn contradicts(entry: &Entry) -> Vec<EntryKey> {
    let contradicts = entry.links.iter().filter(|link| link.relation == Relation::Contradicts);
    contradicts.map(|link| link.to).collect()
}
