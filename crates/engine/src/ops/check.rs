//! `check`: which entries still hold, what a change of the code does to them, and putting anchors where the code is now.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use ken_core::answer::ConditionVerdict;
use ken_core::condition::Condition;
use ken_core::decide;
use ken_core::evidence::Reference;
use ken_core::validity::Answer;
use ken_core::words::one_line;
use ken_core::{
    Anchor, EntryHead, EntryKey, EvidenceType, Intent, Memory, Millis, PlaceVerdict, Spot, Verdict,
};
use serde::Serialize;
use serde_json::Value;

use crate::deliver;
use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::limits::ops_check::READ_ALONE_MAX;
use crate::ports::{Brief, CodeTree, Effort, Stored, Uncaptured, Writer};
use crate::projection::Projection;
use crate::query::Query;
use crate::validity::{self, InLedger, JudgedAnchor, JudgedCondition, Names, Subject, Validity};
use crate::view;

/// Which entries are looked at.
#[derive(Clone, Debug, Default)]
pub enum Which {
    /// All that are handed out.
    #[default]
    All,
    /// These, by their names.
    Named(Vec<String>),
    /// Those that speak of one of these files, and these by their names.
    Touching(Touched, Vec<String>),
}

/// Files that changed.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    pub files: BTreeSet<String>,
    /// Everything below these folders.
    pub folders: BTreeSet<String>,
    /// A manifest or a lock is among them: versions may be other ones.
    pub manifests: bool,
}

/// What `check` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckAnswer {
    /// Every entry that was looked at, the worst first.
    pub entries: Vec<Checked>,
    /// How many of each.
    pub summary: Summary,
}

/// One entry that was looked at.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Checked {
    /// The fields that every answer has.
    #[serde(flatten)]
    pub head: EntryHead,
    /// Why it is not handed out, where it is not: `retracted: it was wrong`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inactive: Option<String>,
    /// Whether it still holds.
    pub verdict: Verdict,
    /// The ids from the entry it rests on to the one that is the cause.
    pub because: Vec<String>,
    /// The same by their short citations.
    #[serde(skip)]
    pub chain: Vec<String>,
    /// What is wrong with the one that is the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    pub conditions: Vec<JudgedCondition>,
    pub anchors: Vec<JudgedAnchor>,
    /// Its name in events.
    #[serde(skip)]
    pub key: EntryKey,
}

/// How many entries have each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    pub entries: usize,
    /// As they were.
    pub fresh: usize,
    /// Found again elsewhere.
    pub moved: usize,
    pub drifted: usize,
    /// Gone, or no longer true.
    pub broken: usize,
    /// Nobody can tell.
    pub unverifiable: usize,
    /// Places that a re-anchoring would change.
    pub to_accept: usize,
}

impl Touched {
    /// Whether a file or folder is one of these, or lies below one.
    fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let is_below = |folder: &String| {
            path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.files.contains(path) || self.folders.iter().any(is_below)
    }

    /// Whether a pattern of a condition covers one of these.
    fn is_covered_by(&self, pattern: &str) -> bool {
        self.files.iter().any(|file| covers(pattern, file)) || self.has(pattern)
    }
}

/// The places that were found again elsewhere.
fn moved(anchors: &[JudgedAnchor]) -> impl Iterator<Item = &JudgedAnchor> {
    anchors.iter().filter(|anchor| anchor.found.verdict == Verdict::Moved)
}

/// How an entry stands by its code, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByCode {
    pub verdict: Verdict,
    /// What is wrong, where it drifted or is broken.
    pub fallen: Option<String>,
    /// Its places that were found again elsewhere, as written.
    pub moved: Vec<String>,
}

impl ByCode {
    fn new(validity: &Validity) -> ByCode {
        let Validity { verdict, cause, anchors, .. } = validity;
        let moved = moved(anchors).map(|anchor| anchor.at.clone()).collect();
        ByCode { verdict: *verdict, fallen: what_is_wrong(*verdict, cause.as_deref(), anchors), moved }
    }
}

