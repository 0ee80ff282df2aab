//! The git log: journal and ledger files as an [`EventLog`].

use ken_engine::Erasure;
use ken_engine::ProjectStore;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ken_core::entry::Bases;
use ken_core::event::{Event, Line};
use ken_core::{Code, EntryKey, EventHash, GivenId, Intent, Refusal, ReplicaId};
use ken_engine::log::{self, check, check_arrived, hash_of};
use ken_engine::{
    AppendError, Appended, Arrival, Arrived, Batch, Conflict, Cursor, Error, EventLog, Floors, Ledger,
    LogEnd, LoggedBatch, ReadSet, Reading, Received, Redacted, Result, Tail, Topic, Version, Writer,
    in_one_read,
};
use ken_index::Index;

use crate::catalogue::IndexUpdate;
use crate::journal::{Origin, Position, Record, Written};
use crate::store::{Store, index_error};

/// A store on disk as a log. Each has a handle of its own; any number of them, in any number of processes, may lie on one folder.
pub struct GitLog {
    store: Mutex<Store>,
}

impl GitLog {
    /// The log of an open store.
    pub fn new(store: Store) -> GitLog {
        GitLog { store: Mutex::new(store) }
    }

    /// The store, for what only it can answer.
    pub fn store(&self) -> MutexGuard<'_, Store> {
        // A panic of another thread left nothing half: every change is one transaction.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog for GitLog {
    fn append(
        &self,
        read: &ReadSet,
        seal: &mut dyn FnMut(&Tail) -> Result<Batch>,
    ) -> std::result::Result<Appended, AppendError> {
        let mut store = self.store();
        store.may_write()?;
        store.finish_purge()?;
        let replica = store.replica()?;
        store.append_sealed(read, replica, seal)
    }

    fn since(&self, at: Cursor) -> Result<Vec<LoggedBatch>> {
        self.store().since(at)
    }

    fn event(&self, hash: &EventHash) -> Result<Option<Line>> {
        let mut store = self.store();
        store.catch_up(false)?;
        store.line(hash)
    }

    fn receive(&self, lines: Vec<Arrived>, from: Arrival) -> Result<Received> {
        self.store().receive(lines, from)
    }

    fn erase(&self, hashes: &[EventHash]) -> Result<()> {
        self.store().erase(hashes)
    }
}

/// What the projection says of a decision's grounds.
pub(crate) struct IndexReading<'a>(pub(crate) &'a Index);

impl Reading for IndexReading<'_> {
    fn version(&self, key: EntryKey) -> Result<Version> {
        let hashes = self.0.stated_of(key).map_err(index_error)?;
        Ok(hashes.iter().fold(Version::default(), |version, hash| version.with(hash)))
    }

    fn id_holder(&self, id: &GivenId) -> Result<Option<EntryKey>> {
        self.0.holder(id.as_str()).map_err(index_error)
    }

    fn has_handle(&self, handle: &str) -> Result<bool> {
        self.0.handle_taken(handle).map_err(index_error)
    }

    fn merge_holder(&self, name: &str) -> Result<Option<EntryKey>> {
        self.0.merged(name).map_err(index_error)
    }
}

impl Reading for Store {
    fn version(&self, key: EntryKey) -> Result<Version> {
        IndexReading(self.index()).version(key)
    }

    fn id_holder(&self, id: &GivenId) -> Result<Option<EntryKey>> {
        IndexReading(self.index()).id_holder(id)
    }

    fn has_handle(&self, handle: &str) -> Result<bool> {
        IndexReading(self.index()).has_handle(handle)
    }

    fn merge_holder(&self, name: &str) -> Result<Option<EntryKey>> {
        IndexReading(self.index()).merge_holder(name)
    }
}

/// The event after which bytes are taken out, by this command or by the next one.
const PURGED: &str = "entry.purged";

/// What went wrong under the journal's lock.
enum Trouble {
    Disk(io::Error),
    Other(AppendError),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Disk(error)
    }
}

/// What events must come after, as the projection knows it.
pub(crate) fn floors(index: &Index, intents: &[Intent]) -> Result<Floors> {
    let mut floors = Floors::default();
    for topic in intents.iter().flat_map(Topic::all_of) {
        if let Entry::Vacant(floor) = floors.0.entry(topic)
            && let Some(clock) = index.latest_clock(floor.key()).map_err(index_error)?
        {
            floor.insert(clock);
        }
    }
    Ok(floors)
}

