//! Catching up with what other processes, git and people did to the journal and the ledger files.

use std::collections::BTreeSet;
use std::fs::TryLockError;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ken_core::Event;
use ken_engine::{Access, Error, Result};
use ken_index::index_error;

use crate::catalogue::IndexUpdate;
use crate::home::Home;
use crate::limits::TOLD_WITHIN_NANOS;
use crate::work::{Look, Work};
use crate::{opening, purge, write_out};

/// Whether somebody waits while another writes the index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    Yes,
    No,
}

/// Takes news into the index.
pub(crate) fn take(work: &mut Work<'_>, news: IndexUpdate) -> Result<()> {
    let reader = work.log.home.reader();
    work.index.take(news, &reader).map(drop).map_err(index_error)
}

/// Catches up with what other processes, git and people did to the journal and the tree. `all` looks at every file.
pub(crate) fn catch_up(work: &mut Work<'_>, all: bool) -> Result<()> {
    opening::notice_changed_journal(work)?;
    let anew = catch_up_once(work, all)?;
    // A writer whose frame was read just now, and whose ledger line was not there yet, tells the index that was thrown away.
    if anew && work.log.home.access == Access::Write && work.index.is_on_disk() {
        let _held = write_out::lock_tree(&work.log.home)?;
        catch_up_once(work, true)?;
    }
    Ok(())
}

