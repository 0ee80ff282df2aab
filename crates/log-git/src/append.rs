//! Appends that wait are written together: a frame of the journal for each, and one sync for all of them.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use ken_core::event::{EntryEvent, Event};
use ken_core::place::{StatedAs, file_of};
use ken_core::{Body, EntryKey};
use ken_engine::log::check;
use ken_engine::{AppendError, Conflict, Error, LogEnd, ReadSet, Result, Sealer, Tail};
use ken_index::index_error;

use crate::catalogue::IndexUpdate;
use crate::journal::{Origin, Record, Written};
use crate::limits::GROUP_MAX;
use crate::log::locked;
use crate::work::{Look, Work};
use crate::{follow, purge, timeline, write_out};

/// Appends that wait for whoever has the turn to write, the oldest first.
#[derive(Default)]
pub(crate) struct Queue(Mutex<Vec<Waiting>>);

/// An append that waits.
pub(crate) struct Waiting {
    /// What it rests on.
    read: ReadSet,
    seal: Sealer,
    /// Where the outcome goes.
    slot: Arc<Slot>,
}

/// What became of an append, with sentences that somebody should read.
pub(crate) type Outcome = (std::result::Result<Vec<Event>, AppendError>, Vec<String>);

/// Where an append hears what became of it.
#[derive(Default)]
pub(crate) struct Slot(Mutex<Stage>);

#[derive(Default)]
enum Stage {
    #[default]
    Waits,
    /// A handle is writing it.
    Taken,
    Done(Box<Outcome>),
}

impl Waiting {
    /// Says what became of it.
    pub(crate) fn finish(self, outcome: Outcome) {
        *locked(&self.slot.0) = Stage::Done(Box::new(outcome));
    }
}

impl Queue {
    /// Has an append wait for the next turn.
    pub(crate) fn wait(&self, read: ReadSet, seal: Sealer) -> Arc<Slot> {
        let slot = Arc::new(Slot::default());
        locked(&self.0).push(Waiting { read, seal, slot: slot.clone() });
        slot
    }

    /// What waits, as much as is written at once; the rest waits for the next turn. Called by who has the turn.
    fn take(&self) -> Vec<Waiting> {
        let mut waiting = locked(&self.0);
        let count = waiting.len().min(GROUP_MAX);
        let group: Vec<Waiting> = waiting.drain(..count).collect();
        for one in &group {
            *locked(&one.slot.0) = Stage::Taken;
        }
        group
    }

    /// Nobody can write what waits.
    pub(crate) fn fail(&self, why: &Error) {
        let waiting = std::mem::take(&mut *locked(&self.0));
        waiting
            .into_iter()
            .for_each(|one| one.finish((Err(AppendError::Failed(why.repeated())), Vec::new())));
    }

    /// Has appends wait again, before all others.
    fn put_back(&self, later: Vec<Waiting>) {
        for one in &later {
            *locked(&one.slot.0) = Stage::Waits;
        }
        locked(&self.0).splice(0..0, later);
    }
}

impl Slot {
    /// What became of the append. None while it waits for a handle that writes it.
    ///
    /// Whoever has the turn finds it written or waiting; else the handle that took it stopped in the middle.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        match std::mem::take(&mut *locked(&self.0)) {
            Stage::Waits => None,
            Stage::Done(outcome) => Some(*outcome),
            Stage::Taken => {
                let stopped = Error::failed("appending with others")(
                    "the thread that was writing stopped; look whether it was written before you try again",
                );
                Some((Err(stopped.into()), Vec::new()))
            }
        }
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

