//! How far an entry reaches: `promote --to project`, and `thread`, whose entries nobody else sees (ENT-8, BEL-8).

use ken_core::{BeliefEvent, Body, Code, Refusal, Scope, decide};
use serde::Serialize;

use super::change::{ChangeAnswer, write};
use super::find;
use super::grounds::decided;
use crate::error::Result;
use crate::ledger::Ledger;
use crate::ports::{Stored, Writer};
use crate::projection::Projection;
use crate::query::{Query, Threads};
use crate::{intake, view};

/// ENT-8: lets an entry reach the whole project.
pub fn promote_to_project(
    ledger: &mut Ledger,
    name: &str,
    mut reason: String,
    writer: &Writer,
) -> Result<ChangeAnswer> {
    intake::clean_word("reason", &mut reason)?;
    decided(ledger, |ledger, grounds| {
        let stored = grounds.find(ledger.projection(), name)?;
        let thread = stored.entry.fields.thread.clone().unwrap_or_default();
        let intents = decide::rescope(&stored.entry, Scope::Project, reason.clone())?;
        let done = format!("it is now in scope project and no longer private to thread {thread}");
        write(ledger, grounds, &stored, intents, vec![done], writer)
    })
}

/// What [`promote_to_project`] would do, in a sentence; nothing is written.
pub fn plan_promote_to_project(
    ledger: &mut Ledger,
    name: &str,
    mut reason: String,
) -> Result<(String, String)> {
    intake::clean_word("reason", &mut reason)?;
    let stored = find(ledger.projection(), name)?;
    let thread = stored.entry.fields.thread.clone().unwrap_or_default();
    let intents = decide::rescope(&stored.entry, Scope::Project, reason)?;
    let step = match intents.is_empty() {
        true => "change nothing: it is in scope project already".to_owned(),
        false => format!("put it into scope project: it would no longer be private to thread {thread}"),
    };
    Ok((stored.id, step))
}

/// A line of work, and what is in it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadLine {
    pub thread: String,
    /// Entries that only it sees.
    pub entries: usize,
    /// It was put away.
    pub archived: bool,
}

/// What `thread archive` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadAnswer {
    pub thread: String,
    /// Entries whose belief was widened.
    pub widened: Vec<String>,
    /// What somebody should know.
    pub notes: Vec<String>,
}

/// Every entry of a thread, or of all threads.
fn of_thread(ledger: &dyn Projection, thread: Option<&str>) -> Result<Vec<Stored>> {
    let query = Query {
        scope: Some(Scope::Thread),
        threads: thread.map_or(Threads::Any, |thread| Threads::Only(thread.to_owned())),
        ..Query::default()
    };
    Ok(ledger.list(&query)?.entries)
}

fn is_widened(ledger: &dyn Projection, stored: &Stored) -> Result<bool> {
    let thread = stored.entry.fields.thread.as_deref();
    let history = ledger.history(stored.entry.key)?;
    Ok(history.iter().any(|placed| match &placed.event.body {
        Some(Body::Belief(BeliefEvent::Widened { thread: of })) => Some(of.as_str()) == thread,
        _ => false,
    }))
}

/// BEL-8: puts a thread away: belief in what only it sees is widened by a month. Done once for each entry.
pub fn archive_thread(ledger: &mut Ledger, thread: &str, writer: &Writer) -> Result<ThreadAnswer> {
    let entries = of_thread(ledger.projection(), Some(thread))?;
    if entries.is_empty() {
        let names: Vec<String> = threads(ledger.projection())?.into_iter().map(|line| line.thread).collect();
        let hint = match names.is_empty() {
            true => "no thread has entries; add one with `ken add --thread NAME`".to_owned(),
            false => format!("there are: {}", names.join(", ")),
        };
        let message = format!("thread {thread:?} has no entries");
        return Err(Refusal::new(Code::NotFound, message).hint(hint).field("thread").into());
    }
    let mut intents = Vec::new();
    let mut widened = Vec::new();
    for stored in &entries {
        if !is_widened(ledger.projection(), stored)? {
            intents.extend(decide::widen(&stored.entry, thread));
            widened.push(view::handle(stored));
        }
    }
    let notes = match widened.is_empty() {
        true => vec!["it was already archived; nothing was written".to_owned()],
        false => vec!["keep entries beyond the thread: ken promote ID --to project".to_owned()],
    };
    ledger.append(intents, writer)?;
    Ok(ThreadAnswer { thread: thread.to_owned(), widened, notes })
}

/// Every thread that has entries.
pub fn threads(ledger: &dyn Projection) -> Result<Vec<ThreadLine>> {
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
