//! The ledger files in the tree: finding what changed outside, and adding lines (STO-3, STO-5).

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use ken_core::event::read_line;
use ken_core::limits::FOLDER_FILES_MAX;
use ken_core::{EntryKey, EventHash};

use crate::catalogue::{Catalogue, Seen, Written};
use crate::disk::{Disk, Looks};
use crate::git::is_marker;
use crate::left_over::is_left_over;
use crate::limits::tree::{CHUNK_FILES, CHUNKS_AHEAD_MAX, LOOKED_FOR_MAX, READ_ALONE_MAX};
use crate::lines::{FileLines, read_lines};
use ken_engine::ProblemKind;
use ken_engine::log::hash_of;

/// Folders below the store that hold ledger files, themselves or further down.
const ROOTS: &[&str] = &[
    "semantic/v1",
    "procedural/v1",
    "procedural/provenance",
    "episodic/v1",
    ken_core::place::DOCUMENTS,
    ken_core::place::SETTINGS,
];

/// Folders whose files are shared by many entries.
const SHARED: &[&str] = &[
    "semantic/v1/provenance",
    "procedural/provenance",
    "procedural/v1/promotions",
    "episodic/v1",
    ken_core::place::DOCUMENTS,
    ken_core::place::SETTINGS,
];

/// Whether a path below the store is that of a ledger file.
pub fn is_ledger_file(path: &str) -> bool {
    let below = |root: &&str| path.strip_prefix(*root).is_some_and(|rest| rest.starts_with('/'));
    let hidden = path.split('/').any(|part| part.starts_with('.'));
    path.ends_with(".jsonl") && !hidden && ROOTS.iter().any(below)
}

/// Stores of up to this many files are looked at whole by every command: it costs less than a millisecond or two, and finds edits that leave a
/// folder's change time as it was.
const SWEEP_FILES_MAX: i64 = 1_000;

/// A folder that changed this recently may change again without its time changing.
const FRESH_NANOS: i64 = 100_000_000;

/// What changed in the tree since the index was last told.
#[derive(Default)]
pub struct Changes {
    /// New or changed files, the shared ones first.
    pub changed: Vec<(String, Looks)>,
    /// Files that are gone.
    pub gone: Vec<String>,
    /// Folders that were listed.
    pub folders: Vec<(String, i64, bool)>,
    /// Folders that are gone.
    pub folders_gone: Vec<String>,
    /// What is not as it should be, in sentences.
    pub notices: Vec<String>,
    /// Temporary files that a killed process left.
    pub left_over: Vec<PathBuf>,
}

impl Changes {
    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
            && self.gone.is_empty()
            && self.folders.is_empty()
            && self.folders_gone.is_empty()
    }
}

/// Does something with each of many, some at a time on every core. The answers come in the same order.
fn in_order<T: Send + Sync + 'static, A: Send + 'static>(
    many: Vec<T>,
    work: impl Fn(&T) -> A + Send + Sync + 'static,
) -> impl Iterator<Item = A> {
    let workers = ken_engine::cores::workers();
    let shared = Arc::new((many, work));
    let receivers: Vec<_> = (0..workers)
        .map(|worker| {
            let (sender, receiver) = sync_channel::<Vec<A>>(CHUNKS_AHEAD_MAX);
            let shared = shared.clone();
            std::thread::spawn(move || {
                let (many, work) = &*shared;
                for chunk in many.chunks(CHUNK_FILES).skip(worker).step_by(workers) {
                    // The taker went away: nobody wants the rest.
                    if sender.send(chunk.iter().map(work).collect()).is_err() {
                        return;
                    }
                }
            });
            receiver
        })
        .collect();
    // Chunks are dealt out in turn: the first worker who has none left when it is his turn had the last one before.
    let mut turn = 0;
    let chunks = std::iter::from_fn(move || {
        let chunk = receivers[turn % receivers.len()].recv().ok();
        turn += 1;
        chunk
    });
    chunks.flatten()
}

