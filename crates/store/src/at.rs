//! The ledger files of a tree, line by line: those of a commit, or those that lie here. What gates and reviews compare.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ken_core::event::Line;
use ken_core::{Body, EntryEvent, EntryKey, Event, EventHash};
use ken_engine::{Error, Result};

use crate::disk::Looks;
use crate::lines::{FileLines, Problem, read_lines};
use crate::snapshot::Snapshot;
use crate::store::{Store, index_error};

/// The ledger of one tree.
#[derive(Default)]
pub struct LedgerAt {
    /// Every event with its file and line.
    pub events: Vec<(Event, String, u64)>,
    /// What purges left.
    stubs: Vec<Line>,
    /// Lines that are not what they should be, with their file.
    pub problems: Vec<(String, Problem)>,
    /// Entries of which something was purged here since: they count as they did, and what they say is not shown (STO-13).
    pub purged: BTreeSet<EntryKey>,
    /// Its `config.toml`.
    pub config: Option<String>,
}

const NOTHING: Looks = Looks { size: 0, mtime: 0, inode: 0, is_folder: false, is_file: true };

impl LedgerAt {
    fn take(&mut self, file: FileLines, bytes: &[u8]) {
        let mut counted = 0;
        let mut number = 1;
        for (line, at, _) in file.lines {
            let upto = usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
            number += bytes[counted..upto].iter().filter(|byte| **byte == b'\n').count() as u64;
            counted = upto;
            match line {
                Line::Event(event) => self.events.push((*event, file.path.clone(), number)),
                stub @ Line::Stub(_) => self.stubs.push(stub),
            }
        }
        self.problems.extend(file.problems.into_iter().map(|problem| (file.path.clone(), problem)));
    }

    /// The hashes of everything it holds. What a purge of its own took out is still accounted for.
    pub fn hashes(&self) -> HashSet<EventHash> {
        let mut hashes: HashSet<EventHash> = self.events.iter().map(|(event, _, _)| event.hash).collect();
        for (event, _, _) in &self.events {
            if let Some(Body::Entry(EntryEvent::Purged { hashes: purged, .. })) = &event.body {
                hashes.extend(purged.iter().copied());
            }
        }
        hashes
    }

    /// The file and line in which each entry is first told of.
    pub fn places(&self) -> BTreeMap<EntryKey, (String, u64)> {
        let mut places: HashMap<EntryKey, (String, u64)> = HashMap::new();
        for (event, file, line) in &self.events {
            let Some(key) = event.entry else { continue };
            if matches!(event.body, Some(Body::Entry(EntryEvent::Added(_)))) || !places.contains_key(&key) {
                places.insert(key, (file.clone(), *line));
            }
        }
        places.into_iter().collect()
    }
}

impl Store {
    /// The ledger files of a commit, or with none those of the working tree.
    pub fn ledger_at(&self, commit: Option<&str>) -> Result<LedgerAt> {
        let mut ledger = LedgerAt::default();
        match (commit, self.git()) {
            (Some(commit), Some(git)) => {
                let files = git
                    .files_at(commit, crate::STORE_FOLDER)
                    .map_err(Error::failed(format!("reading the ledger of {commit}")))?;
                let prefix = format!("{}/", crate::STORE_FOLDER);
                for (path, bytes) in files {
                    let path = path.strip_prefix(&prefix).unwrap_or(&path).to_owned();
                    if path == "config.toml" {
                        ledger.config = Some(String::from_utf8_lossy(&bytes).into_owned());
                    } else if crate::tree::is_ledger_file(&path) {
                        ledger.take(read_lines(&path, NOTHING, &bytes), &bytes);
                    }
                }
            }
            (Some(_), None) | (None, _) => {
                let folder = &self.layout().store;
                for (path, looks) in self.tree().all_files() {
                    let doing = || format!("reading {}/{path}", crate::STORE_FOLDER);
                    let bytes = std::fs::read(folder.join(&path)).map_err(Error::failed(doing()))?;
                    ledger.take(read_lines(&path, looks, &bytes), &bytes);
                }
                ledger.config = match std::fs::read(folder.join("config.toml")) {
                    Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                    Err(error) => return Err(Error::failed("reading .kenning/config.toml")(error)),
                };
            }
        }
        for (event, _, _) in &ledger.events {
            if self.index().purge_counts(event).map_err(index_error)? {
                ledger.purged.extend(event.entry);
            }
        }
        Ok(ledger)
    }

    /// The fold of such a ledger. Releases of this clone count.
    pub fn snapshot_of(&self, ledger: &LedgerAt) -> Result<Snapshot> {
        let events = ledger.events.iter().map(|(event, _, _)| Line::Event(Box::new(event.clone())));
        let lines: Vec<Line> = events.chain(ledger.stubs.iter().cloned()).collect();
        let released = self.released_here(&lines)?;
        Snapshot::of(lines, self.own(), released)
    }
}
