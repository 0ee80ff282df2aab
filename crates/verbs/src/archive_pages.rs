//! Pages of entries that no longer stand, beside the ledger.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ken_core::place::encode_name;
use ken_core::words::one_line;
use ken_core::{Memory, Millis, Status};
use ken_engine::{Caller, Error, Ledger, Overlaid, Query, Result, Stored};
use ken_worktree::disk::{Disk, RealDisk};

use crate::{ModelsInUse, STORE_FOLDER, Site};

/// How every page begins: only such files are ever replaced or deleted.
pub(crate) const MADE: &str = "<!-- made by ken from the ledger; `ken restore` brings the entry back -->\n";

/// A page that one branch changes and another deletes would be a conflict (STO-7); so git knows of none, and each clone makes its own.
pub(crate) const IGNORE: &str = "*\n";

/// What every write ends with that may change where an entry stands.
pub(crate) fn finish_standing<T>(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    answer: T,
) -> Result<T> {
    write_archive_pages(ledger, site, caller)?;
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// Brings the pages in step with what is archived.
pub(crate) fn write_archive_pages(ledger: &mut Ledger, site: &Site, caller: &Caller) -> Result<()> {
    if !site.pool().is_in_folder() {
        return Ok(());
    }
    let folder = site.layout.store.join("archive");
    let memories = vec![Memory::Semantic, Memory::Procedural];
    let query =
        Query { statuses: vec![Status::Archived], memories, overlaid: Overlaid::Any, ..Query::default() };
    let archived = ledger.list(&query)?.entries;
    let looks = fs::symlink_metadata(&folder);
    if archived.is_empty() && looks.is_err() {
        return Ok(());
    }
    // A link in its place could lead anywhere.
    if looks.is_ok_and(|looks| !looks.is_dir()) {
        ledger.notice(format!("{STORE_FOLDER}/archive is not a folder; no pages were written"));
        return Ok(());
    }
    let now = caller.now();
    let page = |stored: &Stored| (format!("{}.md", encode_name(&stored.id)), page(stored, now));
    let pages: BTreeMap<String, String> = archived.iter().map(page).collect();
    in_step(&folder, &pages).map_err(Error::failed(format!("writing {STORE_FOLDER}/archive")))
}

pub(crate) fn in_step(folder: &Path, pages: &BTreeMap<String, String>) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".md") && !pages.contains_key(name) && is_ours(&path) {
            fs::remove_file(&path)?;
        }
    }
    for (name, text) in pages {
        write(&folder.join(name), text)?;
    }
    let ignore = folder.join(".gitignore");
    if pages.is_empty() {
        if fs::read_to_string(&ignore).is_ok_and(|text| text == IGNORE) {
            fs::remove_file(&ignore)?;
        }
        // Something of others may be in it; then it stays.
        let _ = fs::remove_dir(folder);
        return Ok(());
    }
    write(&ignore, IGNORE)
}

/// Writes a file that differs, beside its place and then over it.
pub(crate) fn write(path: &PathBuf, text: &str) -> std::io::Result<()> {
    let there = fs::symlink_metadata(path);
    let same = there.as_ref().is_ok_and(|looks| looks.is_file())
        && fs::read_to_string(path).is_ok_and(|old| old == text);
    let foreign = there.is_ok() && path.extension().is_some_and(|end| end == "md") && !is_ours(path);
    if same || foreign {
        return Ok(());
    }
    RealDisk.replace(path, text.as_bytes())
}

pub(crate) fn is_ours(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|looks| looks.is_file())
        && fs::read_to_string(path).is_ok_and(|text| text.contains(MADE.trim_end()))
}

/// Everything an entry says, and what it rests on.
pub(crate) fn page(stored: &Stored, now: Millis) -> String {
    let entry = &stored.entry;
    let title = one_line(&entry.fields.title(), 200);
    let mut text = format!(
        "{MADE}\n# {title}\n\n- id: `{}`\n- type: {}\n- archived: {}\n",
        stored.id,
        entry.kind,
        why(stored, now)
    );
    text.push_str(&format!("- stated: {}, by {}\n", entry.stated_at().shown_date(now), entry.created_by));
    text.push_str(&format!("\n{}\n", entry.fields.statement()));
    if !entry.citations.is_empty() {
        text.push_str("\n## Evidence\n\n");
        for citation in entry.shown_citations() {
            text.push_str(&format!(
                "- {}:{}, cited by {}{}\n",
                citation.evidence_type,
                citation.evidence_ref,
                citation.cited_by,
                if citation.withdrawn { citation.mark() } else { "" }
            ));
        }
    }
    if !entry.links.is_empty() {
        text.push_str("\n## Links\n\n");
        for link in &entry.links {
            text.push_str(&format!("- {} {}\n", link.relation, link.to));
        }
    }
    let fields = serde_json::to_string_pretty(&entry.fields).unwrap_or_default();
    text.push_str(&format!("\n## Everything it says\n\n```json\n{fields}\n```\n"));
    text
}

pub(crate) fn why(stored: &Stored, now: Millis) -> String {
    let reason = stored.entry.status_reason.as_deref().unwrap_or_default();
    let reason = if reason.is_empty() { "no reason was given" } else { reason };
    format!("{}, {reason}", stored.entry.updated.shown_date(now))
}
