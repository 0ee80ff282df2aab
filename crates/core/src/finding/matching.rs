//! Whether a finding says what an entry says, and why (REV-2, REV-8).
//!
//! A wrong match confirms what nobody found, a missed one costs a line in a report. So several things have to speak for a match, and
//! one that speaks against it is enough: another number, another name in the same sentence, a thing that is there on one side and missing
//! on the other. The same claim at another place may match, since a pattern recurs; two faults at one line do not.

use std::collections::BTreeSet;

use super::Finding;
use super::faults;
use super::issue::{Issue, is_code};
use super::stance::{Stance, is_turning};
use crate::anchor::Spot;
use crate::entry::Entry;
use crate::kinds::{Polarity, Type};
pub(super) use crate::limits::finding_matching::NEAR_LINES_MAX;
use crate::limits::finding_matching::{
    COMPARED_BYTES_MAX, CONTRADICTED_SCORE_MAX, COPIED_AROUND_CODE_MIN, COPIED_AROUND_TWO_MIN,
    COPIED_WORDS_MIN, COSINE_ELSEWHERE_MIN, COSINE_MIN, DISTANCE_MAX, FAR_SCORE_MAX, REASON_WORDS_MAX,
    SAME_SCORE_MIN, SHARED_WORDS_ELSEWHERE_MIN, SHARED_WORDS_MIN,
};
use crate::words::normalise_statement;

/// An entry as findings are compared with it: taken apart once, compared often.
#[derive(Debug)]
pub struct KnownEntry {
    /// Where it can be seen.
    places: Vec<String>,
    /// The lines that symbols among them had when they were captured, each with the place.
    captured: Vec<(String, Spot)>,
    /// Its type, where this version knows it.
    kind: Option<Type>,
    /// Do, do not, or neither.
    polarity: Option<Polarity>,
    /// What it says in its own words, and the same in the words of others.
    sides: Vec<Side>,
}

impl KnownEntry {
    /// An entry, taken apart.
    pub fn from_entry(entry: &Entry) -> KnownEntry {
        let fields = &entry.fields;
        let captured = fields.anchors.iter().filter_map(|anchor| {
            let seen = anchor.captured.as_ref()?;
            let spot = anchor.spot();
            let path = spot.path.or_else(|| seen.path.clone());
            Some((anchor.at.clone(), Spot { path, lines: Some(seen.lines?), symbol: spot.symbol }))
        });
        let captured = captured.collect();
        let places = fields.anchors.iter().map(|anchor| anchor.at.clone()).collect();
        let (title, statement) = (fields.title(), fields.statement());
        let wordings = entry.wordings.iter().map(String::as_str);
        let known =
            KnownEntry::new(&title, &statement, places, entry.kind.known(), fields.polarity, wordings);
        KnownEntry { captured, ..known }
    }

    /// The same from its parts; `wordings` are what it says in the words of others.
    pub fn new<'w>(
        title: &str,
        statement: &str,
        places: Vec<String>,
        kind: Option<Type>,
        polarity: Option<Polarity>,
        wordings: impl IntoIterator<Item = &'w str>,
    ) -> KnownEntry {
        // What should be is said of entries that recommend; all others say what is wrong.
        let wanted = polarity == Some(Polarity::Positive);
        let mut sides = vec![Side::new(title, statement, wanted)];
        sides.extend(wordings.into_iter().map(|wording| Side::new(title, wording, wanted)));
        KnownEntry { places, captured: Vec::new(), kind, polarity, sides }
    }
}

/// A finding as entries are compared with it: taken apart once, compared often.
#[derive(Debug)]
pub struct Sought<'a> {
    finding: &'a Finding,
    side: Side,
}

