//! `maintain`: the services that keep a store in order.

use ken_engine::Result;

use crate::Reach;
use crate::maintain::{Maintain as Asked, MaintainAnswer};
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Run the services that keep a store in order.
pub struct Maintain;

/// What `maintain` takes.
#[derive(Clone, Debug, Request)]
pub struct MaintainRequest {
    /// Service to run, such as dedup (default: those that are due and allowed)
    pub service: Option<String>,
    /// Dry run: say what would be done, write nothing
    #[field(long)]
    pub dry_run: bool,
    /// Calls to the judge, at most (default: what its daily limits leave)
    #[field(long, value_name = "CALLS")]
    pub budget: Option<u32>,
}

impl Verb for Maintain {
    const NAME: &'static str = "maintain";
    const ABOUT: &'static str = "Merge duplicates, mark stale entries, list contradictions";
    const EXAMPLE: &'static str = "ken maintain dedup --dry-run";
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::REMOVES;
    type Request = MaintainRequest;
    type Answer = MaintainAnswer;

    fn run(call: &mut Call, request: MaintainRequest) -> Result<MaintainAnswer> {
        let asked =
            Asked { service: request.service.as_deref(), dry_run: request.dry_run, budget: request.budget };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::maintain::maintain(ledger, site, models, caller, asked)
    }

    fn only_reads(request: &MaintainRequest) -> bool {
        request.dry_run
    }
}
