//! How much the store reads before it takes another way.

/// COR-16: lines of INDEX.md. An agent that reads the page whole spends some 15,000 tokens.
pub(crate) const INDEX_LINES_MAX: usize = 300;

/// A temporary file of this age was left by somebody who was killed, in nanoseconds: writing and renaming one takes moments, and a
/// machine that sleeps meanwhile only has to write it again.
pub(crate) const LEFT_OVER_NANOS: i64 = 60_000_000_000;

/// Frames of the journal that are looked at to find the last write of somebody: who wrote nothing since has nothing to undo in a hurry.
pub(crate) const FRAMES_LOOKED_BACK_MAX: usize = 200;

/// Frames that one command may have written, to be undone together: an import of ten thousand edited files.
pub(crate) const FRAMES_OF_A_COMMAND_MAX: usize = 20_000;

/// More changed ledger files than this are no small change: then both trees are read whole.
pub(crate) const CHANGED_FILES_MAX: usize = 500;

/// A writer tells the index within this time of its append, in nanoseconds, or it has died.
pub(crate) const TOLD_WITHIN_NANOS: i64 = 2_000_000_000;

/// A reader leaves the index to writers for at most this long, in nanoseconds: somebody may have edited files meanwhile. Git is noticed at
/// once, and whoever takes in what a bulk add has just written takes as long as the add.
pub(crate) const PASSED_OVER_NANOS_MAX: i64 = 60_000_000_000;

/// Folders that a process looked at this short a time ago, in nanoseconds, are not looked at again for a reader: somebody who edits ledger
/// files by hand waits a tenth of a second. Acknowledged writes and git are noticed at once.
pub(crate) const FOLDERS_LOOKED_NANOS: u128 = 100_000_000;

/// Appends of one process that become one write and one sync; more wait for the next one, so that nobody waits for all.
pub(crate) const GROUP_MAX: usize = 64;

/// Bytes of frames that are kept while somebody reads events of the journal.
pub(crate) const FRAMES_BYTES_MAX: u64 = 16 << 20;

/// `verify.rs`: files that were checked and wait to be taken into the index that is compared.
pub(crate) const FILES_AHEAD_MAX: usize = 64;

/// `lines.rs`: the lines of a ledger file.
pub(crate) mod lines {
    /// A smaller file is read by one thread, in bytes: most files are those of one entry.
    pub const ALONE_BYTES_MAX: usize = 1 << 20;
}

/// `tree.rs`: reading ledger files on several threads.
pub(crate) mod tree {
    /// Fewer files than this are read one after the other: threads would cost more.
    pub const READ_ALONE_MAX: usize = 64;
    /// Lines that a file is searched for one by one, instead of reading all that it has.
    pub const LOOKED_FOR_MAX: usize = 8;
    /// Files that are handed over at once.
    pub const CHUNK_FILES: usize = 64;
    /// Chunks of one thread that may wait to be taken in; some hundred kilobytes each.
    pub const CHUNKS_AHEAD_MAX: usize = 4;
}

/// `trim.rs`: what commits hold leaves the journal.
pub(crate) mod trim {
    /// Segments that the journal grows by before it is looked through again.
    pub const GROWN_SEGMENTS_MIN: u64 = 2;
    /// A journal of that size is looked through after this time in any case, in milliseconds: a week.
    pub const LOOKED_THROUGH_MILLIS_MIN: i64 = 7 * 24 * 3_600_000;
    /// A segment that would shrink by less than this part of its size is left as it is: the index is made anew for every change.
    pub const FREED_PART: u64 = 4;
    /// Events of this age may leave, in milliseconds: a conversation that goes on, perhaps on another branch, is younger.
    pub const AGE_MILLIS_MIN: i64 = 30 * 24 * 3_600_000;
}
