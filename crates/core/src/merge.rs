//! Entries that say the same: which of them stands for the others, and what it has of theirs (UPK-1, COR-20).
//!
//! That an entry was merged is said in its own events and of its own words. What follows for the other is found here from both, whenever
//! either changes, and never written down: so nothing is counted twice, an unmerge restores both as they were, and a line that somebody
//! made up gives an entry nothing that another did not earn.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::belief::{Moved, Record};
use crate::clock::Clock;
use crate::entry::{Entry, trust};
use crate::fields::Tag;
use crate::ids::EntryKey;
use crate::kinds::{Memory, Scope, Status};
use crate::limits::merge::{MEMBERS_MAX, STEPS_MAX};

/// The entry that stands for this one, as its own events have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergedInto {
    pub key: EntryKey,
    /// The hash of the words that entry had then.
    pub words: String,
    pub at: Clock,
    pub by: String,
    pub reason: String,
    /// Whether it is so, as the other one stands now. What is not so is shown nowhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counts: bool,
}

/// What an entry has of those it stands for. Found from their events; no event carries it (BEL-2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Pool {
    /// The entries it stands for, and those they stand for.
    pub from: BTreeSet<EntryKey>,
    /// What they are about that it does not name itself.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub domains: BTreeSet<Tag>,
    /// What happened when they were used.
    #[serde(skip_serializing_if = "is_empty")]
    pub record: Record,
}

fn is_empty(record: &Record) -> bool {
    record.0.is_empty()
}

impl Pool {
    /// Whether it stands for no other entry.
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }
}

/// Where other entries are looked up, as their own events have them: what was settled before plays no part.
pub trait Others {
    /// Why something could not be looked up.
    type Error;
    fn entry(&self, key: EntryKey) -> Result<Option<Entry>, Self::Error>;
    /// The entries that say they were merged into this one.
    fn merged_into(&self, key: EntryKey) -> Result<Vec<EntryKey>, Self::Error>;
}

/// Settles how an entry stands that was just folded: whether another stands for it, and for which others it stands.
pub fn settle<O: Others>(entry: &mut Entry, others: &O) -> Result<(), O::Error> {
    let mut known = Known { others, entries: BTreeMap::from([(entry.key, Some(entry.clone()))]) };
    let kept = known.parent(entry.key)?;
    entry.pool = known.pool(entry)?;
    if let (Some(kept), Some(merged)) = (kept, &mut entry.merged_into) {
        merged.counts = true;
        entry.status = Status::Superseded;
        entry.superseded_by = Some(kept);
        entry.status_reason = Some(match merged.reason.is_empty() {
            true => "merged".to_owned(),
            false => format!("merged: {}", merged.reason),
        });
    }
    Ok(())
}

/// Whether one entry may stand for another. Decided here as well as when it is asked for: a line can say anything.
///
/// What is trusted less never stands for what is trusted more (COR-20), norms are superseded and never merged (REV-4), and who
/// sees an entry must see the one that stands for it.
pub fn may_stand_for(kept: &Entry, absorbed: &Entry) -> bool {
    let reaches =
        kept.fields.scope_key() == absorbed.fields.scope_key() || kept.fields.scope() != Scope::Thread;
    kept.key != absorbed.key
        && kept.kind == absorbed.kind
        && kept.memory() == Memory::Semantic
        && kept.status != Status::Rejected
        && trust(kept.standing) >= trust(absorbed.standing)
        && reaches
}

struct Known<'a, O> {
    others: &'a O,
    entries: BTreeMap<EntryKey, Option<Entry>>,
}

impl<O: Others> Known<'_, O> {
    fn entry(&mut self, key: EntryKey) -> Result<Option<&Entry>, O::Error> {
        if !self.entries.contains_key(&key) {
            let entry = self.others.entry(key)?;
            self.entries.insert(key, entry);
        }
        Ok(self.entries[&key].as_ref())
    }

    /// The entry that an entry says it was merged into, where that one can stand for it.
    fn edge(&mut self, key: EntryKey) -> Result<Option<EntryKey>, O::Error> {
        let Some(entry) = self.entry(key)?.cloned() else { return Ok(None) };
        // What was put away for another reason is not merged as well.
        let Some(merged) = entry.merged_into.as_ref().filter(|_| is_handed_out(&entry)) else {
            return Ok(None);
        };
        let kept = self.entry(merged.key)?;
        Ok(kept.filter(|kept| may_stand_for(kept, &entry)).map(|kept| kept.key))
    }

    /// The same, where clones that merged at the same time have made no circle. Of a circle the entry that was stated first is kept.
    fn parent(&mut self, key: EntryKey) -> Result<Option<EntryKey>, O::Error> {
        let Some(parent) = self.edge(key)? else { return Ok(None) };
        let mut circle = vec![key];
        let mut at = parent;
        while at != key {
            if circle.contains(&at) || circle.len() > STEPS_MAX {
                return Ok(Some(parent));
            }
            circle.push(at);
            match self.edge(at)? {
                Some(next) => at = next,
                None => return Ok(Some(parent)),
            }
        }
        let mut first = None;
        for member in circle {
            let place = self.entry(member)?.map(|entry| (entry.created, entry.key));
            first = first.into_iter().chain(place).min();
        }
        Ok(Some(parent).filter(|_| first.is_none_or(|(_, first)| first != key)))
    }

    /// What an entry has of those it stands for.
    fn pool(&mut self, entry: &Entry) -> Result<Pool, O::Error> {
        let mut pool = Pool::default();
        // Each with whether what happened to it counts for the words that the entry has now.
        let mut open = vec![(entry.key, true)];
        while let Some((key, is_same)) = open.pop() {
            let words = self.entry(key)?.map(Entry::trusted_words);
            let mut children = self.others.merged_into(key)?;
            children.sort_unstable();
            for child in children {
                let is_new = child != entry.key && !pool.from.contains(&child);
                if !is_new || pool.from.len() >= MEMBERS_MAX || self.parent(child)? != Some(key) {
                    continue;
                }
                let Some(absorbed) = self.entry(child)?.cloned() else { continue };
                let named = absorbed.merged_into.as_ref().map(|merged| merged.words.as_str());
                let is_same = is_same && named == words.as_deref();
                pool.from.insert(child);
                pool.domains.extend(absorbed.fields.domains.iter().cloned());
                if is_same {
                    pool.record.0.extend(observed(&absorbed.record));
                }
                open.push((child, is_same));
            }
        }
        pool.domains.retain(|domain| !entry.fields.domains.contains(domain));
        // The order in which they were found is nobody's.
        pool.record.0.sort_by_key(|mark| (mark.day, mark.what.order()));
        Ok(pool)
    }
}

/// Whether its own events hand an entry out.
fn is_handed_out(entry: &Entry) -> bool {
    entry.status.is_retrieved() || entry.merged_into.as_ref().is_some_and(|merged| merged.counts)
}

/// What a record tells of uses, since it was last reset: that belief in one entry was reset says nothing of another.
fn observed(record: &Record) -> impl Iterator<Item = crate::belief::Mark> {
    let since = record.0.iter().rposition(|mark| mark.what == Moved::Reset).map_or(0, |at| at + 1);
    record.0[since..].iter().copied().filter(|mark| matches!(mark.what, Moved::Observed(..)))
}
