//! `status`: where one stands, and what to do next.

use ken_engine::Result;

use crate::requests::NoFields;
use crate::status::StatusAnswer;
use crate::verb::{Call, Group, Nature, Verb};
use crate::{Reach, status};

/// Show where you stand: entries, changes, what is broken, what waits, the next step.
pub struct Status;

impl Verb for Status {
    const NAME: &'static str = "status";
    const ABOUT: &'static str =
        "Show where you stand: entries, uncommitted changes, what is broken, what waits";
    const EXAMPLE: &'static str = "ken status";
    const GROUP: Group = Group::Begin;
    const NATURE: Nature = Nature::READS;
    const EVERYDAY: bool = true;
    type Request = NoFields;
    type Answer = StatusAnswer;

    /// Answers without a store as well: then the next step is to make one.
    fn run(call: &mut Call, _: NoFields) -> Result<StatusAnswer> {
        match call.has_store() {
            true => {
                let Reach { ledger, site, models, caller, .. } = call.reach()?;
                crate::status::status(ledger, site, models, caller)
            }
            false => Ok(StatusAnswer { standing: None, next: status::INIT.to_owned() }),
        }
    }
}
