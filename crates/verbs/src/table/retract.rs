//! `ken retract`.

use ken_engine::Result;
use ken_engine::ops::change::ChangeAnswer;

use crate::Reach;
use crate::requests::ReasonRequest;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Retract an entry that is wrong; a tombstone remains.
pub struct Retract;

impl Verb for Retract {
    const NAME: &'static str = "retract";
    const ABOUT: &'static str = "Retract an entry that is wrong; a tombstone remains";
    const EXAMPLE: &'static str = "ken retract L-e71631 --reason 'it was the proxy'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("DELETE", "/entries/{id}")];
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::REMOVES;
    type Request = ReasonRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: ReasonRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::retract::retract(ledger, site, models, caller, &request.id, &request.reason)
    }
}
