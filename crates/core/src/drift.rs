//! What a store has gathered that nobody keeps up: stale, bloated, contradictory, orphaned, drifted and broken knowledge (DRI-1).
//!
//! Flags and recommends; what follows is a person's to say.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ken_language::WordList;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::anchor::{Spot, Verdict};
use crate::clock::{Clock, Millis};
use crate::entry::Entry;
use crate::fields::{Anchor, Fields, relative_path};
use crate::head::EntryHead;
use crate::ids::EntryKey;
use crate::kinds::{Type, TypeName};
use crate::limits::drift::NAMED_MAX;
use crate::score::days_between;
use crate::words::normalise_statement;

/// From where on something is a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Not confirmed for more than so many days is stale.
    pub stale_days: i64,
    /// More entries than this for one reviewer are bloated.
    pub entries_max: usize,
}

/// An entry that is looked at: what matters of it, so that a whole store of them can be held.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its name in events.
    pub key: EntryKey,
    /// How it is named in the answer.
    pub head: EntryHead,
    pub reviewer: Option<String>,
    /// When it was last known to be right.
    pub dated: Millis,
    /// Whether somebody confirmed it independently, and it was not merely stated then.
    pub is_confirmed: bool,
    /// Whether it says that something is a fault, or that it is none.
    side: Option<Side>,
    /// Hash of its normalised statement.
    statement: [u8; 32],
    /// The paths it cites.
    pub cited: Vec<CitedPath>,
    /// Those of them that are gone.
    pub gone: Vec<String>,
    /// What `check` found, where the code it describes no longer fits: `drifted` or `broken`, and why.
    pub fallen: Option<(Verdict, String)>,
}

/// What an entry says of what it describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Fault,
    NoFault,
}

impl Side {
    fn of(kind: &TypeName) -> Option<Side> {
        match kind.known() {
            Some(Type::Pattern | Type::Incident | Type::Lesson) => Some(Side::Fault),
            Some(Type::FalsePositive) => Some(Side::NoFault),
            _ => None,
        }
    }
}

impl Subject {
    /// An entry of which nothing is gone and nothing has fallen.
    pub fn new(head: EntryHead, entry: &Entry) -> Subject {
        Subject {
            key: entry.key,
            head,
            reviewer: entry.fields.reviewer.clone(),
            dated: entry.known_right_at().millis(),
            is_confirmed: entry.last_confirmed.is_some(),
            side: Side::of(&entry.kind),
            statement: hash_of(&entry.fields.statement()),
            cited: cited_paths(&entry.fields, entry.fields.document.is_some()),
            gone: Vec::new(),
            fallen: None,
        }
    }

    /// The same from an entry as it is written, of which no more is read than what matters here. None where it has an odd shape: then it has
    /// to be read whole.
    pub fn read(columns: Columns, written: &str) -> Option<Subject> {
        let Written { fields: said } = serde_json::from_str(written).ok()?;
        let is_imported = said.document.is_some();
        let mut anchors = Vec::with_capacity(said.anchors.len());
        for place in said.anchors {
            anchors.push(Anchor::parse(&place.0).ok()?);
        }
        let words = Fields {
            title: said.title,
            name: said.name,
            statement: said.statement,
            rule: said.rule,
            detail: said.detail,
            description: said.description,
            hypothesis: said.hypothesis,
            from: said.from,
            relation: said.relation,
            to: said.to,
            anchors,
            ..Fields::default()
        };
        let Columns { key, head, kind, reviewer, stated, confirmed } = columns;
        Some(Subject {
            key,
            head,
            reviewer,
            dated: confirmed.unwrap_or(stated).millis(),
            is_confirmed: confirmed.is_some(),
            side: Side::of(&kind),
            statement: hash_of(&words.statement()),
            cited: cited_paths(&words, is_imported),
            gone: Vec::new(),
            fallen: None,
        })
    }
}

/// What an index knows of an entry beside the entry as it is written.
#[derive(Clone, Debug)]
pub struct Columns {
    pub key: EntryKey,
    pub head: EntryHead,
    pub kind: TypeName,
    pub reviewer: Option<String>,
    /// When it was first stated where it comes from.
    pub stated: Clock,
    /// The latest independent confirmation.
    pub confirmed: Option<Clock>,
}

/// The parts of a written entry that are read.
#[derive(Deserialize)]
struct Written {
    fields: StatedFields,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StatedFields {
    title: Option<String>,
    name: Option<String>,
    statement: Option<String>,
    rule: Option<String>,
    detail: Option<String>,
    description: Option<String>,
    hypothesis: Option<String>,
    from: Option<String>,
    relation: Option<String>,
    to: Option<String>,
    anchors: Vec<StatedPlace>,
    document: Option<IgnoredAny>,
}

/// An anchor as it was written: a text, or an object that says more.
struct StatedPlace(String);

impl<'de> Deserialize<'de> for StatedPlace {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(StatedPlaceVisitor)
    }
}

