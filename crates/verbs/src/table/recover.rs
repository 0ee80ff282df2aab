//! `ken recover`.

use ken_engine::{Recovered, Result};

use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Restore events that the ledger files of this branch have lost.
pub struct Recover;

/// What `recover` takes.
#[derive(Clone, Debug, Request)]
pub struct RecoverRequest {
    /// Recover everything in this clone's journal, including other branches
    #[field(long)]
    pub all: bool,
}

impl Verb for Recover {
    const NAME: &'static str = "recover";
    const ABOUT: &'static str = "Restore events that the ledger files of this branch have lost";
    const EXAMPLE: &'static str = "ken recover --all";
    const GROUP: Group = Group::Share;
    const NATURE: Nature = Nature::WRITES;
    type Request = RecoverRequest;
    type Answer = Recovered;

    fn run(call: &mut Call, request: RecoverRequest) -> Result<Recovered> {
        call.reach()?.ledger.snapshot_mut().git_mut()?.recover(request.all)
    }

    fn finds(answer: &Recovered) -> bool {
        !answer.still_missing.is_empty()
    }
}