/// What is wrong with an entry whose code no longer fits it.
fn what_is_wrong(verdict: Verdict, cause: Option<&str>, anchors: &[JudgedAnchor]) -> Option<String> {
    match verdict {
        Verdict::Drifted | Verdict::Broken => {}
        Verdict::Fresh | Verdict::Moved | Verdict::Unverifiable => return None,
    }
    let seen = anchors.iter().find(|anchor| anchor.found.verdict == verdict);
    let why =
        cause.map(str::to_owned).or_else(|| seen.map(|seen| format!("{}: {}", seen.at, seen.found.why)));
    Some(why.unwrap_or_else(|| "what it rests on changed".to_owned()))
}

impl Checked {
    fn new(subject: Subject, validity: Validity) -> Checked {
        Checked {
            head: subject.head,
            inactive: subject.retired,
            verdict: validity.verdict,
            because: validity.because,
            chain: validity.chain,
            cause: validity.cause,
            conditions: validity.conditions,
            anchors: validity.anchors,
            key: subject.key,
        }
    }

    /// Why somebody should look at it, where its code no longer fits it: drifted or broken, and what is wrong.
    pub fn fallen(&self) -> Option<(Verdict, String)> {
        let why = what_is_wrong(self.verdict, self.cause.as_deref(), &self.anchors)?;
        Some((self.verdict, why))
    }
}

/// How every entry that is handed out stands by its code: the verdicts of [`check`] without what they rest on, so that a whole store of
/// them can be held.
pub fn by_code(ledger: &dyn Projection, ground: &mut dyn CodeTree) -> Result<HashMap<EntryKey, ByCode>> {
    let is_told = |subject: &Subject| subject.retired.is_none() && !ledger.overlay(subject.key).hides();
    let mut found: HashMap<EntryKey, ByCode> = HashMap::new();
    // Most entries rest on no other, and what became of their places is known: they are judged one by one.
    let mut others: BTreeSet<EntryKey> = BTreeSet::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    ledger.each_subject(&mut |subject| {
        for text in &subject.depends_on {
            names.extend(
                Condition::parse(text).ok().and_then(|condition| condition.name().map(str::to_owned)),
            );
        }
        if !is_told(&subject) {
            return Ok(());
        }
        match validity::judge_alone(&subject, ground, Effort::Thorough) {
            Some(validity) => drop(found.insert(subject.key, ByCode::new(&validity))),
            None => drop(others.insert(subject.key)),
        }
        Ok(())
    })?;
    if others.is_empty() {
        return Ok(found);
    }
    // The others are judged together, with what they name.
    let mut subjects = Vec::new();
    ledger.each_subject(&mut |subject| {
        let is_named = names.contains(&subject.head.id) || names.contains(&subject.head.handle);
        if is_named || others.contains(&subject.key) {
            subjects.push(subject);
        }
        Ok(())
    })?;
    let store = Whole::new(ledger, subjects);
    let judged = validity::judge(&store.subjects, &store, ground, Effort::Thorough)?;
    found.extend(others.iter().filter_map(|key| Some((*key, ByCode::new(judged.get(key)?)))));
    Ok(found)
}

impl Summary {
    /// `5 fresh, 2 drifted`: how many entries have each verdict.
    pub fn counts(&self) -> String {
        let counts = [
            (self.fresh, Verdict::Fresh),
            (self.moved, Verdict::Moved),
            (self.drifted, Verdict::Drifted),
            (self.broken, Verdict::Broken),
            (self.unverifiable, Verdict::Unverifiable),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, verdict)| format!("{count} {verdict}")).collect::<Vec<_>>().join(", ")
    }

    /// Counts entries by their verdict.
    pub fn new<'a>(entries: impl IntoIterator<Item = &'a Checked>) -> Summary {
        let mut summary = Summary::default();
        for entry in entries {
            summary.count(entry.verdict, moved(&entry.anchors).count());
        }
        summary
    }

    /// Counts one entry, with its places that were found again elsewhere.
    pub(crate) fn count(&mut self, verdict: Verdict, moved: usize) {
        self.entries += 1;
        *match verdict {
            Verdict::Fresh => &mut self.fresh,
            Verdict::Moved => &mut self.moved,
            Verdict::Drifted => &mut self.drifted,
            Verdict::Broken => &mut self.broken,
            Verdict::Unverifiable => &mut self.unverifiable,
        } += 1;
        self.to_accept += moved;
    }
}

