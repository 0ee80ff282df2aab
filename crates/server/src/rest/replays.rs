//! Idempotency keys: a request that is sent again with the key of an earlier one gets the earlier one's answer, and nothing is done twice.
//!
//! Answers are kept in the small state of the clone for a day, so that a client may also ask again after the server was started anew, and
//! ask another server of the same clone: whoever comes second there waits for the first. That a request was begun is written before anything
//! is done. Where a server stopped before the answer was kept, nobody can tell whether it was done, so it is not done again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::{HeaderMap, StatusCode};
use kenning::core::Millis;
use kenning::replays::{BEGUN, KeptAnswer, PURGED};
use kenning::{CloneState, Identity, RecordKind};

use super::{Answered, Problem};
use crate::http::Principal;
use crate::limits::{REPLAY_KEY_CHARS_MAX, REPLAY_TIME, REPLAYS_SWEPT};

/// The answers that were given. One that cannot be kept in the clone is not given again.
pub(crate) struct Replays {
    state: Option<Arc<dyn CloneState>>,
    identity: Identity,
    /// Requests that are being worked on, with their fingerprints, by their keys.
    in_work: Mutex<HashMap<String, String>>,
    /// How many answers were kept since the start.
    kept: AtomicUsize,
}

/// The key of a request, as its sender's own; none where it has none.
pub(crate) fn key(headers: &HeaderMap, principal: &Principal) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text.is_empty() || text.chars().count() > REPLAY_KEY_CHARS_MAX {
        let message = format!("Idempotency-Key must have 1 to {REPLAY_KEY_CHARS_MAX} characters");
        return Err(Problem::new(StatusCode::BAD_REQUEST, "invalid", message).field("Idempotency-Key"));
    }
    let who = principal.token.as_deref().unwrap_or("session");
    // Keys may be anything; the file holds their hashes alone.
    Ok(Some(blake3::hash(format!("{who}\n{text}").as_bytes()).to_hex()[..32].to_owned()))
}

impl Replays {
    pub(crate) fn open(state: Option<Arc<dyn CloneState>>, identity: Identity) -> Replays {
        Replays { state, identity, in_work: Mutex::default(), kept: AtomicUsize::new(0) }
    }

    fn in_work(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.in_work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something once for a key. What failed is not kept: it may be tried again.
    pub(crate) fn once(
        &self,
        key: &str,
        fingerprint: &str,
        work: impl FnOnce() -> Result<Answered, Problem>,
    ) -> Result<Answered, Problem> {
        let other = || {
            let message = "another request was sent with this Idempotency-Key";
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "replayed", message)
                .hint("use a new key for a new request")
        };
        {
            let mut in_work = self.in_work();
            match in_work.get(key) {
                Some(begun) if begun != fingerprint => return Err(other()),
                Some(_) => {
                    let message = "the first request with this Idempotency-Key is still being worked on";
                    return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message).retry_after(1));
                }
                None => in_work.insert(key.to_owned(), fingerprint.to_owned()),
            };
        }
        let _unfinished = Unfinished { replays: self, key };
        let record = RecordKind::Replays.named(key);
        // Of the servers of a clone one at a time works on a request: keys that begin alike take turns.
        let turn = RecordKind::Replays.named(&key[..1]);
        let _turn = self.state.as_deref().and_then(|state| state.lock(&turn).ok());
        let known = self.state.as_deref().and_then(|state| state.value::<KeptAnswer>(&record));
        if let Some(kept) = known.filter(|kept| is_fresh(kept, self.identity.time())) {
            if kept.fingerprint != fingerprint {
                return Err(other());
            }
            if kept.status == PURGED {
                let message =
                    "the request with this Idempotency-Key was carried out, and its answer was purged";
                return Err(Problem::new(StatusCode::CONFLICT, "purged", message)
                    .hint("use a new key for a new request"));
            }
            if kept.status == BEGUN {
                let message = "a server stopped while it carried out the request with this Idempotency-Key";
                return Err(Problem::new(StatusCode::CONFLICT, "interrupted", message)
                    .hint("look whether it was carried out; if not, send it with a new key"));
            }
            let status = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::OK);
            return Ok(Answered::new(status, kept.body, kept.exit));
        }
        let begun = KeptAnswer {
            at: self.identity.time().0,
            fingerprint: fingerprint.to_owned(),
            status: BEGUN,
            exit: 0,
            body: String::new(),
        };
        if let Some(state) = self.state.as_deref() {
            drop(state.set_value(&record, &begun));
        }
        let answered = work().inspect_err(|_| {
            if let Some(state) = self.state.as_deref() {
                drop(state.remove(&record));
            }
        })?;
        let kept = KeptAnswer {
            status: answered.status.as_u16(),
            exit: answered.exit,
            body: answered.body.clone(),
            ..begun
        };
        if let Some(state) = self.state.as_deref() {
            // Without it the same request is carried out again: an add that is repeated adds nothing.
            drop(state.set_value(&record, &kept));
            if self.kept.fetch_add(1, Ordering::Relaxed).is_multiple_of(REPLAYS_SWEPT) {
                drop(state.sweep(RecordKind::Replays, self.identity.time()));
            }
        }
        Ok(answered)
    }
}

