//! What was shown, recorded in groups: what many threads of a process notice becomes one frame and one sync.

use ken_engine::ProjectStore;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ken_core::{Code, Intent, Refusal};
use ken_engine::log::seal_all;
use ken_engine::way_in::seal_tight;
use ken_engine::{Ledger, ReadSet, Result, Writer};

use crate::store::Store;

/// So many observations wait at most before somebody writes them.
const WAITING_MAX: usize = 256;

/// So long they wait at most, while others are being recorded.
const WAITING_FOR_MAX: Duration = Duration::from_millis(100);

/// Records observations of many threads, through one handle of its own.
///
/// What was recorded is durable when [`Recorder::flush`] returns, and not before: a crash may take what still waits, so nobody may be told
/// that it is kept. A single command appends to its store instead, and waits for the sync. Whoever decides by what was shown
/// (how much an agent was given in a run) flushes first: what waits is in no index.
pub struct Recorder {
    store: Mutex<Store>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    groups: Vec<(Vec<Intent>, Writer)>,
    intents: usize,
    since: Option<Instant>,
}

impl Waiting {
    fn is_due(&self) -> bool {
        self.intents >= WAITING_MAX || self.since.is_some_and(|since| since.elapsed() >= WAITING_FOR_MAX)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is half when a thread panics: a queue, and a store whose changes are transactions.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Recorder {
    /// Records into a store. The handle is its own: readers have others.
    pub fn new(store: Store) -> Recorder {
        Recorder { store: Mutex::new(store), waiting: Mutex::default() }
    }

    /// Takes observations down. Most callers return at once; the one who finds the queue full, or old, writes all of it.
    ///
    /// Refused for anything but observations: what changes an entry is appended, and acknowledged by itself.
    pub fn record(&self, mut intents: Vec<Intent>, writer: Writer) -> Result<()> {
        if let Some(other) = intents.iter().find(|intent| !intent.body.is_deferred()) {
            let message =
                format!("{} is no observation; it is appended, not recorded", other.body.type_name());
            return Err(Refusal::new(Code::NotAllowed, message).into());
        }
        if intents.is_empty() {
            return Ok(());
        }
        seal_tight(&mut intents);
        let due = {
            let mut waiting = locked(&self.waiting);
            waiting.intents += intents.len();
            waiting.since.get_or_insert_with(Instant::now);
            waiting.groups.push((intents, writer));
            waiting.is_due()
        };
        if !due {
            return Ok(());
        }
        // Somebody else is writing: what waits now goes with the next group.
        match self.store.try_lock() {
            Ok(mut store) => self.write(&mut store),
            Err(std::sync::TryLockError::Poisoned(store)) => self.write(&mut store.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => Ok(()),
        }
    }

    /// How many observations wait.
    pub fn waiting(&self) -> usize {
        locked(&self.waiting).intents
    }

    /// Writes everything that was recorded before, durably.
    pub fn flush(&self) -> Result<()> {
        let mut store = locked(&self.store);
        self.write(&mut store)
    }

    fn write(&self, store: &mut Store) -> Result<()> {
        let groups = {
            let mut waiting = locked(&self.waiting);
            (waiting.intents, waiting.since) = (0, None);
            std::mem::take(&mut waiting.groups)
        };
        if groups.is_empty() {
            return Ok(());
        }
        let written = append(store, &groups);
        if written.is_err() {
            // They wait again, before what came meanwhile. A queue that cannot be written does not grow without end.
            let mut waiting = locked(&self.waiting);
            if waiting.intents < WAITING_MAX * 16 {
                waiting.intents += groups.iter().map(|(intents, _)| intents.len()).sum::<usize>();
                waiting.since.get_or_insert_with(Instant::now);
                waiting.groups.splice(0..0, groups);
            }
        }
        written
    }
}

fn append(store: &mut Store, groups: &[(Vec<Intent>, Writer)]) -> Result<()> {
    store.may_write()?;
    store.finish_purge()?;
    let replica = store.replica()?;
    let intents: Vec<Intent> = groups.iter().flat_map(|(intents, _)| intents.iter().cloned()).collect();
    let floors = store.floors(&intents)?;
    store.append_sealed(&ReadSet::default(), replica, &mut |tail| Ok(seal_all(groups, &floors, tail)))?;
    Ok(())
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // Nobody is left to be told.
        drop(self.flush());
    }
}
