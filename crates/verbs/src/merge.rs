//! `merge` and `unmerge`, through every door.

use ken_core::decide::{Likeness, MergeDoubt, Merging};
use ken_engine::ops::merge::{self, MergeAnswer, UnmergeAnswer};
use ken_engine::view::handle;
use ken_engine::{Caller, Ledger};

use crate::limits::merge::MERGED_COSINE_MIN;
use crate::{ModelsInUse, Result, Site, Stored};

/// Merges two entries that say the same. Where a verified entry is put away, or would stand for something else, a person decides
/// (COR-19, COR-21).
pub fn merge(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    one: &str,
    other: &str,
    reason: &str,
) -> Result<MergeAnswer> {
    ledger.may_write()?;
    if caller.is_unattended()
        && let Ok((kept, absorbed)) = merge::chosen(&**ledger, one, other)
    {
        let merging = Merging {
            kept_is_verified: crate::writer::is_or_was_verified(ledger, &kept)?,
            absorbed_is_verified: crate::writer::is_or_was_verified(ledger, &absorbed)?,
            likeness: likeness(ledger, models, &kept, &absorbed)?,
        };
        let (into, away) = (handle(&kept), handle(&absorbed));
        match merging.doubt() {
            None => {}
            Some(MergeDoubt::HidesVerified) => {
                caller.require_person(&format!("merging {away}, which is or was verified,"))?;
            }
            Some(MergeDoubt::Apart) => {
                caller.require_person(&format!("merging {away} and {into}, which do not say the same,"))?;
            }
            Some(MergeDoubt::NotCompared) => {
                caller.require_person(&format!(
                    "merging {away} into {into}, which is or was verified, without embeddings to compare them"
                ))?;
            }
        }
    }
    let writer = crate::writer::writer(&site.config, caller);
    let answer = merge::merge(ledger, one, other, reason.to_owned(), &writer)?;
    crate::archive_pages::finish_standing(ledger, site, models, caller, answer)
}

/// Whether two entries say the same, as far as rules and embeddings tell.
fn likeness(
    ledger: &mut Ledger,
    models: &mut ModelsInUse,
    kept: &Stored,
    absorbed: &Stored,
) -> Result<Likeness> {
    drop(crate::embedding::embedder(ledger, models));
    let near = ledger.alike(&[(kept.entry.key, absorbed.entry.key)])?;
    let is_near = near.first().copied().flatten().map(|cosine| cosine >= MERGED_COSINE_MIN);
    Ok(Likeness::of(&kept.entry, &absorbed.entry, is_near))
}

/// Takes a merge back.
pub fn unmerge(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    reason: &str,
) -> Result<UnmergeAnswer> {
    ledger.may_write()?;
    let writer = crate::writer::writer(&site.config, caller);
    let answer = merge::unmerge(ledger, name, reason.to_owned(), &writer)?;
    crate::archive_pages::finish_standing(ledger, site, models, caller, answer)
}
