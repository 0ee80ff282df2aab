//! `ken why`.

use ken_engine::Result;
use ken_engine::ops::history::WhyAnswer;

use crate::requests::EntryRequest;
use crate::verb::{Call, Group, Nature, Verb};

/// Explain why an entry is or is not reliable.
pub struct Why;

impl Verb for Why {
    const NAME: &'static str = "why";
    const ABOUT: &'static str = "Explain why an entry is or is not reliable";
    const EXAMPLE: &'static str = "ken why L-e71631";
    const GROUP: Group = Group::Read;
    const NATURE: Nature = Nature::READS;
    const EVERYDAY: bool = true;
    type Request = EntryRequest;
    type Answer = WhyAnswer;

    fn run(call: &mut Call, request: EntryRequest) -> Result<WhyAnswer> {
        let ken = call.reach()?;
        match &request.as_of {
            Some(when) => crate::check::why_as_of(&ken.ledger, &ken.site, &ken.caller, when, &request.id),
            None => crate::why::why(&mut ken.ledger, &ken.site, &ken.caller, &request.id),
        }
    }
}