/// Whether somebody in this worktree wrote to the journal a moment ago and has yet to tell the index: nothing of that is acknowledged,
/// and who is at it needs no help.
pub(crate) fn is_being_told(look: Look<'_>) -> Result<bool> {
    let (from, _) = look.index.journal_end(0).map_err(index_error)?;
    let journal = &look.log.home.journals[0];
    if !journal.has_more(from) {
        return Ok(false);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let age = journal.changed_behind(from).map(|at| i64::try_from(now).unwrap_or(i64::MAX) - at);
    if age.is_none_or(|age| age > TOLD_WITHIN_NANOS) && !is_tree_held(&look.log.home) {
        return Ok(false);
    }
    journal.is_all_from(from, &look.log.home.origin().tree).map_err(Error::failed("reading the journal"))
}

/// Whether git was at work since the index last looked, or nobody can tell.
pub(crate) fn has_git_moved(look: Look<'_>) -> Result<bool> {
    let git = git_looks(&look.log.home);
    Ok(git.is_none() || look.index.meta("git").map_err(index_error)? != git)
}

/// Whether somebody who lives is writing ledger files, before they tell the index.
pub(crate) fn is_tree_held(home: &Home) -> bool {
    let file = std::fs::File::open(home.tree_home.join("tree.lock"));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Whether a journal has what the index was not told.
pub(crate) fn has_news(look: Look<'_>) -> Result<bool> {
    for (number, journal) in look.log.home.journals.iter().enumerate() {
        let (from, _) = look.index.journal_end(number as i64).map_err(index_error)?;
        if journal.has_more(from) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether nobody writes the index right now.
pub(crate) fn is_free(work: &mut Work<'_>) -> Result<bool> {
    Ok(work.log.home.access == Access::Read || work.index.is_free().map_err(index_error)?)
}

/// The same, once, with the index there is; whether it was being made. Whoever calls it may hold the tree.
pub(crate) fn catch_up_once(work: &mut Work<'_>, all: bool) -> Result<bool> {
    catch_up_with(work, all, Wait::Yes)
}

/// The same, for who may not wait for somebody that is writing.
pub(crate) fn catch_up_with(work: &mut Work<'_>, all: bool, wait: Wait) -> Result<bool> {
    let anew = work.index.is_fresh();
    // Whoever does not wait does not read everything either, only to find that somebody else is writing it.
    if wait == Wait::No && !anew && has_news(work.look())? && !is_free(work)? {
        return Ok(false);
    }
    // Git was at work, or nobody can tell: folders that looked settled a moment after a change are looked at again.
    let git = git_looks(&work.log.home);
    let git_moved = git.is_none() || work.index.meta("git").map_err(index_error)? != git;
    // Between two looks of this process.
    let begun = Instant::now();
    // Lines before this were in their files before anybody looks at those here.
    work.index.pending_from = write_out::written_out(&work.log.home);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let changes = work
        .log
        .home
        .tree
        .changes(work.index, all, git_moved, i64::try_from(now).unwrap_or(i64::MAX))
        .map_err(index_error)?;
    changes.notices.iter().for_each(|notice| work.log.notice(notice.clone()));
    if work.log.home.access == Access::Write {
        changes.left_over.iter().for_each(|path| drop(work.log.home.disk.remove(path)));
    }
    let mut news = IndexUpdate { git: git.filter(|_| git_moved), ..IndexUpdate::default() };
    for (number, journal) in work.log.home.journals.iter().enumerate() {
        let (from, _) = work.index.journal_end(number as i64).map_err(index_error)?;
        if !journal.has_more(from) {
            continue;
        }
        if number == 0
            && work.log.home.access == Access::Write
            && let Err(error) = journal.settle()
        {
            work.log.notice(format!("the journal could not be synced: {error}"));
        }
        let (frames, damage) = journal.read(from).map_err(Error::failed("reading the journal"))?;
        if let Some(first) = damage.first() {
            work.log.notice(format!(
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
    for (path, looks) in work.log.home.tree.touched(&touched, work.index).map_err(index_error)? {
        if !changes.changed.iter().any(|(known, _)| *known == path) {
            changes.changed.push((path, looks));
        }
    }
    if changes.is_empty() && news.frames.is_empty() && news.git.is_none() {
        work.log.looked(begun);
        return Ok(anew);
    }
    let written =
        changes.changed.len() + news.frames.iter().map(|(_, frame)| frame.records.len()).sum::<usize>();
    news.files = Some(work.log.home.tree.read_all(changes.changed));
    news.gone = changes.gone;
    news.folders = changes.folders;
    news.folders_gone = changes.folders_gone;
    match wait {
        Wait::Yes => take(work, news)?,
        Wait::No => {
            let reader = work.log.home.reader();
            work.index.take_if_free(news, &reader).map_err(index_error)?;
        }
    }
    tidy_index(work.look(), written);
    Ok(anew)
}

/// Keeps the index's write-ahead file small, after so many events or vectors were written.
pub(crate) fn tidy_index(look: Look<'_>, written: usize) {
    if look.log.home.access == Access::Write {
        look.index.tidy(written);
    }
}

/// How git looks, if there is one: when it has been at work, it looks different.
pub(crate) fn git_looks(home: &Home) -> Option<String> {
    let git = home.layout.git.as_ref()?;
    let file = |name: &str| {
        let looks = home.disk.looks(&git.git_dir.join(name));
        looks.map(|looks| (looks.mtime, looks.size, looks.inode)).ok()
    };
    Some(format!("{:?} {:?}", file("index"), file("HEAD")))
}

/// Ledger files and index follow an acknowledged write.
pub(crate) fn follow(work: &mut Work<'_>, events: &[Event]) -> Result<()> {
    write_out::write_out(work, events.to_vec())?;
    catch_up_journal(work)?;
    tidy_index(work.look(), events.len());
    // A purge takes its own bytes out, from the journal too, and says from where.
    if events.iter().any(|event| event.type_name == "entry.purged") {
        return Ok(());
    }
    purge::finish_purge(work)?;
    purge::stub_what_came_back(work)
}

/// Takes in frames of the journal alone: what other processes wrote while this one was at work.
pub(crate) fn catch_up_journal(work: &mut Work<'_>) -> Result<()> {
    let (from, _) = work.index.journal_end(0).map_err(index_error)?;
    if !work.log.home.journals[0].has_more(from) {
        return Ok(());
    }
    work.log.home.journals[0].settle().map_err(Error::failed("syncing the journal"))?;
    let (frames, _) = work.log.home.journals[0].read(from).map_err(Error::failed("reading the journal"))?;
    let Some(end) = frames.last().map(|frame| frame.end) else { return Ok(()) };
    let generation = work.log.home.journals[0].generation();
    let frames = frames.into_iter().map(|frame| (0, frame)).collect();
    take(work, IndexUpdate { frames, journal_ends: vec![(0, end, generation)], ..IndexUpdate::default() })
}
