//! `ken health review`.

use ken_engine::Result;
use ken_engine::ops::health;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Say what is over its limit, and keep what to do in .kenning/.review/proposal.json.
pub struct HealthReview;

/// What `health review` takes.
#[derive(Clone, Debug, Request)]
pub struct HealthReviewRequest {
    /// Show every threshold, including those that are met
    #[field(long)]
    pub thresholds: bool,
}

impl Verb for HealthReview {
    const NAME: &'static str = "health review";
    const ABOUT: &'static str =
        "List exceeded thresholds and what to do about them; exit code 1 if there are any";
    const EXAMPLE: &'static str = "ken health review --thresholds";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/health/review")];
    const GROUP: Group = Group::KeepTrue;
    const NATURE: Nature = Nature::WRITES;
    type Request = HealthReviewRequest;
    type Answer = health::HealthReview;

    fn run(call: &mut Call, _: HealthReviewRequest) -> Result<health::HealthReview> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::health::health_review(ledger, site, models, caller)
    }

    // The files that it keeps are made from the store: making them twice is making them once.
    fn only_reads(_: &HealthReviewRequest) -> bool {
        true
    }

    fn finds(review: &health::HealthReview) -> bool {
        review.tripped > 0
    }
}
