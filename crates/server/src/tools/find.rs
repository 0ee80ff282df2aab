//! `recall`, and `search` and `fetch` for hosts that require these names.

use kenning::core::{Code, Refusal, Type, TypeName};
use kenning::ops::search::AnswerStatus;
use kenning::ops::surface::NOTHING;
use kenning::requests::read_subtypes;
use kenning::{Query, Result, SearchAnswer, SearchInput};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::one_or_many;
use crate::door::{Asker, ServedStore};
use crate::resources::entry_uri;
use crate::tool::{Answer, Nature, Tool, harmless};

/// Answers, when nobody says how many: what an agent reads in one go.
const LIMIT: usize = 5;
/// Tokens of all answers together.
const TOKENS: usize = 800;

#[derive(Deserialize, JsonSchema)]
struct Recall {
    /// Question or keywords; -excluded, path:src/x.rs, tag:auth
    query: String,
    limit: Option<usize>,
    #[serde(default, deserialize_with = "one_or_many")]
    types: Vec<String>,
    subtype: Option<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    tags: Vec<String>,
    run: Option<String>,
    agent: Option<String>,
}

pub(super) fn recall() -> Tool {
    Tool::new(
        "recall",
        "Recall",
        Nature::Reads,
        "Search the knowledge of this project: lessons, decisions, known failures, each with its validity. \
         Use it before you plan, change code or debug.",
        "status results:array",
        |door, asker, input: Recall| {
            (asker.run, asker.agent) = (input.run.clone(), input.agent.clone());
            let mut asked = asked(&input.query, input.limit.unwrap_or(LIMIT), &input.types, input.tags)?;
            asked.among.subtypes = read_subtypes(input.subtype.as_slice(), &input.types)?;
            asked.budget_tokens = Some(TOKENS);
            let Some((answer, is_global)) = found(door, asker, &asked)? else { return nothing_here() };
            let value = lean(&answer);
            Ok(Answer { text: told(&answer, is_global), value, entries: ids(&answer), ..Answer::default() })
        },
    )
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// Question or keywords
    query: String,
    /// Maximum number of results; default 5
    limit: Option<usize>,
}

pub(super) fn search() -> Tool {
    Tool::new(
        "search",
        "Search",
        Nature::Reads,
        "Search the knowledge of this project. Returns ids for `fetch`, best first.",
        "results:array",
        |door, asker, input: Search| {
            let asked = asked(&input.query, input.limit.unwrap_or(LIMIT), &[], Vec::new())?;
            let Some((answer, is_global)) = found(door, asker, &asked)? else { return nothing_here() };
            let mut whole = Answer::new(String::new(), &answer)?.with_entries(ids(&answer));
            let mut short = Vec::new();
            for result in whole.value["results"].as_array_mut().into_iter().flatten() {
                let id = result["id"].as_str().unwrap_or_default().to_owned();
                result["url"] = Value::from(entry_uri(&id));
                short.push(json!({"id": id, "title": result["title"], "url": result["url"]}));
            }
            if is_global {
                whole.value["store"] = Value::from("global");
            }
            // Connectors read the text, and want JSON in it.
            whole.text = harmless(json!({ "results": short })).to_string();
            Ok(whole)
        },
    )
}

#[derive(Deserialize, JsonSchema)]
struct Fetch {
    /// Id from `search`
    id: String,
}

pub(super) fn fetch() -> Tool {
    Tool::new(
        "fetch",
        "Fetch",
        Nature::Reads,
        "Get one entry in full by its id.",
        "id title text url metadata:object",
        |door, asker, input: Fetch| {
            door.ask(asker, true, |room| {
                let view =
                    kenning::show::show(&mut room.ken.ledger, &room.ken.site, &room.ken.caller, &input.id)?;
                let whole = serde_json::to_value(&view).unwrap_or_default();
                let text = crate::resources::entry_text(&whole);
                let value = json!({
                    "id": view.id,
                    "title": whole["title"],
                    "text": text,
                    "url": entry_uri(&view.id),
                    "metadata": harmless(whole),
                });
                let text = value.to_string();
                Ok(Answer { text, value, entries: vec![view.id.clone()], ..Answer::default() })
            })
        },
    )
}

