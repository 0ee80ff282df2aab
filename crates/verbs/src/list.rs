//! `list`: entries, a page at a time.

use ken_engine::ops::read::ListAnswer;
use ken_engine::view::EntryLine;
use ken_engine::{Caller, IndexPageMoment, Ledger, Query, Result, Stored};

use crate::Site;
use crate::thread::as_seen;

/// How many entries agents may be handed here.
pub fn handed_out(ledger: &Ledger) -> Result<usize> {
    let is_handed_out =
        |status: &str| ken_core::Status::from_word(status).is_some_and(ken_core::Status::is_retrieved);
    let counts = ledger.counts()?;
    let counted = counts.iter().filter(|(memory, _, status, _)| {
        memory != ken_core::Memory::Episodic.word() && is_handed_out(status)
    });
    Ok(usize::try_from(counted.map(|(.., count)| count).sum::<i64>()).unwrap_or(0))
}

/// Entries, a page at a time.
///
/// Entries of a thread are listed for those who work in it, name it, or ask for everything (ENT-8).
pub fn list(ledger: &mut Ledger, site: &Site, caller: &Caller, query: &Query) -> Result<ListAnswer> {
    let query = as_seen(ledger, caller, query)?;
    let query = &query;
    let page = ledger.list(query)?;
    let keys: Vec<_> =
        page.entries.iter().take(site.config.number("list.limit")).map(|stored| stored.entry.key).collect();
    let page = if ledger.snapshot_mut().look_again(&keys)? { ledger.list(query)? } else { page };
    crate::exposures::remember_pulled(
        ledger,
        site,
        caller,
        page.entries.iter().map(|stored| stored.entry.key).collect(),
    )?;
    let items = ken_engine::view::lines(&**ledger, &page.entries, caller.now())?;
    crate::index_file::write_index_page(ledger, site, caller, IndexPageMoment::Reading);
    Ok(ListAnswer { items, total: page.total, cursor: page.next })
}

/// The same without pages, one after the other: none of them is held. Says how many there were.
pub fn each_listed(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    query: &Query,
    each: &mut dyn FnMut(EntryLine) -> Result<()>,
) -> Result<usize> {
    let query = as_seen(ledger, caller, query)?;
    let first = Query { limit: site.config.number("list.limit"), ..query.clone() };
    let keys: Vec<_> = match first.limit {
        0 => Vec::new(),
        _ => ledger.list(&first)?.entries.iter().map(|stored| stored.entry.key).collect(),
    };
    ledger.snapshot_mut().look_again(&keys)?;
    let mut pulled = Vec::new();
    if crate::exposures::records_pulls(ledger, &site.config, caller) {
        ledger.each(&query, &mut |stored| {
            pulled.push(stored.entry.key);
            Ok(())
        })?;
    }
    crate::exposures::remember_pulled(ledger, site, caller, pulled)?;
    let (store, now) = (&**ledger, caller.now());
    let mut total = 0;
    let mut together: Vec<Stored> = Vec::with_capacity(crate::limits::shared::LISTED_TOGETHER_MAX);
    let mut tell = |some: &mut Vec<Stored>| -> Result<()> {
        total += some.len();
        let lines = ken_engine::view::lines(store, some, now)?;
        some.clear();
        lines.into_iter().try_for_each(&mut *each)
    };
    store.each(&query, &mut |stored| {
        together.push(stored);
        if together.len() < crate::limits::shared::LISTED_TOGETHER_MAX { Ok(()) } else { tell(&mut together) }
    })?;
    tell(&mut together)?;
    crate::index_file::write_index_page(ledger, site, caller, IndexPageMoment::Reading);
    Ok(total)
}
