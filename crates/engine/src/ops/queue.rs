//! `queue`: what waits for a judgement, as a worksheet that an agent or a person fills in.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use ken_core::decide::{self, Pair};
use ken_core::similar::Difference;
use ken_core::{Code, EntryHead, EntryKey, Gap, Millis, Refusal, Status};
use serde::Serialize;

use super::brief::{self, NotedPair, Severity};
use super::check::Checked;
use super::find;
use crate::deliver;
use crate::error::{Error, Result};
use crate::glance::Glance;
use crate::intake;
use crate::ledger::Ledger;
use crate::listing::Listing;
use crate::ports::{Stored, Writer};
use crate::projection::Projection;
use crate::query::Query;
use crate::view;

/// What `queue` answers: the items, and how many wait in all.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Worksheet {
    /// What is to be judged.
    pub items: Vec<Item>,
    /// How many wait in all.
    pub total: usize,
    /// Where the next page begins: give it back as `cursor`. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// What was kept out and waits for a person: `release` lets one in.
    pub for_a_person: Vec<String>,
    /// The same with the reason of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept_out: Vec<RejectedEntry>,
}

/// How many items wait, by what is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Pairs of entries that say the opposite.
    pub contradictions: usize,
    /// Pairs of entries that seem to say the same.
    pub duplicates: usize,
    /// Entries that lack parts.
    pub drafts: usize,
    /// Files of mirrors that were edited or deleted, where only a person decides what follows.
    pub held: usize,
    /// Entries whose code changed.
    pub fallen: usize,
}

impl Worksheet {
    /// The part of it behind a cursor, at most so many items.
    pub fn page(mut self, limit: usize, cursor: Option<&str>) -> Result<Worksheet> {
        let page = Listing::of(self.items, limit, cursor, |item| item.item.clone())?;
        self.kept_out.truncate(limit);
        self.for_a_person.truncate(limit);
        Ok(Worksheet { items: page.items, cursor: page.cursor, ..self })
    }

    /// Counts the items that are listed.
    pub fn counts(&self) -> QueueCounts {
        let mut counts = QueueCounts::default();
        for matter in self.items.iter().filter_map(|item| Matter::read(&item.item).ok()) {
            *match matter {
                Matter::Opposed(..) => &mut counts.contradictions,
                Matter::Same(..) => &mut counts.duplicates,
                Matter::Gaps(_) => &mut counts.drafts,
                Matter::Deleted(_) | Matter::Edited(_) => &mut counts.held,
                Matter::Holds(_) => &mut counts.fallen,
            } += 1;
        }
        counts
    }
}

/// An entry that the scan kept out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RejectedEntry {
    /// The fields that every answer has.
    #[serde(flatten)]
    pub head: EntryHead,
    /// Who stated it.
    pub by: String,
    /// Why it was kept out.
    pub why: String,
    /// What it says, with its secrets redacted. Only a person is shown it, in the clone where it was stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
}

/// One thing to judge.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Item {
    /// Its name, to answer by.
    pub item: String,
    /// What is asked.
    pub question: String,
    /// The answers it allows.
    pub answers: Vec<&'static str>,
    /// What mends it and keeps the entry.
    pub fixes: Vec<Fix>,
    /// The entries it is about.
    pub entries: Vec<Judged>,
}

/// A way to mend an entry, at the command line and as a tool.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fix {
    /// What it does.
    pub does: &'static str,
    pub command: String,
    /// The tool, with its arguments.
    pub tool: String,
}

/// An entry that is judged.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judged {
    /// The fields that every answer has.
    #[serde(flatten)]
    pub head: EntryHead,
    pub statement: String,
}

/// It is read like the head that it begins with.
impl std::ops::Deref for Judged {
    type Target = EntryHead;

    fn deref(&self) -> &EntryHead {
        &self.head
    }
}

/// An answer to an item.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub item: String,
    /// One of the answers it allows.
    pub answer: String,
    pub reason: String,
}

/// What became of an answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ruled {
    pub item: String,
    /// Whether it was acted on.
    pub accepted: bool,
    /// What was done, or why nothing was.
    pub done: String,
}

