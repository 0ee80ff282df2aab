//! Values that somebody purged: they are known again wherever they come up, though they are kept nowhere.
//!
//! Of a value there is a salted hash that takes long to compute, and so much of a quick one that few other places of a text have to be
//! hashed. Whoever reads that can try guesses, slowly; a value that cannot be guessed cannot be found out.

use std::sync::{Arc, PoisonError, RwLock};

use serde::{Deserialize, Serialize};

use crate::limits::known::HASH_ROUNDS;

/// The name of the rule in findings.
pub const RULE: &str = "purged-secret";

/// What it takes to know a value again, in whatever case its letters are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnownValue {
    /// How many bytes it has.
    length: usize,
    salt: [u8; 16],
    /// A part of its rolling sum.
    sum: u16,
    hash: [u8; 32],
}

impl KnownValue {
    /// Of a value, with a salt that was drawn for it.
    pub fn new(value: &str, salt: [u8; 16]) -> KnownValue {
        let bytes = value.to_ascii_lowercase().into_bytes();
        let sum = Sum::of(&bytes, &salt).short();
        KnownValue { length: bytes.len(), salt, sum, hash: hash(&bytes, &salt) }
    }

    /// Where a text in small letters has it.
    fn find(&self, lower: &[u8], out: &mut Vec<(usize, usize)>) {
        if self.length == 0 || lower.len() < self.length {
            return;
        }
        let mut sum = Sum::of(&lower[..self.length], &self.salt);
        let mut from = 0;
        let mut start = 0;
        loop {
            let end = start + self.length;
            if start >= from && sum.short() == self.sum && hash(&lower[start..end], &self.salt) == self.hash {
                out.push((start, end));
                from = end;
            }
            let Some(next) = lower.get(end) else { return };
            sum.roll(lower[start], *next);
            start += 1;
        }
    }
}

/// A sum over some bytes that can be moved on by one.
struct Sum {
    base: u32,
    /// What the first byte is multiplied by.
    highest: u32,
    value: u32,
}

impl Sum {
    fn of(bytes: &[u8], salt: &[u8; 16]) -> Sum {
        let base = u32::from_le_bytes([salt[0], salt[1], salt[2], salt[3]]) | 1;
        let (mut highest, mut value) = (1_u32, 0_u32);
        for (at, byte) in bytes.iter().enumerate() {
            highest = if at == 0 { 1 } else { highest.wrapping_mul(base) };
            value = value.wrapping_mul(base).wrapping_add(u32::from(*byte) + 1);
        }
        Sum { base, highest, value }
    }

    fn roll(&mut self, first: u8, next: u8) {
        let without = self.value.wrapping_sub((u32::from(first) + 1).wrapping_mul(self.highest));
        self.value = without.wrapping_mul(self.base).wrapping_add(u32::from(next) + 1);
    }

    fn short(&self) -> u16 {
        (self.value >> 16) as u16
    }
}

fn hash(bytes: &[u8], salt: &[u8; 16]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(salt).update(bytes);
    let mut hash = *hasher.finalize().as_bytes();
    for _ in 0..HASH_ROUNDS {
        hash = *blake3::hash(&hash).as_bytes();
    }
    hash
}

static KNOWN: RwLock<Option<Arc<Vec<KnownValue>>>> = RwLock::new(None);

/// From now on these values are secrets in this process as well. Says whether any of them is new.
pub fn learn(values: Vec<KnownValue>) -> bool {
    if values.is_empty() {
        return false;
    }
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    let mut all = known.as_ref().map(|known| known.to_vec()).unwrap_or_default();
    let before = all.len();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    let is_new = all.len() > before;
    *known = Some(Arc::new(all));
    is_new
}

/// How many values are known: with each, more of a text may be a secret than before.
pub fn count() -> usize {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, |known| known.len())
}

/// Where a text has a value that was purged.
pub(crate) fn spans(text: &str) -> Vec<(usize, usize)> {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(known) = known else { return Vec::new() };
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    known.iter().for_each(|value| value.find(lower.as_bytes(), &mut found));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purged_value_is_known_again_wherever_it_is() {
        let text = "The meadow word is hollyhock-otter-quilt, as ever.";
        assert_eq!(crate::redact(text), text);
        assert!(learn(vec![KnownValue::new("hollyhock-otter-quilt", [7; 16])]));
        assert!(!learn(vec![KnownValue::new("hollyhock-otter-quilt", [7; 16])]));
        assert_eq!(crate::redact(text), "The meadow word is [REDACTED:purged-secret], as ever.");
        for text in [
            "hollyhock-otter-quilt",
            "xHollyhock-OTTER-quiltx",
            "a\u{e4}hollyhock-otter-quilt\u{e4}",
            "holly\u{200b}hock-otter-quilt",
            "hollyhock-otter-quilthollyhock-otter-quilt",
        ] {
            let clean = crate::redact(text);
            assert!(!clean.replace('\u{200b}', "").to_lowercase().contains("otter"), "{text}: {clean}");
        }
        for other in ["hollyhock-otter-quil", "hollyhock_otter_quilt", "", "otter"] {
            assert_eq!(crate::redact(other), other);
        }
        let kept = format!("{:?}", KnownValue::new("hollyhock-otter-quilt", [7; 16]));
        assert!(!kept.contains("otter"), "{kept}");
    }
}
