//! A ledger in memory: for tests of the engine and of programs that embed it. Stricter than the real one, and much slower.

use std::collections::{BTreeMap, HashSet};

use ken_core::decide::{View, merge_name};
use ken_core::entry::fold;
use ken_core::event::Seal;
use ken_core::promotion::Promotion;
use ken_core::run::{Exposure, INJECTED, Run, RunKind, RunOutcome};
use ken_core::{
    Body, Clock, DocumentEvent, DocumentName, Entry, EntryEvent, EntryKey, Event, EventHash, GivenId, Intent,
    Kept, Memory, Millis, Overlay, OverlayEvent, Relation, ReplicaId, RunEvent, SettingEvent, overlay,
};
use ken_recall::rank::{ANSWER_SHARE_MIN, Embed, Found};
use ken_recall::shelf::Text;
use ken_recall::{Among, MemoryShelf, Mode, Wish, rank};
use serde_json::Value;

use crate::conditions::may_answer;
use crate::error::{Error, Result};
use crate::ports::{
    Asked, DocumentLine, Documents, Embedder, Hit, Injected, Ledger, Overlays, Placed, Presence, Promotions,
    Quarantine, Questions, Recall, Relevant, Repository, Runs, Stored, Use, Writer,
};
use crate::query::{Page, Query, Sort, Threads};
use crate::text;
use crate::upkeep::Upkeep;
use crate::validity::Subject;
use crate::way_in::seal_tight;

/// A ledger in memory.
pub struct MemoryLedger {
    replica: ReplicaId,
    events: Vec<Event>,
    writes: Vec<Vec<EventHash>>,
    held: BTreeMap<EntryKey, Value>,
    laid: Vec<OverlayEvent>,
}

impl MemoryLedger {
    /// An empty ledger of some clone.
    pub fn new(replica: ReplicaId) -> Self {
        MemoryLedger {
            replica,
            events: Vec::new(),
            writes: Vec::new(),
            held: BTreeMap::new(),
            laid: Vec::new(),
        }
    }

    /// Everything that was said, in the order it was said.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    fn seen(&self, entry: &Entry, query: &Query) -> bool {
        query.overlaid.admits(&self.overlay(entry.key))
    }

    fn folded(&self, key: EntryKey) -> Option<Entry> {
        fold(self.events.iter().filter(|event| event.entry == Some(key)), &|_| false)
    }

    fn entries(&self) -> BTreeMap<EntryKey, Entry> {
        let mut of: BTreeMap<EntryKey, Vec<&Event>> = BTreeMap::new();
        for event in &self.events {
            if let Some(key) = event.entry {
                of.entry(key).or_default().push(event);
            }
        }
        of.into_iter().filter_map(|(key, events)| Some((key, fold(events, &|_| false)?))).collect()
    }
}

impl View for MemoryLedger {
    type Error = Error;

    fn entry(&self, key: EntryKey) -> Result<Option<Entry>> {
        Ok(self.folded(key))
    }

    fn holder(&self, id: &GivenId) -> Result<Option<EntryKey>> {
        let mut entries = self.entries().into_values();
        Ok(entries.find(|entry| entry.given_id.as_ref() == Some(id)).map(|entry| entry.key))
    }

    fn handle_taken(&self, handle: &str) -> Result<bool> {
        Ok(self.entries().into_values().any(|entry| entry.handle.as_deref() == Some(handle)))
    }

    fn merged(&self, name: &str) -> Result<Option<EntryKey>> {
        let named = |entry: &Entry| {
            entry.status.is_retrieved() && merge_name(&entry.kind, &entry.fields).as_deref() == Some(name)
        };
        Ok(self.entries().into_values().filter(named).map(|entry| entry.key).min())
    }
}

impl Quarantine for MemoryLedger {
    fn hold(&mut self, key: EntryKey, held: &Value) -> Result<()> {
        self.held.insert(key, held.clone());
        Ok(())
    }

    fn held(&self, key: EntryKey) -> Result<Option<Value>> {
        Ok(self.held.get(&key).cloned())
    }

    fn let_go(&mut self, key: EntryKey) -> Result<()> {
        self.held.remove(&key);
        Ok(())
    }
}

impl Promotions for MemoryLedger {
    fn promotions(&self) -> Result<Vec<Promotion>> {
        Ok(Promotion::fold_all(&self.events))
    }
}

