//! How much the command line shows at once.

/// Entries and files that a dry run lists before the rest is a number.
pub(crate) const ITEMS_SHOWN_MAX: usize = 100;
/// Candidates at most: nobody reads more, and a shell would ask whether to show them.
pub(crate) const CANDIDATES_MAX: usize = 200;
/// Columns of a comment at most.
pub(crate) const COMMENT_COLUMNS: usize = 98;
