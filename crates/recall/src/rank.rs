//! Words and meaning, weighed against each other for each question.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::keyword::{Keywords, TERMS_MAX, Weighted, top};
use crate::question::Question;
use crate::shelf::Shelf;
use crate::terms::{self, Term};

/// Which side answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Words alone.
    Lexical,
    /// Meaning alone.
    Semantic,
    /// Both, weighed by the question.
    #[default]
    Hybrid,
}

/// A text that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Its number.
    pub doc: u32,
    /// How well it answers, 0 to 1: about the share of such answers that are right ones.
    pub similarity: f64,
    /// What its words count, of the whole.
    pub words: f64,
    /// What its meaning counts.
    pub meaning: f64,
    /// What its neighbours in the same document count.
    pub neighbours: f64,
    /// What being about a subject of the question counts.
    pub subject: f64,
    /// How near its meaning is; not known for a text without a vector.
    pub cosine: Option<f64>,
}

/// Texts in order, with how the question was taken.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// The texts, best first.
    pub found: Vec<Found>,
    /// How much words counted against meaning.
    pub words_weight: f64,
    /// Words of the question that name what texts are about.
    pub subjects: Vec<String>,
    /// The text whose meaning was taken.
    pub meaning_text: String,
    /// Words took part.
    pub by_words: bool,
    /// Meaning took part.
    pub by_meaning: bool,
}

/// Takes the meaning of a text; none where that cannot be done.
pub type Embed<'a> = &'a mut dyn FnMut(&str) -> Option<Vec<f32>>;

/// What is wanted of a shelf.
pub struct Wish<'a> {
    /// The question.
    pub question: &'a Question,
    /// Which side answers.
    pub mode: Mode,
    /// How many texts are wanted.
    pub wanted: usize,
    /// The texts that may answer; all when left out.
    pub allowed: Option<&'a HashSet<u32>>,
}

/// Below this nothing relevant is known: whoever asks is told so.
pub const ANSWER_MIN: f64 = 0.05;
/// Texts that each side brings before they are weighed.
const CANDIDATES: usize = 400;
/// The share of a question that its best matches may add (RM3).
const FEEDBACK_SHARE: f32 = 0.3;
/// What a text gets of its neighbours.
const NEIGHBOUR_SHARE: f64 = 0.3;
/// What a text gets for being about a subject of the question.
const SUBJECT_BONUS: f64 = 0.2;

