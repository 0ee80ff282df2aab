//! What the code says of entries, as it is known without asking again.

use std::collections::{BTreeMap, HashMap};

use ken_core::{EntryKey, Verdict};
use ken_engine::ops::check;
use ken_engine::ops::check::ByCode;
use ken_engine::{Caller, Ledger, Result};

use crate::Site;
use crate::ground::ground;

/// Looks at every entry, and says of each no more than how it stands.
pub(crate) fn check_by_code(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
) -> Result<HashMap<EntryKey, ByCode>> {
    let mut ground = self::ground(ledger, site);
    ground.load_all();
    let found = check::by_code(&**ledger, &mut ground)?;
    ground.save();
    crate::last_check::note_check(ledger, site.state(), caller);
    Ok(found)
}

/// Entries that are known to have moved, drifted or broken, by the looks at the code until now; none where nobody looked in this worktree.
///
/// Every count of them outside of `check` comes from here.
pub(crate) fn known_verdicts(ledger: &Ledger, site: &Site) -> Result<Option<BTreeMap<EntryKey, Verdict>>> {
    let judgements =
        site.pool().judgements().filter(|judged| !site.options.global && judged.mark().is_some());
    let Some(not_fresh) = judgements.and_then(|judged| judged.open()?.not_fresh().ok()) else {
        return Ok(None);
    };
    let suspects = not_fresh.into_iter().map(|(mark, _)| mark).collect();
    let mut ground = self::ground(ledger, site).in_a_hurry();
    check::known(&**ledger, &mut ground, &suspects).map(Some)
}
