//! Imported words that their file no longer has, or has in other words (COR-25). What a mirror holds is for `sync`.

use crate::{ModelsInUse, Site};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use ken_core::{Code, DocumentName, EntryHead, EntryKey, Kept, Refusal};
use ken_engine::{Caller, DocumentLine, Ledger, Result, view};
use ken_formats::Format;
use serde::Serialize;

use super::{Folder, ImportReport, Mirror, OUTSIDE, Taken, cited, databases};

/// A file that no longer says what was imported from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedSource {
    pub path: String,
    /// The word of its format.
    pub format: String,
    /// What to import to take up its edits: itself, or the folder that was imported.
    pub import_path: String,
    /// Entries in use whose words are no longer in it.
    pub gone: Vec<EntryHead>,
    /// Entries whose words changed in it since it was imported.
    pub changed: usize,
    /// Items that were added to it since it was imported.
    pub new: usize,
    /// Its text is no longer what was imported; `check` says what that changes.
    pub is_edited: bool,
    /// The file does not exist any more.
    pub is_missing: bool,
}

/// Which imported files are compared with what was imported.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SourcesAsked<'a> {
    /// Only those of this folder, by its name in the ledger.
    pub root: Option<&'a str>,
    /// Look at files in short: at most so many are read, and none is taken apart. Of an edited file it is told that it was edited.
    pub brief: Option<usize>,
}

/// Imported files that no longer say what was imported from them.
pub(crate) fn outdated_imports(
    ledger: &Ledger,
    site: &Site,
    asked: SourcesAsked<'_>,
) -> Result<Vec<ChangedSource>> {
    let lines = imported_files(ledger, site, asked.root)?;
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let mut former: BTreeMap<DocumentName, BTreeSet<EntryKey>> = BTreeMap::new();
    for (key, names) in ledger.former_homes()? {
        for name in names {
            former.entry(name).or_default().insert(key);
        }
    }
    let (mut sources, mut homes) = (Vec::new(), None);
    for (at, line) in lines.iter().enumerate() {
        let is_read = asked.brief.is_none_or(|max| at < max);
        let mut source = match is_read {
            true => changes_of(ledger, site, line, asked.brief.is_none())?,
            false => SourceChange::default(),
        };
        source.gone.extend(former.remove(&line.document).unwrap_or_default());
        if homes.is_none() && !source.gone.is_empty() {
            homes = Some(ledger.homes()?);
        }
        // What a second file holds is not gone.
        let files = |key: &EntryKey| homes.as_ref().and_then(|homes| homes.get(key)).map_or(0, Vec::len);
        source.gone.retain(|key| files(key) < 2);
        let gone = in_use(ledger, &source.gone)?;
        let is_same_to_entries = source.changed + source.new == 0 && asked.brief.is_none();
        if !gone.is_empty() || (source.is_edited && !is_same_to_entries) {
            let SourceChange { changed, new, is_edited, is_missing, .. } = source;
            let (path, format) = (cited(&line.document), line.document.format.clone());
            let import_path = match (line.document.path.contains('/'), line.document.root.as_str()) {
                (false, _) => path.clone(),
                (true, "") => ".".to_owned(),
                (true, root) => root.to_owned(),
            };
            let source =
                ChangedSource { path, format, import_path, gone, changed, new, is_edited, is_missing };
            sources.push(source);
        }
    }
    Ok(sources)
}

/// The files of this repository that were imported, and that no mirror keeps in step.
fn imported_files(ledger: &Ledger, site: &Site, root: Option<&str>) -> Result<Vec<DocumentLine>> {
    if site.options.global {
        return Ok(Vec::new());
    }
    let mirrors = crate::foreign::sync::mirrors(&site.config).unwrap_or_default();
    let mut lines = ledger.documents(None, root)?;
    lines.retain(|line| {
        line.on_branch
            && !line.derived
            && !line.document.root.starts_with(OUTSIDE)
            && !mirrors.iter().any(|mirror| covers(mirror, &line.document))
    });
    Ok(lines)
}

/// The format and the folder of an imported file; none where it is no file of text.
fn source_of(site: &Site, line: &DocumentLine) -> Option<(&'static dyn Format, Folder)> {
    let name = &line.document;
    let (format, adapters) = (super::format(&name.format).ok()?, site.workspace.adapters());
    let at = site.layout.root.join(&name.root);
    let folder = Folder { at, root: name.root.clone(), only: None, adapters };
    databases::of_rows(&folder, &name.path).is_none().then_some((format, folder))
}

