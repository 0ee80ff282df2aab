//! `confirm`, `feedback`, `belief`, `outcomes`, `reset`, `thread` and `queue`: what is said about entries, and what that comes to.

use crate::Reach;
use std::collections::BTreeMap;

use crate::request::Request;
use ken_engine::ops::belief::BeliefAnswer;
use ken_engine::ops::change::ChangeAnswer;
use ken_engine::ops::confirm::ConfirmAnswer;
use ken_engine::ops::outcomes::{Outcome, OutcomesAnswer, Totals};
use ken_engine::ops::queue::{Rulings, Verdict, Worksheet};
use ken_engine::ops::reach::{ThreadAnswer, ThreadLine};
use ken_engine::{Listing, Result};
use serde::Serialize;

use super::ReasonRequest;
use crate::page::PageRequest;
use crate::verb::{Call, Group, HttpPath, InRun, Nature, Verb};

/// Confirm that an entry still holds.
pub struct Confirm;

impl Verb for Confirm {
    const NAME: &'static str = "confirm";
    const ABOUT: &'static str = "Confirm that an entry still holds";
    const EXAMPLE: &'static str = "ken confirm L-e71631 --reason 'the outage test shows it'";
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::WRITES;
    type Request = ConfirmRequest;
    type Answer = ConfirmAnswer;

    fn run(call: &mut Call, request: ConfirmRequest) -> Result<ConfirmAnswer> {
        let ken = call.reach()?;
        if let Some(refusal) = crate::learn::asks_who_confirms(&ken.caller)(&request.id) {
            return Err(refusal.into());
        }
        crate::learn::confirm(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            &request.id,
            &request.reason,
        )
    }

    fn in_run(request: &ConfirmRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// What `confirm` takes.
#[derive(Clone, Debug, Request)]
pub struct ConfirmRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// How it was confirmed
    #[field(long, default = "")]
    pub reason: String,
    /// The run it belongs to.
    #[field(flatten)]
    pub in_run: InRun,
}

/// Record whether an entry helped.
pub struct Feedback;

impl Verb for Feedback {
    const NAME: &'static str = "feedback";
    const ABOUT: &'static str = "Record whether an entry helped";
    const EXAMPLE: &'static str = "ken feedback L-e71631 --helpful";
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::WRITES;
    type Request = FeedbackRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: FeedbackRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::learn::feedback(ledger, site, models, caller, &request.id, request.helpful, &request.reason)
    }

    fn in_run(request: &FeedbackRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// What `feedback` takes: one of the two flags.
#[derive(Clone, Debug, Request)]
#[request(one_of("helpful", "not_helpful"))]
pub struct FeedbackRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// The entry helped
    #[field(long)]
    pub helpful: bool,
    /// The entry did not help
    #[field(long)]
    pub not_helpful: bool,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
    /// The run it belongs to.
    #[field(flatten)]
    pub in_run: InRun,
}

/// Show the belief in an entry and how it was computed.
pub struct Belief;

impl Verb for Belief {
    const NAME: &'static str = "why --belief";
    const FORMER: &'static [&'static str] = &["belief"];
    const ABOUT: &'static str = "Show the belief in an entry and how it was computed";
    const EXAMPLE: &'static str = "ken why --belief L-e71631";
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::READS;
    type Request = BeliefRequest;
    type Answer = BeliefAnswer;

    fn run(call: &mut Call, request: BeliefRequest) -> Result<BeliefAnswer> {
        let ken = call.reach()?;
        match &request.as_of {
            Some(when) => {
                crate::learn::belief_as_of(&ken.ledger, &ken.site.layout, &ken.caller, when, &request.id)
            }
            None => crate::learn::belief(&mut ken.ledger, &ken.site, &ken.caller, &request.id),
        }
    }
}

/// What `belief` takes.
#[derive(Clone, Debug, Request)]
pub struct BeliefRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Show the state at a time or in a commit
    #[field(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
}

/// Show the outcomes of tasks and reviews.
pub struct Outcomes;

impl Verb for Outcomes {
    const NAME: &'static str = "stats --outcomes";
    const FORMER: &'static [&'static str] = &["outcomes"];
    const ABOUT: &'static str = "Show the outcomes of tasks and reviews";
    const EXAMPLE: &'static str = "ken stats --outcomes --period 7d";
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::READS;
    type Request = OutcomesRequest;
    type Answer = OutcomesPage;

    fn run(call: &mut Call, request: OutcomesRequest) -> Result<OutcomesPage> {
        let Reach { ledger, caller, .. } = call.reach()?;
        let OutcomesAnswer { totals, strategies, runs } =
            crate::learn::outcomes(ledger, caller, &request.period)?;
        let runs = request.page.of(runs, |run| run.line.run.clone())?;
        Ok(OutcomesPage { totals, strategies, runs })
    }
}

/// What `stats --outcomes` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomesPage {
    /// All of them together.
    pub totals: Totals,
    /// By how they were gone about.
    pub strategies: BTreeMap<String, Totals>,
    /// Each of them, newest first.
    #[serde(flatten)]
    pub runs: Listing<Outcome>,
}

