//! `ken digest restore`.

use ken_engine::Result;

use crate::requests::CandidateRequest;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};
use crate::{Reach, Staged};

/// Restore a dropped candidate.
pub struct StagingRestore;

impl Verb for StagingRestore {
    const NAME: &'static str = "digest restore";
    const FORMER: &'static [&'static str] = &["staging restore"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Restore a dropped candidate";
    const EXAMPLE: &'static str = "ken digest restore 9b0e";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/staging/restore")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = CandidateRequest;
    type Answer = Staged;

    fn run(call: &mut Call, request: CandidateRequest) -> Result<Staged> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::digest::restore_staged(ledger, site.state(), caller, &request.id)
    }
}
