//! Whether entries still hold: their places and conditions are looked at, and what follows is carried along (VAL-1b, VAL-2).

use std::collections::{BTreeSet, HashMap};

use ken_core::answer::ConditionVerdict;
use ken_core::condition::{Atom, Condition};
use ken_core::limits::CHAIN_SHOWN_MAX;
use ken_core::score::{self, AgeBand};
use ken_core::validity::{self, Answer, Rest, Standing};
use ken_core::words::one_line;
use ken_core::{Anchor, Entry, EntryHead, EntryKey, Millis, PlaceVerdict, Status, Verdict};
use serde::Serialize;

use crate::error::Result;
use crate::limits::validity::TROUBLE_CHARS_MAX;
use crate::ports::{Brief, CodeTree, Effort, Stored};
use crate::projection::Projection;

/// Whether an entry still holds, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Validity {
    pub verdict: Verdict,
    /// Where it is broken because of other entries: the ids from the one it rests on to the one that is the cause.
    pub because: Vec<String>,
    /// The same by their short citations.
    #[serde(skip)]
    pub chain: Vec<String>,
    /// What is wrong with the one that is the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Each condition with its own verdict.
    pub conditions: Vec<JudgedCondition>,
    /// Each place with its own verdict.
    pub anchors: Vec<JudgedAnchor>,
    /// When the place changed that drifted.
    #[serde(skip)]
    pub drifted: Option<Millis>,
    /// Where nobody can tell: how old it is, if somebody said what day it is.
    #[serde(skip)]
    pub age_days: Option<i64>,
}

/// A condition and what it answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgedCondition {
    /// As it was written.
    pub text: String,
    /// Whether it holds.
    pub verdict: ConditionVerdict,
    pub why: String,
}

/// A place and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgedAnchor {
    /// As it was written.
    pub at: String,
    /// What became of it.
    #[serde(flatten)]
    pub found: PlaceVerdict,
}

impl Default for Validity {
    fn default() -> Self {
        Validity {
            verdict: Verdict::Unverifiable,
            because: Vec::new(),
            chain: Vec::new(),
            cause: None,
            conditions: Vec::new(),
            anchors: Vec::new(),
            drifted: None,
            age_days: None,
        }
    }
}

impl Validity {
    /// The worst of what speaks against it, by name; nothing where it holds.
    pub fn trouble(&self) -> Option<String> {
        if self.verdict.holds() {
            return None;
        }
        if let (Some(last), Some(cause)) = (self.chain.last(), &self.cause) {
            return Some(match self.chain.len() {
                1 => format!("it depends on {last}: {cause}"),
                _ => format!("it depends on {}: {cause}", self.chain.join(", which depends on ")),
            });
        }
        if self.anchors.is_empty() && self.conditions.is_empty() {
            return Some("it has no anchor and no condition".to_owned());
        }
        let condition = |verdict: ConditionVerdict| {
            let found = self.conditions.iter().find(|condition| condition.verdict == verdict);
            found.map(|condition| format!("{}: {}", condition.text, condition.why))
        };
        let anchor = |verdict: Verdict| {
            let found = self.anchors.iter().find(|anchor| anchor.found.verdict == verdict);
            found.map(|anchor| format!("{} {verdict}: {}", anchor.at, anchor.found.why))
        };
        match self.verdict {
            Verdict::Fresh | Verdict::Moved => None,
            Verdict::Broken => condition(ConditionVerdict::Broken).or_else(|| anchor(Verdict::Broken)),
            Verdict::Drifted => anchor(Verdict::Drifted).or_else(|| anchor(Verdict::Broken)),
            Verdict::Unverifiable => {
                condition(ConditionVerdict::Unverifiable).or_else(|| anchor(Verdict::Unverifiable))
            }
        }
    }

    /// The verdict in a few words: what is broken by name, and how old it is where nobody can tell (VAL-2).
    pub fn told(&self) -> String {
        match (self.verdict, self.age_days.map(score::age_band)) {
            (Verdict::Broken | Verdict::Drifted, _) => match self.trouble() {
                Some(trouble) => format!("{} ({})", self.verdict, one_line(&trouble, TROUBLE_CHARS_MAX)),
                None => self.verdict.to_string(),
            },
            (Verdict::Unverifiable, Some(AgeBand::Note)) => {
                format!("unverifiable, {} days old", self.age_days.unwrap_or_default())
            }
            (Verdict::Unverifiable, Some(AgeBand::Caveat)) => {
                format!("unverifiable and {} days old", self.age_days.unwrap_or_default())
            }
            (Verdict::Fresh | Verdict::Moved | Verdict::Unverifiable, _) => self.verdict.to_string(),
        }
    }

