//! A repository in memory: for tests of the engine and of programs that embed it. The ledger in memory is `ken_log_memory::ledger`.

use crate::ports::{Presence, Repository};

/// A repository in which every commit and path is what a test says.
#[derive(Clone, Debug, Default)]
pub struct MemoryRepository {
    /// Commits that exist.
    pub commits: Vec<String>,
    /// Paths that exist.
    pub paths: Vec<String>,
    /// The history is not all here: a commit that is not found may exist.
    pub is_shallow: bool,
}

impl Repository for MemoryRepository {
    fn commits(&self, names: &[String]) -> Vec<Presence> {
        let is_here = |name: &String| self.commits.iter().any(|commit| commit.starts_with(name.as_str()));
        let missing = if self.is_shallow { Presence::Unknown } else { Presence::Absent };
        names.iter().map(|name| if is_here(name) { Presence::Present } else { missing }).collect()
    }

    fn symbol(&self, _: &str) -> Presence {
        Presence::Absent
    }

    fn path(&self, path: &str) -> Presence {
        self.paths.iter().any(|known| known == path).into()
    }
}
