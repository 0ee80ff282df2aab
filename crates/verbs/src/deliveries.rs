//! What was handed to agents by hooks and servers, in this clone: the counts behind `ken stats` (DOO-8).
//!
//! A line per delivery in the small state of the clone: it is a tally, not the ledger. Nothing of what was asked or said is in it.

use ken_core::Millis;
use ken_engine::{CloneState, RecordKind};
use serde::{Deserialize, Serialize};

/// How a delivery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Delivered {
    /// Entries were handed over.
    Hit,
    /// There was nothing that matters.
    Empty,
    /// It did its work; it is not there to hand anything over.
    Done,
    /// It went wrong; the host went on without.
    Error,
    /// The time limit passed; the host went on without.
    Late,
    /// Not tried: it had gone wrong too often.
    Skipped,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Delivery {
    pub at: i64,
    /// The door: `hook`, `mcp`.
    pub door: String,
    /// The host, as far as it is known.
    pub host: String,
    /// The hook's event, or the tool.
    pub what: String,
    /// How it ended.
    pub how: Delivered,
    /// Tokens handed over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Entries handed over, by their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<String>,
    /// How long it took, in thousandths of a second.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub millis: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Counts a delivery. A tally that cannot be kept stops nobody.
pub fn count(state: &dyn CloneState, delivery: &Delivery) {
    drop(state.add_item(&RecordKind::Deliveries.record(), delivery));
}

/// Every delivery since a time, oldest first. Lines that cannot be read are left out.
pub(crate) fn since(state: &dyn CloneState, from: Millis) -> Vec<Delivery> {
    let mut all: Vec<Delivery> = state.items(&RecordKind::Deliveries.record()).unwrap_or_default();
    all.retain(|delivery| delivery.at >= from.0);
    all
}
