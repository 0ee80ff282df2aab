//! Every read that a log answers, once: from its index, with the events it has and what a clone lays over its entries.

mod list;
mod search;
mod vectors;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ken_core::decide::View;
use ken_core::event::Line;
use ken_core::promotion::Promotion;
use ken_core::run::{Exposure, Run, RunKind};
use ken_core::{
    Clock, DocumentName, Entry, EntryKey, Event, EventHash, GivenId, Kept, Millis, Overlay, Relation,
    Serviced, Type,
};
use ken_engine::log::{LogEnd, ReadState};
use ken_engine::ops::queue::Agenda;
use ken_engine::validity::Footing;
use ken_engine::{
    CloneState, Counts, Cursor, Delivered, Deliveries, DocumentLine, Documents, Entries, Episode, Error,
    Glance, Injected, Links, LoggedBatch, Overlaid, Overlays, Page, Part, Placed, Query, Questions,
    RecordKind, Result, Runs, Settings, Stored, Subject, Timeline, Topic, Upkeep, UpkeepEntry, Use, Version,
};
use ken_recall::vectors::Vectors;
use serde_json::Value;

pub use self::vectors::KeepsVectors;
use crate::error::index_error;
use crate::intake::Source;
use crate::vectors::VectorFile;
use crate::{Index, SqlResult};

/// What a log gives its projection: the index, and what the index does not hold.
pub trait Base {
    fn index(&self) -> &Index;

    /// Single events, as the log has them.
    fn source(&self) -> Box<dyn Source + '_>;

    /// What this clone lays over entries; none about the past.
    fn overlays(&self) -> Option<&Overlays>;

    /// The vectors of the model in use, and its name.
    fn vectors(&self) -> Option<&(String, VectorFile)>;

    /// An entry, with where it is where the log knows places.
    fn stored(&self, key: EntryKey) -> SqlResult<Option<Stored>>;

    /// The ledger file that states an entry, where the log has files.
    fn file_of(&self, key: EntryKey) -> SqlResult<Option<String>> {
        let _ = key;
        Ok(None)
    }

    /// The events of an entry in the order they apply.
    fn history(&self, key: EntryKey) -> Result<Vec<Placed>>;

    /// What lies in the order of the log; none about the past.
    fn order(&self) -> Option<&dyn LogOrder>;

    /// What this clone keeps beside the ledger; none about the past.
    fn state(&self) -> Option<&dyn CloneState>;

    /// What was made of all entries, for all handles of the log in this process; none where nobody shares it.
    fn shared(&self) -> Option<&Caches> {
        None
    }
}

/// What a log knows of the order in which things happened ([`Timeline`]).
pub trait LogOrder {
    fn end(&self) -> Result<Cursor>;

    /// How the log ended when the index last heard of it.
    fn log_end(&self) -> Result<LogEnd>;

    fn latest_by(&self, actor: &str) -> Result<Vec<Event>>;

    fn latest(&self, events: usize) -> Result<Vec<LoggedBatch>>;

    fn event_count(&self) -> Result<usize>;

    /// A line by its hash, as the index knows it now.
    fn line(&self, hash: &EventHash) -> Result<Option<Line>>;

    /// Every event there is, in no order.
    fn events(&self) -> Result<Vec<Event>>;
}

/// The reads of a log.
pub struct Projected<B> {
    base: B,
    /// Damaged vectors that were taken out and of which the next answer tells.
    taken_out: Cell<usize>,
}

impl<B: Base> Projected<B> {
    pub fn new(base: B) -> Projected<B> {
        Projected { base, taken_out: Cell::default() }
    }

    /// Asks the index.
    fn query<T>(&self, ask: impl FnOnce(&Index) -> SqlResult<T>) -> Result<T> {
        ask(self.base.index()).map_err(index_error)
    }

    /// The same with single events.
    fn with_events<T>(&self, ask: impl FnOnce(&Index, &dyn Source) -> SqlResult<T>) -> Result<T> {
        ask(self.base.index(), &*self.base.source()).map_err(index_error)
    }

    /// How many entries there are, of every kind and status.
    pub fn entry_count(&self) -> Result<usize> {
        let counts = self.query(Index::counts)?;
        Ok(counts.iter().map(|(.., count)| usize::try_from(*count).unwrap_or(0)).sum())
    }

    fn laid_over(&self, key: EntryKey) -> Overlay {
        self.base.overlays().map(|overlays| overlays.overlay(key)).unwrap_or_default()
    }

    fn hides(&self, key: EntryKey) -> bool {
        self.base.overlays().is_some_and(|overlays| overlays.overlay(key).hides())
    }