/// Looks at entries.
pub fn check(ledger: &dyn Projection, ground: &mut dyn CodeTree, which: &Which) -> Result<CheckAnswer> {
    let store = Whole::read(ledger)?;
    let (asked, mut judged) = match which {
        Which::All => (store.current(), validity::judge(&store.subjects, &store, ground, Effort::Thorough)?),
        Which::Named(names) => {
            let found = named(ledger, names)?;
            let keys = found.iter().map(|subject| subject.key).collect();
            (keys, validity::judge(&found, &store, ground, Effort::Thorough)?)
        }
        // Code that went elsewhere is spoken of there: what is touched shows when everything was looked at.
        Which::Touching(touched, names) => {
            let mut subjects = named(ledger, names)?;
            let mut keys: BTreeSet<EntryKey> = subjects.iter().map(|subject| subject.key).collect();
            subjects.extend(store.subjects.iter().filter(|subject| !keys.contains(&subject.key)).cloned());
            let judged = validity::judge(&subjects, &store, ground, Effort::Thorough)?;
            keys.extend(store.touched(touched, &judged));
            (keys.into_iter().collect(), judged)
        }
    };
    let mut entries: Vec<Checked> = Vec::with_capacity(asked.len());
    for key in asked {
        if let Some(validity) = judged.remove(&key) {
            entries.extend(store.checked(key, validity)?);
        }
    }
    entries.sort_by(worst_first);
    let summary = Summary::new(&entries);
    Ok(CheckAnswer { entries, summary })
}

fn named(ledger: &dyn Projection, names: &[String]) -> Result<Vec<Subject>> {
    names.iter().map(|name| Ok(Subject::new(&super::find(ledger, name)?))).collect()
}

/// What is known of entries that moved, drifted or broke, without reading code: the verdicts that `check` gave, unless what they rest on changed since.
///
/// `suspects` are the marks of places that did not hold when they were last looked at. Entries with other places only, and without conditions, hold.
pub fn known(
    ledger: &dyn Projection,
    ground: &mut dyn CodeTree,
    suspects: &BTreeSet<u64>,
) -> Result<BTreeMap<EntryKey, Verdict>> {
    if suspects.is_empty() && ledger.footing()?.conditional.is_empty() {
        return Ok(BTreeMap::new());
    }
    let store = Whole::read(ledger)?;
    let is_suspect = |subject: &&Subject| {
        let has_suspect_place = || subject.anchors.iter().any(|place| suspects.contains(&place.mark));
        store.is_told(subject) && (!subject.depends_on.is_empty() || has_suspect_place())
    };
    let asked: Vec<Subject> = store.subjects.iter().filter(is_suspect).cloned().collect();
    let judged = validity::judge(&asked, &store, &mut Remembered(ground), Effort::Quick)?;
    let verdicts = asked.iter().filter_map(|subject| Some((subject.key, judged.get(&subject.key)?.verdict)));
    Ok(verdicts.filter(|(_, verdict)| !matches!(verdict, Verdict::Fresh | Verdict::Unverifiable)).collect())
}

