//! `link`: one entry is tied to another.

use crate::ModelsInUse;
use crate::Site;
use ken_engine::Caller;
use ken_engine::Ledger;
use ken_engine::Result;
use ken_engine::ops;
use ken_engine::ops::change::ChangeAnswer;

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
