//! The ports of a project's store, beside recording and recall.

use ken_recall::vectors::Vectors;
use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::rc::Rc;

use ken_core::event::EntryEvent;
use ken_core::{Body, EntryKey, Event, EventHash, Millis, Refusal};
use ken_engine::log::{Bytes, Cursor, LoggedBatch};
use ken_engine::{
    Access, Between, Care, Embedder, Embedding, Erasure, Finding, GitHistory, History, Judgements, LedgerAt,
    Mirrored, ModelCard, OpenStore, Problem, Projection, Recovered, Report, in_one_read,
};
use ken_index::vectors::VectorFile;

use super::recall::{EMBEDDED_AT_ONCE, forget_vectors_of, vectors_for};
use super::*;
use crate::at::{self, TreeFile};
use crate::disk::Looks;
use crate::judgements::KeptJudgements;
use crate::limits::CHANGED_FILES_MAX;
use crate::lines::read_lines;
use crate::memory::{holding, holds_text};
use crate::snapshot::{Purpose, cut, snapshot};
use crate::verify::wrongly_dated;

/// What a file looks like that was not read from the disk.
const NOTHING: Looks = Looks { size: 0, mtime: 0, inode: 0, is_folder: false, is_file: true };

impl Store {
    /// Remembers which entries something was said about, for who follows.
    pub(crate) fn said_about(&mut self, keys: impl Iterator<Item = EntryKey>) {
        self.written.extend(keys);
    }
}

impl OpenStore for Store {
    fn begin_command(&mut self) {
        self.change.begin_command();
    }

    fn end_command(&mut self) {
        self.change.end_command();
    }

    fn take_written(&mut self) -> Vec<EntryKey> {
        let mut written = std::mem::take(&mut self.written);
        written.sort_unstable();
        written.dedup();
        written
    }

    fn expect(&mut self, entry: Option<(EntryKey, Version)>) {
        self.change.expected = entry;
    }

    fn judgements(&self) -> Option<Box<dyn Judgements>> {
        let path = self.tree_home.join("judgements");
        let kept = match self.access {
            Access::Read => KeptJudgements::read_only(&path),
            Access::Write => KeptJudgements::with_spare(&path, &self.judged),
        };
        Some(Box::new(kept?))
    }

    fn judged(&self) -> Option<String> {
        let path = self.tree_home.join("judgements");
        path.is_file().then(|| looks_with_wal(&path))
    }

    fn git_history(&self) -> Option<&dyn GitHistory> {
        Some(self)
    }

    fn git_history_mut(&mut self) -> Option<&mut dyn GitHistory> {
        Some(self)
    }

    fn access(&self) -> Access {
        self.access
    }

    fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn refresh(&mut self) -> Result<()> {
        self.notice_changed_journal()?;
        if self.projection.index.is_fresh() {
            return self.catch_up(false);
        }
        if self.projection.shared.looked_of_late() && !self.has_news()? && !self.has_git_moved()? {
            return Ok(());
        }
        let passed_over_long = self
            .passed_over_since
            .is_some_and(|since| since.elapsed().as_nanos() as i64 > PASSED_OVER_NANOS_MAX);
        if !passed_over_long && !self.has_git_moved()? && self.is_being_told()? {
            self.passed_over_since.get_or_insert_with(Instant::now);
            return Ok(());
        }
        // Who writes takes in what others wrote, before anybody hears that it is there.
        let caught_up = self.in_turn_if_free(|store| {
            // Another handle may have caught up in between.
            if store.projection.shared.looked_of_late() && !store.has_news()? && !store.has_git_moved()? {
                return Ok(());
            }
            store.catch_up_with(false, Wait::No).map(drop)
        });
        match caught_up {
            Some(caught_up) => {
                caught_up?;
                self.passed_over_since = None;
            }
            None => {
                self.passed_over_since.get_or_insert_with(Instant::now);
            }
        }
        self.catch_up_vectors();
        Ok(())
    }

    fn may_write(&self) -> Result<()> {
        if let Some(refusal) = &self.version_refusal {
            return Err(refusal.clone().into());
        }
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(Refusal::new(Code::ReadOnly, "the store is read-only; nothing was written")
                .hint("unset KEN_READONLY, or make .kenning and the git folder writable")
                .into()),
        }
    }

    fn alone(&mut self, doing: &str) -> Result<Box<dyn Send>> {
        let failed = |error: io::Error| Error::failed(format!("waiting for others that are {doing}"))(error);
        let file = File::create(self.projection.home.join(format!("{doing}.lock"))).map_err(failed)?;
        fs4::FileExt::lock(&file).map_err(failed)?;
        self.catch_up(false)?;
        Ok(Box::new(file))
    }

    fn notice(&mut self, text: String) {
        if !self.notices.contains(&text) {
            self.notices.push(text);
        }
    }
}

