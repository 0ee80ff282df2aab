//! `retract` and `restore`: an entry is taken back, or brought back.

use ken_engine::ops::change::ChangeAnswer;
use ken_engine::{Access, Caller, Ledger, Result, Stored, ops};

use crate::{ModelsInUse, Site, Workspace};

/// Takes an entry back; the tombstone stays.
pub fn retract(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    reason: &str,
) -> Result<ChangeAnswer> {
    let writer = crate::writer::writer(&site.config, caller);
    match ops::change::retract(ledger, name, reason.to_owned(), &writer) {
        Ok(answer) => crate::archive_pages::finish_standing(ledger, site, models, caller, answer),
        Err(error) => {
            crate::global_store::in_global(ledger, &site.workspace, caller, name, error, |global, name| {
                retract(&mut global.ledger, &global.site, &mut global.models, &global.caller, name, reason)
            })
        }
    }
}

/// Brings an entry back to where it stood.
pub fn restore(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    reason: &str,
) -> Result<ChangeAnswer> {
    let writer = crate::writer::writer(&site.config, caller);
    match ops::change::restore(ledger, name, reason.to_owned(), &writer) {
        Ok(answer) => crate::archive_pages::finish_standing(ledger, site, models, caller, answer),
        Err(error) => {
            crate::global_store::in_global(ledger, &site.workspace, caller, name, error, |global, name| {
                restore(&mut global.ledger, &global.site, &mut global.models, &global.caller, name, reason)
            })
        }
    }
}

/// Refuses to hide a verified entry where nobody can be asked: an agent may say that it is wrong, and a person takes it away
/// (BEL-9, COR-19).
pub(crate) fn may_hide(
    ledger: &Ledger,
    workspace: &Workspace,
    caller: &Caller,
    name: &str,
    what: &str,
) -> Result<()> {
    match verified_for_a_person(ledger, workspace, caller, name)? {
        Some(handle) => caller.require_person(&format!("{what} {handle}, which is or was verified,")),
        None => Ok(()),
    }
}

/// The handle of an entry that only a person may hide, where nobody can be asked: it is verified, or was before somebody changed
/// its words.
pub fn verified_for_a_person(
    ledger: &Ledger,
    workspace: &Workspace,
    caller: &Caller,
    name: &str,
) -> Result<Option<String>> {
    let Some(stored) =
        (if caller.is_unattended() { named_anywhere(ledger, workspace, caller, name)? } else { None })
    else {
        return Ok(None);
    };
    Ok(crate::writer::is_or_was_verified(ledger, &stored)?.then(|| ken_engine::view::handle(&stored)))
}

/// The entry that a name means, here or in the global store; none where whoever acts on it will say so.
pub(crate) fn named_anywhere(
    ledger: &Ledger,
    workspace: &Workspace,
    caller: &Caller,
    name: &str,
) -> Result<Option<Stored>> {
    if let Some(stored) = ops::find_any(&**ledger, name)? {
        return Ok(Some(stored));
    }
    let Some(Ok(global)) = crate::global_store::global_store(workspace, caller, Access::Read) else {
        return Ok(None);
    };
    let found = ops::find_any(&*global.ledger, ops::run::GlobalLedger::bare(name));
    workspace.take_back(global);
    found
}
