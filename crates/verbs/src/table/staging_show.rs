//! `ken digest show`.

use ken_engine::Result;

use crate::Staged;
use crate::requests::CandidateRequest;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Show a candidate.
pub struct StagingShow;

impl Verb for StagingShow {
    const NAME: &'static str = "digest show";
    const FORMER: &'static [&'static str] = &["staging show"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show a candidate";
    const EXAMPLE: &'static str = "ken digest show 9b0e";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/staging/{id}")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::READS;
    type Request = CandidateRequest;
    type Answer = Staged;

    fn run(call: &mut Call, request: CandidateRequest) -> Result<Staged> {
        crate::digest::staged(call.reach()?.site.state(), &request.id)
    }
}
