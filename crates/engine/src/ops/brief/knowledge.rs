//! Rules about what the store says: belief that falls, entries at odds, questions without answers, the same said twice.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use ken_core::contradiction::Advice;
use ken_core::decide::{self, Pair};
use ken_core::kinds::{DecayClass, Polarity};
use ken_core::{EntryHead, EntryKey, Status, Tag, belief};

use super::{BriefingFacts, Severity, Sign, Task, count, limits};
use crate::error::Result;
use crate::glance::Glance;
use crate::limits::opposed::SHARE_OF_SHORTER_MIN;
use crate::limits::ops_brief_knowledge::{COMPARED_MAX, LABEL_SETS_MAX, NOTED_READ_MAX};
use crate::opposed::{ADVISING, Title, denies, shared};
use crate::projection::Projection;
use crate::together::{groups, ties, used_together};

/// What an entry is about.
type Labels = BTreeSet<Tag>;
/// Sets of labels on the one side and on the other.
type Sides<'a> = (BTreeSet<&'a Labels>, BTreeSet<&'a Labels>);

pub(super) fn confidence_decline(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let since = known.today() - limits::DECLINE_DAYS;
    let mut fell = Vec::new();
    for (entry, belief) in known.entries.iter().zip(&known.beliefs) {
        let observed = entry.record.0.iter().map(|mark| mark.day).max().unwrap_or(i32::MIN);
        let moved = observed.max(belief::day(entry.updated.millis()));
        let lost = (belief.peak - belief.now.alpha) / belief.peak;
        if moved >= since && lost > limits::DECLINE_SHARE {
            fell.push(entry.head());
        }
    }
    let Some(first) = fell.first() else { return Ok(Vec::new()) };
    let text = format!(
        "Belief in {} fell by more than {:.0} % from its peak, and changed in the last {} days.",
        count(fell.len(), "entry", "entries"),
        limits::DECLINE_SHARE * 100.0,
        limits::DECLINE_DAYS
    );
    let action = format!("ken why --belief {}", first.handle);
    let goal = "Find out whether they still hold; confirm, revise or retract each".to_owned();
    Ok(vec![Sign { severity: None, text, entries: fell, action, task: Task::research(goal) }])
}

pub(super) fn contradiction(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let mut signs = Vec::new();
    let mut told: BTreeSet<(EntryKey, EntryKey)> = BTreeSet::new();
    let by_key: HashMap<EntryKey, &Glance> = known.entries.iter().map(|entry| (entry.key, *entry)).collect();
    for entry in &known.entries {
        for other in entry.contradicts.iter().filter_map(|key| by_key.get(key)) {
            if !is_resolved(entry, other) && told.insert((entry.key.min(other.key), entry.key.max(other.key)))
            {
                let text = "Two entries in use are linked as contradictory.";
                signs.push(at_odds(text.to_owned(), entry, other));
            }
        }
    }
    let sided: Vec<&Glance> =
        known.entries.iter().copied().filter(|entry| !entry.labels().is_empty()).collect();
    let with = |polarity| sided.iter().copied().filter(move |entry| entry.polarity == Some(polarity));
    let (dos, donts): (Vec<&Glance>, Vec<&Glance>) =
        (with(Polarity::Positive).collect(), with(Polarity::Negative).collect());
    opposed_in_words(known, &mut told, &mut signs);
    if dos.is_empty() || donts.is_empty() {
        noted_as_opposed(known, &mut told, &mut signs)?;
        return Ok(signs);
    }
    let titles: Vec<Title> = donts.iter().map(|entry| Title::without(&entry.title, ADVISING)).collect();
    let mut holders: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, title) in titles.iter().enumerate() {
        title.words.iter().for_each(|word| holders.entry(*word).or_default().push(at));
    }
    holders.retain(|_, at| at.len() <= limits::SHARED_WORD_MAX);
    for entry in &dos {
        let title = Title::without(&entry.title, ADVISING);
        let near: BTreeSet<usize> =
            title.words.iter().filter_map(|word| holders.get(word)).flatten().copied().collect();
        for at in near {
            let other = donts[at];
            if title.overlap(&titles[at]) >= limits::SUBJECT_OVERLAP
                && !is_resolved(entry, other)
                && shared(entry.labels(), other.labels()) > limits::CONTRADICTION_OVERLAP
                && told.insert((entry.key.min(other.key), entry.key.max(other.key)))
            {
                let are_verified = [entry, &other].iter().all(|entry| entry.status == Status::Verified);
                let text = format!(
                    "Two {}entries about {} contradict each other: one says do, the other do not.",
                    if are_verified { "verified " } else { "" },
                    common(entry.labels(), other.labels())
                );
                let severity = (!are_verified).then_some(Severity::Attention);
                signs.push(Sign { severity, ..at_odds(text, entry, other) });
            }
        }
    }
    noted_as_opposed(known, &mut told, &mut signs)?;
    // What was settled is not told as something else.
    let settled = sided.iter().filter(|entry| !entry.unlike.is_empty()).flat_map(|entry| {
        entry.unlike.iter().filter(|other| by_key.contains_key(other)).flat_map(|other| [entry.key, *other])
    });
    let in_pairs: BTreeSet<EntryKey> = told.iter().flat_map(|(a, b)| [*a, *b]).chain(settled).collect();
    let alone = |entries: &[&Glance]| -> BTreeMap<Labels, Vec<EntryHead>> {
        let mut sets: BTreeMap<Labels, Vec<EntryHead>> = BTreeMap::new();
        // Words alone tell too little of what nobody vouches for.
        let verified = entries.iter().filter(|entry| entry.status == Status::Verified);
        for entry in verified.filter(|entry| !in_pairs.contains(&entry.key)) {
            sets.entry(entry.labels().clone()).or_default().push(entry.head());
        }
        sets
    };
    signs.extend(weak(&alone(&dos), &alone(&donts)));
    Ok(signs)
}

