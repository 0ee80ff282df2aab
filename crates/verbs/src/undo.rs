//! `undo`: the opposite of what was written last (COR-2).

use ken_core::{Code, Refusal};
use ken_engine::ops::change::ChangeAnswer;
use ken_engine::{Caller, Ledger, Result, ops};

use crate::{ModelsInUse, Site};

/// Says the opposite of what the same actor last wrote here, or in the global store where that was later (COR-2). A person may take
/// back what another actor wrote last.
pub fn undo(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    by: Option<&str>,
) -> Result<Vec<ChangeAnswer>> {
    let writer = crate::writer::writer(&site.config, caller);
    let actor = by.unwrap_or(&writer.actor);
    if actor.trim().is_empty() {
        return Err(Refusal::new(Code::Invalid, "an actor is needed, such as agent:maintain")
            .field("by")
            .into());
    }
    if actor != writer.actor {
        caller.require_person(&format!("undoing a change by {actor}"))?;
    }
    if let Some(mut global) = crate::learn::global_to_write(ledger, &site.workspace, caller) {
        let undone = if is_last_change_global(ledger, &global.ledger, actor)? {
            Some(undo(&mut global.ledger, &global.site, &mut global.models, &global.caller, by))
        } else {
            None
        };
        site.workspace.take_back(global);
        if let Some(undone) = undone {
            let mut answers = undone?;
            answers.iter_mut().for_each(|answer| answer.head.handle = format!("global:{}", answer.handle));
            return Ok(answers);
        }
    }
    let answer = ops::change::undo(ledger, actor, caller.attendance(), &writer)?;
    crate::archive_pages::finish_standing(ledger, site, models, caller, answer)
}

/// Whether the last change of an actor is one of the global store.
pub(crate) fn is_last_change_global(project: &Ledger, global: &Ledger, actor: &str) -> Result<bool> {
    let last = |ledger: &Ledger| -> Result<_> {
        let events = ledger.latest_by(actor)?;
        Ok(events.iter().map(|event| event.clock).max())
    };
    Ok(last(global)? > last(project)?)
}
