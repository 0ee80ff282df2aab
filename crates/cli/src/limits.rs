//! How much the command line shows at once, and how long it waits.

use std::time::Duration;

/// Entries and files that a dry run lists before the rest is a number.
pub(crate) const ITEMS_SHOWN_MAX: usize = 100;
/// Changed imports that the status names before the rest is a number.
pub(crate) const SOURCES_SHOWN_MAX: usize = 3;
/// Candidates at most: nobody reads more, and a shell would ask whether to show them.
pub(crate) const CANDIDATES_MAX: usize = 200;
/// Columns of a comment at most.
pub(crate) const COMMENT_COLUMNS: usize = 98;
/// Columns of the value of a setting: the longest default with its mark is this long.
pub(crate) const VALUE_COLUMNS: usize = 18;
/// Columns that an explanation needs beside a setting; on a narrower terminal it stands below.
pub(crate) const ABOUT_COLUMNS_MIN: usize = 40;
/// How long a server on this machine may take to answer `ken open`.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// The longest answer of such a server, in bytes: a link is a hundredth of it.
pub(crate) const ANSWER_BYTES_MAX: u64 = 64 * 1024;
/// Lines of one service that `ken maintain` prints; --json has all of them.
pub(crate) const DEEDS_MAX: usize = 20;
/// Bytes of a long answer from which on they are printed: a call of the system for each line would take longer than making it.
pub(crate) const PRINTED_TOGETHER_BYTES_MIN: usize = 64 * 1024;
