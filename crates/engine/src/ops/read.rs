//! The verbs that read: `show` and `list`.

use ken_core::Millis;
use serde::Serialize;

use super::find;
use crate::error::Result;
use crate::projection::Projection;
use crate::query::Query;
use crate::view::{self, EntryLine, EntryView};

/// What `list` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListAnswer {
    /// The entries of this page.
    pub entries: Vec<EntryLine>,
    /// Where the next page begins.
    pub next: Option<String>,
    /// How many entries answer in all.
    pub total: usize,
}

/// One entry, whole.
pub fn show(ledger: &dyn Projection, name: &str, now: Millis) -> Result<EntryView> {
    let stored = find(ledger, name)?;
    view::view(ledger, &stored, now)
}

/// Entries, a page at a time.
pub fn list(ledger: &dyn Projection, query: &Query, now: Millis) -> Result<ListAnswer> {
    let page = ledger.list(query)?;
    Ok(ListAnswer { entries: view::lines(ledger, &page.entries, now)?, next: page.next, total: page.total })
}
