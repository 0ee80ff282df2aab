//! `ken forage gap`.

use ken_core::forage::ForageMode;
use ken_core::{Code, Refusal};
use ken_engine::Result;

use crate::Reach;
use crate::forage::serve::{asked, gaps};
use crate::forage::{ForageAnswer, ForagePolicy, Task};
use crate::request::Request;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb};

/// Look up what the briefing misses.
pub struct ForageGap;

/// What `forage gap` takes.
#[derive(Clone, Debug, Request)]
pub struct GapRequest {
    /// Finding of `ken brief`, such as coverage_gap; `coverage_gap/2` is the second one
    #[field(value_name = "FINDING")]
    pub finding: String,
    /// Dry run: show what would be sent; nothing is
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for ForageGap {
    const NAME: &'static str = "forage gap";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Look up a gap that the briefing found";
    const EXAMPLE: &'static str = "ken forage gap coverage_gap --dry-run";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/gap")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = GapRequest;
    type Answer = ForageAnswer;

    fn run(call: &mut Call, request: GapRequest) -> Result<ForageAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        if !request.dry_run {
            ForagePolicy::read(&site.config)?.require_on()?;
        }
        let (rule, number) = match request.finding.split_once('/') {
            Some((rule, number)) => (rule, number.parse::<usize>().ok().filter(|number| *number > 0)),
            None => (request.finding.as_str(), Some(1)),
        };
        let gaps = gaps(ledger, site, caller)?;
        let mut found = gaps.into_iter().filter(|task| task.trigger.word() == rule);
        let task = number.and_then(|number| found.nth(number - 1)).ok_or_else(|| {
            Refusal::new(
                Code::NotFound,
                format!("the briefing has no finding {:?} that a page could answer", request.finding),
            )
            .hint("`ken brief` lists what it finds")
            .field("finding")
        })?;
        let task = Task { mode: ForageMode::Operator, ..task };
        asked(ledger, site, models, caller, &task, request.dry_run)
    }

    fn only_reads(request: &GapRequest) -> bool {
        request.dry_run
    }
}