/// A request whose work is over, however it ended.
struct Unfinished<'a> {
    replays: &'a Replays,
    key: &'a str,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.replays.in_work().remove(self.key);
    }
}

fn is_fresh(kept: &KeptAnswer, now: Millis) -> bool {
    let age = now.0.saturating_sub(kept.at);
    u64::try_from(age).is_ok_and(|age| u128::from(age) < REPLAY_TIME.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn state() -> Arc<dyn CloneState> {
        Arc::new(kenning::MemoryState::default())
    }

    #[test]
    fn a_repeated_request_gets_the_first_answer_also_after_a_restart() {
        let (state, count) = (state(), Cell::new(0));
        let ask = |replays: &Replays, fingerprint: &str| {
            replays.once("key", fingerprint, || {
                count.set(count.get() + 1);
                Ok(Answered::new(StatusCode::OK, format!("{}", count.get()), 0))
            })
        };
        let replays = Replays::open(Some(state.clone()), Identity::default());
        assert_eq!(ask(&replays, "one").unwrap().body, "1");
        assert_eq!(ask(&replays, "one").unwrap().body, "1");
        assert_eq!(ask(&replays, "two").unwrap_err().status, 422);
        let replays = Replays::open(Some(state), Identity::default());
        assert_eq!(ask(&replays, "one").unwrap().body, "1");
        assert_eq!(count.get(), 1);
    }

    #[test]
    fn of_two_servers_one_carries_a_request_out_and_none_does_after_a_crash() {
        let (state, count) = (state(), AtomicUsize::new(0));
        let work = || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            count.fetch_add(1, Ordering::Relaxed);
            Ok(Answered::new(StatusCode::OK, "done".to_owned(), 0))
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let state = state.clone();
                scope.spawn(move || {
                    let server = Replays::open(Some(state), Identity::default());
                    assert_eq!(server.once("key", "one", work).unwrap().body, "done");
                });
            }
        });
        assert_eq!(count.load(Ordering::Relaxed), 1);
        let crash = || -> Result<Answered, Problem> { panic!("the power failed") };
        let server = Replays::open(Some(state.clone()), Identity::default());
        let crashed =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| server.once("key2", "one", crash)));
        assert!(crashed.is_err());
        let server = Replays::open(Some(state), Identity::default());
        assert_eq!(server.once("key2", "one", work).unwrap_err().status, 409);
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }

    // A server kept what a purge in another process took out of the store.
    #[test]
    fn an_answer_that_was_purged_is_given_to_nobody_and_its_request_is_not_carried_out_again() {
        let state = state();
        let ask = |replays: &Replays, key: &str, body: &str| {
            replays.once(key, "one", || Ok(Answered::new(StatusCode::OK, body.to_owned(), 0)))
        };
        let running = Replays::open(Some(state.clone()), Identity::default());
        ask(&running, "a", "hollyhock-otter").unwrap();
        ask(&running, "b", "harmless").unwrap();
        kenning::purge_state(&*state, kenning::Purged::Texts(&["hollyhock-otter".to_owned()])).unwrap();
        assert_eq!(ask(&running, "a", "again").unwrap_err().status, 409);
        assert_eq!(ask(&running, "b", "again").unwrap().body, "harmless");
    }

    #[test]
    fn what_failed_may_be_tried_again() {
        let replays = Replays::open(Some(state()), Identity::default());
        let failed = || Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "busy"));
        assert!(replays.once("key", "one", failed).is_err());
        assert!(replays.once("key", "one", || Ok(Answered::new(StatusCode::OK, String::new(), 0))).is_ok());
    }
}
