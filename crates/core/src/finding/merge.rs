//! Makes one finding of what several agents found, counts who agreed, and says what may become an entry (REV-6, REV-7).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ken_language::{WordList, split};

use super::Finding;
use super::matching::{Side, near};
use crate::anchor::Spot;
use crate::kinds::Type;
use crate::limits::VERIFICATION_STEPS_MAX;
pub use crate::limits::finding_merge::TIES_MAX;
use crate::limits::finding_merge::{
    COMMON_WORD_GROUPS_MIN, COMPARED_MAX, FURTHER_FAMILY_WEIGHT, INCIDENT_SEVERITY_MIN, NEIGHBOUR_GROUPS_MAX,
    PATTERN_CONFIDENCE_MIN, PATTERN_SEVERITY_MIN,
};
use crate::words::normalise_statement;

/// A finding and who found it.
#[derive(Clone, Copy, Debug)]
pub struct ReportedFinding<'a> {
    pub agent: &'a str,
    /// The family of its model, where that is known.
    pub family: Option<&'a str>,
    /// What it found.
    pub finding: &'a Finding,
}

/// What is one finding, whoever found it.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The words of the most severe one, with every place and the longest verification.
    pub finding: Finding,
    /// Who found it.
    pub agents: Vec<String>,
    /// The families of their models, as far as they are known.
    pub families: Vec<String>,
    /// What it was made of, as places in the list that was given.
    pub members: Vec<usize>,
    /// Who says that it is none, where others found it.
    pub dismissed_by: Vec<String>,
    /// How bad each agent finds it, where they do not agree.
    pub severity_conflict: BTreeMap<String, f64>,
    /// Groups at the same place about something else; the first [`TIES_MAX`].
    pub co_located: Vec<usize>,
    /// Groups about the same elsewhere; the first [`TIES_MAX`].
    pub cross_references: Vec<usize>,
}

/// REV-6: merges findings. The groups and their order are the same, in whatever order the findings come.
pub fn merge(found: &[ReportedFinding<'_>]) -> Vec<Group> {
    let mut parsed: Vec<Parsed<'_>> =
        found.iter().enumerate().map(|(at, found)| Parsed::new(at, found)).collect();
    parsed.sort_by(|one, other| one.order.cmp(&other.order));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // What is said in the same words of the same place is one, however many say something like it.
    let mut worded: HashMap<_, usize> = HashMap::new();
    let mut shelf = GroupLookup::default();
    // Reports first: who dismisses something speaks of what others found, and never stands for it (COR-3).
    let (dismissals, reports): (Vec<usize>, Vec<usize>) =
        (0..parsed.len()).partition(|at| parsed[*at].found.finding.dismissed);
    for at in reports.into_iter().chain(dismissals) {
        let item = &parsed[at];
        let words =
            normalise_statement(&format!("{} {}", item.found.finding.title, item.found.finding.statement()));
        let words = (&item.home, item.lines, &item.symbol, words);
        let same = worded.get(&words).copied().or_else(|| {
            let is_there = |group: usize| parsed[groups[group][0]].is_at(item);
            // Who says two things in two ways means two things (COR-3).
            let is_others = |group: usize| {
                groups[group].iter().all(|member| parsed[*member].found.agent != item.found.agent)
            };
            let there = shelf.alike(item, Some(&item.home), &|group| is_there(group) && is_others(group));
            there.into_iter().find(|group| parsed[groups[*group][0]].side.is_one_issue(&item.side))
        });
        worded.entry(words).or_insert(same.unwrap_or(groups.len()));
        match same {
            Some(group) => groups[group].push(at),
            None => {
                shelf.put(groups.len(), item);
                groups.push(vec![at]);
            }
        }
    }
    // In the order of their places again, in which neighbours are looked for.
    groups.sort_by(|one, other| parsed[one[0]].order.cmp(&parsed[other[0]].order));
    let mut shelf = GroupLookup::default();
    for (number, group) in groups.iter().enumerate() {
        shelf.put(number, &parsed[group[0]]);
    }
    let first = |group: usize| &parsed[groups[group][0]];
    (0..groups.len())
        .map(|number| {
            let own = first(number);
            let others = shelf.alike(own, None, &|_| true).into_iter().filter(|other| *other != number);
            let elsewhere = others
                .filter(|other| !own.is_at(first(*other)) && own.side.is_one_issue(&first(*other).side));
            let mut cross_references: Vec<usize> = elsewhere.take(TIES_MAX).collect();
            cross_references.sort_unstable();
            let beside = shelf.beside(number, &own.home).filter(|other| own.is_at(first(*other)));
            let co_located = beside.take(TIES_MAX).collect();
            let members = groups[number].iter().map(|at| &parsed[*at]).collect::<Vec<_>>();
            Group { co_located, cross_references, ..together(&members) }
        })
        .collect()
}

/// Where a finding belongs: only there it can be the same as another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Home {
    Path(String),
    Section(String),
    Nowhere,
}

