//! Changes of mirrored and imported files that wait for a person: what they are, and what a person's answer does (COR-21).
//!
//! Nothing is written down about them: such a change is one as long as the file differs from what is kept of it.

use crate::{ModelsInUse, Site};
use ken_core::{Code, EntryKey, Refusal};
use ken_engine::ops::{find, queue};
use ken_engine::{Caller, Ledger, Result};

use super::super::cited;
use super::{HeldChange, HeldFile, SyncInput};

/// The changes that wait, for the queue: one for each file, named by the first entry that makes it wait.
pub(crate) fn held_changes(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<Vec<queue::HeldChange>> {
    let mut changes = Vec::new();
    for held in held_files(ledger, site, models, caller)? {
        let Some(entry) = first_for_a_person(ledger, &held.keys)? else { continue };
        let file = format!("{} of the mirror {}", held.path, held.mirror);
        let is_deletion = held.change == HeldChange::Deleted;
        changes.push(queue::HeldChange { entry, file, why: held.why, is_deletion });
    }
    for held in crate::foreign::sources::held_imports(ledger, site, caller)? {
        let Some(entry) = first_for_a_person(ledger, &held.keys)? else { continue };
        let file = format!("{}, which was imported,", cited(&held.name));
        changes.push(queue::HeldChange { entry, file, why: held.why, is_deletion: false });
    }
    Ok(changes)
}

/// Puts the file of an entry back whose deletion waits.
pub(crate) fn restore_held_file(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    id: &str,
) -> Result<String> {
    let held = held_file(ledger, site, models, caller, id, HeldChange::Deleted)?;
    let input = SyncInput {
        mirrors: vec![held.mirror],
        restore: true,
        only: Some(held.path.clone()),
        ..SyncInput::default()
    };
    let script = caller.clone().unattended();
    let report = crate::foreign::sync::sync(ledger, site, models, &script, &input)?;
    match report.waiting.iter().find(|note| note.path == held.path) {
        Some(note) => Err(Refusal::new(Code::NotAllowed, format!("{} {}", held.path, note.note)).into()),
        None => Ok(format!("{} is restored, and {id} stays", held.path)),
    }
}

/// Takes up the edit of an entry's file that waits, for a person.
pub(crate) fn take_held_edit(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    id: &str,
) -> Result<String> {
    let key = find(&**ledger, id)?.entry.key;
    if let Some(held) = crate::foreign::sources::held_imports(ledger, site, caller)?
        .into_iter()
        .find(|held| held.keys.contains(&key))
    {
        if caller.is_unattended() {
            caller.require_person(&format!("applying the edit of {}", cited(&held.name)))?;
        }
        return crate::foreign::sources::take_held_import(ledger, site, models, caller, held);
    }
    let held = held_file(ledger, site, models, caller, id, HeldChange::Edited)?;
    if caller.is_unattended() {
        caller.require_person(&format!("applying the edit of {}", held.path))?;
    }
    let input =
        SyncInput { mirrors: vec![held.mirror], only: Some(held.path.clone()), ..SyncInput::default() };
    let report = crate::foreign::sync::sync(ledger, site, models, caller, &input)?;
    match report.waiting.iter().find(|note| note.path == held.path) {
        Some(note) => Err(Refusal::new(Code::NotAllowed, format!("{} {}", held.path, note.note)).into()),
        None => Ok(format!("the edit of {} is applied", held.path)),
    }
}

fn held_file(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    id: &str,
    change: HeldChange,
) -> Result<HeldFile> {
    let key = find(&**ledger, id)?.entry.key;
    let mut files = held_files(ledger, site, models, caller)?.into_iter();
    let found = files.find(|held| held.change == change && held.keys.contains(&key));
    found.ok_or_else(|| {
        Refusal::new(Code::NotFound, format!("no change of a file of {id} waits"))
            .hint("`ken queue` lists the items")
            .field("item")
            .into()
    })
}

/// The files whose changes a sync by an agent would leave alone.
fn held_files(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<Vec<HeldFile>> {
    if ledger.is_in_sync() || crate::foreign::sync::mirrors(&site.config)?.is_empty() {
        return Ok(Vec::new());
    }
    let input = SyncInput { check: true, ..SyncInput::default() };
    let script = caller.clone().unattended();
    match crate::foreign::sync::sync(ledger, site, models, &script, &input) {
        Ok(report) => Ok(report.for_a_person),
        Err(error) => {
            ledger.notice(format!("changes of mirrored files are not listed: {error}"));
            Ok(Vec::new())
        }
    }
}

fn first_for_a_person(store: &Ledger, keys: &[EntryKey]) -> Result<Option<EntryKey>> {
    for key in keys {
        if crate::writer::needs_a_person(store, *key)?.is_some() {
            return Ok(Some(*key));
        }
    }
    Ok(None)
}
