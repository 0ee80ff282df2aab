//! `ken maintain --reset`.

use ken_engine::Result;
use ken_engine::ops::change::ChangeAnswer;

use crate::Reach;
use crate::requests::ReasonRequest;
use crate::verb::{Call, Group, Nature, Verb};

/// Reset the belief in an entry; requires a person.
pub struct Reset;

impl Verb for Reset {
    const NAME: &'static str = "maintain --reset";
    const FORMER: &'static [&'static str] = &["reset"];
    const ABOUT: &'static str = "Reset the belief in an entry; requires a person";
    const EXAMPLE: &'static str =
        "ken maintain --reset L-e71631 --reason 'the failures came from another change'";
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::REMOVES.for_a_person();
    type Request = ReasonRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: ReasonRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::learn::reset_belief(ledger, site, models, caller, &request.id, &request.reason)
    }
}
