//! Small state in memory, for a workspace that keeps nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use ken_core::Millis;

use super::{CloneState, Named, Record, RecordForm, RecordKind};
use crate::error::Result;

/// Records that live as long as the process.
#[derive(Default)]
pub struct MemoryState {
    records: Mutex<BTreeMap<String, (Vec<u8>, Millis)>>,
    locked: Arc<(Mutex<Vec<String>>, Condvar)>,
}

impl MemoryState {
    fn records(&self) -> MutexGuard<'_, BTreeMap<String, (Vec<u8>, Millis)>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CloneState for MemoryState {
    fn read(&self, record: &Record) -> Result<Option<Vec<u8>>> {
        Ok(self.records().get(&record.path()).map(|(bytes, _)| bytes.clone()))
    }

    fn write(&self, record: &Record, bytes: &[u8]) -> Result<()> {
        if record.kind().rules().form != RecordForm::RollingList {
            record.check_size(bytes.len())?;
        }
        self.records().insert(record.path(), (bytes.to_vec(), now()));
        Ok(())
    }

    fn append(&self, record: &Record, line: &[u8]) -> Result<()> {
        let mut records = self.records();
        let (bytes, written) = records.entry(record.path()).or_insert_with(|| (Vec::new(), Millis(0)));
        let rules = record.kind().rules();
        let most = usize::try_from(rules.bytes_max).unwrap_or(usize::MAX);
        match rules.form {
            RecordForm::RollingList => {
                let surplus = bytes.len().saturating_sub(most.saturating_mul(2));
                if surplus > 0 {
                    let end = bytes[surplus..]
                        .iter()
                        .position(|byte| *byte == b'\n')
                        .map_or(bytes.len(), |at| surplus + at + 1);
                    bytes.drain(..end);
                }
            }
            RecordForm::Whole | RecordForm::DurableWhole | RecordForm::List | RecordForm::DurableList => {
                record.check_size(bytes.len() + line.len() + 1)?;
            }
        }
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        *written = now();
        Ok(())
    }

    fn remove(&self, record: &Record) -> Result<bool> {
        Ok(self.records().remove(&record.path()).is_some())
    }

    fn names(&self, kind: RecordKind) -> Result<Vec<Named>> {
        let (start, end) = kind.rules().pattern.split_once('*').unwrap_or((kind.rules().pattern, ""));
        let has_many = kind.rules().pattern.contains('*');
        let records = self.records();
        let named = records.iter().filter_map(|(path, (_, written))| {
            let name = path.strip_prefix(start)?.strip_suffix(end)?;
            (has_many || name.is_empty()).then(|| Named { name: name.to_owned(), written: *written })
        });
        Ok(named.collect())
    }

    fn lock(&self, record: &Record) -> Result<Box<dyn Send>> {
        let (names, freed) = &*self.locked;
        let path = record.path();
        let held = |names: &mut Vec<String>| names.contains(&path);
        let names = names.lock().unwrap_or_else(PoisonError::into_inner);
        freed.wait_while(names, held).unwrap_or_else(PoisonError::into_inner).push(path.clone());
        Ok(Box::new(HeldLock { locked: self.locked.clone(), path }))
    }

    fn try_lock(&self, record: &Record) -> Result<Option<Box<dyn Send>>> {
        let mut names = self.locked.0.lock().unwrap_or_else(PoisonError::into_inner);
        let path = record.path();
        if names.contains(&path) {
            return Ok(None);
        }
        names.push(path.clone());
        Ok(Some(Box::new(HeldLock { locked: self.locked.clone(), path })))
    }
}

struct HeldLock {
    locked: Arc<(Mutex<Vec<String>>, Condvar)>,
    path: String,
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        let (names, freed) = &*self.locked;
        names.lock().unwrap_or_else(PoisonError::into_inner).retain(|name| *name != self.path);
        freed.notify_all();
    }
}

fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