impl Documents for MemoryLedger {
    fn documents(&self, format: Option<&str>, root: Option<&str>) -> Result<Vec<DocumentLine>> {
        let all = Kept::fold_all(&self.events).into_iter();
        let wanted = all.filter(|(name, _)| {
            format.is_none_or(|format| format == name.format) && root.is_none_or(|root| root == name.root)
        });
        let line = |(document, (at, kept)): (DocumentName, (Clock, Kept))| DocumentLine {
            document,
            hash: kept.hash,
            derived: kept.derived,
            at,
            here: true,
        };
        Ok(wanted.map(line).collect())
    }

    fn document(&self, name: &DocumentName) -> Result<Option<Kept>> {
        Ok(Kept::fold_all(&self.events).remove(name).map(|(_, kept)| kept))
    }

    fn quoting(&self, key: EntryKey) -> Result<Vec<Event>> {
        let quotes = |event: &&Event| match &event.body {
            Some(Body::Document(DocumentEvent::Kept(kept))) => kept.entries().any(|(entry, _)| entry == key),
            _ => false,
        };
        Ok(self.events.iter().filter(quotes).cloned().collect())
    }

    fn was_purged(&self, key: EntryKey) -> Result<bool> {
        let purges = |event: &Event| {
            event.entry == Some(key) && matches!(event.body, Some(Body::Entry(EntryEvent::Purged { .. })))
        };
        Ok(self.folded(key).is_none() && self.events.iter().any(purges))
    }

    fn homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>> {
        let mut homes: BTreeMap<EntryKey, Vec<DocumentName>> = BTreeMap::new();
        for (name, (_, kept)) in Kept::fold_all(&self.events) {
            for (key, _) in kept.entries() {
                let names = homes.entry(key).or_default();
                if !names.contains(&name) {
                    names.push(name.clone());
                }
            }
        }
        Ok(homes)
    }
}

impl Runs for MemoryLedger {
    fn run(&self, name: &str) -> Result<Option<Run>> {
        let about = |event: &&Event| event.body.as_ref().and_then(Body::run) == Some(name);
        Ok(Run::fold(self.events.iter().filter(about)))
    }

    fn runs(&self) -> Result<Vec<Run>> {
        let mut runs = Run::fold_all(&self.events);
        runs.iter_mut().for_each(|run| run.reports.clear());
        Ok(runs)
    }

    fn exposures(&self, run: &str) -> Result<Vec<Exposure>> {
        let mut found = Vec::new();
        for event in &self.events {
            let Some(Body::Run(RunEvent::Exposed { run: of, agent, how, entries })) = &event.body else {
                continue;
            };
            let of = of.clone().unwrap_or_else(|| format!("@{}", event.clock.millis().date()));
            let actor = event.actor.trim_start_matches("agent:");
            let agent = agent.as_deref().unwrap_or(actor);
            for entry in entries.iter().chain(&event.entry).filter(|_| of == run) {
                let (agent, actor, how) = (agent.to_owned(), actor.to_owned(), how.clone());
                found.push(Exposure { agent, actor, entry: *entry, how, clock: event.clock });
            }
        }
        Ok(found)
    }

    fn shown(&self, key: EntryKey) -> Result<Vec<(String, Exposure)>> {
        let mut found = Vec::new();
        for event in &self.events {
            let Some(Body::Run(RunEvent::Exposed { run, agent, how, entries })) = &event.body else {
                continue;
            };
            if entries.iter().chain(&event.entry).any(|entry| *entry == key) {
                let run = run.clone().unwrap_or_else(|| format!("@{}", event.clock.millis().date()));
                let actor = event.actor.trim_start_matches("agent:").to_owned();
                let (agent, how) = (agent.clone().unwrap_or_else(|| actor.clone()), how.clone());
                found.push((run, Exposure { agent, actor, entry: key, how, clock: event.clock }));
            }
        }
        Ok(found)
    }

