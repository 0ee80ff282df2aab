//! What gets in the way, added up: by type, by cause, against the time before, and what cost the most (FRI-1).
//!
//! Minutes are added to minutes and records are counted; the two are never made one number. Where nobody said a cause, the tool stands
//! for it, and where there is none either, records with much the same words are put together. The answer says which it was.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ken_language::{WordList, split};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::clock::Millis;
pub use crate::limits::friction::{CONTEXT_BYTES_MAX, COSTLIEST_MAX, EXAMPLES_MAX, MEASURE_MAX};
use crate::limits::friction::{LABEL_CHARS_MAX, SHARED_THOUSANDTHS_MIN, STEADY_PART, WORDS_MAX};
use crate::refusal::Fault;
use crate::words::{normalise_statement, one_line};

/// What a context says about a friction, as far as its words are understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrictionContext {
    /// Why it happened.
    pub cause: Option<String>,
    /// The tool it happened with: `tool`, or the program that `command` starts.
    pub tool: Option<String>,
    /// What it took.
    pub minutes: Option<Thousandths>,
    /// What it cost, in whatever unit this store uses.
    pub cost: Option<Thousandths>,
}

/// A number with three places, so that sums are the same in every order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thousandths(pub u64);

impl Thousandths {
    /// Reads a number that can be a measure.
    pub fn read(number: f64) -> Option<Thousandths> {
        (0.0..=MEASURE_MAX).contains(&number).then(|| Thousandths((number * 1_000.0).round() as u64))
    }
}

impl std::iter::Sum for Thousandths {
    fn sum<I: Iterator<Item = Thousandths>>(all: I) -> Thousandths {
        Thousandths(all.map(|one| one.0).fold(0, u64::saturating_add))
    }
}

impl std::fmt::Display for Thousandths {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 % 1_000 {
            0 => write!(out, "{}", self.0 / 1_000),
            rest => {
                let places = format!("{rest:03}");
                write!(out, "{}.{}", self.0 / 1_000, places.trim_end_matches('0'))
            }
        }
    }
}

impl Serialize for Thousandths {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 % 1_000 {
            0 => to.serialize_u64(self.0 / 1_000),
            _ => to.serialize_f64(self.0 as f64 / 1_000.0),
        }
    }
}

/// Understands the words of a context. What has another shape says nothing here, and is kept as it is.
pub fn told(context: &Map<String, Value>) -> FrictionContext {
    let text = |names: &[&str]| {
        let said = names.iter().filter_map(|name| context.get(*name)?.as_str());
        said.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned)
    };
    let program = |command: String| {
        let first = command.split_whitespace().next()?;
        Some(first.rsplit(['/', '\\']).next().unwrap_or(first).to_owned())
    };
    let measure = |name: &str| Thousandths::read(number(context.get(name)?)?);
    FrictionContext {
        cause: text(&["cause", "root_cause"]),
        tool: text(&["tool"]).or_else(|| text(&["command"]).and_then(program)),
        minutes: measure("minutes"),
        cost: measure("cost"),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// What is wrong with a context that is about to be written: a number of minutes that cannot be one. Words stay words.
pub fn faults(context: &Map<String, Value>) -> Vec<Fault> {
    let wrong = |name: &&str| {
        let number = number(context.get(*name)?)?;
        let problem = format!("is {number}; expected a number from 0 to {MEASURE_MAX}");
        Thousandths::read(number).is_none().then(|| Fault { field: format!("context.{name}"), problem })
    };
    ["minutes", "cost"].iter().filter_map(wrong).collect()
}

/// One thing that got in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub id: String,
    /// `tool_error`, `redo` or `validation_fail`.
    pub kind: String,
    /// What is understood of its context.
    pub told: FrictionContext,
    /// Everything else that it says.
    pub words: String,
    pub at: Millis,
}

impl Record {
    /// A record, from what is kept of it.
    pub fn new(id: String, kind: String, context: &Map<String, Value>, at: Millis) -> Record {
        let mut words = String::new();
        let said = context.iter().filter(|(name, _)| !MEASURES.contains(&name.as_str()));
        said.for_each(|(_, value)| gather(value, &mut words));
        Record { id, kind, told: told(context), words, at }
    }
}

