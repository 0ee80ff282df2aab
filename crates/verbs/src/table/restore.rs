//! `ken restore`.

use ken_engine::Result;
use ken_engine::ops::change::ChangeAnswer;

use crate::Reach;
use crate::requests::ReasonRequest;
use crate::verb::{Call, Group, Nature, Verb};

/// Restore an archived or retracted entry.
pub struct Restore;

impl Verb for Restore {
    const NAME: &'static str = "restore";
    const ABOUT: &'static str = "Restore an archived or retracted entry";
    const EXAMPLE: &'static str = "ken restore L-e71631";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReasonRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: ReasonRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::retract::restore(ledger, site, models, caller, &request.id, &request.reason)
    }
}
