//! `ken thread list`.

use ken_engine::ops::reach::ThreadLine;
use ken_engine::{Listing, Result};

use crate::page::PageRequest;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

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
