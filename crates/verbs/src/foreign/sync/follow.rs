//! Mirrors follow (COR-10): a verb that changed an entry which lives in a mirror writes that mirror's files, after its acknowledgement.
//!
//! Nothing here fails a verb: what cannot be written is a notice, and `ken mirror sync` makes up for it.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::answer::SyncChange;
use ken_core::{Body, DocumentEvent, DocumentName, EntryKey, Event};
use ken_engine::{Caller, Ledger, RecordKind, Result};
use ken_formats::Format;

use super::super::outgoing::Among;
use super::carry_out::Meant;
use super::{Mirror, SyncInput, SyncReport, memory_of};
use crate::{Layout, ModelsInUse, Site};

/// What was just changed, and the files it is about.
#[derive(Default)]
struct MirrorChange {
    /// Files that hold some of it.
    names: BTreeSet<DocumentName>,
    /// Entries that no file holds and that belong into one again, with the files that held them or what they replace.
    homeless: BTreeMap<EntryKey, BTreeSet<DocumentName>>,
    /// Entries that no file ever held: they belong into every mirror that has a file for them.
    new: BTreeSet<EntryKey>,
}

/// Writes the files of mirrors that hold what was just changed.
pub(crate) fn follow_mirrors(ledger: &mut Ledger, site: &Site, caller: &Caller) {
    if ledger.is_in_sync() {
        return;
    }
    let written = ledger.take_written();
    if written.is_empty() {
        return;
    }
    if let Err(error) = ledger.while_in_sync(|ledger| follow(ledger, site, caller, &written)) {
        ledger.notice(format!("no mirror was written: {error}; run `ken mirror sync`"));
    }
}

fn follow(ledger: &mut Ledger, site: &Site, caller: &Caller, written: &[EntryKey]) -> Result<()> {
    let mut mirrors = crate::foreign::sync::mirrors(&site.config)?;
    mirrors.retain(|mirror| site.config.follows(&mirror.name));
    if mirrors.is_empty() {
        return Ok(());
    }
    let news = news_of(ledger, written)?;
    if news.names.is_empty() && news.homeless.is_empty() && news.new.is_empty() {
        return Ok(());
    }
    let _alone = site.state().lock(&RecordKind::MirrorSync.record())?;
    for mirror in &mirrors {
        if let Err(error) = follow_one(ledger, site, caller, mirror, &news) {
            let name = &mirror.name;
            ledger.notice(format!("the mirror {name} was not written: {error}; run `ken mirror sync`"));
        }
    }
    Ok(())
}

/// Which files what was just changed is about.
fn news_of(ledger: &Ledger, written: &[EntryKey]) -> Result<MirrorChange> {
    let homes = ledger.homes()?;
    let mut news = MirrorChange::default();
    for key in written {
        if let Some(names) = homes.get(key).filter(|names| !names.is_empty()) {
            news.names.extend(names.iter().cloned());
            let stored = ledger.stored(*key)?;
            // What takes the place of an entry takes its place in the file.
            if let Some(by) = stored.and_then(|stored| stored.entry.superseded_by)
                && homes.get(&by).is_none_or(Vec::is_empty)
                && crate::foreign::sync::carry_out::is_retrieved(ledger, by)?
            {
                news.homeless.entry(by).or_default().extend(names.iter().cloned());
            }
        } else if crate::foreign::sync::carry_out::is_retrieved(ledger, *key)? {
            // An entry that was put away, and is back: its files let it go then.
            let held = |event: Event| match event.body {
                Some(Body::Document(DocumentEvent::Kept(kept)))
                    if kept.parts.iter().any(|part| part.entry == Some(*key)) =>
                {
                    Some(kept.document)
                }
                _ => None,
            };
            let names: BTreeSet<DocumentName> = ledger.quoting(*key)?.into_iter().filter_map(held).collect();
            if !names.is_empty() {
                news.homeless.entry(*key).or_default().extend(names);
            } else if follows_at_once(ledger, *key)? {
                news.new.insert(*key);
            }
        }
    }
    Ok(news)
}

/// New entries that belong into a mirror, as far as that can be said before its files are listed.
fn new_in(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    mirror: &Mirror,
    format: &dyn Format,
    root: &str,
    news: &MirrorChange,
) -> Result<BTreeSet<EntryKey>> {
    if news.new.is_empty() {
        return Ok(BTreeSet::new());
    }
    let paths = BTreeSet::new();
    let among =
        Among { paths: &paths, root: Some(root), folder: &mirror.path, all: false, only: Some(&news.new) };
    let found = crate::foreign::outgoing::homeless(ledger, site, caller, format, &among)?;
    Ok(found.into_iter().map(|(stored, _)| stored.entry.key).collect())
}

