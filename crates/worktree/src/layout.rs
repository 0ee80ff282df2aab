//! Where everything lies: the store in the tree, this clone's private part, and the disposable index (STO-1, STO-2).

use std::fs;
use std::path::{Path, PathBuf};

use ken_core::{Code, Refusal};

use crate::git::Git;

/// The name of the store's folder.
pub const STORE_FOLDER: &str = ".kenning";

/// The version of the on-disk schema that this code writes.
pub const STORE_VERSION: &str = "1.0.0";

/// The places of one store as seen from one worktree.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The top of the project.
    pub root: PathBuf,
    /// The store's folder in it.
    pub store: PathBuf,
    /// The repository around it, if there is one.
    pub git: Option<Git>,
}

impl Layout {
    /// The layout of a store whose folder is given or found by walking up. `None` where there is no store.
    pub fn find(from: &Path) -> Option<Layout> {
        let holder = from.ancestors().find(|folder| folder.join(STORE_FOLDER).join("VERSION").is_file());
        if let Some(root) = holder {
            return Some(Layout::at(root));
        }
        // A branch without the folder is still part of a clone that has a journal (STO-12).
        let git = Git::discover(from)?;
        git.common_dir.join("kenning/journal").is_dir().then(|| Layout::at(&git.work_tree.clone()))
    }

    /// The layout of a store at the top of a project, whether or not it exists.
    pub fn at(root: &Path) -> Layout {
        let git = Git::discover(root).filter(|git| same(&git.work_tree, root));
        Layout { root: root.to_owned(), store: root.join(STORE_FOLDER), git }
    }

    /// Where a new store would go from a folder: the top of the repository, else the folder itself.
    pub fn for_new(from: &Path) -> Layout {
        match Git::discover(from) {
            Some(git) => Layout::at(&git.work_tree.clone()),
            None => Layout::at(from),
        }
    }

    /// Refuses a store that is a link, or has one on the way to what it keeps: it would be read from and written to another place.
    pub fn refuse_links(&self) -> Result<(), Refusal> {
        refuse_links(&self.store)
    }

    /// This clone's part, shared by its worktrees: journal, replica id, lock.
    pub fn clone_home(&self) -> PathBuf {
        match &self.git {
            Some(git) => git.common_dir.join("kenning"),
            None => self.sandbox_home(),
        }
    }

    /// Where the clone's part goes when the git folder cannot be written.
    pub fn sandbox_home(&self) -> PathBuf {
        self.store.join(".local")
    }

    /// This worktree's own part: the index and the mark of what is in the tree.
    pub fn tree_home(&self) -> PathBuf {
        match &self.git {
            Some(git) => git.git_dir.join("kenning"),
            None => self.store.join(".index"),
        }
    }

    /// Where that goes when the git folder cannot be written.
    pub fn sandbox_tree_home(&self) -> PathBuf {
        self.store.join(".index")
    }
}

/// Folders of a store that a program goes through on its way to what it reads or writes there.
const ON_THE_WAY: &[&str] = &[
    "",
    "semantic",
    "semantic/v1",
    "procedural",
    "procedural/v1",
    "procedural/provenance",
    "episodic",
    "episodic/v1",
    "documents",
    "documents/v1",
    "settings",
    ".local",
    ".index",
];

/// The same for a store's folder.
pub fn refuse_links(store: &Path) -> Result<(), Refusal> {
    for below in ON_THE_WAY {
        let at = if below.is_empty() { store.to_owned() } else { store.join(below) };
        if !fs::symlink_metadata(&at).is_ok_and(|looks| looks.is_symlink()) {
            continue;
        }
        let name = if below.is_empty() { STORE_FOLDER.to_owned() } else { format!("{STORE_FOLDER}/{below}") };
        let message = format!(
            "{name} is a symbolic link, and ken does not follow links; the store was neither read nor changed"
        );
        let hint = match below.is_empty() {
            true => "remove the link; to use the store it leads to, name that: ken --store PATH",
            false => "replace the link by the folder itself, or remove it",
        };
        return Err(Refusal::new(Code::NotAllowed, message).hint(hint));
    }
    Ok(())
}

fn same(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b)
}
