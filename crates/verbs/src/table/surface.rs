//! `ken surface`.

use ken_engine::Result;
use ken_engine::ops::surface::SurfaceAnswer;

use crate::Reach;
use crate::search_request::{SurfaceRequest, surface_input};
use crate::verb::{Call, Group, InRun, Nature, Verb};

/// Select the most relevant entries for a role, within a token budget.
pub struct Surface;

impl Verb for Surface {
    const NAME: &'static str = "surface";
    const ABOUT: &'static str = "Select the most relevant entries for a role, within a token budget";
    const EXAMPLE: &'static str = "ken surface --role planner 'make the client try again after an error'";
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    type Request = SurfaceRequest;
    type Answer = SurfaceAnswer;

    fn run(call: &mut Call, request: SurfaceRequest) -> Result<SurfaceAnswer> {
        let input = surface_input(call, request)?;
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::recall::surface(ledger, site, models, caller, &input)
    }

    fn in_run(request: &SurfaceRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}
