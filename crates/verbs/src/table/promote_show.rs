//! `ken promote show`.

use ken_engine::Result;
use ken_engine::ops::promote::PromotionView;

use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Show a proposal.
pub struct PromoteShow;

impl Verb for PromoteShow {
    const NAME: &'static str = "promote show";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show a proposal";
    const EXAMPLE: &'static str = "ken promote show P-3f2a91c0";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/promotions/{promotion}")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::READS;
    type Request = PromotionRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: PromotionRequest) -> Result<PromotionView> {
        crate::promote::promotion(&call.reach()?.ledger, &request.promotion)
    }
}

/// What `promote show` takes.
#[derive(Clone, Debug, Request)]
pub struct PromotionRequest {
    /// Proposal: P-... or a unique prefix
    pub promotion: String,
}