    /// What was made of all entries at this very position of the index, or is made now.
    fn made<T>(
        &self,
        kept: impl Fn(&Caches) -> &AtPosition<T>,
        make: &dyn Fn() -> Result<T>,
    ) -> Result<Arc<T>> {
        let Some(shared) = self.base.shared() else { return make().map(Arc::new) };
        let position = self.position()?;
        if let Some(made) = kept(shared).at(&position) {
            return Ok(made);
        }
        let made = Arc::new(make()?);
        // Somebody may have written meanwhile: then it is of no one position.
        if self.position()? == position {
            kept(shared).keep(position, made.clone());
        }
        Ok(made)
    }
}

impl<B> Deref for Projected<B> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.base
    }
}

impl<B> DerefMut for Projected<B> {
    fn deref_mut(&mut self) -> &mut B {
        &mut self.base
    }
}

/// What was made of all entries last: several pages and services look at all of them.
#[derive(Default)]
pub struct Caches {
    glances: AtPosition<Vec<Glance>>,
    footing: AtPosition<Footing>,
    agenda: AtPosition<Agenda>,
}

/// A value, with the position of the index that it was made at.
struct AtPosition<T>(Mutex<Option<(String, Arc<T>)>>);

impl<T> Default for AtPosition<T> {
    fn default() -> Self {
        AtPosition(Mutex::default())
    }
}

impl<T> AtPosition<T> {
    fn value(&self) -> MutexGuard<'_, Option<(String, Arc<T>)>> {
        // It is replaced at once: a thread that panicked left it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was made at this very position.
    fn at(&self, position: &str) -> Option<Arc<T>> {
        self.value().as_ref().filter(|(at, _)| at == position).map(|(_, made)| made.clone())
    }

    fn keep(&self, position: String, made: Arc<T>) {
        *self.value() = Some((position, made));
    }
}

/// Each of what a callback is handed, until it fails.
fn until_failed<T>(
    each: &mut dyn FnMut(T) -> Result<()>,
    read: impl FnOnce(&mut dyn FnMut(T) -> bool) -> SqlResult<()>,
) -> Result<()> {
    let mut failed = Ok(());
    let read = read(&mut |one| {
        failed = each(one);
        failed.is_ok()
    });
    read.map_err(index_error)?;
    failed
}

impl<B: Base> View for Projected<B> {
    type Error = Error;

    fn entry(&self, key: EntryKey) -> Result<Option<Entry>> {
        Ok(self.query(|index| index.stored(key))?.map(|stored| stored.entry))
    }

    fn holder(&self, id: &GivenId) -> Result<Option<EntryKey>> {
        self.query(|index| index.holder(id.as_str()))
    }

    fn handle_taken(&self, handle: &str) -> Result<bool> {
        self.query(|index| index.handle_taken(handle))
    }

    fn merged(&self, name: &str) -> Result<Option<EntryKey>> {
        self.query(|index| index.merged(name))
    }
}

impl ReadState for Index {
    fn version(&self, key: EntryKey) -> Result<Version> {
        let hashes = self.stated_of(key).map_err(index_error)?;
        Ok(hashes.iter().fold(Version::default(), |version, hash| version.with(hash)))
    }

    fn holder(&self, id: &GivenId) -> Result<Option<EntryKey>> {
        Index::holder(self, id.as_str()).map_err(index_error)
    }

    fn handle_taken(&self, handle: &str) -> Result<bool> {
        Index::handle_taken(self, handle).map_err(index_error)
    }

    fn merged(&self, name: &str) -> Result<Option<EntryKey>> {
        Index::merged(self, name).map_err(index_error)
    }
}

impl<B: Base> Entries for Projected<B> {
    fn begin_read(&self) -> bool {
        self.base.index().begin_read().is_ok()
    }

    fn end_read(&self) {
        self.base.index().end_read();
    }

    fn version(&self, key: EntryKey) -> Result<Version> {
        ReadState::version(self.base.index(), key)
    }

    fn resolve(&self, name: &str) -> Result<Vec<EntryKey>> {
        self.query(|index| index.resolve(name))
    }

    fn confirm_absent(&self, name: &str) -> Result<()> {
        self.query(|index| index.confirm_absent(name))
    }

    fn stored(&self, key: EntryKey) -> Result<Option<Stored>> {
        let stored = self.base.stored(key).map_err(index_error)?;
        Ok(stored.map(|stored| Stored { overlay: self.laid_over(key), ..stored }))
    }

    fn list(&self, query: &Query) -> Result<Page> {
        list::page(self.base.index(), self.base.overlays(), query)
    }