/// What the answers of a worksheet came to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rulings {
    pub results: Vec<Ruled>,
    /// What waits now.
    pub items: Vec<Item>,
    /// How many wait in all.
    pub total: usize,
    /// Where the next page begins: give it back as `cursor`. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What an item is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matter {
    /// Two entries seem to say the same: the newer, and the older.
    Same(String, String),
    /// The code that an entry speaks of changed.
    Holds(String),
    /// An entry came in with gaps.
    Gaps(String),
    /// Two entries say the opposite.
    Opposed(String, String),
    /// The mirrored file of an entry was deleted, and only a person retracts the entry (COR-21).
    Deleted(String),
    /// The mirrored file of an entry was edited, likewise.
    Edited(String),
}

impl Matter {
    fn name(&self) -> String {
        match self {
            Matter::Same(newer, older) => format!("same {newer} {older}"),
            Matter::Holds(id) => format!("holds {id}"),
            Matter::Gaps(id) => format!("gaps {id}"),
            Matter::Opposed(one, other) => format!("opposed {one} {other}"),
            Matter::Deleted(id) => format!("deleted {id}"),
            Matter::Edited(id) => format!("edited {id}"),
        }
    }

    /// Reads the name of an item.
    pub fn read(item: &str) -> Result<Matter> {
        let words: Vec<String> = item.split_whitespace().map(str::to_owned).collect();
        match words.as_slice() {
            [kind, newer, older] if kind == "same" => Ok(Matter::Same(newer.clone(), older.clone())),
            [kind, one, other] if kind == "opposed" => Ok(Matter::Opposed(one.clone(), other.clone())),
            [kind, id] if kind == "holds" => Ok(Matter::Holds(id.clone())),
            [kind, id] if kind == "gaps" => Ok(Matter::Gaps(id.clone())),
            [kind, id] if kind == "deleted" => Ok(Matter::Deleted(id.clone())),
            [kind, id] if kind == "edited" => Ok(Matter::Edited(id.clone())),
            _ => Err(Refusal::new(Code::Invalid, format!("{item:?} is not an item of the queue"))
                .hint("`ken queue` lists the items; copy the name exactly")
                .field("item")
                .into()),
        }
    }
}

const SAME: &str = "same";
const DIFFERENT: &str = "different";
const STILL_TRUE: &str = "still_true";
const NO_LONGER: &str = "no_longer_true";
const BOTH_HOLD: &str = "both_hold";
const CONFIRM: &str = "confirm";
const RETRACT: &str = "retract";
const RESTORE: &str = "restore";
const APPLY: &str = "apply";

/// Reads the entry whole, before anybody judges it.
fn show(id: &str) -> Fix {
    let (command, tool) = (format!("ken show {id}"), format!("show_entry {{\"id\": \"{id}\"}}"));
    Fix { does: "read it in full", command, tool }
}

/// Fills the gaps of an entry.
fn fill_in(id: &str, gaps: &[Gap]) -> Fix {
    let example = |gap: &Gap| match gap {
        Gap::Provenance => ("--evidence commit:HASH", "\"evidence\": [\"commit:HASH\"]"),
        Gap::Anchor => ("--anchor PATH#SYMBOL", "\"anchors\": [\"PATH#SYMBOL\"]"),
        Gap::Verification => ("--verify 'how to check it'", "\"verify\": [\"how to check it\"]"),
    };
    let (flags, fields): (Vec<&str>, Vec<&str>) = gaps.iter().map(example).unzip();
    Fix {
        does: "add what is missing",
        command: format!("ken edit {id} {}", flags.join(" ")),
        tool: format!("correct_entry {{\"id\": \"{id}\", \"reason\": \"...\", {}}}", fields.join(", ")),
    }
}

/// Says anew what an entry says, where the code it describes has changed.
fn correct(id: &str) -> Fix {
    Fix {
        does: "correct it, or anchor it to the current code",
        command: format!("ken edit {id} --statement '...' --anchor PATH#SYMBOL"),
        tool: format!(
            "correct_entry {{\"id\": \"{id}\", \"reason\": \"...\", \"statement\": \"...\", \"anchors\": [\"PATH#SYMBOL\"]}}"
        ),
    }
}

