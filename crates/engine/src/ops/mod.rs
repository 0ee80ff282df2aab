//! One file per verb: what it takes, what it answers, and the one way it goes.

pub mod add;
pub mod applied;
pub mod authority;
pub mod belief;
pub mod brief;
pub mod change;
pub mod check;
pub mod confirm;
pub mod documents;
pub mod drift;
pub mod friction;
pub mod gate;
mod grounds;
pub mod health;
pub mod history;
pub mod maintain;
pub mod menu;
pub mod merge;
pub mod note;
pub mod outcomes;
pub mod overlay;
pub mod pack;
mod pinned;
pub mod promote;
pub mod queue;
pub mod reach;
pub mod read;
pub mod review;
pub mod run;
pub mod search;
pub mod signals;
pub mod similar;
pub mod stats;
pub mod surface;

use ken_core::decide::{Context, Support};
use ken_core::limits::PREFIX_CHARS_MIN;
use ken_core::{Code, Entry, EntryKey, Refusal, Status};

use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::limits::ops::NAMES_MAX;
use crate::ports::{Stored, Writer};
use crate::projection::Projection;

/// Refuses a list of names that is longer than anybody means it, before the first of them is looked for.
pub fn few_names(field: &str, count: usize) -> Result<()> {
    if count <= NAMES_MAX {
        return Ok(());
    }
    let message = format!("{field}: has {count} members; at most {NAMES_MAX} are allowed in one call");
    Err(Refusal::new(Code::Invalid, message).field(field).into())
}

/// The entry that a name means, if it means one.
pub fn find_any(ledger: &dyn Projection, name: &str) -> Result<Option<Stored>> {
    match find(ledger, name) {
        Ok(stored) => Ok(Some(stored)),
        Err(Error::Refused(_)) => Ok(None),
        Err(failed) => Err(failed),
    }
}

/// The entry that a name means, or why it means none.
pub fn find(ledger: &dyn Projection, name: &str) -> Result<Stored> {
    let name = name.trim().trim_start_matches('[').trim_end_matches(']');
    if name.is_empty() {
        return Err(Refusal::new(Code::Invalid, "no id was given")
            .hint("`ken list` shows the ids; a handle or a unique prefix works too")
            .field("id")
            .into());
    }
    let keys: Vec<EntryKey> = ledger.resolve(name)?;
    match keys.as_slice() {
        [key] => match ledger.stored(*key)? {
            Some(stored) if !stored.purge_asked => Ok(stored),
            Some(stored) => Err(Refusal::new(
                Code::NotAllowed,
                format!("{} is hidden: a purge of it was requested", stored.id),
            )
            .hint(format!("confirm with `ken purge {}`", stored.id))
            .into()),
            None => Err(no_such_entry(name).into()),
        },
        [] => {
            ledger.confirm_absent(name)?;
            Err(no_such_entry(name).into())
        }
        many => {
            let mut choices = Vec::new();
            for key in many.iter().take(8) {
                if let Some(stored) = ledger.stored(*key)? {
                    let title: String = stored.entry.fields.title().chars().take(50).collect();
                    choices.push(match stored.overlay.hides() {
                        true => stored.id,
                        false => format!("{} ({title})", stored.id),
                    });
                }
            }
            Err(Refusal::new(
                Code::Ambiguous,
                format!("{name:?} matches {} entries: {}", many.len(), choices.join(", ")),
            )
            .hint("give more characters of the id")
            .field("id")
            .into())
        }
    }
}

fn no_such_entry(name: &str) -> Refusal {
    if name.chars().count() < PREFIX_CHARS_MIN {
        let message = format!("no entry has the id {name:?}, and it is too short for a prefix");
        return Refusal::new(Code::NotFound, message)
            .hint(format!("give at least {PREFIX_CHARS_MIN} characters of the id or handle"))
            .field("id");
    }
    Refusal::new(Code::NotFound, format!("no entry matches {name:?}"))
        .hint("`ken list --all` lists every entry; give an id, a handle or a unique prefix")
        .field("id")
}

/// The circumstances of a decision by a writer.
pub fn context(ledger: &mut Ledger, writer: &Writer) -> Result<Context> {
    let actor = writer.actor.clone();
    let authority = writer.authority.clone();
    Ok(Context { now: writer.now, replica: ledger.replica()?, actor, authority })
}

/// What the ledger holds in favour of an entry (COR-19). It is read only where the entry could still become verified.
pub fn support(ledger: &dyn Projection, entry: &Entry) -> Result<Support> {
    if entry.standing == Status::Verified {
        return Ok(Support::default());
    }
    let history = ledger.history(entry.key)?;
    Ok(Support::of(entry, history.iter().map(|placed| &placed.event)))
}
