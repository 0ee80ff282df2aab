//! `override`: a person lets what a norm holds back happen once.

use crate::{ModelsInUse, Site};
use ken_core::{Code, Millis, Refusal};
use ken_engine::ops::signals::SignalInput;
use ken_engine::{Caller, CloneState, Ledger, RecordKind, Result, ops, view};
use serde::Serialize;

use crate::action_norm::bound;
use crate::gate::in_force;
use crate::limits::overrides::LIFTED_MINUTES;

/// What `override` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverrideAnswer {
    pub id: String,
    /// Its short citation.
    pub handle: String,
    /// Until when the next action may happen.
    pub until: String,
    /// The record of it.
    pub recorded: String,
    /// Whether it counts against the norm.
    pub counts_against: bool,
}

/// Lets the next action happen that a norm would hold back. It is recorded, and where the norm was wrong it costs it belief.
pub fn override_norm(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    reason: &str,
    wrong: bool,
) -> Result<OverrideAnswer> {
    ledger.may_write()?;
    let stored = ops::find(&**ledger, name)?;
    let policy = site.config.policy();
    let norms = in_force(&**ledger, &policy)?;
    let binds =
        norms.iter().any(|(entry, _)| entry.key == stored.entry.key && bound(entry, String::new()).is_some());
    if !binds {
        let message = format!("{} is not a norm in force that blocks actions", stored.id);
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("`ken gate` lists the norms in force; those with enforcement `actions`, `paths`, `commit_message` or `conventional_commits` block actions")
            .field("id")
            .into());
    }
    caller.require_person(&format!("overriding {}", stored.id))?;
    let until = Millis(caller.now().0 + LIFTED_MINUTES * 60_000);
    let said = match reason.trim() {
        "" => format!("The norm {} was overridden once.", stored.id),
        reason => format!("The norm {} was overridden once: {reason}", stored.id),
    };
    let input = SignalInput { tags: vec!["override".to_owned()], ..SignalInput::default() };
    let recorded = crate::health::note_signal(ledger, site, models, caller, &said, &input)?;
    if wrong {
        crate::learn::feedback(
            ledger,
            site,
            models,
            caller,
            &stored.id,
            false,
            &format!("it held back what was right. {reason}"),
        )?;
    }
    let lifted = RecordKind::Overrides.named(&stored.entry.key.to_string());
    site.state().write(&lifted, until.0.to_string().as_bytes())?;
    Ok(OverrideAnswer {
        handle: view::handle(&stored),
        id: stored.id,
        until: until.to_string(),
        recorded: recorded.id,
        counts_against: wrong,
    })
}

/// Whether a norm is lifted now. It is used up by that.
pub(crate) fn used_up(state: &dyn CloneState, key: &str, now: Millis) -> bool {
    let lifted = RecordKind::Overrides.named(key);
    let until = state.text(&lifted).and_then(|text| text.trim().parse::<i64>().ok());
    // Two actions at once: the one that takes the record away is the one it was written for.
    let is_own = until.is_some() && state.remove(&lifted).is_ok_and(|was_there| was_there);
    is_own && until.is_some_and(|until| now.0 <= until)
}