/// Puts one entry in the place of another.
fn replace(old: &str, new: &str) -> Fix {
    Fix {
        does: "replace the one that is wrong",
        command: format!("ken supersede {old} {new}"),
        tool: format!("supersede {{\"old\": \"{old}\", \"new\": \"{new}\"}}"),
    }
}

/// A change of a mirrored file that waits for a person (COR-21).
#[derive(Clone, Debug)]
pub struct HeldChange {
    /// The entry that it is about.
    pub entry: EntryKey,
    /// The file, with the mirror it belongs to.
    pub file: String,
    /// Why it waits.
    pub why: String,
    /// The file is gone; otherwise it was edited.
    pub is_deletion: bool,
}

fn held_item(stored: &Stored, held: &HeldChange) -> Item {
    let (file, why) = (&held.file, &held.why);
    if held.is_deletion {
        let question = format!("{file} was deleted, and {why}: retract it, or restore the file?");
        let fixes = vec![show(&stored.id)];
        return item(&Matter::Deleted(stored.id.clone()), question, vec![RETRACT, RESTORE], fixes, &[stored]);
    }
    let question = format!("{file} was edited: {why}; apply the edit, or undo it in the file?");
    item(&Matter::Edited(stored.id.clone()), question, vec![APPLY], vec![show(&stored.id)], &[stored])
}

/// What waits for a judgement by what entries say, whatever the code and the files of mirrors are.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    /// In the order of the queue.
    matters: Vec<Noted>,
    /// Entries that the scan kept out.
    kept_out: Vec<EntryKey>,
}

/// One thing to judge, by the keys of its entries.
#[derive(Clone, Debug)]
enum Noted {
    /// Two entries say the opposite, and how that was found.
    Opposed(String, EntryKey, EntryKey),
    /// Two entries seem to say the same: the newer, and the older.
    Same(EntryKey, EntryKey),
    /// An entry lacks parts.
    Gaps(EntryKey),
}

impl Agenda {
    /// Looks at every entry in short, and whole only at those that were noted as similar.
    fn find(ledger: &dyn Projection) -> Result<Agenda> {
        let mut matters = Vec::new();
        let glances = ledger.glances()?;
        let by_id: HashMap<&str, EntryKey> = glances.iter().map(|one| (one.id.as_str(), one.key)).collect();
        let mut waiting: Vec<&Glance> =
            glances.iter().filter(|one| one.status.is_retrieved() && !one.hidden).collect();
        waiting.sort_unstable_by_key(|one| Reverse((one.updated, one.key)));
        let noted = brief::noted_pairs(ledger, &waiting, usize::MAX)?;
        let mut opposed: BTreeSet<(EntryKey, EntryKey)> = BTreeSet::new();
        for insight in brief::contradictions_among(ledger, Millis(0), OnceCell::from(noted.clone()))? {
            let [one, other] = insight.entries.as_slice() else { continue };
            let keys = by_id.get(one.id.as_str()).zip(by_id.get(other.id.as_str()));
            let Some((one, other)) = keys.map(|(one, other)| (*one, *other)) else { continue };
            // What is only information asks nobody for a decision.
            if insight.severity != Severity::Info {
                opposed.insert(in_order(one, other));
                matters.push(Noted::Opposed(insight.text, one, other));
            }
        }
        for NotedPair { newer, older, how } in noted {
            match how {
                None | Some(Pair::Differ(_)) => {}
                Some(Pair::MayContradict) => {
                    if opposed.insert(in_order(newer, older)) {
                        let why = "They may contradict each other.".to_owned();
                        matters.push(Noted::Opposed(why, newer, older));
                    }
                }
                Some(Pair::MaySaySame(_) | Pair::Vetoed(_)) => matters.push(Noted::Same(newer, older)),
            }
        }
        matters.extend(waiting.iter().filter(|one| one.has_gaps).map(|one| Noted::Gaps(one.key)));
        let kept_out = Query { statuses: vec![Status::Rejected], ..Query::default() };
        Ok(Agenda { matters, kept_out: ledger.keys(&kept_out)? })
    }
}