    fn injected_by(&self, actor: &str, since: Millis) -> Result<Vec<(String, Exposure)>> {
        let mut found = Vec::new();
        for event in self.events.iter().filter(|event| event.clock.millis() >= since) {
            let Some(Body::Run(RunEvent::Exposed { run, agent, how, entries })) = &event.body else {
                continue;
            };
            let acts = event.actor.trim_start_matches("agent:").to_owned();
            if how != INJECTED || acts != actor {
                continue;
            }
            let run = run.clone().unwrap_or_else(|| format!("@{}", event.clock.millis().date()));
            for entry in entries.iter().chain(&event.entry) {
                let (agent, how) = (agent.clone().unwrap_or_else(|| acts.clone()), how.clone());
                let seen = Exposure { agent, actor: acts.clone(), entry: *entry, how, clock: event.clock };
                found.push((run.clone(), seen));
            }
        }
        Ok(found)
    }

    fn injected(&self, key: EntryKey) -> Result<Vec<Injected>> {
        let mut found = Vec::new();
        for run in self.runs()? {
            let completed = run.finished.as_ref().filter(|(end, _)| end.outcome == RunOutcome::Succeeded);
            let Some((_, end)) = completed.filter(|_| run.started.kind == RunKind::Review) else { continue };
            let seen = self.exposures(&run.started.run)?;
            let counts = |seen: &&Exposure| seen.entry == key && seen.how == INJECTED && seen.clock <= *end;
            if let Some(clock) = seen.iter().filter(counts).map(|seen| seen.clock).max() {
                found.push(Injected { run: run.started.run, project: run.started.project, clock });
            }
        }
        Ok(found)
    }

    fn uses(&self, key: EntryKey) -> Result<Vec<Use>> {
        let uses = self.runs()?.into_iter().filter_map(|run| match run.finished {
            Some((end, clock))
                if end.outcome == RunOutcome::Succeeded
                    && end.used.iter().flatten().any(|used| *used == key) =>
            {
                Some(Use { run: end.run, clock })
            }
            _ => None,
        });
        Ok(uses.collect())
    }

    fn made_in(&self, run: &str) -> Result<Vec<EntryKey>> {
        let made = |entry: &Entry| {
            entry.fields.source.as_ref().and_then(|source| source.run.as_deref()) == Some(run)
        };
        Ok(self.entries().into_values().filter(made).map(|entry| entry.key).collect())
    }

    fn at_path(&self, path: &str) -> Result<Vec<EntryKey>> {
        let there = |entry: &Entry| entry.fields.anchors.iter().any(|anchor| anchor.path() == path);
        Ok(self.entries().into_values().filter(there).map(|entry| entry.key).collect())
    }

    fn times_shown(&self) -> Result<BTreeMap<EntryKey, usize>> {
        let mut times = BTreeMap::new();
        for event in &self.events {
            if let Some(Body::Run(RunEvent::Exposed { entries, .. })) = &event.body {
                entries.iter().chain(&event.entry).for_each(|key| *times.entry(*key).or_default() += 1);
            }
        }
        Ok(times)
    }

    fn questions(&self, since: Millis, latest: usize) -> Result<Questions> {
        let mut found = Questions::default();
        for event in self.events.iter().rev().filter(|event| event.clock.millis() >= since) {
            match &event.body {
                Some(Body::Run(RunEvent::Missed { .. })) => found.missed += 1,
                Some(Body::Run(RunEvent::Unanswered { query, .. })) => {
                    found.unanswered += 1;
                    found.latest.extend(Some(query.clone()).filter(|_| found.latest.len() < latest));
                }
                _ => {}
            }
        }
        Ok(found)
    }
}

impl Overlays for MemoryLedger {
    fn overlay(&self, key: EntryKey) -> Overlay {
        overlay::fold(&self.laid).remove(&key).unwrap_or_default()
    }

    fn lay(&mut self, event: OverlayEvent) -> Result<bool> {
        let is_new = self.overlay(event.entry).apply(&event);
        if is_new {
            self.laid.push(event);
        }
        Ok(is_new)
    }
}

impl Ledger for MemoryLedger {
    fn replica(&mut self) -> Result<ReplicaId> {
        Ok(self.replica)
    }