/// What events are about, as the projection has it (COR-18).
pub(crate) fn bases(index: &Index, intents: &[Intent]) -> Result<Bases> {
    let mut bases = Bases::default();
    for key in Bases::needed(intents) {
        if let Some(stored) = index.stored(key).map_err(index_error)? {
            bases.insert(&stored.entry);
        }
    }
    Ok(bases)
}

impl Store {
    pub(crate) fn bases(&self, intents: &[Intent]) -> Result<Bases> {
        bases(self.index(), intents)
    }

    pub(crate) fn floors(&self, intents: &[Intent]) -> Result<Floors> {
        floors(self.index(), intents)
    }

    /// Appends on the strength of what was read: the grounds are looked at again under the journal's lock.
    ///
    /// What git or an editor changed in the tree since this handle last looked is not among them: they take no lock.
    pub fn append_if(
        &mut self,
        read: &ReadSet,
        intents: Vec<Intent>,
        writer: &Writer,
    ) -> std::result::Result<Appended, AppendError> {
        self.may_write()?;
        if intents.is_empty() {
            return Ok(Appended::default());
        }
        let redacted = Redacted::new(intents, writer)?;
        if !redacted.intents().iter().any(|intent| intent.body.type_name() == PURGED) {
            self.finish_purge()?;
        }
        let replica = self.replica()?;
        let look_up = || Ok::<_, Error>((self.floors(redacted.intents())?, self.bases(redacted.intents())?));
        let (floors, bases) = in_one_read(self, look_up)?;
        let mut seal = |tail: &Tail| Ok(log::seal(&redacted, &floors, &bases, tail));
        let is_change = redacted.intents().iter().any(|intent| !intent.body.is_deferred());
        let Some((key, version)) = self.expected().filter(|_| is_change) else {
            return self.append_sealed(read, replica, &mut seal);
        };
        // What the caller read is older than the grounds of the decision: where the log ended then says nothing of it.
        let mut both = ReadSet { log_end: None, ..read.clone() };
        both.entries.insert(key, version);
        match self.append_sealed(&both, replica, &mut seal) {
            Err(AppendError::Conflict(Conflict::Entry(changed))) if changed == key => {
                let refusal =
                    Refusal::new(Code::Changed, "the entry changed since it was read; nothing was written")
                        .hint("read the entry again, and decide again");
                Err(AppendError::Failed(refusal.into()))
            }
            Ok(appended) => {
                ProjectStore::expect(self, None);
                Ok(appended)
            }
            failed => failed,
        }
    }

    pub(crate) fn append_sealed(
        &mut self,
        read: &ReadSet,
        replica: ReplicaId,
        seal: &mut dyn FnMut(&Tail) -> Result<Batch>,
    ) -> std::result::Result<Appended, AppendError> {
        self.complete_the_store()?;
        let heads = self.index().heads().map_err(index_error)?;
        let origin = Origin { continues: self.command.continued(), ..self.origin() };
        let journal = self.journals()[0].clone();
        let mut events: Vec<Event> = Vec::new();
        let mut notices = Vec::new();
        // Before the lock, so that nobody waits for a long look; under it, only what was written since is looked at.
        let looked = if read.is_empty() { None } else { Some(self.confirm(read, read.log_end)?) };
        let written = journal.append(&origin, |tail| {
            let other = |error: Error| Trouble::Other(error.into());
            if looked.is_some() {
                self.confirm(read, looked).map_err(Trouble::Other)?;
            }
            let tail = Tail { replica, seq: tail.seq, clock: tail.clock, heads };
            let batch = seal(&tail).map_err(other)?;
            check(&batch, &tail).map_err(other)?;
            notices = batch.notices;
            if batch.records.iter().any(|(_, event)| event.type_name == PURGED) {
                self.purging().map_err(other)?;
            }
            let seq = batch.records.last().map_or(tail.seq, |(_, event)| event.seq);
            let mut records = Vec::with_capacity(batch.records.len());
            for (file, event) in batch.records {
                records.push(Record { file, text: event.line().to_owned() });
                events.push(event);
            }
            Ok(Written { records, seq, clock: batch.clock })
        });
        match written {
            Ok(()) => {}
            Err(Trouble::Disk(error)) => {
                return Err(Error::failed("appending to the journal; nothing was written")(error).into());
            }
            Err(Trouble::Other(error)) => return Err(error),
        }
        notices.into_iter().for_each(|notice| self.notice(notice));
        self.command.wrote(events.first());
        self.said_about(events.iter().filter(|event| !event.is_deferred()).filter_map(|event| event.entry));
        // From here on everything is acknowledged; what follows can be made up for by the next command.
        if !events.is_empty()
            && let Err(error) = self.follow(&events)
        {
            self.notice(format!("written, but {error}; the next command completes it"));
        }
        Ok(Appended { events })
    }

