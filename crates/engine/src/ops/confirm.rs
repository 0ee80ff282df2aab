//! What people and agents say of single entries: `confirm`, `feedback`, `reset`.

use ken_core::belief::{FEEDBACK_WEIGHT, Side};
use ken_core::decide::{self, Observation};
use ken_core::entry::FEEDBACK;
use ken_core::event::Confirmed;
use ken_core::run::folded;
use ken_core::{BeliefEvent, Body, Code, Confirmation, Millis, Refusal, Status};
use serde::Serialize;

use super::change::{ChangeAnswer, write};
use super::context;
use super::grounds::decided;
use super::run::{is_primed, own_run, risen};
use crate::error::Result;
use crate::ports::{Ledger, Writer};
use crate::way_in;

/// On whose word, and in which run.
#[derive(Clone, Copy, Debug)]
pub struct Speaker<'a> {
    pub run: Option<&'a str>,
    /// The agent's name in it.
    pub agent: &'a str,
    /// A person speaks.
    pub is_person: bool,
    /// When they found it, where that was earlier.
    pub at: Option<Millis>,
}

/// What `confirm` answers.
#[derive(Clone, Debug, Serialize)]
pub struct ConfirmAnswer {
    /// What became of it.
    #[serde(flatten)]
    pub change: ChangeAnswer,
    /// Whether who confirmed had been told.
    pub kind: Confirmation,
}

/// Says that an entry was found again. A person's word is independent; an agent's is judged by what it was shown (REV-2, REV-3).
pub fn confirm(
    ledger: &mut dyn Ledger,
    name: &str,
    speaker: Speaker<'_>,
    mut reason: String,
    writer: &Writer,
) -> Result<ConfirmAnswer> {
    way_in::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find(ledger, name)?;
        let context = context(ledger, writer)?;
        let entry = &stored.entry;
        let own = entry.created_by == writer.actor && entry.created.millis().date() == writer.now.date();
        let run = known_run(ledger, speaker)?;
        let actor = writer.actor.strip_prefix("agent:").unwrap_or(&writer.actor);
        let names = [speaker.agent, actor];
        let told =
            !speaker.is_person && (own || is_primed(ledger, speaker.run, &names, entry.key, writer.now)?);
        let kind = if told { Confirmation::Primed } else { Confirmation::Independent };
        let by = run.clone().unwrap_or_else(|| format!("{} {}", writer.actor, writer.now.date()));
        let known = kind == Confirmation::Independent
            && entry.confirmed_by.contains(&by)
            && entry.status.is_retrieved();
        let confirmed = Confirmed {
            kind,
            run,
            agents: if speaker.is_person { Vec::new() } else { vec![speaker.agent.to_owned()] },
            reason: reason.clone(),
            at: speaker.at,
        };
        let intents = if known { Vec::new() } else { decide::confirm(entry, confirmed, &context)? };
        let mut done = vec![match kind {
            Confirmation::Independent => match speaker.at {
                Some(at) => format!("confirmed independently: last confirmed {}", at.date()),
                None => "confirmed independently: last confirmed today, review debt 0".to_owned(),
            },
            Confirmation::Primed => format!(
                "recorded but not counted: {} had seen this entry before, so its confirmation date, review debt and status do not change",
                speaker.agent
            ),
        }];
        if let Some(status) = intents.iter().find_map(risen) {
            done.push(format!("it is {status} now"));
        }
        if intents.len() > 1 && !entry.status.is_retrieved() {
            done.push(format!("it was {} and is restored", entry.status));
        }
        let change = write(ledger, grounds, &stored, intents, done, writer)?;
        Ok(ConfirmAnswer { change, kind })
    })
}

/// The run somebody speaks in. It must have begun, and know them: else whoever thinks up names would count many times.
fn known_run(ledger: &dyn Ledger, speaker: Speaker<'_>) -> Result<Option<String>> {
    let Some(name) = speaker.run else { return Ok(None) };
    let agent = Some(speaker.agent).filter(|_| !speaker.is_person);
    own_run(ledger, name, agent).map(|run| Some(run.started.run))
}

/// BEL-4: says whether an entry helped. The same voice counts once in a run, or on a day; the latest word is the one.
pub fn feedback(
    ledger: &mut dyn Ledger,
    name: &str,
    helpful: bool,
    speaker: Speaker<'_>,
    mut reason: String,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    way_in::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find(ledger, name)?;
        if stored.entry.status == Status::Rejected {
            let message = format!("{} was rejected and never shown to anyone", stored.id);
            return Err(Refusal::new(Code::NotAllowed, message).into());
        }
        let context = context(ledger, writer)?;
        let run = known_run(ledger, speaker)?;
        let when = run.clone().unwrap_or_else(|| writer.now.date());
        // Outside of a run an actor has one voice, whatever it calls itself.
        let who = if run.is_some() && !speaker.is_person { speaker.agent } else { writer.actor.as_str() };
        let source = format!("{FEEDBACK}{}:{when}", folded(who));
        let side = if helpful { Side::For } else { Side::Against };
        let mut said = None;
        for placed in ledger.history(stored.entry.key)? {
            if let Some(Body::Belief(BeliefEvent::Observed { source: other, side, .. })) = &placed.event.body
                && *other == source
            {
                said = Some(*side);
            }
        }
        let word = if helpful { "helpful" } else { "not helpful" };
        let told = match reason.is_empty() {
            true => format!("{who} found it {word}"),
            false => format!("{who} found it {word}: {reason}"),
        };
        let seen = Observation { source, side, weight: FEEDBACK_WEIGHT, reason: told, at: None };
        let intents =
            if said == Some(side) { Vec::new() } else { decide::observe(&stored.entry, seen, &context) };
        let mut done = vec![match (said, helpful) {
            (Some(_), _) => format!(
                "your earlier feedback of this {} was replaced: {word}",
                if run.is_some() { "run" } else { "day" }
            ),
            (None, true) => "1 for it".to_owned(),
            (None, false) => "1 against it, and one prediction error".to_owned(),
        }];
        if let Some(status) = intents.iter().find_map(risen) {
            done.push(format!("it is {status} now"));
        }
        write(ledger, grounds, &stored, intents, done, writer)
    })
}

/// BEL-7: wipes the slate of an entry.
pub fn reset(
    ledger: &mut dyn Ledger,
    name: &str,
    mut reason: String,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    way_in::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find(ledger, name)?;
        let context = context(ledger, writer)?;
        let intents = decide::reset(&stored.entry, reason.clone(), &context)?;
        write(
            ledger,
            grounds,
            &stored,
            intents,
            vec!["belief was reset to Beta(5, 5); the observations stay in the ledger".to_owned()],
            writer,
        )
    })
}
