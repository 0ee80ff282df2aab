//! One reader of English for similarity, contradictions, findings, digestion, session reports and the guard.
//!
//! [`tokens`] takes a text apart into words with their clauses and sentences; [`Reading`] adds what is denied. [`Negation`] says which words deny,
//! [`stem`] gives words one form, [`lexicon`] knows synonyms and opposites, [`sentence_ends`] cuts, [`split`] gives plain words. Word lists
//! are data files ([`WordList`]). Text in, values out: no files, clock, dice or environment, and nothing of ours is used here.

pub mod lexicon;
mod limits;
mod negation;
mod normal;
mod quantity;
mod reader;
mod reading;
mod sentence;
pub mod split;
mod stem;
mod token;
pub mod word_list;

pub use lexicon::{are_opposites, compared_form};
pub use negation::Negation;
pub use normal::{flat, normalise};
pub use reader::tokens;
pub use reading::Reading;
pub use sentence::{Style, in_backticks, sentence_ends};
pub use stem::stem;
pub use token::{Clause, Sentence, Shape, Token, clauses, sentences};
pub use word_list::WordList;