impl<'a> Sought<'a> {
    /// A finding, taken apart.
    pub fn from_finding(finding: &'a Finding) -> Sought<'a> {
        Sought { finding, side: Side::new(&finding.title, finding.statement(), false) }
    }

    /// Whether it says what an entry says. `cosine` is that of [`Finding::meaning`] and of the entry's title and claim.
    pub fn matching(&self, known: &KnownEntry, cosine: Option<f64>) -> Match {
        let place = Place::compare(self.finding, known);
        let best = known.sides.iter().map(|side| compare(&self.side, side, known, place, cosine));
        let best = best.max_by(|one, other| one.score.total_cmp(&other.score));
        let mut found = best.expect("an entry has its own words at least");
        found.is_there = place == Place::Same;
        if let Some(reason) = place.reason(self.finding, known) {
            found.reasons.insert(0, reason);
        }
        found
    }

    /// Whether it need not be compared with an entry: they share fewer than `shared_min` words, and too little speaks for a match, whatever
    /// speaks against it. Much quicker than [`Sought::matching`].
    pub fn is_unlike(&self, known: &KnownEntry, cosine: Option<f64>, shared_min: usize) -> bool {
        known.sides.iter().all(|side| {
            let measures = measure(&self.side, side, known, cosine);
            measures.shared < shared_min
                && !self.side.says_the_same_as(side)
                && Weights::for_measures(&measures).score(&measures) < SAME_SCORE_MIN
        })
    }
}

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Whether the two are one.
    pub is_same: bool,
    /// How likely that is, 0 to 1.
    pub score: f64,
    /// Whether the finding is at the place of the entry, or inside of it.
    pub is_there: bool,
    /// Words that both have.
    pub shared: usize,
    /// What speaks for and against it, as people would say it.
    pub reasons: Vec<String>,
}

/// Whether a finding says what an entry says; see [`Sought`] for comparing one with many.
pub fn matching(finding: &Finding, known: &KnownEntry, cosine: Option<f64>) -> Match {
    Sought::from_finding(finding).matching(known, cosine)
}

/// One text of a comparison.
#[derive(Debug)]
pub(super) struct Side {
    normal: String,
    normal_title: String,
    /// Title and claim together.
    whole: Issue,
    head: Issue,
    faults: BTreeSet<usize>,
    head_faults: BTreeSet<usize>,
}

impl Side {
    /// Whether two findings are one issue: nearly the same words, or many of them, and nothing that keeps them apart (REV-6).
    pub(super) fn is_one_issue(&self, other: &Side) -> bool {
        if self.normal == other.normal && self.normal_title == other.normal_title {
            return true;
        }
        let apart = |one: &Side, two: &Side| {
            let other_fault = !one.head_faults.is_empty() && one.head_faults.is_disjoint(&two.faults);
            other_fault || contradiction(one, two, None, None).is_some()
        };
        if apart(self, other) || apart(other, self) {
            return false;
        }
        let near = |one: &str, two: &str| {
            let (long, short) = (one.len().max(two.len()), one.len().min(two.len()));
            // Each missing letter is a step: texts of very different length are far apart, and need not be compared.
            long <= COMPARED_BYTES_MAX
                && short as f64 >= (1.0 - DISTANCE_MAX) * long as f64
                && 1.0 - strsim::normalized_levenshtein(one, two) < DISTANCE_MAX
        };
        if near(&self.normal_title, &other.normal_title)
            && self.head.only(&other.head).is_empty() == other.head.only(&self.head).is_empty()
        {
            return true;
        }
        let shared = self.whole.shared(&other.whole).len();
        shared >= SHARED_WORDS_MIN && shared * 2 >= self.whole.len().min(other.whole.len())
    }

    /// Whether its claim, or what it is called, is the claim of another letter by letter.
    fn says_the_same_as(&self, other: &Side) -> bool {
        self.normal == other.normal || self.normal_title == other.normal
    }

    /// The words it is looked up by.
    pub(super) fn keywords(&self) -> impl Iterator<Item = &str> {
        self.whole.words.keys().chain(&self.whole.parts).map(String::as_str)
    }

    pub(super) fn new(title: &str, statement: &str, wanted: bool) -> Side {
        let (title, statement) = (title.trim(), statement.trim());
        // Where the title is the claim, its first sentence is what it is called.
        let head = match statement.split_once(". ") {
            Some((first, _)) if statement.starts_with(title) => first,
            Some(_) | None => title,
        };
        let whole = if statement.starts_with(head.trim_end_matches('…')) {
            statement.to_owned()
        } else {
            format!("{}. {statement}", head.trim_end_matches('.'))
        };
        Side {
            normal: normalise_statement(statement),
            normal_title: normalise_statement(title),
            whole: Issue::parse(&whole, wanted),
            head: Issue::parse(head, wanted),
            faults: faults::faults_in(&whole),
            head_faults: faults::faults_in(head),
        }
    }
}

