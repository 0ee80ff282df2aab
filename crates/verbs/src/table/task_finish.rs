//! `ken task finish`.

use ken_core::run::{RunKind, RunOutcome};
use ken_core::words::one_line;
use ken_core::{Code, Refusal};
use ken_engine::Result;
use ken_engine::ops::run::{FinishAnswer, FinishInput, RunLine};

use crate::Reach;
use crate::limits::table_task_finish::{GOAL_CHARS_MAX, NAMED_MAX};
use crate::request::Request;
use crate::requests::run_named;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, read_word};

/// The words that help and schemas name for how a task ended; others mean the same.
const OUTCOMES: [&str; 4] = {
    let mut words = [""; 4];
    let mut at = 0;
    while at < words.len() {
        words[at] = RunOutcome::WORDS[at].0;
        at += 1;
    }
    words
};

/// Finish a task and update the belief in the entries it used.
pub struct TaskFinish;

impl Verb for TaskFinish {
    const NAME: &'static str = "task finish";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Finish a task and update the belief in the entries it used";
    const EXAMPLE: &'static str = "ken task finish --run task-7 --outcome success --used L-e71631";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/runs/{run}/finish")];
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::WRITES;
    type Request = TaskFinishRequest;
    type Answer = FinishAnswer;

    fn run(call: &mut Call, request: TaskFinishRequest) -> Result<FinishAnswer> {
        let outcome = read_word("outcome", "outcome", &request.outcome, &OUTCOMES, RunOutcome::from_word)?;
        let used = if request.used_none || !request.used.is_empty() { Some(request.used) } else { None };
        let input = FinishInput {
            run: task_to_finish(call, request.run.as_ref())?,
            outcome,
            quality: request.quality,
            used,
            wrong: request.wrong,
            cost: request.cost,
            rounds: request.rounds,
            strategy: request.strategy,
        };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::learn::task_finish(ledger, site, models, caller, input)
    }
}

/// What `task finish` takes.
#[derive(Clone, Debug, Request)]
pub struct TaskFinishRequest {
    /// Task (default: KEN_RUN, or the only open task)
    #[field(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Outcome: success, failure, killed or abandoned
    #[field(long, words = &OUTCOMES)]
    pub outcome: String,
    /// Quality of the result, 0 to 1
    #[field(long, value_name = "0..1", signed)]
    pub quality: Option<f64>,
    /// Entry it used, most helpful first (default: every entry it was shown)
    #[field(long, value_name = "ID", split)]
    pub used: Vec<String>,
    /// Entry that turned out to be wrong
    #[field(long, value_name = "ID")]
    pub wrong: Vec<String>,
    /// None of the entries it was shown were used
    #[field(long, conflicts("used"))]
    pub used_none: bool,
    /// Cost, in any unit
    #[field(long, value_name = "NUMBER", signed)]
    pub cost: Option<f64>,
    /// Number of rounds
    #[field(long)]
    pub rounds: Option<u32>,
    /// Strategy, free text
    #[field(long)]
    pub strategy: Option<String>,
}

/// The task that is meant: as the request says, else the one that the call belongs to, else the only one that is open.
fn task_to_finish(call: &mut Call, named: Option<&String>) -> Result<String> {
    if named.is_some() || call.caller().run().is_some() {
        return run_named(call, named);
    }
    let Reach { ledger, caller, .. } = call.reach()?;
    let open = crate::learn::runs(ledger, caller, &[RunKind::Task], true)?;
    match open.as_slice() {
        [only] => Ok(only.run.clone()),
        [] => Err(Refusal::new(Code::Invalid, "no task is open")
            .hint("`ken task start --goal '...'` begins one; `ken task list` shows those that are over")
            .field("run")
            .into()),
        several => {
            let name = |one: &RunLine| format!("{} ({})", one.run, one_line(&one.about, GOAL_CHARS_MAX));
            let names: Vec<String> = several.iter().take(NAMED_MAX).map(name).collect();
            let more = several.len() - names.len();
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let message = format!("{} tasks are open: {}{more}", several.len(), names.join(", "));
            Err(Refusal::new(Code::Invalid, message)
                .hint(format!("say which: ken task finish --run {} --outcome ...", several[0].run))
                .field("run")
                .into())
        }
    }
}
