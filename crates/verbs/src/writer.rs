//! What every write begins and ends with: who writes, what they may, and what follows.

use ken_core::EntryKey;
use ken_core::decide::{Approver, Authority, is_approved};
use ken_engine::{Caller, Ledger, Result, Stored, Writer, ops};

use crate::{Config, ModelsInUse, Site};

/// What every write ends with.
pub(crate) fn finish<T>(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    answer: T,
) -> Result<T> {
    site.workspace.adapters().runtime().after_write(ledger, site, models, caller);
    Ok(answer)
}

pub(crate) fn writer(config: &Config, caller: &Caller) -> Writer {
    Writer { actor: caller.actor().to_owned(), now: caller.now(), authority: authority(config, caller) }
}

/// What whoever calls may do beyond what anybody may (COR-21).
pub(crate) fn authority(config: &Config, caller: &Caller) -> Authority {
    let policy = config.policy();
    // The name on a commit is only a name, and that somebody is credited with a call is no authority (COR-7): what an approver alone may
    // do is done by the person who confirms it.
    let approver = match caller.person() {
        Some(person) if policy.approver(person.name()).is_some() => Approver::Confirmed,
        None if is_approver(config, caller) => Approver::ToAsk,
        Some(_) | None => Approver::No,
    };
    Authority { attendance: caller.attendance(), approver, who: caller.who() }
}

/// Why an entry is not for an agent, a hook or a script to hide or reword; none where it is (COR-21).
pub(crate) fn needs_a_person(store: &Ledger, key: EntryKey) -> Result<Option<String>> {
    let Some(stored) = store.stored(key)? else { return Ok(None) };
    let handle = ken_engine::view::handle(&stored);
    if is_approved(&stored.entry) {
        return Ok(Some(format!("{handle} is an approved norm")));
    }
    Ok(is_or_was_verified(store, &stored)?.then(|| format!("{handle} is or was verified")))
}

/// Whether an entry is verified, or was before somebody changed its words.
pub(crate) fn is_or_was_verified(store: &Ledger, stored: &Stored) -> Result<bool> {
    ops::authority::is_or_was_verified(&**store, &stored.entry)
}

/// Whether a person calls who may put norms in force, and out of it; whether they confirmed this is another question.
pub(crate) fn is_approver(config: &Config, caller: &Caller) -> bool {
    caller.is_human() && config.policy().approver(caller.actor()).is_some()
}

/// Whether an approver calls who can be asked for a confirmation, and has given none yet.
pub(crate) fn is_approver_to_ask(config: &Config, caller: &Caller) -> bool {
    !caller.is_unattended() && is_approver(config, caller) && caller.person().is_none()
}
