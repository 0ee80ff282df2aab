//! Every bound and threshold of this crate, with its unit and its reason, by the file that keeps it.

/// `delivery.rs`: Which answers are good enough to be put before somebody who did not ask for them. Chosen on `evals/moments`, each store's by the others;
/// `docs/internals/moments-quality.md` has the figures.
pub(crate) mod delivery {
    /// Where a role is handed something, the best answer is as likely one as for a search: whoever asks for a role hears what a search says.
    pub const SURFACE_SIMILARITY_MIN: f64 = super::rank::ANSWER_MIN;
    /// An entry that is less likely an answer than this share of the best is not handed to a role.
    pub const SURFACE_SHARE_MIN: f64 = 0.1;
    /// Where a model is at hand and nothing comes near in meaning, common words are no answer; names and quoted messages still are.
    pub const WORDS_ALONE_SIMILARITY_MIN: f64 = 0.6;
}

/// `keyword.rs`: How well words match: BM25, and what the best matches say besides (RM3). `docs/internals/recall.md` says where the constants come from.
pub(crate) mod keyword {
    /// BM25 k1: how fast a repeated term stops counting.
    pub const SATURATION: f32 = 0.9;
    /// BM25 b, 0 to 1: how much a long text is held against it.
    pub const LENGTH_WEIGHT: f32 = 0.6;
    /// A query of more different terms is a document; the first ones say what it is about.
    pub const TERMS_MAX: usize = 48;
    /// Texts whose words are added to the question.
    pub const FEEDBACK_TEXTS_MAX: usize = 5;
    /// Texts beyond them that may come in for being equal to the last.
    pub const FEEDBACK_EQUALS_MAX: usize = 45;
    /// The best texts that are looked at to choose them.
    pub const LEADING: usize = FEEDBACK_TEXTS_MAX + FEEDBACK_EQUALS_MAX;
    /// Terms that they add.
    pub const FEEDBACK_TERMS_MAX: usize = 10;
    /// A term in more than this share of the texts says nothing about those that match.
    pub const FEEDBACK_SHARE_MAX: f32 = 0.8;
}

/// `question.rs`: What a person types into a search box, understood.
pub(crate) mod question {
    /// A query is looked at up to here, in bytes: more is a document, and its beginning says what it is about.
    pub const QUERY_BYTES_MAX: usize = 16 * 1024;
    /// `-v` and `-rf` are flags that somebody pasted; from here on a word is excluded.
    pub const EXCLUDED_CHARS_MIN: usize = 3;
}

