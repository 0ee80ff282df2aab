//! `brief`: what an agent should know before it begins, of the store or for a task.

use kenning::SurfaceInput;
use kenning::core::{Code, Refusal};
use kenning::ops::surface::Role;
use schemars::JsonSchema;
use serde::Deserialize;

use super::find::nothing_here;
use crate::tool::{Answer, Nature, Tool};

#[derive(Deserialize, JsonSchema)]
struct Brief {
    /// What you are about to do, or what went wrong
    task: Option<String>,
    #[schemars(extend("enum" = ["researcher", "planner", "debugger", "executor"]))]
    role: Option<String>,
    tokens: Option<usize>,
    run: Option<String>,
    agent: Option<String>,
}

/// Tokens of a briefing, when nobody says how many.
const TOKENS: usize = 500;

pub(super) fn brief() -> Tool {
    Tool::new(
        "brief",
        "Brief",
        Nature::Reads,
        "Start here: entries for a task, or an overview of the store.",
        "text",
        |door, asker, input: Brief| {
            (asker.run, asker.agent) = (input.run.clone(), input.agent.clone());
            let role = match &input.role {
                None => Role::Researcher,
                Some(word) => Role::ALL
                    .into_iter()
                    .find(|role| role.word() == word.trim().to_lowercase())
                    .ok_or_else(|| {
                        let words: Vec<&str> = Role::ALL.iter().map(|role| role.word()).collect();
                        let message = format!("{word:?} is no role; allowed: {}", words.join(", "));
                        Refusal::new(Code::Invalid, message).field("role")
                    })?,
            };
            let task = input.task.filter(|task| !task.trim().is_empty());
            let tokens = input.tokens;
            let answered = door.ask(asker, true, |room| match &task {
                Some(task) => {
                    let asked = SurfaceInput {
                        budget: tokens,
                        ..SurfaceInput::new(role, task, kenning::recall::policy(&room.ken.site.config, role))
                    };
                    let answer = kenning::recall::surface(
                        &mut room.ken.ledger,
                        &room.ken.site,
                        &mut room.ken.models,
                        &room.ken.caller,
                        &asked,
                    )?;
                    let entries = answer.entries.iter().map(|entry| entry.head.id.clone()).collect();
                    Ok((Answer::new(answer.text.clone(), &answer)?.with_entries(entries), room.is_global))
                }
                None => {
                    let answer = kenning::brief::brief(
                        &mut room.ken.ledger,
                        &room.ken.site,
                        &room.ken.models,
                        &room.ken.caller,
                        tokens.unwrap_or(TOKENS),
                    )?;
                    let text = kenning::guard::fence::block("Kenning", &answer.text);
                    let entries = answer.ids.clone();
                    Ok((Answer::new(text, &answer)?.with_entries(entries), room.is_global))
                }
            });
            match answered {
                Err(kenning::Error::Refused(refusal)) if refusal.code == Code::NoStore => nothing_here(),
                answered => answered.map(|(answer, is_global)| answer.told_global(is_global)),
            }
        },
    )
}
