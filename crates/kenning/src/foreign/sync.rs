//! `sync`: native files of other systems and the ledger kept in step, in both directions.
//!
//! Each file is compared with how it was when the two were last in step, and each of its entries with how it stood then. What changed on one side
//! is carried to the other; what changed on both is a conflict, and nobody's words are lost. Every step can be done twice: a sync that was
//! interrupted is finished by the next one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ken_core::document::seen;
use ken_core::{Body, Code, DocumentEvent, DocumentName, EntryKey, Event, Kept, KeptPart, Refusal};
use ken_engine::ops::documents;
use ken_engine::{Documents, Error, Ledger, Recall, Result, Stored};
use ken_formats::align::{Met, align};
use ken_formats::{Document, Format, Part, Role};
use ken_store::Mirrored;
use ken_store::disk::{Disk, RealDisk};
use serde::Serialize;
use serde_json::Value;

use super::databases;
use super::disk::{self, Found};
use super::edit::{Edit, Taking};
use super::outgoing::{Among, outgoing};
use super::{FileNote, Folder, Taken, Tie};
use crate::{Kenning, config};

/// A folder of another system that is kept in step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mirror {
    /// What it is called in the settings.
    pub name: String,
    /// The word of its format.
    pub format: String,
    /// Its path in the repository.
    pub path: String,
}

/// How a sync behaves.
#[derive(Clone, Debug, Default)]
pub struct SyncInput {
    /// The mirrors that are meant; all of them when empty.
    pub mirrors: Vec<String>,
    /// Say what would happen, and do nothing.
    pub check: bool,
    /// Many files may go, on either side.
    pub yes: bool,
    /// Files that are gone and that history does not delete come back.
    pub restore: bool,
    /// Which side counts where both changed.
    pub take: Option<Take>,
}

/// Which side counts where both changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// What the file says.
    File,
    /// What the ledger says.
    Ledger,
}

/// Something that was done, or that is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SyncAction {
    /// The mirror.
    pub mirror: String,
    /// The file.
    pub path: String,
    /// `added`, `edited`, `moved`, `retracted`, `written`, `removed`, `restored` or `made`.
    pub what: &'static str,
    /// More about it.
    pub detail: String,
}

/// A thing that both sides say differently since they were in step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The mirror.
    pub mirror: String,
    /// The file.
    pub path: String,
    /// The entry.
    pub id: String,
    /// What of it.
    pub field: String,
    /// What the file says.
    pub file: String,
    /// What the ledger says.
    pub ledger: String,
}

/// What a sync did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SyncReport {
    /// The mirrors.
    pub mirrors: Vec<Mirror>,
    /// Nothing was done: it was only looked.
    pub check: bool,
    /// Files that were looked at.
    pub files: usize,
    /// What was done, or is to be done.
    pub actions: Vec<SyncAction>,
    /// What both sides changed.
    pub conflicts: Vec<Conflict>,
    /// What waits for somebody, in sentences.
    pub waiting: Vec<FileNote>,
    /// What else there is to say.
    pub notes: Vec<FileNote>,
}

impl SyncReport {
    /// Whether the two sides say the same now.
    pub fn is_in_step(&self) -> bool {
        self.conflicts.is_empty() && self.waiting.is_empty() && (!self.check || self.actions.is_empty())
    }
}

/// DOO-6: more files than this are not taken away without asking,
const GONE_FILES_MAX: usize = 10;
/// and no more than this share of them.
const GONE_PERCENT_MAX: usize = 10;
/// What is said of a file that git could not merge.
const UNMERGED: &str = "holds the marks of a merge that nobody finished; finish it, and sync again";
/// A file that changed this recently may change again without looking different.
const FRESH: Duration = Duration::from_secs(2);
/// Files of which it is asked who edited each: of more, whoever runs this is taken for it.
const AUTHORS_ASKED_MAX: usize = 50;

/// One mirror while it is brought in step.
struct Side<'a> {
    mirror: &'a Mirror,
    format: &'static dyn Format,
    folder: Folder,
    /// The files on the disk, with the hash of each.
    disk: BTreeMap<String, (Found, String)>,
    /// The files as they are kept.
    kept: BTreeMap<String, String>,
    /// Files that both sides changed, or that wait.
    held: BTreeSet<String>,
    input: &'a SyncInput,
    report: &'a mut SyncReport,
    acted: bool,
    /// This side changed files.
    has_written: bool,
}

impl Side<'_> {
    fn act(&mut self, path: &str, what: &'static str, detail: impl Into<String>) {
        self.acted = true;
        self.has_written |= matches!(what, "written" | "removed");
        self.report.actions.push(SyncAction {
            mirror: self.mirror.name.clone(),
            path: path.to_owned(),
            what,
            detail: detail.into(),
        });
    }

    fn name(&self, path: &str) -> DocumentName {
        DocumentName::new(self.format.word(), &self.folder.root, path)
    }

    fn wait(&mut self, path: &str, note: impl Into<String>) {
        self.held.insert(path.to_owned());
        self.report.waiting.push(FileNote::new(path, note));
    }

    fn is_only_looking(&self) -> bool {
        self.input.check
    }

    /// Whether so many files may go without asking.
    fn may_go(&self, gone: usize) -> bool {
        let all = self.kept.len().max(1);
        self.input.yes || (gone <= GONE_FILES_MAX && gone * 100 <= all * GONE_PERCENT_MAX) || gone == 1
    }

    /// Writes a file, and remembers how it looks now.
    fn write(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        let failed = || Error::failed(format!("writing {}", self.folder.at.join(path).display()));
        disk::replace(&self.folder.at, path, bytes, true).map_err(failed())?;
        let found = disk::looks(&self.folder.at, path).map_err(failed())?;
        self.disk.insert(path.to_owned(), (found, Kept::hash_of(bytes)));
        Ok(())
    }
}

/// A file with the entry of each of its items.
struct Held {
    document: Document,
    keys: Vec<Option<EntryKey>>,
}

