//! How much the store reads before it takes another way.

/// More changed ledger files than this are no small change: then both trees are read whole.
pub(crate) const CHANGED_FILES_MAX: usize = 500;
