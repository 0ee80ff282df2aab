//! `ken promote approve`.

use ken_engine::Result;
use ken_engine::ops::promote::PromotionView;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Approve a proposal, in a terminal; for approvers.
pub struct PromoteApprove;

impl Verb for PromoteApprove {
    const NAME: &'static str = "promote approve";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Approve a proposal, in a terminal; for approvers";
    const EXAMPLE: &'static str = "ken promote approve P-3f2a91c0";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/promotions/{promotion}/approve")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::WRITES.in_person();
    type Request = ApproveRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: ApproveRequest) -> Result<PromotionView> {
        let ken = call.reach()?;
        let view = PromoteApprove::approvable(ken, &request)?;
        crate::promote::approve_promotion(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, &view)
    }
}

/// What `promote approve` takes.
#[derive(Clone, Debug, Request)]
pub struct ApproveRequest {
    /// Proposal: P-... or a unique prefix
    pub promotion: String,
    /// Approve only if its words still have this hash: the `words` of `promote show`
    #[field(long, value_name = "HASH")]
    pub words: Option<String>,
}

impl PromoteApprove {
    /// What an approver is about to say yes to; or why they cannot.
    pub fn approvable(ken: &mut Reach, request: &ApproveRequest) -> Result<PromotionView> {
        let view = crate::promote::promotion(&ken.ledger, &request.promotion)?;
        crate::promote::approver(&ken.site.config, &ken.caller, &format!("approving {}", view.id))?;
        let view =
            crate::promote::approvable(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, &view.id)?;
        Ok(PromotionView { words: request.words.clone().or(view.words.clone()), ..view })
    }
}
