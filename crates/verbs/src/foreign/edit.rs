//! A file that was edited by hand: what changed in it becomes revisions, supersessions, retractions and additions by whoever edited it.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::answer::ItemOutcome;
use ken_core::decide::{self, Change, Observation, is_said};
use ken_core::document::{Seen, seen};
use ken_core::words::normalise_statement;
use ken_core::{Confirmation, Entry, EntryKey, Fields, Kept, KeptPart, Millis, Spot, Status};
use ken_engine::ops::documents::{
    self, Arrived, ArrivedItem, Arriving, ArrivingItem, ArrivingPart, Stands, Wish,
};
use ken_engine::ops::{self, confirm};
use ken_engine::{Caller, Error, Ledger, Presence, Repository, Result};
use ken_formats::align::{Met, align};
use ken_formats::{Document, Format, Item, Part, Role, Standing};
use serde_json::{Map, Value};

use super::{How, Reading, Taken, Tie, cited, observation, wish};
use crate::{AddInput, Config, ModelsInUse, Site};

/// What an edit of a file amounts to; nothing is done yet.
pub(super) struct Edit {
    taken: Taken,
    before: Option<Kept>,
    /// What becomes of each item of the new text, in order.
    steps: Vec<Step>,
    /// Entries whose text is gone from the file.
    pub(super) gone: Vec<EntryKey>,
    /// What its items say of each other, and no longer say.
    pub(super) ties: Vec<Tie>,
}

enum Step {
    /// As it was.
    Same(Option<EntryKey>),
    /// The same entry, with changes.
    Changed(Box<Changed>),
    /// An entry that was not there.
    New,
    /// Text that was purged: a file does not bring it back.
    Purged,
}

/// An entry that says something else now.
pub(super) struct Changed {
    pub(super) key: EntryKey,
    /// Fields with their new values; null takes one away.
    set: Map<String, Value>,
    /// It is of another type now.
    retyped: bool,
    stands: Option<Stands>,
    confirmed: Option<(Confirmation, Millis)>,
    /// What it rests on now as well.
    evidence: Vec<String>,
    /// How it did since.
    observed: Vec<Observation>,
}

impl Changed {
    fn is_nothing(&self) -> bool {
        self.set.is_empty() && !self.retyped && self.stands.is_none() && self.confirmed.is_none()
    }

    /// What it changes, by the names that [`seen`] uses.
    fn fields(&self) -> BTreeSet<String> {
        let mut fields: BTreeSet<String> = self.set.keys().cloned().collect();
        if self.stands.is_some() || self.retyped {
            fields.insert("status".to_owned());
        }
        if self.confirmed.is_some() {
            fields.insert("last_confirmed".to_owned());
        }
        if !self.evidence.is_empty() {
            fields.insert("citations".to_owned());
        }
        if !self.observed.is_empty() {
            fields.insert("belief".to_owned());
        }
        fields
    }

    /// Whether it hides the entry, rewords it or puts another in its place; labels, places, evidence and observations do not.
    fn replaces(&self) -> bool {
        self.retyped
            || self.set.keys().any(|field| is_said(field))
            || matches!(self.stands, Some(Stands::Archived(_) | Stands::Retracted(_)))
    }

    /// Whether a new entry takes the place of its own, which may not change.
    fn supersedes(&self, entry: &Entry) -> bool {
        let is_label = |field: &str| matches!(field, "tags" | "domains");
        let content = self.set.keys().any(|field| !is_label(field));
        let fixed = ["scope", "thread"].iter().any(|field| self.set.contains_key(*field));
        self.retyped || fixed || (entry.is_immutable() && content)
    }

    /// What somebody would say it changes.
    pub(super) fn told(&self) -> String {
        let fields: Vec<String> = self.fields().into_iter().collect();
        if fields.is_empty() { "nothing".to_owned() } else { fields.join(", ") }
    }
}