/// The ledger files of a store.
#[derive(Clone)]
pub struct Tree {
    disk: Arc<dyn Disk>,
    store: PathBuf,
}

/// Which of some lines a file has. A few are looked for by their hashes: a shared file has thousands of others.
fn present_in(
    path: &str,
    looks: Looks,
    content: &[u8],
    wanted: &[(EventHash, EntryKey, &str)],
) -> HashSet<EventHash> {
    let hashes = |bytes: &[u8]| -> Vec<EventHash> {
        read_lines(path, looks, bytes).lines.iter().map(|(line, _, _)| hash_of(line)).collect()
    };
    if wanted.len() > LOOKED_FOR_MAX {
        return hashes(content).into_iter().collect();
    }
    let mut present = HashSet::new();
    for (hash, _, _) in wanted {
        let text = hash.to_string();
        for at in memchr::memmem::find_iter(content, text.as_bytes()) {
            let start = content[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let end =
                content[at..].iter().position(|byte| *byte == b'\n').map_or(content.len(), |to| at + to);
            present.extend(hashes(&content[start..end]));
        }
    }
    present
}

impl Tree {
    /// The ledger files below a store's folder.
    pub fn new(disk: Arc<dyn Disk>, store: PathBuf) -> Self {
        Tree { disk, store }
    }

    /// Compares the tree with what the index knows. `all` looks at every file, whatever the folders say; `distrust` at those in folders
    /// that had changed a moment before they were listed: the clock may not have moved between two changes.
    pub fn changes(
        &self,
        index: &Catalogue,
        all: bool,
        distrust: bool,
        now_nanos: i64,
    ) -> rusqlite::Result<Changes> {
        let known = index.files().folders()?;
        let sweep = all || !index.files().has_more_files_than(SWEEP_FILES_MAX)?;
        let mut changes = Changes::default();
        let mut pending: Vec<String> = ROOTS.iter().map(|root| (*root).to_owned()).collect();
        let mut met = std::collections::BTreeSet::new();
        while let Some(folder) = pending.pop() {
            let Ok(looks) = self.disk.looks(&self.store.join(&folder)) else { continue };
            if !looks.is_folder {
                changes.notices.push(format!("{folder} is not a folder, so its entries cannot be read"));
                continue;
            }
            met.insert(folder.clone());
            let unchanged = known
                .get(&folder)
                .is_some_and(|(mtime, fresh)| *mtime == looks.mtime && !(distrust && *fresh));
            // Shared ledgers grow in place, which does not change their folder.
            if unchanged && !sweep && !is_shared(&format!("{folder}/")) {
                let below = format!("{folder}/");
                let range = known.range(below.clone()..).take_while(|(path, _)| path.starts_with(&below));
                pending.extend(
                    range
                        .filter(|(path, _)| !path[below.len()..].contains('/'))
                        .map(|(path, _)| path.clone()),
                );
                continue;
            }
            let fresh = now_nanos.saturating_sub(looks.mtime) < FRESH_NANOS;
            self.list(&folder, index, now_nanos, &mut changes, &mut pending)?;
            if known.get(&folder) != Some(&(looks.mtime, fresh)) {
                changes.folders.push((folder, looks.mtime, fresh));
            }
        }
        for folder in known.keys().filter(|folder| !met.contains(*folder)) {
            changes.gone.extend(index.files().files_in(folder)?.into_keys());
            changes.folders_gone.push(folder.clone());
        }
        changes.changed.sort_by_key(|(path, _)| (!is_shared(path), path.clone()));
        Ok(changes)
    }

    fn list(
        &self,
        folder: &str,
        index: &Catalogue,
        now_nanos: i64,
        changes: &mut Changes,
        pending: &mut Vec<String>,
    ) -> rusqlite::Result<()> {
        let mut known = index.files().files_in(folder)?;
        let names = match self.disk.names(&self.store.join(folder)) {
            Ok(names) => names,
            Err(error) => {
                changes.notices.push(format!("{folder} cannot be listed: {error}"));
                return Ok(());
            }
        };
        for (name, looks) in names {
            let path = format!("{folder}/{name}");
            if looks.is_folder {
                if !name.starts_with('.') {
                    pending.push(path);
                }
            } else if looks.is_file && name.ends_with(".jsonl") && !name.starts_with('.') {
                let same = known.remove(&path) == Some(seen(&looks));
                if !same {
                    changes.changed.push((path, looks));
                }
            } else if is_left_over(&name, &looks, now_nanos) {
                changes.left_over.push(self.store.join(path));
            } else if !looks.is_file && !name.starts_with('.') {
                changes.notices.push(format!(
                    "{path} is a link or a device, which ken does not follow; it was not read"
                ));
            }
        }
        changes.gone.extend(known.into_keys());
        Ok(())
    }

    /// Which of an entry's files no longer look as they did: an edit in place does not change its folder.
    pub fn edited(&self, index: &Catalogue, key: EntryKey) -> rusqlite::Result<bool> {
        for (path, known) in index.files().files_of(key)? {
            let same = self.disk.looks(&self.store.join(&path)).is_ok_and(|looks| seen(&looks) == known);
            if !same {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads files on other threads while this one takes them in.
    pub fn read_all(&self, paths: Vec<(String, Looks)>) -> Box<dyn Iterator<Item = FileLines>> {
        let tree = self.clone();
        if paths.len() < READ_ALONE_MAX {
            return Box::new(paths.into_iter().filter_map(move |(path, looks)| tree.read(&path, looks)));
        }
        let read = in_order(paths, move |(path, looks)| tree.read(path, *looks));
        let tree = self.clone();
        // Whoever takes them in has the index to himself by now: what somebody wrote since a file was read must not be forgotten again.
        Box::new(read.flatten().map(move |file| match tree.disk.looks(&tree.store.join(&file.path)) {
            Ok(looks) if seen(&looks) != seen(&file.looks) => tree.read(&file.path, looks).unwrap_or(file),
            Ok(_) | Err(_) => file,
        }))
    }

    /// Reads files as they were when they looked like this, on other threads. Ledger files only grow, so that is where they begin; a
    /// file that was replaced, cut or edited since is no longer that, and gives its path.
    pub fn read_back(
        &self,
        mut files: Vec<(String, Seen)>,
    ) -> impl Iterator<Item = std::result::Result<FileLines, String>> + use<> {
        files.sort_by_key(|(path, _)| (!is_shared(path), path.clone()));
        let tree = self.clone();
        in_order(files, move |(path, known)| tree.read_back_one(path, *known))
    }

    fn read_back_one(&self, path: &str, known: Seen) -> std::result::Result<FileLines, String> {
        let full = self.store.join(path);
        let (Ok(mut bytes), Ok(looks)) = (self.disk.read(&full, 0), self.disk.looks(&full)) else {
            return Err(path.to_owned());
        };
        let (size, mtime, inode) = known;
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let grown = bytes.len() > size;
        let same = looks.inode as i64 == inode && bytes.len() >= size && (grown || looks.mtime == mtime);
        if !same {
            return Err(path.to_owned());
        }
        bytes.truncate(size);
        let read = read_lines(path, Looks { size: size as u64, ..looks }, &bytes);
        // Half of a line that somebody was writing.
        let half = grown && read.problems.iter().any(|problem| problem.kind == ProblemKind::Torn);
        if half { Err(path.to_owned()) } else { Ok(read) }
    }

    /// Reads one file; none if it vanished meanwhile.
    pub fn read(&self, path: &str, looks: Looks) -> Option<FileLines> {
        let bytes = self.disk.read(&self.store.join(path), 0).ok()?;
        Some(read_lines(path, Looks { size: bytes.len() as u64, ..looks }, &bytes))
    }

    /// Every ledger file there is.
    pub fn all_files(&self) -> Vec<(String, Looks)> {
        let mut files = Vec::new();
        let mut pending: Vec<String> = ROOTS.iter().map(|root| (*root).to_owned()).collect();
        while let Some(folder) = pending.pop() {
            for (name, looks) in self.disk.names(&self.store.join(&folder)).unwrap_or_default() {
                let path = format!("{folder}/{name}");
                if looks.is_folder && !name.starts_with('.') {
                    pending.push(path);
                } else if looks.is_file && name.ends_with(".jsonl") && !name.starts_with('.') {
                    files.push((path, looks));
                }
            }
        }
        files.sort_by_key(|(path, _)| (!is_shared(path), path.clone()));
        files
    }

    /// The path a ledger file really has: where it already is, else its folder, or a two-digit subfolder of one that is full.
    pub fn place(
        &self,
        logical: &str,
        index: &Catalogue,
        grown: &mut BTreeMap<String, i64>,
    ) -> rusqlite::Result<String> {
        let Some((folder, name)) = logical.rsplit_once('/') else { return Ok(logical.to_owned()) };
        let digits = &EventHash::from_parts(&[name.as_bytes()]).to_string()[..2];
        let below = format!("{folder}/{digits}/{name}");
        if is_shared(logical) || index.files().has_file(logical)? {
            return Ok(logical.to_owned());
        }
        let count = match grown.get(folder) {
            Some(count) => *count,
            // A folder that overflowed once stays full, so that nobody has to count it again.
            None if index.files().has_folders_in(folder)? => FOLDER_FILES_MAX as i64,
            None => index.files().files_in_count(folder)?,
        };
        let full = count >= FOLDER_FILES_MAX as i64;
        grown.insert(folder.to_owned(), if full { count } else { count + 1 });
        Ok(if full { below } else { logical.to_owned() })
    }

    /// Adds lines to files, without sync. Careful: leaves out lines that are there, and mends what a crash tore.
    ///
    /// Answers what the index needs to know, or nothing for a file that was not as the index thought.
    pub fn add_lines(
        &self,
        path: &str,
        lines: &[(EventHash, EntryKey, &str)],
        known: Option<Seen>,
        careful: bool,
    ) -> io::Result<Option<Written>> {
        let full = self.store.join(path);
        self.refuse_links(path)?;
        let before = match self.disk.looks(&full) {
            Ok(looks) if !looks.is_file => {
                return Err(io::Error::other(
                    "it is not a regular file, and ken does not follow links; remove it",
                ));
            }
            Ok(looks) => Some(looks),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        let mut present = HashSet::new();
        let mut start = before.map_or(0, |looks| looks.size);
        if let Some(looks) = before.filter(|looks| looks.size > 0) {
            if careful {
                let content = self.disk.read(&full, 0)?;
                present = present_in(path, looks, &content, lines);
                start = self.mend_tail(&full, &content, lines)?;
            }
            if start > 0 && self.disk.read_exact(&full, start - 1, 1)? != b"\n" {
                bytes.push(b'\n');
            }
        }
        let in_step = match (before, known) {
            (None, None) => true,
            (Some(looks), Some(known)) => seen(&looks) == known,
            _ => false,
        };
        let mut placed = Vec::new();
        for (hash, _, line) in lines.iter().filter(|(hash, _, _)| !present.contains(hash)) {
            placed.push((*hash, start + bytes.len() as u64, line.len() as u64));
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        if !bytes.is_empty() {
            self.disk.append(&full, &bytes)?;
        }
        let first = lines.first().map(|(_, entry, _)| *entry);
        let only = first.filter(|first| lines.iter().all(|(_, entry, _)| entry == first) && !is_shared(path));
        if !in_step {
            return Ok(None);
        }
        let looks = self.disk.looks(&full)?;
        Ok((looks.size == start + bytes.len() as u64).then(|| Written {
            path: path.to_owned(),
            looks,
            lines: placed,
            entry: only,
        }))
    }

    /// A folder on the way to a ledger file that is a link would lead a write out of the store.
    fn refuse_links(&self, path: &str) -> io::Result<()> {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        for folder in std::iter::once("").chain(folders) {
            match self.disk.looks(&self.store.join(folder)) {
                Ok(looks) if !looks.is_folder => {
                    let name = if folder.is_empty() { crate::STORE_FOLDER } else { folder };
                    let kind = io::ErrorKind::NotADirectory;
                    return Err(io::Error::new(
                        kind,
                        format!("{name} is not a folder, and ken does not follow links"),
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The files that some journal records belong to and that no longer look as the index knows them: a process that died may have
    /// written to them in place.
    pub fn touched(
        &self,
        logical: &std::collections::BTreeSet<&str>,
        index: &Catalogue,
    ) -> rusqlite::Result<Vec<(String, Looks)>> {
        let mut touched = Vec::new();
        for name in logical {
            let path = self.place(name, index, &mut BTreeMap::new())?;
            let Ok(looks) = self.disk.looks(&self.store.join(&path)) else { continue };
            if looks.is_file && index.files().file_looks(&path)? != Some(seen(&looks)) {
                touched.push((path, looks));
            }
        }
        Ok(touched)
    }

    /// Cuts the beginning of a line that a crash left at the end of a file, if it is the beginning of a line we are about to write.
    fn mend_tail(
        &self,
        full: &std::path::Path,
        content: &[u8],
        lines: &[(EventHash, EntryKey, &str)],
    ) -> io::Result<u64> {
        let at = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let tail = &content[at..];
        let torn = !tail.is_empty()
            && lines.iter().any(|(_, _, line)| line.len() > tail.len() && line.as_bytes().starts_with(tail));
        // After a power loss a file can also end in zeroes that were never written.
        let zeroes = !tail.is_empty() && tail.iter().all(|byte| *byte == 0);
        if torn || zeroes {
            self.disk.truncate(full, at as u64)?;
            return Ok(at as u64);
        }
        Ok(content.len() as u64)
    }

    /// Takes damaged lines out of a file if they are nothing but zeroes and pieces of some known lines.
    pub fn mend(&self, path: &str, known: &[String]) -> io::Result<()> {
        let content = match self.disk.read(&self.store.join(path), 0) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let known_lines = || known.iter().map(|line| line.as_bytes());
        // A torn line is a beginning; where whole pages are zeroes, what stands between them can begin anywhere.
        let is_piece = |piece: &[u8]| {
            piece.is_empty() || known_lines().any(|line| line.windows(piece.len()).any(|part| part == piece))
        };
        let is_known = |line: &[u8]| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let sound = std::str::from_utf8(line).is_ok_and(|line| read_line(line).is_ok());
            if sound || is_marker(line) || line.iter().all(u8::is_ascii_whitespace) {
                return false;
            }
            match line.contains(&0) {
                true => line.split(|byte| *byte == 0).all(is_piece),
                false => known_lines().any(|whole| whole.starts_with(line)),
            }
        };
        let kept: Vec<u8> = content
            .split_inclusive(|byte| *byte == b'\n')
            .filter(|line| !is_known(line))
            .flatten()
            .copied()
            .collect();
        if kept.len() < content.len() { self.replace(path, &kept) } else { Ok(()) }
    }

    /// Replaces a ledger file as a whole, and durably: it may hold lines that no journal of this clone has. Only mending and purges do.
    pub fn replace(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.disk.replace_synced(&self.store.join(path), bytes)
    }

    /// The change time of a folder.
    pub fn folder_mtime(&self, folder: &str) -> Option<i64> {
        self.disk.looks(&self.store.join(folder)).ok().map(|looks| looks.mtime)
    }
}

fn seen(looks: &Looks) -> Seen {
    (looks.size as i64, looks.mtime, looks.inode as i64)
}

/// Whether a file is shared by many entries.
pub fn is_shared(path: &str) -> bool {
    SHARED.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}
