//! What may come in. Text goes in, findings come out: no files, no clock, no network, linear time.
//!
//! [`scan()`] looks at a text on five axes. [`redact()`] takes out the values of secrets. What a store does with the answer is
//! not decided here.

pub mod context;
pub mod encoded;
pub mod fence;
pub mod hidden;
pub mod known;
mod limits;
pub mod model;
pub mod noise;
pub mod orders;
mod outgoing;
pub mod pattern;
pub mod phrase;
mod redact;
pub mod rule;
pub mod rules;
pub mod sanitize;
mod scan;
pub mod secrets;
pub mod text;
pub mod verdict;

pub use redact::{contains_secret, redact};
pub use scan::{scan, scan_without_secrets, self_test, why};
pub use verdict::{Axis, Finding, Tier, Verdict};

/// The version of all rules and weights together. Raised whenever a verdict can change; entries remember which one saw them.
pub const SCANNER: u32 = 4;
