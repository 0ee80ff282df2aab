//! How much the store reads before it takes another way.

/// A temporary file of this age was left by somebody who was killed, in nanoseconds: writing and renaming one takes moments, and a
/// machine that sleeps meanwhile only has to write it again.
pub(crate) const LEFT_OVER_NANOS: i64 = 60_000_000_000;

/// More changed ledger files than this are no small change: then both trees are read whole.
pub(crate) const CHANGED_FILES_MAX: usize = 500;

/// Proven answers that are looked for among the best, beyond those that are wanted: some will turn out not to be meant.
pub(crate) const PROVEN_SPARE: usize = 20;

/// With fewer proven answers among the best they are looked for by themselves (decision 0039).
pub(crate) const PROVEN_MIN: usize = 5;
