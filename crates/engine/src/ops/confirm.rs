//! What people and agents say of single entries: `confirm`, `feedback`, `reset`.

use ken_core::belief::{FEEDBACK_WEIGHT, Side};
use ken_core::decide::{self, Context, Observation};
use ken_core::entry::FEEDBACK;
use ken_core::event::Confirmed;
use ken_core::run::folded;
use ken_core::{
    BeliefEvent, Body, Code, Confirmation, Entry, EntryEvent, Millis, Refusal, Status, Uncounted,
};
use serde::Serialize;

use super::change::{ChangeAnswer, write};
use super::grounds::decided;
use super::run::{day_began, is_primed, own_run, risen};
use super::{context, support};
use crate::error::Result;
use crate::intake;
use crate::ledger::Ledger;
use crate::ports::Writer;
use crate::projection::Projection;

/// On whose word, and in which run.
#[derive(Clone, Copy, Debug)]
pub struct Speaker<'a> {
    pub run: Option<&'a str>,
    /// The agent's name in it.
    pub agent: &'a str,
    /// Who could be asked about it: a person speaks, or an agent, or a process that merely credits a person (COR-7).
    pub voice: Voice,
    /// When they found it, where that was earlier.
    pub at: Option<Millis>,
}

/// Whose word it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A person at a terminal.
    Person,
    /// The person whose commit dates an entry anew in its file (REV-3). Whoever imported that file is not who stated it.
    Edit,
    /// An agent.
    Agent,
    /// A person is credited and nobody can be asked. For confirmations that is an agent of which nothing is known (COR-7).
    Unattended,
}

impl Speaker<'_> {
    fn is_person(&self) -> bool {
        matches!(self.voice, Voice::Person | Voice::Edit)
    }
}

/// What `confirm` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfirmAnswer {
    /// What became of it.
    #[serde(flatten)]
    pub change: ChangeAnswer,
    /// Whether who confirmed had been told.
    pub kind: Confirmation,
}

/// Says that an entry was found again. The word of a person who did not state it is independent; an agent's is judged by what it was
/// shown (REV-2, REV-3, COR-11).
pub fn confirm(
    ledger: &mut Ledger,
    name: &str,
    speaker: Speaker<'_>,
    mut reason: String,
    writer: &Writer,
) -> Result<ConfirmAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find_kept(ledger.projection(), name)?;
        let context = context(ledger, writer)?;
        let entry = &stored.entry;
        let run = known_run(ledger.projection(), speaker)?;
        let claim =
            Claim { ledger: ledger.projection(), entry, speaker, run: run.as_deref(), context: &context };
        let uncounted = claim.uncounted()?;
        let kind = if uncounted.is_some() { Confirmation::Primed } else { Confirmation::Independent };
        let support = support(ledger.projection(), entry)?;
        let by = run.clone().unwrap_or_else(|| format!("{} {}", writer.actor, writer.now.date()));
        let known = kind == Confirmation::Independent
            && entry.confirmed_by.contains(&by)
            && entry.status.is_retrieved();
        let confirmed = Confirmed {
            kind,
            run,
            agents: if speaker.is_person() { Vec::new() } else { vec![speaker.agent.to_owned()] },
            reason: reason.clone(),
            at: speaker.at,
            uncounted,
            withdraws: None,
        };
        let intents = if known { Vec::new() } else { decide::confirm(entry, confirmed, &support, &context)? };
        let mut done = vec![match (uncounted, speaker.at) {
            (Some(why), _) => not_counted(why).to_owned(),
            (None, Some(at)) => format!("confirmed independently: last confirmed {}", at.date()),
            (None, None) => "confirmed independently: last confirmed today, review debt 0".to_owned(),
        }];
        if let Some(status) = intents.iter().find_map(risen) {
            done.push(format!("it is {status} now"));
        }
        if kind == Confirmation::Independent {
            let mut after = entry.clone();
            after.confirmed_by.insert(by);
            let lacks = decide::lacks_origin(&after, &support.with(context.replica), writer.now);
            done.extend(lacks.then(|| NOT_VERIFIED_YET.to_owned()));
        }
        if intents.len() > 1 && !entry.status.is_retrieved() {
            done.push(format!("it was {} and is restored", entry.status));
        }
        let change = write(ledger, grounds, &stored, intents, done, writer)?;
        Ok(ConfirmAnswer { change, kind })
    })
}

/// What is said of an entry that was confirmed often enough, and by one clone only (COR-19).
pub const NOT_VERIFIED_YET: &str = "not verified yet: everything that speaks for it comes from this clone; it takes a \
    confirmation from another clone, an outcome that a hook observed, or `ken check ID --execute --accept-steps` by a person";

/// What somebody is told whose confirmation does not count.
fn not_counted(why: Uncounted) -> &'static str {
    match why {
        Uncounted::Author => "Noted. You wrote this entry, so your own confirmation does not count.",
        Uncounted::PossibleAuthor => {
            "Noted. An agent of this clone wrote this entry today, so your confirmation does not count: that may have been you."
        }
        Uncounted::Shown => "Noted. You had seen this entry before, so your confirmation does not count.",
        Uncounted::Unattended => {
            "Noted. There is no terminal here, so nobody can tell whether you had seen this entry; the confirmation does not count."
        }
    }
}

/// A confirmation, before it is known whether it counts.
struct Claim<'a> {
    ledger: &'a dyn Projection,
    entry: &'a Entry,
    speaker: Speaker<'a>,
    /// The run somebody speaks in.
    run: Option<&'a str>,
    context: &'a Context,
}

