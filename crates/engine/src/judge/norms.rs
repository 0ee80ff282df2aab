//! Which sentences of documents and pull requests are rules, where their words do not tell.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::questions::prompt;
use super::{Prompt, Question};
use crate::limits::judge::SHORT_ANSWER_TOKENS;

/// Which of these sentences are rules for whoever works on the project?
#[derive(Clone, Copy, Debug)]
pub struct Norms<'a> {
    pub sentences: &'a [String],
}

impl Question for Norms<'_> {
    /// The places of the rules among the sentences, from 0.
    type Answer = BTreeSet<usize>;
    const KIND: &'static str = "norms";

    fn prompt(&self) -> Prompt {
        let what = "`sentences` come from documents and pull requests of the project. Which of them are rules: something that everybody who works \
                    on the project, people and agents, has to keep to? No rules are facts about how the software works, what a format or an \
                    interface asks of its users, requests about one change, steps of a walk-through, wishes and guesses. `norms` lists the numbers \
                    of the rules. In doubt leave a sentence out; an empty list is a good answer.";
        let numbered: Vec<Value> = self
            .sentences
            .iter()
            .enumerate()
            .map(|(at, text)| json!({ "number": at + 1, "text": text }))
            .collect();
        let fields = json!({ "norms": { "type": "array", "items": { "type": "integer" } } });
        prompt(what, json!({ "sentences": numbered }), fields, SHORT_ANSWER_TOKENS)
    }

    fn read(&self, answer: &Value) -> Result<BTreeSet<usize>, String> {
        let numbers = answer["norms"].as_array().ok_or("norms is not a list")?;
        let read = |number: &Value| {
            let at = number.as_u64().and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
            at.filter(|at| *at < self.sentences.len())
                .ok_or_else(|| format!("norms has {number}; the sentences are 1 to {}", self.sentences.len()))
        };
        numbers.iter().map(read).collect()
    }
}