/// The entries that drifted or broke, as [`check`] says of them and in its order.
///
/// Entries whose files are as they were, and that state no condition, hold: they are not judged, and where all are like that none is read.
pub fn fallen(ledger: &dyn Projection, ground: &mut dyn CodeTree) -> Result<Vec<Checked>> {
    let footing = ledger.footing()?;
    let mut suspects: BTreeSet<EntryKey> =
        footing.conditional.iter().chain(&footing.unseen).copied().collect();
    for ((path, blob), keys) in &footing.contents {
        if !ground.is_unchanged(path, blob) {
            suspects.extend(keys);
        }
    }
    suspects.retain(|key| !ledger.overlay(*key).hides());
    if suspects.is_empty() {
        return Ok(Vec::new());
    }
    // Without a condition an entry rests on no other one, and nobody asks for names.
    let is_alone = suspects.is_disjoint(&footing.conditional) && suspects.len() <= READ_ALONE_MAX;
    let (asked, mut judged) = if is_alone {
        let mut asked = Vec::with_capacity(suspects.len());
        for key in &suspects {
            asked.extend(InLedger(ledger).subject(*key)?);
        }
        let judged = validity::judge(&asked, &InLedger(ledger), ground, Effort::Thorough)?;
        (asked, judged)
    } else {
        let store = Whole::read(ledger)?;
        let subjects = store.subjects.iter().filter(|subject| suspects.contains(&subject.key));
        let asked: Vec<Subject> = subjects.cloned().collect();
        let judged = validity::judge(&asked, &store, ground, Effort::Thorough)?;
        (asked, judged)
    };
    let mut fallen = Vec::new();
    for subject in asked {
        let found = judged.remove(&subject.key);
        let found = found.filter(|found| matches!(found.verdict, Verdict::Drifted | Verdict::Broken));
        fallen.extend(found.map(|found| Checked::new(subject, found)));
    }
    fallen.sort_by(worst_first);
    Ok(fallen)
}

/// The order in which entries are told.
fn worst_first(one: &Checked, other: &Checked) -> Ordering {
    other.verdict.cmp(&one.verdict).then_with(|| one.head.id.cmp(&other.head.id))
}

/// Code as it was when somebody last looked: nothing is read.
struct Remembered<'a>(&'a mut dyn CodeTree);

impl CodeTree for Remembered<'_> {
    fn remembered(&mut self, place: &Brief, effort: Effort) -> Option<PlaceVerdict> {
        self.0.remembered(place, effort)
    }

    fn judge(&mut self, anchors: &[Anchor], _: Effort) -> Vec<PlaceVerdict> {
        anchors.iter().map(|_| PlaceVerdict::unverifiable(NOT_CHECKED)).collect()
    }

    fn condition(&mut self, condition: &Condition) -> Answer {
        let remembered = self.0.remembered_condition(condition);
        remembered.unwrap_or_else(|| Answer::Unverifiable(NOT_CHECKED.to_owned()))
    }

    fn remembered_condition(&mut self, condition: &Condition) -> Option<Answer> {
        self.0.remembered_condition(condition)
    }

    fn capture(&mut self, _: &mut Anchor) -> std::result::Result<Option<String>, Uncaptured> {
        Err(Uncaptured::Unknown(NOT_CHECKED.to_owned()))
    }

    fn since(&mut self, path: &str) -> Option<Millis> {
        self.0.since(path)
    }
}

/// What is said of a place that nobody looked at since it changed.
const NOT_CHECKED: &str = "it was not checked since it changed";

/// Every entry whose code is as it says, what is no longer handed out included.
pub fn holding(ledger: &dyn Projection, ground: &mut dyn CodeTree) -> Result<BTreeSet<EntryKey>> {
    let store = Whole::read(ledger)?;
    let judged = validity::judge(&store.subjects, &store, ground, Effort::Thorough)?;
    let holds = |verdict: Verdict| matches!(verdict, Verdict::Fresh | Verdict::Moved);
    Ok(judged.into_iter().filter(|(_, validity)| holds(validity.verdict)).map(|(key, _)| key).collect())
}

/// Whether an entry speaks of one of some files: at a place, or in a condition.
fn speaks_of(subject: &Subject, touched: &Touched) -> bool {
    subject.anchors.iter().any(|brief| touched.has(&brief.path))
        || subject.depends_on.iter().any(|text| mentions(text, touched))
}

/// Whether a condition may change its answer when some files change.
fn mentions(text: &str, touched: &Touched) -> bool {
    let Ok(condition) = Condition::parse(text) else { return false };
    match (condition.path(), condition.name()) {
        (Some(path), _) => touched.is_covered_by(path),
        // A fact is mostly told by a manifest.
        (None, Some(name)) => touched.manifests || touched.is_covered_by(name),
        (None, None) => touched.manifests,
    }
}

