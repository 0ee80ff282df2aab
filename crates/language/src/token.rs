//! One word of a text: as it was written, the form in which it is compared, and what it is.

use crate::lexicon;
use crate::negation::Negation;
use crate::word_list::WordList;

static SCOPES: WordList = WordList::new(include_str!("../words/scopes.txt"));
static COMMON_ACRONYMS: WordList = WordList::new(include_str!("../words/common_acronyms.txt"));
static LIGHT_VERBS: WordList = WordList::new(include_str!("../words/light_verbs.txt"));

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A word of the language.
    Word,
    /// A word too common to carry the claim.
    Small,
    /// A capitalised word, an acronym, a product.
    Name,
    /// Something that was written to be copied: code, a flag, a setting, an address.
    Code,
    Path,
    Number,
    /// A version or a date.
    Version,
}

/// One word of a text.
#[derive(Clone, Debug)]
pub struct Token {
    /// As it was written, for quoting.
    pub text: String,
    /// The form in which it is compared.
    pub key: String,
    /// What it is.
    pub shape: Shape,
    /// The number of the clause it stands in, counted through the text.
    pub clause: usize,
    /// The number of the sentence it stands in, counted through the text.
    pub sentence: usize,
    /// Whether it denies what follows.
    pub negates: bool,
    /// Counts only against another of its kind.
    pub vague: bool,
    /// A verb that says little: `put`, `keep`, `have`.
    pub light: bool,
}

impl Token {
    /// Whether it carries meaning: not a small word, not a negation, not vague.
    pub fn is_content(&self) -> bool {
        self.shape != Shape::Small && !self.negates && !self.vague
    }

    /// A word of extent: `all`, `only`.
    pub(crate) fn is_scope(&self) -> bool {
        SCOPES.contains(&self.key)
    }

    /// Gives a word its compared form and its standing.
    pub(crate) fn settle(&mut self) {
        if matches!(self.shape, Shape::Code | Shape::Path | Shape::Number | Shape::Version) {
            return;
        }
        let lower = self.key.to_lowercase();
        if Negation::Claim.contains(&lower) {
            self.negates = true;
            self.shape = Shape::Small;
            self.key = lower;
            return;
        }
        if lexicon::SMALL_WORDS.contains(&lower) {
            self.shape = Shape::Small;
            self.key = lower;
            return;
        }
        if let Some(product) = lexicon::product(&lower) {
            self.shape = Shape::Name;
            self.key = product.to_owned();
            return;
        }
        if self.shape == Shape::Name && lexicon::is_known(&lower) {
            self.shape = Shape::Word;
        }
        if self.shape == Shape::Name && COMMON_ACRONYMS.contains(&lower) {
            self.vague = true;
        }
        self.light = LIGHT_VERBS.contains(&lower);
        self.key = lexicon::compared_form(&lower);
    }
}

/// The clauses of some tokens, in their order. A clause ends at punctuation, at a bracket and with its sentence.
pub fn clauses(tokens: &[Token]) -> impl Iterator<Item = Clause<'_>> {
    tokens.chunk_by(|one, next| one.clause == next.clause)
}

/// The sentences of some tokens, in their order.
pub fn sentences(tokens: &[Token]) -> impl Iterator<Item = Sentence<'_>> {
    tokens.chunk_by(|one, next| one.sentence == next.sentence)
}

/// The tokens of one clause.
pub type Clause<'a> = &'a [Token];

/// The tokens of one sentence.
pub type Sentence<'a> = &'a [Token];