    fn keys(&self, query: &Query) -> Result<Vec<EntryKey>> {
        if query.text.is_some() {
            let whole = Query { after: None, limit: 0, ..query.clone() };
            return Ok(self.list(&whole)?.entries.iter().map(|stored| stored.entry.key).collect());
        }
        self.query(|index| index.keys(&narrowed(self.base.overlays(), query)))
    }

    fn each(&self, query: &Query, each: &mut dyn FnMut(Stored) -> Result<()>) -> Result<()> {
        if query.after.is_some() || query.limit > 0 {
            return self.list(query)?.entries.into_iter().try_for_each(each);
        }
        let mut others = narrowed(self.base.overlays(), query).into_owned();
        if query.pinned_first {
            // Pins are few.
            let mut pins =
                self.base.overlays().map(|overlays| overlays.keys(Overlaid::Pinned)).unwrap_or_default();
            pins.retain(|key| others.only.as_ref().is_none_or(|only| only.contains(key)));
            if !pins.is_empty() {
                let pinned = Query { only: Some(pins.clone()), ..query.clone() };
                self.list(&pinned)?.entries.into_iter().try_for_each(&mut *each)?;
            }
            others.without.extend(pins);
        }
        let mut with_overlay = |stored: Stored| {
            let overlay = self.laid_over(stored.entry.key);
            each(Stored { overlay, ..stored })
        };
        until_failed(&mut with_overlay, |each| self.base.index().each(&others, each))
    }

    fn glances(&self) -> Result<Arc<Vec<Glance>>> {
        self.made(|made| &made.glances, &|| {
            let mut all = self.query(Index::glances)?;
            for glance in &mut all {
                let overlay = self.laid_over(glance.key);
                (glance.pinned, glance.hidden) = (overlay.pinned.is_some(), overlay.hides());
            }
            Ok(all)
        })
    }

    fn history(&self, key: EntryKey) -> Result<Vec<Placed>> {
        self.base.history(key)
    }
}

impl<B: Base> Links for Projected<B> {
    fn tied_to(&self, key: EntryKey) -> Result<Vec<(Relation, EntryKey)>> {
        let ties = self.query(|index| index.tied_to(key))?;
        let known = |word: &str| Relation::ALL.iter().find(|relation| relation.word() == word).copied();
        Ok(ties.into_iter().filter_map(|(word, key)| Some((known(&word)?, key))).collect())
    }

    fn subjects(&self) -> Result<Vec<Subject>> {
        self.query(Index::subjects)
    }

    fn each_subject(&self, each: &mut dyn FnMut(Subject) -> Result<()>) -> Result<()> {
        until_failed(each, |each| self.base.index().each_subject(each))
    }

    fn footing(&self) -> Result<Arc<Footing>> {
        self.made(|made| &made.footing, &|| self.query(Index::footing))
    }

    fn agenda(&self, make: &dyn Fn() -> Result<Agenda>) -> Result<Arc<Agenda>> {
        self.made(|made| &made.agenda, make)
    }

    fn made_in(&self, run: &str) -> Result<Vec<EntryKey>> {
        self.query(|index| index.made_in(run))
    }

    fn at_path(&self, path: &str) -> Result<Vec<EntryKey>> {
        self.query(|index| index.at_path(path))
    }

    fn places(&self) -> Result<Vec<(String, EntryKey)>> {
        self.query(Index::places)
    }
}

impl<B: Base> Runs for Projected<B> {
    fn run(&self, name: &str) -> Result<Option<Run>> {
        Ok(Run::fold(&self.with_events(|index, events| index.run_events(name, events))?))
    }

    fn runs(&self) -> Result<Vec<Run>> {
        Ok(Run::fold_all(&self.with_events(|index, events| index.runs(events))?))
    }

    fn runs_since(&self, since: Millis) -> Result<Vec<Run>> {
        Ok(Run::fold_all(&self.with_events(|index, events| index.runs_since(since, events))?))
    }

    fn runs_of(&self, kinds: &[RunKind]) -> Result<Vec<Run>> {
        Ok(Run::fold_all(&self.with_events(|index, events| index.runs_of(kinds, events))?))
    }

    fn run_names(&self) -> Result<Vec<String>> {
        self.query(Index::run_names)
    }

    fn runs_with_uses(&self) -> Result<Vec<String>> {
        self.query(Index::runs_with_uses)
    }

    fn serviced(&self, since: Millis) -> Result<Vec<Serviced>> {
        self.with_events(|index, events| index.serviced(since, events))
    }

    fn foraged(&self) -> Result<Vec<Event>> {
        self.with_events(|index, events| index.foraged(events))
    }

