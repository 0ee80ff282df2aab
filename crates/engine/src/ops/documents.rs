//! Files of other systems on their way in (DOO-6): their items become entries, and their texts are kept beside them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ken_core::Gap;
use ken_core::answer::ItemOutcome;
use ken_core::decide::{self, Context};
use ken_core::document::{Seen, seen};
use ken_core::event::Confirmed;
use ken_core::words::one_line;
use ken_core::{
    Body, Confirmation, DocumentEvent, DocumentName, EntryEvent, EntryKey, Event, Fields, GivenId, Intent,
    Kept, KeptPart, Millis,
};

use crate::cores::each;
use crate::deliver;
use crate::error::Result;
use crate::intake::{Intake, Names, redacted_text};
use crate::ledger::Ledger;
use crate::limits::ops_documents::{BEGINNING_CHARS_MAX, LINES_LEFT_OUT_MAX};
use crate::ops::add::{AddInput, Flow, Scanned, decide_scanned};
use crate::ops::grounds::decided;
use crate::ports::{Repository, Writer};
use crate::projection::Projection;

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Arriving {
    pub document: DocumentName,
    /// The hash of its bytes.
    pub hash: String,
    /// It is made from the others.
    pub derived: bool,
    /// Its parts in order.
    pub parts: Vec<ArrivingPart>,
}

/// A part of it.
#[derive(Clone, Debug)]
pub enum ArrivingPart {
    /// Text around entries.
    Text(String),
    Item(Box<ArrivingItem>),
    /// A part that is no text to be read, as it is to be kept: bytes, or what is left of what was purged.
    Ready(Box<KeptPart>),
}

/// An entry in it.
#[derive(Clone, Debug)]
pub struct ArrivingItem {
    /// Its text there.
    pub text: String,
    /// What its own system calls it.
    pub name: String,
    /// What it is to us.
    pub wish: Wish,
}

/// What is to become of an item.
#[derive(Clone, Debug)]
pub enum Wish {
    /// It is an entry that is known.
    Known(EntryKey),
    /// It goes through the whole intake.
    Add(Box<New>),
}

/// An item that is not known yet.
#[derive(Clone, Debug)]
pub struct New {
    /// What it says.
    pub input: AddInput,
    /// Where it stands in its own system.
    pub stands: Stands,
    /// When it was last found again there, and how.
    pub confirmed: Option<(Confirmation, Millis)>,
    /// How it did there.
    pub observed: Vec<decide::Observation>,
    /// Words that it may not say here: they are left out of the entry, and stay in the file.
    pub left_out: usize,
}

/// Where an item stands in its own system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stands {
    Current,
    /// It was put away, and why.
    Archived(String),
    /// It was taken back, and why.
    Retracted(String),
}

/// What became of a file.
#[derive(Clone, Debug)]
pub struct Arrived {
    pub document: DocumentName,
    /// What became of each of its items, in order.
    pub items: Vec<ArrivedItem>,
    /// What was taken out of its text before it was kept, in sentences.
    pub redacted: Vec<String>,
    /// Places elsewhere and other words that its entries may not say (IN-4): its text still does.
    pub out_of_scope: usize,
}

/// What became of an item.
#[derive(Clone, Debug)]
pub struct ArrivedItem {
    /// What its own system calls it.
    pub name: String,
    /// The beginning of its text, as it is kept.
    pub title: String,
    /// What became of it.
    pub outcome: ItemOutcome,
    /// The entry; none where it was refused.
    pub key: Option<EntryKey>,
    pub id: String,
    /// Why, in sentences.
    pub reasons: Vec<String>,
    /// What it lacks.
    pub gaps: Vec<Gap>,
    /// The entry that says it is not handed out.
    pub is_retired: bool,
}

/// The title of the entry that some intents state.
fn title_of(stated: &[Intent]) -> Option<String> {
    let fields = stated.iter().find_map(|intent| match &intent.body {
        Body::Entry(EntryEvent::Added(added)) => Some(Fields::read(&added.fields)),
        _ => None,
    })?;
    Some(one_line(&deliver::safe(&fields.title()), BEGINNING_CHARS_MAX))
}