/// Every entry in short, by key and by name.
struct Whole<'a> {
    ledger: &'a dyn Projection,
    subjects: Vec<Subject>,
    by_key: HashMap<EntryKey, usize>,
    /// Made when the first condition names an entry.
    by_name: OnceCell<HashMap<String, EntryKey>>,
}

impl<'a> Whole<'a> {
    fn read(ledger: &'a dyn Projection) -> Result<Whole<'a>> {
        let subjects = ledger.subjects()?;
        Ok(Whole::new(ledger, subjects))
    }

    fn new(ledger: &'a dyn Projection, subjects: Vec<Subject>) -> Whole<'a> {
        let by_key = subjects.iter().enumerate().map(|(at, subject)| (subject.key, at)).collect();
        Whole { ledger, subjects, by_key, by_name: OnceCell::new() }
    }

    fn by_name(&self) -> &HashMap<String, EntryKey> {
        self.by_name.get_or_init(|| {
            let mut names = HashMap::with_capacity(self.subjects.len() * 2);
            for subject in &self.subjects {
                // The earliest keeps a name.
                names.entry(subject.head.id.clone()).or_insert(subject.key);
                names.entry(subject.head.handle.clone()).or_insert(subject.key);
            }
            names
        })
    }

    fn current(&self) -> Vec<EntryKey> {
        self.subjects.iter().filter(|subject| self.is_told(subject)).map(|subject| subject.key).collect()
    }

    /// What is handed out is told about, unless this clone does not want to see it (BEL-9). That others rest on it stays as it is.
    fn is_told(&self, subject: &Subject) -> bool {
        subject.retired.is_none() && !self.ledger.overlay(subject.key).hides()
    }

    fn rests_on(&self, text: &str) -> Option<EntryKey> {
        let condition = Condition::parse(text).ok()?;
        self.by_name().get(condition.name()?).copied()
    }

    /// The entries that speak of one of some files, or rest on one that does.
    fn touched(&self, touched: &Touched, judged: &HashMap<EntryKey, Validity>) -> Vec<EntryKey> {
        let is_there_now = |anchor: &JudgedAnchor| {
            anchor
                .found
                .now
                .as_deref()
                .and_then(|now| Spot::parse(now).path)
                .is_some_and(|path| touched.has(&path))
        };
        let speaks = |subject: &&Subject| {
            self.is_told(subject)
                && (speaks_of(subject, touched)
                    || judged.get(&subject.key).is_some_and(|found| found.anchors.iter().any(is_there_now)))
        };
        let mut keys: BTreeSet<EntryKey> =
            self.subjects.iter().filter(speaks).map(|subject| subject.key).collect();
        loop {
            let rests = |subject: &&Subject| {
                let on_touched = |text: &String| self.rests_on(text).is_some_and(|on| keys.contains(&on));
                self.is_told(subject)
                    && !keys.contains(&subject.key)
                    && subject.depends_on.iter().any(on_touched)
            };
            let more: Vec<EntryKey> = self.subjects.iter().filter(rests).map(|subject| subject.key).collect();
            if more.is_empty() {
                return keys.into_iter().collect();
            }
            keys.extend(more);
        }
    }

    /// An entry with its verdict; none where it is no longer there.
    fn checked(&self, key: EntryKey, validity: Validity) -> Result<Option<Checked>> {
        let subject = match self.by_key.get(&key) {
            Some(at) => self.subjects[*at].clone(),
            None => match self.ledger.stored(key)? {
                Some(stored) => Subject::new(&stored),
                None => return Ok(None),
            },
        };
        Ok(Some(Checked::new(subject, validity)))
    }
}

impl Names for Whole<'_> {
    fn named(&self, name: &str) -> Result<Option<EntryKey>> {
        match self.by_name().get(name) {
            Some(key) => Ok(Some(*key)),
            // By its key, or an episodic record: rare enough to ask.
            None if looks_like_entry(name) => InLedger(self.ledger).named(name),
            None => Ok(None),
        }
    }

    fn subject(&self, key: EntryKey) -> Result<Option<Subject>> {
        match self.by_key.get(&key) {
            Some(at) => Ok(Some(self.subjects[*at].clone())),
            None => InLedger(self.ledger).subject(key),
        }
    }

    fn anchors(&self, key: EntryKey) -> Result<Vec<Anchor>> {
        InLedger(self.ledger).anchors(key)
    }
}

/// Whether a name could be that of an entry: paths are not.
fn looks_like_entry(name: &str) -> bool {
    !name.contains('/') && name.contains(|c: char| c.is_ascii_digit())
}

/// What to take down anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accept {
    /// Places whose code was found again elsewhere, and places that nobody had looked at.
    Found,
    /// Changed code too: somebody looked, and what is said still holds.
    Drifted,
}

