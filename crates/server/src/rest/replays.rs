//! Idempotency keys: a request that is sent again with the key of an earlier one gets the earlier one's answer, and nothing is done twice.
//!
//! Answers are kept in a file of the clone for a day, so that a client may also ask again after the server was started anew. An answer is
//! written behind the write itself; a crash between the two is the one moment in which a repeated request is carried out again.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use axum::http::{HeaderMap, StatusCode};
use kenning::Identity;
use kenning::core::Millis;
use kenning::replays::{self, FILE, KeptAnswer, PURGED};

use super::{Answered, Problem};
use crate::http::Principal;
use crate::limits::{REPLAY_KEY_CHARS_MAX, REPLAY_TIME, REPLAYS_MAX};

/// The answers that were given.
pub(crate) struct Replays {
    file: Option<PathBuf>,
    identity: Identity,
    given: Mutex<HashMap<String, Given>>,
    /// How the file looked when this process last read or wrote it: a purge by another process changes it.
    looks: Mutex<Option<Looks>>,
}

/// Length and time of change of a file; none where there is no file.
type Looks = Option<(u64, Option<SystemTime>)>;

#[derive(Clone, Debug)]
enum Given {
    /// The first request is being worked on.
    InWork {
        fingerprint: String,
    },
    Done(KeptAnswer),
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
    /// The answers that were kept, without those whose time is over.
    pub(crate) fn open(home: Option<PathBuf>, identity: Identity) -> Replays {
        let now = identity.time();
        let file = home.map(|home| home.join(FILE));
        let mut given = HashMap::new();
        let mut looks = None;
        if let Some(path) = &file
            && path.exists()
        {
            let mut kept = replays::read(path).unwrap_or_default();
            kept.retain(|kept| is_fresh(kept, now));
            // A file that cannot be made smaller is read again the next time.
            let _ = replays::write(path, &kept);
            given = kept.into_iter().map(|kept| (kept.key.clone(), Given::Done(kept))).collect();
            looks = Some(looks_of(path));
        }
        Replays { file, identity, given: Mutex::new(given), looks: Mutex::new(looks) }
    }

    /// Reads the answers again where another process changed the file: a purge takes its text out of them. What the file does not hold
    /// any more is forgotten.
    fn refresh(&self) {
        let Some(path) = &self.file else { return };
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let now = looks_of(path);
        // Before this process wrote anything, there is nothing that could have changed.
        if looks.as_ref().is_none_or(|looks| *looks == now) {
            return;
        }
        let Ok(kept) = replays::read(path) else { return };
        *looks = Some(now);
        let mut given = self.given();
        given.retain(|_, one| matches!(one, Given::InWork { .. }));
        for kept in kept {
            given.entry(kept.key.clone()).or_insert(Given::Done(kept));
        }
    }

    fn given(&self) -> MutexGuard<'_, HashMap<String, Given>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
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
        let now = self.identity.time();
        self.refresh();
        {
            let mut given = self.given();
            match given.get(key) {
                Some(Given::Done(kept)) if is_fresh(kept, now) => {
                    if kept.fingerprint != fingerprint {
                        return Err(other());
                    }
                    if kept.status == PURGED {
                        let message = "the request with this Idempotency-Key was carried out, and its answer was purged";
                        return Err(Problem::new(StatusCode::CONFLICT, "purged", message)
                            .hint("use a new key for a new request"));
                    }
                    let status = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::OK);
                    return Ok(Answered::new(status, kept.body.clone(), kept.exit));
                }
                Some(Given::InWork { fingerprint: begun }) => {
                    if begun != fingerprint {
                        return Err(other());
                    }
                    let message = "the first request with this Idempotency-Key is still being worked on";
                    return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message).retry_after(1));
                }
                _ => {}
            }
            if given.len() >= REPLAYS_MAX {
                let oldest = given.iter().filter_map(|(key, one)| match one {
                    Given::Done(kept) => Some((kept.at, key.clone())),
                    Given::InWork { .. } => None,
                });
                if let Some((_, key)) = oldest.min() {
                    given.remove(&key);
                }
            }
            given.insert(key.to_owned(), Given::InWork { fingerprint: fingerprint.to_owned() });
        }
        let unfinished = Unfinished { replays: self, key };
        let answered = work()?;
        let kept = KeptAnswer {
            at: self.identity.time().0,
            key: key.to_owned(),
            fingerprint: fingerprint.to_owned(),
            status: answered.status.as_u16(),
            exit: answered.exit,
            body: answered.body.clone(),
        };
        self.write(&kept);
        self.given().insert(key.to_owned(), Given::Done(kept));
        std::mem::forget(unfinished);
        Ok(answered)
    }

    /// Appends an answer. One that cannot be kept on disk is kept in memory.
    fn write(&self, kept: &KeptAnswer) {
        self.refresh();
        let (Some(path), Ok(line)) = (&self.file, serde_json::to_string(kept)) else { return };
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let before = looks_of(path).map_or(0, |(length, _)| length);
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        if let Ok(mut file) = options.open(path) {
            let _ = file.write_all(format!("{line}\n").as_bytes());
        }
        let now = looks_of(path);
        // Whoever else wrote meanwhile is seen the next time.
        let is_own = now.is_some_and(|(length, _)| length == before + line.len() as u64 + 1);
        *looks = Some(if is_own { now } else { None });
    }
}

