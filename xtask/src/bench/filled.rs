//! A store of some size, with vectors that the model did not make.
//!
//! Entries are added as everybody's are. Their vectors would take the model minutes: each points in no particular direction and is kept
//! as the model's would be.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::corpus;
use super::measure::{self, Sample, progress};
use super::report::grouped;
use super::scratch::{self, Scratch};
use crate::context::{Failure, capture, failed};
use crate::probe::Probe;

/// A repository with a store.
pub(super) struct Filled {
    pub(super) root: PathBuf,
    /// What was added, one line of JSON each.
    pub(super) source: PathBuf,
    /// The bulk add.
    pub(super) added: Sample,
}

pub(super) fn fill(scratch: &Scratch, ken: &Path, probe: &Probe, entries: usize) -> Result<Filled, Failure> {
    progress(&format!("bulk add of {}", grouped(entries as u64)));
    let source = scratch.folder.join(format!("{entries}.jsonl"));
    measure::work("write a scratch file", || fs::write(&source, corpus::lines(entries)))?;
    let root = scratch.repository(&format!("store-{entries}"))?;
    capture(scratch.program(ken, &root).arg("init"))?;
    scratch::settle();
    let mut add = scratch.program(ken, &root);
    let (added, output) = measure::command(add.args(["add", "--json", "--file"]).arg(&source))?;
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    if answer["added"].as_u64() != Some(entries as u64) {
        return failed(format!("of {entries} entries `ken add` says it added {}", answer["added"]));
    }
    progress("vectors in no particular direction");
    probe.ask(&["synthetic-vectors", &root.to_string_lossy()])?;
    Ok(Filled { root, source, added })
}
