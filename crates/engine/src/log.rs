//! The port that a ledger implements, and what is decided above it for every ledger: running numbers, parents and clocks.
//!
//! Git, memory and, one day, a database are logs; the projection above them is the same. Words such as branch or file are not here:
//! what only one kind of log knows is an extension of that log.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use ken_core::entry::Bases;
use ken_core::event::{Line, Seal, read_line};
use ken_core::limits::{CLOCK_AHEAD_NOTICE_MILLIS, LINE_BYTES_MAX};
use ken_core::{
    Body, Clock, Code, DocumentName, EntryKey, Event, EventHash, GivenId, Intent, Refusal, ReplicaId,
    SettingEvent,
};

use crate::error::{Error, Failure, Result};
use crate::projection::Entries;
use crate::redacted::Redacted;

/// A ledger, as events.
///
/// Every method may be called from many threads and, where the log is shared, from many processes. What one call acknowledged is seen
/// by every call that begins later. Two logs that hold the same events have the same projection, whatever the order they came in.
pub trait EventLog: Send + Sync {
    /// Appends one batch, atomically and durably: when it returns, all of it survives a crash; when it fails, none of it is there.
    ///
    /// `seal` is called with the end of what was written before, by whichever thread holds the log: what several threads append at the
    /// same time may become one write and one sync. A batch that does not follow that end is refused ([`check`]). An empty batch writes
    /// nothing.
    ///
    /// Fails with a conflict if and only if something in `read` is no longer as it was read. An empty `read` never conflicts, so
    /// what was merely noticed is always recorded.
    fn append(&self, read: &ReadSet, seal: Sealer) -> std::result::Result<Appended, AppendError>;

    /// The batches behind a cursor: whole, in one order that never changes, each once. [`Cursor::default`] is the beginning.
    ///
    /// They are at most `limit` long together, except that one batch is given where there is any. Who wants all of them asks again
    /// from the end of the last one until none comes.
    fn since(&self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>>;

    /// A line by its hash: the event, or what an erasure left of it; nothing where the log never had it.
    fn event(&self, hash: &EventHash) -> Result<Option<Line>>;

    /// Takes lines in that somebody else wrote, and that came in a merge, from a peer or out of a folder; atomically and durably. Where a
    /// line lies is for the log to say ([`ken_core::place::file_of`]).
    ///
    /// Known lines change nothing. Lines that are not what their hash says are refused, and then nothing is taken in. A line that
    /// claims to be this clone's own is kept, and never trusted as such. This clone's clock does not move.
    fn receive(&self, lines: Vec<Line>, from: Arrival) -> Result<Received>;

    /// Takes the bytes of events out for good, and says in words from where. Their stubs stay, so that what builds on them misses nothing.
    /// Refused for an event that no purge which counts here names: the purge is appended first. Doing it twice is the same as doing it
    /// once.
    fn erase(&self, hashes: &[EventHash]) -> Result<Vec<String>>;
}

/// Gives a batch its running numbers, clocks and parents at the end of a log ([`seal`]). It is a pure function of that end: a log may
/// ask it again with another one.
pub type Sealer = Box<dyn FnMut(&Tail) -> Result<Batch> + Send>;

/// A size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// A place in a log, for that log alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// Behind which batch.
    pub at: u64,
    /// Behind which of the lines that were found in place and never appended; logs without such have none.
    pub noticed: u64,
}

/// One batch as it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedBatch {
    /// What it says, in the order it was said.
    pub lines: Vec<Line>,
    /// The place behind it.
    pub end: Cursor,
}

/// The end of what was written before, as a writer needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The clone that writes.
    pub replica: ReplicaId,
    /// The last running number it used.
    pub seq: u64,
    /// The latest clock it used.
    pub clock: Clock,
    /// Its newest events: the parents of its next one.
    pub heads: Vec<EventHash>,
}

