//! `pin`, `mute`, `invalidate`, `annotate` and their opposites: what this clone lays over an entry (BEL-9).

use ken_core::answer::ChangeOutcome;
use ken_core::decide::{self, Effect, EntryAction};
use ken_core::limits::{NOTES_MAX, WORD_CHARS_MAX};
use ken_core::{Code, Overlay, OverlayChange, OverlayEvent, Refusal};
use serde::Serialize;

use super::authority::is_or_was_verified;
use super::find;
use crate::error::Result;
use crate::intake;
use crate::ledger::Ledger;
use crate::ports::{Stored, Writer};
use crate::view;

/// What a change of an overlay answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverlayAnswer {
    /// Whether anything changed.
    pub outcome: ChangeOutcome,
    pub id: String,
    /// Its short citation.
    pub handle: String,
    /// What is laid over it now.
    pub overlay: Overlay,
    /// What was done, in sentences.
    pub reasons: Vec<String>,
}

/// Lays something over an entry, or takes it away. The ledger is not written.
pub fn lay(
    ledger: &mut Ledger,
    name: &str,
    mut change: OverlayChange,
    writer: &Writer,
) -> Result<OverlayAnswer> {
    let stored = find(ledger.projection(), name)?;
    clean(&mut change)?;
    let before = ledger.overlay(stored.entry.key);
    if matches!(change, OverlayChange::Annotated { .. }) && before.notes.len() >= NOTES_MAX {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("{} already has {NOTES_MAX} annotations, the maximum", stored.id),
        )
        .hint(format!("remove them with `ken view note {} --clear`", stored.id))
        .into());
    }
    if let Some(deed) = hiding(&change) {
        let was_verified = is_or_was_verified(ledger.projection(), &stored.entry)?;
        decide::may(Effect::Covers, &stored.entry, was_verified, deed, &writer.authority)?;
    }
    let done = told(&stored, &change);
    let (entry, at, actor) = (stored.entry.key, writer.now, writer.actor.clone());
    let changed = ledger.lay(&OverlayEvent { entry, at, actor, change })?;
    Ok(OverlayAnswer {
        outcome: ChangeOutcome::from_changed(changed),
        id: stored.id.clone(),
        handle: view::handle(&stored),
        overlay: ledger.overlay(entry),
        reasons: vec![if changed { done } else { "nothing to change; nothing was written".to_owned() }],
    })
}

/// What somebody does who hides an entry; none where nothing is hidden.
fn hiding(change: &OverlayChange) -> Option<EntryAction> {
    match change {
        OverlayChange::Muted { .. } => Some(EntryAction::MUTE),
        OverlayChange::Invalidated { .. } => Some(EntryAction::INVALIDATE),
        OverlayChange::Pinned { .. }
        | OverlayChange::Unpinned { .. }
        | OverlayChange::Unmuted { .. }
        | OverlayChange::Reinstated { .. }
        | OverlayChange::Annotated { .. }
        | OverlayChange::Cleared => None,
    }
}

/// Scans and redacts what is said with a change, and refuses a note that says nothing or too much.
fn clean(change: &mut OverlayChange) -> Result<()> {
    let field = if matches!(change, OverlayChange::Annotated { .. }) { "text" } else { "reason" };
    let Some(text) = change.text_mut() else { return Ok(()) };
    *text = text.trim().to_owned();
    if field == "text" && text.is_empty() {
        return Err(Refusal::new(Code::Invalid, "the annotation is empty")
            .hint("ken view note ID 'text', or --clear to remove all annotations")
            .field(field)
            .into());
    }
    let chars = text.chars().count();
    if chars > WORD_CHARS_MAX {
        let message = format!("the {field} has {chars} characters; at most {WORD_CHARS_MAX} are kept");
        return Err(Refusal::new(Code::Invalid, message).field(field).into());
    }
    intake::clean_word(field, text)
}

/// What a change does, and how it is taken back.
fn told(stored: &Stored, change: &OverlayChange) -> String {
    let id = &stored.id;
    match change {
        OverlayChange::Pinned { .. } => {
            format!("pinned in this clone: ranked above other entries; undo with `ken view pin --undo {id}`")
        }
        OverlayChange::Unpinned { .. } => "no longer pinned".to_owned(),
        OverlayChange::Muted { .. } => {
            format!("muted in this clone: hidden everywhere; undo with `ken view mute --undo {id}`")
        }
        OverlayChange::Unmuted { .. } => "no longer muted".to_owned(),
        OverlayChange::Invalidated { .. } => {
            format!("invalidated in this clone: hidden everywhere; undo with `ken view hide --undo {id}`")
        }
        OverlayChange::Reinstated { .. } => "no longer invalidated".to_owned(),
        OverlayChange::Annotated { .. } => {
            format!("annotated in this clone; remove with `ken view note {id} --clear`")
        }
        OverlayChange::Cleared => "its annotations were removed".to_owned(),
    }
}