impl Claim<'_> {
    /// Why it does not count, if it does not (REV-2, COR-11).
    fn uncounted(&self) -> Result<Option<Uncounted>> {
        let Claim { entry, speaker, run, context, .. } = self;
        if self.is_own()? {
            let may_be = speaker.voice == Voice::Agent && entry.created_by != context.actor;
            return Ok(Some(if may_be { Uncounted::PossibleAuthor } else { Uncounted::Author }));
        }
        if speaker.is_person() {
            return Ok(None);
        }
        if speaker.voice == Voice::Unattended && run.is_none() {
            // What such a process reads is not recorded.
            return Ok(Some(Uncounted::Unattended));
        }
        Ok(self.was_shown()?.then_some(Uncounted::Shown))
    }

    /// Whether somebody states it who now confirms it (COR-11): the same person, however long ago; the same run; or an agent of this clone
    /// on the same day, under whichever name, where no run tells the two apart.
    fn is_own(&self) -> Result<bool> {
        let Claim { ledger, entry, speaker, run, context } = self;
        let mut stated = vec![(entry.created_by.clone(), entry.created, entry.origin)];
        if matches!(speaker.voice, Voice::Person | Voice::Unattended) {
            for placed in ledger.history(entry.key)? {
                if let Some(Body::Entry(EntryEvent::Added(_))) = &placed.event.body {
                    stated.push((placed.event.actor.clone(), placed.event.clock, placed.event.replica));
                }
            }
        }
        let source = entry.fields.source.as_ref().and_then(|source| source.run.as_deref());
        let same_run = run.is_some() && *run == source;
        let is_apart = run.is_some() && source.is_some();
        let is_imported = entry.since.is_some() && entry.fields.document.is_some();
        Ok(same_run
            || stated.iter().any(|(actor, clock, replica)| {
                let today = clock.millis().date() == context.now.date();
                match speaker.voice {
                    Voice::Edit => false,
                    // Who imported a file did not state what it says.
                    Voice::Person | Voice::Unattended => *actor == context.actor && !is_imported,
                    Voice::Agent => {
                        let merges = !actor.starts_with("human:") && *replica == context.replica && !is_apart;
                        today && (*actor == context.actor || merges)
                    }
                }
            }))
    }

    /// Whether the speaker had been shown it. What an agent was shown outside of every run, every other agent may have been told: a client
    /// gives itself its name (COR-19).
    fn was_shown(&self) -> Result<bool> {
        let Claim { ledger, entry, speaker, context, .. } = self;
        let actor = ken_core::run::agent_of(&context.actor);
        if is_primed(*ledger, speaker.run, &[speaker.agent, actor], entry.key, context.now)? {
            return Ok(true);
        }
        for (place, seen) in ledger.shown(entry.key, day_began(context.now))? {
            let is_agent =
                !seen.actor.starts_with("human:") && seen.clock.millis().date() == context.now.date();
            if is_agent && (place.starts_with('@') || ledger.run(&place)?.is_none()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The run somebody speaks in. It must have begun, and know them: else whoever thinks up names would count many times.
fn known_run(ledger: &dyn Projection, speaker: Speaker<'_>) -> Result<Option<String>> {
    let Some(name) = speaker.run else { return Ok(None) };
    let agent = Some(speaker.agent).filter(|_| !speaker.is_person());
    own_run(ledger, name, agent).map(|run| Some(run.started.run))
}

/// BEL-4: says whether an entry helped. The same voice counts once in a run, or on a day; the latest word is the one.
pub fn feedback(
    ledger: &mut Ledger,
    name: &str,
    helpful: bool,
    speaker: Speaker<'_>,
    mut reason: String,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find_kept(ledger.projection(), name)?;
        if stored.entry.status == Status::Rejected {
            let message = format!("{} is quarantined and was never shown to anyone", stored.id);
            return Err(Refusal::new(Code::NotAllowed, message).into());
        }
        let context = context(ledger, writer)?;
        let run = known_run(ledger.projection(), speaker)?;
        let when = run.clone().unwrap_or_else(|| writer.now.date());
        // Outside of a run an actor has one voice, whatever it calls itself.
        let who = if run.is_some() && !speaker.is_person() { speaker.agent } else { writer.actor.as_str() };
        let source = format!("{FEEDBACK}{}:{when}", folded(who));
        let side = if helpful { Side::For } else { Side::Against };
        let mut said = None;
        for placed in ledger.history(stored.entry.key)? {
            if let Some(Body::Belief(BeliefEvent::Observed { source: other, side, weight, .. })) =
                &placed.event.body
                && *other == source
            {
                // What was taken back was not said.
                said = Some(*side).filter(|_| *weight > 0);
            }
        }
        let word = if helpful { "helpful" } else { "not helpful" };
        let told = match reason.is_empty() {
            true => format!("{who} found it {word}"),
            false => format!("{who} found it {word}: {reason}"),
        };
        let seen =
            Observation { source, side, weight: FEEDBACK_WEIGHT, reason: told, at: None, witnessed: false };
        let intents = match said == Some(side) {
            true => Vec::new(),
            false => {
                decide::observe(&stored.entry, seen, &support(ledger.projection(), &stored.entry)?, &context)
            }
        };
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
pub fn reset(ledger: &mut Ledger, name: &str, mut reason: String, writer: &Writer) -> Result<ChangeAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find(ledger.projection(), name)?;
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
