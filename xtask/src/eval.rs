//! `cargo xtask eval`: how good the answers are, beside those of plainer ways, over questions whose answers are known.
//!
//! Like a benchmark `recall` never fails on a bad number: it prints what it met and what it missed. The others do fail: an answer that
//! is worse than it was promised looks exactly like a quiet day.

pub(crate) mod belief;
pub(crate) mod cascade;
pub(crate) mod commands;
pub(crate) mod dedup;
pub(crate) mod extraction;
pub(crate) mod families;
pub(crate) mod guard;
pub(crate) mod lessons;
pub(crate) mod moments;
pub(crate) mod norms;
mod pairs;
pub(crate) mod recall;
pub(crate) mod reduce;
pub(crate) mod review;
pub(crate) mod sessions;
mod sets;
mod table;
pub(crate) mod upkeep;
pub(crate) mod validity;
pub(crate) mod world;
mod world_rules;

use crate::context::{Context, Outcome};
use crate::harness::{self, Kind};

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    harness::run(context, Kind::Evaluation, arguments)
}
