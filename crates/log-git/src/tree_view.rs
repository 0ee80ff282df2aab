//! The tree of a commit, or the working tree, for who lists and compares: entries about which it holds the same lines as the working tree are
//! answered by the index, and only the others are folded.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use ken_core::decide::View;
use ken_core::event::{Line, read_line};
use ken_core::promotion::Promotion;
use ken_core::run::{Exposure, Run};
use ken_core::{
    Body, DocumentName, Entry, EntryEvent, EntryKey, Event, EventHash, GivenId, Kept, Millis, Overlay,
    Relation, Serviced,
};
use ken_engine::{
    Asked, Counts, Deliveries, DocumentLine, Documents, Entries, Error, Glance, Injected, LedgerAt, Links,
    Overlaid, Page, Placed, Query, Questions, Relevant, Result, Runs, Search, Settings, Sort, Stored,
    Subject, Timeline, Upkeep, Use, Version,
};
use ken_index::past::{Past, Purpose, past};
use ken_index::{Projected, index_error};
use serde_json::Value;

use crate::base::GitBase;
use crate::git::Git;
use crate::limits::CHANGED_FILES_MAX;
use crate::lines::texts;
use crate::timeline::released_here;
use crate::trees::ledgers_at;
use crate::work::Look;

/// A tree, with what of it differs from the working tree.
pub(crate) struct TreeView<'a> {
    projection: &'a Projected<GitBase>,
    ledger: Source,
    /// Entries that are not as the index has them, or that the tree lacks.
    differing: BTreeSet<EntryKey>,
    /// They, and of a ledger that was read everything that is about no entry.
    part: Past,
    /// All of it, made when somebody asks for what the two cannot tell.
    whole: OnceCell<Past>,
}

/// Where the lines of a tree are.
enum Source {
    Read(Rc<LedgerAt>),
    /// In a commit, of which no more was read than what differs.
    Commit(String),
}

/// A ledger seen beside the working tree. None where the two cannot be told apart entry by entry: something was purged, or two entries
/// have one id.
pub(crate) fn tree_view<'a>(
    projection: &'a Projected<GitBase>,
    ledger: &Rc<LedgerAt>,
) -> Result<Option<TreeView<'a>>> {
    let look = projection.look();
    if !ledger.stubs.is_empty() || !is_told_by_entry(look)? {
        return Ok(None);
    }
    let index = look.index;
    let held: HashSet<EventHash> = ledger.events.iter().map(|(event, _, _)| event.hash).collect();
    let mut differing: BTreeSet<EntryKey> = BTreeSet::new();
    let mut here: HashSet<EventHash> = HashSet::with_capacity(held.len());
    index
        .places()
        .each_event_here(&mut |hash, entry| {
            here.insert(hash);
            differing.extend(entry.filter(|_| !held.contains(&hash)));
        })
        .map_err(index_error)?;
    let lacking = ledger.events.iter().filter(|(event, _, _)| !here.contains(&event.hash));
    differing.extend(lacking.filter_map(|(event, _, _)| event.entry));
    drop(here);
    add_tied(look, &mut differing, ledger.events.iter().map(|(event, _, _)| event))?;
    let is_wanted = |event: &Event| {
        event.entry.is_none_or(|key| differing.contains(&key))
            || matches!(event.body, Some(Body::Promotion(_) | Body::Run(_)))
    };
    let part = ledger.events.iter().map(|(event, _, _)| event).filter(|event| is_wanted(event));
    let part = part.map(|event| Line::Event(Box::new(event.clone()))).collect();
    view_beside(projection, Source::Read(ledger.clone()), differing, part)
}

