//! The tools of every day, the two that some hosts require, and the verbs of the command line.

mod brief;
mod check;
mod find;
mod finish;
mod queue;
mod remember;

use serde::{Deserialize, Deserializer};

use crate::tool::{Nature, Tool};
use crate::verb::{self, Verb};

/// What the default profile lists, in the order of use.
pub(crate) const EVERYDAY: &[&str] = &["recall", "brief", "remember", "finish", "check", "queue"];
/// What hosts require that know only these names.
pub(crate) const CONNECTORS: &[&str] = &["search", "fetch"];

/// Every tool, in a fixed order: a list that stays the same can be cached.
pub(crate) fn all(verbs: &[Verb]) -> Vec<Tool> {
    let mut all = vec![
        find::recall(),
        brief::brief(),
        remember::remember(),
        finish::finish(),
        check::check(),
        queue::queue(),
        find::search(),
        find::fetch(),
        init(),
    ];
    let own: Vec<String> = all.iter().map(|tool| tool.name.clone()).collect();
    all.extend(verbs.iter().filter(|verb| !own.contains(&verb.tool)).map(verb::tool));
    all
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Nothing {}

fn init() -> Tool {
    Tool::new(
        "init",
        "Make a store",
        Nature::Adds,
        "Make a knowledge store in this project. Doing it twice changes nothing.",
        "changed:boolean done:array",
        |door, _, _: Nothing| door.init(),
    )
}

/// One word or a list of them: models write either.
fn one_or_many<'de, D: Deserializer<'de>>(given: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text, or a list of texts, is wanted")]
    enum Words {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Words::deserialize(given)? {
        Words::One(word) => vec![word],
        Words::Many(words) => words,
    })
}
