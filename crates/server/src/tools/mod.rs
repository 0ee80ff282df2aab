//! The tools of every day, the two that some hosts require, and every other verb of the table.

mod brief;
mod check;
mod entry;
mod find;
mod finish;
mod queue;
mod remember;

use std::sync::OnceLock;

pub(crate) use find::FROM_GLOBAL;

use kenning::verb::Row;
use rmcp::model::JsonObject;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::http::policy::Asked;
use crate::limits::LIST_LEN_MAX;
use crate::tool::{Nature, Profile, Tool};
use crate::verb;

/// What the default profile lists, in the order of use.
const EVERYDAY: &[&str] =
    &["recall", "show_entry", "brief", "remember", "correct_entry", "finish", "check", "queue"];
/// The verbs of the tools that are written here: their roles are those of the table.
const VERBS: &[(&str, &str)] = &[
    ("recall", "search"),
    ("show_entry", "show"),
    ("brief", "surface"),
    ("remember", "add"),
    ("correct_entry", "edit"),
    ("finish", "task finish"),
    ("check", "check"),
    ("queue", "queue"),
    ("search", "search"),
    ("fetch", "show"),
    ("init", "init"),
];
/// What hosts require that know only these names.
const CONNECTORS: &[&str] = &["search", "fetch"];

/// The tools that are there, in a fixed order: a list that stays the same can be cached.
pub(crate) struct Tools {
    own: Vec<Tool>,
    /// Made when somebody asks for one of them: a server that starts has no time for that.
    others: OnceLock<Vec<Tool>>,
}

impl Tools {
    pub(crate) fn new() -> Tools {
        let own = vec![
            find::recall(),
            entry::show(),
            brief::brief(),
            remember::remember(),
            entry::correct(),
            finish::finish(),
            check::check(),
            queue::queue(),
            find::search(),
            find::fetch(),
            init(),
        ];
        Tools { own, others: OnceLock::new() }
    }

    fn others(&self) -> &[Tool] {
        let is_own = |row: &&Row| self.own.iter().any(|tool| tool.name == row.tool());
        self.others.get_or_init(|| {
            let rows = verb::rows().into_iter().filter(|row| !is_own(row));
            rows.map(verb::tool).collect()
        })
    }

    /// The tool of a name.
    pub(crate) fn named(&self, name: &str) -> Option<&Tool> {
        let called = |name: &str| {
            let is_it = |tool: &&Tool| tool.name == name;
            self.own.iter().find(is_it).or_else(|| self.others().iter().find(is_it))
        };
        // What a verb was called before is no tool of the list, and runs all the same.
        called(name).or_else(|| called(&kenning::table::find(name)?.tool()))
    }

    /// What a call asks for.
    pub(crate) fn asked<'a>(&self, tool: &'a Tool, arguments: Option<&JsonObject>) -> Asked<'a> {
        let verb = VERBS.iter().find(|(name, _)| *name == tool.name).map(|(_, verb)| *verb);
        let row = kenning::table::find(verb.unwrap_or(&tool.name));
        let row = row.expect("every tool has a verb of the table");
        let given = arguments.cloned().unwrap_or_default();
        let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        let only_reads = match verb {
            // Without answers it is the worksheet; whatever else is given may be another spelling of them.
            Some("queue") => given.iter().all(|(name, value)| name == "limit" || is_empty(value)),
            Some(_) => tool.nature == Nature::Reads,
            None => row.read(given).is_ok_and(|ready| ready.only_reads()),
        };
        Asked::of(&tool.name, row, only_reads)
    }

    /// Every name there is.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().chain(self.others()).map(|tool| tool.name.as_str())
    }

    /// Those that a profile lists.
    pub(crate) fn listed(&self, profile: Profile) -> Vec<&Tool> {
        let some =
            |names: &[&str]| self.own.iter().filter(|tool| names.contains(&tool.name.as_str())).collect();
        match profile {
            Profile::Default => some(EVERYDAY),
            Profile::Connectors => some(CONNECTORS),
            Profile::Full => self.own.iter().chain(self.others()).collect(),
        }
    }
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Nothing {}

fn init() -> Tool {
    Tool::new(
        "init",
        "Create a store",
        Nature::Adds,
        "Create a knowledge store in this project. Idempotent.",
        "changed:boolean done:array",
        |door, _, _: Nothing| door.init(),
    )
}

/// One word or a list of them: models write either.
fn one_or_many<'de, D: Deserializer<'de>>(given: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a string or a list of strings")]
    enum Words {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Words::deserialize(given)? {
        Words::One(word) => vec![word],
        Words::Many(words) if words.len() > LIST_LEN_MAX => {
            let problem = format!("{} items in one list; at most {LIST_LEN_MAX}", words.len());
            return Err(serde::de::Error::custom(problem));
        }
        Words::Many(words) => words,
    })
}

#[cfg(test)]
mod tests {
    use kenning::verb::Role;
    use serde_json::json;

    use super::*;

    // A writer's token changed settings through MCP, and only there.
    #[test]
    fn a_tool_needs_the_role_of_its_verb() {
        let tools = Tools::new();
        // Nothing is asked for that the table does not have.
        for name in tools.names() {
            tools.asked(tools.named(name).unwrap(), None);
        }
        for (name, arguments, role) in [
            ("recall", json!({"query": "x"}), Role::Reader),
            ("show_entry", json!({"id": "x"}), Role::Reader),
            ("brief", json!({}), Role::Reader),
            ("check", json!({}), Role::Reader),
            ("fetch", json!({"id": "x"}), Role::Reader),
            ("queue", json!({}), Role::Reader),
            ("queue", json!({"answers": []}), Role::Reader),
            ("queue", json!({"answers": [{"item": "i", "answer": "a", "reason": "r"}]}), Role::Writer),
            ("remember", json!({}), Role::Writer),
            ("correct_entry", json!({}), Role::Writer),
            ("finish", json!({}), Role::Writer),
            ("init", json!({}), Role::Writer),
            ("config", json!({}), Role::Reader),
            ("config", json!({"key": "list.limit"}), Role::Reader),
            ("config", json!({"key": "list.limit", "value": ["5"]}), Role::Admin),
            // What cannot be read is not known to read only.
            ("config", json!({"colour": "red"}), Role::Admin),
            ("purge", json!({"id": "x", "yes": true}), Role::Admin),
            ("import", json!({"source": "okf"}), Role::Admin),
            ("quarantine_release", json!({"id": "x", "reason": "y"}), Role::Approver),
        ] {
            let arguments = arguments.as_object().cloned();
            let asked = tools.asked(tools.named(name).unwrap(), arguments.as_ref());
            assert_eq!(asked.role, role, "{name} {arguments:?}");
        }
    }
}
