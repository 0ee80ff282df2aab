//! A store of some size, with vectors that the model did not make.
//!
//! Entries are added as everybody's are. Their vectors would take the model minutes: each points in no particular direction and is kept
//! as the model's would be.

use std::path::PathBuf;

use super::corpus;
use super::figure::grouped;
use super::measure::{Sample, progress};
use super::scratch;
use super::session::{Session, text};
use crate::context::{Failure, capture};

/// A repository with a store.
pub(crate) struct Filled {
    pub(crate) root: PathBuf,
    pub(crate) entries: usize,
    /// What was added, one line of JSON each.
    pub(crate) source: PathBuf,
    /// The bulk add.
    pub(crate) added: Sample,
}

/// A repository with a store of generated lessons.
pub(crate) fn fill(session: &Session<'_>, entries: usize) -> Result<Filled, Failure> {
    progress(&format!("bulk add of {}", grouped(entries as u64)));
    let source = session.write(&format!("{entries}.jsonl"), corpus::lines(entries))?;
    let root = session.scratch.repository(&format!("store-{entries}"))?;
    capture(&mut session.ken(&root, &["init"]))?;
    scratch::settle();
    let added = session.add_lines(&root, &source, entries)?;
    progress("vectors in no particular direction");
    session.probe().ask(&["synthetic-vectors", &text(&root)])?;
    Ok(Filled { root, entries, source, added })
}
