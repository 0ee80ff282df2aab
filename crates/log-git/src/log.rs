//! The git log: journal, ledger files and the catalogue of where everything lies, as an [`EventLog`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Instant;

use ken_core::event::Line;
use ken_core::{EventHash, ReplicaId};
use ken_engine::intake::learn_purged;
use ken_engine::{
    Access, AppendError, Appended, Arrival, Bytes, CloneState, Cursor, Error, EventLog, JudgementStore,
    Ledger, LoggedBatch, ReadSet, Received, RecordKind, Result, Sealer,
};
use ken_guard::known::KnownValue;
use ken_index::judgements::JudgementFile;
use ken_index::{Caches, index_error};

use crate::append::{Queue, append_waiting};
use crate::catalogue::Catalogue;
use crate::home::{Home, OpenOptions};
use crate::layout::Layout;
use crate::limits::FOLDERS_LOOKED_NANOS;
use crate::snapshot::GitSnapshot;
use crate::state::FileState;
use crate::work::Work;
use crate::{follow, opening, purge, receive, replica, timeline, write_out};

/// What is attempted when it is found out which clone this is.
pub(crate) const NAMING: &str = "reading this clone's replica id";

/// What a thread that panicked left behind is whole: each of these is replaced at once.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The log of one worktree, for all calls of a process. Any number of processes may have one on the same folder.
pub struct GitLog {
    pub(crate) home: Home,
    pub(crate) state: Arc<FileState>,
    /// Who holds it has the turn to write journal, ledger files or index: SQLite has those who wait sleep, and forgets who came first.
    /// In it is a connection to the index, where one is at hand.
    turn: Mutex<Option<Catalogue>>,
    pub(crate) queue: Queue,
    clone: Mutex<CloneFacts>,
    pub(crate) caches: Caches,
    judgements: Arc<JudgementFile>,
}

/// What is known of the clone and its worktree.
#[derive(Default)]
struct CloneFacts {
    /// Its name, if it has written before.
    replica: Option<ReplicaId>,
    /// Whether what the machine lost when it last stopped is known to be back in the tree.
    is_mended: bool,
    /// When somebody last looked at the folders of the ledger and found nothing new.
    looked: Option<Instant>,
    notices: Vec<String>,
}

impl GitLog {
    /// The log of a store. No index is opened yet.
    pub fn open(layout: Layout, options: OpenOptions) -> Result<Arc<GitLog>> {
        let state = FileState::with(layout.clone(), options.disk.clone());
        let home = Home::find(layout, options)?;
        let judgements = JudgementFile::new(home.tree_home.join("judgements"), home.access);
        let log = GitLog {
            home,
            judgements: Arc::new(judgements),
            state: Arc::new(state),
            turn: Mutex::default(),
            queue: Queue::default(),
            clone: Mutex::default(),
            caches: Caches::default(),
        };
        log.read_replica()?;
        Ok(Arc::new(log))
    }

    /// The log as one call sees it: what a crash left is healed, and what happened outside is taken in.
    pub fn snapshot(self: &Arc<Self>) -> Result<GitSnapshot> {
        GitSnapshot::open(self.clone())
    }

    /// The same with the way to write to it.
    pub fn ledger(self: &Arc<Self>) -> Result<Ledger> {
        Ok(Ledger::new(self.clone(), Box::new(self.snapshot()?), self.state.clone()))
    }

    /// The small state of the clone.
    pub fn state(&self) -> Arc<dyn CloneState> {
        self.state.clone()
    }

    /// What was found out about code in this worktree.
    pub fn judgements(&self) -> Arc<dyn JudgementStore> {
        self.judgements.clone()
    }

    /// Where everything lies.
    pub fn layout(&self) -> &Layout {
        &self.home.layout
    }

    /// This clone's name, if it has written before.
    pub fn replica(&self) -> Option<ReplicaId> {
        locked(&self.clone).replica
    }

    pub(crate) fn set_replica(&self, replica: Option<ReplicaId>) {
        locked(&self.clone).replica = replica;
    }

    /// Reads the name again: another process may have given it.
    pub(crate) fn read_replica(&self) -> Result<()> {
        let read = replica::read(&*self.home.disk, &self.home.own).map_err(Error::failed(NAMING))?;
        self.set_replica(read);
        Ok(())
    }

    /// This clone's name, chosen now if it has none. An index that was made without it is made anew.
    pub(crate) fn name_replica(&self, index: &mut Catalogue) -> Result<ReplicaId> {
        self.home.may_write()?;
        if let Some(replica) = self.replica() {
            return Ok(replica);
        }
        let replica = replica::read_or_choose(&*self.home.disk, &self.home.own)
            .map_err(Error::failed("choosing this clone's replica id"))?;
        self.set_replica(Some(replica));
        if !index.set_own(Some(replica)).map_err(index_error)? {
            opening::rebuild(&mut Work { log: self, index })?;
        }
        Ok(replica)
    }

    pub(crate) fn is_mended(&self) -> bool {
        locked(&self.clone).is_mended
    }

    pub(crate) fn set_mended(&self, is_mended: bool) {
        locked(&self.clone).is_mended = is_mended;
    }

    /// Whether the folders of the ledger were looked at a moment ago, and nothing new was found.
    pub(crate) fn looked_of_late(&self) -> bool {
        locked(&self.clone).looked.is_some_and(|at| at.elapsed().as_nanos() < FOLDERS_LOOKED_NANOS)
    }