impl Kenning {
    /// The mirrors that the settings name.
    pub fn mirrors(&self) -> Result<Vec<Mirror>> {
        let mut mirrors = Vec::new();
        for name in self.config.members(config::MIRRORS) {
            let value = self.config.member(config::MIRRORS, &name).unwrap_or_default();
            let (format, path) = config::read_mirror(&value).map_err(|why| {
                Refusal::new(Code::Invalid, format!("mirrors.{name} in .kenning/config.toml: {why}"))
                    .field(format!("mirrors.{name}"))
            })?;
            mirrors.push(Mirror { name, format, path });
        }
        Ok(mirrors)
    }

    /// Brings mirrors and ledger in step.
    pub fn sync(&mut self, input: &SyncInput) -> Result<SyncReport> {
        // Two at once would carry the same edit twice.
        let _lock = match input.check {
            true => None,
            false => {
                self.store.may_write()?;
                let lock = self.layout().tree_home().join("sync.lock");
                Some(RealDisk.lock(&lock).map_err(Error::failed("waiting for another sync"))?)
            }
        };
        let all = self.mirrors()?;
        apart(&all)?;
        if all.is_empty() {
            return Err(Refusal::new(Code::NotFound, "no mirror is set up here")
                .hint("say which folder is kept in step: ken config mirrors.NAME FORMAT:FOLDER, for instance `ken config mirrors.reviews wfc:wfc/references/reviewers`")
                .into());
        }
        if let Some(unknown) =
            input.mirrors.iter().find(|name| all.iter().all(|mirror| mirror.name != **name))
        {
            let names: Vec<&str> = all.iter().map(|mirror| mirror.name.as_str()).collect();
            return Err(Refusal::new(Code::NotFound, format!("there is no mirror {unknown:?}"))
                .hint(format!("mirrors here: {}", names.join(", ")))
                .field("mirror")
                .into());
        }
        let meant = |mirror: &Mirror| input.mirrors.is_empty() || input.mirrors.contains(&mirror.name);
        let mut report = SyncReport { check: input.check, ..SyncReport::default() };
        let mirrors: Vec<Mirror> = all.into_iter().filter(meant).collect();
        let mut acted = false;
        for mirror in &mirrors {
            acted |= self.sync_one(mirror, input, &mut report)?;
        }
        // What a later mirror brought may belong into an earlier one.
        if acted && !input.check && mirrors.len() > 1 {
            let mut again = SyncReport::default();
            for mirror in &mirrors {
                self.sync_one(mirror, input, &mut again)?;
            }
            report.actions.append(&mut again.actions);
            (report.files, report.conflicts, report.waiting) = (again.files, again.conflicts, again.waiting);
        }
        report.mirrors = mirrors;
        if acted && !input.check {
            self.finish(())?;
        }
        Ok(report)
    }

    fn sync_one(&mut self, mirror: &Mirror, input: &SyncInput, report: &mut SyncReport) -> Result<bool> {
        let format = super::format(&mirror.format)?;
        let folder = self.mirror_folder(mirror)?;
        let (known, digest_then) = self.store.mirrored(&memory_of(mirror))?;
        let known: HashMap<&str, &Mirrored> = known.iter().map(|file| (file.path.as_str(), file)).collect();
        let lines = self.store.documents(Some(format.word()), Some(&folder.root))?;
        let is_meant = |path: &str| folder.only.as_deref().is_none_or(|only| only == path);
        let kept: BTreeMap<String, String> = lines
            .into_iter()
            .filter(|line| line.here && is_meant(&line.document.path))
            .map(|line| (line.document.path, line.hash))
            .collect();
        let listing = match disk::list(&folder.at) {
            Ok(listing) => listing,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => disk::Listing::default(),
            Err(error) => return Err(Error::failed(format!("reading {}", folder.at.display()))(error)),
        };
        for (path, why) in listing.left_out {
            report.notes.push(FileNote::new(path, why));
        }
        let mut files = BTreeMap::new();
        let mut reread = false;
        for found in databases::rows_for(format, &folder, listing.files, &mut report.notes) {
            let is_meant = match &folder.only {
                Some(only) => *only == found.path,
                None => kept.contains_key(&found.path) || self.is_of(format, &folder, &found.path),
            };
            if !is_meant {
                continue;
            }
            let hash = match known.get(found.path.as_str()).filter(|before| found.looks_like(before)) {
                Some(before) => before.content.clone(),
                None => {
                    reread = true;
                    if let Some(why) = super::unnameable(&found.path) {
                        report.notes.push(FileNote::new(&found.path, why));
                        continue;
                    }
                    match self.read_foreign(&folder, &found.path) {
                        Ok(bytes) => Kept::hash_of(&bytes),
                        Err(why) => {
                            report.notes.push(FileNote::new(&found.path, why));
                            continue;
                        }
                    }
                }
            };
            files.insert(found.path.clone(), (found, hash));
        }
        let digest = self.store.digest()?;
        let files_in_step = files.len() == kept.len()
            && files.iter().all(|(path, (_, hash))| kept.get(path).is_some_and(|kept| kept == hash));
        if files_in_step && digest_then.as_deref() == Some(&digest) {
            if reread && !input.check {
                self.remember_mirror(&memory_of(mirror), &files, Some(&digest))?;
            }
            report.files += files.len();
            return Ok(false);
        }
        let held = BTreeSet::new();
        let mut side = Side {
            mirror,
            format,
            folder,
            disk: files,
            kept,
            held,
            input,
            report,
            acted: false,
            has_written: false,
        };
        self.carry_in(&mut side)?;
        self.carry_out(&mut side)?;
        side.report.files += side.disk.len();
        let (acted, held) = (side.acted, side.held.len());
        if !input.check {
            let digest = self.store.digest()?;
            let files = std::mem::take(&mut side.disk);
            self.remember_mirror(
                &memory_of(mirror),
                &files,
                Some(&digest).filter(|_| held == 0).map(String::as_str),
            )?;
        }
        Ok(acted)
    }

