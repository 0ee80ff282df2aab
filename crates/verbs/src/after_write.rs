//! What follows a write: files that mirrors keep in step, and the vectors of what was written.

use ken_engine::{Caller, Ledger};

use crate::{ModelsInUse, Site, embedding, foreign};

/// Follows a write. What goes wrong here is told; the write stands.
pub fn after_write(ledger: &mut Ledger, site: &Site, models: &mut ModelsInUse, caller: &Caller) {
    foreign::sync::follow::follow_mirrors(ledger, site, caller);
    embedding::embed_what_was_written(ledger, site, models, caller);
}
