//! Which entry says what a finding says, and why it is the same.

use std::cell::OnceCell;
use std::rc::Rc;

use super::*;

use crate::cores;
use crate::ledger::{Ledger, read_mending};
use crate::limits::ops_review_compare::{COSINE_OF_SAME_WORDS_MIN, NEAR_LINES_MAX, SUBJECT_WORDS_MIN};
use crate::projection::Projection;

/// For each group the entries that are worded most like its finding, asked for all of them at once.
pub(super) fn worded_like(
    recall: &mut Ledger,
    groups: &[Group],
    thread: Option<String>,
    warnings: &mut Vec<String>,
) -> Vec<Vec<EntryKey>> {
    let questions: Vec<Question> = groups.iter().map(|group| question(&group.finding)).collect();
    let among = Query { threads: Threads::SeenFrom(thread), ..found_among() };
    match read_mending(recall, |entries| entries.worded_like(&questions, &among, NEIGHBOURS_MAX)) {
        Ok(alike) => alike,
        Err(error) => {
            warnings.push(format!("findings were compared by location only: {error}"));
            vec![Vec::new(); groups.len()]
        }
    }
}

/// The entry of the global store that says what a finding says.
pub(super) fn globally_known(
    global: &mut Ledger,
    group: &Group,
    means: &Means<'_>,
    answer: &mut CompleteAnswer,
) -> Option<(Stored, Vec<String>)> {
    let alike = worded_like(global, std::slice::from_ref(group), None, &mut answer.warnings).pop()?;
    let found = same_entry(global, &group.finding, None, &alike, means, &mut 1, &mut Read::default());
    found.map(|same| same.entry).unwrap_or_else(|error| {
        answer.warnings.push(format!("{} could not be compared globally: {error}", name_of(&group.finding)));
        None
    })
}

fn question(finding: &Finding) -> Question {
    Question::plain(&format!("{} {}", finding.title, finding.statement()))
}

/// The entry that says what a finding says, and why it is the same: at its place, or near in words and meaning.
///
/// Taking the meaning of a finding takes longer than all else together. So it is taken only where it could change the answer.
pub(super) fn same_entry(
    recall: &mut Ledger,
    finding: &Finding,
    thread: Option<&str>,
    alike: &[EntryKey],
    means: &Means<'_>,
    meanings: &mut usize,
    read: &mut Read,
) -> Result<Same> {
    let near = near(recall.projection(), finding, read)?;
    let mut candidates: BTreeMap<EntryKey, Option<f64>> = near.into_iter().map(|key| (key, None)).collect();
    let question = question(finding);
    let by_words = candidates.keys().copied().chain(alike.iter().copied()).collect::<BTreeSet<_>>();
    let embedder = means.embedder.as_ref().ok().copied().filter(|_| !question.is_empty());
    match embedder {
        Some(embedder)
            if *meanings > 0 && depends_on_meaning(recall.projection(), finding, &by_words, read)? =>
        {
            *meanings -= 1;
            let among = found_among();
            let asked = Asked {
                question: &question,
                among: &among,
                mode: Mode::Hybrid,
                wanted: NEIGHBOURS_MAX,
                thread,
                embedder: Some(embedder),
                by_standing: false,
                debug: false,
                unasked_in: None,
            };
            let relevant = read_mending(recall, |entries| entries.relevant(&asked))?;
            candidates.extend(relevant.hits.iter().map(|hit| (hit.stored.entry.key, hit.found.cosine)));
        }
        Some(_) | None => candidates.extend(alike.iter().map(|key| (*key, None))),
    }
    let sought = Sought::from_finding(finding);
    // What is known to be none is looked for beside what is known: nobody's dismissal hides what somebody stated.
    let mut best: [Option<(f64, EntryKey, Vec<String>)>; 2] = [None, None];
    let mut beside: Option<(f64, EntryKey, Vec<String>)> = None;
    for (key, cosine) in candidates {
        let Some(compared) = found_again(recall.projection(), key, read)? else { continue };
        let stored = &compared.stored;
        let is_none = stored.entry.kind.known() == Some(Type::FalsePositive);
        // Who says that it is nothing has not found it: only a known false positive is the same.
        if finding.dismissed && !is_none || !is_seen_from(&stored.entry, thread) {
            continue;
        }
        if sought.is_unlike(compared.known(), cosine, SUBJECT_WORDS_MIN) {
            continue;
        }
        let judged = sought.matching(compared.known(), cosine);
        let best = &mut best[usize::from(is_none)];
        let id =
            |key: &EntryKey| read.entries.get(key).and_then(Option::as_ref).map(|known| &known.stored.id);
        let better =
            best.as_ref().is_none_or(|(score, known, _)| (judged.score, id(known)) > (*score, id(&key)));
        let shares_subject = judged.is_there && judged.shared >= SUBJECT_WORDS_MIN;
        if judged.is_same && better {
            *best = Some((judged.score, key, judged.reasons));
        } else if !judged.is_same
            && !is_none
            && shares_subject
            && beside.as_ref().is_none_or(|(score, ..)| judged.score > *score)
        {
            beside = Some((judged.score, key, judged.reasons));
        }
    }
    let stored = |key| read.entries.get(&key)?.as_ref().map(|compared| compared.stored.clone());
    let found =
        |best: Option<(f64, EntryKey, Vec<String>)>| best.and_then(|(_, key, why)| Some((stored(key)?, why)));
    let [entry, false_positive] = best.map(found);
    Ok(Same { entry, false_positive, beside: found(beside) })
}

