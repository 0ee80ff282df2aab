//! What a merge or a release brings, read from git, and the tree after it.

use std::collections::BTreeMap;
use std::fs;
use std::rc::Rc;

use ken_core::norm::change::{self, Change, Changed, Commit, Form, What};
use ken_core::{Code, Refusal};
use ken_engine::norms::{Ran, Tree};
use ken_engine::{Error, Result};
use ken_worktree::git::Git;
use ken_worktree::limits::FILE_BYTES_MAX;
use ken_worktree::{CommitTree, Look, WorkingTree};

use crate::{Layout, Site, StepOutcome};

/// How a change is printed, whatever the settings of whoever asks.
const PRINTED: &[&str] = &[
    "--no-color",
    "--no-relative",
    "--no-abbrev",
    "--full-index",
    "--submodule=short",
    "--ignore-submodules=dirty",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-M50%",
    "-l1000",
];
const LISTING: &[&str] = &["--raw", "--numstat", "-z"];
const PATCH: &[&str] = &["--patch", "--unified=3"];
/// What is asked of each commit; none of it can hold a zero byte.
const COMMIT: &str = "--format=tformat:%H%x00%P%x00%an%x00%ae%x00%s%x00%b";
const COMMIT_PARTS: usize = 6;

/// What a merge of `head` into `base` brings: everything since the two parted. An empty head is the working tree, with what is not
/// added yet; an empty base is the beginning.
pub fn change_between(layout: &Layout, base: &str, head: &str) -> Result<Change> {
    let is_working = head.is_empty();
    let (git, tip) = crate::ground::commit_named(layout, if is_working { "HEAD" } else { head })?;
    let start = match base {
        "" => None,
        base => Some(parted(&git, &crate::ground::commit_named(layout, base)?.1, &tip)?),
    };
    let commits = commits(&git, start.as_deref(), &tip)?;
    let start = match start {
        Some(start) => start,
        None => git.empty_tree().map_err(Error::failed("asking git for the empty tree"))?,
    };
    let is_stores = stores_own(layout, &git);
    let files = match is_working {
        false => between_trees(&git, &start, &tip, &is_stores)?,
        true => since(&git, &start, &is_stores)?,
    };
    Ok(Change::new(commits, files))
}

/// What a release brings, and since when: the nearest tag before it, or an empty name for the beginning.
pub fn change_of_release(layout: &Layout, reference: &str) -> Result<(String, Change)> {
    let (git, commit) = crate::ground::commit_named(layout, reference)?;
    let parents = git.text(&["rev-list", "--parents", "--max-count=1", &commit, "--"]);
    let parents = parents.map_err(Error::failed("asking git for the previous tag"))?;
    let mut newest: Option<(i64, String)> = None;
    for parent in parents.split_ascii_whitespace().skip(1) {
        // Git fails where no tag comes before it.
        let Ok(name) = git.text(&["describe", "--tags", "--abbrev=0", parent]) else { continue };
        let name = name.trim().to_owned();
        let tagged = git.commit(&format!("refs/tags/{name}")).and_then(|commit| match commit {
            Some(commit) => git.committed_at(&commit).map(Some),
            None => Ok(None),
        });
        let tagged = tagged.map_err(Error::failed("asking git when a tag was made"))?;
        newest = newest.max(tagged.map(|at| (at, name)));
    }
    let (base, full) = match newest {
        Some((_, name)) => (name.clone(), format!("refs/tags/{name}")),
        None => (String::new(), String::new()),
    };
    let change = change_between(layout, &full, &commit)?;
    Ok((base, change))
}

/// The tree after a change; an empty head is the working tree.
pub fn tree_after<'a>(site: &'a Site, head: &str) -> Result<TreeAfter<'a>> {
    let (git, commit) =
        crate::ground::commit_named(&site.layout, if head.is_empty() { "HEAD" } else { head })?;
    let (tree, commit): (Box<dyn ken_worktree::Tree>, _) = match head {
        "" => (Box::new(WorkingTree::new(&git.work_tree, Some(&git), Default::default())), None),
        _ => (Box::new(CommitTree::new(&git, &commit)), Some(commit)),
    };
    Ok(TreeAfter { site, git, tree, commit })
}

