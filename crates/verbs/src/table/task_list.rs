//! `ken task list`.

use ken_core::run::RunKind;
use ken_engine::Result;

use crate::Reach;
use crate::requests::{RunListRequest, RunsAnswer};
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// List tasks, newest first.
pub struct TaskList;

impl Verb for TaskList {
    const NAME: &'static str = "task list";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "List tasks, newest first";
    const EXAMPLE: &'static str = "ken task list --open";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/runs")];
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::READS;
    type Request = RunListRequest;
    type Answer = RunsAnswer;

    fn run(call: &mut Call, request: RunListRequest) -> Result<RunsAnswer> {
        let Reach { ledger, caller, .. } = call.reach()?;
        let runs = crate::learn::runs(ledger, caller, &[RunKind::Task, RunKind::Session], request.open)?;
        request.page.of(runs, |run| run.run.clone())
    }
}
