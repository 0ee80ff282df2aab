//! `brief`: what to know of a store at the start.

use ken_engine::Result;

use crate::brief::BriefAnswer;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, InRun, Nature, Verb};

/// Print a briefing: what to know first, and what needs attention.
pub struct Brief;

impl Verb for Brief {
    const NAME: &'static str = "brief";
    const ABOUT: &'static str = "Print a briefing: what to know first, and what needs attention";
    const EXAMPLE: &'static str = "ken brief --tokens 500";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/briefing")];
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    type Request = BriefRequest;
    type Answer = BriefAnswer;

    fn run(call: &mut Call, request: BriefRequest) -> Result<BriefAnswer> {
        let ken = call.reach()?;
        if request.all {
            crate::brief::brief_whole(&mut ken.ledger, &ken.site, &ken.models, &ken.caller)
        } else {
            crate::brief::brief(&mut ken.ledger, &ken.site, &ken.models, &ken.caller, request.tokens)
        }
    }

    fn in_run(request: &BriefRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// What `brief` takes.
#[derive(Clone, Debug, Request)]
pub struct BriefRequest {
    /// Token budget
    #[field(long, value_name = "N", default = 500)]
    pub tokens: usize,
    /// Print everything, without a token budget
    #[field(long, conflicts("tokens"))]
    pub all: bool,
    /// The run it belongs to.
    #[field(flatten)]
    pub in_run: InRun,
}