/// What is appended at once.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The events, in their order.
    pub events: Vec<Event>,
    /// This clone's clock after them.
    pub clock: Clock,
    /// The clock of the tail, where that is wrong and is not followed (COR-4).
    pub left_behind: Option<Clock>,
    /// Sentences about clocks that somebody should read.
    pub notices: Vec<String>,
    /// The first running number of the command that it goes on with: one `undo` takes back all of it.
    pub continues: Option<u64>,
    /// The events as they were made of what holds no secret, by their hashes: no others are appended.
    made: HashSet<EventHash>,
}

/// What was appended.
#[derive(Clone, Debug, Default)]
pub struct Appended {
    /// The events, in their order.
    pub events: Vec<Event>,
    /// Sentences that whoever appended should read.
    pub notices: Vec<String>,
}

/// Why nothing was appended.
#[derive(Debug)]
pub enum AppendError {
    /// What the decision rests on changed meanwhile: read again and decide again.
    Conflict(Conflict),
    Failed(Error),
}

impl From<Error> for AppendError {
    fn from(error: Error) -> AppendError {
        AppendError::Failed(error)
    }
}

impl From<AppendError> for Error {
    fn from(error: AppendError) -> Error {
        match error {
            // The same request, made again, is decided on what is there now.
            AppendError::Conflict(conflict) => Error::Busy(Failure {
                doing: "appending; nothing was written".to_owned(),
                source: Box::new(conflict),
            }),
            AppendError::Failed(error) => error,
        }
    }
}

/// What changed since it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// An entry got another event that was not merely noticed.
    Entry(EntryKey),
    /// Another entry has the id, or none any more.
    Id(GivenId),
    /// The handle was taken, or given back.
    Handle(String),
    /// Another entry goes by the merge key, or none any more.
    Merge(String),
}

impl fmt::Display for Conflict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Conflict::Entry(key) => write!(out, "entry {key} was changed by another writer"),
            Conflict::Id(id) => write!(out, "the id {id} was taken by another writer"),
            Conflict::Handle(handle) => write!(out, "the handle {handle} was taken by another writer"),
            Conflict::Merge(name) => write!(out, "the name {name} was taken by another writer"),
        }
    }
}

impl std::error::Error for Conflict {}

/// The state of an entry, by its events; those that were merely noticed leave it as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version([u8; 20]);

impl Version {
    /// The version with one more event, or one less: no order matters.
    pub fn with(self, event: &EventHash) -> Version {
        let mut sum = self.0;
        sum.iter_mut().zip(event.0).for_each(|(sum, byte)| *sum ^= byte);
        Version(sum)
    }
}

/// Where this clone's log ended at some moment, and how the entries stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEnd {
    pub at: u64,
    /// It changes when bytes of the log change that were read already: after a purge or a clean-up.
    pub generation: u64,
    /// A digest of all entries: git brings some without the log.
    pub entries: u64,
}

/// What a decision read. Whoever appends on its strength hands it over.
#[derive(Clone, Debug, Default)]
pub struct ReadSet {
    /// How the log ended before anything was read: as long as it ends so, nothing need be read again.
    pub log_end: Option<LogEnd>,
    /// Entries, with their versions.
    pub entries: BTreeMap<EntryKey, Version>,
    /// Ids, with the entries that have them.
    pub ids: BTreeMap<GivenId, Option<EntryKey>>,
    /// Handles, and whether they were taken.
    pub handles: BTreeMap<String, bool>,
    /// Merge keys, with the entries that go by them.
    pub merges: BTreeMap<String, Option<EntryKey>>,
}