/// A request that failed, or whose thread ended, can be made again.
struct Unfinished<'a> {
    replays: &'a Replays,
    key: &'a str,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.replays.given().remove(self.key);
    }
}

fn looks_of(path: &Path) -> Looks {
    let data = std::fs::metadata(path).ok()?;
    Some((data.len(), data.modified().ok()))
}

fn is_fresh(kept: &KeptAnswer, now: Millis) -> bool {
    let age = now.0.saturating_sub(kept.at);
    u64::try_from(age).is_ok_and(|age| u128::from(age) < REPLAY_TIME.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_repeated_request_gets_the_first_answer_also_after_a_restart() {
        let home = tempfile::tempdir().unwrap();
        let count = Cell::new(0);
        let ask = |replays: &Replays, fingerprint: &str| {
            replays.once("key", fingerprint, || {
                count.set(count.get() + 1);
                Ok(Answered::new(StatusCode::OK, format!("{}", count.get()), 0))
            })
        };
        let replays = Replays::open(Some(home.path().to_owned()), Identity::default());
        assert_eq!(ask(&replays, "one").unwrap().body, "1");
        assert_eq!(ask(&replays, "one").unwrap().body, "1");
        assert_eq!(ask(&replays, "two").unwrap_err().status, 422);
        let replays = Replays::open(Some(home.path().to_owned()), Identity::default());
        assert_eq!(ask(&replays, "one").unwrap().body, "1");
        assert_eq!(count.get(), 1);
    }

    // A server kept what a purge in another process took out of the store, in its file and in its memory.
    #[test]
    fn an_answer_that_was_purged_is_given_to_nobody_and_its_request_is_not_carried_out_again() {
        let home = tempfile::tempdir().unwrap();
        let ask = |replays: &Replays, key: &str, body: &str| {
            replays.once(key, "one", || Ok(Answered::new(StatusCode::OK, body.to_owned(), 0)))
        };
        let running = Replays::open(Some(home.path().to_owned()), Identity::default());
        ask(&running, "a", "hollyhock-otter").unwrap();
        ask(&running, "b", "harmless").unwrap();
        let path = home.path().join(FILE);
        let mut kept = replays::read(&path).unwrap();
        (kept[0].status, kept[0].body) = (PURGED, String::new());
        replays::write(&path, &kept).unwrap();
        for replays in [running, Replays::open(Some(home.path().to_owned()), Identity::default())] {
            assert_eq!(ask(&replays, "a", "again").unwrap_err().status, 409);
            assert_eq!(ask(&replays, "b", "again").unwrap().body, "harmless");
        }
    }

    #[test]
    fn what_failed_may_be_tried_again() {
        let replays = Replays::open(None, Identity::default());
        let failed = || Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "busy"));
        assert!(replays.once("key", "one", failed).is_err());
        assert!(replays.once("key", "one", || Ok(Answered::new(StatusCode::OK, String::new(), 0))).is_ok());
    }
}
