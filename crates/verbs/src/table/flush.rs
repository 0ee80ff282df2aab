//! `ken commit --no-commit`.

use ken_engine::Result;
use serde::Serialize;

use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Write pending events from the journal to the ledger files.
pub struct Flush;

/// What `flush` takes.
#[derive(Clone, Debug, Request)]
pub struct FlushRequest {
    /// Stage the store afterwards, as the pre-commit hook does
    #[field(long)]
    pub stage: bool,
}

/// What `flush` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlushAnswer {
    /// How many events were written out.
    pub flushed: usize,
    /// Whether the store was staged afterwards.
    pub staged: bool,
}

impl Verb for Flush {
    const NAME: &'static str = "commit --no-commit";
    const FORMER: &'static [&'static str] = &["flush"];
    const ABOUT: &'static str = "Write pending events from the journal to the ledger files";
    const EXAMPLE: &'static str = "ken commit --no-commit --stage";
    const GROUP: Group = Group::Share;
    const NATURE: Nature = Nature::WRITES;
    type Request = FlushRequest;
    type Answer = FlushAnswer;

    fn run(call: &mut Call, request: FlushRequest) -> Result<FlushAnswer> {
        let ken = call.reach()?;
        let flushed = if request.stage {
            crate::commit::flush_and_stage(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller)?
        } else {
            crate::commit::flush(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller)?
        };
        Ok(FlushAnswer { flushed, staged: request.stage })
    }
}