impl Edit {
    /// What it changes of each entry.
    pub(super) fn changes(&self) -> BTreeMap<EntryKey, BTreeSet<String>> {
        self.changed().map(|changed| (changed.key, changed.fields())).collect()
    }

    /// The entries that it changes.
    pub(super) fn changed(&self) -> impl Iterator<Item = &Changed> {
        self.steps.iter().filter_map(|step| match step {
            Step::Changed(changed) => Some(&**changed),
            Step::Same(_) | Step::New | Step::Purged => None,
        })
    }

    /// Leaves a change out: the other side counts.
    pub(super) fn leave_out(&mut self, key: EntryKey, field: &str) {
        self.gone.retain(|gone| *gone != key || field != "status");
        for step in &mut self.steps {
            if let Step::Changed(changed) = step
                && changed.key == key
            {
                changed.set.remove(field);
                match field {
                    "status" => (changed.stands, changed.retyped) = (None, false),
                    "last_confirmed" => changed.confirmed = None,
                    _ => {}
                }
            }
        }
    }

    /// How many entries it brings.
    pub(super) fn new_items(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::New)).count()
    }

    /// The value that it gives to a field of an entry.
    pub(super) fn value(&self, key: EntryKey, field: &str) -> Option<Value> {
        self.changed().find(|changed| changed.key == key)?.set.get(field).cloned()
    }
}

/// How an edit is taken up.
#[derive(Clone, Debug, Default)]
pub(super) struct Taking {
    /// Who edited it; as the store was opened where nobody knows.
    pub author: Option<String>,
    /// Changes on this side that the file does not show yet: they stay to be written.
    pub pending: BTreeMap<EntryKey, BTreeSet<String>>,
    /// Entries whose text is gone are taken back.
    pub retract: bool,
    /// A change that is refused leaves its entry as it was, and the others are taken up all the same.
    pub skip_refused: bool,
    /// Entries whose changes wait for a person: they stay as they were, and the others are taken up.
    pub waiting: BTreeSet<EntryKey>,
}

/// What became of an edit, in sentences.
#[derive(Debug, Default)]
pub(super) struct AppliedEdit {
    pub done: Vec<String>,
    /// Changes that were refused; the next import tries them again.
    pub refused: Vec<String>,
    /// New entries that took the place of others.
    pub successors: Vec<EntryKey>,
    /// The file with what became of the items that were added to it.
    pub arrived: Option<Arrived>,
}

/// What becomes of the text of an entry that somebody retracted, in a sentence.
pub(super) enum Retracted {
    /// It is out of use, whatever its text is now.
    Stays(String),
    /// The change of this entry waits for a person.
    Waits(EntryKey, String),
}

/// What came of a change.
struct TakenChange {
    /// The entry that its text is now.
    key: EntryKey,
    /// What was done, in a sentence.
    told: String,
    /// That entry was stated just now.
    is_new: bool,
}

/// Why an edit waits for a person: it hides, rewords or replaces what only a person may, and an agent, a hook or a script runs this
/// (COR-21). None where it can be taken up.
pub(super) fn edit_waits(ledger: &Ledger, caller: &Caller, edit: &Edit) -> Result<Option<String>> {
    if !caller.is_unattended() {
        return Ok(None);
    }
    if let Some(why) = changes_that_wait(ledger, caller, edit)?.into_values().next() {
        return Ok(Some(why));
    }
    Ok(removal_needs_a_person(ledger, &edit.gone)?.map(|why| format!("{why}, and the edit removes it")))
}

/// Why some entries, of which one file holds no text any more, are for a person to retract; none where none of them is. What another
/// file still holds is not retracted.
pub(super) fn removal_needs_a_person(ledger: &Ledger, gone: &[EntryKey]) -> Result<Option<String>> {
    if gone.is_empty() {
        return Ok(None);
    }
    let homes = ledger.homes()?;
    for key in gone {
        let is_elsewhere = homes.get(key).is_some_and(|names| names.len() > 1);
        if is_elsewhere || !crate::foreign::sync::carry_out::is_retrieved(ledger, *key)? {
            continue;
        }
        if let Some(why) = crate::writer::needs_a_person(ledger, *key)? {
            return Ok(Some(why));
        }
    }
    Ok(None)
}

