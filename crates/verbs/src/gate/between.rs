//! Two trees, as far as knowledge is concerned: what a change says, damages, takes out of force and puts back.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use ken_core::entry::{fold, unfounded, verifies};
use ken_core::gate::{BadLine, LineFault, Moved};
use ken_core::norm::change::Change;
use ken_core::promotion::{Policy, Standing};
use ken_core::{Body, Entry, EntryEvent, EntryKey, Event, EventHash, PromotionEvent, ReplicaId, Status};
use ken_engine::ops::promote::{authorities, norms as norms_of};
use ken_engine::{LedgerAt, Projection, Result};

use super::{bad_line, short};
use crate::approvers;

/// A ledger with what it comes to.
pub(super) struct LedgerState<'a> {
    pub ledger: Rc<LedgerAt>,
    pub store: Box<dyn Projection + 'a>,
}

/// A change between two trees.
pub(super) struct Between<'a> {
    /// Where the two parted: what others did since is no part of the change.
    pub parted: Rc<LedgerAt>,
    pub base: Rc<LedgerState<'a>>,
    pub head: Rc<LedgerState<'a>>,
}

impl Between<'_> {
    fn new_events(&self) -> Vec<&Event> {
        let before = self.parted.hashes();
        let new = self.head.ledger.events.iter().filter(|(event, _, _)| !before.contains(&event.hash));
        new.map(|(event, _, _)| event).collect()
    }

    /// Entries about which the change says anything.
    pub fn changed(&self) -> BTreeSet<EntryKey> {
        self.new_events().into_iter().filter_map(|event| event.entry).collect()
    }

    /// Names the change, by what it does to the code and to what binds. Where it does nothing to the code, everything it says counts: or
    /// a word about one such change would be a word about all. Words themselves, and what follows from using knowledge, never count.
    pub fn name(&self, change: &Change) -> String {
        let has_code = change.files.iter().any(|file| !file.is_stores);
        let before = self.parted.hashes();
        let mut parts: Vec<String> = Vec::new();
        for (event, file, _) in &self.head.ledger.events {
            let binds = file.starts_with("procedural/") || file.starts_with("settings/");
            let counts = match &event.body {
                Some(Body::Gate(_) | Body::Run(_) | Body::Belief(_) | Body::Document(_)) => false,
                Some(body) => !body.is_deferred(),
                None => true,
            };
            if counts && (binds || !has_code) && !before.contains(&event.hash) {
                parts.push(event.hash.to_string());
            }
        }
        parts.sort();
        if self.head.ledger.config != self.parted.config {
            parts.push(self.head.ledger.config.clone().unwrap_or_default());
        }
        for file in change.files.iter().filter(|file| file.is_stores) {
            let own = file.path.ends_with(".jsonl")
                || file.path.ends_with("INDEX.md")
                || file.path.ends_with("config.toml");
            if !own {
                let added: Vec<&str> = file.added.iter().map(|(_, line)| line.as_str()).collect();
                parts.push(format!("{}\n{}\n{}", file.path, file.removed, added.join("\n")));
            }
        }
        if parts.is_empty() {
            return change.id.clone();
        }
        let text = format!("{}\n{}", change.id, parts.join("\n"));
        blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
    }

    /// Lines that the change damages, takes away, purges or numbers anew.
    pub fn bad_lines(&self, parted: &str, policy: &Policy) -> Vec<BadLine> {
        let before = &self.parted.problems;
        let known: BTreeSet<(&str, &str)> =
            before.iter().map(|(file, problem)| (file.as_str(), problem.problem.as_str())).collect();
        let now = &self.head.ledger.problems;
        let damaged =
            now.iter().filter(|(file, problem)| !known.contains(&(file.as_str(), problem.problem.as_str())));
        let mut lines: Vec<BadLine> = damaged.map(|(file, problem)| bad_line(file, problem)).collect();
        let after = self.head.ledger.hashes();
        let mut gone: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, file, _) in self.parted.events.iter().filter(|(event, _, _)| !after.contains(&event.hash)) {
            *gone.entry(file).or_default() += 1;
        }
        let parted = short(parted);
        lines.extend(gone.into_iter().map(|(file, count)| BadLine {
            file: file.to_owned(),
            line: 0,
            fault: LineFault::Edited,
            problem: match count {
                1 => format!("{file} lost a line that {parted} has; ledger files are append-only"),
                _ => format!("{file} lost {count} lines that {parted} has; ledger files are append-only"),
            },
        }));
        lines.extend(self.purged_lines(parted, policy));
        lines.extend(self.numbered_twice());
        lines.extend(self.rewritten());
        lines.extend(self.unfounded());
        lines.extend(self.hidden());
        lines
    }

    /// New lines that say that an entry is verified, while nothing bears that out (COR-19).
    fn unfounded(&self) -> Vec<BadLine> {
        let before = self.parted.hashes();
        let mut found = Vec::new();
        for (event, file, line) in &self.head.ledger.events {
            let Some(key) = event.entry.filter(|_| verifies(event) && !before.contains(&event.hash)) else {
                continue;
            };
            let about = self.head.ledger.events.iter().filter(|(event, _, _)| event.entry == Some(key));
            let is_unfounded = unfounded(about.map(|(event, _, _)| event)).contains(&event.hash);
            // A new line without words is none of an older version: it would be as trusted as what it says.
            let is_nameless = event.words.is_none() && !self.knows(event.replica);
            if is_unfounded || is_nameless {
                let problem = format!(
                    "this line of {} says that {key} is verified, and the events it rests on do not show that",
                    event.actor
                );
                found.push(BadLine { file: file.clone(), line: *line, problem, fault: LineFault::Forged });
            }
        }
        found
    }

    /// New lines of clones that the base does not know which take a verified entry away. A new colleague may; a reviewer should look.
    fn hidden(&self) -> Vec<BadLine> {
        let mut found = Vec::new();
        let before = self.parted.hashes();
        for (event, file, line) in &self.head.ledger.events {
            let Some(key) = event.entry.filter(|_| !before.contains(&event.hash)) else { continue };
            let what = match &event.body {
                Some(Body::Entry(EntryEvent::Archived { .. })) => "archives",
                Some(Body::Entry(EntryEvent::Retracted { .. })) => "retracts",
                Some(Body::Entry(EntryEvent::Superseded { .. })) => "supersedes",
                Some(Body::Entry(EntryEvent::Merged(_))) => "merges",
                Some(Body::Entry(EntryEvent::Staled { .. })) => "makes stale",
                _ => continue,
            };
            let shown = self.base.store.stored(key).ok().flatten();
            let was_verified = shown.is_some_and(|stored| stored.entry.status == Status::Verified);
            if was_verified && !self.knows(event.replica) {
                let problem = format!(
                    "this line of {} {what} {key}, which is verified at the base; clone {} is unknown there",
                    event.actor, event.replica
                );
                found.push(BadLine { file: file.clone(), line: *line, problem, fault: LineFault::Doubtful });
            }
        }
        found
    }

    /// Whether the base has anything of a clone.
    fn knows(&self, replica: ReplicaId) -> bool {
        self.base.ledger.events.iter().any(|(event, _, _)| event.replica == replica)
    }

    /// Lines by clones that the base does not know, dated before what it has, that change the words it shows (COR-18): an honest clone
    /// dates what it says of an entry after what it saw of it.
    fn rewritten(&self) -> Vec<BadLine> {
        let known: BTreeSet<ReplicaId> =
            self.base.ledger.events.iter().map(|(event, _, _)| event.replica).collect();
        let base = self.base.ledger.hashes();
        let suspects = self.head.ledger.events.iter().filter(|(event, _, _)| {
            let states =
                matches!(event.body, Some(Body::Entry(EntryEvent::Added(_) | EntryEvent::Revised(_))));
            states && !known.contains(&event.replica) && !base.contains(&event.hash)
        });
        let mut found = Vec::new();
        for (event, file, line) in suspects {
            let Some(key) = event.entry else { continue };
            let about = |ledger: &'_ LedgerAt| -> Vec<Event> {
                let about = ledger.events.iter().filter(|(event, _, _)| event.entry == Some(key));
                about.map(|(event, _, _)| event.clone()).collect()
            };
            let (shown, with) = (about(&self.base.ledger), about(&self.head.ledger));
            let Some(newest) = shown.iter().map(|event| event.clock).max() else { continue };
            let words = |events: &[Event], without: Option<EventHash>| {
                fold(events, &|hash| Some(*hash) == without).map(|entry| entry.trusted_words())
            };
            let changes =
                words(&with, None) != words(&with, Some(event.hash)) && words(&shown, None).is_some();
            if event.clock < newest && changes {
                let problem = format!(
                    "this line of {} changes the words of {key} and is dated before its newest event at the base; clone {} is unknown there",
                    event.actor, event.replica
                );
                found.push(BadLine { file: file.clone(), line: *line, problem, fault: LineFault::Forged });
            }
        }
        found
    }

    /// Lines that the change has purged: of norms those by somebody who may not take a norm out of force. Of other entries all are
    /// named, since a line cannot show who wrote it.
    fn purged_lines(&self, parted: &str, policy: &Policy) -> Vec<BadLine> {
        let mut purgers: BTreeMap<EventHash, &str> = BTreeMap::new();
        for event in self.new_events() {
            if let Some(Body::Entry(EntryEvent::Purged { hashes, .. })) = &event.body {
                purgers.extend(hashes.iter().map(|hash| (*hash, event.actor.as_str())));
            }
        }
        let mut found: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (event, file, _) in &self.parted.events {
            let Some(by) = purgers.get(&event.hash) else { continue };
            if !file.starts_with("procedural/") || policy.approver(by).is_none() {
                *found.entry((file, by)).or_default() += 1;
            }
        }
        let told = found.into_iter().map(|((file, by), count)| BadLine {
            file: file.to_owned(),
            line: 0,
            fault: LineFault::Doubtful,
            problem: match file.starts_with("procedural/") {
                true => format!(
                    "{by} purged {count} lines that {parted} has in {file} and is not an approver at the base"
                ),
                false => {
                    format!("in the name of {by}, lines that {parted} has in {file} are purged ({count})")
                }
            },
        });
        told.collect()
    }

    /// New lines that have the number of another line of the same clone (STO-4).
    fn numbered_twice(&self) -> Vec<BadLine> {
        let before = self.parted.hashes();
        let mut first: BTreeMap<(ReplicaId, u64), EventHash> = BTreeMap::new();
        let (old, new): (Vec<_>, Vec<_>) =
            self.head.ledger.events.iter().partition(|(event, _, _)| before.contains(&event.hash));
        let mut found = Vec::new();
        for (event, file, line) in old.into_iter().chain(new) {
            let held = *first.entry((event.replica, event.seq)).or_insert(event.hash);
            if held != event.hash && !before.contains(&event.hash) {
                let problem = format!("two lines have the number {} of clone {}", event.seq, event.replica);
                found.push(BadLine { file: file.clone(), line: *line, problem, fault: LineFault::Edited });
            }
        }
        found
    }

    /// Norms that the change takes out of force, or puts back into it: by the base's approvers, and by those it would leave behind.
    pub fn moved(&self, policy: &Policy, after: &Policy) -> Result<Vec<Moved>> {
        let before = in_force(&*self.base.store, policy)?;
        let now: BTreeSet<EntryKey> = keys(&in_force(&*self.head.store, policy)?);
        let then: BTreeSet<EntryKey> = match after == policy {
            true => now.clone(),
            false => keys(&in_force(&*self.head.store, after)?),
        };
        let (events, held) = (self.new_events(), self.head.ledger.hashes());
        let mut moved = Vec::new();
        for (norm, _) in &before {
            let key = norm.key;
            if now.contains(&key) && then.contains(&key) {
                continue;
            }
            let is = |how: String, by_right: bool| Moved { entry: key, id: norm.id(), how, by_right };
            if now.contains(&key) {
                let how = "no longer in force because the list of approvers was edited; a remaining approver must approve it again";
                moved.push(is(how.to_owned(), false));
                continue;
            }
            if !self.touches(key, &events, &held) {
                continue;
            }
            let hashes: BTreeSet<_> = self.hashes_of(key);
            let takers: Vec<(&str, &str)> = events
                .iter()
                .filter_map(|event| Some((taken(event, key, &hashes)?, event.actor.as_str())))
                .collect();
            let by_right = takers.iter().find(|(_, actor)| policy.approver(actor).is_some());
            moved.push(match (by_right, takers.last()) {
                (Some((what, by)), _) => is(format!("{what} by {by}"), true),
                (None, Some((what, by))) => {
                    is(format!("{what} by {by}, who is not an approver at the base"), false)
                }
                (None, None) => {
                    is(format!("no longer in force because of this change: {}", self.now(key)?), false)
                }
            });
        }
        // What was approved once and taken back comes back by an approver's word alone: its old approval is no new one.
        let was: BTreeSet<EntryKey> = keys(&before);
        for key in now.difference(&was) {
            let known = self.base.store.stored(*key)?.map(|stored| stored.entry);
            let Some(known) = known.filter(|entry| !entry.approvals.is_empty()) else { continue };
            if !self.touches(*key, &events, &held) {
                continue;
            }
            let back = |event: &&&Event| event.entry == Some(*key) && brings_back(event);
            let by_right = events.iter().filter(back).any(|event| policy.approver(&event.actor).is_some());
            if !by_right && !known.status.is_retrieved() {
                let by =
                    events.iter().find(back).map_or("lines of this change", |event| event.actor.as_str());
                let how = format!("put back in force by {by}, who is not an approver at the base");
                moved.push(Moved { entry: *key, id: known.id(), how, by_right: false });
            }
        }
        Ok(moved)
    }

    /// Whether the change says or takes away anything about an entry. A branch that is behind its base does not.
    fn touches(&self, key: EntryKey, new: &[&Event], held: &HashSet<EventHash>) -> bool {
        let hashes = self.hashes_of(key);
        let says = new.iter().any(|event| event.entry == Some(key) || taken(event, key, &hashes).is_some());
        let mut before = self.parted.events.iter().filter(|(event, _, _)| event.entry == Some(key));
        says || before.any(|(event, _, _)| !held.contains(&event.hash))
    }

    /// How an entry stands after the change, in a few words.
    fn now(&self, key: EntryKey) -> Result<String> {
        Ok(match self.head.store.stored(key)?.map(|stored| stored.entry) {
            None => "it no longer exists".to_owned(),
            Some(entry) if !entry.status.is_retrieved() => {
                format!("it is {}: {}", entry.status, entry.status_reason.unwrap_or_default())
            }
            Some(_) => "its approval no longer matches its content".to_owned(),
        })
    }

    fn hashes_of(&self, key: EntryKey) -> BTreeSet<EventHash> {
        let of = self.base.ledger.events.iter().filter(|(event, _, _)| event.entry == Some(key));
        of.map(|(event, _, _)| event.hash).collect()
    }
}

