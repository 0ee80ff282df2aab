//! What is laid over entries, on a ledger in memory (BEL-9): what is seen changes, and what is known does not.

use ken_core::OverlayChange;
use ken_engine::ops::overlay::lay;
use ken_engine::ops::search::SearchInput;
use ken_engine::{Overlaid, Query};

use crate::told::{Told, ids, question};

const NETWORK: &str = "
    lesson jitter: Retry network calls with jitter.
    lesson backoff: Retry network calls with backoff and a limit on attempts of any kind.
    lesson units: Name the unit of every number.";

impl Told {
    fn lays(&mut self, name: &str, change: OverlayChange) -> &'static str {
        let writer = self.writer.clone();
        lay(&mut self.ledger, name, change, &writer).unwrap().outcome.word()
    }

    fn listed(&self, overlaid: Overlaid) -> String {
        let query = Query { overlaid, pinned_first: true, ..Query::default() };
        let page = self.ledger.list(&query).unwrap();
        page.entries.iter().map(|stored| stored.id.clone()).collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn a_mute_hides_and_a_pin_lifts() {
    let reason = String::new;
    let mut told = Told::of(NETWORK);
    let before = told.ids("retry network calls");
    let events = told.ledger.event_count().unwrap();
    let (first, last) = before.split_once(' ').unwrap();
    assert_eq!(told.lays(last, OverlayChange::Pinned { reason: reason() }), "changed");
    assert_eq!(told.ids("retry network calls"), format!("{last} {first}"));
    let one = SearchInput { limit: 1, ..question("retry network calls") };
    assert_eq!(
        ids(&told.asks(&one).unwrap()),
        last,
        "a pin counts among what is relevant, not only among what is shown"
    );
    assert_eq!(told.listed(Overlaid::Pinned), last);
    assert!(told.listed(Overlaid::Visible).starts_with(last));
    assert_eq!(told.ids("unit of a number"), "units");

    assert_eq!(told.lays(last, OverlayChange::Muted { reason: reason() }), "changed");
    assert_eq!(told.lays(last, OverlayChange::Muted { reason: reason() }), "unchanged");
    assert_eq!(told.ids("retry network calls"), first);
    assert_eq!((told.listed(Overlaid::Hidden).as_str(), told.listed(Overlaid::Pinned).as_str()), (last, ""));
    assert_eq!(told.listed(Overlaid::Any).split(' ').count(), 3);
    told.lays(last, OverlayChange::Unmuted { reason: reason() });
    told.lays(last, OverlayChange::Unpinned { reason: reason() });
    assert_eq!(told.ids("retry network calls"), before);
    assert_eq!(told.ledger.event_count().unwrap(), events, "the ledger was not written");
}
