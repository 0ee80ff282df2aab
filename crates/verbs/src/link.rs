//! `link`: one entry is tied to another.

use ken_engine::ops::change::ChangeAnswer;
use ken_engine::{Caller, Ledger, Result, ops};

use crate::{ModelsInUse, Site};

/// Ties one entry to another, or unties them.
pub fn link(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    from: &str,
    relation: &str,
    to: &str,
    remove: bool,
) -> Result<ChangeAnswer> {
    let writer = crate::writer::writer(&site.config, caller);
    match ops::change::link(ledger, from, relation, to, remove, &writer) {
        Ok(answer) => crate::writer::finish(ledger, site, models, caller, answer),
        Err(error) => {
            crate::global_store::in_global(ledger, &site.workspace, caller, from, error, |global, from| {
                link(
                    &mut global.ledger,
                    &global.site,
                    &mut global.models,
                    &global.caller,
                    from,
                    relation,
                    to,
                    remove,
                )
            })
        }
    }
}
