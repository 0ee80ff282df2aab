//! `merge` and `unmerge`, through every door.

use ken_core::decide;
use ken_engine::ops::merge::{self, MergeAnswer, UnmergeAnswer};

use crate::limits::merge::MERGED_COSINE_MIN;
use crate::{Kenning, Result, Stored};

impl Kenning {
    /// Merges two entries that say the same. What is verified is put away by a person only (COR-19).
    pub fn merge(&mut self, one: &str, other: &str, reason: &str) -> Result<MergeAnswer> {
        self.store.may_write()?;
        if let Ok((kept, absorbed)) = merge::chosen(&*self.store, one, other) {
            self.may_hide(&absorbed.id, "merging")?;
            if self.is_unattended() && !self.may_be_one(&kept, &absorbed)? {
                self.person(&format!("merging {} and {}, which do not say the same,", absorbed.id, kept.id))?;
            }
        }
        let writer = self.writer();
        let answer = merge::merge(&mut *self.store, one, other, reason.to_owned(), &writer)?;
        self.finish_standing(answer)
    }

    /// Whether two entries may say the same, as far as rules and meanings tell.
    fn may_be_one(&mut self, kept: &Stored, absorbed: &Stored) -> Result<bool> {
        drop(self.embedder());
        let near = self.store.alike(&[(kept.entry.key, absorbed.entry.key)])?;
        let is_near = near.first().copied().flatten().is_none_or(|cosine| cosine >= MERGED_COSINE_MIN);
        Ok(is_near && decide::may_be_one(&kept.entry, &absorbed.entry))
    }

    /// Takes a merge back.
    pub fn unmerge(&mut self, name: &str, reason: &str) -> Result<UnmergeAnswer> {
        self.store.may_write()?;
        let writer = self.writer();
        let answer = merge::unmerge(&mut *self.store, name, reason.to_owned(), &writer)?;
        self.finish_standing(answer)
    }
}