impl History for Store {
    fn end(&mut self) -> Result<Cursor> {
        Store::end(self)
    }

    fn since(&mut self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>> {
        Store::since(self, at, limit)
    }

    fn latest(&mut self, events: usize) -> Result<Vec<LoggedBatch>> {
        self.latest_batches(events)
    }

    fn as_of_time(&self, time: Millis, model: Option<&ModelCard>) -> Result<Box<dyn Projection>> {
        let mut lines = self.all_lines()?;
        cut(&mut lines, time);
        self.snapshot(self.unpurged(lines)?, Purpose::Search, model)
    }

    fn position(&self) -> Result<String> {
        self.projection.position()
    }
}

/// How a file and what SQLite keeps beside it look. Whoever opens the file makes an empty one beside it, which says nothing.
pub(crate) fn looks_with_wal(path: &Path) -> String {
    let wal = PathBuf::from(format!("{}-wal", path.display()));
    let look = |path: &Path| -> Option<String> {
        let meta = std::fs::metadata(path).ok().filter(|meta| meta.len() > 0)?;
        let changed = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(format!("{}.{}", meta.len(), changed.as_nanos()))
    };
    format!("{}/{}", look(path).unwrap_or_default(), look(&wal).unwrap_or_default())
}

impl Embedding for Store {
    fn use_model(&mut self, card: &ModelCard) -> Result<()> {
        let mut vectors = VectorFile::open(&self.projection.home, &card.name, card.dimensions);
        let clone_home = self.layout.clone_home();
        if vectors.is_empty() && self.projection.home != clone_home {
            // A sandbox may not write to the clone's vectors; it begins with a copy of them.
            let others = VectorFile::open(&clone_home, &card.name, card.dimensions);
            if !others.is_empty() && others.copy_to(&vectors).is_ok() {
                vectors.refresh();
            }
        }
        // A store that may not be written has an index of its own in memory, which may.
        self.projection.index.use_vectors(&card.name, &mut vectors).map_err(index_error)?;
        self.projection.vectors = Some((card.name.clone(), vectors));
        Ok(())
    }

    fn catch_up_vectors(&mut self) {
        if let Some((_, vectors)) = &mut self.projection.vectors
            && vectors.len_on_disk() > vectors.len()
        {
            vectors.refresh();
        }
    }

    fn known_dimensions(&self, model: &str) -> Option<usize> {
        VectorFile::known_dimensions(&self.projection.home, model)
    }

    fn embed(
        &mut self,
        embedder: &dyn Embedder,
        at_most: usize,
        made: &mut ken_engine::open_store::Embedded<'_>,
    ) -> Result<usize> {
        self.may_write()?;
        let card = embedder.card().clone();
        if self.projection.vectors.as_ref().is_none_or(|(model, _)| *model != card.name) {
            self.use_model(&card)?;
        }
        let busy = if at_most > EMBEDDED_AT_ONCE { Some(self.only_embedder()?) } else { None };
        if let Some(None) = busy {
            self.notice("another process is computing the missing embeddings".to_owned());
            return self.projection.backlog();
        }
        let mut left = at_most;
        loop {
            let texts = self.projection.index.unembedded(left.min(EMBEDDED_AT_ONCE)).map_err(index_error)?;
            if texts.is_empty() {
                break;
            }
            let slots = match &mut self.projection.vectors {
                Some((_, vectors)) => vectors_for(vectors, embedder, &texts)?,
                None => Vec::new(),
            };
            self.in_turn(|store| store.projection.index.embedded(&texts, &slots)).map_err(index_error)?;
            left -= texts.len();
            let keys: Vec<EntryKey> = texts.iter().map(|text| text.key).collect();
            if !made(self, &keys)? || left == 0 {
                break;
            }
        }
        self.tidy_index(at_most - left);
        self.projection.backlog()
    }