    /// Looks whether everything is as it was read, unless the log still ends as it did. Says how it ends.
    fn confirm(
        &mut self,
        read: &ReadSet,
        before: Option<LogEnd>,
    ) -> std::result::Result<LogEnd, AppendError> {
        self.take_new_frames()?;
        let end = self.log_end()?;
        if before != Some(end)
            && let Some(conflict) = read.conflict(self)?
        {
            return Err(AppendError::Conflict(conflict));
        }
        Ok(end)
    }

    /// Tells the index of frames that others wrote.
    fn take_new_frames(&mut self) -> Result<()> {
        let (from, _) = self.index().journal_end(0).map_err(index_error)?;
        let (frames, _) = self.journals()[0].read(from).map_err(Error::failed("reading the journal"))?;
        let Some(end) = frames.last().map(|frame| frame.end) else { return Ok(()) };
        let generation = self.journals()[0].generation();
        let frames = frames.into_iter().map(|frame| (0, frame)).collect();
        self.take(IndexUpdate { frames, journal_ends: vec![(0, end, generation)], ..IndexUpdate::default() })
    }

    /// How this clone's log ends for the index.
    pub(crate) fn log_end(&self) -> Result<LogEnd> {
        let (end, generation) = self.index().journal_end(0).map_err(index_error)?;
        let entries = self.index().digest().map_err(index_error)?;
        Ok(LogEnd { at: packed(end), generation, entries })
    }

    /// A line by its hash, as the index knows it now.
    pub(crate) fn line(&self, hash: &EventHash) -> Result<Option<Line>> {
        self.index().line(hash, &self.reader()).map_err(index_error)
    }

    /// The cursor behind everything that [`Store::since`] would tell.
    pub fn end(&mut self) -> Result<Cursor> {
        self.catch_up(false)?;
        let (end, _) = self.index().journal_end(0).map_err(index_error)?;
        let noticed = self.index().last_noticed().map_err(index_error)?;
        Ok(Cursor { at: packed(end), noticed })
    }

    /// See [`EventLog::since`]. Lines that git brought are told when this worktree's index notices them, and again by one that was made
    /// anew. A journal that a sandbox keeps is told when it moves home.
    pub fn since(&mut self, at: Cursor) -> Result<Vec<LoggedBatch>> {
        self.catch_up(false)?;
        let from = position(at.at);
        let (mut frames, _) = self.journals()[0].read(from).map_err(Error::failed("reading the journal"))?;
        // What another process appended after the index was told is for the next time: its own index knows it by then.
        let (end, _) = self.index().journal_end(0).map_err(index_error)?;
        frames.retain(|frame| frame.start < end);
        let mut told = Vec::new();
        let mut cursor = at;
        for frame in frames {
            cursor.at = packed(frame.end);
            let lines = frame.records.iter().filter_map(|record| record.line().ok()).collect();
            told.push(LoggedBatch { lines, end: cursor });
        }
        let mut noticed: Vec<(u64, Vec<Line>)> = Vec::new();
        let reader = self.reader();
        for (number, hash) in self.index().noticed_since(at.noticed).map_err(index_error)? {
            let Some(line) = self.index().line(&hash, &reader).map_err(index_error)? else { continue };
            match noticed.last_mut() {
                Some((last, lines)) if *last == number => lines.push(line),
                _ => noticed.push((number, vec![line])),
            }
        }
        for (number, lines) in noticed {
            cursor.noticed = number;
            told.push(LoggedBatch { lines, end: cursor });
        }
        Ok(told)
    }

