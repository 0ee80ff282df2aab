//! What people and agents say of single entries: `confirm`, `feedback`, `reset`; and how far an entry reaches: `promote`, `thread`.

use ken_core::belief::{FEEDBACK_WEIGHT, Side};
use ken_core::decide::{self, Observation};
use ken_core::entry::FEEDBACK;
use ken_core::event::Confirmed;
use ken_core::{BeliefEvent, Body, Code, Confirmation, Refusal, Scope, Status};
use serde::Serialize;

use super::change::{ChangeAnswer, write};
use super::run::{is_primed, risen};
use super::{context, find};
use crate::error::Result;
use crate::ports::{Ledger, Writer};
use crate::query::{Query, Threads};
use crate::{view, way_in};

/// On whose word, and in which run.
#[derive(Clone, Copy, Debug)]
pub struct Speaker<'a> {
    /// The run.
    pub run: Option<&'a str>,
    /// The agent's name in it.
    pub agent: &'a str,
    /// A person speaks.
    pub is_person: bool,
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
    let stored = find(ledger, name)?;
    let context = context(ledger, writer)?;
    let entry = &stored.entry;
    let own = entry.created_by == writer.actor && entry.created.millis().date() == writer.now.date();
    let told =
        !speaker.is_person && (own || is_primed(ledger, speaker.run, speaker.agent, entry.key, writer.now)?);
    let kind = if told { Confirmation::Primed } else { Confirmation::Independent };
    let run = known_run(ledger, speaker)?;
    let by = run.clone().unwrap_or_else(|| format!("{} {}", writer.actor, writer.now.date()));
    let known =
        kind == Confirmation::Independent && entry.confirmed_by.contains(&by) && entry.status.is_retrieved();
    let confirmed = Confirmed {
        kind,
        run,
        agents: if speaker.is_person { Vec::new() } else { vec![speaker.agent.to_owned()] },
        reason,
    };
    let intents = if known { Vec::new() } else { decide::confirm(entry, confirmed, &context)? };
    let mut done = vec![match kind {
        Confirmation::Independent => {
            "confirmed independently: last confirmed today, review debt 0".to_owned()
        }
        Confirmation::Primed => format!(
            "recorded as primed: {} had been shown it, so its date, debt and status stay as they are",
            speaker.agent
        ),
    }];
    if let Some(status) = intents.iter().find_map(risen) {
        done.push(format!("it is {status} now"));
    }
    if intents.len() > 1 && !entry.status.is_retrieved() {
        done.push(format!("it was {}, and is back", entry.status));
    }
    let change = write(ledger, &stored, intents, done, writer)?;
    Ok(ConfirmAnswer { change, kind })
}

/// The run somebody speaks in. One that nobody started is no voice of its own: else whoever thinks up names would count many times.
fn known_run(ledger: &dyn Ledger, speaker: Speaker<'_>) -> Result<Option<String>> {
    match speaker.run {
        Some(run) => Ok(ledger.run(run)?.map(|run| run.started.run)),
        None => Ok(None),
    }
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
    let stored = find(ledger, name)?;
    if stored.entry.status == Status::Rejected {
        let message = format!("{} was kept out; nobody was ever shown it", stored.id);
        return Err(Refusal::new(Code::NotAllowed, message).into());
    }
    let context = context(ledger, writer)?;
    let run = known_run(ledger, speaker)?;
    let when = run.clone().unwrap_or_else(|| writer.now.date());
    let who = if speaker.is_person { writer.actor.as_str() } else { speaker.agent };
    let source = format!("{FEEDBACK}{who}:{when}");
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
    let seen = Observation { source, side, weight: FEEDBACK_WEIGHT, reason: told };
    let intents =
        if said == Some(side) { Vec::new() } else { decide::observe(&stored.entry, seen, &context) };
    let mut done = vec![match (said, helpful) {
        (Some(_), _) => format!(
            "your earlier word of this {} is replaced: {word}",
            if run.is_some() { "run" } else { "day" }
        ),
        (None, true) => "1 for it".to_owned(),
        (None, false) => "1 against it, and one prediction error".to_owned(),
    }];
    if let Some(status) = intents.iter().find_map(risen) {
        done.push(format!("it is {status} now"));
    }
    write(ledger, &stored, intents, done, writer)
}