    fn check_vectors(&mut self) -> Result<usize> {
        let may_write = self.may_write().is_ok();
        let base = &mut *self.projection;
        let Some((_, vectors)) = &mut base.vectors else { return Ok(0) };
        let damaged = vectors.damaged();
        if !damaged.is_empty() {
            base.index.distrust_slots(&damaged).map_err(index_error)?;
        }
        for slot in damaged.iter().filter(|_| may_write) {
            vectors.take_out(*slot as usize).map_err(Error::failed("removing a damaged embedding"))?;
        }
        Ok(damaged.len())
    }

    fn forget_vectors(&mut self, key: EntryKey) -> Result<()> {
        let history = Entries::history(&self.projection, key)?;
        let base = &mut *self.projection;
        forget_vectors_of(&base.index, &mut base.vectors, key, history, &base.home)
    }
}

impl Store {
    /// The fold of some lines. Texts that have no vector of the model are found by their words.
    fn snapshot(
        &self,
        lines: Vec<Line>,
        purpose: Purpose,
        model: Option<&ModelCard>,
    ) -> Result<Box<dyn Projection>> {
        let released = self.released_here(&lines)?;
        let fold = || snapshot(lines, self.index(), purpose, self.own(), released);
        let mut snapshot = in_one_read(&self.projection, fold)?;
        if let Some(card) = model {
            let vectors = VectorFile::open(&self.projection.home, &card.name, card.dimensions);
            snapshot.use_vectors(&card.name, vectors)?;
        }
        Ok(Box::new(snapshot))
    }
}

/// The entries about which two lists of lines say different things.
fn told_otherwise(old: &[Line], new: &[Line]) -> BTreeSet<EntryKey> {
    let events = |lines: &[Line]| -> HashMap<EventHash, Option<EntryKey>> {
        let events = lines.iter().filter_map(|line| match line {
            Line::Event(event) => Some((event.hash, event.entry)),
            Line::Stub(_) => None,
        });
        events.collect()
    };
    let (old, new) = (events(old), events(new));
    let only = |one: &HashMap<EventHash, Option<EntryKey>>, other: &HashMap<EventHash, Option<EntryKey>>| {
        let alone = one.iter().filter(|(hash, _)| !other.contains_key(*hash));
        alone.filter_map(|(_, entry)| *entry).collect::<Vec<_>>()
    };
    only(&old, &new).into_iter().chain(only(&new, &old)).collect()
}

/// Whether every entry that some lines are about is stated in them: else a file is missing among those that were read.
fn are_whole(lines: &[Line]) -> bool {
    let (mut named, mut stated) = (HashSet::new(), HashSet::new());
    for line in lines {
        let Line::Event(event) = line else { continue };
        named.extend(event.entry);
        if matches!(event.body, Some(Body::Entry(EntryEvent::Added(_) | EntryEvent::Rejected(_)))) {
            stated.extend(event.entry);
        }
    }
    named == stated
}

impl GitHistory for Store {
    fn journal_event(&self, hash: &EventHash) -> Option<Event> {
        let (journal, start, length) = self.projection.index.frame_of(hash).ok()??;
        let records =
            self.projection.journals.get(usize::try_from(journal).ok()?)?.read_frame(start, length).ok()?;
        records.iter().find_map(|record| match record.line() {
            Ok(Line::Event(event)) if event.hash == *hash => Some(*event),
            _ => None,
        })
    }

