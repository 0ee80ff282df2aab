//! A store as an operation holds it, for one call: what can be read of it, and the way to add to it.
//!
//! Everything that is written goes through [`EventLog::append`]; what a call keeps beside the ledger goes through [`CloneState`].

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use ken_core::entry::Bases;
use ken_core::{Code, EntryKey, Event, Intent, OverlayEvent, Refusal, ReplicaId};
use ken_guard::known::KnownValue;
use serde_json::Value;

use crate::error::{Error, Part, Result};
use crate::guarded::Guarded;
use crate::intake::learn_purged;
use crate::limits::ledger::EMBEDDED_AT_ONCE;
use crate::log::{self, AppendError, Conflict, EventLog, Floors, ReadSet, Sealer, Topic, Version};
use crate::overlays::overlays;
use crate::ports::{Embedder, Writer};
use crate::projection::Projection;
use crate::redacted::Redacted;
use crate::snapshot::{Access, Snapshot, Vectors};
use crate::state::{CloneState, RecordKind};

/// A store for one call.
///
/// Whoever holds it reads it as if it were its projection: `ledger.stored(key)`.
pub struct Ledger {
    log: Arc<dyn EventLog>,
    snapshot: Box<dyn Snapshot>,
    state: Arc<dyn CloneState>,
    /// How the caller of this call wants to find an entry, until that is changed.
    expected: Option<(EntryKey, Version)>,
    command: Command,
    in_sync: bool,
    /// Entries that something was said about.
    written: BTreeSet<EntryKey>,
    notices: Vec<String>,
}

/// The command that a ledger writes for, where its writes belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Command {
    #[default]
    None,
    /// It wrote nothing yet.
    Begun,
    /// The running number of the first event that it wrote.
    Wrote(u64),
}

/// Hears which entries can be asked by meaning from now on, and says whether to go on.
pub type Embedded<'a> = dyn FnMut(&mut Ledger, &[EntryKey]) -> Result<bool> + 'a;

impl Deref for Ledger {
    type Target = dyn Projection;

    fn deref(&self) -> &Self::Target {
        self.snapshot.projection()
    }
}

impl Ledger {
    pub fn new(log: Arc<dyn EventLog>, snapshot: Box<dyn Snapshot>, state: Arc<dyn CloneState>) -> Ledger {
        Ledger {
            log,
            snapshot,
            state,
            expected: None,
            command: Command::None,
            in_sync: false,
            written: BTreeSet::new(),
            notices: Vec::new(),
        }
    }

    /// What can be read.
    pub fn projection(&self) -> &(dyn Projection + 'static) {
        self.snapshot.projection()
    }

    pub fn log(&self) -> &Arc<dyn EventLog> {
        &self.log
    }

    /// The small state beside the ledger.
    pub fn state(&self) -> &Arc<dyn CloneState> {
        &self.state
    }

    pub fn snapshot(&self) -> &dyn Snapshot {
        &*self.snapshot
    }

    pub fn snapshot_mut(&mut self) -> &mut dyn Snapshot {
        &mut *self.snapshot
    }

    /// The clone that writes.
    pub fn replica(&mut self) -> Result<ReplicaId> {
        self.snapshot.replica()
    }

    pub fn access(&self) -> Access {
        self.snapshot.access()
    }

    /// A refusal where nothing may be written.
    pub fn may_write(&self) -> Result<()> {
        self.snapshot.may_write()
    }

    /// Seals and keeps what is to be said, in order, and gives it back as events.
    ///
    /// It is atomic and durable: when it returns, all of it survives a crash; when it fails, none of it is there. What it wrote is
    /// visible to every later call, and to other processes at their next one. Reads see whole batches only.
    pub fn append(&mut self, intents: Vec<Intent>, writer: &Writer) -> Result<Vec<Event>> {
        self.append_on(&ReadSet::default(), intents, writer)
    }

    /// The same on the strength of what was read. If any of it changed since, nothing is written, and the error says so
    /// ([`Error::is_conflict`]): read again and decide again.
    pub fn append_on(&mut self, read: &ReadSet, intents: Vec<Intent>, writer: &Writer) -> Result<Vec<Event>> {
        self.may_write()?;
        if intents.is_empty() {
            return Ok(Vec::new());
        }
        let (read, seal) = self.sealer(read, intents, writer)?;
        self.append_sealed(&read, seal)
    }

    /// The same for what several people are to be quoted with, in one write. Nothing was read for it.
    pub fn append_all(&mut self, groups: Vec<Redacted>) -> Result<Vec<Event>> {
        self.may_write()?;
        let intents: Vec<Intent> = groups.iter().flat_map(|group| group.intents().iter().cloned()).collect();
        let (floors, bases) = (floors(&**self, &intents)?, bases(&**self, &intents)?);
        let seal: Sealer = Box::new(move |tail| Ok(log::seal_all(&groups, &floors, &bases, tail)));
        self.append_sealed(&ReadSet::default(), seal)
    }