/// A commit seen beside the working tree, where only lines that differ are read. None as for a ledger, and where too much differs.
pub(crate) fn commit_view<'a>(
    projection: &'a Projected<GitBase>,
    git: &Git,
    commit: &str,
) -> Result<Option<TreeView<'a>>> {
    let look = projection.look();
    if !is_told_by_entry(look)? {
        return Ok(None);
    }
    let failed = || Error::failed("comparing the ledger of a commit with the working tree");
    let prefix = format!("{}/", crate::STORE_FOLDER);
    let below = |path: &str| path.strip_prefix(&prefix).map(str::to_owned);
    let changed = git.names_changed(commit, None, crate::STORE_FOLDER).map_err(failed())?;
    let changed = changed.iter().filter_map(|path| below(path));
    let changed: HashSet<String> = changed.filter(|path| crate::tree::is_ledger_file(path)).collect();
    if changed.len() > CHANGED_FILES_MAX {
        return Ok(None);
    }
    let is_changed = |path: &str| below(path).is_some_and(|path| changed.contains(&path));
    let then = git.some_files_at(commit, crate::STORE_FOLDER, &is_changed).map_err(failed())?;
    // What is not there any more has no lines.
    let now: Vec<Vec<u8>> =
        changed.iter().filter_map(|path| std::fs::read(look.log.home.layout.store.join(path)).ok()).collect();
    let then_lines: HashSet<&[u8]> = then.iter().flat_map(|(_, bytes)| texts(bytes)).collect();
    let now_lines: HashSet<&[u8]> = now.iter().flat_map(|bytes| texts(bytes)).collect();
    let (Some(gone), Some(new)) = (only_in(&then_lines, &now_lines), only_in(&now_lines, &then_lines)) else {
        return Ok(None);
    };
    let mut differing: BTreeSet<EntryKey> = gone.iter().chain(&new).filter_map(|event| event.entry).collect();
    add_tied(look, &mut differing, gone.iter())?;
    // Of these entries it holds what it alone has, and what both have.
    let new: HashSet<EventHash> = new.iter().map(|event| event.hash).collect();
    let mut held: HashSet<EventHash> = HashSet::new();
    let mut part: Vec<Line> = Vec::new();
    for event in gone {
        if event.entry.is_some() && held.insert(event.hash) {
            part.push(Line::Event(Box::new(event)));
        }
    }
    for key in &differing {
        for placed in projection.history(*key)? {
            let event = placed.event;
            if new.contains(&event.hash)
                && look.index.places().is_doubled(&event.hash).map_err(index_error)?
            {
                return Ok(None);
            }
            let is_here = placed.line.is_some_and(|line| line.file.is_some());
            if is_here && !new.contains(&event.hash) && held.insert(event.hash) {
                part.push(Line::Event(Box::new(event)));
            }
        }
    }
    view_beside(projection, Source::Commit(commit.to_owned()), differing, part)
}

/// Whether entries of two trees can be told apart one by one.
fn is_told_by_entry(look: Look<'_>) -> Result<bool> {
    let index = look.index;
    Ok(!index.has_purges().map_err(index_error)? && index.clashes().map_err(index_error)?.is_empty())
}

/// Adds the entries whose rows hold what other branches say, what waits in the journal, or what became of other entries.
fn add_tied<'e>(
    look: Look<'_>,
    differing: &mut BTreeSet<EntryKey>,
    events: impl Iterator<Item = &'e Event>,
) -> Result<()> {
    differing.extend(look.index.standing_keys().map_err(index_error)?);
    differing.extend(look.index.places().keys_of_deferred().map_err(index_error)?);
    differing.extend(look.index.merged_keys().map_err(index_error)?);
    for event in events {
        if let (Some(key), Some(Body::Entry(EntryEvent::Merged(merged)))) = (event.entry, &event.body)
            && differing.contains(&key)
        {
            differing.insert(merged.into);
        }
    }
    Ok(())
}

fn view_beside(
    projection: &Projected<GitBase>,
    ledger: Source,
    differing: BTreeSet<EntryKey>,
    part: Vec<Line>,
) -> Result<Option<TreeView<'_>>> {
    let look = projection.look();
    let part = fold(look, part)?;
    for stored in part.list(&every())?.entries {
        let Some(given) = &stored.entry.given_id else { continue };
        let holder = look.index.holder(given.as_str()).map_err(index_error)?;
        if holder.is_some_and(|holder| !differing.contains(&holder)) {
            return Ok(None);
        }
    }
    Ok(Some(TreeView { projection, ledger, differing, part, whole: OnceCell::new() }))
}

fn fold(look: Look<'_>, lines: Vec<Line>) -> Result<Past> {
    let released = released_here(look, &lines)?;
    let fold = || past(lines, look.index, Purpose::Comparison, look.log.replica(), &released);
    look.index.begin_read().map_err(index_error)?;
    let folded = fold();
    look.index.end_read();
    folded
}