    /// See [`EventLog::receive`].
    ///
    /// What comes out of a branch or a commit goes to the ledger files alone, whose history keeps it. Everything else goes to the journal
    /// first, as one frame; except lines that claim to be this clone's own, since what its journal has is trusted as that.
    pub fn receive(&mut self, lines: Vec<Arrived>, from: Arrival) -> Result<Received> {
        self.may_write()?;
        check_arrived(&lines)?;
        self.catch_up(false)?;
        self.complete_the_store()?;
        let mut received = Received::default();
        let mut seen = HashSet::new();
        let mut fresh = Vec::new();
        for arrived in lines {
            let hash = hash_of(&arrived.line);
            let is_known = match self.index().knows(&hash).map_err(index_error)? {
                // The tree may lack what the journal has: another branch, or a file that was deleted.
                Some(here) => here || from != Arrival::Merge,
                None => false,
            };
            if is_known || !seen.insert(hash) || self.is_erased(&arrived.line)? {
                received.known += 1;
            } else {
                fresh.push(arrived);
            }
        }
        received.new = fresh.len();
        let own = self.own();
        let (tree, journal): (Vec<Arrived>, Vec<Arrived>) = fresh.into_iter().partition(|arrived| {
            let replica = match &arrived.line {
                Line::Event(event) => event.replica,
                Line::Stub(stub) => stub.replica,
            };
            from == Arrival::Merge || own == Some(replica)
        });
        if !journal.is_empty() {
            let records = journal.into_iter().map(|arrived| match arrived.line {
                Line::Event(event) => Record { file: arrived.file, text: event.line().to_owned() },
                // Stubs need no file, as where a purge left them.
                Line::Stub(stub) => Record { file: String::new(), text: stub.line() },
            });
            let records = records.collect();
            let origin = self.origin();
            let own_journal = self.journals()[0].clone();
            // Somebody else's clock and numbers are not ours.
            own_journal
                .append::<io::Error>(&origin, |tail| {
                    Ok(Written { records, seq: tail.seq, clock: tail.clock })
                })
                .map_err(Error::failed("appending to the journal; nothing was received"))?;
            if let Err(error) = self.follow(&[]) {
                self.notice(format!("received, but {error}; the next command completes it"));
            }
        }
        let mut by_file: HashMap<String, Vec<Line>> = HashMap::new();
        for arrived in tree {
            by_file.entry(arrived.file).or_default().push(arrived.line);
        }
        for (file, lines) in by_file {
            let events: Vec<Event> = lines
                .into_iter()
                .filter_map(|line| match line {
                    Line::Event(event) => Some(*event),
                    Line::Stub(_) => None,
                })
                .collect();
            self.add_events(&file, &events)?;
        }
        self.stub_what_came_back()?;
        Ok(received)
    }

    fn is_erased(&self, line: &Line) -> Result<bool> {
        match line {
            Line::Event(event) => self.index().purge_counts(event).map_err(index_error),
            Line::Stub(_) => Ok(false),
        }
    }

    /// See [`EventLog::erase`].
    pub fn erase(&mut self, hashes: &[EventHash]) -> Result<()> {
        self.may_write()?;
        self.catch_up(false)?;
        for hash in hashes {
            match self.line(hash)? {
                None | Some(Line::Stub(_)) => {}
                Some(Line::Event(event)) => {
                    if !self.index().purge_counts(&event).map_err(index_error)? {
                        return Err(not_purged(hash));
                    }
                }
            }
        }
        self.take_out_purged().map(drop)
    }
}

/// Bytes go only where somebody who may say so said so.
pub(crate) fn not_purged(hash: &EventHash) -> Error {
    Refusal::new(Code::NotAllowed, format!("no valid purge names event {hash}; it is kept")).into()
}

/// Bits of a cursor for the place in a segment: segments are far smaller than a terabyte.
const OFFSET_BITS: u32 = 40;

fn packed(at: Position) -> u64 {
    at.segment << OFFSET_BITS | at.offset
}

fn position(at: u64) -> Position {
    Position { segment: (at >> OFFSET_BITS).max(1), offset: at & ((1 << OFFSET_BITS) - 1) }
}
