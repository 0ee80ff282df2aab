//! Cargo.toml and Cargo.lock.

use serde_json::Value;

use super::{ManifestReader, members, toml, toml_packages};
use crate::version::Rules;

const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

pub(super) fn manifest(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let root = toml(text)?;
    let targets = members(&root["target"]).map(|(_, target)| target);
    for table in [&root, &root["workspace"]].into_iter().chain(targets) {
        for name in TABLES {
            for (name, wanted) in members(&table[name]) {
                dependency(name, wanted, found);
            }
        }
    }
    for package in [&root["package"], &root["workspace"]["package"]] {
        if let Some(version) = package["rust-version"].as_str() {
            found.language_wants("rust", &format!(">={version}"), Rules::Cargo);
        }
    }
    if let (Some(name), Some(version)) =
        (root["package"]["name"].as_str(), root["package"]["version"].as_str())
    {
        found.is(name, version);
    }
    Ok(())
}

fn dependency(name: &str, wanted: &Value, found: &mut ManifestReader) {
    // The workspace says which version; see its own table.
    if wanted["workspace"] == true {
        return;
    }
    let requirement = match (wanted.as_str(), wanted["version"].as_str()) {
        (Some(requirement), _) | (None, Some(requirement)) => requirement,
        (None, None) => {
            ["git", "path"].iter().find_map(|key| wanted[*key].as_str()).unwrap_or("an unknown version")
        }
    };
    found.wants(name, requirement, Rules::Cargo);
    if let Some(package) = wanted["package"].as_str().filter(|package| *package != name) {
        found.wants(package, requirement, Rules::Cargo);
    }
}

pub(super) fn lock(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    toml_packages(text, found)
}