    fn look_again(&mut self, keys: &[EntryKey]) -> Result<bool> {
        for key in keys {
            if self.tree.edited(&self.projection.index, *key).map_err(index_error)? {
                // A writer of this worktree wrote the file a moment ago and is about to tell the index: it needs no help.
                if self.is_being_told()? || !self.is_free()? {
                    return Ok(false);
                }
                self.in_turn(|store| store.catch_up(true))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn problems(&self) -> Result<Vec<(String, Problem)>> {
        self.projection.index.problems().map_err(index_error)
    }

    fn problem_count(&self) -> Result<usize> {
        self.projection
            .index
            .problem_count()
            .map(|count| usize::try_from(count).unwrap_or(0))
            .map_err(index_error)
    }

    fn flush(&mut self, now: Millis) -> Result<usize> {
        self.flush_at(now)
    }

    fn waiting(&self) -> Result<usize> {
        self.waiting_count()
    }

    fn owns_index_page(&self) -> bool {
        index_page::is_ignored(&*self.projection.disk, &self.layout.store)
    }

    fn write_index_page(&mut self, moment: IndexPageMoment, now: Millis) {
        if self.access != Access::Write {
            return;
        }
        match (self.index_page(moment, now), moment) {
            // Who reads did not ask for it.
            (Ok(()), _) | (Err(_), IndexPageMoment::Reading) => {}
            (Err(error), IndexPageMoment::Commit | IndexPageMoment::Purge) => {
                self.notices.push(format!("INDEX.md could not be written: {error}"));
            }
        }
    }

    fn recover(&mut self, all: bool) -> Result<Recovered> {
        self.recover_lost(all)
    }

    fn mirrored(&self, root: &str) -> Result<(Vec<Mirrored>, Option<String>)> {
        let files = self.projection.index.mirrored(root).map_err(index_error)?;
        Ok((files, self.projection.index.mirrored_digest(root).map_err(index_error)?))
    }

    fn set_mirrored(&mut self, root: &str, files: &[Mirrored], digest: Option<&str>) -> Result<()> {
        self.projection.index.set_mirrored(root, files, digest).map_err(index_error)
    }

    fn between(&self, base: &str, head: Option<&str>) -> Result<Option<Between>> {
        let Some(git) = self.git() else { return Ok(None) };
        let failed = || Error::failed("comparing the ledgers of two commits");
        let Some(base) = git.commit(base).map_err(failed())? else { return Ok(None) };
        let head = match head {
            Some(name) => match git.commit(name).map_err(failed())? {
                Some(head) => Some(head),
                None => return Ok(None),
            },
            None => None,
        };
        let prefix = format!("{}/", crate::STORE_FOLDER);
        let below = |path: &str| path.strip_prefix(&prefix).map(str::to_owned);
        let changed = git.names_changed(&base, head.as_deref(), crate::STORE_FOLDER).map_err(failed())?;
        let changed = changed.iter().filter_map(|path| below(path));
        let changed: HashSet<String> = changed.filter(|path| crate::tree::is_ledger_file(path)).collect();
        if changed.len() > CHANGED_FILES_MAX {
            return Ok(None);
        }
        let lines_at = |commit: &str, is_wanted: &dyn Fn(&str) -> bool| -> Result<Vec<Line>> {
            let wanted = |path: &str| below(path).is_some_and(|path| is_wanted(&path));
            let files = git.some_files_at(commit, crate::STORE_FOLDER, &wanted).map_err(failed())?;
            let mut lines = Vec::new();
            for (path, bytes) in files {
                let path = below(&path).unwrap_or(path);
                lines.extend(read_lines(&path, NOTHING, &bytes).lines.into_iter().map(|(line, _, _)| line));
            }
            Ok(lines)
        };
        let is_changed = |path: &str| changed.contains(path);
        let old = lines_at(&base, &is_changed)?;
        let new = match &head {
            Some(head) => lines_at(head, &is_changed)?,
            None => {
                let mut lines = Vec::new();
                for path in &changed {
                    // What is not there any more has no lines.
                    let Ok(bytes) = std::fs::read(self.layout().store.join(path)) else { continue };
                    let read = read_lines(path, NOTHING, &bytes).lines;
                    lines.extend(read.into_iter().map(|(line, _, _)| line));
                }
                lines
            }
        };
        let keys = told_otherwise(&old, &new);
        // Their other lines lie in files that the two trees have alike: their own, and those that many entries share.
        let mut own = HashSet::new();
        for key in &keys {
            let stored = self.index().stored(*key).map_err(index_error)?;
            own.extend(stored.and_then(|stored| stored.file().map(str::to_owned)));
        }
        let is_about = |path: &str| {
            crate::tree::is_ledger_file(path)
                && (changed.contains(path) || own.contains(path) || crate::tree::is_shared(path))
        };
        let about = |commit: &str| -> Result<Option<Vec<Line>>> {
            let mut lines = lines_at(commit, &is_about)?;
            lines.retain(|line| matches!(line, Line::Event(event) if event.entry.is_some_and(|key| keys.contains(&key))));
            Ok(are_whole(&lines).then_some(lines))
        };
        let Some(before) = about(&base)? else { return Ok(None) };
        let before = self.snapshot(self.unpurged(before)?, Purpose::Comparison, None)?;
        let after = match &head {
            Some(head) => match about(head)? {
                Some(lines) => Some(self.snapshot(self.unpurged(lines)?, Purpose::Comparison, None)?),
                None => return Ok(None),
            },
            None => None,
        };
        Ok(Some(Between { keys, before, after }))
    }

    fn ledgers_at(&self, trees: &[Option<&str>]) -> Result<Vec<Rc<LedgerAt>>> {
        let mut ledgers: Vec<LedgerAt> = Vec::with_capacity(trees.len());
        let mut files: Vec<Vec<TreeFile>> = Vec::with_capacity(trees.len());
        for tree in trees {
            let (of_tree, config) = self.files_of_tree(*tree)?;
            ledgers.push(LedgerAt { config, ..LedgerAt::default() });
            files.push(of_tree);
        }
        at::read(&mut files);
        // Most stores purged nothing: then no event is asked about.
        let has_purges = self.index().has_purges().map_err(index_error)?;
        for (ledger, files) in ledgers.iter_mut().zip(files) {
            files.iter().for_each(|file| at::take(ledger, file));
            for (event, _, _) in ledger.events.iter().filter(|_| has_purges) {
                if self.index().purge_counts(event).map_err(index_error)? {
                    ledger.purged.extend(event.entry);
                }
            }
        }
        Ok(ledgers.into_iter().map(Rc::new).collect())
    }

    fn snapshot_of(&self, ledger: &Rc<LedgerAt>) -> Result<Box<dyn Projection + '_>> {
        match self.tree_view(ledger)? {
            Some(view) => Ok(Box::new(view)),
            None => Ok(Box::new(self.fold_all(ledger)?)),
        }
    }

    fn tree_at(&self, name: &str) -> Result<Box<dyn Projection + '_>> {
        // What was purged since is left out of the past.
        if self.index().has_purges().map_err(index_error)? {
            return self.as_of_commit(name, None);
        }
        let (git, commit) = self.commit_named(name)?;
        match self.commit_view(git, &commit)? {
            Some(view) => Ok(Box::new(view)),
            None => self.as_of_commit(name, None),
        }
    }

    fn as_of_commit(&self, name: &str, model: Option<&ModelCard>) -> Result<Box<dyn Projection>> {
        let (git, commit) = self.commit_named(name)?;
        let files = git
            .files_at(&commit, crate::STORE_FOLDER)
            .map_err(Error::failed(format!("reading the ledger of {name}")))?;
        let prefix = format!("{}/", crate::STORE_FOLDER);
        let mut lines = Vec::new();
        for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".jsonl")) {
            let path = path.strip_prefix(&prefix).unwrap_or(path);
            lines.extend(read_lines(path, NOTHING, bytes).lines.into_iter().map(|(line, _, _)| line));
        }
        self.snapshot(self.unpurged(lines)?, Purpose::Search, model)
    }
}

