//! `stats`: what agents were handed, and what it was worth.

use clap::Args;
use ken_engine::Result;

use crate::stats::StatsAnswer;
use crate::verb::{Call, Group, Nature, Verb};

/// What agents were handed here, and what it was worth.
pub struct Stats;

impl Verb for Stats {
    const NAME: &'static str = "stats";
    const ABOUT: &'static str = "What agents were handed here, and what it was worth";
    const GROUP: Group = Group::Measure;
    const NATURE: Nature = Nature::READS;
    type Request = StatsRequest;
    type Answer = StatsAnswer;

    fn run(call: &mut Call, request: StatsRequest) -> Result<StatsAnswer> {
        call.ken()?.stats(&request.period)
    }
}

/// What `stats` takes.
#[derive(Clone, Debug, Args)]
pub struct StatsRequest {
    /// 24h, 7d, 4w or all
    #[arg(long, default_value = "30d")]
    pub period: String,
}
