//! `ken quarantine release`.

use ken_engine::Result;
use ken_engine::ops::change::ChangeAnswer;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Release an entry from quarantine; requires a person.
pub struct Release;

/// What `release` takes.
#[derive(Clone, Debug, Request)]
pub struct ReleaseRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Why it is harmless, recorded in the ledger
    #[field(long)]
    pub reason: String,
}

impl Verb for Release {
    const NAME: &'static str = "quarantine release";
    const FORMER: &'static [&'static str] = &["release"];
    const ABOUT: &'static str = "Release an entry from quarantine; requires a person";
    const EXAMPLE: &'static str = "ken quarantine release L-e71631 --reason 'a key of the test fixtures'";
    const GROUP: Group = Group::KeepClean;
    const NATURE: Nature = Nature::WRITES.for_a_person();
    type Request = ReleaseRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: ReleaseRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::quarantine::release(ledger, site, models, caller, &request.id, &request.reason)
    }
}