    fn append(&mut self, mut intents: Vec<Intent>, writer: &Writer) -> Result<Vec<Event>> {
        seal_tight(&mut intents);
        let mut clock = self.events.iter().map(|event| event.clock).max().unwrap_or(Clock::ZERO);
        let mut sealed = Vec::new();
        for intent in intents {
            if intent.file.is_empty() || intent.file.starts_with('/') || intent.file.contains("..") {
                return Err(Error::failed("appending")(format!("{:?} is no ledger file", intent.file)));
            }
            clock = clock.next(writer.now);
            let seq = (self.events.len() + sealed.len()) as u64 + 1;
            let parents =
                sealed.last().or(self.events.last()).map(|event: &Event| event.hash).into_iter().collect();
            sealed.push(Event::seal(
                &intent,
                Seal { replica: self.replica, seq, parents, clock, actor: writer.actor.clone() },
            ));
        }
        self.events.extend(sealed.iter().cloned());
        self.writes.push(sealed.iter().map(|event| event.hash).collect());
        Ok(sealed)
    }

    fn resolve(&self, name: &str) -> Result<Vec<EntryKey>> {
        let entries = self.entries();
        let exact: Vec<EntryKey> = entries
            .values()
            .filter(|entry| entry.id() == name || entry.handle() == name)
            .map(|entry| entry.key)
            .collect();
        if !exact.is_empty() {
            return Ok(exact);
        }
        let begins = |entry: &&Entry| {
            entry.id().starts_with(name)
                || entry.handle().starts_with(name)
                || entry.key.to_string().starts_with(name)
        };
        let long_enough = name.chars().count() >= ken_core::limits::PREFIX_CHARS_MIN;
        Ok(entries.values().filter(|_| long_enough).filter(begins).map(|entry| entry.key).collect())
    }

    fn stored(&self, key: EntryKey) -> Result<Option<Stored>> {
        Ok(self.folded(key).map(|entry| {
            let id = entry.id();
            Stored {
                entry,
                id,
                here: true,
                elsewhere: 0,
                purge_asked: false,
                file: None,
                validity: Default::default(),
                overlay: self.overlay(key),
            }
        }))
    }

    fn list(&self, query: &Query) -> Result<Page> {
        let mut entries: Vec<Entry> = self
            .entries()
            .into_values()
            .filter(|entry| wanted(entry, query) && self.seen(entry, query))
            .collect();
        entries.sort_by(|a, b| match query.sort {
            Sort::Updated => (b.updated, b.key).cmp(&(a.updated, a.key)),
            Sort::Created => (b.created, b.key).cmp(&(a.created, a.key)),
            Sort::Id => (a.id(), a.key).cmp(&(b.id(), b.key)),
        });
        if query.pinned_first {
            entries.sort_by_key(|entry| self.overlay(entry.key).pinned.is_none());
        }
        let total = entries.len();
        let limit = if query.limit == 0 { total } else { query.limit };
        let after = query.after.as_deref().and_then(|key| key.parse::<EntryKey>().ok());
        let from =
            after.and_then(|key| entries.iter().position(|entry| entry.key == key)).map_or(0, |at| at + 1);
        let next = (from + limit < total).then(|| entries[from + limit - 1].key.to_string());
        let entries = entries.into_iter().skip(from).take(limit);
        let entries = entries.map(|entry| Stored {
            id: entry.id(),
            here: true,
            elsewhere: 0,
            purge_asked: false,
            file: None,
            validity: Default::default(),
            overlay: self.overlay(entry.key),
            entry,
        });
        Ok(Page { entries: entries.collect(), next, total })
    }

    fn history(&self, key: EntryKey) -> Result<Vec<Placed>> {
        let mut events: Vec<Event> =
            self.events.iter().filter(|event| event.entry == Some(key)).cloned().collect();
        events.sort_by_key(Event::order);
        Ok(events.into_iter().map(|event| Placed { event, file: None, branch: None }).collect())
    }

    fn subjects(&self) -> Result<Vec<Subject>> {
        let keys = self.entries().into_values().filter(|entry| entry.memory() != Memory::Episodic);
        let keys: Vec<EntryKey> = keys.map(|entry| entry.key).collect();
        keys.into_iter()
            .filter_map(|key| self.stored(key).transpose())
            .map(|stored| Ok(Subject::of(&stored?)))
            .collect()
    }

    fn latest_by(&self, actor: &str) -> Result<Vec<Event>> {
        for write in self.writes.iter().rev() {
            let events: Vec<Event> = self
                .events
                .iter()
                .filter(|event| write.contains(&event.hash) && event.actor == actor && !event.is_record())
                .cloned()
                .collect();
            if !events.is_empty() {
                return Ok(events);
            }
        }
        Ok(Vec::new())
    }
}

