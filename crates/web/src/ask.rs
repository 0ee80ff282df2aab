//! Asking verbs for what a page shows.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::visit::{Answer, Problem, Visit};

/// Asks a verb, and reads of its answer what pages show. Fields that are null count as missing.
pub(crate) fn ask<T: DeserializeOwned>(visit: &Visit<'_>, verb: &str, given: Value) -> Result<T, Problem> {
    read(verb, run(visit, verb, given)?.value)
}

/// Asks a verb; fields that are null are not given.
pub(crate) fn run(visit: &Visit<'_>, verb: &str, given: Value) -> Result<Answer, Problem> {
    let given = match without_nulls(given) {
        Value::Object(given) => given,
        _ => Map::new(),
    };
    visit.verbs.run(verb, given).map_err(|problem| *problem)
}

fn read<T: DeserializeOwned>(verb: &str, value: Value) -> Result<T, Problem> {
    serde_json::from_value(without_nulls(value)).map_err(|error| {
        let message = format!("the answer of `{verb}` could not be read: {error}");
        Problem {
            hint: Some("the browser and the store are of different versions; restart `ken serve`".to_owned()),
            ..Problem::new(500, "unreadable", message)
        }
    })
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect(),
        Value::Array(values) => values.into_iter().map(without_nulls).collect(),
        other => other,
    }
}