struct Parsed<'a> {
    at: usize,
    found: &'a ReportedFinding<'a>,
    home: Home,
    lines: Option<(u32, u32)>,
    symbol: Option<String>,
    side: Side,
    /// By what it is put in order: nothing that depends on the order in which reports came.
    order: (Home, Option<(u32, u32)>, String, String, String),
}

impl<'a> Parsed<'a> {
    fn new(at: usize, found: &'a ReportedFinding<'a>) -> Parsed<'a> {
        let finding = found.finding;
        let spot = finding.place().map(Spot::parse).unwrap_or_default();
        let section = finding.section.as_deref().map(normalise_statement);
        let home = match (&spot.path, &spot.symbol, section) {
            (Some(path), _, _) => Home::Path(path.clone()),
            (None, Some(symbol), _) => Home::Path(format!("#{symbol}")),
            (None, None, Some(section)) => Home::Section(section),
            (None, None, None) => Home::Nowhere,
        };
        let whole = serde_json::to_string(finding).expect("a finding is JSON");
        let order = (home.clone(), spot.lines, finding.title.to_lowercase(), found.agent.to_owned(), whole);
        let side = Side::new(&finding.title, finding.statement(), false);
        Parsed { at, found, home, lines: spot.lines, symbol: spot.symbol, side, order }
    }

    /// Whether two are at one place. Who names a file and no line speaks of all of it.
    fn is_at(&self, other: &Parsed<'_>) -> bool {
        self.home == other.home
            && match (self.lines, other.lines) {
                (Some(one), Some(two)) => near(one, two),
                (None, _) | (_, None) => match (&self.symbol, &other.symbol) {
                    (Some(one), Some(two)) => one == two,
                    (None, _) | (_, None) => true,
                },
            }
    }
}

/// Groups by what they are looked up by.
#[derive(Default)]
struct GroupLookup {
    words: HashMap<String, Vec<usize>>,
    homes: HashMap<Home, Vec<usize>>,
    home_of: Vec<usize>,
    numbers: HashMap<Home, usize>,
}

impl GroupLookup {
    fn put(&mut self, group: usize, item: &Parsed<'_>) {
        for word in item.side.keywords() {
            self.words.entry(word.to_owned()).or_default().push(group);
        }
        self.homes.entry(item.home.clone()).or_default().push(group);
        let next = self.numbers.len();
        self.home_of.push(*self.numbers.entry(item.home.clone()).or_insert(next));
    }

    /// Groups that may be at the place of another. They lie in the order of their lines, so neighbours are enough; who names no line comes
    /// first.
    fn beside(&self, group: usize, home: &Home) -> impl Iterator<Item = usize> {
        let list: &[usize] = match home {
            Home::Path(_) | Home::Section(_) => &self.homes[home],
            Home::Nowhere => &[],
        };
        let at = list.partition_point(|other| *other < group);
        let from = at.saturating_sub(NEIGHBOUR_GROUPS_MAX).max(TIES_MAX).min(list.len());
        let to = (at + NEIGHBOUR_GROUPS_MAX).min(list.len()).max(from);
        let first = &list[..TIES_MAX.min(list.len())];
        first.iter().chain(&list[from..to]).copied().filter(move |other| *other != group)
    }

    /// Groups that fit and share words with an item, those with most first; of one home, or of all.
    fn alike(&self, item: &Parsed<'_>, home: Option<&Home>, fits: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let home = match home {
            Some(home) => match self.numbers.get(home) {
                Some(number) => Some(*number),
                None => return Vec::new(),
            },
            None => None,
        };
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for groups in item.side.keywords().filter_map(|word| self.words.get(word)) {
            // The latest of a common word are enough: what is nearly a copy shares its rare words, too.
            for group in groups.iter().rev().take(COMMON_WORD_GROUPS_MIN) {
                if home.is_none_or(|home| self.home_of[*group] == home) {
                    *shared.entry(*group).or_default() += 1;
                }
            }
        }
        let mut best: Vec<(usize, usize)> = shared.into_iter().filter(|(group, _)| fits(*group)).collect();
        best.sort_by_key(|(group, shared)| (std::cmp::Reverse(*shared), *group));
        best.truncate(COMPARED_MAX);
        best.into_iter().map(|(group, _)| group).collect()
    }
}

