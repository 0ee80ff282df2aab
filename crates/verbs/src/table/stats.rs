//! `stats`: what agents were handed, and what it was worth.

use ken_engine::Result;

use crate::Reach;
use crate::request::Request;
use crate::stats::StatsAnswer;
use crate::verb::{Call, Group, Nature, Verb};

/// Show how often agents were given knowledge, and how much it helped.
pub struct Stats;

impl Verb for Stats {
    const NAME: &'static str = "stats";
    const ABOUT: &'static str = "Show how often agents were given knowledge, and how much it helped";
    const EXAMPLE: &'static str = "ken stats --period 7d";
    const GROUP: Group = Group::Measure;
    const NATURE: Nature = Nature::READS;
    type Request = StatsRequest;
    type Answer = StatsAnswer;

    fn run(call: &mut Call, request: StatsRequest) -> Result<StatsAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::stats::stats(ledger, site.state(), models, caller, &request.period)
    }
}

/// What `stats` takes.
#[derive(Clone, Debug, Request)]
pub struct StatsRequest {
    /// Period: 24h, 7d, 4w or all
    #[field(long, default = "30d")]
    pub period: String,
}