/// The fold of a whole ledger.
pub(crate) fn fold_all(look: Look<'_>, ledger: &LedgerAt) -> Result<Past> {
    let events = ledger.events.iter().map(|(event, _, _)| Line::Event(Box::new(event.clone())));
    fold(look, events.chain(ledger.stubs.iter().cloned()).collect())
}

/// Every entry there is.
fn every() -> Query {
    Query { all: true, purge_asked: true, overlaid: Overlaid::Any, ..Query::default() }
}

impl TreeView<'_> {
    fn whole(&self) -> Result<&Past> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        let whole = match &self.ledger {
            Source::Read(ledger) => fold_all(self.projection.look(), ledger)?,
            Source::Commit(commit) => {
                let ledgers = ledgers_at(self.projection.look(), &[Some(commit)])?;
                fold_all(self.projection.look(), &ledgers[0])?
            }
        };
        Ok(self.whole.get_or_init(|| whole))
    }

    /// Who tells of what is about no entry.
    fn beside_entries(&self) -> Result<&Past> {
        match &self.ledger {
            Source::Read(_) => Ok(&self.part),
            Source::Commit(_) => self.whole(),
        }
    }
}

/// The events of lines that one tree has and the other has not. None where a purge left one of them.
fn only_in(one: &HashSet<&[u8]>, other: &HashSet<&[u8]>) -> Option<Vec<Event>> {
    let mut events = Vec::new();
    for text in one.difference(other) {
        match std::str::from_utf8(text).ok().and_then(|text| read_line(text).ok()) {
            Some(Line::Event(event)) => events.push(*event),
            Some(Line::Stub(_)) => return None,
            // What cannot be read says nothing.
            None => {}
        }
    }
    Some(events)
}

/// How two entries come in a list.
fn in_order(sort: Sort, one: &Stored, other: &Stored) -> Ordering {
    let key = |stored: &Stored| stored.entry.key;
    match sort {
        Sort::Updated => (other.entry.changed_at(), key(other)).cmp(&(one.entry.changed_at(), key(one))),
        Sort::Created => (other.entry.stated_at(), key(other)).cmp(&(one.entry.stated_at(), key(one))),
        Sort::Id => (&one.id, key(one)).cmp(&(&other.id, key(other))),
        Sort::Any => Ordering::Less,
    }
}

/// Methods that only the whole fold answers.
macro_rules! of_the_whole {
    ($(fn $name:ident(&self $(, $argument:ident: $kind:ty)*) -> $answer:ty;)*) => {
        $(fn $name(&self $(, $argument: $kind)*) -> Result<$answer> {
            self.whole()?.$name($($argument),*)
        })*
    };
}

impl View for TreeView<'_> {
    type Error = ken_engine::Error;

    fn entry(&self, key: EntryKey) -> Result<Option<Entry>> {
        Ok(self.stored(key)?.map(|stored| stored.entry))
    }

    of_the_whole! {
        fn holder(&self, id: &GivenId) -> Option<EntryKey>;
        fn handle_taken(&self, handle: &str) -> bool;
        fn merged(&self, name: &str) -> Option<EntryKey>;
    }
}

/// Whoever compares two trees asks nothing of what happened in between.
impl Timeline for TreeView<'_> {}