/// COR-27: entries of which one says to do what the other says not to do, as far as their titles tell.
fn opposed_in_words(
    known: &BriefingFacts<'_>,
    told: &mut BTreeSet<(EntryKey, EntryKey)>,
    signs: &mut Vec<Sign>,
) {
    let donts: Vec<&Glance> = known.entries.iter().copied().filter(|entry| denies(&entry.title)).collect();
    if donts.is_empty() {
        return;
    }
    let titles: Vec<Title> = donts.iter().map(|entry| Title::without(&entry.title, ADVISING)).collect();
    let mut holders: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, title) in titles.iter().enumerate() {
        title.words.iter().for_each(|word| holders.entry(*word).or_default().push(at));
    }
    holders.retain(|_, at| at.len() <= limits::SHARED_WORD_MAX);
    // Most titles share no subject with another one, and are never read.
    let read: Vec<OnceCell<Advice>> = donts.iter().map(|_| OnceCell::new()).collect();
    let mut compared = 0;
    for entry in &known.entries {
        let own = OnceCell::new();
        let title = Title::without(&entry.title, ADVISING);
        let near: BTreeSet<usize> =
            title.words.iter().filter_map(|word| holders.get(word)).flatten().copied().collect();
        for at in near {
            let other = donts[at];
            let pair = (entry.key.min(other.key), entry.key.max(other.key));
            if entry.key == other.key
                || told.contains(&pair)
                || is_resolved(entry, other)
                || title.share_of_shorter(&titles[at]) < SHARE_OF_SHORTER_MIN
            {
                continue;
            }
            compared += 1;
            let ours = own.get_or_init(|| Advice::parse(&entry.title));
            if ours.opposes(read[at].get_or_init(|| Advice::parse(&other.title))) {
                told.insert(pair);
                let text = "Two entries seem to contradict each other: one says to do what the other says not to do.";
                let are_verified = [entry, &other].iter().all(|entry| entry.status == Status::Verified);
                let severity = (!are_verified).then_some(Severity::Attention);
                signs.push(Sign { severity, ..at_odds(text.to_owned(), entry, other) });
            }
        }
        if compared >= COMPARED_MAX {
            return;
        }
    }
}

/// COR-27: entries of which the writer of one was told that they may contradict each other, whatever their titles are.
fn noted_as_opposed(
    known: &BriefingFacts<'_>,
    told: &mut BTreeSet<(EntryKey, EntryKey)>,
    signs: &mut Vec<Sign>,
) -> Result<()> {
    let by_key: HashMap<EntryKey, &Glance> = known.entries.iter().map(|entry| (entry.key, *entry)).collect();
    for pair in noted(known)?.iter().filter(|pair| pair.how == Some(Pair::MayContradict)) {
        let Some((one, other)) = by_key.get(&pair.newer).zip(by_key.get(&pair.older)) else { continue };
        if told.insert((one.key.min(other.key), one.key.max(other.key))) {
            let text = "The statements of two entries seem to contradict each other.";
            signs.push(Sign { severity: Some(Severity::Attention), ..at_odds(text.to_owned(), one, other) });
        }
    }
    Ok(())
}

