//! `ken digest reduce`.

use ken_engine::Result;

use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};
use crate::{Reach, ReduceAnswer};

/// Extract candidates from documents, commits and pull requests into staging.
pub struct Reduce;

/// What `reduce` takes.
#[derive(Clone, Debug, Default, Request)]
pub struct ReduceRequest {
    /// Sources: files, folders, globs, git:RANGE or exported pull requests (.json)
    #[field(long, value_name = "SOURCE", several)]
    pub sources: Vec<String>,
    /// Sources, as for --sources
    #[field(value_name = "SOURCE")]
    pub named: Vec<String>,
    /// Dry run: list what would be staged
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for Reduce {
    const NAME: &'static str = "digest reduce";
    const FORMER: &'static [&'static str] = &["reduce"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Extract candidates from documents, commits and pull requests into staging";
    const EXAMPLE: &'static str = "ken digest reduce 'docs/**/*.md' --dry-run";
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReduceRequest;
    type Answer = ReduceAnswer;

    fn run(call: &mut Call, request: ReduceRequest) -> Result<ReduceAnswer> {
        let sources: Vec<String> = request.sources.into_iter().chain(request.named).collect();
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::digest::reduce(ledger, site, models, caller, &sources, request.dry_run)
    }
}