/// Every entry is put on a shelf for every question, in the order of keys, with a vector of its own whenever somebody asks with an
/// embedder. Nothing waits.
impl Upkeep for MemoryLedger {}

impl Recall for MemoryLedger {
    fn relevant(&mut self, asked: &Asked<'_>) -> Result<Relevant> {
        let entries: Vec<Entry> = self.entries().into_values().collect();
        let embedder = asked.embedder.filter(|_| asked.mode != Mode::Lexical);
        let mut relevant = Relevant::default();
        let mut problem = None;
        let vectors = match embedder.map(|embedder| meanings(embedder, &entries)).transpose() {
            Ok(vectors) => vectors,
            Err(error) => {
                problem = Some(error.to_string());
                None
            }
        };
        let mut shelf = MemoryShelf::default();
        for (at, entry) in entries.iter().enumerate() {
            shelf.push(Text {
                text: &text::words_of(entry),
                spoken: Some(&text::meaning_of(&entry.fields)),
                subject: entry.fields.subject.as_deref(),
                place: text::place_of(&entry.fields),
                vector: vectors.as_ref().map(|vectors| vectors[at].as_slice()),
            });
        }
        let answering = |doc: u32| Stored {
            id: entries[doc as usize].id(),
            entry: entries[doc as usize].clone(),
            here: true,
            elsewhere: 0,
            purge_asked: false,
            file: None,
            validity: Default::default(),
            overlay: self.overlay(entries[doc as usize].key),
        };
        let selected = (0..shelf_len(&entries)).filter(|doc| {
            let entry = &entries[*doc as usize];
            wanted(entry, asked.among) && self.seen(entry, asked.among)
        });
        let allowed: HashSet<u32> =
            selected.filter(|doc| may_answer(asked, &answering(*doc)).is_ok()).collect();
        if asked.question.text.trim().is_empty() {
            relevant.ranked.found = allowed.iter().map(|doc| Found::certain(*doc)).collect();
            relevant.ranked.found.sort_by_key(|found| found.doc);
        } else {
            let wish = Wish {
                question: asked.question,
                mode: asked.mode,
                wanted: entries.len(),
                among: Among::Only(&allowed),
                calibration: asked
                    .embedder
                    .map_or(ken_recall::Calibration::UNKNOWN, |embedder| embedder.card().calibration),
            };
            let mut take = |text: &str| match embedder?.embed(&[text]) {
                Ok(mut vectors) => vectors.pop(),
                Err(error) => {
                    problem = Some(error.to_string());
                    None
                }
            };
            let embed: Option<Embed<'_>> = if vectors.is_some() { Some(&mut take) } else { None };
            let Ok(ranked) = rank(&shelf, &wish, embed);
            relevant.ranked = ranked;
        }
        relevant.fallback = problem;
        // What is pinned and answers is among those that are wanted, however many answer better.
        let best = relevant.ranked.found.first().map_or(0.0, |found| found.similarity);
        let is_pinned = |found: &Found| {
            found.similarity >= ANSWER_SHARE_MIN * best && answering(found.doc).overlay.pinned.is_some()
        };
        let pinned = relevant.ranked.found.iter().filter(|found| is_pinned(found)).count();
        let mut room = asked.wanted.saturating_sub(pinned);
        for found in &relevant.ranked.found {
            let stored = answering(found.doc);
            let lifted = is_pinned(found);
            if (lifted || room > 0) && relevant.hits.len() < asked.wanted {
                room = room.saturating_sub(usize::from(!lifted));
                relevant.hits.push(Hit { stored, found: *found });
            } else if asked.debug {
                let why = format!("beyond the {} that were asked for", asked.wanted);
                relevant.left_out.push((stored.id, why));
            }
        }
        for doc in (0..shelf_len(&entries)).filter(|doc| asked.debug && !allowed.contains(doc)) {
            let stored = answering(doc);
            let why =
                may_answer(asked, &stored).err().unwrap_or_else(|| "is not what was asked for".to_owned());
            relevant.left_out.push((stored.id, why));
        }
        Ok(relevant)
    }

    fn digest(&self) -> Result<String> {
        let mut hashes: Vec<String> = self
            .events
            .iter()
            .filter(|event| !event.is_deferred())
            .map(|event| event.hash.to_string())
            .collect();
        hashes.sort();
        Ok(blake3::hash(hashes.concat().as_bytes()).to_hex()[..16].to_owned())
    }

