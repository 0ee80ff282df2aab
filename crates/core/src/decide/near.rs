//! What a writer is told of entries near in meaning to the new one: one may say the same, another the opposite (COR-27).
//!
//! Nothing is refused for it and nothing is merged: who writes knows best what was meant, and whoever keeps the store sees the pair later.

use super::add::{AddRequest, NearEntry, different, is_comparable};
use crate::contradiction::may_contradict;
use crate::entry::Entry;
use crate::fields::Fields;
use crate::ids::EntryKey;
use crate::kinds::Polarity;
use crate::limits::near::{REMARKS_MAX, SUBJECT_SHARE, TITLE_CHARS_MAX};
use crate::similar::Aspect;
use crate::words::one_line;

/// A sentence about an entry near in meaning.
#[derive(Debug)]
pub(super) struct Remark {
    pub text: String,
    pub to: EntryKey,
    /// How near it is, where nothing keeps the two apart: somebody should say whether they are one.
    pub may_be_one: Option<f64>,
    stance: Stance,
}

/// How an entry near in meaning stands to the new one, what matters most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stance {
    MayContradict,
    MaySaySame,
    Differs,
}

/// What is to be said of the entries near a new one, which is called `new`.
pub(super) fn remarks(near: &[NearEntry], request: &AddRequest, new: &str) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = near.iter().filter_map(|near| remark(near, request, new)).collect();
    remarks.sort_by_key(|remark| remark.stance);
    remarks.truncate(REMARKS_MAX);
    remarks
}

fn remark(NearEntry { entry, cosine }: &NearEntry, request: &AddRequest, new: &str) -> Option<Remark> {
    if !entry.status.is_retrieved() {
        return None;
    }
    let handle = entry.handle();
    let title = one_line(&entry.fields.title(), TITLE_CHARS_MAX);
    let remark = |stance, may_be_one, text| Some(Remark { text, to: entry.key, may_be_one, stance });
    let judged = &request.judged;
    let is_near = *cosine >= judged.ask_min;
    let is_of_one_subject = *cosine >= judged.ask_min * SUBJECT_SHARE;
    if (is_near && are_turned(&request.fields, entry))
        || (is_of_one_subject && may_contradict(&said(&request.fields), &said(&entry.fields)))
    {
        let text =
            format!("may contradict {handle}: {title:?}; if it replaces that: ken supersede {handle} {new}");
        return remark(Stance::MayContradict, None, text);
    }
    if !is_near || !is_comparable(request.kind, &request.fields, entry) {
        return None;
    }
    let differences = different(&request.fields, &entry.fields);
    let is_wording = |aspect| match aspect {
        Aspect::Condition | Aspect::Comparison | Aspect::Order | Aspect::Wording => true,
        Aspect::Polarity
        | Aspect::Negation
        | Aspect::Number
        | Aspect::Version
        | Aspect::Identifier
        | Aspect::Path
        | Aspect::Opposite
        | Aspect::Modality => false,
    };
    let is_close = *cosine >= f64::midpoint(judged.ask_min, judged.same_min);
    let same = format!("may say the same as {handle} ({cosine:.2}): {title:?}");
    match differences.first() {
        None => remark(Stance::MaySaySame, Some(*cosine), format!("{same}; if so: ken merge {handle} {new}")),
        Some(_) if is_close && differences.iter().all(|found| is_wording(found.aspect)) => {
            remark(Stance::MaySaySame, None, format!("{same}; if so: ken merge {handle} {new}"))
        }
        Some(difference) if *cosine > judged.same_min => {
            let text = format!("similar to {handle} ({cosine:.2}), but different: {difference}");
            remark(Stance::Differs, None, text)
        }
        Some(_) => None,
    }
}

/// Whether one is recorded as advice to do, the other not to do.
fn are_turned(fields: &Fields, entry: &Entry) -> bool {
    matches!(
        (fields.polarity, entry.fields.polarity),
        (Some(Polarity::Positive), Some(Polarity::Negative))
            | (Some(Polarity::Negative), Some(Polarity::Positive))
    )
}

/// The title, where it is one of its own, and the statement.
fn said(fields: &Fields) -> String {
    let (title, statement) = (fields.title(), fields.statement());
    match statement.starts_with(title.trim_end_matches('…')) {
        true => statement.into_owned(),
        false => format!("{title}. {statement}"),
    }
}