impl ReadSet {
    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.ids.is_empty() && self.handles.is_empty() && self.merges.is_empty()
    }

    /// Reads an entry.
    pub fn read_entry(&mut self, key: EntryKey, from: &dyn Entries) -> Result<Version> {
        let version = from.version(key)?;
        self.entries.insert(key, version);
        Ok(version)
    }

    /// Reads who has an id.
    pub fn read_id(&mut self, id: &GivenId, from: &dyn Entries) -> Result<Option<EntryKey>> {
        let holder = from.holder(id)?;
        self.ids.insert(id.clone(), holder);
        Ok(holder)
    }

    /// Reads whether a handle is taken.
    pub fn read_handle(&mut self, handle: &str, from: &dyn Entries) -> Result<bool> {
        let taken = from.handle_taken(handle)?;
        self.handles.insert(handle.to_owned(), taken);
        Ok(taken)
    }

    /// Reads who goes by a merge key.
    pub fn read_merge(&mut self, name: &str, from: &dyn Entries) -> Result<Option<EntryKey>> {
        let holder = from.merged(name)?;
        self.merges.insert(name.to_owned(), holder);
        Ok(holder)
    }

    /// The first thing that is no longer as it was read.
    pub fn conflict(&self, now: &impl ReadState) -> Result<Option<Conflict>> {
        for (key, version) in &self.entries {
            if now.version(*key)? != *version {
                return Ok(Some(Conflict::Entry(*key)));
            }
        }
        for (id, holder) in &self.ids {
            if now.holder(id)? != *holder {
                return Ok(Some(Conflict::Id(id.clone())));
            }
        }
        for (handle, taken) in &self.handles {
            if now.handle_taken(handle)? != *taken {
                return Ok(Some(Conflict::Handle(handle.clone())));
            }
        }
        for (name, holder) in &self.merges {
            if now.merged(name)? != *holder {
                return Ok(Some(Conflict::Merge(name.clone())));
            }
        }
        Ok(None)
    }
}

/// What a decision may rest on, as an append looks at it again.
pub trait ReadState {
    fn version(&self, key: EntryKey) -> Result<Version>;
    fn holder(&self, id: &GivenId) -> Result<Option<EntryKey>>;
    fn handle_taken(&self, handle: &str) -> Result<bool>;
    fn merged(&self, name: &str) -> Result<Option<EntryKey>>;
}

/// How lines came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Out of a branch, a commit or a stash: they belong into the tree, whose history keeps them.
    Merge,
    /// From another clone.
    Peer,
    /// Out of a folder that was handed over.
    Folder,
}

/// What became of lines that arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// How many were new.
    pub new: usize,
    /// How many were there already, or were erased here.
    pub known: usize,
}

/// What an event is about, as far as its order is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    Entry(EntryKey),
    /// A file of another system.
    Document(DocumentName),
    /// A setting that everybody shares.
    Setting(String),
    Run(String),
    Promotion(String),
}

impl Topic {
    /// What an intent is about.
    pub fn all_of(intent: &Intent) -> Vec<Topic> {
        Topic::of_event(intent.entry, &intent.body)
    }

    /// What an event is about. One of a newer version is about its entry alone.
    fn all_of_event(event: &Event) -> Vec<Topic> {
        match &event.body {
            Some(body) => Topic::of_event(event.entry, body),
            None => event.entry.map(Topic::Entry).into_iter().collect(),
        }
    }

    fn of_event(entry: Option<EntryKey>, body: &Body) -> Vec<Topic> {
        let other = match body {
            Body::Document(said) => Some(Topic::Document(said.document().clone())),
            Body::Setting(SettingEvent::Changed { name, .. }) => Some(Topic::Setting(name.clone())),
            Body::Run(said) => said.run().map(|run| Topic::Run(run.to_owned())),
            Body::Promotion(_) => body.promotion().map(|name| Topic::Promotion(name.to_owned())),
            Body::Entry(_) | Body::Link(_) | Body::Belief(_) | Body::Gate(_) | Body::Forage(_) => None,
        };
        // That an entry was shown comes after nothing that was said of it.
        let entry = entry.filter(|_| !matches!(body, Body::Run(_))).map(Topic::Entry);
        entry.into_iter().chain(other).collect()
    }
}

