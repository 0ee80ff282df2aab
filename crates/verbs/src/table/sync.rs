//! `ken mirror sync`.

use ken_engine::Result;

use crate::Reach;
use crate::foreign::{SyncInput, SyncReport, Take};
use crate::request::Request;
use crate::verb::{Call, ForAdmins, Group, Nature, Verb};

/// Sync files of other systems with the ledger, both ways.
pub struct Sync;

/// What `sync` takes.
#[derive(Clone, Debug, Request)]
pub struct SyncRequest {
    /// Mirrors to sync (default: all)
    #[field(value_name = "MIRROR")]
    pub mirrors: Vec<String>,
    /// Dry run: list differences, exit code 1 if there are any
    #[field(long)]
    pub check: bool,
    /// Allow the deletion of many files
    #[field(long, conflicts("check"))]
    pub yes: bool,
    /// Recreate missing files that no commit deleted, or whose deletion waits for a person
    #[field(long)]
    pub restore: bool,
    /// Which side wins a conflict
    #[field(long, value_name = "SIDE", words = Take::WORDS, only_words)]
    pub take: Option<Take>,
}

impl From<SyncRequest> for SyncInput {
    fn from(request: SyncRequest) -> SyncInput {
        let SyncRequest { mirrors, check, yes, restore, take } = request;
        SyncInput { mirrors, check, yes, restore, take, only: None }
    }
}

impl Verb for Sync {
    const NAME: &'static str = "mirror sync";
    const FORMER: &'static [&'static str] = &["sync"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Sync files of other systems with the ledger, both ways";
    const EXAMPLE: &'static str = "ken mirror sync --check";
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::OtherSystems;
    const NATURE: Nature = Nature::REMOVES;
    const AT_TERMINAL: &'static [&'static str] = &["yes"];
    type Request = SyncRequest;
    type Answer = SyncReport;

    fn run(call: &mut Call, request: SyncRequest) -> Result<SyncReport> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::foreign::sync::sync(ledger, site, models, caller, &request.into())
    }

    fn finds(report: &SyncReport) -> bool {
        !report.is_in_step()
    }
}
