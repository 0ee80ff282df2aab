//! `brief`: what to know of a store at the start.

use clap::Args;
use ken_engine::Result;

use crate::brief::BriefAnswer;
use crate::verb::{Call, Group, HttpPath, InRun, Nature, Verb, whole};

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
#[derive(Clone, Debug, Args)]
pub struct BriefRequest {
    /// Token budget
    #[arg(long, value_name = "N", value_parser = whole::<usize>, default_value = "500")]
    pub tokens: usize,
    /// Print everything, without a token budget
    #[arg(long, conflicts_with = "tokens")]
    pub all: bool,
    /// The run it belongs to.
    #[command(flatten)]
    pub in_run: InRun,
}