struct StatedPlaceVisitor;

impl<'de> Visitor<'de> for StatedPlaceVisitor {
    type Value = StatedPlace;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a place")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<StatedPlace, E> {
        Ok(StatedPlace(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<StatedPlace, A::Error> {
        let mut at: Option<String> = None;
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            match &*name {
                "at" => at = Some(members.next_value()?),
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        at.map(StatedPlace).ok_or_else(|| serde::de::Error::missing_field("at"))
    }
}

fn hash_of(statement: &str) -> [u8; 32] {
    *blake3::hash(normalise_statement(statement).as_bytes()).as_bytes()
}

/// What was found, reviewer by reviewer and for the whole store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Drift {
    /// Each reviewer that has entries, by name.
    pub reviewers: Vec<ReviewerDrift>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<Report>,
    /// The gravest of all of them.
    pub recommendation: Recommendation,
}

/// What was found for one reviewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewerDrift {
    pub reviewer: String,
    #[serde(flatten)]
    pub report: Report,
}

/// What was found in some entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// How many were looked at.
    pub entries: usize,
    /// What was found.
    pub signals: Signals,
    /// What to do about it.
    pub recommendation: Recommendation,
}

/// Every signal with the entries that give it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Signals {
    /// Not confirmed for long.
    pub stale: Vec<Sign>,
    /// More than anybody reads.
    pub bloated: Vec<Sign>,
    /// Found to be a fault here and none there.
    pub contradictory: Vec<Sign>,
    /// Citing what is gone.
    pub orphaned: Vec<Sign>,
    /// Describing code that changed: the verdict of `check`.
    pub drifted: Vec<Sign>,
    /// Not true any more: the verdict of `check`. What is orphaned is broken too, and listed there alone.
    pub broken: Vec<Sign>,
}

impl Signals {
    /// Each signal by its name.
    pub fn each(&self) -> [(&'static str, &[Sign]); 6] {
        [
            ("broken", &self.broken),
            ("drifted", &self.drifted),
            ("stale", &self.stale),
            ("bloated", &self.bloated),
            ("contradictory", &self.contradictory),
            ("orphaned", &self.orphaned),
        ]
    }

    fn recommendation(&self) -> Recommendation {
        let doubtful = [&self.contradictory, &self.drifted, &self.broken];
        if doubtful.iter().any(|signs| !signs.is_empty()) {
            Recommendation::NeedsReview
        } else if self.each().iter().any(|(_, signs)| !signs.is_empty()) {
            Recommendation::NeedsPruning
        } else {
            Recommendation::Healthy
        }
    }
}

/// An entry that gives a signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sign {
    #[serde(flatten)]
    pub head: EntryHead,
    /// What was seen of it, in a sentence.
    pub why: String,
    /// Its name in events.
    #[serde(skip)]
    pub key: EntryKey,
}

/// What to do, the gravest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    #[default]
    Healthy,
    /// Put away what nobody keeps up.
    NeedsPruning,
    /// Find out which of two is right, or whether an entry still holds.
    NeedsReview,
}

impl Recommendation {
    /// The word people and programs use.
    pub fn word(self) -> &'static str {
        match self {
            Recommendation::Healthy => "healthy",
            Recommendation::NeedsPruning => "needs_pruning",
            Recommendation::NeedsReview => "needs_review",
        }
    }
}

/// Looks at some entries. Which ones is the caller's to choose; the store's part is left out when `only` names a reviewer.
pub fn drift(subjects: &[Subject], only: Option<&str>, limits: Limits, now: Millis) -> Drift {
    let mut of: BTreeMap<&str, Vec<&Subject>> = only.map(|name| (name, Vec::new())).into_iter().collect();
    for subject in subjects {
        if let Some(reviewer) = subject.reviewer.as_deref()
            && only.is_none_or(|name| name == reviewer)
        {
            of.entry(reviewer).or_default().push(subject);
        }
    }
    let mut reviewers = Vec::new();
    let mut bloated = Vec::new();
    for (reviewer, subjects) in of {
        let mut report = report(&subjects, limits, now);
        report.signals.bloated = too_many(reviewer, &subjects, limits);
        report.recommendation = report.signals.recommendation();
        bloated.extend(report.signals.bloated.iter().cloned());
        reviewers.push(ReviewerDrift { reviewer: reviewer.to_owned(), report });
    }
    let store = only.is_none().then(|| {
        let mut report = report(&subjects.iter().collect::<Vec<_>>(), limits, now);
        report.signals.bloated = bloated;
        report.recommendation = report.signals.recommendation();
        report
    });
    let worst = reviewers.iter().map(|one| one.report.recommendation);
    let worst = worst.chain(store.iter().map(|report| report.recommendation)).max();
    Drift { reviewers, store, recommendation: worst.unwrap_or_default() }
}