/// What events must come after: a change after what it changes, whatever the clocks of two machines say.
#[derive(Clone, Debug, Default)]
pub struct Floors(pub HashMap<Topic, Clock>);

impl Floors {
    /// The latest clock of anything that is spoken of.
    fn clock(&self, topics: &[Topic]) -> Clock {
        topics.iter().filter_map(|topic| self.0.get(topic)).copied().max().unwrap_or(Clock::ZERO)
    }

    /// From now on these come after a clock.
    fn raise(&mut self, topics: Vec<Topic>, clock: Clock) {
        for topic in topics {
            let floor = self.0.entry(topic).or_insert(clock);
            *floor = clock.max(*floor);
        }
    }
}

/// Makes events of what is to be said: each with its running number, its parents and a clock. The same for every log.
pub fn seal(redacted: &Redacted, floors: &Floors, bases: &Bases, tail: &Tail) -> Batch {
    let (intents, writer) = (redacted.intents(), redacted.writer());
    // One write with a wrong clock must not date everything that follows (COR-4).
    let left_behind = Some(tail.clock).filter(|clock| clock.is_wrong_at(writer.now));
    let mut batch = Batch {
        events: Vec::with_capacity(intents.len()),
        clock: if left_behind.is_some() { Clock::ZERO } else { tail.clock },
        left_behind,
        notices: Vec::new(),
        continues: None,
        made: HashSet::with_capacity(intents.len()),
    };
    let (mut floors, mut bases) = (floors.clone(), bases.clone());
    let highest = floors.0.values().copied().max().unwrap_or(Clock::ZERO);
    let ahead = highest.millis().0 - writer.now.0;
    if ahead > CLOCK_AHEAD_NOTICE_MILLIS {
        batch.notices.push(format!(
            "an event about the same thing is dated {}, {} ahead of this machine's clock; one of the two clocks is wrong",
            highest.millis(),
            span(ahead)
        ));
    }
    if tail.clock.millis().0 - writer.now.0 > CLOCK_AHEAD_NOTICE_MILLIS {
        let followed = if left_behind.is_some() { "; new events are dated by the current clock" } else { "" };
        batch.notices.push(format!(
            "this machine's clock was set back: its last write is dated {}{followed}",
            tail.clock.millis()
        ));
    }
    let mut parents = tail.heads.clone();
    for (seq, intent) in (tail.seq + 1..).zip(intents) {
        batch.clock = batch.clock.next(writer.now);
        let topics = Topic::all_of(intent);
        let floor = floors.clock(&topics);
        let clock = if batch.clock > floor { batch.clock } else { floor.next(writer.now) };
        floors.raise(topics, clock);
        // Another machine's wrong clock orders what it speaks of and nothing else.
        if clock.millis().0 - writer.now.0 <= CLOCK_AHEAD_NOTICE_MILLIS {
            batch.clock = batch.clock.max(clock);
        }
        let deferred = intent.body.is_deferred();
        let own_parents = if deferred { Vec::new() } else { std::mem::take(&mut parents) };
        let seal = Seal {
            replica: tail.replica,
            seq,
            parents: own_parents,
            clock,
            actor: writer.actor.clone(),
            basis: bases.of(intent),
        };
        let event = Event::seal(intent, seal);
        bases.follow(intent, event.hash);
        if !deferred {
            parents = vec![event.hash];
        }
        batch.made.insert(event.hash);
        batch.events.push(event);
    }
    batch
}