fn follow_one(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    mirror: &Mirror,
    news: &MirrorChange,
) -> Result<()> {
    let (format, folder) =
        (super::super::format(&mirror.format)?, crate::foreign::sync::mirror_folder(site, mirror)?);
    let of_mirror = |name: &&DocumentName| {
        name.format == format.word()
            && name.root == folder.root
            && folder.only.as_ref().is_none_or(|only| *only == name.path)
    };
    let mut paths: BTreeSet<String> =
        news.names.iter().filter(of_mirror).map(|name| name.path.clone()).collect();
    let belongs_here = |names: &BTreeSet<DocumentName>| names.iter().any(|name| of_mirror(&name));
    let mut homeless: BTreeSet<EntryKey> =
        news.homeless.iter().filter(|(_, names)| belongs_here(names)).map(|(key, _)| *key).collect();
    homeless.extend(new_in(ledger, site, caller, mirror, format, &folder.root, news)?);
    if paths.is_empty() && homeless.is_empty() {
        return Ok(());
    }
    let (input, mut report) = (SyncInput::default(), SyncReport::default());
    let (mut side, _, _) = crate::foreign::sync::side_of(ledger, site, mirror, &input, &mut report)?;
    let mut changed = Vec::new();
    for path in &paths {
        let Some(kept) = side.kept.get(path) else { continue };
        let is_as_kept = side.disk.get(path).is_some_and(|(_, hash)| hash == kept);
        // Somebody edited or deleted it since the last sync: nobody's words are written over.
        if !is_as_kept
            && let Some(kept) = ledger.document(&side.name(path))?
            && !crate::foreign::edit::pending(ledger, &kept)?.is_empty()
        {
            changed.push(path.clone());
        }
    }
    paths.retain(|path| !changed.contains(path));
    side.held.extend(changed.iter().cloned());
    for key in &homeless {
        if let Some(stored) = ledger.stored(*key)?
            && !crate::foreign::outgoing::may_instruct(ledger, &site.config, format, &stored)?
        {
            let (id, name) = (&stored.id, &mirror.name);
            ledger.notice(format!(
                "{id} is not written to the mirror {name}: its files are followed, and the entry was not accepted or used yet"
            ));
        }
    }
    if !homeless.is_empty() {
        // Nothing is put into a file that is not as it was kept: whose its items are is for a sync to find out.
        let is_as_kept = |path: &&String| side.disk.get(*path).map(|(_, hash)| hash) == side.kept.get(*path);
        let others = side.disk.keys().chain(side.kept.keys()).filter(|path| !is_as_kept(path));
        let others: Vec<String> = others.cloned().collect();
        side.held.extend(others);
    }
    crate::foreign::sync::carry_out::carry_out(
        ledger,
        site,
        caller,
        &mut side,
        Some(Meant { paths: &paths, homeless: &homeless }),
    )?;
    let files = std::mem::take(&mut side.disk);
    crate::foreign::sync::remember_mirror(ledger, &memory_of(mirror), &files, None)?;
    for path in changed {
        ledger.notice(format!(
            "conflict: {path} of the mirror {} changed since the last sync and was not overwritten; `ken mirror sync` shows both sides",
            mirror.name
        ));
    }
    for waiting in report.waiting {
        ledger.notice(format!("{} of the mirror {} waits: {}", waiting.path, mirror.name, waiting.note));
    }
    Ok(())
}

/// Brings the mirrors in step, both ways, that follow by themselves; with `stage`, what that wrote is staged.
pub(crate) fn sync_followers(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    stage: bool,
) {
    let Ok(all) = crate::foreign::sync::mirrors(&site.config) else { return };
    let followers: Vec<Mirror> = all.into_iter().filter(|mirror| site.config.follows(&mirror.name)).collect();
    if followers.is_empty() || ledger.is_in_sync() {
        return;
    }
    let dirty = if stage { unstaged(&site.layout) } else { BTreeSet::new() };
    let mirrors = followers.iter().map(|mirror| mirror.name.clone()).collect();
    let input = SyncInput { mirrors, ..SyncInput::default() };
    // The hook of a commit is never a person, whoever commits (COR-21).
    let by = if stage { caller.clone().unattended() } else { caller.clone() };
    let synced = crate::foreign::sync::sync(ledger, site, models, &by, &input);
    let report = match synced {
        Ok(report) => report,
        Err(error) => {
            ledger.notice(format!("the mirrors are out of sync: {error}"));
            return;
        }
    };
    for conflict in &report.conflicts {
        ledger.notice(format!(
            "conflict: {} of the mirror {} and the ledger both changed {} of {}; `ken mirror sync` shows both sides",
            conflict.path, conflict.mirror, conflict.field, conflict.id
        ));
    }
    for waiting in &report.waiting {
        ledger.notice(format!("{} waits: {}", waiting.path, waiting.note));
    }
    if !stage {
        return;
    }
    let mut paths = Vec::new();
    for action in &report.actions {
        let Some(mirror) = followers.iter().find(|mirror| mirror.name == action.mirror && !mirror.outside)
        else {
            continue;
        };
        let Ok(folder) = crate::foreign::sync::mirror_folder(site, mirror) else { continue };
        let path = folder.in_repository(&action.path);
        let is_written = matches!(action.what, SyncChange::Written | SyncChange::Made);
        // What a person has not staged yet is theirs to stage.
        if is_written && !dirty.contains(&path) && is_tracked(&site.layout, &path) {
            paths.push(path);
        }
    }
    if let (Some(git), false) = (site.layout.git.as_ref(), paths.is_empty()) {
        let mut args = vec!["add", "--"];
        args.extend(paths.iter().map(String::as_str));
        if let Err(error) = git.bytes(&args) {
            ledger.notice(format!("the files of the mirrors were not staged: {error}"));
        }
    }
}

/// Whether a new entry is written to mirrors before the next sync. What lacks something is a draft and waits, unless a review found it.
fn follows_at_once(store: &Ledger, key: EntryKey) -> Result<bool> {
    let Some(stored) = store.stored(key)? else { return Ok(false) };
    let fields = &stored.entry.fields;
    Ok(stored.entry.gaps().is_empty() || (fields.reviewer.is_some() && fields.source.is_some()))
}

/// Files whose changes are not staged.
fn unstaged(layout: &Layout) -> BTreeSet<String> {
    let Some(git) = layout.git.as_ref() else { return BTreeSet::new() };
    let text = git.bytes(&["diff", "--name-only", "-z", "--no-renames"]).unwrap_or_default();
    String::from_utf8_lossy(&text).split('\0').map(str::to_owned).collect()
}

fn is_tracked(layout: &Layout, path: &str) -> bool {
    let git = layout.git.as_ref();
    git.is_some_and(|git| git.bytes(&["ls-files", "--error-unmatch", "--", path]).is_ok())
}
