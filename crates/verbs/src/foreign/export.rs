//! `export`: entries as files of another system; what was brought in and not changed comes out to the byte.

use crate::{Layout, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ken_core::promotion::Answer;
use ken_core::{Citation, Code, EvidenceType, Kept, Memory, Refusal};
use ken_engine::ops::documents;
use ken_engine::{Caller, Error, Ledger, Result};
use ken_formats::{Appended, Format, Role, Source, StoreFacts};
use serde::Serialize;

use super::outgoing::{Among, outgoing};
use super::{FileNote, disk};

/// The word for a store of our own: every line of the ledger, in its files.
pub const STORE: &str = "store";

/// What is to be written.
#[derive(Clone, Debug, Default)]
pub struct ExportInput {
    /// The word of a format, or [`STORE`].
    pub format: String,
    /// A folder, or a file for a format that is one file.
    pub path: PathBuf,
    /// Also entries that live in files of other formats.
    pub all: bool,
    /// The folder, as the ledger calls it, whose files are meant; all of them when left out.
    pub root: Option<String>,
    /// Replace files that say something else.
    pub overwrite: bool,
    /// Say what would happen, and do nothing.
    pub dry_run: bool,
}

/// What an export wrote.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportReport {
    pub format: String,
    /// Nothing was written.
    pub dry_run: bool,
    /// Files that were written.
    pub written: Vec<String>,
    /// Files that were there and said the same.
    pub unchanged: usize,
    /// Files that are to the byte as they were brought in.
    pub as_brought_in: usize,
    /// Entries that were never in a file of this format.
    pub new_entries: usize,
    /// Entries that live in files of other formats, and were left there.
    pub elsewhere: usize,
    /// Files that could not be given back whole, and what is missing.
    pub redacted: Vec<FileNote>,
    /// Files that were left out, and why.
    pub left_out: Vec<FileNote>,
    /// What the format has no words for.
    pub unsaid: Vec<String>,
    /// Lines of the ledger that a store was given; none for other formats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
}

/// Writes entries as files of another system.
pub fn export(ledger: &Ledger, site: &Site, caller: &Caller, input: &ExportInput) -> Result<ExportReport> {
    if input.format == STORE {
        return export_store(ledger, site, caller, input);
    }
    let format = super::format(&input.format)?;
    let mut report =
        ExportReport { format: format.word().to_owned(), dry_run: input.dry_run, ..ExportReport::default() };
    let files = exported(ledger, site, caller, format, input, &mut report)?;
    if files.is_empty() {
        return Err(Refusal::new(Code::NotFound, format!("no entry can be exported as {}", format.word()))
            .hint("`ken list` lists the entries; --all includes those imported from other formats")
            .into());
    }
    let (folder, files) = placed(&input.path, files);
    check_folder(site, &input.path, &folder)?;
    let mut differing = Vec::new();
    let mut changed = Vec::new();
    for (path, bytes) in files {
        if let Err(why) = disk::check(&path) {
            report.left_out.push(FileNote::new(&path, why.to_string()));
            continue;
        }
        match disk::read(&folder, &path) {
            Ok(there) if there == bytes => report.unchanged += 1,
            Ok(_) if !input.overwrite => differing.push(path),
            Ok(_) | Err(_) => changed.push((path, bytes)),
        }
    }
    if !differing.is_empty() {
        let shown: Vec<&str> = differing.iter().take(5).map(String::as_str).collect();
        let more =
            if differing.len() > 5 { format!(" and {} more", differing.len() - 5) } else { String::new() };
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("files in {} have different content: {}{more}", folder.display(), shown.join(", ")),
        )
        .hint("nothing was written; choose an empty folder, pass --overwrite, or set up a mirror for `ken mirror sync`")
        .into());
    }
    for (path, bytes) in changed {
        if !input.dry_run {
            disk::replace(&folder, &path, &bytes, false)
                .map_err(Error::failed(format!("writing {}", folder.join(&path).display())))?;
        }
        report.written.push(path);
    }
    Ok(report)
}

/// Copies the whole ledger into a store in a folder.
fn export_store(ledger: &Ledger, site: &Site, caller: &Caller, input: &ExportInput) -> Result<ExportReport> {
    for (field, is_given) in
        [("root", input.root.is_some()), ("all", input.all), ("overwrite", input.overwrite)]
    {
        if is_given {
            let message =
                format!("--{field} is for the files of other systems; `export store` copies every line");
            return Err(Refusal::new(Code::Invalid, message).field(field).into());
        }
    }
    check_folder(site, &input.path, &input.path)?;
    let to = Layout::at(&input.path);
    let lines = site.workspace.adapters().runtime().copy_to_folder(
        &**ledger.log(),
        &to,
        caller.now(),
        input.dry_run,
    )?;
    Ok(ExportReport {
        format: STORE.to_owned(),
        dry_run: input.dry_run,
        lines: Some(lines),
        ..ExportReport::default()
    })
}

