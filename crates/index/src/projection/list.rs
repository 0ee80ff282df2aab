//! A page of entries, with what this clone lays over them.

use ken_engine::{Overlaid, Overlays, Page, Query, Result, Stored};

use crate::Index;
use crate::error::index_error;

/// How the `next` of a page begins that ends with a pinned entry.
const PINNED_NEXT: &str = "pinned.";

/// A page of entries, with what this clone lays over them.
pub(super) fn page(index: &Index, overlays: Option<&Overlays>, query: &Query) -> Result<Page> {
    let Some(overlays) = overlays else { return index.list(query).map_err(index_error) };
    let query = overlays.narrowed(query);
    let mut page = match query.pinned_first {
        true => pinned_first(index, overlays, &query)?,
        false => index.list(&query).map_err(index_error)?,
    };
    for stored in &mut page.entries {
        stored.overlay = overlays.overlay(stored.entry.key);
    }
    Ok(page)
}

/// A page with the pinned before the others. Pins are few: they are put in order whole, and a page goes on after one by its key.
fn pinned_first(index: &Index, overlays: &Overlays, query: &Query) -> Result<Page> {
    let list = |query: &Query| index.list(query).map_err(index_error);
    let mut pins = overlays.keys(Overlaid::Pinned);
    pins.retain(|key| query.only.as_ref().is_none_or(|only| only.contains(key)));
    if pins.is_empty() {
        return list(query);
    }
    let pinned = list(&Query { only: Some(pins.clone()), after: None, limit: 0, ..query.clone() })?;
    let after = query.after.as_deref().map(|after| after.strip_prefix(PINNED_NEXT).ok_or(after));
    let (begin, after) = match after {
        None => (0, None),
        Some(Ok(key)) => {
            let at = pinned.entries.iter().position(|stored| stored.entry.key.to_string() == key);
            (at.map_or(pinned.entries.len(), |at| at + 1), None)
        }
        Some(Err(after)) => (pinned.entries.len(), Some(after.to_owned())),
    };
    let limit = if query.limit == 0 { usize::MAX } else { query.limit };
    let mut entries: Vec<Stored> = pinned.entries.into_iter().skip(begin).take(limit).collect();
    let room = limit - entries.len();
    let mut others = query.clone();
    others.without.extend(pins);
    others.after = after;
    // Whether there is more is asked even where there is no room.
    others.limit = if query.limit == 0 { 0 } else { room.max(1) };
    let mut rest = list(&others)?;
    let total = pinned.total + rest.total;
    let next = match (room, entries.last()) {
        (0, Some(last)) if begin + entries.len() < pinned.total || !rest.entries.is_empty() => {
            Some(format!("{PINNED_NEXT}{}", last.entry.key))
        }
        (0, _) => None,
        (_, _) => rest.next.take(),
    };
    entries.extend(rest.entries.into_iter().take(room));
    Ok(Page { entries, next, total })
}