/// Whether two places of one file may be one: who names no line or symbol speaks of all of it.
fn may_be_one(one: &Spot, other: &Spot) -> bool {
    match (one.lines, other.lines) {
        (Some(one), Some(other)) => {
            one.0 <= other.1.saturating_add(NEAR_LINES_MAX) && other.0 <= one.1.saturating_add(NEAR_LINES_MAX)
        }
        (None, _) | (_, None) => match (&one.symbol, &other.symbol) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => true,
        },
    }
}

/// What says what a finding says, and why it is the same.
#[derive(Default)]
pub(super) struct Same {
    pub(super) entry: Option<(Stored, Vec<String>)>,
    pub(super) false_positive: Option<(Stored, Vec<String>)>,
    /// The entry at its place that is about the same subject, where it says something else (COR-3).
    pub(super) beside: Option<(Stored, Vec<String>)>,
}

/// ENT-8: whether a run of some thread, or of none, gets to see an entry.
pub(super) fn is_seen_from(entry: &ken_core::Entry, thread: Option<&str>) -> bool {
    entry.fields.scope() != ken_core::Scope::Thread || entry.fields.thread.as_deref() == thread
}

/// Whether the meaning of a finding may decide which entry it is, if any. It does not where no entry could be the one however near
/// it came, where one has the same words, and where one alone could be and is, however far it were.
fn depends_on_meaning(
    recall: &dyn Projection,
    finding: &Finding,
    candidates: &BTreeSet<EntryKey>,
    read: &mut Read,
) -> Result<bool> {
    let said = normalise_statement(finding.statement());
    let sought = Sought::from_finding(finding);
    let (mut possible, mut certain) = (0, 0);
    for key in candidates {
        let Some(compared) = found_again(recall, *key, read)? else { continue };
        let known = compared.known();
        if [None, Some(1.0)].into_iter().all(|cosine| sought.is_unlike(known, cosine, usize::MAX)) {
            continue;
        }
        let is_same = |cosine| sought.matching(known, cosine).is_same;
        let by_words = is_same(None);
        if by_words && normalise_statement(&compared.stored.entry.fields.statement()) == said {
            return Ok(false);
        }
        possible += usize::from(by_words || is_same(Some(1.0)));
        certain += usize::from(by_words && is_same(Some(COSINE_OF_SAME_WORDS_MIN)));
    }
    Ok(possible > 0 && (possible, certain) != (1, 1))
}