/// What `outcomes` takes.
#[derive(Clone, Debug, Request)]
pub struct OutcomesRequest {
    /// Period: 24h, 7d, 4w or all
    #[field(long, default = "7d")]
    pub period: String,
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

/// Archive a thread; its private entries lose weight.
pub struct ThreadArchive;

impl Verb for ThreadArchive {
    const NAME: &'static str = "thread archive";
    const ABOUT: &'static str = "Archive a thread; its private entries lose weight";
    const EXAMPLE: &'static str = "ken thread archive refactor-7";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/threads/{thread}/archive")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::WRITES;
    type Request = ThreadArchiveRequest;
    type Answer = ThreadAnswer;

    fn run(call: &mut Call, request: ThreadArchiveRequest) -> Result<ThreadAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::learn::archive_thread(ledger, site, models, caller, &request.thread)
    }
}

/// What `thread archive` takes.
#[derive(Clone, Debug, Request)]
pub struct ThreadArchiveRequest {
    /// Thread to archive
    pub thread: String,
}

/// List the threads that have entries.
pub struct ThreadList;

impl Verb for ThreadList {
    const NAME: &'static str = "thread list";
    const ABOUT: &'static str = "List the threads that have entries";
    const EXAMPLE: &'static str = "ken thread list";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/threads")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::READS;
    type Request = ThreadListRequest;
    type Answer = ThreadsAnswer;

    fn run(call: &mut Call, request: ThreadListRequest) -> Result<ThreadsAnswer> {
        let threads = crate::learn::threads(&call.reach()?.ledger)?;
        request.page.of(threads, |line| line.thread.clone())
    }
}

/// What `thread list` takes.
#[derive(Clone, Debug, Request)]
pub struct ThreadListRequest {
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

/// What `thread list` answers: every thread that has entries.
pub type ThreadsAnswer = Listing<ThreadLine>;

/// Reset the belief in an entry; requires a person.
pub struct Reset;

impl Verb for Reset {
    const NAME: &'static str = "maintain --reset";
    const FORMER: &'static [&'static str] = &["reset"];
    const ABOUT: &'static str = "Reset the belief in an entry; requires a person";
    const EXAMPLE: &'static str =
        "ken maintain --reset L-e71631 --reason 'the failures came from another change'";
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::REMOVES.for_a_person();
    type Request = ReasonRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: ReasonRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::learn::reset_belief(ledger, site, models, caller, &request.id, &request.reason)
    }
}

/// Show the review queue: likely duplicates, broken and incomplete entries.
pub struct Queue;

impl Verb for Queue {
    const NAME: &'static str = "queue";
    const ABOUT: &'static str = "Show the review queue: likely duplicates, broken and incomplete entries";
    const EXAMPLE: &'static str = "ken queue --limit 5";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/queue"), HttpPath::new("POST", "/queue")];
    const GROUP: Group = Group::KeepTrue;
    const NATURE: Nature = Nature::WRITES;
    const EVERYDAY: bool = true;
    const AT_TERMINAL: &'static [&'static str] = &["edit", "file", "list"];
    type Request = QueueRequest;
    type Answer = QueueAnswer;

    fn run(call: &mut Call, request: QueueRequest) -> Result<QueueAnswer> {
        let ken = call.reach()?;
        let limit = if request.limit == 0 { usize::MAX } else { request.limit };
        let cursor = request.cursor.as_deref();
        match (request.item, request.answer, request.reason) {
            (Some(item), Some(answer), Some(reason)) => crate::queue::judge(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                &[Verdict { item, answer, reason }],
                limit,
                cursor,
            )
            .map(QueueAnswer::Judged),
            _ => crate::queue::queue_page(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                limit,
                cursor,
            )
            .map(QueueAnswer::Waiting),
        }
    }

    fn only_reads(request: &QueueRequest) -> bool {
        request.item.is_none() && !request.edit && request.file.is_none()
    }

    fn rejects(answer: &QueueAnswer) -> bool {
        match answer {
            QueueAnswer::Waiting(_) => false,
            QueueAnswer::Judged(rulings) => rulings.results.iter().any(|one| !one.accepted),
        }
    }
}

/// What `queue` takes.
#[derive(Clone, Debug, Request)]
pub struct QueueRequest {
    /// Maximum number of items; 0 lists all
    #[field(long, short = 'n', value_name = "N", default = 10)]
    pub limit: usize,
    /// Cursor of the previous page
    #[field(long, value_name = "CURSOR", hyphens)]
    pub cursor: Option<String>,
    /// Item to answer: its name in the list, or the entry it is about
    #[field(long, requires("answer", "reason"))]
    pub item: Option<String>,
    /// One of the answers the item allows
    #[field(long, requires("item"))]
    pub answer: Option<String>,
    /// Reason, recorded in the ledger
    #[field(long, requires("item"))]
    pub reason: Option<String>,
    /// Decide about the whole queue in your editor, a line for each item
    #[field(long, conflicts("item", "list"))]
    pub edit: bool,
    /// Read the edited lines from a file instead of opening the editor
    #[field(long, value_name = "FILE", conflicts("item", "list"))]
    pub file: Option<std::path::PathBuf>,
    /// List the queue, and ask nothing
    #[field(long, conflicts("item"))]
    pub list: bool,
}

/// What `queue` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum QueueAnswer {
    /// What waits for a judgement.
    Waiting(Worksheet),
    /// What became of a judgement, and what waits now.
    Judged(Rulings),
}