/// Where two claims are seen, from the nearest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The same symbol, or lines that overlap or nearly do.
    Same,
    /// The same file.
    File,
    /// Other files, or none is named.
    Elsewhere,
}

impl Place {
    fn compare(finding: &Finding, known: &KnownEntry) -> Place {
        let mut best = Place::Elsewhere;
        for ours in finding.places.iter().map(|place| Spot::parse(place)) {
            for theirs in known.places.iter().map(|place| Spot::parse(place)) {
                if ours.path != theirs.path || ours.path.is_none() {
                    continue;
                }
                best = Place::File;
                let lines = ours.lines.zip(theirs.lines).is_some_and(|(one, other)| near(one, other));
                let symbol = ours.symbol.is_some() && ours.symbol == theirs.symbol;
                if lines || symbol {
                    return Place::Same;
                }
            }
            if known.captured.iter().any(|(_, spot)| is_inside(&ours, spot)) {
                return Place::Same;
            }
        }
        best
    }

    fn reason(self, finding: &Finding, known: &KnownEntry) -> Option<String> {
        let (ours, theirs) = (finding.place()?, known.places.first()?);
        match self {
            Place::Same => {
                let inside = known.captured.iter().find(|(at, spot)| {
                    Spot::parse(at).lines.is_none() && is_inside(&Spot::parse(ours), spot)
                });
                if let Some((at, _)) = inside {
                    return Some(format!("inside {at}"));
                }
                let (one, other) = (Spot::parse(ours), Spot::parse(theirs));
                let path = one.path.unwrap_or_default();
                Some(match (one.lines, other.lines, other.symbol) {
                    (Some(one), Some(other), _) => {
                        format!("same file {path}, {} near {}", lines(one), lines(other))
                    }
                    (_, _, Some(symbol)) => format!("same symbol {path}#{symbol}"),
                    _ => format!("same place {theirs}"),
                })
            }
            Place::File => Some(format!("same file {}", Spot::parse(ours).path.unwrap_or_default())),
            Place::Elsewhere => None,
        }
    }
}

/// Whether the lines of a finding lie in what was captured.
fn is_inside(ours: &Spot, captured: &Spot) -> bool {
    ours.path.is_some()
        && ours.path == captured.path
        && ours.lines.zip(captured.lines).is_some_and(|(one, other)| near(one, other))
}

pub(super) fn near(one: (u32, u32), other: (u32, u32)) -> bool {
    one.0 <= other.1.saturating_add(NEAR_LINES_MAX) && other.0 <= one.1.saturating_add(NEAR_LINES_MAX)
}

fn lines((from, to): (u32, u32)) -> String {
    if from == to { format!("line {from}") } else { format!("lines {from}-{to}") }
}

/// What is measured of two texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measures {
    /// The cosine of their meanings, where a model was asked.
    pub cosine: Option<f64>,
    /// How many words both have.
    pub shared: usize,
    /// The share of the shorter one's words that both have.
    pub overlap: f64,
    /// Faults that both speak of.
    pub faults: usize,
    /// The title of the entry names a fault of which the finding does not speak.
    pub other_fault: bool,
    /// One side names no fault that is known here.
    pub no_fault: bool,
    /// Things that the one says are missing and the other says are there.
    pub turned: usize,
}

/// Weights of what is measured, fitted to the part `dev` of `evals/review` and to its findings beside entries of others. The bases where
/// no fault is known were raised by hand for the part `fresh`; docs/internals/review-quality.md says what that is worth.
struct Weights {
    base: f64,
    cosine: f64,
    shared: f64,
    overlap: f64,
    faults: f64,
    other_fault: f64,
    turned: f64,
}

/// Where a fault of the list is named on both sides, it decides a good part.
const FAULTS_KNOWN: Weights = Weights {
    base: -4.84,
    cosine: 0.38,
    shared: 0.78,
    overlap: 4.98,
    faults: 2.12,
    other_fault: -1.82,
    turned: -2.10,
};

/// The same without a model.
const FAULTS_KNOWN_WORDS_ALONE: Weights = Weights {
    base: -4.73,
    cosine: 0.0,
    shared: 0.83,
    overlap: 5.13,
    faults: 2.16,
    other_fault: -1.84,
    turned: -2.10,
};

