//! UPK-1: entries that say the same. Two that are all but equal become one; two that may be one wait for a judge, once.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use ken_core::decide;
use ken_core::limits::brief as limits;
use ken_core::{Entry, EntryKey};

use super::{Deed, Facts, Found, Step};
use crate::error::Result;
use crate::glance::Glance;
use crate::judge::Relation;
use crate::limits::ops_maintain::{ASK_MIN, COMPARED_MAX, MERGE_MIN};
use crate::opposed::Title;

/// When the judge is asked about a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    First,
    /// After all others: there was no usable answer when it was last asked.
    Last,
}

/// Pairs of entries, the smaller key first, with how near they are in thousandths where that was noted.
type Pairs = BTreeMap<(EntryKey, EntryKey), Option<u32>>;

pub(super) fn look(facts: &mut Facts<'_>) -> Result<Found> {
    let mut pairs = noted(facts)?;
    for pair in worded_alike(facts) {
        pairs.entry(pair).or_insert(None);
    }
    let unknown: Vec<(EntryKey, EntryKey)> =
        pairs.iter().filter(|(_, near)| near.is_none()).map(|(pair, _)| *pair).collect();
    let cosines = (facts.alike)(&unknown)?;
    for (pair, cosine) in unknown.into_iter().zip(cosines) {
        pairs.insert(pair, cosine.map(thousandths));
    }
    let mut near: Vec<(u32, (EntryKey, EntryKey))> = pairs
        .into_iter()
        .filter_map(|(pair, near)| near.filter(|near| *near >= ASK_MIN).map(|near| (near, pair)))
        .collect();
    // The nearest first; of equals the smaller keys, so that every clone goes the same way.
    near.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut found = Found::default();
    let mut gone: BTreeSet<EntryKey> = BTreeSet::new();
    let mut open: VecDeque<(u32, (EntryKey, EntryKey), Turn)> =
        near.into_iter().map(|(similarity, pair)| (similarity, pair, Turn::First)).collect();
    while let Some((similarity, (one, other), turn)) = open.pop_front() {
        if gone.contains(&one) || gone.contains(&other) {
            continue;
        }
        let (Some(one), Some(other)) = (facts.ledger.entry(one)?, facts.ledger.entry(other)?) else {
            continue;
        };
        if !decide::may_be_one(&one, &other) {
            continue;
        }
        let Ok(choice) = decide::choose(&one, &other) else { continue };
        let (kept, absorbed) = (choice.kept, choice.absorbed);
        let Some(entries) = [kept, absorbed]
            .iter()
            .map(|entry| facts.glance(entry.key).map(Glance::head))
            .collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let told = f64::from(similarity) / 1000.0;
        let (stays, goes) = (&entries[0].handle, &entries[1].handle);
        let pinned = facts.glance(absorbed.key).is_some_and(|glance| glance.pinned);
        if similarity >= MERGE_MIN && !pinned && !facts.is_for_a_person(absorbed.status) {
            gone.insert(absorbed.key);
            let text = format!("{goes} says the same as {stays} ({told:.2}), which stands for both");
            let undo = format!("ken unmerge {goes}");
            let step = Step::Merge { kept: kept.key, absorbed: absorbed.key, similarity, said: None };
            found.steps.push((step, Deed::new(text, entries, undo)));
            continue;
        }
        let (newer, older) = by_age(&one, &other);
        let (first, second) = (newer.fields.statement(), older.fields.statement());
        // A pair that the judge refused, or answered with garbage, must not keep the others from being asked.
        if turn == Turn::First && facts.judge.left_unanswered(&first, &second) {
            open.push_back((similarity, (one.key, other.key), Turn::Last));
            continue;
        }
        let ruling = facts.judge.relate(&first, &second)?;
        let said =
            ruling.as_ref().map(|ruling| format!("judged {}: {}", ruling.answer.word(), ruling.reason));
        match (ruling.map(|ruling| ruling.answer), &said) {
            (Some(Relation::Same), Some(said)) if !pinned && !facts.is_for_a_person(absorbed.status) => {
                gone.insert(absorbed.key);
                let text = format!("{goes} says the same as {stays}, which stands for both ({said})");
                let undo = format!("ken unmerge {goes}");
                let said = Some(said.clone());
                let step = Step::Merge { kept: kept.key, absorbed: absorbed.key, similarity, said };
                found.steps.push((step, Deed::new(text, entries, undo)));
                continue;
            }
            (Some(Relation::Unrelated), Some(said)) => {
                let text = format!("{goes} and {stays} say different things ({said})");
                let show = format!("ken show {goes} {stays}");
                let (newer, older) = (newer.key, older.key);
                let step = Step::Dismiss { newer, older, said: said.clone() };
                found.steps.push((step, Deed::new(text, entries, show)));
                continue;
            }
            // How one stands to the other is for a person, or an agent, to act on.
            _ => {}
        }
        let mut text = format!("{goes} may say the same as {stays} ({told:.2})");
        if let Some(said) = said {
            text += &format!("; {said}");
        }
        let deed = Deed::new(text, entries, "ken queue".to_owned());
        if newer.similar_to.contains_key(&older.key) || older.similar_to.contains_key(&newer.key) {
            found.left.push(deed);
        } else {
            found.steps.push((Step::Propose { newer: newer.key, older: older.key, similarity }, deed));
        }
    }
    Ok(found)
}