/// One finding of several. Where somebody reports it, dismissals of it add neither words nor places nor voices (COR-3).
fn together(all: &[&Parsed<'_>]) -> Group {
    let reports = || all.iter().copied().filter(|member| !member.found.finding.dismissed);
    let members: Vec<&Parsed<'_>> =
        if reports().next().is_some() { reports().collect() } else { all.to_vec() };
    let findings = || members.iter().map(|member| member.found.finding);
    let worst = members
        .iter()
        .rev()
        .max_by(|one, other| {
            let (one, other) = (one.found.finding, other.found.finding);
            let length = |finding: &Finding| finding.statement().len();
            one.severity.total_cmp(&other.severity).then(length(one).cmp(&length(other)))
        })
        .expect("a group has a member");
    let mut finding = worst.found.finding.clone();
    let written = |steps: &Vec<String>| steps.iter().map(String::len).sum::<usize>();
    finding.verification = findings()
        .map(|one| &one.verification)
        .rev()
        .max_by_key(|steps| written(steps))
        .cloned()
        .unwrap_or_default();
    finding.verification.truncate(VERIFICATION_STEPS_MAX);
    for place in findings().flat_map(|one| &one.places) {
        if !finding.places.contains(place) {
            finding.places.push(place.clone());
        }
    }
    let most = |one: Option<f64>, other: Option<f64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    };
    finding.confidence = findings().map(|one| one.confidence).fold(None, most);
    // It is primed only if all say so; one who says that it is a single case is enough.
    finding.primed = findings().all(|one| one.primed);
    finding.durable = match findings().any(|one| one.durable == Some(false)) {
        true => Some(false),
        false => findings().find_map(|one| one.durable),
    };
    let mut severities: BTreeMap<String, f64> = BTreeMap::new();
    for member in &members {
        let told = severities.entry(member.found.agent.to_owned()).or_insert(0.0);
        *told = told.max(member.found.finding.severity);
    }
    let agents: Vec<String> = severities.keys().cloned().collect();
    let agree = severities.values().all(|told| *told == finding.severity);
    let families: BTreeSet<&str> = members.iter().filter_map(|member| member.found.family).collect();
    let mut numbers: Vec<usize> = all.iter().map(|member| member.at).collect();
    numbers.sort_unstable();
    let dismissed = all.iter().filter(|member| !finding.dismissed && member.found.finding.dismissed);
    let dismissed_by: BTreeSet<String> = dismissed.map(|member| member.found.agent.to_owned()).collect();
    Group {
        finding,
        agents,
        families: families.into_iter().map(str::to_owned).collect(),
        members: numbers,
        dismissed_by: dismissed_by.into_iter().collect(),
        severity_conflict: if agree { BTreeMap::new() } else { severities },
        co_located: Vec::new(),
        cross_references: Vec::new(),
    }
}

/// REV-7: how much agreement counts: the agents of the largest family, and 1.5 for each further family. Agents whose family nobody
/// knows are one family.
pub fn convergence(independent: &[(&str, Option<&str>)]) -> f64 {
    let agents: BTreeMap<&str, Option<&str>> = independent.iter().copied().collect();
    let mut families: BTreeMap<Option<&str>, u32> = BTreeMap::new();
    for family in agents.values() {
        *families.entry(*family).or_default() += 1;
    }
    let largest = families.values().copied().max().unwrap_or_default();
    let further = families.len().saturating_sub(1) as f64;
    f64::from(largest) + FURTHER_FAMILY_WEIGHT * further
}

/// REV-7: whether a finding is more than a single case; the reason where it is not.
pub fn is_durable(finding: &Finding) -> Result<(), String> {
    match finding.durable {
        Some(true) => return Ok(()),
        Some(false) => return Err("the reporting agent says that it is a single case".to_owned()),
        None => {}
    }
    if let Some(category) = &finding.category {
        let words = category.to_lowercase();
        let word = split::words(&words, &[]).find(|word| PASSING.contains(word));
        if let Some(word) = word {
            return Err(format!("its category is `{word}`, which is not lasting knowledge"));
        }
    }
    let text = format!("{} {}", finding.title, finding.statement()).to_lowercase();
    match ONE_OFF.iter().find(|words| text.contains(*words)) {
        Some(words) => Err(format!("it is about a single case: it says `{words}`")),
        None => Ok(()),
    }
}

/// Categories of what does not last.
static PASSING: WordList = WordList::new(include_str!("../../words/finding/passing.txt"));

/// Words about one change alone.
const ONE_OFF: &[&str] = &[
    "in this pr",
    "this pr ",
    "in this pull request",
    "this pull request",
    "this commit",
    "in this diff",
    "this diff ",
    "in this patch",
    "this changeset",
    "todo left",
    "leftover todo",
    "left-over todo",
    "merge conflict",
    "commit message",
    "typo in",
    "forgot to commit",
];

/// REV-7: what a finding becomes by the reviewers' rules; the first that fits counts.
pub fn kind_of(finding: &Finding) -> Option<Type> {
    if finding.dismissed {
        Some(Type::FalsePositive)
    } else if finding.severity >= INCIDENT_SEVERITY_MIN {
        Some(Type::Incident)
    } else if finding.severity >= PATTERN_SEVERITY_MIN
        && finding.confidence.is_some_and(|sure| sure >= PATTERN_CONFIDENCE_MIN)
    {
        Some(Type::Pattern)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
