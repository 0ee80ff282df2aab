//! `import`: files of other systems become entries, in batches that can be interrupted and taken up again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use ken_core::answer::ItemOutcome;
use ken_core::decide::{self, Context};
use ken_core::{DocumentName, EntryKey, Gap, Intent, Kept, Memory};
use ken_engine::intake::Names;
use ken_engine::ops::{self, documents};
use ken_engine::{Caller, Error, Ledger, Overlaid, Result, Stored};
use ken_formats::Format;
use serde::Serialize;

use super::databases;
use super::disk::{self, FoundFile};
use super::edit::{Retracted, Taking};
use super::{ChangedSource, FileNote, Folder, How, SourcesAsked, Taken, Tie};
use crate::intake_rules::Rules;
use crate::limits::foreign_import::{
    BATCH_BYTES_MAX, BATCH_FILES_MAX, BATCHES_AHEAD_MAX, CLAIM_MIN, HEAD_BYTES,
};
use crate::limits::recall::EMBEDDED_AT_WRITE_MAX;
use crate::repository::RepositoryView;
use crate::{Config, Layout, ModelsInUse, Query, Site};

/// What is to be brought in.
#[derive(Clone, Debug, Default)]
pub struct ImportInput {
    /// The word of a format, or `auto`.
    pub format: String,
    /// A file or a folder.
    pub path: PathBuf,
    /// Say what would happen, and do nothing.
    pub dry_run: bool,
    /// What the folder is called in the ledger, where its path will not do.
    pub name: Option<String>,
}

/// How far an import is.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportProgress {
    /// Files that were looked at.
    pub files: usize,
    /// Files that there are.
    pub of: usize,
    /// Entries that came in.
    pub entries: usize,
}

/// What an import did.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportReport {
    /// Files by format.
    pub formats: BTreeMap<String, usize>,
    /// What the folder is called in the ledger.
    pub root: String,
    /// The one file of it that was meant.
    pub file: Option<String>,
    /// Nothing was written.
    pub dry_run: bool,
    /// Every file was looked at.
    pub complete: bool,
    /// Files that were looked at.
    pub files: usize,
    /// Of these, files that were brought in before and are as they were.
    pub unchanged: usize,
    /// Files that changed since they were brought in.
    pub changed: usize,
    /// Files that are no knowledge, and are kept as they are.
    pub others: usize,
    /// New entries that lack nothing.
    pub added: usize,
    /// New entries that lack evidence, a place or a step.
    pub held: usize,
    /// In a dry run, the entries that would be added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ForeseenEntry>,
    /// Items that an entry here already said.
    pub reinforced: usize,
    /// Entries that came in before, and whose import was undone: they are back.
    pub restored: usize,
    /// Items that the scanner or their admission kept out; they are in the quarantine.
    pub rejected: usize,
    /// Items that could not become entries; their text is kept.
    pub refused: usize,
    /// Ties between entries.
    pub tied: usize,
    /// New entries that lack evidence.
    pub without_evidence: usize,
    /// New entries that lack a place.
    pub without_place: usize,
    /// New entries that lack a step.
    pub without_step: usize,
    /// Words that an entry may not say in its scope; the files still say them.
    pub out_of_scope: usize,
    /// Places that items name and this repository does not have.
    pub places_left_out: usize,
    /// Files that were not read, and why.
    pub left_out: Vec<FileNote>,
    /// What of the files could not be read, a broken line for instance; the rest of them was.
    pub unreadable: Vec<FileNote>,
    /// What was kept out, and why.
    pub kept_out: Vec<FileNote>,
    /// What was taken out of texts before they were kept.
    pub redacted: Vec<FileNote>,
    /// Edited files that only a person may take up: they wait in the queue (COR-21).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<FileNote>,
    /// What was not understood.
    pub notes: Vec<FileNote>,
    /// Files that no longer say all that was imported from them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_sources: Vec<ChangedSource>,
    /// The first new entries, each with its file.
    #[serde(skip)]
    new: Vec<(EntryKey, String)>,
}

/// An entry that an import would add.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForeseenEntry {
    /// The id it would have.
    pub id: String,
    /// The beginning of its text.
    pub title: String,
    /// The file that states it.
    pub path: String,
}

