//! `ken review start`.

use ken_engine::Result;
use ken_engine::ops::review::ReviewStarted;

use crate::learn::Subject;
use crate::request::Request;
use crate::requests::agent;
use crate::verb::{Call, Content, Group, HttpPath, Nature, Verb};

/// Start a review: prints at most five entries for each agent.
pub struct ReviewStart;

impl Verb for ReviewStart {
    const NAME: &'static str = "review start";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Start a review: prints at most five entries for each agent";
    const EXAMPLE: &'static str = "ken review start --agents security,performance --diff change.patch";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/reviews")];
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReviewStartRequest;
    type Answer = ReviewStarted;

    fn run(call: &mut Call, request: ReviewStartRequest) -> Result<ReviewStarted> {
        let subject = match (request.summary, request.diff) {
            (_, Some(diff)) => Subject::Diff(diff.text("diff", &call.options().from)?),
            (summary, None) => Subject::Summary(summary.unwrap_or_default()),
        };
        let agents = request.agents.iter().map(|text| agent(text)).collect();
        let ken = call.begin_run(request.run)?;
        crate::learn::review_start(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            agents,
            &subject,
            request.thread,
            request.strategy,
        )
    }
}

/// What `review start` takes.
#[derive(Clone, Debug, Request)]
pub struct ReviewStartRequest {
    /// Agents, comma-separated: `NAME[=ROLE][@FAMILY]`
    #[field(long, value_name = "A,B", split, required)]
    pub agents: Vec<String>,
    /// Summary of what is reviewed
    #[field(long, unless("diff"), conflicts("diff"))]
    pub summary: Option<String>,
    /// Change to review, as a unified diff; `-` is stdin
    #[field(long, value_name = "FILE")]
    pub diff: Option<Content>,
    /// Name of the run; generated if omitted
    #[field(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Thread (line of work) it belongs to
    #[field(long)]
    pub thread: Option<String>,
    /// Strategy, free text
    #[field(long)]
    pub strategy: Option<String>,
}