/// A place that was taken down anew.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Accepted {
    #[serde(flatten)]
    pub head: EntryHead,
    /// The place as it was written.
    pub from: String,
    /// The place as it is now.
    pub to: String,
    /// What had become of it.
    pub was: Verdict,
}

/// Records where the code is now (VAL-3), and says of which changed places that cannot be, in sentences.
pub fn accept(
    ledger: &mut Ledger,
    ground: &mut dyn CodeTree,
    checked: &[Checked],
    accept: Accept,
    writer: &Writer,
) -> Result<(Vec<Accepted>, Vec<String>)> {
    let mut intents: Vec<Intent> = Vec::new();
    let (mut accepted, mut not_accepted) = (Vec::new(), Vec::new());
    for entry in checked {
        let Some(stored) = ledger.stored(entry.key)? else { continue };
        let mut changes = Vec::new();
        for (anchor, judged) in stored.entry.fields.anchors.iter().zip(&entry.anchors) {
            let wanted = match judged.found.verdict {
                Verdict::Moved => true,
                Verdict::Drifted => accept == Accept::Drifted,
                Verdict::Unverifiable => anchor.captured.is_none(),
                Verdict::Fresh | Verdict::Broken => false,
            };
            if !wanted {
                continue;
            }
            let Some(mut to) = place_now(anchor, judged) else { continue };
            if let Err(why) = ground.capture(&mut to) {
                // Of a place that nobody has seen, the check itself says why.
                if anchor.captured.is_some() {
                    let (handle, at) = (&entry.head.handle, &anchor.at);
                    not_accepted.push(format!("{handle}: {at} was not updated: {}", why.reason()));
                }
                continue;
            }
            accepted.push(Accepted {
                head: entry.head.clone(),
                from: anchor.at.clone(),
                to: to
                    .captured
                    .as_ref()
                    .and_then(|seen| seen.path.clone())
                    .map_or_else(|| to.at.clone(), |path| format!("{path}{}", to.at)),
                was: judged.found.verdict,
            });
            changes.push(ken_core::event::Reanchored { from: anchor.at.clone(), to });
        }
        intents.extend(decide::reanchor(&stored.entry, changes).map_err(Error::Refused)?);
    }
    if !intents.is_empty() {
        ledger.append(intents, writer)?;
    }
    Ok((accepted, not_accepted))
}

/// The anchor at the place where the code is now. A symbol alone stays one.
fn place_now(anchor: &Anchor, judged: &JudgedAnchor) -> Option<Anchor> {
    let at = match &judged.found.now {
        Some(now) if anchor.path().is_empty() => {
            let symbol = now.split_once('#').map(|(_, symbol)| symbol)?;
            return Some(Anchor { captured: None, ..Anchor::parse(&format!("#{symbol}")).ok()? });
        }
        Some(now) => now,
        None => &anchor.at,
    };
    Some(Anchor { extra: anchor.extra.clone(), ..Anchor::parse(at).ok()? })
}

/// What a change does to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Something it rests on is broken now.
    Breaks,
    /// A condition it states does not hold any more.
    Contradicts,
    /// Everything it speaks of is gone.
    Orphans,
    /// What it speaks of was rewritten.
    Drifts,
    /// What it speaks of is elsewhere.
    Reanchors,
    /// It can no longer be told whether it holds.
    Obscures,
    /// What was wrong with it is mended.
    Mends,
}