/// Two entries of which it was noted that they are near each other.
#[derive(Clone, Debug)]
pub(crate) struct NotedPair {
    /// The entry at which it was noted.
    pub(crate) newer: EntryKey,
    pub(crate) older: EntryKey,
    /// How they stand to each other, where they were read: in one briefing not all are.
    pub(crate) how: Option<Pair>,
}

/// The noted pairs among some entries that nobody settled, in the order of the entries. Only the first `read_max` are read.
pub(crate) fn noted_pairs(
    ledger: &dyn Projection,
    entries: &[&Glance],
    read_max: usize,
) -> Result<Vec<NotedPair>> {
    let by_key: HashMap<EntryKey, &Glance> = entries.iter().map(|entry| (entry.key, *entry)).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for newer in entries {
        let mut read = None;
        for older in newer.similar_to.iter().filter_map(|key| by_key.get(key)) {
            let pair = (newer.key.min(older.key), newer.key.max(older.key));
            if is_resolved(newer, older) || !seen.insert(pair) {
                continue;
            }
            if seen.len() > read_max {
                found.push(NotedPair { newer: newer.key, older: older.key, how: None });
                continue;
            }
            if read.is_none() {
                read = ledger.entry(newer.key)?;
            }
            let (Some(ours), Some(theirs)) = (&read, ledger.entry(older.key)?) else { continue };
            let how = decide::noted(ours, &theirs);
            found.extend(how.map(|how| NotedPair { newer: newer.key, older: older.key, how: Some(how) }));
        }
    }
    Ok(found)
}

/// The noted pairs of the entries in use, found once for all rules.
pub(super) fn noted<'k>(known: &'k BriefingFacts<'_>) -> Result<&'k [NotedPair]> {
    if let Some(noted) = known.noted.get() {
        return Ok(noted);
    }
    let found = noted_pairs(known.ledger, &known.entries, NOTED_READ_MAX)?;
    Ok(known.noted.get_or_init(|| found))
}

/// UPK-3: whether somebody said that both hold.
fn is_resolved(one: &Glance, other: &Glance) -> bool {
    one.unlike.contains(&other.key) || other.unlike.contains(&one.key)
}

fn at_odds(text: String, one: &Glance, other: &Glance) -> Sign {
    let goal = format!(
        "Find out which of {} and {} is right, then supersede or retract the other; or say in the queue that both hold",
        one.handle, other.handle
    );
    Sign {
        severity: None,
        text,
        entries: vec![one.head(), other.head()],
        action: "ken queue".to_owned(),
        task: Task::research(goal),
    }
}

/// UPK-3: opposite sides of one domain that are, as far as words tell, about different things. A line for each domain.
fn weak(dos: &BTreeMap<Labels, Vec<EntryHead>>, donts: &BTreeMap<Labels, Vec<EntryHead>>) -> Vec<Sign> {
    let mut sides: BTreeMap<String, Sides<'_>> = BTreeMap::new();
    for one in dos.keys().take(LABEL_SETS_MAX) {
        for other in donts.keys().take(LABEL_SETS_MAX) {
            if shared(one, other) > limits::CONTRADICTION_OVERLAP {
                let (left, right) = sides.entry(common(one, other)).or_default();
                left.insert(one);
                right.insert(other);
            }
        }
    }
    let told = sides.into_iter().map(|(label, (left, right))| {
        let of = |sets: BTreeSet<&Labels>, all: &BTreeMap<Labels, Vec<EntryHead>>| -> Vec<EntryHead> {
            sets.into_iter().flat_map(|set| all[set].iter().cloned()).collect()
        };
        let (for_it, against) = (of(left, dos), of(right, donts));
        let text = format!(
            "About {label}, {} do and {} do not; their wording is too different to tell whether they contradict each other.",
            count(for_it.len(), "verified entry says", "verified entries say"),
            count(against.len(), "says", "say"),
        );
        Sign {
            severity: Some(Severity::Info),
            text,
            entries: for_it.into_iter().chain(against).collect(),
            action: format!("ken search {label}"),
            task: Task::research(format!("Find out which entries about {label} contradict each other, and link them")),
        }
    });
    told.collect()
}

