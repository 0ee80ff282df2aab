//! The verbs that change an entry, shown.

use kenning::table::archive::ArchiveAnswer;
use kenning::table::supersede::SupersedeRequest;
use kenning::table::undo::UndoAnswer;
use kenning::table::{Archive, Link, Merge, Release, Restore, Retract, Supersede, Tag, Undo, Unmerge};
use kenning::{ChangeAnswer, MergeAnswer, Reach, Result, UnmergeAnswer};

use super::{Session, Shown};
use crate::output::{bold, count, cut, dim, exit, println, width};

/// A verb that changes one entry and says so.
pub(super) fn simple(session: &Session, act: impl FnOnce(&mut Reach) -> Result<ChangeAnswer>) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = act(&mut ken)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || say(&answer))?;
    Ok(exit::OK)
}

pub(super) fn say(answer: &ChangeAnswer) {
    println!("{} {}: {}", answer.outcome, bold(&answer.handle), answer.reasons.join("; "));
}

macro_rules! shown {
    ($($verb:ident),*) => {$(
        impl Shown for $verb {
            fn say(answer: &ChangeAnswer) {
                say(answer);
            }
        }
    )*};
}

shown! { Retract, Restore, Release, Link, Tag }

impl Shown for Supersede {
    fn execute(session: &Session, request: SupersedeRequest) -> Result<u8> {
        let states_new = request.new.is_none().then(|| request.old.clone());
        let mut call = session.call(None)?;
        let answer = Self::run_noting(session, &mut call, request)?;
        session.output.answer(&answer, || say(&answer))?;
        if let (Some(old), Some(ken)) = (states_new, call.into_reach())
            && let Some(new) = kenning::promote::waiting_successor(&ken.ledger, &ken.site.config, &old)?
        {
            super::promote::accept_now(session, ken, &new)?;
        }
        Ok(exit::OK)
    }
}

impl Shown for Merge {
    fn say(answer: &MergeAnswer) {
        println!("{} {}: {}", answer.outcome, bold(&answer.merged.handle), answer.reasons.join("; "));
    }
}

impl Shown for Unmerge {
    fn say(answer: &UnmergeAnswer) {
        println!("{} {}: {}", answer.outcome, bold(&answer.entry.handle), answer.reasons.join("; "));
        for seen in &answer.since {
            println!("  {} {:+.3} {}", seen.date, seen.weight, seen.reason);
        }
    }
}

impl Shown for Archive {
    fn say(answer: &ArchiveAnswer) {
        match answer {
            ArchiveAnswer::One(answer) => say(answer),
            ArchiveAnswer::Older(swept) => {
                match swept.dry_run {
                    true => {
                        println!("{} would be archived", count(swept.archived.len(), "entry", "entries"));
                    }
                    false => println!("archived {}", swept.archived.len()),
                }
                swept.archived.iter().for_each(|id| println!("  {id}"));
                if !swept.kept.is_empty() {
                    let kept = count(swept.kept.len(), "verified entry was", "verified entries were");
                    println!("{kept} left; a person archives them in a terminal");
                    swept.kept.iter().for_each(|id| println!("  {id}"));
                }
                if swept.dry_run {
                    println!("{}", dim("dry run: nothing was written; omit --dry-run to archive"));
                }
            }
        }
    }
}

/// Columns of a line that the handle and the space beside it take.
const TITLE_SHARE: usize = 12;

impl Shown for Undo {
    fn say(answer: &UndoAnswer) {
        for one in &answer.undone {
            let title = cut(&one.title, width().saturating_sub(TITLE_SHARE));
            println!("{} {title}\n  {}", bold(&one.handle), one.reasons.join("; "));
        }
        if !answer.undone.is_empty() {
            println!("{}", dim("`ken undo` again reverses this; it never goes further back"));
        }
    }
}
