//! The verbs that shape what this clone sees: `pin`, `mute`, `invalidate`, `annotate` and their opposites (BEL-9).

use ken_core::{Overlay, OverlayChange};
use ken_engine::Overlays;
use ken_engine::ops::overlay::{self, OverlayAnswer};

use crate::{Kenning, Result, ops};

impl Kenning {
    /// Lays something over an entry in this clone, or takes it away. The ledger is not written.
    pub fn lay(&mut self, name: &str, change: OverlayChange) -> Result<OverlayAnswer> {
        let writer = self.writer();
        let answer = overlay::lay(&mut self.store, name, change, &writer)?;
        if self.config.switch("index_page.write") {
            self.store.write_index_page()?;
        }
        Ok(answer)
    }

    /// What this clone lays over an entry.
    pub fn overlay(&self, name: &str) -> Result<Overlay> {
        let stored = ops::find(&self.store, name)?;
        Ok(self.store.overlay(stored.entry.key))
    }
}
