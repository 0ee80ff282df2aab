//! `ken verify`.

use ken_engine::{Report, Result};

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Check the integrity of the ledger: lines, hashes, parents, links and ids.
pub struct Verify;

/// What `verify` takes.
#[derive(Clone, Debug, Request)]
pub struct VerifyRequest {
    /// Repair what can be repaired without losing data
    #[field(long)]
    pub fix: bool,
}

impl Verb for Verify {
    const NAME: &'static str = "verify";
    const ABOUT: &'static str = "Check the integrity of the ledger: lines, hashes, parents, links and ids";
    const EXAMPLE: &'static str = "ken verify --fix";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/verify")];
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::WRITES;
    type Request = VerifyRequest;
    type Answer = Report;

    fn run(call: &mut Call, request: VerifyRequest) -> Result<Report> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::doctor::verify(ledger, site.state(), caller, request.fix)
    }

    /// Mending twice mends once.
    fn only_reads(_: &VerifyRequest) -> bool {
        true
    }

    fn finds(answer: &Report) -> bool {
        !answer.pass
    }
}
