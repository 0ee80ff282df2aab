//! What this branch's ledger files build on and lack, who has it, and putting it back.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ken_core::event::Line;
use ken_core::{Event, EventHash};
use ken_engine::log::hash_of;
use ken_engine::{Arrival, Error, Recovered, Result};
use ken_index::index_error;

use crate::home::Home;
use crate::lines::read_lines;
use crate::receive;
use crate::work::{Look, Work, events_word};
use crate::{follow, write_out};

/// An event that something in the tree builds on and that the tree does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) hash: EventHash,
    /// Where it can be had; none if nowhere here.
    pub(crate) found: Option<EventHolder>,
}

/// Who has a missing event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EventHolder {
    /// This clone's journal; written on that branch.
    Journal { branch: String },
    /// The history of this branch: a commit took it out.
    Removed { commit: String, line: String },
    /// A branch, remote branch or commit.
    Git { name: String, line: String },
}

/// What the tree builds on and does not hold, with everything that in turn builds on.
pub(crate) fn missing(look: Look<'_>, known: &HashMap<EventHash, Vec<EventHash>>) -> Result<Vec<Missing>> {
    let mut wanted: BTreeSet<EventHash> =
        known.values().flatten().filter(|hash| !known.contains_key(*hash)).copied().collect();
    let mut found: BTreeMap<EventHash, Option<EventHolder>> = BTreeMap::new();
    let mut history: Option<HashMap<EventHash, (String, String)>> = None;
    while let Some(hash) = wanted.pop_first() {
        if found.contains_key(&hash) || known.contains_key(&hash) {
            continue;
        }
        let mut parents = Vec::new();
        let mut place = None;
        if let Some((journal, start, length)) = look.index.places().frame_of(&hash).map_err(index_error)? {
            let records = look.log.home.journals[journal as usize]
                .read_frame(start, length)
                .map_err(Error::failed("reading the journal"))?;
            let record = records
                .iter()
                .find(|record| record.stated_hash() == Some(hash))
                .and_then(|record| record.line().ok());
            if let Some(line) = record {
                parents = parents_of(&line).to_vec();
                let branch = look.index.places().branch_of(&hash).map_err(index_error)?.unwrap_or_default();
                // It is on its way to its file, and everything it builds on is before it.
                if write_out::is_pending(look, journal, start) {
                    continue;
                }
                place = Some(EventHolder::Journal { branch });
            }
        }
        if place.is_none() {
            let lines = match &mut history {
                Some(lines) => lines,
                None => history.insert(lines_elsewhere(&look.log.home)?),
            };
            if let Some((name, line)) = lines.get(&hash) {
                parents = ken_core::event::read_line(line)
                    .map(|line| parents_of(&line).to_vec())
                    .unwrap_or_default();
                place = Some(EventHolder::Git { name: name.clone(), line: line.clone() });
            }
        }
        wanted.extend(parents);
        found.insert(hash, place);
    }
    for (hash, place) in removed_by_commits(&look.log.home) {
        if !known.contains_key(&hash) {
            found.entry(hash).or_insert(Some(place));
        }
    }
    let purged = look.index.purged().map_err(index_error)?;
    found.retain(|hash, _| !purged.contains(hash));
    Ok(found.into_iter().map(|(hash, found)| Missing { hash, found }).collect())
}

/// Ledger lines that a commit of this branch took out, a revert for example: merging again does not bring them back (STO-7).
pub(crate) fn removed_by_commits(home: &Home) -> Vec<(EventHash, EventHolder)> {
    let Some(git) = home.git() else { return Vec::new() };
    let args = [
        "log",
        "-p",
        "-U0",
        "--no-renames",
        "--no-color",
        "--no-ext-diff",
        "--diff-filter=MD",
        "--format=commit %H",
        "HEAD",
        "--",
        crate::STORE_FOLDER,
    ];
    let Ok(text) = git.text(&args) else { return Vec::new() };
    let mut removed = Vec::new();
    let mut commit = String::new();
    for line in text.lines() {
        if let Some(hash) = line.strip_prefix("commit ") {
            commit = hash.chars().take(10).collect();
        } else if let Some(text) = line.strip_prefix("-{")
            && let Ok(Line::Event(event)) = ken_core::event::read_line(&format!("{{{text}"))
        {
            let line = event.line().to_owned();
            let place = EventHolder::Removed { commit: commit.clone(), line };
            removed.push((event.hash, place));
        }
    }
    removed
}