pub(super) fn coverage_gap(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let mut signs = Vec::new();
    let misses = |at: &&usize| known.entries[**at].missed >= limits::GAP_ERRORS_MIN;
    for (label, group) in known.by_label() {
        let weak: Vec<EntryHead> = group.iter().filter(misses).map(|at| known.entries[*at].head()).collect();
        if weak.is_empty() {
            continue;
        }
        let severity =
            if weak.len() >= limits::GAP_ENTRIES_MIN { Severity::Attention } else { Severity::Info };
        let text = format!(
            "Queries about {label} are answered poorly: {} at least {} times the best result, but not relevant.",
            count(weak.len(), "entry was", "entries were"),
            limits::GAP_ERRORS_MIN
        );
        let goal = format!("Find out what is asked about {label}, and add entries that answer it");
        signs.push(Sign {
            severity: Some(severity),
            text,
            action: format!("ken log {}", weak[0].handle),
            entries: weak,
            task: Task::research(goal),
        });
    }
    Ok(signs)
}

pub(super) fn stale_cluster(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let fails = |entry: &Glance| entry.missed > limits::CLUSTER_ERRORS;
    if known.entries.iter().filter(|entry| fails(entry)).count() < 2 {
        return Ok(Vec::new());
    }
    let by_key: HashMap<EntryKey, &Glance> = known.entries.iter().map(|entry| (entry.key, *entry)).collect();
    let used = used_together(known.ledger, |key| by_key.contains_key(key))?;
    let mut ties = ties(known.ledger, &used, known.now)?;
    ties.retain(|_, weight| *weight > limits::CLUSTER_WEIGHT);
    let mut signs = Vec::new();
    for cluster in groups(ties.keys()) {
        if !cluster.iter().all(|key| fails(by_key[key])) {
            continue;
        }
        let entries: Vec<EntryHead> = cluster.iter().map(|key| by_key[key].head()).collect();
        let names: Vec<&str> = entries.iter().map(|entry| entry.handle.as_str()).collect();
        let goal = format!("Check whether {} still answer the questions, and revise them", names.join(", "));
        signs.push(Sign {
            severity: None,
            text: format!(
                "{} that are used together answer queries poorly: each was the best result but not relevant more than {} times.",
                count(entries.len(), "entry", "entries"),
                limits::CLUSTER_ERRORS
            ),
            action: format!("ken why {}", names[0]),
            task: Task::research(goal),
            entries,
        });
    }
    Ok(signs)
}

pub(super) fn merge_opportunity(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let entries: Vec<&Glance> =
        known.entries.iter().copied().filter(|entry| !entry.labels().is_empty()).collect();
    let titles: Vec<Title> = entries.iter().map(|entry| Title::parse(&entry.title)).collect();
    let mut often: HashMap<u32, usize> = HashMap::new();
    titles.iter().flat_map(|title| &title.words).for_each(|word| *often.entry(*word).or_default() += 1);
    let mut holders: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut signs = Vec::new();
    for at in 0..entries.len() {
        // Two titles with more than half of their words in common share one of the rarest half of either.
        let mut counted: Vec<(usize, u32)> =
            titles[at].words.iter().map(|word| (often[word], *word)).collect();
        counted.sort_unstable();
        counted.truncate(counted.len() / 2 + 1);
        counted.retain(|(count, _)| *count <= limits::SHARED_WORD_MAX);
        let words: Vec<u32> = counted.into_iter().map(|(_, word)| word).collect();
        let near: BTreeSet<usize> =
            words.iter().filter_map(|word| holders.get(word)).flatten().copied().collect();
        for other in near {
            // Titles are numbers by now, and labels are texts.
            if titles[at].overlap(&titles[other]) > limits::MERGE_OVERLAP
                && may_merge(entries[at], entries[other])
            {
                let (one, two) = (entries[other], entries[at]);
                let text = format!(
                    "Two entries about {} may be duplicates: their titles share most of their words.",
                    common(one.labels(), two.labels())
                );
                signs.push(Sign {
                    severity: None,
                    text,
                    entries: vec![one.head(), two.head()],
                    action: format!("ken merge {} {}", one.handle, two.handle),
                    task: Task::research(format!(
                        "Read {} and {}; merge them if they say the same",
                        one.handle, two.handle
                    )),
                });
            }
        }
        for word in words {
            holders.entry(word).or_default().push(at);
        }
        if signs.len() >= super::SIGNS_MAX {
            break;
        }
    }
    Ok(signs)
}