/// Tells the store's own files by their paths.
fn stores_own(layout: &Layout, git: &Git) -> impl Fn(&str) -> bool + use<> {
    let real = |path: &std::path::Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let store = real(&layout.store);
    let below = store.strip_prefix(real(&git.work_tree)).ok().and_then(|path| path.to_str());
    let folder = below.map(|path| format!("{}/", path.replace('\\', "/")));
    move |path: &str| folder.as_deref().is_some_and(|folder| path.starts_with(folder))
}

/// The tree after a change. Programs are run in the working tree, if that is what it has.
pub struct TreeAfter<'a> {
    site: &'a Site,
    git: Git,
    tree: Box<dyn ken_worktree::Tree>,
    /// None for the working tree.
    commit: Option<String>,
}

impl TreeAfter<'_> {
    /// Why a program that is run here would not see this tree; none where it would.
    fn is_not_here(&self) -> Option<String> {
        let commit = self.commit.as_ref()?;
        let short = commit.get(..10).unwrap_or(commit);
        match self.git.commit("HEAD") {
            Ok(head) if head.as_ref() == Some(commit) => {}
            Ok(_) => {
                return Some(format!(
                    "commands run on the checked-out files, and {short} is not checked out; check it out first"
                ));
            }
            Err(error) => return Some(format!("git cannot tell what is checked out: {error}")),
        }
        let args = [
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=no",
            "--no-renames",
            "--ignore-submodules=dirty",
        ];
        let listed = match self.git.bytes_unfiltered(&args) {
            Ok(listed) => listed,
            Err(error) => return Some(format!("cannot determine what is checked out: {error}")),
        };
        let listed = String::from_utf8_lossy(&listed);
        let is_stores = stores_own(&self.site.layout, &self.git);
        let first = listed.split('\0').filter_map(|item| item.get(3..)).find(|path| !is_stores(path))?;
        Some(format!("{first} differs from {short}; commit or stash what is not part of the change"))
    }
}

impl Tree for TreeAfter<'_> {
    fn has(&mut self, path: &str) -> std::result::Result<bool, String> {
        match self.tree.look(path) {
            Look::Unknown(ken_worktree::Unjudged::Elsewhere(why)) => Err(why),
            look => Ok(look.is_there()),
        }
    }

    fn files(&mut self) -> std::result::Result<Rc<[String]>, String> {
        self.tree.list()
    }

    fn text(&mut self, path: &str) -> std::result::Result<Option<String>, String> {
        let bytes = self.tree.read(path)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn run(&mut self, words: &[String]) -> Ran {
        if let Some(why) = self.is_not_here() {
            return Ran::NotRun(why);
        }
        match crate::check::command(self.site, words) {
            (StepOutcome::Passed, _) => Ran::Passed,
            (StepOutcome::Failed, why) => Ran::Failed(why),
            (StepOutcome::NotRun, why) => Ran::NotRun(why),
        }
    }
}

/// Where two commits parted.
fn parted(git: &Git, base: &str, tip: &str) -> Result<String> {
    match git.merge_base(base, tip).map_err(Error::failed("asking git for the merge base"))? {
        Some(found) => Ok(found),
        None if is_shallow(git) => Err(cut_short(base, tip)),
        // Histories that never met: everything differs.
        None => Ok(base.to_owned()),
    }
}

fn is_shallow(git: &Git) -> bool {
    git.common_dir.join("shallow").is_file()
}

fn cut_short(base: &str, tip: &str) -> Error {
    let (base, tip) = (base.get(..10).unwrap_or(base), tip.get(..10).unwrap_or(tip));
    let message = match base {
        "" => format!("this clone is shallow; it lacks commits before {tip}"),
        base => format!("this clone is shallow; it lacks commits between {base} and {tip}"),
    };
    Refusal::new(Code::NotFound, message)
        .hint("fetch them with `git fetch --unshallow`, or set `fetch-depth: 0` in the workflow")
        .field("commit")
        .into()
}

