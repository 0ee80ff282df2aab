//! Questions that rules cannot answer, and who answers them (UPK-1, UPK-4, EXT-1).
//!
//! A [`Judge`] is a language model behind a port. It is asked typed questions ([`Question`]) and gives typed answers, each with a reason. What a
//! judge says is data: an answer that does not fit its question is an error, and words that it wrote are stored through the intake only. Where
//! there is no judge, the same questions wait in the queue for an agent or a person.

mod norms;
mod questions;

use serde_json::{Value, json};

pub use norms::Norms;
pub use questions::{COMMAND, Claim, Distil, Distilled, Extract, Relate, Relation, Span, Supports, Worth};

use crate::error::Result;
use crate::intake;
pub use crate::limits::judge::SHORT_ANSWER_TOKENS;

/// What a judge is asked: instructions, the matter, and the form of the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// What to do. It is ours and the same for all questions of a kind.
    pub instructions: String,
    /// What it is about, as JSON: texts of others stay inside its strings.
    pub matter: Value,
    /// The JSON schema of the answer.
    pub schema: Value,
    /// Tokens of an answer, at most.
    pub tokens_max: u32,
}

/// What came back from a judge that was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The answer; or a sentence that says why there is none: it refused, was late, or wrote something else. Another question may fare better.
    pub answer: std::result::Result<Value, String>,
    /// Tokens that were read and written, as the judge counts them.
    pub usage: Usage,
}

/// How much a judge read and wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub read: u64,
    pub written: u64,
}

/// Answers questions that rules cannot. Each call may cost money and sends its prompt elsewhere: who calls has asked whether it may.
pub trait Judge: Send + Sync {
    /// What its answers are credited to, and kept under: the protocol, the model and the place.
    fn name(&self) -> &str;
    /// One answer in the form that the prompt asks for. Fails where no question would be answered: there is no connection, or it does not know us.
    fn complete(&self, prompt: &Prompt) -> Result<Completion>;
}

/// A question with a typed answer.
pub trait Question {
    type Answer;
    /// A word for it.
    const KIND: &'static str;
    fn prompt(&self) -> Prompt;
    /// Reads an answer; the problem is a clause.
    fn read(&self, answer: &Value) -> std::result::Result<Self::Answer, String>;
}

/// An answer, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling<T> {
    pub answer: T,
    pub reason: String,
}

/// Reads what a judge answered to a question; the problem is a clause.
pub fn read<Q: Question>(question: &Q, answer: &Value) -> std::result::Result<Ruling<Q::Answer>, String> {
    let reason = answer["reason"].as_str().map(str::trim).unwrap_or_default();
    if reason.is_empty() {
        return Err("it has no reason".to_owned());
    }
    let typed = question.read(answer)?;
    Ok(Ruling { answer: typed, reason: intake::judge_words(reason) })
}

/// The schema of an answer: these fields and a reason, all required and nothing else, as servers with strict output want it.
fn schema(fields: Value) -> Value {
    let mut fields = fields;
    fields["reason"] = json!({ "type": "string", "description": "one short sentence" });
    let names: Vec<String> = fields.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": fields, "required": names, "additionalProperties": false })
}
