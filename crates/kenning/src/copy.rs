//! Copying a log line by line: into a store in a folder, or from one into another log.

use std::collections::HashSet;

use ken_core::{Code, EventHash, Millis, Refusal};
use ken_engine::log::hash_of;
use ken_engine::{Arrival, Bytes, Cursor, EventLog};
use ken_verbs::{Access, Adapters, Layout, Result, SetUp};

use crate::Product;

/// Bytes of lines that are copied together: a log in PostgreSQL takes them in one transaction, in which the server waits for nobody long.
const COPIED: Bytes = Bytes(2 << 20);

/// Copies all lines of a log into another one, and says how many that one lacked. Doing it again goes on where it stopped.
pub(crate) fn lines(from: &dyn EventLog, to: &dyn EventLog) -> Result<usize> {
    let (mut at, mut copied) = (Cursor::default(), 0);
    loop {
        let batches = from.since(at, COPIED)?;
        let Some(last) = batches.last() else { return Ok(copied) };
        at = last.end;
        let lines = batches.into_iter().flat_map(|batch| batch.lines).collect();
        copied += to.receive(lines, Arrival::Folder)?.new;
    }
}

/// See [`Adapters::copy_to_folder`].
pub(crate) fn to_folder(
    product: &Product,
    log: &dyn EventLog,
    layout: &Layout,
    now: Millis,
    dry_run: bool,
) -> Result<usize> {
    layout.refuse_links()?;
    let known = hashes(log)?;
    let is_there = layout.store.join("VERSION").is_file();
    if is_there {
        let there = product.opener(layout).open(Access::Read)?;
        let there = hashes(&**there.log())?;
        if !there.is_subset(&known) {
            let message = format!("the store in {} has lines that this one lacks", layout.root.display());
            return Err(Refusal::new(Code::NotAllowed, message)
                .hint("choose a folder without a store, or one that this store was exported to before")
                .field("path")
                .into());
        }
        if dry_run {
            return Ok(known.len() - there.len());
        }
    }
    if dry_run {
        return Ok(known.len());
    }
    product.set_up(layout, SetUp::default())?;
    let mut ledger = product.opener(layout).open(Access::Write)?;
    let copied = lines(log, &**ledger.log())?;
    // What is written out late elsewhere, exposures above all, would stay in a journal that no copy of the folder has.
    ledger.refresh()?;
    ledger.snapshot_mut().git_mut()?.flush(now)?;
    Ok(copied)
}

/// Which events a log has, or had.
fn hashes(log: &dyn EventLog) -> Result<HashSet<EventHash>> {
    let (mut at, mut hashes) = (Cursor::default(), HashSet::new());
    loop {
        let batches = log.since(at, COPIED)?;
        let Some(last) = batches.last() else { return Ok(hashes) };
        at = last.end;
        hashes.extend(batches.iter().flat_map(|batch| &batch.lines).map(hash_of));
    }
}