/// The beginning of a text on one line, without the marks of a list or a heading.
fn beginning(text: &str) -> String {
    let text: String = text.chars().take(4 * BEGINNING_CHARS_MAX).collect();
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || "-*#>+".contains(c));
    one_line(&deliver::safe(text), BEGINNING_CHARS_MAX)
}

/// Files of which every text was scanned.
#[derive(Clone, Debug)]
pub struct ScannedFiles {
    files: Vec<Arriving>,
    /// Their new items, in order.
    wishes: Vec<Scanned>,
    /// Their texts as they may be kept, in order.
    texts: Vec<KeptPart>,
}

/// Scans every text of files: the part of taking them in that asks no ledger, and so can be done ahead.
pub fn scan(mut files: Vec<Arriving>, names: &Names, repository: &dyn Repository) -> ScannedFiles {
    let texts = clean_all(&mut files);
    let parts = files.iter_mut().flat_map(|file| &mut file.parts);
    let mut new: Vec<&mut New> = parts.filter_map(ArrivingPart::new_mut).collect();
    let wishes = each(&mut new, |new| {
        let (scanned, left_out) = Scanned::fitting(std::mem::take(&mut new.input), names, repository);
        new.left_out = left_out;
        scanned
    });
    ScannedFiles { files, wishes, texts }
}