/// How much waits besides what fell, by kind: the same as a whole [`worksheet`] has, without reading the entries.
pub fn waiting(ledger: &dyn Projection, held: &[HeldChange]) -> Result<QueueCounts> {
    let agenda = ledger.agenda(&|| Agenda::find(ledger))?;
    let mut counts = QueueCounts::default();
    for change in held {
        counts.held += usize::from(shown(ledger, change.entry)?.is_some());
    }
    for noted in &agenda.matters {
        *match noted {
            Noted::Opposed(..) => &mut counts.contradictions,
            Noted::Same(..) => &mut counts.duplicates,
            Noted::Gaps(_) => &mut counts.drafts,
        } += 1;
    }
    Ok(counts)
}

/// Everything that waits, what is likeliest wrong first, as far as the caller wants to read.
///
/// `fallen` are the entries whose code no longer fits them ([`super::check::fallen`]).
pub fn worksheet(
    ledger: &dyn Projection,
    fallen: &[Checked],
    held: &[HeldChange],
    limit: usize,
) -> Result<Worksheet> {
    let mut items = Vec::new();
    for change in held {
        if let Some(stored) = shown(ledger, change.entry)? {
            items.push(held_item(&stored, change));
        }
    }
    let agenda = ledger.agenda(&|| Agenda::find(ledger))?;
    let total = items.len() + fallen.len() + agenda.matters.len();
    // What nobody reads is counted, and not read here either.
    for entry in fallen {
        if items.len() >= limit {
            break;
        }
        items.extend(fallen_item(ledger, entry)?);
    }
    for noted in &agenda.matters {
        if items.len() >= limit {
            break;
        }
        items.extend(noted_item(ledger, noted)?);
    }
    items.truncate(limit);
    let mut kept_out = Vec::new();
    for key in agenda.kept_out.iter().take(limit) {
        kept_out.extend(ledger.stored(*key)?.map(|stored| RejectedEntry {
            head: view::head(&stored),
            by: deliver::credited(&stored.entry.created_by),
            why: stored.entry.status_reason.clone().unwrap_or_default(),
            statement: None,
        }));
    }
    let for_a_person = kept_out.iter().map(|one| one.head.id.clone()).collect();
    Ok(Worksheet { items, total, cursor: None, for_a_person, kept_out })
}

/// Asks whether an entry whose code no longer fits it is still true.
fn fallen_item(ledger: &dyn Projection, entry: &Checked) -> Result<Option<Item>> {
    let Some((verdict, why)) = entry.fallen() else { return Ok(None) };
    let answers =
        if verdict == ken_core::Verdict::Broken { vec![NO_LONGER] } else { vec![STILL_TRUE, NO_LONGER] };
    let Some(stored) = shown(ledger, entry.key)? else { return Ok(None) };
    let question = format!("{why}; is it still true?");
    let fixes = vec![show(&stored.id), correct(&stored.id)];
    Ok(Some(item(&Matter::Holds(stored.id.clone()), question, answers, fixes, &[&stored])))
}

/// Asks what was noted of entries.
fn noted_item(ledger: &dyn Projection, noted: &Noted) -> Result<Option<Item>> {
    let (one, other) = match noted {
        Noted::Gaps(key) => return Ok(shown(ledger, *key)?.as_ref().map(gaps_item)),
        Noted::Opposed(_, one, other) | Noted::Same(one, other) => (*one, *other),
    };
    let Some((one, other)) = shown(ledger, one)?.zip(shown(ledger, other)?) else { return Ok(None) };
    Ok(Some(match noted {
        Noted::Opposed(why, ..) => opposed_item(why, &one, &other),
        Noted::Same(_, older) => {
            let similarity = one.entry.similar_to.get(older).copied().unwrap_or_default();
            let difference = match decide::noted(&one.entry, &other.entry) {
                Some(Pair::MaySaySame(difference)) => difference,
                Some(Pair::Vetoed(difference)) => Some(difference),
                None | Some(Pair::Differ(_) | Pair::MayContradict) => None,
            };
            same_item(&one, &other, similarity, difference)
        }
        Noted::Gaps(_) => gaps_item(&one),
    }))
}

/// Says what an entry lacks.
fn gaps_item(stored: &Stored) -> Item {
    let gaps = stored.entry.gaps();
    let words: Vec<&str> = gaps.iter().map(|gap| gap.word()).collect();
    let question = format!(
        "missing: {}; add what is missing, or answer `confirm` if the entry holds (it stays in the queue until complete)",
        words.join(", ")
    );
    let fixes = vec![show(&stored.id), fill_in(&stored.id, &gaps)];
    item(&Matter::Gaps(stored.id.clone()), question, vec![CONFIRM], fixes, &[stored])
}

