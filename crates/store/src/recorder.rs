//! What was shown, recorded in groups: what many threads of a process notice at a time becomes one frame and one sync.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ken_core::{Code, Intent, Refusal};
use ken_engine::log::seal_all;
use ken_engine::{Error, Ledger, ProjectStore, ReadSet, Recorder, Redacted, Result, Writer};

use crate::store::Store;

/// Records observations of many threads, through one handle of its own.
///
/// Whoever comes while another thread writes waits, and finds that its own went with the next group, or writes that group itself.
pub struct GroupRecorder {
    waiting: Mutex<Waiting>,
    writing: Mutex<Writing>,
}

/// What nobody has written yet.
#[derive(Default)]
struct Waiting {
    groups: Vec<Redacted>,
    /// How many were ever taken down.
    taken: u64,
}

struct Writing {
    store: Store,
    /// How many are settled: those up to here were written, or are told why not.
    settled: u64,
    /// The latest group that could not be written: after which it began, where it ended, and why.
    failed: Option<(u64, u64, String)>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is half when a thread panics: a queue, and a store whose changes are transactions.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl GroupRecorder {
    /// Records into a store. The handle is its own: readers have others.
    pub fn new(store: Store) -> GroupRecorder {
        let writing = Writing { store, settled: 0, failed: None };
        GroupRecorder { waiting: Mutex::default(), writing: Mutex::new(writing) }
    }
}

impl Recorder for GroupRecorder {
    fn record(&self, intents: Vec<Intent>, writer: Writer) -> Result<()> {
        if let Some(other) = intents.iter().find(|intent| !intent.body.is_deferred()) {
            let message = format!("{} is not an observation and must be appended", other.body.type_name());
            return Err(Refusal::new(Code::NotAllowed, message).into());
        }
        if intents.is_empty() {
            return Ok(());
        }
        let redacted = Redacted::new(intents, &writer)?;
        let own = {
            let mut waiting = locked(&self.waiting);
            waiting.groups.push(redacted);
            waiting.taken += 1;
            waiting.taken
        };
        let mut writing = locked(&self.writing);
        if own > writing.settled {
            let (groups, taken) = {
                let mut waiting = locked(&self.waiting);
                (std::mem::take(&mut waiting.groups), waiting.taken)
            };
            let after = std::mem::replace(&mut writing.settled, taken);
            if let Err(error) = append(&mut writing.store, &groups) {
                writing.failed = Some((after, taken, error.to_string()));
                return Err(error);
            }
        }
        match &writing.failed {
            Some((after, last, why)) if (after + 1..=*last).contains(&own) => {
                Err(Error::failed("recording with others")(why.clone()))
            }
            _ => Ok(()),
        }
    }
}

fn append(store: &mut Store, groups: &[Redacted]) -> Result<()> {
    store.may_write()?;
    store.finish_purge()?;
    let replica = store.replica()?;
    let intents: Vec<Intent> = groups.iter().flat_map(|group| group.intents().iter().cloned()).collect();
    let floors = store.floors(&intents)?;
    let bases = store.bases(&intents)?;
    store.append_sealed(&ReadSet::default(), replica, &mut |tail| {
        Ok(seal_all(groups, &floors, &bases, tail))
    })?;
    Ok(())
}