    fn promotions(&self) -> Result<Vec<Promotion>> {
        Ok(Promotion::fold_all(&self.with_events(|index, events| index.promotions(events))?))
    }
}

impl<B: Base> Deliveries for Projected<B> {
    fn exposures(&self, run: &str) -> Result<Vec<Exposure>> {
        self.query(|index| index.exposures(run))
    }

    fn shown_to(&self, run: &str, agent: &str) -> Result<HashSet<EntryKey>> {
        self.query(|index| index.shown_to(run, agent))
    }

    fn shown(&self, key: EntryKey, since: Millis) -> Result<Vec<(String, Exposure)>> {
        self.query(|index| index.shown(key, since))
    }

    fn injected_by(&self, actor: &str, since: Millis) -> Result<Vec<(String, Exposure)>> {
        self.query(|index| index.injected_by(actor, since))
    }

    fn injected(&self, key: EntryKey) -> Result<Vec<Injected>> {
        self.query(|index| index.injected(key))
    }

    fn injections(&self) -> Result<Vec<(EntryKey, Injected)>> {
        self.query(Index::injections)
    }

    fn uses(&self, key: EntryKey) -> Result<Vec<Use>> {
        self.query(|index| index.uses(key))
    }

    fn times_shown(&self) -> Result<BTreeMap<EntryKey, usize>> {
        self.query(Index::times_shown)
    }

    fn delivered(&self) -> Result<Vec<(EntryKey, Delivered)>> {
        self.query(Index::delivered)
    }

    fn questions(&self, since: Millis, latest: usize) -> Result<Questions> {
        self.with_events(|index, events| index.questions(since, latest, events))
    }
}

impl<B: Base> Documents for Projected<B> {
    fn documents(&self, format: Option<&str>, root: Option<&str>) -> Result<Vec<DocumentLine>> {
        self.with_events(|index, events| index.documents(format, root, events))
    }

    fn document(&self, name: &DocumentName) -> Result<Option<Kept>> {
        self.with_events(|index, events| index.document(name, events))
    }

    fn quoting(&self, key: EntryKey) -> Result<Vec<Event>> {
        self.with_events(|index, events| index.quoting(key, events))
    }

    fn was_purged(&self, key: EntryKey) -> Result<bool> {
        self.query(|index| index.was_purged(key))
    }

    fn homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>> {
        self.query(Index::homes)
    }

    fn former_homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>> {
        self.query(Index::former_homes)
    }
}

impl<B: Base> Upkeep for Projected<B> {
    fn counts(&self) -> Result<Counts> {
        self.query(Index::counts)
    }

    fn tended(&self) -> Result<Vec<UpkeepEntry>> {
        let mut all = self.query(Index::tended)?;
        all.iter_mut().for_each(|one| one.hidden = self.hides(one.key));
        Ok(all)
    }

    fn norms_print(&self) -> Result<Option<u64>> {
        self.query(Index::norms_print).map(Some)
    }

    fn episodes(&self, kind: Type, since: Option<Millis>, thread: Option<&str>) -> Result<Vec<Episode>> {
        let mut all = self.query(|index| index.episodes(kind, since, thread))?;
        all.retain(|one| !self.hides(one.key));
        Ok(all)
    }

    fn drifting(&self, reviewer: Option<&str>) -> Result<Vec<ken_core::drift::Subject>> {
        let mut all = self.query(|index| index.drifting(reviewer))?;
        all.retain(|subject| !self.hides(subject.key));
        Ok(all)
    }

    fn changes(&self, since: Millis) -> Result<Vec<(Clock, Clock)>> {
        self.query(|index| index.changes(since))
    }
}

impl<B: Base> Settings for Projected<B> {
    fn setting(&self, name: &str) -> Result<Option<Value>> {
        let text = self.query(|index| index.setting(name))?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()).filter(|value: &Value| !value.is_null()))
    }

    fn digest(&self) -> Result<String> {
        let weights = self.query(|index| index.setting(ken_engine::ops::search::SCORING))?;
        Ok(format!("{:016x} {}", self.query(Index::digest)?, weights.unwrap_or_default()))
    }

    fn overlay(&self, key: EntryKey) -> Overlay {
        self.laid_over(key)
    }

    fn held(&self, key: EntryKey) -> Result<Option<Value>> {
        let Some(state) = self.base.state() else { return Ok(None) };
        let Some(bytes) = state.read(&RecordKind::Quarantine.named(&key.to_string()))? else {
            return Ok(None);
        };
        let read = serde_json::from_slice(&bytes);
        read.map(Some).map_err(Error::damaged(Part::Quarantine, "reading the quarantine"))
    }
}

