//! `sync`: native files of other systems and the ledger kept in step, in both directions.
//!
//! Each file is compared with how it was when the two were last in step, and each of its entries with how it stood then. What changed on one side
//! is carried to the other; what changed on both is a conflict, and nobody's words are lost. Every step can be done twice: a sync that was
//! interrupted is finished by the next one.

pub(crate) mod carry_in;
pub(crate) mod carry_out;
pub(crate) mod follow;
pub(crate) mod held;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use ken_core::answer::SyncChange;
use ken_core::{Code, DocumentName, EntryKey, Kept, Refusal};
use ken_engine::{Caller, DocumentLine, Error, Ledger, Mirrored, RecordKind, Result};
use ken_formats::align::{Met, align};
use ken_formats::{Document, Format};
use serde::Serialize;
use serde_json::Value;

use carry_out::Meant;

use super::databases;
use super::disk::{self, FoundFile};
use super::edit::Edit;
use super::{FileNote, Folder, OUTSIDE};
use crate::limits::foreign_sync::{AUTHORS_ASKED_MAX, FRESH, GONE_FILES_MAX, GONE_PERCENT_MAX};
use crate::{Config, Layout, ModelsInUse, Site, config};

/// A folder of another system that is kept in step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mirror {
    /// What it is called in the settings.
    pub name: String,
    /// The word of its format.
    pub format: String,
    /// Its path in the repository; for one outside, as this clone's settings have it.
    pub path: String,
    /// It lies outside the repository, and only this clone knows where (COR-10).
    #[serde(skip)]
    pub outside: bool,
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
    /// Only this file of the mirror; the others stay as they are.
    pub only: Option<String>,
}

/// Which side counts where both changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// Keep the file's version.
    File,
    /// Keep the ledger's version.
    Ledger,
}

impl Take {
    pub const WORDS: &'static [&'static str] = &["file", "ledger"];
}

/// Something that was done, or that is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncAction {
    pub mirror: String,
    pub path: String,
    pub what: SyncChange,
    /// More about it.
    pub detail: String,
}

/// A thing that both sides say differently since they were in step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conflict {
    pub mirror: String,
    pub path: String,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncReport {
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
    /// Something waits because more would go than goes without asking: `yes` lets it go.
    #[serde(skip)]
    pub needs_yes: bool,
    /// Of what waits, the changes that only a person may apply (COR-21).
    #[serde(skip)]
    pub(crate) for_a_person: Vec<HeldFile>,
}

/// A change of a mirrored file that hides, rewords or replaces what only a person may.
#[derive(Clone, Debug)]
pub(crate) struct HeldFile {
    pub(crate) mirror: String,
    pub(crate) path: String,
    /// The entries that the file holds, or held.
    pub(crate) keys: Vec<EntryKey>,
    pub(crate) why: String,
    pub(crate) change: HeldChange,
}

/// What became of a file whose change waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeldChange {
    Deleted,
    Edited,
}

impl SyncReport {
    /// Whether the two sides say the same now.
    pub fn is_in_step(&self) -> bool {
        self.conflicts.is_empty() && self.waiting.is_empty() && (!self.check || self.actions.is_empty())
    }
}

/// What is said of a file that git could not merge.
const UNMERGED: &str = "contains merge conflict markers; resolve the conflict and sync again";

