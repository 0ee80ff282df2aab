//! `merge` and `unmerge`: two entries that say the same become one, and two again (UPK-1, COR-20).

use ken_core::answer::ChangeOutcome;
use ken_core::belief::Side;
use ken_core::decide::{self, Choice};
use ken_core::{BeliefEvent, Body, Clock, Code, EntryHead, EntryKey, Millis, Refusal};
use serde::Serialize;

use super::find;
use super::grounds::decided;
use crate::error::Result;
use crate::intake;
use crate::ledger::Ledger;
use crate::ports::{Stored, Writer};
use crate::projection::Projection;
use crate::view;

/// What `merge` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergeAnswer {
    /// Whether anything changed.
    pub outcome: ChangeOutcome,
    /// The entry that stands for both.
    pub kept: EntryHead,
    /// The entry that was merged into it.
    pub merged: EntryHead,
    /// What was done, in sentences.
    pub reasons: Vec<String>,
}

/// What `unmerge` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnmergeAnswer {
    /// Whether anything changed.
    pub outcome: ChangeOutcome,
    /// The entry that stands on its own again.
    pub entry: EntryHead,
    /// The entry that stood for both; none where it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<EntryHead>,
    /// Observations made since the merge. They stay with the entry that stood for both.
    pub since: Vec<SeenSince>,
    /// What was done, in sentences.
    pub reasons: Vec<String>,
}

/// An observation made while one entry stood for two.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeenSince {
    pub date: String,
    /// The run or the word of feedback.
    pub source: String,
    /// How much it counts; what speaks against the entry is negative.
    pub weight: f64,
    pub reason: String,
}

/// The entry that stands for this one, or the entry itself. What is said of a merged entry is said of that one.
pub fn standing_for(ledger: &dyn Projection, stored: Stored) -> Result<Stored> {
    let mut at = stored;
    let mut seen = vec![at.entry.key];
    while let Some(next) = merged_into(&at).filter(|next| !seen.contains(next)) {
        let Some(kept) = ledger.stored(next)? else { break };
        seen.push(next);
        at = kept;
    }
    Ok(at)
}

/// The entry that stands for another, as things are.
pub fn merged_into(stored: &Stored) -> Option<EntryKey> {
    stored.entry.merged_into.as_ref().filter(|merged| merged.counts).map(|merged| merged.key)
}

/// Which of two entries stands for both if they are merged.
pub fn chosen(ledger: &dyn Projection, one: &str, other: &str) -> Result<(Stored, Stored)> {
    let (one, other) = (find(ledger, one)?, find(ledger, other)?);
    let Choice { kept, .. } = decide::choose(&one.entry, &other.entry)?;
    Ok(if kept.key == one.entry.key { (one, other) } else { (other, one) })
}

/// Merges two entries; which of them stands for both is decided by COR-20.
pub fn merge(
    ledger: &mut Ledger,
    one: &str,
    other: &str,
    mut reason: String,
    writer: &Writer,
) -> Result<MergeAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let (one, other) =
            (grounds.find(ledger.projection(), one)?, grounds.find(ledger.projection(), other)?);
        if merged_into(&one) == Some(other.entry.key) || merged_into(&other) == Some(one.entry.key) {
            let is_one = merged_into(&one) == Some(other.entry.key);
            let (kept, merged) = if is_one { (other, one) } else { (one, other) };
            let reasons = vec![format!("{} stands for both already; nothing was written", kept.id)];
            let (kept, merged) = (view::head(&kept), view::head(&merged));
            return Ok(MergeAnswer { outcome: ChangeOutcome::from_changed(false), kept, merged, reasons });
        }
        let choice = decide::choose(&one.entry, &other.entry)?;
        let (kept, merged) = if choice.kept.key == one.entry.key { (&one, &other) } else { (&other, &one) };
        let similarity = merged.entry.similar_to.get(&kept.entry.key);
        let similarity = similarity.or_else(|| kept.entry.similar_to.get(&merged.entry.key)).copied();
        let intents = decide::merge(choice, similarity, reason.clone())?;
        ledger.append_on(&grounds.read, intents, writer)?;
        let now = |stored: &Stored| -> Result<EntryHead> {
            Ok(view::head(&ledger.stored(stored.entry.key)?.unwrap_or_else(|| stored.clone())))
        };
        let reasons =
            vec![format!("{} stands for both; `ken merge --undo {}` undoes it", kept.id, merged.id)];
        let (kept, merged) = (now(kept)?, now(merged)?);
        Ok(MergeAnswer { outcome: ChangeOutcome::from_changed(true), kept, merged, reasons })
    })
}

