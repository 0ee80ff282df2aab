//! `cargo xtask bench`: what Kenning costs, each number beside the least the machine could do for it.
//!
//! A suite never fails on a slow machine: it prints what it met and what it missed. It fails only when a command does.

pub(crate) mod age;
pub(crate) mod belief;
pub(crate) mod concurrent;
pub(crate) mod health;
pub(crate) mod http;
pub(crate) mod import;
pub(crate) mod learning;
pub(crate) mod ledger;
pub(crate) mod maintain;
pub(crate) mod mcp;
pub(crate) mod recall;
pub(crate) mod scale;
pub(crate) mod validity;
pub(crate) mod verbs;

use crate::context::{Context, Outcome};
use crate::harness::{self, Kind};

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    harness::run(context, Kind::Bench, arguments)
}
