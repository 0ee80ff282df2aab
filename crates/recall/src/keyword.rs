//! How well words match: BM25, and what the best matches say besides (RM3).

use std::collections::HashMap;
use std::sync::Arc;

use crate::limits::keyword::{
    FEEDBACK_SHARE_MAX, FEEDBACK_TERMS_MAX, FEEDBACK_TEXTS_MAX, LENGTH_WEIGHT, SATURATION,
};
pub use crate::limits::keyword::{LEADING, TERMS_MAX};
use crate::postings;
use crate::shelf::TextIndex;
use crate::terms::Term;

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
pub struct Keywords<'a, S: TextIndex> {
    shelf: &'a S,
    lengths: Arc<[u16]>,
    /// Some texts are gone and still in lists.
    any_gone: bool,
    /// How many texts there are, and how long they are on average.
    count: f32,
    mean_length: f32,
    lists: HashMap<Term, Vec<Vec<u8>>>,
}

impl<'a, S: TextIndex> Keywords<'a, S> {
    /// Opens the keyword side of a shelf.
    pub fn open(shelf: &'a S) -> Result<Self, S::Error> {
        let lengths: Arc<[u16]> = shelf.lengths()?.into();
        let living = lengths.iter().filter(|length| **length > 0).count();
        let any_gone = living < lengths.len();
        let count = living.max(1) as f32;
        let total: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        Ok(Keywords {
            shelf,
            lengths,
            count,
            mean_length: (total as f32 / count).max(1.0),
            any_gone,
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
        self.lists(term)?;
        let lists = &self.lists[&term];
        if !self.any_gone {
            return Ok(lists.iter().map(|list| postings::count(list)).sum());
        }
        let mut living = 0;
        for list in lists {
            postings::read(list, |doc, _| {
                living += u32::from(self.lengths.get(doc as usize).is_some_and(|length| *length > 0));
            });
        }
        Ok(living)
    }

    /// How long each text is, by number: 0 where it is gone.
    pub fn living(&self) -> Arc<[u16]> {
        self.lengths.clone()
    }

    /// How many texts there are.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// How much a term says: near 0 for one that is everywhere, the most for one that is nowhere.
    pub fn rarity(&mut self, term: Term) -> Result<f32, S::Error> {
        let frequency = self.frequency(term)? as f32;
        Ok((1.0 + (self.count - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln())
    }

    /// The texts that have a term.
    pub fn holders(&mut self, term: Term) -> Result<Vec<u32>, S::Error> {
        let mut found = Vec::new();
        self.lists(term)?;
        for list in &self.lists[&term] {
            postings::read(list, |doc, _| {
                if self.lengths.get(doc as usize).is_some_and(|length| *length > 0) {
                    found.push(doc);
                }
            });
        }
        Ok(found)
    }

    /// Scores every text by the terms of a question.
    pub fn score(&mut self, terms: &Weighted) -> Result<Scores, S::Error> {
        let mut scores = Scores { by_doc: vec![0.0; self.lengths.len()], mass: 0.0 };
        for (term, weight) in terms {
            let rarity = self.rarity(*term)?;
            scores.mass += weight * rarity;
            let (floor, slope) =
                (SATURATION * (1.0 - LENGTH_WEIGHT), SATURATION * LENGTH_WEIGHT / self.mean_length);
            let most = weight * rarity * (SATURATION + 1.0);
            self.lists(*term)?;
            let (lengths, lists) = (&self.lengths, &self.lists[term]);
            for list in lists {
                postings::read(list, |doc, times| {
                    let Some(score) = scores.by_doc.get_mut(doc as usize) else { return };
                    let length = f32::from(lengths[doc as usize]);
                    if length == 0.0 {
                        return;
                    }
                    let times = times as f32;
                    *score += most * times / (times + floor + slope * length);
                });
            }
        }
        Ok(scores)
    }

    /// The question with what its best matches (the first of `leading`) say besides: each added term weighs at most `share` of
    /// the whole.
    pub fn with_feedback(
        &mut self,
        terms: &Weighted,
        leading: &[(u32, f32)],
        share: f32,
    ) -> Result<Weighted, S::Error> {
        // One word that few texts have says what is meant; what else they say would only favour the shorter of them.
        if terms.len() == 1 && leading.len() < FEEDBACK_TEXTS_MAX {
            return Ok(terms.clone());
        }
        let best = feedback_texts(leading);
        let total: f32 = best.iter().map(|(_, score)| score).sum();
        if total <= 0.0 {
            return Ok(terms.clone());
        }
        let mut said: HashMap<Term, f32> = HashMap::new();
        for (doc, score) in best {
            let counts = self.shelf.terms_of(*doc)?;
            let length: u32 = counts.values().sum();
            for (term, times) in counts {
                *said.entry(term).or_default() += score / total * times as f32 / length.max(1) as f32;
            }
        }
        let mut ordered: Vec<(Term, f32)> = said.into_iter().collect();
        // Rounded, since sums differ in their last digits with the order of equals.
        let about = |weight: f32| (weight * 1e5).round();
        ordered.sort_by(|a, b| about(b.1).total_cmp(&about(a.1)).then(a.0.cmp(&b.0)));
        let mut said = Vec::with_capacity(FEEDBACK_TERMS_MAX);
        for (term, weight) in ordered {
            if self.frequency(term)? as f32 <= FEEDBACK_SHARE_MAX * self.count || self.count < 10.0 {
                said.push((term, weight));
            }
            if said.len() == FEEDBACK_TERMS_MAX {
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

/// Of the best texts those whose words are added. Numbers are a matter of chance, so equals come in together or not at all.
fn feedback_texts(leading: &[(u32, f32)]) -> &[(u32, f32)] {
    let Some((_, last)) = leading.get(FEEDBACK_TEXTS_MAX - 1) else { return leading };
    let above = leading.partition_point(|(_, score)| score > last);
    let equals = leading.partition_point(|(_, score)| score >= last);
    &leading[..match (above, equals) {
        (_, FEEDBACK_TEXTS_MAX) => FEEDBACK_TEXTS_MAX,
        (0, equals) if equals < LEADING => equals,
        (above, _) => above,
    }]
}

/// The best texts with their scores, best first; equal ones by number.
pub fn top(scores: &[f32], wanted: usize) -> Vec<(u32, f32)> {
    best_of((0..).zip(scores.iter().copied()), 0.0, wanted)
}

/// The best of some texts whose numbers ascend, best first; equal ones by number. Those that do not score above `least` are left
/// out, as is what is not a number.
pub fn best_of(scored: impl Iterator<Item = (u32, f32)>, mut least: f32, wanted: usize) -> Vec<(u32, f32)> {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    // Most texts are worse than the best so far: they cost one comparison and no room.
    let room = wanted * 4 + 64;
    let mut kept: Vec<(u32, f32)> = Vec::with_capacity(room);
    for (doc, score) in scored {
        if score > least {
            kept.push((doc, score));
            if kept.len() == room && wanted > 0 {
                let (_, last, _) = kept.select_nth_unstable_by(wanted - 1, order);
                least = last.1;
                kept.truncate(wanted);
            }
        }
    }
    kept.sort_unstable_by(order);
    kept.truncate(wanted);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_those_that_sorting_would_put_first() {
        let mut state = 1_u32;
        let mut scores: Vec<f32> = (0..5_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // Few different values, so that many are equal.
                (state >> 28) as f32 - 2.0
            })
            .collect();
        scores[17] = f32::NAN;
        let mut sorted: Vec<(u32, f32)> =
            (0..).zip(scores.iter().copied()).filter(|(_, score)| *score > 0.0).collect();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for wanted in [1, 10, 400, 4_999] {
            assert_eq!(top(&scores, wanted), sorted[..wanted.min(sorted.len())]);
        }
        assert_eq!(top(&scores, 0), []);
        assert_eq!(top(&[], 3), []);
        assert_eq!(best_of([(4, -0.5), (9, -2.0)].into_iter(), -1.0, 3), [(4, -0.5)]);
    }
}