    /// How much that counts in a score, and how it came about (VAL-2). The half-life is for observations: decisions and norms keep their
    /// full freshness until they are superseded or broken (COR-33).
    pub fn freshness(&self, entry: &Entry, now: Millis) -> (f64, String) {
        let holds = entry.is_binding() && entry.status != Status::Superseded;
        if holds && matches!(self.verdict, Verdict::Unverifiable | Verdict::Drifted) {
            let why = format!("{}, but decisions and norms hold until superseded or broken", self.verdict);
            return (1.0, why);
        }
        let from = match self.verdict {
            Verdict::Drifted => self.drifted.unwrap_or(now),
            _ => entry.age_from().millis(),
        };
        let days = score::days_between(from, now);
        let why = match self.verdict {
            Verdict::Fresh => "fresh: the code it describes is unchanged".to_owned(),
            Verdict::Moved => "moved: the code it describes was found elsewhere".to_owned(),
            Verdict::Unverifiable => format!("unverifiable, {days} days old; half after 90"),
            Verdict::Drifted => format!("drifted {days} days ago; half, and half of that after 90"),
            Verdict::Broken => format!("broken: {}", self.trouble().unwrap_or_default()),
        };
        (score::freshness(self.verdict, from, now), why)
    }
}

/// One entry, as far as its validity is concerned.
#[derive(Clone, Debug)]
pub struct Subject {
    pub key: EntryKey,
    /// How it is named in answers.
    pub head: EntryHead,
    /// Why nobody should rest on it.
    pub retired: Option<String>,
    /// Its places, in short.
    pub anchors: Vec<Brief>,
    /// Its conditions, as written.
    pub depends_on: Vec<String>,
}

impl Subject {
    /// What of an entry matters here.
    pub fn new(stored: &Stored) -> Subject {
        let entry = &stored.entry;
        Subject {
            key: entry.key,
            head: crate::view::head(stored),
            retired: retired(entry.status, entry.status_reason.as_deref()),
            anchors: entry.fields.anchors.iter().map(Brief::new).collect(),
            depends_on: entry.fields.depends_on.clone(),
        }
    }
}

/// What the entries that are in use rest on: where a file has the content that they were seen in, nobody need look at them one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footing {
    /// Files with a content, and the entries with a place that was seen there.
    pub contents: HashMap<(String, String), Vec<EntryKey>>,
    /// Entries with a condition.
    pub conditional: BTreeSet<EntryKey>,
    /// Entries with a place that nobody saw.
    pub unseen: BTreeSet<EntryKey>,
}

impl Footing {
    /// Takes in an entry that is in use: its places as file and content, and whether it states a condition.
    pub fn take<'a>(
        &mut self,
        key: EntryKey,
        places: impl Iterator<Item = (&'a str, &'a str)>,
        is_conditional: bool,
    ) {
        if is_conditional {
            self.conditional.insert(key);
        }
        for (path, blob) in places {
            if blob.is_empty() {
                self.unseen.insert(key);
                continue;
            }
            let keys = self.contents.entry((path.to_owned(), blob.to_owned())).or_default();
            if keys.last() != Some(&key) {
                keys.push(key);
            }
        }
    }

    /// What some entries rest on, as far as they are in use.
    pub fn new(subjects: &[Subject]) -> Footing {
        let mut footing = Footing::default();
        for subject in subjects.iter().filter(|subject| subject.retired.is_none()) {
            let places = subject.anchors.iter().map(|place| (place.path.as_str(), place.blob.as_str()));
            footing.take(subject.key, places, !subject.depends_on.is_empty());
        }
        footing
    }
}

/// Why nobody should rest on an entry of some status.
pub fn retired(status: Status, reason: Option<&str>) -> Option<String> {
    if status.is_retrieved() {
        return None;
    }
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    Some(match reason {
        Some(reason) => format!("{}: {reason}", status.word()),
        None => status.word().to_owned(),
    })
}

/// Where entries are found by the names that conditions give them.
pub trait Names {
    /// The entry that answers to a name, whole: no beginning of one.
    fn named(&self, name: &str) -> Result<Option<EntryKey>>;
    /// What matters of it.
    fn subject(&self, key: EntryKey) -> Result<Option<Subject>>;
    /// Its places, with everything that was captured.
    fn anchors(&self, key: EntryKey) -> Result<Vec<Anchor>>;
}

/// Names by asking a ledger.
pub struct InLedger<'a>(pub &'a dyn Projection);

