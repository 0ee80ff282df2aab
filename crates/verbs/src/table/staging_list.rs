//! `ken digest list`.

use ken_engine::{Listing, Result};
use serde::Serialize;

use crate::page::PageRequest;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};
use crate::{DroppedLine, Reach, StagedLine, StagingAnswer};

/// List staged and dropped candidates.
pub struct StagingList;

impl Verb for StagingList {
    const NAME: &'static str = "digest list";
    const FORMER: &'static [&'static str] = &["staging list"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "List staged and dropped candidates";
    const EXAMPLE: &'static str = "ken digest list";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/staging")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::READS;
    type Request = StagingListRequest;
    type Answer = StagingPage;

    fn run(call: &mut Call, request: StagingListRequest) -> Result<StagingPage> {
        let Reach { ledger, site, .. } = call.reach()?;
        let StagingAnswer { staged, dropped, withheld } = crate::digest::staging(ledger, site.state())?;
        let staged = request.page.of(staged, |line| line.id.clone())?;
        Ok(StagingPage { staged, dropped, withheld })
    }
}

/// What `digest list` takes.
#[derive(Clone, Debug, Request)]
pub struct StagingListRequest {
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

/// What `digest list` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagingPage {
    /// What waits, by place.
    #[serde(flatten)]
    pub staged: Listing<StagedLine>,
    /// What was dropped.
    pub dropped: Vec<DroppedLine>,
    /// Files that are not shown: the scan keeps them out, or they are not what their name says.
    pub withheld: Vec<String>,
}
