//! `purge`: the bytes of an entry leave journal, tree and index.

use ken_core::decide;
use ken_engine::state::Purged;
use ken_engine::{Caller, IndexPageMoment, Ledger, Result, ops, replays};

use crate::Site;

/// Takes the bytes of an entry out of journal, tree and index, and says which files were touched.
pub fn purge(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    name: &str,
    reason: &str,
) -> Result<(String, Vec<String>)> {
    ledger.may_write()?;
    caller.require_person("an irreversible purge")?;
    let stored = match ops::find(&**ledger, name) {
        Ok(stored) => stored,
        // A peer's request hides the entry; a person who says its name agrees.
        Err(error) => match ledger.resolve(name)?.as_slice() {
            [key] => ledger.stored(*key)?.ok_or(error)?,
            _ => return Err(error),
        },
    };
    let writer = crate::writer::writer(&site.config, caller);
    decide::may_move(&stored.entry, decide::EntryAction::PURGE, &ops::context(ledger, &writer)?)?;
    ledger.vectors().forget(stored.entry.key)?;
    let quoting = crate::foreign::files_without(ledger, stored.entry.key)?;
    ops::change::purge(ledger, &stored, reason.to_owned(), &writer)?;
    let files = ledger.take_out_purged()?;
    crate::foreign::keep_without(ledger, &site.config, caller, quoting)?;
    ledger.let_go(stored.entry.key)?;
    let texts = replays::texts_of(&stored.entry, &stored.id);
    ken_engine::state::purge(&**site.state(), Purged::Entry(&texts))?;
    crate::archive_pages::write_archive_pages(ledger, site, caller)?;
    crate::index_file::write_index_page(ledger, site, caller, IndexPageMoment::Purge);
    Ok((stored.entry.key.to_string(), files))
}
