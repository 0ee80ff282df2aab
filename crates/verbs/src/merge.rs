//! `merge` and `unmerge`, through every door.

use ken_engine::ops::merge::{self, MergeAnswer, UnmergeAnswer};

use crate::{Kenning, Result};

impl Kenning {
    /// Merges two entries that say the same. What is verified is put away by a person only (COR-19).
    pub fn merge(&mut self, one: &str, other: &str, reason: &str) -> Result<MergeAnswer> {
        self.store.may_write()?;
        if let Ok((_, absorbed)) = merge::chosen(&*self.store, one, other) {
            self.may_hide(&absorbed.id, "merging")?;
        }
        let writer = self.writer();
        let answer = merge::merge(&mut *self.store, one, other, reason.to_owned(), &writer)?;
        self.finish_standing(answer)
    }

    /// Takes a merge back.
    pub fn unmerge(&mut self, name: &str, reason: &str) -> Result<UnmergeAnswer> {
        self.store.may_write()?;
        let writer = self.writer();
        let answer = merge::unmerge(&mut *self.store, name, reason.to_owned(), &writer)?;
        self.finish_standing(answer)
    }
}
