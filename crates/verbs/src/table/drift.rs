//! `drift`: what nobody keeps up, and putting it away (DRI-1).

use ken_core::drift::Drift as Drifted;
use ken_core::{Code, Refusal};
use ken_engine::Result;
use ken_engine::ops::check::Summary;
use ken_engine::ops::drift::{DriftAnswer, Kept};
use serde::Serialize;

use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, sorted};

/// Report stale, bloated, contradictory and orphaned entries.
pub struct Drift;

/// What `drift` takes.
#[derive(Clone, Debug, Request)]
pub struct DriftRequest {
    /// Only entries of this reviewer
    #[field(long)]
    pub reviewer: Option<String>,
    /// Archive stale and orphaned entries, with confirmation by a person
    #[field(long)]
    pub prune: bool,
    /// Archive all of them without asking
    #[field(long, short, requires("prune"))]
    pub yes: bool,
}

/// What `drift` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum DriftedAnswer {
    /// What was found.
    Found(Box<DriftAnswer>),
    /// What was found and put away.
    Pruned(Box<Pruned>),
}

/// What `drift --prune` did.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pruned {
    /// Entries that were put away.
    pub archived: Vec<String>,
    /// Entries that are stale or orphaned and stay all the same.
    pub kept: Vec<Kept>,
    /// What was found before.
    #[serde(flatten, serialize_with = "sorted")]
    pub drift: Drifted,
    /// How the same entries stood by their code, in the verdicts of `check`.
    pub check: Summary,
    /// How many entries could have been put away.
    #[serde(skip)]
    pub prunable: usize,
}

impl Verb for Drift {
    const NAME: &'static str = "drift";
    const ABOUT: &'static str = "Report stale, bloated, contradictory and orphaned entries";
    const EXAMPLE: &'static str = "ken drift --reviewer security";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/drift"), HttpPath::new("POST", "/drift")];
    const GROUP: Group = Group::KeepTrue;
    const NATURE: Nature = Nature::WRITES;
    type Request = DriftRequest;
    type Answer = DriftedAnswer;

    fn run(call: &mut Call, request: DriftRequest) -> Result<DriftedAnswer> {
        let ken = call.reach()?;
        if !request.prune {
            return Ok(DriftedAnswer::Found(Box::new(crate::drift::drift(
                &ken.ledger,
                &ken.site,
                &ken.caller,
                request.reviewer.as_deref(),
            )?)));
        }
        crate::drift::may_prune(&ken.ledger, &ken.caller)?;
        if !request.yes {
            return Err(nobody_to_ask().into());
        }
        let DriftAnswer { drift, check, prunable, kept } =
            crate::drift::drift(&ken.ledger, &ken.site, &ken.caller, request.reviewer.as_deref())?;
        let archived =
            crate::drift::prune(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, &prunable)?;
        Ok(DriftedAnswer::Pruned(Box::new(Pruned { archived, kept, drift, check, prunable: prunable.len() })))
    }

    fn only_reads(request: &DriftRequest) -> bool {
        !request.prune
    }
}

fn nobody_to_ask() -> Refusal {
    Refusal::new(Code::NotAllowed, "--prune asks a person to confirm each entry, and this is not a terminal")
        .hint("review them with `ken drift`, then archive all with `ken drift --prune --yes`")
}
