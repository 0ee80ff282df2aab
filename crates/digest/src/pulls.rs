//! Pull requests as exports hold them: the shapes of GitHub's REST answers and of `gh pr view --json`.

use serde_json::Value;

use crate::document::Passage;
use crate::{Candidate, Place, Voice, document, marked, norms};

/// A pull request with what was said in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    pub number: u64,
    /// What was said, and where: `body`, `review 1`, `comment 2`.
    pub said: Vec<(String, String)>,
}

impl Pull {
    /// Reads an export: one pull request, or a list of them. Fields that are not known are left alone.
    pub fn read(text: &str) -> Result<Vec<Pull>, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))?;
        let list = match value {
            Value::Array(list) => list,
            Value::Object(_) => vec![value],
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err("is neither a pull request nor a list of them".to_owned());
            }
        };
        let read = |(at, value): (usize, &Value)| {
            pull(value)
                .ok_or_else(|| format!("has no pull request at position {}: `number` is missing", at + 1))
        };
        list.iter().enumerate().map(read).collect()
    }
}

fn pull(value: &Value) -> Option<Pull> {
    let number = value.get("number")?.as_u64()?;
    let mut said = Vec::new();
    let text = |value: &Value| {
        value.get("body").and_then(Value::as_str).map(str::to_owned).filter(|text| !text.trim().is_empty())
    };
    said.extend(text(value).map(|body| ("body".to_owned(), body)));
    for (field, word) in
        [("reviews", "review"), ("comments", "comment"), ("review_comments", "review comment")]
    {
        let list = value.get(field).and_then(Value::as_array).into_iter().flatten();
        said.extend(
            list.enumerate().filter_map(|(at, one)| Some((format!("{word} {}", at + 1), text(one)?))),
        );
    }
    Some(Pull { number, said })
}

/// The candidates of a pull request: what somebody marked as a lesson, and what is meant for always.
pub(crate) fn reduce(pull: &Pull) -> Vec<Candidate> {
    let mut found = Vec::new();
    each_passage(pull, |passage, at| {
        let lessons = marked::lessons(passage, at);
        let is_told = |norm: &Candidate| {
            let tells =
                |lesson: &Candidate| lesson.quote.contains(&norm.quote) || norm.quote.contains(&lesson.quote);
            lessons.iter().any(tells)
        };
        let norms = norms::norms(std::slice::from_ref(passage), Voice::Talk, at);
        let norms: Vec<Candidate> = norms.into_iter().filter(|norm| !is_told(norm)).collect();
        found.extend(lessons);
        found.extend(norms);
    });
    found
}

/// Sentences of a pull request that may be meant for always.
pub(crate) fn undecided(pull: &Pull) -> Vec<Candidate> {
    let mut found = Vec::new();
    each_passage(pull, |passage, at| {
        if marked::lessons(passage, at).is_empty() {
            found.extend(norms::undecided(std::slice::from_ref(passage), Voice::Talk, at));
        }
    });
    found
}

fn each_passage(pull: &Pull, mut read: impl FnMut(&Passage, &dyn Fn(u32, u32) -> Place)) {
    for (part, text) in &pull.said {
        let at = |_, _| Place::Pull { number: pull.number, part: part.clone() };
        document::passages(text).iter().for_each(|passage| read(passage, &at));
    }
}
