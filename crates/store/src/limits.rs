//! How much the store reads before it takes another way.

/// A temporary file of this age was left by somebody who was killed, in nanoseconds: writing and renaming one takes moments, and a
/// machine that sleeps meanwhile only has to write it again.
pub(crate) const LEFT_OVER_NANOS: i64 = 60_000_000_000;

/// More changed ledger files than this are no small change: then both trees are read whole.
pub(crate) const CHANGED_FILES_MAX: usize = 500;