/// Where it is not, much more has to agree.
const FAULTS_UNKNOWN: Weights = Weights {
    base: -6.70,
    cosine: 2.73,
    shared: 1.70,
    overlap: 4.71,
    faults: 0.0,
    other_fault: 0.0,
    turned: -1.51,
};

/// The same without a model.
const FAULTS_UNKNOWN_WORDS_ALONE: Weights = Weights {
    base: -6.30,
    cosine: 0.0,
    shared: 2.10,
    overlap: 6.02,
    faults: 0.0,
    other_fault: 0.0,
    turned: -1.41,
};

impl Weights {
    fn for_measures(measures: &Measures) -> &'static Weights {
        match (measures.no_fault, measures.cosine) {
            (false, Some(_)) => &FAULTS_KNOWN,
            (false, None) => &FAULTS_KNOWN_WORDS_ALONE,
            (true, Some(_)) => &FAULTS_UNKNOWN,
            (true, None) => &FAULTS_UNKNOWN_WORDS_ALONE,
        }
    }

    fn score(&self, measures: &Measures) -> f64 {
        let sum = self.base
            + self.cosine * measures.cosine.unwrap_or_default()
            + self.shared * (measures.shared as f64).ln_1p()
            + self.overlap * measures.overlap
            + self.faults * measures.faults.min(2) as f64
            + self.other_fault * f64::from(u8::from(measures.other_fault))
            + self.turned * measures.turned.min(2) as f64;
        1.0 / (1.0 + (-sum).exp())
    }
}

fn measure(found: &Side, side: &Side, known: &KnownEntry, cosine: Option<f64>) -> Measures {
    let shared = found.whole.shared(&side.whole).len();
    let shorter = found.whole.len().min(side.whole.len()).max(1);
    let false_positive = known.kind == Some(Type::FalsePositive);
    let turned = |one: &Issue, other: &Issue| one.missing().filter(|key| other.has(key)).count();
    Measures {
        cosine,
        shared,
        overlap: shared as f64 / shorter as f64,
        faults: found.faults.intersection(&side.faults).count(),
        other_fault: !side.head_faults.is_empty() && side.head_faults.is_disjoint(&found.faults),
        no_fault: found.faults.is_empty() || side.faults.is_empty(),
        // What is no fault after all says of the thing that it is there, and that it is fine.
        turned: if false_positive {
            0
        } else {
            turned(&side.head, &found.whole) + turned(&found.head, &side.whole)
        },
    }
}

fn compare(found: &Side, side: &Side, known: &KnownEntry, place: Place, cosine: Option<f64>) -> Match {
    let against = contradiction(found, side, known.kind, known.polarity);
    if against.is_none() && found.says_the_same_as(side) {
        let shared = found.whole.shared(&side.whole).len();
        let reasons = vec!["the same words".to_owned()];
        return Match { is_same: true, score: 1.0, is_there: false, shared, reasons };
    }
    let measures = measure(found, side, known, cosine);
    let mut score = Weights::for_measures(&measures).score(&measures);
    let mut reasons = Vec::new();
    let shared = found.whole.shared(&side.whole);
    if !shared.is_empty() {
        let mut words: Vec<&str> = shared.iter().map(|key| found.whole.written(key)).collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.truncate(REASON_WORDS_MAX);
        reasons.push(format!("shares {}", words.join(", ")));
    }
    let both: Vec<&str> = found.faults.intersection(&side.faults).map(|fault| faults::name(*fault)).collect();
    if !both.is_empty() {
        reasons.push(format!("both about {}", both.join(", ")));
    }
    if measures.other_fault && !found.head_faults.is_empty() {
        let name = |faults: &BTreeSet<usize>| {
            faults.iter().map(|fault| faults::name(*fault)).collect::<Vec<_>>().join(", ")
        };
        reasons.push(format!(
            "the one is about {}, the other about {}",
            name(&found.head_faults),
            name(&side.head_faults)
        ));
    }
    if let Some(cosine) = cosine {
        reasons.push(format!("cosine {cosine:.2}"));
    }
    let far = match place {
        Place::Same | Place::File => false,
        Place::Elsewhere => {
            measures.shared < SHARED_WORDS_ELSEWHERE_MIN
                && cosine.is_none_or(|cosine| cosine < COSINE_ELSEWHERE_MIN)
        }
    };
    if far || cosine.is_some_and(|cosine| cosine < COSINE_MIN) {
        score = score.min(FAR_SCORE_MAX);
    }
    if let Some(against) = against {
        score = score.min(CONTRADICTED_SCORE_MAX);
        reasons.push(against);
    }
    Match { is_same: score >= SAME_SCORE_MIN, score, is_there: false, shared: measures.shared, reasons }
}