    fn setting(&self, name: &str) -> Result<Option<Value>> {
        let mut latest: Vec<(&Event, Value)> = Vec::new();
        for event in &self.events {
            if let Some(Body::Setting(SettingEvent::Changed { name: changed, value })) = &event.body
                && changed == name
            {
                latest.push((event, value.clone()));
            }
        }
        latest.sort_by_key(|(event, _)| event.order());
        Ok(latest.pop().map(|(_, value)| value).filter(|value| !value.is_null()))
    }

    fn backlog(&self) -> Result<usize> {
        Ok(0)
    }

    fn tied_to(&self, key: EntryKey) -> Result<Vec<(Relation, EntryKey)>> {
        let entries = self.entries();
        let ties = entries.values().flat_map(|entry| entry.links.iter().map(|link| (entry.key, link)));
        Ok(ties.filter(|(_, link)| link.to == key).map(|(from, link)| (link.relation, from)).collect())
    }
}

fn shelf_len(entries: &[Entry]) -> u32 {
    u32::try_from(entries.len()).expect("a ledger in memory is small")
}

fn meanings(embedder: &dyn Embedder, entries: &[Entry]) -> Result<Vec<Vec<f32>>> {
    let texts: Vec<String> = entries.iter().map(|entry| text::meaning_of(&entry.fields)).collect();
    let made = embedder.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
    let right = made.len() == texts.len() && made.iter().all(|one| one.len() == embedder.card().dimensions);
    if !right {
        let problem = format!("{} gave other vectors than its card promises", embedder.card().name);
        return Err(Error::failed("taking the meaning of texts")(problem));
    }
    Ok(made)
}

fn wanted(entry: &Entry, query: &Query) -> bool {
    let nested = |label: &str, have: &str| {
        have == label || have.strip_prefix(label).is_some_and(|rest| rest.starts_with('/'))
    };
    let status = match (query.statuses.is_empty(), query.all) {
        (false, _) => query.statuses.contains(&entry.status),
        (true, true) => true,
        (true, false) => entry.status.is_retrieved(),
    };
    let text = serde_json::to_string(&entry.fields).unwrap_or_default().to_lowercase();
    status
        && query.only.as_ref().is_none_or(|only| only.contains(&entry.key))
        && !query.without.contains(&entry.key)
        && (query.memories.is_empty() || query.memories.contains(&entry.memory()))
        && (query.types.is_empty() || query.types.contains(&entry.kind))
        && query.scope.is_none_or(|scope| scope == entry.fields.scope())
        && match &query.threads {
            Threads::Any => true,
            Threads::Only(thread) => entry.fields.thread.as_ref() == Some(thread),
            Threads::SeenFrom(thread) => {
                entry.fields.scope() != ken_core::Scope::Thread || entry.fields.thread == *thread
            }
        }
        && query.reviewer.as_ref().is_none_or(|reviewer| entry.fields.reviewer.as_ref() == Some(reviewer))
        && query.actor.as_ref().is_none_or(|actor| entry.created_by == *actor)
        && query.since.is_none_or(|since| entry.updated.millis() >= since)
        && query.tags.iter().all(|label| entry.fields.tags.iter().any(|tag| nested(label, tag.as_str())))
        && query.domain.iter().all(|label| entry.fields.domains.iter().any(|tag| nested(label, tag.as_str())))
        && query
            .text
            .iter()
            .flat_map(|words| words.split_whitespace())
            .all(|word| text.contains(&word.to_lowercase()))
}

/// A repository in which every commit and path is what a test says.
#[derive(Clone, Debug, Default)]
pub struct MemoryRepository {
    /// Commits that exist.
    pub commits: Vec<String>,
    /// Paths that exist.
    pub paths: Vec<String>,
}

impl Repository for MemoryRepository {
    fn commits(&self, names: &[String]) -> Vec<Presence> {
        let is_here = |name: &String| self.commits.iter().any(|commit| commit.starts_with(name.as_str()));
        names.iter().map(|name| is_here(name).into()).collect()
    }

    fn symbol(&self, _: &str) -> Presence {
        Presence::Absent
    }

    fn path(&self, path: &str) -> Presence {
        self.paths.iter().any(|known| known == path).into()
    }
}
