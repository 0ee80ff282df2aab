//! The store: the union of journal and ledger files, and the projection that answers for it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::TryLockError;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ken_core::event::{Line, read_line};
use ken_core::{Code, EntryKey, Event, EventHash, Intent, Memory, Millis, OverlayEvent, Refusal, ReplicaId};
use ken_engine::intake::learn_purged;
use ken_engine::{
    Access, Care, Embedding, Entries, Error, GitHistory, IndexPageMoment, Ledger, LogEnd, OpenStore,
    Overlaid, Part, Placed, Projection, Query, ReadSet, Result, Search, Stored, Threads, Version, Writer,
};
use ken_index::{Base, Caches, Overlays, Projected, Source};
pub(crate) use ken_index::{Index, classified, index_error};
use serde_json::Value;

mod base;
mod flush;
mod ports;
pub(crate) mod recall;
mod trim;
mod write_out;

pub use self::base::GitBase;
pub(crate) use self::ports::looks_with_wal;
use crate::appending::Change;
use crate::catalogue::{Catalogue, IndexUpdate, Lines};
use crate::disk::{Disk, RealDisk};
use crate::git::Git;
use crate::index_page;
use crate::journal::{Journal, Origin, Position, SEGMENT_BYTES_MAX};
use crate::judgements::Spare;
use crate::layout::{Layout, STORE_VERSION};
use crate::left_over;
use crate::limits::{
    FRAMES_BYTES_MAX, FRAMES_LOOKED_BACK_MAX, FRAMES_OF_A_COMMAND_MAX, INDEX_LINES_MAX,
    PASSED_OVER_NANOS_MAX, TOLD_WITHIN_NANOS,
};
use crate::overlays::OverlayLog;
use crate::purged;
use crate::replica;
use crate::shared::Shared;
use crate::tree::Tree;
use ken_index::vectors::VectorFile;

/// What a thread that panicked left behind is whole: each of these is replaced at once.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether somebody waits while another writes the index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Yes,
    No,
}

/// How to open a store.
#[derive(Clone)]
pub struct OpenOptions {
    /// Whether it may be written.
    pub access: Access,
    pub disk: Arc<dyn Disk>,
    /// Keep the index in memory, for tests on simulated disks.
    pub index_in_memory: bool,
    /// The size at which the journal begins a new segment, in bytes; tests make it small.
    pub segment_bytes_max: u64,
    /// What this handle shares with the other handles of the store in this process.
    pub shared: Arc<Shared>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions {
            access: Access::Write,
            disk: Arc::new(RealDisk),
            index_in_memory: false,
            segment_bytes_max: SEGMENT_BYTES_MAX,
            shared: Arc::default(),
        }
    }
}

/// An open store.
pub struct Store {
    /// This handle has the turn to write.
    has_turn: bool,
    layout: Layout,
    access: Access,
    tree_home: PathBuf,
    tree: Tree,
    /// Its reads, with the catalogue, the overlays and the vectors.
    pub(crate) projection: Projected<GitBase>,
    index_folder: Option<PathBuf>,
    replica: Option<ReplicaId>,
    notices: Vec<String>,
    /// Entries that this handle said something about.
    written: Vec<EntryKey>,
    pub(crate) change: Change,
    /// Whether what the machine lost when it last stopped is known to be back in the tree.
    mended: bool,
    /// Frames of this clone's journal from here on may still be on their way to the ledger files; read before the files were.
    pending_from: Option<Position>,
    /// Since when this handle has left the index to somebody who was writing.
    passed_over_since: Option<Instant>,
    /// The connection to what was found out about code, between two answers.
    judged: Spare,
    /// Held while the index is being made: nobody may discard it, or open it, before it is whole.
    index_held: Option<Box<dyn Send>>,
    version_refusal: Option<Refusal>,
}

