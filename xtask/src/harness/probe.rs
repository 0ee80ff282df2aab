//! The part of measuring that needs our crates: a program of its own, compiled as the product is, that answers in JSON.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::context::{Context, Failure, capture, failed};
use crate::dist;

use super::measure::Series;

/// The program, built.
pub(crate) struct Probe(PathBuf);

impl Probe {
    /// One that was built before.
    pub(crate) fn at(path: &Path) -> Probe {
        Probe(path.to_owned())
    }

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

/// Times in microseconds that the probe gives under a name.
pub(crate) fn series(answer: &Value, name: &str) -> Series {
    let micros = answer[name].as_array().into_iter().flatten().filter_map(Value::as_f64);
    micros.map(|micros| Duration::from_secs_f64(micros / 1e6)).collect()
}

/// Words that the probe gives under a name.
pub(crate) fn texts(answer: &Value, name: &str) -> Vec<String> {
    let words = answer[name].as_array().into_iter().flatten().filter_map(Value::as_str);
    words.map(str::to_owned).collect()
}
