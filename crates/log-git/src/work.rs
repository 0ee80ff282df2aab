//! A store of one worktree through one connection to its index: what reads it, and what changes journal, ledger files or index.

use crate::catalogue::Catalogue;
use crate::log::GitLog;

/// A store that is read.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    pub(crate) log: &'a GitLog,
    pub(crate) index: &'a Catalogue,
}

/// A store that is changed, or brought up to date.
pub(crate) struct Work<'a> {
    pub(crate) log: &'a GitLog,
    pub(crate) index: &'a mut Catalogue,
}

impl Work<'_> {
    pub(crate) fn look(&self) -> Look<'_> {
        Look { log: self.log, index: self.index }
    }
}

/// `1 event`, `2 events`.
pub(crate) fn events_word(count: usize) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}
