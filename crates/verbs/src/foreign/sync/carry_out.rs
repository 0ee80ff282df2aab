//! From the ledger to the files: what changed here is written there, each file as a whole.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::answer::SyncChange;
use ken_core::document::seen;
use ken_core::{Body, DocumentEvent, EntryKey, Event, Kept, KeptPart};
use ken_engine::ops::documents;
use ken_engine::{Caller, Error, Ledger, Result, Stored};
use ken_formats::{Part, Role};

use super::super::outgoing::{Among, outgoing};
use super::super::{FileNote, databases, disk, export};
use super::{Held, Side, keys_after, keys_of};
use crate::{Config, Site};

/// What is carried out where not everything is.
#[derive(Clone, Copy)]
pub(super) struct Meant<'a> {
    /// Files that hold something that changed.
    pub paths: &'a BTreeSet<String>,
    /// Entries that no file holds, and one should.
    pub homeless: &'a BTreeSet<EntryKey>,
}

/// From the ledger to the files: to all of them, or to those that hold what just changed.
pub(super) fn carry_out(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    side: &mut Side<'_>,
    only: Option<Meant<'_>>,
) -> Result<()> {
    let mut files: BTreeMap<String, Held> = BTreeMap::new();
    let mut removed: Vec<String> = Vec::new();
    let mut moved: Vec<(String, String)> = Vec::new();
    let mut appended = Vec::new();
    let is_meant =
        |path: &&String| only.is_none_or(|only| only.paths.contains(*path)) && !side.held.contains(*path);
    let paths: Vec<String> = side.kept.keys().filter(is_meant).cloned().collect();
    for path in paths {
        let Some(kept) = ledger.document(&side.name(&path))? else { continue };
        let pending = crate::foreign::edit::pending(ledger, &kept)?;
        if pending.is_empty() || kept.derived {
            continue;
        }
        if databases::of_rows(&side.folder, &path).is_some() {
            let note = "is read-only; `ken export decapod` prints its rows";
            side.report.notes.push(FileNote::new(&path, note));
            continue;
        }
        // The file itself has every byte, also those that were not kept.
        let Ok(bytes) = crate::foreign::import::read_foreign(&side.folder, &path) else { continue };
        if Kept::hash_of(&bytes) != kept.hash {
            continue;
        }
        let document = side.format.read(&path, &String::from_utf8_lossy(&bytes));
        let rendered =
            crate::foreign::outgoing::render(ledger, caller, side.format, &kept, &document, &pending)?;
        side.report.notes.extend(rendered.unsaid.into_iter().map(|note| FileNote::new(&path, note)));
        appended.extend(rendered.appended);
        match rendered.text {
            None => removed.push(path.clone()),
            Some(text) => {
                let gone = |key: &EntryKey| pending.get(key).is_some_and(|fields| fields.contains("status"));
                let after = side.format.read(rendered.moved_to.as_deref().unwrap_or(&path), &text);
                let mut keys = keys_of(&kept);
                if after.items().count() < keys.len() {
                    // Those whose standing changed may have been taken out.
                    let extra = keys.len() - after.items().count();
                    let mut put_away = Vec::new();
                    for (at, key) in keys.iter().enumerate() {
                        let Some(key) = key.filter(gone) else { continue };
                        if put_away.len() < extra && !is_retrieved(ledger, key)? {
                            put_away.push(at);
                        }
                    }
                    let mut at = 0..;
                    keys.retain(|_| !put_away.contains(&at.next().expect("it has no end")));
                }
                let same = text.as_bytes() == bytes.as_slice();
                if let Some(to) = rendered.moved_to.filter(|to| *to != path) {
                    moved.push((path.clone(), to.clone()));
                    files.insert(to, Held { document: after, keys });
                } else if same {
                    // Nothing that this format can say changed: the two are in step as they are.
                    if !side.is_only_looking() {
                        let writer = crate::writer::writer(&site.config, caller);
                        documents::stand(ledger, &keys.into_iter().flatten().collect(), &writer)?;
                    }
                } else {
                    files.insert(path, Held { document: after, keys });
                }
            }
        }
    }
    if only.is_none_or(|only| !only.homeless.is_empty()) {
        place_homeless(ledger, site, caller, side, &mut files, only.map(|only| only.homeless))?;
    }
    append_out(ledger, side, &mut files, appended)?;
    if !side.may_go(removed.len()) {
        let count = removed.len();
        for path in std::mem::take(&mut removed) {
            side.wait_for_yes(&path, format!("its entry was retracted with {} others; confirm so many deletions with ken mirror sync --yes", count - 1));
        }
    }
    for path in removed {
        side.act(&path, SyncChange::Removed, "its entry is no longer in use");
        if !side.is_only_looking() {
            disk::remove(&side.folder.at, &path)
                .map_err(Error::failed(format!("deleting {}", side.folder.at.join(&path).display())))?;
            let writer = crate::writer::writer(&site.config, caller);
            documents::leave(ledger, vec![side.name(&path)], "its entry is no longer in use", &writer)?;
            side.disk.remove(&path);
            side.kept.remove(&path);
        }
    }
    for (path, held) in files {
        let from = moved.iter().find(|(_, to)| *to == path).map(|(from, _)| from.clone());
        let detail = from.as_ref().map(|from| format!("moved from {from}")).unwrap_or_default();
        side.act(&path, SyncChange::Written, detail);
        if side.is_only_looking() {
            continue;
        }
        let text = held.document.text();
        side.write(&path, text.as_bytes())?;
        keep_file(ledger, &site.config, caller, side, &path, held)?;
        side.kept.insert(path.clone(), Kept::hash_of(text.as_bytes()));
        if let Some(from) = from {
            disk::remove(&side.folder.at, &from).map_err(Error::failed(format!("deleting {from}")))?;
            let writer = crate::writer::writer(&site.config, caller);
            documents::leave(ledger, vec![side.name(&from)], &format!("moved to {path}"), &writer)?;
            side.disk.remove(&from);
            side.kept.remove(&from);
        }
    }
    make_derived(ledger, site, caller, side)
}