/// Every ledger line that other branches, stashes or old commits hold: event, then who has it, and the line.
pub(crate) fn lines_elsewhere(home: &Home) -> Result<HashMap<EventHash, (String, String)>> {
    const COMMITS_MAX: usize = 300;
    let mut lines = HashMap::new();
    let Some(git) = home.git() else { return Ok(lines) };
    let branches = git.branches().map_err(Error::failed("asking git for its branches"))?;
    let commits = git.commits_touching(crate::STORE_FOLDER);
    let commits = commits.map_err(Error::failed("asking git which commits changed the store"))?;
    let mut blobs_seen: HashSet<(String, u64)> = HashSet::new();
    let names = branches.iter().map(|name| (name.as_str(), format!("branch {name}")));
    let names = names
        .chain(commits.iter().map(|hash| (hash.as_str(), format!("commit {}", &hash[..hash.len().min(10)]))));
    for (name, shown) in names.take(COMMITS_MAX) {
        let files = git.files_at(name, crate::STORE_FOLDER);
        for (path, bytes) in files.map_err(Error::failed("reading the store of another commit"))? {
            let Some(path) =
                path.strip_prefix(".kenning/").filter(|path| path.ends_with(".jsonl")).map(str::to_owned)
            else {
                continue;
            };
            if !blobs_seen.insert((path.clone(), bytes.len() as u64)) && bytes.is_empty() {
                continue;
            }
            let looks = crate::disk::Looks {
                size: bytes.len() as u64,
                mtime: 0,
                inode: 0,
                is_folder: false,
                is_file: true,
            };
            for (line, _, _) in read_lines(&path, looks, &bytes).lines {
                if let Line::Event(event) = line {
                    lines.entry(event.hash).or_insert_with(|| (shown.clone(), event.line().to_owned()));
                }
            }
        }
    }
    Ok(lines)
}

/// Puts back what was lost from the files of this branch.
pub(crate) fn recover_lost(work: &mut Work<'_>, all: bool) -> Result<Recovered> {
    work.log.home.may_write()?;
    follow::catch_up(work, true)?;
    let mut recovered = Recovered::default();
    let lost: Vec<EventHash> = if all {
        work.index.places().absent().map_err(index_error)?.into_iter().map(|absent| absent.hash).collect()
    } else {
        write_out::lost_here(work.look())?
    };
    if !lost.is_empty() {
        let count = write_out::put_back(work, &lost)?;
        recovered.put_back += count;
        recovered.from.push(format!("{} from the journal", events_word(count)));
    }
    let mut known = HashMap::new();
    for file in work.log.home.tree.read_all(work.log.home.tree.all_files()) {
        known.extend(file.lines.iter().map(|(line, _, _)| (hash_of(line), parents_of(line).to_vec())));
    }
    let mut from_journal = Vec::new();
    let mut from_git: Vec<Event> = Vec::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for missing in missing(work.look(), &known)? {
        match missing.found {
            Some(EventHolder::Journal { branch }) => {
                *names.entry(format!("the journal, written on branch {branch}")).or_default() += 1;
                from_journal.push(missing.hash);
            }
            Some(EventHolder::Removed { commit, line }) => {
                if let Ok(Line::Event(event)) = ken_core::event::read_line(&line) {
                    *names.entry(format!("before commit {commit}")).or_default() += 1;
                    from_git.push(*event);
                }
            }
            Some(EventHolder::Git { name, line }) => {
                if let Ok(Line::Event(event)) = ken_core::event::read_line(&line) {
                    *names.entry(name).or_default() += 1;
                    from_git.push(*event);
                }
            }
            None => recovered.still_missing.push(missing.hash.to_string()),
        }
    }
    if !from_journal.is_empty() {
        recovered.put_back += write_out::put_back(work, &from_journal)?;
    }
    let arrived: Vec<Line> = from_git.into_iter().map(|event| Line::Event(Box::new(event))).collect();
    if !arrived.is_empty() {
        recovered.put_back += arrived.len();
        receive::receive(work, arrived, Arrival::Merge)?;
    }
    recovered
        .from
        .extend(names.into_iter().map(|(name, count)| format!("{} from {name}", events_word(count))));
    follow::catch_up(work, true)?;
    Ok(recovered)
}

fn parents_of(line: &Line) -> &[EventHash] {
    match line {
        Line::Event(event) => &event.parents,
        Line::Stub(stub) => &stub.parents,
    }
}
