//! Pages and texts that name verbs, flags, settings and types agree with what the binary knows.

use std::collections::BTreeSet;

use kenning::verb::Group;

use crate::world::World;

/// A file below `crates/cli`.
fn page(path: &str) -> String {
    std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The verbs that `ken help --all` names.
fn verbs(world: &World) -> Vec<String> {
    let help = world.ken("help --all").ok().out;
    let named = help.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    named.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

/// The commands of a transcript, without the prompt.
fn commands(transcript: &str) -> Vec<String> {
    let text = page(&format!("tests/transcripts/{transcript}.txt"));
    text.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect()
}

#[test]
fn the_transcript_of_help_has_every_verb() {
    let shown: BTreeSet<String> = commands("help").into_iter().collect();
    for verb in verbs(&World::bare()) {
        assert!(
            shown.contains(&format!("ken {verb} --help")),
            "transcripts/help.txt lacks `ken {verb} --help`"
        );
    }
}

#[test]
fn the_transcript_of_types_adds_every_type() {
    let added: BTreeSet<String> = commands("types")
        .iter()
        .filter_map(|line| Some(line.strip_prefix("ken add ")?.split(' ').next()?.to_owned()))
        .collect();
    let schemas = World::bare().ken("schema").ok().json();
    assert_eq!(added, schemas.as_object().unwrap().keys().cloned().collect());
}

#[test]
fn every_type_has_a_schema() {
    let world = World::bare();
    let all = world.ken("schema").ok().json();
    for (kind, schema) in all.as_object().unwrap() {
        assert_eq!(schema["title"], kind.as_str());
        assert_eq!(&world.ken(&format!("schema {kind} --json")).ok().json(), schema);
        assert!(schema["properties"]["statement"]["description"].is_string(), "{kind}");
    }
}

#[test]
fn the_help_of_hook_names_every_event() {
    let help = World::bare().ken("hook --help").ok().out;
    for moment in ken_hosts::hook::Moment::ALL {
        let word = moment.word();
        let names = |line: &str| line.split([' ', ',']).any(|one| one == word);
        assert!(help.lines().filter(|line| line.contains("Event:")).any(names), "{word}: {help}");
    }
}

#[test]
fn help_names_every_verb_and_no_other() {
    let world = World::bare();
    let named = verbs(&world);
    let distinct: BTreeSet<&str> = named.iter().map(String::as_str).collect();
    assert_eq!(named.len(), distinct.len(), "a verb stands in two groups");
    // A shell is offered what the parser knows. `ken` starts `parse-worker` by itself; nobody types it.
    let offered = crate::completion::offered(&world, &["ken", ""]);
    let known: BTreeSet<&str> =
        offered.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    assert_eq!(distinct, known);
    for verb in &named {
        world.ken(&format!("{verb} --help")).ok();
    }
}

// COR-32: what everybody reads first is short.
#[test]
fn help_has_fourteen_verbs_and_add_at_most_twenty_five_flags() {
    let world = World::bare();
    let help = world.ken("help").ok().out;
    let (listed, _) = help.split_once("\nMore\n").unwrap();
    let verbs = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    assert_eq!(verbs.count(), 14, "{help}");
    let add = world.ken("add --help").ok().out;
    let (own, _) = add.split_once("Global options:").unwrap();
    let flags = own.lines().filter(|line| line.split_whitespace().take(2).any(|word| word.starts_with("--")));
    assert!(flags.count() <= 25, "{add}");
}

#[test]
fn the_reference_names_every_verb_and_every_flag() {
    let page = page("../../docs/reference/cli.md");
    let world = World::bare();
    for verb in verbs(&world) {
        assert!(page.contains(&format!("`ken {verb}")), "docs/reference/cli.md does not name `ken {verb}`");
        let help = world.ken(&format!("{verb} --help")).ok().out;
        for flag in help.split_whitespace().filter(|word| word.starts_with("--")) {
            let flag = flag.trim_end_matches(|c: char| !c.is_alphanumeric());
            let makes_a_verb = page.contains(&format!("`ken {verb} {flag}"));
            assert!(
                makes_a_verb || page.contains(&format!("`{flag}")),
                "docs/reference/cli.md does not name {flag} of {verb}"
            );
        }
    }
}

#[test]
fn the_reference_follows_the_sections_and_groups_of_help() {
    let page = page("../../docs/reference/cli.md");
    let headings: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let groups: Vec<&str> = Group::ALL.iter().map(|group| group.title()).collect();
    assert_eq!(headings[0], "Everywhere");
    assert_eq!(headings[1..], groups);
    let world = World::bare();
    for (group, text) in groups.iter().zip(page.split("\n## ").skip(2)) {
        let section = Group::ALL.iter().find(|one| one.title() == *group).unwrap().section();
        let help = world.ken(&format!("help {}", section.word())).ok().out;
        let listed = help.split("\n\n").find(|part| part.trim_start().starts_with(group)).unwrap();
        let listed =
            listed.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
        for verb in listed.map(|line| line.split_whitespace().next().unwrap()) {
            let is_told = ["`", " "].iter().any(|end| text.contains(&format!("### `ken {verb}{end}")));
            assert!(is_told, "`ken {verb}` is not under {group} in cli.md");
        }
    }
}

#[test]
fn the_reference_names_every_setting_and_every_kind_of_refusal() {
    let page = |name: &str| page(&format!("../../docs/reference/{name}"));
    let settings = World::with_store().ken("config --json").ok().json();
    for setting in settings["settings"].as_array().unwrap() {
        let row = format!("| `{}` |", setting["key"].as_str().unwrap());
        assert!(page("environment.md").contains(&row), "docs/reference/environment.md has no row {row}");
    }
    let codes = include_str!("../../core/src/refusal.rs");
    let codes: Vec<&str> =
        codes.lines().filter_map(|line| line.trim().strip_prefix("Code::")?.split('"').nth(1)).collect();
    assert!(codes.len() > 8, "{codes:?}");
    for code in codes {
        assert!(
            page("json.md").contains(&format!("| `{code}` |")),
            "docs/reference/json.md does not name {code}"
        );
    }
}
