//! The store as it was, at a time or in a commit (STO-11).

use ken_core::Millis;
use ken_engine::{Ledger, ModelCard, Projection, Result};

/// The store as it was, at a time or in a commit.
pub fn as_of(ledger: &Ledger, when: &str) -> Result<Box<dyn Projection>> {
    past(ledger, when, None)
}

/// The same, where the vectors of a model can be asked, too.
pub(crate) fn past(store: &Ledger, when: &str, model: Option<&ModelCard>) -> Result<Box<dyn Projection>> {
    match Millis::parse(when) {
        Ok(time) => store.snapshot().as_of_time(time, model),
        Err(_) => store.snapshot().git()?.as_of_commit(when, model),
    }
}