impl Effect {
    /// The word used in answers.
    pub fn word(self) -> &'static str {
        match self {
            Effect::Breaks => "breaks",
            Effect::Contradicts => "contradicts",
            Effect::Orphans => "orphans",
            Effect::Drifts => "drifts",
            Effect::Reanchors => "reanchors",
            Effect::Obscures => "obscures",
            Effect::Mends => "mends",
        }
    }
}

/// An entry that a change does something to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Affected {
    pub effect: Effect,
    /// Whether it held before.
    pub was: Verdict,
    /// How it stands after the change.
    #[serde(flatten)]
    pub entry: Checked,
}

/// A norm that a change touches: whoever makes it should read it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Norm {
    /// The fields that every answer has.
    #[serde(flatten)]
    pub head: EntryHead,
    /// What it asks for.
    pub rule: String,
    /// The files of the change that it speaks of.
    pub files: Vec<String>,
}

/// What `check --diff` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffAnswer {
    /// Before the change.
    pub base: String,
    /// After it; the working tree when nobody names a commit.
    pub head: String,
    /// How many files it changes.
    pub files: usize,
    #[serde(skip)]
    pub changed: Vec<String>,
    /// The entries it does something to, the worst first.
    pub entries: Vec<Affected>,
    /// The norms it touches.
    pub norms: Vec<Norm>,
    /// How all entries stand after it.
    pub summary: Summary,
}

/// A change between two trees.
pub struct Change<'a> {
    /// What to call the tree before it.
    pub base: String,
    /// What to call the tree after it.
    pub head: String,
    /// The tree before it.
    pub before: &'a mut dyn CodeTree,
    /// The tree after it.
    pub after: &'a mut dyn CodeTree,
    /// The files that differ.
    pub files: BTreeSet<String>,
    /// The entries as they stood before it, as far as the ledger of then has them.
    pub earlier: Vec<Subject>,
    /// The entries that came with it.
    pub born: BTreeSet<EntryKey>,
}

/// What a change does to entries.
pub fn diff(ledger: &dyn Projection, change: Change<'_>) -> Result<DiffAnswer> {
    let store = Whole::read(ledger)?;
    // What an entry was before the change, where the ledger of then knows it: it may have been taken back since.
    let mut then: HashMap<EntryKey, Subject> =
        change.earlier.into_iter().map(|subject| (subject.key, subject)).collect();
    let earlier: Vec<Subject> =
        store.subjects.iter().map(|now| then.remove(&now.key).unwrap_or_else(|| now.clone())).collect();
    let earlier = Whole::new(ledger, earlier);
    let mut before = validity::judge(&earlier.subjects, &earlier, change.before, Effort::Thorough)?;
    let mut after = validity::judge(&store.subjects, &store, change.after, Effort::Thorough)?;
    let mut entries = Vec::new();
    let mut unaffected = Vec::new();
    for key in store.current() {
        let (Some(before), Some(after)) = (before.remove(&key), after.remove(&key)) else { continue };
        let was = before.verdict;
        let born = change.born.contains(&key);
        // What came with the change and does not hold is the change's own fault.
        let before = if born { Validity { verdict: Verdict::Fresh, ..Validity::default() } } else { before };
        match effect(&before, &after) {
            Some(effect) => {
                let checked = store.checked(key, after)?;
                entries.extend(checked.map(|entry| Affected { effect, was, entry }));
            }
            None => unaffected.extend(store.checked(key, after)?),
        }
    }
    entries.sort_by(|a, b| a.effect.cmp(&b.effect).then_with(|| a.entry.head.id.cmp(&b.entry.head.id)));
    let summary = Summary::new(unaffected.iter().chain(entries.iter().map(|affected| &affected.entry)));
    Ok(DiffAnswer {
        base: change.base,
        head: change.head,
        files: change.files.len(),
        changed: change.files.iter().cloned().collect(),
        norms: norms(ledger, &change.files)?,
        summary,
        entries,
    })
}