/// Whether two entries could be one. What a machine has proposed already waits for a person, and is not said twice.
fn may_merge(one: &Glance, other: &Glance) -> bool {
    let apart = one.polarity != other.polarity
        || one.similar_to.contains(&other.key)
        || other.similar_to.contains(&one.key)
        || one.contradicts.contains(&other.key)
        || other.contradicts.contains(&one.key);
    !apart && shared(one.labels(), other.labels()) > limits::MERGE_OVERLAP
}

/// Entries of a domain that fade too slowly for how often they are wrong, or too fast for how well they do.
pub(super) fn evaporation(known: &BriefingFacts<'_>) -> Result<Vec<Sign>> {
    let mut put_away: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &known.all {
        let gone = match entry.status {
            Status::Stale | Status::Archived | Status::Retracted => true,
            Status::Candidate | Status::Active | Status::Verified | Status::Rejected | Status::Superseded => {
                false
            }
        };
        for label in entry.labels().iter().filter(|_| gone) {
            *put_away.entry(label.as_str()).or_default() += 1;
        }
    }
    let mut signs = Vec::new();
    for (label, group) in known.by_label() {
        if group.len() < limits::FADING_ENTRIES_MIN {
            continue;
        }
        let number = group.len() as f64;
        let gone = put_away.get(label).copied().unwrap_or(0) as f64;
        let gone = gone / (gone + number);
        let errors = group.iter().map(|at| f64::from(known.entries[*at].missed)).sum::<f64>() / number;
        let mean = group.iter().map(|at| known.beliefs[*at].now.mean()).sum::<f64>() / number;
        let enough = group.len() >= limits::FADING_BELIEVED_MIN;
        let wrong = errors >= limits::FADING_ERRORS
            || gone >= limits::FADING_PUT_AWAY
            || mean < limits::FADING_DOUBTED && enough;
        let right = errors < limits::LASTING_ERRORS
            && gone < limits::LASTING_PUT_AWAY
            && mean >= limits::LASTING_BELIEVED
            && enough;
        let class = dominant(known, &group);
        let (better, why) = match class {
            DecayClass::Permanent if wrong => (DecayClass::Stable, "wrong or archived too often"),
            DecayClass::Stable if wrong => (DecayClass::Ephemeral, "wrong or archived too often"),
            DecayClass::Ephemeral if right => (DecayClass::Stable, "useful for as long as they exist"),
            DecayClass::Permanent | DecayClass::Stable | DecayClass::Ephemeral => continue,
        };
        let of_class = group.iter().filter(|at| known.entries[**at].decay_class == class);
        let entries: Vec<EntryHead> = of_class.map(|at| known.entries[*at].head()).collect();
        signs.push(Sign {
            severity: None,
            text: format!(
                "Entries about {label} are mostly {} and are {why}: {} may suit them better.",
                class.word(),
                better.word()
            ),
            action: format!("ken edit {} --decay-class {}", entries[0].handle, better.word()),
            entries,
            task: Task::research(format!(
                "Read the {} entries about {label}; make those {} that suit it",
                class.word(),
                better.word()
            )),
        });
    }
    Ok(signs)
}

/// The class that most entries of a group have; of two, the one that fades faster.
fn dominant(known: &BriefingFacts<'_>, group: &[usize]) -> DecayClass {
    let of = |class| group.iter().filter(|at| known.entries[**at].decay_class == class).count();
    let classes = [DecayClass::Permanent, DecayClass::Stable, DecayClass::Ephemeral];
    classes.into_iter().max_by_key(|class| of(*class)).unwrap_or(DecayClass::Stable)
}

/// The first label of both.
fn common(one: &Labels, other: &Labels) -> String {
    one.intersection(other).next().map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Title;

    #[test]
    fn upk_5_titles_are_alike_by_the_words_that_tell_them_apart() {
        let table = [
            ("Retry with jitter", "Retry with jitter", 1.0),
            ("Retry network calls with jitter", "Retry calls with jitter", 0.75),
            ("Retry 3 times", "Retry 5 times", 0.0),
            ("", "", 0.0),
        ];
        for (one, other, right) in table {
            let found = Title::parse(one).overlap(&Title::parse(other));
            assert!((found - right).abs() < 1e-9, "{one:?} {other:?}: {found}");
        }
    }
}
