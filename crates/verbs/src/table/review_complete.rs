//! `ken review complete`.

use ken_engine::Result;
use ken_engine::ops::review::{Cited, CompleteAnswer};

use crate::Reach;
use crate::request::Request;
use crate::requests::RunNameRequest;
use crate::verb::{Call, Content, Group, HttpPath, Nature, Verb};

/// Complete a review: confirm, add and archive entries.
pub struct ReviewComplete;

impl Verb for ReviewComplete {
    const NAME: &'static str = "review complete";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Complete a review: confirm, add and archive entries";
    const EXAMPLE: &'static str = "ken review complete --run review-7";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/reviews/{run}/complete")];
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReviewCompleteRequest;
    type Answer = CompleteAnswer;

    fn run(call: &mut Call, request: ReviewCompleteRequest) -> Result<CompleteAnswer> {
        let run = request.review.named(call)?;
        let cited = match request.findings {
            Some(list) => {
                let report = ken_core::finding::read::read(&list.text("findings", &call.options().from)?)?;
                Some(Cited { findings: report.findings, strict: request.strict })
            }
            None => None,
        };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::learn::review_complete_with(ledger, site, models, caller, &run, cited.as_ref())
    }
}

/// What `review complete` takes.
#[derive(Clone, Debug, Request)]
pub struct ReviewCompleteRequest {
    /// The review.
    #[field(flatten)]
    pub review: RunNameRequest,
    /// Merged findings; a P0 or P1 that no agent reported is refused; `-` is stdin
    #[field(long, value_name = "FILE")]
    pub findings: Option<Content>,
    /// Also refuse a P2 or P3 that no agent reported
    #[field(long, requires("findings"))]
    pub strict: bool,
}
