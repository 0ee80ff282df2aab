//! The part of measuring that needs our crates: a program of its own, compiled as the product is, that answers in JSON.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::context::{Context, Failure, capture, failed};
use crate::dist;

/// The program, built.
pub(crate) struct Probe(PathBuf);

impl Probe {
    pub(crate) fn build(context: &Context) -> Result<Probe, Failure> {
        dist::build_example(context, "kenning", "probe").map(Probe)
    }

    /// Runs one of its verbs.
    pub(crate) fn ask(&self, arguments: &[&str]) -> Result<Value, Failure> {
        let text = capture(Command::new(&self.0).args(arguments))?;
        match serde_json::from_str(&text) {
            Ok(answer) => Ok(answer),
            Err(error) => failed(format!("`probe {}` did not answer in JSON: {error}", arguments.join(" "))),
        }
    }
}
