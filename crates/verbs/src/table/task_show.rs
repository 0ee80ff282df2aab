//! `ken task show`.

use ken_engine::Result;
use ken_engine::ops::review::ReviewView;

use crate::Reach;
use crate::requests::RunNameRequest;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Show a task: exposures and outcome.
pub struct TaskShow;

impl Verb for TaskShow {
    const NAME: &'static str = "task show";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show a task: exposures and outcome";
    const EXAMPLE: &'static str = "ken task show --run task-7";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/runs/{run}")];
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::READS;
    type Request = RunNameRequest;
    type Answer = ReviewView;

    fn run(call: &mut Call, request: RunNameRequest) -> Result<ReviewView> {
        let run = request.named(call)?;
        let Reach { ledger, caller, .. } = call.reach()?;
        crate::learn::review_show(ledger, caller, &run)
    }
}
