//! pyproject.toml, requirements, Pipfile and the locks of Poetry, uv, PDM and Pipenv.

use serde_json::Value;

use super::{ManifestReader, members, toml, toml_packages};
use crate::version::Rules;

pub(super) fn pyproject(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let root = toml(text)?;
    let (project, tool) = (&root["project"], &root["tool"]);
    let mut lists =
        vec![&project["dependencies"], &root["build-system"]["requires"], &tool["uv"]["dev-dependencies"]];
    for groups in
        [&project["optional-dependencies"], &root["dependency-groups"], &tool["pdm"]["dev-dependencies"]]
    {
        lists.extend(members(groups).map(|(_, list)| list));
    }
    for wanted in lists.into_iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str) {
        requirement(wanted, found);
    }
    let poetry = &tool["poetry"];
    let groups = members(&poetry["group"]).map(|(_, group)| &group["dependencies"]);
    for table in [&poetry["dependencies"], &poetry["dev-dependencies"]].into_iter().chain(groups) {
        table_of(table, found);
    }
    if let Some(wanted) = project["requires-python"].as_str() {
        found.language_wants("python", wanted, Rules::Python);
    }
    for package in [project, poetry] {
        if let (Some(name), Some(version)) = (package["name"].as_str(), package["version"].as_str()) {
            found.is(name, version);
        }
    }
    Ok(())
}

/// `name = "^1"`, `name = { version = "^1" }`, or a list of such, of which one counts.
fn table_of(table: &Value, found: &mut ManifestReader) {
    for (name, wanted) in members(table) {
        let choices = wanted.as_array().map_or(std::slice::from_ref(wanted), Vec::as_slice);
        let texts = choices
            .iter()
            .map(|wanted| wanted.as_str().or(wanted["version"].as_str()).unwrap_or("an unknown version"));
        let text = texts.collect::<Vec<_>>().join(" || ");
        match name {
            "python" => found.language_wants("python", &text, Rules::Python),
            _ => found.wants(name, &text, Rules::Python),
        }
    }
}

/// One requirement as in PEP 508: `name[extra] >=1, <2 ; marker`, or `name @ url`.
fn requirement(text: &str, found: &mut ManifestReader) {
    let text = text.split(';').next().unwrap_or_default().trim();
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']').map_or("", |(_, rest)| rest).trim_start(),
        None => rest,
    };
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_requirement = rest.is_empty() || rest.starts_with(['=', '<', '>', '~', '!', '(', '@']);
    if is_name && is_requirement {
        found.wants(name, rest, Rules::Python);
    }
}

pub(super) fn requirements(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in joined.lines() {
        let line = line.split(" #").next().unwrap_or_default().trim();
        // Options, files and URLs are not names; what follows a name may be an option, too.
        if line.is_empty() || line.starts_with(['#', '-', '.', '/']) || line.starts_with("http") {
            continue;
        }
        requirement(line.split(" --").next().unwrap_or_default(), found);
    }
    Ok(())
}

pub(super) fn pipfile(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let root = toml(text)?;
    for table in ["packages", "dev-packages"] {
        table_of(&root[table], found);
    }
    for key in ["python_version", "python_full_version"] {
        if let Some(version) = root["requires"][key].as_str() {
            found.language_is("python", version);
        }
    }
    Ok(())
}

pub(super) fn pipfile_lock(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    let root: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for table in ["default", "develop"] {
        for (name, package) in members(&root[table]) {
            if let Some(version) = package["version"].as_str() {
                found.is(name, version.trim_start_matches('='));
            }
        }
    }
    match root["_meta"].is_null() {
        true => Err("it has no _meta".to_owned()),
        false => Ok(()),
    }
}

pub(super) fn lock(text: &str, found: &mut ManifestReader) -> Result<(), String> {
    toml_packages(text, found)
}
