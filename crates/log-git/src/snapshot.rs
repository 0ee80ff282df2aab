//! The git log as one call sees it.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use ken_core::belief::{self, Belief};
use ken_core::event::Line;
use ken_core::{EntryKey, Event, EventHash, Millis, ReplicaId};
use ken_engine::overlays::overlays;
use ken_engine::{
    Access, Between, Error, GitHistory, IndexPageMoment, LedgerAt, Mirrored, ModelCard, Part, Problem,
    Projection, Recovered, Report, Result, Rows, Snapshot, Vectors,
};
use ken_index::past::{Purpose, cut};
use ken_index::{Base, Index, Projected, index_error};

use crate::base::GitBase;
use crate::catalogue::Catalogue;
use crate::follow::Wait;
use crate::limits::PASSED_OVER_NANOS_MAX;
use crate::log::GitLog;
use crate::work::Work;
use crate::{
    flush, follow, index_page, opening, purge, quick_check, recover, timeline, tree_view, trees, verify,
};

/// A projection of the git log, with a connection of its own to the index.
pub struct GitSnapshot {
    pub(crate) projection: Projected<GitBase>,
    /// Since when it has left the index to somebody who was writing.
    passed_over_since: Option<Instant>,
    /// Which of the indexes that were opened one after the other knows the vectors in use.
    vectors_known: u64,
}

impl GitSnapshot {
    pub(crate) fn open(log: Arc<GitLog>) -> Result<GitSnapshot> {
        let index = log.open_index()?;
        let projection = Projected::new(GitBase::new(log, index));
        let mut snapshot = GitSnapshot { projection, passed_over_since: None, vectors_known: 0 };
        match opening::start(&mut snapshot.projection.work()) {
            Ok(()) => {}
            // A full disk must not keep anybody from reading: the index can as well be in memory.
            Err(Error::Full(_)) if snapshot.projection.catalogue().is_on_disk() => {
                snapshot.projection.log.take_notices();
                snapshot.notice("the disk is full; this command uses an in-memory index");
                let index = Catalogue::in_memory().map_err(index_error)?;
                snapshot.projection.replace_index(index);
                opening::start(&mut snapshot.projection.work())?;
            }
            // An index is disposable, also for who is about to write.
            Err(Error::Damaged(Part::Index, _)) => {
                snapshot.projection.log.take_notices();
                let mut work = snapshot.projection.work();
                opening::reset_index(&mut work)?;
                opening::start(&mut work)?;
                snapshot.notice("the index was damaged and has been rebuilt");
            }
            Err(error) => return Err(error),
        }
        snapshot.read_overlays();
        Ok(snapshot)
    }

    fn notice(&self, text: &str) {
        self.projection.log.notice(text.to_owned());
    }

    /// The belief in every entry that is in use.
    pub fn beliefs(&self, now: Millis) -> Result<Vec<(EntryKey, Belief)>> {
        self.projection.index().beliefs(belief::day(now)).map_err(index_error)
    }

