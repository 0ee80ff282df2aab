//! The words of `brief` and `stats`.

use clap::Args;

use super::{InRun, whole};

#[derive(Clone, Debug, Args)]
pub struct BriefArgs {
    /// At most so many tokens
    #[arg(long, value_name = "N", value_parser = whole::<usize>, default_value = "500")]
    pub tokens: usize,
    /// Everything there is to say, however long
    #[arg(long, conflicts_with = "tokens")]
    pub all: bool,
    #[command(flatten)]
    pub in_run: InRun,
}

#[derive(Clone, Debug, Args)]
pub struct StatsArgs {
    /// 24h, 7d, 4w or all
    #[arg(long, default_value = "30d")]
    pub period: String,
}