fn effect(before: &Validity, after: &Validity) -> Option<Effect> {
    let broken = |validity: &Validity, text: &str| {
        validity
            .conditions
            .iter()
            .any(|condition| condition.text == text && condition.verdict == ConditionVerdict::Broken)
    };
    let gone = |validity: &Validity| {
        !validity.anchors.is_empty()
            && validity.anchors.iter().all(|anchor| anchor.found.verdict == Verdict::Broken)
    };
    let pairs = || before.anchors.iter().zip(&after.anchors);
    let worse =
        pairs().any(|(was, is)| is.found.verdict > was.found.verdict && is.found.verdict >= Verdict::Drifted);
    let elsewhere = pairs().any(|(was, is)| is.found.now.is_some() && is.found.now != was.found.now);
    let more_broken =
        after.conditions.iter().any(|c| c.verdict == ConditionVerdict::Broken && !broken(before, &c.text));
    match (before.verdict, after.verdict) {
        (_, Verdict::Broken) if gone(after) && !gone(before) => Some(Effect::Orphans),
        (was, Verdict::Broken) if was != Verdict::Broken && !after.because.is_empty() => Some(Effect::Breaks),
        (was, Verdict::Broken) if was != Verdict::Broken || more_broken => Some(Effect::Contradicts),
        (was, Verdict::Drifted) if was < Verdict::Drifted => Some(Effect::Drifts),
        (was, now) if was >= Verdict::Drifted && now < was => Some(Effect::Mends),
        (was, Verdict::Unverifiable) if was.holds() => Some(Effect::Obscures),
        // It was in trouble before, and its places are in more of it now, or elsewhere.
        _ if worse => Some(Effect::Drifts),
        _ if elsewhere => Some(Effect::Reanchors),
        _ => None,
    }
}

/// The norms that speak of some files: by place, condition, evidence or in what enforces them.
fn norms(ledger: &dyn Projection, files: &BTreeSet<String>) -> Result<Vec<Norm>> {
    let query = Query { memories: vec![Memory::Procedural], ..Query::default() };
    let mut found = Vec::new();
    ledger.each(&query, &mut |stored| {
        let patterns = patterns(&stored);
        let touched: Vec<String> =
            files.iter().filter(|file| patterns.iter().any(|p| covers(p, file))).cloned().collect();
        if !touched.is_empty() {
            found.push(Norm {
                rule: one_line(&deliver::safe(&stored.entry.fields.statement()), 200),
                head: view::head(&stored),
                files: touched,
            });
        }
        Ok(())
    })?;
    Ok(found)
}

/// The paths and patterns that a norm names.
fn patterns(stored: &Stored) -> Vec<String> {
    let fields = &stored.entry.fields;
    let mut patterns: Vec<String> = fields
        .anchors
        .iter()
        .map(|anchor| anchor.path().to_owned())
        .filter(|path| !path.is_empty())
        .collect();
    for text in &fields.depends_on {
        patterns
            .extend(Condition::parse(text).ok().and_then(|condition| condition.path().map(str::to_owned)));
    }
    for citation in stored.entry.evidence() {
        if matches!(citation.evidence_type, EvidenceType::Doc | EvidenceType::Test) {
            let reference = Reference {
                evidence_type: citation.evidence_type,
                evidence_ref: citation.evidence_ref.clone(),
            };
            patterns.extend(reference.path().map(str::to_owned));
        }
    }
    texts(fields.enforcement.as_ref(), &mut patterns);
    patterns
}

fn texts(value: Option<&Value>, into: &mut Vec<String>) {
    match value {
        // Sentences are no paths.
        Some(Value::String(text))
            if !text.contains(char::is_whitespace) && text.contains(['/', '.', '*']) =>
        {
            into.push(text.clone());
        }
        Some(Value::Array(list)) => list.iter().for_each(|item| texts(Some(item), into)),
        Some(Value::Object(map)) => map.values().for_each(|item| texts(Some(item), into)),
        Some(Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_)) | None => {}
    }
}

fn covers(pattern: &str, file: &str) -> bool {
    let pattern = pattern.trim_end_matches('/');
    if pattern == file || file.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/')) {
        return true;
    }
    pattern.contains(['*', '?', '[', '{'])
        && globset::Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(file))
}