/// What makes it impossible that two are the same, however alike they are.
fn contradiction(
    found: &Side,
    side: &Side,
    kind: Option<Type>,
    polarity: Option<Polarity>,
) -> Option<String> {
    let stances = found
        .whole
        .clauses
        .iter()
        .flat_map(|ours| side.whole.clauses.iter().map(move |theirs| ours.stance(theirs)));
    let mut agrees = false;
    for stance in stances {
        match stance {
            Stance::Opposes => return Some("the one asks for what the other warns of".to_owned()),
            Stance::OtherNumber => return Some("the same with another number".to_owned()),
            Stance::Agrees => agrees = true,
            Stance::Unrelated => {}
        }
    }
    if kind != Some(Type::FalsePositive) && found.whole.dismisses != side.whole.dismisses {
        return Some("the one says that there is nothing to do, or that it is not so".to_owned());
    }
    if polarity == Some(Polarity::Positive) {
        // What is recommended is missed where it is found again; a finding against it is another matter.
        let named = |key: &str| side.head.words.contains_key(key) || is_code(side.whole.written(key));
        let missed =
            side.whole.shared(&found.whole).into_iter().any(|key| found.whole.lacks(key) && named(key));
        if !missed {
            return Some("the one recommends it, the other does not miss it".to_owned());
        }
    } else if kind != Some(Type::FalsePositive) && !agrees && !misses_the_same(found, side) {
        let turned = |one: &Side, other: &Side| {
            let mut missing = one.head.missing().filter(|key| other.head.has(key) && !other.whole.lacks(key));
            missing.next().map(|key| other.head.written(key).to_owned())
        };
        if let Some(thing) = turned(side, found).or_else(|| turned(found, side)) {
            return Some(format!("the one misses `{thing}`, for the other it is there"));
        }
    }
    if found.whole.needless != side.whole.needless {
        return Some("the one says that it is not needed".to_owned());
    }
    let agree = |one: &String, other: &String| {
        let within = |long: &str, short: &str| {
            long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        within(one, other) || within(other, one)
    };
    // A number in both titles is what they are about; the longer text may come round to it.
    let (ours, theirs, all) = (found.head.numbers(), side.head.numbers(), side.whole.numbers());
    if !ours.is_empty()
        && !theirs.is_empty()
        && !ours.iter().any(|one| all.iter().any(|other| agree(one, other)))
    {
        return Some(format!("other numbers: {} against {}", joined(&ours), joined(&theirs)));
    }
    // Titles that are nearly copies may differ in nothing that counts.
    let shared = found.head.shared(&side.head).len() + ours.intersection(&theirs).count();
    let (ours, theirs) = (found.head.only(&side.head), side.head.only(&found.head));
    match (ours.as_slice(), theirs.as_slice()) {
        ([one], [other]) if !(agrees && is_turning(one) && is_turning(other)) => {
            let named = is_code(one) || is_code(other);
            let copied = shared >= if named { COPIED_AROUND_CODE_MIN } else { COPIED_WORDS_MIN };
            copied.then(|| format!("the same is said of {one} and of {other}"))
        }
        ([_, _], [_, _]) if shared >= COPIED_AROUND_TWO_MIN => {
            Some(format!("the same is said of {} and of {}", ours.join(" "), theirs.join(" ")))
        }
        ([], [])
            if !agrees && shared >= COPIED_AROUND_CODE_MIN && found.head.lacking() != side.head.lacking() =>
        {
            Some("the one says the opposite of the other".to_owned())
        }
        _ => None,
    }
}

/// Whether both say of one thing that it is missing. Then what else a negation reaches tells nothing: `refunds are not logged` misses the
/// log, as `refund has no log` does, and no refunds.
fn misses_the_same(one: &Side, other: &Side) -> bool {
    let misses = |one: &Side, other: &Side| one.head.missing().any(|key| other.whole.misses(key));
    misses(one, other) || misses(other, one)
}

fn joined(list: &BTreeSet<String>) -> String {
    list.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
