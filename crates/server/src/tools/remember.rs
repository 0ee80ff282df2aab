//! `remember`: the one way in, for agents.

use kenning::AddInput;
use kenning::core::{Relation, Type};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::one_or_many;
use crate::tool::{Answer, Nature, Tool};

#[derive(Deserialize, JsonSchema)]
struct Remember {
    /// One to three sentences
    statement: String,
    /// lesson (default), decision, pattern ...
    #[serde(rename = "type")]
    kind: Option<String>,
    title: Option<String>,
    detail: Option<String>,
    /// commit:HASH, pr:#N, doc:PATH, test:PATH, transcript:REF
    #[serde(default, deserialize_with = "one_or_many")]
    evidence: Vec<String>,
    /// PATH, PATH:12-20 or PATH#symbol
    #[serde(default, deserialize_with = "one_or_many")]
    anchors: Vec<String>,
    /// 1 to 3 steps
    #[serde(default, deserialize_with = "one_or_many")]
    verify: Vec<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    tags: Vec<String>,
    supersedes: Option<String>,
    /// Accept an incomplete entry
    #[serde(default)]
    draft: bool,
    run: Option<String>,
    agent: Option<String>,
}

pub(super) fn remember() -> Tool {
    Tool::new(
        "remember",
        "Remember",
        Nature::Adds,
        "Save what helps the next agent: a root cause, a decision and its reason, a pitfall. \
         Not what the code says, not progress, never secrets.",
        "outcome id",
        |door, asker, input: Remember| {
            (asker.run, asker.agent) = (input.run.clone(), input.agent.clone());
            let mut content = Map::new();
            let mut put = |name: &str, value: Value| content.insert(name.to_owned(), value);
            put("statement", input.statement.clone().into());
            for (name, text) in [("title", &input.title), ("detail", &input.detail)] {
                if let Some(text) = text {
                    put(name, text.clone().into());
                }
            }
            for (name, list) in
                [("anchors", &input.anchors), ("verification", &input.verify), ("tags", &input.tags)]
            {
                if !list.is_empty() {
                    put(name, list.clone().into());
                }
            }
            // A decision is an experience of that kind; agents say it in one word.
            let said = input.kind.unwrap_or_else(|| "lesson".to_owned());
            let word = said.trim().to_lowercase();
            let kind = match Type::Experience.subtypes().contains(&word.as_str()) {
                true => {
                    put("subtype", word.into());
                    Type::Experience.word().to_owned()
                }
                false => said,
            };
            let wish = AddInput {
                kind: Some(kind),
                content,
                evidence: input.evidence,
                draft: input.draft,
                ..AddInput::default()
            };
            let supersedes = input.supersedes;
            door.ask(asker, false, |room| {
                // A verified entry stays until a person decides; what is said against it is tied to it.
                let kept = match &supersedes {
                    Some(old) => kenning::retract::verified_for_a_person(
                        &room.ken.ledger,
                        &room.ken.site.workspace,
                        &room.ken.caller,
                        old,
                    )?,
                    None => None,
                };
                if let (Some(old), None) = (&supersedes, &kept) {
                    let answer = kenning::supersede::supersede_by_new(
                        &mut room.ken.ledger,
                        &room.ken.site,
                        &mut room.ken.models,
                        &room.ken.caller,
                        old,
                        wish.clone(),
                        "replaced by what was learned since",
                    )?;
                    let new = answer.superseded_by.clone().unwrap_or_default();
                    let text = format!("added {new}, which supersedes {}", answer.id);
                    let entries = vec![new, answer.id.clone()];
                    return Ok(Answer::new(text, &answer)?.with_entries(entries));
                }
                let mut answer = kenning::add::add(
                    &mut room.ken.ledger,
                    &room.ken.site,
                    &mut room.ken.models,
                    &room.ken.caller,
                    wish.clone(),
                )?;
                if let (Some(old), Some(handle)) = (&supersedes, kept)
                    && !answer.is_rejected()
                {
                    kenning::link::link(
                        &mut room.ken.ledger,
                        &room.ken.site,
                        &mut room.ken.models,
                        &room.ken.caller,
                        &answer.id,
                        Relation::Contradicts.word(),
                        old,
                        false,
                    )?;
                    answer.reasons.push(format!(
                        "{handle} is verified and stays: a person decides with `ken supersede {handle} {}`",
                        answer.handle
                    ));
                }
                let mut text = format!("{} {}", answer.outcome, answer.id);
                answer.reasons.iter().for_each(|reason| {
                    text.push_str("\n- ");
                    text.push_str(reason);
                });
                let is_error = answer.is_rejected();
                let entries = vec![answer.id.clone()];
                Ok(Answer { is_error, ..Answer::new(text, &answer)?.with_entries(entries) })
            })
        },
    )
}
