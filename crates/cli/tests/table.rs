//! One table of verbs: the commands, the tools and the reference page name the same verbs and fields; and nobody becomes a person by
//! setting something.

use std::collections::BTreeSet;

use kenning::table::TABLE;
use kenning::verb::{Doors, FieldKind};
use serde_json::Value;

use crate::world::{Answer, World};

fn tools(world: &World) -> Vec<Value> {
    let answer = world.ken("mcp --profile full --tools").ok();
    answer.json()["tools"].as_array().unwrap().clone()
}

#[test]
fn every_verb_of_the_table_is_a_command_with_its_fields() {
    let world = World::bare();
    for row in TABLE {
        let help = world.ken(&format!("{} --help", row.name)).ok().out;
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.starts_with(row.about), "{}: {help}", row.name);
        for field in row.fields() {
            let flag = format!("--{}", field.name.replace('_', "-"));
            let place = field.name.to_uppercase();
            // What is rarely set is left out of help, and set with `--field`.
            if field.hidden {
                continue;
            }
            let shown = help.contains(&flag) || help.to_uppercase().contains(&place) || help.contains('<');
            assert!(shown, "{} does not take {}:\n{help}", row.name, field.name);
        }
    }
}

#[test]
fn every_verb_that_is_offered_everywhere_is_a_tool_with_the_same_fields() {
    let world = World::bare();
    let tools = tools(&world);
    // These have a request of their own, in the words of agents.
    let own = ["brief", "check", "init", "queue", "search"];
    for row in TABLE.iter().filter(|row| row.nature.doors == Doors::Every) {
        let tool = tools.iter().find(|tool| tool["name"] == row.tool());
        let tool = tool.unwrap_or_else(|| panic!("{} is no tool", row.name));
        if own.contains(&row.tool().as_str()) {
            continue;
        }
        assert_eq!(tool["inputSchema"], row.schema(), "{}", row.name);
        for field in row.fields() {
            let property = &tool["inputSchema"]["properties"][field.name];
            let one = if field.many { &property["items"] } else { property };
            let wanted = match field.kind {
                FieldKind::Switch => "boolean",
                FieldKind::Integer => "integer",
                FieldKind::Number => "number",
                FieldKind::Text | FieldKind::Content => "string",
            };
            assert_eq!(one["type"], wanted, "{} {}", row.name, field.name);
            let about = property["description"].as_str().unwrap_or_default();
            assert!(!about.is_empty(), "{} does not say what {} is", row.name, field.name);
        }
    }
    for row in TABLE.iter().filter(|row| row.nature.doors != Doors::Every) {
        let offered = tools.iter().any(|tool| tool["name"] == row.tool()) && row.tool() != "init";
        assert!(!offered, "{} is for a terminal", row.name);
    }
}

#[test]
fn the_reference_page_has_every_verb() {
    let page = include_str!("../../../docs/reference/cli.md");
    // A family of verbs has one heading, and each of its verbs a place below it.
    let is_told = |name: &str| match name.split_once(' ') {
        None => page.contains(&format!("`ken {name}")),
        Some((family, verb)) => {
            let heading = format!("`ken {family}");
            let mut sections = page.split("\n### ").filter(|section| section.starts_with(&heading));
            sections.any(|section| section.contains(verb))
        }
    };
    let missing: Vec<&str> = TABLE.iter().map(|row| row.name).filter(|name| !is_told(name)).collect();
    assert!(missing.is_empty(), "docs/reference/cli.md lacks {missing:?}");
}

#[test]
fn names_are_used_once() {
    let names: BTreeSet<&str> = TABLE.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), TABLE.len());
}

// COR-7: authority is an answer on the controlling terminal or a confirmed approval, and nothing that can be set.
#[test]
fn no_variable_flag_or_file_makes_a_person() {
    let world = World::with_store();
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    world.write(".kenning/config.toml", "[approvers]\nAda = \"yes\"\n");
    let verbs: [&[&str]; 5] = [
        &["purge", &id, "--yes"],
        &["quarantine", "release", &id, "--reason", "fine"],
        &["maintain", "--reset", &id, "--reason", "fine"],
        &["config", "approvers.Bo", "yes"],
        &["config", "check.allow", "make"],
    ];
    let variables: [&[(&str, &str)]; 6] = [
        &[],
        &[("KEN_ACTOR", "human:Ada")],
        &[("GIT_AUTHOR_NAME", "Ada")],
        &[("CI", "true"), ("KEN_ACTOR", "human:Ada")],
        &[("KEN_PERSON", "1"), ("KEN_CONFIRM", "yes"), ("KEN_ACTOR", "human:Ada")],
        &[("CLAUDECODE", "1"), ("KEN_ACTOR", "human:Ada")],
    ];
    for args in verbs {
        for set in variables {
            let mut command = world.command(&World::binary().display().to_string());
            let answer: Answer = command.args(args).envs(set.iter().copied()).output().unwrap().into();
            assert_eq!(answer.code, 4, "{args:?} {set:?}: {}{}", answer.out, answer.err);
            assert!(
                ["requires a person, and you are", "requires confirmation by a person in a terminal"]
                    .iter()
                    .any(|words| answer.err.contains(words)),
                "{args:?} {set:?}: {}",
                answer.err
            );
        }
    }
    assert!(world.ken(&format!("show {id}")).ok().out.contains("jitter"));
}
