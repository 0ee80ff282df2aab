//! How well words match: BM25, and what the best matches say besides (RM3).

use std::collections::HashMap;

use crate::postings;
use crate::shelf::Shelf;
use crate::terms::Term;

/// How fast a repeated term stops counting.
const SATURATION: f32 = 0.9;
/// How much a long text is held against it.
const LENGTH_WEIGHT: f32 = 0.6;
/// A query of more different terms is a document; the first ones say what it is about.
pub const TERMS_MAX: usize = 48;
/// Texts whose words are added to the question.
const FEEDBACK_TEXTS: usize = 5;
/// Texts beyond them that may come in for being equal to the last.
const FEEDBACK_EQUALS_MAX: usize = 45;
/// Terms that they add.
const FEEDBACK_TERMS: usize = 10;

/// A term in more than this share of the texts says nothing about those that match.
const FEEDBACK_SHARE_MAX: f32 = 0.8;

/// Scores by number; 0 where no term occurs.
pub struct Scores {
    /// The score of each text.
    pub by_doc: Vec<f32>,
    /// How much the question says in all, the words that occur nowhere included.
    pub mass: f32,
}

/// A question's terms with their weights.
pub type Weighted = Vec<(Term, f32)>;

/// Lists that were read once serve every later question about the same term.
pub struct Keywords<'a, S: Shelf> {
    shelf: &'a S,
    lengths: Vec<u16>,
    /// How many texts there are, and how long they are on average.
    count: f32,
    mean_length: f32,
    lists: HashMap<Term, Vec<Vec<u8>>>,
}

impl<'a, S: Shelf> Keywords<'a, S> {
    /// Opens the keyword side of a shelf.
    pub fn open(shelf: &'a S) -> Result<Self, S::Error> {
        let lengths = shelf.lengths()?;
        let count = lengths.iter().filter(|length| **length > 0).count().max(1) as f32;
        let total: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        Ok(Keywords {
            shelf,
            lengths,
            count,
            mean_length: (total as f32 / count).max(1.0),
            lists: HashMap::new(),
        })
    }

    fn lists(&mut self, term: Term) -> Result<&[Vec<u8>], S::Error> {
        if !self.lists.contains_key(&term) {
            let lists = self.shelf.lists(term)?;
            self.lists.insert(term, lists);
        }
        Ok(&self.lists[&term])
    }

    /// In how many texts a term occurs.
    pub fn frequency(&mut self, term: Term) -> Result<u32, S::Error> {
        Ok(self.lists(term)?.iter().map(|list| postings::count(list)).sum())
    }

    /// How much a term says: near 0 for one that is everywhere, the most for one that is nowhere.
    pub fn rarity(&mut self, term: Term) -> Result<f32, S::Error> {
        let frequency = self.frequency(term)? as f32;
        Ok((1.0 + (self.count - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln())
    }

    /// The texts that have a term.
    pub fn holders(&mut self, term: Term) -> Result<Vec<u32>, S::Error> {
        let mut found = Vec::new();
        for list in self.lists(term)? {
            postings::read(list, |doc, _| found.push(doc));
        }
        Ok(found)
    }

    /// Scores every text by the terms of a question.
    pub fn score(&mut self, terms: &Weighted) -> Result<Scores, S::Error> {
        let mut scores = Scores { by_doc: vec![0.0; self.lengths.len()], mass: 0.0 };
        for (term, weight) in terms {
            let rarity = self.rarity(*term)?;
            scores.mass += weight * rarity;
            let mean = self.mean_length;
            self.lists(*term)?;
            let (lengths, lists) = (&self.lengths, &self.lists[term]);
            for list in lists {
                postings::read(list, |doc, times| {
                    let Some(score) = scores.by_doc.get_mut(doc as usize) else { return };
                    let length = f32::from(lengths[doc as usize]);
                    let times = times as f32;
                    let dampening = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length / mean);
                    *score += weight * rarity * times * (SATURATION + 1.0) / (times + dampening);
                });
            }
        }
        Ok(scores)
    }

    /// The question with what its best matches say besides: each added term weighs at most `share` of the whole.
    pub fn with_feedback(
        &mut self,
        terms: &Weighted,
        scores: &Scores,
        share: f32,
    ) -> Result<Weighted, S::Error> {
        let best = leading(&scores.by_doc);
        let total: f32 = best.iter().map(|(_, score)| score).sum();
        if total <= 0.0 {
            return Ok(terms.clone());
        }
        let mut said: HashMap<Term, f32> = HashMap::new();
        for (doc, score) in best {
            let counts = self.shelf.terms_of(doc)?;
            let length: u32 = counts.values().sum();
            for (term, times) in counts {
                *said.entry(term).or_default() += score / total * times as f32 / length.max(1) as f32;
            }
        }
        let mut ordered: Vec<(Term, f32)> = said.into_iter().collect();
        // Rounded, since sums differ in their last digits with the order of equals.
        let about = |weight: f32| (weight * 1e5).round();
        ordered.sort_by(|a, b| about(b.1).total_cmp(&about(a.1)).then(a.0.cmp(&b.0)));
        let mut said = Vec::with_capacity(FEEDBACK_TERMS);
        for (term, weight) in ordered {
            if self.frequency(term)? as f32 <= FEEDBACK_SHARE_MAX * self.count || self.count < 10.0 {
                said.push((term, weight));
            }
            if said.len() == FEEDBACK_TERMS {
                break;
            }
        }
        let said_total: f32 = said.iter().map(|(_, weight)| weight).sum::<f32>().max(f32::MIN_POSITIVE);
        let mut known = Vec::with_capacity(terms.len());
        for (term, weight) in terms {
            if self.frequency(*term)? > 0 {
                known.push((*term, *weight));
            }
        }
        let asked_total: f32 = known.iter().map(|(_, weight)| weight).sum();
        let mut mixed: Vec<(Term, f32)> =
            known.iter().map(|(term, weight)| (*term, (1.0 - share) * weight / asked_total)).collect();
        for (term, weight) in said {
            let weight = share * weight / said_total;
            match mixed.iter_mut().find(|(known, _)| *known == term) {
                Some((_, known)) => *known += weight,
                None => mixed.push((term, weight)),
            }
        }
        Ok(mixed)
    }
}

/// The texts whose words are added. Numbers are a matter of chance, so equals come in together or not at all.
fn leading(scores: &[f32]) -> Vec<(u32, f32)> {
    let most = FEEDBACK_TEXTS + FEEDBACK_EQUALS_MAX;
    let mut best = top(scores, most);
    if best.len() <= FEEDBACK_TEXTS {
        return best;
    }
    let last = best[FEEDBACK_TEXTS - 1].1;
    let above = best.partition_point(|(_, score)| *score > last);
    let equals = best.partition_point(|(_, score)| *score >= last);
    best.truncate(match (above, equals) {
        (_, FEEDBACK_TEXTS) => FEEDBACK_TEXTS,
        (0, equals) if equals < most => equals,
        (above, _) => above,
    });
    best
}

/// The best texts with their scores, best first; equal ones by number.
pub fn top(scores: &[f32], wanted: usize) -> Vec<(u32, f32)> {
    let mut found: Vec<(u32, f32)> = scores
        .iter()
        .enumerate()
        .filter(|(_, score)| **score > 0.0)
        .map(|(doc, score)| (doc as u32, *score))
        .collect();
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if found.len() > wanted && wanted > 0 {
        found.select_nth_unstable_by(wanted - 1, order);
        found.truncate(wanted);
    }
    found.sort_by(order);
    found.truncate(wanted);
    found
}