/// Members of a context that are no words.
const MEASURES: &[&str] = &["minutes", "cost"];

fn gather(value: &Value, words: &mut String) {
    match value {
        Value::String(text) => {
            words.push_str(text);
            words.push(' ');
        }
        Value::Array(members) => members.iter().for_each(|member| gather(member, words)),
        Value::Object(members) => members.values().for_each(|member| gather(member, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What a group of records has in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The cause that somebody said.
    Cause,
    /// No cause was said; the tool.
    Tool,
    /// Neither was said; much the same words.
    Words,
    /// Nothing was said at all.
    Nothing,
}

impl By {
    /// The word used in answers.
    pub fn word(self) -> &'static str {
        match self {
            By::Cause => "cause",
            By::Tool => "tool",
            By::Words => "words",
            By::Nothing => "nothing",
        }
    }
}

/// Against the period before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// There was none before.
    New,
    /// More than before.
    Rising,
    /// About as many.
    Steady,
    Falling,
}

impl Trend {
    /// The word used in answers.
    pub fn word(self) -> &'static str {
        match self {
            Trend::New => "new",
            Trend::Rising => "rising",
            Trend::Steady => "steady",
            Trend::Falling => "falling",
        }
    }

    /// What so many now and so many before mean. A change of a quarter of the larger number, or less, is none.
    pub fn between(now: usize, before: usize) -> Trend {
        if before == 0 && now > 0 {
            return Trend::New;
        }
        match now.abs_diff(before) * STEADY_PART <= now.max(before) {
            true => Trend::Steady,
            false if now > before => Trend::Rising,
            false => Trend::Falling,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tally {
    /// How many there are in the period.
    pub records: usize,
    /// How many there were in as long a time before; left out where there is no time before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// What that means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trend: Option<Trend>,
    /// What those that say so took, in minutes.
    pub minutes: Thousandths,
    /// How many say so.
    pub timed: usize,
    /// What those that say so cost.
    pub cost: Thousandths,
    /// How many say so.
    pub priced: usize,
}

/// Records of one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfType {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(flatten)]
    pub tally: Tally,
}

/// Records with one cause, or what stands for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfCause {
    /// The cause, the tool or the words, as the first of them said it.
    pub cause: String,
    /// Which of these it is.
    pub by: By,
    pub types: Vec<String>,
    #[serde(flatten)]
    pub tally: Tally,
    /// Some of them, the latest first.
    pub examples: Vec<String>,
}

/// What cost the most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Costliest {
    /// `minutes` where any record says how long it took, else `records`.
    pub by: &'static str,
    /// How far that can be trusted, in a sentence.
    pub told: String,
    /// The causes, the costliest first.
    pub causes: Vec<String>,
}

/// Everything that got in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// All of it.
    pub total: Tally,
    /// Each type that was met, now or before.
    pub types: Vec<OfType>,
    /// Each cause, the costliest first.
    pub causes: Vec<OfCause>,
    /// What cost the most; none where nothing was met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costliest: Option<Costliest>,
}

/// A time, and as long a time before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// From when on; none is ever since, and there is nothing before that.
    pub since: Option<Millis>,
    /// The time it is. What comes from a clock that is ahead counts as now.
    pub now: Millis,
}

impl Span {
    /// From when on records matter at all.
    pub fn earliest(&self) -> Option<Millis> {
        self.since.map(|since| Millis(since.0 - (self.now.0 - since.0)))
    }

    fn is_now(&self, at: Millis) -> bool {
        self.since.is_none_or(|since| at >= since)
    }

    fn is_before(&self, at: Millis) -> bool {
        !self.is_now(at) && self.earliest().is_some_and(|earliest| at >= earliest)
    }
}

