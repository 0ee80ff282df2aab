//! Whose statements others have vouched for: nobody else comes before those by repeating the question (decision 0039).

use crate::limits::standing::ENTRIES_PER_VERIFIED_MAX;

/// What became of the entries of one author: an actor in a clone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuthorRecord {
    /// Those that are verified: another clone, an observed outcome or an accepted proof speaks for each (COR-19).
    pub verified: u32,
    /// Those that are handed out, with these.
    pub entries: u32,
}

impl AuthorRecord {
    /// Whether what this author states counts like what is verified. A few verified entries carry many, but not any number of them.
    pub fn is_established(self) -> bool {
        self.verified > 0 && self.entries <= AuthorRecord::entries_max(self.verified)
    }

    /// The most entries that so many verified ones carry.
    pub fn entries_max(verified: u32) -> u32 {
        verified.saturating_mul(ENTRIES_PER_VERIFIED_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_verified_entry_carries_a_hundred() {
        let is_established = |verified, entries| AuthorRecord { verified, entries }.is_established();
        assert!(!is_established(0, 1), "a newcomer");
        assert!(is_established(1, 1));
        assert!(is_established(1, 100));
        assert!(!is_established(1, 101), "a sleeper that floods the store");
        assert!(is_established(2, 101));
    }
}
