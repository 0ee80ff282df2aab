//! When two texts that are near in meaning may not be one.

use crate::fields::Fields;

/// What an entry claims, as far as it can be compared.
pub struct Claim;

impl Claim {
    /// The claim of an entry.
    pub fn of(_: &Fields) -> Claim {
        Claim
    }
}

/// What sets two claims apart.
pub fn differences(_: &Claim, _: &Claim) -> Vec<String> {
    Vec::new()
}
