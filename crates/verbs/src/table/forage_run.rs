//! `ken forage run`.

use ken_engine::Result;

use crate::Reach;
use crate::forage::serve::{may_start, serve};
use crate::forage::{ForagePolicy, RunAnswer};
use crate::request::Request;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb};

/// Serve what waits.
pub struct ForageRun;

/// What `forage run` takes.
#[derive(Clone, Debug, Request)]
pub struct RunRequest {
    /// Requests to serve, at most
    #[field(long, value_name = "N", default = 3)]
    pub requests: usize,
    /// Dry run: show what would be sent; nothing is
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for ForageRun {
    const NAME: &'static str = "forage run";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Look up what weak searches, agents and the briefing asked for";
    const EXAMPLE: &'static str = "ken forage run --requests 1";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/run")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = RunRequest;
    type Answer = RunAnswer;

    fn run(call: &mut Call, request: RunRequest) -> Result<RunAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        let policy = ForagePolicy::read(&site.config)?;
        if !request.dry_run {
            policy.require_on()?;
            may_start(caller, &policy)?;
        }
        serve(ledger, site, models, caller, &policy, request.requests, request.dry_run)
    }

    fn only_reads(request: &RunRequest) -> bool {
        request.dry_run
    }
}