/// Entries at the places of a finding. What is far away in the same file is found by its words, if it is the same.
fn near(recall: &dyn Projection, finding: &Finding, read: &mut Read) -> Result<BTreeSet<EntryKey>> {
    let mut near = BTreeSet::new();
    for spot in finding.places.iter().map(|place| Spot::parse(place)) {
        let Some(path) = &spot.path else { continue };
        for key in read.at_path(recall, path)?.iter().copied() {
            let is_near = |compared: &Compared| {
                let anchors = compared.stored.entry.fields.anchors.iter().map(Anchor::spot);
                anchors.filter(|other| other.path == spot.path).any(|other| may_be_one(&spot, &other))
            };
            if found_again(recall, key, read)?.is_some_and(is_near) {
                near.insert(key);
            }
        }
    }
    Ok(near)
}

/// An entry that findings are compared with.
pub(super) struct Compared {
    stored: Stored,
    /// The same, taken apart: which takes longer than reading it.
    known: OnceCell<KnownEntry>,
}

impl Compared {
    fn known(&self) -> &KnownEntry {
        self.known.get_or_init(|| KnownEntry::from_entry(&self.stored.entry))
    }
}

/// What was read for the findings before: they often have their places in common.
#[derive(Default)]
pub(super) struct Read {
    /// Entries; none where nothing can be found again.
    entries: HashMap<EntryKey, Option<Compared>>,
    /// The entries with an anchor in a file.
    at_paths: HashMap<String, Rc<[EntryKey]>>,
}

impl Read {
    fn at_path(&mut self, recall: &dyn Projection, path: &str) -> Result<Rc<[EntryKey]>> {
        if let Some(keys) = self.at_paths.get(path) {
            return Ok(keys.clone());
        }
        let keys: Rc<[EntryKey]> = recall.at_path(path)?.into();
        self.at_paths.insert(path.to_owned(), keys.clone());
        Ok(keys)
    }
}

/// Takes apart, on every core, what the findings of some groups will be compared with.
pub(super) fn read_ahead(
    recall: &dyn Projection,
    groups: &[Group],
    alike: &[Vec<EntryKey>],
    read: &mut Read,
) -> Result<()> {
    let mut wanted: BTreeSet<EntryKey> = alike.iter().flatten().copied().collect();
    for group in groups {
        wanted.extend(near(recall, &group.finding, read)?);
    }
    for key in &wanted {
        found_again(recall, *key, read)?;
    }
    let wanted = read.entries.iter_mut().filter(|(key, _)| wanted.contains(key));
    let mut compared: Vec<&mut Compared> = wanted.filter_map(|(_, compared)| compared.as_mut()).collect();
    cores::each(&mut compared, |compared| {
        compared.known();
    });
    Ok(())
}

/// An entry that may be found again, read once.
fn found_again<'a>(
    recall: &dyn Projection,
    key: EntryKey,
    read: &'a mut Read,
) -> Result<Option<&'a Compared>> {
    let known = match read.entries.entry(key) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(unknown) => {
            let may_be = |stored: &Stored| {
                !stored.purge_asked
                    && FOUND_AMONG.contains(&stored.entry.status)
                    && stored.entry.memory() != Memory::Episodic
            };
            let stored = recall.stored(key)?.filter(may_be);
            unknown.insert(stored.map(|stored| Compared { stored, known: OnceCell::new() }))
        }
    };
    Ok(known.as_ref())
}

fn found_among() -> Query {
    Query {
        memories: vec![Memory::Semantic, Memory::Procedural],
        statuses: FOUND_AMONG.to_vec(),
        // What somebody does not want to see is known all the same.
        overlaid: Overlaid::Any,
        ..Query::default()
    }
}

/// Where an entry may stand to be found again: what was put away comes back that way.
const FOUND_AMONG: &[Status] =
    &[Status::Candidate, Status::Active, Status::Verified, Status::Archived, Status::Stale];
