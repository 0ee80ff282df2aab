//! A store in git, as these tests hold one: its ledger, and what only this log can tell.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use ken_core::{EventHash, Millis, ReplicaId};
use ken_engine::{Ledger, Report, Result, Rows};
use ken_log_git::{GitLog, Layout, OpenOptions};

pub struct Store {
    ledger: Ledger,
    log: Arc<GitLog>,
}

impl Deref for Store {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        &self.ledger
    }
}

impl DerefMut for Store {
    fn deref_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }
}

impl Store {
    pub fn open(layout: Layout, options: OpenOptions) -> Result<Store> {
        Store::of(GitLog::open(layout, options)?)
    }

    /// Another store over the same log, as in one process.
    pub fn of(log: Arc<GitLog>) -> Result<Store> {
        Ok(Store { ledger: log.ledger()?, log })
    }

    pub fn log(&self) -> &Arc<GitLog> {
        &self.log
    }

    /// The ledger alone.
    pub fn into_ledger(self) -> Ledger {
        self.ledger
    }

    pub fn own(&self) -> Option<ReplicaId> {
        self.log.replica()
    }

    pub fn dump(&self) -> Result<Vec<String>> {
        self.ledger.snapshot().dump(Rows::All)
    }

    pub fn verify(&mut self, fix: bool) -> Result<Report> {
        self.ledger.snapshot_mut().verify(fix)
    }

    pub fn quick_check(&mut self) -> Result<Report> {
        self.ledger.snapshot_mut().quick_check()
    }

    pub fn rebuild(&mut self) -> Result<usize> {
        self.ledger.snapshot_mut().rebuild()
    }

    pub fn flush(&mut self, now: Millis) -> Result<usize> {
        self.ledger.snapshot_mut().git_mut()?.flush(now)
    }

    pub fn lost_here(&mut self) -> Result<Vec<EventHash>> {
        self.ledger.refresh()?;
        self.log.lost_here()
    }

    pub fn put_back(&mut self, hashes: &[EventHash]) -> Result<usize> {
        let count = self.log.put_back(hashes)?;
        self.ledger.refresh()?;
        Ok(count)
    }
}
