//! `ken review list`.

use ken_core::run::RunKind;
use ken_engine::Result;

use crate::Reach;
use crate::requests::{RunListRequest, RunsAnswer};
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// List reviews, newest first.
pub struct ReviewList;

impl Verb for ReviewList {
    const NAME: &'static str = "review list";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "List reviews, newest first";
    const EXAMPLE: &'static str = "ken review list --open";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/reviews")];
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::READS;
    type Request = RunListRequest;
    type Answer = RunsAnswer;

    fn run(call: &mut Call, request: RunListRequest) -> Result<RunsAnswer> {
        let Reach { ledger, caller, .. } = call.reach()?;
        let runs = crate::learn::runs(ledger, caller, &[RunKind::Review], request.open)?;
        request.page.of(runs, |run| run.run.clone())
    }
}