/// Formats whose files lie among others: only those that look like it are read.
pub(super) const SCATTERED: &[&str] = &["agents-md", "server-memory", "mem0", "formicos"];

/// Folders in which a project keeps what others wrote.
const VENDORED: &[&str] = &["node_modules", "skills", "third-party", "third_party", "vendor", "vendored"];

/// Brings files of other systems in. `go_on` is called after each batch; when it answers no, the rest is left for the next time.
pub fn import(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: &ImportInput,
    go_on: &mut dyn FnMut(&ImportProgress) -> bool,
) -> Result<ImportReport> {
    ledger.as_one_command(|ledger| import_all(ledger, site, models, caller, input, go_on))
}

fn import_all(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: &ImportInput,
    go_on: &mut dyn FnMut(&ImportProgress) -> bool,
) -> Result<ImportReport> {
    if !input.dry_run {
        ledger.may_write()?;
    }
    let folder = crate::foreign::folder(site, &input.path, input.name.as_deref())?;
    if !input.dry_run {
        may_take_elsewhere(&site.layout, caller, &folder, &input.format)?;
    }
    let mut report = ImportReport {
        root: folder.root.clone(),
        file: folder.only.clone(),
        dry_run: input.dry_run,
        ..ImportReport::default()
    };
    let files = assign(&site.layout, &folder, &input.format, &mut report)?;
    let mut known: HashMap<DocumentName, String> = HashMap::new();
    for format in report.formats.keys() {
        let lines = ledger.documents(Some(format), Some(&folder.root))?;
        known.extend(lines.into_iter().map(|line| (line.document, line.hash)));
    }
    if !input.dry_run {
        confirm_changed_norms(ledger, site, caller, &folder, &files, &known)?;
    }
    let mut names: HashMap<(String, String), EntryKey> = HashMap::new();
    let writer = crate::writer::writer(&site.config, caller);
    crate::foreign::undone::restore_undone(
        ledger,
        &writer,
        &folder,
        &files,
        &known,
        &mut names,
        &mut report,
    )?;
    let mut progress = ImportProgress { of: files.len(), ..ImportProgress::default() };
    let mut ties: Vec<(&'static dyn Format, Tie)> = Vec::new();
    let mut unchanged: Vec<(&'static dyn Format, &str)> = Vec::new();
    report.complete = true;
    let batches = in_batches(&files);
    let (known, folder, rules) = (&known, &folder, crate::intake_rules::rules(ledger, site, models, caller)?);
    let (names_kept, around) = (&rules.names.clone(), &crate::repository::repository(site));
    std::thread::scope(|scope| -> Result<()> {
        let (ahead, ready) = std::sync::mpsc::sync_channel(BATCHES_AHEAD_MAX);
        // While one batch is written, the next is read, taken apart and scanned.
        scope.spawn({
            let batches = batches.clone();
            let read = |batch: &[Assigned]| Read::new(batch, folder, known, names_kept, around);
            // Whoever stops listening has been interrupted, or has failed.
            move || batches.into_iter().try_for_each(|batch| ahead.send(read(batch)))
        });
        for (number, batch) in batches.iter().enumerate() {
            let Ok(read) = ready.recv() else {
                return Err(Error::failed("reading files")("the reader thread stopped"));
            };
            for ((format, found), looked) in batch.iter().zip(read.files) {
                report.files += 1;
                match looked {
                    Looked::Unreadable(why) => report.left_out.push(FileNote::new(&found.path, why)),
                    Looked::Same => {
                        report.unchanged += 1;
                        unchanged.push((*format, &found.path));
                    }
                    Looked::Changed(taken) => {
                        report.changed += 1;
                        if !input.dry_run {
                            let edited = match take_up_edit(
                                ledger,
                                site,
                                models,
                                caller,
                                *format,
                                *taken,
                                &mut names,
                                &mut report,
                            ) {
                                Ok(edited) => edited,
                                // One file that is refused does not stop the others.
                                Err(Error::Refused(refusal)) if refusal.confirm.is_none() => {
                                    report.refused += 1;
                                    report.kept_out.push(FileNote::new(&found.path, refusal.message));
                                    Vec::new()
                                }
                                Err(error) => return Err(error),
                            };
                            ties.extend(edited.into_iter().map(|tie| (*format, tie)));
                        }
                    }
                    Looked::New(new) => {
                        ties.extend(new.ties.into_iter().map(|tie| (*format, tie)));
                        report.notes.extend(new.notes);
                        report.unreadable.extend(new.unreadable);
                        report.others += usize::from(new.is_other);
                    }
                }
            }
            report.places_left_out += read.places_left_out;
            if let Some(new) = read.new {
                take_batch(ledger, site, caller, new, &rules, &mut names, &mut report)?;
            }
            progress.files = report.files;
            progress.entries = report.added + report.held + report.reinforced;
            if !go_on(&progress) && number + 1 < batches.len() {
                report.complete = false;
                break;
            }
        }
        Ok(())
    })?;
    if !input.dry_run {
        // What came earlier may speak of what came now, or came back.
        for (format, path) in unchanged.into_iter().filter(|_| !names.is_empty()) {
            let Ok(content) = read_foreign(folder, path) else { continue };
            let taken = Taken::new(format, DocumentName::new(format.word(), &folder.root, path), &content);
            let came = |name: &String| names.contains_key(&(format.word().to_owned(), name.clone()));
            let more = taken.ties().into_iter().filter(|tie| came(&tie.from) || came(&tie.to));
            ties.extend(more.map(|tie| (format, tie)));
        }
        report.tied = tie(ledger, &site.config, caller, &folder.root, ties, names)?;
        crate::writer::finish(ledger, site, models, caller, ())?;
        tell_pairs_of_files(ledger, models, &mut report)?;
        report.changed_sources = crate::foreign::sources::outdated_imports(
            ledger,
            site,
            SourcesAsked { root: Some(&folder.root), brief: None },
        )?;
        // Another import would not take up an edit that waits for a person.
        for source in &mut report.changed_sources {
            if report.waiting.iter().any(|waiting| waiting.path == source.path) {
                (source.changed, source.new) = (0, 0);
            }
        }
        report.changed_sources.retain(|source| !source.gone.is_empty() || source.changed + source.new > 0);
    }
    Ok(report)
}

/// Tells which new entries may contradict or repeat others.
fn tell_pairs_of_files(
    ledger: &mut Ledger,
    models: &mut ModelsInUse,
    report: &mut ImportReport,
) -> Result<()> {
    let paths: BTreeMap<EntryKey, String> = std::mem::take(&mut report.new).into_iter().collect();
    let keys: Vec<EntryKey> = paths.keys().copied().collect();
    let compared = crate::compared::compared(ledger, models, &keys, report.added + report.held)?;
    for (key, remark) in compared.remarks {
        let handle = ledger.stored(key)?.map(|stored| ken_engine::view::handle(&stored));
        let note = format!("{} {remark}", handle.unwrap_or_default());
        report.notes.push(FileNote::new(&paths[&key], note));
    }
    let all = report.file.clone().unwrap_or_else(|| report.root.clone());
    let all = if all.is_empty() { ".".to_owned() } else { all };
    report.notes.extend(compared.later.map(|later| FileNote::new(all, later)));
    Ok(())
}

/// What lies outside the repository belongs to somebody else, until a person says that all of it is meant. A format that is named says
/// so of a folder beside the repository; a folder around it has other projects.
fn may_take_elsewhere(layout: &Layout, caller: &Caller, folder: &Folder, format: &str) -> Result<()> {
    let top = layout.root.clone();
    let top = top.canonicalize().unwrap_or(top);
    let is_around = folder.only.is_none() && top.starts_with(&folder.at);
    if folder.at.starts_with(&top) || format != "auto" && !is_around {
        return Ok(());
    }
    let what = if format == "auto" { "the files of every format" } else { "the files of every project" };
    caller.require_person(&format!("importing {what} in {}, outside this repository,", folder.at.display()))
}

/// Which file is read by which format.
fn assign(
    layout: &Layout,
    folder: &Folder,
    word: &str,
    report: &mut ImportReport,
) -> Result<Vec<(&'static dyn Format, FoundFile)>> {
    let listing = disk::list(&folder.at, folder.only.as_deref())
        .map_err(Error::failed(format!("reading {}", folder.at.display())))?;
    report.left_out.extend(listing.left_out.into_iter().map(|(path, why)| FileNote::new(path, why)));
    let files =
        listing.files.into_iter().filter(|found| folder.only.as_ref().is_none_or(|only| *only == found.path));
    let mut files: Vec<FoundFile> = files.collect();
    // This repository, inside a folder that is named: its files have other names there, and would come in twice.
    let top = layout.root.clone();
    let top = top.canonicalize().unwrap_or(top);
    let own = top.strip_prefix(&folder.at).ok().and_then(|below| below.to_str()).unwrap_or_default();
    if !own.is_empty() {
        let count = files.len();
        files.retain(|found| !found.path.strip_prefix(own).is_some_and(|rest| rest.starts_with('/')));
        if files.len() < count {
            let note = "is this repository; import it from here: ken import auto .";
            report.left_out.push(FileNote::new(own, note));
        }
    }
    let head = |found: &FoundFile| {
        let bytes = disk::read(&folder.at, &found.path).unwrap_or_default();
        String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]).into_owned()
    };
    let mut assigned: Vec<(&'static dyn Format, FoundFile)> = if word == "auto" {
        recognised(folder, files, &head, &mut report.left_out)
    } else {
        let format = super::format(word)?;
        let is_scattered = SCATTERED.contains(&format.word()) || folder.at.join(".git").exists();
        let takes = |found: &FoundFile| {
            folder.only.is_some() || !is_scattered || format.claims(&found.path, &head(found)) >= CLAIM_MIN
        };
        let files: Vec<FoundFile> = files.into_iter().filter(takes).collect();
        let files = databases::rows_for(format, folder, files, &mut report.left_out);
        // A folder without a single file of the format is another folder.
        if folder.only.is_none()
            && !files.iter().any(|found| format.claims(&found.path, &head(found)) >= CLAIM_MIN)
        {
            return Err(nothing_to_read(folder, word));
        }
        files.into_iter().map(|found| (format, found)).collect()
    };
    leave_out_vendored(folder, &mut assigned, &mut report.left_out);
    if assigned.is_empty() {
        return Err(nothing_to_read(folder, word));
    }
    for (format, _) in &assigned {
        *report.formats.entry(format.word().to_owned()).or_default() += 1;
    }
    Ok(assigned)
}

