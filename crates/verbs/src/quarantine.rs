//! `quarantine`: a person reads what was kept out, and lets it in.

use ken_engine::ops::change::ChangeAnswer;
use ken_engine::{Caller, Ledger, Result, ops};

use crate::{ModelsInUse, Site};

/// A person lets in what was kept out.
pub fn release(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    reason: &str,
) -> Result<ChangeAnswer> {
    let stored = ops::find(&**ledger, name)?;
    let why = stored.entry.status_reason.as_deref();
    let why = why.filter(|_| stored.entry.status == ken_core::Status::Rejected);
    let why = why.map(|why| format!(", {why},")).unwrap_or_default();
    caller.require_person(&format!("releasing {}{why}", stored.id))?;
    let writer = crate::writer::writer(&site.config, caller);
    let answer = ops::change::release(ledger, name, reason.to_owned(), &writer)?;
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// What the quarantine of this clone holds of an entry, without secrets.
///
/// For a person: an agent that could read it would have read it.
pub fn held(ledger: &Ledger, caller: &Caller, name: &str) -> Result<Option<serde_json::Value>> {
    caller.require_human("reading the quarantine")?;
    let stored = ops::find(&**ledger, name)?;
    ledger.held(stored.entry.key)
}
