//! Decisions that rest on how an entry stands, and what becomes of them when somebody else changes it at the same time.
//!
//! Two statements of the same thing are one entry, in whatever order they come; but who adds one is told what became of it, and who gives it an
//! id or a merge key is to have that alone.

use super::find;
use super::merge::standing_for;
use crate::error::Result;
use crate::limits::ops_grounds::ATTEMPTS_MAX;
use crate::log::ReadSet;
use crate::ports::Stored;
use crate::projection::Projection;

/// The entries that a decision rests on, as they were read.
#[derive(Default)]
pub(super) struct ReadEntries {
    pub(super) read: ReadSet,
}

impl ReadEntries {
    /// Finds an entry, and remembers how it stood.
    pub(super) fn find(&mut self, ledger: &dyn Projection, name: &str) -> Result<Stored> {
        let found = find(ledger, name)?;
        let key = found.entry.key;
        // The version first: what changes between the two is noticed when it is appended.
        self.read.entries.insert(key, ledger.version(key)?);
        Ok(ledger.stored(key)?.unwrap_or(found))
    }

    /// Finds the entry that is meant where something is said of how it does: the one that stands for it, where it was merged.
    pub(super) fn find_kept(&mut self, ledger: &dyn Projection, name: &str) -> Result<Stored> {
        let found = self.find(ledger, name)?;
        let key = found.entry.key;
        let kept = standing_for(ledger, found)?;
        if kept.entry.key != key {
            self.read.entries.insert(kept.entry.key, ledger.version(kept.entry.key)?);
        }
        Ok(kept)
    }
}

/// Decides and appends; decides again where what the decision rests on changed in between.
pub(super) fn decided<L: ?Sized, T>(
    ledger: &mut L,
    mut attempt: impl FnMut(&mut L, &mut ReadEntries) -> Result<T>,
) -> Result<T> {
    for _ in 1..ATTEMPTS_MAX {
        match attempt(ledger, &mut ReadEntries::default()) {
            Err(error) if error.is_conflict() => {}
            done => return done,
        }
    }
    attempt(ledger, &mut ReadEntries::default())
}