fn take_batch(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    new: documents::ScannedFiles,
    rules: &Rules,
    names: &mut HashMap<(String, String), EntryKey>,
    report: &mut ImportReport,
) -> Result<()> {
    let (writer, around, intake) =
        (crate::writer::writer(&site.config, caller), crate::repository::repository(site), rules.for_many());
    let arrived = if report.dry_run {
        documents::foresee(ledger, &around, new, &intake, &writer)?
    } else {
        documents::take_in_scanned(ledger, &around, &new, &intake, &writer)?
    };
    for file in arrived {
        report.count(&file, names);
    }
    Ok(())
}

/// Has an approver confirm edits of files that were imported before and that move approved norms, before anything is written.
fn confirm_changed_norms(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    folder: &Folder,
    files: &[Assigned],
    known: &HashMap<DocumentName, String>,
) -> Result<()> {
    if known.is_empty() || !crate::writer::is_approver_to_ask(&site.config, caller) {
        return Ok(());
    }
    let norms = Query { memories: vec![Memory::Procedural], overlaid: Overlaid::Any, ..Query::default() };
    let norms = ledger.list(&norms)?.entries.into_iter();
    let approved: HashSet<EntryKey> =
        norms.filter(|norm| crate::is_approved(&norm.entry)).map(|norm| norm.entry.key).collect();
    if approved.is_empty() {
        return Ok(());
    }
    let homes = ledger.homes()?.into_iter().filter(|(key, _)| approved.contains(key));
    let holding: HashSet<DocumentName> = homes.flat_map(|(_, names)| names).collect();
    let (mut edited, mut moved) = (Vec::new(), Vec::new());
    for (format, found) in files {
        let name = DocumentName::new(format.word(), &folder.root, &found.path);
        let Some(hash) = known.get(&name).filter(|_| holding.contains(&name)) else { continue };
        // What cannot be read is said when its turn comes.
        let Ok(content) = read_foreign(folder, &found.path) else { continue };
        if super::is_unmerged(&content) || *hash == Kept::hash_of(&content) {
            continue;
        }
        let edit = crate::foreign::edit::plan_edit(
            ledger,
            site,
            *format,
            Taken::new(*format, name.clone(), &content),
        )?;
        let norms = crate::foreign::edit::norms_to_confirm(ledger, &site.config, caller, &edit)?;
        if !norms.is_empty() {
            edited.push(super::cited(&name));
            moved.extend(norms);
        }
    }
    crate::foreign::edit::confirm_edits(caller, edited, moved)
}

