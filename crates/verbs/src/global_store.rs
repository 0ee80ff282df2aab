//! The global store beside the project's: opened for a call, and asked where the project does not have an entry.

use ken_core::Code;
use ken_engine::ops::run::GlobalLedger;
use ken_engine::{Caller, Ledger, Projection};

use crate::{Access, Error, Reach, Result, Workspace};

/// The global store beside this one, where there is one.
pub(crate) fn global_store(workspace: &Workspace, caller: &Caller, access: Access) -> Option<Result<Reach>> {
    let global = workspace.global_on_behalf_of(caller.outside_of_runs(), access);
    // Its vectors are asked for from here on; without a model words answer.
    global.transpose().map(|global| {
        global.map(|mut global| {
            drop(crate::embedding::embedder(&mut global.ledger, &mut global.models));
            global
        })
    })
}

/// Does the same in the global store, where that has what is not here (COR-2). `global:ID` means that one alone.
pub(crate) fn in_global<T>(
    ledger: &mut Ledger,
    workspace: &Workspace,
    caller: &Caller,
    name: &str,
    error: Error,
    verb: impl FnOnce(&mut Reach, &str) -> Result<T>,
) -> Result<T> {
    if !is_missing(&error) {
        return Err(error);
    }
    let name = GlobalLedger::bare(name);
    match global_store(workspace, caller, Access::Write) {
        Some(Ok(mut global)) if crate::ops::find(&*global.ledger, name).is_ok() => {
            let answer = verb(&mut global, name);
            workspace.take_back(global);
            answer
        }
        Some(Err(unheard)) => {
            ledger.notice(format!("the global store could not be searched: {unheard}"));
            Err(error)
        }
        Some(Ok(_)) | None => Err(error),
    }
}

/// Whether an error says that no entry has a name.
pub(crate) fn is_missing(error: &Error) -> bool {
    matches!(error, Error::Refused(refusal) if refusal.code == Code::NotFound)
}

pub(crate) fn is_in(store: &dyn Projection, name: &str) -> Result<bool> {
    Ok(crate::ops::find_any(store, name)?.is_some())
}
