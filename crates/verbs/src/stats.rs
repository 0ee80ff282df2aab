//! `stats`: what agents were handed here, what that took, and what it was worth (DOO-8).

use ken_engine::{Caller, CloneState, Ledger};
use std::collections::BTreeMap;
use std::sync::Arc;

use ken_core::{Code, Millis, Refusal};
use ken_engine::ops::outcomes::Period;
use ken_engine::ops::stats::{self, Usage};
use serde::Serialize;

use crate::deliveries::{self, Delivered, Delivery};
use crate::{ModelsInUse, Result};

/// What `stats` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatsAnswer {
    /// How far back was looked.
    pub period: String,
    /// What hooks and servers handed over, all together; none where nothing is on record.
    pub total: Option<Calls>,
    /// The same for each hook of each host, and each tool.
    pub deliveries: Vec<Calls>,
    /// What the store knows of how it is used.
    #[serde(flatten)]
    pub usage: Usage,
}

/// Deliveries of one kind, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Calls {
    /// The door: `hook`, `mcp`; empty in a total.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub door: String,
    /// The host, as far as it is known; empty in a total.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// The hook's event, or the tool; empty in a total.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub what: String,
    pub calls: usize,
    /// Those that handed entries over.
    pub hits: usize,
    /// Those that had nothing to hand over.
    pub empties: usize,
    /// Those that are not there to hand anything over, and did their work.
    pub done: usize,
    /// Those that went wrong.
    pub errors: usize,
    /// Those that took too long.
    pub late: usize,
    /// Those that were not tried.
    pub skipped: usize,
    /// Tokens handed over.
    pub tokens: u64,
    /// Entries handed over, each as often as it was.
    pub entries: usize,
    /// Half of them took no longer than this, in thousandths of a second.
    pub median_ms: u64,
    /// And 95 of a hundred no longer than this.
    pub p95_ms: u64,
}

impl Calls {
    fn count(deliveries: &[&Delivery]) -> Calls {
        let how = |how: Delivered| deliveries.iter().filter(|each| each.how == how).count();
        // What was not tried took no time.
        let tried = deliveries.iter().filter(|each| each.how != Delivered::Skipped);
        let mut millis: Vec<u64> = tried.map(|each| each.millis).collect();
        millis.sort_unstable();
        let at = |percent: usize| {
            let rank = (millis.len() * percent).div_ceil(100).max(1) - 1;
            millis.get(rank).copied().unwrap_or(0)
        };
        Calls {
            calls: deliveries.len(),
            hits: how(Delivered::Hit),
            empties: how(Delivered::Empty),
            done: how(Delivered::Done),
            errors: how(Delivered::Error),
            late: how(Delivered::Late),
            skipped: how(Delivered::Skipped),
            tokens: deliveries.iter().map(|each| each.tokens).sum(),
            entries: deliveries.iter().map(|each| each.entries.len()).sum(),
            median_ms: at(50),
            p95_ms: at(95),
            ..Calls::default()
        }
    }
}

/// What agents were handed in some period (`24h`, `30d`, `all`), and which entries earn their place.
pub fn stats(
    ledger: &Ledger,
    state: &Arc<dyn CloneState>,
    models: &ModelsInUse,
    caller: &Caller,
    period: &str,
) -> Result<StatsAnswer> {
    let read =
        Period::parse(period).map_err(|problem| Refusal::new(Code::Invalid, problem).field("period"))?;
    let now = caller.now();
    let since = match read {
        Period::All => Millis(0),
        Period::Hours(hours) => Millis(now.0 - hours * 3_600_000),
    };
    let all = deliveries::since(&**state, since);
    let mut groups: BTreeMap<(&str, &str, &str), Vec<&Delivery>> = BTreeMap::new();
    for each in &all {
        groups.entry((&each.door, &each.host, &each.what)).or_default().push(each);
    }
    let deliveries = groups.into_iter().map(|((door, host, what), group)| {
        let [door, host, what] = [door, host, what].map(str::to_owned);
        Calls { door, host, what, ..Calls::count(&group) }
    });
    let deliveries: Vec<Calls> = deliveries.collect();
    let total = (!all.is_empty()).then(|| Calls::count(&all.iter().collect::<Vec<_>>()));
    let tokens = models.all.tokens();
    let usage = stats::usage(&**ledger, since, now, &*tokens)?;
    Ok(StatsAnswer { period: period.trim().to_owned(), total, deliveries, usage })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doo_8_what_was_not_tried_took_no_time() {
        let one = |how, millis| Delivery {
            at: 0,
            door: "hook".to_owned(),
            host: "codex".to_owned(),
            what: "prompt".to_owned(),
            how,
            tokens: 10,
            entries: vec!["one".to_owned()],
            millis,
        };
        let mut all: Vec<Delivery> = (1..=20).map(|millis| one(Delivered::Hit, millis)).collect();
        all.push(one(Delivered::Skipped, 0));
        let calls = Calls::count(&all.iter().collect::<Vec<_>>());
        assert_eq!((calls.calls, calls.hits, calls.skipped, calls.empties), (21, 20, 1, 0));
        assert_eq!((calls.tokens, calls.median_ms, calls.p95_ms), (210, 10, 19));
        assert_eq!(Calls::count(&[]).p95_ms, 0);
    }
}