impl Names for InLedger<'_> {
    fn named(&self, name: &str) -> Result<Option<EntryKey>> {
        let [key] = self.0.resolve(name)?[..] else { return Ok(None) };
        let Some(stored) = self.0.stored(key)? else { return Ok(None) };
        let whole = stored.id == name || crate::view::handle(&stored) == name || key.to_string() == name;
        let whole = whole || stored.entry.id() == name;
        Ok(whole.then_some(key))
    }

    fn subject(&self, key: EntryKey) -> Result<Option<Subject>> {
        Ok(self.0.stored(key)?.map(|stored| Subject::new(&stored)))
    }

    fn anchors(&self, key: EntryKey) -> Result<Vec<Anchor>> {
        Ok(self.0.stored(key)?.map(|stored| stored.entry.fields.anchors).unwrap_or_default())
    }
}

/// Judges entries and gives each its verdict.
pub fn judge_stored(
    ledger: &dyn Projection,
    ground: &mut dyn CodeTree,
    stored: &mut [&mut Stored],
    effort: Effort,
) -> Result<()> {
    let subjects: Vec<Subject> = stored.iter().map(|stored| Subject::new(stored)).collect();
    let mut judged = judge(&subjects, &InLedger(ledger), ground, effort)?;
    for stored in stored {
        if let Some(validity) = judged.remove(&stored.entry.key) {
            let drifted = validity
                .anchors
                .iter()
                .filter(|anchor| matches!(anchor.found.verdict, Verdict::Drifted | Verdict::Broken));
            let since: Vec<Millis> = match validity.verdict {
                Verdict::Drifted => drifted
                    .filter_map(|anchor| ground.since(Anchor::parse(&anchor.at).ok()?.path()))
                    .collect(),
                _ => Vec::new(),
            };
            stored.validity = Validity { drifted: since.into_iter().max(), ..validity };
        }
    }
    Ok(())
}

/// Judges an entry that states no condition, where what became of all of its places is known; none of any other.
pub(crate) fn judge_alone(subject: &Subject, ground: &mut dyn CodeTree, effort: Effort) -> Option<Validity> {
    if !subject.depends_on.is_empty() {
        return None;
    }
    let mut anchors = Vec::with_capacity(subject.anchors.len());
    for brief in &subject.anchors {
        let found = ground.remembered(brief, effort)?;
        anchors.push(JudgedAnchor { at: brief.at.clone(), found });
    }
    let standing = Standing {
        name: subject.head.handle.clone(),
        retired: subject.retired.clone(),
        anchors: anchors.iter().map(|anchor| anchor.found.verdict).collect(),
        ..Standing::default()
    };
    let outcome = validity::propagate(&[standing]).pop()?;
    Some(Validity { verdict: outcome.verdict, anchors, ..Validity::default() })
}

/// Judges entries and whatever they rest on.
pub fn judge(
    subjects: &[Subject],
    names: &dyn Names,
    ground: &mut dyn CodeTree,
    effort: Effort,
) -> Result<HashMap<EntryKey, Validity>> {
    let mut subjects = Joined { asked: subjects, more: Vec::new() };
    let mut places: HashMap<EntryKey, usize> =
        (0..subjects.len()).map(|at| (subjects.get(at).key, at)).collect();
    let mut known: HashMap<String, ConditionSubject> = HashMap::new();
    let mut standings = Vec::with_capacity(subjects.len());
    let mut told = Vec::with_capacity(subjects.len());
    let mut at = 0;
    // What entries rest on joins the list while it is walked.
    while at < subjects.len() {
        let subject = subjects.get(at);
        let mut standing = Standing {
            name: subject.head.handle.clone(),
            retired: subject.retired.clone(),
            ..Standing::default()
        };
        let mut conditions = Vec::with_capacity(subject.depends_on.len());
        for text in subject.depends_on.clone() {
            let answer = match known.get(&text) {
                Some(answer) => answer.clone(),
                None => {
                    let answer = ask(&text, names, ground)?;
                    known.insert(text.clone(), answer.clone());
                    answer
                }
            };
            match answer {
                ConditionSubject::Answer(answer) => {
                    conditions.push((text, Place::Condition(standing.conditions.len())));
                    standing.conditions.push(answer);
                }
                ConditionSubject::Entry { key, negated } => {
                    let on = match places.get(&key) {
                        Some(on) => *on,
                        None => {
                            let Some(subject) = names.subject(key)? else {
                                conditions.push((text, Place::Condition(standing.conditions.len())));
                                standing.conditions.push(Answer::Unverifiable("it is not here".to_owned()));
                                continue;
                            };
                            subjects.more.push(subject);
                            places.insert(key, subjects.len() - 1);
                            subjects.len() - 1
                        }
                    };
                    conditions.push((text, Place::Rest(standing.rests_on.len())));
                    standing.rests_on.push(Rest { negated, on });
                }
            }
        }
        standings.push(standing);
        told.push(conditions);
        at += 1;
    }
    let anchors = look(&subjects, names, ground, effort)?;
    for (standing, anchors) in standings.iter_mut().zip(&anchors) {
        standing.anchors = anchors.iter().map(|anchor| anchor.found.verdict).collect();
    }
    let outcomes = validity::propagate(&standings);
    let mut judged: HashMap<EntryKey, Validity> = HashMap::with_capacity(subjects.len());
    let mut causes: Vec<(EntryKey, EntryKey)> = Vec::new();
    for (at, (told, anchors)) in told.into_iter().zip(anchors).enumerate() {
        let (standing, outcome) = (&standings[at], &outcomes[at]);
        let conditions = told.into_iter().map(|(text, place)| {
            let answer = match place {
                Place::Condition(at) => &standing.conditions[at],
                Place::Rest(at) => &outcome.rests[at],
            };
            JudgedCondition { text, verdict: answer.verdict(), why: answer.why().to_owned() }
        });
        let mut chain = validity::chain(&outcomes, at);
        if let Some(cause) = chain.last() {
            causes.push((subjects.get(at).key, subjects.get(*cause).key));
        }
        chain.truncate(CHAIN_SHOWN_MAX);
        let validity = Validity {
            verdict: outcome.verdict,
            because: chain.iter().map(|on| subjects.get(*on).head.id.clone()).collect(),
            chain: chain.iter().map(|on| subjects.get(*on).head.handle.clone()).collect(),
            cause: None,
            conditions: conditions.collect(),
            anchors,
            drifted: None,
            age_days: None,
        };
        judged.insert(subjects.get(at).key, validity);
    }
    for (key, cause) in causes {
        let retired = places.get(&cause).and_then(|at| subjects.get(*at).retired.clone());
        let cause = retired.or_else(|| judged.get(&cause).and_then(Validity::trouble));
        if let (Some(validity), Some(cause)) = (judged.get_mut(&key), cause) {
            validity.cause = Some(cause);
        }
    }
    Ok(judged)
}

