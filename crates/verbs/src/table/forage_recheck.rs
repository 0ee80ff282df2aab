//! `ken forage recheck`.

use ken_engine::Result;

use crate::Reach;
use crate::forage::RecheckAnswer;
use crate::request::Request;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb};

/// Look at pages again.
pub struct ForageRecheck;

/// What `forage recheck` takes.
#[derive(Clone, Debug, Request)]
pub struct RecheckRequest {
    /// Entry that came from a page (default: all of them, as far as today's pages go)
    #[field(value_name = "ID")]
    pub id: Vec<String>,
}

impl Verb for ForageRecheck {
    const NAME: &'static str = "forage recheck";
    const ABOUT: &'static str = "Read the pages of entries again and tell which no longer say so";
    const EXAMPLE: &'static str = "ken forage recheck X-e71631";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/recheck")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = RecheckRequest;
    type Answer = RecheckAnswer;

    fn run(call: &mut Call, request: RecheckRequest) -> Result<RecheckAnswer> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::forage::recheck::recheck(ledger, site, caller, &request.id)
    }

    fn finds(answer: &RecheckAnswer) -> bool {
        answer.entries.iter().any(|entry| entry.holds == Some(false))
    }
}
