//! Texts that this process found to hold no secret, or nothing at all, so that none is looked through twice on its way into the ledger.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::limits::scanned::{HARMLESS_BYTES_MAX, TEXTS_MAX};

/// Hashes alone, with keys drawn for this process: nobody can choose a text that is taken for another.
struct Scanned {
    keys: RandomState,
    /// Texts without a secret, with the name they stand under.
    clean: Mutex<HashSet<u64>>,
    /// Short texts in which no rule finds anything.
    harmless: Mutex<HashSet<u64>>,
}

static SCANNED: LazyLock<Scanned> = LazyLock::new(|| Scanned {
    keys: RandomState::new(),
    clean: Mutex::default(),
    harmless: Mutex::default(),
});

fn insert(hashes: &Mutex<HashSet<u64>>, hash: u64) {
    let mut hashes = hashes.lock().unwrap_or_else(PoisonError::into_inner);
    if hashes.len() >= TEXTS_MAX {
        hashes.clear();
    }
    hashes.insert(hash);
}

fn contains(hashes: &Mutex<HashSet<u64>>, hash: u64) -> bool {
    hashes.lock().unwrap_or_else(PoisonError::into_inner).contains(&hash)
}

/// Remembers that a text, in the place that a name gives it, holds no secret.
pub(crate) fn remember(name: &str, text: &str) {
    insert(&SCANNED.clean, SCANNED.keys.hash_one((name, text)));
}

/// Whether a text is known to hold no secret in such a place.
pub(crate) fn is_clean(name: &str, text: &str) -> bool {
    contains(&SCANNED.clean, SCANNED.keys.hash_one((name, text)))
}

/// Remembers that no rule finds anything in a text, if it is short: names of fields, labels and kinds come again and again.
pub(crate) fn remember_harmless(text: &str) {
    if text.len() <= HARMLESS_BYTES_MAX {
        insert(&SCANNED.harmless, SCANNED.keys.hash_one(text));
    }
}

/// Whether it is known that no rule finds anything in a text.
pub(crate) fn is_harmless(text: &str) -> bool {
    text.len() <= HARMLESS_BYTES_MAX && contains(&SCANNED.harmless, SCANNED.keys.hash_one(text))
}

/// Forgets everything: more is a secret now than was.
pub(crate) fn forget() {
    for hashes in [&SCANNED.clean, &SCANNED.harmless] {
        hashes.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
