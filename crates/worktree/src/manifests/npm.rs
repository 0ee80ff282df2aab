//! package.json and the locks of npm, Yarn, pnpm and Bun.

use serde_json::Value;

use super::{ManifestReader, members};
use crate::version::Rules;

pub(super) fn manifest(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let root = json(text)?;
    for table in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
        for (name, wanted) in members(&root[table]) {
            let Some(wanted) = wanted.as_str() else { continue };
            let other = wanted.strip_prefix("npm:").and_then(|other| other.rsplit_once('@'));
            let requirement = other.map_or(wanted, |(_, requirement)| requirement);
            let requirement = requirement.strip_prefix("workspace:").unwrap_or(requirement);
            found.wants(name, requirement, Rules::Npm);
            if let Some((other, requirement)) = other.filter(|(other, _)| !other.is_empty()) {
                found.wants(other, requirement, Rules::Npm);
            }
        }
    }
    if let Some(wanted) = root["engines"]["node"].as_str() {
        found.language_wants("node", wanted, Rules::Npm);
    }
    if let Some(version) = root["volta"]["node"].as_str() {
        found.language_is("node", version);
    }
    if let Some((name, version)) = root["packageManager"].as_str().and_then(|manager| manager.split_once('@'))
    {
        found.is(name, version);
    }
    if let (Some(name), Some(version)) = (root["name"].as_str(), root["version"].as_str()) {
        found.is(name, version);
    }
    Ok(())
}

pub(super) fn package_lock(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let root = json(text)?;
    // Since version 2 every package has its place; before, they were nested.
    for (place, package) in members(&root["packages"]) {
        let name = match place.rsplit_once("node_modules/") {
            Some((_, name)) => package["name"].as_str().unwrap_or(name),
            None => package["name"].as_str().unwrap_or_default(),
        };
        if let Some(version) = package["version"].as_str() {
            found.is(name, version);
        }
    }
    if root["packages"].is_null() {
        nested(&root["dependencies"], found);
    }
    match root["lockfileVersion"].is_null() {
        true => Err("it has no lockfileVersion".to_owned()),
        false => Ok(()),
    }
}

fn nested(packages: &Value, found: &mut ManifestReader) {
    for (name, package) in members(packages) {
        if let Some(version) = package["version"].as_str() {
            found.is(name, version);
        }
        nested(&package["dependencies"], found);
    }
}

/// Both forms of Yarn's lock have a line of requests and, below it, the version; the older one in quotes, the newer one after a colon.
pub(super) fn yarn_lock(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let mut name = None;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>") {
            return Err(format!("line {} is a merge conflict marker", at + 1));
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if !line.starts_with(char::is_whitespace) {
            let Some(requests) = line.trim_end().strip_suffix(':') else {
                return Err(format!("line {} is neither a package nor below one", at + 1));
            };
            let request = requests.split(", ").next().unwrap_or_default().trim_matches('"');
            name = requested(request).map(|(name, _)| name.to_owned());
        } else if let Some(version) =
            line.strip_prefix("  version").filter(|rest| rest.starts_with([' ', ':']))
            && let Some(name) = name.take()
        {
            let version = version.trim_start_matches(':').trim().trim_matches('"');
            if version != "0.0.0-use.local" {
                found.is(&name, version);
            }
        }
    }
    Ok(())
}

/// Splits `name@version` behind the `@` of a scope.
fn requested(text: &str) -> Option<(&str, &str)> {
    let scope = usize::from(text.starts_with('@'));
    let at = text[scope..].find('@')? + scope;
    Some((&text[..at], &text[at + 1..]))
}

/// pnpm names packages as the keys of one table: `/a/1.0.0`, `/a@1.0.0(b@2.0.0)` or `a@1.0.0`, by its version.
pub(super) fn pnpm_lock(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let written_by =
        text.lines().find_map(|line| line.strip_prefix("lockfileVersion:")).map(|version| version.trim());
    let Some(written_by) = written_by else { return Err("it has no lockfileVersion".to_owned()) };
    let has_slashes = written_by.trim_matches(['\'', '"']).starts_with('5');
    let mut is_packages = false;
    for line in text.lines() {
        if line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>") {
            return Err("it contains merge conflict markers".to_owned());
        }
        if !line.starts_with(' ') && !line.is_empty() {
            is_packages = line.trim_end() == "packages:";
            continue;
        }
        let Some(key) = line.strip_prefix("  ").filter(|rest| is_packages && !rest.starts_with(' ')) else {
            continue;
        };
        let key = key.trim_end().trim_end_matches("{}").trim_end();
        let Some(key) = key.strip_suffix(':') else { continue };
        let key = key.trim_matches(['\'', '"']);
        let key = key.split('(').next().unwrap_or_default();
        let bare = key.strip_prefix('/').unwrap_or(key);
        let split = match has_slashes {
            true => bare.split('_').next().and_then(|bare| bare.rsplit_once('/')),
            false => requested(bare),
        };
        if let Some((name, version)) = split {
            found.is(name, version);
        }
    }
    Ok(())
}

pub(super) fn bun_lock(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let root = crate::settings::json(text)?;
    for (_, package) in members(&root["packages"]) {
        if let Some((name, version)) = package[0].as_str().and_then(requested) {
            found.is(name, version);
        }
    }
    match root["lockfileVersion"].is_null() {
        true => Err("it has no lockfileVersion".to_owned()),
        false => Ok(()),
    }
}

fn json(text: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match value.is_object() {
        true => Ok(value),
        false => Err("it is not an object".to_owned()),
    }
}
