//! `ken forage strategies`.

use ken_engine::Result;
use serde::Serialize;

use crate::forage::foraging;
use crate::requests::NoFields;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// How domains are read.
pub struct ForageStrategies;

/// What `forage strategies` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StrategiesAnswer {
    pub domains: Vec<StrategyLine>,
}

/// How a domain is read.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StrategyLine {
    pub domain: String,
    /// 0 plain text, 1 the article, 2 whatever is no navigation.
    pub level: u8,
    pub successes: u32,
    pub failures: u32,
    /// When its level last changed.
    pub at: String,
}

impl Verb for ForageStrategies {
    const NAME: &'static str = "forage strategies";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show how the pages of each domain are read";
    const EXAMPLE: &'static str = "ken forage strategies";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/forage/strategies")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::READS;
    type Request = NoFields;
    type Answer = StrategiesAnswer;

    fn run(call: &mut Call, _: NoFields) -> Result<StrategiesAnswer> {
        let known = foraging(&call.reach()?.ledger)?;
        let domains = known.strategies.into_iter().map(|(domain, strategy)| StrategyLine {
            domain,
            level: strategy.level,
            successes: strategy.successes,
            failures: strategy.failures,
            at: strategy.at.millis().to_string(),
        });
        Ok(StrategiesAnswer { domains: domains.collect() })
    }
}