    fn append_sealed(&mut self, read: &ReadSet, seal: Sealer) -> Result<Vec<Event>> {
        self.snapshot.prepare_append();
        let appended = self.log.append(read, seal);
        let followed = self.snapshot.follow();
        match appended {
            Err(AppendError::Conflict(Conflict::Entry(changed)))
                if self.expected.is_some_and(|(key, _)| key == changed) =>
            {
                Err(Refusal::new(Code::Changed, "the entry changed since it was read; nothing was written")
                    .hint("read the entry again, and decide again")
                    .into())
            }
            Err(error) => Err(error.into()),
            Ok(appended) => {
                appended.notices.into_iter().for_each(|notice| self.notice(notice));
                if let Err(error) = followed {
                    self.notice(format!("written, but {error}; the next command completes it"));
                }
                if appended.events.iter().any(|event| !event.is_deferred()) {
                    self.expected = None;
                }
                if let (Command::Begun, Some(first)) = (self.command, appended.events.first()) {
                    self.command = Command::Wrote(first.seq);
                }
                let said = appended.events.iter().filter(|event| !event.is_deferred());
                self.written.extend(said.filter_map(|event| event.entry));
                Ok(appended.events)
            }
        }
    }

    /// What an append rests on, with what the caller expects, and the batch it makes at the end of a log.
    fn sealer(&self, read: &ReadSet, intents: Vec<Intent>, writer: &Writer) -> Result<(ReadSet, Sealer)> {
        let redacted = Redacted::new(intents, writer)?;
        let (floors, bases, guarded) = crate::projection::in_one_read(&**self, || {
            let intents = redacted.intents();
            let guarded = Guarded::load(&**self, intents, &writer.authority)?;
            Ok::<_, Error>((floors(&**self, intents)?, bases(&**self, intents)?, guarded))
        })?;
        let is_change = redacted.intents().iter().any(|intent| !intent.body.is_deferred());
        let mut read = read.clone();
        if let Some((key, version)) = self.expected.filter(|_| is_change) {
            // What the caller read is older than the grounds of the decision: where the log ended then says nothing of it.
            read.log_end = None;
            read.entries.insert(key, version);
        }
        let continues = match self.command {
            Command::None | Command::Begun => None,
            Command::Wrote(first) => Some(first),
        };
        let seal = move |tail: &log::Tail| {
            let mut batch = log::seal(&redacted, &floors, &bases, tail);
            guarded.check(&batch.events)?;
            batch.continues = continues;
            Ok(batch)
        };
        Ok((read, Box::new(seal)))
    }

    /// From now on the next change is kept only if the entry is still of this version: it is refused otherwise ([`Code::Changed`]).
    pub fn expect(&mut self, entry: Option<(EntryKey, Version)>) {
        self.expected = entry;
    }

    /// What `work` writes belongs together: one `undo` takes back all of it (COR-2). A command within another one is part of it.
    pub fn as_one_command<T>(&mut self, work: impl FnOnce(&mut Ledger) -> T) -> T {
        if self.command != Command::None {
            return work(self);
        }
        self.command = Command::Begun;
        let done = work(self);
        self.command = Command::None;
        done
    }

    /// What `work` writes comes from a mirror or goes there, so no mirror has to follow it.
    pub fn while_in_sync<T>(&mut self, work: impl FnOnce(&mut Ledger) -> T) -> T {
        let was_in_sync = std::mem::replace(&mut self.in_sync, true);
        let done = work(self);
        self.in_sync = was_in_sync;
        self.take_written();
        done
    }

    /// Whether mirrors are being brought in step ([`Ledger::while_in_sync`]).
    pub fn is_in_sync(&self) -> bool {
        self.in_sync
    }

    /// Entries that something was said about since this was last asked; what waits in the journal is left out.
    pub fn take_written(&mut self) -> Vec<EntryKey> {
        std::mem::take(&mut self.written).into_iter().collect()
    }

    /// Catches up, for a call that begins.
    pub fn refresh(&mut self) -> Result<()> {
        self.snapshot.refresh()
    }

    /// Waits until nobody else in this clone does some thing, then catches up with what they wrote. Held as long as the value lives.
    pub fn alone(&mut self, doing: &str) -> Result<Box<dyn Send>> {
        let held = self.state.lock(&RecordKind::Turns.named(doing))?;
        self.snapshot.refresh()?;
        Ok(held)
    }
}

/// What is kept beside the ledger, in this clone alone.
impl Ledger {
    /// Keeps the words of what was kept out, where they wait for a person (IN-1): never in a tracked file. They survive a crash once it
    /// returns.
    pub fn hold(&mut self, key: EntryKey, held: &Value) -> Result<()> {
        self.may_write()?;
        self.state.set_value(&RecordKind::Quarantine.named(&key.to_string()), held)
    }

    /// Lets them go.
    pub fn let_go(&mut self, key: EntryKey) -> Result<()> {
        self.state.remove(&RecordKind::Quarantine.named(&key.to_string())).map(drop)
    }