    fn is_of(&self, format: &dyn Format, folder: &Folder, path: &str) -> bool {
        let is_scattered = super::import::SCATTERED.contains(&format.word()) || folder.root.is_empty();
        if !is_scattered {
            return true;
        }
        let bytes = disk::read(&folder.at, path).unwrap_or_default();
        super::import::is_claimed(format, path, &bytes)
    }

    /// The folder of a mirror. It must lie in the repository, and not be a link out of it.
    fn mirror_folder(&self, mirror: &Mirror) -> Result<Folder> {
        let top = self.layout().root.clone();
        let top = top.canonicalize().unwrap_or(top);
        let at = if mirror.path.is_empty() { top.clone() } else { top.join(&mirror.path) };
        if let Ok(real) = at.canonicalize()
            && real != at
        {
            return Err(Refusal::new(
                Code::NotAllowed,
                format!("mirrors.{}: {} is a link, or lies behind one", mirror.name, mirror.path),
            )
            .hint("name the folder itself")
            .into());
        }
        // A name with an ending is a file, also before it is there.
        let is_one = at.is_file() || (!at.is_dir() && at.extension().is_some());
        if let (true, Some(file)) = (is_one, at.file_name().and_then(|name| name.to_str())) {
            let root = mirror.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let folder = at.parent().unwrap_or(&top).to_owned();
            return Ok(Folder { at: folder, root, only: Some(file.to_owned()) });
        }
        Ok(Folder { at, root: mirror.path.clone(), only: None })
    }