pub(super) fn take_up_edit(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    format: &'static dyn Format,
    taken: Taken,
    names: &mut HashMap<(String, String), EntryKey>,
    report: &mut ImportReport,
) -> Result<Vec<Tie>> {
    report.notes.extend(taken.notes());
    report.unreadable.extend(taken.broken());
    let name = taken.name.clone();
    let mut edit = crate::foreign::edit::plan_edit(ledger, site, format, taken)?;
    // An import retracts nothing: an entry whose text is gone stays. What was retracted is not brought back either.
    let mut waiting = BTreeSet::new();
    for retracted in crate::foreign::edit::leave_retracted(ledger, caller, &mut edit)? {
        match retracted {
            Retracted::Stays(told) => report.notes.push(FileNote::new(&name.path, told)),
            Retracted::Waits(key, told) => {
                waiting.insert(key);
                report.waiting.push(FileNote::new(super::cited(&name), told));
            }
        }
    }
    // The rest of the file does not wait for a person.
    for (key, why) in crate::foreign::edit::changes_that_wait(ledger, caller, &edit)? {
        if waiting.insert(key) {
            let note = format!("{why}; this waits in `ken queue`, where a person applies it");
            report.waiting.push(FileNote::new(super::cited(&name), note));
        }
    }
    let norms = crate::foreign::edit::norms_to_confirm(ledger, &site.config, caller, &edit)?;
    crate::foreign::edit::confirm_edits(caller, vec![super::cited(&name)], norms)?;
    let ties = std::mem::take(&mut edit.ties);
    let applied = crate::foreign::edit::apply_edit(
        ledger,
        site,
        models,
        caller,
        edit,
        &Taking { skip_refused: true, waiting, ..Taking::default() },
    )?;
    report.notes.extend(applied.done.into_iter().map(|what| FileNote::new(&name.path, what)));
    for key in applied.successors {
        let gaps = ledger.stored(key)?.map(|stored| stored.entry.gaps()).unwrap_or_default();
        report.count_successor(&gaps);
        report.note_new(key, &name.path);
    }
    if let Some(file) = &applied.arrived {
        report.count(file, names);
    }
    report.refused += applied.refused.len();
    report.kept_out.extend(applied.refused.into_iter().map(|why| FileNote::new(&name.path, why)));
    Ok(ties)
}

