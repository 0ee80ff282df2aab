//! `commit`: what waits in the journal is written out, staged and committed.

use ken_core::{Code, Refusal};
use ken_engine::{Caller, Error, IndexPageMoment, Ledger, Result, intake};
use ken_worktree::{Layout, STORE_FOLDER};

use crate::{ModelsInUse, Site};

/// Writes out what waits in the journal, and brings the mirrors in step that follow by themselves (COR-10).
pub fn flush(ledger: &mut Ledger, site: &Site, models: &mut ModelsInUse, caller: &Caller) -> Result<usize> {
    crate::foreign::sync::follow::sync_followers(ledger, site, models, caller, false);
    let now = caller.now();
    let flushed = ledger.snapshot_mut().git_mut()?.flush(now)?;
    crate::index_file::write_index_page(ledger, site, caller, IndexPageMoment::Commit);
    Ok(flushed)
}

/// Flushes, then stages and commits the store's folder alone. Answers what git said; nothing when there was nothing to commit.
pub fn commit(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    message: &str,
) -> Result<Option<String>> {
    let mut message = message.to_owned();
    intake::clean_word("message", &mut message)?;
    flush(ledger, site, models, caller)?;
    crate::writer::finish(ledger, site, models, caller, ())?;
    let Some(git) = site.layout.git.clone() else {
        return Err(Refusal::new(
            Code::NotAllowed,
            "this store is not in a git repository, so it cannot be committed",
        )
        .into());
    };
    let folder = STORE_FOLDER;
    git.bytes(&["add", "--", folder]).map_err(Error::failed("staging the store"))?;
    if !git.has_staged(folder).map_err(Error::failed("asking git for changes"))? {
        return Ok(None);
    }
    // A page that is ignored from now on is still in the last commit: named by its folder alone, git would take it up again.
    let without = if ledger.snapshot().owns_index_page() { ":(exclude).kenning/INDEX.md" } else { folder };
    let said = git
        .text(&["commit", "--quiet", "-m", &message, "--", folder, without])
        .map_err(Error::failed("committing the store"))?;
    let head = git.text(&["log", "-1", "--format=%h %s"]).map_err(Error::failed("reading the commit"))?;
    Ok(Some(format!("{}{}", said, head.trim())))
}

/// Leaves INDEX.md to this clone, where an older store has it tracked (COR-16), and says whether that was to be done.
pub fn untrack_index_page(ledger: &Ledger, layout: &Layout) -> Result<bool> {
    if ledger.snapshot().owns_index_page() {
        return Ok(false);
    }
    let path = layout.store.join(".gitignore");
    let mut ignored = std::fs::read_to_string(&path).unwrap_or_default();
    if !ignored.is_empty() && !ignored.ends_with('\n') {
        ignored.push('\n');
    }
    ignored.push_str("INDEX.md\n");
    std::fs::write(&path, ignored).map_err(Error::failed("ignoring INDEX.md"))?;
    let path = layout.store.join(".gitattributes");
    let attributes = std::fs::read_to_string(&path).unwrap_or_default();
    let others: String =
        attributes.split_inclusive('\n').filter(|line| !line.trim_start().starts_with("INDEX.md")).collect();
    if others != attributes {
        std::fs::write(&path, others).map_err(Error::failed("taking INDEX.md out of .gitattributes"))?;
    }
    if let Some(git) = &layout.git {
        let page = format!("{STORE_FOLDER}/INDEX.md");
        git.bytes(&["rm", "--cached", "--quiet", "--ignore-unmatch", "--", &page])
            .map_err(Error::failed("taking INDEX.md out of git"))?;
        // The next commit says both, or the page comes back with a clone that does not ignore it.
        for file in [".gitignore", ".gitattributes"].map(|name| format!("{STORE_FOLDER}/{name}")) {
            if layout.root.join(&file).exists() {
                git.bytes(&["add", "--", &file]).map_err(Error::failed("staging the store"))?;
            }
        }
    }
    Ok(true)
}

/// Stages the store's folder, for the pre-commit hook.
pub fn stage(layout: &Layout) -> Result<()> {
    match layout.git.as_ref() {
        Some(git) => {
            git.bytes(&["add", "--", STORE_FOLDER]).map(drop).map_err(Error::failed("staging the store"))
        }
        None => Ok(()),
    }
}

/// What the pre-commit hook does: mirrors both ways, what waits in the journal, and all of that staged.
pub fn flush_and_stage(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<usize> {
    crate::foreign::sync::follow::sync_followers(ledger, site, models, caller, true);
    let now = caller.now();
    let flushed = ledger.snapshot_mut().git_mut()?.flush(now)?;
    crate::index_file::write_index_page(ledger, site, caller, IndexPageMoment::Commit);
    stage(&site.layout)?;
    Ok(flushed)
}