    fn remember_mirror(
        &mut self,
        root: &str,
        files: &BTreeMap<String, (Found, String)>,
        digest: Option<&str>,
    ) -> Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let settled = i64::try_from(now.saturating_sub(FRESH).as_nanos()).unwrap_or(i64::MAX);
        let seen: Vec<Mirrored> = files
            .values()
            .filter(|(found, _)| found.mtime < settled)
            .map(|(found, content)| Mirrored {
                path: found.path.clone(),
                size: found.size,
                mtime: found.mtime,
                inode: found.inode,
                content: content.clone(),
            })
            .collect();
        self.store.set_mirrored(root, &seen, digest)
    }

    /// From the files to the ledger.
    fn carry_in(&mut self, side: &mut Side<'_>) -> Result<()> {
        let mut new: Vec<String> =
            side.disk.keys().filter(|path| !side.kept.contains_key(*path)).cloned().collect();
        let edited: Vec<String> = side
            .disk
            .iter()
            .filter(|(path, (_, hash))| side.kept.get(*path).is_some_and(|kept| kept != hash))
            .map(|(path, _)| path.clone())
            .collect();
        let mut gone: Vec<String> =
            side.kept.keys().filter(|path| !side.disk.contains_key(*path)).cloned().collect();
        self.carry_moves(side, &mut new, &mut gone)?;
        self.carry_gone(side, gone)?;
        let mut ties: Vec<(&'static dyn Format, Tie)> = Vec::new();
        let ask = edited.len() <= AUTHORS_ASKED_MAX;
        for path in edited {
            ties.extend(self.carry_edit(side, &path, ask)?.into_iter().map(|tie| (side.format, tie)));
        }
        ties.extend(self.carry_new(side, new)?.into_iter().map(|tie| (side.format, tie)));
        if !side.is_only_looking() && !ties.is_empty() {
            self.tie(&side.folder.root, ties, HashMap::new())?;
        }
        Ok(())
    }

    /// A file that is gone and one that came with the same bytes are one file.
    fn carry_moves(
        &mut self,
        side: &mut Side<'_>,
        new: &mut Vec<String>,
        gone: &mut Vec<String>,
    ) -> Result<()> {
        let mut moves = Vec::new();
        gone.retain(|from| {
            let to = new.iter().position(|to| side.disk[to].1 == side.kept[from]);
            to.inspect(|at| moves.push((from.clone(), new.remove(*at)))).is_none()
        });
        for (from, to) in moves {
            side.act(&to, "moved", format!("from {from}"));
            if side.is_only_looking() {
                continue;
            }
            if let Some(before) = self.store.document(&side.name(&from))? {
                // The place may say something, as an archive does.
                let bytes =
                    self.read_foreign(&side.folder, &to).map_err(Error::failed(format!("reading {to}")))?;
                let writer = self.writer();
                let kept = Kept { document: side.name(&to), ..before };
                documents::keep(&mut self.store, vec![kept], &writer)?;
                documents::leave(
                    &mut self.store,
                    vec![side.name(&from)],
                    &format!("moved to {to}"),
                    &writer,
                )?;
                self.follow_move(side, &from, &to, &bytes)?;
            }
            let hash = side.kept.remove(&from).unwrap_or_default();
            side.kept.insert(to, hash);
        }
        Ok(())
    }

    /// Where a file lies may say how its entry stands.
    fn follow_move(&mut self, side: &Side<'_>, from: &str, to: &str, bytes: &[u8]) -> Result<()> {
        let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
        let (before, after) = (side.format.read(from, text), side.format.read(to, text));
        let Some(kept) = self.store.document(&side.name(to))? else { return Ok(()) };
        let keys: Vec<EntryKey> = kept.entries().map(|(key, _)| key).collect();
        for ((was, is), key) in before.items().zip(after.items()).zip(keys) {
            use ken_formats::Standing;
            let (name, reason) = (key.to_string(), format!("moved to {to}"));
            match (&was.standing, &is.standing) {
                (Standing::Current, Standing::Archived(_)) => drop(self.archive(&name, &reason)?),
                (Standing::Archived(_), Standing::Current) => drop(self.restore(&name, &reason)?),
                _ => {}
            }
        }
        Ok(())
    }

    /// DOO-6: a file that is gone is a retraction, if history deletes it.
    fn carry_gone(&mut self, side: &mut Side<'_>, gone: Vec<String>) -> Result<()> {
        let gone = self.leave_ended(side, gone)?;
        if gone.is_empty() {
            return Ok(());
        }
        let (in_head, deleted) = self.history_of(&side.folder.root);
        let folder = side.folder.clone();
        let full = |path: &str| folder.in_repository(path);
        let (by_history, others): (Vec<String>, Vec<String>) = gone
            .into_iter()
            .partition(|path| deleted.contains(&full(path)) && !in_head.contains(&full(path)));
        for path in others {
            if side.input.restore {
                side.act(&path, "restored", "");
                if !side.is_only_looking() {
                    self.restore_file(side, &path)?;
                }
                continue;
            }
            let why = if in_head.contains(&full(&path)) {
                "is gone here, and history still has it; commit the deletion to retract its entries, or bring it back: ken sync --restore"
            } else {
                "is gone, and no commit deletes it; bring it back with `ken sync --restore`, or retract its entries yourself"
            };
            side.wait(&path, why);
        }
        if !side.may_go(by_history.len()) {
            let count = by_history.len();
            for path in by_history {
                side.wait(
                    &path,
                    format!(
                        "was deleted with {} others; retracting so many entries needs a yes: ken sync --yes",
                        count - 1
                    ),
                );
            }
            return Ok(());
        }
        for path in by_history {
            let Some(kept) = self.store.document(&side.name(&path))? else { continue };
            if !self.pending(&kept)?.is_empty() && side.input.take.is_none() {
                side.held.insert(path.clone());
                for (key, fields) in self.pending(&kept)? {
                    let fields: Vec<String> = fields.into_iter().collect();
                    let (id, said) = (self.id_of(key)?, format!("changed: {}", fields.join(", ")));
                    side.report.conflicts.push(Conflict {
                        mirror: side.mirror.name.clone(),
                        path: path.clone(),
                        id,
                        field: "status".to_owned(),
                        file: "deleted".to_owned(),
                        ledger: said,
                    });
                }
                continue;
            }
            if side.input.take == Some(Take::Ledger) && !self.pending(&kept)?.is_empty() {
                side.act(&path, "restored", "the ledger counts");
                if !side.is_only_looking() {
                    self.restore_file(side, &path)?;
                }
                continue;
            }
            let keys: Vec<EntryKey> = kept.entries().map(|(key, _)| key).collect();
            side.act(&path, "retracted", format!("{} in it", counted(keys.len(), "entry", "entries")));
            if side.is_only_looking() {
                continue;
            }
            let author = self.author(&full(&path), true);
            let name = side.name(&path);
            self.in_the_name_of(author, |ken| -> Result<()> {
                for key in keys {
                    ken.retract_homeless(key, &path)?;
                }
                let writer = ken.writer();
                documents::leave(&mut ken.store, vec![name], "deleted", &writer).map(drop)
            })?;
            side.kept.remove(&path);
        }
        Ok(())
    }

    /// Files that this side would have removed, had they still been there: somebody retracted their entries, or a sync died after it had
    /// removed them. The answer are the others.
    fn leave_ended(&mut self, side: &mut Side<'_>, gone: Vec<String>) -> Result<Vec<String>> {
        let mut others = Vec::new();
        let mut ended = Vec::new();
        for path in gone {
            let Some(kept) = self.store.document(&side.name(&path))? else { continue };
            let pending = self.pending(&kept)?;
            let text = kept.text().filter(|_| !pending.is_empty());
            let rendered = match text {
                Some(text) => {
                    self.render(side.format, &kept, &side.format.read(&path, &text), &pending)?.text
                }
                None => Some(String::new()),
            };
            if rendered.is_some() { others.push(path) } else { ended.push(path) }
        }
        if !ended.is_empty() && !side.is_only_looking() {
            let names = ended.iter().map(|path| side.name(path)).collect();
            let writer = self.writer();
            documents::leave(&mut self.store, names, "its entry no longer counts", &writer)?;
            side.acted = true;
        }
        ended.iter().for_each(|path| drop(side.kept.remove(path)));
        Ok(others)
    }

    fn restore_file(&mut self, side: &mut Side<'_>, path: &str) -> Result<()> {
        let Some(kept) = self.store.document(&side.name(path))? else { return Ok(()) };
        // A ledger may come from a stranger: what it would write is looked at as if it came in.
        let is_fit = documents::presentable(&kept).is_ok()
            && (!side.folder.root.is_empty()
                || super::import::is_claimed(side.format, path, kept.text().unwrap_or_default().as_bytes()));
        match kept.text().filter(|_| kept.is_whole() && is_fit) {
            Some(text) => {
                side.write(path, text.as_bytes())?;
                side.kept.insert(path.to_owned(), Kept::hash_of(text.as_bytes()));
            }
            None => {
                side.wait(path, "cannot be brought back: a part of it was never kept, or may not be shown")
            }
        }
        Ok(())
    }

    /// What HEAD holds below a folder, and what history deleted there; both empty outside git.
    fn history_of(&self, root: &str) -> (BTreeSet<String>, BTreeSet<String>) {
        let Some(git) = self.store.git() else { return Default::default() };
        let spec = if root.is_empty() { "." } else { root };
        let lines = |args: &[&str]| -> BTreeSet<String> {
            let text = git.bytes(args).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            text.split('\0')
                .map(|path| path.trim_start_matches('\n'))
                .filter(|path| !path.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let head = lines(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD", "--", spec]);
        let deleted = lines(&[
            "log",
            "-z",
            "--diff-filter=D",
            "--no-renames",
            "--name-only",
            "--format=",
            "HEAD",
            "--",
            spec,
        ]);
        (head, deleted)
    }

    fn carry_edit(&mut self, side: &mut Side<'_>, path: &str, ask: bool) -> Result<Vec<Tie>> {
        let bytes = match self.read_foreign(&side.folder, path) {
            Ok(bytes) => bytes,
            Err(why) => {
                side.wait(path, why);
                return Ok(Vec::new());
            }
        };
        if super::is_unmerged(&bytes) {
            side.wait(path, UNMERGED);
            return Ok(Vec::new());
        }
        let taken = Taken::of(side.format, side.name(path), &bytes);
        side.report.notes.extend(taken.notes());
        let mut edit = self.plan_edit(side.format, taken)?;
        let before = self.store.document(&side.name(path))?;
        let mut pending = before.as_ref().map(|kept| self.pending(kept)).transpose()?.unwrap_or_default();
        // A sync that was interrupted wrote the file, and did not live to say so.
        if let Some(kept) = &before
            && !pending.is_empty()
            && self.is_as_rendered(side.format, kept, &pending, &bytes)?
        {
            if !side.is_only_looking() {
                let held = Held {
                    document: side.format.read(path, &String::from_utf8_lossy(&bytes)),
                    keys: keys_of(kept),
                };
                self.keep_file(side, path, held)?;
            }
            side.kept.insert(path.to_owned(), Kept::hash_of(&bytes));
            return Ok(Vec::new());
        }
        let conflicts = self.conflicts(side, path, &edit, &pending)?;
        if !conflicts.is_empty() {
            match side.input.take {
                None => {
                    side.held.insert(path.to_owned());
                    side.report.conflicts.extend(conflicts.into_iter().map(|(_, conflict)| conflict));
                    return Ok(Vec::new());
                }
                Some(Take::File) => {
                    for (key, conflict) in conflicts {
                        let mine = pending.entry(key).or_default();
                        mine.remove(&conflict.field);
                        if mine.remove("status") && !self.is_retrieved(Some(key)) && !side.input.check {
                            self.restore(&key.to_string(), "its file counts")?;
                        }
                    }
                }
                Some(Take::Ledger) => {
                    for (key, conflict) in conflicts {
                        edit.leave_out(key, &conflict.field);
                    }
                }
            }
        }
        if !edit.gone.is_empty() && !side.may_go(edit.gone.len()) {
            let count = edit.gone.len();
            side.wait(
                path,
                format!(
                    "{count} entries were taken out of it; retracting so many needs a yes: ken sync --yes"
                ),
            );
            return Ok(Vec::new());
        }
        let detail = told(&edit, self)?;
        side.act(path, "edited", detail);
        if side.is_only_looking() {
            return Ok(Vec::new());
        }
        let full = side.folder.in_repository(path);
        let taking = Taking { author: Some(self.author(&full, ask)), pending, retract: true };
        let ties = std::mem::take(&mut edit.ties);
        match self.apply_edit(edit, &taking) {
            Ok(done) => {
                if let Some(action) = side.report.actions.last_mut()
                    && !done.is_empty()
                {
                    action.detail = done.join("; ");
                }
                side.kept.insert(path.to_owned(), Kept::hash_of(&bytes));
                Ok(ties)
            }
            Err(Error::Refused(refusal)) => {
                side.report.actions.pop();
                side.wait(path, format!("the edit is not taken up: {}", refusal.message));
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        }
    }

    /// What both sides changed since they were in step.
    fn conflicts(
        &self,
        side: &Side<'_>,
        path: &str,
        edit: &Edit,
        pending: &BTreeMap<EntryKey, BTreeSet<String>>,
    ) -> Result<Vec<(EntryKey, Conflict)>> {
        let mut conflicts = Vec::new();
        for (key, fields) in edit.changes() {
            let Some(ours) = pending.get(&key) else { continue };
            let Some(stored) = self.store.stored(key)? else { continue };
            let said = serde_json::to_value(&stored.entry.fields).unwrap_or_default();
            let is_gone = ours.contains("status") && !stored.entry.status.is_retrieved();
            for field in &fields {
                let (file, ledger) = match edit.value(key, field) {
                    Some(file) => (file, said.get(field).cloned().unwrap_or(Value::Null)),
                    None => (Value::Null, Value::Null),
                };
                if ours.contains(field) && file != ledger {
                    conflicts
                        .push((key, side.conflict(path, &stored.id, field, shown(&file), shown(&ledger))));
                } else if is_gone {
                    let status = stored.entry.status.to_string();
                    conflicts.push((key, side.conflict(path, &stored.id, field, shown(&file), status)));
                }
            }
        }
        for key in &edit.gone {
            if let (Some(ours), Some(stored)) = (pending.get(key), self.store.stored(*key)?)
                && stored.entry.status.is_retrieved()
            {
                let ours: Vec<&str> = ours.iter().map(String::as_str).collect();
                let changed = format!("changed: {}", ours.join(", "));
                conflicts
                    .push((*key, side.conflict(path, &stored.id, "status", "taken out".to_owned(), changed)));
            }
        }
        Ok(conflicts)
    }

    /// Whether a file is what this side would write.
    fn is_as_rendered(
        &self,
        format: &dyn Format,
        kept: &Kept,
        pending: &BTreeMap<EntryKey, BTreeSet<String>>,
        bytes: &[u8],
    ) -> Result<bool> {
        let Some(text) = kept.text().filter(|_| kept.is_whole()) else { return Ok(false) };
        let document = format.read(&kept.document.path, &text);
        let rendered = self.render(format, kept, &document, pending)?;
        Ok(rendered.text.is_some_and(|text| text.as_bytes() == bytes))
    }

    fn carry_new(&mut self, side: &mut Side<'_>, new: Vec<String>) -> Result<Vec<Tie>> {
        /// Files that are taken in with one write.
        const BATCH_FILES_MAX: usize = 500;
        let mut ties = Vec::new();
        let ask = new.len() <= AUTHORS_ASKED_MAX;
        let mut batch: Vec<Taken> = Vec::new();
        let mut by: Option<String> = None;
        for path in new {
            let bytes = match self.read_foreign(&side.folder, &path) {
                Ok(bytes) => bytes,
                Err(why) => {
                    side.report.notes.push(FileNote::new(&path, why));
                    continue;
                }
            };
            if super::is_unmerged(&bytes) {
                side.wait(&path, UNMERGED);
                continue;
            }
            let taken = Taken::of(side.format, side.name(&path), &bytes);
            side.report.notes.extend(taken.notes());
            ties.extend(taken.ties());
            side.act(&path, "added", counted(taken.items(), "entry", "entries"));
            if side.is_only_looking() {
                continue;
            }
            let author = self.author(&side.folder.in_repository(&path), ask);
            if by.as_ref() != Some(&author) || batch.len() >= BATCH_FILES_MAX {
                self.take_new(side, std::mem::take(&mut batch), by.replace(author))?;
            }
            batch.push(taken);
        }
        self.take_new(side, batch, by)?;
        Ok(ties)
    }

    /// Takes in files that one person wrote, with one write.
    fn take_new(&mut self, side: &mut Side<'_>, batch: Vec<Taken>, author: Option<String>) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let writer = match author {
            Some(author) => self.in_the_name_of(author, |ken| ken.writer()),
            None => self.writer(),
        };
        let (around, rules) = (self.repository(), self.rules()?);
        for taken in &batch {
            side.kept.insert(taken.name.path.clone(), taken.hash.clone());
        }
        let arriving = batch.into_iter().map(|taken| taken.arriving(&around, &mut 0)).collect();
        let arrived = documents::take_in(&mut self.store, &around, arriving, &rules.for_many(), &writer)?;
        for file in arrived {
            let told: Vec<String> = file.items.iter().map(super::edit::told_of).collect();
            let mut actions = side.report.actions.iter_mut().rev();
            if let Some(action) = actions.find(|action| action.path == file.document.path)
                && !told.is_empty()
            {
                action.detail = told.join("; ");
            }
        }
        Ok(())
    }

    /// From the ledger to the files.
    fn carry_out(&mut self, side: &mut Side<'_>) -> Result<()> {
        let mut files: BTreeMap<String, Held> = BTreeMap::new();
        let mut removed: Vec<String> = Vec::new();
        let mut moved: Vec<(String, String)> = Vec::new();
        let mut appended = Vec::new();
        let paths: Vec<String> =
            side.kept.keys().filter(|path| !side.held.contains(*path)).cloned().collect();
        for path in paths {
            let Some(kept) = self.store.document(&side.name(&path))? else { continue };
            let pending = self.pending(&kept)?;
            if pending.is_empty() || kept.derived {
                continue;
            }
            if databases::of_rows(&side.folder, &path).is_some() {
                let note = "is read and not written; `ken export decapod` gives its rows as they should be";
                side.report.notes.push(FileNote::new(&path, note));
                continue;
            }
            // The file itself has every byte, also those that were not kept.
            let Ok(bytes) = self.read_foreign(&side.folder, &path) else { continue };
            if Kept::hash_of(&bytes) != kept.hash {
                continue;
            }
            let document = side.format.read(&path, &String::from_utf8_lossy(&bytes));
            let rendered = self.render(side.format, &kept, &document, &pending)?;
            side.report.notes.extend(rendered.unsaid.into_iter().map(|note| FileNote::new(&path, note)));
            appended.extend(rendered.appended);
            match rendered.text {
                None => removed.push(path.clone()),
                Some(text) => {
                    let gone = |key: &Option<EntryKey>| {
                        key.is_some_and(|key| {
                            pending.get(&key).is_some_and(|fields| fields.contains("status"))
                        })
                    };
                    let after = side.format.read(rendered.moved_to.as_deref().unwrap_or(&path), &text);
                    let mut keys = keys_of(&kept);
                    if after.items().count() < keys.len() {
                        // Those whose standing changed may have been taken out.
                        let mut extra = keys.len() - after.items().count();
                        keys.retain(|key| {
                            let goes = extra > 0 && gone(key) && !self.is_retrieved(*key);
                            extra -= usize::from(goes);
                            !goes
                        });
                    }
                    let same = text.as_bytes() == bytes.as_slice();
                    if let Some(to) = rendered.moved_to.filter(|to| *to != path) {
                        moved.push((path.clone(), to.clone()));
                        files.insert(to, Held { document: after, keys });
                    } else if same {
                        // Nothing that this format can say changed: the two are in step as they are.
                        if !side.is_only_looking() {
                            let writer = self.writer();
                            documents::stand(
                                &mut self.store,
                                &keys.into_iter().flatten().collect(),
                                &writer,
                            )?;
                        }
                    } else {
                        files.insert(path, Held { document: after, keys });
                    }
                }
            }
        }
        self.place_homeless(side, &mut files)?;
        self.append_out(side, &mut files, appended)?;
        if !side.may_go(removed.len()) {
            let count = removed.len();
            for path in std::mem::take(&mut removed) {
                side.wait(&path, format!("its entry was retracted, with {} others; deleting so many files needs a yes: ken sync --yes", count - 1));
            }
        }
        for path in removed {
            side.act(&path, "removed", "its entry no longer counts");
            if !side.is_only_looking() {
                disk::remove(&side.folder.at, &path)
                    .map_err(Error::failed(format!("deleting {}", side.folder.at.join(&path).display())))?;
                let writer = self.writer();
                documents::leave(
                    &mut self.store,
                    vec![side.name(&path)],
                    "its entry no longer counts",
                    &writer,
                )?;
                side.disk.remove(&path);
                side.kept.remove(&path);
            }
        }
        for (path, held) in files {
            let from = moved.iter().find(|(_, to)| *to == path).map(|(from, _)| from.clone());
            let detail = from.as_ref().map(|from| format!("moved from {from}")).unwrap_or_default();
            side.act(&path, "written", detail);
            if side.is_only_looking() {
                continue;
            }
            let text = held.document.text();
            side.write(&path, text.as_bytes())?;
            self.keep_file(side, &path, held)?;
            side.kept.insert(path.clone(), Kept::hash_of(text.as_bytes()));
            if let Some(from) = from {
                disk::remove(&side.folder.at, &from).map_err(Error::failed(format!("deleting {from}")))?;
                let writer = self.writer();
                documents::leave(
                    &mut self.store,
                    vec![side.name(&from)],
                    &format!("moved to {path}"),
                    &writer,
                )?;
                side.disk.remove(&from);
                side.kept.remove(&from);
            }
        }
        self.make_derived(side)
    }

    fn is_retrieved(&self, key: Option<EntryKey>) -> bool {
        let stored = key.and_then(|key| self.store.stored(key).ok().flatten());
        stored.is_some_and(|stored| stored.entry.status.is_retrieved())
    }

    /// Entries that were stated here and belong into a file of this format.
    fn place_homeless(&mut self, side: &mut Side<'_>, files: &mut BTreeMap<String, Held>) -> Result<()> {
        let paths: BTreeSet<String> = side.disk.keys().cloned().collect();
        let root = side.folder.root.clone();
        let among = Among { paths: &paths, root: Some(&root), all: false };
        for (stored, path) in self.homeless(side.format, &among)? {
            if side.held.contains(&path) || side.folder.only.as_ref().is_some_and(|only| *only != path) {
                continue;
            }
            if let Some((path, held)) = self.former(side, &stored)?
                && !files.contains_key(&path)
            {
                files.insert(path, held);
                continue;
            }
            let (text, keys) = match files.get(&path) {
                Some(held) => (Some(held.document.text()), held.keys.clone()),
                None if side.disk.contains_key(&path) => {
                    let bytes = self
                        .read_foreign(&side.folder, &path)
                        .map_err(Error::failed(format!("reading {path}")))?;
                    let keys =
                        self.store.document(&side.name(&path))?.as_ref().map(keys_of).unwrap_or_default();
                    (Some(String::from_utf8_lossy(&bytes).into_owned()), keys)
                }
                None => (None, Vec::new()),
            };
            let owned = self.ties_of(&stored)?;
            let new = side.format.insert(
                &path,
                text.as_deref(),
                &outgoing(&stored, &owned, BTreeSet::new(), self.now()),
            );
            let before = text.map(|text| side.format.read(&path, &text));
            let after = side.format.read(&path, &new);
            let keys = keys_after(before.as_ref(), &keys, &after, Some(stored.entry.key));
            files.insert(path, Held { document: after, keys });
        }
        Ok(())
    }

    /// The file that an entry had before it was taken back, with what changed since.
    fn former(&self, side: &Side<'_>, stored: &Stored) -> Result<Option<(String, Held)>> {
        let key = stored.entry.key;
        let mut said: Vec<Event> = self.store.quoting(key)?;
        said.sort_by_key(Event::order);
        let kept = said.into_iter().rev().find_map(|event| match event.body {
            Some(Body::Document(DocumentEvent::Kept(kept)))
                if kept.document.format == side.format.word() && kept.document.root == side.folder.root =>
            {
                Some(*kept)
            }
            _ => None,
        });
        let Some(kept) = kept.filter(|kept| kept.is_whole() && kept.parts.len() == 1 && kept.more == 0)
        else {
            return Ok(None);
        };
        let path = kept.document.path.clone();
        let Some(text) = kept.text().filter(|_| !side.disk.contains_key(&path)) else { return Ok(None) };
        let document = side.format.read(&path, &text);
        let rendered = self.render(side.format, &kept, &document, &self.pending(&kept)?)?;
        let path = rendered.moved_to.unwrap_or(path);
        let held = rendered
            .text
            .map(|text| Held { document: side.format.read(&path, &text), keys: vec![Some(key)] });
        Ok(held.filter(|held| held.document.items().count() == 1).map(|held| (path, held)))
    }

    fn append_out(
        &mut self,
        side: &mut Side<'_>,
        files: &mut BTreeMap<String, Held>,
        appended: Vec<ken_formats::Appended>,
    ) -> Result<()> {
        for more in appended {
            let path = more.path.clone();
            let (text, keys) = match files.get(&path) {
                Some(held) => (held.document.text(), held.keys.clone()),
                None => match self.read_foreign(&side.folder, &path) {
                    Ok(bytes) => {
                        let keys =
                            self.store.document(&side.name(&path))?.as_ref().map(keys_of).unwrap_or_default();
                        (String::from_utf8_lossy(&bytes).into_owned(), keys)
                    }
                    Err(_) => (String::new(), Vec::new()),
                },
            };
            let before = side.format.read(&path, &text);
            let mut whole = BTreeMap::new();
            if !text.is_empty() {
                whole.insert(path.clone(), text.into_bytes());
            }
            super::export::append(&mut whole, vec![more]);
            let text = whole.remove(&path).unwrap_or_default();
            let after = side.format.read(&path, &String::from_utf8_lossy(&text));
            let keys = keys_after(Some(&before), &keys, &after, None);
            files.insert(path, Held { document: after, keys });
        }
        Ok(())
    }

    /// Files that are made from the others, once any of these changed.
    fn make_derived(&mut self, side: &mut Side<'_>) -> Result<()> {
        if !side.acted || side.is_only_looking() {
            return Ok(());
        }
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for path in side.disk.keys() {
            if let Ok(bytes) = self.read_foreign(&side.folder, path) {
                files.insert(path.clone(), bytes);
            }
        }
        let before: BTreeMap<String, Vec<u8>> = files.clone();
        self.add_promotions(side.format, &mut files)?;
        for (path, text) in self.derived_files(side.format, &files)? {
            files.insert(path, text.into_bytes());
        }
        for (path, bytes) in files {
            let is_new = !before.contains_key(&path);
            if before.get(&path) == Some(&bytes) || (is_new && !side.has_written) {
                continue;
            }
            side.act(&path, "made", "");
            side.write(&path, &bytes)?;
            let document = side.format.read(&path, &String::from_utf8_lossy(&bytes));
            let keys = vec![None; document.items().count()];
            self.keep_file(side, &path, Held { document, keys })?;
            side.kept.insert(path, Kept::hash_of(&bytes));
        }
        Ok(())
    }

    /// Says that a file is as it should be now, and which entry each of its items is.
    fn keep_file(&mut self, side: &Side<'_>, path: &str, held: Held) -> Result<()> {
        let derived = held.document.role == Role::Derived;
        let hash = Kept::hash_of(held.document.text().as_bytes());
        let mut keys = held.keys.into_iter();
        let mut parts = Vec::with_capacity(held.document.parts.len());
        for part in held.document.parts {
            parts.push(match part {
                Part::Text(text) => KeptPart::text(text),
                Part::Item(item) => {
                    let entry = keys.next().flatten();
                    let stored = entry.map(|key| self.store.stored(key)).transpose()?.flatten();
                    let seen = stored.map(|stored| seen(&stored.entry)).unwrap_or_default();
                    KeptPart { text: item.text, name: item.name, entry, seen, ..KeptPart::default() }
                }
            });
        }
        let kept = Kept { document: side.name(path), hash, derived, piece: 0, more: 0, parts };
        let writer = self.writer();
        documents::keep(&mut self.store, vec![kept], &writer)?;
        Ok(())
    }

    /// Who edited a file: the author of its last commit if that is how it is, else the person who works here. An agent that syncs what nobody
    /// committed edited it, as far as anybody can tell.
    fn author(&mut self, path: &str, ask: bool) -> String {
        let actor = self.actor();
        let Some(git) = self.store.git().cloned().filter(|_| ask) else { return actor };
        let clean =
            git.text(&["status", "--porcelain", "--", path]).is_ok_and(|status| status.trim().is_empty());
        let author = git.text(&["log", "-1", "--format=%an", "HEAD", "--", path]).unwrap_or_default();
        let author = author.trim();
        if !clean || author.is_empty() {
            return if actor.starts_with("human:") { self.options.person() } else { actor };
        }
        let author = ken_guard::redact(author).into_owned();
        let lower = author.to_lowercase();
        let names =
            ["claude", "claude code", "codex", "copilot", "cursor", "cursor agent", "gemini", "gemini cli"];
        let is_agent = lower.ends_with("[bot]") || names.contains(&lower.as_str());
        if is_agent { format!("agent:{author}") } else { format!("human:{author}") }
    }

    fn id_of(&self, key: EntryKey) -> Result<String> {
        Ok(self.store.stored(key)?.map_or_else(|| key.to_string(), |stored| stored.id))
    }
}

impl Side<'_> {
    fn conflict(&self, path: &str, id: &str, field: &str, file: String, ledger: String) -> Conflict {
        Conflict {
            mirror: self.mirror.name.clone(),
            path: path.to_owned(),
            id: id.to_owned(),
            field: field.to_owned(),
            file,
            ledger,
        }
    }
}

/// Two mirrors of one file would take each other's words for hand edits.
fn apart(mirrors: &[Mirror]) -> Result<()> {
    let is_one = |mirror: &Mirror| {
        let name = mirror.path.rsplit('/').next().unwrap_or_default();
        name.trim_start_matches('.').contains('.')
    };
    let covers = |outer: &Mirror, inner: &Mirror| {
        let below = inner.path.strip_prefix(&outer.path);
        outer.path == inner.path
            || (!is_one(outer)
                && outer.format == inner.format
                && (outer.path.is_empty() || below.is_some_and(|rest| rest.starts_with('/'))))
    };
    for (at, one) in mirrors.iter().enumerate() {
        if let Some(other) = mirrors[at + 1..].iter().find(|other| covers(one, other) || covers(other, one)) {
            return Err(Refusal::new(
                Code::Invalid,
                format!("the mirrors {} and {} overlap", one.name, other.name),
            )
            .hint(format!("take one of them out: ken config mirrors.{} default", other.name))
            .into());
        }
    }
    Ok(())
}

/// Under which name it is remembered how a mirror looked.
fn memory_of(mirror: &Mirror) -> String {
    format!("{}:{}", mirror.format, mirror.path)
}

/// What an edit amounts to, in a few words.
fn told(edit: &Edit, ken: &Kenning) -> Result<String> {
    let mut told = Vec::new();
    for changed in edit.changed() {
        told.push(format!("{}: {}", ken.id_of(changed.key)?, changed.told()));
    }
    if edit.new_items() > 0 {
        told.push(counted(edit.new_items(), "new entry", "new entries"));
    }
    if !edit.gone.is_empty() {
        told.push(format!("{} taken out", counted(edit.gone.len(), "entry", "entries")));
    }
    Ok(if told.is_empty() { "nothing that an entry says".to_owned() } else { told.join("; ") })
}

fn shown(value: &Value) -> String {
    match &ken_engine::way_in::redacted(value.clone()) {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// The entry of each item of a file.
fn keys_of(kept: &Kept) -> Vec<Option<EntryKey>> {
    kept.parts.iter().filter(|part| !part.name.is_empty()).map(|part| part.entry).collect()
}

/// The entry of each item after something was put into a file.
fn keys_after(
    before: Option<&Document>,
    keys: &[Option<EntryKey>],
    after: &Document,
    new: Option<EntryKey>,
) -> Vec<Option<EntryKey>> {
    let pair = |item: &ken_formats::Item| (item.name.clone(), item.text.clone());
    let old: Vec<(String, String)> = before.into_iter().flat_map(Document::items).map(pair).collect();
    let now: Vec<(String, String)> = after.items().map(pair).collect();
    fn borrowed(all: &[(String, String)]) -> Vec<(&str, &str)> {
        all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
    }
    let (met, _) = align(&borrowed(&old), &borrowed(&now));
    let key = |met: Met| match met {
        Met::Same(at) | Met::Edited(at) => keys.get(at).copied().flatten(),
        Met::New => new,
    };
    met.into_iter().map(key).collect()
}
