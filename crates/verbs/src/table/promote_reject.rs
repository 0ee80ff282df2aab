//! `ken promote reject`.

use ken_engine::Result;
use ken_engine::ops::promote::PromotionView;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Reject a proposal; for approvers.
pub struct PromoteReject;

impl Verb for PromoteReject {
    const NAME: &'static str = "promote reject";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Reject a proposal; for approvers";
    const EXAMPLE: &'static str = "ken promote reject P-3f2a91c0 --reason 'too narrow'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/promotions/{promotion}/reject")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::WRITES.in_person();
    type Request = PromotionReasonRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: PromotionReasonRequest) -> Result<PromotionView> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::promote::reject_promotion(ledger, site, models, caller, &request.promotion, &request.reason)
    }
}

/// What `promote reject` takes.
#[derive(Clone, Debug, Request)]
pub struct PromotionReasonRequest {
    /// Proposal: P-... or a unique prefix
    pub promotion: String,
    /// Reason for the rejection
    #[field(long, default = "")]
    pub reason: String,
}