/// What an event does to an entry that takes it out of force.
fn taken(event: &Event, key: EntryKey, hashes: &BTreeSet<EventHash>) -> Option<&'static str> {
    if let Some(Body::Entry(EntryEvent::Purged { hashes: purged, .. })) = &event.body {
        return purged.iter().any(|hash| hashes.contains(hash)).then_some("purged");
    }
    if event.entry != Some(key) {
        return None;
    }
    match &event.body {
        Some(Body::Entry(change)) => match change {
            EntryEvent::Archived { .. } => Some("archived"),
            EntryEvent::Retracted { .. } => Some("retracted"),
            EntryEvent::Superseded { .. } => Some("superseded"),
            EntryEvent::Revised(_) => Some("revised"),
            EntryEvent::Rescoped { .. } => Some("rescoped"),
            EntryEvent::Restored { .. } => Some("moved to another status"),
            EntryEvent::Rejected(_) => Some("rejected"),
            // Norms are neither merged nor stale, whatever a line says.
            EntryEvent::Merged(_) | EntryEvent::Unmerged { .. } | EntryEvent::Staled { .. } => None,
            EntryEvent::Added(_)
            | EntryEvent::Released { .. }
            | EntryEvent::Reinforced { .. }
            | EntryEvent::Cited { .. }
            | EntryEvent::Reanchored { .. }
            | EntryEvent::Proved { .. }
            | EntryEvent::Confirmed(_)
            | EntryEvent::Promoted { .. }
            | EntryEvent::Pinned { .. }
            | EntryEvent::Purged { .. } => None,
        },
        _ => None,
    }
}

fn brings_back(event: &Event) -> bool {
    match &event.body {
        Some(Body::Entry(EntryEvent::Restored { status, .. })) => {
            matches!(status, Status::Candidate | Status::Active | Status::Verified)
        }
        Some(Body::Promotion(PromotionEvent::Approved(_))) => true,
        _ => false,
    }
}

/// The norms that are in force in a ledger, and whether one person made them so.
pub(crate) fn in_force(ledger: &dyn Projection, policy: &Policy) -> Result<Vec<(Entry, bool)>> {
    let mut norms = norms_of(ledger)?;
    let standing = authorities(ledger, &norms, policy, &approvers::verify)?;
    let authority = |entry: &Entry| standing.get(&entry.key).filter(|one| one.state == Standing::InForce);
    norms.retain(|entry| authority(entry).is_some());
    let with = norms.into_iter().map(|entry| {
        let solo = authority(&entry).is_some_and(|one| one.solo);
        (entry, solo)
    });
    Ok(with.collect())
}

fn keys(norms: &[(Entry, bool)]) -> BTreeSet<EntryKey> {
    norms.iter().map(|(entry, _)| entry.key).collect()
}