/// Compares a file with how it was kept.
pub(super) fn plan_edit(ledger: &Ledger, site: &Site, format: &dyn Format, taken: Taken) -> Result<Edit> {
    let before = ledger.document(&taken.name)?;
    let Reading::Text(document) = &taken.reading else {
        let gone = before.iter().flat_map(Kept::entries).map(|(key, _)| key).collect();
        return Ok(Edit { taken, before, steps: Vec::new(), gone, ties: Vec::new() });
    };
    let whole = before.as_ref().filter(|kept| kept.is_whole()).and_then(Kept::text);
    let was: Option<Document> = whole.map(|text| format.read(&taken.name.path, &text));
    let parts: Vec<&KeptPart> =
        before.iter().flat_map(|kept| &kept.parts).filter(|part| !part.name.is_empty()).collect();
    let old: Vec<(&str, &str)> = parts.iter().map(|part| (&*part.name, &*part.text)).collect();
    let items: Vec<&Item> = document.items().collect();
    let new: Vec<(&str, &str)> = items.iter().map(|item| (&*item.name, &*item.text)).collect();
    let (met, gone) = align(&old, &new);
    let item_was = |at: usize| was.as_ref()?.items().find(|was| was.name == parts[at].name);
    let mut steps = Vec::with_capacity(met.len());
    for (item, met) in items.iter().zip(met) {
        let purged = KeptPart::purged(&item.text).name;
        steps.push(match met {
            _ if parts.iter().any(|part| part.name == purged) => Step::Purged,
            // Other lines of its file may tell more of an item whose own text is as it was.
            Met::Same(at) if item_was(at).is_none_or(|was| was == *item) => Step::Same(parts[at].entry),
            Met::New => Step::New,
            Met::Same(at) | Met::Edited(at) => match parts[at].entry {
                None => Step::New,
                Some(key) => {
                    let was = item_was(at);
                    match self::changed(ledger, site, key, was, item)? {
                        Some(changed) if changed.is_nothing() => Step::Same(Some(key)),
                        Some(changed) => Step::Changed(Box::new(changed)),
                        None => Step::New,
                    }
                }
            },
        });
    }
    let gone = gone.into_iter().filter_map(|at| parts[at].entry).collect();
    let mut ties = taken.ties();
    ties.extend(was.iter().flat_map(|was| untied(was, document)));
    Ok(Edit { taken, before, steps, gone, ties })
}

/// What an item says now that it did not say before; none where the entry is gone.
fn changed(
    ledger: &Ledger,
    site: &Site,
    key: EntryKey,
    was: Option<&Item>,
    item: &Item,
) -> Result<Option<Changed>> {
    let Some(stored) = ledger.stored(key)? else { return Ok(None) };
    let around = crate::repository::repository(site);
    let said = |content: &Map<String, Value>| {
        let mut content = content.clone();
        content.remove("id");
        if let Some(Value::Array(anchors)) = content.get_mut("anchors") {
            anchors.retain(|anchor| {
                let path = anchor.as_str().and_then(|at| Spot::parse(at).path);
                path.is_some_and(|path| around.path(&path) != Presence::Absent)
            });
        }
        content.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        content
    };
    let after = said(&item.content);
    let before = match was {
        Some(was) => said(&was.content),
        // What the file said before is not known to the letter; the entry tells.
        None => match serde_json::to_value(&stored.entry.fields) {
            Ok(Value::Object(fields)) => {
                fields.into_iter().filter(|(name, _)| after.contains_key(name)).collect()
            }
            _ => Map::new(),
        },
    };
    let mut set = Change::between(&before, &after).set;
    let retyped = stored.entry.kind.known() != Some(item.kind);
    // With its words and its type it is the same entry, whatever the heading above it is called now.
    if !retyped && stored.entry.is_immutable() && is_below_another_heading(&before, &after) {
        set.clear();
    }
    let standing = |item: &Item| match &item.standing {
        Standing::Current | Standing::SupersededBy(_) => Stands::Current,
        Standing::Archived(why) => Stands::Archived(why.clone()),
        Standing::Retracted(why) => Stands::Retracted(why.clone()),
    };
    Ok(Some(Changed {
        key,
        set,
        retyped,
        // What its successor is, its ties say. That it has none any more brings it back.
        stands: was
            .filter(|was| was.standing != item.standing)
            .filter(|_| !matches!(item.standing, Standing::SupersededBy(_)))
            .map(|_| standing(item)),
        confirmed: item.confirmed.filter(|now| was.is_some_and(|was| was.confirmed != Some(*now))),
        evidence: was.map(|was| more_than(&was.evidence, &item.evidence)).unwrap_or_default(),
        observed: was
            .map(|was| more_than(&was.observed, &item.observed))
            .unwrap_or_default()
            .into_iter()
            .map(observation)
            .collect(),
    }))
}

