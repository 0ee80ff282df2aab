//! `why` and `log`: what happened to an entry, and why it can or cannot be relied on.

use ken_engine::ops::history::{Happening, WhyAnswer};
use ken_engine::{Caller, Ledger, Result, ops};

use crate::Site;

/// What happened to an entry.
pub fn log(ledger: &mut Ledger, site: &Site, caller: &Caller, name: &str) -> Result<Vec<Happening>> {
    if let Err(error) = ops::find(&**ledger, name) {
        return crate::global_store::in_global(
            ledger,
            &site.workspace,
            caller,
            name,
            error,
            |global, name| log(&mut global.ledger, &global.site, &global.caller, name),
        );
    }
    crate::exposures::remember_pulled(ledger, site, caller, vec![ops::find(&**ledger, name)?.entry.key])?;
    ops::history::log(&**ledger, name)
}

/// Why an entry can or cannot be relied on.
pub fn why(ledger: &mut Ledger, site: &Site, caller: &Caller, name: &str) -> Result<WhyAnswer> {
    if let Err(error) = ops::find(&**ledger, name) {
        return crate::global_store::in_global(
            ledger,
            &site.workspace,
            caller,
            name,
            error,
            |global, name| why(&mut global.ledger, &global.site, &global.caller, name),
        );
    }
    let mut ground = crate::ground::ground(ledger, site);
    let answer = ops::history::why(&**ledger, name, Some(&mut ground), caller.now());
    ground.save();
    let stored = ops::find(&**ledger, name)?;
    crate::exposures::remember_pulled(ledger, site, caller, vec![stored.entry.key])?;
    let mut answer = answer?;
    answer.entry.authority = crate::promote::authority_of(ledger, &site.config, &stored.entry)?;
    answer.because.extend(answer.entry.authority.iter().map(crate::promote::told));
    Ok(answer)
}