/// Everything but what is too many.
fn report(subjects: &[&Subject], limits: Limits, now: Millis) -> Report {
    let sign = |subject: &Subject, why: String| Sign { head: subject.head.clone(), why, key: subject.key };
    let mut signals = Signals { contradictory: contradictions(subjects), ..Signals::default() };
    for subject in subjects {
        let days = days_between(subject.dated, now);
        if days > limits.stale_days {
            let date = subject.dated.date();
            let why = match subject.is_confirmed {
                true => format!("last confirmed on {date}, {days} days ago"),
                false => format!("stated on {date}, {days} days ago, and never confirmed"),
            };
            signals.stale.push(sign(subject, why));
        }
        if !subject.gone.is_empty() {
            let (verb, paths) = (if subject.gone.len() == 1 { "is" } else { "are" }, subject.gone.join(", "));
            signals.orphaned.push(sign(subject, format!("{paths} {verb} gone from the working tree")));
        }
        match &subject.fallen {
            Some((Verdict::Broken, why)) if subject.gone.is_empty() => {
                signals.broken.push(sign(subject, why.clone()));
            }
            Some((Verdict::Drifted, why)) => signals.drifted.push(sign(subject, why.clone())),
            Some((Verdict::Broken | Verdict::Fresh | Verdict::Moved | Verdict::Unverifiable, _)) | None => {}
        }
    }
    Report { entries: subjects.len(), recommendation: signals.recommendation(), signals }
}

/// Those beyond what one reviewer's reader takes in: the ones confirmed longest ago.
fn too_many(reviewer: &str, subjects: &[&Subject], limits: Limits) -> Vec<Sign> {
    let beyond = subjects.len().saturating_sub(limits.entries_max);
    let mut oldest: Vec<&&Subject> = subjects.iter().collect();
    oldest.sort_by_key(|subject| (subject.dated, subject.key));
    let why = format!(
        "{reviewer} has {} entries, more than {}; this is one of the {beyond} confirmed longest ago",
        subjects.len(),
        limits.entries_max
    );
    let beyond = oldest.into_iter().take(beyond);
    beyond.map(|subject| Sign { head: subject.head.clone(), why: why.clone(), key: subject.key }).collect()
}

/// What stands as a fault and as none: the same path or the same statement on both sides.
fn contradictions(subjects: &[&Subject]) -> Vec<Sign> {
    let of_side = |side: Side| {
        let all = subjects.iter().enumerate();
        all.filter(move |(_, subject)| subject.side == Some(side))
    };
    // What is spoken of, and on each side by whom. False positives are few: what none of them speaks of is left out.
    let mut paths: BTreeMap<&str, [BTreeSet<usize>; 2]> = BTreeMap::new();
    let mut statements: BTreeMap<&[u8; 32], [BTreeSet<usize>; 2]> = BTreeMap::new();
    for (at, subject) in of_side(Side::NoFault) {
        for cited in subject.cited.iter().filter(|cited| cited.sure) {
            paths.entry(&cited.path).or_default()[1].insert(at);
        }
        statements.entry(&subject.statement).or_default()[1].insert(at);
    }
    for (at, subject) in of_side(Side::Fault) {
        for cited in subject.cited.iter().filter(|cited| cited.sure) {
            if let Some(sides) = paths.get_mut(cited.path.as_str()) {
                sides[0].insert(at);
            }
        }
        if let Some(sides) = statements.get_mut(&subject.statement) {
            sides[0].insert(at);
        }
    }
    let mut whys: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut tell = |sides: &[BTreeSet<usize>; 2], says: &dyn Fn(&str) -> String| {
        for (own, other) in [(0, 1), (1, 0)] {
            let names: Vec<&str> = sides[other].iter().map(|at| subjects[*at].head.id.as_str()).collect();
            let Some(first) = names.get(..names.len().min(NAMED_MAX)).filter(|named| !named.is_empty())
            else {
                continue;
            };
            let more = names.len() - first.len();
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let others = format!("{}{more}", first.join(", "));
            for at in &sides[own] {
                let what = if own == 0 { "false positive" } else { "finding" };
                whys.entry(*at).or_default().push(says(&format!("the {what} {others}")));
            }
        }
    };
    for (path, sides) in &paths {
        tell(sides, &|others| format!("{path} is also described by {others}"));
    }
    for sides in statements.values() {
        tell(sides, &|others| format!("it says the same as {others}"));
    }
    whys.into_iter()
        .map(|(at, whys)| Sign {
            head: subjects[at].head.clone(),
            why: whys.join("; "),
            key: subjects[at].key,
        })
        .collect()
}

