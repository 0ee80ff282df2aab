//! The repository around a store, as evidence and anchors are checked against it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ken_engine::{Presence, Repository};
use ken_worktree::git::Git;
use ken_worktree::links;
use ken_worktree::links::Way;

use crate::Site;

pub(crate) fn repository(site: &Site) -> RepositoryView {
    let is_project = !site.options.global;
    RepositoryView::new(site.layout.root.clone(), site.layout.git.clone(), is_project)
}

/// What lies around the store.
pub(crate) struct RepositoryView {
    root: PathBuf,
    git: Option<Git>,
    /// Entries speak of this repository.
    is_project: bool,
    /// Branches and tags whose names could be abbreviated hashes; asked for once.
    hexadecimal_names: OnceLock<BTreeSet<String>>,
}

impl RepositoryView {
    pub(crate) fn new(root: PathBuf, git: Option<Git>, is_project: bool) -> RepositoryView {
        RepositoryView { root, git, is_project, hexadecimal_names: OnceLock::new() }
    }

    fn hexadecimal_names(&self) -> &BTreeSet<String> {
        self.hexadecimal_names.get_or_init(|| {
            let args = ["for-each-ref", "--format=%(refname:strip=2)", "refs/heads", "refs/tags"];
            let Some(Ok(listed)) = self.git.as_ref().map(|git| git.run(&args)) else {
                return BTreeSet::new();
            };
            let is_hexadecimal = |name: &&str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
            let listed = String::from_utf8_lossy(&listed.stdout);
            listed.lines().filter(is_hexadecimal).map(str::to_owned).collect()
        })
    }

    /// Whether git has a path that a sparse checkout, or a submodule that is not checked out, keeps from the working tree.
    fn is_tracked_elsewhere(&self, path: &str) -> bool {
        let Some(git) = &self.git else { return false };
        let is_partial =
            git.git_dir.join("info/sparse-checkout").is_file() || self.root.join(".gitmodules").is_file();
        is_partial && git.may_have(path).unwrap_or(true)
    }
}

impl Repository for RepositoryView {
    fn proves_absence(&self) -> bool {
        self.is_project
    }

    fn commits(&self, names: &[String]) -> Vec<Presence> {
        // Without git there is no history to look in.
        let Some(git) = &self.git else { return vec![Presence::Unknown; names.len()] };
        let Ok(found) = git.commits_exist(names) else { return vec![Presence::Unknown; names.len()] };
        let is_proof = found.iter().all(|here| *here) || git.has_full_history().unwrap_or(false);
        let missing = if is_proof { Presence::Absent } else { Presence::Unknown };
        found.into_iter().map(|here| if here { Presence::Present } else { missing }).collect()
    }

    fn inside(&self, path: &str) -> Option<String> {
        let path = path.strip_prefix("file://").unwrap_or(path);
        if !Path::new(path).is_absolute() {
            return None;
        }
        let path = &ken_core::paths::normal(path)?;
        let root = self.root.canonicalize().ok()?;
        let textual = |root: &Path| match path.strip_prefix(root.to_str()?)? {
            "" | "/" => Some(".".to_owned()),
            rest => rest.strip_prefix('/').map(str::to_owned),
        };
        // A folder above the repository may be a link.
        let linked = || {
            let file = ken_core::Spot::parse(path).path?;
            let real = Path::new(&file).canonicalize().ok()?;
            let inside = real.strip_prefix(&root).ok()?.to_str()?.to_owned();
            Some(inside + path.strip_prefix(&file)?)
        };
        textual(&self.root).or_else(|| textual(&root)).or_else(linked)
    }

    fn commit_named(&self, name: &str) -> Option<String> {
        let is_hash = (4..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash && !self.hexadecimal_names().contains(name) {
            return None;
        }
        self.git.as_ref()?.commit(name).ok().flatten()
    }

    fn symbol(&self, name: &str) -> Presence {
        let Some(git) = &self.git else { return Presence::Absent };
        match git.run(&["grep", "-q", "-w", "-F", "-e", name, "--", ":!.kenning"]) {
            Ok(output) if output.status.success() => Presence::Present,
            Ok(output) if output.status.code() == Some(1) => Presence::Absent,
            Ok(_) | Err(_) => Presence::Unknown,
        }
    }

    fn path(&self, path: &str) -> Presence {
        if ken_core::fields::relative_path(path).is_err() {
            return Presence::Absent;
        }
        let Ok(root) = self.root.canonicalize() else { return Presence::Unknown };
        match links::follow(&root, &root, Path::new(path)) {
            Ok(Way::At(_)) => Presence::Present,
            Ok(Way::Nowhere) if self.is_tracked_elsewhere(path) => Presence::Unknown,
            Ok(Way::Nowhere) => Presence::Absent,
            // What lies behind a link out of the repository is nobody's evidence, and whether anything does is not told.
            Ok(Way::Outside) | Err(_) => Presence::Unknown,
        }
    }
}

/// The project that runs belong to: as the settings say, else the folder of the repository.
pub fn project(site: &Site) -> String {
    if let Ok(name) = site.config.get("project.name")
        && !name.trim().is_empty()
    {
        return name.trim().to_owned();
    }
    let layout = &site.layout;
    let git = layout.git.as_ref().map(|git| git.common_dir.clone());
    let main = git.and_then(|common| common.parent().map(std::path::Path::to_owned));
    let root = main.unwrap_or_else(|| layout.root.clone());
    let root = root.canonicalize().unwrap_or(root);
    root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
