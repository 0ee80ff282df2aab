//! `ken merge`.

use ken_engine::Result;
use ken_engine::ops::merge::MergeAnswer;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Merge two entries that say the same.
pub struct Merge;

/// What `merge` takes.
#[derive(Clone, Debug, Request)]
pub struct MergeRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// The entry that says the same
    pub other: String,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
}

impl Verb for Merge {
    const NAME: &'static str = "merge";
    const ABOUT: &'static str = "Merge two entries that say the same; the more trusted one stands for both";
    const EXAMPLE: &'static str = "ken merge L-e71631 L-5ce285 --reason 'the same advice'";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::REMOVES;
    type Request = MergeRequest;
    type Answer = MergeAnswer;

    fn run(call: &mut Call, request: MergeRequest) -> Result<MergeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::merge::merge(ledger, site, models, caller, &request.id, &request.other, &request.reason)
    }
}
