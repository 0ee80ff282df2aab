//! The store under git: merges, worktrees, resets, purges and everything else that people do to a repository.

mod random;
