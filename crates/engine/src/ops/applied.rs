//! `applied`: what was used and what was dismissed, as a section for a plan or a report (SUR-5).

use ken_core::{Code, Millis, Refusal, Type};
use serde::Serialize;

use super::search::LeftOut;
use super::{few_names, find};
use crate::deliver;
use crate::error::Result;
use crate::intake::clean_word;
use crate::ports::{CodeTree, Effort, Stored};
use crate::projection::Projection;
use crate::validity::judge_stored;
use crate::view;

/// An entry that was dismissed, and why.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dismissed {
    /// Its short citation.
    pub handle: String,
    pub why: String,
}

/// What `applied` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppliedAnswer {
    pub text: String,
    /// What was used.
    pub used: Vec<String>,
    /// What was dismissed.
    pub dismissed: Vec<Dismissed>,
    /// Experiments that need not be made again.
    pub spikes_avoided: Vec<String>,
    /// What was named and is not to be seen in this clone, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// Makes the section. Names are ids, handles or beginnings of them; a dismissal has a reason.
pub fn applied(
    ledger: &dyn Projection,
    mut ground: Option<&mut (dyn CodeTree + '_)>,
    used: &[String],
    dismissed: &[(String, String)],
    now: Millis,
) -> Result<AppliedAnswer> {
    few_names("used", used.len())?;
    few_names("dismissed", dismissed.len())?;
    let mut lines = vec!["## Knowledge Applied".to_owned(), String::new()];
    let mut answer = AppliedAnswer {
        text: String::new(),
        used: Vec::new(),
        dismissed: Vec::new(),
        spikes_avoided: Vec::new(),
        left_out: Vec::new(),
    };
    for name in used {
        let mut stored = find(ledger, name)?;
        if hidden(&stored, &mut answer.left_out) {
            continue;
        }
        if let Some(ground) = ground.as_deref_mut() {
            judge_stored(ledger, ground, &mut [&mut stored], Effort::Quick)?;
        }
        let handle = view::handle(&stored);
        if answer.used.contains(&handle) {
            continue;
        }
        lines.push(format!("- {} · {}", deliver::headline(&stored, 160), standing(ledger, &stored, now)?));
        if stored.entry.kind.known() == Some(Type::Spike) {
            answer.spikes_avoided.push(handle.clone());
        }
        answer.used.push(handle);
    }
    for (name, why) in dismissed {
        let mut why = why.clone();
        clean_word("dismissed", &mut why)?;
        let mut stored = find(ledger, name)?;
        if hidden(&stored, &mut answer.left_out) {
            continue;
        }
        if let Some(ground) = ground.as_deref_mut() {
            judge_stored(ledger, ground, &mut [&mut stored], Effort::Quick)?;
        }
        let handle = view::handle(&stored);
        let said = deliver::headline(&stored, 100);
        let standing = standing(ledger, &stored, now)?;
        lines.push(format!("- {}: dismissed, {why} · {standing}", said.trim_end_matches('.')));
        answer.dismissed.push(Dismissed { handle, why });
    }
    if answer.used.is_empty() && answer.dismissed.is_empty() {
        lines.push("- nothing was used".to_owned());
    }
    if let Some(both) = answer.dismissed.iter().find(|one| answer.used.contains(&one.handle)) {
        let message = format!("{} is given both as used and as dismissed", both.handle);
        return Err(Refusal::new(Code::Invalid, message).field("dismissed").into());
    }
    let ids = if answer.spikes_avoided.is_empty() {
        String::new()
    } else {
        format!(" ({})", answer.spikes_avoided.join(", "))
    };
    lines.push(String::new());
    lines.push(format!("Spikes avoided: {}{ids}", answer.spikes_avoided.len()));
    answer.text = lines.join("\n");
    Ok(answer)
}

/// What a reader must know beside what an entry says.
fn standing(ledger: &dyn Projection, stored: &Stored, now: Millis) -> Result<String> {
    let failures = deliver::failures(ledger, &[stored])?.pop().unwrap_or_default();
    Ok(deliver::standing_with(&failures, stored, now))
}

/// BEL-9: what this clone does not want to see is in no report either. Says whether it is so, and remembers why.
fn hidden(stored: &Stored, left_out: &mut Vec<LeftOut>) -> bool {
    let hides = stored.overlay.hides();
    if hides && left_out.iter().all(|other| other.id != stored.id) {
        let why = stored.overlay.told().into_iter().next().unwrap_or_default();
        left_out.push(LeftOut { id: stored.id.clone(), why });
    }
    hides
}
