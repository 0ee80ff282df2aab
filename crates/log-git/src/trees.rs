//! The ledger in commits, and what differs between two of them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use ken_core::event::{EntryEvent, Line};
use ken_core::{Body, Code, EntryKey, EventHash, Refusal};
use ken_engine::{Between, Error, LedgerAt, ModelCard, Projection, Result};
use ken_index::index_error;
use ken_index::past::{Purpose, past};
use ken_index::vectors::VectorFile;
use ken_worktree::blob_id;

use crate::at::{self, TreeFile};
use crate::disk::Looks;
use crate::git::Git;
use crate::home::Home;
use crate::limits::CHANGED_FILES_MAX;
use crate::lines::read_lines;
use crate::timeline::{released_here, unpurged};
use crate::work::Look;

/// What a file looks like that was not read from the disk.
const NOTHING: Looks = Looks { size: 0, mtime: 0, inode: 0, is_folder: false, is_file: true };

pub(crate) fn between(look: Look<'_>, base: &str, head: Option<&str>) -> Result<Option<Between>> {
    let Some(git) = look.log.home.git() else { return Ok(None) };
    let failed = || Error::failed("comparing the ledgers of two commits");
    let Some(base) = git.commit(base).map_err(failed())? else { return Ok(None) };
    let head = match head {
        Some(name) => match git.commit(name).map_err(failed())? {
            Some(head) => Some(head),
            None => return Ok(None),
        },
        None => None,
    };
    let prefix = format!("{}/", crate::STORE_FOLDER);
    let below = |path: &str| path.strip_prefix(&prefix).map(str::to_owned);
    let changed = git.names_changed(&base, head.as_deref(), crate::STORE_FOLDER).map_err(failed())?;
    let changed = changed.iter().filter_map(|path| below(path));
    let changed: HashSet<String> = changed.filter(|path| crate::tree::is_ledger_file(path)).collect();
    if changed.len() > CHANGED_FILES_MAX {
        return Ok(None);
    }
    let lines_at = |commit: &str, is_wanted: &dyn Fn(&str) -> bool| -> Result<Vec<Line>> {
        let wanted = |path: &str| below(path).is_some_and(|path| is_wanted(&path));
        let files = git.some_files_at(commit, crate::STORE_FOLDER, &wanted).map_err(failed())?;
        let mut lines = Vec::new();
        for (path, bytes) in files {
            let path = below(&path).unwrap_or(path);
            lines.extend(read_lines(&path, NOTHING, &bytes).lines.into_iter().map(|(line, _, _)| line));
        }
        Ok(lines)
    };
    let is_changed = |path: &str| changed.contains(path);
    let old = lines_at(&base, &is_changed)?;
    let new = match &head {
        Some(head) => lines_at(head, &is_changed)?,
        None => {
            let mut lines = Vec::new();
            for path in &changed {
                // What is not there any more has no lines.
                let Ok(bytes) = std::fs::read(look.log.home.layout.store.join(path)) else { continue };
                let read = read_lines(path, NOTHING, &bytes).lines;
                lines.extend(read.into_iter().map(|(line, _, _)| line));
            }
            lines
        }
    };
    let keys = told_otherwise(&old, &new);
    // Their other lines lie in files that the two trees have alike: their own, and those that many entries share.
    let mut own = HashSet::new();
    for key in &keys {
        let stored = look.index.stored(*key).map_err(index_error)?;
        own.extend(stored.and_then(|stored| stored.file().map(str::to_owned)));
    }
    let is_about = |path: &str| {
        crate::tree::is_ledger_file(path)
            && (changed.contains(path) || own.contains(path) || crate::tree::is_shared(path))
    };
    let about = |commit: &str| -> Result<Option<Vec<Line>>> {
        let mut lines = lines_at(commit, &is_about)?;
        lines.retain(
            |line| matches!(line, Line::Event(event) if event.entry.is_some_and(|key| keys.contains(&key))),
        );
        Ok(are_whole(&lines).then_some(lines))
    };
    let Some(before) = about(&base)? else { return Ok(None) };
    let before = snapshot(look, unpurged(look, before)?, Purpose::Comparison, None)?;
    let after = match &head {
        Some(head) => match about(head)? {
            Some(lines) => Some(snapshot(look, unpurged(look, lines)?, Purpose::Comparison, None)?),
            None => return Ok(None),
        },
        None => None,
    };
    Ok(Some(Between { keys, before, after }))
}

pub(crate) fn ledgers_at(look: Look<'_>, trees: &[Option<&str>]) -> Result<Vec<Rc<LedgerAt>>> {
    let mut ledgers: Vec<LedgerAt> = Vec::with_capacity(trees.len());
    let mut files: Vec<Vec<TreeFile>> = Vec::with_capacity(trees.len());
    for tree in trees {
        let (of_tree, config) = files_of_tree(&look.log.home, *tree)?;
        ledgers.push(LedgerAt { config, ..LedgerAt::default() });
        files.push(of_tree);
    }
    at::read(&mut files);
    // Most stores purged nothing: then no event is asked about.
    let has_purges = look.index.has_purges().map_err(index_error)?;
    for (ledger, files) in ledgers.iter_mut().zip(files) {
        files.iter().for_each(|file| at::take(ledger, file));
        for (event, _, _) in ledger.events.iter().filter(|_| has_purges) {
            if look.index.purge_counts(event).map_err(index_error)? {
                ledger.purged.extend(event.entry);
            }
        }
    }
    Ok(ledgers.into_iter().map(Rc::new).collect())
}

