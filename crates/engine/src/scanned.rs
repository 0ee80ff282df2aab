//! Texts that this process found to hold no secret, so that none is looked through twice on its way into the ledger.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::limits::scanned::TEXTS_MAX;

/// Hashes alone, with keys drawn for this process: nobody can choose a text that is taken for another.
struct Scanned {
    keys: RandomState,
    hashes: Mutex<HashSet<u64>>,
}

static SCANNED: LazyLock<Scanned> =
    LazyLock::new(|| Scanned { keys: RandomState::new(), hashes: Mutex::default() });

/// Remembers that a text, in the place that a name gives it, holds no secret.
pub(crate) fn remember(name: &str, text: &str) {
    let hash = SCANNED.keys.hash_one((name, text));
    let mut hashes = SCANNED.hashes.lock().unwrap_or_else(PoisonError::into_inner);
    if hashes.len() >= TEXTS_MAX {
        hashes.clear();
    }
    hashes.insert(hash);
}

/// Forgets everything: more is a secret now than was.
pub(crate) fn forget() {
    SCANNED.hashes.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Whether a text is known to hold no secret in such a place.
pub(crate) fn is_clean(name: &str, text: &str) -> bool {
    let hash = SCANNED.keys.hash_one((name, text));
    SCANNED.hashes.lock().unwrap_or_else(PoisonError::into_inner).contains(&hash)
}