    /// Lays something over an entry (BEL-9), never in a tracked file, unless it is so already; says whether it was not. It survives a crash
    /// once this returns. The ledger is not written.
    pub fn lay(&mut self, event: &OverlayEvent) -> Result<bool> {
        self.may_write()?;
        let record = RecordKind::Overlays.record();
        let _held = self.state.lock(&record)?;
        let (laid, _) = overlays(&*self.state)?;
        let is_new = laid.overlay(event.entry).apply(event);
        if is_new {
            self.state.add_item(&record, event)?;
        }
        self.snapshot.follow()?;
        Ok(is_new)
    }

    /// Remembers a purged text by its hash, so that this clone knows it for a secret when it comes again. It is kept nowhere.
    pub fn remember_purged(&mut self, value: KnownValue) -> Result<()> {
        self.state.add_item(&RecordKind::PurgedTexts.record(), &value)?;
        learn_purged(vec![value]);
        Ok(())
    }

    /// Takes the bytes out of everything that purges name, and says where they were.
    pub fn take_out_purged(&mut self) -> Result<Vec<String>> {
        let purged = self.purged()?;
        self.snapshot.prepare_append();
        let touched = self.log.erase(&purged);
        self.snapshot.follow()?;
        touched
    }

    /// Tells somebody something, once.
    pub fn notice(&mut self, text: String) {
        if !self.notices.contains(&text) {
            self.notices.push(text);
        }
    }

    /// Sentences that somebody should read, each said once.
    pub fn take_notices(&mut self) -> Vec<String> {
        self.snapshot.take_notices().into_iter().for_each(|notice| self.notice(notice));
        std::mem::take(&mut self.notices)
    }
}

/// What is derived from the ledger, and kept in order.
impl Ledger {
    pub fn vectors(&mut self) -> &mut dyn Vectors {
        self.snapshot.vectors()
    }

    /// Makes vectors for at most so many entries that have none, and says how many still wait. After each batch `made` is told which
    /// entries can be asked by meaning from now on, and says whether to go on.
    pub fn embed(
        &mut self,
        embedder: &dyn Embedder,
        at_most: usize,
        made: &mut Embedded<'_>,
    ) -> Result<usize> {
        self.may_write()?;
        let card = embedder.card();
        if !self.vectors().uses(&card.name) {
            self.vectors().use_model(card)?;
        }
        let state = self.state.clone();
        let record = RecordKind::Turns.named("embedding");
        let alone =
            if at_most > EMBEDDED_AT_ONCE { state.try_lock(&record)? } else { Some(Box::new(()) as _) };
        if alone.is_none() {
            self.notice("another process is computing the missing embeddings".to_owned());
            return self.backlog();
        }
        let mut left = at_most;
        while left > 0 {
            let keys = self.vectors().embed(embedder, left)?;
            left -= keys.len().min(left);
            if keys.is_empty() || !made(self, &keys)? {
                break;
            }
        }
        self.backlog()
    }

    /// Makes anew what a read found damaged, where that can be: an index that failed with this error, or vectors that are not as they
    /// were written. Says whether to read again.
    fn mend(&mut self, found: Result<()>) -> Result<bool> {
        match found {
            Err(Error::Damaged(Part::Index, _)) => {
                self.snapshot.rebuild()?;
                self.notice("the search index was damaged and has been rebuilt".to_owned());
                Ok(true)
            }
            Err(error) => Err(error),
            Ok(()) if self.vectors().take_damage() => {
                let damaged = self.vectors().check()?;
                // Another process may just have written them.
                if damaged > 0 {
                    self.notice(format!(
                        "{damaged} embeddings are damaged and not used; `ken rebuild --embeddings` recomputes them"
                    ));
                }
                Ok(true)
            }
            Ok(()) => Ok(false),
        }
    }
}

/// Reads, and reads again where what was found damaged is mended.
pub fn read_mending<T>(ledger: &mut Ledger, read: impl Fn(&dyn Projection) -> Result<T>) -> Result<T> {
    let answer = read(ledger.projection());
    let (answer, found) = match answer {
        Ok(answer) => (Some(answer), Ok(())),
        Err(error) => (None, Err(error)),
    };
    match (ledger.mend(found)?, answer) {
        (false, Some(answer)) => Ok(answer),
        (true, _) | (false, None) => read(ledger.projection()),
    }
}

/// What events must come after, as the projection knows it.
fn floors(reads: &dyn Projection, intents: &[Intent]) -> Result<Floors> {
    let mut floors = Floors::default();
    for topic in intents.iter().flat_map(Topic::all_of) {
        if !floors.0.contains_key(&topic)
            && let Some(clock) = reads.latest_clock(&topic)?
        {
            floors.0.insert(topic, clock);
        }
    }
    Ok(floors)
}

/// What events are about, as the projection has it (COR-18).
fn bases(reads: &dyn Projection, intents: &[Intent]) -> Result<Bases> {
    let mut bases = Bases::default();
    for key in Bases::needed(intents) {
        if let Some(entry) = reads.entry(key)? {
            bases.insert(&entry);
        }
    }
    Ok(bases)
}
