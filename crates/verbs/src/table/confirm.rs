//! `ken confirm`.

use ken_engine::Result;
use ken_engine::ops::confirm::ConfirmAnswer;

use crate::request::Request;
use crate::verb::{Call, Group, InRun, Nature, Verb};

/// Confirm that an entry still holds.
pub struct Confirm;

impl Verb for Confirm {
    const NAME: &'static str = "confirm";
    const ABOUT: &'static str = "Confirm that an entry still holds";
    const EXAMPLE: &'static str = "ken confirm L-e71631 --reason 'the outage test shows it'";
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::WRITES;
    type Request = ConfirmRequest;
    type Answer = ConfirmAnswer;

    fn run(call: &mut Call, request: ConfirmRequest) -> Result<ConfirmAnswer> {
        let ken = call.reach()?;
        if let Some(refusal) = crate::learn::asks_who_confirms(&ken.caller)(&request.id) {
            return Err(refusal.into());
        }
        crate::learn::confirm(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            &request.id,
            &request.reason,
        )
    }

    fn in_run(request: &ConfirmRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// What `confirm` takes.
#[derive(Clone, Debug, Request)]
pub struct ConfirmRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// How it was confirmed
    #[field(long, default = "")]
    pub reason: String,
    /// The run it belongs to.
    #[field(flatten)]
    pub in_run: InRun,
}
