//! `ken thread archive`.

use ken_engine::Result;
use ken_engine::ops::reach::ThreadAnswer;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

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