    /// Does something to journal, ledger files or index. Where that made the index anew, it is told of the vectors in use.
    fn work<T>(&mut self, work: impl FnOnce(&mut Work<'_>) -> Result<T>) -> Result<T> {
        let done = work(&mut self.projection.work());
        self.know_vectors()?;
        done
    }

    fn know_vectors(&mut self) -> Result<()> {
        let times_opened = self.projection.catalogue().times_opened();
        if times_opened == self.vectors_known {
            return Ok(());
        }
        self.vectors_known = times_opened;
        self.projection.use_vectors_again()
    }

    /// Catches up with what was laid over entries. What cannot be read hides nothing, and is said.
    fn read_overlays(&mut self) {
        let read = overlays(&*self.projection.log.state);
        let told = match read {
            Ok((laid, odd_lines)) => {
                self.projection.overlays = laid;
                let lines = match odd_lines {
                    0 => return,
                    1 => "1 line".to_owned(),
                    many => format!("{many} lines"),
                };
                format!(
                    "{lines} of this clone's overlays.jsonl cannot be read by this version and are ignored"
                )
            }
            Err(error) => {
                format!("this clone's overlays cannot be read: {error}; nothing is pinned or muted")
            }
        };
        self.notice(&told);
    }

    /// Whether others wrote, or git was at work, since the folders of the ledger were looked at a moment ago.
    fn is_behind(&self) -> Result<bool> {
        let look = self.projection.look();
        Ok(!look.log.looked_of_late() || follow::has_news(look)? || follow::has_git_moved(look)?)
    }

    fn catch_up(&mut self) -> Result<()> {
        self.work(opening::notice_changed_journal)?;
        if self.projection.catalogue().is_fresh() {
            return self.work(|work| follow::catch_up(work, false));
        }
        if !self.is_behind()? {
            return Ok(());
        }
        let passed_over_long = self
            .passed_over_since
            .is_some_and(|since| since.elapsed().as_nanos() as i64 > PASSED_OVER_NANOS_MAX);
        let look = self.projection.look();
        if !passed_over_long && !follow::has_git_moved(look)? && follow::is_being_told(look)? {
            self.passed_over_since.get_or_insert_with(Instant::now);
            return Ok(());
        }
        // Who writes takes in what others wrote, before anybody hears that it is there.
        let log = self.projection.log.clone();
        let Some(_turn) = log.turn_if_free() else {
            self.passed_over_since.get_or_insert_with(Instant::now);
            return Ok(());
        };
        // Another call may have caught up in between.
        if self.is_behind()? {
            self.work(|work| follow::catch_up_with(work, false, Wait::No).map(drop))?;
        }
        self.passed_over_since = None;
        Ok(())
    }
}

impl Snapshot for GitSnapshot {
    fn projection(&self) -> &(dyn Projection + 'static) {
        &self.projection
    }

    fn access(&self) -> Access {
        self.projection.log.home.access
    }

    fn may_write(&self) -> Result<()> {
        self.projection.log.home.may_write()
    }

    fn replica(&mut self) -> Result<ReplicaId> {
        self.work(|work| work.log.name_replica(work.index))
    }

    fn refresh(&mut self) -> Result<()> {
        self.catch_up()?;
        self.read_overlays();
        self.projection.catch_up();
        Ok(())
    }

    fn prepare_append(&mut self) {
        self.projection.lend_index();
    }

    fn follow(&mut self) -> Result<()> {
        self.projection.take_index_back()?;
        self.work(|work| match work.index.is_on_disk() && !work.index.is_detached() {
            true => Ok(()),
            // Nobody else tells it anything.
            false => follow::catch_up(work, false),
        })?;
        self.read_overlays();
        Ok(())
    }

    fn as_of_time(&self, time: Millis, model: Option<&ModelCard>) -> Result<Box<dyn Projection>> {
        let look = self.projection.look();
        let mut lines = timeline::all_lines(look)?;
        cut(&mut lines, time);
        trees::snapshot(look, timeline::unpurged(look, lines)?, Purpose::Search, model)
    }

    fn vectors(&mut self) -> &mut dyn Vectors {
        &mut self.projection
    }

    fn rebuild(&mut self) -> Result<usize> {
        self.work(opening::rebuild)?;
        self.projection.entry_count()
    }

    fn verify(&mut self, fix: bool) -> Result<Report> {
        let report = verify::verify_ledger(self, fix);
        self.know_vectors()?;
        report
    }

    fn quick_check(&mut self) -> Result<Report> {
        self.work(quick_check::check_known)
    }

    fn git_history(&self) -> Option<&dyn GitHistory> {
        Some(self)
    }

    fn git_history_mut(&mut self) -> Option<&mut dyn GitHistory> {
        Some(self)
    }

    fn dump(&self, rows: Rows) -> Result<Vec<String>> {
        let catalogue = self.projection.catalogue();
        let dumped = match rows {
            Rows::OfEvents => Index::dump(catalogue),
            Rows::All => catalogue.dump(),
        };
        dumped.map_err(index_error)
    }

    fn take_notices(&mut self) -> Vec<String> {
        self.projection.log.take_notices()
    }
}

impl GitHistory for GitSnapshot {
    fn as_of_commit(&self, name: &str, model: Option<&ModelCard>) -> Result<Box<dyn Projection>> {
        trees::as_of_commit(self.projection.look(), name, model)
    }

    fn between(&self, base: &str, head: Option<&str>) -> Result<Option<Between>> {
        trees::between(self.projection.look(), base, head)
    }

