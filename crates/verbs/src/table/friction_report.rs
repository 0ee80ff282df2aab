//! `ken friction report`.

use ken_engine::Result;
use ken_engine::ops::friction;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Summarise friction by type and cause, compared with the previous period.
pub struct FrictionReport;

/// What `friction report` takes.
#[derive(Clone, Debug, Request)]
pub struct FrictionReportRequest {
    /// Period: 24h, 30d, 4w or all
    #[field(long, value_name = "PERIOD", default = "30d")]
    pub since: String,
}

impl Verb for FrictionReport {
    const NAME: &'static str = "friction report";
    const ABOUT: &'static str = "Summarise friction by type and cause, compared with the previous period";
    const EXAMPLE: &'static str = "ken friction report --since 30d";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/friction")];
    const GROUP: Group = Group::WriteDown;
    const NATURE: Nature = Nature::READS;
    type Request = FrictionReportRequest;
    type Answer = friction::FrictionReport;

    fn run(call: &mut Call, request: FrictionReportRequest) -> Result<friction::FrictionReport> {
        let Reach { ledger, caller, .. } = call.reach()?;
        crate::health::friction_report(ledger, caller, &request.since)
    }
}