impl Store {
    /// The commit that a name means.
    fn commit_named(&self, name: &str) -> Result<(&Git, String)> {
        let Some(git) = self.git() else {
            return Err(Refusal::new(
                Code::NotAllowed,
                "this store is not in a git repository; give a time instead of a commit",
            )
            .into());
        };
        let Some(commit) = git.commit(name).map_err(Error::failed("asking git for a commit"))? else {
            let hint = match git.common_dir.join("shallow").is_file() {
                true => "this clone is shallow; if it is a commit, fetch it with `git fetch --unshallow`",
                false => "write a commit, branch or tag, or a time like 2026-11-15 or 2026-11-15T02:04:26Z",
            };
            return Err(Refusal::new(
                Code::NotFound,
                format!("{name:?} is neither a commit of this repository nor a time"),
            )
            .hint(hint)
            .field("as-of")
            .into());
        };
        Ok((git, commit))
    }

    /// The ledger files of a commit, or of the working tree, in their order, and its settings.
    fn files_of_tree(&self, commit: Option<&str>) -> Result<(Vec<TreeFile>, Option<String>)> {
        let (mut ledger, mut config) = (Vec::new(), None);
        match (commit, self.git()) {
            (Some(commit), Some(git)) => {
                let files = git
                    .files_at(commit, crate::STORE_FOLDER)
                    .map_err(Error::failed(format!("reading the ledger of {commit}")))?;
                let prefix = format!("{}/", crate::STORE_FOLDER);
                for (path, bytes) in files {
                    let path = path.strip_prefix(&prefix).unwrap_or(&path).to_owned();
                    if path == "config.toml" {
                        config = Some(String::from_utf8_lossy(&bytes).into_owned());
                    } else if crate::tree::is_ledger_file(&path) {
                        ledger.push(TreeFile::new(path, bytes));
                    }
                }
            }
            (Some(_), None) | (None, _) => {
                let folder = &self.layout().store;
                for (path, _) in self.tree().all_files() {
                    let doing = || format!("reading {}/{path}", crate::STORE_FOLDER);
                    let bytes = std::fs::read(folder.join(&path)).map_err(Error::failed(doing()))?;
                    ledger.push(TreeFile::new(path, bytes));
                }
                config = match std::fs::read(folder.join("config.toml")) {
                    Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                    Err(error) => return Err(Error::failed("reading .kenning/config.toml")(error)),
                };
            }
        }
        Ok((ledger, config))
    }