/// The bytes of an imported file that was edited since; none where it was not.
fn edited(line: &DocumentLine, folder: &Folder) -> Option<Vec<u8>> {
    let bytes = crate::foreign::import::read_foreign(folder, &line.document.path).ok()?;
    (Kept::hash_of(&bytes) != line.hash && !super::is_unmerged(&bytes)).then_some(bytes)
}

/// Imported files whose edit waits for a person, as far as an agent may take it up (COR-21).
pub(super) fn held_imports(ledger: &Ledger, site: &Site, caller: &Caller) -> Result<Vec<HeldImport>> {
    let mut held = Vec::new();
    for line in imported_files(ledger, site, None)? {
        let Some((format, folder)) = source_of(site, &line) else { continue };
        let Some(bytes) = edited(&line, &folder) else { continue };
        let mut edit = crate::foreign::edit::plan_edit(
            ledger,
            site,
            format,
            Taken::new(format, line.document.clone(), &bytes),
        )?;
        // An import retracts nothing.
        edit.gone.clear();
        let script = caller.clone().unattended();
        if let Some(why) = crate::foreign::edit::edit_waits(ledger, &script, &edit)? {
            let keys = edit.changed().map(|changed| changed.key).collect();
            held.push(HeldImport { name: line.document, format, bytes, keys, why });
        }
    }
    Ok(held)
}

/// Takes up the edit of an imported file that waits, for a person.
pub(super) fn take_held_import(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    held: HeldImport,
) -> Result<String> {
    let path = cited(&held.name);
    let mut report = ImportReport::default();
    ledger.as_one_command(|ledger| {
        let root = held.name.root.clone();
        let taken = Taken::new(held.format, held.name, &held.bytes);
        let mut names = HashMap::new();
        let ties = crate::foreign::import::take_up_edit(
            ledger,
            site,
            models,
            caller,
            held.format,
            taken,
            &mut names,
            &mut report,
        )?;
        let ties = ties.into_iter().map(|tie| (held.format, tie)).collect();
        crate::foreign::import::tie(ledger, &site.config, caller, &root, ties, names)?;
        crate::writer::finish(ledger, site, models, caller, ())
    })?;
    match report.waiting.iter().chain(&report.kept_out).next() {
        Some(note) => Err(Refusal::new(Code::NotAllowed, format!("{path}: {}", note.note)).into()),
        None => Ok(format!("the edit of {path} is applied")),
    }
}

/// What changed in a file since it was imported.
fn changes_of(ledger: &Ledger, site: &Site, line: &DocumentLine, is_whole: bool) -> Result<SourceChange> {
    let name = &line.document;
    let Some((format, folder)) = source_of(site, line) else { return Ok(SourceChange::default()) };
    let is_missing = std::fs::symlink_metadata(folder.at.join(&name.path))
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    if is_missing {
        let kept = ledger.document(name)?;
        let keys = kept.iter().flat_map(Kept::entries).map(|(key, _)| key).collect();
        return Ok(SourceChange { gone: keys, is_missing, ..SourceChange::default() });
    }
    let Some(bytes) = edited(line, &folder) else { return Ok(SourceChange::default()) };
    if !is_whole {
        return Ok(SourceChange { is_edited: true, ..SourceChange::default() });
    }
    let edit =
        crate::foreign::edit::plan_edit(ledger, site, format, Taken::new(format, name.clone(), &bytes))?;
    let (changed, new) = (edit.changed().count(), edit.new_items());
    Ok(SourceChange { gone: edit.gone, changed, new, is_edited: true, is_missing })
}

fn in_use(store: &Ledger, keys: &[EntryKey]) -> Result<Vec<EntryHead>> {
    let mut heads = Vec::new();
    for key in keys {
        let stored = store.stored(*key)?;
        let stored = stored.filter(|stored| stored.entry.status.is_retrieved() && stored.is_on_branch());
        heads.extend(stored.as_ref().map(view::head));
    }
    Ok(heads)
}

/// An imported file that was edited, and whose edit only a person may take up.
pub(super) struct HeldImport {
    pub(super) name: DocumentName,
    format: &'static dyn Format,
    bytes: Vec<u8>,
    /// The entries that the edit changes.
    pub(super) keys: Vec<EntryKey>,
    pub(super) why: String,
}

#[derive(Debug, Default)]
struct SourceChange {
    gone: Vec<EntryKey>,
    changed: usize,
    new: usize,
    is_edited: bool,
    is_missing: bool,
}

/// Whether a file lies in a mirror of its format.
fn covers(mirror: &Mirror, name: &DocumentName) -> bool {
    let path = cited(name);
    let below = path.strip_prefix(mirror.path.as_str());
    !mirror.outside
        && mirror.format == name.format
        && (mirror.path.is_empty() || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}
