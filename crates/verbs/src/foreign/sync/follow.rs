//! Mirrors follow (COR-10): a verb that changed an entry which lives in a mirror writes that mirror's files, after its acknowledgement.
//!
//! Nothing here fails a verb: what cannot be written is a notice, and `ken mirror sync` makes up for it.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::answer::SyncChange;
use ken_core::{Body, DocumentEvent, DocumentName, EntryKey, Event};
use ken_engine::{Ledger, RecordKind, Result};
use ken_formats::Format;

use super::super::outgoing::Among;
use super::carry_out::Meant;
use super::{Mirror, SyncInput, SyncReport, memory_of};
use crate::{Kenning, Layout};

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

impl Kenning {
    /// Writes the files of mirrors that hold what was just changed.
    pub(crate) fn follow_mirrors(&mut self) {
        if self.in_sync {
            return;
        }
        let written = self.store.take_written();
        if written.is_empty() {
            return;
        }
        if let Err(error) = self.while_in_sync(|ken| ken.follow(&written)) {
            self.store.notice(format!("no mirror was written: {error}; run `ken mirror sync`"));
        }
    }

    fn follow(&mut self, written: &[EntryKey]) -> Result<()> {
        let mut mirrors = self.mirrors()?;
        mirrors.retain(|mirror| self.config.follows(&mirror.name));
        if mirrors.is_empty() {
            return Ok(());
        }
        let news = self.news_of(written)?;
        if news.names.is_empty() && news.homeless.is_empty() && news.new.is_empty() {
            return Ok(());
        }
        let _alone = self.clone_state().lock(&RecordKind::MirrorSync.record())?;
        for mirror in &mirrors {
            if let Err(error) = self.follow_one(mirror, &news) {
                let name = &mirror.name;
                self.store
                    .notice(format!("the mirror {name} was not written: {error}; run `ken mirror sync`"));
            }
        }
        Ok(())
    }

    /// Which files what was just changed is about.
    fn news_of(&self, written: &[EntryKey]) -> Result<MirrorChange> {
        let homes = self.store.homes()?;
        let mut news = MirrorChange::default();
        for key in written {
            if let Some(names) = homes.get(key).filter(|names| !names.is_empty()) {
                news.names.extend(names.iter().cloned());
                let stored = self.store.stored(*key)?;
                // What takes the place of an entry takes its place in the file.
                if let Some(by) = stored.and_then(|stored| stored.entry.superseded_by)
                    && homes.get(&by).is_none_or(Vec::is_empty)
                    && self.is_retrieved(by)?
                {
                    news.homeless.entry(by).or_default().extend(names.iter().cloned());
                }
            } else if self.is_retrieved(*key)? {
                // An entry that was put away, and is back: its files let it go then.
                let held = |event: Event| match event.body {
                    Some(Body::Document(DocumentEvent::Kept(kept)))
                        if kept.parts.iter().any(|part| part.entry == Some(*key)) =>
                    {
                        Some(kept.document)
                    }
                    _ => None,
                };
                let names: BTreeSet<DocumentName> =
                    self.store.quoting(*key)?.into_iter().filter_map(held).collect();
                if !names.is_empty() {
                    news.homeless.entry(*key).or_default().extend(names);
                } else if follows_at_once(&self.store, *key)? {
                    news.new.insert(*key);
                }
            }
        }
        Ok(news)
    }

    /// New entries that belong into a mirror, as far as that can be said before its files are listed.
    fn new_in(
        &self,
        mirror: &Mirror,
        format: &dyn Format,
        root: &str,
        news: &MirrorChange,
    ) -> Result<BTreeSet<EntryKey>> {
        if news.new.is_empty() {
            return Ok(BTreeSet::new());
        }
        let paths = BTreeSet::new();
        let among = Among {
            paths: &paths,
            root: Some(root),
            folder: &mirror.path,
            all: false,
            only: Some(&news.new),
        };
        let found = self.homeless(format, &among)?;
        Ok(found.into_iter().map(|(stored, _)| stored.entry.key).collect())
    }