/// Those that were asked for, and those they rest on.
struct Joined<'a> {
    asked: &'a [Subject],
    more: Vec<Subject>,
}

impl Joined<'_> {
    fn len(&self) -> usize {
        self.asked.len() + self.more.len()
    }

    fn get(&self, at: usize) -> &Subject {
        self.asked.get(at).unwrap_or_else(|| &self.more[at - self.asked.len()])
    }
}

/// Where the answer to a condition is found.
enum Place {
    Condition(usize),
    Rest(usize),
}

/// What a condition is about.
#[derive(Clone)]
enum ConditionSubject {
    Answer(Answer),
    Entry { key: EntryKey, negated: bool },
}

fn ask(text: &str, names: &dyn Names, ground: &mut dyn CodeTree) -> Result<ConditionSubject> {
    let condition = match Condition::parse(text) {
        Ok(condition) => condition,
        Err(why) => return Ok(ConditionSubject::Answer(Answer::Unverifiable(why))),
    };
    if let Atom::Name(name) = &condition.atom
        && let Some(key) = names.named(name)?
    {
        return Ok(ConditionSubject::Entry { key, negated: condition.negated });
    }
    Ok(ConditionSubject::Answer(ground.condition(&condition)))
}

/// Looks at the places of entries: first at what is remembered, then, all together, at the rest.
fn look(
    subjects: &Joined<'_>,
    names: &dyn Names,
    ground: &mut dyn CodeTree,
    effort: Effort,
) -> Result<Vec<Vec<JudgedAnchor>>> {
    let mut judged: Vec<Vec<JudgedAnchor>> = Vec::with_capacity(subjects.len());
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut anchors: Vec<Anchor> = Vec::new();
    for at in 0..subjects.len() {
        let subject = subjects.get(at);
        let mut own = Vec::with_capacity(subject.anchors.len());
        let mut whole: Option<Vec<Anchor>> = None;
        for (place, brief) in subject.anchors.iter().enumerate() {
            let seen = ground.remembered(brief, effort);
            if seen.is_none() {
                if whole.is_none() {
                    whole = Some(names.anchors(subject.key)?);
                }
                if let Some(anchor) = whole.iter().flatten().nth(place) {
                    open.push((at, place));
                    anchors.push(anchor.clone());
                }
            }
            let found = seen.unwrap_or_else(|| PlaceVerdict::unverifiable("nobody looked"));
            own.push(JudgedAnchor { at: brief.at.clone(), found });
        }
        judged.push(own);
    }
    let seen = ground.judge(&anchors, effort);
    for ((at, place), seen) in open.into_iter().zip(seen) {
        judged[at][place].found = seen;
    }
    Ok(judged)
}