fn in_order(one: EntryKey, other: EntryKey) -> (EntryKey, EntryKey) {
    (one.min(other), one.max(other))
}

fn opposed_item(why: &str, one: &Stored, other: &Stored) -> Item {
    let question = format!("{why} supersede or retract the one that is wrong, or answer `both_hold`");
    let matter = Matter::Opposed(one.id.clone(), other.id.clone());
    let fixes = vec![show(&one.id), show(&other.id), replace(&one.id, &other.id)];
    item(&matter, question, vec![BOTH_HOLD], fixes, &[one, other])
}

/// Asks whether two entries are one, and says what a rule has against it.
fn same_item(newer: &Stored, older: &Stored, similarity: u32, difference: Option<Difference>) -> Item {
    let mut question = format!("are they duplicates (similarity {:.2})?", f64::from(similarity) / 1000.0);
    if let Some(difference) = difference {
        question += &format!(" Note that {}.", difference.between(&newer.id, &older.id));
    }
    let matter = Matter::Same(newer.id.clone(), older.id.clone());
    let (mut answers, mut fixes) = (vec![SAME, DIFFERENT], vec![show(&newer.id), show(&older.id)]);
    match decide::choose(&newer.entry, &older.entry) {
        Ok(choice) => {
            let kept = if choice.kept.key == newer.entry.key { &newer.id } else { &older.id };
            question += &format!(" `same` keeps {kept}");
        }
        // A norm is replaced and never merged (REV-4).
        Err(_) => {
            question += " If so, supersede one of them";
            answers.retain(|answer| *answer != SAME);
            fixes.push(replace(&older.id, &newer.id));
        }
    }
    item(&matter, question, answers, fixes, &[newer, older])
}

fn shown(ledger: &dyn Projection, key: EntryKey) -> Result<Option<Stored>> {
    let is_shown = |stored: &Stored| stored.entry.status.is_retrieved() && !stored.overlay.hides();
    Ok(ledger.stored(key)?.filter(is_shown))
}

fn item(
    matter: &Matter,
    question: String,
    answers: Vec<&'static str>,
    fixes: Vec<Fix>,
    entries: &[&Stored],
) -> Item {
    let entries = entries
        .iter()
        .map(|stored| Judged {
            head: view::head(stored),
            statement: stored.entry.fields.statement().into_owned(),
        })
        .collect();
    Item { item: matter.name(), question, answers, fixes, entries }
}

/// What is to be done about an answer that needs no look at the code; the rest is for the caller.
pub enum Act {
    /// It was done.
    Done(String),
    /// The entry is to be tied to the code as it is now.
    Reanchor(String),
    /// The entry is to be confirmed, for a reason.
    Confirm(String, String),
    /// The entry is to be retracted, for a reason, if whoever answers may hide it.
    Retract(String, String),
    /// Both entries hold although they say the opposite, for a reason, likewise.
    Resolve(String, String, String),
    /// The two entries are to be merged, for a reason, likewise.
    Merge(String, String, String),
    /// The deleted file of the entry is to be restored.
    RestoreFile(String),
    /// The edit of the entry's file is to be taken up, if a person says so.
    TakeEdit(String),
}

