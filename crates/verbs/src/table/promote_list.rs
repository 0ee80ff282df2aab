//! `ken promote list`.

use std::collections::BTreeMap;

use ken_core::answer::PromotionState;
use ken_engine::ops::promote::PromotionView;
use ken_engine::{Error, Listing, Result};
use serde::Serialize;

use crate::page::PageRequest;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// List open proposals.
pub struct PromoteList;

impl Verb for PromoteList {
    const NAME: &'static str = "promote list";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "List open proposals";
    const EXAMPLE: &'static str = "ken promote list --all";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/promotions")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::READS;
    type Request = PromotionListRequest;
    type Answer = PromotionsAnswer;

    fn run(call: &mut Call, request: PromotionListRequest) -> Result<PromotionsAnswer> {
        let ken = call.reach()?;
        let promotions = crate::promote::promotions(&ken.ledger, request.all)?;
        let policy = crate::promote::who_approves(&ken.site.config);
        let approvers = policy.approvers.iter().map(|one| one.name.clone()).collect();
        let cannot_answer =
            refused(crate::promote::approver(&ken.site.config, &ken.caller, "answering a proposal"))?;
        let mut cannot_approve = BTreeMap::new();
        let actor = ken.caller.actor().to_owned();
        let is_own = |view: &&PromotionView| view.state == PromotionState::Open && view.proposer == actor;
        for own in promotions.iter().filter(is_own).filter(|_| cannot_answer.is_none()) {
            cannot_approve.extend(
                refused(crate::promote::approvable(
                    &mut ken.ledger,
                    &ken.site,
                    &mut ken.models,
                    &ken.caller,
                    &own.id,
                ))?
                .map(|why| (own.id.clone(), why)),
            );
        }
        let promotions = request.page.of(promotions, |view| view.id.clone())?;
        Ok(PromotionsAnswer { approvers, promotions, solo: policy.solo, cannot_answer, cannot_approve })
    }
}

/// What `promote list` takes.
#[derive(Clone, Debug, Request)]
pub struct PromotionListRequest {
    /// Include answered proposals
    #[field(long)]
    pub all: bool,
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

/// What `promote list` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromotionsAnswer {
    /// Who may approve here.
    pub approvers: Vec<String>,
    /// The proposals.
    #[serde(flatten)]
    pub promotions: Listing<PromotionView>,
    /// Whether one person may propose and approve.
    pub solo: bool,
    /// Why whoever asks may answer none of them; absent where they may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cannot_answer: Option<String>,
    /// Their own proposals that they may not approve, by id, with the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cannot_approve: BTreeMap<String, String>,
}

/// Why something is refused; none where it is not.
fn refused<T>(answer: Result<T>) -> Result<Option<String>> {
    match answer {
        Ok(_) => Ok(None),
        Err(Error::Refused(refusal)) => Ok(Some(refusal.message)),
        Err(other) => Err(other),
    }
}
