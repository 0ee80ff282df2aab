//! Every bound of looking at a repository, with its unit and its reason.

use std::time::Duration;

/// Files above this are not read: nothing a person wrote is that long, and hashing it would be felt.
pub const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Files of one listing. Beyond that a tree is no repository but a disk.
pub const LISTED_FILES_MAX: usize = 200_000;
/// A file changed this shortly before it was hashed may have changed again within the same tick of its clock.
pub const RACY_NANOS: i64 = 2_000_000_000;
/// Lines of a file that words are taken from where all of it is anchored, as `ken-anchors` takes them.
pub const WORDS_LINES_MAX: usize = 2_000;
/// Bytes of files that a parser is sent before somebody waits for them.
pub const PREFETCHED_BYTES_MAX: usize = 4 * 1024 * 1024;
/// At least this many lines before and after a place are scanned for secrets. A key that is longer is scanned from its beginning.
pub const SCREENED_LINES: usize = 120;
/// Texts and pieces of files that are remembered as looked at for secrets.
pub const SCREENED_MAX: usize = 16_384;
/// Bytes of the shortest name of a branch that is looked at for secrets: no token in a known format is shorter.
pub const SECRET_IN_BRANCH_BYTES_MIN: usize = 16;
/// Links on the way to one file, as systems bound them.
pub const LINKS_MAX: usize = 40;
/// Commits looked through for the latest change of a path.
pub const HISTORY_COMMITS_MAX: usize = 20_000;
/// Time spent on looking through commits, all paths of one tree together.
pub const HISTORY_TIME: Duration = Duration::from_secs(1);
/// Manifests and locks of one tree, those nearest to its root first.
pub const MANIFESTS_MAX: usize = 400;
/// A manifest, lock or file of settings. Longer ones would take longer to take apart than an evaluation may.
pub const SETTINGS_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Values of one YAML file, those that its aliases repeat included.
pub const YAML_NODES_MAX: usize = 400_000;
/// Files that one pattern is looked for in.
pub const PATTERN_FILES_MAX: usize = 5_000;
/// Bytes that one pattern is looked for in, all files together.
pub const PATTERN_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// A compiled pattern.
pub const PATTERN_COMPILED_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Between two looks at the clock, a pattern is tried on this many starting places.
pub const PATTERN_STEP_BYTES: usize = 256 * 1024;
/// A match across the border of two steps is found if it is no longer than this.
pub const PATTERN_OVERLAP_BYTES: usize = 64 * 1024;
/// Proposals for one entry: more are not read.
pub const SUGGESTIONS_MAX: usize = 5;

/// Anchored files whose imports are looked at.
pub const SUGGESTION_FILES_MAX: usize = 10;
/// Longer files are mostly generated, and import everything.
pub const SUGGESTION_FILE_BYTES_MAX: u64 = 1024 * 1024;

/// What one evaluation may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Beyond this the answer is that nobody can tell.
    pub time: Duration,
    /// Files that one pattern is looked for in.
    pub pattern_files: usize,
    /// Bytes that one pattern is looked for in.
    pub pattern_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(1),
            pattern_files: PATTERN_FILES_MAX,
            pattern_bytes: PATTERN_BYTES_MAX,
        }
    }
}

/// `past.rs`: How often in a row a file may have been renamed; each time costs a question to git.
pub(crate) const RENAMES_MAX: usize = 8;