/// Ties entries to each other as their files say. What names nothing here is left.
pub(super) fn tie(
    store: &mut Ledger,
    config: &Config,
    caller: &Caller,
    root: &str,
    ties: Vec<(&'static dyn Format, Tie)>,
    mut names: HashMap<(String, String), EntryKey>,
) -> Result<usize> {
    let named = |format: &dyn Format, name: &str| (format.word().to_owned(), name.to_owned());
    let missing: HashSet<(String, String)> = ties
        .iter()
        .flat_map(|(format, tie)| [named(*format, &tie.from), named(*format, &tie.to)])
        .filter(|name| !names.contains_key(name))
        .collect();
    // Names of files that were brought in before.
    let formats: BTreeSet<&str> = missing.iter().map(|(format, _)| format.as_str()).collect();
    for format in formats {
        for line in store.documents(Some(format), Some(root))? {
            let Some(kept) = store.document(&line.document)? else { continue };
            for (key, part) in kept.entries() {
                names.entry((format.to_owned(), part.name.clone())).or_insert(key);
            }
        }
    }
    let writer = crate::writer::writer(config, caller);
    let context = ops::context(store, &writer)?;
    let mut intents = Vec::new();
    let mut successors: BTreeMap<EntryKey, EntryKey> = BTreeMap::new();
    let mut count = 0;
    for (format, tie) in ties {
        let key = |name: &str| names.get(&named(format, name)).copied();
        let Some(from) = key(&tie.from).map(|key| store.stored(key)).transpose()?.flatten() else {
            continue;
        };
        let Some(to) = key(&tie.to).map(|key| store.stored(key)).transpose()?.flatten() else {
            if matches!(tie.how, How::Superseded) {
                intents.extend(superseded_by_absent(store, caller, &from, &tie.to, &context)?);
            }
            continue;
        };
        let hides = matches!(tie.how, How::Superseded) && from.entry.superseded_by != Some(to.entry.key);
        if hides
            && caller.is_unattended()
            && let Some(why) = crate::writer::needs_a_person(store, from.entry.key)?
        {
            store.notice(format!(
                "{why}, so it was not superseded as its file says; a person decides: `ken supersede {} {}`",
                from.id, to.id
            ));
            continue;
        }
        let more = match tie.how {
            How::Tied(relation) => decide::link(&from.entry, relation, &to.entry, &context),
            How::Untied(relation) => Ok(decide::unlink(&from.entry, relation, &to.entry)),
            How::Superseded => {
                match ops::change::check_ring(&**store, &from.entry, &to.entry, &successors) {
                    Ok(()) => {}
                    Err(Error::Refused(refusal)) => {
                        let (old, new, why) = (&from.id, &to.id, refusal.message);
                        store.notice(format!(
                            "{old} was not superseded by {new} as its file says: {why}; correct one of the files"
                        ));
                        continue;
                    }
                    Err(error) => return Err(error),
                }
                let reason = "as its own system says".to_owned();
                let decided = decide::supersede(&from.entry, &to.entry, reason, &context);
                if decided.is_ok() {
                    successors.insert(from.entry.key, to.entry.key);
                }
                decided
            }
        };
        // A tie that makes no sense here is no reason to fail: the file keeps it.
        let more = more.unwrap_or_default();
        count += usize::from(!more.is_empty());
        intents.extend(more);
    }
    if !intents.is_empty() {
        let touched: HashSet<EntryKey> = intents.iter().filter_map(|intent| intent.entry).collect();
        store.append(intents, &writer)?;
        // The files say so themselves.
        documents::stand(store, &touched, &writer)?;
    }
    Ok(count)
}

/// An entry whose file says that something else superseded it, which is not here: it is archived, and not handed out any more. When the
/// other one comes, it supersedes it.
fn superseded_by_absent(
    store: &mut Ledger,
    caller: &Caller,
    from: &Stored,
    by: &str,
    context: &Context,
) -> Result<Vec<Intent>> {
    if !from.entry.status.is_retrieved() {
        return Ok(Vec::new());
    }
    let id = &from.id;
    if caller.is_unattended()
        && let Some(why) = crate::writer::needs_a_person(store, from.entry.key)?
    {
        store.notice(format!(
            "{why}, so it was not archived, although its file says that {by} supersedes it; a person decides: `ken archive {id}`"
        ));
        return Ok(Vec::new());
    }
    let reason = format!("superseded by {by}, as its file says; {by} was not imported");
    let intents = decide::archive(&from.entry, reason, context).unwrap_or_default();
    if !intents.is_empty() {
        store.notice(format!(
            "{id} is archived: its file says that {by} supersedes it, and {by} was not imported"
        ));
    }
    Ok(intents)
}

impl ImportReport {
    fn note_new(&mut self, key: EntryKey, path: &str) {
        if self.new.len() < EMBEDDED_AT_WRITE_MAX {
            self.new.push((key, path.to_owned()));
        }
    }

    /// A new entry with edited words, and what it lacks.
    fn count_successor(&mut self, gaps: &[Gap]) {
        let lacks = |gap: Gap| usize::from(gaps.contains(&gap));
        self.without_evidence += lacks(Gap::Provenance);
        self.without_place += lacks(Gap::Anchor);
        self.without_step += lacks(Gap::Verification);
        *if gaps.is_empty() { &mut self.added } else { &mut self.held } += 1;
    }

    fn count(&mut self, file: &documents::Arrived, names: &mut HashMap<(String, String), EntryKey>) {
        let path = &file.document.path;
        self.out_of_scope += file.out_of_scope;
        for item in &file.items {
            let lacks = |gap: Gap| item.gaps.contains(&gap);
            self.without_evidence += usize::from(lacks(Gap::Provenance));
            self.without_place += usize::from(lacks(Gap::Anchor));
            self.without_step += usize::from(lacks(Gap::Verification));
            if self.dry_run && matches!(item.outcome, ItemOutcome::Added | ItemOutcome::Held) {
                let (id, title) = (item.id.clone(), item.title.clone());
                self.items.push(ForeseenEntry { id, title, path: path.clone() });
            }
            match item.outcome {
                ItemOutcome::Added => self.added += 1,
                ItemOutcome::Held => self.held += 1,
                ItemOutcome::Rejected => self.rejected += 1,
                ItemOutcome::Refused => self.refused += 1,
                ItemOutcome::Reinforced | ItemOutcome::Merged | ItemOutcome::Known => self.reinforced += 1,
                ItemOutcome::Restored => self.restored += 1,
            }
            if item.is_retired {
                let why = item.reasons.join("; ");
                self.notes.push(FileNote::new(path, why));
            }
            if let Some(key) = item.key {
                if matches!(item.outcome, ItemOutcome::Added | ItemOutcome::Held) {
                    self.note_new(key, path);
                }
                names.insert((file.document.format.clone(), item.name.clone()), key);
            }
            if matches!(item.outcome, ItemOutcome::Rejected | ItemOutcome::Refused) {
                let why = item.reasons.first().map(String::as_str).unwrap_or_default();
                self.kept_out.push(FileNote::new(path, format!("{}: {why}", item.name)));
            }
        }
        self.redacted.extend(file.redacted.iter().map(|what| FileNote::new(path, what)));
    }
}

/// A file and the format that reads it.
pub(super) type Assigned = (&'static dyn Format, FoundFile);

/// What a file is to an import.
enum Looked {
    /// It cannot be read, and why.
    Unreadable(String),
    /// It was brought in before and is as it was.
    Same,
    /// It was brought in before and says something else.
    Changed(Box<Taken>),
    /// It was not brought in before.
    New(New),
}

/// What there is to say of a new file beside its entries.
struct New {
    ties: Vec<Tie>,
    notes: Vec<FileNote>,
    unreadable: Vec<FileNote>,
    /// It holds no entry.
    is_other: bool,
}

/// Files that were read, and those among them that are new, ready to be taken in.
struct Read {
    /// What each file is.
    files: Vec<Looked>,
    /// The new ones, scanned; none where there are none.
    new: Option<documents::ScannedFiles>,
    /// Places that they name and this repository does not have.
    places_left_out: usize,
}

impl Read {
    fn new(
        batch: &[Assigned],
        folder: &Folder,
        known: &HashMap<DocumentName, String>,
        names: &Names,
        around: &RepositoryView,
    ) -> Read {
        let mut arriving = Vec::new();
        let mut places_left_out = 0;
        let look = |(format, found): &Assigned| {
            let name = DocumentName::new(format.word(), &folder.root, &found.path);
            let content = match read_foreign(folder, &found.path) {
                Ok(content) if super::is_unmerged(&content) => {
                    return Looked::Unreadable("contains merge conflict markers".to_owned());
                }
                Ok(content) => content,
                Err(why) => return Looked::Unreadable(why),
            };
            match known.get(&name) {
                Some(hash) if *hash == Kept::hash_of(&content) => Looked::Same,
                Some(_) => Looked::Changed(Box::new(Taken::new(*format, name, &content))),
                None => {
                    let taken = Taken::new(*format, name, &content);
                    let (ties, notes, is_other) = (taken.ties(), taken.notes(), taken.items() == 0);
                    let unreadable = taken.broken();
                    arriving.push(taken.arriving(around, &mut places_left_out));
                    Looked::New(New { ties, notes, unreadable, is_other })
                }
            }
        };
        let files = batch.iter().map(look).collect();
        let new = (!arriving.is_empty()).then(|| documents::scan(arriving, names, around));
        Read { files, new, places_left_out }
    }
}

/// Files in the order of their names, so many at once as are written at once.
fn in_batches(files: &[Assigned]) -> Vec<&[Assigned]> {
    let mut batches = Vec::new();
    let (mut from, mut bytes) = (0, 0);
    for (at, (_, found)) in files.iter().enumerate() {
        bytes += found.size;
        if at + 1 - from >= BATCH_FILES_MAX || bytes >= BATCH_BYTES_MAX {
            batches.push(&files[from..=at]);
            (from, bytes) = (at + 1, 0);
        }
    }
    batches.extend(Some(&files[from..]).filter(|rest| !rest.is_empty()));
    batches
}

/// Reads a file; a sentence where it cannot be.
pub(super) fn read_foreign(folder: &Folder, path: &str) -> std::result::Result<Vec<u8>, String> {
    if let Some(why) = super::unnameable(path) {
        return Err(why);
    }
    if let Some(database) = databases::of_rows(folder, path) {
        return folder
            .adapters
            .runtime()
            .foreign_rows(&database)
            .map(String::into_bytes)
            .map_err(|error| error.to_string());
    }
    let bytes = disk::read(&folder.at, path).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > disk::BINARY_BYTES_MAX && std::str::from_utf8(&bytes).is_err() {
        return Err(format!(
            "is a binary file of {} bytes; at most {} are kept",
            bytes.len(),
            disk::BINARY_BYTES_MAX
        ));
    }
    Ok(bytes)
}

/// Whether a file looks like one of a format.
pub(super) fn is_claimed(format: &dyn Format, path: &str, bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]);
    format.claims(path, &head) >= CLAIM_MIN
}