/// Takes a merge back: both entries stand as they did before it, and are not proposed as one again.
pub fn unmerge(
    ledger: &mut Ledger,
    name: &str,
    mut reason: String,
    writer: &Writer,
) -> Result<UnmergeAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let named = grounds.find(ledger.projection(), name)?;
        let stored = match merged_into(&named) {
            Some(_) => named,
            None => only_merged(ledger.projection(), &named)?,
        };
        let kept = match merged_into(&stored) {
            Some(key) => ledger.stored(key)?,
            None => None,
        };
        let since = match (&kept, &stored.entry.merged_into) {
            (Some(kept), Some(merged)) => {
                seen_since(ledger.projection(), kept.entry.key, merged.at, writer.now)?
            }
            _ => Vec::new(),
        };
        let intents = decide::unmerge(&stored.entry, kept.as_ref().map(|kept| &kept.entry), &reason);
        let changed = !intents.is_empty();
        ledger.append_on(&grounds.read, intents, writer)?;
        let now = ledger.stored(stored.entry.key)?.unwrap_or(stored);
        let kept = match kept {
            Some(kept) => ledger.stored(kept.entry.key)?,
            None => None,
        };
        let mut reasons = vec![format!("{} is {} again", now.id, now.entry.status)];
        if let Some(kept) = kept.as_ref().filter(|_| !since.is_empty()) {
            let made = match since.len() {
                1 => "1 observation made since stays".to_owned(),
                count => format!("{count} observations made since stay"),
            };
            reasons.push(format!("{made} with {}", kept.id));
        }
        Ok(UnmergeAnswer {
            outcome: ChangeOutcome::from_changed(changed),
            entry: view::head(&now),
            kept: kept.as_ref().map(view::head),
            since,
            reasons,
        })
    })
}

/// The one entry that was merged into another.
fn only_merged(ledger: &dyn Projection, kept: &Stored) -> Result<Stored> {
    let mut direct = Vec::new();
    for key in &kept.entry.pool.from {
        direct.extend(ledger.stored(*key)?.filter(|one| merged_into(one) == Some(kept.entry.key)));
    }
    match direct.len() {
        1 => Ok(direct.remove(0)),
        0 => Err(Refusal::new(Code::NotAllowed, format!("{} is not merged with another entry", kept.id))
            .hint("`ken show` says which entries were merged into one")
            .field("id")
            .into()),
        count => {
            let ids: Vec<&str> = direct.iter().map(|one| one.id.as_str()).collect();
            Err(Refusal::new(Code::Ambiguous, format!("{count} entries were merged into {}", kept.id))
                .hint(format!("name the one to take out: {}", ids.join(", ")))
                .field("id")
                .into())
        }
    }
}

/// What was observed of an entry since some moment, the latest word of each source.
fn seen_since(ledger: &dyn Projection, key: EntryKey, since: Clock, now: Millis) -> Result<Vec<SeenSince>> {
    let mut seen: Vec<SeenSince> = Vec::new();
    for placed in ledger.history(key)? {
        let event = &placed.event;
        let Some(Body::Belief(BeliefEvent::Observed { source, side, weight, reason, .. })) = &event.body
        else {
            continue;
        };
        if event.clock <= since {
            continue;
        }
        let weight = f64::from(*weight) / 1000.0;
        let source = intake::redacted_text(source);
        seen.retain(|other| other.source != source);
        seen.push(SeenSince {
            date: event.clock.shown_date(now),
            source,
            weight: if *side == Side::For { weight } else { -weight },
            reason: intake::redacted_text(reason),
        });
    }
    Ok(seen)
}
