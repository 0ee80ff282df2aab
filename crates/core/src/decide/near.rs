//! What a writer is told of entries near in meaning to the new one: one may say the same, another the opposite (COR-27).
//!
//! Nothing is refused for it and nothing is merged: who writes knows best what was meant, and whoever keeps the store sees the pair later.

use super::add::{AddRequest, NearEntry};
use super::pair::{Bounds, Pair, noted, pairs};
use crate::entry::Entry;
use crate::ids::EntryKey;
use crate::kinds::{Memory, Type};
use crate::limits::near::TITLE_CHARS_MAX;
use crate::words::one_line;

/// A sentence about an entry near in meaning.
#[derive(Debug)]
pub(super) struct Remark {
    pub text: String,
    pub to: EntryKey,
    /// How near it is, where somebody should look at the two: then the pair is noted.
    pub is_noted: Option<f64>,
}

/// What is to be said of the entries near a new one, which is called `new`.
pub(super) fn remarks(near: &[NearEntry], request: &AddRequest, new: &str) -> Vec<Remark> {
    let pairs = pairs(request.kind, &request.fields, near, request.judged.bounds());
    pairs.into_iter().map(|(near, pair)| remark(near, &pair, request.kind, new)).collect()
}

/// The same of an entry that was given other words; `near` are others than itself.
pub fn remarks_on_revised(entry: &Entry, near: &[NearEntry], bounds: Bounds) -> Vec<String> {
    let Some(kind) = entry.kind.known() else { return Vec::new() };
    let handle = entry.handle();
    let pairs = pairs(kind, &entry.fields, near, bounds);
    pairs.into_iter().map(|(near, pair)| remark(near, &pair, kind, &handle).text).collect()
}

/// The same of an entry of which it was noted that some others are near it.
pub fn remarks_on_noted(entry: &Entry, others: &[Entry]) -> Vec<String> {
    let Some(kind) = entry.kind.known() else { return Vec::new() };
    let told = others.iter().filter_map(|other| {
        let cosine = f64::from(*entry.similar_to.get(&other.key)?) / 1000.0;
        let pair = noted(entry, other)?;
        let near = NearEntry { entry: other.clone(), cosine };
        Some(remark(&near, &pair, kind, &entry.handle()).text)
    });
    told.collect()
}

fn remark(NearEntry { entry, cosine }: &NearEntry, pair: &Pair, kind: Type, new: &str) -> Remark {
    let handle = entry.handle();
    let title = one_line(&entry.fields.title(), TITLE_CHARS_MAX);
    let text = match pair {
        Pair::MayContradict => {
            format!("may contradict {handle}: {title:?}; if it replaces that: ken supersede {handle} {new}")
        }
        Pair::MaySaySame(_) => {
            let verb = match kind.memory() {
                Memory::Semantic => "merge",
                // Norms are replaced, never merged (REV-4).
                Memory::Procedural | Memory::Episodic => "supersede",
            };
            format!("may say the same as {handle} ({cosine:.2}): {title:?}; if so: ken {verb} {handle} {new}")
        }
        Pair::Vetoed(difference) | Pair::Differ(difference) => {
            let difference = difference.between("the new one", &handle);
            format!("similar to {handle} ({cosine:.2}), but not taken for the same: {difference}")
        }
    };
    Remark { text, to: entry.key, is_noted: pair.is_open().then_some(*cosine) }
}