    /// Removes temporary files everywhere in the store: those that were left, and those that hold bytes which must go.
    pub(crate) fn sweep_temporaries(&self, must_go: &dyn Fn(&[u8]) -> bool) -> usize {
        let (clone, sandbox) = (self.layout.clone_home(), self.layout.sandbox_home());
        let folders: [&Path; 4] = [&self.layout.store, &clone, &sandbox, &self.tree_home];
        left_over::sweep_all(&*self.projection.disk, &folders, must_go)
    }
}

impl Erasure for Store {
    fn forget_overlays(&mut self, key: EntryKey) -> Result<()> {
        let doing = "removing its overlays";
        let goes = |entry: Option<EntryKey>, _: &str| entry == Some(key);
        self.projection.overlays.take_out(&goes).map(drop).map_err(Error::failed(doing))
    }

    fn remember_purged(&mut self, text: &str) -> Result<()> {
        let value = purged::remember(&*self.projection.disk, &self.projection.home, text)
            .map_err(Error::failed("remembering what was purged"))?;
        learn_purged(vec![value]);
        Ok(())
    }

    fn remove_temporaries_holding(&mut self, text: &str) -> Result<usize> {
        let written = ken_core::canonical::to_string(&text);
        let forms = [text.as_bytes(), written.trim_matches('"').as_bytes()];
        let holds =
            |bytes: &[u8]| forms.iter().any(|form| bytes.windows(form.len()).any(|window| window == *form));
        Ok(self.sweep_temporaries(&holds))
    }

    fn events_holding(&self, text: &str) -> Result<Vec<Event>> {
        let holds = holding(text);
        Ok(self
            .all_lines()?
            .into_iter()
            .filter_map(|line| match line {
                Line::Event(event) if holds(&event) => Some(*event),
                Line::Event(_) | Line::Stub(_) => None,
            })
            .collect())
    }

    fn forget_overlays_holding(&mut self, text: &str) -> Result<usize> {
        let goes = |_: Option<EntryKey>, line: &str| holds_text(line, text);
        self.projection
            .overlays
            .take_out(&goes)
            .map_err(Error::failed("looking through this clone's overlays"))
    }

    fn let_go_of(&mut self, text: &str) -> Result<usize> {
        let doing = "looking through the quarantine";
        let folder = self.projection.home.join("quarantine");
        let names = match self.projection.disk.names(&folder) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(Error::failed(doing)(error)),
        };
        let mut count = 0;
        for (name, _) in names {
            let path = folder.join(&name);
            let bytes = self.projection.disk.read(&path, 0).map_err(Error::failed(doing))?;
            if holds_text(&String::from_utf8_lossy(&bytes), text) {
                self.projection.disk.remove(&path).map_err(Error::failed(doing))?;
                count += 1;
            }
        }
        Ok(count)
    }

    fn take_out_purged(&mut self) -> Result<Vec<String>> {
        self.erase_purged()
    }
}

impl Care for Store {
    fn rebuild(&mut self) -> Result<usize> {
        self.reset_index()?;
        self.catch_up(true)?;
        self.settle_index()?;
        let counts = self.projection.index.counts().map_err(index_error)?;
        Ok(counts.iter().map(|(_, _, _, count)| usize::try_from(*count).unwrap_or(0)).sum())
    }

    fn verify(&mut self, fix: bool) -> Result<Report> {
        self.verify_ledger(fix)
    }

    fn event_count(&self) -> Result<usize> {
        self.projection.index.files_and_lines().map(|(_, lines)| lines).map_err(index_error)
    }

    fn quick_check(&mut self) -> Result<Report> {
        self.check_known()
    }

    fn wrong_clocks(&self, now: Millis) -> Result<Vec<Finding>> {
        wrongly_dated(&self.projection, &|hash| self.line(hash), now)
    }
}
