//! The connections that are open, and which of them makes room when there are too many.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::limits::CONNECTIONS_MAX;

/// Every connection, the oldest first.
#[derive(Default)]
pub(crate) struct Connections {
    open: Mutex<Open>,
    gone: Notify,
}

#[derive(Default)]
struct Open {
    next: u64,
    places: BTreeMap<u64, (Busy, Arc<Notify>)>,
}

/// How many requests a connection is answering; a stream counts until it ends.
#[derive(Clone, Default)]
pub(crate) struct Busy(Arc<AtomicUsize>);

/// A request that is being answered.
pub(crate) struct Working(Busy);

impl Busy {
    pub(crate) fn begin(&self) -> Working {
        self.0.fetch_add(1, Ordering::SeqCst);
        Working(self.clone())
    }

    fn is_idle(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The place of one connection, given back when it is dropped.
pub(crate) struct Place {
    all: Arc<Connections>,
    number: u64,
    pub(crate) busy: Busy,
    /// Somebody else needs the place.
    pub(crate) dismissed: Arc<Notify>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.all.open().places.remove(&self.number);
        self.all.gone.notify_waiters();
    }
}

impl Connections {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more. Where all are taken, the oldest connection that nobody works for is dismissed; none where all are at work.
    pub(crate) fn enter(self: &Arc<Self>) -> Option<Place> {
        let mut open = self.open();
        if open.places.len() >= CONNECTIONS_MAX {
            let number =
                open.places.iter().find(|(_, (busy, _))| busy.is_idle()).map(|(number, _)| *number)?;
            // It is counted no more, though it takes a moment to end.
            if let Some((_, dismissed)) = open.places.remove(&number) {
                dismissed.notify_one();
            }
        }
        let number = open.next;
        open.next += 1;
        let (busy, dismissed) = (Busy::default(), Arc::new(Notify::new()));
        open.places.insert(number, (busy.clone(), dismissed.clone()));
        Some(Place { all: self.clone(), number, busy, dismissed })
    }

    /// Waits until every connection has ended.
    pub(crate) async fn are_gone(&self) {
        while !self.open().places.is_empty() {
            let _ = tokio::time::timeout(Duration::from_millis(50), self.gone.notified()).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 256 connections that said nothing kept everybody else out for half a minute.
    #[test]
    fn whoever_says_nothing_makes_room_and_whoever_is_answered_stays() {
        let all = Arc::new(Connections::default());
        let mut places: Vec<Place> = (0..CONNECTIONS_MAX).map(|_| all.enter().unwrap()).collect();
        let working = places[0].busy.begin();
        let late = all.enter().expect("the second makes room");
        assert_eq!(all.open().places.len(), CONNECTIONS_MAX);
        assert!(all.open().places.contains_key(&places[0].number));
        assert!(!all.open().places.contains_key(&places[1].number));
        // One that makes room and ends later takes nobody's place with it.
        drop(places.remove(1));
        assert_eq!(all.open().places.len(), CONNECTIONS_MAX);
        drop((working, late));
        assert_eq!(all.open().places.len(), CONNECTIONS_MAX - 1);
    }
}
