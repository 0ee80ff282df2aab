//! When all entries were last compared with the code.

use std::sync::Arc;

use ken_core::Millis;
use ken_engine::{Caller, CloneState, Ledger, RecordKind};

use crate::Access;

/// Remembers that all entries were compared with the code just now. Where it cannot be kept, nobody is told a date.
pub(crate) fn note_check(ledger: &Ledger, state: &Arc<dyn CloneState>, caller: &Caller) {
    if ledger.access() == Access::Write {
        drop(state.write(&RecordKind::LastCheck.record(), caller.now().0.to_string().as_bytes()));
    }
}

pub(crate) fn last_check(state: &Arc<dyn CloneState>) -> Option<Millis> {
    let text = state.text(&RecordKind::LastCheck.record())?;
    text.trim().parse().ok().map(Millis)
}
