//! Events that are dated so far ahead of this machine's clock that one of the two is wrong (COR-4).

use std::collections::BTreeMap;

use ken_core::limits::CLOCK_WRONG_MILLIS;
use ken_core::{Clock, Event, EventHash, Millis};

use crate::error::Result;
use crate::limits::wrong_clock::WRONG_CLOCKS_NAMED_MAX;
use crate::projection::Projection;
use crate::snapshot::Finding;

/// Such events, with who wrote them.
pub fn wrong_clocks(reads: &dyn Projection, now: Millis) -> Result<Vec<Finding>> {
    let latest = Clock::end_of(Millis(now.0.saturating_add(CLOCK_WRONG_MILLIS)));
    let mut found: BTreeMap<EventHash, Finding> = BTreeMap::new();
    for placed in reads.dated_after(latest)? {
        if placed.event.clock.is_wrong_at(now) {
            let file = placed.line.and_then(|line| line.file);
            found.entry(placed.event.hash).or_insert_with(|| wrong_clock(&placed.event, file, now));
        }
    }
    let more = found.len().saturating_sub(WRONG_CLOCKS_NAMED_MAX);
    let mut named: Vec<Finding> = found.into_values().take(WRONG_CLOCKS_NAMED_MAX).collect();
    if more > 0 {
        let message = format!("{more} more events are dated ahead of this machine's clock");
        named.push(Finding { code: "wrong_clock", file: None, line: None, message, hint: None });
    }
    Ok(named)
}

fn wrong_clock(event: &Event, file: Option<String>, now: Millis) -> Finding {
    let days = (event.clock.millis().0 - now.0) / 86_400_000;
    let who = ken_guard::redact(&event.actor).into_owned();
    Finding {
        code: "wrong_clock",
        file,
        line: None,
        message: format!(
            "event {} ({} by {who}, replica {}) is dated {}, {days} days ahead of this machine's clock",
            event.hash,
            event.type_name,
            event.replica,
            event.clock.millis().date(),
        ),
        hint: Some("the date is kept and still orders events; fix the clock of that machine".to_owned()),
    }
}
