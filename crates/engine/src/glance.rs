//! An entry in short: what briefings and figures look at, for all entries at once.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::belief::{self, Belief, Beta, Record};
use ken_core::entry::stated_at;
use ken_core::kinds::{DecayClass, Polarity};
use ken_core::{
    Clock, Entry, EntryHead, EntryKey, Fields, Link, Memory, Millis, Relation, Scope, Status, Tag, TypeName,
};
use serde::Deserialize;
use serde::de::IgnoredAny;

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
    pub domains: BTreeSet<Tag>,
    pub tags: BTreeSet<Tag>,
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
            domains: entry.whole_domains().into_owned(),
            tags: fields.tags.clone(),
            polarity: fields.polarity,
            decay_class: fields.decay_class(),
            thread: fields.thread.clone().filter(|_| fields.scope() == Scope::Thread),
            prior: belief::prior(entry),
            peer: fields.source.as_ref().and_then(|source| source.peer.clone()),
            record: entry.whole_record().into_owned(),
            missed: entry.missed,
            similar_to: entry.similar_to.keys().filter(|key| !entry.unlike.contains(key)).copied().collect(),
            unlike: entry.unlike.iter().copied().collect(),
            contradicts: contradicted(&entry.links),
            confirmed: entry.last_confirmed.is_some(),
            confirmed_at: entry.last_confirmed,
            has_gaps: !entry.gaps().is_empty(),
            created: entry.created,
            updated: entry.changed_at(),
            pinned: stored.overlay.pinned.is_some(),
            hidden: stored.overlay.hides(),
        }
    }

    /// The same from an entry as it is written, which skips what is long. What has an odd shape, seems to lack something or stands for
    /// others is read whole. Nothing is known of overlays here.
    pub fn read(id: String, written: &str) -> Result<Glance, serde_json::Error> {
        match serde_json::from_str::<Written>(written) {
            Ok(short) if !short.may_have_gaps() && short.pool.is_none() => Ok(short.glance(id)),
            Ok(_) | Err(_) => {
                let entry: Entry = serde_json::from_str(written)?;
                Ok(Glance::new(&Stored {
                    entry,
                    id,
                    checkout: None,
                    purge_asked: false,
                    validity: Default::default(),
                    overlay: Default::default(),
                }))
            }
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

fn contradicted(links: &BTreeSet<Link>) -> Vec<EntryKey> {
    links.iter().filter(|link| link.relation == Relation::Contradicts).map(|link| link.to).collect()
}

/// The parts of a written entry that are read.
#[derive(Deserialize)]
struct Written {
    key: EntryKey,
    #[serde(default)]
    handle: Option<String>,
    #[serde(rename = "type")]
    kind: TypeName,
    fields: StatedFields,
    status: Status,
    citations: Vec<Cited>,
    #[serde(default)]
    links: BTreeSet<Link>,
    #[serde(default)]
    similar_to: BTreeMap<EntryKey, IgnoredAny>,
    #[serde(default)]
    unlike: BTreeSet<EntryKey>,
    #[serde(default)]
    last_confirmed: Option<Clock>,
    #[serde(default)]
    record: Record,
    #[serde(default)]
    pool: Option<IgnoredAny>,
    created: Clock,
    #[serde(default)]
    since: Option<Millis>,
    updated: Clock,
    #[serde(default)]
    missed: u32,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StatedFields {
    title: Option<String>,
    name: Option<String>,
    summary: Option<String>,
    statement: Option<String>,
    rule: Option<String>,
    description: Option<String>,
    hypothesis: Option<String>,
    from: Option<String>,
    relation: Option<String>,
    to: Option<String>,
    domains: BTreeSet<Tag>,
    tags: BTreeSet<Tag>,
    polarity: Option<Polarity>,
    decay_class: Option<DecayClass>,
    scope: Option<Scope>,
    thread: Option<String>,
    anchors: Vec<IgnoredAny>,
    verification: Vec<IgnoredAny>,
    source: Option<From>,
}

#[derive(Deserialize)]
struct Cited {
    #[serde(default)]
    withdrawn: bool,
}

#[derive(Deserialize)]
struct From {
    #[serde(default)]
    page: Option<IgnoredAny>,
    #[serde(default)]
    peer: Option<String>,
    #[serde(default)]
    distilled: Option<u32>,
}

impl Written {
    fn may_have_gaps(&self) -> bool {
        let Some(kind) = self.kind.known() else { return false };
        let unseen = self.fields.anchors.is_empty() || self.fields.verification.is_empty();
        kind.needs_provenance() && self.citations.iter().all(|cited| cited.withdrawn)
            || kind.needs_anchor() && unseen
    }

    fn glance(self, id: String) -> Glance {
        let said = self.fields;
        let foraged = said.source.as_ref().is_some_and(|source| source.page.is_some());
        let prior = belief::prior_of(foraged, said.source.as_ref().and_then(|source| source.distilled));
        let peer = said.source.and_then(|source| source.peer);
        let words = Fields {
            title: said.title,
            name: said.name,
            summary: said.summary,
            statement: said.statement,
            rule: said.rule,
            description: said.description,
            hypothesis: said.hypothesis,
            from: said.from,
            relation: said.relation,
            to: said.to,
            ..Fields::default()
        };
        Glance {
            key: self.key,
            handle: self.handle.unwrap_or_else(|| id.clone()),
            id,
            memory: self.kind.memory(),
            kind: self.kind,
            status: self.status,
            title: words.title().into_owned(),
            domains: said.domains,
            tags: said.tags,
            polarity: said.polarity,
            decay_class: said.decay_class.unwrap_or(DecayClass::Stable),
            thread: said.thread.filter(|_| said.scope.unwrap_or(Scope::Thread) == Scope::Thread),
            prior,
            peer,
            record: self.record,
            missed: self.missed,
            unlike: self.unlike.iter().copied().collect(),
            similar_to: self.similar_to.into_keys().filter(|key| !self.unlike.contains(key)).collect(),
            contradicts: contradicted(&self.links),
            confirmed: self.last_confirmed.is_some(),
            confirmed_at: self.last_confirmed,
            has_gaps: false,
            created: self.created,
            updated: if self.updated > self.created {
                self.updated
            } else {
                stated_at(self.created, self.since)
            },
            pinned: false,
            hidden: false,
        }
    }
}
