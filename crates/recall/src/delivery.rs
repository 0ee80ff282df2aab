//! Which answers are good enough to be put before somebody who did not ask for them.
//!
//! All numbers were chosen on `evals/moments`, each store's by the others; `docs/internals/moments-quality.md` has the figures.

pub use crate::limits::delivery::{SURFACE_SHARE_MIN, SURFACE_SIMILARITY_MIN, WORDS_ALONE_SIMILARITY_MIN};
use crate::rank::TextMatch;

/// What an answer needs to be put before somebody who wrote to an agent, and not to us.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// The similarity of the most similar answer.
    pub first_similarity_min: f64,
    /// The similarity of every other one: a second answer is a second chance to be wrong.
    pub more_similarity_min: f64,
    /// How near in meaning each has to be, on the scale of the bundled model.
    pub cosine_min: f64,
    /// The similarity of the most similar answer where no meaning was taken of it.
    pub words_similarity_min: f64,
}

impl Thresholds {
    /// For the prompts that hooks see. An entry that was not needed counts as much as a moment that was served.
    pub const PROMPT: Thresholds = Thresholds {
        first_similarity_min: 0.2,
        more_similarity_min: 0.38,
        cosine_min: 0.34,
        words_similarity_min: 0.35,
    };

    /// The places of the answers that are good enough, the most similar one first. `has_model` says whether meanings could be taken at all.
    pub fn choose(&self, answers: &[Likeness], has_model: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..answers.len()).collect();
        order.sort_by(|a, b| answers[*b].similarity.total_cmp(&answers[*a].similarity).then(a.cmp(b)));
        let by_words_alone = by_words_alone(answers, has_model);
        let mut chosen: Vec<usize> = Vec::new();
        for at in order {
            let answer = answers[at];
            let is_first = chosen.is_empty();
            let more = if is_first { 0.0 } else { self.more_similarity_min };
            let enough = match answer.cosine {
                Some(cosine) => cosine >= self.cosine_min && answer.similarity >= self.first_similarity_min,
                None if by_words_alone => answer.similarity >= WORDS_ALONE_SIMILARITY_MIN,
                None => answer.similarity >= self.words_similarity_min,
            };
            if enough && answer.similarity >= more {
                chosen.push(at);
            }
        }
        chosen
    }
}

/// Whether a model was at hand and brought nothing near: then words answered alone.
pub fn by_words_alone(answers: &[Likeness], has_model: bool) -> bool {
    has_model && answers.iter().all(|answer| answer.cosine.is_none())
}

/// How like a question an answer is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// About the share of such answers that are right ones.
    pub similarity: f64,
    /// How near its meaning is; not known where none was taken.
    pub cosine: Option<f64>,
}

impl From<&TextMatch> for Likeness {
    fn from(found: &TextMatch) -> Likeness {
        Likeness { similarity: found.similarity, cosine: found.cosine }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(answers: &[(f64, Option<f64>)], has_model: bool) -> Vec<usize> {
        let answers: Vec<Likeness> = answers
            .iter()
            .map(|(similarity, cosine)| Likeness { similarity: *similarity, cosine: *cosine })
            .collect();
        Thresholds::PROMPT.choose(&answers, has_model)
    }

    #[test]
    fn the_best_answer_needs_less_than_a_second_one() {
        assert_eq!(chosen(&[(0.25, Some(0.4)), (0.24, Some(0.4))], true), [0]);
        assert_eq!(chosen(&[(0.5, Some(0.4)), (0.45, Some(0.4)), (0.3, Some(0.5))], true), [0, 1]);
        assert_eq!(
            chosen(&[(0.3, Some(0.5)), (0.6, Some(0.5))], true),
            [1],
            "the order of the score does not decide"
        );
    }

    #[test]
    fn common_words_that_mean_something_else_are_no_answer() {
        // "print the number of searched files at the end" shares words with many entries, and is like none of them.
        assert_eq!(chosen(&[(0.55, Some(0.28))], true), [] as [usize; 0]);
        assert_eq!(chosen(&[(0.52, None)], true), [] as [usize; 0]);
        assert_eq!(chosen(&[(0.9, None)], true), [0], "a name that one entry has is one");
    }

    #[test]
    fn without_a_model_or_a_vector_words_decide() {
        assert_eq!(chosen(&[(0.36, None)], false), [0]);
        assert_eq!(chosen(&[(0.3, None)], false), [] as [usize; 0]);
        assert_eq!(chosen(&[(0.4, None), (0.1, Some(0.2))], true), [0], "an entry that waits for its vector");
    }
}
