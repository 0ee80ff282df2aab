//! The folder `archive/`: a page for each archived entry with everything it says, for people who read files (STO-2).
//!
//! Pages are made from the ledger and never read back. A page whose entry is back, or gone, is deleted; files of others are left alone.

use ken_core::Millis;
use ken_engine::ops::change::{ChangeAnswer, Spared, Sweep, Swept};
use ken_engine::{Caller, Ledger, Result, ops};

use crate::{ModelsInUse, Site};

/// Puts an entry away, whole.
pub fn archive(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    reason: &str,
) -> Result<ChangeAnswer> {
    let writer = crate::writer::writer(&site.config, caller);
    match ops::change::archive(ledger, name, reason.to_owned(), &writer) {
        Ok(answer) => crate::archive_pages::finish_standing(ledger, site, models, caller, answer),
        Err(error) => {
            crate::global_store::in_global(ledger, &site.workspace, caller, name, error, |global, name| {
                archive(&mut global.ledger, &global.site, &mut global.models, &global.caller, name, reason)
            })
        }
    }
}

/// Archives every entry that has not changed for some days, norms excepted. Where nobody can be asked, verified ones stay.
pub fn archive_older_than(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    days: u32,
    dry_run: bool,
) -> Result<Swept> {
    let spared = if caller.is_unattended() { Spared::Verified } else { Spared::Nothing };
    let writer = crate::writer::writer(&site.config, caller);
    let before = Millis(writer.now.0 - i64::from(days) * 86_400_000);
    let reason = format!("not changed for {days} days");
    let sweep = Sweep { before, spared, reason, dry_run };
    let answer = ops::change::archive_older(ledger, sweep, &writer)?;
    if dry_run {
        Ok(answer)
    } else {
        crate::archive_pages::finish_standing(ledger, site, models, caller, answer)
    }
}