    /// The folders of the ledger were looked at, and nothing new was found.
    pub(crate) fn looked(&self, at: Instant) {
        locked(&self.clone).looked = Some(at);
    }

    /// Tells whoever calls next something, once.
    pub(crate) fn notice(&self, text: String) {
        let mut clone = locked(&self.clone);
        if !clone.notices.contains(&text) {
            clone.notices.push(text);
        }
    }

    pub(crate) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut locked(&self.clone).notices)
    }

    /// What was purged from this clone is a secret for this process, too.
    pub(crate) fn learn_purged(&self) {
        let state: &dyn CloneState = &*self.state;
        let known: Vec<KnownValue> = state.items(&RecordKind::PurgedTexts.record()).unwrap_or_default();
        learn_purged(known);
    }

    /// Events written on this branch, in this worktree, that its ledger files no longer hold.
    pub fn lost_here(&self) -> Result<Vec<EventHash>> {
        self.in_turn(|work| {
            follow::catch_up(work, false)?;
            write_out::lost_here(work.look())
        })
    }

    /// Writes events of the journal into this tree's ledger files, and says how many.
    pub fn put_back(&self, hashes: &[EventHash]) -> Result<usize> {
        self.in_turn(|work| {
            follow::catch_up(work, false)?;
            write_out::put_back(work, hashes)
        })
    }

    /// The turn to write, as soon as nobody else of this process has it.
    pub(crate) fn turn(&self) -> MutexGuard<'_, Option<Catalogue>> {
        locked(&self.turn)
    }

    /// The same, unless somebody else has it.
    pub(crate) fn turn_if_free(&self) -> Option<MutexGuard<'_, Option<Catalogue>>> {
        match self.turn.try_lock() {
            Ok(turn) => Some(turn),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Does something in turn, through the connection at hand or one of its own.
    fn in_turn<T>(&self, work: impl FnOnce(&mut Work<'_>) -> Result<T>) -> Result<T> {
        let mut turn = self.turn();
        self.work_in(&mut turn, work)
    }

    fn work_in<T>(
        &self,
        turn: &mut Option<Catalogue>,
        work: impl FnOnce(&mut Work<'_>) -> Result<T>,
    ) -> Result<T> {
        let index = match turn {
            Some(index) => index,
            None => turn.insert(self.open_index()?),
        };
        let mut at = Work { log: self, index };
        opening::notice_changed_journal(&mut at)?;
        if at.index.is_fresh() {
            follow::catch_up(&mut at, true)?;
            at.index.settle().map_err(index_error)?;
        }
        work(&mut at)
    }

    /// A connection to the index of the worktree, before anything is told to it.
    pub(crate) fn open_index(&self) -> Result<Catalogue> {
        let opened = match (&self.home.index_folder, self.home.access) {
            (Some(folder), Access::Write) => Catalogue::open(&*self.home.disk, folder, false).ok(),
            (Some(folder), Access::Read) => Catalogue::copied(folder).ok(),
            (None, _) => None,
        };
        let mut index = match opened {
            Some(index) => index,
            None => Catalogue::in_memory().map_err(index_error)?,
        };
        if !index.set_own(self.replica()).map_err(index_error)? {
            // Another process may have named this clone a moment ago.
            self.read_replica()?;
            if !index.set_own(self.replica()).map_err(index_error)? {
                opening::reset_index(&mut Work { log: self, index: &mut index })?;
            }
        }
        Ok(index)
    }
}

impl EventLog for GitLog {
    /// What git or an editor changed in the tree since the index last looked is not compared with what was read: they take no lock.
    fn append(&self, read: &ReadSet, seal: Sealer) -> std::result::Result<Appended, AppendError> {
        self.home.may_write()?;
        let slot = self.queue.wait(read.clone(), seal);
        let mut turn = self.turn();
        // What a group leaves for later comes first in the next one.
        let (written, notices) = loop {
            if let Some(outcome) = slot.outcome() {
                break outcome;
            }
            let written = self.work_in(&mut turn, |work| {
                append_waiting(work);
                Ok(())
            });
            if let Err(error) = written {
                self.queue.fail(&error);
            }
        };
        Ok(Appended { events: written?, notices })
    }

    /// Lines that git brought are told when the index of this worktree notices them, and again by one that was made anew. A journal that a
    /// sandbox keeps is told when it moves home.
    fn since(&self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>> {
        self.in_turn(|work| timeline::since(work, at, limit))
    }

    fn event(&self, hash: &EventHash) -> Result<Option<Line>> {
        self.in_turn(|work| {
            follow::catch_up(work, false)?;
            timeline::line(work.look(), hash)
        })
    }

    /// What comes out of a branch or a commit goes to the ledger files alone, whose history keeps it. Everything else goes to the journal
    /// first, as one frame; except lines that claim to be this clone's own, since what its journal has is trusted as that.
    fn receive(&self, lines: Vec<Line>, from: Arrival) -> Result<Received> {
        self.in_turn(|work| receive::receive(work, lines, from))
    }

    fn erase(&self, hashes: &[EventHash]) -> Result<Vec<String>> {
        self.in_turn(|work| purge::erase(work, hashes))
    }
}
