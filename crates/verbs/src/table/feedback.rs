//! `ken feedback`.

use ken_engine::Result;
use ken_engine::ops::change::ChangeAnswer;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, InRun, Nature, Verb};

/// Record whether an entry helped.
pub struct Feedback;

impl Verb for Feedback {
    const NAME: &'static str = "feedback";
    const ABOUT: &'static str = "Record whether an entry helped";
    const EXAMPLE: &'static str = "ken feedback L-e71631 --helpful";
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::WRITES;
    type Request = FeedbackRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: FeedbackRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::learn::feedback(ledger, site, models, caller, &request.id, request.helpful, &request.reason)
    }

    fn in_run(request: &FeedbackRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// What `feedback` takes: one of the two flags.
#[derive(Clone, Debug, Request)]
#[request(one_of("helpful", "not_helpful"))]
pub struct FeedbackRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// The entry helped
    #[field(long)]
    pub helpful: bool,
    /// The entry did not help
    #[field(long)]
    pub not_helpful: bool,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
    /// The run it belongs to.
    #[field(flatten)]
    pub in_run: InRun,
}
