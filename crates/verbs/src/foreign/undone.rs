//! What an import brought and `undo` took back since: the next import of the same file brings it back.
//!
//! A file that is as it was says nothing new, so each of its entries is compared with how it stood when the two were in step.

use std::collections::{BTreeMap, HashMap, HashSet};

use ken_core::decide::{self, Context};
use ken_core::document::seen;
use ken_core::entry::revise;
use ken_core::event::Revised;
use ken_core::{
    Body, Citation, DocumentName, Entry, EntryEvent, EntryKey, Event, Intent, Kept, LinkEvent, Relation,
    Status,
};
use ken_engine::ops::{self, change};
use ken_engine::{Error, Ledger, Overlaid, Query, Result, Stored, Writer};

use super::import::Assigned;
use super::{FileNote, Folder, ImportReport, cited};

/// The reason that is recorded.
const REASON: &str = "imported again";

/// What an entry was when it was in step with the imported files that hold it.
struct InStep {
    names: Vec<DocumentName>,
    /// One for each place in them, see [`seen`].
    stood: Vec<BTreeMap<String, String>>,
}

impl InStep {
    /// Whether an entry is in these respects as a file has it.
    fn is_so<'a>(&self, entry: &Entry, mut fields: impl Iterator<Item = &'a str> + Clone) -> bool {
        let now = seen(entry);
        self.stood.iter().any(|stood| fields.clone().all(|field| now.get(field) == stood.get(field)))
            && fields.next().is_some()
    }

    /// Whether a file says that an entry is archived.
    fn says_archived(&self, entry: &Entry) -> bool {
        let archived = Entry { status: Status::Archived, superseded_by: None, ..entry.clone() };
        self.is_so(&archived, ["status"].into_iter())
    }

    /// Whether a file says that an entry is in use.
    fn says_in_use(&self, entry: &Entry) -> bool {
        let in_use = Entry { status: Status::Candidate, superseded_by: None, ..entry.clone() };
        self.is_so(&in_use, ["status"].into_iter())
    }
}

/// Brings back what `undo` took back of files that were imported before: entries, what replaced their own words, revisions, and
/// citations. The entries are added to `named`, so that they are tied to others as their files say.
pub(super) fn restore_undone(
    store: &mut Ledger,
    writer: &Writer,
    folder: &Folder,
    files: &[Assigned],
    known: &HashMap<DocumentName, String>,
    named: &mut HashMap<(String, String), EntryKey>,
    report: &mut ImportReport,
) -> Result<()> {
    if known.is_empty() {
        return Ok(());
    }
    let mut touched = Vec::new();
    store.each(&Query { all: true, overlaid: Overlaid::Any, ..Query::default() }, &mut |stored| {
        if may_be_undone(&stored.entry) {
            touched.push(stored);
        }
        Ok(())
    })?;
    if touched.is_empty() {
        return Ok(());
    }
    let name = |(format, found): &Assigned| DocumentName::new(format.word(), &folder.root, &found.path);
    let imported: HashSet<DocumentName> =
        files.iter().map(name).filter(|name| known.contains_key(name)).collect();
    let homes = store.homes()?;
    let context = ops::context(store, writer)?;
    let mut intents = Vec::new();
    for stored in touched {
        let key = stored.entry.key;
        let names: Vec<DocumentName> =
            homes.get(&key).into_iter().flatten().filter(|name| imported.contains(name)).cloned().collect();
        if names.is_empty() {
            continue;
        }
        let (mut stood, mut called) = (Vec::new(), Vec::new());
        for name in &names {
            let kept = store.document(name)?;
            for (_, part) in kept.iter().flat_map(Kept::entries).filter(|(held, _)| *held == key) {
                stood.push(part.seen.clone());
                called.push((name.format.clone(), part.name.clone()));
            }
        }
        let in_step = InStep { names, stood };
        match brought_back(store, writer, &stored, &in_step, &homes, &context, report) {
            Ok(more) => {
                // The undo of an addition took its ties along.
                if decide::was_undone(&stored.entry) && !more.is_empty() {
                    named.extend(called.into_iter().map(|name| (name, key)));
                }
                intents.extend(more);
            }
            Err(Error::Refused(refusal)) => {
                report.notes.push(FileNote::new(&stored.id, refusal.message));
            }
            Err(error) => return Err(error),
        }
    }
    if !report.dry_run && !intents.is_empty() {
        store.append(intents, writer)?;
    }
    Ok(())
}

