//! `ken digest accept`.

use ken_engine::Result;
use serde::Serialize;

use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, sorted};
use crate::{AcceptAnswer, Reach};

/// Add candidates as entries, with all checks of `add`.
pub struct StagingAccept;

/// What `staging accept` takes.
#[derive(Clone, Debug, Request)]
pub struct StagingAcceptRequest {
    /// Candidates: ids or unique prefixes
    #[field(required)]
    pub ids: Vec<String>,
}

/// What `staging accept` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagingAcceptAnswer {
    /// What became of each candidate.
    #[serde(serialize_with = "sorted")]
    pub accepted: Vec<AcceptAnswer>,
}

impl Verb for StagingAccept {
    const NAME: &'static str = "digest accept";
    const FORMER: &'static [&'static str] = &["staging accept"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Add candidates as entries, with all checks of `add`";
    const EXAMPLE: &'static str = "ken digest accept 9b0e";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/staging/accept")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = StagingAcceptRequest;
    type Answer = StagingAcceptAnswer;

    fn run(call: &mut Call, request: StagingAcceptRequest) -> Result<StagingAcceptAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        Ok(StagingAcceptAnswer {
            accepted: crate::digest::accept_staged(ledger, site, models, caller, &request.ids)?,
        })
    }

    fn rejects(answer: &StagingAcceptAnswer) -> bool {
        answer.accepted.iter().any(|one| one.added.is_rejected())
    }
}
