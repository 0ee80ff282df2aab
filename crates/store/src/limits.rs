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

/// A writer tells the index within this time of its append, in nanoseconds, or it has died.
pub(crate) const TOLD_WITHIN_NANOS: i64 = 2_000_000_000;

/// A reader leaves the index to writers for at most this long, in nanoseconds: git may have changed files meanwhile.
pub(crate) const PASSED_OVER_NANOS_MAX: i64 = 5_000_000_000;