/// What brings an entry back to how its file has it.
fn brought_back(
    store: &Ledger,
    writer: &Writer,
    stored: &Stored,
    in_step: &InStep,
    homes: &BTreeMap<EntryKey, Vec<DocumentName>>,
    context: &Context,
    report: &mut ImportReport,
) -> Result<Vec<Intent>> {
    let entry = &stored.entry;
    if decide::was_undone(entry) {
        // Its file says that it was taken back.
        if in_step.is_so(entry, ["status"].into_iter()) {
            return Ok(Vec::new());
        }
        let mut intents = match in_step.says_archived(entry) {
            true => decide::archive(entry, why_archived(store, entry.key)?, context)?,
            // Where its file says that something superseded it, its ties say so.
            false => decide::restore(entry, REASON.to_owned(), context)?,
        };
        // What it had replaced came back with the undo.
        intents.extend(replaced_before_undo(store, writer, entry, context)?);
        report.restored += 1;
        return Ok(intents);
    }
    if decide::is_superseded_by_undo(entry) {
        return match in_step.says_in_use(entry) {
            true => put_in_its_place_again(store, writer, stored, homes, context, report),
            false => Ok(Vec::new()),
        };
    }
    let mut intents = revised_again(store, writer, stored, in_step, context)?;
    report.restored += usize::from(!intents.is_empty());
    let citations = cited_again(store, entry, in_step, context)?;
    if !citations.is_empty() {
        report.reinforced += 1;
        let files: Vec<String> = in_step.names.iter().map(cited).collect();
        report.notes.push(FileNote::new(
            files.join(", "),
            format!("cited by {} again: the import that cited it was undone", stored.id),
        ));
    }
    intents.extend(citations);
    Ok(intents)
}

/// Why an entry was archived before an undo took it back.
fn why_archived(store: &Ledger, key: EntryKey) -> Result<String> {
    let history = history_of_entry(store, key)?;
    let archived =
        history.iter().filter(|event| !decide::is_undo(event)).filter_map(|event| match &event.body {
            Some(Body::Entry(EntryEvent::Archived { reason })) => Some((event.order(), reason)),
            _ => None,
        });
    let last = archived.max_by_key(|(order, _)| *order);
    Ok(last.map_or_else(|| REASON.to_owned(), |(_, reason)| reason.clone()))
}

/// Supersedes again what an entry had superseded until an undo took both back.
fn replaced_before_undo(
    store: &Ledger,
    writer: &Writer,
    entry: &Entry,
    context: &Context,
) -> Result<Vec<Intent>> {
    let mut intents = Vec::new();
    let mut passed = HashSet::new();
    for placed in store.history(entry.key)? {
        let Some(Body::Link(LinkEvent::Linked { relation: Relation::Supersedes, to })) = placed.event.body
        else {
            continue;
        };
        let old = store.stored(to)?.filter(|_| passed.insert(to));
        let is_undone = |old: &Stored| decide::is_back_by_undo(&old.entry);
        if let Some(old) = old.filter(is_undone)
            && !(writer.is_unattended() && crate::writer::needs_a_person(store, to)?.is_some())
        {
            intents
                .extend(decide::supersede(&old.entry, entry, REASON.to_owned(), context).unwrap_or_default());
        }
    }
    Ok(intents)
}

/// An entry had taken the place of its own successor until an undo took that back: its words are in the file, and the successor's are
/// not.
fn put_in_its_place_again(
    store: &Ledger,
    writer: &Writer,
    stored: &Stored,
    homes: &BTreeMap<EntryKey, Vec<DocumentName>>,
    context: &Context,
    report: &mut ImportReport,
) -> Result<Vec<Intent>> {
    let by = stored.entry.superseded_by;
    let successor = by.map(|by| store.stored(by)).transpose()?.flatten();
    if let Some(successor) = &successor
        && writer.is_unattended()
        && let Some(why) = crate::writer::needs_a_person(store, successor.entry.key)?
    {
        let note = format!("stays superseded although its file has its words: {why}");
        report.notes.push(FileNote::new(&stored.id, note));
        return Ok(Vec::new());
    }
    let (back, mut intents) = change::revive(&**store, stored.entry.clone(), REASON, context)?;
    // What another file says stays in use.
    let is_homeless = |one: &Stored| homes.get(&one.entry.key).is_none_or(Vec::is_empty);
    if let Some(successor) = successor.filter(is_homeless).filter(|one| one.entry.status.is_retrieved()) {
        intents.extend(decide::supersede(&successor.entry, &back, REASON.to_owned(), context)?);
    }
    report.restored += 1;
    Ok(intents)
}