fn by_age<'a>(one: &'a Entry, other: &'a Entry) -> (&'a Entry, &'a Entry) {
    let age = |entry: &Entry| (entry.created, entry.key);
    if age(one) > age(other) { (one, other) } else { (other, one) }
}

fn thousandths(cosine: f64) -> u32 {
    (cosine.clamp(0.0, 1.0) * 1000.0).round() as u32
}

fn in_order(one: EntryKey, other: EntryKey) -> (EntryKey, EntryKey) {
    (one.min(other), one.max(other))
}

/// Pairs that were noted when the newer one came in.
fn noted(facts: &Facts<'_>) -> Result<Pairs> {
    let live: BTreeSet<EntryKey> =
        facts.tended().filter(|glance| glance.status.is_retrieved()).map(|glance| glance.key).collect();
    let mut pairs = Pairs::new();
    for glance in facts.tended().filter(|glance| live.contains(&glance.key)) {
        if !glance.similar_to.iter().any(|other| live.contains(other)) {
            continue;
        }
        let Some(entry) = facts.ledger.entry(glance.key)? else { continue };
        for (other, similarity) in entry.similar_to.iter().filter(|(other, _)| live.contains(other)) {
            pairs.insert(in_order(glance.key, *other), Some(*similarity));
        }
    }
    Ok(pairs)
}

/// Pairs of one type whose titles share more than half of their words: clones add entries that nobody compared. Never all pairs: two such
/// titles share one of the rarest half of the words of either.
fn worded_alike(facts: &Facts<'_>) -> Vec<(EntryKey, EntryKey)> {
    let entries: Vec<&Glance> = facts.tended().filter(|glance| glance.status.is_retrieved()).collect();
    let titles: Vec<Title> = entries.iter().map(|entry| Title::parse(&entry.title)).collect();
    let mut often: HashMap<u32, u32> = HashMap::new();
    titles.iter().flat_map(|title| &title.words).for_each(|word| *often.entry(*word).or_default() += 1);
    let mut holders: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut found = Vec::new();
    for at in 0..entries.len() {
        let mut words = titles[at].words.clone();
        words.sort_unstable_by_key(|word| (often[word], *word));
        words.truncate(words.len() / 2 + 1);
        words.retain(|word| often[word] as usize <= limits::SHARED_WORD_MAX);
        let mut near: Vec<u32> =
            words.iter().filter_map(|word| holders.get(word)).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        for other in near.into_iter().map(|other| other as usize) {
            let (one, two) = (entries[at], entries[other]);
            if one.kind == two.kind
                && one.thread == two.thread
                && titles[at].overlap(&titles[other]) > limits::MERGE_OVERLAP
            {
                found.push(in_order(one.key, two.key));
            }
        }
        for word in words {
            holders.entry(word).or_default().push(at as u32);
        }
        if found.len() >= COMPARED_MAX {
            break;
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