/// A path that an entry cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedPath {
    /// Which, relative to the repository.
    pub path: String,
    /// It is surely one. Where it is not (`read/write`), it counts if the folder it begins with is there.
    pub sure: bool,
    /// The anchor that cites it, as written; none for a word of the statement.
    pub anchor: Option<String>,
}

/// The paths that an entry cites: those of its anchors, and those in backticks in its statement. Of what was imported, a path in any of its
/// texts counts, quoted or not (COR-1). What leads out of the repository is skipped.
fn cited_paths(fields: &Fields, is_imported: bool) -> Vec<CitedPath> {
    let mut cited: Vec<CitedPath> = Vec::new();
    let mut cite = |path: &str, sure: bool, anchor: Option<String>| {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let known = cited.iter().any(|other| other.path == path);
        if !path.is_empty() && !known && relative_path(path).is_ok() {
            cited.push(CitedPath { path: path.to_owned(), sure, anchor });
        }
    };
    for anchor in &fields.anchors {
        cite(anchor.path(), true, Some(anchor.at.clone()));
    }
    for word in quoted(&fields.statement()) {
        if let Some((path, sure)) = path_of(word) {
            cite(path, sure, None);
        }
    }
    if is_imported {
        let texts = [&fields.statement, &fields.rule, &fields.detail];
        for place in texts.into_iter().flatten().flat_map(|text| places_named(text)) {
            cite(Spot::parse(place).path.as_deref().unwrap_or(place), true, None);
        }
    }
    cited.shrink_to_fit();
    cited
}

/// What stands between the first and the second backtick, the third and the fourth, and so on.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The places that a text names and that are surely paths, as they could be anchors: `src/net.rs:12`, in backticks or, with a folder, bare.
pub fn places_named(text: &str) -> Vec<&str> {
    let mut places: Vec<&str> = Vec::new();
    let bare = text
        .split(|c: char| c.is_whitespace() || "`\"'()[]{}<>,;".contains(c))
        .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
        .filter(|word| word.contains('/'));
    for word in quoted(text).chain(bare) {
        let place = word.trim();
        let is_path = path_of(place).is_some_and(|(path, sure)| {
            sure && relative_path(path).is_ok()
                && !path.split('/').any(|part| matches!(part, "" | "." | ".."))
        });
        if is_path && !places.contains(&place) && Anchor::parse(place).is_ok() {
            places.push(place);
        }
    }
    places
}

/// Endings that only files have.
static FILE_ENDINGS: WordList = WordList::new(include_str!("../words/drift/file_endings.txt"));

/// The path that a word in backticks is, without line and symbol, and whether that is sure.
fn path_of(word: &str) -> Option<(&str, bool)> {
    let place = word.trim().split_once('#').map_or(word.trim(), |(place, _)| place);
    let place = match place.split_once(':') {
        Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => path,
        _ => place,
    };
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '@' | '+');
    if place.is_empty() || place.starts_with(['/', '-', '@']) || !place.chars().all(is_plain) {
        return None;
    }
    let name = place.trim_end_matches('/').rsplit('/').next().unwrap_or(place);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    let is_file = ending.is_some_and(|ending| FILE_ENDINGS.contains(ending));
    // `v1.2` and `self.retry` are no paths; `src/auth` may be one.
    (is_file || place.trim_end_matches('/').contains('/')).then_some((place, is_file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_a_text_names() {
        let text = "`a.py:4-7` and src/net.rs:12. (see lib/x.rs), `run`, read/write, Cargo.toml, https://x.io/a.rs, ../up.rs, /etc/a.sh";
        assert_eq!(places_named(text), ["a.py:4-7", "src/net.rs:12", "lib/x.rs"]);
    }

    #[test]
    fn words_in_backticks_that_are_paths() {
        let words = [
            ("src/net.rs", Some(("src/net.rs", true))),
            ("src/net.rs:12", Some(("src/net.rs", true))),
            ("src/net.rs:12-14", Some(("src/net.rs", true))),
            ("src/net.rs#retry", Some(("src/net.rs", true))),
            ("Cargo.toml", Some(("Cargo.toml", true))),
            ("src/auth", Some(("src/auth", false))),
            ("src/auth/", Some(("src/auth/", false))),
            ("read/write", Some(("read/write", false))),
            ("../other/x.py", Some(("../other/x.py", true))),
            ("v1.2", None),
            ("self.retry", None),
            ("retry()", None),
            ("/etc/passwd", None),
            ("cargo test -p core", None),
            ("https://example.org/a.md", None),
            (".rs", None),
            ("", None),
        ];
        for (word, expected) in words {
            assert_eq!(path_of(word), expected, "{word}");
        }
    }
}
