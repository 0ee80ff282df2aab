//! `finish`: how a task ended and what it used, or what a reviewer found.

use kenning::FinishInput;
use kenning::core::run::RunOutcome;
use kenning::core::{Code, Refusal};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::one_or_many;
use crate::tool::{Answer, Nature, Tool};

#[derive(Deserialize, JsonSchema)]
struct Finish {
    #[schemars(extend("enum" = ["success", "failure", "killed", "abandoned"]))]
    outcome: Option<String>,
    /// Ids you used, best first
    #[serde(default, deserialize_with = "one_or_many")]
    used: Vec<String>,
    /// Ids that were wrong
    #[serde(default, deserialize_with = "one_or_many")]
    wrong: Vec<String>,
    summary: Option<String>,
    /// 0 to 1
    quality: Option<f64>,
    run: Option<String>,
    agent: Option<String>,
    /// JSON or a Findings Index
    #[schemars(with = "Option<String>")]
    findings: Option<Value>,
}

pub(super) fn finish() -> Tool {
    Tool::new(
        "finish",
        "Finish",
        Nature::Adds,
        "Report how a task ended and which entries it relied on; or report findings of a review.",
        "run",
        |door, asker, input: Finish| {
            if let Some(findings) = &input.findings {
                let run = input.run.clone().ok_or_else(|| {
                    Refusal::new(Code::Invalid, "`findings` need the `run` of a review")
                        .hint("pass `run`; `ken review start` prints its name")
                        .field("run")
                })?;
                let text = match findings {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let agent = input.agent.clone();
                (asker.run, asker.agent) = (Some(run.clone()), agent.clone());
                return door.ask(asker, false, |room| {
                    let answer = kenning::learn::review_report(
                        &mut room.ken.ledger,
                        &room.ken.site.config,
                        &room.ken.caller,
                        &run,
                        agent.as_deref(),
                        &text,
                    )?;
                    Answer::new(format!("reported to {run}"), &answer)
                });
            }
            let words: Vec<&str> = RunOutcome::WORDS.iter().take(4).map(|(word, _)| *word).collect();
            // As it was said: in small letters the scanner knows no token.
            let said = input.outcome.as_deref().unwrap_or_default().trim();
            let outcome = RunOutcome::from_word(&said.to_lowercase()).ok_or_else(|| {
                let message = format!("unknown outcome {said:?}; allowed: {}", words.join(", "));
                Refusal::new(Code::Invalid, message).field("outcome")
            })?;
            let summary = input.summary.clone().filter(|text| !text.trim().is_empty());
            asker.agent = input.agent.clone();
            door.ask(asker, false, |room| {
                let ended = FinishInput {
                    run: input.run.clone().unwrap_or_default(),
                    outcome,
                    quality: input.quality,
                    used: Some(input.used.clone()),
                    wrong: input.wrong.clone(),
                    cost: None,
                    rounds: None,
                    strategy: None,
                };
                // Without a name it is a task of its own that ends here: a conversation has many.
                let answer = match &input.run {
                    Some(_) => kenning::learn::task_finish(
                        &mut room.ken.ledger,
                        &room.ken.site,
                        &mut room.ken.models,
                        &room.ken.caller,
                        ended,
                    )?,
                    None => {
                        let goal = summary.as_deref().unwrap_or("a task of this conversation");
                        kenning::learn::task_finish_apart(
                            &mut room.ken.ledger,
                            &room.ken.site,
                            &mut room.ken.models,
                            &room.ken.caller,
                            goal,
                            ended,
                        )?
                    }
                };
                let mut text = format!("{} {}", answer.run, answer.outcome.word());
                for earned in &answer.observed {
                    let side = match earned.side {
                        kenning::core::belief::Side::For => "for",
                        kenning::core::belief::Side::Against => "against",
                    };
                    text.push_str(&format!("\n{:.2} {side} {}", earned.weight, earned.handle));
                }
                answer.notes.iter().for_each(|note| text.push_str(&format!("\nnote: {note}")));
                Answer::new(text, &answer)
            })
        },
    )
}