/// Acts on an answer.
pub fn rule(ledger: &mut Ledger, verdict: &Verdict, writer: &Writer) -> Result<Act> {
    let mut reason = verdict.reason.trim().to_owned();
    if reason.is_empty() {
        return Err(Refusal::new(Code::Invalid, "an answer needs a reason").field("reason").into());
    }
    intake::clean_word("reason", &mut reason)?;
    let matter = Matter::read(&verdict.item)?;
    let answer = verdict.answer.trim().to_lowercase().replace(['-', ' '], "_");
    match (&matter, answer.as_str()) {
        (Matter::Same(newer, older), SAME) => {
            Ok(Act::Merge(find(ledger.projection(), newer)?.id, find(ledger.projection(), older)?.id, reason))
        }
        (Matter::Same(newer, older), DIFFERENT) => {
            let (newer, older) = (find(ledger.projection(), newer)?, find(ledger.projection(), older)?);
            let intents = decide::dismiss(&newer.entry, &older.entry, &reason);
            ledger.append(intents, writer)?;
            Ok(Act::Done(format!("{} and {} are kept as different entries", newer.id, older.id)))
        }
        (Matter::Opposed(one, other), BOTH_HOLD) => {
            let (one, other) = (find(ledger.projection(), one)?, find(ledger.projection(), other)?);
            let is_noted = decide::noted(&one.entry, &other.entry) == Some(Pair::MayContradict);
            let (one, other) = (one.id, other.id);
            let is_told = |insight: brief::Insight| {
                let ids: Vec<&str> = insight.entries.iter().map(|entry| entry.id.as_str()).collect();
                insight.severity != Severity::Info
                    && ids.contains(&one.as_str())
                    && ids.contains(&other.as_str())
            };
            let waits =
                is_noted || brief::contradictions(ledger.projection(), Millis(0))?.into_iter().any(is_told);
            match waits {
                true => Ok(Act::Resolve(one, other, reason)),
                false => Err(Refusal::new(
                    Code::NotFound,
                    format!("{one} and {other} are not in the queue as a contradiction"),
                )
                .hint("`ken queue` lists the items")
                .field("item")
                .into()),
            }
        }
        (Matter::Opposed(..), _) => Err(not_allowed(verdict, &[BOTH_HOLD])),
        (Matter::Holds(id), STILL_TRUE) => Ok(Act::Reanchor(find(ledger.projection(), id)?.id)),
        (Matter::Gaps(id), CONFIRM) => Ok(Act::Confirm(find(ledger.projection(), id)?.id, reason)),
        (Matter::Holds(id), NO_LONGER) => Ok(Act::Retract(find(ledger.projection(), id)?.id, reason)),
        // What lacks something may be true all the same: a person may throw it away, an agent says what is wrong with it.
        (Matter::Gaps(id), RETRACT) if writer.actor.starts_with("human:") => {
            Ok(Act::Retract(find(ledger.projection(), id)?.id, reason))
        }
        (Matter::Gaps(id), RETRACT) => Err(Refusal::new(
            Code::NotAllowed,
            format!("{id} is incomplete, which is no reason to retract it"),
        )
        .hint(format!(
            "complete it with `ken edit {id}`; if it is wrong, run `ken feedback {id} --not-helpful`"
        ))
        .field("answer")
        .into()),
        (Matter::Same(..), _) => Err(not_allowed(verdict, &[SAME, DIFFERENT])),
        (Matter::Holds(_), _) => Err(not_allowed(verdict, &[STILL_TRUE, NO_LONGER])),
        (Matter::Gaps(_), _) => Err(not_allowed(verdict, &[CONFIRM])),
        (Matter::Deleted(id), RETRACT) => Ok(Act::Retract(find(ledger.projection(), id)?.id, reason)),
        (Matter::Deleted(id), RESTORE) => Ok(Act::RestoreFile(find(ledger.projection(), id)?.id)),
        (Matter::Deleted(_), _) => Err(not_allowed(verdict, &[RETRACT, RESTORE])),
        (Matter::Edited(id), APPLY) => Ok(Act::TakeEdit(find(ledger.projection(), id)?.id)),
        (Matter::Edited(_), _) => Err(not_allowed(verdict, &[APPLY])),
    }
}

/// UPK-3: records that both of two entries hold. Neither changes, and nobody is told of the two again.
pub fn resolve(ledger: &mut Ledger, one: &str, other: &str, reason: &str, writer: &Writer) -> Result<String> {
    let (one, other) = (find(ledger.projection(), one)?, find(ledger.projection(), other)?);
    let reason = format!("both hold: {reason}");
    let intents = decide::dismiss(&one.entry, &other.entry, &reason);
    ledger.append(intents, writer)?;
    Ok(format!("{} and {} are recorded as both holding", one.id, other.id))
}

fn not_allowed(verdict: &Verdict, allowed: &[&str]) -> Error {
    let message =
        format!("invalid answer {:?} to {:?}; allowed: {}", verdict.answer, verdict.item, allowed.join(", "));
    Refusal::new(Code::Invalid, message).field("answer").into()
}
