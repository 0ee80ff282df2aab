//! The thread that a caller works in, and what is seen from there (ENT-8).

use ken_engine::{Caller, Ledger, Query, Threads};

use crate::Result;

/// The thread that is named, else the one that the current run belongs to.
pub(crate) fn thread_or(store: &Ledger, caller: &Caller, named: Option<String>) -> Result<Option<String>> {
    let Some(name) = caller.run().filter(|_| named.is_none()) else { return Ok(named) };
    Ok(store.run(name)?.and_then(|run| run.started.thread))
}

/// A query without entries of other threads, unless it asks for everything (ENT-8).
pub(crate) fn as_seen(store: &Ledger, caller: &Caller, query: &Query) -> Result<Query> {
    let mut query = query.clone();
    if query.threads == Threads::Any && query.scope.is_none() && !query.all {
        query.threads = Threads::SeenFrom(thread_or(store, caller, None)?);
    }
    Ok(query)
}