/// Makes one batch of what several people are to be quoted with, in order.
pub fn seal_all(groups: &[Redacted], floors: &Floors, bases: &Bases, tail: &Tail) -> Batch {
    let mut tail = tail.clone();
    let (mut floors, mut bases) = (floors.clone(), bases.clone());
    let mut all = Batch {
        events: Vec::new(),
        clock: tail.clock,
        left_behind: None,
        notices: Vec::new(),
        continues: None,
        made: HashSet::new(),
    };
    for group in groups {
        let batch = seal(group, &floors, &bases, &tail);
        for (intent, event) in group.intents().iter().zip(&batch.events) {
            bases.follow(intent, event.hash);
        }
        all.left_behind = all.left_behind.or(batch.left_behind);
        for event in &batch.events {
            tail.seq = event.seq;
            floors.raise(Topic::all_of_event(event), event.clock);
            if !event.is_deferred() {
                tail.heads = vec![event.hash];
            }
        }
        tail.clock = batch.clock;
        all.clock = batch.clock;
        all.events.extend(batch.events);
        all.made.extend(batch.made);
        for notice in batch.notices {
            if !all.notices.contains(&notice) {
                all.notices.push(notice);
            }
        }
    }
    all
}

/// Whether a batch follows the end of a log. Every log asks this before it writes anything.
pub fn check(batch: &Batch, tail: &Tail) -> Result<()> {
    let refused =
        |why: String| Err(Refusal::new(Code::NotAllowed, format!("{why}; nothing was written")).into());
    if batch.clock < tail.clock && batch.left_behind != Some(tail.clock) {
        return refused("a batch must not move this clone's clock back".to_owned());
    }
    for (seq, event) in (tail.seq + 1..).zip(&batch.events) {
        if event.replica != tail.replica {
            return refused(format!("event {} belongs to another clone and cannot be appended", event.hash));
        }
        if event.seq != seq {
            return refused(format!("event {} has number {}, expected {seq}", event.hash, event.seq));
        }
        check_length(event.hash, event.line().len())?;
        if !batch.made.contains(&event.hash) {
            return refused(format!("event {} was not scanned for secrets", event.hash));
        }
    }
    Ok(())
}

/// Whether lines that arrived are what they say.
pub fn check_arrived(lines: &[Line]) -> Result<()> {
    lines.iter().try_for_each(check_line)
}

fn check_length(hash: EventHash, bytes: usize) -> Result<()> {
    if bytes <= LINE_BYTES_MAX {
        return Ok(());
    }
    let message = format!("event {hash} has {bytes} bytes, more than {LINE_BYTES_MAX}; nothing was written");
    Err(Refusal::new(Code::NotAllowed, message).into())
}

/// Whether a line is what its hash says.
pub fn check_line(line: &Line) -> Result<()> {
    let (hash, text) = match line {
        Line::Event(event) => (event.hash, event.line().to_owned()),
        Line::Stub(stub) => (stub.hash, stub.line()),
    };
    check_length(hash, text.len())?;
    match read_line(&text) {
        Ok(read) if hash_of(&read) == hash => Ok(()),
        Ok(_) | Err(_) => Err(Refusal::new(
            Code::NotAllowed,
            format!("event {hash} does not match its hash; nothing was written"),
        )
        .into()),
    }
}

/// How long a line is, in bytes.
pub fn line_bytes(line: &Line) -> u64 {
    match line {
        Line::Event(event) => event.line().len() as u64,
        Line::Stub(stub) => stub.line().len() as u64,
    }
}

/// The hash of a line.
pub fn hash_of(line: &Line) -> EventHash {
    match line {
        Line::Event(event) => event.hash,
        Line::Stub(stub) => stub.hash,
    }
}

/// The last lines of a batch, with as many events as are left to find. They come from the end.
pub fn last_lines(backwards: impl Iterator<Item = Line>, left: &mut usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for line in backwards {
        if *left == 0 {
            break;
        }
        *left -= usize::from(matches!(line, Line::Event(_)));
        lines.push(line);
    }
    lines.reverse();
    lines
}

/// A span of time in the largest unit that says enough.
fn span(millis: i64) -> String {
    match millis / 60_000 {
        minutes if minutes < 120 => format!("{minutes} minutes"),
        minutes if minutes < 48 * 60 => format!("{} hours", minutes / 60),
        minutes => format!("{} days", minutes / (24 * 60)),
    }
}