impl Entries for TreeView<'_> {
    fn resolve(&self, name: &str) -> Result<Vec<EntryKey>> {
        let found = self.projection.catalogue().resolve(name).map_err(index_error)?;
        let is_same = found.iter().all(|key| !self.differing.contains(key));
        match is_same && self.part.resolve(name)?.is_empty() {
            true => Ok(found),
            false => self.whole()?.resolve(name),
        }
    }

    fn stored(&self, key: EntryKey) -> Result<Option<Stored>> {
        if self.differing.contains(&key) {
            return self.part.stored(key);
        }
        let stored = self.projection.catalogue().stored(key).map_err(index_error)?;
        Ok(stored.map(|stored| Stored { checkout: None, ..stored }))
    }

    fn list(&self, query: &Query) -> Result<Page> {
        if query.text.is_some() || query.after.is_some() || query.limit > 0 {
            return self.whole()?.list(query);
        }
        let mut entries = Vec::new();
        self.each(query, &mut |stored| {
            entries.push(stored);
            Ok(())
        })?;
        Ok(Page { total: entries.len(), entries, next: None })
    }

    fn each(&self, query: &Query, each: &mut dyn FnMut(Stored) -> Result<()>) -> Result<()> {
        if query.text.is_some() || query.after.is_some() || query.limit > 0 {
            return self.whole()?.each(query, each);
        }
        let mut own: VecDeque<Stored> = self.part.list(query)?.entries.into();
        let mut others = query.clone();
        others.without.extend(&self.differing);
        let mut failed = Ok(());
        let read = self.projection.catalogue().each(&others, &mut |stored| {
            while failed.is_ok()
                && own.front().is_some_and(|first| in_order(query.sort, first, &stored).is_lt())
            {
                failed = own.pop_front().map_or(Ok(()), &mut *each);
            }
            if failed.is_ok() {
                failed = each(stored);
            }
            failed.is_ok()
        });
        read.map_err(index_error)?;
        failed?;
        own.into_iter().try_for_each(each)
    }

    of_the_whole! {
        fn version(&self, key: EntryKey) -> Version;
        fn glances(&self) -> Arc<Vec<Glance>>;
        fn history(&self, key: EntryKey) -> Vec<Placed>;
    }
}

impl Links for TreeView<'_> {
    fn subjects(&self) -> Result<Vec<Subject>> {
        let mut subjects = self.part.subjects()?;
        let read = self.projection.catalogue().each_subject(&mut |subject| {
            if !self.differing.contains(&subject.key) {
                subjects.push(subject);
            }
            true
        });
        read.map_err(index_error)?;
        Ok(subjects)
    }

    of_the_whole! {
        fn tied_to(&self, key: EntryKey) -> Vec<(Relation, EntryKey)>;
        fn made_in(&self, run: &str) -> Vec<EntryKey>;
        fn at_path(&self, path: &str) -> Vec<EntryKey>;
    }
}

impl Runs for TreeView<'_> {
    fn run(&self, name: &str) -> Result<Option<Run>> {
        self.beside_entries()?.run(name)
    }

    fn promotions(&self) -> Result<Vec<Promotion>> {
        self.beside_entries()?.promotions()
    }

    of_the_whole! {
        fn runs(&self) -> Vec<Run>;
        fn serviced(&self, since: Millis) -> Vec<Serviced>;
        fn foraged(&self) -> Vec<Event>;
    }
}

impl Deliveries for TreeView<'_> {
    of_the_whole! {
        fn exposures(&self, run: &str) -> Vec<Exposure>;
        fn shown(&self, key: EntryKey, since: Millis) -> Vec<(String, Exposure)>;
        fn injected_by(&self, actor: &str, since: Millis) -> Vec<(String, Exposure)>;
        fn injected(&self, key: EntryKey) -> Vec<Injected>;
        fn uses(&self, key: EntryKey) -> Vec<Use>;
        fn times_shown(&self) -> BTreeMap<EntryKey, usize>;
        fn questions(&self, since: Millis, latest: usize) -> Questions;
    }
}

impl Documents for TreeView<'_> {
    of_the_whole! {
        fn documents(&self, format: Option<&str>, root: Option<&str>) -> Vec<DocumentLine>;
        fn document(&self, name: &DocumentName) -> Option<Kept>;
        fn quoting(&self, key: EntryKey) -> Vec<Event>;
        fn was_purged(&self, key: EntryKey) -> bool;
        fn homes(&self) -> BTreeMap<EntryKey, Vec<DocumentName>>;
        fn former_homes(&self) -> BTreeMap<EntryKey, Vec<DocumentName>>;
    }
}

impl Upkeep for TreeView<'_> {
    of_the_whole! { fn counts(&self) -> Counts; }
}

/// Nobody asks it questions: it holds no search tables.
impl Search for TreeView<'_> {
    of_the_whole! {
        fn relevant(&self, asked: &Asked<'_>) -> Relevant;
        fn backlog(&self) -> usize;
    }
}

impl Settings for TreeView<'_> {
    /// About the past nothing is laid over anything.
    fn overlay(&self, _: EntryKey) -> Overlay {
        Overlay::default()
    }

    fn held(&self, _: EntryKey) -> Result<Option<Value>> {
        Ok(None)
    }

    of_the_whole! {
        fn digest(&self) -> String;
        fn setting(&self, name: &str) -> Option<Value>;
    }
}
