//! The verbs that shape what this clone sees: `pin`, `mute`, `invalidate`, `annotate` and their opposites (BEL-9).

use ken_core::{Overlay, OverlayChange};
use ken_engine::ops::overlay::{self, OverlayAnswer};

use crate::{AddAnswer, Kenning, Result, ops};

impl Kenning {
    /// Lays something over an entry in this clone, or takes it away. The ledger is not written.
    pub fn lay(&mut self, name: &str, change: OverlayChange) -> Result<OverlayAnswer> {
        let writer = crate::writer(&self.config, &self.caller);
        let answer = match overlay::lay(&mut self.store, name, change.clone(), &writer) {
            Ok(answer) => answer,
            Err(error) => return self.in_global(name, error, |global, name| global.lay(name, change)),
        };
        Ok(answer)
    }

    /// Who says again what is hidden here would look for it in vain.
    pub(crate) fn say_if_hidden(&self, answer: &mut AddAnswer) {
        // What is acknowledged may still be missing from the index: a full disk, a file in the way. Then nothing lies over it either.
        let overlay = if answer.is_rejected() { None } else { self.overlay(&answer.id).ok() };
        if let Some(overlay) = overlay.filter(Overlay::hides) {
            answer.reasons.extend(overlay.told().into_iter().take(1));
        }
    }

    /// What this clone lays over an entry.
    pub fn overlay(&self, name: &str) -> Result<Overlay> {
        let stored = ops::find(&*self.store, name)?;
        Ok(self.store.overlay(stored.entry.key))
    }
}