/// One mirror while it is brought in step.
struct Side<'a> {
    mirror: &'a Mirror,
    format: &'static dyn Format,
    folder: Folder,
    /// The files on the disk, with the hash of each.
    disk: BTreeMap<String, (FoundFile, String)>,
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
    fn act(&mut self, path: &str, what: SyncChange, detail: impl Into<String>) {
        self.acted = true;
        self.has_written |= matches!(what, SyncChange::Written | SyncChange::Removed);
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

    /// The same for what waits because so many may only go after asking.
    fn wait_for_yes(&mut self, path: &str, note: impl Into<String>) {
        self.report.needs_yes = true;
        self.wait(path, note);
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

/// The mirrors that the settings name.
pub fn mirrors(config: &Config) -> Result<Vec<Mirror>> {
    let mut mirrors = Vec::new();
    for name in config.members(config::MIRRORS) {
        let value = config.member(config::MIRRORS, &name).unwrap_or_default();
        let (format, path) = config::read_mirror(&value).map_err(|why| {
            Refusal::new(Code::Invalid, format!("mirrors.{name} in .kenning/config.toml: {why}"))
                .field(format!("mirrors.{name}"))
        })?;
        mirrors.push(Mirror { name, format, path, outside: false });
    }
    for (name, value) in config.own_mirrors() {
        let Some((format, path)) = config::read_outside_mirror(&value) else { continue };
        // What a person said of this clone counts before what is shared.
        mirrors.retain(|mirror| mirror.name != name);
        mirrors.push(Mirror { name, format, path, outside: true });
    }
    Ok(mirrors)
}

/// The files that the store was imported from, exported to or is kept in step with, as far as it knows where they are, with how
/// each is shown.
pub(crate) fn copies(ledger: &Ledger, site: &Site) -> Result<BTreeMap<PathBuf, String>> {
    let root = site.layout.root.clone();
    let mut files = BTreeMap::new();
    for line in ledger.documents(None, None)? {
        let name = line.document;
        // Where a folder outside of the repository lies, only its mirror says.
        if !name.root.starts_with(OUTSIDE) {
            let below = if name.root.is_empty() { String::new() } else { name.root + "/" };
            let path = below + &name.path;
            files.insert(root.join(&path), path);
        }
    }
    for mirror in mirrors(&site.config)? {
        let (Ok(folder), Ok(format)) = (mirror_folder(site, &mirror), super::format(&mirror.format)) else {
            continue;
        };
        let is_its = |path: &str| match &folder.only {
            Some(only) => only == path,
            None => is_of(format, &folder, path),
        };
        for found in disk::list(&folder.at, folder.only.as_deref()).unwrap_or_default().files {
            if !is_its(&found.path) {
                continue;
            }
            let shown = format!("{}/{}", mirror.path.trim_end_matches('/'), found.path);
            let shown = shown.strip_prefix("./").map(str::to_owned).unwrap_or(shown);
            files.entry(folder.at.join(&found.path)).or_insert(shown);
        }
    }
    Ok(files)
}

/// Brings mirrors and ledger in step.
pub fn sync(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: &SyncInput,
) -> Result<SyncReport> {
    ledger
        .as_one_command(|ledger| ledger.while_in_sync(|ledger| sync_all(ledger, site, models, caller, input)))
}

fn sync_all(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: &SyncInput,
) -> Result<SyncReport> {
    // Two at once would carry the same edit twice.
    let _lock = match input.check {
        true => None,
        false => {
            ledger.may_write()?;
            Some(site.state().lock(&RecordKind::MirrorSync.record())?)
        }
    };
    let all = self::mirrors(&site.config)?;
    apart(&all)?;
    if all.is_empty() {
        return Err(Refusal::new(Code::NotFound, "no mirror is configured")
            .hint("configure one: ken config mirrors.NAME FORMAT:FOLDER, such as `ken config mirrors.reviews wfc:wfc/references/reviewers`")
            .into());
    }
    if let Some(unknown) = input.mirrors.iter().find(|name| all.iter().all(|mirror| mirror.name != **name)) {
        let names: Vec<&str> = all.iter().map(|mirror| mirror.name.as_str()).collect();
        return Err(Refusal::new(Code::NotFound, format!("unknown mirror {unknown:?}"))
            .hint(format!("mirrors here: {}", names.join(", ")))
            .field("mirror")
            .into());
    }
    let meant = |mirror: &Mirror| input.mirrors.is_empty() || input.mirrors.contains(&mirror.name);
    let mut report = SyncReport { check: input.check, ..SyncReport::default() };
    let mirrors: Vec<Mirror> = all.into_iter().filter(meant).collect();
    let mut acted = false;
    for mirror in &mirrors {
        acted |= sync_one(ledger, site, models, caller, mirror, input, &mut report)?;
    }
    // What a later mirror brought may belong into an earlier one.
    if acted && !input.check && mirrors.len() > 1 {
        let mut again = SyncReport::default();
        for mirror in &mirrors {
            sync_one(ledger, site, models, caller, mirror, input, &mut again)?;
        }
        report.actions.append(&mut again.actions);
        (report.files, report.conflicts, report.waiting) = (again.files, again.conflicts, again.waiting);
    }
    report.mirrors = mirrors;
    if acted && !input.check {
        crate::writer::finish(ledger, site, models, caller, ())?;
    }
    Ok(report)
}

fn sync_one(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    mirror: &Mirror,
    input: &SyncInput,
    report: &mut SyncReport,
) -> Result<bool> {
    let (mut side, reread, digest_then) = side_of(ledger, site, mirror, input, report)?;
    let digest = ledger.digest()?;
    let files_in_step = side.disk.len() == side.kept.len()
        && side.disk.iter().all(|(path, (_, hash))| side.kept.get(path).is_some_and(|kept| kept == hash));
    if files_in_step && digest_then.as_deref() == Some(&digest) {
        if reread && !input.check {
            remember_mirror(ledger, &memory_of(mirror), &side.disk, Some(&digest))?;
        }
        side.report.files += side.disk.len();
        return Ok(false);
    }
    crate::foreign::sync::carry_in::carry_in(ledger, site, models, caller, &mut side)?;
    let (only, nothing) = (input.only.iter().cloned().collect(), BTreeSet::new());
    let meant = input.only.is_some().then_some(Meant { paths: &only, homeless: &nothing });
    crate::foreign::sync::carry_out::carry_out(ledger, site, caller, &mut side, meant)?;
    side.report.files += side.disk.len();
    let (acted, is_whole) = (side.acted, side.held.is_empty() && input.only.is_none());
    if !input.check {
        let digest = ledger.digest()?;
        let files = std::mem::take(&mut side.disk);
        remember_mirror(
            ledger,
            &memory_of(mirror),
            &files,
            Some(&digest).filter(|_| is_whole).map(String::as_str),
        )?;
    }
    Ok(acted)
}

/// A mirror as it is on the disk and as it is kept; whether a file had to be read for that, and the digest of the ledger it was last in
/// step with.
fn side_of<'a>(
    ledger: &Ledger,
    site: &Site,
    mirror: &'a Mirror,
    input: &'a SyncInput,
    report: &'a mut SyncReport,
) -> Result<(Side<'a>, bool, Option<String>)> {
    let format = super::format(&mirror.format)?;
    let folder = mirror_folder(site, mirror)?;
    let (known, digest_then) = ledger.snapshot().git()?.mirrored(&memory_of(mirror))?;
    let known: HashMap<&str, &Mirrored> = known.iter().map(|file| (file.path.as_str(), file)).collect();
    let lines = ledger.documents(Some(format.word()), Some(&folder.root))?;
    let is_meant = |path: &str| folder.only.as_deref().is_none_or(|only| only == path);
    let (here, elsewhere): (Vec<DocumentLine>, Vec<DocumentLine>) =
        lines.into_iter().filter(|line| is_meant(&line.document.path)).partition(|line| line.on_branch);
    let named = |line: DocumentLine| (line.document.path, line.hash);
    let mut kept: BTreeMap<String, String> = here.into_iter().map(named).collect();
    let listing = match disk::list(&folder.at, None) {
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
            None => kept.contains_key(&found.path) || is_of(format, &folder, &found.path),
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
                match crate::foreign::import::read_foreign(&folder, &found.path) {
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
    // A file that another branch took in with the same bytes has nothing new to say here.
    let is_known = |(path, hash): &(String, String)| files.get(path).is_some_and(|(_, bytes)| bytes == hash);
    for (path, hash) in elsewhere.into_iter().map(named).filter(is_known) {
        kept.entry(path).or_insert(hash);
    }
    let side = Side {
        mirror,
        format,
        folder,
        disk: files,
        kept,
        held: BTreeSet::new(),
        input,
        report,
        acted: false,
        has_written: false,
    };
    Ok((side, reread, digest_then))
}

fn is_of(format: &dyn Format, folder: &Folder, path: &str) -> bool {
    let is_scattered = super::import::SCATTERED.contains(&format.word()) || folder.root.is_empty();
    if !is_scattered {
        return true;
    }
    let bytes = disk::read(&folder.at, path).unwrap_or_default();
    super::import::is_claimed(format, path, &bytes)
}

/// The folder of a mirror. It must lie in the repository, and not be a link out of it, unless a person set it in this clone.
fn mirror_folder(site: &Site, mirror: &Mirror) -> Result<Folder> {
    if mirror.outside {
        return outside_folder(mirror, site.workspace.adapters());
    }
    let top = site.layout.root.clone();
    let top = top.canonicalize().unwrap_or(top);
    let at = if mirror.path.is_empty() { top.clone() } else { top.join(&mirror.path) };
    if let Ok(real) = at.canonicalize()
        && real != at
    {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("mirrors.{}: {} is a symbolic link or is reached through one", mirror.name, mirror.path),
        )
        .hint("give the real path of the folder")
        .into());
    }
    // A name with an ending is a file, also before it is there.
    let is_one = at.is_file() || (!at.is_dir() && at.extension().is_some());
    if let (true, Some(file)) = (is_one, at.file_name().and_then(|name| name.to_str())) {
        let root = mirror.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let folder = at.parent().unwrap_or(&top).to_owned();
        return Ok(Folder {
            at: folder,
            root,
            only: Some(file.to_owned()),
            adapters: site.workspace.adapters(),
        });
    }
    Ok(Folder { at, root: mirror.path.clone(), only: None, adapters: site.workspace.adapters() })
}

fn remember_mirror(
    store: &mut Ledger,
    root: &str,
    files: &BTreeMap<String, (FoundFile, String)>,
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
    store.snapshot_mut().git_mut()?.set_mirrored(root, &seen, digest)
}

/// Who edited a file: the author of its last commit if that is how it is, else the person who works here. An agent that syncs what nobody
/// committed edited it, as far as anybody can tell.
fn author(layout: &Layout, caller: &Caller, path: &str, ask: bool) -> String {
    let actor = caller.actor().to_owned();
    let Some(git) = layout.git.clone().filter(|_| ask) else { return actor };
    let clean = git.text(&["status", "--porcelain", "--", path]).is_ok_and(|status| status.trim().is_empty());
    let author = git.text(&["log", "-1", "--format=%an", "HEAD", "--", path]).unwrap_or_default();
    let author = author.trim();
    if !clean || author.is_empty() {
        return actor;
    }
    let author = ken_guard::redact(author).into_owned();
    let lower = author.to_lowercase();
    let names =
        ["claude", "claude code", "codex", "copilot", "cursor", "cursor agent", "gemini", "gemini cli"];
    let is_agent = lower.ends_with("[bot]") || names.contains(&lower.as_str());
    if is_agent { format!("agent:{author}") } else { format!("human:{author}") }
}

/// Who is credited with a change that is carried in: its author. What a tool committed and a person carries in at a terminal is that
/// person's decision.
fn credited(layout: &Layout, caller: &Caller, path: &str, ask: bool) -> String {
    let author = author(layout, caller, path, ask);
    if caller.is_unattended() || author.starts_with("human:") { author } else { caller.actor().to_owned() }
}

pub(in crate::foreign) fn id_of(store: &Ledger, key: EntryKey) -> Result<String> {
    Ok(store.stored(key)?.map_or_else(|| key.to_string(), |stored| stored.id))
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
            .hint(format!("remove one of them: ken config mirrors.{} default", other.name))
            .into());
        }
    }
    Ok(())
}

