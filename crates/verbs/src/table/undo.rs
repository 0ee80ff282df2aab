//! `ken undo`.

use ken_engine::Result;
use ken_engine::ops::change::ChangeAnswer;
use serde::Serialize;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb, sorted};

/// Undo your last change.
pub struct Undo;

/// What `undo` takes.
#[derive(Clone, Debug, Request)]
pub struct UndoRequest {
    /// Undo the last change of another actor, such as agent:maintain (a person only)
    #[field(long, value_name = "ACTOR")]
    pub by: Option<String>,
}

/// What `undo` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoAnswer {
    /// What became of each entry that the last change was about.
    #[serde(serialize_with = "sorted")]
    pub undone: Vec<ChangeAnswer>,
}

impl Verb for Undo {
    const NAME: &'static str = "undo";
    const ABOUT: &'static str = "Undo your last change";
    const EXAMPLE: &'static str = "ken undo";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::REMOVES;
    const EVERYDAY: bool = true;
    type Request = UndoRequest;
    type Answer = UndoAnswer;

    fn run(call: &mut Call, request: UndoRequest) -> Result<UndoAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        Ok(UndoAnswer { undone: crate::undo::undo(ledger, site, models, caller, request.by.as_deref())? })
    }
}