impl Store {
    /// Opens a store, heals what a crash left, and catches up with what happened outside.
    pub fn open(layout: Layout, options: OpenOptions) -> Result<Store> {
        let disk = options.disk;
        layout.refuse_links()?;
        let version_refusal = check_version(&*disk, &layout)?;
        let writable = |home: &Path| disk.lock(&home.join("lock")).is_ok();
        let clone_home = layout.clone_home();
        let read_only = options.access == Access::Read;
        // Sandboxes often protect the git folder; then this clone's part lives beside the ledger for a while.
        let sandboxed =
            !read_only && layout.git.is_some() && !writable(&clone_home) && writable(&layout.sandbox_home());
        let home = if sandboxed { layout.sandbox_home() } else { clone_home.clone() };
        let tree_home = if sandboxed { layout.sandbox_tree_home() } else { layout.tree_home() };
        let journal = |home: &Path| {
            Journal::new(disk.clone(), home.join("journal")).with_segments_of(options.segment_bytes_max)
        };
        let mut journals = vec![journal(&home)];
        let other = if sandboxed { clone_home } else { layout.sandbox_home() };
        if other != home {
            journals.push(journal(&other));
        }
        let access = if !read_only && !writable(&home) { Access::Read } else { options.access };
        let index_folder = tree_home.join("index");
        let mut index_held = None;
        let (index, index_folder) = match (options.index_in_memory, access) {
            (true, _) => (None, None),
            (false, Access::Read) => (Catalogue::copied(&index_folder).ok(), None),
            (false, Access::Write) => {
                let opened = open_index(&*disk, &index_folder, false).ok().map(|(index, held)| {
                    index_held = held;
                    index
                });
                (opened, Some(index_folder))
            }
        };
        let index_folder = index_folder.filter(|_| index.is_some());
        let index = match index {
            Some(index) => index,
            None => {
                Catalogue::in_memory().map_err(|error| classified("opening the index in memory", error))?
            }
        };
        let tree = Tree::new(disk.clone(), layout.store.clone());
        let replica = replica::read(&*disk, &home).map_err(Error::failed(NAMING))?;
        let sandbox_home = layout.sandbox_home();
        let homes = [layout.clone_home(), sandbox_home.clone()];
        let homes: Vec<&Path> =
            homes.iter().map(PathBuf::as_path).take(1 + usize::from(homes[0] != homes[1])).collect();
        let overlays = OverlayLog::open(disk.clone(), &home, &homes);
        let projection = Projected::new(GitBase {
            index,
            disk,
            home,
            store: layout.store.clone(),
            journals,
            overlays,
            vectors: None,
            shared: options.shared,
        });
        let mut store = Store {
            has_turn: false,
            layout,
            access,
            tree_home,
            tree,
            projection,
            index_folder,
            replica,
            notices: Vec::new(),
            written: Vec::new(),
            change: Change::default(),
            mended: false,
            pending_from: None,
            passed_over_since: None,
            judged: Spare::default(),
            index_held,
            version_refusal,
        };
        match store.start(options.access) {
            Ok(()) => Ok(store),
            // A full disk must not keep anybody from reading: the index can as well be in memory.
            Err(Error::Full(_)) if store.index_folder.is_some() => {
                store.projection.index = Catalogue::in_memory().map_err(index_error)?;
                store.index_held = None;
                store.index_folder = None;
                store.notices.clear();
                store.notices.push("the disk is full; this command uses an in-memory index".to_owned());
                store.start(options.access)?;
                Ok(store)
            }
            // An index is disposable, also for who is about to write.
            Err(Error::Damaged(Part::Index, _)) => {
                store.notices.clear();
                store.reset_index()?;
                store.start(options.access)?;
                store.notices.push("the index was damaged and has been rebuilt".to_owned());
                Ok(store)
            }
            Err(error) => Err(error),
        }
    }

    fn start(&mut self, asked: Access) -> Result<()> {
        if asked == Access::Write && self.access == Access::Read {
            self.notices.push("the store is not writable; opened read-only".to_owned());
        }
        self.learn_purged();
        if self.access == Access::Write {
            let journal = self.projection.home.join("journal");
            let folders: [&Path; 4] = [&self.projection.home, &journal, &self.tree_home, &self.layout.store];
            left_over::sweep(&*self.projection.disk, &folders);
        }
        // STO-10: a reader of an older major goes on reading, and says that there is more.
        if let Some(refusal) = &self.version_refusal {
            let said = refusal.message.split(';').next().unwrap_or_default();
            self.notices.push(format!("{said}: the output may be out of date"));
        }
        let was_copied = || {
            replica::was_copied(&*self.projection.disk, &self.projection.home).map_err(Error::failed(NAMING))
        };
        if self.access == Access::Write && was_copied()? {
            self.notices.push("this clone is a copy; its next write creates a new replica id".to_owned());
        }
        if !self.projection.index.set_own(self.replica).map_err(index_error)? {
            // Another process may have named this clone a moment ago.
            self.replica = replica::read(&*self.projection.disk, &self.projection.home)
                .map_err(Error::failed(NAMING))?;
            if !self.projection.index.set_own(self.replica).map_err(index_error)? {
                self.reset_index()?;
            }
        }
        if self.access == Access::Write {
            self.mended = !self.has_stopped();
            if !self.mended {
                self.projection.index.distrust_latest_files().map_err(index_error)?;
            }
            self.leave_lost_journal()?;
            self.try_to(Store::bring_sandbox_home);
            self.try_to(Store::bring_overlays_home);
            self.try_to(Store::heal);
        }
        if self.projection.index.was_damaged() {
            self.notices.push("the index was damaged and has been rebuilt".to_owned());
        }
        self.catch_up(false)?;
        self.settle_index()?;
        if self.access == Access::Write {
            self.try_to(Store::mend_torn);
            self.try_to(Store::heal_after_power_loss);
        }
        self.tell_absent()
    }

