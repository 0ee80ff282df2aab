//! Every other verb of the table as a tool, called in this process.

use kenning::verb::{Authority, Doors, Effect, Row};
use kenning::{Error, Result};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use crate::door::{Asker, ServedStore};
use crate::tool::{Answer, Nature, Tool};

/// An answer that is longer is whole in the structured content alone.
const TEXT_CHARS_MAX: usize = 4_000;

/// The verbs that are offered here, by name.
pub(crate) fn rows() -> Vec<&'static Row> {
    let mut rows: Vec<&Row> =
        kenning::table::TABLE.iter().filter(|row| row.nature.doors == Doors::Every).collect();
    rows.sort_by_key(|row| row.tool());
    rows
}

/// The tool of a verb.
pub(crate) fn tool(row: &'static Row) -> Tool {
    let nature = match row.nature.effect {
        Effect::Reads => Nature::Reads,
        Effect::Writes => Nature::Adds,
        Effect::Removes => Nature::Takes,
    };
    let about = match row.nature.authority {
        Authority::Anybody => row.about.to_owned(),
        Authority::Person => format!("{}. A person must confirm", row.about),
    };
    Tool {
        name: row.tool(),
        title: row.name.to_owned(),
        about,
        nature,
        input: Box::new(move || match row.schema() {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }),
        output: Map::from_iter([("type".to_owned(), Value::from("object"))]),
        call: Box::new(move |door, asker, arguments| call(row, door, asker, arguments)),
    }
}

fn call(row: &'static Row, door: &ServedStore, asker: &mut Asker, arguments: JsonObject) -> Result<Answer> {
    let about = arguments.get("id").and_then(Value::as_str).map(str::to_owned);
    let said = serde_json::to_string(&arguments).unwrap_or_default();
    match door.run(row, asker, arguments) {
        Ok(done) => Ok(answer(done)),
        Err(Error::Refused(refusal)) if refusal.confirm.is_some() && asker.person.is_none() => {
            Ok(question(row, door, asker, about, &said))
        }
        Err(error) => Err(error),
    }
}

/// What a person is asked before it is done in their name.
fn question(row: &Row, door: &ServedStore, asker: &Asker, about: Option<String>, said: &str) -> Answer {
    let about = about
        .and_then(|id| door.ask(asker, true, |room| kenning::show::headline(&room.ken.ledger, &id)).ok());
    Answer::ask(format!(
        "{}\n\n{}The agent {} asks to run this command; the reason in it is the agent's:\n\n{} {said}\n\nRun it in your name?",
        row.about,
        about.map(|about| format!("About {about}\n\n")).unwrap_or_default(),
        door.agent(asker),
        row.name,
    ))
}

/// What came of a verb.
pub(crate) struct Outcome {
    /// The answer as JSON.
    pub(crate) answer: Value,
    /// The verb worked, and says that something is wrong.
    pub(crate) finds: bool,
    /// What was asked for was not done, and the answer says why.
    pub(crate) rejects: bool,
}

fn answer(done: Outcome) -> Answer {
    let value = match done.answer {
        value @ Value::Object(_) => value,
        other => json!({ "answer": other }),
    };
    let value = crate::tool::harmless(value);
    let whole = value.to_string();
    let text = if whole.chars().count() <= TEXT_CHARS_MAX {
        whole
    } else {
        let begin: String = whole.chars().take(TEXT_CHARS_MAX).collect();
        format!("{begin}\n... and so on; all of it is in the structured content")
    };
    let entries = handed_over(&value);
    Answer { text, value, is_error: done.rejects, entries, ..Answer::default() }
}

/// The entries that an answer shows, by their ids.
fn handed_over(value: &Value) -> Vec<String> {
    let list = ["entries", "results", "shown"].iter().find_map(|name| value[*name].as_array());
    let id = |one: &Value| one["id"].as_str().or(one.as_str()).map(str::to_owned);
    // Rows of a list may be runs, tokens or proposals; an entry has a handle.
    let rows = value["items"].as_array().into_iter().flatten().filter(|one| one["handle"].is_string());
    list.into_iter().flatten().chain(rows).filter_map(id).collect()
}