/// Does what an edit amounts to, and keeps the file as it is now. Doing it twice is doing it once.
pub(super) fn apply_edit(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    edit: Edit,
    taking: &Taking,
) -> Result<AppliedEdit> {
    match taking.author.clone() {
        Some(author) => {
            let author = caller.crediting(author);
            apply_edit_as(ledger, site, models, &author, edit, taking)
        }
        None => apply_edit_as(ledger, site, models, caller, edit, taking),
    }
}

fn apply_edit_as(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    edit: Edit,
    taking: &Taking,
) -> Result<AppliedEdit> {
    let Edit { taken, before, steps, gone, ties: _ } = edit;
    let place = cited(&taken.name);
    let (mut done, mut refused, mut successors) = (Vec::new(), Vec::new(), Vec::new());
    if taking.retract {
        for key in gone {
            done.extend(retract_homeless(ledger, site, models, caller, key, &taken.name.path)?);
        }
    }
    let document = match taken.reading {
        Reading::Text(document) => document,
        Reading::Bytes(bytes) => {
            let part = super::kept_bytes(bytes);
            let kept = Kept {
                document: taken.name,
                hash: taken.hash,
                derived: false,
                piece: 0,
                more: 0,
                parts: vec![part],
            };
            let writer = crate::writer::writer(&site.config, caller);
            documents::keep(ledger, vec![kept], &writer)?;
            return Ok(AppliedEdit { done, refused, successors, arrived: None });
        }
    };
    let around = crate::repository::repository(site);
    let mut steps = steps.into_iter();
    let mut parts = Vec::with_capacity(document.parts.len());
    let derived = document.role == Role::Derived;
    for part in document.parts {
        let item = match part {
            Part::Text(text) => {
                parts.push(ArrivingPart::Text(text));
                continue;
            }
            Part::Item(item) => item,
        };
        let (text, name) = (item.text.clone(), item.name.clone());
        // The text that an entry had; where it is not known, the new one is taken for it.
        let as_before = |old: EntryKey| {
            let was = before.iter().flat_map(Kept::entries).find(|(key, _)| *key == old);
            was.map(|(_, part)| ArrivingPart::Ready(Box::new(part.clone()))).ok_or(Wish::Known(old))
        };
        let wish = match steps.next() {
            Some(Step::Same(Some(key))) => Wish::Known(key),
            Some(Step::Changed(changed)) if taking.waiting.contains(&changed.key) => {
                match as_before(changed.key) {
                    Ok(part) => {
                        parts.push(part);
                        continue;
                    }
                    Err(known) => known,
                }
            }
            Some(Step::Changed(changed)) => {
                let old = changed.key;
                match take_change(ledger, site, models, caller, *changed, &item, &place) {
                    Ok(TakenChange { key, told, is_new }) => {
                        done.push(told);
                        successors.extend(is_new.then_some(key));
                        Wish::Known(key)
                    }
                    Err(Error::Refused(refusal)) if taking.skip_refused => {
                        refused.push(format!(
                            "{}: {}",
                            crate::foreign::sync::id_of(ledger, old)?,
                            refusal.message
                        ));
                        match as_before(old) {
                            Ok(part) => {
                                parts.push(part);
                                continue;
                            }
                            Err(known) => known,
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
            Some(Step::Purged) => {
                parts.push(ArrivingPart::Ready(Box::new(KeptPart::purged(&text))));
                continue;
            }
            Some(Step::Same(None) | Step::New) | None => {
                Wish::Add(Box::new(wish(*item, &place, &around, &mut 0)))
            }
        };
        parts.push(ArrivingPart::Item(Box::new(ArrivingItem { text, name, wish })));
    }
    let (name, mut hash) = (taken.name, taken.hash);
    if !refused.is_empty() || !taking.waiting.is_empty() {
        // It is not in step: the next import looks at it again.
        hash = Kept::hash_of(format!("{hash} without what was refused").as_bytes());
    }
    let arriving = Arriving { document: name.clone(), hash, derived, parts };
    let (writer, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    let intake = rules.for_many();
    let mut arrived = documents::take_in(ledger, &around, vec![arriving], &intake, &writer)?.pop();
    if let Some(file) = &mut arrived {
        file.items.retain(|item| item.outcome != ItemOutcome::Known);
        done.extend(file.items.iter().map(told_of));
    }
    keep_pending(ledger, &site.config, caller, &name, before.as_ref(), &taking.pending)?;
    Ok(AppliedEdit { done, refused, successors, arrived })
}

/// One entry follows its text. The answer is the entry that the text is now, which is another one where the old one may not change.
fn take_change(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    changed: Changed,
    item: &Item,
    place: &str,
) -> Result<TakenChange> {
    let name = changed.key.to_string();
    let stored = ops::find(&**ledger, &name)?;
    let id = stored.id.clone();
    let told = changed.told();
    let reason = format!("edited in {place}");
    if changed.supersedes(&stored.entry) {
        let around = crate::repository::repository(site);
        let mut new = wish(item.clone(), place, &around, &mut 0);
        restate(&mut new.input, &stored.entry, &item.text);
        // The old one keeps the name that it is cited by.
        new.input.content.remove("id");
        let answer =
            crate::supersede::supersede_by_new(ledger, site, models, caller, &name, new.input, &reason)?;
        let key = successor(ledger, changed.key)?;
        let told = format!("{id} is superseded ({told}){}", reasons(&answer.reasons));
        return Ok(TakenChange { key, told, is_new: answer.is_successor_new });
    }
    if !changed.set.is_empty() || !changed.evidence.is_empty() {
        let change = Change { set: changed.set, reason: Some(reason.clone()), ..Change::default() };
        crate::edit::revise(ledger, site, models, caller, &name, change, &changed.evidence, true)?;
    }
    if !changed.observed.is_empty() {
        let writer = crate::writer::writer(&site.config, caller);
        let context = ops::context(ledger, &writer)?;
        let entry = ops::find(&**ledger, &name)?.entry;
        let support = ops::support(&**ledger, &entry)?;
        let seen = changed.observed.into_iter();
        let intents = seen.flat_map(|seen| decide::observe(&entry, seen, &support, &context)).collect();
        ledger.append(intents, &writer)?;
    }
    match changed.stands {
        None => {}
        Some(Stands::Archived(_)) => {
            drop(crate::archive::archive(ledger, site, models, caller, &name, &reason)?)
        }
        Some(Stands::Retracted(_)) => {
            drop(crate::retract::retract(ledger, site, models, caller, &name, &reason)?)
        }
        Some(Stands::Current) => drop(crate::retract::restore(ledger, site, models, caller, &name, &reason)?),
    }
    if let Some((kind, at)) = changed.confirmed {
        take_confirmation(ledger, &site.config, caller, &stored.entry, kind, at, &reason)?;
    }
    let told = match told.as_str() {
        "nothing" => format!("{id} stays"),
        told => format!("{id} is revised ({told})"),
    };
    Ok(TakenChange { key: changed.key, told, is_new: false })
}

/// Takes an entry back, unless another file still says it.
pub(super) fn retract_homeless(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    key: EntryKey,
    path: &str,
) -> Result<Option<String>> {
    let homes = ledger.homes()?.remove(&key).unwrap_or_default();
    let Some(stored) = ledger.stored(key)? else { return Ok(None) };
    if homes.len() > 1 {
        return Ok(Some(format!("{} is also in other files and is kept", stored.id)));
    }
    if !stored.entry.status.is_retrieved() {
        return Ok(None);
    }
    crate::retract::retract(ledger, site, models, caller, &key.to_string(), &format!("taken out of {path}"))?;
    Ok(Some(format!("{} is retracted", stored.id)))
}

/// How an entry stands against the file it is in: what changed here since the two were in step.
pub(super) fn pending(ledger: &Ledger, kept: &Kept) -> Result<BTreeMap<EntryKey, BTreeSet<String>>> {
    let mut pending = BTreeMap::new();
    for (key, part) in kept.entries() {
        let Some(stored) = ledger.stored(key)? else { continue };
        let now = seen(&stored.entry);
        let differs = |name: &&String| now.get(*name) != part.seen.get(*name);
        let names: BTreeSet<String> = now.keys().chain(part.seen.keys()).filter(differs).cloned().collect();
        if !names.is_empty() {
            pending.insert(key, names);
        }
    }
    Ok(pending)
}

/// The changes of an edit that wait for a person, by their entries, and why.
pub(super) fn changes_that_wait(
    store: &Ledger,
    caller: &Caller,
    edit: &Edit,
) -> Result<BTreeMap<EntryKey, String>> {
    let mut waiting = BTreeMap::new();
    if !caller.is_unattended() {
        return Ok(waiting);
    }
    for changed in edit.changed().filter(|changed| changed.replaces()) {
        if let Some(why) = crate::writer::needs_a_person(store, changed.key)? {
            waiting.insert(changed.key, format!("{why}, and the edit changes its {}", changed.told()));
        }
    }
    Ok(waiting)
}

/// The approved norms that an edit moves, where an approver is to confirm that and has not (GAT-2, COR-7).
pub(super) fn norms_to_confirm(
    store: &Ledger,
    config: &Config,
    caller: &Caller,
    edit: &Edit,
) -> Result<Vec<String>> {
    let mut norms = Vec::new();
    if !crate::writer::is_approver_to_ask(config, caller) {
        return Ok(norms);
    }
    for changed in edit.changed() {
        let Some(stored) = store.stored(changed.key)? else { continue };
        let moves = changed.stands.is_some() || changed.supersedes(&stored.entry);
        if moves && crate::is_approved(&stored.entry) {
            norms.push(ken_engine::view::handle(&stored));
        }
    }
    Ok(norms)
}

/// Has an approver confirm edits that move approved norms, before anything of them is applied: half an edit would be in the store
/// otherwise.
pub(super) fn confirm_edits(caller: &Caller, files: Vec<String>, mut norms: Vec<String>) -> Result<()> {
    norms.sort();
    norms.dedup();
    let edits = match files.as_slice() {
        [file] => format!("the edit of {file}, which changes"),
        files => format!("the edits of {}, which change", files.join(", ")),
    };
    match norms.as_slice() {
        [] => Ok(()),
        [norm] => caller.require_person(&format!("applying {edits} {norm}, an approved norm,")),
        norms => caller.require_person(&format!("applying {edits} {}, approved norms,", norms.join(", "))),
    }
}

/// What somebody retracted does not come back with another heading or another type of its text: such changes are taken out of an edit.
/// Other words are an entry of their own where a person imports them, and wait for that where nobody can be asked.
pub(super) fn leave_retracted(store: &Ledger, caller: &Caller, edit: &mut Edit) -> Result<Vec<Retracted>> {
    let Reading::Text(document) = &edit.taken.reading else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for (step, item) in edit.steps.iter_mut().zip(document.items()) {
        let Step::Changed(changed) = &*step else { continue };
        let Some(stored) = store.stored(changed.key)? else { continue };
        let entry = &stored.entry;
        let is_retracted = entry.status == Status::Retracted && !decide::was_undone(entry);
        if !is_retracted || changed.stands.is_some() || !changed.supersedes(entry) {
            continue;
        }
        let (key, id) = (changed.key, &stored.id);
        let stays = match entry.status_reason.as_deref().unwrap_or_default() {
            "" => format!("{id} stays retracted"),
            why => format!("{id} stays retracted ({why})"),
        };
        all.push(if says_the_same(&item.content, entry) {
            *step = Step::Same(Some(key));
            Retracted::Stays(format!("{stays}; `ken restore {id}` brings it back"))
        } else if caller.is_unattended() {
            Retracted::Waits(key, format!("{stays}; its new words wait until a person imports the file"))
        } else {
            *step = Step::New;
            Retracted::Stays(format!("{stays}; its new words are an entry of their own"))
        });
    }
    Ok(all)
}

/// What changed here and is not in the file yet is not in step, whatever else was just taken up.
fn keep_pending(
    store: &mut Ledger,
    config: &Config,
    caller: &Caller,
    name: &ken_core::DocumentName,
    before: Option<&Kept>,
    pending: &BTreeMap<EntryKey, BTreeSet<String>>,
) -> Result<()> {
    if pending.values().all(BTreeSet::is_empty) {
        return Ok(());
    }
    let (Some(before), Some(now)) = (before, store.document(name)?) else { return Ok(()) };
    let mut entries = BTreeMap::new();
    for (key, part) in now.entries() {
        let mut stood = part.seen.clone();
        let was = before.entries().find(|(entry, _)| *entry == key).map(|(_, part)| &part.seen);
        for field in pending.get(&key).into_iter().flatten() {
            match was.and_then(|was| was.get(field)) {
                Some(hash) => stood.insert(field.clone(), hash.clone()),
                None => stood.remove(field),
            };
        }
        entries.insert(key, stood);
    }
    let writer = crate::writer::writer(config, caller);
    documents::see(store, vec![Seen { document: name.clone(), hash: now.hash, entries }], &writer)
}

/// REV-3: a person who dates an entry anew in its file confirms it. Nobody confirms for the future.
fn take_confirmation(
    store: &mut Ledger,
    config: &Config,
    caller: &Caller,
    entry: &Entry,
    kind: Confirmation,
    at: Millis,
    reason: &str,
) -> Result<()> {
    let writer = crate::writer::writer(config, caller);
    let (later, independent) = (
        entry.last_confirmed.is_none_or(|known| at.date() > known.millis().date()),
        kind == Confirmation::Independent,
    );
    if !later || !independent || at.date() > writer.now.date() {
        return Ok(());
    }
    // A hand edit belongs to the author that git knows (COR-7).
    let voice = match writer.actor.starts_with("human:") {
        true => confirm::Voice::Edit,
        false => confirm::Voice::Agent,
    };
    let agent = writer.actor.split_once(':').map_or(writer.actor.clone(), |(_, name)| name.to_owned());
    let speaker = confirm::Speaker { run: None, agent: &agent, voice, at: Some(at) };
    confirm::confirm(store, &entry.key.to_string(), speaker, reason.to_owned(), &writer)?;
    Ok(())
}

fn successor(store: &Ledger, key: EntryKey) -> Result<EntryKey> {
    let stored = store.stored(key)?;
    stored
        .and_then(|stored| stored.entry.superseded_by)
        .ok_or_else(|| Error::failed("taking up an edit")(format!("{key} was to be superseded and is not")))
}

/// How the mark of a successor begins whose claim is that of its predecessor.
const RESTATED: &str = " (restated, ";

/// What makes an entry the one it is may be as it was where something else of it changed: then its successor says that it is one.
fn restate(input: &mut AddInput, old: &Entry, text: &str) {
    if Some(old.kind.word()) != input.kind.as_deref() || !says_the_same(&input.content, old) {
        return;
    }
    // The same text gives the same words, so that it can be done twice. After a restated one they are others, even where the text is
    // as it was: nothing supersedes itself.
    let stated = old.fields.statement();
    let from = if stated.contains(RESTATED) { format!("{text}\n{stated}") } else { text.to_owned() };
    let mark = format!("{RESTATED}{})", &Kept::hash_of(from.as_bytes())[..6]);
    let field =
        ["statement", "rule", "description", "hypothesis", "title", "name"].into_iter().find(|field| {
            input.content.get(*field).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
        });
    if let Some(Value::String(said)) = field.and_then(|field| input.content.get_mut(field)) {
        said.push_str(&mark);
    }
}

/// Whether some content makes the claim of an entry, restated or not.
fn says_the_same(content: &Map<String, Value>, entry: &Entry) -> bool {
    let claim = |fields: &Fields| {
        let said = fields.statement().into_owned();
        normalise_statement(said.split(RESTATED).next().unwrap_or_default())
    };
    claim(&Fields::read(&Value::Object(content.clone()))) == claim(&entry.fields)
}

/// Whether nothing but the heading that an item stands below is another one.
fn is_below_another_heading(before: &Map<String, Value>, after: &Map<String, Value>) -> bool {
    let parted = |content: &Map<String, Value>| {
        let mut rest = content.clone();
        rest.remove("subject");
        let (section, lead) = match rest.get_mut("attributes") {
            Some(Value::Object(attributes)) => (attributes.remove("section"), attributes.remove("lead")),
            _ => (None, None),
        };
        // A claim may begin with the heading, so that it stands alone.
        let front = lead.as_ref().and_then(Value::as_str).map(|lead| format!("{lead}: ")).unwrap_or_default();
        for claim in ["statement", "rule"] {
            if let Some(Value::String(said)) = rest.get_mut(claim)
                && let Some(own) = said.strip_prefix(&front).map(str::to_owned)
            {
                *said = own;
            }
        }
        rest.retain(|_, value| value.as_object().is_none_or(|map| !map.is_empty()));
        (section, rest)
    };
    let ((was, before), (is, after)) = (parted(before), parted(after));
    was != is && before == after
}

/// What items said of each other and no longer say.
fn untied(was: &Document, now: &Document) -> Vec<Tie> {
    let mut untied = Vec::new();
    for before in was.items() {
        let Some(after) = now.items().find(|after| after.name == before.name) else { continue };
        let lost = before.ties.iter().filter(|tie| !after.ties.contains(tie));
        untied.extend(lost.map(|(relation, to)| Tie {
            from: before.name.clone(),
            how: How::Untied(*relation),
            to: to.clone(),
        }));
    }
    untied
}

/// What is in the second list and not in the first.
fn more_than<T: Clone + PartialEq>(before: &[T], after: &[T]) -> Vec<T> {
    after.iter().filter(|one| !before.contains(one)).cloned().collect()
}

/// What became of an item, in a few words.
pub(super) fn told_of(item: &ArrivedItem) -> String {
    let why = item.reasons.first().map(|why| format!(" ({why})")).unwrap_or_default();
    let told = match item.outcome {
        ItemOutcome::Refused => format!("{} could not become an entry{why}", item.name),
        outcome => format!("{outcome} {}{why}", item.id),
    };
    // A name of somebody's file may be made of a secret.
    ken_guard::redact(&told).into_owned()
}

fn reasons(reasons: &[String]) -> String {
    reasons.first().map(|why| format!(": {why}")).unwrap_or_default()
}
