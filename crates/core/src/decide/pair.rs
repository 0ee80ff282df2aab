//! How two entries that are near in meaning stand to each other, as far as rules tell (COR-27). The writer is told by this at write, a pair that
//! somebody should look at is noted by it, and `maintain` and the queue ask by it: what one of them says the others find again.

use super::NearEntry;
use super::add::{different, is_comparable};
use crate::contradiction::may_contradict;
use crate::entry::Entry;
use crate::fields::Fields;
use crate::kinds::Type;
use crate::limits::near::{ASK_MIN, REMARKS_MAX, SUBJECT_SHARE};
use crate::similar::{Aspect, Difference};

/// How one of two entries stands to the other, what matters most first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pair {
    /// One may say the opposite of the other.
    MayContradict,
    /// They may be one. A difference in wording leaves it open.
    MaySaySame(Option<Difference>),
    /// They are all but equal, and a rule keeps them apart: somebody who knows decides.
    Vetoed(Difference),
    /// They are all but equal and about two things: two numbers, two names. Nobody is asked.
    Differ(Difference),
}

impl Pair {
    /// Whether somebody should look at the two.
    pub fn is_open(&self) -> bool {
        match self {
            Pair::MayContradict | Pair::MaySaySame(_) | Pair::Vetoed(_) => true,
            Pair::Differ(_) => false,
        }
    }
}

/// From which cosines on two texts are read for what they say. Belongs to the model, and to where the text comes from.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// From here on they may say the same.
    pub ask_min: f64,
    /// From here on they say the same, where nothing keeps them apart.
    pub same_min: f64,
}

/// How near two texts are, the nearest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// They may be about one subject.
    Subject,
    /// They may say the same.
    Near,
    /// They may say the same although their words differ.
    Close,
    /// They say the same, where nothing keeps them apart.
    Same,
}

impl Nearness {
    fn new(cosine: f64, bounds: Bounds) -> Option<Nearness> {
        let Bounds { ask_min, same_min } = bounds;
        match cosine {
            cosine if cosine > same_min => Some(Nearness::Same),
            cosine if cosine >= f64::midpoint(ask_min, same_min) => Some(Nearness::Close),
            cosine if cosine >= ask_min => Some(Nearness::Near),
            cosine if cosine >= ask_min * SUBJECT_SHARE => Some(Nearness::Subject),
            _ => None,
        }
    }
}

/// How something stands to the entries near it, what matters most first: with more of them nobody is bothered.
pub(super) fn pairs<'a>(
    kind: Type,
    fields: &Fields,
    near: &'a [NearEntry],
    bounds: Bounds,
) -> Vec<(&'a NearEntry, Pair)> {
    let pair = |near: &'a NearEntry| {
        let nearness = Nearness::new(near.cosine, bounds)?;
        Some((near, pair(kind, fields, &near.entry, nearness)?))
    };
    let mut pairs: Vec<(&NearEntry, Pair)> = near.iter().filter_map(pair).collect();
    let rank = |pair: &Pair| match pair {
        Pair::MayContradict => 0,
        Pair::MaySaySame(_) => 1,
        Pair::Vetoed(_) => 2,
        Pair::Differ(_) => 3,
    };
    // The nearest stay in front.
    pairs.sort_by_key(|(_, pair)| rank(pair));
    pairs.truncate(REMARKS_MAX);
    pairs
}

/// How two entries stand to each other by their cosine; none where nobody needs to know, or somebody has said it.
pub fn compare(one: &Entry, other: &Entry, cosine: f64, bounds: Bounds) -> Option<Pair> {
    let kind = one.kind.known().filter(|_| one.key != other.key && is_open(one, other))?;
    pair(kind, &one.fields, other, Nearness::new(cosine, bounds)?)
}

/// What is still to be asked about two entries of which it was noted how near they are, in thousandths.
pub fn noted(one: &Entry, other: &Entry) -> Option<Pair> {
    let similarity = one.similar_to.get(&other.key).or_else(|| other.similar_to.get(&one.key))?;
    let kind = one.kind.known().filter(|_| is_open(one, other))?;
    // Whoever noted it knew the bounds. Of two that are only about one subject, it was that they contradict each other.
    let nearness = if *similarity >= ASK_MIN { Nearness::Same } else { Nearness::Subject };
    pair(kind, &one.fields, other, nearness).filter(Pair::is_open)
}

fn is_open(one: &Entry, other: &Entry) -> bool {
    one.status.is_retrieved() && !is_settled(one, other)
}

/// Whether somebody tied the two, or said that they are two.
pub(super) fn is_settled(one: &Entry, other: &Entry) -> bool {
    let knows = |from: &Entry, to: &Entry| {
        from.unlike.contains(&to.key) || from.links.iter().any(|link| link.to == to.key)
    };
    knows(one, other) || knows(other, one)
}

fn pair(kind: Type, fields: &Fields, other: &Entry, nearness: Nearness) -> Option<Pair> {
    if !other.status.is_retrieved() {
        return None;
    }
    if (nearness >= Nearness::Near && fields.has_opposite_polarity(&other.fields))
        || may_contradict(&said(fields), &said(&other.fields))
    {
        return Some(Pair::MayContradict);
    }
    if nearness < Nearness::Near || !is_comparable(kind, fields, other) {
        return None;
    }
    let differences = different(fields, &other.fields);
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
    let Some(first) = differences.first().cloned() else { return Some(Pair::MaySaySame(None)) };
    if nearness >= Nearness::Close && differences.iter().all(|found| is_wording(found.aspect)) {
        return Some(Pair::MaySaySame(Some(first)));
    }
    if nearness < Nearness::Same {
        return None;
    }
    match differences.into_iter().find(is_of_two_things) {
        Some(things) => Some(Pair::Differ(things)),
        None => Some(Pair::Vetoed(first)),
    }
}

/// Whether each of two claims names something of its own: another number, another name. A list of such claims is no list of duplicates.
fn is_of_two_things(difference: &Difference) -> bool {
    let names = match difference.aspect {
        Aspect::Number | Aspect::Version | Aspect::Identifier | Aspect::Path => true,
        Aspect::Polarity
        | Aspect::Negation
        | Aspect::Opposite
        | Aspect::Modality
        | Aspect::Condition
        | Aspect::Comparison
        | Aspect::Order
        | Aspect::Wording => false,
    };
    names && !difference.first.is_empty() && !difference.second.is_empty()
}

/// The title, where it is one of its own, and the statement.
fn said(fields: &Fields) -> String {
    let (title, statement) = (fields.title(), fields.statement());
    match statement.starts_with(title.trim_end_matches('…')) {
        true => statement.into_owned(),
        false => format!("{title}. {statement}"),
    }
}
