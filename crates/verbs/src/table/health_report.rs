//! `ken health report`.

use ken_engine::Result;
use ken_engine::ops::health;

use crate::Reach;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Report the health of the store and save it to .kenning/.health/latest.json.
pub struct HealthReport;

impl Verb for HealthReport {
    const NAME: &'static str = "health report";
    const ABOUT: &'static str = "Report the health of the store and save it to .kenning/.health/latest.json";
    const EXAMPLE: &'static str = "ken health report";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/health")];
    const GROUP: Group = Group::KeepTrue;
    const NATURE: Nature = Nature::WRITES;
    type Request = ();
    type Answer = health::HealthReport;

    fn run(call: &mut Call, (): ()) -> Result<health::HealthReport> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::health::health_report(ledger, site, models, caller)
    }

    // The file that it keeps is made from the store: making it twice is making it once.
    fn only_reads((): &()) -> bool {
        true
    }
}