/// Adds records up. Their order changes nothing.
pub fn report(records: &[Record], span: Span) -> Report {
    let seen = |record: &&Record| span.is_now(record.at) || span.is_before(record.at);
    let mut all: Vec<&Record> = records.iter().filter(seen).collect();
    all.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    let mut kinds: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in &all {
        kinds.entry(&record.kind).or_default().push(record);
    }
    let types = kinds.into_iter().map(|(kind, of)| OfType { kind: kind.to_owned(), tally: tally(&of, span) });
    let mut types: Vec<OfType> = types.collect();
    types.sort_by_key(|one| std::cmp::Reverse((one.tally.records, one.tally.before)));
    let mut causes: Vec<OfCause> = groups(&all).into_iter().map(|group| of_cause(group, span)).collect();
    let total = tally(&all, span);
    let timed = total.timed > 0;
    causes.sort_by(|a, b| {
        let cost = |one: &OfCause| {
            let minutes = if timed { one.tally.minutes } else { Thousandths(0) };
            std::cmp::Reverse((minutes, one.tally.records, one.tally.before))
        };
        (cost(a), a.by, &a.cause).cmp(&(cost(b), b.by, &b.cause))
    });
    let costliest = costliest(&total, &causes);
    Report { total, types, causes, costliest }
}

fn tally(of: &[&Record], span: Span) -> Tally {
    let now: Vec<&&Record> = of.iter().filter(|record| span.is_now(record.at)).collect();
    let before = span.since.map(|_| of.len() - now.len());
    let minutes = || now.iter().filter_map(|record| record.told.minutes);
    let cost = || now.iter().filter_map(|record| record.told.cost);
    Tally {
        records: now.len(),
        before,
        trend: before.filter(|_| !of.is_empty()).map(|before| Trend::between(now.len(), before)),
        minutes: minutes().sum(),
        timed: minutes().count(),
        cost: cost().sum(),
        priced: cost().count(),
    }
}

/// Records that have something in common.
struct Group<'a> {
    by: By,
    label: &'a str,
    records: Vec<&'a Record>,
}

fn of_cause(group: Group<'_>, span: Span) -> OfCause {
    let types: BTreeSet<&str> = group.records.iter().map(|record| record.kind.as_str()).collect();
    let latest = group.records.iter().rev().filter(|record| span.is_now(record.at));
    OfCause {
        cause: match group.by {
            By::Cause | By::Tool | By::Words => one_line(group.label, LABEL_CHARS_MAX),
            By::Nothing => "nothing was said".to_owned(),
        },
        by: group.by,
        types: types.into_iter().map(str::to_owned).collect(),
        examples: latest.take(EXAMPLES_MAX).map(|record| record.id.clone()).collect(),
        tally: tally(&group.records, span),
    }
}

/// Puts records together, in the order in which the first of each group was met.
fn groups<'a>(all: &[&'a Record]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known: HashMap<(By, String), usize> = HashMap::new();
    let mut leaders = Leaders::default();
    for record in all {
        let (by, label) = match (&record.told.cause, &record.told.tool) {
            (Some(cause), _) => (By::Cause, cause.as_str()),
            (None, Some(tool)) => (By::Tool, tool.as_str()),
            (None, None) if words(&record.words).is_empty() => (By::Nothing, ""),
            (None, None) => (By::Words, record.words.as_str()),
        };
        let at = match by {
            By::Words => leaders.nearest(words(&record.words), groups.len()),
            By::Cause | By::Tool | By::Nothing => *known.entry((by, spelling(label))).or_insert(groups.len()),
        };
        if at == groups.len() {
            groups.push(Group { by, label, records: Vec::new() });
        }
        groups[at].records.push(record);
    }
    groups
}

/// A cause in the one form in which two spellings of it are the same.
fn spelling(cause: &str) -> String {
    normalise_statement(&cause.replace(['_', '-'], " "))
}

/// The words that tell one text from another: no numbers, no small words, each once.
fn words(text: &str) -> BTreeSet<String> {
    static SMALL: WordList = WordList::new(include_str!("../words/friction/small_words.txt"));
    let lower = text.to_lowercase();
    let told = split::words_of(&lower, char::is_alphabetic).filter(|word| word.chars().count() >= 3);
    told.filter(|word| !SMALL.contains(word)).take(WORDS_MAX).map(str::to_owned).collect()
}

