//! `ken rebuild`.

use ken_engine::Result;
use serde::Serialize;

use crate::requests::NoFields;
use crate::verb::{Call, Group, Nature, Verb};

/// Rebuild the index from the ledger.
pub struct Rebuild;

/// What `rebuild` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RebuildAnswer {
    /// How many entries the index has now.
    pub entries: usize,
}

impl Verb for Rebuild {
    const NAME: &'static str = "rebuild";
    const ABOUT: &'static str = "Rebuild the index from the ledger";
    const EXAMPLE: &'static str = "ken rebuild";
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = NoFields;
    type Answer = RebuildAnswer;

    fn run(call: &mut Call, _: NoFields) -> Result<RebuildAnswer> {
        let store = &mut call.reach()?.ledger;
        store.may_write()?;
        Ok(RebuildAnswer { entries: store.snapshot_mut().rebuild()? })
    }
}