pub(in crate::foreign) fn is_retrieved(ledger: &Ledger, key: EntryKey) -> Result<bool> {
    Ok(ledger.stored(key)?.is_some_and(|stored| stored.entry.status.is_retrieved()))
}

/// Entries that were stated here and belong into a file of this format: all of them, or those that are meant.
fn place_homeless(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    side: &mut Side<'_>,
    files: &mut BTreeMap<String, Held>,
    only: Option<&BTreeSet<EntryKey>>,
) -> Result<()> {
    let paths: BTreeSet<String> = side.disk.keys().cloned().collect();
    let root = side.folder.root.clone();
    let folder = side.mirror.path.clone();
    let among = Among { paths: &paths, root: Some(&root), folder: &folder, all: false, only };
    for (stored, path) in crate::foreign::outgoing::homeless(ledger, site, caller, side.format, &among)? {
        if side.folder.only.as_ref().is_some_and(|only| *only != path) {
            continue;
        }
        if side.held.contains(&path) {
            if only.is_some() {
                let note = format!(
                    "it changed since the last sync, so {} was not written to it; run `ken mirror sync`",
                    stored.id
                );
                side.report.waiting.push(FileNote::new(&path, note));
            }
            continue;
        }
        if let Some((path, held)) = former(ledger, caller, side, &stored)?
            && !files.contains_key(&path)
        {
            files.insert(path, held);
            continue;
        }
        let (text, keys) = match files.get(&path) {
            Some(held) => (Some(held.document.text()), held.keys.clone()),
            None if side.disk.contains_key(&path) => {
                let bytes = crate::foreign::import::read_foreign(&side.folder, &path)
                    .map_err(Error::failed(format!("reading {path}")))?;
                let keys = ledger.document(&side.name(&path))?.as_ref().map(keys_of).unwrap_or_default();
                (Some(String::from_utf8_lossy(&bytes).into_owned()), keys)
            }
            None => (None, Vec::new()),
        };
        let owned = crate::foreign::outgoing::ties_of(ledger, &stored)?;
        let new = side.format.insert(
            &path,
            text.as_deref(),
            &outgoing(&stored, &owned, BTreeSet::new(), caller.now()),
        );
        let before = text.map(|text| side.format.read(&path, &text));
        let after = side.format.read(&path, &new);
        let keys = keys_after(before.as_ref(), &keys, &after, Some(stored.entry.key));
        files.insert(path, Held { document: after, keys });
    }
    Ok(())
}

/// The file that an entry had before it was taken back, with what changed since.
fn former(
    ledger: &Ledger,
    caller: &Caller,
    side: &Side<'_>,
    stored: &Stored,
) -> Result<Option<(String, Held)>> {
    let key = stored.entry.key;
    let mut said: Vec<Event> = ledger.quoting(key)?;
    said.sort_by_key(Event::order);
    let kept = said.into_iter().rev().find_map(|event| match event.body {
        Some(Body::Document(DocumentEvent::Kept(kept)))
            if kept.document.format == side.format.word() && kept.document.root == side.folder.root =>
        {
            Some(*kept)
        }
        _ => None,
    });
    let Some(kept) = kept.filter(|kept| kept.is_whole() && kept.parts.len() == 1 && kept.more == 0) else {
        return Ok(None);
    };
    let path = kept.document.path.clone();
    let Some(text) = kept.text().filter(|_| !side.disk.contains_key(&path)) else { return Ok(None) };
    let document = side.format.read(&path, &text);
    let rendered = crate::foreign::outgoing::render(
        ledger,
        caller,
        side.format,
        &kept,
        &document,
        &crate::foreign::edit::pending(ledger, &kept)?,
    )?;
    let path = rendered.moved_to.unwrap_or(path);
    let held =
        rendered.text.map(|text| Held { document: side.format.read(&path, &text), keys: vec![Some(key)] });
    Ok(held.filter(|held| held.document.items().count() == 1).map(|held| (path, held)))
}

