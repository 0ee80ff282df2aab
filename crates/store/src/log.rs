//! The git log: journal and ledger files as an [`EventLog`].

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ken_core::event::{EntryEvent, Event, Line};
use ken_core::{Body, Code, EventHash, Intent, Refusal};
use ken_engine::log::{check, check_arrived, hash_of, line_bytes};
use ken_engine::{
    AppendError, Appended, Arrival, Arrived, Bytes, Conflict, Cursor, Erasure, Error, EventLog, Ledger,
    LogEnd, LoggedBatch, OpenStore, ReadSet, Received, Result, Sealer, Settings, Tail, Writer,
};

use crate::appending::sealed;
use crate::catalogue::IndexUpdate;
use crate::journal::{Origin, Position, Record, Written};
use crate::shared::Waiting;
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
    fn append(&self, read: &ReadSet, seal: Sealer) -> std::result::Result<Appended, AppendError> {
        let mut store = self.store();
        store.may_write()?;
        store.finish_purge()?;
        store.replica()?;
        store.append_sealed(read.clone(), seal)
    }

    fn since(&self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>> {
        self.store().since(at, limit)
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

/// The event after which bytes are taken out, by this command or by the next one.
const PURGED: &str = "entry.purged";

/// What went wrong under the journal's lock.
enum Trouble {
    Disk(io::Error),
    Other(Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Disk(error)
    }
}

/// Appends that waited and are written together, with what was made of them.
#[derive(Default)]
struct Group {
    sealed: Vec<(Waiting, Vec<Event>, Vec<String>)>,
    /// What nobody will write, and why.
    failed: Vec<(Waiting, AppendError)>,
    /// What has to be looked at again once the others are in the index.
    later: Vec<Waiting>,
}

/// Whether what an append rests on is still so after events that are about to be written with it.
enum Standing {
    Unchanged,
    Changed(Conflict),
    /// The index will know.
    Unclear,
}

/// What events of the same write do to the grounds of a decision.
fn standing(read: &ReadSet, written: &[Event]) -> Standing {
    let mut counted = written.iter().filter(|event| !event.is_deferred()).peekable();
    if counted.peek().is_none() || read.is_empty() {
        return Standing::Unchanged;
    }
    for event in counted {
        if let Some(key) = event.entry.filter(|key| read.entries.contains_key(key)) {
            return Standing::Changed(Conflict::Entry(key));
        }
        let handle = match &event.body {
            Some(Body::Entry(EntryEvent::Added(said))) => said.handle.as_deref(),
            Some(Body::Entry(EntryEvent::Rejected(said))) => said.handle.as_deref(),
            Some(_) | None => None,
        };
        if let Some(handle) = handle.filter(|handle| read.handles.contains_key(*handle)) {
            return Standing::Changed(Conflict::Handle(handle.to_owned()));
        }
        let may_free = matches!(event.body, Some(Body::Entry(EntryEvent::Purged { .. })) | None);
        if may_free || !read.ids.is_empty() || !read.merges.is_empty() {
            return Standing::Unclear;
        }
    }
    Standing::Unchanged
}

impl Store {
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
        if !intents.iter().any(|intent| intent.body.type_name() == PURGED) {
            self.finish_purge()?;
        }
        self.replica()?;
        let (read, seal) = sealed(&self.projection.index, read, intents, writer, &self.change)?;
        let appended = self.append_sealed(read, seal);
        self.change.finished(appended)
    }

    /// Appends one batch, together with what other handles of this process append at the same time: whoever has the turn writes for
    /// all who wait.
    pub(crate) fn append_sealed(
        &mut self,
        read: ReadSet,
        seal: Sealer,
    ) -> std::result::Result<Appended, AppendError> {
        let slot = self.shared().wait(read, seal, self.change.continued());
        // What a group leaves for later comes first in the next one.
        let (written, notices) = self.in_turn(|store| {
            loop {
                if let Some(outcome) = slot.outcome() {
                    return outcome;
                }
                store.append_waiting();
            }
        });
        notices.into_iter().for_each(|notice| self.notice(notice));
        let events = written?;
        self.change.wrote(events.first());
        self.said_about(events.iter().filter(|event| !event.is_deferred()).filter_map(|event| event.entry));
        Ok(Appended { events })
    }

    /// Writes what waits: one frame for each append, and one sync for all of them.
    fn append_waiting(&mut self) {
        let waiting = self.shared().take_waiting();
        let group = match self.write_group(waiting) {
            Ok(group) => group,
            Err(failed) => {
                let (group, why) = *failed;
                let Group { sealed, mut failed, later } = group;
                let unwritten = sealed.into_iter().map(|(waiting, _, _)| waiting);
                failed.extend(unwritten.map(|waiting| (waiting, AppendError::Failed(why.repeated()))));
                Group { failed, later, ..Group::default() }
            }
        };
        // From here on everything is acknowledged; what follows can be made up for by the next command.
        let events: Vec<Event> =
            group.sealed.iter().flat_map(|(_, events, _)| events.iter().cloned()).collect();
        let followed = if events.is_empty() { Ok(()) } else { self.follow(&events) };
        let behind =
            followed.err().map(|error| format!("written, but {error}; the next command completes it"));
        self.shared().put_back(group.later);
        for (waiting, error) in group.failed {
            waiting.finish((Err(error), Vec::new()));
        }
        for (waiting, events, mut notices) in group.sealed {
            notices.extend(behind.clone().filter(|_| !events.is_empty()));
            waiting.finish((Ok(events), notices));
        }
    }

    /// Seals what waits and writes it to the journal, all of it or nothing.
    fn write_group(&mut self, waiting: Vec<Waiting>) -> std::result::Result<Group, Box<(Group, Error)>> {
        let mut group = Group::default();
        let prepared = self.complete_the_store().and_then(|()| self.replica());
        let origin = self.origin();
        let journal = self.journals()[0].clone();
        // Before the lock, so that nobody waits for a long look; under it, only what was written since is looked at.
        let looked = prepared.and_then(|replica| {
            let end = match waiting.iter().all(|one| one.read.is_empty()) {
                true => None,
                false => Some(self.look_up_end()?),
            };
            Ok((replica, end))
        });
        let (replica, looked) = match looked {
            Ok(looked) => looked,
            Err(error) => {
                group.sealed = waiting.into_iter().map(|one| (one, Vec::new(), Vec::new())).collect();
                return Err(Box::new((group, error)));
            }
        };
        let mut sound = Vec::with_capacity(waiting.len());
        for one in waiting {
            match self.changed_since(&one.read, one.read.log_end, looked) {
                Ok(None) => sound.push(one),
                Ok(Some(conflict)) => group.failed.push((one, AppendError::Conflict(conflict))),
                Err(error) => group.failed.push((one, AppendError::Failed(error))),
            }
        }
        let mut unsealed = Some(sound);
        let written = journal.append(|tail| {
            let now = match looked {
                None => None,
                Some(_) => Some(self.look_up_end().map_err(Trouble::Other)?),
            };
            let heads = self.index().heads().map_err(index_error).map_err(Trouble::Other)?;
            let mut tail = Tail { replica, seq: tail.seq, clock: tail.clock, heads };
            let mut frames = Vec::new();
            let mut written: Vec<Event> = Vec::new();
            for mut one in unsealed.take().into_iter().flatten() {
                let changed = self.changed_since(&one.read, looked, now);
                match (changed, standing(&one.read, &written)) {
                    (Err(error), _) => {
                        group.failed.push((one, AppendError::Failed(error)));
                        continue;
                    }
                    (Ok(Some(conflict)), _) | (Ok(None), Standing::Changed(conflict)) => {
                        group.failed.push((one, AppendError::Conflict(conflict)));
                        continue;
                    }
                    (Ok(None), Standing::Unclear) => {
                        group.later.push(one);
                        continue;
                    }
                    (Ok(None), Standing::Unchanged) => {}
                }
                let batch = match (one.seal)(&tail).and_then(|batch| check(&batch, &tail).map(|()| batch)) {
                    Ok(batch) => batch,
                    Err(error) => {
                        group.failed.push((one, AppendError::Failed(error)));
                        continue;
                    }
                };
                let mut events = Vec::with_capacity(batch.records.len());
                let mut records = Vec::with_capacity(batch.records.len());
                for (file, event) in batch.records {
                    records.push(Record { file, text: event.line().to_owned() });
                    tail.seq = event.seq;
                    if !event.is_deferred() {
                        tail.heads = vec![event.hash];
                    }
                    events.push(event);
                }
                if events.iter().any(|event| event.type_name == PURGED) {
                    self.purging().map_err(Trouble::Other)?;
                }
                if !events.is_empty() {
                    tail.clock = batch.clock;
                }
                let origin = Origin { continues: one.continues, ..origin.clone() };
                frames.push((origin, Written { records, seq: tail.seq, clock: tail.clock }));
                written.extend(events.iter().cloned());
                group.sealed.push((one, events, batch.notices));
            }
            Ok::<_, Trouble>(frames)
        });
        // Nobody was asked where the lock could not be had.
        group.sealed.extend(unsealed.into_iter().flatten().map(|one| (one, Vec::new(), Vec::new())));
        match written {
            Ok(()) => Ok(group),
            Err(Trouble::Disk(error)) => {
                let error = Error::failed("appending to the journal; nothing was written")(error);
                Err(Box::new((group, error)))
            }
            Err(Trouble::Other(error)) => Err(Box::new((group, error))),
        }
    }

    /// What changed of what an append read before the log had another end, if anything did.
    fn changed_since(
        &self,
        read: &ReadSet,
        before: Option<LogEnd>,
        now: Option<LogEnd>,
    ) -> Result<Option<Conflict>> {
        if read.is_empty() || (before.is_some() && before == now) {
            return Ok(None);
        }
        read.conflict(&self.projection)
    }

    /// Takes in what others appended, and says how the log ends.
    fn look_up_end(&mut self) -> Result<LogEnd> {
        self.take_new_frames()?;
        let end = self.projection.log_end()?;
        Ok(end.unwrap_or(LogEnd { at: 0, generation: 0, entries: 0 }))
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
    pub fn since(&mut self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>> {
        self.in_turn(|store| store.catch_up(false))?;
        let from = position(at.at);
        // What another process appended after the index was told is for the next time: its own index knows it by then.
        let (end, _) = self.index().journal_end(0).map_err(index_error)?;
        let read = self.journals()[0].read_some(from, limit.0);
        let (frames, _) = read.map_err(Error::failed("reading the journal"))?;
        let mut told = Vec::new();
        let mut cursor = at;
        let mut bytes = 0;
        for frame in frames.into_iter().filter(|frame| frame.start < end) {
            bytes += frame.records.iter().map(|record| record.text.len() as u64).sum::<u64>();
            if bytes > limit.0 && !told.is_empty() {
                return Ok(told);
            }
            cursor.at = packed(frame.end);
            let lines = frame.records.iter().filter_map(|record| record.line().ok()).collect();
            told.push(LoggedBatch { lines, end: cursor });
        }
        if position(cursor.at) < end && !told.is_empty() {
            return Ok(told);
        }
        let mut noticed: Vec<(u64, Vec<Line>)> = Vec::new();
        let reader = self.reader();
        for (number, hash) in self.index().noticed_since(at.noticed).map_err(index_error)? {
            let Some(line) = self.index().line(&hash, &reader).map_err(index_error)? else { continue };
            bytes += line_bytes(&line);
            let is_first = told.is_empty() && noticed.is_empty();
            match noticed.last_mut() {
                Some((last, lines)) if *last == number => lines.push(line),
                _ if bytes > limit.0 && !is_first => break,
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
                .append::<io::Error>(|tail| {
                    Ok(vec![(origin, Written { records, seq: tail.seq, clock: tail.clock })])
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

pub(crate) fn packed(at: Position) -> u64 {
    at.segment << OFFSET_BITS | at.offset
}

fn position(at: u64) -> Position {
    Position { segment: (at >> OFFSET_BITS).max(1), offset: at & ((1 << OFFSET_BITS) - 1) }
}