/// The first text of each group, by its words.
#[derive(Default)]
struct Leaders {
    /// Groups that begin with a word, and how many words each begins with.
    holding: HashMap<String, Vec<usize>>,
    sizes: HashMap<usize, usize>,
}

impl Leaders {
    /// The group whose first text has most in common with some words; `next` where none has enough, and it is their leader then.
    fn nearest(&mut self, words: BTreeSet<String>, next: usize) -> usize {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for group in words.iter().filter_map(|word| self.holding.get(word)).flatten() {
            *shared.entry(*group).or_default() += 1;
        }
        let near = shared.into_iter().map(|(group, count)| {
            let both = words.len() + self.sizes.get(&group).copied().unwrap_or(0);
            (2_000 * count / both.max(1), std::cmp::Reverse(group))
        });
        match near.max().filter(|(likeness, _)| *likeness >= SHARED_THOUSANDTHS_MIN) {
            Some((_, std::cmp::Reverse(group))) => group,
            None => {
                self.sizes.insert(next, words.len());
                for word in words {
                    self.holding.entry(word).or_default().push(next);
                }
                next
            }
        }
    }
}

fn costliest(total: &Tally, causes: &[OfCause]) -> Option<Costliest> {
    if total.records == 0 {
        return None;
    }
    let (by, told) = match (total.timed, total.records) {
        (0, 1) => ("records", "the record has no duration, so it is counted".to_owned()),
        (0, all) => ("records", format!("none of the {all} records has a duration, so they are counted")),
        (timed, all) if timed == all => ("minutes", "every record has a duration".to_owned()),
        (timed, all) => {
            let left = all - timed;
            let rest = if left == 1 { "the other one counts" } else { "the others count" };
            ("minutes", format!("{timed} of {all} records have a duration; {rest} as zero here"))
        }
    };
    let cost = |one: &&OfCause| match by {
        "minutes" => one.tally.minutes > Thousandths(0),
        _ => one.tally.records > 0,
    };
    let causes = causes.iter().filter(cost).take(COSTLIEST_MAX).map(|one| one.cause.clone()).collect();
    Some(Costliest { by, told, causes })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DAY: i64 = 86_400_000;

    fn record(id: &str, day: i64, kind: &str, context: Value) -> Record {
        let Value::Object(context) = context else { panic!("an object") };
        Record::new(id.to_owned(), kind.to_owned(), &context, Millis(day * DAY))
    }

    /// Ten days, and the ten before.
    fn ten() -> Span {
        Span { since: Some(Millis(90 * DAY)), now: Millis(100 * DAY) }
    }

    fn causes(report: &Report) -> Vec<String> {
        let line = |one: &OfCause| {
            let tally = &one.tally;
            let trend = tally.trend.map_or("-", Trend::word);
            format!(
                "{}:{} {} {}m/{} {trend}",
                one.by.word(),
                one.cause,
                tally.records,
                tally.minutes,
                tally.timed
            )
        };
        report.causes.iter().map(line).collect()
    }

    #[test]
    fn fri_1_a_cause_has_many_spellings_and_what_stands_for_it_is_said() {
        let records = [
            record("a", 91, "tool_error", json!({"cause": "Flaky network.", "minutes": 10})),
            record("b", 92, "redo", json!({"cause": "flaky_network", "minutes": "2.5"})),
            record("c", 93, "tool_error", json!({"tool": "cargo"})),
            record("d", 94, "tool_error", json!({"command": "/usr/bin/cargo test -p x"})),
            record("e", 95, "validation_fail", json!({"output": "expected 3 spaces before the brace"})),
            record("f", 96, "validation_fail", json!({"output": "expected 4 spaces before a brace"})),
            record("g", 97, "redo", json!({})),
        ];
        let found = report(&records, ten());
        assert_eq!(
            causes(&found),
            [
                "cause:Flaky network. 2 12.5m/2 new",
                "tool:cargo 2 0m/0 new",
                "words:expected 3 spaces before the brace 2 0m/0 new",
                "nothing:nothing was said 1 0m/0 new",
            ]
        );
        let costliest = found.costliest.unwrap();
        assert_eq!((costliest.by, costliest.causes), ("minutes", vec!["Flaky network.".to_owned()]));
        assert_eq!(costliest.told, "2 of 7 records have a duration; the others count as zero here");
        assert_eq!(found.causes[0].examples, ["b", "a"]);
        assert_eq!(found.causes[0].types, ["redo", "tool_error"]);
    }

    #[test]
    fn fri_1_trends_compare_with_as_long_a_time_before() {
        let table = [
            ((3, 0), Trend::New),
            ((0, 3), Trend::Falling),
            ((2, 1), Trend::Rising),
            ((5, 4), Trend::Steady),
            ((4, 5), Trend::Steady),
            ((6, 4), Trend::Rising),
            ((0, 0), Trend::Steady),
        ];
        for ((now, before), trend) in table {
            assert_eq!(Trend::between(now, before), trend, "{now} after {before}");
        }
        let met = |id: &str, day| record(id, day, "redo", json!({"cause": "merge"}));
        // Two periods ago counts for nothing; the first moment of a period belongs to it.
        let found = report(&[met("a", 79), met("b", 80), met("c", 90), met("d", 100), met("e", 101)], ten());
        assert_eq!((found.total.records, found.total.before), (3, Some(1)));
        assert_eq!(found.total.trend, Some(Trend::Rising));
        let ever = report(&[met("a", 79), met("c", 90)], Span { since: None, ..ten() });
        assert_eq!((ever.total.records, ever.total.before, ever.total.trend), (2, None, None));
        assert_eq!(report(&[], ten()).costliest, None);
    }

    #[test]
    fn fri_1_without_minutes_records_are_counted_and_that_is_said() {
        let met = |id: &str, cause: &str| record(id, 95, "redo", json!({"cause": cause, "cost": 2.25}));
        let found = report(&[met("a", "x"), met("b", "y"), met("c", "y")], ten());
        let costliest = found.costliest.unwrap();
        assert_eq!((costliest.by, costliest.causes), ("records", vec!["y".to_owned(), "x".to_owned()]));
        assert_eq!(costliest.told, "none of the 3 records has a duration, so they are counted");
        assert_eq!((found.total.cost.to_string(), found.total.priced), ("6.75".to_owned(), 3));
    }

    #[test]
    fn fri_1_the_order_of_records_changes_nothing() {
        let mut records: Vec<Record> = (0..60)
            .map(|at: i64| {
                let text = format!("{} broke {} again", ["cache", "lock", "queue"][at as usize % 3], at % 5);
                record(&format!("r{at:02}"), 80 + at % 20, "redo", json!({"what": text, "minutes": at % 4}))
            })
            .collect();
        let once = report(&records, ten());
        for turn in [1, 7, 31] {
            records.rotate_left(turn);
            records.reverse();
            assert_eq!(report(&records, ten()), once);
        }
    }

    #[test]
    fn fri_1_numbers_that_cannot_be_are_named_and_words_stay_words() {
        let table = [
            (json!({"minutes": 5}), 0),
            (json!({"minutes": -1}), 1),
            (json!({"minutes": 1e9, "cost": -0.5}), 2),
            (json!({"minutes": "NaN"}), 1),
            (json!({"minutes": "inf"}), 1),
            (json!({"minutes": "a few", "cost": "$3"}), 0),
            (json!({"minutes": [1]}), 0),
        ];
        for (context, count) in table {
            let Value::Object(map) = &context else { panic!("an object") };
            assert_eq!(faults(map).len(), count, "{context}");
        }
        assert_eq!(Thousandths::read(f64::NAN), None);
        assert_eq!(serde_json::to_string(&Thousandths(1_500)).unwrap(), "1.5");
        assert_eq!(serde_json::to_string(&Thousandths(2_000)).unwrap(), "2");
    }
}
