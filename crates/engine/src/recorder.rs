//! What was shown, recorded in groups: what many threads of a process notice at a time becomes one frame and one sync.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use ken_core::{Body, Code, Intent, Refusal, RunEvent};

use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::limits::recorder::{NOTED_MAX, WAITING_MAX};
use crate::ports::Writer;
use crate::redacted::Redacted;

/// Why nothing is recorded any longer.
const ENDED: &str = "the thread that records ended";

/// Records observations of many threads, through one ledger of its own and a thread that writes.
pub struct GroupRecorder {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    /// Something waits, or nothing more will come.
    wake: Condvar,
    /// A group is settled.
    done: Condvar,
}

/// What nobody has written yet, and what became of the rest.
#[derive(Default)]
struct State {
    groups: Vec<Redacted>,
    /// How many were ever taken down.
    taken: u64,
    /// How many are settled: those up to here were written, or are told why not.
    settled: u64,
    /// Numbers whose outcome somebody waits for,
    awaited: BTreeSet<u64>,
    /// and those of them that could not be written, with the reason, until they are told.
    failed: BTreeMap<u64, String>,
    /// What was settled when the thread that writes ended; nothing is written after that.
    ended_after: Option<u64>,
    /// What could not be written and nobody was told of yet.
    untold: Option<String>,
    noted: Noted,
    is_closed: bool,
}

impl Shared {
    fn locked(&self) -> MutexGuard<'_, State> {
        // Nothing is half when a thread panics: a queue, and a store whose changes are transactions.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everything up to a number is settled.
    fn settled<'a>(&'a self, state: MutexGuard<'a, State>, number: u64) -> MutexGuard<'a, State> {
        let waits = |state: &mut State| state.settled < number;
        self.done.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what comes, group after group, until nothing more will.
    fn write_on(&self, mut ledger: Ledger) {
        let _ends = Ends(self);
        loop {
            let (groups, taken) = {
                let idle = |state: &mut State| state.groups.is_empty() && !state.is_closed;
                let state = self.wake.wait_while(self.locked(), idle);
                let mut state = state.unwrap_or_else(PoisonError::into_inner);
                if state.groups.is_empty() {
                    return;
                }
                (std::mem::take(&mut state.groups), state.taken)
            };
            let written = ledger.append_all(groups);
            let mut state = self.locked();
            if let Err(error) = written {
                state.fail(taken, &error.to_string());
                state.untold = Some(error.to_string());
            }
            state.settled = taken;
            self.done.notify_all();
        }
    }
}

/// When the thread that writes ends, nobody waits for it any longer; what it did not write is told.
struct Ends<'a>(&'a Shared);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        let mut state = self.0.locked();
        state.ended_after = Some(state.settled);
        state.settled = u64::MAX;
        self.0.done.notify_all();
    }
}

/// Refused for anything but observations: what changes an entry is appended by itself.
fn only_observations(intents: &[Intent]) -> Result<()> {
    match intents.iter().find(|intent| !intent.body.is_deferred()) {
        Some(other) => {
            let message = format!("{} is not an observation and must be appended", other.body.type_name());
            Err(Refusal::new(Code::NotAllowed, message).into())
        }
        None => Ok(()),
    }
}

impl GroupRecorder {
    /// Records into a ledger of its own: readers have others.
    pub fn new(ledger: Ledger) -> GroupRecorder {
        let shared = Arc::new(Shared { state: Mutex::default(), wake: Condvar::new(), done: Condvar::new() });
        let own = shared.clone();
        let thread = std::thread::spawn(move || own.write_on(ledger));
        GroupRecorder { shared, thread: Some(thread) }
    }

