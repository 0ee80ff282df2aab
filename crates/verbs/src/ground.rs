//! The code that entries are compared with: the working tree, or a commit.

use ken_core::{Code, Millis, Refusal};
use ken_engine::{Caller, Error, Ledger, Result};
use ken_worktree::CodeGround;
use ken_worktree::git::Git;

use crate::{Access, Layout, Site};

/// The working tree around the store, with what was found out about it before.
pub(crate) fn ground(ledger: &Ledger, site: &Site) -> CodeGround {
    ground_with(ledger, site, true)
}

/// The same for taking places down: nothing is judged by it, so nothing has to be remembered.
pub(crate) fn bare_ground(ledger: &Ledger, site: &Site) -> CodeGround {
    ground_with(ledger, site, false)
}

pub(crate) fn ground_with(ledger: &Ledger, site: &Site, remembers: bool) -> CodeGround {
    if site.options.global {
        return CodeGround::nowhere("a global entry belongs to no single repository");
    }
    let layout = &site.layout;
    let is_bare = |root: &std::path::Path| {
        root.join("HEAD").is_file() && root.join("objects").is_dir() && root.join("refs").is_dir()
    };
    if site.layout.git.as_ref().is_none() && is_bare(&layout.root) {
        return CodeGround::nowhere("this is a bare repository without files to check");
    }
    let read_only = ledger.access() == Access::Read;
    let kept = site.pool().judgements().filter(|_| remembers).and_then(|kept| kept.open());
    CodeGround::working(&layout.root, site.layout.git.as_ref(), kept, read_only, site.options.parser.clone())
}

/// The tree of a commit.
pub(crate) fn ground_at(site: &Site, name: &str) -> Result<(CodeGround, String)> {
    let (git, commit) = commit_named(&site.layout, name)?;
    Ok((CodeGround::commit(&git, &commit, site.options.parser.clone()), commit))
}

pub(crate) fn commit_named(layout: &Layout, name: &str) -> Result<(Git, String)> {
    let Some(git) = layout.git.clone() else {
        return Err(Refusal::new(
            Code::NotAllowed,
            "this store is not in a git repository, so there are no commits",
        )
        .into());
    };
    match git.commit(name).map_err(Error::failed("asking git for a commit"))? {
        Some(commit) => Ok((git, commit)),
        None => Err(no_commit(&git, name)),
    }
}

pub(crate) fn no_commit(git: &Git, name: &str) -> Error {
    let shallow = git.common_dir.join("shallow").is_file();
    let unborn = matches!(git.commit("HEAD"), Ok(None));
    let (message, hint) = if unborn {
        (
            format!("{name} is not a commit: this repository has no commits yet"),
            "commit first, or run `ken check` without a commit",
        )
    } else if shallow {
        (
            format!("{name} is not in this shallow clone"),
            "fetch it with `git fetch --unshallow`, or set `fetch-depth: 0` in the workflow",
        )
    } else {
        (format!("unknown commit, branch or tag {name:?}"), "`git log --oneline` lists commits")
    };
    Refusal::new(Code::NotFound, message).hint(hint).field("commit").into()
}

/// The tree that belongs to a time or a commit.
pub(crate) fn ground_of(site: &Site, when: &str) -> Result<CodeGround> {
    match Millis::parse(when) {
        Ok(_) => Ok(CodeGround::nowhere("a time has no tree; name a commit to check anchors and conditions")),
        Err(_) => Ok(ground_at(site, when)?.0),
    }
}

/// The time that is meant: itself, or when a commit was made.
pub(crate) fn time_of(layout: &Layout, caller: &Caller, when: &str) -> Result<Millis> {
    match (Millis::parse(when), &layout.git) {
        (Ok(time), _) => Ok(time),
        (Err(_), Some(git)) => {
            let seconds =
                git.committed_at(when).map_err(Error::failed("asking git when a commit was made"))?;
            Ok(Millis(seconds * 1000))
        }
        (Err(_), None) => Ok(caller.now()),
    }
}
