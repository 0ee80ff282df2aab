//! `ken review show`.

use ken_engine::Result;
use ken_engine::ops::review::ReviewView;

use crate::Reach;
use crate::requests::RunNameRequest;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Show a review: exposures and findings.
pub struct ReviewShow;

impl Verb for ReviewShow {
    const NAME: &'static str = "review show";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show a review: exposures and findings";
    const EXAMPLE: &'static str = "ken review show --run review-7";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/reviews/{run}")];
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::READS;
    type Request = RunNameRequest;
    type Answer = ReviewView;

    fn run(call: &mut Call, request: RunNameRequest) -> Result<ReviewView> {
        let run = request.named(call)?;
        let Reach { ledger, caller, .. } = call.reach()?;
        crate::learn::review_show(ledger, caller, &run)
    }
}
