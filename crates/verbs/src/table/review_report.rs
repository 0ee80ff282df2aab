//! `ken review report`.

use ken_engine::Result;
use ken_engine::ops::review::ReportAnswer;

use crate::Reach;
use crate::request::Request;
use crate::requests::run_named;
use crate::verb::{Call, Content, Group, HttpPath, Nature, Verb};

/// Report the findings of an agent.
pub struct ReviewReport;

impl Verb for ReviewReport {
    const NAME: &'static str = "review report";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Report the findings of an agent";
    const EXAMPLE: &'static str =
        "ken review report --run review-7 --agent security --findings findings.json";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/reviews/{run}/findings")];
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReviewReportRequest;
    type Answer = ReportAnswer;

    fn run(call: &mut Call, request: ReviewReportRequest) -> Result<ReportAnswer> {
        let run = run_named(call, request.run.as_ref())?;
        let findings = request.findings.text("findings", &call.options().from)?;
        let agent = request.agent.or(call.caller().agent().map(str::to_owned));
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::learn::review_report(ledger, &site.config, caller, &run, agent.as_deref(), &findings)
    }
}

/// What `review report` takes.
#[derive(Clone, Debug, Request)]
pub struct ReviewReportRequest {
    /// Review (default: KEN_RUN)
    #[field(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Agent that reports (default: named in the findings, or KEN_AGENT)
    #[field(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Findings: JSON, JSON Lines or a Findings Index; `-` is stdin
    #[field(long, value_name = "FILE")]
    pub findings: Content,
}
