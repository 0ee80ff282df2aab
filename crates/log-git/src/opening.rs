//! Opening a store: what a crash, a sandbox or a copied clone left is put in order, and an index that is of no use is made anew.

use std::path::Path;

use ken_engine::{Access, Error, Result};
use ken_index::{Index, index_error};

use crate::layout::Layout;
use crate::log::NAMING;
use crate::work::{Work, events_word};
use crate::{follow, left_over, replica, trim, write_out};

/// Heals what a crash left, and catches up with what happened outside.
pub(crate) fn start(work: &mut Work<'_>) -> Result<()> {
    if work.log.home.asked == Access::Write && work.log.home.access == Access::Read {
        work.log.notice("the store is not writable; opened read-only".to_owned());
    }
    work.log.learn_purged();
    if work.log.home.access == Access::Write {
        let journal = work.log.home.own.join("journal");
        let folders: [&Path; 4] =
            [&work.log.home.own, &journal, &work.log.home.tree_home, &work.log.home.layout.store];
        left_over::sweep(&*work.log.home.disk, &folders);
    }
    // STO-10: a reader of an older major goes on reading, and says that there is more.
    if let Some(refusal) = &work.log.home.version_refusal {
        let said = refusal.message.split(';').next().unwrap_or_default();
        work.log.notice(format!("{said}: the output may be out of date"));
    }
    let was_copied =
        || replica::was_copied(&*work.log.home.disk, &work.log.home.own).map_err(Error::failed(NAMING));
    if work.log.home.access == Access::Write && was_copied()? {
        work.log.notice("this clone is a copy; its next write creates a new replica id".to_owned());
    }
    if !work.index.set_own(work.log.replica()).map_err(index_error)? {
        // Another process may have named this clone a moment ago.
        work.log.read_replica()?;
        if !work.index.set_own(work.log.replica()).map_err(index_error)? {
            reset_index(work)?;
        }
    }
    if work.log.home.access == Access::Write {
        work.log.set_mended(!write_out::has_stopped(&work.log.home));
        if !work.log.is_mended() {
            work.index.files().distrust_latest_files().map_err(index_error)?;
        }
        leave_lost_journal(work)?;
        try_to(work, bring_sandbox_home);
        try_to(work, write_out::heal);
    }
    if work.index.was_damaged() {
        work.log.notice("the index was damaged and has been rebuilt".to_owned());
    }
    if !leaves_to_others(work)? {
        follow::catch_up(work, false)?;
    }
    work.index.settle().map_err(index_error)?;
    if work.log.home.access == Access::Write {
        try_to(work, write_out::mend_torn);
        try_to(work, write_out::heal_after_power_loss);
    }
    write_out::tell_absent(work)
}

/// Whether all that is new is what another command of this worktree is about to tell the index, before it acknowledges it.
fn leaves_to_others(work: &mut Work<'_>) -> Result<bool> {
    notice_changed_journal(work)?;
    if work.index.is_fresh() || !work.log.is_mended() || follow::has_git_moved(work.look())? {
        return Ok(false);
    }
    work.index.pending_from = write_out::written_out(&work.log.home);
    Ok(follow::is_tree_held(&work.log.home) && follow::is_being_told(work.look())?)
}

/// Attempts what can be made up for later. A full disk is no reason not to read.
pub(crate) fn try_to(work: &mut Work<'_>, step: fn(&mut Work<'_>) -> Result<()>) {
    if let Err(error) = step(work) {
        work.log.notice(format!("{error}; nothing was lost, the next command retries"));
    }
}

/// Throws the index away and starts an empty one.
pub(crate) fn reset_index(work: &mut Work<'_>) -> Result<()> {
    work.index.reset(&*work.log.home.disk).map_err(index_error)?;
    work.index.set_own(work.log.replica()).map_err(index_error)?;
    Ok(())
}

