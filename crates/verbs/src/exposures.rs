//! What is recorded of what somebody was shown (REV-1).

use ken_core::{EntryKey, Intent};
use ken_engine::{Access, Caller, Ledger, Result, exposure};

use crate::{Config, Site};

/// Remembers what somebody read: every run, and every agent outside of one (REV-1). Once is enough.
pub(crate) fn remember_pulled(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    keys: Vec<EntryKey>,
) -> Result<()> {
    warn_of_unknown_run(ledger, caller)?;
    if !records_pulls(ledger, &site.config, caller) {
        return Ok(());
    }
    let entries = exposure::not_shown_yet(&**ledger, caller, keys)?;
    if entries.is_empty() {
        return Ok(());
    }
    let intents = ken_engine::Reader::from_caller(caller).shown(ken_core::run::PULLED, entries);
    record(ledger, site, caller, intents)
}

/// Records what somebody was shown, together with what other calls of this process record at the same time.
pub(crate) fn record(ledger: &mut Ledger, site: &Site, caller: &Caller, intents: Vec<Intent>) -> Result<()> {
    let writer = crate::writer::writer(&site.config, caller);
    let channel = caller.channel();
    site.pool().record(ledger, intents, &writer, channel)
}

/// Says that a run nobody started is named: a slip of the pen would take what is read out of the right one.
pub(crate) fn warn_of_unknown_run(store: &mut Ledger, caller: &Caller) -> Result<()> {
    if let Some(run) = caller.run().map(str::to_owned)
        && store.run(&run)?.is_none()
    {
        store.notice(format!("run {run} was never started; its exposures are recorded under that name"));
    }
    Ok(())
}

/// Whether it is recorded what this caller was shown.
pub(crate) fn records_pulls(store: &Ledger, config: &Config, caller: &Caller) -> bool {
    let matters = caller.run().is_some() || caller.is_agent();
    matters && store.access() == Access::Write && config.switch("show.exposures")
}
