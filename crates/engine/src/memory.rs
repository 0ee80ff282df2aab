//! A repository in memory: for tests of the engine and of programs that embed it. The store in memory is `ken_store::MemoryStore`.

use crate::ports::{Presence, Repository};

/// A repository in which every commit and path is what a test says.
#[derive(Clone, Debug, Default)]
pub struct MemoryRepository {
    /// Commits that exist.
    pub commits: Vec<String>,
    /// Paths that exist.
    pub paths: Vec<String>,
}

impl Repository for MemoryRepository {
    fn commits(&self, names: &[String]) -> Vec<Presence> {
        let is_here = |name: &String| self.commits.iter().any(|commit| commit.starts_with(name.as_str()));
        names.iter().map(|name| is_here(name).into()).collect()
    }

    fn symbol(&self, _: &str) -> Presence {
        Presence::Absent
    }

    fn path(&self, path: &str) -> Presence {
        self.paths.iter().any(|known| known == path).into()
    }
}
