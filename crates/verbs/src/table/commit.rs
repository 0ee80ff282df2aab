//! `ken commit`.

use ken_engine::Result;
use serde::Serialize;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Commit the store, and nothing else.
pub struct Commit;

/// What `commit` takes.
#[derive(Clone, Debug, Request)]
pub struct CommitRequest {
    /// Commit message
    #[field(long, short, default = crate::templates::COMMIT_MESSAGE)]
    pub message: String,
}

/// What `commit` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommitAnswer {
    /// What git said; nothing when there was nothing to commit.
    pub committed: Option<String>,
}

impl Verb for Commit {
    const NAME: &'static str = "commit";
    const ABOUT: &'static str = "Commit the store, and nothing else";
    const EXAMPLE: &'static str = "ken commit -m 'knowledge: retry lessons'";
    const GROUP: Group = Group::Share;
    const NATURE: Nature = Nature::WRITES;
    const EVERYDAY: bool = true;
    type Request = CommitRequest;
    type Answer = CommitAnswer;

    fn run(call: &mut Call, request: CommitRequest) -> Result<CommitAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        Ok(CommitAnswer { committed: crate::commit::commit(ledger, site, models, caller, &request.message)? })
    }
}
