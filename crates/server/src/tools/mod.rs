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
use serde::{Deserialize, Deserializer};

use crate::limits::LIST_LEN_MAX;
use crate::tool::{Nature, Profile, Tool};
use crate::verb;

/// What the default profile lists, in the order of use.
const EVERYDAY: &[&str] =
    &["recall", "show_entry", "brief", "remember", "correct_entry", "finish", "check", "queue"];
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
        let is_it = |tool: &&Tool| tool.name == name;
        self.own.iter().find(is_it).or_else(|| self.others().iter().find(is_it))
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