/// Said where the global store answers for want of one here.
pub(crate) const FROM_GLOBAL: &str =
    "(there is no store in this project: the global one answers; `ken init` makes one here)";

fn asked(query: &str, limit: usize, types: &[String], tags: Vec<String>) -> Result<SearchInput> {
    let mut among = Query { tags, ..Query::default() };
    for text in types {
        let kind = Type::from_word(&text.trim().to_lowercase()).ok_or_else(|| {
            let message = format!("{text:?} is no type of entry; allowed: {}", Type::WORDS.join(", "));
            Refusal::new(Code::Invalid, message).field("types")
        })?;
        among.types.push(TypeName::Known(kind));
    }
    Ok(SearchInput { query: query.to_owned(), limit, among, ..SearchInput::default() })
}

/// What the store says, and whether it is the global one; none where there is no store at all.
fn found(door: &ServedStore, asker: &Asker, input: &SearchInput) -> Result<Option<(SearchAnswer, bool)>> {
    let answer = door.ask(asker, true, |room| {
        let kenning::Reach { ledger, site, models, caller, .. } = &mut *room.ken;
        let answer = kenning::recall::search(ledger, site, models, caller, input)?;
        kenning::forage::ask_the_web(ledger, site, caller, &answer);
        Ok((answer, room.is_global))
    });
    match answer {
        Err(kenning::Error::Refused(refusal)) if refusal.code == Code::NoStore => Ok(None),
        answer => answer.map(Some),
    }
}

/// No store is no reason to stop: there is nothing known, and a way to begin.
pub(super) fn nothing_here() -> Result<Answer> {
    let refusal = crate::door::no_store();
    let hint = refusal.hint.unwrap_or_default();
    let value = json!({"status": "empty", "results": [], "notes": [refusal.message, hint]});
    Ok(Answer {
        text: format!("{NOTHING}: {}. To begin, {hint}.", refusal.message),
        value,
        ..Answer::default()
    })
}

fn ids(answer: &SearchAnswer) -> Vec<String> {
    answer.results.iter().map(|result| result.id.clone()).collect()
}

fn told(answer: &SearchAnswer, is_global: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    if is_global {
        lines.push(FROM_GLOBAL.to_owned());
    }
    match answer.results.is_empty() {
        true => lines.push(NOTHING.to_owned()),
        false => {
            let texts: Vec<&str> = answer.results.iter().map(|result| result.text.trim_end()).collect();
            lines.push(kenning::guard::fence::block("Kenning", &texts.join("\n")));
            lines.push(match texts.iter().any(|text| kenning::deliver::rest_of(text).is_some()) {
                true => {
                    "Cite the entries you use by id. […] marks shortened text: `show_entry` shows an entry in full.".to_owned()
                }
                false => "Cite the entries you use by id; `show_entry` shows one in full.".to_owned(),
            });
        }
    }
    lines.extend(answer.notes.iter().map(|note| format!("note: {note}")));
    if let (AnswerStatus::Degraded, Some(why)) = (answer.status, &answer.fallback) {
        lines.push(format!("note: keyword search only: {why}"));
    }
    lines.join("\n")
}

/// What an agent needs of each result; `search` gives all of it, with how each score came about.
const KEPT: &[&str] = &[
    "id",
    "handle",
    "type",
    "title",
    "text",
    "score",
    "similarity",
    "validity",
    "trouble",
    "confidence",
    "status",
    "date",
    "competing_with",
    "failed_source",
    "failed_last",
];

fn lean(answer: &SearchAnswer) -> Value {
    let whole = serde_json::to_value(answer).unwrap_or_default();
    let results = whole["results"].as_array().into_iter().flatten();
    let results: Vec<Value> = results
        .map(|result| {
            let kept = KEPT.iter();
            kept.filter_map(|name| Some(((*name).to_owned(), result.get(name)?.clone())))
                .collect::<Map<_, _>>()
                .into()
        })
        .collect();
    let mut lean = json!({"status": whole["status"], "results": results, "digest": whole["digest"]});
    for name in ["fallback", "notes"] {
        if let Some(value) = whole.get(name).filter(|value| !value.is_null()) {
            lean[name] = value.clone();
        }
    }
    lean
}
