//! `supersede`: an entry takes the place of another.

use ken_engine::ops::add::AddInput;
use ken_engine::ops::change::ChangeAnswer;
use ken_engine::{Caller, Ledger, Result, ops};

use crate::{ModelsInUse, Site};

/// Replaces one entry by another that is there.
pub fn supersede(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    old: &str,
    new: &str,
    reason: &str,
) -> Result<ChangeAnswer> {
    let writer = crate::writer::writer(&site.config, caller);
    let superseded = ops::change::supersede(ledger, old, new, reason.to_owned(), &writer);
    let mut answer = match superseded {
        Ok(answer) => answer,
        Err(error) => {
            return crate::global_store::in_global(
                ledger,
                &site.workspace,
                caller,
                old,
                error,
                |global, old| {
                    supersede(
                        &mut global.ledger,
                        &global.site,
                        &mut global.models,
                        &global.caller,
                        old,
                        new,
                        reason,
                    )
                },
            );
        }
    };
    crate::promote::say_if_successor_waits(ledger, &site.config, &mut answer);
    crate::archive_pages::finish_standing(ledger, site, models, caller, answer)
}

/// Replaces an entry by one that is stated now.
pub fn supersede_by_new(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    old: &str,
    input: AddInput,
    reason: &str,
) -> Result<ChangeAnswer> {
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    let (intake, wish, why) = (rules.intake(), input.clone(), reason.to_owned());
    let superseded = ops::change::supersede_by_new(ledger, &around, old, wish, why, &intake, &writer);
    drop(rules);
    let mut answer = match superseded {
        Ok(answer) => answer,
        Err(error) => {
            return crate::global_store::in_global(
                ledger,
                &site.workspace,
                caller,
                old,
                error,
                |global, old| {
                    supersede_by_new(
                        &mut global.ledger,
                        &global.site,
                        &mut global.models,
                        &global.caller,
                        old,
                        input,
                        reason,
                    )
                },
            );
        }
    };
    crate::promote::say_if_successor_waits(ledger, &site.config, &mut answer);
    crate::archive_pages::finish_standing(ledger, site, models, caller, answer)
}