    /// Takes down observations, and says which number they have. Somebody may wait for what becomes of it.
    fn take(&self, intents: Vec<Intent>, writer: &Writer, is_awaited: bool) -> Result<u64> {
        only_observations(&intents)?;
        if intents.is_empty() {
            return Ok(0);
        }
        let redacted = Redacted::new(intents, writer)?;
        let mut state = self.shared.locked();
        state.groups.push(redacted);
        state.taken += 1;
        let number = state.taken;
        if is_awaited {
            state.awaited.insert(number);
        }
        self.shared.wake.notify_one();
        Ok(number)
    }
}

/// Records what many callers of a process are shown at the same time.
impl GroupRecorder {
    /// Records observations. They are durable when it returns, and every ledger sees them at its next call.
    ///
    /// Refused for anything but observations: what changes an entry is appended by itself.
    pub fn record(&self, intents: Vec<Intent>, writer: Writer) -> Result<()> {
        let own = self.take(intents, &writer, true)?;
        let mut state = self.shared.settled(self.shared.locked(), own);
        state.awaited.remove(&own);
        let ended = state.ended_after.filter(|after| own > *after);
        let why = state.failed.remove(&own).or_else(|| ended.map(|_| ENDED.to_owned()));
        match why {
            Some(why) => {
                state.untold = None;
                Err(Error::failed("recording with others")(why))
            }
            None => Ok(()),
        }
    }

    /// Takes observations down in passing: whoever reads waits for no writer. They are written at once by a thread of the recorder, or
    /// the next call hears why not; who depends on them calls [`GroupRecorder::settle`] first.
    pub fn note(&self, intents: Vec<Intent>, writer: Writer) -> Result<()> {
        let intents: Vec<Intent> = {
            let mut state = self.shared.locked();
            if let Some(why) = state.untold.take() {
                return Err(Error::failed("recording what was shown before")(why));
            }
            // Whoever is read faster than the disk can take it down waits for the disk.
            if state.groups.len() > WAITING_MAX {
                let number = state.taken;
                state = self.shared.settled(state, number);
            }
            state.noted.not_yet(intents, &writer)
        };
        self.take(intents, &writer, false).map(drop)
    }

    /// Waits until everything that was noted is recorded.
    pub fn settle(&self) {
        let state = self.shared.locked();
        let number = state.taken;
        drop(self.shared.settled(state, number));
    }
}

impl State {
    /// Nothing up to a number could be written that was not settled before.
    fn fail(&mut self, last: u64, why: &str) {
        let told: Vec<u64> = self.awaited.range(self.settled + 1..=last).copied().collect();
        self.failed.extend(told.into_iter().map(|number| (number, why.to_owned())));
    }
}

/// What was noted in passing of late: the same is not noted twice.
#[derive(Default)]
struct Noted(HashSet<u64>);

impl Noted {
    /// What of some observations was not noted yet.
    fn not_yet(&mut self, intents: Vec<Intent>, writer: &Writer) -> Vec<Intent> {
        if self.0.len() > NOTED_MAX {
            self.0.clear();
        }
        intents.into_iter().filter_map(|intent| self.not_noted(intent, writer)).collect()
    }

    /// What of an observation was not noted yet: an entry is put before somebody once in a run, or on a day.
    fn not_noted(&mut self, mut intent: Intent, writer: &Writer) -> Option<Intent> {
        let Body::Run(RunEvent::Exposed { run, agent, entries, .. }) = &mut intent.body else {
            return Some(intent);
        };
        let whose = (run.clone(), agent.clone(), writer.actor.clone(), writer.now.date());
        let mut is_new = |entry: &ken_core::EntryKey| {
            let mut hasher = DefaultHasher::new();
            (&whose, entry.0).hash(&mut hasher);
            self.0.insert(hasher.finish())
        };
        match intent.entry {
            Some(entry) => is_new(&entry).then_some(intent),
            None => {
                entries.retain(is_new);
                (!entries.is_empty()).then_some(intent)
            }
        }
    }
}

impl Drop for GroupRecorder {
    fn drop(&mut self) {
        self.shared.locked().is_closed = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