/// Writes what waits: one frame for each append, and one sync for all of them.
pub(crate) fn append_waiting(work: &mut Work<'_>) {
    let waiting = work.log.queue.take();
    let group = match write_group(work, waiting) {
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
    let events: Vec<Event> = group.sealed.iter().flat_map(|(_, events, _)| events.iter().cloned()).collect();
    let followed = if events.is_empty() { Ok(()) } else { follow::follow(work, &events) };
    let behind = followed.err().map(|error| format!("written, but {error}; the next command completes it"));
    work.log.queue.put_back(group.later);
    for (waiting, error) in group.failed {
        waiting.finish((Err(error), Vec::new()));
    }
    for (waiting, events, mut notices) in group.sealed {
        notices.extend(behind.clone().filter(|_| !events.is_empty()));
        waiting.finish((Ok(events), notices));
    }
}

/// Seals what waits and writes it to the journal, all of it or nothing.
fn write_group(
    work: &mut Work<'_>,
    waiting: Vec<Waiting>,
) -> std::result::Result<Group, Box<(Group, Error)>> {
    let mut group = Group::default();
    let prepared =
        write_out::complete_the_store(&work.log.home).and_then(|()| work.log.name_replica(work.index));
    let origin = work.log.home.origin();
    let journal = work.log.home.journals[0].clone();
    // Before the lock, so that nobody waits for a long look; under it, only what was written since is looked at.
    let looked = prepared.and_then(|replica| {
        let end = match waiting.iter().all(|one| one.read.is_empty()) {
            true => None,
            false => Some(look_up_end(work)?),
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
        match changed_since(work.look(), &one.read, one.read.log_end, looked) {
            Ok(None) => sound.push(one),
            Ok(Some(conflict)) => group.failed.push((one, AppendError::Conflict(conflict))),
            Err(error) => group.failed.push((one, AppendError::Failed(error))),
        }
    }
    let mut unsealed = Some(sound);
    let written = journal.append(|tail| {
        let now = match looked {
            None => None,
            Some(_) => Some(look_up_end(work).map_err(Trouble::Other)?),
        };
        let heads = work.index.places().heads().map_err(index_error).map_err(Trouble::Other)?;
        let mut tail = Tail { replica, seq: tail.seq, clock: tail.clock, heads };
        let mut frames = Vec::new();
        let mut written: Vec<Event> = Vec::new();
        for mut one in unsealed.take().into_iter().flatten() {
            let changed = changed_since(work.look(), &one.read, looked, now);
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
            let events = batch.events;
            let files = files_of(work.look(), events.iter()).map_err(Trouble::Other)?;
            let records = files.into_iter().zip(&events);
            let records =
                records.map(|(file, event)| Record { file, text: event.line().to_owned() }).collect();
            for event in &events {
                tail.seq = event.seq;
                if !event.is_deferred() {
                    tail.heads = vec![event.hash];
                }
            }
            if events.iter().any(|event| event.type_name == PURGED) {
                purge::purging(&work.log.home).map_err(Trouble::Other)?;
            }
            if !events.is_empty() {
                tail.clock = batch.clock;
            }
            let origin = Origin { continues: batch.continues, ..origin.clone() };
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
    look: Look<'_>,
    read: &ReadSet,
    before: Option<LogEnd>,
    now: Option<LogEnd>,
) -> Result<Option<Conflict>> {
    if read.is_empty() || (before.is_some() && before == now) {
        return Ok(None);
    }
    read.conflict(&**look.index)
}

/// Takes in what others appended, and says how the log ends.
fn look_up_end(work: &mut Work<'_>) -> Result<LogEnd> {
    take_new_frames(work)?;
    timeline::log_end(work.look())
}

/// Tells the index of frames that others wrote.
fn take_new_frames(work: &mut Work<'_>) -> Result<()> {
    let (from, _) = work.index.journal_end(0).map_err(index_error)?;
    let (frames, _) = work.log.home.journals[0].read(from).map_err(Error::failed("reading the journal"))?;
    let Some(end) = frames.last().map(|frame| frame.end) else { return Ok(()) };
    let generation = work.log.home.journals[0].generation();
    let frames = frames.into_iter().map(|frame| (0, frame)).collect();
    follow::take(
        work,
        IndexUpdate { frames, journal_ends: vec![(0, end, generation)], ..IndexUpdate::default() },
    )
}

/// The ledger file that each of some events belongs to (STO-3): what is said of an entry lies in the file of that entry.
pub(crate) fn files_of<'e>(
    look: Look<'_>,
    events: impl Iterator<Item = &'e Event> + Clone,
) -> Result<Vec<String>> {
    let mut stated: HashMap<EntryKey, Option<StatedAs>> = HashMap::new();
    for event in events.clone() {
        if let (Some(key), Some(named)) = (event.entry, StatedAs::of(event)) {
            stated.insert(key, Some(named));
        }
    }
    let mut files = Vec::new();
    for event in events {
        if let Some(key) = event.entry.filter(|key| !stated.contains_key(key)) {
            let entry = look.index.stored(key).map_err(index_error)?.map(|stored| stored.entry);
            stated.insert(key, entry.map(|entry| StatedAs { id: entry.id(), kind: entry.kind }));
        }
        let about = event.entry.and_then(|key| stated.get(&key)?.as_ref());
        files.push(file_of(event, about));
    }
    Ok(files)
}