pub(crate) fn as_of_commit(
    look: Look<'_>,
    name: &str,
    model: Option<&ModelCard>,
) -> Result<Box<dyn Projection>> {
    let (git, commit) = commit_named(&look.log.home, name)?;
    let files = git
        .files_at(&commit, crate::STORE_FOLDER)
        .map_err(Error::failed(format!("reading the ledger of {name}")))?;
    let prefix = format!("{}/", crate::STORE_FOLDER);
    let mut lines = Vec::new();
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".jsonl")) {
        let path = path.strip_prefix(&prefix).unwrap_or(path);
        lines.extend(read_lines(path, NOTHING, bytes).lines.into_iter().map(|(line, _, _)| line));
    }
    snapshot(look, unpurged(look, lines)?, Purpose::Search, model)
}

/// The fold of some lines. Texts that have no vector of the model are found by their words.
pub(crate) fn snapshot(
    look: Look<'_>,
    lines: Vec<Line>,
    purpose: Purpose,
    model: Option<&ModelCard>,
) -> Result<Box<dyn Projection>> {
    let released = released_here(look, &lines)?;
    let fold = || past(lines, look.index, purpose, look.log.replica(), &released);
    look.index.begin_read().map_err(index_error)?;
    let folded = fold();
    look.index.end_read();
    let mut folded = folded?;
    if let Some(card) = model {
        let vectors = VectorFile::open(&look.log.home.own, &card.name, card.dimensions);
        folded.use_vectors(&card.name, vectors)?;
    }
    Ok(Box::new(folded))
}

/// The commit that a name means.
pub(crate) fn commit_named<'h>(home: &'h Home, name: &str) -> Result<(&'h Git, String)> {
    let Some(git) = home.git() else {
        return Err(Refusal::new(
            Code::NotAllowed,
            "this store is not in a git repository; give a time instead of a commit",
        )
        .into());
    };
    let Some(commit) = git.commit(name).map_err(Error::failed("asking git for a commit"))? else {
        let hint = match git.common_dir.join("shallow").is_file() {
            true => "this clone is shallow; if it is a commit, fetch it with `git fetch --unshallow`",
            false => "write a commit, branch or tag, or a time like 2026-11-15 or 2026-11-15T02:04:26Z",
        };
        return Err(Refusal::new(
            Code::NotFound,
            format!("{name:?} is neither a commit of this repository nor a time"),
        )
        .hint(hint)
        .field("as-of")
        .into());
    };
    Ok((git, commit))
}

/// The ledger files of a commit, or of the working tree, in their order, and its settings.
fn files_of_tree(home: &Home, commit: Option<&str>) -> Result<(Vec<TreeFile>, Option<String>)> {
    let (mut ledger, mut config) = (Vec::new(), None);
    match (commit, home.git()) {
        (Some(commit), Some(git)) => {
            let prefix = format!("{}/", crate::STORE_FOLDER);
            // Most ledger files of a commit lie here as they were.
            let lies_here = |path: &str, blob: &str| {
                let file = home.layout.store.join(path.strip_prefix(&prefix)?);
                // Neither a link nor a device, which may never end.
                std::fs::symlink_metadata(&file).ok().filter(std::fs::Metadata::is_file)?;
                std::fs::read(file).ok().filter(|bytes| blob_id(bytes) == blob)
            };
            let files = git
                .files_beside(commit, crate::STORE_FOLDER, &|_| true, &lies_here)
                .map_err(Error::failed(format!("reading the ledger of {commit}")))?;
            for (path, bytes) in files {
                let path = path.strip_prefix(&prefix).unwrap_or(&path).to_owned();
                if path == "config.toml" {
                    config = Some(String::from_utf8_lossy(&bytes).into_owned());
                } else if crate::tree::is_ledger_file(&path) {
                    ledger.push(TreeFile::new(path, bytes));
                }
            }
        }
        (Some(_), None) | (None, _) => {
            let folder = &home.layout.store;
            for (path, _) in home.tree.all_files() {
                let doing = || format!("reading {}/{path}", crate::STORE_FOLDER);
                let bytes = std::fs::read(folder.join(&path)).map_err(Error::failed(doing()))?;
                ledger.push(TreeFile::new(path, bytes));
            }
            config = match std::fs::read(folder.join("config.toml")) {
                Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                Err(error) => return Err(Error::failed("reading .kenning/config.toml")(error)),
            };
        }
    }
    Ok((ledger, config))
}

/// The entries about which two lists of lines say different things.
fn told_otherwise(old: &[Line], new: &[Line]) -> BTreeSet<EntryKey> {
    let events = |lines: &[Line]| -> HashMap<EventHash, Option<EntryKey>> {
        let events = lines.iter().filter_map(|line| match line {
            Line::Event(event) => Some((event.hash, event.entry)),
            Line::Stub(_) => None,
        });
        events.collect()
    };
    let (old, new) = (events(old), events(new));
    let only = |one: &HashMap<EventHash, Option<EntryKey>>, other: &HashMap<EventHash, Option<EntryKey>>| {
        let alone = one.iter().filter(|(hash, _)| !other.contains_key(*hash));
        alone.filter_map(|(_, entry)| *entry).collect::<Vec<_>>()
    };
    only(&old, &new).into_iter().chain(only(&new, &old)).collect()
}

/// Whether every entry that some lines are about is stated in them: else a file is missing among those that were read.
fn are_whole(lines: &[Line]) -> bool {
    let (mut named, mut stated) = (HashSet::new(), HashSet::new());
    for line in lines {
        let Line::Event(event) = line else { continue };
        named.extend(event.entry);
        if matches!(event.body, Some(Body::Entry(EntryEvent::Added(_) | EntryEvent::Rejected(_)))) {
            stated.extend(event.entry);
        }
    }
    named == stated
}