    fn follow_one(&mut self, mirror: &Mirror, news: &MirrorChange) -> Result<()> {
        let (format, folder) = (super::super::format(&mirror.format)?, self.mirror_folder(mirror)?);
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
        homeless.extend(self.new_in(mirror, format, &folder.root, news)?);
        if paths.is_empty() && homeless.is_empty() {
            return Ok(());
        }
        let (input, mut report) = (SyncInput::default(), SyncReport::default());
        let (mut side, _, _) = self.side_of(mirror, &input, &mut report)?;
        let mut changed = Vec::new();
        for path in &paths {
            let Some(kept) = side.kept.get(path) else { continue };
            let is_as_kept = side.disk.get(path).is_some_and(|(_, hash)| hash == kept);
            // Somebody edited or deleted it since the last sync: nobody's words are written over.
            if !is_as_kept
                && let Some(kept) = self.store.document(&side.name(path))?
                && !self.pending(&kept)?.is_empty()
            {
                changed.push(path.clone());
            }
        }
        paths.retain(|path| !changed.contains(path));
        side.held.extend(changed.iter().cloned());
        for key in &homeless {
            if let Some(stored) = self.store.stored(*key)?
                && !crate::foreign::outgoing::may_instruct(&self.store, &self.config, format, &stored)?
            {
                let (id, name) = (&stored.id, &mirror.name);
                self.store.notice(format!(
                    "{id} is not written to the mirror {name}: its files are followed, and the entry was not accepted or used yet"
                ));
            }
        }
        if !homeless.is_empty() {
            // Nothing is put into a file that is not as it was kept: whose its items are is for a sync to find out.
            let is_as_kept =
                |path: &&String| side.disk.get(*path).map(|(_, hash)| hash) == side.kept.get(*path);
            let others = side.disk.keys().chain(side.kept.keys()).filter(|path| !is_as_kept(path));
            let others: Vec<String> = others.cloned().collect();
            side.held.extend(others);
        }
        self.carry_out(&mut side, Some(Meant { paths: &paths, homeless: &homeless }))?;
        let files = std::mem::take(&mut side.disk);
        crate::foreign::sync::remember_mirror(&mut self.store, &memory_of(mirror), &files, None)?;
        for path in changed {
            self.store.notice(format!(
                "conflict: {path} of the mirror {} changed since the last sync and was not overwritten; `ken mirror sync` shows both sides",
                mirror.name
            ));
        }
        for waiting in report.waiting {
            self.store
                .notice(format!("{} of the mirror {} waits: {}", waiting.path, mirror.name, waiting.note));
        }
        Ok(())
    }

    /// Brings the mirrors in step, both ways, that follow by themselves; with `stage`, what that wrote is staged.
    pub(crate) fn sync_followers(&mut self, stage: bool) {
        let Ok(all) = self.mirrors() else { return };
        let followers: Vec<Mirror> =
            all.into_iter().filter(|mirror| self.config.follows(&mirror.name)).collect();
        if followers.is_empty() || self.in_sync {
            return;
        }
        let dirty = if stage { unstaged(&self.layout) } else { BTreeSet::new() };
        let mirrors = followers.iter().map(|mirror| mirror.name.clone()).collect();
        let input = SyncInput { mirrors, ..SyncInput::default() };
        // The hook of a commit is never a person, whoever commits (COR-21).
        let synced = if stage { self.as_a_script(|ken| ken.sync(&input)) } else { self.sync(&input) };
        let report = match synced {
            Ok(report) => report,
            Err(error) => {
                self.store.notice(format!("the mirrors are out of sync: {error}"));
                return;
            }
        };
        for conflict in &report.conflicts {
            self.store.notice(format!(
                "conflict: {} of the mirror {} and the ledger both changed {} of {}; `ken mirror sync` shows both sides",
                conflict.path, conflict.mirror, conflict.field, conflict.id
            ));
        }
        for waiting in &report.waiting {
            self.store.notice(format!("{} waits: {}", waiting.path, waiting.note));
        }
        if !stage {
            return;
        }
        let mut paths = Vec::new();
        for action in &report.actions {
            let Some(mirror) =
                followers.iter().find(|mirror| mirror.name == action.mirror && !mirror.outside)
            else {
                continue;
            };
            let Ok(folder) = self.mirror_folder(mirror) else { continue };
            let path = folder.in_repository(&action.path);
            let is_written = matches!(action.what, SyncChange::Written | SyncChange::Made);
            // What a person has not staged yet is theirs to stage.
            if is_written && !dirty.contains(&path) && is_tracked(&self.layout, &path) {
                paths.push(path);
            }
        }
        if let (Some(git), false) = (self.layout.git.as_ref(), paths.is_empty()) {
            let mut args = vec!["add", "--"];
            args.extend(paths.iter().map(String::as_str));
            if let Err(error) = git.bytes(&args) {
                self.store.notice(format!("the files of the mirrors were not staged: {error}"));
            }
        }
    }

    /// Does something that nobody at a terminal asked for.
    pub(crate) fn as_a_script<T>(&mut self, work: impl FnOnce(&mut Kenning) -> T) -> T {
        let script = self.caller.clone().unattended();
        let own = std::mem::replace(&mut self.caller, script);
        let done = work(self);
        self.caller = own;
        done
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