/// `rank.rs`: Words and meaning, weighed against each other for each question. Chosen together, each set of questions left
/// out once, so no one of them can be changed alone: `docs/internals/recall.md` says how. What they decide is decision 0014.
pub(crate) mod rank {
    /// Below this nothing relevant is known: whoever asks is told so.
    pub const ANSWER_MIN: f64 = 0.07;
    /// Below this nothing is handed to a reviewer, who did not ask for it in so many words.
    pub const SURFACE_MIN: f64 = 0.12;
    /// What is less likely than this share of the best is no second answer.
    pub const ANSWER_SHARE_MIN: f64 = 0.0016;
    /// Texts that each side brings before they are weighed: what is further down on one side is first on no other.
    pub const CANDIDATES_MAX: usize = 400;
    /// Texts that lend something to their neighbours: those behind them have next to nothing to lend.
    pub const LENDERS_MAX: usize = 300;
    /// Proven texts that each side brings where others fill its places: enough to choose the first ten from.
    pub const RESERVED_MAX: usize = 50;
    /// Cosine from which on a text says what was asked, on the scale of the bundled model. No right answer of three sets comes so near to its question;
    /// nine of ten entries made to be found by a question do. Decision 0039, like the next ones.
    pub const ECHO_COSINE_MIN: f64 = 0.85;
    /// A text that covers so much of a question's words repeats it, where no meaning tells: it has all of them, as often as a text of ordinary length.
    pub const ECHO_COVER_MIN: f64 = 1.0;
    /// Different terms of a question that can be repeated: what is about a few words has all of them.
    pub const ECHO_TERMS_MIN: usize = 7;
    /// Proven texts that come before one that repeats the question: as many as most look at.
    pub const ECHO_PLACES: usize = 5;
    /// What is relevant by this share of it, or more, is near to it. Where nothing is, who repeats the question may be the only one who answers it.
    pub const ECHO_SHARE_MIN: f64 = 0.5;
    /// What comes behind another text counts this share of it.
    pub const BEHIND: f64 = 0.999;
    /// The share of a question that its best matches may add (RM3).
    pub const FEEDBACK_SHARE: f32 = 0.3;
    /// What a text gets for being about a subject of the question.
    pub const SUBJECT_BONUS: f64 = 0.5;
    /// A subject that fewer than this share of its own texts name is filed under, not spoken of.
    pub const SPOKEN_SHARE_MIN: f32 = 0.5;
    /// Words of the longest subject that a question is searched for.
    pub const SUBJECT_WORDS_MAX: usize = 4;
    /// The contrast of the scores by words before both sides are mixed.
    pub const WORDS_POWER: f64 = 1.5;
    /// The contrast of the scores by meaning before both sides are mixed.
    pub const MEANING_POWER: f64 = 2.0;
    /// Cosine of two texts that have nothing to do with each other, on the scale of the bundled model.
    pub const FAR_COSINE: f64 = 0.1;
    /// The least spread of cosines that is taken for one: less is noise of the model.
    pub const COSINE_SPREAD_MIN: f64 = 0.05;
    /// Cosine below which nothing comes near in meaning.
    pub const NEAR_COSINE_MIN: f64 = 0.2;
    /// The odds for words grow with this power of how far the best match stands out,
    pub const SHARPNESS_POWER: f64 = 1.0;
    /// with this power of how much of the question it covers,
    pub const COVERAGE_POWER: f64 = 0.5;
    /// and with this power of how near meaning came, which speaks against them.
    pub const NEARNESS_POWER: f64 = -0.7;
    /// Keeps the odds finite where one side has nothing.
    pub const ODDS_MIN: f64 = 0.05;
    /// The place in the list whose score the best one is compared with: behind the few that may all be right.
    pub const SHARPNESS_PLACE: usize = 10;
    /// Weight, in logits, of how near the best answer came, in how likely it is right;
    pub const SURE_BY_NEARNESS: f64 = 8.5;
    /// of how much of the question its words cover;
    pub const SURE_BY_COVERAGE: f64 = 4.5;
    /// and what both start from.
    pub const SURE_FROM: f64 = -6.0;
    /// Weight, in logits, of the words where there is no meaning;
    pub const SURE_BY_COVERAGE_ALONE: f64 = 6.3;
    /// and what it starts from.
    pub const SURE_FROM_ALONE: f64 = -3.0;
    /// A question is covered at most this far: repeated words say no more.
    pub const COVERAGE_MAX: f64 = 1.2;
    /// Among many texts one is near by chance: how far chance spreads, as a share of the cosine,
    pub const CHANCE_SPREAD: f64 = 0.1;
    /// and among how many texts the constants above were chosen.
    pub const CHANCE_TEXTS: f64 = 356.0;
    /// How fast likelihood falls behind the best answer.
    pub const FALL_POWER: f64 = 4.0;
}

/// `terms.rs`: From a text to the terms it is found by.
pub(crate) mod terms {
    /// A text longer than this is indexed by its beginning.
    pub const TEXT_BYTES_MAX: usize = 256 * 1024;
    /// A run of characters longer than this is no word anybody will type.
    pub const WORD_CHARS_MAX: usize = 64;
    /// Words whose forms a thread keeps, 42 bytes each: the words of a few hundred entries.
    pub const FORMS_MAX: usize = 1024;
    /// Longer words are stemmed each time; there are few.
    pub const FORM_BYTES_MAX: usize = 20;
}

/// `vectors.rs`: A flat list of vectors, searched exactly while it is short, and through one bit a dimension when it is long.
pub(crate) mod vectors {
    /// Up to this many vectors every one is compared; above it the signs choose which.
    pub const COMPARED_ALL_MAX: usize = 24_000;
    /// How many of the nearest by sign are compared in full.
    pub const COMPARED_AFTER_SIGNS: usize = 1_500;
}
