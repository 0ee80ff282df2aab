//! `ken digest drop`.

use ken_engine::Result;
use serde::Serialize;

use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, sorted};
use crate::{DropAnswer, Reach};

/// Drop candidates so that `reduce` does not stage them again.
pub struct StagingDrop;

/// What `staging drop` takes.
#[derive(Clone, Debug, Request)]
pub struct StagingDropRequest {
    /// Candidates: ids or unique prefixes
    #[field(required)]
    pub ids: Vec<String>,
    /// Reason, recorded in the ledger
    #[field(long)]
    pub reason: String,
}

/// What `staging drop` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagingDropAnswer {
    /// The candidates that were taken out.
    #[serde(serialize_with = "sorted")]
    pub dropped: Vec<DropAnswer>,
}

impl Verb for StagingDrop {
    const NAME: &'static str = "digest drop";
    const FORMER: &'static [&'static str] = &["staging drop"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Drop candidates so that `reduce` does not stage them again";
    const EXAMPLE: &'static str = "ken digest drop 9b0e --reason 'not a rule'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/staging/drop")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = StagingDropRequest;
    type Answer = StagingDropAnswer;

    fn run(call: &mut Call, request: StagingDropRequest) -> Result<StagingDropAnswer> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        Ok(StagingDropAnswer {
            dropped: crate::digest::drop_staged(ledger, site.state(), caller, &request.ids, &request.reason)?,
        })
    }
}