/// Takes files in, all of them or none: new items go through the whole intake, and every file is kept with what each of its parts is.
pub fn take_in(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    arriving: Vec<Arriving>,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<Vec<Arrived>> {
    take_in_scanned(ledger, repository, &scan(arriving, intake.names, repository), intake, writer)
}

/// The same with files that were scanned ahead.
pub fn take_in_scanned(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    scanned: &ScannedFiles,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<Vec<Arrived>> {
    decided(ledger, |ledger, _| {
        let context = super::context(ledger, writer)?;
        let (mut decided, arrived, kept) = decide_in(ledger, repository, scanned.clone(), intake, &context)?;
        decided.intents.extend(kept);
        decided.write_if_unchanged(ledger, writer)?;
        Ok(arrived)
    })
}

/// What taking files in would do, without doing it.
pub fn foresee(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    scanned: ScannedFiles,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<Vec<Arrived>> {
    let context = super::context(ledger, writer)?;
    Ok(decide_in(ledger, repository, scanned, intake, &context)?.1)
}

fn decide_in(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    scanned: ScannedFiles,
    intake: &Intake<'_>,
    context: &Context,
) -> Result<(super::add::Decided, Vec<Arrived>, Vec<Intent>)> {
    let ScannedFiles { files: arriving, mut wishes, texts } = scanned;
    let mut ids: HashSet<GivenId> = HashSet::new();
    for wish in &mut wishes {
        // A name that somebody else has is no reason to keep a thing out.
        if let Some(id) = wish.id()
            && (ledger.holder(&id)?.is_some() || !ids.insert(id))
        {
            wish.without_id();
        }
    }
    let mut decided = decide_scanned(ledger, repository, wishes, Flow::Checked, intake, context)?;
    let mut by_purge = HashSet::new();
    for key in decided.keys.iter().flatten() {
        if ledger.was_purged(*key)? {
            by_purge.insert(*key);
        }
    }
    decided.intents.retain(|intent| intent.entry.is_none_or(|key| !by_purge.contains(&key)));
    let mut texts = texts.into_iter();
    let mut next_clean = || texts.next().expect("every text was cleaned");
    let mut by_key: HashMap<EntryKey, Vec<Intent>> = HashMap::new();
    for intent in &decided.intents {
        if let Some(key) = intent.entry {
            by_key.entry(key).or_default().push(intent.clone());
        }
    }
    let mut answers = std::mem::take(&mut decided.answers).into_iter().zip(std::mem::take(&mut decided.keys));
    let mut after: Vec<Intent> = Vec::new();
    let mut arrived = Vec::with_capacity(arriving.len());
    let mut documents = Vec::with_capacity(arriving.len());
    for file in arriving {
        let mut parts = Vec::with_capacity(file.parts.len());
        let mut items = Vec::new();
        let mut redacted = Vec::new();
        let mut out_of_scope = 0;
        for part in file.parts {
            let kept = match part {
                ArrivingPart::Text(_) => next_clean(),
                ArrivingPart::Ready(part) => *part,
                ArrivingPart::Item(item) => {
                    let ArrivingItem { name, wish, .. } = *item;
                    let mut kept = next_clean();
                    kept.name = redacted_text(&name);
                    let title = beginning(&kept.text);
                    let refused = |name: String, why: String| ArrivedItem {
                        name,
                        title: title.clone(),
                        outcome: ItemOutcome::Refused,
                        key: None,
                        id: String::new(),
                        reasons: vec![why],
                        gaps: Vec::new(),
                        is_retired: false,
                    };
                    let arrived = match wish {
                        Wish::Known(key) => ArrivedItem {
                            name,
                            title,
                            outcome: ItemOutcome::Known,
                            key: Some(key),
                            id: String::new(),
                            reasons: Vec::new(),
                            gaps: Vec::new(),
                            is_retired: false,
                        },
                        Wish::Add(new) => {
                            out_of_scope += new.left_out;
                            let (answer, key) = answers.next().expect("there is an answer for each wish");
                            match answer {
                                Ok(_) if key.is_some_and(|key| by_purge.contains(&key)) => {
                                    kept = KeptPart::purged(&kept.text);
                                    let why = "it was purged and is not imported again";
                                    refused(name, why.to_owned())
                                }
                                Ok(answer) => {
                                    let mut title = title;
                                    if let Some(key) = key {
                                        let stated = by_key.entry(key).or_default();
                                        title = title_of(stated).unwrap_or(title);
                                        let more = follow(stated, *new, key);
                                        stated.extend(more.iter().cloned());
                                        after.extend(more);
                                    }
                                    let key = key.filter(|_| !answer.is_rejected());
                                    ArrivedItem {
                                        name,
                                        title,
                                        outcome: answer.outcome.into(),
                                        key,
                                        id: answer.id,
                                        reasons: answer.reasons,
                                        gaps: answer.gaps,
                                        is_retired: answer.is_retired,
                                    }
                                }
                                Err(refusal) => refused(name, refusal.message),
                            }
                        }
                    };
                    kept.entry = arrived.key;
                    items.push(arrived);
                    kept
                }
            };
            redacted.extend(kept.redacted.iter().chain(&kept.withheld).cloned());
            parts.push(kept);
        }
        let document = file.document.clone();
        documents.push(Kept {
            document: file.document,
            hash: file.hash,
            derived: file.derived,
            piece: 0,
            more: 0,
            parts,
        });
        arrived.push(Arrived { document, items, redacted, out_of_scope });
    }
    drop(answers);
    take_down(ledger.projection(), &mut documents, &by_key, context)?;
    for kept in documents {
        // Another process may have taken the same file in.
        if ledger.document(&kept.document)?.as_ref() != Some(&kept) {
            after.extend(intents_of(kept));
        }
    }
    Ok((decided, arrived, after))
}

/// Says of each part how its entry will stand: as it is stated now, or as it stood before and still does.
fn take_down(
    ledger: &dyn Projection,
    documents: &mut [Kept],
    stated: &HashMap<EntryKey, Vec<Intent>>,
    context: &Context,
) -> Result<()> {
    let parts = documents.iter_mut().flat_map(|kept| &mut kept.parts);
    let mut parts: Vec<(EntryKey, &mut KeptPart)> =
        parts.filter_map(|part| part.entry.map(|key| (key, part))).collect();
    let foreseen = each(&mut parts, |(key, _)| {
        let stated = stated.get(key)?;
        decide::foreseen(stated, *key, context).as_ref().map(seen)
    });
    for ((key, part), foreseen) in parts.into_iter().zip(foreseen) {
        part.seen = match foreseen {
            Some(seen) => seen,
            None => ledger.stored(key)?.map(|stored| seen(&stored.entry)).unwrap_or_default(),
        };
    }
    Ok(())
}

/// Says that the store and files are in step: how the files are now, and which entry each part is.
pub fn keep(ledger: &mut Ledger, kept: Vec<Kept>, writer: &Writer) -> Result<Vec<Event>> {
    let cleaned = kept.into_iter().map(|mut kept| {
        for part in kept.parts.iter_mut().filter(|part| part.withheld.is_none()) {
            let clean = clean(std::mem::take(&mut part.text));
            (part.text, part.redacted, part.withheld) = (clean.text, clean.redacted, clean.withheld);
        }
        kept
    });
    let intents = cleaned.flat_map(intents_of).collect();
    ledger.append(intents, writer)
}

/// Says that files are as they were and that the store is in step with them all the same, as some entries stand now.
pub fn stand(ledger: &mut Ledger, keys: &HashSet<EntryKey>, writer: &Writer) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let homes = ledger.homes()?;
    let names: BTreeSet<DocumentName> =
        keys.iter().filter_map(|key| homes.get(key)).flatten().cloned().collect();
    let mut all = Vec::new();
    for document in names {
        let Some(kept) = ledger.document(&document)? else { continue };
        let mut entries = BTreeMap::new();
        for (key, part) in kept.entries().filter(|(key, _)| keys.contains(key)) {
            let Some(stored) = ledger.stored(key)? else { continue };
            let now = seen(&stored.entry);
            if now != part.seen {
                entries.insert(key, now);
            }
        }
        if !entries.is_empty() {
            all.push(Seen { document, hash: kept.hash, entries });
        }
    }
    see(ledger, all, writer)
}

/// Says how entries stood when files were in step with them.
pub fn see(ledger: &mut Ledger, seen: Vec<Seen>, writer: &Writer) -> Result<()> {
    if seen.is_empty() {
        return Ok(());
    }
    let intent = |seen| Intent { entry: None, body: Body::Document(DocumentEvent::Seen(Box::new(seen))) };
    ledger.append(seen.into_iter().map(intent).collect(), writer)?;
    Ok(())
}

/// Says that files are no longer there, or no longer followed.
pub fn leave(
    ledger: &mut Ledger,
    documents: Vec<DocumentName>,
    reason: &str,
    writer: &Writer,
) -> Result<Vec<Event>> {
    let left = |document| Intent {
        entry: None,
        body: Body::Document(DocumentEvent::Left { document, reason: reason.to_owned() }),
    };
    ledger.append(documents.into_iter().map(left).collect(), writer)
}

fn intents_of(kept: Kept) -> impl Iterator<Item = Intent> + use<> {
    kept.in_pieces()
        .into_iter()
        .map(move |piece| Intent { entry: None, body: Body::Document(DocumentEvent::Kept(Box::new(piece))) })
}

impl ArrivingPart {
    fn new_mut(&mut self) -> Option<&mut New> {
        match self {
            ArrivingPart::Item(item) => match &mut item.wish {
                Wish::Add(new) => Some(new),
                Wish::Known(_) => None,
            },
            ArrivingPart::Text(_) | ArrivingPart::Ready(_) => None,
        }
    }
}

/// What else is to be said of an item that was just stated: how its own system thinks of it.
fn follow(stated: &[Intent], new: New, key: EntryKey) -> Vec<Intent> {
    // What was known here already keeps its own standing.
    if !stated.iter().any(|intent| matches!(intent.body, Body::Entry(EntryEvent::Added(_)))) {
        return Vec::new();
    }
    let about = |body: EntryEvent| Intent { entry: Some(key), body: Body::Entry(body) };
    let mut intents = Vec::new();
    if let Some((kind, at)) = new.confirmed {
        let reason = "as its own system says".to_owned();
        // It is one confirmation, whoever imports it and however often.
        let run = Some("import".to_owned());
        intents.push(about(EntryEvent::Confirmed(Confirmed {
            kind,
            run,
            agents: Vec::new(),
            reason,
            at: Some(at),
            uncounted: None,
            withdraws: None,
        })));
    }
    match new.stands {
        Stands::Current => {}
        Stands::Archived(reason) => intents.push(about(EntryEvent::Archived { reason })),
        Stands::Retracted(reason) => intents.push(about(EntryEvent::Retracted { reason })),
    }
    for seen in new.observed {
        let decide::Observation { source, side, weight, reason, at, .. } = seen;
        let body = Body::Belief(ken_core::BeliefEvent::Observed {
            source,
            side,
            weight,
            reason,
            at,
            witnessed: false,
        });
        intents.push(Intent { entry: Some(key), body });
    }
    intents
}

/// The texts of files as they may be kept, in their order.
fn clean_all(arriving: &mut [Arriving]) -> Vec<KeptPart> {
    let parts = arriving.iter_mut().flat_map(|file| &mut file.parts);
    let mut texts: Vec<String> = parts
        .filter_map(|part| match part {
            ArrivingPart::Text(text) => Some(std::mem::take(text)),
            ArrivingPart::Item(item) => Some(std::mem::take(&mut item.text)),
            ArrivingPart::Ready(_) => None,
        })
        .collect();
    each(&mut texts, |text| clean(std::mem::take(text)))
}

/// A text that may be kept in a tracked file: without the values of secrets, and not at all where it is something that nothing of which
/// may be handed out.
fn clean(mut text: String) -> KeptPart {
    let mut kept = KeptPart::default();
    let mut verdict = ken_guard::scan(&text);
    // What would be kept out is left out by the line; where that does not help, all of it is.
    for _ in 0..LINES_LEFT_OUT_MAX {
        let bad =
            verdict.findings.iter().find(|found| found.severity.is_rejected() && !found.axis.is_secret());
        let Some(bad) = bad else { break };
        let line = text[..bad.start].matches('\n').count() + 1;
        kept.redacted.push(format!("line {line} was rejected ({}, {})", bad.axis.word(), bad.rule));
        let from = text[..bad.start].rfind('\n').map_or(0, |at| at + 1);
        let to = text[bad.end..].find('\n').map_or(text.len(), |at| bad.end + at);
        text.replace_range(from..to, LINE_LEFT_OUT);
        verdict = ken_guard::scan(&text);
    }
    let bad = verdict.findings.iter().find(|found| found.severity.is_rejected() && !found.axis.is_secret());
    if let Some(bad) = bad {
        let why = format!("it was rejected ({}, {})", bad.axis.word(), bad.rule);
        return KeptPart { withheld: Some(why), ..KeptPart::default() };
    }
    let secrets: Vec<String> = verdict
        .findings
        .iter()
        .filter(|found| found.axis.is_secret())
        .map(|found| format!("line {}: {}", text[..found.start].matches('\n').count() + 1, found.rule))
        .collect();
    if !secrets.is_empty() {
        let clean = ken_guard::redact(&text).into_owned();
        if clean != text {
            kept.redacted.extend(secrets);
            text = clean;
        }
    }
    kept.text = text;
    kept
}

/// What stands for a line that may not be kept.
const LINE_LEFT_OUT: &str = "[left out]";

/// A file as text that may leave the store: what came by git was not scanned here.
pub fn presentable(kept: &Kept) -> std::result::Result<(), String> {
    for part in &kept.parts {
        let verdict = ken_guard::scan(&part.text);
        if let Some(bad) = verdict.findings.iter().find(|found| found.severity.is_rejected()) {
            return Err(format!("{} ({})", bad.axis.word(), bad.rule));
        }
    }
    Ok(())
}