/// Refuses a folder that nothing may be written to.
fn check_folder(site: &Site, path: &Path, folder: &Path) -> Result<()> {
    crate::foreign::stay_inside(site, folder)?;
    // Its name would be written and told with every file.
    if ken_guard::contains_secret(&path.to_string_lossy()) {
        return Err(Refusal::new(Code::Rejected, "the path holds a secret; nothing was exported")
            .hint("choose another name")
            .field("path")
            .into());
    }
    stay_outside(&site.layout, folder)
}

/// The ledger is not a place for files of others.
fn stay_outside(layout: &Layout, folder: &Path) -> Result<()> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let store = layout.store.clone();
    let store = store.canonicalize().unwrap_or(store);
    if folder.starts_with(&store) || folder.iter().any(disk::is_ours) {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("{} is inside the store or the .git folder", folder.display()),
        )
        .hint("choose another folder")
        .into());
    }
    Ok(())
}

/// Every file of the format as it should be, by path.
fn exported(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    format: &'static dyn Format,
    input: &ExportInput,
    report: &mut ExportReport,
) -> Result<BTreeMap<String, Vec<u8>>> {
    let lines = ledger.documents(Some(format.word()), input.root.as_deref())?;
    if let (Some(root), true) = (&input.root, lines.is_empty()) {
        let message = format!("no {} file was imported from {root:?}", format.word());
        return Err(Refusal::new(Code::NotFound, message).field("root").into());
    }
    let roots: BTreeSet<&str> = lines.iter().map(|line| line.document.root.as_str()).collect();
    let several = roots.len() > 1;
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut appended: Vec<Appended> = Vec::new();
    let mut derived: Vec<(String, String)> = Vec::new();
    let mut touched = false;
    for line in &lines {
        let Some(kept) = ledger.document(&line.document)? else { continue };
        let root = line.document.root.strip_prefix(super::OUTSIDE).unwrap_or(&line.document.root);
        let name = &line.document.path;
        let path = if several && !root.is_empty() { format!("{root}/{name}") } else { name.clone() };
        if let Some(bytes) = whole_bytes(&kept) {
            files.insert(path, bytes);
            report.as_brought_in += 1;
            continue;
        }
        if let Err(why) = documents::presentable(&kept) {
            report.left_out.push(FileNote::new(&path, format!("its text is not written out: {why}")));
            continue;
        }
        for part in &kept.parts {
            report
                .redacted
                .extend(part.redacted.iter().chain(&part.withheld).map(|what| FileNote::new(&path, what)));
        }
        let text = kept.text().unwrap_or_default();
        if line.derived {
            derived.push((path.clone(), text.clone()));
        }
        let document = format.read(name, &text);
        let pending = crate::foreign::edit::pending(ledger, &kept)?;
        if pending.is_empty() || document.role == Role::Derived {
            report.as_brought_in += usize::from(kept.is_whole());
            files.insert(path, text.into_bytes());
            continue;
        }
        touched = true;
        let rendered = crate::foreign::outgoing::render(ledger, caller, format, &kept, &document, &pending)?;
        report.unsaid.extend(rendered.unsaid);
        appended.extend(rendered.appended);
        if let Some(text) = rendered.text {
            files.insert(rendered.moved_to.unwrap_or(path), text.into_bytes());
        }
    }
    let all = input.all || lines.is_empty();
    let paths: BTreeSet<String> = files.keys().cloned().collect();
    for (stored, path) in crate::foreign::outgoing::homeless(
        ledger,
        site,
        caller,
        format,
        &Among { paths: &paths, root: None, folder: "", all, only: None },
    )? {
        touched = true;
        report.new_entries += 1;
        let owned = crate::foreign::outgoing::ties_of(ledger, &stored)?;
        let there = files.get(&path).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let text = format.insert(&path, there, &outgoing(&stored, &owned, BTreeSet::new(), caller.now()));
        files.insert(path, text.into_bytes());
    }
    append(&mut files, appended);
    if !all {
        report.elsewhere = crate::foreign::outgoing::homeless(
            ledger,
            site,
            caller,
            format,
            &Among { paths: &paths, root: None, folder: "", all: true, only: None },
        )?
        .len()
        .saturating_sub(report.new_entries);
    }
    touched |= add_promotions(ledger, format, &mut files)?;
    if touched {
        for file in derived_files(site, caller, format, &files)? {
            files.insert(file.0, file.1.into_bytes());
        }
    }
    Ok(files)
}

