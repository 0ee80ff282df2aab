//! What the handles of one store share in a process: whose turn it is to write, what waits to be appended, and what was looked at of late.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use ken_core::Event;
use ken_engine::{AppendError, Error, ReadSet, Sealer};
use ken_index::Caches;

use crate::limits::{FOLDERS_LOOKED_NANOS, GROUP_MAX};
use crate::store::locked;

/// What the handles of one store share in a process.
#[derive(Default)]
pub struct Shared {
    /// Held by the handle that writes journal, ledger files or index: SQLite has those who wait sleep, and forgets who came first.
    writing: Mutex<()>,
    /// Appends that wait for the handle that writes, the oldest first.
    waiting: Mutex<Vec<Waiting>>,
    /// When somebody last looked at the folders of the ledger and found nothing new.
    looked: Mutex<Option<Instant>>,
    pub(crate) made: Caches,
}

/// An append that waits for the handle that writes.
pub(crate) struct Waiting {
    /// What it rests on.
    pub(crate) read: ReadSet,
    pub(crate) seal: Sealer,
    /// The first running number of the command that it goes on with.
    pub(crate) continues: Option<u64>,
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

impl Shared {
    /// The turn to write, as soon as nobody else has it.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        locked(&self.writing)
    }

    /// The same, unless somebody else is writing.
    pub(crate) fn turn_if_free(&self) -> Option<MutexGuard<'_, ()>> {
        match self.writing.try_lock() {
            Ok(turn) => Some(turn),
            Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => None,
        }
    }

    /// Has an append wait for the next turn.
    pub(crate) fn wait(&self, read: ReadSet, seal: Sealer, continues: Option<u64>) -> Arc<Slot> {
        let slot = Arc::new(Slot::default());
        locked(&self.waiting).push(Waiting { read, seal, continues, slot: slot.clone() });
        slot
    }

    /// What waits, as much as is written at once; the rest waits for the next turn. Called by who has the turn.
    pub(crate) fn take_waiting(&self) -> Vec<Waiting> {
        let mut waiting = locked(&self.waiting);
        let count = waiting.len().min(GROUP_MAX);
        let group: Vec<Waiting> = waiting.drain(..count).collect();
        for one in &group {
            *locked(&one.slot.0) = Stage::Taken;
        }
        group
    }

    /// Has appends wait again, before all others.
    pub(crate) fn put_back(&self, later: Vec<Waiting>) {
        for one in &later {
            *locked(&one.slot.0) = Stage::Waits;
        }
        locked(&self.waiting).splice(0..0, later);
    }

    /// Whether the folders of the ledger were looked at a moment ago, and nothing new was found.
    pub(crate) fn looked_of_late(&self) -> bool {
        locked(&self.looked).is_some_and(|at| at.elapsed().as_nanos() < FOLDERS_LOOKED_NANOS)
    }

    /// The folders of the ledger were looked at, and nothing new was found.
    pub(crate) fn looked(&self, at: Instant) {
        *locked(&self.looked) = Some(at);
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
