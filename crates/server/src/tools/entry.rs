//! `show_entry` and `correct_entry`: one entry, read whole, corrected, or said to be wrong.

use kenning::core::decide::Change;
use kenning::core::{Code, Refusal};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::one_or_many;
use crate::tool::{Answer, Nature, Tool, harmless};

#[derive(Deserialize, JsonSchema)]
struct Show {
    id: String,
}

pub(super) fn show() -> Tool {
    Tool::new(
        "show_entry",
        "Show entry",
        Nature::Reads,
        "Read one entry in full, with its evidence and whether it still holds.",
        "id",
        |door, asker, input: Show| {
            door.ask(asker, true, |room| {
                let view =
                    kenning::show::show(&mut room.ken.ledger, &room.ken.site, &room.ken.caller, &input.id)?;
                let whole = harmless(serde_json::to_value(&view).unwrap_or_default());
                let text = crate::resources::entry_text(&whole);
                Ok(Answer { text, value: whole, entries: vec![view.id.clone()], ..Answer::default() })
            })
        },
    )
}

#[derive(Deserialize, JsonSchema)]
struct Revise {
    id: String,
    reason: String,
    /// The entry is wrong
    #[serde(default)]
    wrong: bool,
    statement: Option<String>,
    detail: Option<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    evidence: Vec<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    anchors: Vec<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    verify: Vec<String>,
}

pub(super) fn correct() -> Tool {
    Tool::new(
        "correct_entry",
        "Correct entry",
        Nature::Adds,
        "Correct an entry, or mark it as wrong. For new knowledge use `remember`.",
        "id",
        |door, asker, input: Revise| {
            let words = [("statement", &input.statement), ("detail", &input.detail)];
            let mut set: Map<String, Value> = words
                .into_iter()
                .filter_map(|(name, text)| Some((name.to_owned(), Value::from(text.clone()?))))
                .collect();
            for (name, list) in [("anchors", &input.anchors), ("verification", &input.verify)] {
                if !list.is_empty() {
                    set.insert(name.to_owned(), Value::from(list.clone()));
                }
            }
            let says_words = !set.is_empty() || !input.evidence.is_empty();
            if input.wrong == says_words {
                let message = match input.wrong {
                    true => "`wrong` says that there are no better words, and there are some",
                    false => "nothing to change was given",
                };
                return Err(Refusal::new(Code::Invalid, message)
                    .hint("give the corrected statement, detail or evidence; or `wrong: true` alone")
                    .field(if input.wrong { "wrong" } else { "statement" })
                    .into());
            }
            door.ask(asker, false, |room| {
                let answer = match input.wrong {
                    true => kenning::learn::feedback(
                        &mut room.ken.ledger,
                        &room.ken.site,
                        &mut room.ken.models,
                        &room.ken.caller,
                        &input.id,
                        false,
                        &input.reason,
                    )?,
                    false => {
                        let reason = Some(input.reason.clone()).filter(|reason| !reason.trim().is_empty());
                        let change = Change { set: set.clone(), reason, ..Change::default() };
                        kenning::edit::revise(
                            &mut room.ken.ledger,
                            &room.ken.site,
                            &mut room.ken.models,
                            &room.ken.caller,
                            &input.id,
                            change,
                            &input.evidence,
                            false,
                        )?
                    }
                };
                let text = format!("{} {}: {}", answer.handle, answer.status, answer.reasons.join("; "));
                Ok(Answer::new(text, &answer)?.with_entries(vec![answer.id.clone()]))
            })
        },
    )
}
