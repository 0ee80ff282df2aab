//! Bounds of the index, with their unit and their reason.

/// What an index in a file without a name keeps in memory, in KiB: enough to be made quickly, however large it becomes.
pub(crate) const UNNAMED_CACHE_KIB: usize = 8 * 1024;
/// What a connection keeps of an index in memory, in KiB. A server has several connections, and the system keeps the file's pages anyhow. The
/// file is not mapped: who cuts it short would kill every process that reads it, and no command is faster for it.
pub(crate) const CACHE_KIB: usize = 8 * 1024;
/// Changed pages of 4 KiB that a transaction keeps in memory before it writes some early: 64 MiB, more than a batch of 1,000 entries changes.
pub(crate) const SPILL_PAGES: usize = 16 * 1024;
/// Bytes of the write-ahead file from which on it is emptied after a large write: whoever opens the index reads all of it.
pub(crate) const WAL_BYTES_MAX: u64 = 1024 * 1024;
/// The same after a small write, which should not wait for the three syncs of it: about 25 adds, and 2 ms of reading in the last of them.
pub(crate) const WAL_BYTES_SMALL_WRITE_MAX: u64 = 4 * WAL_BYTES_MAX;
/// Events from which on a write counts as a large one: its own work takes longer than three syncs.
pub(crate) const LARGE_WRITE_EVENTS_MIN: usize = 50;
/// Bytes of rows that are hashed in one go.
pub(crate) const HASHED_BYTES: usize = 64 * 1024;
/// Vectors that are read before they are compared, 200 KB: they stay in the processor's own memory.
pub(crate) const VECTORS_TOGETHER: usize = 512;
/// Entries that a prefix is looked up for: whoever wrote it gets a choice of the first few.
pub(crate) const PREFIX_MATCHES_MAX: usize = 20;
/// Events that are kept until their entries are folded, about 30 MB: shared files are read first and speak of every entry.
pub(crate) const KEPT_EVENTS_MAX: usize = 20_000;
/// Bytes of lines that are kept beyond those events: of 100,000 entries with a citation each, all are.
pub(crate) const KEPT_LINE_BYTES_MAX: usize = 64 << 20;
/// Rows that one statement inserts.
pub(crate) const ROWS_OF_A_STATEMENT: usize = 64;
/// Rows that wait to be put in order before they are written to an index that is made anew, some 100 bytes each. A page is looked up once for
/// all of them that belong on it.
pub const ROWS_WAITING_MAX: usize = 32 * 1024;
/// Entries that are folded before any of them is written, some 20 KB each. Threads begin and end with each lot.
pub(crate) const FOLDED_TOGETHER: usize = 128;
/// Threads that sort rows for an index of a table.
pub(crate) const SORTERS: usize = 2;
/// Fewer entries are folded at once: a thread would cost more.
pub(crate) const FOLDED_ALONE_MAX: usize = 16;
/// Rows that are read before any of them is taken apart.
pub(crate) const ROWS_TOGETHER: usize = 256;

/// Merges that are followed upwards when an entry changes: as many as the core follows.
pub(crate) const MERGE_STEPS_MAX: usize = 64;

/// Entries that are looked at for each one that is wanted: some will turn out not to be meant.
pub(crate) const LOOKED_AT_PER_WANTED: usize = 20;
/// Entries that are looked at, at least.
pub(crate) const LOOKED_AT_MIN: usize = 400;
/// Entries that a debug answer speaks of, at most.
pub(crate) const TOLD_MAX: usize = 200;
/// Proven answers that are looked for among the best, beyond those that are wanted: some will turn out not to be meant.
pub(crate) const PROVEN_SPARE: usize = 20;
/// With fewer proven answers among the best they are looked for by themselves (decision 0039).
pub(crate) const PROVEN_MIN: usize = 5;
