//! `ken task start`.

use ken_core::run::RunKind;
use ken_engine::Result;
use ken_engine::ops::run::StartAnswer;

use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Start a task.
pub struct TaskStart;

impl Verb for TaskStart {
    const NAME: &'static str = "task start";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Start a task";
    const EXAMPLE: &'static str = "ken task start --goal 'retry failed uploads'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/runs")];
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::WRITES;
    type Request = TaskStartRequest;
    type Answer = StartAnswer;

    fn run(call: &mut Call, request: TaskStartRequest) -> Result<StartAnswer> {
        let kind = if request.session { RunKind::Session } else { RunKind::Task };
        let ken = call.begin_run(request.run)?;
        crate::learn::task_start(
            &mut ken.ledger,
            &ken.site,
            &ken.caller,
            &request.goal,
            kind,
            request.thread,
            request.strategy,
        )
    }
}

/// What `task start` takes.
#[derive(Clone, Debug, Request)]
pub struct TaskStartRequest {
    /// Goal of the task
    #[field(long)]
    pub goal: String,
    /// Name of the run; generated if omitted
    #[field(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Thread it belongs to; the task sees that thread's private entries
    #[field(long)]
    pub thread: Option<String>,
    /// Strategy, free text
    #[field(long)]
    pub strategy: Option<String>,
    /// The run is a whole agent session, not a single task
    #[field(long)]
    pub session: bool,
}
