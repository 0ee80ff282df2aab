//! `ken why --belief`.

use ken_engine::Result;
use ken_engine::ops::belief::BeliefAnswer;

use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Show the belief in an entry and how it was computed.
pub struct Belief;

impl Verb for Belief {
    const NAME: &'static str = "why --belief";
    const FORMER: &'static [&'static str] = &["belief"];
    const ABOUT: &'static str = "Show the belief in an entry and how it was computed";
    const EXAMPLE: &'static str = "ken why --belief L-e71631";
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::READS;
    type Request = BeliefRequest;
    type Answer = BeliefAnswer;

    fn run(call: &mut Call, request: BeliefRequest) -> Result<BeliefAnswer> {
        let ken = call.reach()?;
        match &request.as_of {
            Some(when) => {
                crate::learn::belief_as_of(&ken.ledger, &ken.site.layout, &ken.caller, when, &request.id)
            }
            None => crate::learn::belief(&mut ken.ledger, &ken.site, &ken.caller, &request.id),
        }
    }
}

/// What `belief` takes.
#[derive(Clone, Debug, Request)]
pub struct BeliefRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Show the state at a time or in a commit
    #[field(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
}
