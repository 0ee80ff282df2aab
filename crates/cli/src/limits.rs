//! How much the command line shows at once.

/// Entries and files that a dry run lists before the rest is a number.
pub(crate) const ITEMS_SHOWN_MAX: usize = 100;
/// Candidates at most: nobody reads more, and a shell would ask whether to show them.
pub(crate) const CANDIDATES_MAX: usize = 200;
/// Columns of a comment at most.
pub(crate) const COMMENT_COLUMNS: usize = 98;
/// Columns of the value of a setting: the longest default with its mark is this long.
pub(crate) const VALUE_COLUMNS: usize = 18;
/// Columns that an explanation needs beside a setting; on a narrower terminal it stands below.
pub(crate) const ABOUT_COLUMNS_MIN: usize = 40;