    fn ledgers_at(&self, trees: &[Option<&str>]) -> Result<Vec<Rc<LedgerAt>>> {
        trees::ledgers_at(self.projection.look(), trees)
    }

    fn snapshot_of(&self, ledger: &Rc<LedgerAt>) -> Result<Box<dyn Projection + '_>> {
        match tree_view::tree_view(&self.projection, ledger)? {
            Some(view) => Ok(Box::new(view)),
            None => Ok(Box::new(tree_view::fold_all(self.projection.look(), ledger)?)),
        }
    }

    fn tree_at(&self, name: &str) -> Result<Box<dyn Projection + '_>> {
        // What was purged since is left out of the past.
        if self.projection.index().has_purges().map_err(index_error)? {
            return self.as_of_commit(name, None);
        }
        let (git, commit) = trees::commit_named(&self.projection.log.home, name)?;
        match tree_view::commit_view(&self.projection, git, &commit)? {
            Some(view) => Ok(Box::new(view)),
            None => self.as_of_commit(name, None),
        }
    }

    fn journal_event(&self, hash: &EventHash) -> Option<Event> {
        let look = self.projection.look();
        let (journal, start, length) = look.index.places().frame_of(hash).ok()??;
        let journal = look.log.home.journals.get(usize::try_from(journal).ok()?)?;
        let records = journal.read_frame(start, length).ok()?;
        records.iter().find_map(|record| match record.line() {
            Ok(Line::Event(event)) if event.hash == *hash => Some(*event),
            _ => None,
        })
    }

    fn look_again(&mut self, keys: &[EntryKey]) -> Result<bool> {
        for key in keys {
            let look = self.projection.look();
            if look.log.home.tree.edited(look.index, *key).map_err(index_error)? {
                // A writer of this worktree wrote the file a moment ago and is about to tell the index: it needs no help.
                if follow::is_being_told(look)? || !follow::is_free(&mut self.projection.work())? {
                    return Ok(false);
                }
                let log = self.projection.log.clone();
                let _turn = log.turn();
                self.work(|work| follow::catch_up(work, true))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn flush(&mut self, now: Millis) -> Result<usize> {
        self.work(|work| flush::flush_at(work, now))
    }

    fn waiting(&self) -> Result<usize> {
        flush::waiting_count(self.projection.look())
    }

    fn write_index_page(&mut self, moment: IndexPageMoment, now: Millis) {
        if self.access() != Access::Write {
            return;
        }
        match (index_page::update(&mut self.projection, moment, now), moment) {
            // Who reads did not ask for it.
            (Ok(()), _) | (Err(_), IndexPageMoment::Reading) => {}
            (Err(error), IndexPageMoment::Commit | IndexPageMoment::Purge) => {
                self.notice(&format!("INDEX.md could not be written: {error}"));
            }
        }
    }

    fn owns_index_page(&self) -> bool {
        let home = &self.projection.log.home;
        index_page::is_ignored(&*home.disk, &home.layout.store)
    }

    fn recover(&mut self, all: bool) -> Result<Recovered> {
        self.work(|work| recover::recover_lost(work, all))
    }

    fn problems(&self) -> Result<Vec<(String, Problem)>> {
        self.projection.catalogue().files().problems().map_err(index_error)
    }

    fn problem_count(&self) -> Result<usize> {
        let count = self.projection.catalogue().files().problem_count().map_err(index_error)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    fn mirrored(&self, root: &str) -> Result<(Vec<Mirrored>, Option<String>)> {
        let files = self.projection.catalogue().mirrored(root).map_err(index_error)?;
        Ok((files, self.projection.catalogue().mirrored_digest(root).map_err(index_error)?))
    }

    fn set_mirrored(&mut self, root: &str, files: &[Mirrored], digest: Option<&str>) -> Result<()> {
        self.work(|work| work.index.set_mirrored(root, files, digest).map_err(index_error))
    }

    fn remove_temporaries_holding(&mut self, text: &str) -> Result<usize> {
        let written = ken_core::canonical::to_string(&text);
        let forms = [text.as_bytes(), written.trim_matches('"').as_bytes()];
        let holds =
            |bytes: &[u8]| forms.iter().any(|form| bytes.windows(form.len()).any(|window| window == *form));
        Ok(purge::sweep_temporaries(&self.projection.log.home, &holds))
    }
}
