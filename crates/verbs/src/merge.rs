//! `merge` and `unmerge`, through every door.

use ken_core::decide::{Likeness, MergeDoubt, Merging};
use ken_engine::ops::merge::{self, MergeAnswer, UnmergeAnswer};
use ken_engine::view::handle;

use crate::limits::merge::MERGED_COSINE_MIN;
use crate::{Kenning, Result, Stored};

impl Kenning {
    /// Merges two entries that say the same. Where a verified entry is put away, or would stand for something else, a person decides
    /// (COR-19, COR-21).
    pub fn merge(&mut self, one: &str, other: &str, reason: &str) -> Result<MergeAnswer> {
        self.store.may_write()?;
        if self.caller.is_unattended()
            && let Ok((kept, absorbed)) = merge::chosen(&*self.store, one, other)
        {
            let merging = Merging {
                kept_is_verified: crate::is_or_was_verified(&self.store, &kept)?,
                absorbed_is_verified: crate::is_or_was_verified(&self.store, &absorbed)?,
                likeness: self.likeness(&kept, &absorbed)?,
            };
            let (into, away) = (handle(&kept), handle(&absorbed));
            match merging.doubt() {
                None => {}
                Some(MergeDoubt::HidesVerified) => {
                    self.caller.require_person(&format!("merging {away}, which is or was verified,"))?;
                }
                Some(MergeDoubt::Apart) => {
                    self.caller
                        .require_person(&format!("merging {away} and {into}, which do not say the same,"))?;
                }
                Some(MergeDoubt::NotCompared) => {
                    self.caller.require_person(&format!(
                        "merging {away} into {into}, which is or was verified, without embeddings to compare them"
                    ))?;
                }
            }
        }
        let writer = crate::writer(&self.config, &self.caller);
        let answer = merge::merge(&mut self.store, one, other, reason.to_owned(), &writer)?;
        self.finish_standing(answer)
    }

    /// Whether two entries say the same, as far as rules and embeddings tell.
    fn likeness(&mut self, kept: &Stored, absorbed: &Stored) -> Result<Likeness> {
        drop(self.embedder());
        let near = self.store.alike(&[(kept.entry.key, absorbed.entry.key)])?;
        let is_near = near.first().copied().flatten().map(|cosine| cosine >= MERGED_COSINE_MIN);
        Ok(Likeness::of(&kept.entry, &absorbed.entry, is_near))
    }

    /// Takes a merge back.
    pub fn unmerge(&mut self, name: &str, reason: &str) -> Result<UnmergeAnswer> {
        self.store.may_write()?;
        let writer = crate::writer(&self.config, &self.caller);
        let answer = merge::unmerge(&mut self.store, name, reason.to_owned(), &writer)?;
        self.finish_standing(answer)
    }
}
