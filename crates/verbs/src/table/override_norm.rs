//! `ken gate override`.

use ken_engine::Result;

use crate::Reach;
use crate::overrides::OverrideAnswer;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Let what a norm holds back happen once.
pub struct Override;

/// What `override` takes.
#[derive(Clone, Debug, Default, Request)]
pub struct OverrideRequest {
    /// Norm: an id, a handle or a unique prefix of either
    pub id: String,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
    /// The norm was wrong here, which lowers its belief
    #[field(long)]
    pub wrong: bool,
}

impl Verb for Override {
    const NAME: &'static str = "gate override";
    const FORMER: &'static [&'static str] = &["override"];
    const ABOUT: &'static str = "Allow once what a norm blocks; a person confirms";
    const EXAMPLE: &'static str = "ken gate override norm.commit.001 --reason 'hotfix, agreed with Ada'";
    const GROUP: Group = Group::Govern;
    const NATURE: Nature = Nature::WRITES.for_a_person().in_person();
    type Request = OverrideRequest;
    type Answer = OverrideAnswer;

    fn run(call: &mut Call, request: OverrideRequest) -> Result<OverrideAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::overrides::override_norm(
            ledger,
            site,
            models,
            caller,
            &request.id,
            &request.reason,
            request.wrong,
        )
    }
}
