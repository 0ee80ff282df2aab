//! The verbs that read: `show` and `list`.

use ken_core::Millis;

use super::find;
use crate::error::Result;
use crate::listing::Listing;
use crate::projection::Projection;
use crate::query::Query;
use crate::view::{self, EntryLine, EntryView};

/// What `list` answers.
pub type ListAnswer = Listing<EntryLine>;

/// One entry, whole.
pub fn show(ledger: &dyn Projection, name: &str, now: Millis) -> Result<EntryView> {
    let stored = find(ledger, name)?;
    view::view(ledger, &stored, now)
}

/// Entries, a page at a time.
pub fn list(ledger: &dyn Projection, query: &Query, now: Millis) -> Result<ListAnswer> {
    let page = ledger.list(query)?;
    let items = view::lines(ledger, &page.entries, now)?;
    Ok(ListAnswer { items, total: page.total, cursor: page.next })
}
