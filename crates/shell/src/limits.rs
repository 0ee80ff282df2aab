//! Bounds of the shell crate, with their unit and their reason.

/// Characters of a line that are read. An agent that writes a file by heredoc sends long ones, but no model answers with more than this;
/// what follows is not looked at.
pub(crate) const CHARS_MAX: usize = 128 * 1024;
/// Commands of a line that are read. The hook has milliseconds, and a script of this length is a file.
pub(crate) const COMMANDS_MAX: usize = 4_000;
/// Substitutions, groups and compound commands inside one another. People stop at three; the stack has room for this many.
pub(crate) const DEPTH_MAX: usize = 24;
/// `bash -c` in `bash -c`.
pub(crate) const SCRIPTS_DEPTH_MAX: usize = 8;
/// Letters of a long option that are enough to tell it: `--forc` is `--force`.
pub(crate) const ABBREVIATION_CHARS_MIN: usize = 6;