/// The folder of a mirror outside the repository. Events call it by the name of the mirror and never by its path (STO-9).
fn outside_folder(mirror: &Mirror, adapters: &'static dyn crate::Adapters) -> Result<Folder> {
    let at = match mirror.path.strip_prefix("~/") {
        Some(below) => match std::env::home_dir().filter(|home| home.is_absolute()) {
            Some(home) => home.join(below),
            None => {
                let why = format!("mirrors.{}: your home directory is unknown; set HOME", mirror.name);
                return Err(Refusal::new(Code::NotAllowed, why).hint("set HOME").into());
            }
        },
        None => std::path::PathBuf::from(&mirror.path),
    };
    let root = format!("{}{}", super::OUTSIDE, mirror.name);
    let is_one = at.is_file() || (!at.is_dir() && at.extension().is_some());
    match (is_one, at.file_name().and_then(|name| name.to_str()).map(str::to_owned)) {
        (true, Some(file)) => {
            let folder = at.parent().unwrap_or(&at).to_owned();
            Ok(Folder { at: folder, root, only: Some(file), adapters })
        }
        _ => Ok(Folder { at, root, only: None, adapters }),
    }
}

/// Under which name it is remembered how a mirror looked.
fn memory_of(mirror: &Mirror) -> String {
    format!("{}:{}", mirror.format, mirror.path)
}

/// What an edit amounts to, in a few words.
fn told(edit: &Edit, ledger: &Ledger) -> Result<String> {
    let mut told = Vec::new();
    for changed in edit.changed() {
        told.push(format!("{}: {}", id_of(ledger, changed.key)?, changed.told()));
    }
    if edit.new_items() > 0 {
        told.push(counted(edit.new_items(), "new entry", "new entries"));
    }
    if !edit.gone.is_empty() {
        told.push(format!("{} removed", counted(edit.gone.len(), "entry", "entries")));
    }
    Ok(if told.is_empty() { "nothing that an entry says".to_owned() } else { told.join("; ") })
}

fn shown(value: &Value) -> String {
    match &ken_engine::intake::redacted(value.clone()) {
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