fn commits(git: &Git, start: Option<&str>, tip: &str) -> Result<Vec<Commit>> {
    let without = start.map(|start| format!("^{start}"));
    let mut args =
        vec!["log", "-z", "--no-color", "--encoding=UTF-8", "--topo-order", "--reverse", COMMIT, tip];
    args.extend(without.as_deref());
    args.push("--");
    let printed = git.bytes(&args).map_err(Error::failed("asking git for the commits of a change"))?;
    let printed = String::from_utf8_lossy(&printed);
    let parts: Vec<&str> = printed.split('\0').collect();
    let commits: Vec<Commit> = parts
        .chunks_exact(COMMIT_PARTS)
        .map(|parts| Commit {
            hash: parts[0].to_owned(),
            is_merge: parts[1].contains(' '),
            author: format!("{} <{}>", parts[2], parts[3]),
            subject: parts[4].to_owned(),
            body: parts[5].to_owned(),
        })
        .collect();
    // Where the clone was cut, older commits of the change may be missing.
    let cuts = match fs::read_to_string(git.common_dir.join("shallow")) {
        Ok(cuts) => cuts,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Error::failed("reading the shallow boundary of this clone")(error)),
    };
    match commits.iter().any(|commit| cuts.lines().any(|cut| cut == commit.hash)) {
        true => Err(cut_short(start.unwrap_or_default(), tip)),
        false => Ok(commits),
    }
}

fn between_trees(
    git: &Git,
    start: &str,
    tip: &str,
    is_stores: &dyn Fn(&str) -> bool,
) -> Result<Vec<Changed>> {
    let ask = |how: &[&str]| {
        let args = [&["diff-tree", "-r"], PRINTED, how, &[start, tip, "--"]].concat();
        git.bytes_unattributed(&args).map_err(Error::failed("asking git for changed files"))
    };
    Ok(change::read(&ask(LISTING)?, &ask(PATCH)?, is_stores))
}

/// What the working tree brings since a commit.
fn since(git: &Git, start: &str, is_stores: &dyn Fn(&str) -> bool) -> Result<Vec<Changed>> {
    let ask = |how: &[&str]| {
        let args = [&["diff"], PRINTED, how, &[start, "--"]].concat();
        git.bytes_unfiltered(&args).map_err(Error::failed("asking git for changed files"))
    };
    let files = change::read(&ask(LISTING)?, &ask(PATCH)?, is_stores);
    let mut files: BTreeMap<String, Changed> =
        files.into_iter().map(|file| (file.path.clone(), file)).collect();
    let new = git.bytes(&["ls-files", "-z", "--others", "--exclude-standard"]);
    let new = new.map_err(Error::failed("asking git for untracked files"))?;
    for path in new.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        let path = String::from_utf8_lossy(path).into_owned();
        let mut file = new_file(git, path.trim_end_matches('/'), is_stores(&path));
        // What git was told to forget, and is still there, is no new file.
        if let Some(gone) = files.get(&file.path).filter(|known| known.what == What::Deleted) {
            (file.what, file.removed) = (What::Modified, gone.removed);
        }
        files.insert(file.path.clone(), file);
    }
    let mut tree = WorkingTree::new(&git.work_tree, Some(git), Default::default());
    for file in files.values_mut() {
        let is_nameless = file.print.blobs[1].bytes().all(|byte| byte == b'0');
        if file.print.lines.is_none()
            && is_nameless
            && file.what != What::Deleted
            && let Look::File { blob, .. } = ken_worktree::Tree::look(&mut tree, &file.path)
        {
            file.print.blobs[1] = blob;
        }
    }
    Ok(files.into_values().collect())
}

/// A file that git does not know yet. Git lists no path through a link, so nothing outside is read.
fn new_file(git: &Git, path: &str, is_stores: bool) -> Changed {
    let at = git.work_tree.join(path);
    // What cannot be read has no lines, as if it were binary.
    let unread = || change::untracked(path, Form::File, false, b"\0", is_stores);
    let Ok(looks) = fs::symlink_metadata(&at) else { return unread() };
    if looks.is_dir() {
        return change::untracked(path, Form::Submodule, false, b"", is_stores);
    }
    if looks.is_symlink() {
        let target = fs::read_link(&at).unwrap_or_default();
        return change::untracked(path, Form::Link, false, target.to_string_lossy().as_bytes(), is_stores);
    }
    if !looks.is_file() || looks.len() > FILE_BYTES_MAX {
        return unread();
    }
    #[cfg(unix)]
    let is_executable = std::os::unix::fs::PermissionsExt::mode(&looks.permissions()) & 0o100 != 0;
    #[cfg(not(unix))]
    let is_executable = false;
    match fs::read(&at) {
        Ok(bytes) => change::untracked(path, Form::File, is_executable, &bytes, is_stores),
        Err(_) => unread(),
    }
}