fn append_out(
    ledger: &Ledger,
    side: &mut Side<'_>,
    files: &mut BTreeMap<String, Held>,
    appended: Vec<ken_formats::Appended>,
) -> Result<()> {
    for more in appended {
        let path = more.path.clone();
        let (text, keys) = match files.get(&path) {
            Some(held) => (held.document.text(), held.keys.clone()),
            None if is_nowhere(&side.folder.at.join(&path)) => (String::new(), Vec::new()),
            // What is there and cannot be read is not written over.
            None => {
                let bytes = crate::foreign::import::read_foreign(&side.folder, &path)
                    .map_err(Error::failed(format!("reading {path}")))?;
                let keys = ledger.document(&side.name(&path))?.as_ref().map(keys_of).unwrap_or_default();
                (String::from_utf8_lossy(&bytes).into_owned(), keys)
            }
        };
        let before = side.format.read(&path, &text);
        let mut whole = BTreeMap::new();
        if !text.is_empty() {
            whole.insert(path.clone(), text.into_bytes());
        }
        export::append(&mut whole, vec![more]);
        let text = whole.remove(&path).unwrap_or_default();
        let after = side.format.read(&path, &String::from_utf8_lossy(&text));
        let keys = keys_after(Some(&before), &keys, &after, None);
        files.insert(path, Held { document: after, keys });
    }
    Ok(())
}

/// Files that are made from the others, once any of these changed.
fn make_derived(ledger: &mut Ledger, site: &Site, caller: &Caller, side: &mut Side<'_>) -> Result<()> {
    if !side.acted || side.is_only_looking() {
        return Ok(());
    }
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for path in side.disk.keys() {
        if let Ok(bytes) = crate::foreign::import::read_foreign(&side.folder, path) {
            files.insert(path.clone(), bytes);
        }
    }
    let before: BTreeMap<String, Vec<u8>> = files.clone();
    crate::foreign::export::add_promotions(ledger, side.format, &mut files)?;
    for (path, text) in crate::foreign::export::derived_files(site, caller, side.format, &files)? {
        files.insert(path, text.into_bytes());
    }
    for (path, bytes) in files {
        let is_new = !before.contains_key(&path);
        if before.get(&path) == Some(&bytes) || (is_new && !side.has_written) {
            continue;
        }
        side.act(&path, SyncChange::Made, "");
        side.write(&path, &bytes)?;
        let document = side.format.read(&path, &String::from_utf8_lossy(&bytes));
        let keys = vec![None; document.items().count()];
        keep_file(ledger, &site.config, caller, side, &path, Held { document, keys })?;
        side.kept.insert(path, Kept::hash_of(&bytes));
    }
    Ok(())
}

/// Says that a file is as it should be now, and which entry each of its items is.
pub(super) fn keep_file(
    store: &mut Ledger,
    config: &Config,
    caller: &Caller,
    side: &Side<'_>,
    path: &str,
    held: Held,
) -> Result<()> {
    let derived = held.document.role == Role::Derived;
    let hash = Kept::hash_of(held.document.text().as_bytes());
    let mut keys = held.keys.into_iter();
    let mut parts = Vec::with_capacity(held.document.parts.len());
    for part in held.document.parts {
        parts.push(match part {
            Part::Text(text) => KeptPart::text(text),
            Part::Item(item) => {
                let entry = keys.next().flatten();
                let stored = entry.map(|key| store.stored(key)).transpose()?.flatten();
                let seen = stored.map(|stored| seen(&stored.entry)).unwrap_or_default();
                KeptPart { text: item.text, name: item.name, entry, seen, ..KeptPart::default() }
            }
        });
    }
    let kept = Kept { document: side.name(path), hash, derived, piece: 0, more: 0, parts };
    let writer = crate::writer::writer(config, caller);
    documents::keep(store, vec![kept], &writer)?;
    Ok(())
}

/// Whether nothing lies at a path.
fn is_nowhere(path: &std::path::Path) -> bool {
    std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}
