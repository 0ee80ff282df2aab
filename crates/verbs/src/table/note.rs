//! `ken note`.

use ken_core::cluster::{Confidence, Severity};
use ken_core::kinds::Polarity;
use ken_engine::Result;
use ken_engine::ops::add::AddAnswer;
use ken_engine::ops::signals::SignalInput;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb, read_word};

/// Record an observation without any required fields.
pub struct Note;

/// The sides that a signal can take.
const SIDES: &[&str] = &["positive", "negative"];

/// What `note` takes.
#[derive(Clone, Debug, Request)]
pub struct NoteRequest {
    /// Text of the note
    #[field(required)]
    pub text: Vec<String>,
    /// Tag; `/` nests, as in auth/jwt
    #[field(long)]
    pub tag: Vec<String>,
    /// Kind: deviation, struggle, config_mismatch, good_pattern or your own
    #[field(long, value_name = "TYPE")]
    pub kind: Option<String>,
    /// Severity: critical, notable or minor
    #[field(long, value_name = "WORD", words = Severity::WORDS)]
    pub severity: Option<String>,
    /// Confidence: high, medium or low
    #[field(long, value_name = "WORD", words = Confidence::WORDS)]
    pub confidence: Option<String>,
    /// Polarity: positive or negative
    #[field(long, value_name = "SIDE", words = SIDES)]
    pub polarity: Option<String>,
}

impl Verb for Note {
    const NAME: &'static str = "note";
    const ABOUT: &'static str = "Record an observation without any required fields";
    const EXAMPLE: &'static str = "ken note 'The staging database was slow again.' --tag db";
    const GROUP: Group = Group::WriteDown;
    const NATURE: Nature = Nature::WRITES;
    type Request = NoteRequest;
    type Answer = AddAnswer;

    fn run(call: &mut Call, request: NoteRequest) -> Result<AddAnswer> {
        let NoteRequest { text, tag, kind, severity, confidence, polarity } = request;
        let said = SignalInput {
            tags: tag,
            kind,
            severity: chosen("severity", &severity, Severity::WORDS, Severity::from_word)?,
            confidence: chosen("confidence", &confidence, Confidence::WORDS, Confidence::from_word)?,
            polarity: chosen("polarity", &polarity, SIDES, Polarity::from_word)?,
        };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::health::note_signal(ledger, site, models, caller, text.join(" ").trim(), &said)
    }

    fn rejects(answer: &AddAnswer) -> bool {
        answer.is_rejected()
    }
}

fn chosen<T>(
    field: &str,
    said: &Option<String>,
    words: &[&str],
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>> {
    let known = |word: &str| words.contains(&word).then(|| read(word)).flatten();
    said.as_deref().map(|said| read_word(field, field, said, words, known)).transpose()
}