/// Finds the texts that answer a question, best first.
pub fn rank<S: Shelf>(shelf: &S, wish: &Wish<'_>, embed: Option<Embed<'_>>) -> Result<Ranked, S::Error> {
    let mut keywords = Keywords::open(shelf)?;
    let question = wish.question;
    let asked = question_terms(question);
    let mut ranked = Ranked::default();
    let mut about: HashSet<u32> = HashSet::new();
    for word in &question.words {
        let holders = keywords.holders(Term::of_subject(&word.form))?;
        if !holders.is_empty() && !ranked.subjects.contains(&word.form) {
            ranked.subjects.push(word.form.clone());
            about.extend(holders);
        }
    }
    let mut words = Vec::new();
    if wish.mode != Mode::Semantic && !asked.is_empty() {
        let plain = keywords.score(&asked)?;
        let more = keywords.with_feedback(&asked, &plain, FEEDBACK_SHARE)?;
        words = keywords.score(&more)?.by_doc;
        ranked.by_words = words.iter().any(|score| *score > 0.0);
    }
    let mut near = None;
    if let (true, Some(embed)) = (wish.mode != Mode::Lexical, embed) {
        ranked.meaning_text = without_subjects(&question.text, &ranked.subjects);
        if let Some(meaning) = embed(&ranked.meaning_text) {
            near = shelf.cosines(&meaning)?;
            ranked.by_meaning = near.is_some();
        }
    }
    let allowed = |doc: u32| wish.allowed.is_none_or(|allowed| allowed.contains(&doc));
    let (best_word, far, best_near) = spread(&words, near.as_deref(), &allowed);
    ranked.words_weight = match (ranked.by_words, ranked.by_meaning) {
        (true, true) => 0.6,
        (true, false) => 1.0,
        (false, _) => 0.0,
    };
    let weight = ranked.words_weight;
    let word_of = |doc: u32| words.get(doc as usize).map_or(0.0, |score| f64::from(*score) / best_word);
    let near_of = |doc: u32| {
        let near = near.as_ref()?.get(doc as usize).copied().filter(|near| !near.is_nan())?;
        Some(((f64::from(near) - far) / (best_near - far)).clamp(0.0, 1.0))
    };
    let base = |doc: u32| {
        let word = word_of(doc);
        match near_of(doc) {
            Some(near) => (weight * word, (1.0 - weight) * near),
            None if near.is_some() && weight > 0.0 => (word, 0.0),
            None => (weight * word, 0.0),
        }
    };
    let mut docs: Vec<u32> = top(&words, CANDIDATES).into_iter().map(|(doc, _)| doc).collect();
    if let Some(near) = &near {
        let shifted: Vec<f32> = near.iter().map(|near| if near.is_nan() { 0.0 } else { near + 1.0 }).collect();
        docs.extend(top(&shifted, CANDIDATES).into_iter().map(|(doc, _)| doc));
    }
    docs.sort_unstable();
    docs.dedup();
    let mut sides: HashMap<u32, [Option<u32>; 2]> = HashMap::new();
    for doc in docs.clone() {
        let beside = shelf.beside(doc)?;
        docs.extend(beside.into_iter().flatten());
        sides.insert(doc, beside);
    }
    docs.sort_unstable();
    docs.dedup();
    let mut found: BTreeMap<u32, Found> = BTreeMap::new();
    for doc in docs.into_iter().filter(|doc| allowed(*doc)) {
        let (words, meaning) = base(doc);
        let beside = match sides.get(&doc) {
            Some(beside) => *beside,
            None => shelf.beside(doc)?,
        };
        let neighbours: f64 = beside.into_iter().flatten().map(|side| { let (a, b) = base(side); NEIGHBOUR_SHARE * (a + b) }).sum();
        let subject = if about.contains(&doc) { SUBJECT_BONUS } else { 0.0 };
        let similarity = words + meaning + neighbours + subject;
        let cosine = near.as_ref().and_then(|near| near.get(doc as usize)).copied().filter(|near| !near.is_nan()).map(f64::from);
        found.insert(doc, Found { doc, similarity, words, meaning, neighbours, subject, cosine });
    }
    ranked.found = found.into_values().collect();
    ranked.found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.doc.cmp(&b.doc)));
    ranked.found.truncate(wish.wanted);
    Ok(ranked)
}

fn spread(words: &[f32], near: Option<&[f32]>, allowed: &dyn Fn(u32) -> bool) -> (f64, f64, f64) {
    let best = |values: &[f32]| {
        values.iter().enumerate().filter(|(doc, value)| !value.is_nan() && allowed(*doc as u32)).map(|(_, value)| f64::from(*value)).fold(f64::MIN, f64::max)
    };
    let word = best(words).max(1e-9);
    let near_best = near.map_or(1.0, best);
    let far = near.map_or(0.0, |near| {
        near.iter().enumerate().filter(|(doc, value)| !value.is_nan() && allowed(*doc as u32)).map(|(_, value)| f64::from(*value)).fold(f64::MAX, f64::min)
    });
    (word, far, near_best.max(far + 1e-9))
}

/// The terms of a question, each once.
fn question_terms(question: &Question) -> Weighted {
    let mut terms: Weighted = Vec::new();
    for word in &question.words {
        let term = Term::of(&word.form);
        if let Some((_, weight)) = terms.iter_mut().find(|(known, _)| *known == term) {
            *weight += 1.0;
        } else if terms.len() < TERMS_MAX {
            terms.push((term, 1.0));
        }
    }
    terms
}

/// The question without the names that texts are filed under: they would drown what is asked about them.
fn without_subjects(text: &str, subjects: &[String]) -> String {
    if subjects.is_empty() {
        return text.to_owned();
    }
    let is_subject = |word: &&str| {
        let forms = terms::words(word);
        !forms.is_empty() && forms.iter().all(|form| subjects.contains(&form.form))
    };
    let kept: Vec<&str> = text.split_whitespace().filter(|word| !is_subject(word)).collect();
    if kept.is_empty() { text.to_owned() } else { kept.join(" ") }
}
