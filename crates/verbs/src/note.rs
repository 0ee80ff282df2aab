//! `note` and `friction`: observations worth a line.

use ken_engine::ops::add::AddAnswer;
use ken_engine::ops::signals::SignalInput;
use ken_engine::{Caller, Ledger, Result, ops};

use crate::{ModelsInUse, Site};

/// Records an observation worth a line.
pub fn note(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    text: &str,
    tags: &[String],
) -> Result<AddAnswer> {
    crate::health::note_signal(
        ledger,
        site,
        models,
        caller,
        text,
        &SignalInput { tags: tags.to_vec(), ..SignalInput::default() },
    )
}

/// Records something in the way.
pub fn friction(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    kind: &str,
    context: serde_json::Value,
) -> Result<AddAnswer> {
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    let answer = ops::note::friction(ledger, &around, kind, context, &rules.intake(), &writer)?;
    crate::writer::finish(ledger, site, models, caller, answer)
}
