//! go.mod.

use std::collections::HashMap;

use super::{Ecosystem, ManifestReader, Says, exact};

pub(super) fn manifest(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let mut block = String::new();
    let mut required = Vec::new();
    let mut replaced: HashMap<String, String> = HashMap::new();
    let mut has_module = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        let (verb, words) = match (block.as_str(), &words[..]) {
            (_, []) => continue,
            ("", [verb, "("]) => {
                block = (*verb).to_owned();
                continue;
            }
            ("", [verb, rest @ ..]) => (*verb, rest),
            (_, [")"]) => {
                block.clear();
                continue;
            }
            (verb, words) => (verb, words),
        };
        match (verb, words) {
            ("module", [_]) => has_module = true,
            // The directive is the least version that will do, and the language that is spoken.
            ("go", [version]) => found.add("go", Ecosystem::Language, exact(version)),
            ("require", [name, version]) => required.push(((*name).to_owned(), (*version).to_owned())),
            ("replace", words) => {
                let Some(arrow) = words.iter().position(|word| *word == "=>") else {
                    return Err(format!("line {} replaces nothing", at + 1));
                };
                let by = words[arrow + 1..].get(1).copied().unwrap_or("a folder");
                replaced.insert(words[0].to_owned(), by.to_owned());
            }
            ("require", _) => return Err(format!("line {} has no version", at + 1)),
            // What is excluded or retracted, and the toolchain, say nothing about versions that are used.
            _ => {}
        }
    }
    for (name, version) in required {
        match replaced.get(&name) {
            Some(by) if by == "a folder" => found.add(&name, Ecosystem::Go, Says::Wants(by.clone(), None)),
            Some(by) => found.is(&name, by),
            None => found.is(&name, &version),
        }
    }
    match has_module && block.is_empty() {
        true => Ok(()),
        false => Err("it has no module, or a bracket is not closed".to_owned()),
    }
}