/// Files that are made from the others.
pub(super) fn derived_files(
    site: &Site,
    caller: &Caller,
    format: &dyn Format,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<Vec<(String, String)>> {
    let texts = files.iter().filter_map(|(path, bytes)| Some((path, std::str::from_utf8(bytes).ok()?)));
    let sources: Vec<Source<'_>> = texts.map(|(path, text)| Source { path, text }).collect();
    let paths: BTreeSet<String> = files.keys().cloned().collect();
    let project = crate::repository::project(site);
    let known = StoreFacts {
        paths: &paths,
        folder: "",
        is_global: site.options.global,
        project: &project,
        now: caller.now(),
    };
    Ok(format.derived(&sources, &known).into_iter().map(|file| (file.path, file.text)).collect())
}

/// Approved promotions as lines of Decapod's ledger. Says whether there were any new ones.
pub(super) fn add_promotions(
    store: &Ledger,
    format: &dyn Format,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<bool> {
    const LEDGER: &str = "knowledge.promotions.jsonl";
    if format.word() != "decapod" || files.is_empty() {
        return Ok(false);
    }
    let path = files.keys().find(|path| path.ends_with(LEDGER)).cloned().unwrap_or_else(|| {
        let is_whole = files.keys().any(|path| path.starts_with(".decapod/"));
        format!("{}data/{LEDGER}", if is_whole { ".decapod/" } else { "" })
    });
    let mut lines = String::new();
    for promotion in store.promotions()? {
        let Answer::Approved { by, at, .. } = &promotion.answer else { continue };
        if promotion.proposed.to != Memory::Procedural {
            continue;
        }
        let source = promotion.proposed.sources.first().map(|key| store.stored(*key)).transpose()?;
        let source = source.flatten().map(|stored| stored.id).unwrap_or_default();
        let evidence: Vec<String> = promotion.proposed.evidence.iter().map(scheme).collect();
        let at = at.millis();
        let id = ken_formats::ulid(at, &[&promotion.proposed.promotion]);
        let line = ken_formats::promotion_line(
            &id,
            at,
            &source,
            &evidence,
            ken_core::promotion::name_of(by),
            &promotion.by,
            &promotion.proposed.reason,
        );
        let there = files.get(&path).map(|bytes| String::from_utf8_lossy(bytes).contains(&id));
        if there != Some(true) {
            lines.push_str(line.trim_end());
            lines.push('\n');
        }
    }
    if lines.is_empty() {
        return Ok(false);
    }
    append(files, vec![Appended { path, header: String::new(), text: lines }]);
    Ok(true)
}

/// A citation in the words of Decapod.
fn scheme(cited: &Citation) -> String {
    let to = &cited.evidence_ref;
    match cited.evidence_type {
        EvidenceType::Commit => format!("commit:{to}"),
        EvidenceType::Doc | EvidenceType::Test if to.contains("://") => format!("url:{to}"),
        EvidenceType::Doc | EvidenceType::Test => format!("file:{to}"),
        EvidenceType::Pr => format!("event:PR_{}", to.trim_start_matches('#')),
        EvidenceType::Transcript => format!("event:{to}"),
    }
}

/// The bytes of a file that is no text.
fn whole_bytes(kept: &Kept) -> Option<Vec<u8>> {
    match kept.parts.as_slice() {
        [part] => STANDARD.decode(part.bytes.as_ref()?).ok(),
        _ => None,
    }
}

/// Puts text at the ends of files.
pub(super) fn append(files: &mut BTreeMap<String, Vec<u8>>, appended: Vec<Appended>) {
    for more in appended {
        let file = files.entry(more.path).or_insert_with(|| more.header.into_bytes());
        if !file.is_empty() && !file.ends_with(b"\n") {
            file.push(b'\n');
        }
        file.extend_from_slice(more.text.as_bytes());
    }
}

/// A path with an ending means the one file that there is.
fn placed(path: &Path, mut files: BTreeMap<String, Vec<u8>>) -> (PathBuf, BTreeMap<String, Vec<u8>>) {
    let is_file = !path.is_dir() && path.extension().is_some() && files.len() == 1;
    match (is_file, path.file_name().and_then(|name| name.to_str()), path.parent()) {
        (true, Some(name), Some(folder)) => {
            let bytes = files.pop_first().map(|(_, bytes)| bytes).unwrap_or_default();
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            (folder.to_owned(), BTreeMap::from([(name.to_owned(), bytes)]))
        }
        _ => (path.to_owned(), files),
    }
}
