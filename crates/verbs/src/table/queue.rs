//! `ken queue`.

use ken_engine::Result;
use ken_engine::ops::queue::{Rulings, Verdict, Worksheet};
use serde::Serialize;

use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

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
