//! `review`: what agents are told, what they find, and what is learned from it.

use crate::Reach;
use crate::request::Request;
use ken_core::run::{Agent, RunKind};
use ken_engine::Result;
use ken_engine::ops::review::{Cited, CompleteAnswer, ReportAnswer, ReviewStarted, ReviewView};

use super::task::{RunListRequest, RunNameRequest, RunsAnswer, run_named};
use crate::learn::Subject;
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

/// An agent as it is written: `NAME[=ROLE][@FAMILY]`.
fn agent(text: &str) -> Agent {
    let (rest, family) = match text.trim().rsplit_once('@') {
        Some((rest, family)) => (rest, Some(family.trim().to_owned())),
        None => (text.trim(), None),
    };
    let (name, role) = match rest.split_once('=') {
        Some((name, role)) => (name, Some(role.trim().to_owned())),
        None => (rest, None),
    };
    let role = role.or_else(|| ken_core::reviewers::keywords(name).map(|_| name.to_owned()));
    Agent { name: name.trim().to_owned(), role, family }
}

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

/// Complete a review: confirm, add and archive entries.
pub struct ReviewComplete;

impl Verb for ReviewComplete {
    const NAME: &'static str = "review complete";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Complete a review: confirm, add and archive entries";
    const EXAMPLE: &'static str = "ken review complete --run review-7";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/reviews/{run}/complete")];
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReviewCompleteRequest;
    type Answer = CompleteAnswer;

    fn run(call: &mut Call, request: ReviewCompleteRequest) -> Result<CompleteAnswer> {
        let run = request.review.named(call)?;
        let cited = match request.findings {
            Some(list) => {
                let report = ken_core::finding::read::read(&list.text("findings", &call.options().from)?)?;
                Some(Cited { findings: report.findings, strict: request.strict })
            }
            None => None,
        };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::learn::review_complete_with(ledger, site, models, caller, &run, cited.as_ref())
    }
}

/// What `review complete` takes.
#[derive(Clone, Debug, Request)]
pub struct ReviewCompleteRequest {
    /// The review.
    #[field(flatten)]
    pub review: RunNameRequest,
    /// Merged findings; a P0 or P1 that no agent reported is refused; `-` is stdin
    #[field(long, value_name = "FILE")]
    pub findings: Option<Content>,
    /// Also refuse a P2 or P3 that no agent reported
    #[field(long, requires("findings"))]
    pub strict: bool,
}

/// Show a review: exposures and findings.
pub struct ReviewShow;

impl Verb for ReviewShow {
    const NAME: &'static str = "review show";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show a review: exposures and findings";
    const EXAMPLE: &'static str = "ken review show --run review-7";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/reviews/{run}")];
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