/// The revision that an undo took back, where the file still has the words of it.
fn revised_again(
    store: &Ledger,
    writer: &Writer,
    stored: &Stored,
    in_step: &InStep,
    context: &Context,
) -> Result<Vec<Intent>> {
    let entry = &stored.entry;
    if entry.revised.is_none() || !entry.status.is_retrieved() {
        return Ok(Vec::new());
    }
    let history = history_of_entry(store, entry.key)?;
    let revisions =
        history.iter().filter(|event| matches!(event.body, Some(Body::Entry(EntryEvent::Revised(_)))));
    let Some(last) = revisions.max_by_key(|event| event.order()) else { return Ok(Vec::new()) };
    if !decide::is_undo(last) || last.actor != context.actor {
        return Ok(Vec::new());
    }
    // Where something else was changed since, the entry stays as it is.
    let again = decide::undo(&history, last, context).unwrap_or_default();
    let says_again = |mut intent: Intent| {
        let Body::Entry(EntryEvent::Revised(revised)) = &mut intent.body else { return None };
        revised.reason = Some(REASON.to_owned());
        let after = Entry { fields: revise(entry.fields.clone(), revised), ..entry.clone() };
        let fields = fields_of(revised);
        let fields = fields.iter().map(String::as_str);
        (in_step.is_so(&after, fields.clone()) && !in_step.is_so(entry, fields)).then_some(intent)
    };
    let again: Vec<Intent> = again.into_iter().filter_map(says_again).collect();
    if !again.is_empty()
        && writer.is_unattended()
        && crate::writer::needs_a_person(store, entry.key)?.is_some()
    {
        return Ok(Vec::new());
    }
    Ok(again)
}

/// Citations that an import made and its author withdrew with an undo, where a file still makes them.
fn cited_again(store: &Ledger, entry: &Entry, in_step: &InStep, context: &Context) -> Result<Vec<Intent>> {
    let withdrawn = entry.citations.iter().filter(|citation| citation.withdrawn);
    let mut own: Vec<Citation> = withdrawn.filter(|cited| cited.cited_by == context.actor).cloned().collect();
    if own.is_empty() {
        return Ok(Vec::new());
    }
    let history = history_of_entry(store, entry.key)?;
    // A person who undid the import of somebody else is not outvoted.
    own.retain(|citation| {
        let is_it = |event: &&Event| matches!(&event.body, Some(Body::Entry(EntryEvent::Cited { citation: cited })) if cited == citation);
        let last = history.iter().filter(is_it).max_by_key(|event| event.order());
        last.is_some_and(|event| event.actor == context.actor)
    });
    own.iter_mut().for_each(|citation| citation.withdrawn = false);
    let mut after = entry.clone();
    after.citations.extend(own.iter().cloned());
    if !in_step.is_so(&after, ["citations"].into_iter()) {
        // Something else was cited or withdrawn since: what names the file itself is known to be its own.
        own.retain(|citation| in_step.names.iter().any(|name| citation.evidence_ref == cited(name)));
    }
    Ok(own.into_iter().flat_map(|citation| decide::cite(entry, citation)).collect())
}

fn history_of_entry(store: &Ledger, key: EntryKey) -> Result<Vec<Event>> {
    Ok(store.history(key)?.into_iter().map(|placed| placed.event).collect())
}

/// Whether an undo may have taken something of an entry back; its history and its file tell.
fn may_be_undone(entry: &Entry) -> bool {
    decide::was_undone(entry)
        || decide::is_superseded_by_undo(entry)
        || (entry.status.is_retrieved()
            && (entry.revised.is_some() || entry.citations.iter().any(|citation| citation.withdrawn)))
}

/// The fields that a revision changes.
fn fields_of(revised: &Revised) -> Vec<String> {
    revised.set.keys().chain(revised.add.keys()).chain(revised.remove.keys()).cloned().collect()
}
