//! `edit`: new values for fields of an entry.

use ken_core::decide::Change;
use ken_core::{Code, EntryKey, Refusal, Status};
use ken_engine::ops::add::OnAbsent;
use ken_engine::ops::change::ChangeAnswer;
use ken_engine::{Caller, Error, Ledger, Projection, Result, ops};

use crate::{ModelsInUse, Site, Workspace};

/// An entry as an editor shows it.
#[derive(Clone, Debug)]
pub struct Editable {
    /// The name by which `revise` finds it, whichever store it is in.
    pub name: String,
    /// Its short citation.
    pub handle: String,
    /// None where its type is of a newer version.
    pub kind: Option<ken_core::Type>,
    pub status: Status,
    /// The fields that people may write.
    pub fields: serde_json::Map<String, serde_json::Value>,
}

/// What of an entry people may write, for an editor; one of the global store is found, too.
pub fn editable(ledger: &mut Ledger, workspace: &Workspace, caller: &Caller, name: &str) -> Result<Editable> {
    let stored = match ops::find(&**ledger, name) {
        Ok(stored) => stored,
        Err(error) => {
            return crate::global_store::in_global(ledger, workspace, caller, name, error, |global, name| {
                let found = editable(&mut global.ledger, &global.site.workspace, &global.caller, name)?;
                Ok(Editable { name: format!("global:{}", found.name), ..found })
            });
        }
    };
    let mut stored = ledger.stored(stored.entry.key)?.unwrap_or(stored);
    // What was seen at a place is not for people to write.
    stored.entry.fields.anchors.iter_mut().for_each(|anchor| anchor.captured = None);
    let fields = serde_json::to_value(&stored.entry.fields).map_err(Error::failed("opening the editor"))?;
    let serde_json::Value::Object(fields) = fields else {
        return Err(Refusal::new(Code::NotAllowed, "the entry has no fields").into());
    };
    Ok(Editable {
        name: stored.entry.key.to_string(),
        handle: stored.entry.handle(),
        kind: stored.entry.kind.known(),
        status: stored.entry.status,
        fields,
    })
}

/// New values for fields, labels that come or go, evidence that is added.
pub fn revise(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    change: Change,
    evidence: &[String],
    unverified: bool,
) -> Result<ChangeAnswer> {
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    let citing = ops::change::Citing { evidence, on_absent: OnAbsent::for_flag(unverified) };
    let (intake, wish) = (rules.intake(), change.clone());
    let said = |store: &dyn Projection| -> Result<Option<(EntryKey, String)>> {
        let stored = ops::find_any(store, name)?;
        Ok(stored.map(|stored| (stored.entry.key, stored.entry.fields.statement().into_owned())))
    };
    let before = said(&**ledger)?;
    let revised = ops::change::revise(ledger, &around, name, wish, citing, &intake, &writer);
    let revised = revised.and_then(|mut answer| {
        let after = said(&**ledger)?;
        if let (Some((key, _)), Some(embedder)) =
            (after.as_ref().filter(|_| after != before), intake.embedder)
        {
            let remarks = ops::similar::remarks_on_revised(ledger, *key, embedder, &writer)?;
            answer.reasons.extend(remarks);
        }
        Ok(answer)
    });
    drop(rules);
    match revised {
        Ok(answer) => crate::writer::finish(ledger, site, models, caller, answer),
        Err(error) => {
            crate::global_store::in_global(ledger, &site.workspace, caller, name, error, |global, name| {
                revise(
                    &mut global.ledger,
                    &global.site,
                    &mut global.models,
                    &global.caller,
                    name,
                    change,
                    evidence,
                    unverified,
                )
            })
        }
    }
}

/// Names the words that the trust of older versions was earned for, and says of how many entries (COR-18).
pub fn pin_words(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<usize> {
    let writer = crate::writer::writer(&site.config, caller);
    let pinned = ops::change::pin_all(ledger, &writer)?;
    crate::writer::finish(ledger, site, models, caller, pinned)
}