/// BEL-7: wipes the slate of an entry.
pub fn reset(
    ledger: &mut dyn Ledger,
    name: &str,
    mut reason: String,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    way_in::clean_word("reason", &mut reason)?;
    let stored = find(ledger, name)?;
    let context = context(ledger, writer)?;
    let intents = decide::reset(&stored.entry, reason, &context)?;
    write(
        ledger,
        &stored,
        intents,
        vec!["belief is back at Beta(5, 5); what was seen stays in the ledger".to_owned()],
        writer,
    )
}

/// ENT-8: lets an entry reach the whole project.
pub fn promote_to_project(
    ledger: &mut dyn Ledger,
    name: &str,
    mut reason: String,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    way_in::clean_word("reason", &mut reason)?;
    let stored = find(ledger, name)?;
    let context = context(ledger, writer)?;
    let thread = stored.entry.fields.thread.clone().unwrap_or_default();
    let intents = decide::rescope(&stored.entry, Scope::Project, reason, &context)?;
    let done = format!("it reaches the project now, and no longer belongs to thread {thread}");
    write(ledger, &stored, intents, vec![done], writer)
}

/// A line of work, and what is in it.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadLine {
    /// Its name.
    pub thread: String,
    /// Entries that only it sees.
    pub entries: usize,
    /// It was put away.
    pub archived: bool,
}

/// What `thread archive` answers.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadAnswer {
    /// The thread.
    pub thread: String,
    /// Entries whose belief was widened.
    pub widened: Vec<String>,
    /// What somebody should know.
    pub notes: Vec<String>,
}

/// Every entry of a thread, or of all threads.
fn of_thread(ledger: &dyn Ledger, thread: Option<&str>) -> Result<Vec<crate::ports::Stored>> {
    let query = Query {
        scope: Some(Scope::Thread),
        threads: thread.map_or(Threads::Any, |thread| Threads::Only(thread.to_owned())),
        ..Query::default()
    };
    Ok(ledger.list(&query)?.entries)
}

fn is_widened(ledger: &dyn Ledger, stored: &crate::ports::Stored) -> Result<bool> {
    let thread = stored.entry.fields.thread.as_deref();
    let history = ledger.history(stored.entry.key)?;
    Ok(history.iter().any(|placed| match &placed.event.body {
        Some(Body::Belief(BeliefEvent::Widened { thread: of })) => Some(of.as_str()) == thread,
        _ => false,
    }))
}

/// BEL-8: puts a thread away: belief in what only it sees is widened by a month. Done once for each entry.
pub fn archive_thread(ledger: &mut dyn Ledger, thread: &str, writer: &Writer) -> Result<ThreadAnswer> {
    let context = context(ledger, writer)?;
    let entries = of_thread(ledger, Some(thread))?;
    if entries.is_empty() {
        let names: Vec<String> = threads(ledger)?.into_iter().map(|line| line.thread).collect();
        let hint = match names.is_empty() {
            true => "no entry belongs to a thread: `ken add --thread NAME` makes one that does".to_owned(),
            false => format!("there are: {}", names.join(", ")),
        };
        let message = format!("no entry belongs to thread {thread:?}");
        return Err(Refusal::new(Code::NotFound, message).hint(hint).field("thread").into());
    }
    let mut intents = Vec::new();
    let mut widened = Vec::new();
    for stored in &entries {
        if !is_widened(ledger, stored)? {
            intents.extend(decide::widen(&stored.entry, thread, &context));
            widened.push(view::handle(stored));
        }
    }
    let notes = match widened.is_empty() {
        true => vec!["it was put away already; nothing was written".to_owned()],
        false => vec!["entries that should outlive it: ken promote ID --to project".to_owned()],
    };
    ledger.append(intents, writer)?;
    Ok(ThreadAnswer { thread: thread.to_owned(), widened, notes })
}

/// Every thread that has entries.
pub fn threads(ledger: &dyn Ledger) -> Result<Vec<ThreadLine>> {
    let mut lines: Vec<ThreadLine> = Vec::new();
    for stored in of_thread(ledger, None)? {
        let Some(thread) = stored.entry.fields.thread.clone() else { continue };
        let archived = is_widened(ledger, &stored)?;
        match lines.iter_mut().find(|line| line.thread == thread) {
            Some(line) => {
                line.entries += 1;
                line.archived &= archived;
            }
            None => lines.push(ThreadLine { thread, entries: 1, archived }),
        }
    }
    lines.sort_by(|a, b| a.thread.cmp(&b.thread));
    Ok(lines)
}
