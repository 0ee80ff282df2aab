//! The verbs that shape what this clone sees: `pin`, `mute`, `invalidate`, `annotate` and their opposites (BEL-9).

use ken_core::{Overlay, OverlayChange};
use ken_engine::ops::overlay::{self, OverlayAnswer};
use ken_engine::{Caller, Ledger};

use crate::{AddAnswer, Result, Site, ops};

/// Lays something over an entry in this clone, or takes it away. The ledger is not written.
pub fn lay(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    name: &str,
    change: OverlayChange,
) -> Result<OverlayAnswer> {
    let writer = crate::writer::writer(&site.config, caller);
    let answer = match overlay::lay(ledger, name, change.clone(), &writer) {
        Ok(answer) => answer,
        Err(error) => {
            return crate::global_store::in_global(
                ledger,
                &site.workspace,
                caller,
                name,
                error,
                |global, name| lay(&mut global.ledger, &global.site, &global.caller, name, change),
            );
        }
    };
    Ok(answer)
}

/// Who says again what is hidden here would look for it in vain.
pub(crate) fn say_if_hidden(ledger: &Ledger, answer: &mut AddAnswer) {
    // What is acknowledged may still be missing from the index: a full disk, a file in the way. Then nothing lies over it either.
    let overlay = if answer.is_rejected() { None } else { self::overlay(ledger, &answer.id).ok() };
    if let Some(overlay) = overlay.filter(Overlay::hides) {
        answer.reasons.extend(overlay.told().into_iter().take(1));
    }
}

/// What this clone lays over an entry.
pub fn overlay(ledger: &Ledger, name: &str) -> Result<Overlay> {
    let stored = ops::find(&**ledger, name)?;
    Ok(ledger.overlay(stored.entry.key))
}
