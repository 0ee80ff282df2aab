//! `ken surface --inject`.

use ken_engine::Result;
use ken_engine::ops::surface::SurfaceAnswer;

use crate::Reach;
use crate::search_request::{SurfaceRequest, surface_input};
use crate::verb::{Call, Group, InRun, Nature, Verb};

/// Like `surface`, for hosts that inject entries into a prompt: at most five.
pub struct Inject;

impl Verb for Inject {
    const NAME: &'static str = "surface --inject";
    const FORMER: &'static [&'static str] = &["inject"];
    const ABOUT: &'static str = "Like `surface`, for hosts that inject entries into a prompt: at most five";
    const EXAMPLE: &'static str =
        "ken surface --inject --role planner 'make the client try again after an error'";
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    type Request = SurfaceRequest;
    type Answer = SurfaceAnswer;

    fn run(call: &mut Call, request: SurfaceRequest) -> Result<SurfaceAnswer> {
        let input = surface_input(call, request)?;
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::recall::inject(ledger, site, models, caller, input)
    }

    fn in_run(request: &SurfaceRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}
