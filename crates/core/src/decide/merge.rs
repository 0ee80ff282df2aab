//! Two entries that say the same become one, and two again (UPK-1, COR-20).

use super::about;
use crate::entry::{Entry, trust};
use crate::event::{Body, EntryEvent, Intent, Merged};
use crate::kinds::{Memory, Relation, Status};
use crate::lifecycle::{self, Cause};
use crate::limits::merge::LONGER_FACTOR;
use crate::merge::may_stand_for;
use crate::refusal::{Code, Refusal};

/// Which of two entries stands for both, and which is put away.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    pub kept: &'a Entry,
    pub absorbed: &'a Entry,
}

/// COR-20: the higher status is kept. Between equals that one clone stated it is the longer text, if it is longer by a fifth; else the
/// one that was stated first.
pub fn choose<'a>(one: &'a Entry, other: &'a Entry) -> Result<Choice<'a>, Refusal> {
    comparable(one, other)?;
    let place = |entry: &Entry| (entry.created, entry.key);
    let (first, second) = if place(one) <= place(other) { (one, other) } else { (other, one) };
    let is_longer = first.origin == second.origin && said(second) as f64 > LONGER_FACTOR * said(first) as f64;
    let (kept, absorbed) = match trust(second.standing).cmp(&trust(first.standing)) {
        std::cmp::Ordering::Greater => (second, first),
        std::cmp::Ordering::Equal if is_longer => (second, first),
        std::cmp::Ordering::Equal | std::cmp::Ordering::Less => (first, second),
    };
    if may_stand_for(kept, absorbed) {
        return Ok(Choice { kept, absorbed });
    }
    if may_stand_for(absorbed, kept) {
        return Ok(Choice { kept: absorbed, absorbed: kept });
    }
    Err(Refusal::new(
        Code::NotAllowed,
        format!(
            "{} and {} cannot be merged: not everybody who sees one sees the other",
            one.id(),
            other.id()
        ),
    )
    .hint(format!("`ken promote {}` lets it reach further", kept.id())))
}

/// How much an entry says, in characters.
fn said(entry: &Entry) -> usize {
    let detail = entry.fields.detail.as_deref().unwrap_or_default();
    entry.fields.statement().chars().count() + detail.chars().count()
}

fn comparable(one: &Entry, other: &Entry) -> Result<(), Refusal> {
    let no = |why: String, hint: String| Err(Refusal::new(Code::NotAllowed, why).hint(hint));
    if one.key == other.key {
        return no(
            format!("{} cannot be merged with itself", one.id()),
            "name two entries: ken merge ID OTHER".to_owned(),
        );
    }
    for entry in [one, other] {
        if entry.memory() != Memory::Semantic {
            return no(
                format!("{} is {}; only semantic entries are merged", entry.id(), entry.memory()),
                format!("`ken supersede {} {}` replaces one with the other", one.id(), other.id()),
            );
        }
        if !entry.status.is_retrieved() {
            return no(
                format!("{} is {} and cannot be merged", entry.id(), entry.status),
                format!("`ken restore {}` restores it", entry.id()),
            );
        }
    }
    if one.kind != other.kind {
        return no(
            format!("{} is a {} and {} is a {}", one.id(), one.kind, other.id(), other.kind),
            format!("`ken supersede {} {}` replaces one with the other", one.id(), other.id()),
        );
    }
    let tied = |from: &Entry, to: &Entry| {
        from.links.iter().any(|link| link.relation == Relation::Contradicts && link.to == to.key)
    };
    if one.fields.has_opposite_polarity(&other.fields) || tied(one, other) || tied(other, one) {
        return no(
            format!("{} and {} contradict each other", one.id(), other.id()),
            "supersede or retract the one that is wrong".to_owned(),
        );
    }
    Ok(())
}

/// Merges one entry into another. Saying it twice is not an error.
pub fn merge(choice: Choice<'_>, similarity: Option<u32>, reason: String) -> Result<Vec<Intent>, Refusal> {
    let Choice { kept, absorbed } = choice;
    lifecycle::check(absorbed, Cause::Merge)?;
    let merged = Merged { into: kept.key, into_words: kept.trusted_words(), similarity, reason };
    Ok(vec![about(absorbed, Body::Entry(EntryEvent::Merged(merged)))])
}

/// Takes a merge back: the two stand as they did, and are never proposed as one again. An entry that is not merged is not an error.
///
/// `kept` is the other entry, where it is still there: two clones may have merged the two both ways.
pub fn unmerge(entry: &Entry, kept: Option<&Entry>, reason: &str) -> Vec<Intent> {
    let apart = |one: &Entry, from| {
        let body = EntryEvent::Unmerged { from, reason: reason.to_owned() };
        about(one, Body::Entry(body))
    };
    let Some(merged) = &entry.merged_into else { return Vec::new() };
    let mut intents = vec![apart(entry, merged.key)];
    let back = kept.filter(|kept| kept.merged_into.as_ref().is_some_and(|back| back.key == entry.key));
    intents.extend(back.map(|kept| apart(kept, entry.key)));
    intents
}

/// UPK-2: puts an entry away that nobody needed, or that misled. Saying it twice is not an error.
pub fn stale(entry: &Entry, reason: String) -> Result<Vec<Intent>, Refusal> {
    if entry.status == Status::Stale {
        return Ok(Vec::new());
    }
    lifecycle::check(entry, Cause::Fade)?;
    if entry.memory() != Memory::Semantic {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("{} is {}; only semantic entries become stale", entry.id(), entry.memory()),
        )
        .hint("archive it, or supersede it"));
    }
    Ok(vec![about(entry, Body::Entry(EntryEvent::Staled { reason }))])
}