    /// Attempts what can be made up for later. A full disk is no reason not to read.
    pub(crate) fn try_to(&mut self, step: fn(&mut Store) -> Result<()>) {
        if let Err(error) = step(self) {
            let notice = format!("{error}; nothing was lost, the next command retries");
            if !self.notices.contains(&notice) {
                self.notices.push(notice);
            }
        }
    }

    /// Throws the index away and starts an empty one.
    fn reset_index(&mut self) -> Result<()> {
        // Let go of the old one first: somebody may hold the lock below and wait for it.
        self.projection.index = Catalogue::in_memory().map_err(index_error)?;
        self.index_held = None;
        if let Some(folder) = &self.index_folder {
            (self.projection.index, self.index_held) =
                open_index(&*self.projection.disk, folder, true).map_err(index_error)?;
        }
        self.projection.index.set_own(self.replica).map_err(index_error)?;
        Ok(())
    }

    /// Finishes making the index, and lets others open it.
    pub(crate) fn settle_index(&mut self) -> Result<()> {
        self.projection.index.settle().map_err(index_error)?;
        self.index_held = None;
        Ok(())
    }

    /// Where everything lies.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The repository around the store.
    pub fn git(&self) -> Option<&Git> {
        self.layout.git.as_ref()
    }

    pub(crate) fn index(&self) -> &Catalogue {
        &self.projection.index
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Where this clone keeps what is its own.
    pub(crate) fn home(&self) -> &Path {
        &self.projection.home
    }

    pub(crate) fn disk(&self) -> &Arc<dyn Disk> {
        &self.projection.disk
    }

    pub(crate) fn journals(&self) -> &[Journal] {
        &self.projection.journals
    }

    /// Every row of the projection in a stable order: two stores with the same dump answer the same.
    pub fn dump(&self) -> Result<Vec<String>> {
        self.projection.index.dump().map_err(index_error)
    }

    /// The rows that events alone make, without where they lie: every log that holds the same events has the same.
    pub fn dump_projection(&self) -> Result<Vec<String>> {
        Index::dump(&self.projection.index).map_err(index_error)
    }

    /// This clone's name, if it has written before.
    pub fn own(&self) -> Option<ReplicaId> {
        self.replica
    }

    pub(crate) fn origin(&self) -> Origin {
        let git = self.layout.git.as_ref();
        Origin {
            branch: git.map(Git::branch).unwrap_or_default(),
            tree: git.map(Git::tree_name).unwrap_or_default(),
            boot: self.projection.disk.boot(),
            continues: None,
        }
    }

    /// STO-2: a journal that a sandbox kept beside the ledger moves home.
    fn bring_sandbox_home(&mut self) -> Result<()> {
        let doing = "moving a sandbox's journal to the git folder";
        if self.layout.git.is_none()
            || self.projection.journals.len() < 2
            || self.projection.home != self.layout.clone_home()
        {
            return Ok(());
        }
        let sandbox = self.projection.journals[1].clone();
        if sandbox.segments().map_err(Error::failed(doing))?.is_empty() {
            return Ok(());
        }
        let events = self.projection.journals[0].take_over(&sandbox).map_err(Error::failed(doing))?;
        self.notices
            .push(format!("moved {} that a sandbox had kept in .kenning/.local", events_word(events)));
        self.reset_index()
    }

    /// The same for the overlays that a sandbox kept.
    fn bring_overlays_home(&mut self) -> Result<()> {
        if self.layout.git.is_none() || self.projection.home != self.layout.clone_home() {
            return Ok(());
        }
        let sandbox = self.layout.sandbox_home();
        let doing = "moving a sandbox's overlays to the git folder";
        self.projection.overlays.take_over(&sandbox).map(drop).map_err(Error::failed(doing))
    }

    pub(crate) fn take(&mut self, news: IndexUpdate) -> Result<()> {
        let reader = self.reader();
        self.projection.index.take(news, &reader).map_err(index_error)?;
        // It is whole after its first news.
        self.index_held = None;
        Ok(())
    }

    /// Catches up with what other processes, git and people did to the journal and the tree. `all` looks at every file.
    pub(crate) fn catch_up(&mut self, all: bool) -> Result<()> {
        self.notice_changed_journal()?;
        let anew = self.catch_up_once(all)?;
        // A writer whose frame was read just now, and whose ledger line was not there yet, tells the index that was thrown away.
        if anew && self.access == Access::Write && self.index_folder.is_some() {
            let _held = self.lock_tree()?;
            self.catch_up_once(true)?;
        }
        Ok(())
    }

    /// Whether somebody in this worktree wrote to the journal a moment ago and has yet to tell the index: nothing of that is acknowledged,
    /// and who is at it needs no help.
    pub(crate) fn is_being_told(&self) -> Result<bool> {
        let (from, _) = self.projection.index.journal_end(0).map_err(index_error)?;
        let journal = &self.projection.journals[0];
        if !journal.has_more(from) {
            return Ok(false);
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let age = journal.changed_behind(from).map(|at| i64::try_from(now).unwrap_or(i64::MAX) - at);
        if age.is_none_or(|age| age > TOLD_WITHIN_NANOS) && !self.is_tree_held() {
            return Ok(false);
        }
        journal.is_all_from(from, &self.origin().tree).map_err(Error::failed("reading the journal"))
    }

    /// Does something that writes, when no other handle of this process does.
    pub(crate) fn in_turn<T>(&mut self, work: impl FnOnce(&mut Store) -> T) -> T {
        if self.has_turn {
            return work(self);
        }
        let shared = self.projection.shared.clone();
        let _turn = shared.turn();
        self.has_turn = true;
        let done = work(self);
        self.has_turn = false;
        done
    }

    /// The same, unless another handle of this process is writing.
    fn in_turn_if_free<T>(&mut self, work: impl FnOnce(&mut Store) -> T) -> Option<T> {
        if self.has_turn {
            return Some(work(self));
        }
        let shared = self.projection.shared.clone();
        let _turn = shared.turn_if_free()?;
        self.has_turn = true;
        let done = work(self);
        self.has_turn = false;
        Some(done)
    }

    /// What this handle shares with the others of this process.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.projection.shared
    }

    fn has_git_moved(&self) -> Result<bool> {
        let git = self.git_looks();
        Ok(git.is_none() || self.projection.index.meta("git").map_err(index_error)? != git)
    }

    /// Whether somebody who lives is writing ledger files, before they tell the index.
    fn is_tree_held(&self) -> bool {
        let file = std::fs::File::open(self.tree_home.join("tree.lock"));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Whether a journal has what the index was not told.
    fn has_news(&self) -> Result<bool> {
        for (number, journal) in self.projection.journals.iter().enumerate() {
            let (from, _) = self.projection.index.journal_end(number as i64).map_err(index_error)?;
            if journal.has_more(from) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether nobody writes the index right now.
    pub(crate) fn is_free(&mut self) -> Result<bool> {
        Ok(self.access == Access::Read || self.projection.index.is_free().map_err(index_error)?)
    }

    /// If the journal ends before what was read of it, this clone takes another name: numbers that were given once are never given again
    /// (STO-4). How far it was read and written out is forgotten.
    fn leave_lost_journal(&mut self) -> Result<()> {
        if self.access != Access::Write {
            return Ok(());
        }
        let journal = &self.projection.journals[0];
        let (told, generation) = self.projection.index.journal_end(0).map_err(index_error)?;
        let is_lost = || {
            (generation == journal.generation() && journal.ends_before(told))
                || self.written_out().is_some_and(|done| journal.ends_before(done))
        };
        if !is_lost() {
            return Ok(());
        }
        // A clean-up moves frames, and then what is remembered of them: nobody looks in between.
        let held = journal.lock().map_err(Error::failed("locking the journal"))?;
        let Some(name) = replica::choose_again(&*self.projection.disk, &self.projection.home, is_lost)
            .map_err(Error::failed(NAMING))?
        else {
            return Ok(());
        };
        let doing = "starting a new journal";
        for home in self.tree_homes() {
            self.projection.disk.remove(&home.join("mark")).map_err(Error::failed(doing))?;
        }
        journal.begin_generation_after(generation).map_err(Error::failed(doing))?;
        // Whoever makes an index reads the journal: nobody waits for both.
        drop(held);
        self.replica = Some(name);
        self.notices.push(
            "this clone's journal was deleted, cut or replaced by an older copy; events that only it had are lost, and this clone has a new replica id"
                .to_owned(),
        );
        self.reset_index()
    }

    /// Bytes that the index has read may have changed: it is made anew.
    fn notice_changed_journal(&mut self) -> Result<()> {
        self.leave_lost_journal()?;
        for (number, journal) in self.projection.journals.iter().enumerate() {
            let (_, generation) = self.projection.index.journal_end(number as i64).map_err(index_error)?;
            if generation != journal.generation()
                && self.projection.index.meta(&format!("journal.{number}")).map_err(index_error)?.is_some()
            {
                // Whoever found that the journal was lost has given this clone another name.
                self.replica = replica::read(&*self.projection.disk, &self.projection.home)
                    .map_err(Error::failed(NAMING))?;
                self.reset_index()?;
                // Whoever purged may have said which secret it was.
                self.learn_purged();
                break;
            }
        }
        Ok(())
    }

    /// What was purged from this clone is a secret for this process, too.
    fn learn_purged(&self) {
        let homes = [self.layout.clone_home(), self.layout.sandbox_home()];
        let homes = homes.iter().take(1 + usize::from(homes[0] != homes[1]));
        learn_purged(homes.flat_map(|home| purged::read(&*self.projection.disk, home)).collect());
    }

    /// The same, once, with the index there is; whether it was being made. Whoever calls it may hold the tree.
    pub(crate) fn catch_up_once(&mut self, all: bool) -> Result<bool> {
        self.catch_up_with(all, Wait::Yes)
    }

    fn catch_up_with(&mut self, all: bool, wait: Wait) -> Result<bool> {
        let anew = self.projection.index.is_fresh();
        // Whoever does not wait does not read everything either, only to find that somebody else is writing it.
        if wait == Wait::No && !anew && self.has_news()? && !self.is_free()? {
            return Ok(false);
        }
        self.read_overlays();
        // Git was at work, or nobody can tell: folders that looked settled a moment after a change are looked at again.
        let git = self.git_looks();
        let git_moved = git.is_none() || self.projection.index.meta("git").map_err(index_error)? != git;
        // Between two looks of this process.
        let begun = Instant::now();
        // Lines before this were in their files before anybody looks at those here.
        self.pending_from = self.written_out();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let changes = self
            .tree
            .changes(&self.projection.index, all, git_moved, i64::try_from(now).unwrap_or(i64::MAX))
            .map_err(index_error)?;
        self.notices.extend(changes.notices.iter().cloned());
        if self.access == Access::Write {
            changes.left_over.iter().for_each(|path| drop(self.projection.disk.remove(path)));
        }
        let mut news = IndexUpdate { git: git.filter(|_| git_moved), ..IndexUpdate::default() };
        for (number, journal) in self.projection.journals.iter().enumerate() {
            let (from, _) = self.projection.index.journal_end(number as i64).map_err(index_error)?;
            if !journal.has_more(from) {
                continue;
            }
            if number == 0
                && self.access == Access::Write
                && let Err(error) = journal.settle()
            {
                self.notices.push(format!("the journal could not be synced: {error}"));
            }
            let (frames, damage) = journal.read(from).map_err(Error::failed("reading the journal"))?;
            if let Some(first) = damage.first() {
                self.notices.push(format!(
                    "the journal is damaged at segment {} byte {}: {}",
                    first.at.segment, first.at.offset, first.problem
                ));
            }
            if let Some(last) = frames.last() {
                news.journal_ends.push((number as i64, last.end, journal.generation()));
            }
            news.frames.extend(frames.into_iter().map(|frame| (number as i64, frame)));
        }
        let mut changes = changes;
        // Whoever looks at every file anyway need not look at these twice.
        let frames = if all { &[][..] } else { &news.frames[..] };
        let touched: BTreeSet<&str> = frames
            .iter()
            .flat_map(|(_, frame)| &frame.records)
            .map(|record| record.file.as_str())
            .filter(|file| !file.is_empty())
            .collect();
        for (path, looks) in self.tree.touched(&touched, &self.projection.index).map_err(index_error)? {
            if !changes.changed.iter().any(|(known, _)| *known == path) {
                changes.changed.push((path, looks));
            }
        }
        if changes.is_empty() && news.frames.is_empty() && news.git.is_none() {
            self.projection.shared.looked(begun);
            return Ok(anew);
        }
        let written =
            changes.changed.len() + news.frames.iter().map(|(_, frame)| frame.records.len()).sum::<usize>();
        news.files = Some(self.tree.read_all(changes.changed));
        news.gone = changes.gone;
        news.folders = changes.folders;
        news.folders_gone = changes.folders_gone;
        match wait {
            Wait::Yes => self.take(news)?,
            Wait::No => {
                let reader = self.reader();
                self.projection.index.take_if_free(news, &reader).map_err(index_error)?;
            }
        }
        self.tidy_index(written);
        Ok(anew)
    }

    /// Catches up with what was laid over entries. What cannot be read hides nothing, and is said.
    fn read_overlays(&mut self) {
        let told = match self.projection.overlays.refresh() {
            Ok(()) if self.projection.overlays.odd_lines == 0 => return,
            Ok(()) => format!(
                "{} of this clone's overlays.jsonl cannot be read by this version and are ignored",
                lines_word(self.projection.overlays.odd_lines)
            ),
            Err(error) => {
                format!("this clone's overlays cannot be read: {error}; nothing is pinned or muted")
            }
        };
        if !self.notices.contains(&told) {
            self.notices.push(told);
        }
    }

    /// Keeps the index's write-ahead file small, after so many events or vectors were written.
    fn tidy_index(&self, written: usize) {
        if let (Access::Write, Some(folder)) = (self.access, &self.index_folder) {
            self.projection.index.tidy(&folder.join("knowledge.db-wal"), written);
        }
    }

    /// How git looks, if there is one: when it has been at work, it looks different.
    fn git_looks(&self) -> Option<String> {
        let git = self.layout.git.as_ref()?;
        let file = |name: &str| {
            let looks = self.projection.disk.looks(&git.git_dir.join(name));
            looks.map(|looks| (looks.mtime, looks.size, looks.inode)).ok()
        };
        Some(format!("{:?} {:?}", file("index"), file("HEAD")))
    }

    pub(crate) fn reader(&self) -> Reader {
        self.projection.reader()
    }
}

/// Opens the index in a folder, or makes it anew. Under a lock: between two deleted files of an old index nobody may begin a new one.
///
/// One that is being made keeps the lock until it is whole: SQLite finds its write-ahead file by name, and two indexes under one name
/// would share it.
fn open_index(
    disk: &dyn Disk,
    folder: &Path,
    anew: bool,
) -> rusqlite::Result<(Catalogue, Option<Box<dyn Send>>)> {
    // Without the lock it is as good as it can be: an index is disposable.
    let held = disk.lock(&folder.with_file_name("index.lock")).ok();
    if anew {
        ken_index::Index::discard(folder);
    }
    let index = Catalogue::open(folder)?;
    let held = held.filter(|_| index.is_fresh());
    Ok((index, held))
}

/// What is attempted when it is found out which clone this is.
const NAMING: &str = "reading this clone's replica id";

/// Whether somebody said a text in an event: in a value that is no word of the format itself.
pub(crate) fn says(data: &Value, text: &str) -> bool {
    match data {
        Value::String(said) => said.contains(text) && !ken_core::schema::is_word_of_the_format(said),
        Value::Array(members) => members.iter().any(|member| says(member, text)),
        Value::Object(members) => members.values().any(|member| says(member, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// `1 event`, `2 events`.
pub(crate) fn events_word(count: usize) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}

/// `1 line`, `2 lines`.
fn lines_word(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}

/// Reads the events whose places the index knows.
pub(crate) struct Reader {
    disk: Arc<dyn Disk>,
    store: PathBuf,
    journals: Vec<Journal>,
    frames: RefCell<Frames>,
}

/// Frames that were read, with their lines by hash: who asks for one event of a large write often asks for the next.
#[derive(Default)]
struct Frames {
    read: BTreeMap<(i64, Position), HashMap<EventHash, String>>,
    bytes: u64,
}

impl Frames {
    fn line(
        &mut self,
        reader: &Reader,
        journal: i64,
        start: Position,
        length: u64,
        wanted: &EventHash,
    ) -> Option<Line> {
        if !self.read.contains_key(&(journal, start)) {
            let records =
                reader.journals.get(usize::try_from(journal).ok()?)?.read_frame(start, length).ok()?;
            if self.bytes + length > FRAMES_BYTES_MAX {
                *self = Frames::default();
            }
            self.bytes += length;
            let by_hash = records.into_iter().filter_map(|record| Some((record.stated_hash()?, record.text)));
            self.read.insert((journal, start), by_hash.collect());
        }
        read_line(self.read.get(&(journal, start))?.get(wanted)?).ok()
    }
}

impl Lines for Reader {
    fn line_of_file(&self, path: &str, at: u64, length: u64) -> Option<Line> {
        let bytes = self.disk.read_exact(&self.store.join(path), at, length).ok()?;
        read_line(std::str::from_utf8(&bytes).ok()?).ok()
    }

    fn lines_of_frame(&self, journal: i64, start: Position, length: u64) -> Vec<Line> {
        let Some(journal) = usize::try_from(journal).ok().and_then(|number| self.journals.get(number)) else {
            return Vec::new();
        };
        let records = journal.read_frame(start, length).unwrap_or_default();
        records.into_iter().filter_map(|record| record.line().ok()).collect()
    }

    fn event_of_frame(
        &self,
        journal: i64,
        start: Position,
        length: u64,
        wanted: &EventHash,
    ) -> Option<Event> {
        match self.frames.borrow_mut().line(self, journal, start, length, wanted)? {
            Line::Event(event) if event.hash == *wanted => Some(*event),
            Line::Event(_) | Line::Stub(_) => None,
        }
    }
}

/// A store is read through its projection.
impl Deref for Store {
    type Target = Projected<GitBase>;

    fn deref(&self) -> &Self::Target {
        &self.projection
    }
}

impl Ledger for Store {
    fn projection(&self) -> &(dyn Projection + 'static) {
        &self.projection
    }

    fn replica(&mut self) -> Result<ReplicaId> {
        self.may_write()?;
        if let Some(replica) = self.replica {
            return Ok(replica);
        }
        let replica = replica::read_or_choose(&*self.projection.disk, &self.projection.home)
            .map_err(Error::failed("choosing this clone's replica id"))?;
        self.replica = Some(replica);
        if !self.projection.index.set_own(Some(replica)).map_err(index_error)? {
            self.rebuild()?;
        }
        Ok(replica)
    }

    fn append_on(&mut self, read: &ReadSet, intents: Vec<Intent>, writer: &Writer) -> Result<Vec<Event>> {
        Ok(self.append_if(read, intents, writer)?.events)
    }

    fn hold(&mut self, key: EntryKey, held: &Value) -> Result<()> {
        self.may_write()?;
        let text = serde_json::to_string_pretty(held).map_err(Error::failed("writing to the quarantine"))?;
        self.projection
            .disk
            .replace_synced(&self.projection.quarantine(key), text.as_bytes())
            .map_err(Error::failed("writing to the quarantine; nothing was written"))
    }

    fn let_go(&mut self, key: EntryKey) -> Result<()> {
        match self.projection.disk.remove(&self.projection.quarantine(key)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::failed("removing an item from the quarantine")(error))
            }
            _ => Ok(()),
        }
    }

    fn lay(&mut self, event: OverlayEvent) -> Result<bool> {
        self.may_write()?;
        let doing = "writing to this clone's overlays; nothing was changed";
        self.projection.overlays.lay(&event).map_err(Error::failed(doing))
    }

    fn mend(&mut self, found: Result<()>) -> Result<bool> {
        match found {
            // A damaged index shows itself when it is asked; it is made anew, once, and said so.
            Err(Error::Damaged(Part::Index, _)) => {
                self.rebuild()?;
                self.notices.push("the search index was damaged and has been rebuilt".to_owned());
                if let Some((model, mut vectors)) = self.projection.vectors.take() {
                    self.projection.index.use_vectors(&model, &mut vectors).map_err(index_error)?;
                    self.projection.vectors = Some((model, vectors));
                }
                Ok(true)
            }
            Err(error) => Err(error),
            Ok(()) if self.projection.vectors.as_ref().is_some_and(|(_, vectors)| vectors.take_damage()) => {
                let damaged = self.check_vectors()?;
                // Another process may just have written them.
                if damaged > 0 {
                    self.notice(format!(
                        "{damaged} embeddings are damaged and not used; `ken embed` recomputes them"
                    ));
                    self.projection.note_taken_out(damaged);
                }
                Ok(true)
            }
            Ok(()) => Ok(false),
        }
    }
}

impl Store {
    /// A branch from before the store, or a reset to there, lacks the files that make a folder a store: the first write brings them.
    pub(crate) fn complete_the_store(&mut self) -> Result<()> {
        if self.layout.git.is_none() || self.projection.disk.looks(&self.layout.store.join("VERSION")).is_ok()
        {
            return Ok(());
        }
        for (name, text) in crate::set_up::files() {
            let path = self.layout.store.join(name);
            if self.projection.disk.looks(&path).is_err() {
                self.projection
                    .disk
                    .replace_synced(&path, text.as_bytes())
                    .map_err(Error::failed(format!("making .kenning/{name}")))?;
            }
        }
        Ok(())
    }

    /// Ledger files and index follow an acknowledged write.
    pub(crate) fn follow(&mut self, events: &[Event]) -> Result<()> {
        self.write_out(events.to_vec())?;
        self.catch_up_journal()?;
        self.tidy_index(events.len());
        // A purge takes its own bytes out, from the journal too, and says from where.
        if events.iter().any(|event| event.type_name == "entry.purged") {
            return Ok(());
        }
        self.stub_what_came_back()
    }

    /// Takes in frames of the journal alone: what other processes wrote while this one was at work.
    fn catch_up_journal(&mut self) -> Result<()> {
        let (from, _) = self.projection.index.journal_end(0).map_err(index_error)?;
        if !self.projection.journals[0].has_more(from) {
            return Ok(());
        }
        self.projection.journals[0].settle().map_err(Error::failed("syncing the journal"))?;
        let (frames, _) =
            self.projection.journals[0].read(from).map_err(Error::failed("reading the journal"))?;
        let Some(end) = frames.last().map(|frame| frame.end) else { return Ok(()) };
        let generation = self.projection.journals[0].generation();
        let frames = frames.into_iter().map(|frame| (0, frame)).collect();
        self.take(IndexUpdate { frames, journal_ends: vec![(0, end, generation)], ..IndexUpdate::default() })
    }
}

impl Store {
    /// Brings INDEX.md in step, if this is a moment at which it is written (COR-16).
    fn index_page(&mut self, moment: IndexPageMoment, now: Millis) -> Result<()> {
        let (disk, store) = (&*self.projection.disk, &self.layout.store);
        let is_own = self.owns_index_page();
        if !is_own && moment == IndexPageMoment::Reading {
            return Ok(());
        }
        let date = now.date();
        // A page that is tracked does not change because a day began.
        let as_of = if is_own {
            format!("{date} {}", self.projection.overlays.folded().mark())
        } else {
            String::new()
        };
        if index_page::is_in_step(disk, store, &self.projection.index, &as_of)
            .map_err(Error::failed("writing INDEX.md"))?
        {
            return Ok(());
        }
        // Whoever only reads waits for nobody who writes; the next one makes it.
        if moment == IndexPageMoment::Reading && !self.projection.index.is_free().map_err(index_error)? {
            return Ok(());
        }
        let (disk, store) = (&*self.projection.disk, &self.layout.store);
        let query = Query {
            memories: vec![Memory::Semantic, Memory::Procedural],
            threads: Threads::SeenFrom(None),
            this_branch: true,
            overlaid: if is_own { Overlaid::Visible } else { Overlaid::Any },
            limit: INDEX_LINES_MAX,
            ..Query::default()
        };
        let mut page = self.projection.list(&query)?;
        for stored in &mut page.entries {
            if let Some(checkout) = &mut stored.checkout {
                checkout.file = self.projection.index.file_of(stored.entry.key).map_err(index_error)?;
            }
        }
        let text = index_page::text(&page.entries, page.total, &date);
        index_page::write(disk, store, &self.projection.index, &text, &as_of)
            .map_err(Error::failed("writing INDEX.md"))
    }
}

/// STO-10: what this version makes of the store's version.
fn check_version(disk: &dyn Disk, layout: &Layout) -> Result<Option<Refusal>> {
    const VERSION_BYTES_MAX: u64 = 64;
    let path = layout.store.join("VERSION");
    let failed = || Error::failed("reading .kenning/VERSION");
    let looks = match disk.looks(&path) {
        Ok(looks) => looks,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed()(error)),
    };
    if !looks.is_file || looks.size > VERSION_BYTES_MAX {
        return Err(Refusal::new(
            Code::Version,
            format!(".kenning/VERSION does not contain a version like {STORE_VERSION}"),
        )
        .hint("restore it with git: git checkout -- .kenning/VERSION")
        .into());
    }
    let bytes = disk.read(&path, 0).map_err(failed())?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    let numbers: Vec<Option<u64>> = text.split('.').map(|word| word.parse().ok()).collect();
    let major = match numbers.as_slice() {
        [Some(major), Some(_), Some(_)] if *major > 0 => Some(*major),
        _ => None,
    };
    let ours: u64 = STORE_VERSION.split('.').next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let newer = |message: String| {
        Refusal::new(Code::Version, message).hint("install a newer ken; the store was not changed")
    };
    match major {
        None => Err(Refusal::new(
            Code::Version,
            format!(".kenning/VERSION contains {text:?}, expected a version like {STORE_VERSION}"),
        )
        .hint("restore it with git: git checkout -- .kenning/VERSION")
        .into()),
        Some(major) if major <= ours => Ok(None),
        Some(major) => {
            let readable = disk.looks(&layout.store.join("semantic/v1")).is_ok()
                || disk.looks(&layout.store.join("procedural/v1")).is_ok();
            if readable {
                return Ok(Some(newer(format!(
                    "the store was migrated to version {major}; this ken supports version {ours} and opens it read-only"
                ))));
            }
            Err(newer(format!("the store has version {major}; this ken supports only version {ours}")).into())
        }
    }
}