impl<B: Base> Timeline for Projected<B> {
    fn end(&self) -> Result<Cursor> {
        self.base.order().map_or(Ok(Cursor::default()), LogOrder::end)
    }

    fn log_end(&self) -> Result<Option<LogEnd>> {
        self.base.order().map(LogOrder::log_end).transpose()
    }

    fn latest_clock(&self, topic: &Topic) -> Result<Option<Clock>> {
        self.query(|index| index.latest_clock(topic))
    }

    fn latest_by(&self, actor: &str) -> Result<Vec<Event>> {
        self.base.order().map_or(Ok(Vec::new()), |order| order.latest_by(actor))
    }

    fn latest(&self, events: usize) -> Result<Vec<LoggedBatch>> {
        self.base.order().map_or(Ok(Vec::new()), |order| order.latest(events))
    }

    fn event_count(&self) -> Result<usize> {
        self.base.order().map_or(Ok(0), LogOrder::event_count)
    }

    fn dated_after(&self, clock: Clock) -> Result<Vec<Placed>> {
        let Some(order) = self.base.order() else { return Ok(Vec::new()) };
        let (keys, hashes) = self.query(|index| index.dated_after(clock))?;
        let mut found = Vec::new();
        for key in keys {
            found.extend(self.base.history(key)?);
        }
        for hash in hashes {
            if let Some(Line::Event(event)) = order.line(&hash)? {
                found.push(Placed { event: *event, line: None });
            }
        }
        Ok(found)
    }

    fn events_holding(&self, text: &str) -> Result<Vec<Event>> {
        let Some(order) = self.base.order() else { return Ok(Vec::new()) };
        let holds = holding(text);
        Ok(order.events()?.into_iter().filter(holds).collect())
    }

    fn purged(&self) -> Result<Vec<EventHash>> {
        let Some(order) = self.base.order() else { return Ok(Vec::new()) };
        let mut purged = Vec::new();
        for hash in self.query(Index::purged)? {
            if let Some(Line::Event(event)) = order.line(&hash)?
                && self.query(|index| index.purge_counts(&event))?
            {
                purged.push(hash);
            }
        }
        Ok(purged)
    }

    fn position(&self) -> Result<String> {
        let position = self.query(Index::position)?;
        Ok(format!("{position}.{}", self.base.overlays().map(Overlays::mark).unwrap_or_default()))
    }
}

/// Whether an event holds a text. Words of the format are looked for only in what somebody said.
fn holding(text: &str) -> impl Fn(&Event) -> bool + '_ {
    let is_word = ken_core::schema::is_word_of_the_format(text);
    let written = ken_core::canonical::to_string(&text);
    move |event: &Event| match is_word {
        true => says(&event.data(), text),
        false => event.line().contains(text) || event.line().contains(written.trim_matches('"')),
    }
}

/// Whether somebody said a text in an event: in a value that is no word of the format itself.
pub fn says(data: &Value, text: &str) -> bool {
    match data {
        Value::String(said) => said.contains(text) && !ken_core::schema::is_word_of_the_format(said),
        Value::Array(members) => members.iter().any(|member| says(member, text)),
        Value::Object(members) => members.values().any(|member| says(member, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl<B: Base> Projected<B> {
    /// How near the meanings of two entries are, for each pair ([`ken_engine::Search::alike`]).
    fn cosines(&self, pairs: &[(EntryKey, EntryKey)]) -> Result<Vec<Option<f64>>> {
        let Some((_, vectors)) = self.base.vectors() else { return Ok(vec![None; pairs.len()]) };
        // An entry is in many pairs: its vector is looked up, and looked at, once.
        let mut slots: HashMap<EntryKey, Option<u32>> = HashMap::new();
        for key in pairs.iter().flat_map(|(one, other)| [*one, *other]) {
            if let Slot::Vacant(vacant) = slots.entry(key) {
                let slot = self.query(|index| index.slot_of(key))?;
                vacant.insert(slot.filter(|slot| vectors.is_sound(*slot)));
            }
        }
        let Some(codes) = vectors.codes() else { return Ok(vec![None; pairs.len()]) };
        let near = |(one, other): &(EntryKey, EntryKey)| {
            let (one, other) = (slots[one]?, slots[other]?);
            Some(f64::from(codes.cosine_between(one, other))).filter(|cosine| cosine.is_finite())
        };
        Ok(pairs.iter().map(near).collect())
    }
}

/// A query as it is meant where something is laid over entries.
fn narrowed<'q>(overlays: Option<&Overlays>, query: &'q Query) -> Cow<'q, Query> {
    overlays.map_or(Cow::Borrowed(query), |overlays| overlays.narrowed(query))
}