/// Deletes the index of a store, whoever made it; whoever opens the store next makes it anew.
pub fn discard_index(layout: &Layout) {
    for home in [layout.tree_home(), layout.sandbox_tree_home()] {
        Index::discard(&home.join("index"));
    }
}

/// Makes the index anew from journal and ledger files.
pub(crate) fn rebuild(work: &mut Work<'_>) -> Result<()> {
    reset_index(work)?;
    follow::catch_up(work, true)?;
    work.index.settle().map_err(index_error)
}

/// STO-2: a journal that a sandbox kept beside the ledger moves home, and the lists with it.
pub(crate) fn bring_sandbox_home(work: &mut Work<'_>) -> Result<()> {
    let doing = "moving a sandbox's journal to the git folder";
    if work.log.home.layout.git.is_none()
        || work.log.home.journals.len() < 2
        || work.log.home.own != work.log.home.layout.clone_home()
    {
        return Ok(());
    }
    work.log.state.bring_lists_home()?;
    let sandbox = work.log.home.journals[1].clone();
    if sandbox.segments().map_err(Error::failed(doing))?.is_empty() {
        return Ok(());
    }
    let events = work.log.home.journals[0].take_over(&sandbox).map_err(Error::failed(doing))?;
    work.log.notice(format!("moved {} that a sandbox had kept in .kenning/.local", events_word(events)));
    reset_index(work)
}

/// If the journal ends before what was read of it, this clone takes another name: numbers that were given once are never given again
/// (STO-4). How far it was read and written out is forgotten.
pub(crate) fn leave_lost_journal(work: &mut Work<'_>) -> Result<()> {
    if work.log.home.access != Access::Write {
        return Ok(());
    }
    let journal = &work.log.home.journals[0];
    let (told, generation) = work.index.journal_end(0).map_err(index_error)?;
    let is_lost = || {
        (generation == journal.generation() && journal.ends_before(told))
            || write_out::written_out(&work.log.home).is_some_and(|done| journal.ends_before(done))
    };
    if !is_lost() {
        return Ok(());
    }
    // A clean-up moves frames, and then what is remembered of them: nobody looks in between.
    let held = journal.lock().map_err(Error::failed("locking the journal"))?;
    let Some(name) = replica::choose_again(&*work.log.home.disk, &work.log.home.own, is_lost)
        .map_err(Error::failed(NAMING))?
    else {
        return Ok(());
    };
    let doing = "starting a new journal";
    for home in trim::tree_homes(&work.log.home) {
        work.log.home.disk.remove(&home.join("mark")).map_err(Error::failed(doing))?;
    }
    journal.begin_generation_after(generation).map_err(Error::failed(doing))?;
    // Whoever makes an index reads the journal: nobody waits for both.
    drop(held);
    work.log.set_replica(Some(name));
    work.log.notice(
        "this clone's journal was deleted, cut or replaced by an older copy; events that only it had are lost, and this clone has a new replica id"
            .to_owned(),
    );
    reset_index(work)
}

/// Bytes that the index has read may have changed: it is made anew.
pub(crate) fn notice_changed_journal(work: &mut Work<'_>) -> Result<()> {
    if work.index.is_detached() {
        // Somebody made the index anew: what this connection is to is gone.
        work.index.open_again(&*work.log.home.disk).map_err(index_error)?;
        work.log.read_replica()?;
        work.index.set_own(work.log.replica()).map_err(index_error)?;
    }
    leave_lost_journal(work)?;
    for (number, journal) in work.log.home.journals.iter().enumerate() {
        let (_, generation) = work.index.journal_end(number as i64).map_err(index_error)?;
        if generation != journal.generation()
            && work.index.meta(&format!("journal.{number}")).map_err(index_error)?.is_some()
        {
            // Whoever found that the journal was lost has given this clone another name.
            work.log.read_replica()?;
            reset_index(work)?;
            // Whoever purged may have said which secret it was.
            work.log.learn_purged();
            break;
        }
    }
    Ok(())
}
