//! Every bound of reducing a text, with its unit and its reason.

/// A sentence longer than this is no norm but a paragraph without full stops.
pub const SENTENCE_CHARS_MAX: usize = 600;
/// Shorter ones say nothing that could be followed.
pub const SENTENCE_WORDS_MIN: usize = 2;
/// The longest subject that is carried from one half of a sentence to the other, in words.
pub const SUBJECT_WORDS_MAX: usize = 9;
/// The longest subject that is a plural without an article, `log lines`, in words.
pub const PLURAL_WORDS_MAX: usize = 3;
/// Sentences of a section that ask for something, from which on it is a section of rules whatever its heading is.
pub const RULING_SENTENCES_MIN: usize = 3;
/// The share of them among all of its sentences, in percent.
pub const RULING_PERCENT_MIN: usize = 50;
/// The longest heading that is put in front of what lacks a subject, in words.
pub const HEADING_WORDS_MAX: usize = 7;
/// Commits of a range, of which this many tell what is usual.
pub const USUAL_COMMITS_MIN: usize = 10;
/// The share of them that has to follow a convention for it to be one, in percent.
pub const USUAL_PERCENT_MIN: usize = 80;
/// The longest quote of a source, in characters.
pub const QUOTE_CHARS_MAX: usize = 1_000;
/// A heading or a lead longer than this names nothing: every passage below would carry it, in bytes.
pub const HEADING_BYTES_MAX: usize = 300;
/// Cells of one row of a table. More are data.
pub const CELLS_MAX: usize = 24;
/// Fewer sentences do not tell how a document speaks.
pub const VOICE_SENTENCES_MIN: usize = 6;
/// Sentences with a verb of duty that a document of rules has at least, whatever it is called.
pub const VOICE_DUTIES_MIN: usize = 3;
/// The share of such sentences in it, in percent.
pub const VOICE_DUTIES_PERCENT_MIN: usize = 25;
/// The share of its sentences that ask for something in any form, in percent.
pub const VOICE_ASKS_PERCENT_MIN: usize = 50;
/// A longer sentence explains; a rule that nobody marked as one is short, in words.
pub const UNDECIDED_WORDS_MAX: usize = 30;
/// A shorter one says nothing that somebody could decide about.
pub const UNDECIDED_WORDS_MIN: usize = 3;

/// `conversation.rs` and its folder: what people and agents say to each other.
pub mod conversation {
    /// Sentences of one passage: entries have one to three.
    pub const PASSAGE_SENTENCES_MAX: usize = 3;
    /// Characters of a passage. A longer one is a report.
    pub const PASSAGE_CHARS_MAX: usize = 750;
    /// Characters up to which a sentence is taken together with the one before, and with the next.
    pub const WITH_BEFORE_CHARS_MAX: usize = 560;
    pub const WITH_NEXT_CHARS_MAX: usize = 480;
    /// Words of an agent's passage: fewer say nothing that could be checked.
    pub const PASSAGE_WORDS_MIN: usize = 6;
    /// Words of a sentence: fewer are an answer.
    pub const SENTENCE_WORDS_MIN: usize = 4;
    /// A longer message of a person was pasted, in characters.
    pub const PERSON_CHARS_MAX: usize = 1_500;
    /// The worth from which on a passage is taken, as the logarithm of the odds. Chosen on whole repositories that the weights had not seen.
    pub const WORTH_AGENT_MIN: f64 = -0.7;
    pub const WORTH_PERSON_MIN: f64 = -1.15;
    /// Passages of one session: a person reads each of them.
    pub const CHOSEN_MAX: usize = 6;
    /// The share of the shorter one's words from which on two passages say the same.
    pub const MERGED_SHARE_MIN: f64 = 0.5;
    /// Characters of a word that is compared.
    pub const WORD_CHARS_MIN: usize = 3;
}

/// Limits of `proposal`.
pub mod proposal {
    /// So many words after one that denies or asks, it says nothing of what is named.
    pub const MOOD_WORDS_MAX: usize = 9;
    /// So many words may lie between an edit and the path that is meant.
    pub const EDIT_WORDS_MAX: usize = 8;
    /// Words of a command at most: what follows is words again.
    pub const COMMAND_CHARS_MAX: usize = 120;
}

/// Limits of `worth`.
pub mod worth {
    /// How strongly weights are held near zero.
    pub const HELD: f64 = 10.0;
    /// Steps of learning; after these nothing changes in the second digit.
    pub const STEPS: usize = 4_000;
    /// How far one step goes.
    pub const RATE: f64 = 0.5;
}
