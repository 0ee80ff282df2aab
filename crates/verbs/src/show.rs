//! `show`: one entry, whole.

use ken_core::EntryKey;
use ken_engine::validity::judge_stored;
use ken_engine::view::EntryView;
use ken_engine::{Caller, Effort, Ledger, Result, Version, deliver, ops};

use crate::Site;

/// How an entry stands, for whoever wants to find it so again; none where no entry of the project has that name.
pub fn standing_of(ledger: &Ledger, name: &str) -> Result<Option<(EntryKey, Version)>> {
    match ledger.resolve(name)?.as_slice() {
        [key] => Ok(Some((*key, ledger.version(*key)?))),
        [] | [_, ..] => Ok(None),
    }
}

/// The next change is kept only if an entry still stands as it did.
pub fn expect(ledger: &mut Ledger, entry: (EntryKey, Version)) {
    ledger.expect(Some(entry));
}

/// An entry in a line, for a person who is asked about it; nobody is told of it.
pub fn headline(ledger: &Ledger, name: &str) -> Result<String> {
    let stored = ops::find(&**ledger, name)?;
    let entry = &stored.entry;
    if entry.status == ken_core::Status::Rejected {
        return Ok(format!(
            "{id} ({}, stated by {}, {}). Its text is in quarantine and not shown here; read it first: ken show {id} --quarantined",
            entry.kind,
            deliver::credited(&entry.created_by),
            entry.status_reason.as_deref().unwrap_or("rejected"),
            id = stored.id,
        ));
    }
    let title = ken_guard::fence::fenced(&entry.fields.title(), 200).text;
    let scan =
        entry.scan.as_ref().map(|scan| format!(", scan {:?}", scan.tier).to_lowercase()).unwrap_or_default();
    Ok(format!(
        "{} {title:?} ({}, {}, stated by {}{scan})",
        stored.id,
        entry.kind,
        entry.status,
        deliver::credited(&entry.created_by)
    ))
}

/// One entry, whole. When a run reads it, that is remembered (REV-1).
pub fn show(ledger: &mut Ledger, site: &Site, caller: &Caller, name: &str) -> Result<EntryView> {
    let mut stored = match ops::find(&**ledger, name) {
        Ok(stored) => stored,
        Err(error) => {
            return crate::global_store::in_global(
                ledger,
                &site.workspace,
                caller,
                name,
                error,
                |global, name| show(&mut global.ledger, &global.site, &global.caller, name),
            );
        }
    };
    if ledger.snapshot_mut().look_again(&[stored.entry.key])? {
        stored = ops::find(&**ledger, name)?;
    }
    let mut ground = crate::ground::ground(ledger, site);
    judge_stored(&**ledger, &mut ground, &mut [&mut stored], Effort::Thorough)?;
    ground.save();
    let mut view = ken_engine::view::view(&**ledger, &stored, caller.now())?;
    view.authority = crate::promote::authority_of(ledger, &site.config, &stored.entry)?;
    crate::exposures::remember_pulled(ledger, site, caller, vec![stored.entry.key])?;
    Ok(view)
}
