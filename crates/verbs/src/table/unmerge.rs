//! `ken merge --undo`.

use ken_engine::Result;
use ken_engine::ops::merge::UnmergeAnswer;

use crate::Reach;
use crate::requests::ReasonRequest;
use crate::verb::{Call, Group, Nature, Verb};

/// Undo a merge: both entries stand as before.
pub struct Unmerge;

impl Verb for Unmerge {
    const NAME: &'static str = "merge --undo";
    const FORMER: &'static [&'static str] = &["unmerge"];
    const ABOUT: &'static str = "Undo a merge: both entries stand as before, and are not proposed again";
    const EXAMPLE: &'static str = "ken merge --undo L-5ce285";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReasonRequest;
    type Answer = UnmergeAnswer;

    fn run(call: &mut Call, request: ReasonRequest) -> Result<UnmergeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::merge::unmerge(ledger, site, models, caller, &request.id, &request.reason)
    }
}
