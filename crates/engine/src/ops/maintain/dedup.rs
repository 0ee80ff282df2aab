//! UPK-1: entries that say the same. Two that are all but equal become one; two that may be one, or of which one may say the opposite of the other,
//! wait for a judge, once (COR-27).

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use ken_core::decide::{self, Bounds, Pair};
use ken_core::limits::brief as limits;
use ken_core::{Entry, EntryHead, EntryKey};

use super::{Deed, Facts, Found, Step};
use crate::error::Result;
use crate::glance::Glance;
use crate::judge::Relation;
use crate::limits::ops_maintain::{ASK_MIN, COMPARED_MAX, MERGE_MIN, SAME_MIN};
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
    let bounds = Bounds { ask_min: share(ASK_MIN), same_min: share(SAME_MIN) };
    let mut pairs = noted(facts)?;
    let open: BTreeSet<(EntryKey, EntryKey)> = pairs.keys().copied().collect();
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
        .filter_map(|(pair, near)| near.map(|near| (near, pair)))
        .filter(|(near, pair)| *near >= ASK_MIN || open.contains(pair))
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
        let is_noted = one.similar_to.contains_key(&other.key) || other.similar_to.contains_key(&one.key);
        let (newer, older) = by_age(&one, &other);
        let told = share(similarity);
        let pair = match is_noted {
            true => decide::noted(newer, older),
            false => decide::compare(newer, older, told, bounds),
        };
        let Some(pair) = pair.filter(Pair::is_open) else { continue };
        // Only what no rule keeps apart becomes one without a person.
        let choice = match pair {
            Pair::MaySaySame(None) => Some(decide::choose(&one, &other)),
            Pair::MayContradict | Pair::MaySaySame(Some(_)) | Pair::Vetoed(_) | Pair::Differ(_) => None,
        };
        let (kept, absorbed) = match &choice {
            Some(Ok(choice)) => (choice.kept, choice.absorbed),
            Some(Err(_)) | None => (older, newer),
        };
        let may_merge = matches!(choice, Some(Ok(_)))
            && !facts.glance(absorbed.key).is_some_and(|glance| glance.pinned)
            && !facts.is_for_a_person(absorbed.status);
        let heads = [kept, absorbed].map(|entry| facts.glance(entry.key).map(Glance::head));
        let Some(entries) = heads.into_iter().collect::<Option<Vec<EntryHead>>>() else { continue };
        let (stays, goes) = (&entries[0].handle, &entries[1].handle);
        if similarity >= MERGE_MIN && may_merge {
            gone.insert(absorbed.key);
            let text = format!("{goes} says the same as {stays} ({told:.2}), which stands for both");
            let undo = format!("ken merge --undo {goes}");
            let step = Step::Merge { kept: kept.key, absorbed: absorbed.key, similarity, said: None };
            found.steps.push((step, Deed::new(text, entries, undo)));
            continue;
        }
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
            (Some(Relation::Same), Some(said)) if may_merge => {
                gone.insert(absorbed.key);
                let text = format!("{goes} says the same as {stays}, which stands for both ({said})");
                let undo = format!("ken merge --undo {goes}");
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
        let mut text = match &pair {
            Pair::MayContradict => format!("{goes} may contradict {stays}"),
            Pair::MaySaySame(None) => format!("{goes} may say the same as {stays} ({told:.2})"),
            Pair::MaySaySame(Some(difference)) | Pair::Vetoed(difference) | Pair::Differ(difference) => {
                let difference = difference.between(goes, stays);
                format!("{goes} may say the same as {stays} ({told:.2}), but {difference}")
            }
        };
        if let Some(said) = &said {
            text += &format!("; {said}");
        }
        let deed = Deed::new(text, entries, "ken queue".to_owned());
        match is_noted {
            false => {
                found.steps.push((Step::Propose { newer: newer.key, older: older.key, similarity }, deed));
            }
            // What may contradict is listed by the service of that name.
            true if pair == Pair::MayContradict && said.is_none() => {}
            true => found.left.push(deed),
        }
    }
    Ok(found)
}

fn by_age<'a>(one: &'a Entry, other: &'a Entry) -> (&'a Entry, &'a Entry) {
    let age = |entry: &Entry| (entry.created, entry.key);
    if age(one) > age(other) { (one, other) } else { (other, one) }
}

fn share(thousandths: u32) -> f64 {
    f64::from(thousandths) / 1000.0
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
