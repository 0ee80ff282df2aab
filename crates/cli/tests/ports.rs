//! The shape of ports and logs: a read trait can be held in the head, a ledger is a few methods, and no type grows into an object that does everything.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Methods of a trait of reads, at most.
const READS_MAX: usize = 12;
/// Methods of any other port, and of a type of the engine, of a log or of the verbs, at most.
const METHODS_MAX: usize = 30;
/// Methods of the type that a hook works with: it is to be taken apart, and this number only falls.
const SESSION_METHODS_MAX: usize = 45;

fn sources(folder: &str) -> Vec<String> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(folder);
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![top];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// How many methods each trait or type has: those of a trait, and those of the blocks that implement no trait.
fn methods(sources: &[String]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for source in sources {
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let mut current: Option<String> = None;
        for line in source.lines() {
            let word = line.split([' ', '<', '(']).next().unwrap_or_default();
            if matches!(word, "impl" | "trait" | "pub")
                && (line.contains("trait ") || line.starts_with("impl"))
            {
                current = name_of(line);
            } else if line.starts_with('}') {
                current = None;
            } else if let Some(name) = &current
                && is_method(line)
            {
                *counts.entry(name.clone()).or_default() += 1;
            }
        }
    }
    counts
}

/// What a line begins that opens a block of methods; none where it implements a trait.
fn name_of(line: &str) -> Option<String> {
    if line.contains(" for ") {
        return None;
    }
    let behind = line.split_once("trait ").map(|(_, name)| name).or_else(|| {
        let rest = line.strip_prefix("impl")?;
        // Behind the parameters, which end with the first `> `.
        Some(
            rest.strip_prefix('<')
                .and_then(|rest| rest.split_once("> "))
                .map_or(rest, |(_, rest)| rest)
                .trim(),
        )
    })?;
    let name: String = behind.chars().take_while(|sign| sign.is_alphanumeric() || *sign == '_').collect();
    (!name.is_empty()).then_some(name)
}

fn is_method(line: &str) -> bool {
    let Some(line) = line.strip_prefix("    ").filter(|line| !line.starts_with(' ')) else { return false };
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().take(3).any(|word| *word == "fn")
}

#[test]
fn a_port_of_reads_has_at_most_twelve_methods_and_no_type_of_a_log_more_than_thirty() {
    let reads = methods(
        &sources("engine/src")
            .into_iter()
            .filter(|text| text.contains("pub trait Projection:"))
            .collect::<Vec<_>>(),
    );
    assert_eq!(reads.len(), 9, "the traits of reads: {reads:?}");
    for (name, count) in &reads {
        assert!(*count <= READS_MAX, "{name} has {count} methods, more than {READS_MAX}");
    }
    let ports = methods(&sources("engine/src"));
    let logs = [methods(&sources("log-git/src")), methods(&sources("log-memory/src"))];
    for (name, count) in logs.iter().flatten().chain(&ports) {
        assert!(*count <= METHODS_MAX, "{name} has {count} methods, more than {METHODS_MAX}");
    }
    assert_eq!(ports.get("EventLog"), Some(&5), "a log is five methods");
}

/// Functions that take all that a call reaches, at most: entry points, and what sits beside them. Any other names what it needs.
const WHOLE_REACH_MAX: usize = 15;

#[test]
fn verbs_are_functions_over_what_they_need() {
    let sources = sources("verbs/src");
    for (name, count) in &methods(&sources) {
        let most = match name.as_str() {
            // What hooks do in one conversation.
            "Session" => SESSION_METHODS_MAX,
            _ => METHODS_MAX,
        };
        assert!(*count <= most, "{name} has {count} methods, more than {most}");
    }
    let takes_it = |text: &str| {
        let parameter = ["Reach,", "Reach)"].map(|end| [format!(": &mut {end}"), format!(": &{end}")]);
        let signatures = text.split("fn ").skip(1).map(|rest| rest.split('{').next().unwrap_or_default());
        signatures.filter(|rest| parameter.iter().flatten().any(|it| rest.contains(it))).count()
    };
    let count: usize = sources.iter().map(|text| takes_it(text)).sum();
    assert!(count > 0, "`takes_it` finds nothing");
    assert!(count <= WHOLE_REACH_MAX, "{count} functions take a whole `Reach`");
}