/// Each file goes to the format that claims it most. What nobody claims belongs to the one format around it, if there is one.
fn recognised(
    folder: &Folder,
    files: Vec<FoundFile>,
    head: &dyn Fn(&FoundFile) -> String,
    left_out: &mut Vec<FileNote>,
) -> Vec<(&'static dyn Format, FoundFile)> {
    let mut claimed: Vec<(Option<&'static dyn Format>, FoundFile)> = Vec::with_capacity(files.len());
    let mut around: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for found in files {
        let text = head(&found);
        let best = ken_formats::ALL
            .iter()
            .map(|format| (format.claims(&found.path, &text), *format))
            .filter(|(claim, _)| *claim >= CLAIM_MIN)
            .max_by_key(|(claim, _)| *claim)
            .map(|(_, format)| format);
        if let Some(format) = best.filter(|format| !SCATTERED.contains(&format.word())) {
            let folder = found.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let words = around.entry(folder).or_default();
            if !words.contains(&format.word()) {
                words.push(format.word());
            }
        }
        claimed.push((best, found));
    }
    let of_folder = |found: &FoundFile| {
        let folder = found.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        match around.get(folder).map(Vec::as_slice) {
            // At the top of everything other files are other things.
            Some([word]) if !folder.is_empty() => ken_formats::named(word),
            _ => None,
        }
    };
    claimed
        .into_iter()
        .filter_map(|(best, found)| Some((best.or_else(|| of_folder(&found))?, found)))
        .flat_map(|(format, found)| {
            let rows = databases::rows_for(format, folder, vec![found], left_out);
            rows.into_iter().map(move |found| (format, found)).collect::<Vec<_>>()
        })
        .collect()
}

/// Names folders with instructions of other projects and leaves them out, unless whoever imports names one of them (COR-25).
fn leave_out_vendored(folder: &Folder, assigned: &mut Vec<Assigned>, left_out: &mut Vec<FileNote>) {
    let is_vendored = |part: &str| VENDORED.contains(&part);
    if folder.only.is_some() || folder.root.split('/').any(is_vendored) {
        return;
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    assigned.retain(|(format, found)| {
        let parts: Vec<&str> = found.path.split('/').collect();
        let folders = &parts[..parts.len() - 1];
        let at = folders.iter().position(|part| is_vendored(part)).filter(|_| format.word() == "agents-md");
        let Some(at) = at else { return true };
        *counts.entry(folders[..=at].join("/")).or_default() += 1;
        false
    });
    left_out.extend(counts.into_iter().map(|(path, count)| {
        let files =
            if count == 1 { "1 instruction file".to_owned() } else { format!("{count} instruction files") };
        let inside = folder.in_repository(&path);
        FileNote::new(
            path,
            format!("holds {files} of other projects; to import them: ken import agents-md {inside}"),
        )
    }));
}

fn nothing_to_read(folder: &Folder, word: &str) -> Error {
    use ken_core::{Code, Refusal};
    let place = folder.at.display();
    let message = match word {
        "auto" => format!("no known format was found in {place}"),
        word => format!("no {word} files were found in {place}"),
    };
    let words: Vec<&str> = ken_formats::ALL.iter().map(|format| format.word()).collect();
    Refusal::new(Code::NotFound, message)
        .hint(format!(
            "name the format and the folder: ken import FORMAT FOLDER; formats: {}",
            words.join(", ")
        ))
        .into()
}
